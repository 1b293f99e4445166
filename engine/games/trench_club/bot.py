"""Players made of code. They see only what a seat sees: its view and the question."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.trench_club.sensible import sensible_bot
from engine.kernel.game import Bot, random_bot

BOTS: Mapping[str, Bot] = {"random": random_bot, "sensible": sensible_bot}
