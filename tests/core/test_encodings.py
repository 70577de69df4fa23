"""Which encoding the bytes of pages and responses are read in, and why; whose tree is used."""

from __future__ import annotations

import codecs
import gzip
import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from parsel import Selector
from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from scrapy_justext import extract
from scrapy_justext.core import encodings
from scrapy_justext.core.encodings import WEB_ENCODINGS, check_encoding, choose_encoding, stated_encoding
from scrapy_justext.exceptions import PageError
from tests.builders import CORPORA, read_page
from tests.core.test_languages import TEXTS

CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. "
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. "
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"


def meta(charset: str, text: str) -> str:
    return f'<meta charset="{charset}"><p>{text}'


CHOSEN: dict[str, tuple[bytes, str | None, str, str]] = {
    "a mark": (codecs.BOM_UTF8 + meta("cp1250", CZECH).encode(), "cp1251", "utf-8", "mark"),
    "given": (meta("utf-8", CZECH).encode("cp1250"), "cp1250", "cp1250", "given"),
    "UTF-8, though a code page is given": (CZECH.encode(), "cp1250", "utf-8", "contradiction"),
    "UTF-8, though one is given and one declared": (meta("cp1250", CZECH).encode(), "cp1252", "utf-8", "contradiction"),
    "UTF-8 that declares itself": (meta("utf-8", RUSSIAN).encode(), "cp1252", "utf-8", "contradiction"),
    "UTF-8 that is cut, though a code page is given": (RUSSIAN.encode()[:-3], "koi8-r", "utf-8", "contradiction"),
    "one character in UTF-8, though a code page is given": (b"<p>one \xc3\x89 two", "cp1252", "cp1252", "given"),
    "two of them": ("<p>Él, él".encode(), "cp1252", "utf-8", "contradiction"),
    "UTF-8, though an encoding of many characters is given": (CZECH.encode(), "gb18030", "gb18030", "given"),
    "UTF-8 that declares itself, though such a one is given": (
        meta("utf-8", JAPANESE).encode(),
        "gb18030",
        "utf-8",
        "contradiction",
    ),
    "UTF-8 with a broken character, though Latin-1 is given": (
        RUSSIAN.encode() + b" \xd0 " + RUSSIAN.encode(),
        "cp1252",
        "utf-8",
        "contradiction",
    ),
    "half of it UTF-8, Latin-1 is given": (
        "Él, él. ".encode() + "Él, él.".encode("cp1252"),
        "cp1252",
        "cp1252",
        "given",
    ),
    "UTF-8, though UTF-16 is given": (CZECH.encode(), "utf-16-le", "utf-16-le", "given"),
    "UTF-16 without a mark": (f"\n<!DOCTYPE html>{RUSSIAN}".encode("utf-16-le"), None, "utf-16-le", "detected"),
    "the same with the other byte first": (f" <p>{RUSSIAN}".encode("utf-16-be"), None, "utf-16-be", "detected"),
    "UTF-16, though Latin-1 is given": (f"<p>{JAPANESE}".encode("utf-16-le"), "cp1252", "utf-16-le", "detected"),
    "UTF-16, though UTF-8 is given": (f"<p>{RUSSIAN}".encode("utf-16-be"), "utf-8", "utf-16-be", "detected"),
    "a zero in a tag": (b"<\0p>one", None, "utf-8", "detected"),
    "no UTF-8, though given": (RUSSIAN.encode("cp1251"), "utf-8", "cp1251", "guessed"),
    "given UTF-8, which it is not": (meta("koi8-r", RUSSIAN).encode("koi8-r"), "utf-8", "koi8-r", "declared"),
    "no UTF-8, though declared": (meta("utf-8", CZECH).encode("cp1250"), None, "cp1250", "guessed"),
    "declared, some characters are no UTF-8": (meta("utf-8", CZECH).encode() + b"\xe9\xe9", None, "utf-8", "declared"),
    "declared, the only character is no UTF-8": (meta("utf-8", "caf").encode() + b"\xe9", None, "utf-8", "declared"),
    "ASCII, a code page is given": (b"<p>one", "cp1252", "cp1252", "given"),
    "given, one character is no UTF-8": (CZECH.encode() + b"\xff", "cp1250", "cp1250", "given"),
    "declared": (meta("cp1250", CZECH).encode("cp1250"), None, "cp1250", "declared"),
    "UTF-8 that is declared": (meta("utf-8", CZECH).encode(), None, "utf-8", "declared"),
    "UTF-8 that declares another encoding": (meta("cp1250", CZECH).encode(), None, "utf-8", "contradiction"),
    "UTF-8 that declares UTF-16": (meta("utf-16", CZECH).encode(), None, "utf-8", "detected"),
    "ASCII that declares UTF-16": (b'<?xml version="1.0" encoding="utf-16"?><p>one', None, "utf-8", "detected"),
    "ASCII that declares another encoding": (meta("cp1250", "one").encode(), None, "cp1250", "declared"),
    "escapes that are declared": (meta("iso-2022-jp", JAPANESE).encode("iso2022_jp"), None, "iso2022_jp", "declared"),
    "escapes": (JAPANESE.encode("iso2022_jp"), None, "iso2022_jp", "guessed"),
    "an escape alone": (b"<p>one \x1b$ two", None, "utf-8", "detected"),
    "ASCII": (b"<p>one", None, "utf-8", "detected"),
    "nothing": (b"", None, "utf-8", "detected"),
    "UTF-8": (CZECH.encode(), None, "utf-8", "detected"),
    "UTF-8 that is cut within a character": (meta("cp1250", RUSSIAN).encode()[:-3], None, "utf-8", "contradiction"),
    "UTF-8 with a broken character": (RUSSIAN.encode() + b" \xd0 " + RUSSIAN.encode(), None, "utf-8", "guessed"),
    "declared, one character is no UTF-8": (meta("cp1250", CZECH).encode() + b"\xff", None, "cp1250", "declared"),
}


