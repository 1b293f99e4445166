"""Every question of the game: its topic, what is told with it, what may be answered.

| topic         | decision | given         | answer                                                 | secret |
|---------------|----------|---------------|--------------------------------------------------------|--------|
| setup.split   | D1       | SplitGiven    | Split                                                  | yes    |
| setup.flip    | D2       | PlacingGiven  | "A", "B" or "C"                                        | no     |
| setup.place   | D3       | FlippedGiven  | Placement                                              | no     |
| turn.lead     | D7, D11  | TurnGiven     | "orders", "later" (MONEY LATER) or "automa"            | no     |
| turn.join     | D12      | TurnGiven     | "orders" or "captain": who leads a partner's units     | no     |
| turn.active   | D4       | TurnGiven     | companies, sorted                                      | no     |
| turn.act      | D5       | TurnGiven     | Move, Capture, Mine, Build or Done                     | no     |
| turn.targets  | D6       | TurnGiven     | a tuple of Attack: the binding list                    | no     |
| turn.spend    | D7, D9   | MoneyGiven    | Repair, Buy, Special, Give or Done                     | no     |
| turn.put      | D8       | DrawnGiven    | a fort's hex, or a water hex for a gunboat             | no     |
| give          | D9       | MoneyGiven    | coins for the ally, 0: nothing (a volunteer's)         | no     |

`turn.act` and `turn.spend` are put again until the answer is Done: an order sheet's lines serve them in turn.
Units are named by their ids ("DE.CAR1": nation, code, number; numbers are never used again), hexes by theirs
("D5"). A unit whose hex is a fort's is inside that fort.

`at` is the segment's key. Segment keys: S.S set-up · S.P2.DE second company of DE is placed ·
R3.DE.T third round, turn of DE · R3.DE.C its combats · R3.DE.M its money.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.kernel.fast_dataclass import constructor, fast_frozen
from engine.kernel.requests import AskDetails

Nation: TypeAlias = str  # "DE" "GB" "AH" "FR"
Camp: TypeAlias = str  # who owns forts and money: a nation; in a co-op the captain's, for both
Company: TypeAlias = Literal["A", "B", "C"]
Direction: TypeAlias = Literal["N", "NE", "SE", "S", "SW", "NW"]
Lead: TypeAlias = Literal["orders", "later", "automa"]
Join: TypeAlias = Literal["orders", "captain"]
Places: TypeAlias = tuple[tuple[str, str], ...]  # units and the hexes they are put on

COMPANIES: tuple[Company, ...] = ("A", "B", "C")

# ------------------------------------------------------------------ set-up


@dataclass(frozen=True, slots=True)
class Split:
    """SETUP-10 All units of the army in three companies, each sorted; a company may be empty."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """SETUP-14 Where each unit of the company goes, sorted by unit."""

    places: Places


# ------------------------------------------------------------------ phase 1


@fast_frozen
@dataclass(frozen=True, slots=True)
class Move:
    """MOVE-2 One unit's whole path: the hexes it enters.

    The last one may be an own fort's, or that of the own transport `aboard` which it boards. A loaded
    transport puts down all it carries where it ends (`unload`), unless it ends inside a fort; with an empty
    path it unloads where it stands.
    """

    unit: str
    path: tuple[str, ...]
    aboard: str = ""
    unload: Places = ()  # sorted by unit
    kind: Literal["move"] = "move"


new_move = constructor(Move)


@fast_frozen
@dataclass(frozen=True, slots=True)
class Capture:
    """FORT-2 A foot unit that stands before an entrance conquers the fort."""

    unit: str
    fort: str
    kind: Literal["capture"] = "capture"


@fast_frozen
@dataclass(frozen=True, slots=True)
class Mine:
    """SPECIAL-15"""

    unit: str
    hex: str
    kind: Literal["mine"] = "mine"


@fast_frozen
@dataclass(frozen=True, slots=True)
class Build:
    """SPECIAL-19 Two hexes next to each other become road or bridge, or trench."""

    unit: str
    what: Literal["road", "trench"]
    hexes: tuple[str, str]
    kind: Literal["build"] = "build"


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more of this kind."""

    kind: Literal["done"] = "done"


DONE = Done()
Act: TypeAlias = Move | Capture | Mine | Build | Done

# ------------------------------------------------------------------ phase 2


@fast_frozen
@dataclass(frozen=True, slots=True)
class Attack:
    """TARGET-1 An attacker and its target; for gas (SPECIAL-10) the direction instead."""

    unit: str
    target: str = ""
    toward: Direction | Literal[""] = ""


# ------------------------------------------------------------------ phase 4


@fast_frozen
@dataclass(frozen=True, slots=True)
class Repair:
    """MONEY-3"""

    unit: str
    kind: Literal["repair"] = "repair"


@fast_frozen
@dataclass(frozen=True, slots=True)
class Buy:
    """BUY-1 A unit of the nation's own sheet, into a fort."""

    type: str
    fort: str
    kind: Literal["buy"] = "buy"


@dataclass(frozen=True, slots=True)
class Special:
    """BUY-6, BUY-7 A special force: drawn blind, or chosen by a team that is behind.

    It goes into the fort, a gunboat on the water hex; "": on the free one nearest to the fort.
    """

    fort: str
    water: str = ""
    choice: str = ""  # a type; "": blind
    kind: Literal["special"] = "special"


@fast_frozen
@dataclass(frozen=True, slots=True)
class Give:
    """MONEY-7 So much is taken from the giver; the ally gets one less."""

    amount: int
    kind: Literal["give"] = "give"


Purchase: TypeAlias = Repair | Buy | Special | Give | Done

# ------------------------------------------------------------------ what is told with a question


@dataclass(frozen=True, slots=True)
class SplitGiven(AskDetails):
    nation: Nation
    army: tuple[str, ...]  # units to be split, in the sheet's order


@dataclass(frozen=True, slots=True)
class PlacingGiven(AskDetails):
    nation: Nation
    left: tuple[Company, ...]  # companies not yet placed


@dataclass(frozen=True, slots=True)
class FlippedGiven(AskDetails):
    nation: Nation
    company: Company
    number: int
    hex: str
    units: tuple[str, ...]  # in the sheet's order


@fast_frozen
@dataclass(frozen=True, slots=True)
class TurnGiven(AskDetails):
    nation: Nation
    round: int
    companies: int  # how many may act; 0: no limit
    led: tuple[Nation, ...] = ()  # COOP-5 whose units are ordered


@fast_frozen
@dataclass(frozen=True, slots=True)
class MoneyGiven(AskDetails):
    nation: Nation
    money: int


@dataclass(frozen=True, slots=True)
class DrawnGiven(AskDetails):
    nation: Nation
    type: str


ANSWERS: dict[str, Any] = {
    "setup.split": Split,
    "setup.flip": Company,
    "setup.place": Placement,
    "turn.lead": Lead,
    "turn.join": Join,
    "turn.active": tuple[Company, ...],
    "turn.act": Act,
    "turn.targets": tuple[Attack, ...],
    "turn.spend": Purchase,
    "turn.put": str,
    "give": int,
}
