"""TTLM 2.II.3, 5.1, 9.1, 9.3 to 9.5, 9.7, 15.2.2: battles are declared, cards laid, the weather turns."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import CombatCards, Declare
from engine.games.to_the_last_man.facts.battle import (
    BattleKept,
    BattlePlanned,
    BattlesDeclared,
    WeatherTurned,
)
from engine.games.to_the_last_man.facts.cards import BonusPlaced, CardPlayed, CardPlayedSeen
from engine.games.to_the_last_man.order_of_play import after_battle
from engine.games.to_the_last_man.rules.battles import announce, compulsory, declare_battles, optional
from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.rules.fragile import fragile_check
from tests.rules.ttlm.drawn import play
from tests.rules.ttlm.fights import at_random, field, goals, refused, rolls

FRONT = {"GE6": "ART: 3I", "UK1": "ART: 3I", "GE5": "REI: 2I", "FR5": "REI: 2I"}
BOTH = {"battle.declare": [Declare(("ART", "REI"))]}


def front(armies=None, **more):
    """Two Disputed areas, nothing declared yet."""
    return field("ART", armies or FRONT, battles=[], **more)


def asked(state, topic):
    """The first question of that topic, everything before it by default (both battles are declared)."""
    step, reply = declare_battles(state), None
    while True:
        request = step.send(reply)
        reply = None
        if getattr(request, "topic", "") == topic:
            return request
        if hasattr(request, "topic"):
            both = tuple(
                area
                for area in ("ART", "REI", "STQ", "ARG")
                if area in (*compulsory(state), *optional(state))
            )
            reply = Declare(both) if request.topic == "battle.declare" else request.default
        else:
            request.apply(state)


def declared(state, answers=None):
    return play(state, declare_battles(state), {**BOTH, **(answers or {})})


# ------------------------------------------------------------------ which battles


def test_2_ii_3__01_areas_that_became_disputed_must_be_fought_for():
    """TTLM-5.1.1-01"""
    state = front(entered=["ART"])
    ask = asked(state, "battle.declare")
    assert ask.given.compulsory == ("ART",)
    assert ask.default == Declare(("ART",))
    assert refused(ask, Declare(("REI",))) == ("TTLM-2.II.3-01", "compulsory-battle")
    assert refused(ask, Declare(())) == ("TTLM-2.II.3-01", "compulsory-battle")


def test_5_1_1__01_only_entering_makes_a_battle_compulsory():
    state = front()
    assert compulsory(state) == ()
    assert asked(state, "battle.declare").default == Declare(())


def test_2_ii_3__02_other_disputed_areas_at_the_attackers_choice():
    """TTLM-5.1.2-01 Any number."""
    ask = asked(front(entered=["ART"]), "battle.declare")
    assert refused(ask, Declare(("REI", "ART"))) is None
    assert refused(ask, Declare(("ART", "PAR"))) == ("TTLM-2.II.3-02", "no-battle-there")


def test_2_ii_3__02_nobody_is_asked_where_nothing_is_disputed():
    course = play(front({"GE6": "STQ: I"}), declare_battles(front({"GE6": "STQ: I"})))
    assert course.asks == []


def test_2_ii_3__03_each_area_is_fought_for_once():
    ask = asked(front(), "battle.declare")
    assert refused(ask, Declare(("ART", "ART"))) == ("TTLM-2.II.3-03", "named-twice")
    state = front()
    declared(state)
    play(state, battle(state, "ART"), dice="6 6 6 6 6 6")
    play(state, battle(state, "REI"), dice="6 6 6 6")
    assert state.fought == ["ART", "REI"]
    assert after_battle(state).name == "turn_end"


def test_2_ii_3__04_battles_then_the_attackers_cards_then_the_defenders():
    state = front(turn=12, hands={"GE": "GAS", "EN": "GAS BAD"})
    answers = {
        "battle.cards": [CombatCards((("ART", "GAS"),))],
        "battle.weather": [True],
        "battle.answer": [CombatCards((("REI", "GAS"),))],
        "battle.keep": ["REI"],
    }
    course = declared(state, answers)
    told = [type(fact).__name__ for fact in course.facts if not type(fact).__name__.startswith("Phase")]
    assert told == [
        "BattlesDeclared",
        "CardPlayed",
        "CardPlayed",
        "WeatherTurned",
        "CardPlayed",
        "BattleKept",
    ]
    assert [(ask.topic, ask.seat) for ask in course.asks] == [
        ("battle.declare", "GE"),
        ("battle.cards", "GE"),
        ("battle.weather", "EN"),
        ("battle.answer", "EN"),
        ("battle.keep", "GE"),
    ]


def test_2_ii_3__04_who_may_lay_what():
    ask = asked(front(turn=12, hands={"EN": "SUR OFF GAS", "GE": "BAD"}), "battle.answer")
    assert refused(ask, CombatCards((("ART", "SUR"),))) == ("TTLM-2.II.3-04", "no-combat-card")
    assert refused(ask, CombatCards((("ART", "OFF"),))) == ("TTLM-2.II.3-04", "no-combat-card")
    assert refused(ask, CombatCards((("PAR", "GAS"),))) == ("TTLM-9.3-01", "not-declared")


def test_2_ii_3__05_the_attacker_adds_nothing_after_the_defender():
    """The defender reads the attacker's cards, not the other way round."""
    state = front(turn=12, hands={"GE": "GAS AAB", "EN": "GAS"})
    course = declared(
        state,
        {"battle.cards": [CombatCards((("ART", "GAS"),))], "battle.answer": [CombatCards((("ART", "GAS"),))]},
    )
    assert course.asked("battle.answer")[0].given.cards == (("ART", "GAS"),)
    assert [ask.topic for ask in course.asks].count("battle.cards") == 1
    assert course.asks[-1].topic == "battle.answer"


