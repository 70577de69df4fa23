"""Time tasks so that a noisy machine cannot spoil it.

They take turns, the clock is that of this process' processor time, and medians of ratios are compared.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def seconds_by_round(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the processor seconds that each task takes in each round; the tasks take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = process_time()
            task()
            seconds[name].append(process_time() - start)
    return seconds


def ratio(of: list[float], to: list[float]) -> float:
    """Return the median of the ratios of two tasks, round by round."""
    return median(a / b for a, b in zip(of, to, strict=True))
