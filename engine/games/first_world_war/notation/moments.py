"""What is done at any time (returns, reveals, recalls), and one-off replies in a combat."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.first_world_war.answers import AnyTime, Faction, Recall
from engine.games.first_world_war.notation import known
from engine.games.first_world_war.notation.lexicon import Pen
from engine.games.first_world_war.notation.orders import (
    Order,
    decided_by,
    deciding,
    fighting_on,
    owning,
    short_of_dummies,
)
from engine.games.first_world_war.notation.preferences import LeadPreference, TakePreference, TilePreference
from engine.games.first_world_war.notation.troops import Group, Troops, mustered
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask


class Moment(Order):
    """Answers the volunteer's question with its own part of it, as soon as there is something to do."""

    __slots__ = ()
    topics = ("any_time",)

    def literal(self, view: View, faction: Faction) -> AnyTime:
        """What is wanted, whether or not it can be done now."""
        raise AssertionError(f"{type(self).__name__} wants nothing")

    def check(self, view: View, faction: Faction) -> Refusal | None:
        return known.any_time_question(view, faction).options.why_not(self.literal(view, faction))


@dataclass(frozen=True, slots=True)
class ReturnTiles(Moment):
    """D12 Tiles of no use go back. A tile that is not in hand is simply not there to return."""

    tiles: tuple[str, ...]  # ids; UNUSABLE: whatever is of no use

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        held = sorted(tile for hand in view.hands.values() for tile in hand)
        wanted = [
            tile
            for tile in held
            if ("UNUSABLE" in self.tiles or tile in self.tiles)
            and ask.options.contains(AnyTime(returned=(tile,)))
        ]
        return Said(AnyTime(returned=tuple(wanted))) if wanted else None

    def literal(self, view: View, faction: Faction) -> AnyTime:
        return AnyTime(returned=tuple(sorted(tile for tile in self.tiles if tile != "UNUSABLE")))

    def slot(self) -> str:
        return "RETURN" if "UNUSABLE" in self.tiles else ""

    def write(self, pen: Pen) -> str:
        return f"{pen('RETURN')} {pen.tiles(self.tiles)}"


@dataclass(frozen=True, slots=True)
class Reveal(Moment):
    """D13 Own counters are turned face up, once, at the next opportunity."""

    at_once = True
    armies: Troops
    front: int | None = None  # None: wherever they stand

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        shown = self._meant(view, faction)
        offered = [one for one in shown or () if ask.options.contains(AnyTime(revealed=(one,)))]
        return Said(AnyTime(revealed=tuple(offered))) if offered else None

    def _meant(self, view: View, faction: Faction) -> list[str] | None:
        found = mustered((Group(self.armies),), self._pool(view, faction), view.pack)
        return None if found is None else [counter for counter, _ in found]

    def _pool(self, view: View, faction: Faction) -> list[str]:
        """4.2.1-12 A counter is its owner's to show, whoever commands it. D and ALL mean hidden ones."""
        fronts = view.known if self.front is None else (self.front,)
        owner, there = view.pack.faction_of, [c for front in fronts for c in view.known.get(front, ())]
        return sorted(c for c in there if owner[c] == faction and c not in view.face_up)

    def literal(self, view: View, faction: Faction) -> AnyTime:
        return AnyTime(revealed=tuple(self._meant(view, faction) or ()))

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        owners = owning(self.armies, pack, own)
        return owners if owners != own or self.front is None else fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        where = "" if self.front is None else f" {self.front}:"
        return f"{pen('REVEAL')}{where} {pen(*self.armies)}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        pool = self._pool(view, faction)
        if (refusal := short_of_dummies((Group(self.armies),), pool, view.pack)) is not None:
            return refusal
        if self.front is not None:
            for counter in self._meant(view, faction) or ():
                if counter not in view.known.get(self.front, ()):
                    return Illegal("FWW-4.2.1-12", "not-there", {"counter": counter, "front": self.front})
        return Moment.check(self, view, faction)

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        """4.2.1-12 A counter is its owner's for the whole game."""
        owner = view.pack.faction_of
        others = [word for word in self.armies if owner.get(word, faction) != faction]
        return Illegal("FWW-4.2.1-12", "not-own", {"counter": others[0]}) if others else None


