"""Measure how well duplicates are found, and what it costs: ``python -m benchmarks.duplicates``.

Labelled pairs of pages are made of articles: those of the demo site, in ten languages, and real pages where these lie
beside the checkout.  In a pair the second page is a copy of the first in some way, or only looks like one.  Precision
and recall are those of all second pages, and of their paragraphs, with a table that holds all n-grams, and with tables
so small that they hold a sample.  The same for the pages of the demo site, each of which comes a second time with a
session id; ``--demo`` stops there.

``--fill PAGES`` fills a table with the n-grams of so many pages of 300 words, as large as ``--megabytes`` allows, and
prints the memory of the process; then copies of some pages come, and as many new ones.
"""

from __future__ import annotations

import argparse
import random
import resource
from itertools import cycle, product
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scrapy.http import HtmlResponse

from benchmarks.pages import DEMO_PAGES, load_pages, origin
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.ngrams import KEY_BITS, WORDS, ngrams_of
from scrapy_justext.crawl.links import SIZE, links_of
from scrapy_justext.crawl.parts.duplicates.detection import LEAST, find_repeats
from scrapy_justext.crawl.parts.duplicates.table import LEAST_ROWS, PAGE_BITS, LocalTable, SeenPage, rows_within

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.crawl.parts.duplicates.table import Keys

SHARE = 0.5
#: Paragraphs of an article, and characters of each, so that it can be copied in part.
PARAGRAPHS, CHARACTERS = 6, 80
#: The largest part of a page that counts as a quote: to quote an article of one long paragraph is to copy it.
MOST_QUOTED = 0.4

Article = list[str]


class Copy(NamedTuple):
    """The second page of a pair: its paragraphs, and which of them are copied."""

    paragraphs: Article
    are_copied: list[bool]


def _parts(*parts: tuple[Article, bool]) -> Copy:
    return Copy(
        [text for texts, _ in parts for text in texts], [is_copied for texts, is_copied in parts for _ in texts]
    )


def _edited(text: str) -> str:
    """Return a text with every twelfth word replaced; of a script without spaces, every thirtieth character."""
    words = text.split(" ")
    if len(words) > WORDS:
        return " ".join("#" if i % 12 == 11 else word for i, word in enumerate(words)).replace("#", "otherwise")
    return "".join("某" if i % 30 == 29 else character for i, character in enumerate(text))


def _shift(character: str) -> str:
    return chr(ord(character) + 1) if character.isalnum() else character


def _share(article: Article, part: float) -> Article:
    """Return the first paragraphs, with so large a part of the characters."""
    taken, size = [], 0
    for text in article:
        taken.append(text)
        size += len(text)
        if size >= part * sum(map(len, article)):
            break
    return taken


#: What a second page is made of, from the article of the first page and another one; whether it is a duplicate.
CASES: dict[str, tuple[bool, Callable[[Article, Article], Copy]]] = {
    "print view, session id": (True, lambda first, _: _parts((first, True))),
    "syndicated: own lead and end": (
        True,
        lambda first, own: _parts((own[:1], False), (first, True), (own[-1:], False)),
    ),
    "every twelfth word edited": (True, lambda first, _: _parts(([_edited(text) for text in first], True))),
    "first three quarters": (True, lambda first, _: _parts((_share(first, 0.75), True))),
    "other article of the site": (False, lambda _, own: _parts((own, False))),
    "quotes a paragraph": (False, lambda first, own: _parts((own[:2], False), (first[:1], True), (own[2:], False))),
    "quotes a few words in each paragraph": (
        False,
        lambda first, own: _parts(
            ([f"{text} {quote[:40]}" for text, quote in zip(own, cycle(first), strict=False)], False)
        ),
    ),
    "takes over a fifth": (False, lambda first, own: _parts((_share(first, 0.2), True), (own, False))),
}


def find_articles(pages: int) -> list[Article]:
    """Return the paragraphs of pages with running text, those of the demo site first."""
    bodies = [file.read_bytes() for file in sorted(DEMO_PAGES.rglob("*.html"))]
    bodies += list(load_pages(pages).values()) if pages else []
    extractor = Extractor()
    articles: list[Article] = []
    seen = LocalTable(rows_within(256))
    for number, body in enumerate(bodies):
        extraction = extractor.extract(body)
        # Texts that are on several pages already would be copies without a label.
        repeats = find_repeats(seen, extraction, number, str(number), 0.01)
        article = [text for text in extraction.paragraphs if len(text) >= CHARACTERS]
        if len(article) >= PARAGRAPHS and not repeats.blocks and not repeats.is_page:
            articles.append(article)
    return articles


