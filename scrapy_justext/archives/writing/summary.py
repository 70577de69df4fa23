"""What a run did, as a table and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.archives.writing.journal import Progress

#: The groups of counts, by what their names begin with, each with its title.
_GROUPS = {
    "skipped": "Not cleaned because",
    "errors": "Errors",
    "language": "Languages",
    "blocks": "Blocks",
}
#: Single counts, with what they are called; those that are 0 are left out but for the first two.
_COUNTS = {
    "records": "records read",
    "rows": "rows written",
    "pages": "pages cleaned",
    "pages_without_good_content": "of them without good content",
    "pages_judged_without_stop_words": "of them judged without stop words",
    "pages_cut_at_depth": "of them cut by the parser",
    "errors": "pages with an error",
    "timeouts": "pages that took too long",
    "crashes": "pages that ended the process",
}


def as_table(progress: Progress) -> str:
    """The summary to read."""
    return "\n".join(_lines(progress))


def _lines(progress: Progress) -> Iterator[str]:
    counts = progress.counts
    for name, title in _COUNTS.items():
        if counts[name] or name in ("records", "rows"):
            yield f"{counts[name]:>9}  {title}"
    for prefix, title in _GROUPS.items():
        group = {name.partition("/")[2]: n for name, n in counts.items() if name.startswith(f"{prefix}/") and n}
        if group:
            yield f"\n{title}"
            yield from (f"{n:>9}  {name}" for name, n in sorted(group.items(), key=lambda one: (-one[1], one[0])))
    pages = counts["pages"]
    if progress.seconds:
        yield f"\n{progress.seconds:>9.1f}  seconds, {pages / progress.seconds:.0f} pages a second"


def as_json(progress: Progress) -> dict[str, Any]:
    """The summary to read by machine.  The counts are named as a crawl's stats are."""
    return {
        "counts": dict(sorted(progress.counts.items())),
        "troubles": [{"file": t.where.file, "offset": t.where.offset, "what": t.what} for t in progress.troubles],
        "seconds": progress.seconds,
    }
