"""Read some trees with the compiled walk and without: ``python -m scrapy_justext.core.reading.check``.

The status is 1 if they are not read alike, 2 if nothing is compiled.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lxml import etree

from scrapy_justext.core.reading.loading import WATCHED, loaded
from scrapy_justext.core.reading.nodes import read_in_python

if TYPE_CHECKING:
    from scrapy_justext.core.reading.nodes import Nodes

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
    """Return the status of the process."""
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
    told = [
        (nodes.name(i), nodes.text(i), nodes.tail(i), nodes.items(i), nodes.element(i), nodes.attribute(i, "id"))
        for i in range(nodes.count)
    ]
    return [*zip(*columns, strict=True), *told, nodes.written()]


if __name__ == "__main__":
    sys.exit(main())
