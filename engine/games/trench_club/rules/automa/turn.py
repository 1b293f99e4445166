"""AUTOMA-5, 6, 7, 10 The automa's turn: its units one after another, each moves and strikes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import COMPANIES, Attack, Camp, Capture
from engine.games.trench_club.facts.moves import AutomaChose
from engine.games.trench_club.facts.setup import CompaniesChosen
from engine.games.trench_club.rules.acts import carry_out
from engine.games.trench_club.rules.automa.ground import Ground
from engine.games.trench_club.rules.automa.mind import Mind, Way
from engine.games.trench_club.rules.automa.priorities import (
    CLOSE_COMBAT,
    FOOT_UNITS,
    LONG_RANGE,
    Order,
    kept,
)
from engine.games.trench_club.rules.combat import fight
from engine.games.trench_club.rules.companies import choices, companies_allowed, why_not_active
from engine.games.trench_club.rules.movement import way_to
from engine.games.trench_club.rules.special import by_id
from engine.games.trench_club.rules.targets import CLOSE
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.rules.victory import decided
from engine.games.trench_club.state import Position, State, Unit
from engine.games.trench_club.tables import UnitType
from engine.kernel.requests import Procedure, Roll, Seat, Step

CHANCE = "chance"
FOOT_SEQUENCE = ("infantry", "mounted_infantry", "heavy_infantry")  # AUTOMA-12, then others
LONG_SEQUENCE = ("field_gun", "howitzer", "anti_aircraft", "heavy_mortar")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a unit will do, and why."""

    order: str
    way: Way
    letters: tuple[str, ...]


def automa_turn(state: State) -> Procedure:
    """AUTOMA-5, 6 Which companies act in the first turns is left to chance."""
    if companies_allowed(state, state.active):
        offered = choices(state, state.active)
        place = yield from by_chance(state, len(offered), "automa.companies")
        yield CompaniesChosen(state.active, offered[place])
    return (yield from play(state))


def stand_in(state: State) -> Procedure:
    """A person's turn by the same priorities, with his own dice; the largest companies act."""
    if companies_allowed(state, state.active):
        camp = state.active
        sizes = {one: sum(unit.company == one for unit in state.of_camp(camp)) for one in COMPANIES}
        offered = choices(state, camp)
        yield CompaniesChosen(camp, max(offered, key=lambda some: sum(sizes[one] for one in some)))
    return (yield from play(state))


def play(state: State) -> Procedure:
    """AUTOMA-6 Group by group, type by type."""
    for orders, types in sequence(state, state.active):
        for type_ in types:
            yield from play_type(state, type_, orders)
            if state.result is not None:
                return None
    return order_of_play.money(state)


def play_type(state: State, type_: str, orders: Sequence[Order]) -> Step:
    """AUTOMA-10 Of several units of one type the one with the higher order acts first, then the lower id."""
    left = sorted((unit for unit in active_units(state) if unit.type == type_), key=lambda one: by_id(one.id))
    waiting = [unit.id for unit in left]
    while waiting and state.result is None:
        ground = Ground(state)
        minds = [Mind(ground, state.units[unit]) for unit in waiting if unit in state.units]
        ready = [(first_order(mind, orders), n, mind) for n, mind in enumerate(minds)]
        able = [one for one in ready if one[0] < len(orders)]
        if not able:
            return
        place, _, mind = min(able, key=lambda one: one[:2])
        waiting.remove(mind.unit.id)
        yield from act(state, mind, orders[place])


def first_order(mind: Mind, orders: Sequence[Order]) -> int:
    """AUTOMA-7 The place of the first order that can be fulfilled; behind the last: none can."""
    return next((n for n, order in enumerate(orders) if order.ways(mind)), len(orders))


def act(state: State, mind: Mind, order: Order) -> Step:
    choice = yield from chosen(state, mind, order)
    unit, way = mind.unit.id, choice.way
    yield AutomaChose(unit, choice.order, way.target, way.hex, choice.letters)
    if choice.order == "I.1":
        yield from carry_out(state, Capture(unit, way.fort))
        return
    if way.hex != mind.unit.at and (move := way_to(mind.march, way.hex)) is not None:
        yield from carry_out(state, move)
    if (way.target or way.toward) and unit in state.units and state.result is None:
        yield from fight(state, Attack(unit, way.target, way.toward))
        if (won := decided(state)) is not None:
            yield won


def chosen(state: State, mind: Mind, order: Order) -> Step:
    """AUTOMA-7 Letter by letter; what is left then is left to chance."""
    ways, told = order.ways(mind), []
    for letter in order.letters:
        ways, fewer = kept(mind, ways, letter)
        if fewer and letter.name not in told:
            told.append(letter.name)
    ways = list({way.deed: way for way in ways}.values())
    if len(ways) == 1:
        return Choice(order.name, ways[0], tuple(told))
    place = yield from by_chance(state, len(ways), "automa.tie")
    return Choice(order.name, ways[place], (*told, CHANCE))


def by_chance(state: State, number: int, why: str) -> Step:
    if number == 1:
        return 0
    (face,) = yield Roll(Seat(state.active), why, sides=number)
    return face - 1


# ------------------------------------------------------------------ who acts when


def active_units(state: State) -> list[Unit]:
    """SETUP-26 Units of the companies that may act, with a weapon or feet to conquer with."""
    return [
        unit
        for unit in state.of_camp(state.active)
        if unit.at and not unit.aboard and why_not_active(state, unit.id) is None
    ]


def sequence(position: Position, camp: Camp) -> list[tuple[Sequence[Order], list[str]]]:
    """AUTOMA-12, 20, 24 The types of each group in the order in which they act."""
    types = {unit.type: position.pack.types[unit.type] for unit in position.of_camp(camp)}
    armed = [type_ for type_ in types.values() if longest(type_) and not idle(type_)]
    foot = sorted((one for one in armed if one.klass == FOOT), key=_foot_place)
    close = sorted((one for one in armed if one.klass != FOOT and longest(one) == CLOSE), key=_close_place)
    long = sorted((one for one in armed if one.klass != FOOT and longest(one) > CLOSE), key=_long_place)
    groups = ((FOOT_UNITS, foot), (CLOSE_COMBAT, close), (LONG_RANGE, long))
    return [(orders, [one.id for one in group]) for orders, group in groups]


def longest(type_: UnitType) -> int:
    return max((*type_.range_ground, *type_.range_air), default=0)


def idle(type_: UnitType) -> bool:
    """AUTOMA-37 Minelayers and engineers do nothing."""
    return type_.lays_mines or type_.builds


def _foot_place(type_: UnitType) -> tuple[int, str]:
    named = FOOT_SEQUENCE.index(type_.id) if type_.id in FOOT_SEQUENCE else len(FOOT_SEQUENCE)
    return named, type_.id


def _close_place(type_: UnitType) -> tuple[int, int, str]:
    """By price; an airplane before a tank of the same price."""
    return -type_.price, type_.klass != "air", type_.id


def _long_place(type_: UnitType) -> tuple[int, int, str]:
    named = LONG_SEQUENCE.index(type_.id) if type_.id in LONG_SEQUENCE else len(LONG_SEQUENCE)
    return named, longest(type_), type_.id
