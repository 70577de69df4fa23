"""Labelled sets: the user's own, corpora of research, and benchmarks, with text, snippets or Markdown as gold standard.

Which files a set has, and what its gold standard is, stands in ``docs/evaluation.md``.  Beside that:

* ``marks``, what a user marked in the tuner, may have ``url`` and ``name``; see
  :mod:`scrapy_justext.inspection.tuner`.
* CleanEval wraps a page in ``<text id="its URL" title="…" encoding="…">``; encodings such as ``unset`` and ``unknown``
  are met, and titles with anything in them.  DAnIEL has the same marks in its gold standards.
* L3S-GN1 labels text as 1 headline, 2 full text, 3 supplemental, 4 related content, 5 comments; 1 and 2 are the gold
  text ([D]).  The innermost of nested spans counts.
* WCXB is UTF-8 by definition.  ``url``, ``page_type`` (a string, or an object with one as ``primary``), ``title``,
  ``with`` and ``without`` may be there.  Each field is looked for at the top level, then in the objects
  ``ground_truth`` and ``_internal``.
* magic-html's pages are UTF-8 whatever they declare.
* trafilatura's file has the objects by addresses, with the name of a page as ``file``; the snippets are the lists
  ``with`` and ``without``.
* A page of WebMainBench may have ``url`` and ``meta`` with ``language``, ``style`` (the page's type) and ``level``.
  Marks on the elements of the content are taken out of the page before anybody sees it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from scrapy_justext.core.markdown.inline import code_span, fence_for
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.evaluation.datasets import documents
from scrapy_justext.evaluation.datasets.documents import UTF_8, Item, Problem, Snippets, UnusableError, text_of
from scrapy_justext.evaluation.kinds import check_libraries, escape_text, text_lines
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from pathlib import Path

    from lxml import etree

    from scrapy_justext.evaluation.datasets.documents import Document, Listing

# The user's own.

find_two_folders = partial(documents.find_pairs, ("input", "html"), documents.PAGE_SUFFIXES, "gold", (".txt",))


def read_text(item: Item) -> Document:
    """Read a page, whose encoding has to be found, and a gold text as it is."""
    return item.make_document(item.read_page(), item.read_gold())


_MARKED = ("id", "html", "gold")


def find_marks(path: Path) -> Listing:
    """Find the pages that somebody marked."""
    objects = yield from documents.open_lines(path, _MARKED)
    for name, (record, start) in objects.items():
        metadata = {"name": record["name"]} if isinstance(record.get("name"), str) else {}
        yield Item(name, path, record["gold"], text_of(record.get("url")), None, metadata, start=start)


def read_marked(item: Item) -> Document:
    """Read a page and what its marks make of it."""
    record = documents.read_line(item, _MARKED)
    return item.make_document(record["html"].encode("utf-8", "replace"), record["gold"], UTF_8)


# Corpora.

LANGUAGES_FILE = "doc_lg.json"

_BOM = rb"(?P<bom>\xef\xbb\xbf)?"
#: As it should be; with quotes in the title; without an encoding.
_OPENINGS = tuple(
    re.compile(_BOM + rb"\s*(?P<tag><text\b" + attributes + rb">)")
    for attributes in (rb'(?:\s+[\w:-]+\s*=\s*"[^"]*")*\s*', rb'[^\r\n]*?\sencoding\s*=\s*"[^"\r\n]*"\s*', rb"[^>]*")
)
_CLOSING = re.compile(rb"</text>\s*\Z")
_ATTRIBUTE = re.compile(rb'\s(id|title|encoding)\s*=\s*"(.*?)"(?=\s+[\w:-]+\s*=|\s*>)', re.DOTALL)

_URL_LINE = re.compile(r"\A\s*URL:[^\n]*\n?")
_MARKER = re.compile(r"[ \t]*</?[phl]>[ \t]*", re.IGNORECASE)

find_cleaneval = partial(documents.find_pairs, ("input",), (".html", ".htm"), "gold", (".txt",))


def read_marked_blocks(item: Item) -> Document:
    """Read a page, out of its wrapping where it has one, and a gold standard with marks of blocks."""
    page, attributes = unwrap(item.read_page())
    encoding = item.find_encoding(page, attributes.get("encoding", b"").decode("ascii", "replace"))
    known = {name: value.decode(encoding.name, "replace") for name, value in attributes.items()}
    metadata = {**item.metadata, "title": known["title"]} if "title" in known else item.metadata
    gold = _decode_gold(documents.read_bytes(cast("Path", item.gold), "gold"), encoding.name)
    return item._replace(url=known.get("id"), metadata=metadata).make_document(page, gold, encoding)


def unwrap(page: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return a page without the tag around it, and the attributes of that tag.

    >>> unwrap(b'<text id="http://a.b/" title="x > y" encoding="utf8"><p>Hello</text>')
    (b'<p>Hello', {'id': b'http://a.b/', 'title': b'x > y', 'encoding': b'utf8'})
    """
    for opening in _OPENINGS:
        if match := opening.match(page):
            attributes = {name.decode(): value for name, value in _ATTRIBUTE.findall(match["tag"])}
            return (match["bom"] or b"") + _CLOSING.sub(b"", page[match.end() :]), attributes
    return page, {}


