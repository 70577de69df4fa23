"""Tell which responses are cleaned and which pages are kept, and why the others are not; define both."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timezone
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple, cast
from weakref import WeakKeyDictionary

from scrapy.http import HtmlResponse, TextResponse
from scrapy.http.request import NO_CALLBACK
from w3lib.encoding import read_bom

from scrapy_justext.core.encodings import UTF_8, stated_encoding
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.language_table import UNLISTED, primary
from scrapy_justext.crawl.links import NO_LINKS, PageLinks, links_of
from scrapy_justext.crawl.processes import RawPage
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy import Request
    from scrapy.http import Response

    from scrapy_justext.core.extraction import Block, Extraction
    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.core.parameters import Thresholds
    from scrapy_justext.crawl.settings import Configuration

#: A document that says of itself that it is HTML, behind white space, a byte order mark, an XML declaration,
#: comments.
_LOOKS_LIKE_HTML = re.compile(
    # A declaration and a comment end at the first end mark: tried at all of them, a row of comments takes forever.
    r"\A(?:\s|\ufeff|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
#: The bytes at the start of a page that are looked at for it.
_MARKUP_BYTES = 2048

#: Control characters that no text holds, and the share of them from which bytes are no text.
_CONTROL = bytes(set(range(0x20)) - {*b"\t\n\r\f\x1b"}) + b"\x7f"
_SNIFFED_BYTES = 1024
_BINARY_SHARE = 0.03


def skip_reason(request: Request | None, response: Response, configuration: Configuration) -> str | None:
    """Return why a response is not cleaned, by its name in the stats; None for one that is cleaned."""
    # Robots.txt, images and other files that Scrapy fetches for itself.
    if request is not None and request.callback is NO_CALLBACK:
        return "no_callback"
    if not isinstance(response, TextResponse):
        return "not_html"
    return next((why for why, (applies, _) in _SKIPS.items() if applies(response, configuration)), None)


def _has_other_status(response: TextResponse, configuration: Configuration) -> bool:
    return not (200 <= response.status < 300 or response.status in configuration.extra_statuses)


def _too_large(response: Response, configuration: Configuration) -> str:
    return f"{len(response.body)} bytes, JUSTEXT_MAX_BODY_BYTES allows {configuration.max_body_bytes}"


#: Why a text is not cleaned, by the reason's name in the stats: whether it applies, and what it is in words.  The first
#: reason that applies is counted: the cheap and the sure ones come first.
_SKIPS: Mapping[str, tuple[Callable[[TextResponse, Configuration], bool], Callable[[Response, Configuration], str]]] = {
    "status": (_has_other_status, lambda response, _: describe_status(response)),
    "empty": (lambda response, _: not response.body or response.body.isspace(), lambda *_: "empty"),
    "too_large": (lambda response, configuration: len(response.body) > configuration.max_body_bytes, _too_large),
    "not_html": (lambda response, _: not is_html(response), lambda response, _: _describe_type(response)),
    "binary": (lambda response, _: is_binary(response), lambda *_: "not HTML: bytes that no text has"),
}

#: Why the settings leave a page uncleaned: those of the crawl, which is not counted, of its site, of its request.
OFF = "off"
SWITCHED_OFF = frozenset({OFF, "site", "request"})


def describe_reason(reason: str, response: Response, configuration: Configuration) -> str:
    """Return in words why a response is not cleaned.  ``reason``: its name in the stats."""
    return _SKIPS[reason][1](response, configuration) if reason in _SKIPS else reason


def describe_limit(error: PageLimitError) -> str:
    """Return in words what a page has too many of, with the name of the setting in place of the parameter's."""
    return error.problem.replace("max_blocks", "JUSTEXT_MAX_BLOCKS")


def describe_status(response: Response) -> str:
    """Return the status of a response in words."""
    names = {status.value: status.phrase for status in HTTPStatus}
    return f"HTTP status {response.status} {names.get(response.status, '')}".rstrip()


def _describe_type(response: Response) -> str:
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return "not HTML" + (f": content type {content_type}" if content_type else "")