@pytest.mark.parametrize(("body", "given", "name", "source"), CHOSEN.values(), ids=CHOSEN)
def test_the_strongest_evidence_decides(body: bytes, given: str | None, name: str, source: str) -> None:
    assert choose_encoding(body, given)[:2] == (name, source)


@pytest.mark.parametrize(
    ("declared", "given", "reason"),
    [
        ("windows-1250", None, "valid UTF-8, though the page declares cp1250"),
        ("windows-1250", "iso-8859-1", "valid UTF-8, though cp1252 is given, or in the HTTP header"),
        ("utf-8", "koi8-r", "valid UTF-8, though koi8-r is given, or in the HTTP header"),
    ],
)
def test_an_extraction_tells_the_encoding_and_why(declared: str, given: str | None, reason: str) -> None:
    found = extract(meta(declared, CZECH).encode(), encoding=given)
    assert (found.encoding, found.encoding_source) == ("utf-8", "contradiction")
    assert found.encoding_reason == reason
    assert found.blocks[0].text == CZECH.strip()
    assert extract(CZECH).encoding is extract(CZECH).encoding_source is extract(CZECH).encoding_reason is None


class TestNames:
    @pytest.mark.parametrize(
        "name", ["unicode_escape", "raw_unicode_escape", "utf-7", "cp437", "utf-32", "rot13", "klingon", "hz", "cp500"]
    )
    def test_only_encodings_of_the_web_are_taken_from_a_page(self, name: str) -> None:
        body = meta(name, f"{CZECH} \\ud800 +2AA-").encode()
        assert choose_encoding(body)[:2] == ("utf-8", "detected")
        header = {"Content-Type": f"text/html; charset={name}"}
        response = HtmlResponse("http://example.org/", body=body, headers=header)
        assert stated_encoding(response) is None
        assert extract(response).text == extract(body).text
        assert extract(response).blocks[0].text.startswith(CZECH)

    @pytest.mark.parametrize("name", sorted(WEB_ENCODINGS))
    def test_the_encodings_of_the_web_have_python_s_names(self, name: str) -> None:
        assert codecs.lookup(name).name == name == check_encoding(name)

    @pytest.mark.parametrize("name", ["cp437", "cp500", "mac-greek", "utf-32"])
    def test_what_a_user_gives_may_be_any_encoding_of_text(self, name: str) -> None:
        assert check_encoding(name) == codecs.lookup(name).name
        assert extract("<p>one".encode(name), encoding=name).blocks[0].text == "one"


