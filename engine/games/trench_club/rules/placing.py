"""SETUP-8..18, AUTOMA-3, 4 Tokens, companies, and where their units stand when a token is flipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import (
    COMPANIES,
    Camp,
    Company,
    FlippedGiven,
    Nation,
    Placement,
    PlacingGiven,
    Split,
    SplitGiven,
)
from engine.games.trench_club.facts.setup import (
    ArmySplit,
    CompanyPlaced,
    CountersDrawn,
    PlacingBegan,
    PlayBegan,
    TokenFlipped,
    TokensDealt,
)
from engine.games.trench_club.rules.terrain import FOOT, cost_of
from engine.games.trench_club.rules.trenches import held_against
from engine.games.trench_club.state import Position, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import (
    Answer,
    Ask,
    Choice,
    Opening,
    Options,
    Procedure,
    Rng,
    Roll,
    Seat,
    Shuffle,
    Step,
    Together,
)

BEGINNERS: tuple[tuple[str, ...], ...] = (  # SETUP-10b; the rest is company C
    ("mounted_infantry", "armoured_car", "airplane"),
    ("infantry", "tank", "field_gun", "howitzer", "anti_aircraft"),
)
TOKEN, COUNTER = "TOKEN", "COUNTER."  # nobody knows which lies where before it is turned up
WATER_ODDS = 4  # a sample uses one water hex in so many


def setup(state: State) -> Procedure:
    """SETUP-8, 10, 12 The tokens are dealt, the armies split, and somebody is to place first."""
    yield from deal_tokens(state)
    if state.automa:
        yield from draw_counters(state)
    asks = tuple(split_ask(state, nation) for nation in state.seats)
    splits = yield Together(asks)
    for nation, split in zip(state.seats, splits, strict=True):
        yield ArmySplit(nation, (split.a, split.b, split.c))
    first = yield from highest(state, state.ring, "placing")
    yield PlacingBegan(clockwise(state, first))
    return order_of_play.placing(state)


def deal_tokens(state: State) -> Step:
    """SETUP-8, 9 Those of the board in play, three for each; nobody sees a number."""
    tokens = tuple(f"{TOKEN}{number}" for number, hex_ in state.pack.starts.items() if hex_ in state.grid)
    mixed = yield Shuffle("tokens", tokens)
    each = len(COMPANIES)
    dealt = tuple((camp, mixed.order[n * each : (n + 1) * each]) for n, camp in enumerate(state.ring))
    yield TokensDealt(mixed.order, dealt, mixed.root)


def draw_counters(state: State) -> Step:
    """AUTOMA-3 Four for the first token, four for the second, the rest for the third."""
    units = tuple(f"{COUNTER}{unit.id}" for unit in state.units.values() if unit.nation == state.automa)
    mixed = yield Shuffle("automa.army", units)
    first, second = state.pack.automa.drawn
    yield CountersDrawn(mixed.order, (first, second, len(units) - first - second), mixed.root)


def highest(state: State, camps: Sequence[Camp], why: str) -> Step:
    """SETUP-12, 21 The highest roll; those who tie roll again."""
    left = list(camps)
    while len(left) > 1:
        rolled = {}
        for camp in left:
            (rolled[camp],) = yield Roll(Seat(camp), f"{why}.{camp}", sides=state.pack.meta.dice_sides)
        best = max(rolled.values())
        left = [camp for camp in left if rolled[camp] == best]
    return left[0]


def clockwise(state: Position, first: Camp) -> tuple[Camp, ...]:
    """SETUP-4"""
    at = state.ring.index(first)
    return (*state.ring[at:], *state.ring[:at])


# ------------------------------------------------------------------ the split


def split_ask(state: State, nation: Nation) -> Ask:
    army = tuple(unit.id for unit in state.units.values() if unit.nation == nation)
    options = Splits(state, nation, army)
    given = SplitGiven(nation, army)
    at = order_of_play.setup().key
    return Ask(Seat(nation), "setup.split", at, given, options, options.suggested(), secret=True)


@dataclass(frozen=True, slots=True)
class Splits(Options):
    """SETUP-10 All units, each in one company; COOP-3 one company of one's own, and the shared one."""

    position: Position
    nation: Nation
    army: tuple[str, ...]

    def open_to(self) -> tuple[Company, ...]:
        if not self.position.options["coop"]:
            return COMPANIES
        return ("A", "C") if self.nation == self.position.camp_of[self.nation] else ("B", "C")

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Split):
            return Illegal("TC-SETUP-10", "no-split")
        parts = dict(zip(COMPANIES, (answer.a, answer.b, answer.c), strict=True))
        named = [unit for units in parts.values() for unit in units]
        if strange := [unit for unit in named if unit not in self.army]:
            return Illegal("TC-SETUP-10", "not-in-army", {"unit": strange[0]})
        if twice := [unit for unit in named if named.count(unit) > 1]:
            return Illegal("TC-SETUP-10", "split-twice", {"unit": twice[0]})
        if missing := [unit for unit in self.army if unit not in named]:
            return Illegal("TC-SETUP-10", "not-split", {"units": tuple(missing)})
        if any(units != tuple(sorted(units)) for units in parts.values()):
            return Illegal("TC-SETUP-10", "no-split")
        if closed := [one for one, units in parts.items() if units and one not in self.open_to()]:
            return Illegal("TC-COOP-3", "partners-company", {"company": closed[0]})
        return None

    def sample(self, rng: Rng) -> Split:
        chosen: dict[str, list[str]] = {company: [] for company in COMPANIES}
        for unit in self.army:
            chosen[rng.choice(self.open_to())].append(unit)
        return _split(chosen)

    def suggested(self) -> Split:
        """SETUP-10b The beginners' split; in a co-op half of one's units in each company."""
        chosen: dict[str, list[str]] = {company: [] for company in COMPANIES}
        for n, unit in enumerate(self.army):
            if self.position.options["coop"]:
                chosen[self.open_to()[n % 2]].append(unit)
                continue
            type_ = self.position.units[unit].type
            company = next((n for n, types in enumerate(BEGINNERS) if type_ in types), len(BEGINNERS))
            chosen[COMPANIES[company]].append(unit)
        return _split(chosen)

    def only(self) -> tuple[Answer] | None:
        return None

    def describe(self) -> Sequence[Answer]:
        everyone = [_split({self.open_to()[0]: list(self.army)}), self.suggested()]
        return tuple(dict.fromkeys(everyone))


