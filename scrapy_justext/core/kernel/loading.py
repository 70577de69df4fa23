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


class Modules(NamedTuple):
    """The compiled modules that read pages, by their names."""

    tree: ModuleType
    cut: ModuleType
    elements: ModuleType
    features: ModuleType
    second: ModuleType
    styles: ModuleType
    page: ModuleType
    lines: ModuleType


class Kernel(NamedTuple):
    """What is compiled, and why it is used or not."""

    modules: Modules | None
    """None where pages are read in Python."""
    reason: str

    @property
    def name(self) -> str:
        """Return ``compiled`` or ``pure``."""
        return "pure" if self.modules is None else "compiled"


@cache
def kernel() -> Kernel:
    """Return the compiled modules, if they can be used here."""
    if _is_off():
        return Kernel(None, f"{PURE} is set")
    checked, _, why_not = os.environ.get(CHECKED, "").partition(": ")
    if _is_tested() or (checked == _versions() and not why_not):
        return loaded_kernel()
    return Kernel(None, why_not) if checked == _versions() else _try_it()


def is_refused() -> bool:
    """Return whether there is compiled code that cannot be used here, though nobody has switched it off."""
    # A package that was built without any of it is meant to be pure.
    return _is_there() and kernel().modules is None and not _is_off()


def loaded_kernel() -> Kernel:
    """Return the compiled modules, if lxml's elements are as large as they expect."""
    try:
        modules = Modules._make(import_module(f"{__package__}.{name}") for name in Modules._fields)
    except ImportError as error:
        why = str(error) if _is_there() else "there was no C compiler when it was installed"
        return Kernel(None, f"not compiled: {why}")
    size, expected = etree._Element.__basicsize__, modules.tree.SIZE_OF_ELEMENT
    if size != expected:
        return Kernel(None, f"elements of lxml {etree.__version__} have {size} bytes, not {expected}")
    return Kernel(modules, f"lxml {etree.__version__}")


def _is_there() -> bool:
    """Return whether anything is compiled."""
    return any(any(_FOLDER.glob(files)) for files in ("*.so", "*.pyd"))


def _is_off() -> bool:
    return os.environ.get(PURE, "0") not in ("", "0")


def _is_tested() -> bool:
    return (etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]) in TESTED


def _versions() -> str:
    return f"lxml {etree.__version__}, libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"


def _try_it() -> Kernel:
    """Return the compiled modules, if pages are read alike with them and without in another process."""
    found = loaded_kernel()
    if found.modules is None:
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
        return Kernel(None, f"{versions} could not be checked: {error}")
    if done.returncode:
        found = Kernel(None, f"{versions} failed the check, status {done.returncode}")
    os.environ[CHECKED] = versions if found.modules is not None else f"{versions}: {found.reason}"
    return found
