"""Judged pages as plain data: what they give is the same in another process, and they can be judged again."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.processes import join_judged, split_judged
from tests.builders import DEMO_PAGES, page_id, prose, read_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_justext.core.extractor import JudgedPage

DECIDED = Decision(BAD, "repeated")
LONG = prose(250, stopwords=10)
SHORT = "one short line"


def judged(html: str, profile: str = "justext", *, markdown: bool = False, **parameters: Any) -> JudgedPage:
    extractor = Extractor(profile=profile, stoplist=["the"], markdown=markdown, **parameters)
    return extractor.judge(extractor.read(html, url="http://example.com/"))


def sent(page: JudgedPage) -> JudgedPage:
    """The page as it comes from another process."""
    return join_judged([pickle.loads(pickle.dumps(piece)) for piece in split_judged(page)])


def classes(page: JudgedPage) -> str:
    return "".join(block.block_class.value[0] for block in page.extraction().blocks)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("page", DEMO_PAGES[::9], ids=page_id)
def test_the_copy_of_another_process_gives_the_same_extraction(page: Path, profile: str) -> None:
    extractor, html = Extractor(profile=profile, paths=True, markdown=True, tree_depth=2), read_page(page)
    original = extractor.judge(extractor.read(html))
    copy = sent(original)
    assert copy.extraction() == original.extraction() == extractor.extract(html)
    again = dict.fromkeys(range(0, len(original.context.segments), 2), DECIDED)
    without_markdown = [replace(one.with_decisions(again).extraction(), markdown="") for one in (copy, original)]
    assert without_markdown[0] == without_markdown[1]


CASES: list[tuple[str, str, str, Sequence[int], str]] = [
    ("nothing", f"<p>{LONG}<p>{SHORT}<p>{LONG}", "ggg", [], "ggg"),
    ("a neighbour loses what it leaned on", f"<p>{LONG}<p>{SHORT}<p>{LONG}", "ggg", [0], "bbg"),
    ("a heading loses its text", f"<h2>{SHORT}</h2><p>{LONG}", "gg", [1], "bb"),
    ("a heading that is decided is not rescued", f"<h2>{SHORT}</h2><p>{LONG}", "gg", [0], "bg"),
    ("a bad one", f"<p>{SHORT}<p>{LONG}", "bg", [0], "bg"),
]


@pytest.mark.parametrize(("html", "before", "indices", "after"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_is_decided_weighs_on_its_neighbours(html: str, before: str, indices: Sequence[int], after: str) -> None:
    page = judged(html)
    again = page.with_decisions(dict.fromkeys(indices, DECIDED))
    assert (classes(page), classes(again)) == (before, after)
    blocks = again.extraction().blocks
    assert all(blocks[i].reason == "repeated" and blocks[i].context_free_class is BAD for i in indices)
    assert classes(page) == before


def test_the_tree_filter_is_run_again() -> None:
    html = f"<body><div><div><p>{LONG}{LONG}</div></div><div><div><p>{LONG}</div></div>"
    page = judged(html, "article")
    assert classes(page) == "gb"
    assert classes(page.with_decisions({0: DECIDED})) == "bg"


def test_the_user_s_rules_are_stronger() -> None:
    page = judged(f"<p class=keep>{LONG}<p>{LONG}", keep_css=".keep")
    assert classes(page.with_decisions({0: DECIDED, 1: DECIDED})) == "gb"
    assert page.context.context_free[0].block_class is GOOD


def test_markdown_is_written_again_where_the_tree_is() -> None:
    page = judged(f"<h2>{SHORT}</h2><p>{LONG}<p><b>{LONG}</b>", markdown=True)
    before = page.extraction().markdown
    assert before.startswith("## one short line")
    assert "**" in before
    again = page.with_decisions({2: DECIDED}).extraction().markdown
    assert again
    assert "**" not in again
    copy = sent(page)
    assert copy.extraction().markdown == before
    assert copy.with_decisions({2: DECIDED}).extraction().markdown == before
