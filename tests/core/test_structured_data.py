"""Text that stands in JSON-LD and in the state of scripts: what is read, and when it is added to a page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree

from scrapy_justext import Extraction, extract
from scrapy_justext.core import structured_data
from tests.builders import SECONDS, lines_run, processor_seconds
from tests.core.learned.pages import PROSE

COPPER = "The kettle is made from one sheet of copper, and it is tinned by hand. "
PRODUCT = COPPER * 3
CHINESE = "这把铜壶由一整块铜板打造而成，内壁以手工镀锡，壶柄为胡桃木。"
ARTICLE = f"<article><h1>Harbour</h1>{f'<p>{PROSE * 4}</p>' * 4}</article>"


def linked(data: object, before: str = "", after: str = "") -> str:
    """A script of JSON-LD."""
    return f'<script type="application/ld+json">{before}{json.dumps(data)}{after}</script>'


def product(description: object, kind: object = "Product") -> str:
    return linked({"@type": kind, "description": description})


def state(value: str) -> str:
    """A script that begins with an assignment."""
    return f"<script>window.page = {value}</script>"


def read(page: str, **options: Any) -> Extraction:
    return extract(f"<html><body>{page}", **{"profile": "learned", "language": "English"} | options)


def added(page: str, **options: Any) -> list[str]:
    """The good texts that a page's data give."""
    return [block.text for block in read(page, **options).blocks if block.origin != "page" and block.is_good]


# When it is added.


def test_a_pattern_of_the_user_s_drops_it_and_says_so() -> None:
    found = read(product(f"<p>{PRODUCT}</p><p>{PROSE}</p>"), drop_text="copper")
    assert [(str(block.block_class), block.reason) for block in found.blocks] == [
        ("bad", "drop_text copper"),
        ("good", "from json-ld, as the page has only 0 < 200 characters of content"),
    ]
    found = read(product(f"<p>{PRODUCT}</p><p>{PROSE}</p>"), drop_text="copper", markdown=True)
    assert found.markdown.strip() == PROSE.strip()


@pytest.mark.parametrize("rules", [{"good_probability": 1.0}, {"drop_css": "article"}, {"drop_text": "harbour"}])
def test_content_that_the_user_made_bad_is_there_all_the_same(rules: dict[str, Any]) -> None:
    found = read(f"{ARTICLE}{product(PRODUCT)}", **rules)
    assert {block.origin for block in found.blocks} == {"page"}
    assert PROSE.strip() not in found.text


def test_an_element_s_data_are_those_inside() -> None:
    root = etree.HTML(f"<div id=a><p>Kettle</p></div><div id=b>{product(PRODUCT)}</div>")
    first, other = root.iter("div")
    of_a, of_b = (extract(element, profile="learned").text for element in (first, other))
    assert PRODUCT.strip() not in of_a
    assert of_b == PRODUCT.strip()
    script = next(root.iter("script"))
    assert extract(script, profile="learned").text == PRODUCT.strip()


def test_text_of_a_bad_block_is_not_lost() -> None:
    page = f"<footer><ul><li><a href=/x>{COPPER}</a></ul></footer>{product(COPPER)}"
    assert not any(block.is_good for block in read(page).blocks if block.origin == "page")
    assert added(page) == [COPPER.strip()]


def test_what_is_there_is_not_added_again_however_it_is_cut() -> None:
    page = "<article><h1>Kettle</h1><p>The kettle is made from one sheet of copper,</p><p>and it is tinned by hand.</p>"
    assert "copper" in read(page, good_probability=0).text
    assert added(page + product(COPPER), good_probability=0) == []
    assert added(page + product([COPPER, f"{PROSE}Kettle"]), good_probability=0) == [f"{PROSE}Kettle"]


def test_what_the_user_dropped_does_not_come_back() -> None:
    page = f"<div class=ad>{COPPER}</div>{product([COPPER, PROSE])}"
    assert added(page, drop_css=".ad") == [PROSE.strip()]
    page = f"<div id=other>{product(PROSE * 3)}</div>{product(PRODUCT)}"
    assert added(page, drop_css="#other") == [PRODUCT.strip()]
    assert added(page, drop_css="script") == []


# How it is read.


def written(description: str) -> str:
    """A script of JSON-LD with a description as it stands there."""
    return f'<script type="application/ld+json">{{"description": "{description}"}}</script>'


