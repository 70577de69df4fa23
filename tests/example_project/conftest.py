"""Makes the example project's packages importable, as they are in its folder."""

import sys

from tests.crawl.crawling import EXAMPLE_PROJECT

sys.path.insert(0, str(EXAMPLE_PROJECT))
