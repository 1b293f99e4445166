"""Chances of an attack as its seat sees the board: unknown counters at random, the enemy on defaults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

from engine.games.first_world_war.answers import Attack, Faction
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.state import ENEMY, PARTNERS
from engine.games.first_world_war.view import View

SCALE = 10_000  # chances are told in ten-thousandths: no floats leave the engine
DUMMY = -1  # as a "value" in groups


@dataclass(frozen=True, slots=True)
class Odds:
    """In ten-thousandths: nobody defends; else the attacker is higher, equal or lower."""

    front: int
    armies: tuple[str, ...]
    unopposed: int
    higher: int
    equal: int
    lower: int


def attack_odds(view: View, attack: Attack, tile: int = 0) -> Odds:
    """Led by the strongest army with a tile of that value, against the strongest defender without one."""
    pack = view.pack
    leader = max(pack.armies[army].value for army in attack.armies)
    chances = [0.0, 0.0, 0.0, 0.0]
    for share, number, best in possible_defences(view, attack.front, ENEMY[_faction(view, attack)]):
        if not number:
            chances[0] += share
            continue
        edge = leader + tile + (len(attack.armies) > number) - best
        for n, part in enumerate(duel(pack, edge), 1):
            chances[n] += share * part
    return Odds(attack.front, attack.armies, *(round(SCALE * chance) for chance in chances))


def _faction(view: View, attack: Attack) -> Faction:
    colour: Faction = view.pack.faction_of[attack.armies[0]]
    return colour


@cache
def duel(pack: Pack, edge: int) -> tuple[float, float, float]:
    """Shares of die against die in which the side ahead by `edge` ends higher, equal, lower."""
    values = [pack.die.value(face) for face in range(1, len(pack.die.faces) + 1)]
    gaps = [edge + own - other for own in values for other in values]
    higher, equal = sum(gap > 0 for gap in gaps), gaps.count(0)
    return higher / len(gaps), equal / len(gaps), (len(gaps) - higher - equal) / len(gaps)


def possible_defences(view: View, front: int, alliance: str) -> Iterator[tuple[float, int, int]]:
    """Share, number of real armies and best value of every defence the viewer must reckon with."""
    shapes = [(1.0, 0, DUMMY)]
    for faction in PARTNERS[alliance]:
        counted = view.counts[front].get(faction, 0)
        known = [c for c in view.known[front] if view.pack.faction_of[c] == faction]
        shapes = [
            (share * more, number + reals, max(best, top))
            for share, number, best in shapes
            for more, reals, top in _of_faction(view, front, faction, known, counted - len(known))
        ]
    yield from shapes


def _of_faction(
    view: View, front: int, faction: Faction, known: Sequence[str], unknown: int
) -> Iterator[tuple[float, int, int]]:
    """The known counters, and `unknown` more out of those whose place the viewer does not know."""
    values = [view.pack.armies[c].value for c in known if _may_defend(view, c)]
    top = max(values, default=DUMMY)
    if not unknown:
        yield 1.0, len(values), top
        return
    for share, reals, best in hands(groups(view, front, faction), unknown):
        yield share, len(values) + reals, max(top, best)


def groups(view: View, front: int, faction: Faction) -> tuple[tuple[int, int], ...]:
    """(value, number) of the faction's counters that may stand there unseen, DUMMY for no defender."""
    pack, permitted = view.pack, view.pack.permitted[front]
    seen = {c for there in view.known.values() for c in there} | set(view.pool[faction]) | set(view.returning)
    seen |= {army for armies in view.track.values() for army in armies}
    tally: dict[int, int] = {}
    for counter in (*pack.armies_of[faction], *pack.dummies_of[faction]):
        if counter in seen or (counter in pack.armies and pack.nationality_of[counter] not in permitted):
            continue
        value = pack.armies[counter].value if _may_defend(view, counter) else DUMMY
        tally[value] = tally.get(value, 0) + 1
    return tuple(sorted(tally.items()))


def _may_defend(view: View, counter: str) -> bool:
    """6-6, 8.1-6 A real army that is not at peace."""
    pack = view.pack
    at_peace = pack.treaty.inactive_nationalities if view.treaty else ()
    return counter in pack.armies and pack.nationality_of[counter] not in at_peace


@cache
def hands(tally: tuple[tuple[int, int], ...], number: int) -> tuple[tuple[float, int, int], ...]:
    """Every way to draw that many counters out of the groups: share, real armies, best value."""
    total = sum(size for _, size in tally)
    number = min(number, total)
    shapes: dict[tuple[int, int, int], int] = {(0, 0, DUMMY): 1}  # drawn, reals, best -> ways
    for value, size in tally:
        grown: dict[tuple[int, int, int], int] = {}
        for (drawn, reals, best), ways in shapes.items():
            for taken in range(min(size, number - drawn) + 1):
                real = 0 if value == DUMMY else taken
                key = (drawn + taken, reals + real, max(best, value) if taken else best)
                grown[key] = grown.get(key, 0) + ways * comb(size, taken)
        shapes = grown
    all_ways = comb(total, number)
    return tuple(
        (ways / all_ways, reals, best)
        for (drawn, reals, best), ways in sorted(shapes.items())
        if drawn == number
    )


def odds(view: View, question: str) -> Odds | None:
    """ODDS <attack line>; None if the line is no attack that can be read."""
    from engine.games.first_world_war.notation import read_attack  # it reads orders, which look at odds

    attack = read_attack(question, view)
    return None if attack is None else attack_odds(view, attack)