def _decode_gold(gold: bytes, page_encoding: str) -> str:
    """Return a gold standard without marks: most are UTF-8, some in the page's encoding, some in neither."""
    for encoding in ("utf-8", page_encoding):
        if (text := documents.decode_strictly(gold, encoding)) is not None:
            return gold_text(text)
    detected = documents.detect(gold)
    if detected is None:
        raise UnusableError("undecodable gold")
    return gold_text(gold.decode(detected.name, "replace"))


def gold_text(text: str) -> str:
    r"""Return a gold standard without its ``URL:`` line and its marks.

    >>> gold_text("URL: http://a.b/\n\n  <h>Title\n\n<p>One < two\n<l> Item")
    'Title\n\n\nOne < two\n\nItem'
    """
    return _MARKER.sub("\n", _URL_LINE.sub("", text)).strip()


def find_daniel(path: Path) -> Listing:
    """Find DAnIEL's pages and their languages; raise :class:`DataSetError`."""
    languages = _read_object(path, LANGUAGES_FILE) if (path / LANGUAGES_FILE).exists() else {}
    known = {name: {"metadata": {"language": language}} for name, language in languages.items()}
    return documents.find_pairs(("html",), ("",), "reference", ("",), path, known)


GOLD_LABELS = frozenset({"1", "2"})

_LABEL = re.compile(r"(?:^|\s)x-nc-sel(\d+)(?=\s|$)")
_WITHOUT_TEXT = frozenset({"script", "style", "head"})

find_l3s = partial(documents.find_pairs, ("input",), documents.PAGE_SUFFIXES, "gold", documents.PAGE_SUFFIXES)


def read_l3s(item: Item) -> Document:
    """Read a page, and what is labelled in its annotated twin."""
    gold = documents.read_bytes(cast("Path", item.gold), "gold")
    encoding = documents.find_encoding(gold)
    if encoding is None:
        raise UnusableError("undecodable gold")
    return item.make_document(item.read_page(), labelled_text(gold.decode(encoding.name, "replace")))


def labelled_text(html: str) -> str:
    r"""Return the text of an annotated page that is labelled as headline or full text, a line a block.

    >>> labelled_text('<h1><span class="x-nc-sel1">News</span></h1><span class="x-nc-sel2">One <b>two</b></span> three')
    'News\nOne two'
    """
    root = parse_html(html).root

    def is_gold(element: etree._Element, is_around: bool) -> bool:
        match = _LABEL.search(element.get("class", ""))
        is_labelled = match[1] in GOLD_LABELS if match else is_around and element is not root
        return is_labelled and element.tag not in _WITHOUT_TEXT

    return "" if root is None else text_lines(root, is_gold, partial(re.sub, r"\s+", " "))


# Benchmarks.

WCXB_FILES = ("gold.jsonl.gz", "gold.jsonl")
ARTICLE_FILE, MAGIC_FILE, TRAFILATURA_FILE = ("ground-truth.json", "base.json", "evaldata.json")
#: trafilatura looks for a page in both, in this order.
TRAFILATURA_FOLDERS = ("cache", "eval")
#: Names of folders that tell what the pages in them are.
MAGIC_TYPES = ("article", "forum")

_LEVELS = ("ground_truth", "_internal")
_METADATA = ("title", "with", "without")


def read_utf8(item: Item) -> Document:
    """Read a page that is UTF-8 whatever it declares."""
    page = item.read_page()
    if documents.decode_strictly(page) is None:
        raise UnusableError("undecodable page")
    return item.make_document(page, str(item.gold), UTF_8)


