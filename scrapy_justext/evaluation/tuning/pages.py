"""Labelled pages, made ready so that a trial of thresholds costs their classification and little more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.elements import Elements
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.tags import PARAGRAPHS
from scrapy_justext.evaluation.measures.bag import find_words
from scrapy_justext.evaluation.measures.scores import Sizes
from scrapy_justext.extraction import Prepared, judge, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.evaluation.documents import Document
    from scrapy_justext.evaluation.measures import Measure
    from scrapy_justext.options import Options

    _Flags = npt.NDArray[np.bool_]


class Scorer(Protocol):
    """Compares the good blocks of a page with its gold standard."""

    def __call__(self, good: _Flags) -> Sizes:
        """``good``: which of the blocks are."""


class BagScorer:
    """The bag measure, the words of each block counted once and for all.

    No word reaches over a line feed, and no letter's lower case depends on what stands beyond one; so the words of a
    text are those of its blocks.
    """

    def __init__(self, gold: str, texts: Sequence[str]) -> None:
        relevant = Counter(find_words(gold.lower()))
        numbers = {word: number for number, word in enumerate(relevant)}
        self._relevant = np.array([*relevant.values()], np.int64)
        bags = [Counter(find_words(text.lower())) for text in texts]
        self._lengths = np.array([bag.total() for bag in bags], np.int64)
        rows = [
            (place, numbers[word], count)
            for place, bag in enumerate(bags)
            for word, count in bag.items()
            if word in numbers
        ]
        self._blocks, self._words, self._counts = np.array(rows, np.int64).reshape(-1, 3).T

    def __call__(self, good: _Flags) -> Sizes:
        """The sizes of the bags."""
        found = np.bincount(self._words, self._counts * good[self._blocks], len(self._relevant))
        common = np.minimum(found, self._relevant).sum()
        return Sizes(int(self._relevant.sum()), int(self._lengths[good].sum()), int(common))


@dataclass(frozen=True, slots=True)
class TextScorer:
    """Any measure, on the texts themselves."""

    measure: Measure
    gold: str
    texts: Sequence[str]
    keep_non_ascii: bool

    def __call__(self, good: _Flags) -> Sizes:
        """What the measure counts."""
        retrieved = "\n".join(text for text, is_good in zip(self.texts, good, strict=True) if is_good and text)
        return self.measure(self.gold, retrieved, keep_non_ascii=self.keep_non_ascii).sizes


def make_scorer(measure: Measure, gold: str, texts: Sequence[str], *, keep_non_ascii: bool) -> Scorer:
    """The fastest scorer of a measure."""
    return BagScorer(gold, texts) if measure.name == "bag" else TextScorer(measure, gold, texts, keep_non_ascii)


@dataclass(frozen=True, slots=True)
class Page:
    """A page in blocks, and what scores them; ``known``: the sizes of the selections of good blocks met so far."""

    prepared: Prepared
    scorer: Scorer
    known: dict[bytes, Sizes] = field(default_factory=dict)

    def sizes(self, options: Options) -> Sizes:
        """The sizes of gold standard, retrieved text and what they share, under some thresholds."""
        thresholds = options.judging(self.prepared.choice.language).thresholds
        decisions = judge(self.prepared, options.profile, thresholds).final
        flags = bytes([block_class is GOOD for block_class, _, _ in decisions])
        if flags not in self.known:
            self.known[flags] = self.scorer(np.frombuffer(flags, np.bool_))
        return self.known[flags]


def make_page(document: Document, options: Options, measure: Measure, *, keep_non_ascii: bool = False) -> Page:
    """A page made ready; the thresholds of ``options`` do not matter."""
    prepared = prepare(parse_html(document.text), options)
    scorer = make_scorer(
        measure, document.gold, [segment.text for segment in prepared.segments], keep_non_ascii=keep_non_ascii
    )
    # A trained classifier looks at the elements themselves.
    if prepared.elements is not None and not options.profile.reads_data:
        prepared = prepared._replace(elements=Skeleton(prepared.elements, prepared.segments))
    return Page(prepared, scorer)


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """An element, as far as the passes look at it."""

    tag: object
    parent: _Node | None

    def getparent(self) -> _Node | None:
        return self.parent


class Skeleton(Elements):
    """Elements that blocks stand in and those above them, without the tree, which takes far more room."""

    def __init__(self, elements: Elements, segments: Sequence[Segment]) -> None:
        twins: dict[etree._Element, _Node] = {}
        twin_root = _twin(elements.root, elements.root, twins)
        super().__init__(cast("Any", twin_root), elements.rules)
        innermost = elements.innermost(segments, PARAGRAPHS)
        self._innermost: list[Any] = [_twin(node, elements.root, twins) for node in innermost]

    def innermost(self, segments: Sequence[Segment], names: frozenset[str]) -> list[etree._Element]:  # noqa: ARG002
        """Those of the only segments and names that it was made for."""
        return self._innermost


def _twin(element: etree._Element, root: etree._Element, twins: dict[etree._Element, _Node]) -> _Node:
    above = []
    node: etree._Element | None = element
    while node is not None and node not in twins:
        above.append(node)
        node = None if node is root else node.getparent()
    parent = twins[node] if node is not None else None
    for one in reversed(above):
        parent = twins[one] = _Node(one.tag, parent)
    return twins[element]
