"""Extractors by name.

==================  ==============================================================================================
``justext`` …       every profile of this library
``ref:NAME``        other libraries, see :mod:`~scrapy_justext.evaluation.extractors.peers`
``ttr``             the text-to-tag ratio, see :mod:`~scrapy_justext.evaluation.extractors.names`
``http://…``        a service, see :mod:`~scrapy_justext.evaluation.extractors.http`
``MODULE:NAME``     what an entry point would name, without one
==================  ==============================================================================================

Other packages add theirs by entry points of the group ``scrapy_justext.extractors``.  An entry point's name is the
extractor's; what it points to is called without arguments, in each process that extracts, and gives an
:class:`~scrapy_justext.evaluation.extractors.base.Extractor`::

    [project.entry-points."scrapy_justext.extractors"]
    mine = "my_package.module:MyExtractor"
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from html import unescape
from importlib.metadata import EntryPoint, entry_points
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import scrapy_justext
from scrapy_justext import core
from scrapy_justext.core.extractor import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import shipped_folder
from scrapy_justext.evaluation.extractors.base import Extractor, FunctionExtractor, digest_files
from scrapy_justext.evaluation.extractors.http import is_service, make_http
from scrapy_justext.evaluation.extractors.peers import NAME as READABILITY_JS
from scrapy_justext.evaluation.extractors.peers import PEERS, make_peer, make_readability_js
from scrapy_justext.exceptions import ExtractorError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.core.languages import Language
    from scrapy_justext.evaluation.datasets.documents import Document

# Every profile of this library, by its name.


def own_names() -> list[str]:
    """The names of the profiles."""
    return list(PROFILES)


def make_own(profile: str) -> FunctionExtractor:
    """The extractor of a profile; without a language it chooses one for each page."""
    return FunctionExtractor(profile, scrapy_justext.__version__, partial(_text, profile), code_digest())


@lru_cache(maxsize=1)
def code_digest() -> str:
    """What tells edited code and edited stoplists from others of the same version."""
    engine = Path(core.__file__).parent
    files = [*engine.rglob("*.py"), *engine.rglob("*.npz"), *shipped_folder().rglob("*.txt")]
    return digest_files(sorted(files))


def _text(profile: str, document: Document, language: Language | None) -> str:
    name = "auto" if language is None else language.name
    return "\n".join(extract(document.text, language=name, profile=profile).paragraphs)


# The text-to-tag ratio of lines, and the lines that it takes for content.
#
# Source: Weninger and Hsu, "Text extraction from the web via text-to-tag ratio" (2008).  Scripts and comments are
# stripped and empty lines dropped.  A line's ratio is the number of its ASCII characters outside tags, divided by the
# number of its tags where it has any.  The ratios are smoothed; lines above the standard deviation of the smoothed
# ratios are content.
#
# Where the source leaves a choice:
#
# * the radius of smoothing is :data:`RADIUS`; a line near an end is smoothed over the lines that there are;
# * the standard deviation is the population's;
# * white space at the ends of a line, which is indentation, does not count as characters; a character reference counts
#   as it is written;
# * a tag that goes over several lines belongs to the line that it starts in; ``<`` that starts no tag is text;
# * style sheets stay: the source strips scripts and comments only.

#: Lines on each side that a line's ratio is averaged with.
RADIUS = 2

#: A script without its end goes to the end of the page, as it does in a browser; so does a comment.
_STRIPPED = re.compile(r"<script\b.*?(?:</script\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


class Line(NamedTuple):
    """``text``: what is outside tags, its references resolved; ``ratio``: characters, or characters a tag."""

    text: str
    ratio: float


def make_ttr() -> FunctionExtractor:
    """The extractor ``ttr``."""
    return FunctionExtractor("ttr", scrapy_justext.__version__, _extract, digest_files([Path(__file__)]))


def _extract(document: Document, _: Language | None) -> str:
    return content_text(document.text)


def content_text(html: str, radius: int = RADIUS) -> str:
    """The text of the lines that are content, those without text left out."""
    lines = split_lines(html)
    smoothed = smooth([line.ratio for line in lines], radius)
    threshold = _standard_deviation(smoothed)
    content = (line.text for line, ratio in zip(lines, smoothed, strict=True) if ratio > threshold)
    return "\n".join(filter(None, content))


def _standard_deviation(values: Sequence[float]) -> float:
    """That of a population; faster than ``statistics.pstdev``, which computes with fractions."""
    if not values:
        return 0.0
    mean = fmean(values)
    return sqrt(fmean((value - mean) ** 2 for value in values))


def split_lines(html: str) -> list[Line]:
    r"""The lines that are not empty, scripts and comments stripped.

    >>> split_lines("<p>Caf\u00e9, <b>bars</b>\n\n<br>")
    [Line(text='Café, bars', ratio=3.0), Line(text='', ratio=0.0)]
    """
    stripped = _STRIPPED.sub("", html)
    joined = _TAG.sub(lambda tag: _LINE_END.sub(" ", tag[0]), stripped)
    return [_measure(line.strip()) for line in _LINE_END.split(joined) if line.strip()]


def _measure(line: str) -> Line:
    outside, tags = _TAG.subn("", line)
    characters = len(_NON_ASCII.sub("", outside))
    text = " ".join(unescape(_TAG.sub(" ", line)).split())
    return Line(text, characters / max(tags, 1))


def smooth(values: Sequence[float], radius: int) -> list[float]:
    """The mean of each value and of those at most ``radius`` away from it.

    >>> smooth([0, 3, 6, 0], 1)
    [1.5, 3.0, 3.0, 3.0]
    """
    return [fmean(values[max(0, place - radius) : place + radius + 1]) for place in range(len(values))]


ENTRY_POINT_GROUP = "scrapy_justext.extractors"
#: A module, not one of the prefixes above, and what is in it.
_REFERENCE = re.compile(r"(?!ref:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def _factories() -> Mapping[str, Callable[[], Extractor]]:
    """What makes each extractor that has a name of its own; ours come before those of other packages."""
    others = {point.name: partial(_load, point) for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {
        **others,
        **{name: partial(make_own, name) for name in own_names()},
        "ttr": make_ttr,
        **{name: partial(make_peer, name) for name in PEERS},
        READABILITY_JS: make_readability_js,
    }


def extractor_names() -> list[str]:
    """All names, services apart."""
    return sorted(_factories())


def find_extractor(name: str) -> Extractor:
    """The extractor of that name, its library loaded.

    Raises :class:`UnknownNameError` with close matches, :class:`MissingLibraryError` with the command that installs
    what is missing, :class:`ParameterError` for an address that is none, :class:`ExtractorError` for a library or an
    entry point that cannot be loaded.
    """
    if is_service(name):
        return make_http(name)
    factories = _factories()
    if name not in factories and _REFERENCE.fullmatch(name):
        return _load(EntryPoint(name, name, ENTRY_POINT_GROUP))
    if name not in factories:
        raise UnknownNameError("extractor", name, "extractor", sorted(factories))
    return factories[name]()


def _load(point: EntryPoint) -> Extractor:
    try:
        extractor: Extractor = point.load()()
    except ExtractorError:
        raise
    except Exception as error:  # whatever the other package raises
        raise ExtractorError(
            f"{point.name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if extractor.name != point.name:
        raise ExtractorError(f"{point.name} ({point.value}) cannot be used: it calls itself {extractor.name}")
    return extractor
