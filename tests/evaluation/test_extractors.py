"""Extractors by name: ours, those of other packages, and what keeps them quiet."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING

import pytest

from scrapy_justext import __version__, core
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.evaluation.extractors.base import (
    FunctionExtractor,
    digest_files,
    find_language,
    quiet,
    warm_up_page,
)
from scrapy_justext.evaluation.extractors.names import code_digest, find_extractor
from scrapy_justext.evaluation.extractors.ncleaner import blocks_of
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError, UnknownNameError
from tests.builders import REPOSITORY
from tests.evaluation.sets import STORY, make_document, write_plugin

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.core.language_table import Language
    from scrapy_justext.evaluation.datasets.documents import Document

PEER_NAMES = {
    "ref:justext",
    "ref:boilerpy3-default",
    "ref:boilerpy3-article",
    "ref:boilerpy3-sentences",
    "ref:readability-lxml",
    "ref:readability-js",
    "ref:goose3",
    "ref:newspaper4k",
    "ref:trafilatura",
    "ref:resiliparse",
    "ref:turbohtml",
    "ref:html-text",
}


def known_names() -> set[str]:
    with pytest.raises(UnknownNameError) as caught:
        find_extractor("none of them")
    return set(caught.value.known)


class TestNames:
    def test_all_names(self) -> None:
        assert {"ttr", *PEER_NAMES, *PROFILES} <= known_names()

    @pytest.mark.parametrize(
        ("name", "close"),
        [("justex", "justext"), ("ref:justex", "ref:justext"), ("ref:readability", "ref:readability-js")],
    )
    def test_an_unknown_name_gets_close_ones(self, name: str, close: str) -> None:
        with pytest.raises(UnknownNameError) as caught:
            find_extractor(name)
        assert close in caught.value.suggestions

    def test_no_library_is_loaded_before_its_extractor_is_asked_for(self) -> None:
        code = (
            "import sys, scrapy_justext.evaluation.extractors.names as e; e.find_extractor('ttr');"
            "print(sorted({'justext', 'trafilatura', 'goose3', 'newspaper', 'tqdm', 'scipy'} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.strip() == "[]"


class TestOwn:
    @pytest.mark.parametrize("profile", PROFILES)
    def test_every_profile(self, profile: str) -> None:
        extractor = find_extractor(profile)
        assert (extractor.name, extractor.version) == (profile, __version__)
        # The second paragraph says nothing new.
        repeated = "" if PROFILES[profile].thresholds.drop_repeated else f"\nSecond. {STORY.strip()}"
        assert extractor(make_document(), "English") == f"{STORY.strip()}{repeated}"

    @pytest.mark.parametrize(("language", "kept"), [("en", True), (None, True), ("auto", True), ("Esperanto", False)])
    def test_the_language_counts(self, language: str | None, kept: bool) -> None:
        assert bool(find_extractor("justext")(make_document(), language)) is kept


class TestEntryPoints:
    @pytest.fixture(autouse=True)
    def plugin(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(write_plugin(tmp_path / "plugin")))

    def test_an_extractor_of_another_package(self) -> None:
        assert "friendly" in known_names()
        extractor = find_extractor("friendly")
        assert extractor.version == "1.0"
        assert extractor(make_document(), "German") == "friendly 1 German"

    def test_one_that_cannot_be_loaded(self) -> None:
        with pytest.raises(ExtractorError, match=r"unloadable cannot be loaded: RuntimeError: no licence"):
            find_extractor("unloadable")

    def test_one_that_calls_itself_otherwise(self) -> None:
        with pytest.raises(ExtractorError, match="it calls itself other"):
            find_extractor("misnamed")

    def test_one_that_misses_a_library(self) -> None:
        with pytest.raises(MissingLibraryError, match="pip install the-missing-library"):
            find_extractor("missing")


class TestLanguage:
    @pytest.mark.parametrize(("name", "expected"), [("en", "English"), ("German", "German"), ("pt-BR", "Portuguese")])
    def test_names_and_codes(self, name: str, expected: str) -> None:
        language = find_language(name)
        assert language is not None
        assert language.name == expected

    @pytest.mark.parametrize("name", [None, "auto"])
    def test_not_known(self, name: str | None) -> None:
        assert find_language(name) is None

    def test_unknown(self) -> None:
        with pytest.raises(UnknownNameError, match="did you mean German"):
            find_language("Germn")


class TestQuiet:
    def test_nothing_is_seen(self, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
        with quiet():
            print("printed")
            print("printed", file=sys.stderr)
            warnings.warn("warned", stacklevel=1)
            logging.getLogger("a.library").critical("logged")
        assert capsys.readouterr() == ("", "")
        assert caplog.records == []

    def test_afterwards_all_is_as_before(
        self, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ValueError, match="broken"), quiet():
            raise ValueError("broken")
        print("printed")
        logging.getLogger("a.library").error("logged")
        with pytest.warns(UserWarning, match="warned"):
            warnings.warn("warned", stacklevel=1)
        assert capsys.readouterr().out == "printed\n"
        assert [record.message for record in caplog.records] == ["logged"]


TEXTS = {
    "blocks": ("<h1>A</h1><p>B <i>c</i></p><ul><li>D<li>E</ul>", "A\nB c\nD\nE"),
    "two line breaks": ("<p>A<br>B<br><br>C", "A B\nC"),
    "white space": ("<p>\n A \n\n B </p>\n", "A B"),
    "what is not shown": ("<style>p{}</style><p>A<script>1</script><!-- no -->", "A"),
    "references": ("<p>Fish &amp; chips &#233;", "Fish & chips \u00e9"),
    "text alone": ("A", "A"),
    "nothing": (" \n", ""),
}


@pytest.mark.parametrize(("html", "text"), TEXTS.values(), ids=TEXTS)
def test_blocks_of_a_fragment(html: str, text: str) -> None:
    assert "\n".join(blocks_of(html)) == text


class TestWarmUp:
    def test_the_page_is_one_with_content(self) -> None:
        assert find_extractor("justext")(warm_up_page(), "English").count("worst of times") == 9

    def test_the_function_is_called_with_it(self) -> None:
        seen: list[tuple[Document, Language | None]] = []

        def extract(document: Document, language: Language | None) -> str:
            seen.append((document, language))
            raise ValueError("not yet")

        FunctionExtractor("one", "1", extract).warm_up("de")
        assert seen == [(warm_up_page(), find_language("German"))]


def test_a_page_of_nothing() -> None:
    for name in (*PROFILES, "ttr"):
        assert find_extractor(name)(make_document(""), "English") == ""


@pytest.mark.full
def test_results_of_ours_are_bound_to_all_code_that_decides_them() -> None:
    show = (
        "import sys; from scrapy_justext.core.extractor import extract; extract('<p>A', profile='learned');"
        "print(*(name for name in sys.modules if 'justext' in name))"
    )
    printed = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout
    beside_core = {name for name in printed.split() if not name.startswith("scrapy_justext.core")}
    assert beside_core == {"scrapy_justext", "scrapy_justext.exceptions"}


@pytest.mark.parametrize(
    "changed", ["extractor.py", "reading/walk.pyx", "reading/nodes.pxd", "learned/models/learned.npz"]
)
def test_results_are_bound_to_the_engine_s_code_and_models(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    digests = set()
    for content in ("one", "other"):
        (tmp_path / changed).write_text(content)
        digests.add(code_digest.__wrapped__())
    assert len(digests) == 2


def test_the_digest_of_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    paths = [tmp_path / "a", tmp_path / "b"]
    before = digest_files(paths)
    assert before == digest_files(paths)
    assert len({before, digest_files(paths[:1]), digest_files(paths[::-1])}) == 3
    (tmp_path / "b").write_bytes(b"3")
    assert digest_files(paths) != before
    assert find_extractor("justext").code == find_extractor("article").code != find_extractor("ttr").code  # type: ignore[attr-defined]
