"""Archives, the rows that the command makes of them, and Spark, where there is one."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrapy_justext.archives.writing.parquet import SCHEMA
from tests.archives.making import common_crawl, http, packed, page, record, url
from tests.archives.running import command, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS_TO_START = 300


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
    """A folder with two WARC files, one of them damaged, and a table of the same pages' HTML."""
    folder = tmp_path_factory.mktemp("archives")
    redirect = record(http(b"", "Location: /", status="301 Moved"))
    (folder / "a.warc.gz").write_bytes(packed([*common_crawl(20), redirect]))
    more = [record(http(page(n).encode()), url(n)) for n in range(20, 30)]
    (folder / "b.warc.gz").write_bytes(packed(more[:5]) + packed([redirect])[:-9] + packed(more[5:]))
    table = pa.table({"url": [url(n) for n in range(30)], "html": [page(n) for n in range(30)]})
    pq.write_table(table, folder / "pages.parquet")
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
    rows = pq.read_table(path, schema=SCHEMA).drop_columns("file").to_pylist()
    return sorted(rows, key=lambda row: str(row["url"]))


def submit(spark: dict[str, str], master: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A Python module run with Spark."""
    options = f"--master {master} --conf spark.ui.enabled=false --driver-memory 1g --executor-memory 1g pyspark-shell"
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        env={**spark, "PYSPARK_SUBMIT_ARGS": options},
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def cluster(spark: dict[str, str], folder: Path) -> Iterator[str]:
    """A master and two workers on this machine; the master's address."""
    import pyspark  # noqa: PLC0415

    launcher = Path(str(pyspark.__file__)).parent / "bin" / "spark-class"
    port = _free_port()
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    worker = [f"{deploy}.worker.Worker", *local, "--cores", "1", "--memory", "1g", "--work-dir", str(folder), address]
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("w+"))
        for arguments in ([f"{deploy}.master.Master", *local, "--port", str(port)], worker, worker):
            process = subprocess.Popen([str(launcher), *arguments], env=spark, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        _await_workers(folder / "log")
        yield address


def _await_workers(log: Path) -> None:
    for _ in range(_SECONDS_TO_START):
        if log.read_text().count("Successfully registered with master") == 2:
            return
        time.sleep(1)
    raise AssertionError(log.read_text())


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
