"""Rules on elements: which split a page into blocks, which are removed, which are hidden.

A profile has a :class:`TagRules`.

[A]: the page on the jusText algorithm by the NLP Centre, Masaryk University (Pomikálek);
[B]: the page on jusText by WizeNoze, authors of the Java port;
[R]: the Python reference, ``justext`` 3.0.2.

A rule is a function of the page and the number of an element.  It looks at the element and at what is near it, never at
all that is around or inside, so that no page can make it slow.  It is asked only for elements with the name that stands
beside it in its table; a rule of what is hidden, only for those with the attribute beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.elements_of_code import LABELS, LINE_NUMBERS, WHOLE, is_among_first
from scrapy_justext.core.reading.signs import (
    ACTIONS,
    ANIMATION,
    BOX,
    CODEMIRROR,
    COPY,
    EDIT_LINK,
    OFF_SCREEN,
    PANEL,
    PERMALINK,
    TOOLTIP,
    declared_in,
)
from scrapy_justext.core.tags import (
    BOLD,
    HEADING_LEVELS,
    ITALIC,
    MODERN_BLOCK_LEVEL,
    MONOSPACE,
    PUBLISHED_BLOCK_LEVEL,
    SCRIPTS,
    SECTIONS,
)
from scrapy_justext.core.text import collapse, is_question

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    import cython

    from scrapy_justext.core.reading.elements_of_code import ElementRule
    from scrapy_justext.core.reading.nodes import Nodes


# What is hidden.  A script or a click may show it all the same.


def is_hidden_for_good(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element with the attribute HIDDEN stays hidden."""
    # The browser shows what is hidden "until-found" when its own search finds something there.
    is_searched = (nodes.attribute(node, "hidden") or "").lower() == "until-found"
    return not (is_searched or _is_streamed(nodes, node) or _is_disclosed(nodes, node) or _holds_main(nodes, node))


