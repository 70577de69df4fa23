"""The spiders in the docs crawl as they stand there, but for the address."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow.parquet import read_table

from scrapy_justext.compression import zstd
from tests.builders import REPOSITORY
from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, page
from tests.crawl.crawling import command
from tests.crawl.server import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "https://example.org/"
SITE = {
    "/": page(ENGLISH, MORE_ENGLISH, "".join(f'<a href="{path}">On</a>' for path in ("/more", "/print", "/german"))),
    "/more": page(ENGLISH, GERMAN, GERMAN.replace("Brücke", "Kirche")),
    "/print": page(ENGLISH, MORE_ENGLISH, title="Print"),
    "/german": page(GERMAN, lang="de"),
}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with Site({**SITE, "/legal": page(ENGLISH), "/home": page(ENGLISH), "/about": page(ENGLISH)}) as site:
        yield site


def spider_of(name: str) -> str:
    """The spider on a page of the docs."""
    text = (REPOSITORY / "docs" / f"{name}.md").read_text("utf-8")
    [code] = re.findall(r"<!-- spider -->\n```python\n(.*?)```", text, re.DOTALL)
    assert isinstance(code, str)
    return code


def crawl(name: str, served: Site, folder: Path, *options: str) -> str:
    """Run the spider of a page; return what the log says."""
    code = spider_of(name)
    assert ADDRESS in code
    (folder / "spider.py").write_text(code.replace(ADDRESS, served.url("/")), "utf-8")
    done = command("runspider", "spider.py", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    assert not re.search("ERROR|Traceback", done.stderr), done.stderr
    return done.stderr


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_the_spider_of_duplicates(served: Site, tmp_path: Path) -> None:
    log = crawl("duplicates", served, tmp_path, "-O", "out.jsonl")
    urls = [item["url"] for item in lines(tmp_path / "out.jsonl")]
    assert served.url("/") in urls
    assert served.url("/print") not in urls
    assert f"repeated: 100% of its text is on {served.url('/')}" in log


def test_the_spider_of_feeds(served: Site, tmp_path: Path) -> None:
    crawl("feeds", served, tmp_path)
    rows = read_table(tmp_path / "pages.parquet").to_pylist()
    zipped = zstd.decompress((tmp_path / "pages.jsonl.zst").read_bytes()).splitlines()
    assert [row["url"] for row in rows] == [json.loads(line)["url"] for line in zipped]
    assert {row["depth"] for row in rows} == {0, 1}
    assert all(row["blocks"] for row in rows)


def test_the_spider_of_chunks(served: Site, tmp_path: Path) -> None:
    crawl("chunks", served, tmp_path, "-O", "out.jsonl")
    items = lines(tmp_path / "out.jsonl")
    assert len(items) > 3
    for item in items:
        assert item.keys() == {"url", "text", "language", "title", "chunks"}
        assert item["chunks"]
        for chunk in item["chunks"]:
            assert chunk["text"] == item["text"][chunk["start"] : chunk["end"]]
