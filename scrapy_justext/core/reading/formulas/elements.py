"""Find the formulas that are elements of a page, and put their TeX in their place.

A page may hold a formula several times: as MathML for readers of the screen, as elements or a picture for the eye, and
as the TeX that it was made of.  The best of these stands for all.  TeX is read where a page has it; where it does not,
MathML is written as TeX.

The tests read an element and what is near it, never all that is above, below or beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, unquote_plus

from lxml import etree

from scrapy_justext.core.reading.formulas.mathml import joined, local_name, mathml_to_tex
from scrapy_justext.core.reading.formulas.tex import bare_tex, clean_tex, is_clear, is_prose
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.nodes import BEHIND, HAS_TEXT
from scrapy_justext.core.reading.rules import NAMES
from scrapy_justext.core.reading.signs import DRAWN, FORMULA
from scrapy_justext.core.tags import MODERN_BLOCK_LEVEL
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import cython

    from scrapy_justext.core.reading.nodes import Nodes

    FormulaRule = Callable[[Nodes, int], Sequence["Formula"] | None]

#: A block costs about as much as so many elements of MathML.
_PARTS_A_BLOCK = 4
_SAYS_SOMETHING = re.compile(r"[^\s{}\\]")
#: Attributes that hold TeX.
_SOURCES = ("data-math", "data-latex", "data-tex", "data-entry", "data-expr", "data-formula")
_NO_SOURCE = frozenset(["", "true", "false", "0", "1", "inline", "display", "block"])
#: Cells of a row that are looked at, at the most.
_WIDEST = 12
#: Elements inside the number of an equation: that, and the link of the equation to itself.
_MOST_CHILDREN = 2
_NUMBER = re.compile(r"\s*[(\[]?[A-Z]{0,2}\.?[0-9]{1,4}(?:[.\-–][0-9]{1,4}){0,3}[a-z]?[)\]]?\s*[¶#§]?\s*")
#: How an ALT begins that is TeX as a whole.
_BEGINS_AS_TEX = re.compile(r"\s*(?:[\\${(\[|-]|[A-Za-z0-9]{1,3}(?![A-Za-z0-9]))")


class Formula(NamedTuple):
    """A formula as TeX on one line, without delimiters."""

    tex: str
    is_display: bool
    """It stands on lines of its own."""


def find_formulas(page: Nodes, most: int | None = None) -> dict[int, Sequence[Formula]]:
    """Return the formulas of a page's elements, by node; none for an element whose formula stands beside it."""
    formulas_of: dict[int, Sequence[Formula]] = {}
    others = bytes(local_name(name) in _BY_NAME for name in page.names[len(NAMES) :])
    candidates = page.marked(FORMULA, _IS_NAMED + others)
    if most is not None and candidates:
        _check_parts(page, candidates, most)
    known: dict[int, bool] = {}
    behind = 0
    for node in candidates:
        # What is in a formula is a part of it.
        formulas = _formulas(page, node) if node >= behind else None
        if formulas is not None:
            is_display = bool(formulas) and (page.name(node) in MODERN_BLOCK_LEVEL or _is_apart(page, node, known))
            formulas_of[node] = [formula._replace(is_display=True) for formula in formulas] if is_display else formulas
            check_count(len(formulas_of), most)
            behind = page.end[node]
    return formulas_of


def check_count(count: int, most: int | None) -> None:
    """Raise :class:`~scrapy_justext.exceptions.PageLimitError` for more formulas than a page may have."""
    if most is not None and count > most:
        raise PageLimitError("too_many_blocks", f"more formulas than max_blocks allows, {most}")


def _check_parts(page: Nodes, candidates: Iterable[int], most: int) -> None:
    """Raise the same error for more elements of MathML than a page may have: each takes long to read."""
    left = _PARTS_A_BLOCK * most
    behind = 0
    for node in candidates:
        # Each source has a start and an end for an element.
        left -= _mathml_source(page, node).count("<") // 2
        if node >= behind and local_name(page.name(node)) in ("math", "mjx-container"):
            behind = page.end[node]
            left -= behind - node
        if left < 0:
            reason = f"more elements of formulas than max_blocks allows, {_PARTS_A_BLOCK} for each of {most} blocks"
            raise PageLimitError("too_many_blocks", reason)


