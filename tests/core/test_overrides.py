"""Blocks whose class the user chose, by where they stand or what they say."""

from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import ParameterError
from tests.builders import SECONDS, classes_of, lines_run, processor_seconds, prose

A = prose(250, stopwords=10)
N = prose(150, stopwords=10)
S = "short"
FEW = prose(150, stopwords=2)


CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("dropped by its own class", f"<p class=x>{A}<p>{A}", {"drop_css": ".x"}, "bg"),
    ("dropped inside an element", f"<div class=x><section><p>{A}</section></div><p>{A}", {"drop_css": ".x"}, "bg"),
    ("kept by its own class", f"<p class=x>{FEW}", {"keep_css": ".x"}, "g"),
    ("kept inside an element", f"<div class=x><p>{FEW}</p><p>{S}</p></div>", {"keep_css": "div.x"}, "gg"),
    ("dropped inside of what is kept", f"<div class=x><p>{A}<p class=y>{A}</div>", {"keep_css": ".x", "drop_css": ".y"},
     "gb"),
    ("dropped around what is kept", f"<div class=y><p>{A}<p class=x>{A}</div>", {"keep_css": ".x", "drop_css": ".y"},
     "bb"),
    ("neighbours of a dropped block", f"<p>{A}<p>{N}<p class=x>{A}<p>{S}<p>{A}", {"drop_css": ".x"}, "ggbbg"),
    ("neighbours of a kept block", f"<p>{S}<p>{N}<p class=x>{FEW}", {"keep_css": ".x"}, "bgg"),
    ("a dropped heading is not rescued", f"<h2 class=x>{S}</h2><p>{A}", {"drop_css": "h2"}, "bg"),
    ("a heading is rescued by a kept block", f"<h2>{S}</h2><p class=x>{FEW}", {"keep_css": ".x"}, "gg"),
    ("by its text", f"<p>By Jo<p>{A}<p>by no means {N}", {"drop_text": "^By "}, "bgg"),
    ("by its text anywhere", f"<p>{A} Subscribe now {A}<p>{A}", {"drop_text": "(?i)subscribe"}, "bg"),
    ("text counts more than a selector that keeps", f"<p class=x>{A}", {"keep_css": ".x", "drop_text": "the"}, "b"),
    ("text on one line", f"<pre>{A}\nof\nx", {"drop_text": "of x$"}, "b"),
    ("a whole block in an inline element", f"<p><span class=x>{A}</span><p>{A}", {"drop_css": ".x"}, "bg"),
    ("a part of a block in one", f"<p><span class=x>{A}</span> more<p>{A}", {"drop_css": ".x"}, "gg"),
    ("one of several between BRs", f"<p>{A}<br><br><b class=x>{A}</b><br><br>{N}", {"drop_css": "b"}, "gbb"),
    ("several in one inline element", f"<p><b>{A}<br><br>{A}</b><br><br>{A}", {"drop_css": "b"}, "bbg"),
    ("the same text outside", f"<div><b>{A}</b><br><br>{A}<p>{A}<b>x</b></div>", {"drop_css": "b"}, "bgg"),
    ("text beside a block in an inline element", f"<div><span><p>{A}</p>{A}</span>{S}<br><br>{A}</div>",
     {"drop_css": "span"}, "bgg"),
    ("behind the end of HTML", f"<p>{A}</html><p><b>{A}</b>", {"drop_css": "b"}, "gb"),
    ("behind the end of HTML and a comment", f"<p>{A}</html><!-- x --><p><b>{A}</b>", {"drop_css": "b"}, "gb"),
    ("an element without text", f"<div><b></b><br><br>{A}<b> </b></div>", {"drop_css": "b"}, "g"),
    ("one that is removed", f"<div><svg>x</svg>{A}</div><b>{A}</b>", {"drop_css": "svg, b"}, "gb"),
    ("inline elements around blocks", f"<span class=x><p>{A}</p></span><p>{A}", {"drop_css": ".x"}, "bg"),
    ("inline in inline", f"<p><b><b>{A}</b></b>", {"drop_css": "b"}, "b"),
    ("several selectors in one", f"<p class=x>{A}<p class=y>{A}<p>{A}", {"drop_css": ".x, .y"}, "bbg"),
    ("several selectors", f"<p class=x>{A}<p class=y>{A}<p>{A}", {"drop_css": [".x", ".y"]}, "bbg"),
    ("a selector that matches nothing", f"<p>{A}", {"drop_css": ".x"}, "g"),
    ("a selector of what is removed", f"<p>{A}<script class=x>{A}</script>", {"drop_css": ".x"}, "g"),
    ("text behind the end of HTML", f"<p>{A}</body></html><p class=x>{A}", {"drop_css": ".x"}, "gb"),
    ("the whole page", f"<p>{A}<p>{A}", {"drop_css": "html"}, "bb"),
    ("a host whose text is in a slot", f"<x-a class=x>{A}<template shadowrootmode=open><p>{A}</p><p><slot></slot></p>"
     f"</template><i class=y>x</i>{A}</x-a><p>{A}", {"drop_css": ".x", "keep_css": ".y"}, "bbg"),
    ("what is kept survives the tree filter", f"<div><div><p>{A}<p>{A}</div></div><div><div><p class=x>{A}</div></div>",
     {"keep_css": ".x", "tree_depth": 2}, "ggg"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "rules", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rules_decide_before_the_context(html: str, rules: dict[str, Any], expected: str) -> None:
    assert classes_of(html, **rules) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_rules_work_with_any_profile(profile: str) -> None:
    text = "The light of the lamp by the door fell on the floor of the hall, and the dog in the light. " * 4
    html = f"<h1 class=x>Title</h1><p>{text}<p class=x>{text}<p class=y>x</p>"
    assert classes_of(html, profile=profile, drop_css=".x", keep_css=".y") == "bgbg"


def test_a_dropped_image_stays_bad() -> None:
    html = f"<p>{A}</p><img class=x alt=one><p>{A}</p>"
    assert classes_of(html, profile="justext-java", rescue_images=True, drop_css=".x") == "gbg"
    assert classes_of(html, profile="justext-java", rescue_images=True) == "ggg"
    assert classes_of(html, profile="justext-java", keep_css="img") == "ggg"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({"drop_css": ["nav", "p.x"]}, "drop_css p.x"),
        ({"keep_css": "p"}, "keep_css p"),
        ({"drop_text": ["zzz", "th+e"]}, "drop_text th+e"),
    ],
    ids=str,
)
def test_the_reason_names_the_rule(rules: dict[str, Any], reason: str) -> None:
    [block] = extract(f"<body><p class=x>{A}", stoplist=["the"], **rules).blocks
    assert block.reason == reason
    assert block.context_free_class is block.block_class


