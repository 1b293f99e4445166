"""MONEY, BUY Phase 4: income, repairs, purchases; and money for the ally at any time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import (
    DONE,
    Buy,
    Camp,
    Done,
    DrawnGiven,
    Give,
    MoneyGiven,
    Nation,
    Purchase,
    Repair,
    Special,
)
from engine.games.trench_club.facts import money as facts
from engine.games.trench_club.rules.automa import shop
from engine.games.trench_club.rules.purchases import Gifts, Purchases, bought_unit, why_not_give
from engine.games.trench_club.rules.special_forces import (
    deck,
    free_water,
    is_free_water,
    is_naval,
    nearest_water,
)
from engine.games.trench_club.rules.victory import at_round_limit
from engine.games.trench_club.state import Position, State
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Draw, Procedure, Seat, Step


def money(state: State) -> Procedure:
    """MONEY-1 Income, then what each person of the camp spends; then the next turn."""
    camp = state.active
    yield from collect(state, camp)
    yield from receive(state)
    if camp == state.automa or state.lead == "automa":
        yield from shop(state, camp)
    else:
        for nation in state.seats:
            if state.camp_of[nation] == camp:
                yield from spend(state, nation)
    return (yield from end_turn(state))


def end_turn(state: State) -> Procedure:
    """VICTORY-6 The last round may be over; otherwise the next player begins."""
    if (ended := at_round_limit(state)) is not None:
        yield ended
        return None
    return order_of_play.next_turn(state)


def income(position: Position, camp: Camp) -> int:
    """MONEY-2 For each fort owned at that moment."""
    return position.pack.money.income_per_fort * len(position.forts_of(camp))


def collect(state: State, camp: Camp) -> Step:
    """MONEY-2"""
    yield facts.IncomeCollected(camp, income(state, camp))


# ------------------------------------------------------------------ spending


def spend(state: State, nation: Nation) -> Step:
    """MONEY-1 Repairs, then purchases, one after the other until enough is done."""
    key, bought = order_of_play.money(state).key, False
    while True:
        given = MoneyGiven(nation, state.money[state.camp_of[nation]])
        options = Purchases(state, nation, bought)
        act = yield Ask(Seat(nation), "turn.spend", key, given, options, default=DONE)
        if isinstance(act, Done):
            return
        bought = bought or isinstance(act, Buy | Special)
        yield from carry_out(state, nation, act)


def carry_out(state: State, nation: Nation, act: Purchase) -> Step:
    """MONEY-3, 8, BUY-2, 6"""
    match act:
        case Repair(unit=unit):
            yield facts.UnitRepaired(unit, state.pack.money.repair_cost)
        case Buy(type=type_, fort=fort):
            yield bought_unit(state, nation, type_, fort, state.pack.types[type_].price)
        case Special():
            yield from buy_special(state, nation, act)
        case Give(amount=amount):
            yield from hand_over(state, state.camp_of[nation], amount)


def buy_special(state: State, nation: Nation, act: Special) -> Step:
    """BUY-6, 7 Paid, then drawn blind and put where its owner wants; or chosen by a team that is behind."""
    price = state.pack.special.price
    if act.choice:
        yield bought_unit(state, nation, act.choice, _usual_place(state, act.choice, act), price)
        return
    camp = state.camp_of[nation]
    yield facts.SpecialPaid(camp, price)
    (type_,) = yield Draw(Seat(nation), "special", deck(state, camp))
    yield facts.SpecialDrawn(nation, type_)
    at = yield Ask(
        Seat(nation),
        "turn.put",
        order_of_play.money(state).key,
        DrawnGiven(nation, type_),
        places_for(state, type_, camp),
        default=_usual_place(state, type_, act),
    )
    yield bought_unit(state, nation, type_, at, 0)


def places_for(position: Position, type_: str, camp: Camp) -> Choice:
    """BUY-2, 3 Any own fort; for a gunboat any free water."""
    if is_naval(position, type_):
        return Places(free_water(position), "TC-BUY-3", "not-free-water")
    return Places(tuple(position.forts_of(camp)), "TC-BUY-2", "not-own-fort")


@dataclass(frozen=True, slots=True)
class Places(Choice):
    """Hexes; a wrong one is refused as it is when a purchase names it."""

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer in self.offered:
            return None
        named = answer if isinstance(answer, str) else ""
        is_fort = self.reason == "not-own-fort"
        told: Facts = {"fort": named, "legal": self.offered} if is_fort else {"hex": named}
        return Illegal(self.rule, self.reason, told)


def _usual_place(position: Position, type_: str, act: Special) -> str:
    """D8 The fort named; a gunboat on the water named if it is free, else on the nearest to that fort."""
    if not is_naval(position, type_):
        return act.fort
    return act.water if is_free_water(position, act.water) else nearest_water(position, act.fort)


# ------------------------------------------------------------------ money for the ally


def give(state: State) -> Step:
    """MONEY-7 At the start of each turn every player may give."""
    yield from ask_for_gifts(state, state.ring, order_of_play.turn(state.round, state.active).key)


def receive(state: State) -> Step:
    """MONEY-7 And once more before anything is bought, so that it helps the ally whose turn it is.

    Whose turn it is gives among his purchases, in the order in which he wrote them.
    """
    others = [camp for camp in state.ring if camp != state.active]
    yield from ask_for_gifts(state, others, order_of_play.money(state).key)


def ask_for_gifts(state: State, camps: Iterable[Camp], key: str) -> Step:
    """MONEY-7, 8 Whoever has an ally and enough for it."""
    for camp in camps:
        least = state.pack.money.transfer_fee + 1
        if why_not_give(state, least, camp) is None:
            given, options = MoneyGiven(camp, state.money[camp]), Gifts(state, camp)
            amount = yield Ask(Seat(camp), "give", key, given, options, default=0, volunteer=True)
            if amount:
                yield from hand_over(state, camp, amount)


def hand_over(state: State, camp: Camp, amount: int) -> Step:
    """MONEY-8 The fee goes to the bank."""
    ally = state.ally_of(camp)
    assert ally is not None, "only who has an ally may give"
    yield facts.MoneyGiven(camp, ally, amount, amount - state.pack.money.transfer_fee)
