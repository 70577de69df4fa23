"""Compare Spark on two cores with the archive command with two processes: ``python -m benchmarks.spark``.

Both clean the same two WARC files to Parquet, in turn.  Each runs in a process of its own, whose time is measured by
the clock.  Less the time that it takes for files of a single page, that is the time of the work.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.archive import write_archive
from benchmarks.pages import origin

_SPARK = "--master local[2] --conf spark.ui.enabled=false --driver-memory 2g pyspark-shell"
_COMMANDS = {"command": ["scrapy", "justext-archive", "--processes", "2"], "spark": ["scrapy_justext.spark"]}


def seconds(kind: str, files: list[Path], out: Path) -> float:
    """Return what a run takes from start to end."""
    command = [sys.executable, "-m", *_COMMANDS[kind], *map(str, files), "-o", str(out)]
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": _SPARK, "PYSPARK_PYTHON": sys.executable}
    start = perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return perf_counter() - start


def main() -> None:
    """Print the start-up of both, and the throughput of Spark as a share of the command's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1500, help="in each file")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if shutil.which("java") is None or find_spec("pyspark") is None:
        parser.error("it needs Java and PySpark")
    with tempfile.TemporaryDirectory() as name:
        folder, outs = Path(name), count()
        full, tiny = ([folder / f"{kind}-{number}.warc.gz" for number in (1, 2)] for kind in ("full", "tiny"))
        for file in full:
            write_archive(file, pages=arguments.pages)
        for file in tiny:
            write_archive(file, pages=1)
        taken: dict[str, list[tuple[float, float]]] = {kind: [] for kind in _COMMANDS}
        for _ in range(arguments.rounds):
            for kind, times in taken.items():
                idle, whole = (seconds(kind, files, folder / f"{next(outs)}.parquet") for files in (tiny, full))
                times.append((idle, whole - idle))
    print(f"2 x {arguments.pages} pages, {origin()}; medians of {arguments.rounds} rounds")
    for kind, times in taken.items():
        print(
            f"{kind:8} start-up {median(idle for idle, _ in times):6.1f} s, work {median(w for _, w in times):6.1f} s"
        )
    pairs = zip(taken["command"], taken["spark"], strict=True)
    print(f"throughput of Spark / command: {median(ours / theirs for (_, ours), (_, theirs) in pairs):.2f}")


if __name__ == "__main__":
    main()
