"""VICTORY: forts, armies that are gone, resignation, and the round limit."""

from __future__ import annotations

import pytest

from engine.games.trench_club.answers import Capture, Move
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.facts.setup import GameWon
from engine.games.trench_club.rules.acts import why_not
from engine.games.trench_club.rules.turns import turn
from engine.games.trench_club.rules.victory import (
    at_round_limit,
    decided,
    forts_of_team,
    forts_to_win,
    is_beaten,
    price_of_army,
    resigned,
    why_not_resign,
)
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat
from tests.rules.trench.fights import PACK, field, fight, play, refused

HALF = [fort for fort in PACK.forts if fort[0] <= "K"]
BOTH = ("DE.INF1@D4", "GB.INF1@E4")


def owned(number, owner, forts=HALF):
    return " ".join(f"{fort}={owner}" for fort in forts[:number])


@pytest.mark.parametrize(
    ("nations", "short", "needed"),
    [
        ("DE GB AH FR", False, 9),
        ("DE GB", False, 5),
        ("DE GB AH FR", True, 7),
        ("DE GB", True, 4),
    ],
)
def test_victory__1_forts_that_win(nations, short, needed):
    """VICTORY-4 In the short game fewer."""
    forts = HALF if nations == "DE GB" else list(PACK.forts)
    options = {"short_game": short}
    assert forts_to_win(field(nations=nations, options=options)) == needed
    before = field(*BOTH, own=owned(needed - 1, "DE", forts), nations=nations, options=options)
    assert decided(before) is None
    after = field(*BOTH, own=owned(needed, "DE", forts), nations=nations, options=options)
    won = decided(after)
    assert won is not None
    assert (won.reason, won.scores) == ("forts", (("central", needed), ("entente", 0)))
    assert won.winners == (("DE",) if nations == "DE GB" else ("DE", "AH"))


def test_victory__1_a_coop_needs_as_many_as_two_players():
    """COOP-7 Three nations play, on one half."""
    state = field("GB.INF1@D4", "DE.INF1@E4", own=owned(5, "GB"), nations="GB FR DE", coop=True, automa="DE")
    won = decided(state)
    assert won is not None and won.winners == ("GB", "FR")


def test_victory__1_the_automa_may_win():
    state = field("GB.INF1@D4", "DE.INF1@E4", own=owned(5, "DE"), nations="GB DE", automa="DE")
    won = decided(state)
    assert won is not None and (won.winners, won.reason) == ((), "forts")


def test_t29_instant_victory():
    """VICTORY-1 The second act conquers the fifth fort: nothing more is asked, moved or attacked."""
    units = ("DE.INF1@C2", "DE.CAR1@D5", "DE.TNK1@D4", "GB.INF1@E4")
    state = field(*units, own="B8=DE B14=DE J2=DE J8=DE", nations="DE GB")
    acts = [Move("DE.CAR1", ("D6",)), Capture("DE.INF1", "B2")]
    course = play(state, turn(state, 3, "DE"), {"turn.act": acts})
    assert course.result is None
    assert [ask.topic for ask in course.asks] == ["turn.lead", "turn.act", "turn.act"]
    assert len(course.told(FortConquered)) == 1
    assert [won.winners for won in course.told(GameWon)] == [("DE",)]
    assert state.phase == "over"
    assert state.result == Outcome((Seat("DE"),), "forts", {"central": 5, "entente": 0})


def test_victory__2_forts_of_allies_are_added():
    forts = list(PACK.forts)
    own = f"{owned(5, 'DE', forts)} {owned(4, 'AH', forts[5:])} {owned(2, 'FR', forts[9:])}"
    state = field(*BOTH, own=own)
    assert forts_of_team(state, "central") == 9
    assert forts_of_team(state, "entente") == 2
    won = decided(state)
    assert won is not None and won.winners == ("DE", "AH")
    lost = field(*BOTH, own=own.replace("DE", "GB").replace("AH", "FR"))
    won = decided(lost)
    assert won is not None and won.winners == ("GB", "FR")


# ------------------------------------------------------------------ giving up


def test_victory__3_a_player_without_an_ally_may_give_up():
    state = field(*BOTH, own="B2=GB", nations="DE GB")
    assert why_not_resign(state, Seat("DE")) is None
    assert resigned(state, Seat("DE")) == Outcome((Seat("GB"),), "resignation", {"central": 0, "entente": 1})
    assert resigned(state, Seat("GB")).winners == ("DE",)


def test_victory__3_both_players_of_a_team_must_say_so():
    state = field(*BOTH)
    assert refused(why_not_resign(state, Seat("DE")), "TC-VICTORY-3", "ally-must-agree", allies=("AH",))
    assert refused(why_not_resign(state, Seat("DE"), ("GB",)), "TC-VICTORY-3", "ally-must-agree")
    assert why_not_resign(state, Seat("DE"), ("AH",)) is None
    assert resigned(state, Seat("AH")).winners == ("GB", "FR")
    coop = field("GB.INF1@D4", nations="GB FR DE", coop=True, automa="DE")
    assert refused(why_not_resign(coop, Seat("FR")), "TC-VICTORY-3", "ally-must-agree", allies=("GB",))


