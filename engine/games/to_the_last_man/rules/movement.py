"""2.II.2, 4 The Movement Phase: acts one after the other, each carried out before the next is asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

from engine.games.to_the_last_man.answers import (
    DONE,
    Done,
    Move,
    Shift,
    Side,
    Suppress,
    TurnAct,
    TurnGiven,
)
from engine.games.to_the_last_man.facts.board import (
    AreaEntered,
    ArmyMoved,
    MoveCounted,
    OwnerChanged,
    UnitsMoved,
)
from engine.games.to_the_last_man.facts.force import ArmyEliminated
from engine.games.to_the_last_man.facts.season import PhaseBegan
from engine.games.to_the_last_man.order_of_play import player_turn
from engine.games.to_the_last_man.rules import armies, neutrals, railways
from engine.games.to_the_last_man.rules.areas import has_presence, settle, status
from engine.games.to_the_last_man.rules.fragile import fragile_check, hides_its_stand, shared_areas
from engine.games.to_the_last_man.rules.marching import (
    Party,
    arrival_refusal,
    border_refusal,
    bring_trenches,
    muster,
    passing_refusal,
    path_refusal,
)
from engine.games.to_the_last_man.rules.pieces import eyes, size
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from engine.games.to_the_last_man.state import BOX, ENGLAND, State, Status
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Ask, Seat, Step

FREE = ("reserves", "withdraw")  # 2.II.1-07, 8.1-11 not the one move of a Pass
LIMITED = "LIM"
BESIDE = (ENGLAND, BOX)

# ------------------------------------------------------------------ the phase


def movement_phase(state: State, side: Side) -> Step:
    """2.II.2-01 Acts until nothing more is wanted, then the checks at the end of the phase."""
    at = player_turn(state.turn, state.number, side).key
    while True:
        options = TurnActs(state, side, why_not_act)
        act = yield Ask(Seat(side), "turn.act", at, TurnGiven(side), options, default=DONE, secret=True)
        if isinstance(act, Done):
            break
        yield from carry_out(state, side, act)
    yield from end_of_movement(state, side)


def end_of_movement(state: State, side: Side) -> Step:
    """2.II.2-02 Empty armies of the phasing side withdraw, fragile units of both are looked at."""
    yield from armies.withdraw_empty_armies(state, side)
    if any(hides_its_stand(state, area, other(side)) for area in shared_areas(state)):
        yield PhaseBegan("moves", uncertain=True)
    for area in shared_areas(state):
        yield from fragile_check(state, area)


def carry_out(state: State, side: Side, act: TurnAct) -> Step:
    """One act that `why_not_act` has nothing against."""
    match act:
        case Move():
            yield from _go(state, side, act)
        case Shift():
            yield from armies.shift(state, side, act)
            if state.offensive == "":
                yield MoveCounted("pass")  # 4.1-02
        case Suppress():
            yield from armies.suppress(state, side, act)


# ------------------------------------------------------------------ what is legal


def why_not_act(state: State, side: Side, act: TurnAct) -> Refusal | None:
    """The first rule that an act of the Movement Phase breaks."""
    match act:
        case Move():
            return why_not_move(state, side, act)
        case Shift():
            return pass_refusal(state, size(act.units)) or armies.why_not_shift(state, side, act)
        case Suppress():
            return armies.why_not_suppress(state, side, act)
        case Done():
            return None


def pass_refusal(state: State, number: int) -> Refusal | None:
    """2.II.1-05 A side that passes moves one unit."""
    if state.offensive == "" and (number > 1 or state.used.get("pass", 0)):
        return Illegal("TTLM-2.II.1-05", "one-move-in-a-pass")
    return None


def why_not_move(state: State, side: Side, move: Move) -> Refusal | None:
    """4 Who goes, whether the way is open, whether there is room."""
    number = 1 if move.army else size(move.units)
    if move.mode not in FREE and (refusal := pass_refusal(state, number)) is not None:
        return refusal
    if (refusal := path_refusal(state, move.path)) is not None:
        return refusal
    party = muster(state, side, move)
    if isinstance(party, Refusal):
        return party
    if move.mode == "withdraw":
        if not move.army or move.absorb or len(move.path) != 2:
            return Illegal("TTLM-8.1-09", "army-alone")
        return armies.why_not_withdraw(state, side, move.army, move.path[-1])
    if move.mode == "move":
        refusal = why_not_walk(state, side, move.path, party)
    else:
        refusal = railways.why_not_special(state, side, move, party)
    return refusal or passing_refusal(state, side, move, party) or arrival_refusal(state, side, move, party)


def why_not_walk(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """4.2 Step by step, each from what the area before has become by then (4.1-06)."""
    here: str = status(state, path[0], side)
    enemy, entered = other(side), list(state.entered)
    for origin, to in pairwise(path):
        if (refusal := border_refusal(state, side, origin, to)) is not None:
            return refusal
        held = has_presence(state, to, enemy)
        there = status(state, to, side) if held or to in BESIDE else _quiet(state, to, side)
        if there == "neutral":
            if (refusal := neutrals.entry_refusal(state, side, to)) is not None:
                return refusal
            there = "enemy"
        if there == "enemy":
            if (refusal := _entry_refusal(state, here, origin, to)) is not None:
                return refusal
            if held and to not in entered:
                entered.append(to)
                if state.offensive == LIMITED and len(entered) > 1:
                    return Illegal("TTLM-4.2-04", "one-entry", {"area": to, "entered": entered[0]})
        here = _status_after(state, there, held, party)
    return None


def _quiet(state: State, area: str, side: Side) -> Status:
    """0-05 The status of an area in which the enemy has no presence."""
    owner = state.owner[area]
    return "friendly" if owner == side else "enemy" if owner else "neutral"


def _entry_refusal(state: State, here: str, origin: str, to: str) -> Refusal | None:
    """4.2-01 to -03, -06 Enemy areas are entered from Friendly ones, in an Offensive."""
    if state.offensive == "":
        return Illegal("TTLM-2.II.1-05", "enemy-area-in-a-pass", {"area": to})
    if here == "disputed":
        return Illegal("TTLM-4.2-02", "disputed-to-enemy", {"origin": origin, "to": to})
    if here == "enemy":
        return Illegal("TTLM-4.2-06", "enemy-to-enemy", {"origin": origin, "to": to})
    return None


def _status_after(state: State, there: str, held: bool, party: Party) -> str:
    """4.1-07, -08 What an area becomes when the party has entered it."""
    if held:
        return "disputed"
    return "friendly" if there == "enemy" and takes_areas(state, party) else there


def takes_areas(state: State, party: Party) -> bool:
    """0-04 Is anybody with it who controls?"""
    types, type_of = state.pack.types, state.pack.type_of
    return any(types[type_of[unit]].controls for unit in party.units)


# ------------------------------------------------------------------ the move itself


def _go(state: State, side: Side, move: Move) -> Step:
    """4.1 The piece goes; areas change hands at once (4.1-06)."""
    if move.mode == "withdraw":
        yield from armies.withdraw(state, side, move.army, move.path[-1])
        return
    party = muster(state, side, move)
    assert isinstance(party, Party)
    yield from neutrals.provoke(state, side, move.path)
    fought_for = _occupied_enemy_areas(state, side, move)
    if move.mode == "reserves":
        yield from railways.play_reserves(state, side)
    yield _departure(state, side, move, party)
    for area in fought_for:
        yield AreaEntered(area)
    yield from _count(state, move, party)
    if move.mode == "move" and takes_areas(state, party):
        for area in move.path[1:-1]:
            yield from _seize(state, side, area)
    yield from settle(state, move.path[0])
    yield from settle(state, move.path[-1])


def _occupied_enemy_areas(state: State, side: Side, move: Move) -> tuple[str, ...]:
    """4.1-07 Areas of the path that will be Battle Areas, new ones only."""
    if move.mode != "move":
        return ()
    enemy = other(side)
    return tuple(
        area
        for area in move.path[1:]
        if area not in state.entered
        and status(state, area, side) == "enemy"
        and has_presence(state, area, enemy)
    )


Departure: TypeAlias = ArmyMoved | UnitsMoved


def _departure(state: State, side: Side, move: Move, party: Party) -> Departure:
    walks = move.mode == "move"
    steps = len(move.path) - 1 if walks else 0
    seen_by = eyes(state, side)
    if not party.army:
        ends = move.source, move.into
        return UnitsMoved(side, party.units, move.path, *ends, move.mode, steps, not walks, seen_by)
    dug_in = bring_trenches(state, party.army, party.absorbed)
    taken = party.absorbed
    return ArmyMoved(side, party.army, move.path, move.mode, steps, not walks, taken, dug_in, seen_by)


def _count(state: State, move: Move, party: Party) -> Step:
    """4.4-02, 4.5-01, 4.6-01, 2.II.1-05 What is used up."""
    match move.mode:
        case "rail" | "strat" | "sea" | "reserves":
            for _ in range(party.number):
                yield MoveCounted(move.mode)
        case "evacuate":
            yield MoveCounted("sea")  # 14.2.4-01
    if state.offensive == "" and move.mode not in FREE:
        yield MoveCounted("pass")


def _seize(state: State, side: Side, area: str) -> Step:
    """0-06, 8.1-13 An Enemy area that was passed and is not held changes hands."""
    enemy = other(side)
    if state.owner[area] == side or has_presence(state, area, enemy):
        return
    for army in state.armies(area, enemy):
        yield ArmyEliminated(enemy, army, area, "overrun")
    yield OwnerChanged(area, side)
