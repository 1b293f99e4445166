"""Standing orders: what a faction wants whenever a question comes. Each replaces the one in the same slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.games.first_world_war.answers import DrawGiven, Faction, ReplaceGiven, Slots, SlotsGiven
from engine.games.first_world_war.notation.lexicon import Pen
from engine.games.first_world_war.notation.orders import (
    Order,
    decided_by,
    deciding,
    elsewhere,
    fighting_on,
    owning,
)
from engine.games.first_world_war.notation.preferences import LeadPreference, TilePreference, leader_bound
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules.command import fights_elsewhere
from engine.games.first_world_war.rules.replacements import ranked
from engine.games.first_world_war.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask

EVERYWHERE = "ALL"


def place(front: int | None) -> str:
    """In a slot: single fronts sort before ALL, so that the particular is consulted first."""
    return EVERYWHERE if front is None else f"{front:02}"


@dataclass(frozen=True, slots=True)
class Defend(Order):
    """D6, D9 What the faction plays and who leads when it is attacked; on all fronts if none is named."""

    topics = ("combat.defence_tile", "combat.defence_leader")
    front: int | None
    tile: TilePreference | None = None
    lead: LeadPreference | None = None

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        if self.front not in (None, ask.given.front):
            return None
        if ask.topic == "combat.defence_leader":
            return None if self.lead is None else self.lead.choose(ask, view)
        if self.tile is None:
            return Said(
                None
            )  # as by default; said, so that its leader is heard where another line has a tile
        leader = self.lead.named(ask.given.defenders) if self.lead is not None else None
        return self.tile.choose(ask, view, leader)

    def over(self, other: Defend) -> Defend:
        """D6, D9 Tile and leader are two decisions: where this says nothing the other counts."""
        return Defend(self.front, self.tile or other.tile, self.lead or other.lead)

    def slot(self) -> str:
        return f"DEFEND/{place(self.front)}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return own if self.front is None else fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        parts = [f"{pen('DEFEND')} {pen.front(self.front)}:"]
        for clause, wish in (("TILE", self.tile), ("LEAD", self.lead)):
            if wish is not None:
                parts += [pen(clause), wish.write(pen)]
        return " ".join(parts)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        refusal = None if self.tile is None else self.tile.refusal("defence", view.pack)
        return _never_asked(self.front, view.pack, faction) or refusal


def _never_asked(front: int | None, pack: Pack, faction: Faction) -> Refusal | None:
    """2.1-7 A policy for a front on which the partner fights would never be asked for."""
    return None if front is None else fights_elsewhere(pack, faction, front)


@dataclass(frozen=True, slots=True)
class AskWhenAttacked(Order):
    """§4.5 The round pauses for the seat; after that its policy holds. Takes no condition."""

    topics = ()
    front: int | None

    def asks(self, ask: Ask) -> bool:
        return ask.topic in Defend.topics and self.front in (None, ask.given.front)

    def slot(self) -> str:
        return f"ASK/{place(self.front)}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return own if self.front is None else fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        return f"{pen('DEFEND')} {pen.front(self.front)}: {pen('ASK')}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        return _never_asked(self.front, view.pack, faction)


@dataclass(frozen=True, slots=True)
class AttackTile(Order):
    """D7 The tile for attacks whose order names none."""

    topics = ("combat.attack_tile",)
    front: int | None
    tile: TilePreference

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        if self.front not in (None, ask.given.front):
            return None
        return self.tile.choose(ask, view, leader_bound(ask.plan))

    def slot(self) -> str:
        return f"ATTACKTILE/{place(self.front)}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return own if self.front is None else fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        return f"{pen('ATTACKTILE')} {pen.front(self.front)}: {self.tile.write(pen)}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        refusal = self.tile.refusal("attack", view.pack)
        return _never_asked(self.front, view.pack, faction) or refusal


@dataclass(frozen=True, slots=True)
class DrawTiles(Order):
    """D10 Whether to draw on S, and what goes back when the hand is full."""

    topics = ("combat.draw", "combat.drop")
    draws: Literal["YES", "NO", "FREE"]
    drop: tuple[str, ...] = ()  # tile ids and ZERO, in order

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        given: DrawGiven = ask.given
        if ask.topic == "combat.draw":
            room = len(given.hand) < view.pack.meta.hand_limit
            return Said(self.draws == "YES" or (self.draws == "FREE" and room))
        for wish in self.drop:
            for tile in given.hand:
                zero = wish == "ZERO" and view.pack.tiles[tile].value == 0
                if (zero or tile == wish) and ask.options.contains(tile):
                    return Said(tile)
        return None

    def slot(self) -> str:
        return "DRAW"

    def write(self, pen: Pen) -> str:
        drop = f" {pen('DROP')} {pen.tiles(self.drop)}" if self.drop else ""
        return pen("DRAW", self.draws) + drop


@dataclass(frozen=True, slots=True)
class Occupy(Order):
    """D14 Which location is taken in phase 3 where there is a choice."""

    topics = ("victory.occupy",)
    front: int
    locations: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        if ask.given.front != self.front:
            return None
        return next((Said(one) for one in self.locations if ask.options.contains(one)), None)

    def slot(self) -> str:
        return f"OCCUPY/{place(self.front)}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        return f"{pen('OCCUPY', self.front)}: {pen(*self.locations)}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        return _never_asked(self.front, view.pack, faction) or elsewhere(
            self.locations, self.front, view.pack, "FWW-4.2.3-4"
        )


@dataclass(frozen=True, slots=True)
class Replace(Order):
    """D17 Which eliminated armies come back first; a list that ends in NONE stops there."""

    topics = ("replace",)
    armies: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        return Said(replaced(ask.given, view.pack, self.armies, {}))

    def slot(self) -> str:
        return "REPLACE"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        """7.2-1 Armies on the Western account stand in that list."""
        charged = pack.replacement.charged_to_WA
        if any(army in charged for army in self.armies):
            return deciding("WA", own)
        return owning(self.armies, pack, own)

    def write(self, pen: Pen) -> str:
        return pen("REPLACE", *self.armies)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        pack = view.pack
        foreign = pack.replacement.charged_to_WA
        for army in self.armies:
            paid = faction == "WA" if army in foreign else pack.faction_of.get(army, faction) == faction
            if not paid:
                rule = "FWW-7.2-3" if army in foreign else "FWW-7-3"
                return Illegal(rule, "not-your-army", {"counter": army})
        return None


@dataclass(frozen=True, slots=True)
class Grant(Order):
    """D18 Whether the Western Allies pay for an army of their partner; ALL: for every one."""

    topics = ("replace",)
    armies: tuple[str, ...]
    granted: bool = True
    spare: bool = False  # only from capacity that is not used

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        return Said(replaced(ask.given, view.pack, (), self.verdicts(ask.given.asked)))

    def verdicts(self, asked: Sequence[str]) -> dict[str, str]:
        """For each of the armies asked for that this order speaks of: "first", "spare" or "never"."""
        verdict = ("spare" if self.spare else "first") if self.granted else "never"
        return {army: verdict for army in asked if army in self.armies or EVERYWHERE in self.armies}

    def slot(self) -> str:
        return f"GRANT/{'+'.join(sorted(self.armies))}"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding("WA", own)

    def write(self, pen: Pen) -> str:
        order = pen("GRANT" if self.granted else "DENY", *self.armies)
        return f"{order} {pen('IF', 'SPARE')}" if self.spare else order

    def write_inside(self, pen: Pen) -> str:
        order = pen("GRANT" if self.granted else "DENY", *self.armies)
        return f"{pen('IF', 'SPARE', 'THEN')} {order}" if self.spare else order

    def check(self, view: View, faction: Faction) -> Refusal | None:
        if faction != "WA":
            return decided_by("WA", "FWW-7.2-2")
        return not_charged(self.armies, view.pack)


@dataclass(frozen=True, slots=True)
class AskReplacement(Order):
    """D18 For which of its armies the Eastern Allies ask their partner."""

    topics = ("replace.ask",)
    armies: tuple[str, ...]  # ALL, NONE or ids

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        given: ReplaceGiven = ask.given
        every = EVERYWHERE in self.armies
        return Said(tuple(army for army in given.pool if every or army in self.armies))

    def slot(self) -> str:
        return "ASK REPLACE"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding("EA", own)

    def write(self, pen: Pen) -> str:
        return pen("ASK", "REPLACE", *self.armies)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        if faction != "EA":
            return decided_by("EA", "FWW-7.2-2")
        return not_charged(self.armies, view.pack)


def not_charged(armies: Sequence[str], pack: Pack) -> Refusal | None:
    """7.2-1 Only these are replaced on the Western account."""
    for army in armies:
        if army not in (EVERYWHERE, "NONE", *pack.replacement.charged_to_WA):
            return Illegal("FWW-7.2-1", "not-on-the-western-account", {"counter": army})
    return None


def replaced(
    given: ReplaceGiven, pack: Pack, wanted: Sequence[str], verdicts: dict[str, str]
) -> tuple[str, ...]:
    """D17, D18 The armies that come back: those promised, the list, the other own ones, the partner's.

    Ruling: an unconditional GRANT is a promise and is paid first; else it would say no more than IF SPARE.
    Without a word an army asked for gets what is to spare. After NONE no more own armies come back, so a
    GRANT IF SPARE finds what they leave; without a word NONE ends all.
    """
    promised = [army for army in given.asked if verdicts.get(army) == "first" and army not in wanted]
    listed = [army for army in wanted if army in given.pool and verdicts.get(army) != "never"]
    unsaid, others = "spare", [army for army in given.pool if army not in given.asked]
    if "NONE" in wanted:
        unsaid, others = "never", []
    spare = [army for army in given.asked if verdicts.get(army, unsaid) == "spare"]
    order = dict.fromkeys([*promised, *listed, *ranked(pack, others), *ranked(pack, spare)])
    return tuple(sorted(list(order)[: given.capacity]))


@dataclass(frozen=True, slots=True)
class Treaty(Order):
    """D15, D16 The offer, or the answer to it."""

    topics = ("treaty.offer", "treaty.answer")
    says: Literal["OFFER", "NONE", "ACCEPT", "REFUSE"]

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        offering = self.says in ("OFFER", "NONE")
        if offering != (ask.topic == "treaty.offer"):
            return None
        return Said(self.says in ("OFFER", "ACCEPT"))

    def slot(self) -> str:
        return "TREATY"

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding(self._decider(), own)

    def _decider(self) -> Faction:
        return "DE" if self.says in ("OFFER", "NONE") else "EA"

    def write(self, pen: Pen) -> str:
        none = "AUCUN" if pen.language == "fr" and self.says == "NONE" else self.says
        return pen("TREATY", none)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """8.1-1 Before its time an offer is filed only with IF TURN >= …"""
        if faction != self._decider():
            return decided_by(self._decider(), "FWW-8.1-1" if self._decider() == "DE" else "FWW-8.1-2")
        earliest = view.pack.treaty.earliest_turn
        if self.says == "OFFER" and view.turn < earliest:
            return Illegal("FWW-8.1-1", "no-treaty-before", {"turn": earliest})
        return None


@dataclass(frozen=True, slots=True)
class OrderSlots(Order):
    """D2 Preference lists for the faction's places in deployment and rounds; the rest by default."""

    topics = ("order.slots",)
    deploy: tuple[int, ...] = ()
    round: tuple[int, ...] = ()

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        """D2 By default the highest free slot for deployment, the lowest for rounds."""
        given: SlotsGiven = ask.given
        deploy = next((slot for slot in self.deploy if slot in given.deploy), max(given.deploy))
        round_ = next((slot for slot in self.round if slot in given.round), min(given.round))
        return Said(Slots(deploy, round_))

    def slot(self) -> str:
        return "SLOTS"

    def write(self, pen: Pen) -> str:
        parts = [pen("SLOTS")]
        if self.deploy:
            parts.append(" ".join([_slots_word(pen), *map(str, self.deploy)]))
        if self.round:
            parts.append(pen("ROUND", *self.round))
        return " ".join(parts)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        if not view.options.get("random_order", False):
            return Illegal("FWW-9.2-1", "option-is-off", {"option": "random_order"})
        return None


def _slots_word(pen: Pen) -> str:
    """After RANGS the French word is the noun."""
    return "DEPLOIEMENT" if pen.language == "fr" else pen("DEPLOY")
