"""Settings as options of commands: what a project sets, its user may set otherwise for one run.

Every setting that decides about blocks or Markdown is an option of ``scrapy justext`` and ``scrapy justext-archive``,
made from the table of settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyHelpFormatter

from scrapy_justext.core.markdown.tables import TABLES
from scrapy_justext.core.options import PARAMETER_NAMES
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.conversion import Converter, as_given, boolean, number, rules
from scrapy_justext.crawl.settings import SETTINGS, Given

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

#: Settings that are options, too.
NAMES = (
    *("profile", "language", "stoplist", "stoplists_dir"),
    *PARAMETER_NAMES,
    *("min_good_characters", "min_confidence", "markdown_tables"),
)
_REPEATABLE = ("stoplist", *(name for name in PARAMETER_NAMES if SETTINGS[name].convert is rules))

#: The prefix of their names among the parsed options: Scrapy has a ``profile`` of its own.
DEST_PREFIX = "justext_"

#: The names of values in the help, by the converter and by the setting.
_METAVARS: Mapping[Converter, str] = {boolean: "YES|NO", number: "N", rules: "RULE", as_given: "WAY"}
_OWN_METAVARS: Mapping[str, str] = {
    "profile": "NAME",
    "language": "LANGUAGE",
    "stoplist": "FILE",
    "stoplists_dir": "FOLDER",
    "min_good_characters": "N",
    "min_confidence": "N",
    "markdown_tables": "|".join(TABLES),
}

#: Meanings of options that differ from those of their settings.
_MEANINGS: Mapping[str, str] = {
    "profile": f"one of {', '.join(PROFILES)}",
    "language": "a name, in English or its own, or ISO 639 code; several with commas: one of them for each page; "
    "none: no stop words",
    "stoplist": "stop words in place of the language's",
    "markdown_tables": "tables in Markdown whose cells hold blocks or reach over others",
}


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's own, which takes each line that ends in a colon for a heading: no other line ends in one here."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [f"{line} " if line.endswith(":") else line for line in super()._split_lines(text, width)]


def option(name: str) -> str:
    """Return how a setting is spelt on the command line.

    >>> option("length_low")
    '--length-low'
    """
    return "--" + name.replace("_", "-")


def add_setting_options(parser: ArgumentParser) -> None:
    """Add an option for each setting that decides about blocks; Scrapy's own ``--profile`` makes way for ours."""
    parser.formatter_class = HelpFormatter
    # An abbreviation that fits one option today may fit two tomorrow.
    parser.allow_abbrev = False
    judging = "defaults are the project's settings, and those of the page's site"
    add = parser.add_argument_group("Judging", judging).add_argument
    for name in NAMES:
        is_repeatable = name in _REPEATABLE
        meaning = (_MEANINGS.get(name) or SETTINGS[name].meaning).replace("`", "").replace("%", "%%")
        add(
            option(name),
            dest=DEST_PREFIX + name,
            action="append" if is_repeatable else "store",
            metavar=_OWN_METAVARS.get(name) or _METAVARS[SETTINGS[name].convert],
            help=meaning + ("; may be repeated" if is_repeatable else ""),
        )
    # Scrapy times a command where this is set.
    parser.set_defaults(profile=None)


def chosen_settings(arguments: Namespace) -> dict[str, Given]:
    """Return the settings that were given as options."""
    given = {dest: value for dest, value in vars(arguments).items() if dest.startswith(DEST_PREFIX)}
    values = {dest.removeprefix(DEST_PREFIX): value for dest, value in given.items() if value is not None}
    if "stoplist" in values:
        values["stoplist"] = [Path(path) for path in values["stoplist"]]
    return {name: Given(value, option(name)) for name, value in values.items()}
