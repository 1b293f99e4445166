"""The built-in pack against the facts of the rulebook."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from engine.games.first_world_war.pack import DATA, Pack, load_pack
from engine.kernel.register import FILE, load_register


@pytest.fixture
def pack() -> Pack:
    return load_pack()


def printed(words: str) -> tuple[str, ...]:
    return tuple(sorted(words.split()))


# ------------------------------------------------------------------ 1 players


def test_1__1_two_three_or_four_players(pack: Pack) -> None:
    assert pack.meta.players == (2, 3, 4)
    assert sorted(pack.seats) == [2, 3, 4]


def test_1__2_two_seats_of_two_factions(pack: Pack) -> None:
    assert pack.seats[2] == {"ALLIES": ("WA", "EA"), "CENTRAL": ("DE", "GA")}


def test_1__3_three_seats(pack: Pack) -> None:
    assert pack.seats[3] == {"ALLIES": ("WA", "EA"), "DE": ("DE",), "GA": ("GA",)}


def test_1__4_four_seats(pack: Pack) -> None:
    assert pack.seats[4] == {"WA": ("WA",), "EA": ("EA",), "DE": ("DE",), "GA": ("GA",)}


# ------------------------------------------------------------------ 2 components


def test_2_1__1_three_theatres(pack: Pack) -> None:
    assert {name: theatre.fronts for name, theatre in pack.theatres.items()} == {
        "WEST": (1, 2, 3, 4),
        "ITALY": (5, 6),
        "EAST": (7, 8, 9, 10, 11),
    }
    assert all(front.id in pack.theatres[front.theatre].fronts for front in pack.fronts.values())


PERMITTED = {
    1: "BE BR FR DE",
    2: "BR FR US DE",
    3: "FR US DE",
    4: "FR US DE",
    5: "IT FR AH DE",
    6: "BR IT AH DE",
    7: "RU DE",
    8: "RU DE",
    9: "AH DE RU",
    10: "SB MN GR MEF OR ITB AH BU DE",
    11: "RU RO MEF OR AH BU DE",
}


@pytest.mark.parametrize("front", PERMITTED)
def test_2_1__3_permissions_of_the_fronts(pack: Pack, front: int) -> None:
    assert tuple(sorted(pack.fronts[front].nationalities)) == printed(PERMITTED[front])
    assert pack.permitted[front] == set(PERMITTED[front].split())


def test_2_1__4_46_locations_of_which_17_are_centres(pack: Pack) -> None:
    assert len(pack.locations) == 46
    assert sum(place.replacement for place in pack.locations.values()) == 17
    assert Counter(place.owner for place in pack.locations.values()) == {
        "WA": 12,
        "EA": 10,
        "DE": 12,
        "GA": 12,
    }
    assert {name: place.owner for name, place in pack.locations.items()}.items() <= pack.owner_of.items()


def test_2_1__5_bases_are_line_ends_of_their_faction_and_no_locations(pack: Pack) -> None:
    for name, base in pack.bases.items():
        front = pack.fronts[base.front]
        assert base.owner in (front.allied_faction, front.central_faction)
        assert pack.neighbours[name], name
        assert all(end in pack.locations for end, _ in pack.neighbours[name])
        assert name not in pack.locations
    assert {pack.bases[name].owner for name in pack.bases_of[10]} == {"EA", "GA"}
    assert (len(pack.bases_of[10]), len(pack.bases_of[11])) == (3, 4)


def test_2_1__6_venezia_and_trieste_have_a_base_behind_each(pack: Pack) -> None:
    behind = {
        name: [end for end, _ in pack.neighbours[name] if end in pack.bases]
        for name in ("VENEZIA", "TRIESTE")
    }
    assert behind == {"VENEZIA": ["B6-WA"], "TRIESTE": ["B6-GA"]}
    assert (pack.owner_of["B6-WA"], pack.owner_of["B6-GA"]) == ("WA", "GA")


def test_2_1__7_one_faction_of_each_alliance_on_every_front(pack: Pack) -> None:
    fighting = {front: (by["ALLIES"], by["CENTRAL"]) for front, by in pack.fighter.items()}
    assert fighting == {
        **dict.fromkeys((1, 2, 3, 4), ("WA", "DE")),
        **dict.fromkeys((5, 6), ("WA", "GA")),
        **dict.fromkeys((7, 8), ("EA", "DE")),
        **dict.fromkeys((9, 10, 11), ("EA", "GA")),
    }
    for place in pack.locations.values():
        assert place.owner in fighting[place.front]


def test_w_01_front_6(pack: Pack) -> None:
    """FWW-2.1-6"""
    owners = {name: pack.locations[name].owner for name in pack.locations_of[6]}
    assert owners == {"VENEZIA": "WA", "UDINE": "WA", "GORIZIA": "GA", "TRIESTE": "GA"}
    assert [name for name in pack.locations_of[6] if pack.locations[name].replacement] == [
        "VENEZIA",
        "TRIESTE",
    ]
    chain = [(line.a, line.b) for line in pack.front_lines[6]]
    assert chain == [
        ("B6-WA", "VENEZIA"),
        ("VENEZIA", "UDINE"),
        ("UDINE", "GORIZIA"),
        ("GORIZIA", "TRIESTE"),
        ("TRIESTE", "B6-GA"),
    ]
    assert pack.permitted[6] == {"BR", "IT", "AH", "DE"}


def test_2_2__1_what_a_real_army_shows(pack: Pack) -> None:
    assert len(pack.armies) == 72
    for army in pack.armies.values():
        assert army.value in range(4)
        assert army.entry in range(1, 7)
        assert pack.nationalities[army.nationality].faction == army.faction
        assert army.designation
    assert {army.value for army in pack.armies.values()} == {0, 1, 2, 3}
    entries = Counter(army.entry for army in pack.armies.values())
    assert (entries[1], sum(entries.values()) - entries[1]) == (31, 41)


FACTION_BY_NATIONALITY = {
    "WA": "BE BR FR IT US",
    "EA": "RU SB MN RO GR MEF OR ITB",
    "DE": "DE",
    "GA": "AH BU",
}


def test_2_2__2_faction_by_nationality(pack: Pack) -> None:
    found = {
        faction: tuple(sorted(one.id for one in pack.nationalities.values() if one.faction == faction))
        for faction in pack.factions
    }
    assert found == {faction: printed(words) for faction, words in FACTION_BY_NATIONALITY.items()}


def test_2_2__3_six_dummies_a_faction_with_a_colour_only(pack: Pack) -> None:
    assert len(pack.dummies) == 24
    assert {faction: len(ids) for faction, ids in pack.dummies_of.items()} == dict.fromkeys(pack.factions, 6)
    for dummy in pack.dummies.values():
        assert not hasattr(dummy, "nationality")
        assert not hasattr(dummy, "value")
        assert dummy.id not in pack.nationality_of
        assert pack.faction_of[dummy.id] == dummy.faction


def test_the_lowest_id_goes_by_letters_then_by_number(pack: Pack) -> None:
    """D3, D8, D9, D17 What has no number comes after those that have one."""
    assert set(pack.id_rank) == {*pack.armies, *pack.dummies}
    found = sorted(("DE10", "DE-S", "DE9", "AH11", "DE-D1", "DE-AA", "AH2"), key=pack.id_rank.__getitem__)
    assert found == ["AH2", "AH11", "DE9", "DE10", "DE-AA", "DE-D1", "DE-S"]


def test_2_2__5_mediterranean_orient_and_balkan_forces_are_nations_of_their_own(pack: Pack) -> None:
    nations = {army: pack.nationality_of[army] for army in ("BR-MEF", "FR-OR", "ITB")}
    assert nations == {"BR-MEF": "MEF", "FR-OR": "OR", "ITB": "ITB"}
    assert {pack.faction_of[army] for army in nations} == {"EA"}
    rifles = pack.tiles["A02"]
    eastern = {army.nationality for army in pack.armies.values() if army.faction == "EA"}
    assert not eastern & set(rifles.nationalities)


def test_2_2__6_faces_of_the_die(pack: Pack) -> None:
    assert pack.die.faces == ("1", "2", "3", "4", "S", "S")
    assert [pack.die.value(face) for face in range(1, 7)] == [1, 2, 3, 4, 0, 0]
    assert [pack.die.is_s(face) for face in range(1, 7)] == [False, False, False, False, True, True]


# ------------------------------------------------------------------ tracks


def test_orders_of_the_two_tracks(pack: Pack) -> None:
    assert pack.round_order == ("DE", "WA", "EA", "GA")
    assert pack.deployment_order == ("GA", "EA", "WA", "DE")
    assert pack.cycles * len(pack.round_order) == pack.meta.rounds == 16


def test_calendar_and_the_tiles_of_each_year(pack: Pack) -> None:
    assert [turn.year for turn in pack.turns.values()] == [1914, 1914, 1915, 1916, 1917, 1918]
    assert [turn.names["fr"] for turn in pack.turns.values()][:3] == ["1/1914", "2/1914", "1915"]
    assert {turn: len(tiles) for turn, tiles in pack.tiles_for_turn.items()} == {
        1: 14,
        2: 0,
        3: 5,
        4: 5,
        5: 4,
        6: 2,
    }
    assert pack.tiles_for_turn[3] == ("A08", "A09", "C08", "C09", "C10")


def test_factions_start_with_six_points_and_guard_their_fronts(pack: Pack) -> None:
    assert {faction.start_vp for faction in pack.factions.values()} == {6}
    assert pack.vp_floor == 0
    assert {name: faction.garrison_fronts for name, faction in pack.factions.items()} == {
        "WA": (1, 2, 3, 4),
        "DE": (1, 2, 3, 4),
        "EA": (7, 8, 9),
        "GA": (5, 6, 9, 10),
    }


# ------------------------------------------------------------------ 5 movement


def test_5__2_adjacent_fronts(pack: Pack) -> None:
    borders = {(min(a, b), max(a, b)) for a, front in pack.fronts.items() for b in front.adjacent}
    assert borders == {(1, 2), (2, 3), (3, 4), (5, 6), (7, 8), (8, 9), (9, 10), (9, 11), (10, 11)}
    for front in pack.fronts.values():
        for other in front.adjacent:
            assert front.id in pack.fronts[other].adjacent
            assert pack.fronts[other].theatre == front.theatre


def test_germans_answer_to_their_allies_on_five_fronts(pack: Pack) -> None:
    assert [front for front, commander in pack.commander["DE"].items() if commander == "GA"] == [
        5,
        6,
        9,
        10,
        11,
    ]
    for faction in ("WA", "EA", "GA"):
        assert set(pack.commander[faction].values()) == {faction}
    assert [order.includes_dummies for order in pack.command] == [True]


def test_restrictions_of_the_theatres(pack: Pack) -> None:
    italy, romania = pack.restrictions
    assert (italy.fronts, printed(" ".join(italy.nationalities)), italy.from_turn) == (
        (5, 6),
        ("BR", "DE", "FR"),
        4,
    )
    assert (romania.fronts, romania.nationalities) == ((11,), ("MEF", "OR"))
    assert (romania.requires_control, romania.requires_faction) == ("MONASTIR", "EA")
    for bar in pack.restrictions:
        assert bar.applies_to == ("deploy", "move", "transfer", "attack")


# ------------------------------------------------------------------ 6 combat


def test_6_2_2__1_the_four_mandatory_tiles(pack: Pack) -> None:
    mandatory = {tile.names["en"]: tile.back for tile in pack.tiles.values() if tile.mandatory}
    assert mandatory == {
        "Pantalons Rouges": "red",
        "Shell Shortage": "red",
        "Kaisertreu": "blue",
        "Ludendorff": "blue",
    }
    assert {tile.back for tile in pack.tiles.values() if not tile.mandatory} == {"green", "black"}


def test_6_3__1_tiles(pack: Pack) -> None:
    assert {alliance: len(ids) for alliance, ids in pack.tiles_of.items()} == {"ALLIES": 15, "CENTRAL": 15}
    for id_, use, value in (
        ("A03", "attack", -1),
        ("A08", "attack", -1),
        ("C03", "defence", 1),
        ("C15", "attack", 2),
    ):
        assert (pack.tiles[id_].use, pack.tiles[id_].value) == (use, value)
    assert {tile.value for tile in pack.tiles.values()} == {-1, 0, 1, 2}
    assert [tile.id for tile in pack.tiles.values() if tile.use == "either"] == ["A07", "C07"]
    for tile in pack.tiles.values():
        for nation in tile.nationalities:
            assert nation == "ANY" or pack.alliance_of[pack.nationalities[nation].faction] == tile.alliance


def test_6_6__3_neutral_lines(pack: Pack) -> None:
    assert {(line.a, line.b): line.opens for line in pack.lines if line.opens > 1} == {
        ("ASIAGO", "TRENTO"): 3,
        ("UDINE", "GORIZIA"): 3,
        ("B10-BU", "MONASTIR"): 3,
        ("MONASTIR", "B10-EA"): 3,
        ("BUCURESTI", "BUDAPEST"): 4,
        ("BUCURESTI", "SOFIA"): 4,
        ("SOFIA", "B11-SAL"): 4,
    }
    assert pack.bases["B10-BU"].names["en"] == "Küstendil"
    assert pack.bases["B10-EA"].names["en"] == "Saloniki"
    assert ("MONASTIR", 3) in pack.neighbours["B10-EA"]
    assert ("B10-EA", 3) in pack.neighbours["MONASTIR"]


# ------------------------------------------------------------------ 7 to 9


def test_7_1__1_replacement_centres(pack: Pack) -> None:
    assert {faction: tuple(sorted(places)) for faction, places in pack.replacement.centres.items()} == {
        "DE": printed("AACHEN METZ BERLIN BRESLAU"),
        "GA": printed("TRIESTE WIEN BUDAPEST LEMBERG"),
        "WA": printed("CALAIS PARIS NANCY VENEZIA"),
        "EA": printed("RIGA WARSZAWA MINSK KIEV ODESSA"),
    }
    for faction, places in pack.replacement.centres.items():
        assert len(places) == pack.factions[faction].replacement_base
        assert all(pack.locations[place].owner == faction for place in places)


def test_three_armies_are_charged_to_the_west(pack: Pack) -> None:
    assert pack.replacement.charged_to_WA == ("BR-MEF", "FR-OR", "ITB")


def test_figures_of_treaty_and_victory(pack: Pack) -> None:
    treaty, victory = pack.treaty, pack.victory
    assert (treaty.earliest_turn, treaty.frozen_fronts, treaty.combat_only_fronts) == (4, (7, 8, 9), (11,))
    assert (treaty.german_minimum.fronts, treaty.german_minimum.armies) == ((7, 8, 9), 1)
    assert (treaty.german_allies_minimum.fronts, treaty.german_allies_minimum.armies) == ((9,), 3)
    assert (treaty.bonus.faction, treaty.bonus.vp, treaty.bonus.players) == ("EA", 8, 4)
    assert (treaty.inactive_nationalities, treaty.must_accept_players) == (("RU", "RO"), (2, 3))
    assert (victory.tie_winner, victory.german_margin, victory.western_margin) == ("CENTRAL", 3, 1)
    assert victory.early_end_fronts == 6


def test_the_historical_set_up_places_the_31_first_armies(pack: Pack) -> None:
    stand = {front: " ".join((*row.allies, *row.central)) for front, row in pack.historical_setup.items()}
    assert stand == {
        1: "BE1 DE1 DE2",
        2: "BR1 FR5 DE3 DE4",
        3: "FR2 FR3 FR4 DE5 DE6",
        4: "FR1 DE7",
        5: "",
        6: "",
        7: "RU1 RU2 DE8",
        8: "RU9 DE-AA",
        9: "RU3 RU4 RU5 RU8 AH1 AH3 AH4",
        10: "SB1 SB2 MN AH5 AH6",
        11: "",
    }
    assert printed(" ".join(stand.values())) == tuple(sorted(pack.entering[1]))


def test_options_are_off_and_switches_stand_as_ruled(pack: Pack) -> None:
    assert pack.options == {"schlieffen_plan": False, "random_order": False, "historical_setup": False}
    assert pack.rulings == {
        "hand_scope": "faction",
        "surrender_roll_on_turn_6": False,
        "hold_back_reinforcements": True,
        "unreplaced_losses": "stay",
        "garrison_rule": "held-fronts",
        "unopposed_attack_gives_surrender_point": False,
        "no_surrender_before_turn": 1,
    }


def test_every_switch_is_named_in_the_register(pack: Pack) -> None:
    named = {rule.switch for rule in load_register(DATA / FILE).rules.values() if rule.switch is not None}
    assert named == {*pack.options, *pack.rulings}


# ------------------------------------------------------------------ the pack as a whole


def test_the_pack_is_loaded_once_and_never_copied(pack: Pack) -> None:
    assert load_pack() is pack
    assert copy.deepcopy(pack) is pack
    assert copy.copy(pack) is pack
    assert {pack: 1}[pack] == 1


def test_the_pack_cannot_be_changed(pack: Pack) -> None:
    for name in pack.__slots__:
        part: Any = getattr(pack, name)
        assert not isinstance(part, dict | list | set), name
    army: Any = pack.armies["FR1"]
    with pytest.raises(FrozenInstanceError):
        army.value = 3
    armies: Any = pack.armies
    with pytest.raises(TypeError):
        armies["FR1"] = army


def test_everything_named_has_two_languages_and_a_source(pack: Pack) -> None:
    tables: Any = (
        pack.alliances, pack.factions, pack.nationalities, pack.theatres, pack.fronts, pack.locations,
        pack.bases, pack.armies, pack.dummies, pack.tiles, pack.turns,
    )  # fmt: skip
    for table in tables:
        assert table
        for row in table.values():
            assert row.names["en"] and row.names["fr"] and row.source
    assert dict(pack.armies["FR1"].names) == {"en": "French 1st Army", "fr": "1re armée française"}
    assert dict(pack.armies["RU12"].names) == {"en": "Russian 12th Army", "fr": "12e armée russe"}


def test_counters_have_names_of_their_own(pack: Pack) -> None:
    for language in ("en", "fr"):
        names = {army.names[language] for army in pack.armies.values()}
        assert len(names | {dummy.names[language] for dummy in pack.dummies.values()}) == 96


def test_locations_are_found_by_their_names_in_other_languages(pack: Pack) -> None:
    found = {name: pack.aliases[name] for name in ("WARSAW", "VARSOVIE", "WARSZAWA", "BUCHAREST", "VENISE")}
    assert found == {
        "WARSAW": "WARSZAWA",
        "VARSOVIE": "WARSZAWA",
        "WARSZAWA": "WARSZAWA",
        "BUCHAREST": "BUCURESTI",
        "VENISE": "VENEZIA",
    }
