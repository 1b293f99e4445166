"""The position as plain data. It changes only inside `Fact.apply`; rules only read it.

Every counter lies in exactly one place: loose in an area, in an army, in its nation's force pool, or among
the reinforcements that are held. Every card lies in the draw pile, the discard pile, a hand, or out of the
game. Lists of counters and cards (but for the draw pile) are sorted, so that their order tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.games.to_the_last_man.answers import LOOSE, Group, Side
from engine.kernel.canonical_json import copy_plain, in_order
from engine.kernel.game import Outcome

if TYPE_CHECKING:
    from engine.games.to_the_last_man.pack import Pack

SIDES: tuple[Side, ...] = ("GE", "EN")  # the order in which both draw and place (1.3-05, 2.I-06)
NATIONS: tuple[str, ...] = ("BE", "FR", "GE", "UK", "US")  # 0-09: the order of dice
TYPES: tuple[str, ...] = ("I", "CW", "S", "C", "A", "G", "B", "T", "P")  # 0-09
INFANTRY: tuple[str, ...] = ("I", "CW", "S")  # 0-02 infantry-type
ENGLAND, BOX = "ENG", "EFT"  # places beside the map
Status: TypeAlias = Literal["friendly", "enemy", "disputed", "neutral"]
Phase: TypeAlias = Literal[
    "setup", "reinforce", "card", "moves", "declare", "answer", "battle", "end", "production", "over"
]


@dataclass(slots=True)
class State:
    pack: Pack
    scenario: str
    options: Mapping[str, Any]  # optional rules and ruling switches, complete
    first_turn: int
    last_turn: int
    turn: int
    phase: Phase = "setup"
    first: Side = "GE"  # 2.II.1-01 First Player of this season
    phasing: Side | Literal[""] = ""
    number: int = 0  # of the Player Turn in the season
    passes: int = 0  # 2.IV consecutive passes so far
    # the map
    owner: dict[str, Side | Literal[""]] = field(default_factory=dict)  # every area; "": nobody yet
    forts: dict[str, int] = field(default_factory=dict)  # area -> strength; gone ones are not here
    army_at: dict[str, str] = field(default_factory=dict)  # army on the map -> area
    contents: dict[str, list[str]] = field(default_factory=dict)  # army on the map -> counters
    loose: dict[str, list[str]] = field(default_factory=dict)  # area -> counters of both sides
    entrenched: list[str] = field(default_factory=list)  # armies and loose counters
    fortified: list[str] = field(default_factory=list)  # armies
    # off the map
    pool: dict[str, list[str]] = field(default_factory=dict)  # nation -> counters
    eliminated: list[str] = field(default_factory=list)  # armies that may be rebuilt
    dissolved: list[str] = field(
        default_factory=list
    )  # 15.4.1 armies taken off: rebuilt, but no victory point
    held: dict[Side, list[str]] = field(
        default_factory=dict
    )  # 2.I-07 arriving armies and counters not yet set
    corps: list[str] = field(default_factory=list)  # 8.2.3 Commonwealth counters that have not come yet
    # cards
    deck: list[str] = field(default_factory=list)  # top first
    root: str = ""  # commits to the last shuffle
    dealt: int = 0  # cards taken from that pile since
    discard: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    hands: dict[Side, list[str]] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)  # 2.II.1-09 drawn in this Pass, of no use before its end
    # this Player Turn
    offensive: str = ""  # kind of the Offensive card played; "": pass
    cut: int = 0  # 9.5 steps by which Bad Weather has lowered it: 0 or 1
    cards_played: int = 0  # by the phasing side, for 2.II.1-08
    was_friendly: list[str] = field(
        default_factory=list
    )  # to the phasing side when the turn began (4.4, 4.5)
    steps: dict[str, int] = field(default_factory=dict)  # areas moved by each army and counter (4.1-03)
    moved: list[str] = field(default_factory=list)  # what may not move, be carried or be shifted again
    shifted: list[str] = field(default_factory=list)  # 4.1-04 counters shifted within their area
    used: dict[str, int] = field(default_factory=dict)  # "rail" "strat" "sea" "reserves" "pass": moves made
    entered: list[str] = field(default_factory=list)  # Enemy areas with presence, in order of entry
    battles: list[str] = field(default_factory=list)  # declared, in the attacker's order
    fought: list[str] = field(default_factory=list)
    laid: dict[Side, list[tuple[str, str]]] = field(default_factory=dict)  # combat cards: area, kind
    bonus: list[str] = field(default_factory=list)  # areas of the special Offensive's extra dice
    counter: str = ""  # 15.2.2 Battle Area of the counter-attack
    weather: bool = False
    plan: str = ""  # the attacker's battle plan, in notation
    retreated: list[str] = field(default_factory=list)  # armies and counters with a marker
    scrambled: list[str] = field(default_factory=list)  # 13.7-02 biplanes
    spent: dict[str, int] = field(
        default_factory=dict
    )  # "GE.step" "GE.battle" "GE.turn": cards spent as Ersatz
    # this season
    suppressed: list[Side] = field(default_factory=list)  # 15.4.1 once a season
    points: dict[Side, int] = field(default_factory=dict)  # BPs left in Production
    dug: dict[Side, int] = field(default_factory=dict)  # 7.4 pieces entrenched in this Production
    upgrades: dict[Side, int] = field(default_factory=dict)
    bought: dict[Side, int] = field(default_factory=dict)  # cards, drawn when all is spent
    # the whole war
    crisis_vp: int = 0  # 3.1-03
    result: Outcome | None = None

    # ------------------------------------------------------------ queries

    @property
    def year(self) -> int:
        """0-11 A winter belongs to the year in which it begins."""
        return self.pack.turns[self.turn].year

    def army_area(self, army: str) -> str:
        """Where an army stands; "": not on the map."""
        return self.army_at.get(army, "")

    def armies(self, area: str, side: Side) -> list[str]:
        """Armies of that side there, empty ones too, in the order of dice."""
        of = self.pack.side_of
        return [army for army, at in self.army_at.items() if at == area and of[army] == side]

    def loose_units(self, area: str, side: Side) -> list[str]:
        of = self.pack.side_of
        return [unit for unit in self.loose[area] if of[unit] == side]

    def in_place(self, area: str, army: str, side: Side) -> list[str]:
        """What lies in that army, or loose (`LOOSE`) in that area."""
        return self.loose_units(area, side) if army == LOOSE else self.contents[army]

    def force(self, area: str, side: Side) -> list[str]:
        """All counters of that side there, in armies or loose; forts apart."""
        found = self.loose_units(area, side)
        for army in self.armies(area, side):
            found += self.contents[army]
        return found

    def fort(self, area: str, side: Side) -> int | None:
        """Strength of that side's fort there; None: there is none."""
        return self.forts.get(area) if self.pack.fort_side.get(area) == side else None

    def grouped(self, units: Iterable[str]) -> Group:
        """Counters by kind."""
        kind_of, numbers = self.pack.kind_of, dict[str, int]()
        for unit in units:
            numbers[kind_of[unit]] = numbers.get(kind_of[unit], 0) + 1
        return tuple(sorted(numbers.items()))


