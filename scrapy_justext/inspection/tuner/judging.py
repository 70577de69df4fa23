"""Pages that are judged again and again under other settings, and the settings that the user chose.

What does not depend on thresholds is done once for each way to read a page.  A judgement gives what an extraction with
the same options gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.crawl.settings import PREFIX, Given, configure, custom_settings
from scrapy_justext.exceptions import ParameterError, UnknownKeyError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.extraction import Block, Extraction
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parameters import Parameter, Thresholds
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.inspection.pages import InspectedPage, Inspection, Reading

#: How many ways to read a page are kept: profiles and languages.
KEPT_READS = 8

#: Settings by their lower-case names; None stands for the default.
Choice = dict[str, Any]

#: A block by its text, and how many blocks of the same text come before it.  It stays the same under other settings,
#: even where these cut the page in another way.
BlockKey = tuple[str, int]

#: The settings that a request chooses beside the parameters, by their names in the request.
_SETTING_NAMES = {"profile": "profile", "languages": "language"}


class Effect(NamedTuple):
    """What settings change on a page: good blocks and the characters in them, before and after."""

    good_before: int
    good_after: int
    characters_before: int
    characters_after: int
    changed: tuple[int, ...]
    """The indices of the blocks that were good and are not, or the other way round."""
    gained: int
    """Blocks that have become good."""
    lost: int
    """Blocks that are no longer good, or no longer there."""


@dataclass(slots=True, eq=False)
class TunedPage:
    """A page in the tuner."""

    page: InspectedPage
    options: Options
    """The options of the page without the tuner."""
    site: str | None = None
    """The site with settings of its own that the page belongs to."""
    before: Extraction = field(init=False)
    _good_before: set[BlockKey] = field(init=False)
    _reads: dict[Hashable, Reading] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.before = self.extract(self.options)
        self._good_before = _good_keys(self.before, block_keys(self.before.blocks))

    def inspect(self, options: Options) -> Inspection:
        """Judge the page under options that differ from its own in profile, languages and thresholds."""
        extractor = Extractor(replace(options, markdown=False))
        return self._read(extractor).judge(extractor)

    def extract(self, options: Options) -> Extraction:
        """Return the extraction under some options, without paths, which take time."""
        return self.inspect(replace(options, paths=False)).extraction

    def problem(self, options: Options) -> str | None:
        """Return why no crawl with some options would clean the page; None if one would."""
        return self._read(Extractor(options)).page.problem

    def thresholds(self, options: Options) -> Thresholds:
        """Return the thresholds in force for the page's language, and for the model of the profile."""
        extractor = Extractor(options)
        read = self._read(extractor).read
        return extractor.chosen_for(read).thresholds_for(read.language.language)

    def effect(self, after: Extraction, keys: Sequence[BlockKey]) -> Effect:
        """Return what an extraction changes against the page's own options; ``keys``: those of its blocks."""
        before, good_before = self.before, self._good_before
        good_after = _good_keys(after, keys)
        changed = good_before ^ good_after
        return Effect(
            good_before=len(good_before),
            good_after=len(good_after),
            characters_before=before.good_characters,
            characters_after=after.good_characters,
            changed=tuple(index for index, key in enumerate(keys) if key in changed),
            gained=len(good_after - good_before),
            lost=len(good_before - good_after),
        )

    def _read(self, extractor: Extractor) -> Reading:
        profile = extractor.options.profile
        key = (profile.tags, profile.unspaced, extractor.options.candidates, profile.models)
        # The most recently used are kept.
        self._reads[key] = reading = self._reads.pop(key, None) or self.page.read(extractor)
        if len(self._reads) > KEPT_READS:
            del self._reads[next(iter(self._reads))]
        return reading


def block_keys(blocks: Iterable[Block]) -> list[BlockKey]:
    """Return the key of each block."""
    seen: dict[str, int] = {}
    keys = []
    for block in blocks:
        text = block.text
        seen[text] = nth = seen.get(text, -1) + 1
        keys.append((text, nth))
    return keys


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


class Paste(NamedTuple):
    """Settings to paste, "" where none differ, and what the user must know before pasting."""

    settings: str
    notes: tuple[str, ...]


def paste(layers: Layers, pages: Sequence[TunedPage], choice: Choice) -> Paste:
    """Return the settings of a choice that are needed to judge some pages by it."""
    needed = dict(choice)
    for name in choice:
        without = {other: value for other, value in needed.items() if other != name}
        if all(_is_same(layers, page, needed, without) for page in pages):
            needed = without
    sites = dict.fromkeys(page.site for page in pages if page.site is not None)
    return Paste(custom_settings(needed) if needed else "", tuple(_notes(layers, sites, needed)))


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


def _notes(layers: Layers, sites: Iterable[str], choice: Choice) -> Iterator[str]:
    """Yield a note for each chosen setting that is also set where it overrides ``custom_settings``."""
    for site in sites:
        for name in choice:
            if name in layers.sites[site]:
                yield f"{layers.sites[site][name].label} counts more on {site}: change it there"
    for name in choice:
        if name in layers.spider:
            yield f"{layers.spider[name].label} counts more: leave it out"


def controls_of(profile: Profile) -> list[dict[str, Any]]:
    """Return the controls of the parameters that a profile uses, as JSON values."""
    return [_control(parameter) for parameter in profile.parameters.values()]


def _control(parameter: Parameter) -> dict[str, Any]:
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
