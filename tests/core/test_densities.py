"""Stop-word densities of a language's own: where they hold, and where the published ones or the user's do."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.densities import Density, find_threshold, is_label, join, pairs, passing
from scrapy_justext import extract
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.language_table import STOPWORD_DENSITIES
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import find_library, shipped_folder, stoplist_words
from scrapy_justext.core.unsegmented import WITH_THRESHOLDS

if TYPE_CHECKING:
    from pathlib import Path

PUBLISHED = (0.3, 0.32)
TURKISH = (0.18, 0.2)
#: A quarter of the words are Turkish stop words, and as many English ones.
THIN = "<p>" + "ve qmasa qkapı qyol " * 15
THIN_ENGLISH = "<p>" + "and qtable qdoor qroad " * 15


def densities(language: str, **choices: Any) -> tuple[float, float]:
    extractor = Extractor(language=language, **choices)
    found = extractor.thresholds_for(extractor.options.library.find(language))
    return found.stopwords_low, found.stopwords_high


@pytest.mark.parametrize("profile", PROFILES)
def test_only_profiles_of_today_s_rules_have_them(profile: str) -> None:
    own = profile in {"justext", "article"}
    assert densities("Turkish", profile=profile) == (TURKISH if own else PUBLISHED)
    assert densities("English", profile=profile) == PUBLISHED


@pytest.mark.parametrize("profile", ["justext", "article", "justext-3.0", "justext-java"])
def test_thin_prose_is_good_by_those_of_its_language(profile: str) -> None:
    own = profile in {"justext", "article"}
    [block] = extract(THIN, language="Turkish", profile=profile).blocks
    assert block.is_good is own
    assert not extract(THIN_ENGLISH, language="English", profile=profile).text


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, TURKISH), ({"length_low": 10}, TURKISH), ({"max_link_density": 0.5}, TURKISH),
        ({"stopwords_low": 0.25}, (0.25, 0.32)), ({"stopwords_high": 0.4}, (0.3, 0.4)),
        ({"stopwords_low": 0.3}, PUBLISHED), ({"stopwords_high": 0.32}, PUBLISHED),
        ({"stopwords_low": 0.1, "stopwords_high": 0.5}, (0.1, 0.5)),
    ],
)  # fmt: skip
def test_what_the_user_sets_holds_in_every_language(chosen: dict[str, Any], expected: tuple[float, float]) -> None:
    assert densities("Turkish", **chosen) == expected
    extractor = Extractor(language="Turkish").with_thresholds(**chosen)
    [language] = extractor.options.candidates or ()
    found = extractor.thresholds_for(language)
    assert (found.stopwords_low, found.stopwords_high) == expected
    # What is set afterwards holds beside what was set before.
    later = Extractor(language="Turkish", **chosen).with_thresholds(length_high=300).thresholds_for(language)
    assert (later.stopwords_low, later.stopwords_high, later.length_high) == (*expected, 300)


def test_the_thresholds_of_a_script_give_way_in_the_same_way() -> None:
    extractor = Extractor(language="Chinese")
    [language] = extractor.options.candidates or ()
    assert extractor.thresholds_for(language).length_high == 25
    assert extractor.with_thresholds(length_high=90).thresholds_for(language).length_high == 90


def test_own_words_have_the_published_ones(tmp_path: Path) -> None:
    shipped = shipped_folder() / "Turkish.txt"
    assert densities("Turkish", stoplist=sorted(stoplist_words(shipped))) == PUBLISHED
    for name, expected in (("German", TURKISH), ("tr", PUBLISHED)):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(shipped, folder / f"{name}.txt")
        assert densities("Turkish", stoplists_dir=folder) == expected
    assert densities("Turkish", stoplists_dir=shipped_folder()) == TURKISH


def test_the_reason_shows_the_limit_in_force_by_whomever_a_page_is_judged() -> None:
    extractor = Extractor(language="Turkish")
    page = extractor.read(THIN)
    assert extractor.judge(page).extraction().blocks[0].reason == "stop-word density 0.25 >= 0.2, 299 > 200 characters"
    tried = extractor.with_thresholds(stopwords_high=0.5).judge(page).extraction()
    assert tried.blocks[0].reason == "stop-word density 0.25 < 0.3"
    assert extractor.with_thresholds(length_low=10).judge(page).extraction().blocks[0].is_good


def test_each_page_has_those_of_its_own_language() -> None:
    extractor = Extractor(language=["Turkish", "English"])
    assert [
        extractor.extract(f"<html lang={lang}>{text}").blocks[0].is_good
        for lang, text in (("tr", THIN), ("en", THIN_ENGLISH))
    ] == [True, False]


def test_they_are_of_lists_with_spaces_and_never_above_the_defaults() -> None:
    library = find_library()
    apart = {"en", *(script.code for script in WITH_THRESHOLDS)}
    for code, own in STOPWORD_DENSITIES.items():
        assert library.get(code).code == code
        assert code not in apart
        assert Thresholds(**own).stopwords_high < PUBLISHED[1]  # type: ignore[arg-type]
        assert own["stopwords_high"] - own["stopwords_low"] == pytest.approx(0.02)


class TestMeasuring:
    """How ``benchmarks/densities.py`` comes to them."""

    def test_as_much_prose_passes_as_in_english_and_sources_count_alike(self) -> None:
        english = [0.5] * 9 + [0.3]
        source = [Density(density, own) for density, own in zip(english, [0.4] * 4 + [0.25] * 5 + [0.1], strict=True)]
        assert find_threshold([source]) == 0.25
        assert passing((density.own for density in source), 0.25) == passing(english, 0.32)
        assert find_threshold([source, [Density(0.5, 0.2)] * 3]) == 0.2

    def test_what_is_left_in_english_is_not_compared(self) -> None:
        english: dict[object, str] = {1: "Open the door", 2: "the door and the window", 3: "Close", 4: ""}
        own: dict[object, str] = {1: "Kapıyı  aç", 2: "the door and pencere", 3: "Close", 4: "boş", 5: "yeni"}
        assert list(pairs(english, own)) == [("Open the door", "Kapıyı aç")]

    def test_blocks_are_long_in_both_languages(self) -> None:
        found = join([("the door " * 9, "ve kapı " * 20)] * 6, frozenset({"ve"}))
        assert found == [Density(0.5, 0.5)] * 2

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Open file", True),
            ("A label of four", True),
            ("One of five words now", False),
            ("Stop.", False),
            ("open", False),
        ],
    )
    def test_labels(self, text: str, expected: bool) -> None:
        assert is_label(text) is expected
