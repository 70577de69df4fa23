"""Choose the encoding of a page's bytes.

The first of these that is there decides:

=================  ==============================================================================================
``mark``           a byte order mark
``contradiction``  valid UTF-8, though a single-byte encoding is given or any other one declared: text in other
                   encodings is hardly ever valid UTF-8
``given``          what the caller says: an HTTP header's encoding, or that of a response made with one
``declared``       the page's own declaration.  UTF-8 does not count, given or declared, if it breaks most characters;
                   nor ``iso-8859-1``, which servers say of all pages, if the words fit another encoding
``detected``       valid UTF-8, and ASCII; before all but a mark, UTF-16 by its first tag
``guessed``        see below
=================  ==============================================================================================

Headers and declarations are believed if they name an encoding of the WHATWG's Encoding Standard: browsers know no
others.  Python has more codecs, but some are not of text, and some make characters that no page can hold.

**Guesses** look at the words with a byte beyond ASCII.  Encodings of many characters (Chinese, Japanese, Korean)
have rules that other bytes break; where they hold, ``charset-normalizer`` and stop words say in which a text is clean.
Code pages of one byte a character have no such rules and are much alike: ``charset-normalizer`` takes windows-1252 for
windows-1250.  There the stop words decide.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import covered_characters, script_of, script_of_words
from scrapy_justext.exceptions import PageError

if TYPE_CHECKING:
    from collections.abc import Mapping

UTF_8 = "utf-8"

#: Those of one byte a character, in all of which the bytes of ASCII are its characters.
SINGLE_BYTE = frozenset(
    {"cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp874"}
    | {f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
    | {f"cp{page}" for page in range(1250, 1259)}
)
#: The encodings of https://encoding.spec.whatwg.org/#names-and-labels, by Python's names.  UTF-16 is not among them:
#: bytes in which a declaration can be read are not UTF-16.
WEB_ENCODINGS = SINGLE_BYTE | {UTF_8, "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"}
_UTF_16 = {"utf-16": "utf-16-le", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be"}

#: The labels of that list which w3lib and Python's codecs do not know, by what they mean in a page.
_MORE_LABELS = {
    UTF_8: "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    **{f"iso8859-{part}": f"iso8859{part}" for part in (2, 3, 4, 5, 10, 13, 14)},
    "iso8859-6": "iso88596 csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "iso88597 sun_eu_greek",
    "iso8859-8": "iso88598 csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i logical visual",
    "iso8859-15": "iso885915 csisolatin9",
    **{f"cp{page}": f"x-cp{page}" for page in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    "cp1252": "x-cp1252 iso88591 x-user-defined",
    "cp1254": "x-cp1254 iso88599",
    "cp874": "dos-874 iso885911",
    "koi8-r": "koi koi8",
    "koi8-u": "koi8-ru",
    "mac-roman": "csmacintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "csgb2312 gb_2312 x-gbk",
    "big5hkscs": "cn-big5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese x-euc-jp",
    "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949",
    "utf-16-be": "unicodefffe",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
}
_NAMES = {label: name for name, labels in _MORE_LABELS.items() for label in labels.split()}
#: The attribute in which Scrapy's responses keep what they were made with.
_MADE_WITH = "_encoding"
#: Bytes of the part of a page that tells whether it is UTF-8.
_FIRST_PART = 1 << 16
#: What ``iso-8859-1`` means, which many servers and old editors say of all pages.
_OF_SERVERS = "cp1252"
#: The first bytes of UTF-8's characters of several bytes.
_FIRST_BYTES = bytes(range(0xC2, 0xF5))

#: The first tag of a page in UTF-16: beside each of its characters is a zero.
_TAG_IN_UTF_16 = re.compile(rb"(?P<le>(?:\s\0)*<\0[!?a-zA-Z]\0)|(?:\0\s)*\0<\0[!?a-zA-Z]")


class PageResponse(Protocol):
    """A response that holds text, such as Scrapy's ``TextResponse``."""

    @property
    def body(self) -> bytes:
        """Return the page as it came."""

    @property
    def encoding(self) -> str:
        """Return the encoding by which the response decodes its body."""

    @property
    def selector(self) -> Any:
        """Return a parsel ``Selector`` of the page, whose tree is used; made when it is first asked for."""


class EncodingChoice(NamedTuple):
    """The encoding of a page, by Python's name, and why: the source, as listed above, and the reason in words."""

    name: str
    source: str
    reason: str


