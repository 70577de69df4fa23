"""Tables in the width of a terminal."""

from __future__ import annotations

import pytest

from scrapy_justext.evaluation.scoring import ExtractorRow, sort_by_f1
from scrapy_justext.evaluation.tables import format_summary


def row(extractor: str, f1: float | None) -> ExtractorRow:
    return ExtractorRow(
        dataset="set",
        extractor=extractor,
        version="1.0",
        measure="sequence",
        precision=f1,
        recall=f1,
        f1=f1,
        precision_sd=None,
        recall_sd=None,
        f1_sd=None if f1 is None else 0.25,
        documents=58,
        failed=2,
        relevant_empty=1,
        retrieved_empty=3,
        both_empty=4,
        mismatch=5,
        milliseconds=None if f1 is None else 12.345,
    )


def test_the_highest_f1_is_first_and_none_last() -> None:
    rows = [row("none", None), row("b", 0.5), row("low", 0.0), row("a", 0.5), row("high", 0.9)]
    assert [row.extractor for row in sort_by_f1(rows)] == ["high", "a", "b", "low", "none"]


def test_a_whole_table() -> None:
    assert format_summary([row("justext", 0.91234), row("ref:broken", None)], 120).splitlines() == [
        "extractor   version  precision  recall      F1      sd  pages  failed  empty  ms/page",
        "justext         1.0     0.9123  0.9123  0.9123  0.2500     58       2      7     12.3",
        "ref:broken      1.0          –       –       –       –     58       2      7        –",
    ]


@pytest.mark.parametrize("width", range(26, 100, 6))
def test_it_fits(width: int) -> None:
    lines = format_summary(
        [row("http://127.0.0.1:9000/extract#json=data.text", 0.5), row("ttr", 0.25)], width
    ).splitlines()
    assert max(map(len, lines)) <= width
    assert "F1" in lines[0]
    assert "0.5000" in lines[1]


def test_the_least_important_columns_go_first() -> None:
    [titles, *_] = format_summary([row("ref:boilerpy3-sentences", 0.5)], 60).splitlines()
    assert titles.split() == ["extractor", "precision", "recall", "F1", "failed", "ms/page"]


def test_a_long_name_is_cut_where_there_is_no_room() -> None:
    [_, line] = format_summary([row("http://127.0.0.1:9000/extract", 0.5)], 30).splitlines()
    assert line == "http://127.0.0.1:9000…  0.5000"
