"""5.3.1, and the losses and Ersatz of a side that says nothing (decisions 5).

Pieces are plain data here, so that the losses of a step can be foreseen without touching the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.games.to_the_last_man.answers import FORT, LOOSE, Ersatz, Loss, Side
from engine.games.to_the_last_man.rules.cards import ersatz_value, hand, is_event_dead
from engine.games.to_the_last_man.state import INFANTRY, State

INF = "inf"  # 5.3.1-05 infantry-type units count as one type
FOR_ATTACK = ("C", "B", "T", "G", INF, "A")  # also in defence without trenches
FOR_TRENCHES = ("A", "C", "B", "T", "G", INF)
FOOT = ("I", "US.I", "CW", "S")


@dataclass(frozen=True, slots=True)
class Piece:
    """What a hit may fall on: an army, a fort, a loose unit; or units on their way out."""

    place: str  # army's id, LOOSE or FORT
    strength: int
    units: tuple[str, ...] = ()  # those that may be lost; a fort has none


def strongest(pieces: Sequence[Piece]) -> list[Piece]:
    """5.3.1-02, -03 Only the strongest pieces take a loss."""
    most = max(piece.strength for piece in pieces)
    return [piece for piece in pieces if piece.strength == most]


def toll(state: State, pieces: Sequence[Piece]) -> list[Loss]:
    """5.3.1-02 to -05 Every loss that one hit may cost."""
    found: dict[Loss, None] = {}
    kind_of = state.pack.kind_of
    for piece in strongest(pieces):
        if piece.place == FORT:
            found[Loss(FORT)] = None
        for unit in most_numerous(state, piece.units):
            found[Loss(piece.place, kind_of[unit])] = None
    return list(found)


def most_numerous(state: State, units: Sequence[str]) -> list[str]:
    """5.3.1-04, -05 Units of the most numerous type, all infantry-type units being one."""
    by_type: dict[str, list[str]] = {}
    for unit in units:
        by_type.setdefault(prevalence(state, unit), []).append(unit)
    return [unit for alike in by_type.values() if len(alike) == _most(by_type) for unit in alike]


def _most(by_type: dict[str, list[str]]) -> int:
    return max(map(len, by_type.values()))


def prevalence(state: State, unit: str) -> str:
    type_ = state.pack.type_of[unit]
    return INF if type_ in INFANTRY else type_


# ------------------------------------------------------------------ losses


def loss(state: State, pieces: Sequence[Piece], loose_first: bool) -> Loss:
    """The loss of a side that says nothing: fort, army, loose unit; or loose units first."""
    order = {
        piece.place: rank for rank, piece in enumerate(pieces)
    }  # the fort stands first, then loose units
    if not loose_first:
        order[LOOSE] = len(pieces)

    def dearness(one: Loss) -> tuple[int, int, int, str]:
        if one.place == FORT:
            return order[FORT], 0, 0, ""
        nation, _, type_ = one.unit.partition(".")
        dug_in = not loose_first and one.place in state.entrenched
        types = FOR_TRENCHES if dug_in else FOR_ATTACK
        foot = "US.I" if one.unit == "US.I" else type_
        if type_ in INFANTRY:
            return order[one.place], types.index(INF), FOOT.index(foot), nation
        return order[one.place], types.index(type_), 0, nation

    return min(toll(state, pieces), key=dearness)


def without(state: State, pieces: Sequence[Piece], lost: Loss) -> list[Piece]:
    """The pieces after that loss."""
    left, done = list(pieces), strongest(pieces)
    for number, piece in enumerate(left):
        if piece.place != lost.place or piece not in done:
            continue
        if piece.place == FORT:
            left[number] = replace(piece, strength=piece.strength - 1)
        else:
            unit = next((one for one in piece.units if state.pack.kind_of[one] == lost.unit), "")
            if not unit:
                continue
            units = tuple(one for one in piece.units if one != unit)
            left[number] = replace(piece, strength=piece.strength - 1, units=units)
        break
    return [piece for piece in left if piece.units or (piece.place == FORT and piece.strength > 0)]


# ------------------------------------------------------------------ Ersatz


def ersatz(
    state: State, side: Side, pieces: Sequence[Piece], loose_first: bool, hits: int, siege: int
) -> Ersatz:
    """None, unless the hits would cost an army or the last infantry: then Ersatz 3 and 2 and cards without
    another use, as far as they save it.
    """
    spare = sorted(kind for kind in hand(state, side) if _is_spare(state, side, kind))
    if not spare or not pieces:
        return Ersatz()
    ordinary = hits - siege
    means = min(ordinary, sum(ersatz_value(state, kind) for kind in spare))
    harm = [_harm(state, pieces, loose_first, ordinary - paid, siege) for paid in range(means + 1)]
    best = harm.index(min(harm))
    cards = _cards_for(state, spare, best)
    paid = min(hits, sum(ersatz_value(state, kind) for kind in cards))
    return Ersatz(cards, max(0, paid - ordinary))


def _is_spare(state: State, side: Side, kind: str) -> bool:
    return ersatz_value(state, kind) > 1 or is_event_dead(state, side, kind)


def _harm(state: State, pieces: Sequence[Piece], loose_first: bool, hits: int, siege: int) -> int:
    """How many armies these hits would cost, and the last infantry."""
    left = [
        replace(piece, strength=piece.strength - siege) if piece.place == FORT else piece for piece in pieces
    ]  # a fort that the siege guns destroy counts for nothing any more: it comes after everybody else
    for _ in range(hits):
        if not left:
            break
        left = without(state, left, loss(state, left, loose_first))
    harm = sum(1 for army in _armies(pieces) if _losses(pieces, left, army) == len(state.contents[army]))
    return harm + (_has_foot(state, pieces) and not _has_foot(state, left))


def _armies(pieces: Sequence[Piece]) -> list[str]:
    return sorted({piece.place for piece in pieces if piece.units and piece.place != LOOSE})


def _losses(before: Sequence[Piece], after: Sequence[Piece], army: str) -> int:
    """How many counters the army lost."""
    had, has = (sum(len(one.units) for one in pieces if one.place == army) for pieces in (before, after))
    return had - has


def _has_foot(state: State, pieces: Sequence[Piece]) -> bool:
    type_of = state.pack.type_of
    return any(type_of[unit] in INFANTRY for piece in pieces for unit in piece.units)


def _cards_for(state: State, spare: Sequence[str], need: int) -> tuple[str, ...]:
    """Cards worth so many hits: the dearest that fit, and one with points to spare only if none is left."""
    left, cards = list(spare), list[str]()
    while need > 0:
        fitting = [kind for kind in left if ersatz_value(state, kind) <= need]
        dearest = max(fitting or left, key=lambda kind: ersatz_value(state, kind) * (1 if fitting else -1))
        left.remove(dearest)
        cards.append(dearest)
        need -= ersatz_value(state, dearest)
    while cards and -need >= min(ersatz_value(state, kind) for kind in cards):
        idle = min(cards, key=lambda kind: ersatz_value(state, kind))
        cards.remove(idle)
        need += ersatz_value(state, idle)
    return tuple(sorted(cards))
