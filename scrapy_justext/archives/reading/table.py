"""Parquet with a column of pages, text or binary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.archives.errors import ArchiveError
from scrapy_justext.archives.records import Columns, Loaded, Place, Read, Record, Skipped, Where, cell_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Rows decoded at a time: few, since pages are large.
_ROWS = 32


def check_table(path: Path, columns: Columns) -> None:
    """Raise :class:`ArchiveError` where a file is no Parquet, or lacks a column that was asked for."""
    try:
        names = pq.read_schema(path).names
    except pa.ArrowInvalid as error:
        raise ArchiveError(path, "is no Parquet file, or a damaged one") from error
    # Only pages must be there, unless another column was asked for by its name.
    wanted = {
        field: name
        for field, name, usual in zip(Columns._fields, columns, Columns(), strict=True)
        if field == "html" or name != usual
    }
    for option, name in wanted.items():
        if name not in names:
            known = f"--{option.replace('_', '-')}-column names another of its own: {', '.join(names)}"
            raise ArchiveError(path, f"has no column {name!r}; {known}")


def read_table(path: Path, columns: Columns, place: Place) -> Iterator[Read]:
    """The rows of a file from a place on; a place is a number of rows."""
    with pq.ParquetFile(path) as table:
        bytes_a_row = path.stat().st_size / max(table.metadata.num_rows, 1)
        start = 0
        for group in range(table.num_row_groups):
            end = start + table.metadata.row_group(group).num_rows
            if end > place.offset:
                for record, behind in _rows(table, group, columns, (str(path), start, end)):
                    if behind > place.offset:
                        yield Read(record, Place(behind), int(behind * bytes_a_row))
            start = end


def _rows(
    table: pq.ParquetFile, group: int, columns: Columns, at: tuple[str, int, int]
) -> Iterator[tuple[Record, int]]:
    """The rows of a row group, each with the number of the next one.  ``at``: the file, the first and last number."""
    file, number, end = at
    names = [name for name in columns if name in table.schema_arrow.names]
    try:
        for batch in table.iter_batches(_ROWS, row_groups=[group], columns=names):
            values = [batch.column(name) if name in names else pa.nulls(len(batch)) for name in columns]
            for cells in zip(*values, strict=True):
                yield _record(Where(file, number), cells), number + 1
                number += 1
    except (pa.ArrowInvalid, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        # What is left of a damaged row group cannot be told apart.
        yield Skipped(Where(file, number), "corrupt"), end


def _record(where: Where, cells: tuple[Any, ...]) -> Record:
    document = cell_document(*(cell.as_py() for cell in cells))
    return Skipped(where, document) if isinstance(document, str) else Loaded(where, document)
