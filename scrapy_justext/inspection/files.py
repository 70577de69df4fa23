"""Files that are whole at any time."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: Who may read and write a new file, less what the user's mask forbids.
PUBLIC, PRIVATE = 0o666, 0o600


def replace_file(path: Path, content: bytes, mode: int = PUBLIC) -> None:
    """Write a file beside the one that is there, whose mode it gets, and put it in its place; raises ``OSError``.

    A link stays one.  What is no file, a device or a pipe, is written to.
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


def check_writable(path: Path) -> None:
    """Raise ``OSError`` where no file can be put; what is missing of its folders is not made."""
    folder = path.resolve().parent
    while not folder.exists():
        folder = folder.parent
    # Permissions alone do not tell: the file system may be read-only.
    with tempfile.TemporaryFile(dir=folder):
        pass
