"""Errors: one base, their causes as attributes, messages in one line, pickles."""

import pickle

import pytest

from scrapy_justext import exceptions
from scrapy_justext.exceptions import (
    JustextError,
    LibraryNotInstalledError,
    PageError,
    ParameterError,
    StoplistError,
    UnknownNameError,
    close_names,
    require,
)

LANGUAGES = ["English", "Estonian", "French", "Georgian", "German", "Greek"]


@pytest.mark.parametrize(
    "name", [name for name, value in vars(exceptions).items() if isinstance(value, type) and name.endswith("Error")]
)
def test_all_have_one_base(name: str) -> None:
    assert issubclass(getattr(exceptions, name), JustextError)


@pytest.mark.parametrize("error", [ParameterError, StoplistError, UnknownNameError])
def test_wrong_parameters_are_value_errors_too(error: type) -> None:
    assert issubclass(error, ValueError)


def test_a_parameter_error_names_parameter_value_and_range() -> None:
    error = ParameterError("length_low", -1, "must be 0 or more")
    assert str(error) == "length_low = -1: must be 0 or more"
    assert (error.name, error.value, error.allowed) == ("length_low", -1, "must be 0 or more")
    words = [f"word{number}" for number in range(5000)]
    message = str(ParameterError("stoplist", words, "must be a path"))
    assert message.startswith("stoplist = ['word0', 'word1', ")
    assert message.endswith(" …: must be a path")
    assert len(message) < 400


def test_an_unknown_name_s_message_suggests_close_ones_or_lists_the_known() -> None:
    error = UnknownNameError("language", "Germn", "language", LANGUAGES)
    assert error.suggestions[0] == "German"
    assert error.known == tuple(LANGUAGES)
    assert str(error) == "language = 'Germn': unknown language; did you mean German?"
    error = UnknownNameError("profile", "xyz", "profile", ["one", "two"])
    assert str(error) == "profile = 'xyz': unknown profile; known are one, two"
    assert error.suggestions == ()
    assert len(close_names("item", [f"item{i}" for i in range(9)])) == 3


@pytest.mark.parametrize(("count", "tail"), [(12, "n11"), (13, "n11 and 1 more"), (100, "n11 and 88 more")])
def test_it_lists_twelve_at_the_most(count: int, tail: str) -> None:
    error = UnknownNameError("profile", "xyz", "profile", [f"n{i}" for i in range(count)])
    assert str(error).endswith(f", {tail}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("german", ("German",)), ("GERMAN", ("German",)), ("Germn", ("German",)), ("French", ("French",)),
        ("Klingon", ()), ("", ()),
    ],
)  # fmt: skip
def test_close_names_are_the_closest_first(name: str, expected: tuple[str, ...]) -> None:
    assert close_names(name, LANGUAGES)[: len(expected) or None] == expected


@pytest.mark.parametrize(
    "error",
    [
        JustextError("one"),
        PageError("one"),
        ParameterError("length_low", -1, "must be 0 or more"),
        StoplistError("stoplist", "x.txt", "holds no word"),
        UnknownNameError("language", "Germn", "language", LANGUAGES),
    ],
    ids=lambda error: type(error).__name__,
)
def test_they_pickle(error: JustextError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("extra", "packages"),
    [
        ("redis", ["redis>=5.0"]),
        ("nemo-curator", ["lxml-html-clean>=0.4"]),
        # With what it takes over from another extra.
        ("ray", ["ray[data]>=2.49", "fastwarc>=2.0"]),
    ],
)
def test_a_missing_library_s_message_names_all_packages_of_its_extra(extra: str, packages: list[str]) -> None:
    """The extra alone cannot be installed by its name before a release, nor from an index that has none."""
    with pytest.raises(LibraryNotInstalledError) as caught:
        require("no_such_library.part", extra)
    message, _, command = str(caught.value).partition(": pip install ")
    assert message == f"no_such_library is not installed; the extra {extra} of scrapy-justext brings it"
    assert {f"'{package}'" for package in packages} <= set(command.split())
    assert ";" not in command
    assert "scrapy-justext" not in command
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
