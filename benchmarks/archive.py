"""Measure what an archive costs beside the extraction of its pages: ``python -m benchmarks.archive``.

A WARC file of real pages is made in a temporary folder.  Two kinds of processes work on it: the parent reads and
writes, workers extract.  Times are processor times, on which other users of the machine have no influence, without what
the processes take to start.  What a second worker gains follows from them: one worker and the parent work side by side;
two workers and the parent share two cores.
``--wall`` measures that gain by the clock, for a machine with two cores to itself.  ``--columns`` shows what the other
columns of a table cost.  ``--memory`` shows the largest size of both kinds of processes, for archives of growing size.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from scrapy.settings import Settings

from benchmarks.pages import load_pages, origin
from scrapy_justext.archives.command import add_options
from scrapy_justext.archives.records import ArchivedPage
from scrapy_justext.archives.run import clean, make_job
from scrapy_justext.archives.work import make_response
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.crawl.settings import Given, configure

MAX_BYTES = 10 << 20
SIZES = (100, 300, 1000)


def write_archive(path: Path, *, pages: int = 0, megabytes: float = 0) -> None:
    """Write a WARC file of so many pages, or of so many megabytes before it is compressed."""
    written = number = 0
    with path.open("wb") as file:
        for body in cycle(load_pages().values()):
            if (number >= pages) if pages else (written >= megabytes * 1e6):
                return
            record = _record(number, body)
            file.write(gzip.compress(record, 1) if path.suffix == ".gz" else record)
            written += len(record)
            number += 1


def _record(number: int, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/{number}\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{UUID(int=number)}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def run(archive: Path, out: Path, profile: str, processes: int) -> dict[str, Any]:
    """Clean an archive in this process; return what it took."""
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    add_options(parser)
    options = ["-o", str(out), "--restart", "--profile", profile, "--processes", str(processes)]
    job = make_job([str(archive)], parser.parse_args(options), Settings())
    start, wall = process_time(), perf_counter()
    progress = clean(job)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "wall": perf_counter() - wall,
        "parent": process_time() - start,
        "workers": children.ru_utime + children.ru_stime,
        "parent_kilobytes": _largest_size(),
        "worker_kilobytes": children.ru_maxrss,
        "pages": progress.counts["pages"],
    }


def _largest_size() -> int:
    """Return the largest size of this process in kilobytes.

    ``getrusage`` would count the process that started this one, which holds all the pages.
    """
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def _in_own_process(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.archive", "--run", *map(str, arguments)]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return dict(json.loads(result.stdout))


def extraction_seconds(pages: int, profile: str) -> float:
    """Return the processor seconds to decode, parse and extract the same pages, and nothing else."""
    configuration = configure({"profile": Given(profile, "")})
    headers = ((b"Content-Type", b"text/html; charset=utf-8"),)
    documents = [ArchivedPage("https://example.org/", body, headers=headers) for body in load_pages().values()]
    for _, document in zip(range(20), cycle(documents), strict=False):
        _extract(document, configuration)
    start = process_time()
    for _, document in zip(range(pages), cycle(documents), strict=False):
        _extract(document, configuration)
    return process_time() - start


def _extract(document: ArchivedPage, configuration: Any) -> None:
    response: Any = make_response(document, MAX_BYTES)
    Extractor(configuration.options).extract(response.text, url=document.url)


def compare(folder: Path, pages: int, rounds: int, *, wall: bool) -> None:
    """Print what reading and writing add to extraction, and what a second process gains."""
    archive, empty = folder / "pages.warc.gz", folder / "empty.warc"
    write_archive(archive, pages=pages)
    empty.write_bytes(b"")
    print(f"{pages} pages, {origin()}; medians of {rounds} rounds\n")
    print(f"{'profile':10} {'output':10} {'extraction':>10} {'all / it':>9} {'parent / it':>12} {'2 processes':>12}")
    for profile in ("justext", "learned"):
        for name in ("out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet"):
            ratios: list[tuple[float, float, float]] = []
            for _ in range(rounds):
                alone = extraction_seconds(pages, profile)
                idle = _in_own_process(empty, folder / name, profile, 1)
                single = _in_own_process(archive, folder / name, profile, 1)
                parent, workers = single["parent"] - idle["parent"], single["workers"] - idle["workers"]
                gain = max(parent, workers) / ((parent + workers) / 2)
                if wall:
                    two = _in_own_process(archive, folder / name, profile, 2)
                    gain = (single["wall"] - idle["wall"]) / (two["wall"] - idle["wall"])
                ratios.append(((parent + workers) / alone, parent / alone, gain))
            total, share, gain = (median(values) for values in zip(*ratios, strict=True))
            print(f"{profile:10} {name[3:]:10} {alone / pages * 1000:7.1f} ms {total:9.2f} {share:12.3f} {gain:12.2f}")


def compare_columns(folder: Path, pages: int, rounds: int) -> None:
    """Print what a page takes, and the sizes of the processes, by the other columns that a table has."""
    bodies = [body for _, body in zip(range(pages), cycle(load_pages().values()), strict=False)]
    ten: dict[str, list[Any]] = {
        f"column_{n}": [f"value {n} of page {number}" for number in range(pages)] for n in range(10)
    }
    kinds: dict[str, dict[str, list[Any]]] = {"none": {}, "10 short texts": ten, "the HTML again": {"copy": bodies}}
    print(f"{pages} pages, {origin()}; medians of {rounds} rounds\n")
    print(f"{'other columns':16} {'output':10} {'parent':>9} {'workers':>9} {'parent':>8} {'worker':>8}")
    for kind, columns in kinds.items():
        pq.write_table(pa.table({"html": bodies, **columns}), folder / "pages.parquet")
        pq.write_table(pa.table({"html": bodies[:1], **{name: column[:1] for name, column in columns.items()}}),
                       folder / "one.parquet")  # fmt: skip
        for name in ("out.jsonl", "out.parquet"):
            runs = []
            for _ in range(rounds):
                idle, done = (
                    _in_own_process(folder / f"{table}.parquet", folder / name, "justext", 1)
                    for table in ("one", "pages")
                )
                times = [(done[part] - idle[part]) / (pages - 1) * 1000 for part in ("parent", "workers")]
                runs.append((*times, done["parent_kilobytes"] / 1000, done["worker_kilobytes"] / 1000))
            parent, workers, *sizes = (median(values) for values in zip(*runs, strict=True))
            print(f"{kind:16} {name[3:]:10} {parent:6.2f} ms {workers:6.2f} ms {sizes[0]:5.0f} MB {sizes[1]:5.0f} MB")


def show_memory(folder: Path, sizes: list[float]) -> None:
    """Print the largest size of the processes by the size of the archive."""
    print(f"{'archive':>8} {'pages':>7} {'parent':>8} {'worker':>8}   largest size in MB, {origin()}")
    for size in sizes:
        archive = folder / "pages.warc"
        write_archive(archive, megabytes=size)
        result = _in_own_process(archive, folder / "out.parquet", "boilerpipe", 2)
        archive.unlink()
        parent, worker = (result[f"{kind}_kilobytes"] // 1024 for kind in ("parent", "worker"))
        print(f"{size:5g} MB {result['pages']:7} {parent:8} {worker:8}", flush=True)


def main() -> None:
    """Compare, or show the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wall", action="store_true", help="measure by the clock what a second process gains")
    parser.add_argument("--columns", action="store_true", help="measure what the other columns of a table cost")
    parser.add_argument("--memory", nargs="*", type=float, metavar="MB", help=f"by default {SIZES}")
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        archive, out, profile, processes = arguments.run
        print(json.dumps(run(Path(archive), Path(out), profile, int(processes))))
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments.memory is not None:
            show_memory(Path(folder), arguments.memory or list(SIZES))
        elif arguments.columns:
            compare_columns(Path(folder), arguments.pages, arguments.rounds)
        else:
            compare(Path(folder), arguments.pages, arguments.rounds, wall=arguments.wall)


if __name__ == "__main__":
    main()
