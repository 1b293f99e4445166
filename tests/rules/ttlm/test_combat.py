"""TTLM 2.II.4, 2.II.4a, 15.2.2: one Battle Area from the cavalry's retreat to the retreats after combat."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.to_the_last_man.answers import Ersatz, Rerolls
from engine.games.to_the_last_man.facts.battle import (
    BattleBegan,
    BattleEnded,
    HitsVanished,
    ShotsFired,
    StepBegan,
)
from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost, UnitsLostSeen
from engine.games.to_the_last_man.hidden import hidden
from engine.games.to_the_last_man.invariants import check_settled
from engine.games.to_the_last_man.rules.combat import battle
from engine.kernel.game import fact_for
from engine.kernel.requests import Ask, Roll, Seat
from tests.rules.ttlm.drawn import Drawing, play
from tests.rules.ttlm.fights import at_random, field, fight, goals, hits, left, loose, loss, rolls

ARTOIS: Drawing = {"GE6": "3I 2A", "UK1": "2I A E"}


def steps(course):
    return [fact.step for fact in course.told(StepBegan)]


# ------------------------------------------------------------------ the sequence


def test_c_01_surprise_attack_order():
    """TTLM-2.II.4a-01, TTLM-8.3.2-01 All of the attacker's units fire first, artillery once."""
    course = fight(
        "ART",
        ARTOIS,
        dice="1 4 6 1 5 · 2",
        answers={"battle.loss": [loss("UK1 I"), loss("UK1 A"), loss("GE6 I")]},
        turn=8,
        laid={"GE": [("ART", "SUR")], "EN": []},
    )
    assert steps(course) == ["attack", "defence"]
    assert rolls(course) == [("attack.F1", 5), ("defence.F2", 1)]
    assert left(course) == {"GE6": "2I 2A", "UK1": "I"}
    assert course.told(BattleBegan) == [BattleBegan("ART", surprise=True)]


def test_c_02_normal_order_with_the_same_forces():
    """TTLM-2.II.4-02, TTLM-2.II.4-03, TTLM-2.II.4-06"""
    course = fight(
        "ART",
        ARTOIS,
        dice="1 5 · 6 2 · 1 4 6 6",
        answers={"battle.loss": [loss("UK1 I"), loss("GE6 I"), loss("UK1 A")]},
        turn=8,
    )
    assert steps(course) == ["artillery", "defence", "attack"]
    assert rolls(course) == [("artillery.F1", 2), ("defence.F1", 1), ("defence.F2", 1), ("attack.F1", 4)]
    assert hits(course) == {"artillery": 1, "defence": 1, "attack": 1}
    assert left(course) == {"GE6": "2I 2A", "UK1": "I"}


def test_2_ii_4__01_battles_follow_in_the_attackers_order():
    state = field("ART", {"GE6": "I", "UK1": "I", "GE4": "REI: I", "FR5": "REI: I"}, battles=["ART", "REI"])
    course = play(state, battle(state, "ART"), dice="6 6")
    assert course.result.key == "T1.1.REI"
    course = play(state, battle(state, "REI"), dice="6 6")
    assert course.result.name == "turn_end"


def test_2_ii_4__02_attacker_is_asked_before_the_defender():
    armies = {"GE6": "I C", "UK1": "I C"}
    course = fight("ART", armies, dice="6 6 · 6")
    asked = [(ask.topic, ask.seat) for ask in course.asks]
    assert asked == [
        ("battle.cavalry", "GE"),
        ("battle.cavalry", "EN"),
        ("battle.instead", "EN"),
        ("battle.retreat", "GE"),
        ("battle.retreat", "EN"),
    ]


def test_2_ii_4__03_losses_come_before_the_next_step():
    """Two infantry are hit by the artillery: only the third fires back."""
    course = fight("LIL", {"GE6": "I 3A", "FR5": "3I"}, dice="1 1 6 · 6 · 6 6 6 6", turn=8)
    assert rolls(course) == [("artillery.F1", 3), ("defence.F1", 1), ("attack.F1", 4)]


def test_2_ii_4__04_one_die_a_unit_none_for_armies_one_for_each_strength_of_a_fort():
    course = fight("VER", {"GE5": "2I", "FR3": "3I"}, dice="6 6 6 · 6 6 6 6 · 6 6", forts={"VER": 4})
    assert rolls(course) == [("defence.F1", 3), ("defence.F2", 4), ("attack.F1", 2)]


