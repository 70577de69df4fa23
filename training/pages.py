"""Make a page model: ``python -m training.pages --profile learned --folds FOLDER --out FILE.npz KIND:PATH …``.

``FOLDER`` holds the models of the folds that ``python -m training.train --folds FOLDER`` wrote.  Each page is judged by
the model that has not seen its site; that gives what the page model is trained on: inputs, types, F1.  A five-fold
cross-validation of the page model by registered domain comes first, whose tables are printed: how often the type and
the roles of blocks are right, and how reliable the expected F1 is.  The same pages, models and NumPy give the same page
model.

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
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import scrapy_justext
from scrapy_justext.core.learned.features import compute
from scrapy_justext.core.learned.model import load_model
from scrapy_justext.core.learned.pages import (
    LEAST_SCALE,
    PAGE_TYPES,
    ROLES,
    Logistic,
    PageModel,
    f1_inputs,
    means_of,
    role_inputs,
    role_probabilities,
    save_page_model,
    softmax,
    type_inputs,
)
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import ARTICLE_AHEAD, ARTICLE_FROM, find_profile
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.exceptions import JustextError
from training.made import COUNT, made_page
from training.roles import known_roles, some_of, weak_roles
from training.samples import FOLDS, MADE, Page, fold_of, labels_of, read
from training.scoring import extractor_with, score_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.extractor import Extractor

    Floats = NDArray[np.float64]

#: Weight decay of the models, and steps of gradient descent.
TYPE_DECAY, F1_DECAY, ROLE_DECAY, STEPS = 0.03, 0.003, 0.001, 200
#: The bounds of the bins in which the expected F1 is compared with the measured one.
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
    blocks: NDArray[np.float32]
    """The inputs of some blocks whose roles are known, or likely."""
    roles: NDArray[np.intp]
    """Their roles, by their numbers in :data:`ROLES`."""


def main() -> None:
    """Train, print the tables, write the page model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="KIND:PATH")
    parser.add_argument("--profile", default="learned")
    parser.add_argument("--folds", type=Path, required=True, help="the models of the folds")
    parser.add_argument("--out", type=Path, help="the page model's file; none is written without it")
    parser.add_argument("--made", type=int, default=COUNT, help="how many pages are made to train on")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    try:
        folds, out, jobs = arguments.folds, arguments.out, arguments.jobs
        run(arguments.data, arguments.profile, arguments.made, folds=folds, out=out, jobs=jobs)
    except JustextError as error:
        sys.exit(str(error))


def run(
    data: Sequence[str], profile_name: str, made: int, *, folds: Path, out: Path | None = None, jobs: int = 2
) -> None:
    """Do what the command says; ``made``: how many pages are made to train on."""
    profile = find_profile(profile_name)
    pages = read(data)
    if not profile.chooses:
        pages += [Page(MADE, made_page(number)) for number in range(made)]
    names = [option.name for option in profile.chooses or (profile,)]
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
    read = extractor.read(document.text)
    root = parse_html(document.text).root
    if read.model_output is None or root is None:
        return None
    model, probabilities = read.model_output.model, np.array(read.model_output.probabilities)
    segments, flow = read_blocks(read_nodes(root), extractor.options.profile.tags)
    features = compute(segments, flow, read.title)
    units, inputs = type_inputs(*means_of(features), probabilities)
    if page.data_set == MADE:
        roles = known_roles([flow.page.element(flow.elements[element]) for element in segments.element])
    else:
        roles = weak_roles(features, labels_of(features, document)[0], document.page_type)
    of_blocks = role_inputs(features, model.first_pass(features), probabilities)
    judged = extractor.judge(read)
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
        *some_of(of_blocks, roles, document.id),
    )


@cache
def _extractor(profile: str, path: Path) -> Extractor:
    return extractor_with(profile, load_model(path))


def make_page_model(samples: Sequence[PageSample]) -> PageModel:
    """Make a page model; it is the same for the same samples."""
    return PageModel(*_of_pages(samples), _of_blocks(samples))


def _of_pages(samples: Sequence[PageSample]) -> tuple[Logistic, Logistic]:
    """Return what tells the type of a page, and its F1."""
    labelled = [sample for sample in samples if sample.data_set != MADE]
    typed = [sample for sample in labelled if sample.page_type in PAGE_TYPES]
    classes = np.array([[float(sample.page_type == name) for name in PAGE_TYPES] for sample in typed])
    types = fit(np.array([sample.inputs for sample in typed]), classes, TYPE_DECAY)
    f1s = np.array([[1 - sample.f1, sample.f1] for sample in labelled])
    return types, fit(np.array([_f1_inputs(types, sample) for sample in labelled]), f1s, F1_DECAY)


def _of_blocks(samples: Sequence[PageSample]) -> Logistic:
    """Return what tells the roles of blocks."""
    known = np.eye(len(ROLES))[np.concatenate([sample.roles for sample in samples])]
    return fit(np.concatenate([sample.blocks for sample in samples]).astype(np.float64), known, ROLE_DECAY)


