"""A web server on loopback whose pages are a table."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

import pytest


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response; a ``str`` is sent in UTF-8."""

    body: str | bytes
    content_type: str | None = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "_Server"

    def do_GET(self) -> None:
        self.server.requests[self.path] += 1
        self.server.before(self.path, self.headers.get("User-Agent", ""))
        # A query counts where the table has it.
        answers, path = self.server.answers, self.path.partition("?")[0]
        answer = answers.get(self.path) or answers.get(path) or Answer("<p>Not here.", status=404)
        # Not send_response, which adds a date, and so a difference between two crawls.
        self.send_response_only(answer.status)
        if answer.content_type is not None:
            self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.data)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.data)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def do_HEAD(self) -> None:
        self.server.requests[self.path] += 1
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def _answer_at_once(path: str, user_agent: str) -> None:
    pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def __init__(self, answers: Mapping[str, Answer | str], before: Callable[[str, str], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.before = before
        self.answers = {
            path: answer if isinstance(answer, Answer) else Answer(answer) for path, answer in answers.items()
        }
        self.requests: Counter[str] = Counter()

    def server_bind(self) -> None:
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


class Site:
    """Serves ``answers``, by path, while it is entered; counts the requests for each path.

    ``before`` is called with the path and the user agent of each request, in a thread of its own; the answer waits.
    """

    def __init__(
        self, answers: Mapping[str, Answer | str], before: Callable[[str, str], None] = _answer_at_once
    ) -> None:
        self._server = _Server(answers, before)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "Site":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def requests(self) -> Counter[str]:
        return self._server.requests

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def urls(self, *paths: str) -> list[str]:
        return [self.url(path) for path in paths or self._server.answers]


def site_of(answers: Mapping[str, Answer | str], scope: Literal["module", "session"] = "module") -> Any:
    """A fixture: a site that is there for all tests of a module, or of the session."""

    @pytest.fixture(scope=scope)
    def site() -> Iterator[Site]:
        with Site(answers) as served:
            yield served

    return site


def path_of(url: str) -> str:
    """Return what a site calls the page at an address."""
    return "/" + url.split("/", 3)[3]
