"""What the docs say of the output, and of the command, is checked against the code."""

from __future__ import annotations

import re
from argparse import ArgumentParser

import pyarrow as pa
import pytest

from scrapy_justext.archives.command import add_options
from scrapy_justext.archives.output import SUFFIXES
from scrapy_justext.crawl.commands import NAMES, option
from scrapy_justext.crawl.settings import PREFIX, SETTINGS
from scrapy_justext.tables import BLOCK, OF_RECORDS, PLACE
from tests.builders import REPOSITORY

ARCHIVES = (REPOSITORY / "docs" / "archives.md").read_text("utf-8")
SPARK = (REPOSITORY / "docs" / "spark.md").read_text("utf-8")


def type_name(kind: pa.DataType) -> str:
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def test_the_table_of_columns_is_the_schema() -> None:
    listed = re.findall(r"^\| `(\w+)` \| ([\w<>]+) \|", ARCHIVES.partition("<!-- schema -->")[2], re.MULTILINE)
    assert listed == [(field.name, type_name(field.type)) for field in (*PLACE, *OF_RECORDS, *BLOCK)]


def test_every_option_and_format_is_explained() -> None:
    parser = ArgumentParser(add_help=False)
    add_options(parser)
    options = {name for action in parser._actions for name in action.option_strings} - {"--output"}
    options -= set(map(option, NAMES))
    assert [name for name in (*options, *SUFFIXES) if f"`{name}" not in ARCHIVES] == []
    assert [suffix for suffix in SUFFIXES if suffix not in parser.format_help()] == []


@pytest.mark.parametrize("page", [ARCHIVES, SPARK], ids=["archives", "spark"])
def test_only_settings_that_exist_are_named(page: str) -> None:
    known = {PREFIX + name.upper() for name in SETTINGS}
    assert set(re.findall(r"JUSTEXT_[A-Z_]+[A-Z]", page)) <= known
