"""An umpire's own tables: what an override changes, and every mistake it can hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games.first_world_war.pack import load_pack
from engine.kernel.errors import PackError
from tests.packs import override
from tests.rules.fww.pack_slips import METZ, MISTAKES, TABLES

altered, built_in, row = TABLES.altered, TABLES.built_in, TABLES.row

# ------------------------------------------------------------------ what an override changes


def test_a_value_printed_differently_replaces_ours(tmp_path: Path) -> None:
    own = override(
        tmp_path / "own", units=altered("units.toml", "army", 'id = "FR1"', "value = 1", "value = 3")
    )
    pack = load_pack(own)
    assert (load_pack().armies["FR1"].value, pack.armies["FR1"].value) == (1, 3)
    assert pack.hash != load_pack().hash
    assert pack.locations == load_pack().locations


def test_a_single_row_can_be_replaced(tmp_path: Path) -> None:
    text = row("units.toml", "army", 'id = "FR1"').replace("value = 1", "value = 3")
    whole = altered("units.toml", "army", 'id = "FR1"', "value = 1", "value = 3")
    by_row = load_pack(override(tmp_path / "row", units=f'[override]\nrows = ["army"]\n\n{text}'))
    assert by_row.armies["FR1"].value == 3
    assert by_row.hash == load_pack(override(tmp_path / "whole", units=whole)).hash


def test_a_line_of_the_map_can_be_replaced_by_its_ends(tmp_path: Path) -> None:
    text = row("map.toml", "line", 'front = 6\na = "UDINE"').replace("opens = 3", "opens = 2")
    pack = load_pack(override(tmp_path / "own", map=f'[override]\nrows = ["line"]\n\n{text}'))
    assert ("GORIZIA", 2) in pack.neighbours["UDINE"]


def test_a_source_that_changes_is_another_pack(tmp_path: Path) -> None:
    own = altered("charts.toml", "die", "faces", "public fact", "printed")
    assert load_pack(override(tmp_path / "own", charts=own)).hash != load_pack().hash


def test_the_same_tables_give_the_same_pack(tmp_path: Path) -> None:
    tables = re.split(r"\n(?=\[victory\])", built_in("charts.toml"))
    turned = f"# my own copy\n{tables[1]}\n{tables[0]}\n"
    own = override(
        tmp_path / "own", charts=turned, units=built_in("units.toml"), tiles=built_in("tiles.toml")
    )
    assert load_pack(own).hash == load_pack().hash


# ------------------------------------------------------------------ mistakes


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_file_table_and_key_and_loads_nothing(kind: str, tmp_path: Path) -> None:
    TABLES.assert_refused(MISTAKES[kind], tmp_path / "own")


@pytest.mark.parametrize(
    ("kind", "file", "table"),
    [
        ("unknown nationality", "units.toml", "army"),
        ("asymmetric adjacency", "map.toml", "front"),
        ("wrong count: centres", "map.toml", "location"),
        ("unknown centre", "charts.toml", "replacement"),
        ("set-up on a forbidden front", "scenarios.toml", "historical_setup"),
        ("tile of the enemy's nation", "tiles.toml", "tile"),
        ("seat of both alliances", "game.toml", "seats"),
    ],
)
def test_a_cross_check_names_the_umpires_own_file(kind: str, file: str, table: str, tmp_path: Path) -> None:
    error = TABLES.refusal(MISTAKES[kind], tmp_path / "own")
    assert (error.file, error.table) == (str(tmp_path / "own" / file), table)


def test_an_unknown_file_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"armies\.toml.*unknown file"):
        load_pack(override(tmp_path / "own", armies=built_in("units.toml")))


def test_removing_a_location_breaks_what_refers_to_it(tmp_path: Path) -> None:
    text = built_in("map.toml").replace(row("map.toml", "location", METZ), "")
    with pytest.raises(PackError, match=r"\[location\] id: wrong count: 45 instead of 46"):
        load_pack(override(tmp_path / "own", map=text))


def test_a_location_that_no_line_reaches_is_a_mistake(tmp_path: Path) -> None:
    text = built_in("map.toml").replace(row("map.toml", "line", 'front = 3\na = "VERDUN"'), "")
    with pytest.raises(PackError, match=r"\[location\] METZ\.id: no lines lead here from a base of WA"):
        load_pack(override(tmp_path / "own", map=text))


def test_a_base_without_line_and_a_side_without_base_are_mistakes(tmp_path: Path) -> None:
    line, base = (
        row("map.toml", "line", 'front = 3\na = "SAARBRUCKEN"'),
        row("map.toml", "base", 'id = "B3-DE"'),
    )
    with pytest.raises(PackError, match=r"\[base\] B3-DE\.id: no line leads to this base"):
        load_pack(override(tmp_path / "own", map=built_in("map.toml").replace(line, "")))
    with pytest.raises(PackError, match=r"\[base\] front: DE has no base on front 3"):
        load_pack(override(tmp_path / "own", map=built_in("map.toml").replace(line, "").replace(base, "")))


def test_a_front_in_another_theatre_is_no_neighbour(tmp_path: Path) -> None:
    text = (
        built_in("map.toml")
        .replace("adjacent = [3]", "adjacent = [3, 5]")
        .replace("adjacent = [6]", "adjacent = [4, 6]")
    )
    with pytest.raises(PackError, match=r"\[front\] 4\.adjacent: front 5 lies in another theatre"):
        load_pack(override(tmp_path / "own", map=text))


def test_turns_are_numbered_in_order(tmp_path: Path) -> None:
    text = (
        built_in("charts.toml")
        .replace("id = 2\n", "id = 9\n")
        .replace("id = 3\n", "id = 2\n")
        .replace("id = 9", "id = 3")
    )
    with pytest.raises(PackError, match=r"\[turn\] id: turns must be numbered from 1 on, in order"):
        load_pack(override(tmp_path / "own", charts=text))


def test_the_set_up_speaks_of_every_front(tmp_path: Path) -> None:
    text = built_in("scenarios.toml").replace(row("scenarios.toml", "historical_setup", "front = 5"), "")
    with pytest.raises(PackError, match=r"\[historical_setup\] front: every front must stand here once"):
        load_pack(override(tmp_path / "own", scenarios=text))
