"""Spark gives the rows that the command gives: on this machine's cores, and on a cluster."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builders import REPOSITORY
from tests.spark.cluster import SECONDS_FOR_A_JOB, cluster, launcher, submit
from tests.spark.conftest import read_rows

#: Each starts Spark, which takes a minute or two.
pytestmark = pytest.mark.full

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def on_two_cores(
    spark: dict[str, str], archives: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, str]:
    """Where the jobs wrote to, and what they printed."""
    out = tmp_path_factory.mktemp("local")
    done = submit(spark, "local[2]", "tests.spark.jobs", archives, out)
    assert done.status == 0, done.messages
    return out, done.printed, done.messages


def test_warc_files_on_two_cores(on_two_cores: tuple[Path, str, str], expected: Rows) -> None:
    out, printed, _ = on_two_cores
    assert read_rows(out / "warc") == expected["warc"]
    table, end, _ = printed.partition("warc ended with 0\n")
    assert table.startswith("Pages\n       32  records read\n       30  rows written\n       30  pages cleaned\n")
    assert "\nNot cleaned because\n        1  corrupt\n        1  redirect\n" in table
    assert end


def test_a_table_on_two_cores_whose_output_is_kept(on_two_cores: tuple[Path, str, str], expected: Rows) -> None:
    out, printed, messages = on_two_cores
    assert "table ended with 0\n" in printed
    assert "table ended with 2\n" in printed
    assert "\njustext: [PATH_ALREADY_EXISTS]" in messages
    assert read_rows(out / "table") == expected["table"]


def test_tables_without_pages_are_refused_in_one_line(on_two_cores: tuple[Path, str, str], archives: Path) -> None:
    out, printed, messages = on_two_cores
    assert printed.endswith("clashing ended with 2\nnumbers ended with 2\ndamaged ended with 2\n")
    assert "\njustext: the frame: its column 'seen' has the name of one that is written: leave it out, or" in messages
    numbers = (
        f"\njustext: {archives}/numbers.parquet: its column 'html' is of the type bigint, neither text nor binary; "
    )
    assert numbers in messages
    assert f"\njustext: file:{archives}/damaged.parquet is not a Parquet file" in messages
    assert not [name for name in ("numbers", "damaged", "clashing") if (out / name).exists()]


def test_columns_are_chosen_and_ours_renamed(on_two_cores: tuple[Path, str, str], expected: Rows) -> None:
    out, _, _ = on_two_cores
    rows = [{**row, "head": row["title"]} for row in expected["table"]]
    assert read_rows(out / "chosen") == [
        {name: value for name, value in row.items() if name not in ("title", "tags", "seen")} for row in rows
    ]


def test_the_message_is_among_the_messages_of_spark_submit(spark: dict[str, str], archives: Path) -> None:
    job = [REPOSITORY / "scrapy_justext/spark.py", archives / "numbers.parquet", "-o", archives / "none"]
    done = subprocess.run(
        [launcher("spark-submit"), "--master", "local[1]", *map(str, job)],
        env=spark,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_FOR_A_JOB,
    )
    assert done.returncode == 2
    assert f"\njustext: {archives}/numbers.parquet: its column 'html' is" in done.stderr
    assert "justext:" not in done.stdout


def test_the_functions_for_frames(on_two_cores: tuple[Path, str, str], expected: Rows) -> None:
    out, _, _ = on_two_cores
    assert read_rows(out / "arrow") == expected["table"]
    assert read_rows(out / "pandas") == expected["table"]


def test_a_cluster_of_two_workers(spark: dict[str, str], archives: Path, expected: Rows, tmp_path: Path) -> None:
    files = [archives / "a.warc.gz", archives / "b.warc.gz"]
    with cluster(spark, tmp_path) as master:
        done = submit(spark, master, "scrapy_justext.spark", *files, "-o", tmp_path / "out")
    assert done.status == 0, done.messages
    assert read_rows(tmp_path / "out") == expected["warc"]
    assert all(any((tmp_path / worker).glob("app-*/*")) for worker in ("worker-1", "worker-2"))
