"""The texts in a script of JSON-LD, by the vocabulary of schema.org.

Scripts are read as browsers' users write them: wrapped in comments or CDATA, with something behind the JSON.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from scrapy_justext.core.units import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: The properties of schema.org that hold a thing's text; of one object, the first that is there.
PROPERTIES = ("articleBody", "text", "reviewBody", "description")
#: Names may stand with their vocabulary before them.
VOCABULARIES = ("", "schema:", "http://schema.org/", "https://schema.org/")
#: Things that a page is not about, without case.
PASSED_OVER = frozenset(
    [
        "airline",
        "brand",
        "breadcrumblist",
        "consortium",
        "corporation",
        "imageobject",
        "ngo",
        "onlinebusiness",
        "onlinestore",
        "person",
        "searchaction",
        "website",
    ]
)
#: How the names of most kinds of organizations end.
PASSED_OVER_END = "organization"

#: Units; a shorter text says nothing.
LEAST = 60
#: Characters of a script that are read; longer ones are cut there.
MOST_READ = 1 << 22

_OPENING = re.compile(r"(?:[\s\ufeff]|//|/\*|\*/|<!\[CDATA\[|<!--)*", re.IGNORECASE)
_LANGUAGE = re.compile(r"@none|[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


def json_ld_texts(script: str, languages: Sequence[str] = ()) -> Iterator[str]:
    """The texts in a script of JSON-LD, in order.

    ``languages``: tags; of a text in several languages, one in these is taken, else the first.

    >>> list(json_ld_texts('{"@graph": [{"@type": "Product", "description": "%s"}]}' % ("A lamp. " * 10)))[0][:14]
    'A lamp. A lamp'
    """
    script = script[:MOST_READ]
    start = _OPENING.match(script)
    try:
        # What is behind the JSON ends what wraps it.
        value, _ = json.JSONDecoder(strict=False).raw_decode(script, start.end() if start else 0)
    except (ValueError, RecursionError):
        return
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, dict) and not _is_passed_over(value.get("@type")):
            yield from _texts_of(value, languages)
            waiting.extend(reversed([one for one in value.values() if isinstance(one, dict | list)]))


def _is_passed_over(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    names = [re.split("[/#:]", one)[-1].lower() for one in kinds if isinstance(one, str)]
    return any(name in PASSED_OVER or name.endswith(PASSED_OVER_END) for name in names)


def _texts_of(thing: Mapping[str, object], languages: Sequence[str]) -> list[str]:
    """The first of a thing's texts that is long enough, in its parts."""
    for name in PROPERTIES:
        for vocabulary in VOCABULARIES:
            parts = _in_one_language(list(_parts(thing.get(vocabulary + name))), languages)
            if sum(map(units, parts)) >= LEAST:
                return parts
    return []


def _parts(value: object) -> Iterator[tuple[str, str]]:
    """The strings of a property's value, each with its language, which may be empty."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield "", one
        elif isinstance(one, dict) and isinstance(text := one.get("@value"), str):
            yield str(one.get("@language") or ""), text
        elif isinstance(one, dict) and all(map(_LANGUAGE.fullmatch, one)):
            for language, texts in one.items():
                yield from ((language, text) for text in _strings(texts))


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _in_one_language(parts: Sequence[tuple[str, str]], languages: Sequence[str]) -> list[str]:
    there = dict.fromkeys(_primary(language) for language, _ in parts if language)
    chosen = next((one for one in map(_primary, languages) if one in there), next(iter(there), ""))
    return [text for language, text in parts if not language or _primary(language) == chosen]


def _primary(tag: str) -> str:
    return re.split("[-_]", tag.strip().lower())[0]
