"""The command ``gate``: whether what a run measured has fallen below floors that were set before.

A file of floors is JSON, by data set, extractor, measure and figure::

    {"wcxb-dev": {
        "digest": "…",
        "floors": {"justext": {"bag": {"precision": 0.71, "recall": 0.84, "f1": 0.72, "documents": 1497, "ok": 1480}}}
    }}

``digest`` is that of the data set's documents: floors say nothing about other ones.  ``documents`` and ``ok`` are
numbers of documents, all of them and those that are neither failed nor a boundary case: means may rise because hard
pages fail.

Exit status 0 when all floors hold; 1 when a figure is below its floor, undefined, or not in the run; 2 when floors and
run cannot be compared.
"""

from __future__ import annotations

import json
import math
import sys
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.commands import format_columns
from scrapy_justext.evaluation.scoring import SUMMARY_FILE, read_rows
from scrapy_justext.evaluation.store import read_json, read_run, write_json
from scrapy_justext.evaluation.tables import UNDEFINED
from scrapy_justext.exceptions import EvaluationError
from scrapy_justext.files import explaining

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

#: Shares, from 0 to 1, and numbers of documents.
SHARES = ("precision", "recall", "f1")
FIGURES = (*SHARES, "documents", "ok")

#: Floors are written with so many decimals.
_QUANTUM = Decimal("0.0001")
#: Digits of a digest that tell data sets apart, and that are shown.
_DIGITS = 16


#: Which figure it is: data set, extractor, measure, figure.
Key = tuple[str, str, str, str]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("out", type=Path, metavar="DIR", help="folder of results of the command run")
    parser.add_argument("--floors", required=True, type=Path, metavar="FILE", help="file of floors, JSON")
    parser.add_argument("--write", action="store_true", help="write the figures of the run as floors, rounded down")
    parser.add_argument("--force", action="store_true", help="with --write: also over a file that is there")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, or write; raise :class:`JustextError` for what cannot be done as it was asked for."""
    run = read_run(arguments.out)
    if run is None:
        raise EvaluationError(f"{arguments.out} holds no run")
    digests = {data_set.name: data_set.digest for data_set in run.data_sets}
    summary = arguments.out / SUMMARY_FILE
    if not summary.exists():
        raise EvaluationError(f"{summary} is missing; the run has not come to its end")
    figures = {
        (row.dataset, row.extractor, row.measure, figure): getattr(row, figure)
        for row in read_rows(summary)
        for figure in FIGURES
    }
    if arguments.write:
        _write_floors(arguments.floors, digests, figures, force=arguments.force)
        return 0
    floors = dict(_read_floors(arguments.floors, digests))
    if not floors:
        raise EvaluationError(f"{arguments.floors}: no floor in it, so that nothing could fall")
    fallen = list(_find_fallen(floors, figures))
    if fallen:
        titles = ("data set", "extractor", "measure", "figure", "floor", "found", "")
        print(format_columns([titles, *fallen], right=(4, 5)))
        print(f"{len(fallen)} of {len(floors)} floors do not hold", file=sys.stderr)
        return 1
    print(f"all {len(floors)} floors hold")
    return 0


def _read_floors(path: Path, digests: Mapping[str, str]) -> Iterator[tuple[Key, float]]:
    """Yield the floors of a file; raise :class:`EvaluationError` where it has none, or those of other documents."""
    if not path.exists():
        raise EvaluationError(f"{path} is missing; --write makes it from a run")
    for dataset, entry in _items(read_json(path), f"{path}: the file"):
        where = f"{path}: {dataset}"
        fields = dict(_items(entry, where))
        digest = fields.get("digest")
        if {*fields} != {"digest", "floors"} or not isinstance(digest, str) or len(digest) < _DIGITS:
            raise EvaluationError(f"{where}: must have floors and a digest of {_DIGITS} digits or more")
        of_run = digests.get(dataset, digest)
        if not of_run.startswith(digest):
            problem = f"digest {digest[:_DIGITS]} expected, {of_run[:_DIGITS]} found"
            raise EvaluationError(f"the data set {dataset} is not the one of {path}: {problem}")
        for extractor, measures in _items(fields["floors"], where):
            for measure, figures in _items(measures, f"{where}, {extractor}"):
                for figure, least in _items(figures, f"{where}, {extractor}, {measure}"):
                    if problem := _problem_of(figure, least):
                        raise EvaluationError(f"{where}, {extractor}, {measure}: {problem}")
                    yield (dataset, extractor, measure, figure), least


def _items(value: object, where: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise EvaluationError(f"{where}: must be an object, not {json.dumps(value)[:40]}")
    yield from value.items()


def _problem_of(figure: str, least: Any) -> str:
    """Return why a floor cannot be compared, or cannot fall; "" where it can."""
    if figure not in FIGURES:
        return f"unknown figure {figure!r}; known are {', '.join(FIGURES)}"
    is_number = isinstance(least, int | float) and not isinstance(least, bool)
    if is_number and 0 <= least <= (1 if figure in SHARES else math.inf):
        return ""
    return f"{figure} = {least!r}: must be a number of 0 or more, of a share at most 1"


def _find_fallen(floors: Mapping[Key, float], figures: Mapping[Key, float | None]) -> Iterator[Sequence[str]]:
    """Yield a line for each floor that does not hold: its key, the floor, the figure, and why or by how much."""
    for key, least in floors.items():
        form = ".4f" if key[-1] in SHARES else "g"
        value = figures.get(key)
        if value is None:
            # The first part of the key that the run does not have.
            parts = enumerate(("data set", "extractor", "measure"), 1)
            missing = (part for end, part in parts if not any(known[:end] == key[:end] for known in figures))
            why = "undefined" if key in figures else f"no such {next(missing)} in the run"
            yield (*key, format(least, form), UNDEFINED, why)
        elif value < least:
            yield (*key, *(format(number, form) for number in (least, value, value - least)))


def _write_floors(path: Path, digests: Mapping[str, str], figures: Mapping[Key, float | None], *, force: bool) -> None:
    """Write the figures of a run as floors, rounded down, and say how many."""
    if path.exists() and not force:
        raise EvaluationError(f"{path} is there already; --force writes over it")
    content: dict[str, Any] = {}
    floors = {key: value for key, value in figures.items() if value is not None}
    if not floors:
        raise EvaluationError("the run has no figures")
    for (dataset, extractor, measure, figure), value in floors.items():
        data_set = content.setdefault(dataset, {"digest": digests[dataset], "floors": {}})
        # A share is never rounded up, and a number of documents not at all.
        least = value if isinstance(value, int) else float(Decimal(value).quantize(_QUANTUM, ROUND_FLOOR))
        data_set["floors"].setdefault(extractor, {}).setdefault(measure, {})[figure] = least
    with explaining(path, "written"):
        write_json(path, content)
    print(f"{len(floors)} floors written: {path}")
