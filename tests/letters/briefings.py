"""Positions drawn for one kind of item each: what is set up, what happens, and who reads of it.

`draw` prepares the position that the last letter showed; `happens` gives the facts that follow, which are
applied one by one. With no last letter (`first`) there is no view before. The words are in briefings.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from engine.games import game as load_game
from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.facts.board import ReinforcementsArrived
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackLaunched,
    CombatResolved,
    GameEnded,
    LocationCaptured,
    SurrenderPointGiven,
    SurrenderRolled,
    TileDrawn,
    TreatyRefused,
    TreatySigned,
    Winner,
)
from engine.games.to_the_last_man.facts.board import ArmyMoved, OwnerChanged
from engine.games.to_the_last_man.facts.cards import CardsDrawn
from engine.games.to_the_last_man.facts.force import (
    ArmyArrived,
    FortReduced,
    ReinforcementsDue,
    UnitsLost,
)
from engine.games.to_the_last_man.facts.force import ArmyEliminated as ArmyGone
from engine.games.to_the_last_man.facts.season import CrisisFailed, WarEnded
from engine.games.trench_club.facts.combat import CombatFought, Shot
from engine.games.trench_club.facts.money import MoneyGiven, SpecialDrawn
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.facts.setup import GameWon
from engine.kernel.briefing import BriefingItem
from engine.kernel.game import Game, GameSettings, Language, View, fact_for
from engine.kernel.requests import Fact, Seat
from pbem.letters.briefing import Briefing, brief_reader
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import ReadLine

Draw = Callable[[Any], None]
Happens = Callable[[Any], Sequence[Fact]]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One drawn position and the item that its reader must find in the letter."""

    game: str
    kind: str
    seat: str
    draw: Draw = lambda state: None
    happens: Happens = lambda state: ()
    options: dict[str, Any] = field(default_factory=dict)
    first: bool = False

    def __str__(self) -> str:
        return f"{self.game}-{self.kind}-{self.seat or 'observer'}"


@dataclass(frozen=True)
class Read:
    """The reader's side of it: two views and the facts they may read."""

    game: Game
    before: View | None
    view: View
    facts: tuple[Fact, ...]

    def items(self) -> tuple[BriefingItem, ...]:
        readable = [fact for one in self.facts if (fact := fact_for(one, self.view.seat or None)) is not None]
        return self.game.brief(self.before, self.view, readable)

    def words(self, language: Language, rows: Sequence[ReadLine] = ()) -> Briefing:
        phrases = words_of(self.game.id, language)
        return brief_reader(self.game, self.before, self.view, self.facts, phrases, rows)


def read(case: Drawn) -> Read:
    game, pack = load_game(case.game), load_game(case.game).load_pack()
    players = {"fww": 4, "ttlm": 2, "trench": 2}[case.game]
    options = {**pack.options, **pack.rulings, **case.options}
    settings = GameSettings(scenario=game.scenarios[0], players=players, options=options)
    state, _ = game.set_up(pack, settings)
    PREPARED[case.game](state)
    case.draw(state)
    seat = Seat(case.seat)
    before = None if case.first else game.views(state)(seat)
    facts = tuple(case.happens(state))
    for fact in facts:
        fact.apply(state)
    return Read(game, before, game.views(state)(seat), facts)


@cache
def words_of(game: str, language: Language) -> Phrases:
    return load_phrases(game, language, load_game(game).load_pack())


# ------------------------------------------------------------------ The First World War


def fww(kind: str, seat: str, **more: Any) -> Drawn:
    return Drawn(game="fww", kind=kind, seat=seat, **more)


def _fww_begun(state: Any) -> None:
    state.phase, state.round = "rounds", 5


def stands(front: int, *armies: str) -> Draw:
    def draw(state: Any) -> None:
        for army in armies:
            state.waiting[state.pack.faction_of[army]].remove(army)
            state.fronts[front] = sorted([*state.fronts[front], army])

    return draw


def taken(*rows: tuple[str, Faction]) -> Happens:
    """Locations that a faction takes, one after another."""

    def happens(state: Any) -> list[Fact]:
        vp, found = dict(state.vp), list[Fact]()
        for place, taker in rows:
            loser = state.control[place]
            vp[taker], vp[loser] = vp[taker] + 1, vp[loser] - 1
            front = state.pack.front_of[place]
            found.append(LocationCaptured(front, place, taker, loser, vp[taker], vp[loser]))
        return found

    return happens


