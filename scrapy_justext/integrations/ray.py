"""Extraction for Ray Data: the twin of the functions for Spark.

Needs the extra ``ray``.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_justext.exceptions import ArchiveError, require

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

_pa: Any = require("pyarrow", "ray")
_frames: Any = require("scrapy_justext.archives.frames", "ray")


class ExtractPages:
    """What ``map_batches`` takes with ``batch_format="pyarrow"``: an instance, or the class with its settings.

    The batches have the column ``html`` and perhaps ``url`` and ``content_type``.  ``html`` is text, or bytes, which
    are decoded as a crawl would.  Rows keep all columns but the HTML.  Pages that a crawl would drop have no row.
    ``settings``: ``JUSTEXT_*``, as a crawl's.
    Raises :class:`~scrapy_justext.exceptions.SettingError`; for a batch without such an ``html``, or with a column that
    has the name of one that is written, :class:`~scrapy_justext.exceptions.ArchiveError`.
    """

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._packed: bytes = _frames.pack_settings(settings or {})

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return the rows of the pages in a batch, which may be none."""
        if not isinstance(batch, _pa.Table):
            raise ArchiveError("the batch", 'is no Arrow table: call map_batches with batch_format="pyarrow"')
        schema = _frames.schema_of_frame(self._packed, batch.schema).whole
        parts = (_frames.extract_batch(self._packed, part) for part in batch.to_batches())
        return _pa.Table.from_batches(chain.from_iterable(parts), schema)
