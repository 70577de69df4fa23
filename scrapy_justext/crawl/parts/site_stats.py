"""What became of each site in a crawl: counted as it goes, written to a file of JSON, compared with the crawl before.

A file is bounded in any crawl: :data:`MOST_SITES` sites have a record each, and all others share one.  At most
:data:`MOST_BODIES` bodies of the worst pages are kept beside it, so that the inspector can open them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.pages import OFF, CleanedPage, UncleanedPage
from scrapy_justext.crawl.parts.site_memory.memory import is_repeated
from scrapy_justext.crawl.sites import site_name
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import explaining, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scrapy.http import Response

    from scrapy_justext.crawl.pages import Outcome

#: The version of the file's format.
FORMAT = 1
#: Sites that have a record of their own.
MOST_SITES = 10_000
#: The worst pages of a site that are named, and languages and reasons that are counted.
WORST_PAGES = 5
MOST_NAMES = 50
#: Bodies that are kept, of all sites and of one, and the bytes of each.
MOST_BODIES = 200
BODIES_OF_SITE = 2
MOST_BYTES = 1_000_000
#: The name of such a file.
_BODY = re.compile(r"[0-9a-f]{16}\.html")
#: A site has changed if its good characters a page fell to this share, on at least so many pages in both crawls.
CHANGED_SHARE = 0.5
CHANGED_PAGES = 5
#: The name of the record of all sites beyond the bound.
OTHER_SITES = "(other sites)"


@dataclass(slots=True)
class WorstPage:
    """A page of which little was kept.  ``body``: the file that holds its body, beside the report; "" for none."""

    url: str
    good_characters: int
    characters: int
    confidence: float | None = None
    body: str = ""

    @property
    def badness(self) -> tuple[float, int]:
        """What pages are sorted by: how little of the page was kept, or how sure that is, then how much it has."""
        kept = self.good_characters / self.characters if self.characters else 0.0
        return 1 - (kept if self.confidence is None else self.confidence), self.characters


@dataclass(slots=True)
class SiteRecord:
    """What became of the pages of a site."""

    pages: int = 0
    """All that were fetched."""
    kept: int = 0
    """Those with good content."""
    dropped: dict[str, int] = field(default_factory=dict)
    """The others, by the reason, as the stats call it."""
    languages: dict[str, int] = field(default_factory=dict)
    """Of cleaned pages, by ISO 639 code."""
    good_characters: int = 0
    blocks: int = 0
    repeated_blocks: int = 0
    """Blocks that site memory or the search for duplicates found on other pages."""
    seconds: float = 0.0
    """In extraction."""
    confidence: float = 0.0
    """The sum over the pages that have one."""
    pages_with_confidence: int = 0
    worst: list[WorstPage] = field(default_factory=list)

    @property
    def cleaned(self) -> int:
        """Return the number of cleaned pages."""
        return sum(self.languages.values())

    @property
    def characters_a_page(self) -> float:
        """Return the mean of good characters over cleaned pages."""
        return self.good_characters / self.cleaned if self.cleaned else 0.0

    @property
    def mean_confidence(self) -> float | None:
        """Return the mean; None without any."""
        return self.confidence / self.pages_with_confidence if self.pages_with_confidence else None

    def add(self, other: SiteRecord) -> None:
        """Add what another crawl, or another worker, found of the same site."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.dropped = _bounded(Counter(self.dropped) + Counter(other.dropped))
        self.languages = _bounded(Counter(self.languages) + Counter(other.languages))
        worst = {page.url: page for page in [*self.worst, *other.worst]}.values()
        self.worst = sorted(worst, key=lambda page: page.badness, reverse=True)[:WORST_PAGES]

    def has_changed(self, before: SiteRecord | None) -> bool:
        """Return whether the good characters a page fell by half since a crawl ``before``."""
        return (
            before is not None
            and min(self.cleaned, before.cleaned) >= CHANGED_PAGES
            and self.characters_a_page <= CHANGED_SHARE * before.characters_a_page
            and before.characters_a_page > 0
        )


_NUMBERS = tuple(column.name for column in fields(SiteRecord) if column.name not in ("dropped", "languages", "worst"))


def _bounded(counts: Counter[str]) -> dict[str, int]:
    """Return counts by name, with those of rare names together if there are too many."""
    rest = counts.pop("other", 0)
    most = dict(counts.most_common(MOST_NAMES))
    rest += counts.total() - sum(most.values())
    return {**most, "other": rest} if rest else most


