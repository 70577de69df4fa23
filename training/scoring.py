"""Score a model on labelled pages, in the profile that it is made for."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.languages import detect
from scrapy_justext.evaluation.measures import MEASURES
from training.labels import parted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.evaluation.datasets.documents import Document
    from scrapy_justext.evaluation.measures import Scores
    from training.samples import Page


#: The shortest gold text whose language is told, and how many of its characters tell it.
_LEAST, _READ = 200, 2000
#: A mean F1 that is lower by no more than this is as good.
AS_GOOD = 0.001


class Score(NamedTuple):
    """What a page scores, from 0 to 1."""

    groups: tuple[str, ...]
    """The rows of tables that the page counts in."""
    precision: float
    recall: float
    f1: float


def extractor_with(profile: str, model: Model) -> Extractor:
    """Return the extractor of a profile with another model in it.

    The language is fixed, to save its detection: no stop word is looked at.
    """
    return Extractor(profile=profile, language="English", model=model)


def score_page(page: Page, extractor: Extractor, limits: Iterable[float], measure: str) -> dict[float, Score]:
    """Return the scores of a page, by the probability from which a block is good.

    A page without a good block gets no fallback, which ``benchmarks.parameters`` measures apart.
    """
    read = extractor.read(page.document.text)
    groups = groups_of(page)
    scores = {}
    for limit in limits:
        tried = extractor.with_thresholds(good_probability=limit, near_good_probability=None)
        score = score_text(page.document, tried.judge(read).extraction().text, measure)
        scores[limit] = Score(groups, score.precision or 0.0, score.recall or 0.0, score.f1 or 0.0)
    return scores


def score_text(document: Document, text: str, measure: str = "bag") -> Scores:
    """Return the scores of the text that was found on a page; in writings without spaces, characters are words."""
    return MEASURES[measure](parted(document.gold), parted(text))


def groups_of(page: Page) -> tuple[str, ...]:
    """Return the rows that a page counts in: its data set, the set's pages of its type, and those of its language."""
    of_type = f"{page.data_set}, {page.page_type}"
    if len(page.document.gold) < _LEAST:
        return page.data_set, of_type
    languages = detect(page.document.gold[:_READ])
    return page.data_set, of_type, f"{of_type}, {max(languages, key=languages.__getitem__)}"


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


def mean_by_group(scores: Sequence[Score]) -> list[str]:
    """Return the lines of a Markdown table: means of the rows of :func:`rows_of`."""
    lines = ["| pages | number | precision | recall | F1 |", "| --- | --- | --- | --- | --- |"]
    for name, numbers in rows_of([score.groups for score in scores]).items():
        means = (fmean(column) for column in list(zip(*(scores[number] for number in numbers), strict=True))[1:])
        lines.append(f"| {name} | {len(numbers)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return lines


def rows_of(groups: Sequence[Sequence[str]]) -> dict[str, Sequence[int]]:
    """Return the numbers of the pages in each row of a table; ``groups``: by page, those that it counts in.

    Rows are data sets, their types of pages, languages where a set has many of them, and last all pages.
    """
    by_group: dict[str, list[int]] = defaultdict(list)
    for number, of_page in enumerate(groups):
        for group in of_page:
            by_group[group].append(number)
    return {name: by_group[name] for name in sorted(by_group) if _is_shown(name, by_group)} | {
        "all": range(len(groups))
    }


def _is_shown(name: str, by_group: Mapping[str, Sequence[int]]) -> bool:
    of_type = name.rpartition(", ")[0]
    if ", " not in of_type:
        return True
    english = by_group.get(f"{of_type}, en", ())
    return len(by_group[name]) > 1 and len(english) < 0.8 * len(by_group[of_type])
