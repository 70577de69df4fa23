"""Stoplists: those that are shipped, how they are named, and a user's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import justext
import pytest

from scrapy_justext import JustextError, extract
from scrapy_justext.core.language_table import LANGUAGES, OWN_NAMES, Language, normalise
from scrapy_justext.core.options import make_options
from scrapy_justext.core.stoplists import StoplistLibrary, find_library, read_stoplist, shipped_folder, stoplist_words
from scrapy_justext.exceptions import StoplistError, UnknownNameError
from tests.builders import REPOSITORY

LIBRARY = find_library()
WHEEL = Path(justext.__file__).parent / "stoplists"
ADDED = {
    "Burmese", "Chinese", "Hausa", "Japanese", "Khmer", "Lao", "Ligurian", "Scottish_Gaelic", "Sesotho", "Tatar",
    "Thai", "Tibetan", "Tswana",
}  # fmt: skip
OF_THE_REFERENCE = [language for language in LIBRARY.languages if language.name not in ADDED]


class TestShipped:
    def test_there_are_a_hundred_and_thirteen_with_a_notice(self) -> None:
        assert len(LIBRARY.languages) == 113
        assert sorted(path.stem for path in shipped_folder().glob("*.txt")) == sorted(LANGUAGES)
        assert justext.get_stoplists() == {language.name for language in OF_THE_REFERENCE}
        notice = (REPOSITORY / "stoplists" / "LICENSE").read_text()
        assert "Pomik" in notice
        assert "Redistribution and use in source and binary forms" in notice

    @pytest.mark.parametrize("language", OF_THE_REFERENCE, ids=lambda language: language.name)
    def test_each_equals_that_of_the_reference_s_wheel(self, language: Language) -> None:
        own = shipped_folder() / f"{language.name}.txt"
        assert own.read_bytes() == (WHEEL / own.name).read_bytes()
        assert LIBRARY.words(language) == justext.get_stoplist(language.name) - {""}

    @pytest.mark.parametrize("language", LIBRARY.languages, ids=lambda language: language.name)
    def test_words_are_lower_case_without_white_space(self, language: Language) -> None:
        words = LIBRARY.words(language)
        assert words
        assert [word for word in words if word != word.lower() or word.split() != [word]] == []

    def test_a_file_is_read_once(self) -> None:
        english = LIBRARY.get("English")
        assert LIBRARY.words(english) is LIBRARY.words(english)
        assert find_library() is LIBRARY


FOUND = [
    ("English", "English"), ("english", "English"), ("ENGLISH", "English"), ("en", "English"), ("EN", "English"),
    ("eng", "English"), ("en-GB", "English"), ("en_US", "English"), ("de", "German"), ("deu", "German"),
    ("ger", "German"), ("cs", "Czech"), ("ces", "Czech"), ("cze", "Czech"), ("fre", "French"), ("dut", "Dutch"),
    ("gre", "Greek"), ("baq", "Basque"), ("wel", "Welsh"), ("Low_Saxon", "Low_Saxon"), ("Low Saxon", "Low_Saxon"),
    ("low-saxon", "Low_Saxon"), ("lowsaxon", "Low_Saxon"), (" German ", "German"),
    ("Norwegian Bokmål", "Norwegian_Bokmal"),
    ("norwegian", "Norwegian_Bokmal"), ("no", "Norwegian_Bokmal"), ("nn", "Norwegian_Nynorsk"), ("pt-BR", "Portuguese"),
    ("pt_BR", "Portuguese"), ("zh-Hant", "Chinese"), ("zho", "Chinese"), ("zh-CN", "Chinese"),
    ("zh-Hant-TW", "Chinese"), ("Traditional Chinese", "Chinese"), ("mandarin", "Chinese"), ("xx-min", None),
    ("Farsi", "Persian"),
    ("Serbo-Croatian", "Serbo_Croatian"),
    ("Volapük", "Volapuk"),
    ("Simple English", "Simple_English"),
    ("en-simple", "Simple_English"),
    ("be-tarask", "Belarusian_Taraskievica"),
    ("be", "Belarusian"), ("Deutsch", "German"), ("DEUTSCH", "German"), ("francais", "French"), ("Español", "Spanish"),
    ("castellano", "Spanish"), ("norsk", "Norwegian_Bokmal"), ("bahasa indonesia", "Indonesian"),
    ("русский", "Russian"), ("РУССКИЙ", "Russian"), ("ελληνικα", "Greek"), ("中文", "Chinese"), ("日本語", "Japanese"),
    ("हिन्दी", "Hindi"), ("العربية", "Arabic"), ("iw", "Hebrew"), ("", None), (" ", None), ("-", None),
    ("Klingon", None), ("e", None),
]  # fmt: skip


class TestNames:
    @pytest.mark.parametrize(("name", "expected"), FOUND)
    def test_a_language_is_found_by_name_and_code(self, name: str, expected: str | None) -> None:
        found = LIBRARY.find(name)
        assert (found and found.name) == expected

    @pytest.mark.parametrize("language", LIBRARY.languages, ids=lambda language: language.name)
    def test_every_name_and_code_leads_to_its_language(self, language: Language) -> None:
        for name in (language.name, *language.codes, *OWN_NAMES[language.name]):
            spellings = {name, name.upper(), name.lower(), name.replace("_", " "), name.replace("_", "-")}
            assert {LIBRARY.find(spelling) for spelling in spellings} == {language}

    def test_no_two_languages_share_a_name_or_code(self) -> None:
        keys = [key for name, codes in LANGUAGES.items() for key in {*map(normalise, (name, *codes, *OWN_NAMES[name]))}]
        assert sorted(keys) == sorted(set(keys))
        assert "" not in keys

    @pytest.mark.parametrize(
        ("name", "suggestion"),
        [
            ("Germn", "German"), ("Frensh", "French"), ("spannish", "Spanish"), ("Low Saxn", "Low_Saxon"),
            ("Deutch", "Deutsch"), ("русски", "русский"),
            ("bahasa indonesa", "Bahasa Indonesia"),
        ],
    )  # fmt: skip
    def test_an_unknown_one_is_an_error_that_suggests_close_matches(self, name: str, suggestion: str) -> None:
        with pytest.raises(UnknownNameError) as caught:
            extract("<p>x", language=name)
        assert str(caught.value).startswith(f"language = {name!r}: unknown language; did you mean {suggestion}")
        assert caught.value.suggestions[0] == suggestion

    @pytest.mark.parametrize("name", ["Klingon", "", "qq", "AUTO", "xx-en"])
    def test_an_error_lists_known_ones_where_none_is_close(self, name: str) -> None:
        with pytest.raises(UnknownNameError, match=r"known are Afrikaans, Albanian, .* and 101 more"):
            extract("<p>x", language=name)

    @pytest.mark.parametrize("language", [None, 7, [], (), {"en"}, [7], [None], ["English", "Germn"]], ids=str)
    def test_what_is_no_name_is_an_error(self, language: Any) -> None:
        with pytest.raises(JustextError, match=r"^language = "):
            extract("<p>x", language=language)

    def test_auto_in_a_list_is_auto_and_a_language_named_twice_counts_once(self) -> None:
        assert make_options(language=["auto"]).candidates is make_options(language=("auto",)).candidates is None
        assert make_options(language=["de", "German", "en"]).candidates == (LIBRARY.get("de"), LIBRARY.get("en"))
        assert extract("<p>x", language="ger").language == "de"
        assert extract("<p>x", language="Cebuano").language == "ceb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files to name as stoplists."""
    (tmp_path / "one.txt").write_text("The\nOF\n\n  and \r\n", encoding="utf-8")
    (tmp_path / "two.txt").write_bytes("\ufeffžluť\nof".encode())
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "latin.txt").write_bytes("žluť".encode("cp1250"))
    return tmp_path


