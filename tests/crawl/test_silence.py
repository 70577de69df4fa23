"""Settings and pipelines that do nothing say so, each once; the log stays short."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Response

from tests.crawl.content import ENGLISH, GOOD_PAGE, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import Crawl, command, crawl, read_lines, write_project, write_spider
from tests.crawl.items import DataclassItem
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider
from tests.products import in_part

pytestmark = pytest.mark.full


class TypedSpider(PageSpider):
    """Yields items of a class."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield DataclassItem(response.url)


class StoringPipeline:
    """Stores items."""

    def process_item(self, item: Any) -> Any:
        return item


EARLY = r"^These pipelines get items without text: tests\.\S+\.StoringPipeline \({}\) before \S+ \(100\)"
#: Where a pipeline stands, with further settings, and whether that is told.
PIPELINES: dict[str, tuple[int, dict[str, Any], bool]] = {
    "before": (50, {}, True),
    "beside": (100, {}, True),
    "behind": (101, {}, False),
    "html": (50, {"JUSTEXT_HTML_FIELD": "html"}, False),
    "off": (50, {"JUSTEXT_ENABLED": False}, False),
}


def test_pipelines_that_come_too_early_are_reported_at_the_start() -> None:
    with Site({"/": GOOD_PAGE}) as served:
        crawls = {
            name: Crawl(
                PageSpider,
                {"urls": served.urls()},
                {"ITEM_PIPELINES": {StoringPipeline: order}, **settings},
                problems=[EARLY.format(order)] if is_reported else [],
            )
            for name, (order, settings, is_reported) in PIPELINES.items()
        }
        results = crawl(crawls)
    assert {name: len(result.problems) == 1 for name, result in results.items()} == {
        name: is_reported for name, (*_, is_reported) in PIPELINES.items()
    }


@pytest.mark.parametrize("spider", in_part([PageSpider, TypedSpider], 2))
def test_no_line_of_the_log_is_long(spider: type[PageSpider], tmp_path: Path) -> None:
    name = write_spider(tmp_path, spider)
    with Site({"/": page(*[f"{ENGLISH} {MORE_ENGLISH}"] * 20), "/poor": POOR_PAGE}) as served:
        done = command("runspider", name, "-a", f"urls={served.url('/')}", "-O", "own.jsonl", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    shown = lines[next(i for i, line in enumerate(lines) if "Scraped from" in line) + 1]
    assert f"'text': '{ENGLISH[:50]}…' (" in shown
    assert max(map(len, lines)) <= 240
    [item] = read_lines(tmp_path / "own.jsonl")
    assert item["text"].startswith(ENGLISH)


def test_a_log_formatter_of_the_project_stays(tmp_path: Path) -> None:
    name = write_spider(tmp_path, PageSpider, LOG_FORMATTER="scrapy.logformatter.LogFormatter")
    with Site({"/": GOOD_PAGE}) as served:
        done = command("runspider", name, "-a", f"urls={served.url('/')}", folder=tmp_path)
    assert MORE_ENGLISH in done.stderr


#: What a shell has: a page, whether the project has the add-on, the extraction, the end of the only line of the log.
SHELLS: dict[str, tuple[str, bool, str, str]] = {
    "good": ("/", True, "2 of 5 blocks good", ""),
    "no add-on": ("/", False, "None", "Without a crawl, scrapy_justext.extract(response) does the same."),
    "not HTML": ("/json", True, "None", "/json> has no extraction: not HTML: content type application/json"),
    "missing": ("/no", True, "None", "/no> has no extraction: HTTP status 404 Not Found"),
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_shell_has_the_extraction_or_says_why_there_is_none(name: str, tmp_path: Path) -> None:
    path, has_addon, shown, ending = SHELLS[name]
    addons = {"scrapy_justext.Addon": 500} if has_addon else {}
    write_project(tmp_path, f"ADDONS = {addons}\nTELNETCONSOLE_ENABLED = False\nLOG_LEVEL = 'WARNING'\n")
    code = "__import__('scrapy_justext').get_extraction(response)"
    with Site({"/": GOOD_PAGE, "/json": Answer("{}", "application/json")}) as served:
        done = command("shell", served.url(path), "-c", code, folder=tmp_path)
    assert done.returncode == 0
    assert shown in done.stdout
    assert [line.endswith(ending) for line in done.stderr.strip().splitlines()] == [True] * bool(ending), done.stderr
    assert ('ADDONS={"scrapy_justext.Addon": 500}' in done.stderr) is not has_addon
