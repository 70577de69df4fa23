"""Which language a page is judged in, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from py3langid.langid import LanguageIdentifier

from scrapy_justext import Extraction, extract
from scrapy_justext.core import languages
from scrapy_justext.core.extraction import part_of
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.language_table import CONFIRMED_FROM, UNLISTED, normalise
from scrapy_justext.core.languages import CONFIRMING_CHARACTERS, MOST_TAGS, SAMPLE_CHARACTERS, declared_tags, detect
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import script_of_words
from scrapy_justext.exceptions import ParameterError, UnknownNameError

GERMAN = "Der Hund und die Katze sind im Garten, und es ist ein schöner Tag für alle, die hier wohnen."
AMHARIC = "አማርኛ የኢትዮጵያ የሥራ ቋንቋ ነው። ዛሬ አየሩ በጣም ጥሩ ነው። ወደ ውጭ ወጥተን እንሂድ። ልጆቹ በትምህርት ቤት ናቸው። " * 5
CEBUANO = (
    "Ang lungsod sa Sugbo usa ka dako nga lungsod sa Pilipinas. Kini ang sentro sa negosyo ug kultura sa Kabisay-an "
    "ug adunay daghang mga tawo nga nagpuyo dinhi. Ang mga tawo sa lungsod nagsulti og Sinugboanon."
)

TEXTS = {
    "en": "It was the best of times, it was the worst of times, and we had everything before us.",
    "de": GERMAN,
    "fr": "Il était une fois dans un petit village une fille qui aimait lire des livres sous le grand chêne.",
    "es": "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, vivía un hidalgo de los de lanza.",
    "cs": "Byl jednou jeden král, který měl tři dcery a nevěděl, kterou z nich má nejraději ze všech.",
    "el": "Μια φορά κι έναν καιρό ήταν ένας βασιλιάς που είχε τρεις κόρες και δεν ήξερε ποια αγαπούσε.",
    "ru": "Жили-были старик со старухой у самого синего моря, они жили в ветхой землянке ровно тридцать лет.",
    "ar": "كان يا ما كان في قديم الزمان ملك له ثلاث بنات وكان يحبهن كثيرا ولا يعرف من منهن يحب أكثر",
    "hi": "एक समय की बात है कि एक राजा था जिसकी तीन बेटियाँ थीं और वह उनसे बहुत प्यार करता था।",
    "ko": "옛날 옛적에 한 왕이 살았는데 그에게는 세 딸이 있었고 그는 그들을 매우 사랑했습니다.",
}


def chosen(extraction: Extraction) -> tuple[str, str]:
    return extraction.language, extraction.language_source


def page(text: str, lang: str | None = None) -> str:
    return (f'<html lang="{lang}">' if lang else "<html>") + f"<body><p>{text}</p></body></html>"


class TestDetected:
    @pytest.mark.parametrize(("code", "text"), TEXTS.items(), ids=TEXTS)
    def test_by_the_text(self, code: str, text: str) -> None:
        extraction = extract(page(text))
        assert chosen(extraction) == (code, "detected")
        assert extraction.language_reason.startswith("probability ")

    @pytest.mark.parametrize("code", ["yue", "wuu"])
    def test_written_cantonese_and_wu_are_chinese(self, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
        # So the detector calls Chinese among much code, where the script does not tell.
        monkeypatch.setattr(languages, "detect", lambda _: {code: 0.9, "en": 0.1})
        assert chosen(extract(page("npm install 依赖 --save-dev && npm run build"))) == ("zh", "detected")

    def test_by_so_many_characters_of_them_at_the_most(self, monkeypatch: pytest.MonkeyPatch) -> None:
        samples: list[str] = []

        def detect(sample: str) -> dict[str, float]:
            samples.append(sample)
            return {"en": 1.0}

        monkeypatch.setattr(languages, "detect", detect)
        extract("<p>" + "x" * 9 + "</p>" + "".join(f"<p>{c * 150}</p>" for c in "abcdefg"))
        extract("<body>" + "".join(f"<p>{c * 20}</p>" for c in "abcdefg"))
        assert [sample.split() for sample in samples] == [[c * 120 for c in "abcde"], [c * 20 for c in "abcde"]]
        assert SAMPLE_CHARACTERS == 600

    def test_not_by_the_longest_block_alone(self) -> None:
        """An imprint in German, longer than each paragraph; a quotation in Greek, of a fifth of the text."""
        paragraphs = "".join(f"<p>{TEXTS['en'] * n}" for n in (2, 2, 3, 3))
        for code, times in (("de", 4), ("el", 2)):
            extraction = extract(f"<html lang=en><body>{paragraphs}<p>{TEXTS[code] * times}")
            assert extraction.language == "en"

    def test_probabilities_sum_to_one(self) -> None:
        probabilities = detect(GERMAN)
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-3)
        assert max(probabilities, key=probabilities.__getitem__) == "de"


ENGLISH = TEXTS["en"] + " "
SHORT = "Danas je lijep dan."
MENU = "<ul>" + "<li>Home</li><li>About us</li><li>The news</li>" * 30 + "</ul>"
ABSTRACT = "This article describes how goods are delivered, and what can be done about it. " * 4
CHINESE = (
    "本文先介绍了有关物流的理论，然后分析了目前存在的问题，最后提出了一些可以改进的办法，希望能对大家有所帮助。" * 3
)
COMMAND = "docker run --rm --name=prometheus -p 9090:9090 prom/prometheus # the port of the server\n" * 5
ABOUT_IT = "这里我们先把旧的容器停掉，然后再用新的配置把它启动起来，就可以看到结果了。"
SOME = {"language": ["French", "de", "es", "Czech"]}
CLOSE = {"language": ["hr", "bs"]}
OTHERS = {"language": ["de", "en"]}
CONTENT_LANGUAGE = '<meta http-equiv="Content-Language" content="bs">'
DETECTED, DECLARED, GIVEN, FALLBACK = "detected", "declared", "given", "fallback"

#: Pages with options, and the language that each is judged in, with its source.
CHOSEN: dict[str, tuple[str, dict[str, Any], tuple[str, str]]] = {
    **{f"declared as {lang}": (page(GERMAN, lang), {}, ("de", DETECTED)) for lang in ("en", "fr", "de", "xx", "ceb")},
    "declared as nothing": (page(GERMAN, ""), {}, ("de", DETECTED)),
    "by the longest blocks": (f"<body>{MENU}<p>{GERMAN}</p>", {}, ("de", DETECTED)),
    "a short text in a dense script is longer than one in letters": (
        f"<p>{ABSTRACT}<p>{CHINESE}<p>{CHINESE}", {}, ("zh", DETECTED),
    ),
    "by prose beside code": (
        f"<p>{ABOUT_IT}<pre>{COMMAND}</pre><p>{ABOUT_IT}<pre>{COMMAND}</pre>", {}, ("zh", DETECTED),
    ),
    "by preformatted prose where there is no other": (
        f"<ul><li>Home<li>About us</ul><pre>{GERMAN * 8}</pre>", {}, ("de", DETECTED),
    ),
    # The declaration decides between what the text leaves open.
    "short, in Croatian": (page(SHORT, "hr"), {}, ("hr", DETECTED)),
    "short, in Bosnian": (page(SHORT, "bs"), {}, ("bs", DECLARED)),
    "short, in Bosnian of Bosnia": (page(SHORT, "bs-BA"), {}, ("bs", DECLARED)),
    "short, in what is not declared": (page(SHORT), {}, ("hr", DETECTED)),
    "declared in META": (f"<head>{CONTENT_LANGUAGE}</head><p>{SHORT}", {}, ("bs", DECLARED)),
    "one that the detector does not know, where its stop words fit": (page(CEBUANO, "ceb"), {}, ("ceb", DECLARED)),
    **{f"English words in the list of {lang}": (page(ENGLISH * 5, lang), {}, ("en", DETECTED))
       for lang in ("tr", "fi", "ko", "te")},
    "a wrong declaration of one without a list": (page(AMHARIC, "en"), {}, ("am", FALLBACK)),
    "nothing": ("", {}, ("und", FALLBACK)),
    # Among some.
    **{f"{code} among some": (page(TEXTS[code]), SOME, (code, DETECTED)) for code in ("de", "fr", "es", "cs")},
    "the declared one among close ones": (page(SHORT, "bs"), CLOSE, ("bs", DECLARED)),
    **{f"{lang} is declared, among close ones": (page(SHORT, lang), CLOSE, ("hr", DETECTED))
       for lang in ("hr", "de", "sr")},
    **{f"one that the detector does not know, among {names}": (page(CEBUANO), {"language": names}, ("ceb", DETECTED))
       for names in (["Cebuano", "English"], ["en", "ceb"], ["de", "en", "ceb"])},
    **{f"English, among {names}": (page(TEXTS["en"]), {"language": names}, ("en", DETECTED))
       for names in (["Cebuano", "English"], ["en", "ceb"], ["de", "en", "ceb"])},
    "the declared one of some, without text": (page("", "en"), OTHERS, ("en", DECLARED)),
    "the first of some, without text": (page("", "fr"), OTHERS, ("de", GIVEN)),
    "the first of some, with nothing": (page(""), OTHERS, ("de", GIVEN)),
    "one alone": (page(GERMAN), {"language": ["en"]}, ("en", GIVEN)),
    **{f"given as {name}": (page(TEXTS["en"], "en"), {"language": name}, ("de", GIVEN))
       for name in ("German", "de", "ger")},
    # Without stop words.
    **{f"{code} without stop words": (page(TEXTS[code]), {"language": "none"}, (code, DETECTED))
       for code in ("de", "fr", "ru")},
    "a script of no known language, without stop words": (page("ᎠᎡᎢ " * 90), {"language": "none"}, ("und", GIVEN)),
}  # fmt: skip


@pytest.mark.parametrize(("html", "options", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_which_language_it_is(html: str, options: dict[str, Any], expected: tuple[str, str]) -> None:
    found = extract(html, **options)
    assert chosen(found) == expected
    language = options.get("language")
    if language == "none":
        assert (found.language_reason or "").startswith("none: stop words do not count; ")
        assert set(found.column("stopword_density")) == {0.0}
    elif isinstance(language, str):
        assert found.language_reason == "given"


@pytest.mark.parametrize("text", [GERMAN, AMHARIC])
def test_none_but_those_given_is_chosen(text: str) -> None:
    assert extract(page(text), language=["en", "nl"]).language in {"en", "nl"}


class TestDeclared:
    def test_the_reason_tells_that_the_declaration_decided(self) -> None:
        reason = extract(page(SHORT, "bs")).language_reason
        assert "declared" in reason
        assert "probability 0." in reason

    def test_outside_the_page_too(self) -> None:
        extractor, html = Extractor(), page(SHORT)
        assert chosen(extractor.extract(html, languages=["bs"])) == ("bs", "declared")
        assert chosen(extractor.extract(html)) == ("hr", "detected")

    @pytest.mark.parametrize(
        ("values", "tags"),
        [
            ([], []), ([""], []), (["en"], ["en"]), (["en-GB", "de, fr"], ["en-GB", "de", "fr"]),
            ([" de ;fr\n"], ["de", "fr"]), (["de, fr", "de"], ["de", "fr"]),
            ([", ".join(f"x{i}" for i in range(999))], [f"x{i}" for i in range(MOST_TAGS)]),
        ],
    )  # fmt: skip
    def test_tags(self, values: list[str], tags: list[str]) -> None:
        assert declared_tags(values) == tags


BOSNIAN = (
    "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su obdarena razumom i sviješću i "
    "treba da jedno prema drugome postupaju u duhu bratstva. "
)
DANISH = (
    "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de "
    "bør handle mod hverandre i en broderskabets ånd. "
)


class TestPartsOfPages:
    """Blocks in another language than the page's."""

    @pytest.mark.parametrize("code", ["de", "fr", "cs", "el", "ru", "ar", "ja"])
    def test_stop_words_or_the_script_tell_it(self, code: str) -> None:
        japanese = "朝の港は静かで、夜のうちに過ぎた嵐のことを話す人はいなかった。" * 2
        own, other = TEXTS["en"] * 9, {**TEXTS, "ja": japanese}[code] * 4
        found = extract(f"<p>{own}<p>{other}<p>{own}<p>{other[:90]}", profile="boilerpipe")
        assert found.language == "en"
        assert found.column("language") == [None, code, None, None]
        assert [*found.languages] == ["en", code]
        assert sum(found.languages.values()) == pytest.approx(1, abs=0.002)
        assert {row["language"]: row["share"] for row in part_of(found, "languages")} == found.languages

    def test_the_page_is_in_one_language(self) -> None:
        found = extract(page(TEXTS["de"] * 5))
        assert (found.column("language"), found.languages) == ([None], {"de": 1.0})
        assert extract("").languages == {}

    def test_what_nothing_tells_is_in_the_language_of_the_page(self) -> None:
        found = extract(f"<p>{TEXTS['en'] * 9}<p>{'Harwick brokkel stanza tremolo ' * 12}")
        assert found.column("language") == [None, None]

    def test_a_page_in_no_known_language_may_have_parts_in_others(self) -> None:
        found = extract(f"<p>{AMHARIC * 5}<p>{TEXTS['en'] * 5}")
        assert found.column("language") == [None, "en"]