def fought(front: int, attackers: str, defenders: str, winner: Winner, loss: str = "") -> Happens:
    def happens(state: Any) -> list[Fact]:
        attacker, defender = (state.pack.faction_of[one] for one in (attackers, defenders))
        sides, dice, lost = (attackers, defenders), ("1", "2"), loss or None
        named = (attacker, defender, (attackers,), (defenders,), sides, (3, 2), 0, dice)
        fact = CombatResolved(front, *named, (None, None), (0, 0), (4, 4), winner, lost)
        gone = [ArmyEliminated(state.pack.faction_of[loss], loss, front)] if loss else []
        return [fact, *gone]

    return happens


def pointed(faction: Any, *fronts: int) -> Happens:
    return lambda state: [SurrenderPointGiven(faction, front, n + 1) for n, front in enumerate(fronts)]


def held(state: Any) -> None:
    """The Central Powers hold five whole fronts."""
    for front in (1, 2, 3, 4, 7):
        for place in state.pack.locations_of[front]:
            state.control[place] = "DE"


ENDED = GameEnded((Seat("DE"),), "surrender", "CENTRAL", "DE", ("WA",), ())

FWW = (
    fww("won", "DE", happens=lambda state: [ENDED]),
    fww("lost", "WA", happens=lambda state: [ENDED]),
    fww("ended", "", happens=lambda state: [ENDED]),
    fww("places-lost", "WA",
        happens=taken(("BRUXELLES", "DE"), ("CALAIS", "DE"))),
    fww("places-taken", "DE", happens=taken(("BRUXELLES", "DE"))),
    fww("places-changed", "GA", happens=taken(("BRUXELLES", "DE"))),
    fww("armies-lost", "WA",
        draw=stands(1, "FR1"), happens=fought(1, "DE1", "FR1", "attacker", "FR1")),
    fww("armies-destroyed", "DE",
        draw=stands(1, "FR1"), happens=fought(1, "DE1", "FR1", "attacker", "FR1")),
    fww("attacks-failed", "DE", happens=fought(1, "DE1", "FR1", "nobody")),
    fww("attacks-held", "WA", happens=fought(1, "DE1", "FR1", "defender")),
    fww("armies-arrived", "EA",
        happens=lambda state: [ReinforcementsArrived(2, "EA", ("RU2",))]),
    fww("tiles-drawn", "DE",
        happens=lambda state: [TileDrawn("DE", "C01", "normal", (Seat("DE"),))]),
    fww("hand-full", "DE",
        draw=lambda state: state.hands["DE"].extend(["C01", "C02", "C03"])),
    fww("points", "WA", happens=taken(("BRUXELLES", "DE"))),
    fww("lead-changed", "EA",
        happens=taken(("LEMBERG", "EA"))),
    fww("fronts-held", "EA", draw=held),
    fww("last-turn", "DE", draw=lambda state: setattr(state, "turn", 6)),
    fww("surrender", "WA", happens=pointed("WA", 1, 3)),
    fww("fought-on", "WA",
        draw=lambda state: state.surrender["WA"].append(1),
        happens=lambda state: [SurrenderRolled("WA", 1, "S", surrendered=False)]),
    fww("base-exposed", "WA", happens=taken(("BRUXELLES", "DE"), ("CALAIS", "DE"))),
    fww("still-in-reach", "WA",
        draw=lambda state: state.control.update(BRUXELLES="DE", CALAIS="DE")),
    fww("attacked", "WA", happens=lambda state: [AttackLaunched("DE", 1, ("DE1",))]),
    fww("attacking", "DE", happens=lambda state: [AttackLaunched("DE", 1, ("DE1",))]),
    fww("centre-exposed", "WA",
        happens=taken(("BRUXELLES", "DE"))),
    fww("still-in-reach", "EA", draw=lambda state: state.control.update(BRUXELLES="DE"), first=True),
    fww("treaty-signed", "EA",
        happens=lambda state: [TreatySigned()]),
    fww("treaty-refused", "DE", happens=lambda state: [TreatyRefused()]),
)  # fmt: skip


# ------------------------------------------------------------------ To the Last Man!


def ttlm(kind: str, seat: str, **more: Any) -> Drawn:
    return Drawn(game="ttlm", kind=kind, seat=seat, **more)


def _ttlm_begun(state: Any) -> None:
    state.phase = "card"


def owned(side: Any, *areas: str) -> Happens:
    return lambda state: [OwnerChanged(area, side) for area in areas]


