"""The compiled readers: they give what those in Python give, and are left out where they cannot be used."""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import subprocess
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from threading import Barrier, Event, Thread, current_thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.elements import Elements
from scrapy_justext.core.flattening import flatten, walk, writer
from scrapy_justext.core.formulas import elements as formulas
from scrapy_justext.core.kernel import check, loading
from scrapy_justext.core.kernel.expressions import parse
from scrapy_justext.core.kernel.loading import Kernel, Modules, kernel
from scrapy_justext.core.learned import features as learned_features
from scrapy_justext.core.learned import second, trees
from scrapy_justext.core.learned import tree as learned_tree
from scrapy_justext.core.markdown import pieces, styled
from scrapy_justext.core.markdown.inline import TextRun
from scrapy_justext.core.markdown.structure import Surroundings, SurroundingsFinder
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading import TreePosition, cut, cut_in_python, segment_and_count, with_marks
from scrapy_justext.core.stylesheet import by_stylesheet, survey_of
from scrapy_justext.core.treatments import Branch, treatments
from tests.builders import CORPORA, PAGES, SECONDS, corpus_pages, nested, processor_seconds, pure, read_page, tree
from tests.core.test_reading import STYLED
from tests.products import in_turn
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.tags import TagRules

COMPILED = loading.loaded_kernel()
needs_kernel = pytest.mark.skipif(COMPILED.modules is None, reason=COMPILED.reason)
ALL_RULES = pytest.mark.parametrize("rules", STYLED.values(), ids=STYLED)


def compiled() -> Modules:
    assert COMPILED.modules is not None
    return COMPILED.modules


def written(root: etree._Element, rules: TagRules) -> str:
    return str(writer(compiled().tree, rules).write(root))


def check_page(root: etree._Element, rules: TagRules) -> None:
    assert written(root, rules) == by_stylesheet(root, rules)
    if not rules.styled:
        flat, position = with_marks(flatten(root, rules), root, rules), TreePosition.of_root(str(root.tag), rules)
        expected = cut_in_python(flat, position)
        assert cut(flat, position) == expected
        # It leaves out white space of which no block is made.
        assert segment_and_count(root, rules) == expected


def check_styles(root: etree._Element, rules: TagRules) -> None:
    """Check that compiled code reads the text of chunks, images and places as they are in the flattened page.

    It writes what is open where a chunk begins, and no other marks from outside of chunks; so runs are compared.
    """
    if rules.styled:
        return
    table, count = segment_and_count(root, rules)
    elements = Elements(root, rules, count)
    if not table or elements.formulas.found:
        return
    for step in (1, 3):
        rows = {i: table[i] for i in range(0, len(table), step)}
        by_chunk = pieces.blocks_by_chunk(table, rows)
        wanted = pieces.wanted_of(table, list(rows.values()), by_chunk)
        if wanted.with_formulas:
            continue
        read, flat = styled.read_tree(compiled(), elements, wanted), styled.read_flat(elements, wanted)
        read_runs, flat_runs = (_merged(one.texts, by_chunk, rules) for one in (read, flat))
        assert read_runs == flat_runs
        assert read.images == flat.images[: len(read.images)]
        assert all(one.chunk > wanted.last for one in flat.images[len(read.images) :])
        assert {one.figure: read.figures.get(one.figure) for one in read.images} == {
            one.figure: flat.figures.get(one.figure) for one in read.images
        }
        for number in wanted.elements:
            assert read.nodes[number] is flat.nodes[number]
            place = SurroundingsFinder(root, {}).of(read.places[number])
            assert _said(place) == _said(SurroundingsFinder(root, {}).of(flat.nodes[number]))


def _merged(texts: Mapping[int, str], by_chunk: Mapping[int, Sequence[Segment]], rules: TagRules) -> object:
    """Return the styles and texts of blocks that have styles; texts in one style may be parted otherwise."""
    runs = pieces.read_texts(texts, by_chunk, by_nodes=rules.text_nodes).runs
    return {
        block: [(style, "".join(run.text for run in group)) for style, group in groupby(own, lambda run: run[1:])]
        for block, own in runs.items()
        if any(run[1:] != TextRun()[1:] for run in own)
    }


