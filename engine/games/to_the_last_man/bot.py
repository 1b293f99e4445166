"""Two players made of code: one takes anything that is offered, one plays sensibly.

Both see only what a seat sees: its view and the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.to_the_last_man.sensible import build_up, fights
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Bot, random_bot
from engine.kernel.requests import Answer, Ask, Rng


def sensible_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """Takes what is open, attacks where it pays, holds and fills the rest; else the default."""
    habit = _HABITS.get(ask.topic)
    return ask.default if habit is None else habit(view, ask)


_HABITS: Mapping[str, Callable[[View, Ask], Answer]] = {
    "reinforce": build_up.reinforce,
    "turn.card": fights.offensive,
    "turn.crisis": fights.crisis,
    "turn.act": fights.act,
    "turn.discard": fights.exchange,
    "battle.declare": fights.declare,
    "battle.cards": fights.combat_cards,
    "battle.weather": fights.weather,
    "battle.keep": fights.keep,
    "battle.instead": fights.instead,
    "battle.ersatz": fights.ersatz,
    "battle.retreat": fights.after_combat,
    "production": build_up.produce,
}

BOTS: Mapping[str, Bot] = {"random": random_bot, "sensible": sensible_bot}
