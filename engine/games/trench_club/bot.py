"""Players made of code. They see only what a seat sees: its view and the question."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.trench_club.sensible import sensible_bot
from engine.games.trench_club.view import View
from engine.kernel.game import Bot
from engine.kernel.requests import Answer, Ask, Rng


def random_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """Whatever a sample of the offers says."""
    return ask.options.sample(rng)


BOTS: Mapping[str, Bot] = {"random": random_bot, "sensible": sensible_bot}
