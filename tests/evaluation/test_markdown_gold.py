"""Data sets whose gold standard is Markdown, from the files to the report."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.datasets.corpora import split_head, to_markdown
from scrapy_justext.evaluation.datasets.documents import DataSet, Document
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.extractors.base import FunctionExtractor, extract_content
from scrapy_justext.evaluation.extractors.names import PEERS, find_extractor
from scrapy_justext.evaluation.kinds import KIND_MEASURES, read_markdown, whole_text
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.scoring import ExtractorRow, read_results, read_scores, score_run
from scrapy_justext.evaluation.statistics import mean_interval
from scrapy_justext.evaluation.store import ExtractorRecord
from scrapy_justext.evaluation.tables import format_kinds, kinds_tables, overview_table
from scrapy_justext.exceptions import MissingLibraryError
from tests.builders import REPOSITORY
from tests.evaluation.builders import STORY, Files, store_texts, write

pytestmark = pytest.mark.full

OUR_PAGES = REPOSITORY / "tests" / "kinds" / "pages"


# Pages beside their Markdown.


def test_pages_beside_their_markdown(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "set",
        {
            "1.html": "<p>Café".encode("latin-1"),
            "1.md": "---\nurl: http://a.b/\nlanguage: fr\ntype: paper\n---\n\n# A *b*\n",
            "2.html": "<p>Two",
            "2.md": "Two",
            "3.html": "<p>Without",
            "4.md": "Without",
            "5.html": "<p>A",
            "5.md": b"\xff\xfe\xff",
            "notes.txt": "",
        },
    )
    found = open_data_set(f"kinds:{folder}")
    assert (found.kind, found.name, found.ids) == ("kinds", "set", ("1", "2"))
    assert set(found.problems) == {
        ("no gold", "3"), ("no page", "4"), ("undecodable gold", "5"), ("stray file", "set/notes.txt"),
    }  # fmt: skip
    first, second = found.documents
    assert (first.gold, first.markdown, first.url, first.page_type) == ("A b", "# A *b*\n", "http://a.b/", "paper")
    assert (first.metadata, first.text) == ({"language": "fr"}, "<p>Café")
    assert (second.gold, second.markdown, second.url, second.page_type) == ("Two", "Two", None, None)


@pytest.mark.parametrize("library", ["apted", "markdown_it", "mdit_py_plugins"])
def test_a_missing_library_is_said_before_anything_is_run(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    folder = write(tmp_path / "set", {"1.html": "<p>A", "1.md": "A"})
    command = ["run", "--dataset", f"kinds:{folder}", "--extractor", "ttr", "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert f"{library} is not installed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_digest_is_that_of_the_markdown(tmp_path: Path) -> None:
    pages = {
        name: write(tmp_path / name, {"1.html": "<p>A", "1.md": gold}) for name, gold in {"a": "A", "b": "*A*"}.items()
    }
    assert len({open_data_set(f"kinds:{page}").digest for page in pages.values()}) == 2


HEADS: dict[str, tuple[str, dict[str, object], str]] = {
    "lines": ("---\nlanguage: en\n\ntype: 'a: b'\nurl:\n---\nA", {"language": "en", "type": "a: b", "url": ""}, "A"),
    "JSON": ('---\n{"type": "paper", "marks": [1]}\n---\n\nA', {"type": "paper", "marks": [1]}, "A"),
    "lines of Windows": ("---\r\ntype: a\r\n---\r\nA\r\n", {"type": "a"}, "A\n"),
    "nothing behind it": ("---\ntype: a\n---", {"type": "a"}, ""),
    "none": ("A\n\n---\n\nb: c\n\n---\n", {}, "A\n\n---\n\nb: c\n\n---\n"),
    "a rule, and no head": ("---\nA sentence.\n\n---\n", {}, "---\nA sentence.\n\n---\n"),
    "broken JSON": ('---\n{"type"\n---\nA', {}, '---\n{"type"\n---\nA'),
    "without an end": ("---\ntype: a\n", {}, "---\ntype: a\n"),
}


@pytest.mark.parametrize(("text", "head", "markdown"), HEADS.values(), ids=HEADS)
def test_heads(text: str, head: dict[str, object], markdown: str) -> None:
    assert split_head(text) == (head, markdown)


# WebMainBench.


PIECES: dict[str, tuple[list[Any], str]] = {
    "title": ([{"type": "title", "content": {"title_content": "A $", "level": 2}}], r"## A \$"),
    "a level that is none": ([{"type": "title", "content": {"title_content": "A", "level": "x"}}], "# A"),
    "paragraph": (
        [
            {
                "type": "paragraph",
                "content": [
                    {"c": "mass_1 is", "t": "text"}, {"c": " E = mc^2 ", "t": "equation-inline"},
                    {"c": "`x`", "t": "code-inline"}, {"c": "**so**", "t": "md"},
                ],
            }
        ],
        r"mass\_1 is $E = mc^2$ `` `x` `` **so**",
    ),
    "text": ([{"type": "text", "content": "1. a | b"}], r"1\. a \| b"),
    "code": (
        [{"type": "code", "content": {"code_content": "a\n  ```\n", "language": "python"}}],
        "````python\na\n  ```\n````",
    ),
    "code as a text": ([{"type": "code", "content": "a"}], "```\na\n```"),
    "code in a line": ([{"type": "code", "inline": True, "content": {"code_content": "a"}}], "`a`"),
    "formula": ([{"type": "equation-interline", "content": {"math_content": "a\n\nb"}}], "$$\na\nb\n$$"),
    "formula in a line": ([{"type": "equation-inline", "content": {"math_content": " a "}}], "$a$"),
    "table": (
        [{"type": "complex_table", "content": {"html": "<table>\n\n<tr><td>a</table>"}}],
        "<table> <tr><td>a</table>",
    ),
    "simple table": (
        [{"type": "simple_table", "content": {"html": "<table><tr><td>a</table>"}}],
        "<table><tr><td>a</table>",
    ),
    "list": (
        [{"type": "list", "content": {"items": [[{"c": "a", "t": "text"}], [[{"c": "x", "t": "equation-inline"}]]]}}],
        "- a\n- $x$",
    ),
    "nested list": (
        [{"type": "list", "content": {"items": [{"c": "a", "t": "text", "child_list": {"items": [{"c": "b"}]}}]}}],
        "- a b",
    ),
    "image": ([{"type": "image", "content": {"url": "a b.png", "alt": "[x]"}}], r"![\[x\]](<ab.png>)"),
    "pages": ([[{"type": "text", "content": "a"}], [], [{"type": "text", "content": "b"}]], "a\n\nb"),
    "what is no text": ([{"type": "video", "content": {"title": "a"}}, {"type": "text"}, {}, "x", None], ""),
}  # fmt: skip


@pytest.mark.parametrize(("pieces", "markdown"), PIECES.values(), ids=PIECES)
def test_typed_pieces(pieces: list[Any], markdown: str) -> None:
    assert to_markdown(pieces) == markdown


def test_webmainbench(tmp_path: Path) -> None:
    html = '<p cc-select="true" class=a>One</p><p>Two'
    rows: list[dict[str, Any]] = [
        {
            "track_id": "a", "url": "http://a.b/", "html": html, "groundtruth_content": "*One*",
            "convert_main_content": "Two",
            "meta": {"language": "en", "style": "Article", "level": "mid", "table": []},
        },
        {"track_id": "b", "html": html, "convert_main_content": "Two"},
        {
            "track_id": "c", "html": html, "groundtruth_content": "Three",
            "groundtruth_content_list": [{"type": "code", "content": "x"}],
        },
        {"track_id": "d", "html": html},
        {"track_id": "../e", "html": html, "groundtruth_content": "E"},
        {"id": "f", "html": html},
    ]  # fmt: skip
    path = tmp_path / "bench.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = open_data_set(f"webmainbench:{path}")
    assert (found.kind, found.ids) == ("webmainbench", ("a", "b", "c"))
    assert set(found.problems) == {
        ("no gold", "d"), ("bad id", "bench.jsonl, line 5"), ("unreadable gold", "bench.jsonl, line 6"),
    }  # fmt: skip
    first, second, third = found.documents
    assert (first.gold, first.markdown, first.url, first.page_type) == ("One", "*One*", "http://a.b/", "Article")
    assert first.metadata == {"language": "en", "level": "mid"}
    assert first.text == "<p class=a>One</p><p>Two"
    assert (second.markdown, second.page_type) == ("Two", None)
    assert third.markdown == "```\nx\n```"


# What extractors are asked for.


def page(html: str, markdown: str | None = "") -> Document:
    return Document("1", html.encode(), "utf-8", "declared", 1.0, "", url="http://a.b/c/", markdown=markdown)


def shout(document: Document, _: object) -> str:
    return f"*{document.id}*\n    $x$"


def test_extractors_give_what_the_gold_standard_is() -> None:
    text = FunctionExtractor("text", "1", shout)
    both = FunctionExtractor("both", "1", shout, markdown_function=lambda *_: "**1**")
    assert extract_content(text, page("", None), None) == extract_content(both, page("", None), None) == "*1*\n    $x$"
    assert extract_content(both, page(""), None) == "**1**"
    plain = extract_content(text, page(""), None)
    assert whole_text(plain) == "*1*\n$x$"
    assert read_markdown(plain).formulas == read_markdown(plain).code == ()


def test_our_profiles_give_markdown() -> None:
    html = f"<p>{STORY}</p><p>{STORY} <a href=d>There</a> is more.</p>"
    assert "[There](http://a.b/c/d) is more" in extract_content(find_extractor("justext"), page(html), "English")


WITH_MARKDOWN = [name for name, peer in PEERS.items() if peer.markdown is not None]


@pytest.mark.parametrize("name", WITH_MARKDOWN)
def test_markdown_of_peers(name: str) -> None:
    if name == "ref:readability-lxml":
        pytest.importorskip("markdownify", reason="markdownify is not installed")
    try:
        extractor = find_extractor(name)
    except MissingLibraryError as error:
        pytest.skip(str(error))
    story = "".join(f"<h2>Part {number}</h2><p>{STORY * 2}</p>" for number in range(5))
    html = f"<!DOCTYPE html><html><body><article><h1>Two cities</h1>{story}</article></body></html>"
    markdown = extract_content(extractor, page(html), "English")
    assert re.search(r"^(## Part 3|Part 3\n-+)$", markdown, re.MULTILINE)
    assert "<p>" not in markdown


# From a run to its report.

TABLE = "| a | b |\n|---|---|\n| c | d |\n"
#: id: gold, retrieved by the one and by the other; None: failed
GIVEN: dict[str, tuple[str, str | None, str | None]] = {
    "1": ("A\n\n```\nabcd\n```\n", "A\n\n```\nabcd\n```\n", "A\n\n```\nab\n```\n"),
    "2": (f"B\n\n```\nabcd\n```\n\n{TABLE}", f"B\n\nabcd\n\n{TABLE}", None),
    "3": ("C $x$", "C\n\n    $x$\n", "C"),
    "4": ("D", "D\n\n```\nd\n```\n", "D"),
}


@pytest.fixture
def data_set(tmp_path: Path) -> DataSet:
    files: Files = {}
    for name, (gold, *_) in GIVEN.items():
        files |= {f"{name}.html": "<p>A", f"{name}.md": f"---\ntype: t{name in '12'}\n---\n{gold}"}
    return open_data_set(f"kinds:{write(tmp_path / 'set', files)}")


@pytest.fixture
def run(tmp_path: Path, data_set: DataSet) -> Path:
    out = tmp_path / "out"
    for place, extractor in enumerate(("one", "other"), 1):
        texts = {name: given[place] for name, given in GIVEN.items()}
        store_texts(out, data_set, ExtractorRecord(extractor, "1"), texts)
    score_run(out, [data_set])
    return out


def rows_of(run: Path, extractor: str) -> dict[str, dict[str, Any]]:
    return {
        row["measure"]: row for row in json.loads((run / "summary.json").read_text()) if row["extractor"] == extractor
    }


def test_rows_by_hand(run: Path) -> None:
    whole, other = rows_of(run, "one"), rows_of(run, "other")
    assert list(whole) == [*MEASURES, *KIND_MEASURES]
    # Code: page 1 as it is, page 2 as text; on page 3 a formula as code, on page 4 text as code.
    assert (whole["code"]["f1"], whole["code"]["retrieved_empty"], whole["code"]["relevant_empty"]) == (0.5, 1, 2)
    assert (whole["code"]["f1_low"], whole["code"]["f1_high"]) == (0.0, 1.0)
    assert (whole["tables"]["f1"], whole["tables"]["both_empty"], whole["tables"]["too_large"]) == (1.0, 3, 0)
    assert (whole["formulas"]["f1"], whole["formulas"]["retrieved_empty"]) == (0.0, 1)
    # Of code a half; the page that failed does not count.
    assert (other["code"]["f1"], other["code"]["failed"], other["code"]["relevant_empty"]) == (0.5, 1, 0)
    assert other["tables"]["f1"] is None
    # Measures of texts compare texts: all words are there, and on page 4 one is there twice.
    assert whole["sequence"]["f1"] == pytest.approx((1 + 1 + 1 + 2 / 3) / 4)
    assert (whole["sequence"]["f1_low"], whole["sequence"]["f1_high"]) == (None, None)


def test_page_types_have_rows_too(run: Path) -> None:
    rows = json.loads((run / "page_types.json").read_text())
    figures = {(row["page_type"], row["extractor"]): row["f1"] for row in rows if row["measure"] == "code"}
    assert figures == {
        ("tTrue", "one"): 0.5, ("tTrue", "other"): 0.5, ("tFalse", "one"): None, ("tFalse", "other"): None,
    }  # fmt: skip


def test_what_is_printed(run: Path, data_set: DataSet) -> None:
    rows = [row for row in score_run(run, [data_set]) if row.measure in KIND_MEASURES]
    shares, title, counts = (
        format_kinds(rows, 120)
        .replace("\n\n", "\n")
        .partition("Pages that have it, without any in the gold standard\n")
    )
    assert title
    first, whole, other = shares.rstrip().split("\n")
    assert first.split("  ")[0] == "Extractor"
    assert re.findall(r"[a-z-]+ \(\d\)", first) == [
        "code (2)", "formulas (1)", "tables (1)", "table-text (1)", "images (0)", "text (4)",
    ]  # fmt: skip
    assert whole.split()[:3] == ["one", "0.50", "0.00–1.00"]
    assert other.split()[:3] == ["other", "0.50", "0.50–0.50"]
    assert [line.split() for line in counts.split("\n")] == [
        ["Extractor", "code", "formulas", "tables", "images"],
        ["one", "2", "0", "0", "0"],
        ["other", "0", "0", "0", "0"],
    ]
    assert "–1.00" not in format_kinds(rows, 80)


def test_tables_that_were_compared_as_text_are_reported(run: Path, data_set: DataSet) -> None:
    [row] = [row for row in score_run(run, [data_set]) if (row.measure, row.extractor) == ("tables", "one")]
    assert "too large" not in format_kinds([row], 120)
    values = {field: getattr(row, field) for field in ExtractorRow.__dataclass_fields__}
    assert format_kinds([ExtractorRow(**{**values, "too_large": 2})], 120).endswith(
        "Tables too large for TEDS, compared as text: 2 of all pages and extractors"
    )


@pytest.mark.usefixtures("no_charts")
def test_the_report_has_a_table_of_kinds(run: Path) -> None:
    results = read_results(run).data_sets[0]
    [table] = kinds_tables(results)
    assert sum(table.groups.values()) == len(table.columns)
    heads = [column.head for column in table.columns]
    lines = {name.text: dict(zip(heads, cells, strict=True)) for name, cells in table.lines}
    assert lines["one"]["code (2)"][:2] == ("0.5000", "0.000–1.000")
    assert lines["one"]["code"].text == "2"
    assert lines["other"]["tables (1)"].text == "–"
    assert overview_table(results).heads == [*MEASURES]
    assert main(["report", str(run), "--measure", "code"]) == 0
    markdown, html = (run / "report.md").read_text(), (run / "report.html").read_text()
    for report in (markdown, html):
        assert "Similarity of what is in the Markdown on set" in report
    assert "### set: table-text" in markdown
    # Texts side by side are texts: no dollars, no fences.
    assert "~~~" not in html
    assert "```" not in html


def test_a_run_over_our_own_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages, out = tmp_path / "pages", tmp_path / "out"
    pages.mkdir()
    for page in sorted(OUR_PAGES.iterdir())[:6]:
        shutil.copy(page, pages)
    command = ["run", "--dataset", f"kinds:{pages}", "--extractor", "justext,ttr", "--jobs", "1"]
    assert main([*command, "--out", str(out)]) == 0
    assert "pages, similarity of what is in the Markdown" in capsys.readouterr().out
    names = {scores.measure for scores in read_scores(out)}
    assert names == {*MEASURES, *KIND_MEASURES}
    assert rows_of(out, "ttr")["code"]["f1"] in (0.0, None)


def test_intervals_of_means() -> None:
    low, high = mean_interval([0.0, 1.0] * 50)
    # The standard error is 1/20.
    assert (low, high) == pytest.approx((0.4, 0.6), abs=0.02)
    assert mean_interval([0.7]) == (0.7, 0.7)
