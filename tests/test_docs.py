"""The documentation: its code runs, its tables are the code's, its site is built."""

import ast
import doctest
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyarrow.parquet import read_table
from scrapy.settings import Settings

import scrapy_justext
from docs import reference
from scrapy_justext import exceptions, extract
from scrapy_justext.compression import zstd
from scrapy_justext.crawl.settings import PREFIX, configure, from_settings
from scrapy_justext.crawl.settings import SETTINGS as SETTINGS_TABLE
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH, page
from tests.crawl.crawling import command
from tests.crawl.server import Site, site_of
from tests.inspection.browser import CHROMIUM
from tests.samples import FOLLOWED, REPOSITORY, Sample, demo_site, follow, run_in_shell, samples_of, tutorial

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
SPIDER = re.compile(r"^class \w+\((?:scrapy\.|Crawl)?Spider\):\n    name = ", re.MULTILINE)


#: What a sample of a few lines may take as known.
KNOWN = {"html": GOOD_PAGE, "extraction": extract(GOOD_PAGE)}
#: Pages whose samples need large libraries: environments of tox run them.
FRAMEWORKS = {f"{name}.md" for name in FOLLOWED} - {"tutorial.md"}
#: The first lines of samples that tests of their own give what they need, with these tests.
ELSEWHERE = {
    "crawl = process.crawl(": "crawl/test_bad_settings.py",
    "import pyarrow.parquet as pq": "test_docs_readers.py",
}


SAMPLES = [sample for path in PAGES if path.name not in FRAMEWORKS for sample in samples_of(path)]
PYTHON = [sample for sample in SAMPLES if sample.language == "python"]
SHELL = [sample for sample in SAMPLES if sample.language == "sh"]
SESSIONS = [sample for sample in PYTHON if sample.is_session]
OTHERS = [sample for sample in PYTHON if not sample.is_session and not sample.code.startswith(tuple(ELSEWHERE))]
SPIDERS = [sample for sample in OTHERS if sample.is_whole and SPIDER.search(sample.code)]
SETTINGS = [sample for sample in OTHERS if sample.is_whole and re.match(r"(?:#.*\n)*[A-Z][A-Z_]+ = ", sample.code)]
LINES = [sample for sample in OTHERS if sample not in (*SPIDERS, *SETTINGS)]


def named(some: list[Sample]) -> list[Any]:
    return [pytest.param(sample, id=f"{sample.page}:{sample.line}") for sample in some]


def skip_without(sample: Sample) -> None:
    for name in sample.imports:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    if "playwright" in sample.code and CHROMIUM is None:
        pytest.skip("there is no Chromium")


def run(sample: Sample) -> dict[str, Any]:
    """What is defined after the sample has run."""
    names: dict[str, Any] = {"__name__": "sample", **KNOWN}
    exec(compile(sample.code, sample.page, "exec", dont_inherit=True), names)
    return names


def test_there_are_samples_of_each_kind() -> None:
    assert all((SHELL, SESSIONS, SPIDERS, SETTINGS, LINES))
    for first, test in ELSEWHERE.items():
        assert any(sample.code.startswith(first) for sample in PYTHON)
        assert (REPOSITORY / "tests" / test).is_file()


@pytest.mark.parametrize(
    "path", [path for path in PAGES if ">>>" in path.read_text("utf-8")], ids=lambda path: path.name
)
def test_sessions_give_what_they_show(path: Path) -> None:
    code = "\n".join(sample.code for sample in SESSIONS if sample.page == path.name)
    examples = doctest.DocTestParser().get_doctest(code, {}, path.name, path.name, 0)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=options).run(examples).failed == 0


