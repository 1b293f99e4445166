"""The position as plain data. It changes only inside `Fact.apply`; rules only read it.

Nearly everything lies open: `Position` is what everybody sees, and the rules of movement, combat and money
need no more. `State` adds the two secrets: the numbers of tokens not yet flipped, and the order in which an
automa's counters were drawn. A view holds a copy of the Position, so the order language, the odds and the
bots ask the same rules as the table does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.games.trench_club.answers import Attack, Camp, Company, Lead, Nation
from engine.kernel.canonical_json import in_order
from engine.kernel.fast_dataclass import constructor, fast_frozen
from engine.kernel.game import Outcome

if TYPE_CHECKING:
    from engine.board.hexes import HexGrid
    from engine.games.trench_club.pack import Pack, UnitType

Team: TypeAlias = Literal["central", "entente"]
Phase: TypeAlias = Literal["split", "placing", "moves", "targets", "combat", "money", "over"]
Terrain: TypeAlias = Literal["open", "road", "bridge", "forest", "water", "trench", "fort"]


@fast_frozen
@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. It is never changed, only replaced: views may share it."""

    id: str  # "DE.CAR1"
    nation: Nation
    type: str  # key of pack.types
    at: str = ""  # hex; a fort's: inside it; "": not placed yet
    damage: int = 0
    xp: int = 0
    company: Company | Literal[""] = ""  # "": not split yet, or bought
    aboard: str = ""  # the transport that carries it, at the same hex


new_unit = constructor(Unit)


@dataclass(slots=True)
class Position:
    """What everybody sees. Every field of this class is public: a secret belongs into State."""

    pack: Pack
    grid: HexGrid  # the board in play: all of it, or one half
    options: Mapping[str, Any]  # optional rules and ruling switches, complete
    ring: tuple[Camp, ...]  # who takes turns, clockwise
    camp_of: Mapping[Nation, Camp]  # nations in play -> who owns its forts and money
    seats: tuple[Nation, ...]  # nations led by people
    automa: Nation | Literal[""] = ""
    # the course of the game
    phase: Phase = "split"
    round: int = 0  # 0: set-up
    order: tuple[Camp, ...] = ()  # of play in this round, once it is rolled
    active: Camp | Literal[""] = ""
    go: int = 0  # set-up: companies placed so far, by all
    # the board
    units: dict[str, Unit] = field(default_factory=dict)
    on: dict[str, str] = field(
        default_factory=dict
    )  # hex -> the unit on the map there (not in forts, not aboard)
    forts: dict[str, Camp | Literal[""]] = field(default_factory=dict)  # every fort in play
    mines: dict[str, Nation] = field(default_factory=dict)  # hex -> who laid it
    built: dict[str, Terrain] = field(default_factory=dict)  # SPECIAL-21 hexes that engineers changed
    # off the board
    money: dict[Camp, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)  # "DE.CAR" -> how many there have been
    numbers: dict[str, int] = field(default_factory=dict)  # "DE.A" -> number of its token, once flipped
    acted: dict[Camp, tuple[Company, ...]] = field(default_factory=dict)  # SETUP-25 companies used in round 1
    # this turn
    lead: Lead = "orders"
    chosen: tuple[Company, ...] | None = None  # SETUP-23 companies that may act; None: no limit
    moved: Sequence[str] = ()  # units that may not move any more
    sheltered: Sequence[str] = ()  # MONEY-4 in an own fort since the turn began
    worked: Sequence[str] = ()  # minelayers and engineers that have done their work
    dug: Sequence[str] = ()  # TRENCH-8 hexes that became trenches in this turn
    attacks: Sequence[Attack] = ()  # TARGET-2 declared, in order
    struck: Sequence[str] = ()  # AUTOMA-24 attacked this turn
    result: Outcome | None = None

    # ------------------------------------------------------------ queries

    def type_of(self, unit: str) -> UnitType:
        return self.pack.types[self.units[unit].type]

    def camp(self, unit: str) -> Camp:
        return self.camp_of[self.units[unit].nation]

    def team(self, unit: str) -> Team:
        return self.pack.team_of[self.units[unit].nation]

    def are_enemies(self, one: str, other: str) -> bool:
        return self.team(one) != self.team(other)

    def is_own_fort(self, fort: str, camp: Camp) -> bool:
        return self.forts[fort] == camp

    def terrain(self, hex_: str) -> Terrain:
        """MOVE-18 What the hex counts as: TRENCH-20 without the expert rules a trench is open field."""
        found = self.built.get(hex_) or self.pack.terrain[hex_]
        return "open" if found == "trench" and not self.options["trench_rules"] else found

    def is_inside(self, unit: str) -> bool:
        """FORT-11 In a fort."""
        return self.units[unit].at in self.forts

    def is_on_map(self, unit: str) -> bool:
        """Standing on a hex, not inside a fort and not loaded."""
        found = self.units[unit]
        return found.at != "" and not found.aboard and found.at not in self.forts

    def cargo(self, transport: str) -> list[str]:
        return [unit.id for unit in self.units.values() if unit.aboard == transport]

    def of_camp(self, camp: Camp) -> Iterator[Unit]:
        """SETUP-28 In the order of ids: nations as in the ring, sheet order, number."""
        return (unit for unit in self.units.values() if self.camp_of[unit.nation] == camp)

    def enemies_of(self, team: Team) -> Iterator[Unit]:
        of = self.pack.team_of
        return (unit for unit in self.units.values() if of[unit.nation] != team)

    def inside(self, fort: str) -> list[str]:
        return [unit.id for unit in self.units.values() if unit.at == fort]

    def forts_of(self, camp: Camp) -> list[str]:
        return [fort for fort, owner in self.forts.items() if owner == camp]

    def ally_of(self, camp: Camp) -> Camp | None:
        """The other camp of the team, in a game of four."""
        of = self.pack.team_of
        return next((one for one in self.ring if one != camp and of[one] == of[camp]), None)


