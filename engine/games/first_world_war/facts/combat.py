"""What combat, the victory check and the phases after it leave behind.

Public facts tell a letter everything that lies open on the table. A tile's name is told to the holder's
seat alone; everyone else reads a `…FaceDown` fact with its back (S-6). Those are only read, never applied.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.games.first_world_war.answers import Alliance, Back, Faction
from engine.games.first_world_war.state import ALLIANCE, State
from engine.kernel.game import Outcome
from engine.kernel.requests import Fact, PublicFact, Quiet, Seat

Winner: TypeAlias = Literal["attacker", "defender", "nobody"]
COMBAT_NAMES_TILES = Quiet("the combat names the tiles", by=("CombatResolved",))

# ------------------------------------------------------------------ the attack


@dataclass(frozen=True, slots=True)
class AttackLaunched(PublicFact):
    """6-3 A faction attacked on a front with these armies."""

    faction: Faction
    front: int
    armies: tuple[str, ...]
    reveals: ClassVar[bool] = True

    def apply(self, state: State) -> None:
        state.attacked.setdefault(self.faction, []).append(self.front)


@dataclass(frozen=True, slots=True)
class DummiesRemoved(PublicFact):
    """6-5 Dummies shown in defence left the board; they are new counters again."""

    front: int
    dummies: tuple[str, ...]

    def apply(self, state: State) -> None:
        for dummy in self.dummies:
            _take_off(state, self.front, dummy)
            insort(state.waiting[state.pack.faction_of[dummy]], dummy)


@dataclass(frozen=True, slots=True)
class FrontFoundEmpty(PublicFact):
    """6-7 No real army defended: the attack succeeded without dice."""

    attacker: Faction
    defender: Faction
    front: int

    def apply(self, state: State) -> None:
        state.won[self.attacker] = True


@dataclass(frozen=True, slots=True)
class AttackCameToNothing(PublicFact):
    """8.1-6 The treaty left nobody to fight and nothing to take."""

    attacker: Faction
    defender: Faction
    front: int

    def apply(self, state: State) -> None:
        state.won[self.attacker] = False


@dataclass(frozen=True, slots=True)
class LeaderNamed(PublicFact):
    """6.1-3 A side named the army that leads it."""

    quiet: ClassVar[Quiet] = Quiet("it changes nothing; the combat that follows names both leaders")
    faction: Faction
    front: int
    army: str

    def apply(self, state: State) -> None:
        """Lies open on the table; nothing is stored."""


@dataclass(frozen=True, slots=True)
class CombatResolved(PublicFact):
    """6.1 Steps 2 to 5 of one combat. Pairs are attacker, defender."""

    front: int
    attacker: Faction
    defender: Faction
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    leaders: tuple[str, str]
    values: tuple[int, int]
    bonus: int  # of the attacker, for numbers
    dice: tuple[str, str]  # faces as printed
    tiles: tuple[str | None, str | None]
    tile_values: tuple[int, int]
    totals: tuple[int, int]
    winner: Winner
    loss: str | None  # the eliminated leader
    reveals: ClassVar[bool] = True  # the tiles

    def apply(self, state: State) -> None:
        state.won[self.attacker] = self.winner == "attacker"


@dataclass(frozen=True, slots=True)
class ArmyEliminated(PublicFact):
    """6.1-11 A leader was lost and went to its owner's pool."""

    quiet: ClassVar[Quiet] = Quiet("the combat names the loss", by=("CombatResolved",))
    faction: Faction
    army: str
    front: int

    def apply(self, state: State) -> None:
        _take_off(state, self.front, self.army)
        insort(state.pool[self.faction], self.army)


def _take_off(state: State, front: int, counter: str) -> None:
    state.fronts[front].remove(counter)
    if counter in state.face_up:
        state.face_up.remove(counter)


# ------------------------------------------------------------------ tiles


@dataclass(frozen=True, slots=True)
class TilePlacedFaceDown(PublicFact):
    """6.1-1 What everyone sees of a placed tile."""

    faction: Faction
    holder: Faction
    back: Back

    @property
    def quiet(self) -> Quiet | None:
        return COMBAT_NAMES_TILES if self.holder == self.faction else None

    def apply(self, state: State) -> None:
        """Read only: the state was changed by the full fact."""


