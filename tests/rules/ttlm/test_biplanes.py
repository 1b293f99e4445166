"""TTLM 8.3.4, 13.7: dogfight, ground attack, defensive reaction, scramble."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.answers import Ersatz, Goal, Rerolls
from engine.games.to_the_last_man.facts.battle import (
    BiplanesChose,
    BiplanesScrambled,
    ScrambleNoted,
    ShotsFired,
    StepBegan,
)
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost
from engine.games.to_the_last_man.rules.biplanes import scramble
from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.rules.embattled import battle_in
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, play
from tests.rules.ttlm.fights import field, fight, goals, left, loose, loss, refused, rolls

GROUND = {"battle.biplanes": "ground"}
REACT = {"battle.biplanes": "react"}


# ------------------------------------------------------------------ 8.3.4


def test_8_3_4__01_biplanes_move_two_and_fire_at_f1():
    row = PACK.types["B"]
    assert (row.move, row.off, row.defence, row.cost) == (2, 1, 1, 1)
    assert min(row.first_build_turn.values()) == 8  # 1916


def test_8_3_4__03_exactly_one_method():
    """With biplanes on both sides a dogfight and nothing else; else the defender chooses."""
    course = fight("ART", {"GE6": "I B", "UK1": "I B"}, "6 · 6 · 6 · 6", turn=9)
    assert course.asked("battle.biplanes") == []
    course = fight("ART", {"GE6": "I", "UK1": "I B"}, "6 6 · 6", GROUND, turn=9)
    (ask,) = course.asked("battle.biplanes")
    assert (ask.seat, ask.secret) == ("EN", True)
    assert refused(ask, "dogfight") == ("TTLM-8.3.4-03", "not-offered")


def test_8_3_4__04_dogfights_are_simultaneous_and_hit_only_biplanes():
    course = fight("ART", {"GE6": "3I B", "UK1": "3I B"}, "1 · 1 · 6 6 6 · 6 6 6", turn=9)
    assert [(roll.why, roll.seat) for roll in course.rolls][:2] == [
        ("ART.dogfight.B.F1", "GE"),
        ("ART.dogfight.B.F1", "EN"),
    ]
    assert left(course) == {"GE6": "3I", "UK1": "3I"}


def test_8_3_4__04_survivors_do_not_fire_though_the_enemy_is_gone():
    course = fight("ART", {"GE6": "I B", "UK1": "I B"}, "1 · 6 · 6 · 6", turn=9)
    assert rolls(course) == [("dogfight.B.F1", 1), ("dogfight.B.F1", 1), ("defence.F1", 1), ("attack.F1", 1)]
    assert left(course) == {"GE6": "I B", "UK1": "I"}


def test_8_3_4__05_ground_attack_without_enemy_biplanes():
    course = fight("ART", {"GE6": "I B", "UK1": "I"}, "6 · 6 6", turn=9)
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 2)]


def test_c_25_reaction_cancels_a_forced_retreat():
    """TTLM-8.3.4-06, TTLM-8.3.4-07"""
    course = fight(
        "STQ",
        {"GE18": "2I S", "UK5": "2I B"},
        dice="6 6 · 6 6 · 1 · 5",
        answers=REACT | {"battle.reroll": [Rerolls((("S.F2", 1),))]},
        turn=16,
    )
    assert rolls(course) == [
        ("defence.F1", 2),
        ("attack.F1", 2),
        ("attack.S.F2", 1),
        ("attack.S.F2.again", 1),
    ]
    assert course.told(UnitsLost) == []
    assert course.asked("battle.forced") == []
    assert course.told(ShotsFired)[-1].again
    assert course.told(BiplanesChose) == [BiplanesChose("EN", "STQ", "react")]


def test_8_3_4__06_each_biplane_makes_one_infantry_hit_be_rolled_again():
    """Artillery's hits are not among them: two of the three hits at F1 are infantry's."""
    seen: list[Any] = []

    def look(ask):
        seen.append((ask.given.most, [(dice.name, dice.faces, dice.hits) for dice in ask.given.dice]))
        seen.append(refused(ask, Rerolls((("F1", 2),))))
        seen.append(refused(ask, Rerolls((("F2", 1),))))
        assert not_none(refused(ask, Rerolls((("F1", 1), ("F1", 1)))))[1] == "no-such-hits"  # named twice
        return Rerolls((("F1", 1),))

    course = fight(
        "ART",
        {"GE6": "2I A", "UK1": "4I B"},
        dice="6 · 6 6 6 6 · 1 1 1 · 2",
        answers=REACT | {"battle.reroll": [look]},
        turn=9,
    )
    too_many = ("TTLM-8.3.4-06", "too-many-rerolls")
    assert seen == [(1, [("F1", (1, 1, 1), 2)]), too_many, ("TTLM-8.3.4-06", "no-such-hits")]
    assert left(course)["UK1"] == "2I B"


def test_8_3_4__07_the_second_result_stands():
    """Also for a forced retreat; by default Stosstruppen's hits are rolled again first (D37)."""
    course = fight("STQ", {"GE18": "I S", "UK5": "4I B"}, "6 6 6 6 · 1 · 1 · 2", REACT, turn=16)
    assert course.asked("battle.reroll")[0].default == Rerolls((("S.F2", 1),))
    assert left(course)["UK5"] == "2I B"
    assert course.state.army_at["UK5"] != "STQ"


