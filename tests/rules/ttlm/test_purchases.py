"""TTLM 7: what build points buy."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.answers import (
    DONE,
    Build,
    Buy,
    Entrench,
    Fortify,
    Rebuild,
    Shift,
    Upgrade,
)
from engine.games.to_the_last_man.facts.board import PiecesEntrenched, PiecesEntrenchedSeen, UnitsShifted
from engine.games.to_the_last_man.facts.force import (
    ArmyArrived,
    UnitReplaced,
    UnitsPlacedSeen,
)
from engine.games.to_the_last_man.facts.season import (
    PointsSpent,
)
from engine.games.to_the_last_man.rules.areas import every_status
from engine.games.to_the_last_man.rules.production import (
    spend,
)
from engine.games.to_the_last_man.rules.purchases import Purchases, usual_purchase
from tests.rules.ttlm.drawn import PACK, Drawing, drawn, play

FRONT = {"GE6": ("ART", "2I"), "UK1": ("ART", "2I"), "GE1": ("COL", "I"), "FR1": ("PAR", "I")}

BEHIND = {"LIE": "GE", "BRU": "GE", "HAI": "GE", "LIL": "GE"}  # what lies between Aachen and Artois


def at_work(turn=5, points=10, **position):
    """A position in the middle of production."""
    sides = {"GE": points, "EN": points}
    blank: Drawing = {"dug": {"GE": 0, "EN": 0}, "upgrades": {"GE": 0, "EN": 0}, "bought": {"GE": 0, "EN": 0}}
    return drawn(turn=turn, phase="production", points=sides, **blank, **position)


def why(state, side, act, stage=0):
    options = Purchases(state, side, stage)
    refusal = options.why_not(act)
    assert options.contains(act) is (refusal is None)
    return refusal and (refusal.rule, refusal.reason)


def buying(state, side, *acts):
    return play(state, spend(state, side, f"T{state.turn}.P"), {"production": [*acts, DONE]})


def one(kind, number=1):
    return ((kind, number),)


# ------------------------------------------------------------------ units


def test_7_2__1_new_units_appear_where_supply_reaches():
    state = at_work(armies=FRONT, owner=BEHIND)
    course = buying(state, "GE", Build("ART", one("GE.I", 2), "GE6"), Build("COB", one("GE.C")))
    assert why(state, "GE", Build("NAM", one("GE.I"))) == ("TTLM-6.4-01", "not-supplied")
    assert len(state.contents["GE6"]) == 4 and state.grouped(state.loose["COB"]) == one("GE.C")
    assert state.points["GE"] == 7
    assert UnitsPlacedSeen("GE", one("GE.I", 2), "", True) in course.seen("EN")
    assert why(state, "GE", Build("ART", one("GE.I", 2), "GE6")) == ("TTLM-1.4-01", "no-slot")
    assert why(state, "GE", Build("COB", one("GE.I", 3))) == ("TTLM-1.2.2-01", "no-room")


def test_7_2__1_supply_must_reach_the_front():
    """TTLM-6.4-01"""
    cut_off = at_work(armies=FRONT, owner=BEHIND | {"LIL": "EN"})
    assert why(cut_off, "GE", Build("ART", one("GE.I"), "GE6")) == ("TTLM-6.4-01", "not-supplied")


def test_c58_nothing_is_built_in_an_army_out_of_supply():
    """TTLM-6.4-01, TTLM-7.2-01"""
    owner = {"FLA": "GE", "BRU": "GE", "LIE": "GE"}
    state = at_work(armies={"BE1": ("ANT", "I")}, owner=owner)
    assert why(state, "EN", Build("ANT", one("BE.I"), "BE1")) == ("TTLM-6.4-01", "not-supplied")


def test_7_2__2_a_nation_is_not_bound_to_its_country_but_the_americans_are():
    state = at_work(turn=17)
    assert why(state, "EN", Build("PAR", one("BE.I"))) is None
    assert why(state, "EN", Build("FLA", one("FR.I"))) is None
    assert why(state, "EN", Build("FLA", one("US.I"))) == ("TTLM-2.I-04", "not-at-home")
    assert why(state, "EN", Build("PAR", one("US.I"))) is None


def test_7_2__3_armies_are_reorganised_within_an_area():
    state = at_work(armies={"GE1": ("COL", "3I"), "GE2": ("COL", "I E")})
    course = buying(state, "GE", Shift("COL", one("GE.I", 2), "GE1", "GE2"))
    assert len(state.contents["GE2"]) == 3 and len(course.told(UnitsShifted)) == 1
    assert course.told(PointsSpent) == [] and "GE2" in state.entrenched
    assert why(state, "GE", Shift("COL", one("GE.I"), "GE2", "COB"), 3)[0] == "TTLM-8.1-01"


def test_r12_an_army_emptied_in_production_stays():
    """TTLM-8.1-12"""
    state = at_work(armies={"UK1": ("ART", "I"), "UK2": ("ART", "2I"), "GE4": ("ART", "I")})
    buying(state, "EN", Shift("ART", one("UK.I", 2), "UK2", "UK1"))
    assert state.contents["UK2"] == [] and state.army_at["UK2"] == "ART"
    assert len(state.contents["UK1"]) == 3


def test_1_4__2_the_pool_is_a_hard_limit():
    state = at_work(loose={"ORL": "FR 3C"})
    assert why(state, "EN", Build("PAR", one("FR.C"))) == ("TTLM-1.4-02", "pool-empty")
    assert why(state, "EN", Build("PAR", one("FR.A", 3))) is None
    assert why(state, "EN", Build("PAR", one("FR.A", 4))) == ("TTLM-1.4-02", "pool-empty")


def test_4_7__2_nothing_is_built_in_the_transit_box():
    assert why(at_work(), "GE", Build("EFT", one("GE.I"))) == ("TTLM-4.7-02", "not-in-the-box")
    state = at_work(armies={"GE1": ("EFT", "I")})
    assert why(state, "GE", Entrench(armies=("GE1",))) == ("TTLM-4.7-02", "not-in-the-box")


# ------------------------------------------------------------------ armies


def test_7_3__1_an_eliminated_army_comes_back_empty_at_home():
    state = at_work(eliminated=["GE3", "UK2", "US1"], turn=18)
    course = buying(state, "GE", Rebuild("GE3", "COL"))
    assert course.told(ArmyArrived) == [ArmyArrived("GE", "GE3", "COL", True)]
    assert state.contents["GE3"] == [] and state.points["GE"] == 9 and "GE3" not in state.eliminated
    assert why(state, "EN", Rebuild("UK2", "CAL")) == ("TTLM-7.3-01", "not-at-home")
    assert why(state, "EN", Rebuild("UK2", "ENG")) is None
    assert why(state, "EN", Rebuild("US1", "PAR")) is None
    assert why(state, "GE", Rebuild("UK2", "ENG")) == ("TTLM-7.3-01", "not-own-army")


def test_7_3__1_any_of_the_twelve_german_areas():
    state = at_work(eliminated=["GE3"])
    homes = [area for area in PACK.areas if why(state, "GE", Rebuild("GE3", area)) is None]
    assert len(homes) == 12 and "LUX" not in homes and "EFT" not in homes


def test_r11_the_belgian_army_needs_a_friendly_belgian_area():
    """TTLM-7.3-01, TTLM-7.3-02"""
    belgium = dict.fromkeys(PACK.home_areas["BE"], "GE")
    lost = at_work(eliminated=["BE1"], owner=belgium)
    assert why(lost, "EN", Rebuild("BE1", "CAL")) == ("TTLM-7.3-01", "not-at-home")
    assert why(lost, "EN", Rebuild("BE1", "FLA")) == ("TTLM-7.3-02", "not-friendly")
    both = {"UK1": ("FLA", "I"), "GE4": ("FLA", "I")}
    disputed = at_work(eliminated=["BE1"], owner=belgium, armies=both)
    assert why(disputed, "EN", Rebuild("BE1", "FLA")) == ("TTLM-7.3-02", "not-friendly")
    held = at_work(eliminated=["BE1"], owner=belgium | {"FLA": "EN"})
    assert why(held, "EN", Rebuild("BE1", "FLA")) is None
    buying(held, "EN", Rebuild("BE1", "FLA"))
    assert held.army_at["BE1"] == "FLA" and held.points["EN"] == 9


def test_7_3__3_armies_that_have_not_arrived_cannot_be_bought():
    assert why(at_work(turn=5), "EN", Rebuild("US1", "PAR")) == ("TTLM-7.3-03", "not-eliminated")


def test_15_4_1__1_a_dissolved_army_may_be_rebuilt():
    state = at_work(dissolved=["FR9"])
    buying(state, "EN", Rebuild("FR9", "PAR"))
    assert state.dissolved == [] and state.army_at["FR9"] == "PAR"


# ------------------------------------------------------------------ trenches


def test_c59_four_pieces_a_point_and_one_point_in_the_first_turns():
    """TTLM-7.4-01, TTLM-7.4-02"""
    armies = {f"GE{n}": ("MET", "I") for n in (1, 2, 3)} | {"GE4": ("COL", "I"), "GE5": ("COB", "I")}
    armies |= {"FR9": ("PAR", "")}
    five, four = ("GE1", "GE2", "GE3", "GE4", "GE5"), ("GE1", "GE2", "GE3", "GE4")
    early = at_work(turn=1, armies=armies)
    assert why(early, "GE", Entrench(five)) == ("TTLM-7.4-01", "too-many-entrenched")
    buying(early, "GE", Entrench(four))
    assert early.points["GE"] == 9 and set(four) <= set(early.entrenched)
    assert why(early, "GE", Entrench(("GE5",))) == ("TTLM-7.4-01", "too-many-entrenched")
    loose = {"STR": "GE 3I"}
    winter = at_work(turn=3, armies=armies, loose=loose)
    buying(winter, "GE", Entrench(five, (("STR", one("GE.I", 3)),)))
    assert winter.points["GE"] == 8 and len(winter.entrenched) == 8
    late = at_work(turn=16, loose={"STQ": "GE S"}, armies=armies)
    assert why(late, "GE", Entrench(loose=(("STQ", one("GE.S")),))) == ("TTLM-7.4-02", "cannot-entrench")
    assert why(late, "EN", Entrench(("FR9",))) == ("TTLM-7.4-02", "empty-army")


def test_7_4__1_what_is_left_of_a_point_serves_the_next_order():
    armies = {f"GE{n}": ("MET", "I") for n in (1, 2, 3)} | {"GE4": ("COL", "I"), "GE5": ("COB", "I")}
    state = at_work(armies=armies)
    course = buying(state, "GE", Entrench(("GE1", "GE2", "GE3")), Entrench(("GE4",)), Entrench(("GE5",)))
    assert [fact.points for fact in course.told(PointsSpent)] == [1, 0, 1]


def test_7_4__2_armies_and_loose_infantry_once_each():
    state = at_work(armies={"GE1": ("COL", "I E"), "FR1": ("PAR", "I")}, loose={"COB": "GE I C"})
    assert why(state, "GE", Entrench(("GE1",))) == ("TTLM-7.4-02", "entrenched-already")
    assert why(state, "GE", Entrench(("FR1",))) == ("TTLM-7.4-02", "not-own-army")
    assert why(state, "GE", Entrench(loose=(("COB", one("GE.C")),))) == ("TTLM-7.4-02", "cannot-entrench")
    assert why(state, "GE", Entrench(loose=(("COB", one("GE.I", 2)),))) == ("TTLM-7.4-02", "cannot-entrench")
    assert why(state, "GE", Entrench()) == ("TTLM-7.4-01", "nothing-to-entrench")
    course = buying(state, "GE", Entrench(loose=(("COB", one("GE.I")),)))
    assert len(course.told(PiecesEntrenched)[0].units) == 1
    assert PiecesEntrenchedSeen("GE", (), (("COB", "GE.I"),)) in course.seen("EN")


def test_6_5__4_unsupplied_units_may_entrench_unless_agreed_otherwise():
    position = {"armies": {"GE1": ("NAM", "I")}, "owner": {"NAM": "GE"}}
    assert why(at_work(**position), "GE", Entrench(("GE1",))) is None
    strict = at_work(**position, options={"unsupplied_may_entrench": False})
    assert why(strict, "GE", Entrench(("GE1",))) == ("TTLM-6.5-04", "not-supplied")


def test_7_6__6_an_entrenched_army_is_fortified():
    armies = {"GE1": ("COL", "I E"), "GE2": ("COL", "I")}
    off = at_work(turn=8, armies=armies)
    assert why(off, "GE", Fortify("GE1")) == ("TTLM-7.6-06", "option-off")
    state = at_work(turn=8, armies=armies, options={"fortify": True})
    assert why(state, "GE", Fortify("GE2")) == ("TTLM-7.6-06", "not-entrenched")
    assert why(state, "EN", Fortify("GE1")) == ("TTLM-7.6-06", "not-own-army")
    buying(state, "GE", Fortify("GE1"))
    assert state.fortified == ["GE1"] and state.points["GE"] == 9
    assert why(state, "GE", Fortify("GE1")) == ("TTLM-7.6-06", "fortified-already")
    early = at_work(turn=7, armies=armies, options={"fortify": True})
    assert why(early, "GE", Fortify("GE1")) == ("TTLM-7.6-06", "not-yet")


# ------------------------------------------------------------------ Stosstruppen


def test_7_5__1_an_infantry_becomes_stosstruppen_in_place():
    """TTLM-8.2.2-05"""
    state = at_work(turn=13, armies={"GE1": ("COL", "2I")}, loose={"COB": "GE I E"})
    course = buying(state, "GE", Upgrade("COL", "GE1"))
    assert state.grouped(state.contents["GE1"]) == (("GE.I", 1), ("GE.S", 1)) and state.points["GE"] == 9
    assert len(course.told(UnitReplaced)) == 1
    assert why(state, "GE", Upgrade("COL", "GE1")) == ("TTLM-7.5-01", "one-upgrade-only")
    loose = at_work(turn=13, loose={"COB": "GE I E"})
    buying(loose, "GE", Upgrade("COB"))
    assert loose.entrenched == []  # TTLM-8.2.2-03


def test_c62_from_summer_1917_on():
    """TTLM-7.5-01, TTLM-8.2.2-04"""
    armies = {"GE1": ("COL", "3I"), "FR1": ("PAR", "I")}
    spring = at_work(turn=12, armies=armies)
    assert why(spring, "GE", Upgrade("COL", "GE1")) == ("TTLM-7.5-01", "not-yet")
    assert why(spring, "GE", Build("COL", one("GE.S"))) == ("TTLM-7.6-04", "not-yet")
    summer = at_work(turn=13, armies=armies)
    assert why(summer, "GE", Upgrade("COL", "GE1")) is None
    assert why(summer, "EN", Upgrade("PAR", "FR1")) == ("TTLM-8.2.2-01", "germans-only")
    buying(
        summer, "GE", Upgrade("COL", "GE1"), Build("COL", one("GE.S", 2), "GE1"), Build("COB", one("GE.S", 2))
    )
    assert summer.points["GE"] == 10 - 1 - 4 - 4
    assert why(at_work(turn=13), "GE", Upgrade("COL")) == ("TTLM-7.5-01", "no-infantry-there")


def test_7_5__1_none_without_a_counter_in_the_pool():
    state = at_work(turn=13, armies={"GE1": ("COL", "I")})
    state.pool["GE"] = [unit for unit in state.pool["GE"] if PACK.type_of[unit] != "S"]
    assert why(state, "GE", Upgrade("COL", "GE1")) == ("TTLM-1.4-02", "pool-empty")


# ------------------------------------------------------------------ prices and dates


@pytest.mark.parametrize(
    ("side", "kind", "cost"),
    [
        ("GE", "GE.I", 1),
        ("GE", "GE.C", 1),
        ("EN", "FR.A", 1),
        ("EN", "UK.B", 1),
        ("GE", "GE.G", 1),
        ("GE", "GE.P", 1),
    ],
)
def test_7_6__1_for_one_point(side, kind, cost):
    state = at_work(turn=17)
    area = "COL" if side == "GE" else "PAR"
    buying(state, side, Build(area, one(kind)))
    assert state.points[side] == 10 - cost


@pytest.mark.parametrize(("side", "kind"), [("EN", "FR.T"), ("GE", "GE.S"), ("EN", "UK.CW")])
def test_7_6__2_for_two_points(side, kind):
    """TTLM-8.2.3-02"""
    state = at_work(turn=17)
    buying(state, side, Build("COL" if side == "GE" else "PAR", one(kind)))
    assert state.points[side] == 8
    poor = at_work(turn=17, points=1)
    assert why(poor, side, Build("COL" if side == "GE" else "PAR", one(kind)))[1] == "not-enough-points"


def test_7_6__3_all_nations_of_the_entente_share_their_points():
    state = at_work(turn=5)
    buying(state, "EN", Build("PAR", one("FR.I")), Build("CAL", one("UK.I", 2)), Build("FLA", one("BE.I")))
    assert state.points["EN"] == 6
    assert why(state, "EN", Build("COL", one("GE.I"))) == ("TTLM-7.6-01", "no-such-unit")


@pytest.mark.parametrize(
    ("side", "kind", "first"),
    [
        ("GE", "GE.B", 8),
        ("EN", "FR.B", 8),
        ("EN", "UK.T", 13),
        ("GE", "GE.T", 16),
        ("EN", "US.T", 17),
        ("GE", "GE.P", 16),
        ("EN", "US.I", 16),
    ],
)
def test_7_6__4_from_a_turn_on(side, kind, first):
    """TTLM-8.3.5-03, TTLM-8.3.6-01, TTLM-8.3.4-01"""
    act = Build("COL" if side == "GE" else "PAR", one(kind))
    assert why(at_work(turn=first - 1), side, act) == ("TTLM-7.6-04", "not-yet")
    assert why(at_work(turn=first), side, act) is None


def test_7_6__4_biplanes_only_of_years_that_have_come():
    act = Build("COL", one("GE.B", 2))
    assert why(at_work(turn=11), "GE", act) == ("TTLM-1.4-02", "pool-empty")
    assert why(at_work(turn=12), "GE", act) is None


def test_7_6__5_purchases_come_in_their_order():
    armies = {"GE1": ("COL", "2I")}
    state = at_work(turn=13, armies=armies, eliminated=["GE3"])
    order = [
        Upgrade("COL", "GE1"),
        Rebuild("GE3", "COL"),
        Build("COL", one("GE.I"), "GE1"),
        Shift("COL", one("GE.I"), "GE1", "GE3"),
        Entrench(("GE1",)),
        Buy(1),
    ]
    for stage in range(6):
        for act in order[:stage]:
            assert why(state, "GE", act, stage) == ("TTLM-7.6-05", "too-late-in-the-order")
    course = buying(state, "GE", *order)
    assert [ask.given.stage for ask in course.asked("production")] == [0, 0, 1, 2, 3, 4, 5]


def test_8_3_6__5_an_eliminated_paris_gun_may_be_bought_again():
    state = at_work(turn=17)
    assert "GE.P.01" in state.pool["GE"] and why(state, "GE", Build("COL", one("GE.P"))) is None


# ------------------------------------------------------------------ without a word


def test_d51_cards_up_to_the_limit_then_infantry_for_the_front():
    state = at_work(armies=FRONT, hands={"GE": "OFF " * 4}, owner=BEHIND)
    course = play(state, spend(state, "GE", "T5.P"))
    assert [fact.what for fact in course.told(PointsSpent)] == ["unit", "cards"]
    assert state.bought["GE"] == 6 and len(state.contents["GE6"]) == 5
    assert state.points["GE"] == 10 - 6 - 3  # the army is full; loose infantry is not bought


def test_d51_a_side_that_has_said_something_has_said_all():
    state = at_work(armies=FRONT)
    course = play(state, spend(state, "GE", "T5.P"), {"production": [Buy(2)]})
    assert state.bought["GE"] == 2 and len(course.asked("production")) == 2


def test_d51_the_weakest_army_first():
    armies = {"GE6": ("ART", "3I"), "GE4": ("FLA", "I"), "UK1": ("ART", "I"), "UK2": ("FLA", "I")}
    state = at_work(armies=armies, hands={"GE": "OFF " * 10}, owner=BEHIND)
    assert usual_purchase(state, "GE", 0, every_status(state, "GE")) == Build("FLA", one("GE.I", 4), "GE4")


# ------------------------------------------------------------------ the question itself


@pytest.mark.parametrize("side", ["GE", "EN"])
@pytest.mark.parametrize("stage", range(6))
def test_what_is_drawn_at_random_or_described_is_offered(side, stage):
    state = at_work(
        turn=16,
        armies={"GE1": ("COL", "2I"), "GE2": ("COL", "I A"), "FR1": ("PAR", "2I"), "UK1": ("CAL", "I CW")},
        loose={"MET": "GE 2I", "TRO": "FR I"},
        eliminated=["GE3", "FR2"],
        options={"fortify": True},
    )
    state.entrenched = ["FR1", "GE1"]
    options, rng = Purchases(state, side, stage), random.Random(stage)
    acts = [options.sample(rng) for _ in range(200)]
    assert all(options.contains(act) for act in (*acts, *options.describe()))
    wanted = ["Rebuild", "Build", "Shift", "Entrench", "Buy"]
    assert {type(act).__name__ for act in acts} >= set(wanted[max(0, stage - 1) :]) and options.only() is None


def test_nonsense_is_refused():
    state = at_work(armies={"GE1": ("COL", "I")})
    assert why(state, "GE", "BUY 6")[1] == "not-an-act"
    assert why(state, "GE", Build("COL", ()))[1] == "one-kind-at-a-time"
    assert why(state, "GE", Build("COL", (("GE.I", 1), ("GE.C", 1))))[1] == "one-kind-at-a-time"
    assert why(state, "GE", Build("COL", one("GE.I"), "NOBODY"))[1] == "army-not-there"
    assert why(state, "GE", Entrench(("GE1", "GE1")))[1] == "named-twice"
    assert why(state, "GE", Entrench(("GE",)))[1] == "not-own-army"
    assert why(state, "GE", Fortify("GE1"))[1] == "option-off"
    assert why(state, "GE", Build("COL", one("GE.I", -1)))[1] == "one-kind-at-a-time"
