"""The built-in pack against the facts of the rulebook."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.games.to_the_last_man.pack import DATA, Pack, load_pack
from engine.games.to_the_last_man.rules.setup import set_up
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.register import FILE, load_register


@pytest.fixture
def pack() -> Pack:
    return load_pack()


# ------------------------------------------------------------------ 0 conventions


def test_0__1_germany_against_four_nations(pack: Pack) -> None:
    assert {side: row.nations for side, row in pack.sides.items()} == {
        "GE": ("GE",),
        "EN": ("BE", "FR", "UK", "US"),
    }
    assert {pack.side_of[unit] for unit in pack.units_of["GE"]} == {"GE"}
    assert {pack.side_of[army] for army in pack.armies_of["EN"]} == {"EN"}
    assert pack.enemy_of == {"GE": "EN", "EN": "GE"}


def test_0__2_infantry_type_and_auxiliaries(pack: Pack) -> None:
    assert [name for name, row in pack.types.items() if row.cls == "infantry"] == ["I", "CW", "S"]
    assert [name for name, row in pack.types.items() if row.cls == "auxiliary"] == [
        "C",
        "A",
        "G",
        "B",
        "T",
        "P",
    ]


def test_the_order_of_dice(pack: Pack) -> None:
    """Nations by name, natural numbers, the detachment last."""
    assert list(pack.nations) == ["BE", "FR", "GE", "UK", "US"]
    german = [army for army in pack.armies if army.startswith("GE")]
    assert german == ["GE1", "GE2", "GE3", "GE4", "GE5", "GE6", "GE7", "GE17", "GE18", "GE19", "GEC"]
    assert list(pack.armies)[:11] == ["BE1", *(f"FR{number}" for number in range(1, 11))]
    assert list(pack.types) == ["I", "CW", "S", "C", "A", "G", "B", "T", "P"]


def test_0__11_a_winter_belongs_to_the_year_in_which_it_begins(pack: Pack) -> None:
    winters = {row.names["en"]: row.year for row in pack.turns.values() if row.season == "WINTER"}
    assert winters["Winter 1914-15"] == 1914
    assert winters["Winter 1919-20"] == 1919


@pytest.mark.parametrize(
    ("turn", "name"),
    [
        (1, "Summer 1914"),
        (2, "Autumn 1914"),
        (3, "Winter 1914-15"),
        (4, "Spring 1915"),
        (6, "Autumn 1915"),
        (12, "Spring 1917"),
        (16, "Spring 1918"),
        (23, "Winter 1919-20"),
    ],
)
def test_0__12_turns_and_seasons(turn: int, name: str, pack: Pack) -> None:
    assert pack.turns[turn].names["en"] == name
    assert max(pack.turns) == 23


# ------------------------------------------------------------------ the map


def test_4_2__5_no_area_of_the_map_is_sea_or_dutch(pack: Pack) -> None:
    assert {area.country for area in pack.areas.values()} == {"BE", "FR", "GE", "LU", "UK"}
    assert len(pack.areas) == 47 + 1  # and the transit box


def test_4_1__10_neutral_in_the_free_game_only(pack: Pack) -> None:
    neutral = {area.country for area in pack.areas.values() if area.neutral_in_free_game}
    assert neutral == {"BE", "LU", "UK"}


def test_borders_of_the_rulebooks_example(pack: Pack) -> None:
    assert {"ANT", "NAM"} <= set(pack.areas["LIE"].adjacent)


def test_borders_are_symmetric(pack: Pack) -> None:
    for name, area in pack.areas.items():
        assert list(area.adjacent) == sorted(set(area.adjacent))
        assert all(name in pack.areas[other].adjacent for other in area.adjacent)


def test_the_box_borders_on_the_german_sources(pack: Pack) -> None:
    assert pack.areas["EFT"].adjacent == pack.sources["GE"] == ("BAD", "COB", "COL", "PAL")
    assert pack.areas["ENG"].adjacent == ()


def test_6_1__1_each_side_has_its_own_sources(pack: Pack) -> None:
    assert pack.sources["EN"] == ("BUR", "CAL", "FCO", "FLA", "NOR", "ORL")
    assert pack.coastal_sources == ("CAL", "FLA", "NOR")
    assert not set(pack.sources["GE"]) & set(pack.sources["EN"])
    for side in pack.sides:
        assert {pack.areas[area].supply for area in pack.sources[side]} == {side}


def test_home_areas(pack: Pack) -> None:
    """Twelve German areas, England for the British, France for the Americans."""
    assert len(pack.home_areas["GE"]) == 12
    assert "EFT" not in pack.home_areas["GE"]
    assert pack.home_areas["UK"] == ("ENG",)
    assert pack.home_areas["US"] == pack.home_areas["FR"]
    assert pack.home_areas["BE"] == ("ANT", "ARD", "BRU", "FLA", "HAI", "LIE", "NAM")


def test_forts_of_the_rulebook(pack: Pack) -> None:
    strengths = {area: fort.strength for area, fort in pack.forts.items()}
    assert (strengths["ANT"], strengths["VER"], strengths["NAN"], strengths["SED"]) == (3, 4, 5, 0)
    assert Counter(fort.nation for fort in pack.forts.values()) == {"FR": 10, "GE": 5, "BE": 3}
    assert (pack.fort_side["MET"], pack.fort_side["LIE"]) == ("GE", "EN")


def test_every_other_name_leads_to_its_area(pack: Pack) -> None:
    assert pack.aliases["Liège"] == pack.aliases["Liege"] == pack.aliases["LIE"] == "LIE"
    assert pack.aliases["Aix-la-Chapelle"] == "AAC"
    assert pack.aliases["Bar-le-Duc"] == "BAR"


# ------------------------------------------------------------------ counters


def test_11_1__1_the_counter_manifest(pack: Pack) -> None:
    numbers = {kind: len(units) for kind, units in pack.kinds.items()}
    assert numbers == {
        "BE.I": 3,
        "FR.I": 25,
        "FR.C": 3,
        "FR.A": 3,
        "FR.B": 3,
        "FR.T": 3,
        "GE.I": 35,
        "GE.S": 15,
        "GE.C": 4,
        "GE.A": 6,
        "GE.G": 2,
        "GE.B": 4,
        "GE.T": 1,
        "GE.P": 1,
        "UK.I": 14,
        "UK.CW": 2,
        "UK.C": 3,
        "UK.A": 6,
        "UK.B": 4,
        "UK.T": 4,
        "US.I": 30,
        "US.C": 1,
        "US.A": 3,
        "US.B": 2,
        "US.T": 3,
    }
    assert Counter(row.nation for row in pack.armies.values()) == {
        "GE": 11,
        "FR": 10,
        "UK": 5,
        "US": 5,
        "BE": 1,
    }
    assert len(pack.units) == sum(numbers.values()) == 180


def test_counters_are_numbered_by_kind(pack: Pack) -> None:
    assert pack.kinds["GE.G"] == ("GE.G.01", "GE.G.02")
    unit = pack.units["UK.CW.02"]
    assert (unit.nation, unit.type, unit.year) == ("UK", "CW", 0)
    assert pack.kind_of["UK.CW.02"] == "UK.CW"
    assert pack.type_of["UK.CW.02"] == "CW"
    assert pack.nation_of["UK.CW.02"] == pack.nation_of["UK3"] == "UK"


def test_biplanes_bear_a_year(pack: Pack) -> None:
    years = {unit.id: unit.year for unit in pack.units.values() if unit.type == "B"}
    assert all(pack.units[unit].year == 0 for unit in pack.units if unit not in years)
    assert min(years.values()) == 1916
    assert [years[unit] for unit in pack.kinds["US.B"]] == [1918, 1919]


FIRE = {  # attack, defence, entrenched defence
    "I": (1, 1, 2),
    "CW": (2, 2, 2),
    "S": (2, 2, 2),
    "C": (0, 1, 1),
    "A": (1, 1, 1),
    "G": (3, 0, 0),
    "B": (1, 1, 1),
    "T": (2, 1, 1),
    "P": (0, 0, 0),
}


@pytest.mark.parametrize("type_", FIRE)
def test_firepower_as_in_chapter_8(type_: str, pack: Pack) -> None:
    row = pack.types[type_]
    assert (row.off, row.defence, row.entrenched) == FIRE[type_]


def test_moves_and_costs_as_in_chapter_8(pack: Pack) -> None:
    assert [name for name, row in pack.types.items() if row.move == 2] == ["C", "B"]
    assert [name for name, row in pack.types.items() if row.cost == 2] == ["CW", "S", "T"]
    assert [name for name, row in pack.types.items() if row.controls] == ["I", "CW", "S", "C", "T"]
    assert [name for name, row in pack.types.items() if not row.can_retreat] == ["G", "P"]
    assert [name for name, row in pack.types.items() if row.forces_retreat] == ["S", "T"]
    assert [name for name, row in pack.types.items() if row.volleys == 2] == ["A", "G"]
    assert [name for name, row in pack.types.items() if row.entrench] == ["I", "CW"]


def test_seasons_in_which_types_come(pack: Pack) -> None:
    first = {name: dict(row.first_build_turn) for name, row in pack.types.items()}
    assert first["T"] == {"FR": 13, "UK": 13, "GE": 16, "US": 17}
    assert (first["S"], first["P"]) == ({"GE": 13}, {"GE": 16})
    assert {turn for row in first.values() for nation, turn in row.items() if nation == "US"} == {16, 17}


def test_artillery_in_an_army_by_nation_and_year(pack: Pack) -> None:
    table = {
        nation: [pack.artillery_cap(nation, year) for year in range(1914, 1920)] for nation in pack.nations
    }
    assert table == {
        "GE": [1, 2, 3, 3, 3, 3],
        "UK": [1, 1, 2, 2, 2, 2],
        "FR": [1, 1, 2, 2, 2, 2],
        "US": [0, 0, 0, 0, 1, 2],
        "BE": [0] * 6,
    }
    assert pack.biplanes_per_army == 1


def test_later_armies_arrive_in_their_turn(pack: Pack) -> None:
    arriving = {army: turn for turn, row in pack.turns.items() for army in row.armies}
    assert arriving == {army: row.entry_turn for army, row in pack.armies.items() if row.entry_turn}
    assert arriving["UK5"] == 9


def test_ten_stosstruppen_in_1918(pack: Pack) -> None:
    came = {
        row.tag: units["S"]
        for row in pack.turns.values()
        for units in row.reinforcements.values()
        if "S" in units
    }
    assert came == {"1918-SP": 10}


def test_commonwealth_corps(pack: Pack) -> None:
    assert {name: row.turn for name, row in pack.commonwealth.items()} == {"UK.CW.01": 6, "UK.CW.02": 12}


# ------------------------------------------------------------------ cards


def test_the_deck(pack: Pack) -> None:
    assert Counter(pack.cards.values()) == {
        "OFF": 16,
        "LIM": 6,
        "BIG": 1,
        "GER": 1,
        "TLM": 1,
        "FRI": 1,
        "ER2": 10,
        "ER3": 2,
        "GAS": 6,
        "AAB": 2,
        "BAD": 3,
        "SRV": 2,
        "SUR": 2,
        "EMC": 1,
        "GMC": 1,
    }
    assert len(pack.cards) == 55
    assert pack.copies["OFF"][0] == "OFF.01" and pack.copies["OFF"][-1] == "OFF.16"
    assert {kind: row.ersatz for kind, row in pack.card_kinds.items() if row.ersatz > 1} == {
        "ER2": 2,
        "ER3": 3,
    }


def test_special_offensives(pack: Pack) -> None:
    bonus = {
        kind: (row.special_for, row.first_turn, row.bonus)
        for kind, row in pack.card_kinds.items()
        if row.bonus
    }
    assert sorted(bonus) == ["BIG", "FRI", "GER", "TLM"]
    for kind, (side, turn, nation, type_, dice, areas) in {
        "BIG": ("EN", 8, "UK", "A", 1, 1),
        "GER": ("GE", 8, "GE", "A", 1, 1),
        "TLM": ("EN", 16, "FR", "T", 2, 2),
        "FRI": ("GE", 16, "GE", "S", 2, 2),
    }.items():
        special, first, row = bonus[kind]
        assert row is not None
        assert (special, first) == (side, turn)
        assert (row.nation, row.type, row.dice, row.areas, row.fire) == (nation, type_, dice, areas, 2)


def test_events_have_their_season(pack: Pack) -> None:
    kinds = pack.card_kinds
    assert (kinds["GAS"].first_turn, kinds["GAS"].artillery_fire) == (4, 2)
    assert (kinds["AAB"].first_turn, kinds["AAB"].artillery_fire) == (12, 3)
    assert kinds["BAD"].first_turn == 2


def test_crises_by_year(pack: Pack) -> None:
    told = {
        kind: {year: (row.remove, row.nations, row.types, row.vp_if_short) for year, row in years.items()}
        for kind, years in pack.crisis.items()
    }
    assert told == {
        "EMC": {
            1915: (1, ("UK",), ("I", "CW"), 1),
            1917: (3, ("UK", "FR"), ("I", "CW"), 1),
            1918: (2, ("UK", "FR"), ("I", "CW"), 1),
        },
        "GMC": {
            1914: (2, ("GE",), ("I",), -1),
            1916: (2, ("GE",), ("I",), -1),
            1918: (2, ("GE",), ("I", "S"), -1),
        },
    }
    assert [year for row in pack.crisis.values() for year, one in row.items() if one.leaves_game] == [
        1918,
        1918,
    ]


# ------------------------------------------------------------------ victory


def test_3_1__5_the_blockade(pack: Pack) -> None:
    by_year = {row.year: row.blockade for row in pack.turns.values()}
    assert by_year == {1914: 0, 1915: 0, 1916: -1, 1917: -2, 1918: -3, 1919: -4}
    assert all(row.blockade == by_year[row.year] for row in pack.turns.values())


@pytest.mark.parametrize(
    ("vp", "level"),
    [
        (-200, "EN_DECISIVE"),
        (4, "EN_DECISIVE"),
        (5, "EN_MAJOR"),
        (7, "EN_MAJOR"),
        (8, "EN_MARGINAL"),
        (10, "EN_MARGINAL"),
        (11, "STALEMATE"),
        (15, "STALEMATE"),
        (16, "GE_MARGINAL"),
        (18, "GE_MARGINAL"),
        (19, "GE_MAJOR"),
        (22, "GE_MAJOR"),
        (23, "GE_DECISIVE"),
        (200, "GE_DECISIVE"),
    ],
)
def test_3_1__7_the_victory_chart(vp: int, level: str, pack: Pack) -> None:
    assert pack.level(vp).id == level


def test_paris_counts_six(pack: Pack) -> None:
    assert pack.areas["PAR"].vp == 6
    assert pack.paris_gun_zone == frozenset(("PAR", *pack.areas["PAR"].adjacent))


# ------------------------------------------------------------------ scenarios


def test_scenarios_begin_in_their_year(pack: Pack) -> None:
    assert {name: pack.turns[row.start_turn].tag for name, row in pack.scenarios.items()} == {
        "1914": "1914-SU",
        "1915": "1915-SP",
        "1916": "1916-SP",
        "1917": "1917-SP",
        "1918": "1918-SP",
        "1919": "1919-SP",
    }
    assert {pack.turns[row.end_turn_short].season for row in pack.scenarios.values()} == {"WINTER"}


def test_4_1__11_who_owns_what_when_the_war_begins(pack: Pack) -> None:
    german = set(pack.scenarios["1914"].german)
    assert {pack.areas[area].country for area in german} == {"GE", "LU"}
    assert german == {*pack.home_areas["GE"], "LUX", "EFT"}


def test_8_2_3__5_corps_are_set_up_in_later_scenarios(pack: Pack) -> None:
    corps = {
        name: sum(stack.units.get("CW", 0) for stack in row.stacks) for name, row in pack.scenarios.items()
    }
    assert corps == {"1914": 0, "1915": 0, "1916": 1, "1917": 2, "1918": 2, "1919": 2}


def test_the_crises_are_not_in_the_deck_of_1919(pack: Pack) -> None:
    assert {name: row.cards_out for name, row in pack.scenarios.items() if row.cards_out} == {
        "1919": ("EMC", "GMC")
    }


def test_12__2_a_link_with_another_game_is_refused(pack: Pack) -> None:
    with pytest.raises(EngineError, match="linked_at_all_costs"):
        set_up(pack, GameSettings("1914", options={"linked_at_all_costs": True}))
    state, _ = set_up(pack, GameSettings("1914"))
    assert state.options["linked_at_all_costs"] is False


# ------------------------------------------------------------------ sources and names


def test_every_row_names_its_source(pack: Pack) -> None:
    rows = [*pack.areas.values(), *pack.armies.values(), *pack.turns.values(), *pack.card_kinds.values()]
    assert all(row.source for row in rows)


def test_names_in_both_languages(pack: Pack) -> None:
    assert dict(pack.areas["AAC"].names) == {"en": "Aachen", "fr": "Aix-la-Chapelle"}
    assert pack.armies["FR1"].names["fr"] == "1re armée française"
    assert pack.armies["US2"].names["fr"] == "2e armée américaine"


def test_options_and_rulings_are_what_the_register_says() -> None:
    pack, register = load_pack(), load_register(DATA / FILE)
    switches = {rule.switch for rule in register.rules.values() if rule.switch}
    assert switches == set(pack.options) | set(pack.rulings)
    assert not set(pack.options) & set(pack.rulings)


def test_the_register_holds_the_whole_checklist() -> None:
    register = load_register(DATA / FILE)
    assert len(register.rules) == 348
    assert {rule.status for rule in register.rules.values()} == {"implemented", "option", "not_applicable"}
