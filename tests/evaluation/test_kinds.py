"""How much of code, formulas, tables and images is kept: by hand, by the published formulas, at the bounds."""

from functools import cache
from importlib.metadata import EntryPoint, EntryPoints
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_justext.evaluation import kinds, registry
from scrapy_justext.evaluation.kinds import (
    KIND_MEASURES,
    TableCell,
    TableRows,
    all_measures,
    comparisons,
    escape_text,
    read_markdown,
    whole_text,
)
from scrapy_justext.evaluation.measures import MEASURES, SNIPPET_MEASURE, Measure, score_sizes
from scrapy_justext.exceptions import ParameterError
from tests.evaluation.builders import make_document


def fence(*lines: str) -> str:
    return "\n".join(("```", *lines, "```\n"))


TABLE = "| a | b |\n|---|---|\n| c | d |\n"
IN_HTML = "<table><thead><tr><th>a<th>b<tbody><tr><td>c\n<td>d</table>\n"

# gold, retrieved, precision, recall, similarity, case
BY_HAND: dict[str, dict[str, tuple[str, str, float | None, float | None, float | None, str]]] = {
    "code": {
        "equal": (fence("a = 1"), fence("a = 1"), 1.0, 1.0, 1.0, "ok"),
        "in a longer fence, with a language": (fence("a = 1"), "~~~~python\na = 1\n~~~~", 1.0, 1.0, 1.0, "ok"),
        "indented": (fence("a = 1"), "    a = 1", 1.0, 1.0, 1.0, "ok"),
        "in HTML": (fence("a < 1"), "<pre><code>a &lt; 1</code></pre>", 1.0, 1.0, 1.0, "ok"),
        "one letter of three": (fence("abc"), fence("abd"), 2 / 3, 2 / 3, 2 / 3, "ok"),
        "the half": (fence("abcd"), fence("ab"), 1.0, 0.5, 0.5, "ok"),
        "twice as much": (fence("ab"), fence("abcd"), 0.5, 1.0, 0.5, "ok"),
        # "a", a line feed and "b"
        "one of two": (fence("a") + fence("b"), fence("b"), 1.0, 1 / 3, 1 / 3, "ok"),
        # "abc" and "bcd": a letter goes, a letter comes
        "in another line": (fence("abc"), fence("bcd"), 1 / 3, 1 / 3, 1 / 3, "ok"),
        "indentation counts": (fence("if a:", "  b"), fence("if a:", "b"), 1.0, 7 / 9, 7 / 9, "ok"),
        "what cannot be seen does not": (fence("", "a  ", "b"), fence("a", "b", " "), 1.0, 1.0, 1.0, "ok"),
        "as text": (fence("a = 1"), "a = 1", None, 0.0, 0.0, "retrieved_empty"),
        "within a line it is text": ("`a`", "a", None, None, None, "both_empty"),
        "invented": ("text", fence("text"), 0.0, None, None, "relevant_empty"),
        "another": (fence("a"), fence("b"), 0.0, 0.0, 0.0, "mismatch"),
    },
    "formulas": {
        "equal": ("See $x$.", "See $x$.", 1.0, 1.0, 1.0, "ok"),
        "white space": ("$x + 1$", "$$\nx+1\n$$", 1.0, 1.0, 1.0, "ok"),
        "numbered": ("$$\nx\n$$", "$$\nx\n$$ (1)", 1.0, 1.0, 1.0, "ok"),
        "in a table": ("$x$", "| $x$ |\n|---|\n", 1.0, 1.0, 1.0, "ok"),
        "in a table in HTML": ("| $x$ |\n|---|\n", "<table><tr><td>$x$</table>", 1.0, 1.0, 1.0, "ok"),
        "two in a cell in HTML": ("$x$ $$y$$", "<table><tr><td>a $x$, $$y$$</table>", 1.0, 1.0, 1.0, "ok"),
        "money in HTML": ("<table><tr><td>$5 and $6</table>", "a", None, None, None, "both_empty"),
        "code in HTML": (
            "<table><tr><td><pre>$a $b$</pre><code>$c$</code></table>", "a", None, None, None, "both_empty",
        ),
        "an attribute": ("<table><tr><td><img src='$x$.png'></table>", "a", None, None, None, "both_empty"),
        "one sign of three": ("$x^2$", "$x_2$", 2 / 3, 2 / 3, 2 / 3, "ok"),
        "one of two": ("$x$ and $y$", "$x$ and y", 1.0, 1 / 3, 1 / 3, "ok"),
        "signs of Markdown stay": (r"$a_1 * b_1 < \{c\}$", r"$$a_1*b_1<\{c\}$$", 1.0, 1.0, 1.0, "ok"),
        "escaped": ("$x$", r"\$x\$", None, 0.0, 0.0, "retrieved_empty"),
        "money": ("$5 and $6, 7 $ or US$ 8", "a", None, None, None, "both_empty"),
        "in code": ("`$x$`", "$x$", 0.0, None, None, "relevant_empty"),
    },
    "tables": {
        "equal": (TABLE, TABLE, 1.0, 1.0, 1.0, "ok"),
        "in pipes and in HTML": (TABLE, IN_HTML, 1.0, 1.0, 1.0, "ok"),
        # 7 nodes: a table, two rows, four cells; a row and its two cells lack
        "a row lacks": (TABLE, "| a | b |\n|---|---|\n", 1.0, 4 / 7, 4 / 7, "ok"),
        # half of the text of one cell
        "a letter of two": ("| ab |\n|---|\n", "| ax |\n|---|\n", 2.5 / 3, 2.5 / 3, 2.5 / 3, "ok"),
        # one cell of two columns, against two cells: to relabel and to insert; 6 and 7 nodes
        "a span": (
            "<table><tr><td colspan=2>a<tr><td>c<td>d</table>", "| a |  |\n|---|---|\n| c | d |\n", 5 / 7, 5 / 6,
            5 / 7, "ok",
        ),
        "one of two": ("| a |\n|---|\n\ntext\n\n| b |\n|---|\n", "| b |\n|---|\n", 1.0, 0.5, 0.5, "ok"),
        "a formula": ("| $x$ |\n|---|\n", "<table><tr><th>$x$</table>", 1.0, 1.0, 1.0, "ok"),
        "links and emphasis do not count": (TABLE, TABLE.replace("c", "[**c**](/c)"), 1.0, 1.0, 1.0, "ok"),
        "as text": (TABLE, "a b\n\nc d", None, 0.0, 0.0, "retrieved_empty"),
        "invented": ("a b", TABLE, 0.0, None, None, "relevant_empty"),
        "a tag that somebody writes about": ("The <table> tag.", "a", None, None, None, "both_empty"),
    },
    "table-text": {
        "equal": (TABLE, IN_HTML, 1.0, 1.0, 1.0, "ok"),
        # "a", tab, "b", line feed, "c", tab, "d"
        "a row lacks": (TABLE, "| a | b |\n|---|---|\n", 1.0, 3 / 7, 3 / 7, "ok"),
        "in a table": ("<table><tr><td>a<table><tr><td>b</table></table>", "| a b |\n|---|\n", 1.0, 1.0, 1.0, "ok"),
        "as text": (TABLE, "a b\n\nc d", None, 0.0, 0.0, "retrieved_empty"),
    },
    "images": {
        "equal": ("![A cat](/img/cat.png)", "![A cat](/img/cat.png)", 1.0, 1.0, 1.0, "ok"),
        "from another place": ("![](cat.png)", "![](https://example.org/img/cat.png)", 1.0, 1.0, 1.0, "ok"),
        "by their ALTs": ("![A  cat](/cat.png)", "![A cat](/small?of=cat)", 1.0, 1.0, 1.0, "ok"),
        "in HTML": ("![A cat](cat.png)", "<p><img src='cat.png'></p>", 1.0, 1.0, 1.0, "ok"),
        "one of two": ("![](a.png) ![](b.png)", "![](b.png)", 1.0, 0.5, 2 / 3, "ok"),
        "each as often as in both": ("![](a.png)", "![](a.png) ![](a.png)", 0.5, 1.0, 2 / 3, "ok"),
        "another": ("![a](a.png)", "![b](b.png)", 0.0, 0.0, 0.0, "mismatch"),
        "none": ("![a](a.png)", "a", None, 0.0, 0.0, "retrieved_empty"),
        "invented": ("a", "![a](a.png)", 0.0, None, None, "relevant_empty"),
    },
    "text": {
        "equal": ("# A *b*\n\n- [c](/c)", "**A** b\n\nc", 1.0, 1.0, 1.0, "ok"),
        "without other kinds": (f"a\n\n{fence('code')}\n{TABLE}\n$x$ ![y](y.png)", "a", 1.0, 1.0, 1.0, "ok"),
        "one letter of four": ("a bc", "a bd", 0.75, 0.75, 0.75, "ok"),
        "a comment is none": ("a <!-- b -->", "a", 1.0, 1.0, 1.0, "ok"),
        "an unknown tag swallows nothing": ("a <script> b", "a b", 1.0, 1.0, 1.0, "ok"),
        "notes": ("a[^1]\n\n[^1]: b", "a\n\nb", 1.0, 1.0, 1.0, "ok"),
        "nothing": ("a", "", None, 0.0, 0.0, "retrieved_empty"),
    },
}  # fmt: skip
CASES = {f"{name}, {case}": (name, *values) for name, cases in BY_HAND.items() for case, values in cases.items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_by_hand(case: Any) -> None:
    name, gold, retrieved, *figures, kind = case
    scores = KIND_MEASURES[name](gold, retrieved)
    assert scores[:3] == pytest.approx(figures)
    assert scores.case == kind


def test_all_measures_have_names_of_their_own() -> None:
    assert set(KIND_MEASURES) == set(BY_HAND)
    assert [*all_measures()] == [*MEASURES, SNIPPET_MEASURE.name, *KIND_MEASURES]
    assert all(name == measure.name for name, measure in all_measures().items())


OTHER = Measure("other", lambda gold, retrieved, **_: score_sizes(1, 1, 1), "Nothing.")


def test_measures_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = EntryPoints([EntryPoint("other", f"{__name__}:OTHER", "scrapy_justext.measures")])
    monkeypatch.setattr(registry, "entry_points", rows.select)
    monkeypatch.setattr(kinds, "all_measures", all_measures.__wrapped__)
    compared = list(comparisons(make_document(), "text"))
    assert [measure.name for measure, *_ in compared] == [*MEASURES, "other"]
    assert compared[-1][0]("a", "b").f1 == 1.0


def test_a_measure_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = EntryPoints([EntryPoint("broken", "no_such_module:MEASURE", "scrapy_justext.measures")])
    monkeypatch.setattr(registry, "entry_points", rows.select)
    with pytest.raises(ParameterError, match="one cannot be loaded: No module named 'no_such_module'"):
        all_measures.__wrapped__()


@pytest.mark.parametrize("name", KIND_MEASURES)
def test_pages_without_the_kind_do_not_count_and_those_that_lost_it_do(name: str) -> None:
    measure = KIND_MEASURES[name]
    assert [case for case in ("ok", "too_large", "mismatch", "retrieved_empty") if case not in measure.counted] == []
    assert [case for case in ("relevant_empty", "both_empty", "failed") if case in measure.counted] == []


# Properties.

CELLS = st.sampled_from(["", "a", "b", "ab", "a b", "abc", "x\\|y", "$z$"])
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=3)


