"""A drawn position, one segment played on it, and what happened: for the rules from combat on.

    state = position({3: "DE5 FR2"}, hands={"WA": "A01"})
    course = battle(state, "DE", 3, "DE5", "1 S", answers={"combat.defence_tile": "A01"})
    assert course.one(CombatResolved).totals == (4, 3)

The segment runs on the board's real table, so facts come back through the journal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games.first_world_war import order_of_play
from engine.games.first_world_war.answers import Attack, Faction
from engine.games.first_world_war.facts.board import PhaseBegan
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.rules.position import KEYS
from engine.games.first_world_war.state import State
from engine.kernel.game import GameSettings
from engine.kernel.requests import Ask, Segment
from tests.rules.fww.board import PACK, Board


def position(
    fronts: Mapping[int, str] | None = None, *, turn: int = 3, players: int = 4, **drawn: Any
) -> State:
    """Initial control, 6 points each, empty hands and cups but for what is named; the rest are switches."""
    options = {name: drawn.pop(name) for name in sorted(set(drawn) - set(KEYS))}
    cups = {"ALLIES": "", "CENTRAL": ""} | drawn.pop("cups", {})
    drawing = {"turn": turn, "fronts": fronts or {}, "cups": cups, "reinforcements": False, **drawn}
    state: State
    state, _ = GAME.position(PACK, GameSettings(players=players, options=options), drawing)
    return state


@dataclass(frozen=True)
class Course:
    """Everything that happened, in order: facts, questions, dice."""

    facts: list[Any]
    asks: list[Ask]
    order: list[str]  # class names of facts, topics of answers, purposes of rolls and draws
    rolls: list[tuple[str, str]]  # seat, purpose
    draws: list[tuple[str, str, list[str]]]  # seat, purpose, what lay in the cup
    following: str | None  # key of the segment that comes next

    def of(self, kind: type) -> list[Any]:
        return [fact for fact in self.facts if type(fact) is kind]

    def one(self, kind: type) -> Any:
        (fact,) = self.of(kind)
        return fact

    def asked(self, topic: str) -> list[Ask]:
        return [ask for ask in self.asks if ask.topic == topic]

    def ask(self, topic: str) -> Ask:
        (ask,) = self.asked(topic)
        return ask


Answers = Mapping[Any, Any]  # topic, or (topic, faction) where several are asked


def battle(
    state: State,
    faction: Faction,
    front: int,
    armies: str,
    dice: str = "",
    draws: str = "",
    answers: Answers | None = None,
    *,
    lead: str = "",
    tile: str = "",
    take: str = "",
) -> Course:
    """The faction's round: an attack with these armies, with the order's wishes for leader, tile, capture."""
    order = Attack(front, tuple(sorted(armies.split())), lead, tile, take)
    segment = order_of_play.round_(state.turn, state.round_order.index(faction) + 1)
    return _played(state, segment, dice, draws, {"round.action": order, **(answers or {})}, "round.action")


def check_victory(state: State, dice: str = "", answers: Answers | None = None) -> Course:
    """Phase 3 of the turn."""
    return _played(state, order_of_play.victory(state.turn), dice, "", answers or {})


def end_turn(state: State, answers: Answers | None = None, segments: int = 1) -> Course:
    """Phases 4 to 6 of the turn, and as many segments of the next one as wanted."""
    return _played(state, order_of_play.replacement(state.turn), "", "", answers or {}, segments=segments)


def _played(
    state: State,
    segment: Segment,
    dice: str,
    draws: str,
    answers: Answers,
    after: str = "",
    segments: int = 1,
) -> Course:
    """The segment on the real table; what lies before the answer to `after` is left out."""
    board = Board.__new__(Board)
    board.settings = GameSettings(players=state.players, options=state.options)
    board._start(state, segment)
    told = Told(answers, after, board)
    board.take_answer = told.take  # type: ignore[method-assign]  # of this board alone
    board.play(segments, dice, draws)
    assert not told.left, f"never asked: {sorted(map(str, told.left))}"
    return _course(board, after, told.before)


class Told:
    """Answers by topic or by topic and faction; each serves one question, and none before that to `after`."""

    def __init__(self, answers: Answers, after: str, board: Board) -> None:
        self.left, self.after, self.board = dict(answers), after, board
        self.before: list[Ask] = []  # what may be done at any time, before the action
        self.given: list[tuple[Ask, Any]] = []  # a sealed question comes again when the others are in

    def take(self, ask: Ask) -> tuple[Any] | None:
        if self.after in self.left and ask.topic != self.after:
            return None
        if self.after and ask.topic == "any_time" and type(self.board.facts[-1]) is PhaseBegan:
            self.before.append(ask)
            return None
        for key in ((ask.topic, ask.given.faction), ask.topic):
            if key in self.left:
                self.given.append((ask, self.left.pop(key)))
        return next(((answer,) for one, answer in self.given if one is ask), None)


def _course(board: Board, after: str, before: Sequence[Ask]) -> Course:
    lines = [data for line in board.table.journal.lines if (data := line.data)["k"] in ORDERED]
    asks = [ask for n, ask in enumerate(board.asked) if not any(ask is one for one in board.asked[:n])]
    if after:
        lines = lines[next(n for n, data in enumerate(lines) if data.get("topic") == after) + 1 :]
        asks = asks[next(n for n, ask in enumerate(asks) if ask.topic == after) + 1 :]
        asks = [ask for ask in asks if not any(ask is one for one in before)]
    facts = [board.table.codec.fact(data) for data in lines if data["k"] == "fact"]
    return Course(
        facts,
        asks,
        [_name(data) for data in lines],
        [(data["seat"], _name(data)) for data in lines if data["k"] == "roll"],
        [(data["seat"], _name(data), data["from"]) for data in lines if data["k"] == "draw"],
        board.next_key,
    )


ORDERED = {"fact": "fact", "answer": "topic", "roll": "label", "draw": "label"}


def _name(data: dict[str, Any]) -> str:
    """A fact's class, an answer's topic, a die's purpose: the second part of its label."""
    name: str = data[ORDERED[data["k"]]]
    return name.split("/")[1] if "label" in data else name
