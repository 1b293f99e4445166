"""Everything that can happen in the game, by name."""

from __future__ import annotations

from engine.games.to_the_last_man.facts.battle import BATTLE_FACTS
from engine.games.to_the_last_man.facts.board import BOARD_FACTS
from engine.games.to_the_last_man.facts.cards import CARD_FACTS
from engine.games.to_the_last_man.facts.force import FORCE_FACTS
from engine.games.to_the_last_man.facts.season import SEASON_FACTS
from engine.kernel.requests import Fact

FACTS: dict[str, type[Fact]] = {
    fact.__name__: fact for fact in (*SEASON_FACTS, *CARD_FACTS, *BOARD_FACTS, *FORCE_FACTS, *BATTLE_FACTS)
}
