"""Each formula of a page once, as TeX, in whatever form the page has it."""

from __future__ import annotations

import re
import sys
from urllib.parse import quote

import pytest
from lxml import etree

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.context_free import measure
from scrapy_justext.core.extractor import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading.formulas.elements import CLASSES
from scrapy_justext.core.reading.formulas.mathml import DEEPEST, mathml_to_tex
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import LENIENT, MODERN, WITHOUT_KINDS
from scrapy_justext.core.reading.signs import FORMULA, signs_of_class
from scrapy_justext.core.unsegmented import CHINESE, measure_unspaced
from tests.builders import cut, elements_of, nested, texts, tree

X2 = "<msup><mi>x</mi><mn>2</mn></msup>"
ANNOTATED = (
    f'<semantics><mrow>{X2}</mrow><annotation encoding="application/x-tex">x^{{2}}</annotation>'
    '<annotation encoding="application/mathematica">x^2 // N</annotation></semantics>'
)
KATEX = (
    f'<span class="katex"><span class="katex-mathml"><math>{ANNOTATED}</math></span>'
    '<span class="katex-html" aria-hidden="true"><span class="mord">x<span class="sup">2</span></span></span></span>'
)
MATHJAX = (
    '<span class="MathJax_Preview">x2</span><span class="MathJax" id="E1-Frame"><nobr><span>x2</span></nobr></span>'
)
ASSISTED = (
    '<mjx-container class="MathJax" jax="CHTML"{}><mjx-math><mjx-msup><mjx-mi>x</mjx-mi></mjx-msup></mjx-math>'
    f'<mjx-assistive-mml unselectable="on"><math>{X2}</math></mjx-assistive-mml></mjx-container>'
)
MATHJAX_CONFIG = "<script>MathJax = {tex: {inlineMath: [['\\\\(', '\\\\)'], ['$', '$']]}}</script>"
KATEX_CONFIG = '<script>renderMathInElement(document.body, {delimiters: [{left: "$", right: "$"}]})</script>'
RENDERER = '<script src="https://cdn.example/mathjax@3/es5/tex-mml-chtml.js"></script>'
WIKIPEDIA = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-{0} mwe-math-mathml-a11y" style="display: none;">'
    '<math alttext="{{\\displaystyle x^{{2}}}}"><semantics><mrow>' + X2 + "</mrow>"
    '<annotation encoding="application/x-tex">{{\\displaystyle x^{{2}}}}</annotation></semantics></math></span>'
    '<img src="https://wiki.example/media/math/render/svg/0f1" class="mwe-math-fallback-image-{0}"'
    ' alt="{{\\displaystyle x^{{2}}}}"></span>'
)