def is_html(response: TextResponse) -> bool:
    """Return whether a text is HTML by its class, its content type or its markup."""
    content_type = (response.headers.get("Content-Type") or b"").lower()
    if isinstance(response, HtmlResponse) or b"html" in content_type:
        return True
    if content_type.startswith(b"text/plain"):
        return False
    # Markup is ASCII in all other encodings.  The response's text is not asked for: it may guess, which takes seconds.
    start = response.body[:_MARKUP_BYTES].decode(_wide_encoding(response) or UTF_8, "replace")
    return _LOOKS_LIKE_HTML.match(start) is not None


def _wide_encoding(response: TextResponse) -> str | None:
    """Return the encoding of a response that is in UTF-16 or UTF-32, by its mark or what it states; else None."""
    encoding = read_bom(response.body)[0] or stated_encoding(response) or ""
    return encoding if encoding.startswith(("utf-16", "utf-32")) else None


def is_binary(response: TextResponse) -> bool:
    """Return whether a response that claims to be text starts with bytes that no text has."""
    sample = response.body[:_SNIFFED_BYTES]
    has_many = len(sample) - len(sample.translate(None, _CONTROL)) > _BINARY_SHARE * len(sample)
    return has_many and _wide_encoding(response) is None


def raw_page(response: TextResponse) -> RawPage:
    """Return a page as it is sent to another process, which decodes its body."""
    return RawPage(response.body, stated_encoding(response), response.url, tuple(header_languages(response)))


def header_languages(response: Response) -> list[str]:
    """Return the languages that the HTTP headers claim the page to be in."""
    return [value.decode("latin-1") for value in response.headers.getlist("Content-Language")]


class PageOfArticle(NamedTuple):
    """A page of an article of several.  ``blocks``: how many of the article's blocks are its own."""

    url: str
    blocks: int = 0
    error: str | None = None
    """Why the page is missing, in words."""


class Repeats(NamedTuple):
    """The parts of a page that other pages of the crawl have said before."""

    blocks: frozenset[int]
    """The indices of the good blocks that other pages said before."""
    share: float
    """The share of the n-grams of its good blocks that count against the page."""
    is_page: bool
    """Whether the page as a whole is repeated."""
    first_url: str | None = None
    """The address of the page that said most of it first, while that is known."""
    removable: frozenset[int] = frozenset()
    """Those of these blocks whose text is kept elsewhere, and not only in teasers or excerpts of this page."""

    @property
    def message(self) -> str:
        """What is repeated, in words."""
        return f"repeated: {self.share:.0%} of its text is on {self.first_url or 'pages that came before'}"


#: The values of ``JUSTEXT_DUPLICATES`` that drop repeated pages.
DROP_DUPLICATES = frozenset({"drop", "drop-blocks"})
#: The reason of a block that was good and is bad because it is repeated.
REPEATED = "repeats what other pages said before"


