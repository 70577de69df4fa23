"""Rules on elements: which are code, which stand beside it, and what tells in which language it is.

Highlighters of code write a line as an element of its own, or a row of a table, with line numbers, buttons and the name
of the language beside it.  Each rule looks at an element and what is near it, never at all that is above, below or
beside it.  It is asked only for elements whose name, and mostly whose class, leads to it (:data:`WHOLE`,
:data:`LABELS`, :data:`LINE_NUMBERS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.signs import (
    BAR,
    CODE_CELL,
    CODE_TABLE,
    EDITOR,
    EMOJI,
    GESHI_LINE,
    GUTTER,
    LABEL,
    LINE,
    LINENUMS,
    NUMBER_CELL,
    NUMBERS,
    PROMPT,
    declared_in,
)
from scrapy_justext.core.tags import LANGUAGES
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import cython

    from scrapy_justext.core.reading.nodes import Nodes

    ElementRule = Callable[[Nodes, int], bool]

#: Most levels in an element that is read as a whole: to read all text in all elements of a deep tree takes forever.
_LEVELS = 4
#: Characters of a label, and of text that is read to find that it is none.
_LONGEST_LABEL, _LITTLE = 40, 60


def _is_flat(nodes: Nodes, node: int) -> bool:
    """Return whether no element inside is nested deeper than :data:`_LEVELS`."""
    depth = 0
    around = node
    for inside in range(node + 1, nodes.end[node]):
        while nodes.parent[inside] != around:
            around = nodes.parent[around]
            depth -= 1
        around = inside
        depth += 1
        if depth > _LEVELS and nodes.tag[inside] >= 0:
            return False
    return True


# What is near an element.


def _is_or_begins_with(nodes: Nodes, node: int, name: str) -> bool:
    """Return whether an element, one of its first two children or its first grandchild has a name."""
    if nodes.name(node) == name:
        return True
    first = nodes.first(node)
    near = (first, nodes.first(first), nodes.next(first)) if first else ()
    return any(other and nodes.name(other) == name for other in near)


def _is_beside(nodes: Nodes, node: int, name: str, *, behind: bool) -> bool:
    """Return whether one of the two elements right before or behind one has a name, or begins with one that has."""
    for _ in range(2):
        node = nodes.next(node) if behind else nodes.previous(node)
        if not node:
            return False
        if _is_or_begins_with(nodes, node, name):
            return True
    return False


def _is_beside_pre(nodes: Nodes, node: int) -> bool:
    return _is_beside(nodes, node, "pre", behind=False) or _is_beside(nodes, node, "pre", behind=True)


def is_among_first(nodes: Nodes, node: int) -> bool:
    """Return whether an element is one of the first five of its parent.

    Only these may ask what is beside their parent: 100,000 children would pass the same 100,000 comments there.
    """
    for _ in range(5):
        node = nodes.previous(node)
        if not node:
            return True
    return False


def _is_near_pre(nodes: Nodes, node: int) -> bool:
    """Return whether a PRE stands beside an element, or beside the DIV around it, or the DIV around that."""
    if _is_beside_pre(nodes, node):
        return True
    for _ in range(2):
        around = nodes.parent[node]
        if not is_among_first(nodes, node) or around <= 0 or nodes.name(around) != "div":
            return False
        if _is_beside_pre(nodes, around):
            return True
        node = around
    return False


def _stands_in_text(nodes: Nodes, node: int) -> bool:
    """Return whether there is text right before or behind an element."""
    before = nodes.node_before(node)
    around = nodes.tail(before) if before else nodes.text(nodes.parent[node])
    return bool(around.strip() or nodes.tail(node).strip())


# Labels: bars above and below code, which have the name of a language in them, what copies the code, or both.

_NAMED = ("c/c++", "console", "f#", "plain", "plain text", "plaintext", "terminal", "text")
_LANGUAGE_NAMES = frozenset({*LANGUAGES, *_NAMED})
_COPYING = frozenset([
    "copy", "copied", "copied!", "copy code", "copy snippet", "copy text", "copy to clipboard", "copier", "copiar",
    "kopieren", "kopiëren", "копировать", "コピー", "复制", "复制代码", "複製", "全选", "select all",
])  # fmt: skip
_SMALL = str.maketrans({letter: letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
_PROMPTS = frozenset(["In[]:", "Out[]:", "[]:"])
#: A prompt's number.
_NUMBER = str.maketrans("", "", "0123456789*\xa0 ")


def _label_text(nodes: Nodes, node: int) -> str | None:
    """Return the text of an element that may be a label; None if the text is too long for one."""
    text = collapse(nodes.string(node)) if _is_flat(nodes, node) else None
    return text if text is not None and len(text) < _LITTLE else None


def _says_language_or_copy(text: str) -> bool:
    text = text.translate(_SMALL)
    if text in _LANGUAGE_NAMES or text in _COPYING:
        return True
    before, copying, _ = text.partition("copy")
    return bool(copying) and len(text) < _LONGEST_LABEL and before.strip() in _LANGUAGE_NAMES


def is_label(nodes: Nodes, node: int) -> bool:
    """Return whether an element is a bar with the language of code, or one of Jupyter's prompts."""
    text = _label_text(nodes, node)
    if text is None:
        return False
    if nodes.signs[node] & PROMPT and text.translate(_NUMBER) in _PROMPTS:
        return True
    return _says_language_or_copy(text) and not _stands_in_text(nodes, node) and _is_near_pre(nodes, node)


