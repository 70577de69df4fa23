"""The table of settings: of each its default, the check of its values, its meaning.

Data alone: where values come from, and what becomes of them, is in :mod:`scrapy_justext.settings`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.conversion import (
    Converter,
    as_given,
    boolean,
    classes,
    item_field,
    laid_over,
    language,
    mapping,
    names_among,
    number,
    one_of,
    rules,
    seconds,
    statuses,
    whole_number,
)
from scrapy_justext.extraction import BLOCK_FIELDS
from scrapy_justext.site_memory import options as site_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The parts of an extraction that an item can get, with the item field that each goes to.
DEFAULT_FIELDS: Mapping[str, str | None] = MappingProxyType(
    {
        "text": "text",
        "paragraphs": "paragraphs",
        "blocks": "blocks",
        "language": "language",
        "title": "title",
        "language_source": None,
        "profile": None,
        "markdown": None,
    }
)

#: Paths are dear, so they are made only when asked for.
PATH_FIELDS = frozenset({"xpath", "dom_path"})
#: What blocks have where the profile makes blocks of images.
IMAGE_FIELDS = ("image_url", "image_alt")
#: And where a trained model judges.
MODEL_FIELDS = ("probability", "origin")
DEFAULT_BLOCK_FIELDS = tuple(name for name in BLOCK_FIELDS if name not in {*PATH_FIELDS, *IMAGE_FIELDS, *MODEL_FIELDS})


#: What holds for a whole crawl or not at all.
OF_CRAWLS = frozenset({"sites", "processes", *site_memory.OF_THE_CRAWL})


class Setting(NamedTuple):
    """A setting: its default (None: not set), how a value is converted and checked, its meaning."""

    default: object
    convert: Converter
    meaning: str


#: All settings by their lower-case names.  The README's table is checked against this one.
SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "enabled": Setting(True, boolean, "off switch"),
        "profile": Setting("justext", as_given, "the passes and thresholds to use"),
        "language": Setting(
            "auto",
            language,
            'an English name or ISO 639 code; a list: the page\'s language is chosen among these; "auto": among all',
        ),
        "stoplist": Setting(
            None,
            as_given,
            "your own list in place of the language's: a path, a list of `Path` merged, or words",
        ),
        "stoplists_dir": Setting(None, as_given, "a folder of LANGUAGE.txt files that come before the shipped ones"),
        "length_low": Setting(None, number, "characters; a shorter block is short, or bad with a link"),
        "length_high": Setting(None, number, "characters; only a longer block is good by itself"),
        "stopwords_low": Setting(None, number, "stop-word density below which a block is bad"),
        "stopwords_high": Setting(None, number, "stop-word density from which a long block is good"),
        "max_link_density": Setting(None, number, "link density above which a block is bad"),
        "max_heading_distance": Setting(
            None, number, "characters from a heading to the good block that rescues it, at the most"
        ),
        "no_headings": Setting(None, boolean, "treat headings like any other block"),
        "no_headlines": Setting(None, boolean, "`justext-java`: judge what stands in H1 like any other block"),
        "no_images": Setting(None, boolean, "`justext-java`: images before good text stay bad"),
        "tree_depth": Setting(
            None, number, "1 to 5: after any profile, keep the main group of blocks that share this ancestor"
        ),
        "good_probability": Setting(
            None, number, "`learned` profiles: probability from which a block is good; None: the model's own"
        ),
        "near_good_probability": Setting(
            None, number, "`learned` profiles: probability from which it is near-good, to be decided by its neighbours"
        ),
        "keep_css": Setting((), rules, "CSS selectors of elements whose blocks are good"),
        "drop_css": Setting((), rules, "CSS selectors of elements whose blocks are bad; stronger than `keep_css`"),
        "drop_text": Setting((), rules, "regular expressions, searched in blocks' text, of blocks that are bad"),
        "sites": Setting(
            MappingProxyType({}), mapping, "settings by domain, sub-domains included, in lower case without the prefix"
        ),
        "fields": Setting(
            DEFAULT_FIELDS,
            laid_over(DEFAULT_FIELDS, "part of an extraction"),
            "item field for each part of the extraction; laid over the default; None leaves a part out",
        ),
        "item_classes": Setting(None, classes, "item classes to clean; others pass untouched"),
        "block_fields": Setting(
            DEFAULT_BLOCK_FIELDS,
            names_among("field of a block", BLOCK_FIELDS),
            "metadata that each entry of `blocks` carries; `xpath` and `dom_path` can be asked for; those of images "
            "and of trained models only where the profile has them",
        ),
        "blocks": Setting("all", one_of("all", "good"), "which blocks are listed: all, good"),
        "drop": Setting(
            "item",
            one_of("item", "response", "none"),
            "what is dropped for a page without good content: item, response, none",
        ),
        "min_good_characters": Setting(
            1, whole_number, "a page with fewer characters in good blocks has no good content"
        ),
        "html_field": Setting(None, item_field, "item field that holds HTML, for items that come from no page"),
        "max_body_bytes": Setting(10 * 1024 * 1024, whole_number, "larger pages are passed on, counted, not cleaned"),
        "extra_statuses": Setting(frozenset(), statuses, "HTTP statuses beside 200 to 299 whose pages are cleaned"),
        "processes": Setting(
            0, whole_number, "processes that extract pages beside the crawl's own; 0: pages are extracted in place"
        ),
        "timeout": Setting(
            None, seconds, "seconds after which a page is given up; without `processes` told only when it is done"
        ),
        **{name: Setting(*row) for name, row in site_memory.ROWS.items()},
    }
)