def choose_encoding(body: bytes, given: str | None = None) -> EncodingChoice:
    r"""Choose the encoding of a page.  ``given``: what :func:`check_encoding` or :func:`stated_encoding` returned.

    >>> choose_encoding("<meta charset=windows-1252>café".encode())
    EncodingChoice(name='utf-8', source='contradiction', reason='valid UTF-8, though the page declares cp1252')
    >>> choose_encoding(b"caf\xe9").name
    'cp1252'
    """
    if (begun := _choose_by_beginning(body, given)) is not None:
        return begun
    if given is not None and not (given == UTF_8 and _breaks_as_utf_8(body)):
        return _choose_given(body, given)
    label, declared = _find_declaration(body)
    is_broken = UTF_8 in (given, declared) and _breaks_as_utf_8(body)
    if declared != UTF_8 and is_utf_8(body):
        if declared is None:
            return EncodingChoice(UTF_8, "detected", f"{_without_use(label)}, valid UTF-8")
        return EncodingChoice(UTF_8, "contradiction", f"valid UTF-8, though the page declares {declared}")
    if declared is not None and not (declared == UTF_8 and is_broken):
        choice = EncodingChoice(declared, "declared", "declared by the page")
        return _unless_words_fit(choice, body, None, f"though the page declares {declared}")
    name, source, evidence = _guess(body)
    why = "no UTF-8, though said to be" if is_broken else _without_use(label)
    return EncodingChoice(name, source, f"{why}, {evidence}")


def _choose_by_beginning(body: bytes, given: str | None) -> EncodingChoice | None:
    """Return what the first bytes of a page tell, if they do."""
    mark, _ = read_bom(body)
    if mark is not None:
        return EncodingChoice(mark, "mark", "byte order mark")
    tag = None if given in _UTF_16.values() else _TAG_IN_UTF_16.match(body)
    if tag is None:
        return None
    return EncodingChoice("utf-16-le" if tag["le"] else "utf-16-be", "detected", "its first tag is in UTF-16")


def check_encoding(encoding: object) -> str:
    """Return Python's name for a user's encoding.  Raises :class:`PageError` for one that is unknown or of no text."""
    try:
        name = _resolve(encoding) if isinstance(encoding, str) else None
    except ValueError:
        name = None
    if name is None:
        raise PageError(f"encoding = {encoding!r}: unknown encoding")
    try:
        # Codecs that read escapes fail at a backslash before a code that is no character.
        is_of_text = bool(b"\\ud800 \xe9".decode(name, "replace").encode())
    except (LookupError, UnicodeError, AttributeError):
        is_of_text = False
    if not is_of_text:
        raise PageError(f"encoding = {encoding!r}: no encoding of text")
    return _UTF_16.get(name, name)


def stated_encoding(response: PageResponse) -> str | None:
    """Return the encoding that a response was made with, or that its HTTP header names; None without either.

    What the response guesses from its bytes does not count: versions of Scrapy differ in that.
    """
    made_with = _made_with(response)
    # A copy of a response is made with what the page declares.
    if made_with and made_with != html_body_declared_encoding(response.body):
        return check_encoding(made_with)
    content_type = _content_type(response)
    name = http_content_type_encoding(content_type)
    if name is None and (match := _CHARSET.search(content_type)):
        name = _resolve(match[1])
    return _web_encoding(name) or (None if name is None else _UTF_16.get(name))


def has_encoding(page: object) -> bool:
    """Return whether an object has an encoding, as responses of text do.  No response is made to guess it."""
    return hasattr(page, _MADE_WITH) or isinstance(getattr(page, "encoding", None), str)


def has_to_guess(response: PageResponse) -> bool:
    """Return whether a response would guess its encoding, which may take seconds."""
    body = response.body
    is_known = (
        _made_with(response)
        or read_bom(body)[0]
        or http_content_type_encoding(_content_type(response))
        or html_body_declared_encoding(body)
    )
    return not is_known and not is_utf_8(body, is_whole=True) and not body.isascii()


def _made_with(response: PageResponse) -> str | None:
    made_with: str | None = getattr(response, _MADE_WITH) if hasattr(response, _MADE_WITH) else response.encoding
    return made_with


def _content_type(response: PageResponse) -> str:
    content_type: bytes = getattr(response, "headers", {}).get("Content-Type") or b""
    return content_type.decode("latin-1")


