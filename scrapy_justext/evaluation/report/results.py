"""A measure's figures for the extractors of a data set, the best first, with the documents' values behind them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.measures import BOTH_EMPTY, MEASURES, OK, RELEVANT_EMPTY, matching_blocks
from scrapy_justext.evaluation.scoring import FAILED
from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney, mann_whitney, paired_bootstrap
from scrapy_justext.exceptions import TextsMissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_justext.evaluation.report.records import Records, TextReader
    from scrapy_justext.evaluation.scoring import DocumentScores, Row
    from scrapy_justext.evaluation.store import DataSetRecord

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


# Tables as both kinds of report show them, and how figures are written.

#: Stands for a figure that is not defined.
UNDEFINED = "–"


class Cell(NamedTuple):
    """A figure, and what stands beside it less loudly; ``strong`` ones stand out."""

    text: str
    aside: str = ""
    strong: bool = False


class Line(NamedTuple):
    """A row of a table: what it is about, and its cells."""

    head: str
    cells: tuple[Cell, ...]
    aside: str = ""


class Group(NamedTuple):
    """A title over several columns."""

    title: str
    span: int


class Table(NamedTuple):
    """A table; ``groups`` cover all columns but the first, or there are none."""

    caption: str
    corner: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    groups: tuple[Group, ...] = ()
    stacked: bool = False
    """Whether what stands beside figures goes below them, where there are many columns."""


def number(value: float | None, digits: int = 4) -> str:
    """A figure, so many digits after the point.

    >>> number(0.91304), number(None)
    ('0.9130', '–')
    """
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def signed(value: float, digits: int = 4) -> str:
    """A difference of figures, its sign shown.

    >>> signed(0.02), signed(-0.02)
    ('+0.0200', '−0.0200')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def probability(value: float) -> str:
    """How likely, never as a rounded nought.

    >>> probability(0.25), probability(0.00001)
    ('0.250', '<0.001')
    """
    return "<0.001" if value < 0.001 else f"{value:.3f}"


# The tables of a data set's figures.

#: Fields of a row that count pages which are no ordinary ones, with titles.
CASES = {
    "retrieved_empty": "Retrieved empty",
    "relevant_empty": "Gold empty",
    "both_empty": "Both empty",
    "mismatch": "Mismatch",
    "failed": "Failed",
}


def cases_of(row: Row) -> tuple[int, ...]:
    """How many pages there are of each of :data:`CASES`."""
    return row.retrieved_empty, row.relevant_empty, row.both_empty, row.mismatch, row.failed


def overview_table(caption: str, rankings: Mapping[str, Sequence[Standing]], first: str) -> Table:
    """F1 by each measure; sorted by the measure ``first``."""
    by_name = {measure: {one.name: one.row for one in ranking} for measure, ranking in rankings.items()}
    best = {measure: _best(list(rows.values())) for measure, rows in by_name.items()}
    names = list(dict.fromkeys(name for rows in (by_name.get(first, {}), *by_name.values()) for name in rows))
    lines = [
        Line(name, tuple(_f1_cell(rows.get(name), best[measure]) for measure, rows in by_name.items()))
        for name in names
    ]
    return Table(caption, "Extractor", tuple(by_name), tuple(lines))


def figures_table(caption: str, ranking: Sequence[Standing]) -> Table:
    """All figures of a measure."""
    best = {name: _best_of(ranking, place) for place, name in enumerate(QUANTITIES)}
    lines = tuple(
        Line(
            one.name,
            (
                *(cell for figure in one.figures for cell in _figure_cells(figure, best[figure.quantity])),
                Cell(number(one.row.milliseconds, 1)),
                Cell(f"{one.row.documents:,}"),
                *_case_cells(one.row),
            ),
            one.row.version,
        )
        for one in ranking
    )
    groups = (*(Group(TITLES[name], 2) for name in QUANTITIES), Group("Time", 1), Group("Pages", 1 + len(CASES)))
    cases = (title.lower() for title in CASES.values())
    heads = (*("mean ± sd", "median") * len(QUANTITIES), "ms a page", "all", *cases)
    return Table(caption, "Extractor", heads, lines, groups)