#: By what it is: a formula inside a line, and the TeX that the line is to have in its place.
INLINE = {
    "MathML with its TeX": (f"<math>{ANNOTATED}</math>", "x^{2}"),
    "MathML with its LaTeX": (
     "<math><semantics><mi>x</mi><annotation encoding=LaTeX>a % b\n c</annotation></semantics></math>", "a c"),
    "MathML in another namespace": (f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">{X2}</math>',
     "x^2"),
    "MathML with a prefix": (
     '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>',
     "x^2"),
    "MathML with a prefix and its TeX": (
     "<mml:math><mml:semantics><mml:mi>x</mml:mi><mml:annotation encoding=application/x-tex>y"
     "</mml:annotation></mml:semantics></mml:math>", "y"),
    "MathML with a text for it": (f'<math alttext="x^{{2}}">{X2}</math>', "x^{2}"),
    "MathML with words for it": (f'<math alttext="x to the power of two">{X2}</math>', "x^2"),
    "MathML alone": (f"<math>{X2}</math>", "x^2"),
    "MathML that nobody knows": ("<math>seventeen</math>", "\\text{seventeen}"),
    "LaTeXML": (f'<math class="ltx_Math" alttext="x^{{2}}%\n+1" display="inline">{X2}</math>', "x^{2} +1"),
    "KaTeX": (KATEX, "x^{2}"),
    "KaTeX with what it was made of": (
     '<span class="math-inline" data-math="x^2"><span class="katex"><span class=katex-html>x2</span></span></span>',
     "x^2"),
    "KaTeX at its wits' end": ('<span class="katex-error" title="ParseError: x">x^</span>', "x^"),
    "Temml": (f'<span class="hurmet-tex" data-entry="x^2"><math>{X2}</math></span>', "x^2"),
    "MathJax 2, not run": ('<script type="math/tex">x^2</script>', "x^2"),
    "MathJax 2, run": (f'{MATHJAX}<script type="math/tex" id="E1">x^2</script>', "x^2"),
    "MathJax 2, in kramdown": ('<script type="math/tex">% <![CDATA[\nx<y %]]></script>', "x< y"),
    "MathJax 2 with MathML": (f'{MATHJAX}<script type="math/mml"><math>{X2}</math></script>', "x^2"),
    "MathJax 2 with MathML with a prefix": (
     f'{MATHJAX}<script type="math/mml"><mml:math><mml:mi>x</mml:mi></mml:math></script>', "x"),
    "MathJax 2 without its script": (f"<span class=MathJax data-mathml='<math>{X2}</math>'>x2</span>", "x^2"),
    "MathJax 2 with MathML for readers": (
     f'<span class="MathJax"><nobr>x2</nobr><span class="MJX_Assistive_MathML"><math>{X2}</math></span></span>', "x^2"),
    "MathJax 3": (ASSISTED.format(""), "x^2"),
    "MathJax 3 without MathML": (
     "<mjx-container><mjx-math><mjx-msub><mjx-mi><mjx-c class=mjx-c1D465>𝑥</mjx-c></mjx-mi><mjx-script>"
     "<mjx-mn><mjx-c>1</mjx-c></mjx-mn></mjx-script></mjx-msub></mjx-math></mjx-container>", "x_1"),
    "MathJax 3 with characters in style sheets": (
     "<mjx-container><mjx-math><mjx-mi><mjx-c class='mjx-c1D465 TEX-I'></mjx-c></mjx-mi></mjx-math></mjx-container>",
     "x"),
    "MathJax 3 in fractions": (
     "<mjx-container><mjx-math><mjx-mfrac><mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut><mjx-mn>1</mjx-mn></mjx-num>"
     "<mjx-dbox><mjx-dtable><mjx-line></mjx-line><mjx-row><mjx-den><mjx-dstrut></mjx-dstrut><mjx-mi>n</mjx-mi>"
     "</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac></mjx-math></mjx-container>", "\\frac{1}{n}"),
    "MathJax 3 as a picture": (
     '<mjx-container><svg><g data-mml-node="math"><g data-mml-node="msup"><g data-mml-node="mi"><use data-c="1D465">'
     '</use></g><g data-mml-node="mn"><use data-c="32"></use></g></g></g></svg></mjx-container>', "x^2"),
    "MathJax 4 with what it was made of": (
     '<mjx-container><mjx-math data-latex="x^{2}"><mjx-mi>x</mjx-mi></mjx-math></mjx-container>', "x^{2}"),
    "Wikipedia": (WIKIPEDIA.format("inline"), "x^{2}"),
    "Wikipedia's image": (
     '<img src="https://wiki.example/math/render/svg/0f" class="mwe-math-fallback-image-inline" alt="x^{2}">', "x^{2}"),
    "Wikipedia on a telephone": (
     '<span class="mwe-math-element"><noscript><img class="mwe-math-fallback-image-inline" alt="x^{2}"></noscript>'
     '<span class="lazy-image-placeholder" data-alt="x^{2}">&nbsp;</span></span>', "x^{2}"),
    "an image by its class": ('<img class="latex" src="a.png" alt="x">', "x"),
    "an image with dollars": ('<img class="tex" src="a.png" alt="$x^2$">', "x^2"),
    "an image by its ALT": ('<img src="a.png" alt="\\frac{a}{b}">', "\\frac{a}{b}"),
    "WordPress's image": ('<img src="https://s0.wp.com/latex.php?latex=x%5E2+%2B1&bg=fff" class="latex">', "x^2 +1"),
    "Codecogs' image": ('<img src="https://latex.codecogs.com/png.latex?%5Cdpi%7B120%7D%20x%5E2">', "x^2"),
    "Google's image": ('<img src="https://chart.apis.google.com/chart?cht=tx&chl=%5Calpha%2B1">', "\\alpha+1"),
    "mimetex's image": ('<img src="/cgi-bin/mimetex.cgi?x^2" alt="the square of a number">', "x^2"),
    "Zhihu's image": ('<img src="https://www.zhihu.com/equation?tex=x%5E2" alt="x^2" eeimg="1">', "x^2"),
    "an image with TeX as its name": ('<img src="https://i.example/svg/%5Cfrac%7Ba%7D%7Bb%7D">', "\\frac{a}{b}"),
    "pandoc for KaTeX": ('<span class="math inline">x^2</span>', "x^2"),
    "pandoc for MathJax": ('<span class="math inline">\\(x\\)</span>', "x"),
    "arithmatex": ('<span class="arithmatex">\\(x\\)</span>', "x"),
    "Sphinx": ('<span class="math notranslate nohighlight">\\(x_k\\)</span>', "x_k"),
    "Stack Exchange": ('<span class="math-container">$x$</span>', "x"),
    "GitLab": ('<code class="code math js-render-math language-math" data-math-style="inline">x</code>', "x"),
    "GitHub": ('<math-renderer class="js-inline-math">$x$</math-renderer>', "x"),
    "Distill": ("<d-math>x</d-math>", "x"),
    "parentheses in text": (f"{RENDERER}\\(x\\)", "x"),
    "parentheses in text, drawn by nobody": ("\\(x^2\\)", "x^2"),
    "dollars as MathJax is told": (f"{MATHJAX_CONFIG}$x$", "x"),
    "dollars as KaTeX is told": (f"{KATEX_CONFIG}$x$", "x"),
    "dollars around what is TeX": ("$\\alpha$", "\\alpha"),
    "dollars with dollars inside": (f"{MATHJAX_CONFIG}$x \\text{{ if $y$ or \\$}}$", "x \\text{ if $y$ or \\$}"),
    "Markdown in TeX": (f"{RENDERER}\\(a_<em>i + b_</em>i\\)", "a_i + b_i"),
    "TeX in TeX": (f"{RENDERER}\\(a \\\\[1em] \\text{{\\[b\\]}}\\)", "a \\\\[1em] \\text{\\[b\\]}"),
    "white space in TeX": ('<script type="math/tex">\n a\n\t+ b </script>', "a + b"),
    "signs of HTML in TeX": (f"{RENDERER}\\(a &lt; b &amp; c\\)", "a < b & c"),
}  # fmt: skip

