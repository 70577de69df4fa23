"""Measure parameters of the learned profiles, each apart: ``python -m benchmarks.parameters --folds FOLDER``.

The profiles run on the labelled sets beside the checkout.  Each page is judged by the model of ``training.train --folds
FOLDER`` that has not seen its site.  F1 compares bags of words, and of single characters in scripts without spaces; of
CleanEval, sequences.

Two tables are printed for each profile.  The first has headline, repeated text and fallback: means over pages without
any of them, and what each adds to them in hundredths.  The second has what is done with code, formulas and tables of
data, on the pages that have some: the model judges them by itself, by its neighbours, or all are good.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.pages import CORPORA
from scrapy_justext.core.learned.model import load_model
from scrapy_justext.core.tags import CODE, FORMULA, TABLE
from scrapy_justext.evaluation.datasets.names import open_data_set
from training.samples import FOLDS, fold_of
from training.scoring import extractor_with, score_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Variants = Mapping[str, Mapping[str, Any]]

SETS = ("wcxb:wcxb-dev", "cleaneval:cleaneval-dev", "wcxb:magic-dev", "wcxb:newspaper-dev", "labelled:chinese-dev")

NONE: Mapping[str, Any] = {"keep_headline": False, "drop_repeated": False, "fallback_probability": 1.0}
WHOLE_PAGE: Variants = {
    "none of them": NONE,
    "keep_headline": {**NONE, "keep_headline": True},
    "drop_repeated": {**NONE, "drop_repeated": True},
    "fallback_probability 0.2": {**NONE, "fallback_probability": 0.2},
    "fallback_probability 0.3": {**NONE, "fallback_probability": 0.3},
}
KINDS: Variants = {
    value: dict.fromkeys(("code", "formulas", "tables"), value) for value in ("prose", "context", "keep")
}


def main() -> None:
    """Print the tables of each profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=Path, required=True)
    parser.add_argument("--profile", nargs="+", default=["learned", "learned-article"])
    arguments = parser.parse_args()
    for profile in arguments.profile:
        f1s_of = measure(profile, arguments.folds)
        means = {variant: {name: fmean(f1s) for name, f1s in columns.items()} for variant, columns in f1s_of.items()}
        none = means["none of them"]
        print(f"| `{profile}` | {' | '.join(none)} |", f"| --- {'| --- ' * len(none)}|", sep="\n")
        for variant in WHOLE_PAGE:
            row = means[variant]
            cells = (f"{f1:.3f}" if row is none else f"{100 * (f1 - none[name]):+.1f}" for name, f1 in row.items())
            print(f"| {variant} | {' | '.join(cells)} |")
        print(f"\n| `{profile}` | pages | {' | '.join(KINDS)} |", f"| --- | --- {'| --- ' * len(KINDS)}|", sep="\n")
        for kind, f1s in f1s_of["prose"].items():
            print(f"| {kind} | {len(f1s)} | {' | '.join(f'{means[variant][kind]:.3f}' for variant in KINDS)} |")
        print(flush=True)


def measure(profile: str, folds: Path) -> dict[str, dict[str, list[float]]]:
    """Return the F1 of pages, by variant and column of the tables."""
    models = [load_model(folds / f"{profile}-fold-{fold}.npz") for fold in range(FOLDS)]
    extractors = [extractor_with(profile, model) for model in models]
    f1s_of: dict[str, dict[str, list[float]]] = {variant: defaultdict(list) for variant in (*WHOLE_PAGE, *KINDS)}
    for spec in SETS:
        set_kind, _, name = spec.partition(":")
        measure = "sequence" if set_kind == "cleaneval" else "bag"
        for document in open_data_set(f"{set_kind}:{CORPORA / name}").documents:
            extractor = extractors[fold_of(document)]
            page = extractor.read(document.text)
            sets = list(_sets(name, document.page_type))
            kinds = list(_kinds(set(page.segments.of_position("kind")), document.page_type))
            for variants, columns in ((WHOLE_PAGE, sets), (KINDS, kinds)):
                f1s = {
                    name: score_text(
                        document, extractor.with_thresholds(**parameters).judge(page).extraction().text, measure
                    ).f1
                    for name, parameters in (variants if columns else {}).items()
                }
                # Variants are compared on the same pages.
                if None in f1s.values():
                    continue
                for (variant, f1), column in product(f1s.items(), columns):
                    f1s_of[variant][column].append(f1 or 0.0)
    return f1s_of


def _sets(name: str, page_type: str | None) -> Iterator[str]:
    yield name
    if name in ("magic-dev", "wcxb-dev") and page_type in ("article", "forum"):
        yield f"{name} {page_type}s"


def _kinds(kinds: set[str], page_type: str | None) -> Iterator[str]:
    if CODE in kinds:
        yield "with code"
        if page_type == "documentation":
            yield "with code, documentation"
    if FORMULA in kinds:
        yield "with formulas"
    if TABLE in kinds:
        yield "with tables of data"


if __name__ == "__main__":
    main()
