"""The commands that the documentation shows: they have their options, and do what is said."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen

import pytest
from pyarrow.parquet import read_table

from tests.archives.making import common_crawl, packed
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH, page
from tests.crawl.crawling import command
from tests.crawl.server import Site, site_of
from tests.evaluation.builders import write
from tests.redis_server import RedisServer, needs_redis
from tests.samples import INSTALLATION, REPOSITORY, Sample, run_in_shell
from tests.test_docs import ANSWERS, PAGES, SHELL, SPIDERS, crawl, named

pytestmark = pytest.mark.full
site = site_of(ANSWERS)


#: How commands of ours begin, up to where their options do.
COMMANDS = re.compile(
    r"(?:^|\s)(scrapy justext(?:-\w+)?"
    r"|python -m (?:scrapy_justext\.evaluation (?:run|report|gate|tune)|(?:benchmarks|training)\.\w+))"
)


#: Runs the modules that it is given, each with further arguments, and prints what each prints: in one process, since
#: most of them load the same libraries.
RUN_MODULES = """
import contextlib, io, json, runpy, sys
printed = {}
for name in sys.argv[1:]:
    module, *arguments = name.split()
    sys.argv = [module, *arguments, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if end.code:
                raise
    printed[name] = out.getvalue()
print(json.dumps(printed))
"""


def helps_of(names: Iterable[str]) -> dict[str, str]:
    """What each command says of itself."""
    modules = {name: name.removeprefix("python -m ") for name in names}
    command = [sys.executable, "-W", "ignore::RuntimeWarning:runpy", "-c", RUN_MODULES, *modules.values()]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    return {name: printed[module] for name, module in modules.items()}


def commands() -> Iterator[tuple[str, str]]:
    """Yield the commands of ours that the docs show, without their options, and these."""
    lines = [line for sample in SHELL for line in sample.code.replace("\\\n", " ").splitlines()]
    lines += [code for path in PAGES for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", path.read_text("utf-8"))]
    for line in lines:
        shown = re.split("[#|]", line)[0]
        if found := COMMANDS.search(shown):
            yield found[1], shown[found.end() :]


def test_commands_have_the_options_that_are_shown() -> None:
    shown: dict[str, set[str]] = {}
    for name, options in commands():
        shown.setdefault(name, set()).update(re.findall(r"(?<!\S)--?[a-z][\w-]*", options))
    assert len(shown) > 10
    helps = helps_of(name for name, options in shown.items() if options)
    unknown = {
        name: missing
        for name, options in shown.items()
        if (missing := {option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", helps[name])})
    }
    assert unknown == {}


#: Those that read pages, those of the README first.
READING = [
    pytest.param(line, id=f"{sample.page}: {line}", marks=() if sample.page == "README.md" else pytest.mark.full)
    for sample in SHELL
    if sample.page not in {"tutorial.md", "linguist.md", "engineer.md"}
    for line in dict.fromkeys(re.split(" *[#|]", shown)[0] for shown in sample.code.splitlines())
    if re.match("scrapy justext(?:-archive)? ", line)
]


def with_files(line: str, site: Site, folder: Path) -> list[str]:
    """The words of a command, whose pages are on the site or in the folder."""
    for name in re.findall(r"(?<!--html )\b[\w/-]+\.html", line):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(GOOD_PAGE, "utf-8")
    if "archive" in line:
        (folder / "CC-MAIN-1.warc.gz").write_bytes(packed(common_crawl(2)))
        (folder / "pages").mkdir()
        (folder / "pages" / "one.html").write_text(GOOD_PAGE, "utf-8")
    words = re.sub(r"https://(?:\w+\.)?example\.\w+/\w*", site.url("/"), line).split()[1:]
    return [name for word in words for name in (sorted(map(str, folder.glob(word))) if "*" in word else [word])]


@pytest.mark.parametrize("line", READING)
def test_commands_that_read_pages_run(line: str, site: Site, tmp_path: Path) -> None:
    words = with_files(line, site, tmp_path)
    if "--serve" in line:
        serve = [sys.executable, "-m", "scrapy", *words]
        with subprocess.Popen(serve, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            with urlopen(process.stdout.readline().strip()) as tuner:
                assert tuner.status == 200
            process.send_signal(signal.SIGINT)
        assert process.returncode == 0
        return
    done = command(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not re.search("WARNING|ERROR|Traceback", done.stderr), done.stderr
    if "archive" in line:
        lines = done.stdout.splitlines() if line.endswith("-o -") else ()
        rows = [json.loads(row) for row in lines] or read_table(tmp_path / "clean.parquet").to_pylist()
        assert all(row["text"] for row in rows)
    elif "--html" in line:
        assert GOOD_TEXT.split()[-1] in (tmp_path / "report.html").read_text("utf-8")
    else:
        assert "good" in done.stdout


def test_files_of_several_crawls_are_added_up(site: Site, tmp_path: Path) -> None:
    [sample] = (sample for sample in SHELL if "justext-sites" in sample.code)
    crawl(next(spider for spider in SPIDERS if spider.page == sample.page).code, site, tmp_path)
    for name in ("worker1", "worker2", "last-week"):
        shutil.copy(tmp_path / "sites.json", tmp_path / f"{name}.json")
    assert "127.0.0.1" in run_in_shell(sample.code, tmp_path)


@needs_redis
def test_workers_share_a_queue(site: Site, tmp_path: Path) -> None:
    [sample] = (sample for sample in SHELL if "REDIS_URL" in sample.code)
    code = INSTALLATION.sub("", sample.code).replace("worker1.jsonl", str(tmp_path / "worker1.jsonl"))
    with RedisServer(tmp_path) as redis:
        code = code.replace("redis://HOST:6379/0", redis.url).replace("https://example.org/", site.url("/"))
        run_in_shell(code, REPOSITORY)
    assert len((tmp_path / "worker1.jsonl").read_text("utf-8").splitlines()) > 1


#: Those that measure, but with models that are trained for it: these take hours, and tests of their own.
MEASURING = {
    sample.code: sample
    for sample in SHELL
    if "scrapy_justext.evaluation " in sample.code and "training." not in sample.code
}


#: The data sets of the docs, by their kind.
DATA_SETS = {
    "cleaneval": ("../cleaneval-dev", "cleaneval-dev", "PATH"),
    "daniel": ("waddle/corpora/Corpus_daniel_v2.1",),
    "magic-html": ("magic-html/benchmark/data",),
    "marks": (".",),
    "pairs": ("my-site",),
    "trafilatura": ("trafilatura/tests",),
    "wcxb": ("../wcxb-dev", "wcxb-dev", "wcxb-test", "newspaper-dev", "magic-dev", "chinese-dev"),
}


def data_set(kind: str, name: str) -> dict[str, bytes | str]:
    """The files of a data set, no page of which is in another one."""
    golds = {f"p{number}": f"{ENGLISH}\n{MORE_ENGLISH} {name} {number}" for number in range(12)}
    pages = {number: page(*gold.split("\n")) for number, gold in golds.items()}
    rows = [{"id": number, "html": pages[number], "gold": gold, "main_content": gold} for number, gold in golds.items()]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    base = {number: {"content": gold} for number, gold in golds.items()}
    snippets = {
        f"https://{number}.example/": {"file": f"{number}.html", "with": [gold[:40]], "without": ["About us"]}
        for number, gold in golds.items()
    }
    pairs = named_files("input/{}.html", pages) | named_files("gold/{}.txt", golds)
    sets: dict[str, dict[str, bytes | str]] = {
        "cleaneval": pairs,
        "daniel": named_files("html/{}", pages) | named_files("reference/{}", golds) | {"doc_lg.json": "{}"},
        "magic-html": named_files("htmls/{}.html", pages) | {"base.json": json.dumps(base)},
        "marks": {"justext-marks.jsonl": lines},
        "pairs": pairs,
        "trafilatura": named_files("eval/{}.html", pages) | {"evaldata.json": json.dumps(snippets)},
        "wcxb": named_files("html/{}.html", pages) | {"gold.jsonl": lines},
    }
    return sets[kind]


def named_files(pattern: str, contents: Mapping[str, str]) -> dict[str, bytes | str]:
    return {pattern.format(name): content for name, content in contents.items()}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data sets under the names that the docs give them, and the results of a run."""
    folder = tmp_path_factory.mktemp("measured") / "here"
    for kind, names in DATA_SETS.items():
        for name in names:
            write(folder / name, data_set(kind, name))
    for name in ("docs", "tests"):
        (folder / name).symlink_to(REPOSITORY / name)
    run_in_shell(
        "python -m scrapy_justext.evaluation run --dataset pairs:my-site --extractor justext --out results", folder
    )
    return folder


@pytest.mark.parametrize("sample", named([*MEASURING.values()]))
def test_commands_that_measure_run(sample: Sample, measured: Path) -> None:
    if "evaluation run" in sample.code:
        shutil.rmtree(measured / "results", ignore_errors=True)
    run_in_shell(sample.code, measured)
