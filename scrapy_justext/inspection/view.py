"""Pages for the browser: their blocks as JSON values, their own renderings, made safe, and the report on them.

The rendering shows the text and the structure of a page; each text is marked with the block that it belongs to.  The
document is written anew from the tree, which stays as it is.  Nothing of the page gets into it but the elements and
attributes that are listed here, and text, which is escaped.  None of them can run a script, lead anywhere, load or send
anything, whatever the page tries.  Behind that stand a policy in the document and the sandbox around it.

The report is one HTML document: data, scripts and styles are in it, and a policy that allows no others.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.reading.rules import is_hidden
from scrapy_justext.core.tags import KINDS
from scrapy_justext.core.text import collapse
from scrapy_justext.crawl.commands import colours, in_html, in_json
from scrapy_justext.files import packaged_text
from scrapy_justext.inspection.pages import describe_page, describe_removed, texts_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.parameters import Thresholds
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import TagRules
    from scrapy_justext.inspection.pages import Inspection

#: The thresholds that each measurement is compared with, in ascending order, and whether a value that is equal reaches
#: them: the comparisons of the rules.
_STOPWORD_LIMITS = {
    "characters": (("length_low", True), ("length_high", False)),
    "link_density": (("max_link_density", False),),
    "stopword_density": (("stopwords_low", True), ("stopwords_high", True)),
}
_MODEL_LIMITS = {"probability": (("near_good_probability", True), ("good_probability", True))}

#: Elements that stay what they are.  Other block-level elements become DIV, all others SPAN: DETAILS too, which a click
#: would fold.
KEPT = frozenset(
    ["abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite", "code",
     "col", "colgroup", "dd", "del", "dfn", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure",
     "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "ins", "kbd", "legend", "li", "main",
     "mark", "menu", "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "strong",
     "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr"]
)  # fmt: skip

#: Those of them without an end tag.
VOID = frozenset({"br", "col", "hr", "wbr"})

#: Attributes that stay, and the values that they may have.
ATTRIBUTES: Mapping[str, re.Pattern[str]] = {
    "dir": re.compile("ltr|rtl|auto", re.IGNORECASE),
    "lang": re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}"),
    # Browsers make as many cells as are asked for.
    **dict.fromkeys(("colspan", "rowspan"), re.compile("[1-9][0-9]?")),
    **dict.fromkeys(("start", "value"), re.compile("-?[0-9]{1,6}")),
}

#: The classes of the style for elements that became others.
STYLED: Mapping[str, str] = {"a": "link", "img": "image", **dict.fromkeys(("button", "select", "textarea"), "control")}

#: Elements that are shown as an empty box with a name on it.
BOXES: Mapping[str, str] = {
    "audio": "audio",
    "canvas": "drawing",
    "iframe": "frame",
    "video": "video",
    **dict.fromkeys(("embed", "object"), "embedded object"),
}

#: The types of INPUT whose value is what is written on a button.
BUTTONS = frozenset({"button", "reset", "submit"})

#: Each defines classes or tables at the top level, for those after it.
_SCRIPTS = ("dom.js", "names.js", "words.js", "list.js", "strip.js", "details.js", "frame.js", "view.js")


def page_view(inspection: Inspection) -> dict[str, Any]:
    """Return everything that the browser shows of a page, as JSON values.

    ``rendering`` is a whole HTML document without scripts or addresses, in which ``data-block`` tells the
    index of the block that a text belongs to.
    """
    page, extractor, _, judged, extraction, _ = inspection
    profile = extractor.options.profile
    decided = {
        "language": extraction.language,
        "language_source": extraction.language_source,
        "language_reason": extraction.language_reason,
        "profile": extraction.profile,
        "opinion": describe_page(extraction),
    }
    return {
        **(decided if page.problem is None else {}),
        "name": page.name or page.url or extraction.title,
        "url": page.url,
        "title": extraction.title,
        "limits": limits_of(profile, extractor.chosen_for(judged.page).thresholds_for(judged.page.language.language)),
        "notes": [*inspection.notes, *filter(None, [describe_removed(inspection)])],
        # The fields that say something.
        "blocks": [
            {name: value for name, value in row.items() if value not in (None, [], "") or name == "text"}
            for row in extraction.block_dicts(BLOCK_FIELDS)
        ],
        "rendering": render(inspection.flow, judged.page.segments),
    }


def limits_of(profile: Profile, thresholds: Thresholds) -> dict[str, list[dict[str, Any]]]:
    """Return the limits that a profile compares each measurement with."""
    values = asdict(thresholds)
    compared = {**_STOPWORD_LIMITS, **_MODEL_LIMITS} if profile.by_stopwords else _MODEL_LIMITS
    return {
        measurement: [
            {"name": name, "value": values[name], "isInclusive": is_inclusive}
            for name, is_inclusive in limits
            if values[name] is not None
        ]
        for measurement, limits in compared.items()
    }


def script() -> str:
    """Return the JavaScript class ``BlockView`` and all that it needs, as one classic script."""
    kinds = {name: kind.meaning for name, kind in KINDS.items()}
    # At the end: all are strict only if they begin with "use strict".
    return "\n".join([*(read_static(f"view/{name}") for name in _SCRIPTS), f"const KINDS = {json.dumps(kinds)};\n"])


def style() -> str:
    """Return the style of what ``BlockView`` builds, and the colours of the whole page around it."""
    return colours() + read_static("view/view.css")


def frame_style() -> str:
    """Return the style inside the frame that shows the page's own rendering."""
    return colours() + read_static("view/frame.css")


