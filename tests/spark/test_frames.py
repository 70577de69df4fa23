"""The functions for frames, which need no Spark to be tried."""

import datetime
import pickle
from collections import Counter

import pyarrow as pa
import pytest

from scrapy_justext.exceptions import ArchiveError

pytest.importorskip("pandas")
pytest.importorskip("pyspark")

import pandas as pd

from scrapy_justext.exceptions import SettingError
from scrapy_justext.spark import extract_in_arrow, extract_in_pandas, main
from tests.archives.making import page, url

NOON = datetime.datetime(2024, 2, 29, 12)
PAGES = {
    "url": [url(1), None, url(3)],
    "html": [page(1), None, page(3)],
    "content_type": ["text/html", None, "image/png"],
}


def test_there_are_rows_whatever_is_missing() -> None:
    for columns in (PAGES, {"html": PAGES["html"]}, {"html": [page(1).encode()]}):
        [batch] = extract_in_arrow()([pa.RecordBatch.from_pydict(columns)])
        assert batch.to_pylist()[0]["text"].startswith("It was the best of times")
        assert batch.to_pylist()[0]["file"] is None


def test_frames_of_both_kinds_have_the_same_rows() -> None:
    [batch] = extract_in_arrow()([pa.RecordBatch.from_pydict(PAGES)])
    [frame] = extract_in_pandas()([pd.DataFrame(PAGES)])
    assert list(frame["url"]) == [url(1)]
    pd.testing.assert_frame_equal(frame, batch.to_pandas())


def test_all_columns_but_the_html_are_kept() -> None:
    kept = {"file": "a.warc", "offset": 17, "other": 1, "seen": NOON}
    columns = {"html": [page(1)], **{name: [value] for name, value in kept.items()}}
    [batch] = extract_in_arrow({"JUSTEXT_PROFILE": "boilerpipe"})([pa.RecordBatch.from_pydict(columns)])
    [row] = batch.to_pylist()
    assert {name: row[name] for name in kept} == kept
    assert "html" not in row
    [frame] = extract_in_pandas({"JUSTEXT_PROFILE": "boilerpipe"})([pd.DataFrame(columns)])
    assert frame[["other", "seen"]].to_dict("list") == {"other": [1], "seen": [pd.Timestamp(NOON)]}


def test_a_column_of_one_of_our_names_is_refused() -> None:
    columns = {"html": [page(1)], "title": ["mine"]}
    problem = "the frame: its column 'title' has the name of one that is written: leave it out, or rename ours by"
    with pytest.raises(ArchiveError, match=problem):
        next(extract_in_arrow()([pa.RecordBatch.from_pydict(columns)]))
    [batch] = extract_in_arrow({"JUSTEXT_FIELDS": {"title": "head"}})([pa.RecordBatch.from_pydict(columns)])
    assert batch.select(["title", "head"]).to_pylist() == [{"title": "mine", "head": "Page 1"}]


def test_text_that_is_not_utf_8_is_the_bytes_of_a_page() -> None:
    columns = [page(1).encode() + b"<p>Caf\xe9", b"https://example.org/\xe9", b"\xe9.warc"]
    arrays = [pa.array([column]).view(pa.string()) for column in columns]
    [batch] = extract_in_arrow()([pa.RecordBatch.from_arrays(arrays, ["html", "url", "file"])])
    [row] = batch.to_pylist()
    assert row["text"].startswith("It was the best of times")
    assert (row["url"], row["file"]) == ("https://example.org/\ufffd", "\ufffd.warc")


@pytest.mark.parametrize("name", ["html", "url", "content_type", "file", "offset"])
def test_two_columns_of_one_name_are_refused(name: str) -> None:
    names = ["html", "other", "other", *({name} - {"html"}), name]
    batch = pa.RecordBatch.from_arrays([pa.array([page(1)])] * len(names), names)
    with pytest.raises(ArchiveError, match=f"the frame: has 2 columns '{name}'; its columns: html, other, other, "):
        list(extract_in_arrow()([batch]))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"body": [page(1)]}, "the frame: has no column 'html'; its columns: body"),
        ({"html": [1], "url": [url(1)]}, "the frame: its column 'html' is of the type int64, neither text nor binary;"),
    ],
)
def test_a_frame_without_pages_is_refused_at_its_first_batch(columns: dict[str, list[object]], problem: str) -> None:
    with pytest.raises(ArchiveError, match=problem):
        next(extract_in_arrow()([pa.RecordBatch.from_pydict(columns)]))
    with pytest.raises(ArchiveError, match=problem):
        next(extract_in_pandas()([pd.DataFrame(columns)]))


def test_everything_is_counted_and_a_batch_without_pages_is_none() -> None:
    assert list(extract_in_arrow()([pa.RecordBatch.from_pydict({"html": [None]})])) == []
    assert list(extract_in_pandas()([pd.DataFrame({"html": [None]}), pd.DataFrame({"html": []}, dtype=object)])) == []
    counts: Counter[str] = Counter()
    list(extract_in_arrow(count=counts.update)([pa.RecordBatch.from_pydict(PAGES)]))
    assert (counts["records"], counts["rows"]) == (3, 1)
    assert (counts["skipped/no_html"], counts["skipped/not_html"]) == (1, 1)


def test_settings_and_arguments_are_checked_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingError, match="JUSTEXT_PROFILE = 'x': unknown profile"):
        extract_in_arrow({"JUSTEXT_PROFILE": "x"})
    assert pickle.loads(pickle.dumps(extract_in_arrow({"JUSTEXT_DROP_CSS": ".ad"})))
    with pytest.raises(SystemExit):
        main(["a.warc"])
    assert "the following arguments are required: -o/--output" in capsys.readouterr().err
