"""Tell the roles of the blocks of labelled pages, as far as that is possible.

The roles of made pages are known (:mod:`.made`).  On other pages, the gold text tells content and posts, and most other
roles are told by names of elements and by words.  In half of the pages, the model does not see these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.core.learned.pages import ROLES
from scrapy_justext.core.learned.second import KINDS, SECOND_FEATURES, read_markers
from scrapy_justext.core.learned.table import NAMES, NUMBERS, TAGS, WORDS
from training.harder import random_of
from training.made import ROLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features

#: How many blocks of a page are trained on, of each role.
_OF_ROLE = 2
#: By role: names of elements around a block that is none of the gold text, in the order in which they are tried.
_NAMED = {
    "consent": "cookie consent", "comment": "comment reply", "legal": "copyright", "byline": "byline author date",
    "related": "related recommend teaser", "navigation": "NAV MENU nav menu breadcrumb skip",
}  # fmt: skip
#: The same by kinds of markers, of short blocks.
_MARKED = {"legal": "legal", "consent": "cookie"}
#: The most units of a byline.
_BYLINE_UNITS = 80
_CONTENT_FROM, _OTHER_UP_TO = 0.8, 0.2
_WORD_COLUMNS = [
    len(SECOND_FEATURES) + number + part * len(NAMES)
    for part in (0, 1)
    for number in range(len(TAGS), len(TAGS) + len(WORDS))
]


def weak_roles(features: Features, labels: NDArray[np.float32], page_type: str | None) -> list[str | None]:
    """Return the roles of a labelled page's blocks; None where nothing tells them."""
    assert features.view is not None
    rows = {feature.name: features.numbers[row].tolist() for row, feature in enumerate(NUMBERS[:60])}
    flags, markers = features.names(slice(None))[:, len(NAMES) :], read_markers(features.view.texts)
    named = {
        role: np.any(flags[:, [_column(name) for name in names.split()]], axis=1) for role, names in _NAMED.items()
    }

    def role(i: int) -> str | None:
        if labels[i] > _CONTENT_FROM:
            return "post" if page_type == "forum" else "content"
        if labels[i] > _OTHER_UP_TO:
            return None
        if rows["is_heading"][i] and rows["in_title"][i]:
            return "headline"
        for kind, marker in _MARKED.items():
            if markers[i] >> KINDS.index(marker) & 1:
                return kind
        named_role = next((kind for kind in _NAMED if named[kind][i]), "other")
        return "other" if named_role == "byline" and rows["units"][i] > _BYLINE_UNITS else named_role

    return [role(i) for i in range(features.count)]


def _column(name: str) -> int:
    return NAMES.index(name.lower() if name.isupper() else name, 0 if name.isupper() else len(TAGS))


def known_roles(elements: list[HtmlElement]) -> list[str | None]:
    """Return the roles of a made page's blocks, by their ``elements``."""
    nearest = (element.xpath(f"ancestor-or-self::*[@{ROLE}][1]/@{ROLE}") for element in elements)
    return [str(roles[0]) if roles else "other" for roles in nearest]


def some_of(
    inputs: NDArray[np.float32], roles: Sequence[str | None], name: str
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return some blocks of a page and the numbers of their roles, few of each; ``name``: the page's."""
    random = random_of("roles", name)
    chosen: list[int] = []
    for role in ROLES:
        of_role = [i for i, other in enumerate(roles) if other == role]
        chosen += random.sample(of_role, min(_OF_ROLE, len(of_role)))
    rows = inputs[chosen]
    if random.random() < 0.5:
        rows[:, _WORD_COLUMNS] = 0
    return rows, np.array([ROLES.index(str(roles[i])) for i in chosen], np.intp)
