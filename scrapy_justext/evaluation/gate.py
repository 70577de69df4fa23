"""The command ``gate``: whether what a run measured has fallen below floors that were set before.

A file of floors is JSON, by data set, extractor, measure and figure::

    {"wcxb-dev": {
        "digest": "…",
        "floors": {"justext": {"bag": {"precision": 0.71, "recall": 0.84, "f1": 0.72, "documents": 1497, "ok": 1480}}}
    }}

``digest`` is that of the data set's documents: floors say nothing about other ones.  ``documents`` and ``ok`` are
numbers of documents, all of them and those that are neither failed nor a boundary case: means may rise because hard
pages fail, or because a run was limited to a few.

Exit status 0 when all floors hold; 1 when a figure is below its floor, undefined, or not in the run; 2 when floors and
run cannot be compared.
"""

from __future__ import annotations

import json
import math
import sys
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.command_line import UNDEFINED, format_columns
from scrapy_justext.evaluation.measures import BOUNDARY_CASES
from scrapy_justext.evaluation.scoring import FAILED, SUMMARY_FILE
from scrapy_justext.evaluation.store import read_run
from scrapy_justext.exceptions import GateError
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

#: Shares, from 0 to 1, and numbers of documents.
SHARES = ("precision", "recall", "f1")
COUNTS = ("documents", "ok")
FIGURES = (*SHARES, *COUNTS)

#: Floors are written with so many decimals.
_QUANTUM = Decimal("0.0001")
#: Digits of a digest that tell data sets apart, and that are shown.
_DIGITS = 16

Rows = list[dict[str, Any]]


class Floor(NamedTuple):
    """The least that a figure may be."""

    dataset: str
    extractor: str
    measure: str
    figure: str
    least: float


class Floors(NamedTuple):
    """What a file of floors holds; ``digests``: those of its data sets."""

    digests: Mapping[str, str]
    floors: Sequence[Floor]


class Fallen(NamedTuple):
    """A floor that does not hold; ``found``: None where the run has no such figure, as ``why`` says."""

    floor: Floor
    found: float | None
    why: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("out", type=Path, metavar="DIR", help="folder of results of the command run")
    parser.add_argument("--floors", required=True, type=Path, metavar="FILE", help="file of floors, JSON")
    parser.add_argument("--write", action="store_true", help="write the figures of the run as floors, rounded down")
    parser.add_argument("--force", action="store_true", help="with --write: also over a file that is there")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, or write; raise :class:`JustextError` for what cannot be done as it was asked for."""
    digests, rows = _read_summary(arguments.out)
    if arguments.write:
        written = _write_floors(arguments.floors, digests, rows, force=arguments.force)
        print(f"{written} floors written: {arguments.floors}")
        return 0
    floors = _read_floors(arguments.floors)
    _check_digests(floors, digests, arguments.floors)
    fallen = list(_find_fallen(floors.floors, rows))
    if fallen:
        print(_table(fallen))
        print(f"{len(fallen)} of {len(floors.floors)} floors do not hold", file=sys.stderr)
        return 1
    print(f"all {len(floors.floors)} floors hold")
    return 0


def _read_summary(out: Path) -> tuple[dict[str, str], Rows]:
    """Return the digests of a run's data sets, and the rows of its summary."""
    run = read_run(out)
    if run is None:
        raise GateError(f"{out} holds no run")
    path = out / SUMMARY_FILE
    rows = _read_json(path, "the run has not come to its end")
    if not isinstance(rows, list):
        raise GateError(f"{path} is not a summary")
    return {data_set.name: data_set.digest for data_set in run.data_sets}, rows


def _read_floors(path: Path) -> Floors:
    """Return what a file of floors holds; raise :class:`GateError` where it is not one, or has no floor."""
    digests: dict[str, str] = {}
    floors: list[Floor] = []
    for dataset, entry in _items(_read_json(path, "--write makes it from a run"), path, "the file"):
        fields = dict(_items(entry, path, dataset))
        digest = fields.get("digest")
        if set(fields) != {"digest", "floors"} or not isinstance(digest, str) or len(digest) < _DIGITS:
            raise GateError(f"{path}: {dataset}: must have floors and a digest of {_DIGITS} digits or more")
        digests[dataset] = digest
        for extractor, measures in _items(fields["floors"], path, dataset):
            for measure, figures in _items(measures, path, f"{dataset}, {extractor}"):
                where = f"{dataset}, {extractor}, {measure}"
                for figure, least in _items(figures, path, where):
                    _check_floor(figure, least, f"{path}: {where}")
                    floors.append(Floor(dataset, extractor, measure, figure, least))
    if not floors:
        raise GateError(f"{path}: no floor in it, so that nothing could fall")
    return Floors(digests, floors)