def page_types_table(caption: str, ranking: Sequence[Standing], types: Mapping[str, Sequence[Row]]) -> Table:
    """F1 on the pages of each type."""
    by_name = {name: {row.extractor: row for row in rows} for name, rows in types.items()}
    best = {name: _best(list(rows.values())) for name, rows in by_name.items()}
    lines = [
        Line(one.name, tuple(_f1_cell(rows.get(one.name), best[name], sd=True) for name, rows in by_name.items()))
        for one in ranking
    ]
    heads = tuple(f"{name} ({max(row.documents for row in rows.values()):,})" for name, rows in by_name.items())
    return Table(caption, "Extractor", heads, tuple(lines))


def page_type_table(caption: str, rows: Sequence[Row]) -> Table:
    """The figures of a measure on the pages of one type."""
    ordered = sorted(rows, key=by_f1)
    lines = tuple(
        Line(
            row.extractor,
            (
                _mean_cell(row.f1, row.f1_sd),
                _mean_cell(row.precision, row.precision_sd),
                _mean_cell(row.recall, row.recall_sd),
                Cell(number(row.milliseconds, 1)),
                Cell(f"{row.documents:,}"),
                *_case_cells(row),
            ),
        )
        for row in ordered
    )
    heads = (*(TITLES[name] for name in QUANTITIES), "ms a page", "pages", *(title.lower() for title in CASES.values()))
    return Table(caption, "Extractor", heads, lines)


def distribution_table(caption: str, ranking: Sequence[Standing]) -> Table:
    """How many documents have values in each of the bins."""
    heads = tuple(f"{low:.2f}–{high:.2f}" for low, high in pairwise(EDGES))
    lines = tuple(
        Line(one.name, tuple(Cell(str(count)) for count in histogram(figure.values)), TITLES[figure.quantity])
        for one in ranking
        for figure in one.figures
    )
    return Table(caption, "Extractor", heads, lines)


def _figure_cells(figure: Figure, best: str) -> tuple[Cell, Cell]:
    mean = _mean_cell(figure.value, figure.sd)
    return mean._replace(strong=mean.text == best), Cell(number(figure.median))


def _mean_cell(value: float | None, sd: float | None) -> Cell:
    return Cell(number(value), "" if sd is None else f"± {number(sd)}")


def _case_cells(row: Row) -> list[Cell]:
    """Noughts are quiet, so that the others are seen."""
    return [Cell(f"{count:,}") if count else Cell("", "0") for count in cases_of(row)]


def _f1_cell(row: Row | None, best: str, *, sd: bool = False) -> Cell:
    if row is None:
        return Cell(UNDEFINED)
    cell = _mean_cell(row.f1, row.f1_sd if sd else None)
    return cell._replace(strong=cell.text == best)


def _best(rows: Sequence[Row]) -> str:
    """The highest F1 as it is written: figures that look the same are marked the same."""
    return _highest([row.f1 for row in rows])


def _best_of(ranking: Sequence[Standing], place: int) -> str:
    return _highest([one.figures[place].value for one in ranking])


def _highest(values: Sequence[float | None]) -> str:
    present = [value for value in values if value is not None]
    # One figure alone is not the best of any; what is not there is not marked.
    return number(max(present)) if len(present) > 1 else ""


# Where a retrieved text differs from the gold standard: both as runs of words that are equal or not.
#
# Words are compared by case-folded runs of letters and digits, in scripts without spaces by single characters; what
# lies
# between words belongs to the word before it.  Equal runs are found as in the measure ``sequence``, without autojunk.

#: Words of a run that are shown: when there are more, its middle is cut out.
SHOWN_EQUAL, SHOWN_DIFFERENT = 40, 160
#: Words of a text that are shown.
SHOWN_WORDS = 700
#: Characters of a word, with what follows it, that are shown.
_SHOWN_CHARACTERS = 120
#: Words of a text that are compared; the rest is cut off.
COMPARED_WORDS = 20_000

_DENSE = "\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]+")
#: What a page must not send to a terminal or a browser: controls, and marks that turn the direction of text.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

#: Empty lines, and how a line is set in, say nothing here.
_BREAK = re.compile(r"\s*[\r\n]\s*")

