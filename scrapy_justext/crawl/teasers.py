"""Tell the text that a page is about from teasers, which announce other pages.

A front page, a listing or a feed of tags says the first paragraph of each article, often before the article itself is
fetched.  There that paragraph is a teaser.  What a teaser said does not count against the text that it announces.

**Pieces.**  Headings and link-only blocks cut a page into pieces of paragraphs.  The nearest of these blocks before a
piece tells what the piece is; short links, such as those of authors, do not count:

* the headline of the page, which is an H1 without a link, or a heading whose text is in TITLE: the page's own text;
* a heading that is a link, as above the entries of a listing: a teaser;
* a long link: a teaser of at most :data:`MOST_PARAGRAPHS`.

A piece under any other heading is a teaser if a link ("Read more") follows, unless it is the page's only piece.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from scrapy_justext.core.extraction import Extraction

#: Characters from which a block is a paragraph: shorter ones are dates, names and captions.
LEAST_CHARACTERS = 30
#: The most paragraphs of a teaser without a linked heading: "read more" boxes also stand behind longer pieces.
MOST_PARAGRAPHS = 2
#: Characters of a title that headings are looked for in.
TITLE_CHARACTERS = 500
#: Characters from which a link leads to another text, and not to a section of the site or to a person.
LINK_CHARACTERS = 25


class Marker(NamedTuple):
    """A heading, or a block that is a link."""

    text: str
    level: int
    """1 to 6 for a heading, else 0."""
    is_link: bool


class BlockTexts(NamedTuple):
    """The blocks of a page, in columns."""

    texts: Sequence[str]
    link_characters: Sequence[int]
    heading_levels: Sequence[int]

    def is_link(self, i: int) -> bool:
        """Return whether most of a block is a link."""
        return 2 * self.link_characters[i] > len(self.texts[i])


def find_teasers(blocks: BlockTexts, title: str, chosen: Container[int]) -> frozenset[int]:
    """Return the indices of the paragraphs that announce other pages.

    ``title``: the text of TITLE; ``chosen``: the indices of the blocks that may be paragraphs.

    >>> lead = "It was said in the town that the old bridge was there first."
    >>> listing = BlockTexts(["The bridge", lead, "The mill"], [10, 0, 8], [2, 0, 2])
    >>> sorted(find_teasers(listing, "News", range(3)))
    [1]
    >>> find_teasers(BlockTexts(["The bridge", lead], [0, 0], [1, 0]), "The bridge", range(2))
    frozenset()
    """
    pieces: list[list[int]] = [[]]
    # Those before each piece, and behind the last.
    markers: list[list[Marker]] = [[]]
    for i, (text, links, level) in enumerate(zip(*blocks, strict=True)):
        if level or 2 * links > len(text):
            if pieces[-1]:
                pieces.append([])
                markers.append([])
            markers[-1].append(Marker(text, level, blocks.is_link(i)))
        elif len(text) >= LEAST_CHARACTERS and i in chosen:
            pieces[-1].append(i)
    is_alone = sum(map(bool, pieces)) == 1
    return frozenset(
        chain.from_iterable(
            piece
            for piece, before, behind in zip(pieces, markers, [*markers[1:], []], strict=True)
            if _announces(
                before, behind, title[:TITLE_CHARACTERS], is_short=len(piece) <= MOST_PARAGRAPHS, is_alone=is_alone
            )
        )
    )


def _announces(
    before: Sequence[Marker], behind: Sequence[Marker], title: str, *, is_short: bool, is_alone: bool
) -> bool:
    for number, marker in enumerate(reversed(before)):
        is_in_title = bool(marker.text) and marker.text in title
        if marker.level and (is_in_title or (marker.level == 1 and not marker.is_link)):
            return False
        # A link to another text, by its length or as a heading.
        if marker.is_link and (marker.level or len(marker.text) >= LINK_CHARACTERS):
            is_below_heading = any(above.level for above in before[: len(before) - number])
            return marker.level > 0 or (is_short and (is_below_heading or not is_alone))
        if marker.level:
            break
    return is_short and not is_alone and bool(behind) and not behind[0].level


def is_listing(extraction: Extraction, good: Sequence[int]) -> bool:
    """Return whether most of a page's text announces other pages; ``good``: the indices of the blocks of its text."""
    columns = ("text", "link_characters", "heading_level")
    blocks = BlockTexts(*map(extraction.column, columns))
    teasers = find_teasers(blocks, extraction.title, set(good))
    announced, total = (sum(len(blocks.texts[i]) for i in chosen) for chosen in (teasers, good))
    return 2 * announced > total
