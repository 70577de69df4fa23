"""What a model gives on labelled pages, through the profile that it is made for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.extraction import extract_parsed
from scrapy_justext.learned.classifier import weigh
from scrapy_justext.learned.features import compute
from scrapy_justext.options import make_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_justext.core.blocks import Decision, Figures, Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.evaluation.documents import Document
    from scrapy_justext.learned.model import Model
    from scrapy_justext.options import Options


class Score(NamedTuple):
    """Of a page, from 0 to 1."""

    page_type: str
    precision: float
    recall: float
    f1: float


def options_with(profile: str, model: Model) -> Options:
    """The options of a profile with another model in it.

    The language is fixed, to save its detection: no stop word is looked at.
    """
    options = make_options(profile=profile, language="English")

    def classify(
        segments: Sequence[Segment], _: Sequence[Figures], thresholds: Thresholds, elements: Elements | None
    ) -> list[Decision]:
        if not segments or elements is None:
            return []
        return weigh(compute(segments, elements), model).decide(thresholds)

    return replace(options, profile=replace(options.profile, classify=classify))


def score_page(document: Document, options: Options, limits: Iterable[float], measure: str) -> dict[float, Score]:
    """The scores of a page, by the probability from which a block is good."""
    parsed = parse_html(document.text)
    scores = {}
    for limit in limits:
        thresholds = replace(options.thresholds, good_probability=limit, near_good_probability=None)
        text = extract_parsed(parsed, replace(options, thresholds=thresholds)).text
        found = MEASURES[measure](document.gold, text)
        values = (found.precision or 0.0, found.recall or 0.0, found.f1 or 0.0)
        scores[limit] = Score(document.page_type or "", *values)
    return scores


def best_limit(scores: Iterable[Mapping[float, Score]]) -> float:
    """The probability with the highest mean F1; the lowest of equals."""
    by_limit: dict[float, list[float]] = defaultdict(list)
    for page in scores:
        for limit, score in page.items():
            by_limit[limit].append(score.f1)
    return max(sorted(by_limit), key=lambda limit: fmean(by_limit[limit]))


def mean_by_type(scores: Sequence[Score]) -> list[str]:
    """A table as lines of Markdown: means by page type, then of all."""
    by_type: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_type[score.page_type].append(score)
    rows = [(name, by_type[name]) for name in sorted(by_type)] + [("all", list(scores))]
    lines = ["| pages | number | precision | recall | F1 |", "| --- | --- | --- | --- | --- |"]
    for name, some in rows:
        means = (fmean(column) for column in list(zip(*some, strict=True))[1:])
        lines.append(f"| {name} | {len(some)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return lines
