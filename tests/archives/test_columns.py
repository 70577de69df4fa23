"""The columns of rows: ours, and those of an archive's records, which are carried through or refused by name."""

import datetime
import json
import re
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrapy_justext import tables
from scrapy_justext.archives import run
from scrapy_justext.archives.command import add_options
from scrapy_justext.archives.output import SUFFIXES
from scrapy_justext.core.extraction import BLOCK_FIELDS, Extraction
from scrapy_justext.core.parts import PARTS
from scrapy_justext.crawl.commands import NAMES, option
from scrapy_justext.exceptions import JustextError
from scrapy_justext.tables import BLOCK, PLACE, type_of_part
from tests.archives.making import common_crawl, http, packed, page, page_record, record, url
from tests.archives.running import make, rows
from tests.builders import REPOSITORY

PAGES = 6
NOON = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
#: What rows have of themselves.
OWN = {"url", "file", "offset", "text", "blocks", "language", "title", "language_source", "profile"}
OWN |= {"confidence", "page_type", "page_type_probability"}
#: What only WARC files tell.
OF_RECORDS = {"date", "record_id", "status", "content_type"}


@pytest.fixture(autouse=True)
def in_folder(here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are those of files in the test's own folder."""
    monkeypatch.chdir(tmp_path)


def write_table(path: Path, columns: Mapping[str, Any]) -> None:
    pq.write_table(pa.table({"html": [page(n) for n in range(PAGES)], **columns}), path, row_group_size=4)


def write_lines(path: Path, *lines: Mapping[str, Any]) -> None:
    path.write_text("".join(json.dumps({"html": page(n), **line}) + "\n" for n, line in enumerate(lines)))


def clean(*given: str, out: str = "out.parquet", **settings: Any) -> list[dict[str, Any]]:
    """The rows of what is given as on the command line."""
    archive, *others = given
    run.clean(make(Path(archive), out, {"language": "en", **settings}, *others, restart=True))
    return rows(Path(out))


def refused(*given: str, out: str = "out.parquet", **settings: Any) -> str:
    """Why it cannot be done, which is known before anything is done."""
    archive, *others = given
    with pytest.raises(JustextError) as raised:
        make(Path(archive), out, settings, *others)
    return str(raised.value)


both_formats = pytest.mark.parametrize("out", ["out.parquet", "out.jsonl"])

#: Columns of all kinds.
COLUMNS = {
    "id": pa.array([1, 2, 3], pa.int16()),
    "date": pa.array([NOON] * 3, pa.timestamp("ns", "UTC")),
    "day": pa.array([NOON.date()] * 3),
    "price": pa.array([Decimal("1.50")] * 3),
    "raw": pa.array([b"\xff"] * 3, pa.large_binary()),
    "site": pa.array(["a", "b", "a"]).dictionary_encode(),
    "meta": pa.array([{"tags": ["a"], "score": 1.5}] * 3),
    "pairs": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int32())),
    "nothing": pa.nulls(3),
    "status": pa.array([200] * 3, pa.int32()),
}


def test_columns_of_parquet_keep_their_names_types_and_values(tmp_path: Path) -> None:
    given = {**COLUMNS, "exact": pa.array([1, 2, 3], pa.timestamp("ns"))}
    columns = {name: pa.concat_arrays([array, pa.nulls(3, array.type)]) for name, array in given.items()}
    columns["html"] = pa.array([page(0), "<p>Home", page(2), None, page(4), page(5)])
    write_table(tmp_path / "a.parquet", {**columns, "url": [url(n) for n in range(PAGES)]})
    run.clean(make(Path("a.parquet"), "out.parquet", {"language": "en"}))
    table = pq.read_table("out.parquet")
    assert set(table.schema.names) == OWN | OF_RECORDS | given.keys()
    assert [table.schema.field(name).type for name in given] == [array.type for array in given.values()]
    # Pages without text have no row, and shift no value.
    kept = pa.table(columns).take([0, 2, 4, 5])
    for name, array in given.items():
        # Python's own times have no nanoseconds.
        kind = pa.int64() if name == "exact" else array.type
        assert table.column(name).cast(kind).to_pylist() == kept.column(name).cast(kind).to_pylist()
    assert table.column("url").to_pylist() == [url(n) for n in (0, 2, 4, 5)]
    assert table.column("content_type").null_count == 4


