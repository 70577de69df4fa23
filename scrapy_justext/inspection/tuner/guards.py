"""Who may ask the tuner's server what: checks of a request without its body, the first that fails answers it.

The server listens on the loopback interface, which every page that the user has open in the browser can reach.  So

* a name that somebody else made lead here (DNS rebinding) is refused by the ``Host`` header;
* nobody who does not know the token in the path learns that there is anything, and the token is in no referrer;
* what changes something must come from the tuner's own page (``Origin``), as JSON, which no form can send.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

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
