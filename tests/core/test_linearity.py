"""The work grows with the page and no faster; counted in lines run, so that no clock decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.shapes import SHAPES
from scrapy_justext import extract
from scrapy_justext.core import context_sensitive
from scrapy_justext.core.context_sensitive import Context
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from tests.builders import blocks, lines_run
from tests.products import in_turn

if TYPE_CHECKING:
    from benchmarks.shapes import Shape
    from scrapy_justext.core.options import Choices

#: Options that have a page read in every way there is, with each profile.  Half of the profiles decide by their own
#: rules, the others write all of a page as Markdown.
CHOICES: dict[str, Choices] = {
    profile: {
        "language": "English",
        "profile": profile,
        "paths": number % 4 > 0,
        "markdown": True,
        "tree_depth": 2,
        "keep_css": "body" if number % 2 else ".x, b",
    }
    for number, profile in enumerate(PROFILES)
}

#: Characters of the smaller page.  16 times as many hold fewer than the 1,500 nested elements from which on another way
#: of flattening takes over.
SIZE = 128
#: 16 times the page is to cost at most 20 times the work.  The smaller page has fixed costs too.
TIMES, LIMIT = 16, 20


@pytest.mark.parametrize(("shape", "choices"), in_turn(SHAPES, CHOICES))
def test_16_times_the_page_runs_at_most_20_times_the_lines(shape: Shape, choices: Choices) -> None:
    def work(size: int) -> int:
        page = shape(size)

        def once() -> None:
            extract(page, **choices)

        once()  # what is cached is warm
        return lines_run(once)

    assert work(SIZE) > 0
    # Where a rule begins to apply in between, the next sizes tell.
    assert any(work(size * TIMES) <= LIMIT * work(size) for size in (SIZE, TIMES * SIZE))


def test_the_count_notices_quadratic_work() -> None:
    def work(n: int) -> int:
        # As the reference goes about it: a look ahead from each block.
        segments, decisions = blocks(" ".join(["S1"] * n))

        def each() -> None:
            for i in range(n):
                context_sensitive.promote(Context(segments[i:], decisions[i:], Thresholds()), decisions[i:])

        return lines_run(each)

    assert work(40 * TIMES) > LIMIT * work(40)
