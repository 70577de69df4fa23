"""What a user may choose for an extraction, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.thresholds import THRESHOLD_NAMES, Thresholds
from scrapy_justext.exceptions import ParameterError, UnknownNameError
from scrapy_justext.profiles import Profile, find_profile
from scrapy_justext.stoplists import StoplistLibrary, StoplistSource, find_library, stoplist_words

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.languages import Language


@dataclass(frozen=True, slots=True)
class Options:
    """How pages are to be extracted; made by :func:`make_options`, which checks what it is given."""

    profile: Profile
    thresholds: Thresholds
    library: StoplistLibrary
    candidates: tuple[Language, ...] | None
    """The languages to choose from; None: all."""
    stopwords: frozenset[str] | None
    """The user's own list; None: that of the page's language."""
    paths: bool


def make_options(
    *,
    language: str | Sequence[str] = "auto",
    stoplist: StoplistSource | None = None,
    stoplists_dir: str | Path | None = None,
    profile: str = "justext",
    paths: bool = False,
    thresholds: Mapping[str, Any] | None = None,
) -> Options:
    """Options from what a user gives; raises :class:`ParameterError` for what is not allowed."""
    found = find_profile(profile)
    for name in thresholds or {}:
        if name not in THRESHOLD_NAMES:
            raise UnknownNameError("threshold", name, "threshold", THRESHOLD_NAMES)
    library = find_library(stoplists_dir)
    return Options(
        profile=found,
        thresholds=replace(found.thresholds, **(thresholds or {})),
        library=library,
        candidates=_candidates(language, library),
        stopwords=None if stoplist is None else stoplist_words(stoplist),
        paths=paths,
    )


def _candidates(language: str | Sequence[str], library: StoplistLibrary) -> tuple[Language, ...] | None:
    names = [language] if isinstance(language, str) else language
    if not isinstance(names, Sequence) or not names:
        allowed = 'must be a language, a list of them, or "auto"'
        raise ParameterError("language", language, allowed)
    if list(names) == ["auto"]:
        return None
    return tuple(dict.fromkeys(library.get(name) for name in names))
