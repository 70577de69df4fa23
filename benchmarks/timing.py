"""Time tasks so that a noisy machine cannot spoil it: they take turns, and medians of ratios are compared."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def seconds_by_round(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds that each task takes in each round; the tasks take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = perf_counter()
            task()
            seconds[name].append(perf_counter() - start)
    return seconds


def ratio(of: list[float], to: list[float]) -> float:
    """Return the median of the ratios of two tasks, round by round."""
    return median(a / b for a, b in zip(of, to, strict=True))
