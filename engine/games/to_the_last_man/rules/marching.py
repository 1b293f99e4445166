"""1.2.2, 4.1, 4.3: who goes in one move, how far it still may go, and whether it finds room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import LOOSE, Group, Move, Side
from engine.games.to_the_last_man.rules.areas import room, status
from engine.games.to_the_last_man.rules.neutrals import inert_refusal
from engine.games.to_the_last_man.rules.pieces import pick, refuses
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, State
from engine.kernel.errors import Facts, Illegal, Refusal

ARMY_ALLOWANCE = 1  # 4.1-01, 8.1-01

# Kinds of movement that go with no other (4.4-02, 4.5-03, 4.6-02, 9.6-02, 14.2.4-01).
ALONE = {
    "rail": "TTLM-4.4-02",
    "strat": "TTLM-4.5-03",
    "sea": "TTLM-4.6-02",
    "reserves": "TTLM-9.6-02",
    "evacuate": "TTLM-14.2.4-01",
}

# What `pieces.refuses` means, as a reason.
UNFIT = {
    "TTLM-8.1-02": "wrong-nation",
    "TTLM-1.4-01": "no-slot",
    "TTLM-8.3.2-03": "artillery-cap",
    "TTLM-8.3.4-02": "biplane-cap",
}


@dataclass(frozen=True, slots=True)
class Party:
    """What one move takes along, counter by counter."""

    army: str  # "": units by themselves
    units: tuple[str, ...]  # those units; of an army what it carries
    absorbed: tuple[str, ...] = ()  # loose units that the army takes in where it arrives

    @property
    def number(self) -> int:
        """4.4-02 An army is one unit."""
        return 1 if self.army else len(self.units)


# ------------------------------------------------------------------ who goes


def muster(state: State, side: Side, move: Move) -> Party | Refusal:
    """Which counters a move means, all of them still able to make it."""
    if move.army:
        return _muster_army(state, side, move)
    if move.absorb:
        return Illegal("TTLM-4.3-03", "only-armies-absorb")
    if not is_group(state, move.units):
        return Illegal("TTLM-4.1-01", "nobody-named")
    origin = move.path[0]
    if move.source != LOOSE and (refusal := army_refusal(state, side, move.source, origin)) is not None:
        return refusal
    for kind, _ in move.units:
        if (inert := inert_refusal(state, kind)) is not None:
            return inert
    there = state.in_place(origin, move.source, side)
    if (missing := lacking(state, there, move.units, origin)) is not None:
        return missing
    able = [unit for unit in there if may_go(state, unit, move)]
    if (spent := lacking(state, able, move.units, origin)) is not None:
        if far := _too_far(move, *(allowance(state, unit) for unit in pick(state, there, move.units))):
            return far
        reason = "moved-already" if move.mode in ALONE else "allowance-spent"
        return Illegal(ALONE.get(move.mode, "TTLM-4.1-03"), reason, spent.facts)
    return Party("", pick(state, able, move.units))


def _muster_army(state: State, side: Side, move: Move) -> Party | Refusal:
    """8.1 An army goes with all it holds: 4.1-03 what it carries must be able to go, too."""
    army, origin = move.army, move.path[0]
    if move.units or move.source != LOOSE or move.into != LOOSE:
        return Illegal("TTLM-8.1-01", "army-or-units")
    if (refusal := army_refusal(state, side, army, origin)) is not None:
        return refusal
    if (inert := inert_refusal(state, army)) is not None:
        return inert
    carried = state.contents[army]
    if (far := _too_far(move, ARMY_ALLOWANCE)) is not None:
        return far
    if move.mode != "withdraw" and (refusal := _tired(state, move, (army, *carried))) is not None:
        return refusal
    if not move.absorb:
        return Party(army, tuple(carried))
    end = move.path[-1]
    if not is_group(state, move.absorb) or end not in state.loose:
        return Illegal("TTLM-4.3-03", "nobody-named")
    near = state.loose_units(end, side)
    if (missing := lacking(state, near, move.absorb, end)) is not None:
        return missing
    return Party(army, tuple(carried), entering(state, near, move.absorb, army))


def _too_far(move: Move, *allowances: int) -> Refusal | None:
    """4.1-01 More areas than one of these may walk at all."""
    areas, limit = len(move.path) - 1, min(allowances)
    if move.mode != "move" or areas <= limit:
        return None
    return Illegal("TTLM-4.1-01", "too-far", {"areas": areas, "limit": limit})


def _tired(state: State, move: Move, pieces: Sequence[str]) -> Refusal | None:
    """4.1-03 The first of these that may not go so far any more."""
    for piece in pieces:
        if may_go(state, piece, move):
            continue
        facts = {"army": move.army, "piece": state.pack.kind_of.get(piece, piece)}
        if move.mode in ALONE:
            return Illegal(ALONE[move.mode], "moved-already", facts)
        if piece == move.army:
            return Illegal("TTLM-4.1-03", "army-spent", {"army": piece})
        return Illegal("TTLM-4.1-03", "carried-unit-spent", facts)
    return None


def may_go(state: State, piece: str, move: Move) -> bool:
    """4.1-03 Its allowance lasts; 4.4 to 4.6, 9.6 it has done nothing else."""
    if piece in state.moved:
        return False
    walked = state.steps.get(piece, 0)
    if move.mode in ALONE:
        # Ruling: entering or leaving an army counts as having moved (4.1-02), so it is not combined either.
        return not walked and piece not in state.shifted
    return walked + len(move.path) - 1 <= allowance(state, piece)


def allowance(state: State, piece: str) -> int:
    """4.1-01"""
    type_ = state.pack.type_of.get(piece)
    return ARMY_ALLOWANCE if type_ is None else state.pack.types[type_].move


def entering(state: State, units: Sequence[str], group: Group, army: str) -> tuple[str, ...]:
    """4.3-03, -04 Of loose units those that enter an army: entrenched ones first if they bring it their
    trenches, else last.
    """
    dug_in = set(state.entrenched)
    if not gains_trenches(state, army) or dug_in.isdisjoint(units):
        return pick(state, units, group)
    found: list[str] = []
    for kind, number in group:
        alike = [unit for unit in units if state.pack.kind_of[unit] == kind]
        first = [unit for unit in alike if unit in dug_in][:number]
        rest = [unit for unit in alike if unit not in dug_in]
        found += [*first, *pick(state, rest, ((kind, number - len(first)),))]
    return tuple(sorted(found))


def gains_trenches(state: State, army: str) -> bool:
    """4.3-04 Only an empty army takes over the trenches of the infantry that enters it."""
    return not state.contents[army] and army not in state.entrenched


def bring_trenches(state: State, army: str, units: Sequence[str]) -> bool:
    """4.3-03 Does the army become entrenched by taking in these loose units?"""
    return not state.contents[army] and any(unit in state.entrenched for unit in units)


# ------------------------------------------------------------------ named rightly?


def is_group(state: State, group: Group) -> bool:
    """Kinds in order, each once, some of each."""
    kinds = state.pack.kinds
    named = [kind for kind, number in group if kind in kinds and number > 0]
    return bool(named) and len(named) == len(group) and named == sorted(set(named))


def army_refusal(state: State, side: Side, army: str, area: str) -> Refusal | None:
    """Is it an own army, and there?"""
    if state.pack.side_of.get(army) != side or army not in state.pack.armies:
        return Illegal("TTLM-8.1-01", "no-own-army", {"army": army})
    at = state.army_area(army)
    if at != area:
        return Illegal("TTLM-8.1-01", "army-elsewhere", {"army": army, "area": area, "at": at})
    return None


def lacking(state: State, units: Sequence[str], group: Group, area: str) -> Refusal | None:
    """The first kind of which fewer are there than wanted."""
    kind_of = state.pack.kind_of
    for kind, number in group:
        there = sum(1 for unit in units if kind_of[unit] == kind)
        if there < number:
            facts: Facts = {"unit": kind, "wanted": number, "there": there, "area": area}
            return Illegal("TTLM-4.1-01", "units-not-there", facts)
    return None


def path_refusal(state: State, path: tuple[str, ...]) -> Refusal | None:
    """4.2-05 Areas of the map, two or more, no step on the spot."""
    for area in path:
        if area not in state.pack.areas:
            return Illegal("TTLM-4.2-05", "no-such-area", {"area": area})
    if len(path) < 2 or any(path[n] == path[n + 1] for n in range(len(path) - 1)):
        return Illegal("TTLM-4.1-01", "no-path")
    # Ruling: one goes into the box or comes out of it; it is no short cut along the Rhine.
    return Illegal("TTLM-4.7-01", "not-through-the-box") if BOX in path[1:-1] else None


def border_refusal(state: State, side: Side, origin: str, to: str) -> Refusal | None:
    """4.1-01 From an area to an adjacent one; 4.7-01 the box lies behind Friendly German sources only."""
    if BOX in (origin, to):
        beside = origin if to == BOX else to
        if side != "GE":
            return Illegal("TTLM-4.7-01", "german-box", {"area": BOX})
        if beside not in state.pack.areas[BOX].adjacent or status(state, beside, side) != "friendly":
            return Illegal("TTLM-4.7-01", "no-way-to-the-box", {"area": beside})
        return None
    if to in state.pack.areas[origin].adjacent:
        return None
    rule = "TTLM-4.6-07" if ENGLAND in (origin, to) else "TTLM-4.1-01"
    return Illegal(rule, "not-adjacent", {"origin": origin, "to": to})


# ------------------------------------------------------------------ room


def passing_refusal(state: State, side: Side, move: Move, party: Party) -> Refusal | None:
    """1.2.2-04, -06 Nobody goes through a full area; empty armies count nothing."""
    if len(move.path) == 2 or not party.units:
        return None
    for area in move.path[1:-1]:
        if room(state, area, side) + _left_free(state, move, party, area) < 1:
            return Illegal("TTLM-1.2.2-06", "full-on-the-way", {"area": area})
    return None


def arrival_refusal(state: State, side: Side, move: Move, party: Party) -> Refusal | None:
    """1.2.2 Room at the end of the path; 1.4-01, 8.1-02 the army that takes somebody in may do so."""
    end = move.path[-1]
    if party.army:
        if party.absorbed and (refusal := absorbing_refusal(state, party, end)) is not None:
            return refusal
        wanted = (1 if party.units or party.absorbed else 0) - len(party.absorbed)
    elif move.into != LOOSE:
        if (refusal := army_refusal(state, side, move.into, end)) is not None:
            return refusal
        if (refusal := joining_refusal(state, move.into, party.units)) is not None:
            return refusal
        wanted = 0 if state.contents[move.into] else 1  # 1.2.2-08
    else:
        wanted = len(party.units)
    wanted -= _left_free(state, move, party, end)
    return None if wanted <= 0 else room_refusal(state, side, end, wanted)


def _left_free(state: State, move: Move, party: Party, area: str) -> int:
    """Places that the movers leave free in an area to which their path leads back."""
    if area != move.path[0] or not party.units:
        return 0
    if move.source != LOOSE:
        return 1 if len(party.units) == len(state.contents[move.source]) else 0
    return party.number


def room_refusal(state: State, side: Side, area: str, wanted: int) -> Refusal | None:
    """1.2.2-01"""
    left = room(state, area, side)
    if wanted <= left:
        return None
    return Illegal("TTLM-1.2.2-01", "no-room", {"area": area, "wanted": wanted, "room": max(left, 0)})


def absorbing_refusal(state: State, party: Party, area: str) -> Refusal | None:
    """1.2.2-07, 4.3-03 What an army takes in where it arrives."""
    return apart_refusal(state, party.army, party.absorbed, area) or joining_refusal(
        state, party.army, party.absorbed
    )


def joining_refusal(state: State, army: str, units: Sequence[str]) -> Refusal | None:
    """1.4-01, 8.1-02, 8.3.2-03, 8.3.4-02"""
    rule = refuses(state, army, units)
    return Illegal(rule, UNFIT[rule], {"army": army}) if rule else None


def apart_refusal(state: State, army: str, units: Sequence[str], area: str) -> Refusal | None:
    """4.6-06 Loose infantry in England is kept apart from the army there."""
    if area != ENGLAND or army not in state.pack.scenarios[state.scenario].apart:
        return None
    type_of = state.pack.type_of
    if any(type_of[unit] in INFANTRY for unit in units):
        return Illegal("TTLM-4.6-06", "kept-apart", {"army": army})
    return None
