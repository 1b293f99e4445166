"""AUTOMA-33..36 What the automa buys at the end of its turn, and where it puts it."""

from __future__ import annotations

from engine.games.trench_club.answers import Nation
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.purchases import bought_unit
from engine.games.trench_club.rules.terrain import FOOT
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
    """AUTOMA-33 Foot units first, then cars, then its gun, then anything; "": nothing is left to buy."""
    rules, own = state.pack.automa, list(state.of_camp(state.camp_of[nation]))
    if sum(state.pack.types[unit.type].klass == FOOT for unit in own) < rules.least_foot:
        return rules.buy_foot
    for type_ in (rules.buy_else, state.pack.nations[nation].gun):
        if is_below_limit(state, nation, type_):
            return type_
    money = state.money[state.camp_of[nation]]
    offered = [
        type_
        for type_ in state.pack.sheet[nation]
        if type_ != rules.without
        and state.pack.types[type_].price <= money
        and is_below_limit(state, nation, type_)
    ]
    return (yield from drawn(nation, offered, "automa.buy")) if offered else ""


def is_below_limit(position: Position, nation: Nation, type_: str) -> bool:
    """BUY-10"""
    limit = position.options["unit_limit"]
    owned = sum(unit.type == type_ and unit.nation == nation for unit in position.units.values())
    return not limit or owned < limit


def place(state: State, nation: Nation, type_: str) -> Step:
    """AUTOMA-35, 36 The fort nearest to an enemy, then with most of them as near, then to the second …"""
    camp, ground = state.camp_of[nation], Ground(state)
    forts = [fort for fort in state.forts_of(camp) if not is_besieged(state, fort, nation)]
    if not forts:
        return ""
    team = state.pack.team_of[nation]
    enemies = [unit.at for unit in state.enemies_of(team) if state.is_on_map(unit.id)]

    def distances(fort: str) -> list[int]:
        costs = ground.away(state.pack.types[type_], fort)
        return sorted(costs.get(hex_, FAR) for hex_ in enemies)

    best = min(distances(fort) for fort in forts)
    return (yield from drawn(nation, [fort for fort in forts if distances(fort) == best], "automa.fort"))


def is_besieged(position: Position, fort: str, nation: Nation) -> bool:
    """AUTOMA-35 An enemy foot unit stands before an entrance."""
    team = position.pack.team_of[nation]
    there = [position.on[hex_] for hex_ in position.pack.forts[fort].approaches if hex_ in position.on]
    return any(position.team(unit) != team and position.type_of(unit).klass == FOOT for unit in there)


def drawn(nation: Nation, offered: list[str], why: str) -> Step:
    if len(offered) == 1:
        return offered[0]
    (face,) = yield Roll(Seat(nation), why, sides=len(offered))
    return offered[face - 1]
