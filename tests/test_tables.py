"""The columns of rows."""

from __future__ import annotations

from dataclasses import fields

from scrapy_justext.core.extraction import BLOCK_FIELDS, Extraction
from scrapy_justext.core.parts import PARTS
from scrapy_justext.tables import BLOCK, type_of_part


def test_parts_have_types_and_blocks_have_all_their_fields() -> None:
    assert all(type_of_part(part) for part in PARTS)
    annotations = {field.name: str(field.type).removesuffix(" | None") for field in fields(Extraction)}
    plain = {name: part.type for name, part in PARTS.items() if name in annotations and name != "blocks"}
    assert len(plain) > 5
    assert plain == {name: annotations[name] for name in plain}
    assert tuple(field.name for field in BLOCK) == BLOCK_FIELDS
