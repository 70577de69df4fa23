"""A service on the loopback interface that answers as a test says."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


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
