"""The compiled writer of lines: it gives what Python makes of the runs of a text."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_justext.core.markdown.footnotes import is_reference
from scrapy_justext.core.markdown.inline import HARD_BREAK, TextRun, as_heading, as_paragraph, heading, paragraph
from scrapy_justext.core.markdown.pieces import read_runs, references, resolved
from scrapy_justext.core.marks import (
    BOLD,
    BREAK,
    FIXED_WIDTH,
    IMAGE,
    INLINE,
    ITALIC,
    LINK,
    MATH,
    PLAIN,
    SOURCE,
    TAG,
    UNLINK,
)
from scrapy_justext.core.text import collapse
from tests.core.kernel.test_kernel import compiled, needs_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.kernel.lines import LineWriter

pytestmark = needs_kernel

SIGNS = "\\`*_[]()<>|~$&;:!^#-+=.,1aé中\u00a0€«\u200b \n\t😀"
WORDS = [
    "to be",
    "a_b_ _c",
    "&amp; &#1; &",
    "# 1. ",
    "]: (x)",
    "![",
    "^[",
    "``a`",
    "  ",
    " \n",
    "«é»",
    "€5",
    "!",
    "**",
    "中文",
]
texts = (
    st.sampled_from(WORDS) | st.text(SIGNS, max_size=6) | st.text(max_size=4).map(lambda text: text.replace(INLINE, ""))
)
addresses = st.sampled_from(["/a", "/b", "javascript:x", "", "/a b(c)", "é", "#note", "#other", "#"])
#: Those of footnotes.
LABELS = {"#note": "1", "#": "*"}


def within(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return what strategies give inside of styles and links, with a BR or another element beside it."""
    styles = st.builds(
        lambda code, text: f"{INLINE}{code}{text}{INLINE}{PLAIN}", st.sampled_from(BOLD + ITALIC + FIXED_WIDTH), inner
    )
    links = st.builds(
        lambda address, text: f"{INLINE}{LINK}{address}{INLINE}{SOURCE}{text}{INLINE}{UNLINK}", addresses, inner
    )
    others = st.sampled_from([INLINE + BREAK, INLINE + TAG])
    return st.lists(inner | styles | links | others, max_size=5).map("".join)


marked = st.recursive(texts, within, max_leaves=20)


class Resolver:
    """Gives destinations, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, address: str) -> str | None:
        self.asked.append(address)
        return None if address.startswith("javascript:") or not address else f"https://a.b{address}"


def line_writer(resolve: Resolver | None = None) -> LineWriter:
    made: LineWriter = compiled().lines.LineWriter(resolve or Resolver(), is_reference)
    made.labels = LABELS
    return made


def check_line(text: str, writer: LineWriter, resolve: Resolver) -> None:
    assert compiled().lines.is_whole(text)
    for in_heading, write, finish in ((False, paragraph, as_paragraph), (True, heading, as_heading)):
        python = Resolver()
        resolve.asked.clear()
        expected = write(resolved(read_runs(text, [TextRun()]), python, LABELS))
        line = writer.line(text, " " if in_heading else HARD_BREAK, in_heading=in_heading)
        assert finish(line) == expected
        assert resolve.asked == python.asked


def bold(text: str) -> str:
    return f"{INLINE}{BOLD}{text}{INLINE}{PLAIN}"


def link(address: str, text: str) -> str:
    return f"{INLINE}{LINK}{address}{INLINE}{SOURCE}{text}{INLINE}{UNLINK}"


@given(st.lists(marked, min_size=1, max_size=3))
@example([""])
@example([f"one{link('#note', '1')} {link('#note', '1')}: two", bold(f"x {link('#note', ' [1] ')}{bold('.')}")])
@example([link("/a", "one") + link("/a", " two") + "(three)"])
@example([link("/a", bold("one") + " ") + "two", "!" + link("/a", "x")])
@example([bold("a") + bold("b") + bold(" ") + INLINE + BREAK + " " + INLINE + BREAK + "c"])
@example(["x" * 300 + "`" * 300, bold("«x»") + "y"])
def test_lines_are_those_of_runs(lines: Sequence[str]) -> None:
    resolve = Resolver()
    writer = line_writer(resolve)
    for line in lines:
        check_line(line, writer, resolve)


@given(st.lists(texts.map(collapse), max_size=4))
@example(["plain", "a_b &lt; *", ""])
def test_lines_without_marks(lines: Sequence[str]) -> None:
    lines = [line.replace("\n", "") for line in lines]
    writer = line_writer()
    assert [as_heading(writer.plain_line(line)) for line in lines] == [heading([TextRun(line)]) for line in lines]


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("", True),
        ("plain", True),
        (bold("one") + link("/a", "two"), True),
        (f"{INLINE}{BOLD}open", False),
        (f"closed{INLINE}{PLAIN}", False),
        (f"{INLINE}{PLAIN}{INLINE}{BOLD}", False),
        (f"{INLINE}{MATH}0$x$", False),
        (f"{INLINE}{IMAGE}", False),
        (link("#note", "1"), True),
        (INLINE, True),
    ],
)
def test_texts_are_whole(text: str, is_whole: bool) -> None:
    assert compiled().lines.is_whole(text) == is_whole


@given(marked)
@example(link("#note", "1") + link("#other", f"[{bold('2')}]") + link("#", "none"))
def test_addresses_of_references(text: str) -> None:
    assert line_writer().near_references(text) == list(references(read_runs(text, [TextRun()])))


def test_hostile_marks_are_survived() -> None:
    """Ends without a beginning, and marks that are cut off."""
    writer = line_writer()
    for text in chain(map(INLINE.__add__, "<>.b`|@x"), [INLINE, INLINE * 3, f"a{INLINE}", link("/a", "") * 3]):
        assert isinstance(writer.line(text, " ", in_heading=False), str)
    deep = f"{INLINE}{ITALIC}" * 100_000
    assert writer.line(f"{deep}x", " ", in_heading=False) == "*x*"
