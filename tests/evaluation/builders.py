"""Small data sets, runs on disk with hostile texts, a service on the loopback interface, and misbehaving extractors."""

import gzip
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.datasets.documents import DataSet, Document
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.scoring import score_run
from scrapy_justext.evaluation.store import DataSetRecord, ExtractorRecord, Result, Run, Status, open_results, start_run

STORY = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 4
PAGE = f"<html><body><ul><li><a href=/>Home</a></ul><p>{STORY}</p><p>Second. {STORY}</p></body></html>"


def make_document(html: str | bytes = PAGE, name: str = "1", gold: str = "gold", **others: Any) -> Document:
    """A document of a page, in UTF-8."""
    body = html.encode() if isinstance(html, str) else html
    return Document(name, body, "utf-8", "declared", 1.0, gold, **others)


Files = dict[str, bytes | str]


def write(folder: Path, files: Files) -> Path:
    """Files below a folder; those ending in .gz compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        body = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(body, mtime=0) if name.endswith(".gz") else body)
    return folder


def write_pairs(folder: Path, pages: Mapping[str, str], golds: Mapping[str, str] | None = None) -> Path:
    """A plain pair of folders; the gold texts are all the same where they are not given."""
    for below in ("input", "gold"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    write(folder, {f"input/{name}.html": page for name, page in pages.items()})
    return write(folder, {f"gold/{name}.txt": text for name, text in (golds or dict.fromkeys(pages, STORY)).items()})


def run_command(pages: Path, extractors: str, out: Path, jobs: int = 1) -> list[str]:
    """The arguments that run extractors on a pair of folders."""
    command = ["run", "--dataset", f"pairs:{pages}", "--extractor", extractors, "--out", str(out)]
    return [*command, "--jobs", str(jobs)]


def complain(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The complaints of a command that cannot be done as it was asked for."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(arguments))
    printed, complaints = capsys.readouterr()
    assert (ended.value.code, printed) == (2, "")
    return complaints.splitlines()


def store_texts(
    out: Path,
    data_set: DataSet,
    extractor: ExtractorRecord,
    texts: Mapping[str, str | None],
    seconds: float | None = 0.1,
) -> None:
    """Store what an extractor gave for documents as a run does; None where it failed, or where time ran out."""
    record = DataSetRecord(data_set.kind, str(data_set.path), data_set.name, data_set.digest)
    start_run(out, Run((record,), (extractor,), None))
    results = open_results(out, data_set.name, extractor.name)
    for name, text in texts.items():
        status: Status = "ok" if text is not None else "timeout" if seconds is None else "failed"
        results.append(Result(name, status, seconds, None if status == "ok" else "ValueError"), text)


def write_plugin(folder: Path) -> Path:
    """A folder that, on ``sys.path``, is an installed package with the extractors of tests.evaluation.hostile."""
    names = "hostile", "friendly", "unloadable", "misnamed", "missing", "slow_to_warm"
    points = [f"{name.replace('_', '-')} = tests.evaluation.hostile:make_{name}" for name in names]
    points += ["dies-in-worker = tests.evaluation.hostile:make_dying"]
    information = {
        "METADATA": "Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n",
        "entry_points.txt": "\n".join(("[scrapy_justext.extractors]", *points, "")),
    }
    write(folder / "hostile-1.0.dist-info", {**information})
    return folder


class Call(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes
    time: float


class Answer(NamedTuple):
    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    delay: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()


class Service(ThreadingHTTPServer):
    """Answers with what it is given, in turn, the last one again and again."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.calls: list[Call] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/extract"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        calls = self.server.calls
        calls.append(Call(self.path, dict(self.headers), body, time.monotonic()))
        answer = self.server.answers[min(len(calls), len(self.server.answers)) - 1]
        time.sleep(answer.delay)
        try:
            self.send_response(answer.status)
            for name, value in (("Content-Type", answer.content_type), *answer.headers):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
        except OSError:
            pass  # the other side did not wait

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serve(*answers: Answer) -> Iterator[Service]:
    """The service, running."""
    service = Service(list(answers))
    threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield service
    finally:
        service.shutdown()
        service.server_close()


_SENTENCE = "the quick brown fox jumps over a lazy dog near some river bank while rain falls on every old roof"
WORDS = tuple(_SENTENCE.split())
HOSTILE_TEXT = (
    "<script>document.title='taken'</script> <img src=x onerror=\"document.title='taken'\"> "
    "</details></table> {{ 7 * 7 }} ![a](http://example.org/a.png) | <b>bold</b> \u202egnikcah \x1b[31m $x_1$"
)
HOSTILE_NAME = "ref:<img src=x onerror=document.title='taken'>|`$x_$`"


def gold(place: int) -> str:
    """The gold text of a page, another for each."""
    return " ".join((*WORDS[place:], *WORDS[:place])) + f"\n{HOSTILE_TEXT if place == 1 else ''}"


def write_run(folder: Path, texts: Mapping[str, Mapping[int, str | None]], pages: int = 8) -> Path:
    """A run of extractors that gave these texts for pages, None where they failed; the whole gold text elsewhere."""
    golds = {str(place): gold(place) for place in range(1, pages + 1)}
    data_set = open_data_set(f"pairs:{write_pairs(folder / 'pages', dict.fromkeys(golds, '<p>page</p>'), golds)}")
    for speed, (name, given) in enumerate(texts.items(), 1):
        of_pages = {place: given.get(int(place), text) for place, text in golds.items()}
        store_texts(folder / "out", data_set, ExtractorRecord(name, "1.0"), of_pages, speed / 100)
    score_run(folder / "out", [data_set])
    return folder / "out"


def keep_measure(run: Path, measure: str) -> None:
    """Leave the figures of one measure of a run, which makes a report on it quick."""
    documents = run / "documents.jsonl"
    lines = documents.read_text("utf-8").splitlines(keepends=True)
    documents.write_text("".join(line for line in lines if json.loads(line)["measure"] == measure), encoding="utf-8")


def hostile_run(folder: Path) -> Path:
    """Three extractors, the second best of a hostile name, with every boundary case that a gold text allows."""
    return write_run(
        folder,
        {
            "good": {2: "the quick brown fox"},
            "middling": {1: HOSTILE_TEXT, 2: "", 3: "something else", 4: "a lazy dog " * 30, 5: None},
            HOSTILE_NAME: {1: f"{HOSTILE_TEXT} the quick", 2: " ".join(WORDS[:12]), 3: "", 6: "river bank"},
        },
    )
