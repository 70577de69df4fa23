"""``scrapy parse --pipelines``, which sends items to the pipelines past the spider middlewares."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, page
from tests.crawl.crawling import SECONDS, start, write_project
from tests.crawl.server import Site
from tests.products import in_part

pytestmark = pytest.mark.full

SETTINGS = """
SPIDER_MODULES = ["spiders"]
ADDONS = {"scrapy_justext.Addon": 500}
JUSTEXT_LANGUAGE = ["English", "German"]
JUSTEXT_FIELDS = {"paragraphs": None, "title": None}
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
"""
SPIDERS = """
import asyncio
from scrapy import Spider

class PlainSpider(Spider):
    name = "plain"

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(css="a")

class AsyncSpider(Spider):
    name = "async"

    async def parse(self, response):
        yield {"url": response.url}
        for request in response.follow_all(css="a"):
            yield request
"""
ANSWERS = {"/": page(ENGLISH, '<a href="/more">More</a> <a href="/german">German</a>'),
           "/more": page(MORE_ENGLISH), "/german": page(GERMAN)}  # fmt: skip


def parsed(folder: Path, *options: str) -> list[dict[str, Any]]:
    """The items that the command printed."""
    # Scrapy warns of what the command itself does.
    arguments = ["parse", "--pipelines", "--nolinks", "--nocolour", *options]
    done = start(*arguments, folder=folder, on_warning="ignore")
    out, messages = done.communicate(SECONDS)
    assert (done.returncode, messages.decode()) == (0, "")
    items: list[dict[str, Any]] = ast.literal_eval(out.decode().partition("# Scraped Items")[2].partition("\n")[2])
    return items


@pytest.mark.parametrize("spider", in_part(["plain", "async"], 2))
def test_the_items_of_each_page_get_its_text(tmp_path: Path, spider: str) -> None:
    write_project(tmp_path, SETTINGS)
    (tmp_path / "spiders.py").write_text(SPIDERS)
    with Site(ANSWERS) as served:
        items = parsed(tmp_path, "--spider", spider, "-d", "2", served.url("/"))
        texts = {item["url"]: item["text"] for item in items}
    assert texts == {served.url("/"): ENGLISH, served.url("/more"): MORE_ENGLISH, served.url("/german"): GERMAN}
    assert [len(item["blocks"]) for item in items] == [1, 1, 1]
