"""The terms of a campaign: game, pack and settings, checked before anything begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from engine.games import GAMES, game
from engine.kernel.errors import UnknownGame
from engine.kernel.game import Game, GameSettings, Tempo
from engine.kernel.requests import Seat
from pbem.errors import BadInput


@dataclass(frozen=True, slots=True)
class Terms:
    """What is pinned for a whole campaign."""

    game: Game
    pack: Any
    settings: GameSettings

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.game.seats(self.settings)

    def seat(self, name: str) -> Seat:
        """The seat of that name, in any case."""
        for seat in self.seats:
            if seat.casefold() == name.casefold():
                return seat
        raise BadInput(f"no seat {name!r} here; the seats are {', '.join(self.seats)}")


def find_game(name: str) -> Game:
    """The game of that id, in any case."""
    try:
        return game(name.casefold())
    except UnknownGame:
        raise BadInput(f"no game {name!r}; known: {', '.join(sorted(GAMES))}") from None


def agree_terms(
    name: str,
    scenario: str = "",
    players: int = 0,
    tempo: str = "",
    options: Mapping[str, Any] | None = None,
    pack: Path | None = None,
) -> Terms:
    """The terms, or one precise complaint. What is left open takes the game's first choice."""
    found = find_game(name)
    settings = GameSettings(
        scenario=scenario or found.scenarios[0],
        players=players or found.players[0],
        tempo=_tempo(tempo or "fast"),
        options=dict(options or {}),
    )
    if settings.scenario not in found.scenarios:
        known = ", ".join(found.scenarios)
        raise BadInput(f"{found.id} has no scenario {settings.scenario!r}; known: {known}")
    if settings.players not in found.players:
        known = ", ".join(map(str, found.players))
        raise BadInput(f"{found.id} cannot be played by {settings.players}; possible: {known}")
    return Terms(found, found.load_pack(pack), settings)


def _tempo(name: str) -> Tempo:
    for tempo in get_args(Tempo):
        if tempo == name:
            found: Tempo = tempo
            return found
    raise BadInput(f"no tempo {name!r}; known: {', '.join(get_args(Tempo))}")


def read_options(words: Iterable[str]) -> dict[str, Any]:
    """`name=value` pairs of the command line; on/off, true/false and numbers mean what they say."""
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"an option is written name=value, not {word!r}")
        options[name.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    known = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
    if text.casefold() in known:
        return known[text.casefold()]
    return int(text) if text.lstrip("-").isdigit() else text
