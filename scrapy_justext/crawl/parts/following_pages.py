"""Find the page that continues an article, and tell whether it does.

Addresses come from ``rel="next"``, from JSON-LD and from links.  One of them is the next page if it is the first page's
address with the next number: ``/a?page=2``, ``/a/2``, ``/a/page/2``, ``/a-2.html``, ``/a_2``, ``/a,2.html`` for ``/a``
or ``/a.html``.  What ``rel="next"`` names may also go on from the first page's path in words, as ``/a/second-part``
does.  Pages of comments have names of their own (``cpage``, ``comment-page-2``), which are not among these.

Listings and archives are numbered in the same way, and so are chapters and other articles.  So the page that was
fetched must have the title and the template of the first, new text, and few new links to other pages: all pages of an
article have the same menus and teasers, while each page of a listing has others.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, urljoin, urlsplit

from lxml import etree

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.metadata import things_in
from scrapy_justext.core.structured_data import parse_json_ld
from scrapy_justext.crawl.sites import site_name
from scrapy_justext.crawl.teasers import LINK_CHARACTERS, is_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.http import TextResponse

    from scrapy_justext.core.extraction import Extraction

#: How addresses call the number of a page.
PAGE_WORDS = (
    "page", "pages", "pg", "p", "seite", "pagina", "página", "pag", "sida", "side", "sivu", "strona", "stranica",
    "strana", "oldal", "sayfa", "trang", "halaman", "part",
)  # fmt: skip
_WORDS = "|".join(map(re.escape, PAGE_WORDS))
_EXTENSION = re.compile(r"\.(?:[sx]?html?|php\d?|aspx?|jsp|cfm)\Z", re.IGNORECASE)
#: What the path of a following page has behind that of the first: a number of at most three digits.
_NUMBER = rf"(?:/|[-_.,]|[-_/]?(?:{_WORDS})[-_/=]?)0?(\d{{1,3}})"
_FIRST_NUMBER = re.compile(rf"(?:/|[-_,]|[-_/]?(?:{_WORDS})[-_/=]?)0?1\Z", re.IGNORECASE)

#: Scripts of JSON-LD that are read, and the characters of each; its keys that lead to other parts of a work.
DATA_SCRIPTS = 20
DATA_CHARACTERS = 200_000
DATA_KEYS = ("hasPart", "nextItem")

#: New teasers on a page from which it is no article's, if they are more than half of its teasers.
NEW_TEASERS = 3
#: Teasers of a first page from which it is a listing, if they have more characters than its content.
LISTING_TEASERS = 5
#: Shares of what the titles, and the templates, of two pages of an article have in common.
ALIKE_TITLES = 0.6
ALIKE_TEMPLATES = 0.5
#: The least blocks of boilerplate by which templates are compared.
TEMPLATE_BLOCKS = 3
#: Types of pages, as a trained model tells them, that have no following pages.
NO_ARTICLES = frozenset({"listing", "collection", "product", "forum", "service"})


#: What links on a page refer to.
_RELATED = etree.XPath("//*[contains(@rel, 'next')]/@href", smart_strings=False)
_LINKED = etree.XPath("//a/@href", smart_strings=False)


def next_page(response: TextResponse, first_url: str, number: int) -> str | None:
    """Return the address of the page ``number`` of the article that begins at ``first_url``; None if none is named.

    ``response``: the page before it.
    """
    digits = str(number)
    by_rel = list(_addresses(response.url, _values_of(_RELATED, response)))
    # A page has hundreds of links, and it takes some microseconds to understand an address.
    links = (reference for reference in dict.fromkeys(_values_of(_LINKED, response)) if digits in reference)
    candidates = chain(by_rel, _addresses(response.url, chain(_in_data(response), links)))
    numbered = next((url for url in candidates if page_number(url, first_url) == number), None)
    named = next((url for url in by_rel if _goes_on(url, first_url) and url != response.url), None)
    return numbered or named


def _values_of(expression: etree.XPath, response: TextResponse) -> list[str]:
    return cast("list[str]", expression(response.selector.root))


def _addresses(base: str, references: Iterable[str]) -> Iterator[str]:
    """Yield what references on the page at ``base`` lead to; those that are no addresses are left out."""
    for reference in references:
        with suppress(ValueError):
            address = urljoin(base, reference.strip())
            # A port that is no port is found when it is read, and not before.
            _ = urlsplit(address).port
            yield address


def page_number(url: str, first_url: str) -> int | None:
    """Return the number of the page at ``url`` in the article that begins at ``first_url``; None if it is not in it.

    >>> page_number("https://a.example/bridge?page=2", "https://a.example/bridge")
    2
    >>> page_number("https://a.example/bridge-3.html", "https://www.a.example/bridge.html")
    3
    >>> page_number("https://a.example/bridge?cpage=2", "https://a.example/bridge")
    """
    first = urlsplit(first_url)
    base, extension = _base(first.path)
    # Most links lead elsewhere.
    if base.lower() not in url.lower():
        return None
    parts = urlsplit(url)
    if site_name(url) != site_name(first_url) or parts.scheme not in ("http", "https"):
        return None
    query, first_query = _queries(parts.query), _queries(first.query)
    if parts.path.rstrip("/") in {first.path.rstrip("/"), base}:
        return _number_in_query(query, first_query)
    match = re.fullmatch(rf"{re.escape(base)}{_NUMBER}(?:{re.escape(extension)})?/?", parts.path, re.IGNORECASE)
    return int(match[1]) if match and query == first_query else None


def is_first(url: str) -> bool:
    """Return whether the address of a page has no number, or that of the first page.

    >>> is_first("https://a.example/bridge?page=1"), is_first("https://a.example/bridge?page=2")
    (True, False)
    """
    parts = urlsplit(url)
    path = _EXTENSION.sub("", parts.path.rstrip("/"))
    match = re.search(rf"(?:[-_/](?:{_WORDS})[-_/=]?)(\d{{1,3}})\Z", path, re.IGNORECASE)
    numbers = [value for name, value in parse_qsl(parts.query) if name.casefold() in PAGE_WORDS]
    # A longer number is that of an article, as in WordPress's ?p=1234.
    numbers = [n for n in numbers if n.isdecimal() and len(n) <= 3]
    return all(int(n) <= 1 for n in [*numbers, *(match.groups() if match else ())])


def _base(path: str) -> tuple[str, str]:
    """Return a path without its extension, a number 1 and the name of an index, and the extension."""
    path = path.rstrip("/")
    match = _EXTENSION.search(path)
    extension = match[0] if match else ""
    return _FIRST_NUMBER.sub("", path.removesuffix(extension)), extension


def _queries(query: str) -> dict[str, str]:
    return dict(parse_qsl(query, keep_blank_values=True))


def _number_in_query(query: dict[str, str], first: dict[str, str]) -> int | None:
    differing = {name for name in query.keys() | first.keys() if query.get(name) != first.get(name)}
    if len(differing) != 1 or (name := differing.pop()).casefold() not in PAGE_WORDS:
        return None
    value = query.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= 3 else None


def _goes_on(url: str, first_url: str) -> bool:
    """Return whether the path of an address is that of the first page and some words more, but no number."""
    parts, first = urlsplit(url), urlsplit(first_url)
    base, _ = _base(first.path)
    if site_name(url) != site_name(first_url) or parts.scheme not in ("http", "https") or not base:
        return False
    rest = parts.path.removeprefix(base)
    return rest != parts.path and re.fullmatch(r"[-/][^\d/]{3,80}/?", rest) is not None and "comment" not in rest


def _in_data(response: TextResponse) -> Iterator[str]:
    """Yield the references that JSON-LD has to parts of the page's work."""
    scripts = islice(response.xpath("//script[@type='application/ld+json']/text()").getall(), DATA_SCRIPTS)
    for thing in things_in(parse_json_ld(script) for script in scripts if len(script) <= DATA_CHARACTERS):
        for part in chain.from_iterable(map(_listed, map(thing.get, DATA_KEYS))):
            address = (part.get("url") or part.get("@id")) if isinstance(part, dict) else part
            if isinstance(address, str):
                yield address


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def may_go_on(first: Extraction) -> bool:
    """Return whether a page may be the first one of an article; a listing is none."""
    good = [i for i, of in enumerate(first.column("block_class")) if of is GOOD]
    if first.page_type in NO_ARTICLES or not good or is_listing(first, good):
        return False
    teasers = _teasers(first)
    return len(teasers) < LISTING_TEASERS or sum(map(len, teasers)) <= first.good_characters


