"""TTLM 5.3, 9.2, 8.3.3, 8.3.6: who pays for hits, Ersatz, annihilation, and what happens unsaid."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import FORT, Ersatz, Loss
from engine.games.to_the_last_man.facts.battle import HitsVanished
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost
from engine.games.to_the_last_man.rules.embattled import battle_in
from engine.games.to_the_last_man.rules.losses import Hits, all_targets, pay
from tests.rules.ttlm.drawn import play
from tests.rules.ttlm.fights import field, fight, left, loose, loss, refused, rolls


def suffer(state, area, side, number, answers=None, siege=0, step="attack"):
    """That side pays for so many hits of a step."""
    battle = battle_in(state, area)
    hits = Hits(battle, side, step, number, siege)
    return play(state, pay(state, hits, lambda: all_targets(state, battle, side)), answers)


def strengths(state, area, side):
    """The strength of each piece that can be hit."""
    found: dict[str, list[int]] = {}
    for piece in all_targets(state, battle_in(state, area), side):
        found.setdefault(piece.place or "loose", []).append(piece.strength)
    return found


# ------------------------------------------------------------------ pieces


def test_r_05_army_strength():
    """TTLM-5.3.1-02, TTLM-8.1-01 Armies by what they hold, forts by their number, loose units 1."""
    armies = {"FR3": "3I 2C", "FR4": "3I C 2A", "FR9": ""}
    state = field("VER", armies, loose={"VER": "FR I"}, forts={"VER": 4}, turn=8)
    assert strengths(state, "VER", "EN") == {"FORT": [4], "loose": [1], "FR3": [5], "FR4": [6]}


def test_r_06_most_numerous_type():
    """TTLM-5.3.1-04"""
    state = field("ART", {"FR3": "3I 2A C", "GE6": "I"}, turn=8)
    course = suffer(state, "ART", "EN", 1)
    (ask,) = course.asks
    assert refused(ask, loss("FR3 A")) == ("TTLM-5.3.1-04", "not-most-numerous")
    assert refused(ask, loss("FR3 C")) == ("TTLM-5.3.1-04", "not-most-numerous")
    assert refused(ask, loss("FR3 T")) == ("TTLM-5.3.1-04", "no-such-unit")
    assert left(course)["FR3"] == "2I C 2A"


def test_r_07_antwerp_fort_steps():
    """TTLM-5.3.1-07"""
    state = field("ANT", {"GE3": "I"}, forts={"ANT": 3})
    for strength in (2, 1, -1):
        course = suffer(state, "ANT", "EN", 1)
        assert course.told(FortReduced) == [FortReduced("EN", "ANT", strength, "combat")]
        assert (state.owner["ANT"] == "GE") == (strength < 2)
    assert state.forts == {}


def test_r_08_verdun_three_hits():
    """TTLM-5.3.1-01 to TTLM-5.3.1-04"""
    state = field("VER", {"FR3": "3I 2A E", "GE5": "I"}, loose={"VER": "FR C"}, forts={"VER": 4}, turn=8)
    chosen = [loss("FR3 I"), loss("FORT"), loss("FR3 A")]
    course = suffer(state, "VER", "EN", 3, {"battle.loss": list(chosen)})
    assert [ask.given.hits for ask in course.asks] == [3, 2, 1]
    assert left(course)["FR3"] == "2I A"
    assert state.forts["VER"] == 3
    assert loose(course, "VER") == "FR C"
    assert "FR3" in state.entrenched


def test_r_08_what_is_refused():
    """TTLM-5.3.1-02, TTLM-5.3.1-03, TTLM-5.3.1-04"""
    refusals = []

    def first(ask):
        refusals.append([refused(ask, one) for one in (Loss(FORT), loss("FR3 A"), loss("FR C"))])
        return loss("FR3 I")

    def third(ask):
        refusals.append([refused(ask, one) for one in (Loss(FORT), loss("FR C"), loss("UK C"))])
        return loss("FR3 I")

    state = field("VER", {"FR3": "3I 2A E", "GE5": "I"}, loose={"VER": "FR C"}, forts={"VER": 4}, turn=8)
    suffer(state, "VER", "EN", 3, {"battle.loss": [first, Loss(FORT), third]})
    weak = ("TTLM-5.3.1-02", "not-strongest")
    assert refusals == [[weak, ("TTLM-5.3.1-04", "not-most-numerous"), weak], [weak, weak, weak]]


def test_5_3_1__02_who_is_not_there_pays_nothing():
    state = field("ART", {"UK1": "I", "UK2": "CAL: 3I", "GE6": "I"})
    (ask,) = suffer(state, "ART", "EN", 1).asks
    assert refused(ask, loss("UK2 I")) == ("TTLM-5.3.1-02", "not-in-battle")
    assert refused(ask, Loss(FORT)) == ("TTLM-5.3.1-02", "not-in-battle")


def test_5_3_1__03_strength_is_counted_anew_after_each_loss():
    state = field("ART", {"UK1": "3I", "UK2": "2I", "GE6": "I"})
    course = suffer(state, "ART", "EN", 3, {"battle.loss": [loss("UK1 I"), loss("UK2 I"), loss("UK1 I")]})
    assert left(course) == {"GE6": "I", "UK1": "I", "UK2": "I"}


def test_c_32_infantry_type_prevalence():
    """TTLM-5.3.1-05 Infantry and Stosstruppen are one type; the owner picks."""
    state = field("STQ", {"GE18": "2I 2S 3A", "FR3": "I"}, turn=16, phasing="EN")
    (ask,) = suffer(state, "STQ", "GE", 1).asks
    assert ask.options.describe() == [loss("GE18 I"), loss("GE18 S")]
    assert ask.default == loss("GE18 I")
    assert refused(ask, loss("GE18 A")) == ("TTLM-5.3.1-04", "not-most-numerous")


def test_5_3_1__05_the_paris_gun_is_never_lost_but_counts():
    """TTLM-8.3.6-03"""
    state = field("COM", {"GE18": "I P", "GE2": "2I", "FR3": "I"}, turn=16, phasing="EN")
    assert strengths(state, "COM", "GE") == {"GE18": [2], "GE2": [2]}
    course = suffer(state, "COM", "GE", 4)
    assert left(course) == {"FR3": "I", "GE18": "P"}
    assert course.told(HitsVanished) == [HitsVanished("GE", "COM", 1)]


def test_5_3_1__06_an_armys_last_unit_takes_the_army_with_it():
    course = suffer(field("ART", {"UK1": "I", "GE6": "I"}), "ART", "EN", 1)
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "UK1", "ART", "combat")]
    assert course.state.eliminated == ["UK1"]


def test_5_3_1__07_sedan_0_goes_last_and_with_one_hit():
    """TTLM-8.4-06"""
    state = field("SED", {"GE3": "I"}, loose={"SED": "FR C"}, forts={"SED": 0})
    (ask, second) = suffer(state, "SED", "EN", 2).asks
    assert refused(ask, Loss(FORT)) == ("TTLM-5.3.1-02", "not-strongest")
    assert second.options.describe() == [Loss(FORT)]
    assert state.forts == {}


def test_r_13_nancy_fort():
    """TTLM-8.4-03, TTLM-5.3.1-07 Its strength is always the current number."""
    state = field("NAN", {"FR2": "3I C", "GE6": "I"}, forts={"NAN": 5})
    suffer(state, "NAN", "EN", 1, {"battle.loss": [Loss(FORT)]})
    assert state.forts["NAN"] == 4
    (ask,) = suffer(state, "NAN", "EN", 1, {"battle.loss": [Loss(FORT)]}).asks
    assert ask.options.describe() == [Loss(FORT), loss("FR2 I")]
    (ask,) = suffer(state, "NAN", "EN", 1).asks
    assert refused(ask, Loss(FORT)) == ("TTLM-5.3.1-02", "not-strongest")


def test_5_3_1__08_lost_units_go_to_the_pool_forts_do_not():
    state = field("LIE", {"GE2": "I"}, loose={"LIE": "BE I"}, forts={"LIE": 1})
    pool = list(state.pool["BE"])
    suffer(state, "LIE", "EN", 2)
    assert state.pool["BE"] == sorted([*pool, "BE.I.01"])
    assert state.forts == {}


def test_5_3_1__09_retreated_units_take_no_losses():
    """TTLM-5.4.4-01"""
    state = field(
        "ARG", {"FR4": "I", "FR5": "3I", "GE5": "I"}, retreated=["FR.I.02", "FR.I.03", "FR.I.04", "FR5"]
    )
    course = suffer(state, "ARG", "EN", 2)
    assert left(course) == {"FR5": "3I", "GE5": "I"}
    assert course.told(HitsVanished) == [HitsVanished("EN", "ARG", 1)]


def test_5_3_1__09_nor_does_a_unit_that_retreated_into_an_army():
    state = field("ARG", {"FR4": "2I", "GE5": "I"}, retreated=["FR.I.01"])
    course = suffer(state, "ARG", "EN", 2)
    assert [fact.units for fact in course.told(UnitsLost)] == [("FR.I.02",)]
    assert course.told(ArmyEliminated) == []


# ------------------------------------------------------------------ Ersatz


def test_r_09_excess_ersatz_is_lost():
    """TTLM-5.3.2-02 Three points for two hits in b; the hit in d must be paid anew."""
    course = fight(
        "ART",
        {"GE6": "I 2A", "UK1": "2I"},
        dice="1 1 · 6 6 · 1 6 6",
        answers={"battle.ersatz": [Ersatz(("ER3",)), Ersatz()]},
        hands={"EN": "ER3 OFF"},
        turn=5,
    )
    assert [ask.given.step for ask in course.asked("battle.ersatz")] == ["artillery", "attack"]
    assert left(course) == {"GE6": "I 2A", "UK1": "I"}


def test_r_10_annihilation():
    """TTLM-5.3.4-01, TTLM-5.3.4-02"""
    army = {"GE1": "5I 2A"}
    saved = suffer(
        field("HAI", army, loose={"HAI": "FR I"}, hands={"EN": "OFF LIM SRV"}, turn=4),
        "HAI",
        "EN",
        3,
        {"battle.ersatz": [Ersatz(("LIM", "OFF", "SRV"))]},
    )
    assert loose(saved, "HAI") == "FR I"
    assert saved.state.hands["EN"] == []
    lost = suffer(
        field("HAI", army, loose={"HAI": "FR I"}, hands={"EN": "OFF LIM SRV"}, turn=4), "HAI", "EN", 3
    )
    assert loose(lost, "HAI") == ""
    assert lost.told(HitsVanished) == [HitsVanished("EN", "HAI", 2)]
    assert len(lost.state.hands["EN"]) == 3


def test_r_15_ersatz_2_for_one_hit():
    """TTLM-9.2-01 The second point is lost."""
    state = field("ART", {"UK1": "I", "GE6": "I"}, hands={"EN": "ER2"})
    course = suffer(state, "ART", "EN", 1, {"battle.ersatz": [Ersatz(("ER2",))]})
    assert left(course)["UK1"] == "I"
    assert course.told(CardPlayed)[0].use == "ersatz"
    assert state.discard == ["ER2.01"]


def test_9_2__01_every_card_pays_its_points():
    state = field("ART", {"UK1": "4I", "GE6": "I"}, hands={"EN": "ER3 ER2 BAD"})
    course = suffer(state, "ART", "EN", 8, {"battle.ersatz": [Ersatz(("BAD", "ER2", "ER3"))]})
    assert left(course)["UK1"] == "2I"


def test_9_2__02_cards_barred_from_their_event_are_ersatz_1():
    state = field("ART", {"UK1": "2I", "GE6": "I"}, hands={"EN": "GAS EMC"}, turn=1)
    course = suffer(state, "ART", "EN", 3, {"battle.ersatz": [Ersatz(("EMC", "GAS"))]})
    assert left(course)["UK1"] == "I"


def test_5_3_2__01_only_cards_in_hand():
    state = field("ART", {"UK1": "2I", "GE6": "I"}, hands={"EN": "OFF OFF ER2"})
    (ask, _) = suffer(state, "ART", "EN", 1).asks
    assert refused(ask, Ersatz(("LIM",))) == ("TTLM-5.3.2-01", "not-in-hand")
    assert refused(ask, Ersatz(("OFF",))) is None


def test_5_3_2__02_no_card_is_spent_to_no_purpose():
    state = field("ART", {"UK1": "3I", "GE6": "I"}, hands={"EN": "OFF OFF ER2"})
    ask, *_ = suffer(state, "ART", "EN", 2).asks
    assert refused(ask, Ersatz(("ER2", "OFF"))) == ("TTLM-5.3.2-02", "more-than-the-hits")
    assert refused(ask, Ersatz(("OFF", "OFF"))) is None
    assert refused(ask, Ersatz(("ER2",))) is None


def test_5_3_2__03_several_cards_after_the_dice():
    """TTLM-5.3.3-01 Cards and units pay for the hits of one step together."""
    course = fight(
        "ART",
        {"GE6": "3I", "UK1": "3I"},
        dice="6 6 6 · 1 1 1",
        answers={"battle.ersatz": [Ersatz(("LIM", "OFF"))]},
        hands={"EN": "OFF LIM"},
    )
    order = [type(fact).__name__ for fact in course.facts]
    assert order.index("ShotsFired") < order.index("CardPlayed") < order.index("UnitsLost")
    assert left(course)["UK1"] == "2I"


@pytest.mark.parametrize(
    ("dice", "armies", "step"),
    [
        ("1 · 6 · 6 · 6", {"GE6": "I B", "UK1": "I B"}, "dogfight"),
        ("1 · 6 · 6 6", {"GE6": "I A", "UK1": "I"}, "artillery"),
        ("6 · 1", {"GE6": "I", "UK1": "I"}, "attack"),
    ],
)
def test_5_3_2__04_ersatz_pays_hits_of_every_step(dice, armies, step):
    def pay_it(ask):
        return Ersatz(("OFF",)) if ask.given.step == step else Ersatz()

    course = fight("ART", armies, dice, {"battle.ersatz": pay_it}, hands={"EN": "OFF"}, turn=9)
    assert course.state.hands["EN"] == []
    assert course.told(UnitsLost) == []


def test_5_3_4__02_no_question_without_cards_unless_hands_are_hidden():
    course = suffer(field("ART", {"UK1": "2I", "GE6": "I"}), "ART", "EN", 1)
    assert [ask.topic for ask in course.asks] == ["battle.loss"]
    hidden = field("ART", {"UK1": "2I", "GE6": "I"}, options={"hidden_hand_size": True})
    course = suffer(hidden, "ART", "EN", 1)
    assert [ask.topic for ask in course.asks] == ["battle.ersatz", "battle.loss"]


def test_5_3_4__03_dogfight_hits_beyond_the_biplanes_vanish():
    course = fight("ART", {"GE6": "I B", "GE2": "I B", "UK1": "2I B"}, "1 1 · 6 · 6 6 · 6 6", turn=9)
    assert course.told(HitsVanished) == [HitsVanished("EN", "ART", 1)]
    assert left(course)["UK1"] == "2I"


# ------------------------------------------------------------------ siege hits


@pytest.mark.parametrize(
    ("hand", "ersatz", "fort", "dice"),
    [
        ("ER2", Ersatz(("ER2",), siege=2), 2, "2 3 · 6 6 · 6 6 6 · 6 6"),
        ("OFF", Ersatz(("OFF",), siege=1), 1, "2 3 · 6 · 6 6 6 · 6 6"),
        ("OFF", Ersatz(), None, "2 3"),
    ],
)
def test_c_22_siege_hits_and_ersatz(hand, ersatz, fort, dice):
    """TTLM-8.3.3-03 The fort or cards pay for them."""
    course = fight(
        "MAU",
        {"GE2": "3I 2G"},
        dice,
        {"battle.ersatz": [ersatz]},
        forts={"MAU": 2},
        hands={"EN": hand},
    )
    assert course.state.forts.get("MAU") == fort
    assert (course.state.owner["MAU"] == "GE") == (fort != 2)
    if fort is None:
        assert rolls(course) == [("artillery.G.F3", 2)]


def test_8_3_3__03_siege_hits_fall_on_the_fort_though_others_are_stronger():
    state = field("LIE", {"GE2": "I G", "BE1": "3I"}, forts={"LIE": 2})
    course = suffer(state, "LIE", "EN", 1, siege=1)
    assert course.asks == []
    assert state.forts["LIE"] == 1
    assert left(course)["BE1"] == "3I"


def test_8_3_3__04_siege_hits_come_first_and_vanish_beyond_the_fort():
    """The fort of 2 takes two, the third vanishes; then the ordinary hit finds infantry only."""
    state = field("LIE", {"GE2": "I G"}, loose={"LIE": "BE I"}, forts={"LIE": 2})
    course = suffer(state, "LIE", "EN", 4, siege=3)
    assert [type(fact).__name__ for fact in course.facts if type(fact) in (FortReduced, UnitsLost)] == [
        "FortReduced",
        "FortReduced",
        "UnitsLost",
    ]
    assert course.told(HitsVanished) == [HitsVanished("EN", "LIE", 1)]


@pytest.mark.parametrize(("siege", "fort", "army"), [(2, 3, "2I C"), (1, 2, "3I C"), (0, 1, "4I C")])
def test_8_3_3__04_the_owner_says_which_hits_his_points_pay(siege, fort, army):
    """Two siege hits and two others at a fort and a strong army; Ersatz 2 pays so many of the siege guns'."""
    wrong: list[tuple[str, str] | None] = []

    def spend(ask):
        wrong.extend(refused(ask, Ersatz(("ER2",), number)) for number in (-1, 3))
        return Ersatz(("ER2",), siege)

    state = field("VER", {"GE2": "I G", "FR3": "4I C"}, forts={"VER": 3}, hands={"EN": "ER2 OFF"})
    course = suffer(state, "VER", "EN", 4, {"battle.ersatz": [spend]}, siege=2)
    assert wrong == [("TTLM-8.3.3-04", "siege-hits-paid")] * 2
    assert (state.forts["VER"], left(course)["FR3"]) == (fort, army)


