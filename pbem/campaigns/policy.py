"""What a campaign agreed on beside its game: time, proof of sender, how held sheets count, house rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as strict_dataclass

from engine.games import GAMES, game
from engine.kernel.errors import UnknownGame
from engine.kernel.game import Game, Settings, Tempo
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import ClockTerms
from pbem.errors import BadInput
from pbem.mail.dkim import Proof


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Policy:
    """Kept beside the campaign; an umpire may change it."""

    clock: ClockTerms = field(default_factory=ClockTerms)
    proof: Proof = "pinned"
    whole_sheets: bool = False  # a held sheet counts whole or not at all
    raw_mail_days: int = Field(default=90, ge=0)  # how long raw mail is kept after the end
    resigned: Literal["substitute", "automa"] = "substitute"  # who plays on for one who gave up his seat
    house_rules: Mapping[str, str] = field(default_factory=dict)  # language -> text of the invitation


_POLICY: Final = TypeAdapter(Policy)


def read_policy(data: Mapping[str, Any]) -> Policy:
    """The policy from the store or a configuration, or one precise complaint."""
    try:
        return _POLICY.validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        raise BadInput(f"policy: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


def write_policy(policy: Policy) -> dict[str, Any]:
    """Plain data; `read_policy` reads it."""
    data: dict[str, Any] = _POLICY.dump_python(policy, mode="json")
    return data


@dataclass(frozen=True, slots=True)
class Terms:
    """What is pinned for a whole campaign."""

    game: Game
    pack: Any
    settings: Settings

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.game.seats(self.settings)

    def seat(self, name: str) -> Seat:
        """The seat of that name, in any case."""
        for seat in self.seats:
            if seat.casefold() == name.casefold():
                return seat
        raise BadInput(f"no seat {name!r} here; the seats are {', '.join(self.seats)}")


def game_named(name: str) -> Game:
    """The game of that id, in any case."""
    try:
        return game(name.casefold())
    except UnknownGame:
        raise BadInput(f"no game {name!r}; known: {', '.join(sorted(GAMES))}") from None


def agree(
    name: str,
    scenario: str = "",
    players: int = 0,
    tempo: str = "",
    options: Mapping[str, Any] | None = None,
    pack: Path | None = None,
) -> Terms:
    """The terms, or one precise complaint. What is left open takes the game's first choice."""
    found = game_named(name)
    settings = Settings(
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
