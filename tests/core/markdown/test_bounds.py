"""Markdown is no more than a few times as long as its page, whatever the page repeats."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

import pytest

from scrapy_justext.core.markdown import inline, runs
from scrapy_justext.core.reading.rules import JAVA
from tests.core.markdown.rendering import URL, html_of, markdown_of, page_and_text, rendered_text
from tests.products import in_part

#: What Markdown may be as a multiple of its page.
MOST = 16


def _with_long_base(size: int, part: str) -> str:
    """Half a page of BASE, and half a page of parts, with their numbers in place of ``#``."""
    parts = (part.replace("#", str(i)) for i in range(size // 2 // len(part)))
    return f"<base href=https://example.com/{'a/' * (size // 4)}>{''.join(parts)}"


#: Shapes of pages of about so many characters.
SHAPES: dict[str, Callable[[int], str]] = {
    "a long BASE": lambda n: _with_long_base(n, "<p>one <a href=x>two</a>"),
    "a long BASE, links that differ": lambda n: _with_long_base(n, "<p>one <a href=#>two</a>"),
    "a long BASE, links from the top": lambda n: _with_long_base(n, "<p>one <a href=/#>two</a>"),
    "a long BASE, images": lambda n: _with_long_base(n, "<img src=x alt=y>"),
    "a long link around blocks": lambda n: f"<a href='/{'x' * (n // 2)}'>{'<p>one' * (n // 12)}",
    "a long link around others": lambda n: f"<a href='/{'x' * (n // 2)}'>{'one <a href=y>two</a> ' * (n // 44)}",
    "code inside long numbers": lambda n: f"{'<ol start=999999999><li>' * 8}<pre>" + "x\n" * (n // 2),
    "code inside quotes": lambda n: f"{'<blockquote>' * 20}<pre>x" + "\n" * n + "y",
    "a sparse table": lambda n: f"<table><tr>{'<td>one' * 60}{'<tr><td>x' * (n // 9)}</table>",
    "a table of cells over columns": lambda n: "<table>" + "<tr><td rowspan=65536>x" * 63 + "<tr><td>x" * (n // 9),
    "a table of styles": lambda n: f"<b><i><code><table><tr><th>x{'<tr><td>x<td>x' * (n // 14)}</table>",
    "a table of blocks": lambda n: f"<b><i><code><table><tr><th>x{'<tr><td>x<td><p>x<p>y' * (n // 22)}</table>",
    "code in a table": lambda n: f"<table><tr><th>x<th>y<tr><td>z<td><pre>x{chr(10) * n}y</pre></table>",
    "callouts": lambda n: "<p class='alert bug'>x" * (n // 22),
    "footnotes": lambda n: "<sup><a href='#n'>1</a></sup>" * (n // 60) + "<div id=n><pre>x" + "\n\nx" * (n // 6),
    "prices": lambda n: f"<p>{'$' * n}",
    "an address of quoted characters": lambda n: f"<p><a href='/{'<' * n}'>one</a>",
    "escapes": lambda n: f"<p>{'*' * n}",
    "backticks": lambda n: f"<pre>{'`' * n}</pre><p><code>{'`' * n}</code>",
    "emphasis": lambda n: "<p><b><i>x" * (n // 10),
}


@pytest.mark.parametrize("shape", in_part(SHAPES, 4))
@pytest.mark.parametrize("size", [60_000, pytest.param(300_000, marks=pytest.mark.full)])
def test_markdown_and_html_are_no_more_than_a_few_times_their_page(shape: str, size: int) -> None:
    page = SHAPES[shape](size)
    assert len(markdown_of(page, url=URL, rules=JAVA)) <= MOST * len(page)
    assert len(html_of(page, url=URL)) <= MOST * len(page)


@pytest.mark.parametrize("shape", in_part([shape for shape in SHAPES if "BASE" in shape], 4))
def test_so_is_what_is_read_to_resolve_links(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    def count(base: str, *arguments: Any) -> str:
        nonlocal read
        read += len(base)
        return str(urljoin(base, *arguments))

    monkeypatch.setattr(inline, "urljoin", count)
    page = SHAPES[shape](60_000)
    markdown_of(page, url=URL, rules=JAVA)
    assert len(page) / 4 < read <= MOST * len(page)


def test_links_stay_as_long_as_a_page_has_room_for_them() -> None:
    page = f"<base href=https://example.com/{'a/' * 50_000}>{'<p>one <a href=x>two</a>' * 20}"
    markdown, text = page_and_text(page)
    assert markdown.count("](") == 1
    assert rendered_text(markdown) == text
    url = f"https://example.com/{'a/' * 100}"
    page = "".join(f"<p>one two three four <a href=../../{i}.html>five</a> six" for i in range(1000))
    assert markdown_of(page, url=url).count(f"]({url[:-4]}") == 1000


def test_a_page_with_too_many_links_and_styles_is_written_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<h2>one</h2><ul><li>two <b>three</b></ul><p><a href=x>four</a><br>five *<pre>six\n<i>seven</i></pre>"
    monkeypatch.setattr(runs, "MOST_MARKS", 7)
    assert markdown_of(page) == "## one\n\n- two **three**\n\n[four](x)\\\nfive \\*\n\n```\nsix\nseven\n```"
    monkeypatch.setattr(runs, "MOST_MARKS", 6)
    assert markdown_of(page) == "## one\n\n- two three\n\nfour five \\*\n\n```\nsix\nseven\n```"
