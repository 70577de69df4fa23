"""Pages in Arrow batches, as frameworks for tables send them to their processes.

Each process reads stoplists and models once for each choice of settings, however many batches it is given.  The rows
are those of :mod:`scrapy_justext.tables`.
"""

from __future__ import annotations

import pickle
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from scrapy.settings import Settings

from scrapy_justext.archives.records import BEGINNING, LoadedRecord, Location, PageColumns, Read, as_text, cells_to_page
from scrapy_justext.archives.work import RecordExtractor, extract_records, make_chunks
from scrapy_justext.crawl.settings import configure, from_settings, make_layers
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.tables import cell_value, column_problem, to_batch

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Count = Callable[[Counter[str]], object]

_USUAL = PageColumns()


def pack_settings(settings: Mapping[str, Any]) -> bytes:
    """Return ``JUSTEXT_*`` settings, checked, as they are sent to other processes.

    Raises :class:`~scrapy_justext.exceptions.SettingError`.
    """
    layers = make_layers(from_settings(Settings(dict(settings))), {})
    configure(layers.given())
    return pickle.dumps(layers)


def extract_batch(packed: bytes, batch: pa.RecordBatch, count: Count | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the pages in a batch with the column ``html``.

    Raises :class:`~scrapy_justext.exceptions.ArchiveError` for a batch without such a column.
    """
    return extract_reads(packed, _read_batch(batch), count)


def extract_reads(packed: bytes, reads: Iterable[Read], count: Count | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of records, in batches of which several fit into memory.

    ``packed``: what :func:`pack_settings` returns; ``count``: told what became of some pages.
    """
    extractor = _make_extractor(packed)
    for chunk in make_chunks(reads):
        result = extract_records(chunk.records, extractor)
        if count is not None:
            count(result.counts)
        if result.rows:
            yield to_batch(result.rows)


@cache
def _make_extractor(packed: bytes) -> RecordExtractor:
    extractor = RecordExtractor(pickle.loads(packed))
    extractor.warm_up()
    return extractor


def _read_batch(batch: pa.RecordBatch) -> Iterator[Read]:
    names = batch.schema.names
    used = (*_USUAL, *Location._fields)
    for name in used:
        problem = column_problem(batch.schema, name) if name == _USUAL.html or names.count(name) > 1 else None
        if problem is not None:
            raise ArchiveError("the frame", f"{problem}; its columns: {', '.join(names)}")
    missing = repeat(pa.scalar(None))
    columns = (batch.column(name) if name in names else missing for name in used)
    for _, *cells in zip(range(batch.num_rows), *columns, strict=False):
        html, url, content_type, file, offset = map(cell_value, cells)
        record = LoadedRecord(Location(as_text(file), offset), cells_to_page(html, url, content_type))
        yield Read(record, BEGINNING)
