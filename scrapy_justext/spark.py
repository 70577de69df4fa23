"""The work of the archive command on Spark: functions for frames, and a job for ``spark-submit``.

Spark sends the functions to its Python processes, each of which reads stoplists and models once, however many tasks it
is given.  The rows are those of :mod:`scrapy_justext.tables`.

The job reads WARC files or Parquet from any Hadoop file system and writes Parquet.  A WARC file is one task, which
holds it in memory: Spark has no other way to give its Python processes bytes.
"""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from collections import Counter
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.accumulators import AccumulatorParam
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import BinaryType, NullType, StringType, StructType

from scrapy_justext.archives.frames import (
    extract_batch,
    extract_reads,
    pack_settings,
    schema_of_archives,
    schema_of_frame,
)
from scrapy_justext.archives.output import format_summary
from scrapy_justext.archives.records import BEGINNING, OTHERS_OPTION, WARC_SUFFIXES, PageColumns, column_option
from scrapy_justext.archives.warc import read_warc
from scrapy_justext.exceptions import BAD_INPUT, ArchiveError, JustextError, ParameterError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from pyspark.sql import DataFrame

    from scrapy_justext.archives.frames import Count

_USUAL = PageColumns()


def spark_schema(frame: DataFrame, settings: Mapping[str, Any] | None = None) -> StructType:
    """Return the schema of the rows that are made of a frame, as Spark has it.

    ``settings``: those of :func:`extract_in_arrow`.
    Raises :class:`~scrapy_justext.exceptions.SettingError`; for a frame without such an ``html``, or with a column that
    has the name of one that is written, :class:`~scrapy_justext.exceptions.ArchiveError`.
    """
    return _schema_of_rows(frame, pack_settings(settings or {}), _USUAL)


def _schema_of_rows(frame: DataFrame, packed: bytes, columns: PageColumns) -> StructType:
    _check_texts(frame, "the frame", [columns.html])
    # Of other columns the names are enough: Spark knows their types.
    names = pa.schema([(name, pa.null()) for name in frame.columns])
    rows = schema_of_frame(packed, names, columns)
    kept = {name for name in rows.others.names if name in frame.columns}
    return StructType(
        [frame.schema[field.name] if field.name in kept else field for field in from_arrow_schema(rows.whole)]
    )


def _check_texts(frame: DataFrame, subject: str, names: Iterable[str], advice: str = "") -> None:
    """Raise :class:`ArchiveError` where columns of a frame hold no text."""
    for field in frame.schema:
        if field.name in names and not isinstance(field.dataType, StringType | BinaryType | NullType):
            problem = (
                f"its column {field.name!r} is of the type {field.dataType.simpleString()}, neither text nor binary"
            )
            raise ArchiveError(subject, problem + advice)


