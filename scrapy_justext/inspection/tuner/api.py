"""What the tuner's page asks and what it is told, as JSON values; no network here.

A judgement tells of a page only what is not as in the view that the browser has: a view is named by its ``base``, and
where the browser has another one, or none, it gets the new one as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import ParameterError
from scrapy_justext.inspection.tuner.judging import (
    KEPT,
    Choice,
    Place,
    Tuned,
    block_keys,
    controls_of,
    make_options,
    pasting,
    read_choice,
    site_of,
)
from scrapy_justext.inspection.tuner.marks import MarksFile, page_id
from scrapy_justext.inspection.view import limits_of, page_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.extractor import Extraction
    from scrapy_justext.core.options import Options
    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.inspection.tuner.judging import BlockKey

MARKS: Mapping[str, bool] = {"right": True, "wrong": False}


class _Base(NamedTuple):
    """A view of a page that a browser may have, and the blocks that it shows."""

    view: dict[str, Any]
    blocks: Sequence[Block]


@dataclass(slots=True, eq=False)
class _Page:
    tuned: Tuned
    site: str | None
    id: str
    bases: dict[str, _Base] = field(default_factory=dict)


class Tuner:
    """The pages that are tuned, and the file of their marks.

    Raises :class:`InspectionError` for a file that is none of marks, or cannot be written.
    """

    def __init__(self, pages: Sequence[Inspected], layers: Layers, marks: Path) -> None:
        self._layers = layers
        self._marks = MarksFile(marks)
        self._pages = []
        for page in pages:
            site = site_of(layers, page.url)
            self._pages.append(_Page(Tuned(page, make_options(layers, site, {})), site, page_id(page)))

    def start(self) -> dict[str, Any]:
        """The pages by their names, and what can be chosen."""
        library = self._pages[0].tuned.options.library
        return {
            "pages": [_about(page.tuned) for page in self._pages],
            "profiles": {name: controls_of(profile) for name, profile in PROFILES.items()},
            "languages": [{"name": one.name, "code": one.code} for one in library.languages],
            "marks_file": str(self._marks.path),
        }

    def judge(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What some settings give; raises :class:`ParameterError` for what is not allowed.

        ``body``: ``profile``, ``languages`` and ``parameters``, the page's own where they are left out; ``pages``, the
        numbers of those to judge, all where that is left out; ``shown``, the base of the view that the browser has of a
        page, or "" for none, by its number.  Of pages that are not there no blocks are told.
        """
        choice = read_choice(body)
        shown = body.get("shown") or {}
        if not isinstance(shown, dict):
            raise ParameterError("shown", shown, "must be an object of pages and their bases")
        pages = self._numbers(body.get("pages"))
        paste = pasting(self._layers, [Place(page.site, page.tuned.thresholds) for page in self._pages], choice)
        return {
            "pages": [self._answer(number, choice, shown.get(str(number))) for number in pages],
            "settings": paste.settings,
            "notes": list(paste.notes),
        }

    def mark(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Mark a block; raises :class:`ParameterError` for what is not allowed, :class:`InspectionError` for the file.

        ``body``: ``page`` and ``index`` of the block, ``mark``: ``right``, ``wrong`` or null, and the settings under
        which the block has its class and its index, as in :meth:`judge`.
        """
        return self.begin_mark(body)()

    def begin_mark(self, body: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
        """The same in two steps: what is given waits for the disk, and may do so in another thread, one at a time."""
        number, index, mark = (body.get(name) for name in ("page", "index", "mark"))
        [page_number] = self._numbers([number])
        if mark is not None and (not isinstance(mark, str) or mark not in MARKS):
            raise ParameterError("mark", mark, "must be right, wrong or null")
        page = self._pages[page_number]
        extraction = page.tuned.extract(self._options(page, read_choice(body)))
        if not isinstance(index, int) or not _is_index(index, len(extraction.blocks)):
            raise ParameterError("index", index, f"must be that of one of {len(extraction.blocks)} blocks")
        keys = block_keys(extraction.blocks)
        good = None if mark is None else extraction.blocks[index].is_good == MARKS[mark]

        def save() -> dict[str, Any]:
            self._marks.mark(page.id, page.tuned.page, extraction, keys[index], good)
            return {"page": page_number, **self._marked(page, extraction, keys)}

        return save

    def _numbers(self, numbers: object) -> list[int]:
        count = len(self._pages)
        if numbers is None:
            return list(range(count))
        if not isinstance(numbers, list) or not all(_is_index(number, count) for number in numbers):
            raise ParameterError("pages", numbers, f"must be numbers of {count} pages, from 0")
        return numbers

    def _options(self, page: _Page, choice: Choice) -> Options:
        return make_options(self._layers, page.site, choice)

    def _answer(self, number: int, choice: Choice, shown: object) -> dict[str, Any]:
        page = self._pages[number]
        options = self._options(page, choice)
        extraction = page.tuned.extract(options)
        keys = block_keys(extraction.blocks)
        thresholds = page.tuned.thresholds(options)
        effect = page.tuned.effect(extraction, keys)
        answer = {
            "page": number,
            **effect._asdict(),
            "blocks": len(extraction.blocks),
            "language": extraction.language,
            "language_reason": extraction.language_reason,
            "profile": extraction.profile,
            "thresholds": thresholds,
            "limits": limits_of(options.profile, thresholds),
            **self._marked(page, extraction, keys),
        }
        return answer if shown is None else answer | _shown(page, options, extraction, shown)

    def _marked(self, page: _Page, extraction: Extraction, keys: Sequence[BlockKey]) -> dict[str, Any]:
        """The marked blocks with whether they are content, and how many have their class."""
        marks = self._marks.of(page.id)
        keyed = zip(keys, extraction.blocks, strict=True)
        found = [(block, marks[key]) for key, block in keyed if key in marks]
        return {
            "marks": [[block.index, good] for block, good in found],
            "marks_met": sum(block.is_good == good for block, good in found),
        }


def _about(tuned: Tuned) -> dict[str, Any]:
    """A page with the languages that its own settings choose from."""
    codes = [one.code for one in tuned.options.candidates or ()]
    return {"name": tuned.page.name, "url": tuned.page.url, "languages": codes}


def _is_index(value: object, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _shown(page: _Page, options: Options, extraction: Extraction, shown: object) -> dict[str, Any]:
    """What a browser that shows some view must be told."""
    # Blocks and their figures depend on these; data in scripts may come to a page's own blocks.
    name = f"{extraction.profile}.{extraction.language}.{len(extraction.blocks)}"
    base = page.bases.pop(name, None)
    if base is None:
        inspected = page.tuned.page
        view = page_view(inspected.parsed, options, url=inspected.url, declared=inspected.declared, name=inspected.name)
        base = _Base(view, extraction.blocks)
    page.bases[name] = base
    if len(page.bases) > KEPT:
        del page.bases[next(iter(page.bases))]
    told: dict[str, Any] = {"base": name, "changes": _changes(base.blocks, extraction.blocks)}
    return told if shown == name else told | {"view": base.view}


def _changes(base: Sequence[Block], blocks: Sequence[Block]) -> list[list[Any]]:
    """The index, class, context-free class and reason of each block that is not as in a base."""
    return [
        [one.index, one.block_class.value, one.context_free_class.value, one.reason]
        for one, was in zip(blocks, base, strict=True)
        if one.reason != was.reason
        or one.block_class is not was.block_class
        or one.context_free_class is not was.context_free_class
    ]