def test_2_ii_4__05_dogfighters_do_not_fire_again():
    course = fight("ART", {"GE6": "I B", "UK1": "I B"}, dice="6 · 6 · 6 · 6", turn=9)
    assert rolls(course) == [("dogfight.B.F1", 1), ("dogfight.B.F1", 1), ("defence.F1", 1), ("attack.F1", 1)]


def test_2_ii_4__06_artillery_and_siege_guns_fire_twice():
    course = fight("LIE", {"GE2": "I A G"}, dice="6 · 6 · 6 6 6 · 6 6 · 6", forts={"LIE": 3})
    assert rolls(course) == [
        ("artillery.F1", 1),
        ("artillery.G.F3", 1),
        ("defence.F2", 3),
        ("attack.F1", 2),
        ("attack.G.F3", 1),
    ]


def test_2_ii_4__07_nobody_is_asked_whether_to_fire():
    course = fight("ART", {"GE6": "I A", "UK1": "I"}, dice="6 · 6 · 6 6")
    assert {ask.topic for ask in course.asks} == {"battle.instead", "battle.retreat"}


def test_2_ii_4__08_without_targets_later_steps_are_skipped():
    course = fight("LIL", {"GE6": "I A"}, dice="1", loose={"LIL": "FR I"})
    assert steps(course) == ["artillery"]
    assert course.told(BattleEnded) == [BattleEnded("LIL", fought=True)]
    assert course.state.owner["LIL"] == "GE"


def test_2_ii_4__08_a_fort_of_any_strength_is_a_target():
    course = fight("SED", {"GE3": "3I"}, dice="1 4 6", forts={"SED": 0}, owner={"SED": "GE"})
    assert rolls(course) == [("attack.F1", 3)]
    assert "SED" not in course.state.forts


def test_2_ii_4a__02_siege_guns_fire_once_under_surprise():
    course = fight(
        "LIE",
        {"GE2": "I A G"},
        dice="6 6 · 6 · 6 6 6",
        forts={"LIE": 3},
        laid={"GE": [("LIE", "SUR")], "EN": []},
    )
    assert rolls(course) == [("attack.F1", 2), ("attack.G.F3", 1), ("defence.F2", 3)]


def test_2_ii_4a__01_the_defender_may_still_retreat_instead_of_firing():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I"},
        dice="6",
        answers={"battle.instead": [goals("UK1>CAL")]},
        laid={"GE": [("ART", "SUR")], "EN": []},
    )
    assert rolls(course) == [("attack.F1", 1)]
    assert course.state.army_at["UK1"] == "CAL"
    assert course.state.owner["ART"] == "GE"


# ------------------------------------------------------------------ owners


def test_0__06_the_owner_changes_at_the_instant():
    course = fight("LIL", {"GE6": "I A"}, dice="1", loose={"LIL": "FR I"})
    order = [type(fact).__name__ for fact in course.facts]
    assert order.index("OwnerChanged") == order.index("UnitsLost") + 1


def test_0__08_who_is_wiped_out_with_his_enemy_loses_nothing_to_him():
    """TTLM-0-08 Both retreat in one phase: the defender, who leaves last, keeps the area."""
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I"},
        dice="6 · 6",
        answers={"GE battle.retreat": [goals("GE6>STQ")], "EN battle.retreat": [goals("UK1>CAL")]},
        owner={"ART": "GE", "STQ": "GE"},
    )
    assert course.state.owner["ART"] == "EN"


def test_c_34_raiding_fire():
    """TTLM-8.3.1-04, TTLM-8.4-04, TTLM-0-06"""
    course = fight("NAM", dice="3 5 · 1", loose={"NAM": "GE C"}, forts={"NAM": 2})
    assert rolls(course) == [("defence.F2", 2), ("attack.F1", 1)]
    assert course.state.forts["NAM"] == 1
    assert course.state.owner["NAM"] == "GE"


