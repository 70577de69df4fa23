"""Make a page model: ``python -m training.pages --profile learned --folds FOLDER --out FILE.npz KIND:PATH …``.

``FOLDER`` holds the models of the folds that ``python -m training.train --folds FOLDER`` wrote.  Each page is judged by
the model that has not seen its site; that gives what the page model is trained on: inputs, types, F1.  A five-fold
cross-validation of the page model by registered domain comes first, whose tables are printed: how often the type is
right, and how reliable the expected F1 is.  The same pages, models and NumPy give the same page model.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import scrapy_justext
from scrapy_justext.core.learned.classifier import weigh
from scrapy_justext.core.learned.features import compute
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
from scrapy_justext.core.unsegmented import SCRIPTS
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.exceptions import JustextError
from training.samples import FOLDS, fold_of
from training.scoring import extractor_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.extractor import Extractor
    from scrapy_justext.evaluation.datasets.documents import Document

    Floats = NDArray[np.float64]

#: Weight decay of the two models, and steps of gradient descent.
TYPE_DECAY, F1_DECAY, STEPS = 0.03, 0.003, 200
#: The bounds of the bins in which the expected F1 is compared with the one found.
BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
_UNSPACED = re.compile(f"([{''.join(script.characters for script in SCRIPTS)}])")


class PageSample(NamedTuple):
    """A page that has blocks."""

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
        run(arguments)
    except JustextError as error:
        sys.exit(str(error))


def run(arguments: argparse.Namespace) -> None:
    """Do what the command says."""
    data_sets = [open_data_set(spec) for spec in arguments.data]
    documents = [document for data_set in data_sets for document in data_set.documents]
    make = partial(make_sample, arguments.profile, arguments.folds)
    with multiprocessing.Pool(arguments.jobs) as pool:
        samples = [sample for sample in pool.imap(make, documents, chunksize=8) if sample is not None]
    print(f"{len(samples)} pages", flush=True)
    print(*tables(samples), sep="\n", flush=True)
    if arguments.out:
        card = {
            "name": f"{arguments.profile}-pages",
            "version": scrapy_justext.__version__,
            "data": [data_set.digest for data_set in data_sets],
            "pages": len(samples),
        }
        save_page_model(arguments.out, make_page_model(samples), card)


def make_sample(profile: str, folds: Path, document: Document) -> PageSample | None:
    """Return the sample of a labelled page, judged by the model of its fold; None where it has no blocks."""
    fold = fold_of(document)
    extractor = _extractor(profile, folds / f"{profile}-fold-{fold}.npz")
    page = extractor.read(document.text)
    if page.model_output is None or page.elements is None:
        return None
    features = compute(page.segments, page.elements)
    weighed = np.array(weigh(features, page.model_output.model).probabilities)
    judged = extractor.judge(page)
    text = "\n".join(judged.extraction().paragraphs)
    units, inputs = look_at(features, weighed)
    good = np.array([decision.block_class.value == "good" for decision in judged.final])
    f1 = MEASURES["bag"](parted(document.gold), parted(text)).f1 or 0.0
    return PageSample(document.page_type, fold, units, weighed, good, inputs, judged.data is not None, f1)


@cache
def _extractor(profile: str, path: Path) -> Extractor:
    return extractor_with(profile, load_model(path))


def parted(text: str) -> str:
    """Return a text with spaces between the characters of scripts that have none between words.

    >>> parted("In 春眠")
    'In  春  眠 '
    """
    return _UNSPACED.sub(r" \1 ", text)


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
    for fold in range(FOLDS):
        model = make_page_model([sample for sample in samples if sample.fold != fold])
        for sample in samples:
            if sample.fold == fold:
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


if __name__ == "__main__":
    main()