class TestConfirmed:
    """A declared language whose stop words the text is full of needs no detector."""

    @pytest.fixture
    def samples(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Return what the detector was asked for."""
        samples: list[str] = []

        def note(sample: str) -> dict[str, float]:
            samples.append(sample)
            return detect(sample)

        monkeypatch.setattr(languages, "detect", note)
        return samples

    @pytest.mark.parametrize("code", ["en", "de", "fr", "cs", "el", "ru", "ar"])
    def test_the_detector_is_not_asked(self, code: str, samples: list[str]) -> None:
        extraction = extract(page(TEXTS[code] * 5, code))
        assert chosen(extraction) == (code, "declared")
        assert extraction.language_reason.startswith("confirmed by its stop words, 0.")
        assert not samples

    @pytest.mark.parametrize(("words", "asked"), [(30, 0), (29, 1)])
    def test_from_a_density_on(self, words: int, asked: int, samples: list[str]) -> None:
        assert CONFIRMED_FROM["en"] == 0.3
        text = " ".join(["the"] * words + ["xyz"] * (100 - words))
        extract(page(text, "en"))
        assert len(samples) == asked

    @pytest.mark.parametrize(("characters", "source"), [(300, "declared"), (299, "detected")])
    def test_from_a_length_on(self, characters: int, source: str) -> None:
        assert CONFIRMING_CHARACTERS == 300
        assert chosen(extract(page((ENGLISH * 4)[:characters], "en"))) == ("en", source)

    @pytest.mark.parametrize(
        ("text", "lang", "language"),
        [(BOSNIAN, "hr", "hr"), (BOSNIAN, "bs", "bs"), (DANISH, "nb", "da"), (DANISH, "da", "da")],
    )
    def test_close_languages_are_left_to_the_detector(
        self, text: str, lang: str, language: str, samples: list[str]
    ) -> None:
        assert extract(page(text * 4, lang)).language == language
        assert len(samples) == 1

    @pytest.mark.parametrize("lang", ["en", "de"])
    def test_two_languages_in_a_text_are_left_to_the_detector(self, lang: str, samples: list[str]) -> None:
        extract(
            page("The bridge of stones was closed by workers again. Brücken werden von Arbeitern gesperrt. " * 4, lang)
        )
        assert len(samples) == 1

    @pytest.mark.parametrize(("lang", "code"), [("en, de", "de"), ("de, en", "de"), ("en, fr", "de")])
    def test_one_of_several_that_are_declared(self, lang: str, code: str) -> None:
        assert extract(page(GERMAN * 5, lang)).language == code

    def test_among_those_to_choose_from(self, samples: list[str]) -> None:
        assert chosen(extract(page(GERMAN * 5, "de"), language=["en", "de"])) == ("de", "declared")
        assert not samples
        assert extract(page(GERMAN * 5, "de"), language=["en", "nl"]).language in {"en", "nl"}
        assert len(samples) == 1

    def test_the_densities_are_those_of_stoplists_with_spaces(self) -> None:
        library = find_library()
        for code in CONFIRMED_FROM:
            language = library.get(code)
            script = script_of_words(library.words(language))
            assert language.code == code
            assert script is None or script.has_spaces


class TestFallback:
    def test_a_language_without_a_list_is_judged_without_stop_words(self) -> None:
        extraction = extract(page(f"{AMHARIC}</p><p>አጭር</p><p><a href=x>{AMHARIC}</a>"))
        assert chosen(extraction) == ("am", "fallback")
        assert extraction.language_reason.startswith("no stoplist for am")
        assert [b.block_class.value for b in extraction.blocks] == ["good", "bad", "bad"]

    @pytest.mark.parametrize("text", ["", "<!-- x -->", "<img>"])
    def test_no_text_at_all(self, text: str) -> None:
        extraction = extract(page(text))
        assert chosen(extraction) == ("und", "fallback")
        assert extraction.language_reason == "no text to tell, nothing declared"
        assert chosen(extract(page(text, "fr"))) == ("fr", "declared")
        assert chosen(extract(page(text, "am"))) == ("und", "fallback")


UNKNOWN_SCRIPTS = {
    "Cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏂᏣᎳᎩ ᏧᏂᏬᏂᎯᏍᏗ ᎢᎩ ᎠᏂᏴᏫᏯ ᎤᏂᏬᏂᎯᏍᏗ ᏂᎦᎵᏍᏗᎭ ᎠᎹᏰᏟ. ",
    "Thaana": "ދިވެހިރާއްޖެއަކީ އިންޑިޔާ ކަނޑުގައި އޮންނަ ޖަޒީރާ ޤައުމެކެވެ މި ޤައުމުގެ ވެރިރަށަކީ މާލެއެވެ. ",
    "Yi": "ꆈꌠꁱꂷ ꀉꉬꄒꂰ ꊿꂷꃅꄿꐨꐥ ꆈꌠꁱꂷ ꀉꉬꄒꂰ ꊿꂷꃅꄿꐨꐥ ꆈꌠꁱꂷ ꀉꉬꄒꂰ ꊿꂷꃅꄿꐨꐥ. ",
    "Canadian syllabics": "ᐃᓄᒃᑎᑐᑦ ᓄᓇᕗᒥ ᐅᖃᐅᓯᖓᓐᓂᒃ ᐃᓕᓴᐃᓂᖅ ᐃᓄᒃᑎᑐᑦ ᓄᓇᕗᒥ ᐅᖃᐅᓯᖓᓐᓂᒃ. ",
    "Tifinagh": "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⵓⵜⵍⴰⵢⵜ ⵏ ⵉⵎⴰⵣⵉⵖⵏ ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⵓⵜⵍⴰⵢⵜ ⵏ ⵉⵎⴰⵣⵉⵖⵏ. ",
    "Syriac": "ܠܫܢܐ ܐܪܡܝܐ ܗܘ ܠܫܢܐ ܫܡܝܐ ܠܫܢܐ ܐܪܡܝܐ ܗܘ ܠܫܢܐ ܫܡܝܐ. ",
}


class TestUnknown:
    """The detector finds a language in anything."""

    @pytest.mark.parametrize("lang", [None, "ko", "en"])
    @pytest.mark.parametrize("script", UNKNOWN_SCRIPTS)
    def test_a_script_of_no_known_language_is_judged_without_stop_words(self, script: str, lang: str | None) -> None:
        text = UNKNOWN_SCRIPTS[script] * 3 + "McDonald’s, Toronto. "
        found = extract(page(text * 3, lang))
        assert chosen(found) == ("und", "fallback")
        assert found.paragraphs

    def test_the_reason_is_reported(self) -> None:
        reason = extract(page(UNKNOWN_SCRIPTS["Cherokee"] * 5)).language_reason
        assert reason == "written in the script of no known language"

    def test_what_is_improbable_is_not_chosen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for probability, expected in ((0.05, ("en", "detected")), (0.04, ("und", "fallback"))):
            monkeypatch.setattr(languages, "detect", lambda _, value=probability: {"en": value, "fr": 0.01})
            assert chosen(extract(page("Home"))) == expected
        assert extract(page("Home")).language_reason == "no language is probable: en 0.04"
        assert chosen(extract(page("Home", "fr"))) == ("fr", "declared")

    @pytest.mark.parametrize("text", ["12:30 – 15:00", "☎ +49 30 1234", "2026-11-22"])
    def test_numbers_are_in_no_language(self, text: str) -> None:
        assert chosen(extract(page(text))) == ("und", "fallback")
        assert chosen(extract(page(text, "fr"))) == ("fr", "declared")

    def test_scripts_and_names_of_languages_are_those_of_their_stop_words(self) -> None:
        library = find_library()
        for code in detect("x"):
            language = library.find(code)
            if language is not None:
                shares = languages._shares_of_scripts(" ".join(library.words(language)))
                assert languages._is_possible(code, shares), code
        codes = {*detect(GERMAN), languages.UNDETERMINED}
        assert {code for code in codes if find_library().find(code) is None} == UNLISTED.keys()


#: Texts, and encodings in which they are written and read.
WRONGLY_READ = [
    (text, written, read)
    for text, encodings in (
        (CHINESE, ("gb18030", "utf-8")),
        ("他從小就喜歡看書，每天放學以後都要到圖書館去，一直看到關門才回家。" * 6, ("big5",)),
        ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 6, ("cp932", "euc_jp")),
        (TEXTS["ko"] * 5, ("cp949", "utf-8")), (TEXTS["ru"] * 5, ("cp1251", "koi8-r", "utf-8")),
        (TEXTS["el"] * 5, ("cp1253",)), (TEXTS["ar"] * 5, ("cp1256",)), (TEXTS["hi"] * 5, ("utf-8",)),
    )
    for written in encodings
    for read in ("cp1252", "cp1250")
]  # fmt: skip
WRONGLY_READ += [(CHINESE, "gb18030", "cp1251"), (CHINESE, "utf-8", "cp1251"), (CHINESE, "big5", "utf-8")]
WRONG_NAMES = [f"{text[:4]} in {written} as {read}" for text, written, read in WRONGLY_READ]
#: Texts with many accents, capitals within words or characters that broke, which are what they seem.
RIGHTLY_READ = {
    "vi": "Ngày xưa có một ông vua có ba người con gái rất đẹp và ông không biết mình yêu người nào nhất.",
    "yo": "Ní ọjọ́ kan, ọba kan wà tí ó ní ọmọbìnrin mẹ́ta, kò sì mọ èyí tí ó fẹ́ràn jù lọ nínú wọn.",
    "ga": "Bhí rí ann fadó, agus bhí triúr iníonacha aige; bhí siad ina gcónaí i mBaile Átha Cliath in Éirinn.",
    "pl": "Był sobie kr\ufffdl, który miał trzy c\ufffdrki i nie wiedział, którą z nich kocha najbardziej.",
    "zh": "他从小就喜欢看书，每天放学以后都要到 Café 去，一直看到关门才回家。",
}


class TestGarbled:
    @pytest.mark.parametrize(("text", "written", "read"), WRONGLY_READ, ids=WRONG_NAMES)
    def test_what_was_read_in_a_wrong_encoding_is_in_no_language(self, text: str, written: str, read: str) -> None:
        garbled = text.encode(written, "replace").decode(read, "replace")
        assert chosen(extract(page(garbled))) == ("und", FALLBACK)
        assert chosen(extract(page(garbled, "zh-CN"))) == ("zh", DECLARED)
        assert chosen(extract(page(garbled), language=["en", "lij"])) == ("en", GIVEN)

    def test_the_reason_is_reported(self) -> None:
        garbled = CHINESE.encode("gb18030").decode("cp1252")
        assert extract(page(garbled)).language_reason == "a text read in a wrong encoding, nothing declared"
        assert extract(page(garbled, "zh")).language_reason == "declared; a text read in a wrong encoding"

    @pytest.mark.parametrize(("code", "text"), RIGHTLY_READ.items(), ids=RIGHTLY_READ)
    def test_accents_and_broken_characters_are_no_wrong_encoding(self, code: str, text: str) -> None:
        assert chosen(extract(page(text * 3))) == (code, DETECTED)

    @pytest.mark.parametrize("text", ["getElementById querySelectorAll addEventListener " * 4, "iPhone MacOS " * 20])
    def test_nor_are_capitals_in_the_names_of_code(self, text: str) -> None:
        assert "encoding" not in extract(page(text)).language_reason


@pytest.mark.parametrize(
    ("code", "text"),
    [("ar", "ދިވެހި ބަހަކީ و"), ("ru", "ᐃᓄᒃᑎᑐᑦ ᖃᓄᖅ я"), ("el", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ω"), ("fr", "Жили-были старик со старухой, oui")],
)
def test_what_is_mostly_of_another_script_is_not_in_a_language(
    code: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "detect", lambda _: {code: 1.0})
    assert chosen(extract(page(text))) == ("und", FALLBACK)


class TestNone:
    def test_stop_words_judge_unless_they_are_not_to_count(self) -> None:
        text = "keyword " * 40
        assert extract(page(text), language="en").paragraphs == []
        found = extract(page(text, "en"), language="none")
        assert found.paragraphs == [text.strip()]
        assert found.column("stopword_density") == [0.0]
        text = "Der Hund und die Katze sind im Garten und es ist ein Tag für die, die hier sind. " * 4
        assert extract(page(text)).paragraphs == [text.strip()]
        assert extract(page(text), language="English").paragraphs == []

    def test_it_goes_with_no_other_choice_and_has_thresholds_of_its_own(self) -> None:
        with pytest.raises(ParameterError, match="does not go with a stoplist"):
            extract(page("one"), language="none", stoplist=["one"])
        with pytest.raises(UnknownNameError):
            extract(page("one"), language=["none", "de"])
        extractor = Extractor(language="none")
        extraction = extractor.extract(page(TEXTS["de"]))
        assert extractor.language_of(extraction) is None
        assert extractor.thresholds_for(None).stopwords_high == 0.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Norwegian Bokmål", "norwegianbokmal"),
        ("pt_BR", "ptbr"), ("LOW-SAXON", "lowsaxon"), ("Ελληνικά", "ελληνικα"), ("", ""),
    ],
)  # fmt: skip
def test_names_are_compared_without_case_accents_and_punctuation(name: str, expected: str) -> None:
    assert normalise(name) == expected


DEMO = Path(__file__).parents[2] / "example_project" / "demo_site" / "pages"


@pytest.mark.parametrize(
    "folder", [path for path in sorted(DEMO.iterdir()) if len(path.name) == 2], ids=lambda path: str(path.name)
)
def test_the_demo_site_s_pages_are_in_the_language_of_their_folder(folder: Path) -> None:
    pages = sorted(folder.rglob("*.html"))
    assert pages
    for page in pages:
        found = extract(page.read_bytes())
        if any(b.is_good for b in found.blocks):
            assert found.language == folder.name, page.name


class TestTheUnpackedModel:
    """The detector's model is unpacked once, into the user's folder for what can be made again."""

    TEXT = "The bridge was closed by workers again, and nobody knows for how long it will be so. "

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(languages, "user_cache_path", lambda name: tmp_path / name)
        return tmp_path / "scrapy-justext"

    @pytest.fixture
    def unpacked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Return the names of the files that were unpacked."""
        names: list[str] = []
        unpack = LanguageIdentifier.from_model_file

        def note(name: str, **choices: Any) -> LanguageIdentifier:
            names.append(name)
            return unpack(name, **choices)

        monkeypatch.setattr(LanguageIdentifier, "from_model_file", note)
        return names

    def rank(self, text: str) -> list[tuple[str, float]]:
        ranks: list[tuple[str, float]] = languages._detector.__wrapped__().rank(text)
        return ranks

    def test_it_is_unpacked_once(self, folder: Path, unpacked: list[str]) -> None:
        first = self.rank(self.TEXT)
        assert [self.rank(text) for text in (self.TEXT, self.TEXT)] == [first, first]
        assert len(unpacked) == 1
        assert first[0][0] == "en"
        assert [path.name.split("-")[0] for path in folder.iterdir()] == ["py3langid"]

    @pytest.mark.parametrize("name", ["nb_ptc", "tk_row"])
    def test_what_is_cut_off_is_not_used(self, folder: Path, unpacked: list[str], name: str) -> None:
        first = self.rank(self.TEXT)
        [array] = folder.rglob(f"{name}.npy")
        array.write_bytes(array.read_bytes()[:1000])
        assert self.rank(self.TEXT) == first
        assert len(unpacked) == 2

    def test_a_folder_that_cannot_be_written(self, folder: Path, unpacked: list[str]) -> None:
        folder.write_text("a file")
        assert self.rank(self.TEXT) == self.rank(self.TEXT)
        assert len(unpacked) == 2

    def test_one_that_another_process_writes_meanwhile(self, folder: Path) -> None:
        self.rank(self.TEXT)
        [made] = folder.iterdir()
        with pytest.raises(OSError, match="not empty"):
            languages._unpack_model(languages._detector.__wrapped__(), made)
        assert list(folder.iterdir()) == [made]


def test_a_table_does_not_hide_the_prose() -> None:
    """A table is longer than paragraphs, and has names and numbers in it."""
    rows = "".join(f"<tr><td>Lkw {i}</td><td>Typ {i} Kfz</td></tr>" for i in range(40))
    made = page(ENGLISH * 4, "en").replace("</body>", f"<table><thead><tr><th>Nr<tbody>{rows}</table></body>")
    assert extract(made).language_reason.startswith("confirmed by its stop words")
