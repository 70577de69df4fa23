"""``scrapy justext`` from its command line to what it prints.

Options override the settings of the page's site, and these override the project's.

Pages are shown in the order in which they were given.  A page that cannot be used is one line on standard error; the
others are shown all the same.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from scrapy.http import Response

from scrapy_justext import core
from scrapy_justext.core.corpora import CORPUS_FORMATS
from scrapy_justext.core.encodings import check_encoding
from scrapy_justext.core.parsing import LXML
from scrapy_justext.core.parts import DOCUMENTS
from scrapy_justext.core.reading.loading import compiled, compiled_modules
from scrapy_justext.core.tags import KINDS
from scrapy_justext.crawl.commands import (
    DEST_PREFIX,
    add_setting_options,
    chosen_settings,
    complain,
    on_one_line,
    option,
)
from scrapy_justext.crawl.conversion import converted, port_number
from scrapy_justext.crawl.pages import explain_no_content, is_good
from scrapy_justext.crawl.settings import Configuration, Given, Layers, configure, from_settings, make_layers
from scrapy_justext.exceptions import (
    BAD_INPUT,
    InspectionError,
    JustextError,
    PageError,
    ParameterError,
    UnknownNameError,
    close_names,
)
from scrapy_justext.files import explaining, write_whole
from scrapy_justext.inspection.pages import (
    STANDARD_INPUT,
    InspectedPage,
    Outcomes,
    describe_fetch_error,
    fetch,
    page_of,
    read_page,
)
from scrapy_justext.inspection.terminal import Style, compare, compare_all, list_blocks, show, style_of, write

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
    from scrapy.settings import Settings

    from scrapy_justext.inspection.pages import Inspection

#: Exit statuses beside :data:`~scrapy_justext.exceptions.BAD_INPUT`.
GOOD_CONTENT, NO_GOOD_CONTENT = range(2)

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)

#: Loggers of pages that could not be fetched, which the command itself names.
_LOGGERS = ("scrapy.downloadermiddlewares.retry", "scrapy.downloadermiddlewares.robotstxt")

#: What can be asked for in place of the clean text, one of them at a time.
_OUTPUTS = ("blocks", "compare", "json", "markdown", "as", "html", "serve")

#: What --as may ask for.
_FORMATS = ("text", *DOCUMENTS, *CORPUS_FORMATS)

#: Options of the tuner alone.
_SERVE_OPTIONS = ("port", "marks")
_MARKS = "justext-marks.jsonl"

#: The file of a report that stands for standard output.
_STANDARD_OUTPUT = "-"


def add_options(parser: ArgumentParser) -> None:
    """Add the command's options to those of Scrapy."""
    # Scrapy's own method prints the usage before the error.
    parser.error = _refuse  # type: ignore[method-assign]
    add = parser.add_argument_group("Output", "the clean text where none of these is given").add_argument
    add("--blocks", action="store_true", help="every block with its class, the measurements behind it, and why")
    kinds = f"list the blocks of these kinds alone, with commas between: {', '.join(map(_as_word, KINDS))}"
    add("--kind", metavar="KIND", help=kinds)
    add("--compare", metavar="PROFILE", help="the classes by a second profile beside those by the first")
    add("--json", action="store_true", help="the whole extraction, an object on a line for each PAGE")
    add("--markdown", action="store_true", help="the clean text as Markdown")
    add("--as", metavar="FORMAT", help=f"the clean text as {', '.join(_FORMATS)}")
    add("--html", metavar="FILE", help="write a report to look at in a browser; - for standard output")
    add("--serve", action="store_true", help="try settings in a browser, at an address on this machine alone")
    add("--port", metavar="N", help="of --serve; a free one by default")
    marks = f"where --serve keeps which blocks were marked right or wrong (default: {_MARKS})"
    add("--marks", metavar="FILE", help=marks)
    add("--encoding", metavar="NAME", help="of files that declare none")
    version = f"scrapy-justext {core.__version__}, {compiled().name} reader ({compiled().reason})"
    modules = f"compiled modules: {', '.join(compiled_modules()) or 'none'}"
    add("--version", action="version", version=f"{version}; {modules}", help="print the version, and what is compiled")
    add_setting_options(parser)


def _refuse(message: str) -> NoReturn:
    """Print what argparse or Scrapy finds wrong with the command line, and exit."""
    complain("justext", message.removeprefix("argument "))
    sys.exit(BAD_INPUT)


class _Job(NamedTuple):
    """What is to be done.

    ``compared``: the settings that ``layers`` are compared with, if any; ``kinds``: those of the blocks to list.
    """

    names: Sequence[str]
    layers: Layers
    compared: Layers | None
    arguments: Namespace
    port: int
    kinds: Sequence[str]


