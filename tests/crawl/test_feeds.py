"""Feeds of Parquet and Zstandard, written by crawls."""

import datetime
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrapy import Field, Item, Spider
from scrapy.exporters import BaseItemExporter
from scrapy.http import Response
from scrapy.settings import Settings

from scrapy_justext import extract
from scrapy_justext.crawl.feeds import FEED_EXPORTERS, ROWS, ParquetItemExporter, check_feeds
from scrapy_justext.exceptions import SettingError
from scrapy_justext.inspection.command import FORMATS
from scrapy_justext.tables import BLOCK, OTHER_FIELDS, type_of_part
from tests.archives.running import rows as rows_of
from tests.crawl.content import GERMAN, GOOD_PAGE, GOOD_TEXT
from tests.crawl.crawling import Crawl, Results, command, crawl, read_lines, write_project
from tests.crawl.items import KINDS
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider
from tests.samples import code_behind

#: All that the archives have of blocks, and in joined articles the address of their page.
BLOCKS = type_of_part("blocks")


@dataclass
class Offer:
    price: float


class Product(Item):
    url = Field()
    sku = Field(serializer=str.upper)


class MixedSpider(Spider):
    """Yields 150 items of several kinds from one page, whose fields differ, the last of them in new ways."""

    name = "mixed"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        for number in range(150):
            yield {"url": response.url, "number": number, "tags": ["a"], "offer": Offer(number / 2)}
        yield Product(url=response.url, sku="abc")
        yield {"url": response.url, "number": "many", "late": {"a": [1, None]}, "offer": {"price": 1.5, "was": 2}}


#: The fields of which some values fit into no column.
UNFIT = ("sku", "number", "late", "offer")
FIELDLESS = "Product declares none of the fields"


def feed(path: Path, **options: Any) -> dict[str, Any]:
    return {str(path): {"format": path.suffix[1:], "overwrite": True, **options}}


@pytest.fixture(scope="module")
def results(folder: Path, site: Site) -> Results:
    pages, mixed = {"urls": site.urls("/good", "/poor", "/german")}, {"url": site.url("/good")}
    usual = {
        "JUSTEXT_LANGUAGE": ["English", "German"],
        "CONCURRENT_REQUESTS": 1,
        "JUSTEXT_FIELDS": {"chunks": "chunks", "paragraphs": "paragraphs", "languages": "languages"},
    }
    bare = {
        "ADDONS": None,
        "FEEDS": feed(folder / "bare.parquet"),
        "FEED_EXPORTERS": {"parquet": "scrapy_justext.crawl.feeds.ParquetItemExporter"},
    }

    def to(*names: str, **options: Any) -> dict[str, Any]:
        return {**usual, "FEEDS": {file: of for name in names for file, of in feed(folder / name, **options).items()}}

    columns = {"columns": {"number": "string", "late": "string", "offer": "string"}}
    unfit = [f"mixed.parquet: some values of the field '{name}' have no col" for name in UNFIT]
    kinds = {kind: Crawl(PageSpider, {**pages, "make": make}, to(f"{kind}.parquet")) for kind, make in KINDS.items()}
    return crawl(
        {
            **kinds,
            "three": Crawl(PageSpider, pages, to("three.parquet", "three.jsonl.zst", "three.jsonl")),
            "batches": Crawl(PageSpider, pages, to("batch-%(batch_id)d.parquet", batch_item_count=1)),
            "fields": Crawl(PageSpider, pages, to("fields.parquet", fields={"blocks": "b", "url": "u"})),
            "empty": Crawl(PageSpider, {"urls": []}, to("empty.parquet")),
            "mixed": Crawl(MixedSpider, mixed, to("mixed.parquet"), problems=[FIELDLESS, *unfit]),
            "columns": Crawl(
                MixedSpider,
                mixed,
                to("columns.parquet", item_export_kwargs=columns),
                problems=[FIELDLESS, "some values of the field 'sku'"],
            ),
            "without the plugin": Crawl(MixedSpider, mixed, bare, problems=["some values of the field"]),
        }
    )


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize("kind", KINDS)
def test_parquet_holds_the_fields_of_every_kind_of_item(folder: Path, kind: str) -> None:
    good, german = rows_of(folder / f"{kind}.parquet")
    assert (good["text"], good["paragraphs"]) == (GOOD_TEXT, GOOD_TEXT.split("\n\n"))
    assert (german["text"], german["language"]) == (GERMAN, "de")
    assert {good[OTHER_FIELDS], german[OTHER_FIELDS]} == {None}


