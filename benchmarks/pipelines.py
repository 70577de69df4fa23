"""Measure pipelines from WARC to Parquet: ``python -m benchmarks.pipelines [--markdown docs/figures/pipelines.md]``.

A WARC file of real pages is made in a temporary folder.  Each pipeline reads it, extracts the text of its pages, and
writes a table, in a process of its own and those that this one starts.  Their processor times count together, so that
the figures are of one core; what a pipeline takes for the first pages, as to load models, is left out.

Pipelines that are not installed are left out.  The extras ``archive``, ``datatrove``, ``html5``, ``nemo-curator`` and
``peers`` bring all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.archive import write_archive
from benchmarks.markdown import write_table
from benchmarks.pages import origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def _command(archive: Path, out: Path, options: Sequence[str] = ()) -> None:
    scrapy: Any = importlib.import_module("scrapy.cmdline")
    with contextlib.suppress(SystemExit):
        scrapy.execute(["scrapy", "justext-archive", str(archive), "-o", str(out), "--processes", "1", *options])


def _datatrove(archive: Path, out: Path, extractor: str, **choices: Any) -> None:
    module, _, name = extractor.rpartition(".")
    step = getattr(importlib.import_module(module), name)(timeout=60, **choices)
    reader: Any = importlib.import_module("datatrove.pipeline.readers").WarcReader
    writer: Any = importlib.import_module("datatrove.pipeline.writers").ParquetWriter
    executor: Any = importlib.import_module("datatrove.executor").LocalPipelineExecutor
    steps = [reader(str(archive.parent), glob_pattern=archive.name), step, writer(str(out), "pages.parquet")]
    executor(steps, tasks=1, logging_dir=str(out.with_suffix(".logs"))).run()


def _nemo_curator(archive: Path, out: Path, algorithm: str = "", **choices: Any) -> None:
    stages = "nemo_curator.stages.text.download.common_crawl"
    iterator: Any = importlib.import_module(f"{stages}.warc_iterator").CommonCrawlWarcIterator()
    extractor: Any = importlib.import_module(f"{stages}.extract").CommonCrawlHTMLExtractor
    ours: Any = importlib.import_module("scrapy_justext.integrations.nemo_curator").JustextExtractor
    extract = extractor(algorithm=algorithm or ours(**choices)).extract
    _write(out, filter(None, map(extract, iterator.iterate(str(archive)))))


def _fastwarc(archive: Path, out: Path, extractor: Callable[[], Callable[[bytes], str | None]]) -> None:
    warc: Any = importlib.import_module("fastwarc.warc")
    extract = extractor()
    with archive.open("rb") as file:
        records = warc.ArchiveIterator(file, record_types=warc.WarcRecordType.response)
        rows = ((record.headers["WARC-Target-URI"], extract(record.reader.read())) for record in records)
        _write(out, ({"url": url, "text": text} for url, text in rows))


def _write(out: Path, rows: Iterable[dict[str, Any]]) -> None:
    pq.write_table(pa.Table.from_pylist(list(rows)), out)


def _resiliparse() -> Callable[[bytes], str | None]:
    extract: Any = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    encoding: Any = importlib.import_module("resiliparse.parse.encoding")
    return lambda body: extract(encoding.bytes_to_str(body, encoding.detect_encoding(body)), main_content=True)


def _trafilatura() -> Callable[[bytes], str | None]:
    extract: Callable[[bytes], str | None] = importlib.import_module("trafilatura").extract
    return extract


_OURS = "scrapy_justext.integrations.datatrove.JustextExtractor"
_TRAFILATURA = "datatrove.pipeline.extractors.Trafilatura"
#: By the name of its row, what reads an archive and writes a table.
PIPELINES: Mapping[str, Callable[[Path, Path], None]] = MappingProxyType(
    {
        "`scrapy justext-archive`": _command,
        "`scrapy justext-archive --parser html5`": partial(_command, options=("--parser", "html5")),
        "`scrapy justext-archive --profile learned`": partial(_command, options=("--profile", "learned")),
        "datatrove, our `justext`": partial(_datatrove, extractor=_OURS),
        "datatrove, our `justext`, `html5`": partial(_datatrove, extractor=_OURS, parser="html5"),
        "datatrove, our `learned`": partial(_datatrove, extractor=_OURS, profile="learned"),
        "datatrove, its Trafilatura": partial(_datatrove, extractor=_TRAFILATURA),
        "NeMo Curator, our `justext`": _nemo_curator,
        "NeMo Curator, our `justext`, `html5`": partial(_nemo_curator, parser="html5"),
        "NeMo Curator, our `learned`": partial(_nemo_curator, profile="learned"),
        "NeMo Curator, its jusText": partial(_nemo_curator, algorithm="justext"),
        "NeMo Curator, its resiliparse": partial(_nemo_curator, algorithm="resiliparse"),
        "NeMo Curator, its Trafilatura": partial(_nemo_curator, algorithm="trafilatura"),
        "FastWARC and resiliparse": partial(_fastwarc, extractor=_resiliparse),
        "FastWARC and Trafilatura": partial(_fastwarc, extractor=_trafilatura),
    }
)
#: The pages by which a pipeline has loaded what it needs.
FIRST_PAGES = 40
#: The row that others are compared with.
FIRST = next(iter(PIPELINES))


def run(name: str, archive: Path, out: Path) -> dict[str, float]:
    """Run a pipeline in this process; return the seconds that it took, and its pages with text."""
    PIPELINES[name](archive, out)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    written = sorted(out.rglob("*.parquet")) if out.is_dir() else [out]
    pages = sum(len(list(filter(None, pq.read_table(file, columns=["text"])["text"].to_pylist()))) for file in written)
    return {"seconds": process_time() + children.ru_utime + children.ru_stime, "pages": pages}


def _in_own_process(name: str, archive: Path) -> dict[str, float] | None:
    """Run a pipeline in a process of its own; return None for one that is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        # A folder to some, a file to others.
        command = [sys.executable, "-m", "benchmarks.pipelines", "--run", name, str(archive), f"{folder}/out.parquet"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        print(f"left out: {name} ({ended.stderr.strip().rpartition(chr(10))[2]})")
        return None
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def measure(folder: Path, pages: int, rounds: int) -> dict[str, tuple[float, float]]:
    """Return for each pipeline the seconds that a page takes, and the share of the pages that it gives text of."""
    small, archive = folder / "small" / "pages.warc.gz", folder / "all" / "pages.warc.gz"
    for path in (small, archive):
        path.parent.mkdir()
    write_archive(small, pages=FIRST_PAGES)
    write_archive(archive, pages=pages)
    measured = {}
    for name in PIPELINES:
        runs = []
        for _ in range(rounds):
            idle, done = (_in_own_process(name, path) for path in (small, archive))
            if idle is None or done is None:
                break
            runs.append(((done["seconds"] - idle["seconds"]) / (pages - FIRST_PAGES), done["pages"] / pages))
        if runs:
            measured[name] = median(seconds for seconds, _ in runs), runs[0][1]
            print(f"{name}: {1 / measured[name][0]:.0f} pages a second", flush=True)
    return measured


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of the documentation")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        name, archive, out = arguments.run
        print(f"\n{json.dumps(run(name, Path(archive), Path(out)))}")
        return
    if arguments.pages <= FIRST_PAGES:
        parser.error(f"--pages must be above {FIRST_PAGES}")
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), arguments.pages, arguments.rounds)
    first = measured[FIRST][0]
    rows = [
        (name, f"{1 / seconds:.0f}", f"{seconds / first:.2f}", f"{share:.0%}")
        for name, (seconds, share) in measured.items()
    ]
    note = f"{arguments.pages} pages, {origin()}; medians of {arguments.rounds} rounds, in processor time."
    heads = ("from WARC to Parquet", "pages a second, one core", "time beside the first", "pages with text")
    print("", note, *map("  ".join, (heads, *rows)), sep="\n")
    if arguments.markdown:
        write_table(arguments.markdown, note, heads, rows)


if __name__ == "__main__":
    main()