def _is_bar_in_code(nodes: Nodes, node: int) -> bool:
    """Return whether an element is a bar that stands in a PRE above its code; such bars have no classes that tell."""
    if nodes.previous(node):
        return False
    around = nodes.parent[node]
    is_above = (nodes.name(node) == "div" and _is_beside(nodes, node, "code", behind=True)) or (
        around > 0 and nodes.name(around) == "div" and _is_beside(nodes, around, "code", behind=True)
    )
    text = _label_text(nodes, node) if is_above else None
    return text is not None and _says_language_or_copy(text)


# What stands beside code, inside of an element that is code.

_DIGITS = str.maketrans("", "", "0123456789")


def is_beside_code(nodes: Nodes, node: int) -> bool:
    """Return whether an element in code is none of it: a button, line numbers, the bar above."""
    name, signs = nodes.name(node), nodes.signs[node]
    if name == "button":
        return True
    if signs & GUTTER and name not in ("ol", "pre", "code"):
        return True
    if (signs & NUMBER_CELL and name == "td") or (signs & BAR and name == "div"):
        return True
    # Editors have a copy of the code in one.
    if name == "textarea" and nodes.attribute(node, "class") is not None:
        return True
    style = nodes.attribute(node, "style")
    is_hidden = style and declared_in(nodes, node).get("visibility") == "hidden"
    if is_hidden or (style and _is_unselectable_number(nodes, node, style)):
        return True
    return _is_bar_in_code(nodes, node)


def _is_unselectable_number(nodes: Nodes, node: int, style: str) -> bool:
    return "user-select" in style and _is_flat(nodes, node) and not collapse(nodes.string(node)).translate(_DIGITS)


def is_line(nodes: Nodes, node: int) -> bool:
    """Return whether an inline element in code is a line of it."""
    return bool(nodes.signs[node] & LINE) or nodes.attribute(node, "data-line") is not None


def is_emoji(nodes: Nodes, node: int) -> bool:
    """Return whether an IMG stands for a sign of the code, which a script has replaced by an image."""
    return bool(nodes.signs[node] & EMOJI) and len(nodes.attribute(node, "alt") or "") < _LONGEST_SIGN


_LONGEST_SIGN = 17


def is_list_of_numbers(nodes: Nodes, node: int) -> bool:
    """Return whether an element is a list of line numbers beside a PRE."""
    if not (_is_beside_pre(nodes, node) and _is_flat(nodes, node)):
        return False
    text = collapse(nodes.string(node))
    return bool(text) and not text.translate(_DIGITS).strip()


# Elements other than PRE that are code as a whole.


def _first_of(nodes: Nodes, node: int, *path: str) -> int:
    """Return the first element to which a path of names leads from an element; 0 if there is none."""
    name, *rest = path
    child = nodes.first(node)
    while child:
        if nodes.name(child) == name or name == "*":
            first = _first_of(nodes, child, *rest) if rest else child
            if first:
                return first
        child = nodes.next(child)
    return 0


def is_code_table(nodes: Nodes, node: int) -> bool:
    """Return whether a table is code: a row a line, or line numbers beside a PRE."""
    if nodes.signs[node] & CODE_TABLE:
        return True
    cells = (_first_of(nodes, node, "tr", "td"), _first_of(nodes, node, "tbody", "tr", "td"))
    return any(cell and nodes.signs[cell] & CODE_CELL for cell in cells)


def is_editor(nodes: Nodes, node: int) -> bool:
    """Return whether a DIV is an editor, or a file of GitHub, by its first class."""
    return bool(nodes.signs[node] & EDITOR)


def is_list_of_lines(nodes: Nodes, node: int) -> bool:
    """Return whether a list is the lines of Google's Code Prettify, or of GeSHi."""
    if nodes.signs[node] & LINENUMS:
        return True
    line = _first_of(nodes, node, "li", "div")
    return bool(line and nodes.signs[line] & GESHI_LINE)


class Lead(NamedTuple):
    """A rule, and the signs of which an element has to have one to be asked; 0 if all are."""

    rule: ElementRule
    signs: int = 0


