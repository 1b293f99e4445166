"""Everything that can happen in the game, by name."""

from __future__ import annotations

from engine.games.trench_club.facts.combat import COMBAT_FACTS
from engine.games.trench_club.facts.money import MONEY_FACTS
from engine.games.trench_club.facts.moves import MOVE_FACTS
from engine.games.trench_club.facts.setup import SETUP_FACTS
from engine.kernel.requests import Fact

FACTS: dict[str, type[Fact]] = {
    fact.__name__: fact for fact in (*SETUP_FACTS, *MOVE_FACTS, *COMBAT_FACTS, *MONEY_FACTS)
}
