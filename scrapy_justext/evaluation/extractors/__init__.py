"""Extractors by name.

==================  ==============================================================================================
``justext`` …       every profile of this library
``ref:NAME``        other libraries, see :mod:`~scrapy_justext.evaluation.extractors.peers`
``ttr``             the text-to-tag ratio, see :mod:`~scrapy_justext.evaluation.extractors.ttr`
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
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.extractors.base import Extractor, ExtractorError, MissingLibraryError
from scrapy_justext.evaluation.extractors.http import is_service, make_http
from scrapy_justext.evaluation.extractors.own import make_own, own_names
from scrapy_justext.evaluation.extractors.peers import PEERS, make_peer
from scrapy_justext.evaluation.extractors.readability_js import NAME as READABILITY_JS
from scrapy_justext.evaluation.extractors.readability_js import make_readability_js
from scrapy_justext.evaluation.extractors.ttr import make_ttr
from scrapy_justext.exceptions import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Extractor", "ExtractorError", "MissingLibraryError", "extractor_names", "find_extractor"]

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
