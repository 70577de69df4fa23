"""Make a model: ``python -m training.train --profile learned --out FILE.npz KIND:PATH …``.

First comes a five-fold cross-validation by registered domain, whose tables are printed (``--no-validation`` leaves it
out).  The scores of a fold are those at the probability that is best on the other folds.  Of probabilities that are as
good, the highest is taken.  Then a model of all pages is trained and written.  Its own probability, from which a block
is good, is the best one over all folds, or that of ``--good``.  The same pages, package and NumPy give the same model.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy_justext
from scrapy_justext.core.learned.model import save_model
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.exceptions import JustextError
from training.network import Recipe, make_model
from training.samples import FOLDS, fold_of, make_sample
from training.scoring import best_limit, extractor_with, mean_by_type, score_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.evaluation.datasets.documents import Document
    from training.scoring import Score

LIMITS = tuple(round(0.25 + 0.025 * step, 3) for step in range(23))
SEEDS = (0, 1, 2)
RECIPE = Recipe()
#: By profile: the type of the pages that its model is made of; None: all.
PAGE_TYPES = {"learned": None, "learned-article": "article"}


def main() -> None:
    """Train, print the tables, write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="KIND:PATH")
    parser.add_argument("--profile", choices=PAGE_TYPES, default="learned")
    parser.add_argument("--out", type=Path, help="the model's file; none is written without it")
    parser.add_argument("--also", nargs="*", default=[], metavar="KIND:PATH", help="evaluate on these, not trained on")
    parser.add_argument("--measure", default="bag", help="measure of the validation")
    parser.add_argument("--folds", type=Path, help="where the models of the folds are written, for training.validated")
    parser.add_argument("--no-validation", action="store_true")
    parser.add_argument("--credit", nargs="*", default=[], help="who made the data, and its licence, for the header")
    parser.add_argument(
        "--good", type=float, help="probability from which a block is good (default: the validated one, else 0.5)"
    )
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    try:
        run(arguments)
    except JustextError as error:
        sys.exit(str(error))


def run(arguments: argparse.Namespace) -> None:
    """Do what the command says."""
    wanted = PAGE_TYPES[arguments.profile]
    documents = [document for document in read(arguments.data) if wanted in (None, document.page_type)]
    with multiprocessing.Pool(arguments.jobs) as pool:
        samples = [sample for sample in pool.imap(make_sample, documents, chunksize=8) if sample is not None]
    print(f"{len(documents)} pages, {sum(len(sample.inputs) for sample in samples)} blocks", flush=True)
    good = 0.5
    if not arguments.no_validation:
        others = [[sample for sample in samples if sample.fold != fold] for fold in range(FOLDS)]
        models = [make_model(samples_of_others, RECIPE, SEEDS) for samples_of_others in others]
        folds = [
            validate(model, documents, arguments.profile, arguments.measure, fold) for fold, model in enumerate(models)
        ]
        limits = limits_of(folds)
        good = report(folds, limits)
        if arguments.folds:
            save_folds(arguments.folds, arguments.profile, models, limits)
    if arguments.good is not None:
        good = arguments.good
    model = make_model(samples, RECIPE, SEEDS, name=arguments.profile, version=scrapy_justext.__version__)
    model = replace(model, good=good, near_good=good)
    for spec in arguments.also:
        extractor = extractor_with(arguments.profile, model)
        measure = "sequence" if spec.startswith("cleaneval") else arguments.measure
        scores = [score_page(document, extractor, [good], measure)[good] for document in read([spec])]
        print(f"\n{spec}, {measure}\n", *mean_by_type(scores), sep="\n")
    if arguments.out:
        digests = [open_data_set(spec).digest for spec in arguments.data]
        card = {"data": digests, "pages": len(samples), "credits": arguments.credit}
        save_model(arguments.out, model, card)


def read(specs: Sequence[str]) -> list[Document]:
    """Return the documents of data sets."""
    return [document for spec in specs for document in open_data_set(spec).documents]


def validate(
    model: Model, documents: Sequence[Document], profile: str, measure: str, fold: int
) -> list[dict[float, Score]]:
    """Return the scores of a fold's pages by a model of the other folds."""
    extractor = extractor_with(profile, model)
    return [score_page(document, extractor, LIMITS, measure) for document in documents if fold_of(document) == fold]


def limits_of(folds: Sequence[list[dict[float, Score]]]) -> list[float]:
    """Return for each fold the probability that is best on the others."""
    return [
        best_limit(page for other, pages in enumerate(folds) if other != fold for page in pages)
        for fold in range(len(folds))
    ]


def save_folds(folder: Path, profile: str, models: Sequence[Model], limits: Sequence[float]) -> None:
    """Write the models of the folds, each with the probability that is best on the others."""
    folder.mkdir(parents=True, exist_ok=True)
    for fold, (model, limit) in enumerate(zip(models, limits, strict=True)):
        name = f"{profile}-fold-{fold}"
        save_model(folder / f"{name}.npz", replace(model, name=name, good=limit, near_good=limit), {})


def report(folds: Sequence[list[dict[float, Score]]], limits: Sequence[float]) -> float:
    """Print the tables of a validation; return the probability from which blocks are good."""
    scores = [page[limit] for pages, limit in zip(folds, limits, strict=True) for page in pages]
    print("\ncross-validated, each fold at the best probability of the others\n", *mean_by_type(scores), sep="\n")
    every = [page for pages in folds for page in pages]
    good = best_limit(every)
    print("\nby probability, all pages")
    for limit in LIMITS:
        print(f"{limit:.3f} {mean_by_type([page[limit] for page in every])[-1]}")
    print(f"good_probability {good:g}", flush=True)
    return good


if __name__ == "__main__":
    main()
