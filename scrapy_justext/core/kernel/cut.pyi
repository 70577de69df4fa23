from collections.abc import Callable, Iterable

from scrapy_justext.core.reading import PublishedReader, TreePosition
from scrapy_justext.core.tables import Tables

DIGEST: str

class Cutter:
    def __init__(
        self, flat: str, reader: PublishedReader, tables: Tables, told: Callable[[str, str], tuple[str, str, bool]]
    ) -> None: ...
    def cut(self, position: TreePosition) -> int: ...

class WordCounter:
    def __init__(self, stoplist: frozenset[str]) -> None: ...
    def count(self, texts: Iterable[str]) -> tuple[list[int], list[int]]: ...
