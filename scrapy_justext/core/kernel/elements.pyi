from collections.abc import Callable, Collection, Mapping

from lxml import etree

from scrapy_justext.core.kernel.tree import TreeWriter, Watcher

DIGEST: str

class ElementReader:
    def __init__(
        self,
        writer: TreeWriter,
        tags: Mapping[str, int],
        readers: Mapping[str, Callable[[str], int]],
        word_attributes: Collection[str],
        most: int,
    ) -> None: ...

class ElementReading(Watcher):
    def __init__(self, reader: ElementReader, root: etree._Element) -> None: ...
    def columns(self, count: int) -> tuple[list[bytes], bytes] | None: ...