def marched(army: str, *path: str) -> Happens:
    return lambda state: [ArmyMoved(state.pack.side_of[army], army, path, "move", 1, False)]


def ended(level: str, rank: int, total: int, winners: tuple[Any, ...]) -> Happens:
    return lambda state: [WarEnded(level, rank, total, "time", winners)]


def owners(side: str, *areas: str) -> Draw:
    return lambda state: state.owner.update(dict.fromkeys(areas, side))


def invaded(state: Any) -> None:
    """Germany stands in Liège."""
    state.army_at["GE1"] = "LIE"


BELGIUM = ("LIE", "NAM", "BRU", "ANT")
TTLM = (
    ttlm("won", "GE", happens=ended("GE_MAJOR", 2, 20, ("GE",))),
    ttlm("lost", "EN", happens=ended("GE_MAJOR", 2, 20, ("GE",))),
    ttlm("ended", "EN", happens=ended("STALEMATE", 0, 12, ("GE", "EN"))),
    ttlm("areas-lost", "EN",
         happens=owned("GE", "LIE", "ARD")),
    ttlm("areas-taken", "GE",
         happens=owned("GE", "LIE", "ARD")),
    ttlm("areas-changed", "", happens=owned("GE", "LIE")),
    ttlm("areas-invaded", "EN", happens=marched("GE1", "AAC", "LIE")),
    ttlm("areas-entered", "GE", happens=marched("GE1", "AAC", "LIE")),
    ttlm("areas-left", "GE", draw=invaded, happens=lambda state: [
        ArmyMoved("GE", "GE1", ("LIE", "AAC"), "retreat", 1, False)]),
    ttlm("areas-cleared", "EN", draw=invaded, happens=lambda state: [
        ArmyMoved("GE", "GE1", ("LIE", "AAC"), "retreat", 1, False)]),
    ttlm("armies-lost", "EN", draw=lambda state: state.contents["FR6"].clear(),
         happens=lambda state: [ArmyGone("EN", "FR6", "PAR", "combat")]),
    ttlm("units-lost", "EN",
         happens=lambda state: [UnitsLost("EN", ("FR.I.05",), "NAN", "FR2", "combat", (Seat("EN"),))]),
    ttlm("units-lost", "GE",
         happens=lambda state: [UnitsLost("EN", ("FR.I.05",), "NAN", "FR2", "combat", (Seat("EN"),))]),
    ttlm("forts-gone", "EN", happens=lambda state: [FortReduced("EN", "LIE", -1, "combat")]),
    ttlm("forts-hurt", "EN", happens=lambda state: [FortReduced("EN", "LIE", 2, "combat")]),
    ttlm("reinforcements", "GE",
         happens=lambda state: [ReinforcementsDue("GE", ("GEC",), (), (), (Seat("GE"),))]),
    ttlm("cards-drawn", "GE",
         happens=lambda state: [CardsDrawn("GE", ("OFF.01", "OFF.02"), False, (Seat("GE"),))]),
    ttlm("hand-over", "GE",
         draw=lambda state: state.hands["GE"].extend(sorted(state.pack.cards)[:12])),
    ttlm("points", "GE", happens=owned("GE", "LIE")),
    ttlm("level-crossed", "GE",
         happens=owned("GE", "PAR", "LIE", "BRU", "VER", "ANT", "REI", "CHA", "CAL")),
    ttlm("decisive-near", "EN", draw=lambda state: setattr(state, "crisis_vp", 10)),
    ttlm("battles-open", "EN", draw=lambda state: state.battles.append("LIE")),
    ttlm("supply-cut", "GE",
         happens=lambda state: [*marched("GE1", "AAC", "LIE")(state), *owned("EN", "AAC", "COB")(state)]),
    ttlm("supply-missing", "GE", draw=owners("EN", "STR", "BAD", "LOR", "ALS")),
    ttlm("forts-weak", "EN",
         happens=lambda state: [*marched("GE1", "AAC", "LIE")(state), FortReduced("EN", "LIE", 2, "combat")]),
    ttlm("nation-enters", "EN", happens=lambda state: [ArmyArrived("EN", "US1", "PAR", False)]),
    ttlm("nation-due", "GE", draw=lambda state: setattr(state, "turn", 16)),
    ttlm("crisis-failed", "EN", happens=lambda state: [CrisisFailed("EN", 1)]),
)  # fmt: skip


# ------------------------------------------------------------------ Trench Club


