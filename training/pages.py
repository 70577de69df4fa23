"""Make a page model: ``python -m training.pages --profile learned --folds FOLDER --out FILE.npz KIND:PATH …``.

``FOLDER`` holds the models of the folds that ``python -m training.train --folds FOLDER`` wrote.  Each page is judged by
the model that has not seen its site; that gives what the page model is trained on: inputs, types, F1.  A five-fold
cross-validation of the page model by registered domain comes first, whose tables are printed: how often the type is
right, and how reliable the expected F1 is.  The same pages, models and NumPy give the same page model.

``--profile auto`` makes none.  It prints the mean F1 of ``auto`` and of both profiles that it chooses from, by set; the
page models that choose are those of the same cross-validation.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import defaultdict
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import scrapy_justext
from scrapy_justext.core.learned.model import load_model
from scrapy_justext.core.learned.pages import (
    LEAST_SCALE,
    PAGE_TYPES,
    Logistic,
    PageModel,
    f1_inputs,
    look_at,
    save_page_model,
    softmax,
)
from scrapy_justext.core.profiles import ARTICLE_FROM, find_profile
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.exceptions import JustextError
from training.samples import FOLDS, features_of, fold_of, read
from training.scoring import extractor_with, score_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.extractor import Extractor
    from training.samples import Page

    Floats = NDArray[np.float64]

#: Weight decay of the two models, and steps of gradient descent.
TYPE_DECAY, F1_DECAY, STEPS = 0.03, 0.003, 200
#: The bounds of the bins in which the expected F1 is compared with the one found.
BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)


class PageSample(NamedTuple):
    """A page that has blocks."""

    data_set: str
    page_type: str | None
    fold: int
    units: Floats
    probabilities: Floats
    good: NDArray[np.bool_]
    inputs: Floats
    has_data: bool
    f1: float


def main() -> None:
    """Train, print the tables, write the page model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="KIND:PATH")
    parser.add_argument("--profile", default="learned")
    parser.add_argument("--folds", type=Path, required=True, help="the models of the folds")
    parser.add_argument("--out", type=Path, help="the page model's file; none is written without it")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    try:
        run(arguments.data, arguments.profile, folds=arguments.folds, out=arguments.out, jobs=arguments.jobs)
    except JustextError as error:
        sys.exit(str(error))


def run(data: Sequence[str], profile_name: str, *, folds: Path, out: Path | None = None, jobs: int = 2) -> None:
    """Do what the command says."""
    pages, profile = read(data), find_profile(profile_name)
    names = [one.name for one in profile.chooses or (profile,)]
    with multiprocessing.Pool(jobs) as pool:
        # A page without blocks has none in any profile.
        general, *for_articles = (
            [sample for sample in pool.imap(partial(make_sample, name, folds), pages, chunksize=8) if sample]
            for name in names
        )
    print(f"{len(general)} pages", flush=True)
    if for_articles:
        print(*table_of_choice(profile.name, names, general, *for_articles), sep="\n", flush=True)
        return
    print(*tables(general), sep="\n", flush=True)
    if out:
        card = {
            "name": f"{profile.name}-pages",
            "version": scrapy_justext.__version__,
            "data": [open_data_set(spec).digest for spec in data],
            "pages": len(general),
        }
        save_page_model(out, make_page_model(general), card)


def make_sample(profile: str, folds: Path, page: Page) -> PageSample | None:
    """Return the sample of a labelled page, judged by the model of its fold; None where it has no blocks."""
    document = page.document
    fold = fold_of(document)
    extractor = _extractor(profile, folds / f"{profile}-fold-{fold}.npz")
    found = extractor.read(document.text)
    if found.model_output is None or found.root is None:
        return None
    features = features_of(found.root)
    assert features is not None
    probabilities = np.array(found.model_output.probabilities)
    units, inputs = look_at(features, probabilities)
    judged = extractor.judge(found)
    return PageSample(
        page.data_set,
        document.page_type,
        fold,
        units,
        probabilities,
        np.frombuffer(judged.final.are_good, np.bool_),
        inputs,
        judged.data is not None,
        score_text(document, judged.extraction().text).f1 or 0.0,
    )


@cache
def _extractor(profile: str, path: Path) -> Extractor:
    return extractor_with(profile, load_model(path))


