"""From the command line to the output: what is to be done, checked, and then done."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import closing
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import scrapy_justext
from scrapy_justext.archives import output
from scrapy_justext.archives.formats import FORMATS, Format, describe, find_format
from scrapy_justext.archives.output import Output, Progress, plain, unfinished
from scrapy_justext.archives.readers import Source, find_sources
from scrapy_justext.archives.records import Columns, Place
from scrapy_justext.archives.work import Chunk, Pool, Setup, make_chunks
from scrapy_justext.crawl.settings import Layers, configure, from_settings, is_enabled, make_layers
from scrapy_justext.exceptions import ArchiveError, JustextError, ParameterError, require
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Generator, Sequence
    from types import FrameType, TracebackType

    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_justext.archives.work import Trouble

# Ctrl-C: one line and an exit status, from the moment on that Scrapy knows which command it is to run.

INTERRUPTED = 130


def tell() -> None:
    """Say that the run was ended."""
    print("justext-archive: interrupted; run the same again to go on", file=sys.stderr, flush=True)


def end_at_once() -> None:
    """While there is nothing to be put in order, end the process where it is: in the middle of an import, mostly.

    One that is not to see Ctrl-C, as in the background of a shell, does not see it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def interrupt() -> None:
    """From here on, raise ``KeyboardInterrupt`` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    tell()
    os._exit(INTERRUPTED)


# How far a run is: a bar on a terminal, elsewhere a line now and then.

#: Seconds between two lines.
INTERVAL = 30.0


class Bar:
    """To be used in a ``with`` statement, and told how many bytes of the input are done.

    ``total``: all of them; ``done``: those that are done at the start, with ``pages`` pages.
    """

    def __init__(self, total: int, done: int, pages: int) -> None:
        self._done = self._start = done
        self._start_pages = pages
        self._begun = monotonic()
        self._next_line = self._begun + INTERVAL
        self._total = total
        self._tqdm: Any = require("tqdm", "archive").tqdm(
            total=total, initial=done, unit="B", unit_scale=True, dynamic_ncols=True, disable=None, file=sys.stderr
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._tqdm.close()

    def advance(self, done: int, pages: int) -> None:
        """So many bytes are done by now, with so many pages."""
        now = monotonic()
        rate = (pages - self._start_pages) / max(now - self._begun, 1e-9)
        self._tqdm.set_postfix_str(f"{pages} pages, {rate:.0f} a second", refresh=False)
        self._tqdm.update(done - self._done)
        self._done = done
        if self._tqdm.disable and now >= self._next_line:
            self._next_line = now + INTERVAL
            left = (self._total - done) * (now - self._begun) / max(done - self._start, 1)
            share = done / max(self._total, 1)
            print(f"{share:.0%}: {pages} pages, {rate:.0f} a second, {left:.0f} s left", file=sys.stderr, flush=True)

    def tell(self, trouble: Trouble) -> None:
        """Say what is wrong with a record."""
        where = trouble.where
        self._tqdm.write(f"{where.file}, {where.offset}: {trouble.what}", file=sys.stderr)


DONE, BAD_INPUT = 0, 2


class Job(NamedTuple):
    """What is to be done.  ``timeout``: seconds that a page may take; None: any."""

    sources: Sequence[Source]
    out: Path
    form: Format
    layers: Layers
    task: dict[str, Any]
    processes: int
    timeout: float | None
    restart: bool


def add_options(parser: ArgumentParser) -> None:
    """Add what can be asked for."""
    # What is short for an option today may be short for two tomorrow.
    parser.allow_abbrev = False
    group = parser.add_argument_group("Archives")
    add = group.add_argument
    add("-o", "--output", metavar="OUT", help=f"where the rows go: a name that ends in {', '.join(FORMATS)}")
    add("--restart", action="store_true", help="begin anew, whatever is at OUT")
    add("--processes", metavar="N", help="that extract (default: one for each core)")
    add(
        "--timeout",
        metavar="SECONDS",
        help="a page that takes longer is given up and counted (default: JUSTEXT_TIMEOUT)",
    )
    add("--summary", metavar="FILE", help="write the counts and the damaged records there, as JSON")
    columns = Columns()
    for name, of in (("html", "the page"), ("url", "its URL"), ("content_type", "its content type, if there is one")):
        option = name.replace("_", "-")
        default = getattr(columns, name)
        add(
            f"--{option}-column",
            metavar="NAME",
            default=default,
            help=f"of Parquet, or key of JSON Lines, that holds {of} (default: {default})",
        )


def run(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> int:
    """Do what was asked for, and give the exit status."""
    try:
        job = make_job(arguments, options, settings)
        interrupt()
        progress = clean(job)
        if options.summary is not None:
            _write_summary(Path(options.summary), progress)
    except JustextError as error:
        print("justext-archive:", " ".join(str(error).split()), file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        tell()
        return INTERRUPTED
    print(output.as_table(progress))
    return DONE


def make_job(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> Job:
    """What the command line says, checked; raises :class:`~scrapy_justext.exceptions.JustextError`."""
    names = _inputs(arguments)
    if options.output is None:
        raise ArchiveError("-o OUT", "is missing")
    layers = make_layers(from_settings(settings), {})
    configurations = [configure(layers.given(site)) for site in (None, *layers.sites)]
    if not is_enabled(layers.given()):
        raise ArchiveError("JUSTEXT_ENABLED", "is off")
    columns = Columns(options.html_column, options.url_column, options.content_type_column)
    out = Path(options.output)
    form = find_format(out.name)
    if os.path.isdir(out):
        raise ArchiveError(out, "is a folder; the output is a file")
    sources = find_sources(names, columns, max(one.max_body_bytes for one in configurations))
    if options.summary is not None:
        _check_writable(Path(options.summary))
    timeout = options.timeout if options.timeout is not None else settings.get("JUSTEXT_TIMEOUT")
    task = {
        "inputs": [source.stamp for source in sources],
        "settings": {name: plain(given.value) for name, given in sorted(layers.project.items())},
        "columns": list(columns),
        "version": scrapy_justext.__version__,
    }
    return Job(
        sources,
        out,
        form,
        layers,
        json.loads(json.dumps(task)),
        _processes(options.processes),
        None if timeout is None else _positive("--timeout", timeout, float),
        options.restart,
    )


def clean(job: Job) -> Progress:
    """Read, extract and write, from where an earlier run came to."""
    total = sum(source.size for source in job.sources)
    with unfinished(job.out, job.task, restart=job.restart) as output:
        progress = output.progress
        done = _done(job.sources, progress)
        if not progress.is_read:
            with Bar(total, done, progress.counts["pages"]) as bar:
                _work(job, output, bar)
        output.finish(job.form)
    return progress


def _work(job: Job, output: Output, bar: Bar) -> None:
    chunks = _chunks(job.sources, output.progress)
    progress = output.progress
    try:
        with Pool(job.processes, Setup(job.layers, job.out.name), job.timeout) as pool, closing(chunks):
            for chunk, result in pool.work(chunks):
                output.add(result, chunk.behind)
                bar.advance(_done(job.sources, progress), progress.counts["pages"])
                for trouble in result.troubles:
                    bar.tell(trouble)
    except (KeyboardInterrupt, ArchiveError):
        output.save()
        raise


def _chunks(sources: Sequence[Source], progress: Progress) -> Generator[Chunk, None, None]:
    first, place, _ = progress.position
    for number, source in enumerate(sources[first:], first):
        try:
            yield from make_chunks(number, source.read(place))
        except OSError as error:
            raise ArchiveError(source.path, f"cannot be read: {describe(error)}") from error
        place = Place()


def _done(sources: Sequence[Source], progress: Progress) -> int:
    """The bytes of the input that are done."""
    return sum(source.size for source in sources[: progress.position.source]) + progress.position.done


def _inputs(arguments: Sequence[str]) -> Sequence[str]:
    for one in arguments:
        if one.startswith("-"):
            raise ArchiveError(one, "no such option")
    if not arguments:
        raise ArchiveError("IN", "none given; scrapy justext-archive -h tells more")
    return arguments


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
        raise ArchiveError(path, f"cannot be written: {describe(error)}") from error


def _write_summary(path: Path, progress: Progress) -> None:
    try:
        write_whole(path, (json.dumps(output.as_json(progress), indent=2, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise ArchiveError(path, f"cannot be written: {describe(error)}") from error
