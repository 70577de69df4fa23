"""Find text of a page that stands in data instead of elements: JSON-LD, and the state that scripts start from.

Product and job pages often have their description nowhere else.  No element says what such a text is, so it is added
only to pages with next to no content.  Text that is in the page's blocks already is not added, whatever class these
blocks have.

* JSON-LD (:func:`json_ld_texts`) is read by the vocabulary of schema.org.  Its scripts are taken as people write them:
  wrapped in comments or CDATA, with something behind the JSON.
* In other scripts (:func:`embedded_texts`) no name says what a string is.  So strings are taken that read like prose:
  they have sentences, few signs of code, and no words about cookies and forms.  Strings are those of JavaScript; JSON
  may be written into a string.

Lengths are in units (:func:`~scrapy_justext.core.unsegmented.units`).
"""

from __future__ import annotations

import json
import re
from html import escape, unescape
from itertools import compress, groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import GOOD, BlockTable, Decision, Decisions
from scrapy_justext.core.language_table import primary
from scrapy_justext.core.overrides import first_match, matched_nodes
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.head import declared_languages, whole_page
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.unsegmented import MOST_UNITS, script_of, units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.blocks import Measurements, Segment
    from scrapy_justext.core.context_sensitive import Context
    from scrapy_justext.core.overrides import Selection
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import TagRules

#: The properties of schema.org that hold a thing's text; of one object, the first that is there.
PROPERTIES = ("articleBody", "text", "reviewBody", "description")
#: Names may stand with their vocabulary before them.
VOCABULARIES = ("", "schema:", "http://schema.org/", "https://schema.org/")
#: Things that a page is not about.
_PASSED_OVER = re.compile(
    "airline|brand|breadcrumblist|consortium|corporation|imageobject|ngo|onlinebusiness|onlinestore|.*organization"
    "|person|searchaction|website",
    re.IGNORECASE | re.DOTALL,
)

#: The names under which a property may stand in an object, in the order in which they are looked for.
_NAMES = tuple(vocabulary + name for name in PROPERTIES for vocabulary in VOCABULARIES)

#: Characters of a page's JSON-LD that are read, and as many of its embedded state; what is behind them is not.
MOST_READ = 1 << 22
#: Texts of a page's data that are read, their characters, and the blocks that they make: as much as a large page has.
MOST_TEXTS = MOST_BLOCKS = 10_000
MOST_TEXT = 1 << 20
#: Units of a text in JSON-LD; a shorter one says nothing.
LEAST_UNITS = 60

