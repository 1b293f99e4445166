"""What the printed tables forbid for good: orders that no course of play can make legal.

Nothing here looks at the board: who commands which counter on a front, how fronts border on one another,
which nationality may operate where and from which turn on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.notation.troops import Group, Troops, dummies_in
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.printed import counters_of, followers, reach
from engine.games.first_world_war.rules.movement import TRANSFER_LIMIT
from engine.kernel.errors import Facts, Illegal, Refusal


def _named(troops: Iterable[str], pack: Pack) -> list[str]:
    """Without ALL, REAL and dummies by number, which mean whoever is there."""
    return [word for word in troops if word in pack.armies or word in pack.dummies]


def _never_commanded(troops: Troops, front: int, pack: Pack, faction: Faction, rule: str) -> Refusal | None:
    """5.1-1 Position alone decides who operates a counter, and the position is the order's own."""
    obeying = followers(pack)[faction][front]
    for counter in _named(troops, pack):
        if counter not in obeying:
            return Illegal(rule, "not-commanded", {"counter": counter, "front": front})
    wanted, most = sum(map(dummies_in, troops)), len([one for one in obeying if one in pack.dummies])
    if wanted > most:
        return Illegal("FWW-2.2-3", "too-few-dummies", {"wanted": wanted, "present": most})
    return None


def _never_there(troops: Troops, front: int, pack: Pack, turn: int) -> Refusal | None:
    """2.1-2, 4.2.1-6, 5.3 A nationality that is not listed, or not before another turn."""
    ever = reach(pack, tuple([False for _ in pack.restrictions]))
    by_then = reach(pack, tuple([turn < one.from_turn for one in pack.restrictions]))
    for counter in _named(troops, pack):
        facts: Facts = {"counter": counter, "front": front}
        if front not in ever[counter]:
            if counter in pack.dummies:
                return Illegal("FWW-4.2.1-6", "no-nationality-there", facts)
            return Illegal("FWW-2.1-2", "not-listed", facts)
        if turn and front not in by_then[counter]:
            nation = pack.nationality_of.get(counter)
            first = max(
                one.from_turn
                for one in pack.restrictions
                if front in one.fronts and (nation is None or nation in one.nationalities)
            )
            return Illegal("FWW-5.3-1", "too-early", {"counter": counter, "front": front, "turn": first})
    return None


def never_attacking(armies: Troops, front: int, pack: Pack, faction: Faction, turn: int) -> Refusal | None:
    """6-1 to 6-3"""
    for word in armies:
        if word in pack.dummies:
            return Illegal("FWW-6-3", "dummy", {"counter": word, "front": front})
    return _never_commanded(armies, front, pack, faction, "FWW-6-1") or _never_there(
        armies, front, pack, turn
    )


def never_moving(
    groups: Sequence[Group], origin: int, pack: Pack, faction: Faction, turn: int
) -> Refusal | None:
    """5-1 to 5-3 One step to an adjacent front of the same theatre."""
    fronts = pack.fronts
    for group in groups:
        facts: Facts = {"counter": group.troops[0], "origin": origin, "to": group.to}
        if fronts[group.to].theatre != fronts[origin].theatre:
            return Illegal("FWW-5-2", "other-theatre", facts)
        if group.to not in fronts[origin].adjacent:
            return Illegal("FWW-5-2", "not-adjacent", facts)
        if (refusal := _never_there(group.troops, group.to, pack, turn)) is not None:
            return refusal
    everybody = tuple(word for group in groups for word in group.troops)
    return _never_commanded(everybody, origin, pack, faction, "FWW-5-1")


def never_transferred(
    armies: Troops, origin: int, to: int, pack: Pack, faction: Faction, turn: int
) -> Refusal | None:
    """5-5 One or two counters to another front."""
    if origin == to:
        return Illegal("FWW-5-5", "same-front", {"front": to})
    number = len(_named(armies, pack)) + sum(map(dummies_in, armies))
    if number > TRANSFER_LIMIT:
        return Illegal("FWW-5-5", "one-or-two", {"number": number})
    return _never_commanded(armies, origin, pack, faction, "FWW-5-1") or _never_there(armies, to, pack, turn)


def never_deployed(groups: Sequence[Group], pack: Pack, faction: Faction, turn: int) -> Refusal | None:
    """4.2.1-3, 4.2.1-6 Counters of the own colour, each where it may operate."""
    own = counters_of(pack, faction)
    for group in groups:
        for counter in _named(group.troops, pack):
            if counter not in own:
                return Illegal("FWW-4.2.1-3", "not-new", {"counter": counter})
        if group.to and (refusal := _never_there(group.troops, group.to, pack, turn)) is not None:
            return refusal
    return None
