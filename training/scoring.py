"""Score a model on labelled pages, in the profile that it is made for."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.evaluation.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.evaluation.datasets.documents import Document


#: A mean F1 that is lower by no more than this is as good.
AS_GOOD = 0.001


class Score(NamedTuple):
    """What a page scores, from 0 to 1."""

    page_type: str
    precision: float
    recall: float
    f1: float


def extractor_with(profile: str, model: Model) -> Extractor:
    """Return the extractor of a profile with another model in it.

    The language is fixed, to save its detection: no stop word is looked at.
    """
    return Extractor(profile=profile, language="English", model=model)


def score_page(document: Document, extractor: Extractor, limits: Iterable[float], measure: str) -> dict[float, Score]:
    """Return the scores of a page, by the probability from which a block is good."""
    page = extractor.read(document.text)
    scores = {}
    for limit in limits:
        tried = extractor.with_thresholds(good_probability=limit, near_good_probability=None)
        text = tried.judge(page).extraction().text
        found = MEASURES[measure](document.gold, text)
        values = (found.precision or 0.0, found.recall or 0.0, found.f1 or 0.0)
        scores[limit] = Score(document.page_type or "", *values)
    return scores


def best_limit(scores: Iterable[Mapping[float, Score]]) -> float:
    """Return the highest probability whose mean F1 is as good as the best one.

    With the same F1, precision is worth more than recall.
    """
    by_limit: dict[float, list[float]] = defaultdict(list)
    for page in scores:
        for limit, score in page.items():
            by_limit[limit].append(score.f1)
    means = {limit: fmean(values) for limit, values in by_limit.items()}
    return max(limit for limit, mean in means.items() if mean >= max(means.values()) - AS_GOOD)


def mean_by_type(scores: Sequence[Score]) -> list[str]:
    """Return the lines of a Markdown table: means by page type, then of all pages."""
    by_type: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_type[score.page_type].append(score)
    rows = [(name, by_type[name]) for name in sorted(by_type)] + [("all", list(scores))]
    lines = ["| pages | number | precision | recall | F1 |", "| --- | --- | --- | --- | --- |"]
    for name, scores_of_type in rows:
        means = (fmean(column) for column in list(zip(*scores_of_type, strict=True))[1:])
        lines.append(f"| {name} | {len(scores_of_type)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return lines