EQUAL, CUT = "equal", "cut"
EXTRA = "extra"
MISSED_FIRST, MISSED_SECOND, MISSED_BOTH = "missed-first", "missed-second", "missed-both"

_MISSED = {(True, True): EQUAL, (False, True): MISSED_FIRST, (True, False): MISSED_SECOND, (False, False): MISSED_BOTH}


class TextRun(NamedTuple):
    """Words that stand together and are of one kind; of kind ``cut``: a note on what is left out."""

    kind: str
    text: str


class Marked(NamedTuple):
    """A gold text and what two extractors retrieved, side by side."""

    gold: tuple[TextRun, ...]
    first: tuple[TextRun, ...]
    second: tuple[TextRun, ...]


class _Words(NamedTuple):
    """A text cut before each word, and the words to compare."""

    pieces: list[str]
    keys: list[str]
    left_out: int


def mark(gold: str, first: str, second: str) -> Marked:
    """The differences of both retrieved texts."""
    relevant, one, other = (_split(text) for text in (gold, first, second))
    found_one, kept_one = _compare(relevant, one)
    found_other, kept_other = _compare(relevant, other)
    return Marked(
        _to_runs(relevant, [_MISSED[both] for both in zip(found_one, found_other, strict=True)]),
        _to_runs(one, [EQUAL if kept else EXTRA for kept in kept_one]),
        _to_runs(other, [EQUAL if kept else EXTRA for kept in kept_other]),
    )


def _split(text: str) -> _Words:
    """A text's words; what stands before the first one goes with it."""
    text = _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", _BREAK.sub("\n", text.strip()))
    starts = [match.start() for match in _WORD.finditer(text)]
    starts, left_out = starts[:COMPARED_WORDS], max(0, len(starts) - COMPARED_WORDS)
    end = len(text) if not left_out else starts[-1] + _SHOWN_CHARACTERS
    edges = [0, *starts[1:], end]
    pieces = [text[low:high] for low, high in pairwise(edges)]
    return _Words(pieces, [_key(piece) for piece in pieces], left_out) if starts else _Words([], [], 0)


def _key(piece: str) -> str:
    found = _WORD.search(piece)
    return found.group().casefold() if found else ""


def _compare(relevant: _Words, retrieved: _Words) -> tuple[list[bool], list[bool]]:
    """Which words of each are in both."""
    found, kept = [False] * len(relevant.keys), [False] * len(retrieved.keys)
    for match in matching_blocks(relevant.keys, retrieved.keys, autojunk=False):
        found[match.a : match.a + match.size] = [True] * match.size
        kept[match.b : match.b + match.size] = [True] * match.size
    return found, kept


def _to_runs(words: _Words, kinds: Sequence[str]) -> tuple[TextRun, ...]:
    runs: list[TextRun] = []
    shown = start = 0
    for kind, group in groupby(kinds):
        end = start + len(list(group))
        if shown >= SHOWN_WORDS:
            break
        room = min(SHOWN_EQUAL if kind == EQUAL else SHOWN_DIFFERENT, SHOWN_WORDS - shown)
        runs += _shorten(words.pieces[start:end], kind, room)
        shown += min(room, end - start)
        start = end
    rest = len(words.pieces) - start + words.left_out
    return (*runs, _cut(rest)) if rest else tuple(runs)


def _shorten(pieces: Sequence[str], kind: str, room: int) -> list[TextRun]:
    """A run of words, its middle cut out where it is longer than there is room for."""
    if len(pieces) <= room:
        return [TextRun(kind, _join(pieces))]
    head = (room + 1) // 2
    tail = room - head
    parts = [TextRun(kind, _join(pieces[:head])), _cut(len(pieces) - room)]
    return [*parts, TextRun(kind, _join(pieces[-tail:]))] if tail else parts


def _join(pieces: Sequence[str]) -> str:
    return "".join(
        piece if len(piece) <= _SHOWN_CHARACTERS else piece[: _SHOWN_CHARACTERS - 1] + "… " for piece in pieces
    )


def _cut(words: int) -> TextRun:
    return TextRun(CUT, f"[{words:,} {'word' if words == 1 else 'words'} left out]")


