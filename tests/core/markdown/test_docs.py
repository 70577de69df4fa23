"""The example in the documentation is real."""

from __future__ import annotations

from tests.builders import REPOSITORY
from tests.core.markdown.rendering import markdown_of


def test_the_example_is_real() -> None:
    page = (REPOSITORY / "docs" / "markdown.md").read_text("utf-8")
    example = page.partition("<!-- example -->")[2].partition("<!-- end -->")[0]
    html, _, rest = example.partition("```html\n")[2].partition("\n```\n")
    markdown = rest.partition("````markdown\n")[2].removesuffix("\n````\n")
    assert markdown_of(html, url="https://example.com/shop/kettle.html") == markdown
