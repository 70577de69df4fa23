"""Archives cleaned on many machines, by Spark: functions for ``mapInArrow`` and ``mapInPandas``, and a job.

>>> frame.mapInArrow(extract_in_arrow({"JUSTEXT_PROFILE": "learned"}), spark_schema())  # doctest: +SKIP
"""

from __future__ import annotations

from scrapy_justext.spark.frames import extract_in_arrow, extract_in_pandas, spark_schema

__all__ = ["extract_in_arrow", "extract_in_pandas", "spark_schema"]
