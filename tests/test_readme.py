"""What the README, the settings, fields and stats in the docs say is checked against the code."""

import inspect
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.profiles import PAGE, side_by_side
from scrapy_justext import extract
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.language_table import STOPWORD_DENSITIES
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.tags import KINDS
from scrapy_justext.core.unsegmented import WITH_THRESHOLDS
from scrapy_justext.crawl.pages import page_counts
from scrapy_justext.crawl.settings import DEFAULT_FIELDS, PREFIX, SETTINGS, configure
from tests.samples import code_behind
from training.validated import VARIABLE

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text("utf-8")
FIELDS_PAGE = (ROOT / "docs" / "fields.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text("utf-8")
KINDS_PAGE = (ROOT / "docs" / "kinds.md").read_text("utf-8")
LANGUAGES = (ROOT / "docs" / "languages.md").read_text("utf-8")


def first_cells(page: str) -> set[str]:
    """The code spans in the first column of a page's tables."""
    rows = (line.partition(" |")[0] for line in page.splitlines() if line.startswith("| `"))
    return {name for row in rows for name in re.findall("`([^`]+)`", row)}


def test_stoplists_and_thresholds_are_those_of_the_code() -> None:
    rows = LANGUAGES.partition("<!-- thresholds -->")[2].strip().splitlines()[2 : 2 + len(WITH_THRESHOLDS)]
    library = find_library()
    assert [row.strip("| ").split(" | ") for row in rows] == [
        [library.get(script.code).name, *map(str, script.thresholds.values()), str(script.characters_per_word)]
        for script in WITH_THRESHOLDS
    ]
    listed = re.findall(r"^\| (\w+) \| \d+ \|", (ROOT / "stoplists" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(listed) == 13
    assert all((ROOT / "stoplists" / f"{name}.txt").is_file() for name in listed)


def test_the_densities_of_each_language_are_those_of_the_code() -> None:
    rows = LANGUAGES.partition("<!-- densities -->")[2].partition("<!-- /densities -->")[0].strip().splitlines()[2:]
    library, listed = find_library(), {}
    for row in rows:
        name, words, low, high, *_ = row.strip("| ").split(" | ")
        language = library.get(name)
        assert int(words) == len(library.words(language))
        listed[language.code] = {"stopwords_low": float(low), "stopwords_high": float(high)}
    defaults = Thresholds()
    published = {"stopwords_low": defaults.stopwords_low, "stopwords_high": defaults.stopwords_high}
    assert {code: own for code, own in listed.items() if own != published} == STOPWORD_DENSITIES


def test_the_profiles_side_by_side_are_real_output() -> None:
    assert code_behind("<!-- side by side -->", "docs/profiles.md", "").splitlines() == side_by_side(PAGE.read_bytes())


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_pages_name_only_settings_that_exist(page: Path) -> None:
    named = set(re.findall(r"(?<!SCRAPY_)JUSTEXT_[A-Z_]+[A-Z]", page.read_text("utf-8")))
    known = {PREFIX + name.upper() for name in SETTINGS} | {VARIABLE}
    assert {name for name in named if not any(of_known.startswith(name) for of_known in known)} == set()


def test_what_decides_on_kinds_is_reported_with_the_default_of_each_profile() -> None:
    parameters = [kind.parameter for kind in KINDS.values() if kind.parameter]
    assert all(f"`{parameter}`" in KINDS_PAGE for parameter in parameters)
    defaults = KINDS_PAGE.partition("| profile | by default |")[2].partition("\n\n")[0]
    shown = {
        name: next(iter(re.findall(r'"(\w+)"', row)), None)
        for row in defaults.splitlines()
        for name in re.findall("`([a-z0-9.-]+)`", row)
    }
    ways = {
        name: {getattr(profile.thresholds, way) for way in parameters if profile.tags.kinds}
        for name, profile in PROFILES.items()
    }
    assert {name: {way} - {None} for name, way in shown.items()} == ways


def test_profiles_and_fields_are_all_explained() -> None:
    rows = SETTINGS_PAGE.partition("## Profiles")[2].partition("\n## ")[0].splitlines()
    assert [row.split("`")[1] for row in rows if row.startswith("| `")] == list(PROFILES)
    items, blocks = FIELDS_PAGE.partition("## Items")[2].partition("## Stats")[0].split("## Blocks")
    assert first_cells(items) == {*DEFAULT_FIELDS}
    assert first_cells(blocks) == {*BLOCK_FIELDS}


def test_every_stat_is_explained() -> None:
    """Those whose names stand in the code of crawls, on one page or another."""
    crawl = ROOT / "scrapy_justext" / "crawl"
    calls = r"""(?:\badd|_add|_count|inc_value|set_value)\(\s*f?"(?:justext/)?([a-z]\w+/?\w*)"""
    counted = {name for path in crawl.rglob("*.py") for name in re.findall(calls, path.read_text("utf-8"))}
    counted |= set(re.findall(r'"([a-z]\w+/?\w*)":', inspect.getsource(page_counts)))
    shown = (
        name for page in (ROOT / "docs").glob("*.md") for name in re.findall(r"`([\w/<…>]+)`", page.read_text("utf-8"))
    )
    explained = {re.sub("[<…].*", "", name.removeprefix("justext/")) for name in shown}
    assert len(counted) > 35
    # The first is the prefix of all.
    assert counted - {"justext/"} - explained == set()


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 200


def test_the_item_shown_is_one_of_the_demo_site() -> None:
    shown = json.loads(code_behind("# scrapy-justext", language="json"))
    path = urlsplit(shown["url"]).path
    page = (ROOT / "example_project" / "demo_site" / "pages" / path.removeprefix("/")).read_bytes()
    item = extract(page).to_dict()
    assert shown.keys() == {"url", *filter(None, configure({}).fields.values())}
    assert all(block.keys() <= {*configure({}).fields_of_blocks(beside_text=True)} for block in shown["blocks"])
    assert shown["title"] == item["title"]
    assert shown["language"] == item["language"]
    assert item["text"].startswith(shown["text"].removesuffix(" …"))
    for script in shown["blocks"]:
        starts = {name: value.removesuffix(" …") for name, value in script.items() if isinstance(value, str)}
        assert any(
            block.get("index") == script.get("index", block["index"])
            and all(block[name].startswith(value) for name, value in starts.items())
            for block in item["blocks"]
        )


@pytest.mark.parametrize("marker", ["<!-- demo command -->", "<!-- test command -->"])
def test_the_two_commands_are_one_line_each(marker: str) -> None:
    _, _, rest = README.partition(marker)
    fence, command, end = rest.strip().splitlines()[:3]
    assert (fence, end) == ("```sh", "```")
    # Older versions of pip warn of an extra of lxml, and say that there are newer ones.
    assert command.startswith("python3 -m venv --upgrade-deps .venv && .venv/bin/pip install ")


def test_contributors_are_sent_to_places_that_are_there() -> None:
    named = set(re.findall(r"(?<![\w/.])((?:\w+/)*\w+(?:\.py|/))(?!\w)", CONTRIBUTING))
    assert "core/parameters.py" in named
    package = ROOT / "scrapy_justext"
    places = (ROOT, package, package / "core", package / "core" / "reading")
    assert {name for name in named if not any((place / name).exists() for place in places)} == set()
