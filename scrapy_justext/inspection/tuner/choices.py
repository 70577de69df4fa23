"""What a user chose in the tuner, and what becomes of it: options for a page, and settings to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from scrapy_justext.core.thresholds import THRESHOLD_NAMES
from scrapy_justext.exceptions import ParameterError, UnknownNameError
from scrapy_justext.pasting import custom_settings
from scrapy_justext.settings import PREFIX, Given, configure
from scrapy_justext.sites import find_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.options import Options
    from scrapy_justext.settings import Layers

#: Settings by their lower-case names; None stands for the default.
Choice = dict[str, Any]

_FIELDS = {"profile": "profile", "languages": "language"}


class Place(NamedTuple):
    """What of a page its settings depend on."""

    site: str | None
    """The site among those with settings of their own that it belongs to."""
    thresholds: Callable[[Options], Mapping[str, Any]]
    """Those that count for its language under some options."""


class Pasting(NamedTuple):
    """Settings to paste, and what a user must know who pastes them."""

    settings: str
    """Empty where nothing differs."""
    notes: tuple[str, ...]


def read_choice(body: Mapping[str, Any]) -> Choice:
    """What a request says was chosen; raises :class:`ParameterError` for names that are none."""
    knobs = body.get("knobs") or {}
    if not isinstance(knobs, dict):
        raise ParameterError("knobs", knobs, "must be an object of thresholds and their values")
    for name in knobs:
        if name not in THRESHOLD_NAMES:
            raise UnknownNameError("threshold", name, "threshold", THRESHOLD_NAMES)
    chosen = {setting: body[name] for name, setting in _FIELDS.items() if body.get(name) is not None}
    return {**chosen, **knobs}


def site_of(layers: Layers, url: str | None) -> str | None:
    """The site among those with settings of their own that a page belongs to."""
    return find_domain(urlsplit(url).hostname, layers.sites) if url else None


def make_options(layers: Layers, site: str | None, choice: Choice) -> Options:
    """The options of a site's pages, with what was chosen on top; raises :class:`SettingError`."""
    given = {name: Given(value, PREFIX + name.upper()) for name, value in choice.items()}
    return configure({**layers.given(site), **given}).options


def pasting(layers: Layers, pages: Sequence[Place], choice: Choice) -> Pasting:
    """The settings that give some pages what was chosen: those that make a difference there."""
    needed = dict(choice)
    for name in choice:
        without = {other: value for other, value in needed.items() if other != name}
        if all(_same(layers, page, needed, without) for page in pages):
            needed = without
    sites = dict.fromkeys(page.site for page in pages if page.site is not None)
    return Pasting(custom_settings(needed) if needed else "", tuple(_notes(layers, sites, needed)))


def _same(layers: Layers, page: Place, chosen: Choice, without: Choice) -> bool:
    """Whether a page is judged in the same way without one of what was chosen."""
    one = make_options(layers, page.site, chosen)
    try:
        other = make_options(layers, page.site, without)
    except ParameterError:
        # The other one of a low and a high threshold would cross the default.
        return False
    is_same = (one.profile.name, one.candidates) == (other.profile.name, other.candidates)
    return is_same and page.thresholds(one) == page.thresholds(other)


def _notes(layers: Layers, sites: Iterable[str], choice: Choice) -> Iterator[str]:
    """Where settings that were chosen are set once more, with more weight than ``custom_settings`` have."""
    for site in sites:
        for name in choice:
            if name in layers.sites[site]:
                yield f"{layers.sites[site][name].label} counts more on {site}: change it there"
    for name in choice:
        if name in layers.spider:
            yield f"{layers.spider[name].label} counts more: leave it out"
