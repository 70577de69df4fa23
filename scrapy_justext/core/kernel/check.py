"""Read some pages with the compiled readers and without: ``python -m scrapy_justext.core.kernel.check``.

The status is 1 if they are not read alike, 2 if nothing is compiled.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lxml import etree

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.flattening import writer
from scrapy_justext.core.kernel.loading import loaded_kernel
from scrapy_justext.core.markdown.pieces import wanted_of
from scrapy_justext.core.markdown.styled import read_flat, read_tree
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading import TreePosition, cut, cut_in_python, with_marks
from scrapy_justext.core.stylesheet import by_stylesheet

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.kernel.loading import Modules
    from scrapy_justext.core.tags import TagRules

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
    modules = loaded_kernel().modules
    if modules is None:
        return 2
    rules = {rules for profile in PROFILES.values() for rules in (profile.tags, profile.tags.where_little) if rules}
    every = [*rules, *(replace(one, styled=True) for one in rules)]
    are_alike = (
        _is_read_alike(etree.fromstring(page, etree.HTMLParser()), one, modules) for page in PAGES for one in every
    )
    return 0 if all(are_alike) else 1


def _is_read_alike(root: etree._Element, rules: TagRules, modules: Modules) -> bool:
    written = by_stylesheet(root, rules)
    if writer(modules.tree, rules).write(root) != written:
        return False
    flat, position = with_marks(written, root, rules), TreePosition.of_root(str(root.tag), rules)
    segments, count = cut_in_python(flat, position)
    if cut(flat, position) != (segments, count):
        return False
    if not segments:
        return True
    elements = Elements(root, rules, count)
    if not rules.styled and not _has_equal_places(elements, segments, modules):
        return False
    # Trained models need it.
    return find_spec("numpy") is None or _has_equal_features(elements, segments)


def _has_equal_places(elements: Elements, segments: BlockTable, modules: Modules) -> bool:
    """Return whether Markdown finds the same images and elements of blocks."""
    wanted = wanted_of(segments, list(segments), {})
    compiled, flat = read_tree(modules, elements, wanted), read_flat(elements, wanted)
    are_same = all(flat.nodes[number] is compiled.nodes[number] for number in wanted.elements)
    return are_same and compiled.images == flat.images[: len(compiled.images)]


def _has_equal_features(elements: Elements, segments: BlockTable) -> bool:
    import numpy as np  # noqa: PLC0415 (not all have it)

    from scrapy_justext.core.learned.features import compute, numbers_in_python  # noqa: PLC0415 (it needs numpy)
    from scrapy_justext.core.learned.second import features_in_python, second_features  # noqa: PLC0415
    from scrapy_justext.core.learned.tree import read_elements, read_in_python  # noqa: PLC0415
    from scrapy_justext.core.learned.trees import Trees  # noqa: PLC0415

    columns, compiled = read_in_python(elements), read_elements(elements)
    are_equal = all(np.array_equal(getattr(columns, name), getattr(compiled, name)) for name in columns._fields)
    # In another order, sums of numbers are rounded otherwise.
    numbers, features = numbers_in_python(segments, columns, title=""), compute(segments, elements)
    first = np.linspace(0, 1, len(segments), dtype=np.float32)
    second, expected = second_features(features, first), features_in_python(features, first)
    rows = np.arange(len(second), dtype=np.int16)[:, None]
    trees = Trees(rows, second.mean(axis=1, keepdims=True), np.tile(np.array([1, 2], np.float32), (len(rows), 1)))
    return (
        are_equal
        and np.allclose(features.numbers, numbers, atol=1e-6)
        and np.allclose(second, expected, atol=1e-6)
        and np.allclose(trees.log_odds(second), trees.log_odds_in_python(second))
        and np.array_equal(trees.weights(second), trees.weights_in_python(second))
    )


if __name__ == "__main__":
    sys.exit(main())
