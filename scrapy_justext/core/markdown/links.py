"""Where links lead: HREF and SRC to destinations that are safe to write and to follow."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

#: Schemes that a link may have; ``javascript:``, ``data:`` and all others make no link.
SCHEMES = frozenset(["http", "https", "ftp", "mailto", "tel"])
#: Schemes of pages that relative links are resolved against: those of a file lead nowhere else.
_BASE_SCHEMES = ("http://", "https://")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# As browsers read addresses: these vanish, at the ends and anywhere.
_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
_VANISHING = re.compile(r"[\t\n\r]")
#: What ends a destination or means something in it, and what no address may hold.
_TO_QUOTE = re.compile(r"""[\x00-\x20\x7f<>"`|\\]|\s""")
_TO_ESCAPE = re.compile(r"[()]|&(?=#?\w+;)")


def resolver(root: etree._Element, url: str | None) -> Callable[[str], str | None]:
    """A function that gives the destination of what stands in an attribute; None where no link can be made of it."""
    base = base_of(root, url)
    return cache(lambda address: destination(address, base))


def base_of(root: etree._Element, url: str | None) -> str:
    """What relative addresses of a page are relative to; empty when that is not known."""
    declared = next((node.get("href") or "" for node in root.iter("base") if "href" in node.attrib), "")
    candidates = (_join(url or "", _clean(declared)) or "", url or "")
    return next((one for one in candidates if one.lower().startswith(_BASE_SCHEMES)), "")


def destination(address: str, base: str = "") -> str | None:
    r"""An address as a link's destination in Markdown; None for one that nobody should follow.

    >>> destination("a (b).html", "https://example.com/x/")
    'https://example.com/x/a%20\\(b\\).html'
    >>> destination(" java\nscript:alert(1)")
    """
    address = _clean(address)
    scheme = _SCHEME.match(address)
    if not address or (scheme and scheme[1].lower() not in SCHEMES):
        return None
    joined = _join(base, address)
    if not joined:
        return None
    return _TO_ESCAPE.sub(r"\\\g<0>", _TO_QUOTE.sub(lambda match: quote(match[0]), joined))


def _clean(address: str) -> str:
    return _VANISHING.sub("", address.strip(_CONTROLS_AND_SPACE))


def _join(base: str, address: str) -> str | None:
    try:
        return urljoin(base, address)
    except ValueError:
        # As "http://[".
        return None