def _f1_inputs(types: Logistic, sample: PageSample) -> Floats:
    of_types = types.probabilities(sample.inputs)
    return f1_inputs(sample.units, sample.probabilities, sample.good, sample.inputs, of_types, has_data=sample.has_data)


def _expected_f1(types: Logistic, f1: Logistic, sample: PageSample) -> float:
    return float(f1.probabilities(_f1_inputs(types, sample))[1])


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
    """Return the lines of Markdown tables, of page models that have not seen a page's site."""
    labelled = [sample for sample in samples if sample.data_set != MADE]
    predictions: list[tuple[PageSample, str, float]] = []
    for types, f1, sample in _held_out(labelled):
        best = PAGE_TYPES[int(types.probabilities(sample.inputs).argmax())]
        predictions.append((sample, best, _expected_f1(types, f1, sample)))
    lines = ["", "| type | pages | found | of those found |", "| --- | --- | --- | --- |"]
    for name in PAGE_TYPES:
        of_type = [best == name for sample, best, _ in predictions if sample.page_type == name]
        predicted = [sample.page_type == name for sample, best, _ in predictions if best == name and sample.page_type]
        lines.append(f"| {name} | {len(of_type)} | {np.mean(of_type or 0):.2f} | {np.mean(predicted or 0):.2f} |")
    lines += ["", "| confidence | pages | mean confidence | mean F1 |", "| --- | --- | --- | --- |"]
    for low, high in pairwise(BINS):
        both = [(expected, sample.f1) for sample, _, expected in predictions if low <= expected < high]
        if both:
            means = np.mean(both, axis=0)
            lines.append(f"| {low:g} to {min(high, 1):g} | {len(both)} | {means[0]:.2f} | {means[1]:.2f} |")
    error = np.mean([abs(expected - sample.f1) for sample, _, expected in predictions])
    return [*_role_table(samples), *lines, "", f"mean absolute error {error:.3f}"]


def _role_table(samples: Sequence[PageSample]) -> Iterator[str]:
    """Yield the lines of a table: for each role, the share of its blocks that are found, and of those found, are right.

    The roles of made pages are known; those of labelled pages are often told by the name of an element.
    """
    pairs: dict[str, list[tuple[int, int]]] = {"labelled": [], MADE: []}
    for fold in range(FOLDS):
        model = _of_blocks([sample for sample in samples if sample.fold != fold])
        for sample in samples:
            if sample.fold == fold and len(sample.roles):
                given = role_probabilities(sample.blocks, model).argmax(axis=1)
                of = pairs[MADE if sample.data_set == MADE else "labelled"]
                of += zip(sample.roles.tolist(), given.tolist(), strict=True)
    yield from ("", f"| role | {' | '.join(f'{of}: blocks | found | of those found' for of in pairs)} |")
    yield f"| --- {'| --- | --- | --- ' * len(pairs)}|"
    for number, role in enumerate(ROLES):
        cells = []
        for of_pages in pairs.values():
            known, predicted = ([pair[side] == number for pair in of_pages] for side in (0, 1))
            right = sum(map(and_, known, predicted))
            cells += [f"{sum(known)}", f"{right / max(sum(known), 1):.2f}", f"{right / max(sum(predicted), 1):.2f}"]
        yield f"| {role} | {' | '.join(cells)} |"


def _held_out(samples: Sequence[PageSample]) -> Iterator[tuple[Logistic, Logistic, PageSample]]:
    """Yield each sample with what tells types and F1 that has not seen its site, fold by fold."""
    for fold in range(FOLDS):
        models = _of_pages([sample for sample in samples if sample.fold != fold])
        yield from ((*models, sample) for sample in samples if sample.fold == fold)


def table_of_choice(
    name: str, names: Sequence[str], general: Sequence[PageSample], articles: Sequence[PageSample]
) -> list[str]:
    """Return the lines of a Markdown table: mean F1 of a profile that chooses, and of both that it chooses from.

    Rows are data sets, and their types of pages.
    ``names``: those of both; ``general``, ``articles``: the samples of the same pages by both.
    """
    article = PAGE_TYPES.index("article")
    rows: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for of_general, of_articles in zip(_held_out(general), _held_out(articles), strict=True):
        types, sample, other = of_general[0], of_general[-1], of_articles[-1]
        may_be = types.probabilities(sample.inputs)[article] >= ARTICLE_FROM
        ahead = _expected_f1(*of_articles) - _expected_f1(*of_general)
        taken = other if may_be and ahead >= -ARTICLE_AHEAD else sample
        for row in {sample.data_set, f"{sample.data_set}, {sample.page_type or sample.data_set}"}:
            rows[row].append((taken.f1, sample.f1, other.f1))
    means = {row: np.mean(rows[row], axis=0) for row in sorted(rows)}
    sets = sorted({sample.data_set for sample in general})
    means["mean of the sets"] = np.mean([means[data_set] for data_set in sets], axis=0)
    lines = [f"| pages | {' | '.join(f'`{column}`' for column in (name, *names))} |", f"| --- {'| --- ' * 3}|"]
    return [*lines, *(f"| {row} | {' | '.join(f'{mean:.3f}' for mean in of)} |" for row, of in means.items())]


if __name__ == "__main__":
    main()
