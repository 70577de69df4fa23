"""List all settings in a table, and make one checked configuration from what people set.

The same names serve everywhere: ``JUSTEXT_LENGTH_LOW`` in the settings, ``length_low`` in a spider's attribute
``justext`` and in ``request.meta["justext"]``, ``justext_length_low`` as a spider argument.  From weak to strong:

1. the project's settings, in Scrapy's own order (project, ``custom_settings``, command line);
2. those of the page's site in ``JUSTEXT_SITES``;
3. the spider's attribute, then its arguments;
4. ``request.meta``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import isroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.utils.misc import load_object

from scrapy_justext.core.chunks import CHUNK_CHARACTERS
from scrapy_justext.core.extraction import BLOCK_FIELDS
from scrapy_justext.core.languages import UNDETERMINED
from scrapy_justext.core.markdown.tables import HTML, TABLES
from scrapy_justext.core.options import PARAMETER_NAMES, Options, is_code_without_list, make_options
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.core.parsing import LXML, PARSERS
from scrapy_justext.core.parts import PARTS, Metadata
from scrapy_justext.crawl.conversion import (
    Converter,
    as_fields,
    as_given,
    at_least_one,
    boolean,
    classes,
    item_field,
    laid_over,
    language,
    mapping,
    names,
    names_among,
    number,
    one_of,
    page_types,
    path,
    rules,
    seconds,
    share,
    statuses,
    stop_words,
    whole_number,
)
from scrapy_justext.crawl.sites import domain, find_domain, host_of
from scrapy_justext.exceptions import ParameterError, SettingError, UnknownKeyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy import Spider
    from scrapy.settings import BaseSettings

#: The parts of an extraction that an item can get, with the item field that each goes to.
DEFAULT_FIELDS: Mapping[str, str | None] = {name: name if part.in_items else None for name, part in PARTS.items()}
#: The parts that items have only where duplicates are marked.
PARTS_OF_DUPLICATES = frozenset({"is_duplicate", "duplicate_of"})

#: Paths are made only when asked for.
PATH_FIELDS = frozenset({"xpath", "dom_path"})
#: What blocks have if the profile makes blocks of images.
IMAGE_FIELDS = ("image_url", "image_alt")
#: What blocks have if a trained model judges.
MODEL_FIELDS = ("probability", "origin")
#: What takes time, and few need.
ASKED_FIELDS = frozenset({*PATH_FIELDS, "role", "language"})
DEFAULT_BLOCK_FIELDS = tuple(name for name in BLOCK_FIELDS if name not in {*ASKED_FIELDS, *IMAGE_FIELDS, *MODEL_FIELDS})


#: Enough for every page that people read, and so few that a page takes at most five seconds and 1 GB in any profile.
MAX_BLOCKS = 50_000


class Setting(NamedTuple):
    """A setting: its default (None: not set), how a value is converted and checked, its meaning.

    ``is_of_crawl``: whether it holds for the whole crawl, so that no site and no request can have its own.
    """

    default: object
    convert: Converter
    meaning: str
    is_of_crawl: bool = False


def _setting(default: object, convert: Converter, meaning: str, *, is_of_crawl: bool = False) -> Any:
    """Return the field of a setting."""
    return field(metadata={"setting": Setting(default, convert, meaning, is_of_crawl)})


#: Converters of parameters by the type of their default; ``number`` for all other types.
_CONVERTERS: Mapping[type, Converter] = {bool: boolean, str: as_given}

#: The settings that the engine gets, and those that decide which others hold.
_OF_ENGINE: Mapping[str, Setting] = {
    "enabled": Setting(True, boolean, "False switches the plugin off, except for sites and requests that turn it on"),
    "profile": Setting("justext", as_given, "the rules, passes and thresholds to use"),
    "language": Setting(
        "auto",
        language,
        "a name, in English or in the language itself, or ISO 639 code; a list: each page's language is chosen"
        ' from these; "auto": from all; "none": stop words do not count',
    ),
    "stoplist": Setting(
        None,
        stop_words,
        "your own stop words in place of the language's: a path, a list of `Path`s (merged), or a list of words",
    ),
    "stoplists_dir": Setting(
        None, as_given, "a folder of LANGUAGE.txt files, which replace the shipped ones of the same languages"
    ),
    **{
        name: Setting(None, _CONVERTERS.get(type(parameter.default), number), parameter.text)
        for name, parameter in PARAMETERS.items()
    },
    "keep_css": Setting((), rules, "CSS selectors of elements whose blocks are good"),
    "drop_css": Setting((), rules, "CSS selectors of elements whose blocks are bad; stronger than `keep_css`"),
    "drop_text": Setting((), rules, "regular expressions; a block is bad if one is found in its text"),
    "sites": Setting(
        {},
        mapping,
        "settings by domain, sub-domains included; their names are in lower case, without the prefix",
        is_of_crawl=True,
    ),
    "markdown_tables": Setting(
        HTML,
        one_of(*TABLES),
        "tables [in Markdown](docs/markdown.md#tables) whose cells hold blocks or reach over others: html, pipes",
    ),
    "guess_dates": Setting(
        False,
        boolean,
        "whether [htmldate](docs/metadata.md#dates-that-nothing-declares) looks for the date of pages that declare "
        "none; it needs the extra `metadata`",
    ),
    "ruby": Setting(False, boolean, "whether the readings of words, in RUBY, are text"),
    "parser": Setting(
        LXML,
        one_of(*PARSERS),
        "what parses pages [of archives and files](docs/archives.md#parsers): lxml, html5; in a crawl, pages keep"
        " the tree that their callbacks use",
    ),
    "max_blocks": Setting(
        MAX_BLOCKS, whole_number, "pages with more blocks are counted and passed on, but not cleaned"
    ),
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """The checked settings for the pages and items of a crawl; those that decide on blocks are in ``options``."""

    options: Options
    is_text_once: bool
    """Whether blocks are without their text where it stands beside them."""
    keep_languages: frozenset[str] = _setting(
        (),
        names,
        "names or codes of [languages](docs/languages.md#filter-pages-by-language); pages in others, and in "
        "unknown ones unless `und` is among them, have no good content; []: all are kept",
    )
    """The codes of the languages that are kept, as pages have them; empty: all are."""
    fields: Mapping[str, str | None] = _setting(
        DEFAULT_FIELDS,
        laid_over(DEFAULT_FIELDS, "part of an extraction"),
        "item field for each part of the extraction; parts not named keep the default; None leaves a part out;"
        " a list adds parts, under their own names",
    )
    item_classes: tuple[type, ...] | None = _setting(
        None, classes, "item classes to clean; items of others pass unchanged"
    )
    block_fields: tuple[str, ...] = _setting(
        DEFAULT_BLOCK_FIELDS,
        names_among("field of a block", BLOCK_FIELDS),
        "metadata of each entry of `blocks`; name `xpath` and `dom_path` to get them; by default `text` only if "
        "the item does not get the same text, metadata of images and trained models only if the profile has them",
    )
    blocks: str = _setting("good", one_of("good", "all"), "which blocks are listed: good, all")
    chunk_characters: int = _setting(
        CHUNK_CHARACTERS, at_least_one, "most characters of an entry of [`chunks`](docs/chunks.md)"
    )
    drop: str = _setting(
        "item",
        one_of("item", "response", "none"),
        "what is dropped for a page without good content: item, response (then nobody follows its links), none",
    )
    drop_uncleaned: bool = _setting(
        False,
        boolean,
        "drop [items of pages that cannot be cleaned](docs/items.md): JSON, PDF, empty or too large pages, errors",
    )
    min_good_characters: int = _setting(
        1, whole_number, "a page with fewer characters in good blocks has no good content"
    )
    min_confidence: float = _setting(
        0,
        share,
        "`learned` profiles: a page whose [expected F1](docs/learned.md#confidence-and-page-type) is lower has no "
        "good content; 0: all have",
    )
    drop_types: tuple[str, ...] = _setting(
        (),
        page_types,
        "[types of pages](docs/learned.md#confidence-and-page-type) that have no good content, such as"
        ' `["listing", "collection"]`, whatever the profile; their links are followed unless `drop` is response',
    )
    html_field: str | None = _setting(
        None,
        item_field,
        "item field that holds HTML, for items that come from no page, or from one that is not cleaned",
    )
    max_body_bytes: int = _setting(
        10 * 1024 * 1024, whole_number, "larger pages are counted and passed on, but not cleaned"
    )
    extra_statuses: frozenset[int] = _setting(
        frozenset(), statuses, "HTTP statuses outside 200 to 299 whose pages are cleaned, too"
    )
    processes: int = _setting(
        0,
        whole_number,
        "processes that extract pages beside the crawl; 0: pages are extracted in the crawl's own process",
        is_of_crawl=True,
    )
    timeout: float | None = _setting(
        None,
        seconds,
        "seconds after which a page is given up; without `processes`, only after its extraction has ended",
    )
    retry_meta: Mapping[str, Any] = _setting(
        {},
        mapping,
        "meta of a [second request](docs/second-requests.md) for a page that came without its text, such as"
        ' {"playwright": True}; {}: there is none',
    )
    retry_confidence: float = _setting(
        0,
        share,
        "`learned` profiles: a page with good content whose [confidence](docs/learned.md#confidence-and-page-type)"
        " is lower is requested again, too",
    )
    retry_site_limit: int = _setting(100, whole_number, "most second requests for pages of one host")
    retry_limit: int = _setting(10_000, whole_number, "most second requests of a crawl", is_of_crawl=True)
    site_stats: Path | None = _setting(  # noqa: RUF009 (it makes a field)
        None,
        path,
        "a file for what became of [each site](docs/site-report.md), as JSON; None: it is not counted",
        is_of_crawl=True,
    )
    site_report: Path | None = _setting(  # noqa: RUF009 (it makes a field)
        None, path, "a file for the same as a page of HTML, with the worst pages of each site", is_of_crawl=True
    )
    summary: bool = _setting(
        False,
        boolean,
        "whether a crawl prints at its end [what became of its pages](docs/fields.md#the-summary), with two "
        "addresses for each reason why nothing was kept",
        is_of_crawl=True,
    )
    join_pages: int = _setting(
        0,
        whole_number,
        "most pages of an [article of several pages](docs/several-pages.md) that are joined; 0: they stay apart",
    )
    join_callback: bool = _setting(
        False, boolean, "callbacks may request the following pages of an article, too; their items come twice"
    )
    site_memory: bool = _setting(False, boolean, "make blocks [bad](docs/sites.md) that many pages of a site repeat")
    site_memory_pages: int = _setting(
        5, whole_number, "pages of a site that must be known before its repeated blocks are bad"
    )
    site_memory_share: float = _setting(
        0.1, share, "share of a site's pages; a repeated block must be on more of them to be bad"
    )
    site_memory_count: int = _setting(
        4, whole_number, "pages of a site; a repeated block must be on at least so many to be bad"
    )
    site_memory_length: int = _setting(
        30, whole_number, "characters; shorter blocks, such as headings and lines of dialogue, may repeat"
    )
    site_memory_look: str = _setting(
        "none",
        one_of("none", "hold", "end"),
        "which items wait until their page is judged again: none; hold: those of a site's first pages; end: all",
    )
    site_memory_hold: int = _setting(1000, whole_number, "most items that wait at the same time", is_of_crawl=True)
    site_memory_blocks: int = _setting(
        20_000, whole_number, "most blocks of one site that are remembered", is_of_crawl=True
    )
    site_memory_all_blocks: int = _setting(
        1_000_000, whole_number, "most blocks of all sites together that are remembered", is_of_crawl=True
    )
    duplicates: str = _setting(
        "none",
        one_of("none", "mark", "drop", "drop-blocks"),
        "pages and blocks that [repeat others](docs/duplicates.md): none: are not looked for; mark: are marked; "
        "drop: the items of such pages are dropped; drop-blocks: such blocks are bad, too",
    )
    duplicates_share: float = _setting(
        0.5, share, "share of n-grams; a block or page is repeated if more of its n-grams were seen on others"
    )
    duplicates_memory: int = _setting(
        256, at_least_one, "megabytes that the n-grams of a crawl may take", is_of_crawl=True
    )

    def fields_of_blocks(self, *, beside_text: bool) -> tuple[str, ...]:
        """Return the metadata of blocks.  ``beside_text``: their item or row gets the text of the page, too."""
        is_left_out = beside_text and self.is_text_once
        return tuple(name for name in self.block_fields if name != "text" or not is_left_out)


#: All settings by their lower-case names.  The table in the docs is made from this one.
SETTINGS: Mapping[str, Setting] = {
    **_OF_ENGINE,
    **{of.name: of.metadata["setting"] for of in fields(Configuration) if of.metadata},
}
#: Settings of the whole crawl: no site and no request can have its own.
OF_CRAWLS = frozenset(name for name, setting in SETTINGS.items() if setting.is_of_crawl)


PREFIX = "JUSTEXT_"
#: A misspelling that would set nothing.
PREFIX_WITH_HYPHEN = "JUSTEXT-"
#: Name of the spider's attribute and of the key in ``request.meta``; prefix of spider arguments.
KEY = "justext"


class Given(NamedTuple):
    """A value that somebody set.  ``label``: the name of the place where it was set, for error messages."""

    value: object
    label: str


@dataclass(frozen=True, slots=True)
class Layers:
    """What was set for a crawl, from weak to strong."""

    project: Mapping[str, Given]
    sites: Mapping[str, Mapping[str, Given]]
    """By domain."""
    spider: Mapping[str, Given]

    def given(self, site: str | None = None) -> dict[str, Given]:
        """Return what was set for the pages of a site, or for those of no site."""
        return {**self.project, **(self.sites[site] if site is not None else {}), **self.spider}

    def site_of(self, url: str | None) -> str | None:
        """Return the domain among the ``sites`` that a page belongs to; None if there is none."""
        # Most crawls set nothing for sites.
        return find_domain(host_of(url), self.sites) if self.sites else None


def make_layers(project: Mapping[str, Given], spider: Mapping[str, Given]) -> Layers:
    """Return the layers of a crawl, with the settings of every site checked; raise :class:`SettingError`."""
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
    """Return the settings ``JUSTEXT_*``; names in lower case, and unknown names, are an error."""
    if isinstance(values := settings.get(KEY.upper()), Mapping):
        raise SettingError(KEY.upper(), values, "each setting has a name of its own, such as JUSTEXT_LANGUAGE")
    return {
        _known(name, _as_setting): Given(settings.get(name), name)
        for name in settings
        if isinstance(name, str) and name.upper().startswith((PREFIX, PREFIX_WITH_HYPHEN))
    }


def from_spider(spider: Spider) -> dict[str, Given]:
    """Return the settings in the spider's attribute ``justext`` and its arguments ``justext_*``, which are stronger.

    Attributes ``justext_*`` of its class are defaults of these arguments.  Names in capitals, and unknown names, are an
    error.
    """
    kind = type(spider).__name__
    values = getattr(spider, KEY, None)
    attribute = from_mapping({} if values is None else values, f"{kind}.{KEY}")
    names = [name for name in dir(spider) if name.upper().startswith((PREFIX, PREFIX_WITH_HYPHEN))]
    arguments = {
        _known(name, lambda known: f"{KEY}_{known}"): Given(
            getattr(spider, name), f"-a {name}" if name in vars(spider) else f"{kind}.{name}"
        )
        for name in names
        if not isroutine(getattr(spider, name))
    }
    return attribute | arguments


def from_mapping(values: object, label: str, *, but: frozenset[str] = frozenset()) -> dict[str, Given]:
    """Return the settings in a mapping of lower-case names.

    ``label``: the mapping's name in messages; ``but``: the settings that are not allowed in it.
    """
    if not isinstance(values, Mapping):
        raise SettingError(label, values, "must be a mapping of setting names to values")
    for name in values:
        if name in but:
            raise SettingError(f"{label}[{name!r}]", values[name], "can only be set for the whole crawl")
    names = [name for name in SETTINGS if name not in but]
    return {_known(name, str, names, label): Given(value, f"{label}[{name!r}]") for name, value in values.items()}


def _known(name: object, spell: Callable[[str], str], names: Iterable[str] = (), label: str = "") -> str:
    """Return the setting that ``name`` stands for; raise :class:`UnknownKeyError` if there is none.

    ``spell``: returns how a setting is spelt where it was set; ``names``: the settings that are allowed there, all if
    empty; ``label``: the mapping that it was set in, for the message.
    """
    spelt = {spell(known): known for known in (names or SETTINGS)}
    if isinstance(name, str) and name in spelt:
        return spelt[name]
    raise UnknownKeyError(label, name, "setting", spelt)


def _as_setting(name: str) -> str:
    return PREFIX + name.upper()


def _codes_of(names: Sequence[object], options: Options, given: Mapping[str, Given]) -> frozenset[str]:
    """Return the codes of the languages that are kept, as pages have them.

    Raises :class:`SettingError` for an unknown language, and if no page could be in one of them.
    """
    codes: set[str] = set()
    label = given["keep_languages"].label if "keep_languages" in given else ""
    for name in names:
        if name == UNDETERMINED or is_code_without_list(name, options.library):
            codes.add(str(name))
            continue
        try:
            codes.add(options.library.get(name).code)
        except ParameterError as error:
            raise SettingError(label, name, error.allowed) from error
    candidates = options.candidates
    of_pages = {language.code for language in candidates or ()}
    if codes and of_pages and codes.isdisjoint(of_pages):
        of = ", ".join(sorted(of_pages))
        allowed = f"no page would be left, since JUSTEXT_LANGUAGE says that all are in {of}"
        raise SettingError(label, list(names), allowed)
    return frozenset(codes)


def is_enabled(given: Mapping[str, Given]) -> bool:
    """Return whether the plugin is switched on."""
    return bool(_values(given)["enabled"])


def configure(given: Mapping[str, Given], settings: Mapping[str, Setting] = SETTINGS) -> Configuration:
    """Return the configuration from what was set, with defaults for the rest; raise :class:`SettingError`."""
    values = _values(given, settings)
    block_fields = values["block_fields"]
    try:
        options = make_options(
            language=values["language"],
            stoplist=values["stoplist"],
            stoplists_dir=values["stoplists_dir"],
            profile=values["profile"],
            paths=not PATH_FIELDS.isdisjoint(block_fields),
            markdown=values["fields"]["markdown"] is not None,
            html=values["fields"]["html"] is not None,
            markdown_tables=values["markdown_tables"],
            metadata=any(values["fields"][part] is not None for part in Metadata._fields),
            guess_dates=values["guess_dates"],
            page_types=bool(values["drop_types"]) or _asks_for_types(given),
            ruby=values["ruby"],
            parser=values["parser"],
            max_blocks=values["max_blocks"],
            **{name: values[name] for name in PARAMETER_NAMES if values[name] is not None},
        )
    except ParameterError as error:
        label = given[error.name].label if error.name in given else _as_setting(error.name)
        raise SettingError(label, error.value, error.allowed) from error
    is_default = block_fields is DEFAULT_BLOCK_FIELDS
    if is_default:
        of_images = IMAGE_FIELDS if options.profile.tags.images else ()
        of_models = MODEL_FIELDS if options.profile.models else ()
        values["block_fields"] = (*DEFAULT_BLOCK_FIELDS, *of_images, *of_models)
    # The text of a page is that of its good blocks.
    values["is_text_once"] = is_default and values["blocks"] == "good"
    if values["duplicates"] != "mark":
        values["fields"] = {**values["fields"], **dict.fromkeys(PARTS_OF_DUPLICATES)}
    values["keep_languages"] = _codes_of(values["keep_languages"], options, given)
    of_crawl = {name: values[name] for name in Configuration.__dataclass_fields__ if name in values}
    return Configuration(options=options, **of_crawl)


def _asks_for_types(given: Mapping[str, Given]) -> bool:
    """Return whether somebody names a field for the types of pages."""
    fields = given["fields"].value if "fields" in given else None
    named = as_fields(fields) if _is_given(fields) else {}
    return any(named.get(part) is not None for part in ("page_type", "page_type_probability"))


def _values(given: Mapping[str, Given], settings: Mapping[str, Setting] = SETTINGS) -> dict[str, Any]:
    """Return a converted value for each setting."""
    values = {name: setting.default for name, setting in settings.items()}
    for name, (value, label) in given.items():
        if not _is_given(value):
            continue
        try:
            values[name] = settings[name].convert(value)
        except ParameterError as error:
            raise SettingError(label, error.value, error.allowed) from error
    return values


def named_parts(layers: Layers) -> set[str]:
    """Return the parts of extractions that somebody named in ``JUSTEXT_FIELDS``, wherever."""
    given = (layers.project, *layers.sites.values(), layers.spider)
    values = [layer["fields"].value for layer in given if "fields" in layer and _is_given(layer["fields"].value)]
    return {part for value in values for part in as_fields(value)}


def without_effect(layers: Layers, configurations: Iterable[Configuration]) -> list[str]:
    """Return where parameters were set that no profile looks at.

    ``configurations``: those of the crawl and of its sites.
    """
    chosen = [configuration.options for configuration in configurations]
    used = {name for options in chosen for name in options.profile.used_under(options.thresholds)}
    if any(options.profile.models for options in chosen):
        used |= _CONFIDENCES
    idle = {*PARAMETERS, *_CONFIDENCES} - used
    given = (layers.project, *layers.sites.values(), layers.spider)
    return [
        place.label for values in given for name, place in values.items() if name in idle and _is_given(place.value)
    ]


#: What only a trained model tells.
_CONFIDENCES = frozenset({"min_confidence", "retry_confidence"})


def keeps_all_languages(configuration: Configuration) -> bool:
    """Return whether languages are chosen to be kept, and every page counts as being in one of them."""
    kept, candidates = configuration.keep_languages, configuration.options.candidates
    return bool(kept and candidates) and all(language.code in kept for language in candidates or ())


def earlier_pipelines(settings: BaseSettings, own: type) -> str:
    """Return the user's pipelines that get items before the plugin's pipeline, with their order; "" for none.

    ``own``: the class of the plugin's pipeline.  Scrapy's own pipelines fetch files, and need no text.
    """
    pipelines = settings.getwithbase("ITEM_PIPELINES").items()
    orders = {load_object(path): order for path, order in pipelines if order is not None}
    plugin = next((pipeline for pipeline in orders if issubclass(pipeline, own)), None)
    if plugin is None:
        return ""
    earlier = [pipeline for pipeline, order in orders.items() if pipeline is not plugin and order <= orders[plugin]]
    users = [pipeline for pipeline in earlier if not pipeline.__module__.startswith("scrapy.")]
    *names, name = [f"{of.__module__}.{of.__qualname__} ({orders[of]})" for of in (*users, plugin)]
    return f"{', '.join(names)} before {name}" if names else ""


def _is_given(value: object) -> bool:
    """Return False for None, which stands for the default, as in Scrapy's own settings."""
    # Command lines give nothing but text.
    return value is not None and not (isinstance(value, str) and value == "None")


def custom_settings(values: Mapping[str, Any]) -> str:
    """Return the source code that gives a spider these settings, by their lower-case names.

    >>> print(custom_settings({"profile": "article", "length_low": 50}))
    custom_settings = {
        "JUSTEXT_PROFILE": "article",
        "JUSTEXT_LENGTH_LOW": 50,
    }
    """
    lines = (f'    "{_as_setting(name)}": {literal(value)},\n' for name, value in values.items())
    return f"custom_settings = {{\n{''.join(lines)}}}"


def literal(value: object) -> str:
    """Return a value as Python spells it, strings in double quotes.

    >>> literal(["de", "fr"]), literal(None), literal(0.3)
    ('["de", "fr"]', 'None', '0.3')
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(map(literal, value))}]" if isinstance(value, list | tuple) else repr(value)
