r"""Pieces as HTML: the simplest that says what Markdown says, and what Markdown has no signs for.

There is a handful of elements, without styles and handlers.  Attributes are addresses that are safe to follow, spans of
cells, numbers of items, names of footnotes, and one class: the language of code.  All text is escaped, so the HTML is
harmless whatever the page held.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown.inline import MARKUP, REFERENCE, collapsed_runs, formula
from scrapy_justext.core.tags import FORMULA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.core.markdown.inline import TextRun
    from scrapy_justext.core.markdown.pieces import CellPieces, Piece
    from scrapy_justext.core.markdown.structure import Container


def to_html(pieces: Iterable[Piece]) -> str:
    """Return pieces as HTML, with a line for each that stands in no other; empty where there are none."""
    return "\n".join(_DOCUMENT.parts(list(pieces), 0))


class HtmlWriter:
    r"""Writes pieces as HTML.

    ``in_markdown``: inside of a Markdown document, where formulas stand in dollars, and no link leads to a footnote.
    Elsewhere they have the signs that KaTeX and MathJax look for by themselves, among which is no single dollar.

    >>> from scrapy_justext.core.markdown.inline import TextRun
    >>> runs = [TextRun("1 < 2", is_bold=True), TextRun(" "), TextRun("x", destination="/x")]
    >>> print(HtmlWriter().line([*runs, TextRun("y", kind=FORMULA)]))
    <strong>1 &lt; 2</strong> <a href="/x">x</a>\(y\)
    """

    def __init__(self, *, in_markdown: bool = False) -> None:
        self._in_markdown = in_markdown

    def flow(self, pieces: Sequence[Piece], depth: int) -> str:
        """Return pieces in the containers below a ``depth``; a text that is alone there needs no paragraph."""
        if len(pieces) == 1 and _container(pieces[0], depth) is None and not pieces[0].rows:
            name, content = self._block(pieces[0])
            return content if name == "p" else _tagged(name, content)
        return "".join(self.parts(pieces, depth))

    def parts(self, pieces: Sequence[Piece], depth: int) -> Iterator[str]:
        """Yield the elements that pieces stand in; ``depth`` as in :meth:`flow`."""
        for _, group in groupby(pieces, lambda piece: _parent(piece, depth)):
            items = [(item, list(inside)) for item, inside in groupby(group, lambda piece: _container(piece, depth))]
            first, inside = items[0]
            if first is None:
                contents = (content for _, several in items for content in map(self._block, several))
                yield from (_tagged(name, content) for name, content in contents if content)
            elif first.label:
                mark = f"<sup>{first.label}</sup> "
                yield f'<div id="fn-{first.label}">{mark}{self.flow(inside, depth + 1)}</div>'
            elif first.callout:
                title = f"<p><strong>{first.callout.capitalize()}</strong></p>"
                yield _tagged("blockquote", "".join([title, *self.parts(inside, depth + 1)]))
            elif not first.parent:
                yield _tagged("blockquote", self.flow(inside, depth + 1))
            else:
                yield self._list(items, depth + 1)

    def _list(self, items: Sequence[tuple[Container | None, Sequence[Piece]]], depth: int) -> str:
        first, _ = items[0]
        assert first is not None
        written, number = [], first.number
        for item, inside in items:
            assert item is not None
            # The number that a browser would give it, or the page's.
            value = "" if item.number == number else f' value="{item.number}"'
            written.append(f"<li{value}>{self.flow(inside, depth)}</li>")
            number = None if item.number is None else item.number + 1
        start = "" if first.number in (None, 1) else f' start="{first.number}"'
        name = "ul" if first.number is None else "ol"
        return f"<{name}{start}>{''.join(written)}</{name}>"

    def _block(self, piece: Piece) -> tuple[str, str]:
        """Return the name of the element that a piece becomes, and what is in it; "" for no text and no image."""
        segment = piece.segment
        if piece.rows:
            depth = len(piece.surroundings.containers)
            return "table", "".join(self.rows(piece.rows, depth))
        if segment.keeps_lines and piece.source is None:
            language = f' class="language-{escape(segment.code_language)}"' if segment.code_language else ""
            text = escape(segment.text, quote=False)
            # HTML in Markdown ends at an empty line, and a PRE begins without the line feed behind it.
            text = text.replace("\n\n", "\n&#10;") if self._in_markdown else text
            return "pre", f"<code{language}>{text}</code>"
        if segment.kind == FORMULA:
            return "p", self._formula(segment.collapsed.removeprefix("$$").removesuffix("$$"), is_block=True)
        content = self.line(piece.runs) if piece.source is None else image_tag(segment.collapsed, piece.source)
        return f"h{segment.heading_level}" if segment.heading_level else "p", content

    def rows(self, rows: Iterable[Sequence[CellPieces]], depth: int) -> Iterator[str]:
        """Yield the rows of a table; ``depth``: of the containers around it."""
        for row in rows:
            if row:
                yield _tagged("tr", "".join(self._cell(cell, depth) for cell in row))

    def _cell(self, cell: CellPieces, depth: int) -> str:
        spans = (("colspan", cell.columns), ("rowspan", cell.rows))
        attributes = "".join(f' {name}="{span}"' for name, span in spans if span > 1)
        return f"<{cell.name}{attributes}>{self.flow(cell.pieces, depth)}</{cell.name}>"

    def line(self, runs: Iterable[TextRun]) -> str:
        """Return runs with the elements of their links and styles."""
        return "".join(
            f'<a href="{_address(destination)}">{self._styled(group)}</a>' if destination else self._styled(group)
            for destination, group in groupby(collapsed_runs(runs), lambda run: run.destination)
        )

    def _styled(self, runs: Iterable[TextRun]) -> str:
        parts = []
        for (bold, italic, code), group in groupby(runs, lambda run: (run.is_bold, run.is_italic, run.is_code)):
            html = "".join(map(self._text, group))
            for name, is_wanted in (("code", code), ("em", italic), ("strong", bold)):
                html = _tagged(name, html) if is_wanted else html
            parts.append(html)
        return "".join(parts)

    def _text(self, run: TextRun) -> str:
        if run.image is not None:
            return image_tag(run.image.alt, run.image.source)
        if run.text == "\n":
            return "<br>"
        if run.kind == MARKUP:
            # SUP and SUB are the same in both.
            return run.text
        if run.kind == FORMULA:
            return self._formula(run.text)
        if run.kind == REFERENCE and not self._in_markdown:
            return f'<sup><a href="#fn-{run.text}">{run.text}</a></sup>'
        return escape(run.written(), quote=False)

    def _formula(self, tex: str, *, is_block: bool = False) -> str:
        begin, end = ("$", "$") if self._in_markdown else (r"\[", r"\]") if is_block else (r"\(", r"\)")
        return escape(f"{begin}{formula(tex)}{end}", quote=False)


_DOCUMENT = HtmlWriter()


def _container(piece: Piece, depth: int) -> Container | None:
    containers = piece.surroundings.containers
    return containers[depth] if len(containers) > depth else None


def _parent(piece: Piece, depth: int) -> Container | tuple[int, bool] | None:
    container = _container(piece, depth)
    return container if container is None or not container.parent else (container.parent, container.number is None)


def image_tag(alt: str, source: str) -> str:
    """Return an image in HTML."""
    return f'<img src="{_address(source)}" alt="{escape(alt)}">'


def _tagged(name: str, html: str) -> str:
    return f"<{name}>{html}</{name}>"


def _address(destination: str) -> str:
    return escape(destination.replace("\\", ""))
