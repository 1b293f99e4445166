"""Every question of the game: its topic, what is told with it, what may be answered.

| topic            | decision       | given           | answer                                   | secret |
|------------------|----------------|-----------------|------------------------------------------|--------|
| setup.take       | D02            | CardsGiven      | kind of card                             | yes    |
| season.bid       | D03            | SideGiven       | kinds of cards, none to three            | yes    |
| season.first     | D03            | SideGiven       | "GE" or "EN"                             | no     |
| reinforce        | D04, D05, D06  | PlacingGiven    | Place, Swap, Shift or Done               | yes    |
| turn.card        | D10            | TurnGiven       | kind of card, None: pass                 | yes    |
| turn.crisis      | D11            | CrisisGiven     | bool (a volunteer's)                     | yes    |
| turn.act         | D12–D16, D24 f | TurnGiven       | Move, Shift, Suppress or Done            | yes    |
| turn.discard     | D17            | TurnGiven       | kinds of cards                           | yes    |
| battle.declare   | D18            | DeclareGiven    | Declare                                  | yes    |
| battle.cards     | D19            | DeclareGiven    | CombatCards                              | yes    |
| battle.weather   | D30            | DeclareGiven    | bool                                     | yes    |
| battle.answer    | D31, D32       | DeclareGiven    | CombatCards                              | yes    |
| battle.keep      | D20            | DeclareGiven    | area                                     | no     |
| battle.scramble  | D33            | BattleGiven     | Goals                                    | yes    |
| battle.cavalry   | D21, D34       | BattleGiven     | Goals                                    | yes    |
| battle.biplanes  | D35            | BattleGiven     | "react" or "ground"                      | yes    |
| battle.instead   | D36            | BattleGiven     | Goals                                    | yes    |
| battle.reroll    | D37            | RerollGiven     | Rerolls                                  | yes    |
| battle.ersatz    | D22, D38       | HitsGiven       | Ersatz                                   | yes    |
| battle.loss      | D22, D38       | HitsGiven       | Loss                                     | yes    |
| battle.forced    | D39            | ForcedGiven     | Goals, armies only, one destination      | yes    |
| battle.retreat   | D23, D40       | RetreatGiven    | Goals, one destination                   | yes    |
| crisis.loss      | D41            | CrisisLossGiven | Losses                                   | yes    |
| supply.loss      | D50            | ArmyGiven       | kind of unit                             | yes    |
| production       | D51, D05       | ProductionGiven | Upgrade … Buy, Shift or Done             | yes    |
| excess           | D52            | ExcessGiven     | kinds of cards                           | yes    |
| eft.loss         | D53            | SideGiven       | Loss                                     | yes    |

`reinforce`, `turn.act` and `production` are put again until the answer is Done: an order sheet's lines
serve them in turn. Answers name counters by kind ("GE.I": nation and type), never by their own ids: two
counters of one kind are the same to everybody, and `rules.pieces.pick` says which of them goes.

`at` is the segment's key, for an area with `/<area>` behind it. Segment keys:
T1.S set-up · T1.R reinforcements · T1.3 third Player Turn · T1.3.LIE its battle in LIE · T1.3.E its end ·
T1.P production.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engine.kernel.requests import AskDetails

if TYPE_CHECKING:
    from engine.games.to_the_last_man.view import View

Side: TypeAlias = Literal["GE", "EN"]
Group: TypeAlias = tuple[tuple[str, int], ...]  # kinds and how many of each, sorted by kind, none of them 0
Mode: TypeAlias = Literal["move", "rail", "strat", "sea", "reserves", "withdraw", "evacuate"]
Slot: TypeAlias = Literal["start", "moves", "combat"]  # when in a Player Turn a crisis is played
Method: TypeAlias = Literal["react", "ground"]

LOOSE = ""  # instead of an army's id: outside any army
FORT = "FORT"  # instead of an army's id in a Loss: the fort of the area

# ------------------------------------------------------------------ acts


@dataclass(frozen=True, slots=True)
class Move:
    """4.1–4.7, 8.1, 9.6, 14.2.4 One piece goes along `path`, which begins where it stands.

    Either an army (`army`) with all it holds, which may absorb loose units of its side where it arrives; or
    units (`units`) that stood loose or in the army `source` and end loose or in the army `into`.
    """

    path: tuple[str, ...]  # two areas or more; of `sea`, `strat` and `evacuate` the two ends
    army: str = ""
    absorb: Group = ()
    units: Group = ()
    source: str = LOOSE
    into: str = LOOSE
    mode: Mode = "move"
    kind: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class Shift:
    """8.1 Units change from army to army, into an army or out of one, within an area."""

    area: str
    units: Group
    source: str = LOOSE
    into: str = LOOSE
    kind: Literal["shift"] = "shift"


@dataclass(frozen=True, slots=True)
class Suppress:
    """15.4.1 An army is dissolved; what it holds stays in the area, or goes into other armies there."""

    army: str
    kind: Literal["suppress"] = "suppress"


@dataclass(frozen=True, slots=True)
class Place:
    """2.I An arriving army is set down, or units, loose or in an army of that area."""

    area: str
    army: str = ""  # the army that arrives
    units: Group = ()
    into: str = LOOSE
    kind: Literal["place"] = "place"


@dataclass(frozen=True, slots=True)
class Swap:
    """8.2.3 A Commonwealth corps takes the place of an infantry of the United Kingdom."""

    corps: str  # its counter's id: "UK.CW.01"
    area: str
    into: str = LOOSE
    kind: Literal["swap"] = "swap"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """7.5 A German infantry becomes Stosstruppen."""

    area: str
    into: str = LOOSE
    kind: Literal["upgrade"] = "upgrade"


@dataclass(frozen=True, slots=True)
class Rebuild:
    """7.3 An eliminated army comes back, empty."""

    army: str
    area: str
    kind: Literal["rebuild"] = "rebuild"


@dataclass(frozen=True, slots=True)
class Build:
    """7.2 New units, all of one kind."""

    area: str
    units: Group
    into: str = LOOSE
    kind: Literal["build"] = "build"


@dataclass(frozen=True, slots=True)
class Entrench:
    """7.4 Armies and loose infantry dig in; loose ones are named by area and kind."""

    armies: tuple[str, ...] = ()  # in the order of the pack
    loose: tuple[tuple[str, Group], ...] = ()  # area, what digs in there; sorted by area
    kind: Literal["entrench"] = "entrench"


@dataclass(frozen=True, slots=True)
class Fortify:
    """7.6-06 An entrenched army is fortified."""

    army: str
    kind: Literal["fortify"] = "fortify"


@dataclass(frozen=True, slots=True)
class Buy:
    """7.1 Cards."""

    cards: int
    kind: Literal["buy"] = "buy"


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more here."""

    kind: Literal["done"] = "done"


