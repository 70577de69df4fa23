"""JUSTEXT_SUMMARY prints at the end what became of the pages, in any project."""

import re
from typing import Any

import pytest

from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import command, write_project
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


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_each_reason_has_a_row_with_two_addresses(settings: dict[str, Any], tmp_path: Any) -> None:
    write_project(tmp_path, PROJECT)
    with Site(SITE) as site:
        options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        urls = " ".join(site.urls(*SITE))
        done = command("crawl", "pages", "-a", f"urls={urls}", "-o", "-:jsonl", *options, folder=tmp_path)
        printed = done.stderr.replace(site.url(""), "")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 2
    assert printed.startswith("\npages: 8 pages cleaned\n\nItems\n        2  kept\n        7  dropped\n")
    rows = dict(re.findall(r"^ +\d+  (.+)((?:\n {13}/.*)*)", printed.partition("Blocks")[0], re.MULTILINE))
    assert {why: re.findall("/.*", addresses) for why, addresses in rows.items() if addresses} == {
        "no block with enough stop words": ["/poor", "/poor-2"],
        "nothing but links and short blocks": ["/links"],
        "another language than JUSTEXT_KEEP_LANGUAGES": ["/de", "/empty"],
        "what other pages said before": ["/copy"],
        "not_html": ["/data"],
    }


def test_it_is_not_printed_unless_asked_for(tmp_path: Any) -> None:
    write_project(tmp_path, PROJECT.replace("SUMMARY = True", "SUMMARY = False"))
    with Site(SITE) as site:
        done = command("crawl", "pages", "-a", f"urls={site.url('/good')}", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
