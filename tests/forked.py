"""Processes forked off one that has loaded Scrapy, so that a hundred of them need not load it again.

``start`` and ``run`` take the place of ``subprocess.Popen`` and ``subprocess.run`` for Python code, ``worker`` that of
``subprocess.Popen`` for the processes of a pool.  From any process that these begin, they can be called, too.  What
depends on how Python itself starts (its options, its default encoding, closed streams), or on whose child a process is,
needs a real start.
"""

import atexit
import gc
import importlib
import os
import pickle
import pkgutil
import re
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Literal, NamedTuple

from scrapy import commands

from scrapy_justext.core.languages import detect

REPOSITORY = Path(__file__).parents[1]

#: In the environment: where the process that forks is asked to.
ADDRESS = "TESTS_FORKED"

#: What the forked processes find loaded, beside the components of Scrapy's default settings.
_LOADED = (
    "scrapy.cmdline",
    "scrapy.squeues",
    "scrapy_justext.crawl.addon",
    "scrapy_justext.archives.run",
    "scrapy_justext.inspection.run",
    "tests.crawl.runner",
    "tests.crawl.spiders",
    "twisted.internet.asyncioreactor",
    "w3lib.encoding",
)

#: Scrapy's command line as a job.
COMMAND = "tests.forked:scrapy"


class Job(NamedTuple):
    """What a forked process does: the function ``module:name``, called without arguments."""

    function: str
    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    #: Whether it is the first of a session, and so of a group.
    has_session: bool = False
    #: Whether the processes of its pools are forked, too.
    has_forks: bool = False
    #: What becomes of warnings.
    on_warning: Literal["error", "ignore"] = "error"


class Process:
    """A forked process, in the ways of ``subprocess.Popen``."""

    def __init__(self, job: Job, streams: Sequence[int]) -> None:
        self.args = job.arguments
        self.returncode: int | None = None
        #: What it has printed, in files, or pipes from and to a worker.
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._server = socket.socket(socket.AF_UNIX)
        self._server.connect(address())
        content = pickle.dumps(job)
        socket.send_fds(self._server, [len(content).to_bytes(8, "big")], streams)
        self._server.sendall(content)
        self.pid = int.from_bytes(_receive(self._server, 8), "big")

    def poll(self) -> int | None:
        return self._end(0)

    def wait(self, timeout: float | None = None) -> int:
        status = self._end(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Return what the process printed, when it has ended."""
        self.wait(timeout)
        assert self.stdout is not None
        with self.stdout, self.stderr or self.stdout:
            return _content(self.stdout), self.messages()

    def messages(self) -> bytes:
        """Return what the process has printed on standard error up to now."""
        assert self.stderr is not None
        return _content(self.stderr)

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end(self, seconds: float | None) -> int | None:
        """Return the exit status; None where the process has not ended after so many seconds."""
        if self.returncode is None and select.select([self._server], [], [], seconds)[0]:
            self.returncode = int.from_bytes(_receive(self._server, 8), "big", signed=True)
            self._server.close()
        return self.returncode


def start(
    function: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    stdout: int | None = None,
    has_session: bool = False,
    has_forks: bool = False,
    on_warning: Literal["error", "ignore"] = "error",
) -> Process:
    """Start ``function`` in a process of its own, whose ``sys.argv`` is ``arguments``.

    ``stdout``: a descriptor that takes what it prints, such as a terminal's; it is lost to ``communicate`` then;
    ``on_warning``: what becomes of warnings there;
    ``has_session``: it begins a session, so that a signal to its group reaches it, and what it starts, alone;
    ``has_forks``: the processes of its pools are forked, and so no children of it.
    """
    job = Job(
        function, list(arguments), str(folder), {**environment, ADDRESS: address()}, has_session, has_forks, on_warning
    )
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (until they are read)
        process = Process(job, [given.fileno(), out.fileno() if stdout is None else stdout, err.fileno()])
    process.stdout, process.stderr = out, err
    return process


def run(
    function: str, arguments: Sequence[str], *, seconds: float = 60, **how: Any
) -> subprocess.CompletedProcess[bytes]:
    """Return the end of a process that :func:`start` starts, and that may fork; ``how``: see there.

    Raises ``subprocess.TimeoutExpired`` after so many seconds.
    """
    process = start(function, arguments, has_forks=True, **how)
    try:
        printed, messages = process.communicate(seconds)
    finally:
        process.kill()
        process.wait()
    assert process.returncode is not None
    return subprocess.CompletedProcess(list(arguments), process.returncode, printed, messages)


def worker(command: Sequence[str], *, start_new_session: bool, bufsize: int, **pipes: int) -> Process:
    """Start ``python -c code`` as a pool does it, with pipes to its standard input and from its standard output."""
    environment = {**os.environ, ADDRESS: address()}
    job = Job("tests.forked:execute", list(command), str(Path.cwd()), environment, start_new_session)
    given, given_here = os.pipe()
    out_here, out = os.pipe()
    try:
        process = Process(job, [given, out, 2])
    finally:
        os.close(given)
        os.close(out)
    process.stdin, process.stdout = os.fdopen(given_here, "wb", bufsize), os.fdopen(out_here, "rb", bufsize)
    return process


#: What :mod:`scrapy_justext.workers` is to find as ``subprocess``, so that its processes are forked.
SUBPROCESS = SimpleNamespace(Popen=worker, PIPE=subprocess.PIPE)


def scrapy() -> None:
    """Run Scrapy's command line."""
    importlib.import_module("scrapy.cmdline").execute(sys.argv)


def run_file() -> None:
    """Run ``python FILE``."""
    runpy.run_path(sys.argv[0], run_name="__main__")


def execute() -> None:
    """Run ``python -c code``."""
    code = sys.argv[2]
    sys.argv[:3] = ["-c"]
    exec(code, {})


def _content(stream: IO[bytes]) -> bytes:
    """Return what is in a file, which may be written to still."""
    return os.pread(stream.fileno(), os.fstat(stream.fileno()).st_size, 0)


@cache
def address() -> str:
    """Return where the process that forks is asked to; it is started at the first call."""
    if ADDRESS in os.environ:
        return os.environ[ADDRESS]
    folder = tempfile.TemporaryDirectory()
    address = str(Path(folder.name) / "socket")
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        # A process with threads, of which numpy's library starts some, cannot be forked safely.
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "OPENBLAS_NUM_THREADS": "1"}
        passed = [listening.fileno(), reading]
        command = [sys.executable, "-W", "error", "-m", "tests.forked", *map(str, passed)]
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, pass_fds=passed)
    os.close(reading)

    def end() -> None:
        os.close(writing)
        process.wait()
        folder.cleanup()

    atexit.register(end)
    return address


