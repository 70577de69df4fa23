"""From chunks of records to their rows, in other processes.

A page that ends its process is tried once more, then given up.  A page that takes too long is given up at once.  The
rest of the chunk is done again.  If a process ends between pages, as while the chunk arrives or its rows are encoded,
it is replaced once for each chunk.
"""

from __future__ import annotations

import gzip
import io
import logging
import pickle
import re
import zlib
from collections import Counter, deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from http import HTTPStatus
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import brotli
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scrapy_justext.archives.records import OTHERS_OPTION, REPORTED, ArchivedPage, InputPosition, Location, Record
from scrapy_justext.compression import DAMAGE, zstd
from scrapy_justext.core.extractor import WARM_UP_PAGE, Extractor
from scrapy_justext.core.parts import PARTS
from scrapy_justext.crawl.conversion import laid_over
from scrapy_justext.crawl.pages import CleanedPage, page_counts, raw_page, skip_reason
from scrapy_justext.crawl.settings import SETTINGS, Configuration, Given, Layers, Setting, configure, is_enabled
from scrapy_justext.exceptions import (
    ArchiveError,
    JustextError,
    PageLimitError,
    PageTimeout,
    ParameterError,
    WorkerCrashed,
)
from scrapy_justext.tables import OF_RECORDS, PLACE, ExtractionRow, check_names
from scrapy_justext.workers import PROTOCOL, Begun, Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from scrapy_justext.archives.records import Read

#: A chunk is closed when it has so many records, or bytes: a fraction of a second's work.
RECORDS = 100
BYTES = 2 << 20


class Chunk(NamedTuple):
    """Records that stand beside each other, and where the input goes on behind them."""

    records: Sequence[Record]
    behind: InputPosition


class Trouble(NamedTuple):
    """A record with which something is wrong, and what."""

    location: Location
    what: str


class ChunkResult(NamedTuple):
    """What became of a chunk.  ``encoded``: its rows, as they are appended to the output."""

    encoded: bytes
    counts: Mapping[str, int]
    troubles: Sequence[Trouble]


def make_chunks(reads: Iterable[Read]) -> Iterator[Chunk]:
    """Yield the records of a source in chunks; where a chunk ends depends on the records in it alone."""
    records: list[Record] = []
    size = 0
    behind = None
    for record, behind in reads:
        records.append(record)
        size += record.size
        if len(records) == RECORDS or size >= BYTES:
            yield Chunk(records, behind)
            records, size = [], 0
    if records and behind is not None:
        yield Chunk(records, behind)


# The settings of rows: those of a crawl, with fields that a crawl's items do not have by default.

_ROW_FIELDS: Mapping[str, str | None] = {name: name if part.in_rows else None for name, part in PARTS.items()}


def _row_fields(value: Any) -> dict[str, str | None]:
    fields: dict[str, str | None] = laid_over(_ROW_FIELDS, "part of an extraction")(value)
    for part, field in fields.items():
        if field is not None and PARTS[part].of_crawls:
            raise ParameterError("", part, "is known to crawls alone; None leaves it out")
        if field in PLACE.names or field in OF_RECORDS.names:
            raise ParameterError("", value, f"{part!r} goes to {field!r}, which rows have for something else")
    return fields


_ROW_SETTINGS = {**SETTINGS, "fields": Setting(_ROW_FIELDS, _row_fields, SETTINGS["fields"].meaning)}


def configure_rows(given: Mapping[str, Given]) -> Configuration:
    """Return the configuration for the rows of a site's pages; raise :class:`SettingError`."""
    return configure(given, _ROW_SETTINGS)


def fields_of_rows(configuration: Configuration) -> dict[str, str]:
    """Return the part of extractions that each field of rows holds."""
    return {field: part for part, field in configuration.fields.items() if field is not None}


