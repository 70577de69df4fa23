"""Rows in columns, for Parquet and Spark: the schema, and how rows come into it.

The schema is the same whatever the settings: what they leave out is null.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.core.blocks import Block
from scrapy_justext.crawl.pipelines import part_of
from scrapy_justext.crawl.settings import DEFAULT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from scrapy_justext.archives.work import Row

#: The types of a block's fields, by their annotations.
_TYPES = {
    "BlockClass": pa.string(),
    "bool": pa.bool_(),
    "float": pa.float64(),
    "int": pa.int32(),
    "str": pa.string(),
    "tuple[str, ...]": pa.list_(pa.string()),
}

BLOCK = pa.struct([(field.name, _TYPES[str(field.type).removesuffix(" | None")]) for field in fields(Block)])
SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        *((part, pa.string()) for part in DEFAULT_FIELDS if part not in ("paragraphs", "blocks")),
        ("paragraphs", pa.list_(pa.string())),
        ("blocks", pa.list_(BLOCK)),
    ]
)

#: Bytes, about, of rows in memory that are one row group.
_GROUP_BYTES = 64 << 20


def to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows in columns."""
    columns = {
        "url": [row.url for row in rows],
        "file": [row.where.file for row in rows],
        "offset": [row.where.offset for row in rows],
    }
    arrays = [
        _blocks(rows) if name == "blocks" else pa.array(columns.get(name) or _parts(rows, name), kind)
        for name, kind in zip(SCHEMA.names, SCHEMA.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _parts(rows: Sequence[Row], name: str) -> list[Any]:
    return [None if row.page.configuration.fields[name] is None else part_of(row.page, name) for row in rows]


def _blocks(rows: Sequence[Row]) -> pa.Array:
    """The blocks of rows, field by field, since objects made for each block would take longer than its extraction."""
    offsets: list[int | None] = []
    listed: list[Block] = []
    shown: list[frozenset[str]] = []
    for row in rows:
        configuration = row.page.configuration
        if configuration.fields["blocks"] is None:
            offsets.append(None)
            continue
        offsets.append(len(listed))
        blocks = [b for b in row.page.extraction.blocks if b.is_good or configuration.blocks == "all"]
        listed += blocks
        shown += [frozenset(configuration.block_fields)] * len(blocks)
    offsets.append(len(listed))
    common = set(shown)
    values = [_field(listed, shown if len(common) > 1 else None, common, field) for field in BLOCK]
    structs = pa.StructArray.from_arrays(values, fields=list(BLOCK))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)


def _field(
    blocks: Sequence[Block], shown: Sequence[frozenset[str]] | None, kinds: set[frozenset[str]], field: pa.Field
) -> pa.Array:
    """A field of all blocks.  ``shown``: the fields to be shown of each where they differ, as sites may have it."""
    name = field.name
    if not any(name in kind for kind in kinds):
        return pa.nulls(len(blocks), field.type)
    if shown is None:
        return pa.array([getattr(block, name) for block in blocks], field.type)
    pairs = zip(blocks, shown, strict=True)
    return pa.array([getattr(block, name) if name in names else None for block, names in pairs], field.type)


def encode(rows: Sequence[Row]) -> bytes:
    """Rows as an Arrow stream, complete in itself; nothing for none."""
    if not rows:
        return b""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(to_batch(rows))
    return bytes(sink.getvalue())


def finish(chunks: Path, out: Path) -> None:
    """Write the rows of streams that stand behind each other into a Parquet file."""
    with chunks.open("rb") as file, pq.ParquetWriter(out, SCHEMA, compression="zstd") as writer:
        for group in _groups(_batches(file)):
            writer.write_table(pa.Table.from_batches(group, SCHEMA), row_group_size=sum(b.num_rows for b in group))


def _batches(file: BinaryIO) -> Iterator[pa.RecordBatch]:
    end = file.seek(0, 2)
    file.seek(0)
    while file.tell() < end:
        yield from pa.ipc.open_stream(file)


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        group.append(batch)
        size += batch.nbytes
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
