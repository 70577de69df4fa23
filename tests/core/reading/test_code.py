"""Code on a page: one block, with its lines as the author wrote them."""

from __future__ import annotations

import pytest

from scrapy_justext.core.extractor import extract
from scrapy_justext.core.reading.code import code_language, is_code
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import LENIENT, MODERN, WITHOUT_KINDS, TagRules
from tests.builders import tree

CODE = "def f(x):\n    return x\n\nprint(f(1))"
#: Its lines with their numbers.
LINES = [*enumerate(CODE.split("\n"), 1)]
NUMBERED = "<pre>1\n2\n3\n4\n</pre>"
ZERO_WIDTH = "&#8203;"


def rows(markup: str, between: str = "", *, empty: str = "", space: str = " ", first: int = 1) -> str:
    """The markup once for each line of the code, with the line in place of ``@`` and its number in place of ``#``.

    ``empty``: what stands for an empty line; ``space``: for a space; ``first``: the number of the first line.
    """
    lines = (line.replace(" ", space) or empty for _, line in LINES)
    return between.join(markup.replace("#", str(number)).replace("@", line) for number, line in enumerate(lines, first))


def in_pre(code: str) -> str:
    return f"<pre><code>{code}</code></pre>"


PRE = in_pre(CODE)
HIGHLIGHTED = f"<div class=highlight><pre>{CODE}</pre></div>"
#: The same in the markup of highlighters: what it is, and the markup.
MARKUP = {
    "PRE with CODE": PRE,
    "PRE by its symbols": f"<pre>{CODE}</pre>",
    "nothing but a class": f'<pre class="prettyprint">{CODE}</pre>',
    "a SPAN a line": in_pre(rows('<span class="line">@</span>', "\n")),
    "a SPAN a line, without line feeds": in_pre(rows('<span class="line">@</span>')),
    "a SPAN a line, with line feeds inside": in_pre(rows('<span class="line">@\n</span>')),
    "data-line": in_pre(rows("<span data-line>@</span>")),
    "a DIV a line": in_pre(rows("<div>@</div>")),
    "a line with a BR inside": "<pre class=prism-code><code>"
     + rows("<span class=token-line>@<br></span>") + "</code></pre>",
    "BR": PRE.replace("\n", "<br>"),
    "line numbers in SPANs": in_pre(rows('<span class="lineno">#</span>@', "\n", first=0)),
    "line numbers that cannot be selected": in_pre(rows('<span style="user-select: none"># </span>@', "\n", first=0)),
    "line numbers in a cell": "<table class=highlighttable><tr><td class=linenos><pre>1\n2\n3\n4</pre></td>"
     f"<td class=code><div class=highlight><pre>{CODE}\n</pre></div></td></tr></table>",
    "line numbers in a cell without a class": f"<table><tr><td>{NUMBERED}<td><pre>{CODE}\n</pre></table>",
    "a row a line": '<table class="highlight"><tbody>'
     + rows('<tr><td class="blob-num" data-line-number=#></td><td class="blob-code">@</td></tr>', first=0)
     + "</tbody></table>",
    "a row a line in a PRE": "<pre><code class=hljs><table class=hljs-ln><tbody>"
     + rows('<tr><td class="hljs-ln-line hljs-ln-numbers">#</td><td class="hljs-ln-line hljs-ln-code">@</td></tr>',
            first=0)
     + "</tbody></table></code></pre>",
    "a button": f'<pre><button>Copy</button><code>{CODE}</code><div class="toolbar">copy</div></pre>',
    "Crayon": '<div class="crayon-syntax crayon-theme-classic"><div class="crayon-toolbar"><span class="crayon-title">'
     'f.py</span><div class="crayon-tools"><span class="crayon-language">Python</span></div></div>'
     f'<div class="crayon-plain-wrap"><textarea class="crayon-plain print-no" readonly>{CODE}</textarea></div>'
     '<div class="crayon-main"><table class="crayon-table"><tr class="crayon-row"><td class="crayon-nums">'
     + rows('<div class="crayon-num" data-line="c-#">#</div>') + '</td><td class="crayon-code"><div class="crayon-pre">'
     + rows('<div class="crayon-line" id="c-#">@</div>', empty="&nbsp;") + "</div></td></tr></table></div></div>",
    "CodeMirror 5": '<div class="CodeMirror cm-s-default"><div><textarea class=x></textarea></div>'
     '<div class="CodeMirror-scroll"><div class="CodeMirror-measure"><pre><span>xxxxxxxxxx</span></pre></div>'
     '<div class="CodeMirror-cursors"><div class="CodeMirror-cursor">&nbsp;</div></div><div class="CodeMirror-code">'
     + rows('<div style="position: relative;"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber'
     ' CodeMirror-gutter-elt">#</div></div><pre class=" CodeMirror-line "><span>@</span></pre></div>', empty=ZERO_WIDTH)
     + "</div></div></div>",
    "CodeMirror 5, its lines alone": '<div class="CodeMirror-code">'
     + rows('<pre class="CodeMirror-line"><span>@</span></pre>', empty=ZERO_WIDTH) + "</div>",
    "CodeMirror 6": '<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters"><div class="cm-gutter'
     f' cm-lineNumbers">{rows("<div class=cm-gutterElement>#</div>")}</div></div>'
     f'<div class="cm-content" data-language="python">{rows("<div class=cm-line>@</div>", empty="<br>")}'
     "</div></div></div>",
    "Ace": '<div class=" ace_editor ace-tm"><textarea class="ace_text-input"></textarea><div class="ace_gutter">'
     f'<div class="ace_layer ace_gutter-layer">{rows("<div class=ace_gutter-cell>#</div>")}'
     '</div></div><div class="ace_scroller"><div class="ace_content"><div class="ace_layer ace_text-layer">'
     + rows('<div class="ace_line_group"><div class="ace_line">@</div></div>')
     + '</div></div></div><div style="height: auto; visibility: hidden;"><div>XXXXXXXXXX</div></div></div>',
    "Ace, without its editor": '<div class="ace-tm"><div class="ace_static_highlight ace_show_gutter">'
     + rows('<div class="ace_line"><span class="ace_gutter ace_gutter-cell">#</span>@\n</div>') + "</div></div>",
    "Monaco": '<div class="monaco-editor vs"><div class="overflow-guard"><div class="margin"><div'
     f' class="margin-view-overlays">{rows("<div style=top:0><div class=line-numbers>#</div></div>")}'
     '</div></div><div class="lines-content"><div class="view-overlays"><div></div></div><div class="view-lines">'
     + rows('<div class="view-line"><span>@</span></div>', empty="<span></span>", space="&nbsp;")
     + '</div></div><textarea class="inputarea">def</textarea></div></div>',
    "SyntaxHighlighter 1": '<div class="dp-highlighter"><div class="bar"><div class="tools"><a href="#">view</a></div>'
     '</div><ol start="1" class="dp-py">'
     + rows('<li class="alt"><span><span>@</span><span>&nbsp;&nbsp;</span></span></li>', space="&nbsp;")
     + "</ol></div>",
    "SyntaxHighlighter 2": '<div class="syntaxhighlighter"><div class="lines">'
     + rows('<div class="line alt#"><table><tbody><tr><td class="number"><code>#</code></td>'
     '<td class="content">@</td></tr></tbody></table></div>', empty="&nbsp;", space="&nbsp;") + "</div></div>",
    "SyntaxHighlighter 3": '<div><div id="highlighter_1" class="syntaxhighlighter  python"><div class="toolbar"><span>'
     '<a href="#" class="toolbar_item command_help help">?</a></span></div><table><tbody><tr><td class="gutter">'
     + rows('<div class="line number# index0 alt2">#</div>') + '</td><td class="code"><div class="container">'
     + "".join(
     f'<div class="line number{n}"><code class="python spaces">{"&nbsp;" * (len(line) - len(line.lstrip()))}</code>'
     f'<code class="python plain">{line.strip() or "&nbsp;"}</code></div>' for n, line in LINES)
     + "</div></td></tr></tbody></table></div></div>",
    "Gitea": '<div class="file-view code-view"><table>\n\t<tbody>\n'
     + rows('\t\t<tr>\n\t\t\t<td class="lines-num">\n\t\t\t\t<span data-line-number="#"></span>\n\t\t\t</td>\n'
     '\t\t\t<td rel="L#" class="lines-code chroma">\n\t\t\t\t<code class="code-inner">@\n</code>\n'
     "\t\t\t</td>\n\t\t</tr>", "\n\n") + "\n\t</tbody>\n</table></div>",
    "files on GitHub": '<div class="react-code-file-contents"><div class="react-line-numbers">'
     + rows('<div class="react-line-number react-code-text" data-line-number=#>#</div>')
     + '</div><div class="react-code-lines">' + rows(
     '<div class="react-code-text react-code-line-contents"><div id="LC#" class="react-file-line html-div"'
     " data-line-number=#>@</div></div>") + "</div></div>",
    "a list of lines": f'<ol class="linenums">{rows("<li class=L#>@")}</ol>',
    "a list of lines in a PRE": '<pre class="prettyprint prettyprinted linenums"><ol class="linenums">'
     + rows('<li class="L#"><span class=pln>@</span></li>') + "</ol></pre>",
    "GeSHi": '<div class="php geshi">\n<ol>\n' + rows(
     '  <li class="li1">\n    <div class="de1">\n    @\n    </div>\n  </li>', "\n", empty="&nbsp;") + "\n</ol>\n</div>",
    "VuePress": f'<div class="language-py line-numbers-mode"><pre class="language-py"><code>{CODE}\n</code></pre>'
     f'<div class="line-numbers-wrapper">{rows("<span class=line-number>#</span><br>")}</div></div>',
    "VitePress": '<div class="language-js line-numbers-mode"><button title="Copy Code" class="copy"></button>'
     f'<span class="lang">js</span><pre class="shiki"><code>{CODE}</code></pre><div class="line-numbers-wrapper">'
     f"{rows('<span class=line-number>#</span><br>')}</div></div>",
    "CSDN": f'<pre class="prettyprint"><code class="has-numbering">{CODE}</code><div class="hljs-button">'
     f'</div><ul class="pre-numbering">{rows("<li>#</li>")}</ul></pre>',
    "line numbers in DIVs before": f'<div class=code><div class="line-numbers">{rows("<div>#</div>")}</div>'
     f"<pre>{CODE}</pre></div>",
    "line numbers in a column before": '<div class=code><div class="gutter">1 2 3 4 5</div><div class=content><pre>'
     f"{CODE}\n\n</pre></div></div>",
    "a bar with the language": '<div class="code-block"><div class="code-header"><span class="lang">python</span>'
     f"<button>Copy code</button></div>{PRE}</div>",
    "a bar with the language and a link": '<div class="codeHeader"><span>C++</span> <a class="action">Copy</a></div>'
     f"{PRE}",
    "a bar below": f'<div class="code-toolbar">{PRE}<div class="toolbar"><div'
     ' class="toolbar-item"><span>Python</span></div><div class="toolbar-item"><a>Copy</a></div></div></div>',
    "a label": f'<div><span class="language-label">Python</span>{PRE}</div>',
    "a label and what copies": '<div class="snippet"><div><div class="lang">Bash</div><div class="clipboard-copy">'
     f"复制代码</div></div><div>{PRE}</div></div>",
    "ChatGPT": '<pre class="overflow-visible!"><div class="rounded-2xl"><div class="flex px-4 text-xs">python</div><div'
     ' class="sticky"><div><button>Copy code</button></div></div><div class="p-4"><code class="language-python">'
     f"{CODE}</code></div></div></pre>",
    "ChatGPT, before": '<pre><div class="bg-black"><div class="flex px-4"><span>python</span><button>Copy code</button>'
     f'</div><div class="p-4"><code class="hljs language-python">{CODE}</code></div></div></pre>',
    "Jupyter": '<div class="cell"><div class="input"><div class="prompt input_prompt">In&nbsp;[12]:</div><div'
     f' class="inner_cell"><div class="input_area">{HIGHLIGHTED}</div></div></div></div>',
    "JupyterLab": '<div class="jp-InputArea"><div class="jp-InputPrompt jp-InputArea-prompt">In&nbsp;[ ]:</div><div'
     f' class="jp-Editor"><div class="CodeMirror">{HIGHLIGHTED}</div></div></div>',
    "Sphinx of notebooks": '<div class="nbinput"><div class="prompt highlight-none"><div class="highlight"><pre><span>'
     f'</span>[1]:\n</pre></div></div><div class="input_area">{HIGHLIGHTED}</div>',
    "tokens": in_pre(CODE.replace("def", "<span class=k>def</span>").replace("x", "<i>x</i>")),
}  # fmt: skip


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_code_is_one_block_as_it_was_written(markup: str, rules: TagRules) -> None:
    root = tree(f"<p>Before.</p>{markup}<p>Behind.</p>")
    assert [(segment.text, segment.kind) for segment in read_tree(root, rules)] == [
        ("Before.", "text"), (CODE, "code"), ("Behind.", "text"),
    ]  # fmt: skip


