"""Makes the example project's packages importable, as they are in its folder."""

from __future__ import annotations

import sys

from tests.crawl.crawling import EXAMPLE_PROJECT

sys.path.insert(0, str(EXAMPLE_PROJECT))
