"""The yardstick itself."""

from __future__ import annotations

from tests.bench.measure import Figure, Figures
from tests.bench.yardstick import measured


def run() -> Figures:
    yardstick = measured()
    return {
        "diplomacy, time per order": Figure(1000 * yardstick.seconds_per_order, "ms"),
        "diplomacy, orders": Figure(yardstick.orders),
    }