#: By what it is: a formula on lines of its own, and its TeX.
DISPLAY = {
    "Sphinx, with a number": (
     f'{RENDERER}<div class="math notranslate nohighlight" id="equation-e"><span class="eqno">(1.2)'
     '<a class="headerlink" href="#equation-e" title="Link to this equation">¶</a></span>\\[x^2\\]</div>', "x^2"),
    "LaTeXML, with a number": (
     '<table class="ltx_equation ltx_eqn_table"><tbody><tr><td class="ltx_eqn_cell ltx_eqn_center_padleft"></td>'
     f'<td class="ltx_eqn_cell"><math alttext="x^{{2}}" display="block">{X2}</math></td>'
     '<td class="ltx_eqn_cell ltx_eqn_eqno"><span class="ltx_tag ltx_tag_equation">(A1)</span></td></tr></tbody>'
     "</table>", "x^{2}"),
    "a journal, with a number": (
     '<div class="c-article-equation"><div class="c-article-equation__content"><span class="mathjax-tex">$$x^2$$'
     '</span></div><div class="c-article-equation__number">(3)</div></div>', "x^2"),
    "MathML": (f'<math display="block">{ANNOTATED}</math>', "x^{2}"),
    "MathML of old": (f'<math mode="display">{X2}</math>', "x^2"),
    "KaTeX": (f'<span class="katex-display">{KATEX}</span>', "x^{2}"),
    "KaTeX with what it was made of": ('<div class="math-block" data-math="x^2"><span class="katex">x2</span></div>',
     "x^2"),
    "MathJax 2, not run": ('<script type="math/tex; mode=display">x^2</script>', "x^2"),
    "MathJax 2, run": (
     '<span class="MathJax_Preview"></span><div class="MathJax_Display"><span class="MathJax">x2</span></div>'
     '<script type="math/tex; mode=display">x^2</script>', "x^2"),
    "MathJax 2 without its script": (
     f"<div class=MathJax_Display><span class=MathJax data-mathml='<math>{X2}</math>'>x2</span></div>", "x^2"),
    "MathJax 3": (ASSISTED.format(' display="true"'), "x^2"),
    "Wikipedia": (WIKIPEDIA.format("display"), "x^{2}"),
    "pandoc": ('<span class="math display">x^2</span>', "x^2"),
    "Sphinx": ('<div class="math notranslate nohighlight">\n\\[x_k\\]</div>', "x_k"),
    "arithmatex": (f'{RENDERER}<div class="arithmatex">\\[x\\]</div>', "x"),
    "GitHub": ('<math-renderer class="js-display-math">$$x$$</math-renderer>', "x"),
    "Distill": ("<d-math block>x</d-math>", "x"),
    "LaTeXML": ('<table class="ltx_equation ltx_eqn_table"><tr class="ltx_equation ltx_eqn_row">'
     '<td class="ltx_eqn_cell ltx_eqn_center_padleft"></td><td class="ltx_eqn_cell">'
     f'<math class="ltx_Math" alttext="x^{{2}}" display="block">{X2}</math></td></tr></table>', "x^{2}"),
    "LaTeXML in columns": (
     '<table class="ltx_equationgroup ltx_eqn_table"><tr class="ltx_eqn_row"><td class="ltx_td ltx_eqn_cell">'
     f'<math alttext="\\displaystyle x^{{2}}">{X2}</math></td><td class="ltx_td ltx_eqn_cell">'
     '<math alttext="\\displaystyle=y"><mo>=</mo><mi>y</mi></math></td></tr></table>', "x^{2}=y"),
    "brackets in text": (f"{RENDERER}\\[x\\]", "x"),
    "two dollars in text": ("$$x^2$$", "x^2"),
    "two dollars, spaces and words": ("$$ rate = \\frac{hits}{all tries} $$", "rate = \\frac{hits}{all tries}"),
    "two dollars, spaces and differentials": ("$$ dx \\wedge dy $$", "dx \\wedge dy"),
    "BRs in TeX": (f"{RENDERER}\\[<br>x<br><br>+ y<br>\\]", "x + y"),
    "an environment": ("\\begin{align*} a &amp;= b \\\\ c &amp;= d \\end{align*}",
     "\\begin{align*} a &= b \\\\ c &= d \\end{align*}"),
}  # fmt: skip

