"""What a test asks of a single page."""

from __future__ import annotations

from typing import Any

from scrapy_justext.archives.records import ArchivedPage, Location, page_record
from scrapy_justext.archives.work import RecordExtractor
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.settings import Given, make_layers


def extract(archived: ArchivedPage, **settings: Any) -> CleanedPage | str:
    """The page as it was cleaned, or the reason why it is not."""
    given = {name: Given(value, name) for name, value in settings.items()}
    extracted = RecordExtractor(make_layers(given, {})).extract(page_record(Location("a.warc", 0), archived))
    return extracted if isinstance(extracted, str) else extracted[0]


def paragraphs(archived: ArchivedPage, **settings: Any) -> list[str]:
    extracted = extract(archived, **settings)
    assert isinstance(extracted, CleanedPage), extracted
    return extracted.extraction.paragraphs


def headers(**values: str) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in values.items())