def test_8_3_4__07_card_dice_are_not_rolled_again():
    course = fight(
        "STQ",
        {"GE18": "I", "UK5": "4I B"},
        "6 6 6 6 · 6 · 1 1",
        REACT,
        turn=16,
        offensive="FRI",
        bonus=["STQ"],
    )
    assert rolls(course)[-1] == ("attack.FRI.F2", 2)
    assert course.asked("battle.reroll") == []


def test_8_3_4__07_under_surprise_the_method_is_chosen_first():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "2I B"},
        "1 · 6 · 6 6",
        REACT,
        turn=9,
        laid={"GE": [("ART", "SUR")], "EN": []},
    )
    asked = [ask.topic for ask in course.asks]
    assert asked[:3] == ["battle.biplanes", "battle.reroll", "battle.instead"]
    assert rolls(course) == [("attack.F1", 1), ("attack.F1.again", 1), ("defence.F1", 2)]


def test_8_3_4__06_hits_of_others_than_infantry_leave_nothing_to_roll_again():
    course = fight("ART", {"GE6": "I A", "UK1": "4I B"}, "6 · 6 6 6 6 · 6 1", REACT, turn=9)
    (ask,) = course.asked("battle.reroll")
    assert (ask.given.dice, ask.given.most) == ((), 1)
    assert ask.options.only() == (Rerolls(),)


def test_8_3_4__07_a_side_without_reacting_biplanes_is_told_nothing_of_the_hits():
    """Asked all the same: the attacker cannot tell."""
    course = fight("ART", {"GE6": "I", "UK1": "2I", "UK2": "CAL: B"}, "6 6 · 1", REACT, turn=9)
    (ask,) = course.asked("battle.reroll")
    assert (ask.given.dice, ask.given.most, ask.secret) == ((), 0, True)
    assert ask.options.only() == (Rerolls(),)


def test_c_26_biplanes_in_bad_weather():
    """TTLM-8.3.4-08, TTLM-9.5-05 They do nothing, but can be lost."""
    course = fight(
        "ART",
        {"GE6": "I B", "UK1": "I B"},
        "1 · 6",
        {"GE battle.loss": [loss("GE6 B")]},
        turn=9,
        weather=True,
    )
    assert StepBegan("ART", "dogfight") not in course.facts
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 1)]
    assert {ask.topic for ask in course.asks} == {"battle.loss", "battle.instead", "battle.retreat"}
    assert left(course) == {"GE6": "I", "UK1": "I B"}


def test_8_3_4__09_biplanes_hold_nothing():
    """TTLM-5.5-02 They are fragile, and do not control."""
    assert not PACK.types["B"].controls
    course = fight("LIL", {"GE6": "3I"}, "6 6 · 1 1 6", GROUND, loose={"LIL": "FR B, FR I"}, turn=9)
    assert loose(course, "LIL") == ""
    assert course.state.owner["LIL"] == "GE"


def test_8_3_4__10_dogfight_losses_fall_on_any_biplane():
    """Prevalence and strength do not matter; unsaid, a loose one, then that of the lowest army."""
    armies = {"GE6": "I B", "GE2": "I B", "UK1": "2I B", "UK2": "4I B"}
    course = fight("ART", armies, "1 6 · 6 6 6 · 6 6 6 6 6 6 · 6 6", loose={"ART": "UK B"}, turn=9)
    (ask,) = course.asked("battle.loss")
    assert ask.options.describe() == [loss("UK B"), loss("UK1 B"), loss("UK2 B")]
    assert ask.default == loss("UK B")


def test_8_3_4__10_who_retreated_does_not_dogfight():
    state = field("ART", {"GE6": "I B", "UK1": "I"}, loose={"ART": "UK B"}, turn=9, retreated=["UK.B.01"])
    course = play(state, battle(state, "ART"), dice="6 6 6")
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 2)]


def test_5_3_1__06_an_army_of_one_biplane_is_eliminated_with_it():
    course = fight("ART", {"GE6": "I B", "UK1": "B", "UK2": "I"}, "1 · 6 · 6 · 6", turn=9)
    assert ArmyEliminated("EN", "UK1", "ART", "combat") in course.facts


def test_5_3_2__04_ersatz_saves_a_biplane():
    course = fight(
        "ART",
        {"GE6": "I B", "UK1": "I B"},
        "1 · 6 · 6 · 6",
        {"battle.ersatz": [Ersatz(("OFF",))]},
        hands={"EN": "OFF"},
        turn=9,
    )
    assert left(course)["UK1"] == "I B"


