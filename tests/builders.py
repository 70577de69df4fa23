"""Short ways to write what the tests are about: blocks, trees, texts, and the pages at hand."""

import gzip
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from time import monotonic, process_time, sleep
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import justext
import pytest
from lxml import etree
from scrapy.http import TextResponse

import scrapy_justext
from scrapy_justext import extract
from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, BlockTable, Decision, Decisions, Segment
from scrapy_justext.core.encodings import choose_encoding
from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading import loading
from scrapy_justext.core.reading.page import read_blocks, read_tree
from scrapy_justext.core.reading.rules import JAVA, LENIENT, MODERN, REFERENCE, TagRules
from scrapy_justext.crawl.pages import header_languages
from scrapy_justext.crawl.settings import Configuration
from tests.forked import Process

REPOSITORY = Path(__file__).parents[1]
CORPORA = REPOSITORY.parent / "shared" / "corpora"
DEMO_SITE = REPOSITORY / "example_project" / "demo_site" / "pages"
DEMO_PAGES = sorted(DEMO_SITE.rglob("*.html"))

RULES = {"justext": MODERN, "justext-3.0": REFERENCE, "justext-java": JAVA, "learned": LENIENT}

LETTERS = {"G": GOOD, "N": NEAR_GOOD, "S": SHORT, "B": BAD}

_TOKEN = re.compile(r"(?P<heading>h?)(?P<letter>[GNSB])(?P<length>\d*)")


def page_id(page: Path) -> str:
    """A page's name in the output of pytest."""
    return str(page.relative_to(DEMO_SITE)) if page.is_relative_to(DEMO_SITE) else page.name


#: The demo site's pages by their names in the output of pytest.
PAGES = {page_id(page): page for page in DEMO_PAGES}


def read_page(page: Path) -> str:
    """The text of a page's file, gzipped or not."""
    body = page.read_bytes()
    body = gzip.decompress(body) if page.suffix == ".gz" else body
    return body.decode(choose_encoding(body).name, "replace").removeprefix("\ufeff")


def corpus_pages(step: int = 1) -> list[Path]:
    """Every ``step``-th of the labelled pages, in the order of their names; none where they are absent."""
    pages = [
        *sorted((CORPORA / "wcxb-dev" / "html").glob("*.html.gz")),
        *sorted((CORPORA / "cleaneval-dev" / "input").glob("*.html")),
    ]
    return pages[::step]


def reference() -> Any:
    """The reference's module of algorithms, which the package hides behind a function of its own name."""
    assert justext.__name__ == "justext"
    return sys.modules["justext.core"]


class Blocks(NamedTuple):
    """What the passes take: segments, and the class of each."""

    segments: BlockTable
    decisions: Decisions


def blocks(notation: str, *, reason: str = "as the test says") -> Blocks:
    """Blocks in a row: ``G``, ``N``, ``S`` or ``B``, ``h`` before a heading, its length behind (else 10).

    >>> [len(one.text) for one in blocks("hS B200 G").segments]
    [10, 200, 10]
    """
    segments, decisions = BlockTable(), []
    for token in notation.split():
        match = _TOKEN.fullmatch(token)
        assert match, token
        tag, level = ("h2", 2) if match["heading"] else ("p", 0)
        segments.append(make_segment("x" * int(match["length"] or 10), tag=tag, heading_level=level))
        decisions.append(Decision(LETTERS[match["letter"]], reason))
    return Blocks(segments, Decisions(decisions))


def judging(profile: str) -> list[str]:
    """The profiles that may judge a page: the one given, or those that it chooses from."""
    return [chosen.name for chosen in PROFILES[profile].chooses] or [profile]


def letters(decisions: Decisions | list[BlockClass]) -> str:
    """The classes in the notation of :func:`blocks`.

    >>> letters(blocks("G hS20 N").decisions)
    'G S N'
    """
    by_class = {block_class: letter for letter, block_class in LETTERS.items()}
    classes = [decision.block_class if isinstance(decision, Decision) else decision for decision in decisions]
    return " ".join(by_class[block_class] for block_class in classes)


def classes_of(html: str, **options: Any) -> str:
    """The classes of a page's blocks by their first letters; "the" is its stop word.

    >>> classes_of("<p>the lamp<p>x", length_low=3, length_high=3)
    'gb'
    """
    return "".join(kind[0] for kind in extract(f"<body>{html}", stoplist=["the"], **options).column("block_class"))


def make_segment(
    text: str,
    *,
    link_characters: int = 0,
    tag: str = "p",
    heading_level: int = 0,
    in_select: bool = False,
    image_url: str | None = None,
) -> Segment:
    """A segment of a text on one line, as if it were the first of its page."""
    return Segment(
        text=text,
        collapsed=text,
        link_characters=link_characters,
        link_words=len(text[:link_characters].split()),
        tags_count=0,
        tag=tag,
        heading_level=heading_level,
        in_select=in_select,
        preformatted=False,
        element=1,
        begin=0,
        end=0,
        kind="heading" if heading_level else "text",
        image_url=image_url,
    )