def _mathml_source(page: Nodes, node: int) -> str:
    """Return the MathML that an attribute or a script holds."""
    if page.name(node) == "script" and (page.attribute(node, "type") or "").startswith("math/mml"):
        return page.string(node)
    return page.attribute(node, "data-mathml") or ""


def _formulas(page: Nodes, node: cython.int) -> Sequence[Formula] | None:
    """Return the formulas that an element is; None for one that is none, but may hold some."""
    name = page.name(node)
    rule = _BY_NAME.get(name) or _BY_NAME.get(local_name(name))
    if rule is not None:
        return rule(page, node)
    return _by_class(page, node, _classes(page, node)) if page.signs[node] & FORMULA else None


def _formulas_of_tex(tex: str, *, is_display: bool = False) -> list[Formula]:
    tex = clean_tex(_NOT_IN_TREES.sub("", tex))
    return [Formula(tex, is_display)] if tex else []


#: Characters that no tree has; addresses may be quoted with them.
_NOT_IN_TREES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


#: Elements that are looked at for a class: the formula's own, and those right around it.
_LEVELS = 4
#: Classes of formulas that stand on lines of their own.
_APART = frozenset([
    "katex-display", "MathJax_Display", "MathJax_SVG_Display", "MJXc-display", "mwe-math-element-block",
    "mwe-math-mathml-display", "mwe-math-fallback-image-display", "math-block", "math-display", "js-display-math",
    "ql-img-displayed-equation",
])  # fmt: skip
#: The same, in two words.
_MATH, _BLOCK = frozenset(["math", "tex", "latex"]), frozenset(["display", "block"])


def _is_apart(page: Nodes, node: int, known: dict[int, bool]) -> bool:
    """Return whether a class says that a formula stands on lines of its own; ``known``: what is known of elements."""
    for _ in range(_LEVELS):
        if node <= 0:
            return False
        if node not in known:
            known[node] = _is_apart_by_itself(page, node)
        if known[node]:
            return True
        node = page.parent[node]
    return False


def _is_apart_by_itself(page: Nodes, node: int) -> bool:
    classes = _classes(page, node)
    in_words = not (_MATH.isdisjoint(classes) or _BLOCK.isdisjoint(classes))
    return in_words or not _APART.isdisjoint(classes)


def _classes(page: Nodes, node: int) -> list[str]:
    return (page.attribute(node, "class") or "").split()


def _math_inside(page: Nodes, node: int, levels: int = 1) -> int:
    """Return the first MATH right in an element, or in an element there, so many levels below; 0 without."""
    for child in page.children(node):
        math = _math_inside(page, child, levels - 1) if levels > 1 else child
        if math and (levels > 1 or page.name(child) == "math" or page.name(child).endswith("}math")):
            return math
    return 0


# MathML


def _math(page: Nodes, node: int) -> list[Formula]:
    is_display = (page.attribute(node, "display") or page.attribute(node, "mode")) in ("block", "display")
    tex = _math_source(page, node) or mathml_to_tex(page, node) or page.string(node)
    return _formulas_of_tex(tex, is_display=is_display)


def _math_source(page: Nodes, math: int) -> str:
    """Return the TeX that MathML was made of; empty where it does not say."""
    for semantics in page.children(math):
        is_semantics = local_name(page.name(semantics)) == "semantics"
        for annotation in page.children(semantics) if is_semantics else ():
            is_annotation = local_name(page.name(annotation)) == "annotation"
            if is_annotation and "tex" in (page.attribute(annotation, "encoding") or "").lower():
                return page.string(annotation)
    alt = page.attribute(math, "alttext") or ""
    return page.attribute(math, "data-latex") or ("" if is_prose(alt) else alt)