@pytest.mark.usefixtures("results")
def test_blocks_are_nested_columns(folder: Path) -> None:
    schema = pq.read_schema(folder / "dict.parquet")
    assert schema.field("blocks").type == BLOCKS
    assert {field.name for field in BLOCK} < {field.name for field in BLOCKS.value_type}
    good, _ = rows_of(folder / "dict.parquet")
    expected = extract(GOOD_PAGE, language=["English", "German"])
    assert [block["reason"] for block in good["blocks"]] == expected.column("reason")
    assert [chunk["text"] for chunk in good["chunks"]] == [chunk.text for chunk in expected.chunks()]
    assert good["languages"] == [{"language": expected.language, "share": 1.0}]


def test_several_feeds_hold_the_same(folder: Path, results: Results) -> None:
    lines = read_lines(folder / "three.jsonl")
    assert rows_of(folder / "three.jsonl.zst") == lines
    rows = rows_of(folder / "three.parquet")
    for row, line in zip(rows, lines, strict=True):
        assert row.pop(OTHER_FIELDS) is None
        row["blocks"] = [{name: block[name] for name in line["blocks"][0]} for block in row["blocks"]]
        assert row == line
    assert not [name for name in results["three"].justext if name.startswith("feeds/")]


@pytest.mark.usefixtures("results")
def test_a_feed_in_batches_is_files_that_can_each_be_read(folder: Path) -> None:
    assert sorted(path.name for path in folder.glob("batch-*")) == ["batch-1.parquet", "batch-2.parquet"]
    assert [rows_of(folder / f"batch-{n}.parquet")[0]["text"] for n in (1, 2)] == [GOOD_TEXT, GERMAN]


@pytest.mark.usefixtures("results")
def test_fields_that_are_asked_for_are_the_columns(folder: Path, site: Site) -> None:
    schema = pq.read_schema(folder / "fields.parquet")
    assert schema.names == ["b", "u", OTHER_FIELDS]
    assert schema.field("b").type == BLOCKS
    assert [row["u"] for row in rows_of(folder / "fields.parquet")] == site.urls("/good", "/german")


@pytest.mark.usefixtures("results")
def test_a_feed_without_items_has_columns(folder: Path) -> None:
    table = pq.read_table(folder / "empty.parquet")
    assert (table.num_rows, table.schema.field("text").type) == (0, pa.string())


def test_what_has_no_column_is_kept(folder: Path, results: Results) -> None:
    rows = rows_of(folder / "mixed.parquet")
    assert [row["number"] for row in rows] == [*range(150), None, None]
    assert [row["offer"] for row in rows[:2]] == [{"price": 0.0}, {"price": 0.5}]
    others = [json.loads(row[OTHER_FIELDS]) for row in rows if row[OTHER_FIELDS]]
    late = {"number": "many", "late": {"a": [1, None]}, "offer": {"price": 1.5, "was": 2}}
    assert others == [{"sku": "ABC"}, late]
    assert results["mixed"].justext["feeds/other_fields"] == 4
    assert [row["text"] for row in rows] == [*[GOOD_TEXT] * 150, None, GOOD_TEXT]
    bare = rows_of(folder / "bare.parquet")
    assert [json.loads(row[OTHER_FIELDS]) for row in bare if row[OTHER_FIELDS]] == others


@pytest.mark.usefixtures("results")
def test_a_column_of_text_that_is_asked_for_holds_everything(folder: Path) -> None:
    rows = rows_of(folder / "columns.parquet")
    assert [rows[i]["number"] for i in (0, 149, 151)] == ["0", "149", "many"]
    assert json.loads(rows[-1]["offer"]) == {"price": 1.5, "was": 2}
    assert [row["late"] for row in rows[-2:]] == [None, '{"a": [1, null]}']


# The exporter by itself: values of all kinds, in a column and outside of one.


def export(items: Sequence[Mapping[str, Any]], **options: Any) -> list[dict[str, Any]]:
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    rows: list[dict[str, Any]] = pq.read_table(pa.BufferReader(file.getvalue())).to_pylist()
    return rows


