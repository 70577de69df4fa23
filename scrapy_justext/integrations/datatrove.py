"""Extraction for datatrove: a step of its pipelines.

datatrove extracts in a process of its own for each task, which it ends when a page takes too long.  The process is a
copy of the task's where the system can fork, so stoplists and models are loaded before; elsewhere it loads them when
datatrove warms it up, with an empty page.

Needs the extra ``datatrove``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_justext.core.extractor import WARM_UP_PAGE, Extractor
from scrapy_justext.exceptions import PageError, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datatrove.pipeline.extractors.base import BaseExtractor
    from typing_extensions import Unpack

    from scrapy_justext.core.options import Choices
else:
    BaseExtractor = require("datatrove.pipeline.extractors.base", "datatrove").BaseExtractor


class JustextExtractor(BaseExtractor):
    """Puts the text of a page in place of its HTML; pages without any are dropped.

    ``timeout``: seconds that a page may take, and a new process until it is ready.
    ``choices``: those of :class:`~scrapy_justext.core.options.Choices`; with ``markdown`` or ``html``, the text is
    that.
    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a choice that is not allowed.
    """

    name = "⛏ jusText"

    def __init__(self, timeout: float = 5, **choices: Unpack[Choices]) -> None:
        super().__init__(timeout)
        self._extractor = Extractor(**choices)

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yield the documents with their texts; see datatrove."""
        self.extract("")
        yield from super().run(data, rank, world_size)

    def extract(self, text: str) -> str:
        """Return the text of a page; empty for one that cannot be read, and for the empty page, which loads all."""
        try:
            extraction = self._extractor.extract(text or WARM_UP_PAGE)
        except PageError:
            # An error would end datatrove's process.
            return ""
        if not text:
            return ""
        return next((getattr(extraction, name) for name in self._extractor.options.documents), extraction.text)
