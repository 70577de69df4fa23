"""Features: their table, their values on pages made by hand, their meaning in other scripts, the names of elements."""

import numpy as np
import pytest
from lxml import etree

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.learned.characters import TextMeasurer
from scrapy_justext.core.learned.features import compute, transform
from scrapy_justext.core.learned.table import FEATURES, NAMES, NUMBERS
from scrapy_justext.core.learned.tree import read_elements, word_bits
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import LENIENT, MODERN
from tests.builders import CORPORA, corpus_pages, lines_run, read_page, tree
from tests.core.learned.pages import COLUMNS, PROSE, SENTENCES, column, computed, features_of

PAGE = (
    "<head><title>Old Harbour - News</title></head><body><nav id=topMenu><a href=/>Home</a></nav>"
    f"<main><div class=post-content><h1>Old Harbour</h1><p>{PROSE}<p>{PROSE}</div></main>"
    "<footer><p>© 2024, all rights reserved</footer>"
)

#: Text, code, text, a table of data, text: code and table are long and close a sentence each.
KINDS = (
    f"<p>{PROSE}<pre><code>print(1)  # {PROSE}</code></pre><p>Then:"
    f"<table><tr><th>Ship<th>Day<tr><td>Alba<td>{PROSE}</table><p>{PROSE}"
)

