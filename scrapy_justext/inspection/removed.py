"""Tell which text of a page made no blocks, because the elements around it were removed.

Reading does not look at what it removes, so this looks at the tree once more, when somebody asks.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree
from w3lib.html import remove_tags

from scrapy_justext.core.flattening import formulas_of, is_hidden, removed_elements
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.tags import TagRules
    from scrapy_justext.inspection.pages import Inspection

#: Elements whose text nobody is meant to read.
_NO_PROSE = frozenset({"head", "meta", "script", "style", "title"})

#: Elements that hold markup as text.
_MARKUP = frozenset({"iframe", "noembed", "noframes"})

#: What elements are called that are removed for another reason than their name.
_HIDDEN, _BESIDE_CODE, _OF_FORMULA = "hidden element", "element beside code", "element of a formula"


class RemovedText(NamedTuple):
    """The elements with text that were removed for one reason, those inside other removed ones left out."""

    why: str
    """The name of the elements in capitals; in words for those that are removed for another reason."""
    elements: int
    characters: int
    """Characters of text in them, white space collapsed."""

    def __str__(self) -> str:
        """Return what is printed."""
        what = self.why if self.elements == 1 else self.why.replace("element", "elements")
        return f"{self.elements:,} {what} ({self.characters:,} characters)"


def describe_removed(inspection: Inspection) -> str:
    """Return in words which text of a page was removed; "" where none was."""
    root = inspection.page.parsed.root
    removed = [] if root is None else removed_text(root, inspection.rules)
    return f"removed: {', '.join(map(str, removed))}" if removed else ""


def removed_text(root: etree._Element, rules: TagRules) -> list[RemovedText]:
    """Return the text that ``rules`` remove from a page, by the reason, most of it first."""
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for why, text in _removed_texts(root, rules):
        if length := len(collapse(text)):
            lengths[why].append(length)
    removed = [RemovedText(why, len(found), sum(found)) for why, found in lengths.items()]
    return sorted(removed, key=lambda one: (-one.characters, one.why))


def _removed_texts(root: etree._Element, rules: TagRules) -> Iterator[tuple[str, str]]:
    """Yield the reason and the text of each removed element that stands in no other."""
    formulas = formulas_of(root)
    removed = set(removed_elements(root, rules, formulas))
    # With the formulas that they stand for: none for those that say once more what others say.
    of_formulas = formulas.found if rules.kinds else {}
    for top in top_elements(root):
        events = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
        outermost: etree._Element | None = None
        texts: list[str] = []
        for event, node in events:
            if event == "start":
                if outermost is None and of_formulas.get(node):
                    # It is written in the text.
                    events.skip_subtree()
                    continue
                if outermost is None and node in removed:
                    outermost, texts = node, []
                if node.tag in _NO_PROSE:
                    events.skip_subtree()
                elif outermost is not None:
                    text = node.text or ""
                    texts.append(remove_tags(text) if node.tag in _MARKUP else text)
            elif outermost is None:
                continue
            elif node is outermost:
                yield _OF_FORMULA if outermost in of_formulas else _reason(outermost, rules), "".join(texts)
                outermost = None
            else:
                texts.append(node.tail or "")


def _reason(node: etree._Element, rules: TagRules) -> str:
    if rules.hidden and is_hidden(node):
        return _HIDDEN
    is_named = any(name == node.tag for name, _, _ in rules.removed)
    return str(node.tag).upper() if is_named else _BESIDE_CODE