def is_hidden_in_text(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a little inline element stays hidden: as a part of a text it would be judged with that."""
    is_inline = nodes.name(node) not in MODERN_BLOCK_LEVEL
    return is_inline and _is_little(nodes, node) and is_hidden_for_good(nodes, node)


def _is_streamed(nodes: Nodes, node: cython.int) -> bool:
    """Return whether React streams a part of the page in an element.

    It does so as ``<div hidden id="S:0">``, and its script moves that to where ``<template id="B:0">`` stands; parts of
    a table are children of a hidden TABLE.  An application may have a prefix for all of these names.
    """
    return any(_PART.search(nodes.attribute(near, "id") or "") for near in (node, *nodes.children(node)))


_PART = re.compile(r"S:[0-9a-f]+\Z")


def _is_disclosed(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is the panel of a tab, an accordion or a disclosure.

    In the patterns of the ARIA Authoring Practices Guide, a panel has a role, or stands beside the control that expands
    it.  Menus and dialogs have other roles.
    """
    role = nodes.attribute(node, "role") or ""
    if role == "tabpanel":
        return True
    if role not in ("", "region") or nodes.attribute(node, "aria-modal") is not None:
        return False
    return any(near and _holds_control(nodes, near) for near in (nodes.previous(node), nodes.next(node)))


def _holds_control(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element, one of its children or one of its grandchildren expands another element."""
    children = nodes.children(node)
    return any(
        _is_control(nodes, element)
        for level in ([node], children, *(nodes.children(child) for child in children))
        for element in level
    )


def _is_control(nodes: Nodes, node: cython.int) -> bool:
    return nodes.attribute(node, "aria-expanded") is not None or nodes.attribute(node, "aria-controls") is not None


def is_hidden_by_style(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is hidden by its STYLE, and neither a panel that a click shows nor much of the page.

    Some pages, or their articles (WeChat's), are hidden until a script shows them.
    Text that is moved off the screen is hidden if an element beside it says the same; else it adds to what is seen.
    """
    declared = declared_in(nodes, node)
    if OFF_SCREEN in declared and _is_little(nodes, node):
        return _is_said_beside(nodes, node)
    is_gone = declared.get("display") == "none"
    if not is_gone and not _is_invisible(nodes, node, declared):
        return False
    is_much = _is_much(nodes, node, _GONE if is_gone else _INVISIBLE)
    if is_much or nodes.signs[node] & PANEL or _is_opened(nodes, node) or _holds_main(nodes, node):
        return False
    return not (_is_streamed(nodes, node) or _is_disclosed(nodes, node))


def is_shown_as_block(nodes: Nodes, node: cython.int) -> bool:
    """Return whether the STYLE of a SPAN sets it apart from what stands beside it."""
    return nodes.name(node) == "span" and declared_in(nodes, node).get("display") == "block"


def _is_invisible(nodes: Nodes, node: cython.int, declared: dict[str, str]) -> bool:
    """Return whether an element is invisible, and shows none of its children again, nor is moved into sight.

    Scripts that fade paragraphs in animate them until they are scrolled to; menus that fade in have a position.
    """
    is_animated = "position" not in declared and not ANIMATION.isdisjoint(declared)
    if declared.get("visibility") != "hidden" or is_animated:
        return False
    return all(declared_in(nodes, child).get("visibility") != "visible" for child in nodes.children(node))


def _is_opened(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a click shows an element.

    A title or a question stands right before it, or a control beside it, or a link that leads to it, as that of a tab.
    Or it is one of several elements of a class, of which one is shown before it, or which have titles between them.
    """
    above, below = nodes.previous(node), nodes.next(node)
    if nodes.name(above) in _TITLES or any(near and _shows_more(nodes, near) for near in (above, below)):
        return True
    if _is_behind_another(nodes, node) or _is_in_turn(nodes, node):
        return True
    around = nodes.previous(nodes.parent[node]) if is_among_first(nodes, node) else 0
    if any(near and _is_little(nodes, near) and _leads_to(nodes, near, node) for near in (above, around)):
        return True
    return bool(above) and _is_little(nodes, above) and is_question(nodes.string(above))


#: H1 is that of the page, which no click opens.
_TITLES = frozenset({*HEADING_LEVELS, "dt", "summary"} - {"h1"})


def _is_behind_another(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element stands beside another that is like it and hidden, and behind one that is shown.

    Only one of several panels, or of the pages of an article, is shown.
    """
    beside = [near for near in (nodes.previous(node), nodes.next(node)) if _are_alike(nodes, near, node)]
    before: cython.int = node if beside and not all(_seems_shown(nodes, near) for near in beside) else 0
    for _ in range(_PANELS):
        before = nodes.previous(before) if before else 0
        if _are_alike(nodes, before, node) and _seems_shown(nodes, before):
            return True
    return False


#: How many panels are looked at.
_PANELS = 4


def _is_in_turn(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is one of several that are alike and have titles between them, which are shown."""
    above, below = nodes.previous(node), nodes.next(node)
    if not above or not _is_little(nodes, above) or not _seems_shown(nodes, above):
        return False
    before = nodes.previous(above)
    ahead = _are_alike(nodes, before, node) and nodes.name(nodes.previous(before)) == nodes.name(above)
    return ahead or (
        bool(below) and nodes.name(below) == nodes.name(above) and _are_alike(nodes, nodes.next(below), node)
    )


def _seems_shown(nodes: Nodes, node: cython.int) -> bool:
    declared = declared_in(nodes, node)
    return declared.get("display") != "none" and not _is_invisible(nodes, node, declared)


def _are_alike(nodes: Nodes, left: cython.int, right: cython.int) -> bool:
    """Return whether two elements have the same name and the same class."""
    css_class = nodes.attribute(right, "class")
    is_other = left > 0 and left != right and nodes.name(left) == nodes.name(right)
    return is_other and bool(css_class) and css_class == nodes.attribute(left, "class")


def _shows_more(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is a control that runs a script."""
    if nodes.name(node) == "a" and (leads_nowhere(nodes, node) or nodes.attribute(node, "href") == "#"):
        return True
    return nodes.name(node) == "button" or any(nodes.attribute(node, name) is not None for name in _RUNNING)


#: Attributes of elements of any name that show something when they are clicked.
_RUNNING = ("onclick", "data-target", "data-bs-target", "data-toggle")


def _leads_to(nodes: Nodes, above: cython.int, node: cython.int) -> bool:
    """Return whether an element holds a link that leads to another element, or that only runs a script."""
    place = nodes.attribute(node, "id")
    links = (link for link in range(above, nodes.end[above]) if nodes.name(link) == "a")
    addresses = [(nodes.attribute(link, "href"), nodes.attribute(link, "onclick")) for link in links]
    return any(address == f"#{place}" or (address == "#" and script) for address, script in addresses)


def _holds_main(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element has the page's main content: MAIN, or an H1 and paragraphs, down to grandchildren.

    Beside a menu with many elements, it may be a small part of the page.
    """
    children = nodes.children(node)
    inside = [children, *(nodes.children(child) for child in children)]
    names = [nodes.name(node), *(nodes.name(child) for level in inside for child in level)]
    return "main" in names or ("h1" in names and names.count("p") >= _SOME)


#: Paragraphs of an article, at the least.
_SOME = 3


def _is_much(nodes: Nodes, node: cython.int, part: cython.int) -> bool:
    """Return whether an element holds more than a part of the nodes of its page: 5 for a fifth."""
    return part * (nodes.end[node] - node) > nodes.count


#: How much may not be displayed, and how much may be invisible in its place: this mostly waits for a script.
_GONE, _INVISIBLE = 5, 8


def is_over_page(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is shown over the page, not in it: a popover, or a modal dialog."""
    return nodes.attribute(node, "aria-modal") != "false" and not _is_much(nodes, node, _GONE)


def is_closed(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a DIALOG is not open."""
    return nodes.attribute(node, "open") is None


def is_dialog(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is a dialog by its ROLE, as most requests for consent, and not much of the page."""
    return _role(nodes, node) in _DIALOGS and not _is_much(nodes, node, _SHOWN)


def is_tooltip(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element explains another one when a pointer is over that."""
    return _role(nodes, node) == "tooltip" and _is_little(nodes, node)


def _role(nodes: Nodes, node: cython.int) -> str:
    return (nodes.attribute(node, "role") or "").strip().lower()


def level_by_role(nodes: Nodes, node: cython.int) -> int:
    """Return the level of an element that is a heading by its ROLE, as H2 is without ARIA-LEVEL; 0 for all others."""
    if _role(nodes, node) != "heading":
        return 0
    return HEADING_LEVELS.get(f"h{(nodes.attribute(node, 'aria-level') or '').strip()}", 2)


_DIALOGS = ("dialog", "alertdialog")
#: A dialog that holds more than half of a page is the page.
_SHOWN = 2


class Hiding(NamedTuple):
    """A rule that tells whether an element with an attribute is hidden.

    ``parts``: the rule is asked if one of these is in the attribute's value, in small letters; without any, always.
    """

    attribute: str
    hides: ElementRule
    parts: tuple[str, ...] = ()


_BY_BOX = (
    Hiding("style", is_hidden_by_style, ("none", "hidden", "-999", "-1000")),
    Hiding("popover", is_over_page),
    Hiding("aria-modal", is_over_page),
    Hiding("role", is_tooltip, ("tooltip",)),
)
HIDING = (Hiding("hidden", is_hidden_for_good), *_BY_BOX, Hiding("role", is_dialog, ("dialog",)))
#: The names of elements that nothing hides.
NEVER_HIDDEN = frozenset({"html", "body"})
#: The attributes that may hide an element whatever their values are.
HIDING_ALWAYS = frozenset(row.attribute for row in HIDING if not row.parts)
#: Those that may by their values.
HIDING_BY_VALUE = frozenset(row.attribute for row in HIDING) - HIDING_ALWAYS
#: The parts of such values; the first two make an element a block (:func:`is_shown_as_block`) or a heading
#: (:func:`level_by_role`).
_PARTS_OF_VALUES = ("block", "heading", *(part for row in HIDING for part in row.parts))


def may_hide(value: str) -> bool:
    """Return whether an attribute with a value may hide an element, or make it a block or a heading."""
    small = value.lower()
    return any(part in small for part in _PARTS_OF_VALUES)


def is_hidden(nodes: Nodes, node: cython.int, by: Iterable[Hiding] = HIDING) -> bool:
    """Return whether an element is hidden by one of some attributes; not all profiles remove such."""
    if nodes.name(node) in NEVER_HIDDEN:
        return False
    for name, hides, _ in by:  # noqa: SIM110 (any() makes a generator for each element)
        if nodes.attribute(node, name) is not None and hides(nodes, node):
            return True
    return False


# What stands beside text.


def is_set_aside(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element with one of the signs is no part of the text that it stands in or beside."""
    signs = nodes.signs[node]
    name = nodes.name(node)
    if signs & EDIT_LINK:
        return _is_little(nodes, node) and len(collapse(nodes.string(node))) < _LEAST_PROSE
    if signs & PERMALINK and (name in _LINKING or nodes.name(nodes.first(node)) == "a"):
        return _is_little(nodes, node) and _is_permalink(nodes, node)
    if name in _BOXES and _is_little(nodes, node):
        if signs & BOX and _asks(nodes, node):
            return True
        if signs & ACTIONS and _is_bar(nodes, node):
            return True
    if signs & TOOLTIP:
        return _is_little(nodes, node)
    return bool(signs & COPY) and _is_little(nodes, node) and _is_said_beside(nodes, node)


def _is_permalink(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a link shows a sign only, or stands in the text of a heading as a button or in brackets."""
    if is_sign(nodes, node):
        return True
    text, around = collapse(nodes.string(node)), nodes.parent[node]
    if nodes.name(around) == "small":
        around = nodes.parent[around]
    is_apart = nodes.name(node) == "button" or (text[:1] == "[" and text[-1] == "]")
    return is_apart and nodes.name(around) in HEADING_LEVELS and collapse(nodes.string(around)) != text


def is_sign(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a link has no image, and no letters or digits but in a text for readers of screens."""
    inside = range(node + 1, nodes.end[node])
    if not _is_little(nodes, node) or "img" in [nodes.name(part) for part in inside]:
        return False
    read = "".join([collapse(nodes.string(part)) for part in inside if nodes.signs[part] & COPY])
    return not any(map(str.isalnum, collapse(nodes.string(node)).replace(read, "", 1)))


#: What permalinks are.
_LINKING = ("a", "button")
#: The signs of such elements.
SET_ASIDE = EDIT_LINK | PERMALINK | BOX | ACTIONS | COPY | TOOLTIP
#: Nodes of an element that is looked at as a whole, and the least and most characters of a box.
_LITTLE, _LEAST_PROSE, _LITTLE_TEXT = 40, 60, 300


def _is_little(nodes: Nodes, node: cython.int) -> bool:
    return nodes.end[node] - node <= _LITTLE


def _asks(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a box asks its reader in words to do something, by a link, a form or a button."""
    asks: cython.bint = False
    inside: cython.int
    for inside in range(node + 1, nodes.end[node]):
        if nodes.name(inside) in _CONTENT:
            return False
        asks = asks or _is_control_alone(nodes, inside)
    return asks and _LEAST_PROSE <= len(collapse(nodes.string(node))) <= _LITTLE_TEXT


def _is_control_alone(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is a control: also a link that stands in no text."""
    name, around = nodes.name(node), nodes.parent[node]
    if name != "a":
        return name in _CONTROLS
    return not (nodes.text(around).strip() or nodes.tail(node).strip())


#: What boxes and rows of controls are, and what no box holds.
_BOXES = frozenset(["aside", "div", "form", "nav", "p", "section", "span", "ul"])
_CONTENT = frozenset(["article", "blockquote", "dd", "figure", "h1", "main", "table"])


def _is_bar(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element is a row of controls with a word or two each, and holds nothing else."""
    controls = [inside for inside in range(node + 1, nodes.end[node]) if nodes.name(inside) in _CONTROLS]
    said = sum(len("".join(nodes.string(control).split())) for control in controls)
    return len(controls) > 1 and said <= _MOST_SAID * len(controls) and said == len("".join(nodes.string(node).split()))


#: Characters of a control in a row, on average.
_MOST_SAID = 12
_CONTROLS = frozenset(["a", "button", "form", "input"])


def _is_said_beside(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an element beside says the same, or a part of it that is kept from readers of screens."""
    text = ""
    for beside in (nodes.previous(node), nodes.next(node)):
        if not beside or nodes.signs[beside] & COPY or not _is_little(nodes, beside):
            continue
        text, said = text or _said(nodes, node), _said(nodes, beside)
        if said == text or (said and said in text and nodes.attribute(beside, "aria-hidden") == "true"):
            return True
    return False


def _said(nodes: Nodes, node: cython.int) -> str:
    """Return the letters and digits of an element: a copy may have "12.99" for a small "99"."""
    text: str = nodes.string(node)
    return "".join([character for character in text if character.isalnum()]) or collapse(text)


def is_note(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an ASIDE is a note to the text around it, as documentation has them; or a NAV an answer."""
    if nodes.name(node) == "nav":
        above = nodes.previous(node)
        return bool(above) and _is_little(nodes, above) and is_question(nodes.string(above))
    if nodes.name(node) != "aside":
        return False
    return _role(nodes, node) == "note" or bool(_NOTES.search(nodes.attribute(node, "class") or ""))


#: The names of elements that stand beside the text of a page, or over it; all but an ASIDE that is a note.
STANDING_BESIDE = frozenset(["aside", "dialog", "footer", "nav"])
_NOTES = re.compile("note|tip|hint|warning|caution|danger|important|admonition|callout")


def leads_nowhere(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an A is no link: it names a place, is a control, or runs a script."""
    address = nodes.attribute(node, "href")
    if address is None:
        return True
    address = address.strip()
    is_control = address[:1] == "#" and nodes.attribute(node, "role") == "button"
    return is_control or address[: len(_SCRIPT)].lower() == _SCRIPT


_SCRIPT = "javascript:"


# What is removed.


def is_head(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a HEAD is one.

    If a page has no BODY tag and begins with elements of HTML 5, parsers that do not know these put them into HEAD.
    """
    return SECTIONS.isdisjoint([nodes.name(child) for child in nodes.children(node)])


def is_template(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a TEMPLATE is one, and no shadow root."""
    return not is_shadow_root(nodes, node)


def is_shadow_root(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a TEMPLATE is a shadow root, whose text browsers show in the element around it."""
    return nodes.attribute(node, "shadowrootmode") is not None or nodes.attribute(node, "shadowroot") is not None


def is_drawing(nodes: Nodes, node: cython.int) -> bool:
    """Return whether an SVG is one: in browsers, HTML ends an SVG that was not closed, and all that is open in it."""
    # Most are icons.
    if nodes.end[node] - node <= _ICON:
        return True
    for _ in range(_OPEN):
        children = nodes.children(node)
        if _holds_prose(nodes, node) or not SECTIONS.isdisjoint([nodes.name(child) for child in children]):
            return False
        if not children or nodes.name(children[-1]).lower() == "foreignobject":
            break
        node = children[-1]
    return True


#: Nodes of an icon; elements of a drawing, or of a page behind it, that may be open around a paragraph.
_ICON, _OPEN = 3, 4


def is_plain_button(nodes: Nodes, node: cython.int) -> bool:
    """Return False for a BUTTON that has the question, the heading or the name of the panel behind it.

    A BUTTON that was not closed holds what comes next.
    """
    if _holds_prose(nodes, node):
        return False
    panel = _panel_of(nodes, node) if _is_control(nodes, node) and _is_little(nodes, node) else 0
    if not panel or nodes.name(nodes.first(node)) in HEADING_LEVELS:
        return not panel
    names = nodes.attribute(node, "aria-controls")
    return (not names or names != nodes.attribute(panel, "id")) and not is_question(nodes.string(node))


def _holds_prose(nodes: Nodes, node: cython.int) -> bool:
    """Return whether several of the elements right in another are paragraphs; a card that is a BUTTON may have one."""
    paragraphs = (paragraph for paragraph in nodes.children(node) if nodes.name(paragraph) == "p")
    return sum(len(nodes.text(paragraph)) >= _LEAST_PROSE for paragraph in paragraphs) > 1


def _panel_of(nodes: Nodes, node: cython.int) -> int:
    """Return the panel that a control opens, behind it or behind elements that hold nothing else; 0 without."""
    for _ in range(3):
        panel, around = nodes.next(node), nodes.parent[node]
        if panel or nodes.previous(node) or around <= 0 or nodes.text(around).strip():
            return 0 if not panel or nodes.name(panel) in _CONTROLS or is_hidden(nodes, panel) else panel
        node = around
    return 0


def is_edited(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a TEXTAREA has code that an editor shows line by line, right behind it, or as GitHub does."""
    if nodes.attribute(node, "id") == "read-only-cursor-text-area":
        return True
    behind = nodes.next(node)
    return bool(behind) and nodes.name(behind) == "div" and bool(nodes.signs[behind] & CODEMIRROR)


def is_style_sheet(nodes: Nodes, node: cython.int) -> bool:
    """Return whether a LINK is one to a style sheet."""
    return "stylesheet" in (nodes.attribute(node, "rel") or "").translate(_SMALL_IN_STYLESHEET)


#: As [R] does, by an XPath that knows no other capitals.
_SMALL_IN_STYLESHEET = str.maketrans("STYLEHT", "styleht")


class Removed(NamedTuple):
    """Elements that are removed from a page with all they hold.

    ``where``: tells which elements of this name are.  None: all of them.
    ``kept_inside``: names of elements inside which it stays; the same in all rows that have any.
    """

    name: str
    where: ElementRule | None = None
    kept_inside: tuple[str, ...] = ()


def _removed(*names: str) -> tuple[Removed, ...]:
    return tuple(map(Removed, names))


_HEAD, _TEMPLATE = Removed("head", is_head), Removed("template", is_template)
_SVG = Removed("svg", is_drawing)
#: A BUTTON is a control, but inside a heading or a SUMMARY it is the label of an accordion.
_BUTTON = Removed("button", is_plain_button, kept_inside=(*HEADING_LEVELS, "summary"))

#: How words are read, in RUBY.
READINGS = ("rp", "rt", "rtc")
#: Elements that a reader of the page does not see, or does not see as text.
_NEVER_TEXT = (
    _HEAD,
    _TEMPLATE,
    _SVG,
    *_removed(*READINGS),
    # What stands in NOFRAMES and NOEMBED is markup, for browsers of the last century.
    *_removed("meta", "title", "script", "style", "math", "iframe", "noframes", "object", "embed", "noembed",
              "applet", "audio", "video", "canvas", "input", "datalist"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TagRules:
    """How the elements of a page are treated when it is cut into blocks.

    ``block_level``: names of elements at whose start and end a block ends.
    ``removed``: elements that are removed with all they hold.
    ``unwrapped``: names of elements whose tags are ignored, but whose content is read.
    ``hidden``: the rules of :data:`HIDING` by which elements are hidden, which are then removed; of any name, but not
    those in :data:`NEVER_HIDDEN`.
    ``text_nodes``: whether text is read node by node, as [R] does, or as one run.
    ``select_in_name``: whether an element with "select" anywhere in its name is a SELECT, as in [R],
    which looks for the word in the joined names of all ancestors.
    ``images``: whether an IMG is a block of its own; "img" is then among ``block_level``.
    ``kinds``: whether code and tables of data are blocks as a whole, and formulas are written as TeX.
    ``set_aside``: whether what stands beside text (:func:`is_set_aside`) is removed.
    ``where_little``: the rules for pages that show next to nothing by these.
    """

    block_level: frozenset[str]
    removed: tuple[Removed, ...]
    unwrapped: frozenset[str] = frozenset()
    hidden: tuple[Hiding, ...] = ()
    text_nodes: bool = False
    select_in_name: bool = False
    images: bool = False
    kinds: bool = False
    set_aside: bool = False
    where_little: TagRules | None = None

    def without_removal(self, names: Container[str]) -> TagRules:
        """Return the rules by which elements of some names stay."""
        removed = tuple(row for row in self.removed if row.name not in names)
        where_little = None if self.where_little is None else self.where_little.without_removal(names)
        return replace(self, removed=removed, where_little=where_little)

    @property
    def keeping(self) -> frozenset[str]:
        """Return the names of the elements inside which some stay that are removed elsewhere."""
        return frozenset(name for row in self.removed for name in row.kept_inside)


#: For pages that show next to nothing.  Pages
#: that scripts build have their text in NOSCRIPT or in hidden elements, and an SVG that is not closed puts the rest of
#: a page into the BUTTON around it.
ALL_TEXT = TagRules(
    block_level=MODERN_BLOCK_LEVEL | {"button", "noscript"},
    removed=(*_NEVER_TEXT, Removed("textarea", is_edited)),
    kinds=True,
)

#: For trained models, which can tell hidden boilerplate from content.  Still removed is what reads like content and is
#: seldom any: what is hidden by its style or in a text, stands over the page, or is a closed DIALOG.
LENIENT = replace(
    ALL_TEXT,
    removed=(*ALL_TEXT.removed, Removed("dialog", is_closed)),
    hidden=(Hiding("hidden", is_hidden_in_text), *_BY_BOX),
    set_aside=True,
    where_little=ALL_TEXT,
)

MODERN = TagRules(
    block_level=MODERN_BLOCK_LEVEL,
    removed=(*_NEVER_TEXT, *_removed("noscript", "textarea"), Removed("dialog", is_closed), _BUTTON),
    hidden=HIDING,
    kinds=True,
    set_aside=True,
    where_little=ALL_TEXT,
)

#: For Boilerpipe, which knows text only.
WITHOUT_KINDS = replace(MODERN, kinds=False, set_aside=False, where_little=replace(ALL_TEXT, kinds=False))

#: [R] cleans the tree with lxml_html_clean first: these rows are what its options do.
REFERENCE = TagRules(
    block_level=PUBLISHED_BLOCK_LEVEL - {"form", "textarea"},
    removed=(
        *_removed("head", "base", "script", "style", "applet", "button", "input", "select", "textarea", "param"),
        Removed("link", is_style_sheet),
    ),
    unwrapped=frozenset({"form", "iframe", "embed", "layer", "object"}),
    text_nodes=True,
    select_in_name=True,
)

#: [B] removes HEAD, scripts and styles only.  SELECT is no block-level element to it, its OPTIONs are.
JAVA = TagRules(
    block_level=PUBLISHED_BLOCK_LEVEL | {"img"},
    removed=(_HEAD, *_removed("meta", "title", "script", "style")),
    images=True,
)

#: The names of all elements that some table of rules has.
NAMES = tuple(
    sorted(
        {"html", "a", "br", "img", "select"}.union(
            *(ITALIC, BOLD, MONOSPACE, SCRIPTS, WHOLE, LABELS, LINE_NUMBERS),
            *(
                {*rules.block_level, *rules.unwrapped, *(row.name for row in rules.removed)}
                for rules in (LENIENT, MODERN, REFERENCE, JAVA)
            ),
        )
    )
)
