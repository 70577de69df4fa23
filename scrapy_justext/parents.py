"""Processes that must not outlive the one that started them, however that ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

#: From Linux's ``sys/prctl.h``.
_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int | None = None) -> None:
    """Have this process killed when the thread that started it ends, also where no thread of ours has its turn then.

    Such is a regular expression that does not come to an end.  Elsewhere than on Linux nothing is done: a closed pipe
    has to be seen.
    ``parent``: the number of the process that started this one, which may have ended before this is called.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