def dump(state: State) -> dict[str, Any]:
    """Plain JSON data, without the pack."""
    data = {f.name: getattr(state, f.name) for f in fields(state) if f.name != "pack"}
    data["options"] = dict(state.options)
    data["result"] = state.result and state.result.to_dict()
    return data


def load(pack: Pack, data: Mapping[str, Any]) -> State:
    """The state that `dump` wrote, its keys in the pack's order. The data itself is copied."""
    copied = copy_plain(data)
    for name, keys in _orders(pack).items():
        copied[name] = in_order(copied[name], keys)
    copied["laid"] = {side: [(area, card) for area, card in rows] for side, rows in copied["laid"].items()}
    copied["result"] = copied["result"] and Outcome.from_dict(copied["result"])
    return State(pack=pack, **copied)


def _orders(pack: Pack) -> dict[str, Iterable[str]]:
    """Keys as the set-up lays them down: stored data sorts them as text."""
    by_side = ("held", "hands", "laid", "points", "dug", "upgrades", "bought")
    return {
        **dict.fromkeys(by_side, SIDES),
        "owner": pack.areas,
        "forts": pack.areas,
        "loose": pack.areas,
        "army_at": pack.armies,
        "contents": pack.armies,
        "pool": NATIONS,
        "options": {**pack.options, **pack.rulings},
    }
