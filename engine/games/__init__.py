"""One folder a game; no game imports another. A fifth game adds one line to GAMES."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from engine.kernel.errors import UnknownGame
from engine.kernel.game import Game

GAMES: Mapping[str, str] = {
    "fww": "engine.games.first_world_war.game",
    "ttlm": "engine.games.to_the_last_man.game",
    "trench": "engine.games.trench_club.game",
}


def game(game_id: str) -> Game:
    """The game with that id."""
    if game_id not in GAMES:
        raise UnknownGame(f"no game {game_id!r}; known: {', '.join(sorted(GAMES))}")
    found: Game = import_module(GAMES[game_id]).GAME
    return found
