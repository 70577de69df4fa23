"""The figures that a run has left on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.scoring import (
    DOCUMENTS_FILE,
    PAGE_TYPES_FILE,
    SUMMARY_FILE,
    DocumentScores,
    Row,
    read_scores,
)
from scrapy_justext.evaluation.store import open_results, read_run
from scrapy_justext.exceptions import JustextError, StoreError, TextsMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
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


# The texts behind the figures: the gold standard out of the data set, what was retrieved out of the run.


class TextReader:
    """Reads texts of a run; a data set is opened when a text of it is asked for, once."""

    def __init__(self, out: Path, run: Run | None) -> None:
        self._out = out
        self._records = {record.name: record for record in run.data_sets} if run else {}
        self._opened: dict[str, DataSet | TextsMissingError] = {}

    def document(self, data_set: str, document_id: str) -> Document:
        """A document as it was measured.  Raises :class:`TextsMissingError`."""
        if data_set not in self._opened:
            self._opened[data_set] = self._open(data_set)
        opened = self._opened[data_set]
        if isinstance(opened, TextsMissingError):
            raise opened
        return opened.load(document_id)

    def retrieved(self, data_set: str, extractor: str, document_id: str) -> str | None:
        """The text that an extractor gave; None when it gave none."""
        try:
            return open_results(self._out, data_set, extractor).read_text(document_id)
        except (OSError, UnicodeDecodeError):
            return None

    def _open(self, name: str) -> DataSet | TextsMissingError:
        record = self._records.get(name)
        if record is None:
            return TextsMissingError("the run has no record of where the data set is")
        try:
            data_set = open_data_set(f"{record.kind}:{record.path}")
        except (JustextError, OSError) as error:
            return TextsMissingError(f"the data set can no longer be read: {error}")
        return data_set if data_set.digest == record.digest else _changed(record)


def _changed(record: DataSetRecord) -> TextsMissingError:
    return TextsMissingError(f"the data set in {record.path} has changed since the run")
