"""Every scenario must be a legal position: counters, slots, stacking, ownership, supply and points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.board.areas import connected, with_border
from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.tables import (
    BOX,
    ENGLAND,
    SIDES,
    Area,
    Army,
    ArtilleryCap,
    BiplaneYears,
    CardKind,
    Commonwealth,
    Fort,
    Meta,
    Nation,
    NationData,
    Pool,
    Scenario,
    Stack,
    Template,
    Turn,
    Type,
    UnitType,
    Zones,
)
from engine.kernel.pack import Content, Row


@dataclass(frozen=True, slots=True)
class Printed:
    """What set-ups are held against."""

    areas: Mapping[str, Area]
    armies: Mapping[str, Army]
    types: Mapping[str, UnitType]
    side_of: Mapping[str, Side]
    pools: Mapping[str, Mapping[Any, int]]
    templates: Mapping[str, Template]
    forts: Mapping[str, Fort]
    cards: Mapping[str, CardKind]
    turns: Mapping[int, Turn]

    def nation(self, stack: Stack) -> Nation:
        """Whose counters these are."""
        if stack.army is not None:
            return self.armies[stack.army].nation
        assert stack.nation is not None
        return stack.nation

    def controls(self, stack: Stack) -> bool:
        """0-04"""
        return any(self.types[type_].controls for type_ in stack.units)


def check_scenarios(content: Content) -> None:
    """Per scenario: dates, cards, pools, slots, caps, stacking, disputed areas, supply, starting VP."""
    printed = Printed(
        areas={row.id: row for row in content.rows(Area)},
        armies={row.id: row for row in content.rows(Army)},
        types={row.id: row for row in content.rows(UnitType)},
        side_of={row.id: row.side for row in content.rows(NationData)},
        pools={row.nation: row.units for row in content.rows(Pool)},
        templates={row.nation: row for row in content.rows(Template)},
        forts={row.area: row for row in content.rows(Fort)},
        cards={row.id: row for row in content.rows(CardKind)},
        turns={row.n: row for row in content.rows(Turn)},
    )
    if not content.rows(Scenario):
        content.wrong(Scenario, "id", "there is no scenario")
    for scenario in content.rows(Scenario):
        _check_dates(content, printed, scenario)
        _check_cards(content, printed, scenario)
        _check_ground(content, printed, scenario)
        for place, stack in enumerate(scenario.stacks):
            _check_stack(content, printed, scenario, f"stacks.{place}", stack)
        _check_armies(content, printed, scenario)
        _check_counters(content, printed, scenario)
        _check_stacking(content, printed, scenario)
        _check_status(content, printed, scenario)
        _check_supply(content, printed, scenario)
        _check_points(content, printed, scenario)


# ------------------------------------------------------------------ dates, cards, ground


def _check_dates(content: Content, printed: Printed, scenario: Scenario) -> None:
    """11.3-01 A short game ends with the winter of its year, a campaign with the last turn."""
    start = printed.turns[scenario.start_turn]
    if str(start.year) != scenario.id:
        content.wrong(scenario, "start_turn", f"turn {start.n} is {start.tag}")
    end = printed.turns[scenario.end_turn_short]
    if (end.year, end.season) != (start.year, "WINTER"):
        content.wrong(scenario, "end_turn_short", f"turn {end.n} is {end.tag}")
    if scenario.end_turn_campaign != max(printed.turns):
        content.wrong(scenario, "end_turn_campaign", f"the last turn is {max(printed.turns)}")


def _check_cards(content: Content, printed: Printed, scenario: Scenario) -> None:
    start = printed.turns[scenario.start_turn]
    check_known(content, scenario, "cards_out", scenario.cards_out, printed.cards)
    for key in ("hands", "historical_cards"):
        if sorted(getattr(scenario, key)) != sorted(SIDES):
            content.wrong(scenario, key, "must name both sides")
    dealt: Counter[str] = Counter()
    for side in SIDES:
        if scenario.hands[side] > start.hand[side]:
            content.wrong(scenario, f"hands.{side}", f"the limit is {start.hand[side]}")
        choice = scenario.historical_cards[side]
        check_known(content, scenario, f"historical_cards.{side}", choice, printed.cards)
        dealt.update(choice)
        for kind in choice:
            if kind in scenario.cards_out:
                content.wrong(scenario, f"historical_cards.{side}", f"{kind} is not in the deck")
            if dealt[kind] > printed.cards[kind].count:
                content.wrong(scenario, f"historical_cards.{side}", f"there are not so many {kind}")
    crises = sorted(card.id for card in printed.cards.values() if card.group == "crisis")
    late = scenario.start_turn >= content.one(Meta).crisis_cards_leave_turn
    if late and sorted(scenario.cards_out) != crises:  # 9.8-05
        content.wrong(scenario, "cards_out", f"must be {' '.join(crises)} so late in the war")


def _check_ground(content: Content, printed: Printed, scenario: Scenario) -> None:
    """4.1-11, 4.6-07, 4.7 Known areas; England is never German and the box always."""
    check_known(content, scenario, "german", scenario.german, printed.areas)
    check_known(content, scenario, "disputed", scenario.disputed, printed.areas)
    check_known(content, scenario, "apart", scenario.apart, printed.armies)
    if ENGLAND in scenario.german:
        content.wrong(scenario, "german", f"{ENGLAND} is always the Entente's")
    if BOX not in scenario.german:
        content.wrong(scenario, "german", f"{BOX} is always German")
    for area, strength in scenario.forts.items():
        if area not in printed.forts:
            content.wrong(scenario, f"forts.{area}", "no fort is printed there")
        if strength > printed.forts[area].strength:
            content.wrong(scenario, f"forts.{area}", f"{printed.forts[area].strength} is printed")


# ------------------------------------------------------------------ stacks


def _check_stack(content: Content, printed: Printed, scenario: Scenario, key: str, stack: Stack) -> None:
    if (stack.army is None) == (stack.nation is None):
        content.wrong(scenario, key, "either an army or loose units of a nation")
    check_known(content, scenario, f"{key}.area", (stack.area,), printed.areas)
    if stack.army is not None:
        check_known(content, scenario, f"{key}.army", (stack.army,), printed.armies)
    elif not stack.units:
        content.wrong(scenario, f"{key}.units", "missing")
    nation = printed.nation(stack)
    for type_ in stack.units:
        if type_ not in printed.pools[nation]:
            content.wrong(scenario, f"{key}.units", f"there are no counters {nation}.{type_}")
    if stack.area == ENGLAND and nation != "UK":
        content.wrong(scenario, f"{key}.area", f"{nation} has no way to {ENGLAND}")
    if stack.area == BOX and nation != "GE":
        content.wrong(scenario, f"{key}.area", f"{nation} has no way to {BOX}")
    diggers = [type_ for type_ in stack.units if printed.types[type_].entrench]
    if stack.entrenched and (not diggers or (stack.army is None and len(diggers) < len(stack.units))):
        content.wrong(scenario, f"{key}.entrenched", "such units do not entrench")  # 7.4-02
    if stack.army is not None:
        _check_slots(content, printed, scenario, key, stack)


def _check_slots(content: Content, printed: Printed, scenario: Scenario, key: str, stack: Stack) -> None:
    """1.4-01, 8.3.2-03, 8.3.4-02"""
    nation, year = printed.nation(stack), str(printed.turns[scenario.start_turn].year)
    template, used = printed.templates[nation], Counter[str]()
    for type_, number in stack.units.items():
        used[printed.types[type_].cls] += number
    for cls, slots in (("infantry", template.inf), ("auxiliary", template.aux)):
        if used[cls] > slots:
            content.wrong(scenario, f"{key}.units", f"{used[cls]} {cls} in {slots} slots")
    cap = next(row.years[year] for row in content.rows(ArtilleryCap) if row.nation == nation)
    if stack.units.get("A", 0) > cap:
        content.wrong(scenario, f"{key}.units.A", f"at most {cap} in {year}")
    if stack.units.get("B", 0) > (most := content.one(Meta).biplanes_per_army):
        content.wrong(scenario, f"{key}.units.B", f"at most {most}")


def _check_armies(content: Content, printed: Printed, scenario: Scenario) -> None:
    """2.I Whoever has arrived by then stands on the map, once; whoever has not does not."""
    turn = scenario.start_turn - (1 if scenario.reinforcements_on_first_turn else 0)
    placed = Counter(stack.army for stack in scenario.stacks if stack.army is not None)
    for army in printed.armies.values():
        wanted = 1 if army.entry_turn <= turn else 0
        if placed[army.id] != wanted:
            problem = f"{army.id} stands there {placed[army.id]} times instead of {wanted}"
            content.wrong(scenario, "stacks", problem)


def _check_counters(content: Content, printed: Printed, scenario: Scenario) -> None:
    """1.4-02, 8.3.4-01, 8.2.3-03 No more counters than there are by then."""
    start = printed.turns[scenario.start_turn]
    used: Counter[tuple[Nation, Type]] = Counter()
    for stack in scenario.stacks:
        for type_, number in stack.units.items():
            used[printed.nation(stack), type_] += number
    years = {row.nation: row.years for row in content.rows(BiplaneYears)}
    for (nation, type_), number in sorted(used.items()):
        there = printed.pools[nation][type_]
        if type_ == "B":
            there = sum(year <= start.year for year in years[nation])
        if type_ == "CW":
            there = sum(corps.turn <= start.n for corps in content.rows(Commonwealth))
        if number > there:
            content.wrong(scenario, "stacks", f"{number} counters {nation}.{type_}: there are {there}")


def _check_stacking(content: Content, printed: Printed, scenario: Scenario) -> None:
    """1.2.2 Empty armies and forts count nothing."""
    pieces: Counter[tuple[str, Side]] = Counter()
    for stack in scenario.stacks:
        number = min(1, len(stack.units)) if stack.army is not None else sum(stack.units.values())
        pieces[stack.area, printed.side_of[printed.nation(stack)]] += number
    limit = content.one(Meta).stacking_limit
    for (area, side), number in sorted(pieces.items()):
        if number > limit and area != BOX:
            content.wrong(scenario, "stacks", f"{number} pieces of {side} in {area}: at most {limit}")


# ------------------------------------------------------------------ ownership, supply, points


def _present(printed: Printed, scenario: Scenario, side: Side) -> frozenset[str]:
    """0-03 Areas with units of that side, empty armies and forts of strength 1 or 0 apart."""
    return frozenset(
        [stack.area for stack in _of(printed, scenario, side) if stack.units]
        + [area for area, strength in _forts(printed, scenario, side) if strength > 1]
    )


def _of(printed: Printed, scenario: Scenario, side: Side) -> Iterator[Stack]:
    return (stack for stack in scenario.stacks if printed.side_of[printed.nation(stack)] == side)


def _forts(printed: Printed, scenario: Scenario, side: Side) -> Iterator[tuple[str, int]]:
    for area, strength in scenario.forts.items():
        if printed.side_of[printed.forts[area].nation] == side:
            yield area, strength


def _check_status(content: Content, printed: Printed, scenario: Scenario) -> None:
    """0-05, 0-06 Both present: disputed, and so listed; one alone with a controlling unit: its own area."""
    german, entente = (_present(printed, scenario, side) for side in SIDES)
    if sorted(scenario.disputed) != sorted(german & entente):
        both = " ".join(sorted(german & entente)) or "nowhere"
        content.wrong(scenario, "disputed", f"units of both sides stand in {both}")
    for side, alone in (("GE", german - entente), ("EN", entente - german)):
        for area in sorted(alone):
            owned = (area in scenario.german) == (side == "GE")
            if not owned and any(printed.controls(s) for s in scenario.stacks if s.area == area):
                content.wrong(scenario, "german", f"{side} alone holds {area}")
    for place, stack in enumerate(scenario.stacks):
        if not stack.units and stack.area in scenario.disputed:  # 8.1-09
            content.wrong(scenario, f"stacks.{place}.area", "an empty army may not stand in a disputed area")
        fragile = [type_ for type_ in stack.units if not printed.types[type_].controls]
        if fragile and stack.area in scenario.disputed and not _has_company(printed, scenario, stack):  # 5.5
            content.wrong(scenario, f"stacks.{place}.area", f"{fragile[0]} stands there without infantry")


def _has_company(printed: Printed, scenario: Scenario, stack: Stack) -> bool:
    side = printed.side_of[printed.nation(stack)]
    mates = (other for other in _of(printed, scenario, side) if other.area == stack.area)
    return any(printed.types[type_].cls == "infantry" for mate in mates for type_ in mate.units)


def _check_supply(content: Content, printed: Printed, scenario: Scenario) -> None:
    """6.2 Whatever stands on the map must be in supply when the game begins."""
    for side in SIDES:
        supplied = _supplied(content, printed, scenario, side)
        for place, stack in enumerate(scenario.stacks):
            if printed.side_of[printed.nation(stack)] == side and stack.area not in supplied:
                content.wrong(scenario, f"stacks.{place}.area", f"{stack.area} is out of supply")
        for area, _ in _forts(printed, scenario, side):
            if area not in supplied:
                content.wrong(scenario, f"forts.{area}", "out of supply")


def _supplied(content: Content, printed: Printed, scenario: Scenario, side: Side) -> frozenset[str]:
    """6.2-01, 6.2-03, 6.3-01 Where a unit of that side would be in supply."""
    zones, enemy = content.one(Zones), SIDES[1 - SIDES.index(side)]
    sources = zones.german_sources if side == "GE" else zones.entente_sources
    own = {area for area in printed.areas if (area in scenario.german) == (side == "GE")}
    barred = {stack.area for stack in _of(printed, scenario, enemy)}
    barred |= {area for area, _ in _forts(printed, scenario, enemy)}
    adjacency = {area.id: area.adjacent for area in printed.areas.values()}
    network = connected(adjacency, sources, lambda area: area in own and area not in barred)
    beside = {ENGLAND if side == "EN" else BOX}
    return (with_border(adjacency, network) | set(sources) | beside) & (own | set(scenario.disputed))


def _check_points(content: Content, printed: Printed, scenario: Scenario) -> None:
    """3.1 What German areas count, less the blockade."""
    friendly = [area for area in scenario.german if area not in scenario.disputed]
    vp = sum(printed.areas[area].vp for area in friendly) + printed.turns[scenario.start_turn].blockade
    if vp != scenario.start_vp:
        content.wrong(scenario, "start_vp", f"the areas and the blockade make {vp}")


# ------------------------------------------------------------------ one row


def check_known(content: Content, row: Row, key: str, ids: Iterable[Any], known: Collection[Any]) -> None:
    """Each id is known, and named once."""
    seen: list[Any] = []
    for one in ids:
        if one not in known:
            content.wrong(row, key, f"unknown id: {one}")
        if one in seen:
            content.wrong(row, key, f"duplicate: {one}")
        seen.append(one)