def _math_in(mathml: str) -> list[Formula] | None:
    """Return the formula of the MATH element that a text holds; None where it holds none."""
    try:
        root = etree.fromstring(mathml, etree.HTMLParser(huge_tree=True, collect_ids=False))
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    page = read_nodes(root)
    math = next((node for node in range(1, page.count) if local_name(page.name(node)) == "math"), 0)
    return _math(page, math) if math else None


# MathJax


def _container(page: Nodes, node: int) -> list[Formula]:
    """Return the formula of MathJax 3 and later: from MathML beside it, else from its own elements."""
    is_display = page.attribute(node, "display") in ("true", "block")
    for child in page.children(node):
        math = _math_inside(page, child) if page.name(child) == "mjx-assistive-mml" else 0
        if math:
            return [formula._replace(is_display=is_display or formula.is_display) for formula in _math(page, math)]
    drawn = (child for child in page.children(node) if page.name(child) in ("mjx-math", "svg"))
    shown = next(drawn, node)
    sources = (
        page.attribute(node, "data-latex"),
        page.attribute(shown, "data-latex"),
        page.attribute(node, "aria-label"),
    )
    source = next(filter(None, sources), "")
    tex = source if is_clear(source) else mathml_to_tex(page, shown)
    return _formulas_of_tex(tex if _SAYS_SOMETHING.search(tex) else page.string(node), is_display=is_display)


def _script(page: Nodes, node: int) -> list[Formula] | None:
    """Return the formula in a script that MathJax 2 reads; None for other scripts."""
    kind = page.attribute(node, "type") or ""
    if not kind.startswith("math/"):
        return None
    if kind.startswith("math/tex"):
        return _formulas_of_tex(page.string(node), is_display="mode=display" in kind.replace(" ", ""))
    if kind.startswith("math/mml"):
        return _math_in(page.string(node)) or []
    return None


def _is_source(page: Nodes, node: int) -> bool:
    kind = page.attribute(node, "type") or "" if page.name(node) == "script" else ""
    return kind.startswith(("math/tex", "math/mml"))


def _mathjax(page: Nodes, node: int) -> Sequence[Formula] | None:
    """Return the formula of elements that MathJax 2 has made: none if the script that they were made of follows."""
    beside = page.next(node)
    for _ in range(2):
        if beside and _is_source(page, beside):
            return []
        beside = 0 if not beside or page.flags[beside] >> BEHIND & HAS_TEXT else page.next(beside)
    mathml = page.attribute(node, "data-mathml")
    return _math_in(mathml) if mathml else _katex(page, node)


# Classes and attributes


def _by_class(page: Nodes, node: int, classes: Sequence[str]) -> Sequence[Formula] | None:
    for name in _SOURCES:
        source = page.attribute(node, name) or ""
        if source not in _NO_SOURCE:
            return _formulas_of_tex(source, is_display=_holds_display(page, node))
    for class_ in classes:
        rule = CLASSES.get(class_)
        if rule is not None:
            return rule(page, node)
    return _delimited(page, node, classes)


def _holds_display(page: Nodes, node: int) -> bool:
    """Return whether the first child stands on lines of its own."""
    first = node + 1
    if first >= page.end[node] or page.tag[first] < 0:
        return False
    return page.attribute(first, "display") == "block" or _is_apart_by_itself(page, first)


def _katex(page: Nodes, node: int) -> list[Formula] | None:
    """Return a formula by its MathML; None for a formula without MathML, which only has what the eye sees."""
    math = _math_inside(page, node, 2)
    return _math(page, math) if math else None


def _wikipedia(page: Nodes, node: int) -> list[Formula] | None:
    """Return a formula of MediaWiki: hidden MathML, and an image, which mobile pages have in NOSCRIPT."""
    children = page.children(node)
    for around in children:
        math = _math_inside(page, around)
        if math:
            is_display = _is_apart_by_itself(page, around)
            return [formula._replace(is_display=formula.is_display or is_display) for formula in _math(page, math)]
    inside = [child for around in children for child in page.children(around)]
    # Those in NOSCRIPT before those in others.
    inside.sort(key=lambda child: page.name(page.parent[child]) != "noscript")
    for image in (*children, *inside):
        if page.name(image) == "img":
            return _formulas_of_tex(page.attribute(image, "alt") or "", is_display=_is_apart_by_itself(page, image))
    return None


