"""What may be done at any time: tiles put back (6.2.1-5), counters shown (4.2.1-12), recalls (5.2-2).

D12, D13, D19: the moments of it are fixed, before each round's action and directly after a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from engine.games.first_world_war.answers import AnyTime, AnyTimeGiven, Faction, Recall
from engine.games.first_world_war.facts.board import RecallAsked, RecallRefused, turned_up
from engine.games.first_world_war.printed import counters_of, obedience
from engine.games.first_world_war.rules import tiles
from engine.games.first_world_war.rules.movement import not_at_hand
from engine.games.first_world_war.rules.permissions import permission_refusal, reach_now
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng, Seat, Step, question

NOTHING = AnyTime()
GIVEN = {faction: AnyTimeGiven(faction) for faction in FACTIONS}
SELDOM = 10  # a random player acts once in so many moments
RECALL_PLAYERS = 3  # 5.2-2: with two players one seat runs both factions


def before_action(state: State, key: str) -> Step:
    """Each faction that has something to act with is given the moment; whether it has is public."""
    return any_time(state, (faction for faction in FACTIONS if has_something(state, faction)), key)


def has_something(state: State, faction: Faction) -> bool:
    """Counters on the board or tiles in hand."""
    own = counters_of(state.pack, faction)
    return bool(state.hands[faction]) or not own.isdisjoint(chain.from_iterable(state.fronts.values()))


def any_time(state: State, factions: Iterable[Faction], key: str) -> Step:
    """4.2.1-12, 5.2-2, 6.2.1-5 One faction after the other: carry out what it volunteers."""
    for faction in factions:
        seat, given, options = state.seats[faction], GIVEN[faction], AnyTimeOptions(state, faction)
        answer = yield question(
            seat, "any_time", key, given, options, default=NOTHING, secret=True, volunteer=True
        )
        if answer is not NOTHING:
            yield from carry_out(state, faction, answer)


def carry_out(state: State, faction: Faction, answer: AnyTime) -> Step:
    for tile in answer.returned:
        yield from tiles.put_back(state, faction, tile)
    if answer.revealed:
        yield turned_up(state, "shown", answer.revealed)
    for recall in answer.recalls:
        yield RecallAsked(recall, negotiators(state))
    for army in answer.refused:
        yield RecallRefused(army, negotiators(state))


def negotiators(state: State) -> tuple[Seat, ...]:
    """5.2-2 The seats between which a recall is settled."""
    under = obedience(state.pack)
    return tuple(sorted({state.seat(under.owner), state.seat(under.commander)}))


def open_recalls(state: State) -> list[Recall]:
    """Requests whose army still stands where it was asked for."""
    return [recall for recall in state.recalls if recall.army in state.fronts[recall.origin]]


class AnyTimeOptions(Options):
    """Everything a faction may volunteer now. Rests on what its seat knows."""

    __slots__ = ("_state", "faction")

    def __init__(self, state: State, faction: Faction) -> None:
        self._state, self.faction = state, faction

    def contains(self, answer: Answer) -> bool:
        return answer == NOTHING or self.why_not(answer) is None

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, AnyTime):
            return Illegal("FWW-4.2.1-12", "not-an-act")
        for part, refusal_of in (
            (answer.returned, self._return_refusal),
            (answer.revealed, self._reveal_refusal),
            (answer.refused, self._refuse_refusal),
        ):
            for item in part:
                if part.count(item) > 1:
                    return Illegal("FWW-4.2.1-12", "named-twice", {"counter": item})
                if (refusal := refusal_of(item)) is not None:
                    return refusal
        return self._recalls_refusal(answer.recalls)

    def _return_refusal(self, tile: str) -> Refusal | None:
        """6.2.1-5, 6.2.1-6."""
        if tile not in tiles.hand(self._state, self.faction):
            return Illegal("FWW-6.2.1-5", "not-in-hand", {"tile": tile})
        if tiles.usable(self._state, self.faction, tile):
            return Illegal("FWW-6.2.1-6", "still-of-use", {"tile": tile})
        return None

    def _reveal_refusal(self, counter: str) -> Refusal | None:
        """4.2.1-12 An own counter on the board; its colour says whose it is."""
        state = self._state
        if state.pack.faction_of.get(counter) != self.faction:
            return Illegal("FWW-4.2.1-12", "not-own", {"counter": counter})
        if state.place(counter) is None:
            return Illegal("FWW-4.2.1-12", "not-on-board", {"counter": counter})
        if counter in state.face_up:
            return Illegal("FWW-4.2.1-12", "already-shown", {"counter": counter})
        return None

    def _refuse_refusal(self, army: str) -> Refusal | None:
        """5.2-2 The commander refuses what was asked for."""
        asked = [recall.army for recall in open_recalls(self._state)]
        if self.faction != obedience(self._state.pack).commander or army not in asked:
            return Illegal("FWW-5.2-2", "not-asked-for", {"counter": army})
        return None

    def _recalls_refusal(self, recalls: Sequence[Recall]) -> Refusal | None:
        if not recalls:
            return None
        state, under = self._state, obedience(self._state.pack)
        if self.faction != under.owner or state.players < RECALL_PLAYERS:
            return Illegal("FWW-5.2-2", "no-recall")
        named = [recall.army for recall in recalls]
        for recall in recalls:
            if named.count(recall.army) > 1:
                return Illegal("FWW-5.2-2", "named-twice", {"counter": recall.army})
            if (refusal := self._recall_refusal(recall)) is not None:
                return refusal
        return None

    def _recall_refusal(self, recall: Recall) -> Refusal | None:
        """5.2-2 An own army under allied command, to a front where it may operate now."""
        state, under = self._state, obedience(self._state.pack)
        for front in (recall.origin, recall.to):
            if front not in state.fronts:
                return Illegal("FWW-2.1-1", "no-such-front", {"front": front})
        if recall.army not in under.counters or recall.army not in state.fronts[recall.origin]:
            return not_at_hand(state, self.faction, recall.army, recall.origin)
        if recall.origin not in under.fronts:
            return Illegal("FWW-5.2-2", "own-command", {"counter": recall.army, "front": recall.origin})
        if recall.to == recall.origin:
            return Illegal("FWW-5-5", "same-front", {"front": recall.to})
        if recall in open_recalls(state):
            return Illegal("FWW-5.2-2", "asked-for-already", {"counter": recall.army})
        return permission_refusal(state, recall.army, recall.to)

    # ------------------------------------------------------------ offers

    def only(self) -> tuple[Answer] | None:
        return (NOTHING,) if len(self.describe()) == 1 else None

    def sample(self, rng: Rng) -> Answer:
        """Mostly nothing: these moments come before every round."""
        if rng.randrange(SELDOM):
            return NOTHING
        acts = self._acts()
        items, act = acts[rng.randrange(len(acts))]
        item = rng.choice(items() or [None])
        return NOTHING if item is None else act(item)

    def describe(self) -> Sequence[Answer]:
        """Nothing, and every single act."""
        return [NOTHING, *(act(item) for items, act in self._acts() for item in items())]

    def _acts(self) -> tuple[tuple[Callable[[], list[Any]], Callable[[Any], AnyTime]], ...]:
        """Each kind of act: with what it can be done, and how it is said."""
        return (
            (self._useless_tiles, lambda tile: AnyTime(returned=(tile,))),
            (self._face_down, lambda counter: AnyTime(revealed=(counter,))),
            (self._recalls, lambda way: AnyTime(recalls=(Recall(*way),))),
            (self._asked_for, lambda army: AnyTime(refused=(army,))),
        )

    def _useless_tiles(self) -> list[str]:
        """6.2.1-5"""
        held = tiles.hand(self._state, self.faction)
        return [tile for tile in held if not tiles.usable(self._state, self.faction, tile)]

    def _face_down(self) -> list[str]:
        """4.2.1-12"""
        state = self._state
        own = [c for front in state.fronts for c in state.counters(front, self.faction)]
        return [counter for counter in sorted(own) if counter not in state.face_up]

    def _recalls(self) -> list[tuple[str, int, int]]:
        """5.2-2 Army, front, and front where it is wanted."""
        state, under = self._state, obedience(self._state.pack)
        if self.faction != under.owner or state.players < RECALL_PLAYERS:
            return []
        reach, asked = reach_now(state), open_recalls(state)
        stationed = [
            (front, c) for front in sorted(under.fronts) for c in state.fronts[front] if c in under.counters
        ]
        ways = [(c, front, to) for front, c in stationed for to in sorted(reach[c]) if to != front]
        return [way for way in ways if Recall(*way) not in asked]

    def _asked_for(self) -> list[str]:
        """5.2-2"""
        asked = [recall.army for recall in open_recalls(self._state)]
        return [army for army in asked if self._refuse_refusal(army) is None]
