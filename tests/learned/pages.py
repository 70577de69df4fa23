"""What the tests of the learned profiles look at: features by name, and labelled pages made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.learned.features import compute
from scrapy_justext.core.learned.table import FEATURES
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import LENIENT
from scrapy_justext.evaluation.datasets.documents import Document
from tests.builders import tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROSE = "The harbour lay still, and nobody spoke of the storm that had gone by in the night. "
COLUMNS = {feature.name: place for place, feature in enumerate(FEATURES)}


def features_of(html: str) -> NDArray[np.float32]:
    """The features of a page's blocks."""
    root = tree(html)
    segments, count = segment_and_count(root, LENIENT)
    return compute(segments, Elements(root, LENIENT, count))


def column(html: str, name: str) -> list[float]:
    """One feature of all blocks of a page, rounded."""
    return [round(float(value), 3) for value in features_of(html)[:, COLUMNS[name]]]


def document(number: int, page_type: str = "article") -> Document:
    """A labelled page: a menu, some paragraphs that are its gold text, a footer."""
    texts = [f"{PROSE}It was day {number}, paragraph {i}." for i in range(2 + number % 3)]
    menu = "".join(f"<li><a href=x>Item {i}</a></li>" for i in range(4 + number % 4))
    html = (
        f"<ul class=menu>{menu}</ul><article>{''.join(f'<p>{text}</p>' for text in texts)}</article>"
        f"<footer>All rights reserved {number}</footer>"
    )
    return Document(
        id=str(number),
        html=html.encode(),
        encoding="utf-8",
        encoding_origin="data set",
        encoding_confidence=1.0,
        gold="\n".join(texts),
        url=f"https://www.site{number}.example/page",
        page_type=page_type,
    )
