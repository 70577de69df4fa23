"""Pools whose processes are quick to start."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from scrapy_justext.workers import process
from tests import forked


@pytest.fixture
def _forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the processes of pools forked off one that has loaded the package; each of their own starts takes a while."""
    monkeypatch.setattr(process, "subprocess", SimpleNamespace(Popen=forked.worker, PIPE=subprocess.PIPE))
