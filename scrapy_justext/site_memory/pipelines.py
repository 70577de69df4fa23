"""The item pipelines of a crawl, which are closed when no item waits any more."""

from __future__ import annotations

from scrapy.pipelines import ItemPipelineManager

from scrapy_justext.session import find_session


class HoldingPipelines(ItemPipelineManager):
    """Belongs into ``ITEM_PROCESSOR``; does nothing but wait at the end, however the spider came to it."""

    #: What Session asks for before it lets items wait.
    sends_held_items = True

    async def close_spider_async(self) -> None:
        """Send the items that still wait through the pipelines, then close these."""
        session = find_session(self.crawler) if self.crawler is not None else None
        if session is not None:
            await session.send_all_items()
        await super().close_spider_async()
