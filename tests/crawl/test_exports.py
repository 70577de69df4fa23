"""What feeds hold."""

import csv
import json
import marshal
import pickle
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from itemadapter import ItemAdapter
from scrapy import Field, Item
from scrapy.http import Response

from scrapy_justext import extract
from scrapy_justext.core.corpora import CORPUS_FORMATS
from scrapy_justext.crawl.feeds import FlatCsvExporter, FlatXmlExporter
from scrapy_justext.crawl.settings import DEFAULT_BLOCK_FIELDS
from tests.core.test_corpora import read_prevertical
from tests.crawl.content import GERMAN, GOOD_PAGE, GOOD_TEXT, page
from tests.crawl.crawling import Crawl, Result, Results, crawl, crawl_one, read_lines
from tests.crawl.items import KINDS, Fieldless, plain
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full


def expected_blocks() -> list[dict[str, Any]]:
    blocks = extract(GOOD_PAGE, language="English").to_dict()["blocks"]
    return [{name: block[name] for name in DEFAULT_BLOCK_FIELDS} for block in blocks]


# CSV and XML, which have no lists.


def rows(file: Path) -> list[dict[str, str | None]]:
    """What Python's own readers find, left as they are."""
    if file.suffix == ".xml":
        return [{field.tag: field.text for field in item} for item in ET.parse(file).getroot()]
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


FLAT = ("csv", "xml")


class OwnSpider(PageSpider):
    """Yields items with fields of its own besides."""

    name = "own"

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "blocks": "own", "paragraphs": [1, 2]}
        yield from super().parse(response)
        yield {"url": response.url, "late": 1}


class Numbered(Item):
    """Its own serializer writes the paragraphs."""

    url = Field()
    text = Field()
    paragraphs = Field(serializer=len)
    blocks = Field()
    tags = Field()


def fieldless_first(url: str) -> Any:
    return Fieldless(url) if url.endswith("/german") else plain(url)


def numbered(url: str) -> Numbered:
    return Numbered(url=url, tags=["a", "b"])


NAMED = ["url", "blocks", "text"]
RENAMED = {"url": "address", "blocks": "all_blocks", "paragraphs": "lines"}
LATE = ["late.csv: later items have fields without a column: late; FEED_EX"]
#: Crawls with flat feeds: what makes their items, the options of the feeds, and settings.
CRAWLS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    **{kind: (make, {}, {}) for kind, make in KINDS.items()},
    "left out": (plain, {}, {"JUSTEXT_FIELDS": {"paragraphs": None, "blocks": None}}),
    "asked": (plain, {}, {"JUSTEXT_FIELDS": {"blocks": "blocks", "chunks": "chunks"}}),
    "list": (plain, {}, {"JUSTEXT_FIELDS": "chunks,paragraphs"}),
    "named": (plain, {"fields": NAMED}, {}),
    "renamed": (plain, {"fields": RENAMED}, {}),
    "everywhere": (plain, {}, {"FEED_EXPORT_FIELDS": NAMED}),
    "batch": (plain, {"batch_item_count": 1}, {}),
    "serializer": (numbered, {}, {}),
    "site": (plain, {}, {"JUSTEXT_SITES": {"127.0.0.1": {"fields": {"blocks": "of_site"}}}}),
    "theirs": (plain, {}, {"FEED_EXPORTERS": {"csv": "scrapy.exporters.CsvItemExporter"}}),
    "late": (plain, {}, {}),
    "off": (plain, {}, {"JUSTEXT_ENABLED": False}),
}


@pytest.fixture(scope="module")
def results(site: Site, folder: Path) -> Results:
    usual = {"JUSTEXT_LANGUAGE": ["English", "German"], "CONCURRENT_REQUESTS": 1}
    pages = {"urls": site.urls("/good", "/german")}

    def feeds(name: str, *formats: str, **options: Any) -> dict[str, Any]:
        return {str(folder / f"{name}.{kind}"): {"format": kind, "encoding": "utf-8", **options} for kind in formats}

    crawls = {
        name: Crawl(
            OwnSpider if name == "late" else PageSpider,
            {**pages, "make": make},
            {**usual, **own, "FEEDS": feeds(f"{name}-%(batch_id)d" if name == "batch" else name, *FLAT, **options)},
            problems=LATE if name == "late" else [],
        )
        for name, (make, options, own) in CRAWLS.items()
    }
    corpora = {
        "FEEDS": feeds("corpus", *CORPUS_FORMATS, "jsonl"),
        "JUSTEXT_FIELDS": {"crawled": "crawled"},
        "JUSTEXT_BLOCKS": "good",
    }
    crawls |= {
        f"corpora of {kind}": Crawl(
            PageSpider,
            {**pages, "make": make},
            {**usual, "FEEDS": feeds(f"corpus-{kind}", *CORPUS_FORMATS), "JUSTEXT_BLOCKS": "good"},
        )
        for kind, make in KINDS.items()
    }
    crawls["corpora"] = Crawl(PageSpider, pages, {**usual, **corpora})
    several = {"FEEDS": feeds("several", "json", "pickle", *FLAT)}
    # It writes what no other can read behind it.
    binary = {"FEEDS": feeds("marshal", "marshal", "jl")}
    crawls |= {name: Crawl(PageSpider, pages, usual | own) for name, own in (("a", several), ("b", binary))}
    return crawl(crawls)


