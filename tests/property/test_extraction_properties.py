"""What holds for every page there is."""

import json
import pickle
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext import Extraction, JustextError, extract
from scrapy_justext.core.blocks import BAD, GOOD, SHORT, Decision, Decisions
from scrapy_justext.core.context_sensitive import Context
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.nodes import Nodes
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import LENIENT, MODERN, REFERENCE, SET_ASIDE, TagRules, is_hidden, is_set_aside
from scrapy_justext.core.reading.shown import as_shown
from scrapy_justext.core.text import as_seen
from tests.builders import RULES, all_text, ancestors_and_self, judging, select
from tests.property.strategies import bodies, byte_strings, pages, soups, strings

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)
ALL_RULES = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)

#: What passes over a whole page say where they change what a block is by itself.
BY_THE_PAGE = (
    "outside the main group", "further up", "the page's headline", "of a page without good blocks",
    "as the block that it leads to",
)  # fmt: skip
densities = st.floats(0, 1)
thresholds = st.fixed_dictionaries(
    {},
    optional={
        "length_low": st.integers(0, 70),
        "length_high": st.integers(70, 300),
        "stopwords_low": st.floats(0, 0.3),
        "stopwords_high": st.floats(0.32, 1),
        "max_link_density": densities,
        "max_heading_distance": st.integers(0, 500),
        "no_headings": st.booleans(),
        "no_headlines": st.booleans(),
        "rescue_images": st.booleans(),
        "tree_depth": st.none() | st.integers(1, 5),
        "drop_repeated": st.booleans(),
        "keep_headline": st.booleans(),
    },
)


def whole(root: etree._Element) -> bool:
    """Whether the parser made one root element (it makes more of what follows ``</html>``)."""
    return not [element for element in root.itersiblings() if isinstance(element.tag, str)]


def check_extraction(extraction: Extraction, profile: str) -> None:
    for index, block in enumerate(extraction.blocks):
        assert block.index == index
        assert block.text.strip() or block.image_url is not None
        assert block.characters == len(" ".join(block.text.split())) or profile == "justext-3.0"
        assert block.word_count == len(block.text.split())
        assert (block.tag == "img") == (block.image_url is not None)
        assert 0 <= block.stopword_density <= 1
        assert 0 <= block.link_characters <= block.characters or profile == "justext-3.0"
        assert block.link_density == (block.link_characters / block.characters if block.characters else 0)
        assert block.is_heading == (block.heading_level > 0)
        assert block.reason
        # No SHORT or NEAR_GOOD survives, and what was decided by itself stays so.
        assert block.block_class in {GOOD, BAD}
        if block.context_free_class in {GOOD, BAD} and block.image_url is None:
            assert block.block_class is block.context_free_class or any(
                segment in block.reason for segment in BY_THE_PAGE
            )
    assert extraction.text == "\n\n".join(b.text for b in extraction.blocks if b.block_class is GOOD and b.text)
    assert extraction.profile in judging(profile)


@EVERY_PROFILE
@given(page=pages, tuned=thresholds)
@example(page="", tuned={})
@example(page="\0\ud800<", tuned={"length_low": 0, "stopwords_low": 0})
def test_any_text_gives_a_decided_extraction(profile: str, page: str, tuned: dict[str, Any]) -> None:
    check_extraction(extract(page, language="English", profile=profile, **tuned), profile)


@EVERY_PROFILE
@given(page=byte_strings, encoding=st.none() | st.sampled_from(["utf-8", "cp1252", "utf-16", "x-none", "koi8-r"]))
def test_any_bytes_give_an_extraction_or_an_error_of_ours(profile: str, page: bytes, encoding: str | None) -> None:
    try:
        extraction = extract(page, language="English", profile=profile, encoding=encoding)
    except JustextError:
        assert encoding == "x-none"
    else:
        assert encoding != "x-none"
        check_extraction(extraction, profile)


@given(page=st.binary(max_size=300) | strings | soups)
def test_any_page_has_a_language(page: str | bytes) -> None:
    extraction = extract(page)
    assert extraction.language
    assert extraction.language_source in {"detected", "declared", "fallback"}
    assert extraction.language_reason


@EVERY_PROFILE
@given(page=pages)
def test_an_extraction_is_plain_data(profile: str, page: str) -> None:
    extraction = extract(page, language="English", profile=profile, url="https://example.com/")
    as_dict = extraction.to_dict()
    assert json.loads(json.dumps(as_dict).encode()) == as_dict
    assert json.dumps(as_dict, ensure_ascii=False).encode()
    assert pickle.loads(pickle.dumps(extraction)) == extraction


@EVERY_PROFILE
@given(page=bodies | soups)
def test_an_extraction_is_the_same_from_text_bytes_and_tree(profile: str, page: str) -> None:
    assume(not any("\ud800" <= character <= "\udfff" for character in page))
    # A declaration would be believed of bytes alone.
    page = page.replace("utf-16", "utf-8")
    first = extract(page, language="English", profile=profile)
    assert extract(page.encode(), language="English", profile=profile) == first
    root = parse_html(page).root
    if root is not None:
        assert extract(root, language="English", profile=profile) == first


