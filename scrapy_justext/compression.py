"""Zstandard in all versions of Python, and what compressed data that are damaged raise."""

from __future__ import annotations

import sys
import zlib

# All import it from here.
if sys.version_info >= (3, 14):
    from compression import zstd as zstd  # noqa: PLC0414
else:
    from backports import zstd as zstd  # noqa: PLC0414

#: What reading compressed data raises where they are damaged, or cut off.
DAMAGE = (OSError, EOFError, zlib.error, zstd.ZstdError)

#: The level of Zstandard: its default, beyond which more costs more than it saves.
ZSTANDARD_LEVEL = 3
