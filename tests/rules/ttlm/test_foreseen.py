"""What a seat is told of the questions to come; chances of a battle; what it cannot tell apart."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.foreseen import USUAL, foreseen, topics, usual_line
from engine.games.to_the_last_man.hidden import hidden
from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.odds import BattleOdds, battle_odds, odds
from engine.games.to_the_last_man.report import Report
from engine.kernel.game import Forecast
from engine.kernel.requests import Seat
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, drawn

GE, EN = Seat("GE"), Seat("EN")


@pytest.mark.parametrize("topic", sorted(USUAL))
@pytest.mark.parametrize("language", ["en", "fr"])
def test_what_happens_without_a_word_is_told_in_the_order_language(topic, language):
    view = Report(drawn(turn=16))(GE)
    text = usual_line(view, topic).write(language)
    assert NOTATION.read(text, view).standing == (usual_line(view, topic),)


def test_standing_orders_are_told_with_the_questions_they_answer():
    view = Report(drawn(turn=8, hands={"EN": "BAD OFF"}))(EN)
    standing = NOTATION.read(
        "ALWAYS WEATHER IF BATTLES>=2\nALWAYS PRODUCE I FRONT, CARDS LIMIT", view
    ).standing
    told = foreseen(view, standing, "en")
    assert Forecast("battle.weather", "ALWAYS WEATHER IF BATTLES>=2", True) in told
    assert Forecast("production", "ALWAYS PRODUCE I FRONT, CARDS LIMIT", True) in told
    assert not any(one.topic == "battle.biplanes" for one in told)


def test_only_what_may_come_is_told():
    early = Report(drawn(turn=1))(GE)
    assert not {"battle.weather", "battle.answer", "battle.biplanes", "battle.forced", "eft.loss"} & {
        *topics(early)
    }
    assert "crisis.loss" in topics(early)  # 1914
    late = Report(drawn(turn=17, hands={"GE": "BAD"}, armies={"GE1": ("MET", "I B"), "GE2": ("EFT", "I")}))(
        GE
    )
    assert {"battle.weather", "battle.biplanes", "battle.forced", "eft.loss"} <= {*topics(late)}
    assert list(topics(Report(drawn(phase="over"))(GE))) == []


# ------------------------------------------------------------------ odds


def test_odds_count_the_own_dice_of_both_steps():
    view = Report(drawn(turn=8, armies={"GE1": ("ART", "2I A"), "UK1": ("ART", "3I")}))(GE)
    assert battle_odds(view, "ART") == BattleOdds("ART", 4, 6667, (5177, 1319, 162, 8))


def test_odds_of_siege_guns_and_tanks_depend_on_the_area():
    state = drawn(turn=16, armies={"GE1": ("VER", "I G"), "GE2": ("ARG", "I T")}, forts={"VER": 2})
    view = Report(state)(GE)
    assert not_none(battle_odds(view, "VER")).dice == 3
    assert not_none(battle_odds(view, "ARG")).dice == 1  # rough: the tank is silent
    state.forts.clear()
    assert not_none(battle_odds(Report(state)(GE), "VER")).dice == 1


def test_odds_are_asked_for_by_the_areas_name():
    view = Report(drawn(armies={"GE1": ("LIE", "I")}))(GE)
    assert odds(view, "BATTLE LIE") == odds(view, "Liège") == odds(view, "lie") != None  # noqa: E711
    assert odds(view, "NAM") is None and odds(view, "nowhere") is None


# ------------------------------------------------------------------ hidden


def groups(state, seat):
    return {frozenset(PACK.kind_of.get(one, "card") for one in group) for group in hidden(state, seat)}


def test_11_2__2_counters_in_armies_of_one_nation_cannot_be_told_apart():
    armies = {"GE1": ("ART", "2I 2S C"), "GE2": ("COL", "I G"), "UK1": ("CAL", "2I")}
    state = drawn(turn=16, armies=armies, loose={"COB": "GE I"}, hands={"GE": "OFF", "EN": "LIM"})
    found = hidden(state, EN)
    infantry = next(group for group in found if "GE.S.01" in group)
    assert sorted(infantry) == sorted(
        unit for army in ("GE1", "GE2") for unit in state.contents[army] if PACK.type_of[unit] in "IS"
    )
    assert {"GE.C", "GE.G"} in groups(state, EN)
    cards = next(group for group in found if "OFF.01" in group)
    assert set(cards) == {*state.deck, "OFF.01"}
    assert "LIM.01" not in cards


def test_11_2__2_open_templates_hide_nothing_but_cards():
    options = {"hidden_army_templates": False}
    state = drawn(armies={"GE1": ("ART", "2I C"), "GE2": ("COL", "I C")}, options=options)
    assert groups(state, EN) == {frozenset({"card"})}


def test_hidden_artillery_stays_within_the_limits():
    """TTLM-8.3.2-03 Two guns might come into one army that may hold but one."""
    state = drawn(turn=1, armies={"GE1": ("ART", "I A C"), "GE2": ("COL", "I A")})
    assert not any("GE.A" in group for group in groups(state, EN))
    late = drawn(turn=8, armies={"GE1": ("ART", "I A C"), "GE2": ("COL", "I A")})
    assert {"GE.A", "GE.C"} in groups(late, EN)


def test_hidden_units_in_the_box_keep_its_worth():
    """TTLM-3.1-04"""
    state = drawn(turn=14, armies={"GE1": ("EFT", "2I S"), "GE2": ("COL", "2I S")})
    boxed = set(state.contents["GE1"])
    for group in hidden(state, EN):
        assert boxed.isdisjoint(group) or {PACK.kind_of[unit] for unit in group} == {"GE.I"}
        assert boxed.isdisjoint(group) or boxed.issuperset(group)
