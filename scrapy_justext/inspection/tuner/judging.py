"""Pages that are judged again and again: cut into blocks once for each way of cutting, measured once a language.

What a judgement gives is what :func:`~scrapy_justext.extraction.extract` would, because both end in the same function.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.extraction import Extraction, Prepared, extract_prepared, prepare

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.options import Options
    from scrapy_justext.profiles import Profile

#: Ways of cutting and languages of a page that are kept.
KEPT = 8

#: A block by its text, and how many of the same text come before it: what is left of it under other settings, even
#: where these cut the page in another way.
BlockKey = tuple[str, int]


class _Ready(NamedTuple):
    """A page as far as no threshold has a say, and the profile with what its model makes of the blocks."""

    prepared: Prepared
    profile: Profile


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
    _ready: dict[Hashable, _Ready] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.before = self.extract(self.options)
        self._were_good = _good_keys(self.before, block_keys(self.before.blocks))

    def extract(self, options: Options) -> Extraction:
        """The page, without paths, under options that differ from its own in profile, languages and thresholds."""
        ready = self._make_ready(options)
        return extract_prepared(
            self.page.parsed,
            ready.prepared,
            replace(options, profile=ready.profile, paths=False, markdown=False),
            url=self.page.url,
        )

    def thresholds(self, options: Options) -> dict[str, Any]:
        """The thresholds that count for the page's language, those of the profile's model too."""
        judging = options.judging(self._make_ready(options).prepared.choice.language)
        return {**asdict(judging.thresholds), **_model_limits(options)}

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

    def _make_ready(self, options: Options) -> _Ready:
        profile = options.profile
        model = profile.name if profile.reads_data else None
        key = (profile.tags, profile.unspaced, options.candidates, model)
        # Those asked for last stay longest.
        ready = self._ready.pop(key, None) or _make_ready(self.page, options)
        self._ready[key] = ready
        if len(self._ready) > KEPT:
            del self._ready[next(iter(self._ready))]
        return ready._replace(profile=ready.profile if model else profile)


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


def _make_ready(page: Inspected, options: Options) -> _Ready:
    prepared = prepare(page.parsed, options, declared=page.declared)
    profile = options.profile
    if profile.reads_data and prepared.segments and prepared.elements is not None:
        profile = _weighed(profile, prepared)
    return _Ready(prepared, profile)


def _weighed(profile: Profile, prepared: Prepared) -> Profile:
    """A trained profile that knows what its model makes of a page's blocks."""
    from scrapy_justext.learned.classifier import weigh  # noqa: PLC0415 (it needs numpy, as profiles say)
    from scrapy_justext.learned.features import compute  # noqa: PLC0415
    from scrapy_justext.learned.model import shipped_model  # noqa: PLC0415

    assert prepared.elements is not None
    weighed = weigh(compute(prepared.segments, prepared.elements), shipped_model(profile.name))
    # A classifier is also given segments, figures and elements, which are those that were weighed.
    return replace(profile, classify=lambda _, __, thresholds, ___: weighed.decide(thresholds))


def _model_limits(options: Options) -> Mapping[str, float]:
    if not options.profile.reads_data:
        return {}
    from scrapy_justext.learned.classifier import limits  # noqa: PLC0415
    from scrapy_justext.learned.model import shipped_model  # noqa: PLC0415

    good, near_good = limits(options.thresholds, shipped_model(options.profile.name))
    return {"good_probability": good, "near_good_probability": near_good}
