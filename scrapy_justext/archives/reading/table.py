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

#: What a column of text may be; one of nulls says nothing of its type.
_TEXTS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
)
#: Rows decoded at a time: few, since pages are large.
_ROWS = 32


def check_table(path: Path, columns: Columns) -> None:
    """Raise :class:`ArchiveError` where a file is no Parquet, or lacks a column of text that was asked for."""
    try:
        schema = pq.read_schema(path)
    except pa.ArrowInvalid as error:
        raise ArchiveError(path, "is no Parquet file, or a damaged one") from error
    # Only pages must be there, unless another column was asked for by its name.
    wanted = {
        field: name
        for field, name, usual in zip(Columns._fields, columns, Columns(), strict=True)
        if field == "html" or name != usual
    }
    for option, name in wanted.items():
        problem = column_problem(schema, name)
        if problem is not None:
            known = f"--{option.replace('_', '-')}-column names another of its own: {', '.join(schema.names)}"
            raise ArchiveError(path, f"{problem}; {known}")


def column_problem(schema: pa.Schema, name: str) -> str | None:
    """Why a column cannot hold text, or its bytes; None where it can.

    >>> column_problem(pa.schema({"html": pa.int64()}), "html")
    "its column 'html' is of the type int64, neither text nor binary"
    >>> column_problem(pa.schema({"html": pa.dictionary(pa.int32(), pa.large_string())}), "html")
    """
    if name not in schema.names:
        return f"has no column {name!r}"
    kind = schema.types[schema.names.index(name)]
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    if any(is_one(values) for is_one in _TEXTS):
        return None
    return f"its column {name!r} is of the type {kind}, neither text nor binary"


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
