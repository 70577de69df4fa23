"""The documents on which two extractors differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.measures.scores import BOTH_EMPTY, RELEVANT_EMPTY
from scrapy_justext.evaluation.report.figures.marking import mark
from scrapy_justext.evaluation.report.figures.table import Cell, Line, Table, number, signed
from scrapy_justext.evaluation.report.reading.texts import TextsMissingError
from scrapy_justext.evaluation.scoring import FAILED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.evaluation.report.figures.marking import Marked
    from scrapy_justext.evaluation.report.figures.values import Standing
    from scrapy_justext.evaluation.report.reading.texts import TextReader
    from scrapy_justext.evaluation.scoring import DocumentScores


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
    cells = (_f1_cell(first), _f1_cell(second), Cell(signed(difference.value)), Cell(first.page_type or ""))
    return Line(difference.id, cells)


def _f1_cell(scores: DocumentScores) -> Cell:
    aside = "" if scores.f1 is not None else scores.case.replace("_", " ")
    return Cell(number(_f1(scores)), aside)


def _f1(scores: DocumentScores) -> float:
    return scores.f1 or 0.0


def _lacks_gold(pair: Sequence[DocumentScores]) -> bool:
    return any(one.case in {RELEVANT_EMPTY, BOTH_EMPTY} for one in pair)
