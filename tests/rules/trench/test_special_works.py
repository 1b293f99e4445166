"""SPECIAL-13..16, 19..22 Mines, and what engineers build."""

from __future__ import annotations

import pytest

from engine.games.trench_club import invariants
from engine.games.trench_club.answers import DONE, Build, Mine
from engine.games.trench_club.facts.moves import Built, MineExploded, MineLaid, UnitMoved
from engine.games.trench_club.facts.setup import GameWon
from engine.games.trench_club.rules.acts import TurnActs, why_not
from engine.games.trench_club.rules.movement import path_to, reach
from engine.games.trench_club.rules.trenches import trench_of
from engine.games.trench_club.rules.works import (
    builds_open,
    can_build,
    is_mined_against,
    mines_open,
    why_not_build,
)
from tests.rules.trench.drawn import PACK, drawn, marks
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused

# ------------------------------------------------------------------ cases


def test_t31_mines() -> None:
    state = drawn("GB.AIR1@D5, AH.CAR1@E4, DE.MIN1@D3, GB.INF1@A9", "mine D4=DE", active="GB")
    done(state, "M AIR1 D4")
    assert marks(state, "GB.AIR1") == "D4"
    assert state.mines == {"D4": "DE"}
    ally = drawn("AH.CAR1@D5", "mine D4=DE", active="AH")
    assert cost(ally, "M CAR1 D4 D3") == 2
    assert ally.mines == {"D4": "DE"}
    layer = drawn("DE.MIN1@D5", "mine D4=DE")
    assert refused(layer, "MINE MIN1 D4") == ("TC-SPECIAL-14", "one-mine-a-hex")


def test_t34_engineers_open_the_way() -> None:
    state = drawn("DE.ENG1@F5, DE.TNK1@F4")
    assert refused(state, "M TNK1 F5 F6") == ("TC-MOVE-11", "foot-units-wade")
    assert refused(state, "B ENG1 ROAD F7 E7") == ("TC-SPECIAL-19", "not-next-to-engineers")
    course = done(state, "B ENG1 ROAD F6 F7")
    assert course.facts == [Built("DE.ENG1", (("F6", "bridge"), ("F7", "road")))]
    assert cost(state, "M TNK1 F5 F6") == 4
    fort = drawn("DE.ENG2@E7")
    assert refused(fort, "B ENG2 ROAD F7 F8") == ("TC-SPECIAL-20", "on-fort")


def test_t52_mined_entrance() -> None:
    state = drawn("DE.INF1@D3, DE.CAV1@D4, mine C2=GB, GB.INF1@A9")
    course = done(state, "M INF1 C2")
    assert course.facts == [
        UnitMoved("DE.INF1", "D3", ("C2",), 1),
        MineExploded("C2", ("DE.INF1",)),
    ]
    assert state.mines == {}
    done(state, "M CAV1 D3 C2")
    assert marks(state, "DE.CAV1") == "C2"


# ------------------------------------------------------------------ mines


def test_special__13_a_mine_destroys_whoever_enters() -> None:
    state = drawn("DE.TNK1@D5 d1 x4, DE.INF1@A1, GB.MIN1@F3, mine D4=GB", money={"DE": 1, "GB": 1})
    course = done(state, "M TNK1 D4 D3")
    assert course.told(UnitMoved) == [UnitMoved("DE.TNK1", "D5", ("D4",), 1)]
    assert course.told(MineExploded) == [MineExploded("D4", ("DE.TNK1",))]
    assert "DE.TNK1" not in state.units
    assert state.on == {"A1": "DE.INF1", "F3": "GB.MIN1"}
    assert state.units["GB.MIN1"].xp == 0
    assert state.money == {"DE": 1, "GB": 1}


def test_special__13_the_last_unit_lost_on_a_mine_ends_the_game() -> None:
    state = drawn("DE.TNK1@D5, GB.MIN1@F3, mine D4=GB", half="1-6")
    course = done(state, "M TNK1 D4")
    assert [type(fact) for fact in course.facts] == [UnitMoved, MineExploded, GameWon]


