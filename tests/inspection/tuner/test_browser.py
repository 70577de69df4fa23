"""The tuner as a browser shows it, where Chromium and playwright are there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.inspection.pages import describe_page
from tests.builders import wait_until
from tests.crawl.server import Site
from tests.evaluation.test_browser import FAINT
from tests.inspection.browser import leave
from tests.inspection.judged import HOSTILE
from tests.inspection.tuner.running import PAGE, Running, inspected, layers, running
from tests.products import in_part

pytestmark = pytest.mark.full

WIDTHS = (320, 400, 1000, 1500)
HOME, NEWS, TITLE, FIRST, SHORT, LAST, MORE, CONTACT = range(8)
GERMAN = "Es war die beste aller Zeiten, und es war die schlimmste aller Zeiten, das war das Jahr der Weisheit. " * 3
PAGES = [
    inspected(PAGE, "site/tale.html"),
    inspected(f"<html lang=de><p>{GERMAN}<p>Kurz<p>{GERMAN}", "site/german.html"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A tuner in which nobody marks anything."""
    with running(PAGES, tmp_path_factory.mktemp("marks") / "marks.jsonl") as started:
        yield started


def open_tuner(page: Any, server: Running, width: int = 1500, height: int = 950) -> Any:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(server.url)
    page.wait_for_selector(".jt-list li")
    return page


@pytest.fixture
def empty(tab: Any) -> Iterator[Any]:
    """A page that shows nothing yet."""
    yield tab
    leave(tab)


@pytest.fixture
def tuner(empty: Any, server: Running) -> Any:
    return open_tuner(empty, server)


def slide(tuner: Any, name: str, value: float) -> None:
    """Move a slider as a pointer does: many steps, then a change."""
    tuner.locator(f"#tn-of-{name}").evaluate(
        """(slider, value) => {
          const from = slider.valueAsNumber;
          for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
            slider.value = from + share * (value - from);
            slider.dispatchEvent(new Event('input', { bubbles: true }));
          }
          slider.dispatchEvent(new Event('change', { bubbles: true }));
        }""",
        value,
    )


def classes(tuner: Any) -> list[str]:
    return list(tuner.locator(".jt-list li").evaluate_all("rows => rows.map(row => row.dataset.class)"))


def expect_classes(tuner: Any, html: str = PAGE, **parameters: Any) -> None:
    """Wait until the blocks have the classes that an extraction gives."""
    expected = [block.block_class.value for block in extract(html, **{"good_run": 0} | parameters).blocks]
    wait_until(lambda: classes(tuner) == expected)


def text(tuner: Any, selector: str) -> str:
    return str(tuner.locator(selector).text_content())


def effects(tuner: Any) -> list[list[str]]:
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    return list(tuner.locator("#tn-pages tr").evaluate_all(cells))


def expect_setting(tuner: Any, name: str, value: str) -> None:
    """Wait until a setting is among those to paste."""
    wait_until(lambda: f'"JUSTEXT_{name}": {value},' in text(tuner, "#tn-code"))


def mark(tuner: Any, index: int, key: str, shown: str) -> None:
    """Mark a block by a key, and wait until it is marked as right or wrong."""
    tuner.locator(f"#jt-block-{index}").click()
    tuner.keyboard.press(key)
    tuner.wait_for_selector(f"#jt-block-{index}[data-mark={shown}]")


def test_a_page_that_no_crawl_would_clean_is_reported(empty: Any, tmp_path: Path) -> None:
    pages = [inspected("<p>It was the best of times." * 20, "many.html"), inspected()]
    with running(pages, tmp_path / "marks.jsonl", layers({"max_blocks": 15})) as started:
        empty.goto(started.url)
        problem = "more blocks than JUSTEXT_MAX_BLOCKS allows, 15"
        wait_until(lambda: text(empty, "#tn-status") == f"not cleaned in a crawl: {problem}")
        wait_until(lambda: [row[1] for row in effects(empty)] == ["not cleaned", "4"])
        assert empty.locator(f"td[title='{problem}']").count() == 1
        empty.get_by_role("button", name="Tale").click()
        wait_until(lambda: "blocks good" in text(empty, "#tn-status"))
        leave(empty)


