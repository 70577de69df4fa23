"""The documents on which two extractors differ most, and where their texts differ from the gold standard.

Documents are compared by F1.  An extractor that gave no text, no right word, or failed counts with an F1 of 0.
Documents without content in the gold standard, on which there is no F1, are left out.

The gold text is read out of the data set, the retrieved texts out of the folder of the run.

Texts are compared word by word.  A word is a case-folded run of letters and digits; in scripts without spaces each
character is a word.  What lies between words belongs to the word before it.  Equal runs are found as in the measure
``sequence``, without difflib's ``autojunk``.  Long runs are cut in their middle, long texts at their end.
"""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.crawl.commands import on_lines
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.kinds import whole_text
from scrapy_justext.evaluation.measures import BOTH_EMPTY, RELEVANT_EMPTY, matching_blocks
from scrapy_justext.evaluation.scoring import FAILED
from scrapy_justext.evaluation.store import open_results
from scrapy_justext.exceptions import JustextError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet
    from scrapy_justext.evaluation.scoring import DataSetResults, DocumentScores, MeasureResults
    from scrapy_justext.evaluation.store import DataSetRecord

#: Documents of each pair of extractors that are shown.
SHOWN_DOCUMENTS = 5
#: Words of a run that are shown: when there are more, its middle is cut out.
SHOWN_EQUAL, SHOWN_DIFFERENT = 40, 160
#: Words of a text that are shown.
SHOWN_WORDS = 700
#: Characters of a word, with what follows it, that are shown.
_LONGEST_PIECE = 120
#: Words of a text that are compared; the rest is cut off.
COMPARED_WORDS = 20_000

_DENSE = "\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]+")
#: Empty lines, and how a line is set in, say nothing here.
_BREAK = re.compile(r"\s*[\r\n]\s*")

# Kinds of runs: words in both texts, a note on what is left out, words that the gold standard lacks, and words of the
# gold standard that the first, the second or both extractors missed.
EQUAL, CUT, EXTRA = "equal", "cut", "extra"
MISSED_FIRST, MISSED_SECOND, MISSED_BOTH = ("missed-first", "missed-second", "missed-both")

#: The kind of a gold word by whether the first and the second extractor found it.
_MISSED = {(True, True): EQUAL, (False, True): MISSED_FIRST, (True, False): MISSED_SECOND, (False, False): MISSED_BOTH}


#: A kind, and words that stand together and are of it; of kind ``cut``: a note on what is left out.
WordRun = tuple[str, str]
#: A gold text and what two extractors retrieved, as runs of words.
MarkedTexts = tuple[tuple[WordRun, ...], tuple[WordRun, ...], tuple[WordRun, ...]]


class DocumentDifference(NamedTuple):
    """A document, and how two extractors did on it; ``note``: why there are no texts, or what is to be said of them."""

    first: DocumentScores
    second: DocumentScores
    url: str | None = None
    texts: MarkedTexts | None = None
    note: str = ""

    @property
    def id(self) -> str:
        """The document's id."""
        return self.first.id

    @property
    def value(self) -> float:
        """The first extractor's F1 less the second one's."""
        return (self.first.f1 or 0.0) - (self.second.f1 or 0.0)

    @property
    def title(self) -> str:
        """The heading of the document's texts."""
        shown = ("no F1" if scores.f1 is None else f"F1 {scores.f1:.3f}" for scores in (self.first, self.second))
        figures = map("{}: {}".format, (self.first.extractor, self.second.extractor), shown)
        return f"{self.id} ({'; '.join(figures)})"


class ExtractorPair(NamedTuple):
    """Two extractors, and the pages on which they differ most; ``note``: why there are none, or no texts."""

    data_set: str
    measure: str
    first: str
    second: str
    differences: tuple[DocumentDifference, ...]
    note: str

    @property
    def marks(self) -> dict[str, str]:
        """What the kinds of runs in the texts mean."""
        missed = {MISSED_BOTH: "both", MISSED_FIRST: f"{self.first} alone", MISSED_SECOND: f"{self.second} alone"}
        return {EXTRA: "not in the gold standard", **{kind: f"missed by {by}" for kind, by in missed.items()}}


def compare_documents(
    folder: Path,
    data_set: DataSetResults,
    measure: str,
    pairs: Sequence[tuple[str, str]] = (),
    top: int = SHOWN_DOCUMENTS,
) -> list[ExtractorPair]:
    """Return the ``top`` documents on which each two extractors differ most by a measure, none where it has no figures.

    ``folder``: that of the run; ``pairs``: names of extractors; none for the two best.  The documents have their texts
    where these are still as they were measured.
    """
    if measure not in data_set.measures:
        return []
    results = data_set.measures[measure]
    names = [row.extractor for row in results.rows]
    chosen = [pair for pair in pairs if {*pair} <= {*names}] if pairs else [*pairwise(names[:2])]
    found = {pair: find_differences(results, *pair)[:top] for pair in chosen}
    problem, opened = "", None
    if any(found.values()):
        try:
            opened = _open_as_measured(data_set.record)
        except StoreError as error:
            problem = f"Texts cannot be shown side by side: {error}."
    compared = []
    for pair, differences in found.items():
        note = problem if differences else "They differ on no page that both were run on." if top else ""
        shown = [_add_texts(difference, opened, folder) for difference in differences] if opened else differences
        compared.append(ExtractorPair(data_set.name, measure, *pair, tuple(shown), note))
    return compared


