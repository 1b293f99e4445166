"""Checks across the tables of the pack: known ids, two-way relations, the rulebook's counts, a legal set-up.

Each ends at the first mistake with a `PackError` that names file, table and key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.games.first_world_war.tables import (
    ANY,
    AllianceData,
    Army,
    AttackLine,
    Base,
    Command,
    DeploymentTrack,
    Dummy,
    FactionData,
    Front,
    HistoricalFront,
    Location,
    Meta,
    Nationality,
    Replacement,
    Restriction,
    RoundTrack,
    Seating,
    Theatre,
    Tile,
    Treaty,
    TurnData,
    Victory,
)
from engine.kernel.pack import Content, Row

T = TypeVar("T")
BACKS = {  # 6.2.2-1 alliance, mandatory
    ("ALLIES", False): "green",
    ("ALLIES", True): "red",
    ("CENTRAL", False): "black",
    ("CENTRAL", True): "blue",
}


@dataclass(frozen=True, slots=True)
class Known:
    """The ids that rows may refer to."""

    alliances: dict[str, AllianceData]
    factions: dict[str, FactionData]
    nationalities: dict[str, Nationality]
    theatres: dict[str, Theatre]
    fronts: dict[int, Front]
    locations: dict[str, Location]
    nodes: dict[str, Location | Base]
    armies: dict[str, Army]

    def alliance_of(self, nationality: str) -> str:
        return self.factions[self.nationalities[nationality].faction].alliance


def check(content: Content) -> None:
    """Every cross check; those that look ids up come after those that make sure of them."""
    locations = {row.id: row for row in content.rows(Location)}
    known = Known(
        alliances={row.id: row for row in content.rows(AllianceData)},
        factions={row.id: row for row in content.rows(FactionData)},
        nationalities={row.id: row for row in content.rows(Nationality)},
        theatres={row.id: row for row in content.rows(Theatre)},
        fronts={row.id: row for row in content.rows(Front)},
        locations=locations,
        nodes={**{row.id: row for row in content.rows(Base)}, **locations},
        armies={row.id: row for row in content.rows(Army)},
    )
    _check_counts(content)
    _check_sides(content, known)
    _check_seats(content, known)
    _check_fronts(content, known)
    _check_limits(content, known)
    _check_listed_nationalities(content, known)
    _check_nodes(content, known)
    _check_lines(content, known)
    _check_reach(content, known)
    _check_counters(content, known)
    _check_tiles(content, known)
    _check_tracks(content)
    _check_replacement(content, known)
    _check_treaty_and_victory(content, known)
    _check_historical_setup(content, known)


# ------------------------------------------------------------------ game.toml


def _check_counts(content: Content) -> None:
    """2.0 The rulebook says how many there are of each component."""
    meta = content.one(Meta)
    centres = [row for row in content.rows(Location) if row.replacement]
    wanted: tuple[tuple[type[Row], Sequence[Row], int], ...] = (
        (Front, content.rows(Front), meta.fronts),
        (Location, content.rows(Location), meta.locations),
        (Location, centres, meta.centres),
        (Army, content.rows(Army), meta.armies),
        (Dummy, content.rows(Dummy), meta.dummies),
        (Tile, content.rows(Tile), meta.tiles),
        (TurnData, content.rows(TurnData), meta.turns),
        (AllianceData, content.rows(AllianceData), 2),
        (FactionData, content.rows(FactionData), 4),
        (Seating, content.rows(Seating), len(meta.players)),
    )
    for table, rows, number in wanted:
        if len(rows) != number:
            key = "replacement" if rows is centres else "players" if table is Seating else "id"
            content.wrong(table, key, f"wrong count: {len(rows)} instead of {number}")
    for alliance in content.rows(AllianceData):
        tiles = [tile for tile in content.rows(Tile) if tile.alliance == alliance.id]
        if len(tiles) != meta.tiles_per_alliance:
            problem = f"wrong count: {len(tiles)} for {alliance.id} instead of {meta.tiles_per_alliance}"
            content.wrong(Tile, "alliance", problem)
    track = content.one(RoundTrack)
    if track.cycles * len(track.order) != meta.rounds:
        content.wrong(track, "cycles", f"wrong count: the turn has {meta.rounds} rounds")


def _check_sides(content: Content, known: Known) -> None:
    for alliance in known.alliances.values():
        _check_once(content, alliance, "factions", alliance.factions)
        for faction in alliance.factions:
            if known.factions[faction].alliance != alliance.id:
                content.wrong(alliance, "factions", f"{faction} belongs to the other alliance")
    for row in known.factions.values():
        _check_known(content, row, "garrison_fronts", row.garrison_fronts, known.fronts)
    aliases = [alias for row in known.factions.values() for alias in (row.id, *row.aliases)]
    for row in known.factions.values():
        for alias in row.aliases:
            if aliases.count(alias) > 1:
                content.wrong(row, "aliases", f"{alias} is ambiguous")


def _check_seats(content: Content, known: Known) -> None:
    for row in content.rows(Seating):
        if row.players not in content.one(Meta).players or row.players != len(row.seats):
            content.wrong(row, "seats", f"wrong count: {len(row.seats)} seats")
        everyone = [faction for factions in row.seats.values() for faction in factions]
        if sorted(everyone) != sorted(known.factions):
            content.wrong(row, "seats", "every faction must have exactly one seat")
        for seat, factions in row.seats.items():
            if len({known.factions[faction].alliance for faction in factions}) != 1:
                content.wrong(row, f"seats.{seat}", "a seat runs factions of one alliance")


# ------------------------------------------------------------------ map.toml


def _check_fronts(content: Content, known: Known) -> None:
    homes = Counter(front for theatre in known.theatres.values() for front in theatre.fronts)
    for row in known.fronts.values():
        _check_known(content, row, "theatre", (row.theatre,), known.theatres)
    for theatre in known.theatres.values():
        _check_known(content, theatre, "fronts", theatre.fronts, known.fronts)
        for front in theatre.fronts:
            if homes[front] != 1 or known.fronts[front].theatre != theatre.id:
                content.wrong(theatre, "fronts", f"front {front} belongs to another theatre")
    for row in known.fronts.values():
        if row.id not in known.theatres[row.theatre].fronts:
            content.wrong(row, "theatre", f"{row.theatre} does not list this front")
        _check_known(content, row, "adjacent", row.adjacent, known.fronts)
        for other in row.adjacent:
            if row.id not in known.fronts[other].adjacent or other == row.id:
                content.wrong(row, "adjacent", f"asymmetric: front {other} does not border on {row.id}")
            if known.fronts[other].theatre != row.theatre:
                content.wrong(row, "adjacent", f"front {other} lies in another theatre")


def _check_limits(content: Content, known: Known) -> None:
    """5.1, 5.3, 5.4"""
    for row in content.rows(Restriction):
        _check_known(content, row, "fronts", row.fronts, known.fronts)
        _check_known(content, row, "nationalities", row.nationalities, known.nationalities)
        if row.requires_control is not None:
            _check_known(content, row, "requires_control", (row.requires_control,), known.locations)
        if (row.requires_control is None) != (row.requires_faction is None):
            content.wrong(row, "requires_faction", "stands with requires_control, or neither does")
    for order in content.rows(Command):
        _check_known(content, order, "nationality", (order.nationality,), known.nationalities)
        _check_known(content, order, "fronts", order.fronts, known.fronts)
        if known.factions[order.commander].alliance != known.alliance_of(order.nationality):
            content.wrong(order, "commander", f"{order.commander} is an enemy of {order.nationality}")


def _check_listed_nationalities(content: Content, known: Known) -> None:
    """2.1-7 Whoever is listed fights there under the one faction of its alliance."""
    commanded = {
        (row.nationality, front): row.commander for row in content.rows(Command) for front in row.fronts
    }
    for row in known.fronts.values():
        _check_known(content, row, "nationalities", row.nationalities, known.nationalities)
        fighting = {row.allied_faction, row.central_faction}
        for nation in row.nationalities:
            if commanded.get((nation, row.id), known.nationalities[nation].faction) not in fighting:
                content.wrong(row, "nationalities", f"{nation} has no faction on this front")


def _check_nodes(content: Content, known: Known) -> None:
    nodes: tuple[Location | Base, ...] = (*content.rows(Location), *content.rows(Base))
    for node in nodes:
        _check_known(content, node, "front", (node.front,), known.fronts)
        front = known.fronts[node.front]
        if node.owner not in (front.allied_faction, front.central_faction):
            content.wrong(node, "owner", f"{node.owner} does not fight on front {node.front}")
        if known.nodes[node.id] is not node:
            content.wrong(node, "id", "duplicate: a location has this id")
    names = Counter(name for row in known.locations.values() for name in (row.id, *row.aliases))
    for row in known.locations.values():
        for alias in row.aliases:
            if names[alias] > 1:
                content.wrong(row, "aliases", f"{alias} is ambiguous")


def _check_lines(content: Content, known: Known) -> None:
    pairs: set[frozenset[str]] = set()
    for line in content.rows(AttackLine):
        for key, end in (("a", line.a), ("b", line.b)):
            _check_known(content, line, key, (end,), known.nodes)
            if known.nodes[end].front != line.front:
                content.wrong(line, key, f"{end} lies on front {known.nodes[end].front}")
        pair = frozenset((line.a, line.b))
        if pair in pairs or len(pair) == 1:
            content.wrong(line, "b", "duplicate: these two are joined already")
        if isinstance(known.nodes[line.a], Base) and isinstance(known.nodes[line.b], Base):
            content.wrong(line, "b", "a line between two bases leads nowhere")
        pairs.add(pair)


def _check_reach(content: Content, known: Known) -> None:
    """2.1-5 Bases are the ends of the lines: from them each side can get at every location of the front."""
    joined: dict[str, list[str]] = {node: [] for node in known.nodes}
    for line in content.rows(AttackLine):
        joined[line.a].append(line.b)
        joined[line.b].append(line.a)
    for base in content.rows(Base):
        if not joined[base.id]:
            content.wrong(base, "id", "no line leads to this base")
    for front in known.fronts.values():
        for faction in (front.allied_faction, front.central_faction):
            bases = [row.id for row in content.rows(Base) if (row.front, row.owner) == (front.id, faction)]
            if not bases:
                content.wrong(Base, "front", f"{faction} has no base on front {front.id}")
            reached = _reached(bases, joined, known)
            for row in known.locations.values():
                if row.front == front.id and row.id not in reached:
                    content.wrong(row, "id", f"no lines lead here from a base of {faction}")


def _reached(start: list[str], joined: dict[str, list[str]], known: Known) -> set[str]:
    """Locations joined to these bases, through other locations only: a base is never captured."""
    reached, ways = set(start), list(start)
    while ways:
        for node in joined[ways.pop()]:
            if node in known.locations and node not in reached:
                reached.add(node)
                ways.append(node)
    return reached


# ------------------------------------------------------------------ units.toml, tiles.toml


def _check_counters(content: Content, known: Known) -> None:
    listed = {nation for front in known.fronts.values() for nation in front.nationalities}
    for army in known.armies.values():
        _check_known(content, army, "nationality", (army.nationality,), known.nationalities)
        if known.nationalities[army.nationality].faction != army.faction:
            content.wrong(army, "faction", f"{army.nationality} does not belong to {army.faction}")
        if army.nationality not in listed:
            content.wrong(army, "nationality", f"no front lists {army.nationality}")
    for dummy in content.rows(Dummy):
        if dummy.id in known.armies:
            content.wrong(dummy, "id", "duplicate: an army has this id")
        if dummy.entry != 1:
            content.wrong(dummy, "entry", "dummies are there from turn 1")  # 3-6


def _check_tiles(content: Content, known: Known) -> None:
    years = [year for turn in content.rows(TurnData) for year in turn.tile_years]
    seen: set[tuple[str, str]] = set()
    for tile in content.rows(Tile):
        if tile.nationalities != (ANY,):
            _check_known(content, tile, "nationalities", tile.nationalities, known.nationalities)
            for nation in tile.nationalities:
                if known.alliance_of(nation) != tile.alliance:
                    content.wrong(tile, "nationalities", f"{nation} does not belong to {tile.alliance}")
        if (tile.use == "either") != (tile.value == 0):
            content.wrong(tile, "use", "a tile fits attack and defence if and only if it counts 0")  # 6.2-1
        if tile.back != BACKS[tile.alliance, tile.mandatory]:
            content.wrong(tile, "back", f"must be {BACKS[tile.alliance, tile.mandatory]}")
        if years.count(tile.year) != 1:
            content.wrong(tile, "year", f"the tiles of {tile.year} must come into play in exactly one turn")
        if (tile.alliance, tile.key) in seen:
            content.wrong(tile, "key", "duplicate")
        seen.add((tile.alliance, tile.key))


# ------------------------------------------------------------------ charts.toml


def _check_tracks(content: Content) -> None:
    turns = [row.id for row in content.rows(TurnData)]
    if turns != list(range(1, len(turns) + 1)):
        content.wrong(TurnData, "id", "turns must be numbered from 1 on, in order")
    rounds, deployment = content.one(RoundTrack), content.one(DeploymentTrack)
    _check_once(content, rounds, "order", rounds.order)
    _check_once(content, deployment, "order", deployment.order)


def _check_replacement(content: Content, known: Known) -> None:
    """7.1, 7.2"""
    row = content.one(Replacement)
    for faction, data in known.factions.items():
        if faction not in row.centres:
            content.wrong(row, f"centres.{faction}", "missing")
        centres = row.centres[data.id]
        key = f"centres.{faction}"
        _check_known(content, row, key, centres, known.locations)
        marked = {
            place.id for place in known.locations.values() if place.replacement and place.owner == faction
        }
        if set(centres) != marked:
            content.wrong(row, key, f"differs from the locations marked so: {', '.join(sorted(marked))}")
        if len(centres) != data.replacement_base:
            content.wrong(row, key, f"wrong count: {len(centres)} instead of {data.replacement_base}")
    _check_known(content, row, "charged_to_WA", row.charged_to_WA, known.armies)
    for army in row.charged_to_WA:
        if known.armies[army].faction != "EA":
            content.wrong(row, "charged_to_WA", f"{army} is no army of EA")


def _check_treaty_and_victory(content: Content, known: Known) -> None:
    treaty, victory = content.one(Treaty), content.one(Victory)
    for key in ("frozen_fronts", "combat_only_fronts"):
        _check_known(content, treaty, key, getattr(treaty, key), known.fronts)
    for key in ("german_minimum", "german_allies_minimum"):
        _check_known(content, treaty, f"{key}.fronts", getattr(treaty, key).fronts, known.fronts)
    _check_known(content, treaty, "combat_only_armies", treaty.combat_only_armies, known.armies)
    _check_known(
        content, treaty, "inactive_nationalities", treaty.inactive_nationalities, known.nationalities
    )
    if not 1 <= victory.early_end_fronts <= len(known.fronts):
        content.wrong(victory, "early_end_fronts", f"the map has {len(known.fronts)} fronts")


# ------------------------------------------------------------------ scenarios.toml


def _check_historical_setup(content: Content, known: Known) -> None:
    """9.3-1 Every army of turn 1 stands once, where it may stand in turn 1."""
    rows = content.rows(HistoricalFront)
    if sorted(row.front for row in rows) != sorted(known.fronts):
        content.wrong(HistoricalFront, "front", "every front must stand here once")
    placed: Counter[str] = Counter()
    for row in rows:
        for key, alliance in (("allies", "ALLIES"), ("central", "CENTRAL")):
            armies: tuple[str, ...] = getattr(row, key)
            _check_known(content, row, key, armies, known.armies)
            for name in armies:
                _check_placed(content, known, row, key, known.armies[name], alliance)
            placed.update(armies)
    for army in known.armies.values():
        if placed[army.id] != (1 if army.entry == 1 else 0):
            content.wrong(
                HistoricalFront, "allies/central", f"{army.id} stands there {placed[army.id]} times"
            )
        if army.historical_front is not None and army.entry != 1:
            content.wrong(army, "historical_front", "only an army of turn 1 has one")


def _check_placed(
    content: Content, known: Known, row: HistoricalFront, key: str, army: Army, alliance: str
) -> None:
    if known.factions[army.faction].alliance != alliance:
        content.wrong(row, key, f"{army.id} does not belong to {alliance}")
    if army.nationality not in known.fronts[row.front].nationalities:
        content.wrong(row, key, f"{army.id} may not stand on front {row.front}")
    for bar in content.rows(Restriction):
        if row.front in bar.fronts and army.nationality in bar.nationalities and bar.from_turn > 1:
            content.wrong(row, key, f"{army.id} may not stand there before turn {bar.from_turn}")
    if army.entry != 1:
        content.wrong(row, key, f"{army.id} enters in turn {army.entry}")
    if army.historical_front != row.front:
        content.wrong(army, "historical_front", f"the set-up has it on front {row.front}")


# ------------------------------------------------------------------ common


def _check_known(content: Content, row: Row, key: str, ids: Iterable[T], known: dict[T, Any]) -> None:
    listed = tuple(ids)
    for one in listed:
        if one not in known:
            content.wrong(row, key, f"unknown id: {one}")
    _check_once(content, row, key, listed)


def _check_once(content: Content, row: Row, key: str, ids: Sequence[Any]) -> None:
    for one, times in Counter(ids).items():
        if times > 1:
            content.wrong(row, key, f"duplicate: {one}")