class TestSettings:
    def test_blocks_are_judged_anew_as_a_slider_moves(self, tuner: Any) -> None:
        expect_classes(tuner)
        slide(tuner, "length_high", 320)
        expect_classes(tuner, length_low=70, length_high=320)
        assert tuner.locator("li[data-changed]").count() == 4
        slide(tuner, "length_high", 200)
        expect_classes(tuner)
        assert tuner.locator("li[data-changed]").count() == 0

    def test_every_page_tells_its_effect(self, tuner: Any) -> None:
        slide(tuner, "length_high", 320)
        characters = f"{extract(PAGE).good_characters:,}"
        german = f"{PAGES[1].inspect().extraction.good_characters:,}"
        wait_until(lambda: len(effects(tuner)[1][1]) > 0 and "→" in effects(tuner)[1][1])
        assert effects(tuner) == [
            ["Tale", "4 → 0", f"{characters} → 0", "+0 −4", "–"],
            ["german.html", "3 → 0", f"{german} → 0", "+0 −3", "–"],
        ]

    def test_a_number_beside_the_slider_does_the_same(self, tuner: Any) -> None:
        number = tuner.get_by_label("Long above, as a number")
        number.fill("321")
        number.press("Enter")
        expect_classes(tuner, length_high=321)
        expect_setting(tuner, "LENGTH_HIGH", "321")
        number.fill("")
        number.press("Tab")
        expect_classes(tuner)
        assert number.input_value() == "200"

    def test_sliders_move_by_keys(self, tuner: Any) -> None:
        tuner.get_by_label("Long above", exact=True).focus()
        for _ in range(13):
            tuner.keyboard.press("ArrowRight")
        expect_setting(tuner, "LENGTH_HIGH", "330")
        expect_classes(tuner, length_high=330)

    def test_a_low_threshold_takes_the_high_one_along(self, tuner: Any) -> None:
        slide(tuner, "length_low", 350)
        wait_until(lambda: tuner.locator("#tn-of-length_high").input_value() == "350")
        expect_classes(tuner, length_low=350, length_high=350)
        assert tuner.locator("#tn-error").is_hidden()

    @pytest.mark.parametrize(
        ("label", "value", "said"),
        [("Too many links above", "7", "must be a number from 0 to 1")]
        + [("Short below", value, "must be a whole number of characters, 0 or more") for value in ("1.5", "1e30", "e")],
    )
    def test_a_number_that_is_not_allowed_is_reported_and_not_chosen(
        self, tuner: Any, label: str, value: str, said: str
    ) -> None:
        number = tuner.get_by_label(f"{label}, as a number")
        own = number.input_value()
        number.focus()
        number.press("Control+a")
        tuner.keyboard.type(value)
        number.press("Tab")
        assert number.get_attribute("aria-invalid") == "true"
        problem, help_text = number.get_attribute("aria-describedby").split()
        assert text(tuner, f"#{problem}") == f"{label}: {said}"
        assert tuner.locator(f"#{problem}").is_visible()
        assert tuner.locator(f"#{help_text}").is_visible()
        assert tuner.locator("#tn-reset").is_disabled()
        slide(tuner, "length_high", 320)
        expect_classes(tuner, length_high=320)
        assert tuner.locator("#tn-error").is_hidden()
        assert tuner.locator(f"#{problem}").is_hidden()
        assert (number.get_attribute("aria-invalid"), number.input_value()) == (None, own)

    @pytest.mark.parametrize("profile", in_part(["learned", "article", "justext-java", "boilerpipe"], 4))
    def test_profiles(self, tuner: Any, profile: str) -> None:
        tuner.get_by_label("Profile").select_option(profile)
        wait_until(lambda: f'"JUSTEXT_PROFILE": "{profile}",' in text(tuner, "#tn-code"))
        expect_classes(tuner, profile=profile)
        assert tuner.locator("#tn-of-length_low").count() == (profile not in ("boilerpipe", "learned"))
        assert tuner.locator("#tn-of-good_probability").count() == (profile == "learned")
        assert tuner.locator("#tn-of-rescue_images").count() == (profile == "justext-java")
        tuner.locator("#tn-reset").click()
        expect_classes(tuner)
        wait_until(lambda: "nothing differs" in text(tuner, "#tn-code"))

    def test_the_model_s_own_thresholds_are_where_its_sliders_start(self, tuner: Any) -> None:
        tuner.get_by_label("Profile").select_option("learned")
        tuner.wait_for_selector("#tn-of-good_probability")
        good = float(tuner.get_by_label("Good from, as a number", exact=True).input_value())
        assert 0 < good < 1
        slide(tuner, "good_probability", 1)
        expect_classes(tuner, profile="learned", good_probability=1.0, near_good_probability=good)

    def test_page_type_and_confidence_follow_the_sliders(self, tuner: Any) -> None:
        assert "confidence" not in text(tuner, "#tn-status")
        tuner.get_by_label("Profile").select_option("learned")
        made = [extract(PAGE, profile="learned", good_probability=limit) for limit in (None, 1.0)]
        usual, strict = map(describe_page, made)
        assert "confidence 0." in usual != strict
        wait_until(lambda: text(tuner, "#tn-status").endswith(usual))
        slide(tuner, "good_probability", 1)
        wait_until(lambda: text(tuner, "#tn-status").endswith(strict))

    def test_languages(self, tuner: Any) -> None:
        tuner.get_by_label("Language", exact=True).select_option(label="Czech")
        expect_classes(tuner, language="Czech")
        expect_setting(tuner, "LANGUAGE", '["cs"]')
        tuner.get_by_label("Or language 2").select_option(label="English")
        expect_classes(tuner, language=["cs", "en"])
        expect_setting(tuner, "LANGUAGE", '["cs", "en"]')
        assert tuner.get_by_label("Or language 3").count() == 1

    def test_the_control_of_code_is_not_what_is_to_paste(self, tuner: Any) -> None:
        tuner.get_by_label("Code", exact=True).select_option(label="good")
        expect_setting(tuner, "CODE", '"keep"')
        ids = tuner.locator("[id]").evaluate_all("elements => elements.map(element => element.id)")
        assert len(ids) == len(set(ids))

    def test_undo_and_reset(self, tuner: Any) -> None:
        assert tuner.locator("#tn-undo").is_disabled()
        slide(tuner, "length_high", 320)
        expect_classes(tuner, length_high=320)
        assert tuner.locator("#tn-undo").is_enabled()
        slide(tuner, "max_link_density", 1)
        expect_classes(tuner, length_high=320, max_link_density=1.0)
        # A slide is one step, however many values it went through.
        tuner.keyboard.press("Control+z")
        expect_classes(tuner, length_high=320)
        tuner.locator("#tn-undo").click()
        expect_classes(tuner)
        assert tuner.locator("#tn-undo").is_disabled()
        slide(tuner, "length_high", 320)
        tuner.get_by_label("Long above: back to the project's own").click()
        expect_classes(tuner)
        assert tuner.locator("#tn-reset").is_disabled()

    def test_the_last_value_wins(self, tuner: Any) -> None:
        for value in range(0, 800, 40):
            slide(tuner, "length_high", value)
        slide(tuner, "length_high", 320)
        expect_classes(tuner, length_low=0, length_high=320)
        expect_setting(tuner, "LENGTH_HIGH", "320")
        assert tuner.locator("#tn-of-length_high").input_value() == "320"

    def test_settings_are_copied(self, browser: Any, server: Running) -> None:
        tuner = open_tuner(browser.new_page(permissions=["clipboard-read", "clipboard-write"]), server)
        slide(tuner, "length_high", 320)
        wait_until(lambda: "320" in text(tuner, "#tn-code"))
        tuner.locator("#tn-copy").click()
        wait_until(lambda: text(tuner, "#tn-copied") == "Copied")
        copied = tuner.evaluate("navigator.clipboard.readText()")
        variables: dict[str, Any] = {}
        exec(copied, variables)
        assert variables["custom_settings"] == {"JUSTEXT_LENGTH_HIGH": 320}
        tuner.close()

    def test_without_a_clipboard_they_are_selected(self, tuner: Any) -> None:
        tuner.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        slide(tuner, "length_high", 320)
        wait_until(lambda: "320" in text(tuner, "#tn-code"))
        tuner.locator("#tn-copy").click()
        wait_until(lambda: "Ctrl+C" in text(tuner, "#tn-copied"))
        assert tuner.evaluate("getSelection().toString()").strip().startswith("custom_settings = {")


