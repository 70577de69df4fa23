"""A run of the archive command: what is to be done, checked first, and then done."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

import scrapy_justext
from scrapy_justext.archives.command import DONE, raise_on_interrupt
from scrapy_justext.archives.formats import OutputFormat, find_format
from scrapy_justext.archives.output import Output, RunProgress, format_summary, plain, summary_to_json, unfinished
from scrapy_justext.archives.readers import Source, find_sources
from scrapy_justext.archives.records import PageColumns, SourcePosition
from scrapy_justext.archives.work import Chunk, Setup, extract_chunks, make_chunks
from scrapy_justext.crawl.settings import Layers, configure, from_settings, is_enabled, make_layers
from scrapy_justext.exceptions import ArchiveError, JustextError, ParameterError, describe_os_error
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Generator, Sequence
    from types import TracebackType

    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_justext.archives.work import Trouble


class ArchiveJob(NamedTuple):
    """What is to be done."""

    sources: Sequence[Source]
    out: Path
    output_format: OutputFormat
    layers: Layers
    task: dict[str, Any]
    """What decides the output, in JSON: only a run with the same goes on with an unfinished output."""
    processes: int
    timeout: float | None
    """Seconds that a page may take; None for any number."""
    restart: bool


def run(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> int:
    """Do what was asked for, and return the exit status; raise :class:`~scrapy_justext.exceptions.JustextError`."""
    job = make_job(arguments, options, settings)
    raise_on_interrupt()
    progress = clean(job)
    if options.summary is not None:
        _write_summary(Path(options.summary), progress)
    print(format_summary(progress.counts, progress.seconds))
    return DONE


def make_job(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> ArchiveJob:
    """Return what the command line says, checked; raise :class:`~scrapy_justext.exceptions.JustextError`."""
    _check_inputs(arguments)
    if options.output is None:
        raise ArchiveError("-o OUT", "is missing")
    layers = make_layers(from_settings(settings), {})
    configurations = [configure(layers.given(site)) for site in (None, *layers.sites)]
    if not is_enabled(layers.given()):
        raise ArchiveError("JUSTEXT_ENABLED", "is off")
    columns = PageColumns(options.html_column, options.url_column, options.content_type_column)
    out = Path(options.output)
    output_format = find_format(out.name)
    if os.path.isdir(out):
        raise ArchiveError(out, "is a folder; the output is a file")
    sources = find_sources(arguments, columns, max(each.max_body_bytes for each in configurations))
    if options.summary is not None:
        _check_writable(Path(options.summary))
    timeout = options.timeout if options.timeout is not None else settings.get("JUSTEXT_TIMEOUT")
    task = {
        "inputs": [source.stamp for source in sources],
        "settings": {name: plain(given.value) for name, given in sorted(layers.project.items())},
        "columns": list(columns),
        "version": scrapy_justext.__version__,
    }
    return ArchiveJob(
        sources,
        out,
        output_format,
        layers,
        json.loads(json.dumps(task)),
        _processes(options.processes),
        None if timeout is None else _positive("--timeout", timeout, float),
        options.restart,
    )


def _check_inputs(arguments: Sequence[str]) -> None:
    for argument in arguments:
        if argument.startswith("-"):
            raise ArchiveError(argument, "no such option")
    if not arguments:
        raise ArchiveError("IN", "none given; scrapy justext-archive -h tells more")


def _processes(value: str | None) -> int:
    if value is not None:
        return int(_positive("--processes", value, int))
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _positive(name: str, value: object, kind: Callable[[Any], float]) -> float:
    try:
        number = kind(value)
    except (TypeError, ValueError):
        number = 0
    if not 0 < number < inf:
        raise ParameterError(name, value, "must be a number above 0")
    return number


def _check_writable(path: Path) -> None:
    """Raise :class:`ArchiveError` where a file could not be written; what is there stays as it is."""
    is_new = not os.path.exists(path)
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        raise ArchiveError(path, f"cannot be written: {describe_os_error(error)}") from error


def _write_summary(path: Path, progress: RunProgress) -> None:
    try:
        write_whole(path, (json.dumps(summary_to_json(progress), indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise ArchiveError(path, f"cannot be written: {describe_os_error(error)}") from error


def clean(job: ArchiveJob) -> RunProgress:
    """Read, extract and write, from where an earlier run came to."""
    total = sum(source.size for source in job.sources)
    with unfinished(job.out, job.task, restart=job.restart) as output:
        progress = output.progress
        if not progress.is_read:
            with Bar(total, _bytes_done(job.sources, progress), progress.counts["pages"]) as bar:
                _work(job, output, bar)
        output.finish(job.output_format)
    return progress


def _work(job: ArchiveJob, output: Output, bar: Bar) -> None:
    progress = output.progress
    chunks = _read_chunks(job.sources, progress)
    try:
        setup = Setup(job.layers, job.out.name, job.timeout)
        with closing(chunks), closing(extract_chunks(chunks, job.processes, setup)) as results:
            for chunk, result in results:
                output.add(result, chunk.behind)
                bar.advance(_bytes_done(job.sources, progress), progress.counts["pages"])
                for trouble in result.troubles:
                    bar.tell(trouble)
    except (KeyboardInterrupt, JustextError):
        output.save()
        raise


def _read_chunks(sources: Sequence[Source], progress: RunProgress) -> Generator[Chunk, None, None]:
    first, position, _ = progress.position
    for number, source in enumerate(sources[first:], first):
        try:
            yield from make_chunks(number, source.read(position))
        except OSError as error:
            raise ArchiveError(source.path, f"cannot be read: {describe_os_error(error)}") from error
        position = SourcePosition()


def _bytes_done(sources: Sequence[Source], progress: RunProgress) -> int:
    return sum(source.size for source in sources[: progress.position.source]) + progress.position.done


#: Seconds between two lines of progress where there is no terminal.
_LINE_INTERVAL = 30.0


class Bar:
    """Shows how far a run is, inside a ``with`` statement: by a bar on a terminal, elsewhere by a line now and then.

    ``total``: the bytes of the input.  ``done``: those that an earlier run has done, with ``pages`` pages.
    """

    def __init__(self, total: int, done: int, pages: int) -> None:
        self._done = self._first_done = done
        self._first_pages = pages
        self._begun = monotonic()
        self._next_line = self._begun + _LINE_INTERVAL
        self._total = total
        self._tqdm = tqdm(
            total=total, initial=done, unit="B", unit_scale=True, dynamic_ncols=True, disable=None, file=sys.stderr
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._tqdm.close()

    def advance(self, done: int, pages: int) -> None:
        """Show that so many bytes are done by now, with so many pages."""
        now = monotonic()
        rate = (pages - self._first_pages) / max(now - self._begun, 1e-9)
        self._tqdm.set_postfix_str(f"{pages} pages, {rate:.0f} a second", refresh=False)
        self._tqdm.update(done - self._done)
        self._done = done
        if self._tqdm.disable and now >= self._next_line:
            self._next_line = now + _LINE_INTERVAL
            left = (self._total - done) * (now - self._begun) / max(done - self._first_done, 1)
            share = done / max(self._total, 1)
            print(f"{share:.0%}: {pages} pages, {rate:.0f} a second, {left:.0f} s left", file=sys.stderr, flush=True)

    def tell(self, trouble: Trouble) -> None:
        """Say what is wrong with a record."""
        location = trouble.location
        self._tqdm.write(f"{location.file}, {location.offset}: {trouble.what}", file=sys.stderr)
