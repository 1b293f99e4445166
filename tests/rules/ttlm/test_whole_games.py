"""Bots that take anything play whole games: every fact leaves a sound position, every default is offered.

A few games here, more of them by `make long`.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.to_the_last_man import invariants
from engine.games.to_the_last_man.game import GAME
from engine.kernel.branches import roll_back
from engine.kernel.fairness.dice import NoDice, TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask, Fact, Segment
from engine.kernel.table import Table
from tests.kernel.play import Campaign, at_random, kinds, same
from tests.kernel.test_branches import branch_of
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK

SCENARIOS = tuple(PACK.scenarios)
OPTIONS: tuple[dict[str, Any], ...] = (
    {"historical_starting_cards": True, "initiative_bidding": True, "suppress_armies": True},
    {"defender_scramble": True, "counter_attack": True, "fortify": True, "uk_materiel_superiority": True},
    {"hidden_hand_size": True, "antwerp_supply": True, "antwerp_evacuation": True},
    {"hidden_army_templates": False, "hand_limit": "next", "uk_in_england": "all"},
    {"weather_stops_gas": "attacker", "unsupplied_may_entrench": False, "free_game": True},
)


class Watched(Table):
    """A table that looks at the position after every fact."""

    def _fact(self, fact: Fact) -> None:
        super()._fact(fact)
        invariants.check(self.state)

    def _end_segment(self, following: Segment | None) -> None:
        invariants.check_settled(self.state)
        super()._end_segment(following)


def played(scenario: str, seed: int, **options: Any) -> Table:
    """A whole game of two players who take anything."""
    settings = GameSettings(scenario, 2, "fast", options)
    table = Watched.start(GAME, PACK, settings, TestDice(seed))
    rng = random.Random(seed)

    def anything(view: Any, ask: Ask) -> Answer:
        refusal = ask.options.why_not(ask.default)
        assert refusal is None, (ask.topic, ask.at, ask.default, refusal)
        return GAME.bots["random"](view, ask, rng)

    table.automa = dict.fromkeys(GAME.seats(settings), anything)
    table.advance()
    assert table.over and table.outcome is not None and table.longest_tail <= GAME.tail_cap
    return table


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_games_of_every_scenario_come_to_their_end(scenario: str) -> None:
    table = played(scenario, 1, length="short")
    assert table.outcome is not None and table.outcome.reason in ("time", "decisive")


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_games_with_optional_rules_come_to_their_end(number: int) -> None:
    scenario = ("1914", "1918", "1914", "1916", "1914")[number]
    played(scenario, number, length="short", **OPTIONS[number])


def test_a_game_lived_through_again_is_the_same() -> None:
    table = played("1917", 3, length="short")
    again = Table.replay(GAME, PACK, table.settings, table.journal.lines, NoDice())
    assert again.over and again.outcome == table.outcome
    assert GAME.dump(again.state) == GAME.dump(table.state)


def test_a_rollback_shuffles_the_draw_pile_anew() -> None:
    """What was drawn since the fork is known to somebody: the pile gets another order first."""
    settings = GameSettings("1915", 2, "strict", {"length": "short"})
    campaign = Campaign.of(GAME, settings=settings).play(at_random(4))
    before = roll_back(campaign.course(), "T5.1", 1, TestDice("fresh"), "a lost letter")
    assert before.segment is not None and before.segment.key == "T5.1.B1"
    deck = list(before.state.deck)
    branch = branch_of(campaign, before).play(at_random(5), 1)
    assert sorted(branch.table.state.deck) == sorted(deck) != branch.table.state.deck != deck
    (label,) = [data["label"] for data in kinds(branch.table, "shuffle") if ".B1/" in data["label"]]
    assert label == "T5.1.B1/deck/1/shuffle"
    assert not_none(branch.table.segment).key == "T5.1"
    same(branch.replayed(), branch.table)
    same(branch.resumed(), branch.table)


def test_a_pile_that_nobody_drew_from_keeps_its_order() -> None:
    settings = GameSettings("1915", 2, "strict", {"length": "short"})
    campaign = Campaign.of(GAME, settings=settings).play(pauses=2)
    table = roll_back(campaign.course(), "T4.1", 1, TestDice("fresh"), "a lost letter")
    assert table.segment is not None and table.segment.key == "T4.1"


@pytest.mark.long
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", range(8))
def test_many_campaigns(scenario: str, seed: int) -> None:
    played(scenario, 100 + seed)


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(OPTIONS)))
@pytest.mark.parametrize("seed", range(4))
def test_many_campaigns_with_options(number: int, seed: int) -> None:
    played(SCENARIOS[(number + seed) % len(SCENARIOS)], 200 + seed, **OPTIONS[number])
