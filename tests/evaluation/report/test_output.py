"""What the two reports say: hostile texts stay texts, tables and links hold, charts lie where they should."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import html as lxml_html

from scrapy_justext.evaluation.kinds import ALL_MEASURES
from scrapy_justext.evaluation.report.output import environment_of, escape_markdown
from tests.evaluation.report.small_run import HOSTILE_NAME

if TYPE_CHECKING:
    from pathlib import Path


def test_every_measure_is_explained() -> None:
    notes = environment_of(str).get_template("notes.j2").module
    assert notes.measures.keys() == ALL_MEASURES.keys()  # type: ignore[attr-defined]


def page_of(out: Path) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring((out / "report.html").read_text("utf-8"))


class TestHtml:
    def test_hostile_texts_stay_texts(self, reported: Path) -> None:
        page = page_of(reported)
        assert not page.xpath("//script | //img | //iframe | //@onerror | //b")
        shown = " ".join(page.text_content().split())
        assert "<script>document.title='taken'</script>" in shown
        assert "{{ 7 * 7 }}" in shown
        assert HOSTILE_NAME in shown
        assert not set(page.text_content()) & {"\u202e", "\x1b"}

    def test_it_needs_nothing_else(self, reported: Path) -> None:
        page = page_of(reported)
        assert not page.xpath("//@src | //link")
        assert all(str(target).startswith("#") for target in page.xpath("//svg//@*[local-name() = 'href']"))
        # What addresses are left are those of XML name spaces, and those of pages, as links and as text.
        assert not re.search(r"url\((?!#)|@import", (reported / "report.html").read_text("utf-8"))

    def test_tables_name_their_cells(self, reported: Path) -> None:
        page = page_of(reported)
        tables = page.xpath("//table")
        assert len(tables) > 10
        for table in tables:
            assert table.xpath("string(caption)").strip()
            assert not table.xpath(".//th[not(@scope)]")
            region = table.getparent()
            assert (region.get("role"), region.get("tabindex")) == ("region", "0")
            assert region.get("aria-label") == table.xpath("string(caption)")
            widths = {len(row.xpath("td")) for row in table.xpath("tbody/tr")}
            assert len(widths) == 1

    def test_ids_are_unique_and_links_lead_somewhere(self, reported: Path) -> None:
        page = page_of(reported)
        ids = page.xpath("//@id")
        assert len(ids) == len(set(ids))
        assert {str(target)[1:] for target in page.xpath("//a/@href[starts-with(., '#')]")} <= set(ids)

    def test_colours_of_charts_follow_the_reader(self, reported: Path) -> None:
        page = page_of(reported)
        styles = page.xpath("//svg//@style")
        assert any("var(--ink)" in str(style) for style in styles)
        assert not [style for style in styles if re.search(r"#[0-9a-f]{6}", str(style))]

    def test_texts_stand_side_by_side_with_marks(self, reported: Path) -> None:
        page = page_of(reported)
        heads = [" ".join(one.text_content().split()) for one in page.xpath("(//div[@class='texts'])[1]//h5")]
        assert heads == ["Gold standard", "good", HOSTILE_NAME]
        assert page.xpath("//div[@class='text']//ins")
        assert page.xpath("//div[@class='text']//del[@class='missed-second']")


class TestMarkdown:
    def test_charts_lie_beside_it(self, reported: Path) -> None:
        text = (reported / "report.md").read_text("utf-8")
        images = re.findall(r"^!\[.+\]\((charts/[\w-]+\.svg)\)$", text, re.MULTILINE)
        assert len(images) == len(set(images)) == 5 * 3
        assert all((reported / image).is_file() for image in images)

    def test_hostile_texts_stay_texts(self, reported: Path) -> None:
        text = (reported / "report.md").read_text("utf-8")
        assert "<script" not in text
        assert "<img" not in re.sub(r"\\<img", "", text)
        assert escape_markdown(HOSTILE_NAME) in text
        assert "\x1b" not in text

    def test_rows_have_as_many_cells_as_their_table(self, reported: Path) -> None:
        text = (reported / "report.md").read_text("utf-8")
        tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        assert len(tables) > 10
        for table in tables:
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1

    def test_texts_end_no_element_by_an_empty_line(self, reported: Path) -> None:
        text = (reported / "report.md").read_text("utf-8")
        views = re.findall(r"<details><summary>\d.*?</details>$", text, re.DOTALL | re.MULTILINE)
        assert len(views) > 3
        assert not [view for view in views if "\n\n" in view]
