"""TTLM 2.II.3, 5.3, 5.4, 8.3.4, 13.7: what exactly is offered, what single answer there is, what is told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.to_the_last_man.answers import CombatCards, Declare, Ersatz, Goal, Rerolls
from engine.games.to_the_last_man.facts.battle import BattleKept
from engine.games.to_the_last_man.rules.battles import (
    announce,
    answer_with_cards,
    keep_one,
    play_combat_cards,
    turn_weather,
)
from engine.games.to_the_last_man.rules.biplanes import choose_method, scramble
from engine.games.to_the_last_man.rules.embattled import battle_in, might_have
from engine.games.to_the_last_man.rules.losses import Hits, all_targets, spend_ersatz, take_loss
from engine.games.to_the_last_man.rules.retreats import (
    attacker_retreats,
    cavalry_retreat,
    defender_retreats,
    retreat_instead,
)
from tests.rules.ttlm.drawn import play
from tests.rules.ttlm.fights import field, fight, goals, loss, refused

FRONT = {"GE6": "ART: 3I", "UK1": "ART: 3I", "GE5": "REI: 2I", "FR5": "REI: 2I"}


def offered(ask):
    return list(ask.options.describe())


def sampled(ask, number=400):
    """Every answer that so many samples bring; all of them legal."""
    found = []
    for seed in range(number):
        answer = ask.options.sample(random.Random(seed))
        assert refused(ask, answer) is None
        if answer not in found:
            found.append(answer)
    return found


def hit(state, side, number, siege=0):
    """The questions about so many hits in Verdun: Ersatz, and one loss."""
    battle = battle_in(state, "VER")
    hits = Hits(battle, side, "attack", number, siege)
    targets = lambda: all_targets(state, battle, side)  # noqa: E731
    return next(spend_ersatz(state, hits, targets)), next(take_loss(state, hits, targets))


# ------------------------------------------------------------------ declaring


def test_2_ii_3__02_what_may_be_declared():
    ask = next(announce(field("ART", FRONT, battles=[])))
    assert offered(ask) == [Declare(()), Declare(("ART",)), Declare(("REI",)), Declare(("ART", "REI"))]
    assert ask.options.only() is None
    assert {answer.areas for answer in sampled(ask)} == {
        (),
        ("ART",),
        ("REI",),
        ("ART", "REI"),
        ("REI", "ART"),
    }


def test_9_1_2__01_what_may_be_declared_in_a_limited_offensive():
    ask = next(announce(field("ART", FRONT, battles=[], offensive="LIM")))
    assert offered(ask) == [Declare(()), Declare(("ART",)), Declare(("REI",))]
    assert {answer.areas for answer in sampled(ask)} == {(), ("ART",), ("REI",)}
    ask = next(announce(field("ART", FRONT, battles=[], offensive="LIM", entered=["REI"])))
    assert offered(ask) == [Declare(("REI",))]
    assert ask.options.only() == (Declare(("REI",)),)


def test_2_ii_3__01_two_compulsory_battles_leave_their_order_open():
    ask = next(announce(field("ART", FRONT, battles=[], entered=["REI", "ART"])))
    assert ask.options.only() is None
    assert ask.default == Declare(("REI", "ART"))
    ask = next(announce(field("ART", {"GE6": "I", "UK1": "I"}, battles=[], entered=["ART"])))
    assert ask.options.only() == (Declare(("ART",)),)


def test_9_5__01_what_may_be_said_of_the_weather():
    ask = next(turn_weather(field("ART", FRONT, turn=2, hands={"EN": "BAD"})))
    assert (offered(ask), ask.options.only(), sorted(sampled(ask, 20))) == (
        [False, True],
        None,
        [False, True],
    )
    ask = next(turn_weather(field("ART", FRONT, turn=2, hands={"EN": "OFF"})))
    assert (offered(ask), ask.options.only(), sampled(ask, 20)) == ([False], (False,), [False])


def test_9_5__03_one_battle_needs_no_choice():
    state = field("ART", FRONT, battles=["ART"], weather=True)
    assert play(state, keep_one(state)).asks == []
    state = field("ART", FRONT, battles=["ART", "REI"], weather=True)
    assert play(state, keep_one(state)).told(BattleKept) == [BattleKept("ART")]
    state = field("ART", FRONT, battles=["ART", "REI"])
    assert play(state, keep_one(state)).asks == []


def test_9_3__01_what_the_attacker_may_lay():
    state = field("ART", FRONT, battles=["ART", "REI"], turn=12, hands={"GE": "GAS SUR OFF"})
    ask = next(play_combat_cards(state))
    single = [(area, kind) for kind in ("GAS", "SUR") for area in ("ART", "REI")]
    assert offered(ask) == [CombatCards(), *(CombatCards((one,)) for one in single)]
    assert len(sampled(ask)) == 9  # each card in either area or in none
    state = field("ART", FRONT, battles=["ART"], turn=12, hands={"GE": "OFF"})
    ask = next(play_combat_cards(state))
    assert ask.options.only() == (CombatCards(),)


def test_9_1__02_what_the_attacker_may_name_for_extra_dice():
    state = field("ART", FRONT, battles=["ART", "REI"], turn=16, offensive="FRI")
    ask = next(play_combat_cards(state))
    assert offered(ask) == [CombatCards(), CombatCards(bonus=("ART",)), CombatCards(bonus=("REI",))]
    assert {answer.bonus for answer in sampled(ask)} == {(), ("ART",), ("REI",), ("ART", "REI")}


def test_9_1__03_a_side_without_cards_and_without_a_place_for_its_dice_is_not_asked():
    state = field("REI", {"GE5": "I", "FR5": "I"}, turn=9, phasing="EN", offensive="BIG")
    assert play(state, play_combat_cards(state)).asks == []


def test_15_2_2__01_what_the_defender_may_answer():
    more = {"battles": ["ART"], "turn": 4, "hands": {"EN": "GAS LIM"}}
    ask = next(answer_with_cards(field("ART", FRONT, options={"counter_attack": True}, **more)))
    counter = CombatCards(counter=("ART", "LIM"))
    assert offered(ask) == [CombatCards(), CombatCards((("ART", "GAS"),)), counter]
    assert len(sampled(ask)) == 4
    ask = next(answer_with_cards(field("ART", FRONT, **more)))
    assert offered(ask) == [CombatCards(), CombatCards((("ART", "GAS"),))]
    assert len(sampled(ask)) == 2


def test_9_3__01_before_gas_the_defender_has_nothing_to_answer():
    state = field("ART", FRONT, battles=["ART"], turn=3, hands={"EN": "GAS LIM"})
    assert play(state, answer_with_cards(state)).asks == []
    state = field("ART", FRONT, battles=["ART"], turn=4, hands={"EN": "GAS LIM"})
    assert len(play(state, answer_with_cards(state)).asks) == 1


# ------------------------------------------------------------------ losses


def test_5_3_1__02_a_refusal_names_the_strongest():
    state = field(
        "VER", {"GE5": "I", "FR3": "3I"}, loose={"VER": "FR C"}, forts={"VER": 3}, hands={"EN": "OFF"}
    )
    _, ask = hit(state, "EN", 1)
    assert dict(ask.options.why_not(loss("FR C")).facts)["strongest"] == ("FORT", "FR3")
    assert offered(ask) == [loss("FORT"), loss("FR3 I")]
    assert ask.options.only() is None
    assert sorted(one.place for one in sampled(ask)) == ["FORT", "FR3"]


def test_5_3_1__04_a_single_choice_is_known_as_such():
    _, ask = hit(field("VER", {"GE5": "I", "FR3": "3I A"}, hands={"EN": "OFF"}), "EN", 1)
    assert ask.options.only() == (loss("FR3 I"),)


def test_5_3_2__01_what_may_be_spent():
    state = field("VER", {"GE5": "I G", "FR3": "3I"}, forts={"VER": 2}, hands={"EN": "ER2 OFF OFF"})
    ask, _ = hit(state, "EN", 3, siege=2)
    two, one = ("ER2",), ("OFF",)
    assert offered(ask) == [Ersatz(), Ersatz(two, 1), Ersatz(two, 2), Ersatz(one, 0), Ersatz(one, 1)]
    assert ask.options.only() is None
    spent = {(answer.cards, answer.siege) for answer in sampled(ask)}
    pair, both = ("OFF", "OFF"), ("ER2", "OFF")
    assert spent == {((), 0), (two, 1), (two, 2), (one, 0), (one, 1), (pair, 1), (pair, 2), (both, 2)}


def test_5_3_2__01_an_empty_hand_has_nothing_to_spend():
    state = field("VER", {"GE5": "I", "FR3": "3I"}, options={"hidden_hand_size": True})
    ask, _ = hit(state, "EN", 1)
    assert (offered(ask), ask.options.only()) == ([Ersatz()], (Ersatz(),))


# ------------------------------------------------------------------ retreats


def in_hainaut(**more):
    """French in Hainaut with a way to Maubeuge, where an army stands."""
    owner = {"LIE": "GE", "BRU": "GE", "NAM": "GE", "LIL": "GE", "FLA": "GE"}
    armies = {"GE1": "2I C", "FR5": "I C", "FR4": "MAU: I", **more.pop("armies", {})}
    return field("HAI", armies, owner=owner, loose={"HAI": "FR I"}, **more)


def test_5_4_1__01_what_may_go_and_where():
    ask = next(retreat_instead(in_hainaut(), battle_in(in_hainaut(), "HAI")))
    single = ["FR I>MAU", "FR I>MAU+FR4", "FR5>MAU"]
    single += ["FR C:FR5>MAU", "FR C:FR5>MAU+FR4", "FR I:FR5>MAU", "FR I:FR5>MAU+FR4"]
    assert offered(ask) == [(), *(goals(one) for one in single)]
    assert ask.options.only() is None
    met = sampled(ask, 1000)
    assert all(goals(one) in met for one in single)
    assert goals("FR I>MAU", "FR5>MAU") in met
    assert Goal("MAU", "FR5", (("FR.C", 1),)) in sum(met, ())


def test_5_4__09_what_has_retreated_is_not_offered():
    state = in_hainaut(retreated=["FR.C.01", "FR.I.01", "FR5"], armies={"FR5": "I C"})
    assert state.contents["FR5"] == ["FR.C.01", "FR.I.02"]
    state.retreated = ["FR.C.01", "FR.I.02", "FR5"]
    ask = next(retreat_instead(state, battle_in(state, "HAI")))
    assert offered(ask) == [(), goals("FR I>MAU"), goals("FR I>MAU+FR4")]


def test_5_4_3__01_only_cavalry_is_offered_before_combat():
    ask = next(cavalry_retreat(in_hainaut(), battle_in(in_hainaut(), "HAI"), "EN"))
    assert offered(ask) == [(), goals("FR C:FR5>MAU"), goals("FR C:FR5>MAU+FR4")]
    assert sorted(map(str, sampled(ask))) == sorted(map(str, offered(ask)))


def test_5_4_2__01_after_combat_samples_share_their_destination():
    state = field("ART", {"GE6": "I", "UK1": "I", "UK2": "I"}, loose={"ART": "UK I"})
    ask = next(defender_retreats(state, battle_in(state, "ART"), 0))
    assert {len({goal.to for goal in answer}) for answer in sampled(ask)} == {0, 1}
    assert {goal.to for answer in sampled(ask) for goal in answer} == {"CAL", "LIL", "PIC", "STQ"}


def test_5_4__01_with_no_way_out_staying_is_all():
    state = field("ALS", {"FR7": "2I", "GE6": "I"}, owner={"BEL": "GE", "VOS": "GE"})
    ask = next(retreat_instead(state, battle_in(state, "ALS")))
    assert (offered(ask), ask.options.only(), sampled(ask, 5)) == ([()], ((),), [()])


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, [("UK1",), ("UK3",)]),
        (2, [("UK1", "UK2"), ("UK3", "UK2")]),
        (3, [("UK1", "UK2", "UK3"), ("UK3", "UK2", "UK1")]),
    ],
)
def test_5_4__07_which_armies_may_be_named_for_a_forced_retreat(number, expected):
    owner = {"LIL": "GE", "PIC": "GE", "STQ": "GE"}
    state = field("ART", {"GE6": "I", "UK1": "I", "UK2": "I", "UK3": "I"}, owner=owner)
    step = defender_retreats(state, battle_in(state, "ART"), number)
    next(step)
    ask = step.send(None)
    assert [tuple(goal.army for goal in answer) for answer in offered(ask)] == expected
    assert {goal.to for answer in offered(ask) for goal in answer} == {"CAL"}
    assert ask.options.only() is None
    assert len(sampled(ask)) == {1: 3, 2: 6, 3: 6}[number]


def test_5_4__07_a_single_army_has_no_choice_but_its_way():
    state = field("ART", {"GE6": "I", "UK1": "I"}, owner={"LIL": "GE", "PIC": "GE", "STQ": "GE"})
    step = defender_retreats(state, battle_in(state, "ART"), 1)
    next(step)
    assert step.send(None).options.only() == (goals("UK1>CAL"),)


def test_8_1__09_an_empty_army_goes_where_the_others_went():
    """5.4.2 After combat it shares the destination, else D40 says where."""

    def gone(answer):
        owner = {"STQ": "GE", "LIL": "GE"}
        state = field("ART", {"GE6": "I", "GE2": "", "UK1": "I", "GE4": "LIL: 3I"}, owner=owner)
        play(state, attacker_retreats(state, battle_in(state, "ART")), {"battle.retreat": [answer]})
        return state.army_at.get("GE2")

    assert gone(()) == "LIL"  # where most friends are
    assert gone(goals("GE6>STQ")) == "STQ"


# ------------------------------------------------------------------ biplanes


def test_8_3_4__07_unsaid_loose_infantry_makes_biplanes_react():
    def method(**more):
        state = field("ART", {"UK1": "I B"}, loose={"ART": "GE I, GE C"}, turn=9, **more)
        return next(choose_method(state, battle_in(state, "ART"), False)).default

    assert method() == "react"
    assert method(retreated=["GE.I.01"]) == "ground"


def test_8_3_4__06_what_may_be_rolled_again():
    seen: list[Any] = []

    def look(ask):
        seen.extend((offered(ask), ask.options.only(), {answer.hits for answer in sampled(ask)}))
        return ask.default

    answers = {"battle.biplanes": "react", "battle.reroll": [look]}
    fight("STQ", {"GE18": "2I S", "UK5": "4I B"}, "6 6 6 6 · 1 6 · 1 · 6", answers, turn=16)
    foot, storm = (("F1", 1),), (("S.F2", 1),)
    assert seen == [[Rerolls(), Rerolls(foot), Rerolls(storm)], None, {(), foot, storm}]


def test_13_7__01_what_may_scramble():
    state = field(
        "ARG",
        {"GE5": "2I", "FR4": "3I", "FR2": "REI: I B"},
        turn=9,
        options={"defender_scramble": True},
        loose={"BAR": "FR B"},
    )
    ask = next(scramble(state, battle_in(state, "ARG")))
    plane = (("FR.B", 1),)
    from_bar = [Goal("ARG", "", (), plane, "", into, "BAR") for into in ("", "FR4")]
    from_rei = [Goal("ARG", "", (), plane, "FR2", into) for into in ("", "FR4")]
    assert offered(ask) == [(), *((goal,) for goal in (*from_bar, *from_rei))]
    assert ask.options.only() is None
    met = {frozenset(answer) for answer in sampled(ask)}
    assert frozenset((from_bar[0], from_rei[1])) in met
    assert frozenset((from_bar[1], from_rei[1])) not in met


def test_13_7__01_no_biplane_no_choice():
    armies = {"GE5": "2I", "FR4": "3I", "FR2": "REI: I", "FR3": "PAR: I B"}
    state = field("ARG", armies, turn=9, options={"defender_scramble": True})
    ask = next(scramble(state, battle_in(state, "ARG")))
    assert (offered(ask), ask.options.only()) == ([()], ((),))


# ------------------------------------------------------------------ what may be there


def test_0__13_what_everyone_can_tell_of_an_army():
    """Cavalry may be in an army unless all of the nation's lies in the pool or loose on the map."""

    def possible(armies, **more):
        return might_have(field("ART", {"GE6": "I", **armies}, **more), "ART", "EN", "C")

    assert not possible({"UK1": "I"})
    assert possible({"UK1": "I C"})
    assert possible({"UK1": "I", "UK2": "CAL: C"})
    assert not possible({"UK1": "I"}, loose={"CAL": "UK C"})
    assert not possible({"UK1": "I", "FR1": "CAL: C"})  # another nation's
    assert not possible({"UK1": "", "UK2": "CAL: C"})  # empty
    assert not possible({"UK1": "I", "UK2": "CAL: C"}, retreated=["UK.I.01", "UK1"])
    assert possible({}, loose={"ART": "UK C"})
    assert not possible({}, loose={"ART": "UK C"}, retreated=["UK.C.01"])