def _receive(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(size)
        if not part:
            raise ConnectionError("the process that forks has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _next_job(listening: socket.socket, life: int) -> Job | None:
    """Fork at each request; return the job in the new process, and None in the old one when nobody asks any more.

    ``life``: a pipe that is closed then.
    """
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    asking: dict[int, socket.socket] = {}
    while True:
        ready = select.select([listening.fileno(), life, ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            _tell_ends(asking)
        if life in ready:
            return None
        if listening.fileno() not in ready:
            continue
        connection = listening.accept()[0]
        head, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
        job: Job = pickle.loads(_receive(connection, int.from_bytes(head, "big")))
        process = os.fork()
        if not process:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for channel in (listening, connection, *asking.values()):
                channel.close()
            for pipe in (life, ended, wake):
                os.close(pipe)
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            return job
        for descriptor in descriptors:
            os.close(descriptor)
        asking[process] = connection
        connection.sendall(process.to_bytes(8, "big"))


def _tell_ends(asking: dict[int, socket.socket]) -> None:
    """Tell those who asked for a process that it has ended."""
    while asking:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        # Whoever asked may have ended before.
        with asking.pop(process) as connection, suppress(OSError):
            connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "big", signed=True))


def _components() -> Iterator[str]:
    """Yield the modules of the classes that Scrapy's default settings name."""
    for value in vars(importlib.import_module("scrapy.settings.default_settings")).values():
        for name in [*value, *value.values()] if isinstance(value, dict) else [value]:
            if match := re.fullmatch(r"(scrapy(?:\.\w+)+)\.[A-Z]\w*", str(name)):
                yield match[1]


def _commands() -> Iterator[str]:
    """Yield the modules that Scrapy's command line looks for commands in."""
    yield from (module.name for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."))
    yield from (command.module for command in entry_points(group=commands.__name__))


def _do(job: Job) -> None:
    """Do a job as a process of its own would; the interpreter ends in its usual way afterwards."""
    if job.has_session:
        os.setsid()
    os.environ.clear()
    os.environ.update(job.environment)
    os.chdir(job.folder)
    sys.argv = list(job.arguments)
    warnings.simplefilter(job.on_warning)
    # Scrapy's own, before 2.17.
    warnings.filterwarnings("ignore", "unclosed file .*requests.queue", ResourceWarning)
    sys.path[:0] = ["", *filter(None, job.environment.get("PYTHONPATH", "").split(os.pathsep))]
    encoding = job.environment.get("PYTHONIOENCODING")
    sys.stdin = os.fdopen(0, encoding=encoding, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=encoding, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding=encoding, errors="backslashreplace", closefd=False)
    if job.function != COMMAND:
        # By this module the package tells Scrapy's command line from scripts.
        del sys.modules["scrapy.cmdline"]
    # What was there before the fork stays out of collections, also behind the end of a crawl.
    gc.unfreeze = lambda: None
    if job.has_forks:
        workers: Any = importlib.import_module("scrapy_justext.workers")
        workers.subprocess = SUBPROCESS
    module, _, name = job.function.partition(":")
    getattr(importlib.import_module(module), name)()


def main() -> None:
    """Fork until nobody asks any more."""
    warnings.simplefilter("error")
    for name in (*_components(), *_commands(), *_LOADED):
        # An older Scrapy names some that are deprecated, which no crawl loads.
        with suppress(DeprecationWarning):
            importlib.import_module(name)
    detect("It was the best of times.")
    # Nobody's collections are to look at what is there now.
    gc.collect()
    gc.freeze()
    # Ctrl-C in the terminal of the tests is theirs alone.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        job = _next_job(listening, int(sys.argv[2]))
    if job is not None:
        signal.signal(signal.SIGINT, handler)
        _do(job)


if __name__ == "__main__":
    main()
