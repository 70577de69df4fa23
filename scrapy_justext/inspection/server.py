"""The tuner's web server, on the loopback interface, behind a random token.

Every page that the user has open in a browser can reach the loopback interface.  Therefore

* the ``Host`` header must name this server: a name that somebody else made lead here (DNS rebinding) does not;
* the path must begin with the token, which is in no referrer and no log: a stranger does not learn what there is;
* a request that changes something must come from the tuner's own page (``Origin``), as JSON, which no form can send.

These checks need the headers alone.  They are made before the body is read, so that no body of a stranger is kept.
The answers are made in :mod:`~scrapy_justext.inspection.tuner`.
"""

from __future__ import annotations

import json
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.error import CannotListenError
from twisted.internet.threads import deferToThreadPool
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from scrapy_justext.crawl.processes import freeze_objects
from scrapy_justext.exceptions import InspectionError, JustextError, ParameterError
from scrapy_justext.inspection import view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy_justext.inspection.tuner import Tuner

LOOPBACK = "127.0.0.1"
_HOST_NAMES = (LOOPBACK, "localhost")

#: Bytes of a request's body, at the most.
MOST_BYTES = 1 << 20

#: Bytes of a refused body that are passed over, so that the sender gets the reason; a longer body is cut off.
_MOST_BYTES_PASSED_OVER = 4 * MOST_BYTES
_CUT_OFF = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

_HTML, _CSS, _JAVASCRIPT = (f"text/{kind}; charset=utf-8" for kind in ("html", "css", "javascript"))
_JSON = "application/json"

#: Each defines classes or functions at the top level, for those after it.
_SCRIPTS = ("choice.js", "requests.js", "controls.js", "languages.js", "pages.js", "marking.js", "tuner.js")

#: Nothing but the page's own files.  The frame with the rendering of the inspected page inherits all of this.
_POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {view.FRAME_STYLE_SOURCE}; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Answer(NamedTuple):
    """The status of HTTP, the content type and the body that a request gets."""

    status: int
    content_type: str
    body: bytes


#: The methods that a path allows, and what answers a body.
_Route = tuple[tuple[bytes, ...], "Callable[[bytes], Answer | Deferred[Answer]]"]


def serve(tuner: Tuner, *, port: int = 0, announce: Callable[[str], None] = print) -> None:
    """Show the tuner until Ctrl-C, or until the reactor is stopped where it runs already.

    ``port``: 0 for any that is free; ``announce`` is given the address, once the server answers.
    Raises :class:`InspectionError` for a port that cannot be had.
    """
    # Not before: Scrapy chooses which reactor there is.
    from twisted.internet import reactor  # noqa: PLC0415

    resource = listen(reactor, tuner, port)
    announce(resource.url)
    running = cast("Any", reactor)
    if not running.running:
        running.run()


def listen(reactor: Any, tuner: Tuner, port: int = 0) -> TunerResource:
    """Answer requests while a reactor runs; raises :class:`InspectionError` for a port that cannot be had."""
    resource = TunerResource(tuner, reactor)
    site = Site(resource, requestFactory=GuardedRequest, reactor=reactor)  # type: ignore[no-untyped-call]
    site.displayTracebacks = False
    # The token is in each request.
    site.log = lambda request: None  # type: ignore[method-assign]  # noqa: ARG005
    try:
        listening = reactor.listenTCP(port, site, interface=LOOPBACK)
    except CannotListenError as error:
        problem = error.socketError
        raise InspectionError(f"port {port}", getattr(problem, "strerror", None) or str(problem)) from error
    resource.port = listening.getHost().port
    # The pages stay in memory: no slider is to wait until the garbage collector has looked at all of them.
    freeze_objects()
    return resource


