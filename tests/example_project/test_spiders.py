"""The example's spiders, each run as its README says."""

import re
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest
from demo_site.server import PAGES

from scrapy_justext import extract
from tests.crawl.content import ENGLISH, GOOD_TEXT, POOR_PAGE, page
from tests.crawl.crawling import EXAMPLE_PROJECT, command, read_lines
from tests.crawl.server import Answer, Site
from tests.inspection.browser import CHROMIUM


class Run(NamedTuple):
    """What a spider printed, its items, and the file that they are in."""

    done: CompletedProcess[str]
    items: list[dict[str, Any]]
    feed: Path

    @property
    def paths(self) -> list[str]:
        return sorted("/" + item["url"].split("/", 3)[3] for item in self.items)


def run(folder: Path, spider: str, *options: str) -> Run:
    feed = folder / f"{spider}.jsonl"
    done = command("crawl", spider, "-O", str(feed), *options, folder=EXAMPLE_PROJECT)
    return Run(done, read_lines(feed) if feed.exists() else [], feed)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    # One page after the other: else it depends on the machine which pages come first.
    return run(tmp_path_factory.mktemp("demo"), "demo", "-s", "CONCURRENT_REQUESTS=1")


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("german"), "german")


#: A town with links to other hosts, of which one is another name for the same server.
TOWN: dict[str, Answer | str] = {
    "/": page(ENGLISH,
        '<a href="/good">Good</a> <a href="/poor">Poor</a> <a href="/data.json">Data</a> <a href="/gone">Gone</a>',
        '<a href="http://localhost:PORT/elsewhere">Elsewhere</a> <a href="mailto:town@example.org">Mail</a>'),
    "/good": page(ENGLISH, GOOD_TEXT.split("\n\n")[1]),
    "/poor": POOR_PAGE,
    "/data.json": Answer("{}", "application/json"),
    "/elsewhere": page(ENGLISH),
}  # fmt: skip


class Town(NamedTuple):
    run: Run
    requests: Counter[str]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    folder = tmp_path_factory.mktemp("site")
    with Site(TOWN) as served:
        port = str(served.port)
        served._server.answers["/"] = Answer(served._server.answers["/"].data.replace(b"PORT", port.encode()))
        options = ["-a", f"url={served.url('/')}", "-s", "AUTOTHROTTLE_ENABLED=0"]
        return Town(run(folder, "site", *options), served.requests.copy())


def test_the_demo_ends_well_with_an_item_for_each_cleaned_page_less_the_dropped(demo: Run) -> None:
    assert (demo.done.returncode, demo.done.stdout) == (0, "")
    figures = sections(demo.done.stderr)
    assert demo.done.stderr.startswith("\ndemo: 57 pages cleaned\n")
    assert figures["Items"] == {"kept": 42, "dropped": 15}
    assert len(demo.items) == 42
    assert len(set(demo.paths)) == 42


def test_the_command_of_the_readme_ends_with_the_page_that_is_shown_there(demo: Run) -> None:
    _, _, command_line = (EXAMPLE_PROJECT.parent / "README.md").read_text("utf-8").partition("<!-- demo command -->")
    shows = command_line.splitlines()[2].rpartition(" && ")[2].replace("pages.jsonl", demo.feed.name)
    shown = subprocess.run(["sh", "-c", shows], cwd=demo.feed.parent, capture_output=True, check=True).stdout
    assert shown.count(b"\n") == 1
    assert re.match(rb'{"url": "http://127.0.0.1:\d+/news/night-library.html", "title": "The library .*"en"', shown)


def test_the_demo_s_items_are_clean_in_many_languages(demo: Run) -> None:
    for item in demo.items:
        assert item.keys() == {"url", "title", "language", "text", "blocks"}
        assert item["text"]
        assert item["title"]
        assert {block["block_class"] for block in item["blocks"]} == {"good"}
        assert "cookies" not in item["text"].casefold()
    languages = Counter(item["language"] for item in demo.items)
    assert languages.keys() == {"en", "de", "cs", "fr", "ru", "es", "ar", "el", "hi", "ko"}


def test_the_special_pages_of_the_demo(demo: Run) -> None:
    texts = {"/" + item["url"].split("/", 3)[3]: item["text"] for item in demo.items}
    assert re.search("[а-я]{5}", texts["/ru/arhiv/pochta.html"])
    assert texts["/es/recetas/lentejas-de-la-abuela.html"]
    assert len(texts["/chronicle.html"]) > 2_000_000
    assert "/blank.html" not in texts
    assert "/harbour" not in texts
    assert "/news/harbour-bridge.html" in texts


