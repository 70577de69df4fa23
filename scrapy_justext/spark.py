"""Frames of pages to frames of rows, as :mod:`scrapy_justext.archives.parquet` has them.

Spark sends the functions to its Python processes, each of which reads stoplists and models once, whatever number of
tasks it is given.
"""

from __future__ import annotations

import io
import pickle
import sys
from argparse import ArgumentParser
from collections import Counter
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.accumulators import AccumulatorParam
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import to_arrow_type
from scrapy.settings import Settings

from scrapy_justext.archives.output import Progress, as_table
from scrapy_justext.archives.parquet import SCHEMA, to_batch
from scrapy_justext.archives.readers import column_problem
from scrapy_justext.archives.records import Columns, Loaded, Place, Read, Skipped, Where, cell_document
from scrapy_justext.archives.warc import read_warc
from scrapy_justext.archives.work import Judge, judge_all, make_chunks
from scrapy_justext.crawl.settings import configure, from_settings, make_layers
from scrapy_justext.exceptions import ArchiveError, JustextError, ParameterError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from scrapy_justext.archives.records import Record

    Count = Callable[[Counter[str]], object]

#: Columns that a frame of pages may have beside those of a page: where they come from.
_WHERE = ("file", "offset")
_HTML = Columns().html


def spark_schema() -> StructType:
    """The schema of the rows, as Spark has it."""
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415

    return from_arrow_schema(SCHEMA)


