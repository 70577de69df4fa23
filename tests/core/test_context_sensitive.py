"""The context pass: every arrangement of runs, and a slow implementation by definition."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core import context_sensitive
from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decisions
from scrapy_justext.core.context_sensitive import Context, resolve
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from tests.builders import blocks, letters, lines_run, reference

CASES = [
    ("nothing", "", ""),
    ("decided blocks stay", "G B G G B B", "G B G G B B"),
    ("between two good", "G S N S G", "G G G G G"),
    ("short only between two good", "G S S G", "G G G G"),
    ("near-good only between two good", "G N N G", "G G G G"),
    ("between two bad", "B S N S B", "B B B B B"),
    ("near-good only between two bad", "B N N B", "B B B B"),
    ("short only beside a bad block ahead", "G S S B", "G B B B"),
    ("short only beside a bad block behind", "B S S G", "B B B G"),
    ("near-good beside a bad block ahead", "G N B", "G G B"),
    ("near-good beside a bad block behind", "B N G", "B G G"),
    ("border before a bad block", "G S N S B", "G G G B B"),
    ("border after a bad block", "B S N S G", "B B G G G"),
    ("of two near-good the nearer to the bad block ahead", "G S N S N S S B", "G G G G G B B B"),
    ("of two near-good the nearer to the bad block behind", "B S S N S N S G", "B B B G G G G G"),
    ("border right at the bad block ahead", "G S S N B", "G G G G B"),
    ("border right at the bad block behind", "B N S S G", "B G G G G"),
    ("border right at the good block", "G N S S B", "G G B B B"),
    ("the end is bad", "G S N S", "G G G B"),
    ("the start is bad", "S N S G", "B G G G"),
    ("the end is bad, short only", "G S S", "G B B"),
    ("the start is bad, short only", "S S G", "B B G"),
    ("nothing decided on the page", "S N N S", "B B B B"),
    ("one near-good block alone", "N", "B"),
    ("one short block alone", "S", "B"),
    ("one good block alone", "G", "G"),
    ("each run by itself", "G N B S G N S G N", "G G B B G G G G G"),
]


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_undecided_blocks_take_after_their_neighbours(before: str, after: str) -> None:
    assert letters(resolved(before)) == after


@pytest.mark.parametrize(
    ("before", "reasons"),
    [
        ("G S G", ["own", "own; between good blocks", "own"]),
        ("B N B", ["own", "own; between bad blocks", "own"]),
        ("S", ["own; between bad blocks"]),
        ("G S B", ["own", "own; beside a bad block, no near-good one in between", "own"]),
        ("G S N S B", ["own", *["own; on the good side of the nearest near-good block"] * 2,
         "own; on the bad side of the nearest near-good block", "own"]),
    ],
)  # fmt: skip
def test_reasons_say_which_neighbours_decided(before: str, reasons: list[str]) -> None:
    segments, decisions = blocks(before, reason="own")
    resolved = resolve(Context(segments, decisions, Thresholds()), decisions)
    assert [decision.reason for decision in resolved] == reasons


classes = st.lists(st.sampled_from("GNSB"), max_size=40).map(" ".join)
undecided_runs = st.lists(st.sampled_from(["G", "B", "S", "S", "S", "N", "N"]), max_size=30).map(" ".join)


@given(classes | undecided_runs)
def test_the_pass_does_what_its_definition_says(before: str) -> None:
    decisions = blocks(before).decisions
    assert letters(resolved(before)) == letters(by_definition([one.block_class for one in decisions]))


@given(classes | undecided_runs)
def test_only_good_and_bad_are_left_and_what_was_so_stays(before: str) -> None:
    after = letters(resolved(before)).split()
    assert set(after) <= {"G", "B"}
    pairs = list(zip(before.split(), after, strict=True))
    assert [new for old, new in pairs if old in "GB"] == [old for old, new in pairs if old in "GB"]


@given(classes | undecided_runs)
def test_the_pass_commutes_with_reversal(before: str) -> None:
    backwards = " ".join(reversed(before.split()))
    assert letters(resolved(backwards)) == letters(resolved(before)[::-1])


rows = st.lists(
    st.tuples(st.sampled_from("GNSB"), st.booleans(), st.sampled_from([1, 60, 69, 99, 100, 101, 199, 200, 201])),
    max_size=14,
)


@given(rows, st.booleans())
def test_the_passes_of_justext_3_do_what_the_reference_does(
    page: list[tuple[str, bool, int]], no_headings: bool
) -> None:
    notation = " ".join(f"{'h' * heading}{letter}{length}" for letter, heading, length in page)
    segments, context_free = blocks(notation)
    thresholds = Thresholds(no_headings=no_headings)
    decisions = context_free
    for apply in PROFILES["justext-3.0"].passes:
        decisions = apply(Context(segments, context_free, thresholds), decisions)

    paragraphs = [
        SimpleNamespace(
            cf_class=one.block_class.value.replace("_", ""),
            class_type="",
            heading=bool(cut.heading_level) and not no_headings,
            text=cut.text,
        )
        for cut, one in zip(segments, context_free, strict=True)
    ]
    reference().revise_paragraph_classification(paragraphs)
    assert [one.block_class.value for one in decisions] == [one.class_type for one in paragraphs]


def test_justext_3_has_no_heading_pre_pass() -> None:
    assert context_sensitive.promote not in PROFILES["justext-3.0"].passes
    assert context_sensitive.promote in PROFILES["justext"].passes


@pytest.mark.parametrize("pattern", ["S", "N", "S N", "G S", "G S S S S S S S B", "S S S S S S N B S"])
def test_the_work_grows_with_the_page_and_no_faster(pattern: str) -> None:
    def lines(times: int) -> int:
        segments, decisions = blocks(" ".join([pattern] * times))
        return lines_run(lambda: resolve(Context(segments, decisions, Thresholds()), decisions).reasons)

    assert 0 < lines(640) <= 80 * lines(10)


def resolved(notation: str) -> Decisions:
    segments, decisions = blocks(notation)
    return resolve(Context(segments, decisions, Thresholds()), decisions)


def by_definition(classes: list[BlockClass]) -> list[BlockClass]:
    """Algorithm.md, section 4, word for word; quadratic."""

    def side(i: int, step: int) -> BlockClass:
        i += step
        while 0 <= i < len(classes) and classes[i] in {SHORT, NEAR_GOOD}:
            i += step
        return classes[i] if 0 <= i < len(classes) else BAD

    def near_good_towards(i: int, step: int) -> bool:
        while 0 <= i < len(classes) and classes[i] in {SHORT, NEAR_GOOD}:
            if classes[i] is NEAR_GOOD:
                return True
            i += step
        return False

    found = []
    for i, block_class in enumerate(classes):
        before, after = side(i, -1), side(i, 1)
        if block_class in {GOOD, BAD}:
            found.append(block_class)
        elif before is after:
            found.append(before)
        else:
            towards_bad = -1 if before is BAD else 1
            found.append(GOOD if near_good_towards(i, towards_bad) else BAD)
    return found
