"""Pages as LangChain's documents."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.document_loaders import BaseBlobParser
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.base import Blob

from scrapy_justext import extract
from scrapy_justext.exceptions import ParameterError
from scrapy_justext.integrations.langchain import JustextParser, JustextTransformer
from tests.integrations.pages import HOSTILE, PAGE, TEXT


def test_documents_are_the_chunks_of_the_page() -> None:
    [*documents] = JustextTransformer(characters=200).transform_documents([Document(PAGE, metadata={"source": "here"})])
    chunks = extract(PAGE).chunks(200)
    assert [document.page_content for document in documents] == [chunk.text for chunk in chunks]
    page = {"source": "here", "title": "Cities", "language": "en"}
    assert [document.metadata for document in documents] == [
        {**page, "heading_path": list(chunk.heading_path), "start_index": chunk.start} for chunk in chunks
    ]
    assert documents[0].metadata["heading_path"] == ["Two cities"]
    assert documents[-1].metadata["heading_path"] == ["Two cities", "Paris"]


def test_metadata_that_a_page_came_with_stay() -> None:
    given = {"id": 7, "title": "Mine", "language": "en-GB", "seen": ["a"], "start_index": 4000}
    for documents in (
        JustextTransformer(200).transform_documents([Document(PAGE, metadata=given)]),
        JustextParser(200).parse(Blob.from_data(PAGE, metadata=given)),
    ):
        assert len(documents) > 1
        for document in documents:
            assert {**document.metadata, "start_index": 4000} == {
                **given, "heading_path": document.metadata["heading_path"]
            }  # fmt: skip
        # Of these, there is one for each document.
        assert documents[0].metadata["start_index"] == 0


def test_a_page_can_be_one_document() -> None:
    [document] = JustextParser(None, language="en").parse(Blob.from_data(PAGE))
    assert document.page_content == extract(PAGE).text
    assert document.metadata == {"title": "Cities", "language": "en"}
    [document] = JustextParser(None, markdown=True).parse(Blob.from_data(PAGE))
    assert document.page_content.startswith("# Two cities\n\n")


def test_bytes_are_decoded_as_in_a_crawl_and_text_is_not() -> None:
    page = f"<meta charset=windows-1252>{PAGE}<p>Café. {TEXT}"
    for data in (page, page.encode("cp1252"), page.encode()):
        [document] = JustextParser(None).parse(Blob.from_data(data))
        assert "Café. " in document.page_content
    greek = Blob.from_data(page.replace("é", "ι").encode("iso8859-7"), encoding="ISO-8859-7")
    [document] = JustextParser(None).parse(greek)
    assert "Cafι. " in document.page_content


def test_a_file_is_its_own_source(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGE, "utf-8")
    for given, source in (({}, str(path)), ({"source": "elsewhere"}, "elsewhere")):
        [document, *_] = JustextParser().parse(Blob.from_path(path, metadata=given))
        assert document.metadata["source"] == source


def test_pages_keep_their_order_and_those_without_text_have_no_document() -> None:
    pages = [Document(page, metadata={"n": n}) for n, page in enumerate([PAGE, "", "<p>Home", PAGE])]
    transformer = JustextTransformer(None)
    made = transformer.transform_documents(pages)
    assert [document.metadata["n"] for document in made] == [0, 3]
    assert asyncio.run(transformer.atransform_documents(pages)) == made


def test_a_page_that_cannot_be_read_is_logged_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert JustextParser().parse(Blob.from_data(HOSTILE, metadata={"source": "there"})) == []
        assert len(JustextParser(max_blocks=1).parse(Blob.from_data(PAGE))) == 0
    assert [message.partition(" is left out: ")[0] for message in caplog.messages] == ["there", "A page"]


@pytest.mark.parametrize("kind", [JustextParser, JustextTransformer])
@pytest.mark.parametrize("choice", [{"characters": 0}, {"profile": "x"}, {"length_low": -1}, {"is_boilerplate": True}])
def test_choices_are_checked_at_once(kind: Any, choice: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        kind(**choice)


def test_they_are_what_loaders_and_pipelines_ask_for() -> None:
    assert issubclass(JustextParser, BaseBlobParser)
    assert issubclass(JustextTransformer, BaseDocumentTransformer)
