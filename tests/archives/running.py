"""The command as users run it, in a process of its own; and what it does, in that of the tests."""

import gzip
import json
import os
import resource
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from scrapy.settings import Settings

from scrapy_justext.archives.command import add_options
from scrapy_justext.archives.records import ArchivedPage, Location, page_record
from scrapy_justext.archives.run import ArchiveJob, make_job
from scrapy_justext.archives.work import Chunk, ChunkResult, RecordExtractor, RecordsResult, Setup
from scrapy_justext.compression import zstd
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.settings import Given, make_layers
from tests import forked
from tests.crawl import crawling


def command(folder: Path, *given: object, stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has loaded Scrapy already; return its end, and what it printed.

    ``stdout``: a descriptor that takes the output, of which nothing is returned then.
    """
    return crawling.command("justext-archive", *map(str, given), folder=folder, stdout=stdout)


def python(folder: Path, code: str, *given: str) -> subprocess.CompletedProcess[str]:
    """Return the end of ``python -c code …``."""
    return crawling.run("tests.forked:execute", [sys.executable, "-c", code, *given], folder)


def start(folder: Path, *given: object, **variables: str) -> forked.Process:
    """Start the command, in a process group of its own, as a shell would have it, with real processes of its own.

    ``variables``: what else is in its environment; ``FILE_SIZE``: it can write no more bytes into a file.
    """
    arguments = ["scrapy", "justext-archive", *map(str, given)]
    function = "tests.archives.running:scrapy_on_full_disk" if "FILE_SIZE" in variables else forked.COMMAND
    return forked.start(
        function, arguments, folder=folder, environment=crawling.environment() | variables, has_session=True
    )


def scrapy_on_full_disk() -> None:
    """Run Scrapy's command line where files are what they are on a full disk."""
    size = int(os.environ["FILE_SIZE"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    forked.scrapy()


def end(process: forked.Process) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a command that was started."""
    printed, messages = process.communicate(crawling.SECONDS)
    return subprocess.CompletedProcess(process.args, process.wait(), printed.decode(), messages.decode())


def make(
    archive: Path, out: str, settings: Mapping[str, Any] | None = None, *inputs: object, **options: Any
) -> ArchiveJob:
    """What the command is to do, with a process.

    ``inputs``: more of them, and options of the command; ``options``: what else is to be otherwise.
    """
    parser = ArgumentParser(conflict_handler="resolve")
    add_options(parser)
    given, names = parser.parse_known_args([*map(str, inputs), "-o", str(archive.parent / out), "--processes", "1"])
    project = Settings({f"JUSTEXT_{name.upper()}": value for name, value in (settings or {}).items()})
    return make_job([str(archive), *names], given, project)._replace(**options)


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows in an output of any format."""
    data = path.read_bytes()
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        # Some readers stop at the end of a frame.
        assert zstd.get_frame_size(data) == len(data)
        data = zstd.decompress(data)
    return [json.loads(line) for line in data.splitlines()]


def extract_here(
    chunks: Iterable[Chunk], processes: int, setup: Setup
) -> Generator[tuple[Chunk, ChunkResult], None, None]:
    """Extract in the process of the tests: what is written has to be the same."""
    layers, encode, _ = setup
    extractor = RecordExtractor(layers)
    for chunk in chunks:
        result = RecordsResult()
        for record in chunk.records:
            result.add(record, extractor)
        yield chunk, ChunkResult(encode(result.rows), result.counts, result.troubles)


def extract(archived: ArchivedPage, **settings: Any) -> CleanedPage | str:
    """The page as it was cleaned, or the reason why it is not."""
    given = {name: Given(value, name) for name, value in settings.items()}
    extracted = RecordExtractor(make_layers(given, {})).extract(page_record(Location("a.warc", 0), archived))
    return extracted if isinstance(extracted, str) else extracted[0]


def paragraphs(archived: ArchivedPage, **settings: Any) -> list[str]:
    extracted = extract(archived, **settings)
    assert isinstance(extracted, CleanedPage), extracted
    return extracted.extraction.paragraphs


def headers(**values: str) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in values.items())
