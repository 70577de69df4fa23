"""Rules on elements, each on both sides of its limits, and what classes tell, by the parts of their words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext.core.reading import signs
from scrapy_justext.core.reading.code import has_symbols, reads_as_prose
from scrapy_justext.core.reading.flow import find_beside
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import LENIENT, MODERN, REFERENCE
from scrapy_justext.core.reading.signs import signs_of_class
from tests.builders import cut, texts

CODE = "x = 1;\ny = 2;"
PRE = f"<pre>{CODE}</pre>"


def shown(html: str) -> list[str]:
    """The texts of a page, without its code."""
    return [text for text in texts(f"<body>{html}") if text != CODE]


def deep(levels: int, text: str) -> str:
    """A text in elements that are nested in one another."""
    return f"{'<b>' * levels}{text}{'</b>' * levels}"


#: Of a bar with the language of code: what it is, the markup, and whether it is text all the same.
LABELS = [
    ("four levels of elements in it", f"<div class=lang>{deep(4, 'python')}</div>{PRE}", False),
    ("five levels of elements in it", f"<div class=lang>{deep(5, 'python')}</div>{PRE}", True),
    ("a comment on the fifth level", f"<div class=lang>{deep(4, 'python<!-- -->')}</div>{PRE}", False),
    ("what copies, behind the language", f"<div class=lang>Python Copy this text, it is free</div>{PRE}", False),
    ("the same with 40 characters", f"<div class=lang>Python Copy this text, it is free of charge</div>{PRE}", True),
    ("a language with much white space", f"<div class=lang>{' ' * 90}python{' ' * 90}</div>{PRE}", False),
    ("no language before what copies", f"<div class=lang>Please copy</div>{PRE}", True),
    ("two elements before code", f"<div class=lang>python</div><p>{PRE}", False),
    ("three elements before code", f"<div class=lang>python</div><p></p><p></p>{PRE}", True),
    ("behind code", f"{PRE}<div class=lang>python</div>", False),
    ("code in the second element beside", f"<div class=lang>python</div><div><p></p>{PRE}</div>", False),
    ("code in the first one's first", f"<div class=lang>python</div><div><div>{PRE}</div></div>", False),
    ("code in the third element beside", f"<div class=lang>python</div><div><p></p><p></p>{PRE}</div>", True),
    ("in a DIV beside code", f"<div><span class=lang>python</span></div>{PRE}", False),
    ("in a DIV in a DIV beside code", f"<div><div><span class=lang>python</span></div></div>{PRE}", False),
    ("in three DIVs beside code", f"<div><div><div><span class=lang>python</span></div></div></div>{PRE}", True),
    ("in a SECTION beside code", f"<section><span class=lang>python</span></section>{PRE}", True),
    ("the fifth in its DIV", f"<div>{'<i></i>' * 4}<span class=lang>python</span></div>{PRE}", False),
    ("the sixth in its DIV", f"<div>{'<i></i>' * 5}<span class=lang>python</span></div>{PRE}", True),
    ("text right before", f"<div>a <span class=lang>python</span></div>{PRE}", True),
    ("text right behind", f"<div><span class=lang>python</span> a</div>{PRE}", True),
    ("text behind an element", f"<div><span class=lang>python</span><i></i> a</div>{PRE}", False),
    ("in a P", f"<p class=lang>python</p>{PRE}", True),
    ("a prompt with a number", f"<div class=prompt>In [12]:</div>{PRE}", False),
    ("a prompt that waits", f"<div class=prompt>In&nbsp;[*]:</div>{PRE}", False),
    ("a prompt far from code", "<div class=prompt>Out[3]:</div>", False),
]


@pytest.mark.parametrize(("html", "is_text"), [c[1:] for c in LABELS], ids=[c[0] for c in LABELS])
def test_a_label_is_no_text_where_it_is_near_code(html: str, is_text: bool) -> None:
    assert bool(
        [text for text in shown(html) if "ython" in text or "rompt" in text or "[" in text or "opy" in text]
    ) is (is_text)


#: What stands in a PRE beside its code, and is none of it.
BESIDE = {
    "a button": "<button>Copy</button>",
    "a number in an element": "<span class=lineno>1</span>",
    "a number in a sign of GitHub": "<span class=blob-num>1</span>",
    "a number of Hugo": "<span class='lnt'>1</span>",
    "a bar": "<div class=bar>view</div>",
    "a copy for an editor": "<textarea class=x>copy</textarea>",
    "what nobody sees": "<span style='visibility: hidden'>XXX</span>",
    "what nobody sees, written tightly": "<span style='color:red;visibility:hidden'>XXX</span>",
    "what nobody sees, in large letters": "<span style='VISIBILITY : hidden'>XXX</span>",
    "numbers that cannot be selected": "<span style='user-select:none'> 12 </span>",
}
#: What stands there, and is code.
INSIDE = {
    "a list that is numbered": "<ol class=lineno><li>abc</ol>",
    "code that has a class of numbers": "<code class=lineno>abc</code>",
    "a number in an element of another name": "<i class=number>abc</i>",
    "a bar that is inline": "<span class=bar>abc</span>",
    "what a comment in a style hides": "<span style='/* visibility: hidden */ color: red'>abc</span>",
    "a text that cannot be selected": "<span style='user-select:none'>abc</span>",
    "deep numbers that cannot be selected": f"<span style='user-select:none'>{deep(5, '123')}</span>",
}


@pytest.mark.parametrize("markup", BESIDE.values(), ids=BESIDE)
def test_what_stands_beside_code_is_left_out(markup: str) -> None:
    for rules in (MODERN, LENIENT):
        assert texts(f"<body><pre>{markup}<code>{CODE}</code></pre>", rules) == [CODE]


def test_a_textarea_without_a_class_is_code_of_its_own() -> None:
    assert texts(f"<body><pre><textarea>{CODE}</textarea></pre>", LENIENT) == [CODE]


@pytest.mark.parametrize("markup", INSIDE.values(), ids=INSIDE)
def test_what_only_looks_as_if_it_stood_beside_code_stays(markup: str) -> None:
    [text] = texts(f"<body><pre>{markup}<code>{CODE}</code></pre>")
    assert "abc" in text or "123" in text


@pytest.mark.parametrize(
    ("alt", "expected"), [("a" * 16, f"x = {'a' * 16}"), ("a" * 17, "x ="), ("", "x =")], ids=["16", "17", "none"]
)
def test_an_emoji_in_code_is_a_sign_of_it_up_to_16_characters(alt: str, expected: str) -> None:
    assert texts(f"<pre><code>x = <img class=emoji alt={alt}></code></pre>") == [expected]


@pytest.mark.parametrize(("levels", "expected"), [(4, [CODE]), (5, ["1 2", CODE])])
def test_numbers_beside_a_pre_number_its_lines_if_they_are_not_nested_deep(levels: int, expected: list[str]) -> None:
    assert texts(f"<body><div class=linenum>{deep(levels, '1 2')}</div>{PRE}") == expected


#: Where a PRE says in which language its code is: the markup, and the language.
LANGUAGES = [
    ("a long class in which it comes late", f"<pre class='{'x ' * 90}language-js'>{CODE}</pre>", "js"),
    ("a class in which it comes too late", f"<pre class='{'x ' * 120}language-js'>{CODE}</pre>", ""),
    ("SAMP", f"<pre><samp class=language-js>{CODE}</samp></pre>", ""),
    ("a CODE two levels in", f"<pre><i><b><code class=language-js>{CODE}</code></b></i></pre>", "js"),
    ("a CODE three levels in", f"<pre><i><b><u><code class=language-js>{CODE}</code></u></b></i></pre>", ""),
    ("the element around", f"<div data-lang=js>{PRE}</div>", "js"),
    ("three elements around", f"<div class=lang-js><div><div>{PRE}</div></div></div>", "js"),
    ("four elements around", f"<div class=lang-js><div><div><div>{PRE}</div></div></div></div>", ""),
    (
        "an attribute in the cell of a table",
        f"<table class=highlighttable><tr><td><pre><code data-lang=js>{CODE}</code></pre></table>",
        "js",
    ),
    ("Markdown's plain text", f"<pre><code class=language-plaintext>{CODE}</code></pre>", ""),
]


@pytest.mark.parametrize(("html", "language"), [c[1:] for c in LANGUAGES], ids=[c[0] for c in LANGUAGES])
def test_the_language_is_read_near_code_only(html: str, language: str) -> None:
    [segment] = cut(f"<body>{html}")
    assert (segment.text, segment.kind, segment.code_language) == (CODE, "code", language)


@pytest.mark.parametrize("name", ["code", "samp", "kbd"])
def test_a_pre_with_such_an_element_is_code_whatever_its_text(name: str) -> None:
    prose = "It was the best of times,\nit was the worst of times,\nit was the age of wisdom."
    assert [segment.kind for segment in cut(f"<pre><{name}>{prose}</{name}></pre><pre><i>{prose}</i></pre>")] == [
        "code",
        "text",
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<body><div class='x ace_editor'>a = 1<p>b</div>", ["text", "text"]),
        ("<body><div class='ace_editor x'>a = 1<p>b</div>", ["code"]),
        ("<body><section class='ace_editor'>a = 1<p>b</section>", ["text", "text"]),
    ],
)
def test_an_editor_is_known_by_the_first_class_of_a_div(html: str, expected: list[str]) -> None:
    assert [segment.kind for segment in cut(html)] == expected


HIDDEN_PANELS = [
    ("a grandchild that controls", "<div><p><b aria-controls=x>a</b></p></div><div hidden>one</div>", True),
    ("what controls further below", "<div><p><b><i aria-controls=x>a</i></b></p></div><div hidden>one</div>", False),
    ("what is behind controls", "<div hidden>one</div><p aria-controls=x>a</p>", True),
    ("what is around controls", "<div aria-controls=x>a<div hidden>one</div></div>", False),
    ("a part below a hidden element's child", "<div hidden><p><i id=S:0>one</i></p></div>", False),
    ("a part right in a hidden element", "<div hidden><p id=S:0>one</p></div>", True),
]


@pytest.mark.parametrize(("html", "is_shown"), [c[1:] for c in HIDDEN_PANELS], ids=[c[0] for c in HIDDEN_PANELS])
def test_what_opens_a_hidden_panel_is_near_it(html: str, is_shown: bool) -> None:
    assert ("one" in texts(f"<body>{html}", MODERN)) is is_shown


def test_trained_models_see_buttons_and_noscript_as_blocks() -> None:
    html = "<p>a<button>b</button>c<noscript>d</noscript>e<datalist>f</datalist>"
    assert texts(f"<body>{html}", LENIENT) == ["a", "b", "c", "d", "e"]
    assert texts(f"<body>{html}", MODERN) == ["ace"]


#: Lines of code outside of PREs.
DIVS = "".join(f"<div>{line}</div>" for line in ("f(x);", "g(y);"))
LINES = [
    ("LIs", "<code><ol><li>f(x);<li>g(y);</ol></code>", ["code"]),
    ("headings", "<code><h4>f(x);</h4><h4>g(y);</h4></code>", ["heading", "heading"]),
    ("three levels", f"<code><div><div>{DIVS}</div></div></code>", ["code"]),
    ("four levels", f"<code><div><div><div>{DIVS}</div></div></div></code>", ["text", "text"]),
    ("in a heading", "<h2><code>f(x);<br>g(y);</code></h2>", ["heading"]),
]


@pytest.mark.parametrize(("html", "kinds"), [c[1:] for c in LINES], ids=[c[0] for c in LINES])
def test_lines_of_code_may_be_elements_that_hold_lines(html: str, kinds: list[str]) -> None:
    assert [segment.kind for segment in cut(f"<body>{html}")] == kinds


def test_headings_in_code_are_code_and_invisible_signs_are_left_out() -> None:
    root = etree.XML("<x><pre>a = 1;\n<h2><span class='lineno'>1</span>b = 2;</h2></pre></x>")
    assert [(segment.text, segment.kind) for segment in cut(root)] == [("a = 1;\nb = 2;", "code")]
    assert texts("<pre><code>x = 1;\n\ufeffy\u200b =\xa02;</code></pre>") == [CODE]


@pytest.mark.parametrize(("between", "characters"), [("<?x y?>", 10), ("<!-- y -->", 9)])
def test_an_instruction_parts_text_in_justext_3_and_a_comment_does_not(between: str, characters: int) -> None:
    [segment] = cut(etree.XML(f"<body><p>x<a> one {between} two </a></p></body>"), REFERENCE)
    assert (segment.text, segment.link_characters) == ("x one two", characters)


@pytest.mark.parametrize(("html", "expected"), [("<p><a>one<br></a><br>two", 2), ("<p>one<br><a></a><br>two", 1)])
def test_the_end_of_a_link_parts_no_breaks_in_justext_3_and_its_start_does(html: str, expected: int) -> None:
    assert len(texts(html, REFERENCE)) == expected


@pytest.mark.parametrize(("signs", "expected"), [(7, False), (8, True)])
def test_code_has_8_symbols_in_100_visible_characters(signs: int, expected: bool) -> None:
    text = f"{'ab ' * ((100 - signs) // 2)}{'a' * ((100 - signs) % 2)}{'{' * signs}"
    assert has_symbols(text) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("one two three four five.", True), ("one two three four.", False), ("a " * 21, True), ("a " * 20, False)],
)
def test_prose_is_sentences_or_long_lines(line: str, expected: bool) -> None:
    assert reads_as_prose(["x", line]) is expected


@pytest.mark.parametrize(
    "name", ["highlighttable", "codehilitetable", "lntable", "rouge-table", "crayon-table", "hljs-ln"]
)
def test_a_table_of_such_a_class_is_code_a_row_a_line(name: str) -> None:
    rows = "".join(f"<tr><td>{line}</td></tr>" for line in CODE.split("\n"))
    assert [(segment.text, segment.kind) for segment in cut(f"<body><table class={name}>{rows}</table>")] == [
        (CODE, "code")
    ]


@pytest.mark.parametrize(("name", "text"), [("view-line", CODE), ("line", CODE), ("liner", CODE.replace("\n", ""))])
def test_an_element_of_such_a_class_is_a_line_of_code(name: str, text: str) -> None:
    lines = "".join(f"<span class='{name}'>{line}</span>" for line in CODE.split("\n"))
    assert texts(f"<pre><code>{lines}</code></pre>") == [text]


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("#", "One"), ("##", "One"), ("2", "One"), ("12", "One12"), ("<b>#</b>", "One"), ("<b>12</b>", "One12"),
        ("Tw<b>o</b>", "OneTwo"), ("<!--[-->Two<!--]-->", "OneTwo"), ("<!--[-->#<!--]-->", "One"),
        ("<b class=sr-only>Link to One</b><b>#</b>", "One"),
        ("<b class=sr-only>Link</b> to One", "OneLink to One"),
    ],
)  # fmt: skip
def test_a_heading_s_link_to_itself_is_a_sign_without_letters_or_with_one_character(sign: str, expected: str) -> None:
    assert texts(f"<h2>One<a href=#x>{sign}</a></h2>") == [expected]


def test_what_only_looks_like_code_is_text() -> None:
    assert [segment.kind for segment in cut("<body><div class=linenum>1 2</div><p>x</p>")] == ["text", "text"]
    html = "<body><code><div>{}</div><div>{}</div></code>"
    assert [segment.kind for segment in cut(html.format("one", "two"))] == ["text", "text"]
    assert [segment.kind for segment in cut(html.format("one();", "two();"))] == ["code"]


WORDS = st.sampled_from(
    ["line", "x-line", "lineno", "ln", "copy", "clipboard", "mathjax", "wp-math", "post-body", "é", "CodeMirror"]
)
CLASSES = st.lists(WORDS | st.text(max_size=6), max_size=5).map(" ".join)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", 0),
        ("post body", 0),
        ("lineno", signs.GUTTER | signs.NUMBERS | signs.CODE_CELL),
        # A part with spaces around is a whole word.
        ("ln", signs.GUTTER),
        ("kiln", 0),
        # What a post is about.
        ("tag-newsletter category-paywall", 0),
        ("tag newsletter", signs.BOX),
        ("code-line\tfirst", signs.LINE),
        # Formulas, in whatever case, at the beginning of a word or behind a hyphen.
        ("MathJax_Display", signs.FORMULA),
        ("wp-MATH", signs.FORMULA),
        ("aftermath context latexes", 0),
        ("tex", signs.FORMULA | signs.DRAWN),
        # An editor is told by the first word.
        ("CodeMirror wide", signs.CODEMIRROR | signs.EDITOR),
        ("wide CodeMirror", signs.CODEMIRROR),
    ],
)
def test_a_class_has_the_signs_of_its_words(names: str, expected: int) -> None:
    assert signs_of_class(names) == expected


@given(CLASSES)
def test_no_sign_depends_on_other_words_but_that_of_editors(names: str) -> None:
    together = 0
    for word in names.split():
        together |= signs_of_class(f"x {word}")
    assert signs_of_class(f"x {names}") == together


@given(CLASSES)
def test_white_space_of_any_kind_is_between_words(names: str) -> None:
    assert signs_of_class(re.sub(" ", "\n\t ", names)) == signs_of_class(names)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a</p><footer>b<p>c</p></footer><p>d</p>", "0110"),
        ("<main><p>a</p><aside><div><p>b</p></div></aside>c</main>", "010"),
        ("<p>a</p><div class='author-bio'><aside><p>b</p></aside><p>c</p></div><p>d</p>", "0110"),
        ("<div class='site-footer'><p>a</p></div><div class='Bio'>b</div><div class='biology'>c</div>", "100"),
        # What a post is about tells nothing of its element.
        ("<div class='post tag-popular category-trending'><p>a</p></div>", "0"),
        ("<div class='cky-consent-bar'><p>a</p></div><div class='category-consent'>b</div>", "10"),
        ("<aside class='aside--tip'>a</aside><aside role=note>b</aside><aside class=side>c</aside>", "001"),
        ("<div id=cookie-law-info-bar data-nosnippet=true><p>a</p></div><div data-snippet>b</div>", "10"),
        ("<div><b>Why?</b></div><nav><p>Because.</nav><div>Menu</div><nav>b</nav>", "0001"),
        ("<dialog open>a</dialog><table class='related'><tr><td>b</table>", "11"),
        ("", ""),
    ],
)
def test_markup_tells_what_stands_beside_the_text(html: str, expected: str) -> None:
    segments, flow = read_blocks(read_nodes(etree.HTML(f"<html><body>{html}</body></html>")), MODERN)
    assert find_beside(flow, segments) == bytes(map(int, expected))
