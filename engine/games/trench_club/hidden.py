"""What a seat cannot tell apart: tokens not yet flipped, and an automa's counters not yet turned up."""

from __future__ import annotations

from engine.games.trench_club.answers import COMPANIES
from engine.games.trench_club.rules.placing import COUNTER
from engine.games.trench_club.state import State
from engine.kernel.requests import Seat


def hidden(state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
    """SETUP-9 The same for every seat: nobody sees a number, its owner neither."""
    if state.phase not in ("split", "placing"):
        return ()
    tokens = [
        token
        for camp, dealt in state.tokens.items()
        for company, token in zip(COMPANIES, dealt, strict=True)
        if f"{camp}.{company}" not in state.numbers
    ]
    drawn = {unit for unit, found in state.units.items() if found.at}
    counters = [one for one in state.counters if one.removeprefix(COUNTER) not in drawn]
    groups = (tuple(sorted(tokens)), tuple(sorted(counters)))
    return tuple(group for group in groups if len(group) > 1)