#: Code without PRE: what it is, the markup, and the blocks.
CODED = CODE.replace("    ", "&nbsp; &nbsp; ")
CODE_BLOCK = (CODE, "code")
WITHOUT_PRE = {
    "phpBB": ("<dl class=codebox><dt>Code: <a href=#>Select all</a></dt><dd><code>" + CODED.replace("\n", "<br />")
        + "</code></dd></dl>", [("Code: Select all", "list item"), CODE_BLOCK]),
    "a paragraph": (f"<p><code>{CODED}</code></p>".replace("\n", "<br>\n"), [CODE_BLOCK]),
    "bold": (f"<p><b><code>{CODED}</code></b> </p>".replace("\n", "<br>"), [CODE_BLOCK]),
    "a DIV": (f"<div class=code>\n  <code>{CODED}</code>\n</div>".replace("\n", "<br>\n"), [CODE_BLOCK]),
    "a quote": (f"<blockquote><code>{CODED}</code></blockquote>".replace("\n", "<br>"), [CODE_BLOCK]),
    "indented as the markup": ("<p>\n    <code>" + "".join(f"\n      {line}<br>" for _, line in LINES)
        + "\n    </code>\n</p>", [CODE_BLOCK]),
    "a CODE a line": ("<p>" + "<br>\n".join(f"<code>{line}</code>" for line in ("a = 1", "b = 2")) + "</p>",
        [("a = 1\nb = 2", "code")]),
    "a line of several CODE": ("<p><code>a = 1</code> <code>;</code><br><code>b</code>", [("a = 1 ;\nb", "code")]),
    "highlighted by PHP": (
        '<div class="phpcode"><code><span style="color: #000000">\n<span style="color: #0000BB">&lt;?php<br />&nbsp;$a'
        "</span><span>=</span><span>1</span><span>;<br />?&gt;</span>\n</span>\n</code></div>",
        [("<?php\n $a=1;\n?>", "code")]),
    "a DIV a line": ("<p><code><div>a = 1;</div><div>b = 2;</div></code>", [("a = 1;\nb = 2;", "code")]),
    "between lines of text": ("<div>Do this:<br><code>a = 1<br>b = 2</code><br>and see.</div>",
        [("Do this:", "text"), ("a = 1\nb = 2", "code"), ("and see.", "text")]),
    "right before text": ("<div>Code</div><code class=bbc_code>a = 1<br>b = 2<br>c = 3</code>and see.",
        [("Code", "text"), ("a = 1\nb = 2\nc = 3", "code"), ("and see.", "text")]),
    "before a line of text with CODE": ("<p><code>a = 1</code><br><code>b = 2</code><br><code>c</code> is three.",
        [("a = 1\nb = 2", "code"), ("c is three.", "text")]),
    "lines of the source": ("<p><code>logger =\n  get_logger()</code></p>", [("logger = get_logger()", "text")]),
    "lines of the source in code": ("<p><code>a =\n  1<br>b</code></p>", [("a = 1\nb", "code")]),
    "one line": ("<p><code>a = 1</code></p>", [("a = 1", "text")]),
    "one line and a BR": ("<p><code>a = 1<br></code></p>", [("a = 1", "text")]),
    "in a sentence": ("<p>Use <code>a<br>b</code> there.</p>", [("Use a b there.", "text")]),
    "at the start of a sentence": ("<p><code>a<br>b</code> is used.</p>", [("a b is used.", "text")]),
    "at the end of a sentence": ("<p>Use <code>a<br>b</code></p>", [("Use a b", "text")]),
    "paragraphs of code": ("<p><code>a</code><p><code>b</code>", [("a", "text"), ("b", "text")]),
    "items": ("<ul><li><code>a</code><li><code>b</code></ul>", [("a", "list item"), ("b", "list item")]),
    "prose": ("<p><code>It was the best of times.<br>It was the worst of times.</code></p>",
        [("It was the best of times. It was the worst of times.", "text")]),
    "not closed": ("<div><code>x = 1;<div><h2>Heading</h2>It was the best of times.<br>It was the worst.</div>",
        [("x = 1;", "text"), ("Heading", "heading"), ("It was the best of times. It was the worst.", "text")]),
    "a heading": ("<h2><code>a<br>b</code></h2>", [("a b", "heading")]),
    "behind a PRE with such lines": ("<pre class=language-c>x<p><code>a<br>b</code></p>y</pre><p><code>c<br>d</code>",
        [("x\na\nb\ny", "code"), ("c\nd", "code")]),
    "a formula": ("<p><code>a<br><math><mi>x</mi></math></code>", [("a $x$", "text")]),
}  # fmt: skip


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
@pytest.mark.parametrize(("markup", "expected"), WITHOUT_PRE.values(), ids=WITHOUT_PRE)
def test_lines_of_code_without_pre_are_a_block(markup: str, expected: list[tuple[str, str]], rules: TagRules) -> None:
    root = tree(f"<p>Before.</p>{markup}<p>Behind.</p>")
    blocks = [(segment.text, segment.kind) for segment in read_tree(root, rules)]
    assert blocks == [("Before.", "text"), *expected, ("Behind.", "text")]


