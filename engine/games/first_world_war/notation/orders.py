"""What an order is, and the orders of a turn: attack, move, transfer, pass, deploy, agreement to a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.games.first_world_war.answers import (
    Attack,
    Deploy,
    Faction,
    Move,
    Pass,
    Placement,
    Recall,
    Transfer,
)
from engine.games.first_world_war.notation import known, printed
from engine.games.first_world_war.notation.lexicon import Pen, lexicon
from engine.games.first_world_war.notation.preferences import (
    LeadPreference,
    TakePreference,
    TilePreference,
    bound_to,
)
from engine.games.first_world_war.notation.troops import (
    Group,
    Troops,
    commanded,
    dummies_at_hand,
    dummies_in,
    dummies_wanted,
    mustered,
)
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules.command import fights_elsewhere
from engine.games.first_world_war.rules.deployment import DeployOptions
from engine.games.first_world_war.view import View
from engine.kernel.errors import Ambiguous, Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask
from engine.notation.reasons import NOTATION

ENGLISH = Pen("en")

# Refusals that no course of play can cure: told of both branches of an IF, whichever holds now.
PERMANENT = frozenset(
    {
        "another-faction-decides",
        "dummy",
        "fights-elsewhere",
        "lead-not-committed",
        "location-elsewhere",
        "no-nationality-there",
        "not-adjacent",
        "not-commanded",
        "not-listed",
        "not-on-the-western-account",
        "not-own",
        "not-your-army",
        "option-is-off",
        "other-theatre",
        "same-front",
        "tile-of-another-nation",
        "wrong-role",
    }
)


class Order:
    """What a line says, without who says it and when. Frozen; what it means is found on a view."""

    __slots__ = ()
    topics: ClassVar[tuple[str, ...]]  # the questions it can answer
    in_rounds: ClassVar[bool] = False  # bound to one of the faction's four rounds
    deploys: ClassVar[bool] = False  # for the faction's next deployment
    at_once: ClassVar[bool] = False  # done at the next opportunity or not at all

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        """What it means as an answer to that question, legal or not."""
        raise AssertionError(f"{type(self).__name__} answers nothing")

    def asks(self, ask: Ask) -> bool:
        return False

    def slot(self) -> str:
        """What standing orders it replaces; '' for the orders of a turn."""
        return ""

    def decides(self, pack: Pack) -> str:
        """The question that it answers alone; '' : others may stand beside it."""
        return ""

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        """Which of a seat's factions it can be meant for."""
        return own

    def write(self, pen: Pen) -> str:
        raise AssertionError(f"{type(self).__name__} is never written")

    def write_inside(self, pen: Pen) -> str:
        """As a branch of an IF, where no IF may stand behind it."""
        return self.write(pen)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """What would be refused on this view now."""
        return None

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        """What no course of play can cure; `turn`: the one it is for, 0 if it is for any."""
        refusal = self.check(view, faction)
        return refusal if refusal is not None and refusal.reason in PERMANENT else None


