"""Games about to begin, and their first steps."""

from __future__ import annotations

from typing import Any

from engine.games.trench_club import order_of_play
from engine.games.trench_club.rules.placing import placing, setup
from engine.games.trench_club.rules.setup import set_up
from engine.games.trench_club.state import State
from engine.kernel.errors import Refusal
from engine.kernel.game import GameSettings
from engine.kernel.requests import Step
from tests.rules.trench.drawn import PACK, Course, play


def game(players: int = 2, **options: Any) -> State:
    return set_up(PACK, GameSettings("standard", players, "fast", options))[0]


def run(state: State, step: Step, dice: str = "", answers: list[Any] | None = None) -> Course:
    return play(state, step, answers, dice)


def refused(options: Any, answer: Any) -> tuple[str, str]:
    refusal = options.why_not(answer)
    assert isinstance(refusal, Refusal) and not options.contains(answer)
    return refusal.rule, refusal.reason


def types_of(state: State, nation: str) -> list[str]:
    return [unit.type for unit in state.units.values() if unit.nation == nation]


def ready(dice: str = "9 1", **options: Any) -> State:
    state = game(**options)
    run(state, setup(state), dice)
    return state


def go(state: State, *answers: Any) -> Course:
    """The next company, whoever's it is."""
    (camp,) = order_of_play.placing(state).args
    return run(state, placing(state, str(camp)), answers=list(answers))
