"""Progress on a terminal and elsewhere."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation import workers as module
from scrapy_justext.evaluation.store import Result
from scrapy_justext.evaluation.workers import Progress

if TYPE_CHECKING:
    from scrapy_justext.evaluation.store import Status


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def result(status: Status = "ok") -> Result:
    return Result("1", status, 0.1, None)


def test_elsewhere_a_line_at_the_end() -> None:
    stream = io.StringIO()
    with Progress(10, 4, stream) as progress:
        for status in ("ok", "failed", "timeout", "failed"):
            progress.update(result(status))
    assert stream.getvalue() == "8 of 10 results, 2 failed, 1 out of time\n"


def test_elsewhere_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with Progress(10, 0, stream) as progress:
        for _ in range(7):
            now[0] += module.INTERVAL / 3
            progress.update(result())
    assert stream.getvalue().splitlines() == ["3 of 10 results", "6 of 10 results", "7 of 10 results"]


def test_on_a_terminal_a_bar() -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    stream = Terminal()
    with Progress(4, 2, stream) as progress:
        progress.update(result("failed"))
        progress.update(result())
    last = stream.getvalue().rstrip().rpartition("\r")[2]
    assert "100%" in last
    assert "4/4" in last
    assert "1 failed" in last
