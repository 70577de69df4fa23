"""The schema of rows."""

from __future__ import annotations

from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.crawl.settings import DEFAULT_FIELDS, PARTS_OF_CRAWLS
from scrapy_justext.tables import BLOCK, SCHEMA


def test_the_schema_has_every_part_and_every_field_of_a_block() -> None:
    assert set(SCHEMA.names) == {"url", "file", "offset", *DEFAULT_FIELDS} - PARTS_OF_CRAWLS
    assert tuple(field.name for field in BLOCK) == BLOCK_FIELDS