RULES = {"justext": MODERN, "learned": LENIENT}
ALL_RULES = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


@ALL_RULES
@pytest.mark.parametrize(("html", "tex"), INLINE.values(), ids=INLINE)
def test_a_formula_in_a_line_stands_there_once(html: str, tex: str, rules: object) -> None:
    assert isinstance(rules, type(MODERN))
    [segment] = cut(f"<p>Let {html} be it.", rules)
    assert segment.text == segment.collapsed == f"Let ${tex}$ be it."
    assert segment.formulas == (f"${tex}$",)


@ALL_RULES
@pytest.mark.parametrize(("html", "tex"), DISPLAY.values(), ids=DISPLAY)
def test_a_formula_on_lines_of_its_own_is_a_block(html: str, tex: str, rules: object) -> None:
    assert isinstance(rules, type(MODERN))
    assert texts(f"<div>Let {html} be it.</div>", rules) == ["Let", f"$${tex}$$", "be it."]


@pytest.mark.parametrize("html", [html for html, _ in (*INLINE.values(), *DISPLAY.values())], ids=[*INLINE, *DISPLAY])
def test_the_elements_of_blocks_are_found_beside_it(html: str) -> None:
    found = elements_of(f"<div>Let {html} be it.</div><h2>one</h2>{html}<p>two</p></body></html><h3>three")
    tags = {segment.text: element.tag for segment, element in found}
    assert (tags["one"], tags["two"], tags["three"]) == ("h2", "p", "h3")


NO_FORMULAS = {
    "an image of a service, without a query": '<img src="https://www.zhihu.com/equation" alt="Sales">',
    "prices": "It was $5, now it is $3.",
    "prices where dollars are delimiters": f"{MATHJAX_CONFIG}It was $5 for one, $ 3 for two and $9.",
    "words between dollars": f"{MATHJAX_CONFIG}The $words and words$ stay.",
    "where a forum's posts begin and end": f"{MATHJAX_CONFIG}$\\begingroup$ one $\\endgroup$",
    "prose that speaks of dollars": "TeX knows $$ and \\newline and $$, or $$ or, rarely, \\[ and, of late, $$ too.",
    "a shell": "<code>echo $x_i and $y_i</code> and <kbd>\\(x^2\\)</kbd>",
    "code in lines": "<pre>\\(x^2\\)</pre>",
    "a pattern": "The pattern \\(foo\\) is a group, \\[a-z\\] a set.",
    "open for ever": f"{RENDERER}See \\(x and \\[y and $$z and \\begin{{align}} a.",
    "an environment of no formula": "\\begin{document} one \\end{document}",
    "in two blocks": f"{RENDERER}<div>\\(x<p>y\\)</div>",
    "over the end of a link": f"{RENDERER}\\(x <a href=/>y\\)</a>",
    "an image": '<img src="a.png" class="photo" alt="a_b and c">',
    "an image of TeX": '<img src="latex.png" alt="The logo of LaTeX">',
    "a script": "<script>var x = '\\\\(x^2\\\\)'</script>one",
    "AsciiMath": '<script type="math/asciimath">x^2</script>one',
    "a flag": '<span class="math" data-math="true">one</span>',
    "a hidden formula": f"<p hidden><math>{X2}</math></p>one",
    "a formula that is hidden": f"<math hidden>{X2}</math>one",
    "an empty formula": f'{RENDERER}<math></math><script type="math/tex"> </script><img class="tex" alt="">one \\(\\)',
}