@pytest.mark.parametrize("strength", [0, 1])
def test_2_ii_3__06_a_weak_fort_may_be_attacked_of_free_will(strength):
    state = field("SED", {"GE3": "I"}, forts={"SED": strength}, owner={"SED": "GE"}, battles=[])
    assert compulsory(state) == ()
    assert optional(state) == ("SED",)
    play(state, announce(state), {"battle.declare": [Declare(("SED",))]})
    assert state.battles == ["SED"]


def test_2_ii_3__06_not_without_own_units_before_it():
    assert optional(field("LIL", {}, forts={"LIL": 1}, owner={"LIL": "GE"}, battles=[])) == ()


def test_2_ii_3__07_no_battle_where_only_one_side_is_left():
    """TTLM-2.II.3-07 The check at the end of movement took the only defender."""
    state = field("PIC", loose={"PIC": "FR A, GE I"}, entered=["PIC"], battles=[])
    play(state, fragile_check(state, "PIC"))
    assert state.owner["PIC"] == "GE"
    assert compulsory(state) == ()
    assert play(state, declare_battles(state)).asks == []


def test_c_43_lone_artillery():
    """TTLM-5.5-02, TTLM-2.II.3-07"""
    state = field("PIC", loose={"PIC": "FR A, GE I"}, entered=["PIC"], battles=[], offensive="LIM")
    play(state, fragile_check(state, "PIC"))
    assert state.loose["PIC"] == ["GE.I.01"]
    assert play(state, declare_battles(state)).told(BattlesDeclared) == []


def test_5_1_2__01_one_battle_in_a_limited_offensive():
    """TTLM-9.1.2-01"""
    ask = asked_limited()
    assert refused(ask, Declare(("ART", "REI"))) == ("TTLM-9.1.2-01", "one-battle-only")
    assert refused(ask, Declare(("REI",))) is None
    assert refused(ask, Declare(())) is None


