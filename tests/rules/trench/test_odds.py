"""ODDS: the chances of an attack, checked against every way the dice can fall."""

from __future__ import annotations

from itertools import product

import pytest

from engine.games.trench_club.odds import SCALE, odds
from engine.games.trench_club.view import Report
from tests.rules.trench.fights import PACK, field


def ask(state, question, seat="DE"):
    return odds(Report(state)(seat), question)


def test_combat__10_mean_and_chances_of_a_close_combat():
    """Five dice each: every pattern of hits counted one by one."""
    state = field("DE.INF1@D4 d5", "GB.INF1@E4 d5")
    found = ask(state, "A INF1 GB.INF1")
    ways = [sum(falls) for falls in product((True, False), repeat=5)]
    chance = sum((1 / 6) ** n * (5 / 6) ** (5 - n) for n in ways if n >= 2)
    (shot,), (riposte,) = found.shots, found.ripostes
    assert (shot.dice, shot.bonus, shot.value, shot.hits) == (5, 0, 2, round(SCALE * 5 / 6))
    assert shot.at_least[0] == shot.destroyed == round(SCALE * chance) == riposte.destroyed == found.lost
    assert (found.distance, found.aim, found.toward) == (1, SCALE, "")
    assert abs(shot.damage - sum(shot.at_least)) <= 3  # a mean is the sum of such chances, but for rounding


def test_combat__13_cover_bonus_and_value_count():
    state = field("DE.CAR1@D4 d3 x3", "DE.AIR1@D3", "GB.INF1@C3 d1 x2")
    (shot,) = ask(state, "A CAR1 C3").shots
    assert (shot.dice, shot.bonus, shot.value, shot.hits) == (10, 2, 6, 5 * SCALE)
    # forest: 2, 4, 6 … hits; damage 5 destroys it: ten hits of ten
    assert shot.destroyed == round(SCALE / 2**10)


def test_combat__2_no_riposte_from_afar():
    found = ask(field("DE.MOR1@C5", "GB.INF1@E4"), "attack mor1 gb.inf1")
    assert (found.ripostes, found.lost, found.distance) == ((), 0, 2)


def test_trench__16_ripostes_are_added():
    state = field("DE.CAR1@C4 d4", "GB.INF1@B4", "GB.CAV1@A5", options={"trench_rules": True})
    found = ask(state, "A CAR1 GB.INF1")
    assert [one.by for one in found.ripostes] == ["GB.INF1", "GB.CAV1"]
    either = max(one.destroyed for one in found.ripostes)
    assert found.lost > either


def test_diceless__2_the_ten_cards_are_equally_likely():
    state = field("DE.CAR1@D4", "GB.MOR1@E4", options={"diceless": "DE"})
    (shot,) = ask(state, "A CAR1 GB.MOR1").shots
    cells = [PACK.cards[card][12][2] for card in PACK.cards]
    assert shot.hits == sum(cells) * SCALE // 10
    assert shot.at_least[0] == sum(hits >= 1 for hits in cells) * SCALE // 10


def test_automa__29_fixed_hits_are_certain():
    state = field("GB.INF1@D4", "DE.TNK1@E4", nations="GB DE", automa="DE", active="GB")
    found = ask(state, "A INF1 DE.TNK1", "GB")
    (riposte,) = found.ripostes
    assert (riposte.dice, riposte.hits, riposte.damage) == (0, 6 * SCALE, 4 * SCALE)
    assert found.lost == 0


@pytest.mark.parametrize(("xp", "aim"), [(0, 5000), (3, 7500), (5, 10000)])
def test_special__1_the_chance_that_a_shell_falls_on_its_target(xp, aim):
    found = ask(field(f"DE.BER1@D10 x{xp}", "GB.INF1@E4"), "A BER1 GB.INF1")
    assert (found.aim, found.ripostes) == (aim, ())


def test_special__12_gas_for_each_unit_of_the_cloud():
    state = field("DE.GAS1@D5", "GB.INF1@D3", "DE.CAR1@E3")
    found = ask(state, "A GAS1 N")
    assert [(shot.at, shot.value, shot.hits) for shot in found.shots] == [
        ("GB.INF1", 5, 5 * SCALE),
        ("DE.CAR1", 2, 2 * SCALE),
    ]
    assert (found.toward, found.target, found.distance) == ("N", "", 2)
    assert ask(state, "A GAS1 S") is None
    west = field("DE.GAS1@D5", "GB.INF1@B4")
    assert ask(west, "A GAZ1 NO") == ask(west, "A GAS1 NW") is not None


def test_combat__1_from_another_hex():
    state = field("DE.CAR1@D8", "DE.INF1@D3", "GB.INF1@C3")
    assert ask(state, "A CAR1 GB.INF1") is None
    found = ask(state, "A BLI1 GB.INF1 DEPUIS D4")
    assert found == ask(state, "A CAR1 @C3 FROM D4")
    assert found.shots[0].bonus == 2
    assert ask(state, "A CAR1 GB.INF1 FROM D3") is None  # taken
    assert ask(state, "A CAR1 GB.INF1 FROM B2") is None  # a fort
    assert ask(state, "A CAR1 GB.INF1 FROM Z1") is None
    assert ask(state, "A CAR1 GB.INF1 TO D4") is None
    assert state.units["DE.CAR1"].at == "D8"


def test_combat__1_what_an_enemy_could_do():
    state = field("DE.CAR1@D4", "GB.INF1@E4")
    assert ask(state, "GB.INF1 DE.CAR1").attacker == "GB.INF1"
    assert ask(state, "INF1 DE.CAR1") is None
    assert ask(state, "INF1 DE.CAR1", "GB").attacker == "GB.INF1"


@pytest.mark.parametrize(
    "question", ["", "A", "A CAR1", "A CAR9 GB.INF1", "A CAR1 XYZ1", "A CAR1 DE.INF1", "E9 D4"]
)
def test_combat__1_nothing_to_reckon(question):
    assert ask(field("DE.CAR1@D4", "GB.INF1@E4"), question) is None
