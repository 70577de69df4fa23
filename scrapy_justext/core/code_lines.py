"""Find code that stands outside of PREs on lines of its own, and mark it.

Forums and old pages write code in a CODE with BRs, or in a CODE a line.  Two lines or more, all of whose text is in
CODE, are a block of code; a line ends at a BR, and where a block-level element starts or ends.  A CODE in a line of
text is a part of the text, as is one on a line of its own.

The flattened text (:mod:`.flattening`) is read once, from one CODE to the next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_justext.core.code import FEW_LINES, has_symbols, reads_as_prose
from scrapy_justext.core.marks import (
    BEGUN,
    BLOCK,
    BREAK,
    CLOSE,
    FINISHED,
    FIXED_WIDTH,
    INLINE,
    MARK,
    MATH,
    PLAIN,
    has_mark,
    tag_codes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.tags import TagRules

_CODE = INLINE + FIXED_WIDTH
_MATH = INLINE + MATH
_BREAK = INLINE + BREAK
#: A whole element, as most are, or the begin or end of one with others in it.
_END = re.escape(PLAIN)
_BEGINS_OR_ENDS = re.compile(f"{INLINE}(?:({FIXED_WIDTH}[^{INLINE}]*{INLINE}{_END})|{FIXED_WIDTH}|{_END})")
_LINE_END = re.compile(f"{BLOCK}.|{INLINE}{re.escape(BREAK)}")
#: Up to the first character of text.
_VISIBLE = re.compile(f"(?:{INLINE}.|\\s)*[^{INLINE}\\s]", re.DOTALL)
#: The block-level elements that lines of code may be, and how many may be in one another: a CODE that is not closed
#: may have much of a page in it.
_LINE_NAMES = ("div", "li", "ol", "p")
_DEEPEST = 3


def mark_code_lines(flat: str, rules: TagRules) -> str:
    """Return a flattened text with marks around each block of code that is no PRE; ``rules`` ask for no styles."""
    if not has_mark(flat, FIXED_WIDTH):
        return flat
    parts: list[str] = []
    done = 0
    for begin, end in _candidates(flat):
        inside = flat[begin:end]
        if _is_block_of_code(inside, rules):
            parts += flat[done:begin], INLINE, BEGUN, inside, INLINE, FINISHED
            done = end
    return "".join([*parts, flat[done:]]) if parts else flat


def _code_elements(flat: str) -> Iterator[tuple[int, int]]:
    """Yield where the outermost elements in fixed width begin and end."""
    depth = begin = 0
    for mark in _BEGINS_OR_ENDS.finditer(flat):
        if mark.lastindex:
            if not depth:
                yield mark.span()
        elif mark.group() == _CODE:
            begin = begin if depth else mark.start()
            depth += 1
        else:
            depth -= 1
            if not depth:
                yield begin, mark.end()


def _candidates(flat: str) -> Iterator[tuple[int, int]]:
    """Yield where code begins and ends that has all of its lines for itself, line after line."""
    # Where the code at hand begins and ends, where its last whole line ends, and its last element begins.
    begin = end = whole = last = 0
    begins_line = True
    for element, behind in _code_elements(flat):
        first = _first_line_end(flat, end, element)
        if first == element and not begins_line:
            # In a line of text, as most are.
            end = behind
            continue
        tail_is_visible = _is_visible(flat[end:first])
        if first == element and not tail_is_visible:
            # The same line goes on.
            end = behind
            continue
        is_whole = first < element and not tail_is_visible
        # A mark has two characters.
        next_line = _last_line_end(flat, end, element) + 2 if first < element else element
        begins_next = first < element and not _is_visible(flat[next_line:element])
        is_next = next_line == first + 2 and flat[first] != BLOCK
        if begins_line and is_whole and is_next and begins_next:
            whole, end, last = end, behind, element
            continue
        if begins_line:
            yield begin, end if is_whole or _has_many_lines(flat[last:end]) else whole
        begin, end, whole, last, begins_line = element, behind, element, element, begins_next
    if begins_line:
        is_whole = not _is_visible(flat[end : _first_line_end(flat, end, len(flat))])
        yield begin, end if is_whole or _has_many_lines(flat[last:end]) else whole


def _first_line_end(flat: str, begin: int, end: int) -> int:
    """Return where the mark of the first line end is in a part of a text; ``end`` if there is none."""
    found = flat.find(BLOCK, begin, end)
    end = end if found < 0 else found
    found = flat.find(_BREAK, begin, end)
    return end if found < 0 else found


def _last_line_end(flat: str, begin: int, end: int) -> int:
    """Return where the mark of the last line end is in a part of a text, which has one."""
    found = flat.rfind(BLOCK, begin, end)
    return max(found, flat.rfind(_BREAK, begin if found < 0 else found, end))


def _is_visible(text: str) -> bool:
    return _VISIBLE.match(text) is not None


def _lines(inside: str) -> list[str]:
    """Return the lines of code that have text."""
    lines = (MARK.sub("", line) for line in _LINE_END.split(inside))
    return [line for line in lines if line and not line.isspace()]


def _has_many_lines(inside: str) -> bool:
    """Return whether an element has so many lines that it is none in a line of text, whatever stands behind it.

    Forums that show CODE on lines of its own have no BR behind it.
    """
    return len(_lines(inside)) > FEW_LINES


def _is_block_of_code(inside: str, rules: TagRules) -> bool:
    lines = _lines(inside)
    if len(lines) < FEW_LINES or _MATH in inside or reads_as_prose(lines):
        return False
    return BLOCK not in inside or (_holds_lines_only(inside, rules) and has_symbols("".join(lines)))


def _holds_lines_only(inside: str, rules: TagRules) -> bool:
    """Return whether the block-level elements in a CODE may be lines."""
    codes = tag_codes(rules)
    names = {codes[name] for name in _LINE_NAMES}
    depth = 0
    for chunk in inside.split(BLOCK)[1:]:
        depth += -1 if chunk[0] == CLOSE else 1
        if depth > _DEEPEST or (chunk[0] != CLOSE and chunk[0] not in names):
            return False
    return True
