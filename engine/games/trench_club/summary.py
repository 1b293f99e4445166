"""What a player wants to know of his own side before he writes: decisions 3, the personal summary.

Everything is asked of the rules on the public position, as if his turn came now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.trench_club.answers import Camp, Capture, Company, Nation
from engine.games.trench_club.rules.combat import base_dice
from engine.games.trench_club.rules.companies import choices, companies_allowed, is_called
from engine.games.trench_club.rules.contact import front
from engine.games.trench_club.rules.forts import is_conquerable, why_not_capture
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.special import level_of
from engine.games.trench_club.rules.special_forces import is_at_limit, is_behind
from engine.games.trench_club.rules.targets import candidates, clouds, foes_of
from engine.games.trench_club.rules.terrain import AIR, FOOT, WATER
from engine.games.trench_club.rules.victory import enemy_of, forts_of_team, forts_to_win
from engine.games.trench_club.state import Position, Unit

SHOWN = 3  # examples of moves


@dataclass(frozen=True, slots=True)
class OwnUnit:
    """One of the reader's units."""

    unit: Unit
    level: int
    dice: int  # 0: it never attacks
    value: int
    reach: int  # hexes it can end its move on
    targets: tuple[str, ...]  # enemies in range from where it stands
    clouds: tuple[str, ...]  # SPECIAL-10 directions in which gas finds one
    is_inside: bool
    in_water: bool


@dataclass(frozen=True, slots=True)
class Threat:
    """FORT-3 A foot unit stands before an entrance of a fort that it may conquer."""

    fort: str
    by: str
    owner: str  # "": neutral
    guarded: bool  # somebody is inside


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one camp."""

    units: tuple[OwnUnit, ...]
    money: int
    income: int
    purse: int  # what there will be to spend in phase 4
    repair_cost: int
    repairable: tuple[str, ...]
    affordable: tuple[str, ...]  # types
    special: int  # price of a special force if it can be paid; 0: it cannot
    is_behind: bool  # BUY-7 it may be chosen
    threats: tuple[Threat, ...]  # by enemies
    chances: tuple[Threat, ...]  # by own units
    ours_to_win: int
    theirs_to_win: int


@dataclass(frozen=True, slots=True)
class Suggested:
    """Orders that are legal one after the other as things stand: examples for a form."""

    companies: tuple[Company, ...]
    captures: tuple[tuple[str, str], ...]
    moves: tuple[tuple[str, str], ...]
    attacks: tuple[tuple[str, str], ...]
    repairs: tuple[str, ...]
    purchases: tuple[tuple[str, str], ...]  # type, fort


# ------------------------------------------------------------------ how one's own side stands


def summary(position: Position, camp: Camp, nation: Nation) -> Summary:
    """Decisions 3"""
    team = position.pack.team_of[camp]
    money, income, purse = _purse(position, camp)
    needed, doors = forts_to_win(position), before_entrances(position)
    return Summary(
        _units(position, camp),
        money,
        income,
        purse,
        position.pack.money.repair_cost,
        _repairable(position, camp),
        _affordable(position, camp, nation, purse),
        position.pack.special.price if _can_buy_special(position, camp, purse) else 0,
        is_behind(position, team),
        tuple(one for one in doors if position.team(one.by) != team),
        tuple(one for one in doors if position.camp(one.by) == camp),
        max(0, needed - forts_of_team(position, team)),
        max(0, needed - forts_of_team(position, enemy_of(team))),
    )


def _units(position: Position, camp: Camp) -> tuple[OwnUnit, ...]:
    team = position.pack.team_of[camp]
    against, foes = front(position, team), foes_of(position, team)
    found = []
    for unit in position.of_camp(camp):
        if not unit.at:
            continue
        kind, level = position.pack.types[unit.type], level_of(position, unit.id)
        strikes = bool(kind.range_ground or kind.range_air)
        found.append(
            OwnUnit(
                unit,
                level,
                base_dice(position, unit.id) if strikes else 0,
                kind.attack[level] if strikes else 0,
                len(reach(position, unit.id, against)),
                tuple(candidates(position, unit.id, foes)),
                tuple(clouds(position, unit.id)),
                unit.at in position.forts,
                position.terrain(unit.at) == WATER and kind.klass != AIR,
            )
        )
    return tuple(found)


def _purse(position: Position, camp: Camp) -> tuple[int, int, int]:
    """MONEY-2 Income comes before anything is spent; in one's own phase 4 it is there already."""
    money = position.money[camp]
    income = len(position.forts_of(camp)) * position.pack.money.income_per_fort
    collected = position.active == camp and position.phase == "money"
    return money, income, money if collected else money + income