@pytest.mark.parametrize("sample", named(SETTINGS))
def test_settings_are_accepted(sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = {name: value for name, value in run(sample).items() if name.isupper()}
    assert values
    configure(from_settings(Settings(values)))


@pytest.mark.parametrize("sample", named([sample for sample in LINES if sample.is_whole]))
def test_lines_run(sample: Sample) -> None:
    assert run(sample).keys() - KNOWN.keys()


# Spiders.

LINKS = "".join(f'<a href="{path}">On</a>' for path in ("/more", "/print", "/german", "/forum"))
ANSWERS = {
    "/": page(ENGLISH, MORE_ENGLISH, LINKS,
        head='<meta name="author" content="Ada Byron"><meta name="date" content="2024-05-06">'),
    "/more": page(ENGLISH, GERMAN, GERMAN.replace("Brücke", "Kirche")),
    "/print": page(ENGLISH, MORE_ENGLISH, title="Print"),
    "/german": page(GERMAN, lang="de"),
    "/forum": page(ENGLISH),
    **dict.fromkeys(("/legal", "/home", "/about"), page(ENGLISH)),
}  # fmt: skip
#: What is set for each spider, unless it sets it itself.
SET: Mapping[str, list[str]] = {
    "ADDONS": ["-s", 'ADDONS={"scrapy_justext.Addon": 500}'],
    "FEEDS": ["-O", "items.jsonl"],
    "PLAYWRIGHT_LAUNCH_OPTIONS": ["-s",
        f"PLAYWRIGHT_LAUNCH_OPTIONS={json.dumps({'executable_path': CHROMIUM, 'args': ['--no-sandbox']})}"],
    "LOG_LEVEL": ["-s", "LOG_LEVEL=INFO"],
}  # fmt: skip


class Crawled(NamedTuple):
    items: list[dict[str, Any]]
    log: str


site = site_of(ANSWERS)


def crawl(code: str, site: Site, folder: Path) -> Crawled:
    """Run a spider as it stands there, but for its addresses."""
    code = re.sub(r"https://(?:[\w-]+\.)?example(?:\.org)?(?:/[\w/-]*)?", site.url("/"), code)
    (folder / "spider.py").write_text(re.sub(r'"(?:[\w-]+\.)?example(?:\.org)?"', '"127.0.0.1"', code), "utf-8")
    (folder / "forum-words.txt").write_text("the\n")
    options = [word for name, words in SET.items() if f'"{name}"' not in code for word in words]
    done = command("runspider", "spider.py", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    assert not re.search("WARNING|ERROR|Traceback", done.stderr), done.stderr
    file = folder / "items.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return Crawled([json.loads(line) for line in lines], done.stderr)


def spider_of(page: str, name: str) -> Sample:
    [sample] = (sample for sample in SPIDERS if sample.page == page and f'    name = "{name}"' in sample.code)
    return sample


#: Of these pages in the default run.
FIRST = {"README.md", "items.md"}


@pytest.mark.parametrize(
    "sample",
    [
        *named([sample for sample in SPIDERS if sample.page in FIRST]),
        *(
            pytest.param(*later.values, id=later.id, marks=pytest.mark.full)
            for later in named([sample for sample in SPIDERS if sample.page not in FIRST])
        ),
    ],
)
def test_spiders_crawl(sample: Sample, site: Site, tmp_path: Path) -> None:
    skip_without(sample)
    crawled = crawl(sample.code, site, tmp_path)
    check = CHECKS.get((sample.page, re.findall(r'    name = "(\w+)"', sample.code)[-1]))
    if check is not None:
        check(crawled, site, tmp_path)


def check_languages(crawled: Crawled, site: Site, folder: Path) -> None:
    texts = {item.pop("url"): item for item in crawled.items}
    # Most of the other page's text is German, too.
    assert texts.keys() == {site.url("/german"), site.url("/more")}
    assert texts[site.url("/german")] == {"title": "The bridge", "language": "de", "text": GERMAN}


def check_duplicates(crawled: Crawled, site: Site, folder: Path) -> None:
    urls = [item["url"] for item in crawled.items]
    assert site.url("/") in urls
    assert site.url("/print") not in urls
    assert f"repeated: 100% of its text is on {site.url('/')}" in crawled.log


def check_feeds(crawled: Crawled, site: Site, folder: Path) -> None:
    rows = read_table(folder / "pages.parquet").to_pylist()
    zipped = zstd.decompress((folder / "pages.jsonl.zst").read_bytes()).splitlines()
    assert [row["url"] for row in rows] == [json.loads(line)["url"] for line in zipped]
    assert {row["depth"] for row in rows} == {0, 1}
    assert all(row["blocks"] for row in rows)


def check_chunks(crawled: Crawled, site: Site, folder: Path) -> None:
    assert len(crawled.items) > 3
    for item in crawled.items:
        assert item.keys() == {"url", "text", "language", "title", "chunks"}
        assert item["chunks"]
        for chunk in item["chunks"]:
            assert chunk["text"] == item["text"][chunk["start"] : chunk["end"]]


def check_page_objects(crawled: Crawled, site: Site, folder: Path) -> None:
    [item] = crawled.items
    assert (item["title"], item["body"]) == ("The bridge", GOOD_TEXT) == (item["title"], item["text"])


def check_rendered(crawled: Crawled, site: Site, folder: Path) -> None:
    [item] = crawled.items
    assert item["text"] == GOOD_TEXT
    assert "Launching browser" in crawled.log


def check_dates(crawled: Crawled, site: Site, folder: Path) -> None:
    [item] = crawled.items
    assert (item["published"], item["author"], item["text"]) == ("2024-05-06", "Ada Byron", GOOD_TEXT)


def check_requests(crawled: Crawled, site: Site, folder: Path) -> None:
    assert site.requests["/forum"]


CHECKS = {
    ("duplicates.md", "corpus"): check_duplicates,
    ("feeds.md", "pages"): check_feeds,
    ("chunks.md", "chunks"): check_chunks,
    ("recipes.md", "german"): check_languages,
    ("recipes.md", "articles"): check_page_objects,
    ("recipes.md", "rendered"): check_rendered,
    ("recipes.md", "dated"): check_dates,
    ("settings.md", "swiss"): check_requests,
}

CALLBACK = """
import scrapy
import scrapy_justext


class CallbackSpider(scrapy.Spider):
    name = "callback"
    start_urls = ["https://example.org/"]

    async def parse(self, response):
        request = response.follow("/german")
"""


@pytest.mark.parametrize("sample", named([sample for sample in LINES if not sample.is_whole]))
def test_lines_of_callbacks_run(sample: Sample, site: Site, tmp_path: Path) -> None:
    crawled = crawl(CALLBACK + textwrap.indent(sample.code, " " * 8), site, tmp_path)
    assert [(item["url"], item["text"]) for item in crawled.items] == [(site.url("/german"), GERMAN)]


# Pages that are followed from their beginning to their end.


@pytest.mark.full
def test_the_tutorial_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tutorial()


@pytest.mark.full
def test_the_readme_s_project_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [settings] = (sample for sample in SETTINGS if sample.page == "README.md" and "ADDONS" in sample.code)
    [commands] = (sample for sample in SHELL if sample.page == "README.md" and "startproject" in sample.code)
    with demo_site() as address:
        follow([commands, settings, spider_of("README.md", "town")], "town", address)
        run_in_shell("scrapy crawl town -O pages.jsonl", "town")
    lines = (tmp_path / "town" / "pages.jsonl").read_text("utf-8").splitlines()
    assert sum("text" in json.loads(line) for line in lines) == 42


#: Environments of tox that follow a page.
ENVIRONMENTS = {
    name: table for name, table in PYPROJECT["tool"]["tox"]["env"].items() if "samples" in table.get("base", ())
}


def test_every_page_with_large_libraries_has_an_environment_of_tox() -> None:
    assert ENVIRONMENTS.keys() == {*FOLLOWED, "evaluation", "recipes", "second-requests"}
    contributing = (REPOSITORY / "docs" / "contributing.md").read_text("utf-8")
    assert {name for name in ENVIRONMENTS if f"`{name}`" not in contributing} == set()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_of_tox_has_what_its_page_says_to_install(name: str) -> None:
    page = (REPOSITORY / "docs" / f"{name}.md").read_text("utf-8")
    said = [word.strip("'`") for line in re.findall(r"pip install ([^`\n#]*)", page) for word in line.split()]
    extras = {
        extra for word in said for found in re.findall(r"scrapy-justext\[(.*)\]", word) for extra in found.split(",")
    }
    table = ENVIRONMENTS[name]
    # What the tests that crawl use.
    assert set(table.get("extras", ())) - {"archive", "redis"} == extras
    assert {*table.get("deps", ())} == {word for word in said if "scrapy-justext" not in word}


# Tables and the site.


def test_the_tables_are_those_of_the_code() -> None:
    """Where they are not: ``python docs/reference.py``."""
    for path, text in reference.pages().items():
        assert path.read_text("utf-8") == text


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    if find_spec("sphinx_scrapy") is None:
        pytest.skip("sphinx-scrapy is not installed (extra docs)")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(REPOSITORY / "docs"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_the_api_has_all_public_names(built: Path) -> None:
    of_exceptions = {f"exceptions.{name}" for name, value in vars(exceptions).items() if isinstance(value, type)}
    of_package = {name for name in scrapy_justext.__all__ if f"exceptions.{name}" not in of_exceptions}
    frameworks = {
        f"integrations.{path.stem}.{node.name}"
        for path in (REPOSITORY / "scrapy_justext" / "integrations").glob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    shown = set(re.findall(r' id="scrapy_justext\.([\w.]+)"', (built / "api.html").read_text("utf-8")))
    assert len(frameworks) == 5
    assert of_package | of_exceptions | frameworks <= shown


def test_the_links_of_a_release_s_readme_are_in_the_site(built: Path) -> None:
    hatch_build = pytest.importorskip("hatch_build", reason="hatchling is not installed")
    base = PROJECT["urls"]["Documentation"]
    text = hatch_build.link_to_site((REPOSITORY / "README.md").read_text("utf-8"), base)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert {link.partition("://")[0] for link in links} == {"https"}
    paths = [link.removeprefix(base) for link in (*links, *PROJECT["urls"].values()) if link.startswith(base)]
    assert len(paths) > 30
    for path, _, anchor in (path.partition("#") for path in paths):
        page = built / (path or "index.html")
        assert page.is_file(), path
        assert not anchor or f' id="{anchor}"' in page.read_text("utf-8"), (path, anchor)


def test_each_setting_can_be_linked(built: Path) -> None:
    rows = set(re.findall(r'<tr[^>]* id="(\w+)"', (built / "settings.html").read_text("utf-8")))
    assert rows == {PREFIX + name.upper() for name in SETTINGS_TABLE}
    assert 'href="settings.html#JUSTEXT_RETRY_CONFIDENCE"' in (built / "second-requests.html").read_text("utf-8")


def test_the_site_is_built_without_a_warning(built: Path) -> None:
    base = PROJECT["urls"]["Documentation"]
    assert f"<loc>{base}installation.html</loc>" in (built / "sitemap.xml").read_text("utf-8")
    titles = dict(re.findall(r"^- \[(.+)\]\((.+)\)$", (built / "llms.txt").read_text("utf-8"), re.MULTILINE))
    pages = {path.stem for path in PAGES[1:]}
    assert {address.rpartition("/")[2].removesuffix(".md") for address in titles.values()} == pages
    assert all((built / f"{name}.md").read_text("utf-8").startswith("# ") for name in pages)
