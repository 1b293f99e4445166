"""Everything that can happen in the game, by name."""

from __future__ import annotations

from engine.games.first_world_war.facts.board import BOARD_FACTS
from engine.games.first_world_war.facts.combat import COMBAT_FACTS
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import Fact

FACTS: dict[str, type[Fact]] = {fact.__name__: fast_frozen(fact) for fact in (*BOARD_FACTS, *COMBAT_FACTS)}