def _repairable(position: Position, camp: Camp) -> tuple[str, ...]:
    """MONEY-4..6 In one's own turn those inside when it began; before it those who are there now."""
    own = [unit for unit in position.of_camp(camp) if unit.damage and position.forts.get(unit.at) == camp]
    turn = position.active == camp and position.phase in ("moves", "targets", "combat", "money")
    return tuple(unit.id for unit in own if not turn or unit.id in position.sheltered)


def _affordable(position: Position, camp: Camp, nation: Nation, purse: int) -> tuple[str, ...]:
    """BUY-1, 4, 10"""
    if not position.forts_of(camp):
        return ()
    types = position.pack.types
    payable = [type_ for type_ in position.pack.sheet[nation] if types[type_].price <= purse]
    return tuple(type_ for type_ in payable if not is_at_limit(position, camp, type_))


def _can_buy_special(position: Position, camp: Camp, purse: int) -> bool:
    return bool(position.forts_of(camp)) and position.pack.special.price <= purse


def before_entrances(position: Position) -> tuple[Threat, ...]:
    """FORT-3 Foot units of everybody that could conquer a fort with their next move."""
    foot = [unit for unit in position.units.values() if position.pack.types[unit.type].klass == FOOT]
    return tuple(
        Threat(fort, unit.id, position.forts[fort], bool(position.inside(fort)))
        for unit in foot
        if unit.at
        for fort in position.forts
        if why_not_capture(position, Capture(unit.id, fort)) is None
    )


# ------------------------------------------------------------------ examples of orders


def suggested(position: Position, camp: Camp, nation: Nation) -> Suggested:
    """Conquests first, then moves of others towards forts or enemies, attacks of those who stay."""
    companies = _largest(position, camp)
    free = [unit for unit in position.of_camp(camp) if unit.at and _acts(position, unit, companies)]
    captures = _captures(position, camp, free)
    moves = _moves(position, camp, [unit for unit in free if unit.id not in dict(captures)])
    busy = {*dict(captures), *dict(moves)}
    staying = [unit for unit in free if unit.id not in busy]
    shots = [(unit.id, found) for unit in staying for found in candidates(position, unit.id)[:1]]
    found = summary(position, camp, nation)
    forts, can_repair = position.forts_of(camp), found.purse >= found.repair_cost
    return Suggested(
        companies,
        captures,
        moves,
        tuple(shots[:SHOWN]),
        tuple(unit for unit in found.repairable if can_repair and unit not in busy),
        tuple((type_, forts[0]) for type_ in found.affordable[:1]),
    )


def _largest(position: Position, camp: Camp) -> tuple[Company, ...]:
    """SETUP-23..25 In a limited turn the companies with most units; () without a limit."""
    if position.round == 0 or camp not in position.order or not companies_allowed(position, camp):
        return ()
    sizes = {one: sum(unit.company == one for unit in position.of_camp(camp)) for one in ("A", "B", "C")}
    return max(choices(position, camp), key=lambda some: sum(sizes[one] for one in some))


def _acts(position: Position, unit: Unit, companies: tuple[Company, ...]) -> bool:
    if companies:
        return unit.company == "" or unit.company in companies
    return is_called(position, unit)


def _captures(position: Position, camp: Camp, units: Sequence[Unit]) -> tuple[tuple[str, str], ...]:
    taken: dict[str, str] = {}
    for unit in units:
        for fort in position.forts:
            if fort not in taken.values() and why_not_capture(position, Capture(unit.id, fort)) is None:
                taken[unit.id] = fort
                break
    return tuple(taken.items())


def _moves(position: Position, camp: Camp, units: Sequence[Unit]) -> tuple[tuple[str, str], ...]:
    team, grid = position.pack.team_of[camp], position.grid
    against = front(position, team)
    doors = [
        hex_
        for fort in position.forts
        if is_conquerable(position, fort, camp)
        for hex_ in position.pack.forts[fort].approaches
    ]
    enemies = [unit.at for unit in position.enemies_of(team) if position.is_on_map(unit.id)]
    found: list[tuple[str, str]] = []
    for unit in units:
        goals = doors if position.pack.types[unit.type].captures else enemies or doors
        if len(found) == SHOWN or not goals or position.cargo(unit.id) or unit.aboard:
            continue
        ends = reach(position, unit.id, against)
        open_ = [hex_ for hex_ in ends if hex_ not in dict(found).values() and hex_ not in position.forts]
        near = {hex_: min(grid.distance(hex_, goal) for goal in goals) for hex_ in (unit.at, *open_)}
        best = min(open_, key=lambda hex_: (near[hex_], ends[hex_], hex_), default="")
        if best and (near[best] < near[unit.at]):
            found.append((unit.id, best))
    return tuple(found)
