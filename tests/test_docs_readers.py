"""The pages of the docs for a linguist, an engineer and a developer of news: what they show does what they say."""

import gzip
import json
import re
from pathlib import Path

import pytest
from lxml import html as lxml_html

from scrapy_justext import extract
from tests.archives.making import common_crawl, packed
from tests.builders import DEMO_SITE
from tests.core.test_corpora import read_prevertical
from tests.crawl.articles import article, text
from tests.crawl.content import GERMAN, page
from tests.crawl.server import Answer, Site
from tests.samples import code_of, run_in_shell
from tests.test_docs import crawl, spider_of

pytestmark = pytest.mark.full


def without_links(path: str) -> str:
    """A page of the demo, whose links lead nowhere."""
    root = lxml_html.fromstring((DEMO_SITE / path).read_bytes())
    for link in root.iter("a"):
        link.attrib.pop("href", "")
    return str(lxml_html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>"))


def run_spider(name: str, spider: str, site: Site, folder: Path) -> None:
    crawl(spider_of(name, spider).code, site, folder)


def test_a_linguist_gets_czech_pages_as_prevertical(tmp_path: Path) -> None:
    czech = {f"/{path}": without_links(f"cs/{path}") for path in ("encyklopedie/vodni-mlyn.html", "blog/houby.html")}
    [first, _] = czech
    links = "".join(f"<a href={path}>On</a>" for path in (*czech, "/copy", "/de"))
    with Site({"/": f"<p>{links}", **czech, "/copy": czech[first], "/de": page(GERMAN, lang="de")}) as site:
        run_spider("linguist.md", "czech", site, tmp_path)
    documents = read_prevertical((tmp_path / "corpus.prevert").read_text("utf-8"))
    # One of the two copies is left out.
    assert [of["lang"] for of, _ in documents] == ["cs", "cs"]
    texts = {"\n\n".join("\n".join(lines) for _, lines in blocks) for _, blocks in documents}
    assert texts == {extract(html).text for html in czech.values()}


def test_a_linguist_s_archives_become_the_same(tmp_path: Path) -> None:
    (tmp_path / "CC-MAIN-1.warc.gz").write_bytes(packed(common_crawl(3)))
    [command] = code_of("linguist", "sh")
    assert "3  rows written" in run_in_shell(command.replace("--language cs", "--language en"), tmp_path)
    documents = read_prevertical(gzip.decompress((tmp_path / "corpus.prevert.gz").read_bytes()).decode())
    assert [of["title"] for of, _ in documents] == ["Page 0", "Page 1", "Page 2"]


def test_an_engineer_gets_a_table_and_filters_it(tmp_path: Path) -> None:
    (tmp_path / "CC-MAIN-1.warc.gz").write_bytes(packed(common_crawl(5)))
    [command] = code_of("engineer", "sh")
    assert "5  rows written" in run_in_shell(command, tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text("utf-8"))["counts"]["rows"] == 5
    [filtering] = code_of("engineer")
    (tmp_path / "filter.py").write_text(filtering, "utf-8")
    assert re.search("^[0-5] of 5 pages kept$", run_in_shell("python filter.py", tmp_path).strip())


def test_an_editor_gets_what_is_new_and_what_has_changed(tmp_path: Path) -> None:
    shape = article(["/bridge", "/bridge/2", "/bridge/3"])
    declared = json.dumps({"@type": "NewsArticle", "author": "Ada", "datePublished": "2026-11-28"})
    dated = f'<script type="application/ld+json">{declared}</script></head>'
    pages = {path: html.replace("</head>", dated) for path, html in shape.pages.items()}
    ferry = without_links("news/harbour-bridge.html")
    front = "<title>News</title>" + "".join(f"<p><a href={path}>What is new</a>" for path in ("/bridge", "/ferry"))
    today, yesterday = tmp_path / "today.jsonl", tmp_path / "yesterday.jsonl"
    with Site({"/": front, **pages, "/ferry": ferry}) as site:
        found = []
        for _ in range(3):
            run_spider("news.md", "news", site, tmp_path)
            lines = today.read_text("utf-8")
            found.append({item["url"].removeprefix(site.url("")): item for item in map(json.loads, lines.splitlines())})
            with yesterday.open("a", encoding="utf-8") as file:
                file.write(lines)
            if len(found) == 2:
                more = f"</h1><p>{'The council of the town meets again in the week after this one. ' * 9}</p>"
                site._server.answers["/ferry"] = Answer(ferry.replace("</h1>", more, 1))
    first, second, third = found
    assert {path: item["is_new"] for path, item in first.items()} == {"/bridge": True, "/ferry": True}
    bridge = first["/bridge"]
    assert [text(number) in bridge["text"] for number in (1, 2, 3)] == [True, True, True]
    assert (bridge["author"], bridge["published"], bridge["page_type"]) == ("Ada", "2026-11-28", "article")
    assert second == {}
    assert {path: item["is_new"] for path, item in third.items()} == {"/ferry": False}
