"""Runs the samples of pages of the docs as they stand there: ``python -m tests.samples ray spark``.

Each page is followed in a folder of its own, with what its reader has at hand: pages, archives, a site.  tox has an
environment for each (``tox -e ray``), with what the page says to install and nothing else; so nothing but the package
and the page's libraries is imported here.
"""

import ast
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_justext import extract

REPOSITORY = Path(__file__).parents[1]
#: A block of code, which may be indented.
FENCE = re.compile(r"^( *)```(python|sh)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
#: What makes an environment and installs the package: who runs this has done so.
INSTALLATION = re.compile(r"(?:pip install|python3 -m venv) .*\n")

TEXT = "It was the best of times, it was the worst of times, and page {0} had more of them. " * 6
PAGE = (
    "<title>Cities</title><ul><li><a href=/>Home</a><li><a href=/about>About us</a></ul>"
    f"<h1>Two cities</h1><p>{TEXT}<h2>Paris</h2><p>{TEXT}"
)
PAGES = [PAGE.format(number) for number in range(5)]


class Sample(NamedTuple):
    """A sample of the docs, and the line where it begins."""

    page: str
    line: int
    language: str
    code: str

    @property
    def is_session(self) -> bool:
        return ">>>" in self.code

    @property
    def is_whole(self) -> bool:
        """Whether it is a module, and not some lines of a callback."""
        with suppress(SyntaxError):
            return bool(compile(self.code, self.page, "exec"))
        return False

    @property
    def imports(self) -> set[str]:
        tree = ast.parse(self.code)
        names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {name for name in ("scrapy_playwright", "scrapy_poet") if name in self.code}
        return {name.partition(".")[0] for name in names}


def samples_of(path: Path) -> Iterator[Sample]:
    """Yield the samples of a page, in their order."""
    text = path.read_text("utf-8")
    for found in FENCE.finditer(text):
        yield Sample(path.name, text.count("\n", 0, found.start()) + 2, found[2], textwrap.dedent(found[3]))


def code_of(page: str, language: str = "python") -> list[str]:
    """The samples in a language on a page of the docs."""
    found = samples_of(REPOSITORY / "docs" / f"{page}.md")
    return [INSTALLATION.sub("", sample.code) for sample in found if sample.language == language]


def code_behind(words: str, page: str = "README.md", language: str = "python") -> str:
    """The first block in a language, or in none, behind some words of a page."""
    text = (REPOSITORY / page).read_text("utf-8").partition(words)[2]
    found = re.search(rf"^ *```{language}\n(.*?)^ *```", text, FENCE.flags)
    assert found, words
    return textwrap.dedent(found[1])


def run(code: str, **names: Any) -> dict[str, Any]:
    """What is defined after a sample has run."""
    exec(compile(code, "sample", "exec", dont_inherit=True), names)
    return names


def run_in_shell(code: str, folder: str | Path = ".") -> str:
    """What commands print, which all must succeed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)}
    shell = ["bash", "-euo", "pipefail", "-c", code]
    return subprocess.run(shell, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def write_archive(path: Path) -> None:
    """Write a WARC file with the pages."""
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wb") as file:
        for number, page in enumerate(PAGES):
            answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}".encode()
            headers = [
                "WARC/1.0",
                "WARC-Type: response",
                f"WARC-Target-URI: https://example.org/{number}",
                "WARC-Date: 2026-01-01T00:00:00Z",
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>",
                "Content-Type: application/http; msgtype=response",
                f"Content-Length: {len(answer)}",
            ]
            file.write("\r\n".join([*headers, "", ""]).encode() + answer + b"\r\n\r\n")


def write_table(path: Path, column: str = "html") -> None:
    """Write a Parquet file with the pages."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({column: PAGES, "id": range(len(PAGES))}), path)


def check_texts(texts: list[str], profile: str = "learned") -> None:
    """No page may be lost, and each must have the text that the package finds in it."""
    assert sorted(texts) == sorted(extract(page, profile=profile).text for page in PAGES)


def check_table(path: str, columns: Sequence[str] = ("text",)) -> None:
    """As :func:`check_texts`, of a folder of Parquet; with ``id`` among its columns, that of each page is kept."""
    from pyarrow import parquet  # noqa: PLC0415

    rows = parquet.read_table(path)
    check_texts(rows["text"].to_pylist())
    if "id" in columns:
        assert sorted(rows["id"].to_pylist()) == [*range(len(PAGES))]


# Pages.


def datatrove() -> None:
    """A pipeline from a WARC file to JSON Lines."""
    from datatrove.executor import LocalPipelineExecutor  # noqa: PLC0415

    write_archive(Path("crawl", "a.warc.gz"))
    [code] = code_of("datatrove")
    LocalPipelineExecutor(run(code)["pipeline"], tasks=1, logging_dir="logs").run()
    [file] = Path("clean").iterdir()
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    check_texts([row["text"] for row in rows])
    assert {row["metadata"]["date"] for row in rows} == {"2026-01-01T00:00:00Z"}


def langchain() -> None:
    """A parser of blobs, and a transformer of documents."""
    Path("page.html").write_text(PAGES[0], "utf-8")
    for code in code_of("langchain"):
        documents = run(code, html=PAGES[0])["documents"]
        assert (documents[0].metadata["source"], documents[0].metadata["heading_path"]) == (
            "https://example.org/",
            ["Two cities"],
        )


def nemo_curator() -> None:
    """An extractor for records of Common Crawl."""
    [code] = code_of("nemo-curator")
    extractor = run(code)["extractor"]
    records = [{"url": "", "warc_id": "", "source_id": "", "content": page.encode()} for page in PAGES]
    found = [extractor.extract(record) for record in records]
    assert {page["language"] for page in found} == {"ENGLISH"}
    check_texts([page["text"] for page in found])


def ray() -> None:
    """Rows of a folder of Parquet, by Ray's own processes."""
    write_table(Path("pages", "1.parquet"))
    [code] = code_of("ray")
    run(code)
    check_table("clean", ["text", "id"])


def spark() -> None:
    """A user's own job, then the package's by ``spark-submit``."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    write_table(Path("pages", "1.parquet"))
    session = SparkSession.builder.master("local[2]").getOrCreate()
    [code] = code_of("spark")
    run(code, session=session)["rows"].write.parquet("rows")
    session.stop()
    check_table("rows", ["text", "id"])
    write_archive(Path("crawl", "a.warc.gz"))
    write_table(Path("bucket", "pages", "1.parquet"), "body")
    [commands] = code_of("spark", "sh")[1:]
    commands = re.sub("hdfs:///|s3a://", f"{Path.cwd()}/", commands).replace("spark://host:7077", "local[2]")
    assert run_in_shell(commands).count("5  rows written") == 2
    check_table("clean")


def tutorial() -> None:
    """A project for the demo site, from nothing to Parquet."""
    with demo_site() as address:
        follow(list(samples_of(REPOSITORY / "docs" / "tutorial.md"))[1:], "corpus", address)
    lines = Path("corpus", "pages.jsonl").read_text("utf-8").splitlines()
    # Those of files that are no HTML have none.
    assert sum("text" in json.loads(line) for line in lines) > 30
    assert Path("corpus", "sites.html").is_file()


@contextmanager
def demo_site() -> Iterator[str]:
    """The address of the example project's site."""
    serve = [sys.executable, "-u", "-m", "demo_site.server"]
    with subprocess.Popen(serve, cwd=REPOSITORY / "example_project", stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield re.findall(r"http://\S+/", process.stdout.readline())[0]
        finally:
            process.terminate()


def follow(page: list[Sample], project: str, address: str) -> str:
    """Do what samples about a project say, one after another; return what the commands print.

    ``project``: its name; ``address``: that of the site to crawl.
    """
    printed = ""
    for sample in page:
        code = INSTALLATION.sub("", sample.code).replace("https://example.org/", address)
        code = code.replace('"example.org"', '"127.0.0.1"')
        package = Path(project, project)
        if sample.language == "sh":
            printed += run_in_shell(code, project if Path(project).is_dir() else ".")
        elif "(CrawlSpider)" in code:
            (package / "spiders" / "town.py").write_text(code, "utf-8")
        else:
            settings = package / "settings.py"
            # A new project asks for a page a second.
            kept = re.sub(
                r"^(?:ADDONS = {}|DOWNLOAD_DELAY = .*)\n", "", settings.read_text("utf-8"), flags=re.MULTILINE
            )
            settings.write_text(kept + code, "utf-8")
    return printed


FOLLOWED = {
    "datatrove": datatrove,
    "langchain": langchain,
    "nemo-curator": nemo_curator,
    "ray": ray,
    "spark": spark,
    "tutorial": tutorial,
}


def main() -> None:
    """Follow the pages that are named."""
    for name in sys.argv[1:]:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            FOLLOWED[name]()
            os.chdir(REPOSITORY)
        print(f"docs/{name}.md: its samples ran, in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
