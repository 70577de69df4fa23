"""JSON Lines, Parquet and folders: what is found in them, from which place on, and what is wrong with them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrapy_justext.archives.readers import find_source
from scrapy_justext.archives.records import BEGINNING, ArchivedPage, InputPosition, Location, PageColumns, Read, Record
from scrapy_justext.compression import zstd
from scrapy_justext.exceptions import ArchiveError
from tests.archives.making import contents, page, page_record, url

COLUMNS = PageColumns()
URLS = [url(number) for number in range(5)]
LINES = [json.dumps({"url": url(number), "html": page(number)}).encode() + b"\n" for number in range(5)]


def reads(path: Path, columns: PageColumns = COLUMNS, position: InputPosition = BEGINNING) -> list[Read]:
    """The records of a source, with their pages."""
    read = find_source(path, columns, 1 << 16).read(position)
    return [(Record(record.location, record.page()), behind) for record, behind in read]


def check_goes_on(path: Path, every: list[Read]) -> None:
    """Reading goes on behind each of the records of a source."""
    for number, (_, behind) in enumerate(every):
        assert reads(path, position=behind) == every[number + 1 :]


def the_page(path: Path, columns: PageColumns = COLUMNS) -> ArchivedPage:
    """The only page of a source, without what else its record holds."""
    [(record, _)] = reads(path, columns)
    page = record.page()
    assert isinstance(page, ArchivedPage)
    return page._replace(others={})


def write(folder: Path, name: str, lines: list[bytes]) -> Path:
    data = b"".join(lines)
    path = folder / name
    if name.lower().endswith(".gz"):
        data = gzip.compress(data)
    elif name.endswith(".zst"):
        # Two frames: readers that stop at the first are wrong.
        middle = len(data) // 2
        data = b"".join(zstd.compress(half) for half in (data[:middle], data[middle:]))
    path.write_bytes(data)
    return path


def write_table(folder: Path, columns: dict[str, list[Any]], name: str = "a.parquet") -> Path:
    pq.write_table(pa.table(columns), folder / name, row_group_size=2)
    return folder / name


LONG = b"x" * 2_000_000 + b"\n"


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.jsonl.zst", "A.JSONL.GZ"])
def test_lines_are_pages(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, LINES)
    every = reads(path)
    assert contents(every) == URLS
    offsets = [sum(map(len, LINES[:number])) for number in range(5)]
    assert [record.location for record, _ in every] == [(str(path), offset) for offset in offsets]
    check_goes_on(path, every)


def test_lines_that_are_none_are_counted(tmp_path: Path) -> None:
    lines = [LINES[0], b"{oops\n", b"\n", b"[1]\n", b'{"url": "x"}\n', b'{"html": null}\n', LONG, LINES[1]]
    reasons = ["corrupt", "corrupt", "no_html", "no_html", "too_large"]
    assert contents(reads(write(tmp_path, "a.jsonl", lines))) == [URLS[0], *reasons, URLS[1]]


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_a_file_that_is_cut_off_in_its_only_block_is_damaged(name: str, kept: float, tmp_path: Path) -> None:
    path = tmp_path / name
    packed = (gzip.compress if name.endswith(".gz") else zstd.compress)(b"".join(LINES))
    path.write_bytes(packed[: int(len(packed) * kept)])
    assert contents(reads(path))[-1] == "corrupt"


def test_the_frames_before_one_that_is_cut_off_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(b"".join(map(zstd.compress, LINES))[:-8])
    assert contents(reads(path)) == [*URLS[:-1], "corrupt"]
    path.write_bytes(b"".join(map(zstd.compress, LINES)))
    assert contents(reads(path)) == URLS


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_what_stands_behind_damage_cannot_be_read(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, LINES * 2000)
    path.write_bytes(path.read_bytes()[:-100])
    every = reads(path)
    assert contents(every)[-1] == "corrupt"
    assert set(contents(every)[:-1]) <= {*URLS, "corrupt"}
    assert reads(path, position=every[-1][1]) == []


def test_other_keys(tmp_path: Path) -> None:
    line = json.dumps({"u": url(1), "h": page(1), "t": "text/html; charset=utf-8"}).encode()
    headers = ((b"Content-Type", b"text/html; charset=utf-8"),)
    made = the_page(write(tmp_path, "a.jsonl", [line]), PageColumns("h", "u", "t"))
    assert made == ArchivedPage(url(1), page(1), headers=headers)


def test_rows_are_pages(tmp_path: Path) -> None:
    path = write_table(tmp_path, {"url": URLS, "html": [page(n).encode() for n in range(5)], "other": [1] * 5})
    every = reads(path)
    assert contents(every) == URLS
    assert [record.location for record, _ in every] == [(str(path), number) for number in range(5)]
    check_goes_on(path, every)


def test_rows_without_a_page_or_a_url(tmp_path: Path) -> None:
    path = write_table(tmp_path, {"html": [page(0), None], "content_type": ["text/plain", None]})
    first, second = (record.page() for record, _ in reads(path))
    assert first[:4] == (None, page(0), 200, ((b"Content-Type", b"text/plain"),))
    assert second == "no_html"


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.json_(),
     pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int32(), pa.binary())],
    ids=str,
)  # fmt: skip
def test_pages_are_in_a_column_of_any_type_of_text(kind: pa.DataType, tmp_path: Path) -> None:
    pq.write_table(pa.table({"html": pa.array([page(0)]).cast(kind)}), tmp_path / "a.parquet")
    assert the_page(tmp_path / "a.parquet").body in (page(0), page(0).encode())


def claimed_as(kind: pa.DataType, values: list[bytes]) -> pa.Array:
    """Bytes in an array that claims to be of text."""
    if pa.types.is_dictionary(kind):
        indices = pa.array(range(len(values)), kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, claimed_as(kind.value_type, values))
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, claimed_as(kind.storage_type, values))
    binary = {pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}.get(kind, pa.binary())
    return pa.array(values, binary).view(kind)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()), pa.json_()],
    ids=str,
)
def test_text_that_is_not_utf_8_is_the_bytes_of_a_page(kind: pa.DataType, tmp_path: Path) -> None:
    body = page(1).encode() + b"<p>Caf\xe9"
    pages = claimed_as(kind, [page(0).encode(), body])
    addresses = claimed_as(kind, [url(0).encode(), b"https://example.org/\xe9"])
    pq.write_table(pa.table({"html": pages, "url": addresses}), tmp_path / "a.parquet")
    assert [record.page() for record, _ in reads(tmp_path / "a.parquet")] == [
        ArchivedPage(url(0), page(0)),
        ArchivedPage("https://example.org/\ufffd", body),
    ]


def test_columns_of_bytes_hold_addresses_too(tmp_path: Path) -> None:
    path = write_table(tmp_path, {"html": [page(0)], "url": [url(0).encode()], "content_type": [b"text/plain"]})
    assert the_page(path) == ArchivedPage(url(0), page(0), headers=((b"Content-Type", b"text/plain"),))


@pytest.mark.parametrize("name", ["html", "url", "content_type"])
def test_two_columns_of_one_name_are_refused_before_a_run(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"

    def write_columns(*names: str) -> None:
        pq.write_table(pa.table([pa.array([page(0)])] * len(names), names=names), path)

    write_columns("html", *({name} - {"html"}), name)
    with pytest.raises(ArchiveError, match=f"has 2 columns '{name}'; --{name.replace('_', '-')}-column names another"):
        reads(path)
    write_columns(*({"html"} - {name}), "other", "content")
    assert len(reads(path, PageColumns._make([*{**COLUMNS.of_page, name: "content"}.values(), None]))) == 1


@pytest.mark.parametrize("beginning", [b"", b"\r\n\r\n"])
def test_a_file_that_begins_with_a_record_is_a_warc_file(beginning: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(beginning + page_record(0) + b"garbage")
    assert contents(reads(path)) == [url(0), "corrupt"]
    path.write_bytes(beginning + page_record(0)[:-100])
    assert contents(reads(path)) == ["truncated"]
    path.write_bytes(beginning)
    assert reads(path) == []


def test_a_damaged_row_group_is_counted_and_the_others_found(tmp_path: Path) -> None:
    path = write_table(tmp_path, {"url": URLS, "html": [page(n) * 50 for n in range(5)]})
    start = pq.read_metadata(path).row_group(1).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 20] = bytes(20)
    path.write_bytes(data)
    every = reads(path)
    assert contents(every) == [*URLS[:2], "corrupt", URLS[4]]
    damaged, behind = every[2]
    assert damaged.location == (str(path), 2)
    assert contents(reads(path, position=behind)) == [URLS[4]]


def test_files_are_pages_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = ["a/1.html", "a/2.HTM", "b.xhtml", "c/d/e.html"]
    for name in ["a/0.css", "readme", *reversed(names)]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    every = reads(tmp_path)
    assert [record for record, _ in every] == [
        Record(Location(str(tmp_path / name), 0), ArchivedPage(None, name.encode())) for name in names
    ]
    check_goes_on(tmp_path, every)


def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    (tmp_path / "a.zip").write_bytes(b"PK")
    tables = tmp_path / "tables"
    tables.mkdir()
    write_table(tables, {"body": [page(0)]})
    lines = write(tables, "a.jsonl", [b'{"body": "<p>"}\n'])
    (tmp_path / "a.warc").write_bytes(b"hello\n")
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(b"hello\n"))
    numbered = write(tables, "b.jsonl", [b'{"html": 1}\n'])
    numbers = write_table(tables, {"html": [1, 2]}, "b.parquet")
    problems = {
        tmp_path / "missing.warc": "no such file or folder",
        tmp_path / "empty": "holds no file that ends in .html",
        tmp_path / "a.parquet": "is no Parquet file, or a damaged one",
        tmp_path / "a.zip": "is told by the end of its name, one of .warc,",
        tables / "a.parquet": "has no column 'html'; --html-column names another of its own: body",
        tmp_path / "a.warc": "is no WARC file, or one that is damaged from its beginning",
        tmp_path / "a.warc.gz": "is no WARC file, or one that is damaged from its beginning",
        numbers: "its column 'html' is of the type int64, neither text nor binary; --html-column names another",
        numbered: "its lines have no text in 'html'; --html-column names another of theirs: html",
        lines: "its lines have no 'html'; --html-column names another of theirs: body",
    }
    for path, problem in problems.items():
        with pytest.raises(ArchiveError) as raised:
            reads(path)
        assert str(raised.value).startswith(f"{path}: ")
        assert problem in str(raised.value)


def test_a_column_that_was_named_must_be_there(tmp_path: Path) -> None:
    path = write_table(tmp_path, {"html": [page(0)]})
    assert len(reads(path)) == 1
    with pytest.raises(ArchiveError, match="has no column 'kind'; --content-type-column names another"):
        reads(path, PageColumns(content_type="kind"))