def test_special__13_below_its_own_airplane() -> None:
    state = drawn("DE.AIR1@D4, DE.CAR1@D5, GB.MIN1@F3, mine D4=GB")
    done(state, "M CAR1 D4 D3")
    assert state.on == {"D4": "DE.AIR1", "F3": "GB.MIN1"}
    assert "DE.CAR1" not in state.units


def test_special__16_only_what_is_being_lost_may_share_a_hex() -> None:
    state = drawn("DE.AIR1@D4, DE.CAR1@D5, GB.MIN1@F3, mine D4=GB")
    UnitMoved("DE.CAR1", "D5", ("D4",), 1).apply(state)
    invariants.check(state)
    del state.mines["D4"]
    with pytest.raises(AssertionError, match="stand on D4"):
        invariants.check(state)


def test_special__13_only_minelayers_lay() -> None:
    assert refused(drawn("DE.ENG1@D5"), "MINE ENG1 D5") == ("TC-SPECIAL-13", "no-minelayer")
    assert mines_open(drawn("DE.ENG1@D5"), drawn("DE.ENG1@D5").units["DE.ENG1"]) == []


def test_special__14_one_mine_a_turn_and_one_a_hex() -> None:
    state = drawn("DE.MIN1@D5, DE.MIN2@E4")
    course = done(state, "MINE MIN1 D4")
    assert course.facts == [MineLaid("D4", "DE", "DE.MIN1")]
    assert refused(state, "MINE MIN1 D6") == ("TC-SPECIAL-14", "one-mine-a-turn")
    assert refused(state, "MINE MIN2 D4") == ("TC-SPECIAL-14", "one-mine-a-hex")
    assert is_legal(state, "MINE MIN2 E3")
    state.worked.clear()
    done(state, "MINE MIN1 D5")
    assert state.mines == {"D4": "DE", "D5": "DE"}  # any number in all


def test_special__14_air_units_are_immune() -> None:
    state = drawn("DE.AIR1@D5, DE.CAR1@D6, mine D4=GB")
    assert not is_mined_against(state, "DE.AIR1", "D4")
    assert is_mined_against(state, "DE.CAR1", "D4")
    assert not is_mined_against(state, "DE.CAR1", "D3")
    assert reach(state, "DE.AIR1")["D4"] == 2
    done(state, "M AIR1 D4 D3")
    assert marks(state, "DE.AIR1") == "D3"


def test_special__15_before_and_after_the_move() -> None:
    state = drawn("DE.MIN1@D5, DE.MIN2@E3")
    done(state, "MINE MIN1 D5", "M MIN1 D4")
    done(state, "M MIN2 E2", "MINE MIN2 E2")
    assert state.mines == {"D5": "DE", "E2": "DE"}


def test_special__15_own_hex_or_a_neighbour_on_land() -> None:
    state = drawn("DE.MIN1@C5, GB.MOR1@C4, GB.AIR1@D5, DE.INF1@B5")
    assert refused(state, "MINE MIN1 C3") == ("TC-SPECIAL-15", "not-in-reach")
    assert refused(state, "MINE MIN1 X9") == ("TC-SPECIAL-15", "not-in-reach")
    assert refusal(state, "MINE MIN1 C3").facts["hexes"] == ("C5", "D6", "B5")
    assert refused(state, "MINE MIN1 C6") == ("TC-SPECIAL-15", "no-land")
    assert refused(state, "MINE MIN1 C4") == ("TC-SPECIAL-15", "enemy-unit")
    assert refused(state, "MINE MIN1 D5") == ("TC-SPECIAL-15", "enemy-unit")
    assert [mine.hex for mine in mines_open(state, state.units["DE.MIN1"])] == ["C5", "D6", "B5"]
    bridge = drawn("DE.MIN1@D6")
    assert is_legal(bridge, "MINE MIN1 D7")
    before = drawn("DE.MIN1@C2")
    assert refused(before, "MINE MIN1 B2") == ("TC-SPECIAL-15", "no-land")
    assert "B2" not in [mine.hex for mine in mines_open(before, before.units["DE.MIN1"])]


