"""The view's scripts and styles, which stand in a page or are served beside it, and how a policy names them."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

#: Each defines classes or tables at the top level, for those after it.
_SCRIPTS = ("dom.js", "names.js", "words.js", "list.js", "strip.js", "details.js", "frame.js", "view.js")


def script() -> str:
    """The class ``BlockView`` and all that it needs, as one classic script."""
    return "\n".join(map(_read, _SCRIPTS))


def style() -> str:
    """The style of what ``BlockView`` builds, and the colours of the whole page around it."""
    return _read("colours.css") + _read("view.css")


def frame_style() -> str:
    """The style inside the frame that shows the page's own rendering."""
    return _read("colours.css") + _read("frame.css")


def source_of(text: str) -> str:
    """The source expression of a Content-Security-Policy that allows a script or style of this text, no other.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text("utf-8")


#: A frame inherits the policy of the page around it, so that must allow the frame's style, too.
FRAME_STYLE_SOURCE = source_of(frame_style())