# The documents on which two extractors differ most.


class Difference(NamedTuple):
    """A document, and how two extractors did on it."""

    first: DocumentScores
    second: DocumentScores

    @property
    def id(self) -> str:
        """The document's."""
        return self.first.id

    @property
    def value(self) -> float:
        """The first extractor's F1 less the second one's."""
        return _f1(self.first) - _f1(self.second)


class Shown(NamedTuple):
    """A document with its texts."""

    difference: Difference
    url: str | None
    marked: Marked | None
    """None when a text is missing."""
    note: str
    """Why, or what else is to be said of the texts."""


class Duel(NamedTuple):
    """Two extractors, document by document."""

    first: str
    second: str
    table: Table | None
    """None when there is no document that both were run on and that they differ on."""
    documents: tuple[Shown, ...]
    note: str
    """Why there are no texts, or no documents; empty when there are."""


def find_differences(first: Standing, second: Standing) -> list[Difference]:
    """The documents that both were run on, those with the greatest difference of F1 first.

    An extractor that gave no text, no right word, or failed counts with an F1 of 0; documents without content in the
    gold standard, on which there is no F1, are left out, and so are those without a difference.
    """
    others = {one.id: one for one in second.scores}
    pairs = [Difference(one, others[one.id]) for one in first.scores if one.id in others]
    differing = [pair for pair in pairs if pair.value and not _lacks_gold(pair)]
    return sorted(differing, key=lambda pair: (-abs(pair.value), pair.id))


def make_duel(first: Standing, second: Standing, top: int, texts: TextReader) -> Duel:
    """The ``top`` documents on which two extractors differ most, with their texts where they are still there."""
    differences = find_differences(first, second)[:top]
    if not differences:
        reason = "" if top == 0 else "They differ on no page that both were run on."
        return Duel(first.name, second.name, None, (), reason)
    caption = f"Pages of {first.row.dataset} on which {first.name} and {second.name} differ most, {first.row.measure}"
    table = Table(
        caption,
        "Page",
        (first.name, second.name, "difference", "page type"),
        tuple(_line(difference) for difference in differences),
    )
    try:
        shown = tuple(_show(difference, texts) for difference in differences)
    except TextsMissingError as error:
        return Duel(first.name, second.name, table, (), f"Texts cannot be shown side by side: {error}.")
    return Duel(first.name, second.name, table, shown, "")


def _show(difference: Difference, texts: TextReader) -> Shown:
    document = texts.document(difference.first.dataset, difference.id)
    found = [texts.retrieved(one.dataset, one.extractor, one.id) for one in difference]
    missing = [one for one, text in zip(difference, found, strict=True) if text is None]
    # A failed extraction leaves no text, and is worth seeing beside the one that did not fail.
    lost = [one.extractor for one in missing if one.case != FAILED]
    if lost:
        note = f"The text of {' and '.join(lost)} is no longer in the run's folder."
        return Shown(difference, document.url, None, note)
    note = "".join(f"{one.extractor} failed on this page. " for one in missing).strip()
    return Shown(difference, document.url, mark(document.gold, found[0] or "", found[1] or ""), note)


def _line(difference: Difference) -> Line:
    first, second = difference
    cells = (
        _f1_cell_differences(first),
        _f1_cell_differences(second),
        Cell(signed(difference.value)),
        Cell(first.page_type or ""),
    )
    return Line(difference.id, cells)


def _f1_cell_differences(scores: DocumentScores) -> Cell:
    aside = "" if scores.f1 is not None else scores.case.replace("_", " ")
    return Cell(number(_f1(scores)), aside)


def _f1(scores: DocumentScores) -> float:
    return scores.f1 or 0.0


def _lacks_gold(pair: Sequence[DocumentScores]) -> bool:
    return any(one.case in {RELEVANT_EMPTY, BOTH_EMPTY} for one in pair)


# Whether any two extractors differ by more than chance, by F1 of documents.
#
# Mann-Whitney's test takes all documents that count for either extractor; the paired bootstrap those that count for
# both.

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


