"""5 Movement and strategic transfer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.games.first_world_war.answers import Faction, Move, Placement, Transfer
from engine.games.first_world_war.facts.board import CountersMoved, MoversTurnedDown, RoundSpent
from engine.games.first_world_war.rules import treaty
from engine.games.first_world_war.rules.command import commanded, commander, fights_elsewhere
from engine.games.first_world_war.rules.permissions import permission_refusal
from engine.games.first_world_war.state import State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Seat, Step

TRANSFER_LIMIT = 2  # 5-5, 5-7: dummies count


# ------------------------------------------------------------------ the actions


def move(state: State, faction: Faction, order: Move) -> Step:
    """5-1 Counters of one front each go one step."""
    yield RoundSpent(faction, "move")
    yield from leave(state, faction, order.origin, order.steps)


def transfer(state: State, faction: Faction, order: Transfer) -> Step:
    """5-5 One or two counters go from one front to any other."""
    yield RoundSpent(faction, "transfer")
    yield from leave(state, faction, order.origin, tuple([(c, order.to) for c in order.counters]))


def leave(state: State, faction: Faction, origin: int, steps: tuple[Placement, ...]) -> Step:
    """5-4 Movers are face down. Each colour is told apart, because different seats may read its names.

    Ruling: a counter that was shown of the owner's free will is turned down when it moves; the rule knows
    only face-down movers, and otherwise one could follow it.
    """
    shown = [counter for counter, _ in steps if counter in state.face_up]
    if shown:
        yield MoversTurnedDown(tuple(shown))
    colour = state.pack.faction_of
    for owner in sorted({colour[counter] for counter, _ in steps}):
        own = tuple([step for step in steps if colour[step[0]] == owner])
        yield CountersMoved(owner, origin, own, informed(state, owner, faction))


def informed(state: State, owner: Faction, mover: Faction) -> tuple[Seat, ...]:
    """5.1-5 Who may read which counters moved: their owner and who commanded them."""
    return tuple(sorted({state.seat(owner), state.seat(mover)}))


# ------------------------------------------------------------------ what is legal


def move_refusal(state: State, faction: Faction, order: Move) -> Refusal | None:
    """5-1 to 5-4, 5-8."""
    if order.origin not in state.fronts:
        return Illegal("FWW-2.1-1", "no-such-front", {"front": order.origin})
    if not order.steps:
        nobody = Illegal("FWW-5-8", "no-mover", {"front": order.origin})
        return fights_elsewhere(state.pack, faction, order.origin) or nobody
    counters = [counter for counter, _ in order.steps]
    if (refusal := movers_refusal(state, faction, order.origin, counters)) is not None:
        return refusal
    for counter, to in order.steps:
        if (refusal := step_refusal(state, counter, order.origin, to)) is not None:
            return refusal
    return treaty.leaving_refusal(state, faction, order.origin, tuple(counters))


def transfer_refusal(state: State, faction: Faction, order: Transfer) -> Refusal | None:
    """5-5 to 5-7."""
    for front in (order.origin, order.to):
        if front not in state.fronts:
            return Illegal("FWW-2.1-1", "no-such-front", {"front": front})
    elsewhere = None if order.counters else fights_elsewhere(state.pack, faction, order.origin)
    if elsewhere is not None:
        return elsewhere
    if not 1 <= len(order.counters) <= TRANSFER_LIMIT:
        return Illegal("FWW-5-5", "one-or-two", {"number": len(order.counters)})
    if order.origin == order.to:
        return Illegal("FWW-5-5", "same-front", {"front": order.to})
    if (refusal := movers_refusal(state, faction, order.origin, order.counters)) is not None:
        return refusal
    for counter in order.counters:
        if (refusal := permission_refusal(state, counter, order.to)) is not None:
            return refusal
    return treaty.leaving_refusal(state, faction, order.origin, order.counters)


def movers_refusal(state: State, faction: Faction, origin: int, counters: Sequence[str]) -> Refusal | None:
    """5-1, 5.1-1 The faction commands each of these, each named once, on that front."""
    available = commanded(state, faction, origin)
    for counter in counters:
        if counter not in available:
            return not_at_hand(state, faction, counter, origin)
    for counter, following in pairwise(sorted(counters)):
        if counter == following:
            return Illegal("FWW-5-1", "named-twice", {"counter": counter})
    return None if list(counters) == sorted(counters) else Illegal("FWW-5-1", "not-sorted")


def not_at_hand(state: State, faction: Faction, counter: str, front: int) -> Refusal:
    """Why a faction cannot use a counter on a front, in words that tell nothing of other seats' counters."""
    colour = state.pack.faction_of.get(counter)
    if colour is None:
        return Illegal("FWW-2.2-1", "no-such-counter", {"counter": counter})
    if colour == faction:
        if counter in state.fronts[front]:  # its own, but it obeys another
            chief = commander(state, counter, front)
            return Illegal(
                "FWW-5.1-1", "other-command", {"counter": counter, "front": front, "faction": chief}
            )
        return Illegal("FWW-5-1", "not-there", {"counter": counter, "front": front})
    return Illegal("FWW-5-1", "not-commanded", {"counter": counter, "front": front})


def step_refusal(state: State, counter: str, origin: int, to: int) -> Refusal | None:
    """5-2, 5-3 One step to an adjacent front of the same theatre where the counter may operate."""
    fronts = state.pack.fronts
    if to not in fronts:
        return Illegal("FWW-2.1-1", "no-such-front", {"front": to})
    if fronts[to].theatre != fronts[origin].theatre:
        return Illegal("FWW-5-2", "other-theatre", {"counter": counter, "origin": origin, "to": to})
    if to not in fronts[origin].adjacent:
        return Illegal("FWW-5-2", "not-adjacent", {"counter": counter, "origin": origin, "to": to})
    return permission_refusal(state, counter, to)