# From a page as an archive has it to the response that a crawl would have seen.
#
# An archive keeps HTTP messages as they were sent: in chunks, compressed.  Often it keeps a header of what it has
# undone itself, so a body that is not what its headers say is taken as it is.  A body that was cut off is
# taken as far as it goes.

#: For pages without one.
_NO_URL = "file:///"
#: The line before a chunk: its size, and what else is said of it.
_CHUNK_HEAD = re.compile(rb"[ \t]*([0-9A-Fa-f]+)[ \t]*(?:;[^\r\n]*)?\r\n")
#: What zlib calls these formats.
_ZLIB, _RAW_DEFLATE = 15, -15


def make_response(page: ArchivedPage, max_bytes: int) -> Response:
    """Return the response for a page; without headers, it is HTML.

    A compressed body that is larger than ``max_bytes`` is cut one byte behind them.
    """
    headers = Headers(page.headers)
    url = page.url or _NO_URL
    body, encoding = _body(page.body, headers, max_bytes)
    kind = responsetypes.from_args(headers=headers, url=url, body=body) if headers else HtmlResponse
    if encoding is not None and issubclass(kind, TextResponse):
        return kind(url, status=page.status, headers=headers, body=body, encoding=encoding)
    return kind(url, status=page.status, headers=headers, body=body)


def _body(body: bytes | str, headers: Headers, max_bytes: int) -> tuple[bytes, str | None]:
    """Return the body, and its encoding where that is known; remove the headers of what is undone."""
    if isinstance(body, str):
        # It is decoded already, whatever the page declares.
        return body.encode("utf-8", "replace"), "utf-8"
    if b"chunked" in _take_header("Transfer-Encoding", headers).lower():
        body = join_chunks(body)
    return decompress(body, _take_header("Content-Encoding", headers).decode("latin-1"), max_bytes), None


def _take_header(name: str, headers: Headers) -> bytes:
    values = headers.getlist(name)
    headers.pop(name, None)
    return b",".join(values)


def join_chunks(body: bytes) -> bytes:
    r"""Return the body that was sent in chunks.

    >>> join_chunks(b"5\r\nHello\r\n7;x=y\r\n, world\r\n0\r\n\r\n"), join_chunks(b"<p>Hello")
    (b'Hello, world', b'<p>Hello')
    """
    chunks: list[bytes] = []
    start = 0
    while (head := _CHUNK_HEAD.match(body, start)) and (size := int(head[1], 16)):
        chunks.append(body[head.end() : head.end() + size])
        start = head.end() + size + len(b"\r\n")
    return b"".join(chunks) if chunks or head else body


def decompress(body: bytes, encodings: str, max_bytes: int) -> bytes:
    """Return the body that was compressed as ``Content-Encoding`` says; at most one byte more than ``max_bytes`` of it.

    >>> decompress(zlib.compress(b"<p>Hello"), "deflate", 100), decompress(b"<p>Hello", "gzip", 100)
    (b'<p>Hello', b'<p>Hello')
    """
    for encoding in reversed([name.strip().lower() for name in encodings.split(",")]):
        for decompressor in _DECOMPRESSORS.get(encoding, ()):
            try:
                body = decompressor(body, max_bytes + 1)
            except (*DAMAGE, brotli.error):
                continue
            break
    return body


def _inflater(wbits: int) -> Callable[[bytes, int], bytes]:
    return lambda body, at_most: zlib.decompressobj(wbits).decompress(body, at_most)


