"""The game's data pack: every printed table, frozen, with the lookups the rules need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.cross_checks import check
from engine.games.first_world_war.tables import (
    SCHEMA,
    AllianceData,
    Army,
    AttackLine,
    Base,
    Command,
    DeploymentTrack,
    Die,
    Dummy,
    FactionData,
    Front,
    HistoricalFront,
    Location,
    Meta,
    Nationality,
    Options,
    Replacement,
    Restriction,
    RoundTrack,
    Rulings,
    Seating,
    Theatre,
    Tile,
    Treaty,
    TurnData,
    Victory,
    VpTrack,
)
from engine.kernel.pack import Content, GamePack, Labels, frozen, loader, switches

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pack(GamePack):
    """The printed tables, and what the rules look up in them."""

    meta: Meta
    # game.toml
    alliances: Mapping[Alliance, AllianceData]
    factions: Mapping[Faction, FactionData]
    seats: Mapping[int, Mapping[str, tuple[Faction, ...]]]  # players -> seat -> factions
    nationalities: Mapping[str, Nationality]
    # map.toml
    theatres: Mapping[str, Theatre]
    fronts: Mapping[int, Front]
    restrictions: tuple[Restriction, ...]
    command: tuple[Command, ...]
    locations: Mapping[str, Location]
    bases: Mapping[str, Base]
    lines: tuple[AttackLine, ...]
    # units.toml, tiles.toml
    armies: Mapping[str, Army]
    dummies: Mapping[str, Dummy]
    tiles: Mapping[str, Tile]
    # charts.toml
    die: Die
    turns: Mapping[int, TurnData]
    round_order: tuple[Faction, ...]
    cycles: int
    deployment_order: tuple[Faction, ...]
    vp_floor: int
    replacement: Replacement
    treaty: Treaty
    victory: Victory
    # scenarios.toml
    historical_setup: Mapping[int, HistoricalFront]
    # derived: counters
    faction_of: Mapping[str, Faction]  # any counter id
    nationality_of: Mapping[str, str]  # real armies
    id_rank: Mapping[str, int]  # any counter id -> its place where the lowest id counts (`by_number`)
    armies_of: Mapping[Faction, tuple[str, ...]]  # sorted
    dummies_of: Mapping[Faction, tuple[str, ...]]  # sorted
    entering: Mapping[int, tuple[str, ...]]  # turn -> real armies, sorted
    # derived: sides
    alliance_of: Mapping[Faction, Alliance]
    enemy_of: Mapping[Alliance, Alliance]
    partner_of: Mapping[Faction, Faction]
    fighter: Mapping[int, Mapping[Alliance, Faction]]  # 2.1-7 who fights on a front
    commander: Mapping[Faction, Mapping[int, Faction]]  # 5.1-1 owner, front -> who commands real armies
    # derived: map
    locations_of: Mapping[int, tuple[str, ...]]  # front -> locations, in the pack's order
    bases_of: Mapping[int, tuple[str, ...]]
    front_lines: Mapping[int, tuple[AttackLine, ...]]
    neighbours: Mapping[str, tuple[tuple[str, int], ...]]  # node -> (node, turn the line opens)
    owner_of: Mapping[str, Faction]  # node -> printed owner
    front_of: Mapping[str, int]  # node -> front
    fronts_of: Mapping[Faction, tuple[int, ...]]  # fronts that list a nationality of the faction
    permitted: Mapping[int, frozenset[str]]  # 2.1-2 front -> nationalities
    aliases: Mapping[str, str]  # location id or alias -> location id
    # derived: tiles
    tiles_of: Mapping[Alliance, tuple[str, ...]]  # sorted
    tiles_for_turn: Mapping[int, tuple[str, ...]]  # turn -> tiles that come into play, sorted

    @property
    def die_faces(self) -> tuple[str, ...]:
        return self.die.faces


def _assembled(content: Content) -> Pack:
    check(content)
    return Pack(
        hash=content.hash,
        labels=content.one(Labels),
        meta=content.one(Meta),
        **_tables(content),
        **_counters(content),
        **_sides(content),
        **_map(content),
        **_tiles(content),
    )


load_pack = loader(SCHEMA, DATA, _assembled)


def _tables(content: Content) -> dict[str, Any]:
    return {
        "alliances": content.by_id(AllianceData),
        "factions": content.by_id(FactionData),
        "seats": frozen((row.players, row.seats) for row in content.rows(Seating)),
        "nationalities": content.by_id(Nationality),
        "theatres": content.by_id(Theatre),
        "fronts": content.by_id(Front),
        "restrictions": content.rows(Restriction),
        "command": content.rows(Command),
        "locations": content.by_id(Location),
        "bases": content.by_id(Base),
        "lines": content.rows(AttackLine),
        "armies": content.by_id(Army),
        "dummies": content.by_id(Dummy),
        "tiles": content.by_id(Tile),
        "die": content.one(Die),
        "turns": content.by_id(TurnData),
        "round_order": content.one(RoundTrack).order,
        "cycles": content.one(RoundTrack).cycles,
        "deployment_order": content.one(DeploymentTrack).order,
        "vp_floor": content.one(VpTrack).floor,
        "replacement": content.one(Replacement),
        "treaty": content.one(Treaty),
        "victory": content.one(Victory),
        "options": switches(content.one(Options)),
        "rulings": switches(content.one(Rulings)),
        "historical_setup": frozen((row.front, row) for row in content.rows(HistoricalFront)),
    }


def _counters(content: Content) -> dict[str, Any]:
    armies, dummies = content.rows(Army), content.rows(Dummy)
    counters: tuple[Army | Dummy, ...] = (*armies, *dummies)
    factions = [row.id for row in content.rows(FactionData)]
    turns = [row.id for row in content.rows(TurnData)]
    return {
        "faction_of": frozen((row.id, row.faction) for row in counters),
        "nationality_of": frozen((row.id, row.nationality) for row in armies),
        "id_rank": frozen((c, n) for n, c in enumerate(sorted((row.id for row in counters), key=by_number))),
        "armies_of": frozen((f, tuple(sorted(a.id for a in armies if a.faction == f))) for f in factions),
        "dummies_of": frozen((f, tuple(sorted(d.id for d in dummies if d.faction == f))) for f in factions),
        "entering": frozen((t, tuple(sorted(a.id for a in armies if a.entry == t))) for t in turns),
    }


def by_number(counter: str) -> tuple[str, int]:
    """D3, D8, D9, D17 What makes an id the lowest: its letters, then its number. DE9 comes before DE10."""
    letters = counter.rstrip("0123456789")
    return letters, int(counter[len(letters) :] or 0)


def _sides(content: Content) -> dict[str, Any]:
    alliances, factions, fronts = content.rows(AllianceData), content.rows(FactionData), content.rows(Front)
    nation_faction = {row.id: row.faction for row in content.rows(Nationality)}
    commander: dict[Faction, dict[int, Faction]] = {
        f.id: {front.id: f.id for front in fronts} for f in factions
    }
    for row in content.rows(Command):
        commander[nation_faction[row.nationality]].update(dict.fromkeys(row.fronts, row.commander))
    return {
        "alliance_of": frozen((row.id, row.alliance) for row in factions),
        "enemy_of": frozen((a.id, b.id) for a in alliances for b in alliances if a is not b),
        "partner_of": frozen(
            (f, g) for row in alliances for f in row.factions for g in row.factions if f != g
        ),
        "fighter": frozen(
            (row.id, frozen({"ALLIES": row.allied_faction, "CENTRAL": row.central_faction}.items()))
            for row in fronts
        ),
        "commander": frozen((f, frozen(by_front.items())) for f, by_front in commander.items()),
    }


def _map(content: Content) -> dict[str, Any]:
    fronts, locations, bases = content.rows(Front), content.rows(Location), content.rows(Base)
    lines = content.rows(AttackLine)
    nodes: tuple[Location | Base, ...] = (*locations, *bases)
    nation_faction = {row.id: row.faction for row in content.rows(Nationality)}
    neighbours: dict[str, list[tuple[str, int]]] = {node.id: [] for node in nodes}
    for line in lines:
        neighbours[line.a].append((line.b, line.opens))
        neighbours[line.b].append((line.a, line.opens))
    listed = {row.id: {nation_faction[nation] for nation in row.nationalities} for row in fronts}
    return {
        "locations_of": frozen((f.id, tuple(x.id for x in locations if x.front == f.id)) for f in fronts),
        "bases_of": frozen((f.id, tuple(x.id for x in bases if x.front == f.id)) for f in fronts),
        "front_lines": frozen((f.id, tuple(x for x in lines if x.front == f.id)) for f in fronts),
        "neighbours": frozen((node, tuple(ends)) for node, ends in neighbours.items()),
        "owner_of": frozen((node.id, node.owner) for node in nodes),
        "front_of": frozen((node.id, node.front) for node in nodes),
        "fronts_of": frozen(
            (row.id, tuple(front.id for front in fronts if row.id in listed[front.id]))
            for row in content.rows(FactionData)
        ),
        "permitted": frozen((row.id, frozenset(row.nationalities)) for row in fronts),
        "aliases": frozen((name, row.id) for row in locations for name in (row.id, *row.aliases)),
    }


def _tiles(content: Content) -> dict[str, Any]:
    tiles = content.rows(Tile)
    return {
        "tiles_of": frozen(
            (row.id, tuple(sorted(tile.id for tile in tiles if tile.alliance == row.id)))
            for row in content.rows(AllianceData)
        ),
        "tiles_for_turn": frozen(
            (turn.id, tuple(sorted(tile.id for tile in tiles if tile.year in turn.tile_years)))
            for turn in content.rows(TurnData)
        ),
    }
