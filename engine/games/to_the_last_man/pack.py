"""The game's data pack: every printed table, frozen, with the lookups the rules need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.cross_checks import check
from engine.games.to_the_last_man.tables import (
    BOX,
    NATIONS,
    SCHEMA,
    SIDES,
    TYPES,
    Area,
    Army,
    ArtilleryCap,
    BiplaneYears,
    CardKind,
    Commonwealth,
    Crisis,
    Fort,
    Level,
    Meta,
    Nation,
    NationData,
    Options,
    Pool,
    Rulings,
    Scenario,
    SideData,
    Template,
    Turn,
    Type,
    UnitType,
    VpModifiers,
    Zones,
)
from engine.kernel.pack import Content, GamePack, Labels, frozen, loader, switches

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Unit:
    """One counter. `year`: the first year in which a biplane may be built, 0 for all others."""

    id: str  # "GE.I.01"
    nation: Nation
    type: Type
    year: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pack(GamePack):
    """The printed tables, and what the rules look up in them."""

    meta: Meta
    # game.toml
    sides: Mapping[Side, SideData]
    nations: Mapping[str, NationData]  # in the order of dice
    # map.toml
    areas: Mapping[str, Area]  # England and the transit box are keys too
    sources: Mapping[Side, tuple[str, ...]]
    coastal_sources: tuple[str, ...]  # of the Entente
    paris_gun_zone: frozenset[str]
    forts: Mapping[str, Fort]  # as printed
    # units.toml
    types: Mapping[str, UnitType]  # in the order of dice
    templates: Mapping[str, Template]
    commonwealth: Mapping[str, Commonwealth]  # unit id -> the corps' name and the turn of its swap
    armies: Mapping[str, Army]  # in the order of dice
    # cards.toml
    card_kinds: Mapping[str, CardKind]
    crisis: Mapping[str, Mapping[int, Crisis]]  # card kind -> year
    # charts.toml
    turns: Mapping[int, Turn]
    vp: VpModifiers
    levels: tuple[Level, ...]  # from the worst for Germany to the best
    # scenarios.toml
    scenarios: Mapping[str, Scenario]
    # derived: sides and map
    enemy_of: Mapping[Side, Side]
    side_of: Mapping[str, Side]  # nations, armies and units
    fort_side: Mapping[str, Side]  # area -> whose fort is printed there
    home_areas: Mapping[str, tuple[str, ...]]  # nation -> where its armies are rebuilt; never the transit box
    aliases: Mapping[str, str]  # id, name or other name of an area -> id
    # derived: counters
    units: Mapping[str, Unit]  # nations and types in the order of dice
    kinds: Mapping[str, tuple[str, ...]]  # "GE.I" -> its counters
    kind_of: Mapping[str, str]
    type_of: Mapping[str, str]
    nation_of: Mapping[str, str]  # units and armies
    armies_of: Mapping[str, tuple[str, ...]]  # nation or side -> armies; the Entente's for "EN"
    units_of: Mapping[str, tuple[str, ...]]  # nation -> units, sorted
    # derived: cards
    cards: Mapping[str, str]  # "OFF.01" -> "OFF"
    copies: Mapping[str, tuple[str, ...]]  # "OFF" -> its cards
    artillery_caps: Mapping[str, Mapping[int, int]]

    _own_names: ClassVar = frozenset({"biplanes_per_army", "artillery_cap", "level"})

    @property
    def die_sides(self) -> int:
        return self.meta.die_sides

    @property
    def biplanes_per_army(self) -> int:
        """8.3.4-02"""
        return self.meta.biplanes_per_army

    def artillery_cap(self, nation: str, year: int) -> int:
        """8.3.2-03 The most artillery units in one army of that nation."""
        return self.artillery_caps[nation][year]

    def level(self, vp: int) -> Level:
        """3.1-07 Where a modified total stands on the victory chart, whose ends are open."""
        inside = max(self.levels[0].min, min(vp, self.levels[-1].max))
        return next(level for level in self.levels if level.min <= inside <= level.max)


def _assembled(content: Content) -> Pack:
    check(content)
    return Pack(
        hash=content.hash,
        labels=content.one(Labels),
        meta=content.one(Meta),
        **_tables(content),
        **_map(content),
        **_counters(content),
        **_cards(content),
    )


load_pack = loader(SCHEMA, DATA, _assembled)


def _tables(content: Content) -> dict[str, Any]:
    types = {row.id: row for row in content.rows(UnitType)}
    caps = {
        row.nation: {int(year): cap for year, cap in row.years.items()} for row in content.rows(ArtilleryCap)
    }
    return {
        "sides": frozen((row.id, row) for side in SIDES for row in content.rows(SideData) if row.id == side),
        "nations": _by_nation(content, NationData, "id"),
        "options": switches(content.one(Options)),
        "rulings": switches(content.one(Rulings)),
        "types": frozen((type_, types[type_]) for type_ in TYPES),
        "templates": _by_nation(content, Template, "nation"),
        "commonwealth": content.by_id(Commonwealth),
        "turns": frozen((row.n, row) for row in content.rows(Turn)),
        "vp": content.one(VpModifiers),
        "levels": tuple(sorted(content.rows(Level), key=lambda row: row.rank)),
        "scenarios": content.by_id(Scenario),
        "artillery_caps": frozen((nation, frozen(caps[nation].items())) for nation in NATIONS),
    }


def _map(content: Content) -> dict[str, Any]:
    areas, nations = content.rows(Area), content.rows(NationData)
    side_of = {row.id: row.side for row in nations}
    zones = content.one(Zones)
    sources = {"GE": tuple(sorted(zones.german_sources)), "EN": tuple(sorted(zones.entente_sources))}
    inland = [row for row in areas if row.id != BOX]
    homes = {row.id: [area.id for area in inland if area.country in row.home] for row in nations}
    names = {name: area.id for area in areas for name in (area.id, *area.aliases, *area.names.values())}
    return {
        "areas": frozen((row.id, row) for row in areas),
        "sources": frozen(sources.items()),
        "coastal_sources": tuple(sorted(zones.coastal_sources)),
        "paris_gun_zone": frozenset(zones.paris_gun),
        "forts": frozen((row.area, row) for row in content.rows(Fort)),
        "fort_side": frozen((row.area, side_of[row.nation]) for row in content.rows(Fort)),
        "home_areas": frozen((nation, tuple(sorted(homes[nation]))) for nation in NATIONS),
        "aliases": frozen(names.items()),
        "enemy_of": frozen({"GE": "EN", "EN": "GE"}.items()),
    }


def _counters(content: Content) -> dict[str, Any]:
    armies = sorted(content.rows(Army), key=order_of_dice)
    side = {row.id: row.side for row in content.rows(NationData)}
    units = list(_units(content))
    kinds = {f"{unit.nation}.{unit.type}": list[str]() for unit in units}
    for unit in units:
        kinds[f"{unit.nation}.{unit.type}"].append(unit.id)
    pieces: list[Unit | Army] = [*units, *armies]
    return {
        "armies": frozen((row.id, row) for row in armies),
        "units": frozen((unit.id, unit) for unit in units),
        "kinds": frozen((kind, tuple(ids)) for kind, ids in kinds.items()),
        "kind_of": frozen((unit.id, f"{unit.nation}.{unit.type}") for unit in units),
        "type_of": frozen((unit.id, unit.type) for unit in units),
        "nation_of": frozen((piece.id, piece.nation) for piece in pieces),
        "side_of": frozen([*side.items(), *((piece.id, side[piece.nation]) for piece in pieces)]),
        "armies_of": frozen(
            (key, tuple(row.id for row in armies if key in (row.nation, side[row.nation])))
            for key in (*NATIONS, "EN")
        ),
        "units_of": frozen((n, tuple(sorted(u.id for u in units if u.nation == n))) for n in NATIONS),
    }


def order_of_dice(army: Army) -> tuple[int, int]:
    """0-09 Nations as in NATIONS, natural numbers, an army that has a letter instead last."""
    number = army.id.removeprefix(army.nation)
    return NATIONS.index(army.nation), int(number) if number.isdecimal() else 100


def _units(content: Content) -> Iterable[Unit]:
    pools = {row.nation: row.units for row in content.rows(Pool)}
    years = {row.nation: row.years for row in content.rows(BiplaneYears)}
    for nation in NATIONS:
        for type_ in TYPES:
            for number in range(1, pools[nation].get(type_, 0) + 1):
                year = years[nation][number - 1] if type_ == "B" else 0
                yield Unit(f"{nation}.{type_}.{number:02d}", nation, type_, year)


def _cards(content: Content) -> dict[str, Any]:
    kinds = content.rows(CardKind)
    copies = {row.id: tuple(f"{row.id}.{n:02d}" for n in range(1, row.count + 1)) for row in kinds}
    crises = content.rows(Crisis)
    return {
        "card_kinds": frozen((row.id, row) for row in kinds),
        "cards": frozen((card, kind) for kind, cards in copies.items() for card in cards),
        "copies": frozen(copies.items()),
        "crisis": frozen(
            (row.id, frozen((crisis.year, crisis) for crisis in crises if crisis.card == row.id))
            for row in kinds
            if row.group == "crisis"
        ),
    }


def _by_nation(content: Content, row: type[Any], key: str) -> Mapping[str, Any]:
    rows = {getattr(one, key): one for one in content.rows(row)}
    return frozen((nation, rows[nation]) for nation in NATIONS)