def prose(characters: int, *, stopwords: int, words: int = 20, stopword: str = "the") -> str:
    """Text of exactly so many characters and words, so many of which are ``stopword``.

    >>> prose(20, stopwords=2, words=4)
    'the the x xxxxxxxxxx'
    """
    head = " ".join([stopword] * stopwords + ["x"] * (words - stopwords - 1))
    text = f"{head} {'x' * (characters - len(head) - 1)}"
    assert len(text) == characters
    assert len(text.split()) == words
    return text


def tree(html: str | bytes) -> etree._Element:
    """The root of a page."""
    root = parse_html(html).root
    assert root is not None
    return root


def cut(html: str | bytes | etree._Element, rules: TagRules = MODERN) -> list[Segment]:
    """The segments of a page."""
    return list(read_tree(tree(html) if isinstance(html, str | bytes) else html, rules))


def elements_of(html: str | bytes | etree._Element, rules: TagRules = MODERN) -> list[tuple[Segment, etree._Element]]:
    """The segments of a page, each with its block-level element."""
    page = loading.read_nodes(tree(html) if isinstance(html, str | bytes) else html)
    blocks, flow = read_blocks(page, rules)
    return [(block, page.element(flow.elements[block.element])) for block in blocks]


def texts(html: str | bytes | etree._Element, rules: TagRules = MODERN) -> list[str]:
    """The texts of a page's segments."""
    return [segment.text for segment in cut(html, rules)]


def nested(tags: list[str], text: str) -> etree._Element:
    """A tree made by hand: each tag inside the one before, the text in the innermost."""
    root, innermost = _chain(tags[:LEVELS])
    for begin in range(LEVELS, len(tags), LEVELS):
        top, below = _chain(tags[begin : begin + LEVELS])
        innermost.append(top)
        innermost = below
    innermost.text = text
    return root


#: For each element that it makes inside of others, lxml goes up through all of them.
LEVELS = 500


def _chain(tags: list[str]) -> tuple[etree._Element, etree._Element]:
    """The outermost and the innermost of elements in one another."""
    top = node = etree.Element(tags[0])
    for tag in tags[1:]:
        node = etree.SubElement(node, tag)
    return top, node


def select(element: etree._Element, path: str) -> list[Any]:
    """What an XPath selects from an element, in the whole of its page where it starts with a slash."""
    found: Any = element.xpath(path)
    return list(found)


def extract_response(response: TextResponse, configuration: Configuration) -> Extraction:
    """What a crawl extracts from a response."""
    return Extractor(configuration.options).extract(response, languages=header_languages(response))


def all_text(element: etree._Element) -> str:
    """All text inside an element, comments left out."""
    return "".join(select(element, ".//text()"))


def ancestors_and_self(element: etree._Element) -> Iterator[etree._Element]:
    """From the root down to the element."""
    yield from reversed(list(element.iterancestors()))
    yield element


def lines_run(function: Callable[[], object]) -> int:
    """How many lines of the package run in a call: a measure of its work that is the same every time."""
    lines = 0

    def count_in(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count_in

    def count(frame: FrameType, event: str, arg: object) -> Any:
        return count_in if _PACKAGE in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


@contextmanager
def pure() -> Iterator[None]:
    """Inside, trees are read without the compiled walk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(loading.PURE, "1")
        forget_reader()
        yield
    forget_reader()


def forget_reader() -> None:
    """Let it be chosen anew how trees are read."""
    loading.compiled.cache_clear()
    loading._reader.cache_clear()


#: Of processor time, what work in proportion to its page needs a hundredth of, and quadratic work many times.
SECONDS = 20


@contextmanager
def full_disk() -> Iterator[None]:
    """Inside, nothing that is written arrives on a disk."""
    with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")):
        yield


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(holds: Callable[[], object], process: Popen[bytes] | Process | None = None) -> None:
    """Wait until something holds, five minutes at the most, and as long as a process runs, where one is given."""
    end = monotonic() + 300
    while not holds():
        assert monotonic() < end, "waited in vain"
        assert process is None or process.poll() is None, process.communicate()
        sleep(0.02)


def luminance(colour: str) -> float:
    """Relative luminance as in WCAG 2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """That of two colours, as in WCAG 2.

    >>> round(contrast("#ffffff", "#000000"), 3)
    21.0
    """
    low, high = sorted(map(luminance, (first, second)))
    return (high + 0.05) / (low + 0.05)


def processor_seconds(function: Callable[[], object]) -> float:
    """How much processor time a call takes: for work that runs in no lines of the package, as in lxml."""
    began = process_time()
    function()
    return process_time() - began


_PACKAGE = f"{Path(scrapy_justext.__file__).parent}/"
