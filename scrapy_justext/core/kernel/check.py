"""Read some pages with the compiled readers and without: ``python -m scrapy_justext.core.kernel.check``.

The status is 1 if they are not read alike, 2 if nothing is compiled.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from lxml import etree

from scrapy_justext.core.flattening import by_stylesheet, writer
from scrapy_justext.core.kernel.loading import checked_kernel
from scrapy_justext.core.profiles import PROFILES

PAGES = (
    "<p>one <a href='/two'>two</a><br>three<!-- four --><?five?>",
    "<head><title>x</title></head><p>a<p hidden>b<div id='S:0' hidden>c</div><h2>d<button>e</button></h2>",
    "<ul><li>é \ufdd0<b>中 <i>文</i></b><select><option>x</select></ul><select>a</select>",
    "<pre class='highlight'><span class='lineno'>1</span><span class='line'>x = 1</span>\n y</pre> a<br><br>b",
    "<table class='highlighttable'><tr><td>1<td><pre>a = b</pre></table><table><tr><th>a<td>b<tr><td>c<td>d</table>",
    "<img alt='a' src='b'><iframe>q</iframe><svg><a>i</a></svg><template shadowrootmode=open>s</template><o:p>t",
    "<div>" * 500 + "deep",
    "<p>one</p></body></html><p>two</p><!-- three -->",
)


def main() -> int:
    """Return the status of the process."""
    found = checked_kernel()
    if found.tree is None:
        return 2
    rules = {rules for profile in PROFILES.values() for rules in (profile.tags, profile.tags.where_little) if rules}
    for page in PAGES:
        for one in [*rules, *(replace(one, styled=True) for one in rules)]:
            root = etree.fromstring(page, etree.HTMLParser())
            flat = by_stylesheet(root, one)
            if writer(found.tree, one).write(root) != flat:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
