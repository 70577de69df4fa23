"""extract() from end to end: what comes out, by which parameters, and what it refuses."""

from __future__ import annotations

import gzip
import json
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

import scrapy_justext
from scrapy_justext import Block, BlockClass, Extraction, JustextError, extract
from scrapy_justext.core.blocks import make_blocks
from scrapy_justext.core.extractor import BLOCK_FIELDS, blocks_to_dicts
from scrapy_justext.core.parameters import PARAMETERS, Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import ParameterError, UnknownNameError
from tests.builders import CORPORA, DEMO_PAGES, REPOSITORY, corpus_pages, letters, page_id, prose, read_page

if TYPE_CHECKING:
    from pathlib import Path

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)

GOOD = prose(201, stopwords=8)
NEAR_GOOD = prose(200, stopwords=8)
BAD = prose(300, stopwords=0)
PAGE = f"""<html lang="en"><head><title>The page</title></head><body>
<ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul>
<h1>Of lamps</h1><p>{GOOD}</p><p>short</p><p>{NEAR_GOOD}</p><p>{BAD}</p>
<footer>© 2024</footer></body></html>"""


def classes(page: str | bytes, **options: Any) -> str:
    return letters([b.block_class for b in extract(page, **{"language": "English"} | options).blocks])


class TestResult:
    def test_a_page_becomes_paragraphs(self) -> None:
        extraction = extract(PAGE, language="English", url="https://example.com/")
        assert extraction.paragraphs == ["Of lamps", GOOD, "short", NEAR_GOOD]
        assert extraction.text == f"Of lamps\n\n{GOOD}\n\nshort\n\n{NEAR_GOOD}"
        assert extraction.good_characters == len(extraction.text) - 3 * len("\n\n")
        assert (extraction.title, extraction.url) == ("The page", "https://example.com/")
        assert (extraction.language, extraction.language_source) == ("en", "given")
        assert extraction.profile == "justext"
        assert not extraction.is_cut

    def test_every_block_is_there_in_document_order(self) -> None:
        blocks = extract(PAGE, language="English").blocks
        assert [b.text for b in blocks] == ["Home", "News", "Of lamps", GOOD, "short", NEAR_GOOD, BAD, "© 2024"]
        assert [b.index for b in blocks] == list(range(8))
        assert letters([b.context_free_class for b in blocks]) == "B B S G S N B B"
        assert letters([b.block_class for b in blocks]) == "B B G G G G B B"
        assert [b.is_good for b in blocks] == [False, False, True, True, True, True, False, False]

    def test_a_block_carries_its_figures(self) -> None:
        blocks = extract('<h2>The lamp of <b>the</b> <a href="x">man</a></h2>', stoplist=["the", "of"]).blocks
        [values] = blocks_to_dicts(blocks)
        assert values == {
            "text": "The lamp of the man",
            "block_class": "bad",
            "context_free_class": "bad",
            "reason": "short (19 < 70 characters) with link characters",
            "is_heading": True,
            "heading_level": 2,
            "tag": "h2",
            "link_density": 3 / 19,
            "stopword_density": 3 / 5,
            "word_count": 5,
            "characters": 19,
            "link_characters": 3,
            "tags_count": 2,
            "index": 0,
            "xpath": None,
            "dom_path": None,
            "image_url": None,
            "image_alt": None,
            "probability": None,
            "origin": "page",
            "heading_path": [],
        }

    def test_reasons_join_the_rules_that_decided(self) -> None:
        near_good = "stop-word density 0.4 >= 0.32, only 200 <= 200 characters"
        reasons = [b.reason for b in extract(PAGE, language="English").blocks]
        assert reasons == [
            "link density 1 > 0.2",
            "link density 1 > 0.2",
            "heading, good block 0 characters ahead; on the good side of the nearest near-good block",
            "stop-word density 0.4 >= 0.32, 201 > 200 characters",
            "short (5 < 70 characters); on the good side of the nearest near-good block",
            f"{near_good}; on the good side of the nearest near-good block",
            "stop-word density 0 < 0.3",
            "copyright sign",
        ]

    @EVERY_PROFILE
    @pytest.mark.parametrize("page", DEMO_PAGES, ids=page_id)
    def test_it_survives_json_and_pickle(self, page: Path, profile: str) -> None:
        extraction = extract(page.read_bytes(), profile=profile, paths=True, url=page.name)
        as_dict = extraction.to_dict()
        assert json.loads(json.dumps(as_dict)) == as_dict
        assert rebuilt(json.loads(json.dumps(as_dict))) == extraction
        assert pickle.loads(pickle.dumps(extraction)) == extraction

    def test_its_dict_has_the_derived_values_too(self) -> None:
        as_dict = extract(PAGE, language="English").to_dict()
        assert list(as_dict) == [
            "text", "paragraphs", "blocks", "language", "language_source", "language_reason", "profile", "title",
            "url", "is_cut", "markdown",
        ]  # fmt: skip
        assert as_dict["text"] == extract(PAGE, language="English").text
        assert tuple(as_dict["blocks"][0]) == BLOCK_FIELDS

    def test_values_are_frozen(self) -> None:
        extraction = extract(PAGE, language="English")
        with pytest.raises(FrozenInstanceError):
            extraction.language = "de"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            extraction.blocks[0].text = "x"  # type: ignore[misc]
        with pytest.raises((AttributeError, TypeError)):
            extraction.blocks[0].note = "x"  # type: ignore[attr-defined]

    def test_blocks_are_equal_by_value_and_hashable(self) -> None:
        first, second = (extract(PAGE, language="English").blocks for _ in range(2))
        assert first == second
        assert len({*first, *second}) == len(first)
        assert type(first[0]) is Block
        assert make_blocks([tuple(getattr(first[0], name) for name in BLOCK_FIELDS)]) == first[:1]

    def test_bytes_str_and_tree_give_the_same(self) -> None:
        expected = extract(PAGE, language="English")
        assert extract(PAGE.encode(), language="English") == expected
        tree = etree.fromstring(PAGE, etree.HTMLParser())
        assert extract(tree, language="English") == expected
        assert extract(tree.getroottree(), language="English") == expected  # type: ignore[arg-type]

    def test_public_names(self) -> None:
        assert set(scrapy_justext.__all__) >= {"Block", "BlockClass", "Extraction", "JustextError", "extract"}
        for name in scrapy_justext.__all__:
            assert getattr(scrapy_justext, name) is not None


