"""Commands forked off a process that has loaded Scrapy, so that a hundred of them need not load it again.

``run`` takes the place of ``subprocess.run`` for Python code whose end alone matters.  What depends on how Python
itself starts (its encodings, closed streams, terminals, signals from outside) needs a real start.
"""

from __future__ import annotations

import atexit
import importlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REPOSITORY = Path(__file__).parents[1]

#: What the forked processes find loaded.
_LOADED = (
    "scrapy.cmdline",
    "scrapy.crawler",
    "scrapy.commands.crawl",
    "scrapy_justext.crawl.session",
    "w3lib.encoding",
)


#: Scrapy's command line as a job.
COMMAND = "tests.forked:scrapy"

_one_at_a_time = threading.Lock()


class Job(NamedTuple):
    """What a forked process does: the function ``module:name``, called without arguments."""

    function: str
    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]


def run(
    function: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    seconds: float = 60,
) -> subprocess.CompletedProcess[bytes]:
    """Return the end of ``function`` in a process of its own, whose ``sys.argv`` is ``arguments``.

    Every warning is an error there.  Raises ``subprocess.TimeoutExpired`` after so many seconds.
    """
    job = pickle.dumps(Job(function, list(arguments), str(folder), dict(environment)))
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        status = _end(job, [stream.fileno() for stream in (given, out, err)], seconds)
        if status is None:
            raise subprocess.TimeoutExpired(list(arguments), seconds)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read())
    return subprocess.CompletedProcess(list(arguments), status, *texts)


def _end(job: bytes, streams: Sequence[int], seconds: float) -> int | None:
    """Return the exit status of a job; None where it took too long."""
    with _one_at_a_time:
        server = _server()
        socket.send_fds(server, [len(job).to_bytes(8, "big")], streams)
        server.sendall(job)
        process = int.from_bytes(_receive(server, 8), "big")
        is_late = not select.select([server], [], [], seconds)[0]
        if is_late:
            os.kill(process, signal.SIGKILL)
        status = int.from_bytes(_receive(server, 8), "big", signed=True)
    return None if is_late else status


def scrapy() -> None:
    """Run Scrapy's command line."""
    execute: Any = importlib.import_module("scrapy.cmdline").execute
    execute(sys.argv)


@cache
def _server() -> socket.socket:
    """Return the connection to the process that forks, started at the first call."""
    ours, theirs = socket.socketpair()
    with theirs:
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-W", "error", "-m", "tests.forked", str(theirs.fileno())]
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, pass_fds=[theirs.fileno()])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _receive(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(size)
        if not part:
            raise ConnectionError("the process that forks has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _next_job(connection: socket.socket) -> Job | None:
    """Fork at each request; return the job in the new process, and None in the old one when there are no more."""
    while True:
        head, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
        if not head:
            return None
        job: Job = pickle.loads(_receive(connection, int.from_bytes(head, "big")))
        process = os.fork()
        if not process:
            connection.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            return job
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(process.to_bytes(8, "big"))
        _, status = os.waitpid(process, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "big", signed=True))


def _do(job: Job) -> None:
    """Do a job as a process of its own would; the interpreter ends in its usual way afterwards."""
    os.environ.clear()
    os.environ.update(job.environment)
    os.chdir(job.folder)
    sys.argv = list(job.arguments)
    sys.path[:0] = ["", *filter(None, job.environment.get("PYTHONPATH", "").split(os.pathsep))]
    encoding = job.environment.get("PYTHONIOENCODING")
    sys.stdin = os.fdopen(0, encoding=encoding, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=encoding, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding=encoding, errors="backslashreplace", closefd=False)
    if job.function != COMMAND:
        # By this module the package tells Scrapy's command line from scripts.
        del sys.modules["scrapy.cmdline"]
    module, _, name = job.function.partition(":")
    getattr(importlib.import_module(module), name)()


def main() -> None:
    """Fork until nobody asks any more."""
    warnings.simplefilter("error")
    for name in _LOADED:
        importlib.import_module(name)
    connection = socket.socket(fileno=int(sys.argv[1]))
    # Ctrl-C in the terminal of the tests is theirs alone.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = _next_job(connection)
    if job is None:
        connection.close()
    else:
        signal.signal(signal.SIGINT, handler)
        _do(job)


if __name__ == "__main__":
    main()
