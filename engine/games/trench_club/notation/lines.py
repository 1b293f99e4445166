"""Lines of a sheet: one order each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.games.trench_club.notation.lexicon import Pen
from engine.games.trench_club.notation.orders import ACT, SPEND, TARGETS, Order
from engine.games.trench_club.view import View
from engine.kernel.game import Language, Line, Said
from engine.kernel.requests import Ask
from engine.notation.lines import SheetLine

JOINT = frozenset({TARGETS})
SEQUENCE = frozenset({ACT, SPEND})
TACIT = frozenset({"turn.lead"})  # whoever orders anything leads his turn himself


@dataclass(frozen=True, slots=True)
class OrderLine(SheetLine):
    """One order."""

    order: Order
    number: int = field(default=0, compare=False)

    @property
    def topics(self) -> tuple[str, ...]:
        return self.order.topics

    @property
    def stays(self) -> bool:
        return False

    def attempt(self, ask: Ask, view: View) -> Said | None:
        if ask.topic in self.order.topics:
            return self.order.meaning(ask, view)
        if ask.topic in TACIT and not self.order.lasting and self.order.stage:
            return Said("orders")
        return None

    def slot(self) -> str:
        return self.order.slot() if self.order.lasting else ""

    def write(self, language: Language = "en") -> str:
        return self.order.write(Pen(language))


def joined(ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
    """TARGET-1 The attacks of all lines, in the order in which they are written."""
    said = [line.answer(ask, view) for line in lines]
    attacks: list[Any] = [attack for one in said if one is not None for attack in one.value]
    return Said(tuple(attacks))
