"""What is foregone for lines before the first round: what fits no company, what nothing asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.games.trench_club.answers import COMPANIES
from engine.games.trench_club.notation.lines import OrderLine
from engine.games.trench_club.notation.orders import (
    ACT,
    ActiveOrder,
    BuyOrder,
    FlipOrder,
    GiveOrder,
    PlaceOrder,
    SplitOrder,
)
from engine.games.trench_club.rules.companies import companies_allowed
from engine.games.trench_club.rules.placing import company_of
from engine.games.trench_club.rules.purchases import why_not_fort
from engine.games.trench_club.view import View
from engine.kernel import suppositions
from engine.kernel.errors import Illegal, Refusal

BEFORE_PLAY = ("split", "placing")  # phases


class Outlook(suppositions.Outlook):
    """SETUP-21 Companies are named before the first is placed, and all are placed before the first round."""

    view: View

    def is_idle(self, line: Any) -> bool:
        kind = self.window.rpartition(".")[2]
        if not isinstance(line, OrderLine):
            return False
        match line.order:
            case SplitOrder():
                return kind != "S"
            case PlaceOrder():
                return kind not in ("S", "F", "P", "A") or (kind == "S" and not self._flips())
            case GiveOrder():
                return self._places_more(kind)
            case ActiveOrder():
                position = self.view.position
                return position.phase not in BEFORE_PLAY and not companies_allowed(position, self.view.camp)
        return False

    def why_lost(self, line: Any) -> Refusal | None:
        if not isinstance(line, OrderLine):
            return None
        if isinstance(line.order, BuyOrder):
            return self._no_fort(line.order, line.number)
        if self.view.position.phase not in BEFORE_PLAY:
            return None
        if isinstance(line.order, PlaceOrder) and self.view.position.phase == "placing":
            return self._no_such_company({ref.unit(self.view) for ref in line.order.units()}, line.number)
        return self._never_paid(line.order, line.number) if isinstance(line.order, GiveOrder) else None

    def _flips(self) -> bool:
        """Who flips without being asked may place without being asked; a player alone flips at once."""
        alone = len(self.view.position.seats) == 1
        return alone or any(isinstance(line.order, FlipOrder) for line in (*self.sheet, *self.standing))

    def _places_more(self, kind: str) -> bool:
        """MONEY-7 The first gift is asked for when all are placed; before that its writer is asked again."""
        position, camp = self.view.position, self.view.camp
        if position.phase not in BEFORE_PLAY or self._flips():
            return False
        left = [company for company in COMPANIES if f"{camp}.{company}" not in position.numbers]
        return len(left) > (kind == "F" and self.window.split(".")[2] == self.view.seat)

    def _no_such_company(self, named: set[str], number: int) -> Refusal | None:
        """SETUP-14 A company is placed as a whole, and what is in it does not change."""
        position, camp = self.view.position, self.view.camp
        companies = [set(company_of(position, camp, company)) for company in COMPANIES]
        left = [units for units in companies if units and not any(position.units[one].at for one in units)]
        if not left or named in left:
            return None
        nearest = max(left, key=lambda units: len(units & named))
        strange, missing = sorted(named - nearest), sorted(nearest - named)
        if strange:
            return Illegal("TC-SETUP-14", "not-in-company", {"unit": strange[0]}, number)
        return Illegal("TC-SETUP-14", "not-placed-once", {"unit": missing[0]}, number)

    def _no_fort(self, order: BuyOrder, number: int) -> Refusal | None:
        """BUY-2, FORT-2 Bought units come into an own fort; none is taken in a turn in which nobody acts."""
        position, camp = self.view.position, self.view.camp
        alone = sum(one == camp for one in position.camp_of.values()) == 1
        acts = any(isinstance(one, OrderLine) and ACT in one.topics for one in self.sheet)
        refusal = why_not_fort(position, order.fort, camp)
        if refusal is None or position.active != camp or acts or not alone:
            return None
        return replace(refusal, line=number)

    def _never_paid(self, order: GiveOrder, number: int) -> Refusal | None:
        """MONEY-2, 8 Nobody earns anything before the first turn; the ally may have given before."""
        position, camp = self.view.position, self.view.camp
        ally = position.ally_of(camp)
        fee, money = position.pack.money.transfer_fee, position.money[camp]
        most = money + (max(0, position.money[ally] - fee) if ally is not None else 0)
        if order.amount <= most:
            return None
        facts = {"cost": order.amount, "money": money}
        return Illegal("TC-MONEY-8", "not-enough-money", facts, number)
