"""From JUSTEXT_* settings, wherever they were set, to one checked configuration.

The same names serve everywhere: ``JUSTEXT_LENGTH_LOW`` in the settings, ``length_low`` in a spider's attribute
``justext`` and in ``request.meta["justext"]``, ``justext_length_low`` as a spider argument.
Which settings there are is in :mod:`scrapy_justext.setting_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.exceptions import ParameterError, SettingError, UnknownNameError
from scrapy_justext.options import KNOBS, Options, make_options
from scrapy_justext.setting_rows import (
    DEFAULT_BLOCK_FIELDS,
    DEFAULT_FIELDS,
    IMAGE_FIELDS,
    MODEL_FIELDS,
    OF_CRAWLS,
    PATH_FIELDS,
    SETTINGS,
    Setting,
)
from scrapy_justext.site_memory.options import MemoryOptions, memory_options
from scrapy_justext.sites import domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.settings import BaseSettings

__all__ = [
    "DEFAULT_BLOCK_FIELDS",
    "DEFAULT_FIELDS",
    "KEY",
    "OF_CRAWLS",
    "PREFIX",
    "SETTINGS",
    "Configuration",
    "Given",
    "Layers",
    "Setting",
    "configure",
    "from_mapping",
    "from_settings",
    "from_spider",
    "is_enabled",
    "make_layers",
]

PREFIX = "JUSTEXT_"
#: Name of the spider's attribute and of the key in ``request.meta``; prefix of spider arguments.
KEY = "justext"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is done to the pages and items of a crawl, checked."""

    options: Options
    fields: Mapping[str, str | None]
    item_classes: tuple[type, ...] | None
    block_fields: tuple[str, ...]
    blocks: str
    drop: str
    min_good_characters: int
    html_field: str | None
    max_body_bytes: int
    extra_statuses: frozenset[int]
    processes: int
    timeout: float | None
    memory: MemoryOptions


class Given(NamedTuple):
    """A value that somebody set, and what to call the place where they did."""

    value: object
    label: str


@dataclass(frozen=True, slots=True)
class Layers:
    """What was set for a crawl, by how far it reaches; the later the stronger."""

    project: Mapping[str, Given]
    sites: Mapping[str, Mapping[str, Given]]
    """By domain."""
    spider: Mapping[str, Given]

    def given(self, site: str | None = None) -> dict[str, Given]:
        """All that holds for the pages of a site."""
        return {**self.project, **(self.sites[site] if site is not None else {}), **self.spider}


def make_layers(project: Mapping[str, Given], spider: Mapping[str, Given]) -> Layers:
    """The layers of a crawl; raises :class:`SettingError` for sites that are none, or not allowed.

    Every site's settings are checked, though none of its pages may come.
    """
    layers = Layers(project, _sites({**project, **spider}), spider)
    for site in layers.sites:
        configure(layers.given(site))
    return layers


def _sites(given: Mapping[str, Given]) -> dict[str, dict[str, Given]]:
    label = given["sites"].label if "sites" in given else ""
    sites: dict[str, dict[str, Given]] = {}
    for name, values in _values(given)["sites"].items():
        try:
            site = domain(name)
        except ParameterError as error:
            raise SettingError(label, name, error.allowed) from error
        if site in sites:
            raise SettingError(label, name, "must be there once")
        sites[site] = from_mapping(values, f"{label}[{name!r}]", but=OF_CRAWLS)
    return sites


def from_settings(settings: BaseSettings) -> dict[str, Given]:
    """What is set as JUSTEXT_*."""
    return {
        _known(name, "setting", _as_setting): Given(settings.get(name), name)
        for name in settings
        if isinstance(name, str) and name.startswith(PREFIX)
    }


def from_spider(spider: Spider) -> dict[str, Given]:
    """What the spider's attribute ``justext`` and, above it, its arguments ``justext_*`` say."""
    values = getattr(spider, KEY, None)
    attribute = from_mapping({} if values is None else values, f"{type(spider).__name__}.{KEY}")
    arguments = {
        _known(name, "spider argument", _as_argument): Given(value, f"-a {name}")
        for name, value in vars(spider).items()
        if name.startswith(f"{KEY}_")
    }
    return attribute | arguments


def from_mapping(values: object, label: str, *, but: frozenset[str] = frozenset()) -> dict[str, Given]:
    """What a mapping of lower-case names says; ``label`` is the mapping's name in messages.

    ``but``: settings that have no place in it.
    """
    if not isinstance(values, Mapping):
        raise SettingError(label, values, "must be a mapping of setting names to values")
    for name in values:
        if name in but:
            raise SettingError(f"{label}[{name!r}]", values[name], "has no place here")
    names = [name for name in SETTINGS if name not in but]
    return {_known(name, label, str, names): Given(value, f"{label}[{name!r}]") for name, value in values.items()}


def _known(name: object, label: str, spell: Callable[[str], str], names: Iterable[str] = ()) -> str:
    """The setting that is spelt ``name`` in the place that ``label`` names; ``names``: the settings it can be."""
    spelt = {spell(known): known for known in (names or SETTINGS)}
    if isinstance(name, str) and name in spelt:
        return spelt[name]
    raise UnknownNameError(label, name, "setting", spelt)


def _as_setting(name: str) -> str:
    return PREFIX + name.upper()


def _as_argument(name: str) -> str:
    return f"{KEY}_{name}"


def is_enabled(given: Mapping[str, Given]) -> bool:
    """Whether the plugin is switched on."""
    return bool(_values(given)["enabled"])


def configure(given: Mapping[str, Given]) -> Configuration:
    """One configuration of what was set, defaults for the rest; raises :class:`SettingError`."""
    values = _values(given)
    block_fields = values["block_fields"]
    try:
        options = make_options(
            language=values["language"],
            stoplist=values["stoplist"],
            stoplists_dir=values["stoplists_dir"],
            profile=values["profile"],
            paths=not PATH_FIELDS.isdisjoint(block_fields),
            markdown=values["fields"]["markdown"] is not None,
            knobs={name: values[name] for name in KNOBS if values[name] is not None},
        )
    except ParameterError as error:
        label = given[error.name].label if error.name in given else PREFIX + error.name.upper()
        raise SettingError(label, error.value, error.allowed) from error
    if values["block_fields"] is DEFAULT_BLOCK_FIELDS:
        of_images = IMAGE_FIELDS if options.profile.tags.images else ()
        of_models = MODEL_FIELDS if options.profile.reads_data else ()
        values["block_fields"] = (*DEFAULT_BLOCK_FIELDS, *of_images, *of_models)
    return Configuration(
        options=options,
        memory=memory_options(values),
        **{name: values[name] for name in Configuration.__dataclass_fields__ if name in SETTINGS},
    )


def _values(given: Mapping[str, Given]) -> dict[str, Any]:
    """A converted value for each setting; None stands for the default, as in Scrapy's own."""
    values = {name: setting.default for name, setting in SETTINGS.items()}
    for name, (value, label) in given.items():
        if value is None:
            continue
        try:
            values[name] = SETTINGS[name].convert(value)
        except ParameterError as error:
            raise SettingError(label, error.value, error.allowed) from error
    return values
