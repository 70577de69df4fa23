"""The published methods: ratios, models and scores by hand, and what they extract from pages."""

import lzma
from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.evaluation.extractors import published
from scrapy_justext.evaluation.extractors.base import load_counts, save_counts
from scrapy_justext.evaluation.extractors.names import TRAINED, find_extractor
from scrapy_justext.evaluation.extractors.published import (
    NgramModels,
    TokenBayes,
    best_stretch,
    content_text,
    count_features,
    count_ngrams,
    ngrams,
    smooth,
    split_lines,
    symbols,
    tokens_of,
)
from scrapy_justext.exceptions import ExtractorError
from tests.evaluation.builders import make_document

SENTENCES = {
    "English": "The council said on Tuesday that the bridge, which was closed in 2019, would open again next year. "
    "“We have waited for a long time,” the mayor told reporters, and the people of the town agreed with her. ",
    "Russian": "Городской совет сообщил во вторник, что мост, закрытый в 2019 году, снова откроется в следующем году. "
    "«Мы долго этого ждали», — сказала журналистам мэр, и жители города с ней согласились. ",
}
MENUS = {
    "English": ("Home", "Sports", "Weather", "Contact Us", "Sign In", "Subscribe | 2019"),
    "Russian": ("Главная", "Спорт", "Погода", "Контакты", "Войти", "Подписка | 2019"),
}


def page(language: str) -> str:
    menu = "".join(f"<li><a href=/>{name}</a></li>" for name in MENUS[language])
    story = "".join(f"<p>{SENTENCES[language]}</p>" for _ in range(6))
    return (
        f"<html><head><title>No text</title></head><body><ul>{menu}</ul><div><h1>News</h1>{story}</div><ul>{menu}</ul>"
    )


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("ncleaner", "English"),
        ("ncleaner-nonlexical", "English"),
        ("ncleaner-nonlexical", "Russian"),
        ("mss", "English"),
    ],
)
def test_an_article_and_the_menus_around_it(name: str, language: str) -> None:
    extractor = find_extractor(name)
    text = extractor(make_document(page(language)), None)
    assert text.count(SENTENCES[language].strip()) == 6
    assert not {"Weather", "Погода", "No text"} & {*text.split()}


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("html", ["", "<p>", "<frameset></frameset>", "<!-- nothing -->"])
def test_pages_without_text(name: str, html: str) -> None:
    assert find_extractor(name)(make_document(html), None) == ""


def test_counts_are_read_as_they_were_written(tmp_path: Path) -> None:
    counts = {"б c": (1, 0), "a": (2, 3)}
    files = [tmp_path / "folder" / name for name in ("a.json.xz", "b.json.xz")]
    save_counts(files[0], counts)
    save_counts(files[1], dict(reversed(counts.items())))
    assert load_counts(files[0]) == counts
    assert files[0].read_bytes() == files[1].read_bytes()