class SiteStats:
    """The records of a crawl.

    ``folder``: where bodies of the worst pages are kept; None keeps none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.records: dict[str, SiteRecord] = {}
        self._folder = folder
        self._bodies = 0

    def add(self, outcome: Outcome, response: Response) -> None:
        """Count what became of a response."""
        if isinstance(outcome, UncleanedPage) and outcome.reason == OFF:
            return
        name = site_name(response.url)
        if name not in self.records and len(self.records) >= MOST_SITES:
            name = OTHER_SITES
        record = self.records.setdefault(name, SiteRecord())
        before, of_page = record.worst, _record_of(outcome, response)
        record.add(of_page)
        with_body = record.worst[:BODIES_OF_SITE]
        for page in before:
            if page not in with_body:
                self._remove_body(page)
        for page in of_page.worst:
            if page in with_body:
                self._keep_body(page, response)

    def _keep_body(self, page: WorstPage, response: Response) -> None:
        if self._folder is None or self._bodies >= MOST_BODIES or len(response.body) > MOST_BYTES:
            return
        name = f"{sha256(page.url.encode()).hexdigest()[:16]}.html"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(response.body)
        except OSError:
            # The report goes without it.
            return
        page.body = f"{self._folder.name}/{name}"
        self._bodies += 1

    def _remove_body(self, page: WorstPage) -> None:
        if page.body and self._folder is not None:
            with suppress(OSError):
                (self._folder.parent / page.body).unlink()
            page.body = ""
            self._bodies -= 1

    def remove_older_bodies(self) -> None:
        """Remove the bodies that crawls before this one kept."""
        kept = {page.body.rpartition("/")[2] for record in self.records.values() for page in record.worst}
        for path in [] if self._folder is None else self._folder.glob("*.html"):
            if _BODY.fullmatch(path.name) and path.name not in kept:
                with suppress(OSError):
                    path.unlink()


def _record_of(outcome: Outcome, response: Response) -> SiteRecord:
    """Return what one page adds to the record of its site."""
    if not isinstance(outcome, CleanedPage):
        reason = outcome.reason if outcome.error is None else type(outcome.error).__name__
        return SiteRecord(pages=1, dropped={reason: 1})
    extraction = outcome.extraction
    good, confidence = extraction.good_characters, extraction.confidence
    why = "repeated" if outcome.why_repeated is not None else None if outcome.is_good else "no_good_content"
    # Only blocks that are good before, which those of site memory are not, are looked up among duplicates.
    repeated = 0 if outcome.repeats is None else len(outcome.repeats.blocks)
    if outcome.configuration.site_memory:
        repeated += sum(map(is_repeated, map(str, extraction.column("reason"))))
    page = WorstPage(response.url, good, sum(extraction.column("characters")), confidence)
    return SiteRecord(
        pages=1,
        kept=int(why is None),
        dropped={} if why is None else {why: 1},
        languages={extraction.language: 1},
        good_characters=good,
        blocks=len(extraction.column("text")),
        repeated_blocks=repeated,
        seconds=outcome.seconds,
        confidence=confidence or 0.0,
        pages_with_confidence=int(confidence is not None),
        worst=[page] if page.characters else [],
    )


def write_stats(path: Path, records: Mapping[str, SiteRecord], **about: str) -> None:
    """Write the records of a crawl; raise ``OSError``.  ``about``: what else to note of it, such as its spider."""
    content = {"format": FORMAT, **about, "sites": {name: asdict(record) for name, record in records.items()}}
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=1).encode())


def read_stats(path: Path) -> dict[str, SiteRecord]:
    """Return the records in a file; raise :class:`~scrapy_justext.exceptions.StoreError` for one that has none."""
    with explaining(path, "read"):
        written = path.read_bytes()
    try:
        content = json.loads(written)
        if content["format"] != FORMAT:
            raise StoreError(f"{path}: stats of sites in format {content['format']!r}, not {FORMAT}")
        return {name: _record(values) for name, values in content["sites"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{path}: no stats of sites") from error


def _record(values: Mapping[str, Any]) -> SiteRecord:
    """Return the record of a site; raise ``TypeError`` for a value that cannot be added up later."""
    record = SiteRecord(**{**values, "worst": [WorstPage(**page) for page in values["worst"]]})
    numbers = [getattr(record, name) for name in _NUMBERS] + [*record.dropped.values(), *record.languages.values()]
    for page in record.worst:
        numbers += [page.good_characters, page.characters, *([] if page.confidence is None else [page.confidence])]
    texts = [text for page in record.worst for text in (page.url, page.body)]
    if not {*map(type, numbers)} <= {int, float} or not {*map(type, texts)} <= {str}:
        raise TypeError
    return record


def merged(several: Iterable[Mapping[str, SiteRecord]]) -> dict[str, SiteRecord]:
    """Return the records of several crawls as one."""
    records: dict[str, SiteRecord] = {}
    for stats in several:
        for name, record in stats.items():
            records.setdefault(name, SiteRecord()).add(record)
    return records


def in_order(
    records: Mapping[str, SiteRecord], before: Mapping[str, SiteRecord]
) -> list[tuple[str, SiteRecord, SiteRecord | None]]:
    """Return the sites with their records and those of the crawl before: first what has changed, then by pages."""
    rows = [(name, record, before.get(name)) for name, record in records.items()]
    return sorted(rows, key=lambda row: (not row[1].has_changed(row[2]), -row[1].pages, row[0]))
