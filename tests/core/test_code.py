"""Code on a page: one block, with its lines as the author wrote them."""

from __future__ import annotations

import pytest

from scrapy_justext.core.code import code_language, is_code
from scrapy_justext.core.flattening import flatten, walk
from scrapy_justext.core.reading import segment_tree
from scrapy_justext.core.tags import LENIENT, MODERN, WITHOUT_KINDS, TagRules
from tests.builders import tree

CODE = "def f(x):\n    return x\n\nprint(f(1))"
#: Its lines with their numbers.
LINES = [*enumerate(CODE.split("\n"), 1)]
ZERO_WIDTH = "&#8203;"
#: The same in the markup of highlighters: what it is, and the markup.
MARKUP = {
    "PRE with CODE": f"<pre><code>{CODE}</code></pre>",
    "PRE by its symbols": f"<pre>{CODE}</pre>",
    "nothing but a class": f'<pre class="prettyprint">{CODE}</pre>',
    "a SPAN a line": "<pre><code>"
    + "\n".join(f'<span class="line">{line}</span>' for line in CODE.split("\n"))
    + "</code></pre>",
    "a SPAN a line, without line feeds": "<pre><code>"
    + "".join(f'<span class="line">{line}</span>' for line in CODE.split("\n"))
    + "</code></pre>",
    "a SPAN a line, with line feeds inside": "<pre><code>"
    + "".join(f'<span class="line">{line}\n</span>' for line in CODE.split("\n"))
    + "</code></pre>",
    "data-line": "<pre><code>"
    + "".join(f"<span data-line>{line}</span>" for line in CODE.split("\n"))
    + "</code></pre>",
    "a DIV a line": "<pre><code>" + "".join(f"<div>{line}</div>" for line in CODE.split("\n")) + "</code></pre>",
    "a line with a BR inside": "<pre class=prism-code><code>"
    + "".join(f'<span class="token-line">{line}<br></span>' for line in CODE.split("\n"))
    + "</code></pre>",
    "BR": f"<pre><code>{CODE}</code></pre>".replace("\n", "<br>"),
    "line numbers in SPANs": "<pre><code>"
    + "\n".join(f'<span class="lineno">{n}</span>{line}' for n, line in enumerate(CODE.split("\n")))
    + "</code></pre>",
    "line numbers that cannot be selected": "<pre><code>"
    + "\n".join(f'<span style="user-select: none">{n} </span>{line}' for n, line in enumerate(CODE.split("\n")))
    + "</code></pre>",
    "line numbers in a cell": "<table class=highlighttable><tr><td class=linenos><pre>1\n2\n3\n4</pre></td>"
    f"<td class=code><div class=highlight><pre>{CODE}\n</pre></div></td></tr></table>",
    "line numbers in a cell without a class": "<table><tr><td><pre>1\n2\n3\n4\n</pre></td>"
    f"<td><pre>{CODE}\n</pre></td></tr></table>",
    "a row a line": '<table class="highlight"><tbody>'
    + "".join(
        f'<tr><td class="blob-num" data-line-number={n}></td><td class="blob-code">{line}</td></tr>'
        for n, line in enumerate(CODE.split("\n"))
    )
    + "</tbody></table>",
    "a row a line in a PRE": "<pre><code class=hljs><table class=hljs-ln><tbody>"
    + "".join(
        f'<tr><td class="hljs-ln-line hljs-ln-numbers">{n}</td><td class="hljs-ln-line hljs-ln-code">{line}</td></tr>'
        for n, line in enumerate(CODE.split("\n"))
    )
    + "</tbody></table></code></pre>",
    "a button": f'<pre><button>Copy</button><code>{CODE}</code><div class="toolbar">copy</div></pre>',
    "Crayon": '<div class="crayon-syntax crayon-theme-classic"><div class="crayon-toolbar"><span class="crayon-title">'
    'f.py</span><div class="crayon-tools"><span class="crayon-language">Python</span></div></div>'
    f'<div class="crayon-plain-wrap"><textarea class="crayon-plain print-no" readonly>{CODE}</textarea></div>'
    '<div class="crayon-main"><table class="crayon-table"><tr class="crayon-row"><td class="crayon-nums">'
    + "".join(f'<div class="crayon-num" data-line="c-{n}">{n}</div>' for n in range(1, 5))
    + '</td><td class="crayon-code"><div class="crayon-pre">'
    + "".join(f'<div class="crayon-line" id="c-{n}">{line or "&nbsp;"}</div>' for n, line in LINES)
    + "</div></td></tr></table></div></div>",
    "CodeMirror 5": '<div class="CodeMirror cm-s-default"><div><textarea class=x></textarea></div>'
    '<div class="CodeMirror-scroll"><div class="CodeMirror-measure"><pre><span>xxxxxxxxxx</span></pre></div>'
    '<div class="CodeMirror-cursors"><div class="CodeMirror-cursor">&nbsp;</div></div><div class="CodeMirror-code">'
    + "".join(
        '<div style="position: relative;"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber'
        f' CodeMirror-gutter-elt">{n}</div></div><pre class=" CodeMirror-line "><span>{line or ZERO_WIDTH}</span></pre>'
        "</div>"
        for n, line in LINES
    )
    + "</div></div></div>",
    "CodeMirror 5, its lines alone": '<div class="CodeMirror-code">'
    + "".join(f'<pre class="CodeMirror-line"><span>{line or ZERO_WIDTH}</span></pre>' for _, line in LINES)
    + "</div>",
    "CodeMirror 6": '<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters"><div class="cm-gutter'
    ' cm-lineNumbers">'
    + "".join(f'<div class="cm-gutterElement">{n}</div>' for n in range(1, 5))
    + '</div></div><div class="cm-content" data-language="python">'
    + "".join(f'<div class="cm-line">{line or "<br>"}</div>' for _, line in LINES)
    + "</div></div></div>",
    "Ace": '<div class=" ace_editor ace-tm"><textarea class="ace_text-input"></textarea><div class="ace_gutter">'
    '<div class="ace_layer ace_gutter-layer">'
    + "".join(f'<div class="ace_gutter-cell">{n}</div>' for n in range(1, 5))
    + '</div></div><div class="ace_scroller"><div class="ace_content"><div class="ace_layer ace_text-layer">'
    + "".join(f'<div class="ace_line_group"><div class="ace_line">{line}</div></div>' for _, line in LINES)
    + '</div></div></div><div style="height: auto; visibility: hidden;"><div>XXXXXXXXXX</div></div></div>',
    "Ace, without its editor": '<div class="ace-tm"><div class="ace_static_highlight ace_show_gutter">'
    + "".join(
        f'<div class="ace_line"><span class="ace_gutter ace_gutter-cell">{n}</span>{line}\n</div>' for n, line in LINES
    )
    + "</div></div>",
    "Monaco": '<div class="monaco-editor vs"><div class="overflow-guard"><div class="margin"><div'
    ' class="margin-view-overlays">'
    + "".join(f'<div style="top:0"><div class="line-numbers">{n}</div></div>' for n in range(1, 5))
    + '</div></div><div class="lines-content"><div class="view-overlays"><div></div></div><div class="view-lines">'
    + "".join(
        f'<div class="view-line"><span>{line.replace(" ", "&nbsp;") or "<span></span>"}</span></div>'
        for _, line in LINES
    )
    + '</div></div><textarea class="inputarea">def</textarea></div></div>',
    "SyntaxHighlighter 1": '<div class="dp-highlighter"><div class="bar"><div class="tools"><a href="#">view</a></div>'
    '</div><ol start="1" class="dp-py">'
    + "".join(
        f'<li class="alt"><span><span>{line.replace(" ", "&nbsp;")}</span><span>&nbsp;&nbsp;</span></span></li>'
        for _, line in LINES
    )
    + "</ol></div>",
    "SyntaxHighlighter 2": '<div class="syntaxhighlighter"><div class="lines">'
    + "".join(
        f'<div class="line alt{n}"><table><tbody><tr><td class="number"><code>{n}</code></td>'
        f'<td class="content">{line.replace(" ", "&nbsp;") or "&nbsp;"}</td></tr></tbody></table></div>'
        for n, line in LINES
    )
    + "</div></div>",
    "SyntaxHighlighter 3": '<div><div id="highlighter_1" class="syntaxhighlighter  python"><div class="toolbar"><span>'
    '<a href="#" class="toolbar_item command_help help">?</a></span></div><table><tbody><tr><td class="gutter">'
    + "".join(f'<div class="line number{n} index0 alt2">{n}</div>' for n in range(1, 5))
    + '</td><td class="code"><div class="container">'
    + "".join(
        f'<div class="line number{n}"><code class="python spaces">{"&nbsp;" * (len(line) - len(line.lstrip()))}</code>'
        f'<code class="python plain">{line.strip() or "&nbsp;"}</code></div>'
        for n, line in LINES
    )
    + "</div></td></tr></tbody></table></div></div>",
    "Gitea": '<div class="file-view code-view"><table>\n\t<tbody>\n'
    + "\n\n".join(
        f'\t\t<tr>\n\t\t\t<td class="lines-num">\n\t\t\t\t<span data-line-number="{n}"></span>\n\t\t\t</td>\n'
        f'\t\t\t<td rel="L{n}" class="lines-code chroma">\n\t\t\t\t<code class="code-inner">{line}\n</code>\n'
        "\t\t\t</td>\n\t\t</tr>"
        for n, line in LINES
    )
    + "\n\t</tbody>\n</table></div>",
    "files on GitHub": '<div class="react-code-file-contents"><div class="react-line-numbers">'
    + "".join(f'<div class="react-line-number react-code-text" data-line-number={n}>{n}</div>' for n in range(1, 5))
    + '</div><div class="react-code-lines">'
    + "".join(
        f'<div class="react-code-text react-code-line-contents"><div id="LC{n}" class="react-file-line html-div"'
        f" data-line-number={n}>{line}</div></div>"
        for n, line in LINES
    )
    + "</div></div>",
    "a list of lines": '<ol class="linenums">' + "".join(f'<li class="L{n}">{line}' for n, line in LINES) + "</ol>",
    "a list of lines in a PRE": '<pre class="prettyprint prettyprinted linenums"><ol class="linenums">'
    + "".join(f'<li class="L{n}"><span class=pln>{line}</span></li>' for n, line in LINES)
    + "</ol></pre>",
    "GeSHi": '<div class="php geshi">\n<ol>\n'
    + "\n".join(
        f'  <li class="li1">\n    <div class="de1">\n    {line or "&nbsp;"}\n    </div>\n  </li>' for _, line in LINES
    )
    + "\n</ol>\n</div>",
    "tokens": "<pre><code>"
    + CODE.replace("def", "<span class=k>def</span>").replace("x", "<i>x</i>")
    + "</code></pre>",
}


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_code_is_one_block_as_it_was_written(markup: str, rules: TagRules) -> None:
    root = tree(f"<p>Before.</p>{markup}<p>Behind.</p>")
    assert flatten(root, rules) == walk(root, rules)
    assert [(one.text, one.kind) for one in segment_tree(root, rules)] == [
        ("Before.", "text"),
        (CODE, "code"),
        ("Behind.", "text"),
    ]


