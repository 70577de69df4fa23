"""A part of Sphinx: settings are linked, and arguments are listed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import pending_xref

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: The page with the table of all settings.
SETTINGS_PAGE = "settings"


def link_settings(app: Sphinx, doctree: nodes.document) -> None:
    """Make each row of the table of settings a target, and each other mention of a setting a link to it."""
    # It names settings that are gone.
    if app.env.docname == "changelog":
        return
    rows = doctree.findall(nodes.row) if app.env.docname == SETTINGS_PAGE else ()
    targets = {}
    for row in rows:
        name = next(iter(row.findall(nodes.literal)), row)
        if name.astext().startswith("JUSTEXT_"):
            targets[name] = row
            row["ids"].append(name.astext())
            app.env.domains.standard_domain.note_object("setting", name.astext(), name.astext(), location=row)
    for name in list(doctree.findall(nodes.literal)):
        setting = re.match(r"(JUSTEXT_[A-Z_]+)(?: = |$)", name.astext())
        if setting and name not in targets and not is_linked(name):
            link = pending_xref(
                refdomain="std", reftype="setting", reftarget=setting[1], refdoc=app.env.docname, refwarn=True
            )
            name.replace_self(link)
            link += name


def is_linked(node: nodes.Element) -> bool:
    """Return whether a node is in a link or in a title, which is linked by the table of contents."""
    return isinstance(node, nodes.reference | pending_xref | nodes.title) or (
        node.parent is not None and is_linked(node.parent)
    )


def list_arguments(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:  # noqa: ARG001 (autodoc's signature)
    """Make a list of the lines of a docstring that explain arguments, and a paragraph of what is raised."""
    made: list[str] = []
    indent = ""
    for line in lines:
        if re.match(r"(?:``\w+``,? ?)+(?::|$)", line) and not (indent and made[-1].endswith(",")):
            made += [*([] if indent else [""]), f"* {line}"]
            indent = "  "
        elif line.startswith(("Raise ", "Raises ")):
            made += ["", line]
            indent = ""
        else:
            indent = indent if line else ""
            made.append(indent + line)
    lines[:] = made


def setup(app: Sphinx) -> None:
    """Tell Sphinx what is added."""
    app.connect("autodoc-process-docstring", list_arguments)
    app.connect("doctree-read", link_settings)
    app.add_css_file("settings.css")