OWN: list[tuple[str, Callable[[Path], Any], set[str]]] = [
    ("a path as str", lambda f: str(f / "one.txt"), {"the", "of", "and"}),
    ("a path", lambda f: f / "one.txt", {"the", "of", "and"}),
    ("a file with a byte order mark", lambda f: f / "two.txt", {"žluť", "of"}),
    ("several paths", lambda f: [f / "one.txt", f / "two.txt"], {"the", "of", "and", "žluť"}),
    ("a tuple of paths", lambda f: (f / "one.txt",), {"the", "of", "and"}),
    ("words", lambda f: ["The", " of ", ""], {"the", "of"}),
    ("a set of words", lambda f: {"the", "of"}, {"the", "of"}),
    ("a generator of words", lambda f: (word for word in ["the", "of"]), {"the", "of"}),
    ("words that look like a path", lambda f: [str(f / "one.txt")], None),  # type: ignore[list-item]
]

WRONG: list[tuple[str, Callable[[Path], Any], str]] = [
    ("a missing file", lambda f: f / "none.txt", "{}: cannot be read: No such file or directory"),
    ("a folder", lambda f: f, "{}: cannot be read: Is a directory"),
    ("no word", lambda f: f / "empty.txt", "{}: holds no word"),
    ("not UTF-8", lambda f: f / "latin.txt", "{}: is not UTF-8"),
]


WORDLESS: list[Any] = [[], (), set(), [""], [" ", "\n"]]
#: What is no stoplist, and the problem; of paths, the system tells it in its own words.
NO_STOPLISTS: list[tuple[Any, str]] = [
    *((source, "must be a path, ") for source in (7, True, b"the", [1], ["the", 7], ["the", Path("x")], [b"the"])),
    *((source, "holds no word") for source in WORDLESS),
    *((path, "") for path in ("", "a\0b", "a\ud800b")),
]


