"""Languages without spaces: what is covered, how they are told, and what becomes of real text in them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration import CALIBRATED_ON_TEXTS, FILES, SPACED, derive, derive_lengths, read
from scrapy_justext import extract
from scrapy_justext.core.blocks import BlockClass
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import (
    CHINESE,
    KOREAN,
    SCRIPTS,
    WITH_THRESHOLDS,
    covered_characters,
    estimate_words,
    script_of,
    script_of_words,
)
from tests.builders import lines_run

TEXTS = [
    (code, name) for code, names in FILES.items() for of_list in names for name in (of_list, f"validation/{of_list}")
]
NAMES = [name for _, name in TEXTS]


def page(*blocks: str) -> str:
    return "<html><body>" + "".join(f"<p>{block}</p>" for block in blocks)


def one_by_one(text: str, words: frozenset[str]) -> int:
    """Greedy longest match, as it is defined."""
    position = covered = 0
    while position < len(text):
        longest = max((word for word in words if text.startswith(word, position)), key=len, default="")
        covered += len(longest)
        position += max(len(longest), 1)
    return covered


words = st.frozensets(st.text("ab的\U0001f600", min_size=1, max_size=4), max_size=8)


@given(texts=st.lists(st.text("ab的\U0001f600\ud800 ", max_size=30), max_size=5), words=words)
def test_coverage_is_greedy_longest_match(texts: list[str], words: frozenset[str]) -> None:
    assert covered_characters(texts, words) == [one_by_one(text, words) for text in texts]


@pytest.mark.parametrize(
    ("text", "words", "covered"),
    [
        ("我们的书", {"我们", "的"}, 3), ("的话", {"的", "的话"}, 2), ("的话题", {"的", "的话", "话题"}, 2),
        ("不是不", {"不是", "是不"}, 2), ("的的的", {"的"}, 3), ("。，的", {"的"}, 1), ("書", {"的"}, 0),
        ("的", set(), 0), ("", {"的"}, 0),
    ],
)  # fmt: skip
def test_covered_characters(text: str, words: set[str], covered: int) -> None:
    assert covered_characters([text], frozenset(words)) == [covered]


def test_texts_do_not_run_into_one_another() -> None:
    assert covered_characters(["ab", "ab", "", "b"], frozenset({"abab", "b", "ba"})) == [1, 1, 0, 1]


@pytest.mark.parametrize(("code", "name"), TEXTS, ids=NAMES)
@pytest.mark.parametrize("kind", ["good", "boilerplate"])
def test_running_text_is_distinguished_from_boilerplate(code: str, name: str, kind: str) -> None:
    blocks = read(name)[kind]
    found = [b.context_free_class for b in extract(page(*blocks), language=code).blocks]
    assert len(found) == len(blocks) >= 5
    if kind == "boilerplate":
        assert set(found) == {BlockClass.BAD}
    else:
        assert set(found) <= {BlockClass.GOOD, BlockClass.NEAR_GOOD}
        assert found.count(BlockClass.GOOD) >= 0.6 * len(found)


@pytest.mark.parametrize(("code", "name"), TEXTS, ids=NAMES)
@pytest.mark.parametrize("declared", ["", " lang=en"])
def test_the_language_is_found(code: str, name: str, declared: str) -> None:
    for block in read(name)["good"]:
        found = extract(page(block).replace("<html", f"<html{declared}"))
        assert (found.language, found.language_source) == (code, "detected"), block


@pytest.mark.parametrize(("code", "name"), TEXTS, ids=NAMES)
def test_a_whole_page_comes_out_clean(code: str, name: str) -> None:
    texts = read(name)
    half = len(texts["boilerplate"]) // 2
    html = page(*texts["boilerplate"][:half], *texts["good"], *texts["boilerplate"][half:])
    assert extract(html).paragraphs == [" ".join(text.split()) for text in texts["good"]]


@pytest.mark.parametrize(("code", "length"), [("zh", 85), ("ja", 100), ("th", 200)])
def test_a_paragraph_of_that_length_is_good_by_itself(code: str, length: int) -> None:
    paragraphs = [text for name in FILES[code] for text in read(name)["good"] + read(f"validation/{name}")["good"]]
    long_enough = [text[:length] for text in paragraphs if len(text) >= length]
    assert len(long_enough) >= 5
    for text in long_enough:
        [block] = extract(page(text), language=code).blocks
        assert block.context_free_class is BlockClass.GOOD, text


@pytest.mark.parametrize(
    "paragraph",
    [
        "会议强调，要坚持稳中求进工作总基调，统筹推进乡村振兴和新型城镇化，加快建设现代化产业体系，深化重点领域改革，扩大高水平开放，"
        "加强生态环境保护，守住粮食安全底线，推动全市经济高质量发展。",
        "據統計，今年前三季度全縣完成固定資產投資一百二十億元，增長百分之八；社會消費品零售總額九十億元，增長百分之六；"
        "城鎮居民人均可支配收入三萬元，增長百分之五。",
        "昨日下午，某市中级人民法院公开开庭审理某局原局长受贿一案。公诉机关指控，二〇一二年至二〇二〇年，被告人利用职务便利，"
        "为多家企业承揽工程、拨付资金提供帮助，收受财物折合人民币八百万元。",
        "北京时间晚八点，主队三比一战胜客队，豪取四连胜，积分升至榜首，前锋梅开二度，门将高接低挡，最后时刻扑出点球。",
    ],
    ids=["a meeting", "figures", "a trial", "a match"],
)
def test_news_with_few_function_words_are_running_text(paragraph: str) -> None:
    [block] = extract(page(paragraph), language="zh").blocks
    assert block.context_free_class is BlockClass.GOOD, block.reason


KOREAN_PROSE = [
    "어제 오후 시청에서 열린 회의에서 시장은 내년 봄까지 낡은 도서관을 다시 짓겠다고 밝혔다. 공사가 끝날 때까지 "
    "시민들은 근처에 있는 작은 도서관을 이용할 수 있다고 그는 기자들에게 덧붙였다.",
    "그 마을에는 오래된 우물이 하나 있었는데, 사람들은 아침마다 그곳에 모여서 이야기를 나누곤 했다. 그러나 전쟁이 "
    "끝난 뒤에는 아무도 그 우물을 찾지 않았고, 이제는 어디에 있었는지 아는 사람도 거의 없다.",
]


@pytest.mark.parametrize("paragraph", KOREAN_PROSE, ids=["news", "a story"])
def test_a_korean_paragraph_is_long_enough_to_be_good_by_itself(paragraph: str) -> None:
    assert len(paragraph) < 200
    [block] = extract(page(paragraph), language="ko").blocks
    assert (block.context_free_class, block.word_count) == (BlockClass.GOOD, len(paragraph.split())), block.reason


def test_korean_lengths_are_those_of_the_profile_where_the_user_set_one() -> None:
    [block] = extract(page(KOREAN_PROSE[0]), language="ko", length_low=70).blocks
    assert block.context_free_class is BlockClass.NEAR_GOOD
    [block] = extract(page(KOREAN_PROSE[0]), language="ko", profile="justext-3.0").blocks
    assert block.context_free_class is BlockClass.NEAR_GOOD


@pytest.mark.parametrize("script", CALIBRATED_ON_TEXTS, ids=[script.code for script in CALIBRATED_ON_TEXTS])
def test_thresholds_are_those_that_the_texts_give(script: Any) -> None:
    assert derive(script.code) == (script.thresholds, script.characters_per_word)


def test_chinese_characters_a_word_and_korean_lengths_are_those_that_the_texts_give() -> None:
    assert derive(CHINESE.code)[1] == CHINESE.characters_per_word
    lengths, per_word = derive_lengths(KOREAN.code, ("ko",))
    assert lengths.items() <= KOREAN.thresholds.items()
    assert per_word == KOREAN.characters_per_word


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.code for script in SCRIPTS])
def test_every_writing_has_a_stoplist_in_it(script: Any) -> None:
    library = find_library()
    assert script_of_words(library.words(library.get(script.code))) is script


def test_no_other_stoplist_is_taken_for_one() -> None:
    library = find_library()
    scripts = {
        language.code: script for language in library.languages if (script := script_of_words(library.words(language)))
    }
    assert scripts.keys() == {script.code for script in WITH_THRESHOLDS}
    assert {code for code, script in scripts.items() if not script.has_spaces} == {script.code for script in SCRIPTS}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("我们去年在那里住过。", "zh"), ("我們去年在那裡住過。", "zh"), ("去年そこに住んでいました。", "ja"),
        ("カタカナ", "ja"), ("한국어는 띄어쓰기를 합니다.", None), ("Không có gì", None),
        ("Hello 世界, this is mostly English text with two characters.", None),
        ("Python 3 で書かれたコード", "ja"), ("用 Python 写的程序", "zh"), ("ქართული", None), ("", None),
        ("123 456 ...", None),
    ],
)  # fmt: skip
def test_scripts_tell_the_language(text: str, code: str | None) -> None:
    script = script_of(text)
    assert (script and script.code) == code


def test_a_declared_language_tells_chinese_from_japanese_where_kana_are_few() -> None:
    text = "東京都公文書館所蔵史料目録第一巻明治期編 東京市会議事録抜粋の部" * 4
    assert extract(page(text)).language == "zh"
    assert extract(f"<html lang=ja><p>{text}").language == "ja"


@pytest.mark.parametrize("candidates", [["my", "en"], ["en", "bo", "my"], ["zh", "ja", "th", "lo", "km", "my", "bo"]])
def test_one_of_some_is_chosen_by_its_script(candidates: list[str]) -> None:
    found = extract(page(*read("my")["good"]), language=candidates)
    assert (found.language, found.language_source) == ("my", "detected")
    assert extract(page("It was the best of times. " * 9), language=["my", "en"]).language == "en"


@pytest.mark.parametrize(
    ("text", "is_sign"),
    [
        ("版权所有 © 二〇二四", True), ("版权所有 ⓒ 二〇二四", True), ("Ⓒ 山田書店", True),
        ("Copyright（c）2024 山田書店", True), ("（Ｃ）２０２４ 山田書店", True), ("（C） Copyright 山田書店", True),
        ("著作権（c）山田書店", True), ("（a）第一、（b）第二、（c）第三", False), ("（c）", False),
    ],
)  # fmt: skip
def test_the_copyright_sign_of_east_asian_pages(text: str, is_sign: bool) -> None:
    prose = read("zh")["good"][0]
    [block] = extract(page(prose + text), language="zh").blocks
    assert (block.reason == "copyright sign") is is_sign
    assert block.is_good is not is_sign


def test_full_width_white_space_and_punctuation() -> None:
    prose = read("ja")["good"][0]
    [plain] = extract(page(prose), language="ja").blocks
    [spaced] = extract(page(f"\u3000{prose}\u3000\u3000{prose}\u3000"), language="ja").blocks
    assert spaced.text == f"{prose} {prose}"
    assert spaced.context_free_class is plain.context_free_class is BlockClass.GOOD


def test_marks_in_another_order_and_invisible_breaks_change_nothing() -> None:
    # Burmese asat and dot below may be typed in two orders; U+200B stands where a line may break.
    texts = read("my")["good"]
    swapped = [text.replace("\u1037\u103a", "\u103a\u1037") for text in texts]
    assert texts != swapped
    canonical, other = (extract(page(*blocks), language="my").blocks for blocks in (texts, swapped))
    assert [b.stopword_density for b in canonical] == [b.stopword_density for b in other]
    prose = read("km")["good"][0]
    broken = "\u200b".join(prose[i : i + 6] for i in range(0, len(prose), 6))
    first, second = extract(page(prose, broken), language="km").blocks
    assert first.stopword_density == second.stopword_density
    assert second.text == broken


@pytest.mark.parametrize(
    ("text", "words"),
    [("我们在Python里写程序。", 6), ("Python 3 only", 3), ("，", 1), ("我们", 1), ("Python和Java", 3)],
)
def test_words_are_estimated(text: str, words: int) -> None:
    assert estimate_words(text, CHINESE) == words


def test_boilerpipe_counts_estimated_words() -> None:
    texts = read("zh")
    found = extract(page(*texts["good"]), language="zh", profile="boilerpipe")
    assert [b.is_good for b in found.blocks] == [True] * len(texts["good"])
    [linked] = extract(f"<p><a>{texts['good'][0]}</a>", language="zh", profile="boilerpipe").blocks
    assert linked.reason == "words in links 1 > 0.333333"


def test_a_threshold_that_was_given_holds_in_every_language() -> None:
    text = read("zh")["good"][0][:60]
    assert [b.reason for b in extract(page(text), language="zh").blocks] == [
        f"stop-word density {_density(text):.3g} >= 0.12, 60 > 25 characters"
    ]
    [block] = extract(page(text), language="zh", length_high=100).blocks
    assert block.reason.startswith("short (60 < 70 characters)")
    [block] = extract(page(text), language="zh", stopwords_high=0.9).blocks
    assert "0.3" in block.reason


def _density(text: str) -> float:
    library = find_library()
    return covered_characters([text], library.words(library.get("zh")))[0] / len(text)


def test_own_words_without_spaces_are_counted_so_but_in_the_reference_profile() -> None:
    [block] = extract(page("我们的书在这里" * 10), stoplist=["我们", "的", "在"]).blocks
    assert block.stopword_density == pytest.approx(4 / 7)
    [block] = extract(page("我们的 书在 这里"), stoplist=["我们的"], profile="justext-3.0").blocks
    assert (block.stopword_density, block.word_count) == (1 / 3, 3)


@pytest.mark.parametrize("code", SPACED)
def test_the_added_lists_know_their_languages(code: str) -> None:
    texts = read(code)
    assert all(b.is_good for b in extract(page(*texts["good"]), language=code).blocks)
    assert not any(b.is_good for b in extract(page(*texts["boilerplate"]), language=code).blocks)


def test_the_work_grows_with_the_text() -> None:
    prose = read("th")["good"][0]

    def work(times: int) -> int:
        return lines_run(lambda: extract(page(*[prose] * times), language="th"))

    work(1)
    assert work(640) <= 80 * work(10)
