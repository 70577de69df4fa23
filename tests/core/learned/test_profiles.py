"""The learned profiles from end to end, in their languages, and on pages that show nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from typing import Any

import pytest
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core import extractor
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.extractor import measure_blocks
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from tests.builders import CORPORA
from tests.core.learned.pages import PROSE

PROFILES = ["learned", "learned-article"]
EVERY = pytest.mark.parametrize("profile", PROFILES)

PAGE = (
    "<html><head><title>Harbour</title></head><body><nav><ul><li><a href=/>Home</a><li><a href=/b>Blog</a></ul></nav>"
    f"<article class=post><h1>Harbour</h1><p>{PROSE * 3}<p>{PROSE * 2}<p>{PROSE * 4}</article>"
    "<footer><p>© 2024 Harbour News</footer>"
)


@EVERY
def test_an_article_is_distinguished_from_its_surroundings(profile: str) -> None:
    found = extract(PAGE, profile=profile, drop_repeated=False)
    assert [block.text[:7] for block in found.blocks if not block.is_good and block.tag != "h1"] == [
        "Home", "Blog", "© 2024 ",
    ]  # fmt: skip
    assert sum(block.is_good for block in found.blocks) >= 3


@EVERY
def test_blocks_carry_probability_and_origin(profile: str) -> None:
    blocks = extract(PAGE, profile=profile).to_dict()["blocks"]
    assert all(0 <= block["probability"] <= 1 and block["origin"] == "page" for block in blocks)
    assert {"probability", "origin"} <= set(BLOCK_FIELDS)
    assert {block.probability for block in extract(PAGE).blocks} == {None}


@EVERY
def test_stop_words_are_counted_for_those_who_look(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def measure(*arguments: Any) -> Any:
        counted.append(arguments)
        return measure_blocks(*arguments)

    monkeypatch.setattr(extractor, "measure_blocks", measure)
    found = extract(PAGE, profile=profile, language="English")
    assert (bool(found.text), len(counted)) == (True, 0)
    assert next(round(block.stopword_density, 2) for block in found.blocks if block.tag == "p") == 0.53
    assert {block.word_count for block in found.blocks if block.tag == "li"} == {1}
    assert len(counted) == 1


@EVERY
def test_threads_do_not_disturb_one_another(profile: str) -> None:
    pages = [PAGE.replace("<nav>", f"<nav><p class=c{number}>{'x ' * number}</p>") for number in range(24)]
    texts = [extract(page, profile=profile, language="English").text for page in pages]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda page: extract(page, profile=profile, language="English").text, pages)) == texts


def test_near_good_blocks_are_decided_by_their_neighbours() -> None:
    found = extract(PAGE, profile="learned", good_probability=0.9999, near_good_probability=0.0)
    assert {str(block.context_free_class) for block in found.blocks} <= {"near_good", "good"}
    assert {str(block.block_class) for block in found.blocks} == {"bad"}


@EVERY
@pytest.mark.parametrize("name", ["html", "body", "p", "b"])
def test_an_element_without_a_page_around_it(profile: str, name: str) -> None:
    root = etree.fromstring(f"<{name}><p>{PROSE}</p><b><p>{PROSE * 2}</p></b></{name}>")
    assert [block.text for block in extract(root, profile=profile).blocks] == [PROSE.strip(), (PROSE * 2).strip()]


DATA = {"@context": "https://schema.org", "@graph": [{"@type": "Product", "description": f"<p>{PROSE}</p>" * 2}]}


@EVERY
def test_a_page_with_text_from_its_data_needs_no_fallback(profile: str) -> None:
    script = f'<script type="application/ld+json">{json.dumps(DATA)}</script>'
    found = extract(f"<body><p>Home</p>{script}", profile=profile, fallback_probability=0.001)
    assert "Home" not in found.paragraphs
    assert not found.is_fallback
    assert extract("<body><p>Home</p>", profile=profile, fallback_probability=0.001).is_fallback


@EVERY
def test_a_page_that_shows_nothing_is_read_from_its_json_ld(profile: str) -> None:
    script = f'<script type="application/ld+json">{json.dumps(DATA)}</script>'
    found = extract(f"<body><p>Home</p>{script}", profile=profile, paths=True)
    assert found.paragraphs == [PROSE.strip()] * 2
    assert [block.origin for block in found.blocks] == ["page", "json-ld", "json-ld"]
    assert [block.index for block in found.blocks] == [0, 1, 2]
    assert found.blocks[1].reason == "from json-ld, as the page has only 0 < 200 characters of content"
    assert (found.blocks[1].probability, found.blocks[1].xpath) == (None, None)
    assert extract(f"{PAGE}{script}", profile=profile).text == extract(PAGE, profile=profile).text
    assert extract(f"<body><p>Home</p>{script}").paragraphs == []


WCXB = CORPORA / "wcxb-dev"


@pytest.mark.full
@pytest.mark.skipif(not WCXB.is_dir(), reason="no labelled pages beside the checkout")
@pytest.mark.parametrize(
    ("profile", "floor"), [("learned", 0.86), pytest.param("learned-article", 0.94, marks=pytest.mark.full)]
)
def test_a_floor_on_pages_that_were_trained_on(profile: str, floor: float) -> None:
    # No figure of quality: the models know these pages.  It notices when features or files change.
    data_set = open_data_set(f"wcxb:{WCXB}")
    pages = list(map(data_set.load, data_set.ids[::29]))
    if profile == "learned-article":
        pages = [page for page in pages if page.page_type == "article"]
    scores = [
        MEASURES["bag"](page.gold, extract(page.text, language="English", profile=profile).text).f1 for page in pages
    ]
    assert fmean(score or 0 for score in scores) >= floor