def extract_in_arrow(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What ``mapInArrow`` takes, for a frame with the columns ``html`` and, if it likes, ``url``, ``content_type``.

    ``html`` is text or bytes, which are decoded as a crawl would.  Columns ``file`` and ``offset`` are kept; others are
    not.  Pages that a crawl would drop have no row.
    ``settings``: ``JUSTEXT_*``, as a crawl's.  ``count``: told, in Spark's processes, what became of some pages.
    Raises :class:`~scrapy_justext.exceptions.SettingError`; in Spark's processes
    :class:`~scrapy_justext.exceptions.ArchiveError` for a frame without such an ``html``.
    """
    return partial(_map_arrow, pack(settings or {}), count)


def extract_in_pandas(
    settings: Mapping[str, Any] | None = None, *, count: Count | None = None
) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """What ``mapInPandas`` takes; otherwise as :func:`extract_in_arrow`, which is the faster one."""
    return partial(_map_pandas, pack(settings or {}), count)


def pack(settings: Mapping[str, Any]) -> bytes:
    """Settings as they are sent to Spark's processes, checked before."""
    layers = make_layers(from_settings(Settings(dict(settings))), {})
    configure(layers.given())
    return pickle.dumps(layers)


def extract_reads(packed: bytes, count: Count | None, reads: Iterable[Read]) -> Iterator[pa.RecordBatch]:
    """The rows of records, in batches that are small enough to be in memory beside each other."""
    judge = _judge(packed)
    for chunk in make_chunks(0, reads):
        rows, counts, _ = judge_all(chunk.records, judge)
        if count is not None:
            count(counts)
        if rows:
            yield to_batch(rows)


@cache
def _judge(packed: bytes) -> Judge:
    judge = Judge(pickle.loads(packed))
    judge.warm_up()
    return judge


def _map_arrow(packed: bytes, count: Count | None, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from extract_reads(packed, count, _reads(batch))


def _map_pandas(packed: bytes, count: Count | None, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for frame in frames:
        for batch in extract_reads(packed, count, _reads(pa.RecordBatch.from_pandas(frame, preserve_index=False))):
            yield batch.to_pandas()


def _reads(batch: pa.RecordBatch) -> Iterator[Read]:
    names = batch.schema.names
    problem = column_problem(batch.schema, _HTML)
    if problem is not None:
        raise ArchiveError("the frame", f"{problem}; its columns: {', '.join(names)}")
    columns = (batch.column(name) if name in names else repeat(_NULL) for name in (*Columns(), *_WHERE))
    for _, *cells in zip(range(batch.num_rows), *columns, strict=False):
        yield Read(_record(*(cell.as_py() for cell in cells)), Place(), 0)


_NULL = pa.scalar(None)


def _record(html: object, url: object, content_type: object, file: str | None, offset: int | None) -> Record:
    where = Where(file, offset)
    document = cell_document(html, url, content_type)
    return Skipped(where, document) if isinstance(document, str) else Loaded(where, document)


# A job for ``spark-submit``: WARC or Parquet from any Hadoop file system in, Parquet out.
#
# A WARC file is one task, which holds it in memory: Spark has no other way to give its Python processes bytes.

DONE, BAD_INPUT = 0, 2

#: Spark's own limit for a file, so that the one of the settings decides.
MAX_BYTES = 1 << 31

_WARC = (".warc", ".warc.gz")
#: Rows of Parquet that go to a Python process at once: few, since pages are large.
_ROWS = 100


class _Counts(AccumulatorParam[Counter[str]]):
    """Counts that are added up in Spark's processes."""

    def zero(self, value: Counter[str]) -> Counter[str]:  # noqa: ARG002
        """Nothing counted."""
        return Counter()

    def addInPlace(self, value1: Counter[str], value2: Counter[str]) -> Counter[str]:  # noqa: N802
        """Both together."""
        value1.update(value2)
        return value1


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says, and give the exit status."""
    options = _parser().parse_args(arguments)
    spark = SparkSession.builder.appName("justext").getOrCreate()
    try:
        counts = clean(spark, options)
    except (JustextError, PySparkException, Py4JJavaError) as error:
        # spark-submit sends all that Python prints, errors too, to the standard output.
        spark.sparkContext._jvm.System.err.println(f"justext: {_in_a_line(error)}")
        return BAD_INPUT
    finally:
        spark.stop()
    print(as_table(Progress(counts=counts)))
    return DONE


def clean(spark: SparkSession, options: Namespace) -> Counter[str]:
    """Read, extract and write; what there was to count, where each task was needed but once."""
    settings = dict(_setting(one) for one in options.setting)
    total = spark.sparkContext.accumulator(Counter(), _Counts())
    frame = (_from_warc if _is_warc(options.inputs) else _from_parquet)(spark, options, settings, total.add)
    writer = frame.write.mode("overwrite" if options.overwrite else "errorifexists")
    writer.option("compression", "zstd").parquet(options.output)
    return total.value


def _in_a_line(error: Exception) -> str:
    """What is wrong, without the stacks of Java and Python."""
    text = str(error)
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = cause.getMessage() or cause.toString()
    return next(iter(text.strip().splitlines()), type(error).__name__)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="spark-submit … job.py", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="IN", help="WARC files, or files or folders of Parquet; * stands for any name")
    add("-o", "--output", metavar="OUT", required=True, help="the folder for the rows, as Parquet")
    add("-s", "--setting", metavar="NAME=VALUE", action="append", default=[], help="JUSTEXT_*, as for a crawl")
    add("--overwrite", action="store_true", help="whatever is at OUT")
    for field, default in Columns()._asdict().items():
        add(f"--{field.replace('_', '-')}-column", metavar="NAME", default=default, help="of Parquet: %(default)s")
    return parser


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterError("-s", text, "must be NAME=VALUE")
    return name, value


def _is_warc(inputs: Sequence[str]) -> bool:
    are_warc = {name.lower().endswith(_WARC) for name in inputs}
    if len(are_warc) > 1:
        raise ParameterError("IN", list(inputs), "must be WARC files or Parquet, not both")
    return are_warc.pop()


def _from_warc(
    spark: SparkSession, options: Namespace, settings: Mapping[str, Any], count: Callable[[Counter[str]], None]
) -> DataFrame:
    # A file is a task, and files must not be in memory beside each other.
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    files = spark.read.format("binaryFile").load(options.inputs).select("path", "content")
    return files.mapInArrow(partial(_map_warc, pack(settings), count), spark_schema())


def _map_warc(
    packed: bytes, count: Callable[[Counter[str]], None], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
            reads = read_warc(partial(io.BytesIO, content.as_py()), path.as_py(), Place(), MAX_BYTES)
            yield from extract_reads(packed, count, reads)


def _from_parquet(
    spark: SparkSession, options: Namespace, settings: Mapping[str, Any], count: Callable[[Counter[str]], None]
) -> DataFrame:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(_ROWS))
    frame = spark.read.parquet(*options.inputs)
    named = list(_named(frame, options))
    where = [col("_metadata.file_path").alias("file"), col("_metadata.row_index").alias("offset")]
    return frame.select(*named, *where).mapInArrow(extract_in_arrow(settings, count=count), spark_schema())


def _named(frame: DataFrame, options: Namespace) -> Iterator[Column]:
    """The columns of pages under their usual names; raises :class:`ArchiveError` for one that holds no text."""
    usual = Columns()
    wanted = Columns(options.html_column, options.url_column, options.content_type_column)
    for field, name, default in zip(Columns._fields, wanted, usual, strict=True):
        is_wanted = name != default or default == usual.html
        if not is_wanted and name not in frame.columns:
            continue
        column = col(f"`{name}`")
        [found] = frame.select(column).schema
        problem = column_problem(pa.schema([(name, to_arrow_type(found.dataType))]), name) if is_wanted else None
        if problem is not None:
            advice = f"--{field.replace('_', '-')}-column names another"
            raise ArchiveError(" ".join(options.inputs), f"{problem}; {advice} of its own: {', '.join(frame.columns)}")
        yield column.alias(default)


if __name__ == "__main__":
    sys.exit(main())