def _web_encoding(name: str | None) -> str | None:
    return name if name in WEB_ENCODINGS else None


def _resolve(label: str) -> str | None:
    """Return Python's name for the encoding that a label means; None if it means none."""
    return _NAMES.get(label.lower()) or resolve_encoding(label)


# Declarations.

#: Where a page may declare its encoding: in META and an XML declaration, before BODY and outside comments.
_DECLARING = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?:(?P<body>body)\b|(?:meta[\s/]|\?xml\s)(?P<attributes>[^<>]*))", re.IGNORECASE | re.DOTALL
)
_DECLARED_BYTES = 4096
#: Begun only where a name begins: tried at each letter of one, a long name takes forever.
_ATTRIBUTE = re.compile(r"""(?<![^\s=/"'])([^\s=/"'<>]+)\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)""")
#: A label, as far as a reader cares for one; no label that means something is longer.
_LABEL = r"[\w.:+-]{1,40}"
_LABEL_ALONE = re.compile(rf"""["']?\s*({_LABEL})""", re.ASCII)
_CHARSET = re.compile(rf"""(?<![\w-])charset\s*=\s*["']?\s*({_LABEL})""", re.ASCII | re.IGNORECASE)


def _find_declaration(body: bytes) -> tuple[str | None, str | None]:
    """Return the label that a page declares and the encoding that it means, each None if there is none.

    The label is searched for only if w3lib, which does not return it, finds no encoding of the Web.
    """
    name = _web_encoding(html_body_declared_encoding(body))
    if name is not None:
        return None, name
    label = _declared_label(body[:_DECLARED_BYTES].decode("latin-1"))
    return label, None if label is None else _web_encoding(_resolve(label))


def _declared_label(text: str) -> str | None:
    for match in _DECLARING.finditer(text):
        if match["body"]:
            break
        attributes = {name.lower(): value for name, value in _ATTRIBUTE.findall(match["attributes"] or "")}
        label = _LABEL_ALONE.match(attributes.get("charset") or attributes.get("encoding", ""))
        if label is None and "http-equiv" in attributes:
            label = _CHARSET.search(attributes.get("content", ""))
        if label is not None:
            return label[1]
    return None


def _without_use(label: str | None) -> str:
    return "the page declares none" if label is None else f"the page declares {label}, which cannot be used"


def is_utf_8(body: bytes, *, is_whole: bool = False) -> bool:
    """Return whether bytes are UTF-8 and not all ASCII; the last character may be cut unless ``is_whole``."""
    try:
        text, _ = codecs.utf_8_decode(body, "strict", is_whole)
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def _breaks_as_utf_8(body: bytes) -> bool:
    """Return whether most characters beyond ASCII, and more than one, are broken if bytes are read as UTF-8."""
    # Its first part is enough for most pages, and long ones take a twentieth of their parsing.
    if body.isascii() or is_utf_8(body[:_FIRST_PART]) or is_utf_8(body):
        return False
    text = _sample(body).decode(UTF_8, "replace")
    broken = text.count("\ufffd")
    return broken > max(1, _count_beyond_ascii(text) / 2)


def _choose_given(body: bytes, given: str) -> EncodingChoice:
    declared = _find_declaration(body)[1]
    though = f"though {given} is given, or in the HTTP header"
    is_single = given in SINGLE_BYTE or (declared == UTF_8 != given)
    if is_single and _has_several(body) and is_utf_8(body):
        return EncodingChoice(UTF_8, "contradiction", f"valid UTF-8, {though}")
    choice = EncodingChoice(given, "given", "given, or from the HTTP header")
    return _unless_words_fit(choice, body, declared, though)


def _unless_words_fit(choice: EncodingChoice, body: bytes, declared: str | None, though: str) -> EncodingChoice:
    """Return a choice, or a better one: servers name one encoding for all pages, and the words may fit another."""
    if choice.name != _OF_SERVERS or body.isascii():
        return choice
    sample = _sample(body)
    if _has_several(body) and _is_nearly_utf_8(sample):
        return EncodingChoice(UTF_8, "contradiction", f"UTF-8 but for a few characters, {though}")
    odd = _oddness(to_unicode(sample, _OF_SERVERS), _OF_SERVERS)
    better = EncodingChoice(declared or _OF_SERVERS, "declared", "declared by the page, whose words fit")
    has_many = len(_HIGH.findall(sample)) >= _MANY
    if better.name == _OF_SERVERS and odd > (_WORDS if has_many else _NO_WORDS):
        better = _guess(body)
    is_certain = better.source != "guessed" or better.name not in _LATIN or _tells(sample, better.name)
    if not (is_certain and _words_fit(sample, better.name, odd)):
        return choice
    return better._replace(reason=f"{better.reason}, {though}")