def _said(surroundings: Surroundings) -> object:
    containers = [(one.parent, one.number, one.callout) for one in surroundings.containers]
    return containers, surroundings.table, surroundings.cell, surroundings.preformatted


def test_it_is_compiled_where_that_is_asked_for() -> None:
    if os.environ.get("SCRAPY_JUSTEXT_KERNEL", "0") not in ("", "0"):
        assert COMPILED.modules is not None, COMPILED.reason


@needs_kernel
@pytest.mark.parametrize("name", Modules._fields)
def test_it_is_compiled_from_the_source_at_hand(name: str) -> None:
    module = getattr(compiled(), name)
    folder = Path(loading.__file__).parent
    files = [folder / f"{name}.pyx", *sorted(folder.glob("*.pxd"))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    assert digest == module.DIGEST, "install the checkout again"


@needs_kernel
class TestEquality:
    """Strings and blocks are those that Python gives."""

    @pytest.mark.parametrize(("page", "rules"), in_turn(PAGES, STYLED))
    def test_on_demo_pages(self, page: Path, rules: TagRules) -> None:
        check_page(tree(read_page(page)), rules)

    @pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
    @pytest.mark.parametrize("step", [160, pytest.param(16, marks=pytest.mark.full)])
    def test_on_labelled_pages(self, step: int) -> None:
        for page in corpus_pages(step):
            root = tree(read_page(page))
            for rules in STYLED.values():
                check_page(root, rules)

    @ALL_RULES
    @given(page=bodies | soups)
    def test_on_any_page(self, rules: TagRules, page: str) -> None:
        root = parse_html(page).root
        assume(root is not None)
        assert root is not None
        before = etree.tostring(root.getroottree())
        check_page(root, rules)
        assert etree.tostring(root.getroottree()) == before

    @given(page=bodies | soups)
    def test_of_the_search_for_formulas(self, page: str) -> None:
        root = parse_html(page).root
        assume(root is not None)
        assert root is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(formulas, "_has_signs", lambda _: True)
            has_formulas = bool(formulas._find(root, None))
        is_prefixed = formulas._has_prefixed_math(root)
        with pure():
            seen = formulas._has_signs(root), is_prefixed or formulas.are_signs_in(*survey_of(root))
        for is_seen in (formulas.search_for_signs(compiled().tree).finds(root), *seen):
            assert is_seen or not has_formulas

    @ALL_RULES
    @pytest.mark.parametrize("page", check.PAGES)
    def test_on_the_pages_of_the_check(self, rules: TagRules, page: str) -> None:
        root = etree.fromstring(page, etree.HTMLParser())
        check_page(root, rules)

    @ALL_RULES
    @given(page=bodies | soups)
    def test_of_what_markdown_reads(self, rules: TagRules, page: str) -> None:
        root = parse_html(page).root
        assume(root is not None)
        assert root is not None
        check_styles(root, rules)

    @pytest.mark.full
    @pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
    @pytest.mark.parametrize("step", [160, pytest.param(16, marks=pytest.mark.full)])
    def test_of_what_markdown_reads_on_labelled_pages(self, step: int) -> None:
        for page in corpus_pages(step):
            root = tree(read_page(page))
            for rules in STYLED.values():
                check_styles(root, rules)

    @ALL_RULES
    def test_on_each_part_of_a_page(self, rules: TagRules) -> None:
        root = tree("<div>x<pre class=a>q</pre><p hidden>one<b>two</b></p>tail<h2><a href=#>z</a></h2></div>y")
        for part in root.iter(etree.Element):
            check_page(part, rules)

    @ALL_RULES
    @pytest.mark.parametrize(
        "xml",
        [
            '<!DOCTYPE html [<!ENTITY e "one two">]><html><p>a&e;b</p><p title="x&e;">c</p></html>',
            '<html xmlns="http://www.w3.org/1999/xhtml"><p>a<a href="b">c</a></p><y:select xmlns:y="u"/></html>',
            "<html><p><![CDATA[x < y]]></p><script><![CDATA[z]]></script></html>",
            "<?pi a?><!-- c --><html><p>a<?x y?>b<!-- d --></p></html><?pi z?><!-- e -->",
            '<html xmlns:h="u"><p h:hidden="">a</p><p hidden="x">b</p><a h:href="#"/><pre h:class="">y</pre></html>',
            '<div><pre class="&#xfdd0;"><code class="a&#xfdd1;b">one\ufdd0</code></pre></div>',
        ],
    )
    def test_on_xml(self, rules: TagRules, xml: str) -> None:
        root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, strip_cdata=False))
        assert written(root, rules) == by_stylesheet(root, rules)

    @ALL_RULES
    @pytest.mark.parametrize(
        "html",
        [
            # SELECTs, nodes and breaks.
            "<p>a <select> b<option>c</option> d<br><br>e</select> f</p>g<selectx>h</selectx>i",
            "<p><b><select><a href=x>a<option>b</option></a></select></b><select></select>c",
            "<pre>a\n <select>b\n<option>c\n d</option></select>e</pre><select><img alt=f><option>g</select>",
            "<p>a<br><b><br>b</b> <a>c<a>d \r e</a> f</a>\n<br> <br>g<br><?x y?><br>h<p> <br><p><br>i",
            "a<b> </b>b<b>\n</b>c<b> d\u3000</b>\u2028<a>e <i> f</i></a><i>g</i>",
            # White space in code.
            "<p>x</p><code><a href=/a><div>foo(); {</div>\n<div>bar();</div>\n<div>}</div></a></code><p>y y y",
            "<code><div><a href=/a>foo();</a></div>\n<div><a href=/b>bar();</a></div>\n<div>{}</div></code><p>y",
            "<div><code><a href=/a>f(x);</a></code></div>\n<div><code><a href=/b>g(x);</a></code></div>\n<p>y",
            "<ul class=lineno><li><a href=#1>1</a></li>\n<li><a href=#5>5</a></li>\n<li>9</li></ul><pre>int a; x</pre>",
            "<div>\n<p>a</p>\n<pre>\n<div>b</div>\n\n<div>c</div>\n</pre>\n<p>d</p>\n</div>\n<kbd>\n<p>e</p>\n</kbd>",
            # Marks and signs beside the root.
            "<p>one</p></html>two\ufdd0<p hidden>x</p>",
            "<p>one</p></html><p hidden>x</p><x:math>y</x:math>",
            "<div><x:math>y</x:math><script>\ufdd1</script></div>",
        ],
    )
    def test_on_odd_pages(self, rules: TagRules, html: str) -> None:
        check_page(tree(html), rules)

    @pytest.mark.parametrize(
        ("xml", "path"),
        [
            # XPath sees the tree that an element was cut out of.
            ('<div><p>a</p><section><p hidden="">b</p><p>c</p></section></div>', "section"),
            ("<div><p>a</p><section><p>b\ufdd0c</p>d\ufdd1</section></div>", "section"),
            ("<html><head><title>a</title></head><html><head><title>b</title></head><p>c</p></html></html>", "html"),
            # An element has siblings there, and is none of them.
            ("<div><p>a</p><article>b</article></div>", "p"),
        ],
    )
    @pytest.mark.parametrize("profile", PROFILES)
    def test_on_what_was_cut_out_of_a_tree(self, profile: str, xml: str, path: str) -> None:
        root = etree.XML(xml)
        part = root.find(path)
        assert part is not None
        root.remove(part)
        part.addnext(etree.Element("p"))
        part.getnext().text = "d"  # type: ignore[union-attr]
        copied = etree.XML(etree.tostring(part, with_tail=False))
        readings = [extract(one, profile=profile, markdown=True) for one in (copied, part)]
        with pure():
            readings.append(extract(part, profile=profile, markdown=True))
        expected, *others = [(one.title, one.markdown, one.column("text")) for one in readings]
        assert others == [expected, expected]

    @ALL_RULES
    def test_nothing_is_seen_around_a_part_of_a_tree(self, rules: TagRules) -> None:
        language = etree.XML('<div class="language-python"><pre>a = 1\nb = 2</pre></div>')[0]
        label = etree.XML('<div><div><span class="lang">python</span> b<p>c</p></div><pre>a = 1</pre></div>')[0]
        for root in (language, label):
            expected = by_stylesheet(root, rules)
            assert written(root, rules) == walk(root, rules) == expected
            segments, count = segment_and_count(root, rules)
            assert len(Elements(root, rules, None).nodes) == count + 1
            assert segments == cut_in_python(expected, TreePosition.of_root(str(root.tag), rules))[0]

    @ALL_RULES
    @pytest.mark.parametrize(
        "inside",
        [
            '<div><span class="lang">python</span>&e;text <b>y</b><pre>a = 1</pre></div>',
            '<div>text&e;<span class="lang">python</span><pre>a = 1</pre></div>',
        ],
    )
    def test_entities_are_no_nodes(self, rules: TagRules, inside: str) -> None:
        parser = etree.XMLParser(resolve_entities=False)
        root = etree.XML(f'<!DOCTYPE x [<!ENTITY e "q">]><body>{inside}</body>', parser)
        assert flatten(root, rules) == by_stylesheet(root, rules)

    def test_in_threads(self) -> None:
        pages = [read_page(page) for page in PAGES.values()]
        expected = [extract(page, language="English") for page in pages]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda page: extract(page, language="English"), pages * 4)) == expected * 4