def test_links_in_and_around_code_count() -> None:
    segments = read_tree(tree("<p>a <a href=/>b<br><code>c = 1<br>d = 2</code><br>e</a> f"), MODERN)
    assert [(segment.text, segment.link_characters) for segment in segments] == [
        ("a b", 1),
        ("c = 1\nd = 2", 10),
        ("e f", 1),
    ]
    [segment] = read_tree(tree("<pre><code><a href=/>import</a> x = <a href=/>y</a></code></pre>"), MODERN)
    assert (segment.link_characters, segment.link_words, segment.tags_count) == (7, 2, 3)


def test_lines_of_code_leave_the_numbers_of_elements() -> None:
    page = "<p>a<div><code><div>x = 1;</div><div>y = 2;</div></code></div><p>b"
    segments = read_tree(tree(page), MODERN)
    plain = read_tree(tree(page.replace("code>", "span>")), MODERN)
    assert segments[-1].element == plain[-1].element
    assert segments[1].element == plain[1].element - 1


def test_markdown_of_text_around_lines_of_code() -> None:
    page = "<div>Do <b>this</b>:<br><code>a = 1<br>&nbsp;b = 2</code><br>and <i>see</i>.</div>"
    extraction = extract(page, language="none", code="keep", keep_css=["div"], markdown=True)
    assert extraction.markdown == "Do **this**:\n\n```\na = 1\n b = 2\n```\n\nand *see*."


