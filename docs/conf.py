"""Sphinx's settings for the documentation site: ``tox -e docs`` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

project = "scrapy-justext"
author = "The scrapy-justext developers"
copyright = f"2026, {author}"  # noqa: A001 (Sphinx's name for it)

extensions = ["sphinx_scrapy", "myst_parser", "sphinx_rtd_dark_mode"]
exclude_patterns = ["_build"]
html_theme = "sphinx_rtd_theme"
# Light at first; the reader's choice is kept.
default_dark_mode = False
html_title = "scrapy-justext"
html_baseurl = "https://scrapy-justext.readthedocs.io/en/latest/"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Other sites' inventories are not needed: the pages link to those sites by address.
scrapy_intersphinx_disable = ["python", "scrapy"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
