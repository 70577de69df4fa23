"""Files that are whole at any time, and folders that one process has at a time.

A file is replaced, never changed: readers find the old file or the new one, at any time and after a crash.

A folder's lock is the operating system's, on a file in the folder.  It ends with the process that holds it, so no lock
is stale: a killed process leaves a file that nobody holds.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.exceptions import StoreError, SubjectError, describe_os_error, import_if_installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_justext.exceptions import JustextError

#: None on Windows.
fcntl = import_if_installed("fcntl")

LOCK_FILE = ".lock"

#: Windows locks bytes of a file, which nobody can read then: one far behind the text.
_LOCKED_BYTE = 1 << 30

#: Who may read and write a new file, less what the user's mask forbids.
PUBLIC, PRIVATE = 0o666, 0o600


def write_whole(path: Path, content: bytes | memoryview, mode: int = PUBLIC) -> None:
    """Write a file, or leave the one that is there as it is; raise ``OSError``.

    The content is on the disk before it takes the place of the old one, whose permissions it gets; ``mode`` is for a
    new file.  A link stays a link.  What is no file, a device or a pipe, is written to.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    beside = path.parent / f".justext-{secrets.token_hex(8)}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def packaged_text(*path: str) -> str:
    """Return the text of a file of this package that is no code."""
    # All commands of Scrapy import this module, and few need such a file.
    from importlib.resources import files  # noqa: PLC0415

    return files("scrapy_justext").joinpath(*path).read_text("utf-8")


def check_writable(path: Path) -> None:
    """Raise ``OSError`` where no file can be put; folders that are missing are not made."""
    folder = path.resolve().parent
    while not folder.exists():
        folder = folder.parent
    # Permissions alone do not tell: the file system may be read-only.
    with tempfile.TemporaryFile(dir=folder):
        pass


@contextmanager
def explaining(path: object, action: str, error_class: type[JustextError] = StoreError) -> Iterator[None]:
    """Raise an error about a file for an error of the operating system.  ``action``: such as ``read``, ``written``."""
    try:
        yield
    except OSError as error:
        problem = f"cannot be {action}: {describe_os_error(error)}"
        is_of_subject = issubclass(error_class, SubjectError)
        raise error_class(*((path, problem) if is_of_subject else (f"{path} {problem}",))) from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made where it is missing; raise :class:`StoreError` when another process has it."""
    with explaining(folder, "used"):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _open_locked(folder / LOCK_FILE)
    try:
        yield
    finally:
        with suppress(OSError):
            (folder / LOCK_FILE).unlink()
        os.close(descriptor)


def _open_locked(path: Path) -> int:
    """Return the descriptor of the locked file, and write this process's number into it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor, path)
            # The process that held it may have removed the file after it was opened here.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    os.truncate(path, 0)
                    os.write(descriptor, str(os.getpid()).encode())
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    """Lock a file for this process alone; raise :class:`StoreError` at once where another one has it."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        windows = import_module("msvcrt")
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        windows.locking(descriptor, windows.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    except (BlockingIOError, PermissionError) as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") if hasattr(os, "pread") else ""
        process = f" (process {holder})" if holder else ""
        advice = "wait for it, or choose a new folder"
        raise StoreError(f"another run is going on in {path.parent}{process}; {advice}") from error
