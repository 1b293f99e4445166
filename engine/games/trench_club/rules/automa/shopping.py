"""AUTOMA-33..36 What the automa buys at the end of its turn, and where it puts it."""

from __future__ import annotations

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.rules.automa.entrances import foot_before
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.purchases import bought_unit
from engine.games.trench_club.rules.special_forces import is_at_limit
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.rules.trenches import stands_on
from engine.games.trench_club.state import Position, State
from engine.kernel.requests import Roll, Seat, Step


def shop(state: State, nation: Nation) -> Step:
    """AUTOMA-34 As long as it can pay for what is prescribed and has a place for it; else it saves."""
    while True:
        type_ = yield from prescribed(state, nation)
        if not type_ or state.pack.types[type_].price > state.money[state.camp_of[nation]]:
            return
        fort = yield from place(state, nation, type_)
        if not fort:
            return
        yield bought_unit(state, nation, type_, fort, state.pack.types[type_].price)


def prescribed(state: State, nation: Nation) -> Step:
    """AUTOMA-33 Foot units first, then cars, then its gun, then anything; "": nothing is left to buy.

    BUY-10 What is at its limit is passed over, the foot units too.
    """
    rules, camp = state.pack.automa, state.camp_of[nation]
    for type_ in (*wanted_foot(state, camp), rules.buy_else, state.pack.nations[nation].gun):
        if not is_at_limit(state, camp, type_):
            return type_
    offered = [
        type_
        for type_ in state.pack.sheet[nation]
        if type_ != rules.without
        and state.pack.types[type_].price <= state.money[camp]
        and not is_at_limit(state, camp, type_)
    ]
    return (yield from drawn(nation, offered, "automa.buy")) if offered else ""


def wanted_foot(position: Position, camp: Camp) -> tuple[str, ...]:
    """AUTOMA-33, 34 If the camp has too few foot units, garrisons counted."""
    rules, types = position.pack.automa, position.pack.types
    owned = sum(types[unit.type].klass == FOOT for unit in position.of_camp(camp))
    return (rules.buy_foot,) if owned < rules.least_foot else ()


def place(state: State, nation: Nation, type_: str) -> Step:
    """AUTOMA-35, 36 The fort nearest to an enemy, then with most of them as near, then to the second …"""
    camp, ground = state.camp_of[nation], Ground(state)
    forts = [fort for fort in state.forts_of(camp) if not is_besieged(state, fort, nation)]
    if not forts:
        return ""
    team = state.pack.team_of[nation]
    enemies = [stands_on(state, unit) for unit in state.enemies_of(team) if state.is_on_map(unit.id)]

    def distances(fort: str) -> list[int]:
        costs = ground.away(state.pack.types[type_], fort)
        return sorted(min(costs.get(hex_, FAR) for hex_ in hexes) for hexes in enemies)

    best = min(distances(fort) for fort in forts)
    return (yield from drawn(nation, [fort for fort in forts if distances(fort) == best], "automa.fort"))


def is_besieged(position: Position, fort: str, nation: Nation) -> bool:
    """AUTOMA-35 An enemy foot unit stands before an entrance."""
    team = position.pack.team_of[nation]
    return any(position.team(unit) != team for unit in foot_before(position, fort))


def drawn(nation: Nation, offered: list[str], why: str) -> Step:
    if len(offered) == 1:
        return offered[0]
    (face,) = yield Roll(Seat(nation), why, sides=len(offered))
    return offered[face - 1]
