"""A tuner that answers, in a thread of its own."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from twisted.internet.selectreactor import SelectReactor

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.crawl.settings import Given, Layers, make_layers
from scrapy_justext.inspection.pages import InspectedPage
from scrapy_justext.inspection.server import listen
from scrapy_justext.inspection.tuner import Tuner

STORY = "It was the best of times, it was the worst of times, it was the age of wisdom. "
PAGE = (
    f"<html lang=en><head><title>Tale</title></head><body><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>"
    f"<h1>A tale of two cities</h1><p>{STORY * 4}</p><p>{STORY}</p><p>{STORY * 4}</p><p>Read on</p>"
    f"<ul><li><a href=/c>Contact</a></ul></body></html>"
)


class Said(NamedTuple):
    """An answer of the server."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Running(NamedTuple):
    """A server that runs, and its pages."""

    url: str
    tuner: Tuner

    @property
    def port(self) -> int:
        """Where it listens."""
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def headers(self) -> dict[str, str]:
        """What the tuner's own page sends."""
        return {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}

    def ask(
        self, path: str, method: str = "GET", headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Said:
        """Send a request for a whole path; headers are sent as they are."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return Said(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def path(self, below: str = "") -> str:
        """The path of what lies below the token."""
        return urlsplit(self.url).path + below


def inspected(html: str = PAGE, name: str = "tale.html", url: str | None = None) -> InspectedPage:
    """A page that can be looked into."""
    return InspectedPage(name, url, parse_html(html))


def count_marks(path: Path) -> dict[str, int]:
    """How many marks each page has in a file, by the page's id."""
    records = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    return {record["id"]: len(record["marks"]) for record in records}


def layers(project: Mapping[str, Any] | None = None, **sites: Mapping[str, Any]) -> Layers:
    """What is set for a project, by lower-case names; ``sites``: by names of sites that end in ``_example``.

    Thresholds of single blocks decide alone, unless ``good_run`` is set.
    """
    by_domain = {name.replace("_", "."): of_site for name, of_site in sites.items()}
    given = {
        name: Given(value, f"JUSTEXT_{name.upper()}") for name, value in {"good_run": 0, **(project or {})}.items()
    }
    return make_layers({**given, "sites": Given(by_domain, "JUSTEXT_SITES")}, {})


@contextmanager
def running(pages: Sequence[InspectedPage], marks: Path, settings: Layers | None = None) -> Iterator[Running]:
    """Serve pages for as long as the ``with`` statement lasts."""
    tuner = Tuner(pages, settings or layers(), marks)
    reactor: Any = SelectReactor()
    resource = listen(reactor, tuner)
    thread = Thread(target=reactor.run, kwargs={"installSignalHandlers": False})
    thread.start()
    try:
        yield Running(resource.url, tuner)
    finally:
        reactor.callFromThread(reactor.stop)
        thread.join()
