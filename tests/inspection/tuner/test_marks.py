"""Marks are kept, whatever happens, and are a data set of the evaluation framework."""

import json
import pickle
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.exceptions import DataSetError, InspectionError
from scrapy_justext.inspection.pages import InspectedPage
from scrapy_justext.inspection.tuner import Tuner, page_html, page_id
from tests.builders import DEMO_PAGES, full_disk
from tests.inspection.tuner.running import PAGE, STORY, count_marks, inspected, layers

pytestmark = pytest.mark.full

HOME, NEWS, TITLE, FIRST, SHORT, LAST, MORE, CONTACT = range(8)


def mark(tuner: Tuner, index: int, value: str | None, page: int = 0, **chosen: Any) -> list[list[Any]]:
    marks: list[list[Any]] = tuner.begin_mark({"page": page, "index": index, "mark": value, **chosen})()["marks"]
    return marks


def start(path: Path, pages: Sequence[InspectedPage] = (inspected(),)) -> Tuner:
    return Tuner(pages, layers(), path)


def marks_of(tuner: Tuner) -> list[list[Any]]:
    """The marks of the first page."""
    [page, *_] = tuner.judge({})["pages"]
    return list(page["marks"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "below" / "marks.jsonl"


class TestMarking:
    def test_a_mark_says_whether_a_block_is_content(self, path: Path) -> None:
        tuner = start(path)
        assert mark(tuner, HOME, "right") == [[HOME, False]]
        assert mark(tuner, FIRST, "right") == [[HOME, False], [FIRST, True]]
        assert mark(tuner, MORE, "wrong") == [[HOME, False], [FIRST, True], [MORE, True]]
        assert mark(tuner, FIRST, "wrong") == [[HOME, False], [FIRST, False], [MORE, True]]
        assert mark(tuner, FIRST, None) == [[HOME, False], [MORE, True]]

    def test_it_says_so_under_other_settings_too(self, path: Path) -> None:
        tuner = start(path)
        none_good: dict[str, Any] = {"parameters": {"length_high": 5000}}
        assert mark(tuner, FIRST, "wrong", **none_good) == [[FIRST, True]]
        assert tuner.judge({})["pages"][0]["marks_met"] == 1
        [page] = tuner.judge(none_good)["pages"]
        assert (page["marks"], page["marks_met"]) == ([[FIRST, True]], 0)

    def test_it_stays_with_its_block_where_the_page_is_cut_in_another_way(self, path: Path) -> None:
        html = f"<html lang=en><ul><li><a href=/>Home</a></ul><details><summary>More</summary>{STORY * 4}</details>"
        tuner = start(path, [inspected(html)])
        texts = [block.text for block in extract(html).blocks]
        old_texts = [block.text for block in extract(html, profile="justext-3.0").blocks]
        assert texts != old_texts
        mark(tuner, 0, "right")
        [page] = tuner.judge({"profile": "justext-3.0"})["pages"]
        assert page["marks"] == [[old_texts.index("Home"), False]]

    def test_two_tuners_of_one_page_see_each_other_s_marks(self, path: Path) -> None:
        first = start(path)
        mark(first, MORE, "wrong")
        second = start(path)
        assert marks_of(second) == [[MORE, True]]
        assert mark(second, HOME, "right") == [[HOME, False], [MORE, True]]
        assert mark(first, MORE, None) == [[HOME, False]]

    def test_without_marks_a_page_is_not_in_the_file(self, path: Path) -> None:
        tuner = start(path)
        mark(tuner, HOME, "right")
        mark(tuner, HOME, None)
        assert path.read_bytes() == b""
        assert count_marks(path) == {}

    def test_the_marks_of_other_pages_stay(self, path: Path) -> None:
        pages = [inspected(url="https://a.example/x"), inspected(url="https://a.example/y"), inspected("<p>other")]
        tuner = start(path, pages)
        for page in (0, 1, 2):
            mark(tuner, 0, "right", page)
        elsewhere = start(path, pages[:1])
        mark(elsewhere, 1, "right")
        # One that was started earlier does not undo what another has written of other pages.
        mark(tuner, 0, None, 1)
        assert count_marks(path) == {page_id(pages[0]): 2, page_id(pages[2]): 1}

    def test_gold_is_what_marks_and_classes_make_good(self, path: Path) -> None:
        tuner = start(path)
        mark(tuner, HOME, "wrong")
        mark(tuner, FIRST, "wrong")
        [line] = path.read_text(encoding="utf-8").splitlines()
        record = json.loads(line)
        texts = [block.text for block in extract(PAGE).blocks]
        assert record["gold"].split("\n\n") == [texts[i] for i in (HOME, TITLE, SHORT, LAST)]
        assert (record["name"], record["url"]) == ("tale.html", None)
        assert [block.text for block in extract(record["html"]).blocks] == texts


class TestFile:
    def test_it_is_replaced_as_a_whole(self, path: Path) -> None:
        tuner = start(path)
        mark(tuner, HOME, "right")
        before = path.read_bytes()
        problem = r"marks\.jsonl: cannot be written: No space left on device"
        with full_disk(), pytest.raises(InspectionError, match=problem):
            mark(tuner, NEWS, "right")
        assert path.read_bytes() == before
        assert [file.name for file in path.parent.iterdir()] == [path.name]
        # What could not be kept is not shown either.
        assert marks_of(tuner) == [[HOME, False]]

    def test_what_somebody_else_wrote_counts(self, path: Path) -> None:
        tuner = start(path)
        mark(tuner, HOME, "right")
        mark(start(path), NEWS, "right")
        assert mark(tuner, HOME, "wrong") == [[HOME, True], [NEWS, False]]
        path.unlink()
        assert mark(tuner, MORE, "right") == [[MORE, False]]

    def test_where_it_cannot_be_written_is_reported_before_a_mark_is_lost(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        for place in (tmp_path / "file" / "marks.jsonl", Path("/proc/marks.jsonl")):
            with pytest.raises(InspectionError, match=r"marks\.jsonl: cannot be written"):
                start(place)

    def test_others_may_not_read_it(self, path: Path) -> None:
        mark(start(path), HOME, "right")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        "content",
        [b"\xff\n", b"{\n", b"[]\n", b'{"id": 1, "marks": []}\n', b'{"id": "x"}\n', b"[" * 100_000]
        + [b'{"id": "x", "marks": [%s]}\n' % mark for mark in (b"1", b"{}", b'{"text": 1, "nth": 0, "good": true}')],
        ids=lambda content: content[:40].decode("latin-1"),
    )
    def test_a_file_of_something_else_is_left_alone(self, path: Path, content: bytes) -> None:
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(InspectionError, match=r"marks\.jsonl: line 1 holds no marks of a page"):
            start(path)
        assert path.read_bytes() == content

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InspectionError, match="cannot be read: Is a directory"):
            start(tmp_path)

    def test_lone_surrogates(self, path: Path) -> None:
        page = inspected(name="caf\udce9.html")
        mark(start(path, [page]), HOME, "right")
        assert marks_of(start(path, [page])) == [[HOME, False]]

    def test_names_of_pages(self) -> None:
        first = inspected(url="https://example.com/News/A%20Story.html?x=1#y")
        assert page_id(first).startswith("example-com-news-a-20story-html-x-1-y-")
        same_place = inspected("<p>Changed since", url=first.url)
        assert page_id(first) == page_id(same_place)
        assert page_id(inspected(name="a")) != page_id(inspected("<p>x", name="a"))
        assert page_id(inspected(name="/a/b.html")).startswith("a-b-html-")
        assert "/" not in page_id(inspected(name="文.html"))
        assert page_html(inspected("")) == ""

    @pytest.mark.parametrize("file", DEMO_PAGES, ids=lambda file: file.name)
    def test_the_page_in_the_file_has_the_same_blocks(self, file: Path) -> None:
        html = file.read_text(encoding="utf-8")
        blocks = extract(html).blocks
        assert extract(page_html(inspected(html))).blocks == blocks


class TestDataSet:
    def test_round_trip(self, path: Path) -> None:
        pages = [inspected(url="https://a.example/x"), inspected(name="é.html")]
        tuner = start(path, pages)
        mark(tuner, MORE, "wrong", 0)
        mark(tuner, HOME, "right", 1)
        data_set = open_data_set(f"marks:{path}")
        assert (data_set.kind, data_set.name, data_set.problems) == ("marks", "marks.jsonl", ())
        assert set(data_set.ids) == set(map(page_id, pages))
        first = data_set.load(page_id(pages[0]))
        assert first.gold == "\n\n".join([*extract(PAGE).paragraphs, "Read on"])
        assert (first.url, first.encoding) == ("https://a.example/x", "utf-8")
        second = data_set.load(page_id(pages[1]))
        assert second.gold == extract(PAGE).text == extract(second.text).text
        assert (second.url, second.metadata) == (None, {"name": "é.html"})
        assert pickle.loads(pickle.dumps(data_set)).load(page_id(pages[0])) == first

    def test_what_has_changed_since_is_reported(self, path: Path) -> None:
        pages = [inspected(url="https://a.example/x"), inspected(url="https://a.example/y")]
        tuner = start(path, pages)
        for page in (0, 1):
            mark(tuner, HOME, "right", page)
        data_set = open_data_set(f"marks:{path}")
        mark(tuner, HOME, None, 0)
        with pytest.raises(DataSetError, match="has changed since it was opened"):
            data_set.load(page_id(pages[1]))

    def test_lines_that_are_no_pages_are_left_out(self, path: Path) -> None:
        mark(start(path), HOME, "right")
        good = path.read_bytes()
        name = json.loads(good)["id"]
        path.write_bytes(b'\n{"id": 1}\nnothing\n{"id": "../x", "html": "", "gold": ""}\n' + good + good)
        data_set = open_data_set(f"marks:{path}")
        assert data_set.ids == (name,)
        kinds = ["unreadable gold", "unreadable gold", "bad id", "duplicate"]
        assert [problem.kind for problem in data_set.problems] == kinds
        assert data_set.load(name).gold == extract(PAGE).text

    @pytest.mark.parametrize(
        ("content", "said"),
        [(None, "no such file"), (b"", "holds no page"), (b"{}", "holds no page.*1 unreadable gold")],
    )
    def test_no_data_set(self, tmp_path: Path, content: bytes | None, said: str) -> None:
        file = tmp_path / "marks.jsonl"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(DataSetError, match=said):
            open_data_set(f"marks:{file}")

    def test_run_reads_marks(self, path: Path, tmp_path: Path) -> None:
        mark(start(path), HOME, "right")
        out = tmp_path / "out"
        command = ["run", "--dataset", f"marks:{path}", "--extractor", "justext", "--out", str(out), "--jobs", "1"]
        assert main(command) == 0
        rows = json.loads((out / "summary.json").read_text())
        assert [row["f1"] for row in rows if row["measure"] == "bag"] == [1.0]
