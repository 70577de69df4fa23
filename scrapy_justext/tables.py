"""Extractions as rows: JSON with the fields of a crawl's items, Arrow for Parquet and frames.

A row says where its page is, then has the fields that settings ask for, then the other columns of the page's record,
under their own names and with their own types.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.core.chunks import TextChunk
from scrapy_justext.core.extraction import Block, part_of
from scrapy_justext.core.parts import PARTS
from scrapy_justext.exceptions import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from scrapy_justext.core.extraction import Extraction

#: The types of parts of extractions, and of fields of blocks and chunks, by their annotations.
_TYPES = {
    "BlockClass": pa.string(),
    "bool": pa.bool_(),
    "float": pa.float64(),
    "int": pa.int32(),
    "str": pa.string(),
    "list[str]": pa.list_(pa.string()),
    "list[int]": pa.list_(pa.int64()),
    "tuple[str, ...]": pa.list_(pa.string()),
    "tuple[int, ...]": pa.list_(pa.int32()),
}


def _struct_of(kind: type[Block | TextChunk]) -> pa.StructType:
    return pa.struct([(field.name, _TYPES[str(field.type).removesuffix(" | None")]) for field in fields(kind)])


BLOCK = _struct_of(Block)
_TYPES |= {
    "list[Block]": pa.list_(BLOCK),
    "list[TextChunk]": pa.list_(_struct_of(TextChunk)),
    "list[LanguageShare]": pa.list_(pa.struct([("language", pa.string()), ("share", pa.float64())])),
    "list[JoinedPage]": pa.list_(pa.struct([("url", pa.string()), ("blocks", pa.int32()), ("error", pa.string())])),
}

#: Where a row's page is.
PLACE = pa.schema([("url", pa.string()), ("file", pa.string()), ("offset", pa.int64())])
#: What WARC files say of a page; null in rows of others, unless these have columns of such a name themselves.
OF_RECORDS = pa.schema(
    [("date", pa.string()), ("record_id", pa.string()), ("status", pa.int64()), ("content_type", pa.string())]
)

#: What a column of text may be; one of nulls says nothing of its type.
_TEXT_TYPES = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null),
    *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary),
)


class ArrowRow(NamedTuple):
    """A row of the columns that are carried through, in Arrow's types.  ``batch``: one row, perhaps a slice."""

    batch: pa.RecordBatch

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled by itself, a slice would take all that it was cut from along.
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.batch.schema) as writer:
            writer.write_batch(self.batch)
        return _read_row, (sink.getvalue().to_pybytes(),)


def _read_row(stream: bytes) -> ArrowRow:
    return ArrowRow(pa.ipc.open_stream(stream).read_next_batch())


def arrow_rows(batch: pa.RecordBatch, names: Sequence[str]) -> Iterator[Mapping[str, Any] | ArrowRow]:
    """Yield some columns of a batch row by row."""
    if not names:
        yield from repeat({}, batch.num_rows)
        return
    columns = [batch.column(name) for name in names]
    # Each row would hold the whole dictionary.
    plain = [column.dictionary_decode() if pa.types.is_dictionary(column.type) else column for column in columns]
    rows = pa.RecordBatch.from_arrays(plain, [*names])
    yield from (ArrowRow(rows.slice(i, 1)) for i in range(batch.num_rows))


class ExtractionRow(NamedTuple):
    """An extraction, where its page comes from, and what is asked for of it."""

    url: str | None
    file: str | None
    offset: int | None
    extraction: Extraction
    fields: Mapping[str, str]
    """The part of the extraction that each field holds."""
    blocks: str
    """Which blocks: ``good`` or ``all``."""
    block_fields: Sequence[str]
    chunk_characters: int
    others: Mapping[str, Any] | ArrowRow
    """The other columns of the page's record; as plain JSON values where they have no types."""

    def value(self, field: str) -> Any:
        """Return what a field holds, as plain JSON values; None where the row does not have it."""
        part = self.fields.get(field)
        if part is None:
            return None
        return part_of(self.extraction, part, self.blocks, self.block_fields, self.chunk_characters)


class RowSchema(NamedTuple):
    """The columns of rows.

    ``own``: the place and the fields; ``others``: those of the records, with :data:`OTHER_FIELDS` where these may have
    more than is known.
    """

    own: pa.Schema
    others: pa.Schema

    @property
    def whole(self) -> pa.Schema:
        """All columns."""
        return pa.schema([*self.own, *self.others])


def make_schema(choices: Iterable[Mapping[str, str]], others: pa.Schema) -> RowSchema:
    """Return the columns of rows; raise :class:`ArchiveError` where a field would hold values of two types.

    ``choices``: for each choice of settings, the part of extractions in each field; ``others``: the other columns of
    records.
    """
    own = {field.name: field.type for field in PLACE}
    for name, part in (item for choice in choices for item in choice.items()):
        kind = _TYPES[PARTS[part].type]
        if own.setdefault(name, kind) != kind:
            raise ArchiveError("JUSTEXT_FIELDS", f"{name!r} holds values of another type on another site")
    missing = [field for field in OF_RECORDS if field.name not in others.names]
    return RowSchema(pa.schema(list(own.items())), pa.schema([*missing, *others]))


