"""An umpire's own tables: what an override changes, and every mistake it can hold."""

from __future__ import annotations

import copy
import re
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from engine.games.to_the_last_man.pack import load_pack
from engine.kernel.errors import PackError
from tests.packs import override
from tests.rules.ttlm.pack_slips import TABLE_MISTAKES, TABLES
from tests.rules.ttlm.scenario_slips import SCENARIO_MISTAKES

altered, built_in, row = TABLES.altered, TABLES.built_in, TABLES.row

MISTAKES = {**TABLE_MISTAKES, **SCENARIO_MISTAKES}

# ------------------------------------------------------------------ what an override changes


def test_a_value_printed_differently_replaces_ours(tmp_path: Path) -> None:
    charts = altered("charts.toml", "turn", "n = 2", "GE = 12", "GE = 14")
    pack = load_pack(override(tmp_path / "own", charts=charts))
    assert (load_pack().turns[2].bp["GE"], pack.turns[2].bp["GE"]) == (12, 14)
    assert pack.hash != load_pack().hash
    assert pack.areas == load_pack().areas


def test_a_single_row_can_be_replaced(tmp_path: Path) -> None:
    text = row("charts.toml", "turn", "n = 2").replace("GE = 12", "GE = 14")
    whole = altered("charts.toml", "turn", "n = 2", "GE = 12", "GE = 14")
    by_row = load_pack(override(tmp_path / "row", charts=f'[override]\nrows = ["turn"]\n\n{text}'))
    assert by_row.turns[2].bp["GE"] == 14
    assert by_row.hash == load_pack(override(tmp_path / "whole", charts=whole)).hash


def test_a_template_printed_differently_gives_other_slots(tmp_path: Path) -> None:
    units = altered("units.toml", "template", 'nation = "FR"', "inf = 4", "inf = 5")
    assert load_pack(override(tmp_path / "own", units=units)).templates["FR"].inf == 5


def test_a_source_that_changes_is_another_pack(tmp_path: Path) -> None:
    own = altered("units.toml", "template", 'nation = "FR"', "reconstruction", "printed")
    assert load_pack(override(tmp_path / "own", units=own)).hash != load_pack().hash


def test_the_same_tables_give_the_same_pack(tmp_path: Path) -> None:
    tables = re.split(r"\n(?=\[vp_modifiers\])", built_in("charts.toml"))
    turned = f"# my own copy\n{tables[1]}\n{tables[0]}\n"
    own = override(tmp_path / "own", charts=turned, units=built_in("units.toml"), map=built_in("map.toml"))
    assert load_pack(own).hash == load_pack().hash


def test_the_pack_is_frozen_and_shared() -> None:
    pack = load_pack()
    assert copy.copy(pack) is copy.deepcopy(pack) is pack
    with pytest.raises(FrozenInstanceError):
        pack.hash = ""  # type: ignore[misc]  # it is frozen
    mappings: tuple[Any, ...] = (pack.turns[1].reinforcements, pack.areas)
    for mapping in mappings:
        with pytest.raises(TypeError):
            mapping["NIL"] = {}


# ------------------------------------------------------------------ mistakes


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_file_table_and_key_and_loads_nothing(kind: str, tmp_path: Path) -> None:
    TABLES.assert_refused(MISTAKES[kind], tmp_path / "own")


def test_a_cross_check_names_the_umpires_own_file(tmp_path: Path) -> None:
    error = TABLES.refusal(MISTAKES["army over its slots"], tmp_path / "own")
    assert (error.file, error.table) == (str(tmp_path / "own" / "scenarios.toml"), "scenario")


def test_an_unknown_file_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"armies\.toml.*unknown file"):
        load_pack(override(tmp_path / "own", armies=built_in("units.toml")))


def test_removing_an_area_breaks_what_refers_to_it(tmp_path: Path) -> None:
    text = built_in("map.toml").replace(row("map.toml", "area", 'id = "PAR"'), "")
    with pytest.raises(PackError, match=r"\[area\] id: wrong count: 46 instead of 47"):
        load_pack(override(tmp_path / "own", map=text))


