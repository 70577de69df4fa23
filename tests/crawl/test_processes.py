"""Pages that are extracted in other processes: the same results, whatever happens to the processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_justext.crawl.processes import RawPage
from tests.builders import DEMO_PAGES, is_running, page_id, wait_until
from tests.crawl.content import GERMAN, GOOD_PAGE, GOOD_TEXT, page
from tests.crawl.crawling import SECONDS, Crawl, Result, Results, crawl, crawl_one, environment, start, write_spider
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import Component, PageSpider
from tests.crawl.tasks import extract_harmed

pytestmark = pytest.mark.full

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")

TWO = {"JUSTEXT_PROCESSES": 2}


class Harm(Component):
    """An extension that makes pages harm their process, see :mod:`tests.crawl.tasks`."""

    def __init__(self, crawler: Crawler) -> None:
        self.original = RawPage.extract
        RawPage.extract = extract_harmed  # type: ignore[assignment, method-assign]
        crawler.signals.connect(self.undo, signals.spider_closed)

    def undo(self) -> None:
        RawPage.extract = self.original  # type: ignore[method-assign]


class Downloading(Component):
    """Notes the most responses that were downloaded and not yet handed on."""

    def __init__(self, crawler: Crawler) -> None:
        self.now = 0
        self.stats = crawler.stats
        crawler.signals.connect(self.come, signals.request_left_downloader)
        crawler.signals.connect(self.go, signals.response_received)

    def come(self) -> None:
        self.now += 1
        self.stats.max_value("most_waiting", self.now)

    def go(self) -> None:
        self.now -= 1


HARMFUL = {**TWO, "EXTENSIONS": {Harm: 0}}


def without_seconds(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.justext.items() if name != "seconds"}


def by_url(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: str(item["url"]))


@pytest.fixture(scope="module")
def demo() -> tuple[Result, Result]:
    """The demo site, in place and in two processes."""
    answers: dict[str, Answer | str] = {f"/{page_id(file)}": Answer(file.read_bytes()) for file in DEMO_PAGES}
    shared = {
        "JUSTEXT_LANGUAGE": "auto",
        "JUSTEXT_PROFILE": "learned",
        "JUSTEXT_SITES": {"127.0.0.1": {"drop_css": ["nav", ".byline"], "drop_text": "^Read also"}},
        "JUSTEXT_BLOCK_FIELDS": ["text", "block_class", "reason", "probability", "xpath"],
    }
    overrides = [{"language": "de"}, {"stoplist": ["the", "of"], "profile": "article"}, {"keep_css": "li"}, False]
    meta = {path: {"justext": overrides[i % 4]} for i, path in enumerate(answers) if i % 3 == 0}
    with Site(answers) as served:
        arguments, problems = {"urls": served.urls(), "meta": meta}, ["declares? "]
        crawls = {
            "here": Crawl(PageSpider, arguments, shared, problems=problems),
            "there": Crawl(PageSpider, arguments, {**shared, **TWO, "JUSTEXT_TIMEOUT": SECONDS}, problems=problems),
        }
        here, there = crawl(crawls).values()
    return here, there


def test_every_page_of_the_demo_site_gives_the_same(demo: tuple[Result, Result]) -> None:
    here, there = demo
    assert len(here.items) > 40
    assert by_url(there.items) == by_url(here.items)
    assert sorted(there.seen, key=lambda seen: seen[0]) == sorted(here.seen, key=lambda seen: seen[0])
    assert sorted(drop.message for drop in there.dropped) == sorted(drop.message for drop in here.dropped)
    assert without_seconds(there) == without_seconds(here)
    assert there.justext["seconds"] > 0


#: Good pages, among which others do harm.
GOOD = ["/page?wait=0", *(f"/page?good={number}" for number in range(8))]


class Harmed(NamedTuple):
    """The queries of harmful pages, what the log says of them, and the stats; further settings."""

    queries: tuple[str, ...]
    problems: list[str]
    stats: dict[str, int]
    settings: Mapping[str, Any] = MappingProxyType({})


def crash(query: str, how: str) -> Harmed:
    """Two pages that end their process twice."""
    said = rf"not cleaned: each process that was to extract it ended; the last {how}$"
    queries = (f"{query}&n=1", f"{query}&n=2")
    problems = [rf"/page\?{query}: {said}" for query in queries]
    return Harmed(queries, problems, {"errors": 2, "errors/WorkerCrashed": 2})


KILLED = r"was killed by signal 9 \(SIGKILL\)"
HARMS = {
    "kill": crash("kill=1", KILLED),
    "errors": Harmed(
        ("fail=oh", "fail_oddly=dear"),
        [
            r"(?s)/page\?fail=oh: not cleaned: oh\n.*RemoteTraceback.*in extract_harmed\n.*\nLookupError: oh$",
            r"/page\?fail_oddly=dear: not cleaned: Unpicklable: dear$",
        ],
        {"errors": 2, "errors/LookupError": 1, "errors/WorkerError": 1},
    ),
    "slow": Harmed(
        ("wait=600",), [r"/page\?wait=600: given up: takes longer than 2 s$"], {"timeouts": 1}, {"JUSTEXT_TIMEOUT": 2}
    ),
}
PATHS = [f"/german?{number}" for number in range(150)]
WORDS = ["es", "war", "in", "der", "die", "dass", "nicht", "sie", "wenn", "von", "sein", "würde", "das", "man"]


@pytest.fixture(scope="module")
def markers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("markers")


@pytest.fixture(scope="module")
def results(markers: Path) -> Iterator[Results]:
    patient = {"justext": {"timeout": SECONDS}}
    few = {"CONCURRENT_REQUESTS": 4, "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "EXTENSIONS": {Harm: 0, Downloading: 0}}
    overrides = {path: {"justext": {"stoplist": [*WORDS, path], "length_high": 100}} for path in PATHS}
    with Site({"/page": GOOD_PAGE, "/german": page(GERMAN)}) as served:
        harms = {**HARMS, "kill once": Harmed(tuple(f"kill_once={markers / str(n)}" for n in range(3)), [], {})}
        crawls = {
            name: Crawl(
                PageSpider,
                {"urls": served.urls(*GOOD[:4], *(f"/page?{query}" for query in harm.queries), *GOOD[4:])},
                {**HARMFUL, **harm.settings},
                problems=harm.problems,
            )
            for name, harm in harms.items()
        }
        yield crawl(
            {
                **crawls,
                "in place": Crawl(
                    PageSpider,
                    {"urls": served.urls("/page", "/page?patient"), "meta": {"/page?patient": patient}},
                    {"JUSTEXT_TIMEOUT": 1e-6},
                    problems=["/page: given up: takes longer than 1e-06 s"],
                ),
                "waiting": Crawl(
                    PageSpider, {"urls": served.urls(*(f"/page?wait=0.05&n={n}" for n in range(40)))}, HARMFUL | few
                ),
                "many configurations": Crawl(PageSpider, {"urls": served.urls(*PATHS), "meta": overrides}, TWO),
            }
        )


def texts(result: Result) -> dict[str, str | None]:
    return {path: extraction and extraction.text for path, extraction in result.seen}


@linux
@pytest.mark.parametrize("name", HARMS)
def test_a_harmful_page_fails_and_no_other(results: Results, name: str) -> None:
    result, harm = results[name], HARMS[name]
    failed = {f"/page?{query}": None for query in harm.queries}
    assert texts(result) == {**dict.fromkeys(GOOD, GOOD_TEXT), **failed}
    assert {stat: n for stat, n in result.justext.items() if stat.startswith(("errors", "timeouts"))} == harm.stats
    assert result.justext["pages"] == len(GOOD)
    assert result.stats["finish_reason"] == "finished"


@linux
def test_a_process_that_ends_once_is_replaced(results: Results, markers: Path) -> None:
    result = results["kill once"]
    assert len(list(markers.iterdir())) == 3
    assert set(texts(result).values()) == {GOOD_TEXT}
    assert result.justext["pages"] == len(GOOD) + 3
    assert "errors" not in result.justext


def test_in_place_a_page_that_took_too_long_is_given_up_when_it_is_done(results: Results) -> None:
    result = results["in place"]
    assert texts(result) == {"/page": None, "/page?patient": GOOD_TEXT}
    assert (result.justext["timeouts"], result.justext["pages"]) == (1, 1)
    assert "errors" not in result.justext


def test_what_a_library_prints_disturbs_no_answer() -> None:
    with Site({"/page": GOOD_PAGE}) as served, pytest.raises(AssertionError, match="xxxx"):
        # The crawl's own check for an empty standard error finds it there.
        crawl_one(PageSpider, {"urls": served.urls("/page?speak=" + "x" * 2000)}, settings=HARMFUL)


def test_the_downloader_waits_for_the_processes(results: Results) -> None:
    assert results["waiting"].justext["pages"] == 40
    assert 2 <= results["waiting"].stats["most_waiting"] <= 4


def test_more_configurations_than_a_process_keeps(results: Results) -> None:
    assert texts(results["many configurations"]) == dict.fromkeys(PATHS, GERMAN)


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


@pytest.mark.parametrize("name", REACTORS)
def test_a_script_runs_once_whatever_its_event_loop(site: Site, tmp_path: Path, name: str) -> None:
    process, settings = REACTORS[name]
    script = SCRIPT.format(process=process, url=site.url("/good"), settings=settings)
    (tmp_path / "script.py").write_text(script, "utf-8")
    how: dict[str, Any] = {"cwd": tmp_path, "env": environment(), "encoding": "utf-8", "timeout": SECONDS}
    done = subprocess.run([sys.executable, "script.py"], check=False, capture_output=True, **how)
    assert (done.returncode, done.stdout, done.stderr) == (0, "begun\n", "")
    assert GOOD_TEXT.replace("\n", "\\n") in (tmp_path / "items.jsonl").read_text("utf-8")


#: The signals, and whether the processes are at a page without end.
ENDINGS = {
    "Ctrl-C": ([signal.SIGINT], False),
    "Ctrl-C twice": ([signal.SIGINT, signal.SIGINT], True),
    "terminated": ([signal.SIGTERM], False),
    "killed": ([signal.SIGKILL], False),
    "killed in the middle of a page": ([signal.SIGKILL], True),
}


@linux
@pytest.mark.parametrize("name", ENDINGS)
def test_no_process_outlives_the_crawl(tmp_path: Path, name: str) -> None:
    sent, is_endless = ENDINGS[name]
    own = {"JUSTEXT_PROCESSES": 2, "EXTENSIONS": {f"{__name__}.Harm": 0}, "DOWNLOAD_DELAY": 0.2}
    spider = write_spider(tmp_path, PageSpider, **own)
    notes = [tmp_path / f"note{number}" for number in range(400)]
    with Site({"/page": GOOD_PAGE}) as served:
        urls = " ".join(served.urls(*[f"/page?search={note}" if is_endless else f"/page?{note}" for note in notes]))
        options = ["-a", f"urls={urls}", "-L", "WARNING", "-o", "items.jsonl"]
        running = start("runspider", spider, *options, folder=tmp_path, has_session=True)
        wait_until(lambda: len(children(running.pid)) == 2 and served.requests.total() > 3)
        workers = children(running.pid)
        if is_endless:
            # Both are at a page that they do not come back from.
            wait_until(lambda: sum(note.exists() for note in notes) == 2)
        for number in sent:
            # As the terminal does it: to all of the group.
            os.killpg(running.pid, number)
            time.sleep(0.3)
        log = running.communicate(timeout=SECONDS)[1].decode()
    wait_until(lambda: not any(is_running(worker) for worker in workers))
    assert "Traceback" not in log
    if "killed" not in name:
        assert log == ""
        assert running.returncode == 0


def children(process: int) -> list[int]:
    """The processes that one has started."""
    started = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        # Others may end meanwhile.
        with suppress(OSError):
            if path.read_text().rpartition(")")[2].split()[1] == str(process):
                started.append(int(path.parent.name))
    return started
