"""What of a page may appear in its rendering: only data.

Every element and attribute of a rendering stands here, whatever the page holds.  None of them can run a script,
lead anywhere, load anything or send anything.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Elements that stay what they are.  Block-level ones that are not here become DIV, others SPAN: DETAILS too, which
#: a click would fold.
KEPT = frozenset(
    [
        "abbr",
        "address",
        "article",
        "aside",
        "b",
        "bdi",
        "bdo",
        "blockquote",
        "br",
        "caption",
        "center",
        "cite",
        "code",
        "col",
        "colgroup",
        "dd",
        "del",
        "dfn",
        "dir",
        "div",
        "dl",
        "dt",
        "em",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "i",
        "ins",
        "kbd",
        "legend",
        "li",
        "main",
        "mark",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "section",
        "small",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "time",
        "tr",
        "u",
        "ul",
        "var",
        "wbr",
    ]
)

#: Those of them without an end.
VOID = frozenset({"br", "col", "hr", "wbr"})

#: Attributes that stay, and the values that they may have.
ATTRIBUTES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "dir": re.compile("ltr|rtl|auto", re.IGNORECASE),
        "lang": re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}"),
        # Browsers make as many cells as are asked for.
        "colspan": re.compile("[1-9][0-9]?"),
        "rowspan": re.compile("[1-9][0-9]?"),
        "start": re.compile("-?[0-9]{1,6}"),
        "value": re.compile("-?[0-9]{1,6}"),
    }
)

#: The style's own names for what no longer is the element that it was.
STYLED: Mapping[str, str] = MappingProxyType(
    {"a": "link", "button": "control", "select": "control", "textarea": "control", "img": "image"}
)

#: What is shown as an empty box with its name on it.
BOXES: Mapping[str, str] = MappingProxyType(
    {
        "audio": "audio",
        "canvas": "drawing",
        "embed": "embedded object",
        "iframe": "frame",
        "object": "embedded object",
        "video": "video",
    }
)

#: INPUT's types whose value is what is written on a button.
BUTTONS = frozenset({"button", "reset", "submit"})
