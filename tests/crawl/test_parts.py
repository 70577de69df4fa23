"""How the parts of a crawl meet: a test for each row of the table in :mod:`scrapy_justext.crawl.parts.order`."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scrapy.http import HtmlResponse
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from scrapy_justext.crawl.pages import CleanedPage, Outcome, page_of
from scrapy_justext.crawl.parts import order
from scrapy_justext.crawl.parts.order import CrawlPart, Visit
from scrapy_justext.crawl.session import get_session
from tests.crawl import newspaper, template
from tests.crawl.content import GOOD_PAGE, page
from tests.crawl.crawling import Crawl, Result, Results, crawl
from tests.crawl.server import Site, path_of
from tests.crawl.spiders import PageSpider
from tests.crawl.test_second_requests import SHELL
from tests.samples import code_behind

IN_ORDER = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0}
MEMORY = {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"}
#: What the first response of a page shows that is poor, and the second response of another one.
SHOWN = newspaper.prose("shown", 60)
LONG = [path for path, _ in newspaper.LONG.pages]
#: Articles that are only there with a second request, and what is there without.
BEHIND = {
    "/first": page(newspaper.prose("first", 80), newspaper.prose("first, more", 80)),
    "/other": page(newspaper.prose("other", 80), SHOWN),
}
FIRST = {"/first": SHELL.replace("</body>", f"<p>{SHOWN}</p></body>"), "/other": SHELL}


@pytest.fixture(scope="module")
def results(folder: Path) -> Iterator[Results]:
    with ExitStack() as stack:

        def served(pages: Mapping[str, Any], behind: Mapping[str, str] = {}) -> tuple[Site, dict[str, Any]]:
            """Serve a site; return it with the settings by which second requests get the pages of ``behind``."""
            site = stack.enter_context(Site(dict(pages)))
            proxy = stack.enter_context(Site({site.url(path): html for path, html in behind.items()}))
            return site, {**IN_ORDER, "JUSTEXT_RETRY_META": {"proxy": proxy.url("")}} if behind else {**IN_ORDER}

        def of(site: Site, settings: Mapping[str, Any], *paths: str) -> Crawl:
            return Crawl(PageSpider, {"urls": site.urls(*paths)}, settings)

        town, plain = served(newspaper.PAGES)
        copied, _ = served({**newspaper.PAGES, "/copy": page(*newspaper.LONG.paragraphs[3:6])})
        articles, twice = served(FIRST, BEHIND)
        shells, of_long = served(dict.fromkeys(LONG, SHELL), {path: newspaper.PAGES[path] for path in LONG})
        repeating, _ = served(template.SITE)
        empty, of_template = served({path: SHELL.replace("Home", path * 5) for path in template.PATHS}, template.SITE)
        poor = {"JUSTEXT_MIN_GOOD_CHARACTERS": 600}
        join = {"JUSTEXT_JOIN_PAGES": 10}
        two = [newspaper.ARTICLES[0].path, newspaper.ARTICLES[1].path]
        yield crawl(
            {
                "second requests, site memory": of(empty, {**of_template, **MEMORY}),
                "second requests, duplicates": of(
                    articles, {**twice, **poor, "JUSTEXT_DUPLICATES": "drop"}, "/first", "/other"
                ),
                "second requests, site report": of(
                    articles, {**twice, **poor, "JUSTEXT_SITE_STATS": str(folder / "twice.json")}, "/first", "/other"
                ),
                "joining, site memory": of(town, {**plain, **join, **MEMORY}, LONG[0], *two),
                "joining, duplicates": of(
                    copied, {**plain, **join, "JUSTEXT_DUPLICATES": "drop-blocks"}, LONG[0], *two, "/copy"
                ),
                "joining, second requests": of(shells, {**of_long, **join}, LONG[0]),
                "site memory, duplicates": of(
                    town, {**plain, **MEMORY, "JUSTEXT_DUPLICATES": "drop"}, two[0], f"{two[0]}/print", two[1]
                ),
                "site memory, site report": of(
                    repeating, {**plain, **MEMORY, "JUSTEXT_SITE_STATS": str(folder / "memory.json")}
                ),
                "site memory, processes": of(repeating, {**plain, **MEMORY, "JUSTEXT_PROCESSES": 1}),
            }
        )


def texts(result: Result) -> dict[str, str]:
    return {path_of(item["url"]): item["text"] for item in result.items}


def test_second_requests_and_site_memory(results: Results) -> None:
    result = results["second requests, site memory"]
    assert (len(result.items), result.justext["retry/kept_second"]) == (template.PAGES, template.PAGES)
    assert template.with_repeated(result.items) == ""
    assert result.justext["site_memory/blocks"] >= template.PAGES


def test_second_requests_and_duplicates(results: Results) -> None:
    result = results["second requests, duplicates"]
    assert result.justext["retry/kept_second"] == len(BEHIND)
    assert {path: SHOWN in text for path, text in texts(result).items()} == {"/first": False, "/other": True}
    assert "duplicates/blocks" not in result.justext


def test_second_requests_and_site_report(results: Results, folder: Path) -> None:
    result = results["second requests, site report"]
    assert (result.justext["retry/kept_second"], result.justext["pages"]) == (2, 2)
    [record] = json.loads((folder / "twice.json").read_text("utf-8"))["sites"].values()
    assert (record["pages"], record["kept"]) == (2, 2)


def test_joining_and_site_memory(results: Results) -> None:
    result = results["joining, site memory"]
    assert texts(result)[LONG[0]] == newspaper.LONG.text
    assert len(result.items) == 3
    # The item of the article waited for its pages alone, and came before those that waited for the site.
    assert result.justext["site_memory/items_held"] == 2
    assert path_of(result.items[0]["url"]) == LONG[0]


def test_joining_and_duplicates(results: Results) -> None:
    result = results["joining, duplicates"]
    assert texts(result)[LONG[0]] == newspaper.LONG.text
    assert [path_of(dropped.item["url"]) for dropped in result.dropped] == ["/copy"]


def test_joining_and_second_requests(results: Results) -> None:
    result = results["joining, second requests"]
    assert texts(result) == {LONG[0]: newspaper.LONG.text}
    assert result.justext["retry/kept_second"] == 1


def test_site_memory_and_duplicates(results: Results) -> None:
    result = results["site memory, duplicates"]
    assert len(result.items) == 2
    assert {item["text"] for item in result.items} == {article.text for article in newspaper.ARTICLES[:2]}
    assert result.justext["site_memory/items_held"] == 3
    assert [dropped.exception for dropped in result.dropped] == ["RepeatedPage"]


def test_site_memory_and_site_report(results: Results, folder: Path) -> None:
    assert template.with_repeated(results["site memory, site report"].items) == ""
    [record] = json.loads((folder / "memory.json").read_text("utf-8"))["sites"].values()
    # The first pages were counted before it was known what the site repeats.
    assert record["pages"] == template.PAGES
    assert 0 < record["repeated_blocks"] < 2 * template.PAGES


def test_site_memory_and_processes(results: Results) -> None:
    result = results["site memory, processes"]
    assert template.letters(sorted(result.items, key=lambda item: str(item["url"]))) == template.LETTERS
    assert template.with_repeated(result.items) == ""


def test_each_row_of_the_table_has_its_test() -> None:
    assert order.__doc__ is not None
    rows = re.findall(r"^(\w[\w ]*), (\w[\w ]*?)  ", order.__doc__, re.MULTILINE)
    names = {f"test_{part}_and_{other}".replace(" ", "_") for part, other in rows}
    assert names == {name for name in globals() if re.fullmatch(r"test_(?!each|a_|the_)\w+_and_\w+", name)}


def test_each_part_stands_in_the_table_of_the_order() -> None:
    assert order.__doc__ is not None
    assert all(issubclass(load_object(path), CrawlPart) for path, _ in order.ORDER)
    [head] = re.findall(r"^=+ +=+\n(.+?)^=+", order.__doc__.partition("How two parts")[0], re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^\w[\w ]*?  ", head, re.MULTILINE)) == len(order.ORDER)


def test_a_part_is_made_once_a_setting_or_a_request_asks_for_it() -> None:
    session = get_session(get_crawler(settings_dict={"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_DUPLICATES": "mark"}))
    names = ["SiteMemoryPart", "DuplicatesPart"]
    assert [type(part).__name__ for part in session.parts] == names
    session.parts.ask(session.configurations.of_crawl)
    assert [type(part).__name__ for part in session.parts] == names
    asking = get_session(get_crawler(settings_dict={"JUSTEXT_RETRY_META": {"proxy": "x"}})).configurations.of_crawl
    session.parts.ask(asking)
    assert [type(part).__name__ for part in session.parts] == ["SecondRequests", *names]


class Failing(CrawlPart):
    """Fails for each page."""

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        raise RuntimeError(f"not {visit.response.url}")


def test_the_items_of_a_page_with_which_a_part_fails_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "ORDER", (*order.ORDER, (f"{__name__}.Failing", lambda _, __: True)))
    crawler = get_crawler(settings_dict=MEMORY)
    response = HtmlResponse("http://a.example/", body=GOOD_PAGE, encoding="utf-8")
    get_session(crawler).clean_now(response, None)
    page_kept = page_of(response)
    assert isinstance(page_kept, CleanedPage)
    assert page_kept.judged is None
    assert crawler.stats is not None
    assert crawler.stats.get_value("justext/errors/RuntimeError") == 1


def test_the_part_in_the_documentation_needs_a_row_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("islands")
    exec(code_behind("* **a part of a crawl**", "docs/contributing.md"), module.__dict__)
    monkeypatch.setitem(sys.modules, "islands", module)
    monkeypatch.setattr(order, "ORDER", (*order.ORDER, ("islands.Islands", lambda _, __: True)))
    crawler = get_crawler()
    session = get_session(crawler)
    for html in (GOOD_PAGE, "<p>Nothing leads on from here."):
        session.clean_now(HtmlResponse("http://a.example/", body=html, encoding="utf-8"), None)
    assert crawler.stats is not None
    assert crawler.stats.get_value("justext/islands") == 1
