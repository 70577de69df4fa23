"""The texts behind the figures: the gold standard out of the data set, what was retrieved out of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets import open_data_set
from scrapy_justext.evaluation.store import open_results
from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.documents import DataSet, Document
    from scrapy_justext.evaluation.store import DataSetRecord, Run


class TextsMissingError(JustextError):
    """Texts that are no longer there, or no longer those that were measured; the message says why."""


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
