from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_justext.core.learned.tree import ElementColumns

DIGEST: str

class MarkerReader:
    def __init__(
        self,
        phrases: Mapping[str, int],
        strings: Mapping[str, int],
        sought_inside: str,
        date_bit: int,
        date_words: str,
        longest: int,
    ) -> None: ...
    def read(self, texts: list[str]) -> bytes: ...

class SecondComputer:
    def __init__(self, constants: Mapping[str, Any]) -> None: ...
    def compute(
        self,
        numbers: NDArray[np.float32],
        first: NDArray[np.float32],
        columns: ElementColumns,
        element: NDArray[np.intp],
        markers: bytes,
    ) -> bytes: ...

def log_odds(
    features: NDArray[np.float32], columns: NDArray[np.int16], borders: NDArray[np.float32], leaves: NDArray[np.float32]
) -> bytes: ...
def weights(
    features: NDArray[np.float32], columns: NDArray[np.int16], borders: NDArray[np.float32], leaves: NDArray[np.float32]
) -> bytes: ...
