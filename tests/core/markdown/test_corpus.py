"""Real pages: rendered back, their Markdown has the text of the good blocks."""

import re
from collections import Counter
from pathlib import Path

import pytest

from scrapy_justext import extract
from scrapy_justext.core.markdown.structure import CALLOUTS, says_type
from scrapy_justext.core.profiles import PROFILES
from tests.builders import CORPORA, DEMO_PAGES, corpus_pages, page_id, read_page
from tests.core.markdown.rendering import (
    URL,
    collapse,
    page_and_text,
    rendered_text,
    without_emojis,
    words_beside_labels,
)

#: 1,555 pages are there.
PAGES = corpus_pages(7)[:200]


def words_beside_titles(text: str) -> Counter[str]:
    """The words of a text, without those that name the type of a callout."""
    words = words_beside_labels(text)
    return Counter(
        {word: count for word, count in words.items() if not any(says_type(word, callout) for callout in CALLOUTS)}
    )


def check(page: Path, profile: str) -> None:
    found = extract(read_page(page), profile=profile, url=URL, markdown=True)
    # Markdown names the page's headline where the text leaves it out, too.
    text = extract(read_page(page), profile=profile, keep_headline=True).text
    compare(found.markdown, collapse(text), has_alts=PROFILES[profile].tags.images)


def compare(markdown: str, text: str, *, has_alts: bool = False) -> None:
    """Callouts have titles of their own, footnotes other labels, at the end; else the text is the same."""
    if re.search(rf"> \[!(?:{'|'.join(sorted(CALLOUTS))})\]$", markdown, re.MULTILINE):
        assert words_beside_titles(rendered_text(markdown, has_alts=has_alts)) == words_beside_titles(text)
    elif re.search(r"^\[\^[^\]\s]+\]: ", markdown, re.MULTILINE):
        assert words_beside_labels(rendered_text(markdown, has_alts=has_alts)) == words_beside_labels(text)
    else:
        assert without_emojis(rendered_text(markdown, has_alts=has_alts)) == without_emojis(text)


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
@pytest.mark.full
@pytest.mark.parametrize("profile", ["justext", "learned"])
def test_labelled_pages_come_back(profile: str) -> None:
    assert len(PAGES) == 200
    for page in PAGES[::4]:
        check(page, profile)


@pytest.mark.full
@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
def test_boilerplate_would_come_back_too() -> None:
    for page in PAGES[::8]:
        markdown, text = page_and_text(read_page(page), url=URL)
        compare(markdown, text)
