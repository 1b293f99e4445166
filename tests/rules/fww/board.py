"""A position drawn small, played segment by segment on a real table with forced dice.

    board = Board(turn=2, faction="DE", fronts={2: "DE1 DE2 DE:D", 1: "BE1"})
    board.answer("DE", Move(2, (("DE1", 1),)))            # an answer as such …
    board.orders(DE="MOVE 2: DE1 > 1", WA="DEFEND ALL: LEAD WEAKEST")       # … or in the order language
    board.play(dice="2 S", draws="A01")                   # one segment; what nobody answers goes by default
    assert board.on(1, "DE") == ["DE1"]

Keys of the drawing are those of `rules/position.py`. Factions name seats too: `board.view("WA")`.
"""

from __future__ import annotations

import textwrap
from typing import Any, TypeAlias, TypeVar

from engine.games.first_world_war.answers import (
    AnyTime,
    Attack,
    Deploy,
    Faction,
    Move,
    Pass,
    Slots,
    Transfer,
)
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.pack import load_pack
from engine.games.first_world_war.state import State
from engine.games.first_world_war.view import View
from engine.kernel.errors import Refusal
from engine.kernel.fairness.dice import ForcedDice
from engine.kernel.game import GameSettings, Tempo, Window, fact_for
from engine.kernel.records import Pause, automa_answer
from engine.kernel.requests import Answer, Ask, Seat, Segment
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Table

PACK = load_pack()
FACES: dict[str, int] = {printed: number for number, printed in reversed(list(enumerate(PACK.die.faces, 1)))}
TOPICS = {Deploy: "deploy", Slots: "order.slots", AnyTime: "any_time"} | dict.fromkeys(
    (Attack, Move, Transfer, Pass), "round.action"
)
LONGEST = 400  # pauses within one `play`: more means that it never ends

F = TypeVar("F")

Drawing: TypeAlias = dict[str, Any]  # keyword arguments of a `Board`, built before it is


class SegmentDone(Exception):
    """The segments that were to be played are over."""


class Stepwise(Table):
    """A table that stops between segments, takes answers a test has named, and stops where a test looks."""

    left = 0
    wanted = ""  # a question of this topic stays open
    board: Board

    def _begin_segment(self, segment: Segment) -> None:
        if self.left == 0:
            raise SegmentDone
        self.left -= 1
        super()._begin_segment(segment)

    def _settle(self, question: str, ask: Ask, closed: bool) -> FiledAnswer | Window:
        self.board.asked.append(ask)
        assert ask.options.contains(ask.default), (ask.topic, ask.default)
        if ask.topic == self.wanted and not closed:
            return Window(question, (ask.seat,), once=True)
        if (named := self.board.take_answer(ask)) is not None:
            return FiledAnswer(automa_answer(ask, named[0]).answer, "reply")
        return super()._settle(question, ask, closed)


