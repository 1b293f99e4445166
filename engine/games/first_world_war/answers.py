"""Every question of the game: its topic, what is told with it, what may be answered.

| topic                 | decision | given        | answer                          | secret |
|-----------------------|----------|--------------|---------------------------------|--------|
| order.slots           | D2       | SlotsGiven   | Slots                           | no     |
| deploy                | D3       | DeployGiven  | Deploy                          | yes    |
| round.action          | D4, D5   | RoundGiven   | Attack, Move, Transfer or Pass  | yes    |
| combat.defence_tile   | D6       | CombatGiven  | tile id or None                 | yes    |
| combat.attack_tile    | D7       | CombatGiven  | tile id or None                 | yes    |
| combat.attack_leader  | D8       | CombatGiven  | army id                         | if an own tile lies |
| combat.defence_leader | D9       | CombatGiven  | army id                         | if an own tile lies |
| combat.draw           | D10      | DrawGiven    | bool                            | no     |
| combat.drop           | D10      | DrawGiven    | tile id                         | yes    |
| combat.capture        | D11      | CaptureGiven | location id or None             | no     |
| any_time              | D12, D13, D19 | AnyTimeGiven | AnyTime (a volunteer's Ask) | yes    |
| victory.occupy        | D14      | CaptureGiven | location id                     | no     |
| treaty.offer          | D15      | FactionGiven | bool                            | no     |
| treaty.answer         | D16      | FactionGiven | bool                            | no     |
| replace.ask           | D18      | ReplaceGiven | tuple of army ids               | no     |
| replace               | D17, D18 | ReplaceGiven | tuple of army ids               | no     |

`at` is the segment's key, for a front with `/F<n>` behind it ("T3.R5/F9"). Segment keys:
T3.O order slots · T3.D1 … T3.D4 deployment steps · T3.R1 … T3.R16 rounds · T3.V victory check ·
T3.P phases 4 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import AskDetails

Faction: TypeAlias = Literal["WA", "EA", "DE", "GA"]
Alliance: TypeAlias = Literal["ALLIES", "CENTRAL"]
Back: TypeAlias = Literal["normal", "mandatory"]
Placement: TypeAlias = tuple[str, int]  # counter id, front


# ------------------------------------------------------------------ answers


@dataclass(frozen=True, slots=True)
class Slots:
    deploy: int
    round: int


@dataclass(frozen=True, slots=True)
class Deploy:
    """Every new counter of the faction stands in exactly one of the two, each sorted by counter id."""

    placed: tuple[Placement, ...]
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attack:
    """The last three are preferences in notation ("STRONGEST", "BIGBERTHA NONE", "METZ"), '' for none."""

    front: int
    armies: tuple[str, ...]  # sorted
    lead: str = ""
    tile: str = ""
    take: str = ""
    kind: Literal["attack"] = "attack"


@dataclass(frozen=True, slots=True)
class Move:
    origin: int
    steps: tuple[Placement, ...]  # sorted by counter id
    kind: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class Transfer:
    origin: int
    to: int
    counters: tuple[str, ...]  # one or two, sorted
    kind: Literal["transfer"] = "transfer"


@dataclass(frozen=True, slots=True)
class Pass:
    kind: Literal["pass"] = "pass"


@dataclass(frozen=True, slots=True)
class Recall:
    """5.2 Germany asks for an army back."""

    army: str
    origin: int
    to: int


@dataclass(frozen=True, slots=True)
class AnyTime:
    """What a faction may do at any time, before each round; all empty: nothing."""

    returned: tuple[str, ...] = ()  # 6.2.1-5 unusable tiles put back
    revealed: tuple[str, ...] = ()  # 4.2.1-12 own counters turned up
    recalls: tuple[Recall, ...] = ()  # 5.2-2 asked by DE
    refused: tuple[str, ...] = ()  # 5.2-2 armies whose recall GA refuses


RoundAction: TypeAlias = Attack | Move | Transfer | Pass

ANSWERS: dict[str, Any] = {
    "order.slots": Slots,
    "deploy": Deploy,
    "round.action": RoundAction,
    "combat.defence_tile": str | None,
    "combat.attack_tile": str | None,
    "combat.attack_leader": str,
    "combat.defence_leader": str,
    "combat.draw": bool,
    "combat.drop": str,
    "combat.capture": str | None,
    "any_time": AnyTime,
    "victory.occupy": str,
    "treaty.offer": bool,
    "treaty.answer": bool,
    "replace.ask": tuple[str, ...],
    "replace": tuple[str, ...],
}


# ------------------------------------------------------------------ what is told with the question


class Asked(AskDetails):
    """Every question is put to one faction."""

    __slots__ = ()
    faction: Faction

    def subject(self) -> str:
        return self.faction


@dataclass(frozen=True, slots=True)
class FactionGiven(Asked):
    faction: Faction


@dataclass(frozen=True, slots=True)
class SlotsGiven(Asked):
    faction: Faction
    deploy: tuple[int, ...]  # slots still free
    round: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeployGiven(Asked):
    faction: Faction
    new: tuple[str, ...]
    owed: tuple[int, ...]  # garrison fronts that want a new real army


@dataclass(frozen=True, slots=True)
class RoundGiven(Asked):
    faction: Faction
    cycle: int  # 1 to 4: this faction's n-th round of the turn


@fast_frozen
@dataclass(frozen=True, slots=True)
class CombatGiven(Asked):
    """Everything here lies open on the table, but for `own_tile`."""

    faction: Faction
    front: int
    attackers: tuple[str, ...]  # committed armies
    defenders: tuple[str, ...]  # real armies only; all of them
    own_tile: str | None = None
    enemy_tile: Back | None = None  # back of the tile that lies there
    enemy_leader: str | None = None
    bonus: bool = False  # attackers outnumber defenders (6.1-4)
    at_stake: tuple[str, ...] = ()  # locations that could fall


@dataclass(frozen=True, slots=True)
class DrawGiven(Asked):
    faction: Faction
    front: int
    hand: tuple[str, ...]  # without the tile just drawn
    drawn: str | None = None  # known when a tile must be dropped


@dataclass(frozen=True, slots=True)
class CaptureGiven(Asked):
    faction: Faction
    front: int
    available: tuple[str, ...]  # in the order of the default: centres first, then the pack's order


@dataclass(frozen=True, slots=True)
class AnyTimeGiven(Asked):
    faction: Faction


@dataclass(frozen=True, slots=True)
class ReplaceGiven(Asked):
    faction: Faction
    pool: tuple[str, ...]  # what may be named now
    capacity: int
    asked: tuple[str, ...] = ()  # of those, EA's armies on WA's account (7.2)
