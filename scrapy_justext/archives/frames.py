"""Pages in Arrow batches, as frameworks for tables send them to their processes.

Each process reads stoplists and models once for each choice of settings, however many batches it is given.  The rows
are those of :mod:`scrapy_justext.tables`.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from scrapy.settings import Settings

from scrapy_justext.archives.records import BEGINNING, Location, PageColumns, Read, as_text, cells_to_page, page_record
from scrapy_justext.archives.work import RecordExtractor, RecordsResult, configure_rows, fields_of_rows, make_chunks
from scrapy_justext.crawl.settings import from_settings, make_layers
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.tables import OF_RECORDS, arrow_rows, check_names, column_problem, make_schema, rows_of, to_batch

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.tables import RowSchema

    Count = Callable[[Counter[str]], object]

_USUAL = PageColumns()


def pack_settings(settings: Mapping[str, Any]) -> bytes:
    """Return ``JUSTEXT_*`` settings, checked, as they are sent to other processes.

    Raises :class:`~scrapy_justext.exceptions.SettingError`.
    """
    packed = pickle.dumps(make_layers(from_settings(Settings(dict(settings))), {}))
    _fields(packed)
    return packed


@cache
def _fields(packed: bytes) -> list[Mapping[str, str]]:
    layers: Layers = pickle.loads(packed)
    return [fields_of_rows(configure_rows(layers.given(site))) for site in (None, *layers.sites)]


def schema_of_frame(packed: bytes, frame: pa.Schema, columns: PageColumns = _USUAL) -> RowSchema:
    """Return the columns of the rows that are made of a frame.

    Raises :class:`~scrapy_justext.exceptions.ArchiveError` for a frame without a column of HTML, or with one that has
    the name of one of ours.
    """
    names = frame.names
    for name in dict.fromkeys((*columns.of_page.values(), *Location._fields, *columns.others(names))):
        problem = column_problem(frame, name) if name == columns.html or names.count(name) > 1 else None
        if problem is not None:
            raise ArchiveError("the frame", f"{problem}; its columns: {', '.join(names)}")
    others = pa.schema([pa.field(name, frame.field(name).type) for name in _others(names, columns)])
    check_names("the frame", others.names, set().union(*_fields(packed)))
    return make_schema(_fields(packed), others)


def schema_of_archives(packed: bytes) -> RowSchema:
    """Return the columns of the rows that are made of WARC files."""
    return make_schema(_fields(packed), OF_RECORDS)


def _others(names: Sequence[str], columns: PageColumns) -> list[str]:
    # These are not carried through: they are the place of the frame's rows.
    return [name for name in columns.others(names) if name not in Location._fields]


def extract_batch(
    packed: bytes, batch: pa.RecordBatch, count: Count | None = None, columns: PageColumns = _USUAL
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the pages in a batch.

    Raises as :func:`schema_of_frame`.
    """
    return extract_reads(packed, _read_batch(batch, columns), schema_of_frame(packed, batch.schema, columns), count)


def extract_reads(
    packed: bytes, reads: Iterable[Read], schema: RowSchema, count: Count | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of records, in batches of which several fit into memory.

    ``packed``: what :func:`pack_settings` returns; ``count``: told what became of some pages.
    """
    extractor = _make_extractor(packed)
    for chunk in make_chunks(reads):
        result = RecordsResult()
        for record in chunk.records:
            result.add(record, extractor)
        if count is not None:
            count(result.counts)
        if result.rows:
            yield to_batch(result.rows, schema)


@cache
def _make_extractor(packed: bytes) -> RecordExtractor:
    return RecordExtractor(pickle.loads(packed))


def _read_batch(batch: pa.RecordBatch, columns: PageColumns) -> Iterator[Read]:
    values = rows_of(batch, [*columns.of_page.values(), *Location._fields])
    for (*cells, file, offset), others in zip(
        values, arrow_rows(batch, _others(batch.schema.names, columns)), strict=True
    ):
        yield page_record(Location(as_text(file), offset), cells_to_page(*cells, others=others)), BEGINNING
