"""The documentation: its code runs, its settings are accepted, its site is built without a warning."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
import textwrap
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from scrapy.settings import Settings

from scrapy_justext.crawl.settings import configure, from_settings
from tests.builders import REPOSITORY
from tests.crawl.content import GOOD_PAGE
from tests.crawl.crawling import command
from tests.crawl.server import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
#: A block of code, which may be indented.
FENCE = re.compile(r"^( *)```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


SPIDER = re.compile(r"^class \w+\((?:scrapy\.)?Spider\):\n    name = ", re.MULTILINE)

#: What a sample of a few lines may take as known.
KNOWN = "from pathlib import Path\n\nfrom scrapy import Spider\n\n"


class Sample(NamedTuple):
    page: str
    line: int
    code: str

    @property
    def is_session(self) -> bool:
        return ">>>" in self.code

    @property
    def is_whole(self) -> bool:
        """Whether it is a module, and not some lines of a callback."""
        with suppress(SyntaxError):
            return bool(ast.parse(self.code))
        return False

    @property
    def imports(self) -> set[str]:
        tree = ast.parse(self.code)
        names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        if "scrapy_playwright" in self.code:
            names.add("scrapy_playwright")
        return {name.partition(".")[0] for name in names}


def samples() -> Iterator[Sample]:
    for page in PAGES:
        text = page.read_text("utf-8")
        for found in FENCE.finditer(text):
            yield Sample(page.name, text.count("\n", 0, found.start()) + 2, textwrap.dedent(found[2]))


SAMPLES = list(samples())


def named(some: list[Sample]) -> list[Any]:
    return [pytest.param(sample, id=f"{sample.page}:{sample.line}") for sample in some]


def run(sample: Sample) -> dict[str, Any]:
    """What is defined after the sample has run; names that its page has introduced are there."""
    for name in sample.imports:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    namespace: dict[str, Any] = {"__name__": "sample"}
    exec(compile(KNOWN + sample.code, sample.page, "exec"), namespace)
    return namespace


def has_spider(sample: Sample) -> bool:
    """Whether it has a spider that can be run: one with a name."""
    return sample.is_whole and SPIDER.search(sample.code) is not None


SESSIONS = [sample for sample in SAMPLES if sample.is_session]
SPIDERS = [sample for sample in SAMPLES if has_spider(sample)]
SETTINGS = [
    sample
    for sample in SAMPLES
    if sample.is_whole and not sample.is_session and re.match(r"(?:#.*\n)*[A-Z][A-Z_]+ = ", sample.code)
]
FRAGMENTS = [sample for sample in SAMPLES if sample not in (*SESSIONS, *SPIDERS, *SETTINGS)]


def test_there_are_samples_of_each_kind() -> None:
    assert SESSIONS
    assert SPIDERS
    assert SETTINGS


@pytest.mark.parametrize(
    "page", [page for page in PAGES if ">>>" in page.read_text("utf-8")], ids=lambda page: page.name
)
def test_sessions_give_what_they_show(page: Path) -> None:
    code = "\n".join(sample.code for sample in SESSIONS if sample.page == page.name)
    examples = doctest.DocTestParser().get_doctest(code, {}, page.name, page.name, 0)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=options).run(examples).failed == 0


@pytest.mark.parametrize("sample", named(SETTINGS))
def test_settings_are_accepted(sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = {name: value for name, value in run(sample).items() if name.isupper()}
    assert values
    configure(from_settings(Settings(values)))


@pytest.mark.parametrize("sample", named(SPIDERS))
def test_spiders_crawl(sample: Sample, tmp_path: Path) -> None:
    for name in sample.imports:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    with Site({"/": GOOD_PAGE}) as site:
        code = re.sub(r"https://[\w.]+(?:/[\w/-]*)?", site.url("/"), sample.code)
        code = re.sub(r'"(?:[\w-]+\.)?example(?:\.org)?"', '"127.0.0.1"', code)
        (tmp_path / "spider.py").write_text(KNOWN + code, "utf-8")
        addon = ["-s", 'ADDONS={"scrapy_justext.Addon": 500}', "-s", "LOG_LEVEL=WARNING"]
        done = command("runspider", "spider.py", "-o", "items.jsonl", *addon, folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert site.requests["/"] >= 1 or "start_urls" not in code
    assert (tmp_path / "items.jsonl").exists() or "start_urls" not in code


@pytest.mark.parametrize("sample", named(FRAGMENTS))
def test_other_samples_are_python(sample: Sample) -> None:
    """They show a line or two of a callback, or need what tests of their own give them."""
    compile("async def callback(self, response):\n" + textwrap.indent(sample.code, "    "), sample.page, "exec")


@pytest.mark.skipif(find_spec("sphinx_scrapy") is None, reason="sphinx-scrapy is not installed (extra docs)")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(REPOSITORY / "docs"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "installation.md" in (tmp_path / "llms.txt").read_text("utf-8")