class TestPages:
    def test_what_is_chosen_counts_on_every_page_whatever_its_own(self, empty: Any, tmp_path: Path) -> None:
        pages = [inspected(PAGE, "tale.html"), inspected(f"<p>{GERMAN}<p>Kurz", url="https://b.example/x")]
        own = layers(b_example={"profile": "learned", "language": "de"})
        with running(pages, tmp_path / "marks.jsonl", own) as server:
            tuner = open_tuner(empty, server)
            assert tuner.get_by_label("Profile").input_value() == "justext"
            tuner.get_by_role("row").nth(2).get_by_role("button").click()
            wait_until(lambda: tuner.get_by_label("Profile").input_value() == "learned")
            language = tuner.get_by_label("Language", exact=True)
            assert language.input_value() == "de"
            tuner.get_by_label("Profile").select_option("justext")
            expect_setting(tuner, "PROFILE", '"justext"')
            assert tuner.get_by_label("Profile").input_value() == "justext"
            language.select_option(value="")
            expect_setting(tuner, "LANGUAGE", '"auto"')
            assert language.input_value() == ""
            assert "JUSTEXT_SITES" in text(tuner, "#tn-notes")
            tuner.locator("#tn-reset").click()
            wait_until(lambda: language.input_value() == "de")
            assert tuner.get_by_label("Profile").input_value() == "learned"

    def test_names_tell_the_pages_apart(self, empty: Any, tmp_path: Path) -> None:
        folder = "/tmp/a-folder-whose-name-is-much-longer-than-the-column-of-the-table/pages/"
        long = "a-story-of-a-very-long-name-that-fits-no-column-of-any-table-1.html"
        names = [f"{folder}one.html", f"{folder}two.html", f"{folder}{long}", "http://127.0.0.1:8000/"]
        with running([inspected(PAGE, name) for name in names], tmp_path / "marks.jsonl") as server:
            tuner = open_tuner(empty, server, 390, 844)
            buttons = tuner.locator("#tn-pages button")
            short = ["one.html", "two.html", f"…{long[-47:]}", "127.0.0.1:8000/"]
            assert buttons.all_text_contents() == [f"Tale ({name})" for name in short]
            assert [button.get_attribute("title") for button in buttons.all()] == names
            assert buttons.evaluate_all("all => all.every(button => button.scrollWidth <= button.clientWidth)")

    def test_another_page(self, tuner: Any) -> None:
        tuner.get_by_role("button", name="german.html").click()
        wait_until(lambda: tuner.locator(".jt-list li").count() == 3)
        assert "German" in text(tuner, "#tn-languages")
        assert tuner.locator("[aria-current=true]").text_content() == "german.html"
        slide(tuner, "length_high", 800)
        wait_until(lambda: classes(tuner) == ["bad"] * 3)

    def test_the_server_has_stopped(self, empty: Any, tmp_path: Path) -> None:
        with running(PAGES, tmp_path / "marks.jsonl") as server:
            tuner = open_tuner(empty, server)
        slide(tuner, "length_high", 320)
        tuner.wait_for_selector("#tn-error:not([hidden])")
        assert "does not answer" in text(tuner, "#tn-error")


