"""Tell TeX from prose, and strip from it what belongs to the page."""

from __future__ import annotations

import re
from operator import and_

from scrapy_justext.core.text import collapse

#: With these forums mark where a user's text begins and ends.
_MARKERS = frozenset(["\\begingroup", "\\endgroup"])
_PLAIN_WORD = r"(?!d[A-Za-z]\b)[^\W\d_]{2,}"
_SAID = re.compile(rf"\s+{_PLAIN_WORD}[,;:]?\s[^=+<>^_&{{}}]*(?<=\s){_PLAIN_WORD}[.,;:]?\s+")
_CDATA = re.compile(r"(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_COMMENT = re.compile(r"(?<!\\)%")
_WRAPPER = re.compile(r"\{?\\(?:displaystyle|textstyle)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)

#: Signs, each with the name of its command.
_SIGNS_AND_NAMES = """
    α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa
    λ lambda μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi
    ψ psi ω omega Γ Gamma Δ Delta ∆ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
    ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋂ bigcap ⋃ bigcup ⋁ bigvee ⋀ bigwedge ⨁ bigoplus ⨂ bigotimes
    ⨀ bigodot ⨆ bigsqcup ⨄ biguplus
    ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∙ bullet • bullet ∘ circ ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ∗ ast
    ⋆ star † dagger ‡ ddagger ∧ wedge ∨ vee ∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ∖ setminus ≀ wr ⋄ diamond ⋊ rtimes
    ⋉ ltimes ⊲ triangleleft ⊳ triangleright ◃ triangleleft ▹ triangleright ◁ triangleleft ▷ triangleright
    ≤ leq ≥ geq ⩽ leqslant ⩾ geqslant ≠ neq ≡ equiv ∼ sim ≃ simeq ≈ approx ≅ cong ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ
    ⪯ preceq ⪰ succeq ≼ preccurlyeq ≽ succcurlyeq ≲ lesssim ≳ gtrsim ≍ asymp ≐ doteq ≔ coloneqq ≜ triangleq
    ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⊏ sqsubset ⊑ sqsubseteq
    ⊒ sqsupseteq ⊢ vdash ⊣ dashv ⊨ models ⊥ perp ∥ parallel ∦ nparallel ∣ mid ∤ nmid ⋈ bowtie
    ∀ forall ∃ exists ∄ nexists ¬ neg ∅ emptyset ∞ infty ∂ partial ∇ nabla √ surd ∠ angle △ triangle □ square
    ■ blacksquare ◻ square ⊤ top ℓ ell ℏ hbar ℜ Re ℑ Im ℘ wp ℵ aleph ℶ beth ı imath ȷ jmath ð eth ∁ complement
    ♯ sharp ♭ flat ♮ natural
    ♠ spadesuit ♡ heartsuit ♢ diamondsuit ♣ clubsuit ✓ checkmark § S ¶ P ° circ
    → to ⟶ longrightarrow ← leftarrow ⟵ longleftarrow ↔ leftrightarrow ⟷ longleftrightarrow ⇒ Rightarrow
    ⟹ Longrightarrow ⇐ Leftarrow ⟸ Longleftarrow ⇔ Leftrightarrow ⟺ Longleftrightarrow ↑ uparrow ↓ downarrow
    ↕ updownarrow ⇑ Uparrow ⇓ Downarrow ↦ mapsto ⟼ longmapsto ↪ hookrightarrow ↩ hookleftarrow ↠ twoheadrightarrow
    ↣ rightarrowtail ⇀ rightharpoonup ⇁ rightharpoondown ↼ leftharpoonup ↽ leftharpoondown ⇌ rightleftharpoons
    ⇋ leftrightharpoons ↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ⇝ rightsquigarrow ↝ leadsto ↛ nrightarrow
    … ldots ⋯ cdots ⋮ vdots ⋱ ddots
    ⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ‖ | ∴ therefore ∵ because
    { { } } # # $ $ % % & & _ _ \\ backslash
"""
_WORDS = _SIGNS_AND_NAMES.split()
#: Commands by the characters that they stand for.
COMMANDS = {sign: f"\\{name}" for sign, name in zip(_WORDS[::2], _WORDS[1::2], strict=True)} | {
    "−": "-", "–": "-", "∕": "/", "⁄": "/", "∶": ":", "′": "'", "″": "''", "‴": "'''", "‵": "\\backprime", "’": "'",
    "≮": "\\not<", "≯": "\\not>", "≢": "\\not\\equiv", "⊄": "\\not\\subset", "⊈": "\\nsubseteq", "∌": "\\not\\ni",
    "\xa0": "~", "\u2002": "\\;", "\u2003": "\\quad ", "\u2004": "\\;", "\u2005": "\\:", "\u2009": "\\,",
    "\u200a": "\\,", "\u2006": "\\,", "|": "|", "ϝ": "\\digamma",
    # Signs that nobody sees: "times", "applied to", a comma, a plus; and widths of nothing.
    "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "",
}  # fmt: skip

#: Names of functions and operators that TeX has commands for.
FUNCTIONS = frozenset([
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
])  # fmt: skip

#: Operators whose limits stand below and above them.
WITH_LIMITS = frozenset([
    *(COMMANDS[sign] for sign in "∑∏∐∫∬∭∮⋂⋃⋁⋀⨁⨂⨀⨆⨄"),
    *(f"\\{name}" for name in ("lim", "liminf", "limsup", "max", "min", "sup", "inf", "det", "gcd", "Pr")),
])  # fmt: skip

#: Commands by what stands above: over one sign, and over more.
ACCENTS = {
    "^": ("\\hat", "\\widehat"), "ˆ": ("\\hat", "\\widehat"), "\u0302": ("\\hat", "\\widehat"),
    "~": ("\\tilde", "\\widetilde"), "˜": ("\\tilde", "\\widetilde"), "∼": ("\\tilde", "\\widetilde"),
    "\u0303": ("\\tilde", "\\widetilde"), "¯": ("\\bar", "\\overline"), "‾": ("\\bar", "\\overline"),
    "ˉ": ("\\bar", "\\overline"), "―": ("\\bar", "\\overline"), "_": ("\\bar", "\\overline"),
    "\u0304": ("\\bar", "\\overline"), "\u0305": ("\\bar", "\\overline"), "→": ("\\vec", "\\overrightarrow"),
    "⃗": ("\\vec", "\\overrightarrow"), "←": ("\\overleftarrow",) * 2, "↔": ("\\overleftrightarrow",) * 2,
    "˙": ("\\dot",) * 2, ".": ("\\dot",) * 2, "⋅": ("\\dot",) * 2, "\u0307": ("\\dot",) * 2, "¨": ("\\ddot",) * 2,
    "..": ("\\ddot",) * 2, "\u0308": ("\\ddot",) * 2, "⃛": ("\\dddot",) * 2, "ˇ": ("\\check",) * 2,
    "\u030c": ("\\check",) * 2, "˘": ("\\breve",) * 2, "\u0306": ("\\breve",) * 2, "´": ("\\acute",) * 2,
    "`": ("\\grave",) * 2, "˚": ("\\mathring",) * 2, "⏞": ("\\overbrace",) * 2, "︷": ("\\overbrace",) * 2,
}  # fmt: skip
#: The same below.
UNDERLINES = {
    "_": "\\underline", "¯": "\\underline", "‾": "\\underline", "\u0332": "\\underline",
    "―": "\\underline", "⏟": "\\underbrace", "︸": "\\underbrace", "→": "\\underrightarrow", "←": "\\underleftarrow",
    "~": "\\utilde",
}  # fmt: skip

#: Arrows that grow with what stands above and below them.
ARROWS = {
    "→": "\\xrightarrow", "⟶": "\\xrightarrow", "←": "\\xleftarrow", "⟵": "\\xleftarrow", "⇒": "\\xRightarrow",
    "⇐": "\\xLeftarrow", "↔": "\\xleftrightarrow", "⇔": "\\xLeftrightarrow", "↦": "\\xmapsto",
    "⇌": "\\xrightleftharpoons", "↪": "\\xhookrightarrow",
}  # fmt: skip

#: Commands by the values of MathML's ``mathvariant``.
VARIANTS = {
    "normal": "\\mathrm", "bold": "\\mathbf", "bold-italic": "\\boldsymbol", "double-struck": "\\mathbb",
    "script": "\\mathcal", "bold-script": "\\mathcal", "fraktur": "\\mathfrak", "bold-fraktur": "\\mathfrak",
    "sans-serif": "\\mathsf", "bold-sans-serif": "\\mathsf", "sans-serif-italic": "\\mathsf", "monospace": "\\mathtt",
    "-tex-calligraphic": "\\mathcal", "-tex-mathit": "\\mathit", "-tex-bold-calligraphic": "\\mathcal",
}  # fmt: skip
#: Commands by the first words of Unicode's names of letters in such styles, the longest first.
LETTERS = {
    "MATHEMATICAL BOLD ITALIC ": "\\boldsymbol",
    "MATHEMATICAL BOLD SCRIPT ": "\\mathcal",
    "MATHEMATICAL BOLD FRAKTUR ": "\\mathfrak",
    "MATHEMATICAL BOLD ": "\\mathbf",
    "MATHEMATICAL ITALIC ": "",
    "MATHEMATICAL SCRIPT ": "\\mathcal",
    "MATHEMATICAL FRAKTUR ": "\\mathfrak",
    "MATHEMATICAL DOUBLE-STRUCK ": "\\mathbb",
    "MATHEMATICAL SANS-SERIF ": "\\mathsf",
    "MATHEMATICAL MONOSPACE ": "\\mathtt",
    "DOUBLE-STRUCK ": "\\mathbb",
    "SCRIPT ": "\\mathcal",
    "BLACK-LETTER ": "\\mathfrak",
    "PLANCK CONSTANT": "",
}

#: What closes a bracket.
BRACKETS = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "∥": "∥", "∣": "∣", "⟨": "⟩", "⌈": "⌉", "⌊": "⌋"}
#: The environments of tables in brackets.
MATRICES = {
    ("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("{", "}"): "Bmatrix", ("|", "|"): "vmatrix", ("∣", "∣"): "vmatrix",
    ("‖", "‖"): "Vmatrix", ("∥", "∥"): "Vmatrix", ("{", ""): "cases",
}  # fmt: skip


#: A command, or a script: prose has neither.
_CLEAR = re.compile(r"\\[A-Za-z]{2,}|\\[,;!]|[_^]\{|[A-Za-z0-9)}]\^|(?<![A-Za-z])[A-Za-z]_[A-Za-z0-9](?![A-Za-z0-9])")
_DELIMITED = re.compile(
    r"\s*(?:\$\$(?P<dollars>.+)\$\$|\\\[(?P<brackets>.+)\\\]|\$(?P<dollar>[^$]+)\$|\\\((?P<parentheses>.+)\\\)"
    r"|(?P<environment>\\begin\{(?P<name>[a-z]+\*?)\}.+\\end\{(?P=name)\}))\s*",
    re.DOTALL,
)
_DISPLAY = frozenset(["dollars", "brackets", "environment"])


def is_clear(text: str) -> bool:
    """Return whether a text is TeX beyond doubt."""
    return _CLEAR.search(text) is not None and text.strip() not in _MARKERS


def bare_tex(text: str) -> tuple[str, bool | None]:
    r"""Return TeX without the delimiters around it, and whether they are those of a formula on lines of its own.

    None: there were none.

    >>> bare_tex(r"\(x\)"), bare_tex("$$x$$"), bare_tex("x")
    (('x', False), ('x', True), ('x', None))
    """
    match = _DELIMITED.fullmatch(text)
    if match is None:
        return text, None
    name = next(name for name in (*_DISPLAY, "dollar", "parentheses") if match[name] is not None)
    return match[name], name in _DISPLAY


def is_prose(text: str) -> bool:
    """Return whether a text describes a picture: it has two words in a row, and no TeX."""
    words = [len(word) > 1 and word.isalpha() for word in text.split()]
    return text.strip() in _MARKERS or (any(map(and_, words, words[1:])) and not is_clear(text))


def is_said_of_tex(text: str) -> bool:
    r"""Return whether what stands between two delimiters is prose that speaks of them.

    It is set off by spaces, begins and ends with a word that is no differential, and has no sign of mathematics.

    >>> is_said_of_tex(r" and \newline and "), is_said_of_tex(r" dx \wedge dy ")
    (True, False)
    """
    return _SAID.fullmatch(text) is not None


def clean_tex(tex: str) -> str:
    r"""Return TeX on one line, without comments and wrappers that say nothing.

    Nothing in it begins like a tag of HTML: renderers of Markdown that know no formulas would pass tags on.

    >>> clean_tex("a<b"), clean_tex("% <![CDATA[\nx % the unknown\n+1 %]]>"), clean_tex(r"{\displaystyle x}")
    ('a< b', 'x +1', 'x')
    """
    if "%" in tex:
        *lines, last = _CDATA.sub("", tex).split("\n")
        # TeX reads no further in a line, and a text on one line has to go on.
        tex = "\n".join([*(_COMMENT.split(line, maxsplit=1)[0] for line in lines), last])
    tex = _TAG_START.sub("< ", collapse(tex))
    wrapper = _WRAPPER.match(tex)
    if wrapper is None:
        return tex
    if tex[0] != "{":
        return tex[wrapper.end() :]
    return tex[wrapper.end() : -1].strip() if _is_group(tex) else tex


def _is_group(tex: str) -> bool:
    """Return whether the brace at the start is closed at the end, and not before."""
    depth = 0
    for brace in _BRACE.finditer(tex):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.end() == len(tex)
    return False
