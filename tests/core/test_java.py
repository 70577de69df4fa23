"""The Java port: images, headlines, SELECT, and what it does not take out."""

from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.reading.rules import JAVA
from tests.builders import cut, prose, texts

GOOD = prose(250, stopwords=10)
NEAR_GOOD = prose(150, stopwords=10)
FEW = prose(150, stopwords=2)


def judged(html: str, **thresholds: Any) -> str:
    """Tag of each block, with the first letters of its context-free class and its class."""
    found = extract(f"<body>{html}", stoplist=["the"], profile="justext-java", **thresholds)
    return " ".join(f"{b.tag}:{b.context_free_class.value[0]}{b.block_class.value[0]}" for b in found.blocks)


# Images (alt, then what is expected of the image's block), by what stands before and after it.
IMG = "<img src=a.png alt='a photo'>"
NEAR = f"{IMG}<p>{GOOD}"
FAR = f"{IMG}<p>{'x' * 201}<p>{GOOD}"
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("an image is bad", NEAR, {}, "img:bb p:gg"),
    ("with images it is a border", NEAR, {"rescue_images": True}, "img:bg p:gg"),
    ("between good blocks it is good with images", f"<p>{GOOD}</p>{NEAR}", {"rescue_images": True}, "p:gg img:bg p:gg"),
    ("and without headings", f"<p>{GOOD}</p>{NEAR}", {"rescue_images": True, "no_headings": True}, "p:gg img:bg p:gg"),
    ("but not without a good block near enough ahead", f"<p>{GOOD}</p>{FAR}", {"rescue_images": True},
     "p:gg img:bb p:bb p:gg"),
    ("an image cuts the context", f"<p>{GOOD}</p>{IMG}<p>{NEAR_GOOD}</p>{IMG}<p>{GOOD}</p>", {},
     "p:gg img:bb p:nb img:bb p:gg"),
    ("with images it does not", f"<p>{GOOD}</p>{IMG}<p>{NEAR_GOOD}</p>{IMG}<p>{GOOD}</p>", {"rescue_images": True},
     "p:gg img:bg p:ng img:bg p:gg"),
    ("an image in a heading is an image", f"<h2>{IMG}</h2><p>{GOOD}", {}, "img:bb p:gg"),
    ("an image in a headline, too", f"<h1>{IMG}</h1>", {}, "img:bb"),
    ("a headline is good", "<h1>Short", {}, "h1:gg"),
    ("however few its stop words", f"<h1>{FEW}", {}, "h1:gg"),
    ("not with no_headlines", "<h1>Short", {"no_headlines": True}, "h1:sb"),
    ("no_headings does not switch it off", "<h1>Short", {"no_headings": True}, "h1:gg"),
    ("a block inside a headline", "<h1><div>Short</div></h1>", {}, "div:gg"),
    ("links come first", "<h1><a>Short</a>", {}, "h1:bb"),
    ("the copyright sign comes first", "<h1>© Short", {}, "h1:bb"),
    ("so does its entity", "<h1>&amp;copy; Short", {}, "h1:bb"),
    ("half an entity is none", "<h1>&amp;copy Short", {}, "h1:gg"),
    ("a second-level heading is no headline", "<h2>Short", {}, "h2:sb"),
    ("a headline makes a heading before it near-good", "<h2>Short</h2><h1>One</h1>", {"no_headings": True},
     "h2:sb h1:gg"),
    ("options are bad", f"<select><option>{GOOD}</select>", {}, "option:bb"),
    ("text behind a SELECT is not", f"<select><option>x</select>{GOOD}", {}, "option:bb body:gg"),
    ("inside SELECT is inside the element itself", f"<selectx><p>{GOOD}</selectx>", {}, "p:gg"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "thresholds", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_java_port_s_rules(html: str, thresholds: dict[str, Any], expected: str) -> None:
    assert judged(html, **thresholds) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one <img src=a.png alt=two> three", ["one", "two", "three"]),
        ("<p>one<img>two", ["one", "", "two"]),
        ("<img src=a alt='  two\n  words '>", ["two words"]),
        ("<a>one <img alt=two> three</a>", ["one", "two", "three"]),
        ("<p>one<br><img><br>two", ["one", "", "two"]),
        ("<section>one</section><section>two</section>", ["onetwo"]),
        ("<form>one</form><textarea>two</textarea>three", ["one", "two", "three"]),
        ("<p hidden>one</p><button>two</button><noscript>three</noscript>", ["one", "twothree"]),
        ("<p>one\n  two", ["one two"]),
        ("<p>one <select>two</select> three", ["one two three"]),
        ("<p>one<script>x</script><style>y</style>", ["one"]),
        ("<p>a<img alt='\ufdd0x\ufdd1<'>b", ["a", "\ufdd0x\ufdd1<", "b"]),
    ],
)
def test_where_blocks_end(html: str, expected: list[str]) -> None:
    assert texts(f"<body>{html}", JAVA) == expected


def test_an_image_s_block_carries_its_url_and_alt() -> None:
    html = "<body><p>text</p><img src=' /a.png ' alt=' a\nphoto '><img>"
    text, photo, bare = extract(html, language="English", profile="justext-java", paths=True).blocks
    assert (text.image_url, text.image_alt) == (None, None)
    assert (photo.image_url, photo.image_alt, photo.text, photo.tag) == ("/a.png", "a photo", "a photo", "img")
    assert (bare.image_url, bare.image_alt, bare.characters, bare.word_count) == ("", "", 0, 0)
    assert (photo.xpath, bare.dom_path) == ("/html[1]/body[1]/img[1]", "html.body.img")


def test_images_are_no_text_of_other_profiles() -> None:
    html = f"<body><p>{GOOD}<img alt=photo src=a> more</p>"
    for profile in ("justext", "justext-3.0", "boilerpipe"):
        [block] = extract(html, stoplist=["the"], profile=profile).blocks
        assert block.text == f"{GOOD} more"
        assert block.image_url is None


def test_good_images_say_what_saved_them_and_give_no_empty_paragraph() -> None:
    html = f"<body><p>{GOOD}</p><img><p>{GOOD}</p>"
    found = extract(html, stoplist=["the"], profile="justext-java", rescue_images=True)
    assert [b.block_class.value for b in found.blocks] == ["good"] * 3
    assert found.paragraphs == [GOOD, GOOD]
    html = f"<body><p>{GOOD}</p><img alt=x><p>{'y' * 50}</p><p>{GOOD}</p>"
    image = extract(html, stoplist=["the"], profile="justext-java", rescue_images=True).blocks[1]
    assert image.reason == "image, good block 50 characters ahead; between good blocks"


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<a>one <img alt='two words'> three</a>", [(3, 1), (9, 2), (5, 1)]),
        ("<a>one</a><img alt=two>", [(3, 1), (0, 0)]),
    ],
)
def test_an_image_in_a_link_is_a_link_s(html: str, links: list[tuple[int, int]]) -> None:
    assert [(segment.link_characters, segment.link_words) for segment in cut(f"<body>{html}", JAVA)] == links


@pytest.mark.parametrize(
    ("html", "inside"),
    [
        ("<select><option>a<option>b</select>c", [True, True, False]),
        ("<p>a <select><option>b</select> c", [False, True, False]),
        ("<select> text</select>", [True]),
        ("<p><b></b><a></a><select> text</select>", [True]),
        ("<select><optgroup><option>a</select><p>b", [True, False]),
    ],
)
def test_select_is_an_inline_element_that_is_remembered(html: str, inside: list[bool]) -> None:
    assert [segment.in_select for segment in cut(f"<body>{html}", JAVA)] == inside
