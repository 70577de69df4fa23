"""Blocks in HTML, for what Markdown has no signs for: cells of tables that hold more than a line of text.

HTML in Markdown ends at an empty line, so none is written.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown.inline import collapsed_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_justext.core.markdown.inline import TextRun
    from scrapy_justext.core.markdown.pieces import Piece
    from scrapy_justext.core.markdown.structure import Container


def html_flow(pieces: Sequence[Piece], depth: int) -> str:
    """Return blocks in their lists and quotes; ``depth``: of the containers around all of them."""
    if len(pieces) == 1 and _container(pieces[0], depth) is None:
        return _content(pieces[0])
    parts: list[str] = []
    for _, group in groupby(pieces, lambda piece: _parent(piece, depth)):
        items = [(item, list(inside)) for item, inside in groupby(group, lambda piece: _container(piece, depth))]
        first = items[0][0]
        if first is None:
            contents = (_content(piece) for _, inside in items for piece in inside)
            parts += (one if one.startswith("<pre>") else f"<p>{one}</p>" for one in contents)
        elif not first.parent:
            parts.append(f"<blockquote>{html_flow(items[0][1], depth + 1)}</blockquote>")
        else:
            content = "".join(f"<li>{html_flow(inside, depth + 1)}</li>" for _, inside in items)
            name, start = ("ul", "") if first.number is None else ("ol", f' start="{first.number}"')
            parts.append(f"<{name}{'' if first.number == 1 else start}>{content}</{name}>")
    return "".join(parts)


def _container(piece: Piece, depth: int) -> Container | None:
    containers = piece.surroundings.containers
    return containers[depth] if len(containers) > depth else None


def _parent(piece: Piece, depth: int) -> Container | int | None:
    """Return the list that a piece stands in, or the quote; None without."""
    container = _container(piece, depth)
    return None if container is None else container.parent or container


def _content(piece: Piece) -> str:
    segment = piece.segment
    if piece.source is not None:
        return image_tag(segment.collapsed, piece.source)
    if not segment.keeps_lines:
        return html_line(piece.runs)
    language = f' class="language-{segment.code_language}"' if segment.code_language else ""
    lines = escape(segment.text, quote=False).replace("\n\n", "\n&#10;")
    return f"<pre><code{language}>{lines}</code></pre>"


def html_line(runs: Iterable[TextRun]) -> str:
    """Return runs in HTML.

    >>> from scrapy_justext.core.markdown.inline import TextRun
    >>> html_line([TextRun("1 < 2", is_bold=True), TextRun(" "), TextRun("x", destination="/x")])
    '<strong>1 &lt; 2</strong> <a href="/x">x</a>'
    """
    return "".join(
        _tagged("a", f' href="{_address(destination)}"', _styled(group)) if destination else _styled(group)
        for destination, group in groupby(collapsed_runs(runs), lambda run: run.destination)
    )


def _styled(runs: Iterable[TextRun]) -> str:
    parts = []
    for (bold, italic, code), group in groupby(runs, lambda run: (run.is_bold, run.is_italic, run.is_code)):
        html = "".join(_text(run) for run in group)
        for name, is_wanted in (("code", code), ("em", italic), ("strong", bold)):
            html = _tagged(name, "", html) if is_wanted else html
        parts.append(html)
    return "".join(parts)


def _text(run: TextRun) -> str:
    if run.image is not None:
        return image_tag(run.image.alt, run.image.source)
    if run.text == "\n":
        return "<br>"
    return escape(run.written(), quote=False)


def image_tag(alt: str, source: str) -> str:
    """Return an image in HTML."""
    return f'<img src="{_address(source)}" alt="{escape(alt)}">'


def _tagged(name: str, attributes: str, html: str) -> str:
    return f"<{name}{attributes}>{html}</{name}>"


def _address(destination: str) -> str:
    """Return a destination, as Markdown has it, as HTML has it."""
    return escape(destination.replace("\\", ""))
