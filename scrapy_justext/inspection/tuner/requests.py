"""Requests whose bodies are taken in from those alone who may send them.

Twisted hands a request over when all of it is there.  Who may not ask is found out by the headers here, so that what
such a one sends is held nowhere.
"""

from __future__ import annotations

from typing import Any

from twisted.web.server import Request

from scrapy_justext.inspection.tuner.guards import MOST_BYTES, Asked

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
