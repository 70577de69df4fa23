"""Write MathML as TeX.

MathJax makes elements of its own (``mjx-mfrac``) or pictures (``g data-mml-node="mfrac"``) of MathML.  All forms are
first read into the same :class:`MathPart`.  An element that no rule knows gives the TeX of what is in it; one that
nests deeper than :data:`DEEPEST` gives its text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.formulas.tex import (
    ACCENTS,
    ARROWS,
    BRACKETS,
    COMMANDS,
    FUNCTIONS,
    LETTERS,
    MATRICES,
    UNDERLINES,
    VARIANTS,
    WITH_LIMITS,
)
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.core.reading.nodes import Nodes

#: Elements inside one another, at the most.
DEEPEST = 100
_CODE = re.compile(r"\bmjx-c([0-9A-F]+)\b")
_NUMBER = re.compile("[0-9A-Fa-f]{1,5}")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+\Z")
_TALL = ("\\frac", "\\begin{", "\\sum", "\\prod", "\\int", "\\binom", "\\sqrt", "\\over", "\\under")
#: What a text has for the characters that mean something to TeX.
_ESCAPES = str.maketrans({
    **{sign: f"\\{sign}" for sign in "{}#$%&_"}, "\\": "\\backslash ", "^": "\\^{}", "~": "\\~{}"
})  # fmt: skip
_WIDTH = re.compile(r"\s*(-?[0-9]{0,9}\.?[0-9]{1,9})\s*(em|ex|px|mu)\s*")
_WIDTHS = ((1.9, "\\qquad"), (0.9, "\\quad"), (0.25, "\\;"), (0.2, "\\:"), (0.1, "\\,"))
_NO_WIDTH = re.compile(r"0(?:\.0*)?[a-z]*")
#: A character, a number, or a command with one pair of braces at the most.
_ATOM = re.compile(r"[^\s{}\\]|[0-9]+|\\[A-Za-z]+(?:\{[^{}]*\})?|\\[^A-Za-z\s]")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_STYLED = re.compile(r"\\math[a-z]+\{([^{}]*)\}")
_TABLE_ROWS = frozenset(["mtr", "mlabeledtr"])
#: What stands around the number of an equation.
_LABEL = re.compile(r"\\text\{\s*\(?\s*|\s*\)?\s*\}|^\(|\)$")
_NOTATIONS = (
    ("box", "\\boxed"),
    ("roundedbox", "\\boxed"),
    ("radical", "\\sqrt"),
    ("top", "\\overline"),
    ("bottom", "\\underline"),
    ("updiagonalstrike", "\\cancel"),
    ("downdiagonalstrike", "\\bcancel"),
    ("horizontalstrike", "\\hcancel"),
)


class MathPart(NamedTuple):
    """An element of MathML, or what stands for one."""

    name: str
    attributes: Mapping[str, str]
    parts: Sequence[MathPart] = ()
    text: str = ""
    """That of an element without parts, on one line."""


def mathml_to_tex(page: Nodes, node: int) -> str:
    """Return the TeX of a MathML element, on one line."""
    return collapse(_tex(_read(page, node, DEEPEST)))


def local_name(name: str) -> str:
    """Return an element's name without namespace and prefix, which is a part of the name where a page is no XML.

    >>> local_name("m:math"), local_name("{http://www.w3.org/1998/Math/MathML}math")
    ('math', 'math')
    """
    return name.rpartition("}")[2].rpartition(":")[2]


#: Elements of MathJax around the parts of others.
_WRAPPERS = frozenset(["frac", "dbox", "dtable", "row", "sqrt", "munder", "table", "itable"])
#: Where it wraps the parts, the elements that hold them, in MathML's order.
_HOLDERS = {
    "mfrac": ("num", "den"),
    "msqrt": ("box",),
    "mroot": ("box", "root"),
    "munder": ("base", "under"),
    "mover": ("base", "over"),
    "munderover": ("base", "under", "over"),
}
#: What is no part of a formula.
_NO_PARTS = frozenset(["annotation", "annotation-xml", "surd", "line", "nstrut", "dstrut", "spacer", "rect", "mstrut"])


def _read(page: Nodes, node: int, deepest: int) -> MathPart:
    name = _name(page, node)
    if deepest == 0:
        return MathPart("mtext", {}, text=collapse(page.string(node)))
    children = [child for child in page.children(node) if _name(page, child) not in _NO_PARTS]
    if name in ("msqrt", "mroot"):
        # In pictures the sign is a part, too.
        children = [child for child in children if _name(page, child) != "mo" or _token(page, child) != "√"]
    attributes = dict(page.items(node))
    if not children or name in _TOKENS:
        return MathPart(name, attributes, text=_token(page, node))
    if name in _HOLDERS and page.name(node).startswith("mjx-"):
        held = _held(page, node, _HOLDERS[name], deepest)
        if held:
            return MathPart(name, attributes, held)
    return MathPart(name, attributes, [_read(page, child, deepest - 1) for child in children])


def _name(page: Nodes, node: int) -> str:
    """Return the name in MathML of what an element stands for."""
    return page.attribute(node, "data-mml-node") or local_name(page.name(node)).removeprefix("mjx-").lower()


def _held(page: Nodes, node: int, names: Sequence[str], deepest: int) -> list[MathPart]:
    """Return the parts of an element of MathJax; none where one is missing."""
    parts: dict[str, int] = {}
    left = page.children(node)
    for child in left:
        name = _name(page, child)
        if name in names:
            parts.setdefault(name, child)
        elif name in _WRAPPERS or name == "box":
            left += page.children(child)
    # Read only now: if one is missing, all children are read, and two readings at each level take forever.
    return [_read(page, parts[name], deepest - 1) for name in names] if len(parts) == len(names) else []


def _token(page: Nodes, node: int) -> str:
    """Return the text of an element; MathJax names its characters in classes, and in attributes of its pictures."""
    raw = page.string(node)
    text = collapse(raw)
    if text:
        return f"{' ' * raw[0].isspace()}{text}{' ' * raw[-1].isspace()}"
    if raw:
        # A space that does not break is white space, too, and all that some operators are.
        return "\xa0" if "\xa0" in raw and _name(page, node) in ("mo", "mtext") else ""
    drawn = (inside for inside in range(node, page.end[node]) if page.name(inside) in ("mjx-c", "use", "path"))
    return "".join(_character_of(page, inside) for inside in drawn)


def _character_of(page: Nodes, node: int) -> str:
    """Return the character that MathJax names in an element by its number."""
    code = _CODE.search(page.attribute(node, "class") or "")
    number = page.attribute(node, "data-c") or (code[1] if code else "")
    return chr(int(number, 16)) if _NUMBER.fullmatch(number) else ""


def _tex(part: MathPart) -> str:
    rule = _RULES.get(part.name)
    return rule(part) if rule else _row(part)


def _row(part: MathPart) -> str:
    if not part.parts:
        return _text(part) if part.text.strip() else ""
    parts = part.parts
    written: list[str] = []
    # A table has taken the brackets around it already.
    lengths: list[int] = []
    start = 0
    while start < len(parts):
        taken, tex = _bracketed(parts, start) or (1, _tex(parts[start]))
        written.append(tex)
        lengths.append(taken)
        start += taken
    tex = joined(written)
    if len(written) > 2 and lengths[0] == lengths[-1] == 1 and _is_stretched(part, tex):
        return joined([f"\\left{written[0]}", *written[1:-1], f"\\right{written[-1]}"])
    return tex


def joined(pieces: Sequence[str]) -> str:
    r"""Return TeX side by side, with spaces only behind commands that letters follow.

    >>> joined(["a", r"\in", "B", r"\cup", "2"])
    'a\\in B\\cup 2'
    """
    parts: list[str] = []
    for piece in filter(None, pieces):
        if parts and _ENDS_IN_COMMAND.search(parts[-1]) and (piece[0].isalnum()):
            parts.append(" ")
        parts.append(piece)
    return "".join(parts)


def _bracketed(parts: Sequence[MathPart], start: int) -> tuple[int, str] | None:
    """Return a table, or numbers above each other, in brackets, and how many parts that takes; None: something else."""
    opening = _operator(parts[start])
    if opening is None or start + 1 >= len(parts):
        return None
    inner = _only(parts[start + 1])
    closing = _operator(parts[start + 2]) if start + 2 < len(parts) else None
    if inner.name == "mfrac" and _is_without_line(inner) and (opening, closing) == ("(", ")"):
        return 3, f"\\binom{{{_tex(inner.parts[0])}}}{{{_tex(inner.parts[1])}}}"
    if inner.name != "mtable":
        return None
    if (environment := MATRICES.get((opening, closing or ""))) is not None:
        return 2 if closing is None else 3, _table(inner, environment)
    if opening == "{" and closing is None:
        return 2, _table(inner, "cases")
    return None


def _only(part: MathPart) -> MathPart:
    """Return the part that all the others only wrap."""
    while part.name in _ROWS and len(part.parts) == 1:
        part = part.parts[0]
    return part


def _operator(part: MathPart) -> str | None:
    part = _only(part)
    return part.text.strip() if part.name == "mo" else None


def _is_stretched(part: MathPart, tex: str) -> bool:
    """Return whether brackets around the parts of a row are to grow with them."""
    first, last = part.parts[0], part.parts[-1]
    opening, closing = _operator(first), _operator(last)
    is_pair = opening is not None and closing is not None and BRACKETS.get(opening) == closing
    stays = "false" in (first.attributes.get("stretchy"), last.attributes.get("stretchy"))
    # So MathJax has what stood between \\left and \\right.
    is_inner = part.attributes.get("data-mjx-texclass") == "INNER"
    return is_pair and not stays and (is_inner or any(tall in tex for tall in _TALL))


def _identifier(part: MathPart) -> str:
    text = part.text.strip()
    if text in FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isalpha() and text.isascii():
        variant = VARIANTS.get(part.attributes.get("mathvariant", ""), "\\mathrm")
        return f"{variant}{{{text}}}"
    return _in_variant(part, _characters(text))


def _number(part: MathPart) -> str:
    return _in_variant(part, _characters(part.text.strip()))


def _in_variant(part: MathPart, tex: str) -> str:
    variant = VARIANTS.get(part.attributes.get("mathvariant", ""), "")
    is_upright = variant == "\\mathrm" and not (len(tex) == 1 and tex.isalpha())
    return f"{variant}{{{tex}}}" if variant and tex and not is_upright and not tex.startswith(variant) else tex


def _characters(text: str) -> str:
    return joined([_character(character) for character in text])


def _character(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    if (command := COMMANDS.get(character)) is not None:
        return command
    name = unicodedata.name(character, "")
    for start, command in LETTERS.items():
        if name.startswith(start):
            plain = unicodedata.normalize("NFKC", character)
            plain = COMMANDS.get(plain, plain)
            return f"{command}{{{plain}}}" if command else plain
    return character


def _operator_tex(part: MathPart) -> str:
    text = part.text.strip(" ")
    if text in FUNCTIONS:
        return f"\\{text}"
    if text == "mod":
        return "\\bmod"
    if len(text) > 1 and text.isalpha():
        return f"\\operatorname{{{text}}}"
    return _characters(text)


def _text(part: MathPart) -> str:
    if not part.text:
        return ""
    text = part.text.replace("\xa0", " ")
    if text.isspace():
        return "~"
    return f"\\text{{{text.translate(_ESCAPES)}}}"


def _space(part: MathPart) -> str:
    if part.attributes.get("linebreak") == "newline":
        return "\\\\"
    match = _WIDTH.fullmatch(part.attributes.get("width", ""))
    if match is None:
        return ""
    width = float(match[1]) / (1 if match[2] == "em" else 2 if match[2] == "ex" else 18 if match[2] == "mu" else 16)
    return next((tex for least, tex in _WIDTHS if width >= least), "\\!" if width < 0 else "")


def _fraction(part: MathPart) -> str:
    if len(part.parts) != 2:
        return _row(part)
    above, below = map(_tex, part.parts)
    if part.attributes.get("bevelled") == "true":
        return f"{_group(above)}/{_group(below)}"
    if _is_without_line(part):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _is_without_line(part: MathPart) -> bool:
    return len(part.parts) == 2 and _NO_WIDTH.fullmatch(part.attributes.get("linethickness", "")) is not None


def _square_root(part: MathPart) -> str:
    return f"\\sqrt{{{_row(part)}}}"


def _root(part: MathPart) -> str:
    if len(part.parts) != 2:
        return _square_root(part)
    content, index = map(_tex, part.parts)
    return f"\\sqrt[{index}]{{{content}}}"


def _scripts(part: MathPart) -> str:
    """Return a base with what stands below and above at its end."""
    base, *scripts = _script_parts(part)
    tex = list(map(_tex, scripts))
    below = tex[0] if part.name in ("msub", "msubsup") and tex else ""
    above = "" if part.name == "msub" else tex[-1] if tex else ""
    return _scripted(_base(base), below, above)


def _script_parts(part: MathPart) -> Sequence[MathPart]:
    """Return base and scripts; MathJax has both scripts in one element, the upper one first."""
    if len(part.parts) == 2 and part.parts[1].name == "script":
        base, script = part.parts
        return (base, *reversed(script.parts)) if script.parts else (base, script)
    return part.parts or (MathPart("mtext", {}),)


def _scripted(base: str, below: str, above: str) -> str:
    is_prime = bool(above) and not above.strip("'")
    primes = above if is_prime else ""
    lower = f"_{_group(below)}" if below else ""
    upper = f"^{_group(above)}" if above and not is_prime else ""
    return f"{base}{primes}{lower}{upper}"


def _group(tex: str) -> str:
    """Return TeX in braces, unless it is a single character or command."""
    return tex if len(tex) == 1 or _COMMAND.fullmatch(tex) else f"{{{tex}}}"


def _base(part: MathPart) -> str:
    tex = _tex(part)
    return tex if _ATOM.fullmatch(tex) or _is_enclosed(tex) else f"{{{tex}}}"


def _is_enclosed(tex: str) -> bool:
    """Return whether TeX is one pair of brackets with something inside."""
    inner = tex.removeprefix("\\left")
    closing = {"(": ")", "[": "]", "|": "|"}.get(inner[:1])
    return closing is not None and inner.endswith(closing) and not {inner[0], closing} & {*inner[1:-1]}


def _limits(part: MathPart) -> str:
    """Return a base with what stands right below and above it."""
    parts = _script_parts(part)
    if len(parts) < 2 or (part.name == "munderover" and len(parts) < 3):
        return _row(part)
    below = parts[1] if part.name != "mover" else None
    above = parts[-1] if part.name != "munder" else None
    base = _tex(parts[0])
    under, over = ("" if limit is None else _tex(limit) for limit in (below, above))
    sign = _operator(parts[0])
    if base in WITH_LIMITS or base.startswith(("\\operatorname", "\\underbrace", "\\overbrace")):
        return _scripted(base, under, over)
    if sign in ARROWS and (over or under):
        return f"{ARROWS[sign]}{f'[{under}]' if under else ''}{{{over}}}"
    if above is not None:
        is_long = len(_plain(base)) > 1
        accents = ACCENTS.get(_only(above).text.strip())
        base = f"{accents[is_long]}{{{base}}}" if accents else f"\\overset{{{over}}}{{{base}}}" if over else base
    if below is not None:
        underline = UNDERLINES.get(_only(below).text.strip())
        base = f"{underline}{{{base}}}" if underline else f"\\underset{{{under}}}{{{base}}}" if under else base
    return base


def _plain(tex: str) -> str:
    """Return a stand-in for TeX whose length is how many signs it has, about."""
    return _COMMAND.sub("x", tex.replace("{", "").replace("}", "")) if "\\math" not in tex else _STYLED.sub(r"\1", tex)


def _fenced(part: MathPart) -> str:
    opening, closing = (part.attributes.get(side, default).strip() for side, default in (("open", "("), ("close", ")")))
    inner = [_only(inside) for inside in part.parts]
    if len(inner) == 1 and inner[0].name == "mtable" and (environment := MATRICES.get((opening, closing))):
        return _table(inner[0], environment)
    separators = "".join(part.attributes.get("separators", ",").split())
    pieces: list[str] = []
    for i, inside in enumerate(part.parts):
        separator = separators[min(i, len(separators)) - 1] if i and separators else ""
        pieces += separator, _tex(inside)
    tex = joined(pieces)
    before, after = _characters(opening) or ".", _characters(closing) or "."
    if any(tall in tex for tall in _TALL) or "." in (before, after):
        return joined([f"\\left{before}", tex, f"\\right{after}"])
    return joined([before, tex, after])


def _multiscripts(part: MathPart) -> str:
    if not part.parts:
        return ""
    base, *scripts = part.parts
    names = [script.name for script in scripts]
    middle = names.index("mprescripts") if "mprescripts" in names else len(scripts)
    behind, before = _pairs(scripts[:middle]), _pairs(scripts[middle + 1 :])
    return f"{f'{{}}{before}' if before else ''}{_base(base)}{behind}"


def _pairs(scripts: Sequence[MathPart]) -> str:
    below, above = (joined([_tex(script) for script in scripts[side::2]]) for side in (0, 1))
    return _scripted("", below, above)


def _enclosed(part: MathPart) -> str:
    notations = part.attributes.get("notation", "").split()
    tex = _row(part)
    return next((f"{command}{{{tex}}}" for name, command in _NOTATIONS if name in notations), tex)


def _plain_table(part: MathPart) -> str:
    aligned = part.attributes.get("columnalign", "").split()[:2] in (["right", "left"], ["right", "center"])
    rows = [row for row in part.parts if row.name in _TABLE_ROWS]
    if len(rows) == 1 and rows[0].name == "mlabeledtr":
        return _table_row(rows[0]).replace(" & ", "")
    if len(rows) == 1 and len(rows[0].parts) == 1:
        return _tex(rows[0].parts[0])
    shown = part.attributes.get("displaystyle") == "true"
    return _table(part, "aligned" if aligned or shown else "matrix")


def _table(part: MathPart, environment: str) -> str:
    rows = " \\\\ ".join(_table_row(row) for row in part.parts)
    return f"\\begin{{{environment}}}{rows}\\end{{{environment}}}"


def _table_row(row: MathPart) -> str:
    cells, label = list(row.parts), ""
    if row.name == "mlabeledtr" and cells:
        label = _LABEL.sub("", _row(cells.pop(0)))
    tex = " & ".join(map(_row, cells)) if cells else _row(row)
    return f"{tex}\\tag{{{label}}}" if label else tex


def _first(part: MathPart) -> str:
    return _tex(part.parts[0]) if part.parts else _row(part)


_ROWS = frozenset(["math", "mrow", "mstyle", "mpadded", "semantics", "texatom", "merror", "mtd", "base", "box"])
_TOKENS = frozenset(["mi", "mn", "mo", "mtext", "ms", "mspace", "mglyph"])

_RULES: dict[str, Callable[[MathPart], str]] = {
    "mi": _identifier,
    "mn": _number,
    "mo": _operator_tex,
    "mtext": _text,
    "ms": _text,
    "mspace": _space,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    **dict.fromkeys(("msub", "msup", "msubsup"), _scripts),
    **dict.fromkeys(("munder", "mover", "munderover"), _limits),
    "mfenced": _fenced,
    "mmultiscripts": _multiscripts,
    "menclose": _enclosed,
    "mtable": _plain_table,
    "semantics": _first,
    "maction": _first,
    **dict.fromkeys(("mphantom", "none", "mprescripts"), lambda _: ""),
}
