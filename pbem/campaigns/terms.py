"""The terms of a campaign: game, pack and settings, checked before play and pinned in the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from engine.games import GAMES, game
from engine.kernel.errors import CorruptJournal, UnknownGame
from engine.kernel.game import Game, GameSettings, Tempo
from engine.kernel.journal import JournalLine, upcast
from engine.kernel.records import check_opening
from engine.kernel.requests import Seat
from pbem.errors import BadInput


@dataclass(frozen=True, slots=True)
class Terms:
    """What stays the same for a whole campaign."""

    game: Game
    pack: Any
    settings: GameSettings

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.game.seats(self.settings)

    def seat(self, name: str) -> Seat:
        """The seat of that name, in upper or lower case."""
        for seat in self.seats:
            if seat.casefold() == name.casefold():
                return seat
        raise BadInput(f"no seat {name!r} here; the seats are {', '.join(self.seats)}")


def title_for(terms: Terms, title: str, language: str) -> str:
    """A campaign's title; one that is just the game's name is translated."""
    names: Mapping[str, str] = terms.game.names
    return names[language] if title in names.values() else title


def find_game(name: str) -> Game:
    """The game of that id, in upper or lower case."""
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
    """Check the terms; what is left out takes the game's first choice."""
    chosen, tempo = find_game(name), tempo or "fast"
    if tempo not in get_args(Tempo):
        raise BadInput(f"no tempo {tempo!r}; known: {', '.join(get_args(Tempo))}")
    settings = GameSettings(
        scenario=scenario or chosen.scenarios[0],
        players=players or chosen.players[0],
        tempo=cast(Tempo, tempo),
        options=dict(options or {}),
    )
    if settings.scenario not in chosen.scenarios:
        known = ", ".join(chosen.scenarios)
        raise BadInput(f"{chosen.id} has no scenario {settings.scenario!r}; known: {known}")
    if settings.players not in chosen.players:
        known = ", ".join(map(str, chosen.players))
        raise BadInput(f"{chosen.id} cannot be played by {settings.players}; possible: {known}")
    return Terms(chosen, chosen.load_pack(pack), settings)


def pinned_terms(opening: JournalLine, pack: Path | None = None) -> Terms:
    """The terms in a journal's first line. `pack`: the folder of the campaign's own tables."""
    header = opening.data
    if header["k"] != "open":
        raise CorruptJournal(f"the first line is of kind {header['k']!r}, not 'open'")
    upcast({}, header.get("v", 0))  # refuses the journal of a newer program
    try:
        name, pinned = header["game"], header["settings"]
        settings = {key: pinned[key] for key in ("scenario", "players", "tempo", "options")}
    except (KeyError, TypeError) as error:
        raise CorruptJournal(f"the first line lacks settings: {error} is missing") from None
    terms = agree_terms(name, **settings, pack=pack)
    check_opening(terms.game, terms.pack, header)
    return terms


def read_options(words: Iterable[str]) -> dict[str, Any]:
    """`name=value` pairs from the command line, with on/off, true/false and numbers converted."""
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"an option is written name=value, not {word!r}")
        options[name.strip()] = _read_value(value.strip())
    return options


def _read_value(text: str) -> Any:
    switches = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
    if text.casefold() in switches:
        return switches[text.casefold()]
    return int(text) if text.lstrip("-").isdigit() else text
