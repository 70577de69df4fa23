"""The files of the tuner's page."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.inspection import view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Each defines classes or functions at the top level, for those after it.
_SCRIPTS = ("choice.js", "asking.js", "controls.js", "languages.js", "pages.js", "marking.js", "tuner.js")


class Asset(NamedTuple):
    """A file that is served: its content type, and what gives its text."""

    content_type: str
    read: Callable[[], str]


def read_asset(name: str) -> bytes:
    """What a file holds."""
    return ASSETS[name].read().encode()


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text("utf-8")


def _script() -> str:
    return "\n".join(map(_read, _SCRIPTS))


_HTML, _CSS, _JAVASCRIPT = (f"text/{kind}; charset=utf-8" for kind in ("html", "css", "javascript"))

#: By their paths below the token; the page itself has none.
ASSETS: Mapping[str, Asset] = {
    "": Asset(_HTML, partial(_read, "tuner.html")),
    "tuner.css": Asset(_CSS, partial(_read, "tuner.css")),
    "tuner.js": Asset(_JAVASCRIPT, _script),
    "view.css": Asset(_CSS, view.style),
    "view.js": Asset(_JAVASCRIPT, view.script),
}
