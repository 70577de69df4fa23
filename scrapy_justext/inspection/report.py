"""Views of pages as one HTML document: data, scripts and styles in it, and a policy that allows no others."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_justext.files import write_whole
from scrapy_justext.inspection.view import FRAME_STYLE_SOURCE, page_view, script, source_of, style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.core.parsing import Parsed
    from scrapy_justext.crawl.settings import Configuration


class Page(Protocol):
    """A page to report on: what it is called, its tree, and how it is judged."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def url(self) -> str | None: ...  # noqa: D102
    @property
    def parsed(self) -> Parsed: ...  # noqa: D102
    @property
    def declared(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def configuration(self) -> Configuration: ...  # noqa: D102


#: What JSON may hold and a script in a page, or a file in UTF-8, may not: what could end the script, line
#: separators, lone surrogates.
_NOT_AS_IT_IS = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def write_report(pages: Sequence[Page], path: Path) -> None:
    """Write the report on some pages into a file; raises ``OSError`` where that cannot be written."""
    write_whole(path, report_on(pages).encode())


def report_on(pages: Sequence[Page]) -> str:
    """The report on some pages."""
    views = [
        page_view(page.parsed, page.configuration.options, url=page.url, declared=page.declared, name=page.name)
        for page in pages
    ]
    return report_html(views)


def report_html(views: Sequence[Mapping[str, Any]]) -> str:
    """The whole document on pages, as :func:`~scrapy_justext.inspection.view.page_view` gives them.

    It shows the first of them when it is opened.
    """
    own_style = style() + _read("report.css")
    own_script = script() + _read("report.js")
    policy = (
        f"default-src 'none'; script-src {source_of(own_script)}; style-src {source_of(own_style)}"
        f" {FRAME_STYLE_SOURCE}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Template(_read("report.html")).substitute(
        policy=escape(policy),
        title=escape(_sound(_title(views))),
        style=own_style,
        data="\n".join(map(_data, views)),
        script=own_script,
    )


def _title(views: Sequence[Mapping[str, Any]]) -> str:
    return str(views[0]["title"] or views[0]["name"]) if len(views) == 1 else f"{len(views)} pages"


def _sound(text: str) -> str:
    r"""``text`` without what no file in UTF-8 can hold, nor HTML.

    >>> _sound("a\0b\ud800")
    'ab?'
    """
    return text.replace("\0", "").encode(errors="replace").decode()


def _data(view: Mapping[str, Any]) -> str:
    """A page's view in an element that no browser runs; each is read only when it is looked at."""
    name = escape(_sound(str(view["name"])))
    return f'<script type="application/json" class="page" data-name="{name}">{safe_json(view)}</script>'


def safe_json(value: object) -> str:
    r"""JSON that can stand in a SCRIPT element of a page in UTF-8.

    >>> safe_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _NOT_AS_IT_IS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _read(name: str) -> str:
    return files("scrapy_justext.inspection").joinpath("static", "report", name).read_text("utf-8")
