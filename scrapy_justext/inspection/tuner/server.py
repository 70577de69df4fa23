"""The tuner's web server: on the loopback interface only, behind a random token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.error import CannotListenError
from twisted.internet.threads import deferToThreadPool
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Site

from scrapy_justext.exceptions import InspectionError, JustextError, ParameterError
from scrapy_justext.garbage import spare_what_is_there
from scrapy_justext.inspection.tuner.api import Tuner
from scrapy_justext.inspection.tuner.assets import ASSETS, read_asset
from scrapy_justext.inspection.tuner.guards import LOOPBACK, Asked, Place, Refusal, below_token, refuse
from scrapy_justext.inspection.tuner.requests import GuardedRequest
from scrapy_justext.inspection.view import FRAME_STYLE_SOURCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from twisted.web.http import Request

    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.settings import Layers

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

_JSON = "application/json"


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

    def log(self, request: Request) -> None:
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
    return Answer(status, _JSON, json.dumps(value).encode("ascii"))
