"""Tempo: which exchange of letters an open question waits for (decisions 1, 6).

The last part of a key is the phase kind that deadlines go by: S split, F flip, P placing, A all placing of a
player alone, T turn, M money.
"""

from __future__ import annotations

from engine.games.trench_club.state import State
from engine.kernel.game import Tempo, Window
from engine.kernel.requests import Ask, Seat

SPENDING = ("turn.spend", "turn.put")


def window(state: State, ask: Ask, tempo: Tempo) -> Window:
    """One letter a turn. Money waits for a second one where the player said so, or in `strict`."""
    if state.phase == "split":
        return Window("S.S", tuple(Seat(nation) for nation in state.seats))
    if state.phase == "placing":
        if len(state.seats) == 1:
            return _alone(state, ask)
        part = "F" if ask.topic == "setup.flip" else "P"
        return Window(f"S.P{state.go + 1}.{ask.seat}.{part}", (ask.seat,), public=True)
    camp = state.camp_of[ask.seat]
    seats = tuple(Seat(nation) for nation in state.seats if state.camp_of[nation] == camp)
    if ask.topic == "turn.put" and tempo == "strict":
        return Window(f"{ask.at}/{ask.topic}", (ask.seat,), once=True)
    waits = ask.topic in SPENDING and (state.lead == "later" or tempo == "strict")
    return Window(f"R{state.round}.{camp}.{'M' if waits else 'T'}", seats)


def _alone(state: State, ask: Ask) -> Window:
    """Against the automa: the first flip goes with the split, and all that follows is one letter.

    It is written where the first number is known; the other companies are placed around theirs, whatever
    those will be.
    """
    begun = any(token.partition(".")[0] == ask.seat for token in state.numbers)
    if ask.topic == "setup.flip" and not begun:
        return Window("S.S", tuple(Seat(nation) for nation in state.seats))
    return Window("S.A", (ask.seat,), public=True)
