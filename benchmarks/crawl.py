"""Measure what the plugin costs in a crawl: ``python -m benchmarks.crawl``.

A local server in a process of its own serves real pages under as many addresses as wanted.  A spider asks for all of
them and extracts their links, with the plugin and without it, in turn.  Times are those of the crawling process,
from its first request to its last, with the import of the plugin.

``--against COMMIT`` compares this checkout with an older one, both with the plugin as its defaults are: what was added
since and is off should cost nothing.  The pages are small, so that it is not extraction that is compared.

``--memory`` shows how the size of the process develops over a long crawl, with ``--everything`` one that uses all that
keeps something: second requests, articles of several pages, duplicates, site memory, the report of sites, chunks, feeds
of Parquet and Zstandard.  Its sites have pages that need a second request, articles of three pages, and pages that
repeat others.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import Process, SimpleQueue
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from benchmarks.pages import CHECKOUT, load_pages, origin
from benchmarks.template_site import make_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from benchmarks.template_site import Page

SERVED_PAGES = 200
SAMPLES = 20

#: A crawl with everything has so many sites, at 127.0.0.1 and the addresses behind it, each with all twenty kinds of
#: pages; the largest page, so that a crawl of 20,000 ends in minutes.
SITES = 21
MOST_BYTES = 100_000
ARTICLES, PAGES_OF_ARTICLE = 100, 3
_STOP_WORD = re.compile(rb" (the|of|and|to|a|in|is|for|that|on|with) ")
#: What a page sends that shows its text by scripts.
SHELL = b'<html lang="en"><title>News</title><noscript>Please switch JavaScript on.</noscript><div id="root"></div>'


class RealPages:
    """The pages that a server sends: real ones, again and again."""

    def __init__(self) -> None:
        self._bodies = [body for body in load_pages(SERVED_PAGES).values() if body.strip()]

    def body(self, path: str) -> bytes:
        """Return a page by the path of its address."""
        return self._bodies[int(path.strip("/")) % len(self._bodies)]


class SmallPages:
    """The pages that a server sends where it is not extraction that counts: one with a paragraph, again and again."""

    def body(self, _: str) -> bytes:
        """Return the page."""
        return b'<html lang="en"><title>A page</title><p>' + b"It was the best of times, and it was the worst. " * 5


class VariedPages(RealPages):
    """Of twenty pages, one needs a second request, one begins an article, and five repeat others."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies = [body for body in self._bodies if len(body) <= MOST_BYTES]
        made = list(make_pages("en", ARTICLES * PAGES_OF_ARTICLE))
        self._articles = [_article(made[i::ARTICLES]) for i in range(ARTICLES)]

    def body(self, path: str) -> bytes:
        """Return a page by the path of its address.

        A second request comes through a proxy, which is the server itself: it names the whole address.
        """
        address = urlsplit(path)
        number, kind = int(address.path.strip("/")), int(address.path.strip("/")) % 20
        if kind == 0:
            page = int(address.query.removeprefix("page=") or 1)
            return _as_new(self._articles[number // 20 % ARTICLES][page - 1], number)
        if kind == 1 and not address.scheme:
            return SHELL
        body = super().body(address.path)
        return body if kind > 14 else _as_new(body, number)


def _article(pages: Sequence[Page]) -> list[bytes]:
    """Return pages as those of one article: with the same title, each with a link to the next."""
    first = pages[0].gold.partition("\n")[0]
    bodies = []
    for number, page in enumerate(pages, 1):
        link = f'<link rel="next" href="?page={number + 1}">' if number < len(pages) else ""
        html = page.html.replace(page.gold.partition("\n")[0], first)
        bodies.append(html.replace("</head>", f"{link}</head>").encode())
    return bodies


def _as_new(body: bytes, number: int) -> bytes:
    """Return a page of which most runs of five words are on no other page; the stop words stay."""
    return _STOP_WORD.sub(rb" \1 %d " % number, body)


def serve(ports: SimpleQueue[int], pages: RealPages | SmallPages) -> None:
    """Serve pages at all local addresses until the process is ended; put the port into the queue."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = pages.body(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("", 0), Handler)
    ports.put(server.server_port)
    server.serve_forever()


class PagesSpider(Spider):
    """Ask for every page, parse its links, yield an item."""

    name = "pages"
    port = 0
    pages = 0
    sites = 1

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.links = LinkExtractor()
        self.seen = 0
        #: Pages, and the kilobytes of this process after them.
        self.sizes: list[tuple[int, int]] = []

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for each page."""
        for number in range(self.pages):
            yield Request(f"http://127.0.0.{number % self.sites + 1}:{self.port}/{number}")

    def parse(self, response: Response) -> Iterator[dict[str, object]]:
        """Yield an item with the number of links."""
        assert isinstance(response, HtmlResponse)
        self.seen += 1
        if self.seen % max(self.pages // SAMPLES, 1) == 0:
            self.sizes.append((self.seen, _resident_kilobytes()))
        yield {"url": response.url, "links": len(self.links.extract_links(response))}


def everything(folder: str, port: int) -> dict[str, Any]:
    """Return the settings that keep something of each page, with bounds that a long crawl reaches early.

    ``folder``: where the feeds and the report go.
    """
    return {
        "JUSTEXT_RETRY_META": {"proxy": f"http://127.0.0.1:{port}"},
        "JUSTEXT_JOIN_PAGES": 10,
        "JUSTEXT_DUPLICATES": "mark",
        "JUSTEXT_DUPLICATES_MEMORY": 16,
        "JUSTEXT_SITE_MEMORY": True,
        "JUSTEXT_SITE_MEMORY_LOOK": "hold",
        "JUSTEXT_SITE_MEMORY_ALL_BLOCKS": 50_000,
        "JUSTEXT_SITE_REPORT": f"{folder}/sites.html",
        "JUSTEXT_FIELDS": {"chunks": "chunks", "markdown": "markdown", "fetched": "fetched", "pages": "pages"},
        "FEEDS": {f"{folder}/pages.parquet": {"format": "parquet"}, f"{folder}/pages.jsonl.zst": {"format": "zst"}},
    }


#: The stats that tell whether the parts of :func:`everything` had something to do.
COUNTED = ("item_scraped_count", "justext/pages", "justext/retry/", "justext/join/", "justext/duplicates/")


def crawl(port: int, pages: int, with_plugin: bool, folder: str = "") -> dict[str, Any]:
    """Crawl in this process; return what it took.  ``folder``: for all that keeps something; "" for none of it."""
    settings: dict[str, Any] = {
        "LOG_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "TELNETCONSOLE_ENABLED": False,
    }
    if with_plugin:
        settings["ADDONS"] = {"scrapy_justext.Addon": 500}
        settings |= everything(folder, port) if folder else {}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PagesSpider)
    process.crawl(crawler, port=port, pages=pages, sites=SITES if folder else 1)
    start = process_time()
    process.start()
    assert crawler.stats is not None
    assert isinstance(crawler.spider, PagesSpider)
    stats = crawler.stats.get_stats()
    return {
        "wall": stats["elapsed_time_seconds"],
        "processor": process_time() - start,
        "extraction": stats.get("justext/seconds", 0.0),
        "responses": stats["response_received_count"],
        "cleaned": stats.get("justext/pages", 0),
        "reader": stats.get("justext/reader", ""),
        "counted": {name: value for name, value in sorted(stats.items()) if name.startswith(COUNTED)},
        "sizes": crawler.spider.sizes,
    }


def _resident_kilobytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def _in_own_process(
    port: int, pages: int, with_plugin: bool = True, folder: str = "", checkout: Path = CHECKOUT
) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.crawl", "--run", str(port), str(pages), str(int(with_plugin)), folder]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=checkout, env=environment)
    return dict(json.loads(result.stdout))


def compare(crawl: Callable[[], dict[str, Any]], other: Callable[[], dict[str, Any]], rounds: int) -> None:
    """Print what a crawl takes as ratios to another, round by round; they take turns in coming first."""
    ratios: dict[str, list[float]] = {"wall": [], "processor": []}
    for number in range(1, rounds + 1):
        if number % 2:
            ours, beside = crawl(), other()
        else:
            beside, ours = other(), crawl()
        for clock, values in ratios.items():
            values.append(ours[clock] / beside[clock])
        times = ", ".join(f"{clock} {ours[clock]:.2f} / {beside[clock]:.2f} s" for clock in ratios)
        cleaned = " / ".join(f"{result['cleaned']} by {result['reader'] or 'none'}" for result in (ours, beside))
        print(f"round {number}: {times}; pages cleaned: {cleaned}", flush=True)
    for clock, values in ratios.items():
        print(f"{clock:10} median ratio {median(values):.3f}, from {min(values):.3f} to {max(values):.3f}")


@contextmanager
def older_checkout(commit: str) -> Iterator[Path]:
    """Yield a checkout of a commit, compiled as this one is if the commit knows how, with the benchmarks of now."""
    with TemporaryDirectory() as folder:
        checkout = Path(folder) / "older"
        git = ["git", "-C", str(CHECKOUT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(checkout), commit], check=True)
        try:
            # What it was called at first.
            compile_it = (
                "import hatch_build as build; from pathlib import Path; "
                "(getattr(build, 'compile_modules', None) or build.compile_kernel)(Path().resolve())"
            )
            subprocess.run([sys.executable, "-c", compile_it], cwd=checkout, check=False, stdout=subprocess.DEVNULL)
            shutil.copytree(CHECKOUT / "benchmarks", checkout / "benchmarks", dirs_exist_ok=True)
            yield checkout
        finally:
            subprocess.run([*git, "remove", "--force", str(checkout)], check=True)


def follow_memory(port: int, pages: int, with_everything: bool) -> None:
    """Print how much memory a crawl has on its way, and what its parts had to do."""
    with TemporaryDirectory() as folder:
        result = _in_own_process(port, pages, folder=folder if with_everything else "")
    print("pages | MB")
    for seen, kilobytes in result["sizes"]:
        print(f"{seen:5} | {kilobytes // 1024}")
    for name, value in result["counted"].items():
        print(f"{name}: {value}")
    print(f"processor seconds: {result['processor']:.0f}, of them in extraction: {result['extraction']:.0f}")


def main() -> None:
    """Compare crawls, or follow the memory of a long one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", metavar="COMMIT", help="compare with an older commit, where all is off")
    parser.add_argument("--memory", action="store_true", help="one crawl with the plugin; its size on the way")
    parser.add_argument("--everything", action="store_true", help="with --memory: use all that keeps something")
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        port, pages, with_plugin, folder = arguments.run
        print(json.dumps(crawl(int(port), int(pages), with_plugin == "1", folder)))
        return
    served = SmallPages() if arguments.against else VariedPages() if arguments.everything else RealPages()
    ports: SimpleQueue[int] = SimpleQueue()
    server = Process(target=serve, args=(ports, served), daemon=True)
    server.start()
    port = ports.get()
    run = partial(_in_own_process, port, arguments.pages)
    if arguments.memory:
        follow_memory(port, arguments.pages, arguments.everything)
    elif arguments.against:
        print(f"{arguments.pages} small pages: this checkout / {arguments.against}\n")
        with older_checkout(arguments.against) as checkout:
            compare(run, partial(run, checkout=checkout), arguments.rounds)
    else:
        print(f"{arguments.pages} pages, {origin()}: with the plugin / without\n")
        compare(run, partial(run, with_plugin=False), arguments.rounds)
    server.terminate()


if __name__ == "__main__":
    main()
