"""What became of each site."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_justext import extract
from scrapy_justext.crawl.pages import REPEATED, CleanedPage, Outcome, Repeats, UncleanedPage, failed_page
from scrapy_justext.crawl.parts import site_stats
from scrapy_justext.crawl.parts.order import Visit
from scrapy_justext.crawl.parts.site_report import SiteReport, table
from scrapy_justext.crawl.parts.site_report import page as report_page
from scrapy_justext.crawl.parts.site_stats import (
    CHANGED_PAGES,
    FORMAT,
    OTHER_SITES,
    WORST_PAGES,
    SiteRecord,
    SiteStats,
    WorstPage,
    in_order,
    merged,
    read_stats,
    write_stats,
)
from scrapy_justext.crawl.session import get_session
from scrapy_justext.crawl.settings import configure, from_mapping
from scrapy_justext.exceptions import StoreError
from tests.crawl.content import GERMAN, GOOD_PAGE, POOR_PAGE, page
from tests.crawl.crawling import Crawl, Results, command, crawl
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider
from tests.inspection.browser import started_browser

pytestmark = pytest.mark.full


def outcome(html: str) -> CleanedPage:
    return CleanedPage(extract(html, language=["English", "German"]), configure({}), seconds=0.002)


def response(url: str, html: str = "") -> HtmlResponse:
    return HtmlResponse(url, body=html, encoding="utf-8")


def watch(report: Path) -> SiteReport:
    """Return the part of a new crawl that writes a report."""
    return SiteReport(get_session(get_crawler(settings_dict={"JUSTEXT_SITE_REPORT": str(report)})))


def counted(*urls: str, html: str = GOOD_PAGE, folder: Path | None = None) -> SiteStats:
    """The stats of pages that are all alike."""
    stats = SiteStats(folder)
    for url in urls:
        stats.add(outcome(html), response(url, html))
    return stats


def record(pages: int, characters: int) -> SiteRecord:
    return SiteRecord(pages=pages, kept=pages, languages={"en": pages}, good_characters=pages * characters)


def test_each_page_is_counted_for_its_site() -> None:
    stats = SiteStats()
    good, poor = outcome(GOOD_PAGE), outcome(POOR_PAGE)
    outcomes: list[tuple[str, Outcome]] = [
        ("http://a.example/1", good),
        ("http://www.a.example/2", outcome(page(GERMAN))),
        ("http://a.example/3", poor),
        ("http://a.example/4", UncleanedPage("status", "", configure({}))),
        ("http://b.example/1", failed_page(ValueError("x"), configure({}))),
        ("http://b.example/2", UncleanedPage("off", "", configure({}))),
    ]
    for url, became in outcomes:
        stats.add(became, response(url))
    a, b = stats.records["a.example"], stats.records["b.example"]
    assert (a.pages, a.kept, a.cleaned) == (4, 2, 3)
    assert a.dropped == {"no_good_content": 1, "status": 1}
    assert a.languages == {"en": 2, "de": 1}
    assert a.good_characters == good.extraction.good_characters + len(GERMAN)
    assert a.seconds == pytest.approx(0.006)
    assert a.worst[0].url == "http://a.example/3"
    assert (b.pages, b.dropped) == (1, {"ValueError": 1})


def test_repeated_pages_are_not_kept_and_their_blocks_are_counted_once() -> None:
    settings = from_mapping({"duplicates": "drop", "site_memory": True}, "")
    extraction = extract(page(GERMAN, *[GOOD_PAGE] * 2), language=["English", "German"])
    good = [i for i, block in enumerate(extraction.blocks) if block.is_good]
    assert len(good) >= 2
    extraction = extraction.with_bad({good[0]: "on 41 of 57 pages of this site", good[1]: REPEATED})
    repeated = CleanedPage(extraction, configure(settings), repeats=Repeats(frozenset({good[1]}), 0.9, is_page=True))
    marked = configure(from_mapping({"duplicates": "mark"}, ""))
    stats = SiteStats()
    stats.add(repeated, response("http://a.example/1"))
    stats.add(repeated._replace(configuration=marked), response("http://b.example/1"))
    a, b = stats.records["a.example"], stats.records["b.example"]
    assert (a.kept, a.dropped, a.repeated_blocks) == (0, {"repeated": 1}, 2)
    assert (b.kept, b.dropped, b.repeated_blocks) == (1, {}, 1)


def test_folders_of_the_report_are_made_and_one_in_place_of_it_is_reported_at_start(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "sites.html"
    watch(path).closed()
    assert path.exists()
    with pytest.raises(StoreError, match="there is a folder of this name"):
        watch(tmp_path)


def test_sites_beyond_the_bound_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_stats, "MOST_SITES", 2)
    stats = counted(*(f"http://{number}.example/" for number in range(5)))
    pages = {name: of_site.pages for name, of_site in stats.records.items()}
    assert pages == {"0.example": 1, "1.example": 1, OTHER_SITES: 3}


def test_reasons_and_worst_pages_of_a_site_are_bounded() -> None:
    numbers = range(site_stats.MOST_NAMES + 10)
    stats = counted(*(f"http://a.example/{number}" for number in numbers), html=POOR_PAGE)
    for number in numbers:
        stats.add(UncleanedPage(f"reason {number}", "", configure({})), response("http://a.example/"))
    found = stats.records["a.example"]
    assert len(found.dropped) == site_stats.MOST_NAMES + 1
    assert sum(found.dropped.values()) == found.pages
    assert len(found.worst) == WORST_PAGES


def test_bodies_of_the_worst_pages_are_kept_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_stats, "MOST_BODIES", 3)
    monkeypatch.setattr(site_stats, "MOST_BYTES", 5000)
    stats = SiteStats(tmp_path / "sites-pages")
    texts = [page(*["keyword " * (5 + number)] * 3) for number in range(8)]
    for site in "abc":
        for number, html in enumerate(texts):
            url = f"http://{site}.example/{number}"
            stats.add(outcome(html), response(url, html))
    stats.add(outcome(POOR_PAGE * 50), response("http://d.example/", POOR_PAGE * 50))
    worst_pages = [worst for of_site in stats.records.values() for worst in of_site.worst]
    kept = {worst.url: tmp_path / worst.body for worst in worst_pages if worst.body}
    assert len(kept) == 3
    assert sorted((tmp_path / "sites-pages").iterdir()) == sorted(kept.values())
    for url, path in kept.items():
        assert path.read_text("utf-8") == texts[int(url[-1])]


def test_a_page_that_comes_twice_is_named_once(tmp_path: Path) -> None:
    stats = SiteStats(tmp_path / "sites-pages")
    for words in (5, 6):
        html = page("keyword " * words)
        stats.add(outcome(html), response("http://a.example/1", html))
    [worst] = stats.records["a.example"].worst
    assert (tmp_path / worst.body).read_text("utf-8") == page("keyword " * 6)
    assert stats.records["a.example"].pages == 2


def test_bodies_of_the_crawl_before_are_removed_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "sites-pages"
    folder.mkdir()
    for name in ("0123456789abcdef.html", "notes.html"):
        (folder / name).write_text("old")
    part = watch(tmp_path / "sites.html")
    html = page("keyword " * 5)
    visit = Visit(response("http://a.example/1", html), None)
    asyncio.run(part.page_kept(outcome(html), visit))
    part.closed()
    [worst] = read_stats(tmp_path / "sites.json")["a.example"].worst
    assert {path.name for path in folder.iterdir()} == {"notes.html", worst.body.partition("/")[2]}


@pytest.mark.parametrize(
    ("now", "before", "has_changed"),
    [
        (record(CHANGED_PAGES, 500), record(CHANGED_PAGES, 1000), True),
        (record(CHANGED_PAGES, 501), record(CHANGED_PAGES, 1000), False),
        (record(CHANGED_PAGES - 1, 500), record(CHANGED_PAGES, 1000), False),
        (record(CHANGED_PAGES, 500), record(CHANGED_PAGES - 1, 1000), False),
        (record(CHANGED_PAGES, 0), record(CHANGED_PAGES, 0), False),
        (record(CHANGED_PAGES, 0), None, False),
    ],
)
def test_a_site_has_changed_if_its_pages_lost_half_of_their_text(
    now: SiteRecord, before: SiteRecord | None, has_changed: bool
) -> None:
    assert now.has_changed(before) is has_changed


RECORDS = {"big.example": record(30, 1000), "small.example": record(6, 100), "<i>.example": SiteRecord(pages=2)}
BEFORE = {"big.example": record(30, 1100), "small.example": record(6, 900)}


def test_the_table_says_what_became_of_each_site_the_changed_and_the_large_first() -> None:
    assert [name for name, _, _ in in_order(RECORDS, BEFORE)] == ["small.example", "big.example", "<i>.example"]
    assert [name for name, _, _ in in_order(RECORDS, {})] == ["big.example", "small.example", "<i>.example"]
    lines = table(RECORDS, BEFORE).splitlines()
    assert re.fullmatch(r"! +small\.example +6 +100 % +100 \(was 900\) +– +– +0\.0 +– +en 6", lines[1])
    assert lines[2].split()[:2] == ["big.example", "30"]
    assert table(RECORDS, BEFORE, 1).splitlines()[-1].strip() == "and 2 more sites"


def test_no_page_commands_a_terminal_or_a_browser() -> None:
    bad = SiteRecord(pages=1, worst=[WorstPage('javascript:alert("1")\x1b[2J<script>', 0, 10, body="a'b.html")])
    records = {"\x1b[2J<script>": bad}
    assert "\x1b" not in table(records, {})
    html = report_page(records, {}, "Sites of <b>")
    assert "<script" not in html
    assert "href=" not in html.partition("<body>")[2]
    assert "&#x27;&quot;&#x27;&quot;&#x27;b.html" in html


def test_records_survive_their_file_and_add_up(tmp_path: Path) -> None:
    stats = SiteStats()
    for number, html in enumerate((GOOD_PAGE, POOR_PAGE)):
        stats.add(outcome(html), response(f"http://a.example/{number}"))
    write_stats(tmp_path / "s.json", stats.records, spider="x")
    records = read_stats(tmp_path / "s.json")
    assert records == stats.records
    twice = merged([records, records])["a.example"]
    assert (twice.pages, twice.kept, twice.languages, len(twice.worst)) == (4, 2, {"en": 4}, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no stats of sites"),
        ("[]", "no stats of sites"),
        ('{"format": 1, "sites": {"a": {"what": 1}}}', "no stats of sites"),
        ('{"format": 1, "sites": {"a": {"pages": "x", "worst": []}}}', "no stats of sites"),
        ('{"format": 1, "sites": {"a": {"languages": {"en": "x"}, "worst": []}}}', "no stats of sites"),
        ('{"format": 1, "sites": {"a": {"dropped": [1], "worst": []}}}', "no stats of sites"),
        ('{"format": 1, "sites": {"a": {"worst": [{"url": 1, "good_characters": 1, "characters": 1}]}}}', "no stats"),
        ('{"format": 1, "sites": {"a": {"worst": [{"url": "", "good_characters": "", "characters": 1}]}}}', "no stats"),
        (json.dumps({"format": FORMAT + 1, "sites": {}}), f"in format {FORMAT + 1}, not {FORMAT}"),
    ],
)
def test_a_file_of_something_else_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(content, "utf-8")
    with pytest.raises(StoreError, match=message) as raised:
        read_stats(path)
    assert str(path) in str(raised.value)


ANSWERS: dict[str, Answer | str] = {"/good": GOOD_PAGE, "/poor": POOR_PAGE, "/gone": Answer("<p>x", status=404)}


@pytest.fixture(scope="module")
def results(folder: Path) -> Iterator[Results]:
    with Site(ANSWERS) as site:
        urls = [*site.urls(), f"http://localhost:{site.port}/good"]
        settings = {"JUSTEXT_SITE_REPORT": str(folder / "sites.html"), "JUSTEXT_SITE_MEMORY": True}
        yield crawl(
            {
                "first": Crawl(PageSpider, {"urls": urls}, settings),
                "again": Crawl(PageSpider, {"urls": urls[:2]}, settings),
                "stats": Crawl(PageSpider, {"urls": urls}, {"JUSTEXT_SITE_STATS": str(folder / "stats.json")}),
            }
        )


def test_a_crawl_writes_and_logs_what_became_of_its_sites(results: Results, folder: Path) -> None:
    stats = read_stats(folder / "stats.json")
    assert {name: (of_site.pages, of_site.kept, of_site.dropped) for name, of_site in stats.items()} == {
        "127.0.0.1": (3, 1, {"no_good_content": 1, "status": 1}),
        "localhost": (1, 1, {}),
    }
    logged = [entry.message for entry in results["stats"].log if entry.message.startswith("Sites of pages")]
    assert logged == [f"Sites of pages:\n{table(stats, {})}"]


def test_the_report_lists_the_worst_pages_which_the_inspector_can_open(results: Results, folder: Path) -> None:
    del results
    records = read_stats(folder / "sites.json")
    assert records["127.0.0.1"].pages == 2
    (worst, *_) = records["127.0.0.1"].worst
    assert worst.url.endswith("/poor")
    done = command("justext", "--blocks", worst.body, folder=folder)
    assert done.returncode == 1
    assert "no good content" in done.stderr
    assert "keyword1 keyword2" in done.stdout


def test_the_command_shows_several_files_together(results: Results, folder: Path) -> None:
    del results
    done = command("justext-sites", "stats.json", "sites.json", "--html", "both.html", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[:2] == ["127.0.0.1", "5"]
    assert "Worst pages" in (folder / "both.html").read_text("utf-8")


def test_the_command_tells_of_changes_by_its_status(tmp_path: Path) -> None:
    write_stats(tmp_path / "new.json", RECORDS)
    write_stats(tmp_path / "old.json", BEFORE)
    done = command("justext-sites", "new.json", "--before", "old.json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == table(RECORDS, BEFORE) + "\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a file of stats"),
        (["none.json"], "none.json cannot be read: No such file"),
        (["x", "--most", "y"], "--most"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path: Path, words: list[str], message: str) -> None:
    done = command("justext-sites", *words, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_report_fits_a_phone_and_opens_its_lists(results: Results, folder: Path) -> None:
    del results
    with started_browser() as browser:
        shown = browser.new_page(viewport={"width": 390, "height": 800})
        errors: list[str] = []
        shown.on("console", lambda message: errors.append(message.text))
        shown.goto((folder / "sites.html").as_uri())
        assert shown.locator("tbody tr:not(.worst)").count() == 1
        assert not shown.locator("li").first.is_visible()
        shown.locator("summary").first.click()
        assert shown.locator("li").first.is_visible()
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert errors == []
