"""Compile what reads pages where there is a C compiler; give a release a README that links to the site.

Without a compiler, the package is pure Python and slower.  ``SCRAPY_JUSTEXT_COMPILED=1`` makes that an error;
``SCRAPY_JUSTEXT_PURE=1`` compiles nothing.  ``CFLAGS`` and ``LDFLAGS`` are used as by all builds.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "scrapy_justext"
#: What each page goes through: the compiler may take longer for it.
_QUICK = (
    "core.text",
    "core.context_free",
    "core.reading.nodes",
    "core.reading.signs",
    "core.reading.walk",
    "core.reading.lexbor",
    "core.reading.rules",
    "core.reading.flow",
    "core.reading.cutting",
)
#: The modules that are compiled as they are, with the types in the ``.pxd`` beside them; the walk is Cython.
COMPILED = (
    *_QUICK,
    "core.unsegmented",
    "core.reading.code",
    "core.reading.code_lines",
    "core.reading.elements_of_code",
    "core.reading.shown",
    "core.reading.tables",
    "core.reading.formulas.elements",
    "core.reading.formulas.delimiters",
    "core.learned.characters",
    "core.learned.features",
    "core.learned.second",
    "core.learned.sums",
    "core.learned.tree",
    "core.learned.trees",
    "core.markdown.images",
    "core.markdown.inline",
    "core.markdown.runs",
)


class CompilingHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel, or to the checkout of an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say which files there are."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        if version == "editable":
            # Old ones beside new sources, or some without the others, would not fit each other.
            _remove_compiled(root)
        if _is_set("SCRAPY_JUSTEXT_PURE"):
            return
        try:
            made = compile_modules(root)
        # Whatever goes wrong there, the package works without.
        except (Exception, SystemExit) as error:
            if _is_set("SCRAPY_JUSTEXT_COMPILED"):
                raise
            print(f"scrapy-justext is pure Python here, and slower: {error}", file=sys.stderr)
            return
        build_data.update(pure_python=False, infer_tag=True)
        build_data["artifacts"] += [path.as_posix() for path in made]


def _is_set(switch: str) -> bool:
    return os.environ.get(switch, "0") not in ("", "0")


def _remove_compiled(root: Path) -> None:
    for ending in ("so", "pyd"):
        for file in (root / PACKAGE).rglob(f"*.{ending}"):
            file.unlink()


def _options(name: str) -> list[str]:
    """Return what the compiler is told for a module: to leave out what only debuggers need, unless flags are given."""
    # With the -O3 that is usual for Python, it takes twice as long; most modules gain nothing but by vectors.
    level = "-O2" if name in _QUICK else "-O1"
    return [] if "CFLAGS" in os.environ or sys.platform == "win32" else [level, "-ftree-vectorize", "-g0"]


def compile_modules(root: Path, names: Sequence[str] = COMPILED) -> list[Path]:
    """Compile each of some modules to one beside it, all or none; return their paths below ``root``."""
    import lxml  # noqa: PLC0415 (what builds need)
    from Cython.Build import cythonize  # noqa: PLC0415
    from setuptools import Distribution, Extension  # noqa: PLC0415
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415

    class Command(build_ext):
        """Says what is done: pip waits in silence, but for a sign that turns with each line."""

        def build_extension(self, ext: Any) -> None:
            super().build_extension(ext)
            print(f"compiled {ext.name}", flush=True)

    sources = [_source(root / PACKAGE / name.replace(".", "/")) for name in names]
    extensions = [
        Extension(
            f"{PACKAGE}.{name}",
            [os.path.relpath(source)],
            include_dirs=lxml.get_include(),
            extra_compile_args=_options(name),
        )
        for name, source in zip(names, sources, strict=True)
    ]
    with TemporaryDirectory() as temporary:
        # All arrays of an object are there once it is made, and before that they have no length.
        modules = cythonize(extensions, build_dir=temporary, compiler_directives={"initializedcheck": False})
        command = Command(Distribution({"name": PACKAGE, "ext_modules": modules}))
        command.build_lib, command.build_temp, command.force = temporary, temporary, True
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
        compiled = map(Path, command.get_outputs())
        made = {root / path.relative_to(temporary): path.read_bytes() for path in compiled}
    # Only now: new modules beside old ones would not fit each other.
    write_all(made)
    return [target.relative_to(root) for target in made]


def write_all(contents: dict[Path, bytes]) -> None:
    """Write compiled modules; leave none of them if one cannot be written."""
    try:
        for target, content in contents.items():
            # Another process may have the old one open.
            target.unlink(missing_ok=True)
            target.write_bytes(content)
    except OSError:
        for target in contents:
            if target.is_file():
                target.unlink()
        raise


def _source(path: Path) -> Path:
    cython = path.with_suffix(".pyx")
    return cython if cython.exists() else path.with_suffix(".py")


class ReadmeHook(MetadataHookInterface):
    """Gives a release the README, with links that work away from the repository."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        text = link_to_site(Path(self.root, "README.md").read_text("utf-8"), metadata["urls"]["Documentation"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def link_to_site(text: str, base: str) -> str:
    """Return a text in Markdown whose links to files lead to the pages and pictures of the site at ``base``.

    >>> link_to_site("[Limits](docs/limits.md#depth) ![A](docs/images/a.png)", "https://a.b/")
    '[Limits](https://a.b/limits.html#depth) ![A](https://a.b/_images/a.png)'
    """

    def link(match: re.Match[str]) -> str:
        path, sharp, anchor = match[1].removeprefix("docs/").partition("#")
        if path.endswith(".md"):
            path = f"{path.removesuffix('.md').lower()}.html"
        return f"]({base}{path.replace('images/', '_images/')}{sharp}{anchor})"

    return re.sub(r"\]\((?!https?:)([^)\s]+)\)", link, text)
