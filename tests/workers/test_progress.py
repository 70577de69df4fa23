"""Progress: a bar on a terminal, lines elsewhere."""

import io
import sys

import pytest

from scrapy_justext.crawl import commands as module
from scrapy_justext.crawl.commands import INTERVAL, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_elsewhere_a_line_at_the_end() -> None:
    stream = io.StringIO()
    with Progress(10, 4, "results", stream) as progress:
        for note in ("", "1 failed", "1 failed", "2 failed, 1 out of time"):
            progress.advance(note)
    assert stream.getvalue() == "8 of 10 results, 2 failed, 1 out of time\n"


def test_elsewhere_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with Progress(10, 0, "results", stream) as progress:
        for _ in range(7):
            now[0] += INTERVAL / 3
            progress.advance()
    assert stream.getvalue().splitlines() == ["3 of 10 results", "6 of 10 results", "7 of 10 results"]


def test_of_bytes_the_share_and_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with Progress(4000, 1000, stream=stream) as progress:
        for pages in (3, 6, 9):
            now[0] += INTERVAL / 2
            progress.advance(f"{pages} pages", 500)
            progress.tell(f"{pages} are bad")
    lines = ["3 are bad", "50%: 6 pages, 60 s left", "6 are bad", "9 are bad"]
    assert stream.getvalue().splitlines() == lines


def test_on_a_terminal_a_bar() -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    stream = Terminal()
    with Progress(4, 2, "results", stream) as progress:
        progress.advance("1 failed")
        progress.advance("1 failed")
    last = stream.getvalue().rstrip().rpartition("\r")[2]
    assert "100%" in last
    assert "4/4" in last
    assert "1 failed" in last


def test_on_a_terminal_without_the_library_for_bars_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    stream = Terminal()
    with Progress(4, 2, "results", stream) as progress:
        progress.advance("1 failed")
    assert stream.getvalue() == "3 of 4 results, 1 failed\n"
