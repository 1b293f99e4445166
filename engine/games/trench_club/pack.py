"""The game's data pack: every printed table, frozen, with the lookups the rules need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.board.hexes import HexGrid
from engine.games.trench_club.cross_checks import check
from engine.games.trench_club.state import Team, Terrain
from engine.games.trench_club.tables import (
    SCHEMA,
    SYMBOLS,
    Armour,
    Automa,
    AutomaLevel,
    Column,
    Costs,
    DiceCard,
    DiceTable,
    Experience,
    FirstTurns,
    Fort,
    Half,
    Level,
    Meta,
    Money,
    NationData,
    Options,
    Scatter,
    SpecialForces,
    Start,
    TeamData,
    Trench,
    UnitType,
    Victory,
    places,
)
from engine.kernel.pack import Content, GamePack, Labels, frozen, loader, switches

__all__ = ["Pack", "UnitType", "load_pack"]

DATA = Path(__file__).parent / "data"
FULL = "full"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pack(GamePack):
    """The printed tables, and what the rules look up in them."""

    meta: Meta
    # game.toml
    teams: Mapping[Team, TeamData]
    nations: Mapping[str, NationData]  # clockwise
    # units.toml
    armour: Mapping[str, Armour]
    types: Mapping[str, UnitType]
    # map.toml
    halves: Mapping[str, Half]
    starts: Mapping[int, str]  # number of a token -> hex
    forts: Mapping[str, Fort]
    trenches: Mapping[str, Trench]
    # charts.toml
    costs: Costs
    dice: DiceTable
    levels: tuple[Level, ...]
    experience: Experience
    money: Money
    victory: Victory
    first_turns: FirstTurns
    special: SpecialForces
    scatter: Scatter
    automa: Automa
    automa_levels: Mapping[str, tuple[str, ...]]
    cards: Mapping[int, Mapping[int, tuple[int, ...]]]  # card -> dice -> hits at attack 2 … 10
    # derived
    ring: tuple[str, ...]  # nations, clockwise
    team_of: Mapping[str, Team]
    sheet: Mapping[str, tuple[str, ...]]  # SETUP-5 nation -> its types, in the sheet's order
    type_of_code: Mapping[str, str]  # both languages' codes
    terrain: Mapping[str, Terrain]
    grids: Mapping[str, HexGrid]  # "full" and the halves

    @property
    def die_sides(self) -> int:
        return self.meta.dice_sides


def _assembled(content: Content) -> Pack:
    check(content)
    return Pack(
        hash=content.hash,
        labels=content.one(Labels),
        meta=content.one(Meta),
        **_game(content),
        **_units(content),
        **_map(content),
        **_charts(content),
    )


load_pack = loader(SCHEMA, DATA, _assembled)


def _game(content: Content) -> dict[str, Any]:
    teams, nations = content.rows(TeamData), content.rows(NationData)
    return {
        "teams": frozen((row.id, row) for row in teams),
        "nations": frozen((row.id, row) for row in nations),
        "options": switches(content.one(Options)),
        "rulings": {},  # they stand among the options
        "ring": tuple(row.id for row in nations),
        "team_of": frozen((nation, row.id) for row in teams for nation in row.nations),
    }


def _units(content: Content) -> dict[str, Any]:
    types = content.rows(UnitType)
    own = {row.own_unit for row in content.rows(NationData)} | {row.gun for row in content.rows(NationData)}
    common = [row.id for row in types if not row.special and row.id not in own]
    return {
        "armour": content.by_id(Armour),
        "types": frozen((row.id, row) for row in types),
        "sheet": frozen((row.id, (*common, row.gun, row.own_unit)) for row in content.rows(NationData)),
        "type_of_code": frozen((code, row.id) for row in types for code in (row.code_fr, row.code)),
    }


def _map(content: Content) -> dict[str, Any]:
    columns = content.rows(Column)
    everywhere = places(columns)
    grids = {FULL: HexGrid(everywhere)}
    for half in content.rows(Half):
        grids[half.id] = HexGrid(
            {name: at for name, at in everywhere.items() if half.first <= name[0] <= half.last}
        )
    return {
        "halves": content.by_id(Half),
        "starts": frozen((row.id, row.hex) for row in content.rows(Start)),
        "forts": content.by_id(Fort),
        "trenches": content.by_id(Trench),
        "terrain": frozen(
            (f"{column.id}{row}", SYMBOLS[symbol])
            for column in columns
            for row, symbol in enumerate(column.hexes, 1)
        ),
        "grids": frozen(grids.items()),
    }


def _charts(content: Content) -> dict[str, Any]:
    return {
        "costs": content.one(Costs),
        "dice": content.one(DiceTable),
        "levels": tuple(sorted(content.rows(Level), key=lambda row: row.least)),
        "experience": content.one(Experience),
        "money": content.one(Money),
        "victory": content.one(Victory),
        "first_turns": content.one(FirstTurns),
        "special": content.one(SpecialForces),
        "scatter": content.one(Scatter),
        "automa": content.one(Automa),
        "automa_levels": frozen((row.id, row.extras) for row in content.rows(AutomaLevel)),
        "cards": frozen(
            (row.id, frozen((int(dice), hits) for dice, hits in row.hits.items()))
            for row in content.rows(DiceCard)
        ),
    }
