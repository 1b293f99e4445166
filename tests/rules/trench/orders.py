"""Orders of phase 1 as the conformance cases write them, tried and carried out."""

from __future__ import annotations

from engine.games.trench_club.answers import Act, Build, Capture, Mine, Move
from engine.games.trench_club.facts.moves import UnitMoved
from engine.games.trench_club.rules.acts import carry_out, refusal_of, why_not
from engine.games.trench_club.rules.movement import path_to
from engine.games.trench_club.state import State
from engine.kernel.errors import Refusal
from tests.rules.trench.drawn import Course, play


def act(state: State, text: str) -> Act:
    """`M CAR1 D4 D3`, `M INF1 E3 D4 TRK1`, `M TRK1 D4 / MOR1@F3`, `C INF1 B2`, `M CAR1 > E8`."""
    verb, name, *words = text.split()
    unit = name if "." in name else f"{state.active}.{name}"
    match verb:
        case "M":
            return _move(state, unit, words)
        case "L":
            return _move(state, unit, words)
        case "C":
            return Capture(unit, words[0])
        case "MINE":
            return Mine(unit, words[0])
        case "B":
            return Build(unit, "road" if words[0] == "ROAD" else "trench", (words[1], words[2]))
    raise AssertionError(text)


def _move(state: State, unit: str, words: list[str]) -> Move:
    if words[:1] == [">"]:
        goal = words[1] if words[1] in state.grid else f"{state.active}.{words[1]}"
        found = path_to(state, unit, goal)
        assert found is not None, (unit, goal)
        return found
    cut = words.index("/") if "/" in words else len(words)
    steps, places = words[:cut], [word.split("@") for word in words[cut + 1 :]]
    unload = tuple(sorted((f"{state.active}.{name}", hex_) for name, hex_ in places))
    carrier = f"{state.active}.{steps[-1]}" if steps and steps[-1] not in state.grid.places else ""
    if carrier in state.units:
        return Move(unit, (*steps[:-1], state.units[carrier].at), carrier, unload)
    return Move(unit, tuple(steps), "", unload)


def nations(state: State) -> tuple[str, ...]:
    return tuple(nation for nation, camp in state.camp_of.items() if camp == state.active)


def refusal(state: State, text: str) -> Refusal:
    """An order that must be refused, by whomever it is asked."""
    found = why_not(state, act(state, text), nations(state))
    assert found is not None, f"{text}: allowed"
    bare = refusal_of(state, act(state, text), nations(state))
    assert bare is not None
    assert (bare.rule, bare.reason) == (found.rule, found.reason)
    return found


def refused(state: State, text: str) -> tuple[str, str]:
    found = refusal(state, text)
    return found.rule, found.reason


def is_legal(state: State, text: str) -> bool:
    return why_not(state, act(state, text), nations(state)) is None


def done(state: State, *texts: str) -> Course:
    """Orders that must be legal, carried out one after the other; the course of the last."""
    course = Course(state)
    for text in texts:
        order = act(state, text)
        found = why_not(state, order, nations(state))
        assert found is None, (text, found)
        course = play(state, carry_out(state, order))
    return course


def cost(state: State, text: str) -> int:
    """Half points of a legal move, which is carried out."""
    return done(state, text).told(UnitMoved)[0].cost
