"""Checks across the tables of the pack: known ids, the rulebook's counts, a board that hangs together.

Each ends at the first mistake with a `PackError` that names file, table and key.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from engine.board.areas import connected
from engine.board.hexes import HexGrid
from engine.games.trench_club.tables import (
    OWN_UNIT,
    SYMBOLS,
    Armour,
    Automa,
    AutomaLevel,
    Column,
    DiceCard,
    DiceTable,
    FirstTurns,
    Fort,
    Half,
    Level,
    Meta,
    NationData,
    SpecialForces,
    Start,
    TeamData,
    Trench,
    UnitType,
    places,
)
from engine.kernel.pack import Content

LEVELS = 3  # of experience
CARDS = 10
COMPANIES_EACH = 3
CLASSES_OF_FEET = ("foot",)


def check(content: Content) -> None:
    """Every cross check; those that look ids up come after those that make sure of them."""
    _check_nations(content)
    _check_armour(content)
    _check_units(content)
    _check_sheets(content)
    _check_charts(content)
    _check_automa(content)
    grid = _check_board(content)
    _check_halves(content)
    _check_starts(content)
    _check_forts(content, grid)
    _check_trenches(content, grid)


# ------------------------------------------------------------------ nations and units


def _check_nations(content: Content) -> None:
    """SETUP-1, 4 Two teams of two, who never sit side by side."""
    ring = [row.id for row in content.rows(NationData)]
    team = {nation: row.id for row in content.rows(TeamData) for nation in row.nations}
    for row in content.rows(TeamData):
        for nation in row.nations:
            if nation not in ring:
                content.wrong(row, "nations", f"unknown nation {nation!r}")
    for one in content.rows(NationData):
        if one.id not in team:
            content.wrong(one, "id", "in no team")
    for one, other in pairwise([*content.rows(NationData), content.rows(NationData)[0]]):
        if team[one.id] == team[other.id]:
            content.wrong(other, "id", f"sits beside its ally {one.id}")


def _check_armour(content: Content) -> None:
    """COMBAT-12 More damage never needs fewer hits, and cover never fewer than open ground."""
    for row in content.rows(Armour):
        for name, hits in (("open", row.open), ("forest", row.forest)):
            if hits[0] < 1 or any(more < less for less, more in pairwise(hits)):
                content.wrong(row, name, "must rise, from 1 on")
        if any(cover < bare for bare, cover in zip(row.open, row.forest, strict=True)):
            content.wrong(row, "forest", "forest must protect at least as well as open ground")


def _check_units(content: Content) -> None:
    armour = {row.id for row in content.rows(Armour)}
    codes: dict[str, str] = {}
    for row in content.rows(UnitType):
        for code in dict.fromkeys((row.code, row.code_fr)):
            if codes.setdefault(code, row.id) != row.id:
                content.wrong(row, "code", f"{code} is the code of {codes[code]}, too")
        if row.armour not in armour:
            content.wrong(row, "armour", f"unknown armour {row.armour!r}")
        for name in ("range_ground", "range_air"):
            given = getattr(row, name)
            if given and (len(given) != 2 or not 1 <= given[0] <= given[1]):
                content.wrong(row, name, "must be [fewest, most], or [] for none")
        for name in ("attack", "attack_vs_tank", "attack_vs_foot", "attack_vs_air"):
            given = getattr(row, name)
            if len(given) != LEVELS and (given or name == "attack"):
                content.wrong(row, name, f"needs {LEVELS} values")
            if any(more < less for less, more in pairwise(given)):
                content.wrong(row, name, "must not fall with experience")
        if row.captures and row.klass not in CLASSES_OF_FEET:
            content.wrong(row, "captures", "only foot units conquer")


def _check_sheets(content: Content) -> None:
    """SETUP-5 Eleven units each: what all have, the nation's gun and its own unit."""
    types = {row.id: row for row in content.rows(UnitType)}
    for row in content.rows(NationData):
        for name in ("gun", "own_unit"):
            if getattr(row, name) not in types or types[getattr(row, name)].special:
                content.wrong(row, name, f"no unit of a sheet: {getattr(row, name)!r}")
    own = {one for row in content.rows(NationData) for one in (row.gun, row.own_unit)}
    common = [row.id for row in types.values() if not row.special and row.id not in own]
    if len(common) + 2 != content.one(Meta).army:
        content.wrong(Meta, "army", f"a sheet has {len(common) + 2} units")


# ------------------------------------------------------------------ charts


def _check_charts(content: Content) -> None:
    types = {row.id: row for row in content.rows(UnitType)}
    special, dice = content.one(SpecialForces), content.one(DiceTable)
    for one in (*special.deck, special.optional):
        if one not in types or not types[one].special:
            content.wrong(special, "deck", f"no special force: {one!r}")
    levels = sorted(row.least for row in content.rows(Level))
    if len(levels) != LEVELS or levels[0] != 0:
        content.wrong(Level, "least", f"needs {LEVELS} levels, the first from 0 on")
    if len(dice.by_damage) != dice.destroyed_at:
        content.wrong(dice, "by_damage", "needs a number for every damage that leaves the unit alive")
    turns = content.one(FirstTurns)
    for name, seats in (("four", 4), ("two", 2)):
        for row in getattr(turns, name):
            if len(row) != seats or any(not 1 <= one <= COMPANIES_EACH for one in row):
                content.wrong(turns, name, f"each round needs {seats} numbers of companies, 1 to 3")
    _check_cards(content, dice)


