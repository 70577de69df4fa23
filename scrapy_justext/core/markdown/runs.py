"""The text of blocks, cut where links, emphasis and code begin and end.

The page is flattened once more, with marks for these, see :mod:`~scrapy_justext.core.flattening`.  Its text is
that of the blocks, so no block need be cut out again: what stands between two block-level marks is one block, and
where there are BRs, which may make several, the blocks are told apart by their lengths.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import maker
from scrapy_justext.core.flattening import (
    BLOCK,
    BOLD,
    BREAK,
    CLOSE,
    CODE,
    INLINE,
    ITALIC,
    LINK,
    PLAIN,
    SOURCE,
    UNLINK,
    tag_codes,
)
from scrapy_justext.core.segmentation import flat_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.tags import TagRules


class Style(NamedTuple):
    """How a text is shown: what it links to, as the page has it, and whether in bold, italics, fixed width."""

    href: str | None = None
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False


class Run(NamedTuple):
    """A text in one style; ``is_break``: no text, but a BR."""

    text: str
    style: Style = Style()
    is_break: bool = False


_BEGINS: dict[str, Callable[[Style], Style]] = {
    BOLD: lambda style: style._replace(is_bold=True),
    ITALIC: lambda style: style._replace(is_italic=True),
    CODE: lambda style: style._replace(is_code=True),
}
_ENDS = frozenset({UNLINK, PLAIN})
_BEGIN_MARKS = [INLINE + code for code in (LINK, *_BEGINS)]
_END_MARKS = [INLINE + code for code in _ENDS]
_BREAK = INLINE + BREAK
#: A mark, with the HREF of a link.
_MARK = re.compile(f"{INLINE}(?:{LINK}[^{INLINE}]*{INLINE}{SOURCE}|.)", re.DOTALL)

_new_run = maker(Run)


def good_runs(
    root: etree._Element, rules: TagRules, segments: Sequence[Segment], good: Sequence[bool]
) -> Iterator[tuple[int, list[Run]]]:
    """The index and the runs of each block of text that is good, in order; images have none."""
    flat = flat_text(root, replace(rules, styled=True))
    image = tag_codes(rules).get("img")
    last = max((index for index, is_good in enumerate(good) if is_good), default=-1)
    styles = [Style()]
    index = 0
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        if index > last:
            break
        body = chunk[1:]
        if chunk[0] == image:
            index += 1
        elif INLINE not in body:
            if body and not body.isspace():
                if good[index]:
                    yield index, [_new_run((body, styles[-1], False))]
                index += 1
        elif not good[index] and len(styles) == 1 and _is_closed(body):
            index += bool(_MARK.sub("", body).strip())
        else:
            for block in _blocks(_read(body, styles, rules), segments, index):
                if good[index]:
                    yield index, block
                index += 1


def _is_closed(body: str) -> bool:
    """Whether a text that nothing is open around is at most one block, and leaves nothing open."""
    if _BREAK in body:
        return False
    return sum(map(body.count, _BEGIN_MARKS)) == sum(map(body.count, _END_MARKS))


def _read(body: str, styles: list[Style], rules: TagRules) -> list[Run]:
    """The runs of a text with marks; ``styles``: those open around it, which it may change."""
    first, *pieces = body.split(INLINE)
    runs = [_new_run((first, styles[-1], False))]
    for piece in pieces:
        code, text = piece[:1], piece[1:]
        if code == LINK:
            styles.append(styles[-1]._replace(href=text))
            continue
        if code in _BEGINS:
            styles.append(_BEGINS[code](styles[-1]))
        elif code in _ENDS:
            styles.pop()
        elif code == BREAK:
            runs.append(_new_run(("", styles[-1], True)))
        if text:
            runs.append(_new_run((text, styles[-1], False)))
    # Where text is read node by node, blank nodes vanish with the space that they are.
    return [run for run in runs if run[2] or not run[0].isspace()] if rules.text_nodes else runs


def _blocks(runs: list[Run], segments: Sequence[Segment], index: int) -> Iterator[list[Run]]:
    """The runs of each of the blocks from ``index`` on that they are."""
    if not any(run.is_break for run in runs):
        if any(run.text and not run.text.isspace() for run in runs):
            yield runs
        return
    block: list[Run] = []
    missing = 0
    for run in runs:
        size = len("".join(run.text.split()))
        if size and not missing:
            if block:
                yield block
                index += 1
            block = []
            missing = len("".join(segments[index].collapsed.split()))
        if size or block:
            missing -= size
            block.append(run)
    if block:
        yield block
