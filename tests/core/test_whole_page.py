"""The passes over a whole page: fallback, text beside, repeated text, headline, HTML-tree filter."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.blocks import BlockTable, Decision, Decisions
from scrapy_justext.core.context_sensitive import Context, heading_paths, number_groups, select
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import MODERN
from scrapy_justext.core.whole_page import (
    REPEATED_UNITS,
    TEXT_UNITS,
    drop_beside,
    drop_repeated,
    fall_back,
    fell_back,
    find_headline,
    keep_headline,
)
from tests.builders import LETTERS, blocks, classes_of, letters, make_segment, prose, tree

ONE, TWO, THREE, FOUR = (f"{word} " * 9 + word for word in ("lamp", "tree", "rain", "salt"))


def context(*blocks: tuple[str, str], title: str = "", pinned: tuple[int, ...] = (), **thresholds: Any) -> Context:
    """Blocks as pairs of class, behind the level of a heading, and text: ``("1G", "Headline")``."""
    segments, decisions = BlockTable(), []
    for notation, text in blocks:
        level = int(notation[:-1] or 0)
        segments.append(make_segment(text, tag=f"h{level}" if level else "p", heading_level=level))
        decisions.append(Decision(LETTERS[notation[-1]], "own"))
    return Context(segments, Decisions(decisions), Thresholds(**thresholds), frozenset(pinned), title=title)


def dropped(*texts: str, **options: Any) -> str:
    """The classes of good blocks after repeated ones were dropped."""
    page = context(*(("G", text) for text in texts), drop_repeated=True, **options)
    return letters(drop_repeated(page, page.context_free)).replace(" ", "")


@pytest.mark.parametrize(
    ("notation", "beside", "pinned", "expected"),
    [
        ("G100 B G50", "001", [], "G B B"),
        ("G100 G100", "00", [], "G G"),
        ("G100 S9 G50", "011", [], "G S B"),
        ("G50 G100", "01", [], "G G"),
        ("G51 G100", "01", [], "G B"),
        ("G100 G50 G50", "011", [1], "G G B"),
        ("G100 G50", "", [], "G G"),
    ],
)
def test_good_blocks_beside_the_text_are_bad(notation: str, beside: str, pinned: list[int], expected: str) -> None:
    segments, decisions = blocks(notation)
    thresholds, marks = Thresholds(drop_beside=True), bytes(map(int, beside))
    context = Context(segments, decisions, thresholds, pinned=frozenset(pinned), beside=marks)
    left = drop_beside(context, decisions)
    assert letters(left) == expected
    why = [left[i].reason for i in range(len(segments)) if left.classes[i] != decisions.classes[i]]
    assert all(reason.endswith("beside the text") for reason in why)
    assert drop_beside(replace(context, thresholds=Thresholds()), decisions) is decisions


class TestRepeated:
    @pytest.mark.parametrize(
        ("texts", "expected"),
        [
            ((f"{ONE}. {TWO}.", f"{ONE}. {TWO}."), "GB"),
            ((f"{ONE}. {TWO}", f"{ONE}? {TWO}!"), "GB"),
            ((f"{ONE}. {TWO}.", ONE, f"{ONE}. {TWO}."), "GGB"),
            ((ONE, TWO, f"{ONE}. {TWO}."), "GGB"),
            ((ONE, f"{ONE}. {TWO}."), "GB"), ((ONE, f"{ONE}. {TWO}s."), "GG"),
            ((f"{ONE}. {TWO}.", f"{THREE}. {FOUR}."), "GG"),
            ((f"{ONE}. {TWO}.", f"{ONE} {TWO}."), "GG"),
            (("x" * REPEATED_UNITS,) * 2, "GB"),
            (("x" * (REPEATED_UNITS - 1),) * 2, "GG"),
            (("銅壺" * 17,) * 2, "GB"), (("銅壺" * 16,) * 2, "GG"),
            ((f"{'銅壺' * 17}。{'燈' * 30}！",) * 2, "GB"),
        ],
    )  # fmt: skip
    def test_of_equal_texts_the_first_stays(self, texts: tuple[str, ...], expected: str) -> None:
        assert dropped(*texts) == expected

    def test_only_what_stands_is_repeated_and_by_blocks_that_nobody_chose(self) -> None:
        # The third holds one of the second's sentences, which is nowhere else.
        assert dropped(ONE, f"{ONE}. {TWO}.", f"{TWO}. {THREE}.") == "GBG"
        assert dropped(f"{ONE}. {TWO}.", f"{ONE}. {TWO}.", pinned=(1,)) == "GG"
        page = context(("B", f"{ONE}. {TWO}."), ("G", f"{ONE}. {TWO}."), drop_repeated=True)
        assert letters(drop_repeated(page, page.context_free)) == "B G"
        code = f"<pre><code>{ONE}. {TWO}.</code></pre>" * 2
        assert [b.is_good for b in extract(code, drop_repeated=True, code="keep").blocks] == [True, True]

    def test_the_reason_tells_the_share(self) -> None:
        page = context(("G", ONE), ("G", f"{ONE}. {TWO}."), drop_repeated=True)
        assert drop_repeated(page, page.context_free)[1].reason == "own; 50% of it stands further up"

    @given(st.lists(st.lists(st.sampled_from([ONE, TWO, THREE, FOUR]), min_size=2, max_size=4), max_size=8))
    def test_no_sentence_is_lost(self, page: list[list[str]]) -> None:
        texts = [f"{'. '.join(sentences)}." for sentences in page]
        kept = [sentences for sentences, letter in zip(page, dropped(*texts), strict=True) if letter == "G"]
        # At most half of a block that is dropped is new.
        for sentences in page:
            known = sum(any(sentence in others for others in kept) for sentence in sentences)
            assert known >= len(sentences) / 2


#: Blocks, the title, the index of the headline.
HEADLINES: dict[str, tuple[list[tuple[str, str]], str, int | None]] = {
    "the only H1": ([("1B", "Bridge opens"), ("G", ONE)], "", 0),
    "an H2 is none by itself": ([("2B", "Bridge opens"), ("G", ONE)], "", None),
    "two H1": ([("1B", "Bridge"), ("1B", "opens"), ("G", ONE)], "", None),
    "another H1 after the text": ([("1B", "Bridge"), ("G", ONE), ("1G", "Sea")], "", None),
    "after the text": ([("G", ONE), ("1B", "Bridge")], "Bridge", None),
    "what stands in TITLE": ([("2B", "Bridge opens"), ("G", ONE)], "Bridge opens - News", 0),
    "TITLE stands in it": ([("2B", "A bridge opens today"), ("G", ONE)], "bridge opens", 0),
    "case and marks do not count": ([("2B", "“Bridge” opens!"), ("G", ONE)], "BRIDGE OPENS | News", 0),
    "TITLE comes before H1": ([("1B", "The News"), ("2B", "Bridge opens"), ("G", ONE)], "Bridge opens", 1),
    "the longest of TITLE": ([("1B", "News"), ("2B", "Bridge opens"), ("G", ONE)], "Bridge opens - News", 1),
    "the last of equals": ([("2B", "Bridge"), ("1B", "Bridge"), ("G", ONE)], "Bridge", 1),
    "a tenth of TITLE": ([("1B", "Bridge"), ("2B", "News"), ("G", ONE)], f"News {'x' * 40}", 0),
    "three tenths of TITLE": ([("2B", "abc"), ("G", ONE)], "abc defghij", 0),
    "less": ([("2B", "abc"), ("G", ONE)], "abc defghijk", None),
    "no text": ([("1B", "Bridge"), ("B", ONE)], "Bridge", None),
    "a good heading is no text": ([("1G", "Bridge"), ("B", ONE)], "Bridge", None),
    "short good blocks before it": ([("G", "x" * (TEXT_UNITS - 1)), ("1B", "Bridge"), ("G", ONE + ONE)], "", 1),
    "a long one before it": ([("G", "x" * TEXT_UNITS), ("1B", "Bridge"), ("G", ONE)], "", None),
    "only short text": ([("1B", "Bridge"), ("G", "x")], "", 0),
    "long headings": ([("1B", "x" * 200), ("G", ONE)], "", 0),
    "longer ones": ([("1B", "x" * 201), ("G", ONE)], "", None),
    "nothing": ([], "Bridge", None),
}


class TestHeadline:
    @pytest.mark.parametrize(("blocks", "title", "expected"), HEADLINES.values(), ids=HEADLINES)
    def test_which_heading_it_is(self, blocks: list[tuple[str, str]], title: str, expected: int | None) -> None:
        page = context(*blocks, title=title, keep_headline=True)
        assert find_headline(page, page.context_free) == expected
        kept = keep_headline(page, page.context_free)
        goods = {i for i, block in enumerate(kept) if block.block_class.value == "good"}
        own = {i for i, block in enumerate(page.context_free) if block.block_class.value == "good"}
        assert goods == own | ({expected} if expected is not None else set())

    def test_without_headings_and_where_somebody_made_it_bad_there_is_none(self) -> None:
        page = context(("1B", "Bridge"), ("G", ONE), title="Bridge", pinned=(0,))
        assert find_headline(page, page.context_free) is None
        page = context(("1B", "Bridge"), ("G", ONE), no_headings=True, keep_headline=True)
        assert letters(keep_headline(page, page.context_free)) == "B G"

    @pytest.mark.parametrize("keeps", [False, True])
    def test_paths_and_markdown_name_it_in_either_case(self, keeps: bool) -> None:
        text = "It was the best of times, it was the worst of times. " * 5
        html = (
            f"<title>Bridge</title><h1>Bridge</h1><p>{'x ' * 150}</p><p>{text}</p><h2>Sea</h2><p>It is the sea. {text}"
        )
        found = extract(html, language="en", keep_headline=keeps, markdown=True)
        assert ("Bridge" in found.paragraphs) == keeps
        assert [b.heading_path for b in found.blocks] == [(), ("Bridge",), ("Bridge",), ("Bridge",), ("Bridge", "Sea")]
        assert found.markdown.startswith(f"# Bridge\n\n{text.strip()}\n\n## Sea")

    def test_it_is_above_all_that_follows_and_says_why(self) -> None:
        page = context(("1G", "A"), ("2B", "B"), ("2G", "C"), ("G", "d"), ("1G", "E"), ("G", "f"))
        paths = ["".join(path) for path in heading_paths(page.segments, page.context_free, 1)]
        assert paths == ["", "A", "AB", "ABC", "AB", "ABE"]
        page = context(("1B", "Bridge"), ("G", ONE), keep_headline=True)
        assert keep_headline(page, page.context_free)[0].reason == "own; the page's headline"


def fallen(notation: str, probabilities: list[float], floor: float | None, pinned: tuple[int, ...] = ()) -> str:
    page = context(*((letter, ONE) for letter in notation), pinned=pinned, fallback_probability=floor)
    page = Context(page.segments, page.context_free, page.thresholds, page.pinned, None, probabilities)
    decisions = fall_back(page, page.context_free)
    assert fell_back(page, decisions) == (decisions != page.context_free)
    return letters(decisions).replace(" ", "")


class TestFallback:
    @pytest.mark.parametrize(
        ("notation", "probabilities", "floor", "expected"),
        [
            ("BBB", [0.1, 0.3, 0.2], 0.3, "BGB"),
            ("BBB", [0.1, 0.3, 0.2], 0.301, "BBB"),
            ("BBB", [0.1, 0.3, 0.2], None, "BBB"),
            ("BBB", [0.3, 0.3, 0.2], 0.1, "GBB"),
            ("GBB", [0.1, 0.3, 0.2], 0.1, "GBB"),
            ("", [], 0.0, ""),
        ],
    )
    def test_the_best_block_of_a_page_without_good_ones(
        self, notation: str, probabilities: list[float], floor: float | None, expected: str
    ) -> None:
        assert fallen(notation, probabilities, floor) == expected

    def test_where_somebody_decided_on_the_best_block_there_is_none(self) -> None:
        assert fallen("BBB", [0.1, 0.9, 0.6], 0.3, pinned=(1,)) == "BBB"
        assert fallen("BBB", [0.1, 0.9, 0.6], 0.3, pinned=(0,)) == "BGB"

    def test_an_extraction_tells_it(self) -> None:
        options: dict[str, Any] = {"profile": "learned", "language": "en", "good_probability": 1.0}
        found = extract(f"<p>Home<p>{ONE}", fallback_probability=0.0, **options)
        assert (found.is_fallback, len(found.paragraphs)) == (True, 1)
        assert "the highest of a page without good blocks" in found.blocks[0].reason + found.blocks[1].reason
        assert not extract(f"<p>Home<p>{ONE}", fallback_probability=1.0, **options).is_fallback
        assert not extract(f"<p>Home<p>{ONE}", profile="learned", good_probability=0.0).is_fallback


def test_texts_without_sentences_are_repeated_by_none() -> None:
    found = extract("<p>?<p>" + "?" * 100, language="none", drop_repeated=True, length_low=0, length_high=0)
    assert len(found.blocks) == 2


def test_lines_of_a_source_do_not_count() -> None:
    for profile in PROFILES:
        page = f"<p>{SENTENCES}</p><p>x</p><p>{SENTENCES.replace(' ', chr(10))}</p>"
        options = {"profile": profile, "language": "English", "drop_repeated": True}
        reasons = [block.reason for block in extract(page, **options).blocks]  # type: ignore[arg-type]
        assert [reason.endswith("; 100% of it stands further up") for reason in reasons] == [False, False, True]


SENTENCES = "It was the best of times. It was the worst of times, and it was the age of wisdom. " * 5


A = prose(250, stopwords=10)
LONG = prose(400, stopwords=10)
BAD = prose(150, stopwords=2)


#: The classes of blocks, where the tree filter is.
kept = partial(classes_of, profile="article")


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
    block = f"<div><p>{A}</div>"
    article = f"<article><section>{block}{block}</section><section>{block}</section></article>"
    html = f"<main>{article}<div><div><p>{LONG}</div></div></main>"
    assert kept(html, tree_depth=depth) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_any_profile_can_end_with_the_filter(profile: str) -> None:
    block = f"<div><div><p>{A}<p>{A}</div></div>"
    two = f"<div><div><p>{A}</div></div>"
    # To a trained model these are no texts, and they are all alike: it is told to keep all.
    options = {"profile": profile, "good_probability": 0.0, "drop_repeated": False}
    assert kept(block + two, tree_depth=2, **options) == "ggb"
    assert kept(block + two, tree_depth=None, **options) == "ggg"


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
        segment._replace(begin=other.begin, end=other.end) for segment, other in zip(segments, read, strict=True)
    )
    groups = number_groups(flow, segments, 2)
    assert groups == [0, 1, 1]
    context = Context(segments, decisions, Thresholds(), frozenset({0}), groups)
    assert select(context, decisions) == decisions
    alone = Context(segments, decisions, Thresholds(), frozenset(), groups)
    assert [decision.block_class.value for decision in select(alone, decisions)] == ["good", "bad", "bad"]
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
