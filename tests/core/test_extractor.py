"""Extractor from end to end: what comes out, what travels between processes, and what it refuses."""

import copy
import gc
import gzip
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from scrapy_justext import Block, BlockClass, Extraction, extract
from scrapy_justext.core import extraction as extraction_module
from scrapy_justext.core.blocks import Decision
from scrapy_justext.core.extraction import BLOCK_FIELDS, make_blocks
from scrapy_justext.core.extractor import Extractor, JudgedPage
from scrapy_justext.core.profiles import PROFILES
from tests.builders import DEMO_PAGES, REPOSITORY, judging, letters, page_id, prose, read_page, select

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)

GOOD = prose(201, stopwords=8)
NEAR_GOOD = prose(200, stopwords=8)
BAD = prose(300, stopwords=0)
SENTENCES = "It was the best of times, it was the worst of times, and it was the age of wisdom that we had before us. "
PAGE = f"""<html lang="en"><head><title>The page</title></head><body>
<ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul>
<h1>Of lamps</h1><p>{GOOD}</p><p>short</p><p>{NEAR_GOOD}</p><p>{BAD}</p>
<footer>© 2024</footer></body></html>"""


class TestResult:
    def test_a_page_becomes_paragraphs_of_its_blocks(self) -> None:
        extraction = extract(PAGE, language="English", url="https://example.com/")
        assert extraction.paragraphs == ["Of lamps", GOOD, "short", NEAR_GOOD]
        assert extraction.text == f"Of lamps\n\n{GOOD}\n\nshort\n\n{NEAR_GOOD}"
        assert extraction.good_characters == len(extraction.text) - 3 * len("\n\n")
        assert (extraction.title, extraction.url) == ("The page", "https://example.com/")
        assert (extraction.language, extraction.language_source) == ("en", "given")
        assert extraction.profile == "justext"
        assert not extraction.is_cut
        blocks = extract(PAGE, language="English").blocks
        assert [b.text for b in blocks] == ["Home", "News", "Of lamps", GOOD, "short", NEAR_GOOD, BAD, "© 2024"]
        assert [b.index for b in blocks] == list(range(8))
        assert letters([b.context_free_class for b in blocks]) == "B B S G S N B B"
        assert letters([b.block_class for b in blocks]) == "B B G G G G B B"
        assert [b.is_good for b in blocks] == [False, False, True, True, True, True, False, False]

    def test_a_block_carries_its_measurements(self) -> None:
        found = extract('<h2>The lamp of <b>the</b> <a href="x">man</a></h2>', stoplist=["the", "of"])
        [values] = found.block_dicts(BLOCK_FIELDS)
        assert values == {
            "text": "The lamp of the man",
            "block_class": "bad", "context_free_class": "bad",
            "reason": "short (19 < 70 characters) with link characters",
            "is_heading": True, "heading_level": 2, "tag": "h2", "link_density": 3 / 19, "stopword_density": 3 / 5,
            "word_count": 5, "characters": 19, "link_characters": 3, "tags_count": 2, "index": 0, "xpath": None,
            "dom_path": None, "image_url": None, "image_alt": None, "probability": None, "origin": "page",
            "kind": "heading", "code_language": "", "heading_path": [], "role": None, "language": None,
        }  # fmt: skip

    def test_reasons_join_the_rules_that_decided(self) -> None:
        near_good = "stop-word density 0.4 >= 0.32, only 200 <= 200 characters"
        reasons = [b.reason for b in extract(PAGE, language="English").blocks]
        assert reasons == [
            "link density 1 > 0.2", "link density 1 > 0.2",
            "heading, good block 0 characters ahead; on the good side of the nearest near-good block",
            "stop-word density 0.4 >= 0.32, 201 > 200 characters",
            "short (5 < 70 characters); between good blocks",
            f"{near_good}; in a run with 200 near-good characters",
            "stop-word density 0 < 0.3", "copyright sign",
        ]  # fmt: skip

    @pytest.mark.parametrize(("page", "profile"), list(zip(DEMO_PAGES, cycle(PROFILES), strict=False)))
    def test_it_survives_json_and_pickle(self, page: Path, profile: str) -> None:
        extraction = extract(page.read_bytes(), profile=profile, paths=True, url=page.name)
        as_dict = extraction.to_dict()
        assert json.loads(json.dumps(as_dict)) == as_dict
        assert Extraction.from_dict(json.loads(json.dumps(as_dict))) == extraction
        assert pickle.loads(pickle.dumps(extraction)) == extraction

    def test_what_has_a_default_may_be_missing_in_a_dict(self) -> None:
        values = extract("<p>The lamp of the man", stoplist=["the", "of"]).to_dict()
        [block] = values["blocks"]
        for name in ("kind", "code_language", "heading_path", "origin", "xpath"):
            del block[name]
        del values["encoding"]
        [restored] = Extraction.from_dict(values).blocks
        assert (restored.kind, restored.code_language, restored.heading_path) == ("text", "", ())
        del block["tag"]
        with pytest.raises(KeyError, match="tag"):
            Extraction.from_dict(values)

    def test_its_dict_has_the_derived_values_too(self) -> None:
        as_dict = extract(PAGE, language="English").to_dict()
        assert list(as_dict) == [
            "text", "paragraphs", "blocks", "language", "language_source", "language_reason", "profile", "title",
            "url", "is_cut", "confidence", "page_type", "page_type_probability", "is_fallback", "markdown", "html",
            "metadata", "declared_language", "encoding", "encoding_source", "encoding_reason",
        ]  # fmt: skip
        assert as_dict["text"] == extract(PAGE, language="English").text
        assert tuple(as_dict["blocks"][0]) == BLOCK_FIELDS

    def test_blocks_are_equal_by_value_and_hashable(self) -> None:
        first, second = (extract(PAGE, language="English").blocks for _ in range(2))
        assert first == second
        assert len({*first, *second}) == len(first)
        assert type(first[0]) is Block
        columns = {name: [getattr(block, name) for block in first] for name in BLOCK_FIELDS}
        assert make_blocks(columns, len(first)) == first


