"""Pages that would take too much are refused before they do."""

import pickle
from typing import Any

import pytest
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_justext import extract
from scrapy_justext.core.parsing import check_attributes
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import PageError, PageLimitError
from tests.products import in_part

#: 30,000 attributes of different names.
NAMES = [f"a{number}" for number in range(30_000)]
MANY = " ".join(NAMES)
SOME = " ".join(NAMES[:1000])
#: Data as scripts hold them: to a tag in which they stood, they would be attributes.
DATA = '{"title": "The bridge", "text": "A bridge of steel over the river, built in a hurry", "year": 1848},\n' * 20_000


def refusal(page: str, **options: Any) -> tuple[str, str]:
    """The reason and the message of the error that a page gives."""
    with pytest.raises(PageLimitError) as caught:
        extract(page, **options)
    return caught.value.reason, str(caught.value)


REFUSED = {
    "in one tag": f"<p {MANY}>x",
    "with values": "<p " + "".join(f"{name}=1 " for name in NAMES) + ">x",
    "with quoted values": "<p " + "".join(f'{name}="x y"' for name in NAMES) + ">x",
    "after a value with an end in it": f'<p x="a > b" {MANY}>x',
    "after a value in single quotes": f"<p x='a > b' {MANY}>x",
    "after a value with white space before it": f'<p x =\n"a > b" {MANY}>x',
    "with an end in each value": "<p " + "".join(f'{name}=">"' for name in NAMES) + ">x",
    "with a tag in each value": "<p " + "".join(f'{name}="</p><p>"' for name in NAMES) + ">x",
    "with white space before each value": "<p " + "".join(f'{name}= {" " * 50}">"' for name in NAMES) + ">x",
    "with long values between": "<p " + "".join(f'{SOME[:1500]} x="{"<p>" * 700}" ' for _ in range(200)) + ">x",
    "between slashes": f"<p {'/'.join(NAMES)}>x",
    "after a quote in a value without quotes": f'<p x=a" y=">" {MANY}>x',
    "after a name with an equals sign": f'<p =" y=">" {MANY}>x',
    "behind a quote in a comment": f'<!-- <p a=" --> <p b=">" {MANY}> <!-- " -->x',
    "behind a script": f'<script>x="<p y=</script><p {MANY}>x',
    "behind a string of a script": f'<script>x=">" y="</script>" <p {MANY}>x',
    "behind as many in a script, which ends in a value": (
        '<script>x=">" y="</script>"' + "".join(f'{name}=">"' for name in NAMES[:15_000]) + f'<p z=">" {MANY}>x'
    ),
    "in a tag without an end": f"<p {MANY}",
    "in many tags": f"<p {SOME}>x" * 1000,
    "with NULs": f"<\0p {MANY}>x",
}

ALLOWED = {
    "in one tag": f"<p {' '.join(NAMES[:15_000])}>x{'y' * 100_000}",
    "in several tags": f"<p {SOME}>x" * 100,
    "in a script": f"<script>for (i = 0; i<n; i++) {{}}; data = [{DATA}]</script><p>x",
    "in a script, behind a tag in a string": f'<script>x = "<p>"; data = [{DATA}]</script><p>x',
    "in a comment": f"<!-- <p {MANY} --><p>x{'y' * 100_000}",
    "in text": f"a < b and a <{DATA.replace('>', '')}",
    "in a value": f"<p title='{DATA.replace('>', '')}'>x",
    "in tags as they are": '<p class="a b" title="a > b"><a href="/?x=1&y=2">x</a>' * 10_000,
}


@pytest.mark.parametrize("shape", in_part(REFUSED, 3))
def test_too_many_attributes_are_refused_before_they_are_parsed(shape: str) -> None:
    with pytest.raises(PageLimitError) as caught:
        check_attributes(REFUSED[shape].replace("\0", "").encode())
    assert caught.value.reason == "too_many_attributes"


@pytest.mark.parametrize("shape", ALLOWED)
def test_text_that_looks_like_attributes_is_allowed(shape: str) -> None:
    check_attributes(ALLOWED[shape].encode())


