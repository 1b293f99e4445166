"""What is foregone for a sheet's lines, whatever enemies and dice bring until their questions come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.coming import Course, Round, attacked_by, ever
from engine.games.first_world_war.notation import known
from engine.games.first_world_war.notation.conditions import Condition, Term
from engine.games.first_world_war.notation.known import EARLY
from engine.games.first_world_war.notation.lines import Branch, OrderLine, alternatives
from engine.games.first_world_war.notation.moments import LeadReply, Moment, Reveal, TakeReply, TileReply
from engine.games.first_world_war.notation.orders import (
    AttackOrder,
    DeployOrder,
    MoveOrder,
    Order,
    PassOrder,
    RoundOrder,
    TransferOrder,
)
from engine.games.first_world_war.notation.policies import Occupy
from engine.games.first_world_war.notation.troops import dummies_in
from engine.games.first_world_war.order_of_play import ROUNDS
from engine.games.first_world_war.printed import followers, obedience
from engine.games.first_world_war.rules.lines import available_locations
from engine.games.first_world_war.view import View
from engine.kernel import suppositions
from engine.kernel.errors import Illegal, Refusal
from engine.notation.words import COMPARE

Fate: TypeAlias = Literal["safe", "nothing", "open"] | Refusal
REPLIES = (TileReply, LeadReply, TakeReply)
WHOEVER = ("ALL", "REAL")


class Outlook(suppositions.Outlook):
    """4.2.2 Rounds follow one another in a known order; combats are fought in them and nowhere else."""

    view: View

    def __init__(self, view: View, sheet: Sequence[Any], standing: Sequence[Any], window: str) -> None:
        super().__init__(view, sheet, standing, window)
        self.course = Course(view, sheet)
        self.kind = window.rpartition(".")[2][0]  # O, D, R or C, V
        self._fates: dict[int, Fate] = {}
        self._alone: dict[tuple[Round, Order], Fate] = {}
        self._chains: dict[Round, list[OrderLine]] = {}
        for line in self.course.lines:
            self._chains.setdefault(_round_of(line), []).append(line)

    def is_safe(self, line: Any) -> bool:
        return self._fate(line) == "safe"

    def is_idle(self, line: Any) -> bool:
        return self._fate(line) == "nothing"

    def why_lost(self, line: Any) -> Refusal | None:
        fate = self._fate(line)
        return replace(fate, line=line.number) if isinstance(fate, Refusal) else None

    def is_spare(self, line: Any) -> bool:
        """Of the lines for one round it is enough that one is surely done."""
        if not isinstance(line, OrderLine) or not line.order.in_rounds:
            return False
        return any(self._of_the_first(one) == "safe" for one in self._chains[_round_of(line)])

    def _fate(self, line: Any) -> Fate:
        if not isinstance(line, OrderLine):
            return "open"
        if id(line) not in self._fates:
            self._fates[id(line)] = self._found(line)
        return self._fates[id(line)]

    def _found(self, line: OrderLine) -> Fate:
        if line.order.in_rounds:
            return self._of_a_round(line)
        return self._of_a_deployment(line) if line.order.deploys else self._of_another(line)

    # ------------------------------------------------------------ deployments

    def _of_a_deployment(self, line: OrderLine) -> Fate:
        """4.2.1-3 Whoever is on the board is not new, unless it is lost there in the rounds before."""
        order, refusal = self._decided(line.order, line.turn, 0), line.check(self.view)
        if order is None:
            return "nothing"
        if (
            not isinstance(order, DeployOrder)
            or line.beside
            or refusal is None
            or refusal.reason != "not-new"
        ):
            return "open"
        named = {word for group in order.everybody() for word in group.troops}
        place = {c: front for front, there in self.view.known.items() for c in there if c in named}
        armies = [counter for counter in place if counter in self.view.pack.armies]
        losses = self.course.all_losses(Round(line.faction, line.turn, 1))
        if self.view.phase in EARLY:
            losses = 0
        is_lost = known.is_due(self.view) or len(armies) > losses or len(set(place.values())) > losses
        return refusal if is_lost else "open"

    # ------------------------------------------------------------ actions

    def _of_a_round(self, line: OrderLine) -> Fate:
        """Of the lines for one round the first that is legal is done."""
        if line.is_over(self.view):
            return "open"
        is_open = is_done = False
        for one in self._chains[_round_of(line)]:
            fate = self._of_the_first(one)
            above, is_open = is_open, is_open or fate == "open"
            self._fates[id(one)] = "nothing" if is_done else "open" if above and fate == "safe" else fate
            is_done = is_done or fate == "safe"
        return self._fates[id(line)]

    def _of_the_first(self, line: OrderLine) -> Fate:
        """If no line above it is done."""
        key = _round_of(line), line.order
        if key not in self._alone:
            self._alone[key] = self._by_itself(line, key[0])
        return self._alone[key]

    def _by_itself(self, line: OrderLine, round_: Round) -> Fate:
        if (refusal := line.never(self.view)) is not None:
            return refusal
        order = self._decided(line.order, round_.turn, round_.cycle)
        if order is None:
            return "nothing"
        match order:
            case PassOrder():
                return "safe" if self._surely_asked(round_) else "open"
            case AttackOrder():
                return self._of_an_attack(line, order, round_)
            case MoveOrder():
                names = tuple(word for group in order.groups for word in group.troops)
                return self._of_a_journey(line, order, order.origin, names, round_)
            case TransferOrder():
                return self._of_a_journey(line, order, order.origin, order.armies, round_)
        return "open"

    def _surely_asked(self, round_: Round) -> bool:
        """4.2.2-4 Who commands nothing passes, too, if nobody asks; that much is certain of this turn."""
        if round_.faction not in self.view.round_order:
            return False
        return round_.turn == self.view.turn or self.course.reals(round_) > self.course.all_losses(round_)

    def _of_an_attack(self, line: OrderLine, order: AttackOrder, round_: Round) -> Fate:
        course, front = self.course, order.front
        named = [word for word in order.armies if word not in WHOEVER]
        if self.view.treaty and front in self.view.pack.treaty.frozen_fronts:
            return line.check(self.view) or "open"
        losses, sure = course.losses(round_, front), course.surely_able(round_, front)
        is_there = losses == 0 if named else len(sure) > losses
        if is_there and set(named) <= set(sure) and not course.leaves(round_, front):
            return "safe"
        absent = any(self._is_absent(one, front, round_) for one in named)
        if named:
            return (self._refused(line, order) or "open") if absent else "open"
        if course.perhaps_able(round_, front) or course.may_come(round_, front):
            return "open"
        return self._refused(line, order) or "open"

    def _of_a_journey(
        self, line: OrderLine, order: RoundOrder, origin: int, words: Sequence[str], round_: Round
    ) -> Fate:
        """5-1, 5-5 A move or a transfer."""
        named = [word for word in words if word not in WHOEVER and not dummies_in(word)]
        if any(self._is_absent(one, origin, round_) for one in named):
            return self._refused(line, order) or "open"
        is_whole = len(named) == len(words)
        if not is_whole and not self._is_unchanged(origin, round_):
            return "open"
        if not is_whole and not self.course.reals_on(round_, origin) and order.check(self.view, line.faction):
            return self._refused(line, order) or "open"
        return "open"

    def _is_absent(self, counter: str, front: int, round_: Round) -> bool:
        """It is not there, and cannot come."""
        is_there = counter in self.view.known.get(front, ())
        return not is_there and not self.course.may_come(round_, front, counter)

    def _is_unchanged(self, front: int, round_: Round) -> bool:
        course = self.course
        if course.leaves(round_, front) or course.losses(round_, front):
            return False
        return not course.may_come(round_, front)

    def _refused(self, line: OrderLine, order: Order) -> Refusal | None:
        """As things stand, and as they will."""
        found = order.check(self.view, line.faction)
        if found is not None and found.reason in ("not-there", "no-army-named", "not-commanded", "no-mover"):
            return line.check(self.view) or found
        return None

    # ------------------------------------------------------------ replies in a combat, and at any time

    def _of_another(self, line: OrderLine) -> Fate:
        """Combats are fought in rounds; what is volunteered is done before the next action."""
        cycle = (self.view.round + 3) // 4 if self.kind == "C" else 0
        order = self._decided(line.order, self.view.turn, cycle)
        if order is None:
            return "nothing"
        if isinstance(order, REPLIES):
            return self._of_a_reply(line.faction, order)
        if isinstance(order, Occupy):
            return "open" if self._may_choose(line.faction, order.front) else "nothing"
        if isinstance(order, Moment) and line.order.at_once:
            return self._of_a_moment(line, order)
        return "open"

    def _may_choose(self, faction: Faction, front: int) -> bool:
        """4.2.3-4 At the turn's end, on a front with more than one town to take; before that who knows."""
        view, alliance = self.view, self.view.pack.alliance_of[faction]
        return view.phase != "victory" or len(available_locations(view, alliance, front)) > 1

    def _of_a_reply(self, faction: Faction, order: Order) -> Fate:
        """A clause of an attack answers before any reply."""
        if self.kind not in ("R", "C"):
            return "nothing"
        if isinstance(order, LeadReply) and not self._may_lead(faction, order):
            return Illegal("FWW-6.1-3", "not-taking-part")
        combats = self._combats(faction)
        if isinstance(order, TakeReply):  # 6.4-1 only who attacks takes ground, and there
            own = [one for one in combats if one is not None]
            return "open" if any(self._may_take(order, one) for one in own) else "nothing"
        asked = [place for place, one in enumerate(combats) if one is None or self._leaves_open(order, one)]
        if isinstance(order, TileReply) and not self._hand(faction):
            asked = [place for place in asked if place]  # 6.2-5 a tile is drawn after the first of them
        return "open" if asked else "nothing"

    def _may_take(self, order: TakeReply, attacks: Sequence[AttackOrder]) -> bool:
        named = order.take.locations
        fronts = {self.view.pack.front_of[one] for one in named if one != "NONE"}
        return any(one.take is None and ("NONE" in named or one.front in fronts) for one in attacks)

    def _may_lead(self, faction: Faction, order: LeadReply) -> bool:
        """2.1-2, 2.1-7 May any of those named ever stand where the faction fights, or be its to command?"""
        pack, wishes = self.view.pack, order.lead
        if wishes.condition is not None or any(one not in pack.armies for one in wishes.leaders):
            return True
        side, obeying, reach = pack.alliance_of[faction], followers(pack)[faction], ever(pack)
        own = {front for front, sides in pack.fighter.items() if sides[side] == faction}
        return any(
            pack.alliance_of[pack.faction_of[one]] == side
            and any(front in own or one in obeying[front] for front in reach[one])
            for one in wishes.leaders
        )

    @staticmethod
    def _leaves_open(order: Order, attacks: Sequence[AttackOrder]) -> bool:
        is_tile = isinstance(order, TileReply)
        return any((one.tile if is_tile else one.lead) is None for one in attacks)

    def _hand(self, faction: str) -> Sequence[str]:
        shared = self.view.options["hand_scope"] != "faction"
        return [t for one, hand in self.view.hands.items() if shared or one == faction for t in hand]

    def _combats(self, faction: Faction) -> list[list[AttackOrder] | None]:
        """Combats in what is left of the window's rounds: own attacks; None: one of an enemy."""
        view, factions = self.view, len(self.view.pack.factions)
        first = max(view.round, 1)
        last = ROUNDS if self.kind == "R" else -(-first // factions) * factions
        alliance, found = view.pack.alliance_of, list[list[AttackOrder] | None]()
        for number in range(first, last + 1):
            acting = view.round_order[(number - 1) % factions]
            if acting == faction:
                round_ = Round(faction, view.turn, -(-number // factions))
                lines = [one for one in self._attacks() if _round_of(one) == round_]
                orders = [one for line in lines for one in alternatives(line.order)]
                if attacks := [one for one in orders if isinstance(one, AttackOrder)]:
                    found.append(attacks)
            elif alliance[acting] != alliance[faction] and self._may_be_attacked(faction, acting):
                found.append(None)
        return found

    def _attacks(self) -> list[OrderLine]:
        """Lines by which something may be attacked."""
        found = [one for one in self.course.lines if self._fate(one) in ("safe", "open")]
        return [one for one in found if any(isinstance(o, AttackOrder) for o in alternatives(one.order))]

    def _may_be_attacked(self, faction: Faction, enemy: Faction) -> bool:
        """2.1-7 Where the faction fights; in one cycle only by an enemy who is there, or is brought there."""
        view, pack = self.view, self.view.pack
        alliance, under = pack.alliance_of, obedience(pack)
        for front in attacked_by(pack, enemy, view.turn):
            if pack.fighter[front][alliance[faction]] == faction:
                colours = view.counts.get(front, {})
                is_there = any(alliance[one] == alliance[enemy] for one in colours)
                is_there = is_there or enemy == under.commander
                if self.kind == "R" or (is_there and self._may_defend(faction, front)):
                    return True
        return False

    def _may_defend(self, faction: Faction, front: int) -> bool:
        """6-7 Only real armies fight: there now, or sent there in this cycle."""
        view, pack = self.view, self.view.pack
        allied = [one for one in pack.factions if pack.alliance_of[one] == pack.alliance_of[faction]]
        seen = [c for c in view.known.get(front, ()) if pack.faction_of[c] in allied]
        if any(c in pack.armies for c in seen) or len(seen) < sum(
            view.counts.get(front, {}).get(one, 0) for one in allied
        ):
            return True
        if faction == obedience(pack).commander and pack.partner_of[faction] not in view.factions:
            return True
        return any(not isinstance(one.order, PassOrder) for one in self.course.lines)

    def _of_a_moment(self, line: OrderLine, order: Moment) -> Fate:
        """4.2.1-12 Before the action of the open round, or before the first round if none is open."""
        view = self.view
        if self.kind in ("O", "V"):
            return "nothing"
        above = list(self.sheet)[: [one is line for one in self.sheet].index(True)]
        if line in above:
            return "nothing"  # each thing is done once
        question = known.any_time_question(view, line.faction)
        if order.attempt(question, view, line.faction) is not None:
            return "safe" if order.check(view, line.faction) is None else "open"
        if not isinstance(order, Reveal) or self.kind == "D":
            return "open"
        return "open" if self._may_change(line.faction, order.front) else "nothing"

    def _may_change(self, faction: Faction, front: int | None) -> bool:
        """Could the action of the open round bring counters that can be shown?"""
        view = self.view
        own = self._of_colour(faction, view.known if front is None else (front,))
        if any(c in view.face_up for c in own):
            return True
        if front is None or not any(
            front in ever(view.pack)[c] for c in self._of_colour(faction, view.known)
        ):
            return False
        acting = view.round_order[(view.round - 1) % len(view.round_order)]
        if view.pack.alliance_of[acting] != view.pack.alliance_of[faction]:
            return False
        if acting not in view.factions:
            return True
        cycle = (view.round + 3) // 4
        return any(one.faction == acting and one.cycle == cycle for one in self.course.lines)

    def _of_colour(self, faction: str, fronts: Iterable[int]) -> list[str]:
        owner = self.view.pack.faction_of
        return [c for front in fronts for c in self.view.known.get(front, ()) if owner[c] == faction]

    # ------------------------------------------------------------ conditions

    def _decided(self, order: Order, turn: int, cycle: int) -> Order | None:
        """The order that its conditions leave; itself, where a condition is open; None: nothing at all."""
        while isinstance(order, Branch):
            holds = self._holds(order.condition, turn, cycle)
            if holds is None:
                return order
            following = order.then if holds else order.otherwise
            if following is None:
                return None
            order = following
        return order

    @staticmethod
    def _holds(condition: Condition, turn: int, cycle: int) -> bool | None:
        """None: that is open. `cycle` 0: in any of them."""
        found = [_term_holds(term, turn, cycle) for term in condition]
        if False in found:
            return False
        return None if None in found else True


def _term_holds(term: Term, turn: int, cycle: int) -> bool | None:
    if term.kind == "TURN":
        return COMPARE[term.operator](turn, term.number) is not term.negated
    if term.kind == "CYCLE" and cycle:
        return COMPARE[term.operator](cycle, term.number) is not term.negated
    return None


def _round_of(line: OrderLine) -> Round:
    return Round(line.faction, line.turn, line.cycle)
