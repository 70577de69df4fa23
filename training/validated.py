"""Evaluate what is trained, each page with the model that has not seen its site.

The models are those of a cross-validation: ``python -m training.train --folds FOLDER``, with the probabilities that
were best on the other folds, and ``python -m training.published --folds FOLDER`` for the published methods.  ``FOLDER``
is taken from the environment variable ``JUSTEXT_FOLDS``::

    JUSTEXT_FOLDS=folds python -m scrapy_justext.evaluation run --extractor training.validated:learned …
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy_justext
from scrapy_justext.core.learned.model import load_model
from scrapy_justext.evaluation.extractors.base import FunctionExtractor, digest_files
from scrapy_justext.evaluation.extractors.names import TRAINED, code_digest, trained_code
from scrapy_justext.exceptions import ExtractorError
from training.samples import FOLDS, fold_of
from training.scoring import extractor_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.extractor import Extractor
    from scrapy_justext.core.language_table import Language
    from scrapy_justext.evaluation.datasets.documents import Document

VARIABLE = "JUSTEXT_FOLDS"


def learned() -> FunctionExtractor:
    """Return the extractor of ``learned``, by cross-validation.

    Raises :class:`ExtractorError`, :class:`ModelError`.
    """
    return _validated("learned")


def learned_article() -> FunctionExtractor:
    """Return the extractor of ``learned-article``, by cross-validation.

    Raises :class:`ExtractorError`, :class:`ModelError`.
    """
    return _validated("learned-article")


def ncleaner() -> FunctionExtractor:
    """Return the extractor of ``ncleaner``, by cross-validation.  Raises :class:`ExtractorError`."""
    return _published("ncleaner")


def ncleaner_nonlexical() -> FunctionExtractor:
    """Return the extractor of ``ncleaner-nonlexical``, by cross-validation.  Raises :class:`ExtractorError`."""
    return _published("ncleaner-nonlexical")


def mss() -> FunctionExtractor:
    """Return the extractor of ``mss``, by cross-validation.  Raises :class:`ExtractorError`."""
    return _published("mss")


def _files(name: str, suffix: str) -> list[Path]:
    if VARIABLE not in os.environ:
        raise ExtractorError(f"{VARIABLE} is not set: it names the folder that --folds of a training wrote")
    return [Path(os.environ[VARIABLE], f"{name}-fold-{fold}{suffix}") for fold in range(FOLDS)]


def _published(method: str) -> FunctionExtractor:
    files = _files(method, ".json.xz")
    extractors = [TRAINED[method](file) for file in files]
    name = f"training.validated:{method.replace('-', '_')}"
    return FunctionExtractor(
        name,
        scrapy_justext.__version__,
        lambda document, _: extractors[fold_of(document)](document.text),
        trained_code(*files),
    )


def _validated(profile: str) -> FunctionExtractor:
    files = _files(profile, ".npz")
    extractors = [extractor_with(profile, load_model(file)) for file in files]
    name = f"training.validated:{profile.replace('-', '_')}"
    code = f"{code_digest()}-{digest_files(files)}"
    return FunctionExtractor(name, scrapy_justext.__version__, partial(_text, extractors), code)


def _text(extractors: Sequence[Extractor], document: Document, _: Language | None) -> str:
    extraction = extractors[fold_of(document)].extract(document.text)
    return "\n".join(extraction.paragraphs)
