"""Cut the text of a page into chunks for retrieval.

A chunk is a run of paragraphs below one heading.  Where it ends, in this order:

1. before a heading, unless the chunk holds nothing but headings: a heading stays with the text below it;
2. between two paragraphs, if the next one does not fit;
3. inside a paragraph that is longer than a chunk, or that does not fit below its heading: at the last end of a
   sentence that fits; in code and tables of a line;
4. inside a sentence that is longer than a chunk: at the last white space, or the last comma of scripts that put no
   space behind it;
5. inside a longer word: between two characters, but not before one that belongs to the character in front of it.

**Sentences end** at the marks that Unicode lists as ``Sentence_Terminal``, and at those of Tibetan.  Thai and Lao have
no marks; they put a space between sentences or clauses, so rule 4 serves them.  The marks of ASCII end a sentence only
before white space.  An end is in doubt if lower case follows, or if a full stop stands behind what may be an
abbreviation; it is taken only if there is no other.

Every text is looked at twice at the most, however long it is and however short the chunks are.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.parameters import is_whole
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What stands between two paragraphs of a text.
BETWEEN_PARAGRAPHS = "\n\n"
#: Characters of a chunk: some 250 tokens of English.
CHUNK_CHARACTERS = 1000
_SPACES = re.compile(r"\s*")
_LINE_ENDS = re.compile(r"(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of a page's text."""

    text: str
    start: int
    """Where it begins in the page's text, in characters."""
    end: int
    """Where it ends: the character behind its last one."""
    heading_path: tuple[str, ...]
    """The texts of the good headings above its last block, that of the highest level first."""
    blocks: tuple[int, ...]
    """The indices of the blocks that it holds, or holds a part of."""

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


class Paragraph(NamedTuple):
    """A good block with text."""

    text: str
    block: int
    """Its index on the page."""
    is_heading: bool
    is_lines: bool
    """Whether its lines mean more than its sentences, as those of code and tables."""
    heading_path: tuple[str, ...]


def cut_into_chunks(paragraphs: Iterable[Paragraph], characters: int) -> list[TextChunk]:
    """Return the chunks of a text, none with more than so many characters.

    All characters of the text are in one chunk, in their order, but for white space between two chunks.

    Raises :class:`~scrapy_justext.exceptions.ParameterError` for less than one character.
    """
    if not is_whole(characters) or characters < 1:
        raise ParameterError("characters", characters, "must be a whole number, 1 or more")
    cutter = _Cutter(characters)
    for paragraph in paragraphs:
        cutter.add(paragraph)
    cutter.close()
    return cutter.chunks


class _Cutter:
    def __init__(self, characters: int) -> None:
        self.chunks: list[TextChunk] = []
        self._characters = characters
        # Characters of the text so far, and those of them before the open chunk.
        self._length = self._start = 0
        self._parts: list[str] = []
        self._blocks: list[int] = []
        self._path: tuple[str, ...] = ()
        self._has_only_headings = True

    def add(self, paragraph: Paragraph) -> None:
        """Put a paragraph behind the last."""
        if self._length:
            self._length += len(BETWEEN_PARAGRAPHS)
        if not self._has_only_headings and (paragraph.is_heading or len(paragraph.text) > self._room()):
            self.close()
        at = 0
        while len(paragraph.text) - at > self._room():
            end = self._cut(paragraph, at)
            at = self._put(paragraph, at, end)
            self.close()
        self._put(paragraph, at, len(paragraph.text))

    def close(self) -> None:
        if self._parts:
            text = BETWEEN_PARAGRAPHS.join(self._parts)
            span = (self._start, self._start + len(text))
            self.chunks.append(TextChunk(text, *span, self._path, tuple(self._blocks)))
        self._parts, self._blocks, self._has_only_headings = [], [], True

    def _room(self) -> int:
        """Return how many characters of a paragraph fit into the open chunk; below 0 if not even a blank line does."""
        return self._characters - (self._length - self._start if self._parts else 0)

    def _cut(self, paragraph: Paragraph, at: int) -> int:
        """Return where the open chunk ends in a paragraph that does not fit into it from ``at`` on."""
        most = at + max(self._room(), 0)
        if paragraph.is_lines:
            end = max(paragraph.text.rfind("\n", at + 1, most + 1), 0)
        else:
            end = _sentence_end(paragraph.text, at, most)
        # Below a heading only whole sentences: the first one may fit into a chunk of its own.
        return end or (at if self._parts else _word_end(paragraph.text, at, most))

    def _put(self, paragraph: Paragraph, at: int, end: int) -> int:
        """Put a part of a paragraph into the open chunk, and return where the rest of the paragraph begins."""
        part = paragraph.text[at:end]
        if end < len(paragraph.text):
            part = part.rstrip()
        if part.strip():
            if not self._parts:
                self._start = self._length
            self._parts.append(part)
            self._blocks.append(paragraph.block)
            self._path = paragraph.heading_path
            self._has_only_headings &= paragraph.is_heading
        rest = _skip_space(paragraph.text, end) if end > at else at
        self._length += rest - at
        return rest