def test_special__15_not_from_inside_a_fort() -> None:
    state = drawn("DE.MIN1@fort:B2, own B2=DE")
    assert refused(state, "MINE MIN1 C2") == ("TC-FORT-11", "inside-fort")
    assert mines_open(state, state.units["DE.MIN1"]) == []


def test_special__15_every_mine_offered_is_legal_and_none_is_missing() -> None:
    state = drawn("DE.MIN1@C5, GB.MOR1@C4, DE.INF1@B5, mine D6=DE")
    offered = mines_open(state, state.units["DE.MIN1"])
    every = [Mine("DE.MIN1", hex_) for hex_ in state.grid.places]
    assert sorted(offered, key=str) == sorted(
        (mine for mine in every if why_not(state, mine, ("DE",)) is None), key=str
    )
    assert mines_open(drawn("DE.MIN1@C5", worked=["DE.MIN1"]), state.units["DE.MIN1"]) == []


def test_special__16_harmless_to_the_layers_team() -> None:
    state = drawn("AH.CAR1@D5, DE.CAR1@D6, mine D4=DE", active="AH")
    assert not is_mined_against(state, "AH.CAR1", "D4")
    assert not is_mined_against(state, "DE.CAR1", "D4")
    assert path_to(state, "AH.CAR1", "D4") is not None


def test_special__16_a_transport_may_be_ordered_onto_a_mine_without_unloading() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, GB.INF1@J5, mine D4=GB")
    assert is_legal(state, "M TRK1 D4 D3")
    assert refused(state, "M TRK1 D6") == ("TC-TRANSPORT-5", "all-must-unload")
    done(state, "M TRK1 D4 D3")
    assert list(state.units) == ["GB.INF1"]


# ------------------------------------------------------------------ building


def test_special__19_once_a_turn_before_or_after_moving() -> None:
    state = drawn("DE.ENG1@E4")
    done(state, "M ENG1 E3", "B ENG1 ROAD E4 F4")
    assert state.built == {"E4": "road", "F4": "road"}
    assert state.worked == ["DE.ENG1"]
    assert refused(state, "B ENG1 ROAD E2 F3") == ("TC-SPECIAL-19", "one-work-a-turn")
    assert not can_build(state, state.units["DE.ENG1"])
    before = drawn("DE.ENG1@E4")
    done(before, "B ENG1 ROAD E3 F3", "M ENG1 E3")
    assert marks(before, "DE.ENG1") == "E3"


def test_special__19_who_builds_and_where() -> None:
    state = drawn("DE.ENG1@E4, DE.MIN1@D5")
    assert refused(state, "B MIN1 ROAD E5 F5") == ("TC-SPECIAL-19", "no-engineers")
    assert is_legal(state, "B ENG1 ROAD F4 G3")  # one hex next to the unit is enough
    assert is_legal(state, "B ENG1 ROAD G3 F4")
    assert refused(state, "B ENG1 ROAD G3 G4") == ("TC-SPECIAL-19", "not-next-to-engineers")
    assert refused(state, "B ENG1 ROAD E4 E4") == ("TC-SPECIAL-21", "not-next-to-each-other")
    assert is_legal(state, "B ENG1 ROAD E4 E3")  # its own hex may be the other one
    inside = drawn("DE.ENG1@fort:B2, own B2=DE")
    assert refused(inside, "B ENG1 ROAD C1 D1") == ("TC-FORT-11", "inside-fort")
    assert not can_build(inside, inside.units["DE.ENG1"])


