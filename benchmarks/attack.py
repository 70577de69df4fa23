"""Attack the extraction with pages that would flood it: ``python -m benchmarks.attack``.

Each shape of :mod:`benchmarks.shapes` is extracted in each profile, at two sizes, in a process of its own that may use
so much time and memory and no more.  The other options take turns, so that any two of them meet.  Printed are, for each
shape, the worst of its profiles in

* the exponent: by how much the time grows, 1 where it is in proportion to the page;
* seconds of processor time and megabytes of memory for each megabyte of the page;
* the ratio to what parsing the same page takes, which is not ours;
* the size of the Markdown in proportion to the page.

Pages are refused as a crawl refuses them, by the default of ``JUSTEXT_MAX_BLOCKS`` and by their attributes.  At the end
of a shape's line stands how many of its larger pages were, and why: their cost says little about pages that are read.

At the end stand the cases in which a page of 10 MB goes over the limits: 5 seconds or three times what parsing takes,
1 GB, and Markdown of 16 times the page.  Such a page is made and measured where the estimate by the exponent goes over,
and in the case of each shape whose time grows the most, if its estimate comes near.  The status is 1 if there are any.

All shapes in all profiles take under two hours with ``--jobs 2``, on two processors that do nothing else.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
from collections import Counter
from contextlib import suppress
from itertools import product
from math import log
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from benchmarks.shapes import SHAPES
from scrapy_justext import Extractor
from scrapy_justext.core.extractor import WARM_UP_PAGE
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.settings import SETTINGS
from scrapy_justext.exceptions import PageLimitError
from tests.products import pairwise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from scrapy_justext.core.options import Choices

MEGA = 1_000_000
#: The characters of both pages, in full and quick.
SIZES = (MEGA // 8, MEGA)
QUICK_SIZES = (MEGA // 64, MEGA // 8)
#: Below this time, the exponent means nothing.
LEAST_SECONDS = 0.2
#: The share of a limit from which an estimate is near it: two sizes tell the exponent no better.
NEAR = 0.5

#: The limits of a page of :data:`LARGEST` bytes.
LARGEST = 10 * MEGA
MOST_SECONDS = 5
MOST_OF_PARSING = 3
MOST_BYTES = 1_000_000_000
MOST_MARKDOWN = 16

#: What a process may use at the most.
SECONDS = 120
BYTES = 3_000_000_000

URL = "https://example.com/docs/page.html"

#: The options beside the profile, by their values.
OPTIONS: dict[str, Sequence[Any]] = {
    "paths": (False, True),
    "markdown": (True, False),
    "language": ("auto", "English"),
    "rules": ({}, {"keep_css": "body"}, {"keep_css": "b, i, a", "drop_css": ".x", "drop_text": r"\bnothing of it\b"}),
    "tree_depth": (None, 2, 5),
    "as_tree": (False, True),
}


class Case(NamedTuple):
    """A shape in a profile, with the other options."""

    shape: str
    profile: str
    options: dict[str, Any]

    @property
    def choices(self) -> Choices:
        """Return the choices of the extraction."""
        rest = {name: value for name, value in self.options.items() if name not in ("rules", "as_tree")}
        if rest["tree_depth"] is None:
            del rest["tree_depth"]
        limits = {"max_blocks": SETTINGS["max_blocks"].default}
        chosen: Choices = {"profile": self.profile, **limits, **rest, **self.options["rules"]}  # type: ignore[typeddict-item]
        return chosen

    def __str__(self) -> str:
        chosen = ", ".join(
            f"{name}={value}" for name, value in self.choices.items() if name not in ("profile", "max_blocks")
        )
        return f"{self.profile} ({chosen}{', as a tree' * self.options['as_tree']})"


class Cost(NamedTuple):
    """What a page took.

    ``failure``: why it was not done, in words;
    ``refusal``: why it was refused, as :attr:`PageLimitError.reason` has it.
    """

    size: int
    seconds: float = 0.0
    parsing: float = 0.0
    memory: int = 0
    markdown: int = 0
    failure: str = ""
    refusal: str = ""


class Growth(NamedTuple):
    """What a case took at two sizes."""

    case: Case
    small: Cost
    large: Cost

    @property
    def exponent(self) -> float:
        """Return the exponent by which the time grows with the page; 1 if the time is too short to tell."""
        if self.large.seconds < LEAST_SECONDS or self.large.size <= self.small.size:
            return 1.0
        return log(self.large.seconds / max(self.small.seconds, 1e-4)) / log(self.large.size / self.small.size)

    def at_largest(self, cost: float, exponent: float = 1.0) -> float:
        """Return the cost of a page of :data:`LARGEST` bytes."""
        return float(cost * (LARGEST / self.large.size) ** exponent)

    @property
    def seconds_a_mega(self) -> float:
        """Return the seconds for each megabyte of the larger page."""
        return self.large.seconds * MEGA / self.large.size

    def faults(self, share: float = 1.0) -> Iterator[str]:
        """Yield in words the limits of which it is over a ``share``."""
        if self.large.failure or self.small.failure:
            yield self.large.failure or self.small.failure
            return
        seconds = self.at_largest(self.large.seconds, max(1.0, self.exponent))
        if seconds > share * max(MOST_SECONDS, MOST_OF_PARSING * self.at_largest(self.large.parsing)):
            yield f"{seconds:.0f} s for {LARGEST // MEGA} MB, parsing {self.at_largest(self.large.parsing):.1f} s"
        memory = self.at_largest(self.large.memory)
        if memory > share * MOST_BYTES:
            yield f"{memory / MEGA:.0f} MB of memory for {LARGEST // MEGA} MB"
        if self.large.markdown > share * MOST_MARKDOWN * self.large.size:
            yield f"Markdown of {self.large.markdown / self.large.size:.0f} times the page"


def cases(shapes: Iterable[str], profiles: Iterable[str]) -> list[Case]:
    """Return each shape in each profile; the rows of options take turns."""
    rows = [dict(zip(OPTIONS, row, strict=True)) for row in pairwise(*OPTIONS.values())]
    pairs = enumerate(product(shapes, profiles))
    # From shape to shape, a profile meets another row.
    return [Case(shape, profile, rows[(i + i // len(rows)) % len(rows)]) for i, (shape, profile) in pairs]


def measure(case: Case, size: int) -> Cost:
    """Extract a page in this process, and return what it took."""
    page = SHAPES[case.shape](size)
    before = _memory()
    extractor = Extractor(**case.choices)
    parsing, markdown, refusal = 0.0, 0, ""
    began = process_time()
    try:
        parsed = parse_html(page)
        parsing = process_time() - began
        if not case.options["as_tree"] or parsed.root is None:
            del parsed
            began = process_time()
            markdown = len(extractor.extract(page, url=URL).markdown)
        else:
            markdown = len(extractor.extract(parsed.root, url=URL).markdown)
    except PageLimitError as error:
        # A page that is refused has its cost, too.
        refusal = error.reason
    seconds = process_time() - began
    return Cost(len(page), seconds, parsing, max(_most_memory() - before, 0), markdown, refusal=refusal)


def _memory() -> int:
    """Return the bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _measure_in_child(connection: Connection[Any, Any], case: Case, size: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        cost = measure(case, size)
    except MemoryError:
        cost = Cost(size, failure=f"over {BYTES / MEGA:.0f} MB of memory at {size / MEGA:.2f} MB")
    except Exception as error:
        # Whatever it is, the report names it.
        cost = Cost(size, failure=f"{type(error).__name__}: {error} at {size / MEGA:.2f} MB"[:200])
    connection.send(cost)


def measure_all(tasks: Sequence[tuple[Case, int]], jobs: int) -> Iterator[tuple[int, Cost]]:
    """Yield what each task took, with its index, as they are done; each has a process of its own."""
    context = get_context("fork")
    waiting = list(enumerate(tasks))[::-1]
    running: dict[Connection[Any, Any], tuple[int, Any]] = {}
    # What the parent holds is not to be copied by the collector of each child.
    gc.collect()
    gc.freeze()
    while waiting or running:
        while waiting and len(running) < jobs:
            index, task = waiting.pop()
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_measure_in_child, args=(sender, *task), daemon=True)
            child.start()
            sender.close()
            running[receiver] = index, child
        for ready in wait(list(running)):
            connection = cast("Connection[Any, Any]", ready)
            index, child = running.pop(connection)
            size = tasks[index][1]
            cost = Cost(size, failure=f"killed, over {SECONDS} s of processor time, at {size / MEGA:.2f} MB")
            with suppress(EOFError):
                cost = connection.recv()
            child.join()
            connection.close()
            yield index, cost


