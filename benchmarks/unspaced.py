"""Measure what a character costs in languages without spaces, beside English: ``python -m benchmarks.unspaced``.

Pages have two shapes, and the same length in characters: paragraphs among links, and one huge paragraph.  The growth is
the time of the huge paragraph at 64 times the size; linear growth is 64 times the time.
"""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.calibration import FILES, read
from benchmarks.timing import ratio, seconds_by_round
from scrapy_justext import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHARACTERS = 200_000
PARAGRAPH = 300
ROUNDS = 7
GROWTH = 64


def paragraphs(text: str) -> str:
    """Return a page of paragraphs, each behind a link."""
    parts = (text[i : i + PARAGRAPH] for i in range(0, len(text), PARAGRAPH))
    return "<html><body>" + "".join(f"<ul><li><a href='/'>x</a></ul><div><p>{part}</p></div>" for part in parts)


def huge(text: str) -> str:
    """Return a page of one paragraph."""
    return f"<html><body><p>{text}"


def page(make: Callable[[str], str], text: str, characters: int = CHARACTERS) -> bytes:
    """Return a page of so many characters of running text."""
    return make((text * (characters // len(text) + 1))[:characters]).encode()


def seconds(pages: Mapping[str, bytes], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Return the seconds of each page in each round, by the code of its language."""
    tasks = {name: partial(extract, body, language=name.split()[0]) for name, body in pages.items()}
    for task in tasks.values():
        task()
    return seconds_by_round(tasks, rounds)


def main() -> None:
    """Print the ratios."""
    texts = {"en": " ".join(read("parallel")["en"].values())}
    texts |= {code: "".join(read(names[0])["good"]) for code, names in FILES.items()}
    print(f"time of {CHARACTERS:,} characters, of English; medians of {ROUNDS} rounds\n")
    print(f"{'':6}{'paragraphs':>12}{'huge one':>12}{'growth':>10}")
    by_shape = [seconds({code: page(make, text) for code, text in texts.items()}) for make in (paragraphs, huge)]
    for code, text in texts.items():
        ratios = "".join(f"{ratio(times[code], times['en']):12.2f}" for times in by_shape)
        small, large = page(huge, text, CHARACTERS // 8), page(huge, text, CHARACTERS // 8 * GROWTH)
        grown = seconds({f"{code} small": small, f"{code} large": large}, 3)
        growth = median(grown[f"{code} large"]) / median(grown[f"{code} small"])
        print(f"{code:6}{ratios}{growth:10.1f}")


if __name__ == "__main__":
    main()
