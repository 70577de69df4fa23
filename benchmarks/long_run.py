"""Measure the memory of a process that extracts many pages for NeMo Curator: ``python -m benchmarks.long_run``.

The pages are made up, each of them once.  They go through what NeMo Curator calls, ours and its own, each in a
process of its own.  Needs Linux and the extra ``nemo-curator``.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.template_site import make_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTRACTORS = {
    "ours": ("scrapy_justext.integrations.nemo_curator", "JustextExtractor"),
    "NeMo Curator's": ("nemo_curator.stages.text.download.html_extractors.justext", "JusTextExtractor"),
}
#: Pages before the first look, until everything is loaded.
WARM = 500


def resident() -> float:
    """Return the memory that this process has, in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(name: str, pages: int, samples: int) -> None:
    """Extract so many pages, and print the memory at each look."""
    module, kind = EXTRACTORS[name]
    extractor: Any = getattr(import_module(module), kind)()
    words = frozenset(["a", "and", "in", "is", "it", "of", "that", "the", "to", "was"])
    start, memory = process_time(), []
    for number, page in enumerate(make_pages("en", pages + WARM + 1)):
        if number >= WARM and (number - WARM) % (pages // samples) == 0:
            memory.append(resident())
        extractor.extract_text(page.html, words, "ENGLISH")
    seconds = process_time() - start
    shown = " ".join(f"{size:.1f}" for size in memory)
    print(f"{name}: {memory[-1] - memory[0]:+.1f} MB in {pages:,} pages, {seconds:.0f} s: {shown}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--only", choices=EXTRACTORS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only:
        run(options.only, options.pages, options.samples)
        return
    for name in EXTRACTORS:
        command = [sys.executable, "-m", "benchmarks.long_run", "--only", name]
        subprocess.run([*command, f"--pages={options.pages}", f"--samples={options.samples}"], check=False)


if __name__ == "__main__":
    main()
