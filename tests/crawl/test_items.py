"""Which fields of which items are written."""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector

from scrapy_justext import extract
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.crawl.items import MOST_CHOSEN, ItemPages
from scrapy_justext.crawl.pages import UncleanedPage
from scrapy_justext.crawl.session import Session, get_extraction, get_session
from scrapy_justext.crawl.settings import DEFAULT_BLOCK_FIELDS, configure
from tests.core.learned.pages import ARTICLE, THREAD
from tests.core.markdown.rendering import rendered_text
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.items import (
    KINDS,
    BlocksAlone,
    BlocksWithoutText,
    Choosy,
    DataclassItem,
    Fieldless,
    FieldlessItem,
    FrozenAttrs,
    FrozenDataclass,
    FrozenPydantic,
    Renamed,
    plain,
)
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

EXPECTED = extract(GOOD_PAGE, language="English")
PARAGRAPHS = [ENGLISH, MORE_ENGLISH]
TYPED = [kind for kind in KINDS if kind != "dict"]
#: Some fields are filled, and some are with what counts as empty.
FILLED: dict[str, Any] = {"text": "mine", "title": None, "language": "", "paragraphs": [], "blocks": 0}


def with_own_text(url: str) -> dict[str, Any]:
    return {"url": url, "text": "mine"}


def filled(url: str) -> list[Any]:
    typed = [KINDS[kind](url) for kind in TYPED]
    for item in map(ItemAdapter, typed):
        item["text"], item["language"], item["paragraphs"] = None, "xx", ["mine"]
    return [dict(FILLED), *typed]


def several(url: str) -> list[Any]:
    """A dict, an item, and the first dict again."""
    first = plain(url)
    return [first, DataclassItem(url), first]


def mixed(url: str) -> list[Any]:
    return [plain(url), Fieldless(url), FieldlessItem(url=url), Renamed(url), DataclassItem(url)]


def refusing(url: str) -> list[Any]:
    """Items that do not let all of their fields be set: two of a class, and some filled ones."""
    frozen = (FrozenDataclass, FrozenAttrs, FrozenPydantic)
    own = [kind(url=url, text="mine", language="xx", paragraphs=["mine"]) for kind in frozen]
    return [*(kind(url=url) for kind in (*frozen, Choosy) for _ in range(2)), *own]