def test_8_3_3__04_surplus_points_pay_siege_hits_if_no_others_are_left():
    state = field("LIE", {"GE2": "I G"}, forts={"LIE": 3}, hands={"EN": "ER2"})
    course = suffer(state, "LIE", "EN", 2, siege=1)
    ask = course.asks[0]
    assert refused(ask, Ersatz(("ER2",), 1)) is None
    assert refused(ask, Ersatz(("ER2",), 0)) == ("TTLM-8.3.3-04", "siege-hits-paid")


# ------------------------------------------------------------------ unsaid (decisions 5)


def lost_by_default(armies, number, side="EN", area="VER", **more):
    """What a side without orders loses, one after the other."""
    state = field(area, armies, turn=more.pop("turn", 8), **more)
    course = suffer(state, area, side, number)
    found = []
    for fact in course.facts:
        match fact:
            case UnitsLost(units=(unit,), army=army):
                found.append(f"{army or 'loose'} {state.pack.type_of[unit]}")
            case FortReduced():
                found.append("fort")
    return found


def test_5_3_1__03_unsaid_the_defender_loses_fort_army_loose_unit():
    assert lost_by_default({"FR3": "I"}, 3, loose={"VER": "FR I"}, forts={"VER": 1}) == [
        "fort",
        "FR3 I",
        "loose I",
    ]