def trench(kind: str, seat: str, **more: Any) -> Drawn:
    return Drawn(game="trench", kind=kind, seat=seat, **more)


def _trench_begun(state: Any) -> None:
    """Both armies stand on the board, and Germany's turn has begun."""
    state.round, state.active, state.phase, state.order = 3, "DE", "moves", ("DE", "GB")
    for unit, hex_ in (("DE.INF1", "D5"), ("DE.TNK1", "E5"), ("GB.INF1", "D11"), ("GB.CAR1", "E11")):
        state.units[unit] = replace(state.units[unit], at=hex_)
        state.on[hex_] = unit


def owner(**forts: str) -> Draw:
    return lambda state: state.forts.update(forts)


def conquered(fort: str, camp: Any, unit: str) -> Happens:
    return lambda state: [FortConquered(fort, camp, unit, state.forts[fort], ())]


def hit(by: str, at: str, damage: int, destroyed: bool, means: Any = "dice") -> Happens:
    shot = Shot(by, at, means, (7,), 0, 3, 1, "tank", "open", damage, destroyed)
    return lambda state: [CombatFought(by, at, 1, 0, "E5", (shot,), ())]


def won(*nations: Any, reason: str = "forts") -> Happens:
    return lambda state: [GameWon(nations, reason, (("central", 5), ("entente", 1)))]


def before_a_door(unit: str, fort: str) -> Draw:
    def draw(state: Any) -> None:
        state.on.pop(state.units[unit].at, None)
        hex_ = next(one for one in state.pack.forts[fort].approaches)
        state.units[unit] = replace(state.units[unit], at=hex_)
        state.on[hex_] = unit

    return draw


def both(*draws: Draw) -> Draw:
    def draw(state: Any) -> None:
        for one in draws:
            one(state)

    return draw


def damaged(unit: str, points: int) -> Draw:
    return lambda state: state.units.update({unit: replace(state.units[unit], damage=points)})


TRENCH = (
    trench("won", "DE", happens=won("DE")),
    trench("lost", "GB", happens=won("DE")),
    trench("ended", "GB", happens=won(reason="draw")),
    trench("forts-lost", "GB", draw=owner(B8="GB"), happens=conquered("B8", "DE", "DE.INF1")),
    trench("forts-taken", "DE", draw=owner(B8="GB"), happens=conquered("B8", "DE", "DE.INF1")),
    trench("forts-changed", "GB", draw=owner(B2="DE", B8="DE", B14="DE"),
           happens=conquered("F8", "DE", "DE.INF1")),
    trench("units-lost", "DE", happens=hit("GB.CAR1", "DE.TNK1", 6, True)),
    trench("units-destroyed", "GB", happens=hit("GB.CAR1", "DE.TNK1", 6, True)),
    trench("units-gone", "", happens=hit("GB.CAR1", "DE.TNK1", 6, True)),
    trench("forts", "DE", draw=owner(B8="GB"), happens=conquered("B8", "DE", "DE.INF1")),
    trench("one-fort-short", "GB", draw=owner(B2="DE", B8="DE", B14="DE", F8="DE")),
    trench("last-rounds", "GB", options={"round_limit": 4}, first=True),
    trench("fort-threatened", "GB", draw=both(owner(B8="GB"), before_a_door("DE.INF1", "B8"))),
    trench("fort-open", "DE", draw=both(owner(B8="GB"), before_a_door("DE.INF1", "B8"))),
    trench("units-weak", "DE", draw=damaged("DE.TNK1", 3),
           happens=hit("GB.CAR1", "DE.TNK1", 2, False)),
    trench("units-hit", "DE", happens=hit("GB.CAR1", "DE.TNK1", 2, False)),
    trench("enemies-hit", "GB", happens=hit("GB.CAR1", "DE.TNK1", 2, False)),
    trench("money", "GB", draw=owner(B8="GB")),
    trench("money-given", "GB", draw=lambda state: state.money.update(DE=5),
           happens=lambda state: [MoneyGiven("DE", "GB", 3, 2)]),
    trench("special-drawn", "GB", happens=lambda state: [SpecialDrawn("GB", "renault_ft17")]),
    trench("dice-cards", "GB", happens=hit("GB.CAR1", "DE.TNK1", 2, False, "card")),
)  # fmt: skip

PREPARED: dict[str, Draw] = {"fww": _fww_begun, "ttlm": _ttlm_begun, "trench": _trench_begun}
CASES = (*FWW, *TTLM, *TRENCH)