def test_a_page_of_any_kind_is_refused() -> None:
    page = REFUSED["with NULs"]
    url = "http://example.org/"
    for given in (
        page,
        page.encode(),
        HtmlResponse(url, body=page.encode(), encoding="utf-8"),
        HtmlResponse(url, body=page.encode("utf-16"), encoding="utf-16"),
    ):
        with pytest.raises(PageError, match="too many attributes in its elements"):
            extract(given)


@pytest.mark.full
def test_a_tree_is_not_refused() -> None:
    root = etree.fromstring(f"<body>{REFUSED['in one tag']}", etree.HTMLParser())
    assert [block.text for block in extract(root).blocks] == ["x"]


@pytest.mark.parametrize("profile", PROFILES)
def test_blocks_are_counted_before_they_are_made(profile: str) -> None:
    # BODY is a block-level element, too.
    page = "<body>" + "<p>x" * 9
    assert len(extract(page, profile=profile, max_blocks=10).blocks) == 9
    refused = refusal(page, profile=profile, max_blocks=9)
    assert refused == ("too_many_blocks", "more blocks than max_blocks allows, 9")


MATH = "<math><mi>x</mi></math>"


@pytest.mark.parametrize("profile", ["justext", "learned"])
@pytest.mark.parametrize("formula", [MATH, r"$\alpha_1$ and ", r"$$\alpha_1$$ and ", r"\(\alpha_1\) and "])
def test_there_may_be_as_many_formulas_as_blocks(formula: str, profile: str) -> None:
    page = "<p>" + formula * 9
    assert extract(page, profile=profile, max_blocks=9).blocks
    refused = refusal(page, profile=profile, max_blocks=8)
    assert refused == ("too_many_blocks", "more formulas than max_blocks allows, 8")


@pytest.mark.parametrize("profile", ["justext", "learned"])
@pytest.mark.parametrize(
    "formula",
    [
        "<math>{}</math>", "<math><math>{}</math>", "<m:math>{}</m:math>", "<mjx-container>{}</mjx-container>",
        "<span class=katex><span><math>{}</math></span></span>",
        "<script type=math/mml><math>{}</math></script>",
        "<span class=MathJax data-mathml='<math>{}</math>'></span>",
    ],
)  # fmt: skip
def test_there_may_be_four_elements_of_formulas_for_each_block(formula: str, profile: str) -> None:
    own = formula.count("<math") or 1
    pages = [f"<p>x{formula.format('<mi>x</mi>' * (number - own))}" for number in (20, 21)]
    assert extract(pages[0], profile=profile, max_blocks=5).blocks
    message = "more elements of formulas than max_blocks allows, 4 for each of 5 blocks"
    assert refusal(pages[1], profile=profile, max_blocks=5) == ("too_many_blocks", message)
    assert extract(pages[1], profile=profile).blocks


@pytest.mark.parametrize("profile", PROFILES)
def test_there_may_be_four_marks_of_inline_elements_for_each_block(profile: str) -> None:
    assert extract("<p>" + "<a href=/>x</a>" * 6, profile=profile, max_blocks=5).blocks
    message = "more inline elements than max_blocks allows, 4 marks for each of 5 blocks"
    assert refusal("<p>" + "<a href=/>x</a>" * 11, profile=profile, max_blocks=5) == ("too_many_blocks", message)


@pytest.mark.parametrize("page", ["<p></p>" * 9, "x<br><br>" * 9, "<table><tr>" * 9])
def test_empty_elements_and_pairs_of_br_count_as_blocks(page: str) -> None:
    with pytest.raises(PageLimitError):
        extract(page, max_blocks=9)


def test_without_a_limit_any_number_of_blocks_is_allowed() -> None:
    assert len(extract("<p>x" * 1000).blocks) == 1000


def test_the_error_comes_out_of_a_process_as_it_was() -> None:
    error = pickle.loads(pickle.dumps(PageLimitError("too_many_blocks", "more")))
    assert (error.reason, str(error)) == ("too_many_blocks", "more")
