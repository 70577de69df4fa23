"""The command ``report``: what it writes, and what it refuses."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from lxml import html as lxml_html

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.report import escape_markdown
from tests.evaluation.builders import HOSTILE_NAME, complain, hostile_run, keep_measure, write_run


def small_hostile_run(folder: Path) -> Path:
    """A hostile run with the figures of one measure alone."""
    out = hostile_run(folder)
    keep_measure(out, "sequence")
    return out


@pytest.mark.full
def test_the_same_run_gives_the_same_report(tmp_path: Path) -> None:
    out, copy = small_hostile_run(tmp_path), tmp_path / "copy"
    shutil.copytree(out, copy)
    assert main(["report", str(out)]) == 0
    command = [sys.executable, "-m", "scrapy_justext.evaluation", "report", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("report.md", "report.html"):
        assert (copy / name).read_bytes() == (out / name).read_bytes()


#: What goes away or changes in the folder of a hostile run and beside it, and what the report then says.
GONE: dict[str, tuple[Callable[[Path], object], str]] = {
    "the data set": (
        lambda folder: shutil.rmtree(folder / "pages"),
        "Texts cannot be shown side by side: the data set can no longer be read",
    ),
    "a gold text": (lambda folder: (folder / "pages" / "gold" / "1.txt").write_text("x"), "has changed since the run"),
    "the texts": (lambda folder: shutil.rmtree(folder / "out" / "raw"), "is no longer in the run's folder"),
}


@pytest.mark.usefixtures("no_charts")
class TestWhatIsGone:
    @pytest.mark.parametrize(("spoil", "message"), GONE.values(), ids=GONE)
    def test_what_a_report_needs(self, spoil: Callable[[Path], object], message: str, tmp_path: Path) -> None:
        out = small_hostile_run(tmp_path)
        spoil(tmp_path)
        assert main(["report", str(out)]) == 0
        for name in ("report.md", "report.html"):
            assert message in unescape((out / name).read_text())
        assert not page_of(out).xpath("//div[@class='texts']")

    def test_a_second_extractor(self, tmp_path: Path) -> None:
        out = write_run(tmp_path, {"good": {2: "the"}})
        keep_measure(out, "sequence")
        assert main(["report", str(out)]) == 0
        text = (out / "report.md").read_text()
        assert "No two extractors have figures" in text
        assert "Mann-Whitney U at" not in text


def _spoil(out: Path, name: str, content: str | None) -> None:
    if content is None:
        (out / name).unlink()
    else:
        (out / name).write_text(content)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("run.json", None, "holds no run.json", id="no record"),
        pytest.param("documents.jsonl", None, "holds no documents.jsonl", id="no documents"),
        pytest.param("documents.jsonl", "[1]\n", "does not hold the scores of a run", id="other documents"),
        pytest.param("documents.jsonl", "{", "does not hold the scores of a run", id="torn documents"),
        pytest.param("documents.jsonl", "", "holds no row", id="empty documents"),
        pytest.param("documents.jsonl", '{"sizes": [1, 1, 1]}\n', "missing 11 required", id="documents without fields"),
        pytest.param("run.json", "[]", "is not the record of a run", id="record of another kind"),
    ],
)
def test_bad_folders(
    name: str, content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_run(tmp_path, {"good": {}}, pages=2)
    _spoil(out, name, content)
    [line] = complain(capsys, "report", str(out))
    assert message in line
    assert not (out / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--measure", "shingles"], "did you mean shingle?", id="unknown measure"),
        pytest.param(["--names", "goods=best"], "did you mean good?", id="another name of nobody"),
        pytest.param(["--names", "good="], "must be NAME=SHOWN", id="no other name"),
        pytest.param(["--names", "good=bad"], "another name than those of the run", id="the name of another"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = write_run(tmp_path, {"good": {}, "bad": {1: ""}}, pages=2)
    [line] = complain(capsys, "report", str(out), *arguments)
    assert message in line
    assert not (out / "report.html").exists()


def test_no_such_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = write_run(tmp_path, {"good": {}}, pages=2)
    keep_measure(out, "sequence")
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
    message = (
        f"{library} is not installed; the extra evaluation of scrapy-justext brings it: pip install 'apted>=1.0.3' '"
    )
    assert message in capsys.readouterr().err


def with_page_types(out: Path) -> None:
    """Say of the pages of a run that all are forums."""
    documents = out / "documents.jsonl"
    lines = [{**json.loads(line), "page_type": "forum"} for line in documents.read_text("utf-8").splitlines()]
    documents.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")


@pytest.mark.full
def test_figures_are_for_other_pages_to_include(tmp_path: Path) -> None:
    out, figures = write_run(tmp_path, {"good": {}, "ref:bad": {1: "", 2: None}}), tmp_path / "a" / "figures"
    with_page_types(out)
    arguments = ["--measure", "bag", "--figures", str(figures), "--names", "good=good, as we say"]
    assert main(["report", str(out), *arguments]) == 0
    assert {path.name for path in figures.iterdir()} == {
        "pages-bag.md", "pages-bag-types.svg", "pages-bag-time.svg"
    }  # fmt: skip
    note, _, heads, _, first, second = (figures / "pages-bag.md").read_text("utf-8").splitlines()
    assert note == "8 pages; language: not given; good, as we say 1.0; ref:bad 1.0."
    assert heads == "| Extractor | F1 | Precision | Recall | forum (8) | ms a page | failed |"
    assert first == "| good, as we say | **1.000** | **1.000** | **1.000** | **1.000** | 10.0 |  |"
    assert second.startswith("| ref:bad | 0.")
    assert second.endswith("| 20.0 | 1 |")
    chart = (figures / "pages-bag-types.svg").read_text("utf-8")
    assert "forum: good, as we say 1.000, ref:bad 0." in chart
    # In the colours of the page around it, light or dark.
    assert "fill: light-dark(#1f5a94, #8fc1f2)" in chart
    assert "good, as we say" not in (out / "report.md").read_text("utf-8")


def page_of(out: Path) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring((out / "report.html").read_text("utf-8"))


@pytest.mark.full
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
        assert any("light-dark(#1c2128, #e6ebf0)" in str(style) for style in styles)
        pairs = re.compile(r"light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)")
        assert not [style for style in styles if re.search(r"#[0-9a-f]{6}", pairs.sub("", str(style)))]

    def test_texts_stand_side_by_side_with_marks(self, reported: Path) -> None:
        page = page_of(reported)
        heads = [" ".join(head.text_content().split()) for head in page.xpath("(//div[@class='texts'])[1]//h5")]
        assert heads == ["Gold standard", "good", HOSTILE_NAME]
        assert page.xpath("//div[@class='text']//ins")
        assert page.xpath("//div[@class='text']//del[@class='missed-second']")


@pytest.mark.full
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
