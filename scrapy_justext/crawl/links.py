"""Which pages a page links to: what a listing says of an article does not count against the article.

Front pages, listings and feeds of tags hold the first paragraph of an article, or all of it.  Their markup differs, but
all of them link to the article.

Links are read from the page's source: where other processes extract pages, there is no tree of it here.  An address is
kept as a number of 24 bits: a page seems to link to another by mistake once in some 100,000 times.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from scrapy.utils.response import get_base_url
from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.http import Response, TextResponse

#: Bytes of an address.
SIZE = 3
#: Links of a page that are looked at.
MOST_LINKS = 500

# Patterns without regard to case take twice as long.
_HREF = r"""\b[hH][rR][eE][fF]\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))"""
_LINK = re.compile(rf"<[aA]\s(?:[^<>]*?\s)?{_HREF}")
_CANONICAL = re.compile(rf"<[lL][iI][nN][kK]\s(?=[^<>]*\b[cC]anonical\b)[^<>]*?{_HREF}")


class PageLinks(NamedTuple):
    """The addresses of a page, and those that it links to, :data:`SIZE` bytes each."""

    own: frozenset[bytes] = frozenset()
    """That of the page, those that were redirected to it, and the one that it calls canonical."""
    targets: frozenset[bytes] = frozenset()


NO_LINKS = PageLinks()


def addresses_of(response: Response, request: Request | None) -> list[str]:
    """Return the address of a response, and those that were asked for and led to it; ``request``: what it answers."""
    asked_for = [] if request is None else [request.url, *request.meta.get("redirect_urls", ())]
    return [response.url, *asked_for]


def links_of(response: TextResponse, request: Request | None) -> PageLinks:
    """Return the addresses and links of a response; ``request``: what it answers."""
    base, text = get_base_url(response), response.text
    canonical = [_resolved(base, href) for href in islice(_hrefs(_CANONICAL, text), 1)]
    own = frozenset(map(number_of, [*addresses_of(response, request), *canonical]))
    links = frozenset(number_of(_resolved(base, href)) for href in islice(_hrefs(_LINK, text), MOST_LINKS))
    return PageLinks(own, links - own)


def _hrefs(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        href = match[match.lastindex or 1].strip()
        if href and href[0] != "#":
            yield href


def _resolved(base: str, href: str) -> str:
    if "&" in href:
        href = unescape(href)
    if href.startswith(("http://", "https://")):
        address = href
    elif href[0] == "/" and href[:2] != "//":
        # Most are of these two kinds, which take a tenth of the time so.
        address = "/".join(base.split("/", 3)[:3]) + href
    else:
        try:
            address = urljoin(base, href)
        except ValueError:
            # It is no address.
            return href
    return address if address.isascii() else safe_url_string(address)


@lru_cache(1 << 14)
def number_of(url: str) -> bytes:
    """Return the number of an address, without the parts in which addresses of one page may differ.

    >>> number_of("http://www.example.org/a/#top") == number_of("https://example.org/a")
    True
    """
    host, _, rest = url.partition("#")[0].partition("://")[2].partition("/")
    path, _, query = rest.partition("?")
    name = f"{host.lower().removeprefix('www.')}/{path.rstrip('/')}?{query}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()