WITH_COPIES = {
    "CodeMirror": f'<textarea id=code>{CODE}</textarea><div class="CodeMirror">{{}}</div>',
    "GitHub": f'<div><textarea id="read-only-cursor-text-area">{CODE}</textarea></div>'
    '<div class="react-code-file-contents">{}</div>',
}


@pytest.mark.parametrize("markup", WITH_COPIES.values(), ids=WITH_COPIES)
def test_what_is_edited_and_shown_is_there_once(markup: str) -> None:
    root = tree(markup.format("<div>x = 1</div><div>y</div>"))
    assert [segment.text for segment in read_tree(root, LENIENT)] == ["x = 1\ny"]


IN_EDITORS = [
    ('<div class="CodeMirror"><pre>x<div class="cm-content">y</div></pre></div>', ""),
    ('<div class="syntaxhighlighter  java">x</div>', "java"),
    ('<div class="cm-scroller"><div class="cm-content" data-language="python">x</div></div>', "python"),
    ('<div class="lang-js"><ol class="linenums"><li>x</ol></div>', "js"),
    ('<div class="crayon-syntax"><div class="crayon-toolbar"><span class="crayon-title"></span>'
     '<div class="crayon-tools"><span class="crayon-language">PHP</span></div></div>x</div>', "php"),
    ('<div class="crayon-syntax"><div><div><span class="crayon-mixed">sh</span><span class="crayon-language">PHP</span>'
     '</div></div>x</div>', "php"),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "language"), IN_EDITORS)