@dataclass(frozen=True, slots=True)
class TilePlaced(Fact):
    """6.1-1 A tile was laid face down for this combat, out of `holder`'s hand."""

    faction: Faction
    holder: Faction
    tile: str
    back: Back
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.hands[self.holder].remove(self.tile)
        state.placed[self.faction] = self.tile

    def redacted(self) -> TilePlacedFaceDown:
        return TilePlacedFaceDown(self.faction, self.holder, self.back)


@dataclass(frozen=True, slots=True)
class TileDrawnFaceDown(PublicFact):
    """6.2-5 What everyone sees of a drawn tile."""

    faction: Faction
    back: Back

    def apply(self, state: State) -> None:
        """Read only: the state was changed by the full fact."""


@dataclass(frozen=True, slots=True)
class TileDrawn(Fact):
    """6.2-5 A faction that rolled S drew a tile from its alliance's cup."""

    faction: Faction
    tile: str
    back: Back
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.cups[ALLIANCE[self.faction]].remove(self.tile)
        insort(state.hands[self.faction], self.tile)

    def redacted(self) -> TileDrawnFaceDown:
        return TileDrawnFaceDown(self.faction, self.back)


@dataclass(frozen=True, slots=True)
class DrawDeclined(PublicFact):
    """6.2-5 A faction that rolled S drew nothing."""

    faction: Faction

    def apply(self, state: State) -> None:
        """Nothing changes hands."""


@dataclass(frozen=True, slots=True)
class TilePutBackFaceDown(PublicFact):
    """S-6 What everyone sees of a tile put back."""

    faction: Faction
    back: Back

    def apply(self, state: State) -> None:
        """Read only: the state was changed by the full fact."""


@dataclass(frozen=True, slots=True)
class TilePutBack(Fact):
    """6.2.1 A tile went from a hand back into the cup, because the hand was full or it was of no use."""

    faction: Faction
    tile: str
    back: Back
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.hands[self.faction].remove(self.tile)
        insort(state.cups[ALLIANCE[self.faction]], self.tile)

    def redacted(self) -> TilePutBackFaceDown:
        return TilePutBackFaceDown(self.faction, self.back)


@dataclass(frozen=True, slots=True)
class TileReturned(PublicFact):
    """6.2-4 A played tile went back into its cup."""

    quiet: ClassVar[Quiet] = Quiet(
        "the combat names the tiles; all but those removed go back", by=("CombatResolved",)
    )
    faction: Faction
    tile: str

    def apply(self, state: State) -> None:
        del state.placed[self.faction]
        insort(state.cups[ALLIANCE[self.faction]], self.tile)


@dataclass(frozen=True, slots=True)
class TileRemoved(PublicFact):
    """6.2.2-6 A played mandatory tile left the game."""

    faction: Faction
    tile: str

    def apply(self, state: State) -> None:
        del state.placed[self.faction]
        insort(state.tiles_out, self.tile)


# ------------------------------------------------------------------ ground and surrender


@dataclass(frozen=True, slots=True)
class LocationCaptured(PublicFact):
    """6.4-5 A location changed hands; `taker_vp` and `loser_vp` are the new scores."""

    front: int
    location: str
    taker: Faction
    loser: Faction
    taker_vp: int
    loser_vp: int

    def apply(self, state: State) -> None:
        state.control[self.location] = self.taker
        state.vp[self.taker] = self.taker_vp
        state.vp[self.loser] = self.loser_vp


@dataclass(frozen=True, slots=True)
class CaptureDeclined(PublicFact):
    """6.4-4 A successful attacker left the ground to the enemy."""

    faction: Faction
    front: int

    def apply(self, state: State) -> None:
        """No ground changed hands."""


@dataclass(frozen=True, slots=True)
class SurrenderPointGiven(PublicFact):
    """6.5-1 A faction received a surrender point for a front; it now has `points`."""

    faction: Faction
    front: int
    points: int

    def apply(self, state: State) -> None:
        insort(state.surrender[self.faction], self.front)


