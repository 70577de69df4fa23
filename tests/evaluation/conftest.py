"""A run with hostile texts and a report on it, each made once for all tests that only read them."""

from pathlib import Path

import pytest

from scrapy_justext.evaluation.__main__ import main
from tests.evaluation.builders import hostile_run


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody reports on."""
    return hostile_run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are made quickly, for tests of what else is in them."""
    monkeypatch.setattr("scrapy_justext.evaluation.report.draw_charts", lambda *_: {})


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run, with the report on it."""
    folder = hostile_run(tmp_path_factory.mktemp("reported"))
    assert main(["report", str(folder)]) == 0
    return folder