def now() -> str:
    """Return the time in UTC, to the second, as ISO 8601 writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class CleanedPage(NamedTuple):
    """The extraction of a page, how long it took, and the configuration for its items."""

    extraction: Extraction
    configuration: Configuration
    seconds: float = 0.0
    site: str = ""
    """The site whose memory judged the page."""
    judged: JudgedPage | None = None
    """The page as it was judged by itself, in a crawl with site memory.  After the page is kept, it stays only if items
    wait: it is judged again when more is known of the site."""
    crawled: str = ""
    """When it came, as ISO 8601 writes it, in UTC."""
    fetched: str = "first"
    """"again" if it came with a second request."""
    pages: tuple[PageOfArticle, ...] = ()
    """The pages that it was joined from; none for a page that stands alone."""
    repeats: Repeats | None = None
    """None where nobody looked for duplicates."""
    links: PageLinks = NO_LINKS
    """Without any where nobody looks for duplicates, nor remembers sites."""

    @property
    def why_repeated(self) -> str | None:
        """Says in words what is repeated, if the items of the page are dropped for it; else None."""
        is_dropped = self.configuration.duplicates in DROP_DUPLICATES
        return self.repeats.message if is_dropped and self.repeats is not None and self.repeats.is_page else None

    @property
    def is_good(self) -> bool:
        """Whether the page has enough good content, and is likely enough to be extracted well."""
        return is_good(self.extraction, self.configuration)

    def with_links(self, response: Response, request: Request | None) -> CleanedPage:
        """Return the page with its addresses and links, which parts ask for that compare pages."""
        return self if self.links.own else self._replace(links=links_of(cast("TextResponse", response), request))


def is_good(extraction: Extraction, configuration: Configuration) -> bool:
    """Return whether a page has enough good content, and is likely enough to be extracted well."""
    is_empty = extraction.good_characters < configuration.min_good_characters
    if is_empty or is_in_other_language(extraction, configuration) or is_of_dropped_type(extraction, configuration):
        return False
    # It takes time to find.
    least = configuration.min_confidence
    return not least or extraction.confidence is None or extraction.confidence >= least


def is_in_other_language(extraction: Extraction, configuration: Configuration) -> bool:
    """Return whether a page is in none of the languages that are kept."""
    kept = configuration.keep_languages
    return bool(kept) and extraction.language not in kept


def is_of_dropped_type(extraction: Extraction, configuration: Configuration) -> bool:
    """Return whether a page is of a type whose pages are dropped."""
    # It takes time to find.
    return bool(configuration.drop_types) and extraction.page_type in configuration.drop_types


class UncleanedPage(NamedTuple):
    """A page that is not cleaned, and the configuration for its items."""

    reason: str
    """Why, by its name in the stats."""
    message: str
    """The same in words."""
    configuration: Configuration
    error: Exception | None = None
    """What was raised; None once the page is kept, since an exception would keep the response."""


def failed_page(error: Exception, configuration: Configuration) -> UncleanedPage:
    """Return what becomes of a page that an error kept from being cleaned."""
    if isinstance(error, PageLimitError):
        return UncleanedPage(error.reason, describe_limit(error), configuration)
    return UncleanedPage("error", str(error) or type(error).__name__, configuration, error)


#: What became of a page.
Outcome = CleanedPage | UncleanedPage

# An entry goes with its response.
_PAGES: WeakKeyDictionary[Response, Outcome] = WeakKeyDictionary()


def page_of(response: Response) -> Outcome | None:
    """Return what became of the page of a response; None for a response that no session has seen."""
    return _PAGES.get(response)


def keep_page(page: Outcome, response: Response) -> Outcome:
    """Keep a page for as long as its response is there; return it as it is kept."""
    # An exception would keep the response, and so itself.
    kept = _PAGES[response] = page if isinstance(page, CleanedPage) else page._replace(error=None)
    return kept


def page_counts(page: CleanedPage) -> dict[str, int]:
    """Return what a page adds to the stats of a crawl."""
    extraction, code = page.extraction, page.extraction.language
    language = page.configuration.options.library.find(code)
    counts = {"pages": 1, f"language/{UNLISTED.get(code, code) if language is None else language.name}": 1}
    counts |= {f"blocks/{kind}": n for kind, n in Counter(extraction.column("block_class")).items()}
    if extraction.page_type is not None:
        counts[f"page_type/{extraction.page_type}"] = 1
    facts = {
        "pages_judged_without_stop_words": extraction.language_source == "fallback",
        "pages_cut_at_depth": extraction.is_cut,
        "pages_with_fallback": extraction.is_fallback,
        "pages_read_as_utf8": extraction.encoding_source == "contradiction",
        "pages_encoding_guessed": extraction.encoding_source == "guessed",
        "pages_without_good_content": not page.is_good,
        "pages_in_other_languages": is_in_other_language(extraction, page.configuration),
        "pages_of_dropped_types": is_of_dropped_type(extraction, page.configuration),
        "pages_declaring_another_language": declared_otherwise(page) is not None,
    }
    if page.repeats is not None:
        facts["duplicates/pages"] = page.repeats.is_page
        if page.repeats.blocks:
            counts["duplicates/blocks"] = len(page.repeats.blocks)
    return counts | {name: 1 for name, is_so in facts.items() if is_so}


def declared_otherwise(page: CleanedPage) -> str | None:
    """Return the language tag of a page that declares another language than the user says it is in; else None."""
    extraction, library = page.extraction, page.configuration.options.library
    declared = extraction.declared_language
    candidates = page.configuration.options.candidates
    if declared is None or candidates is None or len(candidates) != 1:
        return None
    language = library.find(declared)
    is_other = language != candidates[0] if language is not None else primary(declared) not in candidates[0].codes
    return declared if is_other else None


def explain_no_content(extraction: Extraction, configuration: Configuration) -> str:
    """Return in one line what a page lacks, by the measurements of the block that came nearest to being good."""
    return f"no good content: {_lack(extraction, configuration)[1]}"


def what_is_missing(extraction: Extraction, configuration: Configuration) -> str:
    """Return what a page without good content lacks, in words that many pages have in common."""
    return _lack(extraction, configuration)[0]


def _lack(extraction: Extraction, configuration: Configuration) -> tuple[str, str]:
    """Return both: what a page lacks, and what was measured of it."""
    if is_in_other_language(extraction, configuration):
        kept = ", ".join(sorted(configuration.keep_languages))
        measured = f"the page is in {extraction.language}, JUSTEXT_KEEP_LANGUAGES keeps {kept}"
        return "another language than JUSTEXT_KEEP_LANGUAGES", measured
    if is_of_dropped_type(extraction, configuration):
        page_type = f"{extraction.page_type} ({extraction.page_type_probability})"
        return "a type in JUSTEXT_DROP_TYPES", f"a page of the type {page_type}, JUSTEXT_DROP_TYPES drops it"
    blocks = extraction.blocks
    if not blocks:
        return "no text", "the page has no text"
    good = f"{sum(block.is_good for block in blocks)} of {len(blocks)} blocks"
    if not any(block.is_good for block in blocks):
        missing, nearest = _nearest_miss(extraction, configuration)
        return missing, f"{good}; {nearest}"
    least = configuration.min_good_characters
    if extraction.good_characters < least:
        measured = f"{good}, {extraction.good_characters} < {least} good characters"
        return "less than JUSTEXT_MIN_GOOD_CHARACTERS", measured
    measured = f"{good}, confidence {extraction.confidence} < {configuration.min_confidence:g}"
    return "less than JUSTEXT_MIN_CONFIDENCE", measured


def _nearest_miss(extraction: Extraction, configuration: Configuration) -> tuple[str, str]:
    """Return what all blocks lack, and what was measured of the one that came nearest to being good."""
    blocks, options = extraction.blocks, configuration.options
    if not options.profile.by_stopwords:
        missing = f"no block that {extraction.profile} takes for content"
        if any(block.probability is not None for block in blocks):
            nearest = max(blocks, key=lambda block: block.probability or 0)
            return missing, f"nearest miss: {nearest.characters} characters, {nearest.reason}"
        longest = max(blocks, key=lambda block: block.characters * (1 - block.link_density))
        return missing, f"longest: {longest.characters} characters, {longest.reason}"
    extractor = Extractor(options)
    thresholds = extractor.thresholds_for(extractor.language_of(extraction))
    nearest = max(blocks, key=lambda block: _nearness(block, thresholds))
    if nearest.link_density > thresholds.max_link_density:
        missing = "nothing but links and short blocks"
    else:
        is_prose = nearest.stopword_density >= thresholds.stopwords_low
        missing = "no block that is long enough" if is_prose else "no block with enough stop words"
    return missing, f"nearest miss: {_miss(nearest, thresholds)}"


def _nearness(block: Block, thresholds: Thresholds) -> float:
    """Return how near a block came to being good, from 0, not at all, to 2, no threshold missed."""
    if block.link_density > thresholds.max_link_density:
        return 0.0
    return _share(block.characters, thresholds.length_high) + _share(block.stopword_density, thresholds.stopwords_high)


def _share(value: float, of: float) -> float:
    return min(value / of, 1.0) if of else 1.0


def _miss(block: Block, thresholds: Thresholds) -> str:
    """Return a block's measurements beside the thresholds that it missed; the block's reason if it missed none."""
    missed = []
    if block.link_density > thresholds.max_link_density:
        missed.append(f"link density {block.link_density:.2f} > {thresholds.max_link_density:.2f}")
    if block.stopword_density < thresholds.stopwords_low:
        missed.append(f"stop-word density {block.stopword_density:.2f} < {thresholds.stopwords_low:.2f}")
    length = f"{block.characters} characters"
    if block.characters <= thresholds.length_high:
        length += f" <= {thresholds.length_high}" if not missed else ""
    return ", ".join([length, *missed]) if missed or "<=" in length else f"{length}, {block.reason}"
