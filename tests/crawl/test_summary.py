"""JUSTEXT_SUMMARY prints at the end what became of the pages, in any project."""

import re
from typing import Any

import pytest

from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import SECONDS, start, write_project
from tests.crawl.server import Answer, Site

LINKS = "".join(
    f"<p><a href=/{number}>Read more of this and the other things that there are here</a>" for number in range(9)
)
SITE: dict[str, Answer | str] = {
    "/good": page(ENGLISH, MORE_ENGLISH),
    "/copy": page(ENGLISH, MORE_ENGLISH),
    "/poor": POOR_PAGE,
    "/poor-2": POOR_PAGE,
    "/poor-3": POOR_PAGE,
    "/links": LINKS,
    "/de": page(GERMAN, lang="de"),
    "/empty": "<title>Nothing</title>",
    "/data": Answer("{}", "application/json"),
}
PROJECT = """
ADDONS = {"scrapy_justext.Addon": 500}
SPIDER_MODULES = ["tests.crawl.spiders"]
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
CONCURRENT_REQUESTS = 1
JUSTEXT_SUMMARY = True
JUSTEXT_KEEP_LANGUAGES = ["en"]
JUSTEXT_DUPLICATES = "drop"
"""
SETTINGS: dict[str, dict[str, Any]] = {
    "alone": {},
    "processes": {"JUSTEXT_PROCESSES": 1},
    "memory": {"JUSTEXT_SITE_MEMORY": 1, "JUSTEXT_SITE_MEMORY_LOOK": "end"},
    "types": {"JUSTEXT_DROP_TYPES": "forum", "JUSTEXT_PROFILE": "justext"},
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int | None, str, str]]:
    """Exit status, standard output and standard error of the crawls, which run side by side: one of them waits."""
    running = {}
    with Site(SITE) as site:
        for name, settings in SETTINGS.items():
            folder = tmp_path_factory.mktemp("crawl")
            write_project(folder, PROJECT)
            options = [word for setting, value in settings.items() for word in ("-s", f"{setting}={value}")]
            crawled = ("crawl", "pages", "-a", f"urls={' '.join(site.urls(*SITE))}", "-o", "-:jsonl", *options)
            running[name] = start(*crawled, folder=folder, has_forks=True)
        ended = {name: process.communicate(SECONDS) for name, process in running.items()}
        return {
            name: (running[name].returncode, out.decode(), error.decode().replace(site.url(""), ""))
            for name, (out, error) in ended.items()
        }


@pytest.mark.parametrize("name", SETTINGS)
def test_each_reason_has_a_row_with_two_addresses(printed: dict[str, tuple[int | None, str, str]], name: str) -> None:
    status, items, summary = printed[name]
    assert status == 0
    assert items.count("\n") == 2
    assert summary.startswith("\npages: 8 pages cleaned\n\nItems\n        2  kept\n        7  dropped\n")
    rows = dict(re.findall(r"^ +\d+  (.+)((?:\n {13}/.*)*)", summary.partition("Blocks")[0], re.MULTILINE))
    assert {why: re.findall("/.*", addresses) for why, addresses in rows.items() if addresses} == {
        "no block with enough stop words": ["/poor", "/poor-2"],
        "nothing but links and short blocks": ["/links"],
        "another language than JUSTEXT_KEEP_LANGUAGES": ["/de", "/empty"],
        "what other pages said before": ["/copy"],
        "not_html": ["/data"],
    }
