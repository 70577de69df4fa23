"""Sphinx's settings for the documentation site: ``tox -e docs`` builds it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from pygments.formatters import HtmlFormatter
from sphinx.util.docutils import SphinxDirective

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

from docs import pictures  # noqa: E402 (found by the path above)

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "scrapy-justext"
author = "The scrapy-justext developers"
copyright = f"2026, {author}"  # noqa: A001 (Sphinx's name for it)

extensions = ["sphinx_scrapy", "myst_parser", "sphinx_rtd_dark_mode", "docs.links"]
exclude_patterns = ["_build", "gallery", "figures"]
html_theme = "sphinx_rtd_theme"
html_static_path = ["_static"]
html_css_files = ["colours.css", "site.css", "pictures.css"]
# Before the theme's own script: a reader who has chosen nothing gets what the system has.
html_js_files = [("scheme.js", {"priority": 100})]
default_dark_mode = False
html_title = "scrapy-justext"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Other sites' inventories are not needed: the pages link to those sites by address.
scrapy_intersphinx_disable = ["python", "scrapy"]

# What the pages name of this package, they have; other projects are not looked up.
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!scrapy_justext).*|.*\.AnyItem")]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# What the modules for other frameworks import is too large for this.
autodoc_mock_imports = ["datatrove", "fastwarc", "langchain_core", "nemo_curator", "orjson", "pandas", "py4j"]
autodoc_mock_imports += ["pyarrow", "pyspark", "ray", "scrapy_poet", "web_poet"]


class Picture(SphinxDirective):
    """Puts a picture that the package draws of an example page into the site: ``{picture} NAME``."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """Draw it."""
        (name,) = self.arguments
        for path in (Path(pictures.__file__), *pictures.sources(name)):
            self.env.note_dependency(str(path))
        return [nodes.raw("", pictures.draw(name), format="html")]


def write_files_beside(app: Sphinx, error: Exception | None) -> None:
    """Write the colours of pictures and of code in the dark, and the pages that the pictures link to."""
    if error is None and app.builder.format == "html":
        code = HtmlFormatter(style="github-dark").get_style_defs("html[data-theme='dark'] .highlight")
        Path(app.outdir, "gallery").mkdir(exist_ok=True)
        for name, text in (("_static/colours.css", pictures.style() + code), *pictures.files_beside()):
            Path(app.outdir, name).write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    """Add the directive, and what belongs to it."""
    app.add_directive("picture", Picture)
    app.connect("build-finished", write_files_beside)
