"""What a benchmark tells: a figure, and the bar it has to reach."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. Without a bar it only informs."""

    value: float
    unit: str = ""  # "ms", "1/s"; nothing for a ratio
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ok(self) -> bool:
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    @property
    def bar(self) -> str:
        """The bar in words; empty for a figure that only informs."""
        bars = [f"≤ {self.at_most:g}"] if self.at_most is not None else []
        bars += [f"≥ {self.at_least:g}"] if self.at_least is not None else []
        return " and ".join(bars)

    @property
    def shown(self) -> str:
        number = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.3g}"
        return f"{number} {self.unit}".strip()


Figures = Mapping[str, Figure]  # what -> figure


def seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """The shortest of several runs, with the collector off: what the work costs, not what disturbed it."""
    best = float("inf")
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeat):
            began = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - began)
    finally:
        if was_on:
            gc.enable()
    return best
