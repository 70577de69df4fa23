"""Extractors by name: our profiles, published methods, the libraries of ``PEERS``, and services by their address.

``MODULE:NAME`` names what an entry point would, without one.  Other packages add theirs by entry points of the group
``scrapy_justext.extractors``.  An entry point's name is the extractor's; what it points to is called without arguments,
in each process that extracts, and gives a :class:`~scrapy_justext.evaluation.extractors.base.PageExtractor`::

    [project.entry-points."scrapy_justext.extractors"]
    mine = "my_package.module:MyExtractor"
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_justext import core
from scrapy_justext.core.extractor import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import shipped_folder
from scrapy_justext.evaluation.extractors import published
from scrapy_justext.evaluation.extractors.base import MODELS, FunctionExtractor, digest_files, load_counts
from scrapy_justext.evaluation.extractors.peers import PEERS, READABILITY_JS, make_http, make_peer, make_readability_js
from scrapy_justext.evaluation.registry import Registry
from scrapy_justext.exceptions import ExtractorError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.core.language_table import Language
    from scrapy_justext.evaluation.datasets.documents import Document
    from scrapy_justext.evaluation.extractors.base import PageExtractor

#: Published methods that learn: from the file of a model to what extracts with it, from a page to its text.
TRAINED: Mapping[str, Callable[[Path], Callable[[str], str]]] = {
    published.NCLEANER: lambda file: published.NgramModels(load_counts(file), is_lexical=True).clean,
    published.NCLEANER_NONLEXICAL: lambda file: published.NgramModels(load_counts(file), is_lexical=False).clean,
    published.MSS: lambda file: published.TokenBayes(load_counts(file)).extract,
}
#: Files of the engine that results depend on.
_ENGINE_SUFFIXES = (".py", ".pyx", ".pxd", ".npz", ".txt")
#: A module, not one of the prefixes above, and what is in it.
_REFERENCE = re.compile(r"(?!ref:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def make_own(profile: str) -> FunctionExtractor:
    """Return the extractor of a profile; without a language it chooses one for each page."""

    def read(document: Document, language: Language | None, *, markdown: bool = False) -> Extraction:
        name = "auto" if language is None else language.name
        return extract(document.text, language=name, profile=profile, markdown=markdown, url=document.url)

    return FunctionExtractor(
        profile,
        core.__version__,
        lambda document, language: "\n".join(read(document, language).paragraphs),
        code_digest(),
        lambda document, language: read(document, language, markdown=True).markdown,
    )


def make_ttr() -> FunctionExtractor:
    """Return the extractor of the text-to-tag ratio."""
    code = digest_files([Path(published.__file__)])
    return FunctionExtractor("ttr", core.__version__, lambda page, _: published.content_text(page.text), code)


def make_trained(name: str) -> FunctionExtractor:
    """Return the extractor of a published method with the model that comes with it."""
    file = MODELS / f"{name}.json.xz"
    extract_text = TRAINED[name](file)
    return FunctionExtractor(name, core.__version__, lambda page, _: extract_text(page.text), trained_code(file))


EXTRACTORS: Registry[Callable[[], PageExtractor]] = Registry(
    "extractor",
    "extractor",
    {
        **{profile: partial(make_own, profile) for profile in PROFILES},
        "ttr": make_ttr,
        **{name: partial(make_trained, name) for name in TRAINED},
        **{name: partial(make_peer, name) for name in PEERS},
        READABILITY_JS: make_readability_js,
    },
    "scrapy_justext.extractors",
)


def find_extractor(name: str) -> PageExtractor:
    """Return the extractor of that name, its library loaded.

    Raise :class:`UnknownNameError` with close matches, :class:`MissingLibraryError` with the command that installs
    what is missing, :class:`ParameterError` for an address that is none, :class:`ExtractorError` for a library or an
    entry point that cannot be loaded.
    """
    if name.startswith(("http://", "https://")):
        return make_http(name)
    try:
        make = EntryPoint(name, name, "").load() if _REFERENCE.fullmatch(name) else EXTRACTORS.find(name)
        extractor: PageExtractor = make()
    except (ExtractorError, UnknownNameError):
        raise
    except Exception as error:  # whatever a library or another package raises
        raise ExtractorError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    if extractor.name != name:
        raise ExtractorError(f"{name} cannot be used: it calls itself {extractor.name}")
    return extractor


def trained_code(*files: Path) -> str:
    """Return a digest of all that the extraction with models of some files depends on."""
    return f"{code_digest()}-{digest_files([Path(published.__file__), *files])}"


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the engine's code, models and stoplists, which may be edited without a new version."""
    engine = Path(core.__file__).parent
    own = [file for suffix in _ENGINE_SUFFIXES for file in engine.rglob(f"*{suffix}")]
    return digest_files(sorted([*own, *shipped_folder().rglob("*.txt")]))