WHOLE = {"table": Lead(is_code_table), "div": Lead(is_editor, EDITOR), "ol": Lead(is_list_of_lines)}
LABELS = dict.fromkeys(("button", "div", "span"), Lead(is_label, LABEL | PROMPT))
LINE_NUMBERS = dict.fromkeys(("div", "ol", "ul"), Lead(is_list_of_numbers, NUMBERS))


# What tells whether a PRE is code, and in which language.

#: Characters of a value that are looked at.
_MOST_OF_VALUE = 200
_NAMES = ("class", "data-language", "data-lang")


def about_code(nodes: Nodes, node: int) -> str:
    """Return what is near a PRE that tells of code: the name of the element in it, then names and a label above it."""
    return _joined(_about_code(nodes, node))


def _joined(values: Iterator[str]) -> str:
    return "".join(f"{value[:_MOST_OF_VALUE]} " for value in values)


def _values(nodes: Nodes, node: int, *names: str) -> Iterator[str]:
    for name in names:
        yield (nodes.attribute(node, name) or "") if node > 0 else ""


def _first_value(nodes: Nodes, node: int, path: tuple[str, ...], name: str) -> str:
    """Return the value of an attribute, of the first element on a path of names that has it."""
    first, rest = path[0], path[1:]
    child: cython.int = nodes.first(node)
    while child:
        # Lines of code are hundreds of elements without others inside.
        if (first == "*" or nodes.name(child) == first) and (not rest or nodes.end[child] > child + 1):
            value = _first_value(nodes, child, rest, name) if rest else nodes.attribute(child, name)
            if value:
                return value
        child = nodes.next(child)
    return ""


def _about_code(nodes: Nodes, node: int) -> Iterator[str]:
    inside = (child for child in nodes.children(node) if nodes.name(child) in ("code", "samp", "kbd"))
    yield nodes.name(next(inside, 0))
    # GitLab and Confluence have the last three.
    yield from _values(nodes, node, *_NAMES, "data-canonical-lang", "lang", "data-syntaxhighlighter-params")
    for name in _NAMES:
        yield _first_value(nodes, node, ("code",), name)
    yield _first_value(nodes, node, ("*", "code"), "class")
    yield _first_value(nodes, node, ("*", "*", "code"), "class")
    around = nodes.parent[node]
    yield from _values(nodes, around, *_NAMES)
    for _ in range(2):
        around = nodes.parent[around] if around > 0 else 0
        yield from _values(nodes, around, "class")
    above = nodes.previous(node)
    lead = LABELS["div"]
    is_above = above and nodes.signs[above] & lead.signs and is_label(nodes, above)
    yield nodes.string(above) if is_above else ""


#: In the cells of a table that is code, whose first cell may have line numbers.
_IN_CELLS = (
    (("td", "pre", "code"), "class"),
    (("td", "pre", "code"), "data-lang"),
    (("td", "*", "pre", "code"), "class"),
)


def about_whole(nodes: Nodes, node: int) -> str:
    """Return what tells of the language of an element other than PRE that is code as a whole."""
    return _joined(_about_code_table(nodes, node) if nodes.name(node) == "table" else _about_lines(nodes, node))


def _about_code_table(nodes: Nodes, node: int) -> Iterator[str]:
    yield from _values(nodes, node, "role", "class")
    for rows in (("tr",), ("tbody", "tr")):
        for path, name in _IN_CELLS:
            yield _first_value(nodes, node, (*rows, *path), name)
        first = _first_of(nodes, node, *rows, "td")
        second = nodes.next(first) if first else 0
        while second and nodes.name(second) != "td":
            second = nodes.next(second)
        yield _first_value(nodes, second, ("pre",), "class") if second else ""
    around = nodes.parent[node]
    yield from _values(nodes, around, *_NAMES)
    yield from _values(nodes, nodes.parent[around] if around > 0 else 0, "class")


def _about_lines(nodes: Nodes, node: int) -> Iterator[str]:
    yield from _values(nodes, node, "role", *_NAMES)
    yield _first_value(nodes, node, ("*",), "data-language")
    yield from _values(nodes, nodes.parent[node], "class")
    first = nodes.first(node)
    div = _first_of(nodes, first, "div") if first else 0
    spans = (child for child in nodes.children(div) if nodes.name(child) == "span") if div else ()
    is_language = (span for span in spans if "crayon-language" in (nodes.attribute(span, "class") or ""))
    span = next(is_language, 0)
    yield nodes.string(span) if span else ""


def about_table(nodes: Nodes, node: int) -> str:
    """Return what tells whether a TABLE holds data: its role, its class, and elements that tables of data have."""
    paths = (("caption",), ("thead",), ("tr", "th"), ("tbody", "tr", "th"))
    names = [nodes.name(_first_of(nodes, node, *path)) for path in paths]
    return _joined(iter([*_values(nodes, node, "role", "class"), *names]))
