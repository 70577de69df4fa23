"""Pages that are extracted in other processes: the same results, whatever happens to the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import signals

from tests.builders import DEMO_PAGES, page_id
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, GOOD_TEXT, KEYWORDS, page
from tests.crawl.crawling import SECONDS, Crawl, Result, command_line, crawl, crawl_one, environment, start
from tests.crawl.harm import Harm
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider
from tests.crawl.test_robustness import REPLACEMENTS, JsonSpider, MutatingSpider
from tests.products import in_part

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

pytestmark = pytest.mark.full

posix = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that ends a process")
full = pytest.mark.full
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")

TWO = {"JUSTEXT_PROCESSES": 2}


HARMFUL = {**TWO, "EXTENSIONS": {Harm: 0}}


def without_seconds(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.justext.items() if name != "seconds"}


def by_url(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: str(item["url"]))


@pytest.fixture(scope="module")
def demo() -> tuple[Result, Result]:
    """The demo site, in place and in two processes."""
    answers: dict[str, Answer | str] = {f"/{page_id(file)}": Answer(file.read_bytes()) for file in DEMO_PAGES}
    sites = {"127.0.0.1": {"drop_css": ["nav", ".byline"], "drop_text": "^Read also"}}
    shared = {
        "JUSTEXT_LANGUAGE": "auto",
        "JUSTEXT_PROFILE": "learned",
        "JUSTEXT_SITES": sites,
        "JUSTEXT_BLOCK_FIELDS": ["text", "block_class", "reason", "probability", "xpath"],
    }
    overrides = [{"language": "de"}, {"stoplist": ["the", "of"], "profile": "article"}, {"keep_css": "li"}, False]
    meta = {path: {"justext": overrides[i % 4]} for i, path in enumerate(answers) if i % 3 == 0}
    with Site(answers) as served:
        arguments = {"urls": served.urls(), "meta": meta}
        results = crawl(
            {
                "here": Crawl(PageSpider, arguments, shared, problems=["declares? "]),
                "there": Crawl(
                    PageSpider, arguments, {**shared, **TWO, "JUSTEXT_TIMEOUT": SECONDS}, problems=["declares? "]
                ),
            }
        )
    return results["here"], results["there"]


def test_every_page_of_the_demo_site_gives_the_same(demo: tuple[Result, Result]) -> None:
    here, there = demo
    assert len(here.items) > 40
    assert by_url(there.items) == by_url(here.items)
    assert sorted(there.seen, key=lambda seen: seen[0]) == sorted(here.seen, key=lambda seen: seen[0])
    assert sorted(drop.message for drop in there.dropped) == sorted(drop.message for drop in here.dropped)


def test_the_stats_are_the_same(demo: tuple[Result, Result]) -> None:
    here, there = demo
    assert without_seconds(there) == without_seconds(here)
    assert there.justext["seconds"] > 0


def test_a_replaced_response_is_extracted_again_in_place(site: Site) -> None:
    arguments = {"urls": site.urls("/good")}
    results = crawl({name: Crawl(PageSpider, arguments, {**TWO, **one.setting}) for name, one in REPLACEMENTS.items()})
    texts = {name: [item["text"] for item in result.items] for name, result in results.items()}
    assert texts == {name: [one.text] for name, one in REPLACEMENTS.items()}
    assert {result.justext["pages"] for result in results.values()} == {1}


@pytest.mark.full
def test_the_spider_s_tree_is_its_own(site: Site) -> None:
    result = crawl_one(MutatingSpider, {"url": site.url("/good")}, settings=TWO)
    (item,) = result.items
    assert item["text"] == GOOD_TEXT


def test_items_with_html_of_their_own_are_cleaned_there() -> None:
    answers: dict[str, Answer | str] = {
        "/json": Answer(f'["<p>{ENGLISH}", "<p>{KEYWORDS}"]', "application/json"),
        "/page": GOOD_PAGE,
    }
    with Site(answers) as served:
        result = crawl_one(
            JsonSpider,
            {"url": served.url("/json"), "page": served.url("/page")},
            settings={**TWO, "JUSTEXT_HTML_FIELD": "html"},
        )
    texts = {item["number"]: item.get("text") for item in result.items}
    assert texts == {-1: GOOD_TEXT, 0: ENGLISH, 100: GOOD_TEXT, 101: None, 200: GOOD_TEXT}
    assert [dropped.item["number"] for dropped in result.dropped] == [1]


@pytest.mark.full
def test_responses_are_dropped(site: Site) -> None:
    settings = {**TWO, "JUSTEXT_DROP": "response"}
    result = crawl_one(PageSpider, {"urls": site.urls("/good", "/poor")}, settings=settings)
    assert [item["text"] for item in result.items] == [GOOD_TEXT]
    assert result.justext["responses_dropped"] == 1


def harmed(paths: list[str], settings: dict[str, Any] | None = None, problems: tuple[str, ...] = ()) -> Result:
    """A crawl of harmful pages among good ones."""
    with Site({"/page": GOOD_PAGE}) as served:
        good = [f"/page?good={number}" for number in range(8)]
        urls = served.urls(*good[:4], *paths, *good[4:])
        result = crawl_one(PageSpider, {"urls": urls}, settings={**HARMFUL, **(settings or {})}, problems=problems)
    assert result.stats["finish_reason"] == "finished"
    assert len(result.seen) == len(urls)
    texts = {path: extraction.text for path, extraction in result.seen if extraction is not None}
    assert {path: texts.get(path) for path in good} == dict.fromkeys(good, GOOD_TEXT)
    assert set(texts.values()) == {GOOD_TEXT}
    assert result.justext["pages"] == len(texts)
    return result


@linux
@pytest.mark.parametrize(
    ("harm", "how"),
    [
        ("kill=1", r"was killed by signal 9 \(SIGKILL\)"),
        pytest.param("leave=1", "ended with exit status 3", marks=full),
        pytest.param("cut=1", r"was killed by signal 9 \(SIGKILL\)", marks=full),
    ],
)
def test_a_page_that_ends_its_process_twice_is_an_error(harm: str, how: str) -> None:
    paths = [f"/page?{harm}&n=1", f"/page?{harm}&n=2"]
    problems = tuple(
        rf"/page\?{harm}&n={n}: not cleaned: each process that was to extract it ended; the last {how}$" for n in (1, 2)
    )
    result = harmed(paths, problems=problems)
    assert {path for path, extraction in result.seen if extraction is None} == set(paths)
    assert result.justext["errors"] == result.justext["errors/WorkerCrashed"] == 2
    assert not [message for message in result.problems if "Traceback" in message]


@pytest.mark.full
@linux
def test_a_process_that_ends_once_is_replaced(tmp_path: Path) -> None:
    paths = [f"/page?kill_once={tmp_path / str(number)}" for number in range(3)]
    result = harmed(paths)
    assert len(list(tmp_path.iterdir())) == len(paths)
    assert result.justext["pages"] == 11
    assert "errors" not in result.justext


def test_an_error_tells_where_it_was_raised() -> None:
    problems = (
        r"(?s)/page\?fail=oh: not cleaned: oh\n.*RemoteTraceback.*in extract_harmed\n.*\nLookupError: oh$",
        r"/page\?fail_oddly=dear: not cleaned: Unpicklable: dear$",
    )
    result = harmed(["/page?fail=oh", "/page?fail_oddly=dear"], problems=problems)
    assert result.justext["errors"] == 2
    assert result.justext["errors/LookupError"] == result.justext["errors/WorkerError"] == 1


@posix
def test_a_page_that_takes_too_long_is_given_up() -> None:
    paths = ["/page?wait=600", "/page?wait=0"]
    problem = r"/page\?wait=600: given up: takes longer than 2 s$"
    result = harmed(paths, {"JUSTEXT_TIMEOUT": 2}, (problem,))
    assert [path for path, extraction in result.seen if extraction is None] == ["/page?wait=600"]
    assert result.justext["timeouts"] == 1
    assert "errors" not in result.justext


#: Is searched for longer than anybody waits, without a moment for another thread.
ENDLESS = {"JUSTEXT_DROP_TEXT": "(a|a)*b$"}
ENDLESS_PAGE = page("a" * 60)


@pytest.mark.full
@posix
def test_a_regular_expression_without_end_is_given_up_in_time() -> None:
    with Site({"/endless": ENDLESS_PAGE, "/good": GOOD_PAGE}) as served:
        settings = {**TWO, **ENDLESS, "JUSTEXT_PROCESSES": 1, "JUSTEXT_TIMEOUT": "1.5"}
        arguments = {"urls": served.urls("/endless", "/good"), "meta": {"/good": {"justext": {"timeout": SECONDS}}}}
        result = crawl_one(PageSpider, arguments, settings=settings, problems=["given up: takes longer than 1.5 s"])
    assert [item.get("text") for item in by_url(result.items)] == [None, GOOD_TEXT]
    assert result.justext["timeouts"] == 1


def test_in_place_a_page_that_took_too_long_is_given_up_when_it_is_done(site: Site) -> None:
    settings = {"JUSTEXT_TIMEOUT": 1e-6}
    arguments = {"urls": site.urls("/good", "/more"), "meta": {"/more": {"justext": {"timeout": SECONDS}}}}
    result = crawl_one(
        PageSpider, arguments, settings=settings, problems=["/good: given up: takes longer than 1e-06 s"]
    )
    assert {path: extraction is not None for path, extraction in result.seen} == {"/good": False, "/more": True}
    assert (result.justext["timeouts"], result.justext["pages"]) == (1, 1)
    assert "errors" not in result.justext


@pytest.mark.full
def test_what_a_library_prints_disturbs_no_answer() -> None:
    with pytest.raises(AssertionError, match="xxxx"):
        # The crawl's own check for an empty standard error finds it there.
        harmed(["/page?speak=" + "x" * 2000])


class Downloading:
    """Notes the most responses that were downloaded and not yet handed on."""

    def __init__(self, crawler: Crawler) -> None:
        self.now = 0
        self.stats = crawler.stats
        crawler.signals.connect(self.come, signals.request_left_downloader)
        crawler.signals.connect(self.go, signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Downloading:
        return cls(crawler)

    def come(self) -> None:
        self.now += 1
        self.stats.max_value("most_waiting", self.now)

    def go(self) -> None:
        self.now -= 1


@pytest.mark.full
def test_the_downloader_waits_for_the_processes() -> None:
    with Site({"/page": GOOD_PAGE}) as served:
        settings = {
            **HARMFUL,
            "EXTENSIONS": {Harm: 0, Downloading: 0},
            "CONCURRENT_REQUESTS": 4,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        }
        urls = served.urls(*[f"/page?wait=0.05&n={number}" for number in range(40)])
        result = crawl_one(PageSpider, {"urls": urls}, settings=settings)
    assert result.justext["pages"] == 40
    assert 2 <= result.stats["most_waiting"] <= 4


@pytest.mark.full
def test_more_configurations_than_a_process_keeps() -> None:
    words = ["es", "war", "in", "der", "die", "dass", "nicht", "sie", "wenn", "von", "sein", "würde", "das", "man"]
    paths = [f"/page?{number}" for number in range(150)]
    meta = {path: {"justext": {"stoplist": [*words, path], "length_high": 100}} for path in paths}
    with Site({"/page": page(GERMAN)}) as served:
        result = crawl_one(PageSpider, {"urls": served.urls(*paths), "meta": meta}, settings=TWO)
    assert {path: extraction.text for path, extraction in result.seen} == dict.fromkeys(paths, GERMAN)


@pytest.mark.parametrize("key", in_part(["processes", "sites"], 2))
def test_what_holds_for_a_crawl_has_no_place_in_a_request(site: Site, key: str) -> None:
    arguments = {"urls": site.urls("/good"), "meta": {"/good": {"justext": {key: 2}}}}
    problem = rf"request\.meta\['justext'\]\['{key}'\] = 2: can only be set for the whole crawl"
    assert crawl_one(PageSpider, arguments, problems=[problem]).justext["errors"] == 1


#: As in Scrapy's documentation: nothing protects it from being imported a second time.
SCRIPT = """
import scrapy
from scrapy.crawler import {process}

