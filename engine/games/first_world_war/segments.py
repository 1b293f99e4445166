"""4.2 The procedures of a turn's segments, by name. How one follows the other: `order_of_play`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.first_world_war.order_of_play import next_turn
from engine.games.first_world_war.rules.deployment import deployment
from engine.games.first_world_war.rules.order import roll_for_order
from engine.games.first_world_war.rules.replacements import replacement_phase
from engine.games.first_world_war.rules.rounds import play_round
from engine.games.first_world_war.rules.victory import victory_check
from engine.kernel.requests import Procedure

__all__ = ["SEGMENTS", "next_turn"]

SEGMENTS: Mapping[str, Callable[..., Procedure]] = {
    "order": roll_for_order,
    "deployment": deployment,
    "round": play_round,
    "victory": victory_check,
    "replacement": replacement_phase,
}
