"""The texts of a page's blocks in runs: a run has one style, and leads to one address."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown.footnotes import is_reference
from scrapy_justext.core.markdown.images import as_text, read_image
from scrapy_justext.core.markdown.inline import TextRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import cython

    from scrapy_justext.core.markdown.inline import Resolve
    from scrapy_justext.core.reading.flow import Flow

#: Links, styled elements and BRs of a page, at the most, with their ends.  One with more is written without them.
MOST_MARKS = 1 << 18
_PLAIN = TextRun()
#: The tokens that begin and end a style; all tokens that make a block more than its text; and those that are nothing.
_BEGINS, _ENDS = "<~ib`", ">_,."
_STYLE = re.compile(f"[{re.escape(_BEGINS + _ENDS)}]")
_PART = re.compile(f"[{re.escape(_BEGINS + _ENDS)}|!$]")


class RunReader:
    """Reads the texts of blocks, which must be asked for in document order.

    ``read``: the characters of addresses that were read.
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._codes = flow.codes
        self._nodes = flow.nodes
        self._by_nodes = flow.rules.text_nodes
        self._is_plain = sum(map(flow.codes.count, f"{_BEGINS}{_ENDS}|")) > MOST_MARKS
        self.read = 0
        #: Up to where styles are known; the tokens of those that are open there, outermost first; and the style inside
        #: of so many of them, each a run without text.
        self._at = 0
        self._open: list[int] = []
        self._styles = [_PLAIN]

    def runs(self, begin: int, end: int) -> list[TextRun]:
        """Return the runs of a text from one token to another; none where it is all in one run without style."""
        if self._is_plain:
            return []
        for match in _STYLE.finditer(self._codes, self._at, begin):
            self._pass(match.start(), match[0])
        self._at = end
        while len(self._styles) <= len(self._open):
            self._styles.append(self._style(self._open[len(self._styles) - 1]))
        if len(self._styles) == 1 and not _PART.search(self._codes, begin, end):
            # As most are.
            return []
        return self._read(begin, end)

    def _pass(self, i: int, code: str) -> None:
        if code in _BEGINS:
            self._open.append(i)
        else:
            self._open.pop()
            del self._styles[len(self._open) + 1 :]

    def _style(self, i: int) -> TextRun:
        """Return the style that begins with a token, inside of the innermost."""
        code, style = self._codes[i], self._styles[-1]
        if code == "i":
            return style._replace(is_italic=True)
        if code == "b":
            return style._replace(is_bold=True)
        if code == "`":
            return style._replace(is_code=True)
        address = self._flow.page.attribute(self._nodes[i], "href") or ""
        self.read += len(address)
        return style._replace(destination=address)

    def _read(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list[TextRun]:
        i: cython.Py_ssize_t
        code: cython.Py_UCS4
        runs: list[TextRun] = []
        texts: list[str] = []
        for i in range(begin, end):
            code = self._codes[i]
            if code == "t" or code == " ":
                texts.append(self._flow.text(i))
                continue
            # Other elements part nothing but code, and the nodes of text.
            if code in "xhcf" or not (self._by_nodes or self._styles[-1].is_code or code in _PARTS):
                continue
            if texts:
                self._add(runs, texts)
                texts = []
            if code == "|":
                runs.append(self._styles[-1]._replace(is_break=True))
            elif code == "$":
                runs.append(_formula(self._flow.text(i), self._styles[-1]))
            elif code == "!":
                runs.append(read_image(self._flow.page, self._nodes[i], self._styles[-1]))
            elif code in _BEGINS:
                self._pass(i, code)
                self._styles.append(self._style(i))
            elif code in _ENDS:
                self._pass(i, code)
        if texts:
            self._add(runs, texts)
        return runs

    def _add(self, runs: list[TextRun], texts: list[str]) -> None:
        text = "".join(texts)
        # Where text is read node by node, blank nodes vanish with the space that they are.
        if not (self._by_nodes and text.isspace()):
            runs.append(self._styles[-1]._replace(text=text))


_PARTS = f"{_BEGINS}{_ENDS}|$!"


def _formula(text: str, style: TextRun) -> TextRun:
    """Return the run of a formula, which stands between dollars."""
    dollars = 2 if text.startswith("$$") else 1
    return style._replace(text=text[dollars:-dollars], is_formula=True)


def resolved(runs: Sequence[TextRun], resolve: Resolve, labels: Mapping[str, str]) -> list[TextRun]:
    """Return runs with the destinations of their addresses; each link asks for its own once.

    ``labels``: those of the footnotes that addresses lead to, whose references stand for themselves.
    """
    if all(run.destination is None and run.image is None for run in runs):
        return list(runs)
    found: list[TextRun] = []
    for address, group in groupby(runs, lambda run: run.destination):
        inside = list(group)
        if address in labels and is_reference("".join(run.text for run in inside)):
            found.append(TextRun(f"[^{labels[address]}]", is_markup=True))
            continue
        destination = resolve(address) if address is not None else None
        found += (
            run._replace(destination=destination)
            if run.image is None
            else as_text(run.image, resolve, is_code=run.is_code)
            for run in inside
        )
    return found
