"""Measure what the plugin costs in a crawl: ``python -m benchmarks.crawl``.

A local server in a process of its own serves real pages under as many addresses as wanted.  A spider asks for all of
them and extracts their links, with the plugin and without it, in turn.  Times are those of the crawling process,
from its first request to its last.  ``--memory`` shows how its size develops over a long crawl, with ``--everything``
one that uses all that keeps something: site memory, duplicates, chunks, feeds of Parquet and Zstandard.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import Process, SimpleQueue
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from benchmarks.pages import load_pages, origin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

SERVED_PAGES = 200
SAMPLES = 10


def serve(addresses: SimpleQueue[str]) -> None:
    """Serve pages until the process is ended; put the address into the queue."""
    bodies = [body for body in load_pages(SERVED_PAGES).values() if body.strip()]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = bodies[int(self.path.strip("/")) % len(bodies)]
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    addresses.put(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()


class PagesSpider(Spider):
    """Ask for every page, parse its links, yield an item."""

    name = "pages"
    address = ""
    pages = 0
    seconds = 0.0

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.links = LinkExtractor()
        self.seen = 0
        self.sizes: list[int] = []

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for each page."""
        for number in range(self.pages):
            yield Request(f"{self.address}/{number}")

    def parse(self, response: Response) -> Iterator[dict[str, object]]:
        """Yield an item with the number of links."""
        assert isinstance(response, HtmlResponse)
        self.seen += 1
        if self.seen % max(self.pages // SAMPLES, 1) == 0:
            self.sizes.append(_resident_kilobytes())
        yield {"url": response.url, "links": len(self.links.extract_links(response))}


def everything(folder: str) -> dict[str, Any]:
    """Return the settings that keep something of each page; the feeds go to a folder."""
    return {
        "JUSTEXT_SITE_MEMORY": True,
        "JUSTEXT_SITE_MEMORY_LOOK": "hold",
        "JUSTEXT_DUPLICATES": "mark",
        "JUSTEXT_DUPLICATES_MEMORY": 64,
        "JUSTEXT_FIELDS": {"chunks": "chunks", "markdown": "markdown"},
        "FEEDS": {f"{folder}/pages.parquet": {"format": "parquet"}, f"{folder}/pages.jsonl.zst": {"format": "zst"}},
    }


def crawl(address: str, pages: int, with_plugin: bool, folder: str = "") -> dict[str, Any]:
    """Crawl in this process; return what it took.  ``folder``: for all that keeps something; "" for none of it."""
    settings: dict[str, Any] = {
        "LOG_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "TELNETCONSOLE_ENABLED": False,
    }
    if with_plugin:
        settings["ADDONS"] = {"scrapy_justext.Addon": 500}
        settings |= everything(folder) if folder else {}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PagesSpider)
    process.crawl(crawler, address=address, pages=pages)
    start = process_time()
    process.start()
    assert crawler.stats is not None
    assert isinstance(crawler.spider, PagesSpider)
    return {
        "wall": crawler.stats.get_value("elapsed_time_seconds"),
        "processor": process_time() - start,
        "responses": crawler.stats.get_value("response_received_count"),
        "cleaned": crawler.stats.get_value("justext/pages", 0),
        "sizes": crawler.spider.sizes,
    }


def _resident_kilobytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def _in_own_process(address: str, pages: int, with_plugin: bool, folder: str = "") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.crawl", "--one", address, str(pages), str(int(with_plugin)), folder]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(result.stdout))


def compare(address: str, pages: int, rounds: int) -> None:
    """Print the cost of the plugin as ratios, round by round."""
    ratios: dict[str, list[float]] = {"wall": [], "processor": []}
    print(f"{pages} pages, {origin()}: with the plugin / without\n")
    for number in range(rounds):
        off = _in_own_process(address, pages, with_plugin=False)
        on = _in_own_process(address, pages, with_plugin=True)
        for clock, values in ratios.items():
            values.append(on[clock] / off[clock])
        print(
            f"round {number + 1}: wall {on['wall']:.1f} / {off['wall']:.1f} s, "
            f"processor {on['processor']:.1f} / {off['processor']:.1f} s, "
            f"{on['cleaned']} of {on['responses']} pages cleaned"
        )
    for clock, values in ratios.items():
        print(f"{clock:10} median ratio {median(values):.2f}")


def main() -> None:
    """Compare crawls, or follow the memory of a long one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="one crawl with the plugin; its size on the way")
    parser.add_argument("--everything", action="store_true", help="with --memory: use all that keeps something")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        address, pages, with_plugin, folder = arguments.one
        print(json.dumps(crawl(address, int(pages), with_plugin == "1", folder)))
        return
    addresses: SimpleQueue[str] = SimpleQueue()
    server = Process(target=serve, args=(addresses,), daemon=True)
    server.start()
    address = addresses.get()
    if arguments.memory:
        with TemporaryDirectory() as folder:
            used = folder if arguments.everything else ""
            sizes = _in_own_process(address, arguments.pages, with_plugin=True, folder=used)["sizes"]
        megabytes = " ".join(f"{size // 1024}" for size in sizes)
        print(f"MB after each tenth of {arguments.pages} pages: {megabytes}")
    else:
        compare(address, arguments.pages, arguments.rounds)
    server.terminate()


if __name__ == "__main__":
    main()
