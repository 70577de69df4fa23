"""The command ``gate``: whether the figures of a run have fallen below floors that were set before.

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

from scrapy_justext.evaluation.scoring import SUMMARY_FILE
from scrapy_justext.evaluation.store import read_run
from scrapy_justext.evaluation.tables import UNDEFINED, format_columns
from scrapy_justext.exceptions import GateError
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

#: Shares, from 0 to 1, and numbers of documents.
SHARES = ("precision", "recall", "f1")
COUNTS = ("documents", "ok")
FIGURES = (*SHARES, *COUNTS)

_BOUNDARY_CASES = ("failed", "relevant_empty", "retrieved_empty", "both_empty", "mismatch")

#: Floors are written with so many decimals.
_QUANTUM = Decimal("0.0001")
#: Digits of a digest that tell data sets apart, and that are shown.
_DIGITS = 16


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


Rows = list[dict[str, Any]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("out", type=Path, metavar="DIR", help="folder of results of the command run")
    parser.add_argument("--floors", required=True, type=Path, metavar="FILE", help="file of floors, JSON")
    parser.add_argument("--write", action="store_true", help="write the figures of the run as floors, rounded down")
    parser.add_argument("--force", action="store_true", help="with --write: also over a file that is there")


def execute(arguments: argparse.Namespace) -> int:
    """Compare, or write; raises :class:`JustextError` for what cannot be done as it was asked for."""
    digests, rows = read_figures(arguments.out)
    if arguments.write:
        written = write_floors(arguments.floors, digests, rows, force=arguments.force)
        print(f"{written} floors written: {arguments.floors}")
        return 0
    floors = read_floors(arguments.floors)
    check_digests(floors, digests, arguments.floors)
    fallen = find_fallen(floors.floors, rows)
    if fallen:
        print(_table(fallen))
        print(f"{len(fallen)} of {len(floors.floors)} floors do not hold", file=sys.stderr)
        return 1
    print(f"all {len(floors.floors)} floors hold")
    return 0


def read_figures(out: Path) -> tuple[dict[str, str], Rows]:
    """The digests of a run's data sets, and the rows of its summary.  Raises :class:`GateError`."""
    run = read_run(out)
    if run is None:
        raise GateError(f"{out} holds no run")
    path = out / SUMMARY_FILE
    rows = _read_json(path, "the run has not come to its end")
    if not isinstance(rows, list):
        raise GateError(f"{path} is not a summary")
    return {one.name: one.digest for one in run.data_sets}, rows


def read_floors(path: Path) -> Floors:
    """What a file of floors holds.  Raises :class:`GateError` where it is not one, and where it has no floor."""
    data_sets = _object(_read_json(path, "--write makes it from a run"), path, "")
    digests: dict[str, str] = {}
    floors: list[Floor] = []
    for dataset, entry in data_sets.items():
        fields = _object(entry, path, dataset)
        digest = fields.get("digest")
        if set(fields) != {"digest", "floors"} or not isinstance(digest, str) or len(digest) < _DIGITS:
            raise GateError(f"{path}: {dataset}: must have floors and a digest of {_DIGITS} digits or more")
        digests[dataset] = digest
        floors += _floors_of(dataset, fields["floors"], path)
    if not floors:
        raise GateError(f"{path}: no floor in it, so that nothing could fall")
    return Floors(digests, floors)


def _floors_of(dataset: str, extractors: object, path: Path) -> Iterator[Floor]:
    for extractor, measures in _object(extractors, path, dataset).items():
        for measure, figures in _object(measures, path, f"{dataset}, {extractor}").items():
            where = f"{dataset}, {extractor}, {measure}"
            for figure, least in _object(figures, path, where).items():
                yield Floor(dataset, extractor, measure, figure, _checked(figure, least, f"{path}: {where}"))


def _checked(figure: str, least: object, where: str) -> float:
    """A floor that can be compared and can fall."""
    if figure not in FIGURES:
        raise GateError(f"{where}: unknown figure {figure!r}; known are {', '.join(FIGURES)}")
    greatest = 1 if figure in SHARES else math.inf
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= greatest:
        raise GateError(f"{where}: {figure} = {least!r}: must be a number of 0 or more, of a share at most 1")
    return least


def _object(value: object, path: Path, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GateError(f"{path}: {where or 'the file'}: must be an object, not {json.dumps(value)[:40]}")
    return value


def _read_json(path: Path, hint: str) -> object:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise GateError(f"{path} is missing; {hint}") from error
    except OSError as error:
        raise GateError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise GateError(f"{path} is not JSON: {error}") from error


def check_digests(floors: Floors, digests: Mapping[str, str], path: Path) -> None:
    """Raises :class:`GateError` where floors are those of other documents than the run's."""
    for dataset, expected in floors.digests.items():
        found = digests.get(dataset)
        if found is not None and not found.startswith(expected):
            raise GateError(
                f"the data set {dataset} is not the one of {path}: digest {expected[:_DIGITS]} expected,"
                f" {found[:_DIGITS]} found"
            )


def find_fallen(floors: Sequence[Floor], rows: Rows) -> list[Fallen]:
    """The floors that do not hold, in their order."""
    by_key = {(row["dataset"], row["extractor"], row["measure"]): row for row in rows}
    datasets, extractors = {key[0] for key in by_key}, {key[:2] for key in by_key}
    fallen: list[Fallen] = []
    for floor in floors:
        row = by_key.get(floor[:3])
        found = None if row is None else _figure(row, floor.figure)
        if floor.dataset not in datasets:
            fallen.append(Fallen(floor, None, "no such data set in the run"))
        elif floor[:2] not in extractors:
            fallen.append(Fallen(floor, None, "no such extractor in the run"))
        elif row is None:
            fallen.append(Fallen(floor, None, "no such measure in the run"))
        elif found is None:
            fallen.append(Fallen(floor, None, "undefined"))
        elif found < floor.least:
            fallen.append(Fallen(floor, found, f"{_show(floor.figure, found - floor.least)}"))
    return fallen


def _figure(row: Mapping[str, Any], figure: str) -> float | None:
    if figure == "ok":
        number: int = row["documents"] - sum(row[case] for case in _BOUNDARY_CASES)
        return number
    value: float | None = row[figure]
    return value


def write_floors(path: Path, digests: Mapping[str, str], rows: Rows, *, force: bool = False) -> int:
    """Write the figures of a run as floors, rounded down, and return how many; raises :class:`GateError`."""
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
    """A float to four decimals, never above it; numbers of documents as they are."""
    return value if isinstance(value, int) else float(Decimal(value).quantize(_QUANTUM, ROUND_FLOOR))


def _table(fallen: Sequence[Fallen]) -> str:
    lines = [("data set", "extractor", "measure", "figure", "floor", "found", "")]
    for floor, found, why in fallen:
        shown = UNDEFINED if found is None else _show(floor.figure, found)
        lines.append((*floor[:4], _show(floor.figure, floor.least), shown, why))
    return format_columns(lines, right=(4, 5))


def _show(figure: str, value: float) -> str:
    return f"{value:.4f}" if figure in SHARES else f"{value:g}"
