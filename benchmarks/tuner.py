"""Measure how fast the tuner answers a slider, for a page of 1,000 blocks: ``python -m benchmarks.tuner``.

The time is that of a browser's request to a server in another thread: judging, comparing with the view that the browser
has, the settings to paste, JSON, HTTP.  Each request has other thresholds than the one before.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.pages import load_pages, origin
from scrapy_justext import extract
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.inspection.pages import InspectedPage

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCKS = 1000
REQUESTS = 100
PAGES = 400
#: Milliseconds that an answer may take.
LIMIT = 50


class Times(NamedTuple):
    """What requests take, in milliseconds."""

    median: float
    worst: float
    cpu: float
    """The mean of both sides' processor time, which other processes do not lengthen."""


def page_of_blocks(pages: dict[str, bytes], blocks: int = BLOCKS) -> tuple[str, bytes]:
    """Return the page whose number of blocks is nearest to ``blocks``; all pages in one where all are far smaller."""
    name, page = min(pages.items(), key=lambda item: abs(_count(item[1]) - blocks))
    if _count(page) > blocks / 2:
        return name, page
    joined = b"".join(pages.values())
    return "all pages in one", joined * (blocks // _count(joined) + 1)


def measure(page: InspectedPage, profile: str, requests: int) -> Times:
    """Measure so many requests that turn one threshold after the other."""
    with tempfile.TemporaryDirectory() as folder:
        served = _Served(page, Path(folder) / "marks.jsonl")
        try:
            base = served.judge({"profile": profile}, "")["base"]
            milliseconds = []
            cpu = process_time()
            for parameters in _turned(profile, requests):
                started = perf_counter()
                served.judge({"profile": profile, "parameters": parameters}, base)
                milliseconds.append(1000 * (perf_counter() - started))
            cpu = 1000 * (process_time() - cpu) / requests
        finally:
            served.stop()
    return Times(median(milliseconds), max(milliseconds), cpu)


class _Served:
    """A tuner in a thread, and a connection to it."""

    def __init__(self, page: InspectedPage, marks: Path) -> None:
        from twisted.internet.selectreactor import SelectReactor  # noqa: PLC0415 (no other reactor is to be installed)

        from scrapy_justext.crawl.settings import make_layers  # noqa: PLC0415
        from scrapy_justext.inspection.server import listen  # noqa: PLC0415
        from scrapy_justext.inspection.tuner import Tuner  # noqa: PLC0415

        self._reactor: Any = SelectReactor()
        address = urlsplit(listen(self._reactor, Tuner([page], make_layers({}, {}), marks)).url)
        self._thread = Thread(target=self._reactor.run, kwargs={"installSignalHandlers": False})
        self._thread.start()
        self._connection = HTTPConnection(address.netloc)
        self._path = f"{address.path}api/judge"
        self._headers = {"Origin": f"http://{address.netloc}", "Content-Type": "application/json"}

    def judge(self, chosen: dict[str, Any], base: str) -> dict[str, Any]:
        body = json.dumps({**chosen, "pages": [0], "shown": {"0": base}})
        self._connection.request("POST", self._path, body, self._headers)
        answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        page: dict[str, Any] = answer["pages"][0]
        return page

    def stop(self) -> None:
        self._connection.close()
        self._reactor.callFromThread(self._reactor.stop)
        self._thread.join()


def _turned(profile: str, requests: int) -> Iterator[dict[str, Any]]:
    """Yield thresholds as sliders give them."""
    for number in range(requests):
        share = number / requests
        if PROFILES[profile].models:
            yield {"near_good_probability": share, "good_probability": share}
        elif not PROFILES[profile].by_stopwords:
            yield {"tree_depth": number % 5 + 1}
        elif number % 2:
            yield {"length_low": 2 * number, "length_high": 4 * number}
        else:
            yield {"max_link_density": share, "stopwords_low": share / 3, "stopwords_high": share / 3}


def _count(page: bytes) -> int:
    return len(extract(page).blocks)


def main() -> None:
    """Print the times of each profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="in each profile")
    requests = parser.parse_args().requests
    name, body = page_of_blocks(load_pages(PAGES))
    page = InspectedPage(name, None, parse_html(body))
    print(f"{name} ({origin()}), {_count(body)} blocks; {requests} requests, milliseconds, at most {LIMIT} wanted\n")
    print(f"{'':20}{'median':>10}{'worst':>10}{'processor':>12}")
    for profile in PROFILES:
        times = measure(page, profile, requests)
        over = "" if times.worst <= LIMIT else "  over"
        print(f"{profile:20}{times.median:10.1f}{times.worst:10.1f}{times.cpu:12.1f}{over}")


if __name__ == "__main__":
    main()