@pytest.mark.parametrize(("dice", "standing"), [("3 4 6", True), ("1 4 6", False)])
def test_c_38_cavalry_screen_slips_away(dice, standing):
    """TTLM-5.4.3-01, TTLM-5.4.3-03, TTLM-2.II.4-08, TTLM-8.4-06"""
    course = fight(
        "SED",
        {"GE3": "3I"},
        dice=dice,
        answers={"EN battle.cavalry": [goals("FR C>REI")]},
        loose={"SED": "FR C"},
        forts={"SED": 0},
    )
    assert rolls(course) == [("attack.F1", 3)]
    assert course.state.owner["SED"] == "GE"
    assert ("SED" in course.state.forts) == standing
    assert loose(course, "REI") == "FR C"


def test_c_38_with_an_ersatz_point_sedan_stays():
    course = fight(
        "SED",
        {"GE3": "3I"},
        dice="1 4 6",
        answers={"battle.ersatz": [Ersatz(("OFF",))]},
        forts={"SED": 0},
        owner={"SED": "GE"},
        hands={"EN": "OFF"},
    )
    assert course.state.forts["SED"] == 0


def test_c_38_without_a_fort_there_are_no_dice():
    course = fight(
        "HAI", {"GE3": "3I"}, answers={"EN battle.cavalry": [goals("FR C>MAU")]}, loose={"HAI": "FR C"}
    )
    assert course.told(BattleEnded) == [BattleEnded("HAI", fought=False)]
    assert course.told(OwnerChanged) == [OwnerChanged("HAI", "GE")]


def test_c_74_attacking_cavalry_slips_away():
    """TTLM-5.4.3-03"""
    course = fight(
        "NAN",
        answers={"GE battle.cavalry": [goals("GE C>LOR")]},
        loose={"NAN": "GE C"},
        forts={"NAN": 5},
        entered=["NAN"],
    )
    assert course.rolls == []
    assert course.state.owner["NAN"] == "EN"
    assert loose(course, "LOR") == "GE C"
    assert course.state.retreated == course.state.loose["LOR"]
    assert course.state.offensive  # the Player Turn is no Pass


# ------------------------------------------------------------------ forts and siege guns


def test_c_20_siege_guns_at_liege():
    """TTLM-8.3.3-01 to TTLM-8.3.3-04"""
    course = fight(
        "LIE",
        {"GE2": "5I A 2G"},
        dice="1 · 3 4 · 5 · 2 · 1 6 6 6 6 · 1 2",
        answers={"GE battle.loss": [loss("GE2 I")]},
        loose={"LIE": "BE I"},
        forts={"LIE": 3},
    )
    assert rolls(course) == [
        ("artillery.F1", 1),
        ("artillery.G.F3", 2),
        ("defence.F1", 1),
        ("defence.F2", 1),
        ("attack.F1", 5),
        ("attack.G.F3", 2),
    ]
    assert [fact.strength for fact in course.told(FortReduced)] == [2, 1, -1]
    assert course.told(HitsVanished) == [HitsVanished("EN", "LIE", 1)]
    assert loose(course, "LIE") == ""
    assert left(course) == {"GE2": "4I A 2G"}
    assert course.state.owner["LIE"] == "GE"


def test_8_4__07_a_weak_fort_does_not_take_its_area_back():
    """The enemy leaves: with strength 1 the area stays his, with 2 it is the fort's side's."""

    def owner(strength):
        state = field("NAM", {"GE1": "I"}, forts={"NAM": strength}, owner={"NAM": "GE", "LIE": "GE"})
        dice = " ".join("6" * (strength + 1))
        play(state, battle(state, "NAM"), {"GE battle.retreat": [goals("GE1>LIE")]}, dice)
        return state.owner["NAM"]

    assert owner(1) == "GE"
    assert owner(2) == "EN"


# ------------------------------------------------------------------ fragile after the battle


@pytest.mark.parametrize("gun", ["A", "B", "T"])
def test_8_3_2__02_without_infantry_they_are_lost_to_infantry(gun):
    """TTLM-8.3.4-09, TTLM-8.3.5-05, TTLM-5.5-02 The army's last infantry falls, and the rest with it."""
    dice = {"A": "6 6 · 1 6 6", "B": "6 · 1 6 6", "T": "6 6 · 1 6 6"}[gun]
    course = fight(
        "LIL",
        {"GE6": "3I", "FR5": f"I {gun}"},
        dice,
        {"EN battle.loss": [loss("FR5 I")], "battle.biplanes": "react", "battle.reroll": Rerolls()},
        turn=13,
    )
    assert [(fact.units[0][3], fact.why) for fact in course.told(UnitsLost)] == [
        ("I", "combat"),
        (gun, "fragile"),
    ]
    assert course.state.owner["LIL"] == "GE"
    assert "FR5" in course.state.eliminated


