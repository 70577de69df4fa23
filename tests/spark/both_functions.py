"""A user's own job: ``python -m tests.spark.both_functions IN OUT``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from scrapy_justext.spark import extract_in_arrow, extract_in_pandas, spark_schema

if __name__ == "__main__":
    source, out = sys.argv[1:]
    session = SparkSession.builder.getOrCreate()
    frame = session.read.parquet(source).selectExpr("url", "html", "_metadata.row_index AS offset")
    frame.mapInArrow(extract_in_arrow(), spark_schema()).write.parquet(f"{out}/arrow")
    frame.mapInPandas(extract_in_pandas({}), spark_schema()).write.parquet(f"{out}/pandas")
    session.stop()