def test_a_land_no_way_leads_to_is_a_mistake(tmp_path: Path) -> None:
    text = built_in("map.toml")
    for neighbour in ("ALS", "EPI", "FCO", "VOS"):  # of Belfort
        near = row("map.toml", "area", f'id = "{neighbour}"')
        text = text.replace(near, re.sub(r'"BEL"(, )?', "", near))
        text = text.replace(f"  {sorted([neighbour, 'BEL'])},\n".replace("'", '"'), "")
    belfort = row("map.toml", "area", 'id = "BEL"')
    text = text.replace(belfort, re.sub(r"adjacent = .*", "adjacent = []", belfort))
    with pytest.raises(PackError, match=r"\[area\] BEL\.adjacent: no way leads here from EFT"):
        load_pack(override(tmp_path / "own", map=text))


def test_turns_are_numbered_in_order(tmp_path: Path) -> None:
    text = built_in("charts.toml").replace("\nn = 2\n", "\nn = 22\n", 1)
    text = text.replace('\nn = 22\ntag = "1919-AU"', '\nn = 2\ntag = "1919-AU"')
    with pytest.raises(PackError, match=r"\[turn\] n: turns must be numbered from 1 on, in order"):
        load_pack(override(tmp_path / "own", charts=text))


def test_seasons_follow_each_other(tmp_path: Path) -> None:
    text = altered("charts.toml", "turn", "n = 2", "AUTUMN", "SPRING").replace("1914-AU", "1914-SP")
    with pytest.raises(PackError, match=r"\[turn\] 2\.season: does not follow 1914-SU"):
        load_pack(override(tmp_path / "own", charts=text))


@pytest.mark.parametrize(
    ("table", "key"), [("template", "nation"), ("pool", "nation"), ("artillery_cap", "nation")]
)
def test_every_nation_has_its_row(table: str, key: str, tmp_path: Path) -> None:
    text = built_in("units.toml").replace(row("units.toml", table, 'nation = "US"'), "")
    with pytest.raises(PackError, match=rf"\[{table}\] {key}: missing: US"):
        load_pack(override(tmp_path / "own", units=text))


def test_biplanes_need_their_years(tmp_path: Path) -> None:
    text = built_in("units.toml").replace(row("units.toml", "biplane_years", 'nation = "US"'), "")
    with pytest.raises(
        PackError, match=r"\[biplane_years\] nation: must name the nations that have biplanes: US"
    ):
        load_pack(override(tmp_path / "own", units=text))


def test_a_scenario_cut_off_from_its_sources_is_a_mistake(tmp_path: Path) -> None:
    """Belfort stands behind a German Franche-Comté and Épinal."""
    text = built_in("scenarios.toml")
    start = row("scenarios.toml", "scenario", 'id = "1914"')
    cut = start.replace('"EFT",', '"EFT", "EPI", "FCO", "VOS",').replace("EPI = 3, ", "")
    cut = cut.replace('area = "EPI", army = "FR1"', 'area = "PAR", army = "FR1"')
    with pytest.raises(PackError, match=r"\[scenario\] 1914\.stacks\.17\.area: BEL is out of supply"):
        load_pack(override(tmp_path / "own", scenarios=text.replace(start, cut)))


def test_guns_alone_among_enemies_are_a_mistake(tmp_path: Path) -> None:
    text = altered(
        "scenarios.toml",
        "scenario",
        'id = "1915"',
        'area = "VOS", nation = "GE", units = { I = 1 }, entrenched = true',
        'area = "VOS", nation = "GE", units = { A = 1 }',
    )
    with pytest.raises(PackError, match=r"1915\.stacks\.\d+\.area: A stands there without infantry"):
        load_pack(override(tmp_path / "own", scenarios=text))


def test_a_pack_without_scenarios_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="scenario"):
        load_pack(override(tmp_path / "own", scenarios="scenario = []\n"))
