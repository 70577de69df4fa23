"""Measure how long extraction takes beside parsing and its peers: ``python -m benchmarks.speed [--worst]``.

``--markdown docs/figures/speed.md`` writes the table of the documentation.

Each row reads all pages, one after another, as programs do; in each round the rows take turns.  Times are processor
times, of each page the quickest.  Peers that are not installed are left out: ``pip install -e '.[benchmarks]'``
installs them.

``--worst`` lists the pages up to 1 MB on which a crawl's event loop stands still longest, beside the time that parsing
takes: a parsed page is extracted, and its blocks are made into an item's values.
"""

from __future__ import annotations

import argparse
import importlib
import logging
from functools import partial
from importlib.metadata import version
from itertools import product
from math import inf
from pathlib import Path
from platform import python_version
from time import process_time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from benchmarks.markdown import write_table
from benchmarks.pages import load_pages, origin
from scrapy_justext import extract
from scrapy_justext.core.languages import detect
from scrapy_justext.core.reading.loading import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: The rows that others are compared with.
PARSE, JUSTEXT, RESILIPARSE = "lxml parse", "justext", "resiliparse, main content"
FROM_TREE, FROM_BYTES = "extract(tree), English", "extract(bytes), English"


def parse(body: bytes) -> etree._Element:
    """Parse a page with the options that Scrapy's selectors use: the least that lxml needs."""
    return etree.fromstring(body, etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True))


def peers() -> dict[str, Callable[[bytes], object]]:
    """Return the extractors to compare with, as far as they are installed."""
    extractors = {}
    for name, maker in PEERS.items():
        try:
            extractors[name] = maker()
        except ImportError as error:
            print(f"left out: {name} ({error})")
    return extractors


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


def _turbohtml() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("turbohtml.extract")
    return lambda body: module.boilerplate(body.decode("utf-8", "replace"))


def _resiliparse() -> Callable[[bytes], object]:
    module: Any = importlib.import_module("resiliparse.extract.html2text")
    return lambda body: module.extract_plain_text(body.decode("utf-8", "replace"), main_content=True)


#: What makes the extractors to compare with.
PEERS: Mapping[str, Callable[[], Callable[[bytes], object]]] = MappingProxyType(
    {
        JUSTEXT: _justext,
        "boilerpy3": _boilerpy3,
        "trafilatura": _trafilatura,
        "turbohtml, its jusText": _turbohtml,
        RESILIPARSE: _resiliparse,
    }
)


class Task(NamedTuple):
    """What is timed on each page."""

    run: Callable[[Any], object]
    reads_tree: bool = False
    """It is given the tree, parsed right before; else the bytes."""
    beside: str = ""
    """The row that it is compared with; empty for none."""


def quickest(tasks: Mapping[str, Task], bodies: Sequence[bytes], rounds: int) -> dict[str, float]:
    """Return the processor seconds that each task takes for all pages: of each page, the quickest of some rounds.

    A task reads all pages before the next one does.  If they took turns on each page, a large one would drive the code
    and the tables of the others out of the processor's cache.  A tree is parsed right before it is read: one that was
    parsed long ago has left that cache, too.
    """
    best = {name: [inf] * len(bodies) for name in tasks}
    for _, (name, task) in product(range(rounds), tasks.items()):
        times = best[name]
        for i, body in enumerate(bodies):
            page: object = parse(body) if task.reads_tree else body
            start = process_time()
            task.run(page)
            times[i] = min(times[i], process_time() - start)
            # What freeing a tree costs is no part of the next page.
            page = None
    return {name: sum(times) for name, times in best.items()}


LARGEST = 1_000_000
WORST = 10


def stall(page: Any) -> None:
    """Do what a crawl does with a parsed page without giving control back to the event loop."""
    extract(page).to_dict()


def print_worst(pages: Mapping[str, bytes], rounds: int) -> None:
    """Print the pages on which an event loop stands still longest."""
    rows = []
    for name, body in pages.items():
        if body.strip() and len(body) <= LARGEST:
            times = quickest({"parse": Task(parse), "stall": Task(stall, reads_tree=True)}, [body], rounds)
            rows.append((times["stall"], times["parse"], name, body))
    print(f"{len(rows)} pages up to {LARGEST // 1000} KB; of each the quickest of {rounds} rounds\n")
    print(f"{'ms beside parsing':>18}{'ms of parsing':>15}{'KB':>6}{'blocks':>8}  page")
    for seconds, parsing, name, body in sorted(rows, reverse=True)[:WORST]:
        blocks = len(extract(body).blocks)
        print(f"{1000 * seconds:18.1f}{1000 * parsing:15.1f}{len(body) // 1000:6}{blocks:8}  {name}")


