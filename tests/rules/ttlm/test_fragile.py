"""TTLM 5.5: guns, biplanes and tanks without infantry."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost
from engine.games.to_the_last_man.rules.fragile import fragile_check
from tests.rules.ttlm.acts import do, end, holds, walk
from tests.rules.ttlm.drawn import drawn, play


def check(state, area="ARG"):
    return play(state, fragile_check(state, area))


def left(own: str, enemy: str, forts: int = -1) -> str:
    """What of these loose German units stays before these of the Entente."""
    state = drawn(turn=17, loose={"VER": f"GE {own}, {enemy}"}, forts={"VER": forts} if forts >= 0 else {})
    check(state, "VER")
    return holds(state, "VER")


def test_5_5__01_at_the_end_of_the_movement_phase_for_both_sides():
    state = drawn(loose={"TRI": "GE I", "ARD": "FR A", "SED": "GE A, FR I"}, owner={"ARD": "EN"})
    do(state, walk("TRI-ARD", "GE I"))
    course = end(state)
    assert [(fact.side, fact.area) for fact in course.told(UnitsLost)] == [("EN", "ARD"), ("GE", "SED")]
    assert state.owner["ARD"] == "GE"


@pytest.mark.parametrize("type_", ["A", "B", "T"])
def test_5_5__02_before_enemy_infantry(type_):
    assert left(type_, "FR I") == ""
    assert left(type_, "UK CW") == ""
    assert left(type_, "FR C") == type_  # cavalry is no infantry
    assert left(type_, "", forts=4) == type_
    assert left(f"{type_} I", "FR I").split() == sorted([type_, "I"])
    assert left(f"{type_} C", "FR I") == "C"


@pytest.mark.parametrize("type_", ["G", "P"])
def test_5_5__03_siege_guns_before_anybody_but_forts(type_):
    """TTLM-5.5-04"""
    assert left(type_, "FR I") == left(type_, "FR C") == left(type_, "FR A") == ""
    assert left(type_, "", forts=4) == type_
    assert left(f"I {type_}", "FR C").split() == sorted(["I", type_])


def test_5_5__04_the_paris_gun_before_anybody_but_forts():
    assert left("P", "FR B") == ""
    assert left("P", "", forts=2) == "P"


def test_5_5__05_infantry_with_a_marker_is_company_enough():
    state = drawn(loose={"ARG": "FR I A, GE I"}, retreated=["FR.I.01"])
    assert check(state).facts == []


def test_5_5__05_an_army_emptied_by_the_check_is_eliminated():
    state = drawn(armies={"FR4": ("ARG", "2A T")}, loose={"ARG": "GE I"}, turn=17)
    course = check(state)
    assert [(fact.army, fact.why) for fact in course.told(ArmyEliminated)] == [("FR4", "overrun")]
    assert course.told(OwnerChanged) == [OwnerChanged("ARG", "GE")]
    beside = drawn(armies={"FR4": ("ARG", "A I"), "FR5": ("ARG", "A")}, loose={"ARG": "GE I"})
    assert check(beside).facts == []


def test_5_5__01_guns_alone_against_guns_alone_stay():
    state = drawn(loose={"ARG": "GE A B, FR A"}, turn=8)
    assert check(state).facts == []


def test_5_5__01_losses_of_both_sides_are_simultaneous():
    """What one side loses saves nothing of the other: both are looked at before anything goes."""
    state = drawn(loose={"ARG": "GE G, FR A"})
    course = check(state)
    assert [(fact.side, fact.units) for fact in course.told(UnitsLost)] == [("GE", ("GE.G.01",))]


def test_c_23_a_siege_gun_caught():
    """TTLM-5.5-03"""
    assert left("G", "FR C") == ""
    assert left("G", "", forts=3) == "G"


def test_c_44_an_army_reduced_to_artillery():
    """TTLM-5.5-02, TTLM-8.1-10, TTLM-8.1-08: what the check does after the infantry was lost in battle."""
    state = drawn(phasing="GE", armies={"FR4": ("ARG", "A")}, loose={"ARG": "GE I"})
    check(state)
    assert (state.eliminated, state.owner["ARG"]) == (["FR4"], "GE")
    kept = drawn(phasing="GE", armies={"FR4": ("ARG", "I")}, loose={"ARG": "GE I"})
    check(kept)
    assert kept.eliminated == []
