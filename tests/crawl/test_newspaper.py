"""A site as sites are: whatever comes first, the text of each article is there as it stands there, and only once."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.crawl import newspaper
from tests.crawl.crawling import Crawl, Result, command, crawl, read_lines
from tests.crawl.server import Site, path_of, site_of
from tests.crawl.spiders import PageSpider
from tests.redis_server import RedisServer, needs_redis
from tests.samples import code_behind

IN_ORDER = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0, "JUSTEXT_LANGUAGE": "English"}
ARTICLES = [article.path for article in newspaper.ALL]
ORDERS = {
    "listings first": [*newspaper.LISTINGS, *ARTICLES, *newspaper.PRINT_VIEWS],
    "articles first": [*ARTICLES, *newspaper.LISTINGS, *newspaper.PRINT_VIEWS],
    "print views first": [*newspaper.PRINT_VIEWS, *newspaper.LISTINGS, *ARTICLES],
}
CHOICES: dict[str, Mapping[str, Any]] = {
    "drop": {"JUSTEXT_DUPLICATES": "drop"},
    "drop-blocks": {"JUSTEXT_DUPLICATES": "drop-blocks"},
    "site memory": {"JUSTEXT_SITE_MEMORY": True},
    "site memory to the end": {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"},
    "all": {"JUSTEXT_DUPLICATES": "drop-blocks", "JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "hold"},
}


#: Any order with any choice in one of the crawls, but for what does not depend on the order.
CASES = [
    *(("listings first", choice) for choice in CHOICES),
    *(("articles first", choice) for choice in ("drop", "drop-blocks", "site memory")),
    *(("print views first", choice) for choice in ("drop-blocks", "all")),
]
#: Other shapes of listings, each with one of two choices.
OF_SHAPES = {
    shape: ("drop-blocks", "site memory to the end")[number % 2]
    for number, shape in enumerate(("image", "stretched", "inside", "date", "break", "whole"))
}

served = site_of(newspaper.PAGES)

Results = dict[tuple[str, str], Result]


@pytest.fixture(scope="module")
def results(served: Site) -> Results:
    crawls: dict[Any, Crawl] = {
        (order, choice): Crawl(
            PageSpider, {"urls": served.urls(*paths)}, {**IN_ORDER, "JUSTEXT_JOIN_PAGES": 10, **settings}
        )
        for order, choice in CASES
        for paths, settings in [(ORDERS[order], CHOICES[choice])]
    }
    with ExitStack() as stack:
        for shape, choice in OF_SHAPES.items():
            urls = stack.enter_context(Site(newspaper.make_pages(shape))).urls(*ORDERS["listings first"])
            crawls[shape, choice] = Crawl(PageSpider, {"urls": urls}, {**IN_ORDER, **CHOICES[choice]})
        found: Any = crawl(crawls)
    return found  # type: ignore[no-any-return]


def check_articles(found: Mapping[str, str]) -> None:
    """Check that each article is there word by word, and that of two copies one is."""
    for article in newspaper.ALL:
        copies = [found[path] for path in (article.path, f"{article.path}/print") if path in found]
        assert copies == [article.text], article.path


@pytest.mark.full
@pytest.mark.parametrize(("order", "choice"), CASES)
def test_each_article_is_there_word_by_word(results: Results, order: str, choice: str) -> None:
    found = results[order, choice].texts
    if "drop" in choice or choice == "all":
        check_articles(found)
        assert ("/" in found) + ("/index.html" in found) <= 1
        return
    for article in newspaper.ALL:
        assert found[article.path] == article.text
        assert article is newspaper.LONG or found[f"{article.path}/print"] == article.text


@pytest.mark.full
@pytest.mark.parametrize(("shape", "choice"), OF_SHAPES.items())
def test_in_whatever_shape_listings_show_articles_each_is_there(results: Results, shape: str, choice: str) -> None:
    found = results[shape, choice].texts
    lost = [page.path for page in newspaper.ALL if page is not newspaper.LONG and found.get(page.path) != page.text]
    assert lost == []


@pytest.mark.parametrize("name", ["learned", pytest.param("justext", marks=pytest.mark.full)])
def test_the_spider_and_the_settings_of_the_readme_lose_and_double_nothing(
    served: Site, name: str, tmp_path: Path
) -> None:
    code = code_behind("## In your own project").replace("https://example.org/", served.url("/"))
    (tmp_path / "town.py").write_text(code.replace("example.org", "127.0.0.1"))
    settings: dict[str, Any] = {"JUSTEXT_PROFILE": name, "JUSTEXT_LANGUAGE": "English", "TELNETCONSOLE_ENABLED": False}
    exec(code_behind("**What only a crawler can do**"), {}, settings)
    exec(code_behind("# scrapy-justext"), {}, settings)
    lines = [f"    {name!r}: {value!r},\n" for name, value in settings.items()]
    with (tmp_path / "town.py").open("a") as file:
        file.write(f"\n\nTownSpider.custom_settings = {{\n{''.join(lines)}}}\n")
    done = command("runspider", "town.py", "-O", "pages.jsonl", "-L", "WARNING", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    items = read_lines(tmp_path / "pages.jsonl")
    check_articles({path_of(item["url"]): item["text"] for item in items})
    assert len(items) == len({item["url"] for item in items})


@pytest.mark.full
@needs_redis
def test_two_workers_on_one_memory_lose_and_double_nothing(served: Site, tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server:
        shared = {**CHOICES["all"], "REDIS_URL": server.url, "JUSTEXT_LANGUAGE": "English", "JUSTEXT_JOIN_PAGES": 10}
        paths = ORDERS["listings first"]
        crawls = {
            part: Crawl(PageSpider, {"urls": served.urls(*paths[number::2])}, shared)
            for number, part in enumerate(("one", "other"))
        }
        found = crawl(crawls, together=True)
    check_articles(found["one"].texts | found["other"].texts)
