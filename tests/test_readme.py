"""What the README, the settings and the fields in the docs say is checked against the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.profiles import PAGE, side_by_side
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.tags import KINDS
from scrapy_justext.core.unsegmented import WITH_THRESHOLDS
from scrapy_justext.crawl.settings import DEFAULT_FIELDS, PREFIX, SETTINGS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text("utf-8")
FIELDS_PAGE = (ROOT / "docs" / "fields.md").read_text("utf-8")
PROFILES_PAGE = (ROOT / "docs" / "profiles.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text("utf-8")
KINDS_PAGE = (ROOT / "docs" / "kinds.md").read_text("utf-8")
LANGUAGES = (ROOT / "docs" / "languages.md").read_text("utf-8")


def table_rows(first_column: str) -> list[list[str]]:
    """The cells of the rows that open with a code span matching ``first_column``."""
    rows = [line.strip("| ").split(" | ") for line in SETTINGS_PAGE.splitlines() if line.startswith("| `")]
    return [row for row in rows if re.fullmatch(first_column, row[0].strip("`"))]


def test_settings_table_has_every_setting_with_its_meaning() -> None:
    rows = {row[0].strip("`"): row[2] for row in table_rows(f"{PREFIX}[A-Z_]+")}
    meanings = {PREFIX + name.upper(): setting.meaning.replace("](docs/", "](") for name, setting in SETTINGS.items()}
    assert rows == meanings


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
    elif not default:
        assert shown in ("[]", "{}")


def test_the_defaults_of_parameters_are_those_of_the_code() -> None:
    sentence = SETTINGS_PAGE.partition("Parameters of all:")[2].partition("(no filter")[0]
    shown = re.findall(r"`(\w+)` (\w[\w.]*)", sentence.replace("\n", " "))
    assert dict(shown) == {name: str(parameter.default) for name, parameter in PARAMETERS.items()}


def test_the_thresholds_of_scripts_with_their_own_are_those_of_the_code() -> None:
    rows = LANGUAGES.partition("<!-- thresholds -->")[2].strip().splitlines()[2 : 2 + len(WITH_THRESHOLDS)]
    library = find_library()
    assert [row.strip("| ").split(" | ") for row in rows] == [
        [library.get(one.code).name, *map(str, one.thresholds.values()), str(one.characters_per_word)]
        for one in WITH_THRESHOLDS
    ]


def test_the_profiles_side_by_side_are_real_output() -> None:
    shown = PROFILES_PAGE.partition("<!-- side by side -->\n```\n")[2].partition("\n```")[0]
    assert shown.splitlines() == side_by_side(PAGE.read_bytes())


@pytest.mark.parametrize(
    "page",
    [README, SETTINGS_PAGE, PROFILES_PAGE, LANGUAGES, KINDS_PAGE],
    ids=["README", "settings", "profiles", "languages", "kinds"],
)
def test_pages_name_only_profiles_and_settings_that_exist(page: str) -> None:
    named = set(re.findall(r"JUSTEXT_[A-Z_]+[A-Z]", page))
    known = {PREFIX + name.upper() for name in SETTINGS}
    assert {name for name in named if not any(one.startswith(name) for one in known)} == set()
    assert len(find_library().languages) == 113


def test_the_stoplists_readme_names_every_added_list() -> None:
    listed = re.findall(r"^\| (\w+) \| \d+ \|", (ROOT / "stoplists" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(listed) == 13
    assert all((ROOT / "stoplists" / f"{name}.txt").is_file() for name in listed)


def test_every_kind_is_explained_with_the_default_of_each_profile() -> None:
    what = KINDS_PAGE.partition("| --- |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z ]+)` \|", what, re.MULTILINE)) == set(KINDS)
    defaults = KINDS_PAGE.partition("| profile | by default |")[2].partition("\n\n")[0]
    shown = {
        name: next(iter(re.findall(r'"(\w+)"', row)), None)
        for row in defaults.splitlines()
        for name in re.findall("`([a-z0-9.-]+)`", row)
    }
    ways = {
        name: {getattr(profile.thresholds, way) for way in ("code", "formulas", "tables") if profile.tags.kinds}
        for name, profile in PROFILES.items()
    }
    assert {name: {way} - {None} for name, way in shown.items()} == ways


def test_profiles_table_is_complete() -> None:
    rows = SETTINGS_PAGE.partition("Profiles (")[2].partition("Parameters of all")[0].splitlines()
    assert [row.split("`")[1] for row in rows if row.startswith("| `")] == list(PROFILES)


def test_every_field_is_explained() -> None:
    assert [name for name in (*BLOCK_FIELDS, *DEFAULT_FIELDS) if f"`{name}`" not in FIELDS_PAGE] == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 200


@pytest.mark.parametrize("marker", ["<!-- demo command -->", "<!-- test command -->"])
def test_the_two_commands_are_one_line_each(marker: str) -> None:
    _, _, rest = README.partition(marker)
    fence, command, end = rest.strip().splitlines()[:3]
    assert (fence, end) == ("```sh", "```")
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_contributors_are_sent_to_places_that_are_there() -> None:
    named = set(re.findall(r"(?<![\w/.])((?:\w+/)*\w+(?:\.py|/))(?!\w)", CONTRIBUTING))
    assert "core/parameters.py" in named
    places = (ROOT, ROOT / "scrapy_justext", ROOT / "scrapy_justext" / "core")
    assert {name for name in named if not any((place / name).exists() for place in places)} == set()