@pytest.mark.parametrize("html", NO_FORMULAS.values(), ids=NO_FORMULAS)
def test_what_is_no_formula_stays_as_it_is(html: str) -> None:
    segments = cut(f"<div>{html}</div>")
    assert [segment.formulas for segment in segments] == [()] * len(segments)
    assert texts(f"<div>{html}</div>") == texts(f"<div>{html}</div>", WITHOUT_KINDS)


@pytest.mark.parametrize("text", ["see there", "(1) as above", "<b><i>1</i></b>"])
def test_what_is_no_number_of_an_equation_stays(text: str) -> None:
    html = f'<div><math>{X2}</math><p><span class="eqno">{text}</span></div>'
    assert texts(html) == texts(html.replace("eqno", "other"))


def test_what_two_see_of_a_formula_stays_where_no_other_does() -> None:
    assert texts('<p>one <span class="katex"><span class="katex-html">x2</span></span>') == ["one x2"]
    assert texts('<p>one <span class="MathJax_Preview">x2</span> two') == ["one x2 two"]


def test_where_formulas_are_marked_the_rest_is_as_without_them() -> None:
    html = f"<p>one {KATEX}, <a href=/>two</a> <i>three</i><p>four {RENDERER}\\(x\\) \\(y<p>five\\)"
    [first, second, third] = cut(html)
    assert first.text == "one $x^{2}$, two three"
    assert (first.link_characters, first.link_words, first.tags_count) == (3, 1, 3)
    assert (second.text, third.text) == ("four $x$ \\(y", "five\\)")
    assert texts(html.replace(KATEX, "x"), WITHOUT_KINDS) == ["one x, two three", "four \\(x\\) \\(y", "five\\)"]


def test_a_paragraph_that_is_a_formula_has_it_on_lines_of_its_own() -> None:
    assert texts(f"<p>one<p><math>{X2}</math><p><math>{X2}</math>.") == ["one", "$$x^2$$", "$x^2$."]
    assert (
        texts(f"<table><tr><td><math>{X2}</math><td>one<tr><td>two<td>three</table><ul><li><math>{X2}</math>")[0]
        == "$x^2$\tone\ntwo\tthree"
    )


@pytest.mark.parametrize("xmlns", ["", ' xmlns="http://www.w3.org/1999/xhtml"'])
def test_mathml_with_a_prefix_is_found_in_xml(xmlns: str) -> None:
    page = (
        f'<html{xmlns} xmlns:m="http://www.w3.org/1998/Math/MathML"><body><p>Let <m:math display="block"><m:semantics>'
        '<m:mi>x</m:mi><m:annotation encoding="application/x-tex">y</m:annotation></m:semantics></m:math> be it.</p>'
        "</body></html>"
    )
    assert [block.text for block in extract(etree.fromstring(page)).blocks] == ["Let", "$$y$$", "be it."]


@pytest.mark.parametrize(("start", "end"), [("<div hidden>", "</div>"), ("<noscript>", "</noscript>")])
def test_mathml_with_a_prefix_is_found_in_what_is_shown_on_pages_that_show_little(start: str, end: str) -> None:
    text = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 7
    html = f"{start}<p>{text}<x:math><mfrac><mi>x</mi><mn>2</mn></mfrac></x:math></p>{end}"
    assert extract(html, language="English").text.endswith(r"$\frac{x}{2}$")


