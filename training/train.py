"""Make the models of blocks of the learned profiles: ``python -m training.train --out FOLDER KIND:PATH …``.

The pages of all sets are in five folds by registered domain; pages that are byte for byte the same count once.  For
each fold, networks are trained on the others.  What they find in the fold's pages is what the second pass is trained
on.  Its trees for a fold are trained on the other folds, too.  (The networks behind what those trees learn from have
seen the fold; its labels reach the trees in no other way.)  The networks of ``learned-article`` are those of
``learned`` and as many of articles alone.  Copies with comments that are no content train the latter only: by them,
``learned`` loses posts of forums and gains nothing.

Tables of a cross-validation are printed (``--no-validation`` leaves it out).  The scores of a fold are those at the
probability that is best on the other folds.  Of probabilities that are as good, the highest is taken.  Then a model of
all pages is trained and written.  Its own probability, from which a block is good, is the best one over all folds, or
that of ``--good``.  The same pages, package, NumPy and CatBoost give the same models.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy_justext
from scrapy_justext.core.learned.model import save_model
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.exceptions import JustextError, require
from training.boosting import train_trees
from training.made import COUNT
from training.network import Recipe, joined, make_model
from training.samples import FOLDS, fold_of, make_samples, read
from training.scoring import best_limit, extractor_with, mean_by_group, score_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.core.learned.trees import Trees
    from training.samples import Page, Sample
    from training.scoring import Score

LIMITS = tuple(round(0.325 + 0.025 * step, 3) for step in range(15))
SEEDS = (0, 1)
RECIPE = Recipe()
#: By profile: the type of the pages that its second pass is made of, and that it is scored on; None: all.
PAGE_TYPES = {"learned": None, "learned-article": "article"}
ARTICLE = "article"


def main() -> None:
    """Train, print the tables, write the models."""
    arguments = command_line(__doc__).parse_args()
    try:
        run(arguments)
    except JustextError as error:
        sys.exit(str(error))


def command_line(description: str | None) -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", metavar="KIND:PATH")
    parser.add_argument("--out", type=Path, help="the folder of the models; none is written without it")
    parser.add_argument("--also", nargs="*", default=[], metavar="KIND:PATH", help="evaluate on these, not trained on")
    parser.add_argument("--measure", default="bag", help="measure of the validation")
    parser.add_argument("--folds", type=Path, help="where the models of the folds are written, for training.validated")
    parser.add_argument("--no-validation", action="store_true")
    parser.add_argument("--one-pass", action="store_true", help="make models without a second pass")
    parser.add_argument("--credit", nargs="*", default=[], help="who made the data, and its licence, for the header")
    parser.add_argument(
        "--good",
        type=float,
        nargs=2,
        metavar=("LEARNED", "ARTICLE"),
        help="probabilities from which a block is good (default: the validated ones, else 0.5)",
    )
    parser.add_argument("--made", type=int, default=COUNT, help="how many pages are made to train on")
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Do what the command says."""
    if not arguments.one_pass:
        require("catboost", "training")
    pages = read(arguments.data)
    samples = make_samples(pages, arguments.jobs, arguments.made)
    copies, blocks = sum(sample.is_copy for sample in samples), sum(sample.features.count for sample in samples)
    print(f"{len(pages)} pages, {copies} copies and pages that are made, {blocks} blocks", flush=True)
    models = networks(samples, arguments.jobs)
    if not arguments.one_pass:
        models = with_trees(models, samples, arguments.jobs)
    good = dict(zip(PAGE_TYPES, arguments.good or (0.5, 0.5), strict=True))
    for profile, of_folds in models.items():
        if not arguments.no_validation:
            folds = validate(of_folds, pages, profile, arguments.measure, arguments.jobs)
            limits = limits_of(folds)
            print(f"\n# {profile}")
            best = report(folds, limits)
            if arguments.good is None:
                good[profile] = best
            if arguments.folds:
                save_folds(arguments.folds, profile, of_folds[:FOLDS], limits)
        model = replace(
            of_folds[-1], name=profile, version=scrapy_justext.__version__, good=good[profile], near_good=good[profile]
        )
        for spec in arguments.also:
            extractor = extractor_with(profile, model)
            measure = "sequence" if spec.startswith("cleaneval") else arguments.measure
            scores = [score_page(page, extractor, [model.good], measure)[model.good] for page in read([spec])]
            print(f"\n{spec}, {measure}\n", *mean_by_group(scores), sep="\n", flush=True)
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            digests = [open_data_set(spec).digest for spec in arguments.data]
            card = {"data": digests, "pages": len(pages), "credits": arguments.credit}
            save_model(arguments.out / f"{profile}.npz", model, card)


