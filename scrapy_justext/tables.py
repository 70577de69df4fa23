"""Extractions as rows: JSON with the fields of a crawl's items, Arrow with one schema for Parquet and Spark.

The schema is the same whatever is asked for: what a row leaves out is null.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.core.chunks import TextChunk
from scrapy_justext.core.extraction import Block, part_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from scrapy_justext.core.extraction import Extraction

#: The types of fields of blocks and chunks, by their annotations.
_TYPES = {
    "BlockClass": pa.string(),
    "bool": pa.bool_(),
    "float": pa.float64(),
    "int": pa.int32(),
    "str": pa.string(),
    "tuple[str, ...]": pa.list_(pa.string()),
    "tuple[int, ...]": pa.list_(pa.int32()),
}


def _struct_of(kind: type[Block | TextChunk]) -> pa.StructType:
    return pa.struct([(field.name, _TYPES[str(field.type).removesuffix(" | None")]) for field in fields(kind)])


BLOCK = _struct_of(Block)
SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("text", pa.string()),
        ("language", pa.string()),
        ("title", pa.string()),
        ("language_source", pa.string()),
        ("profile", pa.string()),
        ("markdown", pa.string()),
        ("paragraphs", pa.list_(pa.string())),
        ("chunks", pa.list_(_struct_of(TextChunk))),
        ("blocks", pa.list_(BLOCK)),
    ]
)

#: What a column of text may be; one of nulls says nothing of its type.
_TEXT_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
)


class ExtractionRow(NamedTuple):
    """An extraction, where its page comes from, and what is asked for of it."""

    url: str | None
    file: str | None
    offset: int | None
    extraction: Extraction
    fields: Mapping[str, str | None]
    """The name in JSON of each part of the extraction; None where the part is left out."""
    blocks: str
    """Which blocks: ``good`` or ``all``."""
    block_fields: Sequence[str]
    chunk_characters: int


def to_json(row: ExtractionRow) -> dict[str, Any]:
    """Return a row as plain JSON values: where the page comes from, and the fields that an item of a crawl gets."""
    parts = {
        field: part_of(row.extraction, part, row.blocks, row.block_fields, row.chunk_characters)
        for part, field in row.fields.items()
        if field is not None
    }
    return {"url": row.url, "file": row.file, "offset": row.offset, **parts}


def to_batch(rows: Sequence[ExtractionRow]) -> pa.RecordBatch:
    """Return rows as columns of :data:`SCHEMA`."""
    arrays = [
        _blocks_array(rows) if name == "blocks" else pa.array([_value(row, name) for row in rows], kind)
        for name, kind in zip(SCHEMA.names, SCHEMA.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _value(row: ExtractionRow, name: str) -> Any:
    if name in ("url", "file", "offset"):
        return getattr(row, name)
    return None if row.fields[name] is None else part_of(row.extraction, name, chunk_characters=row.chunk_characters)


def _blocks_array(rows: Sequence[ExtractionRow]) -> pa.Array:
    """Return the blocks of rows, filled field by field: an object for each block would take longer than extraction."""
    offsets: list[int | None] = []
    listed: list[Block] = []
    asked_for: list[frozenset[str]] = []
    for row in rows:
        if row.fields["blocks"] is None:
            offsets.append(None)
            continue
        offsets.append(len(listed))
        blocks = row.extraction.choose_blocks(row.blocks)
        listed += blocks
        asked_for += [frozenset(row.block_fields)] * len(blocks)
    offsets.append(len(listed))
    values = [_field_array(listed, asked_for, field) for field in BLOCK]
    structs = pa.StructArray.from_arrays(values, fields=list(BLOCK))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)


def _field_array(blocks: Sequence[Block], asked_for: Sequence[frozenset[str]], field: pa.Field) -> pa.Array:
    """Return one field of all blocks, null where it is not asked for, which sites may differ in."""
    name = field.name
    values = [getattr(block, name) if name in names else None for block, names in zip(blocks, asked_for, strict=True)]
    return pa.array(values, field.type)


#: Bytes of rows in memory, about, that become one row group of Parquet.
_GROUP_BYTES = 64 << 20


class ParquetGroups:
    """Writes batches of rows to a file of Parquet: row group by row group, of which one is in memory.

    ``out``: a path, or a file that is left open.
    """

    def __init__(self, out: Path | BinaryIO, schema: pa.Schema) -> None:
        self.schema = schema
        self._writer = pq.ParquetWriter(out, schema, compression="zstd")
        self._group: list[pa.RecordBatch] = []
        self._size = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows behind the last."""
        self._group.append(batch)
        self._size += batch.nbytes
        if self._size >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last rows and the end of the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        table = pa.Table.from_batches(self._group, self.schema)
        self._group, self._size = [], 0
        if table.num_rows:
            self._writer.write_table(table, row_group_size=table.num_rows)


def column_problem(schema: pa.Schema, name: str) -> str | None:
    """Return why a column cannot hold pages, as text or as bytes; None where it can.

    >>> column_problem(pa.schema({"html": pa.int64()}), "html")
    "its column 'html' is of the type int64, neither text nor binary"
    >>> column_problem(pa.schema({"html": pa.dictionary(pa.int32(), pa.large_string())}), "html")
    """
    if name not in schema.names:
        return f"has no column {name!r}"
    if schema.names.count(name) > 1:
        return f"has {schema.names.count(name)} columns {name!r}"
    kind = schema.field(name).type
    values = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    values = values.value_type if pa.types.is_dictionary(values) else values
    if any(is_type(values) for is_type in _TEXT_TYPES):
        return None
    return f"its column {name!r} is of the type {kind}, neither text nor binary"


def cell_value(cell: pa.Scalar) -> Any:
    r"""Return what a cell holds: of a text that is not UTF-8, though its column says so, the bytes.

    >>> cell_value(pa.scalar("Café")), cell_value(pa.array([b"Caf\xe9"]).view(pa.string())[0])
    ('Café', b'Caf\xe9')
    """
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        text = cell
        while not hasattr(text, "as_buffer"):
            text = text.value
        return text.as_buffer().to_pybytes()
