"""The figures that a run has left on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.scoring import (
    DOCUMENTS_FILE,
    PAGE_TYPES_FILE,
    SUMMARY_FILE,
    DocumentScores,
    Row,
    read_scores,
)
from scrapy_justext.evaluation.store import StoreError, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.store import DataSetRecord, Run

#: Data set, extractor, measure.
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Records:
    """All that was measured, in the order of the run."""

    run: Run | None
    """What was run; None when its record is gone."""
    rows: tuple[Row, ...]
    page_types: tuple[tuple[str, Row], ...]
    """Rows for the pages of one type."""
    scores: Mapping[Key, tuple[DocumentScores, ...]]

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(row.dataset for row in self.rows))

    @property
    def extractors(self) -> tuple[str, ...]:
        """Names of the extractors."""
        return tuple(dict.fromkeys(row.extractor for row in self.rows))

    def record(self, data_set: str) -> DataSetRecord | None:
        """How a data set was when it was run; None when that is not known."""
        return next((one for one in self.run.data_sets if one.name == data_set), None) if self.run else None


def read_records(out: Path) -> Records:
    """What was measured of a run; raises :class:`StoreError` where there is none, or none that can be read."""
    if not out.is_dir():
        raise StoreError(f"{out} is not a folder")
    for name in (SUMMARY_FILE, DOCUMENTS_FILE):
        if not (out / name).is_file():
            raise StoreError(f"{out} holds no {name}: it is written at the end of a run")
    rows = tuple(_to_row(out, row) for row in _read_list(out / SUMMARY_FILE))
    if not rows:
        raise StoreError(f"{out / SUMMARY_FILE} holds no row: nothing was measured")
    types = _read_list(out / PAGE_TYPES_FILE) if (out / PAGE_TYPES_FILE).is_file() else []
    return Records(
        run=read_run(out),
        rows=rows,
        page_types=tuple((str(row.get("page_type")), _to_row(out, row)) for row in types),
        scores=_read_scores(out),
    )


def _read_list(path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{path} is not JSON: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise StoreError(f"{path} is not a list of rows")
    return rows


def _to_row(out: Path, values: dict[str, Any]) -> Row:
    try:
        row = Row(**{field.name: values[field.name] for field in fields(Row)})
    except KeyError as error:
        raise StoreError(f"{out / SUMMARY_FILE} has a row without {error}") from error
    if row.measure not in MEASURES:
        raise StoreError(f"{out / SUMMARY_FILE} has a row of an unknown measure, {row.measure!r}")
    return row


def _read_scores(out: Path) -> dict[Key, tuple[DocumentScores, ...]]:
    try:
        scores = read_scores(out)
    except OSError as error:
        raise StoreError(f"{out / DOCUMENTS_FILE} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{out / DOCUMENTS_FILE} does not hold the scores of a run: {error}") from error

    def key(one: DocumentScores) -> Key:
        return one.dataset, one.extractor, one.measure

    return {group: tuple(ones) for group, ones in groupby(sorted(scores, key=key), key=key)}