class TestProfiles:
    def test_the_heading_before_a_good_block_is_rescued_before_or_after_the_context(self) -> None:
        # Between BAD and NEAR_GOOD the pre-pass makes the heading the border of the good side ...
        page = f"<p>{BAD}</p><p>short</p><h2>Title</h2><p>{GOOD}</p>"
        assert classes(page) == "B B G G"
        # ... and 3.0 restores it later.
        assert classes(page, profile="justext-3.0") == "B B G G"

    def test_the_pre_pass_is_off_in_justext_3(self) -> None:
        # Promoted, the heading makes the short block behind it good; restored, it does not.
        page = f"<p>{BAD}</p><h2>Title</h2><p>short</p><p>{GOOD}</p>"
        assert classes(page) == "B G G G"
        assert classes(page, profile="justext-3.0") == "B G B G"

    def test_blocks_are_cut_at_the_elements_of_the_profile(self) -> None:
        page = "<section>A</section><section>B</section>"
        assert [b.text for b in extract(page, language="English").blocks] == ["A", "B"]
        assert [b.text for b in extract(page, language="English", profile="justext-3.0").blocks] == ["AB"]

    @EVERY_PROFILE
    def test_the_result_names_it(self, profile: str) -> None:
        assert extract("<p>x", language="English", profile=profile).profile == profile

    @pytest.mark.parametrize(
        ("profile", "message"),
        [
            ("justext-3", "profile = 'justext-3': unknown profile; did you mean justext-3.0 or justext?"),
            ("Justext", "profile = 'Justext': unknown profile; did you mean justext"),
            (None, "profile = None: unknown profile; known are justext"),
            (["justext"], "profile = ['justext']: unknown profile; did you mean justext"),
        ],
        ids=str,
    )
    def test_an_unknown_one_is_an_error(self, profile: Any, message: str) -> None:
        with pytest.raises(UnknownNameError) as caught:
            extract(PAGE, profile=profile)
        assert str(caught.value).startswith(message.rstrip("?"))


