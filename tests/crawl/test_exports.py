"""What feeds hold."""

from __future__ import annotations

import csv
import json
import marshal
import pickle
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from scrapy_justext import extract
from scrapy_justext.crawl.settings import DEFAULT_BLOCK_FIELDS
from tests.crawl.content import GERMAN, GOOD_PAGE, GOOD_TEXT
from tests.crawl.crawling import Crawl, crawl
from tests.crawl.items import KINDS
from tests.crawl.spiders import PageSpider

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawl.server import Site


@pytest.fixture(scope="module")
def folder(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feeds")
    arguments = {"urls": site.urls("/good", "/poor", "/german")}

    def settings(name: str, *formats: str) -> dict[str, Any]:
        feeds = {str(folder / f"{name}.{one}"): {"format": one, "encoding": "utf-8"} for one in formats}
        return {"FEEDS": feeds, "JUSTEXT_LANGUAGE": ["English", "German"], "CONCURRENT_REQUESTS": 1}

    flat = {"JUSTEXT_FIELDS": {"paragraphs": None, "blocks": None}}
    crawl(
        {
            **{kind: Crawl(PageSpider, {**arguments, "make": make}, settings(kind, "jsonlines"))
               for kind, make in KINDS.items()},
            "flat": Crawl(PageSpider, arguments, {**settings("flat", "csv", "xml"), **flat}),
            "several": Crawl(PageSpider, arguments, settings("several", "json", "csv", "xml", "pickle")),
            "marshal": Crawl(PageSpider, arguments, settings("marshal", "marshal", "jl")),
        }
    )  # fmt: skip
    return folder


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_json_lines_hold_the_fields_of_every_kind_of_item(folder: Path, kind: str) -> None:
    good, german = lines(folder / f"{kind}.jsonlines")
    assert good["text"] == GOOD_TEXT
    assert good["paragraphs"] == GOOD_TEXT.split("\n\n")
    assert (german["text"], german["language"]) == (GERMAN, "de")


def test_json_lines_hold_the_blocks_as_plain_values(folder: Path) -> None:
    good, _ = lines(folder / "dict.jsonlines")
    expected = extract(GOOD_PAGE, language="English").to_dict()["blocks"]
    assert good["blocks"] == [{name: block[name] for name in DEFAULT_BLOCK_FIELDS} for block in expected]
    assert {type(value) for block in good["blocks"] for value in block.values()} <= {str, int, float, bool, list}


def expected_blocks() -> list[dict[str, Any]]:
    blocks = extract(GOOD_PAGE, language="English").to_dict()["blocks"]
    return [{name: block[name] for name in DEFAULT_BLOCK_FIELDS} for block in blocks]


def test_feeds_of_all_formats_hold_the_blocks_in_full(folder: Path) -> None:
    expected = expected_blocks()
    assert json.loads((folder / "several.json").read_text("utf-8"))[0]["blocks"] == expected
    with (folder / "several.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["blocks"] == str(expected)
    in_xml = ET.parse(folder / "several.xml").getroot()[0].find("blocks")
    assert in_xml is not None
    assert [block.findtext("text") for block in in_xml] == [block["text"] for block in expected]
    for name, module in (("several.pickle", pickle), ("marshal.marshal", marshal)):
        with (folder / name).open("rb") as file:
            blocks = module.load(file)["blocks"]
        assert (type(blocks), blocks) == (list, expected), name
    assert lines(folder / "marshal.jl")[0]["blocks"] == expected


def test_csv_holds_a_row_for_each_item(folder: Path, site: Site) -> None:
    with (folder / "flat.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["url"] for row in rows] == site.urls("/good", "/german")
    assert rows[0].keys() == {"url", "text", "language", "title"}
    assert [row["text"] for row in rows] == [GOOD_TEXT, GERMAN]
    assert rows[1]["title"] == "Die Brücke"


def test_xml_holds_an_element_for_each_item(folder: Path) -> None:
    root = ET.parse(folder / "flat.xml").getroot()
    assert [item.findtext("text") for item in root] == [GOOD_TEXT, GERMAN]
