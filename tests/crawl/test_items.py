"""Which fields of which items are written."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
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
from tests.crawl.crawling import Crawl, Result, counted, crawl, crawl_one
from tests.crawl.items import (
    AttrsItem,
    BlocksAlone,
    BlocksWithoutText,
    Choosy,
    DataclassItem,
    Fieldless,
    FrozenAttrs,
    FrozenDataclass,
    FrozenPydantic,
    PydanticItem,
    Renamed,
    ScrapyItem,
    fieldless_item,
    frozen_pydantic_item,
    plain,
    pydantic_item,
    scrapy_item,
    with_own_text,
)
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from scrapy.http import Response


EXPECTED = extract(GOOD_PAGE, language="English")
PARAGRAPHS = [ENGLISH, MORE_ENGLISH]

KINDS = {
    "dict": plain,
    "scrapy": scrapy_item,
    "dataclass": DataclassItem,
    "attrs": AttrsItem,
    "pydantic": pydantic_item,
}


class FilledSpider(Spider):
    """Yields items that have some fields filled, and some filled with what counts as empty."""

    name = "filled"
    filled: Mapping[str, Any] = {"text": "mine", "title": None, "language": "", "paragraphs": [], "blocks": 0}
    typed = (DataclassItem, AttrsItem, PydanticItem, ScrapyItem)

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        yield dict(self.filled)
        for item_class in self.typed:
            yield item_class(url=response.url, text=None, language="xx", paragraphs=["mine"])


class SeveralSpider(Spider):
    """Yields a dict, then an item, then the first dict again, from a page."""

    name = "several"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        first = plain(response.url)
        yield first
        yield DataclassItem(response.url)
        yield first


class MixedSpider(Spider):
    """Yields items of several classes from each page."""

    name = "mixed"

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.start_urls = urls

    def parse(self, response: Response) -> Iterator[Any]:
        yield plain(response.url)
        yield Fieldless(response.url)
        yield fieldless_item(response.url)
        yield Renamed(response.url)
        yield DataclassItem(response.url)


class RefusingSpider(Spider):
    """Yields items that do not let all of their fields be set: from each page two of a class, and some filled ones."""

    name = "refusing"

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.start_urls = urls

    def parse(self, response: Response) -> Iterator[Any]:
        for make in (FrozenDataclass, FrozenAttrs, frozen_pydantic_item, Choosy):
            yield make(response.url)
            yield make(response.url)
        for item_class in (FrozenDataclass, FrozenAttrs, FrozenPydantic):
            yield item_class(url=response.url, text="mine", language="xx", paragraphs=["mine"])


class ElsewhereSpider(Spider):
    """Yields items that come from no page that was cleaned: from start() and from errbacks."""

    name = "elsewhere"

    def __init__(self, urls: list[str], missing: str, refused: str) -> None:
        super().__init__()
        self.urls = urls
        self.missing = missing
        self.refused = refused

    async def start(self) -> AsyncIterator[Any]:
        yield {"from": "start"}
        for url in self.urls:
            yield Request(url)
        yield Request(self.missing, errback=self.fail)
        yield Request(self.refused, errback=self.fail)

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"from": "page"}

    def fail(self, failure: Any) -> Iterator[Any]:
        yield {"from": failure.type.__name__}


EARLIER = r"^These pipelines get items without text: \S+Pipeline \(50\) before \S+\.JustextPipeline \(100\)"


class CopyingPipeline:
    """Puts another item in the place of each."""

    def process_item(self, item: Any) -> Any:
        return dict(item)


class MemorySpider(Spider):
    """Sees to it that one page after the other is crawled; notes how many items are remembered."""

    name = "memory"
    custom_settings = {"CONCURRENT_REQUESTS": 1}  # noqa: RUF012

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.start_urls = urls
        self.seen: list[int] = []

    def parse(self, response: Response) -> Iterator[Any]:
        gc.collect()
        self.seen.append(len(get_session(self.crawler).items))
        for _ in range(10):
            yield plain(response.url)


@dataclass(frozen=True)
class Mapped:
    """A crawl of the good page with a mapping of fields, and the keys that its item has then."""

    settings: Mapping[str, Any]
    keys: set[str]


ALL_KEYS = {"url", "text", "blocks", "language", "title"}
MAPPINGS = {
    "default": Mapped({"JUSTEXT_FIELDS": {}}, ALL_KEYS),
    "more": Mapped({"JUSTEXT_FIELDS": {"paragraphs": "paragraphs"}}, ALL_KEYS | {"paragraphs"}),
    "renamed": Mapped({"JUSTEXT_FIELDS": {"text": "body"}}, ALL_KEYS - {"text"} | {"body"}),
    "left out": Mapped({"JUSTEXT_FIELDS": {"blocks": None}}, {"url", "text", "language", "title"}),
    "all": Mapped(
        {
            "JUSTEXT_FIELDS": {"language_source": "why", "profile": "how", "markdown": "md", "chunks": "chunks"},
            "JUSTEXT_CHUNK_CHARACTERS": 200,
        },
        ALL_KEYS | {"why", "how", "md", "chunks"},
    ),
    "none": Mapped({"JUSTEXT_FIELDS": dict.fromkeys(sorted(ALL_KEYS - {"url"}))}, {"url"}),
}


#: What the log says, once, of a class whose items refuse fields.
REFUSALS = {
    "FrozenDataclass": r"^FrozenDataclass does not let its fields text, paragraphs, language be set "
    r"\(cannot assign to field 'text'\): its items pass without them\. .*get_extraction\(response\)\.$",
    "FrozenAttrs": r"^FrozenAttrs does not let its fields text, paragraphs, language be set \(can't set attribute\)",
    "FrozenPydantic": r"^FrozenPydantic does not let its fields .* be set \(1 validation error.* Instance is frozen",
    "Choosy": r"^Choosy does not let its fields language be set \(a name, not a code\)",
}


#: Whether a response is let go once its items have passed.
LETS_GO = pytest.mark.xfail(scrapy.version_info < (2, 15), reason="Scrapy 2.14 may keep it longer", strict=False)


@pytest.fixture(scope="module")
def results(site: Site) -> dict[str, Result]:
    good = {"urls": site.urls("/good")}
    both = {"urls": site.urls("/good", "/more")}
    fieldless = [
        r"^Fieldless declares none of the fields text, .*JUSTEXT_ITEM_CLASSES",
        r"^FieldlessItem declares none",
    ]
    renamed = r"^Renamed declares none of the fields"
    mappings = {f"mapping {name}": Crawl(PageSpider, good, one.settings) for name, one in MAPPINGS.items()}
    kinds = {kind: Crawl(PageSpider, {**good, "make": make}) for kind, make in KINDS.items()}
    return crawl(
        {
            **kinds,
            **mappings,
            "filled": Crawl(FilledSpider, {"url": site.url("/good")}),
            "several": Crawl(SeveralSpider, {"url": site.url("/good")}),
            "several poor": Crawl(SeveralSpider, {"url": site.url("/poor")}),
            "mixed": Crawl(MixedSpider, both, problems=[*fieldless, renamed]),
            "refusing": Crawl(
                RefusingSpider, {"urls": site.urls("/good", "/more", "/poor")}, problems=[*REFUSALS.values()]
            ),
            "typed mapping": Crawl(
                MixedSpider, good, {"JUSTEXT_FIELDS": {"text": "body"}}, problems=["^Fieldless", "^FieldlessItem"]
            ),
            "item class": Crawl(MixedSpider, both, {"JUSTEXT_ITEM_CLASSES": [DataclassItem]}),
            "item class path": Crawl(
                MixedSpider, both, {"JUSTEXT_ITEM_CLASSES": "tests.crawl.items.DataclassItem, builtins.dict"}
            ),
            "good blocks": Crawl(PageSpider, good, {"JUSTEXT_BLOCKS": "good"}),
            "blocks alone": Crawl(PageSpider, {**good, "make": BlocksAlone}, {"JUSTEXT_BLOCKS": "good"}),
            "refused text": Crawl(
                PageSpider,
                {**good, "make": BlocksWithoutText},
                {"JUSTEXT_BLOCKS": "good"},
                problems=["^BlocksWithoutText does not let its fields text be set"],
            ),
            "own text": Crawl(PageSpider, {**good, "make": with_own_text}, {"JUSTEXT_BLOCKS": "good"}),
            "block fields": Crawl(PageSpider, good, {"JUSTEXT_BLOCK_FIELDS": ["text", "xpath", "dom_path"]}),
            "elsewhere": Crawl(
                ElsewhereSpider,
                {"urls": site.urls("/good"), "missing": site.url("/missing"), "refused": "http://127.0.0.1:1/"},
            ),
            "copied": Crawl(PageSpider, good, {"ITEM_PIPELINES": {CopyingPipeline: 50}}, problems=[EARLIER]),
            "copied later": Crawl(PageSpider, good, {"ITEM_PIPELINES": {CopyingPipeline: 150}}),
            "memory": Crawl(
                MemorySpider,
                {"urls": [site.url(f"/good?{n}") for n in range(8)]},
                {"ITEM_PIPELINES": {CopyingPipeline: 50}},
                problems=[EARLIER],
            ),
        }
    )


@pytest.mark.parametrize("kind", KINDS)
def test_items_of_every_kind_are_filled(results: dict[str, Result], site: Site, kind: str) -> None:
    (item,) = results[kind].items
    values = ItemAdapter(item).asdict()
    assert values["url"] == site.url("/good")
    assert values["text"] == GOOD_TEXT
    assert values["language"] == "en"
    assert values["paragraphs"] == PARAGRAPHS


@pytest.mark.parametrize("kind", ["scrapy", "dataclass", "attrs", "pydantic"])
def test_a_typed_item_gets_the_fields_that_it_declares(results: dict[str, Result], kind: str) -> None:
    (item,) = results[kind].items
    assert ItemAdapter(item).asdict().keys() == {"url", "text", "language", "paragraphs"}


def test_every_part_is_that_of_the_extraction(results: dict[str, Result]) -> None:
    (item,) = results["dict"].items
    assert item["title"] == "The bridge"
    expected = EXPECTED.to_dict()["blocks"]
    assert item["blocks"] == [{name: block[name] for name in DEFAULT_BLOCK_FIELDS} for block in expected]
    assert type(item["blocks"][0]["block_class"]) is str


@pytest.mark.parametrize("name", MAPPINGS)
def test_fields_are_mapped(results: dict[str, Result], name: str) -> None:
    (item,) = results[f"mapping {name}"].items
    assert item.keys() == MAPPINGS[name].keys


def test_renamed_parts_have_their_values(results: dict[str, Result]) -> None:
    assert results["mapping renamed"].items[0]["body"] == GOOD_TEXT
    (item,) = results["mapping all"].items
    assert (item["why"], item["how"]) == ("given", "justext")
    assert rendered_text(item["md"]) == " ".join(GOOD_TEXT.split())
    assert item["chunks"] == [chunk.to_dict() for chunk in EXPECTED.chunks(200)]
    assert len(item["chunks"]) > 2


def test_a_mapping_reaches_typed_items(results: dict[str, Result]) -> None:
    assert [i.body for i in results["typed mapping"].items if isinstance(i, Renamed)] == [GOOD_TEXT]
    assert [i.text for i in results["typed mapping"].items if isinstance(i, DataclassItem)] == [None]


def test_filled_fields_are_kept(results: dict[str, Result]) -> None:
    by_class = {type(item): ItemAdapter(item).asdict() for item in results["filled"].items}
    assert by_class[dict] == {
        "text": "mine",
        "title": "The bridge",
        "language": "en",
        "paragraphs": PARAGRAPHS,
        "blocks": 0,
    }
    for item_class in FilledSpider.typed:
        assert by_class[item_class]["text"] == GOOD_TEXT
        assert by_class[item_class]["language"] == "xx"
        assert by_class[item_class]["paragraphs"] == ["mine"]


def test_every_item_of_a_page_is_filled(results: dict[str, Result]) -> None:
    result = results["several"]
    assert len(result.items) == 3
    assert [ItemAdapter(item)["text"] for item in result.items] == [GOOD_TEXT] * 3
    assert sum(isinstance(item, dict) for item in result.items) == 2


def test_an_item_yielded_twice_comes_from_its_page_twice(results: dict[str, Result]) -> None:
    assert "items_without_page" not in results["several"].justext


def test_an_item_yielded_twice_by_a_poor_page_is_dropped_twice(results: dict[str, Result]) -> None:
    assert results["several poor"].items == []


def test_two_items_of_a_page_share_no_list(results: dict[str, Result]) -> None:
    first, second = (i for i in results["several"].items if isinstance(i, dict))
    typed = next(i for i in results["several"].items if isinstance(i, DataclassItem))
    assert first is second
    assert typed.paragraphs == first["paragraphs"]
    assert typed.paragraphs is not first["paragraphs"]


def test_a_class_without_fields_passes_with_one_warning(results: dict[str, Result]) -> None:
    result = results["mixed"]
    passed = [item for item in result.items if isinstance(item, Fieldless)]
    assert len(passed) == 2
    assert len([i for i in result.items if type(i).__name__ == "FieldlessItem" and i.keys() == {"url"}]) == 2
    assert [item.body for item in result.items if isinstance(item, Renamed)] == [None, None]
    warnings = [m for m in result.problems if "declares none of the fields" in m]
    assert sorted(m.split()[0] for m in warnings) == ["Fieldless", "FieldlessItem", "Renamed"]
    assert result.justext["items_without_fields"] == 6


def test_items_that_refuse_fields_pass_with_one_warning_a_class(results: dict[str, Result]) -> None:
    result = results["refusing"]
    kept = [item for item in result.items if getattr(item, "text", None) != "mine"]
    assert counted([type(item).__name__ for item in kept]) == dict.fromkeys(REFUSALS, 4)
    assert {item.text for item in kept if not isinstance(item, Choosy)} == {None}
    # What can be set is set.
    assert [bool(item.text) for item in kept if isinstance(item, Choosy)] == [True] * 4
    assert sorted(message.split()[0] for message in result.problems) == sorted(REFUSALS)
    assert not [message for message in result.problems if "\n" in message]
    assert result.justext["items_not_filled"] == 16


def test_items_that_refuse_fields_are_dropped_like_others(results: dict[str, Result]) -> None:
    result = results["refusing"]
    assert result.justext["items_dropped"] == len(result.dropped) == 11
    assert {dropped.exception for dropped in result.dropped} == {"NoGoodContent"}


def test_frozen_items_that_the_spider_filled_need_no_warning(results: dict[str, Result]) -> None:
    assert len([item for item in results["refusing"].items if item.text == "mine"]) == 6


@pytest.mark.parametrize(("name", "dicts_are_cleaned"), [("item class", False), ("item class path", True)])
def test_only_named_classes_are_cleaned(results: dict[str, Result], name: str, dicts_are_cleaned: bool) -> None:
    result = results[name]
    assert len(result.items) == 10
    assert all(item.text for item in result.items if isinstance(item, DataclassItem))
    assert [("text" in item) for item in result.items if isinstance(item, dict)] == [dicts_are_cleaned] * 2
    # No warning: they are not meant to be cleaned.
    assert "items_without_fields" not in result.justext


def test_only_good_blocks_are_listed_when_asked_for(results: dict[str, Result]) -> None:
    item = results["good blocks"].items[0]
    assert [block["characters"] for block in item["blocks"]] == list(map(len, PARAGRAPHS))
    assert not any("text" in block for block in item["blocks"])
    assert len(results["dict"].items[0]["blocks"]) == len(EXPECTED.blocks) > 2


@pytest.mark.parametrize("name", ["blocks alone", "own text", "refused text"])
def test_good_blocks_have_their_text_where_the_item_does_not_get_it(results: dict[str, Result], name: str) -> None:
    (item,) = results[name].items
    assert [block["text"] for block in ItemAdapter(item)["blocks"]] == PARAGRAPHS


def test_block_fields_are_those_asked_for(results: dict[str, Result]) -> None:
    blocks = results["block fields"].items[0]["blocks"]
    assert all(block.keys() == {"text", "xpath", "dom_path"} for block in blocks)
    paths = {block["text"]: (block["xpath"], block["dom_path"]) for block in blocks}
    assert paths[MORE_ENGLISH] == ("/html[1]/body[1]/p[2]", "html.body.p")


def test_paths_are_not_made_unasked() -> None:
    assert set(BLOCK_FIELDS) - set(DEFAULT_BLOCK_FIELDS) == {
        "xpath",
        "dom_path",
        "image_url",
        "image_alt",
        "probability",
        "origin",
    }


def test_items_of_no_page_pass_untouched(results: dict[str, Result]) -> None:
    result = results["elsewhere"]
    untouched = [item["from"] for item in result.items if item.keys() == {"from"}]
    # A 404 that the spider does not handle, and a server that is not there.
    assert len(untouched) == 3
    assert {"start", "HttpError"} < set(untouched)
    assert [item["text"] for item in result.items if item["from"] == "page"] == [GOOD_TEXT]
    assert result.justext["items_without_page"] == 3


def test_a_copy_made_before_the_pipeline_passes_untouched(results: dict[str, Result]) -> None:
    result = results["copied"]
    assert [item.keys() for item in result.items] == [{"url"}]
    assert result.justext["items_without_page"] == 1
    assert results["copied later"].items[0]["text"] == GOOD_TEXT


@LETS_GO
def test_items_that_never_arrive_are_forgotten_with_their_page(results: dict[str, Result]) -> None:
    seen = results["memory"].seen
    assert len(seen) == 8
    # Ten items a page; one or two pages may still be on their way.
    assert max(seen) <= 20, seen


class DroppingPipeline:
    """Drops some items, fails on others, before they can be cleaned."""

    def process_item(self, item: Any) -> Any:
        if item["number"] % 2:
            raise DropItem("odd", log_level="INFO")
        raise ValueError("even")


class LostSpider(Spider):
    name = "lost"
    custom_settings = {"CONCURRENT_REQUESTS": 1, "ITEM_PIPELINES": {DroppingPipeline: 50}}  # noqa: RUF012

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.start_urls = urls
        self.seen: list[int] = []

    def parse(self, response: Response) -> Iterator[Any]:
        gc.collect()
        self.seen.append(len(get_session(self.crawler).items))
        for number in range(4):
            yield {"number": number}


@LETS_GO
def test_items_that_other_pipelines_drop_or_fail_on_are_forgotten(site: Site) -> None:
    urls = [site.url(f"/good?{number}") for number in range(5)]
    result = crawl_one(LostSpider, {"urls": urls}, problems=["even", EARLIER])
    # With their page: those of the one before may still be there.
    assert max(result.seen) <= 4, result.seen
    assert len(result.dropped) == 10


REUSED = "a page that goes takes the entries of its items' identities along, also of an item that has one by now"


def test_an_item_with_the_identity_of_an_earlier_one_keeps_its_page() -> None:
    crawler = Crawler(Spider, {"JUSTEXT_LANGUAGE": "English"})
    crawler.stats = StatsCollector(crawler)
    one = Session(crawler)
    earlier, later = (HtmlResponse("http://127.0.0.1/", body=GOOD_PAGE, encoding="utf-8") for _ in range(2))
    for response in (earlier, later):
        one.clean_now(response, None)
        assert get_extraction(response)
    item = plain("earlier")
    identity = id(item)
    one.remember_item(item, earlier)
    assert one.items.take(item)
    del item, response
    item = next(new for new in iter(lambda: plain("later"), None) if id(new) == identity)
    one.remember_item(item, later)
    # The item waits in a pipeline before ours while the collector comes by.
    del earlier
    gc.collect()
    assert one.items.take(item)


CHOSEN = UncleanedPage("empty", "empty", configure({}))


@pytest.mark.parametrize("kind", ["scrapy", "dataclass", "attrs", "pydantic"])
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


def test_a_trained_model_s_probabilities_are_in_the_blocks(site: Site) -> None:
    result = crawl_one(
        PageSpider,
        {"urls": site.urls("/good")},
        settings={"JUSTEXT_PROFILE": "learned", "JUSTEXT_GOOD_PROBABILITY": "0.6"},
    )
    [item] = result.items
    expected = extract(GOOD_PAGE, language="English", profile="learned", good_probability=0.6)
    assert item["text"] == expected.text
    assert [(block["probability"], block["origin"]) for block in item["blocks"]] == [
        (block.probability, "page") for block in expected.blocks
    ]


def test_confidence_and_type_of_a_page_are_fields_where_asked_for(site: Site) -> None:
    names = ("confidence", "page_type", "page_type_probability", "profile")
    result = crawl_one(
        PageSpider,
        {"urls": site.urls("/good")},
        settings={"JUSTEXT_PROFILE": "learned", "JUSTEXT_FIELDS": {name: name for name in names}},
    )
    [item] = result.items
    expected = extract(GOOD_PAGE, language="English", profile="learned")
    assert expected.page_type is not None
    assert [item[name] for name in names] == [getattr(expected, name) for name in names]
    assert result.justext[f"page_type/{expected.page_type}"] == 1


def test_items_tell_which_profile_was_chosen_for_their_page() -> None:
    settings = {"JUSTEXT_PROFILE": "auto", "JUSTEXT_FIELDS": {"profile": "profile"}, "JUSTEXT_MIN_CONFIDENCE": 0.01}
    pages = {"/article": ARTICLE, "/thread": THREAD}
    with Site(pages) as served:
        for more in ({}, {"JUSTEXT_PROCESSES": 1}):
            result = crawl_one(PageSpider, {"urls": served.urls()}, settings={**settings, **more})
            found = {urlsplit(item["url"]).path: (item["profile"], item["text"]) for item in result.items}
            assert {path: profile for path, (profile, _) in found.items()} == {
                "/article": "learned-article",
                "/thread": "learned",
            }
            for path, (profile, text) in found.items():
                assert text == extract(pages[path], language="English", profile=profile).text


@pytest.mark.parametrize(("least", "items"), [(0.0, 1), (0.001, 1), (1.0, 0)])
def test_a_page_that_is_not_sure_enough_has_no_good_content(site: Site, least: float, items: int) -> None:
    settings = {"JUSTEXT_PROFILE": "learned", "JUSTEXT_MIN_CONFIDENCE": least}
    result = crawl_one(PageSpider, {"urls": site.urls("/good")}, settings=settings)
    assert len(result.items) == items
    assert result.justext.get("pages_without_good_content", 0) == 1 - items
    if not items:
        confidence = extract(GOOD_PAGE, language="English", profile="learned").confidence
        assert any(f"confidence {confidence} < 1" in entry.message for entry in result.log)


def test_rules_have_no_confidence_to_be_compared(site: Site) -> None:
    settings = {"JUSTEXT_MIN_CONFIDENCE": "1"}
    problems = ["^JUSTEXT_MIN_CONFIDENCE: without effect"]
    result = crawl_one(PageSpider, {"urls": site.urls("/good")}, settings=settings, problems=problems)
    assert len(result.items) == 1
    assert not any(name.startswith("page_type") for name in result.justext)


def test_processes_tell_the_same_of_a_page(site: Site) -> None:
    fields = {"confidence": "confidence", "page_type": "page_type"}
    settings = {"JUSTEXT_PROFILE": "learned", "JUSTEXT_FIELDS": fields}
    for more in ({}, {"JUSTEXT_SITE_MEMORY": True}):
        result = crawl_one(
            PageSpider, {"urls": site.urls("/good")}, settings={**settings, "JUSTEXT_PROCESSES": 1, **more}
        )
        [item] = result.items
        expected = extract(GOOD_PAGE, language="English", profile="learned")
        assert (item["confidence"], item["page_type"]) == (expected.confidence, expected.page_type)