class TestMarks:
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[Running]:
        with running(PAGES, tmp_path / "marks.jsonl") as started:
            yield started

    def test_by_click_by_key_and_after_a_reload(self, tuner: Any) -> None:
        tuner.locator(f"#jt-block-{FIRST}").click()
        tuner.get_by_role("button", name="right", exact=True).click()
        tuner.wait_for_selector(f"#jt-block-{FIRST}[data-mark=right]")
        tuner.keyboard.press("Escape")
        tuner.locator(".jt-list").focus()
        for _ in range(MORE - FIRST):
            tuner.keyboard.press("j")
        tuner.keyboard.press("w")
        tuner.wait_for_selector(f"#jt-block-{MORE}[data-mark=wrong]")
        assert text(tuner, ".tn-meaning") == "Marked as content"
        wait_until(lambda: effects(tuner)[0][4] == "1 of 2")
        tuner.reload()
        tuner.wait_for_selector(f"#jt-block-{MORE}[data-mark=wrong]")
        tuner.wait_for_selector(f"#jt-block-{FIRST}[data-mark=right]")
        assert tuner.locator("li[data-mark]").count() == 2

    def test_once_more_takes_it_away(self, tuner: Any) -> None:
        mark(tuner, HOME, "r", "right")
        tuner.keyboard.press("r")
        wait_until(lambda: tuner.locator("li[data-mark]").count() == 0)
        tuner.reload()
        tuner.wait_for_selector(".jt-list li")
        assert tuner.locator("li[data-mark]").count() == 0

    def test_on_the_row_itself(self, tuner: Any) -> None:
        tuner.locator(f"#jt-block-{NEWS}").hover()
        tuner.locator(f"#jt-block-{NEWS} .tn-quick [data-mark=wrong]").click()
        tuner.wait_for_selector(f"#jt-block-{NEWS}[data-mark=wrong]")
        # Marking is not choosing: the next block under the pointer is still shown.
        assert tuner.locator(".jt-held").count() == 0

    def test_a_mark_is_met_or_not_as_classes_change(self, tuner: Any) -> None:
        mark(tuner, FIRST, "r", "right")
        slide(tuner, "length_high", 320)
        tuner.wait_for_selector(f"#jt-block-{FIRST}[data-mark=wrong]")
        wait_until(lambda: effects(tuner)[0][4] == "0 of 1")

    def test_marks_in_a_row_all_arrive(self, tuner: Any) -> None:
        tuner.locator(".jt-list").focus()
        for _ in range(CONTACT):
            tuner.keyboard.press("r")
            tuner.keyboard.press("j")
        wait_until(lambda: tuner.locator("li[data-mark=right]").count() == CONTACT)
        tuner.reload()
        tuner.wait_for_selector("li[data-mark]")
        assert tuner.locator("li[data-mark=right]").count() == CONTACT

    def test_no_mark_while_somebody_writes(self, tuner: Any) -> None:
        tuner.locator(f"#jt-block-{HOME}").click()
        tuner.get_by_label("Search the blocks").fill("")
        tuner.keyboard.type("wr")
        tuner.wait_for_timeout(500)
        assert tuner.locator("li[data-mark]").count() == 0


