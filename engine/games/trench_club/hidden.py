"""What a seat cannot tell apart: tokens not yet flipped, and an automa's counters not yet turned up."""

from __future__ import annotations

from engine.games.trench_club.answers import COMPANIES
from engine.games.trench_club.state import State
from engine.kernel.requests import Seat


def hidden(state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
    """SETUP-9 The same for every seat: nobody sees a number, its owner neither."""
    tokens = [
        token
        for camp, dealt in state.tokens.items()
        for company, token in zip(COMPANIES, dealt, strict=True)
        if f"{camp}.{company}" not in state.numbers
    ]
    counters = [unit for unit in state.counters if unit in state.units and not state.units[unit].at]
    groups = (tuple(sorted(tokens)), tuple(sorted(counters)))
    return tuple(group for group in groups if len(group) > 1)
