"""What is written: the same in every format, however many processes and interruptions it took."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import etree

from scrapy_justext.archives.output import Output
from scrapy_justext.archives.records import InputPosition
from scrapy_justext.archives.run import clean
from scrapy_justext.archives.work import ChunkResult, extract_chunks
from scrapy_justext.compression import zstd
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.exceptions import ArchiveError
from tests.archives.making import common_crawl, http, packed, page, page_record, record, url
from tests.archives.running import extract_here, make, rows
from tests.core.test_corpora import read_prevertical

pytestmark = [pytest.mark.usefixtures("forked_workers"), pytest.mark.full]

PAGES = 30


class Stopped(Exception):  # noqa: N818
    """Stands for whatever ends a run."""


def stop_finishing(chunks: Path, path: Path) -> None:
    path.write_bytes(b"half of it")
    raise Stopped


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_justext.archives.work.RECORDS", 4)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    records = common_crawl(PAGES)
    records.insert(20, record(http(b"", "Location: /", status="301 Moved")))
    records.insert(40, record(http(b"\x89PNG", content_type="image/png")))
    records.insert(60, record(http(b"<p>Home"), "https://example.org/home"))
    data = packed(records[:50]) + packed([records[50]])[:-9] + packed(records[50:])
    (tmp_path / "a.warc.gz").write_bytes(data)
    return tmp_path / "a.warc.gz"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Pages with columns of their own."""
    kinds = pa.array(["a", "b"] * 5).dictionary_encode()
    columns = {"html": [page(n) for n in range(10)], "id": [*range(10)], "kind": kinds}
    pq.write_table(pa.table(columns), tmp_path / "b.parquet")
    return tmp_path / "b.parquet"


