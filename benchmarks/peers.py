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
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.markdown import write_table
from benchmarks.pages import CORPORA
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.exceptions import JustextError
from training.samples import read
from training.scoring import groups_of, rows_of, score_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.samples import Page

SETS = ("wcxb:wcxb-dev", "wcxb:newspaper-dev", "labelled:chinese-dev", "wcxb:magic-dev")
PROFILES = ("training.validated:learned", "training.validated:learned_article", "justext")
PEERS = tuple(f"ref:{name}" for name in ("trafilatura", "resiliparse", "readability-lxml", "boilerpy3-default"))
PUBLISHED = tuple(f"training.validated:{name}" for name in ("ncleaner", "ncleaner_nonlexical", "mss"))

extractor_of = lru_cache(find_extractor)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extractor", nargs="+", default=[*PROFILES, *PEERS, *PUBLISHED])
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table for the documentation")
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
    columns, rows = table(arguments.extractor, [groups_of(page) for page in pages], scores)
    for row in (columns, *rows):
        print(*row, sep="\t")
    if arguments.markdown:
        versions = (f"{label(name)} {extractor_of(name).version}" for name in arguments.extractor if name in PEERS)
        write_table(arguments.markdown, f"{', '.join(versions)}.", columns, rows)


def f1s_of(names: Sequence[str], page: Page) -> list[float]:
    """Return the F1 of a page by each extractor."""
    return [_f1(name, page) for name in names]


def _f1(name: str, page: Page) -> float:
    try:
        text = extractor_of(name)(page.document, None)
    except Exception:  # whatever a library raises
        text = ""
    return score_text(page.document, text).f1 or 0.0


def table(
    names: Sequence[str], groups: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]
) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the rows of a table: mean F1 by pages and by extractor; the best of a row is bold."""
    rows = []
    for row, numbers in rows_of(groups).items():
        means = [f"{fmean(scores[number][column] for number in numbers):.3f}" for column in range(len(names))]
        rows.append([row, f"{len(numbers):,}", *(f"**{mean}**" if mean == max(means) else mean for mean in means)])
    return ["", "pages", *map(label, names)], rows


def label(name: str) -> str:
    """Return what an extractor is called in the table.

    >>> label("training.validated:learned_article"), label("ref:trafilatura")
    ('learned-article', 'trafilatura')
    """
    return name.rpartition(":")[2].replace("_", "-")


if __name__ == "__main__":
    main()
