"""TTLM 2.V, 2.VI, 7.1: production, excess cards, the transit box, the end of a season."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import (
    DONE,
    Build,
    Buy,
    ExcessGiven,
    Loss,
    ProductionGiven,
    Rebuild,
)
from engine.games.to_the_last_man.facts.cards import CardsBought, CardsDiscarded, CardsDrawn
from engine.games.to_the_last_man.facts.force import (
    ArmyEliminated,
    UnitsLost,
)
from engine.games.to_the_last_man.facts.season import (
    PointsSpent,
    ProductionBegan,
    SupplyChecked,
    VictoryCounted,
    WarEnded,
)
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.rules.production import (
    discard_excess,
    end_season,
    lose_in_the_box,
    production_phase,
)
from engine.games.to_the_last_man.rules.victory import box_value, victory_points
from engine.kernel.requests import Answer, Ask, Seat
from tests.narrowing import not_none
from tests.rules.ttlm.desk import line
from tests.rules.ttlm.drawn import PACK, drawn, play
from tests.rules.ttlm.test_purchases import at_work, one, why

FRONT = {"GE6": ("ART", "2I"), "UK1": ("ART", "2I"), "GE1": ("COL", "I"), "FR1": ("PAR", "I")}


# ------------------------------------------------------------------ the phase


def test_2_v__1_supply_points_excess_box():
    state = drawn(turn=5, armies={**FRONT, "GE2": ("EFT", "I")}, hands={"GE": "OFF " * 9})
    course = play(state, production_phase(state, 5), {"GE production": [Buy(5), DONE]}, dice="4")
    order = [
        type(fact).__name__
        for fact in course.facts
        if isinstance(fact, (SupplyChecked, ProductionBegan, PointsSpent, CardsDrawn, CardsDiscarded))
        and getattr(fact, "side", "GE") == "GE"
    ]
    assert order == ["SupplyChecked", "ProductionBegan", "PointsSpent", "CardsDrawn", "CardsDiscarded"]
    assert [roll.why for roll in course.rolls] == ["EFT.losses"]
    assert course.result.key == "T6.R"


def test_2_v_1__1_attrition_comes_before_anything_is_bought():
    state = drawn(turn=5, loose={"NAM": "GE I"}, armies={"GE1": ("COL", "I")}, owner={"NAM": "GE"})
    course = play(state, production_phase(state, 5), {"production": DONE})
    kinds = [type(fact) for fact in course.facts]
    assert kinds.index(UnitsLost) < kinds.index(ProductionBegan)


def test_2_v_2__1_up_to_the_points_of_the_turn_and_the_rest_is_lost():
    state = drawn(turn=5, armies=FRONT)
    course = play(state, production_phase(state, 5), {"production": [Buy(2), DONE]})
    assert course.told(ProductionBegan) == [ProductionBegan((("GE", 12), ("EN", 12)))]
    assert course.asked("production")[0].given == ProductionGiven("GE", 12, 0)
    low = at_work(points=1, armies=FRONT)
    assert why(low, "GE", Buy(2)) == ("TTLM-2.V.2-01", "not-enough-points")
    course = play(state, production_phase(state, 6), {"production": DONE})
    assert course.told(ProductionBegan) == [ProductionBegan((("GE", 12), ("EN", 12)))]  # nothing was kept


def test_2_v_2__2_both_spend_at_once_sealed():
    state = drawn(turn=5, armies=FRONT)
    course = play(state, production_phase(state, 5), {"production": [Buy(1), Buy(1), DONE, DONE]})
    assert [ask.seat for ask in course.asked("production")] == ["GE", "EN", "GE", "EN"]
    assert all(ask.secret for ask in course.asked("production"))


def test_2_v_2__2_no_line_hangs_on_what_the_other_side_buys():
    """Germany rebuilds an army first, which is worth points of victory; the sheets were sealed before."""
    state = drawn(turn=5, armies=FRONT, eliminated=["GE4"])
    before, after = Report(state)(Seat("EN")).victory.total, list[int]()

    def on_condition(ask: Ask) -> Answer:
        view = Report(state)(Seat("EN"))
        after.append(view.victory.total)
        said = line(f"BUY 2 CARDS IF VP={before} ELSE BUY 1 CARDS", view).attempt(ask, view)
        return not_none(said).value

    acts = {
        "GE production": [Rebuild("GE4", "COL"), DONE],
        "EN production": [Build("PAR", one("FR.I"), "FR1"), on_condition, DONE],
    }
    play(state, production_phase(state, 5), acts)
    assert after[0] != before and state.bought["EN"] == 2


# ------------------------------------------------------------------ cards


def test_7_1__1_bought_cards_are_looked_at_when_all_is_spent():
    state = drawn(turn=5, armies=FRONT, deck="OFF LIM ER2 GAS")
    acts = {"GE production": [Build("COL", one("GE.I"), "GE1"), Buy(2), DONE], "EN production": [DONE]}
    course = play(state, production_phase(state, 5), acts)
    kinds = [type(fact) for fact in course.facts]
    assert kinds.index(CardsDrawn) > max(n for n, kind in enumerate(kinds) if kind is PointsSpent)
    assert [len(draw.cards) for draw in course.told(CardsDrawn)] == [2]
    assert why(at_work(), "GE", Buy(0)) == ("TTLM-7.1-01", "how-many")


def test_7_1__2_more_than_the_limit_may_be_bought_and_is_discarded():
    state = drawn(turn=5, armies=FRONT, hands={"GE": "OFF " * 8})
    course = play(state, production_phase(state, 5), {"GE production": [Buy(5), DONE]})
    assert course.asked("excess")[0].given == ExcessGiven("GE", 3)
    assert len(state.hands["GE"]) == 10


def test_2_v_3__1_the_holder_chooses_what_goes():
    state = drawn(turn=5, hands={"GE": "OFF LIM GAS BAD SUR ER2 ER2 ER3 OFF OFF LIM", "EN": "OFF"})
    course = play(state, discard_excess(state, "T5.P"), {"excess": [("BAD",)]})
    assert [PACK.cards[card] for card in course.told(CardsDiscarded)[0].cards] == ["BAD"]
    assert [ask.seat for ask in course.asked("excess")] == ["GE"]
    options = course.asked("excess")[0].options
    assert not_none(options.why_not(())).reason == "too-few-cards"
    assert not_none(options.why_not(("BAD", "LIM"))).reason == "too-many-cards"
    assert course.asked("excess")[0].default == ("LIM",)


def test_2_v_3__1_the_ruling_can_be_switched_to_the_next_turns_limit():
    hands = {"GE": "OFF " * 11}
    now = drawn(turn=7, hands=hands)
    assert len(play(now, discard_excess(now, "T7.P")).told(CardsDiscarded)) == 1
    ahead = drawn(turn=7, hands=hands, options={"hand_limit": "next"})
    assert play(ahead, discard_excess(ahead, "T7.P")).told(CardsDiscarded) == []


def test_2_v_3__1_where_the_size_of_hands_is_hidden_both_are_asked():
    state = drawn(turn=5, hands={"GE": "OFF", "EN": "OFF"}, options={"hidden_hand_size": True})
    course = play(state, discard_excess(state, "T5.P"))
    assert [ask.given.number for ask in course.asked("excess")] == [0, 0]
    assert course.told(CardsDiscarded) == []


def test_11_2__1_where_the_size_of_hands_is_hidden_so_is_what_is_bought():
    state = drawn(turn=5, armies=FRONT, options={"hidden_hand_size": True}, hands={"EN": "OFF"})
    course = play(state, production_phase(state, 5), {"GE production": [Buy(2), DONE]})
    assert len(state.hands["GE"]) == 2
    seen = [fact for fact in course.seen("EN") if isinstance(fact, (CardsBought, CardsDrawn, PointsSpent))]
    assert {fact.side for fact in seen} == {"EN"}


# ------------------------------------------------------------------ the transit box


BOX = {"GE7": ("EFT", "3I"), "GE1": ("MET", "3I")}


def test_c64_the_box_costs_units_and_gives_points():
    """TTLM-2.V.4-01, TTLM-2.V.4-02, TTLM-3.1-04"""
    state = drawn(turn=10, armies=BOX, loose={"EFT": "GE 2C 5I"})
    assert box_value(state) == 11 and victory_points(state)["eft"] == 2
    course = play(state, lose_in_the_box(state, "T10.P"), dice="1 4 1")
    assert [(roll.dice, roll.seat) for roll in course.rolls] == [(3, "GE")]
    assert sum(len(fact.units) for fact in course.told(UnitsLost)) == 2
    late = drawn(turn=16, armies=BOX, loose={"EFT": "GE 2C 5I"})
    assert victory_points(late)["eft"] == 0
    assert len(play(late, lose_in_the_box(late, "T16.P"), dice="2 2 2").rolls) == 1


@pytest.mark.parametrize(("units", "dice"), [("GE I", 1), ("GE 5I", 1), ("GE 6I", 2), ("GE 2I 2S", 2)])
def test_2_v_4__1_a_die_for_every_five_points_begun(units, dice):
    state = drawn(turn=14, loose={"EFT": units})
    course = play(state, lose_in_the_box(state, "T14.P"), dice=" ".join("6" * dice))
    assert course.rolls[0].dice == dice and course.told(UnitsLost) == []


def test_2_v_4__1_the_german_chooses_what_goes():
    state = drawn(turn=10, armies=BOX, loose={"EFT": "GE C"})
    course = play(state, lose_in_the_box(state, "T10.P"), {"eft.loss": [Loss("EFT", "GE.C")]}, dice="1")
    assert state.loose["EFT"] == [] and "GE.C.01" in state.pool["GE"]
    (ask,) = course.asked("eft.loss")
    assert set(ask.options.describe()) == {Loss("EFT", "GE.C"), Loss("GE7", "GE.I")}
    assert ask.default == Loss("GE7", "GE.I") and ask.at == "T10.P/EFT"


def test_2_v_4__2_an_empty_box_rolls_nothing_and_an_army_counter_counts_one():
    assert play(drawn(), lose_in_the_box(drawn(), "T1.P")).rolls == []
    state = drawn(turn=10, armies={"GE7": ("EFT", "")})
    assert box_value(state) == 1
    assert len(play(state, lose_in_the_box(state, "T10.P"), dice="3").rolls) == 1


def test_2_v_4__3_an_emptied_army_stays_and_an_empty_one_may_be_the_loss():
    state = drawn(turn=10, armies={"GE7": ("EFT", "I")})
    course = play(state, lose_in_the_box(state, "T10.P"), dice="1")
    assert state.contents["GE7"] == [] and course.told(ArmyEliminated) == []
    course = play(state, lose_in_the_box(state, "T10.P"), dice="1")
    assert [fact.army for fact in course.told(ArmyEliminated)] == ["GE7"]
    full = drawn(turn=10, armies={"GE7": ("EFT", "2I")})
    asked = play(full, lose_in_the_box(full, "T10.P"), dice="1").asked("eft.loss")
    assert Loss("GE7") not in asked[0].options.describe()


def test_2_v_4__4_the_box_counts_since_the_other_game_is_not_linked():
    state = drawn(turn=5, armies={**FRONT, "GE7": ("EFT", "5I")})
    course = play(state, production_phase(state, 5), {"production": DONE}, dice="6 6")
    assert course.told(VictoryCounted)[0].parts[3] == ("eft", 1)


# ------------------------------------------------------------------ the end of the season


def test_2_vi__1_the_next_season_follows():
    state = drawn(turn=5)
    assert play(state, end_season(state)).result.key == "T6.R"


def test_2_vi__2_after_the_last_turn_the_level_stands():
    state = drawn(turn=23)
    course = play(state, end_season(state))
    assert course.result is None
    (ended,) = course.told(WarEnded)
    assert (ended.reason, ended.total, ended.level) == ("time", 7, "EN_MAJOR")
    result = not_none(state.result)
    assert result.winners == ("EN",) and result.scores == {"VP": 7, "level": -2}


def test_11_3__1_a_short_game_ends_earlier():
    state = drawn(turn=7, last_turn=7)
    assert play(state, end_season(state)).told(WarEnded)[0].reason == "time"