def _check_cards(content: Content, dice: DiceTable) -> None:
    """DICELESS-3 A row for every number of dice that can be rolled."""
    bonuses = (0, dice.flank_bonus, dice.surround_bonus)
    rows = {str(number + bonus) for number in dice.by_damage for bonus in bonuses}
    cards = content.rows(DiceCard)
    if sorted(row.id for row in cards) != list(range(1, CARDS + 1)):
        content.wrong(DiceCard, "id", f"needs the cards 1 to {CARDS}")
    for card in cards:
        if missing := sorted(rows - set(card.hits), key=int):
            content.wrong(card, "hits", f"no row for {missing[0]} dice")
        for number, hits in card.hits.items():
            if not number.isdecimal() or any(one > int(number) for one in hits):
                content.wrong(card, f"hits.{number}", "more hits than dice")


def _check_automa(content: Content) -> None:
    types = {row.id for row in content.rows(UnitType) if not row.special}
    automa = content.one(Automa)
    for name in ("without", "buy_foot", "buy_else"):
        if getattr(automa, name) not in types:
            content.wrong(automa, name, f"no unit of a sheet: {getattr(automa, name)!r}")
    for row in content.rows(AutomaLevel):
        for one in row.extras:
            if one not in types and one != OWN_UNIT:
                content.wrong(row, "extras", f"no unit of a sheet: {one!r}")


# ------------------------------------------------------------------ the board


def _check_board(content: Content) -> HexGrid:
    columns = content.rows(Column)
    for place, row in enumerate(columns):
        if row.id != chr(ord("A") + place):
            content.wrong(row, "id", "columns must follow one another from A on")
    grid = HexGrid(places(columns))
    if len(grid) != content.one(Meta).hexes:
        content.wrong(Meta, "hexes", f"the board has {len(grid)}")
    return grid


def _check_halves(content: Content) -> None:
    columns = {row.id: row for row in content.rows(Column)}
    for row in content.rows(Half):
        for name in ("first", "last"):
            if getattr(row, name) not in columns:
                content.wrong(row, name, "no such column")
        size = sum(len(one.hexes) for one in columns.values() if row.first <= one.id <= row.last)
        if size != content.one(Meta).half_hexes:
            content.wrong(row, "last", f"this half has {size} hexes")


def _check_starts(content: Content) -> None:
    """SETUP-8 Twelve numbers, six on each half, on land."""
    terrain, halves = _terrain(content), {row.id: row for row in content.rows(Half)}
    if sorted(row.id for row in content.rows(Start)) != list(range(1, content.one(Meta).tokens + 1)):
        content.wrong(Start, "id", f"needs the numbers 1 to {content.one(Meta).tokens}")
    for row in content.rows(Start):
        half = halves["1-6" if row.id <= content.one(Meta).tokens // 2 else "7-12"]
        if terrain.get(row.hex) in (None, "water", "fort"):
            content.wrong(row, "hex", "no hex on which a unit may stand")
        if not half.first <= row.hex[0] <= half.last:
            content.wrong(row, "hex", f"not in the half {half.id}")


def _check_forts(content: Content, grid: HexGrid) -> None:
    """FORT-1 The entrances lie to the left and to the right."""
    terrain, forts = _terrain(content), content.rows(Fort)
    for row in forts:
        if terrain.get(row.id) != "fort":
            content.wrong(row, "id", "no fort stands on that hex")
        for name, ways in (("left", ("NW", "SW")), ("right", ("NE", "SE"))):
            if sorted(getattr(row, name)) != sorted(grid.step(row.id, way) for way in ways):
                content.wrong(row, name, "must be the two hexes before that entrance")
    drawn = [hex_ for hex_, what in terrain.items() if what == "fort"]
    if len(drawn) != content.one(Meta).forts or len(forts) != len(drawn):
        content.wrong(Fort, "id", f"{len(drawn)} forts are drawn, {len(forts)} listed")


def _check_trenches(content: Content, grid: HexGrid) -> None:
    """TRENCH-2 A trench is all trench hexes that hang together."""
    drawn = {hex_ for hex_, what in _terrain(content).items() if what == "trench"}
    listed: set[str] = set()
    for row in content.rows(Trench):
        if strange := _first(hex_ for hex_ in row.hexes if hex_ not in drawn or hex_ in listed):
            content.wrong(row, "hexes", f"{strange} is no trench hex, or in another trench, too")
        listed.update(row.hexes)
        whole = connected(grid.neighbours, row.hexes[:1], lambda hex_: hex_ in drawn)
        if set(whole) != set(row.hexes):
            content.wrong(row, "hexes", "must be all trench hexes that hang together there")
    if missing := _first(sorted(drawn - listed)):
        content.wrong(Trench, "hexes", f"{missing} is in no trench")


def _terrain(content: Content) -> dict[str, str]:
    return {
        f"{column.id}{row}": SYMBOLS[symbol]
        for column in content.rows(Column)
        for row, symbol in enumerate(column.hexes, 1)
    }


def _first(found: Iterable[str]) -> str:
    return next(iter(found), "")