def run(
    words: Sequence[str], arguments: Namespace, settings: Settings, process: CrawlerProcess | AsyncCrawlerProcess
) -> int:
    """Do what was asked for, and return the exit status."""
    if not arguments.loglevel and not arguments.logfile:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    statuses = [BAD_INPUT]
    try:
        job = _make_job(words, arguments, settings)
        urls = [name for name in job.names if _URL.match(name)]
        if urls:
            fetch(process, urls, partial(_show, job, statuses), stay=arguments.serve)
        else:
            _show(job, statuses, {})
    except JustextError as error:
        complain("justext", error)
        return BAD_INPUT
    return statuses[-1]


def _make_job(words: Sequence[str], arguments: Namespace, settings: Settings) -> _Job:
    """Return what the command line says, checked before a page is fetched."""
    names = _pages_among(words, vars(arguments))
    asked = [option(name) for name in _OUTPUTS if getattr(arguments, name)]
    if len(asked) > 1:
        raise InspectionError(asked[0], f"not together with {asked[1]}")
    _check_options(names, arguments)
    layers = make_layers(from_settings(settings), chosen_settings(arguments))
    compared = None
    if arguments.compare is not None:
        profile = Given(arguments.compare, "--compare")
        compared = Layers(layers.project, layers.sites, {**layers.spider, "profile": profile})
    for checked in filter(None, (layers, compared)):
        configuration_for(checked, None)
    if arguments.serve and configuration_for(layers, None).options.parser != LXML:
        raise InspectionError("--serve", f"keeps pages as {LXML} parses them: add --parser {LXML}")
    port = converted("--port", "0" if arguments.port is None else arguments.port, port_number)
    return _Job(names, layers, compared, arguments, port, _kinds(arguments.kind))


def _pages_among(words: Sequence[str], known: Mapping[str, object]) -> list[str]:
    """Return the PAGEs among the words that the parser left over; raise an error for an option that is none."""
    mark = words.index("--") if "--" in words else len(words)
    for word in words[:mark]:
        if word.startswith("-") and word != "-":
            spelt = [option(name.removeprefix(DEST_PREFIX)) for name in known]
            close = close_names(word.partition("=")[0], spelt)
            advice = f"; did you mean {' or '.join(close)}?" if close else ""
            raise InspectionError(word, f"no such option{advice}")
    pages = [*words[:mark], *words[mark + 1 :]]
    if not pages:
        raise InspectionError("PAGE", "none given; scrapy justext -h tells more")
    if "" in pages:
        raise InspectionError("PAGE", "the name is empty")
    return pages


def _check_options(names: Sequence[str], arguments: Namespace) -> None:
    """Raise an error for options that are wrong whatever the pages hold."""
    for name in _SERVE_OPTIONS:
        if getattr(arguments, name) is not None and not arguments.serve:
            raise InspectionError(option(name), "only with --serve")
    if (form := getattr(arguments, "as")) is not None and form not in _FORMATS:
        raise UnknownNameError("--as", form, "format", _FORMATS)
    if arguments.kind is not None and not arguments.blocks:
        raise InspectionError("--kind", "only with --blocks")
    try:
        if arguments.encoding is not None:
            check_encoding(arguments.encoding)
    except PageError as error:
        raise ParameterError("--encoding", arguments.encoding, str(error).partition(": ")[2]) from error
    if arguments.html is not None and any(_is_same(name, arguments.html) for name in names):
        raise InspectionError("--html", f"{arguments.html} is a PAGE, which the report would replace")


def _is_same(name: str, path: str) -> bool:
    """Return True if a PAGE is the file at a path."""
    try:
        return STANDARD_INPUT not in (name, path) and Path(name).samefile(path)
    except (OSError, ValueError):
        return False


def _kinds(given: str | None) -> list[str]:
    """Return the kinds of blocks in a list with commas; ``list-item`` is ``list item``."""
    known = {_as_word(kind): kind for kind in KINDS}
    kinds = [] if given is None else [_as_word(kind.strip().lower()) for kind in given.split(",")]
    for kind in kinds:
        if kind not in known:
            raise UnknownNameError("--kind", kind, "kind of block", known)
    return [known[kind] for kind in kinds]


def _as_word(kind: str) -> str:
    """Return a kind of blocks as it is written without quotes on a command line."""
    return kind.replace(" ", "-")


def configuration_for(layers: Layers, url: str | None) -> Configuration:
    """Return the configuration in force for a page; without a URL, for one that belongs to no site."""
    return configure(layers.given(layers.site_of(url)))


