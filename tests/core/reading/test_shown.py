"""What browsers show elsewhere, not at all, beside the text, or raised: how pages of such shapes are read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import pytest

from scrapy_justext import extract
from scrapy_justext.core.reading.loading import WATCHED, read_nodes, rows
from scrapy_justext.core.reading.nodes import IS_DESCRIBED, MAY_BE_HIDDEN, read_in_python
from scrapy_justext.core.reading.rules import JAVA, LENIENT, MODERN, REFERENCE, WITHOUT_KINDS
from scrapy_justext.core.reading.shown import as_shown
from scrapy_justext.exceptions import ParameterError
from tests.builders import processor_seconds, texts, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.core.reading.rules import TagRules

#: What a page is, its markup, and the texts of its blocks, by all rules for today's pages.
ELSEWHERE: list[tuple[str, str, list[str]]] = [
    (
        "a part that comes late",
        "<p>one</p><!--$?--><template id=B:0></template><p>wait</p><p>wait more</p><!--/$--><p>three</p>"
        "<div hidden id=S:0><p>two</div>",
        ["one", "two", "three"],
    ),
    (
        "text until then",
        "<div><!--$?--><template id=B:1></template>wait<!--/$-->three</div><div hidden id=S:1><b>two </b></div>",
        ["two three"],
    ),
    (
        "an end of what never began",
        "<div><!--/$--><template id=B:0></template>two</div><div hidden id=S:0>one </div>",
        ["one two"],
    ),
    (
        "a part of a part",
        "<!--$?--><template id=B:0></template><!--/$--><p>four<div hidden id=S:1><p>two</div>"
        "<div hidden id=S:0><p>one</p><template id=P:1></template><p>three</div>",
        ["one", "two", "three", "four"],
    ),
    (
        "what is shown until then holds comments of its own",
        "<!--$?--><template id=B:0></template><!--$--><i>wait</i><!--/$-->wait<!--/$-->"
        "<p>two<div hidden id=S:0>one</div>",
        ["one", "two"],
    ),
    (
        "a part that holds its place, beside another",
        "<!--$?--><template id=B:1></template><p>wait</p><!--/$--><p>two</p><div hidden id=S:0>"
        "<template id=B:0></template></div><p>three</p><div hidden id=S:1><p>one</p></div>",
        ["one", "two", "three"],
    ),
    (
        "parts that scripts say the places of",
        "<!--$?--><template id=B:0></template>wait<!--/$--><p>two</p><template id=P:0></template><p>four"
        "<div hidden id=S:1>one</div><script>$RC=function(a,b){};$RC(\"B:0\",\"S:1\")</script>"
        "<div hidden id=S:0>three</div><script>$RS(\"S:0\",\"P:0\")</script>",
        ["one", "two", "three", "four"],
    ),
    (
        "parts that templates say the places of",
        "<!--$?--><template id=B:2></template>wait<!--/$--><p>two</p><template id=P:a></template><p>four"
        "<div hidden id=S:a>one</div><template data-rci data-bid=B:2 data-sid=S:a></template>"
        "<div hidden id=S:2>three</div><template data-rsi data-sid=S:2 data-pid=P:a></template>",
        ["one", "two", "three", "four"],
    ),
    (
        "a part for two places",
        "<template id=B:0></template><p>two</p><template id=B:1></template><div hidden id=S:7>one</div>"
        "<script>$RC(\"B:0\",\"S:7\");$RC(\"B:1\",\"S:7\")</script>",
        ["one", "two"],
    ),
    (
        "names with a prefix",
        "<!--$?--><template id=:r2:B:0></template>wait<!--/$--><p>two</p><div hidden id=:r2:S:0>one</div>"
        "<div hidden id=appS:4><p>three</div>",
        ["one", "two", "three"],
    ),
    ("a part without a place", "<p>one<div hidden id=S:0>two</div><p>three", ["one", "two", "three"]),
    ("a place without its part", "<template id=B:0></template><p>one", ["one"]),
    ("a part with text behind it", "<template id=B:0></template><p>one</p><div hidden id=S:0>two</div>three",
     ["one", "two", "three"]),
    ("a part around its place", "<div hidden id=S:0>one<template id=B:0></template>two</div>", ["onetwo"]),
    (
        "parts in each other",
        "<div hidden id=S:0>one<template id=B:1></template></div>"
        "<div hidden id=S:1>two<template id=B:0></template></div>",
        ["one", "two"],
    ),
    (
        "light children in slots",
        "<x-card><template shadowrootmode=open><h2><slot name=title>none</slot></h2><div><slot></slot></div><p>end"
        "</template><p>body</p><span slot=title>head</span></x-card>",
        ["head", "body", "end"],
    ),
    (
        "the text of a slot that is not filled",
        "<x-a><template shadowrootmode=closed><p>one</p><slot>two</slot></template></x-a>",
        ["one", "two"],
    ),
    (
        "two roots in one host",
        "<x-a><template shadowrootmode=open><p>one</p><slot></slot></template>"
        "<template shadowrootmode=open><slot></slot></template><p>two</p></x-a>",
        ["one", "two"],
    ),
    (
        "a child without a slot",
        "<x-a><template shadowrootmode=open><slot name=a></slot><p>end</template><p slot=b>other</p>x<p>y</p></x-a>",
        ["end"],
    ),
    (
        "text of a host, in a slot",
        "<x-a>one<template shadowrootmode=open><i><slot>none</slot></i><p>four</template> two <b>three</b>!</x-a>five",
        ["one two three!", "four", "five"],
    ),
    (
        "text behind a child of another slot",
        "<x-a><template shadowrootmode=open><p><slot name=s></slot></p>two<p><slot></slot></p>four</template>"
        "<i slot=s>one</i>thr<!-- -->ee</x-a>",
        ["one", "two", "three", "four"],
    ),
    (
        "space alone in a host",
        "<x-a> <template shadowrootmode=open><p><slot>one</slot></p><slot name=s></slot></template> <b slot=s>two</b> "
        "<!-- --> </x-a>",
        ["one", "two"],
    ),
    (
        "a slot in what another slot would show",
        "<x-a><template shadowrootmode=open><slot name=s>none<slot></slot></slot></template>x<p>y</p><p slot=s>one</p>"
        "</x-a>two",
        ["one", "two"],
    ),
    (
        "a host in a host",
        "<x-a><template shadowrootmode=open><slot></slot><p>four</template><x-b><template shadowrootmode=open>"
        "<p>one</p><slot name=s></slot><p>three</template><p slot=s>two</p></x-b></x-a>",
        ["one", "two", "three", "four"],
    ),
]  # fmt: skip


@pytest.mark.parametrize("rules", [MODERN, LENIENT, WITHOUT_KINDS], ids=["modern", "lenient", "boilerpipe"])
@pytest.mark.parametrize(("markup", "expected"), [c[1:] for c in ELSEWHERE], ids=[c[0] for c in ELSEWHERE])
def test_text_stands_where_browsers_show_it(markup: str, expected: list[str], rules: TagRules) -> None:
    assert texts(f"<body>{markup}", rules) == expected


@pytest.mark.parametrize("rules", [REFERENCE, JAVA], ids=["justext-3.0", "justext-java"])
def test_published_ways_read_what_is_there(rules: TagRules) -> None:
    assert texts("<body><template id=B:0></template><p>one</p><div hidden id=S:0>two</div>", rules) == ["one", "two"]


@pytest.mark.parametrize("markup", [c[1] for c in ELSEWHERE], ids=[c[0] for c in ELSEWHERE])
def test_compiled_code_puts_the_same_nodes_elsewhere(markup: str) -> None:
    root = tree(f"<body>{markup}")
    assert rows(as_shown(read_nodes(root))) == rows(as_shown(read_in_python(root, WATCHED)))


def test_the_element_of_a_part_says_nothing_of_it() -> None:
    page = as_shown(read_nodes(tree("<template id=B:0></template><div hidden id=S:0 role=note>one</div>")))
    assert [page.flags[node] & (MAY_BE_HIDDEN | IS_DESCRIBED) for node in page.named("span")] == [0]


def test_paths_are_those_of_the_page() -> None:
    extraction = extract(ELSEWHERE[0][1], paths=True, length_low=0, stopwords_low=0, stopwords_high=0)
    assert [(block.text, block.xpath) for block in extraction.blocks] == [
        ("one", "/html[1]/body[1]/p[1]"), ("two", "/html[1]/body[1]/div[1]/p[1]"), ("three", "/html[1]/body[1]/p[4]"),
    ]  # fmt: skip


HOSTILE: dict[str, Callable[[int], str]] = {
    "parts": lambda n: "".join(
        f"<template id=B:{i}></template><!--/$--><div hidden id=S:{i}>x</div>" for i in range(n // 60)
    ),
    "parts in each other": lambda n: "".join(
        f"<template id=B:{i}></template><div hidden id=S:{i + 1}>x" for i in range(n // 60)
    ),
    "places that end nowhere": lambda n: "<template id=B:0></template><div hidden id=S:0>x</div>" * (n // 50),
    "places beside each other": lambda n: (
        "".join(f"<template id=B:{i}></template>" for i in range(n // 60))
        + "".join(f"<div hidden id=S:{i}></div>" for i in range(n // 60))
    ),
    "places in comments": lambda n: (
        "".join(f"<!--$?--><template id=B:{i}></template>" for i in range(n // 80))
        + "<!--/$-->" * (n // 80)
        + "".join(f"<div hidden id=S:{i}></div>" for i in range(n // 80))
    ),
    "roots of one host": lambda n: "<template shadowrootmode=open></template>" * (n // 42),
    "slots": lambda n: "<x-a><template shadowrootmode=open><slot></slot></template><p>x</p></x-a>" * (n // 70),
    "hosts in each other": lambda n: "<x-a><template shadowrootmode=open><slot></slot></template>" * (n // 60),
    "slots of one host": lambda n: (
        f"<x-a><template shadowrootmode=open>{'<slot></slot>' * (n // 26)}</template>" + "<p>x" * (n // 8)
    ),
    "texts of one host": lambda n: (
        "<x-a><template shadowrootmode=open><slot></slot><slot name=s></slot></template>"
        + "<i slot=s>x</i>y" * (n // 17)
    ),
    "boxes in each other": lambda n: "<div class=newsletter><a href=/>x</a>" * (n // 40),
    "SVGs in each other": lambda n: "<svg><path d=M0><main>x" * (n // 24),
    "hidden elements with MAIN in each other": lambda n: "<div style='display:none'><main>x</main>" * (n // 40),
    "hidden panels of a class": lambda n: "<i>x</i><p class=a style='display:none'>y</p>" * (n // 44),
    "copies beside each other": lambda n: "<b class=sr-only>x</b>" * (n // 22),
    "hidden panels": lambda n: "<h3>x</h3><div style='display:none'>y</div>" * (n // 45),
}


@pytest.mark.full
@pytest.mark.parametrize("name", HOSTILE)
def test_no_shape_takes_long(name: str) -> None:
    small, large = (f"<body>{HOSTILE[name](size)}" for size in (50_000, 400_000))
    for profile in ("justext", "learned"):
        read = partial(extract, profile=profile, markdown=True)
        read(small)
        quick, slow = (min(processor_seconds(partial(read, page)) for _ in range(2)) for page in (small, large))
        assert slow < 24 * max(quick, 0.02)


#: What a page is, its markup, the texts of its blocks by the rules of ``justext``, and by those of trained models.
SHAPES: list[tuple[str, str, list[str], list[str]]] = [
    ("readings of ruby", "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>だ", ["漢字だ"], ["漢字だ"]),
    ("ruby with a container", "<p><ruby><rb>東</rb><rtc><rt>とう</rt></rtc></ruby>京", ["東京"], ["東京"]),
    ("powers", "<p>10<sup>4</sup> and 2<sup>n−1</sup>", ["10⁴ and 2ⁿ⁻¹"], ["10⁴ and 2ⁿ⁻¹"]),
    ("space at the end of a power", "<p>3 m<sup> 2 </sup>and l<sup>−1&nbsp;</sup>a day, O<sub>\n2\n</sub>H",
     ["3 m² and l⁻¹ a day, O₂H"], ["3 m² and l⁻¹ a day, O₂H"]),
    ("formulas of chemistry", "<p>H<sub>2</sub>SO<sub>4</sub>", ["H₂SO₄"], ["H₂SO₄"]),
    ("words that are lowered", "<p>v<sub>max</sub>, v<sub><i>min</i></sub>", ["v max, v min"], ["v max, v min"]),
    ("ordinal numbers", "<p>the 1<sup>st</sup>, le XIX<sup>e</sup> siècle", ["the 1st, le XIXe siècle"],
     ["the 1st, le XIXe siècle"]),
    ("a reference", "<p>one<sup><a href=#n>1</a></sup> two<sup>[2]</sup>", ["one1 two[2]"], ["one1 two[2]"]),
    ("a SUP without an end", "<p>one<sup>two <b>three</b><p>four", ["one two three", "four"],
     ["one two three", "four"]),
    ("powers in code", "<pre>x<sup>2</sup> = 4;</pre>", ["x2 = 4;"], ["x2 = 4;"]),
    ("hyphens that are not seen", "<p>Kosten\u00advor\u00adanschlag", ["Kostenvoranschlag"], ["Kostenvoranschlag"]),
    ("a space without width, in Latin and in Thai", "<p>a\u200bb ไทย\u200bคำ", ["ab ไทย\u200bคำ"], ["ab ไทย\u200bคำ"]),
    ("joiners that spell", "<p>می\u200cشود क्\u200dष", ["می\u200cشود क्\u200dष"], ["می\u200cشود क्\u200dष"]),
    ("nothing seen between BRs", "<p>one<br>\u200b\ufeff<br>two", ["one", "two"], ["one", "two"]),
    ("an edit link of MediaWiki", "<h2><span>one</span><span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>",
     ["one"], ["one"]),
    ("edit links beside their heading", "<div class=mw-heading><h2>uno</h2><span class=mw-editsection><a href=/e>"
     "modifica</a> | <a href=/f>modifica wikitesto</a></span></div>", ["uno"], ["uno"]),
    ("a permalink of Sphinx", "<h2>one<a class=headerlink href=#one title=Permalink>¶</a></h2>", ["one"], ["one"]),
    ("a permalink of Docusaurus", "<h2>one<a class=hash-link href=#one aria-label='Direct link'>\u200b</a></h2>",
     ["one"], ["one"]),
    ("a permalink beside its heading", "<div><h2>one</h2><a class=anchor href=#one><span>#</span></a></div>", ["one"],
     ["one"]),
    ("a permalink in another element", "<h2><b class=permalink><a href=#one>◆&nbsp;</a></b>one</h2>", ["one"], ["one"]),
    ("a permalink for readers of screens", "<div><h2>one</h2><a class=anchor-link href=#one><i>#</i><b class=sr-only>"
     "Section one</b></a></div>", ["one"], ["one"]),
    ("a permalink in brackets", "<h2>one <small><a class=section-anchor href=#one>[here]</a></small></h2>", ["one"],
     ["one"]),
    ("a permalink that is a button", "<h2>one <button class=heading-link>Copy</button></h2>", ["one"], ["one"]),
    ("permalinks without a class", "<h2>one<span><a href=#one>¶</a> <a href=#top>↑</a></span></h2>", ["one"], ["one"]),
    ("a text for a sign in a heading", "<h2>one <span><a href=#two>two</a></span></h2>", ["one two"], ["one two"]),
    ("a permalink of a paragraph", "<p>one<a class=pilcrow href=#s-1>¶</a>", ["one"], ["one"]),
    ("a heading that is a button", "<h2><button class=heading-link>one</button></h2>", ["one"], ["one"]),
    ("a reference in brackets", "<p>one <a class=anchor href=#r3>[3]</a>", ["one [3]"], ["one [3]"]),
    ("a number with such a class", "<h2><a class=anchor href=#s1>1.</a> one</h2>", ["1. one"], ["1. one"]),
    *((f"an edit link of class {name}", f"<h2>one <a class='{name}' href=/e>(edit)</a></h2>", ["one"], ["one"])
      for name in ("edit-link", "post-edit-link", "edit-section", "wiki-edit-section", "viewcode-link")),
    *((f"a footnote's link back of class {name}", f"<ol><li>one <a class={name} href=#r1>↩</a></ol>", ["one"],
       ["one"]) for name in ("footnote-backref", "data-footnote-backref", "footnote-back", "reversefootnote")),
    ("a footnote's links back to two places", "<ol><li><span class=mw-cite-backlink>^ <a href=#r1><b>a</b></a> "
     "<a href=#r2><b>b</b></a></span> one</ol>", ["one"], ["one"]),
    ("a link to credits", "<p>one <a class=credit-link href=/c>Ann</a>", ["one Ann"], ["one Ann"]),
    ("a heading that links to itself", "<h2><a class=header-anchor href=#one><span>one</span></a></h2>", ["one"],
     ["one"]),
    ("hidden by its style", "<p>one<p>two<p>three<p>four<div style='display: none'>x</div>", ["one", "two", "three",
     "four"], ["one", "two", "three", "four"]),
    ("invisible", "<p>one<p>two<p>three<p>four<div style='color:red;VISIBILITY:hidden !important'>x</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("shown by its style", "<p>one<p>two<p>three<p>four<div style='display:block;content:\"none\"'>x</div>",
     ["one", "two", "three", "four", "x"], ["one", "two", "three", "four", "x"]),
    ("most of a page, hidden until a script has run", "<p>one<div style='visibility:hidden'><p>two<p>three</div>",
     ["one", "two", "three"], ["one", "two", "three"]),
    ("a panel that a click shows", "<p>one<p>two<p>three<div class=tab-pane style='display:none'>four</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("an answer below its question", "<p>one<p>two<p>three</p><b>Why?</b><div style='display:none'>Because.</div>",
     ["one", "two", "three", "Why?", "Because."], ["one", "two", "three", "Why?", "Because."]),
    ("an answer below a heading", "<p>one<p>two<h3>three</h3><div style='display:none'>four</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("a modal box", "<p>one<p>two<p>three<p>four<div role=dialog aria-modal=true>x</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("a dialog by its role", "<p>one<p>two<div role=' AlertDialog'>x</div>", ["one", "two"], ["one", "two", "x"]),
    ("a dialog that is most of the page", "<p>one<div role=dialog><p>two<p>three<p>four<p>five</div>",
     ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("another role", "<p>one<p>two<div role=none>three</div>", ["one", "two", "three"], ["one", "two", "three"]),
    ("a popover", "<p>one<p>two<p>three<p>four<div popover>x</div>", ["one", "two", "three", "four"],
     ["one", "two", "three", "four"]),
    ("a dialog that is closed", "<p>one<dialog>x</dialog><dialog open>two</dialog>", ["one", "two"],
     ["one", "two"]),
    ("what is said twice, for readers of screens", "<p><span aria-hidden=true>$5</span> <b class=sr-only>$5</b>",
     ["$5"], ["$5"]),
    ("a price in two ways", "<p>one <b aria-hidden=true>$5<sup>99</sup></b><i class=sr-only>$5.99</i>",
     ["one $5⁹⁹"], ["one $5⁹⁹"]),
    ("what is said twice, off the screen", "<p>one <b aria-hidden=true>$5</b><i style='position: absolute; "
     "left:-9999px'>$5</i><p>two<p>three<p>four",
     ["one $5", "two", "three", "four"], ["one $5", "two", "three", "four"]),
    ("what is said once, off the screen", "<p>one <i style='text-indent:-1000em'>of</i> two<p>three<p>four",
     ["one of two", "three", "four"], ["one of two", "three", "four"]),
    ("a question with an icon", "<p>one<p>two<p>three</p><button aria-expanded=false>Why? <i>+</i></button><div>"
     "Because.</div>", ["one", "two", "three", "Why? +", "Because."], ["one", "two", "three", "Why? +", "Because."]),
    ("a price with more words", "<p><del aria-hidden=true>5 €</del><i class=sr-only>It was 5 € before.</i> now",
     ["5 € now"], ["5 € now"]),
    ("more words for readers of screens", "<p><b>5</b> <i class=sr-only>5 visitors</i>", ["5 5 visitors"],
     ["5 5 visitors"]),
    ("an icon and its name", "<p><b aria-hidden=true>★</b> <i class=sr-only>Good</i>", ["★ Good"], ["★ Good"]),
    ("hidden in a text", "<p>one <b hidden>x</b>two <b hidden=until-found>three</b>", ["one two three"],
     ["one two three"]),
    ("hidden beside a text", "<p>one<p hidden>two", ["one"], ["one", "two"]),
    ("hidden in elements of its own", f"<b hidden>{'<i></i>' * 40}one</b>", [], ["one"]),
    ("what is said to readers of screens alone", "<p><b class=visually-hidden>Price:</b> $5", ["Price: $5"],
     ["Price: $5"]),
    ("shown in what is invisible", f"{'<a href=/>x</a>' * 40}<div style='visibility:hidden'><p style='visibility: "
     "visible'>one</div>", ["x" * 40, "one"], ["x" * 40, "one"]),
    ("a child that says nothing", f"{'<a href=/>x</a>' * 40}<div style='visibility:hidden'><p>x</div>", ["x" * 40],
     ["x" * 40]),
    ("more than an eighth of a page, invisible", "<p>one<p>two<p>three<div style='visibility:hidden'>four</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("panels up to the fourth behind the one that is shown", f"{'<a href=/>x</a>' * 40}<div class=a>one</div>"
     + "".join(f"<div class=a style='display:none'>{text}</div>" for text in ("two", "three", "four", "five", "x")),
     ["x" * 40, "one", "two", "three", "four", "five"], ["x" * 40, "one", "two", "three", "four", "five"]),
    *((f"an SVG that is not closed, MAIN in {count} elements of it", f"<p>one<svg>{'<g>' * count}<main>two",
       ["one", *shown], ["one", *shown]) for count, shown in ((3, ["two"]), (4, []))),
    ("shown by what is important", "<p>one<p>two<p>three<p>four<div style='display:flex ! important;display:none'>five"
     "</div>", ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("hidden by what is important", "<p>one<p>two<p>three<p>four<div style='display:none!important;display:block'>x"
     "</div>", ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("hidden behind a comment", "<p>one<p>two<p>three<p>four<div style='display/* as; */:none /* not '>x</div>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("shown, with a comment", "<p>one<p>two<p>three<p>four<div style='/*;display:none;*/color:red'>five</div>",
     ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("shown, with a string", "<p>one<p>two<p>three<p>four<div style='content:\"; display:none\"'>five</div>",
     ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("paragraphs that fade in", "<p>one<p>two<p>three<p>four<p style='visibility: hidden; animation-name: rise'>five<p "
     "style='opacity:0;visibility:hidden;transform:none'>six",
     ["one", "two", "three", "four", "five", "six"], ["one", "two", "three", "four", "five", "six"]),
    ("a menu that fades in", "<p>one<p>two<p>three<p>four<div style='position:fixed;visibility:hidden;transform:none'>x"
     "</div>", ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("below the headline", "<h1>one</h1><div style='display:none'>x</div><p>two<p>three<p>four<p>five",
     ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("a MAIN that waits for a script, beside a long menu", f"{'<a href=/>x</a>' * 40}<div style='display:none'><main>"
     "<p>one</main></div>", ["x" * 40, "one"], ["x" * 40, "one"]),
    ("an article that does", f"{'<a href=/>x</a>' * 40}<div style='visibility:hidden'><h1>one</h1><p>two<p>three<p>four"
     "</div>", ["x" * 40, "one", "two", "three", "four"], ["x" * 40, "one", "two", "three", "four"]),
    ("a box with H1", f"{'<a href=/>x</a>' * 40}<div style='display:none'><h1>x</h1><p>x<p>x</div>", ["x" * 40],
     ["x" * 40]),
    ("a MAIN with HIDDEN", "<p>one<main hidden><p>two</main>", ["one", "two"], ["one", "two"]),
    ("an SVG that is not closed", f"<p>one<svg><g><path d=M0><p>{'two ' * 20}<p>{'two ' * 20}<div>three</div>",
     ["one", *[("two " * 20).strip()] * 2, "three"], ["one", *[("two " * 20).strip()] * 2, "three"]),
    ("an SVG that is not closed before MAIN", "<svg><path d=M0><main><p>one<p>two</main>", ["one", "two"],
     ["one", "two"]),
    ("an SVG with HTML in it", f"<p>one<svg><foreignObject><p>{'x ' * 30}</foreignObject></svg>two", ["onetwo"],
     ["onetwo"]),
    ("a BUTTON that is not closed", f"<p>one</p><button>more<p>{'two ' * 20}<p>{'two ' * 20}",
     ["one", "more", *[("two " * 20).strip()] * 2], ["one", "more", *[("two " * 20).strip()] * 2]),
    ("a card that is a BUTTON", f"<p>one</p><button>x<p>{'x ' * 40}</button>", ["one"],
     ["one", "x", ("x " * 40).strip()]),
    ("what a word means", "<p>one <b>two<i role=tooltip>x</i></b> three<p>four", ["one two three", "four"],
     ["one two three", "four"]),
    ("what a word means, by its class", "<p>one <b>two<i class=tooltip-text>x</i></b> three", ["one two three"],
     ["one two three"]),
    ("hidden between words", "<p>one <b>two<i hidden>x</i></b> three <span hidden>four</span><p hidden>five",
     ["one two three"], ["one two three", "five"]),
    ("a tooltip with the word in it", "<p>one <b class=tooltip>two</b> three", ["one two three"], ["one two three"]),
    ("spans that are blocks", "<p><span style='display:block'>one</span><span style='color:red; DISPLAY: block'>two"
     "</span>three", ["one", "two", "three"], ["one", "two", "three"]),
    ("other spans", "<p><span style='display:inline-block'>one</span><b style='display:block'>two</b>three",
     ["onetwothree"], ["onetwothree"]),
    ("what asks for consent to show something", "<p>one<div class=embed-consent><p>Here stands a video from elsewhere. "
     "To see it, you have to agree that they learn of you.</p><label><input type=checkbox>Show it</label></div><p>two",
     ["one", "two"], ["one", "two"]),
    ("slides of which one is shown", "<p>one<i></i><div><p class=s>two<p class=s style='display:none'>three<p class=s "
     "style='display:none'>four</div><p>five<p>six", ["one", "two", "three", "four", "five", "six"],
     ["one", "two", "three", "four", "five", "six"]),
    ("one that is hidden among others", "<p>one<p class=s>two<p class=s style='display:none'>x<p class=s>three<p>four",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("slides of which none is", "<p>one<p>two<p>three<p>four<div><p class=s style='display:none'>x<p class=s style="
     "'visibility:hidden'>x</div>", ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("what has no class is none", "<p>one<p>two<p>three<p style='display:none'>x<p>four",
     ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("titles and what they open", "<p>one<p>two<div>three</div><p class=b style='display:none'>four</p><div>five</div>"
     "<p class=b style='display:none'>six</p>", ["one", "two", "three", "four", "five", "six"],
     ["one", "two", "three", "four", "five", "six"]),
    ("other things between", "<p>one<p>two<div>three</div><p class=b style='display:none'>x</p><ul><li>four</ul><p "
     "class=b style='display:none'>x</p>", ["one", "two", "three", "four"], ["one", "two", "three", "four"]),
    ("more of a text, behind a link to nowhere", "<p>one<p>two<p>three</p><div style='display:none'>four</div><a "
     "href=#>more</a>", ["one", "two", "three", "four", "more"], ["one", "two", "three", "four", "more"]),
    ("more of a text, by Bootstrap", "<p>one<p>two<p>three</p><b data-target=#a>more</b><div style='display:none'>four",
     ["one", "two", "three", "more", "four"], ["one", "two", "three", "more", "four"]),
    ("more of a text, by a script on any element", "<p>one<p>two<p>three</p><div style='display:none'>four</div><b "
     "onclick='show()'>more</b>", ["one", "two", "three", "four", "more"], ["one", "two", "three", "four", "more"]),
    ("what a link leads to", "<p>one<p>two<ul><li><a href=#b>B</a></ul><section><div style='display:none'>x</div>"
     "<div id=b style='display:none'>three</div></section><p>four", ["one", "two", "B", "three", "four"],
     ["one", "two", "B", "three", "four"]),
    ("what a script shows", "<p>one<p>two<p>three<p><a href=# onclick='show()'>more</a><div style='display:none'>four"
     "</div>", ["one", "two", "three", "more", "four"], ["one", "two", "three", "more", "four"]),
    ("no script", "<p>one<p>two<p>three<p><a href=#>up</a><div style='display:none'>x</div>",
     ["one", "two", "three", "up"], ["one", "two", "three", "up"]),
    ("a box that asks to sign up", "<p>one<div class=newsletter-box><p>Our best stories, every day, in your inbox. "
     "Sign up, it is free.</p><a href=/s>Sign up</a></div><p>two", ["one", "two"], ["one", "two"]),
    ("such a box with a style sheet and a script", f"<p>one<div class=newsletter-box><style>{'b {color: red} ' * 30}"
     "</style><p>Our best stories, every day, in your inbox. Sign up, it is free.</p><script>show()</script>"
     "<a href=/s>Sign up</a></div><p>two", ["one", "two"], ["one", "two"]),
    ("a paywall", "<p>one<div class='c-paywall'>You have read all of your free articles. Subscribe to go on reading."
     "<button>Subscribe</button></div>", ["one"], ["one"]),
    ("a paragraph on the share of a market", f"<div class=market-share>{'one ' * 20}<p><a href=/>two</a></div>",
     [("one " * 20).strip(), "two"], [("one " * 20).strip(), "two"]),
    ("a post on newsletters", f"<div class='post tag-newsletter'>{'one ' * 20}<p><a href=/>two</a></div>",
     [("one " * 20).strip(), "two"], [("one " * 20).strip(), "two"]),
    ("an article that has such a class", f"<article class=category-social><p>{'one ' * 30}<a href=/>two</a></article>",
     ["one " * 30 + "two"], ["one " * 30 + "two"]),
    ("a headline that has such a class", f"<h1 class=promo-title><a href=/>{'one ' * 20}</a></h1>",
     [("one " * 20).strip()], [("one " * 20).strip()]),
    ("a table of links", "<table class=controls><tr><td><a href=/>one</a><td><a href=/>two</a></table>", ["one", "two"],
     ["one", "two"]),
    ("a paragraph with the class of edit links", f"<div class=editsection>{'one ' * 20}</div>", [("one " * 20).strip()],
     [("one " * 20).strip()]),
    ("copies of each other", "<p class=sr-only>one</p><p class=sr-only>one</p>", ["one", "one"], ["one", "one"]),
    ("shown by the last of its style", "<p>one<p>two<p>three<p>four<div style='display:none;display:block'>five</div>",
     ["one", "two", "three", "four", "five"], ["one", "two", "three", "four", "five"]),
    ("more of a text", "<p>one<p>two<p>three</p><div style='display:none'>four</div><button>more</button>",
     ["one", "two", "three", "four"], ["one", "two", "three", "four", "more"]),
    ("powers in parts", "<p>10<sup>\u20133</sup> 10<sup><b>-</b><b>3</b></sup> x<sup> 2 </sup>", ["10⁻³ 10⁻³ x²"],
     ["10⁻³ 10⁻³ x²"]),
    ("a box of 300 characters", f"<p>one<div class=newsletter><a href=/>{'x' * 300}</a></div>", ["one"], ["one"]),
    ("a box of more", f"<p>one<div class=newsletter><a href=/>{'x' * 301}</a></div>", ["one", "x" * 301],
     ["one", "x" * 301]),
    ("the number of a note", "<p>one<sup><a href=#n1>1</a></sup>", ["one1"], ["one1"]),
    ("an article that such a name stands on", "<div class=paywall-content><p>one</p><a href=/>two</a></div>",
     ["one", "two"], ["one", "two"]),
    ("a row of controls", "<p>one<ul class='post-actions'><li><a href=#>reply</a><li><a href=#>report</a></ul>",
     ["one"], ["one"]),
    ("one control alone", "<p>one<ul class='post-actions'><li><a href=#>two</a></ul>", ["one", "two"], ["one", "two"]),
    ("controls with twelve characters each", "<p>one<ul class='post-actions'><li><a href=#>nine letters!</a>"
     "<li><a href=#>ten letters!!</a></ul>", ["one"], ["one"]),
    ("controls with more", "<p>one<ul class='post-actions'><li><a href=#>nine letters!</a><li><a href=#>ten "
     "letters!!!</a></ul>", ["one", "nine letters!", "ten letters!!!"], ["one", "nine letters!", "ten letters!!!"]),
    ("a row that says more", "<p>one<ul class='post-actions'><li><a href=#>reply</a> to<li><a href=#>report</a></ul>",
     ["one", "reply to", "report"], ["one", "reply to", "report"]),
    ("a question on a button", "<div><button aria-expanded=false>Why?</button><div>Because.</div></div>",
     ["Why?", "Because."], ["Why?", "Because."]),
    ("a question in elements of its own", "<div><b><button aria-expanded=false>Why?</button></b></div><p>Because.",
     ["Why?", "Because."], ["Why?", "Because."]),
    ("a question that nothing answers", "<p>one <button aria-expanded=false>Why?</button></p><p>two", ["one", "two"],
     ["one", "Why?", "two"]),
    ("a question before another button", "<div><button aria-expanded=false>Why?</button><a href=#>x</a></div>",
     ["x"], ["Why?", "x"]),
    ("a heading in a button", "<div><button aria-expanded=false><h3>one</h3></button><div>two</div></div>",
     ["one", "two"], ["one", "two"]),
    ("a button that names its panel", "<div><button aria-controls=p>one</button><div id=p hidden>two</div></div>",
     ["one", "two"], ["one", "two"]),
    ("a menu's button", "<div><button aria-expanded=false>Menu</button><div>Because.</div></div>", ["Because."],
     ["Menu", "Because."]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "modern", "lenient"), [c[1:] for c in SHAPES], ids=[c[0] for c in SHAPES])
def test_how_a_shape_is_read(markup: str, modern: list[str], lenient: list[str]) -> None:
    assert (texts(markup), texts(markup, LENIENT)) == (modern, lenient)


@pytest.mark.parametrize("profile", ["justext", "learned", "auto"])
def test_readings_of_ruby_are_kept_for_those_who_want_them(profile: str) -> None:
    page = "<p><ruby>漢字<rt>かんじ</rt></ruby>" + "は中国で生まれた文字である。" * 20
    assert [extract(page, profile=profile, ruby=ruby).text[:5] for ruby in (False, True)] == [
        "漢字は中国",
        "漢字かんじ",
    ]
    with pytest.raises(ParameterError, match=r"^ruby = 1: must be True or False$"):
        extract(page, ruby=cast("bool", 1))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>10<sup>4</sup> H<sub>2</sub>O v<sub><i>max</i></sub>", "10<sup>4</sup> H<sub>2</sub>O v<sub>*max*</sub>"),
        ("<h2>m<sup>2</sup></h2>", "## m<sup>2</sup>"),
        ("<h2><a name=x href=#x>one</a></h2>", "## one"),
        ("<p><b>10<sup>4</sup></b> x", "**10<sup>4</sup>** x"),
        ("<p>a<sup><sup>2</sup></sup>b<sup></sup>c<code>x<sup>2</sup></code>", "a<sup>2</sup>bc`x2`"),
        ("<p>a<sup><a href='/n'>1</a></sup>", "a[1](/n)"),
        ("<p>a<sup>*</sup>", "a<sup>\\*</sup>"),
        ("<p>Kosten\u00advor\u00adanschlag", "Kostenvoranschlag"),
    ],
)
def test_how_a_shape_is_written_in_markdown(markup: str, expected: str) -> None:
    extraction = extract(markup, markdown=True, length_low=0, length_high=0, stopwords_low=0, stopwords_high=0,
                         max_link_density=1.0)  # fmt: skip
    assert extraction.markdown == expected
