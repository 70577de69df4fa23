"""The tuner: a web page on which thresholds are moved, and blocks are marked right or wrong.

This module answers the requests of the page; requests and answers are JSON values.  :mod:`.server` is the network.

A page is judged again and again under other settings.  What does not depend on thresholds is done once for each way to
read it.  A judgement gives what an extraction with the same options gives.

A browser shows views of pages, each named by its ``base``.  An answer tells what differs from the view that the browser
has.  Where the browser has another view or none, it gets the new one as a whole.

Marks are kept in a file, which the evaluation framework reads as the data set ``marks:PATH``.  A mark says whether a
block is content.  It stays true whatever class the block has under some settings.  The file is JSON Lines in UTF-8,
with an object for each page that has marks:

===========  ===========================================================================================
``id``       of the page, from its URL, or where it has none from its HTML
``name``     of the page, as the user gave it
``url``      of the page, or null
``html``     the page
``gold``     its content: the blocks that the marks make good, and of the others those that were good
             under the settings when the last mark was made
``marks``    objects with a block's ``text``, ``nth`` (how many of the same text come before it on the
             page) and whether it is ``good``
===========  ===========================================================================================
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.settings import PREFIX, Given, configure, custom_settings
from scrapy_justext.exceptions import InspectionError, ParameterError, UnknownKeyError
from scrapy_justext.files import PRIVATE, check_writable, explaining, write_whole
from scrapy_justext.inspection.pages import describe_page
from scrapy_justext.inspection.view import limits_of, page_view

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.core.extraction import Block, Extraction
    from scrapy_justext.core.extractor import ReadPage
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parameters import Parameter, Thresholds
    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.inspection.pages import InspectedPage, Inspection

#: A block by its text, and how many blocks of the same text come before it.  It stays the same under other settings,
#: even where these cut the page in another way.
BlockKey = tuple[str, int]

#: Whether each marked block of a page is content.
PageMarks = dict[BlockKey, bool]

#: Characters of a page's address or name that stand in its id.
_READABLE_CHARACTERS = 40

#: How many ways to read a page are kept: profiles and languages.
KEPT_READS = 8

#: Settings by their lower-case names; None stands for the default.
Choice = dict[str, Any]

#: The settings that a request chooses beside the parameters, by their names in the request.
_SETTING_NAMES = {"profile": "profile", "languages": "language"}

#: What a mark says of a block's class, and whether it agrees with it.
MARKS: Mapping[str, bool] = {"right": True, "wrong": False}


class Tuner:
    """The pages that are tuned, and the file of their marks.

    Raises :class:`InspectionError` for a file that holds no marks, or cannot be written.
    """

    def __init__(self, pages: Sequence[InspectedPage], layers: Layers, marks: Path) -> None:
        self._layers = layers
        self._marks = MarksFile(marks)
        sites = [layers.site_of(page.url) for page in pages]
        self._pages = [
            TunedPage(page, tuned_options(layers, site, {}), site) for page, site in zip(pages, sites, strict=True)
        ]
        self._ids = [page_id(page) for page in pages]
        #: The views of each page that a browser may have, and the blocks that they show, by names, the latest last.
        self._bases: defaultdict[int, dict[str, tuple[dict[str, Any], Sequence[Block]]]] = defaultdict(dict)

    @property
    def refused(self) -> list[InspectionError]:
        """The pages that no crawl would clean by their own settings, as errors."""
        problems = [(tuned.page.name, tuned.problem(tuned.options)) for tuned in self._pages]
        return [InspectionError(name, problem) for name, problem in problems if problem is not None]

    def start(self) -> dict[str, Any]:
        """Return the pages with the languages that their own settings choose from, and what can be chosen."""
        library = self._pages[0].options.library
        return {
            "pages": [
                {
                    "name": tuned.page.name,
                    "title": tuned.page.title,
                    "url": tuned.page.url,
                    "languages": [language.code for language in tuned.options.candidates or ()],
                }
                for tuned in self._pages
            ],
            "profiles": {name: [*map(control_of, profile.parameters.values())] for name, profile in PROFILES.items()},
            "languages": [{"name": language.name, "code": language.code} for language in library.languages],
            "marks_file": str(self._marks.path),
        }

    def judge(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what some settings give; raise :class:`ParameterError` for what is not allowed.

        ``body``: ``profile``, ``languages`` and ``parameters``, the page's own where they are left out; ``pages``, the
        numbers of those to judge, all where that is left out; ``shown``, by the number of a page, the base of the view
        that the browser has of it, or "" for none.  Blocks are told of the pages in ``shown`` alone.
        """
        choice = read_choice(body)
        shown = body.get("shown") or {}
        if not isinstance(shown, dict):
            raise ParameterError("shown", shown, "must be an object of pages and their bases")
        numbers = self._check_numbers(body.get("pages"))
        answers = [self._answer(number, choice, shown.get(str(number))) for number in numbers]
        return {"pages": answers, **paste(self._layers, self._pages, choice)}

    def begin_mark(self, body: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
        """Check a mark, and return a function that saves it; raise :class:`ParameterError` for what is not allowed.

        ``body``: ``page`` and ``index`` of the block, ``mark``: ``right``, ``wrong`` or null, and the settings under
        which the block has its class and its index, as in :meth:`judge`.
        The function waits for the disk, and raises :class:`InspectionError` where the file cannot be written.  It may
        run in another thread, but not twice at a time.
        """
        number, index, mark = (body.get(name) for name in ("page", "index", "mark"))
        [page_number] = self._check_numbers([number])
        if mark is not None and (not isinstance(mark, str) or mark not in MARKS):
            raise ParameterError("mark", mark, "must be right, wrong or null")
        tuned = self._pages[page_number]
        extraction = tuned.extract(tuned_options(self._layers, tuned.site, read_choice(body)))
        if not isinstance(index, int) or not _is_index(index, len(extraction.blocks)):
            raise ParameterError("index", index, f"must be that of one of {len(extraction.blocks)} blocks")
        keys = block_keys(extraction.blocks)
        good = None if mark is None else extraction.blocks[index].is_good == MARKS[mark]

        def save() -> dict[str, Any]:
            self._marks.mark(self._ids[page_number], tuned.page, extraction, keys[index], good)
            return {"page": page_number, **self._marked(page_number, extraction, keys)}

        return save

    def _check_numbers(self, numbers: object) -> list[int]:
        """Return the numbers of pages, each once, those of all pages for None."""
        count = len(self._pages)
        if numbers is None:
            return list(range(count))
        if not isinstance(numbers, list) or not all(_is_index(number, count) for number in numbers):
            raise ParameterError("pages", numbers, f"must be numbers of {count} pages, from 0")
        return list(dict.fromkeys(numbers))

    def _answer(self, number: int, choice: Choice, shown: object) -> dict[str, Any]:
        tuned = self._pages[number]
        options = tuned_options(self._layers, tuned.site, choice)
        extraction = tuned.extract(options)
        keys = block_keys(extraction.blocks)
        thresholds = tuned.thresholds(options)
        answer = {
            "page": number,
            "problem": tuned.problem(options),
            **tuned.effect(extraction, keys),
            "blocks": len(extraction.blocks),
            "language": extraction.language,
            "language_reason": extraction.language_reason,
            "profile": options.profile.name,
            "opinion": describe_page(extraction),
            "thresholds": asdict(thresholds),
            "limits": limits_of(options.profile, thresholds),
            **self._marked(number, extraction, keys),
        }
        return answer if shown is None else answer | self._update(number, options, extraction, shown)

    def _update(self, number: int, options: Options, extraction: Extraction, shown: object) -> dict[str, Any]:
        """Return what a browser that shows some view of a page has to know."""
        # Blocks and their measurements depend on these; data in scripts may come to a page's own blocks.
        name = f"{extraction.profile}.{extraction.language}.{len(extraction.blocks)}"
        bases = self._bases[number]
        base = bases.pop(name, None) or (page_view(self._pages[number].inspect(options)), extraction.blocks)
        bases[name] = base
        if len(bases) > KEPT_READS:
            del bases[next(iter(bases))]
        view, blocks = base
        update: dict[str, Any] = {"base": name, "changes": _changes(blocks, extraction.blocks)}
        return update if shown == name else update | {"view": view}

    def _marked(self, number: int, extraction: Extraction, keys: Sequence[BlockKey]) -> dict[str, Any]:
        """Return the marked blocks with whether they are content, and how many have their class."""
        marks = self._marks.of(self._ids[number])
        keyed = zip(keys, extraction.blocks, strict=True)
        marked = [(block, marks[key]) for key, block in keyed if key in marks]
        return {
            "marks": [[block.index, good] for block, good in marked],
            "marks_met": sum(block.is_good == good for block, good in marked),
        }


def _is_index(value: object, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _changes(base: Sequence[Block], blocks: Sequence[Block]) -> list[list[Any]]:
    """Return the index, class, context-free class and reason of each block that is not as in a base."""
    return [
        [block.index, block.block_class.value, block.context_free_class.value, block.reason]
        for block, was in zip(blocks, base, strict=True)
        if block.reason != was.reason
        or block.block_class is not was.block_class
        or block.context_free_class is not was.context_free_class
    ]


class TunedPage:
    """A page in the tuner.

    ``options``: those of the page without the tuner; ``site``: the site with settings of its own that it belongs to.
    """

    def __init__(self, page: InspectedPage, options: Options, site: str | None = None) -> None:
        self.page = page
        self.options = options
        self.site = site
        self._reads: dict[Hashable, tuple[InspectedPage, ReadPage]] = {}
        self.before = self.extract(options)
        self._good_before = _good_keys(self.before, block_keys(self.before.blocks))

    def inspect(self, options: Options) -> Inspection:
        """Judge the page under options that differ from its own in profile, languages and thresholds."""
        extractor = Extractor(replace(options, documents=()))
        page, read = self._read(extractor)
        return page.judge(read, extractor)

    def extract(self, options: Options) -> Extraction:
        """Return the extraction under some options, without paths, which take time."""
        return self.inspect(replace(options, paths=False)).extraction

    def problem(self, options: Options) -> str | None:
        """Return why no crawl with some options would clean the page; None if one would."""
        return self._read(Extractor(options))[0].problem

    def thresholds(self, options: Options) -> Thresholds:
        """Return the thresholds in force for the page's language, and for the model of the profile."""
        extractor = Extractor(options)
        _, read = self._read(extractor)
        return extractor.chosen_for(read).thresholds_for(read.language.language)

    def effect(self, after: Extraction, keys: Sequence[BlockKey]) -> dict[str, Any]:
        """Return what an extraction changes against the page's own options; ``keys``: those of its blocks.

        Good blocks and the characters in them, before and after; the indices of the blocks that were good and are not,
        or the other way round; how many have become good, and how many are no longer good, or no longer there.
        """
        good_before, good_after = self._good_before, _good_keys(after, keys)
        changed = good_before ^ good_after
        return {
            "good_before": len(good_before),
            "good_after": len(good_after),
            "characters_before": self.before.good_characters,
            "characters_after": after.good_characters,
            "changed": [index for index, key in enumerate(keys) if key in changed],
            "gained": len(good_after - good_before),
            "lost": len(good_before - good_after),
        }

    def _read(self, extractor: Extractor) -> tuple[InspectedPage, ReadPage]:
        profile = extractor.options.profile
        key = (profile.tags, profile.unspaced, extractor.options.candidates, profile.models)
        # The most recently used are kept.
        self._reads[key] = read = self._reads.pop(key, None) or self.page.read(extractor)
        if len(self._reads) > KEPT_READS:
            del self._reads[next(iter(self._reads))]
        return read


def _good_keys(extraction: Extraction, keys: Iterable[BlockKey]) -> set[BlockKey]:
    return {key for key, block in zip(keys, extraction.blocks, strict=True) if block.is_good}


def read_choice(body: Mapping[str, Any]) -> Choice:
    """Return the choice in a request, with each language once; raise :class:`ParameterError` for unknown names."""
    parameters = body.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise ParameterError("parameters", parameters, "must be an object of parameters and their values")
    for name in parameters:
        if name not in PARAMETERS:
            raise UnknownKeyError("", name, "parameter", PARAMETERS)
    chosen = {setting: body[name] for name, setting in _SETTING_NAMES.items() if body.get(name) is not None}
    languages = chosen.get("language")
    if isinstance(languages, list) and all(isinstance(language, str) for language in languages):
        chosen["language"] = list(dict.fromkeys(languages))
    return {**chosen, **parameters}


def tuned_options(layers: Layers, site: str | None, choice: Choice) -> Options:
    """Return the options of a site's pages with the user's choice on top; raise :class:`SettingError`."""
    given = {name: Given(value, PREFIX + name.upper()) for name, value in choice.items()}
    return configure({**layers.given(site), **given}).options


def paste(layers: Layers, pages: Sequence[TunedPage], choice: Choice) -> dict[str, Any]:
    """Return the settings of a choice that are needed to judge some pages by it, "" where none differ.

    With them come ``notes``: what the user must know before pasting.
    """
    needed = dict(choice)
    for name in choice:
        without = {other: value for other, value in needed.items() if other != name}
        if all(_is_same(layers, page, needed, without) for page in pages):
            needed = without
    sites = dict.fromkeys(page.site for page in pages if page.site is not None)
    of_sites = [(layers.sites[site][name], site) for site in sites for name in needed if name in layers.sites[site]]
    notes = [f"{given.label} counts more on {site}: change it there" for given, site in of_sites]
    notes += [f"{layers.spider[name].label} counts more: leave it out" for name in needed if name in layers.spider]
    return {"settings": custom_settings(needed) if needed else "", "notes": notes}


def _is_same(layers: Layers, page: TunedPage, choice: Choice, without: Choice) -> bool:
    """Return True if a page is judged in the same way without a part of what was chosen."""
    options = tuned_options(layers, page.site, choice)
    try:
        others = tuned_options(layers, page.site, without)
    except ParameterError:
        # Without it, a low threshold would be above a high one.
        return False
    if (options.profile.name, options.candidates) != (others.profile.name, others.candidates):
        return False
    return page.thresholds(options) == page.thresholds(others)


def control_of(parameter: Parameter) -> dict[str, Any]:
    """Return the control of a parameter."""
    slider = parameter.slider
    return {
        "name": parameter.name,
        "label": parameter.label,
        "unit": parameter.unit,
        "slider": slider and {"least": slider.least, "most": slider.most, "step": slider.steps[0]},
        "choices": parameter.choices,
        "partner": parameter.partner,
        "setting": PREFIX + parameter.name.upper(),
        "help": parameter.meaning.replace("`", ""),
        "allowed": parameter.allowed,
    }


# The file of marks.


class MarksFile:
    """The marks in a file, which is read again before each mark: somebody else may have written it.

    Raises :class:`InspectionError` for a file that holds something else, and for one that cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with explaining(path, "written", InspectionError):
            check_writable(path)
        self._marks = _marks_in(_read(path))

    def of(self, name: str) -> Mapping[BlockKey, bool]:
        """Return the marks of a page by its id."""
        return self._marks.get(name, {})

    def mark(self, name: str, page: InspectedPage, extraction: Extraction, key: BlockKey, good: bool | None) -> None:
        """Mark a block of a page, or take its mark away where ``good`` is None, and write the file.

        A page without marks is not in the file, which is whole at any time.
        Raises :class:`InspectionError` where it cannot be written: then nothing is marked either.
        Not for two threads at once; :meth:`of` may be called meanwhile.
        """
        records = _read(self.path)
        marks = _marks_in(records).get(name, {})
        marks.pop(key, None)
        records.pop(name, None)
        if good is not None:
            marks[key] = good
        if marks:
            records[name] = {
                "id": name,
                "name": page.name,
                "url": page.url,
                "html": page_html(page),
                "gold": gold_text(extraction, marks),
                "marks": [{"text": text, "nth": nth, "good": value} for (text, nth), value in marks.items()],
            }
        # UTF-8 has no lone surrogates.
        lines = (
            f"{json.dumps(record, ensure_ascii=False)}\n".encode("utf-8", "replace") for record in records.values()
        )
        with explaining(self.path, "written", InspectionError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, b"".join(lines), PRIVATE)
        self._marks = _marks_in(records)


def _marks_in(records: Mapping[str, Mapping[str, Any]]) -> dict[str, PageMarks]:
    """Return the marks of each page."""
    return {
        name: {(mark["text"], mark["nth"]): mark["good"] for mark in record["marks"]}
        for name, record in records.items()
    }


def block_keys(blocks: Iterable[Block]) -> list[BlockKey]:
    """Return the key of each block."""
    seen: dict[str, int] = {}
    keys = []
    for block in blocks:
        text = block.text
        seen[text] = nth = seen.get(text, -1) + 1
        keys.append((text, nth))
    return keys


def page_id(page: InspectedPage) -> str:
    """Return the id of a page, always the same; it can be a file's name, and begins with a part of the address."""
    readable = re.sub(r"[^a-z0-9]+", "-", (page.url or page.name).lower().removeprefix("https://"))
    source = page.url or page_html(page)
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable[-_READABLE_CHARACTERS:].strip('-')}-{digest}".lstrip("-")


def page_html(page: InspectedPage) -> str:
    """Return a page as it was parsed; nothing for one with nothing to parse."""
    root = page.parsed.root
    return "" if root is None else etree.tostring(root.getroottree(), encoding="unicode", method="html")


def gold_text(extraction: Extraction, marks: Mapping[BlockKey, bool]) -> str:
    """Join the blocks that marks make good, and of those without a mark the good ones, by blank lines."""
    keyed = zip(block_keys(extraction.blocks), extraction.blocks, strict=True)
    return "\n\n".join(block.text for key, block in keyed if block.text and marks.get(key, block.is_good))


def _read(path: Path) -> dict[str, dict[str, Any]]:
    with explaining(path, "read", InspectionError):
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
    records = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not _has_types(record, {"id": str, "marks": list}) or not all(
                _has_types(mark, {"text": str, "nth": int, "good": bool}) for mark in record["marks"]
            ):
                raise InspectionError(str(path), f"line {number} holds no marks of a page")
            records[record["id"]] = record
    return records


def _has_types(value: Any, types: Mapping[str, type]) -> bool:
    """Return True if a value is an object with values of some types, by their keys."""
    return isinstance(value, dict) and all(isinstance(value.get(name), kind) for name, kind in types.items())
