"""Pages that are parsed as browsers do: their nodes, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import loading
from scrapy_justext.core.reading.loading import compiled, html5_reader
from scrapy_justext.exceptions import ParameterError
from tests.builders import PAGES, SECONDS, processor_seconds, read_page

if TYPE_CHECKING:
    from scrapy_justext.core.reading.nodes import Nodes

lexbor = pytest.importorskip("selectolax.lexbor", reason="needs selectolax")
if compiled().walk is None:
    pytest.skip(f"pages are read in Python here: {compiled().reason}", allow_module_level=True)

#: Longer than what is parsed at once, with characters of several bytes where that ends.
_LONG = "".join(f"<p class=c{i}>{'é中𝒳' * 7}<b>{i}</b> &amp; more" for i in range(400))
_FRAMES = "<frameset><frame>one two three</frameset>four five"
_PARTS = (
    "<p>", "</p>", "<div>", "</div>", "<table><tr><td>", "</table>", "<b>", "</b>", "<a href=x>", "</a>", "<svg>",
    "</svg>", "<math><mi>", "<ul><li>", "<template>", "</template>", "<select><option>", "one", " ", "é&nbsp;", "$x$",
    "<!-- c -->", "<?pi?>", "<br>", "<img alt=i>", "<textarea>", "<style>s</style>", "<script>t</script>",
)  # fmt: skip


def read(page: str) -> Nodes:
    return html5_reader()(page.encode())[0]


def rows(page: Nodes) -> list[tuple[object, ...]]:
    """Return what nodes tell, each with the one around it."""
    return [
        (page.name(node), page.parent[node], page.text(node), page.tail(node), dict(page.items(node)))
        for node in range(1, page.count)
        if page.tag[node] >= 0
    ]


def expected_rows(page: str) -> list[tuple[object, ...]]:
    """Return the same, by what selectolax tells of its own tree."""
    top = lexbor.LexborHTMLParser(page).root
    while top.prev is not None:
        top = top.prev
    found: list[tuple[object, ...]] = []
    numbers = 0

    def add(node: Any, around: int) -> None:
        nonlocal numbers
        while node is not None:
            is_element = node.is_element_node
            # Comments and instructions are nodes, too.
            numbers += not node.is_text_node and "doctype" not in (node.tag or "")
            if is_element:
                number = numbers
                inside = node.first_child
                values = {name: value or "" for name, value in node.attributes.items()}
                tail = _text(node.next) if around else ""
                found.append((node.tag, around, _text(inside), tail, values))
                add(inside, number)
            node = node.next

    add(top, 0)
    return found


def _text(node: Any) -> str:
    text = ""
    while node is not None and node.is_text_node:
        text += node.text_content or ""
        node = node.next
    return text


@pytest.mark.parametrize("page", [*loading.PAGES, *map(read_page, PAGES.values()), _LONG, _FRAMES])
def test_nodes_are_those_of_selectolax(page: str) -> None:
    if "<template" in page:
        pytest.skip("selectolax has the content of a TEMPLATE elsewhere")
    assert rows(read(page)) == expected_rows(page)


@given(st.lists(st.sampled_from([part for part in _PARTS if "template" not in part]), max_size=30))
def test_nodes_of_any_page_are_those_of_selectolax(parts: list[str]) -> None:
    assert rows(read("".join(parts))) == expected_rows("".join(parts))


@given(st.lists(st.sampled_from(_PARTS), max_size=30))
def test_each_node_ends_behind_those_inside(parts: list[str]) -> None:
    page = read("".join(parts))
    ends = [max((page.end[child] for child in page.children(node)), default=node + 1) for node in range(page.count)]
    assert all(page.end[node] >= end for node, end in enumerate(ends))
    assert all(page.parent[node] < node < page.end[page.parent[node]] for node in range(1, page.count))


@pytest.mark.parametrize("profile", ["justext", "article", "boilerpipe", "justext-3.0"])
def test_sound_pages_give_the_same_with_both_parsers(profile: str) -> None:
    prose = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 4
    html = f"""<!DOCTYPE html><html lang=en><head><title>Two cities</title></head><body>
    <ul><li><a href=/>Home</a></li></ul><h1>Two cities</h1><p>{prose}</p>
    <table><tr><td>one</td><td>two</td></tr></table><pre><code>x = 1</code></pre>
    <p>{prose}</p></body></html>"""
    made = [extract(html, profile=profile, parser=parser, markdown=True, paths=True) for parser in ("lxml", "html5")]
    assert len(made[0].blocks) >= 6
    assert made[0].title == "Two cities"
    columns = [
        [(block.text, block.block_class, block.tag, block.reason) for block in extraction.blocks] for extraction in made
    ]
    assert columns[0] == columns[1]
    assert (made[0].markdown, made[0].title, made[0].language) == (made[1].markdown, made[1].title, made[1].language)


def test_what_browsers_make_of_broken_pages_is_read() -> None:
    html = "<p>one<div>two</div>three</p><table>four<tr><td>five</table>"
    assert [block.text for block in extract(html, parser="html5").blocks] == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<div><template shadowrootmode=open><p>a</p><slot></slot></template><b>b</b></div>", ["a", "b"]),
        ("<div><template id=B:0></template><p>late</p></div><div hidden id=S:0><p>part</p></div>", ["part", "late"]),
        ("<div><!--$?--><template id=B:0></template><p>until then</p><!--/$--></div><div hidden id=S:0><p>part</div>",
         ["part"]),
        ("<template><p>none</p></template><p>one</p>", ["one"]),
    ],
)  # fmt: skip
def test_templates_are_read_as_lxml_s(html: str, texts: list[str]) -> None:
    for parser in ("lxml", "html5"):
        assert [block.text for block in extract(html, parser=parser).blocks] == texts


def test_data_are_read_where_a_page_has_nothing_else() -> None:
    prose = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 4
    html = f'<script type="application/ld+json">{{"@type": "Article", "articleBody": "{prose}"}}</script><p>x'
    assert extract(html, parser="html5", profile="learned").text == extract(html, profile="learned").text != ""


@pytest.mark.parametrize("part", ["<div>", "<p><b class={}>x", "<table><tr><td>x", "<a href=x>", "<p>x", "<i id={}>"])
def test_hostile_pages_take_no_longer_than_others(part: str) -> None:
    html = "".join(part.format(i) for i in range(20_000))
    assert processor_seconds(lambda: extract(html, parser="html5")) < SECONDS


def test_a_page_that_nests_too_deep_is_cut() -> None:
    deep = parse_html("<p>one" + "<div>" * 5000 + "two", parser="html5")
    assert deep.is_cut
    assert not parse_html("<div>" * 400 + "one", parser="html5").is_cut
    assert extract("<p>one" + "<div>" * 5000 + "two", parser="html5").is_cut


def test_bytes_are_decoded_as_for_lxml() -> None:
    html = '<meta charset="windows-1251"><p>' + "Это было лучшее из всех времён. " * 5
    assert "лучшее" in extract(html.encode("windows-1251"), parser="html5").blocks[0].text
    assert [*extract(b"", parser="html5").blocks, *extract("  ", parser="html5").blocks] == []


@pytest.mark.parametrize("rules", [{"keep_css": "p"}, {"drop_css": ["p", "b"]}])
def test_rules_by_css_need_lxml(rules: Any) -> None:
    with pytest.raises(ParameterError, match=r"parser = 'html5': must be lxml where (keep|drop)_css finds elements"):
        extract("<p>x", parser="html5", **rules)
    assert extract("<p>x", parser="html5", drop_text="x").blocks[0].reason.startswith("drop_text")


def test_a_parser_that_nobody_knows() -> None:
    with pytest.raises(ParameterError, match="parser = 'html6': must be one of lxml, html5"):
        extract("<p>x", parser="html6")


def test_a_lexbor_that_was_not_tested_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "html5_reader", loading.html5_reader.__wrapped__)
    monkeypatch.setattr("scrapy_justext.core.options.html5_reader", loading.html5_reader)

    def fail(name: str) -> Any:
        raise ImportError(f"lexbor 9.9 was not tested: {name}")

    monkeypatch.setattr(loading, "import_module", fail)
    with pytest.raises(ParameterError, match=r"parser = 'html5': needs .*\(pip install .*\[html5\]'\): lexbor 9.9"):
        extract("<p>x", parser="html5", max_blocks=12345)
