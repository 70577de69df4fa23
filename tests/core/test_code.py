"""Code on a page: one block, with its lines as the author wrote them."""

from __future__ import annotations

import pytest

from scrapy_justext.core.code import code_language, is_code
from scrapy_justext.core.flattening import flatten, walk
from scrapy_justext.core.reading import segment_tree
from scrapy_justext.core.tags import LENIENT, MODERN, WITHOUT_KINDS, TagRules
from tests.builders import tree

CODE = "def f(x):\n    return x\n\nprint(f(1))"
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
