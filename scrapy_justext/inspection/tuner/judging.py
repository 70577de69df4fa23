"""What a user chose in the tuner, and what becomes of it: options for a page, and settings to paste."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.extractor import Extraction, Extractor
from scrapy_justext.core.parameters import PARAMETERS, Scale
from scrapy_justext.crawl.settings import PREFIX, Given, configure, custom_settings
from scrapy_justext.crawl.sites import find_domain, host_of
from scrapy_justext.exceptions import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.extractor import ReadPage
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parameters import Parameter
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.crawl.settings import Layers
    from scrapy_justext.inspection.pages import Inspected

#: Settings by their lower-case names; None stands for the default.
Choice = dict[str, Any]

_FIELDS = {"profile": "profile", "languages": "language"}


class Place(NamedTuple):
    """What of a page its settings depend on."""

    site: str | None
    """The site among those with settings of their own that it belongs to."""
    thresholds: Callable[[Options], Mapping[str, Any]]
    """Those that count for its language under some options."""


class Pasting(NamedTuple):
    """Settings to paste, and what a user must know who pastes them."""

    settings: str
    """Empty where nothing differs."""
    notes: tuple[str, ...]


def read_choice(body: Mapping[str, Any]) -> Choice:
    """What a request says was chosen; raises :class:`ParameterError` for names that are none."""
    parameters = body.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise ParameterError("parameters", parameters, "must be an object of parameters and their values")
    for name in parameters:
        if name not in PARAMETERS:
            raise UnknownNameError("parameter", name, "parameter", PARAMETERS)
    chosen = {setting: body[name] for name, setting in _FIELDS.items() if body.get(name) is not None}
    return {**chosen, **parameters}


def site_of(layers: Layers, url: str | None) -> str | None:
    """The site among those with settings of their own that a page belongs to."""
    return find_domain(host_of(url), layers.sites)


def make_options(layers: Layers, site: str | None, choice: Choice) -> Options:
    """The options of a site's pages, with what was chosen on top; raises :class:`SettingError`."""
    given = {name: Given(value, PREFIX + name.upper()) for name, value in choice.items()}
    return configure({**layers.given(site), **given}).options


def pasting(layers: Layers, pages: Sequence[Place], choice: Choice) -> Pasting:
    """The settings that give some pages what was chosen: those that make a difference there."""
    needed = dict(choice)
    for name in choice:
        without = {other: value for other, value in needed.items() if other != name}
        if all(_same(layers, page, needed, without) for page in pages):
            needed = without
    sites = dict.fromkeys(page.site for page in pages if page.site is not None)
    return Pasting(custom_settings(needed) if needed else "", tuple(_notes(layers, sites, needed)))


def _same(layers: Layers, page: Place, chosen: Choice, without: Choice) -> bool:
    """Whether a page is judged in the same way without one of what was chosen."""
    one = make_options(layers, page.site, chosen)
    try:
        other = make_options(layers, page.site, without)
    except ParameterError:
        # The other one of a low and a high threshold would cross the default.
        return False
    is_same = (one.profile.name, one.candidates) == (other.profile.name, other.candidates)
    return is_same and page.thresholds(one) == page.thresholds(other)


def _notes(layers: Layers, sites: Iterable[str], choice: Choice) -> Iterator[str]:
    """Where settings that were chosen are set once more, with more weight than ``custom_settings`` have."""
    for site in sites:
        for name in choice:
            if name in layers.sites[site]:
                yield f"{layers.sites[site][name].label} counts more on {site}: change it there"
    for name in choice:
        if name in layers.spider:
            yield f"{layers.spider[name].label} counts more: leave it out"


def controls_of(profile: Profile) -> list[dict[str, Any]]:
    """Return the controls of the parameters that a profile looks at, as JSON values."""
    return [_control(parameter) for parameter in profile.parameters.values()]


def _control(parameter: Parameter) -> dict[str, Any]:
    least, most, (step, *_) = parameter.slider or Scale(0, 0, (0,))
    return {
        "name": parameter.name,
        "label": parameter.label,
        "unit": parameter.unit,
        "least": least,
        "most": most,
        "step": step,
        "choices": parameter.choices,
        "partner": parameter.partner,
        "setting": PREFIX + parameter.name.upper(),
        "help": parameter.meaning.replace("`", ""),
        "allowed": parameter.range.allowed,
    }


# Pages that are judged again and again: cut into blocks once for each way of cutting, measured once a language.
#
# What a judgement gives is what :func:`~scrapy_justext.core.extractor.extract` would, because both end in the same
# function.

#: Ways of cutting and languages of a page that are kept.
KEPT = 8

#: A block by its text, and how many of the same text come before it: what is left of it under other settings, even
#: where these cut the page in another way.
BlockKey = tuple[str, int]


class Effect(NamedTuple):
    """What settings change on a page."""

    good_before: int
    good_after: int
    """Good blocks."""
    characters_before: int
    characters_after: int
    """Characters in them."""
    changed: tuple[int, ...]
    """The indices of the blocks whose class is another one than before."""
    gained: int
    """Blocks that have become good."""
    lost: int
    """Blocks that no longer are, or are no longer there."""


@dataclass(slots=True, eq=False)
class Tuned:
    """A page in the tuner; ``options``: those that it has without the tuner."""

    page: Inspected
    options: Options
    before: Extraction = field(init=False)
    _were_good: set[BlockKey] = field(init=False)
    _read: dict[Hashable, ReadPage] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.before = self.extract(self.options)
        self._were_good = _good_keys(self.before, block_keys(self.before.blocks))

    def extract(self, options: Options) -> Extraction:
        """The page, without paths, under options that differ from its own in profile, languages and thresholds."""
        extractor = Extractor(replace(options, paths=False, markdown=False))
        return extractor.judge(self._read_once(extractor)).extraction()

    def thresholds(self, options: Options) -> dict[str, Any]:
        """The thresholds that count for the page's language, those of the profile's model too."""
        extractor = Extractor(options)
        return asdict(extractor.limits(self._read_once(extractor).language.language))

    def effect(self, after: Extraction, keys: Sequence[BlockKey]) -> Effect:
        """What has changed from the page's own options to an extraction; ``keys``: those of its blocks."""
        before, were_good = self.before, self._were_good
        are_good = _good_keys(after, keys)
        changed = were_good ^ are_good
        return Effect(
            good_before=len(were_good),
            good_after=len(are_good),
            characters_before=before.good_characters,
            characters_after=after.good_characters,
            changed=tuple(index for index, key in enumerate(keys) if key in changed),
            gained=len(are_good - were_good),
            lost=len(were_good - are_good),
        )

    def _read_once(self, extractor: Extractor) -> ReadPage:
        profile, page = extractor.options.profile, self.page
        key = (profile.tags, profile.unspaced, extractor.options.candidates, profile.models)
        # Those asked for last stay longest.
        read = self._read.pop(key, None) or extractor.read(page.parsed, url=page.url, languages=page.declared)
        self._read[key] = read
        if len(self._read) > KEPT:
            del self._read[next(iter(self._read))]
        return read


def block_keys(blocks: Iterable[Block]) -> list[BlockKey]:
    """What tells each block from the others of its page."""
    seen: dict[str, int] = {}
    keys = []
    for block in blocks:
        text = block.text
        seen[text] = nth = seen.get(text, -1) + 1
        keys.append((text, nth))
    return keys


def _good_keys(extraction: Extraction, keys: Iterable[BlockKey]) -> set[BlockKey]:
    return {key for key, block in zip(keys, extraction.blocks, strict=True) if block.is_good}
