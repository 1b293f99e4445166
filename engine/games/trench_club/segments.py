"""The procedures by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.trench_club.rules.combat import combat
from engine.games.trench_club.rules.money import money
from engine.games.trench_club.rules.placing import first_turn, placing, setup
from engine.games.trench_club.rules.turns import turn
from engine.kernel.requests import Procedure

SEGMENTS: Mapping[str, Callable[..., Procedure]] = {
    "setup": setup,
    "placing": placing,
    "first_turn": first_turn,
    "turn": turn,
    "combat": combat,
    "money": money,
}
