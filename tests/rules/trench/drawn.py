"""Positions drawn small, in the notation of the conformance cases, and rules run on them.

    state = drawn("DE.CAR1@D4 d3 x3, DE.INF1@fort:B2, GB.INF1@C3", "own B2=DE", active="DE")
    state = drawn("DE.TRK1@D5, DE.MOR1@DE.TRK1", "mine D4=GB, built F6=bridge", half="1-6", trench_rules=True)
    course = play(state, carry_out(state, Move("DE.CAR1", ("D5",))))
    assert course.told(UnitMoved)[0].cost == 1

A unit has its id and its hex, or the transport it is in; `d` damage, `x` experience, a letter its company.
Forts that are not named are neutral. The board is the full one unless a half is named: then two nations play,
those that are named first. Options of the game are keywords, and so are fields of the state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.games.trench_club.answers import COMPANIES
from engine.games.trench_club.pack import Pack, load_pack
from engine.games.trench_club.state import State, Unit
from engine.kernel.requests import Answer, Ask, Draw, Mixed, Opening, Roll, Shuffle, Step, Together

PACK = load_pack()
UNIT = re.compile(
    r"(?P<id>(?P<nation>[A-Z]{2})\.(?P<code>[A-Z]{3})(?P<number>\d+))@(?:fort:)?(?P<at>[A-Z.]+\d+)"
    r"(?: d(?P<damage>\d))?(?: x(?P<xp>\d))?(?: (?P<company>[ABC]))?"
)
FACT = re.compile(r"(own|mine|built|money) ([A-Z]+\d*)=(\w+)")

F = TypeVar("F")


def drawn(
    *texts: str | Pack,
    half: str = "",
    active: str = "DE",
    camps: Mapping[str, str] | None = None,
    **more: Any,
) -> State:
    """`camps`: nation -> camp, where two nations are one camp; the captain's name."""
    pack = next((text for text in texts if isinstance(text, Pack)), PACK)
    items = [item for text in texts if isinstance(text, str) for item in re.split(r"\s*,\s*", text) if item]
    options = {**pack.options, **({"half": half} if half else {})}
    options.update((name, more.pop(name)) for name in list(more) if name in options)
    nations = _nations(pack, items, half, active)
    camp_of = {nation: (camps or {}).get(nation, nation) for nation in nations}
    grid = pack.grids[half or "full"]
    ring = tuple(dict.fromkeys(camp_of[nation] for nation in pack.ring if nation in nations))
    state = State(
        pack=pack,
        grid=grid,
        options=options,
        ring=ring,
        camp_of=camp_of,
        seats=tuple(nation for nation in pack.ring if nation in nations),
        phase="moves",
        round=3,
        order=ring,
        active=active,
        forts={fort: "" for fort in pack.forts if fort in grid},
        money=dict.fromkeys(ring, 0),
    )
    for item in items:
        _put(state, item)
    for name, value in more.items():
        assert hasattr(state, name), name
        setattr(state, name, value)
    return state


def _nations(pack: Pack, items: list[str], half: str, active: str) -> list[str]:
    if not half:
        return list(pack.ring)
    named = [active, *(item[:2] for item in items if UNIT.fullmatch(item))]
    first = {pack.team_of[nation]: nation for nation in reversed((*named, "DE", "GB"))}
    first[pack.team_of[active]] = active
    return [nation for nation in pack.ring if nation in first.values()]


def _put(state: State, item: str) -> None:
    if (fact := FACT.fullmatch(item)) is not None:
        tables: dict[str, Any] = {"own": state.forts, "mine": state.mines, "built": state.built}
        table = {**tables, "money": state.money}[fact[1]]
        table[fact[2]] = int(fact[3]) if fact[1] == "money" else fact[3]
        return
    found = UNIT.fullmatch(item)
    assert found, item
    at, type_ = found["at"], state.pack.type_of_code[found["code"]]
    carrier = state.units.get(at)
    assert carrier or at in state.grid, item
    unit = Unit(
        found["id"],
        found["nation"],
        type_,
        carrier.at if carrier else at,
        int(found["damage"] or 0),
        int(found["xp"] or 0),
        next((one for one in COMPANIES if one == found["company"]), ""),
        at if carrier else "",
    )
    assert unit.id not in state.units, item
    assert unit.at not in state.on or carrier, item
    state.units[unit.id] = unit
    kind = f"{found['nation']}.{found['code']}"
    state.made[kind] = max(state.made.get(kind, 0), int(found["number"]))
    if state.is_on_map(unit.id):
        state.on[unit.at] = unit.id


def marks(state: State, unit: str) -> str:
    """Where a unit is and its markers, in the notation of the cases."""
    one = state.units[unit]
    damage, xp = f" d{one.damage}" if one.damage else "", f" x{one.xp}" if one.xp else ""
    return f"{'fort:' if one.at in state.forts else ''}{one.at}{damage}{xp}"


# ------------------------------------------------------------------ running a rule


@dataclass
class Course:
    """What a rule did: the facts and questions in their order, the dice, and what it returned."""

    state: State
    facts: list[Any] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    result: Any = None

    def told(self, kind: type[F]) -> list[F]:
        """Facts of that class."""
        return [fact for fact in self.facts if isinstance(fact, kind)]


def play(
    state: State, step: Step, answers: list[Answer] | None = None, dice: str = "", draws: str = ""
) -> Course:
    """Run a rule to its end. Questions take the next answer, else the default; all are used."""
    course, given = Course(state), list(answers or [])
    faces, cards = [int(face) for face in dice.split()], draws.split()
    reply: Any = None
    while True:
        try:
            request = step.send(reply)
        except StopIteration as stop:
            course.result = stop.value
            break
        reply = _reply(course, request, given, faces, cards)
    assert not faces, f"dice left over: {faces}"
    assert not given, f"answers left over: {given}"
    return course


def _answer(course: Course, ask: Ask, given: list[Answer]) -> Answer:
    course.asks.append(ask)
    assert ask.options.contains(ask.default), (ask.topic, ask.options.why_not(ask.default))
    answer = given.pop(0) if given else ask.default
    assert ask.options.why_not(answer) is None, (ask.topic, answer, ask.options.why_not(answer))
    assert ask.options.contains(answer), (ask.topic, answer)
    return answer


def _reply(course: Course, request: Any, given: list[Answer], faces: list[int], cards: list[str]) -> Any:
    match request:
        case Ask():
            return _answer(course, request, given)
        case Together(asks):
            return tuple(_answer(course, ask, given) for ask in asks)
        case Roll():
            assert len(faces) >= request.dice, f"{request.why}: {request.dice} dice wanted, left: {faces}"
            course.rolls.append(request)
            rolled = tuple(faces[: request.dice])
            del faces[: request.dice]
            return rolled
        case Draw():
            wanted = [cards.pop(0) for _ in range(request.count)] if cards else list(request.items)
            return tuple(wanted[: request.count])
        case Shuffle():
            return Mixed(request.cards, "00")
        case Opening():
            return None
        case _:
            course.facts.append(request)
            request.apply(course.state)
            return None
