"""What the spiders yield."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Page:
    """A page.  The spider fills the URL, the plugin all the rest."""

    url: str
    title: str | None = None
    language: str | None = None
    text: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)
