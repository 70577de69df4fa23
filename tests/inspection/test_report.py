"""The report as a browser shows it, where Chromium and playwright are there."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.tags import KINDS
from scrapy_justext.inspection import view
from scrapy_justext.inspection.pages import InspectedPage
from tests.builders import DEMO_SITE, read_page, wait_until
from tests.crawl.server import Site
from tests.inspection.browser import leave
from tests.inspection.judged import HOSTILE, report_on

pytestmark = pytest.mark.full

WIDE, NARROW = 1300, 390
WIDTHS = (320, NARROW, 700, 1000, WIDE, 1600)
BREAD = DEMO_SITE / "blog" / "slow-bread.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    pages = (read_page(BREAD), read_page(DEMO_SITE / "ar" / "mawsua" / "qahwa.html"))
    return report_on(
        tmp_path_factory.mktemp("report") / "r.html", *pages, names=("bread", "</script><b>قهوة\ud800\u2028")
    )


@pytest.fixture
def show(tab: Any) -> Iterator[Callable[..., Any]]:
    """Opens a report; the page must say nothing in the console, and fetch nothing."""
    said: list[str] = []
    fetched: list[str] = []
    listeners = {
        "console": lambda message: said.append(message.text),
        "pageerror": lambda error: said.append(str(error)),
        "request": lambda request: fetched.append(request.url),
    }
    for event, listener in listeners.items():
        tab.on(event, listener)

    def open_report(
        address: str, width: int = WIDE, height: int = 900, awaited: str = "[data-class]", **media: str
    ) -> Any:
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(**{"color_scheme": "light", "reduced_motion": "no-preference", **media})
        tab.goto(address)
        tab.frame_locator("iframe").locator(awaited).first.wait_for(state="attached")
        fetched[:] = [url for url in fetched if url not in (address, "about:srcdoc", "data:,")]
        return tab

    yield open_report
    leave(tab)
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert said == []
    assert [url for url in fetched if url != "about:blank"] == []


@pytest.fixture
def page(show: Callable[..., Any], report: str) -> Any:
    """A report on two pages, as it opens."""
    return show(report)


def row(page: Any, index: int) -> Any:
    return page.locator(f"#jt-block-{index}")


def current(page: Any) -> int:
    """The index of the block that list, figures, strip and rendering agree on."""
    index = int(page.locator("[aria-selected=true]").get_attribute("data-index"))
    assert page.locator(".jt-list").get_attribute("aria-activedescendant") == f"jt-block-{index}"
    assert f"Block {index + 1} of" in page.locator(".jt-details h2").text_content()
    assert page.locator(".jt-strip").get_attribute("aria-valuenow") == str(index + 1)
    marks = page.frame_locator("iframe").locator("[data-current]").all()
    assert {mark.get_attribute("data-block") for mark in marks} == {str(index)}
    return index


def is_in_view(frame_element: Any) -> bool:
    return bool(
        frame_element.evaluate(
            "element => { const box = element.getBoundingClientRect();"
            " return box.bottom > 0 && box.top < element.ownerDocument.documentElement.clientHeight; }"
        )
    )


class TestBlocks:
    def test_every_block_is_there_with_its_class(self, page: Any) -> None:
        assert page.locator(".jt-list li").count() == 44
        assert page.locator(".jt-list li[data-class=good]").count() == 10
        assert row(page, 12).locator(".jt-badge").text_content() == "✓ good"
        assert row(page, 13).locator(".jt-badge").text_content() == "✓ good ← short"
        assert "10 of 44 blocks are good: 2,318 of 2,985 characters, 78 %" in page.locator(".jt-counts").text_content()

    def test_hovering_shows_the_figures_and_outlines_the_block(self, page: Any) -> None:
        row(page, 14).hover()
        assert current(page) == 14
        figures = page.locator(".jt-details").inner_text()
        for part in (
            "stop-word density 0.701 >= 0.32, 348 > 200 characters", "good by its own text", "<p>", "77",
            "348 characters, over length_high (200)", "0, under max_link_density (0.2)",
            "0.701, over stopwords_high (0.32)",
        ):  # fmt: skip
            assert part in figures
        mark = page.frame_locator("iframe").locator("[data-block='14']").first
        wait_until(lambda: is_in_view(mark))
        assert mark.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"

    def test_hovering_in_the_rendering_chooses_the_block(self, page: Any) -> None:
        page.frame_locator("iframe").locator("[data-block='9']").first.hover()
        assert current(page) == 9
        page.frame_locator("iframe").locator("[data-block='40']").first.hover()
        assert current(page) == 40
        wait_until(lambda: is_in_view(row(page, 40)))

    def test_a_click_holds_a_block(self, page: Any) -> None:
        row(page, 12).click()
        row(page, 10).hover()
        assert current(page) == 12
        assert "held" in page.locator(".jt-details h2").text_content()
        page.keyboard.press("Escape")
        row(page, 11).hover()
        assert current(page) == 11
        page.frame_locator("iframe").locator("[data-block='14']").first.click()
        row(page, 12).hover()
        assert current(page) == 14

    def test_another_page_can_be_chosen(self, page: Any) -> None:
        picker = page.get_by_role("combobox")
        assert picker.locator("option").all_text_contents() == [
            "Flour & Weather » Notes on a loaf that takes th…", "بيت القهوة القديم - موسوعة المدينة",
        ]  # fmt: skip
        assert picker.locator("option").nth(1).get_attribute("title") == "</script><b>قهوة?\u2028"
        row(page, 12).hover()
        picker.select_option(index=1)
        assert page.locator(".jt-details h2").text_content() == "No block chosen"
        assert "language ar, declared: confirmed by its stop words" in page.locator("#about").text_content()
        wait_until(lambda: page.frame_locator("iframe").locator("[lang=ar]").count() > 0)
        row(page, 3).hover()
        assert current(page) == 3
        assert row(page, 3).locator(".jt-text").evaluate("element => getComputedStyle(element).direction") == "rtl"

    def test_the_list_opens_at_the_first_good_block(self, page: Any) -> None:
        first = page.locator(".jt-list li[data-class=good]").first
        distance = "row => row.getBoundingClientRect().top - row.closest('.jt-list').getBoundingClientRect().top"
        assert first.get_attribute("data-index") != "0"
        assert abs(first.evaluate(distance)) < 3
        assert page.evaluate("scrollY") == 0

    def test_the_picker_tells_pages_of_one_folder_apart(self, show: Callable[..., Any], tmp_path: Path) -> None:
        folder = "/tmp/a-folder-whose-name-is-much-longer-than-any-list-of-pages-is-wide/pages/"
        names = tuple(f"{folder}{name}.html" for name in ("one", "two"))
        page = show(report_on(tmp_path / "r.html", "<p>One", "<p>Two", names=names))
        picker = page.get_by_role("combobox")
        assert picker.locator("option").all_text_contents() == ["one.html", "two.html"]
        picker.select_option(index=1)
        assert picker.get_attribute("title") == names[1]

    def test_show_changes_classes_in_place(self, page: Any) -> None:
        row(page, 12).hover()
        # A report is a page with a policy, so there is no eval; but its own names can be reached.
        assert page.evaluate("typeof BlockView") == "function"
        same = page.evaluate(
            """() => {
              const pages = [...document.querySelectorAll('script.page')].map(it => JSON.parse(it.textContent));
              const view = new BlockView(document.querySelector('main'));
              document.querySelector('.jt-view').remove();
              view.open(pages[0]);
              view.select(12);
              const row = view.row(12);
              view.show([{index: 12, block_class: 'bad', context_free_class: 'near_good', reason: 'because'}]);
              window.view = view;
              return row === view.row(12);
            }"""
        )
        assert same
        assert row(page, 12).locator(".jt-badge").text_content() == "✗ bad ← near-good"
        assert page.locator("#jt-reason").text_content() == "because"
        assert "9 of 44 blocks are good" in page.locator(".jt-counts").text_content()
        wait_until(lambda: page.frame_locator("iframe").locator("[data-block='12'][data-class=bad]").count() == 1)

    def test_limits_are_those_of_the_rules(self, page: Any) -> None:
        limits = page.evaluate("JSON.parse(document.querySelector('script.page').textContent).limits.characters")
        position = "([value, limits]) => positionInWords(value, limits)"
        for value, said in (
            (69, "under length_low (70)"),
            (70, "between length_low (70) and length_high (200)"),
            (200, "between length_low (70) and length_high (200)"),
            (201, "over length_high (200)"),
        ):
            assert page.evaluate(position, [value, limits]) == said
        both = [{**limit, "value": 200} for limit in limits]
        assert page.evaluate(position, [200, both]) == "between length_low (200) and length_high (200)"


SOME_KINDS = (
    "<title>kinds</title><p>First.<pre><code class=language-python>def f():\n\treturn 1 + 1</code></pre>"
    "<table><tr><th>one<th><tr><td>1<td>11<tr><td><td>3</table>"
)


class TestKinds:
    @pytest.fixture
    def kinds(self, tmp_path: Path) -> str:
        return report_on(tmp_path / "kinds.html", SOME_KINDS)

    def test_code_has_its_lines(self, show: Callable[..., Any], kinds: str) -> None:
        page = show(kinds)
        code = row(page, 1).locator(".jt-text")
        assert code.text_content() == "def f():\n\treturn 1 + 1"
        assert code.evaluate("element => getComputedStyle(element).whiteSpaceCollapse") == "preserve"
        assert row(page, 1).locator(".jt-kind").text_content() == "code: python"
        assert row(page, 0).locator(".jt-kind").count() == 0
        row(page, 1).click()
        assert "Language of the codepython" in page.locator(".jt-telling").text_content()

    def test_roles_and_other_languages_of_blocks_are_told(self, show: Callable[..., Any], tmp_path: Path) -> None:
        english, german = (
            "It is the first of the things that we have seen. " * 9,
            "Das ist eines von den Dingen, die wir sahen. " * 9,
        )
        page = show(report_on(tmp_path / "roles.html", f"<html lang=en><p>{english * 3}<p>{german}", profile="learned"))
        row(page, 1).click()
        told = page.locator(".jt-telling").inner_text()
        assert re.search(r"Role\s+content", told), told
        assert re.search(r"Language, unlike the page's\s+de", told), told

    def test_a_table_has_its_cells(self, show: Callable[..., Any], kinds: str) -> None:
        page = show(kinds)
        table = row(page, 2).locator(".jt-text")
        assert table.text_content() == "one\n1\t11\n\t3"
        left = table.locator(".jt-cell").evaluate_all(
            "cells => cells.map(element => element.getBoundingClientRect().left)"
        )
        assert len(left) == 5
        # A column stands below itself, also behind an empty cell.
        assert left[0] == left[1] == left[3] < left[2] == left[4]

    @pytest.mark.parametrize("width", [320, WIDE])
    def test_wide_tables_and_long_lines_fit(self, show: Callable[..., Any], tmp_path: Path, width: int) -> None:
        rows = f"<tr>{'<td>4,000' * 60}" * 3
        page = show(
            report_on(tmp_path / "wide.html", f"<pre><code>{'x=1;' * 200}</code></pre><table>{rows}</table>"), width
        )
        assert page.locator(".jt-cell").count() == 180
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".jt-list").evaluate("element => element.scrollWidth <= element.clientWidth")

    def test_hits_are_marked_in_cells(self, show: Callable[..., Any], kinds: str) -> None:
        page = show(kinds)
        page.get_by_role("searchbox").fill("1")
        wait_until(lambda: page.evaluate("CSS.highlights.get('jt-hit').size") == 5)
        marked = page.evaluate(
            """() => [...CSS.highlights.get('jt-hit')].map((hit) => {
              const range = new Range();
              range.setStart(hit.startContainer, hit.startOffset);
              range.setEnd(hit.endContainer, hit.endOffset);
              return range.toString();
            })"""
        )
        assert marked == ["1"] * 5


class TestFilters:
    def test_by_class(self, page: Any) -> None:
        final = page.get_by_role("group", name="Class")
        final.get_by_label("bad").uncheck()
        assert page.locator(".jt-list li:visible").count() == 10
        assert page.locator(".jt-found").text_content() == "10 of 44 blocks"
        page.get_by_role("group", name="By its own text").get_by_label("short").uncheck()
        assert page.locator(".jt-list li:visible").count() == 7
        final.get_by_label("bad").check()
        assert page.locator(".jt-list li:visible").count() == 37

    def test_by_text(self, page: Any) -> None:
        page.get_by_role("searchbox").fill("THE ANIMAL")
        shown = page.locator(".jt-list li:visible").all_text_contents()
        assert shown
        assert all("the animal" in text.lower() for text in shown)
        assert page.locator(".jt-found").text_content() == f"{len(shown)} of 44 blocks"
        hits = sum(text.lower().count("the animal") for text in shown)
        wait_until(lambda: page.evaluate("CSS.highlights.get('jt-hit').size") == hits)
        page.get_by_role("searchbox").press("Enter")
        assert "the animal" in row(page, current(page)).text_content().lower()
        page.get_by_role("searchbox").fill("no such text")
        assert page.locator(".jt-found").text_content() == "0 of 44 blocks"
        assert page.get_by_text("No block matches").is_visible()
        page.get_by_role("searchbox").fill("")
        assert page.locator(".jt-list li:visible").count() == 44
        assert page.get_by_text("No block matches").is_hidden()

    def test_by_kind(self, page: Any) -> None:
        kinds = page.get_by_role("group", name="Kind")
        offered = kinds.locator("label > span:not(.jt-count)")
        titles = offered.evaluate_all("names => names.map(({ textContent, title }) => [textContent, title])")
        assert dict(titles) == {name: kind.meaning for name, kind in KINDS.items()}
        # Those that are on the page.
        assert [label.split()[0] for label in kinds.locator("label:visible").all_text_contents()] == [
            "text31", "heading5", "list",
        ]  # fmt: skip
        kinds.get_by_label("text").uncheck()
        assert page.locator(".jt-list li:visible").count() == 13
        kinds.get_by_label("heading").uncheck()
        assert page.locator(".jt-found").text_content() == "8 of 44 blocks"

    def test_the_keyboard_passes_over_what_is_hidden(self, page: Any) -> None:
        page.get_by_role("group", name="Class").get_by_label("bad").uncheck()
        page.locator(".jt-list").focus()
        seen = []
        for _ in range(12):
            seen.append(current(page))
            page.keyboard.press("ArrowDown")
        assert len(set(seen)) == 10
        assert all(row(page, index).get_attribute("data-class") == "good" for index in seen)


class TestStrip:
    def test_a_click_leads_to_the_block_there(self, page: Any) -> None:
        box = page.locator(".jt-strip canvas").bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.999, box["y"] + 10)
        assert current(page) == 43
        wait_until(lambda: is_in_view(row(page, 43)))
        page.mouse.click(box["x"] + box["width"] * 0.32, box["y"] + 10)
        assert current(page) == 14
        here = page.locator(".jt-marker").bounding_box()
        assert here["x"] <= box["x"] + box["width"] * 0.32 <= here["x"] + here["width"]

    def test_bands_are_drawn_in_the_colours_of_their_classes(self, page: Any) -> None:
        pixels = """() => {
          const canvas = document.querySelector('.jt-strip canvas');
          const row = canvas.getContext('2d').getImageData(0, 3, canvas.width, 1).data;
          const at = share => 4 * Math.floor(share * canvas.width);
          return [row[at(0.999) + 3], ...row.slice(at(0.32), at(0.32) + 4)];
        }"""
        # Bad bands are lower: there is nothing so high up.
        wait_until(lambda: page.evaluate(pixels) == [0, 0x12, 0x69, 0x4A, 255])


class TestKeyboard:
    def test_arrows_and_letters_move_through_the_blocks(self, page: Any) -> None:
        page.locator(".jt-list").focus()
        keyed = [("ArrowDown ArrowDown ArrowDown", 3), ("j j k", 4), ("ArrowUp", 3), ("PageDown", 13), ("End", 43)]
        for keys, expected in [*keyed, ("ArrowDown", 43), ("Home", 0)]:
            for key in keys.split():
                page.keyboard.press(key)
            assert current(page) == expected
        assert row(page, 0).get_attribute("aria-describedby") == "jt-reason"

    def test_letters_work_from_everywhere_but_the_search(self, page: Any) -> None:
        page.keyboard.press("j")
        assert current(page) == 0
        page.keyboard.press("/")
        page.keyboard.type("jk/")
        assert page.get_by_role("searchbox").input_value() == "jk/"
        page.get_by_role("searchbox").fill("")
        page.frame_locator("iframe").locator("body").focus()
        assert current(page) == 0

    def test_enter_holds_and_escape_lets_go(self, page: Any) -> None:
        page.locator(".jt-list").focus()
        page.keyboard.press("Enter")
        assert page.locator(".jt-held").count() == 1
        page.keyboard.press("Escape")
        assert page.locator(".jt-held").count() == 0

    def test_the_focus_goes_in_order_and_shows(self, page: Any) -> None:
        names = []
        for _ in range(13 + 3):
            page.keyboard.press("Tab")
            names.append(
                page.evaluate(
                    """() => {
                      const element = document.activeElement;
                      const style = getComputedStyle(element);
                      const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
                      return [element.className || element.type || element.tagName, isSeen];
                    }"""
                )
            )
        assert [name for name, _ in names[:2]] == ["select-one", "search"]
        # Two classes, four by the own text, and the kinds that there are.
        boxes = ["checkbox"] * (6 + 3)
        assert [name for name, _ in names[2:-1]] == ["jt-strip", *boxes, "jt-list", "jt-frame", "jt-details"]
        assert all(is_seen for _, is_seen in names[:-1])

    def test_all_that_is_there_has_a_name(self, page: Any) -> None:
        snapshot = page.locator("body").aria_snapshot()
        for part in (
            'searchbox "Search the blocks"', 'slider "Position in the page"', 'checkbox "✓ good 10"', 'combobox "Page"',
            'listbox "Blocks of the page"', 'region "The chosen block"', 'checkbox "list item 8"',
            'option "✓ good ← short heading The second day"',
        ):  # fmt: skip
            assert part in snapshot
        assert page.locator("iframe").get_attribute("title")


class TestLooks:
    def assert_fits(self, page: Any, width: int) -> None:
        row(page, 14).hover()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".jt-list").evaluate("element => element.scrollWidth <= element.clientWidth")

    @pytest.mark.parametrize("width", WIDTHS)
    def test_the_page_does_not_scroll_sideways(self, show: Callable[..., Any], report: str, width: int) -> None:
        page = show(report, width)
        for changed in (width, WIDTHS[0], width):
            page.set_viewport_size({"width": changed, "height": 900})
            self.assert_fits(page, changed)

    def test_on_a_narrow_screen_the_page_is_behind_a_tab(self, show: Callable[..., Any], report: str) -> None:
        page = show(report, NARROW)
        assert not page.locator("iframe").is_visible()
        row(page, 14).click()
        page.get_by_role("button", name="Page", exact=True).click()
        assert not page.locator(".jt-list").is_visible()
        assert page.locator("iframe").is_visible()
        wait_until(lambda: is_in_view(page.frame_locator("iframe").locator("[data-current]").first))
        page.get_by_role("button", name="Blocks").click()
        assert page.locator(".jt-list").is_visible()

    def test_on_a_narrow_screen_measurements_hide_no_chosen_block(self, show: Callable[..., Any], report: str) -> None:
        page = show(report, NARROW)
        page.locator(".jt-list").focus()
        for _ in range(13):
            page.keyboard.press("ArrowDown")

        def is_above() -> bool:
            chosen, details = row(page, 13).bounding_box(), page.locator(".jt-details").bounding_box()
            return bool(chosen["y"] + chosen["height"] <= details["y"] + 1)

        wait_until(is_above)

    @pytest.mark.parametrize(("scheme", "expected"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 29)")])
    def test_it_follows_the_colour_scheme(
        self, show: Callable[..., Any], report: str, scheme: str, expected: str
    ) -> None:
        page = show(report, color_scheme=scheme)
        background = "element => getComputedStyle(element).backgroundColor"
        assert page.locator("body").evaluate(background) == expected
        assert page.frame_locator("iframe").locator("body").evaluate(background) == expected

    def test_it_moves_nothing_for_who_does_not_want_that(self, show: Callable[..., Any], report: str) -> None:
        page = show(report, reduced_motion="reduce")
        row(page, 43).hover()
        assert page.locator(".jt-bar").first.evaluate("element => getComputedStyle(element).transitionDuration") == "0s"
        # Not on its way, but there.
        assert is_in_view(page.frame_locator("iframe").locator("[data-current]").first)


class TestHostilePages:
    @pytest.mark.parametrize("profile", ["justext-java", "learned"])
    def test_nothing_runs_and_nothing_is_fetched(self, browser: Any, tmp_path: Path, profile: str) -> None:
        with Site({}) as server:
            html, names = HOSTILE.format(server.url("")), (f"<img src={server.url('/name')}>",)
            address = report_on(tmp_path / "r.html", html, names=names, profile=profile)
            page = browser.new_page()
            fetched: list[str] = []
            said: list[str] = []
            page.on("request", lambda request: fetched.append(request.url))
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(address)
            frame = page.frame_locator("iframe")
            frame.locator("[data-class]").first.wait_for(state="attached")
            for mark in frame.locator("[data-block]").all():
                mark.click(timeout=2000)
            for control in frame.locator(".link, .control:not(:empty), .image:not(:empty)").all():
                control.click(timeout=2000)
            page.wait_for_timeout(300)
            assert page.url == address
            assert len(page.frames) == 2
            assert page.frames[1].url == "about:srcdoc"
            assert page.evaluate("'ran' in window") is False
            assert {*fetched} <= {address, "about:srcdoc", "data:,"}
            assert (server.requests, said) == ({}, [])
            page.close()

    def test_the_page_is_as_hostile_as_it_looks(self, browser: Any) -> None:
        with Site({}) as server:
            page = browser.new_page()
            page.goto(server.url("/empty"))
            page.evaluate(
                "html => { document.open(); document.write(html); document.close(); }", HOSTILE.format(server.url(""))
            )
            loaded = {"/style.css", "/script.js", "/image", "/import.css", "/object", "/srcdoc"}
            wait_until(lambda: loaded <= set(server.requests))
            page.close()

    def test_even_a_rendering_that_was_not_cleaned_runs_and_fetches_nothing(self, tab: Any, report: str) -> None:
        with Site({}) as server:
            tab.goto(report)
            tab.evaluate("html => { document.querySelector('iframe').srcdoc = html; }", HOSTILE.format(server.url("")))
            tab.frame_locator("iframe").locator("h1").wait_for()
            tab.wait_for_timeout(500)
            assert tab.evaluate("'ran' in window") is False
            assert server.requests == {}
            assert tab.url == report
            leave(tab)


def many_blocks(count: int) -> str:
    """A page of so many blocks."""
    sentence = "It was the best of times, it was the worst of times, and so it went on. "
    return "".join(
        f"<p>{i}. {sentence * (i % 7)}</p>" if i % 3 else f"<li><a href=x>Entry {i}</a>" for i in range(count)
    )


class TestPagesWithNextToNothing:
    @pytest.mark.parametrize(
        ("html", "count"),
        [("<title>t</title>", 0), ("<frameset><frame src=x></frameset>No frames here", 1)],
        ids=["no blocks", "frames"],
    )
    def test_every_key_and_click_is_harmless(
        self, show: Callable[..., Any], tmp_path: Path, html: str, count: int
    ) -> None:
        page = show(report_on(tmp_path / "r.html", html), awaited="body")
        page.locator(".jt-strip").click()
        page.locator(".jt-list").focus()
        for key in ("ArrowDown", "PageUp", "End", "Home", "Enter", "Escape", "j", "k", "/", "a", "Enter"):
            page.keyboard.press(key)
        page.get_by_role("group", name="Class").get_by_label("bad").uncheck()
        assert page.locator(".jt-list li").count() == count
        assert f"0 of {count} blocks are good: 0 of " in page.locator(".jt-counts").text_content()

    def test_a_page_that_no_crawl_would_clean_is_there_with_the_reason(
        self, show: Callable[..., Any], tmp_path: Path
    ) -> None:
        problem = "999 bytes, JUSTEXT_MAX_BODY_BYTES allows <b>99\u202e"
        refused = InspectedPage("large.html", None, parse_html(""), problem=problem)
        shown = InspectedPage("small.html", None, parse_html("<p>Home"))
        (tmp_path / "r.html").write_text(view.report_on([refused.inspect(), shown.inspect()]), "utf-8")
        page = show((tmp_path / "r.html").as_uri(), awaited="body")
        note = "not cleaned in a crawl: 999 bytes, JUSTEXT_MAX_BODY_BYTES allows <b>99\u202e"
        assert page.locator("#title").text_content() == "large.html"
        assert page.locator("#about").text_content() == note
        assert page.locator(".jt-none").text_content() == "The page has no blocks"
        page.get_by_role("combobox").select_option(index=1)
        assert "profile justext" in page.locator("#about").text_content()
        assert page.locator(".jt-list li").count() == 1


def laid_out(page: Any) -> list[bool]:
    """Return for each group of rows whether the browser has laid it out."""
    found: list[bool] = page.locator(".jt-group").evaluate_all(
        "groups => groups.map(group => group.firstElementChild.checkVisibility({contentVisibilityAuto: true}))"
    )
    return found


class TestLargePages:
    def test_only_the_rows_in_sight_are_laid_out(self, show: Callable[..., Any], tmp_path: Path) -> None:
        page = show(report_on(tmp_path / "r.html", many_blocks(1000)))
        groups = page.locator(".jt-group")
        assert groups.count() == 20
        wait_until(lambda: laid_out(page)[0] and not laid_out(page)[19])
        self.assert_scrolls(page, 999)
        # A group of which the filter leaves nothing takes no room.
        page.get_by_role("searchbox").fill("entry 999")
        assert page.locator(".jt-group:visible").count() == 1
        assert page.locator(".jt-list").evaluate("element => element.scrollHeight <= element.clientHeight")

    def assert_scrolls(self, page: Any, last: int) -> None:
        page.locator(".jt-list li").first.wait_for()
        page.locator(".jt-list").focus()
        page.keyboard.press("End")
        wait_until(lambda: is_in_view(row(page, last)))
        assert current(page) == last
        # What makes it swift: rows that are out of sight cost nothing.
        wait_until(lambda: sum(laid_out(page)) < 10)

    @pytest.mark.parametrize("blocks", [60, 600])
    def test_hits_without_number_are_found_and_marked_where_they_are_in_sight(
        self, show: Callable[..., Any], tmp_path: Path, blocks: int
    ) -> None:
        text = "".join(f"<p>{i} {'so it was, ' * 800}" for i in range(blocks))
        page = show(report_on(tmp_path / "r.html", text))
        box = page.get_by_role("searchbox")
        box.focus()
        page.keyboard.insert_text("so")
        assert page.locator(".jt-found").text_content() == ""
        marked = "() => [...CSS.highlights.get('jt-hit') ?? []].some(hit => hit.startContainer.data.startsWith('%d '))"
        wait_until(lambda: page.evaluate(marked % 0))
        assert page.evaluate("CSS.highlights.get('jt-hit').size") <= 20_000
        assert not page.evaluate(marked % (blocks - 1))
        page.locator(".jt-list").focus()
        page.keyboard.press("End")
        wait_until(lambda: page.evaluate(marked % (blocks - 1)))
