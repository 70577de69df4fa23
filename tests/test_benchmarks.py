"""The benchmarks work with few pages, too."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse

from benchmarks import archive, parameters, peers, pipelines, processes, tuner
from benchmarks.crawl import PagesSpider
from benchmarks.markdown import write_table
from scrapy_justext.core.learned.model import shipped_model
from tests.core.learned.pages import document
from training.samples import Page


@pytest.mark.parametrize("pages", [1, 9, 10, 25])
def test_a_crawl_of_few_pages_yields_an_item_for_each(pages: int) -> None:
    spider = PagesSpider(pages=pages)
    response = HtmlResponse("http://localhost/0", body=b"<a href='/1'>next</a>")
    items = [item for _ in range(pages) for item in spider.parse(response)]
    assert items == [{"url": "http://localhost/0", "links": 1}] * pages
    assert len(spider.sizes) >= min(pages, 10)


def test_processes_are_not_compared_by_pages_that_are_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks.processes", "--pages", str(processes.WARM)])
    with pytest.raises(SystemExit, match="2"):
        processes.main()
    assert f"--pages must be above {processes.WARM}" in capsys.readouterr().err


@pytest.mark.full
def test_the_memory_of_archives_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks.archive", "--memory", "0.5"])
    archive.main()
    size, _, pages, *memory = capsys.readouterr().out.splitlines()[-1].split()
    assert size == "0.5"
    assert min(map(int, (pages, *memory))) > 0


@pytest.mark.full
def test_processes_are_compared_by_crawls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(processes, "ROWS", ((processes.NONE, 0), ("justext", 0)))
    monkeypatch.setattr(sys, "argv", ["benchmarks.processes", "--pages", str(processes.WARM + 8), "--rounds", "1"])
    processes.main()
    shown = capsys.readouterr().out
    assert [shown.count(f"\n{name} ") for name in ("none", "justext")] == [2, 2]


@pytest.mark.full
def test_pipelines_that_are_installed_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table, missing = tmp_path / "pipelines.md", "FastWARC and Trafilatura"
    installed = (pipelines.FIRST, "FastWARC and resiliparse")
    monkeypatch.setattr(pipelines, "PIPELINES", {name: pipelines.PIPELINES[name] for name in (*installed, missing)})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "trafilatura.py").write_text("raise ImportError('it is not installed')", "utf-8")
    pages = str(pipelines.FIRST_PAGES + 20)
    monkeypatch.setattr(sys, "argv", ["pipelines", "--pages", pages, "--rounds", "1", "--markdown", str(table)])
    pipelines.main()
    assert f"left out: {missing} (ImportError: it is not installed)" in capsys.readouterr().out
    rows = [line.split(" | ")[0] for line in table.read_text("utf-8").splitlines() if line.startswith("| ")]
    assert rows[2:] == [f"| {name}" for name in installed]


def test_pages_must_be_more_than_those_that_load_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pipelines", "--pages", str(pipelines.FIRST_PAGES)])
    with pytest.raises(SystemExit, match="2"):
        pipelines.main()
    assert f"--pages must be above {pipelines.FIRST_PAGES}" in capsys.readouterr().err


def test_help_of_the_tuner_measures_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("it measures")

    monkeypatch.setattr(sys, "argv", ["benchmarks.tuner", "--help"])
    monkeypatch.setattr(tuner, "load_pages", fail)
    with pytest.raises(SystemExit, match="0"):
        tuner.main()
    assert "--requests" in capsys.readouterr().out


def test_a_table_for_the_documentation(tmp_path: Path) -> None:
    write_table(tmp_path / "figures" / "a.md", "3 pages.", ("", "ms"), [("justext", "1.5"), ("learned", "3.0")])
    lines = (tmp_path / "figures" / "a.md").read_text("utf-8").splitlines()
    assert lines == ["3 pages.", "", "|  | ms |", "| --- | ---: |", "| justext | 1.5 |", "| learned | 3.0 |"]


def test_extractors_are_compared_by_rows_of_pages() -> None:
    groups = [("a", "a, forum", f"a, forum, {language}") for language in ("zh", "zh", "ru")]
    columns, rows = peers.table(["ref:x", "m:own_y"], groups, [(0.5, 1.0), (0.7, 0.2), (0.0, 0.9)])
    assert columns == ["", "pages", "x", "own-y"]
    assert rows == [
        ["a", "3", "0.400", "**0.700**"],
        ["a, forum", "3", "0.400", "**0.700**"],
        ["a, forum, zh", "2", "**0.600**", "**0.600**"],
        ["all", "3", "0.400", "**0.700**"],
    ]


def test_a_page_that_an_extractor_fails_on_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise RecursionError

    page = Page("set", document(3))
    monkeypatch.setattr(peers, "extractor_of", {"own": lambda page, _: page.gold, "other": fail}.get)
    assert peers.f1s_of(["own", "other"], page) == [1.0, 0.0]


def test_every_page_counts_in_the_columns_of_its_own_set(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [replace(document(number), page_type="article") for number in range(2)]
    monkeypatch.setattr(parameters, "SETS", ("wcxb:wcxb-dev",))
    monkeypatch.setattr(parameters, "load_model", lambda _: shipped_model("learned"))
    monkeypatch.setattr(parameters, "open_data_set", lambda _: SimpleNamespace(documents=pages))
    found = parameters.measure("learned", Path())
    assert {column: len(f1s) for column, f1s in found["none of them"].items()} == {
        "wcxb-dev": 2, "wcxb-dev articles": 2,
    }  # fmt: skip
