"""Choose between the compiled readers and those in Python, which give the same.

Compiled code reads lxml's elements by their layout in memory.  So it is used only

* if lxml's elements have the size that it was compiled for, and
* if the versions of lxml and libxml2 were tested, or pages are read alike both ways in a process of its own, which may
  crash alone.

``SCRAPY_JUSTEXT_PURE=1`` in the environment switches it off.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

if TYPE_CHECKING:
    from types import ModuleType

#: The versions of lxml, each with the libxml2 of its wheels, that were tested.
TESTED = frozenset({((6, 0), (2, 14)), ((6, 1), (2, 14))})
PURE = "SCRAPY_JUSTEXT_PURE"
#: The versions that were checked in a process of its own, and why pages are not read alike with them: for the processes
#: that this one starts.
CHECKED = "SCRAPY_JUSTEXT_CHECKED"
#: Seconds for the check.
_LONGEST = 60
_FOLDER = Path(__file__).parent


class Kernel(NamedTuple):
    """The compiled modules that read pages, each named like its own, or why there are none."""

    tree: ModuleType | None
    cut: ModuleType | None
    reason: str
    elements: ModuleType | None = None
    features: ModuleType | None = None
    second: ModuleType | None = None
    styles: ModuleType | None = None
    page: ModuleType | None = None
    lines: ModuleType | None = None

    @property
    def name(self) -> str:
        """Return ``compiled`` or ``pure``."""
        return "pure" if self.tree is None else "compiled"


@cache
def kernel() -> Kernel:
    """Return the compiled modules, if they can be used here."""
    if _is_off():
        return Kernel(None, None, f"{PURE} is set")
    checked, _, why_not = os.environ.get(CHECKED, "").partition(": ")
    if _is_tested() or (checked == _versions() and not why_not):
        return checked_kernel()
    return Kernel(None, None, why_not) if checked == _versions() else _try_it()


def is_refused() -> bool:
    """Return whether there is compiled code that cannot be used here, though nobody has switched it off."""
    # A package that was built without any of it is meant to be pure.
    is_there = any(any(_FOLDER.glob(files)) for files in ("*.so", "*.pyd"))
    return is_there and kernel().tree is None and not _is_off()


def checked_kernel() -> Kernel:
    """Return the compiled module, if lxml's elements are as large as it expects."""
    try:
        tree, cut, *others = (
            import_module(f"scrapy_justext.core.kernel.{name}")
            for name in ("tree", "cut", "elements", "features", "second", "styles", "page", "lines")
        )
    except ImportError as error:
        return Kernel(None, None, f"not compiled: {error}")
    size = etree._Element.__basicsize__
    if size != tree.SIZE_OF_ELEMENT:
        return Kernel(None, None, f"elements of lxml {etree.__version__} have {size} bytes, not {tree.SIZE_OF_ELEMENT}")
    return Kernel(tree, cut, f"lxml {etree.__version__}", *others)


def _is_off() -> bool:
    return os.environ.get(PURE, "0") not in ("", "0")


def _is_tested() -> bool:
    return (etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]) in TESTED


def _versions() -> str:
    return f"lxml {etree.__version__}, libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"


def _try_it() -> Kernel:
    """Return the compiled module, if pages are read alike with it and without in another process."""
    found = checked_kernel()
    if found.tree is None:
        return found
    # None in some programs that embed Python.
    command = [sys.executable or "", "-m", "scrapy_justext.core.kernel.check"]
    versions = _versions()
    # What it runs would else ask for another one.
    environment = {**os.environ, CHECKED: versions}
    try:
        done = subprocess.run(
            command, timeout=_LONGEST, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Kernel(None, None, f"{versions} could not be checked: {error}")
    if done.returncode:
        found = Kernel(None, None, f"{versions} failed the check, status {done.returncode}")
    os.environ[CHECKED] = versions if found.tree is not None else f"{versions}: {found.reason}"
    return found