@ALL_RULES
@given(page=bodies | soups)
def test_a_tree_is_left_as_it_was(rules: TagRules, page: str) -> None:
    root = parse_html(page).root
    assume(root is not None)
    assert root is not None
    before = etree.tostring(root.getroottree())
    segments = read_tree(root, rules)
    assert etree.tostring(root.getroottree()) == before
    assert all(segment.text.strip() or segment.image_url is not None for segment in segments)


@pytest.mark.parametrize("rules", [MODERN, LENIENT, REFERENCE], ids=["modern", "lenient", "reference"])
@given(page=bodies | soups)
def test_no_visible_character_is_lost_or_made_up(rules: TagRules, page: str) -> None:
    # Formulas are TeX, not text; those of elements are left out below.
    page = page.replace("$", "S").replace("\\", "/")
    root = parse_html(page).root
    assume(root is not None)
    assert root is not None
    found = "".join("".join(segment.without_formulas().split()) for segment in read_tree(root, rules))
    read = read_nodes(root)
    expected = "".join(shown(as_shown(read) if rules.hidden else read, 0, rules, is_kept=False).split())
    if rules.kinds:
        expected = as_seen(expected)
    # What is raised or lowered has characters of its own.
    assert normalize("NFKC", found) == normalize("NFKC", expected)


def shown(page: Nodes, node: int, rules: TagRules, *, is_kept: bool) -> str:
    """The text in a node without what is removed; ``is_kept``: inside of what keeps some elements."""
    if page.tag[node] < 0 and node:
        return ""
    name = page.name(node)
    rows = [row for row in rules.removed if row.name == name]
    if any(not (row.kept_inside and is_kept) and (row.where is None or row.where(page, node)) for row in rows):
        return ""
    if is_hidden(page, node, rules.hidden) or (rules.kinds and name == "math"):
        return ""
    if rules.kinds and page.signs[node] & SET_ASIDE and is_set_aside(page, node):
        return ""
    is_kept = is_kept or name in rules.keeping
    parts = [page.text(node)]
    inside = node + 1
    while inside < page.end[node]:
        parts += [shown(page, inside, rules, is_kept=is_kept), page.tail(inside)]
        inside = page.end[inside]
    return "".join(parts)


@EVERY_PROFILE
@given(page=bodies | soups)
def test_xpaths_select_the_block_s_element(profile: str, page: str) -> None:
    root = parse_html(page).root
    assume(root is not None)
    assert root is not None
    assume(whole(root))
    # See test_select_in_a_name_is_no_place.
    assume("selectors" not in page)
    # The text of a formula is TeX.
    assume(not any(sign in page for sign in ("<math", "$", "\\")))
    for block in extract(root, language="English", profile=profile, paths=True).blocks:
        [element] = select(root, str(block.xpath))
        assert element.tag == block.tag
        assert block.dom_path == ".".join(str(above.tag) for above in ancestors_and_self(element))
        characters = iter(all_text(element) if block.image_url is None else element.get("alt", ""))
        assert all(c in characters for c in block.text if not c.isspace() and c != "\ufffd")


page_of_blocks = st.lists(
    st.sampled_from(
        ["<p>one</p>", f"<p>{'the lamp ' * 9}</p>", f"<p>{'the lamp ' * 40}</p>", f"<p>{'lamp ' * 40}</p>"]
    ),
    max_size=20,
)


# Boilerpipe's classifier looks at what stands before a block in another way than at what comes after.
@pytest.mark.parametrize("profile", [name for name, profile in PROFILES.items() if profile.by_stopwords])
@given(parts=page_of_blocks)
def test_without_headings_the_passes_commute_with_reversal(profile: str, parts: list[str]) -> None:
    def classes(parts: list[str]) -> list[str]:
        found = extract("<body>" + "".join(parts), stoplist=["the"], profile=profile)
        return [b.block_class.value for b in found.blocks]

    assert classes(parts) == classes(parts[::-1])[::-1]
    assert len(classes(parts)) == len(parts)


@given(parts=page_of_blocks)
def test_the_passes_take_decisions_and_give_as_many(parts: list[str]) -> None:
    root = parse_html("<body>" + "".join(parts)).root
    assert root is not None
    segments = read_tree(root, MODERN)
    decisions = Decisions([Decision(SHORT, "x")] * len(segments))
    for profile in PROFILES.values():
        for apply in profile.passes:
            assert len(apply(Context(segments, decisions, Thresholds()), decisions)) == len(segments)


@settings(max_examples=30)
@given(page=bodies, depth=st.integers(0, 300))
def test_depth_changes_nothing(page: str, depth: int) -> None:
    # Elements that may not stand anywhere would be moved by the parser.
    assume(not any(f"<{tag}" in page for tag in ("html", "body", "head", "frameset", "plaintext", "o:p")))

    def texts_of(html: str) -> list[str]:
        return [b.text for b in extract(html, language="English").blocks]

    assert texts_of(f"<body>{'<div>' * depth}{page}") == texts_of(f"<body><div>{page}")
