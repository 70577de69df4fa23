"""The page as a browser shows it, where Chromium and playwright are there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.inspection.browser import leave, started_browser

pytestmark = pytest.mark.full


#: Texts and links with less than 4.5 to 1 against the nearest background that is painted; texts in charts are tested
#: with the theme.
FAINT = """() => {
  const channel = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const painted = element => {
    for (let behind = element; behind; behind = behind.parentElement) {
      const colour = parse(getComputedStyle(behind).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  let seen = 0;
  for (const element of document.querySelectorAll('body *:not(svg *):not(svg)')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    seen += 1;
    const [text, back] = [luminance(parse(getComputedStyle(element).color)), luminance(painted(element))];
    const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (ratio < 4.5) faint.push([element.tagName, element.textContent.slice(0, 30), ratio]);
  }
  return [seen, faint];
}"""


@pytest.fixture(scope="module")
def report(reported: Path) -> str:
    return (reported / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def unfolded(browser: Any, report: str) -> Iterator[Any]:
    """The report with all that can be folded unfolded, for tests that only look at it."""
    page = browser.new_page()
    page.goto(report)
    unfold(page)
    yield page
    page.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """A page for one test after the other."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture
def folded(tab: Any, report: str) -> Iterator[Any]:
    """The report as it is opened."""
    tab.goto(report)
    yield tab
    leave(tab)


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(element => { element.open = true; })")


@pytest.mark.parametrize("width", [320, 400, 1000, 1600])
def test_the_page_does_not_scroll_sideways(unfolded: Any, width: int) -> None:
    unfolded.set_viewport_size({"width": width, "height": 900})
    assert unfolded.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_texts_run_nothing(browser: Any, report: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report)
    unfold(page)
    assert page.title() != "taken"
    assert asked == [report]
    assert said == []
    page.close()


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 29)")])
def test_texts_stand_out_from_what_is_behind_them(unfolded: Any, scheme: str, background: str) -> None:
    unfolded.emulate_media(color_scheme=scheme)
    assert unfolded.evaluate("getComputedStyle(document.body).backgroundColor") == background
    seen, faint = unfolded.evaluate(FAINT)
    assert seen > 300
    assert faint == []


def test_print_shows_what_is_folded(folded: Any) -> None:
    folded.emulate_media(media="print", color_scheme="dark")
    hidden = folded.locator("details:not([open]) .scroll").first
    assert hidden.evaluate("element => element.getBoundingClientRect().height") > 20
    assert folded.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    folded.emulate_media(media="screen", color_scheme="light")