def _show(job: _Job, statuses: list[int], outcomes: Outcomes) -> bool:
    """Show the pages and append the exit status to ``statuses``; return True if a server was started."""
    pages = _find_pages(job, outcomes)
    if job.arguments.serve:
        return _serve(job, statuses, [*pages])
    inspected = [_inspect(job, page) for page in pages]
    if job.arguments.html is not None and inspected:
        # Only a report and the tuner need it.
        from scrapy_justext.inspection.view import report_on  # noqa: PLC0415

        report = report_on([sides[0] for sides in inspected])
        if job.arguments.html == _STANDARD_OUTPUT:
            write(report, "utf-8")
        else:
            with explaining(job.arguments.html, "written", InspectionError):
                write_whole(Path(job.arguments.html), report.encode())
    any_good = _print_pages(job, inspected)
    if sum(map(_is_cleaned, inspected)) == len(job.names):
        statuses.append(GOOD_CONTENT if any_good else NO_GOOD_CONTENT)
    return False


def _serve(job: _Job, statuses: list[int], pages: Sequence[InspectedPage]) -> bool:
    """Start the tuner where a page has anything to try settings on; return whether it was started."""
    from scrapy_justext.inspection.server import serve  # noqa: PLC0415 (only it needs Twisted's web server)
    from scrapy_justext.inspection.tuner import Tuner  # noqa: PLC0415 (the rest needs none of it)

    tuner = Tuner(pages, job.layers, Path(job.arguments.marks or _MARKS))
    for error in tuner.refused:
        complain("justext", error)
    if len(pages) - len(tuner.refused) == len(job.names):
        statuses.append(GOOD_CONTENT)
    if all(page.problem is not None for page in pages):
        return False
    serve(tuner, port=job.port, announce=write)
    return True


def _find_pages(job: _Job, outcomes: Outcomes) -> Iterator[InspectedPage]:
    """Yield the pages that are there; complain of the others."""
    for name in job.names:
        try:
            outcome = outcomes.get(name)
            if isinstance(outcome, Response):
                yield page_of(name, outcome, configuration_for(job.layers, outcome.url))
            elif _URL.match(name):
                complain("justext", InspectionError(name, describe_fetch_error(outcome)))
            else:
                yield read_page(name, configuration_for(job.layers, None), job.arguments.encoding)
        except JustextError as error:
            complain("justext", error)


def _inspect(job: _Job, page: InspectedPage) -> list[Inspection]:
    """Judge a page by its settings, and by those that they are compared with, if any; complain if it is not cleaned."""
    options = page.configuration.options
    chosen = [replace(options, documents=_documents(job) or options.documents)]
    if job.compared is not None:
        chosen.append(configuration_for(job.compared, page.url).options)
    sides = [page.inspect(options) for options in chosen]
    for problem in dict.fromkeys(side.page.problem for side in sides):
        if problem is not None:
            complain("justext", InspectionError(page.name, problem))
    return sides


def _is_cleaned(sides: Sequence[Inspection]) -> bool:
    """Return True if a crawl would clean a page, by all settings that it is judged by."""
    return all(side.page.problem is None for side in sides)


def _print_pages(job: _Job, inspected: Sequence[Sequence[Inspection]]) -> bool:
    """Print what was asked for of each page, below its name where there are several.

    Return True if any has good content.
    """
    style = style_of(sys.stdout, os.environ)
    # Only a listing has room to say why there are no blocks.
    has_room = job.arguments.blocks or job.compared is not None
    has_headers = len(job.names) > 1 and not job.arguments.json
    any_good = False
    gap = ""
    for sides in inspected:
        page, extraction = sides[0].page, sides[0].extraction
        is_cleaned = _is_cleaned(sides)
        if job.arguments.html is None and (is_cleaned or has_room):
            name = page.name if style.columns is None else on_one_line(page.name)
            header = f"{gap}==> {name} <==\n" if has_headers else ""
            # JSON is UTF-8 by its standard.
            write(header + _printed(job, sides, style), "utf-8" if job.arguments.json else None)
            gap = "\n"
        if is_good(extraction, page.configuration):
            any_good = True
        elif is_cleaned:
            complain("justext", InspectionError(page.name, explain_no_content(extraction, page.configuration)))
    if job.compared is not None and len(inspected) > 1:
        write(f"{gap}{compare_all(inspected)}")
    return any_good


def _printed(job: _Job, sides: Sequence[Inspection], style: Style) -> str:
    """Return what is printed of a page."""
    if len(sides) > 1:
        return compare(sides[0], sides[1], style)
    if job.arguments.blocks:
        return list_blocks(sides[0], style, job.kinds)
    documents = _documents(job)
    part = "json" if job.arguments.json else documents[0] if documents else getattr(job.arguments, "as") or "text"
    return show(sides[0], part, style)


def _documents(job: _Job) -> tuple[str, ...]:
    """Return the part of :data:`DOCUMENTS` that is asked for, if any."""
    form = "markdown" if job.arguments.markdown else getattr(job.arguments, "as")
    return (form,) if form in DOCUMENTS else ()
