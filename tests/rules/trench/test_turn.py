"""A turn from its first move to its last coin: what one phase leaves to the next."""

from __future__ import annotations

from engine.games.trench_club.answers import DONE, Attack, Capture
from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.rules.combat import combat, supporters
from engine.games.trench_club.rules.contact import gives_contact
from engine.games.trench_club.rules.movement import March
from engine.games.trench_club.rules.targets import Targets, candidates
from engine.games.trench_club.rules.turns import turn
from tests.rules.trench.drawn import drawn, play
from tests.rules.trench.orders import is_legal, refused


def test_setup__28_chance_comes_in_one_order() -> None:
    """The scatter die, the attacker's dice with the bonus last, the target's riposte, the others' by id."""
    state = drawn("DE.BER1@D10 x3, GB.INF1@E4", attacks=[Attack("DE.BER1", "GB.INF1")])
    course = play(state, combat(state), dice="4 " + "9 " * 12)
    assert ["DE.BER1.scatter", "DE.BER1.attack"] == [roll.why for roll in course.rolls]
    units = "DE.CAR1@C4, DE.INF1@C3, GB.INF2@B4, GB.INF1@B5, GB.HVY1@A5"
    state = drawn(units, trench_rules=True, attacks=[Attack("DE.CAR1", "GB.INF2")])
    course = play(state, combat(state), dice="9 " * (12 + 2 + 36))
    whys = ["DE.CAR1.attack", "GB.INF2.riposte", "GB.HVY1.riposte", "GB.INF1.riposte"]
    assert whys == [roll.why for roll in course.rolls]
    assert [14, 12, 12, 12] == [roll.dice for roll in course.rolls]


def test_move__14_who_stands_in_water_neither_strikes_nor_threatens_nor_supports() -> None:
    state = drawn("DE.INF1@B6, DE.CAR1@B4, GB.INF1@B5, GB.CAR1@C5")
    assert not candidates(state, "DE.INF1")
    refusal = Targets(state, ("DE",)).why_not((Attack("DE.INF1", "GB.INF1"),))
    assert refusal is not None and refusal.rule in ("TC-MOVE-14", "TC-TARGET-8")
    assert not supporters(state, "DE.CAR1", "GB.INF1")
    alone = drawn("DE.INF1@B6, GB.CAR1@C5")
    assert not gives_contact(alone, "GB.CAR1", "B5")
    state.attacks = [Attack("GB.INF1", "DE.INF1")]
    (fought,) = play(state, combat(state), dice="1 " * 14).told(CombatFought)
    assert ["GB.INF1"] == [shot.by for shot in fought.shots] and fought.shots[0].row == "open"


def test_move__14_contact_stops_a_wader_like_anybody() -> None:
    """Ruling: contact asks what the enemy could do to him, not what he could do."""
    state = drawn("DE.INF1@B6, GB.CAR1@C6")
    assert not March(state, "DE.INF1").in_contact  # a car put into the water threatens nobody
    state = drawn("DE.CAV1@B6, GB.INF1@C5")
    assert March(state, "DE.CAV1").in_contact
    assert refused(state, "M CAV1 B5 B4") == ("TC-CONTACT-3", "stopped-by-contact")
    assert is_legal(state, "M CAV1 B5")
    assert not gives_contact(state, "GB.INF1", "B5")


def test_fort__5_the_conqueror_is_inside_and_attacks_nobody() -> None:
    state = drawn("DE.INF1@C2, GB.INF1@C3")
    course = play(state, turn(state, 3, "DE"), answers=["orders", Capture("DE.INF1", "B2"), DONE])
    assert state.units["DE.INF1"].at == "B2" and state.is_inside("DE.INF1")
    (ask,) = [ask for ask in course.asks if ask.topic == "turn.targets"]
    assert not ask.options.contains((Attack("DE.INF1", "GB.INF1"),))
