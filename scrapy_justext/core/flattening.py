"""Write a tree as one string: its text, with marks where elements start and end.

Reading a tree node by node from Python costs more than parsing it.  Here compiled code walks the tree and
writes the text of all elements that are not removed, with a mark at each start and end that reading
must know of.  The rest is work on a string.  Where nothing is compiled, or an attribute holds an entity, libxslt does
the same; and :func:`walk`, in Python, if the tree is deeper than libxslt's recursion allows (about 1,500 elements;
today's parsers stop at 2,048, older ones nowhere).  What is written of which element stands in one place,
:mod:`.treatments`; the marks are those of :mod:`.marks`.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from lxml import etree

from scrapy_justext.core import tags
from scrapy_justext.core.formulas.elements import PageFormulas, are_signs_in, search_for_signs
from scrapy_justext.core.kernel.expressions import EntityError
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.marks import INLINE, PREFIXED, UNTAG, has_mark, unmarked, without_marks
from scrapy_justext.core.parsing import copied_alone, top_elements
from scrapy_justext.core.stylesheet import by_stylesheet, inside_any, parts_of, survey_of
from scrapy_justext.core.treatments import NO_PARTS, Branch, Writing, modes_of, treatments

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from types import ModuleType

    from scrapy_justext.core.kernel.tree import TreeWriter, Watcher
    from scrapy_justext.core.tags import TagRules
    from scrapy_justext.core.treatments import Treatment


def flatten(
    root: etree._Element,
    rules: TagRules,
    formulas: PageFormulas | None = None,
    watcher: Watcher | None = None,
    *,
    drops_blank: bool = False,
) -> str:
    """Return the text below ``root`` with marks, as ``rules`` say; the tree is left as it was.

    ``formulas``: the page's, if somebody keeps them.
    ``watcher``: what compiled code tells of the elements on the way, if it reads the tree once.
    ``drops_blank``: whether compiled code may leave out white space of which no block is made.
    """
    formulas = formulas or formulas_of(root)
    modules = kernel().modules
    if modules is not None:
        written = writer(modules.tree, rules)
        with suppress(EntityError):
            if rules.kinds and not formulas.is_searched:
                # Most pages have no formulas, and are read once.
                flat = written.write(root, search_for_signs(modules.tree), watcher, drops_blank)
                if flat is not None:
                    formulas.rule_out()
                    return flat
            return "".join(str(written.write(top)) for top in _with_formulas(root, rules, formulas))
    with suppress(etree.XSLTApplyError):
        survey = survey_of(root) if rules.kinds else None
        if survey and not formulas.is_searched and not are_signs_in(*survey):
            flat = by_stylesheet(root, rules, survey, tells_prefixed=True)
            if not has_mark(flat, PREFIXED):
                # What these rules remove may have formulas all the same.
                return flat
        return "".join(by_stylesheet(top, rules, survey) for top in _with_formulas(root, rules, formulas))
    return walk(root, rules, formulas)


@lru_cache
def writer(module: ModuleType, rules: TagRules) -> TreeWriter:
    """Return what writes trees with the compiled ``module``."""
    instruction = INLINE + UNTAG if rules.text_nodes else ""
    made: TreeWriter = module.TreeWriter({mode: treatments(rules, mode) for mode in modes_of(rules)}, instruction)
    return made


def formulas_of(root: etree._Element, most: int | None = None) -> PageFormulas:
    """Return the formulas that are elements of a page; they are not looked for yet.

    ``most``: how many there may be.
    """
    return PageFormulas(top_elements(root), most)


def _with_formulas(root: etree._Element, rules: TagRules, formulas: PageFormulas | None) -> Sequence[etree._Element]:
    """Return copies of the top elements with TeX in place of formulas; ``root`` where there are no formulas."""
    return (rules.kinds and (formulas or formulas_of(root)).copies) or (root,)


def walk(root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None) -> str:
    """Return what :func:`flatten` gives, for a tree of any depth, at several times the cost."""
    return "".join(_walk(_alone(top), rules) for top in _with_formulas(root, rules, formulas))


def _alone(root: etree._Element) -> etree._Element:
    """Return a copy of a part of a tree, around which tests of XPath see nothing; a whole tree as it is."""
    if root.getparent() is None:
        return root
    return copied_alone(root)


def _walk(root: etree._Element, rules: TagRules) -> str:
    parts: list[str] = []
    # Nothing is left in it that is a formula.
    for event, node, marks in kept_nodes(root, rules, PageFormulas(()), telling=True):
        if event == "start":
            # An image that is a block is what its attributes tell, whatever it holds in a tree of XML.
            parts += marks[0], without_marks(None if rules.images and node.tag == "img" else node.text)
        else:
            is_top = node is root or node.getparent() is None
            parts += marks[1], without_marks(None if is_top else node.tail)
    return "".join(parts)


def kept_nodes(
    root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None, *, telling: bool = False
) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    """Yield the start and end of each element that is not removed, in document order, with its marks.

    ``telling``: whether what the attributes of links, code and tables tell follows their marks; it may be long.
    Of removed elements, comments and processing instructions it yields only the end, since the text
    behind them (``tail``) is still to be read.  So it does of a formula's element, whose text is none of the page's.
    """
    # With their parents: of an element that is let go of, lxml passes all ancestors up to one that is held.
    removed = {node: node.getparent() for node in removed_elements(root, rules, formulas)}
    for top in top_elements(root):
        yield from _kept_below(top, rules, removed, telling=telling)


def removed_elements(
    root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None
) -> Iterator[etree._Element]:
    """Yield the removed elements, also those inside other removed ones; some come twice."""
    alone = _alone(root)
    removed = _removed_by_rules(alone, rules)
    if alone is root:
        yield from removed
    else:
        originals = dict(zip(alone.iter(), root.iter(), strict=True))
        yield from map(originals.__getitem__, removed)
    if rules.kinds:
        yield from (formulas or formulas_of(root)).found


def _removed_by_rules(root: etree._Element, rules: TagRules) -> Iterator[etree._Element]:
    tests = _removal_tests(rules)
    kept_inside = [name for name, _, kept in rules.removed if kept]
    has_parts = rules.kinds and parts_of(survey_of(root)) != NO_PARTS
    for top in top_elements(root):
        inside = _inside(top, rules.keeping, kept_inside)
        for node in top.iter(*tests):
            test = tests[node.tag]
            if (test is None or test(node)) and node not in inside:
                yield node
        if rules.hidden:
            for node in cast("list[etree._Element]", _hidden(rules)(top)):
                if node.tag not in tags.NEVER_HIDDEN:
                    yield node
        if has_parts:
            inside_code = (node for node in in_code(top) if node.tag not in tags.NEVER_HIDDEN)
            yield from filter(_is_beside_code, inside_code)
            yield from cast("list[etree._Element]", _labels_of_code(top))


_is_beside_code, _is_permalink_sign = (
    etree.XPath(f"boolean({test})") for test in (tags.BESIDE_CODE, tags.PERMALINK_SIGN)
)
_labels_of_code = etree.XPath(
    f"descendant-or-self::*[({' or '.join(f'self::{name}' for name in tags.LABELS)}) and {tags.LABEL_OF_CODE}]"
)


def about(node: etree._Element) -> str:
    """Return what the attributes of a PRE or a TABLE tell of it."""
    return str(_xpath(unmarked(tags.ABOUT[str(node.tag)]))(node))


def in_code(top: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements inside a PRE, or another element that is code as a whole, at or below ``top``."""
    return inside_any(cast("list[etree._Element]", _beginnings_of_code(top)))


