"""What can go wrong, each with its cause as attributes.

One base, :class:`JustextError`; catching it catches everything this library raises on purpose.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class JustextError(Exception):
    """Base of every error that this library raises."""


class PageError(JustextError):
    """A page that cannot be read: of a wrong type, or in an encoding that does not exist."""


class ParameterError(JustextError, ValueError):
    """A parameter with a value that is not allowed.

    ``name``: the parameter, ``value``: what was given, ``allowed``: what may be given, in words.
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name = name
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.name} = {self.value!r}: {self.allowed}"


class UnknownNameError(ParameterError):
    """A name that is none of the known ones; the message suggests those that are close.

    ``known``: the names that would have been right, ``suggestions``: the closest of them.
    """

    def __init__(self, name: str, value: object, kind: str, known: Iterable[str], hint: str = "") -> None:
        self.kind = kind
        self.hint = hint
        self.known = tuple(known)
        self.suggestions = close_names(str(value), self.known)
        super().__init__(name, value, f"unknown {kind}; {self._advice()}{hint}")

    def _advice(self) -> str:
        if self.suggestions:
            return "did you mean " + " or ".join(self.suggestions) + "?"
        shown = ", ".join(self.known[:12])
        more = len(self.known) - 12
        return f"known are {shown}" + (f" and {more} more" if more > 0 else "")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.value, self.kind, self.known, self.hint)


class StoplistError(ParameterError):
    """A stoplist that is not there, cannot be read, or holds no word."""


class ModelError(JustextError):
    """The file of a trained model that cannot be used.  ``path``: the file, ``problem``: what is wrong, in words."""

    def __init__(self, path: object, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"the model {self.path} {self.problem}"


class InspectionError(JustextError):
    """A page that cannot be inspected, or not in the way asked for.

    ``what``: the page, as the user named it, or the option; ``problem``: what is wrong, in words.
    """

    def __init__(self, what: str, problem: str) -> None:
        super().__init__(what, problem)
        self.what = what
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


class WorkerError(JustextError):
    """What a page raised in another process, where the error itself could not be sent; the message names it.

    Or why there is no process for a page.
    """


class WorkerCrashed(JustextError):  # noqa: N818 (crawls count errors by these names)
    """The processes that were to extract a page ended.  ``code``: the exit status of the last, below 0 a signal's."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code

    def __str__(self) -> str:
        how = f"was killed by signal {-self.code}" if self.code < 0 else f"ended with exit status {self.code}"
        return f"each process that was to extract it ended; the last {how}"


class PageTimeout(JustextError):  # noqa: N818
    """A page took longer than it was given.  ``seconds``: what it was given."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"takes longer than {self.seconds:g} s"


class SiteMemoryError(JustextError):
    """A memory of sites that cannot be used.  ``place``: the file or address, ``problem``: what is wrong, in words."""

    def __init__(self, place: object, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"the site memory {self.place} {self.problem}"


class SettingError(ParameterError):
    """A setting of a crawl with a value that is not allowed; ``name`` says where it was set."""


def close_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """At most three of the ``known`` names that are spelt like ``name``, the closest first.

    >>> close_names("Germn", ["English", "German", "Greek"])
    ('German',)
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    return tuple(by_folded[match] for match in matches)
