"""What would have been legal is told with a refusal, from what the asked side may know."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.answers import Build, Declare, Entrench, Move, Place, Rebuild, Shift
from engine.games.to_the_last_man.rules.battles import DeclareOptions
from engine.games.to_the_last_man.rules.movement import why_not_act
from engine.games.to_the_last_man.rules.player_turn import OffensiveCards
from engine.games.to_the_last_man.rules.purchases import Purchases
from engine.games.to_the_last_man.rules.reinforcements import ReinforceOptions
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from tests.rules.ttlm.drawn import drawn

ARMIES = {"GE1": ("AAC", "5I A C"), "GE2": ("AAC", "2I"), "GE6": ("LOR", "3I"), "GE3": ("STR", "I")}


def told(options: Any, answer: Any) -> tuple[str, tuple[str, ...]]:
    refusal = options.why_not(answer)
    assert refusal is not None and not options.contains(answer)
    return refusal.reason, refusal.facts.get("legal", ())


def test_a_rail_move_that_is_closed_names_where_the_rails_lead() -> None:
    options = TurnActs(drawn(armies=ARMIES, owner={"THI": "EN"}), "GE", why_not_act)
    reason, legal = told(options, Move(("LOR", "THI"), army="GE6", mode="rail"))
    assert reason == "not-friendly" and {"MET", "STR", "PAL"} <= set(legal) and "THI" not in legal
    reason, legal = told(options, Move(("LOR", "STR", "PAL", "COB", "COL"), army="GE6", mode="rail"))
    assert reason == "too-far" and "COB" in legal


def test_an_army_that_is_full_names_another_that_is_there() -> None:
    full = {"GE1": ("AAC", "5I A 2C"), "GE2": ("AAC", "2I")}
    options = TurnActs(drawn(armies=full, loose={"AAC": "GE I"}), "GE", why_not_act)
    assert told(options, Shift("AAC", (("GE.I", 1),), "", "GE1")) == ("no-slot", ("GE2",))


def test_a_battle_that_cannot_be_names_those_that_can() -> None:
    options = DeclareOptions(drawn(), ("LIE",), ("NAM",))
    assert told(options, Declare(("LIE", "PAR"))) == ("no-battle-there", ("LIE", "NAM"))


def test_a_card_that_is_no_offensive_names_those_in_hand() -> None:
    options = OffensiveCards(drawn(offensive="", hands={"GE": "LIM ER2"}), "GE")
    assert told(options, "ER2") == ("no-offensive-card", ("LIM",))
    assert told(options, "OFF") == ("not-in-hand", ("LIM",))


def test_units_are_built_where_there_is_supply_room_and_a_slot() -> None:
    state = drawn(phase="production", points={"GE": 5, "EN": 5}, armies=ARMIES, owner={"LIE": "EN"})
    options = Purchases(state, "GE", 0)
    reason, legal = told(options, Build("LIE", (("GE.I", 1),)))
    assert reason == "not-supplied" and {"AAC", "COL"} <= set(legal) and "LIE" not in legal
    assert told(options, Build("AAC", (("GE.I", 1),), "GE1")) == ("no-slot", ("GE2", "GE3", "GE6"))


def test_an_army_is_rebuilt_at_home_if_it_is_lost() -> None:
    state = drawn(
        phase="production", points={"GE": 5, "EN": 5}, phasing="EN", eliminated=["FR5"], armies=ARMIES
    )
    options = Purchases(state, "EN", 0)
    assert told(options, Rebuild("FR4", "PAR")) == ("not-eliminated", ("FR5",))
    reason, legal = told(options, Rebuild("FR5", "COL"))
    assert reason == "not-at-home" and "PAR" in legal and "COL" not in legal


def test_what_can_dig_in_is_named() -> None:
    state = drawn(
        phase="production",
        points={"GE": 5, "EN": 5},
        dug={"GE": 0, "EN": 0},
        armies={"GE1": ("AAC", "2I, E"), "GE2": ("AAC", "2I")},
        loose={"LOR": "GE I C"},
    )
    options = Purchases(state, "GE", 0)
    assert told(options, Entrench(("GE1",))) == ("entrenched-already", ("GE2", "I@LOR"))


def test_reinforcements_go_where_there_is_supply_and_room() -> None:
    state = drawn(
        phase="reinforce",
        phasing="EN",
        held={"GE": [], "EN": ["UK2", "FR.I.09"]},
        armies={"FR5": ("SED", "I")},
    )
    options = ReinforceOptions(state, "EN")
    assert told(options, Place("PAR", army="UK2")) == ("only-in-england", ("ENG",))
    assert told(options, Place("ENG", army="UK3")) == ("does-not-arrive", ("UK2", "FR.I"))
    reason, legal = told(options, Place("COL", units=(("FR.I", 1),)))
    assert reason == "not-supplied" and "PAR" in legal
