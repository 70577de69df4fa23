"""Measure how long extraction takes beside parsing and its peers: ``python -m benchmarks.speed``.

Every row is a whole pass over the same pages; the rows take turns.  Times are processor times.  Peers that are not
installed are left out: ``pip install -e '.[benchmarks]'`` installs them.
"""

from __future__ import annotations

import argparse
import importlib
import logging
from collections import deque
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from lxml import etree

from benchmarks.pages import load_pages, origin
from benchmarks.timing import ratio, seconds_by_round
from scrapy_justext import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def parse(body: bytes) -> etree._Element:
    """Parse a page with the options that Scrapy's selectors use: the least that lxml needs."""
    return etree.fromstring(body, etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True))


def peers() -> dict[str, Callable[[bytes], object]]:
    """Return the extractors to compare with, as far as they are installed."""
    makers = {
        "justext": _justext,
        "boilerpy3": _boilerpy3,
        "trafilatura": _trafilatura,
        "resiliparse, main content": _resiliparse,
    }
    found = {}
    for name, maker in makers.items():
        try:
            found[name] = maker()
        except ImportError as error:
            print(f"left out: {name} ({error})")
    return found


def _justext() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("justext")
    stoplist = module.get_stoplist("English")
    return lambda body: module.justext(body, stoplist)


def _boilerpy3() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("boilerpy3.extractors")
    logging.getLogger("boilerpy3").setLevel(logging.ERROR)
    extractor = module.DefaultExtractor(raise_on_failure=False)
    return lambda body: extractor.get_content(body.decode("utf-8", "replace"))


def _trafilatura() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("trafilatura")
    function: Callable[[bytes], object] = module.extract
    return function


def _resiliparse() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("resiliparse.extract.html2text")
    return lambda body: module.extract_plain_text(body.decode("utf-8", "replace"), main_content=True)


def main() -> None:
    """Print a table of milliseconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    bodies = [body for body in load_pages(arguments.pages).values() if body.strip()]
    trees = [parse(body) for body in bodies]

    def over(function: Callable[[Any], object], pages: Iterable[object]) -> Callable[[], object]:
        # As a crawl does: a page's result is gone before the next one is looked at.
        return lambda: deque(map(function, pages), maxlen=0)

    tasks = {
        "lxml parse": over(parse, bodies),
        "extract(tree), English": over(lambda tree: extract(tree, language="English"), trees),
        **{
            f"extract(tree), {profile}": over(partial(extract, language="English", profile=profile), trees)
            for profile in ("learned", "learned-article")
        },
        "extract(bytes), English": over(lambda body: extract(body, language="English"), bodies),
        "extract(bytes), auto": over(extract, bodies),
        **{
            f"the same, {profile}": over(partial(extract, language="English", profile=profile), bodies)
            for profile in ("article", "boilerpipe", "boilerpipe-article", "justext-java", "learned")
        },
        **{
            f"Markdown, {profile}": over(partial(extract, language="English", profile=profile, markdown=True), bodies)
            for profile in ("justext", "learned")
        },
        **{name: over(peer, bodies) for name, peer in peers().items()},
    }
    extract(bodies[0])  # loads the language detector
    seconds = seconds_by_round(tasks, arguments.rounds)
    print(f"{len(bodies)} pages, {origin()}; medians of {arguments.rounds} rounds\n")
    print(f"{'':28}{'ms a page':>10}{'of parse':>10}{'of justext':>12}")
    for name, times in seconds.items():
        milliseconds = 1000 * median(times) / len(bodies)
        of_justext = f"{ratio(times, seconds['justext']):.3f}" if "justext" in seconds else "-"
        print(f"{name:28}{milliseconds:10.2f}{ratio(times, seconds['lxml parse']):10.2f}{of_justext:>12}")
    for given, others in (("tree", "extract(tree), l"), ("bytes", "the same")):
        english = seconds[f"extract({given}), English"]
        print(f"\nbeside extract({given}), English:")
        for name in (name for name in seconds if name.startswith((others, f"extract({given}), auto"))):
            print(f"{name:34}{ratio(seconds[name], english):.2f}")
    print("\nbeside the same without Markdown:")
    for name, without in (("Markdown, justext", "extract(bytes), English"), ("Markdown, learned", "the same, learned")):
        print(f"{name:34}{ratio(seconds[name], seconds[without]):.2f}")


if __name__ == "__main__":
    main()