def test_elements_and_classes_of_mathematics_are_found_in_preformatted_text() -> None:
    assert texts(f"<pre>a\n  {KATEX}</pre>") == ["a\n  $x^{2}$"]
    [segment] = cut("<pre><code class='language-math math-display'>\\frac{a}{b}</code></pre>")
    assert (segment.kind, segment.text) == ("formula", "$$\\frac{a}{b}$$")


@pytest.mark.parametrize("name", [name for name, profile in PROFILES.items() if not profile.tags.kinds])
def test_profiles_as_published_know_no_formulas(name: str) -> None:
    html = f"<p>one {KATEX} \\(x^2\\) <script type=math/tex>y</script>two"
    assert "$" not in extract(html, language="English", profile=name).blocks[0].text


def test_words_of_formulas_are_no_words_of_a_paragraph_nor_their_characters_where_there_are_no_spaces() -> None:
    formula = "<script type=math/tex>a + b = c + d + e</script>"
    stoplist = frozenset({"the", "of", "a"})
    measured = measure(BlockTable(cut(f"<p>the sum of x<p>the sum {formula} of {formula} x")), stoplist)
    assert list(measured.stopword_density) == [0.5, 0.5]
    assert list(measured.word_count) == [4, 22]
    alone = measure(BlockTable(cut(f"<p>{formula}")), stoplist)
    assert (list(alone.stopword_density), list(alone.word_count)) == ([0], [9])
    formula = "<script type=math/tex>a + b</script>"
    stoplist = frozenset("的了")
    segments = BlockTable(cut(f"<p>我的的了  <p>我的{formula}的了{formula}"))
    assert measure_unspaced(segments, stoplist, CHINESE).stopword_density == pytest.approx([3 / 4, 3 / 6])


def test_rules_of_the_user_find_text_beside_formulas() -> None:
    html = f"<p><b>one {KATEX} two \\(x^2\\)</b><p>three<p><i>four <math display=block>{X2}</math> five</i>"
    extraction = extract(html, language="English", keep_css="b, i", drop_css="p")
    assert [(block.text, block.is_good) for block in extraction.blocks] == [
        ("one $x^{2}$ two $x^2$", False), ("three", False), ("four", False), ("$$x^2$$", False), ("five", False),
    ]  # fmt: skip
    kept = extract(html, language="English", keep_css="b, i").blocks
    assert [block.is_good for block in kept if block.text != "three"] == [True] * 4


def test_markdown_has_formulas() -> None:
    html = f"<p>one {KATEX} two<br><br>\\(x^2\\) <br> {KATEX} three <math display=block>{X2}</math><i>four</i>"
    extraction = extract(html, language="English", keep_css="p", markdown=True)
    assert len(extraction.blocks) == 4
    for word in ("one", "two", "three", "*four*", "$$"):
        assert word in extraction.markdown


def mathml(short: str) -> str:
    """MathML of a short form, in which numbers stand for MN, words for MI and other signs for MO."""
    whole = r"<(?:m[ino]|mtext)\b[^>]*>.*?</m\w+>|<[^>]*>"
    return re.sub(rf"({whole})|(\d+)|([^\W\d_]+)|([^\s<]+?)|\s+", _as_mathml, short)


def _as_mathml(found: re.Match[str]) -> str:
    tag, number, word, sign = found.groups()
    return tag or (
        f"<mn>{number}</mn>" if number else f"<mi>{word}</mi>" if word else f"<mo>{sign}</mo>" if sign else ""
    )


