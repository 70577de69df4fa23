from collections.abc import Callable, Collection

from lxml import etree

from scrapy_justext.core.kernel.tree import TreeWriter

DIGEST: str

class StyleReader:
    def __init__(
        self, writer: TreeWriter, names: Collection[str], by_class: Collection[str], says: Callable[[str], bool]
    ) -> None: ...
    def read(
        self,
        element: etree._Element,
        chunks: Collection[int],
        in_text: Collection[int],
        numbers: Collection[int],
        holders: Collection[int],
        last: int,
    ) -> tuple[
        list[str],
        list[tuple[int, int, int, int | None, str, bool]],
        dict[int, int],
        dict[int, etree._Element],
        dict[int, etree._Element | None],
        dict[etree._Element, etree._Element | None],
    ]: ...
