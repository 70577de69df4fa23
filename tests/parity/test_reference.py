"""``justext-3.0`` gives what the reference gives, block for block: text, heading flag, both classes.

Both get the same ``str``.  A page that differs is explained by a cause in ``EXPLAINED``, which is checked.
The default run compares every 40th of the labelled pages, ``-m full`` every eighth.
"""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import justext
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core.parsing import parse_html
from tests.builders import CORPORA, DEMO_PAGES, all_text, corpus_pages, page_id, read_page, reference
from tests.property.strategies import TAGS, TEXTS

Row = tuple[str, bool, str, str]

STOPLIST = justext.get_stoplist("English")

CLASSES = {"good": "good", "neargood": "near_good", "short": "short", "bad": "bad"}


def of_reference(page: str, **options: Any) -> list[Row]:
    return [
        (paragraph.text, paragraph.heading, CLASSES[paragraph.cf_class], CLASSES[paragraph.class_type])
        for paragraph in justext.justext(page, STOPLIST, **options)
    ]


def of_ours(page: str, **options: Any) -> list[Row]:
    blocks = extract(page, language="English", profile="justext-3.0", **options).blocks
    headings = not options.get("no_headings", False)
    return [(b.text, b.is_heading and headings, b.context_free_class.value, b.block_class.value) for b in blocks]


def equal_rows(ours: list[Row], theirs: list[Row]) -> int:
    if ours == theirs:
        return len(ours)
    return sum(match.size for match in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks())


def roots(page: str) -> list[etree._Element]:
    """The elements at the top of the page; the parser makes a further one of what follows ``</html>``."""
    root = parse_html(page).root
    assert root is not None
    return [root, *(element for element in root.itersiblings() if isinstance(element.tag, str))]


def text_after_the_end_of_html(page: str, ours: list[Row], theirs: list[Row]) -> bool:
    """The reference reads the first root element only: its blocks are our first, further ones hold ours."""
    rest = squeezed("".join(map(all_text, roots(page)[1:])))
    extra = [squeezed(row[0]) for row in ours[len(theirs) :]]
    # The class of a block may hang on what comes after it.
    same = [row[:3] for row in ours[: len(theirs)]] == [row[:3] for row in theirs]
    return bool(extra) and same and all(text in rest for text in extra)


def squeezed(text: str) -> str:
    return "".join(text.split())


def first_element_of_a_fragment(page: str, ours: list[Row], theirs: list[Row]) -> bool:
    """lxml.html takes a page without HTML at its start for a fragment: the first child of BODY, if it is alone.

    What stands outside BODY, as the parser read broken markup, is lost.
    """
    is_fragment = not re.match(r"\s*(<!doctype|<html)", page, re.IGNORECASE)
    kept = reference().html_to_dom(page)
    return is_fragment and kept.tag not in {"html", "body"} and len(ours) > len(theirs)


Cause = Callable[[str, list[Row], list[Row]], bool]

#: Pages whose blocks differ, and why.
EXPLAINED: dict[str, Cause] = {
    "0005.html.gz": text_after_the_end_of_html,
    "0310.html.gz": text_after_the_end_of_html,
    "4464.html.gz": text_after_the_end_of_html,
    "49.html": first_element_of_a_fragment,
}


@cache
def by_default(page: str) -> list[Row]:
    return of_ours(page)


@pytest.mark.parametrize("page", DEMO_PAGES, ids=page_id)
def test_demo_pages_are_the_same(page: Path) -> None:
    text = read_page(page)
    assert of_ours(text) == of_reference(text)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.full
def test_labelled_pages_are_the_same() -> None:
    rows = equal = 0
    step = 16
    unexplained = []
    for page in corpus_pages(step):
        text = read_page(page)
        ours, theirs = of_ours(text), of_reference(text)
        rows += len(theirs)
        equal += equal_rows(ours, theirs)
        cause = EXPLAINED.get(page.name)
        if ours != theirs and not (cause and cause(text, ours, theirs)):
            unexplained.append(page.name)
    assert unexplained == []
    assert rows > 300_000 / step
    assert equal / rows >= 0.999


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize(("name", "cause"), EXPLAINED.items(), ids=EXPLAINED)
def test_pages_that_differ_do_so_for_the_cause_named(name: str, cause: Cause) -> None:
    [page] = [page for page in corpus_pages() if page.name == name]
    text = read_page(page)
    ours, theirs = of_ours(text), of_reference(text)
    assert ours != theirs
    assert cause(text, ours, theirs)


def test_the_comparison_notices_a_difference() -> None:
    page = f"<html><body><p>one</p><p>{'the lamp ' * 40}</p></body></html>"
    ours, theirs = of_ours(page), of_reference(page)
    assert equal_rows(ours, theirs) == len(theirs) == 2
    assert equal_rows(ours, of_reference(page.replace("one", "two"))) == 1
    assert not any(cause(page, ours, theirs) for cause in EXPLAINED.values())