_OPENING = re.compile(r"(?:[\s\ufeff]+|//|/\*|\*/|<!\[CDATA\[|<!--)*", re.IGNORECASE)
_LANGUAGE = re.compile(r"@none|[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_CONTAINERS = (dict, list)


def json_ld_texts(script: str, languages: Sequence[str] = ()) -> Iterator[str]:
    """Yield the texts in a script of JSON-LD, in order.

    ``languages``: tags; of a text in several languages, one in these is taken, else the first.

    >>> list(json_ld_texts('{"@graph": [{"@type": "Product", "description": "%s"}]}' % ("A lamp. " * 10)))[0][:14]
    'A lamp. A lamp'
    """
    value = parse_json_ld(script)
    if value is None:
        return
    ranks = {language: rank for rank, language in enumerate(dict.fromkeys(map(primary, languages)))}
    unread = [value]
    while unread:
        value = unread.pop()
        if isinstance(value, list):
            unread += [inner for inner in reversed(value) if isinstance(inner, _CONTAINERS)]
        elif isinstance(value, dict) and not any(map(_PASSED_OVER.fullmatch, types_of(value))):
            yield from _texts_of(value, ranks)
            unread += [inner for inner in reversed(value.values()) if isinstance(inner, _CONTAINERS)]


def parse_json_ld(script: str) -> object:
    """Return the value in a script of JSON-LD; None where there is none."""
    start = _OPENING.match(script)
    try:
        # What is behind the JSON ends what wraps it.
        return json.JSONDecoder(strict=False).raw_decode(script, start.end() if start else 0)[0]
    except (ValueError, RecursionError):
        return None


def types_of(thing: Mapping[str, object]) -> list[str]:
    """Return the types of a thing without their vocabulary."""
    return [re.split("[/#:]", name)[-1] for name in strings_in(thing.get("@type"))]


def _texts_of(thing: Mapping[str, object], ranks: Mapping[str, int]) -> list[str]:
    """Return the first of a thing's texts that is long enough, in its parts."""
    for name in _NAMES:
        if name in thing:
            parts = _in_one_language(list(_parts(thing[name])), ranks)
            if sum(map(units, parts)) >= LEAST_UNITS:
                return parts
    return []


def _parts(value: object) -> Iterator[tuple[str, str]]:
    """Yield the strings of a property's value, each with its language, which may be empty."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            yield "", part
        elif isinstance(part, dict) and isinstance(text := part.get("@value"), str):
            yield str(part.get("@language") or ""), text
        elif isinstance(part, dict) and all(map(_LANGUAGE.fullmatch, part)):
            for language, texts in part.items():
                yield from ((language, text) for text in strings_in(texts))


def strings_in(value: object, most: int | None = None) -> list[str]:
    """Return the strings of a property's value, which may be a single one; ``most``: values that are looked at."""
    return [text for text in (value[:most] if isinstance(value, list) else [value]) if isinstance(text, str)]


def _in_one_language(parts: Sequence[tuple[str, str]], ranks: Mapping[str, int]) -> list[str]:
    """Return the texts in the language that comes first in ``ranks``, and those in none."""
    languages = dict.fromkeys(primary(language) for language, _ in parts if language)
    # Of equals, min gives the first.
    chosen = min(languages, key=lambda language: ranks.get(language, len(ranks)), default="")
    return [text for language, text in parts if not language or primary(language) == chosen]


#: Units of a string in another script that counts, at the least.
LEAST_PROSE = 200
#: How often JSON may be written into a string of JSON.
NESTING = 3

#: A string; an escape outside of one goes by, or each escaped quote would be looked at as a beginning.  An apostrophe
#: in a word begins none.
_STRING = re.compile(r"""\\.|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"|(?<!\w)'([^'\\\n]*(?:\\.[^'\\\n]*)*)'""")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "\n", "v": "\n", "0": ""}
#: What a string that holds JSON begins with, or has inside.
_JSON = re.compile(r"""\A\s*(?:[\[{]\s*["'\[{]|\[\s*(?:[-.\d]{1,30}|null|true|false)\s*,)|"\s*:\s*["\[{]""")

_CODE = re.compile(r"[{}=;<>|\\_$]|https?:|\(\)")
_SENTENCE = re.compile(r"[\w\"'”’)][.!?](?:\s|$)|[。！？।۔؟]")
_TAG = re.compile(r"<[^<>]{0,500}>|&[a-z]{2,8};|&#\d{1,6};")
#: Signs of code a character, at the most.
_CODE_SHARE = 0.01
#: Characters a space, at the most, in text with spaces between words.
_SPACING = 12

#: The name that a string is given, at the end of what is before it.
_NAME = re.compile(r"""([\w$-]{1,60})["']?\s{0,9}[:=]\s{0,9}[\[(]?\s{0,9}\Z""")
_NAME_READ = 90
#: What names of messages have inside.
_MESSAGE_NAME = re.compile(
    "cookie|consent|gdpr|ccpa|privacy|error|invalid|validat|required|warning|placeholder|tooltip", re.IGNORECASE
)
#: What messages to the user of a site say; each alternative is one sign.
_MESSAGE = re.compile(
    r"\bcookie|\bconsent|\bgdpr\b|privacy policy|third[- ]part|opt[- ]?out|personal data|your preferences|datenschutz"
    r"|einwilligung|please (?:enter|correct|fill|enable)|(?:field|value|address|e-?mail|password|name) is required"
    r"|\b(?:in)?valid (?:e-?mail|phone|number|date|address|value)|try again|went wrong|error (?:has )?occurred"
    r"|at least \d+ characters|required field|enable javascript",
    re.IGNORECASE,
)
#: Different signs from which a text is such a message, and units for each sign at the most.
_MESSAGE_SIGNS = 2
_MESSAGE_SPACING = 150
#: Units; a longer text is about such things.
_MOST_MESSAGE = 1000


