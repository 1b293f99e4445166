"""The data pack: what it holds, and every mistake of an umpire's own table named with file, table and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.board.hexes import HexGrid
from engine.games.trench_club.pack import DATA, load_pack
from engine.kernel.errors import PackError
from tests.packs import Slip, Tables, override

TABLES = Tables(DATA, load_pack)
PACK = load_pack()
BOX = 'game = "trench"'
INF, CAR, TNK = 'id = "infantry"', 'id = "armoured_car"', 'id = "tank"'

SLIPS = {
    "unknown key": Slip("units", "unit", INF, "price = 2", "cost = 2", "infantry.cost", "unknown key"),
    "missing key": Slip("units", "unit", INF, "price = 2\n", "", "infantry.price", "missing"),
    "wrong type": Slip("units", "unit", INF, "price = 2", 'price = "2"', "infantry.price", "integer"),
    "no such class": Slip("units", "unit", INF, '"foot"', '"feet"', "infantry.klass", "foot"),
    "no code": Slip("units", "unit", INF, 'code = "INF"', 'code = "IN"', "infantry.code", "pattern"),
    "a code twice": Slip(
        "units", "unit", CAR, 'code = "CAR"', 'code = "INF"', "armoured_car.code", "infantry"
    ),
    "unknown armour": Slip(
        "units", "unit", CAR, 'armour = "car"', 'armour = "wood"', "armoured_car.armour", "wood"
    ),
    "a range turned round": Slip(
        "units",
        "unit",
        'id = "heavy_mortar"',
        "range_ground = [2, 5]",
        "range_ground = [5, 2]",
        "heavy_mortar.range_ground",
        "fewest",
    ),
    "half a range": Slip(
        "units", "unit", TNK, "range_ground = [1, 1]", "range_ground = [1]", "tank.range_ground", "fewest"
    ),
    "two attack values": Slip(
        "units", "unit", TNK, "attack = [6, 8, 10]", "attack = [6, 8]", "tank.attack", "3"
    ),
    "experience that harms": Slip(
        "units", "unit", TNK, "attack = [6, 8, 10]", "attack = [8, 6, 10]", "tank.attack", "fall"
    ),
    "a tank that conquers": Slip(
        "units", "unit", TNK, "price = 8", "price = 8\ncaptures = true", "tank.captures", "foot"
    ),
    "armour that weakens": Slip(
        "units",
        "armour",
        'id = "foot"',
        "open = [2, 3, 5, 6, 8, 9]",
        "open = [2, 3, 5, 4, 8, 9]",
        "foot.open",
        "rise",
    ),
    "forest that harms": Slip(
        "units",
        "armour",
        'id = "foot"',
        "forest = [2, 4, 6, 8, 10, 12]",
        "forest = [2, 2, 6, 8, 10, 12]",
        "foot.forest",
        "protect",
    ),
    "a nation in no team": Slip(
        "game", "team", 'id = "central"', '"AH"', '"GB"', "AH.id", "in no team", "game.toml nation"
    ),
    "no such gun": Slip(
        "game", "nation", 'id = "DE"', 'gun = "field_gun"', 'gun = "cannon"', "DE.gun", "cannon"
    ),
    "a special force on a sheet": Slip(
        "game", "nation", 'id = "DE"', 'gun = "field_gun"', 'gun = "airship"', "DE.gun", "airship"
    ),
    "an army of ten": Slip("game", "meta", 'game = "trench"', "army = 11", "army = 10", "army", "11"),
    "a board too small": Slip(
        "game", "meta", 'game = "trench"', "hexes = 333", "hexes = 334", "hexes", "333"
    ),
    "no such terrain": Slip(
        "map", "column", 'id = "A"', ".=^^t~..~t^^=.", ".=^^t~..~t^^=!", "A.hexes", "pattern"
    ),
    "columns out of order": Slip("map", "column", 'id = "B"', 'id = "B"', 'id = "X"', "X.id", "follow"),
    "no such column": Slip("map", "half", 'id = "1-6"', 'last = "K"', 'last = "Z"', "1-6.last", "column"),
    "a half too large": Slip("map", "half", 'id = "1-6"', 'last = "K"', 'last = "L"', "1-6.last", "hexes"),
    "a start in the water": Slip("map", "start", "id = 2", '"D5"', '"C6"', "2.hex", "stand"),
    "a start in the other half": Slip("map", "start", "id = 2", '"D5"', '"P5"', "2.hex", "1-6"),
    "a fort nowhere": Slip("map", "fort", 'id = "B2"', 'id = "B2"', 'id = "B3"', "B3.id", "fort"),
    "an entrance in the wall": Slip(
        "map", "fort", 'id = "B2"', 'left = ["A1", "A2"]', 'left = ["A1", "B1"]', "B2.left", "entrance"
    ),
    "a trench in pieces": Slip(
        "map", "trench", 'id = "TB1"', '"B1", "C1", "D2"', '"B1", "C1"', "TB1.hexes", "hang together"
    ),
    "a trench in the open": Slip(
        "map", "trench", 'id = "TB1"', '"B1", "C1", "D2"', '"B1", "C1", "E1"', "TB1.hexes", "E1"
    ),
    "dice for five": Slip(
        "charts",
        "dice",
        "by_damage",
        "destroyed_at = 6",
        "destroyed_at = 5",
        "by_damage",
        "alive",
    ),
    "no rookie": Slip("charts", "level", 'names = { en = "Rookie"', "least = 0", "least = 1", "least", "0"),
    "four companies": Slip(
        "charts", "first_turns", "four", "four = [[1, 1, 2, 3]]", "four = [[1, 1, 2, 4]]", "four", "1 to 3"
    ),
    "infantry as a special force": Slip(
        "charts", "special_forces", "price", '"airship"', '"infantry"', "deck", "infantry"
    ),
    "an automa's unknown unit": Slip(
        "charts", "automa", "without", 'without = "troop_transport"', 'without = "cart"', "without", "cart"
    ),
    "an unknown extra": Slip(
        "charts", "automa_level", 'id = "standard"', '"armoured_car"', '"cart"', "standard.extras", "cart"
    ),
    "more hits than dice": Slip(
        "charts",
        "card",
        "id = 10",
        '"5" = [2, 3, 3, 4, 4, 5, 5, 5, 5]',
        '"5" = [2, 3, 3, 4, 4, 5, 5, 5, 6]',
        "10.hits.5",
        "dice",
    ),
    "a row of a card missing": Slip(
        "charts", "card", "id = 10", '"5" = [2, 3, 3, 4, 4, 5, 5, 5, 5]\n', "", "10.hits", "5 dice"
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_mistake_is_named(name: str, tmp_path: Path) -> None:
    TABLES.assert_refused(SLIPS[name], tmp_path / "own")


def test_allies_do_not_sit_side_by_side(tmp_path: Path) -> None:
    text = TABLES.built_in("game.toml").replace('["DE", "AH"]', '["DE", "GB"]')
    own = override(tmp_path / "own", game=text.replace('["GB", "FR"]', '["AH", "FR"]'))
    with pytest.raises(PackError, match=r"\[nation\] GB.id: sits beside its ally DE"):
        load_pack(own)


def test_an_umpires_own_table_takes_the_place_of_ours(tmp_path: Path) -> None:
    text = TABLES.row("units.toml", "unit", INF).replace("price = 2", "price = 3")
    own = load_pack(override(tmp_path / "own", units=f'[override]\nrows = ["unit"]\n\n{text}'))
    assert (2, 3) == (PACK.types["infantry"].price, own.types["infantry"].price)
    assert own.hash != PACK.hash and own.types["tank"].price == PACK.types["tank"].price


def test_what_the_box_holds() -> None:
    assert (333, 159, 159) == tuple(len(PACK.grids[name]) for name in ("full", "1-6", "7-12"))
    assert 14 == len(PACK.forts) and 16 == len(PACK.trenches) and 21 == len(PACK.types)
    assert all(len(sheet) == 11 for sheet in PACK.sheet.values())
    assert {name: type_.id for type_ in PACK.types.values() for name in (type_.code, type_.code_fr)} == dict(
        PACK.type_of_code
    )


def test_the_two_halves_mirror_each_other() -> None:
    west, east = PACK.grids["1-6"], PACK.grids["7-12"]
    for hex_ in west:
        mirrored = f"{chr(ord('W') - (ord(hex_[0]) - ord('A')))}{hex_[1:]}"
        assert PACK.terrain[hex_] == PACK.terrain[mirrored] and mirrored in east


def test_hexes_of_the_board() -> None:
    grid = PACK.grids["full"]
    assert ("D4", "E4", "E5", "D6", "C5", "C4") == grid.neighbours["D5"]
    assert ("B1", "B2", "A2") == grid.neighbours["A1"] and grid.step("A1", "N") == ""
    assert (4, 6, 0) == (grid.distance("C4", "G3"), grid.distance("D10", "E4"), grid.distance("D5", "D5"))
    assert ("NE", "") == (grid.direction("D5", "E4"), grid.direction("D5", "F5"))
    assert 12 == len(grid.ring("D5", 2)) and grid.ring("D5", 2)[0] == "D3"
    assert ("SE", "NW") == (grid.turned("NE", 1), grid.turned("N", -1))
    assert 19 == len(grid.within("F5", 2))


def test_hexes_with_a_corner_up() -> None:
    """Rows run straight, columns zigzag: east and west are neighbours, north and south are not."""
    places = {f"{x}.{y}": (2 * x + y % 2, y) for y in range(5) for x in range(5)}
    grid = HexGrid(places, "tall")
    assert ("NE", "E", "SE", "SW", "W", "NW") == grid.directions
    assert 6 == len(grid.neighbours["2.2"])
    assert grid.step("2.2", "E") == "3.2" and grid.step("4.2", "E") == ""
    assert (2, 2, 3) == tuple(grid.distance("2.2", other) for other in ("4.2", "2.4", "0.0"))


def test_two_hexes_in_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="two hexes"):
        HexGrid({"A1": (0, 0), "B1": (0, 0)})