DONE = Done()

# ------------------------------------------------------------------ battles


@dataclass(frozen=True, slots=True)
class Declare:
    """2.II.3 The Battle Areas in the order in which they are fought."""

    areas: tuple[str, ...]
    plan: str = ""  # the battle plan, in notation: it answers the attacker's questions of these battles


@dataclass(frozen=True, slots=True)
class CombatCards:
    """Cards laid on Battle Areas, as (area, kind of card), sorted; and what goes with the Offensive."""

    on: tuple[tuple[str, str], ...] = ()  # GAS, AAB, SUR of the attacker; GAS, AAB of the defender
    bonus: tuple[str, ...] = ()  # 9.1-02 areas of the special Offensive's extra dice, sorted
    counter: tuple[str, str] | None = None  # 15.2.2 the defender's counter-attack: area, card spent


@dataclass(frozen=True, slots=True)
class Goal:
    """One piece that leaves the area: an army with all it holds but `left`, or units of one place."""

    to: str
    army: str = ""
    left: Group = ()  # dropped from that army before it goes (8.3.3-06)
    units: Group = ()
    source: str = LOOSE
    into: str = LOOSE  # the army at the destination that they enter
    origin: str = ""  # 13.7 of loose biplanes that scramble: the area they come from


Goals: TypeAlias = tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Ersatz:
    """5.3.2 Cards spent on the hits of one fire step."""

    cards: tuple[str, ...] = ()  # kinds, sorted
    siege: int = 0  # how many of the hits so paid are a siege gun's (8.3.3-04)


@dataclass(frozen=True, slots=True)
class Loss:
    """5.3.1 One hit: a unit of an army, a loose unit, or a step of the fort."""

    place: str  # army's id, LOOSE or FORT; for losses away from a battle an area's id: loose there
    unit: str = ""  # its kind; "" for a fort


Losses: TypeAlias = tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class Rerolls:
    """8.3.4-06 How many hits of each kind of dice the attacker must roll again."""

    hits: tuple[tuple[str, int], ...] = ()  # label of the dice (`Dice.name`), number; sorted


ReinforceAct: TypeAlias = Place | Swap | Shift | Done
TurnAct: TypeAlias = Move | Shift | Suppress | Done
ProductionAct: TypeAlias = Upgrade | Rebuild | Build | Shift | Entrench | Fortify | Buy | Done

