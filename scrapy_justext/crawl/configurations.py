"""Which configuration holds for a page of a crawl: that of its site, unless its request chooses another."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scrapy.http import Response

from scrapy_justext.core.corpora import CORPUS_FORMATS
from scrapy_justext.core.parts import PARTS
from scrapy_justext.crawl.pages import OFF, skip_reason
from scrapy_justext.crawl.settings import (
    KEY,
    OF_CRAWLS,
    Configuration,
    Given,
    configure,
    from_mapping,
    from_settings,
    from_spider,
    is_enabled,
    keeps_all_languages,
    make_layers,
    named_parts,
    without_effect,
)
from scrapy_justext.crawl.sites import site_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Configurations:
    """The configurations of one crawl.

    Raises :class:`~scrapy_justext.exceptions.SettingError` for a setting that is not allowed.
    """

    def __init__(self, crawler: Crawler) -> None:
        spider = {} if crawler.spider is None else from_spider(crawler.spider)
        self._layers = layers = make_layers(from_settings(crawler.settings), spider)
        feeds = crawler.settings.getdict("FEEDS").values()
        #: Whether blocks have their text, though it stands beside them, and their language: in a corpus, each is a
        #: paragraph of its own.
        self._has_corpus = any(feed.get("format") in CORPUS_FORMATS for feed in feeds)
        #: The configuration of pages that belong to no site.
        self.of_crawl = self._configure(layers.given())
        #: Whether the plugin is on for these pages.  If not, only sites or requests switch it on.
        self.is_on = is_enabled(layers.given())
        self._of_sites = {None: self.of_crawl} | {site: self._configure(layers.given(site)) for site in layers.sites}
        self._sites_in_use = frozenset(site for site in self._of_sites if is_enabled(layers.given(site)))
        _OF_CRAWLS[id(crawler)] = self

    def _configure(self, given: Mapping[str, Given]) -> Configuration:
        configuration = configure(given)
        if not self._has_corpus:
            return configuration
        block_fields = tuple(dict.fromkeys([*configuration.block_fields, "language"]))
        return replace(configuration, is_text_once=False, block_fields=block_fields)

    @property
    def in_use(self) -> list[Configuration]:
        """Those of the sites, and of the pages of no site, on which the plugin is on."""
        return [self._of_sites[site] for site in self._sites_in_use]

    @property
    def parts_by_field(self) -> dict[str, str]:
        """The parts of extractions that items get, on whatever site, by the item field that each goes to."""
        fields = (configuration.fields.items() for configuration in self._of_sites.values())
        return {field: part for of_site in fields for part, field in of_site if field}

    @property
    def fields_of_lists(self) -> frozenset[str]:
        """The item fields that get lists of dicts, though nobody named these in ``JUSTEXT_FIELDS``."""
        unnamed = {name for name, part in PARTS.items() if part.is_nested} - named_parts(self._layers)
        return frozenset(field for field, part in self.parts_by_field.items() if part in unnamed)

    def site_of(self, url: str) -> str:
        """Return the site of a page: one of ``JUSTEXT_SITES``, or the host."""
        return self._layers.site_of(url) or site_name(url)

    def of_site(self, url: str) -> Configuration:
        """Return the configuration for a page, whatever its request chooses."""
        return self._of_sites[self._layers.site_of(url)]

    def of_request(self, request: Request) -> Configuration:
        """Return the configuration for the page that a request asks for."""
        return self.choose(Response(request.url), request)[0]

    def choose(self, response: Response, request: Request | None) -> tuple[Configuration, str | None]:
        """Return the configuration for a response, and why the response is not cleaned (None if it is).

        Raises :class:`~scrapy_justext.exceptions.SettingError` for a choice of the request that is not allowed.
        """
        site = self._layers.site_of(response.url)
        configuration = self._of_sites[site]
        override = request.meta.get(KEY) if request is not None else None
        if override is None:
            why_off = None if site in self._sites_in_use else "site" if self.is_on else OFF
            return configuration, why_off or skip_reason(request, response, configuration)
        if isinstance(override, bool):
            override = {"enabled": override}
        asked = from_mapping(override, f"request.meta[{KEY!r}]", but=OF_CRAWLS)
        given = self._layers.given(site) | asked
        if not is_enabled(given):
            return configuration, "request" if "enabled" in asked else "site" if self.is_on else OFF
        if asked.keys() - {"enabled"}:
            configuration = self._configure(given)
        return configuration, skip_reason(request, response, configuration)

    def warn(self) -> None:
        """Log what was set without effect."""
        if idle := without_effect(self._layers, self._of_sites.values()):
            profiles = {configuration.options.profile.name for configuration in self._of_sites.values()}
            looking = " or ".join(f"the profile {name}" for name in sorted(profiles))
            logger.warning("%s: without effect, as %s does not look at it", ", ".join(idle), looking)
        if any(map(keeps_all_languages, self._of_sites.values())):
            logger.warning(
                "JUSTEXT_KEEP_LANGUAGES: without effect, as JUSTEXT_LANGUAGE says that all pages are in these "
                'languages; set that to "auto" to have the language of each page detected'
            )


# By the id() of their crawlers.  A crawl's session keeps both, so that no other crawler gets the same id() while there
# is an entry.
_OF_CRAWLS: WeakValueDictionary[int, Configurations] = WeakValueDictionary()


def configurations_of(crawler: Crawler) -> Configurations | None:
    """Return the configurations of a crawl; None for one that does not use the plugin."""
    return _OF_CRAWLS.get(id(crawler))
