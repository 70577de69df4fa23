"""List elements: which split a page into blocks, which are removed first, which are code or stand beside it; only data.

[A]: the page on the jusText algorithm by the NLP Centre, Masaryk University (Pomikálek);
[B]: the page on jusText by WizeNoze, authors of the Java port;
[R]: the Python reference, ``justext`` 3.0.2;
[C]: the paper on a precision-improving content filter over Boilerpipe using the HTML tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: "block-level elements" as [A] and [B] list them.
PUBLISHED_BLOCK_LEVEL = frozenset([
    "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "div", "dl", "dt", "fieldset", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "legend", "li", "optgroup", "option", "p", "pre", "table", "td", "textarea",
    "tfoot", "th", "thead", "tr", "ul",
])  # fmt: skip

#: What HTML has gained since, or the list forgot.  SELECT is here so that text behind one is not
#: taken for a part of it; TEMPLATE for those that are not removed.
MODERN_BLOCK_LEVEL = PUBLISHED_BLOCK_LEVEL | frozenset([
    "address", "article", "aside", "details", "dialog", "dir", "figcaption", "figure", "footer", "header", "hgroup",
    "hr", "main", "menu", "nav", "ol", "search", "section", "select", "summary", "tbody", "template",
])  # fmt: skip

HEADING_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}


class Kind(NamedTuple):
    """What a block is made of, or stands in.

    ``meaning``: the same in words, for the documentation and the inspector.
    ``elements``: names of the elements whose text is of this kind, unless one further inside is of another.
    ``parameter``: the parameter that says what decides on its blocks, which have few stop words wherever they stand.
    Empty: they are judged like prose.
    """

    meaning: str
    elements: tuple[str, ...] = ()
    parameter: str = ""


#: All kinds, in the order in which the inspector and the documentation list them.  What is in an element that none of
#: them names is of the kind of what is around.  A comment or a table in a list is no item.
KINDS: Mapping[str, Kind] = {
    "text": Kind("text of no other kind", ("article", "section", "table")),
    "heading": Kind("text in H1 to H6", tuple(HEADING_LEVELS)),
    "list item": Kind("text in LI, DT or DD", ("li", "dt", "dd")),
    "code": Kind("preformatted code, with its lines and indentation", parameter="code"),
    "formula": Kind(
        "a formula that is a block of its own; one within a sentence is a part of that sentence", parameter="formulas"
    ),
    "table": Kind("a table of data: a row a line, with tabs between cells", parameter="tables"),
    "caption": Kind("text in CAPTION or FIGCAPTION", ("caption", "figcaption")),
    "quote": Kind("text in BLOCKQUOTE", ("blockquote",)),
    "image": Kind("an IMG, in the profile that makes blocks of images", ("img",)),
}
TEXT, HEADING, LIST_ITEM, CODE, FORMULA, TABLE, CAPTION, QUOTE, IMAGE = KINDS

WITHOUT_STOPWORDS = frozenset(name for name, kind in KINDS.items() if kind.parameter)
KIND_INSIDE = {element: name for name, kind in KINDS.items() for element in kind.elements}

#: Inline elements by what browsers show them in.
ITALIC = frozenset(["em", "i", "cite", "dfn", "var"])
BOLD = frozenset(["strong", "b"])
MONOSPACE = frozenset(["code", "kbd", "samp", "tt"])


class Removed(NamedTuple):
    """Elements that are removed from a page with all they hold.

    ``where``: an XPath test; elements of this name that pass it are removed.  Empty: all of them are.  It looks at the
    element's attributes and children only, or pages could be made on which it takes forever.
    ``kept_inside``: names of elements inside which it stays; the same in all rows that have any.
    """

    name: str
    where: str = ""
    kept_inside: tuple[str, ...] = ()


#: The names of elements that nothing hides.
NEVER_HIDDEN = frozenset({"html", "body"})

#: Hidden elements that scripts or clicks show.  React streams a part of a page as ``<div hidden id="S:0">``, and its
#: script moves that to where ``<template id="B:0">`` stands; parts of a table are children of a hidden TABLE.
_STREAMED = "starts-with(@id, 'S:') or *[starts-with(@id, 'S:')]"
#: The patterns of the ARIA Authoring Practices Guide for tabs, accordions and disclosures: a panel says what it is, or
#: stands beside the control that expands it.  Menus and dialogs have other roles.
_CONTROL = "@aria-expanded or @aria-controls"
#: A second predicate behind ``[1]`` would make libxml2 look at all siblings.
_EXPANDS = f"*[1]/self::*[{_CONTROL} or *[{_CONTROL}] or */*[{_CONTROL}]]"
_DISCLOSED = (
    "@role = 'tabpanel' or (not(@role) or @role = 'region') and not(@aria-modal)"
    f" and (preceding-sibling::{_EXPANDS} or following-sibling::{_EXPANDS})"
)
#: XPath tests for elements of any name: one that passes any of them is hidden.
HIDDEN_TESTS = (
    # ``until-found``: the browser shows it when its own search finds something there.
    f"@hidden and not(@hidden = 'until-found' or {_STREAMED} or {_DISCLOSED})",
)
HIDDEN = " or ".join(HIDDEN_TESTS)


def _any(value: str, *parts: str) -> str:
    """Return an XPath test whether a value holds one of some texts."""
    return " or ".join(f"contains({value}, '{part}')" for part in parts)


#: Languages of code, as classes and labels name them.
LANGUAGES = frozenset([
    "ada", "apache", "arduino", "asm", "awk", "bash", "basic", "bat", "c", "c#", "c++", "c3", "clojure", "cmake",
    "cobol", "coffeescript", "cpp", "cs", "csharp", "css", "csv", "cuda", "cython", "d", "dart", "diff", "dockerfile",
    "dos", "elisp", "elixir", "elm", "erlang", "f#", "fish", "fortran", "fsharp", "gherkin", "git", "glsl", "go",
    "golang", "gradle", "graphql", "groovy", "haml", "handlebars", "haskell", "hcl", "html", "http", "ini", "java",
    "javascript", "jinja", "jinja2", "js", "json", "json5", "jsonc", "jsx", "julia", "kotlin", "latex", "less",
    "lisp", "log", "lua", "make", "makefile", "markdown", "matlab", "md", "mermaid", "nasm", "nginx", "nim", "nix",
    "objc", "objective-c", "objectivec", "ocaml", "octave", "pascal", "perl", "php", "plsql", "postgresql",
    "powershell", "proto", "protobuf", "ps1", "pug", "py", "python", "python3", "pycon", "r", "rb", "reg", "regex",
    "rst", "ruby", "rust", "sass", "scala", "scheme", "scss", "sh", "shell", "shell-session", "sparql", "sql",
    "svelte", "swift", "tcl", "terraform", "tex", "toml", "ts", "tsx", "twig", "typescript", "vb", "vbnet", "verilog",
    "vhdl", "vim", "vue", "wasm", "xhtml", "xml", "yaml", "yml", "zig", "zsh",
])  # fmt: skip

#: Elements that nest deeper are not looked at: all text in all elements of a deep tree would take forever.
_FLAT = "not(*/*/*/*/*)"
#: How highlighters and editors name what stands beside code: line numbers, buttons, what editors measure with.
SPACED_CLASS = "concat(' ', @class, ' ')"
_NUMBERS_ONLY = "not(translate(normalize-space(), '0123456789', ''))"
_GUTTER_NAMES = _any(
    "@class", "lineno", "line-num", "lines-num", "line_num", "linenum", "ln-num", "blob-num", "gutter",
    "copy-b", "copyb", "copy_b", "btn-copy", "button-copy", "copy-icon", "copy-to", "clipboard",
    "crayon-num", "crayon-toolbar", "crayon-info", "CodeMirror-measure", "pre-numbering",
)  # fmt: skip
#: Code Prettify calls code with line numbers as others call the numbers.
_GUTTER_WORDS = _any(SPACED_CLASS, " ln ", " lnt ", " toolbar ", " copy ")
_GUTTERS = f"not(self::ol or self::pre or self::code) and ({_GUTTER_NAMES} or {_GUTTER_WORDS})"
#: Line numbers and the bar of older highlighters, and the copies of editors.
_NAMED_GUTTERS = (
    f"self::td and {_any(SPACED_CLASS, ' number ')} or self::div and {_any(SPACED_CLASS, ' bar ')} or self::textarea"
)
_INVISIBLE = _any("@style", "visibility: hidden", "visibility:hidden")

#: What bars above and below code have in them: the name of a language, what copies the code, or both.
_NAMED = ("c/c++", "console", "f#", "plain", "plain text", "plaintext", "terminal", "text")
_COPYING = (
    "copy", "copied", "copied!", "copy code", "copy snippet", "copy text", "copy to clipboard", "copier", "copiar",
    "kopieren", "kopiëren", "копировать", "コピー", "复制", "复制代码", "複製", "全选", "select all",
)  # fmt: skip
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
_TEXT_IN_SMALL = f"translate(normalize-space(), '{_UPPER}', '{_LOWER}')"
_BEFORE_COPY = f"normalize-space(substring-before({_TEXT_IN_SMALL}, 'copy'))"


def _is_one_of(value: str, texts: Iterable[str]) -> str:
    """Return an XPath test whether a value is one of some texts."""
    return f"contains(';{';'.join(texts)};', concat(';', {value}, ';'))"


#: A label is no longer; longer text is read once, and not in each of the tests that follow.
_LITTLE = f"{_FLAT} and string-length(normalize-space()) < 60"
_SHORT = f"string-length({_TEXT_IN_SMALL}) < 40"
_LANGUAGE_NAMES = sorted({*LANGUAGES, *_NAMED})
_SAYS_LANGUAGE_OR_COPY = (
    f"({_is_one_of(_TEXT_IN_SMALL, (*_LANGUAGE_NAMES, *_COPYING))}"
    f" or {_SHORT} and {_is_one_of(_BEFORE_COPY, _LANGUAGE_NAMES)})"
)


def _beside(what: str, *axes: str) -> str:
    """Return an XPath test whether the element right beside is or begins with some, or the one behind it."""
    begins = f"*[1]/self::*[self::{what} or *[1]/self::{what} or following-sibling::*[1]/self::{what}]"
    near = f"self::{what} or {begins}"
    tests = (f"{axis}::*[1]/self::*[{near} or {axis}::*[1]/self::*[{near}]]" for axis in axes)
    return f"({' or '.join(tests)})"


_SIBLINGS = ("preceding-sibling", "following-sibling")
_BESIDE_PRE = _beside("pre", *_SIBLINGS)
#: One of the first five elements of its parent.  Of those that ask what is beside their parent there may be no more:
#: 100,000 of them would pass the same 100,000 comments there.
_AMONG_FIRST = f"not({'/'.join(['preceding-sibling::*[1]'] * 5)})"
_BESIDE_PRE_ABOVE = f"parent::div[{_BESIDE_PRE}] or parent::div[{_AMONG_FIRST}]/parent::div[{_BESIDE_PRE}]"
#: It stands in a line of text.
_IN_TEXT = " or ".join(f"{axis}::node()[1]/self::text()[normalize-space()]" for axis in _SIBLINGS)
_LABEL_CLASSES = (
    "lang",
    "copy",
    "clipboard",
    "toolbar",
    "code-head",
    "codeHead",
    "codehead",
    "code-block",
    "codeblock",
    "code-label",
)
_PROMPT_CLASS = "rompt"
#: Without its number.
_PROMPT = "translate(normalize-space(), '0123456789*\xa0 ', '')"
#: Bars with the language of code, and Jupyter's prompts.
LABEL_OF_CODE = (
    f"@class and ({_any('@class', *_LABEL_CLASSES, _PROMPT_CLASS)}) and {_LITTLE}"
    f" and ({_SAYS_LANGUAGE_OR_COPY} and not({_IN_TEXT})"
    f" and ({_BESIDE_PRE} or {_AMONG_FIRST} and ({_BESIDE_PRE_ABOVE}))"
    f" or contains(@class, '{_PROMPT_CLASS}') and {_is_one_of(_PROMPT, ('In[]:', 'Out[]:', '[]:'))})"
)
#: The names of the elements that are such.
LABELS = ("button", "div", "span")
#: What classes of them have in them.
WORDS_OF_LABELS, WORDS_OF_PROMPTS = (*_LABEL_CLASSES, _PROMPT_CLASS), (_PROMPT_CLASS,)
#: Bars that stand in a PRE, above its code; they have no classes that tell.
_BESIDE_CODE = _beside("code", "following-sibling")
_BAR = (
    f"not(preceding-sibling::*[1]) and (self::div and {_BESIDE_CODE} or parent::div[{_BESIDE_CODE}])"
    f" and {_LITTLE} and {_SAYS_LANGUAGE_OR_COPY}"
)
#: What its class or its style tells.
NAMED_BESIDE_CODE = (
    f"@class and ({_GUTTERS} or {_NAMED_GUTTERS})"
    f" or @style and (contains(@style, 'user-select') and {_FLAT} and {_NUMBERS_ONLY} or {_INVISIBLE})"
)
BESIDE_CODE = f"self::button or {NAMED_BESIDE_CODE} or {_BAR}"
#: The same on a page where no class or style tells; a class of any kind tells of a TEXTAREA in code.
UNNAMED_BESIDE_CODE = f"self::button or self::textarea and @class or {_BAR}"
#: Lists of line numbers beside a PRE, by the names of elements that may be such.
_LIST_OF_NUMBERS = (
    f"@class and ({_any('@class', 'line-num', 'linenum', 'lineno', 'line_num', 'line-no', 'numbering', 'gutter')})"
    f" and {_BESIDE_PRE} and {_FLAT} and normalize-space() and not(translate(normalize-space(), '0123456789 ', ''))"
)
LINE_NUMBERS = dict.fromkeys(("div", "ol", "ul"), _LIST_OF_NUMBERS)
#: What is told of them.
NUMBERS = "line numbers"
#: Signs of the code itself that scripts have made images of.
EMOJI_IN_CODE = f"@class and ({_any('@class', 'emoji', 'emoticon', 'smil')}) and string-length(@alt) < 17"
#: Inline elements that are a line of code each.
LINE_OF_CODE = f"@data-line or @class and ({_any(SPACED_CLASS, ' line ', '-line ')})"
#: Tables that are code: a row a line, or line numbers beside a PRE.
_FIRST_CELL = "concat(' ', tr/td/@class, ' ', tbody/tr/td/@class, ' ')"
_CODE_TABLE = (
    f"{_any('@class', 'highlighttable', 'codehilitetable', 'lntable', 'rouge-table', 'crayon-table', 'hljs-ln')} or "
    f"{_any(_FIRST_CELL, 'blob-', 'gutter', 'lineno', 'line-num', 'lines-num', 'line_num', 'linenum', 'lntd')} or "
    f"{_any(_FIRST_CELL, ' code ')}"
)
#: The first class of DIVs that are code as a whole, those of Ace, CodeMirror, Monaco, Crayon, SyntaxHighlighter and
#: GitHub's files.  One test, since most pages have many DIVs, and none of these.
_EDITORS = (
    "ace_editor", "ace_gutter", "ace_scroller", "ace_static_highlight", "CodeMirror", "CodeMirror-code", "cm-content",
    "cm-scroller", "monaco-editor", "crayon-syntax", "syntaxhighlighter", "dp-highlighter", "react-code-file-contents",
)  # fmt: skip
FIRST_CLASS = "substring-before(concat(normalize-space(@class), ' '), ' ')"
_EDITOR = f"contains(' {' '.join(_EDITORS)} ', concat(' ', {FIRST_CLASS}, ' '))"
#: Lists of lines: those of Google's Code Prettify and of GeSHi.
_FIRST_LINE = "concat(' ', li/div/@class, ' ')"
_LIST_OF_LINES = f"@class and contains({SPACED_CLASS}, ' linenums ') or contains({_FIRST_LINE}, ' de1 ')"
#: Elements other than PRE that are code as a whole, by their names.
CODE_AS_A_WHOLE = {"table": _CODE_TABLE, "div": _EDITOR, "ol": _LIST_OF_LINES}


def _joined(*values: str) -> str:
    """Return an XPath expression for the beginnings of values, with spaces in between."""
    return f"concat({', '.join(f'substring({value}, 1, {_MOST_OF_VALUE}), {_SPACE}' for value in values)})"


_MOST_OF_VALUE = 200
_SPACE = "' '"
#: What tells whether a PRE is code, and in which language: CODE in it, and classes of its own, of CODE and around it.
_NAMES = ("@class", "@data-language", "@data-lang")
ABOUT_CODE = _joined(
    "name(code | samp | kbd)",
    *_NAMES,
    # GitLab and Confluence.
    *("@data-canonical-lang", "@lang", "@data-syntaxhighlighter-params"),
    *(f"code/{name}" for name in _NAMES),
    "*/code/@class",
    "*/*/code/@class",
    *(f"../{name}" for name in _NAMES),
    "../../@class",
    "../../../@class",
    # The label above it.
    f"preceding-sibling::*[1]/self::*[{LABEL_OF_CODE}]",
)
#: The same of a table that is code, whose first cell may have line numbers.
_IN_CELLS = (
    "td/pre/code/@class",
    "td/pre/code/@data-lang",
    "td/*/pre/code/@class",
    "td[1]/following-sibling::td[1]/pre/@class",
)
_ABOUT_CODE_TABLE = _joined(
    "@role",
    "@class",
    *(f"{rows}/{inside}" for rows in ("tr", "tbody/tr") for inside in _IN_CELLS),
    *(f"../{name}" for name in _NAMES),
    "../../@class",
)
#: What tells in which language the code in a DIV or a list is.
_ABOUT_LINES = _joined(
    "@role", *_NAMES, "*/@data-language", "../@class", "*[1]/div[1]/span[contains(@class, 'crayon-language')]"
)
#: What tells whether a TABLE holds data: its role, its class, and elements that tables of data have.
ABOUT_TABLE = _joined("@role", "@class", "name(caption)", "name(thead)", "name(tr/th)", "name(tbody/tr/th)")
#: What is told of an element, by its name, and of one that is code as a whole.
ABOUT = {"pre": ABOUT_CODE, "table": ABOUT_TABLE}
ABOUT_WHOLE = {"table": _ABOUT_CODE_TABLE, "div": _ABOUT_LINES, "ol": _ABOUT_LINES}

#: What stands between the parts of what an IMG tells.
APART = "\ufdd3"
#: The attributes of an IMG that tell what it is, and those that may hold its address, the best first: those of lazy
#: images, its own, and those of elements right beside it that browsers take instead.
_IMAGE_PARTS = (
    "@alt", "@class", "@width", "@height",
    "@data-src", "@data-original", "@data-lazy-src", "@src", "following-sibling::*[1]/self::noscript/img/@src",
    "@srcset", "@data-srcset", "preceding-sibling::*[1]/self::source/@srcset",
    # Parsers that do not know SOURCE put what follows into it.
    "self::*[not(preceding-sibling::*[1])]/parent::source/@srcset",
)  # fmt: skip
_WITH_MARKS_APART = f", '{APART}', ".join(_IMAGE_PARTS)
ABOUT_IMAGE = f"concat({_WITH_MARKS_APART})"


@dataclass(frozen=True, slots=True)
class TagRules:
    """How the elements of a page are treated when it is cut into blocks.

    ``block_level``: names of elements at whose start and end a block ends.
    ``removed``: elements that are removed with all they hold.
    ``unwrapped``: names of elements whose tags are ignored, but whose content is read.
    ``hidden``: an XPath test; elements of any name that pass it are removed, except :data:`NEVER_HIDDEN`.  Empty: none
    are.
    ``text_nodes``: whether text is read node by node, as [R] does, or as one run.
    ``select_in_name``: whether an element with "select" anywhere in its name is a SELECT, as in [R],
    which looks for the word in the joined names of all ancestors.
    ``images``: whether an IMG is a block of its own; "img" is then among ``block_level``.
    ``kinds``: whether code and tables of data are blocks as a whole, and formulas are written as TeX.
    ``styled``: whether marks tell where links lead, and which inline elements are italic, bold or code; for
    Markdown, which reads a page a second time.
    ``where_little``: the rules for pages that show next to nothing by these.
    """

    block_level: frozenset[str]
    removed: tuple[Removed, ...]
    unwrapped: frozenset[str] = frozenset()
    hidden: str = ""
    text_nodes: bool = False
    select_in_name: bool = False
    images: bool = False
    kinds: bool = False
    styled: bool = False
    where_little: TagRules | None = None

    @property
    def keeping(self) -> frozenset[str]:
        """Return the names of the elements inside which some stay that are removed elsewhere."""
        return frozenset(name for row in self.removed for name in row.kept_inside)


#: The elements of HTML 5 that a page may begin with where it leaves out the BODY tag.  Parsers that do not know them
#: put them into HEAD, which is no head then.
SECTIONS = ("article", "aside", "details", "dialog", "figure", "footer", "header", "hgroup", "main", "nav", "search",
            "section")  # fmt: skip
_HEAD = Removed("head", f"not({' or '.join(SECTIONS)})")

#: The browser shows the text of a declarative shadow root, as if it stood in the element around it.
_TEMPLATE = Removed("template", "not(@shadowrootmode or @shadowroot)")

#: A link of a heading to itself, which documentation has, is no navigation; nor is the sign text that it mostly shows.
PERMALINK = "starts-with(@href, '#')"
PERMALINK_SIGN = (
    f"{PERMALINK} and not(*) and string-length(normalize-space(text())) < 2"
    f" and ({' or '.join(f'parent::{name}' for name in HEADING_LEVELS)})"
)

#: A BUTTON is a control, but inside a heading or a SUMMARY it is the label of an accordion.
_ACCORDION_LABELS = (*HEADING_LEVELS, "summary")
_BUTTON = Removed("button", kept_inside=_ACCORDION_LABELS)


def _removed(*names: str) -> tuple[Removed, ...]:
    return tuple(map(Removed, names))


#: Elements that a reader of the page does not see, or does not see as text.
_NEVER_TEXT = (
    _HEAD,
    _TEMPLATE,
    # What stands in NOFRAMES and NOEMBED is markup, for browsers of the last century.
    *_removed("meta", "title", "script", "style", "svg", "math", "iframe", "noframes", "object", "embed", "noembed",
              "applet", "audio", "video", "canvas", "input", "datalist"),
)  # fmt: skip

#: What editors show in lines of their own right behind it, or as GitHub does.
_EDITED = Removed(
    "textarea",
    "@id = 'read-only-cursor-text-area'"
    " or following-sibling::*[1]/self::div[contains(concat(' ', @class, ' '), ' CodeMirror ')]",
)

#: For trained models, which can tell hidden boilerplate from content, and for pages that show next to nothing.  Pages
#: that scripts build have their text in NOSCRIPT or in hidden elements, and an SVG that is not closed puts the rest of
#: a page into the BUTTON around it.
LENIENT = TagRules(block_level=MODERN_BLOCK_LEVEL | {"button", "noscript"}, removed=(*_NEVER_TEXT, _EDITED), kinds=True)

MODERN = TagRules(
    block_level=MODERN_BLOCK_LEVEL,
    removed=(*_NEVER_TEXT, *_removed("noscript", "textarea"), _BUTTON),
    hidden=HIDDEN,
    kinds=True,
    where_little=LENIENT,
)

#: For Boilerpipe, which knows text only.
WITHOUT_KINDS = replace(MODERN, kinds=False, where_little=replace(LENIENT, kinds=False))

#: [R] cleans the tree with lxml_html_clean first: these rows are what its options do.
REFERENCE = TagRules(
    block_level=PUBLISHED_BLOCK_LEVEL - {"form", "textarea"},
    removed=(
        *_removed("head", "base", "script", "style", "applet", "button", "input", "select", "textarea", "param"),
        Removed("link", "contains(translate(@rel, 'STYLEHT', 'styleht'), 'stylesheet')"),
    ),
    unwrapped=frozenset({"form", "iframe", "embed", "layer", "object"}),
    text_nodes=True,
    select_in_name=True,
)

#: [B] removes HEAD, scripts and styles only.  SELECT is no block-level element to it, its OPTIONs are.
JAVA = TagRules(
    block_level=PUBLISHED_BLOCK_LEVEL | {"img"},
    removed=(_HEAD, *_removed("meta", "title", "script", "style")),
    images=True,
)

#: What a paragraph of running text may stand in, from the paper on the HTML-tree filter over Boilerpipe [C].
PARAGRAPHS = frozenset(["div", "table", "ul", "ol", "p", "section", "article", "header", "body", *HEADING_LEVELS])