@dataclass(slots=True)
class State(Position):
    """The position and what nobody sees yet. Here what grows during a turn may be changed."""

    moved: list[str] = field(default_factory=list)
    sheltered: list[str] = field(default_factory=list)
    worked: list[str] = field(default_factory=list)
    dug: list[str] = field(default_factory=list)
    attacks: list[Attack] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    tokens: dict[Camp, list[str]] = field(default_factory=dict)  # SETUP-9 "TOKEN7", for companies A, B, C
    root: str = ""  # commits to the tokens' shuffle
    pile: list[str] = field(default_factory=list)  # SETUP-8 all tokens as they were shuffled
    counters: list[str] = field(default_factory=list)  # AUTOMA-3 the automa's units, in the order drawn
    counters_root: str = ""


NOT_STORED = ("pack", "grid")
PUBLIC_FIELDS = tuple(one.name for one in fields(Position))
STORED = tuple(one.name for one in fields(State) if one.name not in NOT_STORED)
_row = attrgetter(*(one.name for one in fields(Unit)))  # of a unit
TUPLES = ("ring", "seats", "order")
LISTS = ("moved", "sheltered", "worked", "dug", "struck", "pile", "counters")
GROWING = ("on", "mines", "built", "made", "numbers", "acted")  # mappings in the order of what has happened


def dump(state: State) -> dict[str, Any]:
    """Plain JSON data, without the pack. Stored mappings are sorted as text: what has an order is a list."""
    data = {name: getattr(state, name) for name in STORED}
    data["options"], data["camp_of"] = dict(state.options), dict(state.camp_of)
    data["units"] = [list(_row(unit)) for unit in state.units.values()]
    data["attacks"] = [[attack.unit, attack.target, attack.toward] for attack in state.attacks]
    for name in GROWING:
        data[name] = [[key, value] for key, value in data[name].items()]
    data["result"] = state.result and state.result.to_dict()
    return data


def load(pack: Pack, data: Mapping[str, Any]) -> State:
    """The state that `dump` wrote. The data itself is copied; mappings get the order of the set-up again."""
    found = dict(data)
    for name in TUPLES:
        found[name] = tuple(data[name])
    for name in LISTS:
        found[name] = list(data.get(name, ()))  # an older snapshot may know less
    for name in GROWING:
        found[name] = dict(data[name])
    found["chosen"] = None if data["chosen"] is None else tuple(data["chosen"])
    found["units"] = {row[0]: Unit(*row) for row in data["units"]}
    found["attacks"] = [Attack(*row) for row in data["attacks"]]
    found["options"] = in_order(data["options"], pack.options)
    found["forts"] = in_order(data["forts"], pack.forts)
    for name in ("camp_of", "money", "tokens"):
        found[name] = in_order(data[name], pack.ring)
    found["acted"] = {camp: tuple(companies) for camp, companies in found["acted"].items()}
    found["tokens"] = {camp: list(tokens) for camp, tokens in found["tokens"].items()}
    found["result"] = data["result"] and Outcome.from_dict(data["result"])
    return State(pack=pack, grid=pack.grids[board_in_play(found["options"], found["camp_of"])], **found)


def board_in_play(options: Mapping[str, Any], camp_of: Mapping[Nation, Camp]) -> str:
    """SETUP-3 Four nations play on the full board, two (or two against an automa) on one half."""
    return "full" if len(camp_of) == 4 else str(options["half"])
