"""Bots: each answers from its own seat's view, with a random source that the rules never use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import cast

from engine.kernel.fairness.dice import H
from engine.kernel.game import Bot, Game
from engine.kernel.requests import Rng, Seat
from engine.kernel.table import Automa
from pbem.errors import BadInput


def find_bot(game: Game, name: str) -> Bot:
    """The game's bot of that name; the error lists the known ones."""
    if name not in game.bots:
        raise BadInput(f"{game.id} has no bot {name!r}; known: {', '.join(sorted(game.bots))}")
    return game.bots[name]


def default_bot(game: Game) -> str:
    """The name of the bot that plays when none was chosen."""
    return "sensible" if "sensible" in game.bots else sorted(game.bots)[0]


def choose_bot(game: Game, name: str) -> str:
    """The name of that bot, which must be known; without a name, of the default one."""
    chosen = name or default_bot(game)
    find_bot(game, chosen)
    return chosen


def bot_rng(seed: bytes, *parts: bytes | str | int) -> Rng:
    """A bot's own random source: the same in every process for the same seed and parts."""
    return cast(Rng, Random(H("bot", seed, *parts)))


def bind_bot(bot: Bot, rng: Rng) -> Automa:
    """The bot with its random source, as the table calls it."""
    return lambda view, ask: bot(view, ask, rng)


def bind_bots(game: Game, bots: Mapping[Seat, str], seed: bytes, t: int) -> dict[Seat, Automa]:
    """The bots of one advance; a second run after a crash gets the same random numbers."""
    return {seat: bind_bot(find_bot(game, name), bot_rng(seed, seat, t)) for seat, name in bots.items()}


def deal_bots(seats: Sequence[Seat], names: Sequence[str], turn: int = 0) -> dict[Seat, str]:
    """Assign bots to seats in rotation, so that over several games each plays every seat."""
    return {seat: names[(place + turn) % len(names)] for place, seat in enumerate(seats)}