def check_names(subject: object, names: Iterable[str], fields: Container[str], how: str = "") -> None:
    """Raise :class:`ArchiveError` where a column that is carried through has the name of one of ours.

    ``subject``: what has the columns; ``fields``: those that settings ask for; ``how``: which option leaves one out.
    """
    for name in names:
        if name in PLACE.names or name in fields:
            problem = f"its column {name!r} has the name of one that is written"
            rename = "" if name in PLACE.names else ", or rename ours by JUSTEXT_FIELDS"
            raise ArchiveError(subject, f"{problem}: leave it out{how}{rename}")


def to_json(row: ExtractionRow) -> dict[str, Any]:
    """Return a row as values for JSON: where the page comes from, the fields of an item of a crawl, the other columns.

    Those of Arrow may hold dates, bytes and other values that JSON does not have.
    """
    parts = {field: row.value(field) for field in row.fields}
    others = row.others
    if isinstance(others, ArrowRow):
        others = {name: cell_value(others.batch.column(name)[0]) for name in others.batch.schema.names}
    place = {"url": row.url, "file": row.file, "offset": row.offset}
    return {**place, **parts, **dict.fromkeys(OF_RECORDS.names), **others}


def to_batch(rows: Sequence[ExtractionRow], schema: RowSchema) -> pa.RecordBatch:
    """Return rows of one source as columns."""
    own = [_own_array(rows, field) for field in schema.own]
    return pa.RecordBatch.from_arrays([*own, *_other_arrays(rows, schema.others)], schema=schema.whole)


def _own_array(rows: Sequence[ExtractionRow], field: pa.Field) -> pa.Array:
    """Return what rows hold in a column; blocks are read field by field, without a dict for each."""
    if field.name in PLACE.names:
        return pa.array([getattr(row, field.name) for row in rows], field.type)
    if field.type != _TYPES["list[Block]"]:
        return _array([row.value(field.name) for row in rows], field.type)
    blocks = [_blocks(row) if field.name in row.fields else None for row in rows]
    lengths = [None if array is None else len(array) for array in blocks]
    there = [array for array in blocks if array is not None]
    return _lists(lengths, pa.concat_arrays(there) if there else pa.array([], BLOCK), field.type)


def _blocks(row: ExtractionRow) -> pa.StructArray:
    columns = row.extraction.block_columns({*row.block_fields, "index"}, row.blocks)
    count = len(columns["index"])
    arrays = [
        pa.array(columns[field.name], field.type) if field.name in row.block_fields else pa.nulls(count, field.type)
        for field in BLOCK
    ]
    return pa.StructArray.from_arrays(arrays, fields=list(BLOCK))


def _lists(lengths: Sequence[int | None], values: pa.Array, kind: pa.DataType) -> pa.ListArray:
    """Return lists of some lengths, None for a null, whose values follow one another."""
    ends = list(accumulate((length or 0 for length in lengths), initial=0))
    starts = [None if length is None else start for length, start in zip(lengths, ends, strict=False)]
    return pa.ListArray.from_arrays(pa.array([*starts, ends[-1]], pa.int32()), values, type=kind)


def _other_arrays(rows: Sequence[ExtractionRow], schema: pa.Schema) -> list[pa.Array]:
    batches = [row.others.batch for row in rows if isinstance(row.others, ArrowRow)]
    if not batches:
        return _dict_arrays([row.others for row in rows if not isinstance(row.others, ArrowRow)], schema)[0]
    table = pa.Table.from_batches(batches)
    return [
        _as_type(table.column(field.name).combine_chunks(), field.type)
        if field.name in table.column_names
        else pa.nulls(len(rows), field.type)
        for field in schema
    ]


def _as_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind:
        return array
    if not pa.types.is_dictionary(kind):
        return array.cast(kind)
    # Arrow casts nothing but text to a dictionary.
    encoded = array.cast(kind.value_type).dictionary_encode()
    indices = encoded.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=kind.ordered)


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
    return _BLOCKS_OF_CRAWLS if part == "blocks" else _TYPES[PARTS[part].type]


