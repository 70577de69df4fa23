"""Real pages: rendered back, their Markdown has the text of the good blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from tests.builders import CORPORA, DEMO_PAGES, corpus_pages, page_id, read_page
from tests.core.markdown.rendering import collapse, page_and_text, rendered_text

if TYPE_CHECKING:
    from pathlib import Path

#: 1,555 pages are there.
PAGES = corpus_pages(7)[:200]
URL = "https://example.com/docs/page.html"


def check(page: Path, profile: str) -> None:
    found = extract(read_page(page), profile=profile, url=URL, markdown=True)
    assert rendered_text(found.markdown) == collapse(found.text)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("page", DEMO_PAGES, ids=page_id)
def test_demo_pages_come_back(page: Path, profile: str) -> None:
    check(page, profile)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("profile", ["justext", "learned"])
def test_200_labelled_pages_come_back(profile: str) -> None:
    assert len(PAGES) == 200
    for page in PAGES:
        check(page, profile)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
def test_boilerplate_would_come_back_too() -> None:
    for page in PAGES[::4]:
        markdown, text = page_and_text(read_page(page), url=URL)
        assert rendered_text(markdown) == text
