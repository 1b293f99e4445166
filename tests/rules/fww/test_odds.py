"""ODDS: what a seat may reckon with, seeing what it sees."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from engine.games.first_world_war.answers import Attack
from engine.games.first_world_war.odds import SCALE, Odds, attack_odds, duel, hands
from tests.rules.fww.board import PACK, Board

DIE = (1, 2, 3, 4, 0, 0)


def share(chances: int) -> Fraction:
    return Fraction(chances, SCALE)


def test_a_duel_counts_all_36_pairs_of_faces() -> None:
    for edge in range(-4, 5):
        gaps = [edge + own - other for own, other in product(DIE, DIE)]
        wanted = (sum(gap > 0 for gap in gaps), gaps.count(0), sum(gap < 0 for gap in gaps))
        assert tuple(round(36 * part) for part in duel(PACK, edge)) == wanted


def test_against_a_shown_defender_only_the_dice_are_unknown() -> None:
    board = Board(turn=1, faction="DE", cycle=1, fronts={1: "DE1 DE2 BR1"}, face_up="BR1")
    found = attack_odds(board.view("DE"), Attack(1, ("DE1", "DE2")))  # 3 + 1 for numbers against 3
    wins = sum(own + 1 > other for own, other in product(DIE, DIE))
    assert found.unopposed == 0
    assert found.higher == round(SCALE * wins / 36)
    assert abs(found.higher + found.equal + found.lower - SCALE) <= 2


def test_an_unseen_counter_may_be_a_dummy_or_any_army_that_may_stand_there() -> None:
    board = Board(turn=1, faction="DE", cycle=1, fronts={4: "DE7 WA:1D"})
    found = attack_odds(board.view("DE"), Attack(4, ("DE7",)))
    french = [army for army in PACK.armies.values() if army.nationality == "FR" and army.entry == 1]
    dummies = len(PACK.dummies_of["WA"])
    assert abs(share(found.unopposed) - Fraction(dummies, dummies + len(french))) < Fraction(1, SCALE)


def test_the_truth_behind_a_counter_changes_nothing() -> None:
    told = {
        attack_odds(
            Board(turn=1, faction="DE", cycle=1, fronts={4: f"DE7 {one}"}).view("DE"), Attack(4, ("DE7",))
        )
        for one in ("WA:1D", "FR1", "FR2")
    }
    assert len(told) == 1


def test_an_empty_front_is_unopposed() -> None:
    board = Board(turn=1, faction="DE", cycle=1, fronts={4: "DE7"})
    assert attack_odds(board.view("DE"), Attack(4, ("DE7",))) == Odds(4, ("DE7",), SCALE, 0, 0, 0)


def romania(fronts: str, shown: str, armies: str, treaty: bool = True) -> Odds:
    """The German Allies attack on 11."""
    board = Board(turn=5, faction="GA", treaty=treaty, fronts={11: f"BU1 BU2 {fronts}"}, face_up=shown)
    return attack_odds(board.view("GA"), Attack(11, tuple(armies.split())))


def test_8_1__6_shown_armies_at_peace_do_not_defend() -> None:
    assert romania("RO1 RU6", "RO1 RU6", "BU1") == Odds(11, ("BU1",), SCALE, 0, 0, 0)
    assert romania("RO1 RU6", "RO1 RU6", "BU1", treaty=False).unopposed == 0


def test_8_1__6_they_do_not_count_for_numbers_either() -> None:
    """Two attack MEF alone: the odds are those of the combat that follows."""
    found = romania("RO1 RO2 BR-MEF", "RO1 RO2 BR-MEF", "BU1 BU2")
    assert found == romania("BR-MEF", "BR-MEF", "BU1 BU2", treaty=False)
    wins = sum(own + 1 > other for own, other in product(DIE, DIE))  # 2 + 1 for numbers against 2
    assert (found.unopposed, found.higher) == (0, round(SCALE * wins / 36))


def test_8_1__6_an_unseen_counter_that_could_be_at_peace_is_no_likely_defender() -> None:
    """Of the Eastern counters that may stand on 11 only MEF and OR still fight."""
    listed = [
        army.id
        for army in PACK.armies.values()
        if army.faction == "EA" and army.entry <= 5 and army.nationality in PACK.permitted[11]
    ]
    fighting = [army for army in listed if PACK.nationality_of[army] not in ("RU", "RO")]
    assert sorted(fighting) == ["BR-MEF", "FR-OR"]
    found = romania("EA:1D", "", "BU1")
    unseen = len(listed) + len(PACK.dummies_of["EA"])
    assert abs(share(found.unopposed) - Fraction(unseen - len(fighting), unseen)) < Fraction(1, SCALE)


def test_draws_of_hidden_counters_are_counted_like_hands_of_cards() -> None:
    tally = ((-1, 2), (1, 3), (3, 1))
    cards = [value for value, size in tally for _ in range(size)]
    ways: dict[tuple[int, int], int] = {}
    for hand in combinations(range(len(cards)), 2):
        values = [cards[n] for n in hand]
        key = (sum(value >= 0 for value in values), max(values))
        ways[key] = ways.get(key, 0) + 1
    found = {(reals, best): round(part * 15) for part, reals, best in hands(tally, 2)}
    assert found == ways
