"""The texts of a page's blocks in runs: a run has one style, and leads to one address."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown.footnotes import is_reference
from scrapy_justext.core.markdown.images import as_text, read_image
from scrapy_justext.core.markdown.inline import BREAK, MARKUP, REFERENCE, TextRun
from scrapy_justext.core.tags import FORMULA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import cython

    from scrapy_justext.core.markdown.inline import Resolve
    from scrapy_justext.core.reading.flow import Flow

#: Links, styled elements and BRs of a page, at the most, with their ends.  One with more is written without them.
MOST_MARKS = 1 << 18
_PLAIN = TextRun()
#: The tokens of a SUP or SUB that holds a little text, perhaps in other inline elements.
_SCRIPT = re.compile(r"\^[ ib+-]{,8}t[t ib,+-]{,32}v")


class RunReader:
    """Reads the texts of blocks in document order; ``read``: the characters of addresses that were read."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.by_nodes = flow.rules.text_nodes
        self.is_plain = sum(map(flow.codes.count, "<~ib`>_,.|")) > MOST_MARKS
        self.read = 0
        #: Up to where styles are known; the tokens of those that are open there, outermost first; and the style inside
        #: of so many of them, each a run without text.
        self.at = 0
        self.open: list[int] = []
        self.styles = [_PLAIN]
        #: What ends the SUP or SUB that has begun; empty outside of those that are written.
        self.script = ""

    def runs(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list[TextRun]:
        """Return the runs of a text from one token to another; none where it is all in one run without style."""
        i: cython.Py_ssize_t
        code: cython.Py_UCS4
        if self.is_plain:
            return []
        for i in range(self.at, begin):
            code = self.flow.codes[i]
            if code in "<~ib`>_,.":
                self.pass_by(i, code)
        self.at = end
        while len(self.styles) <= len(self.open):
            self.styles.append(self.style(self.open[len(self.styles) - 1]))
        if len(self.styles) > 1:
            return self.read_runs(begin, end)
        for i in range(begin, end):
            if self.flow.codes[i] in "<~ib`>_,.|!$^":
                return self.read_runs(begin, end)
        # As most are.
        return []

    def pass_by(self, i: cython.Py_ssize_t, code: cython.Py_UCS4) -> None:
        """Begin or end a style with a token."""
        if code in "<~ib`":
            self.open.append(i)
        else:
            self.open.pop()
            if len(self.styles) > len(self.open) + 1:
                self.styles.pop()

    def style(self, i: cython.Py_ssize_t) -> TextRun:
        """Return the style that begins with a token, inside of the innermost."""
        code: cython.Py_UCS4 = self.flow.codes[i]
        around = self.styles[-1]
        address = around.destination
        if code in "<~":
            link = self.flow.page.attribute(self.flow.nodes[i], "href") or ""
            self.read += len(link)
            if link[:1] != "#" or not self.is_place(i, link[1:]):
                address = link
        return TextRun(
            "", address, is_bold=around.is_bold or code == "b", is_italic=around.is_italic or code == "i",
            is_code=around.is_code or code == "`",
        )  # fmt: skip

    def is_place(self, i: cython.Py_ssize_t, name: str) -> bool:
        """Return whether a link leads to the place that it stands at, as those of headings do."""
        page, node = self.flow.page, self.flow.nodes[i]
        around: cython.int = page.parent[node]
        places = [page.attribute(near, "id") for near in (node, around, page.parent[around or page.root])]
        return name in [*places, page.attribute(node, "name")]

    def read_runs(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list[TextRun]:
        """Return the runs of a text that is more than one without style."""
        i: cython.Py_ssize_t
        code: cython.Py_UCS4
        runs: list[TextRun] = []
        texts: list[str] = []
        for i in range(begin, end):
            code = self.flow.codes[i]
            if code in "t ":
                texts.append(self.flow.text(i))
                continue
            # Other elements part nothing but code, and the nodes of text.
            if code in "xhcf" or (code in "+-()le" and not self.by_nodes and not self.styles[-1].is_code):
                continue
            if texts:
                self.add(runs, texts)
                texts = []
            if code in "|$!":
                runs.append(self.part(i, code))
            elif code in "^v":
                self.add_script(runs, i, code)
            elif code in "<~ib`>_,.":
                self.pass_by(i, code)
                if len(self.styles) == len(self.open):
                    self.styles.append(self.style(i))
        if texts:
            self.add(runs, texts)
        return runs

    def add_script(self, runs: list[TextRun], i: cython.Py_ssize_t, code: cython.Py_UCS4) -> None:
        """Begin or end a SUP or SUB, of which those that hold no more than text are written."""
        name: str = self.flow.page.name(self.flow.nodes[i])
        markup = self.script
        self.script = ""
        if code == "^" and not self.styles[-1].is_code and _SCRIPT.match(self.flow.codes, i):
            markup, self.script = f"<{name}>", f"</{name}>"
        if markup:
            runs.append(self.styles[-1].with_text(markup, MARKUP))

    def part(self, i: cython.Py_ssize_t, code: cython.Py_UCS4) -> TextRun:
        """Return the run of a BR, a formula or an image."""
        style = self.styles[-1]
        if code == "!":
            return read_image(self.flow.page, self.flow.nodes[i], style)
        if code == "|":
            return style.with_text("", BREAK)
        formula: str = self.flow.text(i)
        return style.with_text(formula[2:-2] if formula.startswith("$$") else formula[1:-1], FORMULA)

    def add(self, runs: list[TextRun], texts: list[str]) -> None:
        """Add a run of the style at hand."""
        text = "".join(texts)
        # Where text is read node by node, blank nodes vanish with the space that they are.
        if not (self.by_nodes and text.isspace()):
            runs.append(self.styles[-1].with_text(text))


def resolved(runs: Sequence[TextRun], resolve: Resolve, labels: Mapping[str, str]) -> list[TextRun]:
    """Return runs with the destinations of their addresses; ``labels``: those of footnotes, by the addresses."""
    if all(run.destination is None and run.image is None for run in runs):
        return list(runs)
    resolved: list[TextRun] = []
    for address, group in groupby(runs, lambda run: run.destination):
        inside = list(group)
        if address in labels and is_reference(inside):
            resolved.append(TextRun(labels[address], kind=REFERENCE))
            continue
        # Each link asks once: addresses are counted.
        destination = resolve(address) if address is not None else None
        resolved += (
            run.leading_to(destination) if run.image is None else as_text(run.image, resolve, is_code=run.is_code)
            for run in inside
        )
    return resolved
