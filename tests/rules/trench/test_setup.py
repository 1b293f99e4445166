"""SETUP, COOP Who plays, tokens and companies, where units are placed, and the limited first turns."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import DONE, Attack, Move, Placement, Split
from engine.games.trench_club.facts.setup import (
    ArmySplit,
    CompaniesChosen,
    PlacingBegan,
    PlayBegan,
    TokenFlipped,
    TokensDealt,
    TokensLaid,
    TurnBegan,
)
from engine.games.trench_club.hidden import hidden
from engine.games.trench_club.rules.acts import TurnActs
from engine.games.trench_club.rules.companies import choices, companies_allowed, why_not_active
from engine.games.trench_club.rules.placing import (
    Placements,
    Splits,
    first_turn,
    setup,
)
from engine.games.trench_club.rules.setup import armies, seat_names, set_up
from engine.games.trench_club.rules.targets import Targets
from engine.games.trench_club.rules.turns import turn
from engine.games.trench_club.state import Unit, dump, load
from engine.games.trench_club.view import Report
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.requests import Mixed, Seat, Together
from tests.rules.trench.armies import game, go, ready, refused, run, types_of
from tests.rules.trench.drawn import PACK, drawn

# ------------------------------------------------------------------ who plays


def test_setup__1_four_nations_or_one_of_each_team() -> None:
    assert ("DE", "GB", "AH", "FR") == seat_names(PACK, GameSettings("standard", 4))
    assert ("DE", "GB") == seat_names(PACK, GameSettings("standard", 2))
    assert ("GB", "AH") == seat_names(PACK, GameSettings("standard", 2, "fast", {"nations": "AH GB"}))


@pytest.mark.parametrize(
    ("players", "nations"), [(2, "DE AH"), (2, "DE"), (2, "DE XX"), (2, "DE DE"), (1, "GB FR")]
)
def test_setup__1_allies_do_not_fight_each_other(players: int, nations: str) -> None:
    with pytest.raises(EngineError, match="option 'nations'"):
        game(players, nations=nations)


@pytest.mark.parametrize("players", [3, 5])
def test_setup__2_two_or_four_seats(players: int) -> None:
    with pytest.raises(EngineError, match="players"):
        game(players)


@pytest.mark.parametrize(
    ("option", "value"),
    [("half", "2-7"), ("short_game", 1), ("unit_limit", "2"), ("diceless", "XX"), ("nonsense", True)],
)
def test_options_are_known_or_refused(option: str, value: Any) -> None:
    with pytest.raises(EngineError, match=option):
        game(2, **{option: value})


def test_a_scenario_that_is_not_there_is_refused() -> None:
    with pytest.raises(EngineError, match="scenario"):
        set_up(PACK, GameSettings("1914", 2))


def test_setup__3_two_seats_play_on_one_half() -> None:
    assert (333, 14) == (len(game(4).grid), len(game(4).forts))
    west, east = game(2), game(2, half="7-12")
    assert (159, 7) == (len(west.grid), len(west.forts))
    assert "B2" in west.forts and "V2" in east.forts and "L1" not in west.grid


def test_setup__4_clockwise_allies_never_side_by_side() -> None:
    state = game(4)
    assert ("DE", "GB", "AH", "FR") == state.ring
    course = run(state, setup(state), "1 2 12 3")
    assert ("AH", "FR", "DE", "GB") == course.told(PlacingBegan)[0].order


def test_setup__5_eleven_units_one_of_each_type() -> None:
    state = game(4)
    for nation in PACK.ring:
        assert 11 == len(set(types_of(state, nation))) == len(types_of(state, nation))


@pytest.mark.parametrize(
    ("nation", "gun", "own"),
    [
        ("DE", "field_gun", "big_bertha"),
        ("AH", "howitzer", "anti_tank_gunners"),
        ("GB", "field_gun", "mark_i_female"),
        ("FR", "howitzer", "renault_ft17"),
    ],
)
def test_setup__6_guns_and_own_units(nation: str, gun: str, own: str) -> None:
    state = game(4)
    assert [gun, own] == types_of(state, nation)[-2:]
    same = ("speed", "attack", "armour", "price", "klass")
    assert all(getattr(PACK.types["field_gun"], one) == getattr(PACK.types["howitzer"], one) for one in same)
    assert PACK.types["field_gun"].range_ground != PACK.types["howitzer"].range_ground


def test_setup__7_the_field_gun_is_carried_and_is_no_foot_unit() -> None:
    gun = PACK.types["field_gun"]
    assert gun.transportable and gun.klass == "gun" and not gun.captures


def test_e22_the_two_infantry_types() -> None:
    foot, mounted = PACK.types["infantry"], PACK.types["mounted_infantry"]
    assert (2, 4, 3, 6) == (foot.price, foot.speed, mounted.price, mounted.speed)
    same = ("klass", "range_ground", "range_air", "attack", "armour", "transportable", "captures")
    assert all(getattr(foot, one) == getattr(mounted, one) for one in same)


# ------------------------------------------------------------------ tokens and companies


@pytest.mark.parametrize(("players", "half", "numbers"), [(4, "1-6", 12), (2, "1-6", 6), (2, "7-12", 6)])
def test_setup__8_three_tokens_each_of_the_board_in_play(players: int, half: str, numbers: int) -> None:
    state = game(players, half=half)
    course = run(state, setup(state), "1 2 3 4" if players == 4 else "1 2")
    dealt = course.told(TokensDealt)[0].dealt
    assert [3] * players == [len(tokens) for _, tokens in dealt]
    found = sorted(int(token[5:]) for _, tokens in dealt for token in tokens)
    first = 7 if half == "7-12" else 1
    assert found == list(range(first, first + numbers))


def test_setup__9_nobody_sees_a_number() -> None:
    state = game()
    (dealt,) = run(state, setup(state), "1 2").told(TokensDealt)
    assert dealt.audience == () and isinstance(dealt.redacted(), TokensLaid)
    for seat in ("DE", "GB"):
        view = Report(state)(Seat(seat))
        assert "TOKEN" not in repr([getattr(view.position, name) for name in ("numbers", "units", "options")])
        assert not hasattr(view.position, "tokens")
    assert [tuple(f"TOKEN{n}" for n in range(1, 7))] == list(hidden(state, Seat("DE")))


def test_setup__10_any_split_of_all_eleven() -> None:
    state = game()
    army = tuple(sorted(unit.id for unit in state.units.values() if unit.nation == "DE"))
    options = Splits(state, "DE", army)
    assert options.contains(Split(army, (), ())) and options.contains(Split(army[:4], army[4:], ()))
    assert ("TC-SETUP-10", "not-split") == refused(options, Split(army[1:], (), ()))
    assert ("TC-SETUP-10", "split-twice") == refused(options, Split(army, army[:1], ()))
    assert ("TC-SETUP-10", "not-in-army") == refused(options, Split((*army, "GB.INF1"), (), ()))
    assert ("TC-SETUP-10", "no-split") == refused(options, Split(army[::-1], (), ()))
    assert ("TC-SETUP-10", "no-split") == refused(options, "A")


def test_setup__10b_the_beginners_split_is_the_default() -> None:
    state = game(nations="AH GB")
    course = run(state, setup(state), "1 2")
    split = {fact.nation: fact.companies for fact in course.told(ArmySplit)}
    assert ("AH.AIR1", "AH.CAR1", "AH.CAV1") == split["AH"][0]
    assert ("AH.FLK1", "AH.HOW1", "AH.INF1", "AH.TNK1") == split["AH"][1]
    assert ("AH.ATG1", "AH.HVY1", "AH.MOR1", "AH.TRK1") == split["AH"][2]
    assert split["GB"][1] == ("GB.FLK1", "GB.GUN1", "GB.INF1", "GB.TNK1")


def test_setup__11_splits_are_secret_and_revealed_together() -> None:
    state = game()
    step = setup(state)
    run_until = [step.send(None), step.send(Mixed(tuple(f"TOKEN{n}" for n in range(1, 7)), "root"))]
    run_until[-1].apply(state)
    together = step.send(None)
    assert isinstance(together, Together) and all(ask.secret for ask in together.asks)
    assert all(unit.company == "" for unit in state.units.values())


@pytest.mark.parametrize(
    ("dice", "first", "rolls"), [("3 9", "GB", 2), ("9 3", "DE", 2), ("5 5 2 1", "DE", 4)]
)
def test_setup__12_the_highest_places_first_and_ties_roll_again(dice: str, first: str, rolls: int) -> None:
    state = game()
    course = run(state, setup(state), dice)
    assert first == course.told(PlacingBegan)[0].order[0] and rolls == len(course.rolls)
    assert all(roll.sides == 12 for roll in course.rolls)


def test_setup__12_only_those_who_tie_roll_again() -> None:
    state = game(4)
    course = run(state, setup(state), "9 9 1 2 3 4")
    assert ["DE", "GB", "AH", "FR", "DE", "GB"] == [roll.seat for roll in course.rolls]
    assert course.told(PlacingBegan)[0].order[0] == "GB"


def test_setup__13_one_company_a_go_of_ones_own_choice() -> None:
    state = ready()
    courses = [go(state, company) for company in ("B", "A", "A", "C")] + [go(state) for _ in range(2)]
    flipped = [fact for course in courses for fact in course.told(TokenFlipped)]
    assert ["DE.B", "GB.A", "DE.A", "GB.C", "DE.C", "GB.B"] == [f"{f.nation}.{f.company}" for f in flipped]
    assert order_of_play.first_turn() == courses[-1].result
    assert [2, 4, 1, 6, 3, 5] == [fact.number for fact in flipped]  # the pile as it lay: A, B, C of each
    assert all(PACK.starts[fact.number] == fact.hex for fact in flipped)


def test_setup__13_what_is_placed_is_not_flipped_again() -> None:
    state = ready()
    go(state, "B")
    go(state)
    (ask,) = [ask for ask in go(state).asks if ask.topic == "setup.flip"]
    assert ("TC-SETUP-13", "not-left") == refused(ask.options, "B")


# ------------------------------------------------------------------ placement


def company(units: str, number: int, *others: str, **options: Any) -> Placements:
    """A company of DE about to be placed; the others stand on the board."""
    state = drawn(", ".join(others), half="1-6", **options)
    names = tuple(f"DE.{unit}" for unit in units.split())
    for name in names:
        type_ = PACK.type_of_code[name[3:6]]
        state.units[name] = Unit(name, "DE", type_)
    return Placements(state, names, PACK.starts[number])


def placed(**places: str) -> Placement:
    return Placement(tuple(sorted((f"DE.{unit}", hex_) for unit, hex_ in places.items())))


def test_setup__14_one_on_the_number_the_others_around() -> None:
    options = company("INF1 CAR1", 2)
    assert options.contains(placed(INF1="D5", CAR1="E5")) and options.contains(placed(CAR1="D5", INF1="C4"))
    assert ("TC-SETUP-15", "ring-not-full") == refused(options, placed(INF1="D4", CAR1="E5"))
    assert ("TC-SETUP-14", "two-on-a-hex") == refused(options, placed(INF1="D5", CAR1="D5"))
    assert ("TC-SETUP-14", "not-placed-once") == refused(options, placed(INF1="D5"))
    assert ("TC-SETUP-14", "not-in-company") == refused(options, placed(INF1="D5", CAR1="E5", TNK1="D4"))
    assert ("TC-SETUP-14", "no-placement") == refused(options, None)


NINE = "AIR1 CAR1 CAV1 FLK1 GUN1 HVY1 INF1 MOR1 TNK1"


def test_e21_rings_are_filled_outward() -> None:
    """TC-SETUP-15, TC-SETUP-16"""
    options = company(NINE, 2)
    near = dict(zip(NINE.split(), ("D5", "D4", "E4", "E5", "D6", "C5", "C4"), strict=False))
    assert options.contains(placed(**near, MOR1="D3", TNK1="E3"))
    assert options.contains(placed(**near, MOR1="C6", TNK1="E6"))  # water may be used
    gap = {unit: hex_ for unit, hex_ in near.items() if hex_ != "C4"}
    assert ("TC-SETUP-15", "ring-not-full") == refused(
        options, placed(**gap, INF1="C3", MOR1="D3", TNK1="E3")
    )
    assert options.in_order() == placed(**near, MOR1="D3", TNK1="E3")


def test_setup__16_water_need_not_be_used() -> None:
    options = company("INF1 CAR1 TNK1", 2, "FR.INF1@D4, FR.INF2@E4, FR.CAV1@E5, FR.CAV2@C5, FR.CAR1@C4")
    assert options.in_order() == placed(INF1="D5", CAR1="D6", TNK1="D3")
    assert options.contains(placed(INF1="D5", CAR1="D6", TNK1="C6"))


def test_setup__17_forts_taken_hexes_and_the_other_half_are_not_usable() -> None:
    options = company("INF1 CAR1", 2, "FR.INF1@D4")
    assert ("TC-SETUP-17", "not-usable") == refused(options, placed(INF1="D5", CAR1="D4"))
    assert ("TC-SETUP-17", "not-usable") == refused(options, placed(INF1="D5", CAR1="B2"))
    assert ("TC-SETUP-17", "not-usable") == refused(options, placed(INF1="D5", CAR1="M3"))
    taken = company("INF1 CAR1", 2, "FR.INF1@D5")  # the number's own hex: nobody stands there
    assert taken.contains(placed(INF1="D4", CAR1="E4"))


def test_setup__17_any_unit_may_be_put_on_water() -> None:
    options = company(NINE, 2)
    near = dict(zip(NINE.split(), ("D5", "D4", "E4", "E5", "D6", "C5", "C4"), strict=False))
    assert options.contains(placed(**near, TNK1="C6", MOR1="F6"))


def test_setup__18_no_trench_that_it_could_not_enter() -> None:
    """With the expert rules B4 and B5 are trench: a car passes them over, infantry must take them."""
    hexes = "DE.TRK1@D4, DE.AIR1@E4, DE.AIR2@E5, DE.TRK2@D6, DE.GUN1@C5, DE.GUN2@C4, DE.HVY1@D5"
    ring2 = "DE.MOR1@D3, DE.MOR2@E3, DE.BER1@F4, DE.BER2@F5, DE.TNK1@D7, DE.TNK2@C3"
    car = company("CAR1", 2, hexes, ring2, trench_rules=True)
    assert ("TC-SETUP-17", "not-usable") == refused(car, placed(CAR1="B5"))
    assert car.in_order().places[0][1] not in ("B4", "B5")
    foot = company("INF1", 2, hexes, ring2, trench_rules=True)
    assert foot.contains(placed(INF1="B5")) and not foot.contains(car.in_order())
    enemy = company("INF1", 2, hexes, ring2, "FR.INF1@A5", trench_rules=True)
    assert ("TC-SETUP-17", "not-usable") == refused(enemy, placed(INF1="B5"))
    assert company("CAR1", 2, hexes, ring2).contains(placed(CAR1="B5"))


def test_samples_of_a_placement_are_offered() -> None:
    options = company(NINE, 2)
    found = {options.sample(Random(seed)) for seed in range(40)}
    assert len(found) > 20 and all(options.contains(one) for one in found)
    assert any(hex_ in ("C6", "E6", "F6", "B6") for one in found for _, hex_ in one.places)


def test_setup__19_forts_neutral_units_fresh() -> None:
    state = game(4)
    assert set(state.forts.values()) == {""}
    assert all((unit.damage, unit.xp) == (0, 0) for unit in state.units.values())


def test_setup__20_austria_hungary_has_three_bonds() -> None:
    assert {"DE": 0, "GB": 0, "AH": 3, "FR": 0} == game(4).money


def test_setup__21_a_new_roll_decides_who_begins() -> None:
    state = ready()
    for _ in range(6):
        go(state)
    course = run(state, first_turn(state), "4 4 2 11")
    assert ("GB", "DE") == course.told(PlayBegan)[0].order
    assert course.result == order_of_play.turn(1, "GB")


# ------------------------------------------------------------------ turns


def test_setup__22_four_phases_then_the_next_player() -> None:
    state = drawn("DE.CAR1@D4, GB.INF1@D5", half="1-6")
    course = run(state, turn(state, 3, "DE"), answers=["orders", DONE, (Attack("DE.CAR1", "GB.INF1"),)])
    assert ["turn.lead", "turn.act", "turn.targets"] == [ask.topic for ask in course.asks]
    assert course.result == order_of_play.combat(state)
    assert order_of_play.next_turn(state) == order_of_play.turn(3, "GB")
    state.active = "GB"
    assert order_of_play.next_turn(state) == order_of_play.turn(4, "DE")


def test_setup__22_who_stood_in_a_fort_is_noted_when_the_turn_begins() -> None:
    state = drawn("DE.CAR1@fort:B2, DE.INF1@D4, GB.INF1@D5", "own B2=DE", half="1-6")
    assert ("DE.CAR1",) == run(state, turn(state, 3, "DE")).told(TurnBegan)[0].sheltered


@pytest.mark.parametrize(("place", "companies"), [(0, 1), (1, 1), (2, 2), (3, 0)])
def test_setup__23_four_players_in_round_one(place: int, companies: int) -> None:
    state = drawn("", round=1)
    assert companies == companies_allowed(state, state.order[place])
    state.round = 2
    assert companies_allowed(state, state.order[place]) == 0


@pytest.mark.parametrize(("round_", "first", "second"), [(1, 1, 2), (2, 2, 0), (3, 0, 0)])
def test_setup__24_two_players(round_: int, first: int, second: int) -> None:
    state = drawn("", half="1-6", round=round_)
    assert [first, second] == [companies_allowed(state, camp) for camp in state.order]


def test_e12_start_of_a_game_of_four() -> None:
    """TC-SETUP-23, TC-SETUP-26"""
    units = "GB.CAR1@D4 A, GB.CAR2@D6 B, DE.INF1@M4 A"
    state = drawn(units, active="GB", round=1, order=("GB", "AH", "FR", "DE"))
    assert [1, 1, 2, 0] == [companies_allowed(state, camp) for camp in state.order]
    state.chosen = ("A",)
    options = TurnActs(state, ("GB",))
    assert options.contains(Move("GB.CAR1", ("D3",)))
    assert refused(options, Move("GB.CAR2", ("D5",)))[0] == "TC-SETUP-26"


def test_e13_start_of_a_game_of_two() -> None:
    """TC-SETUP-24, TC-SETUP-25"""
    units = "DE.CAR1@D4 A, DE.CAR2@D6 B, DE.TNK1@H4 C, GB.INF1@K4 A"
    state = drawn(units, half="1-6", round=1)
    course = run(state, turn(state, 1, "DE"), answers=["orders", ("B",)])
    assert [("B",)] == [fact.companies for fact in course.told(CompaniesChosen)]
    second = run(state, turn(state, 2, "DE"))
    assert [("A", "C")] == [fact.companies for fact in second.told(CompaniesChosen)]
    options = TurnActs(state, ("DE",))
    assert refused(options, Move("DE.CAR2", ("D5",)))[0] == "TC-SETUP-26"
    assert not run(state, turn(state, 3, "DE")).told(CompaniesChosen)


def test_setup__25_an_option_allows_any_two() -> None:
    state = drawn("", half="1-6", round=2, acted={"DE": ("B",)})
    assert (("A", "C"),) == choices(state, "DE")
    free = drawn("", half="1-6", round=2, acted={"DE": ("B",)}, second_round="any_two")
    assert (("A", "B"), ("A", "C"), ("B", "C")) == choices(free, "DE")


def test_the_companies_with_most_units_act_by_default() -> None:
    state = drawn("DE.CAR1@D4 A, DE.CAR2@D6 C, DE.TNK1@H4 C, GB.INF1@K4 A", half="1-6", round=1)
    assert [("C",)] == [fact.companies for fact in run(state, turn(state, 1, "DE")).told(CompaniesChosen)]


def test_setup__26_what_rests_does_not_attack_either() -> None:
    state = drawn("DE.CAR1@D4 A, DE.CAR2@D6 B, GB.INF1@D5", half="1-6", chosen=("A",))
    assert Targets(state, ("DE",)).contains((Attack("DE.CAR1", "GB.INF1"),))
    assert refused(Targets(state, ("DE",)), (Attack("DE.CAR2", "GB.INF1"),))[0] == "TC-SETUP-26"


def test_setup__27_bought_units_are_never_limited() -> None:
    state = drawn("DE.CAR1@D4 A, DE.CAR2@D6", half="1-6", chosen=("B",))
    assert why_not_active(state, "DE.CAR2") is None
    refusal = why_not_active(state, "DE.CAR1")
    assert refusal is not None and refusal.reason == "company-not-active"


# ------------------------------------------------------------------ state


@pytest.mark.parametrize(("players", "coop_"), [(1, False), (2, False), (2, True), (4, False)])
def test_a_position_is_stored_and_read_back(players: int, coop_: bool) -> None:
    state = game(players, coop=coop_)
    run(state, setup(state), " ".join(str(n) for n in range(1, len(state.ring) + 1)))
    go(state)
    data = json.loads(json.dumps(dump(state), sort_keys=True))
    again = load(PACK, data)
    assert dump(again) == dump(state) and again.on == state.on
    assert list(again.units) == list(state.units) and list(again.forts) == list(state.forts)
    assert armies(again) == armies(state)