def test_9_1_2__02_a_compulsory_battle_is_the_only_one_of_a_limited_offensive():
    ask = asked_limited(entered=["ART"])
    assert refused(ask, Declare(("ART", "REI"))) == ("TTLM-9.1.2-02", "one-battle-only")
    assert refused(ask, Declare(("REI",))) == ("TTLM-2.II.3-01", "compulsory-battle")
    assert ask.options.only() == (Declare(("ART",)),)


def asked_limited(**more):
    return next(announce(front(offensive="LIM", **more)))


def test_9_1_1__01_an_offensive_allows_any_number_of_battles():
    """TTLM-9.1.1-01"""
    ask = asked(front(offensive="OFF"), "battle.declare")
    assert refused(ask, Declare(("ART", "REI"))) is None


def test_5_1_2__02_a_declared_battle_is_fought_whatever_came_before():
    state = front()
    declared(state)
    play(state, battle(state, "ART"), {"battle.instead": [goals("UK1>CAL")]})
    assert after_battle(state).args == ("REI",)


def test_2_ii_4__01_the_order_is_the_attackers():
    state = front()
    play(state, declare_battles(state), {"battle.declare": [Declare(("REI", "ART"))]})
    assert after_battle(state).args == ("REI",)


def test_2_ii_3__04_the_battle_plan_goes_with_the_attackers_questions_and_to_nobody_else():
    state = front(hands={"GE": "OFF"})
    course = play(
        state, declare_battles(state), {"battle.declare": [Declare(("ART",), "AT ART: ERSATZ MAX 1")]}
    )
    assert course.asked("battle.cards")[0].plan == "AT ART: ERSATZ MAX 1"
    assert [fact for fact in course.seen("EN") if isinstance(fact, BattlePlanned)] == []
    fought = play(state, battle(state, "ART"), dice="6 6 6 6 6 6")
    assert {ask.plan for ask in fought.asks if ask.seat == "GE"} == {"AT ART: ERSATZ MAX 1"}
    assert {ask.plan for ask in fought.asks if ask.seat == "EN"} == {""}


# ------------------------------------------------------------------ combat cards


def test_9_3__01_gas_from_turn_4_one_for_each_area():
    ask = asked(front(turn=3, hands={"GE": "GAS"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "GAS"),))) == ("TTLM-9.3-01", "card-too-early")
    ask = asked(front(turn=4, hands={"GE": "GAS GAS"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "GAS"), ("ART", "GAS")))) == ("TTLM-9.3-01", "one-per-area")
    assert refused(ask, CombatCards((("ART", "GAS"), ("REI", "GAS")))) is None
    ask = asked(front(turn=4, hands={"GE": "GAS"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "GAS"), ("REI", "GAS")))) == ("TTLM-9.3-01", "not-in-hand")


def test_c_08_gas_with_barrage():
    """TTLM-9.3-02, TTLM-9.4-01 Not both by one side in one area."""
    ask = asked(front(turn=12, hands={"GE": "GAS AAB"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "AAB"), ("ART", "GAS")))) == ("TTLM-9.3-02", "gas-and-barrage")
    assert refused(ask, CombatCards((("ART", "AAB"), ("REI", "GAS")))) is None
    state = front(turn=12, hands={"GE": "AAB", "EN": "GAS"})
    declared(
        state,
        {"battle.cards": [CombatCards((("ART", "AAB"),))], "battle.answer": [CombatCards((("ART", "GAS"),))]},
    )
    assert state.laid == {"GE": [("ART", "AAB")], "EN": [("ART", "GAS")]}


def test_9_4__01_barrage_from_turn_12():
    ask = asked(front(turn=11, hands={"GE": "AAB"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "AAB"),))) == ("TTLM-9.4-01", "card-too-early")


