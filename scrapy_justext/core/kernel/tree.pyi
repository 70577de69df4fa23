from collections.abc import Mapping, Sequence

from lxml import etree

from scrapy_justext.core.formulas.elements import Sign
from scrapy_justext.core.treatments import Treatment

SIZE_OF_ELEMENT: int
DIGEST: str

def text_of(element: etree._Element, expression: str) -> str: ...

class Watcher: ...

class TreeWriter:
    def __init__(self, by_mode: dict[str, dict[str, Treatment]], instruction: str) -> None: ...
    def write(
        self,
        element: etree._Element,
        search: TreeSearch | None = None,
        watcher: Watcher | None = None,
        drops_blank: bool = False,
    ) -> str | None: ...

class TreeSearch:
    def __init__(self, signs: Mapping[str, Sequence[Sign]]) -> None: ...
    def finds(self, element: etree._Element) -> bool: ...