class TestLateBlocks:
    """Blocks are made when they are read, and their reasons and heading paths when these are."""

    @staticmethod
    def without_blocks(monkeypatch: pytest.MonkeyPatch) -> Extraction:
        """The extraction of the page, in a house where no block can be made."""

        def fail(*_: object) -> None:
            raise AssertionError("blocks are made")

        monkeypatch.setattr(extraction_module, "make_blocks", fail)
        return extract(PAGE, language="English")

    def test_no_block_is_made_for_what_is_of_the_page(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = self.without_blocks(monkeypatch)
        assert found.paragraphs == ["Of lamps", GOOD, "short", NEAR_GOOD]
        assert found.text.startswith("Of lamps")
        assert found.good_characters == 8 + 201 + 5 + 200
        assert found.column("characters")[:2] == [4, 4]
        assert found.column("reason")[0] == "link density 1 > 0.2"
        assert repr(found) == "<Extraction: 4 of 8 blocks good, en, justext>"
        assert found.to_dict()["blocks"][2]["text"] == "Of lamps"
        assert found.block_dicts(["text"], "good")[0] == {"text": "Of lamps"}
        with pytest.raises(AssertionError):
            found.blocks  # noqa: B018

    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda extraction: pickle.loads(pickle.dumps(extraction)), replace]
    )
    def test_copies_are_equal_and_hash_alike(self, copied: Callable[[Any], Any]) -> None:
        found, equal = extract(PAGE, language="English"), extract(PAGE, language="English")
        other = copied(found)
        assert other.text == found.text
        assert other == equal
        assert hash(other) == hash(equal)
        [first, *_], [same, *_] = other.blocks, equal.blocks
        assert copied(first) == first == same
        assert hash(copied(first)) == hash(same)
        assert repr(copied(first)) == repr(same)

    def test_a_column_is_the_field_of_all_blocks(self) -> None:
        found = extract(PAGE, language="English", paths=True)
        restored = Extraction.from_dict(found.to_dict())
        for name in BLOCK_FIELDS:
            values = [getattr(block, name) for block in found.blocks]
            assert found.column(name) == restored.column(name) == values
        with pytest.raises(AttributeError, match="'colour'"):
            found.column("colour")

    def test_values_are_frozen_and_have_no_other_attributes(self) -> None:
        found = extract(PAGE, language="English")
        # Blocks have fields that pages have not, and the other way round.
        for value, others in ((found, ("reason", "heading_path")), (found.blocks[0], ("blocks", "confidence"))):
            for name in ("colour", *others):
                with pytest.raises(AttributeError, match=f"'{name}'"):
                    getattr(value, name)
        extraction = extract(PAGE, language="English")
        with pytest.raises(FrozenInstanceError):
            extraction.language = "de"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            extraction.blocks[0].text = "x"  # type: ignore[misc]
        with pytest.raises((AttributeError, TypeError)):
            extraction.blocks[0].note = "x"  # type: ignore[attr-defined]

    def test_a_pickled_extraction_is_smaller_than_its_blocks_alone(self) -> None:
        found = extract(PAGE * 20, language="English")
        assert len(pickle.dumps(found)) < len(pickle.dumps(found.blocks))


