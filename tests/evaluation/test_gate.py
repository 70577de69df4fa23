"""Floors under the figures of a run, and that the small set's hold."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.evaluation.__main__ import main
from tests.builders import REPOSITORY
from tests.evaluation.builders import PAGE, run_command, write_pairs

pytestmark = pytest.mark.full

SMALL_SET = REPOSITORY / "tests" / "evaluation" / "small_set"

Floors = dict[str, Any]
Edit = Callable[[Floors], object]
#: Runs the command; gives its status, what it printed and its complaints.
Gate = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two extractors on three pages, one without content."""
    folder = tmp_path_factory.mktemp("gate")
    pages = write_pairs(folder / "pages", {"1": PAGE, "2": "<p>none", "3": PAGE})
    assert main(run_command(pages, "justext,ttr", folder / "out")) == 0
    return folder / "out"


@pytest.fixture
def floors_file(run_folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "floors.json"
    assert main(["gate", str(run_folder), "--floors", str(path), "--write"]) == 0
    return path


@pytest.fixture
def gate(capsys: pytest.CaptureFixture[str]) -> Gate:
    def run(run_folder: Path, floors: Path, *options: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return (main(["gate", str(run_folder), "--floors", str(floors), *options]), *capsys.readouterr())

    return run


def change(path: Path, edit: Edit) -> None:
    floors: Floors = json.loads(path.read_text())
    edit(floors)
    path.write_text(json.dumps(floors))


def justext(floors: Floors) -> Any:
    """The floors of a measure."""
    return floors["pages"]["floors"]["justext"]["bag"]


def row_of(run_folder: Path) -> dict[str, Any]:
    """The figures of that measure."""
    rows = json.loads((run_folder / "summary.json").read_text())
    [row] = [row for row in rows if (row["extractor"], row["measure"]) == ("justext", "bag")]
    return dict(row)


class TestHolding:
    def test_what_a_run_writes_it_holds(self, run_folder: Path, floors_file: Path, gate: Gate) -> None:
        assert gate(run_folder, floors_file) == (0, "all 50 floors hold\n", "")

    def test_floors_are_rounded_down(self, run_folder: Path, floors_file: Path) -> None:
        row, floors = row_of(run_folder), justext(json.loads(floors_file.read_text()))
        assert set(floors) == {"precision", "recall", "f1", "documents", "ok"}
        assert row["f1"] == pytest.approx(2 / 3 * 2 * 0.5 / 1.5, abs=0.01)
        for figure in ("precision", "recall", "f1"):
            assert 0 <= row[figure] - floors[figure] < 0.0001
        assert (floors["documents"], floors["ok"]) == (3, 2)

    @pytest.mark.parametrize("figure", ["precision", "recall", "f1"])
    def test_a_floor_itself_still_holds(self, run_folder: Path, floors_file: Path, gate: Gate, figure: str) -> None:
        value = row_of(run_folder)[figure]
        for more, status in ((0, 0), (1e-9, 1)):
            change(floors_file, lambda floors: justext(floors).update({figure: value + more}))  # noqa: B023
            assert gate(run_folder, floors_file)[0] == status

    def test_a_beginning_of_the_digest_will_do(self, run_folder: Path, floors_file: Path, gate: Gate) -> None:
        change(floors_file, lambda floors: floors["pages"].update(digest=floors["pages"]["digest"][:16]))
        assert gate(run_folder, floors_file)[0] == 0


FALLEN: dict[str, tuple[Edit, list[str]]] = {
    "a share": (lambda floors: justext(floors).update(recall=0.99), ["pages", "justext", "bag", "recall", "0.9900"]),
    "a page more that failed": (lambda floors: justext(floors).update(ok=3), ["ok", "3", "2", "-1"]),
    "fewer documents": (lambda floors: justext(floors).update(documents=4), ["documents", "4", "3", "-1"]),
    "a data set": (
        lambda floors: floors.update(other=floors["pages"]),
        ["other", "ttr", "edit", "f1", "no such data set in the run"],
    ),
    "an extractor": (
        lambda floors: floors["pages"]["floors"].update({"ref:justext": {"bag": {"f1": 0}}}),
        ["ref:justext", "f1", "0.0000", "–", "no such extractor in the run"],
    ),
    "a measure": (
        lambda floors: floors["pages"]["floors"]["ttr"].update(rouge={"f1": 0.5}),
        ["rouge", "no such measure in the run"],
    ),
}


@pytest.mark.parametrize(("edit", "words"), FALLEN.values(), ids=FALLEN)
def test_what_fell_is_in_a_table(run_folder: Path, floors_file: Path, gate: Gate, edit: Edit, words: list[str]) -> None:
    change(floors_file, edit)
    status, printed, complaints = gate(run_folder, floors_file)
    first, *lines = printed.splitlines()
    assert (status, first.split()) == (1, ["data", "set", "extractor", "measure", "figure", "floor", "found"])
    assert any(all(word in line for word in words) for line in lines)
    assert f"{len(lines)} of " in complaints
    assert "floors do not hold" in complaints


def test_an_undefined_figure_has_fallen(run_folder: Path, floors_file: Path, tmp_path: Path, gate: Gate) -> None:
    out = shutil.copytree(run_folder, tmp_path / "copy")
    rows = json.loads((out / "summary.json").read_text())
    (out / "summary.json").write_text(json.dumps([{**row, "f1": None} for row in rows]))
    status, printed, _ = gate(out, floors_file)
    assert (status, printed.count("undefined")) == (1, 10)


BAD_FLOORS: dict[str, tuple[Edit, str]] = {
    "another digest": (
        lambda floors: floors["pages"].update(digest="ab" * 32),
        "the data set pages is not the one of FILE: digest abababababababab expected, ",
    ),
    "no digest": (lambda floors: floors["pages"].pop("digest"), "pages: must have floors and a digest"),
    "a short digest": (lambda floors: floors["pages"].update(digest=""), "a digest of 16 digits or more"),
    "no floors": (lambda floors: floors["pages"].update(floors={}), "no floor in it"),
    "nothing": (dict.clear, "no floor in it"),
    "an unknown figure": (lambda floors: justext(floors).update(f2=0.1), "unknown figure 'f2'"),
    "no number": (lambda floors: justext(floors).update(f1="high"), "f1 = 'high': must be a number"),
    "a truth value": (lambda floors: justext(floors).update(f1=True), "f1 = True: must be a number"),
    "not a share": (lambda floors: justext(floors).update(f1=90), "f1 = 90: must be a number"),
    "not a number": (lambda floors: justext(floors).update(ok=float("nan")), "ok = nan: must be a number"),
    "a list": (lambda floors: floors["pages"].update(floors=[1]), "pages: must be an object, not [1]"),
}


@pytest.mark.parametrize(("edit", "message"), BAD_FLOORS.values(), ids=BAD_FLOORS)
def test_floors_that_cannot_be_compared(
    run_folder: Path, floors_file: Path, gate: Gate, edit: Edit, message: str
) -> None:
    change(floors_file, edit)
    status, _, complaints = gate(run_folder, floors_file)
    [line] = complaints.splitlines()
    assert status == 2
    assert message.replace("FILE", str(floors_file)) in line


class TestBadInput:
    @pytest.mark.parametrize("content", [None, "", "{", "[" * 100_000], ids=["missing", "empty", "torn", "deep"])
    def test_a_file_that_is_none(self, run_folder: Path, tmp_path: Path, gate: Gate, content: str | None) -> None:
        path = tmp_path / "floors.json"
        if content is not None:
            path.write_text(content)
        status, _, complaints = gate(run_folder, path)
        [line] = complaints.splitlines()
        assert status == 2
        assert str(path) in line

    def test_a_folder_without_a_run(self, tmp_path: Path, gate: Gate) -> None:
        status, _, complaints = gate(tmp_path, tmp_path / "f")
        assert (status, complaints.endswith("holds no run\n")) == (2, True)

    def test_a_run_that_was_not_scored(self, run_folder: Path, tmp_path: Path, gate: Gate) -> None:
        shutil.copy(run_folder / "run.json", tmp_path)
        status, _, complaints = gate(tmp_path, tmp_path / "f", "--write")
        assert status == 2
        assert "summary.json is missing; the run has not come to its end" in complaints
        assert not (tmp_path / "f").exists()

    def test_floors_are_not_overwritten_unasked(self, run_folder: Path, floors_file: Path, gate: Gate) -> None:
        floors_file.write_text("mine")
        status, _, complaints = gate(run_folder, floors_file, "--write")
        assert status == 2
        assert "is there already; --force writes over it" in complaints
        assert floors_file.read_text() == "mine"
        assert gate(run_folder, floors_file, "--write", "--force")[0] == gate(run_folder, floors_file)[0] == 0


def test_the_small_sets_floors_hold(tmp_path: Path, gate: Gate) -> None:
    floors = SMALL_SET / "floors.json"
    extractors = ",".join(json.loads(floors.read_text())["small_set"]["floors"])
    assert main([*run_command(SMALL_SET, extractors, tmp_path / "out", jobs=2), "--keep-non-ascii"]) == 0
    status, printed, _ = gate(tmp_path / "out", floors)
    assert status == 0, printed