DAMAGED = {
    "not compressed": b"{}", "cut": lzma.compress(b'{"a":[1,2]}')[:-9], "not JSON": lzma.compress(b"a"),
    "a list": lzma.compress(b"[]"), "one number": lzma.compress(b'{"a":[1]}'),
    "no numbers": lzma.compress(b'{"a":1}'),
}  # fmt: skip


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_models(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.json.xz"
    file.write_bytes(content)
    with pytest.raises(ExtractorError, match=r"model\.json\.xz is no model"):
        load_counts(file)
    with pytest.raises(ExtractorError, match=r"missing is no model"):
        load_counts(tmp_path / "missing")


# ncleaner

SYMBOLS = {
    "ASCII": ("Ab 1.", "Ab 1.", "aa 1."),
    "other letters": ("éßД中", "ääää", "aaaa"),
    "a mark belongs to its letter": ("e\u0301", "eä", "aa"),
    "digits": ("٣½9", "111", "111"),
    "quotes and dashes": ("‘a’—“b”…", "'a'-\"b\".", "'a'-\"a\"."),
    "other signs": ("€\x00→", "###", "###"),
    "white space": ("a\t\xa0b", "a  b", "a  a"),
}


@pytest.mark.parametrize(("text", "lexical", "non_lexical"), SYMBOLS.values(), ids=SYMBOLS)
def test_symbols(text: str, lexical: str, non_lexical: str) -> None:
    assert symbols(text, is_lexical=True) == lexical
    assert symbols(text, is_lexical=False) == non_lexical


def test_ngrams_of_all_lengths_are_counted_between_the_edges() -> None:
    assert list(ngrams("ab")) == ["\n\na", "\nab", "ab\n"]
    assert count_ngrams(["b", "b"], is_lexical=True) == {"\n\nb": 2, "\nb\n": 2, "\nb": 2, "b\n": 2, "b": 2, "\n": 2}


def make_models(clean: list[str], dirty: list[str]) -> NgramModels:
    sides = [count_ngrams(blocks, is_lexical=True) for blocks in (clean, dirty)]
    names = sides[0].keys() | sides[1].keys()
    return NgramModels({name: (sides[0].get(name, 0), sides[1].get(name, 0)) for name in names}, is_lexical=True)


def test_probabilities_by_hand() -> None:
    models = make_models(["b"], ["cc"])
    # Three characters are known, the edge among them, and one stands for all others.  Each model has met two in its own
    # text: the clean one each once; the dirty one "c" twice and the edge once.
    b = (1 + 2 / 4) / (2 + 2), (0 + 2 / 4) / (3 + 2)
    edge = (1 + 2 / 4) / (2 + 2), (1 + 2 / 4) / (3 + 2)
    # In clean text "b" came after an edge, after two edges, and after nothing else; in dirty text "c" did.
    after_edges = (1 + (1 + b[0]) / 2) / 2, (0 + (0 + b[1]) / 2) / 2
    # After an edge and "b", and after "b", came an edge; dirty text has no "b".
    last = (1 + (1 + edge[0]) / 2) / 2, edge[1]
    expected = log(after_edges[0] * last[0]) - log(after_edges[1] * last[1])
    assert models.log_odds("b") == pytest.approx(expected)


@given(st.lists(st.text("abc "), max_size=4), st.text("abc", max_size=2))
def test_the_probabilities_of_all_characters_are_one(blocks: list[str], context: str) -> None:
    models = make_models(blocks, ["a b c"])
    for side in (0, 1):
        total = sum(models._probability(context + character, side) for character in "abc \nx")
        assert total == pytest.approx(1)


def test_a_block_that_is_as_probable_stays() -> None:
    models = make_models(["one two"], ["one two"])
    assert models.log_odds("one") == 0
    assert models.clean("<p>one</p><p>two") == "one\ntwo"


# mss


def forms(html: str) -> str:
    return " ".join(token.form for token in tokens_of(html))


TOKENS = {
    "words are stemmed, numbers alike": ("<p>Walking, walked: 12 B2B", "<body> <p> walk walk 1 1 </p> </body>"),
    "every tag is closed": ("<p>a<br>b<p>c", "<body> <p> a <br> </br> b </p> <p> c </p> </body>"),
    "attributes do not count": ("<div class=x>a</div>", "<body> <div> a </div> </body>"),
    "what nobody sees": ("<p>a<script>b</script>c<style>d</style><!-- e -->f", "<body> <p> a c f </p> </body>"),
    "nor what is in it": ("<p>a<svg><g><p>b</g></svg>c", "<body> <p> a c </p> </body>"),
    "the head": ("<title>a</title><body>b", "<body> b </body>"),
}


@pytest.mark.parametrize(("html", "expected"), TOKENS.values(), ids=TOKENS)
def test_tokens(html: str, expected: str) -> None:
    assert forms(html) == expected


def test_tokens_have_the_page_between_them() -> None:
    assert (
        "".join(token.text for token in tokens_of("<p>“One, two… <b>three</b>!<br>Four"))
        == "\n\n“One, two… three\n\nFour\n\n"
    )


def test_signs_without_a_word_are_read_in_one_pass() -> None:
    signs = "-" * 300_000
    assert [token.text for token in tokens_of(f"<i>{signs}</i><i>{signs}a{signs}")][4] == f"{signs}a{signs}"


def brute_force(scores: list[int]) -> int:
    return max(sum(scores[low:high]) for low in range(len(scores) + 1) for high in range(low, len(scores) + 1))


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_no_stretch_is_better(scores: list[int]) -> None:
    found = scores[best_stretch(scores)]
    assert sum(found) == brute_force(scores)
    assert sum(found) > 0 or not found


def test_scores_by_hand() -> None:
    tokens = tokens_of("<body>a b")
    content, others = count_features(tokens, slice(1, 3))
    assert content == {"": 2, "a b </body>": 1, "b </body> ": 1, "body": 2}
    assert others == {"": 2, "<body> a b": 1, "</body>  ": 1, "html": 2}
    counts = {name: (content[name], others[name]) for name in content.keys() | others.keys()}
    bayes = TokenBayes(counts)
    scores = list(bayes.scores(tokens))
    assert [score > 0 for score in scores] == [False, True, True, False]
    # As many tokens are content as are not; four trigrams and two names of open tags are known.
    odds = ((1 + 1) / (0 + 1)) * ((2 + 1) / (0 + 1))
    assert scores[1] == pytest.approx(odds / (1 + odds) - 0.5)
    assert bayes.extract("<body>a b") == "a b"


def test_what_was_never_met_tells_nothing() -> None:
    even = TokenBayes({"": (5, 5), "a b c": (1, 0)})
    assert list(even.scores(tokens_of("<p>x y z"))) == [0] * len(tokens_of("<p>x y z"))
    rare = TokenBayes({"": (1, 3)})
    assert list(rare.scores(tokens_of("x"))) == pytest.approx([-0.25] * len(tokens_of("x")))


RATIOS = {
    "no tag: the number of characters": ("abcd", [4]), "characters for each tag": ("<p>abcdef</p>", [3]),
    "tags alone": ("<br><br>", [0]), "no line": ("", []), "empty lines are dropped": ("ab\n\n \t \nabc", [2, 3]),
    "every kind of line end": ("a\r\nab\rabc\nabcd", [1, 2, 3, 4]), "spaces inside a line count": ("a b c", [5]),
    "spaces around a line do not": ("   ab  ", [2]), "characters beyond ASCII do not count": ("caf\u00e9", [3]),
    "a reference counts as written": ("a &amp; b", [9]),
    "a script goes, with the line ends in it": ("a<script>\nvar x;\n</script>bc", [3]),
    "a script in capitals": ("a<SCRIPT src=x>1</SCRIPT >b", [2]),
    "a script without end": ("ab\n<script>\nvar x", [2]), "a comment goes": ("ab<!-- <p>no\nno -->c", [3]),
    "a comment without end": ("ab<!-- no", [2]), "a style sheet stays": ("<style>\np {}\n</style>", [0, 4, 0]),
    "a tag over several lines is one tag of the first": ("<a\nhref=x\n>abc\nab", [3, 2]),
    "a less-than sign is no tag": ("1 < 2 <3", [8]), "a declaration is a tag": ("<!DOCTYPE html>ab", [2]),
}  # fmt: skip


@pytest.mark.parametrize(("html", "ratios"), RATIOS.values(), ids=RATIOS)
def test_ratios(html: str, ratios: list[float]) -> None:
    assert [ratio for _, ratio in split_lines(html)] == ratios


SMOOTHED = {
    "nothing": ([], 2, []),
    "radius 0 changes nothing": ([1, 5, 2], 0, [1, 5, 2]),
    "radius 1": ([3, 0, 6, 9], 1, [1.5, 3, 5, 7.5]),
    "radius 2": ([10, 0, 0, 0, 0, 5], 2, [10 / 3, 2.5, 2, 1, 1.25, 5 / 3]),
    "a radius longer than the values": ([1, 2, 3], 9, [2, 2, 2]),
}


@pytest.mark.parametrize(("values", "radius", "expected"), SMOOTHED.values(), ids=SMOOTHED)
def test_smoothing(values: list[float], radius: int, expected: list[float]) -> None:
    assert smooth(values, radius) == pytest.approx(expected)


#: The radius, a page, and its content.
CONTENT = {
    # Ratios 20, 0, 0, 0: mean 5, standard deviation sqrt((225 + 25 + 25 + 25) / 4) = 8.66.
    "above the standard deviation": (0, "abcdefghijklmnopqrst\n<br>\n<hr>\n<br>", "abcdefghijklmnopqrst"),
    # Ratios 4 and 8: mean 6, standard deviation 2, both above.
    "the threshold is the deviation alone": (0, "abcd\nabcdefgh", "abcd\nabcdefgh"),
    # Ratios 4, 0, 12, 0 around a mean of 4: sqrt((0 + 16 + 64 + 16) / 4) = 4.9.
    "below it": (0, "abcd\n<br>\nabcdefghijkl\n<br>", "abcdefghijkl"),
    # Ratios 0 and 2 smoothed to 1 and 1: deviation 0.
    "smoothing pulls neighbours in": (1, "<b>\u00e9</b>\nab", "\u00e9\nab"),
    # Of 0 and 0 none is above 0.
    "at the threshold": (0, "\u00e9\n\u00e9", ""),
    "markup is gone": (2, "<p>Fish &amp; <b>chips</b> for all of us", "Fish & chips for all of us"),
    "no line": (2, "", ""),
}


@pytest.mark.parametrize(("radius", "html", "text"), CONTENT.values(), ids=CONTENT)
def test_lines_that_are_content(radius: int, html: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert published.RADIUS == 2
    monkeypatch.setattr(published, "RADIUS", radius)
    assert content_text(html) == text


def test_the_extractor_of_ratios() -> None:
    extractor = find_extractor("ttr")
    menu = "<li><a href=/>x</a></li>\n" * 20
    story = "So it goes, and so it went, and so it will go on and on for ever and a day.\n" * 10
    text = extractor(make_document(f"<html>\n<ul>\n{menu}</ul>\n<p>\n{story}</p>\n<ul>\n{menu}</ul>\n</html>"), None)
    assert text.count("So it goes") == 10
    assert text.count("x") <= 4