def test_the_summary_tells_what_became_of_the_pages(demo: Run) -> None:
    figures = sections(demo.done.stderr)
    assert list(figures) == [
        "Items", "No good content, as there is", "Not cleaned because", "Blocks", "Languages", "Time in extraction",
    ]  # fmt: skip
    assert figures["No good content, as there is"] == {"no block that is long enough": 14, "no text": 1}
    addresses = re.findall("^ {13}http://127.0.0.1:[0-9]+(/.*)$", demo.done.stderr, re.MULTILINE)
    # Two for each reason, if there are so many.
    assert addresses[:3] == ["/", "/hi/", "/blank.html"]
    assert len(addresses) == 3 + 2 + 2 + 1
    assert figures["Not cleaned because"] == {"not_html": 3, "status": 2, "no_callback": 1}
    assert figures["Blocks"].keys() == {"good", "bad"}
    assert figures["Blocks"]["good"] > 5000
    assert sum(figures["Languages"].values()) == 57
    # As README says.
    assert len(figures["Languages"]) == 10
    assert all(name.istitle() for name in figures["Languages"])
    assert figures["Languages"]["English"] > figures["Languages"]["German"] == 5
    assert figures["Time in extraction"]["seconds"] > 0


def test_the_german_spider_judges_by_the_german_list(german: Run) -> None:
    assert german.done.returncode == 0
    warning = "".join(re.findall(".*WARNING.*", german.done.stderr))
    assert re.search(r"JUSTEXT_LANGUAGE, 1 declared another one \(\S+/stadtbienen\.html declares en\)", warning)
    figures = sections(german.done.stderr)
    assert figures["Languages"] == {"German": 5}
    assert figures["Items"] == {"kept": 4, "dropped": 1}
    assert all(path.startswith("/de/") for path in german.paths)
    assert {item["language"] for item in german.items} == {"de"}
    assert all(block["block_class"] == "good" for item in german.items for block in item["blocks"])


def test_the_german_spider_s_forum_override_has_effect(german: Run) -> None:
    forum = "de/forum/thread-fahrradtasche.html"
    (item,) = [item for item in german.items if item["url"].endswith(forum)]
    without = extract((PAGES / forum).read_bytes(), language="German").paragraphs
    assert len(item["blocks"]) > len(without) > 0
    assert all(paragraph in item["text"] for paragraph in without)
    for other in german.items:
        if other is not item:
            path = PAGES / other["url"].split("/", 3)[3]
            assert other["text"] == extract(path.read_bytes(), language="German").text


def test_the_site_spider_crawls_a_site_and_stays_within_the_domain(town: Town) -> None:
    assert (town.run.done.returncode, town.run.done.stdout) == (0, "")
    assert town.run.paths == ["/", "/good"]
    assert {item["text"] for item in town.run.items} == {ENGLISH, GOOD_TEXT}
    figures = sections(town.run.done.stderr)
    assert figures["Items"] == {"kept": 2, "dropped": 1}
    assert figures["Not cleaned because"].keys() >= {"not_html", "status"}
    assert town.requests["/good"] == town.requests["/poor"] == town.requests["/data.json"] == 1
    assert town.requests["/elsewhere"] == 0


@pytest.mark.parametrize("url", [(), ("-a", "url="), ("-a", "url=example.org"), ("-a", "url=/local/file")])
def test_the_site_spider_wants_an_address(tmp_path: Path, url: tuple[str, ...]) -> None:
    done, items, _ = run(tmp_path, "site", *url)
    given = url[1].partition("=")[2] if url else ""
    assert done.returncode == 1
    last = done.stderr.rstrip().splitlines()[-1]
    assert last == f"ValueError: url = {given!r}: give the address to start at, as in -a url=https://example.org/"
    assert items == []


def test_a_bad_setting_ends_the_demo_though_its_site_is_up(tmp_path: Path) -> None:
    """Its server is a thread, but none that keeps a command from ending."""
    done, items, _ = run(tmp_path, "demo", "-a", "justext_language=klingon")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert " CRITICAL: -a justext_language = 'klingon': unknown language; " in line
    assert items == []


def sections(printed: str) -> dict[str, dict[str, float]]:
    """The figures of a summary by title and by what they count; addresses are left out."""
    found: dict[str, dict[str, float]] = {}
    for line in printed.partition(" pages cleaned\n")[2].splitlines():
        if row := re.fullmatch(r" {1,9}([\d.]+)  (\S.+)", line):
            found[next(reversed(found))][row[2]] = float(row[1])
        elif line and not line.startswith(" "):
            found[line] = {}
    return found


@pytest.mark.full
@pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="scrapy-playwright is not installed")
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
def test_the_rendered_spider_asks_a_browser_for_the_page_without_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(CHROMIUM))
    rendered = run(tmp_path, "rendered")
    assert rendered.done.returncode == 0, rendered.done.stderr
    found = {item["title"].partition(" – ")[0]: (item["fetched"], item["text"]) for item in rendered.items}
    fetched, text = found["The timetable that the tide writes"]
    assert fetched == "again"
    assert text.count("\n\n") == 2
    assert found["The library that opens when everything else has closed"][0] == "first"
