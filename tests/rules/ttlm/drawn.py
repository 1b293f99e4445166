"""Positions drawn small, and rules run on them with answers and dice that a test names.

    state = drawn(
        turn=1, phasing="GE", offensive="OFF",
        armies={"GE1": ("AAC", "3I A"), "FR9": ("CHA", ""), "UK1": ("ART", "US 2I, UK A, E")},
        loose={"LIE": "BE I", "ARG": "FR 2I E C, GE G"},      # E: those named just before it are entrenched
        forts={"LIE": 2}, owner={"LIE": "GE"}, hands={"GE": "OFF ER2"}, deck="OFF LIM",
    )
    course = play(state, movement_phase(state, "GE"), {"turn.act": [Move(("AAC", "LIE"), army="GE1")]})
    assert course.told(ArmyMoved)[0].army == "GE1"

Everything that is not named is empty: no armies, no loose units, no forts, empty hands. Areas belong to whom
they belong to when the war begins. Counters that are not named lie in the pool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.pack import Pack, load_pack
from engine.games.to_the_last_man.rules.areas import friendly_areas
from engine.games.to_the_last_man.state import NATIONS, SIDES, State
from engine.kernel.errors import Refusal
from engine.kernel.requests import Answer, Ask, Draw, Mixed, Opening, Roll, Seat, Shuffle, Step, Together

PACK = load_pack()
PIECE = re.compile(r"(\d*)(CW|[ISCAGBTP])")

F = TypeVar("F")

Drawing: TypeAlias = dict[str, Any]  # keyword arguments of `drawn` that several positions share


def drawn(
    *,
    turn: int = 1,
    phasing: str = "GE",
    offensive: str = "OFF",  # "": a Pass
    armies: Mapping[str, tuple[str, str]] | None = None,
    loose: Mapping[str, str] | None = None,
    forts: Mapping[str, int] | None = None,
    owner: Mapping[str, str] | None = None,  # area: side
    hands: Mapping[str, str] | None = None,  # side: kinds of cards
    deck: str | None = None,  # kinds, top first; all cards not named anywhere are then out of the game
    discard: str = "",
    eliminated: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    pack: Pack = PACK,
    **fields: Any,  # of State, as they are: phase, number, moved, steps, used …
) -> State:
    scenario = pack.scenarios["1914"]
    state = State(
        pack=pack,
        scenario="1914",
        options={**pack.options, **pack.rulings, **(options or {})},
        first_turn=1,
        last_turn=23,
        turn=turn,
        phase="moves",
        phasing=side(phasing),
        number=1,
        offensive=offensive,
        owner={area: "GE" if area in scenario.german else "EN" for area in pack.areas},
        loose={area: [] for area in pack.areas},
        pool={nation: list(pack.units_of[nation]) for nation in NATIONS},
        held={side: [] for side in SIDES},
        laid={side: [] for side in SIDES},
        eliminated=sorted(eliminated),
    )
    state.owner.update({area: side(name) for area, name in (owner or {}).items()})
    state.forts = {area: (forts or {})[area] for area in pack.areas if area in (forts or {})}
    _set_armies(state, armies or {})
    for area, text in (loose or {}).items():
        for units, dug_in in _groups(state, text):
            state.loose[area] = sorted([*state.loose[area], *units])
            state.entrenched += units if dug_in else []
    state.entrenched.sort()
    _keep_corps(state)
    _deal(state, hands or {}, deck, discard)
    state.was_friendly = list(friendly_areas(state, side(phasing)))
    for name, value in fields.items():
        assert hasattr(state, name), name
        setattr(state, name, value)
    return state


def side(name: str) -> Side:
    return SIDES[SIDES.index(name)]


def _set_armies(state: State, armies: Mapping[str, tuple[str, str]]) -> None:
    for army in state.pack.armies:  # in their order
        if army not in armies:
            continue
        area, text = armies[army]
        groups = _groups(state, text, state.pack.armies[army].nation)
        state.army_at[army] = area
        state.contents[army] = sorted(unit for units, _ in groups for unit in units)
        if any(dug_in for _, dug_in in groups) or "E" in text.replace(",", " ").split():
            state.entrenched.append(army)


def _groups(state: State, text: str, nation: str = "") -> list[tuple[list[str], bool]]:
    """Counters out of the pool, each group with whether an E stands behind it."""
    found: list[tuple[list[str], bool]] = []
    for word in text.replace(",", " ").split():
        if word in NATIONS:
            nation = word
        elif word == "E":
            if found:
                found[-1] = (found[-1][0], True)
        else:
            match = PIECE.fullmatch(word)
            assert match, word
            number, type_ = int(match[1] or 1), match[2]
            pool = state.pool[nation]
            units = [unit for unit in pool if unit.startswith(f"{nation}.{type_}.")][:number]
            assert len(units) == number, f"{nation} {word}: not enough counters"
            for unit in units:
                pool.remove(unit)
            found.append((units, False))
    return found


def _keep_corps(state: State) -> None:
    """8.2.3 Commonwealth counters that have not come yet are in no pool."""
    for unit, row in state.pack.commonwealth.items():
        if row.turn >= state.turn and unit in state.pool["UK"]:
            state.pool["UK"].remove(unit)
            state.corps.append(unit)


def _deal(state: State, hands: Mapping[str, str], deck: str | None, discard: str) -> None:
    left = {kind: list(cards) for kind, cards in state.pack.copies.items()}

    def taken(text: str) -> list[str]:
        return [left[kind].pop(0) for kind in text.split()]

    state.hands = {side: sorted(taken(hands.get(side, ""))) for side in SIDES}
    state.discard = sorted(taken(discard))
    named = [] if deck is None else taken(deck)
    rest = [card for cards in left.values() for card in cards]
    state.deck, state.removed = (rest, []) if deck is None else (named, sorted(rest))


# ------------------------------------------------------------------ running a rule


@dataclass
class Course:
    """What a rule did: the facts and questions in their order, the dice, and what it returned."""

    state: State
    facts: list[Any] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    result: Any = None

    def told(self, kind: type[F]) -> list[F]:
        """Facts of that class."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def asked(self, topic: str) -> list[Ask]:
        return [ask for ask in self.asks if ask.topic == topic]

    def seen(self, seat: str) -> list[Any]:
        """The facts as that seat reads them."""
        shown = [
            fact if fact.audience is None or Seat(seat) in fact.audience else fact.redacted()
            for fact in self.facts
        ]
        return [fact for fact in shown if fact is not None]