def pipes(rows: list[list[str]]) -> str:
    width = max(map(len, rows))
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "---|" * width, *lines[1:], ""))


def in_html(rows: list[list[str]]) -> str:
    return "<table>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) for row in rows) + "</table>\n"


PIECES = st.one_of(
    st.text("ab $*_`|<&[]!\\#", max_size=12),
    st.lists(st.text("ab {}$`", max_size=6), max_size=3).map(lambda lines: fence(*lines)),
    st.text("xy^_{}\\ ", min_size=1, max_size=6).map(lambda tex: f"$${tex}$$"),
    st.sampled_from("xy").map(lambda tex: f"an ${tex}$"),
    ROWS.map(pipes),
    ROWS.map(in_html),
    st.sampled_from(["![a](a.png)", "![](b.png)", "![a]()"]),
)
DOCUMENTS = st.lists(PIECES, max_size=5).map("\n\n".join)


@pytest.mark.parametrize("name", KIND_MEASURES)
@given(gold=DOCUMENTS, retrieved=DOCUMENTS)
@settings(deadline=None)
def test_figures_are_shares_and_symmetric(name: str, gold: str, retrieved: str) -> None:
    scores, swapped = KIND_MEASURES[name](gold, retrieved), KIND_MEASURES[name](retrieved, gold)
    assert all(value is None or 0 <= value <= 1 for value in scores[:3])
    assert (scores.precision, scores.recall) == pytest.approx((swapped.recall, swapped.precision))
    if scores.case in ("ok", "mismatch"):
        assert scores.f1 == pytest.approx(swapped.f1)
    assert (scores.f1 is None) == (scores.case in ("relevant_empty", "both_empty"))