class TestReaders:
    def test_everything_has_a_name(self, tuner: Any) -> None:
        for role in ("slider", "spinbutton", "combobox", "button", "listbox", "checkbox", "region"):
            controls = tuner.get_by_role(role).all()
            assert controls
            for control in controls:
                name = control.evaluate(
                    """it => it.getAttribute('aria-label') || it.labels?.[0]?.textContent || it.textContent.trim()
                      || document.getElementById(it.getAttribute('aria-labelledby'))?.textContent"""
                )
                assert name, control.evaluate("it => it.outerHTML")

    def test_counts_are_said(self, tuner: Any) -> None:
        status = tuner.locator("#tn-status")
        assert (status.get_attribute("role"), status.get_attribute("aria-live")) == ("status", "polite")
        slide(tuner, "length_high", 320)
        said = "0 of 8 blocks good, 0 characters; changed: +0 −4"
        wait_until(lambda: text(tuner, "#tn-status").startswith(said))

    def test_texts_stand_out_from_what_is_behind_them(self, empty: Any, tmp_path: Path) -> None:
        with running(PAGES, tmp_path / "marks.jsonl") as server:
            tuner = open_tuner(empty, server)
            slide(tuner, "length_high", 320)
            expect_classes(tuner, length_high=320)
            tuner.locator(f"#jt-block-{FIRST}").click()
            tuner.keyboard.press("w")
            tuner.wait_for_selector("li[data-mark]")
            for scheme in ("dark", "light"):
                tuner.emulate_media(color_scheme=scheme)
                seen, faint = tuner.evaluate(FAINT)
                assert seen > 80
                assert (scheme, faint) == (scheme, [])

    def test_on_a_narrow_screen_settings_are_folded_so_that_blocks_are_in_view(
        self, empty: Any, server: Running
    ) -> None:
        tuner = open_tuner(empty, server, 390, 844)
        profile = tuner.get_by_label("Profile")
        assert profile.is_hidden()
        is_in_view = """element => {
          const box = element.getBoundingClientRect();
          const onTop = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          return box.bottom < innerHeight && element.contains(onTop);
        }"""
        # A slow machine still lays the page out.
        wait_until(lambda: tuner.locator("#jt-block-0").evaluate(is_in_view))
        fold = tuner.get_by_role("button", name="Show", exact=True)
        assert fold.get_attribute("aria-expanded") == "false"
        fold.click()
        profile.wait_for(state="visible")
        tuner.get_by_role("button", name="Hide", exact=True).click()
        profile.wait_for(state="hidden")
        tuner.set_viewport_size({"width": 1500, "height": 900})
        profile.wait_for(state="visible")

    @pytest.mark.parametrize("width", WIDTHS)
    def test_the_page_does_not_scroll_sideways(self, empty: Any, server: Running, width: int) -> None:
        tuner = open_tuner(empty, server, width, 900)
        for changed in (width, WIDTHS[0], width):
            tuner.set_viewport_size({"width": changed, "height": 900})
            assert tuner.evaluate("document.documentElement.scrollWidth") <= changed


