"""Checks across the tables of the pack: known ids, two-way borders, the rulebook's counts, whole charts.

Each ends at the first mistake with a `PackError` that names file, table and key. `scenario_checks` sees to
the set-ups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from engine.board.areas import asymmetry, connected
from engine.games.to_the_last_man.scenario_checks import check_known, check_scenarios
from engine.games.to_the_last_man.tables import (
    BOX,
    ENGLAND,
    NATIONS,
    SIDES,
    TYPES,
    Area,
    Army,
    ArtilleryCap,
    BiplaneYears,
    Borders,
    CardKind,
    Commonwealth,
    Crisis,
    Fort,
    FortTotals,
    Level,
    Meta,
    NationData,
    Pool,
    Season,
    SideData,
    Template,
    Turn,
    UnitType,
    Zones,
)
from engine.kernel.pack import Content, Row
from engine.notation.scan import one_word

SEASONS: tuple[Season, ...] = ("SPRING", "SUMMER", "AUTUMN", "WINTER")
YEARS = ("1914", "1915", "1916", "1917", "1918", "1919")


def check(content: Content) -> None:
    """Every cross check; those that look ids up come after those that make sure of them."""
    _check_counts(content)
    _check_sides(content)
    _check_borders(content)
    _check_zones(content)
    _check_names_of_areas(content)
    _check_forts(content)
    _check_types(content)
    _check_counters(content)
    _check_slots(content)
    _check_armies(content)
    _check_cards(content)
    _check_crises(content)
    _check_turns(content)
    _check_arrivals(content)
    _check_levels(content)
    check_scenarios(content)


# ------------------------------------------------------------------ game.toml


def _check_counts(content: Content) -> None:
    """1.2, 9.0 How many there are of each component; a table by nation, side or type names each once."""
    meta = content.one(Meta)
    land = [row for row in content.rows(Area) if row.id != BOX]
    _check_number(content, Area, "id", len(land), meta.areas)
    _check_number(content, Turn, "n", len(content.rows(Turn)), meta.turns)
    _check_number(content, CardKind, "count", sum(row.count for row in content.rows(CardKind)), meta.cards)
    offensive = sum(row.count for row in content.rows(CardKind) if row.group == "offensive")
    _check_number(content, CardKind, "group", offensive, meta.offensive_cards)
    complete: tuple[tuple[type[Row], str, Sequence[str]], ...] = (
        (SideData, "id", SIDES),
        (NationData, "id", NATIONS),
        (UnitType, "id", TYPES),
        (Pool, "nation", NATIONS),
        (ArtilleryCap, "nation", NATIONS),
        (Template, "nation", NATIONS),
    )
    for table, key, wanted in complete:
        have = {getattr(row, key) for row in content.rows(table)}
        for one in wanted:
            if one not in have:
                content.wrong(table, key, f"missing: {one}")


def _check_number(content: Content, table: type[Row], key: str, found: int, wanted: int) -> None:
    if found != wanted:
        content.wrong(table, key, f"wrong count: {found} instead of {wanted}")


def _check_sides(content: Content) -> None:
    nations = {row.id: row for row in content.rows(NationData)}
    for row in content.rows(SideData):
        for nation in row.nations:
            if nations[nation].side != row.id:
                content.wrong(row, "nations", f"{nation} belongs to the other side")
    listed = [nation for row in content.rows(SideData) for nation in row.nations]
    for one in nations.values():
        if listed.count(one.id) != 1:
            content.wrong(one, "side", "each nation stands in the list of its side, once")


# ------------------------------------------------------------------ map.toml


def _check_borders(content: Content) -> None:
    """Symmetric, equal to the list of edges, and all one land: only England lies beyond the sea."""
    areas = {row.id: row for row in content.rows(Area)}
    for area in areas.values():
        check_known(content, area, "adjacent", area.adjacent, areas)
        if list(area.adjacent) != sorted(area.adjacent):
            content.wrong(area, "adjacent", "must be in alphabetical order")
    adjacency = {area.id: area.adjacent for area in areas.values()}
    if (broken := asymmetry(adjacency)) is not None:
        content.wrong(areas[broken[0]], "adjacent", f"asymmetric: {broken[1]} does not border on {broken[0]}")
    table = content.one(Borders)
    edges = Counter(tuple(sorted(edge)) for edge in table.edges)
    own = {(a, b) for a, others in adjacency.items() for b in others if a < b}
    for a, b in sorted(own - set(edges)):
        content.wrong(table, "edges", f"missing: {a} and {b} border on each other")
    for edge, times in sorted(edges.items()):
        if edge not in own:
            content.wrong(table, "edges", f"{edge[0]} and {edge[1]} do not border on each other")
        if times > 1:
            content.wrong(table, "edges", f"duplicate: {edge[0]} and {edge[1]}")
    for place in (ENGLAND, BOX):
        if place not in areas:
            content.wrong(Area, "id", f"missing: {place}")
    if areas[ENGLAND].adjacent:
        content.wrong(areas[ENGLAND], "adjacent", "England is reached by sea only")
    reached = connected(adjacency, [BOX])
    for area in areas.values():
        if area.id not in reached and area.id != ENGLAND:
            content.wrong(area, "adjacent", f"no way leads here from {BOX}")


def _check_zones(content: Content) -> None:
    """6.1, 4.6, 4.7, 8.3.6 The zones say the same as the areas."""
    areas = {row.id: row for row in content.rows(Area)}
    zones = content.one(Zones)
    for key in ("german_sources", "entente_sources", "coastal_sources", "rough", "paris_gun"):
        check_known(content, zones, key, getattr(zones, key), areas)
    inland = [row for row in areas.values() if row.id != ENGLAND]
    said: tuple[tuple[str, list[Area]], ...] = (
        ("german_sources", [row for row in inland if row.supply == "GE"]),
        ("entente_sources", [row for row in inland if row.supply == "EN"]),
        ("coastal_sources", [row for row in inland if row.supply == "EN" and row.coastal]),
        ("rough", [row for row in inland if row.rough]),
    )
    for key, rows in said:
        if sorted(getattr(zones, key)) != sorted(row.id for row in rows):
            content.wrong(zones, key, f"the areas say {' '.join(sorted(row.id for row in rows))}")
    if sorted(zones.german_sources) != list(areas[BOX].adjacent):
        content.wrong(areas[BOX], "adjacent", "the box borders on the German sources and on nothing else")
    zone = set(zones.paris_gun)
    if not any({one, *areas[one].adjacent} == zone for one in zone):
        content.wrong(zones, "paris_gun", "must be one area and all its neighbours")


def _check_names_of_areas(content: Content) -> None:
    """A name means one area only, as orders read it: whatever its case, accents and hyphens."""
    owner: dict[str, str] = {}
    for area in content.rows(Area):
        for key, names in (("id", [area.id]), ("names", area.names.values()), ("aliases", area.aliases)):
            for name in names:
                if owner.setdefault(one_word(name), area.id) != area.id:
                    content.wrong(area, key, f"{name} is ambiguous: {owner[one_word(name)]} is called so")


def _check_forts(content: Content) -> None:
    """8.4 Known areas, in their nation's own country, as many and as strong as the totals say."""
    areas = {row.id: row for row in content.rows(Area)}
    totals = content.one(FortTotals)
    for fort in content.rows(Fort):
        check_known(content, fort, "area", (fort.area,), areas)
        if areas[fort.area].country != fort.nation:
            content.wrong(fort, "nation", f"{fort.area} lies in {areas[fort.area].country}")
    for pool in content.rows(Pool):
        own = [fort for fort in content.rows(Fort) if fort.nation == pool.nation]
        number, strength = totals.forts.get(pool.nation, 0), totals.strength.get(pool.nation, 0)
        if len(own) != number:
            content.wrong(Fort, "nation", f"wrong count: {len(own)} of {pool.nation} instead of {number}")
        if pool.forts != number:
            content.wrong(pool, "forts", f"wrong count: {pool.forts} instead of {number}")
        if (total := sum(fort.strength for fort in own)) != strength:
            problem = f"wrong sum: the forts of {pool.nation} count {total} instead of {strength}"
            content.wrong(Fort, "strength", problem)


