"""Facts of phase 4, and of money given to an ally at any time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.facts.moves import set_down
from engine.games.trench_club.state import State, Unit
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import PublicFact


@fast_frozen
@dataclass(frozen=True, slots=True)
class IncomeCollected(PublicFact):
    """MONEY-2"""

    camp: Camp
    amount: int

    def apply(self, state: State) -> None:
        state.money[self.camp] += self.amount
        state.phase = "money"


@dataclass(frozen=True, slots=True)
class UnitRepaired(PublicFact):
    """MONEY-3"""

    unit: str
    cost: int

    def apply(self, state: State) -> None:
        state.money[state.camp(self.unit)] -= self.cost
        state.units[self.unit] = replace(state.units[self.unit], damage=0)


@dataclass(frozen=True, slots=True)
class SpecialPaid(PublicFact):
    """BUY-6 Paid first, then drawn."""

    camp: Camp
    cost: int

    def apply(self, state: State) -> None:
        state.money[self.camp] -= self.cost


@dataclass(frozen=True, slots=True)
class SpecialDrawn(PublicFact):
    """BUY-6"""

    reveals: ClassVar[bool] = True
    nation: Nation
    type: str

    def apply(self, state: State) -> None:
        """Told, not done."""


@fast_frozen
@dataclass(frozen=True, slots=True)
class UnitBought(PublicFact):
    """BUY-2 It stands in the fort, a gunboat on the water. `cost` 0: paid before the draw."""

    unit: str
    nation: Nation
    type: str
    at: str
    cost: int

    def apply(self, state: State) -> None:
        state.money[state.camp_of[self.nation]] -= self.cost
        kind = self.unit.rstrip("0123456789")
        state.made[kind] = state.made.get(kind, 0) + 1
        state.units[self.unit] = Unit(self.unit, self.nation, self.type)
        set_down(state, self.unit, self.at)


@dataclass(frozen=True, slots=True)
class MoneyGiven(PublicFact):
    """MONEY-8"""

    giver: Camp
    to: Camp
    amount: int
    received: int

    def apply(self, state: State) -> None:
        state.money[self.giver] -= self.amount
        state.money[self.to] += self.received


MONEY_FACTS = (IncomeCollected, UnitRepaired, SpecialPaid, SpecialDrawn, UnitBought, MoneyGiven)
