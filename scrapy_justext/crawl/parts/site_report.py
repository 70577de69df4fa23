"""Show the records of sites: as a table for the terminal, and as a page of HTML that needs nothing else.

Names and addresses come from the web: nothing of them is markup, and nothing is obeyed by a terminal.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Mapping
from string import Template
from typing import TYPE_CHECKING

from scrapy_justext.crawl.commands import colours, format_columns, in_html, on_one_line
from scrapy_justext.crawl.parts.order import CrawlPart
from scrapy_justext.crawl.parts.site_stats import SiteStats, in_order, read_stats, write_stats
from scrapy_justext.exceptions import StoreError, describe_os_error
from scrapy_justext.files import packaged_text, write_whole

if TYPE_CHECKING:
    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.parts.order import Visit
    from scrapy_justext.crawl.parts.site_stats import SiteRecord, WorstPage
    from scrapy_justext.crawl.session import Session

logger = logging.getLogger(__name__)

#: Sites in the table of a log.
SHOWN_SITES = 20
#: Names of reasons and languages in one cell, the most frequent ones.
SHOWN_NAMES = 3
#: Characters of a name in the terminal's table.
NAME_WIDTH = 32

Records = Mapping[str, "SiteRecord"]


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _most(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{name.replace('_', ' ')} {count}" for name, count in ordered[:SHOWN_NAMES]]
    return ", ".join([*named, *(["…"] if len(ordered) > SHOWN_NAMES else [])]) or "–"


def _characters(record: SiteRecord, before: SiteRecord | None) -> str:
    now = f"{record.characters_a_page:,.0f}"
    return now if before is None or not before.cleaned else f"{now} (was {before.characters_a_page:,.0f})"


#: The columns: the title, whether it is a number, and what a row says.
COLUMNS: tuple[tuple[str, bool, Callable[[SiteRecord, SiteRecord | None], str]], ...] = (
    ("Pages", True, lambda record, _: f"{record.pages:,}"),
    ("Kept", True, lambda record, _: _share(record.kept, record.pages)),
    ("Characters a page", True, _characters),
    ("Confidence", True, lambda record, _: "–" if record.mean_confidence is None else f"{record.mean_confidence:.2f}"),
    ("Repeated", True, lambda record, _: _share(record.repeated_blocks, record.blocks)),
    ("ms a page", True, lambda record, _: f"{1000 * record.seconds / record.cleaned:.1f}" if record.cleaned else "–"),
    ("Not kept because", False, lambda record, _: _most(record.dropped)),
    ("Languages", False, lambda record, _: _most(record.languages)),
)


def table(records: Records, before: Records, most: int | None = None) -> str:
    """Return the sites as lines of text; those that have changed since the crawl ``before`` come first, marked ``!``.

    ``most``: how many sites are shown; all without it.
    """
    ordered = in_order(records, before)
    rows = [["", "Site", *(title for title, _, _ in COLUMNS)]]
    for name, record, old in ordered[:most]:
        cells = [on_one_line(cell(record, old)) for _, _, cell in COLUMNS]
        rows.append(["!" if record.has_changed(old) else "", _shortened(on_one_line(name)), *cells])
    numbers = [2 + place for place, (_, is_number, _) in enumerate(COLUMNS) if is_number]
    lines = [format_columns(rows, right=numbers)]
    if most is not None and len(ordered) > most:
        lines.append(f"   and {len(ordered) - most:,} more sites")
    return "\n".join(lines)


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 1]}…"


def page(records: Records, before: Records, title: str) -> str:
    """Return the sites as a page of HTML, those that have changed first, each with its worst pages."""
    ordered = in_order(records, before)
    changed = sum(record.has_changed(old) for _, record, old in ordered)
    pages = sum(record.pages for record in records.values())
    kept = sum(record.kept for record in records.values())
    about = f"{len(ordered):,} sites, {pages:,} pages, {_share(kept, pages)} kept"
    if changed:
        about += f"; {changed:,} changed since the crawl before: good characters a page fell by half"
    head = "".join(f'<th scope="col"{_class(number)}>{in_html(name)}</th>' for name, number, _ in COLUMNS)
    body = "\n".join(_row(*row) for row in ordered)
    return Template(packaged_text("crawl", "parts", "site_report.html")).substitute(
        title=in_html(title),
        colours=colours(),
        about=in_html(about),
        head=head,
        body=body,
        none="" if ordered else _NONE,
    )


def _row(name: str, record: SiteRecord, before: SiteRecord | None) -> str:
    has_changed = record.has_changed(before)
    cells = "".join(f"<td{_class(number)}>{in_html(cell(record, before))}</td>" for _, number, cell in COLUMNS)
    mark = ' <span class="mark">changed</span>' if has_changed else ""
    row = f'<tr{" class=changed" if has_changed else ""}><th scope="row">{in_html(name)}{mark}</th>{cells}</tr>'
    worst = "".join(map(_worst, record.worst))
    if not worst:
        return row
    return (
        f'{row}\n<tr class="worst"><td colspan="{len(COLUMNS) + 1}"><details><summary>Worst pages</summary>'
        f"<ul>{worst}</ul></details></td></tr>"
    )


def _worst(page: WorstPage) -> str:
    measure = f"{page.good_characters:,} of {page.characters:,} characters kept"
    if page.confidence is not None:
        measure += f", confidence {page.confidence:.2f}"
    address = in_html(page.url)
    # Whatever else an address may run stays text.
    link = (
        f'<a href="{address}" rel="noreferrer">{address}</a>'
        if page.url.startswith(("http://", "https://"))
        else address
    )
    command = f"<br><code>scrapy justext --blocks {in_html(shlex.quote(page.body))}</code>" if page.body else ""
    return f"<li>{link}<br>{measure}{command}</li>"


def _class(is_number: bool) -> str:
    return " class=number" if is_number else ""


_NONE = "<p>No pages were fetched.</p>"


class SiteReport(CrawlPart):
    """Counts what becomes of each site in a crawl; at the end writes it where the settings say, and logs it.

    Raises :class:`~scrapy_justext.exceptions.StoreError` for stats of the crawl before that cannot be read, and for a
    report in whose place there is a folder.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        configuration = session.configurations.of_crawl
        stats, report = configuration.site_stats, configuration.site_report
        if stats is None:
            assert report is not None
            stats = report.with_suffix(".json")
        self._spider = session.crawler.spidercls.name
        self._stats = stats
        self._report = report
        if report is not None and report.is_dir():
            raise StoreError(f"{report} cannot be written: there is a folder of this name")
        self._before = read_stats(stats) if stats.exists() else {}
        folder = None if report is None else report.with_name(f"{report.stem}-pages")
        self._sites = SiteStats(folder)

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Count a page, if it is the first for its request."""
        if not self._session.counts.has(visit.request):
            self._sites.add(page, visit.response)
        return page

    def closed(self) -> None:
        """Write the stats and the report, and log the table."""
        records = self._sites.records
        title = f"Sites of {self._spider}"
        try:
            for path in filter(None, (self._stats, self._report)):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_stats(self._stats, records, spider=self._spider)
            if self._report is not None:
                self._sites.remove_older_bodies()
                write_whole(self._report, page(records, self._before, title).encode())
        except OSError as error:
            # This is no bug of ours: a traceback would say nothing.
            logger.error("The stats of sites cannot be written: %s", describe_os_error(error))  # noqa: TRY400
        logger.info("%s:\n%s", title, table(records, self._before, SHOWN_SITES))
