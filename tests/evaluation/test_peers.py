"""The other libraries' extractors, each where it is installed."""

from __future__ import annotations

import re
import socket
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.extractors.peers import PEERS, whole_document
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError
from tests.builders import CORPORA, REPOSITORY
from tests.evaluation.sets import make_document

if TYPE_CHECKING:
    from scrapy_justext.evaluation.extractors.base import PageExtractor

SENTENCES = (
    "It was the best of times, it was the worst of times, and all of us knew that it would be both. "
    "The age of wisdom, the age of foolishness, and the epoch of belief were all the same to the people of the town. "
)
STORY = "".join(f"<p>Part {number}: {SENTENCES * 3}</p>" for number in range(5))
MENU = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("Home", "Sports", "Weather"))
PAGE = (
    "<!DOCTYPE html><html lang=en><head><title>Two cities</title></head><body>"
    f"<ul class=menu>{MENU}</ul><article><h1>Two cities</h1>{STORY}</article>"
    "<div class=footer>Copyright</div><script>var hidden = 1;</script></body></html>"
)

#: The libraries that give all of a page's text, content or not.
WHOLE_PAGE = {"ref:html-text"}


def find(name: str) -> PageExtractor:
    try:
        return find_extractor(name)
    except MissingLibraryError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a library wants the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("name", PEERS)
class TestEveryPeer:
    def test_its_text(self, name: str, capfd: pytest.CaptureFixture[str]) -> None:
        text = find(name)(make_document(PAGE, url="http://example.org/a"), "English")
        assert all(f"Part {number}: It was the best" in text for number in range(5))
        assert "var hidden" not in text
        assert "<p>" not in text
        assert ("Home" in text) is (name in WHOLE_PAGE)
        assert capfd.readouterr() == ("", "")

    def test_without_a_language_or_an_address(self, name: str) -> None:
        assert "It was the best of times" in find(name)(make_document(PAGE), None)

    def test_a_language_that_few_have(self, name: str) -> None:
        assert isinstance(find(name)(make_document(PAGE), "Volapuk"), str)

    def test_an_xml_declaration(self, name: str) -> None:
        page = f'<?xml version="1.0" encoding="latin-1"?>\n{PAGE.replace("Part 0", "Pärt 0")}'
        assert "Pärt 0: It was the best" in find(name)(make_document(page), "English")

    def test_its_version(self, name: str) -> None:
        assert find(name).version == metadata.version(PEERS[name].requirements.split()[0])

    def test_without_the_library(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, PEERS[name].module, None)
        with pytest.raises(MissingLibraryError) as caught:
            find_extractor(name)
        assert re.search(rf"{name} is not installed; .*: pip install {PEERS[name].requirements}$", str(caught.value))


def test_a_library_that_breaks_while_it_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("two versions of a thing")

    # What the extractor imports its libraries with, and nothing else.
    monkeypatch.setattr("scrapy_justext.evaluation.extractors.peers.import_module", broken)
    with pytest.raises(ExtractorError, match="ref:justext cannot be loaded: RuntimeError: two versions"):
        find_extractor("ref:justext")


DOCUMENTS = {
    "a whole one": ("<html><p>A", "<html><p>A"),
    "with a doctype": ("<!DOCTYPE html>\n<p>A", "<!DOCTYPE html>\n<p>A"),
    "in capitals": ("<HTML lang=en>A", "<HTML lang=en>A"),
    "without HTML": ("<table><tr><td>A</table><p>B", "<html><table><tr><td>A</table><p>B"),
    "behind a declaration and comments": (
        '<?xml version="1.0"?>\n<!-- a\n--><!-- --> <!doctype html>A',
        "<!doctype html>A",
    ),
    "an element that only begins so": ("<html5>A", "<html><html5>A"),
    "a comment without end": ("<!-- A", "<html><!-- A"),
    "nothing": ("", "<html>"),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_whole_documents(text: str, expected: str) -> None:
    assert whole_document(text) == expected


class TestJustext:
    def test_a_page_without_html_is_read_to_its_end(self) -> None:
        text = find("ref:justext")(make_document(f"<table><tr><td>A</td></tr></table></body><p>{STORY}"), "English")
        assert text.count("It was the best of times") == 15

    @pytest.mark.skipif(not CORPORA.exists(), reason="the labelled pages are not here")
    @pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.full)])
    def test_on_cleaneval_it_gives_what_our_profile_for_it_gives(self, step: int) -> None:
        data_set = open_data_set(f"cleaneval:{CORPORA / 'cleaneval-dev'}")
        theirs, ours = find("ref:justext"), find_extractor("justext-3.0")
        assert len(data_set.ids) == 58
        different = [
            document.id
            for document in data_set.documents[::step]
            if theirs(document, "English") != ours(document, "English")
        ]
        assert different == []

    def test_it_judges_by_the_language_given(self) -> None:
        extractor = find("ref:justext")
        assert extractor(make_document(PAGE), "Esperanto") == ""
        assert extractor(make_document(PAGE), "en") == extractor(make_document(PAGE), None) != ""

    def test_it_gives_what_our_profile_for_it_gives(self) -> None:
        document = make_document(PAGE)
        assert find("ref:justext")(document, "English") == find_extractor("justext-3.0")(document, "English")


def test_every_requirement_is_of_the_peers_extra() -> None:
    tomllib = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extra = {re.split(r"[<>=~ ;]", line)[0] for line in project["optional-dependencies"]["peers"]}
    assert {name for peer in PEERS.values() for name in peer.requirements.split()} <= extra
