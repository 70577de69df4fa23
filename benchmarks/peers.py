"""Compare extractors by set, page type and language: ``JUSTEXT_FOLDS=FOLDER python -m benchmarks.peers``.

The labelled sets lie beside the checkout.  F1 compares bags of words, and of single characters in scripts without
spaces.  A page on which an extractor raises an error counts as one on which it found nothing.  What learns is judged by
the models of ``training.train --folds FOLDER`` and ``training.published --folds FOLDER`` that have not seen a page's
site.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from functools import lru_cache, partial
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.pages import CORPORA
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.exceptions import JustextError
from training.samples import read
from training.scoring import groups_of, rows_of, score_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.samples import Page

SETS = ("wcxb:wcxb-dev", "wcxb:newspaper-dev", "labelled:chinese-dev", "wcxb:magic-dev")
LEARN = tuple(f"training.validated:{name}" for name in ("learned", "learned_article", "ncleaner", "mss"))
PEERS = tuple(f"ref:{name}" for name in ("trafilatura", "resiliparse", "readability-lxml", "boilerpy3-default"))

extractor_of = lru_cache(find_extractor)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extractor", nargs="+", default=[*LEARN[:2], *PEERS, "justext", *LEARN[2:]])
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    try:
        for name in arguments.extractor:
            extractor_of(name)
        pages = read([spec.replace(":", f":{CORPORA}/") for spec in SETS])
    except JustextError as error:
        sys.exit(str(error))
    with multiprocessing.Pool(arguments.jobs) as pool:
        scores = pool.map(partial(f1s_of, arguments.extractor), pages, chunksize=8)
    print(*table(arguments.extractor, [groups_of(page) for page in pages], scores), sep="\n")


def f1s_of(names: Sequence[str], page: Page) -> list[float]:
    """Return the F1 of a page by each extractor."""
    return [_f1(name, page) for name in names]


def _f1(name: str, page: Page) -> float:
    try:
        text = extractor_of(name)(page.document, None)
    except Exception:  # whatever a library raises
        text = ""
    return score_text(page.document, text).f1 or 0.0


def table(names: Sequence[str], groups: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]) -> list[str]:
    """Return the lines of a Markdown table: mean F1 by rows of pages and by extractor; the best of a row is bold."""
    columns = [name.rpartition(":")[2].replace("_", "-") for name in names]
    lines = [f"| pages | number | {' | '.join(columns)} |", f"| --- | --- {'| --- ' * len(names)}|"]
    for row, numbers in rows_of(groups).items():
        means = [f"{fmean(scores[number][column] for number in numbers):.3f}" for column in range(len(names))]
        cells = (f"**{mean}**" if mean == max(means) else mean for mean in means)
        lines.append(f"| {row} | {len(numbers)} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
