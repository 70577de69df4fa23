"""When compiled code walks over trees."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading import loading
from scrapy_justext.core.reading.loading import Compiled, compiled
from tests.builders import PAGES, pure, read_page, tree
from tests.core.reading.test_nodes import COMPILED, needs_walk

WALK = "scrapy_justext.core.reading.walk"


def test_it_is_compiled_where_that_is_asked_for_and_else_the_nodes_are_made_in_python() -> None:
    if os.environ.get("SCRAPY_JUSTEXT_COMPILED", "0") not in ("", "0"):
        assert COMPILED.walk is not None, COMPILED.reason
    with pure():
        assert type(loading.read_nodes(tree("<p>a"))).__name__ == "Nodes"
        assert compiled().name == "pure"


@pytest.mark.parametrize(("value", "is_off"), [("1", True), ("true", True), ("", False), ("0", False)])
def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, value: str, is_off: bool) -> None:
    monkeypatch.setenv(loading.PURE, value)
    assert (compiled.__wrapped__() == Compiled(None, "SCRAPY_JUSTEXT_PURE is set")) is is_off


@pytest.mark.parametrize("profile", PROFILES)
def test_pages_are_read_without_it(profile: str) -> None:
    page = read_page(next(iter(PAGES.values())))
    # As a dict: what is made late is to be made here.
    expected = extract(page, profile=profile, markdown=True, paths=True).to_dict()
    with pure():
        assert extract(page, profile=profile, markdown=True, paths=True).to_dict() == expected


@needs_walk
class TestGuards:
    """Memory that may be laid out otherwise is not read."""

    @pytest.fixture(autouse=True)
    def _nothing_is_known(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in (loading.PURE, loading.CHECKED):
            monkeypatch.delenv(name, raising=False)

    def test_elements_of_another_size_are_not_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(COMPILED.walk, "SIZE_OF_ELEMENT", 1)
        found = loading.loaded()
        assert found.name == "pure"
        assert "bytes, not 1" in found.reason

    def test_another_lxml_is_tried_in_a_process_of_its_own_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []

        def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
            calls.append(options["env"][loading.CHECKED])
            return subprocess.CompletedProcess([], status)

        monkeypatch.setattr(loading, "TESTED", frozenset())
        monkeypatch.setattr(subprocess, "run", run)
        status = 1
        for _ in range(2):
            assert "failed the check, status 1" in compiled.__wrapped__().reason
        # It does not ask for another one.
        assert calls == [f"lxml {etree.__version__}, libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"]
        # As another version of lxml would have left it.
        monkeypatch.setenv(loading.CHECKED, "lxml 1.0, libxml2 2.9.1: it crashed")
        status = 0
        for _ in range(2):
            assert compiled.__wrapped__().name == "compiled"
        assert len(calls) == 2

    @pytest.mark.parametrize("error", [OSError("no"), subprocess.TimeoutExpired("python", 60)], ids=str)
    def test_a_check_that_does_not_end_well_has_failed(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        def run(*_: Any, **__: Any) -> None:
            raise error

        monkeypatch.setattr(loading, "TESTED", frozenset())
        monkeypatch.setattr(subprocess, "run", run)
        assert "could not be checked" in compiled.__wrapped__().reason

    def test_a_program_that_embeds_python_has_no_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "TESTED", frozenset())
        monkeypatch.setattr(sys, "executable", None)
        assert "could not be checked" in compiled.__wrapped__().reason

    def test_versions_that_were_tested_need_no_check(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "TESTED", {(etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2])})
        monkeypatch.setattr(subprocess, "run", None)
        assert compiled.__wrapped__().name == "compiled"

    def test_what_cannot_be_used_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "compiled", compiled.__wrapped__)
        assert not loading.is_refused()
        monkeypatch.setitem(sys.modules, WALK, None)
        assert loading.is_refused()
        assert loading.compiled().reason.startswith("not compiled: ")
        assert "walk" in loading.compiled().reason
        monkeypatch.setenv(loading.PURE, "1")
        assert not loading.is_refused()

    def test_the_check_passes_here_and_fails_where_trees_are_read_otherwise(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = f"import sys; from {loading.__name__} import main; sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert loading.main() == 0
        other = loading.read_nodes(tree("<p>other"))
        monkeypatch.setattr(loading, "read_in_python", lambda *_: other)
        assert loading.main() == 1

    def test_an_lxml_that_offers_nothing_is_refused(self) -> None:
        code = f"from lxml import etree; etree.__pyx_capi__.clear(); import {WALK}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
        assert "ImportError: lxml" in done.stderr
        assert "elementFactory" in done.stderr


def test_that_nothing_was_compiled_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(loading, "loaded", lambda: Compiled(None, ""))
        assert loading.main() == 2
    monkeypatch.setattr(loading, "_is_there", lambda: False)
    monkeypatch.setitem(sys.modules, WALK, None)
    assert loading.loaded() == (None, "not compiled: nothing was when it was installed")
    assert not loading.is_refused()
