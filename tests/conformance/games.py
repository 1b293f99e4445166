"""The games under test: all that are registered, and the toy. A new game may have lines here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from engine.games import GAMES, game
from engine.kernel.game import Game, Settings, Tempo
from engine.kernel.register import FILE, load_register
from engine.kernel.requests import Answer, Ask, Seat
from tests.kernel import toy

TEMPOS: tuple[Tempo, ...] = ("fast", "react", "strict")
SIZE = int(
    os.environ.get("PBEM_CONFORMANCE", "1")
)  # 10: ten times as many games, questions and pairs of worlds
ALL: Mapping[str, Game] = {"toy": toy.GAME, **{name: game(name) for name in GAMES}}


@dataclass(frozen=True)
class Case:
    """A game with settings; the tempo is chosen by the test."""

    game: Game
    scenario: str
    players: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, tempo: Tempo = "fast") -> Settings:
        return Settings(self.scenario, self.players, tempo, self.options)

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.game.seats(self.settings())

    def __str__(self) -> str:
        options = "".join(f"-{name}" for name in self.options)
        return f"{self.game.id}-{self.scenario}-{self.players}{options}"


# Optional rules and switches that change which questions are asked; the standard game is always played.
OPTIONS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "fww": (
        {"schlieffen_plan": True, "random_order": True},
        {"hand_scope": "player", "unreplaced_losses": "removed"},
        {"garrison_rule": "empty-fronts", "unopposed_attack_gives_surrender_point": True},
    ),
}


def cases() -> list[Case]:
    """Every scenario with every number of players, and every set of options once."""
    found = []
    for name, one in ALL.items():
        found += [Case(one, scenario, n) for scenario in one.scenarios for n in one.players]
        for number, options in enumerate(OPTIONS.get(name, ())):
            found.append(Case(one, one.scenarios[0], one.players[number % len(one.players)], options))
    return found


def rules_of(one: Game) -> frozenset[str]:
    """The ids in the game's register."""
    if one.id == "toy":
        return toy.RULES
    folder = Path(str(import_module(GAMES[one.id]).__file__)).parent
    return frozenset(load_register(folder / "data" / FILE).rules)


# ------------------------------------------------------------------ what the two worlds know of a game

# Standing orders for secret questions: what is on file for them must change nothing that others see.
STANDING: Mapping[str, tuple[str, ...]] = {
    "toy": ("", "ALWAYS HIDE H2\nALWAYS DROP NONE", "ALWAYS HIDE H3\nALWAYS DROP K1\nALWAYS DROP K2"),
}

# Lines that a seat could send at any time, to be rehearsed.
SHEETS: Mapping[str, Callable[[Any], str]] = {
    "toy": lambda view: "HIDE H2\nGUESS H3\nGUESS H9\nDROP K1\nDROP NONE\nWAVE\nMUTTER HM",
}


def mutter(ask: Ask, seat: Seat, rng: Random) -> Answer | None:
    return "HM" if ask.topic == "mutter" else None


# An act of somebody else's that the seat neither sees nor hears of; None: nothing of the kind is offered.
QUIET: Mapping[str, Callable[[Ask, Seat, Random], Answer | None]] = {"toy": mutter}
