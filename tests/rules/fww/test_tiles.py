"""FWW 6.2, 6.2.2, 6.3: which tiles fit, which must be played, drawing."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import DrawGiven
from engine.games.first_world_war.facts.combat import (
    CombatResolved,
    DrawDeclined,
    TileDrawn,
    TileDrawnFaceDown,
    TilePlaced,
    TilePlacedFaceDown,
    TileRemoved,
    TileReturned,
)
from engine.games.first_world_war.rules.tiles import (
    fits,
    possible_leaders,
    tile_options,
)
from engine.kernel.requests import Choice, Seat
from tests.narrowing import expect, not_none
from tests.rules.fww.board import PACK
from tests.rules.fww.course import battle, position


def why(options, answer):
    """Rule and reason of a refused answer, or None."""
    refusal = options.why_not(answer)
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ which fit


def test_6_2__1_a_tile_is_for_attack_or_for_defence_and_a_zero_for_both():
    """C-29"""
    state = position()
    assert fits(state, "A13", "attack", ["FR2"])
    assert not fits(state, "A13", "defence", ["FR2"])
    assert fits(state, "A01", "defence", ["FR2"])
    assert not fits(state, "A01", "attack", ["FR2"])
    assert fits(state, "A07", "attack", ["FR2"])
    assert fits(state, "A07", "defence", ["FR2"])


def test_6_2__1_a_zero_may_be_played_as_a_bluff():
    """C-29 The defender sees one normal back; the tile goes back into the cup."""
    state = position({3: "FR2 FR3 DE5 DE6"}, hands={"WA": "A01 A07"})
    course = battle(state, "WA", 3, "FR2", "1 1", answers={"combat.attack_tile": "A07"})
    ask = course.ask("combat.attack_tile")
    assert expect(Choice, ask.options).offered == ("A07", None)
    assert why(ask.options, "A01") == ("FWW-6.2-1", "wrong-role")
    assert course.ask("combat.defence_leader").given.enemy_tile == "normal"
    assert course.one(CombatResolved).tile_values == (0, 0)
    assert state.cups["ALLIES"] == ["A07"]


def test_6_2__2_the_leading_army_must_be_of_the_tiles_nationality():
    state = position()
    assert possible_leaders(state, "A02", ("BE1", "BR1", "FR6")) == ("BR1",)
    assert possible_leaders(state, "A12", ("BE1", "BR1", "FR6")) == ("BR1", "FR6")
    assert possible_leaders(state, "A01", ("BE1", "BR1", "FR6")) == ("BE1", "BR1", "FR6")
    assert possible_leaders(state, None, ("BE1", "BR1")) == ("BE1", "BR1")


def test_2_2__5_the_expeditionary_armies_are_nations_of_their_own():
    state = position()
    assert not fits(state, "A02", "defence", ["BR-MEF"])
    assert not fits(state, "A10", "defence", ["FR-OR"])
    assert not fits(state, "A14", "defence", ["ITB"])
    assert fits(state, "A15", "attack", ["BR-MEF"])
    assert fits(state, "A01", "defence", ["BR-MEF"])


def test_6_2__3_a_placed_tile_binds_the_leader():
    """C-28 British Rifles: BR1 must lead, whatever the owner would like."""
    state = position({1: "DE1 BE1 BR1 FR6"}, hands={"WA": "A02"})
    ask = battle(state, "DE", 1, "DE1", "1 1", answers={"combat.defence_tile": "A02"}).ask(
        "combat.defence_leader"
    )
    assert expect(Choice, ask.options).offered == ("BR1",)
    assert ask.default == "BR1"
    assert ask.secret
    assert why(ask.options, "BE1") == ("FWW-6.2-3", "tile-binds-leader")
    assert not_none(ask.options.why_not("BE1")).facts == {"counter": "BE1"}
    assert why(ask.options, "FR9") == ("FWW-6.1-3", "not-taking-part")


def test_6_2__3_the_strongest_that_fits_leads_by_default():
    """BR1 is stronger but the tile is French and Belgian."""
    state = position({1: "DE1 BE1 BR1 FR6"}, hands={"WA": "A04"})
    course = battle(state, "DE", 1, "DE1", "1 1", answers={"combat.defence_tile": "A04"})
    assert course.ask("combat.defence_leader").default == "FR6"


def test_6_2__3_without_a_matching_participant_it_cannot_be_placed():
    """C-26 with AH1 alone the German tile has nobody to lead it."""
    state = position({9: "AH1 DE11 RU5"}, hands={"GA": "C02"})
    options = tile_options(state, "GA", "attack", ("AH1",))
    assert options.offered == (None,)
    assert why(options, "C02") == ("FWW-6.2-3", "no-army-of-that-nation")
    assert not_none(options.why_not("C02")).facts == {"tile": "C02"}
    assert tile_options(state, "GA", "attack", ("AH1", "DE11")).offered == ("C02", None)


# ------------------------------------------------------------------ placing


def test_6_1__1_without_tiles_there_is_no_question():
    state = position({3: "DE5 FR2"})
    assert not battle(state, "DE", 3, "DE5", "1 2").asks


def test_6_1__1_the_question_is_put_even_if_no_tile_fits():
    """The number of tiles is public, that none fits is a secret: the question is put all the same."""
    state = position({3: "DE5 FR2"}, hands={"WA": "A05", "DE": "C05"})
    course = battle(state, "DE", 3, "DE5", "1 2")
    for topic in ("combat.defence_tile", "combat.attack_tile"):
        ask = course.ask(topic)
        assert expect(Choice, ask.options).offered == (None,)
        assert ask.default is None
        assert ask.secret
    assert not course.of(TilePlaced)


def test_6_1__1_by_default_no_tile_is_placed():
    """D6, D7"""
    state = position({3: "DE5 FR2"}, hands={"WA": "A01", "DE": "C02"})
    course = battle(state, "DE", 3, "DE5", "1 2")
    assert course.ask("combat.defence_tile").default is None
    assert course.ask("combat.attack_tile").default is None
    assert state.hands == {"DE": ["C02"], "WA": ["A01"], "EA": [], "GA": []}


@pytest.mark.parametrize(("tile", "back"), [("C02", "normal"), ("C15", "mandatory")])
def test_6_1__1_others_see_that_a_tile_lies_there_and_its_back(tile, back):
    state = position({3: "DE5 FR2"}, hands={"DE": tile})
    placed = battle(state, "DE", 3, "DE5", "1 2", answers={"combat.attack_tile": tile}).one(TilePlaced)
    assert placed == TilePlaced("DE", "DE", tile, back, (Seat("DE"),))
    assert placed.redacted() == TilePlacedFaceDown("DE", "DE", back)


def test_6_1__2_one_tile_for_each_faction_and_combat():
    state = position({3: "DE5 FR2"}, hands={"WA": "A01 A09"})
    course = battle(state, "DE", 3, "DE5", "1 2", answers={"combat.defence_tile": "A01"})
    assert len(course.of(TilePlaced)) == 1
    assert state.hands["WA"] == ["A09"]
    assert state.placed == {}


def test_6_1__1_a_tile_that_is_not_held_is_refused():
    options = tile_options(position(hands={"WA": "A01"}), "WA", "defence", ("FR2",))
    assert why(options, "A09") == ("FWW-6.1-1", "not-in-hand")
    assert why(options, "A01") is None
    assert why(options, None) is None


def test_6_2__4_a_normal_tile_goes_back_into_its_cup():
    state = position({3: "DE5 FR2"}, hands={"WA": "A04"}, cups={"ALLIES": "A01 A07", "CENTRAL": "C01"})
    course = battle(state, "DE", 3, "DE5", "1 2", answers={"combat.defence_tile": "A04"})
    assert course.one(TileReturned) == TileReturned("WA", "A04")
    assert state.cups == {"ALLIES": ["A01", "A04", "A07"], "CENTRAL": ["C01"]}
    assert state.hands["WA"] == []


@pytest.mark.parametrize(("tile", "value"), [("A03", -1), ("A08", -1), ("C03", 1), ("C15", 2)])
def test_6_3__1_values_are_those_of_the_pack(tile, value):
    row = PACK.tiles[tile]
    assert (row.value, row.mandatory) == (value, True)
    assert row.use == ("defence" if tile == "C03" else "attack")


# ------------------------------------------------------------------ drawing


def test_6_2__5_whoever_rolls_s_may_draw_from_its_alliances_cup():
    """FWW-S-2 The cup is sorted, and the drawn tile is told to its seat alone."""
    state = position({9: "RU4 AH1"}, cups={"ALLIES": "A01 A05", "CENTRAL": "C01"})
    course = battle(state, "EA", 9, "RU4", "S 4", "A05")
    ask = course.ask("combat.draw")
    assert (ask.seat, ask.at, ask.secret) == ("EA", "T3.R3/F9", False)
    assert ask.given == DrawGiven("EA", 9, ())
    assert expect(Choice, ask.options).offered == (True, False)
    assert course.draws == [("EA", "tile.EA", ["A01", "A05"])]
    drawn = course.one(TileDrawn)
    assert drawn == TileDrawn("EA", "A05", "normal", (Seat("EA"),))
    assert drawn.redacted() == TileDrawnFaceDown("EA", "normal")
    assert (state.hands["EA"], state.cups["ALLIES"]) == (["A05"], ["A01"])


@pytest.mark.parametrize("face", ["1", "2", "3", "4"])
def test_6_2__5_a_number_gives_no_draw(face):
    state = position({9: "RU4 AH1"}, cups={"ALLIES": "A01", "CENTRAL": "C01"})
    assert not battle(state, "EA", 9, "RU4", f"{face} {face}").asked("combat.draw")


def test_6_2__5_the_draw_may_be_declined():
    state = position({9: "RU4 AH1"}, cups={"ALLIES": "A01"})
    course = battle(state, "EA", 9, "RU4", "S 4", answers={"combat.draw": False})
    assert course.one(DrawDeclined) == DrawDeclined("EA")
    assert not course.draws
    assert not course.asked("any_time")
    assert state.cups["ALLIES"] == ["A01"]


@pytest.mark.parametrize(("held", "draws"), [("", True), ("A01 A04", True), ("A01 A04 A07", False)])
def test_6_2__5_by_default_one_draws_only_into_a_free_place(held, draws):
    """D10 FREE"""
    state = position({3: "DE5 FR2"}, hands={"WA": held}, cups={"ALLIES": "A09"})
    ask = battle(state, "DE", 3, "DE5", "4 S", "A09" if draws else "").ask("combat.draw")
    assert ask.default is draws


def test_6_2__6_the_drawn_tile_does_not_matter_in_this_combat():
    """C-13 Big Bertha comes after the totals, and serves from the next combat on."""
    state = position({3: "DE5 FR2"}, cups={"CENTRAL": "C02"})
    course = battle(state, "DE", 3, "DE5", "S 1", "C02")
    assert course.one(CombatResolved).tiles == (None, None)
    assert course.one(CombatResolved).totals == (3, 3)
    assert course.order.index("CombatResolved") < course.order.index("TileDrawn")
    assert tile_options(state, "DE", "attack", ("DE5",)).offered == ("C02", None)


def test_6_2__7_an_empty_cup_gives_nothing_and_the_played_tile_is_not_in_it():
    """C-14"""
    state = position({3: "DE5 FR2"}, hands={"WA": "A01"})
    course = battle(state, "DE", 3, "DE5", "1 S", answers={"combat.defence_tile": "A01"})
    assert not course.asked("combat.draw")
    assert state.cups["ALLIES"] == ["A01"]


def test_6_2__8_both_may_draw_the_attacker_first_each_from_its_own_cup():
    state = position({9: "RU4 AH1"}, cups={"ALLIES": "A01", "CENTRAL": "C01"})
    course = battle(state, "EA", 9, "RU4", "S S", "A01 C01")
    assert [purpose for _, purpose, _ in course.draws] == ["tile.EA", "tile.GA"]
    assert (state.hands["EA"], state.hands["GA"]) == (["A01"], ["C01"])


# ------------------------------------------------------------------ mandatory tiles


def test_6_2_2__1_there_are_four_mandatory_tiles():
    mandatory = {row.key: row.alliance for row in PACK.tiles.values() if row.mandatory}
    assert mandatory == {
        "PANTALONSROUGES": "ALLIES",
        "SHELLSHORTAGE": "ALLIES",
        "KAISERTREU": "CENTRAL",
        "LUDENDORFF": "CENTRAL",
    }


def test_6_2_2__2_a_usable_mandatory_tile_must_be_played_and_forces_the_leader():
    """C-19"""
    state = position({2: "BR1 FR5 DE3"}, turn=1, hands={"WA": "A03 A07"})
    course = battle(state, "WA", 2, "BR1 FR5", "4 1")
    ask = course.ask("combat.attack_tile")
    assert expect(Choice, ask.options).offered == ("A03",)
    assert ask.default == "A03"
    assert ask.secret
    assert why(ask.options, None) == ("FWW-6.2.2-3", "mandatory-tile")
    assert why(ask.options, "A07") == ("FWW-6.2.2-3", "mandatory-tile")
    leader = course.ask("combat.attack_leader")
    assert (expect(Choice, leader.options).offered, leader.secret) == (("FR5",), True)


def test_6_2_2__3_in_the_wrong_role_it_waits_and_another_may_be_placed():
    """C-22"""
    state = position({3: "FR2 DE5"}, hands={"WA": "A01 A03"})
    course = battle(state, "DE", 3, "DE5", "1 2", answers={"combat.defence_tile": "A01"})
    ask = course.ask("combat.defence_tile")
    assert expect(Choice, ask.options).offered == ("A01", None)
    assert why(ask.options, "A03") == ("FWW-6.2-1", "wrong-role")
    assert state.hands["WA"] == ["A03"]


def test_6_2_2__3_it_blocks_every_other_tile_until_it_is_gone():
    """C-23"""
    state = position({9: "RU4 AH1"}, turn=4, hands={"EA": "A08 A11"})
    course = battle(state, "EA", 9, "RU4", "2 1")
    assert expect(Choice, course.ask("combat.attack_tile").options).offered == ("A08",)
    assert course.one(CombatResolved).tiles == ("A08", None)
    assert tile_options(state, "EA", "attack", ("RU4",)).offered == ("A11", None)


def test_6_2_2__4_the_attacker_may_dodge_by_leaving_that_nation_out():
    """C-20"""
    state = position({2: "BR1 FR5 DE3"}, turn=1, hands={"WA": "A03"})
    course = battle(state, "WA", 2, "BR1", "1 1")
    assert course.one(CombatResolved).totals == (4, 4)
    assert not course.of(TilePlaced)
    assert state.hands["WA"] == ["A03"]


def test_6_2_2__4_the_defender_cannot_dodge():
    state = position({9: "AH1 DE11 RU4"}, hands={"GA": "C03"})
    course = battle(state, "EA", 9, "RU4", "1 1")
    assert expect(Choice, course.ask("combat.defence_tile").options).offered == ("C03",)
    assert expect(Choice, course.ask("combat.defence_leader").options).offered == ("AH1",)
    assert state.tiles_out == ["C03"]


def test_6_2_2__5_of_two_usable_ones_the_holder_chooses_and_the_other_waits():
    state = position({2: "BR1 FR5 DE3"}, turn=3, hands={"WA": "A03 A08 A07"})
    course = battle(state, "WA", 2, "BR1 FR5", "4 1", answers={"combat.attack_tile": "A08"})
    ask = course.ask("combat.attack_tile")
    assert expect(Choice, ask.options).offered == ("A03", "A08")
    assert ask.default == "A03"
    assert expect(Choice, course.ask("combat.attack_leader").options).offered == ("BR1",)
    assert state.hands["WA"] == ["A03", "A07"]
    assert state.tiles_out == ["A08"]


def test_6_2_2__6_a_played_mandatory_tile_leaves_the_game():
    state = position({2: "FR5 DE3"}, turn=1, hands={"WA": "A03"})
    course = battle(state, "WA", 2, "FR5", "4 1")
    assert course.one(TileRemoved) == TileRemoved("WA", "A03")
    assert state.tiles_out == ["A03"]
    assert state.cups["ALLIES"] == []
    assert state.hands["WA"] == []
    assert state.placed == {}