def _tells(sample: bytes, name: str) -> bool:
    """Return whether a Latin code page makes several stop words of bytes that servers' encoding reads otherwise."""
    words, others = ({*_LETTERS.findall(to_unicode(sample, page).lower())} for page in (name, _OF_SERVERS))
    return len((words - others) & _stopwords(_CODE_PAGES[name])) >= _SEVERAL


def _words_fit(sample: bytes, name: str, odd: float) -> bool:
    """Return whether words are likely in an encoding; ``odd``: how odd they are in that of servers."""
    if name in _WIDE:
        return odd > _WORDS and _mess(to_unicode(sample, name), name) < _MESS
    return name in _CODE_PAGES and _oddness(to_unicode(sample, name), name) < min(odd, _WORDS)


def _has_several(body: bytes) -> bool:
    """Return whether bytes that are UTF-8 have more than one character beyond ASCII: a single one may be chance."""
    return len(body) - len(body.translate(None, _FIRST_BYTES)) > 1


# Guesses.

#: Bytes of the sample.
_SAMPLE = 4096
#: The share of the characters of a sample that need not be sound.
_STRAY = 0.01
#: Of a page in UTF-8 with broken characters.
_BROKEN = 0.1

#: A word from its first byte beyond ASCII on.  In none of the encodings are these separators a part of a character.
_BEYOND_ASCII = re.compile(rb"[\x80-\xff][^\x00-\x2f:;<=>?]*")
_BEGINNING = re.compile(rb"[0-9A-Za-z]*\Z")
_LONGEST_BEGINNING = 20

#: Encodings of many characters, and the language that is written in them.
_WIDE = {"euc_jp": "Japanese", "cp932": "Japanese", "gb18030": "Chinese", "cp949": "Korean", "big5hkscs": "Chinese"}
#: The share of a text that may be odd.
_MESS = 0.15
#: Where charset-normalizer gives up on a text.
_WORST_MESS = 0.2
#: Below this a text in a code page is sure to have words.
_WORDS = -0.1
#: Bytes that are no quotation marks or dashes in windows-1252; those of a sample that is worth a guess among Latin code
#: pages, and stop words that tell one.
_HIGH = re.compile(rb"[\xa1-\xff]")
_MANY, _SEVERAL = 20, 3
#: Above this it is in no code page, but for a page in fifteen.
_NO_WORDS = 0.05
#: Half-width kana are no evidence: in Shift_JIS a byte is one, whatever stands around it.
_RUN = re.compile("[^\x00-\x7f\ufffd\uff61-\uff9f]{2,}")

#: Code pages and the languages that are mostly written in them, commonest first.
_CODE_PAGES: Mapping[str, str] = {
    "cp1252": "French German Spanish Portuguese Italian Dutch Swedish Danish Norwegian Finnish Icelandic Catalan",
    "cp1251": "Russian Ukrainian Bulgarian Serbian Belarusian Macedonian",
    "cp1250": "Polish Czech Hungarian Romanian Slovak Croatian Slovenian",
    "iso8859-2": "Polish Czech Hungarian Romanian Slovak Croatian Slovenian",
    "koi8-r": "Russian",
    "cp1254": "Turkish",
    "cp1256": "Arabic Persian",
    "cp1253": "Greek",
    "cp1255": "Hebrew",
    "cp874": "Thai",
    "cp1257": "Lithuanian Latvian Estonian",
    "iso8859-5": "Russian Ukrainian Bulgarian Serbian Belarusian Macedonian",
    "iso8859-7": "Greek",
    "koi8-u": "Ukrainian",
}
#: Those that share so many letters that a few words, such as names, are no evidence.
_LATIN = frozenset(["cp1250", "cp1252", "cp1254", "cp1257", "iso8859-2"])
_LETTERS = re.compile(r"[^\W\d_]+")
#: Latin letters beyond ASCII, of which no word of any length is made.
_ACCENTED = re.compile("[\xaa-\u024f]{3,}")
#: What is no letter, no digit and no usual sign of text.
_ODD = re.compile("[^\x00-\x7f\\w\xa0\u0301\u200c\u0e31-\u0e4e’‘“”–—…«»„‚‹›·•™®©°€£§¿¡×¶±´№]")