def test_editors_tell_the_language(markup: str, language: str) -> None:
    [segment] = read_tree(tree(markup), MODERN)
    assert (segment.kind, segment.code_language) == ("code", language)


def test_editors_and_code_are_none_in_other_elements_and_profiles() -> None:
    page = '<div class="view-lines"><div class="view-line">one</div><div class="view-line">two</div></div>'
    assert [segment.kind for segment in read_tree(tree(page), MODERN)] == ["text", "text"]
    segments = read_tree(tree(f"<pre><code>{CODE}<div>{CODE}</div></code></pre>"), WITHOUT_KINDS)
    assert [segment.kind for segment in segments] == ["text", "text"]
    root = tree("<table><tr><td class=co>one<td>two</tr><tbody><tr><td class=de>three</table>")
    assert "code" not in [segment.kind for segment in read_tree(root, MODERN)]


IMAGES = [
    ("<img class=emoji alt=🎉 src=a.png>", "🎉"),
    ("<img alt=':)' class='wp-smiley' src=a.gif>", ":)"),
    ("<img class=photo alt=Lake src=a.png>", ""),
    ("<img class=emoji src=a.png>", ""),
    ("<img class=emoji alt='a long text that is none' src=a.png>", ""),
]


@pytest.mark.parametrize(("image", "expected"), IMAGES)
@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["justext", "learned"])
def test_signs_of_code_that_are_images_stay(image: str, expected: str, rules: TagRules) -> None:
    root = tree(f"<p>one {image}<pre><code>x = '{image}'</code></pre>")
    assert read_tree(root, rules)[-1].text == f"x = '{expected}'"


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
    ("language-python", "python"), ("lang-js", "js"), ("language-c++ hljs", "c++"), ("content java-page", ""),
    ("brush: jscript; toolbar: false", "jscript"),
    ("highlight-source-shell", "shell"),
    ("highlight-python3 notranslate", "python3"),
    ("sourceCode haskell", "haskell"),
    ("src src-emacs-lisp", "emacs-lisp"),
    ("hljs rust", "rust"), ("highlight", ""),
    ("highlight-default notranslate", ""),
    ("language-plaintext highlighter-rouge", ""),
    ("code", ""), ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("about", "expected"), LANGUAGES)
