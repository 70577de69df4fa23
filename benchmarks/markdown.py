"""Write the table of a benchmark as Markdown, for the documentation to include: nobody copies a figure by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def write_table(path: Path, note: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table below a line that says how it was made; its first column is text, the others are figures."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([note, "", *lines, ""]), "utf-8")
