r"""Measure what the tree filter does to precision and recall, by depth: ``python -m benchmarks.precision``.

The profiles ``justext`` and ``boilerpipe`` run on the article pages of the labelled set beside the checkout, without
the filter and with it.  Also shown is how far ``boilerpipe`` is from boilerpy3's default extractor.  Precision, recall
and F1 compare bags of words (runs of ``\\w``, lower-cased) of each page; the table shows the means over the pages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.markdown import write_table
from benchmarks.pages import CORPORA
from benchmarks.speed import peers
from scrapy_justext import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WCXB = CORPORA / "wcxb-dev"
DEPTHS = (None, 1, 2, 3, 4, 5)


class Scores(NamedTuple):
    """What a page scores: shares from 0 to 1."""

    precision: float
    recall: float
    f1: float


def labelled(page_type: str) -> Iterator[tuple[bytes, str]]:
    """Yield the pages of a type, each with the text that is to be found."""
    for line in gzip.decompress((WCXB / "gold.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        if row["page_type"] == page_type:
            yield gzip.decompress((WCXB / "html" / f"{row['id']}.html.gz").read_bytes()), row["main_content"] or ""


def score(gold: str, text: str) -> Scores:
    """Compare bags of words; without a gold text, all is right when nothing was found.

    >>> score("one two three four", "one two five")
    Scores(precision=0.666..., recall=0.5, f1=0.571...)
    """
    expected, words = bag(gold), bag(text)
    if not expected:
        return Scores(*[float(not words)] * 3)
    common = sum((expected & words).values())
    precision = common / sum(words.values()) if words else 0.0
    recall = common / sum(expected.values())
    return Scores(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)


def bag(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(re.findall(r"\w+", text.lower()))


def rows() -> dict[str, Callable[[bytes], str]]:
    """Return what is compared, by name."""

    def ours(profile: str, depth: int | None) -> Callable[[bytes], str]:
        return lambda body: extract(body, profile=profile, tree_depth=depth).text

    extractors = {
        f"{profile}, {'no filter' if depth is None else f'depth {depth}'}": ours(profile, depth)
        for profile in ("justext", "boilerpipe")
        for depth in DEPTHS
    }
    boilerpy3 = peers().get("boilerpy3")
    if boilerpy3 is not None:
        extractors["boilerpy3, default"] = lambda body: str(boilerpy3(body))
    return extractors


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--type", default="article", help="page type of WCXB")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too, as Markdown")
    arguments = parser.parse_args()
    if not WCXB.is_dir():
        sys.exit(f"no labelled pages: {WCXB} is not there")
    extractors = rows()
    scores: dict[str, list[Scores]] = {name: [] for name in extractors}
    likeness: list[float] = []
    for body, gold in labelled(arguments.type):
        texts = {name: extractor(body) for name, extractor in extractors.items()}
        for name, text in texts.items():
            scores[name].append(score(gold, text))
        if "boilerpy3, default" in texts:
            likeness.append(score(texts["boilerpy3, default"], texts["boilerpipe, no filter"]).f1)
    note = f"{len(next(iter(scores.values())))} pages of type {arguments.type}"
    print(f"{note}\n\n{'':26}{'precision':>10}{'recall':>10}{'F1':>10}")
    lines = [[name, *(f"{mean(column):.3f}" for column in zip(*row, strict=True))] for name, row in scores.items()]
    for name, *figures in lines:
        print(f"{name:26}" + "".join(f"{figure:>10}" for figure in figures))
    if arguments.markdown:
        write_table(arguments.markdown, f"{note}.", ("", "precision", "recall", "F1"), lines)
    if likeness:
        same = sum(value == 1 for value in likeness) / len(likeness)
        print(
            f"\nboilerpipe beside boilerpy3's default: mean F1 {mean(likeness):.3f}, equal on {same:.0%} of the pages"
        )


if __name__ == "__main__":
    main()