Answers = Mapping[str, Any]  # "turn.act" or "GE turn.act" -> list of answers, or one for every such question


def play(state: State, step: Step, answers: Answers | None = None, dice: str = "", draws: str = "") -> Course:
    """Run a rule to its end. Questions take the next named answer, else the default; every named answer and
    die must be used. An answer may be a function of the Ask. A pile is not mixed.
    """
    course, faces, cards = Course(state), [int(face) for face in dice.split()], draws.split()
    given = {key: list(value) for key, value in (answers or {}).items() if isinstance(value, list)}
    always = {key: value for key, value in (answers or {}).items() if not isinstance(value, list)}

    def answered(ask: Ask) -> Answer:
        course.asks.append(ask)
        assert ask.options.contains(ask.default), (ask.topic, ask.default, ask.options.why_not(ask.default))
        answer = _next_answer(ask, given, always)
        refusal: Refusal | None = ask.options.why_not(answer)
        assert refusal is None, (ask.topic, answer, refusal)
        assert ask.options.contains(answer), (ask.topic, answer)
        return answer

    reply: Any = None
    while True:
        try:
            request = step.send(reply)
        except StopIteration as stop:
            course.result = stop.value
            break
        reply = _reply(course, request, answered, faces, cards)
    assert not faces, f"dice left over: {faces}"
    assert not any(given.values()), f"answers left over: {given}"
    return course


def _next_answer(ask: Ask, given: dict[str, list[Answer]], always: Mapping[str, Answer]) -> Answer:
    for key in (f"{ask.seat} {ask.topic}", ask.topic):
        if given.get(key):
            answer = given[key].pop(0)
        elif key in always:
            answer = always[key]
        else:
            continue
        return answer(ask) if callable(answer) else answer
    return ask.default


def _reply(
    course: Course, request: Any, answered: Callable[[Ask], Answer], faces: list[int], cards: list[str]
) -> Any:
    match request:
        case Ask():
            return answered(request)
        case Together(asks):
            return tuple(answered(ask) for ask in asks)
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
            course.openings.append(request)
            return None
        case _:
            course.facts.append(request)
            request.apply(course.state)
            return None
