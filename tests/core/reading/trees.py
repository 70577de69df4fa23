"""Trees that parsers of HTML do not give: random ones, each by its number, of all that lxml can put into a tree."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from lxml import etree

from tests.property.strategies import TAGS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = [*(tag for tag in TAGS if ":" not in tag), "code", "samp", "annotation", "figcaption", "noselect", "x" * 300, "{http://www.w3.org/1999/xhtml}p",
          "{u}select", "{u}math"]  # fmt: skip
_ATTRIBUTES = ["hidden", "id", "class", "class", "class", "style", "role", "href", "src", "alt", "title", "rel", "type",
               "shadowrootmode", "aria-expanded", "data-line", "data-lang", "{u}hidden"]  # fmt: skip
_VALUES = [
    "", " ", "S:0", "tabpanel", "until-found", "#x", "a.png", "stylesheet", "user-select: none", "visibility:hidden",
    "highlight", "highlighttable", "lineno", " line ", "x-line y", "linenums", "blob-num", "de1", "CodeMirror",
    "math/tex", "katex", "mwe-math-element", "\ufdd0", "x\ufdd1|", "&e;", "a&e;b", "é" * 2_000,
]  # fmt: skip
_PIECES = [*(text for text in TEXTS if "\0" not in text), "1 2", "\ufdd0" * 3, "\ufdcf\ufdd2", "&e;", "x" * 20_000]
_ENTITIES = '<!DOCTYPE html [<!ENTITY e "one &f;"><!ENTITY f "tw\ufdd0o"><!ENTITY b "x<p>y</p>z">]>'


def random_tree(number: int) -> etree._Element:
    """The root of the tree of a number, or an element somewhere in it."""
    random = Random(number)
    root = _element(random)
    elements = [root]
    for _ in range(random.randrange(60)):
        around = random.choice(elements[-random.randrange(1, 9) :])
        node = _put_something(around, random)
        if isinstance(node.tag, str):
            elements.append(node)
    for put in (root.addprevious, root.addnext):
        if random.random() < 0.3:
            put(random.choice([_comment, _instruction])(random))
    if random.random() < 0.3:
        elements = list(_parsed(root).iter(etree.Element))
    return elements[0] if random.random() < 0.7 else random.choice(elements)


def change(root: etree._Element, random: Random) -> None:
    """Take something out of a tree, put something into it, and change a text and attributes."""
    elements = list(root.iter(etree.Element))
    chosen, other = random.choice(elements), random.choice(elements)
    around = chosen.getparent()
    if around is not None and chosen is not root and random.random() < 0.7:
        around.remove(chosen)
    _put_something(other, random)
    other.text = random.choice(_PIECES)
    other.attrib.clear()
    other.set(random.choice(_ATTRIBUTES), random.choice(_VALUES))


def _put_something(around: etree._Element, random: Random) -> etree._Element:
    node = random.choice(_MAKERS)(random)
    node.tail = random.choice([None, *_PIECES])
    around.insert(random.randrange(len(around) + 1), node)
    return node


def _parsed(root: etree._Element) -> etree._Element:
    """The tree, written and parsed again, so that entities stand in texts and attributes."""
    xml = etree.tostring(root.getroottree(), encoding="unicode").replace("&amp;e;", "&e;")
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False, huge_tree=True)
    parsed: etree._Element = etree.fromstring(_ENTITIES + xml, parser)
    return parsed


def _element(random: Random) -> etree._Element:
    attributes = {random.choice(_ATTRIBUTES): random.choice(_VALUES) for _ in range(random.randrange(4))}
    node = etree.Element(random.choice(_NAMES), attributes)
    text = random.choice([None, *_PIECES])
    node.text = etree.CDATA(text) if text and random.random() < 0.1 else text
    return node


def _comment(random: Random) -> etree._Element:
    return etree.Comment(random.choice(["", "x", "\ufdd0"]))


def _instruction(random: Random) -> etree._Element:
    return etree.ProcessingInstruction("pi", random.choice(["", "x", "\ufdd1"]))


def _entity(random: Random) -> etree._Element:
    node: etree._Element = etree.Entity(random.choice("efb"))
    return node


_MAKERS: list[Callable[[Random], etree._Element]] = [*[_element] * 12, _comment, _instruction, _entity]