def test_8_3_4__07_unsaid_they_react_where_infantry_may_be():
    """D35 As the map shows it: an army, or loose infantry; what is in the army does not matter."""

    def method(armies, dice, **more):
        return fight("ART", armies, dice, turn=9, **more).asked("battle.biplanes")[0].default

    assert method({"GE6": "I", "UK1": "3I B"}, "6 6 6 · 6") == "react"
    assert method({"GE6": "A", "UK1": "3I B"}, "6 · 6 6 6 · 6") == "react"
    assert method({"UK1": "3I B"}, "6 6 6 6", loose={"ART": "GE C"}) == "ground"


# ------------------------------------------------------------------ 13.7 scramble


def at_the_airfield(**more):
    """A battle in Argonne, a French biplane beside it."""
    return field(
        "ARG",
        {"GE5": "2I", "FR4": "3I", "FR2": "REI: I B"},
        turn=9,
        options={"defender_scramble": True},
        **more,
    )


def test_c_71_scramble():
    """TTLM-13.7-01 Without German biplanes it must react."""
    state = at_the_airfield()
    answers = {"battle.scramble": [goals("FR B:FR2>ARG+FR4")], "battle.biplanes": "ground"}
    course = play(state, battle(state, "ARG"), answers, "6 6 6 1 6 6")
    assert rolls(course) == [("defence.F1", 3), ("attack.F1", 2), ("attack.F1.again", 1)]
    assert left(course)["FR4"] == "3I B"  # it stays
    assert course.told(BiplanesScrambled) == [BiplanesScrambled("EN", "ARG", 1)]


def test_c_71_not_out_of_a_battle_area():
    """TTLM-13.7-01"""
    state = at_the_airfield(battles=["ARG", "REI"])
    step = scramble(state, battle_in(state, "ARG"))
    assert list(step) == []  # nowhere to come from: not even asked
    state = at_the_airfield(loose={"VER": "FR B"}, battles=["ARG", "REI"])
    ask = next(scramble(state, battle_in(state, "ARG")))
    assert refused(ask, goals("FR B:FR2>ARG")) == ("TTLM-13.7-01", "embattled")
    assert refused(ask, (Goal("ARG", units=(("FR.B", 1),), origin="VER"),)) is None


def test_13_7__01_scrambled_biplanes_dogfight():
    state = field(
        "ARG",
        {"GE5": "2I B", "FR4": "3I", "FR2": "REI: I B"},
        turn=9,
        options={"defender_scramble": True},
    )
    course = play(state, battle(state, "ARG"), {"battle.scramble": [goals("FR B:FR2>ARG")]}, "6 6 6 6 6 6 6")
    assert rolls(course)[:2] == [("dogfight.B.F1", 1), ("dogfight.B.F1", 1)]
    assert loose(course, "ARG") == "FR B"


def test_13_7__01_within_stacking_and_army_limits():
    state = at_the_airfield(loose={"ARG": "FR I, FR A", "BAR": "FR B", "NAN": "FR B"})
    ask = next(scramble(state, battle_in(state, "ARG")))
    from_bar = Goal("ARG", units=(("FR.B", 1),), origin="BAR")
    assert refused(ask, goals("FR B:FR2>ARG")) == ("TTLM-1.2.2-01", "no-room")
    assert refused(ask, goals("FR B:FR2>ARG+FR4")) is None
    into = Goal("ARG", units=(("FR.B", 1),), into="FR4", origin="BAR")
    assert refused(ask, (*goals("FR B:FR2>ARG+FR4"), into)) == ("TTLM-8.3.4-02", "biplane-cap")
    assert refused(ask, (from_bar,)) == ("TTLM-1.2.2-01", "no-room")
    far = Goal("ARG", units=(("FR.B", 1),), into="FR4", origin="NAN")
    assert refused(ask, (far,)) == ("TTLM-13.7-01", "not-adjacent")
    assert refused(ask, goals("FR I:FR2>ARG+FR4")) == ("TTLM-13.7-01", "biplanes-only")


def test_13_7__02_each_scrambles_once_and_not_in_bad_weather():
    state = at_the_airfield()
    course = play(
        state, scramble(state, battle_in(state, "ARG")), {"battle.scramble": [goals("FR B:FR2>ARG")]}
    )
    assert [fact.units for fact in course.told(ScrambleNoted)] == [("FR.B.01",)]
    assert state.scrambled == ["FR.B.01"]
    assert state.steps == {}
    again = field(
        "REI",
        {"GE5": "I", "FR4": "I", "FR2": "ARG: I B"},
        turn=9,
        options={"defender_scramble": True},
        scrambled=["FR.B.01"],
    )
    ask = next(scramble(again, battle_in(again, "REI")))
    assert refused(ask, goals("FR B:FR2>REI")) == ("TTLM-13.7-02", "no-such-biplane")
    assert dict(ask.options.why_not(goals("FR B:FR2>REI")).facts) == {"place": "FR2"}
    foul = at_the_airfield(weather=True)
    assert list(scramble(foul, battle_in(foul, "ARG"))) == []


def test_13_7__01_off_unless_agreed():
    state = field("ARG", {"GE5": "2I", "FR4": "3I", "FR2": "REI: I B"}, turn=9)
    assert list(scramble(state, battle_in(state, "ARG"))) == []