@pytest.mark.parametrize("name", KIND_MEASURES)
@given(text=DOCUMENTS)
@settings(deadline=None)
def test_what_is_the_same_is_wholly_kept(name: str, text: str) -> None:
    scores = KIND_MEASURES[name](text, text)
    assert scores[:4] in ((1.0, 1.0, 1.0, "ok"), (None, None, None, "both_empty"))


@given(ROWS)
@settings(deadline=None)
def test_tables_are_read_as_they_were_written(rows: list[list[str]]) -> None:
    # A bar is escaped in pipes only.
    plain = [[cell.replace("\\|", "/").replace("$", "") for cell in row] for row in rows]
    expected = tuple(tuple(TableCell(cell) for cell in row) for row in plain)
    assert read_markdown(in_html(plain)).tables == (expected,)
    width = max(map(len, plain))
    filled = tuple((*row, *[TableCell("")] * (width - len(row))) for row in expected)
    assert read_markdown(pipes(plain)).tables == (filled,)


@given(st.text("ab1. \n$*_`|<>&;#-+=~[]!\\()^:/\"'", max_size=60))
def test_plain_text_is_nothing_but_text(text: str) -> None:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    read = read_markdown(escape_text(text))
    assert read.text == read.whole == "\n".join(line for line in lines if line)
    assert (read.code, read.formulas, read.tables, read.images) == ((), (), (), ())


