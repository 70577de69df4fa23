"""The command's options for the extraction: made of the table of settings, and read as settings are.

An option is the strongest of a crawl's settings: over those of the page's site, which are over the project's.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from scrapy.http import Response

from scrapy_justext.core.options import PARAMETER_NAMES
from scrapy_justext.core.parsing import decode
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.conversion import Converter, boolean, number, rules
from scrapy_justext.crawl.pages import explain_no_content
from scrapy_justext.crawl.settings import SETTINGS, Configuration, Given, Layers, configure, from_settings, make_layers
from scrapy_justext.crawl.sites import find_domain, host_of
from scrapy_justext.exceptions import InspectionError, JustextError, PageError, ParameterError, close_names
from scrapy_justext.inspection.pages import (
    STANDARD_INPUT,
    Inspected,
    Outcomes,
    describe,
    fetch,
    hush,
    page_of,
    read_page,
)
from scrapy_justext.inspection.terminal import DEFAULT_FORMAT, FORMATS, Inspection, complain, style_of, write

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
    from scrapy.settings import Settings

#: Settings that are options, too; ``--length-low`` for ``length_low``.
NAMES = ("profile", "language", "stoplist", "stoplists_dir", *PARAMETER_NAMES, "min_good_characters")

#: Where they are kept among the parsed options: Scrapy has a ``profile`` of its own.
_PREFIX = "justext_"

_SEVERAL = ("stoplist", *(name for name in PARAMETER_NAMES if SETTINGS[name].convert is rules))

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


def _add_parameters(parser: ArgumentParser) -> None:
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
        "; may be repeated" if name in PARAMETER_NAMES and name in _SEVERAL else ""
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
    return configure(layers.given(find_domain(host_of(url), layers.sites)))


# From the command line to what is printed: the pages in order, one line for each that cannot be used.

GOOD_CONTENT, NO_GOOD_CONTENT, BAD_INPUT = range(3)

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PORTS = range(1 << 16)

#: Of which one can be asked for.
_OUTPUTS = (*(name for name in FORMATS if name != DEFAULT_FORMAT), "html", "serve")

#: Options that mean something to the tuner alone.
_OF_SERVE = ("port", "marks")
_MARKS = "justext-marks.jsonl"

#: The file of a report that stands for standard output.
_STANDARD_OUTPUT = "-"


class _Job(NamedTuple):
    """What is to be done.  ``others``: the settings that ``layers`` are compared with, if any."""

    names: Sequence[str]
    layers: Layers
    others: Layers | None
    options: Namespace
    port: int


def add_options(parser: ArgumentParser) -> None:
    """Add the options for what is printed, and those for the extraction."""
    # What is short for an option today may be short for two tomorrow.
    parser.allow_abbrev = False
    # Scrapy's tells the usage before what is wrong.
    parser.error = _refuse  # type: ignore[method-assign]
    group = parser.add_argument_group("Output", "the clean text where none of these is given")
    add = group.add_argument
    add("--blocks", action="store_true", help="every block with its class, the figures behind it, and why")
    add("--compare", metavar="PROFILE", help="the classes by a second profile beside those by the first")
    add("--json", action="store_true", help="the whole extraction, an object on a line for each PAGE")
    add("--markdown", action="store_true", help="the clean text as Markdown")
    add("--html", metavar="FILE", help="write a report to look at in a browser; - for standard output")
    add("--serve", action="store_true", help="try settings in a browser, at an address on this machine alone")
    add("--port", metavar="N", help="of --serve; a free one by default")
    add(
        "--marks",
        metavar="FILE",
        help=f"where --serve keeps which blocks were marked right or wrong (default: {_MARKS})",
    )
    add("--encoding", metavar="NAME", help="of files that declare none")
    _add_parameters(parser)


def run(
    arguments: Sequence[str], options: Namespace, settings: Settings, process: CrawlerProcess | AsyncCrawlerProcess
) -> int:
    """Do what was asked for, and give the exit status."""
    if not options.loglevel and not options.logfile:
        hush()
    statuses = [BAD_INPUT]
    try:
        job = _make_job(arguments, options, settings)
        urls = [name for name in job.names if _URL.match(name)]
        if urls:
            fetch(process, urls, partial(_show, job, statuses), stay=options.serve)
        else:
            _show(job, statuses, {})
    except JustextError as error:
        complain(error)
        return BAD_INPUT
    return statuses[-1]


def _refuse(message: str) -> NoReturn:
    """What argparse and Scrapy find wrong with the command line."""
    complain(message.removeprefix("argument "))
    sys.exit(BAD_INPUT)


def _make_job(arguments: Sequence[str], options: Namespace, settings: Settings) -> _Job:
    """What the command line says, checked."""
    names = _pages_among(arguments, vars(options))
    asked = [option(name) for name in _OUTPUTS if getattr(options, name)]
    if len(asked) > 1:
        raise InspectionError(asked[0], f"not together with {asked[1]}")
    _check_options(names, options)
    layers = make_layers(from_settings(settings), chosen(options))
    others = None if options.compare is None else with_profile(layers, options.compare)
    # Before a page is fetched, settings that cannot be right are told.
    for one in filter(None, (layers, others)):
        configuration_for(one, None)
    return _Job(names, layers, others, options, _port(options.port))


def _check_options(names: Sequence[str], options: Namespace) -> None:
    """What is wrong with options whatever the pages hold."""
    for name in _OF_SERVE:
        if getattr(options, name) is not None and not options.serve:
            raise InspectionError(option(name), "only with --serve")
    try:
        decode(b"", options.encoding)
    except PageError as error:
        raise ParameterError("--encoding", options.encoding, "unknown encoding") from error
    if options.html is not None and any(_is_same(name, options.html) for name in names):
        raise InspectionError("--html", f"{options.html} is a PAGE, which the report would replace")


def _is_same(name: str, path: str) -> bool:
    """Whether a PAGE is the file at a path."""
    try:
        return STANDARD_INPUT not in (name, path) and Path(name).samefile(path)
    except (OSError, ValueError):
        return False


def _port(given: str | None) -> int:
    if given is None:
        return 0
    port = number(given)
    if port not in _PORTS:
        raise ParameterError("--port", given, f"must be a whole number from 0 to {_PORTS[-1]}")
    return int(port)


def _pages_among(arguments: Sequence[str], known: Mapping[str, object]) -> list[str]:
    """The PAGEs among what the parser left over: all but options that there are not."""
    mark = arguments.index("--") if "--" in arguments else len(arguments)
    for one in arguments[:mark]:
        if one.startswith("-") and one != "-":
            spelt = [option(name.removeprefix("justext_")) for name in known]
            close = close_names(one.partition("=")[0], spelt)
            raise InspectionError(one, "no such option" + (f"; did you mean {' or '.join(close)}?" if close else ""))
    pages = [*arguments[:mark], *arguments[mark + 1 :]]
    if not pages:
        raise InspectionError("PAGE", "none given; scrapy justext -h tells more")
    if "" in pages:
        raise InspectionError("PAGE", "the name is empty")
    return pages


def _show(job: _Job, statuses: list[int], outcomes: Outcomes) -> bool:
    """Show the pages, and note the exit status; whether they are being served from now on."""
    pages = list(_usable(job, outcomes))
    statuses.append(GOOD_CONTENT if len(pages) == len(job.names) else BAD_INPUT)
    if not pages:
        return False
    if job.options.serve:
        from scrapy_justext.inspection.tuner.server import serve  # noqa: PLC0415 (Twisted's web server is for it alone)

        serve(pages, job.layers, port=job.port, marks=Path(job.options.marks or _MARKS), announce=write)
        return True
    if job.options.html is not None:
        _write_report(pages, job.options.html)
    if not _print(job, pages) and statuses[-1] == GOOD_CONTENT:
        statuses.append(NO_GOOD_CONTENT)
    return False


def _usable(job: _Job, outcomes: Outcomes) -> list[Inspected]:
    pages = []
    for name in job.names:
        try:
            pages.append(_inspect(job, name, outcomes))
        except JustextError as error:
            complain(error)
    return pages


def _inspect(job: _Job, name: str, outcomes: Outcomes) -> Inspected:
    if not _URL.match(name):
        return read_page(name, configuration_for(job.layers, None), job.options.encoding)
    outcome = outcomes.get(name)
    if not isinstance(outcome, Response):
        raise InspectionError(name, describe(outcome))
    return page_of(name, outcome, configuration_for(job.layers, outcome.url))


def _write_report(pages: Sequence[Inspected], path: str) -> None:
    from scrapy_justext.inspection.report import report_on, write_report  # noqa: PLC0415 (the rest needs none of it)

    if path == _STANDARD_OUTPUT:
        write(report_on(pages), "utf-8")
        return
    try:
        write_report(pages, Path(path))
    except OSError as error:
        raise InspectionError(path, f"cannot be written: {error.strerror}") from error


def _print(job: _Job, pages: Sequence[Inspected]) -> bool:
    """Print what was asked for of each page; whether any has good content."""
    style = style_of(sys.stdout, os.environ)
    chosen_format = next((name for name in FORMATS if getattr(job.options, name, None)), DEFAULT_FORMAT)
    any_good = False
    for place, page in enumerate(pages):
        inspection = _inspection(job, page)
        if job.options.html is None:
            text = FORMATS[chosen_format](inspection, style)
            write(_with_header(text, page.name, place, len(job.names), is_data=chosen_format == "json"))
        if inspection.extraction.good_characters >= page.configuration.min_good_characters:
            any_good = True
        else:
            complain(InspectionError(page.name, explain_no_content(inspection.extraction, page.configuration)))
    return any_good


def _inspection(job: _Job, page: Inspected) -> Inspection:
    other = None
    if job.others is not None:
        options = configuration_for(job.others, page.url).options
        other = Inspection(page, options, page.extract(options))
    options = page.configuration.options
    if job.options.markdown:
        options = replace(options, markdown=True)
    return Inspection(page, options, page.extract(options), other)


def _with_header(text: str, name: str, place: int, of: int, *, is_data: bool) -> str:
    if of == 1 or is_data:
        return text
    return ("\n" if place else "") + f"==> {name} <==\n{text}"