class ScriptSpider(scrapy.Spider):
    name = "script"
    start_urls = [{url!r}]

    def parse(self, response):
        yield {{"url": response.url}}

print("begun")
process = {process}({{
    "ADDONS": {{"scrapy_justext.Addon": 500}},
    "JUSTEXT_PROCESSES": 2,
    "FEEDS": {{"items.jsonl": {{"format": "jsonlines"}}}},
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    **{settings!r},
}})
process.crawl(ScriptSpider)
process.start()
"""
REACTORS = {
    "asyncio": ("AsyncCrawlerProcess", {}),
    "select": (
        "CrawlerProcess",
        {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor", "REMOTE_CONTROL_ENABLED": False},
    ),
    "none": ("AsyncCrawlerProcess", {"TWISTED_REACTOR_ENABLED": False, "LOG_LEVEL": "ERROR"}),
}


@pytest.mark.full
@pytest.mark.parametrize("name", ["asyncio", *(pytest.param(name, marks=full) for name in ("select", "none"))])
def test_a_script_runs_once_whatever_its_event_loop(site: Site, tmp_path: Path, name: str) -> None:
    process, settings = REACTORS[name]
    script = SCRIPT.format(process=process, url=site.url("/good"), settings=settings)
    (tmp_path / "script.py").write_text(script, "utf-8")
    done = subprocess.run(
        [*command_line()[:1], "script.py"],
        cwd=tmp_path,
        env=environment(),
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "begun\n", "")
    assert GOOD_TEXT.replace("\n", "\\n") in (tmp_path / "items.jsonl").read_text("utf-8")


SPIDER_FILE = """
from tests.crawl.spiders import PageSpider

