from collections.abc import Callable, Mapping

from lxml import etree

from scrapy_justext.core.kernel.tree import TreeWriter

DIGEST: str

class ElementReader:
    def __init__(
        self,
        writer: TreeWriter,
        block: str,
        tags: Mapping[str, int],
        readers: Mapping[str, Callable[[str], int]],
        most: int,
    ) -> None: ...
    def read(self, root: etree._Element, count: int) -> tuple[list[bytes], bytes] | None: ...
