"""Every error that this library raises on purpose, and the import of libraries that may be missing.

All have the base :class:`JustextError`.  An error that is about one thing, a file or an option, is a
:class:`SubjectError`: it names the thing and says what is wrong with it.
"""

from __future__ import annotations

import difflib
import signal
from importlib import import_module
from importlib.metadata import requires
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType


class JustextError(Exception):
    """Base of every error that this library raises."""


class SubjectError(JustextError):
    """Base of the errors about one thing.  ``subject``: the thing; ``problem``: what is wrong with it, in words."""

    #: How the two make one message.
    _message: ClassVar = "{}: {}"

    def __init__(self, subject: object, problem: str) -> None:
        super().__init__(subject, problem)
        self.subject = subject
        self.problem = problem

    def __str__(self) -> str:
        return self._message.format(self.subject, self.problem)


# Pages, parameters and models: what the engine raises.


class PageError(JustextError):
    """A page that cannot be read: of a wrong type, or in an encoding that does not exist."""


class PageLimitError(PageError):
    """A page that would take too much time or memory.

    ``reason``: its name in the stats of a crawl, ``too_many_attributes`` or ``too_many_blocks``; ``problem``: what the
    page has too many of, in words.
    """

    def __init__(self, reason: str, problem: str) -> None:
        super().__init__(reason, problem)
        self.reason = reason
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


#: How much of a wrong value a message shows.
_SHOWN_CHARACTERS = 300


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
        # A list of stop words has thousands of them.
        value = repr(self.value)
        shown = value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]} …"
        return f"{self.name} = {shown}: {self.allowed}"


class UnknownNameError(ParameterError):
    """A name that is none of the known ones; the message suggests those that are close.

    ``known``: the names that would have been right, ``suggestions``: the closest of them and of ``others``, which are
    suggested but not listed.
    """

    def __init__(
        self, name: str, value: object, kind: str, known: Iterable[str], hint: str = "", others: Iterable[str] = ()
    ) -> None:
        self.kind = kind
        self.hint = hint
        self.known = tuple(known)
        self.others = tuple(others)
        self.suggestions = close_names(str(value), (*self.known, *self.others))
        super().__init__(name, value, f"unknown {kind}; {self._advice()}{hint}")

    def _advice(self) -> str:
        if self.suggestions:
            return "did you mean " + " or ".join(self.suggestions) + "?"
        shown = ", ".join(self.known[:12])
        more = len(self.known) - 12
        return f"known are {shown}" + (f" and {more} more" if more > 0 else "")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.value, self.kind, self.known, self.hint, self.others)


class UnknownKeyError(UnknownNameError):
    """The name of a setting or parameter that does not exist.

    ``name``: of the mapping that has it, empty if it stands for itself; ``value``: the name that is not known.
    """

    def __str__(self) -> str:
        where = f"{self.name}[{self.value!r}]" if self.name else str(self.value)
        return f"{where}: {self.allowed}"


class StoplistError(ParameterError):
    """A stoplist that is not there, cannot be read, or holds no word."""


class SettingError(ParameterError):
    """A setting of a crawl with a value that is not allowed; ``name`` says where it was set."""


class ModelError(SubjectError):
    """The file of a trained model that cannot be used.  ``subject``: the file."""

    _message = "the model {} {}"


# Processes, crawls and commands.


class WorkerError(JustextError):
    """No process can take a task, or a task raised an error that cannot be sent; the message names it."""


class WorkerCrashed(JustextError):  # noqa: N818 (crawls count errors by these names)
    """A process ended while it worked on a page.

    ``code``: its exit status, below 0 a signal's; ``step``: what the task had said that it begins;
    ``is_ready``: False where the process had not come as far as to take a task.
    """

    def __init__(self, code: int, step: object = None, *, is_ready: bool = True) -> None:
        super().__init__(code, step)
        self.code = code
        self.step = step
        self.is_ready = is_ready

    @property
    def how(self) -> str:
        """Return how the process ended, in words."""
        if self.code >= 0:
            return f"ended with exit status {self.code}"
        name = signal.Signals(-self.code).name if -self.code in set(signal.Signals) else "unknown"
        return f"was killed by signal {-self.code} ({name})"

    def __str__(self) -> str:
        return f"each process that was to extract it ended; the last {self.how}"


class PageTimeout(JustextError):  # noqa: N818
    """A page took longer than it was given.

    ``seconds``: what it was given; ``step``: what the task had said that it begins.
    """

    def __init__(self, seconds: float, step: object = None) -> None:
        super().__init__(seconds, step)
        self.seconds = seconds
        self.step = step

    def __str__(self) -> str:
        return f"takes longer than {self.seconds:g} s"


