from array import array
from collections.abc import Callable

from scrapy_justext.core.reading import PublishedReader, TreePosition
from scrapy_justext.core.tables import Tables

DIGEST: str

def count_marks(flat: str) -> tuple[int, int, int]: ...

class Cutter:
    def __init__(
        self, flat: str, reader: PublishedReader, tables: Tables, told: Callable[[str, str], tuple[str, str, bool]]
    ) -> None: ...
    def cut(self, position: TreePosition) -> int: ...

class WordCounter:
    def __init__(self, stoplist: frozenset[str]) -> None: ...
    def measure(
        self, texts: list[str], link_characters: array[int]
    ) -> tuple[list[int], list[int], list[float], list[float]]: ...
