"""Settings of a spider and of a request, and which of them wins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.content import ENGLISH, GERMAN, page
from tests.crawl.crawling import Crawl, Result, command, counted, crawl
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.full


class CustomSpider(PageSpider):
    """Has settings of its own."""

    custom_settings = {"JUSTEXT_LANGUAGE": "French"}  # noqa: RUF012


class AttributeSpider(CustomSpider):
    """Has both kinds of settings of its own."""

    justext: Mapping[str, Any] = {"language": "Spanish"}


PROJECT = {"JUSTEXT_LANGUAGE": "German"}
COMMAND_LINE = {"JUSTEXT_LANGUAGE": "Italian"}

#: From the weakest to the strongest: the sources that are given, and the language of the strongest.
PRECEDENCE: dict[str, tuple[Crawl, str]] = {
    "project": (Crawl(PageSpider, {}, PROJECT), "de"),
    "custom_settings over project": (Crawl(CustomSpider, {}, PROJECT), "fr"),
    "-s over custom_settings": (Crawl(CustomSpider, {}, PROJECT, COMMAND_LINE), "it"),
    "attribute over -s": (Crawl(AttributeSpider, {}, PROJECT, COMMAND_LINE), "es"),
    "-a over attribute": (Crawl(AttributeSpider, {"justext_language": "nl"}, PROJECT, COMMAND_LINE), "nl"),
}
ALL_SOURCES = "-a over attribute"
#: What a request brings is stronger still.
META = {"/good?meta": {"justext": {"language": "Czech"}}}


@pytest.fixture(scope="module")
def precedence(site: Site) -> dict[str, Result]:
    arguments = {"urls": site.urls("/good", "/good?meta"), "meta": META}
    return crawl(
        {
            name: Crawl(
                one.spider, {**one.arguments, **arguments}, {**one.settings, "JUSTEXT_DROP": "none"}, one.command_line
            )
            for name, (one, _) in PRECEDENCE.items()
        }
    )


@pytest.mark.parametrize("name", PRECEDENCE)
def test_the_stronger_source_wins(precedence: dict[str, Result], site: Site, name: str) -> None:
    languages = {item["url"]: item["language"] for item in precedence[name].items}
    assert languages == {site.url("/good"): PRECEDENCE[name][1], site.url("/good?meta"): "cs"}


def test_sources_are_merged_setting_by_setting(site: Site) -> None:
    one = Crawl(
        AttributeSpider,
        {"urls": site.urls("/good"), "meta": {"/good": {"justext": {"blocks": "good"}}}, "justext_drop": "none"},
        {"JUSTEXT_FIELDS": {"title": None}},
    )
    result = crawl({"merged": one})["merged"]
    (item,) = result.items
    # Nothing on the page is good in Spanish.
    assert (item["language"], item["text"], item["blocks"]) == ("es", "", [])
    assert "title" not in item


BAD: dict[str, tuple[Any, str, str]] = {
    "/good?value": ({"drop": "page"}, "SettingError", r"request\.meta\['justext'\]\['drop'\] = 'page': must be one of"),
    "/good?name": ({"langage": "de"}, "UnknownKeyError", r"request\.meta\['justext'\]\['langage'\]: .*language"),
    "/good?language": ({"language": "Germn"}, "SettingError", r"\['language'\] = 'Germn': unknown language; .*German"),
    "/good?file": ({"stoplist": "/no/such.txt"}, "SettingError", r"\['stoplist'\] = '/no/such.txt': cannot be read"),
    "/good?type": ("German", "SettingError", r"request\.meta\['justext'\] = 'German': must be a mapping"),
    "/good?one": (1, "SettingError", r"request\.meta\['justext'\] = 1: must be a mapping"),
}


def test_a_bad_override_is_logged_with_its_url_and_the_crawl_goes_on(site: Site) -> None:
    paths = [*BAD, "/good"]
    meta = {path: {"justext": value} for path, (value, _, _) in BAD.items()}
    problems = [rf"^{site.url('').replace('.', '[.]')}{path.replace('?', '[?]')}: not cleaned: .*{message}"
                for path, (_, _, message) in BAD.items()]  # fmt: skip
    one = Crawl(PageSpider, {"urls": site.urls(*paths), "meta": meta}, problems=problems)
    result = crawl({"bad": one})["bad"]
    assert {path: extraction is not None for path, extraction in result.seen} == {
        path: path == "/good" for path in paths
    }
    assert {item["url"]: "text" in item for item in result.items} == {site.url(path): path == "/good" for path in paths}
    assert result.justext["errors"] == len(BAD)
    by_kind = {n.removeprefix("errors/"): c for n, c in result.justext.items() if n.startswith("errors/")}
    assert by_kind == counted([kind for _, kind, _ in BAD.values()])
    # Each in one line: what the library itself says needs no traceback.
    assert len(result.problems) == len(BAD)
    assert not [message for message in result.problems if "Traceback" in message]
    assert result.stats["finish_reason"] == "finished"


def test_overrides_for_a_request_do_not_stay(site: Site) -> None:
    overrides = {"language": "German", "fields": {"text": "body"}, "block_fields": "text, xpath", "length_high": "9999"}
    one = Crawl(
        PageSpider,
        {"urls": site.urls("/good?1", "/german", "/good?2"), "meta": {"/german": {"justext": overrides}}},
        {"CONCURRENT_REQUESTS": 1, "JUSTEXT_DROP": "none"},
    )
    result = crawl({"one": one})["one"]
    items = {item["url"]: item for item in result.items}
    assert items[site.url("/german")]["language"] == "de"
    assert items[site.url("/german")]["body"] == ""
    assert items[site.url("/german")]["blocks"][0].keys() == {"text", "xpath"}
    for other in site.urls("/good?1", "/good?2"):
        assert items[other]["language"] == "en"
        assert items[other]["text"].startswith(ENGLISH)
        assert "xpath" not in items[other]["blocks"][0]
    assert result.justext["language/German"] == 1
    assert result.justext["language/English"] == 2


SPIDER = """
import scrapy
from tests.crawl.spiders import PageSpider

