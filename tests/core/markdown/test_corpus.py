"""Real pages: rendered back, their Markdown has the text of the good blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from tests.builders import CORPORA, DEMO_PAGES, corpus_pages, page_id, read_page
from tests.core.markdown.rendering import URL, collapse, page_and_text, rendered_text

if TYPE_CHECKING:
    from pathlib import Path

#: 1,555 pages are there.
PAGES = corpus_pages(7)[:200]


def check(page: Path, profile: str) -> None:
    found = extract(read_page(page), profile=profile, url=URL, markdown=True)
    assert rendered_text(found.markdown) == collapse(found.text)


#: Each page with each profile; the quick run takes each page once, and the profiles in turn.
DEMO_CASES = [
    pytest.param(
        page, profile, id=f"{page_id(page)}-{profile}", marks=() if (i - j) % len(PROFILES) == 0 else pytest.mark.full
    )
    for i, page in enumerate(DEMO_PAGES)
    for j, profile in enumerate(PROFILES)
]


@pytest.mark.parametrize(("page", "profile"), DEMO_CASES)
def test_demo_pages_come_back(page: Path, profile: str) -> None:
    check(page, profile)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("profile", ["justext", "learned"])
def test_labelled_pages_come_back(profile: str, step: int) -> None:
    assert len(PAGES) == 200
    for page in PAGES[::step]:
        check(page, profile)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("step", [50, pytest.param(4, marks=pytest.mark.full)])
def test_boilerplate_would_come_back_too(step: int) -> None:
    for page in PAGES[::step]:
        markdown, text = page_and_text(read_page(page), url=URL)
        assert rendered_text(markdown) == text
