"""What is kept or written out for speed says the same as the rule it stands for, in whole random games."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.games.trench_club.answers import Move
from engine.games.trench_club.rules.acts import TurnActs, why_not
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.contact import front
from engine.games.trench_club.rules.movement import March, toll, walk
from engine.games.trench_club.state import State
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask
from engine.kernel.table import Table

GAME = game("trench")
FORMS = (
    GameSettings(players=2),
    GameSettings(players=2, options={"trench_rules": True, "short_game": True}),
    GameSettings(players=2, options={"fort_pass_through": False, "short_game": True}),
)


class Trial:
    """A random game in which every act that is drawn is looked at before it is done."""

    def __init__(self, settings: GameSettings, seed: int) -> None:
        self.rng, self.acts = Random(seed), 0
        self.table = Table.start(GAME, GAME.load_pack(), settings, TestDice(seed))
        bots: Any = dict.fromkeys(GAME.seats(settings), self.answer)
        self.table.automa = bots
        self.table.advance()

    def answer(self, view: Any, ask: Ask) -> Answer:
        drawn = ask.options.sample(self.rng)
        if isinstance(ask.options, TurnActs):
            self.acts += 1
            self.look(self.table.state, ask, ask.options, drawn)
        return drawn

    def look(self, state: State, ask: Ask, options: TurnActs, drawn: Any) -> None:
        assert why_not(state, drawn, (ask.seat,)) is None
        assert options.against == front(state, state.pack.team_of[ask.seat])
        assert options._units() == TurnActs(state, (ask.seat,))._units()
        if not isinstance(drawn, Move) or not drawn.path:
            return
        march = March(state, drawn.unit)
        if march.mines.isdisjoint(drawn.path):
            assert toll(state, drawn.unit, drawn.path, bool(drawn.aboard)) == walk(
                march, drawn.path, bool(drawn.aboard)
            )
        for left in range(march.speed + 1):
            for here in drawn.path:
                priced = {to: march.price(to, left) for to in march.ways[here]}
                ahead = march.ahead(march.steps_from(here, left), left)
                assert {to: cost for to, cost, _ in ahead} == {
                    to: cost for to, cost in priced.items() if cost <= left
                }
        assert [to for to, *_ in march.ahead(march.opening, march.speed)] == [
            to for to in march.first if march.price(to, march.speed) <= march.speed
        ]


@pytest.mark.parametrize("settings", FORMS, ids=("basic", "trenches", "closed forts"))
def test_move__1_acts_drawn_without_a_test_are_legal(settings: GameSettings) -> None:
    assert sum(Trial(settings, seed).acts for seed in range(3)) > 500


def test_automa__8_the_nearest_of_several_goals() -> None:
    """One map for all goals is the least of the maps for each."""
    state: Any = Table.start(GAME, GAME.load_pack(), GameSettings(players=2), TestDice("maps")).state
    rng, hexes = Random(3), sorted(state.grid)
    for type_ in state.pack.types.values():
        state.built = dict.fromkeys(rng.sample([h for h in hexes if h not in state.forts], 4), "road")
        goals, ground = rng.sample(hexes, 5), Ground(state)
        single = [ground.to(type_, (goal,)) for goal in goals]
        together = ground.to(type_, goals)
        assert {hex_: min(one.get(hex_, FAR) for one in single) for hex_ in together} == dict(together)
        assert together.keys() == {hex_ for one in single for hex_ in one}