def _figures(name: str, seconds: Mapping[str, float], pages: int) -> list[str]:
    """Return the milliseconds that a task takes for a page, and the ratios to parsing and to two peers."""
    others = [seconds.get(other) for other in (PARSE, JUSTEXT, RESILIPARSE)]
    ratios = (f"{seconds[name] / other:.2f}" if other else "-" for other in others)
    return [f"{1000 * seconds[name] / pages:.2f}", *ratios]


def _with_version(name: str) -> str:
    """Return the name of a task as the documentation shows it: of a peer with its version."""
    library, comma, rest = name.partition(",")
    return f"{library} {version(library)}{comma}{rest}" if name in PEERS else name


def make_tasks() -> dict[str, Task]:
    """Return what is timed, by the names of the rows; peers as far as they are installed."""

    def ours(*, reads_tree: bool = False, beside: str = "", **choices: Any) -> Task:
        return Task(partial(extract, **{"language": "English", **choices}), reads_tree=reads_tree, beside=beside)

    return {
        PARSE: Task(parse),
        FROM_TREE: ours(reads_tree=True),
        **{
            f"extract(tree), {profile}": ours(profile=profile, reads_tree=True, beside=FROM_TREE)
            for profile in ("learned", "learned-article")
        },
        FROM_BYTES: ours(),
        "extract(bytes), language detected": ours(language="auto", beside=FROM_BYTES),
        **{
            f"extract(bytes), {profile}": ours(profile=profile, beside=FROM_BYTES)
            for profile in ("article", "boilerpipe", "boilerpipe-article", "justext-java", "learned", "auto")
        },
        **{
            f"extract(bytes), {profile}, html5": ours(profile=profile, parser="html5", beside=FROM_BYTES)
            for profile in ("justext", "learned")
        },
        "Markdown, justext": ours(markdown=True, beside=FROM_BYTES),
        "Markdown, learned": ours(profile="learned", markdown=True, beside="extract(bytes), learned"),
        **{name: Task(peer) for name, peer in peers().items()},
    }


def print_ratios(seconds: Mapping[str, float], tasks: Mapping[str, Task]) -> None:
    """Print what each task takes beside the one that it is compared with."""
    print("\nbeside another row:")
    for name, task in tasks.items():
        if task.beside:
            print(f"{name:36}{seconds[name] / seconds[task.beside]:.2f} of {task.beside}")


def main() -> None:
    """Print a table of milliseconds and ratios, or the worst pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--worst", action="store_true", help="list the pages that take longest, of all there are")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too, as Markdown")
    arguments = parser.parse_args()
    detect("")  # loads the language detector
    if arguments.worst:
        print_worst(load_pages(), arguments.rounds)
        return
    bodies = [body for body in load_pages(arguments.pages).values() if body.strip()]
    tasks = make_tasks()
    seconds = quickest(tasks, bodies, arguments.rounds)
    note = f"{len(bodies)} pages, {origin()}; of each page the quickest of {arguments.rounds} rounds"
    print(f"{note}\n{compiled().name} reader, {compiled().reason}\n")
    print(f"{'':36}{'ms a page':>10}{'of parse':>10}{'of justext':>12}{'of resiliparse':>16}")
    rows = [[name, *_figures(name, seconds, len(bodies))] for name in seconds]
    for name, time, *ratios in rows:
        print(f"{name:36}{time:>10}{ratios[0]:>10}{ratios[1]:>12}{ratios[2]:>16}")
    print_ratios(seconds, tasks)
    if arguments.markdown:
        reader = f"{compiled().name} reader, lxml {version('lxml')}, Python {python_version()}"
        made = f"{note}, in processor time; {reader}."
        heads = ("", "ms a page", "of lxml’s parse", "of jusText 3", "of resiliparse")
        write_table(arguments.markdown, made, heads, ((_with_version(name), *figures) for name, *figures in rows))


if __name__ == "__main__":
    main()
