"""Read the nodes of trees: by the compiled walk (:mod:`.walk`) where it can be used, else in Python (:mod:`.nodes`).

Compiled code reads lxml's elements by their layout in memory.  So it is used only

* if lxml's elements have the size that it was compiled for, and
* if the versions of lxml and libxml2 were tested, or trees are read alike both ways in a process of its own, which may
  crash alone (:func:`main`).

``SCRAPY_JUSTEXT_PURE=1`` in the environment switches it off.  Other modules know nothing of memory; those that are
compiled are the same Python.
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

from scrapy_justext.core.reading.nodes import Watched, read_in_python
from scrapy_justext.core.reading.rules import HIDING_ALWAYS, HIDING_BY_VALUE, NAMES, may_hide
from scrapy_justext.core.reading.signs import signs_of_class
from scrapy_justext.core.tags import DESCRIBING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from scrapy_justext.core.reading.nodes import Nodes

#: The versions of lxml, each with the libxml2 of its wheels, that were tested.
TESTED = frozenset({((6, 0), (2, 14)), ((6, 1), (2, 14))})
PURE = "SCRAPY_JUSTEXT_PURE"
#: The versions that were checked in a process of its own, and why trees are not read alike with them: for the processes
#: that this one starts.
CHECKED = "SCRAPY_JUSTEXT_CHECKED"
#: Seconds for the check.
_LONGEST = 60
_PACKAGE = Path(__file__).parents[2]

#: What is looked for while the nodes of a page are read.
WATCHED = Watched(NAMES, HIDING_ALWAYS, HIDING_BY_VALUE, may_hide, DESCRIBING, signs_of_class)


def read_nodes(root: etree._Element) -> Nodes:
    """Return the nodes of a tree, or of the part of one at and below ``root``.

    The tree must not change until the nodes let go of it.
    """
    return _reader()(root)


@cache
def _reader() -> Callable[[etree._Element], Nodes]:
    walk = compiled().walk
    if walk is None:
        return lambda root: read_in_python(root, WATCHED)
    read: Callable[[etree._Element], Nodes] = walk.TreeReader(WATCHED).read
    return read


@cache
def html5_reader() -> Callable[[bytes], tuple[Nodes, bool]]:
    """Return what parses bytes in UTF-8 as browsers do: it gives the nodes, and whether the page was too deep for all.

    Raises :class:`ImportError` without selectolax, with one whose lexbor was not tested, and where nothing is compiled.
    """
    if compiled().walk is None:
        raise ImportError(compiled().reason)
    read: Callable[[bytes], tuple[Nodes, bool]] = import_module(f"{__package__}.lexbor").LexborReader(WATCHED).read
    return read


class Compiled(NamedTuple):
    """The compiled walk over trees, and why it is used or not."""

    walk: ModuleType | None
    """None where trees are read in Python."""
    reason: str

    @property
    def name(self) -> str:
        """Return ``compiled`` or ``pure``."""
        return "pure" if self.walk is None else "compiled"


@cache
def compiled() -> Compiled:
    """Return the compiled walk, if it can be used here."""
    if _is_off():
        return Compiled(None, f"{PURE} is set")
    checked, _, why_not = os.environ.get(CHECKED, "").partition(": ")
    if _is_tested() or (checked == _versions() and not why_not):
        return loaded()
    return Compiled(None, why_not) if checked == _versions() else _try_it()


def is_refused() -> bool:
    """Return whether there is compiled code that cannot be used here, though nobody has switched it off."""
    # A package that was built without any of it is meant to be pure.
    return _is_there() and compiled().walk is None and not _is_off()


def loaded() -> Compiled:
    """Return the compiled walk, if lxml's elements are as large as it expects."""
    try:
        walk = import_module(f"{__package__}.walk")
    except ImportError as error:
        why = str(error) if _is_there() else "nothing was when it was installed"
        return Compiled(None, f"not compiled: {why}")
    size, expected = etree._Element.__basicsize__, walk.SIZE_OF_ELEMENT
    if size != expected:
        return Compiled(None, f"elements of lxml {etree.__version__} have {size} bytes, not {expected}")
    return Compiled(walk, f"lxml {etree.__version__}")


def compiled_modules() -> list[str]:
    """Return the names of the modules that are compiled; only that of the walk has no other form."""
    files = (file for ending in ("so", "pyd") for file in _PACKAGE.rglob(f"*.{ending}"))
    return sorted(".".join([*file.relative_to(_PACKAGE).parent.parts, file.name.partition(".")[0]]) for file in files)


def _is_there() -> bool:
    return "core.reading.walk" in compiled_modules()


def _is_off() -> bool:
    return os.environ.get(PURE, "0") not in ("", "0")


def _is_tested() -> bool:
    return (etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]) in TESTED


def _versions() -> str:
    return f"lxml {etree.__version__}, libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"


def _try_it() -> Compiled:
    """Return the compiled walk, if trees are read alike with it and without in another process."""
    compiled = loaded()
    if compiled.walk is None:
        return compiled
    # None in some programs that embed Python.
    command = [sys.executable or "", "-c", f"import sys; from {__name__} import main; sys.exit(main())"]
    versions = _versions()
    # What it runs would else ask for another one.
    environment = {**os.environ, CHECKED: versions}
    try:
        done = subprocess.run(
            command, timeout=_LONGEST, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Compiled(None, f"{versions} could not be checked: {error}")
    if done.returncode:
        compiled = Compiled(None, f"{versions} failed the check, status {done.returncode}")
    os.environ[CHECKED] = versions if compiled.walk is not None else f"{versions}: {compiled.reason}"
    return compiled


PAGES = (
    "<p>one <a href='/two'>two</a><br>three<!-- four --><?five?>",
    "<head><title>x</title></head><p>a<p hidden>b<div id='S:0' hidden>c</div><h2>d<button>e</button></h2>",
    "<ul><li>é \ufdd0<b>中 <i>文</i></b><select><option>x</select></ul><select>a</select>",
    "<pre class='highlight'><span class='lineno'>1</span><span class='line'>x = 1</span>\n y</pre> a<br><br>b",
    "<img alt='a' src='b'><iframe>q</iframe><svg><a>i</a></svg><template shadowrootmode=open>s</template><o:p>t",
    "<div>" * 500 + "deep",
    "<p>one</p></body></html><p>two</p><!-- three -->",
    "<p>&nbsp; <a>a$&#8195; é<i> b</i></a>&#133;c&#12288;<b>&nbsp;</b>\\&#8203;d <a>&#5760;</a>e",
)


def main() -> int:
    """Return the status of the process: 1 if trees are not read alike, 2 if nothing is compiled."""
    walk = loaded().walk
    if walk is None:
        return 2
    read = walk.TreeReader(WATCHED).read
    roots = [etree.fromstring(page, etree.HTMLParser()) for page in PAGES]
    # Parts of a tree, too.
    trees = [*roots, *(root[0] for root in roots)]
    return 0 if all(rows(read(tree)) == rows(read_in_python(tree, WATCHED)) for tree in trees) else 1


def rows(nodes: Nodes) -> list[tuple[object, ...]]:
    """Return all that nodes tell: a row each."""
    columns = (nodes.tag, nodes.parent, nodes.end, nodes.flags, nodes.signs)
    for i in range(nodes.count):
        nodes.write(i, i % 3 == 0)
        nodes.write(~i, i % 2 == 0)
    values = [
        (nodes.name(i), nodes.text(i), nodes.tail(i), nodes.items(i), nodes.element(i), nodes.attribute(i, "id"))
        for i in range(nodes.count)
    ]
    return [*zip(*columns, strict=True), *values, nodes.written()]
