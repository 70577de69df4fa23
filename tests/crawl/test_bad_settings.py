"""A bad setting stops the crawl before its first request, with a line that says what is wrong."""

import re
from collections.abc import Mapping
from subprocess import CompletedProcess
from typing import Any

import pytest
import scrapy

from tests.crawl.crawling import Crawl, Results, command, crawl, python, write_spider
from tests.crawl.server import Site, site_of
from tests.crawl.spiders import PageSpider
from tests.crawl.test_overrides import BY_PATH
from tests.samples import code_behind

#: A bad setting, and what the message says of it; what else is bad is in ``test_settings.py``.
SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"JUSTEXT_LANGAUGE": "German"}, "JUSTEXT_LANGAUGE: unknown setting; did you mean JUSTEXT_LANGUAGE"),
    "language": ({"JUSTEXT_LANGUAGE": "Germn"}, "JUSTEXT_LANGUAGE = 'Germn': unknown language; did you mean German"),
    "wrong type": ({"JUSTEXT_LENGTH_LOW": "x"}, "JUSTEXT_LENGTH_LOW = 'x': must be a whole number of characters, 0 or"),
    "processes of a site": (
        {"JUSTEXT_SITES": {"example.org": {"processes": 2}}},
        "JUSTEXT_SITES['example.org']['processes'] = 2: can only be set for the whole crawl",
    ),
    "no redis": (
        {"REDIS_URL": "redis://user:secret@127.0.0.1:1/0", "JUSTEXT_SITE_MEMORY": True},
        "the site memory redis://127.0.0.1:1/0 cannot be used: ",
    ),
    "a password that is not quoted": (
        {"REDIS_URL": "redis://user:secret/0@127.0.0.1:1/0", "JUSTEXT_SITE_MEMORY": True},
        "the site memory redis://127.0.0.1:1/0 cannot be used: it must be an address such as redis://HOST:6379/0",
    ),
    "no folder": ({"JUSTEXT_SITE_STATS": "/proc/none/x"}, "JUSTEXT_SITE_STATS = '/proc/none/x': must be the path of a"),
}  # fmt: skip
NO_REDIS = {"JUSTEXT_DUPLICATES": "mark", "REDIS_URL": "redis://127.0.0.1:1/0"}


class AttributeSpider(PageSpider):
    """Has a bad setting of its own."""

    justext: Mapping[str, Any] = {"length_low": -5}


#: With Scrapy's command line: the spider, its custom settings, options, the message.
COMMANDS: dict[str, tuple[type[PageSpider], dict[str, Any], list[str], str]] = {
    "custom settings": (PageSpider, {"JUSTEXT_LANGUAGE": "Germn"}, [], SETTINGS["language"][1]),
    "attribute": (AttributeSpider, {}, [], "OwnSpider.justext['length_low'] = -5: must be"),
    "argument": (
        PageSpider,
        {},
        ["-a", "justext_languag=de"],
        "justext_languag: unknown setting; did you mean justext_",
    ),
    "option": (PageSpider, {}, ["-s", "JUSTEXT_DROP=x"], "JUSTEXT_DROP = 'x': must be one of item, response, none"),
    "no redis": (PageSpider, NO_REDIS, [], "the memory of duplicates redis://127.0.0.1:1/0 cannot be used"),
    "by hand and switched off": (
        PageSpider,
        {"ADDONS": {}, **BY_PATH, "JUSTEXT_ENABLED": False, "JUSTEXT_DROP": "everything"},
        [],
        "JUSTEXT_DROP = 'everything': must be one of item, response, none",
    ),
}


MESSAGES = {name: row[3] for name, row in COMMANDS.items()}
#: In its event loop nothing can end the command but Scrapy.
OTHER_LOOP = ["-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"]
ERRORS = ("scrapy_justext.exceptions.SettingError", "scrapy_justext.exceptions.UnknownKeyError")

server = site_of({"/": "<p>Hello"})

