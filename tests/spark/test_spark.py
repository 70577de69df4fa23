"""Spark gives the rows that the command gives: on this machine's cores, and on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.spark.conftest import cluster, read_rows, submit

if TYPE_CHECKING:
    from pathlib import Path

Rows = dict[str, list[dict[str, Any]]]


def test_warc_files_on_two_cores(spark: dict[str, str], archives: Path, expected: Rows, tmp_path: Path) -> None:
    out = tmp_path / "out"
    files = [archives / "a.warc.gz", archives / "b.warc.gz"]
    done = submit(spark, "local[2]", "scrapy_justext.spark.job", *files, "-o", out)
    assert done.returncode == 0, done.stderr
    assert read_rows(out) == expected["warc"]
    assert done.stdout.startswith("       32  records read\n       30  rows written\n       30  pages cleaned\n")
    assert "\nNot cleaned because\n        1  corrupt\n        1  redirect\n" in done.stdout


def test_the_functions_for_frames(spark: dict[str, str], archives: Path, expected: Rows, tmp_path: Path) -> None:
    done = submit(spark, "local[2]", "tests.spark.both_functions", archives / "pages.parquet", tmp_path)
    assert done.returncode == 0, done.stderr
    assert read_rows(tmp_path / "arrow") == expected["table"]
    assert read_rows(tmp_path / "pandas") == expected["table"]


def test_a_table_on_a_cluster(spark: dict[str, str], archives: Path, expected: Rows, tmp_path: Path) -> None:
    with cluster(spark, tmp_path) as master:
        job = ["scrapy_justext.spark.job", archives / "pages.parquet", "-o", tmp_path / "out"]
        done = submit(spark, master, *job)
        assert done.returncode == 0, done.stderr
        assert read_rows(tmp_path / "out") == expected["table"]
        # What is there is kept, and one line says so.
        done = submit(spark, master, *job)
    assert done.returncode == 2
    assert "justext: [PATH_ALREADY_EXISTS]" in done.stderr
    assert read_rows(tmp_path / "out") == expected["table"]
