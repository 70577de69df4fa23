"""What an extractor is, and what those of this package share."""

from __future__ import annotations

import hashlib
import json
import logging
import lzma
import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scrapy_justext.core.extractor import WARM_UP_PAGE
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.evaluation.datasets.documents import UTF_8, Document
from scrapy_justext.evaluation.kinds import escape_text
from scrapy_justext.exceptions import ExtractorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_justext.core.language_table import Language


#: The small page that every extractor begins with.
WARM_UP = Document("warm-up", WARM_UP_PAGE.encode(), *UTF_8, gold="")


class PageExtractor(Protocol):
    """Extracts the text of the content of a page.

    An extractor may also have ``code``, a digest of what does the work, which results are bound to beside the version;
    a method ``warm_up(language: str | None) -> None``, which is called once in each process before its first page,
    so that the loading of models and word lists is not counted as a page's time; and a method ``markdown``, which is
    called like the extractor itself and gives Markdown, for data sets whose gold standard is Markdown.
    """

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    @property
    def version(self) -> str:
        """The version of the library that does the work."""
        ...

    def __call__(self, document: Document, language: str | None) -> str:
        """Return the text of the content, blocks separated by line feeds; "" when there is none.

        ``language``: an English name or ISO 639 code; None: not known.  Whatever it raises is a failure on this page.
        """
        ...


@dataclass(frozen=True, slots=True)
class FunctionExtractor:
    """An extractor made of a function; it never writes to the terminal.

    ``function``: from a page and its language, where it is known, to the text.
    ``code``: digest of what does the work, where the version alone does not say; see :class:`PageExtractor`.
    ``markdown_function``: from the same to Markdown, where the extractor has that.
    """

    name: str
    version: str
    function: Callable[[Document, Language | None], str]
    code: str | None = None
    markdown_function: Callable[[Document, Language | None], str] | None = None

    def __call__(self, document: Document, language: str | None) -> str:
        """Return the text; raise what the function raises."""
        with quiet():
            return self.function(document, find_language(language))

    @property
    def markdown(self) -> FunctionExtractor | None:
        """The extractor that gives Markdown; None where there is none."""
        return self.markdown_function and replace(self, function=self.markdown_function)

    def warm_up(self, language: str | None) -> None:
        """Extract a small page, whatever comes of it: the first real page tells whether the extractor works."""
        try:
            self(WARM_UP, language)
        except Exception as error:  # whatever a library raises
            logging.getLogger(__name__).debug("%s: warming up: %s", self.name, error)


def extract_content(extractor: PageExtractor, document: Document, language: str | None) -> str:
    """Return the content in the form of the page's gold standard: text, or Markdown.

    An extractor without Markdown gives its text, escaped so that nothing in it is markup.
    """
    markdown: Callable[[Document, str | None], str] | None = getattr(extractor, "markdown", None)
    if document.markdown is not None and markdown is not None:
        return markdown(document, language)
    text = extractor(document, language)
    return text if document.markdown is None or not isinstance(text, str) else escape_text(text)


@lru_cache(maxsize=64)
def find_language(name: str | None) -> Language | None:
    """Return the language of a name or code, None for ``None`` and ``"auto"``; raise :class:`UnknownNameError`."""
    return None if name in (None, "auto") else find_library().get(name)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the code within: no warnings, no log messages, nothing printed.  Not for use in threads."""
    disabled = logging.root.manager.disable
    with warnings.catch_warnings(), open(os.devnull, "w", encoding="utf-8") as nowhere:
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                yield
        finally:
            logging.disable(disabled)


#: Features of text, and how often each was met in content and outside of it: what methods with counts have learnt.
FeatureCounts = Mapping[str, tuple[int, int]]
#: Where such counts lie, ``NAME.json.xz``.
MODELS = Path(__file__).with_name("models")


def load_counts(file: Path) -> FeatureCounts:
    """Return the counts of a model; raise :class:`ExtractorError` where the file is none."""
    try:
        counts = json.loads(lzma.decompress(file.read_bytes()))
        return {feature: (content, other) for feature, (content, other) in counts.items()}
    except (OSError, EOFError, lzma.LZMAError, ValueError, TypeError, AttributeError) as error:
        raise ExtractorError(f"{file} is no model: {error}") from error


def save_counts(file: Path, counts: FeatureCounts) -> None:
    """Write the counts of a model, the same bytes for the same counts."""
    text = json.dumps(counts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(lzma.compress(text.encode()))


def digest_files(files: Iterable[Path]) -> str:
    """Return the first 12 digits of the SHA-256 over the names of files and what they hold."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:12]
