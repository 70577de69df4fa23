"""The page as a browser shows it, where Chromium and playwright are there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext.evaluation.__main__ import main
from tests.evaluation.report_run import hostile_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

#: Texts and links with less than 4.5 to 1 against the nearest background that is painted; texts in charts are tested
#: with the theme.
FAINT = """() => {
  const channel = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const painted = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  let seen = 0;
  for (const element of document.querySelectorAll('body *:not(svg *):not(svg)')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    seen += 1;
    const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(painted(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) faint.push([element.tagName, element.textContent.slice(0, 30), ratio]);
  }
  return [seen, faint];
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    out: Path = hostile_run(tmp_path_factory.mktemp("run"))
    assert main(["report", str(out), "--top", "8"]) == 0
    return (out / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def open_page(browser: Any, report: str, width: int, scheme: str = "light") -> Any:
    """The report with all that can be folded unfolded."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(report)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    return page


@pytest.mark.parametrize("width", [320, 400, 1000, 1600])
def test_the_page_does_not_scroll_sideways(browser: Any, report: str, width: int) -> None:
    page = open_page(browser, report, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_wide_tables_scroll_by_the_keyboard(browser: Any, report: str) -> None:
    page = open_page(browser, report, 400)
    region = page.locator(".scroll").nth(1)
    region.focus()
    assert region.evaluate("one => one.scrollWidth > one.clientWidth && document.activeElement === one")
    page.keyboard.press("ArrowRight")
    # The browser scrolls smoothly, over several frames; the page's policy forbids to wait for it from inside.
    for _ in range(50):
        if region.evaluate("one => one.scrollLeft") > 0:
            break
        page.wait_for_timeout(100)
    assert region.evaluate("one => one.scrollLeft") > 0
    page.close()


def test_a_fold_opens_by_the_keyboard(browser: Any, report: str) -> None:
    page = browser.new_page()
    page.goto(report)
    summary = page.locator("summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert summary.evaluate("one => one.parentElement.open")
    page.close()


def test_hostile_texts_run_nothing(browser: Any, report: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.title() != "taken"
    assert asked == [report]
    assert said == []
    page.close()


def test_every_chart_has_a_name_and_a_description(browser: Any, report: str) -> None:
    page = open_page(browser, report, 1000)
    charts = page.get_by_role("img").all()
    assert len(charts) == page.locator("svg").count() == 5 * 4
    for chart in charts:
        first, second = chart.get_attribute("aria-labelledby").split()
        assert len(page.locator(f"#{first}").text_content()) > 10
        assert len(page.locator(f"#{second}").text_content()) > 40
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_what_is_behind_them(browser: Any, report: str, scheme: str) -> None:
    page = open_page(browser, report, 1000, scheme)
    seen, faint = page.evaluate(FAINT)
    assert seen > 300
    assert faint == []
    page.close()


def test_dark_and_light_differ(browser: Any, report: str) -> None:
    backgrounds = set()
    for scheme in ("light", "dark"):
        page = open_page(browser, report, 1000, scheme)
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert backgrounds == {"rgb(255, 255, 255)", "rgb(20, 24, 29)"}


def test_print_shows_what_is_folded(browser: Any, report: str) -> None:
    page = browser.new_page()
    page.goto(report)
    page.emulate_media(media="print", color_scheme="dark")
    folded = page.locator("details:not([open]) .scroll").first
    assert folded.evaluate("one => one.getBoundingClientRect().height") > 20
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.close()
