"""JUSTEXT_SITES: which domain a page belongs to, what its settings stand under and over, bad ones."""

from typing import Any

import pytest
from scrapy import Spider
from scrapy.settings import Settings

from scrapy_justext.crawl.settings import Layers, configure, from_settings, from_spider, make_layers
from scrapy_justext.crawl.sites import domain, find_domain, registered_domain
from scrapy_justext.exceptions import JustextError, ParameterError
from tests.crawl.content import ENGLISH
from tests.crawl.crawling import Crawl, crawl
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider


class ExampleSpider(Spider):
    name = "example"


def layers(sites: object, project: dict[str, Any] | None = None, **spider: Any) -> Layers:
    settings = {"JUSTEXT_SITES": sites, **(project or {})}
    return make_layers(from_settings(Settings(settings)), from_spider(ExampleSpider(**spider)))


@pytest.mark.parametrize(
    ("host", "domains", "domain"),
    [
        ("example.com", ["example.com"], "example.com"),
        ("www.example.com", ["example.com"], "example.com"),
        ("a.b.example.com", ["b.example.com", "example.com"], "b.example.com"),
        ("a.b.example.com", ["example.com", "a.example.com"], "example.com"),
        ("myexample.com", ["example.com"], None),
        ("example.com.evil.org", ["example.com"], None),
        ("example.com.", ["example.com"], "example.com"),
        ("com", ["example.com"], None),
        (None, ["example.com"], None),
        ("127.0.0.1", ["127.0.0.1"], "127.0.0.1"),
        ("example.com", [], None),
    ],
)
def test_the_longest_domain_that_fits_is_a_page_s(host: str | None, domains: list[str], domain: str | None) -> None:
    assert find_domain(host, domains) == domain


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("Example.COM", "example.com"),
        ("localhost", "localhost"),
        ("例え.jp", "xn--r8jz45g.jp"),
        ("a_b.example.com", "a_b.example.com"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_domains_are_spelt_as_hosts_are(name: str, spelt: str) -> None:
    assert domain(name) == spelt


@pytest.mark.parametrize(
    ("url", "registered"),
    [
        ("https://a.b.example.co.uk/x", "example.co.uk"),
        ("http://example.co.uk", "example.co.uk"),
        ("http://[::1]:80/", "::1"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://localhost:8000/", "localhost"),
        ("http://two.labels.example/", "two.labels.example"),
        ("http://co.uk/", "co.uk"),
        ("/path", ""),
        ("", ""),
    ],
)
def test_a_host_that_nobody_can_register_is_a_site_of_its_own(url: str, registered: str) -> None:
    assert registered_domain(url) == registered


BAD_DOMAINS = [
    "https://example.com", "example.com/", "example.com/news", "example.com:8000", "*.example.com", ".example.com",
    "example..com", "example.com.", "", " ", "exam ple.com", "user@example.com", "-a.com", "a" * 64 + ".com", None, 7,
    ("example.com",),
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_DOMAINS)
def test_what_is_more_than_a_domain_is_an_error_at_start(name: object) -> None:
    with pytest.raises(ParameterError) as caught:
        layers({"example.org": {}, name: {"profile": "article"}})
    assert (caught.value.name, caught.value.value) == ("JUSTEXT_SITES", name)
    assert caught.value.allowed == 'must be a domain such as "example.com", without scheme, port or path'


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"profile": "artikle"}, "JUSTEXT_SITES['a.com']['profile'] = 'artikle': unknown profile; did you mean"),
        ({"langage": "de"}, "JUSTEXT_SITES['a.com']['langage']: unknown setting; did you mean language"),
        ({"drop_css": ["p", "a >"]}, "JUSTEXT_SITES['a.com']['drop_css'] = 'a >': must be a CSS selector: Expected"),
        ({"sites": {}}, "JUSTEXT_SITES['a.com']['sites'] = {}: can only be set for the whole crawl"),
        ("article", "JUSTEXT_SITES['a.com'] = 'article': must be a mapping of setting names to values"),
        (None, "JUSTEXT_SITES['a.com'] = None: must be a mapping of setting names to values"),
    ],
)  # fmt: skip
def test_a_bad_setting_of_a_site_is_an_error_at_start(values: object, message: str) -> None:
    with pytest.raises(JustextError) as caught:
        layers({"a.com": values})
    assert str(caught.value).startswith(message)


def test_one_domain_in_two_spellings_is_an_error() -> None:
    with pytest.raises(ParameterError, match="must be there once"):
        layers({"a.com": {}, "A.com": {}})


def test_a_setting_of_a_site_is_over_the_project_s_and_under_the_spider_s() -> None:
    project = {"JUSTEXT_LANGUAGE": "de", "JUSTEXT_PROFILE": "justext", "JUSTEXT_LENGTH_LOW": 10}
    found = layers({"a.com": {"language": "fr", "profile": "article"}}, project, justext={"language": "es"})
    options = configure(found.given("a.com")).options
    assert [language.name for language in options.candidates or ()] == ["Spanish"]
    assert (options.profile.name, options.thresholds.length_low) == ("article", 10)
    assert configure(found.given()).options.profile.name == "justext"


@pytest.mark.parametrize("way", ["settings", "attribute", "argument"])
def test_sites_may_be_set_wherever_settings_are(way: str) -> None:
    sites = '{"a.com": {"profile": "article"}}' if way == "argument" else {"a.com": {"profile": "article"}}
    found = {
        "settings": lambda: layers(sites),
        "attribute": lambda: layers({}, justext={"sites": sites}),
        "argument": lambda: layers({}, justext_sites=sites),
    }[way]()
    assert configure(found.given("a.com")).options.profile.name == "article"


NEWSLETTER = "Sign up and get the best of the week in your inbox, every Friday, for free, and never miss a story. " * 3
NEWS = f"<p>{ENGLISH}</p><div class=box><p>{NEWSLETTER}</p></div><p>By Jo Writer, for the desk</p><p>{ENGLISH}</p>"


def test_a_crawl_cleans_each_site_in_its_own_way_and_can_leave_one_alone() -> None:
    sites = {
        "localhost": {"profile": "boilerpipe", "drop_css": ".box", "drop_text": "^By ", "fields": {"profile": "how"}},
        "127.0.0.1": {"language": "en", "fields": {"profile": "how"}},
    }
    meta = {"/news?meta": {"justext": {"profile": "article", "drop_css": []}}}
    with Site({"/news": f"<html><body>{NEWS}"}) as site:
        here = site.url("/news")
        there, asking = (url.replace("127.0.0.1", "localhost") for url in (here, f"{here}?meta"))
        urls = [there, here, asking]
        crawls = {
            "own": Crawl(PageSpider, {"urls": urls, "meta": meta}, {"JUSTEXT_SITES": sites}),
            "off": Crawl(PageSpider, {"urls": urls[:2]}, {"JUSTEXT_SITES": {"localhost": {"enabled": False}}}),
        }
        own, off = crawl(crawls).values()
    items = {item["url"]: item for item in own.items}
    assert [items[url]["how"] for url in urls] == ["boilerpipe", "justext", "article"]
    assert ["inbox" in items[url]["text"] for url in urls] == [False, True, False]
    assert ["By Jo" in items[url]["text"] for url in urls] == [False, True, False]
    assert {item["url"]: "text" in item for item in off.items} == {there: False, here: True}
    assert off.justext["skipped/site"] == 1
