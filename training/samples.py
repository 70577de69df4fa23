"""Make samples of labelled pages: features, soft labels, weights, and the fold of cross-validation.

Some are of harder copies of pages (:mod:`.harder`), and of pages that are made (:mod:`.made`).  These are trained on
and not scored.
"""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.learned.features import compute
from scrapy_justext.core.learned.table import NUMBERS
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.head import page_title
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import LENIENT
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.datasets.names import open_data_set
from training.harder import RENAMED, REWRITTEN, SPLICED, Sources, is_latin, random_of, rename, rewrite, splice
from training.labels import block_weights, soft_labels, words_of
from training.made import WEIGHT, made_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features
    from scrapy_justext.evaluation.datasets.documents import Document

FOLDS = 5
#: The data set of pages that are made.
MADE = "made"

_ROWS = {feature.name: row for row, feature in enumerate(NUMBERS)}


class Page(NamedTuple):
    """A labelled page of one of the data sets."""

    data_set: str
    """The name of its set."""
    document: Document

    @property
    def page_type(self) -> str:
        """Return its type; the set's name for a page without one."""
        return self.document.page_type or self.data_set


@dataclass(frozen=True, slots=True)
class Sample:
    """A page that has blocks."""

    data_set: str
    page_type: str
    fold: int
    features: Features
    labels: NDArray[np.float32]
    weights: NDArray[np.float32]
    is_copy: bool = False
    """Whether it is of a harder copy, or of a page that was made."""
    has_comments: bool = False
    """Whether comments were spliced in, which are no content."""


def read(specs: Sequence[str]) -> list[Page]:
    """Return the pages of data sets; of equal pages, byte for byte, only the first."""
    pages: dict[str, Page] = {}
    for spec in specs:
        data_set = open_data_set(spec)
        for document in data_set.documents:
            pages.setdefault(sha256(document.html).hexdigest(), Page(data_set.name, document))
    return list(pages.values())


def make_sample(page: Page) -> Sample | None:
    """Return the sample of a labelled page; None where it has no blocks."""
    root = parse_html(page.document.text).root
    if root is None:
        return None
    features = _features(root)
    if features is None:
        return None
    return Sample(page.data_set, page.page_type, fold_of(page.document), features, *labels_of(features, page.document))


def labels_of(features: Features, document: Document) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the labels and the weights of blocks."""
    assert features.view is not None
    texts = features.view.texts
    labels = soft_labels([words_of(text) for text in texts], words_of(document.gold))
    return labels, block_weights(np.array([len(text) for text in texts], np.float64))


def _features(root: HtmlElement) -> Features | None:
    page = read_nodes(root)
    segments, flow = read_blocks(page, LENIENT)
    return compute(segments, flow, page_title(page)) if segments else None


def fold_of(document: Document) -> int:
    """Return the fold of a page, by its registered domain, so that no site is in two; without a URL by its id."""
    domain = registered_domain(document.url or "") or document.id
    return int(sha256(domain.encode()).hexdigest(), 16) % FOLDS


def make_samples(pages: Sequence[Page], jobs: int = 1, made_pages: int = 0) -> list[Sample]:
    """Return the samples of labelled pages, then those of harder copies, and of ``made_pages`` that are made."""
    with multiprocessing.Pool(jobs) as pool:
        made = pool.map(make_sample, pages, chunksize=8)
        samples = [sample for sample in made if sample is not None]
        sources = _sources(samples)
        known = [(page, sample) for page, sample in zip(pages, made, strict=True) if sample is not None]
        copies = pool.starmap(partial(_copies, sources), known, chunksize=8)
        of_made = pool.map(_made, range(made_pages), chunksize=8)
    return [*samples, *(copy for of_page in copies for copy in of_page), *of_made]


def _made(number: int) -> Sample:
    sample = make_sample(Page(MADE, made_page(number)))
    assert sample is not None
    return replace(sample, weights=sample.weights * np.float32(WEIGHT), is_copy=True)


# Harder copies.

#: How many texts of each kind are taken of a fold.
_TEXTS = 300


def _sources(samples: Sequence[Sample]) -> Mapping[int, Sources]:
    """Return by fold the texts that its copies are spliced with: those of its own pages."""
    by_fold: dict[int, tuple[list[str], ...]] = defaultdict(lambda: ([], [], [], []))
    for sample in samples:
        assert sample.features.view is not None
        links, prose = (sample.features.numbers[_ROWS[name]] for name in ("link_density", "is_sentence_like"))
        posts, headlines, texts, promotions = by_fold[sample.fold]
        for text, label, link, is_prose in zip(
            sample.features.view.texts, sample.labels.tolist(), links.tolist(), prose.tolist(), strict=True
        ):
            if label > 0.9 and is_prose and 60 <= len(text) <= 700:
                (posts if sample.page_type == "forum" else texts).append(text)
            elif label < 0.1 and link > 0.9 and 25 <= len(text) <= 120:
                headlines.append(text)
            elif label < 0.1 and link < 0.3 and 40 <= len(text) <= 250:
                promotions.append(text)
    return {fold: Sources(*(_some(texts, fold) for texts in sources)) for fold, sources in by_fold.items()}


def _some(texts: Sequence[str], fold: int) -> Sequence[str]:
    return texts if len(texts) <= _TEXTS else random_of("sources", str(fold)).sample(texts, _TEXTS)


def _copies(sources: Mapping[int, Sources], page: Page, sample: Sample) -> list[Sample]:
    return list(_harder(page, sample, sources[sample.fold]))


def _harder(page: Page, sample: Sample, sources: Sources) -> Iterator[Sample]:
    """Yield the harder copies of a page."""
    random = random_of(page.data_set, page.document.id)
    is_spliced, is_renamed, is_rewritten = (random.random() < share for share in (SPLICED, RENAMED, REWRITTEN))
    assert sample.features.view is not None
    good = np.flatnonzero((sample.labels > 0.9) & (sample.features.numbers[_ROWS["is_sentence_like"]] > 0))
    if is_spliced and page.page_type == "article" and len(good) and all(sources):
        root = parse_html(page.document.text).root
        assert root is not None
        segments, flow = read_blocks(read_nodes(root), LENIENT)
        nodes = [flow.page.element(flow.elements[segments.element[block]]) for block in good.tolist()]
        has_comments = splice(nodes, sources, random)
        if random.random() < 0.5:
            rename(root, random)
        made = _features(root)
        if made is not None:
            labels, weights = labels_of(made, page.document)
            yield replace(
                sample, features=made, labels=labels, weights=weights, is_copy=True, has_comments=has_comments
            )
    is_rewritten &= is_latin(page.document.gold)
    if is_renamed or is_rewritten:
        root = parse_html(page.document.text).root
        assert root is not None
        if is_rewritten:
            rewrite(root, random)
        if is_renamed or random.random() < 0.5:
            rename(root, random)
        made = _features(root)
        if made is not None and made.count == sample.features.count:
            yield replace(sample, features=made, is_copy=True)
