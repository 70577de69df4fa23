"""Pages whose gold standard is Markdown: ``kinds`` and ``webmainbench``, see ``docs/evaluation.md``.

A page of WebMainBench may have ``url`` and ``meta`` with ``language``, ``style`` (the page's type) and ``level``.
Marks on the elements of the content are taken out of the page before anybody sees it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.markdown.inline import code_span, fence_for
from scrapy_justext.evaluation.datasets import documents
from scrapy_justext.evaluation.datasets.documents import UTF_8, Item, Problem, text_of
from scrapy_justext.evaluation.kinds import check_libraries, escape_text
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import Document, Listing

_SUFFIX = ".md"
_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
#: A name and a value, which may stand in quotes.
_FIELD = re.compile(r"""([\w-]+):[ \t]*(["']?)(.*)\2""")


def find_kinds(path: Path) -> Listing:
    """Find pages beside their Markdown; raise :class:`DataSetError`, :class:`LibraryNotInstalledError`."""
    check_libraries()
    if not path.is_dir():
        raise DataSetError("dataset", str(path), "no such folder")
    # Of two that differ in the case of their endings, the first.
    golds = {file.stem: file for file in sorted(path.iterdir(), reverse=True) if file.suffix.lower() == _SUFFIX}
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
    match = _HEAD.match(markdown)
    fields: dict[str, object] | None = None
    if match and match[1].lstrip().startswith("{"):
        fields = documents.parse_object(match[1].encode())
    elif match:
        lines = [_FIELD.fullmatch(line.strip()) for line in match[1].split("\n") if line.strip()]
        fields = {line[1]: line[3] for line in lines if line} if all(lines) else None
    return ({}, markdown) if match is None or fields is None else (fields, markdown[match.end() :].lstrip("\n"))


# WebMainBench.

_TEXTS = ("track_id", "html")
_LIST = "groundtruth_content_list"
_MARKDOWN = ("groundtruth_content", "convert_main_content")
_MARK = re.compile(r"""\s+cc-select=(?:"true"|'true'|true)(?=[\s/>])""")


def find_webmainbench(path: Path) -> Listing:
    """Find the pages of WebMainBench's file; raise :class:`DataSetError`, :class:`LibraryNotInstalledError`."""
    check_libraries()
    objects = yield from documents.open_lines(path, _TEXTS)
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
    page = _MARK.sub("", documents.read_line(item, _TEXTS)["html"])
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


def _field(content: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that is a text; what has no fields is the text itself."""
    return next((value.strip("\n") for name in (*names, "") if isinstance(value := content.get(name), str)), "")


def _title(content: Mapping[str, Any], _: bool) -> str:
    level = content.get("level")
    marks = "#" * min(6, max(1, int(level))) if isinstance(level, int | str) and str(level).isdecimal() else "#"
    text = _line(_field(content, "title_content"))
    return f"{marks} {text}" if text else ""


def _code(content: Mapping[str, Any], is_inline: bool) -> str:
    code = _field(content, "code_content")
    if is_inline:
        return code_span(_collapsed(code))
    fence = fence_for(code, 3)
    language = content.get("language")
    return f"{fence}{language if isinstance(language, str) and language.isalnum() else ''}\n{code}\n{fence}"


def _formula(content: Mapping[str, Any], _: bool) -> str:
    # An empty line would end it.
    lines = _field(content, "math_content").split("\n")
    return "\n".join(["$$", *(line for line in lines if line.strip()), "$$"])


def _list(content: Mapping[str, Any], _: bool) -> str:
    items = content.get("items", content.get(""))
    return "\n".join(f"- {text}" for item in items if (text := _inline(item))) if isinstance(items, list) else ""


def _image(content: Mapping[str, Any], _: bool) -> str:
    address = re.sub(r"[\s<>]", "", _field(content, "url", "path"))
    return f"![{_line(_field(content, 'alt', 'title'))}](<{address}>)"


_TABLES = ("table", "simple_table", "complex_table")
#: What writes the pieces of each type, from their content and whether they stand within a line.
_WRITERS: dict[str, Callable[[Mapping[str, Any], bool], str]] = {
    **dict.fromkeys(("title", "heading"), _title),
    **dict.fromkeys(("paragraph", "text"), lambda content, _: _inline(content.get("", content))),
    "code": _code,
    "equation-interline": _formula,
    "equation-inline": lambda content, _: f"${_collapsed(_field(content, 'math_content'))}$",
    **dict.fromkeys(_TABLES, lambda content, _: _collapsed(_field(content, "html"))),
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
