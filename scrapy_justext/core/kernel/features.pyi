from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.learned.tree import ElementColumns

DIGEST: str

class TextMeasurer:
    def __init__(
        self,
        units: NDArray[np.float32],
        kinds: NDArray[np.uint16],
        bits: Mapping[str, int],
        units_of_word: float,
        units_of_sentence: float,
    ) -> None: ...
    def measure(self, texts: list[str]) -> bytes: ...

class FeatureComputer:
    def __init__(self, measurer: TextMeasurer, constants: Mapping[str, Any]) -> None: ...
    def compute(self, segments: BlockTable, columns: ElementColumns, title: str) -> bytes: ...

def renumbered(numbers: NDArray[np.intp], places: array[int]) -> tuple[bytes, bytes]: ...
