"""Write a crawl's items to feeds of Parquet, of JSON Lines compressed with Zstandard, of CSV and XML without lists, and
of the formats of text corpora.

The columns of Parquet are those of the first :data:`ROWS` items, see :class:`~scrapy_justext.tables.DictTable`, and
those of the parts of extractions in any case.  Values without a column are kept as JSON.  The log names their fields
once.

The libraries are imported when a feed is opened: most crawls have none of these.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Set
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter, XmlItemExporter
from w3lib.url import file_uri_to_path

from scrapy_justext.core.chunks import BETWEEN_PARAGRAPHS
from scrapy_justext.core.corpora import CORPUS_FORMATS, NOT_IN_XML, CorpusFormat, CorpusPage
from scrapy_justext.core.parts import PARTS
from scrapy_justext.crawl.configurations import configurations_of
from scrapy_justext.crawl.pages import now
from scrapy_justext.crawl.parts.order import CrawlPart
from scrapy_justext.crawl.sites import without_password
from scrapy_justext.exceptions import LibraryNotInstalledError, SettingError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from io import BytesIO
    from typing import BinaryIO

    import pyarrow as pa
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

    from scrapy_justext.crawl.configurations import Configurations
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.tables import DictTable

logger = logging.getLogger(__name__)

#: Items that become rows together.
ROWS = 100

#: The exporters of the formats that Scrapy does not have, or that have no lists.
FEED_EXPORTERS = {
    "csv": "scrapy_justext.crawl.feeds.FlatCsvExporter",
    "xml": "scrapy_justext.crawl.feeds.FlatXmlExporter",
    "parquet": "scrapy_justext.crawl.feeds.ParquetItemExporter",
    "zst": "scrapy_justext.crawl.feeds.ZstdLinesItemExporter",
    "prevert": "scrapy_justext.crawl.feeds.PreverticalItemExporter",
    "txt": "scrapy_justext.crawl.feeds.PlainTextItemExporter",
    "tei": "scrapy_justext.crawl.feeds.TeiItemExporter",
}

#: The modules that these need.
_NEEDED = {"parquet": "scrapy_justext.tables", "zst": "scrapy_justext.compression"}
_EXTRA = "feeds"
#: The formats that end with their file, so that nothing can be appended.
_WHOLE = frozenset({*_NEEDED, "tei"})
#: The formats without lists.
_FLAT = frozenset({"csv", "xml"})


class FeedChecks(CrawlPart):
    """Checks the feeds of a crawl before it begins; see :func:`check_feeds`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        check_feeds(session.crawler.settings, session.configurations.fields_of_lists)


def check_feeds(settings: BaseSettings, of_lists: Collection[str] = ()) -> None:
    """Raise :class:`SettingError` for a feed that could not be written, before the crawl begins.

    Log which feeds leave out the fields ``of_lists``.
    """
    exporters = settings.getdict("FEED_EXPORTERS")
    flat = [
        without_password(str(uri))
        for uri, options in settings.getdict("FEEDS").items()
        if (kind := options.get("format")) in _FLAT
        and exporters.get(kind) == FEED_EXPORTERS[kind]
        and not (options.get("fields") or settings.get("FEED_EXPORT_FIELDS"))
    ]
    if flat and of_lists:
        logger.info(
            "%s: without %s, as the format has no lists. Named in JUSTEXT_FIELDS or the feed's own fields, it is JSON.",
            ", ".join(flat),
            ", ".join(sorted(of_lists)),
        )
    for uri, options in settings.getdict("FEEDS").items():
        kind = options.get("format")
        label = f"FEEDS[{without_password(str(uri))!r}]"
        if kind in _NEEDED:
            try:
                require(_NEEDED[kind], _EXTRA)
            except LibraryNotInstalledError as error:
                raise SettingError(label, kind, str(error)) from error
        if kind in _WHOLE:
            _check_is_new(str(uri), label, options.get("overwrite", False))
        if kind == "parquet":
            _columns(options.get("item_export_kwargs", {}).get("columns", {}), label)
        if kind == "zst" and not str(uri).endswith((".jsonl.zst", ".jl.zst")):
            raise SettingError(label, kind, "holds JSON Lines: its name must end in .jsonl.zst")