class TunerResource(Resource):
    """Everything that the server has to offer; ``port`` is set once it is known."""

    isLeaf = True  # noqa: N815 (Twisted names it)

    def __init__(self, tuner: Tuner, reactor: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.token = secrets.token_urlsafe(32)
        self.port = 0
        self.routes = _routes(tuner, reactor)

    @property
    def url(self) -> str:
        """The address of the tuner's page."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def refuse(self, request: GuardedRequest) -> Answer | None:
        """Return the answer to a request that fails one of the checks; None where it passes all."""
        return next((_error(status, reason) for status, reason in self._refusals(request)), None)

    def _refusals(self, request: GuardedRequest) -> Iterator[tuple[int, str]]:
        """Check a request without its body; yield the status and the reason of each refusal.

        Only the first counts: a check relies on those before it.
        """
        hosts = request.header_values("Host")
        if hosts not in [[f"{name}:{self.port}"] for name in _HOST_NAMES]:
            yield 403, "this server answers to its own address only"
        token, slash, below = request.path.removeprefix(b"/").partition(b"/")
        if not slash or not secrets.compare_digest(token, self.token.encode()) or below not in self.routes:
            yield 404, "not found"
        if request.method not in self.routes[below][0]:
            yield 405, "method not allowed"
        is_post = request.method == b"POST"
        if is_post and request.header_values("Origin") != [f"http://{host}" for host in hosts]:
            yield 403, "this server obeys its own page only"
        types = [value.partition(";")[0].strip().lower() for value in request.header_values("Content-Type")]
        if is_post and types != [_JSON]:
            yield 415, "the body must be application/json"
        if request.size > MOST_BYTES:
            yield 413, f"the body must not be longer than {MOST_BYTES} bytes"

    def render(self, request: GuardedRequest) -> bytes | int:
        """Answer a request of any method."""
        answer: Answer | Deferred[Answer] | None = self.refuse(request)
        if answer is None:
            _, handle = self.routes[request.path.removeprefix(b"/").partition(b"/")[2]]
            answer = handle(b"" if request.content is None else request.content.read())
        if isinstance(answer, Answer):
            return _start_answer(request, answer)
        answer.addCallback(partial(_send_late, request)).addErrback(request.processingFailed)
        return NOT_DONE_YET


def _start_answer(request: GuardedRequest, answer: Answer) -> bytes:
    """Set the status and the headers of an answer, and return its body."""
    request.setResponseCode(answer.status)
    for name, value in {**_HEADERS, "Content-Type": answer.content_type}.items():
        request.setHeader(name, value)  # type: ignore[no-untyped-call]
    return answer.body


def _send_late(request: GuardedRequest, answer: Answer) -> None:
    # The browser may have gone meanwhile.
    if request.channel is not None:
        request.write(_start_answer(request, answer))  # type: ignore[no-untyped-call]
        request.finish()  # type: ignore[no-untyped-call]


class GuardedRequest(Request):
    """A request to a :class:`TunerResource`, checked as soon as its headers are there.

    Twisted hands a request over when all of it has come, body included.
    """

    #: Bytes of the body, as far as they are known.
    size = 0
    _taken = 0
    _is_welcome = True
    _is_cut_off = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 (Twisted names it)
        """Check the headers, which are all there; ``length``: what they say of the body's, None where they do not."""
        super().gotLength(0)  # type: ignore[no-untyped-call]
        self.size = length or 0
        # Twisted itself takes the first line over only with the body.
        channel: Any = self.channel
        self.method, self.path = channel._command, channel._path.partition(b"?")[0]
        self._is_welcome = channel.site.resource.refuse(self) is None

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """Keep a part of a body that may come, and pass over one that may not."""
        self._taken += len(data)
        self.size = max(self.size, self._taken)
        if self._is_welcome and self._taken <= MOST_BYTES:
            super().handleContentChunk(data)  # type: ignore[no-untyped-call]
        elif self._taken > _MOST_BYTES_PASSED_OVER and not self._is_cut_off:
            self._is_cut_off = True
            channel: Any = self.channel
            channel.write(_CUT_OFF)
            channel.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        """Answer the request, all of which has come, unless its sender was cut off."""
        if not self._is_cut_off:
            super().requestReceived(command, path, version)  # type: ignore[no-untyped-call]

    def header_values(self, name: str) -> list[str]:
        """Return the values of all headers of a name."""
        return [value.decode("latin-1") for value in self.requestHeaders.getRawHeaders(name.encode(), ())]


def _routes(tuner: Tuner, reactor: Any) -> dict[bytes, _Route]:
    """Return all that the server has, by the path below the token; the page itself has none."""
    read, change = (b"GET", b"HEAD"), (b"POST",)
    assets: dict[bytes, tuple[str, Callable[[], str]]] = {
        b"": (_HTML, partial(view.read_static, "tuner/tuner.html")),
        b"tuner.css": (_CSS, partial(view.read_static, "tuner/tuner.css")),
        b"tuner.js": (_JAVASCRIPT, lambda: "\n".join(view.read_static(f"tuner/{name}") for name in _SCRIPTS)),
        b"view.css": (_CSS, view.style),
        b"view.js": (_JAVASCRIPT, view.script),
    }
    return {
        **{path: (read, partial(_asset, kind, text)) for path, (kind, text) in assets.items()},
        b"api/pages": (read, lambda _: _json(200, tuner.start())),
        b"api/judge": (change, lambda body: _answer(lambda: tuner.judge(_read_body(body)))),
        b"api/marks": (change, partial(_mark, tuner, reactor, DeferredLock())),
    }


def _asset(content_type: str, text: Callable[[], str], _: bytes) -> Answer:
    return Answer(200, content_type, text().encode())


def _mark(tuner: Tuner, reactor: Any, lock: DeferredLock, body: bytes) -> Answer | Deferred[Answer]:
    """Write marks one after the other, in a thread: sliders do not wait for the disk."""
    try:
        save = tuner.begin_mark(_read_body(body))
    except JustextError as error:
        return _problem(error)
    return lock.run(deferToThreadPool, reactor, reactor.getThreadPool(), _answer, save)


def _answer(act: Callable[[], dict[str, Any]]) -> Answer:
    """Answer with what an action gives, or with the library's own message for what is not allowed."""
    try:
        return _json(200, act())
    except JustextError as error:
        return _problem(error)


def _read_body(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ParameterError("body", body[:40], f"must be JSON: {error}") from error
    if not isinstance(value, dict):
        raise ParameterError("body", body[:40], "must be a JSON object")
    return value


def _problem(error: JustextError) -> Answer:
    return _error(400 if isinstance(error, ParameterError) else 500, str(error))


def _error(status: int, reason: str) -> Answer:
    return _json(status, {"error": reason})


def _json(status: int, value: Mapping[str, Any]) -> Answer:
    return Answer(status, _JSON, json.dumps(value).encode("ascii"))
