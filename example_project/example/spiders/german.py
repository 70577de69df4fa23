"""Stoplists per spider and per request: ``scrapy crawl german -O german.jsonl``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request

from example.spiders.demo import DemoSpider
from scrapy_justext.core.stoplists import shipped_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

    from example.items import Page

FORUM_WORDS = Path(__file__).parent.parent / "stoplists" / "german-forum.txt"


class GermanSpider(DemoSpider):
    """Crawls the German part of the demo site.

    The spider's pages are judged by the German stoplist, whatever language they declare.  People in forums
    write shorter, with words of their own: requests to the forum bring a longer stoplist and lower thresholds.
    """

    name = "german"
    path = "de/"
    justext = {"language": "German"}  # noqa: RUF012
    forum: dict[str, Any] = {  # noqa: RUF012
        "stoplist": [shipped_folder() / "German.txt", FORUM_WORDS],
        "length_low": 40,
        "length_high": 120,
    }

    def parse(self, response: Response) -> Iterator[Page | Request]:
        """Stay within the German part, and override the settings for the forum."""
        for result in super().parse(response):
            if not isinstance(result, Request):
                yield result
            elif "/de/" in result.url:
                meta = {"justext": self.forum} if "/forum/" in result.url else {}
                yield result.replace(meta=result.meta | meta)