# ------------------------------------------------------------------ the short game


@pytest.mark.parametrize("owner", ["", "GB"])
def test_victory__4_anti_tank_gunners_do_not_conquer_in_the_short_game(owner):
    own = f"B2={owner}" if owner else ""
    short = field("AH.ATG1@C2", own=own, active="AH", options={"short_game": True}, phase="moves")
    refusal = why_not(short, Capture("AH.ATG1", "B2"), ("AH",))
    assert refusal is not None and refusal.rule == "TC-VICTORY-4"
    whole = field("AH.ATG1@C2", own=own, active="AH", phase="moves")
    assert why_not(whole, Capture("AH.ATG1", "B2"), ("AH",)) is None


def test_victory__4_they_may_still_enter_own_forts_and_others_conquer():
    short = field(
        *("AH.ATG1@C2", "AH.INF1@C8"), own="B2=AH", active="AH", options={"short_game": True}, phase="moves"
    )
    assert why_not(short, Move("AH.ATG1", ("B2",)), ("AH",)) is None
    assert why_not(short, Capture("AH.INF1", "B8"), ("AH",)) is None


# ------------------------------------------------------------------ no army


def test_t50_losers_last_stand():
    """VICTORY-5"""
    alive = field("DE.INF1@D4", "GB.INF1@E4", own="B2=FR", money={"FR": 1})
    assert decided(alive) is None
    state = field("DE.INF1@D4", money={"FR": 9})
    won = decided(state)
    assert won is not None and (won.winners, won.reason) == (("DE", "AH"), "no-army")


def test_victory__5_units_in_forts_and_forts_keep_a_team_alive():
    assert decided(field("DE.INF1@D4", "GB.INF1@fort:B2", own="B2=GB", nations="DE GB")) is None
    fort_only = field("DE.INF1@D4", own="B2=GB", nations="DE GB")
    assert decided(fort_only) is None
    assert not is_beaten(fort_only, "entente")
    unit_only = field("DE.INF1@D4", "GB.MOR1@E4", nations="DE GB")
    assert not is_beaten(unit_only, "entente")
    won = decided(field("GB.INF1@D4", nations="DE GB"))
    assert won is not None and won.winners == ("GB",)


def test_victory__5_nobody_left_is_a_draw():
    won = decided(field(nations="DE GB"))
    assert won is not None and (won.winners, won.reason) == ((), "draw")


def test_victory__5_the_last_units_of_both_destroy_each_other():
    """Ruling: nobody wins, unless a fort lets one of them buy again."""
    dice = "1 2 7 8 9 / 2 2 3 4 5"
    units = ("DE.INF1@D4 d5", "GB.INF1@E4 d5")
    state = field(*units, nations="DE GB")
    course = fight(state, "DE.INF1 GB.INF1", dice=dice)
    assert course.told(GameWon) == [GameWon((), "draw", (("central", 0), ("entente", 0)))]
    owner = field(*units, nations="DE GB", own="B2=GB")
    (won,) = fight(owner, "DE.INF1 GB.INF1", dice=dice).told(GameWon)
    assert (won.winners, won.reason) == (("GB",), "no-army")


# ------------------------------------------------------------------ round limit


def last(*units, own="", round_=3, active="GB", limit=3):
    state = field(*units, own=own, nations="DE GB", active=active, options={"round_limit": limit})
    state.round = round_
    return at_round_limit(state)


@pytest.mark.parametrize(
    ("round_", "active", "limit", "over"),
    [(3, "GB", 3, True), (3, "DE", 3, False), (2, "GB", 3, False), (4, "GB", 3, True), (9, "GB", 0, False)],
)
def test_victory__6_after_the_last_turn_of_the_last_round(round_, active, limit, over):
    assert (last(*BOTH, own="B2=DE", round_=round_, active=active, limit=limit) is not None) == over


def test_victory__6_most_forts_then_the_dearest_army_else_a_draw():
    won = last("DE.INF1@D4", "GB.TNK1@E4", own="B2=DE B8=DE J2=GB")
    assert won is not None and (won.winners, won.reason) == (("DE",), "round-limit")
    won = last("DE.TNK1@D4", "GB.INF1@E4", own="J2=GB")
    assert won is not None and won.winners == ("GB",)
    won = last("DE.INF1@fort:B2", "DE.INF2@fort:B2", "GB.CAV1@E4", own="B2=DE J2=GB")
    assert won is not None and won.winners == ("DE",)
    won = last("DE.INF1@D4", "GB.CAV1@E4")
    assert won is not None and won.winners == ("GB",)
    won = last("DE.INF1@D4", "GB.INF1@E4", own="B2=DE J2=GB")
    assert won is not None and (won.winners, won.reason) == ((), "draw")
    assert won.scores == (("central", 1), ("entente", 1))


def test_victory__6_prices_of_both_allies_are_added():
    state = field("DE.INF1@D4", "AH.TNK1@fort:B2", "GB.CAR1@E4", own="B2=AH")
    assert price_of_army(state, "central") == 10
    assert price_of_army(state, "entente") == 5
