"""6 Supply: which areas are supplied, the check of a season and what it costs; 14.2.3 Antwerp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import LOOSE, ArmyGiven, Side
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost
from engine.games.to_the_last_man.facts.season import SupplyChecked
from engine.games.to_the_last_man.order_of_play import production
from engine.games.to_the_last_man.rules.areas import CONTROLLING_FORT, has_presence, settle
from engine.games.to_the_last_man.rules.pieces import eyes, pick
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, SIDES, TYPES, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Ask, Choice, Seat, Step, Together

ANTWERP, FLANDERS = "ANT", "FLA"  # 14.2.3
ANTWERP_ARMY = "BE1"
ANTWERP_NATIONS = ("BE", "UK")


# ------------------------------------------------------------------ where supply reaches


@dataclass(frozen=True, slots=True)
class Occupation:
    """Who is where, both sides seen in one pass."""

    present: dict[Side, set[str]]  # 0-03
    any_unit: dict[Side, set[str]]  # 6.2-03 empty armies and forts of strength 1 or 0 too


def occupation(state: State) -> Occupation:
    side_of, contents = state.pack.side_of, state.contents
    present: dict[Side, set[str]] = {side: set() for side in SIDES}
    any_unit: dict[Side, set[str]] = {side: set() for side in SIDES}
    for army, area in state.army_at.items():
        any_unit[side_of[army]].add(area)
        if contents[army]:
            present[side_of[army]].add(area)
    for area, units in state.loose.items():
        for unit in units:
            present[side_of[unit]].add(area)
    for area, strength in state.forts.items():
        side = state.pack.fort_side[area]
        any_unit[side].add(area)
        if strength >= CONTROLLING_FORT:
            present[side].add(area)
    for side in SIDES:
        any_unit[side] |= present[side]
    return Occupation(present, any_unit)


def supplied(state: State, side: Side) -> frozenset[str]:
    """6.2, 6.4-01 Areas in which a unit of that side is in supply, or would be."""
    return _supplied(state, side, occupation(state))


def supplied_for(state: State, nation: str) -> frozenset[str]:
    """The same for units of one nation: 14.2.3 Antwerp may feed the Belgians and the British."""
    areas = supplied(state, state.pack.side_of[nation])
    return areas | {ANTWERP} if antwerp_feeds(state, nation) else areas


def _supplied(state: State, side: Side, seen: Occupation) -> frozenset[str]:
    """6.2-01 Chains of Friendly areas without any enemy unit; only where they begin it may be otherwise."""
    enemy = other(side)
    theirs, ours = seen.present[enemy], seen.present[side]
    friendly = {area for area, owner in state.owner.items() if owner == side}
    clear = friendly - seen.any_unit[enemy] - {ENGLAND, BOX}
    chain = _connected(state, [source for source in state.pack.sources[side] if source in clear], clear)
    # 6.2-03, 6.3-01 areas that nothing passes through, but in which a chain may begin
    starts = (theirs & ours) | (friendly & seen.any_unit[enemy])
    found = chain | {area for area in starts if not chain.isdisjoint(state.pack.areas[area].adjacent)}
    found |= {source for source in state.pack.sources[side] if source in starts}
    found.add(ENGLAND if side == "EN" else BOX)  # 4.6-07, 4.7-02
    return frozenset(found)


def _connected(state: State, sources: Iterable[str], clear: set[str]) -> set[str]:
    areas = state.pack.areas
    edge = list(sources)
    found = set(edge)
    while edge:
        for near in areas[edge.pop()].adjacent:
            if near in clear and near not in found:
                found.add(near)
                edge.append(near)
    return found


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
        if antwerp_feeds(state, nation):
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
