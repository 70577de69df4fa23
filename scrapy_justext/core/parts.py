"""The parts of an extraction that items and rows hold: one list, of which settings, tables and docs are made.

What makes a part: :func:`~scrapy_justext.core.extraction.part_of`; of crawls, :mod:`~scrapy_justext.crawl.items`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExtractionPart(NamedTuple):
    """A part of an extraction.

    ``type``: of its values, as annotations name it; ``meaning``: with links as in README.  ``in_items``, ``in_rows``:
    whether the items of a crawl, and the rows of archives and frames, have it unless settings say otherwise.
    ``of_crawls``: whether nobody but a crawl knows it, so that rows cannot have it.
    """

    type: str
    meaning: str
    in_items: bool = False
    in_rows: bool = False
    of_crawls: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether its values are lists of dicts."""
        return self.type.startswith("list[") and self.type != "list[str]"


class Metadata(NamedTuple):
    """What a page declares about itself; None for what it does not."""

    published: str | None = None
    """A date, or a date and time, as ISO 8601 writes them."""
    modified: str | None = None
    author: str | None = None
    """Several with commas between them."""
    site_name: str | None = None
    description: str | None = None
    image: str | None = None
    """An absolute address, as the next."""
    canonical_url: str | None = None
    license: str | None = None
    """An address or, where the page gives none, words."""


NO_METADATA = Metadata()

#: Parts that are written from the page's tree where they are asked for.
DOCUMENTS = ("markdown", "html")

PARTS: Mapping[str, ExtractionPart] = MappingProxyType(
    {
        "text": ExtractionPart("str", "the good blocks, with a blank line between them", in_items=True, in_rows=True),
        "paragraphs": ExtractionPart("list[str]", "the same texts as a list"),
        "blocks": ExtractionPart(
            "list[Block]",
            "the metadata of each good [block](docs/fields.md#blocks), in the order of the text; with "
            '`JUSTEXT_BLOCKS = "all"` that of every block of the page',
            in_items=True,
            in_rows=True,
        ),
        "language": ExtractionPart(
            "str",
            "ISO 639 code of [the page's language](docs/languages.md), whatever stop words judge it; `und` if unknown",
            in_items=True,
            in_rows=True,
        ),
        "languages": ExtractionPart(
            "list[LanguageShare]",
            "[the languages of the good blocks](docs/languages.md#pages-in-more-than-one-language), with their shares "
            "of the characters, the largest first",
        ),
        "title": ExtractionPart("str", "the text of TITLE", in_items=True, in_rows=True),
        "language_source": ExtractionPart(
            "str", "`given`, `detected`, `declared` or `fallback` (judged without stop words)", in_rows=True
        ),
        "profile": ExtractionPart("str", "the profile that judged the page; the one that `auto` took", in_rows=True),
        "confidence": ExtractionPart(
            "float",
            "the F1 to be expected of the text, by the [learned profiles](docs/learned.md#confidence-and-page-type)",
            in_rows=True,
        ),
        "page_type": ExtractionPart(
            "str",
            "`article`, `collection`, `documentation`, `forum`, `listing`, `product` or `service`, by `learned`; in "
            "items of every profile",
            in_rows=True,
        ),
        "page_type_probability": ExtractionPart("float", "how probable that type is", in_rows=True),
        "comments": ExtractionPart(
            "list[str]",
            "the texts of comments, good and bad, by the [learned profiles](docs/learned.md#roles-of-blocks)",
        ),
        "markdown": ExtractionPart(
            "str", "the good blocks as [Markdown](docs/markdown.md), with headings, lists, tables and links"
        ),
        "html": ExtractionPart("str", "the good blocks as [clean HTML](docs/markdown.md#html), which says the same"),
        "chunks": ExtractionPart(
            "list[TextChunk]",
            "the text in [pieces for retrieval](docs/chunks.md), cut at headings, blocks and sentences",
        ),
        "published": ExtractionPart("str", "the date of [what the page declares](docs/metadata.md) about itself"),
        "modified": ExtractionPart("str", "the date of its last change"),
        "author": ExtractionPart("str", "several with commas between them"),
        "site_name": ExtractionPart("str", "the name of the site or of who publishes the page"),
        "description": ExtractionPart("str", "what the page says that it is about"),
        "image": ExtractionPart("str", "the address of its picture"),
        "canonical_url": ExtractionPart("str", "the address that the page calls its own"),
        "license": ExtractionPart("str", "the address of its licence, or what it says of its rights"),
        "simhash": ExtractionPart(
            "str", "64 bits of the good text, of which [near-duplicates](docs/duplicates.md#near-duplicates) share most"
        ),
        "minhash": ExtractionPart(
            "list[int]",
            "128 numbers of it, which they have in common as they have [n-grams](docs/duplicates.md#the-rule)",
        ),
        "crawled": ExtractionPart(
            "str",
            "when the page came, as ISO 8601 writes it, in UTC; rows have the `date` of a WARC file",
            of_crawls=True,
        ),
        "fetched": ExtractionPart(
            "str",
            "`first`, or `again` for a page that came with a [second request](docs/second-requests.md)",
            of_crawls=True,
        ),
        "pages": ExtractionPart(
            "list[JoinedPage]",
            "the pages that an [article of several pages](docs/several-pages.md) was joined from",
            of_crawls=True,
        ),
        "is_duplicate": ExtractionPart(
            "bool",
            'whether other pages said most of the text before; only with [`JUSTEXT_DUPLICATES = "mark"`]'
            "(docs/duplicates.md)",
            in_items=True,
            of_crawls=True,
        ),
        "duplicate_of": ExtractionPart(
            "str", "the first of these pages; only with the same", in_items=True, of_crawls=True
        ),
    }
)
