"""Make the models of published methods that learn: ``python -m training.published KIND:PATH …``.

The models are those of ``ncleaner``, ``ncleaner-nonlexical`` and ``mss``, in the evaluation's extractors: counts of
features in the content of labelled pages and outside of it.  Pages that are byte for byte the same count once.
Nothing is drawn by chance: the same pages give the same files.  ``mss`` is made for articles; it learns from pages of
that type and from those whose type is not known.

``--folds FOLDER`` writes the models of a five-fold cross-validation by registered domain, too, for
``training.validated``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.extractors import published
from scrapy_justext.evaluation.extractors.base import MODELS, save_counts
from scrapy_justext.exceptions import JustextError
from training.labels import aligned, soft_labels, words_of
from training.samples import FOLDS, fold_of, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy_justext.evaluation.datasets.documents import Document
    from scrapy_justext.evaluation.extractors.base import FeatureCounts

#: FeatureCounts in the content, and outside of it.
Sides = tuple[Counter[str], Counter[str]]

#: At least this share of the words of a clean block is in the gold text.
CLEAN = 0.5


def main() -> None:
    """Count and write the models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="KIND:PATH")
    parser.add_argument("--out", type=Path, default=MODELS, help="folder of the models (default: the extractors' own)")
    parser.add_argument("--folds", type=Path, help="folder for the models of the folds")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    try:
        documents = [page.document for page in read(arguments.data)]
    except JustextError as error:
        sys.exit(str(error))
    folds: list[dict[str, Sides]] = [{name: (Counter(), Counter()) for name in METHODS} for _ in range(FOLDS)]
    with multiprocessing.Pool(arguments.jobs) as pool:
        for fold, counts in pool.imap(count, documents, chunksize=8):
            add(folds[fold], counts)
    write(arguments.out, folds, "")
    if arguments.folds:
        for fold in range(FOLDS):
            others = [counts for other, counts in enumerate(folds) if other != fold]
            write(arguments.folds, others, f"-fold-{fold}")


def count(document: Document) -> tuple[int, dict[str, Sides]]:
    """Return the fold of a page, and what each method counts in it."""
    return fold_of(document), {name: method(document) for name, method in METHODS.items()}


def add(sums: Mapping[str, Sides], counts: Mapping[str, Sides]) -> None:
    """Add counts to others."""
    for name, sides in counts.items():
        for total, side in zip(sums[name], sides, strict=True):
            total.update(side)


def write(folder: Path, parts: Iterable[Mapping[str, Sides]], suffix: str) -> None:
    """Write the models of some folds' counts."""
    sums: dict[str, Sides] = {name: (Counter(), Counter()) for name in METHODS}
    for counts in parts:
        add(sums, counts)
    for name, sides in sums.items():
        file = folder / f"{name}{suffix}.json.xz"
        kept = kept_counts(sides, published.LEAST_TRIGRAMS if name == published.MSS else published.LEAST_NGRAMS)
        save_counts(file, kept)
        print(f"{file}: {len(kept)} features, {file.stat().st_size} bytes", flush=True)


def kept_counts(sides: Sides, least: int) -> FeatureCounts:
    """Return the features that were met often enough."""
    content, others = sides
    pairs = {feature: (content[feature], others[feature]) for feature in content.keys() | others.keys()}
    return {feature: numbers for feature, numbers in pairs.items() if sum(numbers) >= least}


def count_blocks(document: Document, *, is_lexical: bool) -> Sides:
    """Return the n-grams of the clean and of the dirty blocks."""
    blocks = published.blocks_of(document.text)
    labels = soft_labels([words_of(block) for block in blocks], words_of(document.gold))
    pairs = list(zip(blocks, labels >= CLEAN, strict=True))
    clean, dirty = ([block for block, is_clean in pairs if is_clean == side] for side in (True, False))
    counts = partial(published.count_ngrams, is_lexical=is_lexical)
    return Counter(counts(clean)), Counter(counts(dirty))


def count_tokens(document: Document) -> Sides:
    """Return the features of the tokens in the article and outside of it; none of pages of other types."""
    if document.page_type not in (None, "article"):
        return Counter(), Counter()
    tokens = published.tokens_of(document.text)
    words = [word for token in tokens for word in words_of(token.text)]
    are_gold = iter(aligned(words, words_of(document.gold)))
    # A word has one word in its text, a tag none.
    scores = (sum(1 if next(are_gold) else -1 for _ in words_of(token.text)) for token in tokens)
    return published.count_features(tokens, published.best_stretch(scores))


METHODS: Mapping[str, Callable[[Document], Sides]] = {
    published.NCLEANER: partial(count_blocks, is_lexical=True),
    published.NCLEANER_NONLEXICAL: partial(count_blocks, is_lexical=False),
    published.MSS: count_tokens,
}

if __name__ == "__main__":
    main()