class Board:
    """One drawn position and everything that happened on it since."""

    def __init__(self, *, scenario: str = "standard", players: int = 4, tempo: Tempo = "fast", **drawn: Any):
        self.settings = GameSettings(scenario, players, tempo, drawn.get("options", {}))
        state, segment = GAME.position(PACK, self.settings, {"reinforcements": False, **drawn})
        self._start(state, segment)

    @classmethod
    def fresh(
        cls, scenario: str = "standard", players: int = 4, tempo: Tempo = "fast", **options: Any
    ) -> Board:
        """A new game before its first segment."""
        board = cls.__new__(cls)
        board.settings = GameSettings(scenario, players, tempo, options)
        board._start(*GAME.set_up(PACK, board.settings))
        return board

    def _start(self, state: State, segment: Segment) -> None:
        self.table = Stepwise.at(GAME, PACK, self.settings, state, segment, ForcedDice())
        self.table.board = self
        self.asked: list[Ask] = []  # every question posed, answered or not
        self._answers: list[tuple[Faction, str, Answer]] = []
        self._files: dict[Seat, OrderFile] = {}

    # ------------------------------------------------------------ what players say

    def answer(self, faction: Faction, answer: Answer, topic: str = "") -> Board:
        """The faction's next answer of that topic; the type of answer tells most topics."""
        self._answers.append((faction, topic or TOPICS[type(answer)], answer))
        return self

    def take_answer(self, ask: Ask) -> tuple[Answer] | None:
        for number, (faction, topic, answer) in enumerate(self._answers):
            if (ask.given.faction, ask.topic) == (faction, topic):
                del self._answers[number]
                return (answer,)
        return None

    def orders(self, **texts: str) -> Board:
        """Order sheets by faction (or seat), in the order language; every line must be readable.

        Lines add up; a standing order replaces an older one in its slot.
        """
        for who, text in texts.items():
            reading = self.read(who, text)
            assert reading.refusals == (), reading.refusals
            seat = self.seat(who)
            old = self._files.get(seat, OrderFile())
            standing = {line.slot(): line for line in (*old.standing, *reading.standing)}
            self._files[seat] = OrderFile(old.sheet + reading.orders, tuple(standing.values()))
        return self

    def read(self, who: str, text: str) -> Any:
        """What the order language makes of a text; a seat with two factions gets `who` before each line."""
        view = self.view(who)
        text = textwrap.dedent(text).strip()
        if len(view.factions) > 1 and who in view.factions:
            text = "\n".join(f"{who} {line}" for line in text.splitlines())
        return GAME.notation.read(text, view)

    # ------------------------------------------------------------ running

    def play(self, segments: int = 1, dice: str = "", draws: str = "") -> Board:
        """So many segments to their end. Dice by printed face ("2 S"), draws by id; none may be left over."""
        forced = ForcedDice([FACES[face] for face in dice.split()], draws.split())
        self.table.dice = forced
        self.table.left = segments - int(self.table.pause is not None)
        try:
            for _ in range(LONGEST):
                if self.table.advance(self._files) is None:
                    break
            else:
                raise AssertionError("this never ends")
        except SegmentDone:
            pass
        GAME.check(self.state)
        assert forced.leftover == ((), ()), f"left over: {forced.leftover}"
        assert not self._answers, f"never asked: {self._answers}"
        return self

    def play_to(self, key: str) -> Board:
        """On to the beginning of the segment with that key, without dice."""
        while self.table.segment is not None and self.table.segment.key != key:
            self.play()
        assert self.table.segment is not None, f"{key} never came"
        return self

    def ask(self, topic: str = "round.action", dice: str = "", draws: str = "") -> Ask:
        """On to the next question of that topic in this segment, which stays open."""
        if (ask := self._open(topic)) is not None:
            return ask
        self.table.dice = ForcedDice([FACES[face] for face in dice.split()], draws.split())
        self.table.left = int(self.table.pause is None)
        self.table.wanted = topic
        try:
            while (ask := self._open(topic)) is None:
                self.table.advance(self._files)
        except SegmentDone:
            raise AssertionError(f"{topic} is not asked in this segment") from None
        finally:
            self.table.wanted = ""
        return ask

    def _open(self, topic: str) -> Ask | None:
        pause: Pause | None = self.table.pause
        return next((ask for _, ask in pause.asks if ask.topic == topic), None) if pause else None

    def refusal(self, answer: Answer, topic: str = "") -> Refusal | None:
        """Why the question that is open would not take that answer; None: it would."""
        options = self.ask(topic or TOPICS[type(answer)]).options
        refusal = options.why_not(answer)
        assert options.contains(answer) == (refusal is None)
        return refusal

    def why(self, answer: Answer, topic: str = "") -> tuple[str, str] | None:
        """Rule and reason of the refusal."""
        refusal = self.refusal(answer, topic)
        return None if refusal is None else (refusal.rule, refusal.reason)

    def refused(self, topic: str = "round.action", **texts: str) -> list[tuple[str, str]]:
        """Rule and reason of every line that is not understood, or that the open question does not take."""
        ask = self.ask(topic)
        found: list[Refusal] = []
        for who, text in texts.items():
            reading = self.read(who, text)
            found += reading.refusals
            on_file = OrderFile(reading.orders, reading.standing)
            found += [refusal for _, refusal in on_file.refused(ask, self.view(who))]
        return [(refusal.rule, refusal.reason) for refusal in found]

    # ------------------------------------------------------------ what happened

    @property
    def state(self) -> State:
        state: State = self.table.state
        return state

    @property
    def next_key(self) -> str | None:
        """Key of the segment that is played now or next."""
        return self.table.segment.key if self.table.segment else None

    def lines(self, kind: str) -> list[dict[str, Any]]:
        return [data for line in self.table.journal.lines if (data := line.data)["k"] == kind]

    @property
    def facts(self) -> list[Any]:
        """Every fact, in order, as the journal has kept it."""
        return [self.table.codec.fact(line) for line in self.lines("fact")]

    def of(self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if type(fact) is kind]

    def one(self, kind: type[F]) -> F:
        (fact,) = self.of(kind)
        return fact

    def read_by(self, who: str) -> list[Any]:
        """The facts as that faction's seat may read them."""
        return [seen for fact in self.facts if (seen := fact_for(fact, self.seat(who))) is not None]

    @property
    def rolls(self) -> list[tuple[str, str]]:
        """Seat and printed face of every die."""
        return [(r["seat"], PACK.die.faces[face - 1]) for r in self.lines("roll") for face in r["faces"]]

    # ------------------------------------------------------------ what lies where

    def seat(self, who: str) -> Seat:
        """The seat of that name, or of that faction."""
        seats = dict[str, Seat](self.state.seats.items())
        return seats.get(who, Seat(who))

    def view(self, who: str) -> View:
        view: View = self.table.view(self.seat(who))
        return view

    def on(self, front: int, faction: Faction | None = None) -> list[str]:
        """Counters on a front, of all colours or of one."""
        return list(self.state.fronts[front]) if faction is None else self.state.counters(front, faction)