# Training.  Processes are forked, so that they share the samples.

_SAMPLES: list[Sample] = []
_FIRST: dict[str, list[NDArray[np.float32]]] = {}


def networks(samples: Sequence[Sample], jobs: int) -> dict[str, list[Model]]:
    """Return by profile the model of each fold, made of the others, then that of all pages; they have one pass."""
    _SAMPLES[:] = samples
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        made = pool.map(_networks, [*range(FOLDS), FOLDS], chunksize=1)
    return {profile: list(models) for profile, models in zip(PAGE_TYPES, zip(*made, strict=True), strict=True)}


def _networks(fold: int) -> tuple[Model, Model]:
    """Return the models of both profiles of all other folds than this one."""
    others = [sample for sample in _SAMPLES if sample.fold != fold]
    general = make_model([sample for sample in others if _is_for(None, sample)], RECIPE, SEEDS)
    articles = [sample for sample in others if _is_for(ARTICLE, sample)]
    of_articles = make_model(articles, RECIPE, SEEDS, scaled_like=general) if articles else general
    print(f"networks of fold {fold} are trained", flush=True)
    return general, joined(general, of_articles)


def _is_for(page_type: str | None, sample: Sample) -> bool:
    """Return whether a sample is one to learn from; ``page_type``: that of the pages to judge, None for all."""
    return not sample.has_comments if page_type is None else sample.page_type == page_type


def with_trees(models: dict[str, list[Model]], samples: Sequence[Sample], jobs: int) -> dict[str, list[Model]]:
    """Return the models with a second pass."""
    _SAMPLES[:] = samples
    for profile, of_folds in models.items():
        _FIRST[profile] = [of_folds[sample.fold].first_pass(sample.features) for sample in samples]
    tasks = [(profile, fold) for profile in models for fold in range(FOLDS + 1)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        trees = dict(zip(tasks, pool.starmap(_trees, tasks, chunksize=1), strict=True))
    return {
        profile: [replace(model, trees=trees[profile, fold]) for fold, model in enumerate(of_folds)]
        for profile, of_folds in models.items()
    }


def _trees(profile: str, fold: int) -> Trees:
    chosen = [
        (sample, first)
        for sample, first in zip(_SAMPLES, _FIRST[profile], strict=True)
        if sample.fold != fold and _is_for(PAGE_TYPES[profile], sample)
    ]
    trees = train_trees(*zip(*chosen, strict=True))
    print(f"trees of {profile}, fold {fold}, are trained", flush=True)
    return trees


# Validation.


def validate(
    models: Sequence[Model], pages: Sequence[Page], profile: str, measure: str, jobs: int
) -> list[list[dict[float, Score]]]:
    """Return by fold the scores of its pages by the model of the other folds."""
    of_profile = [page for page in pages if PAGE_TYPES[profile] in (None, page.page_type)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        tasks = [
            (model, [page for page in of_profile if fold_of(page.document) == fold])
            for fold, model in enumerate(models[:FOLDS])
        ]
        return pool.starmap(partial(_scores, profile, measure), tasks, chunksize=1)


def _scores(profile: str, measure: str, model: Model, pages: Sequence[Page]) -> list[dict[float, Score]]:
    # Nearly all gold texts of these sets leave the headline out.
    extractor = extractor_with(profile, model).with_thresholds(keep_headline=False)
    return [score_page(page, extractor, LIMITS, measure) for page in pages]


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
    print("\ncross-validated, each fold at the best probability of the others\n", *mean_by_group(scores), sep="\n")
    every = [page for pages in folds for page in pages]
    good = best_limit(every)
    print("\nby probability, all pages")
    for limit in LIMITS:
        print(f"{limit:.3f} {mean_by_group([page[limit] for page in every])[-1]}")
    print(f"good_probability {good:g}", flush=True)
    return good


if __name__ == "__main__":
    main()
