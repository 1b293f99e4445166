"""Battles on drawn positions: who stands there, what the dice show, what is left.

    course = fight("ART", {"GE6": "3I 2A", "UK1": "2I A E"}, dice="1 5 · 6 2 · 1 4 6 6", turn=8)
    assert left(course) == {"GE6": "2I 2A", "UK1": "I"}

Dice stand in the order in which they are rolled; dots are for the reader. Goals are written "FR5>MAU",
"FR C>REI" (loose), "FR 2I:FR5>MAU" (out of an army), "UK I>CAL+UK1" (into one), "GE2>AAC-2G" (leaving two).
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from engine.games.to_the_last_man.answers import LOOSE, Goal, Goals, Group, Loss
from engine.games.to_the_last_man.facts.battle import ShotsFired
from engine.games.to_the_last_man.invariants import check, check_settled
from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.state import TYPES, State
from engine.kernel.errors import Refusal
from engine.kernel.requests import Answer, Ask, Roll, Step
from tests.rules.ttlm.acts import group
from tests.rules.ttlm.drawn import Course, drawn, play


def field(area: str, armies: Mapping[str, str] | None = None, **more: Any) -> State:
    """A position about to be fought over in one area; armies elsewhere are written "AAC: 3I"."""
    placed = {}
    for army, text in (armies or {}).items():
        at, _, units = text.rpartition(":")
        placed[army] = (at.strip() or area, units)
    more.setdefault("battles", [area])
    state = drawn(armies=placed, **more)
    gone = [army for army, row in state.pack.armies.items() if row.entry_turn < state.turn]
    state.dissolved = sorted(army for army in gone if army not in placed)
    return state


def fight(
    area: str,
    armies: Mapping[str, str] | None = None,
    dice: str = "",
    answers: Mapping[str, Any] | None = None,
    **more: Any,
) -> Course:
    """That battle, fought out."""
    state = field(area, armies, **more)
    course = play(state, battle(state, area), answers or {}, dice.replace("·", " "))
    check_settled(state)
    return course


def left(course: Course) -> dict[str, str]:
    """The armies still on the map and what they hold."""
    return {army: inside(course.state, army) for army in course.state.army_at}


def inside(state: State, army: str) -> str:
    return as_text(state, state.contents[army])


def loose(course: Course, area: str) -> str:
    """Loose units there, by nation: "GE C, FR 2I"."""
    state, parts = course.state, []
    for nation in ("BE", "FR", "GE", "UK", "US"):
        units = [unit for unit in state.loose[area] if unit.startswith(nation)]
        parts += [f"{nation} {as_text(state, units)}"] if units else []
    return ", ".join(parts)


def as_text(state: State, units: list[str]) -> str:
    types = [state.pack.type_of[unit] for unit in units]
    numbers = [(type_, types.count(type_)) for type_ in TYPES]
    return " ".join(f"{n if n > 1 else ''}{type_}" for type_, n in numbers if n)


def rolls(course: Course) -> list[tuple[str, int]]:
    """Purpose and number of dice of each roll, without the area."""
    return [(roll.why.partition(".")[2], roll.dice) for roll in course.rolls]


def hits(course: Course) -> dict[str, int]:
    """Hits by step."""
    found: dict[str, int] = {}
    for shots in course.told(ShotsFired):
        found[shots.step] = found.get(shots.step, 0) + shots.hits
    return found


def loss(text: str) -> Loss:
    """ "FR3 I", "FORT", "FR C" (loose)"""
    place, _, unit = text.partition(" ")
    if not unit:
        return Loss(place)
    return (
        Loss(LOOSE, f"{place}.{unit}")
        if place.isalpha() and place != "GEC"
        else Loss(place, kind(place, unit))
    )


def kind(army: str, unit: str) -> str:
    nation = army[:2]
    return unit if "." in unit else f"{nation}.{unit}"


def goals(*texts: str) -> Goals:
    return tuple(goal(text) for text in texts)


def goal(text: str) -> Goal:
    who, _, end = text.partition(">")
    end, _, dropped = end.partition("-")
    to, _, into = end.partition("+")
    if re.fullmatch(r"[A-Z]{2}(\d+|C)", who):
        return Goal(to, who, left=named(f"{who[:2]} {dropped}") if dropped else ())
    units, _, source = who.partition(":")
    return Goal(to, units=named(units), source=source, into=into)


def named(text: str) -> Group:
    return group(text)


def refused(ask: Ask, answer: Answer) -> tuple[str, str] | None:
    refusal: Refusal | None = ask.options.why_not(answer)
    assert ask.options.contains(answer) == (refusal is None)
    return None if refusal is None else (refusal.rule, refusal.reason)


def at_random(state: State, step: Step, seed: int) -> list[Ask]:
    """Run a rule with dice and answers drawn from what is offered; the position is checked throughout."""
    rng, asks, reply = random.Random(seed), list[Ask](), None
    while True:
        try:
            request = step.send(reply)
        except StopIteration:
            return asks
        reply = None
        match request:
            case Ask():
                asks.append(request)
                check_settled(state)
                for offered in (
                    request.default,
                    *request.options.describe(),
                    *(request.options.only() or ()),
                ):
                    assert refused(request, offered) is None, (request.topic, offered)
                reply = request.options.sample(rng)
                assert refused(request, reply) is None, (request.topic, reply)
            case Roll():
                reply = tuple(rng.randrange(1, 7) for _ in range(request.dice))
            case _:
                request.apply(state)
                check(state)
