"""Orders by which pieces leave a battle: cavalry, instead of firing, after combat, forced; and scrambles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from engine.games.to_the_last_man.answers import LOOSE, Goal, Goals, Group
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.fighting import OfBattle
from engine.games.to_the_last_man.notation.forces import (
    Piece,
    Some,
    gathered,
    nations_meant,
    write_pieces,
    write_some,
)
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask

CAVALRY = "C"


def _not_adjacent(area: str, to: str, view: View) -> Refusal:
    """5.4-01 With the areas that a retreat may lead to as things stand."""
    legal = tuple(sight.refuges(view, area))
    return Illegal("TTLM-5.4-01", "not-adjacent", {"area": area, "to": to, "legal": legal})


@dataclass(frozen=True, slots=True)
class Way:
    """Pieces and where they go: FR5, FR4 > MAU; the first destination that is legal, INTO an army there."""

    pieces: tuple[Piece, ...]
    to: tuple[str, ...]
    into: str = LOOSE
    left: tuple[Some, ...] = ()  # LEAVE 2G: dropped from the armies before they go

    @property
    def means_all(self) -> bool:
        return any(piece.everything for piece in self.pieces)

    def goals(self, to: str, area: str, view: View, only: str = "") -> Goals | None:
        """One goal a piece. `only`: ALL means that type, wherever it is. None: who is meant is not clear."""
        found: list[Goal] = []
        for piece in self.pieces:
            if piece.everything and not piece.source:
                found += everything(to, area, view, only)
            elif piece.army:
                found.append(self._army(piece.army, to, view))
            else:
                units = piece.group(view, piece.stands(view) or area, self.into)
                if not units:
                    return None
                found.append(Goal(to, units=units, source=piece.source, into=self.into))
        return tuple(found)

    def _army(self, army: str, to: str, view: View) -> Goal:
        left = gathered(self.left, view.contents.get(army, ()), view, army)
        return Goal(to, army=army, left=left or ())

    def write(self, pen: Pen) -> str:
        parts = [f"{write_pieces(self.pieces, pen)}>{', '.join(self.to)}"]
        if self.into:
            parts += [pen.clause("INTO"), self.into]
        if self.left:
            parts += [pen.clause("LEAVE"), write_some(self.left, pen)]
        return " ".join(parts)


def everything(to: str, area: str, view: View, only: str) -> list[Goal]:
    """All own pieces there that have not retreated: armies, and loose units that can; or one type of all."""
    side, types = view.side, view.pack.types
    loose = _without_marker(view, area)
    if only:
        found = []
        for army in (*sight.armies_in(view, area, side), LOOSE):
            units = loose if army == LOOSE else view.contents.get(army, ())
            fitting = tuple((kind, n) for kind, n in units if sight.type_of(kind) == only)
            if fitting and army not in view.retreated:
                found.append(Goal(to, units=fitting, source=army))
        return found
    goals = [Goal(to, army=army) for army in sight.armies_in(view, area, side) if army not in view.retreated]
    units = tuple((kind, n) for kind, n in loose if types[sight.type_of(kind)].can_retreat)
    return [*goals, Goal(to, units=units)] if units else goals


def _without_marker(view: View, area: str) -> Group:
    gone = dict(view.retreated_loose.get(area, {}).get(view.side, ()))
    left = ((kind, number - gone.get(kind, 0)) for kind, number in sight.loose_in(view, area, view.side))
    return tuple((kind, number) for kind, number in left if number > 0)


def sent_too(ask: Ask, whole: Goals, part: Goals, means_all: bool) -> Goals:
    """The goals of another way or order behind those before. ALL are the pieces that are left: as many of
    them go as may; if none may, all are told, so that the refusal tells why.
    """
    if not means_all:
        return (*whole, *part)
    left, more = _left(whole, part), whole
    for goal in left:
        more = (*more, goal) if ask.options.contains((*more, goal)) else more
    return more if len(more) > len(whole) else (*whole, *left)


def _left(sent: Goals, part: Goals) -> Goals:
    """Of these pieces, those that have not been sent anywhere."""
    armies, found = {goal.army for goal in sent if goal.army}, list[Goal]()
    for goal in part:
        gone = sum((Counter(dict(one.units)) for one in sent if one.source == goal.source), Counter[str]())
        units = tuple((kind, number - gone[kind]) for kind, number in goal.units if number > gone[kind])
        if units or (goal.army and goal.army not in armies):
            found.append(replace(goal, units=units))
    return tuple(found)


class Leaving(OfBattle):
    """An order that sends pieces away by several ways."""

    __slots__ = ()
    verb: ClassVar[str]
    only: ClassVar[str] = ""
    ways: tuple[Way, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        """Each piece takes the first legal destination of its way; if none is, the first is told."""
        if not self.ways:
            return Said(())
        first: list[Goal] = []
        whole: Goals = ()
        for way in self.ways:
            goals = [way.goals(to, ask.given.area, view, self.only) for to in way.to]
            if goals[0] is None:
                return None
            first += goals[0]
            known = [one for one in goals if one is not None]
            best = next((one for one in known if ask.options.contains(one)), known[0])
            whole = sent_too(ask, whole, best, way.means_all)
        if ask.options.contains(whole):
            return Said(whole)
        return Said(tuple(first)) if first else None

    @property
    def means_all(self) -> bool:
        """Of ALL as many go as may; of pieces named, all or none."""
        return any(way.means_all for way in self.ways)

    def unclear(self, view: View) -> tuple[str, ...]:
        pieces = [piece for way in self.ways for piece in way.pieces if not way.into]
        return next((found for piece in pieces if (found := nations_meant(piece, view, piece.area))), ())

    def refusal(self, area: str, view: View) -> Refusal | None:
        """5.4-01 A destination that borders on nothing here will never do."""
        areas = view.pack.areas
        for to in (one for way in self.ways for one in way.to) if area in areas else ():
            if to not in areas[area].adjacent:
                return _not_adjacent(area, to, view)
        return None

    @property
    def always_fits(self) -> bool:
        return not self.ways

    def write(self, pen: Pen) -> str:
        ways = ", ".join([way.write(pen) for way in self.ways])
        return f"{self._verb(pen)} {ways or pen.value('NONE')}"

    def _verb(self, pen: Pen) -> str:
        return pen.verb(self.verb)


@dataclass(frozen=True, slots=True)
class CavalryRetreat(Leaving):
    """D21, D34"""

    topics = ("battle.cavalry",)
    kind = "CAVRETREAT"
    verb = "CAVRETREAT"
    only = CAVALRY
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class RetreatInstead(Leaving):
    """D36"""

    topics = ("battle.instead",)
    kind = "INSTEAD"
    verb = "RETREAT"
    ways: tuple[Way, ...] = ()

    def _verb(self, pen: Pen) -> str:
        instead = "AU LIEU" if pen.language == "fr" else pen.clause("INSTEAD")
        return f"{pen.verb('RETREAT')} {instead}"


@dataclass(frozen=True, slots=True)
class RetreatAfter(Leaving):
    """D23, D40 All to one area."""

    topics = ("battle.retreat",)
    kind = "RETREAT"
    verb = "RETREAT"
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class ScrambleOrder(Leaving):
    """D33 Biplanes of areas nearby; what follows TO is the Battle Area."""

    topics = ("battle.scramble",)
    kind = "SCRAMBLE"
    verb = "SCRAMBLE"
    ways: tuple[Way, ...] = ()

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        if any(ask.given.area not in way.to for way in self.ways):
            return None
        found = []
        for way in self.ways:
            goals = way.goals(ask.given.area, ask.given.area, view)
            if goals is None:
                return None
            origins = [piece.area for piece in way.pieces]
            found += [replace(goal, origin=origin) for goal, origin in zip(goals, origins, strict=True)]
        return Said(tuple(found))

    def refusal(self, area: str, view: View) -> Refusal | None:
        return None


# ------------------------------------------------------------------ forced


@dataclass(frozen=True, slots=True)
class ForcedOrder(OfBattle):
    """D39 The armies that go, in this order, to the first legal destination."""

    topics = ("battle.forced",)
    kind = "FORCED"
    armies: tuple[str, ...] = ()
    to: tuple[str, ...] = ()  # none: where D40 sends them
    order: Literal["", "WEAKEST", "STRONGEST"] = ""

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        """Too few are named: the weakest of the others follow. Too many: the first of them go."""
        area, number = ask.given.area, ask.given.armies
        there = sight.weakest_first(view, sight.armies_in(view, area, view.side))
        left = [army for army in there if army not in view.retreated]
        if self.order == "STRONGEST":
            left.reverse()
        named = [army for army in self.armies if army in left]
        chosen = [*named, *(army for army in left if army not in named)][:number]
        if not self.armies and not self.order:
            chosen = []
        goals = [tuple(Goal(to, army=army) for army in chosen) for to in self._ends(view, area)]
        return Said(next((one for one in goals if ask.options.contains(one)), goals[0]))

    def _ends(self, view: View, area: str) -> tuple[str, ...]:
        """5.4-04 Where no way is open the destination does not matter: they are eliminated."""
        return self.to or (*sight.refuges(view, area), "")

    def refusal(self, area: str, view: View) -> Refusal | None:
        for to in self.to if area in view.pack.areas else ():
            if to not in view.pack.areas[area].adjacent:
                return _not_adjacent(area, to, view)
        return None

    def write(self, pen: Pen) -> str:
        if self.order:
            return f"{pen.verb('FORCED')} {pen.value(self.order)} {pen.clause('FIRST')}"
        to = f" {pen.clause('TO')} {', '.join(self.to)}" if self.to else ""
        return f"{pen.verb('FORCED')} {', '.join(self.armies) or pen.value('NONE')}{to}"


def goals_together(ask: Ask, said: Sequence[tuple[Clause, str, Goals]]) -> Goals | None:
    """Several orders for one battle, from the top: each clause with its rank, and what it says alone.

    A piece of which an order of another rank has spoken before goes where that sends it. None: the last has
    nothing to add; NONE ends the list.
    """
    whole: Goals = ()
    spoken: dict[tuple[str, str, Group], str] = {}  # pieces, with the rank of the order
    for n, (clause, rank, part) in enumerate(said):
        if n and said[n - 1][0].always_fits:
            return None
        new = tuple(goal for goal in part if spoken.get(_piece(goal), rank) == rank and goal not in whole)
        if part and not new:
            return None
        whole = sent_too(ask, whole, new, isinstance(clause, Leaving) and clause.means_all)
        spoken |= {_piece(goal): rank for goal in part}
    return whole


def _piece(goal: Goal) -> tuple[str, str, Group]:
    return goal.army, goal.source, goal.units