WITH_COPIES = {
    "CodeMirror": f'<textarea id=code>{CODE}</textarea><div class="CodeMirror">{{}}</div>',
    "GitHub": f'<div><textarea id="read-only-cursor-text-area">{CODE}</textarea></div>'
    '<div class="react-code-file-contents">{}</div>',
}


@pytest.mark.parametrize("markup", WITH_COPIES.values(), ids=WITH_COPIES)
def test_what_is_edited_and_shown_is_there_once(markup: str) -> None:
    root = tree(markup.format("<div>x = 1</div><div>y</div>"))
    assert flatten(root, LENIENT) == walk(root, LENIENT)
    assert [one.text for one in segment_tree(root, LENIENT)] == ["x = 1\ny"]


IN_EDITORS = [
    ('<div class="CodeMirror"><pre>x<div class="cm-content">y</div></pre></div>', ""),
    ('<div class="syntaxhighlighter  java">x</div>', "java"),
    ('<div class="cm-scroller"><div class="cm-content" data-language="python">x</div></div>', "python"),
    ('<div class="lang-js"><ol class="linenums"><li>x</ol></div>', "js"),
    (
        '<div class="crayon-syntax"><div class="crayon-toolbar"><span class="crayon-title"></span>'
        '<div class="crayon-tools"><span class="crayon-language">PHP</span></div></div>x</div>',
        "php",
    ),
]


