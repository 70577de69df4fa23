"""From the command line to what is printed: the pages in order, one line for each that cannot be used."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.http import Response

from scrapy_justext.conversion import number
from scrapy_justext.exceptions import InspectionError, JustextError, ParameterError, close_names
from scrapy_justext.explanations import explain_no_content
from scrapy_justext.inspection import options as judging
from scrapy_justext.inspection.fetching import Outcomes, describe, fetch, hush
from scrapy_justext.inspection.options import chosen, configuration_for, with_profile
from scrapy_justext.inspection.pages import Inspected, page_of, read_page
from scrapy_justext.inspection.terminal.output import DEFAULT_FORMAT, FORMATS, Looked
from scrapy_justext.inspection.terminal.style import style_of
from scrapy_justext.settings import Layers, from_settings, make_layers

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
    from scrapy.settings import Settings

GOOD_CONTENT, NO_GOOD_CONTENT, BAD_INPUT = range(3)

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PORTS = range(1 << 16)

#: Of which one can be asked for.
_OUTPUTS = (*(name for name in FORMATS if name != DEFAULT_FORMAT), "html", "serve")


class _Job(NamedTuple):
    """What is to be done.  ``others``: the settings that ``layers`` are compared with, if any."""

    names: Sequence[str]
    layers: Layers
    others: Layers | None
    options: Namespace
    port: int


def add_options(parser: ArgumentParser) -> None:
    """Add what can be asked for."""
    # What is short for an option today may be short for two tomorrow.
    parser.allow_abbrev = False
    group = parser.add_argument_group("Output", "the clean text where none of these is given")
    add = group.add_argument
    add("--blocks", action="store_true", help="every block with its class, the figures behind it, and why")
    add("--compare", metavar="PROFILE", help="the classes by a second profile beside those by the first")
    add("--json", action="store_true", help="the whole extraction, an object on a line for each PAGE")
    add("--markdown", action="store_true", help="the clean text as Markdown")
    add("--html", metavar="FILE", help="write a report to look at in a browser")
    add("--serve", action="store_true", help="try settings in a browser, at an address on this machine alone")
    add("--port", metavar="N", default="0", help="of --serve; a free one by default")
    add(
        "--marks",
        metavar="FILE",
        default="justext-marks.jsonl",
        help="where --serve keeps which blocks were marked right or wrong (default: %(default)s)",
    )
    add("--encoding", metavar="NAME", help="of files that declare none")
    judging.add_options(parser)


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
        _complain(error)
        return BAD_INPUT
    return statuses[-1]


def _make_job(arguments: Sequence[str], options: Namespace, settings: Settings) -> _Job:
    """What the command line says, checked."""
    names = _pages_among(arguments, vars(options))
    asked = [judging.option(name) for name in _OUTPUTS if getattr(options, name)]
    if len(asked) > 1:
        raise InspectionError(asked[0], f"not together with {asked[1]}")
    layers = make_layers(from_settings(settings), chosen(options))
    others = None if options.compare is None else with_profile(layers, options.compare)
    # Before a page is fetched, settings that cannot be right are told.
    for one in filter(None, (layers, others)):
        configuration_for(one, None)
    port = number(options.port)
    if port not in _PORTS:
        raise ParameterError("--port", options.port, f"must be a whole number from 0 to {_PORTS[-1]}")
    return _Job(names, layers, others, options, port)


def _pages_among(arguments: Sequence[str], known: Mapping[str, object]) -> list[str]:
    """The PAGEs among what the parser left over: all but options that there are not."""
    mark = arguments.index("--") if "--" in arguments else len(arguments)
    for one in arguments[:mark]:
        if one.startswith("-") and one != "-":
            spelt = [judging.option(name.removeprefix("justext_")) for name in known]
            close = close_names(one.partition("=")[0], spelt)
            raise InspectionError(one, "no such option" + (f"; did you mean {' or '.join(close)}?" if close else ""))
    pages = [*arguments[:mark], *arguments[mark + 1 :]]
    if not pages:
        raise InspectionError("PAGE", "none given; scrapy justext -h tells more")
    return pages


def _show(job: _Job, statuses: list[int], outcomes: Outcomes) -> bool:
    """Show the pages, and note the exit status; whether they are being served from now on."""
    pages = list(_usable(job, outcomes))
    statuses.append(GOOD_CONTENT if len(pages) == len(job.names) else BAD_INPUT)
    if not pages:
        return False
    if job.options.serve:
        from scrapy_justext.inspection.tuner import serve  # noqa: PLC0415 (Twisted's web server is for it alone)

        serve(pages, job.layers, port=job.port, marks=Path(job.options.marks), announce=_write)
        return True
    if job.options.html is not None:
        _write_report(pages, Path(job.options.html))
    if not _print(job, pages) and statuses[-1] == GOOD_CONTENT:
        statuses.append(NO_GOOD_CONTENT)
    return False


def _usable(job: _Job, outcomes: Outcomes) -> list[Inspected]:
    pages = []
    for name in job.names:
        try:
            pages.append(_inspect(job, name, outcomes))
        except JustextError as error:
            _complain(error)
    return pages


def _inspect(job: _Job, name: str, outcomes: Outcomes) -> Inspected:
    if not _URL.match(name):
        return read_page(name, configuration_for(job.layers, None), job.options.encoding)
    outcome = outcomes.get(name)
    if not isinstance(outcome, Response):
        raise InspectionError(name, describe(outcome))
    return page_of(name, outcome, configuration_for(job.layers, outcome.url))


def _write_report(pages: Sequence[Inspected], path: Path) -> None:
    from scrapy_justext.inspection.report import write_report  # noqa: PLC0415 (what is printed needs none of it)

    try:
        write_report(pages, path)
    except OSError as error:
        raise InspectionError(str(path), f"cannot be written: {error.strerror}") from error


def _print(job: _Job, pages: Sequence[Inspected]) -> bool:
    """Print what was asked for of each page; whether any has good content."""
    style = style_of(sys.stdout, os.environ)
    chosen_format = next((name for name in FORMATS if getattr(job.options, name, None)), DEFAULT_FORMAT)
    any_good = False
    for place, page in enumerate(pages):
        looked = _look(job, page)
        if job.options.html is None:
            text = FORMATS[chosen_format](looked, style)
            _write(_with_header(text, page.name, place, len(job.names), is_data=chosen_format == "json"))
        if looked.extraction.good_characters >= page.configuration.min_good_characters:
            any_good = True
        else:
            _complain(InspectionError(page.name, explain_no_content(looked.extraction, page.configuration)))
    return any_good


def _look(job: _Job, page: Inspected) -> Looked:
    others = None if job.others is None else configuration_for(job.others, page.url).options
    options = page.configuration.options
    if job.options.markdown:
        options = replace(options, markdown=True)
    return Looked(page, options, page.extract(options), others)


def _with_header(text: str, name: str, place: int, of: int, *, is_data: bool) -> str:
    if of == 1 or is_data:
        return text
    return ("\n" if place else "") + f"==> {name} <==\n{text}"


def _write(text: str) -> None:
    """Print, whatever the encoding of standard output lacks; quietly when nobody reads any more."""
    if not text:
        return
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python writes what is left at its end, and would complain then.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(error: JustextError) -> None:
    print("justext:", " ".join(str(error).split()), file=sys.stderr, flush=True)