def test_special__20_not_under_enemies_nor_on_forts_nor_in_his_trench() -> None:
    state = drawn("DE.ENG1@E4, GB.AIR1@F4, GB.CAR1@E3")
    assert refused(state, "B ENG1 ROAD F4 F5") == ("TC-SPECIAL-20", "enemy-unit")
    assert refused(state, "B ENG1 ROAD E5 E3") == ("TC-SPECIAL-21", "not-next-to-each-other")
    assert refusal(state, "B ENG1 ROAD F3 E3").facts["enemy"] == "GB.CAR1"
    assert refused(drawn("DE.ENG1@C2"), "B ENG1 ROAD C1 B2") == ("TC-SPECIAL-20", "on-fort")
    held = drawn("DE.ENG1@C4, GB.INF1@A5", trench_rules=True)
    assert refused(held, "B ENG1 ROAD B4 B5") == ("TC-SPECIAL-20", "trench-held")
    assert is_legal(drawn("DE.ENG1@C4, GB.TNK1@A5", trench_rules=True), "B ENG1 ROAD B4 B5")
    assert is_legal(drawn("DE.ENG1@C4, AH.INF1@A5", trench_rules=True), "B ENG1 ROAD B4 B5")


def test_special__20_under_own_units() -> None:
    assert is_legal(drawn("DE.ENG1@E4, DE.CAR1@F4, AH.CAR1@F5"), "B ENG1 ROAD F4 F5")


def test_special__20_no_trench_joins_those_of_two_teams() -> None:
    """C3 and C4 lie between the trench B4-B5-A5 and a trench dug at D4-D5."""
    dug = "built D4=trench, built D5=trench"
    state = drawn("DE.ENG1@C5, DE.INF1@D4, GB.INF1@A5", dug, trench_rules=True)
    assert refused(state, "B ENG1 TRENCH C4 C3") == ("TC-SPECIAL-20", "joins-enemy-trench")
    assert is_legal(state, "B ENG1 ROAD C4 C3")
    tank = drawn("DE.ENG1@C5, DE.TNK1@D4, GB.INF1@A5", dug, trench_rules=True)
    assert is_legal(tank, "B ENG1 TRENCH C4 C3")
    friend = drawn("DE.ENG1@C5, DE.INF1@D4, AH.INF1@A5", dug, trench_rules=True)
    done(friend, "B ENG1 TRENCH C4 C3")
    assert trench_of(friend, "A5") == ("A5", "B4", "B5", "C3", "C4", "D4", "D5")


@pytest.mark.parametrize(
    ("hexes", "becomes"),
    [
        (("E4", "F4"), ("road", "road")),
        (("E5", "E6"), ("road", "bridge")),
    ],
)
def test_special__21_roads_and_bridges(hexes: tuple[str, str], becomes: tuple[str, str]) -> None:
    state = drawn("DE.ENG1@D5")
    done(state, f"B ENG1 ROAD {hexes[0]} {hexes[1]}")
    assert tuple(state.terrain(hex_) for hex_ in hexes) == becomes


def test_special__21_what_is_road_already_is_not_built() -> None:
    state = drawn("DE.ENG1@D5")
    assert refused(state, "B ENG1 ROAD D4 E3") == ("TC-SPECIAL-21", "wrong-terrain")
    assert refusal(state, "B ENG1 ROAD D4 E3").facts["terrain"] == "road"
    assert refused(drawn("DE.ENG1@D6"), "B ENG1 ROAD D7 E7") == ("TC-SPECIAL-21", "wrong-terrain")


def test_special__21_two_hexes_next_to_each_other() -> None:
    state = drawn("DE.ENG1@E4")
    assert refused(state, "B ENG1 ROAD E3 E5") == ("TC-SPECIAL-21", "not-next-to-each-other")
    assert refused(state, "B ENG1 ROAD E3 E3") == ("TC-SPECIAL-21", "not-next-to-each-other")
    assert refused(state, "B ENG1 ROAD X9 E3") == ("TC-SPECIAL-21", "not-next-to-each-other")
    assert refused(state, "B ENG1 ROAD E3 X9") == ("TC-SPECIAL-21", "not-next-to-each-other")


