"""Fill the tables of the documentation that the code has all facts of: ``python docs/reference.py``.

Each stands between two comments, which name it; a test compares the pages with the code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.core.parts import PARTS
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.tags import KINDS
from scrapy_justext.crawl.settings import (
    DEFAULT_BLOCK_FIELDS,
    DEFAULT_FIELDS,
    OF_CRAWLS,
    PARTS_OF_DUPLICATES,
    PREFIX,
    SETTINGS,
    literal,
)
from scrapy_justext.tables import type_of_part

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent

MAX_BODY_BYTES: Any = SETTINGS["max_body_bytes"].default
#: Defaults that are shorter in words.
_IN_WORDS = {
    "block_fields": f"all but {', '.join(f'`{name}`' for name in BLOCK_FIELDS if name not in DEFAULT_BLOCK_FIELDS)}",
    "fields": ", ".join(
        f"`{name}`" for name, field in DEFAULT_FIELDS.items() if field and name not in PARTS_OF_DUPLICATES
    ),
    "max_body_bytes": f"`{MAX_BODY_BYTES}` ({MAX_BODY_BYTES >> 20} MiB)",
}


def settings() -> str:
    """Return the table of all settings."""
    rows = (
        f"| `{PREFIX}{name.upper()}` | {_default(name)} | {_local(setting.meaning)} |"
        for name, setting in SETTINGS.items()
    )
    return "\n".join(["| setting | default | meaning |", "| --- | --- | --- |", *rows])


def settings_of_crawls() -> str:
    """Return the names of the settings that no site and no request can have for itself."""
    return ", ".join(f"`{PREFIX}{name.upper()}`" for name in SETTINGS if name in OF_CRAWLS)


def kinds() -> str:
    """Return the table of the kinds of blocks."""
    rows = (f"| `{name}` | {kind.meaning} |" for name, kind in KINDS.items())
    return "\n".join(["| `kind` | what it is |", "| --- | --- |", *rows])


def fields() -> str:
    """Return the table of the parts of extractions."""
    head = ["| part | in items | in rows | in Parquet | meaning |", "| --- | --- | --- | --- | --- |"]
    rows = (
        f"| `{name}` | {_is_in(part.in_items)} | {'no' if part.of_crawls else _is_in(part.in_rows)} | "
        f"{_type_name(type_of_part(name))} | {_local(part.meaning)} |"
        for name, part in PARTS.items()
    )
    return "\n".join([*head, *rows])


def _is_in(by_default: bool) -> str:
    return "yes" if by_default else "if asked for"


def _type_name(kind: Any) -> str:
    inner = getattr(kind, "value_type", None)
    return str(kind) if inner is None else f"list<{'struct' if inner.num_fields else inner}>"


def _local(text: str) -> str:
    """Return a text whose links are those of README as it stands on a page of the documentation."""
    return text.replace("](docs/", "](")


def _default(name: str) -> str:
    if name in PARAMETERS:
        return _default_of_profiles(name)
    default = SETTINGS[name].default
    return _IN_WORDS.get(name) or _code(default)


def _default_of_profiles(name: str) -> str:
    """Return the default of a parameter, then those of the profiles that have another."""
    usual = PARAMETERS[name].default
    others = defaultdict(list)
    for profile in PROFILES.values():
        if not profile.chooses and name in profile.parameters and (own := getattr(profile.thresholds, name)) != usual:
            others[own].append(f"`{profile.name}`")
    return "; ".join([_code(usual), *(f"{_code(own)} in {' and '.join(names)}" for own, names in others.items())])


def _code(value: object) -> str:
    """Return a default as it can be written in settings."""
    if isinstance(value, Mapping):
        value = dict(value)
    return "`[]`" if value in ((), frozenset()) else f"`{literal(value)}`"


def languages() -> str:
    """Return the languages that have a stoplist, with their codes."""
    named = (f"{language.name.replace('_', ' ')}\xa0(`{language.code}`)" for language in find_library().languages)
    return "\n".join(wrap(", ".join(named), 126, break_on_hyphens=False)).replace("\xa0", " ")


TABLES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "fields.md": {"fields": fields},
    "kinds.md": {"kinds": kinds},
    "languages.md": {"languages": languages},
    "settings.md": {"settings": settings, "settings of crawls": settings_of_crawls},
}


def fill(text: str, name: str, table: str) -> str:
    """Return a page with a table put in; raise ValueError where it has no place for it."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    before, beginning, rest = text.partition(start)
    _, ending, after = rest.partition(end)
    if not (beginning and ending):
        raise ValueError(f"no place for {name}")
    return before + start + table + end + after


def pages() -> dict[Path, str]:
    """Return the pages that have such tables, with what they are to hold."""
    made = {}
    for page, tables in TABLES.items():
        path = FOLDER / page
        made[path] = path.read_text("utf-8")
        for name, table in tables.items():
            made[path] = fill(made[path], name, table())
    return made


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
