"""The context pass, every arrangement of runs, by definition; the heading passes, and the paths of headings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, BlockTable, Decision, Decisions
from scrapy_justext.core.context_sensitive import (
    MOST_IN_PATH,
    Context,
    heading_paths,
    join,
    keep_answers,
    keep_runs,
    keep_tables,
    lead,
    promote,
    resolve,
    restore,
)
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from tests.builders import LETTERS, blocks, letters, lines_run, make_segment, reference

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    assert letters(resolved(before)) == letters(by_definition([decision.block_class for decision in decisions]))


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
            cf_class=segment.block_class.value.replace("_", ""),
            class_type="",
            heading=bool(cut.heading_level) and not no_headings,
            text=cut.text,
        )
        for cut, segment in zip(segments, context_free, strict=True)
    ]
    reference().revise_paragraph_classification(paragraphs)
    assert [decision.block_class.value for decision in decisions] == [paragraph.class_type for paragraph in paragraphs]


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


PROMOTED = [
    ("right before a good block", "hS G", "N G"),
    ("200 characters before it", "hS B200 G", "N B G"),
    ("201 characters before it", "hS B201 G", "S B G"),
    ("200 characters in several blocks", "hS B100 S50 N50 G", "N B S N G"),
    ("201 characters in several blocks", "hS B100 S50 N51 G", "S B S N G"),
    ("the heading's own length does not count", "hS300 G", "N G"),
    ("the good block's length does not count", "hS G900", "N G"),
    ("no good block ahead", "G hS", "G S"),
    ("none at all", "hS B", "S B"),
    ("near-good is not good", "hS N", "S N"),
    ("no heading", "S G", "S G"),
    ("a near-good heading stays", "hN G", "N G"),
    ("a bad heading stays", "hB G", "B G"),
    ("a good heading stays", "hG G", "G G"),
    ("a good heading counts as a good block", "hS hG", "N G"),
    ("two headings in a row", "hS hS G", "N N G"),
    ("a promoted heading promotes none", "hS B150 hS B150 G", "S B N B G"),
    ("after the nearest good block the next counts", "hS G hS B201 G", "N G S B G"),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in PROMOTED], ids=[c[0] for c in PROMOTED])
def test_short_headings_near_a_good_block_become_near_good(before: str, after: str) -> None:
    segments, decisions = blocks(before)
    assert letters(promote(Context(segments, decisions, Thresholds()), decisions)) == after


# Context-free classes, classes after the context pass, classes expected.
RESTORED = [
    ("short by itself", "hS G", "hB G", "G G"),
    ("near-good by itself", "hN G", "hB G", "G G"),
    ("bad by itself", "hB G", "hB G", "B G"),
    ("no heading", "S G", "B G", "B G"),
    ("200 characters ahead", "hS B200 G", "hB B200 G", "G B G"),
    ("201 characters ahead", "hS B201 G", "hB B201 G", "B B G"),
    ("200 characters in several blocks", "hS B150 S50 G", "hB B150 B50 G", "G B B G"),
    ("201 characters in several blocks", "hS B150 S51 G", "hB B150 B51 G", "B B B G"),
    ("ahead, not behind", "G hS", "G hB", "G B"),
    ("a block that only the context made good", "hS N", "hB G", "G G"),
    ("a block that the context made bad", "hS N", "hB B", "B B"),
    ("a heading restored restores none", "hS B150 hS B150 G", "hB B150 hB B150 G", "B B G B G"),
    ("two in a row", "hS hS G", "hB hB G", "G G G"),
    ("a good one stays", "hS G", "hG G", "G G"),
    ("nothing", "", "", ""),
]


@pytest.mark.parametrize(("own", "before", "after"), [c[1:] for c in RESTORED], ids=[c[0] for c in RESTORED])
def test_headings_that_context_alone_made_bad_become_good(own: str, before: str, after: str) -> None:
    context_free = blocks(own).decisions
    segments, decisions = blocks(before)
    assert letters(restore(Context(segments, context_free, Thresholds()), decisions)) == after


@pytest.mark.parametrize(
    ("thresholds", "expected"),
    [
        ({"max_heading_distance": 0}, "S S10 G; N G"),
        ({"max_heading_distance": 9}, "S S10 G; N G"),
        ({"max_heading_distance": 10}, "N S10 G; N G"),
        ({"no_headings": True}, "S S10 G; S G"),
    ],
    ids=str,
)
def test_thresholds_decide_which_headings_count(thresholds: dict[str, Any], expected: str) -> None:
    first, second = expected.replace("10", "").split("; ")
    for notation, after in (("hS S10 G", first), ("hS G", second)):
        segments, decisions = blocks(notation)
        assert letters(promote(Context(segments, decisions, Thresholds(**thresholds)), decisions)) == after
        # The same for the pass after the context, where S is a heading made BAD.
        made_bad = Decisions(Decision(BAD if d.block_class is SHORT else d.block_class, "") for d in decisions)
        restored = restore(Context(segments, decisions, Thresholds(**thresholds)), made_bad)
        assert restored[0].block_class is (GOOD if after.startswith("N") else BAD)


def test_reasons_tell_the_distance() -> None:
    segments, decisions = blocks("hS B150 B10 G", reason="short")
    promoted = promote(Context(segments, decisions, Thresholds()), decisions)
    assert promoted[0] == Decision(NEAR_GOOD, "heading, good block 160 characters ahead")
    assert [decision.reason for decision in promoted[1:]] == ["short"] * 3


@pytest.mark.parametrize("notation", ["hN G", "hB G", "hG G", "S G", "hS B201 G"])
def test_what_is_not_promoted_keeps_its_reason(notation: str) -> None:
    segments, decisions = blocks(notation, reason="own")
    assert promote(Context(segments, decisions, Thresholds()), decisions) == decisions


pages = st.lists(
    st.tuples(st.booleans(), st.sampled_from("GNSB"), st.sampled_from([1, 50, 99, 100, 101, 199, 200, 201])),
    max_size=14,
)


@given(pages)
def test_the_passes_do_what_their_definition_says(page: list[tuple[bool, str, int]]) -> None:
    notation = " ".join(f"{'h' * heading}{letter}{length}" for heading, letter, length in page)
    segments, decisions = blocks(notation)

    def good_ahead(i: int) -> bool:
        return any(
            decisions[j].block_class is GOOD and sum(len(s.text) for s in segments[i + 1 : j]) <= 200
            for j in range(i + 1, len(segments))
        )

    own = [decision.block_class for decision in decisions]
    headings = [heading for heading, *_ in page]
    promoted = promote(Context(segments, decisions, Thresholds()), decisions)
    assert [decision.block_class for decision in promoted] == [
        NEAR_GOOD if headings[i] and c is SHORT and good_ahead(i) else c for i, c in enumerate(own)
    ]
    # Every BAD had another class of its own.
    before = Decisions([Decision(SHORT, "")] * len(own))
    restored = restore(Context(segments, before, Thresholds()), decisions)
    assert [decision.block_class for decision in restored] == [
        GOOD if headings[i] and c is BAD and good_ahead(i) else c for i, c in enumerate(own)
    ]


class CountedText(str):
    """A text that counts how often its length is asked for."""

    __slots__ = ()
    reads = 0

    def __len__(self) -> int:
        type(self).reads += 1
        return super().__len__()


@pytest.mark.parametrize("pattern", ["hS1", "hS1 B1", "hS0 S0"])
def test_the_search_for_headings_grows_with_the_page_and_no_faster(pattern: str) -> None:
    def reads(times: int) -> int:
        segments, decisions = blocks(" ".join([*[pattern] * times, "G"]))
        counted = BlockTable(segment._replace(collapsed=CountedText(segment.collapsed)) for segment in segments)
        CountedText.reads = 0
        promote(Context(counted, decisions, Thresholds()), decisions)
        return CountedText.reads

    assert 0 < reads(640) <= 80 * reads(10)


PATHS = {
    "no headings": ("G G", ["", ""]),
    "below one": ("1G G G", ["", "1", "1"]),
    "a heading is not above itself": ("1G 2G G", ["", "1", "12"]),
    "the next of the level": ("1G 2G G 2G G", ["", "1", "12", "1", "12"]),
    "a higher level": ("2G G 1G G", ["", "2", "", "1"]),
    "levels left out": ("1G 4G G 2G G", ["", "1", "14", "1", "12"]),
    "a bad heading": ("1G 2B B G", ["", "1", "1", "1"]),
    "bad blocks": ("1G B 2G B", ["", "1", "1", "12"]),
}


@pytest.mark.parametrize(("notation", "expected"), PATHS.values(), ids=PATHS)
def test_headings_above_a_block(notation: str, expected: list[str]) -> None:
    segments, decisions = BlockTable(), []
    for token in notation.split():
        level = int(token[:-1] or 0)
        segments.append(make_segment(token[:-1] or "x", tag=f"h{level}" if level else "p", heading_level=level))
        decisions.append(Decision(LETTERS[token[-1]], ""))
    assert ["".join(path) for path in heading_paths(segments, Decisions(decisions))] == expected


@pytest.mark.parametrize("length", [MOST_IN_PATH, MOST_IN_PATH + 1])
def test_a_long_heading_is_cut_in_paths(length: int) -> None:
    segments = BlockTable([make_segment("x" * length, tag="h1", heading_level=1), make_segment("y")])
    decisions = Decisions([Decision(LETTERS["G"], "")] * 2)
    [_, [text]] = heading_paths(segments, decisions)
    assert len(text) == MOST_IN_PATH
    assert text.endswith("…") == (length > MOST_IN_PATH)


def test_an_image_without_alt_is_no_heading_of_a_path() -> None:
    image = make_segment("", tag="img", heading_level=1, image_url="a.png")
    paths = heading_paths(BlockTable([image, make_segment("x")]), Decisions([Decision(LETTERS["G"], "")] * 2))
    assert paths == [(), ()]


def judged(rows: Sequence[tuple[str, dict[str, Any], float | None, str]], **thresholds: Any) -> Context:
    """A page of texts, with fields of their segments, probabilities and classes."""
    segments = [make_segment(text)._replace(**fields) for text, fields, _, _ in rows]
    decisions = Decisions([Decision(LETTERS[letter], "own") for *_, letter in rows])
    probabilities = [probability for _, _, probability, _ in rows]
    return Context(BlockTable(segments), decisions, Thresholds(**thresholds), probabilities=probabilities)


@pytest.mark.parametrize(
    ("classes", "elements", "expected"),
    [
        ("G S B", [1, 1, 2], "G N B"),
        ("B S S N B", [2, 1, 1, 1, 3], "B N N N B"),
        ("G S B", [1, 2, 2], "G S B"),
        ("G S S G", [1, 1, 2, 2], "G N N G"),
        ("S B S", [1, 1, 1], "S B S"),
        ("S S", [1, 1], "S S"),
        ("", [], ""),
    ],
)
def test_a_short_block_beside_a_longer_one_of_its_element_is_near_good(
    classes: str, elements: list[int], expected: str
) -> None:
    rows = [
        ("x", {"element": element}, None, letter) for element, letter in zip(elements, classes.split(), strict=True)
    ]
    context = judged(rows)
    joined: Decisions = join(context, context.context_free)
    assert letters(joined) == expected
    assert set(joined.reasons) <= {"own", "own; beside longer text of its element"}


@pytest.mark.parametrize(
    ("notation", "least", "expected"),
    [
        ("B N100 S9 N100 B", 200, "B G S G B"),
        ("B N100 S9 N99 B", 200, "B N S N B"),
        ("B N100 B17 N100 B", 200, "B N B N B"),
        ("B N100 B17 N200", 200, "B N B G"),
        ("B N100 B16 S9 B1 N100 B", 200, "B G B S B G B"),
        ("hN150 N100", 200, "N N"),
        ("G N100 N100 B", 200, "G G G B"),
        ("B N900 B", 0, "B N B"),
        ("S900 B", 200, "S B"),
        ("", 200, ""),
    ],
)
def test_near_good_blocks_that_are_long_together_are_good(notation: str, least: int, expected: str) -> None:
    segments, decisions = blocks(notation)
    assert letters(keep_runs(Context(segments, decisions, Thresholds(good_run=least)), decisions)) == expected


LEADS: list[tuple[str, list[tuple[str, dict[str, Any], float | None, str]], str]] = [
    ("an enumerator takes the class of what follows", [("1.", {}, None, "B"), ("one", {}, None, "G")], "G G"),
    ("also if that is bad", [("(a)", {}, None, "G"), ("one", {}, None, "B")], "B B"),
    ("one before another", [("§ 3", {}, None, "B"), ("(i)", {}, None, "B"), ("one", {}, None, "G")], "G G G"),
    ("the last block leads to none", [("one", {}, None, "G"), ("1.", {}, None, "B")], "G B"),
    ("a circled number", [("①", {}, None, "B"), ("one", {}, None, "G")], "G G"),
    ("a title with a number", [("Teil 3", {}, None, "B"), ("one", {}, None, "G")], "B G"),
    ("a number is no enumerator", [("1984.", {}, None, "B"), ("one", {}, None, "G")], "B G"),
    ("a heading in doubt", [("Noise", {"heading_level": 2}, 0.3, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a heading beyond doubt", [("Noise", {"heading_level": 2}, 0.29, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a heading that no model has seen", [("Noise", {"heading_level": 2}, None, "B"), ("one", {}, None, "G")], "B G"),
    ("H1 is left to the headline", [("Noise", {"heading_level": 1}, 0.3, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a heading before bad text", [("Noise", {"heading_level": 2}, 0.9, "G"), ("one", {}, 0.1, "B")], "G B"),
    ("a question on a button", [("Why? ▾", {"tag": "button"}, 0.2, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a question in Greek", [("Πόσο κάνει;", {"tag": "button"}, 0.2, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a semicolon", [("How much;", {"tag": "button"}, 0.2, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a question in SUMMARY", [("Why?", {"tag": "summary"}, 0.2, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a title in SUMMARY", [("Noise", {"tag": "summary"}, 0.3, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a term in DT", [("Noise", {"tag": "dt"}, 0.3, "B"), ("one", {"tag": "dd"}, 0.9, "G")], "G G"),
    ("a term that no model has seen", [("Noise", {"tag": "dt"}, None, "B"), ("one", {}, None, "G")], "B G"),
    ("a question in a heading", [("Why?", {"tag": "h3", "heading_level": 3}, 0.2, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("a question in H1", [("Why?", {"heading_level": 1}, 0.3, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a question that no model has seen", [("Why?", {"tag": "dt"}, None, "B"), ("one", {}, None, "G")], "G G"),
    ("a question before bad text", [("Why?", {"tag": "dt"}, None, "G"), ("one", {}, None, "B")], "G B"),
    ("an unlikely question", [("Why?", {"tag": "button"}, 0.19, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a question in a paragraph", [("Why?", {"tag": "p"}, 0.2, "B"), ("one", {}, 0.9, "G")], "G G"),
    ("one that no model has seen", [("Why?", {"tag": "p"}, None, "B"), ("one", {}, None, "G")], "B G"),
    ("another button", [("Send", {"tag": "button"}, 0.3, "B"), ("one", {}, 0.9, "G")], "B G"),
    ("a title behind a number", [("Art. 5", {}, 0.3, "B"), ("Noise", {}, 0.3, "B"), ("one", {}, 0.9, "G")], "G G G"),
    ("an unlikely title", [("Art. 5", {}, 0.3, "B"), ("Noise", {}, 0.29, "B"), ("one", {}, 0.9, "G")], "B B G"),
    ("a title that no model has seen", [("2.1", {}, None, "B"), ("Noise", {}, None, "B"), ("one", {}, None, "G")],
     "B B G"),
    ("a caption of a table", [("one", {"tag": "caption"}, 0.1, "B"), ("x", {"kind": "table"}, 0.9, "G")], "G G"),
    ("a caption of a bad table", [("one", {"tag": "caption"}, 0.1, "B"), ("x", {"kind": "table"}, 0.1, "B")], "B B"),
    ("a caption of a table of text", [("one", {"tag": "caption"}, 0.1, "B"), ("two", {}, 0.9, "G")], "B G"),
    ("what leads by another to good text", [("1.", {}, None, "G"), ("2.", {}, None, "B"), ("one", {}, None, "G")],
     "G G G"),
    ("what leads by another to bad text", [("1.", {}, None, "B"), ("2.", {}, None, "G"), ("one", {}, None, "B")],
     "B B B"),
    ("nothing", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), [c[1:] for c in LEADS], ids=[c[0] for c in LEADS])
def test_what_leads_to_a_block_has_its_class(
    rows: list[tuple[str, dict[str, Any], float | None, str]], expected: str
) -> None:
    context = judged(rows)
    assert letters(lead(context, context.context_free)) == expected
    pinned = Context(context.segments, context.context_free, Thresholds(), frozenset(range(len(rows))))
    assert lead(pinned, context.context_free) is context.context_free


def test_what_leads_to_blocks_is_found_in_one_pass() -> None:
    def lines(times: int) -> int:
        context = judged([("1.", {}, None, "G"), ("1.", {}, None, "B")] * times)
        return lines_run(lambda: lead(context, context.context_free).reasons)

    assert 0 < lines(640) <= 80 * lines(10)


@pytest.mark.parametrize(
    "text",
    [
        "ARTICLE 5", "Статья 5.", "Чл. 12", "Άρθρο 5", "MADDE 3 –", "Pasal 5", "Điều 7.", "المادة ٥", "סעיף 5",
        "มาตรา ๕", "5 §", "3 a §", "12. člen", "第三条", "第十二條", "第3条の2", "제3조", "제 12 조의 2",
    ],
)  # fmt: skip
def test_the_number_of_an_article_has_the_class_of_what_follows(text: str) -> None:
    context = judged([(text, {}, None, "B"), ("one", {}, None, "G")])
    assert letters(lead(context, context.context_free)) == "G G"


@pytest.mark.parametrize(
    ("tag", "text", "probabilities", "expected"),
    [
        ("button", "Why?", (0.3, 0.3), "G G"), ("dt", "Why?", (0.3, 0.3), "G G"), ("button", "Why", (0.4, 0.4), "B B"),
        ("p", "Why?", (0.4, 0.4), "B B"), ("button", "Why?", (0.29, 0.4), "B B"),
        ("button", "Why?", (0.4, 0.29), "B B"),
        ("button", "Why?", (None, None), "B B"), ("button", "Why?", (0.4,), "B"),
    ],
)  # fmt: skip
def test_a_question_and_its_answer_are_kept_in_doubt(
    tag: str, text: str, probabilities: Sequence[float | None], expected: str
) -> None:
    blocks = zip((text, "Because."), ({"tag": tag}, {}), probabilities, strict=False)
    context = judged([(*block, "B") for block in blocks])
    assert letters(keep_answers(context, context.context_free)) == expected


@pytest.mark.parametrize(
    ("length", "fields", "probability", "expected"),
    [
        (600, {}, 0.3, "G"), (599, {}, 0.3, "B"), (600, {}, 0.29, "B"), (600, {"kind": "text"}, 0.9, "B"),
        (600, {"link_characters": 540}, 0.3, "G"), (600, {"link_characters": 541}, 0.3, "B"), (600, {}, None, "B"),
    ],
)  # fmt: skip
def test_a_long_table_is_kept_in_doubt(
    length: int, fields: dict[str, Any], probability: float | None, expected: str
) -> None:
    context = judged([("x" * length, {"kind": "table", **fields}, probability, "B")])
    assert letters(keep_tables(context, context.context_free)) == expected


def test_an_enumerator_stands_before_what_it_numbers() -> None:
    page = "<p>1.<p>one<p>(a)<p>(i)<p>two<p>§ 3"
    for profile, paragraphs in (
        ("justext", ["1. one", "(a) (i) two", "§ 3"]),
        ("justext-3.0", ["1.", "one", "(a)", "(i)", "two", "§ 3"]),
    ):
        thresholds = {"length_low": 0, "length_high": 0, "stopwords_low": 0.0, "stopwords_high": 0.0}
        extraction = extract(page, profile=profile, markdown=True, html=True, **thresholds)  # type: ignore[arg-type]
        assert extraction.paragraphs == paragraphs
        assert extraction.html == "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        assert extraction.markdown.replace("\\", "") == "\n\n".join(paragraphs)


def test_an_enumerator_before_no_text_is_written_by_itself() -> None:
    prose = "It was the best of times, it was the worst of times. " * 5
    page = f"<p>{prose}<p>1.<pre><code>x = 1\ny = 2\nz = 3</code></pre><h2>2.</h2><p>{prose}<p>3.<p>{prose}"
    html = extract(page, language="English", html=True, good_run=0, code="keep").html
    assert [line[:12] for line in html.splitlines() if line[:2] != "z "][-3:] == [
        "<h2>2.</h2>",
        "<p>It was th",
        "<p>3. It was",
    ]
