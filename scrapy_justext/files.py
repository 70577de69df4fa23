"""One run at a time in a folder.

The lock is the operating system's, on a file in the folder: it ends with the process that holds it, however that ends,
so that there are no stale ones.  What a killed run leaves is a file that nobody holds.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK_FILE = ".lock"

#: Windows locks bytes of a file, which nobody can read then: one far behind the text.
_LOCKED_BYTE = 1 << 30


class StoreError(JustextError):
    """A folder of results that cannot be used; the message says why."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made where it is missing; raises :class:`StoreError` when another process has it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _open_locked(folder / LOCK_FILE)
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {error.strerror}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            (folder / LOCK_FILE).unlink()
        os.close(descriptor)


def _open_locked(path: Path) -> int:
    """The descriptor of the locked file, which holds this process's number."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor, path)
            # The process that held it may have removed the file after it was opened here.
            if _is_at(descriptor, path):
                os.truncate(path, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        _lock_file(descriptor)
    except (BlockingIOError, PermissionError) as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") if hasattr(os, "pread") else ""
        process = f" (process {holder})" if holder else ""
        advice = "wait for it, or choose a new folder"
        raise StoreError(f"another run is going on in {path.parent}{process}; {advice}") from error


def _lock_file(descriptor: int) -> None:
    """Lock a file for this process alone, or raise at once."""
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:
        import msvcrt  # noqa: PLC0415

        windows: Any = msvcrt
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        windows.locking(descriptor, windows.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
