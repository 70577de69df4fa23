"""What the README says is checked against the code."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from scrapy_justext.extraction import BLOCK_FIELDS
from scrapy_justext.profiles import PROFILES
from scrapy_justext.settings import DEFAULT_FIELDS, PREFIX, SETTINGS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def table_rows(first_column: str) -> list[list[str]]:
    """The cells of the rows that open with a code span matching ``first_column``."""
    rows = [line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("| `")]
    return [row for row in rows if re.fullmatch(first_column, row[0].strip("`"))]


def test_settings_table_has_every_setting_with_its_meaning() -> None:
    rows = {row[0].strip("`"): row[2] for row in table_rows(f"{PREFIX}[A-Z_]+")}
    assert rows == {PREFIX + name.upper(): setting.meaning for name, setting in SETTINGS.items()}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_table_has_the_default(name: str) -> None:
    [row] = table_rows(PREFIX + name.upper())
    default = SETTINGS[name].default
    shown = row[1].strip('"')
    if isinstance(default, (str, bool)):
        assert shown == str(default)
    elif isinstance(default, int):
        assert shown.split()[0] == str(default)
    elif default is None:
        assert shown in ("None", "the profile's")


def test_profiles_table_is_complete() -> None:
    assert {row[0].strip("`") for row in table_rows(r"justext[\w.-]*")} == set(PROFILES)


def test_every_field_is_explained() -> None:
    assert [name for name in (*BLOCK_FIELDS, *DEFAULT_FIELDS) if f"`{name}`" not in README] == []


def test_examples_give_what_they_show() -> None:
    parser = doctest.DocTestParser()
    examples = parser.get_doctest(README, {}, "README.md", "README.md", 0)
    assert examples.examples
    results = doctest.DocTestRunner().run(examples)
    assert results.failed == 0


@pytest.mark.parametrize("marker", ["<!-- demo command -->", "<!-- test command -->"])
def test_the_two_commands_are_one_line_each(marker: str) -> None:
    _, _, rest = README.partition(marker)
    fence, command, end = rest.strip().splitlines()[:3]
    assert (fence, end) == ("```sh", "```")
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")
