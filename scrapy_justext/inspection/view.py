"""A page with its classes and the reasons for them, as plain JSON values."""

from __future__ import annotations

import re
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.extractor import Extractor, blocks_to_dicts
from scrapy_justext.core.flattening import kept_nodes
from scrapy_justext.core.structured_data import PAGE
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parsing import Parsed
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.core.tags import TagRules

# What of a page may appear in its rendering: only data.
#
# Every element and attribute of a rendering stands here, whatever the page holds.  None of them can run a script,
# lead anywhere, load anything or send anything.

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


# The view's scripts and styles, which stand in a page or are served beside it, and how a policy names them.

#: Each defines classes or tables at the top level, for those after it.
_SCRIPTS = ("dom.js", "names.js", "words.js", "list.js", "strip.js", "details.js", "frame.js", "view.js")


def script() -> str:
    """The class ``BlockView`` and all that it needs, as one classic script."""
    return "\n".join(map(_read, _SCRIPTS))


def style() -> str:
    """The style of what ``BlockView`` builds, and the colours of the whole page around it."""
    return _read("colours.css") + _read("view.css")


def frame_style() -> str:
    """The style inside the frame that shows the page's own rendering."""
    return _read("colours.css") + _read("frame.css")


def source_of(text: str) -> str:
    """The source expression of a Content-Security-Policy that allows a script or style of this text, no other.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _read(name: str) -> str:
    return files("scrapy_justext.inspection").joinpath("static", "view", name).read_text("utf-8")


#: A frame inherits the policy of the page around it, so that must allow the frame's style, too.
FRAME_STYLE_SOURCE = source_of(frame_style())


# A page's own rendering, made safe: its text and structure, marked with the blocks that they belong to.
#
# The document is written anew from the tree, which stays as it is.  Of the page's own, nothing gets into it but names
# and values that :mod:`.elements` lists, and text, which is escaped; so whatever a page tries, there is no way for it
# to take.  A policy in the document and the sandbox around it stand behind that.

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


def page_view(
    parsed: Parsed, options: Options, *, url: str | None, declared: Sequence[str] = (), name: str = ""
) -> dict[str, Any]:
    """All that the browser shows of a page, judged with these options.

    ``name``: what the user called the page; its address or title where that is empty.
    ``rendering`` is a whole HTML document without scripts or addresses, in which ``data-block`` tells the
    index of the block that a text belongs to.
    """
    extractor = Extractor(options)
    extraction = extractor.extract(parsed, url=url, languages=declared)
    profile = options.profile
    return {
        "name": name or url or extraction.title,
        "url": url,
        "title": extraction.title,
        "language": extraction.language,
        "language_source": extraction.language_source,
        "language_reason": extraction.language_reason,
        "profile": profile.name,
        "limits": limits_of(profile, asdict(extractor.limits(extractor.language_of(extraction)))),
        "is_cut": extraction.is_cut,
        "counts": count(extraction.blocks),
        "blocks": block_views(extraction.blocks),
        "rendering": render(parsed.root, profile.tags, extraction.blocks),
    }


#: The thresholds that each measurement is compared with, in ascending order, and whether a value that is equal reaches
#: them: the comparisons of the rules.
_STOPWORD_LIMITS = {
    "characters": (("length_low", True), ("length_high", False)),
    "link_density": (("max_link_density", False),),
    "stopword_density": (("stopwords_low", True), ("stopwords_high", True)),
}
_MODEL_LIMITS = {"probability": (("near_good_probability", True), ("good_probability", True))}


def limits_of(profile: Profile, thresholds: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the limits that a profile compares each measurement with."""
    compared = {**_STOPWORD_LIMITS, **_MODEL_LIMITS} if profile.by_stopwords else _MODEL_LIMITS
    return {
        measurement: [
            {"name": name, "value": thresholds[name], "isInclusive": is_inclusive}
            for name, is_inclusive in limits
            if thresholds[name] is not None
        ]
        for measurement, limits in compared.items()
    }


def count(blocks: Iterable[Block]) -> dict[str, int]:
    """How many blocks and characters there are, and how many of them are good."""
    blocks = list(blocks)
    classes = Counter(block.block_class.value for block in blocks)
    return {
        "blocks": len(blocks),
        "good": classes["good"],
        "bad": classes["bad"],
        "characters": sum(block.characters for block in blocks),
        "good_characters": sum(block.characters for block in blocks if block.is_good),
    }


def block_views(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """The fields of each block, less those that say nothing."""
    return [
        {name: value for name, value in row.items() if value is not None and value != ()}
        for row in blocks_to_dicts(blocks)
    ]
