"""Read hostile trees with code that ends the process at a fault: ``python -m tests.core.reading.sanitized``.

Most compiled modules check each place that they read or write, as Python does.  In a copy of the checkout, gcc compiles
those that do not so that they notice each read or write outside of what is theirs, and each overflow (AddressSanitizer,
UndefinedBehaviorSanitizer).  The tests in :data:`RUN` are run with these, and with the other modules of the checkout,
which has to be compiled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.builders import REPOSITORY

COPIED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "scrapy_justext", "stoplists", "tests", "docs",
          "example_project")  # fmt: skip
RUN = ("tests/core/reading", "tests/core/learned", "tests/golden")
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"


def main() -> None:
    """Compile, and run the tests; raise CalledProcessError if they fail."""
    with TemporaryDirectory() as folder:
        for path in map(REPOSITORY.joinpath, COPIED):
            if path.is_dir():
                shutil.copytree(path, Path(folder, path.name), ignore=shutil.ignore_patterns("__pycache__", "_build"))
            else:
                shutil.copy(path, folder)
        package = Path(folder, "scrapy_justext")
        unchecked = [path for path in package.rglob("*.py*") if path.suffix in {".py", ".pyx"} and is_unchecked(path)]
        names = [".".join(path.relative_to(package).with_suffix("").parts) for path in unchecked]
        code = f"import hatch_build, pathlib; hatch_build.compile_modules(pathlib.Path(), {names!r})"
        run(folder, "-c", code, CFLAGS=FLAGS, LDFLAGS=FLAGS)
        modules = [path for module in unchecked for path in module.parent.glob(f"{module.stem}.*.so")]
        # Else a fault would pass unnoticed.
        assert len(modules) == len(names) > 1, "not all is compiled"
        assert all(b"__asan_report" in module.read_bytes() for module in modules), "compiled without sanitizers"
        # Python itself is compiled without.
        library = subprocess.check_output(["gcc", "-print-file-name=libasan.so"], text=True).strip()
        # Memory from Python's own pools has no bounds that could be noticed.
        watched = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
        # Else pytest would keep what is said at a fault.
        options = ("--capture=no", "-p", "no:cacheprovider", "--maxfail=1")
        run(folder, "-m", "pytest", "-q", *options, *RUN, SCRAPY_JUSTEXT_COMPILED="1", **watched)


def is_unchecked(source: Path) -> bool:
    """Return whether a module is compiled so that it checks no places."""
    return "boundscheck=False" in source.read_text("utf-8")


def run(folder: str, *arguments: str, **environment: str) -> None:
    """Run Python in the folder; raise CalledProcessError if it fails."""
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": folder, **environment}, check=True)


if __name__ == "__main__":
    main()