SELECTORS = ["p::text", "p >", "", "[x=", "svg|p", "div " * 2000, 3, None]
PATTERNS = ["(", "*x", "a{99999999999}", "(" * 5000 + ")" * 5000, 3, None, b"x"]
#: What is no rule: the parameter, the value, and what it must be.
NO_RULES: list[tuple[str, Any, str]] = [
    *((name, [selector], "a CSS selector") for name in ("keep_css", "drop_css") for selector in SELECTORS),
    *(("drop_text", [pattern], "a regular expression") for pattern in PATTERNS),
    *((name, rules, "a string or several") for name in ("keep_css", "drop_css", "drop_text")
     for rules in (5, None, b"x")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rules", "allowed"), NO_RULES)
def test_what_is_no_rule_is_an_error(name: str, rules: Any, allowed: str) -> None:
    parameters: dict[str, Any] = {name: rules}
    with pytest.raises(ParameterError, match=f"must be {allowed}") as caught:
        extract("", **parameters)
    assert (caught.value.name, caught.value.value) == (name, rules[0] if isinstance(rules, list) else rules)


@pytest.mark.parametrize(
    "html",
    ["<div class=x>one" * 11, "<b class=x>one" * 11, "<p><b class=x>one</b>" * 11, "<b class=x>one</b><br><br>" * 11],
)
def test_the_work_grows_with_the_page(html: str) -> None:
    def work(times: int) -> int:
        return lines_run(lambda: extract(html * times, stoplist=["the"], drop_css=".x", keep_css="div"))

    work(1)
    assert work(32) < 40 * work(1)


@pytest.mark.parametrize(
    "character", ["\x01", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\ufffe", "\ufdd0", "&#12;", "&#1;"]
)
@pytest.mark.parametrize("rule", ["keep_css", "drop_css"])
def test_inline_elements_on_pages_with_control_characters(rule: str, character: str) -> None:
    html = f"<p>some {character} text <span class=k>by Joe</span></p><p><span class=k>by {character} Joe</span></p>"
    for page in (html, html.encode()):
        part, whole = extract(page, language="English", **{rule: [".k"]}).blocks  # type: ignore[arg-type]
        assert rule not in part.reason
        assert whole.reason.startswith(rule)
        assert whole.is_good is (rule == "keep_css")


@pytest.mark.full
def test_what_several_selectors_find_is_not_compared_with_one_another() -> None:
    page = f"<p>{'<b>x</b><i>y</i>' * 100_000}"
    assert processor_seconds(lambda: extract(page, language="none", keep_css="b, i")) < SECONDS


def test_a_text_is_searched_on_one_line_in_every_profile() -> None:
    for profile in PROFILES:
        found = extract(f"<p>{A} cookie\npolicy {A}", profile=profile, language="English", drop_text="cookie policy")
        assert [block.reason for block in found.blocks] == ["drop_text cookie policy"]
