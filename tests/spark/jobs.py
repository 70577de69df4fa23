"""Jobs one after the other, which start Spark but once: ``python -m tests.spark.jobs FOLDER OUT``.

``FOLDER``: what the fixture ``archives`` makes.  Prints the exit statuses of the package's own jobs.
"""

import sys

from pyspark.sql import SparkSession

from scrapy_justext.spark import extract_in_arrow, extract_in_pandas, main, spark_schema

#: What the package's own jobs read and where they write to; behind the first two stand those that cannot be done.
JOBS = (
    (["a.warc.gz", "b.warc.gz"], "warc"),
    (["pages.parquet"], "table"), (["a.warc.gz"], "table"),
    (["pages.parquet", "--columns", "id", "-s", 'JUSTEXT_FIELDS={"title": "head"}'], "chosen"),
    (["pages.parquet", "-s", 'JUSTEXT_FIELDS={"title": "seen"}'], "clashing"),
    (["numbers.parquet"], "numbers"), (["damaged.parquet"], "damaged"),
)  # fmt: skip


def both_functions(source: str, out: str) -> None:
    """A user's own job."""
    session = SparkSession.builder.getOrCreate()
    frame = session.read.parquet(source).selectExpr("*", "_metadata.row_index AS offset")
    schema = spark_schema(frame)
    frame.mapInArrow(extract_in_arrow(), schema).write.parquet(f"{out}/arrow")
    frame.mapInPandas(extract_in_pandas({}), schema).write.parquet(f"{out}/pandas")
    session.stop()


if __name__ == "__main__":
    folder, to = sys.argv[1:]
    both_functions(f"{folder}/pages.parquet", to)
    for inputs, name in JOBS:
        given = [f"{folder}/{word}" if word.endswith((".gz", ".parquet")) else word for word in inputs]
        status = main([*given, "-o", f"{to}/{name}"])
        print(name, "ended with", status)
