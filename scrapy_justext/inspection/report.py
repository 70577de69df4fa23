"""Views of pages as one HTML document: data, scripts and styles in it, and a policy that allows no others."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.printing import in_html, in_json
from scrapy_justext.inspection.view import FRAME_STYLE_SOURCE, page_view, script, source_of, style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.inspection.pages import Inspection

#: What JSON may hold, and a script in a page or a file in UTF-8 may not: what could end the script, line separators,
#: lone surrogates.
_UNSAFE_IN_SCRIPTS = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def report_on(pages: Sequence[Inspection]) -> str:
    """Return the report on some pages, a whole document, which shows the first of them when it is opened."""
    views = list(map(page_view, pages))
    own_style = style() + _read("report.css")
    own_script = script() + _read("report.js")
    policy = (
        f"default-src 'none'; script-src {source_of(own_script)}; style-src {source_of(own_style)}"
        f" {FRAME_STYLE_SOURCE}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    title = str(views[0].get("title") or views[0]["name"]) if len(views) == 1 else f"{len(views)} pages"
    return Template(_read("report.html")).substitute(
        policy=escape(policy),
        title=in_html(title),
        style=own_style,
        data="\n".join(map(_data, views)),
        script=own_script,
    )


def _data(view: Mapping[str, Any]) -> str:
    """Return a page's view in an element that no browser runs; each is parsed only when the page is chosen."""
    name = in_html(str(view["name"]))
    return f'<script type="application/json" class="page" data-name="{name}">{safe_json(view)}</script>'


def safe_json(value: object) -> str:
    r"""Return JSON that can stand in a SCRIPT element of a page in UTF-8.

    >>> safe_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = in_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return _UNSAFE_IN_SCRIPTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _read(name: str) -> str:
    return files("scrapy_justext.inspection").joinpath("static", "report", name).read_text("utf-8")