def test_every_page_has_its_row_and_all_else_is_counted(archive: Path) -> None:
    progress = clean(make(archive, "out.jsonl"))
    made = rows(archive.parent / "out.jsonl")
    assert [row["url"] for row in made] == [url(number) for number in range(PAGES)]
    assert {row["file"] for row in made} == {str(archive)}
    [offset] = {row["offset"] for row in made if row["url"] == url(3)}
    assert zlib.decompressobj(31).decompress(archive.read_bytes()[offset:]) == page_record(3)
    counts = progress.counts
    names = ("rows", "pages", "pages_without_good_content")
    assert [counts[name] for name in names] == [PAGES, PAGES + 1, 1]
    skipped = {name.partition("/")[2]: n for name, n in counts.items() if name.startswith("skipped/")}
    assert skipped == {"redirect": 1, "not_html": 1, "corrupt": 1}
    assert [trouble.what for trouble in progress.troubles] == ["corrupt"]
    assert {path.name for path in archive.parent.iterdir()} == {archive.name, "out.jsonl"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("out", ["out.jsonl.gz", "out.jsonl.zst"])
def test_compressed_lines_are_the_same(out: str, archive: Path) -> None:
    for name in ("out.jsonl", out):
        clean(make(archive, name))
    assert rows(archive.parent / out) == rows(archive.parent / "out.jsonl")


@pytest.mark.usefixtures("here")
def test_a_table_holds_the_same(archive: Path) -> None:
    fields = {"profile": "profile", "language_source": "source", "chunks": "chunks"}
    settings = {"drop": "none", "fields": fields, "chunk_characters": 100}
    for name in ("out.jsonl", "out.parquet"):
        clean(make(archive, name, settings))
    for row, line in zip(rows(archive.parent / "out.parquet"), rows(archive.parent / "out.jsonl"), strict=True):
        assert list(row) == list(line)
        assert line["source"]
        for block in line["blocks"]:
            block.update(dict.fromkeys(set(BLOCK_FIELDS) - set(block)))
        assert row == line


@pytest.mark.usefixtures("here")
def test_what_settings_leave_out_is_null(archive: Path) -> None:
    of_others = {"fields": {"blocks": None, "profile": None}}
    sites = {"example.org": {"block_fields": ["text"], "blocks": "good"}, "other.example": of_others}
    lines = [{"url": address, "html": page(1)} for address in (url(1), "https://other.example/", "https://a.example/")]
    source = archive.parent / "a.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    clean(make(source, "out.parquet", {"sites": sites}))
    own, other, third = rows(archive.parent / "out.parquet")
    assert [{name for name, value in block.items() if value is not None} for block in own["blocks"]] == [{"text"}]
    assert other["blocks"] is None
    assert (other["profile"], own["profile"]) == (None, "justext")
    assert third["blocks"][0]["reason"]


OUTPUTS = ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet"]


@pytest.mark.usefixtures("here")
def test_a_corpus_holds_each_page_with_its_address_and_date(archive: Path, table: Path) -> None:
    for out in (
        "out.prevert",
        "out.prevert.gz",
        "out.prevert.zst",
        "out.txt.gz",
        "out.tei",
        "out.tei.gz",
        "out.tei.zst",
    ):
        clean(make(archive, out, {"blocks": "all"}, table))
    data = (archive.parent / "out.prevert").read_bytes()
    assert gzip.decompress((archive.parent / "out.prevert.gz").read_bytes()) == data
    assert zstd.decompress((archive.parent / "out.prevert.zst").read_bytes()) == data
    documents = read_prevertical(data.decode())
    # The page that is nothing but a link is left out.
    assert len(documents) == PAGES + 10
    of_page, blocks = documents[3]
    assert (of_page["url"], of_page["title"]) == (url(3), "Page 3")
    assert (of_page["lang"], of_page["crawled"]) == ("en", "2026-01-01T00:00:00Z")
    assert [of["class"] for of, _ in blocks] == ["bad", "bad", "good"]
    assert "crawled" not in documents[-1][0]
    text = gzip.decompress((archive.parent / "out.txt.gz").read_bytes()).decode()
    assert text.split("\n\n")[:-1] == [lines[0] for _, [*_, (_, lines)] in documents]
    tei = (archive.parent / "out.tei").read_bytes()
    assert gzip.decompress((archive.parent / "out.tei.gz").read_bytes()) == tei
    assert zstd.decompress((archive.parent / "out.tei.zst").read_bytes()) == tei
    assert len(etree.fromstring(tei).findall("{*}TEI")) == PAGES + 10


@pytest.mark.parametrize("extract", [extract_here, extract_chunks])
@pytest.mark.parametrize("out", [*OUTPUTS, "out.prevert.gz", "out.tei", "out.tei.zst"])
def test_a_run_that_was_ended_anywhere_goes_on(
    out: str, extract: Callable[..., Any], archive: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapy_justext.archives.run.extract_chunks", extract)
    whole = clean(make(archive, "whole-" + out, {}, table))
    add = Output.add
    monkeypatch.setattr("scrapy_justext.archives.output._INTERVAL", 0)
    for chunks in (1, 3, 2):
        left = iter(range(chunks))

        def stop_at_times(
            output: Output, result: ChunkResult, behind: InputPosition, left: Iterator[int] = left
        ) -> None:
            if next(left, None) is None:
                # What comes last was written, but not noted.
                output._rows.write(result.encoded[:99])
                raise Stopped
            add(output, result, behind)

        monkeypatch.setattr(Output, "add", stop_at_times)
        with pytest.raises(Stopped):
            clean(make(archive, out, {}, table, processes=2))
        assert not (archive.parent / out).exists()
    monkeypatch.setattr(Output, "add", add)
    progress = clean(make(archive, out, {}, table))
    assert (archive.parent / out).read_bytes() == (archive.parent / f"whole-{out}").read_bytes()
    assert (progress.counts, progress.troubles) == (whole.counts, whole.troubles)
    assert not (archive.parent / f"{out}.unfinished").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("out", ["out.jsonl.zst", "out.parquet"])
def test_a_run_that_was_ended_while_finishing_finishes(out: str, archive: Path) -> None:
    job = make(archive, out)
    with pytest.raises(Stopped):
        clean(job._replace(output_format=job.output_format._replace(finish=stop_finishing)))
    # There is nothing left to read.
    progress = clean(job._replace(sources=[source._replace(read=lambda place: iter(())) for source in job.sources]))
    assert len(rows(archive.parent / out)) == PAGES == progress.counts["rows"]


@pytest.mark.usefixtures("here")
def test_another_task_is_not_gone_on_with(archive: Path) -> None:
    job = make(archive, "out.jsonl")
    with pytest.raises(Stopped):
        clean(job._replace(output_format=job.output_format._replace(finish=stop_finishing)))
    other = make(archive, "out.jsonl", {"profile": "boilerpipe"})
    others = [
        (other, "settings"),
        (make(archive, "out.jsonl", {}, "--profile=boilerpipe"), "settings"),
        (make(archive, "out.jsonl", {}, "--columns=date"), "columns"),
        (job._replace(task={**job.task, "inputs": ["b.warc"]}), "inputs"),
    ]
    for another, name in others:
        with pytest.raises(ArchiveError, match=f"unfinished: was begun with other {name}; give the same to go on, or"):
            clean(another)
    clean(other._replace(restart=True))
    assert len(rows(archive.parent / "out.jsonl")) == PAGES


@pytest.mark.usefixtures("here")
def test_a_finished_output_is_kept_unless_it_is_to_be_made_anew(archive: Path) -> None:
    (archive.parent / "out.jsonl").write_text("precious\n")
    job = make(archive, "out.jsonl")
    with pytest.raises(ArchiveError, match="is there already; --restart makes it anew"):
        clean(job)
    assert (archive.parent / "out.jsonl").read_text() == "precious\n"
    assert not (archive.parent / "out.jsonl.unfinished").exists()
    clean(job._replace(restart=True))
    assert len(rows(archive.parent / "out.jsonl")) == PAGES


@pytest.mark.usefixtures("here")
def test_a_damaged_journal_is_named(archive: Path) -> None:
    folder = archive.parent / "out.jsonl.unfinished"
    folder.mkdir()
    (folder / "journal.json").write_text("{}")
    with pytest.raises(ArchiveError, match=r"journal\.json: is damaged; --restart begins anew"):
        clean(make(archive, "out.jsonl"))


def test_the_number_of_processes_changes_nothing(archive: Path, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for processes in (3, 2, 1, 0):
        if not processes:
            monkeypatch.setattr("scrapy_justext.archives.run.extract_chunks", extract_here)
        clean(make(archive, f"{processes}.parquet", {}, table, processes=processes))
    assert len({(archive.parent / f"{processes}.parquet").read_bytes() for processes in range(4)}) == 1


@pytest.mark.usefixtures("here")
def test_an_input_without_pages_gives_an_output_without_rows(archive: Path) -> None:
    empty = archive.parent / "empty.warc"
    empty.write_bytes(b"")
    for out in OUTPUTS:
        assert clean(make(empty, out)).counts["rows"] == 0
        assert rows(archive.parent / out) == []


@pytest.mark.usefixtures("here")
def test_a_surrogate_in_a_url_ends_no_run(archive: Path) -> None:
    source = archive.parent / "a.jsonl"
    source.write_text(json.dumps({"url": "https://example.org/\ud800", "html": page(1)}))
    for out in OUTPUTS:
        clean(make(source, out))
        assert [row["url"] for row in rows(archive.parent / out)] == ["https://example.org/?"]
