"""Lines of a sheet: who orders, for when, on what condition; and two that are errands for the service."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TypeAlias, TypeGuard

from engine.games.first_world_war.answers import AnyTime, Faction
from engine.games.first_world_war.notation import known
from engine.games.first_world_war.notation.conditions import Condition, holds, write_condition
from engine.games.first_world_war.notation.lexicon import Lexicon, Pen
from engine.games.first_world_war.notation.orders import PERMANENT, DeployOrder, Order, deployed_together
from engine.games.first_world_war.notation.policies import Defend, Grant, Replace, replaced
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Language, Line, Said, Tempo, Window
from engine.kernel.requests import Ask
from engine.notation.reasons import NOTATION

TURN: Mapping[str, tuple[str, ...]] = {  # what each exchange of letters is for (`windows`)
    "O": ("order.slots",),
    "D": ("deploy",),
    "R": ("round.action",),
    "C": ("round.action",),
    "V": ("victory.occupy", "treaty.offer", "treaty.answer", "replace.ask", "replace"),
}
BEFORE_REPLACING = {"victory.occupy"}  # of the turn's end: asked before phase 4
_AT = re.compile(r"T(\d+)\.R(\d+)")


@dataclass(frozen=True, slots=True)
class Branch(Order):
    """IF condition THEN order ELSE order. Without ELSE nothing is said when the condition fails."""

    condition: Condition
    then: Order
    otherwise: Order | None = None

    @property
    def topics(self) -> tuple[str, ...]:  # type: ignore[override]  # those of its branches
        return self.then.topics

    @property
    def in_rounds(self) -> bool:  # type: ignore[override]
        return self.then.in_rounds

    @property
    def deploys(self) -> bool:  # type: ignore[override]
        return self.then.deploys

    @property
    def at_once(self) -> bool:  # type: ignore[override]
        return self.then.at_once

    def applying(self, view: View, faction: Faction) -> Order | None:
        return self.then if holds(self.condition, view, faction) else self.otherwise

    def attempt(self, ask: Ask, view: View, faction: Faction) -> Said | None:
        order = self.applying(view, faction)
        return order.attempt(ask, view, faction) if order is not None and ask.topic in order.topics else None

    def slot(self) -> str:
        return self.then.slot()

    def meant_for(self, pack: Pack, own: tuple[Faction, ...]) -> tuple[Faction, ...]:
        factions = self.then.meant_for(pack, own)
        if len(factions) > 1 and self.otherwise is not None:
            return self.otherwise.meant_for(pack, own)
        return factions

    def write(self, pen: Pen) -> str:
        """A standing order ends in its IF; an order of a turn begins with it."""
        if self.otherwise is not None or not self.slot() or isinstance(self.then, Branch):
            return self.write_inside(pen)
        joint = "AND" if isinstance(self.then, Grant) and self.then.spare else "IF"
        return f"{self.then.write(pen)} {pen(joint)} {write_condition(self.condition, pen)}"

    def write_inside(self, pen: Pen) -> str:
        condition, then = write_condition(self.condition, pen), self.then.write_inside(pen)
        otherwise = "" if self.otherwise is None else f" {pen('ELSE')} {self.otherwise.write_inside(pen)}"
        return f"{pen('IF')} {condition} {pen('THEN')} {then}{otherwise}"

    def check(self, view: View, faction: Faction) -> Refusal | None:
        applying = self.applying(view, faction)
        for order in (self.then, self.otherwise):
            refusal = None if order is None else order.check(view, faction)
            if refusal is not None and (order is applying or refusal.reason in PERMANENT):
                return refusal
        return None


@dataclass(frozen=True, slots=True)
class OrderLine(Line):
    """An order of one faction. Round orders are bound to a turn and one of its four rounds of it."""

    order: Order
    faction: Faction
    named: bool  # the seat runs two factions: the line begins with this one
    turn: int = 0  # for round orders, deployments and what is done at once
    cycle: int = 0  # for round orders
    since: int = 0  # for what is done at once: the round in which it was written
    number: int = field(default=0, compare=False)
    lexicon: Lexicon | None = field(default=None, compare=False, repr=False)
    beside: tuple[Order, ...] = field(default=(), compare=False, repr=False)  # a letter's deployments, all

    def attempt(self, ask: Ask, view: View) -> Said | None:
        order = self._with_those_beside(view)
        return order.attempt(ask, view, self.faction) if self._is_about(ask, view) else None

    def _is_about(self, ask: Ask, view: View) -> bool:
        """On whatever condition: is it for this question of this faction, in this round?"""
        if ask.topic not in self.order.topics or ask.given.faction != self.faction:
            return False
        if self.order.in_rounds and (ask.given.cycle != self.cycle or view.turn != self.turn):
            return False
        return not self.order.at_once or self._is_next_opportunity(view)

    def _with_those_beside(self, view: View) -> Order:
        """D3 All the deployments of a letter are one; a condition that fails leaves a line out of it."""
        if not self.beside or applying(self.order, view, self.faction) is None:
            return self.order
        return _deployment(self.beside, view, self.faction)

    def is_weighed(self, ask: Ask, view: View) -> bool:
        return isinstance(self.order, Branch) and self._is_about(ask, view)

    def _is_next_opportunity(self, view: View) -> bool:
        """Before the action of the round it was written in, or before the next one's if that was over.

        In between there may be a draw.
        """
        rounds = len(view.round_order) * view.pack.cycles
        return (view.turn - self.turn) * rounds + view.round - self.since <= 1

    @property
    def decides(self) -> str:
        question = "" if self.lexicon is None else self.order.decides(self.lexicon.pack)
        return f"{self.faction} {question}" if question else ""

    def asks(self, ask: Ask) -> bool:
        if ask.given.faction != self.faction or not self.order.asks(ask):
            return False
        return not self.order.in_rounds or self._is_in_my_round(ask.at)

    def _is_in_my_round(self, at: str) -> bool:
        place = _AT.match(at)
        return place is not None and self.turn == int(place[1]) and self.cycle == (int(place[2]) + 3) // 4

    def slot(self) -> str:
        slot = self.order.slot()
        return f"{self.faction} {slot}" if slot else ""

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        """D3, D4 A deployment, or an action in a round; at the turn's end what is chosen there.

        Policies, tiles given back, reveals and recalls are said beside it; so is an action of a later cycle.
        """
        part = window.key.rpartition(".")[2]
        if part[1:] and self.cycle != int(part[1:]):
            return False
        wanted = set(TURN[part[0]]) - (BEFORE_REPLACING if view.phase == "replace" else set())
        return not wanted.isdisjoint(self.order.topics)

    def write(self, language: Language = "en") -> str:
        prefix = f"{self.faction} " if self.named else ""
        cycle = f"C{self.cycle}: " if self.cycle else ""
        return prefix + cycle + self.order.write(Pen(language, self.lexicon))

    def is_ahead(self, view: View) -> bool:
        """D3, D4 A deployment or a round stays ordered until it has come, whatever is asked before it."""
        return (self.order.in_rounds or self.order.deploys) and not self.is_over(view)

    def is_over(self, view: View) -> bool:
        if self.order.in_rounds:
            return (self.turn, self.cycle) < known.next_round(view, self.faction)
        if self.order.deploys:
            return self.turn < known.next_deployment(view)
        return self.order.at_once and not self._is_next_opportunity(view)

    def check(self, view: View) -> Refusal | None:
        if self.order.in_rounds and self.is_over(view):
            return self._numbered(Illegal("FWW-4.2.2-1", "round-is-over", {"cycle": self.cycle}))
        return self._numbered(self._with_those_beside(view).check(view, self.faction))

    def never(self, view: View) -> Refusal | None:
        """Whichever of its conditions may hold then."""
        found = (order.never(view, self.faction, self.turn) for order in alternatives(self.order))
        return self._numbered(next((one for one in found if one is not None), None))

    def _numbered(self, refusal: Refusal | None) -> Refusal | None:
        return None if refusal is None else replace(refusal, line=self.number)


@dataclass(frozen=True, slots=True)
class CancelLine(Line):
    """For the service: withdraws lines of the last receipt by their numbers, or all of them."""

    lines: tuple[int, ...] = ()
    everything: bool = False
    number: int = field(default=0, compare=False)

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        return False

    def write(self, language: Language = "en") -> str:
        return Pen(language)("CANCEL", *(("ALL",) if self.everything else self.lines))


Switch: TypeAlias = bool | int | str


@dataclass(frozen=True, slots=True)
class OptionsLine(Line):
    """D1 Optional rules and ruling switches by the pack's names, to be agreed before turn 1."""

    switches: tuple[tuple[str, Switch], ...]  # in the order written
    number: int = field(default=0, compare=False)

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        return False

    def write(self, language: Language = "en") -> str:
        pen = Pen(language)
        return pen(
            "OPTIONS", *(f"{self._name(name, pen)}={_written(value, pen)}" for name, value in self.switches)
        )

    @staticmethod
    def _name(name: str, pen: Pen) -> str:
        return pen(name).upper()

    def check(self, view: View) -> Refusal | None:
        if view.turn > 1 or view.phase not in ("order", "deploy"):
            return Illegal(NOTATION, "options-are-fixed", line=self.number)
        return None