def _delimited(page: Nodes, node: int, classes: Sequence[str]) -> list[Formula] | None:
    """Return the formula in an element whose text is TeX, with or without delimiters; None for another element."""
    if page.end[node] > node + 1:
        return None
    tex, is_display = bare_tex(page.text(node))
    is_bare = "math" in classes and not {"inline", "display"}.isdisjoint(classes)
    return _formulas_of_tex(tex, is_display=bool(is_display)) if is_bare or is_display is not None else None


def _own_element(page: Nodes, node: int) -> list[Formula]:
    """Return the formula in an element of a name of its own, which scripts draw."""
    tex, is_display = bare_tex(page.string(node))
    return _formulas_of_tex(tex, is_display=bool(is_display) or page.attribute(node, "block") is not None)


def _code(page: Nodes, node: int) -> list[Formula] | None:
    """Return the formula in code whose language is math; None for other code."""
    classes = _classes(page, node)
    inside = node + 1
    is_pre = page.name(node) == "pre"
    is_alone = page.end[node] > inside == page.first(node) and page.end[inside] == page.end[node]
    if is_pre and is_alone and page.name(inside) == "code" and not page.text(node).strip():
        classes += _classes(page, inside)
    if "language-math" not in classes and "js-render-math" not in classes:
        return None
    is_display = page.attribute(node, "data-math-style") == "display" or "math-display" in classes
    is_block = is_pre or page.name(page.parent[node]) == "pre"
    return _formulas_of_tex(bare_tex(page.string(node))[0], is_display=is_display or is_block)


# Equations of LaTeXML


def _cell(page: Nodes, node: int) -> list[Formula] | None:
    """Return the equation of a row in its first cell with MathML, none in its other ones; None for a cell without."""
    if not _is_mathml(page, node):
        return None
    if any(_is_mathml(page, cell) for cell in _cells_beside(page, node, behind=False)):
        return []
    cells = [node, *(cell for cell in _cells_beside(page, node, behind=True) if _is_mathml(page, cell))]
    maths = (math for cell in cells for math in page.children(cell))
    return _formulas_of_tex(joined([formula.tex for math in maths for formula in _math(page, math)]), is_display=True)


def _cells_beside(page: Nodes, node: int, *, behind: bool) -> Iterator[int]:
    for _ in range(_WIDEST):
        node = page.next(node) if behind else page.previous(node)
        if not node:
            return
        yield node


def _is_mathml(page: Nodes, cell: int) -> bool:
    """Return whether there is MathML in an element, and nothing else."""
    inside = cell + 1
    is_any = inside < page.end[cell]
    while inside < page.end[cell]:
        if not page.name(inside).endswith("math") or page.flags[inside] >> BEHIND & HAS_TEXT:
            return False
        inside = page.end[inside]
    return is_any and not page.flags[cell] & HAS_TEXT


def _number(page: Nodes, node: int) -> list[Formula] | None:
    """Return no formulas for the number of an equation, which is no text; None for an element with other text."""
    if page.end[node] - node > _MOST_CHILDREN + 1 or any(page.end[child] > child + 1 for child in page.children(node)):
        return None
    return [] if _NUMBER.fullmatch(page.string(node)) else None


# Images


