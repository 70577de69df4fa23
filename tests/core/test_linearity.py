"""The work grows with the page and no faster; counted in lines run, so that no clock decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext import extract
from scrapy_justext.core import context_sensitive
from scrapy_justext.core.context_sensitive import Context
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from tests.builders import blocks, lines_run, tree
from tests.core.markdown.rendering import markdown_of
from tests.products import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.core.options import Choices

GOOD = "It was the best of times, it was the worst of times. " * 5

#: Shapes of pages, by how often their part stands in them.
SHAPES: dict[str, Callable[[int], str]] = {
    "short paragraphs": lambda n: "<p>one</p>" * n,
    "short headings": lambda n: "<h2>one</h2>" * n,
    "short headings before a good paragraph": lambda n: "<h2>one</h2>" * n + f"<p>{GOOD}</p>",
    "good paragraphs": lambda n: f"<p>{GOOD}</p>" * n,
    "near-good paragraphs": lambda n: f"<p>{GOOD[:150]}</p>" * n,
    "near-good between good and bad": lambda n: f"<p>{GOOD}</p>" + f"<p>{GOOD[:150]}</p><p>x</p>" * n,
    "links": lambda n: "<a href=x>one</a> " * n,
    "links in a paragraph each": lambda n: "<p><a href=x>one</a>" * n,
    "links not closed": lambda n: "<p><a href=x>one" * n,
    "one BR each": lambda n: "one<br>" * n,
    "two BR each": lambda n: "one<br><br>" * n,
    "nothing but BR": lambda n: "one" + "<br>" * n + "two",
    "inline elements": lambda n: "<b>one</b>" * n,
    "nested inline elements": lambda n: "<b>one" * n,
    "nested blocks": lambda n: "<div>one" * n,
    "nested lists": lambda n: "<ul><li>one" * n,
    "end tags only": lambda n: "one</p></div>" * n,
    "options": lambda n: "<select>" + "<option>one" * n,
    "accordion buttons": lambda n: "<h2><button>one</button></h2>" * n,
    "hidden elements": lambda n: "<p hidden>x</p>one" * n,
    "removed elements": lambda n: "<svg>x</svg>one" * n,
    "comments": lambda n: "<!-- x -->one" * n,
    "preformatted lines": lambda n: "<pre>" + "one\n" * n,
    "lists and quotes": lambda n: "<li>one<blockquote>two" * n,
    "items": lambda n: "<ol>" + "<li>one" * n,
    "tables in tables": lambda n: f"<table>{GOOD}" * n,
    "rows": lambda n: "<table>" + f"<tr><td>{GOOD}<td>{GOOD}" * n,
    "emphasis and links": lambda n: f"<p>{GOOD}" + "<b>one</b><a href=x>two</a>" * n,
    "marks": lambda n: "one\ufdd0<p>two\ufdd1x" * n,
}

CHOICES: dict[str, Choices] = {
    f"{profile}{', paths' * paths}": {"language": "English", "profile": profile, "paths": paths}
    for profile in PROFILES
    for paths in (False, True)
}

#: 64 times the blocks are to cost at most 80 times the work.  The smaller page has fixed costs too.
TIMES, LIMIT = 64, 80


@pytest.mark.parametrize(("shape", "choices"), in_turn(SHAPES, CHOICES))
def test_64_times_the_blocks_run_at_most_80_times_the_lines(shape: Callable[[int], str], choices: Choices) -> None:
    def work(n: int) -> int:
        page = f"<html><head></head><body>{shape(n)}"

        def once() -> None:
            extract(page, **choices)

        once()  # what is cached is warm
        return lines_run(once)

    # Two times 11 * 64 nested elements are fewer than the 1,500 below which another way of flattening takes over.
    assert 0 < work(11 * TIMES) <= LIMIT * work(11)


@pytest.mark.parametrize("shape", SHAPES)
def test_64_times_the_good_blocks_make_at_most_80_times_the_markdown(shape: str) -> None:
    def work(n: int) -> int:
        root = tree(f"<html><head></head><body>{SHAPES[shape](n)}")
        markdown_of(root)
        return lines_run(lambda: markdown_of(root))

    assert 0 < work(11 * TIMES) <= LIMIT * work(11)


def test_the_count_notices_quadratic_work() -> None:
    def work(n: int) -> int:
        # As the reference goes about it: a look ahead from each block.
        segments, decisions = blocks(" ".join(["S1"] * n))

        def each() -> None:
            for i in range(n):
                context_sensitive.promote(Context(segments[i:], decisions[i:], Thresholds()), decisions[i:])

        return lines_run(each)

    assert work(10 * TIMES) > LIMIT * work(10)