@pytest.mark.parametrize(("markup", "language"), IN_EDITORS)
def test_editors_tell_the_language(markup: str, language: str) -> None:
    [one] = segment_tree(tree(markup), MODERN)
    assert (one.kind, one.code_language) == ("code", language)


def test_other_elements_are_no_editors() -> None:
    page = '<div class="view-lines"><div class="view-line">one</div><div class="view-line">two</div></div>'
    assert [one.kind for one in segment_tree(tree(page), MODERN)] == ["text", "text"]


def test_other_profiles_see_no_code() -> None:
    segments = segment_tree(tree(f"<pre><code>{CODE}<div>{CODE}</div></code></pre>"), WITHOUT_KINDS)
    assert [one.kind for one in segments] == ["text", "text"]


def test_links_in_code_count() -> None:
    [one] = segment_tree(tree("<pre><code><a>import</a> x = <a>y</a></code></pre>"), MODERN)
    assert (one.link_characters, one.link_words, one.tags_count) == (7, 2, 3)


def test_text_before_a_block_counts_what_code_leaves_out() -> None:
    root = tree("<p>one</p><table><tr><td><pre>1\n2</pre><td><pre>x = 1\ny = 2</pre></table><p>two</p>")
    assert [one.start for one in segment_tree(root, MODERN)] == [0, 5, 11]


