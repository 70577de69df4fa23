"""List elements, and what they are: which split a page into blocks, of which kinds blocks are; only data.

[A]: the page on the jusText algorithm by the NLP Centre, Masaryk University (Pomikálek);
[B]: the page on jusText by WizeNoze, authors of the Java port;
[C]: the paper on a precision-improving content filter over Boilerpipe using the HTML tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    "heading": Kind("text in H1 to H6, or in a block with `role=heading`", tuple(HEADING_LEVELS)),
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
#: What is raised, and what is lowered.
SCRIPTS = ("sup", "sub")

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

#: The attributes beside CLASS that say what an element is, or that it is not seen.
DESCRIBING = frozenset(["id", "role", "itemprop", "style", "aria-hidden", "hidden"])

#: The elements of HTML 5 that a page may begin with where it leaves out the BODY tag.  Parsers that do not know them
#: put them into HEAD, which is no head then.
SECTIONS = frozenset([
    "article", "aside", "details", "dialog", "figure", "footer", "header", "hgroup", "main", "nav", "search", "section",
])  # fmt: skip

#: What a paragraph of running text may stand in, from the paper on the HTML-tree filter over Boilerpipe [C].
PARAGRAPHS = frozenset(["div", "table", "ul", "ol", "p", "section", "article", "header", "body", *HEADING_LEVELS])
