"""Spark's processes, each of which is given its time and ended with all that it started."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

SECONDS_TO_START = 60.0
SECONDS_FOR_A_JOB = 600.0
#: That a process has to clean up behind itself.
_SECONDS_TO_END = 10.0

#: Its processes are short-lived: what makes Java fast in the long run costs more than it saves.
_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    # Work begins when all the workers are there, so that none of them is left without.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
}


class Done(NamedTuple):
    """The end of a job."""

    status: int
    printed: str
    messages: str


def submit(spark: dict[str, str], master: str, *arguments: object, seconds: float = SECONDS_FOR_A_JOB) -> Done:
    """A Python module run with Spark; fails with what it printed where that takes too long."""
    options = " ".join(f"--conf {name}={value}" for name, value in _OPTIONS.items())
    environment = {**spark, **_JAVA, "PYSPARK_SUBMIT_ARGS": f"--master {master} {options} pyspark-shell"}
    # Into files: a pipe is open until the last of Spark's processes has ended.
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(
            [sys.executable, "-m", *map(str, arguments)],
            env=environment,
            stdout=printed,
            stderr=messages,
            start_new_session=True,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"not done in {seconds:g} s:\n{_content(messages)}") from None
        finally:
            _end(process)
        return Done(status, _content(printed), _content(messages))


@contextmanager
def cluster(spark: dict[str, str], folder: Path) -> Iterator[str]:
    """A master and two workers on this machine; the master's address.

    What the workers run is in ``folder``, below ``worker-1`` and ``worker-2``.
    """
    port = _free_port()
    address = f"spark://127.0.0.1:{port}"
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    with ExitStack() as stack:
        master = _start(stack, spark, folder / "master", "master.Master", *local, "--port", str(port))
        _await([master], "I have been elected leader")
        workers = []
        for name in ("worker-1", "worker-2"):
            memory = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / name)]
            workers.append(_start(stack, spark, folder / name, "worker.Worker", *local, *memory, address))
        _await(workers, "Successfully registered with master")
        yield address


def launcher(name: str) -> str:
    """One of Spark's own scripts."""
    import pyspark  # noqa: PLC0415

    return str(Path(str(pyspark.__file__)).parent / "bin" / name)


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    log: Path


def _start(stack: ExitStack, spark: dict[str, str], folder: Path, name: str, *arguments: str) -> _Running:
    """One of a cluster's processes, which ends with ``stack``."""
    folder.mkdir()
    log = folder / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [launcher("spark-class"), f"org.apache.spark.deploy.{name}", *arguments],
            env=spark | _JAVA,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    stack.callback(_end, process)
    return _Running(process, log)


def _await(running: list[_Running], line: str) -> None:
    """Wait until each process has logged a line."""
    end = time.monotonic() + SECONDS_TO_START
    for process, log in running:
        while line not in log.read_text():
            problem = "ended" if process.poll() is not None else "took too long" if time.monotonic() > end else None
            assert problem is None, f"{log.parent.name} {problem}:\n{log.read_text()}"
            time.sleep(0.1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started, at once where it does not hurry."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_END)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _content(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
