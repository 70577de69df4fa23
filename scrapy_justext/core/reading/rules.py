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

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.elements_of_code import LABELS, LINE_NUMBERS, WHOLE
from scrapy_justext.core.reading.signs import CODEMIRROR
from scrapy_justext.core.tags import (
    BOLD,
    HEADING_LEVELS,
    ITALIC,
    MODERN_BLOCK_LEVEL,
    MONOSPACE,
    PUBLISHED_BLOCK_LEVEL,
    SECTIONS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_justext.core.reading.elements_of_code import ElementRule
    from scrapy_justext.core.reading.nodes import Nodes


# What is hidden.  A script or a click may show it all the same.


def is_hidden_for_good(nodes: Nodes, node: int) -> bool:
    """Return whether an element with the attribute HIDDEN stays hidden."""
    # The browser shows what is hidden "until-found" when its own search finds something there.
    is_searched = nodes.attribute(node, "hidden") == "until-found"
    return not (is_searched or _is_streamed(nodes, node) or _is_disclosed(nodes, node))


def _is_streamed(nodes: Nodes, node: int) -> bool:
    """Return whether React streams a part of the page in an element.

    It does so as ``<div hidden id="S:0">``, and its script moves that to where ``<template id="B:0">`` stands; parts of
    a table are children of a hidden TABLE.
    """
    return any((nodes.attribute(one, "id") or "").startswith("S:") for one in (node, *nodes.children(node)))


def _is_disclosed(nodes: Nodes, node: int) -> bool:
    """Return whether an element is the panel of a tab, an accordion or a disclosure.

    By the patterns of the ARIA Authoring Practices Guide it says what it is, or stands beside the control that expands
    it.  Menus and dialogs have other roles.
    """
    role = nodes.attribute(node, "role") or ""
    if role == "tabpanel":
        return True
    if role not in ("", "region") or nodes.attribute(node, "aria-modal") is not None:
        return False
    return any(one and _holds_control(nodes, one) for one in (nodes.previous(node), nodes.next(node)))


def _holds_control(nodes: Nodes, node: int) -> bool:
    """Return whether an element, or one in it, down to its grandchildren, expands another one."""
    children = nodes.children(node)
    return any(
        _is_control(nodes, one)
        for ones in ([node], children, *(nodes.children(child) for child in children))
        for one in ones
    )


def _is_control(nodes: Nodes, node: int) -> bool:
    return nodes.attribute(node, "aria-expanded") is not None or nodes.attribute(node, "aria-controls") is not None


#: By the name of an attribute, the rule that tells whether an element that has it is hidden.
HIDING: Mapping[str, ElementRule] = {"hidden": is_hidden_for_good}
#: The names of elements that nothing hides.
NEVER_HIDDEN = frozenset({"html", "body"})


def is_hidden(nodes: Nodes, node: int) -> bool:
    """Return whether an element is hidden; not all profiles remove such."""
    if nodes.name(node) in NEVER_HIDDEN:
        return False
    return any(nodes.attribute(node, name) is not None and rule(nodes, node) for name, rule in HIDING.items())


# What is removed.


def is_head(nodes: Nodes, node: int) -> bool:
    """Return whether a HEAD is one.

    Where a page leaves out the BODY tag, parsers that do not know the elements of HTML 5 put those that it begins with
    into HEAD.
    """
    return SECTIONS.isdisjoint(map(nodes.name, nodes.children(node)))


def is_template(nodes: Nodes, node: int) -> bool:
    """Return whether a TEMPLATE is one, and no shadow root, whose text browsers show in the element around it."""
    return nodes.attribute(node, "shadowrootmode") is None and nodes.attribute(node, "shadowroot") is None


def is_edited(nodes: Nodes, node: int) -> bool:
    """Return whether a TEXTAREA has code that an editor shows line by line, right behind it, or as GitHub does."""
    if nodes.attribute(node, "id") == "read-only-cursor-text-area":
        return True
    behind = nodes.next(node)
    return bool(behind) and nodes.name(behind) == "div" and bool(nodes.signs[behind] & CODEMIRROR)


def is_style_sheet(nodes: Nodes, node: int) -> bool:
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
#: A BUTTON is a control, but inside a heading or a SUMMARY it is the label of an accordion.
_BUTTON = Removed("button", kept_inside=(*HEADING_LEVELS, "summary"))

#: Elements that a reader of the page does not see, or does not see as text.
_NEVER_TEXT = (
    _HEAD,
    _TEMPLATE,
    # What stands in NOFRAMES and NOEMBED is markup, for browsers of the last century.
    *_removed("meta", "title", "script", "style", "svg", "math", "iframe", "noframes", "object", "embed", "noembed",
              "applet", "audio", "video", "canvas", "input", "datalist"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TagRules:
    """How the elements of a page are treated when it is cut into blocks.

    ``block_level``: names of elements at whose start and end a block ends.
    ``removed``: elements that are removed with all they hold.
    ``unwrapped``: names of elements whose tags are ignored, but whose content is read.
    ``hidden``: whether elements of any name that are hidden are removed, except :data:`NEVER_HIDDEN`.
    ``text_nodes``: whether text is read node by node, as [R] does, or as one run.
    ``select_in_name``: whether an element with "select" anywhere in its name is a SELECT, as in [R],
    which looks for the word in the joined names of all ancestors.
    ``images``: whether an IMG is a block of its own; "img" is then among ``block_level``.
    ``kinds``: whether code and tables of data are blocks as a whole, and formulas are written as TeX.
    ``where_little``: the rules for pages that show next to nothing by these.
    """

    block_level: frozenset[str]
    removed: tuple[Removed, ...]
    unwrapped: frozenset[str] = frozenset()
    hidden: bool = False
    text_nodes: bool = False
    select_in_name: bool = False
    images: bool = False
    kinds: bool = False
    where_little: TagRules | None = None

    @property
    def keeping(self) -> frozenset[str]:
        """Return the names of the elements inside which some stay that are removed elsewhere."""
        return frozenset(name for row in self.removed for name in row.kept_inside)


#: For trained models, which can tell hidden boilerplate from content, and for pages that show next to nothing.  Pages
#: that scripts build have their text in NOSCRIPT or in hidden elements, and an SVG that is not closed puts the rest of
#: a page into the BUTTON around it.
LENIENT = TagRules(
    block_level=MODERN_BLOCK_LEVEL | {"button", "noscript"},
    removed=(*_NEVER_TEXT, Removed("textarea", is_edited)),
    kinds=True,
)

MODERN = TagRules(
    block_level=MODERN_BLOCK_LEVEL,
    removed=(*_NEVER_TEXT, *_removed("noscript", "textarea"), _BUTTON),
    hidden=True,
    kinds=True,
    where_little=LENIENT,
)

#: For Boilerpipe, which knows text only.
WITHOUT_KINDS = replace(MODERN, kinds=False, where_little=replace(LENIENT, kinds=False))

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
        {"html", "a", "br", "img", "select", *ITALIC, *BOLD, *MONOSPACE, *WHOLE, *LABELS, *LINE_NUMBERS}.union(
            *(
                {*rules.block_level, *rules.unwrapped, *(row.name for row in rules.removed)}
                for rules in (LENIENT, MODERN, REFERENCE, JAVA)
            )
        )
    )
)
