from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

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