def test_class_names_tell_the_language(about: str, expected: str) -> None:
    assert code_language(f"code {about}     ") == expected


def test_the_language_is_found_around_code_and_is_not_that_of_people() -> None:
    page = "<div class=highlight-python><div class=highlight><pre><span></span>x = 1</pre></div></div>"
    [segment] = read_tree(tree(page), MODERN)
    assert segment.code_language == "python"
    [segment] = read_tree(tree(f'<pre lang="de"><code>{CODE}</code></pre>'), MODERN)
    assert (segment.kind, segment.code_language) == ("code", "")


#: What stands beside code and is text all the same.
TEXTS = {
    "numbers in a list": "<ul><li>1<li>2<li>3<li>4</ul>",
    "numbers in a paragraph": "<p>1 2 3 4</p>",
    "other numbers of lines": "<ul class=pre-numbering><li>1<li>2<li>3<li>4<li>5<li>6<li>7</ul>",
    "numbers that do not count up": "<div class=line-numbers>1 5 7 9</div>",
    "a name of a file": "<div class=code-header><span class=lang>main.py</span></div>",
    "what to do": "<div class=code-header>Copy this code to your site</div>",
    "a heading": "<h3 class=lang>Python</h3>",
    "a sentence": "<p>In <span class=lang>Python</span> it is</p>",
    "a sentence that is marked up": "<p><i>In plain</i> <span class=lang>Python</span></p>",
    "a word": "<div class=name>Python</div>",
    "a prompt": "<div class=prompt>In the beginning:</div>",
    "a prompt without its class": "<div>In [1]:</div>",
}


def text_of(markup: str) -> str:
    return "".join(str(tree(markup).xpath("string()")).split())


@pytest.mark.parametrize("page", [f"{{}}<pre><code>{CODE}</code></pre>", f"<div><pre>{CODE}</pre></div>{{}}"])
@pytest.mark.parametrize("markup", TEXTS.values(), ids=TEXTS)
def test_text_beside_code_stays(markup: str, page: str) -> None:
    root = tree(page.format(markup))
    segments = read_tree(root, MODERN)
    assert "".join("".join(segment.text for segment in segments if segment.text != CODE).split()) == text_of(markup)
    assert CODE in [segment.text for segment in segments]


