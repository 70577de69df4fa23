"""Every profile of this library, by its name."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy_justext
from scrapy_justext.evaluation.extractors.base import FunctionExtractor, digest_files
from scrapy_justext.extraction import extract
from scrapy_justext.profiles import PROFILES
from scrapy_justext.stoplists import shipped_folder

if TYPE_CHECKING:
    from scrapy_justext.evaluation.documents import Document
    from scrapy_justext.languages import Language


#: What decides an extraction beside :mod:`scrapy_justext.core` and :mod:`scrapy_justext.learned`.
MODULES = (
    "exceptions",
    "extraction",
    "judged",
    "language_names",
    "languages",
    "options",
    "preparation",
    "profiles",
    "stoplists",
)


def own_names() -> list[str]:
    """The names of the profiles."""
    return list(PROFILES)


def make_own(profile: str) -> FunctionExtractor:
    """The extractor of a profile; without a language it chooses one for each page."""
    return FunctionExtractor(profile, scrapy_justext.__version__, partial(_text, profile), code_digest())


@lru_cache(maxsize=1)
def code_digest() -> str:
    """What tells edited code and edited stoplists from others of the same version."""
    package = Path(scrapy_justext.__file__).parent
    modules = [*package.glob("core/*.py"), *package.glob("learned/*.py"), *(package / f"{name}.py" for name in MODULES)]
    data = [*package.glob("learned/models/*.npz"), *shipped_folder().rglob("*.txt")]
    return digest_files([*sorted(modules), *sorted(data)])


def _text(profile: str, document: Document, language: Language | None) -> str:
    name = "auto" if language is None else language.name
    return "\n".join(extract(document.text, language=name, profile=profile).paragraphs)