class FileSpider(PageSpider):
    name = "file"

    def __init__(self, url, **arguments):
        super().__init__(urls=[url], **arguments)
"""
#: Every type of setting as the command line gives it.  The page is one German paragraph of 270 characters.
STRINGS = {
    "language": "de, en",
    "length_low": "10",
    "length_high": "260",
    "stopwords_low": "0.1",
    "no_headings": "yes",
    "fields": '{"text": "body", "title": null, "language_source": "why"}',
    "block_fields": "text,xpath",
    "blocks": "good",
    "drop": "none",
    "min_good_characters": "10",
    "max_body_bytes": "100000",
    "extra_statuses": "404,410",
    "item_classes": "builtins.dict",
    "html_field": "html",
    "profile": "justext-3.0",
    "enabled": "true",
}


@pytest.mark.parametrize("way", ["-a", "-s"])
def test_strings_of_the_command_line_are_converted(tmp_path: Path, way: str) -> None:
    (tmp_path / "file_spider.py").write_text(SPIDER, "utf-8")
    spell = "justext_{}".format if way == "-a" else (lambda name: f"JUSTEXT_{name.upper()}")
    options = [part for name, value in STRINGS.items() for part in (way, f"{spell(name)}={value}")]
    with Site({"/german": page(GERMAN, "Kurz.")}) as german:
        done = command(
            "runspider", "file_spider.py", "-a", f"url={german.url('/german')}", *options,
            "-s", 'ADDONS={"scrapy_justext.Addon": 500}', "-s", "TELNETCONSOLE_ENABLED=0", "-L", "WARNING",
            "-O", "items.jsonl", folder=tmp_path,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    (item,) = map(json.loads, (tmp_path / "items.jsonl").read_text("utf-8").splitlines())
    assert item.keys() == {"url", "body", "blocks", "language", "why"}
    assert item["body"] == GERMAN
    assert (item["language"], item["why"]) == ("de", "detected")
    assert item["blocks"] == [{"text": GERMAN, "xpath": "/html[1]/body[1]/p[1]"}]
