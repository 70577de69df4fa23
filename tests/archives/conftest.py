"""What the tests of archives share."""

import pytest

from tests.archives.running import extract_here


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No processes are started."""
    monkeypatch.setattr("scrapy_justext.archives.run.extract_chunks", extract_here)