MATHML = {
    "a fraction": ("<mfrac>1 n</mfrac>", "\\frac{1}{n}"),
    "a fraction in a line": ("<mfrac bevelled='true'>1 n</mfrac>", "1/n"),
    "a number of choices": ("<mrow>(<mfrac linethickness='0'>n k</mfrac>)</mrow>", "\\binom{n}{k}"),
    "scripts": ("<msubsup>x i 2</msubsup>", "x_i^2"),
    "long scripts": ("<msubsup>x<mrow>i + 1</mrow>10</msubsup>", "x_{i+1}^{10}"),
    "scripts of scripts": ("<msub><msub>x a</msub>b</msub>", "{x_a}_b"),
    "scripts of brackets": ("<msup><mrow>( a b )</mrow>2</msup>", "(ab)^2"),
    "scripts of two brackets": ("<msup><mrow>( a ) ( b )</mrow>2</msup>", "{(a)(b)}^2"),
    "scripts before": ("<mmultiscripts>X a<none/><mprescripts/>c d</mmultiscripts>", "{}_c^dX_a"),
    "primes": ("<msup>f ′</msup><msubsup>f x ″</msubsup>", "f'f''_x"),
    "a sum": ("<munderover>∑<mrow>i = 1</mrow>n</munderover><msub>x i</msub>", "\\sum_{i=1}^nx_i"),
    "an integral": ("<msubsup>∫ 0<mi>∞</mi></msubsup>f", "\\int_0^\\infty f"),
    "a limit": ("<munder>lim<mrow>x →<mi>∞</mi></mrow></munder>", "\\lim_{x\\to\\infty}"),
    "roots": ("<msqrt>1 + x</msqrt><mroot>x 3</mroot>", "\\sqrt{1+x}\\sqrt[3]{x}"),
    "a matrix": (
     "<mrow>[<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr><mtr><mtd>c</mtd><mtd>d</mtd></mtr></mtable>]</mrow>",
     "\\begin{bmatrix}a & b \\\\ c & d\\end{bmatrix}"),
    "a matrix in MFENCED": ("<mfenced><mtable><mtr><mtd>a</mtd></mtr><mtr><mtd>b</mtd></mtr></mtable></mfenced>",
     "\\begin{pmatrix}a \\\\ b\\end{pmatrix}"),
    "cases": (
     "<mrow>{<mtable><mtr><mtd>a</mtd><mtd><mtext>if </mtext>b</mtd></mtr><mtr><mtd>c</mtd></mtr></mtable></mrow>",
     "\\begin{cases}a & \\text{if }b \\\\ c\\end{cases}"),
    "lines": (
     "<mtable columnalign='right left'><mtr><mtd>a</mtd><mtd>= b</mtd></mtr><mtr><mtd>c</mtd><mtd>= d</mtd></mtr>"
     "</mtable>", "\\begin{aligned}a & =b \\\\ c & =d\\end{aligned}"),
    "a number of an equation": ("<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd>a</mtd></mlabeledtr></mtable>",
     "a\\tag{1}"),
    "brackets": ("<mfenced open='[' close=')' separators=';'>a b</mfenced>", "[a;b)"),
    "brackets that grow": ("<mrow>(<mfrac>a b</mfrac>)</mrow>", "\\left(\\frac{a}{b}\\right)"),
    "brackets that do not": ("<mo stretchy='false'>(</mo><mfrac>a b</mfrac><mo stretchy='false'>)</mo>",
     "(\\frac{a}{b})"),
    "braces": ("{ x | x<mo>&gt;</mo>0 }", "\\{x|x>0\\}"),
    "functions": ("sin<mo>&#x2061;</mo>x + tr A", "\\sin x+\\mathrm{tr}A"),
    "operators": ("a ≤ β ∈ Γ − 1", "a\\leq\\beta\\in\\Gamma-1"),
    "accents": ("<mover>x ^</mover><mover>v →</mover><mover><mrow>A B</mrow>¯</mover>",
     "\\hat{x}\\vec{v}\\overline{AB}"),
    "over and under": ("<munder>x<mo>_</mo></munder><mover>=<mtext>def</mtext></mover><mover>→ f</mover>",
     "\\underline{x}\\overset{\\text{def}}{=}\\xrightarrow{f}"),
    "a brace above": ("<mover><mover><mrow>a + b</mrow>⏞</mover>n</mover>", "\\overbrace{a+b}^n"),
    "styles": (
     "<mi mathvariant='bold'>x</mi><mi mathvariant='double-struck'>R</mi>ℝ 𝑥 𝔤 ℋ<mi mathvariant='normal'>d</mi>",
     "\\mathbf{x}\\mathbb{R}\\mathbb{R}x\\mathfrak{g}\\mathcal{H}\\mathrm{d}"),
    "words": ("<mtext>if and&nbsp;only</mtext><mtext>5$ {x}</mtext>", "\\text{if and only}\\text{5\\$ \\{x\\}}"),
    "spaces": ("x<mspace width='1em'/>y<mspace width='.17em'/>z", "x\\quad y\\,z"),
    "signs that nobody sees": ("2<mo>&#x2062;</mo>π<mo>&#x2062;</mo>r", "2\\pi r"),
    "a box": ("<menclose notation='box'>x</menclose>", "\\boxed{x}"),
    "nothing to see": ("<mphantom>x</mphantom>y", "y"),
    "parts that are missing": ("<mfrac>x</mfrac><msup/><munder/><mroot>y</mroot><mmultiscripts/>", "x{}\\sqrt{y}"),
    "unknown elements": ("<mnew>x y</mnew>", "xy"),
    "comments": ("<mi>x<!-- y --></mi>", "x"),
}  # fmt: skip


