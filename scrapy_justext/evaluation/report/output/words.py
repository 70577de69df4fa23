"""What both kinds of report say in the same words."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.report.figures.marking import EXTRA, MISSED_BOTH, MISSED_FIRST, MISSED_SECOND
from scrapy_justext.evaluation.statistics import RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_justext.evaluation.report.figures.contents import Contents, DataSetContents, MeasureContents
    from scrapy_justext.evaluation.report.figures.differences import Duel, Shown

TITLE = "How well the extractors did"

NOTES = (
    "Figures run from 0 to 1; the highest F1 of a table stands first, and the highest figure of a column is marked.",
    "± is the sample standard deviation over documents.",
    "Pages with an empty text or no common word are boundary cases: counted apart, and left out of the means of the "
    "measures sequence, character and edit. The measure bag counts them as WCXB does. The figures of the measure "
    "shingle for a data set are the article extraction benchmark's own, not means of documents.",
    "Time is the extractor's own, a page, over the pages on which it did not fail.",
)

SIGNIFICANCE_NOTE = (
    "F1 of documents, row against column. ▲ the row is better, ▼ worse, at 99 %; ≈ the difference may be chance. "
    "Mann-Whitney's test compares all documents that count for either extractor; the paired bootstrap takes the mean "
    f"difference on the n documents that count for both ({RESAMPLES:,} resamples)."
)

DUEL_NOTE = (
    "Where an extractor gave nothing, no right word, or failed, its F1 is taken for 0; pages without content in the "
    "gold standard are left out. Long stretches of text are cut, with a note of how many words."
)

#: What the built-in measures compare.
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "sequence": "Words in their order: those in the matching blocks of both texts, as difflib finds them.",
        "character": "The characters of the words that the measure sequence matches, so that long words weigh more.",
        "bag": "Words regardless of their order, each as often as it is in both texts, as in WCXB.",
        "shingle": "Runs of four words regardless of their order, as in the article extraction benchmark.",
        "edit": "Words that stay when the fewest words are deleted and inserted to make one text of the other, as in "
        "CleanEval.",
    }
)


class Fact(NamedTuple):
    """Something about a run."""

    term: str
    text: str


def facts(contents: Contents) -> tuple[Fact, ...]:
    """What was run, and how."""
    extractors = ", ".join(f"{name} {version}".strip() for name, version in contents.extractors)
    limit = "all" if contents.limit is None else f"the first {contents.limit:,} of each data set"
    return Fact("Extractors", extractors), Fact("Language", contents.language or "not given"), Fact("Pages", limit)


def data_set_facts(data_set: DataSetContents) -> tuple[Fact, ...]:
    """What a data set is, as far as it is known."""
    pages = Fact("Pages", f"{data_set.pages:,}")
    if data_set.record is None:
        return (pages,)
    return pages, Fact("Kind", data_set.record.kind), Fact("Digest", data_set.record.digest[:16])


def duel_title(duel: Duel) -> str:
    """The heading of a pair."""
    return f"{duel.first} and {duel.second}"


def shown_title(duel: Duel, shown: Shown) -> str:
    """The heading of a page's texts."""
    first, second = shown.difference
    parts = (
        f"{one}: {'no F1' if scores.f1 is None else f'F1 {scores.f1:.3f}'}"
        for one, scores in ((duel.first, first), (duel.second, second))
    )
    return f"{shown.difference.id} ({'; '.join(parts)})"


def marks(duel: Duel) -> Mapping[str, str]:
    """What the marks in the texts mean."""
    return MappingProxyType(
        {
            EXTRA: "not in the gold standard",
            MISSED_BOTH: "missed by both",
            MISSED_FIRST: f"missed by {duel.first} alone",
            MISSED_SECOND: f"missed by {duel.second} alone",
        }
    )


def measure_note(measure: MeasureContents) -> str:
    """What a measure compares."""
    return MEASURES.get(measure.name, measure.source)
