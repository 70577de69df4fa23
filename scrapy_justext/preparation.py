"""What is done once for a page, however often it is judged: it is cut into blocks, which are measured.

Thresholds have no say here, so that they can be tried on a prepared page; the language has, since the stop words that
are counted are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.context_free import measure
from scrapy_justext.core.data import Data, find_data, shows_little
from scrapy_justext.core.elements import Elements
from scrapy_justext.core.parsing import Parsed, declared_languages, page_title
from scrapy_justext.core.segmentation import segment_and_count
from scrapy_justext.core.selection import choose
from scrapy_justext.core.writings import measure_unspaced
from scrapy_justext.languages import (
    OWN_STOPLIST,
    LanguageChoice,
    Lists,
    choose_among,
    choose_language,
    declared_tags,
    given,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import Decision, Figures, Segment
    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.options import Judging, Options

#: Characters of the longest blocks that the language is detected on, and how many blocks at the most.
SAMPLE_CHARACTERS = 600
SAMPLE_BLOCKS = 5


class Prepared(NamedTuple):
    """A page as far as no threshold has a say: in blocks, which are measured."""

    segments: Sequence[Segment]
    figures: Sequence[Figures]
    thresholds: Thresholds
    """Those for the page's language: see :meth:`Options.judging`."""
    choice: LanguageChoice
    chosen: Mapping[int, Decision]
    """The decisions of the user's rules, by the indices of their blocks."""
    elements: Elements | None
    """None for a page without a tree."""
    title: str
    data: Data | None
    """What JSON-LD and embedded state hold, where the profile reads them and the blocks hold next to nothing."""


def prepare(parsed: Parsed, options: Options, *, declared: Sequence[str] = ()) -> Prepared:
    """Cut a parsed page into blocks and measure them: all that need not be done again for other thresholds."""
    root, tags = parsed.root, options.profile.tags
    segments: list[Segment] = []
    title = ""
    elements = data = None
    if root is not None:
        segments, count = segment_and_count(root, tags)
        title = page_title(root)
        declared = [*declared, *declared_languages(root)]
        elements = Elements(root, tags, count)
        if options.profile.reads_data and shows_little(segments):
            data = find_data(elements, options.selection)
    choice = _choose_language([*segments, *data.segments] if data else segments, options, declared)
    judging = options.judging(choice.language)
    figures = measure_blocks(segments, judging)
    chosen = choose(options.selection, segments, elements) if options.selection and elements else {}
    return Prepared(segments, figures, judging.thresholds, choice, chosen, elements, title, data)


def measure_blocks(segments: Sequence[Segment], judging: Judging) -> list[Figures]:
    """The figures of blocks, with stop words found between spaces or, where the page's writing has none, anywhere."""
    if judging.writing is None:
        return measure(segments, judging.stopwords)
    return measure_unspaced(segments, judging.stopwords, judging.writing)


def _choose_language(segments: Sequence[Segment], options: Options, declared: Sequence[str]) -> LanguageChoice:
    candidates = options.candidates
    if candidates is not None and len(candidates) == 1:
        return given(candidates[0])
    if options.stopwords is not None:
        return OWN_STOPLIST
    sample = _sample(segments)
    tags = declared_tags(declared)
    lists = Lists(options.library.find, options.library.words)
    if candidates is None:
        return choose_language(sample, tags, lists)
    return choose_among(candidates, sample, tags, lists)


def _sample(segments: Sequence[Segment]) -> str:
    """Text to tell the language by: that of the longest blocks."""
    longest = sorted((one.collapsed for one in segments), key=len, reverse=True)
    return " ".join(longest[:SAMPLE_BLOCKS])[:SAMPLE_CHARACTERS]
