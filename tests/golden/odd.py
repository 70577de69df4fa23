"""Pages and trees that nobody expects, by what is odd about them, and what is described of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lxml import etree

from tests.builders import RULES, cut, tree

if TYPE_CHECKING:
    from scrapy_justext.core.reading.rules import TagRules

HTML = {
    "elements of all rules": (
        "<body>a<p hidden>x</p>b<!-- c --><?pi x?>d<h2><button>e</button><button hidden>f</button></h2>"
        "<select><option>g</select><selectx>h<br></selectx><svg><a>i</a></svg>j<form>k</form><o:p>l</o:p>"
        "<link rel=stylesheet>m<a href='/x'>n<p>o</a><i>p</i><code><strong hidden>t</strong></code>"
        "<iframe>q</iframe>r<summary><b><button>s</button></b></summary>"
    ),
    "breaks in SELECTs": "<p>a <select> b<option>c</option> d<br><br>e</select> f</p>g<selectx>h</selectx>i",
    "SELECTs in links in SELECTs": (
        "<p><b><select><a href=x>a<option>b</option></a></select></b><select></select>c"
    ),
    "SELECTs in PREs": (
        "<pre>a\n <select>b\n<option>c\n d</option></select>e</pre><select><img alt=f><option>g</select>"
    ),
    "breaks between everything": (
        "<p>a<br><b><br>b</b> <a>c<a>d \r e</a> f</a>\n<br> <br>g<br><?x y?><br>h<p> <br><p><br>i"
    ),
    "white space of all kinds": "a<b> </b>b<b>\n</b>c<b> d\u3000</b>\u2028<a>e <i> f</i></a><i>g</i>",
    "lines of code in a link that is empty": (
        "<p>x</p><code><a href=/a><div>foo(); {</div>\n<div>bar();</div>\n<div>}</div></a></code><p>y y y"
    ),
    "lines of code that are links": (
        "<code><div><a href=/a>foo();</a></div>\n<div><a href=/b>bar();</a></div>\n<div>{}</div></code><p>y"
    ),
    "a CODE a block": (
        "<div><code><a href=/a>f(x);</a></code></div>\n<div><code><a href=/b>g(x);</a></code></div>\n<p>y"
    ),
    "line numbers that jump, and links": (
        "<ul class=lineno><li><a href=#1>1</a></li>\n<li><a href=#5>5</a></li>\n<li>9</li></ul><pre>int a; x</pre>"
    ),
    "line feeds everywhere": (
        "<div>\n<p>a</p>\n<pre>\n<div>b</div>\n\n<div>c</div>\n</pre>\n<p>d</p>\n</div>\n<kbd>\n<p>e</p>\n</kbd>"
    ),
    "a hidden element behind the root": "<p>one</p></html>two<p hidden>x</p>",
    "MathML behind the root": "<p>one</p></html><p hidden>x</p><x:math>y</x:math>",
    "line numbers behind the root": "<p>one</p></body></html><pre><span class=lineno>1</span>two</pre>",
    "a label behind the root": "<p>one</p></body></html><pre>two</pre><div class=lang>Python</div>",
    "an editor behind the root": "<pre>one</pre></body></html><div class='CodeMirror'>two</div>",
    "removed elements in one another": "<svg><button><p>a</button></svg><h1>b<svg><p>x</svg></h1>",
    "hidden buttons in headings": "<h2 hidden><button><p>a</button></h2><h2><button hidden><p>a</button></h2><p>c",
    "hidden elements in one another": "<span hidden><div hidden><p>a</div></span><p>b",
    "a page that is hidden": "<html hidden><body hidden><p>a",
    "text that scripts replace": "<template><p>a</p></template><noscript><p>b</p></noscript><p>c",
    "a heading that holds all": "<h2>a<div>b<p>c<h3>d</h3>e<a href=#x>f</a></div></h2><pre>g {\n h }</pre>",
    "tables in code": "<pre><table><tr><td>a<td>b<tr><td>c<td>d</table></pre>x<code><table><tr><td>e</table></code>",
    "tables in tables in headings": (
        "<h2><table><tr><td>a<td>b<tr><td>c<td><table><tr><th>d<th>e<tr><td>f<td>g</table></table></h2>"
    ),
    "rows and cells without a table": "<div><tr><td>a<th>b</div><tbody><td>c</tbody><caption>d</caption>",
    "labels far and near": (
        "<div><div><span class=lang>python</span></div></div><pre>a = 1</pre><span class=lang>js</span>b"
        "<p class=lang>c<pre>d = 2</pre><span class=copy>copy</span>"
    ),
    "prompts": (
        "<div class=prompt>In [*]:</div><pre>a = 1</pre><div class=prompt>Out[2]:</div><div class=prompt>x</div>"
    ),
    "permalinks": (
        "<h2><a href=#a>¶</a>One<a href=/a>2</a></h2><h3><span><a href=#b>¶</a></span>Two</h3><a href=#c>§</a>"
        "<h4>Three<a href=#d><!-- x -->#</a><a href=#e><b>#</b></a></h4>"
    ),
    "editors and lists of lines": (
        "<div class='x CodeMirror'>a</div><div class='CodeMirror x'>b</div><ol class=x><li>c<li>d</ol>"
        "<ol><li><div class=de1>e</div><li>f</ol><ul class=linenums><li>g</ul><textarea>h</textarea>"
        "<div class='CodeMirror'>i</div>"
    ),
    "images in images' places": (
        "<p>a<img alt='b  c' src=' d '><a><img alt=e></a><h2><img></h2><select><img alt=f></select>"
    ),
    "formulas in code and code in formulas": (
        "<pre>x \\(a\\) <math><mi>b</mi></math></pre><p>c <code>$d$</code> <math><mtext>e</mtext></math>"
        "<kbd><span class=katex><math><mi>f</mi></math></span></kbd>"
    ),
}  # fmt: skip

_ENTITIES = '<!DOCTYPE html [<!ENTITY e "one two"><!ENTITY f "&e;&e;"><!ENTITY g "x<p>y</p>">]>'
XML = {
    "entities": (
     f"{_ENTITIES}<html><p>a&e;b</p><p title='&f;'>c&f;&g;</p><pre class='a&e;'>y</pre><img alt='&e;'/></html>"),
    "entities of code": f"{_ENTITIES}<div><table class='&e;highlighttable'><tr><td>&e;</td></tr></table>x</div>",
    "CDATA": "<html><p><![CDATA[x < y]]> z</p><script><![CDATA[a]]></script><pre><![CDATA[b]]> c</pre></html>",
    "namespaces": (
     "<h xmlns='http://www.w3.org/1999/xhtml'><p xmlns:y='u' y:hidden=''>a<y:select/><y:p>b</y:p></p></h>"),
    "attributes in namespaces": (
     '<html xmlns:h="u"><p h:hidden="">a</p><p hidden="x">b</p><a h:href="#"/><pre h:class="lineno">y</pre></html>'),
    "beside the root": "<?pi a?><!-- c --><html><p>a<?x y?>b<!-- d --></p></html><?pi z?><!-- e -->",
    "an image that holds": "<div><img alt='x'>a<blockquote>b</blockquote></img><ul><li>c</li></ul>d</div>",
    "a table alone": "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>",
    "a PRE alone": "<pre>a = 1;\n<b>b</b> = {}</pre>",
    "a BR that holds": "<div>a<br>b<p>c</p>d</br><br/>e</div>",
    "a page in code": '<x><pre>a = 1<html class="toolbar"><p>b</p></html><body class="toolbar">c</body></pre></x>',
}  # fmt: skip

ROWS = ("text", "kind", "tag", "link_characters", "link_words", "tags_count", "element")


def odd_trees() -> dict[str, etree._Element]:
    """The trees by what is odd about them."""
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False)
    return {name: tree(html) for name, html in HTML.items()} | {
        name: etree.fromstring(xml, parser) for name, xml in XML.items()
    }


def describe_odd(root: etree._Element, rules: TagRules) -> list[list[Any]]:
    """What is expected of a tree by the rules of a profile: a row a block."""
    return [[getattr(block, name) for name in ROWS] for block in cut(root, rules)]


def odd_expectations() -> str:
    """What is expected of all trees, as JSON: a line for each profile that reads a tree otherwise than ``justext``."""
    trees = []
    for name, root in odd_trees().items():
        usual = describe_odd(root, RULES["justext"])
        others = {profile: describe_odd(root, rules) for profile, rules in RULES.items()}
        rows = {"justext": usual} | {profile: own for profile, own in others.items() if own != usual}
        lines = (f" {json.dumps(profile)}: {json.dumps(own, ensure_ascii=False)}" for profile, own in rows.items())
        trees.append(f"{json.dumps(name)}: {{\n{chr(10).join(f'{line},' for line in lines)[:-1]}\n}}")
    return f"{{\n{f',{chr(10)}'.join(trees)}\n}}\n"
