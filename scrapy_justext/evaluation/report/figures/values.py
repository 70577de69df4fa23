"""A measure's figures for the extractors of a data set, the best first, with the documents' values behind them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.measures.scores import OK
from scrapy_justext.evaluation.scoring import FAILED
from scrapy_justext.evaluation.statistics import median

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_justext.evaluation.report.reading.records import Records
    from scrapy_justext.evaluation.scoring import DocumentScores, Row

#: What a measure gives, as it is named in rows.
QUANTITIES = ("f1", "precision", "recall")
TITLES = {"f1": "F1", "precision": "Precision", "recall": "Recall"}

BINS = 20
#: Of the bins, from 0 to 1.
EDGES = tuple(place / BINS for place in range(BINS + 1))


class Figure(NamedTuple):
    """One quantity of an extractor, over the documents that count."""

    quantity: str
    value: float | None
    """The figure for the set: the mean, unless the measure has a rule of its own."""
    sd: float | None
    values: tuple[float, ...]
    """Those of the documents."""

    @property
    def median(self) -> float | None:
        """The documents' median; None where there is none."""
        return median(self.values) if self.values else None


@dataclass(frozen=True, slots=True)
class Standing:
    """An extractor by one measure."""

    row: Row
    scores: tuple[DocumentScores, ...]
    """One for each document that was run."""
    f1: Figure
    precision: Figure
    recall: Figure

    @property
    def name(self) -> str:
        """The extractor's name."""
        return self.row.extractor

    @property
    def figures(self) -> tuple[Figure, Figure, Figure]:
        """In the order of :data:`QUANTITIES`."""
        return self.f1, self.precision, self.recall


def standings(records: Records, data_set: str, measure: str) -> tuple[Standing, ...]:
    """The extractors that a measure has rows of on a data set, those with the highest F1 first."""
    found = [_standing(records, row) for row in records.rows if (row.dataset, row.measure) == (data_set, measure)]
    return tuple(sorted(found, key=lambda one: by_f1(one.row)))


def by_f1(row: Row) -> tuple[bool, float, str]:
    """Sorts the highest F1 first, those without one last, equal ones by name."""
    return row.f1 is None, -(row.f1 or 0.0), row.extractor


def counted(scores: Iterable[DocumentScores]) -> list[DocumentScores]:
    """The documents that are part of the means."""
    return [one for one in scores if one.case == OK or (one.case != FAILED and MEASURES[one.measure].boundary_counts)]


def histogram(values: Sequence[float]) -> tuple[int, ...]:
    """How many values from 0 to 1 fall into each of 20 equal bins, each with its lower edge; the last with 1 too.

    >>> histogram([0.0, 0.04, 0.05, 1.0])[:2], histogram([0.95, 1.0])[-1]
    ((2, 1), 2)
    """
    counts = [0] * BINS
    for value in values:
        counts[min(BINS, bisect_right(EDGES, value)) - 1] += 1
    return tuple(counts)


def _standing(records: Records, row: Row) -> Standing:
    scores = records.scores.get((row.dataset, row.extractor, row.measure), ())
    among = counted(scores)
    return Standing(
        row,
        scores,
        f1=Figure("f1", row.f1, row.f1_sd, _present(one.f1 for one in among)),
        precision=Figure("precision", row.precision, row.precision_sd, _present(one.precision for one in among)),
        recall=Figure("recall", row.recall, row.recall_sd, _present(one.recall for one in among)),
    )


def _present(values: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(value for value in values if value is not None)
