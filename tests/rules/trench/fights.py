"""Positions in the notation of the conformance cases, and rules run on them with dice and answers by name.

    state = field("DE.CAR1@D4 d3 x3", "GB.INF1@C3 d1 x2", "DE.MOR1@fort:B2", own="B2=DE")
    course = fight(state, "DE.CAR1 GB.INF1", dice="1 3 5 6 6 7 8 9 11 12 / 1 2 3 4 5 6 7 8 9 10 12")
    assert marks(state, "DE.CAR1") == "d4 x4"

The board is the full one unless two nations are named; it is the turn of DE unless another is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as value
from typing import Any, TypeVar

from engine.games.trench_club.answers import Attack, Direction
from engine.games.trench_club.facts.combat import CombatFought, Shot
from engine.games.trench_club.pack import load_pack
from engine.games.trench_club.rules.combat import combat
from engine.games.trench_club.state import State, Unit, board_in_play
from engine.kernel.errors import Refusal
from engine.kernel.requests import Ask, Draw, Roll, Step

PACK = load_pack()
UNIT = re.compile(r"(\w\w)\.([A-Z]{3})(\d+)@(?:fort:)?(\w+)((?: [dx]\d| [ABC])*)")
DIRECTIONS: tuple[Direction, ...] = ("N", "NE", "SE", "S", "SW", "NW")

F = TypeVar("F")


def field(
    *units: str,
    own: str = "",
    nations: str = "DE GB AH FR",
    active: str = "DE",
    money: Mapping[str, int] | None = None,
    coop: bool = False,
    automa: str = "",
    options: Mapping[str, Any] | None = None,
    **fields: Any,
) -> State:
    """Nations stand in the ring's order; in a co-op all but the automa's are one camp."""
    playing = [nation for nation in PACK.ring if nation in nations.split()]
    people = tuple(nation for nation in nations.split() if nation != automa)
    camp_of = {nation: people[0] if coop and nation in people else nation for nation in playing}
    ring = tuple(dict.fromkeys(camp_of.values()))
    chosen = {**PACK.options, "coop": coop, **(options or {})}
    grid = PACK.grids[board_in_play(chosen, camp_of)]
    state = State(PACK, grid, chosen, ring, camp_of, people, automa, "combat", 3, ring, active)
    state.forts = {fort: "" for fort in PACK.forts if fort in grid}
    state.forts.update({fort: owner for fort, _, owner in (word.partition("=") for word in own.split())})
    state.money = {camp: (money or {}).get(camp, 0) for camp in ring}
    for text in units:
        put(state, text)
    for name, given in fields.items():
        assert hasattr(state, name), name
        setattr(state, name, given)
    return state


def put(state: State, text: str) -> None:
    found = UNIT.fullmatch(text)
    assert found, text
    nation, code, number, hex_, rest = found.groups()
    unit, type_ = f"{nation}.{code}{number}", PACK.type_of_code[code]
    assert unit not in state.units and hex_ in state.grid and hex_ not in state.on, text
    mark = {word[0]: int(word[1:]) for word in rest.split() if word[0] in "dx"}
    company: Any = next((word for word in rest.split() if word in "ABC"), "")
    state.units[unit] = Unit(unit, nation, type_, hex_, mark.get("d", 0), mark.get("x", 0), company)
    state.made[f"{nation}.{code}"] = max(int(number), state.made.get(f"{nation}.{code}", 0))
    if hex_ not in state.forts:
        state.on[hex_] = unit


def marks(state: State, unit: str) -> str:
    """Damage and experience, "gone" if it was destroyed."""
    if unit not in state.units:
        return "gone"
    found = state.units[unit]
    return " ".join(f"{mark}{n}" for mark, n in (("d", found.damage), ("x", found.xp)) if n)


# ------------------------------------------------------------------ running a rule


@dataclass
class Course:
    """What a rule did: facts, questions and dice in their order, and what it returned."""

    state: State
    facts: list[Any] = value(default_factory=list)
    asks: list[Ask] = value(default_factory=list)
    rolls: list[Roll] = value(default_factory=list)
    draws: list[Draw] = value(default_factory=list)
    result: Any = None

    def told(self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def rolled(self) -> list[tuple[str, int]]:
        return [(roll.why, roll.dice) for roll in self.rolls]

    def shots(self) -> list[Shot]:
        return [shot for fought in self.told(CombatFought) for shot in fought.shots]


def play(
    state: State, step: Step, answers: Mapping[str, list[Any]] | None = None, dice: str = "", draws: str = ""
) -> Course:
    """Run a rule to its end. Questions take the next named answer, else the default.

    Every named answer and die must be used.
    """
    course = Course(state)
    faces = [int(face) for face in dice.replace("/", " ").split()]
    cards, given = draws.split(), {topic: list(listed) for topic, listed in (answers or {}).items()}
    reply: Any = None
    while True:
        try:
            request = step.send(reply)
        except StopIteration as stop:
            course.result = stop.value
            break
        reply = None
        match request:
            case Ask():
                reply = _answer(course, request, given)
            case Roll():
                assert len(faces) >= request.dice, f"{request.why}: {request.dice} dice wanted: {faces}"
                assert all(face <= request.sides for face in faces[: request.dice])
                course.rolls.append(request)
                reply, faces = tuple(faces[: request.dice]), faces[request.dice :]
            case Draw():
                course.draws.append(request)
                assert cards and cards[0] in request.items, (cards, request.items)
                reply = (cards.pop(0),)
            case _:
                course.facts.append(request)
                request.apply(state)
    assert not faces, f"dice left over: {faces}"
    assert not any(given.values()), f"answers left over: {given}"
    return course


def _answer(course: Course, ask: Ask, given: dict[str, list[Any]]) -> Any:
    course.asks.append(ask)
    assert ask.options.contains(ask.default), ask.options.why_not(ask.default)
    for key in (f"{ask.seat} {ask.topic}", ask.topic):
        if given.get(key):
            answer = given[key].pop(0)
            assert ask.options.why_not(answer) is None, (answer, ask.options.why_not(answer))
            assert ask.options.contains(answer)
            return answer
    return ask.default


def attack(text: str) -> Attack:
    """ "DE.CAR1 GB.INF1" or "DE.GAS1 N" """
    unit, target = text.split()
    if target in DIRECTIONS:
        return Attack(unit, toward=DIRECTIONS[DIRECTIONS.index(target)])
    return Attack(unit, target)


def fight(state: State, *attacks: str, dice: str = "") -> Course:
    """Phase 3 with that list."""
    state.attacks = [attack(text) for text in attacks]
    return play(state, combat(state), dice=dice)


def refused(refusal: Refusal | None, rule: str, reason: str, **facts: Any) -> bool:
    """It is that refusal, and tells at least these facts."""
    assert refusal is not None, f"not refused: {rule} {reason}"
    assert (refusal.rule, refusal.reason) == (rule, reason), refusal
    told = {name: refusal.facts.get(name) for name in facts}
    assert told == facts, refusal
    return True
