"""An algorithm for NeMo Curator, whose packages are too large to install for it: its interface stands in for it."""

import ast
import inspect
import pickle
import subprocess
import sys
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.exceptions import LibraryNotInstalledError, ParameterError
from tests.integrations.pages import HOSTILE, MENU, PAGE, TEXT

BASE = "nemo_curator.stages.text.download.html_extractors.base"
MODULE = "scrapy_justext.integrations.nemo_curator"
ENGLISH = frozenset({"it", "was", "the", "of", "and"})
NO_WORDS: frozenset[str] = frozenset()
IS_INSTALLED = find_spec("nemo_curator") is not None

JAPANESE = "これは私たちの町についての話です。人々はそこで働き、そして夜になると家に帰ります。" * 8
KOREAN = "이것은 우리 마을에 관한 이야기이다. 사람들은 그 곳에서 일하고 그리고 밤이 되면 집으로 돌아간다. " * 8
CHINESE = "这是关于我们城市的一个故事。人们在那里工作，到了晚上他们就回家了，因为他们都很累。" * 8
THAI = "นี่คือเรื่องราวเกี่ยวกับเมืองของเรา ผู้คนทำงานที่นั่นและกลับบ้านในตอนกลางคืน เพราะว่าพวกเขาเหนื่อยมาก " * 8


class StandIn(ABC):
    """The interface; a test below compares it with NeMo Curator's."""

    @abstractmethod
    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """The paragraphs of a page."""


@pytest.fixture(scope="module")
def nemo() -> Iterator[Any]:
    """Our module, with NeMo Curator where it is installed."""
    with pytest.MonkeyPatch.context() as patch:
        if not IS_INSTALLED:
            for name in accumulate(BASE.split("."), "{}.{}".format):
                patch.setitem(sys.modules, name, ModuleType(name))
            patch.setattr(sys.modules[BASE], "HTMLExtractorAlgorithm", StandIn, raising=False)
        yield import_module(MODULE)
        sys.modules.pop(MODULE)


@pytest.mark.skipif(IS_INSTALLED, reason="NeMo Curator is installed")
def test_without_nemo_curator_the_extra_is_named() -> None:
    with pytest.raises(LibraryNotInstalledError, match="extra nemo-curator of scrapy-justext brings it: pip install '"):
        import_module(MODULE)


@pytest.mark.parametrize("profile", ["justext-3.0", "justext", "learned"])
def test_paragraphs_are_those_of_the_page(nemo: Any, profile: str) -> None:
    made = nemo.JustextExtractor(profile=profile).extract_text(PAGE, ENGLISH, "ENGLISH")
    assert made == extract(PAGE, language="en", profile=profile).paragraphs
    assert TEXT.strip() in made


@pytest.mark.parametrize(
    ("language", "text"),
    [("JAPANESE", JAPANESE), ("KOREAN", KOREAN), ("CHINESE", CHINESE), ("CHINESET", CHINESE), ("THAI", THAI)],
)
def test_boilerplate_goes_in_languages_without_spaces_too(nemo: Any, language: str, text: str) -> None:
    menu = f"<ul><li><a href=/>{text[:5]}</a><li><a href=/more>{text[:7]}</a></ul>"
    assert nemo.JustextExtractor().extract_text(f"{menu}<p>{text}", NO_WORDS, language) == [text.strip()]


@pytest.mark.parametrize(
    ("name", "code"),
    [("NORWEGIAN", "nb"), ("NORWEGIAN_N", "nn"), ("WARAY_PHILIPPINES", "war"), ("HAITIAN_CREOLE", "ht"),
     ("LAOTHIAN", "lo"), ("SCOTS_GAELIC", "gd"), ("English", "en")],
)  # fmt: skip
def test_languages_are_found_by_the_names_of_cld2(nemo: Any, name: str, code: str) -> None:
    [language] = nemo.JustextExtractor()._options_for(NO_WORDS, name).candidates
    assert language.code == code


def test_the_words_given_count_for_languages_without_a_list_only(nemo: Any) -> None:
    extractor = nemo.JustextExtractor()
    page = f"{MENU}<p>{'qapla batlh je tlhingan maH ' * 20}"
    assert extractor.extract_text(page, frozenset({"je"}), "KLINGON") == []
    made = extractor.extract_text(page, frozenset({"je", "mah"}), "KLINGON")
    assert len(made) == 1
    assert extractor.extract_text(page, NO_WORDS, "KLINGON") == made
    assert extractor.extract_text(page, frozenset({"je", "mah"}), "ENGLISH") == []


def test_a_language_or_stoplist_of_ones_own_counts_for_all_pages(nemo: Any) -> None:
    page = f"{MENU}<p>{TEXT}"
    assert nemo.JustextExtractor().extract_text(page, ENGLISH, "JAPANESE") == []
    for choice in ({"language": "auto"}, {"language": "en"}, {"stoplist": ENGLISH}):
        assert nemo.JustextExtractor(**choice).extract_text(page, NO_WORDS, "JAPANESE") == [TEXT.strip()]


def test_a_page_without_good_text_and_one_that_cannot_be_read(nemo: Any) -> None:
    extractor = nemo.JustextExtractor(markdown=True)
    assert [extractor.extract_text(page, ENGLISH, "ENGLISH") for page in ("", "<p>Home", HOSTILE)] == [[], [], None]
    [page] = extractor.extract_text(PAGE, ENGLISH, "ENGLISH")
    assert page.startswith("# Two cities\n\n")


def test_choices_are_checked_at_once_and_sent(nemo: Any) -> None:
    for wrong in ({"profile": "x"}, {"is_boilerplate": False}, {"length_low": -1}):
        with pytest.raises(ParameterError):
            nemo.JustextExtractor(**wrong)
    sent = pickle.loads(pickle.dumps(nemo.JustextExtractor(length_low=1_000, length_high=5_000, drop_css=".ad")))
    assert sent.extract_text(PAGE, ENGLISH, "ENGLISH") == []


@pytest.mark.full
def test_the_interface_is_that_of_nemo_curator(tmp_path: Path) -> None:
    """Its wheel is small; what it needs is not."""
    download = ["pip", "download", "--quiet", "--no-deps", "--ignore-requires-python", "--only-binary", ":all:"]
    done = subprocess.run(
        [sys.executable, "-m", *download, "nemo-curator>=1.0"], cwd=tmp_path, capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("no registry has NeMo Curator")
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        module = files.read(f"{BASE.replace('.', '/')}.py").decode()
        assert "def __init__" not in module
    [method] = [node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.FunctionDef)]
    assert method.name == "extract_text"
    assert f"({ast.unparse(method.args)}) -> {ast.unparse(method.returns or ast.Constant(None))}" == str(
        inspect.signature(StandIn.extract_text)
    ).replace("'", "")