NOON = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
VALUES: list[tuple[Any, Any]] = [
    (True, True),
    (3, 3),
    (-1.5, -1.5),
    ("ä", "ä"),
    ("\ud800", "?"),
    (b"\xff", b"\xff"),
    (NOON, NOON),
    (datetime.date(2024, 2, 29), datetime.date(2024, 2, 29)),
    ([1, 2], [1, 2]),
    ([], []),
    ((1, 2), [1, 2]),
    ({2, 1}, [1, 2]),
    ({"a": {"b": [None]}}, {"a": {"b": [None]}}),
    (Offer(2.5), {"price": 2.5}),
    (Decimal("1.50"), "1.50"),
    (Path("a"), "a"),
]


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_a_value_of_any_kind_has_a_column(value: Any, expected: Any) -> None:
    assert export([{"x": value}]) == [{"x": expected, OTHER_FIELDS: None}]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (1, 1.5), (1, True), (True, 1), (1, 2**70),  (1.5, 2**60), ("a", 1), ("a", b"a"), (b"a", "a"), ([1], ["a"]),
        ([1], 1),
        ({"a": 1}, {"b": 1}), ({"a": 1}, {"a": "b"}), (NOON, "noon"), (NOON, NOON.replace(tzinfo=None)),
        (NOON.date(), NOON),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_kept_as_it_is(first: Any, later: Any, caplog: pytest.LogCaptureFixture) -> None:
    rows = export([*[{"x": first}] * ROWS, {"x": later}, {"x": first}])
    assert rows[-1] == rows[0] == {"x": first, OTHER_FIELDS: None}
    assert rows[-2] == {"x": None, OTHER_FIELDS: json.dumps({"x": later}, default=str)}
    assert len(caplog.records) == 1


def test_a_number_without_a_point_fits_among_numbers() -> None:
    assert [row["x"] for row in export([*[{"x": 1.5}] * ROWS, {"x": 2}])][-1] == 2.0


def test_first_values_of_several_types_lose_nothing() -> None:
    assert export([{"x": 2}, {"x": "two"}, {OTHER_FIELDS: 1}]) == [
        {"x": 2, OTHER_FIELDS: None},
        {"x": None, OTHER_FIELDS: '{"x": "two"}'},
        {"x": None, OTHER_FIELDS: '{"other_fields": 1}'},
    ]


@pytest.mark.parametrize("name", ["get_serialized_fields", "_get_serialized_fields"])
def test_items_are_read_by_what_each_version_of_scrapy_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method: Any = getattr(ParquetItemExporter, "get_serialized_fields", None)
    method = method or ParquetItemExporter._get_serialized_fields  # type: ignore[attr-defined]
    for either in ("get_serialized_fields", "_get_serialized_fields"):
        monkeypatch.delattr(BaseItemExporter, either, raising=False)
    monkeypatch.setattr(BaseItemExporter, name, method, raising=False)
    assert export([{"url": "a"}]) == [{"url": "a", OTHER_FIELDS: None}]


def test_row_groups_are_written_on_the_way() -> None:
    file = io.BytesIO()
    exporter = ParquetItemExporter(file)
    exporter.start_exporting()
    sizes = []
    for number in range(4 * ROWS):
        exporter.export_item({"x": f"{number:09}" * 30_000})
        sizes.append(file.tell())
    assert sizes[-1] > 1000 > sizes[2 * ROWS]
    assert not file.closed
    exporter.finish_exporting()
    assert pq.ParquetFile(pa.BufferReader(file.getvalue())).metadata.num_row_groups > 1


# What is told before the crawl begins.

BAD: list[tuple[dict[str, Any], str]] = [
    ({"there.parquet": {"format": "parquet"}}, "there.parquet.*is there already and cannot be appended to"),
    ({"there.jsonl.zst": {"format": "zst"}}, "is there already"),
    ({"a.csv.zst": {"format": "zst"}}, r"its name must end in \.jsonl\.zst"),
    ({"a.parquet": {"format": "parquet", "item_export_kwargs": {"columns": {"x": "text"}}}},
     r"FEEDS\['a.parquet'\] columns\['x'\] = 'text': must be the name of an Arrow type"),
    ({"a.parquet": {"format": "parquet", "item_export_kwargs": {"columns": ["x"]}}}, "must be a mapping"),
]  # fmt: skip