COOKIES = (
    "We use cookies and similar techniques to give you the best experience. By clicking on accept you consent to "
    "all of them. You can change this at any time. Read our privacy policy. Some of them are set by third parties."
)
FORM = (
    "Please enter a valid email address. This field is required. Your password must have at least 8 characters. "
    "Something went wrong while we were saving what you have written, and we are sorry. Please try again later on."
)
JOB = (
    "At least five years of practice are required. You must have a driving licence, and must be at least 18. "
    "Please provide a letter, too. The choice of the tools is yours, and so is that of the hours. It is not far."
)
#: What messages to the user are named.
MESSAGES = ("cookieText", "gdpr", "errorMessage", "validation-hint")
RECIPE = "Soft cookies with brown butter. " * 8
EN = {"@value": PRODUCT, "@language": "en"}
SCRIPT = "<script>let a = 1;<\\/script>"
SCRIPT_OF_ENTITIES = "&lt;script&gt;let a = 1;&lt;/script&gt;"

#: The product's text in JSON-LD: how it stands there, and the page.
LINKED = {
    "code before it": written(f"{SCRIPT}<p>{PRODUCT}<\\/p>"),
    "a style before it": written(f"<style>p {{{{ color: red }}}}<\\/style>{SCRIPT}<p>{PRODUCT}<\\/p>"),
    "code in entities before it": written(f"{SCRIPT_OF_ENTITIES}<p>{PRODUCT}<\\/p>"),
    "code in entities of entities": written(f"{SCRIPT_OF_ENTITIES.replace('&', '&amp;')}<p>{PRODUCT}<\\/p>"),
    "a comment before it": written(f"<!-- let a = 1; --><SCRIPT async>let a = 1;<\\/SCRIPT><p>{PRODUCT}<\\/p>"),
    "a list": product([PRODUCT]),
    "a value": product({"@value": PRODUCT}),
    "values in two languages": product([EN, {"@value": PROSE * 2, "@language": "de"}]),
    "languages": product({"en": PRODUCT, "de": PROSE * 2}),
    "lists in languages": product({"en": [PRODUCT], "de": [PROSE * 2]}),
    "CDATA": linked({"description": PRODUCT}, "<![CDATA[", "]]>"),
    "CDATA in comments": linked({"description": PRODUCT}, "\n//<![CDATA[\n", "\n//]]>\n"),
    "CDATA in other comments": linked({"description": PRODUCT}, "/*<![CDATA[*/", "/*]]>*/"),
    "a comment of HTML": linked({"description": PRODUCT}, "<!--\n", "\n-->"),
    "a comment of HTML and of JavaScript": linked({"description": PRODUCT}, "<!--", "//-->"),
    "a semicolon": linked({"description": PRODUCT}, "", ";"),
    "a mark": linked({"description": PRODUCT}, " \ufeff ", " \n"),
    **{f"a thing {kind}": product(PRODUCT, kind) for kind in ("Product", "http://schema.org/JobPosting", None, 3,
     {"a": 1}, ["Thing", 4])},
    **{f"the vocabulary {name}": linked({f"{name}description": [{"@value": PRODUCT}]})
     for name in ("schema:", "http://schema.org/", "https://schema.org/")},
}  # fmt: skip
#: The same in the state of scripts.
EMBEDDED = {
    "JSON.parse": state(f"JSON.parse({json.dumps(json.dumps({'d': PRODUCT}))})"),
    "JSON.parse with apostrophes": state("JSON.parse('" + json.dumps({"d": PRODUCT}) + "')"),
    "an object of JavaScript": state(f"{{d: '{PRODUCT}'}}"),
    "JSON in an object": state(f"{{d: {json.dumps(json.dumps([1, PRODUCT]))}}}"),
    "React's": state(json.dumps("5:" + json.dumps(["$", "div", None, {"children": PRODUCT}]))),
    "escapes": state("'\\x3cp\\x3e" + PRODUCT + "\\x3c/p\\x3e'"),
    "a script of JSON": f'<script type="application/json">{json.dumps({"d": PRODUCT})}</script>',
    **{f"beside {name}": state(json.dumps({name: "x", "body": PRODUCT})) for name in MESSAGES},
}
#: Pages, and the texts that they give.
READ: dict[str, tuple[str, list[str]]] = {
    **{name: (page, [PRODUCT.strip()]) for name, page in (LINKED | EMBEDDED).items()},
    "nothing but a script": (product(f"&lt;script&gt;{PRODUCT}"), []),
    "markup that is not closed": (
        linked([{"description": f"<!-- {COPPER}"}, {"description": PROSE}, {"description": f"<p>{PRODUCT}"}]),
        [PROSE.strip(), PRODUCT.strip()],
    ),
    "a body in parts, before a short description": (
        linked({"@type": "Article", "description": PROSE, "articleBody": [COPPER, f"{COPPER} Truly."]}),
        [COPPER.strip(), f"{COPPER}Truly."],
    ),
    **{
        f"what a page is not about: {kind}": (product(PRODUCT, kind), [])
        for kind in (
            "Organization", "http://schema.org/Organization", "https://schema.org/WebSite", "schema:Organization",
            "NewsMediaOrganization", ["Thing", "schema:EducationalOrganization"], "organization",
        )
    },
    # In units, not characters.
    "60 units in Chinese": (product("铜" * 20), ["铜" * 20]),
    "57 units in Chinese": (product("铜" * 19), []),
    "60 Latin letters": (product("x" * 60), ["x" * 60]),
    "59 Latin letters": (product("x" * 59), []),
    "Chinese in a state": (state(json.dumps({"d": (CHINESE * 5)[:144]})), [(CHINESE * 5)[:144]]),
    "Chinese without escapes": (
        state(json.dumps({"d": (CHINESE * 5)[:144]}, ensure_ascii=False)), [(CHINESE * 5)[:144]],
    ),
    "too little Chinese in a state": (state(json.dumps({"d": CHINESE * 2})), []),
    "escapes of strings": (
        state(f"'{PRODUCT}It\\'s \\u00e9l\\xe9gant \\- \\\"so\\\"'"), [f'{PRODUCT}It\'s élégant - "so"'],
    ),
    "an apostrophe that begins no string": (
        f'<script>/* don\'t */ a = "{PRODUCT}It\'s here."; b = "x\'y"</script>', [f"{PRODUCT}It's here."],
    ),
    "a message on cookies": (state(json.dumps({"d": COOKIES})), []),
    "a message of a form": (state(json.dumps({"d": FORM})), []),
    "a recipe": (state(json.dumps({"description": RECIPE})), [RECIPE.strip()]),
    "a job": (state(json.dumps({"description": JOB})), [JOB]),
    **{
        f"named as a message: {name}, {type(value).__name__}": (state(json.dumps({name: value})), [])
        for name in MESSAGES
        for value in (PRODUCT, [PRODUCT])
    },
}  # fmt: skip


