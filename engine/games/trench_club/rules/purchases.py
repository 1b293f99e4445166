"""MONEY-3..8, BUY-1..10 What money may be spent on, and why not."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.trench_club.answers import (
    DONE,
    Buy,
    Camp,
    Done,
    Give,
    Nation,
    Purchase,
    Repair,
    Special,
)
from engine.games.trench_club.facts.money import UnitBought
from engine.games.trench_club.rules.special_forces import (
    deck,
    free_water,
    has_free_water,
    is_at_limit,
    is_behind,
    is_free_water,
    is_naval,
    special_types,
    strength,
)
from engine.games.trench_club.rules.terrain import WATER
from engine.games.trench_club.rules.victory import enemy_of
from engine.games.trench_club.state import Position
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng

ENOUGH = 0.25  # a random player stops so often before each purchase
GENEROUS = 0.05  # or gives to the ally
PARTICULAR = 0.1  # or names the water for a gunboat


def why_not_pay(position: Position, camp: Camp, cost: int, rule: str) -> Refusal | None:
    """MONEY-8 No debt."""
    money = position.money[camp]
    return Illegal(rule, "not-enough-money", {"cost": cost, "money": money}) if cost > money else None


# ------------------------------------------------------------------ repairs


def why_not_repair(position: Position, unit: str, camp: Camp) -> Refusal | None:
    """MONEY-3..6"""
    if unit not in position.units:
        return Illegal("TC-MONEY-3", "no-such-unit", {"unit": unit})
    found = position.units[unit]
    if position.camp(unit) != camp:
        return Illegal("TC-MONEY-3", "not-own-unit", {"unit": unit})
    if found.at not in position.forts:
        return Illegal("TC-MONEY-4", "not-in-fort", {"unit": unit, "hex": found.at})
    if unit not in position.sheltered:
        return Illegal("TC-MONEY-5", "came-in-this-turn", {"unit": unit, "fort": found.at})
    if found.damage == 0:
        return Illegal("TC-MONEY-6", "undamaged", {"unit": unit})
    return why_not_pay(position, camp, position.pack.money.repair_cost, "TC-MONEY-3")


def repairable(position: Position, camp: Camp) -> list[str]:
    """MONEY-4, 5 Damaged units that have been in an own fort since the turn began, whatever it costs."""
    found = [position.units[unit] for unit in position.sheltered if unit in position.units]
    return [unit.id for unit in found if unit.damage and position.camp_of[unit.nation] == camp]


# ------------------------------------------------------------------ purchases


def why_not_buy(position: Position, type_: str, fort: str, nation: Nation) -> Refusal | None:
    """BUY-1, 2, 4, 5, 10"""
    camp, pack = position.camp_of[nation], position.pack
    if type_ not in pack.sheet[nation]:
        return Illegal("TC-BUY-5", "not-on-sheet", {"type": type_, "nation": nation})
    if (refusal := why_not_fort(position, fort, camp)) is not None:
        return refusal
    if is_at_limit(position, camp, type_):
        return Illegal("TC-BUY-10", "unit-limit", {"type": type_, "limit": position.options["unit_limit"]})
    return why_not_pay(position, camp, pack.types[type_].price, "TC-BUY-1")


def affordable(position: Position, nation: Nation) -> list[str]:
    """BUY-1, 10 Types of the sheet that can be paid and owned."""
    camp, types, limit = position.camp_of[nation], position.pack.types, position.options["unit_limit"]
    money = position.money[camp]
    payable = [type_ for type_ in position.pack.sheet[nation] if types[type_].price <= money]
    if not payable or not limit:
        return payable
    own = [unit.type for unit in position.of_camp(camp)]
    return [type_ for type_ in payable if own.count(type_) < limit]


def why_not_fort(position: Position, fort: str, camp: Camp) -> Refusal | None:
    """BUY-2, 4"""
    own = tuple(position.forts_of(camp))
    if not own:
        return Illegal("TC-BUY-4", "no-fort")
    return None if fort in own else Illegal("TC-BUY-2", "not-own-fort", {"fort": fort, "legal": own})


def why_not_special(position: Position, act: Special, nation: Nation) -> Refusal | None:
    """BUY-3, 6..10"""
    camp = position.camp_of[nation]
    if (refusal := why_not_fort(position, act.fort, camp)) is not None:
        return refusal
    if act.choice and (refusal := _why_not_choice(position, act.choice, camp)) is not None:
        return refusal
    if not deck(position, camp):
        return Illegal("TC-BUY-9", "deck-empty")
    if act.water and not _may_be_water(position, act):
        return Illegal("TC-BUY-3", "not-free-water", {"hex": act.water})
    return why_not_pay(position, camp, position.pack.special.price, "TC-BUY-11")


def _may_be_water(position: Position, act: Special) -> bool:
    """BUY-3, D8 Free for a gunboat that is chosen. Of a blind draw it is a wish, and the purchase does not
    depend on it: the hex may be taken, but water it must be.
    """
    if act.choice and is_naval(position, act.choice):
        return is_free_water(position, act.water)
    return act.water in position.grid and position.terrain(act.water) == WATER


def _why_not_choice(position: Position, type_: str, camp: Camp) -> Refusal | None:
    """BUY-7..10"""
    if type_ not in special_types(position):
        return Illegal("TC-BUY-5", "no-special-force", {"type": type_, "legal": special_types(position)})
    team = position.pack.team_of[camp]
    if not is_behind(position, team):
        own, enemy = strength(position, team), strength(position, enemy_of(team))
        told = {"units": own.units, "forts": own.forts, "enemies": enemy.units, "enemy_forts": enemy.forts}
        return Illegal("TC-BUY-7", "not-behind", told)
    if is_at_limit(position, camp, type_):
        return Illegal("TC-BUY-10", "unit-limit", {"type": type_, "limit": position.options["unit_limit"]})
    if is_naval(position, type_) and not has_free_water(position):
        return Illegal("TC-BUY-3", "no-free-water")
    return None


def choices(position: Position, camp: Camp) -> list[str]:
    """BUY-7, 9 What a team that is behind may take out of the deck."""
    if not is_behind(position, position.pack.team_of[camp]):
        return []
    lying = deck(position, camp)
    return [type_ for type_ in special_types(position) if type_ in lying]


# ------------------------------------------------------------------ gifts


def why_not_give(position: Position, amount: Answer, camp: Camp) -> Refusal | None:
    """MONEY-7, 8 To the ally only; the fee comes out of it and something must arrive."""
    least = position.pack.money.transfer_fee + 1
    if position.ally_of(camp) is None:
        return Illegal("TC-MONEY-8", "no-ally")
    if type(amount) is not int or amount < least:
        return Illegal("TC-MONEY-8", "too-little", {"least": least})
    return why_not_pay(position, camp, amount, "TC-MONEY-8")


def gifts(position: Position, camp: Camp) -> range:
    """MONEY-8 Every sum that may be given."""
    most = position.money[camp] if position.ally_of(camp) is not None else 0
    return range(position.pack.money.transfer_fee + 1, most + 1)


# ------------------------------------------------------------------ what is offered


class Purchases(Options):
    """MONEY-1 One repair or purchase, or none any more; `bought`: the repairs are over."""

    __slots__ = ("_bought", "_camp", "_nation", "_position")

    def __init__(self, position: Position, nation: Nation, bought: bool = False) -> None:
        self._position, self._nation, self._bought = position, nation, bought
        self._camp = position.camp_of[nation]

    def why_not(self, answer: Answer) -> Refusal | None:
        position, camp = self._position, self._camp
        match answer:
            case Done():
                return None
            case Repair(unit=unit):
                if self._bought:
                    return Illegal("TC-MONEY-1", "repairs-come-first", {"unit": unit})
                return why_not_repair(position, unit, camp)
            case Buy(type=type_, fort=fort):
                return why_not_buy(position, type_, fort, self._nation)
            case Special():
                return why_not_special(position, answer, self._nation)
            case Give(amount=amount):
                return why_not_give(position, amount, camp)
            case _:
                return Illegal("TC-MONEY-1", "not-a-purchase")

    def sample(self, rng: Rng) -> Answer:
        position, camp = self._position, self._camp
        if not position.money[camp] or rng.random() < ENOUGH:
            return DONE
        if rng.random() < GENEROUS and (gifts := self._gifts()):
            return rng.choice(gifts)
        if (repairs := self._repairs()) and rng.random() < 0.5:
            return rng.choice(repairs)
        if not (forts := position.forts_of(camp)):
            return DONE
        fort, types = rng.choice(forts), affordable(position, self._nation)
        specials = self._special(fort)
        if not types and not specials:
            return DONE
        if rng.randrange(len(types) + len(specials)) < len(types):
            return Buy(rng.choice(types), fort)
        named = rng.random() < PARTICULAR and (water := free_water(position))
        return Special(fort, rng.choice(water) if named else "", rng.choice(specials).choice)

    def only(self) -> tuple[Answer] | None:
        """Nothing can be paid, or there is nothing to pay for."""
        position, forts = self._position, self._position.forts_of(self._camp)
        if self._repairs() or self.contains(Give(position.money[self._camp])):
            return None
        if forts and (affordable(position, self._nation) or self._special(forts[0])):
            return None
        return (DONE,)

    def describe(self) -> Sequence[Answer]:
        """Everything that can be paid; special forces without the choice of water."""
        forts = self._position.forts_of(self._camp)
        bought = [act for fort in forts for act in (*self._kinds(fort), *self._special(fort))]
        return [DONE, *self._repairs(), *bought, *self._gifts()]

    def _repairs(self) -> list[Purchase]:
        found = [Repair(unit) for unit in repairable(self._position, self._camp)]
        return [repair for repair in found if self.contains(repair)]

    def _kinds(self, fort: str) -> list[Buy]:
        return [Buy(type_, fort) for type_ in affordable(self._position, self._nation)]

    def _special(self, fort: str) -> list[Special]:
        """BUY-6..8 Into an own fort: blind, or by choice."""
        position, camp = self._position, self._camp
        if position.money[camp] < position.pack.special.price or not deck(position, camp):
            return []
        return [Special(fort), *(Special(fort, choice=type_) for type_ in choices(position, camp))]

    def _gifts(self) -> list[Purchase]:
        return [Give(amount) for amount in gifts(self._position, self._camp)]


class Gifts(Options):
    """MONEY-7 Coins for the ally, outside phase 4 too; 0: nothing."""

    __slots__ = ("_camp", "_position")

    def __init__(self, position: Position, camp: Camp) -> None:
        self._position, self._camp = position, camp

    def why_not(self, answer: Answer) -> Refusal | None:
        if type(answer) is int and answer == 0:
            return None
        return why_not_give(self._position, answer, self._camp)

    def sample(self, rng: Rng) -> Answer:
        return 0 if rng.random() >= GENEROUS else rng.choice(self.describe())

    def only(self) -> tuple[Answer] | None:
        offered = self.describe()
        return (offered[0],) if len(offered) == 1 else None

    def describe(self) -> Sequence[Answer]:
        return [0, *gifts(self._position, self._camp)]


def bought_unit(position: Position, nation: Nation, type_: str, at: str, cost: int) -> UnitBought:
    """BUY-2, 12 Its number has never been used before."""
    kind = f"{nation}.{position.pack.types[type_].code}"
    return UnitBought(f"{kind}{position.made.get(kind, 0) + 1}", nation, type_, at, cost)
