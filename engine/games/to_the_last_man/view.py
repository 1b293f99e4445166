"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from engine.games.to_the_last_man.answers import Group, Side
from engine.games.to_the_last_man.state import Phase, Status
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.to_the_last_man.pack import Pack


@dataclass(frozen=True, slots=True)
class Victory:
    """3.1 How the war stands."""

    total: int
    level: str
    parts: Mapping[str, int]


@fast_frozen
@dataclass(frozen=True, slots=True)
class View:
    """0-13: the seat's private part and the public report. Mappings are never changed."""

    pack: Pack  # printed data, the same for all
    # what this seat alone may know
    seat: Seat
    side: Side
    hand: tuple[str, ...]  # kinds of cards, sorted
    fresh: tuple[str, ...]  # of them, those of no use in this Player Turn
    contents: Mapping[str, Group]  # own armies on the map; all armies where templates are open
    budget: Mapping[
        str, tuple[tuple[str, int], ...]
    ]  # own army or area -> its counters' kinds and steps moved
    held: Group  # own reinforcements not yet placed, by kind
    plan: str  # own battle plan of this Player Turn
    scrambled: Group
    # what everyone knows
    scenario: str
    options: Mapping[str, Any]
    turn: int
    first_turn: int
    last_turn: int
    phase: Phase
    first: Side
    phasing: Side | Literal[""]
    number: int
    passes: int
    status: Mapping[str, Status]  # of each area, for this side
    supplied: frozenset[str]  # 6.4-01 areas in which this side's units are in supply, or would be
    owner: Mapping[str, Side | Literal[""]]
    forts: Mapping[str, int]
    army_at: Mapping[str, str]
    holding: Mapping[str, bool]  # army -> has it anything in it? An empty one does not count for stacking
    loose: Mapping[str, Mapping[Side, Group]]  # only areas and sides that have any
    entrenched: tuple[str, ...]  # armies
    dug_in: Mapping[str, Mapping[Side, Group]]  # loose counters that are entrenched
    fortified: tuple[str, ...]
    pool: Mapping[str, Group]  # nation -> kinds
    eliminated: tuple[str, ...]
    dissolved: tuple[str, ...]
    arriving: Mapping[Side, tuple[str, ...]]  # armies not yet placed
    corps: tuple[str, ...]
    hand_sizes: Mapping[Side, int]  # -1: hidden
    deck_size: int  # -1: hidden
    discard: tuple[str, ...]  # kinds, sorted
    removed: tuple[str, ...]
    offensive: str
    cut: int
    weather: bool
    cards_played: int
    was_friendly: tuple[str, ...]
    army_steps: Mapping[str, int]
    army_moved: tuple[str, ...]
    used: Mapping[str, int]
    entered: tuple[str, ...]
    battles: tuple[str, ...]
    fought: tuple[str, ...]
    laid: Mapping[Side, tuple[tuple[str, str], ...]]
    bonus: tuple[str, ...]
    counter: str
    retreated: tuple[str, ...]  # armies with a marker
    retreated_loose: Mapping[str, Mapping[Side, Group]]
    spent: Mapping[str, int]  # Ersatz cards are laid open: budgets of both sides
    suppressed: tuple[Side, ...]
    points: Mapping[Side, int]  # own side's only while production goes on
    victory: Victory

    @property
    def unsupplied(self) -> tuple[str, ...]:
        """6.2 Areas in which pieces of this side are out of supply."""
        of = self.pack.side_of
        areas = {area for army, area in self.army_at.items() if of[army] == self.side}
        areas |= {area for area, there in self.loose.items() if self.side in there}
        areas |= {area for area in self.forts if self.pack.fort_side[area] == self.side}
        return tuple(area for area in self.pack.areas if area in areas and area not in self.supplied)
