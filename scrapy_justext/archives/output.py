"""The output in its formats, and while it is unfinished: a folder beside it, from which a run that was ended goes on.

::

    OUT.unfinished/rows           what the chunks became, one behind the other
    OUT.unfinished/journal.json   how far the run got: a :class:`RunProgress`
    OUT.unfinished/.lock          there while a run is going on

Rows are written first and noted in the journal afterwards.  Rows beyond the length in the journal come from a run that
ended in between: they are cut off and made again.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, fields
from datetime import date, time
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pyarrow as pa

from scrapy_justext.archives.command import STANDARD_OUTPUT
from scrapy_justext.archives.records import BEGINNING, InputPosition, Location
from scrapy_justext.archives.work import Trouble
from scrapy_justext.compression import ZSTANDARD_LEVEL, zstd
from scrapy_justext.core.corpora import CORPUS_FORMATS, CorpusFormat, CorpusPage
from scrapy_justext.crawl.commands import discard_rest, format_sections, in_json, rows_of_stats
from scrapy_justext.exceptions import ArchiveError, describe_os_error
from scrapy_justext.files import LOCK_FILE, locked, write_whole
from scrapy_justext.tables import ParquetGroups, to_batch, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from io import FileIO
    from pathlib import Path

    from scrapy_justext.archives.work import ChunkResult
    from scrapy_justext.tables import ExtractionRow, RowSchema

#: Of gzip: four fifths of the default's savings for a third of its time.
_GZIP_LEVEL = 3


class OutputFormat(NamedTuple):
    """How the rows of a chunk become bytes, which are appended to those of the chunks before it."""

    encode: Callable[[Sequence[ExtractionRow]], bytes]
    finish: Callable[[Path, Path], None] | None = None
    """Make the output of all that was appended; None if all that was appended is the output already."""


def find_suffix(name: str) -> str:
    """Return the end of the name of an output, which tells its format; raise :class:`ArchiveError`."""
    suffix = next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), None)
    if suffix is None and name != STANDARD_OUTPUT:
        raise ArchiveError(name, f"the output's format is told by the end of its name, one of {', '.join(SUFFIXES)}")
    return suffix or ".jsonl"


def make_format(suffix: str, schema: RowSchema | None = None) -> OutputFormat:
    """Return a format by the end of its names.  ``schema``: that of the rows, which Parquet needs."""
    if schema is None:
        return _FORMATS_OF_LINES[suffix]
    return OutputFormat(partial(_encode_arrow, schema), partial(_finish_parquet, schema))


# JSON Lines, and the formats of corpora.


def _encode_rows(
    write: Callable[[ExtractionRow], bytes], compress: Callable[[bytes], bytes], rows: Sequence[ExtractionRow]
) -> bytes:
    written = b"".join(map(write, rows))
    return compress(written) if written else b""


def _line(row: ExtractionRow) -> bytes:
    values = to_json(row)
    try:
        # Ten times as fast as Python's own, which would take a tenth of the time of extraction.
        return orjson.dumps(values, _as_json) + b"\n"
    except TypeError:
        # A number of more than 64 bits, or what nests deeper than some hundred levels.
        return json.dumps(values, default=_as_json, ensure_ascii=False).encode() + b"\n"


def _as_json(value: object) -> str:
    """Return what stands for a value that JSON does not have."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _corpus_page(corpus: CorpusFormat, row: ExtractionRow) -> bytes:
    others = row.others
    if isinstance(others, Mapping):
        fetched = others.get("date")
    else:
        fetched = others.batch["date"][0].as_py() if "date" in others.batch.schema.names else None
    crawled = fetched if fetched is None or isinstance(fetched, str) else _as_json(fetched)
    return corpus.write(CorpusPage.of(row.extraction, which=row.blocks, crawled=crawled)._replace(url=row.url))


def _finish_zstandard(chunks: Path, out: Path, begin: bytes = b"", end: bytes = b"") -> None:
    """Compress the rows again into one frame, since many readers stop at the end of the first."""
    if not chunks.stat().st_size:
        # A file without any frame would be one that was cut off.
        out.write_bytes(zstd.compress(begin + end))
        return
    with zstd.open(chunks) as rows, zstd.open(out, "wb", level=ZSTANDARD_LEVEL) as target:
        target.write(begin)
        shutil.copyfileobj(rows, target)
        target.write(end)


def _finish_around(begin: bytes, end: bytes, chunks: Path, out: Path) -> None:
    """Write what stands before and behind all rows."""
    with chunks.open("rb") as rows, out.open("wb") as target:
        target.write(begin)
        shutil.copyfileobj(rows, target)
        target.write(end)


# Parquet: until the end, the rows of each chunk are an Arrow stream.


