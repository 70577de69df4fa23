"""A page's own rendering, made safe: its text and structure, marked with the blocks that they belong to.

The document is written anew from the tree, which stays as it is.  Of the page's own, nothing gets into it but names
and values that :mod:`.elements` lists, and text, which is escaped; so whatever a page tries, there is no way for it
to take.  A policy in the document and the sandbox around it stand behind that.
"""

from __future__ import annotations

from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

from scrapy_justext.core.data import PAGE
from scrapy_justext.core.flattening import kept_nodes
from scrapy_justext.core.text import collapse
from scrapy_justext.inspection.view.assets import FRAME_STYLE_SOURCE, frame_style
from scrapy_justext.inspection.view.elements import ATTRIBUTES, BOXES, BUTTONS, KEPT, STYLED, VOID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.tags import TagRules

_POLICY = f"default-src 'none'; style-src {FRAME_STYLE_SOURCE}; form-action 'none'; base-uri 'none'"


def render(root: etree._Element | None, rules: TagRules, blocks: Sequence[Block]) -> str:
    """An HTML document that shows a page; ``rules`` and ``blocks`` are those that it was cut by and into.

    Each text of a block stands in elements with the attribute ``data-block``, which holds the block's index.
    """
    body = "" if root is None else "".join(_body(root, rules, _Numbers(blocks)))
    return (
        f'<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta charset="utf-8"><style>{frame_style()}</style></head><body>{body}</body></html>'
    )


class _Numbers:
    """The indices of the blocks that a page's texts and images belong to; asked for in document order.

    Blocks hold all text of the page but white space, so counting the other characters is enough.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        shown = [block for block in blocks if block.origin == PAGE]
        texts = [block for block in shown if block.image_url is None]
        self._texts = [block.index for block in texts]
        self._ends = list(accumulate(_size(block.text) for block in texts))
        self._images = iter([block.index for block in shown if block.image_url is not None])
        self._read = 0

    def of_text(self, text: str) -> int | None:
        """The block of the next text; None for white space."""
        size = _size(text)
        if not size:
            return None
        at = bisect_right(self._ends, self._read)
        self._read += size
        return self._texts[at] if at < len(self._texts) else None

    def of_image(self) -> int | None:
        """The block of the next image; None where images are no blocks."""
        return next(self._images, None)


def _size(text: str) -> int:
    return len("".join(text.split()))


def _body(root: etree._Element, rules: TagRules, numbers: _Numbers) -> Iterator[str]:
    open_: list[tuple[etree._Element, str]] = []
    for event, node, _ in kept_nodes(root, rules):
        if event == "start":
            name = _name(node, rules)
            open_.append((node, name))
            yield _start(node, name)
            yield _image(node, numbers) if node.tag == "img" else ""
            yield _text(node.text, numbers)
            continue
        if open_ and open_[-1][0] is node:
            _, name = open_.pop()
            yield "" if name in VOID else f"</{name}>"
        elif isinstance(node.tag, str):
            yield _instead(node)
        is_top = node is root or node.getparent() is None
        yield _text(None if is_top else node.tail, numbers)


def _name(node: etree._Element, rules: TagRules) -> str:
    """The name of the element that stands for another one."""
    if node.tag in KEPT:
        return str(node.tag)
    return "div" if node.tag in rules.block_level and node.tag != "img" else "span"


def _start(node: etree._Element, name: str) -> str:
    attributes = [
        f' {attribute}="{value}"'
        for attribute, allowed in ATTRIBUTES.items()
        if (value := node.get(attribute)) is not None and allowed.fullmatch(value)
    ]
    if node.tag in STYLED:
        attributes.append(f' class="{STYLED[node.tag]}"')
    return f"<{name}{''.join(attributes)}>"


def _text(text: str | None, numbers: _Numbers) -> str:
    if not text:
        return ""
    return _marked(text, numbers.of_text(text))


def _image(node: etree._Element, numbers: _Numbers) -> str:
    """What stands inside of the box of an image."""
    return _marked(collapse(node.get("alt") or ""), numbers.of_image())


def _marked(text: str, block: int | None) -> str:
    safe = escape(text, quote=False)
    return safe if block is None else f'<span data-block="{block}">{safe}</span>'


def _instead(node: etree._Element) -> str:
    """What stands for an element that is no part of any block."""
    name = node.tag
    if "hidden" in node.attrib:
        return ""
    if name in BOXES:
        return f'<span class="image">{BOXES[name]}</span>'
    label = collapse(_label(node))
    return f'<span class="control">{escape(label, quote=False)}</span>' if label else ""


def _label(node: etree._Element) -> str:
    """What is written on a control."""
    if node.tag == "button":
        return " ".join(map(str, node.itertext("*")))
    if node.tag != "input":
        return ""
    kind = (node.get("type") or "text").lower()
    if kind == "hidden":
        return ""
    return node.get("value" if kind in BUTTONS else "placeholder") or ""