LINK_40 = f'<p>{prose(160, stopwords=8)}<a href="x">{"y" * 40}</a></p>'
HEADED = f"<h2>Title</h2><p>{'x' * 150}</p><p>{GOOD}</p>"
EFFECTS: list[tuple[str, str, dict[str, Any], str]] = [
    ("defaults", f"<p>{GOOD}</p>", {}, "G"),
    ("length_low", f"<p>{GOOD}</p>", {"length_low": 202, "length_high": 202}, "B"),
    ("length_low at the length", f"<p>{GOOD}</p>", {"length_low": 201, "length_high": 201}, "B"),
    ("length_high", f"<p>{NEAR_GOOD}</p>", {"length_high": 199}, "G"),
    ("stopwords_low", f"<p>{GOOD}</p><p>{BAD}</p><p>{GOOD}</p>", {"stopwords_low": 0}, "G G G"),
    ("stopwords_high", f"<p>{GOOD}</p>", {"stopwords_high": 0.41}, "B"),
    ("stopwords_high at the density", f"<p>{GOOD}</p>", {"stopwords_high": 0.4}, "G"),
    ("max_link_density at the density", LINK_40, {"length_high": 199}, "G"),
    ("max_link_density", LINK_40, {"length_high": 199, "max_link_density": 0.19}, "B"),
    ("max_heading_distance at the distance", HEADED, {"max_heading_distance": 150}, "G B G"),
    ("max_heading_distance", HEADED, {"max_heading_distance": 149}, "B B G"),
    ("no_headings", HEADED, {"no_headings": True}, "B B G"),
    ("no_headlines", "<h1>Title</h1>", {"profile": "justext-java", "no_headlines": True}, "B"),
    ("rescue_images", f"<img><p>{GOOD}</p>", {"profile": "justext-java", "rescue_images": True}, "G G"),
    ("tree_depth", f"<div><p>{GOOD}</p></div><p>{GOOD}</p>", {"tree_depth": 1}, "G B"),
    ("good_probability", f"<p>{GOOD}</p>", {"profile": "learned", "good_probability": 0.0}, "G"),
    (
        "near_good_probability",
        f"<p>{GOOD}</p>",
        {"profile": "learned", "good_probability": 1.0, "near_good_probability": 0.0},
        "B",
    ),
]


class TestThresholds:
    @pytest.mark.parametrize(("page", "thresholds", "expected"), [c[1:] for c in EFFECTS], ids=[c[0] for c in EFFECTS])
    def test_each_reaches_its_rule(self, page: str, thresholds: dict[str, Any], expected: str) -> None:
        assert classes(page, **thresholds) == expected

    def test_each_is_tried_above(self) -> None:
        assert {name for _, _, thresholds, _ in EFFECTS for name in thresholds} >= set(PARAMETERS)

    def test_defaults_are_the_published_ones(self) -> None:
        assert {field.name: getattr(Thresholds(), field.name) for field in fields(Thresholds)} == {
            "length_low": 70,
            "length_high": 200,
            "stopwords_low": 0.30,
            "stopwords_high": 0.32,
            "max_link_density": 0.2,
            "max_heading_distance": 200,
            "no_headings": False,
            "no_headlines": False,
            "rescue_images": False,
            "tree_depth": None,
            "good_probability": None,
            "near_good_probability": None,
        }
        own = {name for name, profile in PROFILES.items() if profile.thresholds != Thresholds()}
        assert own == {"article", "boilerpipe-article"}
        assert {PROFILES[name].thresholds for name in own} == {Thresholds(tree_depth=2)}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            *((name, value) for name in ("length_low", "max_heading_distance") for value in (0, 1)),
            ("length_high", 70),
            ("stopwords_low", 0),
            ("stopwords_low", 0.32),
            ("stopwords_high", 1),
            ("stopwords_high", 0.3),
            ("max_link_density", 0.0),
            ("max_link_density", 1.0),
            ("no_headings", True),
        ],
    )
    def test_the_edges_of_their_ranges_are_allowed(self, name: str, value: object) -> None:
        assert classes("<p>x", **{name: value}) == "B"

    @pytest.mark.parametrize(
        ("thresholds", "message"),
        [
            ({"length_low": -1}, "length_low = -1: must be a whole number of characters, 0 or more"),
            ({"length_low": 70.0}, "length_low = 70.0: must be a whole number"),
            ({"length_low": "70"}, "length_low = '70': must be a whole number"),
            ({"length_high": True}, "length_high = True: must be a whole number"),
            ({"length_high": None}, "length_high = None: must be a whole number"),
            ({"max_heading_distance": -1}, "max_heading_distance = -1: must be a whole number"),
            ({"stopwords_low": -0.01}, "stopwords_low = -0.01: must be a number from 0 to 1"),
            ({"stopwords_high": 1.01}, "stopwords_high = 1.01: must be a number from 0 to 1"),
            ({"stopwords_high": False}, "stopwords_high = False: must be a number from 0 to 1"),
            ({"max_link_density": float("nan")}, "max_link_density = nan: must be a number from 0 to 1"),
            ({"max_link_density": "0.2"}, "max_link_density = '0.2': must be a number from 0 to 1"),
            ({"no_headings": 1}, "no_headings = 1: must be True or False"),
            ({"length_low": 201}, "length_low = 201: must not be above length_high = 200"),
            ({"length_high": 69}, "length_low = 70: must not be above length_high = 69"),
            ({"stopwords_low": 0.33}, "stopwords_low = 0.33: must not be above stopwords_high = 0.32"),
            ({"lenght_low": 3}, "parameter = 'lenght_low': unknown parameter; did you mean length_low"),
        ],
        ids=str,
    )
    def test_others_are_errors_that_name_the_value_and_the_range(
        self, thresholds: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ParameterError) as caught:
            extract(PAGE, language="English", **thresholds)
        assert str(caught.value).startswith(message)
        assert isinstance(caught.value, JustextError)
        assert isinstance(caught.value, ValueError)