# ------------------------------------------------------------------ units.toml


def _check_types(content: Content) -> None:
    pools = {row.nation: row.units for row in content.rows(Pool)}
    for row in content.rows(UnitType):
        have = sorted(nation for nation, units in pools.items() if row.id in units)
        if sorted(row.first_build_turn) != have:
            content.wrong(row, "first_build_turn", f"the pools have such counters of {' '.join(have)}")
        if row.entrench and row.cls != "infantry":
            content.wrong(row, "entrench", "only infantry digs trenches")
        if not row.entrench and row.entrenched != row.defence:
            content.wrong(row, "entrenched", "a type that cannot entrench defends as it does in the open")
        if (row.off == 0) != (row.volleys == 0):
            content.wrong(row, "volleys", "stands with an attack, or neither does")


def _check_counters(content: Content) -> None:
    """8.3.4-01 A year for each biplane; 8.2.3 a corps for each Commonwealth counter."""
    pools = {row.nation: row.units for row in content.rows(Pool)}
    years = {row.nation: row for row in content.rows(BiplaneYears)}
    year_of = {row.n: row.year for row in content.rows(Turn)}
    biplane = next(row for row in content.rows(UnitType) if row.id == "B")
    for nation, units in pools.items():
        if ("B" in units) != (nation in years):
            content.wrong(BiplaneYears, "nation", f"must name the nations that have biplanes: {nation}")
    for row in years.values():
        if len(row.years) != pools[row.nation]["B"]:
            content.wrong(row, "years", f"wrong count: {pools[row.nation]['B']} counters")
        if list(row.years) != sorted(row.years):
            content.wrong(row, "years", "the earliest must stand first")
        first = year_of.get(biplane.first_build_turn[row.nation], row.years[0])
        if row.years[0] != first:
            content.wrong(row, "years", f"the first biplane may be built in {first}")
    corps = [f"{nation}.CW.{n + 1:02d}" for nation in NATIONS for n in range(pools[nation].get("CW", 0))]
    if sorted(row.id for row in content.rows(Commonwealth)) != corps:
        content.wrong(Commonwealth, "id", f"the counters are {' '.join(corps)}")


