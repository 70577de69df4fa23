"""A step of datatrove's pipelines, in the process that it forks."""

import os
import pickle
import sys
from collections.abc import Iterable
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="datatrove is not installed")

from datatrove.data import Document
from datatrove.pipeline.extractors.base import BaseExtractor

from scrapy_justext import extract
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.exceptions import ParameterError
from scrapy_justext.integrations.datatrove import JustextExtractor
from tests.integrations.pages import HOSTILE, PAGE

# Later versions of Python warn of its fork where there are threads, as datatrove's logger and Ray have.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def run(step: JustextExtractor, pages: Iterable[str]) -> list[tuple[str, str]]:
    """The documents that a step leaves of pages, by their numbers."""
    documents = (Document(text=page, id=str(number)) for number, page in enumerate(pages))
    return [(document.id, document.text) for document in step.run(documents)]


def count(step: JustextExtractor, name: str) -> int:
    return int(step.stats[name].total)


def test_pages_become_texts_and_those_without_text_are_dropped() -> None:
    step = JustextExtractor()
    assert isinstance(step, BaseExtractor)
    text = extract(PAGE).text
    assert run(step, [PAGE, "", "<p>Home", HOSTILE, PAGE]) == [("0", text), ("4", text)]
    assert (count(step, "extracted"), count(step, "dropped")) == (5, 3)


def test_documents_keep_their_metadata_and_become_what_is_chosen() -> None:
    metadata = {"url": "https://example.org/", "date": "2024-02-29T12:00:00Z", "title": "Mine", "text": 1}
    [document] = JustextExtractor().run(iter([Document(text=PAGE, id="a", metadata=dict(metadata))]))
    assert (document.id, document.metadata) == ("a", metadata)
    assert JustextExtractor(markdown=True).extract(PAGE).startswith("# Two cities\n\n")
    assert JustextExtractor(length_high=10_000, length_low=5_000).extract(PAGE) == ""
    with pytest.raises(ParameterError, match="unknown profile"):
        JustextExtractor(profile="x")


def test_the_first_page_finds_everything_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded in a forked process is lost with it."""
    here: list[int] = []
    extract_page = Extractor.extract

    def noting(self: Extractor, page: Any, **options: Any) -> Any:
        here.append(os.getpid())
        return extract_page(self, page, **options)

    monkeypatch.setattr(Extractor, "extract", noting)
    step = JustextExtractor()
    next(iter(step.run(iter([Document(text=PAGE, id="0")]))))
    assert here == [os.getpid()]


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info >= (3, 14), reason="a process that is not forked knows no patch"
)
def test_a_page_that_takes_too_long_is_dropped_and_the_next_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    extract_page = Extractor.extract

    def endless(self: Extractor, page: Any, **options: Any) -> Any:
        while page == "endless":
            pass
        return extract_page(self, page, **options)

    monkeypatch.setattr(Extractor, "extract", endless)
    step = JustextExtractor(timeout=1)
    assert [number for number, _ in run(step, [PAGE, "endless", PAGE])] == ["0", "2"]
    assert count(step, "timeout") == 1


def test_it_is_sent_to_other_processes() -> None:
    step = pickle.loads(pickle.dumps(JustextExtractor(drop_css=".ad", profile="article")))
    assert run(step, [PAGE]) == [("0", extract(PAGE, profile="article").text)]