def test_a_wrong_parameter_is_told_before_the_page_is_read() -> None:
    with pytest.raises(ParameterError):
        extract(None, profile="none such")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "size",
    [{"paragraphs": 60_000}, {"words": 3_000_000}, {"links": 300_000}],
    ids=["many paragraphs", "one huge paragraph", "many links"],
)
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
        gzip.compress(PAGE.encode())[:-9],
        bytes(range(256)) * 40,
        b"just text, no markup at all",
        b"<?xml version='1.0' encoding='utf-16'?><html><p>one</p></html>",
        b'{"html": "<p>one</p>"}',
    ],
    ids=["PNG", "PDF", "truncated gzip", "every byte", "plain text", "wrong XML declaration", "JSON"],
)
def test_what_is_sent_as_html_and_is_none_is_read_all_the_same(body: bytes, profile: str) -> None:
    extraction = extract(body, profile=profile, paths=True)
    assert extraction.profile == profile
    assert json.dumps(extraction.to_dict())


FORBIDDEN = ("scrapy", "twisted", "numpy", "py3langid", "requests", "itemadapter")


@pytest.mark.parametrize("statement", ["pass", "extract('<p>one', language='English')", "extract(b'', stoplist=['a'])"])
def test_the_core_and_extraction_load_no_framework_and_no_detector(statement: str) -> None:
    code = f"""
import pkgutil, sys
import scrapy_justext.core
for module in pkgutil.iter_modules(scrapy_justext.core.__path__):
    __import__("scrapy_justext.core." + module.name)
from scrapy_justext.core.extractor import extract
{statement}
assert "scrapy_justext.core.reading" in sys.modules
print(*sorted(name for name in sys.modules if name.split(".")[0] in {FORBIDDEN!r}))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_the_detector_is_loaded_when_a_page_needs_it() -> None:
    code = f"""
import sys
from scrapy_justext import extract
extract("<p>{GOOD}")
print("py3langid" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@EVERY_PROFILE
def test_labelled_pages_come_out_decided(profile: str) -> None:
    for page in corpus_pages(40):
        extraction = extract(read_page(page), profile=profile)
        assert {b.block_class for b in extraction.blocks} <= {BlockClass.GOOD, BlockClass.BAD}


def rebuilt(as_dict: dict[str, Any]) -> Extraction:
    """An extraction from its dict."""
    values = {field.name: as_dict[field.name] for field in fields(Extraction)}
    values["blocks"] = tuple(map(rebuilt_block, as_dict["blocks"]))
    return Extraction(**values)


def rebuilt_block(values: dict[str, Any]) -> Block:
    """A block from its dict."""
    classes = {name: BlockClass(values[name]) for name in ("block_class", "context_free_class")}
    return Block(**(values | classes | {"heading_path": tuple(values["heading_path"])}))
