"""The site of most pages, and a folder for what crawls write."""

from pathlib import Path

import pytest
import scrapy
from scrapy.utils.reactor import install_reactor

from tests.crawl.content import GERMAN, GOOD_PAGE, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.server import site_of

if scrapy.version_info < (2, 15):
    # It makes crawlers only where there is a reactor.
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

SITE = {
    "/good": GOOD_PAGE,
    "/poor": POOR_PAGE,
    "/more": page(MORE_ENGLISH, title="More"),
    "/german": page(GERMAN, title="Die Brücke", lang="de"),
}
site = site_of(SITE, "session")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the crawls of a module write into."""
    return tmp_path_factory.mktemp("folder")
