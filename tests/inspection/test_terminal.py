"""What listings look like, here and in the docs."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import ljust, width

from scrapy_justext.core.options import make_options
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.crawl.commands import on_one_line
from scrapy_justext.crawl.settings import Given, make_layers
from scrapy_justext.inspection.pages import InspectedPage, Inspection, read_page
from scrapy_justext.inspection.run import configuration_for
from scrapy_justext.inspection.terminal import NARROWEST, Style, compare, cut, list_blocks, wrap
from tests.builders import DEMO_PAGES, DEMO_SITE, page_id
from tests.samples import code_behind
from tests.terminal import OBEYED

texts = st.text(st.sampled_from("ab 茶館 é\u0301한قَ😀"), max_size=80).map(on_one_line)


@given(texts, st.integers(2, 30))
def test_a_cut_text_fits_and_is_the_beginning(text: str, columns: int) -> None:
    shorter = cut(text, columns)
    assert width(shorter) <= columns
    assert shorter == text or text.startswith(shorter.removesuffix("…"))
    assert width(ljust(shorter, columns)) == columns


@given(texts, st.integers(2, 30))
def test_a_broken_text_fits_and_is_whole(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert all(width(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert len(wrap(text, columns, 2)) <= 2


def inspect(page: str | bytes, language: str = "English", profile: str = "justext") -> Inspection:
    """A page as it is listed."""
    return InspectedPage("page", None, parse_html(page)).inspect(make_options(language=language, profile=profile))


@pytest.mark.parametrize("profile", ["justext", "learned"])
@pytest.mark.parametrize("columns", [NARROWEST, 80, 120, 200])
@pytest.mark.parametrize("page", DEMO_PAGES[::6], ids=page_id)
def test_listings_fit(page: Path, columns: int, profile: str) -> None:
    inspection = inspect(page.read_bytes(), language="auto", profile=profile)
    listed = list_blocks(inspection, Style(columns))
    assert max(map(width, listed.splitlines())) <= columns
    for block in inspection.extraction.blocks:
        assert re.search(rf"^ *{block.index}  {block.block_class} ", listed, re.MULTILINE)


def test_trained_models_show_their_probability_in_place_of_stop_words() -> None:
    listed = list_blocks(inspect("<p>Home", profile="learned"), Style())
    titles, row = listed.splitlines()[4:6]
    assert titles.split()[5] == "prob."
    assert re.fullmatch(r"0\.\d\d", row.split()[5])


@pytest.mark.parametrize("columns", [None, 80, 200])
def test_trained_models_show_the_roles_of_blocks(columns: int | None) -> None:
    inspection = inspect(DEMO_PAGES[0].read_bytes(), profile="learned")
    listed = list_blocks(inspection, Style(columns))
    for block in inspection.extraction.blocks:
        row = re.search(rf"^ *{block.index}  {block.block_class} .*(?:\n  .*)*", listed, re.MULTILINE)
        assert row, block
        assert re.search(rf" {block.role}\b", row[0]), row[0]
    assert " role " not in list_blocks(inspect("<p>Home"), Style())


@pytest.mark.parametrize("profile", ["learned", "learned-article", "auto"])
def test_page_type_and_confidence_head_a_page(profile: str) -> None:
    inspection = inspect(DEMO_PAGES[0].read_bytes(), profile=profile)
    made = inspection.extraction
    page_type = f"page type {made.page_type} (probability {made.page_type_probability:.2f})"
    listed = list_blocks(inspection, Style()).splitlines()
    assert listed[2] == f"{page_type}, confidence {made.confidence:.2f} (expected F1)"


CODE = "<pre><code>def f():\n    return 1</code></pre>"
TABLE = "<table><tr><th>one<th>two<tr><td>3<td>4</table>"


def texts_of(page: str, columns: int | None, kinds: tuple[str, ...] = ()) -> list[str]:
    """The lines of a listing below its titles."""
    return list_blocks(inspect(page), Style(columns), kinds).partition("text\n")[2].splitlines()


FORMULA = "<p>so <math><mi>x</mi><mo>=</mo><mn>1</mn></math> it is"
PREVIEW = "<p><span class=MathJax_Preview>[one]</span><script type='math/tex'>x=1</script> it is"
NUMBERED = "<pre><button>Copy</button><i class=lineno>7</i>one<br><i class=lineno>8</i>two</pre>"
PARTS = "<script>x</script><p hidden>two <b hidden>three</b></p><noscript>four</noscript><p hidden>five<p>six"
#: A page, a profile, and what the last line says was removed.
REMOVED: list[tuple[str, str, str]] = [
    (f"<p>one{PARTS}", "justext", "2 hidden elements (13 characters), 1 NOSCRIPT (4 characters)"),
    (NUMBERED, "justext", "1 BUTTON (4 characters), 2 elements beside code (2 characters)"),
    ("<p>one<script>x</script><svg></svg>", "justext", ""),
    # Formulas are in the text, where they are read.
    (FORMULA, "justext", ""),
    (FORMULA, "boilerpipe", "1 MATH (3 characters)"),
    (PREVIEW, "justext", "1 element of a formula (5 characters)"),
    # Markup in what was removed does not count.
    ("<p>one<noframes><body><p>four</p></body></noframes>", "justext", "1 NOFRAMES (4 characters)"),
]


@pytest.mark.parametrize(("page", "profile", "removed"), REMOVED)
def test_the_last_line_tells_what_was_removed(page: str, profile: str, removed: str) -> None:
    listed = list_blocks(inspect(page, profile=profile), Style())
    assert listed.splitlines()[-1].partition("removed: ")[2] == removed


def test_the_head_tells_the_language_and_of_no_model_and_images_have_their_address() -> None:
    lines = list_blocks(inspect("<p>Home"), Style()).splitlines()
    assert lines[1] == "profile justext, language en (given)"
    for page, profile in (("<p>Home", "justext"), ("<title>Home</title>", "learned")):
        assert "confidence" not in list_blocks(inspect(page, profile=profile), Style())
    inspection = inspect("<img src=/a.png alt='A kettle'>", profile="justext-java")
    assert "[image /a.png] A kettle" in list_blocks(inspection, Style())


def test_code_is_listed_with_its_lines_and_a_table_with_its_cells() -> None:
    assert [re.sub("^.*(between( bad)?|blocks)  ", "", line).strip() for line in texts_of(CODE + TABLE, 140)[:4]] == [
        "def f():", "return 1", "one │ two", "3 │ 4",
    ]  # fmt: skip
    assert [re.sub("^.*blocks +", "", line) for line in texts_of(CODE + TABLE, None)[:2]] == [
        "def f(): ⏎     return 1", "one │ two ⏎ 3 │ 4",
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "last"), [(6, "x = 6"), (7, "… 1 more"), (1500, "… 1,494 more")])
def test_the_beginning_of_long_code_is_listed(lines: int, last: str) -> None:
    code = "\n".join(f"x = {number}" for number in range(1, lines + 1))
    listed = texts_of(f"<pre>{code}</pre>", 140)
    assert listed[listed.index("") - 1].strip() == last


@pytest.mark.parametrize("columns", [NARROWEST, 80, 120])
def test_listings_with_code_and_tables_fit(columns: int) -> None:
    rows = f"<tr><td>{'one ' * 30}<td>2<tr><td>3<td>\u202e4"
    page = f"<title>a\x1b]0;x\x07\x9bc</title><pre>\x1b[2J\t{'茶 = 1;' * 60}</pre><table>{rows}</table>"
    listed = list_blocks(inspect(page), Style(columns))
    assert max(map(width, listed.splitlines())) <= columns
    assert not re.search(OBEYED, listed)


def test_the_kind_is_listed() -> None:
    page = f"<h1>one</h1>{CODE}<p>two"
    assert [line.split()[2] for line in texts_of(page, None)[:3]] == ["heading", "code", "text"]
    # Where there is no room for a column, it stands before the reason, unless that begins with it.
    narrow = list_blocks(inspect(page), Style(80))
    assert [line.strip() for line in narrow.splitlines() if "between bad" in line] == [
        "heading: short (3 < 70 characters); between bad", "code, only 17 < 70 characters; between bad blocks",
        "text: short (3 < 70 characters); between bad",
    ]  # fmt: skip


def test_blocks_of_some_kinds_are_listed_alone_and_counted() -> None:
    page = f"<h1>one</h1>{CODE}{TABLE}<p>two"
    *listed, empty, some, every = texts_of(page, None, ("code", "table"))
    assert [line.split()[:3] for line in listed] == [["1", "bad", "code"], ["2", "bad", "table"]]
    assert (empty, some) == ("", "code, table: good: 0 of 2 blocks, 0 of 28 characters")
    assert every == "good: 0 of 4 blocks, 0 of 34 characters"
    assert texts_of("<p>one", None, ("code",))[1] == "code: good: 0 of 0 blocks, 0 of 0 characters"


KETTLE = DEMO_SITE / "shop" / "copper-kettle.html"
COLUMNS = 118


@pytest.mark.parametrize("name", ["blocks", "compare"])
def test_listings_shown_are_real(name: str) -> None:
    mine, other = (
        configuration_for(make_layers({}, {"profile": Given(profile, "test")}), None)
        for profile in ("justext", "boilerpipe")
    )
    page = read_page(str(KETTLE), mine)
    inspection, style = page.inspect(), Style(COLUMNS)
    compared = page.inspect(other.options)
    printed = list_blocks(inspection, style) if name == "blocks" else compare(inspection, compared, style)
    shown = code_behind(f"<!-- {name} -->", "docs/inspection.md", "").splitlines()
    real = iter(printed.splitlines())
    assert len(shown) > 10
    # In order, with lines left out where an ellipsis says so.
    assert [line for line in shown if line != "…" and line not in real] == []