CASES: list[tuple[str, str, list[float]]] = [
    ("link_density", PAGE, [1, 0, 0, 0, 0]),
    ("link_units", PAGE, [4, 0, 0, 0, 0]),
    ("copyrights", PAGE, [0, 0, 0, 0, 1]),
    ("is_sentence_like", PAGE, [0, 0, 1, 1, 0]),
    ("heading_level", PAGE, [0, 1, 0, 0, 0]),
    ("in_title", PAGE, [0, 1, 0, 0, 0]),
    ("repeats", PAGE, [1, 1, 2, 2, 1]),
    ("is_repeated", PAGE, [0, 0, 0, 1, 0]),
    ("index_share", PAGE, [0, 0.2, 0.4, 0.6, 0.8]),
    ("before_prose", PAGE, [1, 1, 0, 0, 0]),
    ("after_prose", PAGE, [0, 0, 0, 0, 1]),
    ("prose_before", PAGE, [0, 0, 0, 0.5, 1]),
    ("from_h1", PAGE, [-10, 0, 1, 2, 3]),
    ("depth", PAGE, [2, 4, 4, 4, 3]),
    ("prose_share_0", PAGE, [0, 0, 0.5, 0.5, 0]),
    ("prose_share_1", PAGE, [1, 1, 1, 1, 1]),
    ("blocks_1", PAGE, [5, 3, 3, 3, 5]),
    ("alike_0", PAGE, [1, 1, 2, 2, 1]), ("ends_-1", PAGE, [0, 0, 0, 1, 1]), ("ends_+1", PAGE, [0, 1, 1, 0, 0]),
    ("same_parent_+1", PAGE, [0, 1, 1, 0, 0]),
    ("is_heading_-2", PAGE, [0, 0, 0, 1, 0]),
    ("is_code", KINDS, [0, 1, 0, 0, 0]),
    ("is_table", KINDS, [0, 0, 0, 1, 0]),
    ("is_code_or_table_+1", KINDS, [1, 0, 1, 0, 0]),
    ("is_code_or_table_-2", KINDS, [0, 0, 0, 1, 0]),
    ("own_P", PAGE, [0, 0, 1, 1, 1]),
    ("inside_NAV", PAGE, [1, 0, 0, 0, 0]),
    ("inside_menu", PAGE, [1, 0, 0, 0, 0]),
    ("inside_content", PAGE, [0, 1, 1, 1, 0]),
    ("inside_post", PAGE, [0, 1, 1, 1, 0]),
    ("inside_FOOTER", PAGE, [0, 0, 0, 0, 1]),
    ("inside_not shown", "<p>a<div hidden><p>b</div>", [0, 1]),
    ("inside_not displayed", "<p>a<div class=tab-pane style='color: red; display:none'>b</div>", [0, 1]),
    ("inside_not read out", "<p aria-hidden=true>a<p aria-hidden=false>b", [1, 0]),
    ("inside_NOSCRIPT", "<p>a<noscript><p>b</noscript>", [0, 1]),
    *(("own_comment", f"<p>a<p {name}=comments>b", [0.0, 1.0]) for name in ("id", "role", "itemprop")),
    ("inside_comment", "<span class=comments><div>a</div><div>b</div></span><p>c", [1, 1, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "page", "values"), CASES, ids=[case[0] for case in CASES])
def test_a_feature_is_what_its_row_says(name: str, page: str, values: list[float]) -> None:
    assert column(page, name) == values


@pytest.mark.parametrize(
    ("kind", "expected"), [("code", [1, 0, 0]), ("formula", [1, 0, 0]), ("table", [0, 1, 0]), ("quote", [0, 0, 1])]
)
def test_code_formulas_and_tables_are_no_sentences(kind: str, expected: list[float]) -> None:
    segments, flow = read_blocks(read_nodes(tree(f"<p>{PROSE}")), LENIENT)
    found = compute(BlockTable([segments[0]._replace(kind=kind)]), flow, "").rows()[0]
    assert [found[COLUMNS[name]] for name in ("is_code", "is_table", "is_sentence_like")] == expected


def test_every_feature_has_a_name_of_its_own_and_a_meaning() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    assert all(feature.meaning and "{" not in feature.meaning for feature in FEATURES)


def test_flags_are_flags_and_all_is_finite_also_without_blocks() -> None:
    found = features_of(PAGE)
    flags = found[:, [feature.is_flag for feature in FEATURES]]
    assert set(np.unique(flags)) == {0, 1}
    assert np.isfinite(found).all()
    assert compute(*read_blocks(read_nodes(etree.Element("html")), LENIENT), "").rows().shape == (0, len(FEATURES))


def test_numbers_are_squeezed_for_a_model_and_flags_are_not() -> None:
    numbers = np.array([np.e - 1, 1 - np.e, 0], np.float32)
    before = numbers.copy()
    assert transform(numbers) == pytest.approx([1, -1, 0])
    assert (numbers == before).all()
    features = computed(PAGE)
    inputs, rows = features.inputs(), features.rows()
    assert inputs[:, : len(NUMBERS)] == pytest.approx(transform(rows[:, : len(NUMBERS)]))
    assert (inputs[:, len(NUMBERS) :] == rows[:, len(NUMBERS) :]).all()


@pytest.mark.parametrize("language", SENTENCES)
def test_running_text_is_sentence_like_in_every_script(language: str) -> None:
    text = SENTENCES[language]
    assert column(f"<p>{text}<p><a href=x>{text}</a><p>{text[:12]}", "is_sentence_like") == [1, 0, 0]


@pytest.mark.skipif(not CORPORA.is_dir(), reason="no labelled pages beside the checkout")
def test_all_is_finite_on_real_pages() -> None:
    for page in corpus_pages(97):
        assert np.isfinite(features_of(read_page(page))).all(), page


@pytest.mark.parametrize("part", ["<b>one<p>two</p>", "<div><span><p>one", "<p>one</p>"])
def test_the_work_grows_with_the_page_and_no_faster(part: str) -> None:
    def work(n: int) -> int:
        return lines_run(lambda: features_of("<body>" + part * n))

    work(1)
    assert work(16 * 40) <= 20 * work(40)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_has_about_as_many_units_and_words_everywhere(language: str) -> None:
    found = TextMeasurer()
    found.measure(SENTENCES[language])
    assert 70 <= found.units <= 150
    assert 11 <= found.words <= 26
    assert found.ends >= 0.7


@pytest.mark.parametrize(
    ("text", "ends"), [("version 3.14", 0), ("Wait...", 1), ("He said: “Go.”", 1), ("Why?", 1), ("x", 0), ("a.b.c", 0)]
)
def test_only_ends_of_sentences_count(text: str, ends: int) -> None:
    found = TextMeasurer()
    found.measure(text)
    assert (found.ends, found.ends_sentence) == (ends, ends)


def names_in(value: str) -> set[str]:
    bits = word_bits(value)
    return {name for position, name in enumerate(NAMES) if bits >> position & 1}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("header-ad", {"header", "ad"}), ("loading", {"error"}),
        ("postContent", {"post", "content"}),
        ("ADS", {"ad"}), ("x-1 42", set()), ("leftSidebar", {"sidebar"}),
        ("responses respond", {"reply"}), ("responsive", set()),
    ],
)  # fmt: skip
def test_words_are_found_in_the_parts_of_a_value(value: str, expected: set[str]) -> None:
    assert names_in(value) == expected


@pytest.mark.parametrize("attribute", ["class", "id", "role", "itemprop", "style"])
def test_of_long_values_only_the_beginning_is_read_and_kept(attribute: str) -> None:
    before = word_bits.cache_info().currsize
    values = [f"sidebar display: none {'x' * length} footer visibility: hidden" for length in (1_000_000, 2_000_000)]
    first, second, beginning = (
        read_elements(read_blocks(read_nodes(etree.Element("p", {attribute: value})), MODERN)[1])
        for value in (*values, "sidebar display: none")
    )
    assert first.sets == second.sets == beginning.sets
    assert word_bits.cache_info().currsize <= before + 2