class TestLosses:
    """What ``justext-3.0`` does not reproduce: the reference's losses."""

    def test_text_after_the_end_of_html(self) -> None:
        page = "<html><body><p>one</p></body></html><p>two</p>"
        ours, theirs = of_ours(page), of_reference(page)
        assert ([row[0] for row in ours], [row[0] for row in theirs]) == (["one", "two"], ["one"])
        assert text_after_the_end_of_html(page, ours, theirs)

    def test_a_fragment_s_text_outside_body(self) -> None:
        page = "<p>one</p></body><p>two</p>"
        ours, theirs = of_ours(page), of_reference(page)
        assert ([row[0] for row in ours], [row[0] for row in theirs]) == (["one", "two"], ["one"])
        assert first_element_of_a_fragment(page, ours, theirs)

    @pytest.mark.parametrize(("depth", "is_lost"), [(200, False), (300, True)])
    def test_text_nested_deeper_than_250_elements(self, depth: int, is_lost: bool) -> None:
        page = f"<html><body><p>one</p>{'<div>' * depth}two"
        assert [row[0] for row in of_ours(page)] == ["one", "two"]
        assert [row[0] for row in of_reference(page)] == (["one"] if is_lost else ["one", "two"])

    @pytest.mark.parametrize("page", ["", " ", "<!-- x -->"], ids=repr)
    def test_pages_without_an_element(self, page: str) -> None:
        assert of_ours(page) == []
        with pytest.raises(Exception):  # noqa: B017, PT011  (several of lxml's own)
            of_reference(page)


QUIRKS = [
    "<p>one\n two  three", "<p><b>one</b> <i>two</i>",
    "<section>A</section><section>B</section>",
    "<p>one &#13; two &#10; three", "<form>one<p>two</p>three</form>four",
    "<p>one<br><b></b><br>two<br><br>three<br>\n<br>four",
    "<p><a>one <a>two</a> three</a> four",
    "<div><a>one<div><a>two</a>three</div>four</a>five</div>",
    "<select><option>one</select>two<textarea>three</textarea>four<button>five</button>",
    "<selectors>one<p>two</p></selectors><p>three",
    "<h2>one<div>two</div></h2><h7>three</h7>",
    "<svg><text>one</text></svg>two<noscript>three</noscript><iframe>four</iframe>",
    "<object>one<param>two</object>three<embed>four<layer>five</layer>",
    "<link rel=stylesheet>one<style>x</style><script>x</script><base>two",
    "<p>© one</p><p>&amp;copy two</p>",
    "<p hidden>one</p><pre>two\n  three</pre>",
    "<?pi x?>one<!-- x -->two<?pi x?><br><?pi x?><br>three",
    "<p> <a> one </a> </p>",
    "<p>one\x0btwo\x1fthree\x85four\u2028five\u3000six",
]  # fmt: skip


@pytest.mark.parametrize("body", QUIRKS)
def test_quirks_are_kept(body: str) -> None:
    page = f"<html><head></head><body>{body}"
    assert of_ours(page) == of_reference(page)
    assert of_ours(page)


STRUCTURE = ("html", "body", "head", "frameset", "noframes", "plaintext", "title")
pieces = (
    st.sampled_from([text for text in TEXTS if "\ufdd0" not in text and "\ufdd1" not in text and "FDD" not in text])
    | st.sampled_from([tag for tag in TAGS if tag not in STRUCTURE]).map("<{}>".format)
    | st.sampled_from([tag for tag in TAGS if tag not in STRUCTURE]).map("</{}>".format)
    | st.sampled_from(["<!-- x -->", "<?pi x?>", "<br><br>", "<a href=x>", "<link rel=stylesheet>", "<p hidden>"])
)


@given(st.lists(pieces, min_size=1, max_size=25).map("".join))
def test_markup_thrown_together_is_read_the_same(body: str) -> None:
    page = f"<html><head></head><body>{body}"
    ours = [
        (b.text, b.is_heading, b.tags_count, b.link_characters, b.context_free_class.value, b.block_class.value)
        for b in extract(page, language="English", profile="justext-3.0").blocks
    ]
    theirs = [
        (p.text, p.heading, p.tags_count, p.chars_count_in_links, CLASSES[p.cf_class], CLASSES[p.class_type])
        for p in justext.justext(page, STOPLIST)
    ]
    assert ours == theirs


@pytest.mark.parametrize(
    "options",
    [
        {"length_low": 0},
        {"length_low": 30, "length_high": 100},
        {"stopwords_low": 0.1, "stopwords_high": 0.2},
        {"stopwords_low": 0.5, "stopwords_high": 0.5},
        {"max_link_density": 0.0}, {"max_link_density": 1.0}, {"max_heading_distance": 0},
        {"max_heading_distance": 1_000}, {"no_headings": True},
    ],
    ids=str,
)  # fmt: skip
def test_every_threshold_means_the_same(options: dict[str, Any]) -> None:
    differing = 0
    far = f"<html><body><h2>Far</h2><p>{'lamp ' * 100}</p><p>{'the lamp ' * 40}</p>"
    for text in [far, *map(read_page, DEMO_PAGES[::3])]:
        ours = of_ours(text, **options)
        assert ours == of_reference(text, **options)
        differing += ours != by_default(text)
    assert differing, "no page is touched by this option"