@needs_kernel
def test_threads_make_a_position_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both, has_begun, has_ended = Barrier(2), Event(), Event()
    make = TreePosition.__init__

    def slowly(position: TreePosition, tag: str, *others: Any) -> None:
        name = current_thread().name
        if tag == "section":
            both.wait(9)
            assert name == "first" or has_begun.wait(9)
        elif tag == "p" and name == "first":
            has_begun.set()
            assert has_ended.wait(9)
            # What only the first thread knows is still in use.
            gc.collect()
        make(position, tag, *others)

    rules = replace(STYLED["justext"], hidden="of this test")
    root = tree("<div><section>one<article>two<p>three</p>four</article>five</section>six</div>")
    flat, position = flatten(root, STYLED["justext"]), TreePosition.of_root("html", rules)
    found = {}

    def read() -> None:
        found[current_thread().name] = cut(flat, position)
        if current_thread().name == "second":
            has_ended.set()

    monkeypatch.setattr(TreePosition, "__init__", slowly)
    threads = [Thread(target=read, name=name) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    monkeypatch.undo()
    assert found["first"] == found["second"] == cut_in_python(flat, position)


@needs_kernel
@ALL_RULES
def test_a_tree_made_by_hand_may_be_deep(rules: TagRules) -> None:
    root = nested(["html", "body", *["div", "b"] * 5_000], "one")
    assert written(root, rules) == walk(root, rules)


@needs_kernel
@ALL_RULES
def test_an_image_of_xml_may_hold_elements(rules: TagRules) -> None:
    root = etree.XML('<div><img alt="a">b<!-- c -->d<ul><li>e</li></ul><img alt="f"/>g</img>h<p>i</p></div>')
    assert written(root, rules) == by_stylesheet(root, rules) == walk(root, rules)


@needs_kernel
def test_what_is_no_element_is_told() -> None:
    with pytest.raises(TypeError, match="no element: 'html'"):
        written("html", STYLED["justext"])  # type: ignore[arg-type]


class TestExpressions:
    """The part of XPath that the tables of tags use."""

    HTML = (
        "<div id=d class=' one  two '><h2 hidden><a href='#x'>¶</a></h2><p title=''>a<b>c</b> d\t</p><pre>"
        "<code class=k>1 2</code></pre><table class=lntable><tr><td class='blob-num'>1</table>"
        "<ol><li><div class=de1>x</div></ol></div>"
    )

    @needs_kernel
    @pytest.mark.parametrize("rules", STYLED.values(), ids=STYLED)
    def test_all_of_the_tables_are_known(self, rules: TagRules) -> None:
        writer(compiled().tree, rules)

    @needs_kernel
    @pytest.mark.parametrize(
        "expression",
        [
            "@hidden", "not(@id)", "@id = 'd'", "@none = ''", "@title = ''", "starts-with(@id, '')", "contains(@x, '')",
            "contains(@class, 'two') and not(h2) or b", "*[1]/self::*[@hidden or */*]", "following-sibling::*[1]/code",
            "preceding-sibling::*[1][self::p]/@title", "parent::div", "../@class", "../../@class",
            "name(code | samp | h2)", "name()", "normalize-space()", "normalize-space(text())", "text()",
            "string-length(normalize-space(text())) < 2", "substring(@class, 1, 3)",
            "substring-before(concat(normalize-space(@class), ' '), ' ')", "translate(@class, 'ot w', 'OT')",
            "contains(' one two ', concat(' ', @id, ' '))", "concat(' ', tr/td/@class, tbody/tr/td/@class, ' ')",
            "code/@class", "@class", "translate(normalize-space(), '0123456789', '')",
            "normalize-space(concat(' ', @class, '\t ', @id, '\n'))", "substring-before(@class, 'three')",
            "concat(substring(@class, 1, 2), name(), substring(normalize-space(), 1, 4))", "normalize-space(@none)",
            "concat(@class, @id) = ' one  two d'", "starts-with(concat(' ', @class), '  one')",
            "contains(@class, 'three') or contains(@class, 'wo ') or contains(@id, 'e') or @hidden",
            "contains(@class, 'x') or (contains(concat(' ', @class), ' n') or contains(concat(' ', @class), '  on'))",
        ],
    )  # fmt: skip
    def test_they_are_evaluated_as_lxml_does(self, expression: str) -> None:
        top = next(tree(self.HTML).iter("div"))
        holds, text = (etree.XPath(f"{kind}({expression})") for kind in ("boolean", "string"))
        branch = Branch(expression, _writing("+"), _writing("-"))
        told = _writing("", ((expression, "|"),))
        is_text = not expression.startswith(("not(", "starts-with(", "contains(", "string-length(")) and (
            " = " not in expression and " and " not in expression
        )
        for node in top.iter():
            mine = compiled().tree.TreeWriter({"": {"*": branch}}, "").write(node)
            # What is above a part that is read is not looked at.
            alone = etree.fromstring(etree.tostring(node, with_tail=False))
            assert mine[0] == ("+" if holds(alone) else "-"), node.tag
            if is_text:
                assert compiled().tree.TreeWriter({"": {"*": told}}, "").write(node).partition("|")[0] == text(alone)

    @needs_kernel
    @given(
        st.text("ab-\xe9", max_size=12), st.lists(st.text("ab-\xe9", min_size=1, max_size=5), min_size=2, max_size=9)
    )
    def test_several_words_are_found_at_once(self, value: str, words: list[str]) -> None:
        looked_for = Branch(" or ".join(f"contains(@class, '{word}')" for word in words), _writing("+"), _writing("-"))
        node = etree.Element("p", {"class": value})
        is_found = any(word in value for word in words)
        assert compiled().tree.TreeWriter({"": {"*": looked_for}}, "").write(node) == ("+" if is_found else "-")

    @needs_kernel
    @given(
        st.lists(st.sampled_from(["gutter", "line-no", "code", "ace", "cm", "x", "xcode", " "]), max_size=4),
        st.booleans(),
        st.booleans(),
    )
    def test_tests_of_a_class_are_asked_in_their_order(
        self, names: list[str], is_hidden: bool, has_child: bool
    ) -> None:
        tests = [
            "@class and (contains(@class, 'gutter') or contains(@class, 'line-no')) and not(b)",
            "contains(concat(' ', @class, ' '), ' code ')",
            "@hidden or starts-with(@class, 'x')",
            "contains(' ace cm ', concat(' ', substring-before(concat(normalize-space(@class), ' '), ' '), ' '))",
        ]
        treatment = _writing("-")
        for number, test in reversed(list(enumerate(tests))):
            treatment = Branch(test, _writing(str(number)), treatment)
        given_class = {"class": " ".join(names)} if names else {}
        node = etree.Element("p", given_class | ({"hidden": ""} if is_hidden else {}))
        node[:] = [etree.Element("b")] * has_child
        expected = next((str(i) for i, test in enumerate(tests) if etree.XPath(f"boolean({test})")(node)), "-")
        assert compiled().tree.TreeWriter({"": {"*": treatment}}, "").write(node) == expected

    @needs_kernel
    def test_the_beginning_of_a_value_has_whole_characters(self) -> None:
        told = _writing("", (("substring(../@class, 1, 3)", "|"),))
        write = compiled().tree.TreeWriter({"": {"*": _writing("", below=""), "b": told}}, "").write
        for value in ("", "a", "abc", "abcd", "日本語の", "𝔸𝔹ℂ𝔻", "a𝔹日é", "é" * 20):
            assert write(tree(f"<p class='{value}'><b>x</b>")) == f"{value[:3]}|"

    @needs_kernel
    def test_a_long_class_around_many_elements_is_not_read_for_each(self) -> None:
        root = tree(f"<div class='{'c ' * 4_000_000}'>{'<pre>x</pre>' * 40_000}")
        assert processor_seconds(lambda: written(root, STYLED["justext"])) < SECONDS

    @pytest.mark.parametrize(
        ("expression", "message"),
        [
            ("ancestor::p", "ancestor::p is no step"),
            ("*[2]", "only the first position"),
            ("a | @b", "only names of children"),
            ("count(a)", "is not expected"),
            ("not(a, b)", "2 arguments for not"),
            ("a and", "is no step"),
            ("a # b", "is not known"),
            ("(a", "instead of )"),
        ],
    )
    def test_others_are_refused(self, expression: str, message: str) -> None:
        with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
            parse(expression)


def _writing(start: str, told: tuple[tuple[str, str], ...] = (), below: str | None = None) -> Any:
    return SimpleNamespace(start=start, end="", told=told, below=below)


#: Has each of the first memory requests refused, again and again.
SHORT_OF_MEMORY = """
import _testcapi
from array import array
from scrapy_justext.core.kernel import cut

counter = cut.WordCounter(frozenset({"the", "of"}))
texts = ["one two", "the \N{GREEK CAPITAL LETTER SIGMA} x", "\N{CJK UNIFIED IDEOGRAPH-4E2D} the"] * 4
for refused in list(range(70)) * 10:
    _testcapi.set_nomemory(refused, refused + 1)
    try:
        columns = [list(column) for column in counter.measure(texts, array("i", [1] * len(texts)))]
    except MemoryError:
        pass
    finally:
        _testcapi.remove_mem_hooks()
"""


class TestLoading:
    """When compiled code is used."""

    @pytest.mark.parametrize(("value", "is_off"), [("1", True), ("true", True), ("", False), ("0", False)])
    def test_it_can_be_switched_off(self, monkeypatch: pytest.MonkeyPatch, value: str, is_off: bool) -> None:
        monkeypatch.setenv(loading.PURE, value)
        assert (kernel.__wrapped__() == Kernel(None, "SCRAPY_JUSTEXT_PURE is set")) is is_off

    @needs_kernel
    def test_a_program_that_embeds_python_has_no_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "TESTED", frozenset())
        for name in (loading.PURE, loading.CHECKED):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "executable", None)
        assert "could not be checked" in kernel.__wrapped__().reason

    def test_pages_are_read_without_it(self) -> None:
        page = read_page(next(iter(PAGES.values())))

        def read() -> list[dict[str, Any]]:
            # As dicts: what is made late is to be made here.
            return [extract(page, profile=profile, markdown=True).to_dict() for profile in PROFILES]

        expected = read()
        with pure():
            assert read() == expected

    @needs_kernel
    def test_elements_of_another_size_are_not_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compiled().tree, "SIZE_OF_ELEMENT", 1)
        found = loading.loaded_kernel()
        assert found.name == "pure"
        assert "bytes, not 1" in found.reason

    @needs_kernel
    def test_another_lxml_is_tried_in_a_process_of_its_own_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []

        def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
            calls.append(arguments)
            return subprocess.CompletedProcess([], status)

        monkeypatch.setattr(loading, "TESTED", frozenset())
        for name in (loading.PURE, loading.CHECKED):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(subprocess, "run", run)
        status = 1
        for _ in range(2):
            assert "failed the check, status 1" in kernel.__wrapped__().reason
        assert len(calls) == 1
        # As another version of lxml would have left it.
        monkeypatch.setenv(loading.CHECKED, "lxml 1.0, libxml2 2.9.1: it crashed")
        status = 0
        for _ in range(2):
            assert kernel.__wrapped__().name == "compiled"
        assert len(calls) == 2

    @needs_kernel
    def test_the_check_passes_here(self) -> None:
        done = subprocess.run([sys.executable, "-m", check.__name__], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.full
    @needs_kernel
    @pytest.mark.parametrize(
        ("module", "name", "value"),
        [
            (check, "by_stylesheet", ""),
            (check, "cut_in_python", (BlockTable(), 1)),
            (learned_tree, "read_names", (0, None)),
            (learned_features, "numbers_in_python", 1.0),
            (second, "features_in_python", 1.0),
            (trees.Trees, "log_odds_in_python", 1.0),
            (trees.Trees, "weights_in_python", 1.0),
        ],
    )
    def test_the_check_fails_where_pages_are_read_otherwise(
        self, monkeypatch: pytest.MonkeyPatch, module: ModuleType | type, name: str, value: object
    ) -> None:
        assert check.main() == 0
        monkeypatch.setattr(module, name, lambda *_, **__: value)
        assert check.main() == 1

    def test_the_check_tells_that_nothing_is_compiled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(check, "loaded_kernel", lambda: Kernel(None, ""))
        assert check.main() == 2

    @needs_kernel
    def test_that_a_module_is_missing_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(loading.PURE, raising=False)
        monkeypatch.setattr(loading, "kernel", kernel.__wrapped__)
        assert not loading.is_refused()
        monkeypatch.setitem(sys.modules, "scrapy_justext.core.kernel.features", None)
        assert loading.is_refused()
        assert loading.kernel().reason.startswith("not compiled: ")
        assert "features" in loading.kernel().reason
        monkeypatch.setenv(loading.PURE, "1")
        assert not loading.is_refused()

    def test_that_nothing_was_compiled_is_told_in_words(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(loading, "_FOLDER", tmp_path)
        monkeypatch.setitem(sys.modules, "scrapy_justext.core.kernel.tree", None)
        assert loading.loaded_kernel() == (None, "not compiled: there was no C compiler when it was installed")
        assert not loading.is_refused()


def test_white_space_is_where_compiled_code_looks_for_it() -> None:
    found = [code for code in range(0x100, sys.maxunicode + 1) if chr(code).isspace()]
    assert (found[0], found[-1]) == (0x1680, 0x3000)


@needs_kernel
def test_what_values_of_an_attribute_give_is_told_apart() -> None:
    # Of values of one length that differ in a letter, some share a place in memory.
    names = [f"{'x' * 20}{number:05}" for number in range(10_000)]
    shown = "".join(f"<p><span class='{name}'>{name}</span></p>" for name in names)
    drawn = "".join(f"<p><span class='katex {name}'>{name}</span></p>" for name in names[:10])
    search = formulas.search_for_signs(compiled().tree)
    for _ in range(2):
        assert not search.finds(tree(shown))
        assert search.finds(tree(shown + drawn))


@pytest.mark.full
@needs_kernel
@pytest.mark.parametrize(
    ("profile", "inner"),
    [
        ("justext-3.0", "<noselect>a<noselect>b</noselect></noselect>"),
        ("justext-java", "<select>a<select>b</select></select>"),
    ],
)
def test_places_are_freed_with_the_roots_that_they_are_of(profile: str, inner: str) -> None:
    def places(first: int) -> int:
        for number in range(first, first + 300):
            extract(etree.XML(f"<r{number}>{inner}</r{number}>"), profile=profile, language="English")
        gc.collect()
        return sum(type(one).__name__ == "Place" for one in gc.get_objects())

    _, before, after = map(places, (0, 300, 600))
    assert after <= before


@needs_kernel
class TestRules:
    """What compiled code makes of the rules that are given to it."""

    def test_the_first_rule_that_applies_decides(self) -> None:
        lengths, densities, are_told = [3, 10, 11, 3], [0.5, 0.0, 1.0, 0.25], bytearray([0, 0, 0, 1])
        rules = [
            [(are_told, ">", 0)],
            [(lengths, "<", 10), (densities, ">=", 0.5)],
            [(array("i", lengths), ">", 10)],
            [],
        ]
        assert compiled().cut.first_that_apply(rules, 4) == bytearray([1, 3, 2, 0])
        assert compiled().cut.first_that_apply([[]], 0) == b""
        assert compiled().cut.first_that_apply([[([], "<", 1)], []], 0) == b""

    @pytest.mark.parametrize(
        ("rules", "message"),
        [([[([1.0], ">", 1)]], "no rule applies"), ([[([1.0, 2.0], ">", 1)], []], "columns of different lengths")],
    )
    def test_what_cannot_be_decided_is_told(self, rules: list[Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            compiled().cut.first_that_apply(rules, 1)

    def test_words_are_counted_where_somebody_asks(self) -> None:
        counter = compiled().cut.WordCounter(frozenset({"the", "of"}))
        texts = ["the best of times", "x", ""]
        lengths, words, _, shares = counter.measure(texts, array("i", [0, 0, 0]))
        texts.clear()
        rules: list[Any] = [[(lengths, "<", 5)], [(shares, ">=", 0.5), (words, "<", 5)], []]
        assert compiled().cut.first_that_apply(rules, 3) == bytearray([1, 0, 0])
        assert (list(words), words[1:], words[-1], len(words)) == ([4, 1, 0], [1, 0], 0, 3)
        assert shares == pickle.loads(pickle.dumps(shares)) == [0.5, 0.0, 0.0]
        assert shares != words
        assert shares != (0.5, 0.0, 0.0)
        with pytest.raises(IndexError):
            words[3]

    @pytest.mark.parametrize("limit", [10**400, 2**63, 0])
    def test_a_limit_may_be_of_any_size(self, limit: int) -> None:
        assert compiled().cut.first_that_apply([[([7], "<", limit)], []], 1) == bytearray([not limit])

    @pytest.mark.skipif(find_spec("_testcapi") is None, reason="this Python has no _testcapi")
    def test_short_memory_is_told_and_nothing_lost(self) -> None:
        # In a process of its own, which may crash alone.
        subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], check=True)

    @given(st.lists(st.text("(c©&opyⓒ（🦊ﾃ", max_size=9), max_size=9))
    def test_texts_with_signs_are_found(self, texts: list[str]) -> None:
        signs = ("©", "&copy", "ⓒ", "（c", "🦊")
        held = [any(sign in text for sign in signs) for text in texts]
        assert compiled().cut.holding_any(texts, signs) == bytearray(held)

    @given(st.text("\ufdd1`+ab", max_size=9))
    def test_marks_are_found(self, text: str) -> None:
        for code in "`+":
            assert compiled().cut.has_mark(text, code) == (f"\ufdd1{code}" in text)

    def test_lengths_are_added_up(self) -> None:
        assert list(compiled().cut.lengths_before(["one", "", "日本"])) == [0, 3, 3, 5]
        assert list(compiled().cut.lengths_before([])) == [0]

    def test_columns_are_taken_from_positions(self) -> None:
        rows = [("p", 0), ("h1", 1)]
        assert compiled().cut.fields_of(rows, 0) == ["p", "h1"]
        with pytest.raises(IndexError):
            compiled().cut.fields_of(rows, 2)


def test_flatten_takes_what_there_is() -> None:
    root = tree("<p>one <b>two</b>")
    for rules in STYLED.values():
        assert flatten(root, rules) == by_stylesheet(root, rules)
        assert treatments(rules, "")["*"] is not None