def tex_of(root: etree._Element) -> str:
    """The TeX of the first MATH of a tree."""
    page = read_nodes(root)
    return mathml_to_tex(page, next(node for node in range(1, page.count) if page.name(node) == "math"))


@pytest.mark.parametrize(("short", "tex"), MATHML.values(), ids=MATHML)
def test_mathml_as_tex(short: str, tex: str) -> None:
    assert tex_of(tree(f"<p><math>{mathml(short)}</math>")) == tex


def test_parts_that_nest_too_deep_or_miss_others_are_read_once() -> None:
    math = nested(["math", *["mrow"] * 3 * DEEPEST, "mi"], "x")
    assert tex_of(math) == "\\text{x}"
    roots = nested(["math", *["msqrt"] * 3 * DEEPEST, "mi"], "x")
    assert re.fullmatch(r"(\\sqrt\{)+\\text\{x\}\}+", tex_of(roots))
    assert texts(f"<p>one <mjx-container><mjx-math>{'<mjx-mfrac><mjx-num>' * 60}<mjx-mi>x</mjx-mi>") == [
        "one $\\text{x}$"
    ]


def test_every_service_that_draws_tex_is_read_in_any_order() -> None:
    tex = "\\sum_{i=1}^n a_i + 1"
    for address in ("/latex.php?bg=fff&latex={}", "/chart?chl={}&cht=tx", "https://latex.codecogs.com/svg.image?{}"):
        assert texts(f'<p>one <img src="{address.format(quote(tex))}">') == [f"one ${tex}$"]
    assert texts('<p>one <img src="chart?chl=x&cht=qr">') == ["one"]


@pytest.mark.parametrize("html", ["$a_x,$b_y", "$HOME_A:$HOME_B", r"\(foo_b\)", "$x_1$x", "$x^2$_y"])
def test_variables_of_programs_are_no_formulas(html: str) -> None:
    [segment] = cut(f"<p>It is {html} here.")
    assert (segment.formulas, segment.text) == ((), f"It is {html} here.")


def test_a_formula_holds_no_tag_and_keeps_noncharacters() -> None:
    html = '<p>So <math alttext="\\frac{a}{b} &lt;img src=x&gt; 1&lt;2"></math> it is.'
    [segment] = cut(html)
    assert segment.text == "So $\\frac{a}{b} < img src=x> 1<2$ it is."
    html = (
        "<p>one <script type='math/tex'>x\ufdd1\ufdd0y</script></p></body></html><p>\ufdd1 <math><mi>\ufdd0</mi></math>"
    )
    assert texts(html) == ["one $x\ufdd1\ufdd0y$", "\ufdd1 $\ufdd0$"]


@pytest.mark.parametrize("text", ["\x01", "a\x01b", "&#xFFFE;", "\x00"])
def test_control_characters_are_in_no_formula(text: str) -> None:
    for page in (f"<math>{text}", f"<math><mi>{text}</mi></math>", f"<script type=math/tex>{text}</script>"):
        for profile in ("justext", "learned"):
            for segment in extract(f"<p>So it is: {page}", profile=profile).blocks:
                assert not any(map(segment.text.__contains__, "\x01\x00\ufffe"))


@pytest.mark.parametrize("most", [sys.maxsize, 10**400])
def test_a_limit_may_be_as_large_as_one_likes(most: int) -> None:
    assert extract("<p>a <math><mi>x</mi></math>", max_blocks=most).column("text") == ["a $x$"]


def test_dollars_that_are_no_formulas_count_for_no_limit() -> None:
    assert len(extract(f"<p>{'costs $x or y$ and ' * 50}", max_blocks=3).blocks) == 1


def test_a_pre_that_is_read_by_itself_has_no_formulas() -> None:
    pre = next(tree(f"{RENDERER}<pre>\\(a^2\\)</pre>").iter("pre"))
    assert [segment.text for segment in read_tree(pre, MODERN)] == ["\\(a^2\\)"]


@pytest.mark.parametrize("name", CLASSES)
def test_elements_with_a_class_of_formulas_are_looked_at(name: str) -> None:
    assert signs_of_class(name) & FORMULA
