"""DICELESS: cards instead of dice."""

from __future__ import annotations

import pytest

from engine.games.trench_club.rules.dice_cards import card_hits, uses_cards
from tests.rules.trench.fights import PACK, field, fight, marks

MISS = " ".join(["12"] * 12)
ROWS = (5, 7, 8, 9, 10, 11, 12, 13, 14, 15)


@pytest.mark.parametrize(
    ("setting", "using"), [("none", ""), ("all", "DE GB AH FR"), ("DE", "DE"), ("GB AH", "GB AH")]
)
def test_diceless__1_who_uses_cards(setting, using):
    state = field(options={"diceless": setting})
    assert [nation for nation in PACK.ring if uses_cards(state, nation)] == using.split()


def test_t38_mixed_dice_and_cards():
    """DICELESS-1, 2"""
    state = field("DE.CAR1@D4", "GB.INF1@E4", options={"diceless": "DE"})
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"2 / {MISS}")
    assert course.rolled() == [("DE.CAR1.card", 1), ("GB.INF1.riposte", 12)]
    assert [roll.sides for roll in course.rolls] == [10, 12]
    card, dice = course.shots()
    assert (card.means, card.faces, card.hits) == ("card", (2,), 2)
    assert (dice.means, len(dice.faces)) == ("dice", 12)


def test_diceless__2_each_side_draws_its_own_card_from_ten():
    state = field("DE.CAR1@D4", "GB.INF1@E4", options={"diceless": "all"})
    course = fight(state, "DE.CAR1 GB.INF1", dice="10 / 10")
    assert course.rolled() == [("DE.CAR1.card", 1), ("GB.INF1.card", 1)]
    assert [(shot.hits, shot.value) for shot in course.shots()] == [(7, 4), (4, 2)]
    assert sorted(PACK.cards) == list(range(1, 11))


def test_diceless__2_each_riposte_out_of_a_trench_draws_its_own_card():
    """TRENCH-15, 16 They are rolled apart; the register says so."""
    units = ("GB.INF1@B1", "FR.CAV1@D2", "AH.CAR1@E1")
    state = field(*units, active="AH", options={"trench_rules": True, "diceless": "GB FR"})
    course = fight(state, "AH.CAR1 GB.INF1", dice=f"{MISS} / 10 / 2")
    assert course.rolled() == [("AH.CAR1.attack", 12), ("GB.INF1.card", 1), ("FR.CAV1.card", 1)]
    assert [(shot.by, shot.means, shot.faces) for shot in course.shots()[1:]] == [
        ("GB.INF1", "card", (10,)),
        ("FR.CAV1", "card", (2,)),
    ]


@pytest.mark.parametrize(("damage", "row"), [(0, 12), (1, 11), (2, 10), (3, 8), (4, 7), (5, 5)], ids=str)
def test_diceless__3_row_by_dice_and_column_by_value(damage, row):
    state = field(f"DE.CAR1@D4 d{damage} x3", "GB.MOR1@E4", options={"diceless": "DE"})
    course = fight(state, "DE.CAR1 GB.MOR1", dice="7")
    assert course.shots()[0].hits == PACK.cards[7][row][4]  # the fifth column: attack 6


@pytest.mark.parametrize(
    ("card", "dice", "value", "hits"), [(2, 5, 2, 0), (2, 15, 10, 11), (10, 15, 10, 15), (1, 5, 6, 1)]
)
def test_diceless__3_the_first_column_is_attack_2_and_the_last_10(card, dice, value, hits):
    assert card_hits(PACK, card, dice, value) == hits


def test_diceless__3_flank_and_surround_choose_a_lower_row():
    for others, row in (((), 12), (("DE.INF1@D3",), 14), (("DE.INF1@D3", "DE.CAV1@C2"), 15)):
        state = field("DE.CAR1@D4", "GB.MOR1@C3", *others, options={"diceless": "DE"})
        (shot,) = fight(state, "DE.CAR1 GB.MOR1", dice="5").shots()
        assert shot.hits == PACK.cards[5][row][2]
        assert shot.bonus == row - 12


def test_e15_dice_card():
    """DICELESS-3..5 The printed example: attack 4, two damage, a flank; the cell is hits, not damage."""
    state = field("DE.CAR1@D4 d2", "DE.AIR1@D3", "GB.INF1@E3", options={"diceless": "DE"})
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"2 / {MISS}")
    shot = course.shots()[0]
    assert (shot.value, shot.bonus, shot.hits, shot.damage) == (4, 2, 2, 1)
    assert marks(state, "GB.INF1") == "d1"


def test_diceless__4_the_cell_is_hits_that_armour_turns_into_damage():
    state = field("DE.TNK1@D4", "GB.TNK1@E4", options={"diceless": "all"})
    course = fight(state, "DE.TNK1 GB.TNK1", dice="10 / 1")
    assert [(shot.hits, shot.damage) for shot in course.shots()] == [(9, 3), (3, 1)]


def test_diceless__5_the_printed_card():
    assert PACK.cards[2][12] == (1, 1, 2, 3, 5, 5, 7, 7, 9)
    assert tuple(PACK.cards[2]) == ROWS


def test_diceless__6_scatter_is_still_a_die():
    state = field("DE.BER1@D10", "GB.INF1@E4", options={"diceless": "all"})
    course = fight(state, "DE.BER1 GB.INF1", dice="12 / 5")
    assert course.rolled() == [("DE.BER1.scatter", 1), ("DE.BER1.card", 1)]
    assert [roll.sides for roll in course.rolls] == [12, 10]
    assert course.shots()[0].hits == 8


def test_diceless__6_one_card_for_a_whole_cloud():
    state = field("DE.GAS1@D5", "GB.INF1@D3", "GB.CAR1@E3", options={"diceless": "all"})
    course = fight(state, "DE.GAS1 N", dice="6")
    assert course.rolled() == [("DE.GAS1.card", 1)]
    assert [(shot.at, shot.hits) for shot in course.shots()] == [("GB.INF1", 5), ("GB.CAR1", 2)]


def test_diceless__7_the_mean_of_the_ten_cards_is_that_of_the_dice():
    for dice in ROWS:
        for value in range(2, 11):
            mean = sum(card_hits(PACK, card, dice, value) for card in PACK.cards) / 10
            assert abs(mean - dice * value / 12) < 0.25, (dice, value)