class SiteMemoryError(SubjectError):
    """A site memory that cannot be used.  ``subject``: its file or address."""

    _message = "the site memory {} {}"


class DuplicatesError(SubjectError):
    """A memory of duplicates that cannot be used.  ``subject``: its file or address."""

    _message = "the memory of duplicates {} {}"


class InspectionError(SubjectError):
    """A page that cannot be inspected, or not in the way asked for.  ``subject``: the page, as the user named it, or
    the option.
    """


class ArchiveError(SubjectError):
    """What ends a run over archives.  ``subject``: the file or option that it is about."""


# Evaluation.


class StoreError(JustextError):
    """A folder of results that cannot be used; the message says why."""


class EvaluationError(JustextError):
    """A run that cannot go on, floors that cannot be compared, pages that cannot be split; the message says why."""


class DataSetError(ParameterError):
    """A data set that is not there, or that holds no page with its gold standard."""


class ExtractorError(JustextError):
    """An extractor that cannot be used, or that gave no text for a page; the message says why."""


#: Exit status of a command that was asked for what cannot be done, as argparse has it.
BAD_INPUT = 2


# Libraries that may not be installed.


class LibraryNotInstalledError(JustextError, ModuleNotFoundError):
    """A library that is asked for is not installed.

    ``library``: its name; ``command``: what installs it; ``extra``: that of this package which brings it, None for one
    that none brings.
    """

    def __init__(self, library: str, command: str, extra: str | None = None) -> None:
        super().__init__(library, command, extra)
        self.library = library
        self.command = command
        self.extra = extra

    def __str__(self) -> str:
        source = "" if self.extra is None else f"; the extra {self.extra} of scrapy-justext brings it"
        return f"{self.library} is not installed{source}: {self.command}"


class MissingLibraryError(LibraryNotInstalledError, ExtractorError):
    """A library or program that an extractor needs is not installed.  ``library``: the extractor's name."""

    def __str__(self) -> str:
        return f"{self.library} is not installed; to install it: {self.command}"


def require(module: str, extra: str) -> ModuleType:
    """Import a module that is, or needs, a library of an ``extra`` of this package.

    Raises :class:`LibraryNotInstalledError` where the library is missing.

    >>> require("json", "evaluation").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = (error.name or module).partition(".")[0]
        raise LibraryNotInstalledError(library, f"pip install {' '.join(_packages_of(extra))}", extra) from error


def _packages_of(extra: str) -> list[str]:
    """Return what an extra of this package asks for, each quoted for a shell.

    The extra's name would not do: pip knows it only from where the package itself came, an index or a checkout.
    """
    # Loaded only where something is missing.
    from packaging.requirements import Requirement  # noqa: PLC0415

    packages = []
    for asked in map(Requirement, requires("scrapy-justext") or ()):
        if asked.marker is None or not asked.marker.evaluate({"extra": extra}):
            continue
        if asked.name == "scrapy-justext":
            packages += [package for other in sorted(asked.extras) for package in _packages_of(other)]
        else:
            packages.append(f"'{str(asked).partition(';')[0]}'")
    return packages


def import_if_installed(module: str) -> ModuleType | None:
    """Import a module that the library can do without; return None where it is not installed.

    >>> import_if_installed("no_such_module") is None
    True
    """
    try:
        return import_module(module)
    except ImportError:
        return None


def describe_error(error: Exception) -> str:
    """Return an error in words, with the file that it is about where it names one.

    >>> describe_error(OSError(27, "File too large", "/tmp/model")), describe_error(OSError(27, "File too large"))
    ('/tmp/model: File too large', 'File too large')
    """
    if not isinstance(error, OSError):
        return str(error)
    return describe_os_error(error) if error.filename is None else f"{error.filename}: {describe_os_error(error)}"


def describe_os_error(error: OSError) -> str:
    """Return what the operating system says, in words."""
    return error.strerror or str(error)


def close_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return at most three of the ``known`` names that are spelt like ``name``, the closest first.

    >>> close_names("Germn", ["English", "German", "Greek"])
    ('German',)
    >>> close_names("lenght_low", ["length_high", "length_low"])
    ('length_low',)
    """
    folded = name.casefold()
    by_folded = {candidate.casefold(): candidate for candidate in known}
    matches = difflib.get_close_matches(folded, by_folded, n=3, cutoff=0.6)
    ratios = [difflib.SequenceMatcher(None, folded, match).ratio() for match in matches]
    return tuple(
        by_folded[match] for match, ratio in zip(matches, ratios, strict=True) if ratio >= ratios[0] - _AS_CLOSE
    )


#: How much less than the closest name another one may be like it, and still be suggested.
_AS_CLOSE = 0.1
