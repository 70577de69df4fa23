"""Extraction for LangChain: pages become documents of one length, cut at headings, between blocks and sentences.

Needs the extra ``langchain``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.chunks import CHUNK_CHARACTERS, cut_into_chunks
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.exceptions import PageError, require

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from langchain_core.document_loaders import BaseBlobParser
    from langchain_core.documents import BaseDocumentTransformer, Document
    from langchain_core.documents.base import Blob
    from typing_extensions import Unpack

    from scrapy_justext.core.options import Choices
else:
    BaseBlobParser = require("langchain_core.document_loaders", "langchain").BaseBlobParser
    _documents = require("langchain_core.documents", "langchain")
    BaseDocumentTransformer, Document = _documents.BaseDocumentTransformer, _documents.Document

logger = logging.getLogger(__name__)

#: LangChain's default, which says nothing of a page.
_USUAL_ENCODING = "utf-8"


class _PageCutter:
    """Makes documents of a page.

    ``characters``: the most that a document may have; None: a page is one document.
    ``choices``: those of :class:`~scrapy_justext.core.options.Choices`; with ``markdown``, which goes with
    ``characters=None`` alone, the documents are Markdown.
    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a choice that is not allowed.
    """

    def __init__(self, characters: int | None = CHUNK_CHARACTERS, **choices: Unpack[Choices]) -> None:
        if characters is not None:
            # It checks the number.
            cut_into_chunks((), characters)
        self._characters = characters
        self._extractor = Extractor(**choices)

    def _cut(self, page: str | bytes, metadata: Mapping[Any, Any], encoding: str | None = None) -> Iterator[Document]:
        try:
            extraction = self._extractor.extract(page, encoding=encoding)
        except PageError as error:
            logger.warning("%s is left out: %s", metadata.get("source", "A page"), error)
            return
        # What the page came with stays, as in items.
        metadata = {"title": extraction.title, "language": extraction.language, **metadata}
        if self._characters is not None:
            for chunk in extraction.chunks(self._characters):
                place = {"heading_path": list(chunk.heading_path), "start_index": chunk.start}
                yield Document(chunk.text, metadata={**metadata, **place})
        elif text := extraction.markdown or extraction.html or extraction.text:
            yield Document(text, metadata=metadata)


class JustextTransformer(_PageCutter, BaseDocumentTransformer):
    """Makes documents with clean text of documents with HTML, whose metadata they keep; as :class:`JustextParser`."""

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:  # noqa: ARG002
        """Return the documents of all pages, in their order; a page without good text has none."""
        return [made for document in documents for made in self._cut(document.page_content, document.metadata)]


class JustextParser(_PageCutter, BaseBlobParser):
    """Makes documents with clean text of a blob with HTML, whose metadata they keep; bytes are decoded as in a crawl.

    They also have the metadata ``source``, ``title``, ``language``, unless the page came with its own; and in any case
    ``heading_path``, the texts of the headings above the document, and ``start_index``, where it begins in the page's
    text.
    ``characters``: the most that a document may have, 1,000 by default; None: a page is one document, without the last
    two.
    ``choices``: those of :class:`~scrapy_justext.core.options.Choices`.
    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a choice that is not allowed.  A page that cannot be
    read is logged and left out.
    """

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yield the documents of a page."""
        encoding = None if blob.encoding.lower() == _USUAL_ENCODING else blob.encoding
        page = blob.data if isinstance(blob.data, str) else blob.as_bytes()
        metadata = blob.metadata if blob.source is None else {"source": blob.source, **blob.metadata}
        yield from self._cut(page, metadata, encoding)