def test_9_7__01_surprise_in_one_area_for_each_card():
    ask = asked(front(hands={"GE": "SUR SUR"}), "battle.cards")
    assert refused(ask, CombatCards((("ART", "SUR"), ("ART", "SUR")))) == ("TTLM-9.7-01", "one-per-area")
    assert refused(ask, CombatCards((("ART", "SUR"), ("REI", "SUR")))) is None
    state = front(hands={"GE": "SUR"})
    declared(state, {"battle.cards": [CombatCards((("REI", "SUR"),))]})
    course = play(state, battle(state, "REI"), dice="6 6 6 6")
    assert rolls(course) == [("attack.F1", 2), ("defence.F1", 2)]
    assert rolls(play(state, battle(state, "ART"), dice="6 6 6 6 6 6"))[0] == ("defence.F1", 3)


def test_1_3__01_a_laid_card_is_on_the_discard_pile_and_shown_by_kind():
    state = front(hands={"GE": "SUR"})
    course = declared(state, {"battle.cards": [CombatCards((("REI", "SUR"),))]})
    assert state.discard == ["SUR.01"]
    assert CardPlayedSeen("GE", "SUR", "combat", ("REI",), False) in course.seen("EN")


def test_0__13_the_defender_is_asked_on_what_is_public():
    """The same questions whatever the hand holds; none without cards."""

    def topics(hand, **more):
        return [ask.topic for ask in declared(front(turn=12, hands={"EN": hand}, **more)).asks]

    assert topics("BAD GAS") == topics("OFF LIM") == ["battle.declare", "battle.weather", "battle.answer"]
    assert topics("") == ["battle.declare"]
    hidden = {"options": {"hidden_hand_size": True}}
    assert topics("", **hidden) == topics("BAD", **hidden)


# ------------------------------------------------------------------ 9.1 bonus areas


def test_9_1__02_areas_of_the_extra_dice_are_named_with_the_cards():
    state = front(turn=9, phasing="EN", offensive="BIG")
    course = declared(state, {"battle.cards": [CombatCards(bonus=("ART",))]})
    assert course.told(BonusPlaced) == [BonusPlaced(("ART",))]
    assert state.bonus == ["ART"]


def test_c_11_big_push_without_a_uk_army():
    """TTLM-9.1.3-01"""
    ask = asked(front(turn=9, phasing="EN", offensive="BIG"), "battle.cards")
    assert refused(ask, CombatCards(bonus=("REI",))) == ("TTLM-9.1-03", "no-bonus-there")
    assert refused(ask, CombatCards(bonus=("ART",))) is None
    only_french = {"GE5": "REI: 2I", "FR5": "REI: 2I", "GE6": "ARG: I", "FR4": "ARG: I"}
    state = field("REI", only_french, battles=[], turn=9, phasing="EN", offensive="BIG", hands={"GE": "BAD"})
    answers = {"battle.declare": [Declare(("REI", "ARG"))], "battle.weather": [True]}
    course = play(state, declare_battles(state), answers)
    assert course.told(WeatherTurned) == [WeatherTurned("LIM")]  # a plain Offensive


def test_c_31_no_tank_dice_in_a_rough_area():
    """TTLM-9.1-02"""
    armies = {"GE6": "ARG: I", "FR4": "ARG: 3I T", "GE5": "REI: I", "FR5": "REI: I"}
    ask = asked(front(armies, turn=16, phasing="EN", offensive="TLM"), "battle.cards")
    assert refused(ask, CombatCards(bonus=("ARG",))) == ("TTLM-9.1-03", "no-bonus-there")
    assert refused(ask, CombatCards(bonus=("REI",))) is None


@pytest.mark.parametrize(("card", "phasing", "most"), [("GER", "GE", 1), ("FRI", "GE", 2), ("TLM", "EN", 2)])
def test_9_1__01_one_or_two_areas(card, phasing, most):
    """TTLM-9.1.4-01, TTLM-9.1.5-01, TTLM-9.1.6-01"""
    armies = {
        "GE6": "ART: I",
        "FR3": "ART: I",
        "GE5": "REI: I",
        "FR5": "REI: I",
        "GE2": "STQ: I",
        "FR4": "STQ: I",
    }
    ask = asked(front(armies, turn=16, phasing=phasing, offensive=card), "battle.cards")
    two, three = ("ART", "REI"), ("ART", "REI", "STQ")
    too_many = ("TTLM-9.1-01", "too-many-areas")
    assert refused(ask, CombatCards(bonus=two)) == (too_many if most == 1 else None)
    assert refused(ask, CombatCards(bonus=three)) == too_many
    assert refused(ask, CombatCards(bonus=("PAR",))) == ("TTLM-9.1-02", "not-declared")


