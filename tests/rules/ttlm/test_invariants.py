"""The invariants hold in a legal position and notice each way of breaking it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.games.to_the_last_man.invariants import check, check_settled
from engine.games.to_the_last_man.rules.setup import set_up
from engine.games.to_the_last_man.state import State
from engine.kernel.game import GameSettings
from tests.rules.ttlm.drawn import PACK, drawn


def position() -> State:
    # everybody who is to have come by then is on the map or eliminated
    here = {"GE1": ("AAC", "4I A"), "GE5": ("THI", ""), "UK1": ("ENG", "2I C"), "FR1": ("EPI", "3I E")}
    gone = [army for army, row in PACK.armies.items() if row.entry_turn < 4 and army not in here]
    return drawn(
        turn=4,
        armies=here,
        loose={"VOS": "FR I E, GE I E", "EFT": "GE 5I"},
        forts={"SED": 0, "VER": 3},
        hands={"GE": "OFF GAS", "EN": "ER2"},
        eliminated=gone,
        fresh=["GAS.01"],
    )


def test_a_legal_position_passes() -> None:
    check(position())
    check_settled(position())


def _move(source: list[str], target: list[str], unit: str) -> None:
    source.remove(unit)
    target.append(unit)
    target.sort()


def lost_counter(state: State) -> None:
    state.pool["FR"].remove("FR.I.25")


def doubled_counter(state: State) -> None:
    state.loose["PAR"].append("FR.I.25")


def foreign_pool(state: State) -> None:
    _move(state.pool["FR"], state.pool["BE"], "FR.I.25")


def held_by_the_enemy(state: State) -> None:
    _move(state.pool["FR"], state.held["GE"], "FR.I.25")


def infantry_among_the_corps(state: State) -> None:
    _move(state.pool["UK"], state.corps, "UK.I.14")


def unsorted(state: State) -> None:
    state.pool["FR"].reverse()


def army_without_contents(state: State) -> None:
    del state.contents["GE5"]


def army_in_two_places(state: State) -> None:
    state.eliminated.append("GE5")


def army_nowhere(state: State) -> None:
    state.eliminated.remove("BE1")


def army_off_the_board(state: State) -> None:
    state.army_at["GE5"] = "NIL"


def lost_card(state: State) -> None:
    state.deck.pop()


def doubled_card(state: State) -> None:
    state.hands["EN"].append(state.deck[0])
    state.hands["EN"].sort()


def fresh_card_of_nobody(state: State) -> None:
    state.fresh = ["ER3.01"]


def four_in_an_area(state: State) -> None:
    for unit in ("FR.I.22", "FR.I.23", "FR.I.24", "FR.I.25"):
        _move(state.pool["FR"], state.loose["PAR"], unit)


def six_infantry_in_five_slots(state: State) -> None:
    for unit in ("GE.I.34", "GE.I.35"):
        _move(state.pool["GE"], state.contents["GE1"], unit)


def four_auxiliaries_in_three_slots(state: State) -> None:
    for unit in ("GE.C.02", "GE.C.03", "GE.C.04"):
        _move(state.pool["GE"], state.contents["GE1"], unit)


def three_artillery_in_1915(state: State) -> None:
    for unit in ("GE.A.05", "GE.A.06"):
        _move(state.pool["GE"], state.contents["GE1"], unit)


def two_biplanes(state: State) -> None:
    for unit in ("GE.B.01", "GE.B.02"):
        _move(state.pool["GE"], state.contents["GE5"], unit)


def belgian_in_a_french_army(state: State) -> None:
    _move(state.pool["BE"], state.contents["FR1"], "BE.I.01")


def american_cavalry_in_a_french_army(state: State) -> None:
    _move(state.pool["US"], state.contents["FR1"], "US.C.01")


def frenchman_in_england(state: State) -> None:
    _move(state.pool["FR"], state.loose["ENG"], "FR.I.25")


def frenchman_in_the_box(state: State) -> None:
    _move(state.pool["FR"], state.loose["EFT"], "FR.I.25")


def entrenched_in_the_pool(state: State) -> None:
    state.entrenched.append("FR.I.25")
    state.entrenched.sort()


def entrenched_cavalry(state: State) -> None:
    _move(state.pool["FR"], state.loose["PAR"], "FR.C.01")
    state.entrenched.append("FR.C.01")
    state.entrenched.sort()


def entrenched_twice(state: State) -> None:
    state.entrenched.append("FR1")
    state.entrenched.sort()


def fortified_in_the_open(state: State) -> None:
    state.fortified.append("GE1")


def marker_in_the_pool(state: State) -> None:
    state.retreated.append("FR.I.25")


def fort_above_its_strength(state: State) -> None:
    state.forts["VER"] = 5


def fort_of_no_strength(state: State) -> None:
    state.forts["VER"] = 0


def german_england(state: State) -> None:
    state.owner["ENG"] = "GE"


def box_of_the_entente(state: State) -> None:
    state.owner["EFT"] = "EN"


def unknown_owner(state: State) -> None:
    del state.owner["PAR"]


def turn_past_the_end(state: State) -> None:
    state.last_turn = 3


def three_passes(state: State) -> None:
    state.passes = 3


def overspent(state: State) -> None:
    state.points["GE"] = -1


def two_upgrades(state: State) -> None:
    state.upgrades["GE"] = 2


BREACHES: dict[Callable[[State], None], str] = {
    lost_counter: r"missing \['FR.I.25'\]",
    doubled_counter: r"too many \['FR.I.25'\]",
    foreign_pool: r"foreign counter in pool BE",
    held_by_the_enemy: r"GE holds a foreign",
    infantry_among_the_corps: r"only Commonwealth",
    unsorted: r"pool FR is not sorted",
    army_without_contents: r"differ",
    army_in_two_places: r"GE5 is in 2 places",
    army_nowhere: r"BE1 is nowhere",
    army_off_the_board: r"GE5 stands in NIL",
    lost_card: r"cards: missing",
    doubled_card: r"cards: missing \[\], too many",
    fresh_card_of_nobody: r"not in hand",
    four_in_an_area: r"4 pieces of EN in PAR",
    six_infantry_in_five_slots: r"GE1: 6 infantry in 5",
    four_auxiliaries_in_three_slots: r"GE1: too many auxiliaries",
    three_artillery_in_1915: r"GE1: too much artillery",
    two_biplanes: r"GE5: more than one biplane",
    belgian_in_a_french_army: r"BE.I.01 in FR1",
    american_cavalry_in_a_french_army: r"US.C.01 in FR1",
    frenchman_in_england: r"only UK may be in ENG",
    frenchman_in_the_box: r"only GE may be in EFT",
    entrenched_in_the_pool: r"neither an army nor loose",
    entrenched_cavalry: r"FR.C.01 cannot entrench",
    entrenched_twice: r"entrenched: not sorted, or twice",
    fortified_in_the_open: r"fortified, but not",
    marker_in_the_pool: r"marker on a piece off",
    fort_above_its_strength: r"VER has strength 5",
    fort_of_no_strength: r"VER has strength 0",
    german_england: r"England is German",
    box_of_the_entente: r"box is not German",
    unknown_owner: r"owners of unknown",
    turn_past_the_end: r"turn 4",
    three_passes: r"3 passes",
    overspent: r"count below 0",
    two_upgrades: r"too many upgrades",
}


@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: breach.__name__)
def test_a_breach_is_noticed(breach: Callable[[State], None]) -> None:
    state = position()
    breach(state)
    with pytest.raises(AssertionError, match=BREACHES[breach]):
        check(state)


def test_what_is_allowed_passes() -> None:
    state = position()
    _move(state.pool["US"], state.contents["FR1"], "US.I.01")  # 8.1-02
    state.contents["GE5"], state.entrenched = [], sorted([*state.entrenched, "GE5"])  # 4.3-06
    check_settled(state)


def test_who_alone_controls_an_area_owns_it() -> None:
    state = position()
    _move(state.pool["GE"], state.loose["LIL"], "GE.I.35")
    check(state)
    with pytest.raises(AssertionError, match="GE alone holds LIL"):
        check_settled(state)
    state.owner["LIL"] = "GE"
    check_settled(state)


def test_lone_artillery_owns_nothing() -> None:
    state = position()
    _move(state.pool["GE"], state.loose["LIL"], "GE.A.06")
    check_settled(state)


def test_a_neutral_area_may_hold_its_own_army_in_the_free_game() -> None:
    state = drawn(
        loose={"BRU": "BE I"}, eliminated=[a for a, row in PACK.armies.items() if not row.entry_turn]
    )
    state.owner["BRU"] = ""
    with pytest.raises(AssertionError, match="EN alone holds BRU"):
        check_settled(state)
    state.options = {**state.options, "free_game": True}
    check_settled(state)


@pytest.mark.parametrize("scenario", PACK.scenarios)
@pytest.mark.parametrize("free_game", [False, True])
def test_every_scenario_begins_in_order(scenario: str, free_game: bool) -> None:
    state, _ = set_up(PACK, GameSettings(scenario, options={"free_game": free_game}))
    check_settled(state)