class TestOwn:
    @pytest.mark.parametrize(("make", "expected"), [c[1:] for c in OWN], ids=[c[0] for c in OWN])
    def test_a_list_is_a_path_paths_or_words(
        self, folder: Path, make: Callable[[Path], Any], expected: set[str] | None
    ) -> None:
        source = make(folder)
        assert stoplist_words(source) == (expected or {str(source[0]).lower()})

    @pytest.mark.parametrize("form", [str, Path, lambda path: [path]], ids=["str", "Path", "in a list"])
    @pytest.mark.parametrize(("make", "message"), [c[1:] for c in WRONG], ids=[c[0] for c in WRONG])
    def test_a_file_that_will_not_do_is_named(
        self, folder: Path, make: Callable[[Path], Any], message: str, form: Callable[[Path], Any]
    ) -> None:
        path = make(folder)
        with pytest.raises(StoplistError) as caught:
            extract("<p>x", stoplist=form(path))
        hint = "; words are given as a list" if form is str and "No such file" in message else ""
        assert str(caught.value) == f"stoplist = {message.format(repr(str(path)))}{hint}"
        assert caught.value.value == str(path)
        assert isinstance(caught.value, JustextError)

    @pytest.mark.parametrize(("source", "problem"), NO_STOPLISTS, ids=ascii)
    def test_what_is_no_stoplist_is_an_error_that_names_it(self, source: Any, problem: str) -> None:
        with pytest.raises(StoplistError) as caught:
            extract("<p>x", stoplist=source)
        assert caught.value.value == source
        assert str(caught.value).startswith(f"stoplist = {source!r}: {problem}")

    def test_the_words_decide_and_a_language_beside_them_is_recorded(self) -> None:
        text = "lamp " * 60
        assert extract(f"<p>{text}", stoplist=["Lamp"]).paragraphs == [text.strip()]
        assert extract(f"<p>{text}", stoplist=["lam"]).paragraphs == []
        extraction = extract("<p>" + "lamp " * 60, stoplist=["lamp"], language="de")
        assert (extraction.language, extraction.language_source) == ("de", "given")
        assert len(extraction.paragraphs) == 1

    def test_the_page_s_language_is_found_all_the_same(self) -> None:
        extraction = extract("<html lang=de><p>Das ist ein Haus", stoplist=["lamp"])
        assert (extraction.language, extraction.language_source) == ("de", "detected")
        assert extraction.declared_language == "de"
        unknown = extract("<p>1 2 3", stoplist=["lamp"])
        assert (unknown.language, unknown.language_source) == ("und", "given")
        assert unknown.language_reason == "judged by own stop words; no text to tell, nothing declared"


class TestOwnFolder:
    def test_its_lists_come_before_the_shipped_ones_and_decide(self, tmp_path: Path) -> None:
        (tmp_path / "English.txt").write_text("lamp")
        library = StoplistLibrary(tmp_path)
        assert library.words(library.get("en")) == {"lamp"}
        assert library.words(library.get("de")) == LIBRARY.words(LIBRARY.get("de"))
        assert len(library.languages) == 113
        (tmp_path / "English.txt").write_text("lamp")
        options = make_options(language="en", stoplists_dir=tmp_path)
        assert options.library.words(options.candidates[0]) == {"lamp"}  # type: ignore[index]
        assert options.stopwords is None
        (tmp_path / "English.txt").write_text("lamp")
        (tmp_path / "README.md").write_text("lists")
        assert len(StoplistLibrary(tmp_path).languages) == 113

    @pytest.mark.parametrize("name", ["en", "ENG", "english", "Low Saxon", "ger"])
    def test_a_list_may_be_named_by_code_or_in_any_case(self, tmp_path: Path, name: str) -> None:
        (tmp_path / f"{name}.txt").write_text("lamp")
        library = StoplistLibrary(tmp_path)
        assert library.words(library.get(name)) == {"lamp"}
        assert len(library.languages) == 113

    def test_a_language_of_its_own(self, tmp_path: Path) -> None:
        (tmp_path / "Klingon.txt").write_text("qapla")
        library = StoplistLibrary(tmp_path)
        assert library.words(library.get("klingon")) == {"qapla"}
        assert library.get("Klingon").code == "klingon"
        assert len(library.languages) == 114
        assert LIBRARY.find("Klingon") is None

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda f: f / "none", "is not a folder"),
            (lambda f: f / "one.txt", "is not a folder"),
            (lambda f: f / "sub", "holds no LANGUAGE.txt"),
        ],
        ids=["missing", "a file", "without lists"],
    )
    def test_one_that_will_not_do_is_named(self, folder: Path, make: Callable[[Path], Path], message: str) -> None:
        (folder / "sub").mkdir()
        with pytest.raises(StoplistError) as caught:
            make_options(stoplists_dir=make(folder))
        assert str(caught.value).startswith("stoplists_dir = ")
        assert str(make(folder)) in str(caught.value)
        assert str(caught.value).endswith(f": {message}")
        assert caught.value.name == "stoplists_dir"

    def test_a_broken_list_in_it_is_named_when_it_is_read(self, folder: Path) -> None:
        library = StoplistLibrary(folder)
        with pytest.raises(StoplistError) as caught:
            library.words(library.get("latin"))  # latin.txt stands for Latin
        assert caught.value.value == str(folder / "latin.txt")
        assert read_stoplist(folder / "one.txt") == {"the", "of", "and"}