def _check_is_new(uri: str, label: str, overwrite: bool) -> None:
    path = Path(file_uri_to_path(uri) if uri.startswith("file:") else uri)
    if not overwrite and "://" not in str(path) and path.is_file() and path.stat().st_size:
        raise SettingError(label, str(path), "is there already and cannot be appended to: -O overwrites it")


def _columns(given: object, label: str) -> dict[str, pa.DataType]:
    """Return the columns that a feed asks for; raise :class:`SettingError`."""
    arrow = require("pyarrow", _EXTRA)
    if not isinstance(given, Mapping):
        raise SettingError(f"{label} columns", given, "must be a mapping from item field to Arrow type")
    columns = {}
    for name, kind in given.items():
        try:
            columns[name] = kind if isinstance(kind, arrow.DataType) else arrow.type_for_alias(kind)
        except (ValueError, TypeError) as error:
            allowed = "must be the name of an Arrow type, such as string, int64, double, bool, date32, timestamp[us]"
            raise SettingError(f"{label} columns[{name!r}]", kind, allowed) from error
    return columns


class ZstdLinesItemExporter(JsonLinesItemExporter):
    """Writes JSON Lines as one frame of Zstandard."""

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        compression = require("scrapy_justext.compression", _EXTRA)
        super().__init__(compression.zstd.ZstdFile(file, "w", level=compression.ZSTANDARD_LEVEL), **options)

    def finish_exporting(self) -> None:
        """Write the end of the frame; the file itself is left open."""
        self.file.close()


class _PluginExporter(BaseItemExporter):
    """Knows the fields that the plugin fills."""

    #: The parts of extractions by the fields of items; none in a crawl without the plugin, which may have its feeds.
    _parts: Mapping[str, str] = {}
    _configurations: Configurations | None = None
    _stats: StatsCollector | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **options: Any) -> Self:
        """Return the exporter of a crawl."""
        exporter = cls(file, **options)  # type: ignore[call-arg, arg-type]
        exporter._stats, exporter._configurations = crawler.stats, configurations_of(crawler)
        if exporter._configurations is not None:
            exporter._parts = exporter._configurations.parts_by_field
        return exporter

    @cached_property
    def _parts_by_column(self) -> dict[str, str]:
        """The same by what the fields are called in the feed."""
        names = self.fields_to_export
        renamed = names if isinstance(names, Mapping) else {}
        return {renamed.get(field, field): part for field, part in self._parts.items()}


class _FlatExporter(_PluginExporter):
    """Writes the lists that the plugin fills into single cells: paragraphs as their text, all others as JSON.

    Lists of dicts that nobody asked for are left out.
    """

    _of_lists: frozenset[str] = frozenset()
    #: The plugin's own fields of a feed that does not name its fields; none of lists.
    _own: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **options: Any) -> Self:
        """Return the exporter of a crawl."""
        exporter = super().from_crawler(crawler, file, **options)
        configurations = exporter._configurations
        if configurations is not None and exporter.fields_to_export is None:
            exporter._of_lists = lists = configurations.fields_of_lists
            if configurations.in_use:
                exporter._own = tuple(field for field in exporter._parts if field not in lists)
        return exporter

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return what is written for a value; a field's own serializer comes first."""
        part = PARTS.get(self._parts_by_column.get(name, ""))
        if part is not None and isinstance(value, list) and "serializer" not in field:
            if part.is_nested:
                value = json.dumps(value, default=str, ensure_ascii=False)
            elif all(isinstance(text, str) for text in value):
                value = BETWEEN_PARAGRAPHS.join(value)
        return super().serialize_field(field, name, value)

    def _flat_names(self, item: Any) -> list[str]:
        """Return the fields of an item that are written; a list that the spider filled by itself is not left out."""
        adapter = ItemAdapter(item)
        lists = {name for name in self._of_lists if isinstance(adapter.get(name) or [], list)}
        return [name for name in adapter.field_names() if name not in lists]


