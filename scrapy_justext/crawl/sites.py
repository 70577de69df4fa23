"""Which of the domains in JUSTEXT_SITES a page belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


def domain(value: object) -> str:
    """A domain as hosts are spelt: in lower case, other scripts in Punycode.

    Raises :class:`ParameterError` for what is more than a domain, or none.

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
    """The longest of the ``domains`` that ``host`` is, or is a sub-domain of; None without one.

    >>> find_domain("blog.example.com", ["example.com", "ample.com"])
    'example.com'
    """
    known = set(domains)
    labels = (host or "").rstrip(".").split(".")
    parents = (".".join(labels[i:]) for i in range(len(labels)))
    return next((parent for parent in parents if parent in known), None)


def site_of(host: str | None) -> str:
    """The site that the pages of a host belong to.

    >>> site_of("www.example.com"), site_of("blog.example.com")
    ('example.com', 'blog.example.com')
    """
    return (host or "").rstrip(".").removeprefix("www.")
