"""How far a run got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.archives.output import RunProgress
from scrapy_justext.archives.records import BEGINNING, Location
from scrapy_justext.archives.work import ChunkResult, Trouble

if TYPE_CHECKING:
    import pytest


def test_no_more_troubles_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_justext.archives.output._REMEMBERED", 3)
    progress = RunProgress()
    for _ in range(2):
        troubles = [Trouble(Location("a", number), "corrupt") for number in range(2)]
        progress.add(ChunkResult(b"", {"skipped/corrupt": 2}, troubles), BEGINNING)
    assert [trouble.location.offset for trouble in progress.troubles] == [0, 1, 0]
    assert progress.counts["skipped/corrupt"] == 4
