"""Read hostile trees with code that ends the process at a fault: ``python -m tests.core.reading.sanitized``.

In a copy of the checkout, gcc compiles the modules so that they notice each read or write outside of what is theirs,
and each overflow (AddressSanitizer, UndefinedBehaviorSanitizer).  The tests in :data:`RUN` are run with these.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.builders import REPOSITORY

COPIED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "scrapy_justext", "stoplists", "tests",
          "example_project")  # fmt: skip
RUN = ("tests/core/reading", "tests/core/learned", "tests/core/markdown", "tests/golden")
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"


def main() -> None:
    """Compile, and run the tests; raise CalledProcessError if they fail."""
    with TemporaryDirectory() as folder:
        for path in map(REPOSITORY.joinpath, COPIED):
            if path.is_dir():
                shutil.copytree(path, Path(folder, path.name), ignore=shutil.ignore_patterns("__pycache__", "*.so"))
            else:
                shutil.copy(path, folder)
        built = {"CFLAGS": FLAGS, "LDFLAGS": FLAGS, "SCRAPY_JUSTEXT_COMPILED": "1"}
        run(folder, "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", ".", **built)
        modules = [one.read_bytes() for one in Path(folder, "scrapy_justext").rglob("*.so")]
        # Else a fault would pass unnoticed.
        assert modules, "nothing is compiled"
        assert all(b"__asan_report" in module for module in modules), "compiled without sanitizers"
        # Python itself is compiled without.
        library = subprocess.check_output(["gcc", "-print-file-name=libasan.so"], text=True).strip()
        # Memory from Python's own pools has no bounds that could be noticed.
        watched = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
        # Else pytest would keep what is said at a fault.
        options = ("--capture=no", "-p", "no:cacheprovider", "--maxfail=1")
        run(folder, "pytest", "-q", *options, *RUN, SCRAPY_JUSTEXT_COMPILED="1", **watched)


def run(folder: str, module: str, *arguments: str, **environment: str) -> None:
    """Run a module of Python in the folder; raise CalledProcessError if it fails."""
    command = [sys.executable, "-m", module, *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": folder, **environment}, check=True)


if __name__ == "__main__":
    main()