def _skip_space(text: str, end: int) -> int:
    """Return where the text goes on behind white space; the line that follows a line's end keeps its indentation."""
    space = _LINE_ENDS.match(text, end) or _SPACES.match(text, end)
    return end if space is None else space.end()


#: The marks that end a sentence before white space alone.
_BEFORE_SPACE = ".!?\u2026"
#: Those that end one wherever they stand.
_ANYWHERE = (
    "\u037e\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965\u0f0d-\u0f11\u104b"
    "\u1362\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945\u1aa8-\u1aab\u1b5a\u1b5b\u1b5e\u1b5f"
    "\u1c3b\u1c3c\u1c7e\u1c7f\u203c\u203d\u2047-\u2049\u2e2e\u2e3c\u3002\ua4ff\ua60e\ua60f\ua6f3\ua6f7\ua876\ua877"
    "\ua8ce\ua8cf\ua92f\ua9c8\ua9c9\uaa5d-\uaa5f\uaaf0\uaaf1\uabeb\ufe52\ufe56\ufe57\uff01\uff0e\uff1f\uff61"
)
#: The full stop among them that parts the digits of a number, too.
_WIDE_STOP = "\uff0e"
#: Quotes and brackets that close: they belong to the sentence in front of them.
_CLOSING = "\"'\u2019\u201d\u201c\u00bb\u203a)\\]}\uff09\u300d\u300f\u3011\u300b\u3009\uff3d\u3015*"
_MOST_CLOSING = 3
_MARKS = f"{_BEFORE_SPACE}{_ANYWHERE}"
# A run of marks is read from its start alone; otherwise the time would grow with the square of its length.
_SENTENCE_END = re.compile(f"(?<![{_MARKS}])([{_MARKS}]+)[{_CLOSING}]{{0,{_MOST_CLOSING}}}")
_ENDS_ANYWHERE = re.compile(f"[{_ANYWHERE}]")
#: Behind these, a sentence that is too long is cut as at white space.
_COMMAS = "\uff0c\u3001\uff1b\uff1a\u060c\u061b\u104a\u1363-\u1366\u0f0b"
_WORD_END = re.compile(rf"(?=\s)|(?<=[{_COMMAS}])")
#: Characters in front of a full stop that are looked at.
_LOOKED_AT = 12


def _sentence_end(text: str, at: int, most: int) -> int:
    """Return the last end of a sentence behind ``at`` that is not behind ``most``; 0 if there is none."""
    end = end_in_doubt = 0
    for match in _SENTENCE_END.finditer(text, at, most + _MOST_CLOSING):
        if match.end() > most:
            break
        if _ENDS_ANYWHERE.search(match[1]):
            is_sure = match[1] != _WIDE_STOP or not text[match.end()].isdigit()
        elif text[match.end()].isspace():
            before = text[max(at, match.start() - _LOOKED_AT) : match.start()] if match[1] == "." else ""
            is_sure = not _may_go_on(before, text[(after := _skip_space(text, match.end())) : after + 1])
        else:
            continue
        if is_sure:
            end = match.end()
        else:
            end_in_doubt = match.end()
    return end or end_in_doubt


def _may_go_on(before: str, after: str) -> bool:
    """Return whether a sentence may go on, by what stands before a full stop and the character behind its white space.

    >>> [_may_go_on(*text.split("|")) for text in ["quoth Mr|S", "am 3|O", "z.B|d", "came back|H"]]
    [True, True, True, False]
    """
    if after.islower() or after.isdigit():
        return True
    word = (before.rsplit(maxsplit=1) or [""])[-1].lstrip("([\"'\u201c\u201e\u00ab")
    is_capitalised = word[:1].isupper() and word.isalpha()
    most = 3 if is_capitalised else 2 if word.isdigit() else 1
    return "." in word or 0 < len(word) <= most


def _word_end(text: str, at: int, most: int) -> int:
    """Return where to cut a sentence that does not end between ``at`` and ``most``."""
    ends = map(re.Match.start, _WORD_END.finditer(text, at + 1, most + 1))
    end = max((end for end in ends if end <= most), default=at)
    if end > at:
        return end
    # A mark belongs to the character in front of it, and so does a character behind a joiner.
    parted = (end for end in range(most, at, -1) if "\u200d" not in text[end - 1 : end + 1])
    return next((end for end in parted if unicodedata.category(text[end])[0] != "M"), most)
