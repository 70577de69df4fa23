"""Measurements of texts by their characters, in every script."""

from __future__ import annotations

import pytest

from scrapy_justext.core.learned.characters import TextMeasurer
from tests.core.learned.pages import SENTENCES


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_has_about_as_many_units_and_words_everywhere(language: str) -> None:
    found = TextMeasurer()
    found.measure(SENTENCES[language])
    assert 70 <= found.units <= 150
    assert 11 <= found.words <= 26
    assert found.ends >= 0.7


@pytest.mark.parametrize(
    ("text", "ends"), [("version 3.14", 0), ("Wait...", 1), ("He said: “Go.”", 1), ("Why?", 1), ("x", 0), ("a.b.c", 0)]
)
def test_only_ends_of_sentences_count(text: str, ends: int) -> None:
    found = TextMeasurer()
    found.measure(text)
    assert (found.ends, found.ends_sentence) == (ends, ends)
