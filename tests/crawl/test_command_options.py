"""Settings as options of the two commands."""

import re
from argparse import ArgumentParser
from collections.abc import Callable

import pytest
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.settings import Settings

from scrapy_justext.archives.command import Command as ArchiveCommand
from scrapy_justext.core.overrides import RULE_NAMES
from scrapy_justext.crawl.commands import NAMES, chosen_settings, option
from scrapy_justext.inspection.command import Command as InspectionCommand

COMMANDS: dict[str, tuple[Callable[[], ScrapyCommand], str]] = {
    "justext": (InspectionCommand, "Output"),
    "justext-archive": (ArchiveCommand, "Archives"),
}


def parser_of(make: Callable[[], ScrapyCommand]) -> ArgumentParser:
    """Return the parser of a command, as Scrapy makes it."""
    command = make()
    command.settings = Settings()
    parser = ArgumentParser(formatter_class=ScrapyHelpFormatter, conflict_handler="resolve", description="About it.")
    command.add_options(parser)
    return parser


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_headings_where_they_belong_at_any_width(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, own = COMMANDS[name]
    parser = parser_of(make)
    for columns in range(40, 161, 8):
        monkeypatch.setenv("COLUMNS", str(columns))
        headings = re.findall(r"^(.*)\n[=-]+$", parser.format_help(), re.MULTILINE)
        assert headings == ["Usage", "Options", "Global Options", own, "Judging"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_setting_that_decides_is_an_option(name: str) -> None:
    parser = parser_of(COMMANDS[name][0])
    values = {setting: f"of {setting}" for setting in NAMES if setting != "stoplist"}
    options, rest = parser.parse_known_args([f"{option(setting)}={value}" for setting, value in values.items()])
    assert rest == []
    # Scrapy writes what it measured of a command's time to this file.
    assert options.profile is None
    chosen = {setting: given.value for setting, given in chosen_settings(options).items()}
    assert chosen == {setting: [value] if setting in RULE_NAMES else value for setting, value in values.items()}
