"""In which encoding a labelled page is: by its byte order mark, else declared, else detected.

:mod:`scrapy_justext.core.encodings` is not asked.  It does not tell how sure it is, nor that bytes are no text, and it
reads some labelled pages in another encoding: 8 of 1,910, so that figures would change.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, NamedTuple

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from scrapy_justext.exceptions import require

BOM, DECLARED, DETECTED, DATA_SET = "bom", "declared", "detected", "data set"

#: A declaration is not believed, and a page not taken, when more than this share of its characters cannot be decoded
#: so; a stray byte in a long page is what browsers show as U+FFFD.
MAX_UNDECODED = 0.01
#: NUL counts too: no text has it, but an encoding of one byte a character decodes even images.
_UNDECODED = re.compile("[\ufffd\0]")

#: What the web uses (the WHATWG's Encoding Standard), by Python's names: to detect another would mostly be an error.
WEB_ENCODINGS = (
    *("ascii", "utf_8", "cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp874", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "gb18030", "gbk", "big5", "euc_kr", "cp949", "koi8_r"),
    *("koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "mac_cyrillic", "utf_16_le", "utf_16_be"),
)
#: The index in it of the first encoding that almost any bytes fit.
_FROM_CODE_PAGES = 2


class Encoding(NamedTuple):
    """The encoding of some bytes, how it is known, and how sure that is."""

    name: str
    """Of a Python codec."""
    origin: str
    """:data:`BOM`, :data:`DECLARED`, :data:`DETECTED` or :data:`DATA_SET`."""
    confidence: float
    """From 0 to 1; 1 unless detected."""


#: For data sets that are UTF-8 by definition.
UTF_8 = Encoding("utf-8", DATA_SET, 1.0)


def find_encoding(page: bytes, declared: str | None = None) -> Encoding | None:
    r"""Return the encoding of a page; None where the bytes are no text in any.

    ``declared``: what the data set says, which comes after a byte order mark and before what the page says.

    >>> find_encoding(b"caf\xe9", "iso-8859-1")
    Encoding(name='cp1252', origin='declared', confidence=1.0)
    >>> find_encoding(b'<meta charset="utf-8">caf\xc3\xa9', "unset").name
    'utf-8'
    """
    by_bom, _ = read_bom(page)
    if by_bom is not None:
        return Encoding(by_bom, BOM, 1.0) if _fits(page, by_bom) else None
    # A label that names no codec of text is as good as none.
    for name in (resolve_encoding(declared) if declared else None, html_body_declared_encoding(page)):
        if name is not None and _fits(page, name):
            return Encoding(name, DECLARED, 1.0)
    return detect(page)


def detect(body: bytes) -> Encoding | None:
    """Return the likeliest encoding, with a confidence of 1 less the share of improbable characters; None: no text.

    charset-normalizer tries no code page that is like one which has fitted, and comes to cp1250 before cp1252; so
    the Web's commonest is tried by itself.
    """
    library: Any = require("charset_normalizer", "evaluation")
    matches = [*library.from_bytes(body, cp_isolation=list(WEB_ENCODINGS))]
    if any(match.encoding in WEB_ENCODINGS[_FROM_CODE_PAGES:] for match in matches[:1]):
        matches += library.from_bytes(body, cp_isolation=["cp1252"])
    if not matches:
        return None
    best = min(matches, key=lambda match: (match.chaos, -match.coherence, WEB_ENCODINGS.index(match.encoding)))
    confidence = max(0.0, 1.0 - best.chaos)
    return Encoding(codecs.lookup(best.encoding).name, DETECTED, confidence) if _fits(body, best.encoding) else None


def decode_strictly(body: bytes, encoding: str = "utf-8") -> str | None:
    """Return text by its byte order mark, else in ``encoding``; None where it is not that."""
    by_bom, bom = read_bom(body)
    try:
        return body.removeprefix(bom or b"").decode(by_bom or encoding)
    except UnicodeDecodeError:
        return None


def _fits(page: bytes, encoding: str) -> bool:
    try:
        text = page.decode(encoding, "replace")
    except (LookupError, UnicodeError):  # a codec of Python's that is none of text
        return False
    return isinstance(text, str) and len(_UNDECODED.findall(text)) <= MAX_UNDECODED * len(text)