def test_special__21_trenches_only_with_the_expert_rules() -> None:
    assert refused(drawn("DE.ENG1@E4"), "B ENG1 TRENCH E3 F3") == ("TC-SPECIAL-21", "no-trench-rules")
    state = drawn("DE.ENG1@E4, DE.INF1@F3", trench_rules=True)
    done(state, "B ENG1 TRENCH E3 F3")
    assert trench_of(state, "F3") == ("E3", "F3")
    roads = drawn("DE.ENG1@E5", trench_rules=True)
    assert is_legal(roads, "B ENG1 TRENCH D5 D4")  # on roads
    assert is_legal(roads, "B ENG1 TRENCH F5 F4")  # in a forest
    assert refused(roads, "B ENG1 TRENCH F5 F6") == ("TC-SPECIAL-21", "wrong-terrain")
    assert refused(drawn("DE.ENG1@D6", trench_rules=True), "B ENG1 TRENCH D7 D8") == (
        "TC-SPECIAL-21",
        "wrong-terrain",
    )
    assert refused(drawn("DE.ENG1@C4", trench_rules=True), "B ENG1 TRENCH B4 B3") == (
        "TC-SPECIAL-21",
        "wrong-terrain",
    )


def test_special__21_a_road_through_a_trench_parts_it() -> None:
    state = drawn("DE.ENG1@C4", trench_rules=True)
    done(state, "B ENG1 ROAD B5 A4")
    assert trench_of(state, "B4") == ("B4",)
    assert trench_of(state, "A5") == ("A5",)
    assert cost(drawn("DE.CAR1@C4", "built B5=road", trench_rules=True), "M CAR1 B5") == 1


def test_special__21_two_works_need_two_units() -> None:
    state = drawn("DE.ENG1@E4, DE.ENG2@E5")
    done(state, "B ENG1 ROAD E3 F3")
    assert is_legal(state, "B ENG2 ROAD F5 F4")


def test_special__22_what_is_built_counts_from_the_next_step_on() -> None:
    state = drawn("DE.ENG1@E4, DE.INF1@F3, DE.BOT1@F6")
    assert reach(state, "DE.INF1")["F4"] == 3
    done(state, "B ENG1 ROAD F4 F5")
    assert reach(state, "DE.INF1")["F4"] == 1
    assert reach(state, "DE.INF1")["F5"] == 2
    assert "F5" not in reach(state, "DE.BOT1")
    open_ = drawn("DE.ENG1@E4, DE.GUN1@D4")
    done(open_, "B ENG1 ROAD E3 F3")
    assert cost(open_, "M GUN1 E3 F3") == 2


def test_special__19_every_work_offered_is_legal_and_none_is_missing() -> None:
    state = drawn("DE.ENG1@E4, GB.CAR1@F4", trench_rules=True)
    offered = {(build.what, frozenset(build.hexes)) for build in builds_open(state, state.units["DE.ENG1"])}
    near = state.grid.within("E4", 3)
    legal = {
        (what, frozenset((one, other)))
        for what in ("road", "trench")
        for one in near
        for other in near
        if why_not_build(state, Build("DE.ENG1", what, (one, other))) is None
    }
    assert offered == legal
    assert list(builds_open(drawn("DE.CAR1@E4"), drawn("DE.CAR1@E4").units["DE.CAR1"])) == []


def test_special__19_a_unit_that_has_moved_may_still_work() -> None:
    state = drawn("DE.ENG1@E4, DE.MIN1@C4")
    done(state, "M ENG1 E3", "M MIN1 D4")
    options = TurnActs(state, ("DE",))
    assert options.only() is None
    assert {type(act).__name__ for act in options.describe()} == {"Build", "Mine", "Done"}
    done(state, "B ENG1 ROAD F3 F4", "MINE MIN1 D5")
    assert TurnActs(state, ("DE",)).only() == (DONE,)


def test_special__16_the_minelayer_has_no_attack() -> None:
    row = PACK.types["minelayer"]
    assert (row.range_ground, row.range_air) == ((), ())