def grow(chosen: Sequence[Case], sizes: tuple[int, int], jobs: int) -> Iterator[list[Growth]]:
    """Yield what the cases of each shape took, shape by shape."""
    tasks = [(case, size) for case in chosen for size in sizes]
    costs: dict[int, Cost] = {}
    left: dict[str, int] = {}
    for case, _ in tasks:
        left[case.shape] = left.get(case.shape, 0) + 1
    for index, cost in measure_all(tasks, jobs):
        costs[index] = cost
        shape = tasks[index][0].shape
        left[shape] -= 1
        if not left[shape]:
            rows = [i for i, case in enumerate(chosen) if case.shape == shape]
            yield [Growth(chosen[i], costs[2 * i], costs[2 * i + 1]) for i in rows]


def warm_up(profiles: Iterable[str]) -> None:
    """Extract a page in each profile, so that no process has to load models and lists."""
    for profile, language in product(profiles, ("auto", "English")):
        Extractor(profile=profile, language=language, markdown=True).extract(WARM_UP_PAGE)


def report(growths: Sequence[Growth]) -> str:
    """Return the line of a shape: the worst of all its cases."""
    worst = max(growths, key=lambda growth: (bool(growth.large.failure), growth.seconds_a_mega))
    exponent = max(growth.exponent for growth in growths)
    memory = max(growth.large.memory / growth.large.size for growth in growths)
    ratio = max(growth.large.seconds / max(growth.large.parsing, 1e-4) for growth in growths)
    markdown = max(growth.large.markdown / growth.large.size for growth in growths)
    refusals = Counter(growth.large.refusal for growth in growths if growth.large.refusal)
    refused = "".join(f"  {count} {reason}" for reason, count in refusals.items())
    return (
        f"{worst.case.shape:46}{exponent:8.2f}{worst.seconds_a_mega:9.2f}{memory:9.0f}{ratio:10.1f}{markdown:9.1f}"
        f"  {worst.case.profile}{' FAILED' * bool(worst.large.failure)}{refused}"
    )