def _check_slots(content: Content) -> None:
    """1.4, 8.3.2-03"""
    templates = {row.nation: row for row in content.rows(Template)}
    pools = {row.nation: row.units for row in content.rows(Pool)}
    for cap in content.rows(ArtilleryCap):
        if tuple(sorted(cap.years)) != YEARS:
            content.wrong(cap, "years", f"must name each year from {YEARS[0]} to {YEARS[-1]}")
        most = max(cap.years.values())
        if most > templates[cap.nation].aux:
            content.wrong(cap, "years", f"{most} artillery units, but {templates[cap.nation].aux} slots")
        if (most > 0) != ("A" in pools[cap.nation]):
            content.wrong(cap, "years", "stands with artillery counters, or both are none")


def _check_armies(content: Content) -> None:
    for army in content.rows(Army):
        if not army.id.startswith(army.nation):
            content.wrong(army, "nation", f"{army.id} is no army of {army.nation}")
    for pool in content.rows(Pool):
        number = sum(army.nation == pool.nation for army in content.rows(Army))
        if number != pool.armies:
            content.wrong(Army, "id", f"wrong count: {number} of {pool.nation} instead of {pool.armies}")


# ------------------------------------------------------------------ cards.toml


def _check_cards(content: Content) -> None:
    side_of = {row.id: row.side for row in content.rows(NationData)}
    for card in content.rows(CardKind):
        if (card.ersatz > 1) != (card.group == "ersatz"):
            content.wrong(card, "ersatz", "only an Ersatz card counts more than 1, and each does")
        if (card.artillery_fire > 0) != (card.group == "combat"):
            content.wrong(card, "artillery_fire", "only gas and barrage change artillery fire, and each does")
        if card.bonus is not None:
            if card.group != "offensive":
                content.wrong(card, "bonus", "only an offensive has extra dice")
            if side_of[card.bonus.nation] != card.special_for:
                content.wrong(card, "bonus.nation", f"{card.bonus.nation} does not belong to its side")
        if bool(card.special_for) != (card.bonus is not None or card.group == "crisis"):
            content.wrong(card, "special_for", "only special offensives and crises belong to one side")


