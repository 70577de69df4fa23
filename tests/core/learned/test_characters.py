"""Measurements of texts by their characters, in every script."""

from __future__ import annotations

import pytest

from scrapy_justext.core.learned.characters import measure_in_python
from tests.core.learned.pages import SENTENCES


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_has_about_as_many_units_and_words_everywhere(language: str) -> None:
    found = measure_in_python([SENTENCES[language]])
    assert 70 <= found.units[0] <= 150
    assert 11 <= found.words[0] <= 26
    assert found.ends[0] >= 0.7


def test_only_ends_of_sentences_count() -> None:
    texts = ["version 3.14", "Wait...", "He said: “Go.”", "Why?", "x", "a.b.c"]
    assert measure_in_python(texts).ends.tolist() == [0, 1, 1, 1, 0, 0]
    assert measure_in_python(texts).ends_sentence.tolist() == [0, 1, 1, 1, 0, 0]
