"""TEMPORARY."""

from types import SimpleNamespace


def kernel():
    return SimpleNamespace(modules=None)


Modules = None
