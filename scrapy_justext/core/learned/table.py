"""List the names in markup that features look for, and the features in the order of their columns.  Only data.

The reason of a block names its features by their meanings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.text import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterable

#: By word: the patterns that stand for it in class, id, role and itemprop; ``words.txt`` says how they are compared.
WORDS = dict(line.split(": ", 1) for line in read_sections(Path(__file__).with_name("words.txt"))["words"])

_TAGS = (
    "a address article aside blockquote body button caption center dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header label legend li main menu nav noscript ol option p pre search section "
    "select span summary table tbody td textarea tfoot th thead tr ul"
)
#: Elements, for the blocks inside them.
TAGS = tuple(_TAGS.split())

#: States: hidden by style, from screen readers (``aria-hidden``), by the attribute ``hidden``.
STATES = ("not displayed", "not read out", "not shown")

NAMES = (*TAGS, *WORDS, *STATES)


class Feature(NamedTuple):
    """A column.  A flag, 0 or 1, is named in a reason without its value where it is 1, and not at all where it is 0."""

    name: str
    meaning: str
    is_flag: bool = False


def features_of(rows: Iterable[tuple[str, str]]) -> tuple[Feature, ...]:
    """Make features of names and meanings; a question mark behind a meaning makes a flag."""
    return tuple(Feature(name, meaning.rstrip("?"), meaning.endswith("?")) for name, meaning in rows)


_BLOCK = (
    ("units", "length"),
    ("words", "words"),
    ("link_density", "link density"),
    ("link_units", "length inside links"),
    ("units_per_word", "length of words"),
    ("ends", "sentence ends"),
    ("ends_per_100", "sentence ends by length"),
    ("units_per_end", "length of sentences"),
    ("commas", "commas"),
    ("commas_per_100", "commas by length"),
    ("digit_share", "share of digits"),
    ("upper_share", "share of capitals"),
    ("capitalised_share", "share of capitalised words"),
    ("letter_share", "share of letters"),
    ("mark_share", "share of marks"),
    ("bars", "bars and bullets"),
    ("currencies", "currency signs"),
    ("copyrights", "copyright sign?"),
    ("questions", "question marks"),
    ("ends_sentence", "closes a sentence?"),
    ("ends_colon", "ends with a colon?"),
    ("begins_upper", "begins with a capital?"),
    ("begins_digit", "begins with a digit?"),
    ("tags", "inline elements"),
    ("tags_per_word", "inline elements a word"),
    ("repeats", "times the text stands on the page"),
    ("is_repeated", "stood further up already?"),
    ("heading_level", "heading level"),
    ("is_heading", "heading?"),
    ("in_title", "part of the page's title?"),
    ("is_sentence_like", "sentence-like?"),
    ("is_code", "code or formula?"),
    ("is_table", "table of data?"),
)

_POSITION = (
    ("index_share", "position among the blocks"),
    ("units_before_share", "share of the page before"),
    ("units_before", "text before"),
    ("blocks", "blocks on the page"),
    ("page_units", "length of the page"),
    ("page_link_density", "link density of the page"),
    ("page_prose", "sentence-like text of the page"),
    ("page_prose_share", "share of sentence-like text on the page"),
    ("from_first_prose", "blocks since the first sentence-like one"),
    ("to_last_prose", "blocks to the last sentence-like one"),
    ("prose_before", "share of the sentence-like text before"),
    ("before_prose", "before all sentence-like text?"),
    ("after_prose", "after all sentence-like text?"),
    ("depth", "depth"),
    ("from_h1", "blocks since H1"),
    ("h1_before", "after H1?"),
    ("h1s", "H1 on the page"),
    ("from_heading", "blocks since a heading"),
    ("last_level", "level of the last heading"),
    ("prose_since_heading", "sentence-like text since a heading"),
    ("class_units", "text in elements of the same class"),
    ("class_blocks", "blocks in elements of the same class"),
    ("class_link_density", "link density of elements of the same class"),
    ("class_prose_share", "share of sentence-like text in elements of the same class"),
    ("path_blocks", "blocks with the same path"),
    ("path_units_share", "share of the page in blocks with the same path"),
    ("path_link_density", "link density of blocks with the same path"),
    ("path_prose_share", "share of sentence-like text in blocks with the same path"),
    ("path_mean_units", "mean length of blocks with the same path"),
)

#: What the elements around a block are called, from the inside out.
LEVEL_NAMES = (
    "its element", "its parent", "its grandparent", "its great-grandparent", "the fourth element around it",
    "the fifth element around it",
)  # fmt: skip
#: How many elements that a block stands in are measured: its own, and ancestors.  An ancestor that holds no more blocks
#: than the element below is passed over.
LEVELS = len(LEVEL_NAMES)

#: Features of each of these elements.
_OF_ELEMENT = (
    ("units", "text in {}"),
    ("share", "share of the page in {}"),
    ("link_density", "link density of {}"),
    ("blocks", "blocks in {}"),
    ("prose_share", "share of sentence-like text in {}"),
    ("prose_density", "density of sentence-like text in {}"),
    ("heading_share", "share of headings in {}"),
    ("alike", "elements beside {} that are like it"),
    ("place", "position in {}"),
    ("start", "where {} starts"),
)

_ELEMENTS = (
    (f"{name}_{level}", meaning.format(element))
    for name, meaning in _OF_ELEMENT
    for level, element in enumerate(LEVEL_NAMES)
)

#: Positions of neighbours, counted from the block.
OFFSETS = (-3, -2, -1, 1, 2, 3)
_OF_NEIGHBOUR = (
    ("units", "length of the block {}"),
    ("link_density", "link density of the block {}"),
    ("ends", "sentence ends of the block {}"),
    ("same_class", "same class as the block {}?"),
    ("same_parent", "same parent as the block {}?"),
    ("is_heading", "heading {}?"),
    ("is_prose", "sentence-like block {}?"),
    ("is_code_or_table", "code, formula or table {}?"),
)
#: Blocks on each side of a window.
WINDOWS = (2, 6, 15)
_OF_WINDOW = (
    ("prose_density", "density of sentence-like text"),
    ("link_density", "link density"),
    ("mean_units", "mean length"),
)


_NEIGHBOURS = (
    *(
        (f"{name}_{offset:+d}", meaning.format(f"{abs(offset)} {'before' if offset < 0 else 'ahead'}"))
        for name, meaning in _OF_NEIGHBOUR
        for offset in OFFSETS
    ),
    *(
        (f"{name}_window_{2 * size + 1}", f"{meaning} of the {2 * size + 1} blocks around it")
        for name, meaning in _OF_WINDOW
        for size in WINDOWS
    ),
)


def _flags(prefix: str, where: str) -> tuple[Feature, ...]:
    """Return a flag for each of the names; tags are in capitals, to tell NAV from the word nav."""
    return (
        *(Feature(f"{prefix}_{tag.upper()}", f"{where} {tag.upper()}", True) for tag in TAGS),
        *(Feature(f"{prefix}_{word}", f"{where} an element named {word}", True) for word in WORDS),
        *(Feature(f"{prefix}_{state}", f"{where} an element that is {state}", True) for state in STATES),
    )


#: Features that are the same for all blocks of a page, and explain none of them.
PAGE_FEATURES = frozenset({"blocks", "page_units", "page_link_density", "page_prose", "page_prose_share", "h1s"})

NUMBERS = features_of((*_BLOCK, *_POSITION, *_ELEMENTS, *_NEIGHBOURS))
FEATURES = (*NUMBERS, *_flags("own", "in"), *_flags("inside", "inside"))
