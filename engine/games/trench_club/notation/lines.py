"""Lines of a sheet: one order each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.games.trench_club.answers import TurnGiven
from engine.games.trench_club.notation.lexicon import Pen
from engine.games.trench_club.notation.orders import (
    ACT,
    GIVE,
    SPEND,
    TARGETS,
    GiveOrder,
    Order,
    PlaceOrder,
    SplitOrder,
)
from engine.games.trench_club.rules.purchases import why_not_give
from engine.games.trench_club.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Language, Line, Said, Tempo, Window
from engine.kernel.requests import Ask

JOINT = frozenset({TARGETS})
SEQUENCE = frozenset({ACT, SPEND, GIVE})
AT_ANY_TIME = (SplitOrder, PlaceOrder, GiveOrder)  # the others are parts of a turn
MONEY = (4, 5, 6)  # stages: repairs, purchases, where a special force is put
TACIT = frozenset({"turn.lead", "turn.join"})  # whoever orders anything leads his turn himself
TURN: Mapping[str, tuple[str, ...]] = {  # what each exchange of letters is for (`windows`)
    "S": ("setup.split",),
    "F": ("setup.flip",),
    "P": ("setup.place",),
    "A": ("setup.place",),
    "T": (ACT, TARGETS),
    "M": (SPEND, "turn.put"),
}


@dataclass(frozen=True, slots=True)
class OrderLine(Line):
    """One order."""

    order: Order
    number: int = field(default=0, compare=False)
    lacks: Refusal | None = field(default=None, compare=False)  # another line without which it cannot be
    joined: tuple[int, ...] = field(default=(), compare=False)  # numbers of lines that go along with it

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.number, *self.joined)

    @property
    def topics(self) -> tuple[str, ...]:
        return self.order.served()

    @property
    def decides(self) -> str:
        return self.order.topics[0] if self.order.single else ""

    @property
    def may_fail(self) -> bool:
        """What cannot be paid is passed over and told: it never rejects a letter (decisions 4)."""
        return self.order.stage in MONEY

    def attempt(self, ask: Ask, view: View) -> Said | None:
        if ask.topic in self.topics:
            return None if self._waits(ask, view) else self.order.meaning(ask, view)
        if ask.topic in TACIT and not self.order.lasting and self.order.stage:
            return Said("orders")
        return None

    def serves(self, ask: Ask, beside: bool = False) -> bool:
        """By being there it says who leads; whether it is done shows at the questions that it is for."""
        return ask.topic in self.topics

    def _waits(self, ask: Ask, view: View) -> bool:
        """COOP-5 The captain's orders for a partner's units stand by while that partner may order them."""
        if not is_for_partner(self.order, view) or not isinstance(ask.given, TurnGiven):
            return False
        return not all(ref.nation_in(view) in ask.given.led for ref in self.order.acting())

    def slot(self) -> str:
        return self.order.slot() if self.order.lasting else ""

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        """Moves, attacks and PASS make a turn, what is said of money the money phase after MONEY LATER.

        With money alone, a gift, DEFAULT, ACTIVE or MONEY LATER nobody would move: more is awaited.
        """
        return not set(self.topics).isdisjoint(TURN[window.key.rpartition(".")[2]])

    def out_of_turn(self, view: View) -> Refusal | None:
        """SETUP-22 Orders of a turn are those of whose turn it is; they are not kept for another.

        Nor is a line good that wants another beside it.
        """
        position, own = view.position, view.position.active == view.camp
        if own or self.order.lasting or isinstance(self.order, AT_ANY_TIME):
            return self.lacks
        return Illegal("TC-SETUP-22", "not-your-turn", {"nation": position.active}, self.number)

    def check(self, view: View) -> Refusal | None:
        """What is given outside one's own turn can be paid or not now; all else depends on the moves."""
        order = self.order
        if not isinstance(order, GiveOrder) or order.turn:
            return None
        return why_not_give(view.position, order.amount, view.camp)

    def never(self, view: View) -> Refusal | None:
        """MONEY-8 Who has no ally gives to nobody, and of too small a gift nothing arrives."""
        if not isinstance(self.order, GiveOrder) or not self.order.amount:
            return None
        refusal = why_not_give(view.position, self.order.amount, view.camp)
        for_good = refusal is not None and refusal.reason in ("no-ally", "too-little")
        return replace(refusal, line=self.number) if refusal is not None and for_good else None

    def write(self, language: Language = "en") -> str:
        return self.order.write(Pen(language))


def is_for_partner(order: Order, view: View) -> bool:
    """COOP-5 Does the captain order a unit of his partner's?"""
    if view.camp != view.nation:
        return False
    partners = [one for one, camp in view.position.camp_of.items() if camp == view.camp != one]
    return bool(partners) and any(ref.nation_in(view) in partners for ref in order.acting())


def joined(ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
    """TARGET-1 The attacks of all lines, in the order in which they are written."""
    said = [line.answer(ask, view) for line in lines]
    attacks: list[Any] = [attack for one in said if one is not None for attack in one.value]
    return Said(tuple(attacks))
