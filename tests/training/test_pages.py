"""Training of page models: the same pages give the same, and what they are shown is learnt."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_justext.core.learned.pages import INPUTS, PAGE_TYPES
from training.labels import parted
from training.pages import PageSample, fit, make_page_model, table_of_choice, tables


def sample(number: int) -> PageSample:
    """A page of the first or second type, of which the first is told by one input; the second scores half."""
    is_second = number % 2
    inputs = np.random.default_rng(number).normal(scale=0.001, size=INPUTS["types"])
    inputs[5] = 3.0 * is_second
    probabilities = np.array([0.9, 0.5 if is_second else 0.1])
    good = np.array([True, bool(is_second)])
    units = np.array([100.0, 100.0])
    return PageSample(
        f"set {number % 3}",
        PAGE_TYPES[is_second],
        number % 5,
        units,
        probabilities,
        good,
        inputs,
        False,
        1 - is_second / 2,
    )


SAMPLES = [sample(number) for number in range(60)]


def test_a_page_model_learns_what_it_is_shown() -> None:
    lines = tables(SAMPLES)
    assert "| article | 30 | 1.00 | 1.00 |" in lines
    assert "| collection | 30 | 1.00 | 1.00 |" in lines
    assert float(lines[-1].removeprefix("mean absolute error ")) < 0.1


def test_auto_is_scored_as_the_profile_that_it_chooses() -> None:
    by_articles = [sample._replace(f1=0.9 if sample.page_type == "article" else 0.1) for sample in SAMPLES]
    general = [sample._replace(f1=0.5) for sample in SAMPLES]
    assert table_of_choice("auto", ["learned", "learned-article"], general, by_articles) == [
        "| | mean of the sets | set 0 | set 1 | set 2 |",
        "| --- | --- | --- | --- | --- |",
        "| `auto` | 0.700 | 0.700 | 0.700 | 0.700 |",
        "| `learned` | 0.500 | 0.500 | 0.500 | 0.500 |",
        "| `learned-article` | 0.500 | 0.500 | 0.500 | 0.500 |",
    ]


def test_the_same_pages_give_the_same_page_model() -> None:
    first, second = make_page_model(SAMPLES), make_page_model(SAMPLES)
    assert (first.types.weights == second.types.weights).all()
    assert (first.f1.weights == second.f1.weights).all()


def test_probabilities_are_as_frequent_as_they_say() -> None:
    inputs = np.zeros((10, 1))
    targets = np.array([[0.0, 1.0]] * 8 + [[1.0, 0.0]] * 2)
    assert fit(inputs, targets, 0.0).probabilities(inputs[0])[1] == pytest.approx(0.8, abs=0.02)


def test_characters_without_spaces_are_words() -> None:
    assert parted("In 春眠").split() == ["In", "春", "眠"]
