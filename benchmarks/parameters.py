"""Measure headline, repeated text and fallback, each apart: ``python -m benchmarks.whole_page --folds FOLDER``.

The learned profiles run on the labelled sets beside the checkout.  Each page is judged by the model of
``training.train --folds FOLDER`` that has not seen its site.  F1 compares bags of words, and of single characters in
scripts without spaces; of CleanEval, sequences.  Printed are means over pages, then what each parameter adds to them.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.pages import CORPORA
from scrapy_justext.core.learned.model import load_model
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from training.pages import parted
from training.samples import FOLDS, fold_of
from training.scoring import extractor_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SETS = ("wcxb:wcxb-dev", "cleaneval:cleaneval-dev", "wcxb:magic-dev", "wcxb:newspaper-dev", "wcxb:chinese-dev")
NONE: Mapping[str, Any] = {"keep_headline": False, "drop_repeated": False, "fallback_probability": 1.0}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "none of them": NONE,
    "keep_headline": {**NONE, "keep_headline": True},
    "drop_repeated": {**NONE, "drop_repeated": True},
    "fallback_probability 0.2": {**NONE, "fallback_probability": 0.2},
    "fallback_probability 0.3": {**NONE, "fallback_probability": 0.3},
}


def main() -> None:
    """Print a table for each profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=Path, required=True)
    parser.add_argument("--profile", nargs="+", default=["learned", "learned-article"])
    arguments = parser.parse_args()
    for profile in arguments.profile:
        found = measure(profile, arguments.folds)
        means = {variant: {name: fmean(f1s) for name, f1s in columns.items()} for variant, columns in found.items()}
        none = means["none of them"]
        print(f"| `{profile}` | {' | '.join(none)} |", f"| --- {'| --- ' * len(none)}|", sep="\n")
        for variant, row in means.items():
            cells = (f"{f1:.3f}" if row is none else f"{100 * (f1 - none[name]):+.1f}" for name, f1 in row.items())
            print(f"| {variant} | {' | '.join(cells)} |", flush=True)


def measure(profile: str, folds: Path) -> dict[str, dict[str, list[float]]]:
    """Return the F1 of pages, by variant and set; those of some sets by type of page, too."""
    models = [load_model(folds / f"{profile}-fold-{fold}.npz") for fold in range(FOLDS)]
    extractors = [extractor_with(profile, model) for model in models]
    found: dict[str, dict[str, list[float]]] = {variant: defaultdict(list) for variant in VARIANTS}
    for spec in SETS:
        kind, _, name = spec.partition(":")
        score = MEASURES["sequence" if kind == "cleaneval" else "bag"]
        for document in open_data_set(f"{kind}:{CORPORA / name}").documents:
            extractor = extractors[fold_of(document)]
            page = extractor.read(document.text)
            for variant, thresholds in VARIANTS.items():
                judged = extractor.with_thresholds(**thresholds).judge(page)
                f1 = score(parted(document.gold), parted("\n".join(judged.extraction().paragraphs))).f1
                for column in _columns(name, document.page_type) if f1 is not None else ():
                    found[variant][column].append(f1 or 0.0)
    return found


def _columns(name: str, page_type: str | None) -> Iterator[str]:
    yield name
    if name in ("magic-dev", "wcxb-dev") and page_type in ("article", "forum"):
        yield f"{name} {page_type}s"


if __name__ == "__main__":
    main()