def embedded_texts(script: str, nesting: int = NESTING) -> Iterator[str]:
    r"""Yield the strings in a script that read like prose, in order, also those in strings that hold JSON.

    >>> text = "The kettle is made from one sheet of copper. " * 6
    >>> list(embedded_texts("let page = '{\"d\": \"%s\"}'" % text)) == [text]
    True
    """
    for match in _STRING.finditer(script):
        written = match[1] or match[2] or ""
        if len(written) * MOST_UNITS < LEAST_PROSE:
            continue
        text = _ESCAPE.sub(_escaped, written) if "\\" in written else written
        if not _JSON.search(text) and is_prose(text):
            if not _is_message(text, script[max(match.start() - _NAME_READ, 0) : match.start()]):
                yield text
        elif nesting:
            yield from embedded_texts(text, nesting - 1)


def _escaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _CONTROLS.get(escape[3], escape[3])


def is_prose(text: str) -> bool:
    """Return whether a string is running text, with or without markup, and no code or list of names.

    >>> is_prose("The kettle is made from one sheet of copper. " * 6), is_prose("color:#fff;" * 30)
    (True, False)
    """
    plain = _TAG.sub(" ", text)
    if units(text) < LEAST_PROSE or units(plain) < LEAST_PROSE / 2 or not _SENTENCE.search(plain):
        return False
    spaced = plain.count(" ") * _SPACING >= len(plain) or script_of(plain) is not None
    return spaced and len(_CODE.findall(plain)) <= _CODE_SHARE * len(plain)


def _is_message(text: str, before: str) -> bool:
    name = _NAME.search(before)
    if name and _MESSAGE_NAME.search(name[1]):
        return True
    length = units(text)
    if length > _MOST_MESSAGE:
        return False
    signs = [sign.lower() for sign in _MESSAGE.findall(text)]
    return len(set(signs)) >= _MESSAGE_SIGNS and len(signs) * _MESSAGE_SPACING >= length


JSON_LD, EMBEDDED = "json-ld", "embedded"

#: Units.  A page whose content has as many gets no texts of data; one whose blocks have as many gets no texts of
#: embedded state.  On WCXB's development set, JSON-LD helps below this number, and hurts from 300 on.
ENOUGH = 200
#: A block is content from this probability on, even if the user's threshold is higher.
CONTENT_PROBABILITY = 0.5
#: Characters of a page's text in which that of its data is looked for.
MOST_COMPARED = 1 << 16

_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|<!--")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});")
#: An entity that was escaped once more.
_ESCAPED_ENTITY = re.compile(f"&amp;(?={_ENTITY.pattern[1:]})")
#: No text to be shown, whatever markup is around it.
_ESCAPED_CODE = re.compile("&(?:amp;){0,2}lt;(?:script|style)\\b", re.IGNORECASE)
#: How often text may be escaped.
_ESCAPED = 2


class DataBlocks(NamedTuple):
    """The blocks of the texts in a page's data.

    ``origin``: :data:`JSON_LD` or :data:`EMBEDDED`.
    ``decisions``, ``measurements``: once it is known what is added to the page.
    """

    origin: str
    segments: BlockTable
    decisions: Decisions = Decisions()
    measurements: Measurements | None = None

    @property
    def good(self) -> list[Segment]:
        """Return the segments that no rule of the user's made bad."""
        return list(compress(self.segments, self.decisions.are_good))


def shows_little(segments: BlockTable) -> bool:
    """Return whether blocks have less text than :data:`ENOUGH`."""
    return _length(segments.collapsed) < ENOUGH


def _length(texts: Iterable[str]) -> int:
    """Return the length of texts together; at :data:`ENOUGH`, no more are measured."""
    length = 0
    for text in texts:
        length += units(text)
        if length >= ENOUGH:
            break
    return length


def find_missing(
    context: Context,
    decisions: Decisions,
    read: Callable[[], Nodes | None],
    rules: TagRules,
    selection: Selection,
    data: DataBlocks | None = None,
) -> DataBlocks | None:
    """Return the blocks that a page's data add; None where it has enough content or they add nothing."""
    # Good blocks are content whatever their probability, and mostly enough.
    if _length(compress(context.segments.collapsed, decisions.are_good)) >= ENOUGH:
        return None
    is_content = [
        is_good or (probability or 0) >= CONTENT_PROBABILITY
        for is_good, probability in zip(decisions.are_good, context.probabilities, strict=True)
    ]
    length = _length(compress(context.segments.collapsed, is_content))
    if length >= ENOUGH:
        return None
    if data is None and (page := read()) is not None:
        data = find_data(page, rules, selection, embedded=shows_little(context.segments))
    if data is None or not data.segments:
        return None
    present = [text for i, text in enumerate(context.segments.collapsed) if is_content[i] or i in context.pinned]
    missing = _missing_from(present, data.segments)
    added = Decision(GOOD, f"from {data.origin}, as the page has only {length} < {ENOUGH} characters of content")
    made = Decisions(first_match(selection.patterns, text) or added for text in missing.collapsed)
    return DataBlocks(data.origin, missing, made) if missing else None