def _read_json(path: Path, hint: str) -> object:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise GateError(f"{path} is missing; {hint}") from error
    except OSError as error:
        raise GateError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise GateError(f"{path} is not JSON: {error}") from error


def _items(value: object, path: Path, where: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise GateError(f"{path}: {where}: must be an object, not {json.dumps(value)[:40]}")
    yield from value.items()


def _check_floor(figure: str, least: object, where: str) -> None:
    """Raise :class:`GateError` for a floor that cannot be compared, or that cannot fall."""
    if figure not in FIGURES:
        raise GateError(f"{where}: unknown figure {figure!r}; known are {', '.join(FIGURES)}")
    greatest = 1 if figure in SHARES else math.inf
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= greatest:
        raise GateError(f"{where}: {figure} = {least!r}: must be a number of 0 or more, of a share at most 1")


def _check_digests(floors: Floors, digests: Mapping[str, str], path: Path) -> None:
    """Raise :class:`GateError` where floors are those of other documents than the run's."""
    for dataset, expected in floors.digests.items():
        found = digests.get(dataset)
        if found is not None and not found.startswith(expected):
            raise GateError(
                f"the data set {dataset} is not the one of {path}: digest {expected[:_DIGITS]} expected,"
                f" {found[:_DIGITS]} found"
            )


def _find_fallen(floors: Sequence[Floor], rows: Rows) -> Iterator[Fallen]:
    """Yield the floors that do not hold, in their order."""
    by_key = {(row["dataset"], row["extractor"], row["measure"]): row for row in rows}
    for floor in floors:
        # The first part of the key that the run does not have.
        for length, part in enumerate(("data set", "extractor", "measure"), 1):
            if not any(key[:length] == floor[:length] for key in by_key):
                yield Fallen(floor, None, f"no such {part} in the run")
                break
        else:
            found = _figure(by_key[floor[:3]], floor.figure)
            if found is None:
                yield Fallen(floor, None, "undefined")
            elif found < floor.least:
                yield Fallen(floor, found, _show(floor.figure, found - floor.least))


def _figure(row: Mapping[str, Any], figure: str) -> float | None:
    others = sum(row[case] for case in (FAILED, *BOUNDARY_CASES))
    value: float | None = row["documents"] - others if figure == "ok" else row[figure]
    return value


def _write_floors(path: Path, digests: Mapping[str, str], rows: Rows, *, force: bool) -> int:
    """Write the figures of a run as floors, rounded down, and return how many."""
    if path.exists() and not force:
        raise GateError(f"{path} is there already; --force writes over it")
    content: dict[str, Any] = {}
    count = 0
    for row in rows:
        figures = {name: _rounded_down(value) for name in FIGURES if (value := _figure(row, name)) is not None}
        data_set = content.setdefault(row["dataset"], {"digest": digests[row["dataset"]], "floors": {}})
        data_set["floors"].setdefault(row["extractor"], {})[row["measure"]] = figures
        count += len(figures)
    if not count:
        raise GateError("the run has no figures")
    try:
        write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise GateError(f"{path} cannot be written: {error.strerror}") from error
    return count


def _rounded_down(value: float) -> float:
    """Round a share to four decimals, never up; leave a number of documents as it is."""
    return value if isinstance(value, int) else float(Decimal(value).quantize(_QUANTUM, ROUND_FLOOR))


def _table(fallen: Sequence[Fallen]) -> str:
    lines = [("data set", "extractor", "measure", "figure", "floor", "found", "")]
    for floor, found, why in fallen:
        shown = UNDEFINED if found is None else _show(floor.figure, found)
        lines.append((*floor[:4], _show(floor.figure, floor.least), shown, why))
    return format_columns(lines, right=(4, 5))


def _show(figure: str, value: float) -> str:
    return f"{value:.4f}" if figure in SHARES else f"{value:g}"
