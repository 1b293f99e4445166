"""What a player wants to know of his own side before he writes: decisions 3, the personal summary.

Everything is asked of the rules on the public position, as if his turn came now.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.trench_club.answers import Camp, Capture, Nation
from engine.games.trench_club.rules.combat import base_dice
from engine.games.trench_club.rules.contact import front
from engine.games.trench_club.rules.forts import why_not_capture
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.special import level_of
from engine.games.trench_club.rules.special_forces import is_at_limit, is_behind
from engine.games.trench_club.rules.targets import candidates, clouds, foes_of
from engine.games.trench_club.rules.terrain import AIR, FOOT, WATER
from engine.games.trench_club.rules.victory import enemy_of, forts_of_team, forts_to_win
from engine.games.trench_club.state import Position, Unit


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