def _split(chosen: dict[str, list[str]]) -> Split:
    return Split(*[tuple(sorted(chosen.get(company, ()))) for company in COMPANIES])


# ------------------------------------------------------------------ the flip


def placing(state: State, camp: Camp) -> Procedure:
    """SETUP-13 One company: its token is flipped, its units are placed."""
    left = tuple(company for company in COMPANIES if f"{camp}.{company}" not in state.numbers)
    at = order_of_play.placing(state).key
    company: Company = left[0]
    if camp != state.automa:
        choice = Choice(left, "TC-SETUP-13", "not-left")
        company = yield Ask(Seat(camp), "setup.flip", at, PlacingGiven(camp, left), choice, left[0])
    token = state.tokens[camp][COMPANIES.index(company)]
    yield Opening(state.root, state.pile.index(token))
    number = int(token.removeprefix(TOKEN))
    yield TokenFlipped(camp, company, token, number, state.pack.starts[number])
    counters: tuple[str, ...] = ()
    if camp == state.automa:
        counters = yield from turn_up(state, company)
    units = tuple(one.removeprefix(COUNTER) for one in counters) or company_of(state, camp, company)
    options = Placements(state, units, state.pack.starts[number])
    placement = options.in_order()
    if units and camp != state.automa:
        owner = placed_by(state, camp, units)
        given = FlippedGiven(owner, company, number, options.hex, units)
        placement = yield Ask(Seat(owner), "setup.place", at, given, options, placement)
    yield CompanyPlaced(camp, company, placement.places, counters)
    everybody = len(COMPANIES) * len(state.ring)
    return order_of_play.placing(state) if state.go < everybody else order_of_play.first_turn()


def placed_by(position: Position, camp: Camp, units: Sequence[str]) -> Nation:
    """SETUP-14, COOP-3 The owner says who stands where; in a co-op the captain for a company of both."""
    nations = {position.units[unit].nation for unit in units}
    return nations.pop() if len(nations) == 1 else camp


def company_of(position: Position, camp: Camp, company: Company) -> tuple[str, ...]:
    """Its units in the sheet's order."""
    return tuple(unit.id for unit in position.of_camp(camp) if unit.company == company)


def turn_up(state: State, company: Company) -> Step:
    """AUTOMA-3 The counters of that token, as they were drawn, which is proved now."""
    first, second = state.pack.automa.drawn
    ends = (0, first, first + second, len(state.counters))
    n = COMPANIES.index(company)
    for position in range(ends[n], ends[n + 1]):
        yield Opening(state.counters_root, position)
    return tuple(state.counters[ends[n] : ends[n + 1]])


