"""Tempo: which exchange of letters an open question waits for (decisions 1)."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.state import State
from engine.kernel.game import Tempo, Window
from engine.kernel.requests import Ask, Seat

SEATS: tuple[Seat, ...] = (Seat("EN"), Seat("GE"))
TOGETHER = ("S", "R", "P")  # both sides write at once: set-up, reinforcements, production
OWN_ACTS = ("turn.card", "turn.act", "turn.crisis", "turn.discard", "battle.declare", "battle.cards")


def window(state: State, ask: Ask, tempo: Tempo) -> Window:
    """`fast`: one letter of the phasing side a Player Turn; `react`: then one of the defender; `strict`: one
    a question, but for the moves of a Player Turn, the reinforcements and the production, which are one.
    """
    turn, part = ask.at.partition("/")[0].split(".")[:2]
    if part in TOGETHER:
        return _together(int(turn[1:]), part, state, ask, tempo)
    assert state.phasing != ""
    key, phasing = f"{turn}.{part}", (Seat(state.phasing),)
    own = ask.topic in OWN_ACTS
    if tempo == "strict" and ask.topic != "turn.act":
        return Window(f"{ask.at}/{ask.topic}", (ask.seat,), once=True)
    if tempo == "react" and state.battles and not own:
        return Window(f"{key}.D", (Seat(other(state.phasing)),))
    return Window(key, phasing)


def _together(turn: int, part: str, state: State, ask: Ask, tempo: Tempo) -> Window:
    """In `fast` the reinforcements of a season come with the production of the one before."""
    if tempo == "fast" and part == "R" and turn > state.first_turn:
        return Window(f"T{turn - 1}.P", SEATS)
    if tempo == "strict" and ask.topic not in ("reinforce", "production"):
        return Window(f"{ask.at}/{ask.topic}", (ask.seat,), once=True)
    return Window(f"T{turn}.{part}", SEATS)


def other(side: Side) -> Side:
    return "EN" if side == "GE" else "GE"
