"""The suite proves itself: every planted leak is found, in its own channel, within so many pairs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.kernel.game import Tempo
from tests.conformance.games import cases
from tests.conformance.leaks import PLANTED, SETTINGS, Planted, even_cards_only, plantings
from tests.conformance.worlds import Leak, Pair

MOST_PAIRS = 60
CASES = {
    name: next(case for case in cases() if str(case) == name) for name in ("toy-standard-2", "fww-standard-4")
}
CASE_OF = {case.game.id: case for case in CASES.values()}


@pytest.mark.parametrize(
    ("planted", "game", "tempo"),
    [pytest.param(*one, id=f"{one[0].name}-{one[1]}-{one[2]}") for one in plantings()],
)
def test_a_planted_leak_is_found(
    planted: Planted, game: str, tempo: Tempo, monkeypatch: pytest.MonkeyPatch, tally: Any
) -> None:
    case = CASE_OF[game]
    monkeypatch.setitem(SETTINGS, game, case.settings(tempo))
    leaky = planted.plant(case.game, monkeypatch)
    for seed in range(MOST_PAIRS):
        tally(pairs=1)
        try:
            Pair(case, tempo, seed, leaky, planted.pick).run()
        except Leak as leak:
            assert re.search(planted.channel, str(leak))
            tally(found=1)
            return
    pytest.fail(f"not found in {MOST_PAIRS} pairs")


def test_enough_kinds_of_leaks_are_planted() -> None:
    assert len({planted.name for planted in PLANTED}) >= 10


def test_a_rule_that_depends_on_the_hand_is_no_leak_while_its_question_is_secret() -> None:
    """What makes the leak above is the kernel's change, not the rule it needs."""
    case = CASE_OF["toy"]
    for seed in range(12):
        Pair(case, "strict", seed, even_cards_only(case.game)).run()
