"""The command's options for the extraction: made of the table of settings, and read as settings are.

An option is the strongest of a crawl's settings: over those of the page's site, which are over the project's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy_justext.conversion import Converter, boolean, number, rules
from scrapy_justext.options import KNOBS
from scrapy_justext.profiles import PROFILES
from scrapy_justext.settings import SETTINGS, Configuration, Given, Layers, configure
from scrapy_justext.sites import find_domain

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

#: Settings that are options, too; ``--length-low`` for ``length_low``.
NAMES = ("profile", "language", "stoplist", "stoplists_dir", *KNOBS, "min_good_characters")

#: Where they are kept among the parsed options: Scrapy has a ``profile`` of its own.
_PREFIX = "justext_"

_SEVERAL = ("stoplist", *(name for name in KNOBS if SETTINGS[name].convert is rules))

#: What stands for a value in the help, by how it is converted, and by name.
_METAVARS: Mapping[Converter, str] = {boolean: "YES|NO", number: "N", rules: "RULE"}
_OWN_METAVARS: Mapping[str, str] = {
    "profile": "NAME",
    "language": "LANGUAGE",
    "stoplist": "FILE",
    "stoplists_dir": "FOLDER",
    "min_good_characters": "N",
}

_MEANINGS: Mapping[str, str] = {
    "profile": f"one of {', '.join(PROFILES)}",
    "language": "an English name or ISO 639 code; several with commas: the page's language is chosen among these",
    "stoplist": "stop words in place of the language's; may be repeated",
}


def option(name: str) -> str:
    """How a setting is spelt on the command line.

    >>> option("length_low")
    '--length-low'
    """
    return "--" + name.replace("_", "-")


def add_options(parser: ArgumentParser) -> None:
    """Add an option for each of the settings."""
    group = parser.add_argument_group("Judging", "defaults are the project's settings, and those of the page's site")
    for name in NAMES:
        group.add_argument(
            option(name),
            dest=_PREFIX + name,
            action="append" if name in _SEVERAL else "store",
            metavar=_OWN_METAVARS.get(name) or _METAVARS[SETTINGS[name].convert],
            help=_help(name),
        )
    # Scrapy's own --profile, of the program's running time, made way.
    parser.set_defaults(profile=None)


def _help(name: str) -> str:
    meaning = _MEANINGS.get(name) or SETTINGS[name].meaning
    return meaning.replace("`", "").replace("%", "%%") + (
        "; may be repeated" if name in KNOBS and name in _SEVERAL else ""
    )


def chosen(options: Namespace) -> dict[str, Given]:
    """What the user gave."""
    values = {name: getattr(options, _PREFIX + name) for name in NAMES}
    if values["stoplist"] is not None:
        values["stoplist"] = [Path(path) for path in values["stoplist"]]
    return {name: Given(value, option(name)) for name, value in values.items() if value is not None}


def with_profile(layers: Layers, name: str) -> Layers:
    """The same settings, but the profile."""
    return Layers(layers.project, layers.sites, {**layers.spider, "profile": Given(name, "--compare")})


def configuration_for(layers: Layers, url: str | None) -> Configuration:
    """What holds for a page; without a URL, one of no site."""
    host = None if url is None else urlsplit(url).hostname
    return configure(layers.given(find_domain(host, layers.sites)))