def judged(paragraphs: Article) -> Extraction:
    """Return an extraction of which every paragraph is good."""
    html = "".join(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>" for text in paragraphs)
    return Extractor(language="none", length_low=0, length_high=1, max_link_density=1).extract(html)


class Score:
    """Counts right and wrong answers."""

    def __init__(self) -> None:
        self.right = self.false = self.missed = 0

    def add(self, answer: bool, expected: bool) -> None:
        """Count an answer."""
        self.right += answer and expected
        self.false += answer and not expected
        self.missed += expected and not answer

    def __str__(self) -> str:
        precision = self.right / (self.right + self.false) if self.right + self.false else 1.0
        recall = self.right / (self.right + self.missed) if self.right + self.missed else 1.0
        return f"{precision:.3f} | {recall:.3f}"


def measure(articles: list[Article], rows: int) -> tuple[dict[str, float], Score, Score, float]:
    """Return for each case the share of pages that were judged as labelled; the scores of pages and of paragraphs; and
    the share of n-grams in the sample.
    """
    pages, paragraphs = Score(), Score()
    right: dict[str, float] = {}
    for name, (is_duplicate, make) in CASES.items():
        duplicates = LocalTable(rows)
        answers = []
        # The second page of a pair comes when most other pages have come.
        for number, article in enumerate(articles):
            find_repeats(duplicates, judged(article), number, "", SHARE)
        for number, article in enumerate(articles[::2]):
            other = articles[2 * number + 1]
            # No other page may have the new text: all its letters are replaced.
            copy = make(article, ["".join(map(_shift, text)) for text in other])
            copied = sum(len(text) for text, is_copied in zip(*copy, strict=True) if is_copied)
            if not is_duplicate and copied > MOST_QUOTED * sum(map(len, copy.paragraphs)):
                continue
            repeats = find_repeats(duplicates, judged(copy.paragraphs), 1_000_000 + number, "", SHARE)
            answers.append(repeats.is_page == is_duplicate)
            pages.add(repeats.is_page, is_duplicate)
            for i, (text, is_copied) in enumerate(zip(*copy, strict=True)):
                if len(ngrams_of([text]).keys) >= LEAST:
                    paragraphs.add(i in repeats.blocks, is_copied)
        right[name] = sum(answers) / len(answers)
    return right, pages, paragraphs, _sample(articles, rows)


def _sample(articles: list[Article], rows: int) -> float:
    table = LocalTable(rows)
    for number, article in enumerate(articles):
        find_repeats(table, judged(article), number, "", SHARE)
    total = sum(len(set(ngrams_of(article).keys.tolist())) for article in articles)
    return len(table) / total


def print_demo_site() -> None:
    """Print what of the demo site is called repeated at its first visit, and the scores with a second one.

    At the second, every page has a session id.  At the first no page is a copy, and those blocks are whose very text
    is on a page before.
    """
    duplicates, extractor = LocalTable(rows_within(1)), Extractor()
    of_pages, of_blocks = Score(), Score()
    texts: set[str] = set()
    files = sorted(DEMO_PAGES.rglob("*.html"), key=lambda file: (len(file.parts), file))
    for number, (visit, file) in enumerate(product(("", "?sid=7"), files)):
        name = f"{file.relative_to(DEMO_PAGES)}{visit}"
        extraction = extractor.extract(file.read_bytes())
        repeats = find_repeats(duplicates, extraction, number, name, SHARE)
        if (repeats.blocks or repeats.is_page) and not visit:
            print(f"demo site: {name}: {len(repeats.blocks)} blocks, {repeats.message}, page: {repeats.is_page}")
        good = {i: block.text for i, block in enumerate(extraction.blocks) if block.is_good}
        if len(ngrams_of(list(good.values())).keys) >= LEAST:
            of_pages.add(repeats.is_page, bool(visit))
        for i, text in good.items():
            if len(ngrams_of([text]).keys) >= LEAST:
                of_blocks.add(i in repeats.blocks, text in texts)
        texts.update(good.values())
    print(f"demo site, each of {len(files)} pages twice: pages {of_pages} | blocks {of_blocks}")


NGRAMS_OF_PAGE = 300 - WORDS + 1
LINKS_OF_PAGE = 100
#: Pages of a filled table of which copies come.
COPIES = 1000


def _keys(page: int) -> Keys:
    """Return the n-grams of a made-up page; those of texts are as evenly spread over all numbers."""
    return np.unique(np.random.default_rng(page).integers(1, 1 << KEY_BITS, NGRAMS_OF_PAGE, np.uint64))


def fill(pages: int, megabytes: int) -> None:
    """Print what a table of many pages takes, and what it still recognises."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, process_time()
    table = LocalTable(rows_within(megabytes))
    links = bytes(LINKS_OF_PAGE * SIZE)
    for page in range(pages):
        seen = SeenPage(f"https://www.example.com/news/2024/an-article-with-a-name-{page}.html", NGRAMS_OF_PAGE, links)
        table.visit(page, seen, _keys(page), announces=False)
    seconds, most = process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{pages:,} pages, {pages * NGRAMS_OF_PAGE:,} n-grams, of which {len(table):,} are kept")
    print(f"most memory of the process {most // 1024:,} MB, {before // 1024} of them before")
    print(f"processor ms a page: {1000 * seconds / pages:.2f}")
    for name, numbers in (("copies", range(0, pages, max(pages // COPIES, 1))), ("new", range(pages, pages + COPIES))):
        called = 0
        for number in numbers:
            ngrams = table.visit(
                (1 << PAGE_BITS) - 1 - number, SeenPage("", NGRAMS_OF_PAGE), _keys(number), announces=False
            )
            known = int(ngrams.is_known.sum())
            called += known >= LEAST and int((ngrams.owners >= 0).sum()) > SHARE * known
        print(f"{called} of {len(numbers)} {name} are called repeated")


def cost(pages: int) -> tuple[float, float]:
    """Return the milliseconds that a page takes: to be extracted, and to be looked at for duplicates."""
    bodies, extractor = [body for body in load_pages(pages).values() if body.strip()], Extractor()
    duplicates = LocalTable(rows_within(256))
    # A spider reads the text of its responses anyway.
    responses = [HtmlResponse(f"https://example.org/{number}", body=body) for number, body in enumerate(bodies)]
    assert all(response.text for response in responses)
    start = process_time()
    extractions = [extractor.extract(body) for body in bodies]
    middle = process_time()
    for number, (extraction, response) in enumerate(zip(extractions, responses, strict=True)):
        find_repeats(duplicates, extraction, number, "", SHARE, links_of(response, None))
    return 1000 * (middle - start) / len(bodies), 1000 * (process_time() - middle) / len(bodies)


def main() -> None:
    """Print the tables of the docs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=200, help="real pages to make pairs of, beside the demo site")
    parser.add_argument("--demo", action="store_true", help="only the demo site's pages")
    parser.add_argument("--fill", metavar="PAGES", type=int, help="only a table of so many pages")
    parser.add_argument("--megabytes", type=int, default=512, help="JUSTEXT_DUPLICATES_MEMORY of --fill")
    arguments = parser.parse_args()
    if arguments.fill:
        fill(arguments.fill, arguments.megabytes)
        return
    print_demo_site()
    if arguments.demo:
        return
    articles = find_articles(arguments.articles)
    random.Random(1).shuffle(articles)
    del articles[len(articles) // 2 * 2 :]
    ngrams = sum(len(ngrams_of(article).keys) for article in articles)
    print(f"\n{len(articles)} articles, {ngrams} n-grams; {origin()}\n")
    for rows in (1 << 16, 1 << 14, 1 << 13, LEAST_ROWS):
        right, of_pages, of_paragraphs, sample = measure(articles, rows)
        print(f"{sample:.0%} of n-grams | pages {of_pages} | paragraphs {of_paragraphs}")
        for name, value in right.items():
            print(f"    {name} | {value:.2f}")
    extraction, looking = cost(200)
    print(f"\nms a page: extraction {extraction:.2f}, duplicates {looking:.2f}")


if __name__ == "__main__":
    main()
