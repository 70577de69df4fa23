"""The measures by their names."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.measures.bag import aggregate_shingles, score_bag, score_shingles
from scrapy_justext.evaluation.measures.scores import Means, Measure, Scores, Sizes
from scrapy_justext.evaluation.measures.sequence import score_characters, score_edits, score_sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEASURES", "Means", "Measure", "Scores", "Sizes"]

_ALL = (
    Measure("sequence", score_sequence, "[D]: word sequences, difflib's matching blocks"),
    Measure("character", score_characters, "[C]: the characters of the matching words"),
    Measure("bag", score_bag, "WCXB: bags of words", boundary_counts=True),
    Measure(
        "shingle",
        score_shingles,
        "article extraction benchmark: bags of four-word shingles",
        boundary_counts=True,
        aggregate=aggregate_shingles,
    ),
    Measure("edit", score_edits, "CleanEval: words that the fewest insertions and deletions leave"),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _ALL})
