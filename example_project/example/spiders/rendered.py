"""Asks a browser for pages that come without their text: ``scrapy crawl rendered -O rendered.jsonl``.

It needs ``pip install scrapy-playwright`` and a chromium, which ``playwright install chromium`` fetches; ``CHROMIUM``
in the environment names one that is there already.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from example.spiders.demo import DemoSpider
from scrapy_justext import get_extraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
#: Debian's chromium, for one, has no sandbox for root.
LAUNCH: dict[str, Any] = {"args": ["--no-sandbox"]}
if "CHROMIUM" in os.environ:
    LAUNCH["executable_path"] = os.environ["CHROMIUM"]


class RenderedSpider(DemoSpider):
    """Crawls two pages of the demo site, of which one is written by a script.

    Only that one is requested a second time, with a browser.
    """

    name = "rendered"
    path = "app/"
    custom_settings = {  # noqa: RUF012
        **DemoSpider.custom_settings,
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
        "PLAYWRIGHT_LAUNCH_OPTIONS": LAUNCH,
        "JUSTEXT_RETRY_META": {"playwright": True},
        "JUSTEXT_FIELDS": {"fetched": "fetched"},
    }

    def __init__(self, **arguments: Any) -> None:
        if find_spec("scrapy_playwright") is None:
            raise ValueError("the spider needs a browser: pip install scrapy-playwright")
        super().__init__(**arguments)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the page with its origin, and request one more."""
        if get_extraction(response) is not None:
            yield {"url": response.url}
        if response.url.endswith("/app/"):
            yield response.follow("/news/night-library.html")