def fighting_on(front: int, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
    """2.1-7 On every front one faction of an alliance fights."""
    return tuple(faction for faction in own if faction in pack.fighter[front].values()) or own


def owning(words: Sequence[str], pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
    """The factions of the counters named; all, if none is."""
    owners = {pack.faction_of[word] for word in words if word in pack.faction_of}
    return tuple(faction for faction in own if faction in owners) or own


class RoundOrder(Order):
    """An order for one of the faction's rounds."""

    __slots__ = ()
    topics = ("round.action",)
    in_rounds = True

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """By the rules themselves, on the board as the seat knows it."""
        question = known.round_question(view, faction, 1)
        said = self.attempt(question, view, faction)
        return None if said is None else question.options.why_not(said.value)


@dataclass(frozen=True, slots=True)
class AttackOrder(RoundOrder):
    """6-1, 6-3 An attack on one front, with the wishes that go with it."""

    front: int
    armies: Troops = ()
    lead: LeadPreference | None = None
    tile: TilePreference | None = None
    take: TakePreference | None = None

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        """D5 Without WITH, and for ALL and REAL: every real army that may attack there now.

        If none may, all are meant, so that the refusal tells why.
        """
        pool, pack = commanded(view, faction, self.front), view.pack
        words = ["REAL" if word == "ALL" else word for word in self.armies] or ["REAL"]
        able = [c for c in pool if ask.options.contains(Attack(self.front, (c,)))]
        if able:
            pool = [c for c in pool if c in able or c in pack.dummies]
        found = mustered((Group(tuple(words)),), pool, pack)
        if found is None:
            return None
        armies = tuple(counter for counter, _ in found)
        return Said(Attack(self.front, armies, *self._plans(view, armies)))

    def _plans(self, view: View, armies: Sequence[str]) -> tuple[str, str, str]:
        """The preferences travel with the attack, in canonical English.

        6.2-2, C-26: the tile comes before the leader, so a leader named here rules out other nations' tiles,
        those of a standing order too.
        """
        lead, tile, take = self.lead, self.tile, self.take
        leader = None if lead is None else lead.named(armies)
        if tile is not None and leader is not None:
            tile = tile.under(leader, view)
        pen = Pen("en", lexicon(view.pack))
        plans = ["" if wish is None else wish.write(pen) for wish in (lead, tile, take)]
        return plans[0], plans[1] or bound_to(leader), plans[2]

    def asks(self, ask: Ask) -> bool:
        """TAKE ASK."""
        wants = self.take is not None and self.take.ask
        return wants and ask.topic == "combat.capture" and ask.given.front == self.front

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return fighting_on(self.front, pack, own)

    def write(self, pen: Pen) -> str:
        parts = [pen("ATTACK", self.front)]
        if self.armies:
            parts.append(pen("WITH", *self.armies))
        for clause, wish in (("LEAD", self.lead), ("TILE", self.tile), ("TAKE", self.take)):
            if wish is not None:
                parts += [pen(clause), wish.write(pen)]
        return " ".join(parts)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        return self._clauses_refusal(view.pack) or RoundOrder.check(self, view, faction)

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        pack, front = view.pack, self.front
        found = printed.never_attacking(self.armies, front, pack, faction, turn)
        return found or fights_elsewhere(pack, faction, front) or self._clauses_refusal(pack)

    def _clauses_refusal(self, pack: Pack) -> Refusal | None:
        """LEAD names somebody who comes along, TILE what can be played, TAKE towns of that front."""
        named = () if any(word in ("ALL", "REAL") for word in self.armies) else self.armies
        if (
            self.lead is not None
            and named
            and not any(one in (*named, "STRONGEST", "WEAKEST") for one in self.lead.leaders)
        ):
            return Illegal("FWW-6.1-3", "lead-not-committed", {"front": self.front})
        leaders = () if self.lead is None else self.lead.certain(named, pack)
        if self.tile is not None and (refusal := self.tile.refusal("attack", pack, leaders)) is not None:
            return refusal
        return None if self.take is None else elsewhere(self.take.locations, self.front, pack, "FWW-6.4-1")


def elsewhere(locations: Sequence[str], front: int, pack: Pack, rule: str) -> Refusal | None:
    """The first of the locations that lies on another front."""
    for location in locations:
        if location != "NONE" and pack.front_of[location] != front:
            return Illegal(rule, "location-elsewhere", {"location": location, "front": front})
    return None


@dataclass(frozen=True, slots=True)
class MoveOrder(RoundOrder):
    """5-1 Counters of one front, each one step."""

    origin: int
    groups: tuple[Group, ...]

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        def may_go(dummy: str, to: int) -> bool:
            return ask.options.contains(Move(self.origin, ((dummy, to),)))

        steps = mustered(self.groups, commanded(view, faction, self.origin), view.pack, may_go)
        return None if steps is None else Said(Move(self.origin, tuple(steps)))

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return fighting_on(self.origin, pack, own)

    def write(self, pen: Pen) -> str:
        steps = "; ".join([f"{pen(*group.troops)} > {group.to}" for group in self.groups])
        return f"{pen('MOVE', self.origin)}: {steps}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        pool = commanded(view, faction, self.origin)
        return short_of_dummies(self.groups, pool, view.pack) or RoundOrder.check(self, view, faction)

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        found = printed.never_moving(self.groups, self.origin, view.pack, faction, turn)
        return found or fights_elsewhere(view.pack, faction, self.origin)


@dataclass(frozen=True, slots=True)
class TransferOrder(RoundOrder):
    """5-5 One or two counters to any other front."""

    origin: int
    to: int
    armies: Troops

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        def may_go(dummy: str, to: int) -> bool:
            return ask.options.contains(Transfer(self.origin, to, (dummy,)))

        pool = commanded(view, faction, self.origin)
        found = mustered((Group(self.armies, self.to),), pool, view.pack, may_go)
        if found is None:
            return None
        return Said(Transfer(self.origin, self.to, tuple(counter for counter, _ in found)))

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return fighting_on(self.origin, pack, own)

    def write(self, pen: Pen) -> str:
        return f"{pen('TRANSFER', self.origin)} > {self.to}: {pen(*self.armies)}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        pool, groups = commanded(view, faction, self.origin), (Group(self.armies),)
        return short_of_dummies(groups, pool, view.pack) or RoundOrder.check(self, view, faction)

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        found = printed.never_transferred(self.armies, self.origin, self.to, view.pack, faction, turn)
        return found or fights_elsewhere(view.pack, faction, self.origin)


@dataclass(frozen=True, slots=True)
class PassOrder(RoundOrder):
    """4.2.2-2 Nothing."""

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        return Said(Pass())

    def write(self, pen: Pen) -> str:
        return pen("PASS")


@dataclass(frozen=True, slots=True)
class AgreeToRecall(RoundOrder):
    """5.2-2 The German Allies spend their round to send a German army back."""

    army: str = ""  # '' : the only one asked for

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        """D19 It becomes the fitting move, or the transfer where no step leads there."""
        wanted = self._wanted(view)
        if len(wanted) != 1:
            return None
        recall = wanted[0]
        if recall.to in view.pack.fronts[recall.origin].adjacent:
            return Said(Move(recall.origin, ((recall.army, recall.to),)))
        return Said(Transfer(recall.origin, recall.to, (recall.army,)))

    def _wanted(self, view: View) -> list[Recall]:
        return [recall for recall in view.recalls if self.army in ("", recall.army)]

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return deciding("GA", own)

    def write(self, pen: Pen) -> str:
        return pen("AGREE", "RECALL", self.army).rstrip()

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """Agreement in advance is in order; with several requests open it must say to which."""
        if faction != "GA":
            return decided_by("GA", "FWW-5.2-2")
        wanted = self._wanted(view)
        if len(wanted) > 1:
            meanings = tuple(AgreeToRecall(recall.army).write(ENGLISH) for recall in wanted)
            return Ambiguous(NOTATION, "which-recall", meanings=meanings)
        return RoundOrder.check(self, view, faction)


@dataclass(frozen=True, slots=True)
class DeployOrder(Order):
    """D3 New counters to fronts; what is not named follows the automatic deployment unless held."""

    topics = ("deploy",)
    deploys = True
    groups: tuple[Group, ...]
    held: Troops = ()

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        found = mustered(self.everybody(), ask.given.new, view.pack)
        if found is None:
            return None
        placed: list[Placement] = [one for one in found if one[1]]
        held = [counter for counter, front in found if not front]
        if any(counter not in ask.given.new for counter, _ in found):
            return Said(Deploy(tuple(placed), tuple(held)))  # the rules say which is not new
        assert isinstance(ask.options, DeployOptions), "a deployment is asked with its own options"
        return Said(ask.options.completed(dict(placed), held))

    def everybody(self) -> tuple[Group, ...]:
        return (*self.groups, Group(self.held)) if self.held else self.groups

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        return owning([word for group in self.everybody() for word in group.troops], pack, own)

    def write(self, pen: Pen) -> str:
        groups = ", ".join([f"{pen(*group.troops)} > {group.to}" for group in self.groups])
        held = pen("KEEP", *self.held) if self.held else ""
        return " ".join(part for part in (pen("DEPLOY"), groups, held) if part)

    def check(self, view: View, faction: Faction) -> Refusal | None:
        """Duties are weighed only in the turn of the deployment itself."""
        question = known.deployment_question(view, faction)
        if (refusal := short_of_dummies(self.everybody(), question.given.new, view.pack)) is not None:
            return refusal
        said = self.attempt(question, view, faction)
        refusal = None if said is None else question.options.why_not(said.value)
        if refusal is not None and not known.is_due(view) and refusal.reason.endswith("-owed"):
            return None
        return refusal

    def never(self, view: View, faction: Faction, turn: int) -> Refusal | None:
        return printed.never_deployed(self.everybody(), view.pack, faction, turn)


def deployed_together(orders: Sequence[DeployOrder]) -> DeployOrder:
    """D3 One deployment said in several orders; a counter goes where the first that names it sends it."""
    named: list[str] = []
    groups: list[Group] = []
    for group in [one for order in orders for one in order.everybody()]:
        troops = tuple(word for word in group.troops if dummies_in(word) or word not in named)
        named += troops
        groups.append(Group(troops, group.to))
    held = tuple(word for group in groups if not group.to for word in group.troops)
    return DeployOrder(tuple(group for group in groups if group.to and group.troops), held)


# ------------------------------------------------------------------ shared


def short_of_dummies(groups: Sequence[Group], pool: Sequence[str], pack: Pack) -> Refusal | None:
    wanted, present = dummies_wanted(groups), dummies_at_hand(pool, groups, pack)
    if wanted <= present:
        return None
    return Illegal("FWW-2.2-3", "too-few-dummies", {"wanted": wanted, "present": present})


def deciding(faction: Faction, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
    return (faction,) if faction in own else own


def decided_by(faction: Faction, rule: str) -> Refusal:
    """Another faction makes that choice."""
    return Illegal(rule, "another-faction-decides", {"faction": faction})