# The published formulas.


def published_edit(gold: str, retrieved: str) -> float:
    """WebMainBench's similarity of two texts, by the textbook's table."""
    row: list[int] = [*range(len(retrieved) + 1)]
    for number, letter in enumerate(gold, 1):
        before, row = row, [number]
        for place, other in enumerate(retrieved):
            row.append(min(before[place] + (letter != other), before[place + 1] + 1, row[-1] + 1))
    distance = row[-1]
    return 1 - distance / max(len(gold), len(retrieved))


@given(st.text("ab\n", min_size=1, max_size=20), st.text("abc\n", min_size=1, max_size=20))
def test_code_is_webmainbenchs(gold: str, retrieved: str) -> None:
    gold, retrieved = gold.strip("\n") or "a", retrieved.strip("\n") or "b"
    found = KIND_MEASURES["code"](fence(*gold.split("\n")), fence(*retrieved.split("\n")))
    assert found.f1 == pytest.approx(published_edit(gold, retrieved))


Tree = tuple[str, str, tuple["Tree", ...]]


def tree_of(table: TableRows) -> Tree:
    return (
        "table",
        "",
        tuple(("tr", "", tuple((f"td{cell.columns},{cell.rows}", cell.text, ()) for cell in row)) for row in table),
    )


def count(forest: tuple[Tree, ...]) -> int:
    return sum(1 + count(children) for _, _, children in forest)


@cache
def forest_distance(first: tuple[Tree, ...], second: tuple[Tree, ...]) -> float:
    """The edit distance of two forests, as the textbook defines it: by their last trees."""
    if not first or not second:
        return count(first) + count(second)
    (tag, text, inside), (other_tag, other_text, other_inside) = first[-1], second[-1]
    relabel = 1.0 if tag != other_tag else 0.0 if text == other_text else 1 - published_edit(text, other_text)
    return min(
        forest_distance(first[:-1] + inside, second) + 1,
        forest_distance(first, second[:-1] + other_inside) + 1,
        forest_distance(first[:-1], second[:-1]) + forest_distance(inside, other_inside) + relabel,
    )