@pytest.mark.parametrize(("feeds", "message"), BAD)
def test_a_feed_that_cannot_be_written_is_an_error(
    feeds: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("there.parquet", "there.jsonl.zst"):
        (tmp_path / name).write_bytes(b"something")
    with pytest.raises(SettingError, match=message):
        check_feeds(Settings({"FEEDS": feeds}))


def test_a_file_of_nothing_and_other_formats_are_no_errors(tmp_path: Path) -> None:
    (tmp_path / "empty.parquet").touch()
    (tmp_path / "a.csv").write_bytes(b"something")
    feeds = {tmp_path / "empty.parquet": {"format": "parquet"}, str(tmp_path / "a.csv"): {"format": "csv"}}
    check_feeds(Settings({"FEEDS": {**feeds, "s3://bucket/a.parquet": {"format": "parquet"}}}))


@pytest.mark.parametrize(("format_", "library"), [("parquet", "pyarrow"), ("zst", "backports")])
def test_a_missing_library_is_named(format_: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise ModuleNotFoundError(name=library)

    monkeypatch.setattr("scrapy_justext.exceptions.import_module", fail)
    with pytest.raises(SettingError, match=f"{library} .* the extra feeds of scrapy-justext brings it: pip install '"):
        check_feeds(Settings({"FEEDS": {f"a.jsonl.{format_}": {"format": format_}}}))


PROJECT = """
ADDONS = {"scrapy_justext.Addon": 500}
SPIDER_MODULES = ["tests.crawl.spiders"]
JUSTEXT_LANGUAGE = "English"
TELNETCONSOLE_ENABLED = False
"""


def test_the_command_line_names_a_file(site: Site, tmp_path: Path) -> None:
    write_project(tmp_path, PROJECT + code_behind("<!-- settings -->", "docs/feeds.md"))
    crawl_pages = ("crawl", "pages", "-a", f"urls={site.url('/good')}", "-L", "WARNING")
    for name in ("out.parquet", "out.jsonl.zst", "out.prevert"):
        done = command(*crawl_pages, "-O", name, folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        if name == "out.prevert":
            last = GOOD_TEXT.rpartition("\n\n")[2]
            assert (tmp_path / name).read_text("utf-8").endswith(f"\n{last}\n</p>\n</doc>\n")
            continue
        assert [row["text"] for row in rows_of(tmp_path / name)] == [GOOD_TEXT]
    done = command(*crawl_pages, "-o", "out.parquet", folder=tmp_path)
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert line.endswith("'out.parquet': is there already and cannot be appended to: -O overwrites it")
    assert rows_of(tmp_path / "out.parquet")


LINE = "in settings.py, beside ADDONS, this line is needed: from scrapy_justext import FEED_EXPORTERS"
#: What the command line asks for, and what is said before Scrapy refuses it.
HINTS = {
    "-O out.parquet": LINE,
    "-o out.jsonl.zst": LINE,
    "--output out.txt:prevert": LINE,
    "-O out.json": "",
    "-s FEED_EXPORTERS={} -O out.tei": "",
}


@pytest.mark.parametrize(("arguments", "hint"), HINTS.items(), ids=HINTS)
def test_a_project_without_the_formats_is_given_the_line(arguments: str, hint: str, tmp_path: Path) -> None:
    write_project(tmp_path, PROJECT)
    done = command("crawl", "pages", "-L", "ERROR", *arguments.split(), folder=tmp_path)
    hints = re.findall("(?m)^scrapy-justext: for the format of this output, (.*)$", done.stderr)
    assert hints == ([hint] if hint else [])
    assert ("Unrecognized output format" in done.stderr) is (arguments != "-O out.json")


def test_outside_of_a_project_the_option_is_reported_and_works(site: Site, tmp_path: Path) -> None:
    code = "import scrapy\n\nclass A(scrapy.Spider):\n    name = 'a'\n"
    (tmp_path / "a.py").write_text(f"{code}    custom_settings = {{'ADDONS': {{'scrapy_justext.Addon': 500}}}}\n")
    run = ("runspider", "a.py", "-L", "ERROR", "-O", "out.prevert")
    hint = command(*run, folder=tmp_path).stderr.splitlines()[0]
    option = re.search("give -s '(.*)', too", hint)
    assert option is not None
    assert command(*run, "-s", option[1], folder=tmp_path).returncode == 0
    assert (tmp_path / "out.prevert").read_bytes() == b""


def test_the_command_knows_all_formats() -> None:
    assert FEED_EXPORTERS.keys() - {"csv", "xml"} == FORMATS
