"""The memory of one process on disk: one file, replaced as a whole, which a crawl that goes on loads."""

from __future__ import annotations

import json
import os
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_justext.exceptions import SiteMemoryError
from scrapy_justext.site_memory.local import Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

#: The name of the file in JOBDIR.
FILE = "justext-site-memory.npz"
#: Changes with what the file holds, and with what fingerprints are taken of.
VERSION = 1

#: The columns of a table.
_COLUMNS = ("keys", "counts", "seen")
#: What numpy raises for files that are cut, changed, or none of its own.
_UNREADABLE = (ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError)


def save(path: Path, sites: Mapping[str, Table]) -> None:
    """Write all sites to ``path``; who reads it meanwhile, or after a crash, finds the old file or the new one.

    Raises :class:`OSError`.
    """
    tables = list(sites.values())
    head = {
        "version": VERSION,
        "sites": [[site, table.pages, table.visits, len(table)] for site, table in sites.items()],
    }
    columns = {name: np.concatenate([_EMPTY[name], *(getattr(t, name) for t in tables)]) for name in _COLUMNS}
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        described = np.frombuffer(json.dumps(head).encode(), np.uint8)
        np.savez(file, head=described, keys=columns["keys"], counts=columns["counts"], seen=columns["seen"])
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def load(path: Path) -> dict[str, Table]:
    """The sites in a file; none where there is no file.  Raises :class:`SiteMemoryError` for what is no such file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            head = json.loads(saved["head"].tobytes())
            columns = {name: saved[name].astype(_EMPTY[name].dtype, casting="equiv") for name in _COLUMNS}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SiteMemoryError(path, f"cannot be read: {error.strerror or error}") from error
    except _UNREADABLE as error:
        raise SiteMemoryError(path, "is damaged, or no memory of sites; delete it to begin anew") from error
    return _tables(path, head, columns)


_EMPTY: Mapping[str, NDArray[Any]] = {name: getattr(Table.empty(), name) for name in _COLUMNS}


def _tables(path: Path, head: dict[str, Any], columns: dict[str, NDArray[Any]]) -> dict[str, Table]:
    if head.get("version") != VERSION:
        raise SiteMemoryError(path, "is of another version of scrapy-justext; delete it to begin anew")
    sites: dict[str, Table] = {}
    start = 0
    for site, pages, visits, size in head["sites"]:
        own = slice(start, start + size)
        keys, counts, seen = (columns[name][own].copy() for name in _COLUMNS)
        sites[site] = Table(keys, counts, seen, pages, visits)
        start += size
    return sites