def test_9_1__02_unsaid_the_dice_go_where_the_own_armies_are_strongest():
    armies = {
        "GE6": "ART: I",
        "FR3": "ART: I",
        "GE5": "REI: 3I",
        "FR5": "REI: I",
        "GE2": "STQ: 2I",
        "FR4": "STQ: I",
    }
    assert asked(front(armies, turn=16, offensive="FRI"), "battle.cards").default == CombatCards(
        bonus=("REI", "STQ")
    )
    assert asked(front(armies, turn=16, offensive="GER"), "battle.cards").default == CombatCards(
        bonus=("REI",)
    )


def test_9_5__08_no_extra_dice_for_the_wrong_side_or_too_early():
    for more in ({"phasing": "GE", "turn": 9}, {"phasing": "EN", "turn": 7}):
        side = more["phasing"]
        ask = asked(front(offensive="BIG", hands={side: "OFF"}, **more), "battle.cards")
        assert refused(ask, CombatCards(bonus=("ART",))) == ("TTLM-9.5-08", "no-special-offensive")
        assert ask.default == CombatCards()


# ------------------------------------------------------------------ 9.5 Bad Weather


def under_weather(offensive, phasing="GE", turn=13, answers=None, **more):
    defender = "EN" if phasing == "GE" else "GE"
    state = front(offensive=offensive, phasing=phasing, turn=turn, hands={defender: "BAD OFF"}, **more)
    if offensive == "LIM":
        answers = {"battle.declare": [Declare(("ART",))], **(answers or {})}
    return declared(state, {"battle.weather": [True], **(answers or {})})


def test_9_5__01_played_by_the_defender_and_not_on_turn_1():
    assert declared(front(turn=1, hands={"EN": "BAD"})).asked("battle.weather") == []
    ask = asked(front(turn=2, hands={"EN": "OFF"}), "battle.weather")
    assert refused(ask, True) == ("TTLM-9.5-01", "not-in-hand")
    assert ask.default is False
    ask = asked(front(turn=2, hands={"EN": "BAD"}), "battle.weather")
    assert (ask.seat, refused(ask, True)) == ("EN", None)


def test_9_5__02_a_special_offensive_becomes_a_plain_one():
    course = under_weather("BIG", "EN", answers={"battle.cards": [CombatCards(bonus=("ART",))]})
    assert course.told(WeatherTurned) == [WeatherTurned("OFF")]
    assert course.state.battles == ["ART", "REI"]
    assert course.asked("battle.keep") == []


def test_9_5__03_a_plain_offensive_becomes_limited():
    course = under_weather("OFF", answers={"battle.keep": ["REI"]}, entered=["ART"])
    assert course.told(WeatherTurned) == [WeatherTurned("LIM")]
    assert course.told(BattleKept) == [BattleKept("REI")]
    assert course.state.battles == ["REI"]
    ask = course.asked("battle.keep")[0]
    assert (ask.default, ask.secret) == ("ART", False)
    assert course.state.army_at["GE6"] == course.state.army_at["UK1"] == "ART"  # stays Disputed


def test_c_04_bad_weather_on_a_limited_offensive():
    """TTLM-9.5-04 No battle at all; what moved stays."""
    course = under_weather("LIM", turn=5)
    assert course.told(WeatherTurned) == [WeatherTurned("PASS")]
    assert course.state.battles == []
    assert course.asked("battle.answer") == []
    assert after_battle(course.state).name == "turn_end"
    assert course.state.offensive == "LIM"  # no Pass


