"""A run of the archive command: what is to be done, checked first, and then done."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Set
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from scrapy_justext import core
from scrapy_justext.archives.command import DONE, STANDARD_OUTPUT, raise_on_interrupt
from scrapy_justext.archives.output import (
    PARQUET,
    Output,
    OutputFormat,
    PrintedOutput,
    RunProgress,
    find_suffix,
    format_summary,
    make_format,
    summary_to_json,
    unfinished,
)
from scrapy_justext.archives.readers import Source, find_source
from scrapy_justext.archives.records import OTHERS_OPTION, InputPosition, PageColumns
from scrapy_justext.archives.work import Chunk, configure_rows, extract_chunks, fields_of_rows, make_chunks
from scrapy_justext.crawl.commands import Progress, chosen_settings, on_one_line
from scrapy_justext.crawl.conversion import at_least_one, converted, seconds
from scrapy_justext.crawl.settings import Layers, from_settings, is_enabled, make_layers
from scrapy_justext.exceptions import ArchiveError, JustextError
from scrapy_justext.files import explaining, write_whole
from scrapy_justext.tables import OTHER_FIELDS, check_names, make_schema

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Generator, Sequence

    from scrapy.settings import BaseSettings


class ArchiveJob(NamedTuple):
    """What is to be done."""

    sources: Sequence[Source]
    out: Path
    output_format: OutputFormat
    layers: Layers
    task: dict[str, Any]
    """What decides the output, as JSON values: an unfinished output is continued only by a run with the same."""
    processes: int
    timeout: float | None
    """Seconds that a page may take; None for any number."""
    restart: bool

    @property
    def is_printed(self) -> bool:
        """Whether the rows go to standard output."""
        return str(self.out) == STANDARD_OUTPUT


def run(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> int:
    """Do what was asked for, and return the exit status; raise :class:`~scrapy_justext.exceptions.JustextError`."""
    job = make_job(arguments, options, settings)
    raise_on_interrupt()
    progress = clean(job)
    if options.summary is not None:
        path = Path(options.summary)
        with explaining(path, "written", ArchiveError):
            write_whole(path, (json.dumps(summary_to_json(progress), indent=2, ensure_ascii=False) + "\n").encode())
    # Nothing may stand among the rows.
    print(format_summary(progress.counts, progress.seconds), file=sys.stderr if job.is_printed else sys.stdout)
    return DONE


def make_job(arguments: Sequence[str], options: Namespace, settings: BaseSettings) -> ArchiveJob:
    """Return what the command line says, checked; raise :class:`~scrapy_justext.exceptions.JustextError`."""
    for argument in arguments:
        if argument.startswith("-"):
            raise ArchiveError(argument, "no such option")
    if not arguments:
        raise ArchiveError("IN", "none given; scrapy justext-archive -h tells more")
    if options.output is None:
        raise ArchiveError("-o OUT", "is missing")
    layers = make_layers(from_settings(settings), chosen_settings(options))
    choices = [layers.given(site) for site in (None, *layers.sites)]
    configurations = [configure_rows(given) for given in choices]
    if not any(map(is_enabled, choices)):
        raise ArchiveError("JUSTEXT_ENABLED", "is off")
    columns = PageColumns.of(options)
    out = Path(options.output)
    suffix = find_suffix(options.output)
    if os.path.isdir(out):
        raise ArchiveError(out, "is a folder; the output is a file")
    max_bytes = max(configuration.max_body_bytes for configuration in configurations)
    sources = [find_source(Path(argument), columns, max_bytes) for argument in arguments]
    fields = [fields_of_rows(configuration) for configuration in configurations]
    columns.check_kept(dict.fromkeys(name for source in sources for name in source.names))
    for source in sources:
        check_names(source.path, source.others.names, set().union(*fields), f" with {OTHERS_OPTION}")
    if options.summary is not None:
        _check_writable(Path(options.summary))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    timeout = options.timeout if options.timeout is not None else settings.get("JUSTEXT_TIMEOUT")
    task = {
        "inputs": [source.stamp for source in sources],
        "settings": {name: given.value for name, given in {**layers.project, **layers.spider}.items()},
        "columns": columns,
        "version": core.__version__,
    }
    schema = None
    if suffix == PARQUET:
        schema = make_schema(fields, _unite(sources))
        # A table has the same columns in all its parts.
        task["schema"] = [(field.name, str(field.type)) for field in schema.whole]
    return ArchiveJob(
        sources=sources,
        out=out,
        output_format=make_format(suffix, schema),
        layers=layers,
        task=json.loads(json.dumps(task, default=_as_json)),
        processes=cores if options.processes is None else converted("--processes", options.processes, at_least_one),
        timeout=None if timeout is None else converted("--timeout", timeout, seconds),
        restart=options.restart,
    )


def _unite(sources: Sequence[Source]) -> pa.Schema:
    """Return the other columns of all sources; raise :class:`ArchiveError` where two differ in a type.

    Where one has no types, its values that do not fit are kept as JSON.
    """
    types: dict[str, pa.DataType] = {}
    for source in sorted(sources, key=lambda source: not source.has_types):
        for field in source.others:
            known = types.setdefault(field.name, field.type)
            if pa.types.is_null(known):
                types[field.name] = field.type
            elif field.type not in (known, pa.null()) and (source.has_types or field.name == OTHER_FIELDS):
                problem = f"its column {field.name!r} is of the type {field.type}, that of another input is {known}"
                raise ArchiveError(source.path, f"{problem}: leave it out with {OTHERS_OPTION}, or make two outputs")
    return pa.schema(list(types.items()))


def _as_json(value: object) -> object:
    """Return what stands for a value that JSON does not have; sets in the same order in whatever process."""
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(value, key=str) if isinstance(value, Set) else str(value)


def _check_writable(path: Path) -> None:
    """Raise :class:`ArchiveError` where a file could not be written; what is there stays as it is."""
    is_new = not os.path.exists(path)
    with explaining(path, "written", ArchiveError):
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()


def clean(job: ArchiveJob) -> RunProgress:
    """Read, extract and write, from where an earlier run stopped."""
    if job.is_printed:
        printed = PrintedOutput()
        _work(job, printed)
        return printed.progress
    with unfinished(job.out, job.task, restart=job.restart) as output:
        if not output.progress.is_read:
            _work(job, output)
        output.finish(job.output_format)
    return output.progress


def _work(job: ArchiveJob, output: Output | PrintedOutput) -> None:
    progress = output.progress
    begun, first_pages = monotonic(), progress.counts["pages"]
    done = _bytes_done(job.sources, progress)
    chunks = _read_chunks(job.sources, progress.position)
    setup = job.layers, job.output_format.encode, job.timeout
    try:
        with (
            Progress(sum(source.size for source in job.sources), done) as bar,
            closing(chunks),
            closing(extract_chunks(chunks, job.processes, setup)) as results,
        ):
            for chunk, result in results:
                output.add(result, chunk.behind)
                if not output.is_wanted:
                    break
                pages = progress.counts["pages"]
                rate = (pages - first_pages) / max(monotonic() - begun, 1e-9)
                before, done = done, _bytes_done(job.sources, progress)
                bar.advance(f"{pages} pages, {rate:.0f} a second", done - before)
                for trouble in result.troubles:
                    bar.tell(on_one_line(f"{trouble.location.file}, {trouble.location.offset}: {trouble.what}"))
    except (KeyboardInterrupt, JustextError):
        output.save()
        raise


def _read_chunks(sources: Sequence[Source], position: InputPosition) -> Generator[Chunk, None, None]:
    for number, source in enumerate(sources[position.source :], position.source + 1):
        with explaining(source.path, "read", ArchiveError):
            yield from make_chunks(source.read(position))
        position = InputPosition(number)


def _bytes_done(sources: Sequence[Source], progress: RunProgress) -> int:
    return sum(source.size for source in sources[: progress.position.source]) + progress.position.done
