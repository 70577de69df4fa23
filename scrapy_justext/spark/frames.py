"""Frames of pages to frames of rows, as :mod:`scrapy_justext.archives.writing.parquet` has them.

Spark sends the functions to its Python processes, each of which reads stoplists and models once, whatever number of
tasks it is given.
"""

from __future__ import annotations

import pickle
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from scrapy.settings import Settings

from scrapy_justext.archives.errors import ArchiveError
from scrapy_justext.archives.reading.table import column_problem
from scrapy_justext.archives.records import Columns, Loaded, Place, Read, Skipped, Where, cell_document
from scrapy_justext.archives.work.chunks import judge_all, make_chunks
from scrapy_justext.archives.work.judging import Judge
from scrapy_justext.archives.writing.parquet import SCHEMA, to_batch
from scrapy_justext.settings import configure, from_settings, make_layers

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pandas as pd
    from pyspark.sql.types import StructType

    from scrapy_justext.archives.records import Record

    Count = Callable[[Counter[str]], object]

#: Columns that a frame of pages may have beside those of a page: where they come from.
_WHERE = ("file", "offset")
_HTML = Columns().html


def spark_schema() -> StructType:
    """The schema of the rows, as Spark has it."""
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415

    return from_arrow_schema(SCHEMA)


def extract_in_arrow(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What ``mapInArrow`` takes, for a frame with the columns ``html`` and, if it likes, ``url``, ``content_type``.

    ``html`` is text or bytes, which are decoded as a crawl would.  Columns ``file`` and ``offset`` are kept; others are
    not.  Pages that a crawl would drop have no row.
    ``settings``: ``JUSTEXT_*``, as a crawl's.  ``count``: told, in Spark's processes, what became of some pages.
    Raises :class:`~scrapy_justext.exceptions.SettingError`; in Spark's processes
    :class:`~scrapy_justext.archives.errors.ArchiveError` for a frame without such an ``html``.
    """
    return partial(_map_arrow, pack(settings or {}), count)


def extract_in_pandas(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """What ``mapInPandas`` takes; otherwise as :func:`extract_in_arrow`, which is the faster one."""
    return partial(_map_pandas, pack(settings or {}), count)


def pack(settings: Mapping[str, Any]) -> bytes:
    """Settings as they are sent to Spark's processes, checked before."""
    layers = make_layers(from_settings(Settings(dict(settings))), {})
    configure(layers.given())
    return pickle.dumps(layers)


def extract_reads(packed: bytes, count: Count | None, reads: Iterable[Read]) -> Iterator[pa.RecordBatch]:
    """The rows of records, in batches that are small enough to be in memory beside each other."""
    judge = _judge(packed)
    for chunk in make_chunks(0, reads):
        rows, counts, _ = judge_all(chunk.records, judge)
        if count is not None:
            count(counts)
        if rows:
            yield to_batch(rows)


@cache
def _judge(packed: bytes) -> Judge:
    judge = Judge(pickle.loads(packed))
    judge.warm_up()
    return judge


def _map_arrow(packed: bytes, count: Count | None, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from extract_reads(packed, count, _reads(batch))


def _map_pandas(packed: bytes, count: Count | None, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for frame in frames:
        for batch in extract_reads(packed, count, _reads(pa.RecordBatch.from_pandas(frame, preserve_index=False))):
            yield batch.to_pandas()


def _reads(batch: pa.RecordBatch) -> Iterator[Read]:
    names = batch.schema.names
    problem = column_problem(batch.schema, _HTML)
    if problem is not None:
        raise ArchiveError("the frame", f"{problem}; its columns: {', '.join(names)}")
    columns = (batch.column(name) if name in names else repeat(_NULL) for name in (*Columns(), *_WHERE))
    for _, *cells in zip(range(batch.num_rows), *columns, strict=False):
        yield Read(_record(*(cell.as_py() for cell in cells)), Place(), 0)


_NULL = pa.scalar(None)


def _record(html: object, url: object, content_type: object, file: str | None, offset: int | None) -> Record:
    where = Where(file, offset)
    document = cell_document(html, url, content_type)
    return Skipped(where, document) if isinstance(document, str) else Loaded(where, document)
