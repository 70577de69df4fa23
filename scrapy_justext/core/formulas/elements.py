"""Find the formulas that are elements of a page, and put their TeX in their place.

A page may hold a formula several times: as MathML for readers of the screen, as elements or a picture for the eye, and
as the TeX that it was made of.  The best of these stands for all.  TeX is read where a page has it; where it does not,
MathML is written as TeX.

What an element is, is told by itself and by what is near it: no test looks at all above, below or beside it.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import unquote, unquote_plus

from lxml import etree

from scrapy_justext.core.formulas.mathml import joined, local_name, mathml_to_tex, text_of
from scrapy_justext.core.formulas.tex import bare_tex, clean_tex, is_clear, is_prose
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.parsing import copied_alone
from scrapy_justext.core.tags import MODERN_BLOCK_LEVEL
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from scrapy_justext.core.kernel.tree import TreeSearch


class Formula(NamedTuple):
    """A formula as TeX on one line, without delimiters."""

    tex: str
    is_display: bool
    """It stands on lines of its own."""


#: What stands in place of formulas in a copy of a tree: names that no parser of HTML gives.
HOLDER = "_formulas"
INLINE_TEX = "_inline"
DISPLAY_TEX = "_display"


#: The elements that formulas stand for, with them; none for an element whose formula stands beside it.
FormulasByElement = dict["etree._Element", "Sequence[Formula]"]


class PageFormulas:
    """The formulas of a page that are elements; they are looked for once, when they are first asked for.

    ``tops``: the elements at the top of the page's tree.
    ``most``: how many there may be; where there are more,
    :class:`~scrapy_justext.exceptions.PageLimitError` is raised.
    """

    def __init__(self, tops: Iterable[etree._Element], most: int | None = None) -> None:
        self._tops = tuple(tops)
        self._most = most

    @property
    def is_searched(self) -> bool:
        """Return whether it is known what formulas there are."""
        return "found" in self.__dict__

    def rule_out(self) -> None:
        """Take note that the page has no formulas that are elements: somebody has read it all."""
        self.__dict__["found"] = {}

    @cached_property
    def found(self) -> FormulasByElement:
        """Return the elements that formulas stand for, with them."""
        found: FormulasByElement = {}
        for top in self._tops:
            found |= _find(top, self._most)
        return found

    @cached_property
    def copies(self) -> Sequence[etree._Element]:
        """Return copies of the top elements in which :data:`HOLDER` elements stand in place of formulas.

        There are none where the page has no formulas.
        """
        return [_with_tex(top, self.found) for top in self._tops] if self.found else ()


def _with_tex(top: etree._Element, found: FormulasByElement) -> etree._Element:
    root = copied_alone(top)
    places = [(twin, found[node]) for node, twin in zip(top.iter(), root.iter(), strict=True) if node in found]
    for node, formulas in places:
        node[:] = []
        node.text = None
        node.tag = HOLDER
        for formula in formulas:
            etree.SubElement(node, DISPLAY_TEX if formula.is_display else INLINE_TEX).text = formula.tex
    return root


def _find(top: etree._Element, most: int | None) -> FormulasByElement:
    found: FormulasByElement = {}
    if not _has_signs(top):
        return found
    if most is not None:
        _check_parts(top, most)
    known: dict[etree._Element, bool] = {}
    events = etree.iterwalk(top, events=("start",))
    for _, node in events:
        formulas = _formulas(node)
        if formulas is not None:
            is_display = bool(formulas) and (node.tag in MODERN_BLOCK_LEVEL or _is_apart(node, top, known))
            found[node] = [formula._replace(is_display=True) for formula in formulas] if is_display else formulas
            check_count(len(found), most)
            events.skip_subtree()
    return found


def check_count(count: int, most: int | None) -> None:
    """Raise :class:`~scrapy_justext.exceptions.PageLimitError` for more formulas than a page may have."""
    if most is not None and count > most:
        raise PageLimitError("too_many_blocks", f"more formulas than max_blocks allows, {most}")


def _check_parts(top: etree._Element, most: int) -> None:
    """Raise :class:`~scrapy_justext.exceptions.PageLimitError` for more elements of formulas than a page may have.

    To read an element of MathML takes as long as to read several others, so they are counted before.
    """
    left = _PARTS_A_BLOCK * most
    # Each source has a start and an end for an element.
    left -= sum(source.count("<") for source in map(str, cast("list[str]", _MATHML_SOURCES(top)))) // 2
    counted: set[etree._Element] = set()
    for node in cast("list[etree._Element]", _OUTER_PARTS(top)):
        if node not in counted:
            # More than the largest count that there is are no limit.
            counted.update(islice(node.iter(etree.Element), min(max(left, 0) + 1, sys.maxsize)))
        if len(counted) > left:
            break
    if len(counted) > left:
        reason = f"more elements of formulas than max_blocks allows, {_PARTS_A_BLOCK} for each of {most} blocks"
        raise PageLimitError("too_many_blocks", reason)


#: A block costs about as much as so many elements of MathML.
_PARTS_A_BLOCK = 4
_OUTER_PARTS = etree.XPath(
    "descendant-or-self::*"
    "[local-name() = 'math' or substring-after(name(), ':') = 'math' or local-name() = 'mjx-container']"
)
#: MathML that is the value of an attribute, or the text of a script.
_MATHML_SOURCES = etree.XPath(
    "descendant-or-self::*/@data-mathml | descendant-or-self::script[starts-with(@type, 'math/mml')]/text()"
)


def _formulas(node: etree._Element) -> Sequence[Formula] | None:
    """Return the formulas that an element is; None for one that is none, but may hold some."""
    rule = _BY_NAME.get(local_name(node))
    if rule is not None:
        return rule(node)
    name = node.get("class")
    if not name:
        return None
    return _by_class(node, name.split()) if _CLASS.search(name) else None


def _one(tex: str, *, is_display: bool = False) -> list[Formula]:
    """Return a formula; none where there is no TeX."""
    tex = clean_tex(_NOT_IN_TREES.sub("", tex))
    return [Formula(tex, is_display)] if tex else []


#: Characters that lxml takes from a page, but not from us.
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


def _is_apart(node: etree._Element, top: etree._Element, known: dict[etree._Element, bool]) -> bool:
    """Return whether a class says that a formula stands on lines of its own.

    ``top``: the outermost element that is looked at; ``known``: what is known of elements; thousands of formulas may
    stand in one whose class is long.
    """
    around: etree._Element | None = node
    for _ in range(_LEVELS):
        if around is None:
            return False
        if around not in known:
            known[around] = _is_apart_by_itself(around)
        if known[around]:
            return True
        around = None if around is top else around.getparent()
    return False


def _is_apart_by_itself(node: etree._Element) -> bool:
    classes = (node.get("class") or "").split()
    in_words = not (_MATH.isdisjoint(classes) or _BLOCK.isdisjoint(classes))
    return in_words or not _APART.isdisjoint(classes)


# MathML


def _math(node: etree._Element) -> list[Formula]:
    is_display = (node.get("display") or node.get("mode")) in ("block", "display")
    return _one(_math_source(node) or mathml_to_tex(node) or text_of(node), is_display=is_display)


def _math_source(math: etree._Element) -> str:
    """Return the TeX that MathML was made of; empty where it does not say."""
    for semantics in math:
        for annotation in semantics if local_name(semantics) == "semantics" else ():
            if local_name(annotation) == "annotation" and "tex" in (annotation.get("encoding") or "").lower():
                return text_of(annotation)
    alt = math.get("alttext") or ""
    return math.get("data-latex") or ("" if is_prose(alt) else alt)


def _parsed_math(mathml: str) -> etree._Element | None:
    """Return the MATH element that a text holds."""
    try:
        root = etree.fromstring(mathml, etree.HTMLParser(huge_tree=True, collect_ids=False))
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root is None else next(filter(_is_math, root.iter()), None)


def _is_math(node: etree._Element) -> bool:
    return local_name(node) == "math"


# MathJax


def _container(node: etree._Element) -> list[Formula]:
    """Return the formula of MathJax 3 and later: from MathML beside it, else from its own elements."""
    is_display = node.get("display") in ("true", "block")
    math = node.find("mjx-assistive-mml/{*}math")
    if math is not None:
        return [formula._replace(is_display=is_display or formula.is_display) for formula in _math(math)]
    shown = next((child for child in node if child.tag in ("mjx-math", "svg")), node)
    source = node.get("data-latex") or shown.get("data-latex") or node.get("aria-label") or ""
    tex = source if is_clear(source) else mathml_to_tex(shown)
    return _one(tex if _SAYS_SOMETHING.search(tex) else text_of(node), is_display=is_display)


_SAYS_SOMETHING = re.compile(r"[^\s{}\\]")


def _script(node: etree._Element) -> list[Formula] | None:
    """Return the formula in a script that MathJax 2 reads; None for other scripts."""
    kind = node.get("type") or ""
    if not kind.startswith("math/"):
        return None
    is_display = "mode=display" in kind.replace(" ", "")
    if kind.startswith("math/tex"):
        return _one(text_of(node), is_display=is_display)
    if kind.startswith("math/mml"):
        math = _parsed_math(text_of(node))
        return [] if math is None else _math(math)
    return None


def _is_source(node: etree._Element | None) -> bool:
    return node is not None and node.tag == "script" and (node.get("type") or "").startswith(("math/tex", "math/mml"))


def _mathjax(node: etree._Element) -> Sequence[Formula] | None:
    """Return what stands for what MathJax 2 has made: nothing if the script that it was made of follows."""
    beside = node.getnext()
    for _ in range(2):
        if _is_source(beside):
            return []
        beside = None if beside is None or (beside.tail and not beside.tail.isspace()) else beside.getnext()
    mathml = node.get("data-mathml")
    math = _parsed_math(mathml) if mathml else node.find("*/{*}math")
    return None if math is None else _math(math)


# Classes and attributes


#: The classes of elements that are or hold formulas.
_CLASS = re.compile(
    r"(?:^|[\s_-])(?:katex|mathjax|mjx|mjxc|math|tex|latex|arithmatex|ltx_eqn_cell|ltx_tag_equation|eqno"
    r"|equation__number)(?![a-z])",
    re.IGNORECASE,
)
#: Attributes that hold TeX.
_SOURCES = ("data-math", "data-latex", "data-tex", "data-entry", "data-expr", "data-formula")
_NO_SOURCE = frozenset(["", "true", "false", "0", "1", "inline", "display", "block"])


def _by_class(node: etree._Element, classes: Sequence[str]) -> Sequence[Formula] | None:
    for name in _SOURCES:
        if (source := node.get(name, "")) not in _NO_SOURCE:
            return _one(source, is_display=_holds_display(node))
    for class_ in classes:
        if (rule := _BY_CLASS.get(class_)) is not None:
            return rule(node)
    return _delimited(node, classes)


def _holds_display(node: etree._Element) -> bool:
    """Return whether the first child stands on lines of its own."""
    first = next(iter(node), None)
    if first is None or not isinstance(first.tag, str):
        return False
    return first.get("display") == "block" or _is_apart_by_itself(first)


def _katex(node: etree._Element) -> list[Formula] | None:
    """Return a formula of KaTeX by its MathML; None for one that has only what the eye sees."""
    math = node.find("*/{*}math")
    return None if math is None else _math(math)


def _error(node: etree._Element) -> list[Formula]:
    """Return a formula that KaTeX could not read, so that it shows the source."""
    return _one(text_of(node))


def _wikipedia(node: etree._Element) -> list[Formula] | None:
    """Return a formula of MediaWiki: hidden MathML, and an image, which mobile pages have in NOSCRIPT."""
    for around in node:
        if (math := around.find("{*}math")) is not None:
            is_display = _is_apart_by_itself(around)
            return [formula._replace(is_display=formula.is_display or is_display) for formula in _math(math)]
    for path in ("img", "noscript/img", "*/img"):
        if (image := node.find(path)) is not None:
            return _one(image.get("alt") or "", is_display=_is_apart_by_itself(image))
    return None


def _delimited(node: etree._Element, classes: Sequence[str]) -> list[Formula] | None:
    """Return the formula in an element whose text is TeX, with or without delimiters; None for another element."""
    if len(node):
        return None
    tex, is_display = bare_tex(node.text or "")
    is_bare = "math" in classes and not {"inline", "display"}.isdisjoint(classes)
    return _one(tex, is_display=bool(is_display)) if is_bare or is_display is not None else None


def _own_element(node: etree._Element) -> list[Formula]:
    """Return the formula in an element of a name of its own, which scripts draw."""
    tex, is_display = bare_tex(text_of(node))
    return _one(tex, is_display=bool(is_display) or "block" in node.attrib)


def _code(node: etree._Element) -> list[Formula] | None:
    """Return the formula in code whose language is math; None for other code."""
    classes = (node.get("class") or "").split()
    if node.tag == "pre" and len(node) == 1 and node[0].tag == "code" and not (node.text or "").strip():
        classes += (node[0].get("class") or "").split()
    if "language-math" not in classes and "js-render-math" not in classes:
        return None
    parent = node.getparent()
    is_display = node.get("data-math-style") == "display" or "math-display" in classes
    is_block = node.tag == "pre" or (parent is not None and parent.tag == "pre")
    return _one(bare_tex(text_of(node))[0], is_display=is_display or is_block)


# Equations of LaTeXML


def _cell(node: etree._Element) -> list[Formula] | None:
    """Return the equation in a row of a table, in its first cell with MathML; the other such cells hold none then.

    None for a cell that has something else, as the number of the equation.
    """
    if not _is_mathml(node):
        return None
    before = islice(node.itersiblings(preceding=True), _WIDEST)
    if any(map(_is_mathml, before)):
        return []
    cells = [node, *filter(_is_mathml, islice(node.itersiblings(), _WIDEST))]
    tex = joined([formula.tex for cell in cells for math in cell for formula in _math(math)])
    return _one(tex, is_display=True)


#: Cells of a row that are looked at, at the most.
_WIDEST = 12


def _is_mathml(cell: etree._Element) -> bool:
    """Return whether there is MathML in an element, and nothing else."""
    maths = [child for child in cell if str(child.tag).endswith("math")]
    tails = (child.tail for child in maths)
    return bool(maths) and len(maths) == len(cell) and not any(text and text.strip() for text in (cell.text, *tails))


def _number(node: etree._Element) -> list[Formula] | None:
    """Return that no text stands for the number of an equation; None for an element with other text."""
    children = list(islice(node, _MOST_CHILDREN + 1))
    if len(children) > _MOST_CHILDREN or any(map(len, children)):
        return None
    own = [node.text, *chain.from_iterable((child.text, child.tail) for child in children)]
    return [] if _NUMBER.fullmatch("".join(filter(None, own))) else None


#: The number and the link of the equation to itself.
_MOST_CHILDREN = 2
_NUMBER = re.compile(r"\s*[(\[]?[A-Z]{0,2}\.?[0-9]{1,4}(?:[.\-–][0-9]{1,4}){0,3}[a-z]?[)\]]?\s*[¶#§]?\s*")


# Images


def _image(node: etree._Element) -> list[Formula] | None:
    """Return the formula that an image shows, by its ALT or the TeX in its address; None for another image."""
    alt = node.get("alt") or ""
    named = _served_tex(node.get("src") or "")
    is_drawn = named is not None or not _IMAGE_CLASSES.isdisjoint((node.get("class") or "").split())
    tex = alt if alt.strip() and not is_prose(alt) else named or ""
    if not tex.strip() or not (is_drawn or ("\\" in tex and is_clear(tex) and _BEGINS_AS_TEX.match(tex))):
        return None
    tex, is_display = bare_tex(_SIZE.sub("", tex))
    return _one(tex, is_display=bool(is_display))


_IMAGE_CLASSES = frozenset([
    "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display", "tex", "latex", "math", "mathtex", "mimetex",
    "wp-math", "eeimg", "ee_img", "ltx_math", "ql-img-inline-formula", "ql-img-displayed-equation", "formula",
    "equation",
])  # fmt: skip
#: An ALT is TeX as a whole where it begins as TeX does.
_BEGINS_AS_TEX = re.compile(r"\s*(?:[\\${(\[|-]|[A-Za-z0-9]{1,3}(?![A-Za-z0-9]))")


def _served_tex(address: str) -> str | None:
    """Return the TeX in the address of an image that a service draws; empty where it has none; None: no such service.

    >>> _served_tex("https://s0.wp.com/latex.php?latex=x%5E2+%2B1&bg=fff")
    'x^2 +1'
    """
    if len(address) > _LONGEST or address.startswith("data:"):
        return None
    path, _, query = address.partition("?")
    if not _SERVICE.search(path):
        step = path.rpartition("/")[2]
        return unquote(step) if step.lower().startswith("%5c") else None
    if _WHOLE_QUERY.search(path):
        return unquote(query)
    values = dict(pair.partition("=")[::2] for pair in query.split("&"))
    if path.endswith("chart") and values.get("cht") != "tx":
        return None
    return unquote_plus(next(filter(None, map(values.get, _TEX_VALUES)), ""))


_SERVICE = re.compile(
    r"/latex\.php$|codecogs\.com/|zhihu\.com/equation$|/render/math$|math\.now\.sh|/media/math/render/|/chart$"
    r"|/(?:mimetex|mathtex)(?:\.cgi)?$"
)
#: Services that have nothing but TeX behind the question mark, where a plus sign is one.
_WHOLE_QUERY = re.compile(r"codecogs\.com/|/(?:mimetex|mathtex)(?:\.cgi)?$")
_TEX_VALUES = ("latex", "tex", "math", "from", "chl")
#: What such a service may be told before the TeX: how large, on which ground.
_SIZE = re.compile(r"\A(?:\\(?:dpi|bg|fn|inline|large|small|tiny|huge|LARGE|normalsize)(?:_\w+|\{[^{}]*\})?\s*)+")


_BY_NAME: dict[str, Callable[[etree._Element], Sequence[Formula] | None]] = {
    "math": _math,
    "mjx-container": _container,
    "script": _script,
    "img": _image,
    "code": _code,
    "pre": _code,
    "d-math": _own_element,
    "math-renderer": _own_element,
}
_BY_CLASS: dict[str, Callable[[etree._Element], Sequence[Formula] | None]] = {
    "katex": _katex,
    "katex-error": _error,
    "mwe-math-element": _wikipedia,
    "ltx_eqn_cell": _cell,
    **dict.fromkeys(("ltx_tag_equation", "eqno", "c-article-equation__number"), _number),
    **dict.fromkeys(
        ("MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML",
         "MathJax_MathML", "MathJax_PHTML", "MJXc-display", "mjx-chtml"), _mathjax,
    ),
}  # fmt: skip


#: The names of elements that are formulas, whatever their attributes are.
_OWN_NAMES = ("{*}math", "mjx-container", "d-math", "math-renderer")


def _has_signs(top: etree._Element) -> bool:
    """Return False for a tree that has no formulas that are elements; quickly, for most have none."""
    modules = kernel().modules
    return (modules is None or search_for_signs(modules.tree).finds(top)) and _has_some(top)


def _has_some(top: etree._Element) -> bool:
    # lxml knows the names of a document: it need not look for elements of others.
    if next(top.iter(*_OWN_NAMES), None) is not None or _has_prefixed_math(top):
        return True
    # Of many elements, few classes.
    if any(map(_is_sign, {node.get("class", "") for node in top.iter("code", "span")})):
        return True
    return any(map(_is_script, top.iter("script"))) or any(map(_is_image, top.iter("img")))


#: Tells whether there may be MathML whose prefix is a part of its name, as in a page that is no XML.
_has_prefixed_math = etree.XPath("boolean(descendant-or-self::*[contains(name(), ':math')])")


def _is_sign(names: str) -> bool:
    # Most classes have none of these letters; that is told in a tenth of the time.
    return any(part in names for part in _CLASS_WORDS) and _CLASS.search(names) is not None


def _is_script(node: etree._Element) -> bool:
    return (node.get("type") or "").startswith("math/")


def _is_image(node: etree._Element) -> bool:
    is_sign = (
        _ADDRESS_SIGN.search((node.get("src") or "")[:_LONGEST]) is not None
        or "\\" in (node.get("alt") or "")
        or not _IMAGE_CLASSES.isdisjoint((node.get("class") or "").split())
    )
    return is_sign and _image(node) is not None


#: Characters of an address that is looked at.
_LONGEST = 4000
#: What all addresses of services that draw TeX have, and few others.
_ADDRESS_WORDS = ("latex", "mimetex", "math", "equation?", "codecogs", "/chart?", "%5C", "%5c")
_ADDRESS_SIGN = re.compile("|".join(map(re.escape, _ADDRESS_WORDS)))


class Sign(NamedTuple):
    """An attribute by which an element may be a formula, for a quick search."""

    attribute: str
    words: tuple[str, ...]
    """One of them is in it; that is told in a tenth of the time that the pattern takes."""
    pattern: re.Pattern[str] | None = None
    """It is found in it."""

    def is_in(self, words: str) -> bool:
        """Return whether it is in one of some words, which have spaces around."""
        found = [part for part in self.words if part in words]
        if self.pattern is None or not found:
            return bool(found)
        apart = words.split()
        return any(self.pattern.search(word) for part in found for word in apart if part in word)


#: What is in all classes of formulas, and in few others.
_CLASS_WORDS = ("ath", "tex", "TeX", "eqno")
_CLASS_SIGN = Sign("class", _CLASS_WORDS, _CLASS)
#: The signs of formulas at elements, by their names; where there are none, the name is enough.
SIGNS: dict[str, tuple[Sign, ...]] = {
    **{name.removeprefix("{*}"): () for name in _OWN_NAMES},
    "script": (Sign("type", ("math/",)),),
    "img": (Sign("src", _ADDRESS_WORDS), Sign("alt", ("\\",)), Sign("class", tuple(sorted(_IMAGE_CLASSES)))),
    "code": (_CLASS_SIGN,),
    "span": (_CLASS_SIGN,),
}


#: The elements that are not told by the classes of CODEs and SPANs, and their signs.
_OTHERS = tuple(name for name, signs in SIGNS.items() if signs and _CLASS_SIGN not in signs)
_OTHER_SIGNS = tuple(sign for name in _OTHERS for sign in SIGNS[name])


def are_signs_in(tops: Iterable[etree._Element], classes: str) -> bool:
    """Return False for a page that has no formulas that are elements, unless it has MathML with a prefix in its name.

    ``tops``: the elements at the top of its tree; ``classes``: the words in the classes of at least its CODEs and
    SPANs, with spaces around.
    """
    return _CLASS_SIGN.is_in(classes) or any(map(_has_other_signs, tops))


def _has_other_signs(top: etree._Element) -> bool:
    nodes = list(top.iter(*_OTHERS))
    # Elements are asked together: to go through a tree for each name takes longer.
    return next(top.iter(*_OWN_NAMES), None) is not None or any(
        sign.is_in(" ".join([node.get(sign.attribute, "") for node in nodes])) for sign in _OTHER_SIGNS
    )


@lru_cache
def search_for_signs(module: ModuleType) -> TreeSearch:
    """Return what looks for signs of formulas with the compiled ``module``."""
    made: TreeSearch = module.TreeSearch(SIGNS)
    return made
