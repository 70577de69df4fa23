"""The work grows with the page and no faster; counted in lines run, so that no clock decides."""

from collections.abc import Callable
from functools import cache

import pytest

from benchmarks.shapes import SHAPES
from scrapy_justext import extract
from scrapy_justext.core.options import Choices
from scrapy_justext.core.profiles import PROFILES
from tests.builders import lines_run

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


#: Each shape with three of the profiles, in turn.
CASES = [
    pytest.param(name, CHOICES[profile], id=f"{name}-{profile}")
    for number, name in enumerate(SHAPES)
    for profile in ([*CHOICES] * 2)[number % len(CHOICES) :][: len(CHOICES) : 3]
]


@pytest.mark.parametrize(("name", "choices"), CASES)
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
