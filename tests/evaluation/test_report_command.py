"""The command ``report``: what it writes, and what it refuses."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import html as lxml_html

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.report.output import escape_text
from tests.evaluation.report_run import HOSTILE_NAME, hostile_run, write_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = hostile_run(tmp_path_factory.mktemp("run"))
    assert main(["report", str(out), "--top", "8", "--pairs", f"good,{HOSTILE_NAME}", "middling,good"]) == 0
    return out


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
        assert len(images) == len(set(images)) == 5 * 4
        assert all((reported / image).is_file() for image in images)

    def test_hostile_texts_stay_texts(self, reported: Path) -> None:
        text = (reported / "report.md").read_text("utf-8")
        assert "<script" not in text
        assert "<img" not in re.sub(r"\\<img", "", text)
        assert escape_text(HOSTILE_NAME) in text
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


def test_the_same_run_gives_the_same_report(reported: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(reported, copy)
    arguments = ["--top", "8", "--pairs", f"good,{HOSTILE_NAME}", "middling,good"]
    command = [sys.executable, "-m", "scrapy_justext.evaluation", "report", str(copy), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("report.md", "report.html"):
        assert (copy / name).read_bytes() == (reported / name).read_bytes()


class TestWhatIsGone:
    def test_the_data_set(self, tmp_path: Path) -> None:
        out = hostile_run(tmp_path)
        shutil.rmtree(tmp_path / "pages")
        assert main(["report", str(out)]) == 0
        for name in ("report.md", "report.html"):
            assert "Texts cannot be shown side by side: the data set can no longer be read" in (out / name).read_text()
        assert not page_of(out).xpath("//div[@class='texts']")

    def test_the_data_set_as_it_was(self, tmp_path: Path) -> None:
        out = hostile_run(tmp_path)
        (tmp_path / "pages" / "gold" / "1.txt").write_text("another")
        assert main(["report", str(out)]) == 0
        assert "has changed since the run" in (out / "report.html").read_text()

    def test_the_texts(self, tmp_path: Path) -> None:
        out = hostile_run(tmp_path)
        shutil.rmtree(out / "raw")
        assert main(["report", str(out)]) == 0
        assert "is no longer in the run's folder" in (out / "report.html").read_text().replace("&#39;", "'")

    def test_the_record_of_the_run(self, tmp_path: Path) -> None:
        out = hostile_run(tmp_path)
        (out / "run.json").unlink()
        assert main(["report", str(out)]) == 0
        assert "the run has no record of where the data set is" in (out / "report.md").read_text()

    def test_a_second_extractor(self, tmp_path: Path) -> None:
        out = write_run(tmp_path, {"good": {2: "the"}})
        assert main(["report", str(out)]) == 0
        text = (out / "report.md").read_text()
        assert "No two of the extractors asked for" in text
        assert "Mann-Whitney U at" not in text


def _spoil(out: Path, name: str, content: str | None) -> None:
    if content is None:
        (out / name).unlink()
    else:
        (out / name).write_text(content)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("summary.json", None, "holds no summary.json", id="no summary"),
        pytest.param("summary.json", "{", "is not JSON", id="torn summary"),
        pytest.param("summary.json", "{}", "is not a list of rows", id="summary of another kind"),
        pytest.param("summary.json", "[]", "holds no row", id="empty summary"),
        pytest.param("summary.json", "[{}]", "has a row without 'dataset'", id="row without fields"),
        pytest.param("documents.jsonl", None, "holds no documents.jsonl", id="no documents"),
        pytest.param("documents.jsonl", "[1]\n", "does not hold the scores of a run", id="other documents"),
        pytest.param("run.json", "[]", "is not the record of a run", id="record of another kind"),
    ],
)
def test_bad_folders(
    name: str, content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_run(tmp_path, {"good": {}}, pages=2)
    _spoil(out, name, content)
    assert main(["report", str(out)]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1
    assert not (out / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--pairs", "good,bed"], "did you mean bad?", id="unknown extractor"),
        pytest.param(["--pairs", "good"], "must be two extractors of the run", id="one extractor"),
        pytest.param(["--pairs", "good,good"], "must be two extractors of the run", id="the same twice"),
        pytest.param(["--pairs", "good,bad,good"], "must be two extractors of the run", id="three extractors"),
        pytest.param(["--top", "-1"], "must be a whole number, 0 or more", id="negative top"),
        pytest.param(["--top", "many"], "must be a whole number, 0 or more", id="top in words"),
        pytest.param(["--measure", "shingles"], "did you mean shingle?", id="unknown measure"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = write_run(tmp_path, {"good": {}, "bad": {1: ""}}, pages=2)
    assert main(["report", str(out), *arguments]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1
    assert not (out / "report.html").exists()


def test_no_such_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = write_run(tmp_path, {"good": {}}, pages=2)
    (out / "charts").write_text("in the way")
    assert main(["report", str(out)]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_library_that_is_not_installed(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_run(tmp_path, {"good": {}}, pages=2)
    monkeypatch.setitem(sys.modules, library, None)
    assert main(["report", str(out)]) == 2
    assert f"{library} is not installed: pip install 'scrapy-justext[evaluation]'" in capsys.readouterr().err