#: All labels of https://encoding.spec.whatwg.org/#names-and-labels, by Python's name for what they mean in a page.
LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": ("arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
     "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"),
    "iso8859-7": ("csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
     "iso_8859-7:1987 sun_eu_greek"),
    "iso8859-8": (
     "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
     "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"),
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": ("ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
     "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined"),
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": ("cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
     "windows-1254 x-cp1254"),
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": (
     "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"),
}  # fmt: skip
#: Those of UTF-16, which no page is in that can declare it, and those that browsers show nothing by.
WIDE_LABELS = {
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
NO_LABELS = "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"
OF_STANDARD = [(label, name) for name, labels in LABELS.items() for label in labels.split()]
OF_UTF_16 = [(label, name) for name, labels in WIDE_LABELS.items() for label in labels.split()]

#: How a page declares a label.
DECLARING = (
    "<meta charset={}>",
    "<META CHARSET = ' {} '/>",
    '<meta http-equiv="Content-Type" content="text/html; charset={}">',
    "<meta content='text/html;CHARSET={}' http-equiv=content-type>",
    '<?xml version="1.0" encoding="{}"?>',
    "<!-- <meta charset=utf-8> --><meta name=x content='charset=utf-8'><meta charset={}>",
)


def answer(header: str, body: bytes = b"<p>one") -> HtmlResponse:
    return HtmlResponse("http://example.org/", body=body, headers={"Content-Type": header})


class TestLabels:
    def test_the_list_is_whole(self) -> None:
        assert len({label for label, _ in OF_STANDARD + OF_UTF_16} | set(NO_LABELS.split())) == 228

    @pytest.mark.parametrize(("label", "name"), OF_STANDARD)
    def test_all_labels_of_the_standard_are_known(self, label: str, name: str) -> None:
        # A byte of no UTF-8, or that would be stronger.
        body = meta(label.upper(), "one ").encode() + b"\xff"
        assert choose_encoding(body)[:2] == (name, "declared")
        assert stated_encoding(answer(f"text/html; charset={label}")) == name
        assert stated_encoding(answer(f'text/html;Charset="{label.upper()}"')) == name

    @pytest.mark.parametrize(("label", "name"), OF_UTF_16)
    def test_utf_16_is_believed_of_a_header_only(self, label: str, name: str) -> None:
        assert stated_encoding(answer(f"text/html; charset={label}")) == name
        assert choose_encoding(meta(label, CZECH).encode())[:2] == ("utf-8", "detected")

    @pytest.mark.parametrize("label", NO_LABELS.split())
    def test_labels_that_browsers_show_nothing_by_are_none(self, label: str) -> None:
        assert stated_encoding(answer(f"text/html; charset={label}")) is None
        assert choose_encoding(meta(label, CZECH).encode())[:2] == ("utf-8", "detected")

    @pytest.mark.parametrize(("label", "name"), OF_STANDARD + OF_UTF_16)
    def test_a_user_may_give_them(self, label: str, name: str) -> None:
        assert check_encoding(label) == check_encoding(label.upper()) == name

    @pytest.mark.parametrize("declaration", DECLARING)
    @pytest.mark.parametrize(("label", "name"), [("windows-1251", "cp1251"), ("x-cp1251", "cp1251")])
    def test_labels_are_found_wherever_pages_declare_them(self, declaration: str, label: str, name: str) -> None:
        body = declaration.format(label).encode() + RUSSIAN.encode(name)
        assert choose_encoding(body)[:2] == (name, "declared")

    @pytest.mark.parametrize(
        "start",
        [
            "<!-- <meta charset=x-cp1251> -->", "<body><meta charset=x-cp1251>",
            "<meta name=description content='how charset=x-cp1251 is written'>",
            "<p charset=x-cp1251>", "<!-- <meta charset=x-cp1251>", " " * 4_096 + "<meta charset=x-cp1251>",
        ],
    )  # fmt: skip
    def test_what_declares_nothing_is_no_declaration(self, start: str) -> None:
        found = choose_encoding(start.encode() + RUSSIAN.encode("koi8-r"))
        assert found == ("koi8-r", "guessed", "the page declares none, guessed by its words")


class TestReasons:
    @pytest.mark.parametrize("label", ["klingon", "utf-16", "cp437", "iso-2022-kr", "unicode_escape"])
    def test_a_declaration_that_cannot_be_used_is_named(self, label: str) -> None:
        unusable = f"the page declares {label}, which cannot be used"
        body = meta(label, "one ")
        assert choose_encoding(body.encode()).reason == f"{unusable}, all ASCII"
        assert choose_encoding((body + CZECH).encode()).reason == f"{unusable}, valid UTF-8"
        assert choose_encoding((body + RUSSIAN).encode("koi8-r")).reason == f"{unusable}, guessed by its words"

    def test_what_a_page_declares_is_named_if_shortly(self) -> None:
        assert choose_encoding(b"one").reason == "the page declares none, all ASCII"
        assert choose_encoding(CZECH.encode()).reason == "the page declares none, valid UTF-8"
        assert len(choose_encoding(meta("k" * 3_000, "one").encode()).reason) < 120


LEGACY = {
    "cs": ("cp1250", "iso8859-2"),
    "de": ("cp1252",),
    "el": ("cp1253", "iso8859-7"),
    "es": ("cp1252",), "fr": ("cp1252",), "ko": ("cp949",), "ar": ("cp1256",),
    "ru": ("cp1251", "koi8-r", "iso8859-5"),
    "ja": ("cp932", "euc_jp", "iso2022_jp"),
    "zh": ("gb18030",), "zh-Hant": ("big5hkscs",), "th": ("cp874",), "tr": ("cp1254",),
    "pl": ("cp1250", "iso8859-2"),
    "lt": ("cp1257",), "he": ("cp1255",),
}  # fmt: skip
SENTENCES = TEXTS | {
    "ja": JAPANESE,
    "zh": "他从小就喜欢看书，每天放学以后都要到图书馆去，一直看到关门才回家。",
    "zh-Hant": "他從小就喜歡看書，每天放學以後都要到圖書館去，一直看到關門才回家。",
    "th": "เมื่อวานตอนเช้าฉันไปตลาดกับแม่เพื่อซื้ออาหารและผลไม้ให้พี่น้องที่บ้าน",
    "tr": "Bir gün köyde yaşayan küçük bir çocuk için çok büyük bir şey oldu ve hiç kimse onu görmedi.",
    "pl": "Był sobie król, który miał trzy córki i nie wiedział, którą z nich kocha najbardziej ze wszystkich.",
    "lt": "Kartą gyveno karalius, kuris turėjo tris dukteris ir nežinojo, kurią iš jų myli labiau už viską.",
    "he": "היה היה מלך שהיו לו שלוש בנות והוא לא ידע את מי מהן הוא אוהב יותר מכל",
}
UNDECLARED = [(language, encoding) for language, names in LEGACY.items() for encoding in names]


class TestDetection:
    @pytest.mark.parametrize(("language", "encoding"), UNDECLARED)
    def test_a_sentence_is_enough(self, language: str, encoding: str) -> None:
        text = SENTENCES[language]
        body = f"<title>News</title><p>{text}</p>".encode(encoding)
        found = extract(body)
        assert [block.text for block in found.blocks] == [text]
        assert found.encoding_source == "guessed"

    def test_japanese_is_not_read_as_chinese(self) -> None:
        # Kana stand at the same places in the encodings of both; the Han characters do not.
        text = "これは日本語の文章です。昔々あるところにおじいさんとおばあさんが住んでいました。"
        assert [block.text for block in extract(f"<p>{text}</p>".encode("euc_jp")).blocks] == [text]

    @pytest.mark.parametrize(
        "text", ["caf\xe9", "© 2026", "I’ve seen it", "5 × 3 « »", "naïve and São Paulo", "£5 – it’s"]
    )
    def test_what_tells_nothing_is_the_web_s_commonest(self, text: str) -> None:
        body = f"<p>It is all in English here, but for {text}".encode("cp1252")
        assert body.decode(choose_encoding(body).name) == body.decode("cp1252")

    def test_a_stray_byte_does_no_harm(self) -> None:
        for language, encoding in UNDECLARED:
            if encoding == "iso2022_jp":
                # It has no byte beyond ASCII.
                continue
            body = (f"<p>{SENTENCES[language]}</p>" * 20).encode(encoding)
            assert choose_encoding(body + b"<p>\xff</p>") == choose_encoding(body), encoding

    def test_markup_and_scripts_in_ascii_do_not_count(self) -> None:
        script = "<script>" + "var a = {'b': [1, 2]};" * 5_000 + "</script>"
        body = f"{script}<p>{RUSSIAN}</p>".encode("koi8-r")
        assert choose_encoding(body).name == "koi8-r"

    @pytest.mark.parametrize(
        "body", [b"\xcf\xf0\xe8 " * 500_000, b"\xcf\xf0\xe8" * 500_000, b"a" * 1_500_000 + b"\xe9"]
    )
    def test_a_sample_is_enough(self, body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        sizes: list[int] = []

        def note(text: str, encoding: str) -> float:
            sizes.append(len(text))
            return 0.0

        monkeypatch.setattr(encodings, "_mess", note)
        monkeypatch.setattr(encodings, "_oddness", note)
        choose_encoding(body)
        assert 0 < max(sizes) <= 4_100

    @pytest.mark.parametrize("name", [name for name in CHOSEN if not name.startswith("no UTF-8")])
    def test_others_do_not_pay_for_it(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        tried: list[str] = []

        def note(text: str, encoding: str) -> float:
            tried.append(encoding)
            return 0

        monkeypatch.setattr(encodings, "_mess", note)
        monkeypatch.setattr(encodings, "_oddness", note)
        choose_encoding(*CHOSEN[name][:2])
        # Where Latin-1 is given, its words are looked at.
        assert tried in ([], ["cp1252"], ["cp1252"] * 2)


#: Code pages that a few words with accents do not tell from each other.
LATIN = {"cp1250", "cp1252", "cp1254", "cp1257", "iso8859-2"}


class TestLatin1OfServers:
    """What many servers send for all pages, whatever these are in."""

    @pytest.mark.parametrize(("language", "encoding"), [c for c in UNDECLARED if c[1] not in ("cp1252", "iso2022_jp")])
    def test_a_declaration_that_the_words_fit_is_believed(self, language: str, encoding: str) -> None:
        body = meta(encoding, SENTENCES[language]).encode(encoding)
        found = choose_encoding(body, "cp1252")
        assert found[:2] == (encoding, "declared")
        assert found.reason == "declared by the page, whose words fit, though cp1252 is given, or in the HTTP header"
        assert choose_encoding(body, "mac-roman")[:2] == ("mac-roman", "given")

    @pytest.mark.parametrize(("language", "encoding"), [c for c in UNDECLARED if c[1] not in LATIN | {"iso2022_jp"}])
    def test_where_nothing_else_is_declared_a_guess_in_another_script_is(self, language: str, encoding: str) -> None:
        body = SENTENCES[language].encode(encoding)
        found, declared = choose_encoding(body, "cp1252"), choose_encoding(b"<meta charset=iso-8859-1>" + body)
        assert body.decode(found.name) == body.decode(declared.name) == SENTENCES[language]
        assert found.source == declared.source == "guessed"
        assert found.reason.endswith(", though cp1252 is given, or in the HTTP header")
        assert declared.reason.endswith(", though the page declares cp1252")

    @pytest.mark.parametrize(("language", "encoding"), [c for c in UNDECLARED if c[0] in ("lt", "pl", "tr")])
    def test_so_is_one_in_another_latin_code_page_where_many_words_fit(self, language: str, encoding: str) -> None:
        text = SENTENCES[language] + "Onun için değil, fakat şimdi çünkü iş böyle. " * (language == "tr")
        assert choose_encoding(text[:40].encode(encoding), "cp1252").source == "given"
        found = choose_encoding((text * 4).encode(encoding), "cp1252")
        assert (found.source, text.encode(encoding).decode(found.name)) == ("guessed", text)

    def test_a_name_makes_no_guess(self) -> None:
        assert choose_encoding("Pokémon! ".encode("cp1252") * 20, "cp1252")[:2] == ("cp1252", "given")

    @pytest.mark.parametrize("declared", sorted(WEB_ENCODINGS))
    @pytest.mark.parametrize(
        "text", [SENTENCES["de"], SENTENCES["es"], SENTENCES["fr"], "5¢, ½ off", "café", "ÀÉÎ ¿ÓYÉ?", "one"]
    )
    def test_no_other_is(self, declared: str, text: str) -> None:
        assert choose_encoding(meta(declared, text).encode("cp1252"), "cp1252")[:2] == ("cp1252", "given")


DECLARATION = re.compile(r"<meta[^>]*charset[^>]*>|<\?xml[^>]*>", re.IGNORECASE)
#: Sets with pages in these languages, and what such pages may be in.
OF_SETS = {"chinese-dev": ("zh",), "magic-dev": ("zh", "ja", "ko", "ar", "fa", "tr", "de", "it", "pl")}
MORE = LEGACY | {"fa": ("cp1256",), "it": ("cp1252",)}


@pytest.mark.full
@pytest.mark.parametrize("name", OF_SETS)
def test_real_pages_without_their_declaration(name: str) -> None:
    folder = CORPORA / name
    if not folder.is_dir():
        pytest.skip("the labelled pages are not here")
    checked = 0
    for line in gzip.decompress((folder / "gold.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        language = extract(f"<p>{row['main_content']}").language
        if language not in OF_SETS[name]:
            continue
        page = read_page(folder / "html" / f"{row['id']}.html.gz")
        for encoding in MORE[language]:
            body = DECLARATION.sub("", page).encode(encoding, "xmlcharrefreplace")
            found = choose_encoding(body).name
            beyond_ascii = b"".join(re.findall(rb"[\x80-\xff][^<>]*", body))
            assert beyond_ascii.decode(found, "replace") == beyond_ascii.decode(encoding, "replace"), row["url"]
            checked += 1
    assert checked


URL = "http://example.org/page"
GERMAN = "Die Brücke über die Elbe wurde im Jahr 1848 gebaut, und sie ist bis heute die längste der Stadt. " * 4
DECLARED = f"<meta charset=windows-1252><title>Brücke</title><p>{GERMAN}"
UTF_8_DECLARED = DECLARED.replace("windows-1252", "utf-8")
HEADER = {"Content-Type": "text/html; charset=windows-1252"}
#: What servers send by default.
LATIN_1_HEADER = {"Content-Type": "text/html;charset=ISO-8859-1"}
PLAIN_HEADER = {"Content-Type": "text/html"}


def test_the_tree_and_the_address_of_the_response_are_used() -> None:
    response = HtmlResponse(URL, body=f"<p>{GERMAN}".encode(), encoding="utf-8")
    [paragraph] = response.css("p")
    paragraph.root.text = "changed"
    assert [block.text for block in extract(response).blocks] == ["changed"]
    response = HtmlResponse(URL, body=b"<p>one")
    assert extract(response).url == URL
    assert extract(response, url="http://example.org/").url == "http://example.org/"


def test_text_that_is_no_html_to_its_response_is_parsed() -> None:
    for kind in (TextResponse, XmlResponse):
        response = kind(URL, body=f"<p>{GERMAN}".encode("cp1252"), encoding="cp1252")
        assert extract(response).blocks == extract(f"<p>{GERMAN}").blocks


RESPONSES = [
    ("UTF-8 behind a wrong declaration", DECLARED.encode(), {}, "utf-8"),
    ("a header without an encoding", DECLARED.encode(), PLAIN_HEADER, "utf-8"),
    ("a right declaration", DECLARED.encode("cp1252"), {}, "cp1252"),
    ("an HTTP header", DECLARED.encode("cp1252"), HEADER, "cp1252"),
    ("UTF-8 behind a wrong header", DECLARED.encode(), HEADER, "utf-8"),
    ("UTF-8 behind a wrong header, which declares itself", UTF_8_DECLARED.encode(), LATIN_1_HEADER, "utf-8"),
    ("one character in UTF-8, which the header may mean", b"<p>\xc3\x89", LATIN_1_HEADER, "cp1252"),
    ("a byte order mark", b"\xff\xfe" + DECLARED.encode("utf-16-le"), {}, "utf-16-le"),
    ("ASCII", DECLARED.encode("ascii", "xmlcharrefreplace"), {}, "cp1252"),
    ("no declaration", GERMAN.encode(), {}, "utf-8"),
    ("one byte that is no UTF-8", DECLARED.encode() + b"\xff", {}, "utf-8"),
]


@pytest.mark.parametrize(("body", "headers", "encoding"), [c[1:] for c in RESPONSES], ids=[c[0] for c in RESPONSES])
def test_a_declaration_that_the_bytes_contradict_is_not_believed(
    body: bytes, headers: dict[str, str], encoding: str
) -> None:
    response = HtmlResponse(URL, body=body, headers=headers)
    assert choose_encoding(body, stated_encoding(response)).name == extract(response).encoding == encoding
    assert extract(response.replace(status=201)).encoding == encoding
    is_readable = encoding != "cp1252" or body == DECLARED.encode("cp1252")
    if b"<title>" in body and is_readable:
        assert extract(response).title == extract(response.replace(status=201)).title == "Brücke"


@pytest.mark.parametrize(
    ("body", "made_with", "encoding", "source"),
    [
        (DECLARED.encode("latin2"), "latin2", "iso8859-2", "given"),
        (DECLARED.encode(), "latin2", "utf-8", "contradiction"),
        (DECLARED.encode(), "utf-8", "utf-8", "given"),
    ],
)
def test_an_encoding_that_the_user_gave_to_the_response_is_believed_of_what_is_no_utf_8(
    body: bytes, made_with: str, encoding: str, source: str
) -> None:
    response = HtmlResponse(URL, body=body, encoding=made_with)
    found = extract(response)
    assert (found.encoding, found.encoding_source) == (encoding, source)
    assert extract(response.replace(status=201)) == found


def test_the_tree_of_a_response_that_was_read_by_a_wrong_header_is_left_alone() -> None:
    response = HtmlResponse(URL, body=DECLARED.encode(), headers=HEADER)
    before = response.css("p::text").get()
    assert extract(response).blocks[0].text == GERMAN.strip()
    assert response.css("p::text").get() == before != GERMAN
    assert response.replace(encoding="utf-8").css("p::text").get("").strip() == GERMAN.strip()


def test_an_encoding_that_pages_cannot_be_read_by_is_an_error() -> None:
    with pytest.raises(PageError, match="encoding = 'unicode_escape': no encoding of text"):
        extract(HtmlResponse(URL, body=DECLARED.encode(), encoding="unicode_escape"))


def test_a_copy_of_a_response_is_read_like_it() -> None:
    for body in (
        DECLARED.encode(),
        DECLARED.encode("cp1252"),
        DECLARED.replace("windows-1252", "unicode_escape").encode(),
    ):
        response = HtmlResponse(URL, body=body)
        found = extract(response)
        assert found.title == "Brücke"
        assert extract(response.replace(status=201)) == found


def test_what_a_response_guesses_of_its_bytes_is_not_believed() -> None:
    class Guessing(HtmlResponse):
        """A response of an older Scrapy."""

        def _body_inferred_encoding(self) -> str:
            return "cp1252"

    russian = "В городе говорили, что старый мост стоял здесь ещё до того, как были построены дома. " * 3
    for encoding in ("cp1251", "utf-8"):
        response = Guessing(URL, body=f"<p>{russian}".encode(encoding))
        assert response.encoding == "cp1252"
        assert extract(response).paragraphs == [russian.strip()]
        assert extract(response).encoding == encoding


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (f"<meta charset=x-cp1251><p>{GERMAN}".encode("cp1251", "replace") + b"\xff", {}),
        (f"<p>{GERMAN}".encode("cp1252"), {"Content-Type": "text/html; charset=x-cp1252"}),
        (f"<p>{GERMAN}".encode("cp1252"), {}),
        (f"<p>{GERMAN}ü".encode()[:-1], {}),
    ],
    ids=["a label that Scrapy does not know", "one in a header", "no label", "UTF-8 that is cut"],
)
def test_a_response_is_not_made_to_guess(body: bytes, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(self: TextResponse, body: bytes) -> str:
        raise AssertionError("an encoding is guessed")

    response = HtmlResponse(URL, body=body, headers=headers)
    with monkeypatch.context() as patched:
        patched.setattr(TextResponse, "_auto_detect_fun", guess)
        found = extract(response)
    assert found.blocks[0].text.startswith("Die Br")


def test_the_encoding_of_a_response_of_any_other_kind_is_believed() -> None:
    @dataclass
    class Plain:
        body: bytes
        encoding: str
        selector: Any = None

    found = extract(Plain("<p>Žluťoučký kůň".encode("cp1250"), "cp1250", Selector("{}", type="json")))
    assert found.blocks[0].text == "Žluťoučký kůň"
    assert found.encoding_source == "given"