def source_of(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows a script or style of this text, no other.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def read_static(name: str) -> str:
    """Return the text of a file that goes to the browser."""
    return packaged_text("inspection", "static", name)


#: A frame inherits the policy of the page around it, so that policy must allow the frame's style, too.
FRAME_STYLE_SOURCE = source_of(frame_style())

_POLICY = f"default-src 'none'; style-src {FRAME_STYLE_SOURCE}; form-action 'none'; base-uri 'none'"


def render(flow: Flow | None, segments: Sequence[Segment]) -> str:
    """Return an HTML document that shows a page; ``flow`` and ``segments``: its tokens, and the blocks made of them.

    Each text of a block stands in elements with the attribute ``data-block``, which holds the block's index.
    """
    body = "" if flow is None else "".join(_body(flow, segments))
    return (
        f'<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta charset="utf-8"><style>{frame_style()}</style></head><body>{body}</body></html>'
    )


def _body(flow: Flow, segments: Sequence[Segment]) -> Iterator[str]:
    page = flow.page
    removed = {node for code, node in zip(flow.codes, flow.nodes, strict=True) if code in "xhcf$" and node >= 0}
    #: The index of the block that each text stands in, by the nodes of their tokens.
    blocks: dict[int, int] = {}
    for index, texts in enumerate(texts_in(flow, segments)):
        for node, _ in texts:
            blocks.setdefault(node, index)
    open_: list[tuple[int, str]] = []
    node = 1
    while node < page.count or open_:
        if open_ and page.end[open_[-1][0]] == node:
            ended, name = open_.pop()
            yield "" if name in VOID else f"</{name}>"
            yield _marked(page.tail(ended), blocks.get(~ended))
            continue
        if page.tag[node] >= 0 and node not in removed:
            name = _name(page.name(node), flow.rules)
            open_.append((node, name))
            yield _start_tag(page, node, name)
            is_image = page.name(node) == "img"
            text = collapse(page.attribute(node, "alt") or "") if is_image else page.text(node)
            yield _marked(text, blocks.get(node))
            node += 1
            continue
        if page.tag[node] >= 0:
            yield _substitute(page, node)
        yield _marked(page.tail(node), blocks.get(~node))
        node = page.end[node]


def _marked(text: str, index: int | None) -> str:
    """Return a text, escaped, with the index of its block; None: it belongs to none."""
    safe = escape(text, quote=False)
    return safe if index is None else f'<span data-block="{index}">{safe}</span>'


def _name(name: str, rules: TagRules) -> str:
    """Return the name of the element that is written for another."""
    if name in KEPT:
        return name
    return "div" if name in rules.block_level and name != "img" else "span"


def _start_tag(page: Nodes, node: int, name: str) -> str:
    attributes = [
        f' {attribute}="{value}"'
        for attribute, allowed in ATTRIBUTES.items()
        if (value := page.attribute(node, attribute)) is not None and allowed.fullmatch(value)
    ]
    if page.name(node) in STYLED:
        attributes.append(f' class="{STYLED[page.name(node)]}"')
    return f"<{name}{''.join(attributes)}>"


def _substitute(page: Nodes, node: int) -> str:
    """Return what is shown in place of an element whose text is in no block."""
    if is_hidden(page, node):
        return ""
    name = page.name(node)
    if name in BOXES:
        return f'<span class="image">{BOXES[name]}</span>'
    # What is written on a control.
    label = page.string(node) if name == "button" else ""
    kind = (page.attribute(node, "type") or "text").lower()
    if name == "input" and kind != "hidden":
        label = page.attribute(node, "value" if kind in BUTTONS else "placeholder") or ""
    label = escape(collapse(label), quote=False)
    return f'<span class="control">{label}</span>' if label else ""


# The report.

#: What JSON may hold, and a script in a page or a file in UTF-8 may not: what could end the script, line separators,
#: lone surrogates.
_UNSAFE_IN_SCRIPTS = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def report_on(pages: Sequence[Inspection]) -> str:
    """Return the report on some pages, a whole document, which shows the first of them when it is opened."""
    views = list(map(page_view, pages))
    own_style = style() + read_static("report/report.css")
    own_script = script() + read_static("report/report.js")
    policy = (
        f"default-src 'none'; script-src {source_of(own_script)}; style-src {source_of(own_style)}"
        f" {FRAME_STYLE_SOURCE}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    title = str(views[0].get("title") or views[0]["name"]) if len(views) == 1 else f"{len(views)} pages"
    # Elements that no browser runs; each is parsed only when its page is chosen.
    begin = '<script type="application/json" class="page"'
    data = (
        f'{begin} data-name="{in_html(str(view["name"]))}" data-title="{in_html(view["title"])}">'
        f"{safe_json(view)}</script>"
        for view in views
    )
    return Template(read_static("report/report.html")).substitute(
        policy=escape(policy), title=in_html(title), style=own_style, data="\n".join(data), script=own_script
    )


def safe_json(value: object) -> str:
    r"""Return JSON that can stand in a SCRIPT element of a page in UTF-8.

    >>> safe_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = in_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return _UNSAFE_IN_SCRIPTS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
