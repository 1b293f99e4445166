"""6 Supply: which areas are supplied, the check of a season and what it costs; 14.2.3 Antwerp."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.games.to_the_last_man.answers import LOOSE, ArmyGiven, Side
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost
from engine.games.to_the_last_man.facts.season import SupplyChecked
from engine.games.to_the_last_man.order_of_play import production
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.areas import CONTROLLING_FORT, has_presence, settle
from engine.games.to_the_last_man.rules.neutrals import is_neutral
from engine.games.to_the_last_man.rules.pieces import eyes, pick
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, SIDES, TYPES, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Ask, Choice, Seat, Step, Together

ANTWERP, FLANDERS = "ANT", "FLA"  # 14.2.3
ANTWERP_ARMY = "BE1"
ANTWERP_NATIONS = ("BE", "UK")


# ------------------------------------------------------------------ where supply reaches


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The map as bits, one for each area: supply is asked for after every move."""

    bit: Mapping[str, int]  # area -> its bit
    near: Mapping[int, int]  # bit -> the areas that border on it
    sources: Mapping[Side, int]
    beside: int  # England and the box: no chain leads there


@dataclass(frozen=True, slots=True)
class Occupation:
    """Who is where, both sides seen in one pass."""

    present: Mapping[Side, int]  # 0-03
    any_unit: Mapping[Side, int]  # 6.2-03 empty armies and forts of strength 1 or 0 too


@cache
def ground(pack: Pack) -> Ground:
    bit = {area: 1 << number for number, area in enumerate(pack.areas)}
    near = {bit[area]: sum(bit[one] for one in row.adjacent) for area, row in pack.areas.items()}
    sources = {side: sum(bit[one] for one in pack.sources[side]) for side in SIDES}
    return Ground(bit, near, sources, bit[ENGLAND] | bit[BOX])


def occupation(state: State) -> Occupation:
    bit, side_of, contents = ground(state.pack).bit, state.pack.side_of, state.contents
    present: dict[Side, int] = {"GE": 0, "EN": 0}
    weak: dict[Side, int] = {"GE": 0, "EN": 0}
    for army, area in state.army_at.items():
        (present if contents[army] else weak)[side_of[army]] |= bit[area]
    for area, units in state.loose.items():
        for unit in units:
            present[side_of[unit]] |= bit[area]
    for area, strength in state.forts.items():
        (present if strength >= CONTROLLING_FORT else weak)[state.pack.fort_side[area]] |= bit[area]
    return Occupation(present, {side: present[side] | weak[side] for side in SIDES})


def supplied(state: State, side: Side) -> frozenset[str]:
    """6.2, 6.4-01 Areas in which a unit of that side is in supply, or would be."""
    return _supplied(state, side, occupation(state))


def supplied_for(state: State, nation: str) -> frozenset[str]:
    """The same for units of one nation: 14.2.3 Antwerp may feed the Belgians and the British."""
    areas = supplied(state, state.pack.side_of[nation])
    return areas | {ANTWERP} if antwerp_feeds(state, nation) else areas


def _supplied(state: State, side: Side, seen: Occupation) -> frozenset[str]:
    bit, friendly = ground(state.pack).bit, 0
    for area, owner in state.owner.items():
        if owner == side:
            friendly |= bit[area]
    disputed = seen.present["GE"] & seen.present["EN"]
    return _fed(state.pack, side, friendly & ~disputed, disputed, seen.any_unit[other(side)])


@lru_cache(maxsize=1024)
def _fed(pack: Pack, side: Side, friendly: int, disputed: int, enemy: int) -> frozenset[str]:
    """6.2-01 Chains of Friendly areas without any enemy unit; only where they begin it may be otherwise."""
    land = ground(pack)
    clear = friendly & ~enemy & ~land.beside
    chain = edge = land.sources[side] & clear
    while edge:
        area = edge & -edge
        more = land.near[area] & clear & ~chain
        chain |= more
        edge = edge ^ area | more
    # 6.2-03, 6.3-01 areas that nothing passes through, but in which a chain may begin
    starts = disputed | friendly & enemy
    found = [
        area
        for area, one in land.bit.items()
        if one & chain or (one & starts and (land.near[one] & chain or one & land.sources[side]))
    ]
    return frozenset([*found, ENGLAND if side == "EN" else BOX])  # 4.6-07, 4.7-02