def extract_in_arrow(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what ``mapInArrow`` takes, for a frame with the column ``html`` and perhaps ``url`` and ``content_type``.

    ``html`` is text, or bytes, which are decoded as a crawl would.  Rows keep all columns but the HTML; their schema is
    that of :func:`spark_schema`.  Pages that a crawl would drop have no row.
    ``settings``: ``JUSTEXT_*``, as a crawl's.  ``count``: told, in Spark's processes, what became of some pages.
    Raise :class:`~scrapy_justext.exceptions.SettingError`; in Spark's processes as :func:`spark_schema`.
    """
    return partial(_map_arrow, pack_settings(settings or {}), count, _USUAL)


def extract_in_pandas(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """Return what ``mapInPandas`` takes; otherwise as :func:`extract_in_arrow`, which is the faster one."""
    return partial(_map_pandas, pack_settings(settings or {}), count)


def _map_arrow(
    packed: bytes, count: Count | None, columns: PageColumns, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from extract_batch(packed, batch, count, columns)


def _map_pandas(packed: bytes, count: Count | None, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    batches = (pa.RecordBatch.from_pandas(frame, preserve_index=False) for frame in frames)
    for batch in _map_arrow(packed, count, _USUAL, batches):
        yield batch.to_pandas()


def _map_warc(packed: bytes, count: Count, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = schema_of_archives(packed)
    for batch in batches:
        for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
            open_file = partial(io.BytesIO, content.as_py())
            yield from extract_reads(packed, read_warc(open_file, path.as_py(), _MAX_BYTES, BEGINNING), schema, count)


# The job.

#: Spark's own limit for a file, so that the one of the settings decides.
_MAX_BYTES = 1 << 31
#: Rows of Parquet that go to a Python process at once: few, since pages are large.
_ROWS = 100


class _CounterParam(AccumulatorParam[Counter[str]]):
    """Lets Spark add up the counts of its processes."""

    def zero(self, value: Counter[str]) -> Counter[str]:  # noqa: ARG002
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:  # noqa: N802
        value1.update(value2)
        return value1


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says, and return the exit status."""
    parser = ArgumentParser(prog="spark-submit … spark.py", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="IN", help="WARC files, or files or folders of Parquet; * stands for any name")
    add("-o", "--output", metavar="OUT", required=True, help="the folder for the rows, as Parquet")
    add("-s", "--setting", metavar="NAME=VALUE", action="append", default=[], help="JUSTEXT_*, as for a crawl")
    add("--overwrite", action="store_true", help="whatever is at OUT")
    for field, default in _USUAL.of_page.items():
        add(column_option(field), metavar="NAME", default=default, help="of Parquet: %(default)s")
    add(OTHERS_OPTION, metavar="NAMES", help="of Parquet, that rows keep, with commas; all but the HTML if not given")
    options = parser.parse_args(arguments)
    spark = SparkSession.builder.appName("justext").getOrCreate()
    try:
        counts = clean(spark, options)
    except (JustextError, PySparkException, Py4JJavaError) as error:
        # spark-submit sends all that Python prints, errors too, to the standard output.
        spark.sparkContext._jvm.System.err.println(f"justext: {_one_line(error)}")
        return BAD_INPUT
    finally:
        spark.stop()
    print(format_summary(counts))
    return 0


def clean(spark: SparkSession, options: Namespace) -> Counter[str]:
    """Read, extract and write; return the counts, in which a task that Spark did twice is counted twice."""
    settings = {}
    for setting in options.setting:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ParameterError("-s", setting, "must be NAME=VALUE")
        settings[name] = value
    are_warc = {name.lower().endswith(WARC_SUFFIXES) for name in options.inputs}
    if len(are_warc) > 1:
        raise ParameterError("IN", list(options.inputs), "must be WARC files or Parquet, not both")
    total = spark.sparkContext.accumulator(Counter(), _CounterParam())
    frame = (_from_warc if are_warc.pop() else _from_parquet)(spark, options, settings, total.add)
    writer = frame.write.mode("overwrite" if options.overwrite else "errorifexists")
    writer.option("compression", "zstd").parquet(options.output)
    return total.value


def _one_line(error: Exception) -> str:
    """Return what is wrong, without the stacks of Java and Python."""
    text = str(error)
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = cause.getMessage() or cause.toString()
    return next(iter(text.strip().splitlines()), type(error).__name__)


def _from_warc(spark: SparkSession, options: Namespace, settings: Mapping[str, Any], count: Count) -> DataFrame:
    # A file is a task, and files must not be in memory beside each other.
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    files = spark.read.format("binaryFile").load(options.inputs).select("path", "content")
    packed = pack_settings(settings)
    schema = from_arrow_schema(schema_of_archives(packed).whole)
    return files.mapInArrow(partial(_map_warc, packed, count), schema)


def _from_parquet(spark: SparkSession, options: Namespace, settings: Mapping[str, Any], count: Count) -> DataFrame:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(_ROWS))
    frame = spark.read.parquet(*options.inputs)
    columns = PageColumns.of(options)
    subject, known = " ".join(options.inputs), ", ".join(frame.columns)
    for name, option in columns.required():
        advice = f"; {option} names another of its own: {known}"
        if name not in frame.columns:
            raise ArchiveError(subject, f"has no column {name!r}{advice}")
        _check_texts(frame, subject, [name], advice)
    columns.check_kept(frame.columns)
    location = [col("_metadata.file_path").alias("file"), col("_metadata.row_index").alias("offset")]
    used = {*columns.of_page.values(), *columns.others(frame.columns)}
    quoted = [f"`{name.replace('`', '``')}`" for name in frame.columns if name in used]
    frame = frame.select(*quoted, *location)
    packed = pack_settings(settings)
    return frame.mapInArrow(partial(_map_arrow, packed, count, columns), _schema_of_rows(frame, packed, columns))


if __name__ == "__main__":
    # Spark's processes look functions up by the name of their module, which is another one than __main__ there.
    sys.exit(import_module("scrapy_justext.spark").main())
