"""Find code that stands outside of PREs on lines of its own.

Forums and old pages write code in a CODE with BRs, or in a CODE a line.  Two lines or more, all of whose text is in
CODE, are a block of code; a line ends at a BR, and where a block-level element starts or ends.  A CODE in a line of
text is a part of the text, as is one on a line of its own.

The tokens of a page (:mod:`.flow`) are read once, from one CODE to the next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_justext.core.reading.code import FEW_LINES, has_symbols, reads_as_prose
from scrapy_justext.core.reading.elements_of_code import about_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.reading.flow import Flow

#: The tokens at which a line ends; those that hold text or begin elements; those around what is in fixed width.
_LINE_ENDS, _STARTS = "[{#]|", "[{#"
_LINE_END, _TEXT_OR_START, _FIXED_WIDTH = re.compile(r"[\[{#\]|]"), re.compile(r"[t$\[{#]"), re.compile("[`.]")
#: The block-level elements that lines of code may be, and how many may be in one another: a CODE that is not closed
#: may have much of a page in it.
_LINE_NAMES = frozenset(["div", "li", "ol", "p"])
_DEEPEST = 3


def find_code_lines(flow: Flow) -> list[tuple[int, int]]:
    """Return where each block of code that is no PRE begins and ends, in tokens."""
    if "`" not in flow.codes:
        return []
    finder = _Finder(flow)
    return [span for span in finder.candidates() if finder.is_block_of_code(*span)]


class _Finder:
    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._codes = flow.codes

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Yield where code begins and ends whose lines hold nothing else."""
        # Where the code at hand begins and ends, where its last whole line ends, and its last element begins.
        begin = end = whole = last = 0
        begins_line = True
        for element, behind in self._elements():
            first = self._first_line_end(end, element)
            if first == element and not begins_line:
                # In a line of text, as most are.
                end = behind
                continue
            tail_is_visible = self._is_visible(end, first)
            if first == element and not tail_is_visible:
                # The same line goes on.
                end = behind
                continue
            is_whole = first < element and not tail_is_visible
            next_line = self._last_line_end(end, element) + 1 if first < element else element
            begins_next = first < element and not self._is_visible(next_line - 1, element)
            is_next = next_line == first + 1 and self._codes[first] == "|"
            if begins_line and is_whole and is_next and begins_next:
                whole, end, last = end, behind, element
                continue
            if begins_line:
                yield begin, end if is_whole or self._has_many_lines(last, end) else whole
            begin, end, whole, last, begins_line = element, behind, element, element, begins_next
        if begins_line:
            is_whole = not self._is_visible(end, self._first_line_end(end, len(self._codes)))
            yield begin, end if is_whole or self._has_many_lines(last, end) else whole

    def is_block_of_code(self, begin: int, end: int) -> bool:
        """Return whether what stands in CODEs on lines of their own is a block of code."""
        lines = self._lines(begin, end)
        if len(lines) < FEW_LINES or self._codes.find("$", begin, end) >= 0 or reads_as_prose(lines):
            return False
        if all(self._codes.find(start, begin, end) < 0 for start in "[{#]"):
            return True
        return self._holds_lines_only(begin, end) and has_symbols("".join(lines))

    def _elements(self) -> Iterator[tuple[int, int]]:
        """Yield where the outermost elements in fixed width begin and end."""
        depth = begin = 0
        for tag in _FIXED_WIDTH.finditer(self._codes):
            if tag[0] == "`":
                begin = begin if depth else tag.start()
                depth += 1
            else:
                depth -= 1
                if not depth:
                    yield begin, tag.end()

    def _first_line_end(self, begin: int, end: int) -> int:
        """Return the first token in a part of the page at which a line ends; ``end`` if there is none."""
        line_end = _LINE_END.search(self._codes, begin, end)
        return line_end.start() if line_end else end

    def _last_line_end(self, begin: int, end: int) -> int:
        """Return the last token in a part of the page at which a line ends; there is one."""
        return max(self._codes.rfind(line_end, begin, end) for line_end in _LINE_ENDS)

    def _is_visible(self, begin: int, end: int) -> bool:
        """Return whether a part of the page holds text other than PREs with code."""
        return any(
            not self._flow.is_blank(token.start()) if token[0] in "t$" else self._begins_code(token.start())
            for token in _TEXT_OR_START.finditer(self._codes, begin, end)
        )

    def _begins_code(self, i: int) -> bool:
        """Return whether a token begins an element that is read as code anyway."""
        page, node = self._flow.page, self._flow.nodes[i]
        return self._codes[i] != "[" or (page.name(node) == "pre" and not about_code(page, node).isspace())

    def _lines(self, begin: int, end: int) -> list[str]:
        """Return the lines of code that have text."""
        lines: list[list[str]] = [[]]
        for i in range(begin, end):
            if self._codes[i] in _LINE_ENDS:
                lines.append([])
            else:
                lines[-1].append(self._flow.text(i))
        return [line for line in map("".join, lines) if line and not line.isspace()]

    def _has_many_lines(self, begin: int, end: int) -> bool:
        """Return whether an element has too many lines to stand in a line of text, whatever follows it.

        Forums that show CODE on lines of its own have no BR behind it.
        """
        return len(self._lines(begin, end)) > FEW_LINES

    def _holds_lines_only(self, begin: int, end: int) -> bool:
        """Return whether the block-level elements in a CODE may be lines."""
        depth = 0
        for i in range(begin, end):
            if self._codes[i] in _STARTS:
                depth += 1
                if depth > _DEEPEST or self._flow.page.name(self._flow.nodes[i]) not in _LINE_NAMES:
                    return False
            depth -= self._codes[i] == "]"
        return True
