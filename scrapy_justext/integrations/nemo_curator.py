"""Extraction for NeMo Curator: an algorithm for its ``CommonCrawlHTMLExtractor``.

Needs the extra ``nemo-curator``.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.language_table import Language
from scrapy_justext.core.languages import UNDETERMINED
from scrapy_justext.core.options import Choices, Options, make_options
from scrapy_justext.exceptions import PageError, require

if TYPE_CHECKING:
    from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm
    from typing_extensions import Unpack
else:
    _BASE = "nemo_curator.stages.text.download.html_extractors.base"
    HTMLExtractorAlgorithm = require(_BASE, "nemo-curator").HTMLExtractorAlgorithm

logger = logging.getLogger(__name__)


class JustextExtractor(HTMLExtractorAlgorithm):
    """Extracts the paragraphs of a page in the language that NeMo Curator has detected.

    ``choices``: those of :class:`~scrapy_justext.core.options.Choices`; a ``language`` or ``stoplist`` among them holds
    for all pages.  With ``markdown`` or ``html``, a page is one string of it.
    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a choice that is not allowed.
    """

    def __init__(self, **choices: Unpack[Choices]) -> None:
        self._options = make_options(**choices)
        self._is_language_given = not choices.keys().isdisjoint({"language", "stoplist"})

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """Return the paragraphs of a page, or None for one that cannot be read.

        ``language``: its English name, in CLD2's spelling and in capitals or not; its stop words are this library's.
        ``stop_words``: those of a language that this library has no list of; without any, they do not count.
        """
        try:
            extraction = Extractor(self._options_for(stop_words, language)).extract(html)
        except PageError as error:
            logger.info("A page is left out: %s", error)
            return None
        documents = [getattr(extraction, name) for name in self._options.documents]
        return list(filter(None, documents)) if documents else extraction.paragraphs

    def _options_for(self, stop_words: frozenset[str], language: str) -> Options:
        if self._is_language_given:
            return self._options
        known = self._options.library.find(language)
        if known is not None:
            return replace(self._options, candidates=(known,))
        if stop_words:
            return replace(self._options, candidates=(Language(language, (UNDETERMINED,)),), stopwords=stop_words)
        return replace(self._options, candidates=())