#: In a crawl, blocks may say more.
_BLOCKS_OF_CRAWLS = pa.list_(pa.struct([*BLOCK, ("page_url", pa.string()), ("is_duplicate", pa.bool_())]))


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
        known = dict.fromkeys(names or [*(name for row in first for name in row), *types])
        known.pop(OTHER_FIELDS, None)
        columns = [(name, types.get(name) or common_type([row.get(name) for row in first])) for name in known]
        self._groups = ParquetGroups(out, pa.schema([*columns, (OTHER_FIELDS, pa.string())]))

    def write(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Write rows of plain values; return the fields of those values that have no column."""
        schema = self._groups.schema
        arrays, others = _dict_arrays(rows, schema)
        self._groups.write(pa.RecordBatch.from_arrays(arrays, schema=schema))
        return [name for other in others for name in other]

    def close(self) -> None:
        """Write the end of the file."""
        self._groups.close()


def _dict_arrays(
    rows: Sequence[Mapping[str, Any]], schema: pa.Schema
) -> tuple[list[pa.Array], Sequence[Mapping[str, Any]]]:
    """Return the columns of rows of plain values, and what of each row is in the column :data:`OTHER_FIELDS`."""
    columns = [field for field in schema if field.name != OTHER_FIELDS]
    known = {field.name for field in columns}
    others = [{name: value for name, value in row.items() if name not in known} for row in rows]
    arrays = {field.name: _column([row.get(field.name) for row in rows], field, others) for field in columns}
    texts = [json.dumps(other, default=str, ensure_ascii=False) if other else None for other in others]
    arrays[OTHER_FIELDS] = pa.array(texts, pa.string())
    return [arrays[name] for name in schema.names], others


def _column(values: list[Any], field: pa.Field, others: Sequence[dict[str, Any]]) -> pa.Array:
    """Return the values of a column; those that do not fit are put into ``others`` under its name."""
    if not _fit(values, field.type):
        for i, value in enumerate(values):
            if not _fit([value], field.type):
                others[i][field.name], values[i] = value, None
    return _array(values, field.type)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values that fit as a column.

    Lists of dicts are read field by field, which takes a fraction of the time.
    """
    if not pa.types.is_list(kind) or not pa.types.is_struct(kind.value_type) or not kind.value_type.num_fields:
        return pa.array(values, kind)
    dicts = [inner for value in values if value is not None for inner in value]
    if None in dicts:
        return pa.array(values, kind)
    arrays = [pa.array([inner.get(field.name) for inner in dicts], field.type) for field in kind.value_type]
    structs = pa.StructArray.from_arrays(arrays, fields=list(kind.value_type))
    return _lists([None if value is None else len(value) for value in values], structs, kind)


def common_type(values: Sequence[Any]) -> pa.DataType:
    """Return the type of most values, or of the first of them that has one.

    >>> common_type([1, None, 2.5]), common_type([None]), common_type([2, "two"]), common_type([{"a": []}])
    (DataType(double), DataType(string), DataType(int64), StructType(struct<a: list<item: string>>))
    """
    for sample in (values, *([value] for value in values if value is not None)):
        with suppress(pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            # A struct without fields, which is false, tells nothing.
            if kind := pa.infer_type(sample):
                return _without_nulls(kind)
    return pa.string()


#: The most levels of lists and dicts in a column.  Arrow writes no more than 64.
_LEVELS = 20


def _without_nulls(kind: pa.DataType, levels: int = _LEVELS) -> pa.DataType:
    """Return a type with text for what has no type: nulls, dicts without keys, and what is nested below the levels."""
    if levels and pa.types.is_list(kind):
        return pa.list_(_without_nulls(kind.value_type, levels - 1))
    if levels and pa.types.is_struct(kind) and kind.num_fields:
        return pa.struct([(field.name, _without_nulls(field.type, levels - 1)) for field in kind])
    return pa.string() if pa.types.is_null(kind) or pa.types.is_nested(kind) else kind


def _fit(values: Sequence[Any], kind: pa.DataType) -> bool:
    """Return whether a column of a type holds plain values as they are.

    >>> [_fit([value], pa.float64()) for value in (1, 1.5, True, "1", None, 2**60)]
    [True, True, False, False, True, False]
    """
    values = [value for value in values if value is not None]
    types = set(map(type, values))
    if pa.types.is_list(kind):
        are_lists = all(issubclass(value_type, list) for value_type in types)
        return are_lists and _fit([inner for value in values for inner in value], kind.value_type)
    if pa.types.is_struct(kind):
        fields = {field.name: field.type for field in kind}
        return (
            types <= {dict}
            and all(value.keys() <= fields.keys() for value in values)
            and all(_fit([value.get(name) for value in values], inner) for name, inner in fields.items())
        )
    if pa.types.is_string(kind):
        return all(issubclass(value_type, str) for value_type in types)
    if pa.types.is_floating(kind) and types <= {float, int}:
        return all(abs(value) <= _EXACT for value in values if type(value) is int)
    if pa.types.is_signed_integer(kind) and types <= {int}:
        return not values or -(1 << kind.bit_width - 1) <= min(values) <= max(values) < 1 << kind.bit_width - 1
    return (pa.types.is_boolean(kind) and types <= {bool}) or all(_comes_back(value, kind) for value in values)


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


def rows_of(batch: pa.RecordBatch, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns row by row; None in columns that a batch lacks."""
    missing = pa.nulls(batch.num_rows)
    columns = [batch.column(name) if name in batch.schema.names else missing for name in names]
    for cells in zip(*columns, strict=True):
        yield tuple(map(cell_value, cells))


def cell_value(cell: pa.Scalar) -> Any:
    r"""Return what a cell holds: of a text that is not UTF-8, though its column says so, the bytes.

    A time that Python's types do not hold is text.

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
    except (ValueError, OverflowError):
        if pa.types.is_temporal(cell.type):
            return cell.cast(pa.string()).as_py()
        raise
