"""Settings and pipelines that do nothing say so, each once; the log stays short."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.content import ENGLISH, GOOD_PAGE, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import Crawl, command, crawl
from tests.crawl.items import DataclassItem
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider
from tests.products import in_part

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full

SHELL = "<div id=root></div><p>You need JavaScript."
SPIDER = """
import scrapy

class OwnSpider(scrapy.Spider):
    name = "own"
    start_urls = ["{url}"]
    custom_settings = {{"ADDONS": {{"scrapy_justext.Addon": 500}}, "TELNETCONSOLE_ENABLED": False}}

    def parse(self, response):
        yield {{"url": response.url}}
"""


class StoringPipeline:
    """Stores items."""

    def process_item(self, item: Any) -> Any:
        return item


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-a", "justext-profile=auto"), "justext-profile: unknown setting; did you mean justext_profile?"),
        (("-s", "JUSTEXT-PROFILE=auto"), "JUSTEXT-PROFILE: unknown setting; did you mean JUSTEXT_PROFILE?"),
    ],
)
def test_a_setting_with_a_hyphen_ends_the_crawl(options: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(SPIDER.format(url="http://127.0.0.1:1/"))
    done = command("runspider", "own.py", *options, "-L", "ERROR", folder=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr


def test_second_requests_that_never_work_are_told_once() -> None:
    problem = r"^No second request has worked, so JUSTEXT_RETRY_META does nothing: \d+ failed, .*Connection"
    settings = {"JUSTEXT_RETRY_META": {"proxy": "http://127.0.0.1:1"}}
    with Site({f"/{number}": SHELL for number in range(8)}) as served:
        crawls = {
            str(pages): Crawl(PageSpider, {"urls": served.urls()[:pages]}, settings, problems=[problem])
            for pages in (1, 4, 8)
        }
        results = crawl(crawls)
    assert {pages: len(result.problems) for pages, result in results.items()} == {"1": 1, "4": 1, "8": 1}


#: Where a pipeline stands, with further settings, and what is to be told.
EARLY: dict[str, tuple[int, dict[str, Any], list[str]]] = {
    "before": (
        50,
        {},
        [r"^These pipelines get items without text: tests\.\S+\.StoringPipeline \(50\) before \S+ \(100\)"],
    ),
    "beside": (100, {}, [r"StoringPipeline \(100\) before \S+ \(100\)"]),
    "behind": (101, {}, []),
    "html": (50, {"JUSTEXT_HTML_FIELD": "html"}, []),
    "off": (50, {"JUSTEXT_ENABLED": False}, []),
}


def test_pipelines_that_come_too_early_are_told_at_the_start() -> None:
    with Site({"/": GOOD_PAGE}) as served:
        arguments = {"urls": served.urls()}
        crawls = {
            name: Crawl(
                PageSpider, arguments, {"ITEM_PIPELINES": {StoringPipeline: order}, **settings}, problems=problems
            )
            for name, (order, settings, problems) in EARLY.items()
        }
        results = crawl(crawls)
    assert {name: len(result.problems) for name, result in results.items()} == {
        name: len(problems) for name, (_, _, problems) in EARLY.items()
    }


@pytest.mark.parametrize("name", in_part(["dict", "typed"], 2))
def test_no_line_of_the_log_is_long(name: str, tmp_path: Path) -> None:
    yielded = "{'url': response.url}" if name == "dict" else "DataclassItem(response.url)"
    code = SPIDER.replace("{{'url': response.url}}", "").replace('{{"url": response.url}}', yielded)
    (tmp_path / "own.py").write_text(f"from tests.crawl.items import {DataclassItem.__name__}\n" + code)
    long = page(*[f"{ENGLISH} {MORE_ENGLISH}"] * 20)
    with Site({"/": long, "/poor": POOR_PAGE}) as served:
        text = (tmp_path / "own.py").read_text().replace("{url}", served.url("/")).replace("{{", "{").replace("}}", "}")
        (tmp_path / "own.py").write_text(text)
        options = ("-s", "JUSTEXT_BLOCKS=all", "-s", 'JUSTEXT_FIELDS={"paragraphs": "paragraphs"}', "-O", "own.jsonl")
        done = command("runspider", "own.py", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    shown = lines[next(i for i, line in enumerate(lines) if "Scraped from" in line) + 1]
    assert f"'text': '{ENGLISH[:50]}…' (" in shown
    assert max(map(len, lines)) <= 240
    assert json.loads((tmp_path / "own.jsonl").read_text())["text"].startswith(ENGLISH)


@pytest.mark.full
def test_a_log_formatter_of_the_project_stays(tmp_path: Path) -> None:
    with Site({"/": GOOD_PAGE}) as served:
        (tmp_path / "own.py").write_text(SPIDER.format(url=served.url("/")))
        setting = ("-s", "LOG_FORMATTER=scrapy.logformatter.LogFormatter")
        done = command("runspider", "own.py", *setting, folder=tmp_path)
    assert MORE_ENGLISH in done.stderr


@pytest.mark.parametrize("has_addon", [True, False])
def test_the_shell_has_the_extraction_or_says_what_is_missing(has_addon: bool, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own\n")
    addons = '{"scrapy_justext.Addon": 500}' if has_addon else "{}"
    (tmp_path / "own.py").write_text(f"ADDONS = {addons}\nTELNETCONSOLE_ENABLED = False\nLOG_LEVEL = 'WARNING'\n")
    code = "__import__('scrapy_justext').get_extraction(response)"
    with Site({"/": GOOD_PAGE}) as served:
        done = command("shell", served.url("/"), "-c", code, folder=tmp_path)
    assert done.returncode == 0
    assert ("2 of 5 blocks good" in done.stdout) is has_addon
    assert ('ADDONS={"scrapy_justext.Addon": 500}' in done.stderr) is not has_addon


@pytest.mark.parametrize(
    ("path", "why"), [("/json", "not HTML: content type application/json"), ("/no", "HTTP status 404 Not Found")]
)
def test_the_shell_says_why_there_is_no_extraction(path: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own\n")
    (tmp_path / "own.py").write_text(
        "ADDONS = {'scrapy_justext.Addon': 500}\nTELNETCONSOLE_ENABLED = False\nLOG_LEVEL = 'WARNING'\n"
    )
    code = "__import__('scrapy_justext').get_extraction(response)"
    with Site({"/json": Answer("{}", "application/json")}) as served:
        done = command("shell", served.url(path), "-c", code, folder=tmp_path)
    assert done.stdout.strip() == "None"
    [line] = done.stderr.strip().splitlines()
    assert line.endswith(f"{served.url(path)}> has no extraction: {why}")


def test_the_feed_holds_the_text_once_and_only_good_blocks(tmp_path: Path) -> None:
    feed = tmp_path / "own.jsonl"
    settings = {"JUSTEXT_BLOCKS": None, "JUSTEXT_FIELDS": None, "FEEDS": {str(feed): {"format": "jsonlines"}}}
    with Site({"/": GOOD_PAGE}) as served:
        crawl({"only": Crawl(PageSpider, {"urls": served.urls()}, settings)})
    line = feed.read_text("utf-8")
    item = json.loads(line)
    assert item.keys() == {"url", "text", "blocks", "language", "title"}
    assert line.count(MORE_ENGLISH) == 1
    assert [block["block_class"] for block in item["blocks"]] == ["good", "good"]