class FlatCsvExporter(_FlatExporter, CsvItemExporter):
    """Writes CSV whose cells hold text.

    Unless the feed names them, the columns are the fields of the first item, and those that the plugin fills: the first
    item may have none of them.
    """

    def __init__(self, file: BytesIO, **options: Any) -> None:
        super().__init__(file, **options)
        self._warned: set[str] = set()

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return what is written for a value."""
        value = super().serialize_field(field, name, value)
        if isinstance(value, str) and len(value) > _MOST_OF_READER:
            self._warn(
                f"the field {name!r} of some items has more than {_MOST_OF_READER} characters; Python's own csv reads "
                "such a file after csv.field_size_limit(1_000_000_000)"
            )
        return value

    def export_item(self, item: Any) -> None:
        """Add a row."""
        if self._of_lists or self._own:
            names = self._flat_names(item)
            if self.fields_to_export is None:
                self.fields_to_export = list(dict.fromkeys([*names, *self._own]))
            # Scrapy says the same of columns that it chose itself.
            elif late := [name for name in names if name not in self.fields_to_export]:
                self._warn(f"later items have fields without a column: {', '.join(late)}; FEED_EXPORT_FIELDS names all")
        super().export_item(item)

    def _warn(self, warning: str) -> None:
        """Log a warning, once."""
        if warning not in self._warned:
            self._warned.add(warning)
            logger.warning("%s: %s", getattr(self.stream, "name", "CSV"), warning)


#: The most characters of a field that the reader of Python's ``csv`` takes unless it is told otherwise.
_MOST_OF_READER = 131_072


class FlatXmlExporter(_FlatExporter, XmlItemExporter):
    """Writes XML whose elements hold text, and no character that XML does not have."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return what is written for a value."""
        value = super().serialize_field(field, name, value)
        return NOT_IN_XML.sub("\ufffd", value) if isinstance(value, str) else value

    def export_item(self, item: Any) -> None:
        """Add an element."""
        asked_for = self.fields_to_export
        if self._of_lists:
            self.fields_to_export = self._flat_names(item)
        super().export_item(item)
        self.fields_to_export = asked_for


class CorpusItemExporter(_PluginExporter):
    """Writes items as pages of a text corpus (:mod:`scrapy_justext.core.corpora`).

    An item has its blocks with their text in such a feed.  If it has none, each paragraph is written as a good block.
    """

    format: CorpusFormat

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file

    def start_exporting(self) -> None:
        """Write what stands before all pages."""
        self._file.write(self.format.begin.encode())

    def export_item(self, item: Any) -> None:
        """Write a page."""
        adapter = ItemAdapter(item)
        # Sites may have fields of their own for a part.
        parts = {part: value for field, part in self._parts.items() if (value := adapter.get(field))}
        blocks = parts.get("blocks")
        if not (isinstance(blocks, list) and all(isinstance(block, Mapping) and "text" in block for block in blocks)):
            texts = parts.get("paragraphs") or str(parts.get("text") or "").split(BETWEEN_PARAGRAPHS)
            blocks = [{"text": text} for text in texts]
        parts |= {"url": adapter.get("url"), "crawled": parts.get("crawled") or now()}
        # Fields that a spider fills may hold anything.
        beside = {name: str(parts.get(name) or "") for name in ("url", "title", "language", "crawled")}
        page = CorpusPage(blocks, **beside)
        self._file.write(self.format.write(page))

    def finish_exporting(self) -> None:
        """Write what stands behind all pages; the file itself is left open."""
        self._file.write(self.format.end.encode())


class PreverticalItemExporter(CorpusItemExporter):
    """Writes prevertical."""

    format = CORPUS_FORMATS["prevert"]


