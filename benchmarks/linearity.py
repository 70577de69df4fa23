"""Measure how time grows with the page: ``python -m benchmarks.linearity``.

Each shape is extracted at a size and at 64 times that size; linear growth is 64 times the time.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchmarks.timing import seconds_by_round
from scrapy_justext import extract

if TYPE_CHECKING:
    from collections.abc import Callable

GROWTH = 64
ROUNDS = 5

SENTENCE = "It was the best of times and it was the worst of times. "


def _nested(depth: int) -> str:
    return "<div>a" * depth + "</div>" * depth


#: A page of ``n`` units, and the smaller of the two sizes.  Nesting ends at 2,000, where parsers do.
SHAPES: dict[str, tuple[Callable[[int], str], int]] = {
    "short paragraphs": (lambda n: "<p>a short one" * n, 500),
    "near-good paragraphs": (lambda n: f"<p>{SENTENCE * 3}" * n, 200),
    "headings": (lambda n: "<h2>A heading</h2>" * n, 500),
    "one huge paragraph": (lambda n: f"<p>{SENTENCE * n}", 500),
    "links": (lambda n: "<a href='/'>link</a> " * n, 100_000 // GROWTH),
    "links in items": (lambda n: "<li><a href='/'>link</a>" * n, 500),
    "line breaks": (lambda n: "text<br><br>" * n, 500),
    "nested divisions": (_nested, 2000 // GROWTH),
    "preformatted lines": (lambda n: "<pre>" + "a line\n" * n, 500),
}


def main() -> None:
    """Print the growth of each shape."""
    extract("warm up")
    print(f"time at {GROWTH} times the size, medians of {ROUNDS} rounds\n")
    for name, (make, size) in SHAPES.items():
        small, large = make(size), make(size * GROWTH)
        # The small page so often that both rows take about as long, or the clock would blur it.
        tasks = {
            "small": lambda page=small: [extract(page, language="English") for _ in range(GROWTH)],
            "large": lambda page=large: extract(page, language="English"),
        }
        seconds = seconds_by_round(tasks, ROUNDS)
        growth = median(seconds["large"]) / median(seconds["small"]) * GROWTH
        print(f"{name:24}{growth:8.1f} times   ({1000 * median(seconds['large']):.0f} ms)")


if __name__ == "__main__":
    main()
