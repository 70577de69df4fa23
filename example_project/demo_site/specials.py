"""The paths of the demo site that are answered in a way of their own.

Every other path is a file of ``pages/``, sent in UTF-8. This module says what is special;
``server`` knows how to send it.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from demo_site.chronicle import chronicle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Special:
    """How one path is answered, where that differs from "its file, in UTF-8, with status 200"."""

    body: Callable[[], bytes] | None = None
    """Makes the body at request time; None sends the path's file."""
    status: HTTPStatus = HTTPStatus.OK
    content_type: str | None = None
    """None: as the path's suffix says."""
    charset: str = "utf-8"
    """The encoding of text, as sent and as declared in the Content-Type header."""
    gzipped: bool = False
    location: str | None = None
    """Where a redirect leads."""


def _page(title: str, sentence: str) -> bytes:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f'<body><h1>{title}</h1><p>{sentence}</p><p><a href="/">Back to the front page</a></p></body>\n</html>\n'
    ).encode()


def _server_error() -> bytes:
    return _page("500 Internal Server Error", "The ferry office does not answer.")


def _missing() -> bytes:
    return _page("404 Not Found", "There is no such page.")


def _tides() -> bytes:
    return json.dumps({"harbour": "Port Averley", "high": ["04:12", "16:38"], "low": ["10:31", "22:54"]}).encode()


def _dot() -> bytes:
    """Return a PNG image of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    scanline = b"\x00\xd0"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(scanline)) + chunk(b"IEND", b"")


ORDINARY = Special()

NOT_FOUND = Special(body=_missing, status=HTTPStatus.NOT_FOUND, content_type="text/html")

SPECIALS: Mapping[str, Special] = {
    # The page itself declares no encoding: only the HTTP header does.
    "/ru/arhiv/pochta.html": Special(charset="windows-1251"),
    "/es/recetas/lentejas-de-la-abuela.html": Special(gzipped=True),
    "/chronicle.html": Special(body=chronicle),
    "/harbour": Special(
        body=lambda: b"",
        status=HTTPStatus.MOVED_PERMANENTLY,
        content_type="text/html",
        location="/news/harbour-bridge.html",
    ),
    "/status/broken": Special(body=_server_error, status=HTTPStatus.INTERNAL_SERVER_ERROR, content_type="text/html"),
    "/api/tides.json": Special(body=_tides),
    "/static/dot.png": Special(body=_dot),
}
