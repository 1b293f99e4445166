"""How far the rehearsal of a sheet goes: what is laid out before the first round is not asked about again."""

from __future__ import annotations

from typing import Any

from engine.games.trench_club.notation.lines import OrderLine
from engine.games.trench_club.notation.orders import PlaceOrder, SplitOrder
from engine.games.trench_club.view import View
from engine.kernel import suppositions


class Suppositions(suppositions.Suppositions):
    """SETUP-21 Companies are named before the first is placed, and all are placed before the first round."""

    def wants(self, line: Any, view: View, window: str) -> bool:
        kind = window.rpartition(".")[2]
        if not isinstance(line, OrderLine):
            return True
        if isinstance(line.order, SplitOrder):
            return kind == "S"
        return not isinstance(line.order, PlaceOrder) or kind in ("S", "F", "P", "A")
