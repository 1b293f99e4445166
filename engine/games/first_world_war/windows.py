"""Tempo: which exchange of letters an open question waits for (decisions 4)."""

from __future__ import annotations

from engine.games.first_world_war.state import State
from engine.kernel.game import Tempo, Window
from engine.kernel.requests import Ask, Seat

PUBLIC = ("O", "V")  # D2, D14 to D18: with standing orders for them no letter is needed
CYCLE_LENGTH = 4  # rounds: one of each faction


def window(state: State, ask: Ask, tempo: Tempo) -> Window:
    """`fast`: one exchange a phase; `react`: one a cycle of rounds; `strict`: one a question."""
    if tempo == "strict":
        return Window(f"{ask.at}/{ask.topic}", (ask.seat,), once=True)
    turn, _, part = ask.at.partition("/")[0].partition(".")
    kind = _exchange(part, tempo)
    return Window(f"{turn}.{kind}", all_seats(state), public=kind in PUBLIC)


def _exchange(part: str, tempo: Tempo) -> str:
    """O slots, D deployment, R all rounds or C1 to C4 the cycles, V everything after them."""
    match part[0]:
        case "R" if tempo == "react":
            return f"C{(int(part[1:]) - 1) // CYCLE_LENGTH + 1}"
        case "V" | "P":
            return "V"
        case kind:
            return kind


def all_seats(state: State) -> tuple[Seat, ...]:
    return tuple(sorted(set(state.seats.values())))