def test_5_5__01_guns_that_retreat_to_enemy_infantry_are_lost_when_the_battle_ends():
    """TTLM-8.3.2-02 Wherever they stand: the rulebook names no area in which they would be safe."""
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I", "GE2": "PIC: I"},
        dice="6 · 6",
        answers={"battle.instead": [goals("UK A>PIC")]},
        loose={"ART": "UK A", "PIC": "UK C"},
    )
    (lost,) = course.told(UnitsLost)
    assert (lost.side, lost.units, lost.area, lost.why) == ("EN", ("UK.A.01",), "PIC", "fragile")
    assert loose(course, "PIC") == "UK C"


def test_8_3_3__07_siege_guns_alone_before_any_enemy_unit():
    """TTLM-5.5-03 The attacker's infantry falls: enemy cavalry takes the guns, a fort does not."""
    more: Drawing = {
        "answers": {"GE battle.loss": [loss("GE2 I")]},
        "forts": {"LIE": 2},
    }
    course = fight("LIE", {"GE2": "I G"}, dice="6 · 6 · 1 6 · 6", loose={"LIE": "FR C"}, **more)
    assert [fact.why for fact in course.told(UnitsLost)] == ["combat", "fragile"]
    course = fight("LIE", {"GE2": "I G"}, dice="6 · 1 6 · 6", **more)
    assert left(course) == {"GE2": "G"}
    assert course.state.owner["LIE"] == "EN"


# ------------------------------------------------------------------ 15.2.2 counter-attack


def test_15_2_2__01_the_defender_fires_once_more_before_the_retreats():
    course = fight(
        "ART",
        {"GE6": "2I", "UK1": "I A E"},
        dice="6 · 6 · 6 6 · 1 1",
        options={"counter_attack": True},
        counter="ART",
    )
    assert steps(course) == ["artillery", "defence", "attack", "counter"]
    # attack firepower: the entrenched infantry fires at F1
    assert rolls(course) == [("defence.F1", 1), ("defence.F2", 1), ("attack.F1", 2), ("counter.F1", 2)]
    assert course.told(ArmyEliminated) == [ArmyEliminated("GE", "GE6", "ART", "combat")]


def test_15_2_2__01_only_in_the_marked_area_and_not_by_forts():
    course = fight("VER", {"GE5": "I"}, dice="6 6 · 6", forts={"VER": 2}, counter="ART")
    assert steps(course) == ["artillery", "defence", "attack"]
    course = fight("VER", {"GE5": "I"}, dice="6 6 · 6", forts={"VER": 2}, counter="VER")
    assert rolls(course) == [("defence.F2", 2), ("attack.F1", 1)]


def test_15_2_2__01_a_counter_attack_forces_nobody_to_retreat():
    course = fight(
        "ART",
        {"UK1": "2I", "GE18": "S"},
        dice="6 · 6 6 · 1",
        turn=16,
        phasing="EN",
        counter="ART",
        options={"counter_attack": True},
    )
    assert rolls(course) == [("defence.F2", 1), ("attack.F1", 2), ("counter.F2", 1)]
    assert left(course) == {"GE18": "S", "UK1": "I"}
    assert course.state.army_at["UK1"] == "ART"


# ------------------------------------------------------------------ who learns what


def test_11_2__02_the_enemy_reads_types_lost_and_dice_by_firepower():
    """TTLM-0-13"""
    course = fight("ART", ARTOIS, dice="1 5 · 6 2 · 6 6 6 6", turn=8)
    seen = course.seen("GE")
    (lost,) = [fact for fact in seen if isinstance(fact, (UnitsLost, UnitsLostSeen)) and fact.side == "EN"]
    assert lost == UnitsLostSeen("EN", (("UK.I", 1),), "ART", "combat")
    fired = [(fact.dice, fact.faces) for fact in seen if isinstance(fact, ShotsFired) and fact.side == "EN"]
    assert fired == [("F1", (6,)), ("F2", (2,))]