@dataclass(frozen=True, slots=True)
class AskRecall(Moment):
    """5.2-2 Germany asks for an army back, once, at the next opportunity."""

    at_once = True
    army: str
    origin: int
    to: int

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        wanted = self.literal(view, faction)
        return None if wanted.recalls[0] in view.recalls else Said(wanted)

    def literal(self, view: View, faction: Faction) -> AnyTime:
        return AnyTime(recalls=(Recall(self.army, self.origin, self.to),))

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding("DE", own)

    def write(self, pen: Pen) -> str:
        return f"{pen('RECALL', self.army, self.origin)} > {self.to}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        return decided_by("DE", "FWW-5.2-2") if faction != "DE" else Moment.check(self, view, faction)


@dataclass(frozen=True, slots=True)
class RefuseRecall(Moment):
    """5.2-2 The German Allies keep the army."""

    army: str = ""  # '' : whatever is asked for

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        refused = [r.army for r in view.recalls if self.army in ("", r.army)]
        offered = [army for army in refused if ask.options.contains(AnyTime(refused=(army,)))]
        return Said(AnyTime(refused=tuple(sorted(set(offered))))) if offered else None

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding("GA", own)

    def write(self, pen: Pen) -> str:
        return pen("REFUSE", "RECALL", self.army).rstrip()

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """A refusal in advance is in order."""
        return decided_by("GA", "FWW-5.2-2") if faction != "GA" else None


# ------------------------------------------------------------------ replies in a combat


@dataclass(frozen=True, slots=True)
class TileReply(Order):
    """TILE alone: for the questions of this exchange of letters only."""

    topics = ("combat.attack_tile", "combat.defence_tile")
    tile: TilePreference

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        """A single tile is meant literally, so that its refusal can be told."""
        if (
            self.tile.condition is None
            and len(self.tile.tiles) == 1
            and self.tile.tiles[0] in view.pack.tiles
        ):
            return Said(self.tile.tiles[0])
        return self.tile.choose(ask, view)

    def decides(self, pack: Pack) -> str:
        return "TILE"

    def write(self, pen: Pen) -> str:
        return f"{pen('TILE')} {self.tile.write(pen)}"


@dataclass(frozen=True, slots=True)
class LeadReply(Order):
    """LEAD alone."""

    topics = ("combat.attack_leader", "combat.defence_leader")
    lead: LeadPreference

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        if (
            self.lead.condition is None
            and len(self.lead.leaders) == 1
            and self.lead.leaders[0] in view.pack.armies
        ):
            return Said(self.lead.leaders[0])
        return self.lead.choose(ask, view)

    def decides(self, pack: Pack) -> str:
        return "LEAD"

    def write(self, pen: Pen) -> str:
        return f"{pen('LEAD')} {self.lead.write(pen)}"


@dataclass(frozen=True, slots=True)
class TakeReply(Order):
    """TAKE alone."""

    topics = ("combat.capture",)
    take: TakePreference

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        named = [one for one in self.take.locations if view.pack.front_of.get(one) == ask.given.front]
        if named == list(self.take.locations) and len(named) == 1:
            return Said(named[0])
        return self.take.choose(ask, view)

    def decides(self, pack: Pack) -> str:
        """Of each front one location is taken."""
        fronts = {pack.front_of[one] for one in self.take.locations if one != "NONE"}
        return f"TAKE {sorted(fronts)}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        fronts = [pack.front_of[one] for one in self.take.locations if one != "NONE"]
        return fighting_on(fronts[0], pack, own) if fronts else own

    def write(self, pen: Pen) -> str:
        return f"{pen('TAKE')} {self.take.write(pen)}"
