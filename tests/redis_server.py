"""A real Redis on a port of its own on loopback, for the time of a test."""

import shutil
import socket
import subprocess
from pathlib import Path
from types import TracebackType

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from tests.builders import wait_until

PROGRAM = shutil.which("redis-server")
needs_redis = pytest.mark.skipif(
    PROGRAM is None, reason="there is no redis-server (Debian: apt-get install redis-server)"
)


class RedisServer:
    """Serves while it is entered; nothing is written to disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def shared_queue(self) -> dict[str, str]:
        """The settings with which several workers share a queue."""
        scheduler, seen = "scrapy_redis.scheduler.Scheduler", "scrapy_redis.dupefilter.RFPDupeFilter"
        return {"SCHEDULER": scheduler, "DUPEFILTER_CLASS": seen, "REDIS_URL": self.url, "LOG_LEVEL": "ERROR"}

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def connect(self) -> Redis:
        return Redis.from_url(self.url, decode_responses=True)

    def start(self) -> None:
        assert PROGRAM is not None
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            [PROGRAM, *options, "--dir", str(self._folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._answers)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> "RedisServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        with self.connect() as connection:
            try:
                return bool(connection.ping())
            except RedisConnectionError:
                return False