_beginnings_of_code = etree.XPath(
    "descendant-or-self::*[self::pre or "
    + " or ".join(f"self::{name} and ({test})" for name, test in tags.CODE_AS_A_WHOLE.items())
    + "]"
)


def is_hidden(node: etree._Element) -> bool:
    """Return whether an element is hidden; not all rules remove such."""
    return node.tag not in tags.NEVER_HIDDEN and bool(_xpath(f"boolean({tags.HIDDEN})")(node))


@lru_cache
def _hidden(rules: TagRules) -> etree.XPath:
    return etree.XPath(f"descendant-or-self::*[{rules.hidden}]")


def _inside(top: etree._Element, outer: Iterable[str], names: Sequence[str]) -> set[etree._Element]:
    """Return the elements of some names that stand inside elements with an ``outer`` name."""
    found: set[etree._Element] = set()
    if not names or next(top.iter(*names), None) is None:
        return found
    depth = 0
    for event, node in etree.iterwalk(top, events=("start", "end"), tag=(*outer, *names)):
        if node.tag not in names:
            depth += 1 if event == "start" else -1
        elif depth:
            found.add(node)
    return found


@lru_cache
def _removal_tests(rules: TagRules) -> dict[str, etree.XPath | None]:
    """Return the names of elements that are removed, each with the test that tells which; None: all of the name."""
    return {name: etree.XPath(f"boolean({where})") if where else None for name, where, _ in rules.removed}


def _kept_below(
    top: etree._Element, rules: TagRules, removed: Container[etree._Element], *, telling: bool
) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    open_marks: list[tuple[str, str]] = []
    # The elements around with a mode of their own, and the modes.
    modes: list[tuple[etree._Element | None, str]] = [(None, "")]
    by_mode = _treatments_by_mode(rules)
    events = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
    for event, node in events:
        if node.tag is etree.Entity and event == "start":
            # It has an end, too, of which comments have none.
            continue
        if not isinstance(node.tag, str):
            untag = INLINE + UNTAG if event == "pi" and rules.text_nodes else ""
            yield "end", node, ("", untag)
        elif event == "end":
            if modes[-1][0] is node:
                modes.pop()
            yield event, node, open_marks.pop()
        # What is around a part of a tree does not count.
        elif node in removed or (rules.kinds and node.tag == "a" and node is not top and _is_permalink_sign(node)):
            open_marks.append(_NO_MARKS)
            events.skip_subtree()
        else:
            mode = modes[-1][1]
            writing = _written_of(node, by_mode[mode])
            open_marks.append((writing.start + (_told(node, writing) if telling else ""), writing.end))
            if writing.below is None:
                events.skip_subtree()
            elif writing.below != mode:
                modes.append((node, writing.below))
            yield event, node, open_marks[-1]


_NO_MARKS = ("", "")


@lru_cache
def _treatments_by_mode(rules: TagRules) -> dict[str, dict[str, Treatment]]:
    return {mode: treatments(rules, mode) for mode in modes_of(rules)}


def _written_of(node: etree._Element, by_name: dict[str, Treatment]) -> Writing:
    """Return what is written of an element that is not removed."""
    treatment = by_name.get(str(node.tag), by_name["*"])
    while isinstance(treatment, Branch):
        test, then, otherwise = treatment
        if then is None or otherwise is None:
            treatment = then or otherwise
        else:
            treatment = then if _xpath(f"boolean({test})")(node) else otherwise
    return treatment or Writing()


def _told(node: etree._Element, writing: Writing) -> str:
    """Return what the attributes of an element tell."""
    return "".join(f"{_xpath(unmarked(expression))(node)!s}{behind}" for expression, behind in writing.told)


_xpath = cache(etree.XPath)