def _field(record: Any, name: str) -> Any:
    """Return a field at the first level that has it; None where none does."""
    levels = [record, *(record.get(level) for level in _LEVELS)] if isinstance(record, dict) else []
    return next((level[name] for level in levels if isinstance(level, dict) and level.get(name) is not None), None)


def _find(path: Path, records: Mapping[str, Any], gold_field: str, folder: str = "html", kind: str = "") -> Listing:
    """Yield the pages of a folder with what their objects tell; one that is None cannot be read.

    ``kind``: the type of pages whose objects tell none.
    """
    pages = yield from documents.files_by_stem(documents.sub_folder(path, folder), (".html", ".html.gz"))
    for name in [name for name, record in records.items() if record is None]:
        yield Problem("unreadable gold", name)
        pages.pop(name, None)
    golds = {name: gold for name, record in records.items() if isinstance(gold := _field(record, gold_field), str)}
    yield from documents.pair(pages, golds, {name: _describe(records[name], kind) for name in golds})


def _describe(record: Any, kind: str) -> dict[str, Any]:
    """Return what the object of a page tells beside its gold standard."""
    page_type = _field(record, "page_type") or kind
    page_type = page_type.get("primary") if isinstance(page_type, dict) else page_type
    metadata = {name: value for name in _METADATA if (value := _field(record, name)) is not None}
    return {"url": text_of(_field(record, "url")), "page_type": text_of(page_type), "metadata": metadata}


def find_wcxb(path: Path) -> Listing:
    """Find the pages of either layout, their types and whatever else is known; raise :class:`DataSetError`."""
    documents.sub_folder(path, "html")
    records = yield from _wcxb_records(path)
    yield from _find(path, records, "main_content")


def _wcxb_records(path: Path) -> Generator[Problem, None, Mapping[str, Any]]:
    """Return the gold standard's objects by their ids, and yield what is wrong with lines."""
    for file in (path / name for name in WCXB_FILES):
        if file.is_file():
            objects = yield from documents.open_lines(file, ("id",))
            return {name: record for name, (record, _) in objects.items()}
    if not (path / "ground-truth").is_dir():
        raise DataSetError("dataset", str(path), f"has neither {WCXB_FILES[0]} nor a folder ground-truth")
    gold_files = yield from documents.files_by_stem(path / "ground-truth", (".json",))
    return {name: _parse_file(file) for name, file in gold_files.items()}


def _parse_file(file: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file; None where that is something else."""
    try:
        return documents.parse_object(documents.read_bytes(file, "gold"))
    except UnusableError:
        return None


def _read_object(path: Path, name: str) -> dict[str, Any]:
    """Return the object of objects in a file; raise :class:`DataSetError`."""
    if not (path / name).is_file():
        raise DataSetError("dataset", str(path), f"has no {name}")
    records = _parse_file(path / name)
    if records is None:
        raise DataSetError("dataset", str(path), f"{name} is not a JSON object in UTF-8")
    return records


def _find_by_id(file: str, gold_field: str, folder: str, path: Path, kind: str = "") -> Listing:
    """Yield the pages of a folder whose objects are in one file, by ids that can name files."""
    records = _read_object(path, file)
    yield from (Problem("bad id", name) for name in records if not documents.is_file_name(name))
    named = {name: record for name, record in records.items() if documents.is_file_name(name)}
    yield from _find(path, named, gold_field, folder, kind)


find_articles = partial(_find_by_id, ARTICLE_FILE, "articleBody", "html")


def find_magic(path: Path) -> Listing:
    """Find the pages of magic-html's benchmark, or of a part of it; raise :class:`DataSetError`."""
    # The folder around pages tells what they are.
    parts = [path] if (path / MAGIC_FILE).is_file() else sorted(file.parent for file in path.glob(f"*/{MAGIC_FILE}"))
    for part in parts or [path]:
        kind = part.name if part.name in MAGIC_TYPES else ""
        yield from _find_by_id(MAGIC_FILE, "content", "htmls", part, kind)


def find_snippets(path: Path) -> Listing:
    """Find the pages of trafilatura's benchmark; raise :class:`DataSetError`."""
    for url, record in _read_object(path, TRAFILATURA_FILE).items():
        name = text_of(_field(record, "file")) or ""
        texts = {field: _field(record, field) for field in ("with", "without")}
        page = next((file for folder in TRAFILATURA_FOLDERS if (file := path / folder / name).is_file()), None)
        item_id = re.sub(r"\.html?$", "", name)
        if not documents.is_file_name(item_id):
            yield Problem("bad id", url)
        # A blank text is in every extraction.
        elif not any(texts.values()) or not all(
            isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)
            for value in texts.values()
        ):
            yield Problem("unreadable gold", url)
        elif page is None:
            yield Problem("no page", url)
        else:
            yield Item(item_id, page, "", url, metadata=texts)


