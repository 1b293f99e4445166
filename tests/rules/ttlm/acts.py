"""Acts of a Movement Phase in a short form, tested and carried out on drawn positions.

walk("AAC-LIE", army="GE1"), walk("CHA-ARG", army="FR9", absorb="FR 2I")
walk("TRI-ARD-SED", "GE C"), walk("LUX-VER", "GE I", into="GE5", source="GE4"), rail("BAR-TRO-PAR", "FR I")
shift("LIE", "BE I", into="BE1")
"""

from __future__ import annotations

import re
from typing import Any

from engine.games.to_the_last_man.answers import LOOSE, Group, Move, Shift, Side, Suppress
from engine.games.to_the_last_man.facts.season import PhaseBegan
from engine.games.to_the_last_man.rules.movement import carry_out, end_of_movement, why_not_act
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from engine.games.to_the_last_man.state import NATIONS, State
from tests.rules.ttlm.drawn import Course, play

Refused = tuple[str, str] | None


def group(text: str) -> Group:
    """ "FR 2I C, US I" as kinds and numbers."""
    numbers: dict[str, int] = {}
    nation = ""
    for word in text.replace(",", " ").split():
        if word in NATIONS:
            nation = word
            continue
        match = re.fullmatch(r"(\d*)([A-Z]+)", word)
        assert match, word
        kind = f"{nation}.{match[2]}"
        numbers[kind] = numbers.get(kind, 0) + int(match[1] or 1)
    return tuple(sorted(numbers.items()))


def walk(way: str, units: str = "", **named: Any) -> Move:
    absorb = group(named.pop("absorb", ""))
    return Move(tuple(way.split("-")), units=group(units), absorb=absorb, **named)


def rail(way: str, units: str = "", **named: Any) -> Move:
    return walk(way, units, mode="rail", **named)


def strat(way: str, units: str = "", **named: Any) -> Move:
    return walk(way, units, mode="strat", **named)


def sea(way: str, units: str = "", **named: Any) -> Move:
    return walk(way, units, mode="sea", **named)


def reserves(way: str, units: str = "", **named: Any) -> Move:
    return walk(way, units, mode="reserves", **named)


def withdraw(way: str, army: str) -> Move:
    return walk(way, army=army, mode="withdraw")


def shift(area: str, units: str, source: str = LOOSE, into: str = LOOSE) -> Shift:
    return Shift(area, group(units), source, into)


def why(state: State, act: Move | Shift | Suppress, side: Side | None = None) -> Refused:
    """Rule and reason of a refusal; None: it may be done."""
    options = TurnActs(state, side or phasing(state), why_not_act)
    refusal = options.why_not(act)
    assert options.contains(act) == (refusal is None)
    return None if refusal is None else (refusal.rule, refusal.reason)


def facts(state: State, act: Move | Shift | Suppress) -> dict[str, Any]:
    """What a refusal tells."""
    refusal = TurnActs(state, phasing(state), why_not_act).why_not(act)
    assert refusal is not None
    return dict(refusal.facts)


def do(state: State, *acts: Move | Shift | Suppress) -> Course:
    """Each of them, one after the other; all must be legal. The course of the last one."""
    course = Course(state)
    for act in acts:
        assert why(state, act) is None, (act, why(state, act))
        course = play(state, carry_out(state, phasing(state), act))
    return course


def end(state: State) -> Course:
    """The checks at the end of the Movement Phase."""
    return play(state, end_of_movement(state, phasing(state)))


def changes(course: Course) -> list[Any]:
    """All facts but for the beginnings of phases."""
    return [fact for fact in course.facts if not isinstance(fact, PhaseBegan)]


def phasing(state: State) -> Side:
    assert state.phasing != ""
    return state.phasing


def holds(state: State, place: str, side: Side = "GE") -> str:
    """What lies in an army, or loose in an area, as "2I C"; of an area that side's."""
    there = state.contents[place] if place in state.contents else state.loose_units(place, side)
    own = state.pack.nation_of[place] if place in state.contents else ""
    words = []
    for kind, number in state.grouped(there):
        nation, _, type_ = kind.partition(".")
        shown = type_ if nation == own or (not own and side == "GE") else f"{nation}.{type_}"
        words.append(f"{number if number > 1 else ''}{shown}")
    return " ".join(words)
