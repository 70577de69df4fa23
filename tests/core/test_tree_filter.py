"""The HTML-tree filter: paragraphs, their ancestors, groups, ties."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.context_sensitive import Context, number_groups, select
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import MODERN
from tests.builders import blocks, prose, tree

A = prose(250, stopwords=10)
LONG = prose(400, stopwords=10)
BAD = prose(150, stopwords=2)


def kept(html: str, **options: Any) -> str:
    """The classes of the blocks, by their first letters."""
    options = {"profile": "article", **options}
    found = extract(f"<body>{html}", stoplist=["the"], **options)
    return "".join(b.block_class.value[0] for b in found.blocks)


CASES: list[tuple[str, str, str]] = [
    ("siblings stay", f"<div><div><p>{A}<p>{A}</div></div>", "gg"),
    ("cousins stay", f"<div><div><p>{A}</div><div><p>{A}</div></div>", "gg"),
    ("second cousins do not", f"<div><div><div><p>{A}<p>{A}</div></div></div><div><div><div><p>{A}</div></div></div>",
     "ggb"),
    ("characters count, not blocks", f"<div><div><p>{A}<p>{A}</div></div><div><div><p>{LONG}{LONG}</div></div>", "bbg"),
    ("of equals the first stays", f"<div><div><p>{A}</div></div><div><div><p>{A}</div></div>", "gb"),
    ("bad blocks count in no group", f"<div><div><p>{A}</div></div><div><div><p>{BAD}<p>{BAD}</div></div>", "gbb"),
    ("a DIV beside a P is a paragraph", f"<div><div>{A}<p>{A}</p></div></div>", "gb"),
    ("inline elements count", f"<span><span><p>{A}<p>{A}</span></span><span><span><p>{LONG}</span></span>", "ggb"),
    ("a list item's paragraph is the list", f"<div><div><ul><li>{A}<li>{A}</ul><ul><li>{A}</ul></div></div>", "ggg"),
    ("a cell's paragraph is the table", f"<div><div><table><tr><td>{A}<td>{A}</table><p>{A}</div></div>", "ggg"),
    ("a quotation's is what stands around it", f"<div><section><ol><dl>{A}</dl></ol></section><p>{LONG}</div>", "bg"),
    ("few ancestors: the root", f"{A}<p>{A}", "gg"),
    ("nothing good", f"<p>{BAD}", "b"), ("nothing", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_blocks_of_the_main_group_stay(html: str, expected: str) -> None:
    assert kept(html) == expected


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, "bbbg"), (2, "ggbb"), (3, "gggb"), (4, "gggb"), (5, "gggb"), (None, "gggg")]
)
def test_the_depth_is_the_ancestor_s(depth: int | None, expected: str) -> None:
    one = f"<div><p>{A}</div>"
    article = f"<article><section>{one}{one}</section><section>{one}</section></article>"
    html = f"<main>{article}<div><div><p>{LONG}</div></div></main>"
    assert kept(html, tree_depth=depth) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_any_profile_can_end_with_the_filter(profile: str) -> None:
    one = f"<div><div><p>{A}<p>{A}</div></div>"
    two = f"<div><div><p>{A}</div></div>"
    # To a trained model these are no texts, and they are all alike: it is told to keep all.
    options = {"profile": profile, "good_probability": 0.0, "drop_repeated": False}
    assert kept(one + two, tree_depth=2, **options) == "ggb"
    assert kept(one + two, tree_depth=None, **options) == "ggg"


@pytest.mark.parametrize("profile", PROFILES)
def test_paragraphs_count_where_they_split_no_blocks(profile: str) -> None:
    # SECTION and OL are no block-level elements of the published list.
    # Trained classifiers do not take this text for content.
    options = {"profile": profile, "tree_depth": 1, "good_probability": 0.0, "drop_repeated": False}
    assert kept(f"<div><p>{A}</p><section>{A}</section></div>", **options) == "gg"
    assert kept(f"<div><p>{A}</p></div><div><img><ol>{A}</ol></div>", **options) in ("gb", "gbb")


def test_every_block_that_was_removed_says_so() -> None:
    html = f"<body><div><div><p>{A}<p>{A}</div></div><div><div><p>{A}</div></div>"
    found = extract(html, stoplist=["the"], profile="article").blocks
    assert [b.reason.endswith("; outside the main group") for b in found] == [False, False, True]
    assert found[2].reason.startswith("stop-word density")
    assert found[2].context_free_class.value == "good"


def test_the_root_is_the_one_that_was_given() -> None:
    page = tree(f"<body><div id=x><p>{A}</div><div>{LONG}</div>")
    inner = page.find(".//div[@id='x']")
    assert inner is not None
    found = extract(inner, stoplist=["the"], profile="article")
    assert [b.block_class.value for b in found.blocks] == ["good"]


def test_blocks_that_were_pinned_stay_and_count_in_no_group() -> None:
    root = tree("<body><div><div><p>1</p></div></div><div><div><p>2</p><p>3</p></div></div>")
    segments, decisions = blocks("G90 G G")
    read, flow = read_blocks(read_nodes(root), MODERN)
    segments = BlockTable(
        one._replace(begin=other.begin, end=other.end) for one, other in zip(segments, read, strict=True)
    )
    groups = number_groups(flow, segments, 2)
    assert groups == [0, 1, 1]
    context = Context(segments, decisions, Thresholds(), frozenset({0}), groups)
    assert select(context, decisions) == decisions
    alone = Context(segments, decisions, Thresholds(), frozenset(), groups)
    assert [one.block_class.value for one in select(alone, decisions)] == ["good", "bad", "bad"]
    segments, decisions = blocks("G B G")
    assert select(Context(segments, decisions, Thresholds()), decisions) == decisions


CODE = f"<div class=highlight><div><pre><code>{'x = 1; ' * 20}</code></pre></div></div>"
GROUP = f"<div><div><p>{A}</p>{CODE}</div></div>"
KINDS: list[tuple[str, str, str]] = [
    ("code in elements of its own", f"<div><div><p>{A}{CODE}<p>{A}</div></div>", "ggg"),
    ("code behind text of another group", f"<div><div><p>{A}<p>{LONG}</div></div>{GROUP}", "ggbb"),
    ("bad text between", f"<div><div><p>{A}</div></div><div><p>{BAD}</p></div>{CODE}", "gbg"),
    ("code that comes first", f"{CODE}<div><div><p>{LONG}</div></div>", "bg"),
    ("code makes its group the main one", f"{GROUP}<div><div><p>{LONG[:300]}</div></div>", "ggb"),
    ("code alone", CODE, "g"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [c[1:] for c in KINDS], ids=[c[0] for c in KINDS])
def test_code_belongs_to_the_group_of_the_text_before_it(html: str, expected: str) -> None:
    assert kept(html) == expected
    table = "<div><div><table><tr><th>one<th>two<tr><td>{0}<td>{0}</table></div></div>".format("three " * 20)
    assert kept(html.replace(CODE, table)) == expected
