"""What a faction will surely have on a front when its round comes, and what it will surely lack.

Armies are lost one in a combat (6.1-8 to 6.1-11), with one combat in a round; only who commands a counter
moves it. So a count of the rounds until then, the writer's own lines and its view say what is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.notation.known import EARLY, as_known, deployment_question, is_due
from engine.games.first_world_war.notation.lines import OrderLine, alternatives
from engine.games.first_world_war.notation.orders import (
    AgreeToRecall,
    AttackOrder,
    MoveOrder,
    Order,
    TransferOrder,
)
from engine.games.first_world_war.notation.troops import dummies_in
from engine.games.first_world_war.order_of_play import ROUNDS
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.printed import Reach, followers, obedience, reach
from engine.games.first_world_war.rules.command import commanded
from engine.games.first_world_war.rules.permissions import attack_ban
from engine.games.first_world_war.state import State
from engine.games.first_world_war.view import View


@dataclass(frozen=True, slots=True)
class Round:
    """A faction's round, by its turn and which of the four it is."""

    faction: Faction
    turn: int
    cycle: int


class Course:
    """From now on, as the writer of a sheet can foretell it."""

    def __init__(self, view: View, sheet: Sequence[object]) -> None:
        self.view, self.pack = view, view.pack
        self.lines = [one for one in sheet if isinstance(one, OrderLine) and one.order.in_rounds]
        self._boards: dict[int, State] = {}
        self._own: dict[Round, tuple[Order, ...]] = {}
        self._acting: dict[Round, list[Faction]] = {}
        self._there: dict[tuple[Round, int], list[str]] = {}

    def board(self, turn: int) -> State:
        """As the writer knows it, in the turn of the round."""
        if turn not in self._boards:
            self._boards[turn] = as_known(self.view)
            self._boards[turn].turn = turn
        return self._boards[turn]

    # ------------------------------------------------------------ who acts before

    def acting_before(self, round_: Round) -> list[Faction]:
        """4.2.2-1 The factions whose rounds come before that one, in order; with 9.2 the worst of orders."""
        if round_ not in self._acting:
            self._acting[round_] = self._rounds_before(round_)
        return self._acting[round_]

    def _rounds_before(self, round_: Round) -> list[Faction]:
        view, order = self.view, self.view.round_order
        factions = len(self.pack.factions)
        if round_.faction not in order or (view.options["random_order"] and round_.turn > view.turn):
            played, last = list(self.pack.factions) * self.pack.cycles, round_.cycle * factions
            return played if round_.turn == view.turn else played + played[:last]
        number = (round_.cycle - 1) * factions + order.index(round_.faction) + 1
        rounds = list(range(max(view.round, 1), ROUNDS + 1)) if view.phase not in EARLY else []
        numbers = list(range(max(view.round, 1), number))
        if round_.turn > view.turn:
            numbers = [*rounds, *range(1, number)]
        return [order[(one - 1) % factions] for one in numbers]

    def losses(self, round_: Round, front: int) -> int:
        """The most of the faction's armies that combats may cost it on the front before its round."""
        acting = self.acting_before(round_)
        enemies = [one for one in acting if self._may_attack(one, front, round_)]
        most = len(enemies)
        alliance = self.pack.alliance_of
        there = self.view.counts.get(front, {})
        if not self.deploys_before(round_) and all(
            alliance[colour] == alliance[round_.faction] for colour in there
        ):
            most = max(0, most - 1)  # somebody has to go there first
        return most + sum(isinstance(one, AttackOrder) and one.front == front for one in self.own(round_))

    def all_losses(self, round_: Round) -> int:
        """The same on all fronts."""
        alliance = self.pack.alliance_of
        enemies = [one for one in self.acting_before(round_) if alliance[one] != alliance[round_.faction]]
        return len(enemies) + sum(isinstance(one, AttackOrder) for one in self.own(round_))

    def _may_attack(self, enemy: Faction, front: int, round_: Round) -> bool:
        alliance = self.pack.alliance_of
        if alliance[enemy] == alliance[round_.faction]:
            return False
        return front in attacked_by(self.pack, enemy, round_.turn)

    def own(self, round_: Round) -> tuple[Order, ...]:
        """What the writer's own lines may do before that round, on whatever condition; one of a round."""
        if round_ not in self._own:
            found: dict[tuple[Round, Order], Order] = {}
            for line in self.lines:
                if (line.turn, line.cycle) < (round_.turn, round_.cycle) or line.faction != round_.faction:
                    its = Round(line.faction, line.turn, line.cycle)
                    found |= {(its, order): order for order in alternatives(line.order)}
            self._own[round_] = tuple(found.values())
        return self._own[round_]

    def leaves(self, round_: Round, front: int) -> bool:
        """May own counters have left the front by then?"""
        for one in self.own(round_):
            if isinstance(one, AgreeToRecall):
                return True
            if isinstance(one, MoveOrder | TransferOrder) and one.origin == front:
                return True
        return False

    def deploys_before(self, round_: Round) -> bool:
        return round_.turn > self.view.turn or is_due(self.view)

    # ------------------------------------------------------------ what will be there

    def reals_on(self, round_: Round, front: int) -> list[str]:
        """Real armies that the faction commands there now."""
        if (round_, front) not in self._there:
            there = commanded(self.board(round_.turn), round_.faction, front)
            self._there[round_, front] = [one for one in there if one in self.pack.armies]
        return self._there[round_, front]

    def reals(self, round_: Round) -> int:
        """How many on all fronts."""
        return sum(len(self.reals_on(round_, front)) for front in self.pack.fronts)

    def surely_able(self, round_: Round, front: int) -> list[str]:
        """6-2 Those that may attack there then, whatever towns fall and whether or not there is a treaty."""
        state, secure = self.board(round_.turn), self._reach(round_.turn, lost=True)
        return [
            one
            for one in self.reals_on(round_, front)
            if attack_ban(state, one, front) is None
            and front in secure[one]
            and not self._may_make_peace(round_, one, front)
        ]

    def perhaps_able(self, round_: Round, front: int) -> list[str]:
        """Those that may attack there if all goes well."""
        by_then = self._reach(round_.turn, lost=False)
        return [one for one in self.reals_on(round_, front) if front in by_then[one]]

    def _reach(self, turn: int, *, lost: bool) -> Reach:
        """5.3, 5.4 `lost`: towns on which a restriction depends are in enemy hands."""
        bars = [
            turn < one.from_turn or (lost and one.requires_control is not None)
            for one in self.pack.restrictions
        ]
        return reach(self.pack, tuple(bars))

    def _may_make_peace(self, round_: Round, army: str, front: int) -> bool:
        """8.1 Before that round?"""
        treaty = self.pack.treaty
        if self.view.treaty or round_.turn == self.view.turn or self.view.turn < treaty.earliest_turn:
            return False
        return (
            front in treaty.frozen_fronts or self.pack.nationality_of[army] in treaty.inactive_nationalities
        )

    def may_come(self, round_: Round, front: int, counter: str = "") -> bool:
        """May that counter, or any, come to the front and be the faction's to command there?"""
        obeying = followers(self.pack)[round_.faction][front]
        by_then = self._reach(round_.turn, lost=False)
        wanted = {counter} & obeying if counter else obeying
        coming = {one for one in wanted if front in by_then[one]}
        if not coming:
            return False
        if any(_leads_to(one, front, counter) for one in self.own(round_)):
            return True
        return self._may_be_deployed(round_, coming) or self._may_be_sent(round_, front, coming)

    def _may_be_deployed(self, round_: Round, coming: set[str]) -> bool:
        """4.2.1-3 What is new, or may be by the next turn."""
        if not self.deploys_before(round_):
            return False
        view = self.view
        owners = {self.pack.faction_of[one] for one in coming}
        if any(owner not in view.factions for owner in owners):
            return True
        if round_.turn == view.turn and view.phase in ("order", "deploy"):
            new = {one for owner in owners for one in deployment_question(view, owner).given.new}
            return not coming.isdisjoint(new)
        on_board = {one for there in view.known.values() for one in there}
        return view.phase not in EARLY or not coming <= on_board

    def _may_be_sent(self, round_: Round, front: int, coming: set[str]) -> bool:
        """5.1-1 By another seat that commands it where it stands, or is not seen to stand."""
        under, view = obedience(self.pack), self.view
        place = {one: where for where, there in view.known.items() for one in there if where != front}
        for one in coming:
            owner = self.pack.faction_of[one]
            where = place.get(one)
            if where is None:
                if owner not in view.factions:
                    return True
                continue
            chief = under.commander if where in under.fronts and one in under.counters else owner
            if chief not in view.factions:
                return True
        return False


def _leads_to(order: Order, front: int, counter: str) -> bool:
    """Does it send that counter, or any, to the front?"""
    if isinstance(order, MoveOrder):
        words = [word for group in order.groups if group.to == front for word in group.troops]
    elif isinstance(order, TransferOrder):
        words = list(order.armies) if order.to == front else []
    else:
        return isinstance(order, AgreeToRecall)
    return (
        bool(words)
        if not counter
        else not {counter, "ALL", "REAL"}.isdisjoint(words) or any(map(dummies_in, words))
    )


@cache
def attacked_by(pack: Pack, faction: Faction, turn: int) -> frozenset[int]:
    """2.1-2, 5.3 The fronts on which the faction may command a real army by that turn."""
    by_then = reach(pack, tuple([turn < one.from_turn for one in pack.restrictions]))
    obeying = followers(pack)[faction]
    return frozenset(
        front
        for front in pack.fronts
        if any(c in pack.armies and front in by_then[c] for c in obeying[front])
    )


def ever(pack: Pack) -> Reach:
    """The fronts on which each counter may stand at all."""
    return reach(pack, tuple([False for _ in pack.restrictions]))
