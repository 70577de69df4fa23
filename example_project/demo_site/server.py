"""Serves the demo site on loopback.

From Python: ``with DemoSite() as site: crawl(site.url)``. By itself: ``python -m demo_site.server --port 8000``.
"""

from __future__ import annotations

import argparse
import gzip
import socketserver
import sys
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from demo_site.specials import NOT_FOUND, ORDINARY, SPECIALS, Special

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http import HTTPStatus
    from types import TracebackType

HOST = "127.0.0.1"
PAGES = Path(__file__).parent / "pages"
INDEX = "index.html"

CONTENT_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".json": "application/json",
    ".png": "image/png",
    ".txt": "text/plain",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response, ready to be sent."""

    status: HTTPStatus
    headers: Mapping[str, str]
    body: bytes


def url_path(file: Path) -> str:
    """Return the path under which a file of `PAGES` is served: an index page under its folder's."""
    path = f"/{file.relative_to(PAGES).as_posix()}"
    return path.removesuffix(INDEX) if file.name == INDEX else path


# Only what was listed here can be asked for, so no path leads out of the folder.
FILES: Mapping[str, Path] = {url_path(file): file for file in sorted(PAGES.rglob("*")) if file.is_file()}


def answer(path: str) -> Reply:
    """Return the site's reply to a request for that (unquoted) path."""
    special = SPECIALS.get(path, ORDINARY if path in FILES else NOT_FOUND)
    body = special.body() if special.body else _read(FILES[path], special.charset)
    if special.gzipped:
        body = gzip.compress(body, mtime=0)
    return Reply(special.status, _headers(path, special, len(body)), body)


def _read(file: Path, charset: str) -> bytes:
    # What a legacy encoding lacks (the names of other languages) goes out as character references, as on a real page.
    return file.read_text("utf-8").encode(charset, "xmlcharrefreplace")


def _headers(path: str, special: Special, length: int) -> dict[str, str]:
    content_type = special.content_type or CONTENT_TYPES[PurePosixPath(path).suffix or ".html"]
    if content_type.startswith("text/"):
        content_type += f"; charset={special.charset}"
    headers = {"Content-Type": content_type, "Content-Length": str(length)}
    if special.gzipped:
        headers["Content-Encoding"] = "gzip"
    if special.location:
        headers["Location"] = special.location
    return headers


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "DemoSite"
    sys_version = ""
    timeout = 30
    # Head and body leave in one piece: in two, a kept-alive connection waits 40 ms for the other side to acknowledge.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._send(with_body=True)

    def do_HEAD(self) -> None:
        self._send(with_body=False)

    def _send(self, *, with_body: bool) -> None:
        reply = answer(unquote(self.path.partition("?")[0]))
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the output is the crawl's."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def server_bind(self) -> None:
        # HTTPServer also looks up the host's full name, which takes seconds on a machine without a network.
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless it is only that the client went away."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class DemoSite:
    """The site on a port of its own, served by a background thread from `start` to `stop`.

    Port 0 takes a free one. The port is taken at once, so `url` is known before the start.
    A stopped site stays stopped.
    """

    def __init__(self, port: int = 0) -> None:
        self._server = _Server((HOST, port), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo-site", daemon=True)

    @property
    def url(self) -> str:
        """The home page, such as ``http://127.0.0.1:43121/``."""
        return f"http://{HOST}:{self._server.server_address[1]}/"

    def start(self) -> None:
        """Serve from now on, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Stop for good, and free the port."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> DemoSite:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="demo_site.server", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    with DemoSite(parser.parse_args().port) as site:
        print(site.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