def _written(value: Switch, pen: Pen) -> str:
    if isinstance(value, bool):
        return pen("ON" if value else "OFF")
    return str(value).upper()


# ------------------------------------------------------------------ several lines of one letter


def alternatives(order: Order) -> Iterator[Order]:
    """The orders between which its conditions choose."""
    if not isinstance(order, Branch):
        yield order
        return
    yield from alternatives(order.then)
    if order.otherwise is not None:
        yield from alternatives(order.otherwise)


def depth(order: Order | None) -> int:
    """How many IFs stand inside one another."""
    return 1 + max(depth(order.then), depth(order.otherwise)) if isinstance(order, Branch) else 0


def said_after(old: Order | None, new: Order) -> Order:
    """D6, D9 Two DEFEND lines for one front: the later replaces the earlier in what it says again.

    Said once more below the same line it stays as it is.
    """
    if old is None:
        return new
    if isinstance(new, Branch):
        known, unknown = (_supposing(old, new.condition, holding) for holding in (True, False))
        otherwise = unknown if new.otherwise is None else said_after(unknown, new.otherwise)
        return _either(new.condition, said_after(known, new.then), otherwise)
    if isinstance(old, Branch):
        otherwise = new if old.otherwise is None else said_after(old.otherwise, new)
        return _either(old.condition, said_after(old.then, new), otherwise)
    assert isinstance(old, Defend) and isinstance(new, Defend), "only defences are said in parts"
    return new.over(old)


