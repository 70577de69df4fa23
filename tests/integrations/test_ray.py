"""Batches as Ray Data sends them, and Ray itself where it is installed."""

import pickle
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from scrapy_justext.core.parts import PARTS
from scrapy_justext.exceptions import ArchiveError, SettingError
from scrapy_justext.integrations.ray import ExtractPages
from scrapy_justext.tables import OF_RECORDS
from tests.archives.making import page, url

PAGES = {
    "url": [url(1), None, url(3)],
    "html": [page(1), None, page(3)],
    "content_type": ["text/html", None, "image/png"],
    "id": [1, 2, 3],
}
#: What rows have of themselves.
OWN = ["url", "file", "offset", *(name for name, part in PARTS.items() if part.in_rows), *OF_RECORDS.names]


def test_a_batch_becomes_rows() -> None:
    rows = ExtractPages()(pa.table(PAGES))
    assert {*rows.schema.names} == {*OWN, "id"}
    assert rows["url"].to_pylist() == [url(1)]
    assert rows["text"].to_pylist()[0].startswith("It was the best of times")


@pytest.mark.parametrize("html", [[], [None], ["<p>Home"]])
def test_a_batch_without_text_is_a_table_without_rows(html: list[str | None]) -> None:
    seen = pa.array([0] * len(html), pa.timestamp("ns"))
    rows = ExtractPages()(pa.table({"html": pa.array(html, pa.string()), "seen": seen}))
    assert (rows.schema.names, rows.num_rows) == ([*OWN, "seen"], 0)
    assert rows.schema.field("seen").type == seen.type


def test_a_batch_may_have_several_parts() -> None:
    parts = pa.concat_tables([pa.table({"html": [page(n)], "offset": [n]}) for n in range(3)])
    assert ExtractPages()(parts)["offset"].to_pylist() == [0, 1, 2]


def test_columns_keep_their_types_and_their_rows() -> None:
    columns = {
        "html": [page(0), "<p>Home", None, page(3)],
        "seen": pa.array([1, 2, 3, 4], pa.timestamp("ns")),
        "kind": pa.array(["a", "b", "c", "d"]).dictionary_encode(),
        "number": pa.array([7, 7, 7, 8], pa.int16()).dictionary_encode(),
        "meta": [{"tags": ["a"]}] * 4,
    }
    table = pa.concat_tables([pa.table(columns), pa.table(columns)])
    rows = ExtractPages()(table)
    kept = table.take([0, 3, 4, 7]).drop_columns("html")
    assert [rows.schema.field(name).type for name in kept.column_names] == kept.schema.types
    assert rows["seen"].cast(pa.int64()).to_pylist() == [1, 4, 1, 4]
    assert rows.select(["kind", "number", "meta"]).to_pylist() == kept.select(["kind", "number", "meta"]).to_pylist()


def test_fields_are_named_by_settings_and_clashes_refused() -> None:
    table = pa.table({**PAGES, "title": ["mine"] * 3})
    problem = "the frame: its column 'title' has the name of one that is written: leave it out, or rename ours by JUST"
    with pytest.raises(ArchiveError, match=problem):
        ExtractPages()(table)
    [row] = ExtractPages({"JUSTEXT_FIELDS": {"title": "head", "blocks": None}})(table).to_pylist()
    assert (row["title"], row["head"], "blocks" in row) == ("mine", "Page 1", False)
    with pytest.raises(SettingError, match="JUSTEXT_FIELDS = 'fetched': is known to crawls alone"):
        ExtractPages({"JUSTEXT_FIELDS": "fetched"})


def test_what_a_profile_knows_is_filled() -> None:
    [row] = ExtractPages({"JUSTEXT_PROFILE": "learned"})(pa.table(PAGES)).to_pylist()
    assert row["page_type"]
    assert 0 < row["confidence"] <= 1
    assert row["profile"] == "learned"


def test_wrong_settings_and_batches_are_refused_at_once() -> None:
    with pytest.raises(SettingError, match="JUSTEXT_PROFILE = 'x': unknown profile"):
        ExtractPages({"JUSTEXT_PROFILE": "x"})
    sent = pickle.loads(pickle.dumps(ExtractPages({"JUSTEXT_LANGUAGE": "de", "JUSTEXT_DROP": "none"})))
    assert sent(pa.table(PAGES))["language"].to_pylist() == ["de"]


def test_what_is_no_arrow_batch_is_refused() -> None:
    problem = 'the batch: is no Arrow table: call map_batches with batch_format="pyarrow"'
    with pytest.raises(ArchiveError, match=problem):
        ExtractPages()({"html": [page(1)]})
    with pytest.raises(ArchiveError, match="the frame: has no column 'html'; its columns: body"):
        ExtractPages()(pa.table({"body": [page(1)]}))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray on this machine, with two processes."""
    module = pytest.importorskip("ray", reason="ray is not installed")
    module.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield module
    module.shutdown()


# Ray's own, of other libraries and of files that it leaves open.
@pytest.mark.filterwarnings("ignore")
def test_tasks_and_actors_give_the_same_rows(ray: Any) -> None:
    expected = ExtractPages()(pa.table(PAGES)).to_pylist()
    assert [row["id"] for row in expected] == [1]
    source = ray.data.from_arrow(pa.table(PAGES))
    for call in (
        {"fn": ExtractPages()},
        {"fn": ExtractPages, "fn_constructor_kwargs": {"settings": {}}, "concurrency": 1},
    ):
        tables = ray.get(source.map_batches(batch_format="pyarrow", **call).to_arrow_refs())
        assert pa.concat_tables(tables).to_pylist() == expected