def _check_crises(content: Content) -> None:
    """9.8, 9.9 A crisis strikes the infantry of the side that cannot play it."""
    cards = {row.id: row for row in content.rows(CardKind) if row.group == "crisis"}
    side_of = {row.id: row.side for row in content.rows(NationData)}
    infantry = [row.id for row in content.rows(UnitType) if row.cls == "infantry"]
    for row in content.rows(Crisis):
        check_known(content, row, "card", (row.card,), cards)
        for nation in row.nations:
            if side_of[nation] == cards[row.card].special_for:
                content.wrong(row, "nations", f"{nation} belongs to the side that plays the card")
        check_known(content, row, "types", row.types, infantry)
        if (row.vp_if_short > 0) != (cards[row.card].special_for == "GE"):
            content.wrong(row, "vp_if_short", "must favour the side that plays the card")
    for card in cards.values():
        years = sorted((row.year, row.leaves_game) for row in content.rows(Crisis) if row.card == card.id)
        if not years or [leaves for _, leaves in years] != [False] * (len(years) - 1) + [True]:
            content.wrong(Crisis, "leaves_game", f"{card.id} leaves the game in its last year, not before")


# ------------------------------------------------------------------ charts.toml


def _check_turns(content: Content) -> None:
    """2.VI, 0-12 Season follows season from summer 1914 on; each winter is its year's last."""
    turns = content.rows(Turn)
    if [row.n for row in turns] != list(range(1, len(turns) + 1)):
        content.wrong(Turn, "n", "turns must be numbered from 1 on, in order")
    for row in turns:
        if row.tag != f"{row.year}-{row.season[:2]}":
            content.wrong(row, "tag", f"must be {row.year}-{row.season[:2]}")
        if row.reshuffle != (row.season == "WINTER"):
            content.wrong(row, "reshuffle", "the deck is shuffled when a winter ends")  # 1.3-03
        for key in ("bp", "hand"):
            if sorted(getattr(row, key)) != sorted(SIDES):
                content.wrong(row, key, "must name both sides")
    for before, row in pairwise(turns):
        season = SEASONS[(SEASONS.index(before.season) + 1) % 4]
        if row.season != season or row.year != before.year + (season == "SPRING"):
            content.wrong(row, "season", f"does not follow {before.tag}")
        if row.blockade > before.blockade:
            content.wrong(row, "blockade", "the blockade never grows weaker")


def _check_arrivals(content: Content) -> None:
    """2.I Every later army arrives once, when it says; units come out of counters that exist by then."""
    armies = {row.id: row for row in content.rows(Army)}
    pools = {row.nation: row.units for row in content.rows(Pool)}
    years = {row.nation: row.years for row in content.rows(BiplaneYears)}
    came: dict[str, int] = {}
    for turn in content.rows(Turn):
        check_known(content, turn, "armies", turn.armies, armies)
        for army in turn.armies:
            if army in came:
                content.wrong(turn, "armies", f"{army} has arrived on turn {came[army]}")
            came[army] = turn.n
        for nation, units in turn.reinforcements.items():
            for type_, number in units.items():
                dated = sum(year <= turn.year for year in years.get(nation, ()))
                if number > (dated if type_ == "B" else pools[nation].get(type_, 0)):
                    content.wrong(turn, f"reinforcements.{nation}.{type_}", "more than there are counters")
    for row in armies.values():
        if came.get(row.id, 0) != row.entry_turn:
            when = f"arrives on turn {came[row.id]}" if row.id in came else "never arrives"
            content.wrong(row, "entry_turn", f"{row.id} {when}")
    for corps in content.rows(Commonwealth):
        if corps.turn > len(content.rows(Turn)):
            content.wrong(corps, "turn", "after the last turn")


def _check_levels(content: Content) -> None:
    """3.1-07 No gap and no overlap in the victory chart; 3.3 a step for each rank."""
    levels = sorted(content.rows(Level), key=lambda row: row.rank)
    for level in levels:
        if level.min > level.max:
            content.wrong(level, "max", "less than min")
    for below, level in pairwise(levels):
        if level.rank != below.rank + 1:
            content.wrong(level, "rank", f"must be {below.rank + 1}, after {below.id}")
        if level.min != below.max + 1:
            content.wrong(level, "min", f"must be {below.max + 1}: {below.id} ends at {below.max}")
    if levels[0].rank != -levels[-1].rank:
        content.wrong(Level, "rank", "as many steps for one side as for the other")
    for level in levels:
        if level.ends_game != (level in (levels[0], levels[-1])):
            content.wrong(level, "ends_game", "only the two outermost levels end the game")  # 3.2-02