def _either(condition: Condition, then: Order, otherwise: Order | None) -> Order:
    return then if then == otherwise else Branch(condition, then, otherwise)


def _supposing(order: Order | None, condition: Condition, holding: bool) -> Order | None:
    """What is left of the order where it is known whether that condition holds."""
    if not isinstance(order, Branch):
        return order
    if order.condition == condition:
        return _supposing(order.then if holding else order.otherwise, condition, holding)
    then, otherwise = (_supposing(one, condition, holding) for one in (order.then, order.otherwise))
    return replace(order, then=order.then if then is None else then, otherwise=otherwise)


def deploying_together(lines: Sequence[Line]) -> list[Line]:
    """D3 Each faction's DEPLOY lines, where there are several, told of one another."""
    own: dict[Faction, tuple[Order, ...]] = {}
    for line in filter(_deploys, lines):
        own[line.faction] = (*own.get(line.faction, ()), line.order)
    return [
        replace(line, beside=own[line.faction]) if _deploys(line) and len(own[line.faction]) > 1 else line
        for line in lines
    ]


def _deploys(line: Line) -> TypeGuard[OrderLine]:
    return isinstance(line, OrderLine) and line.order.topics == DeployOrder.topics


# ------------------------------------------------------------------ several lines, one answer


def applying(order: Order | None, view: View, faction: Faction) -> Order | None:
    """The order that is left when all conditions are read."""
    while isinstance(order, Branch):
        order = order.applying(view, faction)
    return order


def joined(ask: Ask, lines: Sequence[object], view: View) -> Said | None:
    """What these lines say together where each gives a part; None: the first of them decides alone."""
    own = [line for line in lines if isinstance(line, OrderLine)]
    if ask.topic == "any_time":
        return _joined_moments(ask, own, view)
    if ask.topic == "replace":
        return _joined_replacements(ask, own, view)
    if ask.topic == "deploy":
        return _joined_deployments(ask, own, view)
    return _joined_defence(ask, own, view) if ask.topic == "combat.defence_tile" else None


def _joined_deployments(ask: Ask, lines: Sequence[OrderLine], view: View) -> Said | None:
    """D3 A letter's lines know one another; others may have come singly."""
    orders = lines[0].beside or [line.order for line in lines]
    return _deployment(orders, view, ask.given.faction).attempt(ask, view, ask.given.faction)


def _deployment(orders: Sequence[Order], view: View, faction: Faction) -> DeployOrder:
    """D3 Those whose conditions hold, as one."""
    parts = [applying(order, view, faction) for order in orders]
    return deployed_together([part for part in parts if isinstance(part, DeployOrder)])


def _joined_defence(ask: Ask, lines: Sequence[OrderLine], view: View) -> Said | None:
    """6.2-2, D6, D9 The tile of one line under the leader of another; of each the particular word counts."""
    orders = [applying(line.order, view, line.faction) for line in lines]
    defences = [order for order in orders if isinstance(order, Defend)]
    if len(defences) < len(orders):
        return None  # a reply to the question itself goes first
    return reduce(Defend.over, defences).attempt(ask, view, ask.given.faction)


def _joined_moments(ask: Ask, lines: Sequence[OrderLine], view: View) -> Said | None:
    """Everything that is volunteered, each thing once."""
    parts = [said.value for line in lines if (said := line.answer(ask, view)) is not None]
    whole = AnyTime(
        tuple(sorted({tile for part in parts for tile in part.returned})),
        tuple(sorted({counter for part in parts for counter in part.revealed})),
        tuple(dict.fromkeys(recall for part in parts for recall in part.recalls)),
        tuple(sorted({army for part in parts for army in part.refused})),
    )
    return Said(whole)


def _joined_replacements(ask: Ask, lines: Sequence[OrderLine], view: View) -> Said | None:
    """7.2-2 The list, and army by army what is granted; a word on one army outweighs a word on all."""
    orders = [applying(line.order, view, line.faction) for line in lines]
    wanted = next((order.armies for order in orders if isinstance(order, Replace)), ())
    verdicts: dict[str, str] = {}
    for order in sorted(
        (one for one in orders if isinstance(one, Grant)), key=lambda one: one.armies != ("ALL",)
    ):
        verdicts |= order.verdicts(ask.given.asked)
    return Said(replaced(ask.given, view.pack, wanted, verdicts))