def test_a_hostile_page_runs_and_fetches_nothing(browser: Any, tmp_path: Path) -> None:
    with Site({}) as there:
        address = there.url("")
        name = "<img src=x onerror=window.ran=1>"
        pages = [inspected(HOSTILE.format(address), name, f"{address}/"), *PAGES]
        with running(pages, tmp_path / "marks.jsonl") as server:
            tuner = browser.new_page(viewport={"width": 1500, "height": 950})
            asked: list[str] = []
            tuner.on("request", lambda request: asked.append(request.url))
            tuner.on("dialog", lambda dialog: asked.append("dialog"))
            tuner.goto(server.url)
            tuner.wait_for_selector(".jt-list li")
            slide(tuner, "length_high", 320)
            for row in tuner.locator(".jt-list li").all():
                row.click()
                tuner.keyboard.press("w")
            frame = tuner.frame_locator(".jt-frame")
            for block in frame.locator("[data-block]").all():
                block.click(force=True)
            tuner.wait_for_timeout(500)
            assert tuner.evaluate("'ran' in window") is False
            assert tuner.url == server.url
            button = tuner.locator("#tn-pages button >> nth=0")
            assert (button.text_content(), button.get_attribute("title")) == ("bad", f"{address}/")
            tuner.close()
    assert there.requests == {}
    assert {url for url in asked if not url.startswith(server.url)} <= {"about:srcdoc", "data:,"}
    assert len(asked) > 10