def _reader(open_body: Callable[[io.BytesIO], Any]) -> Callable[[bytes, int], bytes]:
    """Return a function that reads all the members, or frames, of a body, up to the first that is damaged."""

    def read(body: bytes, at_most: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        with open_body(io.BytesIO(body)) as stream:
            try:
                while size < at_most and (part := stream.read1(at_most - size)):
                    parts.append(part)
                    size += len(part)
            except DAMAGE:
                if not parts:
                    raise
        return b"".join(parts)

    return read


#: From compressed bytes, and how many to return at most, to the bytes: the ways that an encoding may mean.
_DECOMPRESSORS: dict[str, tuple[Callable[[bytes, int], bytes], ...]] = {
    "gzip": (_reader(gzip.open),),
    "x-gzip": (_reader(gzip.open),),
    "deflate": (_inflater(_ZLIB), _inflater(_RAW_DEFLATE)),
    "br": (lambda body, at_most: bytes(brotli.Decompressor().process(body, output_buffer_limit=at_most)),),
    "zstd": (_reader(zstd.open),),
}


# From a record to its row, or to the reason why there is none, as in a crawl.


class RecordExtractor:
    """Extracts pages with the settings for their sites."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._configuration_of = cache(self._configure)
        configuration = self._configuration_of(None)
        if configuration is not None:
            # Stoplists and models are loaded now, so that no page is blamed for their failure.
            with suppress(PageLimitError):
                Extractor(configuration.options).extract(WARM_UP_PAGE)

    def extract(self, record: Record) -> tuple[CleanedPage, ExtractionRow] | str:
        """Return the page in a record and its row, or the reason why there is none.

        May raise whatever a page makes it raise.
        """
        archived = record.page()
        if isinstance(archived, str):
            return archived
        configuration = self._configuration_of(self._layers.site_of(archived.url))
        if configuration is None:
            return "site"
        fields = fields_of_rows(configuration)
        if isinstance(archived.others, Mapping):
            # What has types was checked before.
            check_names(record.location.file, archived.others, fields, f" with {OTHERS_OPTION}")
        response = make_response(archived, configuration.max_body_bytes)
        reason = skip_reason(None, response, configuration)
        if reason is not None:
            is_redirect = HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST
            return "redirect" if reason == "status" and is_redirect else reason
        # Nobody else needs a tree here, and to parse the body costs less than the response's own selector.
        raw = raw_page(cast("TextResponse", response))._replace(url=archived.url)
        try:
            extraction = raw.extract(configuration.options)
        except PageLimitError as error:
            return error.reason
        row = ExtractionRow(
            url=archived.url,
            file=record.location.file,
            offset=record.location.offset,
            extraction=extraction,
            fields=fields,
            blocks=configuration.blocks,
            block_fields=configuration.fields_of_blocks(beside_text="text" in fields.values()),
            chunk_characters=configuration.chunk_characters,
            others=archived.others,
        )
        return CleanedPage(extraction, configuration), row

    def _configure(self, site: str | None) -> Configuration | None:
        """Return the configuration for a site's pages; None where they are not to be cleaned."""
        given = self._layers.given(site)
        return configure_rows(given) if is_enabled(given) else None


class RecordsResult:
    """What became of records: the rows that belong into the output, in order, and what there is to count and say."""

    def __init__(self) -> None:
        self.rows: list[ExtractionRow] = []
        self.counts = Counter(records=0, rows=0)
        self.troubles: list[Trouble] = []

    def add(self, record: Record, extractor: RecordExtractor) -> None:
        """Extract a record, and keep its row or its error: one bad page never ends a run."""
        self.counts["records"] += 1
        try:
            extracted = extractor.extract(record)
        except Exception as error:
            kind = type(error).__name__
            self.counts.update(["errors", f"errors/{kind}"])
            self.troubles.append(Trouble(record.location, f"{kind}: {error}"))
            return
        if isinstance(extracted, str):
            self.counts[f"skipped/{extracted}"] += 1
            if extracted in REPORTED:
                self.troubles.append(Trouble(record.location, extracted))
            return
        page, row = extracted
        self.counts.update(page_counts(page))
        if page.is_good or page.configuration.drop == "none":
            self.counts["rows"] += 1
            self.rows.append(row)


# The processes that extract.

#: Chunks that are read and not yet written, for each process: one in work, one that waits for it or for an earlier one.
_AHEAD = 3

#: What a process needs to know: the settings, what makes bytes of rows, the seconds that a page may take (None: any).
Setup = tuple[Layers, "Callable[[Sequence[ExtractionRow]], bytes]", "float | None"]


def extract_chunks(
    chunks: Iterable[Chunk], processes: int, setup: Setup
) -> Generator[tuple[Chunk, ChunkResult], None, None]:
    """Yield the results of chunks, in their order; the processes end with the generator."""
    with Pool(processes, _start_extracting, setup) as pool:
        waiting: deque[_ChunkAtWork] = deque()
        for chunk in chunks:
            waiting.append(_ChunkAtWork(chunk, pool))
            while waiting and (len(waiting) >= processes * _AHEAD or waiting[0].result.done()):
                yield waiting[0].chunk, waiting.popleft().result.result()
        while waiting:
            yield waiting[0].chunk, waiting.popleft().result.result()


def _start_extracting(setup: Setup) -> Callable[[Sequence[Record | Trouble]], Iterator[object]]:
    """Load what all pages need, and return what makes the result of a chunk."""
    # Scrapy logs single responses, which are counted here.
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    layers, encode, timeout = setup
    extractor = RecordExtractor(layers)

    def do(chunk: Sequence[Record | Trouble]) -> Iterator[object]:
        result = RecordsResult()
        for number, record in enumerate(chunk):
            if isinstance(record, Trouble):
                result.counts.update(["records", record.what])
                result.troubles.append(record)
            else:
                yield Begun(number, timeout)
                result.add(record, extractor)
        yield Begun()
        yield ChunkResult(encode(result.rows), result.counts, result.troubles)

    return do


def _page_in(pickled: bytes) -> ArchivedPage | str:
    record: Record = pickle.loads(pickled)
    return record.page()


class _ChunkAtWork:
    """A chunk on its way; what happens to its processes is made good in their feeders' threads."""

    def __init__(self, chunk: Chunk, pool: Pool) -> None:
        self.chunk = chunk
        self.result: Future[ChunkResult] = Future()
        self._pool = pool
        #: What a process is given: the records, and why some of them are given up.  A record is unpickled when its turn
        #: comes, so that a crash meanwhile is blamed on it.
        self._records: list[Record | Trouble] = [
            Record(record.location, partial(_page_in, pickle.dumps(record, PROTOCOL))) for record in chunk.records
        ]
        #: The numbers of the records that processes were at when they ended; None for a process between records.
        self._suspects: set[int | None] = set()
        self._try()

    def _try(self) -> None:
        self._pool.submit(tuple(self._records), join=itemgetter(0)).add_done_callback(self._finish)

    def _finish(self, tried: Future[ChunkResult]) -> None:
        error = tried.exception()
        if error is None:
            self.result.set_result(tried.result())
        elif isinstance(error, WorkerCrashed | PageTimeout) and self._can_go_on(error):
            self._try()
        else:
            self.result.set_exception(self._final(error))

    def _can_go_on(self, error: WorkerCrashed | PageTimeout) -> bool:
        """Give up the record that took too long, or that ended its process twice; return False where none did."""
        number: Any = error.step
        is_late = isinstance(error, PageTimeout)
        if isinstance(error, WorkerCrashed) and not error.is_ready:
            return False
        if not is_late and number not in self._suspects:
            self._suspects.add(number)
        elif number is None:
            return False
        else:
            self._records[number] = Trouble(self._records[number].location, "timeouts" if is_late else "crashes")
        return True

    def _final(self, error: BaseException) -> BaseException:
        where = self.chunk.records[0].location
        what = f"{where.file}, {where.offset} and what follows"
        if isinstance(error, WorkerCrashed) and not error.is_ready:
            return ArchiveError("a process", f"ended before it began, with exit status {error.code}")
        if isinstance(error, WorkerCrashed):
            return ArchiveError(what, f"a process ended twice beside its pages, with exit status {error.code}")
        if isinstance(error, JustextError):
            return error
        return ArchiveError(what, f"cannot be encoded: {type(error).__name__}: {error}")
