"""Crawls in a process of their own, and what became of them.

:func:`crawl` runs spiders given as classes; Scrapy's own commands are run by :func:`command`.  In both, every
warning is an error, and what goes to the log from WARNING on must have been announced.
"""

import json
import logging
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import Spider

from tests import forked
from tests.crawl.server import path_of

REPOSITORY = Path(__file__).parents[2]
EXAMPLE_PROJECT = REPOSITORY / "example_project"
#: Only what never ends takes so long, even on a machine that is busy with other things.
SECONDS = 300

#: A language that is given spares the crawl the language detector, which takes a while to load.
BASE_SETTINGS: Mapping[str, Any] = {
    "ADDONS": {"scrapy_justext.Addon": 500},
    "JUSTEXT_LANGUAGE": "English",
    # More than by default, to be looked at.
    "JUSTEXT_BLOCKS": "all",
    "JUSTEXT_FIELDS": {"paragraphs": "paragraphs"},
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl to be run."""

    spider: type[Spider]
    #: What the spider is made with, as by ``-a``.
    arguments: Mapping[str, Any] = field(default_factory=dict)
    #: The project's, over :data:`BASE_SETTINGS`; None takes a setting away.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: As by ``-s``.
    command_line: Mapping[str, Any] = field(default_factory=dict)
    #: Patterns of the messages from WARNING on that the crawl is to log, each at least once; no others.
    problems: Sequence[str] = ()
    #: Whether it is to end with an error.
    fails: bool = False

    @property
    def project_settings(self) -> dict[str, Any]:
        merged = {**BASE_SETTINGS, **self.settings}
        return {name: value for name, value in merged.items() if value is not None}


class Entry(NamedTuple):
    """A line of the log, with the traceback behind it."""

    level: int
    name: str
    message: str


class Dropped(NamedTuple):
    """An item that a pipeline dropped, and what it said."""

    item: Any
    exception: str
    message: str


@dataclass(slots=True)
class Result:
    """What became of a crawl."""

    items: list[Any] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    log: list[Entry] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    #: What the spider put into its attribute ``seen``.
    seen: list[Any] = field(default_factory=list)
    #: What the crawl itself raised.
    error: str | None = None

    @property
    def justext(self) -> dict[str, Any]:
        """Our own stats, without their prefix."""
        prefix = "justext/"
        return {name.removeprefix(prefix): value for name, value in self.stats.items() if name.startswith(prefix)}

    def counts(self, prefix: str) -> dict[str, Any]:
        """Those of our own stats whose names begin so, without that."""
        return {name.removeprefix(prefix): n for name, n in self.justext.items() if name.startswith(prefix)}

    @property
    def texts(self) -> dict[str, Any]:
        """The text of each item, None for one without, by the path of its address."""
        return {path_of(item["url"]): item.get("text") for item in map(ItemAdapter, self.items)}

    @property
    def paths(self) -> list[str]:
        """The paths of the items' addresses, in their order."""
        return [path_of(ItemAdapter(item)["url"]) for item in self.items]

    @property
    def problems(self) -> list[str]:
        return [entry.message for entry in self.log if entry.level >= logging.WARNING]

    def check(self, patterns: Sequence[str], *, fails: bool) -> None:
        unexpected = [m for m in self.problems if not any(re.search(pattern, m) for pattern in patterns)]
        assert not unexpected, "\n".join(unexpected)
        missing = [pattern for pattern in patterns if not any(re.search(pattern, m) for m in self.problems)]
        assert not missing, missing
        assert (self.error is not None) is fails, self.error


#: Crawls by their names.
Results = dict[str, Result]


def crawl(crawls: Mapping[str, Crawl], *, together: bool = False) -> Results:
    """Run crawls in one new process, one after another, or ``together``."""
    with tempfile.TemporaryDirectory() as folder:
        job, report = Path(folder) / "job", Path(folder) / "report"
        job.write_bytes(pickle.dumps((dict(crawls), together)))
        done = run("tests.crawl.runner:main", ["runner", str(job), str(report)], REPOSITORY)
        assert done.returncode == 0, done.stderr
        assert not done.stderr.strip(), done.stderr
        results: Results = pickle.loads(report.read_bytes())
    for name, asked in crawls.items():
        results[name].check(asked.problems, fails=asked.fails)
    return results


def crawl_one(spider: type[Spider], arguments: Mapping[str, Any], **how: Any) -> Result:
    """Run one crawl; ``how``: the other fields of :class:`Crawl`."""
    return crawl({"only": Crawl(spider, arguments, **how)})["only"]


#: Scrapy's command line with every warning an error, but for one that it gives itself before 2.17.
_STRICT_SCRAPY = (
    "import sys, warnings; warnings.simplefilter('error'); "
    "warnings.filterwarnings('ignore', 'unclosed file .*requests.queue', ResourceWarning); "
    "from scrapy.cmdline import execute; execute(sys.argv)"
)


def command_line(*arguments: str) -> list[str]:
    """What to run for ``scrapy …`` with every warning an error."""
    return [sys.executable, "-c", _STRICT_SCRAPY, *arguments]


def command(*arguments: str, folder: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """``scrapy …``, run to its end in a folder; ``how``: see :func:`tests.forked.start`."""
    return run(forked.COMMAND, ["scrapy", *arguments], folder, **how)


def python(file: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    """``python FILE`` in a folder, run to its end."""
    return run("tests.forked:run_file", [file], folder)


def start(*arguments: str, folder: Path, **how: Any) -> forked.Process:
    """Start ``scrapy …`` in a folder; ``how``: see :func:`tests.forked.start`."""
    return forked.start(forked.COMMAND, ["scrapy", *arguments], folder=folder, **{"environment": environment()} | how)


def write_spider(folder: Path, spider: type[Spider], **settings: Any) -> str:
    """Write a spider like another one for ``scrapy runspider``, with settings of its own; return the file's name."""
    base, own = f"{spider.__module__} import {spider.__name__}", {**BASE_SETTINGS, **settings}
    source = f"from {base}\n\nclass OwnSpider({spider.__name__}):\n    custom_settings = {own!r}\n"
    (folder / "own_spider.py").write_text(source, "utf-8")
    return "own_spider.py"


def write_project(folder: Path, settings: str) -> None:
    """Write a project with settings as they stand in their file."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n", "utf-8")
    (folder / "settings.py").write_text(settings, "utf-8")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """What a file of JSON Lines holds."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def environment() -> dict[str, str]:
    """That of this process, with the package and the example project at hand, none of the user's settings.

    What Python prints is buffered, as where nothing else was asked for.
    """
    path = os.pathsep.join([str(REPOSITORY), str(EXAMPLE_PROJECT)])
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SCRAPY_") and name != "PYTHONUNBUFFERED"
    }
    return {**kept, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "COLUMNS": "200"}


def run(function: str, arguments: list[str], folder: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """A function of :mod:`tests.forked`, run to its end in a folder; ``how``: see :func:`tests.forked.start`."""
    done = forked.run(function, arguments, folder=folder, seconds=SECONDS, **{"environment": environment()} | how)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