def test_columns_of_parquet_in_lines_are_what_json_has(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", {name: pa.concat_arrays([array] * 2) for name, array in COLUMNS.items()})
    first = clean("a.parquet", out="out.jsonl")[0]
    assert first.keys() == OWN | OF_RECORDS | COLUMNS.keys()
    as_json = [1, "2024-02-29T12:00:00+00:00", "2024-02-29", "1.50", "/w==", "a", {"tags": ["a"], "score": 1.5}]
    assert [first[name] for name in COLUMNS] == [*as_json, [["a", 1]], None, 200]
    # A time that Python does not hold is text.
    write_table(tmp_path / "b.parquet", {"seen": pa.array([1] * PAGES, pa.timestamp("ns"))})
    assert clean("b.parquet", out="out.jsonl")[0]["seen"].endswith("00:00:00.000000001")


LATE = {"id": 1, "meta": {"a": [1, None]}, "none": None, "late": "x"}


def test_keys_of_lines_are_kept_whatever_they_are(tmp_path: Path) -> None:
    first = {"url": url(0), "id": "a", "meta": {"a": [2]}, "big": 2**70, "half": "\ud800", "": 1.5}
    write_lines(tmp_path / "a.jsonl", first, {}, LATE)
    first_row, other, late = clean("a.jsonl", out="out.jsonl")
    assert {name: first_row[name] for name in first} == {**first, "half": "?"}
    assert other.keys() == OWN | OF_RECORDS
    assert {name: late[name] for name in LATE} == LATE


def test_a_column_of_parquet_has_the_type_of_the_first_lines_and_nothing_else_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A megabyte of lines is looked at.
    many = [{"id": "a", "meta": {"a": [n]}, "score": n / 2, "url": url(n)} for n in range(PAGES)]
    write_lines(tmp_path / "a.jsonl", *many, {"pad": "x" * 2_000_000}, LATE)
    made = clean("a.jsonl")
    typed = [(row["id"], row["meta"], row["score"]) for row in made[:PAGES]]
    assert typed == [("a", {"a": [n]}, n / 2) for n in range(PAGES)]
    assert {row["other_fields"] for row in made[:PAGES]} == {None}
    assert (made[-1]["id"], made[-1]["meta"]) == (None, {"a": [1, None]})
    assert json.loads(made[-1]["other_fields"]) == {"id": 1, "none": None, "late": "x"}


def test_lines_that_nest_without_end_end_no_run(tmp_path: Path) -> None:
    nested = "[" * 900 + "]" * 900
    lines = [json.dumps({"html": page(n)})[:-1] + f', "nested": {nested}}}\n' for n in range(2)]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    assert [json.loads(row["other_fields"])["nested"] for row in clean("a.jsonl")] == [json.loads(nested)] * 2
    assert [row["nested"] for row in clean("a.jsonl", out="out.jsonl")] == [json.loads(nested)] * 2


def write_all(folder: Path) -> list[str]:
    """One input of each kind, whose columns differ; a name in two of them means the same."""
    (folder / "w.warc.gz").write_bytes(packed([page_record(0)]))
    (folder / "pages").mkdir()
    (folder / "pages" / "1.html").write_text(page(1))
    write_table(folder / "p.parquet", {"html": [page(2)], "id": pa.array([2], pa.int8()), "seen": [NOON]})
    write_table(folder / "q.parquet", {"html": [page(3)], "id": pa.nulls(1), "status": [404]})
    write_lines(folder / "l.jsonl", {"id": 4, "more": "yes"}, {"id": 4000})
    return ["w.warc.gz", "pages", "p.parquet", "q.parquet", "l.jsonl"]


def test_inputs_with_other_columns_make_one_table(tmp_path: Path) -> None:
    made = clean(*write_all(tmp_path))
    names = ["status", "id", "seen", "more", "other_fields"]
    assert [tuple(row[name] for name in names) for row in made] == [
        (200, None, None, None, None),
        (None, None, None, None, None),
        (None, 2, NOON, None, None),
        (404, None, None, None, None),
        (None, 4, None, "yes", None),
        (None, None, None, None, '{"id": 4000}'),
    ]
    assert pq.read_schema(tmp_path / "out.parquet").field("id").type == pa.int8()


def test_rows_of_lines_have_the_columns_of_their_input(tmp_path: Path) -> None:
    made = clean(*write_all(tmp_path), out="out.jsonl")
    own = [row.keys() - OWN - OF_RECORDS for row in made]
    assert own == [set(), set(), {"id", "seen"}, {"id"}, {"id", "more"}, {"id"}]
    assert [row["status"] for row in made] == [200, None, None, 404, None, None]


# What is refused.

RENAME = ", or rename ours by JUSTEXT_FIELDS"


@both_formats
@pytest.mark.parametrize(
    ("name", "options"),
    [("title", []), ("file", []), ("offset", []), ("confidence", []), ("how", ["--fields", '{"profile": "how"}']),
     ("url", ["--url-column", "link"])],
)  # fmt: skip
def test_a_column_with_the_name_of_one_of_ours_is_refused(
    out: str, name: str, options: list[str], tmp_path: Path
) -> None:
    write_table(tmp_path / "a.parquet", {name: ["a"] * PAGES, "link": ["b"] * PAGES})
    write_lines(tmp_path / "a.jsonl", {"link": "b"}, {name: "a"})
    for source in ("a.parquet", "a.jsonl"):
        problem = f"{source}: its column {name!r} has the name of one that is written: leave it out with --columns"
        # The others say where a page is from.
        rename = "" if name in ("file", "offset", "url") else RENAME
        assert refused(source, *options, out=out) == problem + rename


def test_a_column_that_nobody_asks_for_is_none_of_ours(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", {"markdown": [1] * PAGES, "title": ["mine"] * PAGES})
    made = clean("a.parquet", "--fields", '{"title": "clean_title"}')
    assert {(row["markdown"], row["title"]) for row in made} == {(1, "mine")}
    assert [row["clean_title"] for row in made] == [f"Page {n}" for n in range(PAGES)]


def test_a_key_that_comes_late_is_an_error_of_its_page(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", {}, {"pad": "x" * 2_000_000}, {"title": "mine"})
    progress = run.clean(make(Path("a.jsonl"), "out.jsonl"))
    assert (progress.counts["rows"], progress.counts["errors/ArchiveError"]) == (2, 1)
    [trouble] = progress.troubles
    assert "a.jsonl: its column 'title' has the name of one that is written: leave it out with" in trouble.what


def test_columns_of_one_name_have_one_type(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", {"id": [1] * PAGES})
    write_table(tmp_path / "b.parquet", {"id": ["x"] * PAGES})
    problem = "its column 'id' is of the type string, that of another input is int64"
    advice = "leave it out with --columns, or make two outputs"
    assert refused("a.parquet", "b.parquet") == f"b.parquet: {problem}: {advice}"
    made = clean("a.parquet", "b.parquet", out="out.jsonl")
    assert [row["id"] for row in made] == [1] * PAGES + ["x"] * PAGES


def test_two_columns_of_one_name_are_refused_unless_they_are_left_out(tmp_path: Path) -> None:
    columns = [pa.array([page(0)]), pa.array([1]), pa.array([2]), pa.array([3])]
    pq.write_table(pa.table(columns, names=["html", "a", "a", "b"]), tmp_path / "a.parquet")
    problem = "a.parquet: has 2 columns 'a'; --columns names those to keep"
    assert refused("a.parquet") == problem
    assert [row["b"] for row in clean("a.parquet", "--columns", "b")] == [3]


# What is chosen.


@pytest.mark.parametrize(
    ("columns", "kept"), [("id", {"id"}), ("id, seen", {"id", "seen"}), ("", set()), ("html,url", {"html"})]
)
@both_formats
def test_columns_are_chosen(columns: str, kept: set[str], out: str, tmp_path: Path) -> None:
    given = {"id": 7, "seen": "yes", "title": "mine", "url": url(1)}
    write_table(tmp_path / "a.parquet", {name: [value] * PAGES for name, value in given.items()})
    write_lines(tmp_path / "a.jsonl", given)
    for source in ("a.parquet", "a.jsonl"):
        made = clean(source, "--columns", columns, out=out)
        assert made[0].keys() - OWN - OF_RECORDS - {"other_fields"} == kept
        assert made[0]["title"] == "Page 0"
        assert {name: made[0][name] for name in kept} == {name: {**given, "html": page(0)}[name] for name in kept}


def test_a_column_that_is_nowhere_cannot_be_kept(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", {"seen": [1] * PAGES})
    write_lines(tmp_path / "a.jsonl", {"id": 7})
    problem = "--columns = 'sen': unknown column; did you mean seen?"
    assert refused("a.parquet", "a.jsonl", "--columns", "id,sen") == problem


# WARC.


@both_formats
def test_rows_of_warc_files_tell_what_the_records_do(out: str, tmp_path: Path) -> None:
    body = page(1).encode()
    records = [
        record(http(body, content_type="text/html; charset=utf-8"), url(1), "WARC-Record-ID: <urn:uuid:1>"),
        record(http(body, content_type=None, status="404 Not Found"), url(2)),
        record(body, url(3), "Content-Type: text/html", kind="resource"),
        record(http(body), url(4)).replace(b"WARC-Date: 2026-01-01T00:00:00Z\r\n", b""),
    ]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    made = clean("a.warc", out=out, extra_statuses=404)
    day = "2026-01-01T00:00:00Z"
    assert [tuple(row[name] for name in ("date", "record_id", "status", "content_type")) for row in made] == [
        (day, "<urn:uuid:1>", 200, "text/html; charset=utf-8"),
        (day, None, 404, None),
        (day, None, None, "text/html"),
        (None, None, 200, "text/html"),
    ]


# The fields of rows.

MODEL = ["--profile", "learned"]


@both_formats
def test_what_a_profile_knows_is_filled(out: str, tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(packed(common_crawl(3)))
    for row in clean("a.warc.gz", *MODEL, out=out):
        assert 0 < row["confidence"] <= 1
        assert 0 < row["page_type_probability"] <= 1
        assert row["page_type"]
        assert (row["profile"], row["language_source"]) == ("learned", "given")
    plain = clean("a.warc.gz", out=out)[0]
    assert (plain["profile"], plain["confidence"], plain["page_type"]) == ("justext", None, None)


@both_formats
@pytest.mark.parametrize("fields", ["markdown,confidence", '["markdown"]', '{"markdown": "markdown"}'])
def test_names_of_fields_are_added_to_those_of_rows(fields: str, out: str, tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(packed(common_crawl(1)))
    for row in clean("a.warc.gz", "--fields", fields, out=out) + clean("a.warc.gz", out=out, fields=fields):
        assert row.keys() == OWN | OF_RECORDS | {"markdown"}
        assert row["markdown"].startswith("It was the best")


@both_formats
def test_rows_hold_the_text_once_unless_more_is_asked_for(out: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", {"url": url(0)})

    def texts(**settings: Any) -> list[str | None]:
        [row] = clean("a.jsonl", out=out, **settings)
        return [block.get("text") for block in row["blocks"]]

    [row] = clean("a.jsonl", out=out, fields=["paragraphs"])
    assert {block["block_class"] for block in row["blocks"]} == {"good"}
    assert "\n\n".join(row["paragraphs"]) == row["text"]
    assert texts() == [None] * len(row["paragraphs"])
    assert texts(fields={"text": "body"}) == texts()
    assert texts(fields={"text": None}) == row["paragraphs"] == texts(block_fields=["text"])
    everything = texts(blocks="all")
    assert len(everything) > len(row["paragraphs"])
    assert None not in everything


@both_formats
def test_fields_are_renamed_and_left_out(out: str, tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(packed(common_crawl(1)))
    fields = {"text": "body", "blocks": None, "profile": None, "chunks": "pieces", "pages": None}
    [row] = clean("a.warc.gz", "--fields", json.dumps(fields), out=out)
    assert row.keys() == OWN - {"text", "blocks", "profile"} | OF_RECORDS | {"body", "pieces"}
    assert row["body"] == row["pieces"][0]["text"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("fetched", "--fields = 'fetched': is known to crawls alone; None leaves it out"),
        ("confidense", "--fields = 'confidense': unknown part of an extraction; did you mean confidence?"),
        ('{"text": "date"}', """--fields = '{"text": "date"}': 'text' goes to 'date', which rows have for something"""),
        ('{"text": "title"}', """--fields = '{"text": "title"}': 'text' and 'title' both go to the field 'title'"""),
    ],
)
def test_fields_that_rows_cannot_have_are_refused(fields: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(packed(common_crawl(1)))
    assert refused("a.warc.gz", "--fields", fields).startswith(problem)


def test_a_field_of_one_site_is_a_column_of_all(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", {"url": url(0)}, {"url": "https://other.example/"})
    own, other = clean("a.jsonl", sites={"example.org": {"fields": {"title": "head", "markdown": "md"}}})
    assert (own["head"], own["title"], other["head"], other["title"]) == ("Page 0", None, None, "Page 1")
    assert (own["md"][:6], other["md"]) == ("It was", None)
    sites = {"example.org": {"fields": {"title": "head", "blocks": "title"}}}
    assert refused("a.jsonl", sites=sites) == "JUSTEXT_FIELDS: 'title' holds values of another type on another site"


def test_parts_have_types_and_blocks_have_all_their_fields() -> None:
    assert all(type_of_part(part) for part in PARTS)
    annotations = {field.name: str(field.type).removesuffix(" | None") for field in fields(Extraction)}
    plain = {name: part.type for name, part in PARTS.items() if name in annotations and name != "blocks"}
    assert len(plain) > 5
    assert plain == {name: annotations[name] for name in plain}
    assert tuple(field.name for field in BLOCK) == BLOCK_FIELDS


ARCHIVES = (REPOSITORY / "docs" / "archives.md").read_text("utf-8")


def type_name(kind: pa.DataType) -> str:
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def test_the_table_of_columns_is_the_schema() -> None:
    listed = re.findall(r"^\| `(\w+)` \| ([\w<>]+) \|", ARCHIVES.partition("<!-- schema -->")[2], re.MULTILINE)
    assert listed == [(field.name, type_name(field.type)) for field in (*PLACE, *tables.OF_RECORDS, *BLOCK)]


def test_every_option_and_format_is_explained() -> None:
    parser = ArgumentParser(add_help=False)
    add_options(parser)
    options = {name for action in parser._actions for name in action.option_strings} - {"--output"}
    options -= set(map(option, NAMES))
    suffixes = dict.fromkeys(re.sub(r"(?<=.)(?=\.(?:gz|zst)$)", " ", suffix) for suffix in SUFFIXES)
    words = {word for suffix in suffixes for word in suffix.split()}
    assert [name for name in (*options, *words) if f"`{name}" not in ARCHIVES] == []
    assert [word for word in words if word not in parser.format_help()] == []
