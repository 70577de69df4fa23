"""Measure what site memory gains, and what it costs: ``python -m benchmarks.site_memory``.

The gain is shown on made-up sites of one template each, and on the demo site, as F1 over bags of words: the mean over
the pages that have a gold text.  Three columns compare a profile alone, with one look (the memory as it is when each
page comes), and with a second look at each page when the last one has come.  The cost is the time of the memory beside
that of extraction, and the bytes of a remembered block.
"""

from __future__ import annotations

import argparse
import tracemalloc
from functools import partial
from itertools import islice
from statistics import mean, median
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from scrapy.http import HtmlResponse

from benchmarks.pages import CHECKOUT, DEMO_PAGES, load_pages, origin
from benchmarks.precision import score
from benchmarks.template_site import LANGUAGES, Page, make_pages
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.options import make_options
from scrapy_justext.crawl.links import links_of
from scrapy_justext.crawl.parts.site_memory.memory import SIZE, Fingerprints, take_fingerprints, without_repeated
from scrapy_justext.crawl.parts.site_memory.store import LocalStore
from scrapy_justext.crawl.settings import configure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.core.options import Options

GOLD = CHECKOUT / "tests" / "evaluation" / "small_set"
COUNTS = (5, 10, 20, 50, 200)
SITE = "site"
CONFIGURATION = configure({})
make_store = partial(
    LocalStore, blocks=CONFIGURATION.site_memory_blocks, all_blocks=CONFIGURATION.site_memory_all_blocks
)


class Means(NamedTuple):
    """Mean F1: of the profile alone, with one look, with two."""

    alone: float
    first: float
    second: float


def demo_pages() -> Iterator[Page]:
    """Yield the demo site's pages, as a crawl would come to them; some have no gold text."""
    golds = {path.resolve(): GOLD / "gold" / f"{path.stem}.txt" for path in (GOLD / "input").iterdir()}
    for file in sorted(DEMO_PAGES.rglob("*.html"), key=lambda file: (len(file.parts), file)):
        gold = golds.get(file)
        text = gold.read_text("utf-8") if gold is not None else ""
        yield Page(f"http://demo.example/{file.relative_to(DEMO_PAGES)}", file.read_text("utf-8"), text)


def judge(page: Page, options: Options) -> JudgedPage:
    """Judge a page by its profile alone."""
    extractor = Extractor(options)
    return extractor.judge_page(page.html, url=page.url)


def compare(pages: Sequence[Page], options: Options) -> Means:
    """Return the F1 of the pages, when they come in this order."""
    store = make_store()
    alone = [judge(page, options) for page in pages]
    fingerprints = [
        take_fingerprints(
            judged.context.segments,
            judged.page.url or "",
            CONFIGURATION.site_memory_length,
            judged.page.title,
            links_of(HtmlResponse(page.url or "", body=page.html, encoding="utf-8"), None),
        )
        for page, judged in zip(pages, alone, strict=True)
    ]
    visits = list(zip(alone, fingerprints, strict=True))
    first = [without_repeated(judged, prints, store.visit(SITE, prints), CONFIGURATION) for judged, prints in visits]
    second = [without_repeated(judged, prints, store.recall(SITE, prints), CONFIGURATION) for judged, prints in visits]
    return Means(*(mean_f1(pages, judged) for judged in (alone, first, second)))


def mean_f1(pages: Sequence[Page], judged: Sequence[JudgedPage]) -> float:
    """Return the mean F1 of the pages that have a gold text."""
    pairs = [(page.gold, outcome) for page, outcome in zip(pages, judged, strict=True) if page.gold]
    return mean(score(gold, outcome.extraction().text).f1 for gold, outcome in pairs)


def overhead(bodies: Sequence[bytes], options: Options, rounds: int) -> float:
    """Return the time of the memory / that of extraction from bytes; the pages are those of one site."""
    ratios = []
    extractor = Extractor(options)
    for _ in range(rounds):
        store = make_store()
        extracting = remembering = 0.0
        for number, body in enumerate(bodies):
            start = process_time()
            judged = extractor.judge_page(body)
            judged.extraction()
            # A spider reads its text anyway.
            response = HtmlResponse(f"https://example.org/{number}", body=body)
            assert response.text
            middle = process_time()
            links = links_of(response, None)
            prints = take_fingerprints(
                judged.context.segments, response.url, CONFIGURATION.site_memory_length, judged.page.title, links
            )
            without_repeated(judged, prints, store.visit(SITE, prints), CONFIGURATION)
            remembering += process_time() - middle
            extracting += middle - start
        ratios.append(remembering / extracting)
    return median(ratios)


def bytes_per_block(sites: int, pages: int, blocks: int) -> float:
    """Return the bytes of a remembered block; no two of all the blocks are the same."""
    numbers = iter(range(sites * pages * (blocks + 2)))
    tracemalloc.start()
    store = LocalStore(blocks=pages * (blocks + 2), all_blocks=1 << 40)
    for site in range(sites):
        for _ in range(pages):
            *numbers_of_blocks, url, texts = (number.to_bytes(SIZE, "big") for number in islice(numbers, blocks + 2))
            store.visit(f"site{site}.example", Fingerprints((url, texts), numbers_of_blocks, range(blocks)))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / (sites * pages * blocks)


def show(name: str, sites: Sequence[Means]) -> None:
    """Print a line of the table: the means over the sites."""
    print(f"{name:32}" + "".join(f"{mean(column):8.3f}" for column in zip(*sites, strict=True)))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="append", help="may be given several times")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    for profile in arguments.profile or ["justext", "learned"]:
        options = make_options(profile=profile)
        print(f"\n{profile}: F1 alone, with one look, with a second look at the end")
        made = [list(make_pages(language, max(COUNTS))) for language in LANGUAGES]
        for count in COUNTS:
            show(f"{count} pages of one template", [compare(pages[:count], options) for pages in made])
        demo = list(demo_pages())
        for count in (*COUNTS[1:-1], len(demo)):
            show(f"{count} pages of the demo site", [compare(demo[:count], options)])
        bodies = [body for body in load_pages(200).values() if body.strip()]
        share = overhead(bodies, options, arguments.rounds)
        print(f"time: {share:.1%} of extraction, {len(bodies)} pages as those of one site, {origin()}")
        share = overhead([page.html.encode() for page in made[0]], options, arguments.rounds)
        print(f"time: {share:.1%} of extraction, {len(made[0])} pages of one template")
    for shape in ((1, 1000, 20), (100, 20, 20), (1000, 5, 5)):
        print(f"{bytes_per_block(*shape):.0f} bytes a block: {shape[0]} sites of {shape[1]} pages of {shape[2]} blocks")


if __name__ == "__main__":
    main()
