"""A small run on disk to report on, with pages and names that mean no good."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.scoring import score_run
from scrapy_justext.evaluation.store import DataSetRecord, ExtractorRecord, Result, Run, open_results, start_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SENTENCE = "the quick brown fox jumps over a lazy dog near some river bank while rain falls on every old roof"
WORDS = tuple(_SENTENCE.split())
HOSTILE_TEXT = (
    "<script>document.title='taken'</script> <img src=x onerror=\"document.title='taken'\"> "
    "</details></table> {{ 7 * 7 }} ![a](http://example.org/a.png) | <b>bold</b> \u202egnikcah \x1b[31m $x_1$"
)
HOSTILE_NAME = "ref:<img src=x onerror=document.title='taken'>|`$x_$`"
REPORT_ARGUMENTS = ("--top", "8", "--pairs", f"good,{HOSTILE_NAME}", "middling,good")


def gold(place: int) -> str:
    """The gold text of a page, another for each."""
    return " ".join((*WORDS[place:], *WORDS[:place])) + f"\n{HOSTILE_TEXT if place == 1 else ''}"


def write_pages(folder: Path, pages: int) -> Path:
    """A plain pair of folders."""
    for below in ("input", "gold"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    for place in range(1, pages + 1):
        (folder / "input" / f"{place}.html").write_text("<p>page</p>", encoding="utf-8")
        (folder / "gold" / f"{place}.txt").write_text(gold(place), encoding="utf-8", newline="")
    return folder


def write_run(folder: Path, texts: Mapping[str, Mapping[int, str | None]], pages: int = 8) -> Path:
    """A run of extractors that gave these texts for pages, None where they failed; the whole gold text elsewhere."""
    data_set = open_data_set(f"pairs:{write_pages(folder / 'pages', pages)}")
    out = folder / "out"
    record = DataSetRecord(data_set.kind, str(data_set.path), data_set.name, data_set.digest)
    start_run(out, Run((record,), tuple(ExtractorRecord(name, "1.0") for name in texts), None, None))
    for speed, (name, given) in enumerate(texts.items(), 1):
        store = open_results(out, data_set.name, name)
        for place in range(1, pages + 1):
            text = given.get(place, gold(place))
            error = None if text is not None else "ValueError"
            store.append(Result(str(place), "failed" if error else "ok", speed / 100, error), text)
    score_run(out, [data_set])
    return out


def keep_measure(run: Path, measure: str) -> None:
    """Leave the figures of one measure of a run, which makes a report on it quick."""
    summary = run / "summary.json"
    rows = json.loads(summary.read_text("utf-8"))
    summary.write_text(json.dumps([row for row in rows if row["measure"] == measure]), encoding="utf-8")


def hostile_run(folder: Path) -> Path:
    """Three extractors, one of a hostile name, with every boundary case that a gold text allows."""
    return write_run(
        folder,
        {
            "good": {2: "the quick brown fox"},
            "middling": {1: HOSTILE_TEXT, 2: "", 3: "something else", 4: "a lazy dog " * 30, 5: None},
            HOSTILE_NAME: {1: f"{HOSTILE_TEXT} the quick", 2: "river bank", 3: "", 6: "roof"},
        },
    )