@pytest.mark.full
@pytest.mark.parametrize("size", [{"paragraphs": 60_000}, {"words": 3_000_000}, {"links": 300_000}], ids=str)
def test_a_page_of_15_megabytes(size: dict[str, int]) -> None:
    body = (
        f"<p>{GOOD}</p>" * size.get("paragraphs", 0)
        + "word " * size.get("words", 0)
        + '<a href="https://example.com/a/long/path">one</a> ' * size.get("links", 0)
    )
    assert len(body) > 10_000_000
    extraction = extract(body, language="English")
    assert sum(b.characters for b in extraction.blocks) > 1_000_000
    assert not extraction.is_cut


@EVERY_PROFILE
@pytest.mark.parametrize(
    "body",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj",
        gzip.compress(PAGE.encode())[:-9], bytes(range(256)) * 40, b"just text, no markup at all",
        b"<?xml version='1.0' encoding='utf-16'?><html><p>one</p></html>",
        b'{"html": "<p>one</p>"}',
    ],
    ids=["PNG", "PDF", "truncated gzip", "every byte", "plain text", "wrong XML declaration", "JSON"],
)  # fmt: skip
def test_what_is_sent_as_html_and_is_none_is_read_all_the_same(body: bytes, profile: str) -> None:
    extraction = extract(body, profile=profile, paths=True)
    assert extraction.profile in judging(profile)
    assert json.dumps(extraction.to_dict())


FORBIDDEN = {"scrapy", "twisted", "numpy", "py3langid", "requests", "itemadapter"}


#: What is run, and which of these libraries it loads.  What declares its language and has its stop words needs no
#: detector.
DECLARING = f"extract('<html lang=en><p>' + {SENTENCES!r} * 5)"
LOADING = [
    (f"extract('<p>one', language='English'); extract(b'', stoplist=['a']); {DECLARING}", set()),
    (f"extract('<p>' + {SENTENCES!r})", {"numpy", "py3langid"}),
    ("extract('<p>x', language='English', profile='learned')", {"numpy"}),
]


