"""Batches as Ray Data sends them, and Ray itself where it is installed."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from scrapy_justext.exceptions import ArchiveError, SettingError
from scrapy_justext.integrations.ray import ExtractPages
from scrapy_justext.tables import SCHEMA
from tests.archives.making import page, url

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = {
    "url": [url(1), None, url(3)],
    "html": [page(1), None, page(3)],
    "content_type": ["text/html", None, "image/png"],
}


def test_a_batch_becomes_rows() -> None:
    rows = ExtractPages()(pa.table(PAGES))
    assert rows.schema == SCHEMA
    assert rows["url"].to_pylist() == [url(1)]
    assert rows["text"].to_pylist()[0].startswith("It was the best of times")


@pytest.mark.parametrize("html", [[], [None], ["<p>Home"]])
def test_a_batch_without_text_is_a_table_without_rows(html: list[str | None]) -> None:
    rows = ExtractPages()(pa.table({"html": pa.array(html, pa.string())}))
    assert (rows.schema, rows.num_rows) == (SCHEMA, 0)


def test_a_batch_may_have_several_parts() -> None:
    parts = pa.concat_tables([pa.table({"html": [page(n)], "offset": [n]}) for n in range(3)])
    assert ExtractPages()(parts)["offset"].to_pylist() == [0, 1, 2]


def test_settings_are_checked_at_once_and_sent() -> None:
    with pytest.raises(SettingError, match="JUSTEXT_PROFILE = 'x': unknown profile"):
        ExtractPages({"JUSTEXT_PROFILE": "x"})
    sent = pickle.loads(pickle.dumps(ExtractPages({"JUSTEXT_LANGUAGE": "de", "JUSTEXT_DROP": "none"})))
    assert sent(pa.table(PAGES))["language"].to_pylist() == ["de"]


def test_what_is_no_arrow_batch_is_refused() -> None:
    with pytest.raises(
        ArchiveError, match='the batch: is no Arrow table: call map_batches with batch_format="pyarrow"'
    ):
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
    source = ray.data.from_arrow(pa.table(PAGES))
    for call in (
        {"fn": ExtractPages()},
        {"fn": ExtractPages, "fn_constructor_kwargs": {"settings": {}}, "concurrency": 1},
    ):
        tables = ray.get(source.map_batches(batch_format="pyarrow", **call).to_arrow_refs())
        assert pa.concat_tables(tables).to_pylist() == expected