def test_c_05_bad_weather_on_an_inactive_special():
    """TTLM-9.5-08"""
    assert under_weather("BIG", "GE").told(WeatherTurned) == [WeatherTurned("LIM")]
    assert under_weather("BIG", "EN").told(WeatherTurned) == [WeatherTurned("OFF")]


def test_9_5__05_the_whole_player_turn_is_under_the_weather():
    assert under_weather("OFF").state.weather


def test_9_5__06_one_bad_weather_takes_effect():
    state = front(turn=13, offensive="BIG", phasing="EN", hands={"GE": "BAD BAD"})
    course = declared(state, {"battle.weather": [True]})
    assert len(course.asked("battle.weather")) == 1
    assert state.hands["GE"] == ["BAD.02"]


def test_9_5__07_cards_on_battles_not_fought_are_lost_those_on_the_kept_one_stay():
    state = front(turn=13, hands={"GE": "AAB SUR", "EN": "BAD"})
    course = declared(
        state,
        {
            "battle.cards": [CombatCards((("ART", "SUR"), ("REI", "AAB")))],
            "battle.weather": [True],
            "battle.keep": ["ART"],
        },
    )
    assert state.hands == {"GE": [], "EN": []}
    assert len(course.told(CardPlayed)) == 3
    assert rolls(play(state, battle(state, "ART"), dice="6 6 6 6 6 6"))[0] == ("attack.F1", 3)


def test_c_07_gas_of_both_and_bad_weather():
    """TTLM-9.3-03"""
    state = front(turn=5, hands={"GE": "GAS", "EN": "GAS BAD"})
    declared(
        state,
        {
            "battle.cards": [CombatCards((("ART", "GAS"),))],
            "battle.weather": [True],
            "battle.answer": [CombatCards((("ART", "GAS"),))],
        },
    )
    assert state.battles == ["ART"]
    assert state.laid == {"GE": [("ART", "GAS")], "EN": [("ART", "GAS")]}
    assert state.weather


# ------------------------------------------------------------------ 15.2.2


def test_15_2_2__01_an_offensive_card_marks_one_battle_area():
    state = front(hands={"EN": "LIM GAS"}, options={"counter_attack": True})
    course = declared(state, {"battle.answer": [CombatCards(counter=("REI", "LIM"))]})
    assert state.counter == "REI"
    assert course.told(CardPlayed)[0].use == "counter"
    assert state.discard == ["LIM.01"]


def test_15_2_2__01_what_is_refused():
    state = front(hands={"EN": "LIM GAS"}, options={"counter_attack": True}, turn=2)
    ask = asked(state, "battle.answer")
    assert refused(ask, CombatCards(counter=("REI", "GAS"))) == ("TTLM-15.2.2-01", "no-offensive-card")
    assert refused(ask, CombatCards(counter=("PAR", "LIM"))) == ("TTLM-15.2.2-01", "not-declared")
    assert refused(ask, CombatCards(counter=("REI", "OFF"))) == ("TTLM-15.2.2-01", "not-in-hand")
    off = asked(front(hands={"EN": "LIM"}, turn=4), "battle.answer")
    assert refused(off, CombatCards(counter=("REI", "LIM"))) == ("TTLM-15.2.2-01", "option-off")


@pytest.mark.parametrize("seed", range(10))
def test_2_ii_3__04_whatever_is_answered_is_in_order(seed):
    offensive, phasing = [("OFF", "GE"), ("FRI", "GE"), ("TLM", "EN"), ("LIM", "EN"), ("BIG", "EN")][seed % 5]
    state = front(
        turn=16,
        offensive=offensive,
        phasing=phasing,
        hands={"GE": "GAS SUR BAD OFF", "EN": "AAB GAS BAD LIM"},
        options={"counter_attack": True},
        entered=["REI"],
    )
    asks = at_random(state, declare_battles(state), seed)
    assert asks[0].topic == "battle.declare"
    assert state.weather or "REI" in state.battles
