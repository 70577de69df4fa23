"""What a run leaves on disk, so that measures can be computed again without running again.

::

    OUT/.lock                                       there while a run is going on; see :mod:`scrapy_justext.files`
    OUT/run.json                                    what was run: data sets, extractors, language
    OUT/raw/DATA SET/EXTRACTOR/ID.txt               the text that the extractor gave, UTF-8, as it came
    OUT/raw/DATA SET/EXTRACTOR/results.jsonl        a line for each document: id, status, seconds, error

``results.jsonl`` only grows, a whole line at a time and after the text has been written, so that a run which was
killed can go on: a last line that was torn off does not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args
from urllib.parse import quote

from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import LOCK_FILE, explaining, write_whole

if TYPE_CHECKING:
    from pathlib import Path

Status = Literal["ok", "failed", "timeout"]

RUN_FILE = "run.json"
RESULTS_FILE = "results.jsonl"

#: File systems allow 255 bytes; room is left for a suffix.
_LONGEST_NAME = 200


class Result(NamedTuple):
    """How the extraction of one document ended."""

    id: str
    status: Status
    seconds: float | None
    """The extractor's own time; None when its process died or was killed."""
    error: str | None
    """What went wrong; None when nothing did."""


@dataclass(frozen=True, slots=True)
class DataSetRecord:
    """A data set as it was when it was run; ``without``: the data sets whose pages were left out."""

    kind: str
    path: str
    name: str
    digest: str
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractorRecord:
    """An extractor as it was when it was run; ``code``: digest of its code, which may change without the version."""

    name: str
    version: str
    code: str | None = None

    @property
    def state(self) -> str:
        """The version, and the code where it is known."""
        return self.version if self.code is None else f"{self.version} ({self.code})"


@dataclass(frozen=True, slots=True)
class Run:
    """What was run."""

    data_sets: tuple[DataSetRecord, ...]
    extractors: tuple[ExtractorRecord, ...]
    language: str | None


def read_json(path: Path, what: str = "JSON") -> Any:
    """Return the value of a file; raise :class:`StoreError`, which says that the file is not ``what`` was asked for."""
    with explaining(path, "read"):
        content = path.read_bytes()
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is not {what}: {error}") from error


def write_json(path: Path, value: object) -> None:
    """Write a value as people read it, too; raise ``OSError``."""
    write_whole(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def read_run(out: Path) -> Run | None:
    """Return what was run into this folder; None when nothing was.  Raise :class:`StoreError`."""
    path, what = out / RUN_FILE, "the record of a run"
    if not path.exists():
        return None
    value = read_json(path, what)
    try:
        data_sets = ({**row, "without": tuple(row.get("without", ()))} for row in value["data_sets"])
        extractors = tuple(ExtractorRecord(**row) for row in value["extractors"])
        records = tuple(DataSetRecord(**row) for row in data_sets)
        return Run(records, extractors, value["language"])
    except (LookupError, TypeError) as error:
        raise StoreError(f"{path} is not {what}: {error}") from error


def start_run(out: Path, run: Run) -> Run:
    """Prepare a folder for a run, and return the record of all that was run into it, this run's included.

    Raise :class:`StoreError` for a folder that is not one of results, and for one whose results were made under
    other conditions; then nothing has been written.
    """
    before = read_run(out)
    with explaining(out, "used"):
        if before is None:
            other = next((path for path in out.iterdir() if path.name != LOCK_FILE), None) if out.exists() else None
            if other is not None:
                raise StoreError(f"{out} holds no run, but other files, such as {other.name}; choose a new folder")
        else:
            _check_conditions(out, before, run)
            data_sets = {record.name: record for record in (*before.data_sets, *run.data_sets)}
            extractors = {record.name: record for record in (*before.extractors, *run.extractors)}
            run = replace(run, data_sets=tuple(data_sets.values()), extractors=tuple(extractors.values()))
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / RUN_FILE, asdict(run))
    return run


def _check_conditions(out: Path, before: Run, now: Run) -> None:
    digests = {data_set.name: data_set.digest for data_set in before.data_sets}
    states = {extractor.name: extractor.state for extractor in before.extractors}
    differences = [
        f"the data set {data_set.name} has digest {data_set.digest[:16]}, not {digests[data_set.name][:16]}"
        for data_set in now.data_sets
        if digests.get(data_set.name, data_set.digest) != data_set.digest
    ]
    differences += [
        f"{extractor.name} is of version {extractor.state}, not {states[extractor.name]}"
        for extractor in now.extractors
        if states.get(extractor.name, extractor.state) != extractor.state
    ]
    if before.language != now.language:
        differences.append(f"the language is {now.language}, not {before.language}")
    if differences:
        raise StoreError(f"{out} holds results of something else: {'; '.join(differences)}; choose a new folder")


def safe_name(name: str) -> str:
    """Return a name that every file system takes, different for different names.

    >>> safe_name("wcxb-dev"), safe_name("ref:justext"), safe_name("..")
    ('wcxb-dev', 'ref%3Ajustext', '%2E.')
    """
    quoted = re.sub(r"^\.", "%2E", quote(name, safe=" "))
    if len(quoted) <= _LONGEST_NAME:
        return quoted
    return f"{quoted[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class ResultStore:
    """The results of one extractor on one data set."""

    folder: Path

    def read(self) -> dict[str, Result]:
        """Return the results by the documents' ids, the last where a document has two, without torn lines."""
        try:
            lines = (self.folder / RESULTS_FILE).read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        results: dict[str, Result] = {}
        for line in lines[:-1]:
            with suppress(ValueError, TypeError):
                result = Result(**json.loads(line))
                if isinstance(result.id, str) and result.status in get_args(Status):
                    results[result.id] = result
        return results

    def read_text(self, document_id: str) -> str:
        """Return the text that was extracted from a document; raise :class:`FileNotFoundError` when there is none."""
        return self._text_path(document_id).read_bytes().decode()

    def append(self, result: Result, text: str | None) -> None:
        """Add the result of a document; ``text``: what was extracted, None when the extraction failed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if text is not None:
            # Half of a surrogate pair has no UTF-8; a text with one must not be lost.
            self._text_path(result.id).write_bytes(text.encode("utf-8", "replace"))
        line = json.dumps(result._asdict(), ensure_ascii=False).encode("utf-8", "replace")
        with (self.folder / RESULTS_FILE).open("ab") as stream:
            stream.write(line + b"\n")

    def mend(self) -> None:
        """Cut off a last line that was not written to its end."""
        path = self.folder / RESULTS_FILE
        if path.exists():
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)

    def _text_path(self, document_id: str) -> Path:
        return self.folder / f"{safe_name(document_id)}.txt"


def open_results(out: Path, data_set: str, extractor: str) -> ResultStore:
    """Return the results of an extractor on a data set, both given by name."""
    return ResultStore(out / "raw" / safe_name(data_set) / safe_name(extractor))