class PlainTextItemExporter(CorpusItemExporter):
    """Writes plain text, a paragraph a line."""

    format = CORPUS_FORMATS["txt"]


class TeiItemExporter(CorpusItemExporter):
    """Writes a teiCorpus."""

    format = CORPUS_FORMATS["tei"]


class ParquetItemExporter(_PluginExporter):
    """Writes items as rows of Parquet.

    ``columns``: the types of some fields, as Arrow types or their names, in place of those of the first items.  Where
    text is asked for, other values are written as JSON.
    """

    def __init__(self, file: BinaryIO, *, columns: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        # Scrapy before 2.18 has it by the second name.
        self._fields_of: Callable[[Any], Iterable[tuple[str, Any]]] = (
            getattr(self, "get_serialized_fields", None) or self._get_serialized_fields  # type: ignore[attr-defined]
        )
        self._tables: Any = require(_NEEDED["parquet"], _EXTRA)
        self._file = file
        self._columns = _columns(columns or {}, "FEEDS")
        self._rows: list[dict[str, Any]] = []
        self._table: DictTable | None = None
        self._warned: set[str] = set()

    def export_item(self, item: Any) -> None:
        """Add a row."""
        fields = self._fields_of(item)
        self._rows.append({name: self._value(name, value) for name, value in fields if value is not None})
        if len(self._rows) >= ROWS:
            self._write()

    def finish_exporting(self) -> None:
        """Write what is left, and the end of the file; the file itself is left open."""
        self._write().close()

    def _value(self, name: str, value: Any) -> Any:
        # What the plugin itself wrote is plain already, and that is most of an item.
        if self._parts_by_column.get(name) not in _PLAIN_PARTS:
            value = _plain(value)
        is_text = name in self._columns and str(self._columns[name]) == "string"
        return json.dumps(value, default=str, ensure_ascii=False) if is_text and not isinstance(value, str) else value

    def _write(self) -> DictTable:
        if self._table is None:
            names = self.fields_to_export
            wanted = list(names.values() if isinstance(names, Mapping) else names or ())
            of_parts = {name: self._tables.type_of_part(part) for name, part in self._parts_by_column.items()}
            self._table = self._tables.DictTable(self._file, wanted, {**of_parts, **self._columns}, self._rows)
        rows, self._rows = self._rows, []
        self._tell(self._table.write(rows))
        return self._table

    def _tell(self, others: Sequence[str]) -> None:
        """Count the values without a column, and log their fields once.  ``others``: the field of each."""
        if others and self._stats is not None:
            self._stats.inc_value("justext/feeds/other_fields", len(others))
        for name in dict.fromkeys(others):
            if name not in self._warned:
                self._warned.add(name)
                logger.warning(
                    "%s: some values of the field %r have no column that they fit into: they are kept as JSON in the "
                    'column %s. A column for them: "item_export_kwargs": {"columns": {%s: "string"}} in FEEDS',
                    getattr(self._file, "name", "Parquet"),
                    name,
                    self._tables.OTHER_FIELDS,
                    json.dumps(name),
                )


#: The parts of an extraction that items hold as lists of plain dicts.
_PLAIN_PARTS = frozenset({"blocks", "chunks"})


def _plain(value: Any) -> Any:
    r"""Return a value of an item as Arrow takes it: nested items as dicts, other objects as text.

    >>> _plain({"of": (1, Path("a")), "at": date(2024, 2, 29)})
    {'of': [1, 'a'], 'at': datetime.date(2024, 2, 29)}
    """
    if isinstance(value, str):
        # Text never holds half of a character, but a URL in a script may.
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None or isinstance(value, bool | int | float | bytes | date):
        return value
    if ItemAdapter.is_item(value):
        return {str(name): _plain(inner) for name, inner in ItemAdapter(value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return sorted(map(_plain, value), key=str) if isinstance(value, Set) else str(value)
