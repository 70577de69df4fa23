"""Archives, the rows that the command makes of them, and Spark, where there is one."""

import datetime
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.archives.making import common_crawl, http, packed, page, record, url
from tests.archives.running import command
from tests.crawl.crawling import environment

NOON = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)


@pytest.fixture(scope="session")
def spark() -> dict[str, str]:
    """The environment that Spark is run in."""
    for library in ("pyspark", "pandas"):
        if find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    return {**environment(), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two WARC files, one of them damaged, and a table of the same pages' HTML.

    Besides a table of numbers, and what is none.
    """
    folder = tmp_path_factory.mktemp("archives")
    redirect = record(http(b"", "Location: /", status="301 Moved"))
    (folder / "a.warc.gz").write_bytes(packed([*common_crawl(20), redirect]))
    more = [record(http(page(n).encode()), url(n)) for n in range(20, 30)]
    (folder / "b.warc.gz").write_bytes(packed(more[:5]) + packed([redirect])[:-9] + packed(more[5:]))
    columns = {"id": [*range(30)], "tags": [["a", str(n)] for n in range(30)], "seen": [NOON] * 30}
    table = pa.table({"url": [url(n) for n in range(30)], "html": [page(n) for n in range(30)], **columns})
    pq.write_table(table, folder / "pages.parquet")
    pq.write_table(pa.table({"html": [1, 2]}), folder / "numbers.parquet")
    (folder / "damaged.parquet").write_text("hello")
    return folder


@pytest.fixture(scope="session")
def expected(archives: Path) -> dict[str, list[dict[str, Any]]]:
    """The command's rows, of the WARC files and of the table, without the files' names."""
    rows = {}
    for kind, names in {"warc": ["a.warc.gz", "b.warc.gz"], "table": ["pages.parquet"]}.items():
        done = command(archives, *names, "-o", f"{kind}-rows.parquet", "--processes", 1)
        assert done.returncode == 0, done.stderr
        rows[kind] = read_rows(archives / f"{kind}-rows.parquet")
        assert len(rows[kind]) == 30
    return rows


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows in the order of their URLs, without the files' names, which Spark spells as it likes."""
    table = pq.read_table(path).drop_columns("file")
    # Spark writes times in an old form of Parquet, which has no zone.
    kinds = {"seen": pa.timestamp("us", "UTC")}
    schema = pa.schema([(field.name, kinds.get(field.name, field.type)) for field in table.schema])
    rows = table.cast(schema).to_pylist()
    return sorted(rows, key=lambda row: str(row["url"]))
