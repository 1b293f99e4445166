"""2 The procedures of a season's segments, by name. How one follows the other: `order_of_play`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.rules.player_turn import end_player_turn, player_turn
from engine.games.to_the_last_man.rules.production import production_phase
from engine.games.to_the_last_man.rules.reinforcements import begin_season
from engine.games.to_the_last_man.rules.setup import deal, shuffle_anew
from engine.kernel.requests import Procedure

SEGMENTS: Mapping[str, Callable[..., Procedure]] = {
    "setup": deal,
    "reshuffle": shuffle_anew,
    "reinforcements": begin_season,
    "player_turn": player_turn,
    "battle": battle,
    "turn_end": end_player_turn,
    "production": production_phase,
}