PROSE = [
    ("sentences", "It was the best of times,\nit was the worst of times,\nand there was no other.", False),
    ("a poem", "The sea is calm tonight\nThe tide is full, the moon lies fair\nUpon the straits\nOn the coast", False),
    ("a command", "pip install scrapy", True),
    ("one sentence", "That is all.", False),
    ("Chinese", "白日依山尽,\n黄河入海流。\n欲穷千里目,\n更上一层楼。", False),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in PROSE], ids=[c[0] for c in PROSE])
def test_preformatted_prose_is_no_code(text: str, expected: bool) -> None:
    assert is_code(" ", text) is expected


LANGUAGES = [
    ("language-python", "python"),
    ("lang-js", "js"),
    ("language-c++ hljs", "c++"),
    ("content java-page", ""),
    ("brush: jscript; toolbar: false", "jscript"),
    ("highlight-source-shell", "shell"),
    ("highlight-python3 notranslate", "python3"),
    ("sourceCode haskell", "haskell"),
    ("src src-emacs-lisp", "emacs-lisp"),
    ("hljs rust", "rust"),
    ("highlight", ""),
    ("highlight-default notranslate", ""),
    ("language-plaintext highlighter-rouge", ""),
    ("code", ""),
    ("", ""),
]


@pytest.mark.parametrize(("about", "expected"), LANGUAGES)
def test_class_names_tell_the_language(about: str, expected: str) -> None:
    assert code_language(f"code {about}     ") == expected


def test_the_language_is_found_around_a_pre() -> None:
    page = "<div class=highlight-python><div class=highlight><pre><span></span>x = 1</pre></div></div>"
    [one] = segment_tree(tree(page), MODERN)
    assert one.code_language == "python"
