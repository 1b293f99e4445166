"""Bots at the table: each gets its seat's view and chance of its own, which the rules never use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import cast

from engine.kernel.fairness.dice import H
from engine.kernel.game import Bot, Game, View
from engine.kernel.requests import Answer, Ask, Rng, Seat
from engine.kernel.table import Automa
from pbem.errors import BadInput


def bot_named(game: Game, name: str) -> Bot:
    """The bot of that name, or a complaint that lists those there are."""
    if name not in game.bots:
        raise BadInput(f"{game.id} has no bot {name!r}; known: {', '.join(sorted(game.bots))}")
    return game.bots[name]


def usual_bot(game: Game) -> str:
    """The bot that plays when nobody says which."""
    return "sensible" if "sensible" in game.bots else sorted(game.bots)[0]


def chance(seed: bytes, *parts: bytes | str | int) -> Rng:
    """A bot's own source of chance. Equal seeds and parts give equal chance in every process."""
    return cast(Rng, Random(H("bot", seed, *parts)))


def automa(bot: Bot, rng: Rng) -> Automa:
    """The bot as an automa of the table."""

    def answer(view: View, ask: Ask) -> Answer:
        return bot(view, ask, rng)

    return answer


def automas(game: Game, bots: Mapping[Seat, str], seed: bytes, t: int) -> dict[Seat, Automa]:
    """The automas of one advance: a run that crashed finds the same chance again."""
    return {seat: automa(bot_named(game, name), chance(seed, seat, t)) for seat, name in bots.items()}


def dealt(seats: Sequence[Seat], names: Sequence[str], turn: int = 0) -> dict[Seat, str]:
    """Bots dealt to the seats in turn, so that over several games each sits everywhere."""
    return {seat: names[(place + turn) % len(names)] for place, seat in enumerate(seats)}