Runs = dict[str, CompletedProcess[str]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, server: Site) -> Runs:
    folder = tmp_path_factory.mktemp("bad")
    jobs = {name: row[:3] for name, row in COMMANDS.items()}
    jobs["another event loop"] = (*jobs["custom settings"][:2], OTHER_LOOP)
    arguments = ["-a", f"urls={server.url('/')}"]
    return {
        name: command("runspider", write_spider(folder, spider, **settings), *arguments, *options, folder=folder)
        for name, (spider, settings, options) in jobs.items()
    }


@pytest.fixture(scope="module")
def results(server: Site) -> Results:
    urls = {"urls": server.urls("/")}
    return crawl(
        {
            name: Crawl(PageSpider, urls, bad, fails=True, problems=[f"^{re.escape(message)}"])
            for name, (bad, message) in SETTINGS.items()
        }
    )


SCRIPT = """
import sys
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess

class BadSpider(Spider):
    name = "bad"
    start_urls = [{url!r}]

process = AsyncCrawlerProcess(
    {{"ADDONS": {{"scrapy_justext.Addon": 500}}, "JUSTEXT_LANGUAGE": "Germn", "LOG_LEVEL": "ERROR"}}
)
{start}
"""
#: How a script starts its crawl: as most do, and as the docs show.
STARTS = {
    "plain": "process.crawl(BadSpider)\nprocess.start()",
    "docs": code_behind("<!-- script -->", "docs/settings.md").replace("MySpider", "BadSpider"),
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory, server: Site) -> Runs:
    folder = tmp_path_factory.mktemp("scripts")
    runs = {}
    for name, start in STARTS.items():
        source = SCRIPT.format(url=server.url("/"), start=start)
        (folder / f"{name}.py").write_text(source, "utf-8")
        runs[name] = python(f"{name}.py", folder=folder)
    return runs


def critical_lines(done: CompletedProcess[str]) -> list[str]:
    return [line.partition(" CRITICAL: ")[2] for line in done.stderr.splitlines() if " CRITICAL: " in line]


@pytest.mark.parametrize("name", STARTS)
def test_a_script_is_reported_in_one_line(scripts: Runs, name: str) -> None:
    (line,) = critical_lines(scripts[name])
    assert line.startswith(MESSAGES["custom settings"])


#: Before, a crawler process did not tell that a crawl could not begin, nor did the command line in such a loop.
tells_failures = pytest.mark.skipif(scrapy.version_info < (2, 15), reason="needs Scrapy 2.15")


@tells_failures
def test_a_script_like_the_readme_s_ends_with_status_1_and_without_a_traceback(scripts: Runs) -> None:
    done = scripts["docs"]
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert MESSAGES["custom settings"] in done.stderr.rstrip().splitlines()[-1]


@pytest.mark.parametrize("name", MESSAGES)
def test_the_command_ends_with_status_2_and_one_line(runs: Runs, name: str) -> None:
    done = runs[name]
    assert done.returncode == 2
    last = done.stderr.rstrip("\n").splitlines()[-1]
    assert last.partition(" CRITICAL: ")[2].startswith(MESSAGES[name])
    assert "Traceback" not in done.stderr


@tells_failures
def test_in_another_event_loop_the_command_ends_with_scrapys_status_and_the_message(runs: Runs) -> None:
    done = runs["another event loop"]
    assert done.returncode == 1
    last = done.stderr.rstrip("\n").splitlines()[-1]
    assert last.startswith(ERRORS)
    assert last.partition(": ")[2].startswith(MESSAGES["custom settings"])
    assert [line.startswith(MESSAGES["custom settings"]) for line in critical_lines(done)].count(True) == 1


@pytest.mark.parametrize("name", SETTINGS)
def test_the_crawl_ends_with_the_message(results: Results, name: str) -> None:
    result = results[name]
    assert result.error
    error, _, message = result.error.rstrip("\n").splitlines()[-1].partition(": ")
    assert error in ERRORS or error.endswith("SiteMemoryError")
    assert message.startswith(SETTINGS[name][1])
    assert "secret" not in result.error
    assert (result.items, result.seen) == ([], [])


def test_nothing_was_requested(runs: Runs, scripts: Runs, results: Results, server: Site) -> None:
    assert runs
    assert scripts
    assert results
    assert server.requests == {}
    assert not [name for name, done in runs.items() if "Spider opened" in done.stderr]
