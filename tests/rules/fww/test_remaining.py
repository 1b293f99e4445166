"""FWW: boundaries that the tests by chapter leave open."""

from __future__ import annotations

import pytest

from tests.rules.fww.board import Board


@pytest.mark.parametrize(
    ("galicia", "chosen"),
    [
        ("RU4 RU5", 9),  # two against two: the lower number
        ("DE11 RU4 RU5", 9),  # the partner's army is no help
        ("GA:2D RU4 RU5", 9),  # nor are dummies
        ("RU4 EA:D", 9),  # an enemy counter is one, whatever it is
        ("RU4", 10),
    ],
)
def test_4_2_1__4_without_an_order_an_army_goes_where_the_enemy_is_strongest(galicia, chosen):
    fronts = {9: galicia, 10: "SB1 SB2"}
    board = Board(turn=3, phase="deploy", faction="GA", fronts=fronts, waiting={"GA": "AH7"}).play()
    assert board.state.place("AH7") == chosen


def test_4_2_1__4_without_an_order_own_real_armies_weigh_against_the_enemy():
    """FWW-8.1-10: the treaty lifts the duty on 9, so that the choice is free."""
    fronts = {9: "AH1 AH3 AH4 RU4 RU5 RU8 RU3", 11: "RU6 RU7"}
    board = Board(turn=4, phase="deploy", faction="GA", fronts=fronts, waiting={"GA": "AH11"}, treaty=True)
    board.play()
    assert board.state.place("AH11") == 11