def _image(page: Nodes, node: int) -> list[Formula] | None:
    """Return the formula that an image shows, by its ALT or the TeX in its address; None for another image."""
    alt, named = page.attribute(node, "alt") or "", _served_tex(page.attribute(node, "src") or "")
    is_drawn = named is not None or bool(page.signs[node] & DRAWN)
    if not is_drawn and "\\" not in alt:
        # As most are.
        return None
    tex = alt if alt.strip() and not is_prose(alt) else named or ""
    if not tex.strip() or not (is_drawn or ("\\" in tex and is_clear(tex) and _BEGINS_AS_TEX.match(tex))):
        return None
    tex, is_display = bare_tex(_SIZE.sub("", tex))
    return _formulas_of_tex(tex, is_display=bool(is_display))


def _served_tex(address: str) -> str | None:
    """Return the TeX in the address of an image that a service draws; empty where it has none; None: no such service.

    >>> _served_tex("https://s0.wp.com/latex.php?latex=x%5E2+%2B1&bg=fff")
    'x^2 +1'
    """
    if len(address) > _LONGEST or address.startswith("data:") or not _has_sign(address):
        return None
    path, _, query = address.partition("?")
    if not any(sign in address and pattern.search(path) for sign, pattern in _SERVICES.items()):
        step = path[path.rfind("/") + 1 :]
        return unquote(step) if step.startswith(("%5C", "%5c")) else None
    if _WHOLE_QUERY.search(path):
        return unquote(query)
    values = dict(pair.partition("=")[::2] for pair in query.split("&"))
    if path.endswith("chart") and values.get("cht") != "tx":
        return None
    return unquote_plus(next(filter(None, map(values.get, _TEX_VALUES)), ""))


def _has_sign(address: str) -> cython.bint:
    sign: str
    for sign in _SIGNS:  # noqa: SIM110 (a generator takes three times as long, for each image)
        if sign in address:
            return True
    return False


#: The paths of services that draw TeX, by what their addresses have, and few others.
_SERVICES = {
    sign: re.compile(pattern)
    for sign, pattern in (
        ("latex", r"/latex\.php$"),
        ("math", r"/render/math$|math\.now\.sh|/media/math/render/|/mathtex(?:\.cgi)?$"),
        ("mimetex", r"/mimetex(?:\.cgi)?$"),
        ("codecogs", r"codecogs\.com/"),
        ("equation?", r"zhihu\.com/equation$"),
        ("/chart?", r"/chart$"),
    )
}
#: What an address with TeX has; the last is how a quoted backslash begins.
_SIGNS = [*_SERVICES, "%5"]
#: Services that have nothing but TeX behind the question mark, where a plus sign is one.
_WHOLE_QUERY = re.compile(r"codecogs\.com/|/(?:mimetex|mathtex)(?:\.cgi)?$")
_TEX_VALUES = ("latex", "tex", "math", "from", "chl")
#: What such a service may be told before the TeX: how large, on which ground.
_SIZE = re.compile(r"\A(?:\\(?:dpi|bg|fn|inline|large|small|tiny|huge|LARGE|normalsize)(?:_\w+|\{[^{}]*\})?\s*)+")
#: Characters of an address that is looked at.
_LONGEST = 4000


_BY_NAME: dict[str, FormulaRule] = {
    "math": _math,
    "mjx-container": _container,
    "script": _script,
    "img": _image,
    "code": _code,
    "pre": _code,
    "d-math": _own_element,
    "math-renderer": _own_element,
}
#: Whether there is a rule for each of the names that all pages know.
_IS_NAMED = bytes(name in _BY_NAME for name in NAMES)
#: Their names begin as one of ``_FORMULAS`` in :mod:`.signs`: no other class is looked at.
CLASSES: dict[str, FormulaRule] = {
    "katex": _katex,
    # What KaTeX could not read, of which the page shows the source.
    "katex-error": lambda page, node: _formulas_of_tex(page.string(node)),
    "mwe-math-element": _wikipedia,
    "ltx_eqn_cell": _cell,
    **dict.fromkeys(("ltx_tag_equation", "eqno", "c-article-equation__number"), _number),
    **dict.fromkeys(
        ("MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML",
         "MathJax_MathML", "MathJax_PHTML", "MJXc-display", "mjx-chtml"), _mathjax,
    ),
}  # fmt: skip