def antwerp_feeds(state: State, nation: str) -> bool:
    """14.2.3-01 Antwerp is a source for Belgians and British in it while Flanders is not Friendly."""
    if not state.options["antwerp_supply"] or nation not in ANTWERP_NATIONS:
        return False
    if state.owner[FLANDERS] == "EN" and not _is_disputed(state, FLANDERS):
        return False
    if _is_disputed(state, ANTWERP):
        return state.army_area(ANTWERP_ARMY) == ANTWERP
    return state.owner[ANTWERP] == "EN"


def _is_disputed(state: State, area: str) -> bool:
    return has_presence(state, area, "GE") and has_presence(state, area, "EN")


# ------------------------------------------------------------------ the check of a season


def supply_check(state: State) -> Step:
    """6.5 All states are fixed first, then everybody pays at the same time (6.5-05)."""
    out, unfed = _out_of_supply(state)
    yield out
    if not (out.armies or out.forts or out.loose):
        return
    given_up = yield from _choose_losses(state, [army for army in out.armies if state.contents[army]])
    touched = {state.army_at[army] for army in out.armies} | {area for _, area in out.loose} | set(out.forts)
    for area in out.forts:
        strength = state.forts[area]
        left = strength - 1 if strength > 1 else -1  # 6.5-01
        yield FortReduced(state.pack.fort_side[area], area, left, "supply")
    for (side, area), units in unfed.items():
        yield UnitsLost(side, units, area, LOOSE, "supply", eyes(state, side))
    for army in out.armies:
        yield from _reduce(state, army, given_up.get(army, ""))
    for area in sorted(touched):
        yield from settle(state, area)


def _out_of_supply(state: State) -> tuple[SupplyChecked, dict[tuple[Side, str], tuple[str, ...]]]:
    """6.2 Armies in the order of dice, areas of forts, and loose units by side and area."""
    pack, seen = state.pack, occupation(state)
    areas = {side: _supplied(state, side, seen) for side in SIDES}
    fed = {nation: areas[pack.side_of[nation]] for nation in pack.nations}
    for nation in pack.nations:
        if is_neutral(state, nation):  # 12-01 nobody's war yet
            fed[nation] = frozenset(pack.areas)
        elif antwerp_feeds(state, nation):
            fed[nation] |= {ANTWERP}
    armies = [army for army, at in state.army_at.items() if at not in fed[pack.nation_of[army]]]
    forts = [area for area in state.forts if area not in fed[pack.forts[area].nation]]
    unfed: dict[tuple[Side, str], tuple[str, ...]] = {}
    for area, units in state.loose.items():
        for unit in units:
            if area not in fed[pack.nation_of[unit]]:
                key = pack.side_of[unit], area
                unfed[key] = (*unfed.get(key, ()), unit)
    return SupplyChecked(tuple(armies), tuple(forts), tuple(unfed)), unfed


def _choose_losses(state: State, armies: list[str]) -> Step:
    """6.5-02 Each army gives up a unit of its owner's choice; asked even if it holds but one: how many it
    holds is nobody else's business.
    """
    asks = tuple(_loss_question(state, army) for army in armies)
    answers = (yield Together(asks)) if asks else ()
    return dict(zip(armies, answers, strict=True))


def _loss_question(state: State, army: str) -> Ask:
    side = state.pack.side_of[army]
    kinds = tuple(kind for kind, _ in state.grouped(state.contents[army]))
    at = f"{production(state.turn).key}/{state.army_at[army]}"
    return Ask(
        Seat(side),
        "supply.loss",
        at,
        ArmyGiven(side, army),
        Choice(kinds, "TTLM-6.5-02", "not-in-the-army"),
        default=usual_loss(state, army),
        secret=True,
    )


def usual_loss(state: State, army: str) -> str:
    """The most numerous type, auxiliaries before infantry; the army's own nation before others; the Paris
    Gun last.
    """
    pack, there = state.pack, state.contents[army]
    types = [pack.type_of[unit] for unit in there]

    def rank(kind: str) -> tuple[bool, int, bool, int, bool, str]:
        nation, _, type_ = kind.partition(".")
        foreign = nation != pack.nation_of[army]
        return (
            type_ == "P",
            -types.count(type_),
            type_ in INFANTRY,
            TYPES.index(type_),
            foreign,
            kind,
        )

    return min((kind for kind, _ in state.grouped(there)), key=rank)


def _reduce(state: State, army: str, kind: str) -> Step:
    """6.5-02 One unit less; an army without another one is eliminated."""
    side, area, there = state.pack.side_of[army], state.army_at[army], state.contents[army]
    if kind:
        lost = pick(state, there, ((kind, 1),))
        yield UnitsLost(side, lost, area, army, "supply", eyes(state, side))
    if not state.contents[army]:
        yield ArmyEliminated(side, army, area, "supply")
