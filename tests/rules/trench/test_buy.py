"""BUY: units of the own sheet, and special forces."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.games.trench_club.answers import DONE, Buy, DrawnGiven, Give, Repair, Special
from engine.games.trench_club.facts import money as facts
from engine.games.trench_club.facts.combat import CombatFought, Shot
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.facts.setup import TurnBegan
from engine.games.trench_club.rules.money import money
from engine.games.trench_club.rules.purchases import Purchases, affordable, why_not_buy, why_not_repair
from engine.games.trench_club.rules.special_forces import (
    Strength,
    deck,
    free_water,
    is_at_limit,
    is_behind,
    nearest_water,
    owned,
    strength,
)
from tests.rules.trench.fights import PACK, field, play, refused

ROW = ("E1", "E2", "E3", "E4", "E5", "E7", "E8", "E10", "E11", "E12", "E13", "E14", "G1", "G2", "G3")


def spend(state, *acts, draws="", put=()):
    answers = {"turn.spend": [*acts, DONE]} | ({"turn.put": list(put)} if put else {})
    return play(state, money(state), answers, draws=draws)


def why(state, act, nation="DE"):
    return Purchases(state, nation).why_not(act)


# ------------------------------------------------------------------ units of the sheet


def test_buy__1_sheet_price_and_any_number_while_money_lasts():
    state = field(own="B2=DE", money={"DE": 8})
    course = spend(state, Buy("infantry", "B2"), Buy("mounted_infantry", "B2"), Buy("infantry", "B2"))
    assert [fact.cost for fact in course.told(facts.UnitBought)] == [2, 3, 2]
    assert sorted(state.units) == ["DE.CAV1", "DE.INF1", "DE.INF2"]
    assert state.made == {"DE.INF": 2, "DE.CAV": 1}
    assert state.money["DE"] == 2
    assert refused(why(state, Buy("mounted_infantry", "B2")), "TC-BUY-1", "not-enough-money", cost=3, money=2)
    assert Purchases(field(own="B2=DE", money={"DE": 3}), "DE").contains(Buy("mounted_infantry", "B2"))


def test_buy__2_placed_at_once_in_an_own_fort_unharmed():
    """Also in one that was conquered this turn; the number was never used before."""
    state = field("DE.INF1@C2", "DE.CAR3@D4", own="B8=DE J2=AH J8=GB", money={"DE": 9})
    FortConquered("B2", "DE", "DE.INF1", "", ()).apply(state)
    spend(state, Buy("armoured_car", "B2"))
    unit = state.units["DE.CAR4"]
    assert (unit.at, unit.damage, unit.xp, unit.company, unit.type) == ("B2", 0, 0, "", "armoured_car")
    assert state.inside("B2") == ["DE.INF1", "DE.CAR4"]
    for fort in ("J2", "J8", "J14", "D4", ""):
        refusal = why(state, Buy("infantry", fort))
        assert refused(refusal, "TC-BUY-2", "not-own-fort", fort=fort, legal=("B2", "B8"))


def test_buy__2_numbers_are_never_used_again():
    state = field("DE.CAR2@D4", own="B2=DE", money={"DE": 9})
    del state.units["DE.CAR2"]
    spend(state, Buy("armoured_car", "B2"))
    assert "DE.CAR3" in state.units


def test_buy__4_without_a_fort_nothing_can_be_bought():
    state = field(own="J2=AH", money={"DE": 20})
    assert refused(why(state, Buy("infantry", "J2")), "TC-BUY-4", "no-fort")
    assert refused(why(state, Special("J2")), "TC-BUY-4", "no-fort")


@pytest.mark.parametrize("nation", ["DE", "GB", "AH", "FR"])
def test_buy__5_only_types_of_the_own_sheet(nation):
    state = field(own=f"B2={nation}", money={nation: 99}, options={"unit_limit": 0})
    able = [type_ for type_ in PACK.types if why_not_buy(state, type_, "B2", nation) is None]
    assert sorted(able) == sorted(PACK.sheet[nation])
    assert len(able) == 11
    assert refused(why(state, Buy("airship", "B2"), nation), "TC-BUY-5", "not-on-sheet", nation=nation)


def test_t28_unit_limit():
    """BUY-10 After the second car is destroyed in phase 3 the same line is executed."""
    state = field("DE.CAR1@D4", "DE.CAR2@D5 d5", own="B2=DE", money={"DE": 9})
    assert refused(
        why(state, Buy("armoured_car", "B2")), "TC-BUY-10", "unit-limit", limit=2, type="armoured_car"
    )
    shot = Shot("GB.INF1", "DE.CAR2", "dice", (), 0, 2, 2, "car", "open", 1, True)
    CombatFought("DE.CAR2", "GB.INF1", 1, 0, "E4", (shot,), ()).apply(state)
    assert why(state, Buy("armoured_car", "B2")) is None


@pytest.mark.parametrize(
    ("limit", "number", "full"), [(1, 1, True), (2, 1, False), (2, 2, True), (3, 2, False), (0, 9, False)]
)
def test_buy__10_at_most_so_many_of_one_type_each_player(limit, number, full):
    units = [f"DE.INF{n}@fort:B2" for n in range(1, number + 1)]
    state = field(*units, "AH.CAR1@fort:B8", own="B2=DE B8=AH", options={"unit_limit": limit})
    assert is_at_limit(state, "DE", "infantry") == full
    assert owned(state, "DE", "infantry") == number
    assert not is_at_limit(state, "AH", "infantry")


def test_buy__10_partners_of_a_coop_count_together():
    """COOP-6"""
    state = field(
        *("GB.INF1@fort:B2", "FR.INF1@fort:B2"),
        own="B2=GB",
        nations="GB FR DE",
        coop=True,
        automa="DE",
        active="GB",
        money={"GB": 9},
    )
    assert refused(why(state, Buy("infantry", "B2"), "FR"), "TC-BUY-10", "unit-limit")


def test_buy__12_a_bought_unit_is_sheltered_at_the_next_turns_start():
    state = field(own="B2=DE", money={"DE": 9})
    spend(state, Buy("infantry", "B2"))
    assert refused(why_not_repair(state, "DE.INF1", "DE"), "TC-MONEY-5", "came-in-this-turn")
    TurnBegan(4, "DE", ("DE.INF1",)).apply(state)
    assert refused(why_not_repair(state, "DE.INF1", "DE"), "TC-MONEY-6", "undamaged")


# ------------------------------------------------------------------ special forces


def test_buy__6_paid_then_drawn_blind():
    state = field(own="B2=DE B8=DE", money={"DE": 7})
    course = spend(state, Special("B2"), draws="airship", put=["B8"])
    assert [type(fact).__name__ for fact in course.facts] == [
        "IncomeCollected",
        "SpecialPaid",
        "SpecialDrawn",
        "UnitBought",
    ]
    assert course.told(facts.SpecialDrawn) == [facts.SpecialDrawn("DE", "airship")]
    (draw,), put = course.draws, course.asks[1]
    assert (draw.seat, draw.why, draw.count) == ("DE", "special", 1)
    assert draw.items == ("airship", "engineers", "gas_launcher", "gunboat", "minelayer", "railway_gun")
    assert (put.topic, put.at, put.given, put.default) == (
        "turn.put",
        "R3.DE.M",
        DrawnGiven("DE", "airship"),
        "B2",
    )
    assert put.options.describe() == ("B2", "B8")
    assert refused(put.options.why_not("B14"), "TC-BUY-2", "not-own-fort", fort="B14", legal=("B2", "B8"))
    assert state.units["DE.ZEP1"].at == "B8"
    assert state.money["DE"] == 2
    assert course.told(facts.UnitBought)[0].cost == 0


def test_buy__11_every_special_force_costs_seven():
    state = field(own="B2=DE", money={"DE": 6})
    assert refused(why(state, Special("B2")), "TC-BUY-11", "not-enough-money", cost=7, money=6)
    state.money["DE"] = 7
    assert why(state, Special("B2")) is None


def test_buy__3_a_gunboat_goes_on_free_water():
    state = field("GB.INF1@B6", own="B2=DE", money={"DE": 7})
    course = spend(state, Special("B2", water="C6"), draws="gunboat")
    put = course.asks[1]
    assert put.default == "C6"
    assert "B6" not in put.options.offered and "D7" not in put.options.offered
    assert refused(put.options.why_not("B6"), "TC-BUY-3", "not-free-water", hex="B6")
    assert state.on["C6"] == "DE.BOT1"
    assert state.units["DE.BOT1"].at == "C6"


def test_buy__3_without_a_word_on_the_water_nearest_to_the_fort():
    """D8"""
    state = field(own="B2=DE", money={"DE": 7})
    course = spend(state, Special("B2"), draws="gunboat")
    assert course.asks[1].default == "B6"
    assert nearest_water(state, "J8") == "I6"
    assert [state.grid.distance("J8", hex_) for hex_ in ("I6", "I9", "J6")] == [2, 2, 2]


def test_buy__3_water_of_the_board_in_play_only_and_no_bridge():
    half = field(nations="DE GB")
    assert len(free_water(half)) == 18
    assert len(free_water(field())) == 38
    assert "L6" not in free_water(half) and "D7" not in free_water(half)
    state = field("GB.INF1@C6", own="B2=DE", nations="DE GB", money={"DE": 7})
    for hex_ in ("D7", "M6", "D4", "Z9"):
        assert refused(why(state, Special("B2", water=hex_)), "TC-BUY-3", "not-free-water", hex=hex_)
    assert why(state, Special("B2", water="B6")) is None


@pytest.mark.parametrize(("drawn", "at"), [("airship", "B2"), ("gunboat", "B6")])
def test_buy__3_a_wish_for_water_that_is_taken_costs_nobody_his_draw(drawn, at):
    """BUY-6, D8 The nearest to the fort serves; a gunboat that is chosen must have its water."""
    state = field("GB.INF1@C6", "GB.INF2@D4", own="B2=DE J2=GB J8=FR", money={"DE": 9})
    refusal = why(state, Special("B2", "C6", "gunboat"))
    assert refused(refusal, "TC-BUY-3", "not-free-water", hex="C6")
    assert why(state, Special("B2", "C6", "airship")) is None
    course = spend(state, Special("B2", water="C6"), draws=drawn)
    assert course.asks[1].default == at
    assert course.told(facts.UnitBought)[0].at == at


@pytest.mark.parametrize(
    ("own", "enemies", "forts", "behind"),
    [
        (1, 2, "J2=GB", True),
        (2, 2, "J2=GB", False),  # as many units
        (1, 2, "B2=DE J2=GB", False),  # as many forts
        (1, 2, "B2=AH B8=DE J2=GB J8=FR", False),
        (1, 2, "B2=AH J2=GB J8=FR", True),
        (3, 2, "J2=GB", False),
        (1, 2, "B2=DE", False),
    ],
)
def test_buy__7_a_team_behind_in_units_and_in_forts_may_choose(own, enemies, forts, behind):
    units = [f"DE.INF{n}@D{n + 2}" for n in range(1, own + 1)]
    units += [f"GB.INF{n}@E{n}" for n in range(1, enemies + 1)]
    assert is_behind(field(*units, own=forts), "central") == behind


def test_buy__8_only_units_on_the_map_count():
    state = field("DE.INF1@D4", "AH.INF1@D5", "DE.CAR1@fort:B2", "GB.INF1@E4", own="B2=DE J2=FR")
    assert strength(state, "central") == Strength(2, 1)
    assert strength(state, "entente") == Strength(1, 1)


@pytest.mark.parametrize(("sheltered", "granted"), [(2, True), (1, False)])
def test_t53_units_in_forts_and_the_free_choice(sheltered, granted):
    """BUY-7, 8, FORT-11"""
    central = [f"{'DE' if n % 2 else 'AH'}.INF{n}@{hex_}" for n, hex_ in enumerate(ROW, 1)]
    inside = [f"DE.CAR{n}@fort:B2" for n in range(1, sheltered + 1)]
    entente = [f"GB.INF{n}@{hex_.replace('E', 'Q').replace('G', 'S')}" for n, hex_ in enumerate(ROW, 1)]
    own = "B2=DE B8=DE B14=AH J2=AH J8=DE N2=GB N8=GB N14=FR V2=FR V8=GB V14=GB"
    state = field(*central[: 16 - sheltered], *inside, *entente, own=own, money={"DE": 7})
    assert len(list(state.enemies_of("entente"))) == 16
    refusal = why(state, Special("B2", choice="airship"))
    if granted:
        course = spend(state, Special("B2", choice="airship"))
        assert course.told(facts.UnitBought)[0].cost == 7
        assert course.draws == []
        assert state.units["DE.ZEP1"].at == "B2"
    else:
        told = {"units": 15, "forts": 5, "enemies": 15, "enemy_forts": 6}
        assert refused(refusal, "TC-BUY-7", "not-behind", **told)


BEHIND: dict[str, Any] = {"own": "B2=DE J2=GB J8=FR", "money": {"DE": 9}}


def test_buy__7_the_chosen_type_must_be_a_special_force():
    state = field("GB.INF1@E4", **BEHIND)
    refusal = why(state, Special("B2", choice="tank"))
    assert refused(refusal, "TC-BUY-5", "no-special-force", type="tank")
    without = field("GB.INF1@E4", **BEHIND, options={"engineers_in_special_deck": False})
    assert refused(why(without, Special("B2", choice="engineers")), "TC-BUY-5", "no-special-force")
    full = field("GB.INF1@E4", "GB.INF2@E5", "GB.INF3@E3", "DE.ZEP1@D4", "DE.ZEP2@D5", **BEHIND)
    assert refused(why(full, Special("B2", choice="airship")), "TC-BUY-10", "unit-limit", type="airship")


def test_buy__7_a_chosen_gunboat_takes_the_water_directly():
    state = field("GB.INF1@E4", **BEHIND)
    spend(state, Special("B2", water="A9", choice="gunboat"))
    assert state.on["A9"] == "DE.BOT1"
    state = field("GB.INF1@E4", **BEHIND)
    spend(state, Special("B2", choice="gunboat"))
    assert state.on["B6"] == "DE.BOT1"
    assert state.money["DE"] == 3


def test_buy__9_types_at_the_limit_are_left_out_of_the_draw():
    state = field("DE.ZEP1@D4", "DE.ZEP2@D5", "DE.GAS1@D3", "AH.MIN1@E4", "AH.MIN2@E5", own="B2=DE")
    assert deck(state, "DE") == ("engineers", "gas_launcher", "gunboat", "minelayer", "railway_gun")
    assert deck(state, "AH") == ("airship", "engineers", "gas_launcher", "gunboat", "railway_gun")


def flooded(*units, **more):
    """No water hex is free."""
    state = field(*units, **more)
    state.built = {hex_: "bridge" for hex_ in state.grid if PACK.terrain[hex_] == "water"}
    return state


def test_buy__9_no_gunboat_without_free_water():
    state = flooded("GB.INF1@E4", **BEHIND)
    assert free_water(state) == ()
    assert "gunboat" not in deck(state, "DE")
    assert refused(why(state, Special("B2", choice="gunboat")), "TC-BUY-3", "no-free-water")
    assert why(state, Special("B2", choice="airship")) is None
    state.built.pop("C6")
    assert "gunboat" in deck(state, "DE")


def test_buy__9_nothing_left_to_draw():
    codes = ("RWY", "ZEP", "MIN", "GAS", "BOT", "ENG")
    units = [f"DE.{code}{n}@fort:B2" for code in codes for n in (1, 2)]
    state = field(*units, own="B2=DE", money={"DE": 20})
    assert deck(state, "DE") == ()
    assert refused(why(state, Special("B2")), "TC-BUY-9", "deck-empty")


# ------------------------------------------------------------------ what is offered


def test_buy__1_samples_reach_every_purchase_and_are_legal():
    state = field(
        *("GB.INF1@E4", "GB.INF2@E5", "DE.TNK1@fort:B2 d1"),
        own="B2=DE B8=DE J2=GB J8=GB J14=FR",
        money={"DE": 7},
        sheltered=["DE.TNK1"],
    )
    options, rng = Purchases(state, "DE"), random.Random(5)
    seen = {options.sample(rng) for _ in range(2500)}
    named = {act for act in seen if isinstance(act, Special) and act.water}
    assert seen - named == set(options.describe())
    assert all(options.contains(act) for act in seen)
    assert len({act.water for act in named}) > 10
    assert {Repair("DE.TNK1"), Give(7), Special("B8"), Special("B2", choice="gunboat"), DONE} <= seen
    assert Buy("tank", "B2") not in seen


@pytest.mark.parametrize(("money", "limit"), [(2, 2), (3, 2), (8, 2), (8, 1), (8, 0)])
def test_buy__10_what_is_affordable_is_what_may_be_bought(money, limit):
    state = field(
        *("DE.INF1@D4", "DE.CAR1@D5", "DE.CAR2@fort:B2", "AH.INF1@E4", "AH.INF2@E5"),
        own="B2=DE",
        money={"DE": money},
        options={"unit_limit": limit},
    )
    legal = [type_ for type_ in PACK.sheet["DE"] if why_not_buy(state, type_, "B2", "DE") is None]
    assert affordable(state, "DE") == legal


def test_buy__4_samples_without_a_fort_or_without_money():
    rng = random.Random(5)
    poor = Purchases(field(own="B2=DE", money={"DE": 1}), "DE")
    assert {poor.sample(rng) for _ in range(100)} == {DONE}
    homeless = Purchases(field(nations="DE GB", money={"DE": 9}), "DE")
    assert {homeless.sample(rng) for _ in range(100)} == {DONE}