@dataclass(frozen=True, slots=True)
class Placements(Options):
    """SETUP-14..18 One unit on the number, the others around it, ring by ring; water need not be used."""

    position: Position
    units: tuple[str, ...]
    hex: str

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Placement) or list(answer.places) != sorted(answer.places):
            return Illegal("TC-SETUP-14", "no-placement")
        named = [unit for unit, _ in answer.places]
        hexes = [hex_ for _, hex_ in answer.places]
        if strange := [unit for unit in named if unit not in self.units]:
            return Illegal("TC-SETUP-14", "not-in-company", {"unit": strange[0]})
        if missing := [unit for unit in self.units if named.count(unit) != 1]:
            return Illegal("TC-SETUP-14", "not-placed-once", {"unit": missing[0]})
        if twice := [hex_ for hex_ in hexes if hexes.count(hex_) > 1]:
            return Illegal("TC-SETUP-14", "two-on-a-hex", {"hex": twice[0]})
        for unit, hex_ in answer.places:
            if not is_usable(self.position, unit, hex_):
                return Illegal("TC-SETUP-17", "not-usable", {"unit": unit, "hex": hex_})
        return self._left_out(answer, set(hexes))

    def _left_out(self, answer: Placement, taken: set[str]) -> Refusal | None:
        """SETUP-15, 16 A hex nearer to the number that should have been taken."""
        for unit, hex_ in answer.places:
            for nearer in self._nearer(self.position.grid.distance(self.hex, hex_)):
                if nearer not in taken and is_usable(self.position, unit, nearer):
                    return Illegal(
                        "TC-SETUP-15", "ring-not-full", {"unit": unit, "hex": hex_, "legal": (nearer,)}
                    )
        return None

    def _nearer(self, distance: int) -> Iterator[str]:
        """Land hexes that are nearer to the number than so."""
        for radius in range(distance):
            for hex_ in rings(self.position, self.hex, radius):
                if self.position.terrain(hex_) != "water":
                    yield hex_

    def in_order(self) -> Placement:
        """The first unit on the number, the next clockwise from the top, ring by ring, none on water."""
        return self._filled(self.units, lambda ring: [h for h in ring if not self._is_water(h)])

    def sample(self, rng: Rng) -> Placement:
        def mixed(ring: Sequence[str]) -> list[str]:
            dry = [hex_ for hex_ in ring if not self._is_water(hex_) or not rng.randrange(WATER_ODDS)]
            return sorted(dry, key=lambda hex_: rng.random())

        return self._filled(sorted(self.units, key=lambda unit: rng.random()), mixed)

    def _filled(self, units: Sequence[str], ordered: object) -> Placement:
        assert callable(ordered)
        places: dict[str, str] = {}
        radius, left = 0, list(units)
        while left:
            for hex_ in ordered(rings(self.position, self.hex, radius)):
                unit = next((one for one in left if is_usable(self.position, one, hex_)), None)
                if unit is not None:
                    places[unit] = hex_
                    left.remove(unit)
            radius += 1
        return Placement(tuple(sorted(places.items())))

    def _is_water(self, hex_: str) -> bool:
        return self.position.terrain(hex_) == "water"

    def only(self) -> tuple[Answer] | None:
        return None

    def describe(self) -> Sequence[Answer]:
        return (self.in_order(),)


def rings(position: Position, hex_: str, radius: int) -> tuple[str, ...]:
    return position.grid.ring(hex_, radius) if radius else (hex_,)


def is_usable(position: Position, unit: str, hex_: str) -> bool:
    """SETUP-17, 18 On the board in play, no fort, free, and no trench that it could not enter."""
    if hex_ not in position.grid or hex_ in position.forts or hex_ in position.on:
        return False
    return position.terrain(hex_) != "trench" or _may_enter_trench(position, unit, hex_)


def _may_enter_trench(position: Position, unit: str, hex_: str) -> bool:
    """TRENCH-1, 5"""
    klass = position.type_of(unit).klass
    if cost_of(position.pack, "trench", klass) is None:
        return False
    return klass != FOOT or hex_ not in held_against(position, position.team(unit))


def first_turn(state: State) -> Procedure:
    """SETUP-21 A new roll decides who begins."""
    first = yield from highest(state, state.ring, "first")
    yield PlayBegan(clockwise(state, first))
    return order_of_play.turn(1, first)