def is_continued(first: Extraction, page: Extraction, known: set[str]) -> bool:
    """Return whether a page goes on with the article of the first; ``known``: the good blocks of the pages before."""
    titles = [
        {word for word in re.findall(r"\w+", of.title.casefold()) if not word.isdecimal()} for of in (first, page)
    ]
    words = titles[0] | titles[1]
    if len(titles[0] & titles[1]) < ALIKE_TITLES * len(words) or known.issuperset(page.paragraphs):
        return False
    blocks = zip(first.column("text"), first.column("block_class"), strict=True)
    boilerplate = {text for text, of in blocks if of is not GOOD}
    shared = boilerplate.intersection(page.column("text"))
    if len(boilerplate) >= TEMPLATE_BLOCKS and len(shared) < ALIKE_TEMPLATES * len(boilerplate):
        return False
    teasers = _teasers(page)
    new = teasers - _teasers(first)
    return len(new) < NEW_TEASERS or 2 * len(new) <= len(teasers)


def _teasers(page: Extraction) -> set[str]:
    """Return the texts of links that lead to other texts."""
    columns = zip(*map(page.column, ("text", "link_density", "characters", "heading_level")), strict=True)
    return {text for text, links, size, level in columns if links > 1 / 2 and (size >= LINK_CHARACTERS or level)}
