"""Items of every kind."""

from dataclasses import dataclass, field
from typing import Any

import attrs
from pydantic import BaseModel, ConfigDict
from scrapy import Field, Item


class ScrapyItem(Item):
    url = Field()
    text = Field()
    language = Field()
    paragraphs = Field()


@dataclass
class DataclassItem:
    url: str
    text: str | None = None
    language: str = ""
    paragraphs: list[str] = field(default_factory=list)


@attrs.define
class AttrsItem:
    url: str
    text: str | None = None
    language: str = ""
    paragraphs: list[str] = attrs.Factory(list)


class PydanticItem(BaseModel):
    url: str
    text: str | None = None
    language: str = ""
    paragraphs: list[str] = []


@dataclass(frozen=True)
class FrozenDataclass:
    url: str
    text: str | None = None
    language: str = ""
    paragraphs: list[str] = field(default_factory=list)


@attrs.frozen
class FrozenAttrs(AttrsItem):
    pass


class FrozenPydantic(PydanticItem):
    model_config = ConfigDict(frozen=True)


def _check_language(item: object, attribute: object, value: str) -> None:
    if len(value) == 2:
        raise ValueError("a name,\n  not a code")


@attrs.define
class Choosy:
    """Takes one field, but not the other."""

    url: str
    text: str | None = None
    language: str = attrs.field(default="", validator=_check_language)


@dataclass
class Fieldless:
    """Declares none of the fields that are written."""

    url: str


class FieldlessItem(Item):
    url = Field()


@dataclass
class BlocksAlone:
    """Has no field for the text."""

    url: str
    blocks: list[dict[str, Any]] = field(default_factory=list)


@attrs.define
class BlocksWithoutText:
    """Refuses the text."""

    url: str
    text: str | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.max_len(10)))
    blocks: list[dict[str, Any]] = attrs.Factory(list)


@dataclass
class Renamed:
    url: str
    body: str | None = None


def plain(url: str) -> dict[str, Any]:
    return {"url": url}


def scrapy_item(url: str) -> ScrapyItem:
    return ScrapyItem(url=url)


def pydantic_item(url: str) -> PydanticItem:
    return PydanticItem(url=url)


#: What makes an item of each kind.
KINDS: dict[str, Any] = {
    "dict": plain,
    "scrapy": scrapy_item,
    "dataclass": DataclassItem,
    "attrs": AttrsItem,
    "pydantic": pydantic_item,
}
