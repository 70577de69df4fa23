"""The line that says why a page has no good content."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_justext import Extraction, extract
from scrapy_justext.crawl.pages import explain_no_content
from scrapy_justext.crawl.settings import configure, from_mapping

LISTED = {"stoplist": ["the"]}


def words(characters: int, *, stopwords: int, count: int = 20) -> str:
    """A text of so many characters and words, so many of them stop words."""
    head = " ".join(["the"] * stopwords + ["x"] * (count - stopwords - 1))
    return f"{head} {'x' * (characters - len(head) - 1)}"


def linked(characters: int, link: int) -> str:
    text = words(characters, stopwords=10)
    return f"{text[:-link]}<a>{text[-link:]}</a>"


def explained(*paragraphs: str, **values: Any) -> str:
    """The explanation for a page of such paragraphs."""
    html = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    configuration = configure(from_mapping({**LISTED, **values}, "test"))
    thresholds = {k: v for k, v in values.items() if k != "min_good_characters"}
    extraction: Extraction = extract(html, stoplist=["the"], **thresholds)
    return explain_no_content(extraction, configuration)


NEAREST: list[tuple[list[str], str]] = [
    ([words(180, stopwords=5)], "180 characters, stop-word density 0.25 < 0.30"),
    ([words(250, stopwords=5)], "250 characters, stop-word density 0.25 < 0.30"),
    ([words(60, stopwords=10)], "60 characters <= 200"),
    ([words(200, stopwords=10)], "200 characters <= 200"),
    ([linked(250, 100)], "250 characters, link density 0.40 > 0.20"),
    # Of several, the one that came nearest: a link density that is too high is far from good.
    (
        [words(60, stopwords=0), words(180, stopwords=5), linked(900, 300)],
        "180 characters, stop-word density 0.25 < 0.30",
    ),
    ([words(60, stopwords=10), words(190, stopwords=10)], "190 characters <= 200"),
]


@pytest.mark.parametrize(("paragraphs", "miss"), NEAREST)
def test_the_nearest_miss_is_named_with_what_it_lacks(paragraphs: list[str], miss: str) -> None:
    found = f"no good content: 0 of {len(paragraphs)} blocks"
    assert explained(*paragraphs) == f"{found}; nearest miss: {miss}"


def test_of_a_trained_model_the_most_probable_block_is_named() -> None:
    paragraphs = ["Home", "It was the best of times, it was the worst of times. " * 4, "© 2026"]
    values: dict[str, Any] = {"profile": "learned", "good_probability": 1.0}
    blocks = extract("".join(f"<p>{text}</p>" for text in paragraphs), **values).blocks
    nearest = max(blocks, key=lambda block: block.probability or 0)
    assert explained(*paragraphs, **values) == (
        f"no good content: 0 of 3 blocks; nearest miss: {nearest.characters} characters, {nearest.reason}"
    )
    assert nearest.characters > 100


def test_several_lacks_are_all_named() -> None:
    text = words(250, stopwords=2)
    explanation = explained(f"{text[:-100]}<a>{text[-100:]}</a>")
    assert explanation.endswith("250 characters, link density 0.40 > 0.20, stop-word density 0.10 < 0.30")


def test_a_block_that_misses_no_threshold_gives_its_reason() -> None:
    """Between the two stop-word densities a long block is near-good at best: its neighbours decide."""
    explanation = explained(words(350, stopwords=31, count=100))
    assert explanation.startswith("no good content: 0 of 1 blocks; nearest miss: 350 characters, ")
    assert "<" not in explanation
    assert "0.31" in explanation.split("350 characters, ")[1]


def test_thresholds_are_those_of_the_page() -> None:
    text = words(180, stopwords=5)
    assert explained(text, stopwords_low=0.28).endswith("180 characters, stop-word density 0.25 < 0.28")
    assert explained(text, stopwords_low=0.2).endswith("180 characters <= 200")
    assert explained(linked(250, 100), max_link_density=0.3).endswith("link density 0.40 > 0.30")


def test_a_page_without_text() -> None:
    assert explained() == "no good content: the page has no text"


def test_too_few_good_characters_are_counted() -> None:
    good, bad = words(250, stopwords=10), words(250, stopwords=0)
    explanation = explained(good, bad, min_good_characters=300)
    assert explanation == "no good content: 1 of 2 blocks, 250 < 300 good characters"


def test_a_stop_word_density_of_zero_is_no_division_by_zero() -> None:
    assert explained(words(60, stopwords=0), stopwords_low=0, stopwords_high=0, length_low=0, length_high=60).endswith(
        "60 characters <= 60"
    )
    assert explained("<a>x</a>", length_low=0, length_high=0, stopwords_low=0, stopwords_high=0)