def _open_as_measured(record: DataSetRecord | None) -> DataSet:
    """Return a data set; raise :class:`StoreError` where its gold texts are no longer those of the run."""
    if record is None:
        raise StoreError("the run has no record of where the data set is")
    try:
        data_set = open_data_set(f"{record.kind}:{record.path}", record.without)
    except (JustextError, OSError) as error:
        raise StoreError(f"the data set can no longer be read: {error}") from error
    if data_set.digest != record.digest:
        raise StoreError(f"the data set in {record.path} has changed since the run")
    return data_set


def find_differences(results: MeasureResults, first: str, second: str) -> list[DocumentDifference]:
    """Return the documents that both were run on and that differ, those with the greatest difference of F1 first."""
    others = {scores.id: scores for scores in results.scores[second]}
    pairs = [DocumentDifference(scores, others[scores.id]) for scores in results.scores[first] if scores.id in others]
    without_gold = {RELEVANT_EMPTY, BOTH_EMPTY}
    differing = [pair for pair in pairs if pair.value and not {pair.first.case, pair.second.case} & without_gold]
    return sorted(differing, key=lambda pair: (-abs(pair.value), pair.id))


def _add_texts(difference: DocumentDifference, data_set: DataSet, run_folder: Path) -> DocumentDifference:
    document = data_set.load(difference.id)
    difference = difference._replace(url=document.url)
    if document.snippets is not None:
        return difference._replace(note="The gold standard of this page is snippets, not a text.")
    texts: list[str] = []
    for scores in (difference.first, difference.second):
        try:
            text = open_results(run_folder, scores.dataset, scores.extractor).read_text(scores.id)
        except (OSError, UnicodeDecodeError):
            # A failed extraction leaves no text, and is worth seeing beside the one that did not fail.
            if scores.case != FAILED:
                return difference._replace(note=f"The text of {scores.extractor} is no longer in the run's folder.")
            difference = difference._replace(note=f"{difference.note} {scores.extractor} failed on this page.".strip())
            text = ""
        texts.append(text if document.markdown is None else whole_text(text))
    return difference._replace(texts=mark_texts(document.gold, *texts))


def mark_texts(gold: str, first: str, second: str) -> MarkedTexts:
    """Mark the words that one of two retrieved texts lacks, or has beyond the gold standard."""
    gold_words, first_words, second_words = (_split(text) for text in (gold, first, second))
    gold_first, kept_first = _match(gold_words, first_words)
    gold_second, kept_second = _match(gold_words, second_words)
    return (
        _to_runs(gold_words, [_MISSED[matched] for matched in zip(gold_first, gold_second, strict=True)]),
        _to_runs(first_words, [EQUAL if kept else EXTRA for kept in kept_first]),
        _to_runs(second_words, [EQUAL if kept else EXTRA for kept in kept_second]),
    )


#: The pieces of a text, cut before each word, the words to compare, and how many words are not compared.
_SplitText = tuple[list[str], list[str], int]


def _split(text: str) -> _SplitText:
    """Cut a text before each word but the first: what stands before that goes with it."""
    text = on_lines(_BREAK.sub("\n", text.strip()))
    words = list(_WORD.finditer(text))
    edges = [0, *(word.start() for word in words[1:]), len(text)] if words else []
    pieces = [text[low:high] for low, high in pairwise(edges[: COMPARED_WORDS + 1])]
    shown = [piece if len(piece) <= _LONGEST_PIECE else piece[: _LONGEST_PIECE - 1] + "… " for piece in pieces]
    return (shown, [word[0].casefold() for word in words[: len(shown)]], len(words) - len(shown))


def _match(gold: _SplitText, retrieved: _SplitText) -> tuple[list[bool], list[bool]]:
    """Return for each word of both texts whether it is in a matching block."""
    sides = [False] * len(gold[1]), [False] * len(retrieved[1])
    for match in matching_blocks(gold[1], retrieved[1], autojunk=False):
        for side, start in zip(sides, (match.a, match.b), strict=True):
            side[start : start + match.size] = [True] * match.size
    return sides


def _to_runs(words: _SplitText, kinds: Sequence[str]) -> tuple[WordRun, ...]:
    """Return the runs of words of one kind, without the middle of long runs and the end of long texts."""
    pieces, _, left_out = words
    runs: list[WordRun] = []
    start, room = 0, SHOWN_WORDS
    for kind, group in groupby(kinds):
        if not room:
            break
        run = pieces[start : start + len(list(group))]
        shown = min(len(run), room, SHOWN_EQUAL if kind == EQUAL else SHOWN_DIFFERENT)
        tail = shown // 2 if shown < len(run) else 0
        runs.append((kind, "".join(run[: shown - tail])))
        runs += [_cut(len(run) - shown)] if shown < len(run) else []
        runs += [(kind, "".join(run[-tail:]))] if tail else []
        start += len(run)
        room -= shown
    rest = len(pieces) - start + left_out
    return (*runs, _cut(rest)) if rest else tuple(runs)


def _cut(words: int) -> WordRun:
    return CUT, f"[{words:,} {'word' if words == 1 else 'words'} left out]"
