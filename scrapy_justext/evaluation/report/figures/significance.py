"""Whether any two extractors differ by more than chance, by F1 of documents.

Mann-Whitney's test takes all documents that count for either extractor; the paired bootstrap those that count for both.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.report.figures.table import UNDEFINED, Cell, Line, Table, probability, signed
from scrapy_justext.evaluation.report.figures.values import counted
from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney, mann_whitney, paired_bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.evaluation.report.figures.values import Standing

#: Row better than column, and the other way round, at 99 %.
BETTER, WORSE, EVEN = "▲", "▼", "≈"


class Comparison(NamedTuple):
    """Two extractors by one measure."""

    mann_whitney: MannWhitney
    sizes: tuple[int, int]
    """Documents of the one and of the other."""
    bootstrap: Bootstrap | None
    """None when no document counts for both."""
    paired: int
    """Documents that count for both."""

    def mirrored(self) -> Comparison:
        """The same, seen from the other extractor."""
        first, second = self.sizes
        other = MannWhitney(first * second - self.mann_whitney.u, self.mann_whitney.p)
        return Comparison(other, (second, first), self.bootstrap and _mirror(self.bootstrap), self.paired)


#: By the names of both extractors, in both orders; without those that have no document that counts.
Matrix = dict[tuple[str, str], Comparison]


def compare_all(ranking: Sequence[Standing]) -> Matrix:
    """Every two extractors of a measure."""
    values = {
        one.name: {scores.id: scores.f1 for scores in counted(one.scores) if scores.f1 is not None} for one in ranking
    }
    matrix: Matrix = {}
    for first, second in combinations([name for name in values if values[name]], 2):
        comparison = compare(values[first], values[second])
        matrix[first, second] = comparison
        matrix[second, first] = comparison.mirrored()
    return matrix


def compare(first: Mapping[str, float], second: Mapping[str, float]) -> Comparison:
    """Two extractors by their values for documents; neither may be without any."""
    shared = [name for name in first if name in second]
    paired = [first[name] for name in shared], [second[name] for name in shared]
    bootstrap = paired_bootstrap(*paired) if shared else None
    test = mann_whitney(list(first.values()), list(second.values()))
    return Comparison(test, (len(first), len(second)), bootstrap, len(shared))


def mann_whitney_table(caption: str, ranking: Sequence[Standing], matrix: Matrix) -> Table:
    """Row against column: which tends to be better, at 99 %, with p and U."""
    return _matrix_table(caption, ranking, matrix, _mann_whitney_cell)


def bootstrap_table(caption: str, ranking: Sequence[Standing], matrix: Matrix) -> Table:
    """Row less column: the mean difference and its 99 % interval."""
    return _matrix_table(caption, ranking, matrix, _bootstrap_cell)


def _matrix_table(
    caption: str, ranking: Sequence[Standing], matrix: Matrix, show: Callable[[Comparison], Cell]
) -> Table:
    names = [one.name for one in ranking]
    return Table(
        caption,
        "Row against column",
        tuple(names),
        tuple(Line(row, tuple(_cell(row, column, matrix, show) for column in names)) for row in names),
        stacked=True,
    )


def _cell(row: str, column: str, matrix: Matrix, show: Callable[[Comparison], Cell]) -> Cell:
    if row == column:
        return Cell("·")
    return show(matrix[row, column]) if (row, column) in matrix else Cell(UNDEFINED)


def _mann_whitney_cell(comparison: Comparison) -> Cell:
    test = comparison.mann_whitney
    first, second = comparison.sizes
    sign = _sign(test.u - first * second / 2, significant=test.is_significant)
    return Cell(f"{sign} p {_with_relation(test.p)}", f"U {test.u:,.1f}", strong=test.is_significant)


def _bootstrap_cell(comparison: Comparison) -> Cell:
    bootstrap = comparison.bootstrap
    if bootstrap is None:
        return Cell(UNDEFINED)
    sign = _sign(bootstrap.difference, significant=bootstrap.is_significant)
    low, high = bootstrap.interval_99
    return Cell(
        f"{sign} {signed(bootstrap.difference)}",
        f"{signed(low, 3)} to {signed(high, 3)}; n {comparison.paired:,}",
        strong=bootstrap.is_significant,
    )


def _sign(difference: float, *, significant: bool) -> str:
    if not significant:
        return EVEN
    return BETTER if difference > 0 else WORSE


def _with_relation(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def _mirror(bootstrap: Bootstrap) -> Bootstrap:
    (low_95, high_95), (low_99, high_99) = bootstrap.interval_95, bootstrap.interval_99
    # Zero less, not minus, so that no difference is not written as a negative nought.
    return Bootstrap(
        0.0 - bootstrap.difference, (0.0 - high_95, 0.0 - low_95), (0.0 - high_99, 0.0 - low_99), bootstrap.p
    )
