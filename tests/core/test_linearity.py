"""The work grows with the page and no faster; counted in lines run, so that no clock decides."""

from __future__ import annotations

from functools import cache
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
    from collections.abc import Callable

    from scrapy_justext.core.options import Choices

pytestmark = pytest.mark.full

#: Options that have a page read in every way there is, with each profile.  Half of the profiles decide by their own
#: rules, the others write all of a page as Markdown.
CHOICES: dict[str, Choices] = {
    profile: {
        "language": "English", "profile": profile, "paths": number % 4 > 0, "markdown": True, "tree_depth": 2,
        "keep_css": "body" if number % 2 else ".x, b",
    }
    for number, profile in enumerate(PROFILES)
}  # fmt: skip

#: Characters of the smallest page.
SIZE = 128
#: The work that pages of one and four times the size take, continued in a line to 16 times, may be exceeded by so much.
SLACK = 1.25

#: So many sizes of the smallest page are tried: where a rule begins to apply between one and the next, the next has no
#: step.
SIZES = 3

PROSE = f"<p>{'It was the best of times, it was the worst of times. ' * 8}</p>"


def grows_in_a_line(work: Callable[[int], int], size: int) -> bool:
    """Return whether the work at 16 times the size is what that at one and four times it makes expect.

    What is fixed counts once, so that it hides no more than its share of quadratic work.  A step, where a rule or the
    trained model begins to judge otherwise, is no growth: from the next size on the work has to grow in a line.
    """
    counted = cache(work)
    return any(
        counted(size * 16) <= SLACK * (counted(size * 4) + 4 * max(counted(size * 4) - counted(size), 0))
        for size in (size * 4**times for times in range(SIZES))
    )


@pytest.mark.parametrize(("name", "choices"), in_turn({name: name for name in SHAPES}, CHOICES, every=4))
def test_the_lines_run_grow_in_a_line_with_the_page(name: str, choices: Choices) -> None:
    def work(size: int) -> int:
        page = SHAPES[name](size)
        if name.startswith("formulas: ") and isinstance(page, str):
            # Pages with so little text are read again; when, is not asked here.
            page = PROSE + page

        def once() -> None:
            extract(page, **choices)

        once()  # what is cached is warm
        lines = lines_run(once)
        assert lines > 0
        return lines

    assert grows_in_a_line(work, SIZE)


@pytest.mark.parametrize(
    ("step", "size", "is_linear"),
    [(None, 16, True), (1, 4, False), pytest.param(10, 16, False, marks=pytest.mark.full)],
)
def test_the_count_notices_quadratic_work(step: int | None, size: int, is_linear: bool) -> None:
    def work(n: int) -> int:
        page = "<p>One" * n
        segments, decisions = blocks(" ".join([*["hS1"] * n, "G"]))

        def each() -> None:
            extract(page, language="English")
            # As the reference goes about it: a look ahead from a block, here from each or from some.
            for i in range(0, n, step) if step else ():
                context_sensitive.promote(Context(segments[i:], decisions[i:], Thresholds()), decisions[i:])

        each()
        return lines_run(each)

    assert grows_in_a_line(work, size) == is_linear