def test_5_3_1__03_unsaid_the_attacker_loses_loose_units_before_armies():
    armies = {"GE5": "I", "GE18": "I", "FR3": "I"}
    assert lost_by_default(armies, 3, "GE", loose={"VER": "GE C"}) == ["loose C", "GE5 I", "GE18 I"]


def test_5_3_1__04_unsaid_ties_inside_an_army_of_the_attacker():
    armies = {"GE5": "I A C B T G", "FR3": "I"}
    expected = ["GE5 C", "GE5 B", "GE5 T", "GE5 G", "GE5 I", "GE5 A"]
    assert lost_by_default(armies, 6, "GE") == expected


@pytest.mark.parametrize(
    ("dug_in", "expected"), [("E", ["FR3 A", "FR3 C", "FR3 I"]), ("", ["FR3 C", "FR3 I", "FR3 A"])]
)
def test_5_3_1__04_unsaid_in_trenches_artillery_goes_first(dug_in, expected):
    assert lost_by_default({"FR3": f"I A C {dug_in}", "GE5": "I"}, 3) == expected


def test_5_3_1__05_unsaid_among_infantry_the_dearest_goes_last():
    state = field("ART", {"UK1": "UK I CW, US I", "GE6": "I"}, turn=16)
    lost = [fact.units[0].rpartition(".")[0] for fact in suffer(state, "ART", "EN", 3).told(UnitsLost)]
    assert lost == ["UK.I", "US.I", "UK.CW"]
    assert lost_by_default({"GE18": "2I S", "FR3": "I"}, 3, "GE", "STQ", turn=16) == [
        "GE18 I",
        "GE18 I",
        "GE18 S",
    ]