def _missing_from(present: Sequence[str], segments: BlockTable) -> BlockTable:
    """Return the segments whose text is neither one of the present texts nor a part of these when they are joined."""
    texts, run = {*present}, _words(" ".join(present)[:MOST_COMPARED])
    return BlockTable(
        segment
        for segment in segments
        if (text := segment.collapsed) not in texts and (units(text) < LEAST_UNITS or _words(text) not in run)
    )


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def find_data(page: Nodes, rules: TagRules, selection: Selection, *, embedded: bool = True) -> DataBlocks:
    """Return the blocks of the texts in JSON-LD; if there are none, of those in embedded state.

    ``rules``: those by which markup in a text is cut; ``embedded``: whether embedded state is read.  Scripts in
    elements that the user dropped are ignored.
    """
    scripts: dict[str, list[str]] = {JSON_LD: [], EMBEDDED: []}
    for script in _scripts(page, selection):
        scripts[JSON_LD if _is_linked_data(page, script) else EMBEDDED].append(page.text(script))
    languages = declared_languages(whole_page(page))
    texts = (text for script in _until_full(scripts[JSON_LD], MOST_READ) for text in json_ld_texts(script, languages))
    if segments := segments_of(texts, rules):
        return DataBlocks(JSON_LD, segments)
    texts = (text for script in _until_full(scripts[EMBEDDED], MOST_READ) for text in embedded_texts(script))
    return DataBlocks(EMBEDDED, segments_of(texts, rules) if embedded else BlockTable())


def json_ld_scripts(page: Nodes) -> Iterator[str]:
    """Yield the scripts of JSON-LD of a page, until they are too long together."""
    scripts = (script for script in page.named("script") if _is_linked_data(page, script))
    return _until_full(map(page.text, scripts), MOST_READ)


def _is_linked_data(page: Nodes, script: int) -> bool:
    return "ld+json" in (page.attribute(script, "type") or "").lower()


def _until_full(texts: Iterable[str], most: int) -> Iterator[str]:
    """Yield texts until they have ``most`` characters together; the last of them is cut there."""
    for text in texts:
        if most <= 0:
            return
        yield text[:most]
        most -= len(text)


def _scripts(page: Nodes, selection: Selection) -> Iterator[int]:
    """Yield the scripts of a page that have text, but for those in elements that the user dropped."""
    dropped = {node for selector, _ in selection.drop for node in matched_nodes(selector, page)}
    nearest = page.nearest(dropped) if dropped else [0] * page.count
    for script in page.named("script"):
        if not nearest[script] and page.attribute(script, "src") is None:
            yield script


def segments_of(texts: Iterable[str], rules: TagRules) -> BlockTable:
    """Return the blocks of texts that may be HTML, escaped or not; of equal texts, those of the first."""
    segments = BlockTable()
    readable = map(_unescaped, islice(dict.fromkeys(_until_full(texts, MOST_TEXT)), MOST_TEXTS))
    for has_markup, group in groupby(readable, lambda text: _MARKUP.search(text) is not None):
        # Markup that is not closed must not reach into the next text.  All else is cut at once, which is far quicker.
        if has_markup:
            pages = [_ESCAPED_ENTITY.sub("&", html) for html in group]
        else:
            pages = ["".join(f"<p>{escape(line)}</p>" for text in group for line in text.splitlines())]
        for page in pages:
            root = parse_html(f"<body>{page}").root
            if root is not None:
                segments.extend(read_tree(root, rules))
            if len(segments) >= MOST_BLOCKS:
                segments.cut_off(MOST_BLOCKS)
                return segments
    return segments


def _unescaped(text: str) -> str:
    """Return a text without entities if it is plain; as HTML if it has markup."""
    for _ in range(_ESCAPED):
        if _MARKUP.search(text) and not _ESCAPED_CODE.search(text):
            break
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    return text