@pytest.mark.parametrize(("statement", "loaded"), LOADING)
def test_the_core_and_extraction_load_no_framework_and_no_library_before_it_is_needed(
    statement: str, loaded: set[str]
) -> None:
    code = f"""
import pkgutil, sys
import scrapy_justext.core
for module in pkgutil.iter_modules(scrapy_justext.core.__path__):
    # All that it does is numpy's; it is loaded where somebody asks for it.
    if module.name != "ngrams":
        __import__("scrapy_justext.core." + module.name)
assert "scrapy_justext.core.reading" in sys.modules
assert "scrapy_justext.core.learned.model" not in sys.modules
from scrapy_justext.core.extractor import extract
{statement}
print(*sorted({FORBIDDEN!r} & {{name.split(".")[0] for name in sys.modules}}))
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, {*done.stdout.split()}, done.stderr) == (0, loaded, "")


DECIDED = Decision(BlockClass.BAD, "repeated")
LONG_TEXT = prose(250, stopwords=10)
SHORT_TEXT = "one short line"


def judged(html: str, profile: str = "justext", *, markdown: bool = False, **parameters: Any) -> JudgedPage:
    extractor = Extractor(profile=profile, stoplist=["the"], markdown=markdown, **parameters)
    return extractor.judge_page(html, url="http://example.com/")


def sent(page: JudgedPage) -> JudgedPage:
    """The page as it comes from another process."""
    copy: JudgedPage = pickle.loads(pickle.dumps(page))
    return copy


def classes_of(page: JudgedPage) -> str:
    return "".join(block.block_class.value[0] for block in page.extraction().blocks)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("page", DEMO_PAGES[::9], ids=page_id)
def test_the_copy_of_another_process_gives_the_same_extraction(page: Path, profile: str) -> None:
    extractor, html = Extractor(profile=profile, paths=True, markdown=True, tree_depth=2), read_page(page)
    original = extractor.judge_page(html)
    copy = sent(original)
    assert copy.extraction() == original.extraction() == extractor.extract(html)
    decisions = dict.fromkeys(range(0, len(original.context.segments), 2), DECIDED)
    without_markdown = [
        replace(extraction.with_decisions(decisions).extraction(), markdown="") for extraction in (copy, original)
    ]
    assert without_markdown[0] == without_markdown[1]


DECISIONS: list[tuple[str, str, str, Sequence[int], str]] = [
    ("nothing", f"<p>{LONG_TEXT}<p>{SHORT_TEXT}<p>{LONG_TEXT}", "ggg", [], "ggg"),
    ("a neighbour loses what it leaned on", f"<p>{LONG_TEXT}<p>{SHORT_TEXT}<p>{LONG_TEXT}", "ggg", [0], "bbg"),
    ("a heading loses its text", f"<h2>{SHORT_TEXT}</h2><p>{LONG_TEXT}", "gg", [1], "bb"),
    ("a heading that is decided is not rescued", f"<h2>{SHORT_TEXT}</h2><p>{LONG_TEXT}", "gg", [0], "bg"),
    ("a bad one", f"<p>{SHORT_TEXT}<p>{LONG_TEXT}", "bg", [0], "bg"),
]


@pytest.mark.parametrize(
    ("html", "before", "indices", "after"), [c[1:] for c in DECISIONS], ids=[c[0] for c in DECISIONS]
)
def test_what_is_decided_weighs_on_its_neighbours(html: str, before: str, indices: Sequence[int], after: str) -> None:
    page = judged(html)
    decided = page.with_decisions(dict.fromkeys(indices, DECIDED))
    assert (classes_of(page), classes_of(decided)) == (before, after)
    blocks = decided.extraction().blocks
    assert all(blocks[i].reason == "repeated" and blocks[i].context_free_class is BlockClass.BAD for i in indices)
    assert classes_of(page) == before


def test_the_tree_filter_is_run_again_and_the_user_s_rules_are_stronger() -> None:
    html = f"<body><div><div><p>{LONG_TEXT}{LONG_TEXT}</div></div><div><div><p>{LONG_TEXT}</div></div>"
    page = judged(html, "article")
    assert classes_of(page) == "gb"
    assert classes_of(page.with_decisions({0: DECIDED})) == "bg"
    page = judged(f"<p class=keep>{LONG_TEXT}<p>{LONG_TEXT}", keep_css=".keep")
    assert classes_of(page.with_decisions({0: DECIDED, 1: DECIDED})) == "gb"
    assert page.context.context_free[0].block_class is BlockClass.GOOD


def test_markdown_is_written_again_where_the_tree_is() -> None:
    page = judged(f"<h2>{SHORT_TEXT}</h2><p>{LONG_TEXT}<p><b>{LONG_TEXT}</b>", markdown=True)
    before = page.extraction().markdown
    assert before.startswith("## one short line")
    assert "**" in before
    markdown = page.with_decisions({2: DECIDED}).extraction().markdown
    assert markdown
    assert "**" not in markdown
    copy = sent(page)
    assert copy.extraction().markdown == before
    assert copy.with_decisions({2: DECIDED}).extraction().markdown == before


@pytest.mark.parametrize("page", DEMO_PAGES[::9], ids=page_id)
def test_blocks_that_are_made_bad_are_so_in_the_markdown_too(page: Path) -> None:
    extractor = Extractor(profile="article", stoplist=["the"], markdown=True, html=True)
    original = extractor.judge_page(read_page(page), url="http://example.com/")
    before = original.extraction()
    reasons = {i: "repeated" for i, block in enumerate(before.blocks) if block.is_good and i % 2}
    after = original.with_bad(reasons).extraction()
    names = ("block_class", "reason", "context_free_class")
    assert [after.column(name) for name in names] == [before.with_bad(reasons).column(name) for name in names]
    kept = [block.text for block in before.blocks if block.is_good and block.index not in reasons]
    assert after.paragraphs == [text for text in kept if text]
    assert len(after.markdown) < len(before.markdown) or not reasons
    assert len(after.html) < len(before.html) or not reasons


def test_texts_in_data_can_be_made_bad() -> None:
    text = "It was the best of times, and it was the worst of times. " * 6
    page = judged(f'<script type="application/ld+json">{{"articleBody": "{text}"}}</script>', "learned", markdown=True)
    [block] = page.extraction().blocks
    assert (block.origin, block.is_good, page.extraction().markdown) == ("json-ld", True, text.strip())
    extraction = page.with_bad({0: "repeated"}).extraction()
    assert (extraction.paragraphs, extraction.markdown, extraction.blocks[0].reason) == ([], "", "repeated")
    assert (block.role, extraction.blocks[0].role) == ("content", "other")


def test_an_extraction_is_short_in_a_log() -> None:
    page = f"<p>{prose(300, stopwords=10)}" * 200
    assert repr(extract(page, language="English")) == "<Extraction: 200 of 200 blocks good, en, justext>"
    named = extract("<p>Home", language="German", profile="article", url="http://example.org/")
    assert repr(named) == "<Extraction of http://example.org/: 0 of 1 blocks good, de, article>"


MODERN_PROFILES = pytest.mark.parametrize("profile", [name for name in PROFILES if "justext-" not in name])
STORY = f"<h1>Two cities</h1><p>{SENTENCES * 3}</p><p>{SENTENCES * 2}</p>"

#: Pages whose text scripts show, by how they hold it.
SHOWN_BY_SCRIPTS = {
    "streamed": f"<template id=B:0></template><p>Loading<div hidden id=S:0>{STORY}</div><div hidden>x</div>",
    "streamed in parts": f"<div hidden id=S:0><i>by me</i><template id=B:1></template></div><div hidden id=S:1>{STORY}",
    "in NOSCRIPT": f"<div>Loading</div><noscript>{STORY}</noscript>",
    "in a hidden element": f"<p>Loading</p><div id=app hidden>{STORY}</div>",
    "in a BUTTON that is not closed": f"<header><button><svg><path></button></header><article>{STORY}</article>",
    "in a TEXTAREA that is not closed": f"<p>Loading<textarea>{SENTENCES * 3}",
}


@MODERN_PROFILES
@pytest.mark.parametrize("page", SHOWN_BY_SCRIPTS.values(), ids=SHOWN_BY_SCRIPTS)
def test_text_that_scripts_show_is_found(page: str, profile: str) -> None:
    root = etree.HTML(f"<body>{page}")
    before = etree.tostring(root)
    found = extract(root, language="English", profile=profile, paths=True, markdown=True)
    assert (SENTENCES * 3).strip() in found.paragraphs
    assert (SENTENCES * 3).strip() in found.markdown
    for block in found.blocks:
        [element] = select(root, block.xpath or "")
        assert block.text[:9] in " ".join("".join(element.itertext()).split())
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("visible", "hidden", "stays"),
    [(prose(199, stopwords=8), 200, True), (prose(200, stopwords=8), 200, False), ("", 199, False), ("", 200, True)],
    ids=["next to nothing", "something", "nothing, and hidden little", "nothing"],
)
def test_hidden_text_is_read_where_a_page_shows_next_to_nothing(visible: str, hidden: int, stays: bool) -> None:
    page = f"<p>{visible}<noscript><p>{prose(hidden, stopwords=8)}</noscript>"
    assert len(extract(page, language="English").blocks) == bool(visible) + stays


def test_rules_of_the_user_s_decide_on_hidden_text_and_other_profiles_read_once() -> None:
    page = f"<noscript>{STORY}<footer class=foot>{SENTENCES * 3}</footer></noscript>"
    kept = extract(page, language="English", keep_css="h1", drop_css=".foot")
    assert letters([block.block_class for block in kept.blocks]) == "G G G B"
    page = f"<p hidden>one<noscript>{SENTENCES * 3}</noscript><button>two"
    assert [block.text for block in extract(page, profile="justext-3.0", language="English").blocks] == [
        f"one{(SENTENCES * 3).strip()}"
    ]


def test_blocks_of_which_others_were_left_out_keep_their_reasons() -> None:
    text = "It was the best of times, it was the worst of times, it was the age. " * 4
    found = extract(f"<h1>News of the age</h1><p>a<p>b<p>{text}<p>{text.replace('age', 'era')}<p>x", language="English")
    left = replace(found, blocks=found.blocks[2:5])
    expected = [(block.reason, block.heading_path) for block in left.blocks]
    for copied in (
        pickle.loads(pickle.dumps(left)),
        left.with_documents({"html": "x"}),
        Extraction.from_dict(left.to_dict()),
    ):
        assert [(block.reason, block.heading_path) for block in copied.blocks] == expected


@EVERY_PROFILE
@pytest.mark.parametrize("markdown", [False, True])
def test_a_page_is_freed_at_once(profile: str, markdown: bool) -> None:
    extractor = Extractor(profile=profile, markdown=markdown)
    rows = "".join(f"<tr><th>Row {i}<td>{i}<td>{2 * i}" for i in range(5))
    page = f"<h1>Of lamps</h1><p>{GOOD}<table>{rows}</table><pre><code>x = 1\ny = 2</code></pre><p>\\(x^2\\) {GOOD}"

    def use() -> None:
        found = extractor.extract(page)
        assert found.to_dict()
        assert found.blocks
        assert found.chunks()

    use()  # loads what stays
    gc.collect()
    gc.disable()
    try:
        use()
        assert gc.collect() == 0, "something holds itself, and waits for a garbage collection"
    finally:
        gc.enable()
