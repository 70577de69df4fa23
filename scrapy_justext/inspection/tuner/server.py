"""The files of the tuner's page."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.error import CannotListenError
from twisted.internet.threads import deferToThreadPool
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from scrapy_justext.exceptions import InspectionError, JustextError, ParameterError
from scrapy_justext.inspection import view
from scrapy_justext.inspection.tuner.api import Tuner
from scrapy_justext.inspection.view import FRAME_STYLE_SOURCE
from scrapy_justext.workers import spare_what_is_there

if TYPE_CHECKING:
    from pathlib import Path

    from twisted.web.http import Request as HTTPRequest

    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.inspection.pages import Inspected

#: Each defines classes or functions at the top level, for those after it.
_SCRIPTS = ("choice.js", "asking.js", "controls.js", "languages.js", "pages.js", "marking.js", "tuner.js")


class Asset(NamedTuple):
    """A file that is served: its content type, and what gives its text."""

    content_type: str
    read: Callable[[], str]


def read_asset(name: str) -> bytes:
    """What a file holds."""
    return ASSETS[name].read().encode()


@cache
def _read(name: str) -> str:
    return files("scrapy_justext.inspection").joinpath("static", "tuner", name).read_text("utf-8")


def _script() -> str:
    return "\n".join(map(_read, _SCRIPTS))


_HTML, _CSS, _JAVASCRIPT = (f"text/{kind}; charset=utf-8" for kind in ("html", "css", "javascript"))

#: By their paths below the token; the page itself has none.
ASSETS: Mapping[str, Asset] = {
    "": Asset(_HTML, partial(_read, "tuner.html")),
    "tuner.css": Asset(_CSS, partial(_read, "tuner.css")),
    "tuner.js": Asset(_JAVASCRIPT, _script),
    "view.css": Asset(_CSS, view.style),
    "view.js": Asset(_JAVASCRIPT, view.script),
}


# Who may ask the tuner's server what: checks of a request without its body, the first that fails answers it.
#
# The server listens on the loopback interface, which every page that the user has open in the browser can reach.  So
#
# * a name that somebody else made lead here (DNS rebinding) is refused by the ``Host`` header;
# * nobody who does not know the token in the path learns that there is anything, and the token is in no referrer;
# * what changes something must come from the tuner's own page (``Origin``), as JSON, which no form can send.

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost")
#: Bytes of a request's body, at the most.
MOST_BYTES = 1 << 20
_JSON = "application/json"


class Asked(NamedTuple):
    """A request: ``path`` as it was sent, header values as lists by lower-case names."""

    method: str
    path: str
    headers: Mapping[str, Sequence[str]]
    size: int
    """Bytes of the body, as far as they are known."""
    body: bytes = b""


class Place(NamedTuple):
    """Where the server is: its port, the token in its URL, and the methods that each path below that allows."""

    port: int
    token: str
    methods: Mapping[str, Sequence[str]]


class Refusal(NamedTuple):
    """``status``: of HTTP."""

    status: int
    why: str


#: Whether a request fails.
_Check = Callable[[Place, Asked], bool]


def refuse(place: Place, asked: Asked) -> Refusal | None:
    """Why a request is not answered; None where it is."""
    return next((refusal for fails, refusal in _CHECKS if fails(place, asked)), None)


def below_token(path: str) -> str:
    """A path without the token: ``/TOKEN/api/judge`` -> ``api/judge``."""
    return path.removeprefix("/").partition("/")[2]


def _has_other_host(place: Place, asked: Asked) -> bool:
    return [*asked.headers.get("host", ())] not in [[f"{name}:{place.port}"] for name in _NAMES]


def _has_other_token(place: Place, asked: Asked) -> bool:
    token, slash, _ = asked.path.removeprefix("/").partition("/")
    return not slash or not secrets.compare_digest(token.encode(), place.token.encode())


def _is_elsewhere(place: Place, asked: Asked) -> bool:
    return below_token(asked.path) not in place.methods


def _has_other_method(place: Place, asked: Asked) -> bool:
    return asked.method not in place.methods[below_token(asked.path)]


def _has_other_origin(place: Place, asked: Asked) -> bool:  # noqa: ARG001 (one signature for all checks)
    own = [f"http://{host}" for host in asked.headers["host"]]
    return asked.method == "POST" and [*asked.headers.get("origin", ())] != own


def _is_other_type(place: Place, asked: Asked) -> bool:  # noqa: ARG001
    types = [value.partition(";")[0].strip().lower() for value in asked.headers.get("content-type", ())]
    return asked.method == "POST" and types != [_JSON]


def _is_too_large(place: Place, asked: Asked) -> bool:  # noqa: ARG001
    return asked.size > MOST_BYTES


_CHECKS: tuple[tuple[_Check, Refusal], ...] = (
    (_has_other_host, Refusal(403, "this server answers to its own address only")),
    (_has_other_token, Refusal(404, "not found")),
    (_is_elsewhere, Refusal(404, "not found")),
    (_has_other_method, Refusal(405, "method not allowed")),
    (_has_other_origin, Refusal(403, "this server obeys its own page only")),
    (_is_other_type, Refusal(415, "the body must be application/json")),
    (_is_too_large, Refusal(413, f"the body must not be longer than {MOST_BYTES} bytes")),
)


# Requests whose bodies are taken in from those alone who may send them.
#
# Twisted hands a request over when all of it is there.  Who may not ask is found out by the headers here, so that what
# such a one sends is held nowhere.

#: Bytes of a body that is refused which are passed over, so that the sender comes to hear why; who sends more is cut
#: off.
_PATIENCE = 4 * MOST_BYTES

_CUT_OFF = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class GuardedRequest(Request):
    """A request to a site whose resource has a method ``refuse``, as that of the tuner has."""

    _size = 0
    _taken = 0
    _is_welcome = True
    _is_cut_off = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 (Twisted names it)
        """All headers are there; ``length``: what they say of the body's, None where they do not."""
        super().gotLength(0)  # type: ignore[no-untyped-call]
        self._size = length or 0
        # What the first line says gets to the request itself only with the body.
        channel: Any = self.channel
        asked = self._asked(channel._command, channel._path.partition(b"?")[0])
        self._is_welcome = channel.site.resource.refuse(asked) is None

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """A part of the body is there."""
        self._taken += len(data)
        self._size = max(self._size, self._taken)
        if self._is_welcome and self._taken <= MOST_BYTES:
            super().handleContentChunk(data)  # type: ignore[no-untyped-call]
        elif self._taken > _PATIENCE and not self._is_cut_off:
            self._is_cut_off = True
            channel: Any = self.channel
            channel.write(_CUT_OFF)
            channel.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        """All of it is there."""
        if not self._is_cut_off:
            super().requestReceived(command, path, version)  # type: ignore[no-untyped-call]

    def asked(self) -> Asked:
        """The whole request."""
        body = b"" if self.content is None else self.content.read()
        return self._asked(self.method, self.path)._replace(body=body)

    def _asked(self, method: bytes, path: bytes) -> Asked:
        headers = {
            name.decode("latin-1").lower(): [value.decode("latin-1") for value in values]
            for name, values in self.requestHeaders.getAllRawHeaders()
        }
        return Asked(method.decode("latin-1"), path.decode("latin-1"), headers, self._size)