@given(ROWS, ROWS, st.booleans())
@settings(deadline=None, max_examples=50)
def test_tables_are_teds(gold: list[list[str]], retrieved: list[list[str]], is_html: bool) -> None:
    texts = pipes(gold), (in_html if is_html else pipes)(retrieved)
    [first], [second] = (read_markdown(text).tables for text in texts)
    trees = (tree_of(first),), (tree_of(second),)
    expected = 1 - forest_distance(*trees) / max(map(count, trees))
    assert KIND_MEASURES["tables"](*texts).f1 == pytest.approx(expected)


# Bounds.


def grid(rows: int, columns: int, start: int = 0) -> str:
    return pipes([[str(start + row * columns + column) for column in range(columns)] for row in range(rows)])


def test_tables_above_the_bound_are_compared_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, retrieved = grid(3, 3), grid(3, 3, start=1)
    # 13 nodes each
    monkeypatch.setattr(kinds, "MOST_PAIRS", 13 * 13)
    teds = KIND_MEASURES["tables"](gold, retrieved)
    assert teds.case == "ok"
    monkeypatch.setattr(kinds, "MOST_PAIRS", 13 * 13 - 1)
    text = KIND_MEASURES["tables"](gold, retrieved)
    assert text == KIND_MEASURES["table-text"](gold, retrieved)._replace(case="too_large")
    assert text.f1 != teds.f1
    assert KIND_MEASURES["tables"](gold, gold)[2:4] == (1.0, "ok")


def test_of_huge_tables_and_long_texts_a_part_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, retrieved = grid(500, 20), grid(500, 20, start=7)
    assert KIND_MEASURES["tables"](gold, retrieved).case == "too_large"
    assert KIND_MEASURES["tables"](grid(1, 3), gold).case == "too_large"
    monkeypatch.setattr(kinds, "MOST_CHARACTERS", 4)
    assert KIND_MEASURES["text"]("abcdef", "abcd").f1 == 1.0
    assert KIND_MEASURES["text"]("abcd", "abc").f1 == 0.75


HOSTILE = {
    "dollars": "$a " * 3000, "backticks": "`" * 10_000 + "\n" + "``` " * 3000, "open tables": "<table>" * 1200,
    "cells": "<td>" * 5000, "spans": "<table><tr><td colspan=99999999999 rowspan=-1>a</table>",
    "comments": "<!--" * 5000, "notes": "[^1" * 3000, "lists": "- " * 3000 + "x", "quotes": "> " * 3000 + "x",
    "lone surrogates": "a \ud800 b\0c",
    "attributes": "<table><tr><td>" + "<td <a " * 9000 + ">" + "<img src=1 src=2" + " src=3" * 9000 + ">",
    "dollars in HTML": "<table><tr><td>" + "$a " * 3000, "tags without an end": "<table><tr><td>" + "<a <b " * 20_000,
    "TeX with HTML": "$</tex><table><tr><td>a</table>$",
}  # fmt: skip


@pytest.mark.parametrize(("text", "name"), list(zip(HOSTILE.values(), cycle(KIND_MEASURES), strict=False)), ids=HOSTILE)
def test_hostile_markdown_is_read(text: str, name: str) -> None:
    cases = ("ok", "mismatch", "retrieved_empty", "both_empty", "relevant_empty")
    assert KIND_MEASURES[name](text, "a").case in cases


def test_formulas_with_html_in_them_are_formulas() -> None:
    read = read_markdown(HOSTILE["TeX with HTML"])
    assert read.formulas == ("</tex><table><tr><td>a</table>",)
    assert not read.tables


# What is compared.


def test_measures_of_texts_get_the_texts_of_both() -> None:
    gold = "# A\n\n" + fence("b c") + TABLE
    compared = list(comparisons(make_document(gold=whole_text(gold), markdown=gold), "**A** d"))
    assert [measure.name for measure, *_ in compared] == [*MEASURES, *KIND_MEASURES]
    assert {(gold_side, retrieved) for _, gold_side, retrieved in compared[: len(MEASURES)]} == {
        ("A\nb c\na\nb\nc\nd", "A d")
    }
    assert {(gold_side, retrieved) for _, gold_side, retrieved in compared[len(MEASURES) :]} == {(gold, "**A** d")}


def test_plain_gold_is_compared_as_it_is() -> None:
    compared = list(comparisons(make_document(gold="*a*"), "**a**"))
    assert compared == [(measure, "*a*", "**a**") for measure in MEASURES.values()]
