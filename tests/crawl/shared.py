"""A spider for several workers, and a pipeline that loses no item when its worker is killed."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response


class SharedSpider(Spider):
    """Follows the links of the first page; requests for every second one bring an override."""

    name = "shared"
    url = ""

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        if response.url == self.url:
            for number, link in enumerate(response.css("p a::attr(href)").getall()):
                meta = {"justext": {"fields": {"profile": "profile"}, "profile": "article"}} if number % 2 else {}
                yield response.follow(link, meta=meta)
        else:
            yield {"url": response.url}


class LinesPipeline:
    """Appends each item to the file that the environment names, at once."""

    def process_item(self, item: Any) -> Any:
        with open(os.environ["SHARED_ITEMS"], "a", encoding="utf-8") as file:
            file.write(json.dumps({**item, "worker": os.environ["SHARED_WORKER"]}) + "\n")
        return item