def test_0__13_questions_come_whether_or_not_there_is_something_to_decide():
    """Two armies that look alike, with and without cavalry and biplanes: the same questions."""

    ground = {"battle.biplanes": "ground"}

    def topics(uk, rest):
        course = fight("ART", {"GE6": "2I", "UK1": uk, "UK2": f"CAL: {rest}"}, "6 6 · 6 6", ground, turn=9)
        return [(ask.seat, ask.topic, ask.at, ask.secret) for ask in course.asks]

    assert topics("2I", "I C B") == topics("I C", "2I B") == topics("I B", "2I C")


def crowded_front():
    """Armies on both sides and behind, with everything in them."""
    return field(
        "VER",
        {
            "GE5": "3I C A",
            "GE18": "2I S A B",
            "GE4": "MET: 2I S C T",
            "FR4": "3I B",
            "FR9": "REI: 3I B",
            "UK1": "2I CW A T",
            "UK2": "BAR: 2I CW C",
        },
        loose={"BAR": "FR C"},
        forts={"VER": 2},
        hands={"GE": "OFF ER2 SUR", "EN": "ER3 LIM GAS"},
        turn=16,
    )


def other_world(state, seat, seed):
    """The same position to that seat, with the enemy's hidden counters and cards exchanged."""
    rng, exchanged = random.Random(seed), dict[str, str]()
    for group in hidden(state, Seat(seat)):
        exchanged |= dict(zip(group, rng.sample(group, len(group)), strict=True))

    def changed(ids):
        return sorted(exchanged.get(one, one) for one in ids)

    state.contents = {army: changed(there) for army, there in state.contents.items()}
    state.hands = {side: changed(cards) for side, cards in state.hands.items()}
    state.deck = [exchanged.get(card, card) for card in state.deck]
    check_settled(state)
    return state


def seen_by(seat, state):
    """Questions, rolls and facts as the seat meets them; its own questions whole. The enemy stays silent."""
    step, reply, seen = battle(state, "VER"), None, list[Any]()
    while True:
        try:
            request = step.send(reply)
        except StopIteration:
            return seen
        reply = None
        match request:
            case Ask():
                own = (request.given, list(request.options.describe()), request.default)
                seen.append(("question", request.seat, request.topic, *(own if request.seat == seat else ())))
                reply = request.default
            case Roll():
                seen.append(("roll", request.why, request.dice))
                reply = tuple(1 + (len(request.why) + n) % 6 for n in range(request.dice))
            case _:
                if (fact := fact_for(request, Seat(seat))) is not None:
                    seen.append(("fact", fact))
                request.apply(state)


def tells(met):
    """A roll or a fact that shows something hidden; the mere course of the battle does not."""
    return met[0] == "roll" or (met[0] == "fact" and not isinstance(met[1], (StepBegan, BattleEnded)))


@pytest.mark.parametrize("seat", ["GE", "EN"])
def test_0__13_two_worlds_part_by_what_is_shown_never_by_what_is_asked(seat):
    """TTLM-11.2-02 Until a roll or a fact shows a difference the questions are the same, word for word."""
    first = seen_by(seat, crowded_front())
    parted = 0
    for seed in range(40):
        second = seen_by(seat, other_world(crowded_front(), seat, seed))
        differing = [(one, two) for one, two in zip(first, second, strict=False) if one != two]
        if differing:
            parted += 1
            one, two = differing[0]
            assert "question" not in (one[0], two[0]) or tells(one) or tells(two)
    assert parted > 5


@pytest.mark.parametrize("seed", range(20))
def test_0__10_whatever_is_answered_the_battle_ends_in_order(seed):
    """Random answers to every question: positions stay legal, and all that is offered is taken."""
    state = field(
        "VER",
        {"GE5": "2I 2S C A B", "GE18": "3I A T", "FR3": "3I 2A B E", "US1": "3I C T", "GE4": "MET: 2I"},
        loose={"VER": "GE G, FR C", "ARG": "FR I, FR B", "LUX": "GE C"},
        forts={"VER": 4},
        hands={"GE": "OFF ER2 BAD", "EN": "ER3 LIM GAS"},
        turn=17,
        phasing="GE" if seed % 2 else "EN",
        options={"defender_scramble": True, "counter_attack": True},
        counter="VER" if seed % 3 else "",
    )
    asks = at_random(state, battle(state, "VER"), seed)
    assert {ask.topic for ask in asks} >= {"battle.scramble", "battle.cavalry", "battle.instead"}
    assert state.fought == ["VER"]