class FileSpider(PageSpider):
    name = "file"
    custom_settings = {
        "ADDONS": {"scrapy_justext.Addon": 500},
        "JUSTEXT_LANGUAGE": "English",
        "JUSTEXT_PROCESSES": 2,
        "TELNETCONSOLE_ENABLED": False,
        "EXTENSIONS": {"tests.crawl.harm.Harm": 0},
        "DOWNLOAD_DELAY": 0.2,
    }

    def __init__(self, urls, **arguments):
        super().__init__(urls=urls.split(), **arguments)
"""
#: The signals, and whether the processes are at a page without end.
ENDINGS = {
    "Ctrl-C": ([signal.SIGINT], False),
    "Ctrl-C twice": ([signal.SIGINT, signal.SIGINT], True),
    "terminated": ([signal.SIGTERM], False),
    "killed": ([signal.SIGKILL], False),
    "killed in the middle of a page": ([signal.SIGKILL], True),
}


@linux
@pytest.mark.parametrize("name", [pytest.param(name, marks=full) if name != "Ctrl-C" else name for name in ENDINGS])
def test_no_process_outlives_the_crawl(tmp_path: Path, name: str) -> None:
    sent, is_endless = ENDINGS[name]
    (tmp_path / "file_spider.py").write_text(SPIDER_FILE, "utf-8")
    notes = [tmp_path / f"note{number}" for number in range(400)]
    with Site({"/page": GOOD_PAGE}) as served:
        urls = " ".join(served.urls(*[f"/page?search={note}" if is_endless else f"/page?{note}" for note in notes]))
        options = ["-a", f"urls={urls}", "-L", "WARNING", "-o", "items.jsonl"]
        running = start("runspider", "file_spider.py", *options, folder=tmp_path, has_session=True)
        until(lambda: len(children(running.pid)) == 2 and served.requests.total() > 3)
        workers = children(running.pid)
        if is_endless:
            # Both are at a page that they do not come back from.
            until(lambda: sum(note.exists() for note in notes) == 2)
        for number in sent:
            # As the terminal does it: to all of the group.
            os.killpg(running.pid, number)
            time.sleep(1)
        log = running.communicate(timeout=SECONDS)[1].decode()
    until(lambda: not any(is_running(worker) for worker in workers))
    assert "Traceback" not in log
    if "killed" not in name:
        assert log == ""
        assert running.returncode == 0


def until(condition: Any) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children(process: int) -> list[int]:
    everything = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal()]
    return [one for one in everything if status(one)[1:2] == [str(process)]]


def status(process: int) -> list[str]:
    """The fields behind the name in ``/proc/…/stat``; none for a process that is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return []


def is_running(process: int) -> bool:
    return status(process)[:1] not in ([], ["Z"])