def ersatz_by_default(armies, number, hand, **more):
    state = field("ART", armies, hands={"EN": hand}, turn=more.pop("turn", 8), **more)
    return suffer(state, "ART", "EN", number, siege=0).asked("battle.ersatz")[0].default


@pytest.mark.parametrize(
    ("units", "hits", "hand", "cards"),
    [
        ("3I", 1, "ER3 ER2", ()),  # nothing is at stake
        ("2I", 2, "ER3 ER2", ("ER2",)),  # one point too much, but it saves the army
        ("2I", 2, "GMC ER3 ER2", ("GMC",)),  # a card of no other use first: Germany's crisis is 1916's event
        ("2I", 2, "OFF LIM BAD", ()),  # cards with a use of their own are not spent
        ("2I", 5, "ER3 ER2", ("ER2", "ER3")),
        ("2I", 7, "ER3 ER2", ()),  # nothing would save it
        ("I A", 1, "ER2", ()),  # the gun goes first
    ],
)
def test_5_3_2__03_unsaid_ersatz_only_saves_armies_and_the_last_infantry(units, hits, hand, cards):
    turn = 4 if "GMC" in hand else 8  # in 1915 it is no event
    dug_in = {"entrenched": ["UK1"]} if "A" in units else {}
    assert ersatz_by_default({"UK1": units, "GE6": "I"}, hits, hand, turn=turn, **dug_in) == Ersatz(cards)


def test_5_3_2__03_unsaid_the_last_loose_infantry_is_saved_too():
    state = field("ART", {"GE6": "I"}, loose={"ART": "UK I, UK C"}, hands={"EN": "ER2"})
    assert suffer(state, "ART", "EN", 1).asked("battle.ersatz")[0].default == Ersatz()
    state = field("ART", {"GE6": "I"}, loose={"ART": "UK I"}, hands={"EN": "ER2"})
    assert suffer(state, "ART", "EN", 1).asked("battle.ersatz")[0].default == Ersatz(("ER2",))


def test_8_3_4__10_unsaid_no_ersatz_for_a_biplane_whose_army_lives_on():
    armies = {"GE6": "I B", "UK1": "I B"}
    course = fight("ART", armies, "1 · 6 · 6 · 6", hands={"EN": "ER2"}, turn=9)
    assert course.asked("battle.ersatz")[0].default == Ersatz()
    course = fight("ART", {**armies, "UK1": "B", "UK2": "I"}, "1 · 6 · 6 · 6", hands={"EN": "ER2"}, turn=9)
    assert course.asked("battle.ersatz")[0].default == Ersatz(("ER2",))