@pytest.mark.parametrize(
    "markup",
    [
        "<pre><div>python</div><div>main.py</div></pre>",
        "<pre><span>python</span> <code>main.py</code></pre>",
        "<pre><div>a</div><div>python</div><div><code>main.py</code></div></pre>",
        "<pre><code><div>python</div><div>main.py</div></code></pre>",
    ],
)
def test_code_that_is_a_name_of_a_language_stays(markup: str) -> None:
    root = tree(markup)
    [segment] = read_tree(root, MODERN)
    assert "python" in segment.text


def test_the_label_of_code_names_its_language_and_is_text_elsewhere() -> None:
    page = f"<div class=code-header><span>Rust</span></div><pre><code>{CODE}</code></pre>"
    [segment] = read_tree(tree(page), MODERN)
    assert (segment.text, segment.code_language) == (CODE, "rust")
    assert [segment.text for segment in read_tree(tree("<div><span class=lang>Python</span></div>"), MODERN)] == [
        "Python"
    ]


LN = "<pre><code>" + "".join(f"<span class=lnt>{n}\n</span>" for n in range(1, 5)) + "</code></pre>"
#: A site or a program that makes sites, and how it says in which language code is.
NAMED = {
    "Hugo": "<div class=highlight><div class=chroma><table class=lntable><tr><td class=lntd>"
    f"{LN}<td class=lntd><pre class=chroma><code class=language-python data-lang=python>{CODE}</code></pre>"
    "</table></div></div>",
    "Hexo": f'<figure class="highlight python"><table><tr><td class=gutter>{NUMBERED}<td class=code><pre>{CODE}</pre>'
    "</table></figure>",
    "Jekyll": '<div class="language-python highlighter-rouge"><div class=highlight><table class="rouge-table"><tbody>'
    f"<tr><td class=gutter>{NUMBERED}<td class=code><pre>{CODE}</pre></tbody></table></div></div>",
    "MediaWiki": f'<div class="mw-highlight mw-highlight-lang-python mw-content-ltr"><pre>{CODE}</pre></div>',
    "GitLab": f'<pre class="code highlight" lang="python"><code>{CODE}</code></pre>',
    "GitLab, a canonical name": f'<pre data-canonical-lang="python"><code>{CODE}</code></pre>',
    "Confluence": f'<pre data-syntaxhighlighter-params="brush: python; gutter: false; theme: Confluence">{CODE}</pre>',
    "SyntaxHighlighter": f'<pre class="brush: python; toolbar: false">{CODE}</pre>',
    "ChatGPT": f'<pre><div><div><code class="whitespace-pre! language-python">{CODE}</code></div></div></pre>',
}


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["justext", "learned"])
@pytest.mark.parametrize("markup", NAMED.values(), ids=NAMED)
def test_sites_name_the_language_of_code(markup: str, rules: TagRules) -> None:
    root = tree(markup)
    [segment] = read_tree(root, rules)
    assert (segment.text, segment.kind, segment.code_language) == (CODE, "code", "python")


NUMBERS = "<pre>1\n2\n3</pre>"


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["justext", "learned"])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<p>This prints:</p>{NUMBERS}", ["This prints:", "1\n2\n3"]),
        ("<pre><code>0\n1\n2</code></pre>", ["0\n1\n2"]),
        (f"<table><tr><td>{NUMBERS}<td><pre>a = 1\nb = 2\nc = 3</pre></table>", ["a = 1\nb = 2\nc = 3"]),
        (f"<table><tr><td>{NUMBERS}<td><pre>a = 1\nb = 2\n\n</pre></table>", ["a = 1\nb = 2"]),
        ("<ol class=linenos><li><pre><b>1</b><b>2</b><b>3</b></pre></ol><pre>int a;\nint b;\nint c;</pre>",
         ["int a;\nint b;\nint c;"]),
        ("<pre><div class='copyable'>a = 1</div></pre>", ["a = 1"]),
        ("<pre><button>x</button>a = 1<span class='copy-btn'>Copy</span></pre>", ["a = 1"]),
    ],
)  # fmt: skip
def test_numbers_are_left_out_where_they_number_lines(html: str, expected: list[str], rules: TagRules) -> None:
    assert [segment.text for segment in read_tree(tree(html), rules)] == expected
