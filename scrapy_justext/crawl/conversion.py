"""Convert settings from what people write to what the library needs.

A converter takes the value that was given and returns the value that is meant.  For a wrong value it raises
:class:`ParameterError` without a name; its caller knows where the value was set.  Strings are converted, because ``-s``
and ``-a`` give nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from configparser import ConfigParser
from math import inf
from pathlib import Path
from typing import Any

from scrapy.utils.misc import load_object

from scrapy_justext.exceptions import ParameterError, UnknownNameError, describe_os_error
from scrapy_justext.files import check_writable

Converter = Callable[[Any], Any]


def as_given(value: Any) -> Any:
    """Return a value unchanged; it is checked where it is used."""
    return value


def boolean(value: Any) -> bool:
    """Return True or False, also for a word such as "yes" or "no".

    >>> boolean("no"), boolean(1)
    (False, True)
    """
    known = ConfigParser.BOOLEAN_STATES.get(str(value).casefold())
    if known is None:
        raise ParameterError("", value, "must be True or False, yes or no")
    return known


def number(value: Any) -> Any:
    """Return the number in a string; return anything else unchanged, to be checked later.

    >>> number("70"), number("0.3"), number("seventy")
    (70, 0.3, 'seventy')
    """
    for convert in (int, float) if isinstance(value, str) else ():
        try:
            return convert(value)
        except ValueError:
            continue
    return value


def _in_range(kind: type | tuple[type, ...], is_allowed: Callable[[float], bool], allowed: str) -> Converter:
    """Return a converter for numbers."""

    def convert(value: Any) -> Any:
        converted: Any = number(value)
        is_number = isinstance(converted, kind) and not isinstance(converted, bool)
        if not is_number or not is_allowed(converted):
            raise ParameterError("", value, allowed)
        return converted

    return convert


def converted(name: str, value: Any, convert: Converter) -> Any:
    """Return a converted value; raise :class:`ParameterError` with the name for one that is not allowed."""
    try:
        return convert(value)
    except ParameterError as error:
        raise ParameterError(name, value, error.allowed) from error


port_number = _in_range(int, lambda number: 0 <= number < 1 << 16, f"must be a whole number from 0 to {(1 << 16) - 1}")
whole_number = _in_range(int, lambda count: count >= 0, "must be a whole number, 0 or more")
at_least_one = _in_range(int, lambda number: number >= 1, "must be a whole number, 1 or more")
seconds = _in_range((int, float), lambda time: 0 < time < inf, "must be a number of seconds, more than 0")
share = _in_range((int, float), lambda part: 0 <= part <= 1, "must be a number from 0 to 1")


def names(value: Any) -> list[Any]:
    """Return a list, also from ``"a, b"`` or a JSON list.

    >>> names("de, fr"), names('["de", "fr"]'), names(("de", "fr"))
    (['de', 'fr'], ['de', 'fr'], ['de', 'fr'])
    """
    if isinstance(value, str):
        value = _from_json(value) if value.lstrip().startswith("[") else value.split(",")
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ParameterError("", value, "must be a list")
    return [name.strip() if isinstance(name, str) else name for name in value]


def rules(value: Any) -> tuple[Any, ...]:
    """Return selectors or patterns, from several, from one, or from a JSON list of strings.

    >>> rules(".ad, .byline"), rules("[data-ad]"), rules('[".ad", ".byline"]')
    (('.ad, .byline',), ('[data-ad]',), ('.ad', '.byline'))
    """
    if isinstance(value, str):
        return tuple(_strings(value) or [value])
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
        raise ParameterError("", value, "must be a string or a list of strings")
    return tuple(value)


def _strings(value: str) -> list[str] | None:
    try:
        strings = json.loads(value)
    except ValueError:
        return None
    return strings if isinstance(strings, list) and all(isinstance(text, str) for text in strings) else None


def mapping(value: Any, allowed: str = "must be a mapping") -> Mapping[Any, Any]:
    """Return a mapping, also from JSON."""
    pairs = _from_json(value) if isinstance(value, str) else value
    if not isinstance(pairs, Mapping):
        raise ParameterError("", value, allowed)
    return pairs


def language(value: Any) -> Any:
    """Return a language's name or code, or a list of them; return anything else unchanged, to be checked later."""
    if not isinstance(value, str):
        return value
    return names(value) if set("[,") & set(value) else value.strip()