# All that a report says, data set by data set, measure by measure.


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for beyond the figures."""

    pairs: tuple[tuple[str, str], ...] = ()
    """Extractors to compare document by document; none: the two best."""
    top: int = 5
    """Documents of each pair."""
    measure: str = "sequence"
    """What pairs are compared by."""


@dataclass(frozen=True, slots=True)
class MeasureContents:
    """What a measure says of a data set."""

    name: str
    source: str
    ranking: tuple[Standing, ...]
    figures: Table
    page_types: tuple[Table, ...]
    """F1 of all types, then all figures of each; none where the data set has no types."""
    distribution: Table
    mann_whitney: Table | None
    """None for one extractor alone."""
    bootstrap: Table | None


@dataclass(frozen=True, slots=True)
class DataSetContents:
    """What is known of a data set."""

    name: str
    record: DataSetRecord | None
    pages: int
    overview: Table
    measures: tuple[MeasureContents, ...]
    compared_by: str
    duels: tuple[Duel, ...]
    note: str
    """Why extractors were not compared document by document; empty when they were."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A whole report."""

    language: str | None
    limit: int | None
    extractors: tuple[tuple[str, str], ...]
    """Names and versions."""
    data_sets: tuple[DataSetContents, ...]


def make_contents(records: Records, texts: TextReader, request: Request) -> Contents:
    """All figures of a run."""
    run = records.run
    return Contents(
        run.language if run else None,
        run.limit if run else None,
        tuple({row.extractor: row.version for row in records.rows}.items()),
        tuple(_data_set(records, name, texts, request) for name in records.data_sets),
    )


def _data_set(records: Records, name: str, texts: TextReader, request: Request) -> DataSetContents:
    found = {measure: standings(records, name, measure) for measure in MEASURES}
    rankings = {measure: ranking for measure, ranking in found.items() if ranking}
    first = next(iter(rankings))
    ranking = rankings.get(request.measure, ())
    pairs = _pairs(ranking, request)
    return DataSetContents(
        name,
        records.record(name),
        max(row.documents for row in records.rows if row.dataset == name),
        overview_table(f"F1 on {name} by each measure", rankings, first),
        tuple(_measure(records, name, measure, ranking) for measure, ranking in rankings.items()),
        request.measure,
        tuple(make_duel(one, other, request.top, texts) for one, other in pairs),
        "" if pairs else f"No two of the extractors asked for have figures of the measure {request.measure} here.",
    )


def _pairs(ranking: Sequence[Standing], request: Request) -> list[tuple[Standing, Standing]]:
    by_name = {one.name: one for one in ranking}
    if not request.pairs:
        return [(ranking[0], ranking[1])] if len(ranking) > 1 else []
    return [(by_name[one], by_name[other]) for one, other in request.pairs if one in by_name and other in by_name]


def _measure(records: Records, data_set: str, measure: str, ranking: tuple[Standing, ...]) -> MeasureContents:
    title = f"{data_set}, {measure}"
    matrix = compare_all(ranking)
    types = _by_type(records, data_set, measure)
    return MeasureContents(
        measure,
        MEASURES[measure].source,
        ranking,
        figures_table(f"Figures: {title}", ranking),
        _type_tables(title, ranking, types) if types else (),
        distribution_table(f"Documents by their values: {title}", ranking),
        mann_whitney_table(f"Mann-Whitney U at 99 %: {title}", ranking, matrix) if len(ranking) > 1 else None,
        bootstrap_table(f"Paired bootstrap of mean F1, with 99 % interval: {title}", ranking, matrix)
        if len(ranking) > 1
        else None,
    )


def _by_type(records: Records, data_set: str, measure: str) -> dict[str, list[Row]]:
    types: dict[str, list[Row]] = {}
    for name, row in records.page_types:
        if (row.dataset, row.measure) == (data_set, measure):
            types.setdefault(name, []).append(row)
    return types


def _type_tables(title: str, ranking: Sequence[Standing], types: Mapping[str, Sequence[Row]]) -> tuple[Table, ...]:
    return (
        page_types_table(f"F1 ± sd by page type (pages): {title}", ranking, types),
        *(page_type_table(f"Pages of type {name}: {title}", rows) for name, rows in types.items()),
    )