@pytest.mark.parametrize("kind", KINDS)
def test_corpora_hold_the_text_of_every_kind_of_item(results: Results, folder: Path, kind: str) -> None:
    url = ItemAdapter(results[f"corpora of {kind}"].items[0])["url"]
    assert (folder / f"corpus-{kind}.txt").read_text(
        "utf-8"
    ) == f"{GOOD_TEXT.replace(2 * chr(10), chr(10))}\n\n{GERMAN}\n\n"
    prevertical = (folder / f"corpus-{kind}.prevert").read_text("utf-8")
    assert re.findall("(?m)^<doc url=.* crawled=.*>$", prevertical)[0].startswith(f'<doc url="{url}" ')
    assert f"\n{GERMAN}\n</p>\n</doc>\n" in prevertical
    tei = ET.parse(folder / f"corpus-{kind}.tei").getroot()
    assert len(tei.findall("{*}TEI")) == 2
    assert GERMAN in [paragraph.text for paragraph in tei.iter("{http://www.tei-c.org/ns/1.0}p")]


def test_beside_a_corpus_blocks_have_their_text_and_class(results: Results, folder: Path) -> None:
    lines = read_lines(folder / "corpus.jsonl")
    [(of_page, blocks), _] = read_prevertical((folder / "corpus.prevert").read_text("utf-8"))
    good = lines[0]
    assert [block["text"] for block in good["blocks"]] == good["text"].split("\n\n")
    assert {block["language"] for block in good["blocks"]} == {None}
    assert [text for _, [text] in blocks] == [block["text"] for block in good["blocks"]]
    assert [of["heading"] for of, _ in blocks] == [f"{block['is_heading']:d}" for block in good["blocks"]]
    assert (of_page["crawled"], of_page["lang"], of_page["title"]) == (good["crawled"], "en", good["title"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", good["crawled"])


@pytest.mark.usefixtures("results")
def test_feeds_with_lists_hold_the_blocks_in_full_as_plain_values(folder: Path) -> None:
    expected = expected_blocks()
    assert json.loads((folder / "several.json").read_text("utf-8"))[0]["blocks"] == expected
    for name, module in (("several.pickle", pickle), ("marshal.marshal", marshal)):
        with (folder / name).open("rb") as file:
            blocks = module.load(file)["blocks"]
        assert (type(blocks), blocks) == (list, expected), name
        assert {type(value) for block in blocks for value in block.values()} <= {str, int, float, bool, list}
    good, german = read_lines(folder / "marshal.jl")
    assert (good["blocks"], good["text"], good["paragraphs"]) == (expected, GOOD_TEXT, GOOD_TEXT.split("\n\n"))
    assert (german["text"], german["language"]) == (GERMAN, "de")


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize("kind", FLAT)
def test_a_flat_feed_beside_others_holds_the_text_once_more_and_no_blocks(folder: Path, kind: str, site: Site) -> None:
    good, german = rows(folder / f"several.{kind}")
    assert good.keys() == {"url", "text", "paragraphs", "language", "title"}
    assert (good["text"], good["paragraphs"]) == (GOOD_TEXT, GOOD_TEXT)
    of_german = {"text": GERMAN, "paragraphs": GERMAN, "language": "de", "title": "Die Brücke"}
    assert german == {"url": site.url("/german"), **of_german}


#: Pages of which the first gives no text, and what makes their items: the first of a class without fields for any.
FIRST: dict[str, tuple[tuple[str, ...], Any, Sequence[str]]] = {
    "uncleaned": (("/json", "/good"), plain, ()),
    "without fields": (("/german", "/good"), fieldless_first, ["^Fieldless declares none"]),
}


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("options", [{}, {"JUSTEXT_FIELDS": {"blocks": None}}], ids=["usual", "without lists"])
def test_csv_has_columns_for_the_text_whatever_the_first_item_is(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    paths, make, problems = FIRST[name]
    json_page = Answer("{}", "application/json")
    answers: dict[str, Answer | str] = {"/json": json_page, "/german": page(GERMAN), "/good": GOOD_PAGE}
    feeds = {str(tmp_path / "all.csv"): {"format": "csv"},
             str(tmp_path / "named.csv"): {"format": "csv", "fields": ["url", "title"]}}  # fmt: skip
    settings = {"FEEDS": feeds, "CONCURRENT_REQUESTS": 1, "JUSTEXT_FIELDS": None, **options}
    with Site(answers) as served:
        crawl_one(PageSpider, {"urls": served.urls(*paths), "make": make}, settings=settings, problems=problems)
    first, good = rows(tmp_path / "all.csv")
    assert list(first) == ["url", "text", "language", "title"]
    assert (first["text"], good["text"], good["title"]) == ("", GOOD_TEXT, "The bridge")
    assert [list(row) for row in rows(tmp_path / "named.csv")] == [["url", "title"]] * 2


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize("form", FLAT)
def test_fields_that_are_left_out_are_no_columns_and_a_crawl_that_is_off_has_none(folder: Path, form: str) -> None:
    assert rows(folder / f"left out.{form}")[0].keys() == {"url", "text", "language", "title"}
    assert [row.keys() for row in rows(folder / f"off.{form}")] == [{"url"}] * 2


def left_out(result: Result) -> list[str]:
    """The lines of the log that say what is left out."""
    return [entry.message for entry in result.log if ": without " in entry.message]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FLAT)
def test_items_of_every_kind_are_flat(results: Results, folder: Path, kind: str, form: str) -> None:
    good, german = rows(folder / f"{kind}.{form}")
    assert (good["text"], good["paragraphs"]) == (GOOD_TEXT, GOOD_TEXT)
    assert german["text"] == GERMAN
    assert "blocks" not in good
    # The items themselves are as in any other feed.
    assert ItemAdapter(results[kind].items[0])["paragraphs"] == GOOD_TEXT.split("\n\n")


@pytest.mark.parametrize("form", FLAT)
def test_what_is_asked_for_is_json(results: Results, folder: Path, form: str) -> None:
    for name in ("asked", "named", "everywhere"):
        blocks = json.loads(rows(folder / f"{name}.{form}")[0]["blocks"] or "")
        assert blocks == expected_blocks()
    assert json.loads(rows(folder / f"asked.{form}")[0]["chunks"] or "")[0]["text"] == GOOD_TEXT
    [first, _] = rows(folder / f"list.{form}")
    assert first.keys() == {"url", "text", "paragraphs", "language", "title", "chunks"}
    [first, _] = rows(folder / f"renamed.{form}")
    assert list(first) == ["address", "all_blocks", "lines"]
    assert json.loads(first["all_blocks"] or "") == expected_blocks()
    assert first["lines"] == GOOD_TEXT
    assert json.loads(rows(folder / f"site.{form}")[0]["of_site"] or "") == expected_blocks()
    assert not [line for name in ("asked", "named", "renamed", "everywhere") for line in left_out(results[name])]


def test_the_log_says_once_what_is_left_out(results: Results, folder: Path) -> None:
    [line] = left_out(results["batch"])
    files = f"{folder}/batch-%(batch_id)d.csv, {folder}/batch-%(batch_id)d.xml"
    assert line == (
        f"{files}: without blocks, as the format has no lists. Named in JUSTEXT_FIELDS or the feed's own fields, it is "
        "JSON."
    )
    for number in (1, 2):
        assert "blocks" not in rows(folder / f"batch-{number}.csv")[0]
    [line] = left_out(results["theirs"])
    assert line.startswith(f"{folder}/theirs.xml: ")


@pytest.mark.parametrize("form", FLAT)
def test_what_a_spider_writes_by_itself_stays(results: Results, folder: Path, form: str) -> None:
    first = rows(folder / f"late.{form}")[0]
    assert first["blocks"] == "own"
    assert first["paragraphs"] in ("[1, 2]", None)
    [first, _] = rows(folder / f"serializer.{form}")
    assert first["paragraphs"] == str(len(GOOD_TEXT.split("\n\n")))
    assert first.get("tags") in ("a,b", "\n", None)


def test_a_cell_that_python_s_reader_refuses_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        exporter = FlatCsvExporter(cast("Any", file))
        exporter.export_item({"text": "x" * 131_072})
        assert not caplog.messages
        for length in (131_073, 200_000):
            exporter.export_item({"text": "x" * length})
    assert caplog.messages == [
        f"{tmp_path}/a.csv: the field 'text' of some items has more than 131072 characters; Python's own csv reads "
        "such a file after csv.field_size_limit(1_000_000_000)"
    ]
    limit = csv.field_size_limit()
    assert limit == 131_072
    with pytest.raises(csv.Error, match="field larger than field limit"):
        rows(tmp_path / "a.csv")
    try:
        csv.field_size_limit(1_000_000_000)
        assert [len(row["text"] or "") for row in rows(tmp_path / "a.csv")] == [131_072, 131_073, 200_000]
    finally:
        csv.field_size_limit(limit)


def test_characters_that_xml_does_not_have_break_no_file(tmp_path: Path) -> None:
    with (tmp_path / "a.xml").open("wb") as file:
        exporter = FlatXmlExporter(cast("Any", file))
        exporter.start_exporting()
        exporter.export_item({"text": "a\x01b\ufffec\td\U0001f600"})
        exporter.finish_exporting()
    assert rows(tmp_path / "a.xml") == [{"text": "a\ufffdb\ufffdc\td\U0001f600"}]
