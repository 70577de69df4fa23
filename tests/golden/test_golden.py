"""Whole pages against what is expected of them; ``python -m tests.golden.regenerate`` writes that anew."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from tests.builders import RULES
from tests.golden.odd import describe_odd, odd_expectations, odd_trees
from tests.golden.regenerate import (
    EXPECTED_FOLDER,
    ODD_FILE,
    describe,
    expected_path,
    golden_pages,
    markdown,
    markdown_path,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


#: Its NUL, and an entity without its semicolon, are read otherwise by libxml2 before 2.14.
BROKEN = "demo-news-broken-markup"
is_read_otherwise = pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="libxml2 is older than the expectation")
EACH_PAGE = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=is_read_otherwise if name == BROKEN else ()) for name in golden_pages()]
)


@EACH_PAGE
def test_a_golden_page_comes_out_as_expected(name: str) -> None:
    expected = json.loads(expected_path(name).read_text(encoding="utf-8"))
    found = describe(golden_pages()[name])
    assert list(found) == list(expected)
    for profile, values in found.items():
        assert values == expected[profile], profile


@EACH_PAGE
def test_the_markdown_of_a_golden_page_is_as_expected(name: str) -> None:
    assert f"{markdown(golden_pages()[name])}\n" == markdown_path(name).read_text(encoding="utf-8")


ODD = json.loads(ODD_FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", odd_trees())
def test_an_odd_tree_is_read_as_expected(name: str) -> None:
    root = odd_trees()[name]
    for profile, rules in RULES.items():
        assert describe_odd(root, rules) == ODD[name].get(profile, ODD[name]["justext"]), profile


# What an entity in an attribute stands for is told by the document, which a copy has not.
@pytest.mark.parametrize("name", sorted(odd_trees().keys() - {"entities"}))
def test_each_part_of_an_odd_tree_is_read_as_if_it_were_alone(name: str) -> None:
    for part in odd_trees()[name].iterdescendants(etree.Element):
        alone = deepcopy(part)
        alone.tail = None
        for rules in RULES.values():
            assert describe_odd(part, rules) == describe_odd(alone, rules)


def test_every_expectation_has_its_page() -> None:
    for kind in ("json", "md"):
        assert sorted(path.stem for path in EXPECTED_FOLDER.glob(f"*.{kind}")) == sorted(golden_pages())


def test_the_pages_show_every_class_and_rule() -> None:
    rows = [
        row
        for name in golden_pages()
        for values in json.loads(expected_path(name).read_text(encoding="utf-8")).values()
        if isinstance(values, dict)
        for row in values["blocks"]
    ]
    assert {row[0] for row in rows} == {"good", "bad"}
    assert {row[1] for row in rows} == {"good", "near_good", "short", "bad"}
    reasons = "\n".join(row[2] for row in rows)
    for words in ("link density", "copyright sign", "inside SELECT", "with link characters", "heading, good block",
                  "between good blocks", "between bad blocks", "no near-good one", "on the good side",
                  "on the bad side"):  # fmt: skip
        assert words in reasons


@pytest.mark.full
@is_read_otherwise
def test_the_command_writes_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "gone.json").write_text("{}")
    write(tmp_path)
    assert not (tmp_path / "gone.json").exists()
    for name in golden_pages():
        assert (tmp_path / f"{name}.json").read_bytes() == expected_path(name).read_bytes()
        assert (tmp_path / f"{name}.md").read_bytes() == markdown_path(name).read_bytes()
    assert odd_expectations() == ODD_FILE.read_text(encoding="utf-8")