def read_snippets(item: Item) -> Document:
    """Read a page, which has snippets in the place of a gold text."""
    snippets = Snippets(*(tuple(cast("list[str]", item.metadata[field])) for field in ("with", "without")))
    return item.make_document(item.read_page(), "", snippets=snippets)


# Pages whose gold standard is Markdown.

_MARKDOWN_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
#: A name and a value, which may stand in quotes.
_HEAD_FIELD = re.compile(r"""([\w-]+):[ \t]*(["']?)(.*)\2""")


def find_kinds(path: Path) -> Listing:
    """Find pages beside their Markdown; raise :class:`DataSetError`, :class:`LibraryNotInstalledError`."""
    check_libraries()
    if not path.is_dir():
        raise DataSetError("dataset", str(path), "no such folder")
    # The first of two whose endings differ in case.
    golds = {file.stem: file for file in sorted(path.iterdir(), reverse=True) if file.suffix.lower() == ".md"}
    pages = yield from documents.files_by_stem(path, documents.PAGE_SUFFIXES, [*golds.values()])
    yield from documents.pair(pages, golds)


def read_kinds(item: Item) -> Document:
    """Read a page and its Markdown."""
    head, markdown = split_head(item.read_gold())
    url, page_type = (text_of(head.pop(name, None)) for name in ("url", "type"))
    known = item._replace(url=url, page_type=page_type, metadata=head)
    return known.make_document(item.read_page(), "", markdown=markdown)


def split_head(markdown: str) -> tuple[dict[str, object], str]:
    r"""Return the fields of the head and the Markdown behind it.

    >>> split_head("---\nlanguage: en\ntype: 'paper'\n---\n\n# Title\n")
    ({'language': 'en', 'type': 'paper'}, '# Title\n')
    >>> split_head('---\n{"type": "paper"}\n---\nText')
    ({'type': 'paper'}, 'Text')
    >>> split_head("---\nNo head.\n\n---\n")
    ({}, '---\nNo head.\n\n---\n')
    """
    markdown = markdown.replace("\r\n", "\n")
    match = _MARKDOWN_HEAD.match(markdown)
    fields: dict[str, object] | None = None
    if match and match[1].lstrip().startswith("{"):
        fields = documents.parse_object(match[1].encode())
    elif match:
        lines = [_HEAD_FIELD.fullmatch(line.strip()) for line in match[1].split("\n") if line.strip()]
        fields = {line[1]: line[3] for line in lines if line} if all(lines) else None
    return ({}, markdown) if match is None or fields is None else (fields, markdown[match.end() :].lstrip("\n"))


# WebMainBench.

_BENCH_TEXTS = ("track_id", "html")
_LIST = "groundtruth_content_list"
_MARKDOWN = ("groundtruth_content", "convert_main_content")
_MARK = re.compile(r"""\s+cc-select=(?:"true"|'true'|true)(?=[\s/>])""")


def find_webmainbench(path: Path) -> Listing:
    """Find the pages of WebMainBench's file; raise :class:`DataSetError`, :class:`LibraryNotInstalledError`."""
    check_libraries()
    objects = yield from documents.open_lines(path, _BENCH_TEXTS)
    for name, (record, start) in objects.items():
        gold = _gold(record)
        if gold is None:
            yield Problem("no gold", name)
            continue
        meta = record["meta"] if isinstance(record.get("meta"), dict) else {}
        metadata = {field: value for field in ("language", "level") if (value := meta.get(field)) is not None}
        url, page_type = text_of(record.get("url")), text_of(meta.get("style"))
        yield Item(name, path, gold, url, page_type, metadata, start=start)


def read_webmainbench(item: Item) -> Document:
    """Read a page without its marks."""
    page = _MARK.sub("", documents.read_line(item, _BENCH_TEXTS)["html"])
    return item.make_document(page.encode("utf-8", "replace"), "", UTF_8, markdown=str(item.gold))