# The tuner's web server: on the loopback interface only, behind a random token.

#: Only the page's own files.  The frame that shows the page under inspection inherits all of this.
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {FRAME_STYLE_SOURCE}; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

LAST_PORT = 0xFFFF

_JSON_server = "application/json"


class Answer(NamedTuple):
    """What a request gets: the status of HTTP, a content type, a body."""

    status: int
    content_type: str
    body: bytes


_Handler = Callable[[Asked], "Answer | Deferred[Answer]"]


class _Route(NamedTuple):
    methods: tuple[str, ...]
    handle: _Handler


class _BadBodyError(JustextError):
    """A request's body that is none; the message says why."""


class TunerResource(Resource):
    """All that the server has; ``port`` is set once it is known."""

    isLeaf = True  # noqa: N815 (Twisted names it)

    def __init__(self, tuner: Tuner, reactor: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.token = secrets.token_urlsafe(32)
        self.port = 0
        self._routes = _routes(tuner, reactor)
        self._methods = {path: route.methods for path, route in self._routes.items()}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def refuse(self, asked: Asked) -> Refusal | None:
        """Why a request is not answered; None where it is."""
        return refuse(Place(self.port, self.token, self._methods), asked)

    def render(self, request: GuardedRequest) -> bytes | int:
        """Answer a request of any method."""
        answer = self._answer(request.asked())
        if isinstance(answer, Answer):
            return _put(request, answer)
        answer.addCallback(partial(_put_late, request)).addErrback(request.processingFailed)
        return NOT_DONE_YET

    def _answer(self, asked: Asked) -> Answer | Deferred[Answer]:
        refusal = self.refuse(asked)
        if refusal is not None:
            return _error(*refusal)
        return self._routes[below_token(asked.path)].handle(asked)


def _put(request: GuardedRequest, answer: Answer) -> bytes:
    """Set the head of an answer; gives the body."""
    request.setResponseCode(answer.status)
    for name, value in {**HEADERS, "Content-Type": answer.content_type}.items():
        request.setHeader(name, value)  # type: ignore[no-untyped-call]
    return answer.body


def _put_late(request: GuardedRequest, answer: Answer) -> None:
    # Who asked may have gone.
    if request.channel is not None:
        request.write(_put(request, answer))  # type: ignore[no-untyped-call]
        request.finish()  # type: ignore[no-untyped-call]


class _SilentSite(Site):
    """A site that logs no request: the token is in each of them."""

    def log(self, request: HTTPRequest) -> None:
        """Log nothing."""


def serve(
    pages: Sequence[Inspected],
    settings: Layers,
    *,
    port: int = 0,
    marks: Path,
    announce: Callable[[str], None] = print,
) -> None:
    """Show pages in the tuner until Ctrl-C; where the reactor runs already, until that is stopped.

    ``settings``: what the tuner lays what a user chooses on; ``port``: 0 for any that is free; ``marks``: the file of
    the user's marks; ``announce`` is given the address, once there is somebody to answer.
    Raises :class:`InspectionError` for a port that cannot be had, and for a file that is none of marks.
    """
    # Not before: Scrapy chooses which reactor there is.
    from twisted.internet import reactor  # noqa: PLC0415

    resource = listen(reactor, Tuner(pages, settings, marks), port)
    announce(resource.url)
    running = cast("Any", reactor)
    if not running.running:
        running.run()


def listen(reactor: Any, tuner: Tuner, port: int = 0) -> TunerResource:
    """Answer requests while a reactor runs; raises :class:`InspectionError` for a port that cannot be had."""
    if not 0 <= port <= LAST_PORT:
        raise InspectionError(f"port {port}", f"must be from 0, any that is free, to {LAST_PORT}")
    resource = TunerResource(tuner, reactor)
    site = _SilentSite(resource, requestFactory=GuardedRequest, reactor=reactor)  # type: ignore[no-untyped-call]
    site.displayTracebacks = False
    try:
        listening = reactor.listenTCP(port, site, interface=LOOPBACK)
    except CannotListenError as error:
        problem = error.socketError
        raise InspectionError(f"port {port}", getattr(problem, "strerror", None) or str(problem)) from error
    resource.port = listening.getHost().port
    # The pages are there: no slider is to wait until all of them were looked at.
    spare_what_is_there()
    return resource


def _routes(tuner: Tuner, reactor: Any) -> dict[str, _Route]:
    read, change = ("GET", "HEAD"), ("POST",)
    return {
        **{name: _Route(read, partial(_asset, name)) for name in ASSETS},
        "api/pages": _Route(read, lambda _: _json(200, tuner.start())),
        "api/judge": _Route(change, lambda asked: _told(lambda: tuner.judge(_body(asked)))),
        "api/marks": _Route(change, partial(_mark, tuner, reactor, DeferredLock())),
    }


def _asset(name: str, _: Asked) -> Answer:
    return Answer(200, ASSETS[name].content_type, read_asset(name))


def _mark(tuner: Tuner, reactor: Any, lock: DeferredLock, asked: Asked) -> Answer | Deferred[Answer]:
    """Marks are written one after the other, in a thread: sliders do not wait for the disk."""
    try:
        save = tuner.begin_mark(_body(asked))
    except JustextError as error:
        return _problem(error)
    return lock.run(deferToThreadPool, reactor, reactor.getThreadPool(), _told, save)


def _told(act: Callable[[], dict[str, Any]]) -> Answer:
    """What an action answers, with the library's own message for what is not allowed."""
    try:
        return _json(200, act())
    except JustextError as error:
        return _problem(error)


def _body(asked: Asked) -> Mapping[str, Any]:
    try:
        body = json.loads(asked.body)
    except (ValueError, RecursionError) as error:
        raise _BadBodyError(f"the body must be JSON: {error}") from error
    if not isinstance(body, dict):
        raise _BadBodyError("the body must be a JSON object")
    return body


def _problem(error: JustextError) -> Answer:
    return _error(400 if isinstance(error, ParameterError | _BadBodyError) else 500, str(error))


def _error(status: int, why: str) -> Answer:
    return _json(status, {"error": why})


def _json(status: int, value: Mapping[str, Any]) -> Answer:
    return Answer(status, _JSON_server, json.dumps(value).encode("ascii"))
