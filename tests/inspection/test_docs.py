"""The page on the inspector shows real output."""

from __future__ import annotations

import pytest

from scrapy_justext.crawl.settings import Given, make_layers
from scrapy_justext.inspection.pages import read_page
from scrapy_justext.inspection.run import configuration_for
from scrapy_justext.inspection.terminal import Style, compare, list_blocks
from tests.builders import DEMO_SITE, REPOSITORY

DOCS = (REPOSITORY / "docs" / "inspection.md").read_text("utf-8")
KETTLE = DEMO_SITE / "shop" / "copper-kettle.html"
COLUMNS = 118


@pytest.mark.parametrize("name", ["blocks", "compare"])
def test_listings_shown_are_real(name: str) -> None:
    mine, other = (
        configuration_for(make_layers({}, {"profile": Given(profile, "test")}), None)
        for profile in ("justext", "boilerpipe")
    )
    page = read_page(str(KETTLE), mine)
    inspection, style = page.inspect(), Style(COLUMNS)
    compared = page.inspect(other.options)
    printed = list_blocks(inspection, style) if name == "blocks" else compare(inspection, compared, style)
    shown = DOCS.partition(f"<!-- {name} -->\n```\n")[2].partition("\n```")[0].splitlines()
    real = iter(printed.splitlines())
    assert len(shown) > 10
    # In order, with lines left out where an ellipsis says so.
    assert [line for line in shown if line != "…" and line not in real] == []