@pytest.mark.parametrize(("page", "expected"), READ.values(), ids=READ)
def test_texts_are_read_as_they_were_meant(page: str, expected: list[str]) -> None:
    assert added(page) == expected


@pytest.mark.parametrize("message", [COOKIES, FORM], ids=["cookies", "form"])
def test_a_long_text_with_a_message_in_it_is_none(message: str) -> None:
    assert len(message) >= 200
    assert added(state(json.dumps({"d": f"{PROSE * 14}{message}"}))) != []


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Caf&eacute; &amp; bar&nbsp;", "Café & bar"),
        ("Caf&amp;eacute; &amp;amp; bar", "Café & bar"),
        ("&lt;p&gt;Caf&eacute;&lt;/p&gt;", "Café"),
        ("&amp;lt;p&amp;gt;Caf&amp;eacute;&amp;lt;/p&amp;gt;", "Café"),
        ("<p>Caf&eacute;</p>", "Café"),
        ("<p>Caf&amp;eacute;</p>", "Café"),
        ("3 < 4 &amp; 5 &gt; 4 &lt; 7", "3 < 4 & 5 > 4 < 7"),
        ("&#67;af&#xe9; &copyright &#" + "9" * 5000 + ";", "Café &copyright &#" + "9" * 5000 + ";"),
        ("Caf\ud83d\ude00\ud83d", "Caf😀\ufffd"),
    ],
)
def test_entities_are_written_out(written: str, text: str) -> None:
    assert added(product(f"{written} {PRODUCT}")) in ([f"{text} {PRODUCT.strip()}"], [text, PRODUCT.strip()])


@pytest.mark.parametrize("description", [{"en": PROSE, "de": PRODUCT}, {"en": PROSE, "de-AT": PRODUCT}])
def test_of_several_languages_that_of_the_page_is_read(description: object) -> None:
    found = extract(f"<html lang=de-DE><body>{product(description)}", profile="learned", language="English")
    assert found.paragraphs == [PRODUCT.strip()]


def test_a_chinese_page_of_70_characters_shows_enough() -> None:
    page = f"<article><h1>铜壶</h1><p>{(CHINESE * 3)[:70]}</p></article>{product(PRODUCT)}"
    assert added(page, good_probability=0) == []