def stop_words(value: Any) -> Any:
    """Return words, also from a JSON list; return anything else unchanged, to be checked later.

    >>> stop_words('["the", "of"]'), stop_words("own.txt")
    (['the', 'of'], 'own.txt')
    """
    words = _strings(value) if isinstance(value, str) else None
    return value if words is None else words


def names_among(kind: str, known: Iterable[str]) -> Converter:
    """Return a converter for lists of known names."""

    def convert(value: Any) -> tuple[str, ...]:
        for name in (given := names(value)):
            if name not in known:
                raise UnknownNameError("", name, kind, known)
        return tuple(given)

    return convert


def page_types(value: Any) -> tuple[str, ...]:
    """Return types of pages, also from names with commas."""
    from scrapy_justext.core.learned.pages import PAGE_TYPES  # noqa: PLC0415 (it needs numpy)

    types: tuple[str, ...] = names_among("type of page", PAGE_TYPES)(value)
    return types


def one_of(*allowed: str) -> Converter:
    """Return a converter for a choice."""

    def convert(value: Any) -> str:
        if value not in allowed:
            raise ParameterError("", value, "must be one of " + ", ".join(allowed))
        return str(value)

    return convert


def statuses(value: Any) -> frozenset[int]:
    """Return HTTP status codes."""
    codes = [number(code) for code in ([value] if isinstance(value, int) else names(value))]
    if not all(isinstance(code, int) and 100 <= code <= 599 for code in codes):
        raise ParameterError("", value, "must be a list of HTTP status codes")
    return frozenset(codes)


def laid_over(default: Mapping[str, str | None], kind: str) -> Converter:
    """Return a converter for mappings of known names to item fields; names that are left out keep their default.

    A list of names, with commas or as JSON, stands for a mapping of each to the field of its own name.
    """

    def convert(value: Any) -> dict[str, str | None]:
        given = as_fields(value)
        for name, field in given.items():
            if name not in default:
                raise UnknownNameError("", name, kind, default)
            if field is not None:
                item_field(field)
        fields = {**default, **given}
        parts: dict[str, str] = {}
        for name, field in fields.items():
            if field is not None and parts.setdefault(field, name) != name:
                raise ParameterError("", value, f"{parts[field]!r} and {name!r} both go to the field {field!r}")
        return fields

    return convert


def as_fields(value: Any) -> Mapping[Any, Any]:
    """Return a mapping of names to item fields, also from JSON, from a list, or from names with commas.

    >>> as_fields('{"text": "body"}'), as_fields("text, title")
    ({'text': 'body'}, {'text': 'text', 'title': 'title'})
    """
    allowed = "must be a mapping to item fields, or a list"
    if isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip().startswith("{")):
        return mapping(value, allowed)
    try:
        return {name: name for name in names(value)}
    except (ParameterError, TypeError) as error:
        raise ParameterError("", value, allowed) from error


def path(value: Any) -> Path:
    """Return the path of a file that can be written."""
    if not isinstance(value, str | Path) or not str(value):
        raise ParameterError("", value, "must be the path of a file")
    file = Path(value)
    try:
        check_writable(file)
    except OSError as error:
        raise ParameterError("", value, f"must be the path of a file: {describe_os_error(error)}") from error
    return file


def item_field(value: Any) -> str:
    """Return the name of an item field."""
    if not isinstance(value, str) or not value:
        raise ParameterError("", value, "must be the name of an item field")
    return value


def classes(value: Any) -> tuple[type, ...]:
    """Return classes, also from their import paths."""
    allowed = "must be item classes or their import paths"
    try:
        loaded = tuple(load_object(path) for path in ([value] if isinstance(value, type) else names(value)))
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise ParameterError("", value, f"{allowed}: {error}") from error
    if not all(isinstance(item_class, type) for item_class in loaded):
        raise ParameterError("", value, allowed)
    return loaded


def _from_json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        raise ParameterError("", value, f"must be JSON: {error}") from error