@dataclass(frozen=True, slots=True)
class SurrenderRolled(PublicFact):
    """6.5-3 A faction rolled against its surrender points."""

    faction: Faction
    points: int
    die: str
    surrendered: bool

    def apply(self, state: State) -> None:
        """What follows is told by `GameEnded`."""


# ------------------------------------------------------------------ end and treaty


@dataclass(frozen=True, slots=True)
class GameEnded(PublicFact):
    """8 The game is over. `winners` are seats; none: everybody lost."""

    winners: tuple[Seat, ...]
    reason: str  # "surrender" "both-surrender" "victory-points" "six-fronts"
    alliance: Alliance | None  # the one that won the war
    faction: Faction | None  # its faction that came out ahead
    surrendered: tuple[Faction, ...]
    scores: tuple[tuple[str, int], ...]  # VP of factions and alliances; "treaty" if the bonus counted

    def apply(self, state: State) -> None:
        state.result = Outcome(self.winners, self.reason, dict(self.scores))
        state.phase = "over"


@dataclass(frozen=True, slots=True)
class TreatyOffered(PublicFact):
    """8.1-1 Germany offered peace in the East."""

    def apply(self, state: State) -> None:
        """An offer alone changes nothing."""


@dataclass(frozen=True, slots=True)
class TreatyRefused(PublicFact):
    """8.1-2 The Eastern Allies refused; the offer may be repeated in a later turn."""

    def apply(self, state: State) -> None:
        """The war in the East goes on."""


@dataclass(frozen=True, slots=True)
class TreatySigned(PublicFact):
    """8.1-2 The treaty of Brest-Litovsk is in force to the end of the game."""

    def apply(self, state: State) -> None:
        state.treaty = True


# ------------------------------------------------------------------ phases 4 to 6


@dataclass(frozen=True, slots=True)
class ReplacementsAsked(PublicFact):
    """7.2-2 The Eastern Allies asked for armies on the Western Allies' account."""

    armies: tuple[str, ...]

    def apply(self, state: State) -> None:
        """A request; the Western Allies' choice decides."""


@dataclass(frozen=True, slots=True)
class ArmiesReplaced(PublicFact):
    """7-3 Eliminated armies come back next turn, paid out of `faction`'s capacity."""

    faction: Faction
    capacity: int
    armies: tuple[str, ...]

    def apply(self, state: State) -> None:
        for army in self.armies:
            state.pool[state.pack.faction_of[army]].remove(army)
            insort(state.returning, army)


@dataclass(frozen=True, slots=True)
class ArmiesGivenUp(PublicFact):
    """7-5 (switch) Eliminated armies that were not replaced left the game."""

    faction: Faction
    armies: tuple[str, ...]

    def apply(self, state: State) -> None:
        for army in self.armies:
            state.pool[self.faction].remove(army)
            insort(state.gone, army)


@dataclass(frozen=True, slots=True)
class TilesAdded(PublicFact):
    """4.2.5-1 Tiles of the coming year went into their cup."""

    alliance: Alliance
    tiles: tuple[str, ...]

    def apply(self, state: State) -> None:
        for tile in self.tiles:
            state.aside.remove(tile)
            insort(state.cups[self.alliance], tile)


COMBAT_FACTS: tuple[type[Fact], ...] = (
    AttackLaunched,
    DummiesRemoved,
    FrontFoundEmpty,
    AttackCameToNothing,
    LeaderNamed,
    CombatResolved,
    ArmyEliminated,
    TilePlaced,
    TilePlacedFaceDown,
    TileDrawn,
    TileDrawnFaceDown,
    DrawDeclined,
    TilePutBack,
    TilePutBackFaceDown,
    TileReturned,
    TileRemoved,
    LocationCaptured,
    CaptureDeclined,
    SurrenderPointGiven,
    SurrenderRolled,
    GameEnded,
    TreatyOffered,
    TreatyRefused,
    TreatySigned,
    ReplacementsAsked,
    ArmiesReplaced,
    ArmiesGivenUp,
    TilesAdded,
)