# The language.


@pytest.mark.parametrize("source", [product(PRODUCT), state(json.dumps({"d": PRODUCT}))])
@pytest.mark.parametrize("shown", ["", "<p>Home</p>", "<p>Stol i kuća</p>"])
def test_the_language_is_distinguished_from_the_data_too(source: str, shown: str) -> None:
    found = read(f"{shown}{source}", language="auto")
    assert (found.language, found.language_source) == ("en", "detected")
    block = found.blocks[-1]
    assert (block.origin, block.stopword_density > 0.3) == ("json-ld" if "ld+json" in source else "embedded", True)


def test_the_language_of_other_profiles_is_that_of_the_blocks() -> None:
    assert read(product(PRODUCT), language="auto", profile="justext").language == "und"


# Nothing breaks it.


@pytest.mark.parametrize(
    "value",
    [None, True, 1e308, "x" * 99, [], {}, [[[]]], {"@type": {}}, {"description": {"@value": []}}, {"text": [None, {}]}],
)
def test_wrong_types_are_passed_over(value: object) -> None:
    everywhere = {"@graph": value, "@type": value, "articleBody": {"en": value, "@language": 3}, "text": [[value]]}
    assert added(f"{linked(value)}{linked([everywhere])}{product(PRODUCT)}") == [PRODUCT.strip()]


@pytest.mark.parametrize(
    "script",
    [
        "[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "9" * 10_000,
        '{"description": "', "", ";",
    ],
)  # fmt: skip
def test_what_is_no_json_is_passed_over(script: str) -> None:
    assert added(f'<script type="application/ld+json">{script}</script>{product(PRODUCT)}') == [PRODUCT.strip()]


@pytest.mark.parametrize("make", [linked, lambda data: state(json.dumps(data))], ids=["JSON-LD", "state"])
def test_no_more_is_read_than_a_limit_for_the_page(make: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch) -> None:
    things = [{"description": f"{number}. {PRODUCT}"} for number in range(3)]
    monkeypatch.setattr(structured_data, "MOST_READ", 2 * len(make(things[0])))
    assert [text[0] for text in added("".join(map(make, things)))] == ["0", "1"]


@pytest.mark.parametrize(
    "part",
    ["{}", '{"a":1}', '{"text":"x"}', '{"@type":"Thing"}', '{"a":' * 100 + "1" + "}" * 100, "[[[]]]", '"x"', "1"],
)
def test_an_object_costs_a_few_lines(part: str) -> None:
    def work(n: int) -> int:
        page = f'<script type="application/ld+json">[{f"{part}," * n}1]</script><p>x'
        return lines_run(lambda: read(page))

    work(1)
    objects = part.count("{") + part.count("[") + 1
    assert work(300) - work(100) <= 50 * 200 * objects


def test_the_languages_that_a_page_declares_are_read_once() -> None:
    def work(n: int) -> int:
        things = [{"text": {"@value": "x", "@language": "en"}}] * n
        script, languages = json.dumps(things), [f"x{i}" for i in range(n)]
        return lines_run(lambda: list(structured_data.json_ld_texts(script, languages)))

    work(1)
    assert work(320) <= 40 * work(10)


SHAPES: dict[str, Callable[[int], str]] = {
    "scripts": lambda n: product(PRODUCT) * n,
    "scripts in elements that are dropped": lambda n: "<div class=x>" * 40 + product(PRODUCT) * n,
    "descriptions": lambda n: linked([{"description": f"{COPPER} {i}"} for i in range(n)]),
    "descriptions with markup": lambda n: linked([{"description": f"<p>{COPPER} {i}"} for i in range(n)]),
    "state": lambda n: state(json.dumps([f"{PRODUCT} {i}" for i in range(n)])),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_with_the_data_and_no_faster(shape: str) -> None:
    def work(n: int) -> int:
        page = SHAPES[shape](n)

        def once() -> None:
            read(page, drop_css=".y", drop_text="nothing of it")

        once()
        return lines_run(once)

    assert 0 < work(256) <= 40 * work(8)


@pytest.mark.parametrize(
    "part",
    ['"', "'", "\\'", "\\", "\"'", '" \'\\" ', "{'", "<a", '"a" :', "[[", '{"d": "' + PRODUCT + '"},', "&amp;", " '"],
)
def test_long_state_takes_its_time_and_no_more(part: str) -> None:
    page = f"<script>{part * (400_000 // len(part))}</script>"
    # Backtracking would take hours.
    assert processor_seconds(lambda: read(page)) < SECONDS
