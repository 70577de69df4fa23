"""Make samples of labelled pages: features, soft labels, weights, and the fold of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.learned.features import compute
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import LENIENT
from scrapy_justext.crawl.sites import registered_domain
from training.labels import block_weights, soft_labels, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.evaluation.datasets.documents import Document

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """A page that has blocks.  ``inputs``: transformed features, a row a block."""

    id: str
    page_type: str | None
    fold: int
    inputs: NDArray[np.float32]
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]


def make_sample(document: Document) -> Sample | None:
    """Return the sample of a labelled page; None where it has no blocks."""
    root = parse_html(document.text).root
    if root is None:
        return None
    segments, count = segment_and_count(root, LENIENT)
    if not segments:
        return None
    texts = [segment.collapsed for segment in segments]
    return Sample(
        document.id,
        document.page_type,
        fold_of(document),
        compute(segments, Elements(root, LENIENT, count)).inputs(),
        soft_labels([words_of(text) for text in texts], words_of(document.gold)),
        block_weights(np.array([len(text) for text in texts], np.float64)),
    )


def fold_of(document: Document) -> int:
    """Return the fold of a page, by its registered domain, so that no site is in two; without a URL by its id."""
    domain = registered_domain(document.url or "") or document.id
    return int(sha256(domain.encode()).hexdigest(), 16) % FOLDS


def make_samples(documents: Sequence[Document]) -> list[Sample]:
    """Return the samples of labelled pages."""
    return [sample for sample in map(make_sample, documents) if sample is not None]