ANSWERS: dict[str, Any] = {
    "setup.take": str,
    "season.bid": tuple[str, ...],
    "season.first": str,
    "reinforce": ReinforceAct,
    "turn.card": str | None,
    "turn.crisis": bool,
    "turn.act": TurnAct,
    "turn.discard": tuple[str, ...],
    "battle.declare": Declare,
    "battle.cards": CombatCards,
    "battle.weather": bool,
    "battle.answer": CombatCards,
    "battle.keep": str,
    "battle.scramble": Goals,
    "battle.cavalry": Goals,
    "battle.biplanes": Method,
    "battle.instead": Goals,
    "battle.reroll": Rerolls,
    "battle.ersatz": Ersatz,
    "battle.loss": Loss,
    "battle.forced": Goals,
    "battle.retreat": Goals,
    "crisis.loss": Losses,
    "supply.loss": str,
    "production": ProductionAct,
    "excess": tuple[str, ...],
    "eft.loss": Loss,
}

# ------------------------------------------------------------------ what is told with the question


class Asked(AskDetails):
    """What conditions and clauses of an order may look at, whatever is asked."""

    __slots__ = ()

    def place(self) -> str:
        """The area in question; '' where none is."""
        return ""

    def battle_areas(self) -> tuple[str, ...]:
        """The areas of the battles that are being declared."""
        return ()

    def known_then(self, view: View) -> View:
        """The view on which conditions are read, of a seat that sees this one now."""
        return view


class AskedInArea(Asked):
    """A question about one area."""

    __slots__ = ()
    area: str

    def place(self) -> str:
        return self.area


@dataclass(frozen=True, slots=True)
class SideGiven(Asked):
    side: Side


@dataclass(frozen=True, slots=True)
class CardsGiven(Asked):
    side: Side
    cards: tuple[str, ...]  # kinds offered


@dataclass(frozen=True, slots=True)
class PlacingGiven(Asked):
    side: Side
    armies: tuple[str, ...]  # still to be placed
    units: Group
    corps: tuple[str, ...]  # Commonwealth counters to be swapped in


@dataclass(frozen=True, slots=True)
class TurnGiven(Asked):
    side: Side


@dataclass(frozen=True, slots=True)
class CrisisGiven(Asked):
    side: Side
    slot: Slot


@dataclass(frozen=True, slots=True)
class DeclareGiven(Asked):
    """What of it is not yet decided is empty."""

    side: Side
    compulsory: tuple[str, ...] = ()  # in order of entry
    areas: tuple[str, ...] = ()  # declared
    cards: tuple[tuple[str, str], ...] = ()  # the attacker's combat cards, area and kind

    def battle_areas(self) -> tuple[str, ...]:
        return self.areas


@dataclass(frozen=True, slots=True)
class BattleGiven(AskedInArea):
    side: Side
    area: str


@dataclass(frozen=True, slots=True)
class Dice:
    """What one roll of a battle showed."""

    name: str  # "F1", "F2", "S.F2": firepower, and the type where its hits have an effect of their own
    faces: tuple[int, ...]
    hits: int


@dataclass(frozen=True, slots=True)
class RerollGiven(AskedInArea):
    side: Side
    area: str
    dice: tuple[Dice, ...]  # what infantry has scored
    most: int  # biplanes that react


@dataclass(frozen=True, slots=True)
class HitsGiven(AskedInArea):
    side: Side
    area: str
    step: str  # "dogfight" "artillery" "defence" "attack" "pursuit" "counter"
    hits: int  # left to be paid
    siege: int = 0  # of them, a siege gun's


@dataclass(frozen=True, slots=True)
class ForcedGiven(AskedInArea):
    side: Side
    area: str
    armies: int  # how many must go


@dataclass(frozen=True, slots=True)
class RetreatGiven(AskedInArea):
    side: Side
    area: str
    to: str = ""  # where forced retreats of this step already went: the one destination (5.4.2-02)


@dataclass(frozen=True, slots=True)
class CrisisLossGiven(Asked):
    side: Side
    number: int
    nations: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmyGiven(Asked):
    side: Side
    army: str


@dataclass(frozen=True, slots=True)
class ProductionGiven(Asked):
    side: Side
    points: int  # left
    stage: int  # 7.6-05: 0 upgrades, 1 armies, 2 units, 3 reorganisation, 4 entrenchment, 5 cards
    sealed: View | None = field(default=None, compare=False)  # 2.V.2-02 before anybody bought anything

    def known_then(self, view: View) -> View:
        """2.V.2-02 The sheets were closed by then: no line hangs on what the other side buys."""
        return self.sealed or view


@dataclass(frozen=True, slots=True)
class ExcessGiven(Asked):
    side: Side
    number: int  # how many must go