def _gold(record: Mapping[str, Any]) -> str | None:
    """Return the gold standard of a page as Markdown; None where it has none."""
    if isinstance(record.get(_LIST), list) and record[_LIST]:
        return to_markdown(record[_LIST])
    return next((record[name] for name in _MARKDOWN if isinstance(record.get(name), str)), None)


def to_markdown(pieces: Iterable[Any]) -> str:
    r"""Return a list of typed pieces as Markdown; such a list may hold a list for each page of a document.

    >>> to_markdown([{"type": "equation-inline", "content": {"math_content": "x"}}, {"type": "text", "content": "5 $"}])
    '$x$\n\n5 \\$'
    """
    written = (to_markdown(piece) if isinstance(piece, list) else _piece(piece) for piece in pieces)
    return "\n\n".join(filter(None, written))


def _piece(piece: Any) -> str:
    content = piece.get("content") if isinstance(piece, dict) else None
    if content is None:
        return ""
    write = _WRITERS.get(str(piece.get("type", "")).lower())
    fields = content if isinstance(content, dict) else {"": content}
    return write(fields, bool(piece.get("inline"))) if write else ""


def _text_in(content: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that is a text; what has no fields is the text itself."""
    return next((value.strip("\n") for name in (*names, "") if isinstance(value := content.get(name), str)), "")


def _title(content: Mapping[str, Any], _: bool) -> str:
    level = content.get("level")
    marks = "#" * min(6, max(1, int(level))) if isinstance(level, int | str) and str(level).isdecimal() else "#"
    text = _line(_text_in(content, "title_content"))
    return f"{marks} {text}" if text else ""


def _code(content: Mapping[str, Any], is_inline: bool) -> str:
    code = _text_in(content, "code_content")
    if is_inline:
        return code_span(_collapsed(code))
    fence = fence_for(code, 3)
    language = content.get("language")
    return f"{fence}{language if isinstance(language, str) and language.isalnum() else ''}\n{code}\n{fence}"


def _formula(content: Mapping[str, Any], _: bool) -> str:
    # An empty line would end it.
    lines = _text_in(content, "math_content").split("\n")
    return "\n".join(["$$", *(line for line in lines if line.strip()), "$$"])


def _list(content: Mapping[str, Any], _: bool) -> str:
    items = content.get("items", content.get(""))
    return "\n".join(f"- {text}" for item in items if (text := _inline(item))) if isinstance(items, list) else ""


def _image(content: Mapping[str, Any], _: bool) -> str:
    address = re.sub(r"[\s<>]", "", _text_in(content, "url", "path"))
    return f"![{_line(_text_in(content, 'alt', 'title'))}](<{address}>)"


_TABLES = ("table", "simple_table", "complex_table")
#: What writes the pieces of each type, from their content and whether they stand within a line.
_WRITERS: dict[str, Callable[[Mapping[str, Any], bool], str]] = {
    **dict.fromkeys(("title", "heading"), _title),
    **dict.fromkeys(("paragraph", "text"), lambda content, _: _inline(content.get("", content))),
    "code": _code,
    "equation-interline": _formula,
    "equation-inline": lambda content, _: f"${_collapsed(_text_in(content, 'math_content'))}$",
    **dict.fromkeys(_TABLES, lambda content, _: _collapsed(_text_in(content, "html"))),
    "list": _list,
    "image": _image,
}
#: What writes the pieces within a line, from their text with its white space collapsed.
_INLINE: dict[str, Callable[[str], str]] = {"equation-inline": "${}$".format, "code-inline": code_span, "md": str}


def _inline(value: object) -> str:
    """Return what stands in one line: a text, a typed piece of one (``c`` of the type ``t``), or a list of these."""
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list):
        return " ".join(filter(None, map(_inline, value)))
    if not isinstance(value, dict):
        return ""
    text = value.get("c")
    if isinstance(text, str):
        own = _INLINE.get(str(value.get("t")), escape_text)(_collapsed(text)) if text.strip() else ""
        return " ".join(filter(None, (own, _inline(value.get("child_list")))))
    return _inline([value.get(name) for name in ("items", "content", "c") if name in value])


def _line(text: str) -> str:
    return escape_text(_collapsed(text))


def _collapsed(text: str) -> str:
    return " ".join(text.split())