def make_page_model(samples: Sequence[PageSample]) -> PageModel:
    """Make a page model; it is the same for the same samples."""
    typed = [sample for sample in samples if sample.page_type in PAGE_TYPES]
    classes = np.array([[float(sample.page_type == name) for name in PAGE_TYPES] for sample in typed])
    types = fit(np.array([sample.inputs for sample in typed]), classes, TYPE_DECAY)
    f1s = np.array([[1 - sample.f1, sample.f1] for sample in samples])
    return PageModel(types, fit(np.array([_f1_inputs(types, sample) for sample in samples]), f1s, F1_DECAY))


def _f1_inputs(types: Logistic, sample: PageSample) -> Floats:
    of_types = types.probabilities(sample.inputs)
    return f1_inputs(sample.units, sample.probabilities, sample.good, sample.inputs, of_types, has_data=sample.has_data)


def fit(inputs: Floats, targets: Floats, decay: float) -> Logistic:
    """Fit a logistic model by Adam over all pages at once; ``targets``: a row a page, which adds up to 1."""
    scale = np.maximum(inputs.std(axis=0), LEAST_SCALE)
    model = Logistic(
        inputs.mean(axis=0), scale, np.zeros((inputs.shape[1], targets.shape[1])), np.zeros(targets.shape[1])
    )
    x = np.concatenate([model.standardised(inputs), np.ones((len(inputs), 1))], axis=1)
    weights = np.zeros((x.shape[1], targets.shape[1]))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        gradient = x.T @ (softmax(x @ weights) - targets) / len(x)
        gradient[:-1] += decay * weights[:-1]
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient * gradient - square)
        weights -= 0.03 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return model._replace(weights=weights[:-1], bias=weights[-1])


def tables(samples: Sequence[PageSample]) -> list[str]:
    """Return the lines of two Markdown tables, of page models that have not seen a page's site."""
    found: list[tuple[PageSample, str, float]] = []
    for model, number in _held_out(samples):
        sample = samples[number]
        best = PAGE_TYPES[int(model.types.probabilities(sample.inputs).argmax())]
        found.append((sample, best, float(model.f1.probabilities(_f1_inputs(model.types, sample))[1])))
    lines = ["", "| type | pages | found | of those found |", "| --- | --- | --- | --- |"]
    for name in PAGE_TYPES:
        of_type = [best == name for sample, best, _ in found if sample.page_type == name]
        told = [sample.page_type == name for sample, best, _ in found if best == name and sample.page_type]
        lines.append(f"| {name} | {len(of_type)} | {np.mean(of_type or 0):.2f} | {np.mean(told or 0):.2f} |")
    lines += ["", "| confidence | pages | mean confidence | mean F1 |", "| --- | --- | --- | --- |"]
    for low, high in pairwise(BINS):
        both = [(expected, sample.f1) for sample, _, expected in found if low <= expected < high]
        if both:
            means = np.mean(both, axis=0)
            lines.append(f"| {low:g} to {min(high, 1):g} | {len(both)} | {means[0]:.2f} | {means[1]:.2f} |")
    error = np.mean([abs(expected - sample.f1) for sample, _, expected in found])
    return [*lines, "", f"mean absolute error {error:.3f}"]


def _held_out(samples: Sequence[PageSample]) -> Iterator[tuple[PageModel, int]]:
    """Yield for each sample a page model that has not seen its site, and the sample's number."""
    for fold in range(FOLDS):
        model = make_page_model([sample for sample in samples if sample.fold != fold])
        yield from ((model, number) for number, sample in enumerate(samples) if sample.fold == fold)


def table_of_choice(
    name: str, names: Sequence[str], general: Sequence[PageSample], articles: Sequence[PageSample]
) -> list[str]:
    """Return the lines of a Markdown table: mean F1 of a profile that chooses, and of both that it chooses from.

    ``names``: those of both; ``general``, ``articles``: the samples of the same pages by both.
    """
    article = PAGE_TYPES.index("article")
    rows: dict[str, dict[str, list[float]]] = {row: defaultdict(list) for row in (name, *names)}
    for model, number in _held_out(general):
        both = general[number], articles[number]
        is_article = model.types.probabilities(both[0].inputs)[article] >= ARTICLE_FROM
        for row, sample in zip(rows, (both[int(is_article)], *both), strict=True):
            rows[row][sample.data_set].append(sample.f1)
    sets = sorted({sample.data_set for sample in general})
    lines = [f"| | mean of the sets | {' | '.join(sets)} |", f"| --- | --- {'| --- ' * len(sets)}|"]
    for row, by_set in rows.items():
        means = [fmean(by_set[one]) for one in sets]
        lines.append(f"| `{row}` | {' | '.join(f'{mean:.3f}' for mean in (fmean(means), *means))} |")
    return lines


if __name__ == "__main__":
    main()