def _encode_arrow(schema: RowSchema, rows: Sequence[ExtractionRow]) -> bytes:
    if not rows:
        return b""
    batch = to_batch(rows, schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _finish_parquet(schema: RowSchema, chunks: Path, out: Path) -> None:
    end = chunks.stat().st_size
    with chunks.open("rb") as file, closing(ParquetGroups(out, schema.whole)) as groups:
        while file.tell() < end:
            for batch in pa.ipc.open_stream(file):
                groups.write(batch)


# Every reader takes what is appended to a gzip file as a part of it.
_gzip = partial(gzip.compress, compresslevel=_GZIP_LEVEL, mtime=0)
_zstandard = partial(zstd.compress, level=ZSTANDARD_LEVEL)


def _compressed(
    suffix: str, write: Callable[[ExtractionRow], bytes], begin: str = "", end: str = ""
) -> dict[str, OutputFormat]:
    """Return a format whose pages are written one by one, as it is and compressed, by the ends of names."""
    head, tail = begin.encode(), end.encode()
    around = partial(_finish_around, head, tail) if head else None
    around_gzip = partial(_finish_around, _gzip(head), _gzip(tail)) if head else None
    frame = partial(_finish_zstandard, begin=head, end=tail)
    return {
        suffix: OutputFormat(partial(_encode_rows, write, bytes), around),
        f"{suffix}.gz": OutputFormat(partial(_encode_rows, write, _gzip), around_gzip),
        f"{suffix}.zst": OutputFormat(partial(_encode_rows, write, _zstandard), frame),
    }


_FORMATS_OF_LINES = _compressed(".jsonl", _line)
for name, corpus in CORPUS_FORMATS.items():
    _FORMATS_OF_LINES |= _compressed(f".{name}", partial(_corpus_page, corpus), corpus.begin, corpus.end)
PARQUET = ".parquet"
#: The ends of the names of outputs, each of which tells a format.
SUFFIXES = (*_FORMATS_OF_LINES, PARQUET)

# The folder beside the output.

#: Seconds between two entries in the journal: at most so much is done twice.
_INTERVAL = 2.0
#: Damaged records and failed pages that are remembered; all are counted.
_REMEMBERED = 1000

_ROWS, _JOURNAL = "rows", "journal.json"


@dataclass
class RunProgress:
    """What was done up to a position in the input."""

    position: InputPosition = BEGINNING
    length: int = 0
    """Bytes of the unfinished rows that are sound."""
    counts: Counter[str] = field(default_factory=Counter)
    troubles: list[Trouble] = field(default_factory=list)
    seconds: float = 0.0
    """Seconds spent, by all the runs that it took."""
    is_read: bool = False
    """Whether the whole input was read."""

    def add(self, result: ChunkResult, behind: InputPosition) -> None:
        """Add what became of the next chunk."""
        self.position = behind
        self.length += len(result.encoded)
        self.counts.update(result.counts)
        self.troubles += result.troubles[: _REMEMBERED - len(self.troubles)]


class Output:
    """Takes every result, and notes how far the input was read.  :func:`unfinished` makes it."""

    is_wanted = True

    def __init__(self, out: Path, rows: FileIO, task: Mapping[str, Any], progress: RunProgress) -> None:
        self.progress = progress
        self._out = out
        self._rows = rows
        self._task = task
        self._saved = monotonic()

    def add(self, result: ChunkResult, behind: InputPosition) -> None:
        """Append the rows of the next chunk, and note now and then how far the input was read."""
        left = memoryview(result.encoded)
        try:
            # Where there is no room for all the bytes, some of them may be written.
            while left:
                left = left[self._rows.write(left) :]
        except OSError:
            # Without the part of a chunk that was written the journal may find room.
            with suppress(OSError):
                self._rows.truncate(self.progress.length)
                self.save()
            raise
        self.progress.add(result, behind)
        if monotonic() - self._saved >= _INTERVAL:
            self.save()

    def save(self) -> None:
        """Note how far the input was read."""
        os.fsync(self._rows.fileno())
        now = monotonic()
        self.progress.seconds += now - self._saved
        journal = {"task": self._task, **vars(self.progress)}
        write_whole(_folder(self._out) / _JOURNAL, json.dumps(journal).encode())
        self._saved = now

    def finish(self, output_format: OutputFormat) -> None:
        """Put the output where it belongs, all at once."""
        self.progress.is_read = True
        self.save()
        self._rows.close()
        folder = _folder(self._out)
        finished = folder / _ROWS
        if output_format.finish is not None:
            finished = folder / "finished"
            output_format.finish(folder / _ROWS, finished)
        finished.replace(self._out)


class PrintedOutput:
    """Takes every result for standard output, where no run can go on.

    ``is_wanted``: False as soon as nobody reads any more.
    """

    def __init__(self) -> None:
        self.progress = RunProgress()
        self.is_wanted = True
        self._begun = monotonic()
        if sys.stdout is None:
            raise ArchiveError("standard output", "cannot be written: it is closed")

    def add(self, result: ChunkResult, behind: InputPosition) -> None:
        """Print the rows of the next chunk, harmless ones on a terminal."""
        rows = result.encoded
        if sys.stdout.isatty():
            rows = in_json(rows.decode()).encode()
        try:
            sys.stdout.buffer.write(rows)
            sys.stdout.flush()
        except BrokenPipeError:
            self.is_wanted = False
            discard_rest(sys.stdout)
        except OSError as error:
            discard_rest(sys.stdout)
            raise ArchiveError("standard output", f"cannot be written: {describe_os_error(error)}") from error
        self.progress.add(result, behind)
        self.progress.seconds = monotonic() - self._begun

    def save(self) -> None:
        """Note nothing: what was printed stays printed."""


@contextmanager
def unfinished(out: Path, task: Mapping[str, Any], *, restart: bool) -> Iterator[Output]:
    """Give the output of a run that is to do ``task``, as far as an earlier run came with it.

    Raise :class:`ArchiveError` if there is a finished output, or one of another task, unless ``restart``; also for
    errors of the operating system.
    """
    folder = _folder(out)
    try:
        with locked(folder):
            if restart:
                _empty(folder)
            elif out.exists() and not (folder / _ROWS).exists():
                raise ArchiveError(out, "is there already; --restart makes it anew")
            progress = _load_journal(folder / _JOURNAL, task)
            # No buffer: closing the file would try once more to write what did not fit.
            with (folder / _ROWS).open("ab", buffering=0) as rows:
                rows.truncate(progress.length)
                output = Output(out, rows, task, progress)
                output.save()
                yield output
            _empty(folder)
    except OSError as error:
        is_noted = (folder / _JOURNAL).exists()
        if not is_noted:
            (folder / _ROWS).unlink(missing_ok=True)
        kept = "; what was finished is kept, and gone on with when the same is run again" if is_noted else ""
        raise ArchiveError(out, f"cannot be written: {describe_os_error(error)}{kept}") from error
    finally:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _folder(out: Path) -> Path:
    return out.with_name(out.name + ".unfinished")


def _empty(folder: Path) -> None:
    """Remove what is in a folder but for the lock, which its holder removes."""
    for path in folder.iterdir():
        if path.name != LOCK_FILE:
            path.unlink()


def _load_journal(path: Path, task: Mapping[str, Any]) -> RunProgress:
    """Return how far a run got; raise :class:`ArchiveError` where it was to do something else than ``task``."""
    try:
        values = json.loads(path.read_text("utf-8"))
        progress = RunProgress(**{field.name: values[field.name] for field in fields(RunProgress)})
        progress.position = InputPosition(*values["position"])
        progress.counts = Counter(values["counts"])
        progress.troubles = [Trouble(Location(*location), what) for location, what in values["troubles"]]
    except FileNotFoundError:
        return RunProgress()
    except (ValueError, KeyError, TypeError) as error:
        raise ArchiveError(path, "is damaged; --restart begins anew") from error
    differing = [name for name in task if values["task"].get(name) != task[name]]
    if differing:
        advice = "give the same to go on, or --restart to begin anew"
        raise ArchiveError(path.parent, f"was begun with other {' and '.join(differing)}; {advice}")
    return progress


# What a run did: the summary, as a table and as JSON.

#: Single counts, with what they are called; those that are 0 are left out but for the first two.
_COUNTS = {
    "records": "records read",
    "rows": "rows written",
    "pages": "pages cleaned",
    "pages_without_good_content": "of them without good content",
    "pages_judged_without_stop_words": "of them judged without stop words",
    "pages_cut_at_depth": "of them cut by the parser",
    "errors": "pages with an error",
    "timeouts": "pages that took too long",
    "crashes": "pages that ended the process",
}
#: The groups of counts, by what their names begin with, each with its title.
_GROUPS = {"skipped": "Not cleaned because", "errors": "Errors", "language": "Languages", "blocks": "Blocks"}


def format_summary(counts: Counter[str], seconds: float = 0.0) -> str:
    """Return the summary to read, without the speed where ``seconds`` is 0."""
    shown = [(counts[name], what) for name, what in _COUNTS.items() if counts[name] or name in ("records", "rows")]
    groups = {title: rows_of_stats(counts, f"{prefix}/") for prefix, title in _GROUPS.items()}
    speed = [(f"{seconds:.1f}", f"seconds, {counts['pages'] / seconds:.0f} pages a second")] if seconds else []
    return format_sections({"Pages": shown, **groups, "Time": speed})


def summary_to_json(progress: RunProgress) -> dict[str, Any]:
    """Return the summary to read by machine, whose counts are named as a crawl's stats are."""
    return {
        "counts": dict(sorted(progress.counts.items())),
        "troubles": [{**trouble.location._asdict(), "what": trouble.what} for trouble in progress.troubles],
        "seconds": progress.seconds,
    }