def to_measure(growths: Sequence[Growth]) -> list[Case]:
    """Return the cases of a shape of which a page of :data:`LARGEST` bytes is to be made."""
    steepest = max(growths, key=lambda growth: growth.exponent)
    return [growth.case for growth in growths if any(growth.faults(NEAR if growth is steepest else 1.0))]


def main() -> None:
    """Attack, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="shapes whose names have this inside; default: all")
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), choices=list(PROFILES), metavar="PROFILE")
    parser.add_argument("--sizes", nargs=2, type=float, metavar="MB", help="default: 0.125 1; with --quick an eighth")
    parser.add_argument("--quick", action="store_true", help="each shape in one profile, the profiles in turn")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time; default: %(default)s")
    arguments = parser.parse_args()
    shapes = [name for name in SHAPES if not arguments.shapes or any(part in name for part in arguments.shapes)]
    if not shapes:
        parser.error(f"no shape has {' or '.join(arguments.shapes)} in its name")
    chosen = cases(shapes, arguments.profiles)
    if arguments.quick:
        number = len(arguments.profiles)
        chosen = [case for i, case in enumerate(chosen) if i % number == i // number % number]
    sizes = QUICK_SIZES if arguments.quick else SIZES
    if arguments.sizes:
        small, large = (int(size * MEGA) for size in arguments.sizes)
        sizes = (small, large)
    began = perf_counter()
    warm_up(arguments.profiles)
    print(f"{len(shapes)} shapes, {len(chosen)} cases, pages of {sizes[0]} and {sizes[1]} characters\n")
    print(f"{'shape':46}{'exponent':>8}{'s a MB':>9}{'MB a MB':>9}{'x parsing':>10}{'Markdown':>9}  slowest profile")
    chosen_as_largest: list[Case] = []
    for growths in grow(chosen, sizes, arguments.jobs):
        print(report(growths), flush=True)
        chosen_as_largest += to_measure(growths)
    largest = measure_all([(case, LARGEST) for case in chosen_as_largest], arguments.jobs)
    # With the same page for both sizes, nothing is estimated.
    measured = [Growth(chosen_as_largest[i], cost, cost) for i, cost in largest]
    faults = [(growth, fault) for growth in measured for fault in growth.faults()]
    print(f"\n{perf_counter() - began:.0f} s; {len(measured)} pages of {LARGEST // MEGA} MB")
    print(f"{len(faults)} over the limits")
    for growth, fault in faults:
        print(f"{growth.case.shape}, {growth.case}: {fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