class ElsewhereSpider(PageSpider):
    """Yields items that come from no page that was cleaned, too: from errbacks."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"from": "page"}

    def fail(self, failure: Any) -> Iterator[Any]:  # type: ignore[override]
        yield {"from": failure.type.__name__}


EARLIER = r"^These pipelines get items without text: \S+Pipeline \(50\) before \S+\.JustextPipeline \(100\)"


class CopyingPipeline:
    """Puts another item in the place of each."""

    def process_item(self, item: Any) -> Any:
        return dict(item)


class FailingPipeline:
    """Drops some items, fails on others, before they can be cleaned."""

    def process_item(self, item: Any) -> Any:
        if item["number"] % 2:
            raise DropItem("odd", log_level="INFO")
        raise ValueError("even")


class MemorySpider(PageSpider):
    """Sees to it that one page after the other is crawled; notes how many items are remembered."""

    custom_settings = {"CONCURRENT_REQUESTS": 1}  # noqa: RUF012

    def parse(self, response: Response) -> Iterator[Any]:
        gc.collect()
        self.seen.append(len(get_session(self.crawler).items))
        for number in range(10):
            yield {"url": response.url, "number": number}


ALL_KEYS = {"url", "text", "blocks", "language", "title"}
#: A mapping of fields, and the keys that the item of a good page has then.
MAPPINGS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "default": ({}, ALL_KEYS),
    "more": ({"paragraphs": "paragraphs"}, ALL_KEYS | {"paragraphs"}),
    "renamed": ({"text": "body"}, ALL_KEYS - {"text"} | {"body"}),
    "left out": ({"blocks": None}, ALL_KEYS - {"blocks"}),
    "all": (
        {
            "language_source": "why",
            "profile": "how",
            "markdown": "md",
            "html": "html",
            "simhash": "near",
            "minhash": "minhash",
            "author": "by",
            "chunks": "chunks",
        },
        ALL_KEYS | {"why", "how", "md", "html", "near", "minhash", "by", "chunks"},
    ),
    "none": (dict.fromkeys(ALL_KEYS - {"url"}), {"url"}),
}
#: What the log says, once, of a class whose items refuse fields.
REFUSALS = {
    "FrozenDataclass": r"^FrozenDataclass does not let its fields text, paragraphs, language be set "
    r"\(cannot assign to field 'text'\): its items pass without them\. .*get_extraction\(response\)\.$",
    "FrozenAttrs": r"^FrozenAttrs does not let its fields text, paragraphs, language be set \(can't set attribute\)",
    "FrozenPydantic": r"^FrozenPydantic does not let its fields .* be set \(1 validation error.* Instance is frozen",
    "Choosy": r"^Choosy does not let its fields language be set \(a name, not a code\)",
}
FIELDLESS = [r"^Fieldless declares none of the fields text, .*JUSTEXT_ITEM_CLASSES", "^FieldlessItem declares none"]
GOOD = {"JUSTEXT_BLOCKS": "good"}
#: The crawls of single good pages: what makes their items, settings, what is told.
CRAWLS: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    **{kind: (make, {}, []) for kind, make in KINDS.items()},
    **{
        f"mapping {name}": (plain, {"JUSTEXT_FIELDS": fields, "JUSTEXT_CHUNK_CHARACTERS": 200}, [])
        for name, (fields, _) in MAPPINGS.items()
    },
    "filled": (filled, {}, []),
    "several": (several, {}, []),
    "typed mapping": (mixed, {"JUSTEXT_FIELDS": {"text": "body"}}, ["^Fieldless", "^FieldlessItem"]),
    "good blocks": (plain, GOOD, []),
    "blocks alone": (BlocksAlone, GOOD, []),
    "refused text": (BlocksWithoutText, GOOD, ["^BlocksWithoutText does not let its fields text be set"]),
    "own text": (with_own_text, GOOD, []),
    "block fields": (plain, {"JUSTEXT_BLOCK_FIELDS": ["text", "xpath", "dom_path"]}, []),
    "copied": (plain, {"ITEM_PIPELINES": {CopyingPipeline: 50}}, [EARLIER]),
    "copied later": (plain, {"ITEM_PIPELINES": {CopyingPipeline: 150}}, []),
}
FACTS = ("confidence", "page_type", "page_type_probability", "profile")
LEARNED = {"JUSTEXT_PROFILE": "learned", "JUSTEXT_FIELDS": {name: name for name in FACTS}}
POOL = {"JUSTEXT_PROCESSES": 1}
#: How the pages of trained profiles are extracted.
HOW: dict[str, dict[str, Any]] = {
    "in place": {},
    "in processes": POOL,
    "in processes, with site memory": {**POOL, "JUSTEXT_SITE_MEMORY": True},
}
#: JUSTEXT_MIN_CONFIDENCE, and whether the page is sure enough.
LEAST = {0.0: True, 0.001: True, 1.0: False}


@pytest.fixture(scope="module")
def results(site: Site) -> Iterator[Results]:
    good, both = {"urls": site.urls("/good")}, {"urls": site.urls("/good", "/more"), "make": mixed}
    pages = {"urls": [site.url(f"/good?{n}") for n in range(8)]}
    crawls = {
        name: Crawl(PageSpider, {**good, "make": make}, settings, problems=problems)
        for name, (make, settings, problems) in CRAWLS.items()
    }
    crawls |= {how: Crawl(PageSpider, good, LEARNED | {"JUSTEXT_GOOD_PROBABILITY": "0.6"} | HOW[how]) for how in HOW}
    for least in LEAST:
        crawls[f"least {least}"] = Crawl(PageSpider, good, LEARNED | {"JUSTEXT_MIN_CONFIDENCE": least})
    auto = {**LEARNED, "JUSTEXT_PROFILE": "auto", "JUSTEXT_MIN_CONFIDENCE": 0.01}
    idle = ["^JUSTEXT_MIN_CONFIDENCE: without effect"]
    with Site({"/article": ARTICLE, "/thread": THREAD}) as served:
        yield crawl(
            {
                **crawls,
                "several poor": Crawl(PageSpider, {"urls": site.urls("/poor"), "make": several}),
                "mixed": Crawl(PageSpider, both, problems=[*FIELDLESS, "^Renamed declares none of the fields"]),
                "refusing": Crawl(
                    PageSpider,
                    {"urls": site.urls("/good", "/more", "/poor"), "make": refusing},
                    problems=[*REFUSALS.values()],
                ),
                "item class": Crawl(PageSpider, both, {"JUSTEXT_ITEM_CLASSES": [DataclassItem]}),
                "item class path": Crawl(
                    PageSpider, both, {"JUSTEXT_ITEM_CLASSES": "tests.crawl.items.DataclassItem, builtins.dict"}
                ),
                "elsewhere": Crawl(
                    ElsewhereSpider,
                    {"urls": [*site.urls("/good", "/missing"), "http://127.0.0.1:1/"], "first": [{"from": "start"}]},
                ),
                "memory": Crawl(MemorySpider, pages, {"ITEM_PIPELINES": {CopyingPipeline: 50}}, problems=[EARLIER]),
                "lost": Crawl(
                    MemorySpider, pages, {"ITEM_PIPELINES": {FailingPipeline: 50}}, problems=["even", EARLIER]
                ),
                "auto": Crawl(PageSpider, {"urls": served.urls()}, auto),
                "auto in processes": Crawl(PageSpider, {"urls": served.urls()}, auto | POOL),
                "rules": Crawl(PageSpider, good, {"JUSTEXT_MIN_CONFIDENCE": "1"}, problems=idle),
            }
        )


@pytest.mark.parametrize("kind", KINDS)
def test_items_of_every_kind_are_filled(results: Results, site: Site, kind: str) -> None:
    (item,) = results[kind].items
    values = ItemAdapter(item).asdict()
    expected = {"url": site.url("/good"), "text": GOOD_TEXT, "language": "en", "paragraphs": PARAGRAPHS}
    assert {name: values[name] for name in expected} == expected
    # A typed item gets the fields that it declares.
    assert (values.keys() == expected.keys()) is (kind != "dict")


def test_every_part_is_that_of_the_extraction(results: Results) -> None:
    (item,) = results["dict"].items
    assert item["title"] == "The bridge"
    expected = EXPECTED.to_dict()["blocks"]
    assert item["blocks"] == [{name: block[name] for name in DEFAULT_BLOCK_FIELDS} for block in expected]
    assert type(item["blocks"][0]["block_class"]) is str


@pytest.mark.parametrize("name", MAPPINGS)
def test_fields_are_mapped(results: Results, name: str) -> None:
    (item,) = results[f"mapping {name}"].items
    assert item.keys() == MAPPINGS[name][1]


def test_renamed_parts_have_their_values(results: Results) -> None:
    assert results["mapping renamed"].items[0]["body"] == GOOD_TEXT
    (item,) = results["mapping all"].items
    assert (item["why"], item["how"]) == ("given", "justext")
    assert rendered_text(item["md"]) == " ".join(GOOD_TEXT.split())
    assert item["chunks"] == [chunk.to_dict() for chunk in EXPECTED.chunks(200)]
    assert len(item["chunks"]) > 2


def test_a_mapping_reaches_typed_items(results: Results) -> None:
    assert [i.body for i in results["typed mapping"].items if isinstance(i, Renamed)] == [GOOD_TEXT]
    assert [i.text for i in results["typed mapping"].items if isinstance(i, DataclassItem)] == [None]


def test_filled_fields_are_kept(results: Results) -> None:
    [own, *typed] = [ItemAdapter(item).asdict() for item in results["filled"].items]
    assert own == FILLED | {"title": "The bridge", "language": "en", "paragraphs": PARAGRAPHS}
    assert [(i["text"], i["language"], i["paragraphs"]) for i in typed] == [(GOOD_TEXT, "xx", ["mine"])] * len(TYPED)


def test_every_item_of_a_page_comes_from_it_also_one_that_is_yielded_twice(results: Results) -> None:
    result = results["several"]
    assert [ItemAdapter(item)["text"] for item in result.items] == [GOOD_TEXT] * 3
    assert "items_without_page" not in result.justext
    assert results["several poor"].items == []
    first, typed, same = result.items
    assert first is same
    # Two items of a page share no list.
    assert typed.paragraphs == first["paragraphs"]
    assert typed.paragraphs is not first["paragraphs"]


def test_a_class_without_fields_passes_with_one_warning(results: Results) -> None:
    result = results["mixed"]
    assert Counter(type(item).__name__ for item in result.items) == dict.fromkeys(
        ("dict", "Fieldless", "FieldlessItem", "Renamed", "DataclassItem"), 2
    )
    assert all(item.keys() == {"url"} for item in result.items if isinstance(item, FieldlessItem))
    assert [item.body for item in result.items if isinstance(item, Renamed)] == [None, None]
    assert sorted(message.split()[0] for message in result.problems) == ["Fieldless", "FieldlessItem", "Renamed"]
    assert result.justext["items_without_fields"] == 6


def test_items_that_refuse_fields_pass_with_one_warning_a_class(results: Results) -> None:
    result = results["refusing"]
    kept = [item for item in result.items if getattr(item, "text", None) != "mine"]
    assert Counter(type(item).__name__ for item in kept) == dict.fromkeys(REFUSALS, 4)
    assert {item.text for item in kept if not isinstance(item, Choosy)} == {None}
    # What can be set is set.
    assert [bool(item.text) for item in kept if isinstance(item, Choosy)] == [True] * 4
    # Those that the spider filled need no warning.
    assert len(result.items) - len(kept) == 6
    assert sorted(message.split()[0] for message in result.problems) == sorted(REFUSALS)
    assert not [message for message in result.problems if "\n" in message]
    assert result.justext["items_not_filled"] == 16
    # They are dropped like others.
    assert [dropped.exception for dropped in result.dropped] == ["NoGoodContent"] * 11
    assert result.justext["items_dropped"] == 11


@pytest.mark.parametrize(("name", "dicts_are_cleaned"), [("item class", False), ("item class path", True)])
def test_only_named_classes_are_cleaned(results: Results, name: str, dicts_are_cleaned: bool) -> None:
    result = results[name]
    assert len(result.items) == 10
    assert all(item.text for item in result.items if isinstance(item, DataclassItem))
    assert [("text" in item) for item in result.items if isinstance(item, dict)] == [dicts_are_cleaned] * 2
    # No warning: they are not meant to be cleaned.
    assert "items_without_fields" not in result.justext


def test_only_good_blocks_are_listed_when_asked_for(results: Results) -> None:
    item = results["good blocks"].items[0]
    assert [block["characters"] for block in item["blocks"]] == list(map(len, PARAGRAPHS))
    assert not any("text" in block for block in item["blocks"])
    assert len(results["dict"].items[0]["blocks"]) == len(EXPECTED.blocks) > 2


@pytest.mark.parametrize("name", ["blocks alone", "own text", "refused text"])
def test_good_blocks_have_their_text_where_the_item_does_not_get_it(results: Results, name: str) -> None:
    (item,) = results[name].items
    assert [block["text"] for block in ItemAdapter(item)["blocks"]] == PARAGRAPHS


def test_block_fields_are_those_asked_for(results: Results) -> None:
    blocks = results["block fields"].items[0]["blocks"]
    assert all(block.keys() == {"text", "xpath", "dom_path"} for block in blocks)
    paths = {block["text"]: (block["xpath"], block["dom_path"]) for block in blocks}
    assert paths[MORE_ENGLISH] == ("/html[1]/body[1]/p[2]", "html.body.p")
    unasked = {"xpath", "dom_path", "image_url", "image_alt", "probability", "origin", "role", "language"}
    assert set(BLOCK_FIELDS) - set(DEFAULT_BLOCK_FIELDS) == unasked


def test_items_of_no_page_pass_untouched(results: Results) -> None:
    result = results["elsewhere"]
    untouched = [item["from"] for item in result.items if item.keys() == {"from"}]
    # A 404 that the spider does not handle, and a server that is not there.
    assert len(untouched) == 3
    assert {"start", "HttpError"} < set(untouched)
    assert [item["text"] for item in result.items if item["from"] == "page"] == [GOOD_TEXT]
    assert result.justext["items_without_page"] == 3


def test_a_copy_made_before_the_pipeline_passes_untouched(results: Results) -> None:
    result = results["copied"]
    assert [item.keys() for item in result.items] == [{"url"}]
    assert result.justext["items_without_page"] == 1
    assert results["copied later"].items[0]["text"] == GOOD_TEXT


@pytest.mark.xfail(scrapy.version_info < (2, 15), reason="Scrapy 2.14 may keep a response longer", strict=False)
def test_items_that_never_arrive_are_forgotten_with_their_page(results: Results) -> None:
    # Ten items a page; one or two pages may still be on their way.
    assert len(results["memory"].seen) == 8
    assert max(results["memory"].seen) <= 20
    # Other pipelines dropped or failed on them.
    assert max(results["lost"].seen) <= 10
    assert len(results["lost"].dropped) == 40


def test_an_item_with_the_identity_of_an_earlier_one_keeps_its_page() -> None:
    crawler = Crawler(Spider, {"JUSTEXT_LANGUAGE": "English"})
    crawler.stats = StatsCollector(crawler)
    session = Session(crawler)
    earlier, later = (HtmlResponse("http://127.0.0.1/", body=GOOD_PAGE, encoding="utf-8") for _ in range(2))
    for response in (earlier, later):
        session.clean_now(response, None)
        assert get_extraction(response)
    item = plain("earlier")
    identity = id(item)
    session.remember_item(item, earlier)
    assert session.items.take(item)
    del item, response
    item = next(new for new in iter(lambda: plain("later"), None) if id(new) == identity)
    session.remember_item(item, later)
    # The item waits in a pipeline before ours while the collector comes by.
    del earlier
    gc.collect()
    assert session.items.take(item)


CHOSEN = UncleanedPage("empty", "empty", configure({}))


@pytest.mark.parametrize("kind", TYPED)
def test_the_choice_for_an_item_goes_with_the_item(kind: str) -> None:
    pages, make = ItemPages(), cast("Callable[[str], Any]", KINDS[kind])
    kept, gone = make("kept"), make("gone")
    for item in (kept, gone, gone):
        pages.choose(item, CHOSEN)
    assert len(pages) == 2
    del gone, item
    gc.collect()
    assert len(pages) == 1
    assert pages.take_chosen(kept) is CHOSEN
    assert len(pages) == 0
    assert pages.take_chosen(kept) is None


def test_choices_for_items_that_cannot_tell_that_they_are_gone_are_bounded() -> None:
    pages = ItemPages()
    items = [plain(str(number)) for number in range(MOST_CHOSEN + 1)]
    for item in items:
        pages.choose(item, CHOSEN)
    assert len(pages) == MOST_CHOSEN
    assert pages.take_chosen(items[0]) is None
    # One that is chosen anew is the newest.
    pages.choose(items[1], CHOSEN)
    pages.choose({}, CHOSEN)
    pages.choose({}, CHOSEN)
    assert [pages.take_chosen(item) for item in items[1:5]] == [CHOSEN, None, None, CHOSEN]


def test_the_latest_choice_for_an_item_counts() -> None:
    pages, later = ItemPages(), CHOSEN._replace(message="later")
    for item in (plain("one"), DataclassItem("two")):
        pages.choose(item, CHOSEN)
        pages.choose(item, later)
        assert pages.take_chosen(item) is later
    assert len(pages) == 0


# Trained profiles.


@pytest.mark.parametrize("how", HOW)
def test_what_a_trained_model_tells_is_in_blocks_and_in_fields_that_are_asked_for(results: Results, how: str) -> None:
    [item] = results[how].items
    expected = extract(GOOD_PAGE, language="English", profile="learned", good_probability=0.6)
    assert item["text"] == expected.text
    assert [(block["probability"], block["origin"]) for block in item["blocks"]] == [
        (block.probability, "page") for block in expected.blocks
    ]
    assert expected.page_type is not None
    assert [item[name] for name in FACTS] == [getattr(expected, name) for name in FACTS]
    assert results[how].justext[f"page_type/{expected.page_type}"] == 1


@pytest.mark.parametrize("how", ["auto", "auto in processes"])
def test_items_tell_which_profile_was_chosen_for_their_page(results: Results, how: str) -> None:
    profiles = dict(zip(results[how].paths, (item["profile"] for item in results[how].items), strict=True))
    assert profiles == {"/article": "learned-article", "/thread": "learned"}
    for path, html in (("/article", ARTICLE), ("/thread", THREAD)):
        assert results[how].texts[path] == extract(html, language="English", profile=profiles[path]).text


@pytest.mark.parametrize("least", LEAST)
def test_a_page_that_is_not_sure_enough_has_no_good_content(results: Results, least: float) -> None:
    result, is_sure = results[f"least {least}"], LEAST[least]
    assert len(result.items) == is_sure
    assert result.justext.get("pages_without_good_content", 0) == 1 - is_sure
    confidence = extract(GOOD_PAGE, language="English", profile="learned").confidence
    assert any(f"confidence {confidence} < 1" in entry.message for entry in result.log) is not is_sure


def test_rules_have_no_confidence_to_be_compared(results: Results) -> None:
    assert len(results["rules"].items) == 1
    assert results["rules"].counts("page_type") == {}