def _guess(body: bytes) -> EncodingChoice:
    """Choose the likeliest encoding of bytes that declare none and are no valid UTF-8 beyond ASCII."""
    if body.isascii():
        if b"\x1b$" in body and "\ufffd" not in body.decode("iso2022_jp", "replace"):
            return _guessed("iso2022_jp", "its escapes")
        return EncodingChoice(UTF_8, "detected", "all ASCII")
    sample = _sample(body)
    if _is_nearly_utf_8(sample):
        return _guessed(UTF_8, "its characters, some of which are broken")
    mess = {encoding: _mess(to_unicode(sample, encoding), encoding) for encoding in _WIDE}
    odd = {page: _oddness(to_unicode(sample, page), page) for page in _CODE_PAGES}
    wide, page = min(mess, key=mess.__getitem__), min(odd, key=odd.__getitem__)
    if mess[wide] < _MESS and odd[page] > _WORDS:
        return _guessed(wide, "its characters")
    return _guessed(page, "its words")


def _is_nearly_utf_8(sample: bytes) -> bool:
    text = sample.decode(UTF_8, "replace")
    return text.count("\ufffd") <= _BROKEN * _count_beyond_ascii(text)


def _guessed(name: str, evidence: str) -> EncodingChoice:
    return EncodingChoice(name, "guessed", f"guessed by {evidence}")


def _sample(body: bytes) -> bytes:
    """Return the first words with a byte beyond ASCII."""
    words: list[bytes] = []
    size = 0
    for match in _BEYOND_ASCII.finditer(body):
        beginning = _BEGINNING.search(body, max(match.start() - _LONGEST_BEGINNING, 0), match.start())
        start = match.start() if beginning is None else beginning.start()
        words.append(body[start : min(match.end(), start + _SAMPLE - size)])
        size += len(words[-1]) + 1
        if size >= _SAMPLE:
            break
    return b" ".join(words)


def _mess(text: str, encoding: str) -> float:
    """Return how unlikely it is that a text is meant, less what speaks for its language: a share of the text.

    It is infinite for what was never written in the encoding.
    """
    # Imported when a page needs it: it takes time to load.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    wide = _count_beyond_ascii(text)
    if text.count("\ufffd") > _STRAY * wide or sum(map(len, _RUN.findall(text))) < wide / 2:
        return inf
    text = text.replace("\ufffd", "")
    if _WIDE[encoding] == "Chinese" and (script := script_of(text)) is not None and script.code == "ja":
        # Kana stand at the same places in GB 18030 as in EUC-JP, Han characters do not.
        return inf
    best = from_bytes(text.replace(" ", "").encode(), cp_isolation=["utf_8"]).best()
    mess = _WORST_MESS if best is None else best.chaos - best.coherence
    return mess - _stopword_characters(text, _stopwords(_WIDE[encoding])) / wide


def _oddness(text: str, page: str) -> float:
    """Return how many characters of a text are odd, less those of stop words: a share of those beyond ASCII."""
    odd = len(_ODD.findall(text)) - _stopword_characters(text, _stopwords(_CODE_PAGES[page]))
    # Bytes that are read in a wrong encoding make words of accents alone, or swap upper and lower case.
    for word in _LETTERS.findall(text):
        if _ACCENTED.fullmatch(word) or (len(word) > 2 and word.swapcase().istitle()):
            odd += len(word)
    return odd / _count_beyond_ascii(text)


def _stopword_characters(text: str, stopwords: frozenset[str]) -> int:
    if script_of_words(stopwords) is not None:
        return covered_characters([text], stopwords)[0]
    return sum(len(word) for word in _LETTERS.findall(text.lower()) if word in stopwords)


@lru_cache
def _stopwords(languages: str) -> frozenset[str]:
    """Return the stop words of languages that have a character beyond ASCII.

    In languages with spaces, single letters stand in any text that is read in a wrong encoding.
    """
    library = find_library()
    words = frozenset[str]().union(*(library.words(library.get(name)) for name in languages.split()))
    shortest = 2 if script_of_words(words) is None else 1
    return frozenset(word for word in words if len(word) >= shortest and not word.isascii())


def _count_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
