"""Measure how well duplicates are found, and what it costs: ``python -m benchmarks.duplicates``.

Labelled pairs of pages are made of articles: those of the demo site, in ten languages, and real pages where these lie
beside the checkout.  In a pair the second page is a copy of the first in some way, or only looks like one.  Precision
and recall are those of all second pages, and of their paragraphs, with a table that holds all n-grams, and with tables
so small that they hold a sample.  ``--pages`` shows which pages of the demo site are called repeated.
"""

from __future__ import annotations

import argparse
import random
from itertools import cycle
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.pages import DEMO_PAGES, load_pages, origin
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.crawl.duplicates.detection import LEAST, Duplicates, PageIdentity
from scrapy_justext.crawl.duplicates.ngrams import WORDS, ngrams_of
from scrapy_justext.crawl.duplicates.table import LEAST_ROWS, LocalTable, rows_within

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.crawl.pages import Repeats

SHARE = 0.5
#: Paragraphs of an article, and characters of each, so that it can be copied in part.
PARAGRAPHS, CHARACTERS = 6, 80
#: The part of a page that a quote may be: where an article is one long paragraph, who quotes that copies it.
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
    "print view, session id": (True, lambda one, _: _parts((one, True))),
    "syndicated: own lead and end": (
        True,
        lambda one, other: _parts((other[:1], False), (one, True), (other[-1:], False)),
    ),
    "every twelfth word edited": (True, lambda one, _: _parts(([_edited(text) for text in one], True))),
    "first three quarters": (True, lambda one, _: _parts((_share(one, 0.75), True))),
    "other article of the site": (False, lambda _, other: _parts((other, False))),
    "quotes a paragraph": (False, lambda one, other: _parts((other[:2], False), (one[:1], True), (other[2:], False))),
    "quotes a few words in each paragraph": (
        False,
        lambda one, other: _parts(
            ([f"{text} {quote[:40]}" for text, quote in zip(other, cycle(one), strict=False)], False)
        ),
    ),
    "takes over a fifth": (False, lambda one, other: _parts((_share(one, 0.2), True), (other, False))),
}


def find_articles(pages: int) -> list[Article]:
    """Return the paragraphs of pages with running text, those of the demo site first."""
    bodies = [file.read_bytes() for file in sorted(DEMO_PAGES.rglob("*.html"))]
    bodies += list(load_pages(pages).values()) if pages else []
    extractor = Extractor()
    articles: list[Article] = []
    seen = Duplicates(LocalTable(rows_within(256)))
    for number, body in enumerate(bodies):
        extraction = extractor.extract(body)
        # Texts that are on several pages already would be copies without a label.
        repeats = seen.look(extraction, PageIdentity(number, str(number)), 0.01)
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

    def add(self, found: bool, expected: bool) -> None:
        """Count an answer."""
        self.right += found and expected
        self.false += found and not expected
        self.missed += expected and not found

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
        duplicates = Duplicates(LocalTable(rows))
        answers = []
        # The second page of a pair comes when most other pages have come.
        for number, article in enumerate(articles):
            duplicates.look(judged(article), PageIdentity(number, ""), SHARE)
        for number, article in enumerate(articles[::2]):
            other = articles[2 * number + 1]
            # Nobody else may have said what is new: each of its letters is another one.
            copy = make(article, ["".join(map(_shift, text)) for text in other])
            copied = sum(len(text) for text, is_copied in zip(*copy, strict=True) if is_copied)
            if not is_duplicate and copied > MOST_QUOTED * sum(map(len, copy.paragraphs)):
                continue
            repeats = duplicates.look(judged(copy.paragraphs), PageIdentity(1_000_000 + number, ""), SHARE)
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
        Duplicates(table).look(judged(article), PageIdentity(number, ""), SHARE)
    total = sum(len(set(ngrams_of(article).keys.tolist())) for article in articles)
    return len(table) / total


def demo_site() -> list[tuple[str, Repeats]]:
    """Return the pages of the demo site that are called repeated, in whole or in part."""
    duplicates, extractor = Duplicates(LocalTable(rows_within(1))), Extractor()
    found = []
    for number, file in enumerate(sorted(DEMO_PAGES.rglob("*.html"), key=lambda file: (len(file.parts), file))):
        name = str(file.relative_to(DEMO_PAGES))
        repeats = duplicates.look(extractor.extract(file.read_bytes()), PageIdentity(number, name), SHARE)
        if repeats.blocks or repeats.is_page:
            found.append((name, repeats))
    return found


def cost(pages: int) -> tuple[float, float]:
    """Return the milliseconds that a page takes: to be extracted, and to be looked at for duplicates."""
    bodies, extractor = [body for body in load_pages(pages).values() if body.strip()], Extractor()
    duplicates = Duplicates(LocalTable(rows_within(256)))
    start = process_time()
    extractions = [extractor.extract(body) for body in bodies]
    middle = process_time()
    for number, extraction in enumerate(extractions):
        duplicates.look(extraction, PageIdentity(number, ""), SHARE)
    return 1000 * (middle - start) / len(bodies), 1000 * (process_time() - middle) / len(bodies)


def main() -> None:
    """Print the tables of the docs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=200, help="real pages to make pairs of, beside the demo site")
    parser.add_argument("--pages", action="store_true", help="only the demo site's pages")
    arguments = parser.parse_args()
    for name, repeats in demo_site():
        print(f"demo site: {name}: {len(repeats.blocks)} blocks, {repeats.message}, page: {repeats.is_page}")
    if arguments.pages:
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
