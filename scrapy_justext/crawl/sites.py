"""Find the host of a URL, and the site that it belongs to.

There are three kinds of site, each for its own purpose:

* for settings, the domain in ``JUSTEXT_SITES`` that a host is or is a sub-domain of (:func:`find_domain`);
* the host without ``www.``, for the memory of sites (:func:`site_name`);
* the domain that somebody registered, for the split of a data set (:func:`registered_domain`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tldextract import TLDExtract

#: What comes before the host, also where a password holds "/" or "#" by mistake.
_USER = re.compile(r"(\A\w+://|\A).*@", re.DOTALL)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


def host_of(url: str | None) -> str | None:
    """Return the host of a URL, or None if there is none.

    >>> host_of("https://Example.org:8000/a"), host_of("https://[example"), host_of(None)
    ('example.org', None, None)
    """
    try:
        return urlsplit(url or "").hostname
    except ValueError:
        return None


def without_password(url: str) -> str:
    """Return a URL as it may be shown: without user, password and query.

    >>> without_password("redis://user:secret@cache:6379/0"), without_password("redis://cache?password=secret")
    ('redis://cache:6379/0', 'redis://cache')
    """
    return _USER.sub(r"\1", url).partition("?")[0]


def domain(value: object) -> str:
    """Return a domain as hosts are spelt: in lower case, other scripts in Punycode.

    Raises :class:`ParameterError` for a value that is not a domain.

    >>> domain("Example.com"), domain("bücher.example")
    ('example.com', 'xn--bcher-kva.example')
    """
    allowed = 'must be a domain such as "example.com", without scheme, port or path'
    if not isinstance(value, str):
        raise ParameterError("", value, allowed)
    try:
        spelt = value.encode("idna").decode("ascii").lower()
    except UnicodeError:
        spelt = ""
    if not all(map(_LABEL.fullmatch, spelt.split("."))):
        raise ParameterError("", value, allowed)
    return spelt


def find_domain(host: str | None, domains: Iterable[str]) -> str | None:
    """Return the longest of the ``domains`` that ``host`` is, or is a sub-domain of; None if there is none.

    >>> find_domain("blog.example.com", ["example.com", "ample.com"])
    'example.com'
    """
    known = set(domains)
    labels = (host or "").rstrip(".").split(".")
    parents = (".".join(labels[i:]) for i in range(len(labels)))
    return next((parent for parent in parents if parent in known), None)


def site_name(url: str | None) -> str:
    """Return the host of a URL without ``www.``; "" if there is none.

    >>> site_name("https://www.example.com/a"), site_name("https://blog.example.com./")
    ('example.com', 'blog.example.com')
    """
    return (host_of(url) or "").rstrip(".").removeprefix("www.")


def registered_domain(url: str) -> str:
    """Return the registered domain of a URL, its host if nobody can register it, "" if there is no host.

    >>> registered_domain("https://news.example.co.uk/a"), registered_domain("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1')
    """
    parts = _public_suffixes()(url)
    return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else host_of(url) or ""


@lru_cache(maxsize=1)
def _public_suffixes() -> TLDExtract:
    """Load the list that comes with the library: without network, and without a cache folder."""
    # Half a second, which only an evaluation needs.
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None)
