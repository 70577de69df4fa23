"""Extractions as rows: JSON with the fields of a crawl's items, Arrow with one schema for Parquet and Spark.

The schema is the same whatever is asked for: what a row leaves out is null.
"""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import accumulate
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
        ("confidence", pa.float64()),
        ("page_type", pa.string()),
        ("page_type_probability", pa.float64()),
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


# Rows of any fields.

#: The column of what has no column of its own.
OTHER_FIELDS = "other_fields"


def type_of_part(part: str) -> pa.DataType:
    """Return the type of the column that holds a part of extractions in a crawl.

    >>> type_of_part("title")
    DataType(string)
    """
    return _PARTS_OF_CRAWLS.get(part) or SCHEMA.field(part).type


#: What only the items of a crawl hold, or hold more of.
_PARTS_OF_CRAWLS: Mapping[str, pa.DataType] = {
    "blocks": pa.list_(pa.struct([*BLOCK, ("page_url", pa.string()), ("is_duplicate", pa.bool_())])),
    "fetched": pa.string(),
    "is_duplicate": pa.bool_(),
    "duplicate_of": pa.string(),
    "pages": pa.list_(pa.struct([("url", pa.string()), ("blocks", pa.int32()), ("error", pa.string())])),
}


class DictTable:
    """Writes rows with any fields to a file of Parquet, whose columns are fixed by the first rows.

    A field without a column, and a value that does not fit into its column, go as JSON into the column
    :data:`OTHER_FIELDS`, so that no value is lost or changed.

    ``names``: the columns, in their order; none for the fields of the ``first`` rows, then those of ``types``.
    ``types``: those of some columns.  Of others the type is that of the first rows' values; where they have none, text.
    """

    def __init__(
        self, out: BinaryIO, names: Sequence[str], types: Mapping[str, pa.DataType], first: Sequence[Mapping[str, Any]]
    ) -> None:
        found = dict.fromkeys(names or [*(name for row in first for name in row), *types])
        found.pop(OTHER_FIELDS, None)
        columns = [(name, types.get(name) or _common_type([row.get(name) for row in first])) for name in found]
        self._groups = ParquetGroups(out, pa.schema([*columns, (OTHER_FIELDS, pa.string())]))

    def write(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Write rows of plain values; return the fields of those values that have no column."""
        schema = self._groups.schema
        columns = schema.names[:-1]
        others = [{name: value for name, value in row.items() if name not in columns} for row in rows]
        arrays = [_column([row.get(name) for row in rows], schema.field(name), others) for name in columns]
        texts = [json.dumps(other, default=str, ensure_ascii=False) if other else None for other in others]
        arrays.append(pa.array(texts, pa.string()))
        self._groups.write(pa.RecordBatch.from_arrays(arrays, schema=schema))
        return [name for other in others for name in other]

    def close(self) -> None:
        """Write the end of the file."""
        self._groups.close()


def _column(values: list[Any], field: pa.Field, others: Sequence[dict[str, Any]]) -> pa.Array:
    """Return the values of a column; those that do not fit are put into ``others`` under its name."""
    if not _fit(values, field.type):
        for i, value in enumerate(values):
            if not _fit([value], field.type):
                others[i][field.name], values[i] = value, None
    return _array(values, field.type)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values that fit: lists of dicts field by field, which takes a fraction of the time."""
    if not pa.types.is_list(kind) or not pa.types.is_struct(kind.value_type) or not kind.value_type.num_fields:
        return pa.array(values, kind)
    ends = list(accumulate((len(value or ()) for value in values), initial=0))
    starts = [None if value is None else start for value, start in zip(values, ends, strict=False)]
    dicts = [inner for value in values if value is not None for inner in value]
    if None in dicts:
        return pa.array(values, kind)
    arrays = [pa.array([inner.get(field.name) for inner in dicts], field.type) for field in kind.value_type]
    structs = pa.StructArray.from_arrays(arrays, fields=list(kind.value_type))
    return pa.ListArray.from_arrays(pa.array([*starts, ends[-1]], pa.int32()), structs, type=kind)


def _common_type(values: Sequence[Any]) -> pa.DataType:
    """Return the type of most values, or of the first of them that has one.

    >>> _common_type([1, None, 2.5]), _common_type([None]), _common_type([2, "two"]), _common_type([{"a": []}])
    (DataType(double), DataType(string), DataType(int64), StructType(struct<a: list<item: string>>))
    """
    found = _infer(values) or next((kind for value in values if value is not None and (kind := _infer([value]))), None)
    return pa.string() if found is None else _without_nulls(found)


def _infer(values: Sequence[Any]) -> pa.DataType | None:
    try:
        return pa.infer_type(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def _without_nulls(kind: pa.DataType) -> pa.DataType:
    """Return a type with text in place of what has no value yet; dicts without keys as well."""
    if pa.types.is_list(kind):
        return pa.list_(_without_nulls(kind.value_type))
    if pa.types.is_struct(kind) and kind.num_fields:
        return pa.struct([(field.name, _without_nulls(field.type)) for field in kind])
    return pa.string() if pa.types.is_null(kind) or pa.types.is_struct(kind) else kind


def _fit(values: Sequence[Any], kind: pa.DataType) -> bool:
    """Return whether a column of a type holds plain values as they are.

    >>> [_fit([value], pa.float64()) for value in (1, 1.5, True, "1", None, 2**60)]
    [True, True, False, False, True, False]
    """
    values = [value for value in values if value is not None]
    found = set(map(type, values))
    if pa.types.is_list(kind):
        is_list = all(issubclass(one, list) for one in found)
        return is_list and _fit([inner for value in values for inner in value], kind.value_type)
    if pa.types.is_struct(kind):
        fields = {field.name: field.type for field in kind}
        return (
            found <= {dict}
            and all(value.keys() <= fields.keys() for value in values)
            and all(_fit([value.get(name) for value in values], inner) for name, inner in fields.items())
        )
    if pa.types.is_string(kind):
        return all(issubclass(one, str) for one in found)
    if pa.types.is_floating(kind) and found <= {float, int}:
        return all(abs(value) <= _EXACT for value in values if type(value) is int)
    if pa.types.is_signed_integer(kind) and found <= {int}:
        return not values or -(1 << kind.bit_width - 1) <= min(values) <= max(values) < 1 << kind.bit_width - 1
    return (pa.types.is_boolean(kind) and found <= {bool}) or all(_comes_back(value, kind) for value in values)


#: The largest number that floating point holds with all its neighbours.
_EXACT = 2**53


def _comes_back(value: Any, kind: pa.DataType) -> bool:
    try:
        back = pa.scalar(value, kind).as_py()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return False
    return type(back) is type(value) and bool(back == value)


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
