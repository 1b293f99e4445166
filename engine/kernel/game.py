"""What a game says: its lines, its notation, and the game itself, for kernel, service and conformance suite.

Each declares every name that is read from outside, abstract or with a default (see `engine.kernel.contract`).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from engine.kernel.briefing import BriefingItem
from engine.kernel.contract import Contract
from engine.kernel.errors import Refusal
from engine.kernel.possible import Examples, PossibleOrders, described
from engine.kernel.requests import Answer, Ask, Fact, Procedure, Rng, Seat, Segment
from engine.kernel.retrospect import Retrospect
from engine.kernel.suppositions import Suppositions
from engine.kernel.views import SingleViews, Views

if TYPE_CHECKING:  # it reads tables with pydantic, which not every command has to load
    from engine.kernel.pack import GamePack

Tempo: TypeAlias = Literal["fast", "react", "strict"]
State: TypeAlias = Any
View: TypeAlias = Any  # what a seat may know; its `seat` says whose view it is
Language: TypeAlias = Literal["en", "fr"]

_KEY = re.compile(r"T\d+(?:\.\w+)*")  # of a window, in most games


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What is agreed before the first turn and pinned for the whole campaign."""

    scenario: str = "standard"
    players: int = 2
    tempo: Tempo = "fast"
    options: Mapping[str, Any] = field(default_factory=dict)  # optional rules and ruling switches, by name


@dataclass(frozen=True, slots=True)
class Window:
    """One exchange of letters. All Asks of one window are settled from what was on file when it closed.

    `once` marks a window of a single question (strict tempo, or a seat's own ASK), `public` one in which
    nothing is secret: what is on file answers there at once, and nobody is waited for without need.
    Key and seats are public: they may depend on public facts and the tempo only.
    """

    key: str
    seats: tuple[Seat, ...]
    once: bool = False
    public: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winners: tuple[Seat, ...]  # empty: everybody lost
    reason: str  # a code: "surrender", "victory-points"
    scores: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return {"winners": list(self.winners), "reason": self.reason, "scores": dict(self.scores)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """What `to_dict` wrote."""
        return cls(tuple(data["winners"]), data["reason"], data["scores"])


# ------------------------------------------------------------------ order lines


class Said(NamedTuple):
    """An answer that a line gives; the answer itself may be None (no tile, no capture)."""

    value: Answer


def if_offered(ask: Ask, said: Said | None) -> Said | None:
    """What was said, if the question offers it."""
    return said if said is not None and ask.options.contains(said.value) else None


class Line(Contract):
    """One line of a sheet, read: an answer given early. A game's lines are frozen dataclasses."""

    __slots__ = ()
    _has_fields: ClassVar[bool] = True

    number: int  # line number in the text, for receipts; a field that does not count when lines are compared

    @property
    def numbers(self) -> tuple[int, ...]:
        """All lines of the text that it was read from: parts of one order may stand apart."""
        return (self.number,)

    # -------------------------------------------------------- what it answers

    def attempt(self, ask: Ask, view: View) -> Said | None:
        """What the line means to that Ask, legal or not, as its seat sees the board now; None: nothing."""
        return None

    def answer(self, ask: Ask, view: View) -> Said | None:
        """The attempt if the Ask offers it."""
        return if_offered(ask, self.attempt(ask, view))

    def asks(self, ask: Ask) -> bool:
        """Is the line an unconditional ASK for this question?"""
        return False

    @property
    def topics(self) -> tuple[str, ...]:
        """The questions it is for; () where the game does not count lines by topic."""
        return ()

    @property
    def stays(self) -> bool:
        """A policy: where each line serves once (`Notation.sequence_topics`), this one serves every time."""
        return False

    @property
    def decides(self) -> str:
        """The question, on its condition, that the line means to answer alone.

        Two lines of one sheet that decide the same contradict each other. '' : others may stand beside it,
        as its questions are a sequence, a chain, or answered in parts.
        """
        return ""

    def serves(self, ask: Ask, beside: bool = False) -> bool:
        """Is this question what the line is for? `beside`: another line gave the answer, this one joined it.

        Some lines only go along with an answer: what they are for comes later, or was said by another.
        """
        return True

    def is_weighed(self, ask: Ask, view: View) -> bool:
        """Does a condition of the line decide whether it answers this question?"""
        return False

    def is_meant(self, ask: Ask, view: View) -> bool:
        """Is it about this question, on its condition or without one?"""
        return self.is_weighed(ask, view) or self.attempt(ask, view) is not None

    # -------------------------------------------------------- filing and writing

    def slot(self) -> str:
        """Standing lines of one slot replace one another; tried sorted by slot. '' for orders of a turn."""
        return ""

    def series(self) -> str:
        """Standing lines of one series are tried in turn; a later letter replaces them together."""
        return self.slot()

    @abstractmethod
    def write(self, language: Language = "en") -> str:
        """Canonical notation."""

    @property
    def plan(self) -> str:
        """The plan for later questions that the line is a part of, in notation; '' for none (`Ask.plan`)."""
        return ""

    @property
    def is_planned(self) -> bool:
        """Does it serve only as a part of its plan, while that is in force?"""
        return False

    @property
    def contingent(self) -> bool:
        """Is it there for a case that may never come? Then it is reported as spared, not as unused."""
        return False

    # -------------------------------------------------------- judging

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        """Is a sheet with this line its seat's turn in that window, or is more awaited, until READY?

        Not asked where the window is one question: its answer is the turn. By default every order of a turn
        makes it, and no standing order. Where something may be said beside the turn (a gift, a policy) a game
        says which make it: those that the window is for, and PASS. What a window is for may rest on the
        campaign's tempo, and on what has been asked in it before.
        """
        return not self.slot()

    @property
    def may_fail(self) -> bool:
        """If it cannot be done it is passed over and reported, and does not hold back its sheet."""
        return False

    def check(self, view: View) -> Refusal | None:
        """What would be refused if the line were carried out on this view now."""
        return None

    def never(self, view: View) -> Refusal | None:
        """Why it can never be done, whatever happens before its question: it holds back its sheet.

        By its own words, the printed tables and what cannot change, and nothing that its seat does not see.
        """
        return None

    def out_of_turn(self, view: View) -> Refusal | None:
        """Why no question before the seat's next letter could want the line: it would be lost unseen."""
        return None

    def is_ahead(self, view: View) -> bool:
        """Bound to a later window: it stays on file until then, unless its seat sends other orders."""
        return False

    def is_over(self, view: View) -> bool:
        """What it was for has passed, though its window may not have come to its end."""
        return False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text was read as: the good lines and, for each bad one, its refusal."""

    orders: tuple[Line, ...] = ()
    standing: tuple[Line, ...] = ()
    refusals: tuple[Refusal, ...] = ()


UNKNOWN_ORDER = "unknown-order"  # the reason of a line whose first word begins no order of the game


class Notation(Contract):
    """A game's order language, English and French mixed at will."""

    joint_topics: frozenset[str] = frozenset()  # several lines may each give a part of the answer
    counted_topics: frozenset[str] = frozenset()  # of those: the same words twice mean twice as much
    chained_topics: frozenset[str] = frozenset()  # lines are tried in sequence until one is legal
    sequence_topics: frozenset[str] = frozenset()  # put again and again: each line serves once, as written

    @abstractmethod
    def read(self, text: str, view: View) -> Reading:
        """A letter's orders, standing orders, and all that is refused."""

    @abstractmethod
    def write_answer(self, ask: Ask, answer: Answer, language: Language = "en", view: View = None) -> str:
        """The order line that gives this answer; reading it back gives the answer again.

        With the view, things are named as the seat's own pack names them; without it ids may have to do.
        """

    def join(self, ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
        """What these lines say together, each of which answers the Ask; a part dropped would be told as done.

        Offered or not. None: the last of them has nothing to add to the others.
        """
        return None

    def make_standing(self, reading: Reading) -> Reading:
        """What was read in STANDING … END: lines that may stand become standing, the rest stays as it is.

        For a notation in which the same words may be an order of a turn or a standing one.
        """
        return reading

    def exchange_key(self, word: str, pack: Any) -> str | None:
        """The key of the exchange of letters that a header of orders calls so, or of its turn; None: of none.

        `T4`, `T4.C2`, and the turn's number alone.
        """
        return f"T{word}" if word.isdigit() else word if _KEY.fullmatch(word) else None

    def preference(self, text: str, ask: Ask, view: View) -> Said | None:
        """An Ask's `plan`, resolved: the first choice of that preference which the Ask offers."""
        return None

    # -------------------------------------------------------- plans that are lines

    def plan_lines(self, plan: str, view: View) -> Sequence[Line]:
        """The lines of a plan that an answer carried (`Ask.plan`), where plans are written as lines."""
        return ()

    def deciding_lines(self, plan: str, ask: Ask, view: View) -> Sequence[Line]:
        """The lines of the plan that decide this question."""
        return ()

    def is_in_force(self, plan: str, view: View) -> bool:
        """May questions still come that the plan answers?"""
        return False

    @property
    def has_plan_lines(self) -> bool:
        """Are the plans of this game lines, each reported with what it decided?"""
        return type(self).plan_lines is not Notation.plan_lines


# ------------------------------------------------------------------ the game


Bot: TypeAlias = Callable[[View, Ask, Rng], Answer]


def random_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """Any answer that the Ask offers."""
    return ask.options.sample(rng)


class Forecast(NamedTuple):
    """A question that may come before the seat's next letter, and what is on file for it, in notation."""

    topic: str
    line: str  # a standing order, or what happens without one
    standing: bool


@dataclass(frozen=True, slots=True)
class ReceiptBoard:
    """When the receipt of a sheet shows the map as the rehearsed orders leave it."""

    until: frozenset[str]  # segments: it is shown as it stands before one of them begins
    facts: frozenset[str]  # names of the facts that are worth it


class Game(Contract):
    """One game. Its rules live in modules of their own; this class names them to the rest of the program."""

    id: str  # "fww"
    rules_version: str
    names: Mapping[str, str]  # language -> name
    players: tuple[int, ...]
    scenarios: tuple[str, ...]
    tail_cap: int  # most journal lines between a seam and an open Ask
    segments: Mapping[str, Callable[..., Procedure]]  # name -> procedure(state, *args)
    facts: Mapping[str, type[Fact]]  # class name -> fact class
    answers: Mapping[str, Any]  # topic -> type of its answers
    notation: Notation

    bots: Mapping[str, Bot] = MappingProxyType({"random": random_bot})  # that one, and others
    variants: tuple[GameSettings, ...] = ()  # ways to play that a trial of all rules goes through in turn
    whole_sheets: bool = False  # orders hang together: unless agreed otherwise a sheet counts whole or not
    receipt_board: ReceiptBoard | None = None  # None: receipts report on lines and show no board
    suppositions: Suppositions = Suppositions()  # how far the rehearsal of a sheet goes
    retrospect: Retrospect = Retrospect()  # how a game went, and what its dice were for

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.view is Game.view and cls.views is Game.views:
            raise TypeError(f"{cls.__name__} does not say: view, or views")

    # -------------------------------------------------------- set-up and state

    @abstractmethod
    def load_pack(self, folder: Path | None = None) -> GamePack:
        """The built-in data pack, or with the tables of a folder in place of its own."""

    @abstractmethod
    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        """Who plays, in the order of the rules."""

    @abstractmethod
    def set_up(self, pack: Any, settings: GameSettings) -> tuple[State, Segment]:
        """The position before the first turn, and the segment that begins it."""

    @abstractmethod
    def position(
        self, pack: Any, settings: GameSettings, overrides: Mapping[str, Any]
    ) -> tuple[State, Segment]:
        """A position drawn by an umpire or a test (see `pbem try`)."""

    @abstractmethod
    def dump(self, state: State) -> Any:
        """The state as plain JSON data, without the pack."""

    @abstractmethod
    def load(self, pack: Any, data: Any) -> State:
        """The state that `dump` wrote."""

    @abstractmethod
    def check(self, state: State) -> None:
        """Invariants, wherever no rule is half done; raises AssertionError."""

    def check_position(self, state: State, overrides: Mapping[str, Any]) -> None:
        """The invariants of a drawn position, in which pieces may be missing; raises AssertionError."""
        self.check(state)

    def check_fact(self, state: State) -> None:
        """The invariants that hold after every fact, if they are fewer."""
        self.check(state)

    # -------------------------------------------------------- what a seat sees

    def view(self, state: State, seat: Seat) -> View:
        """All that a seat may know. A game gives this or `views`."""
        return self.views(state)(seat)

    def views(self, state: State) -> Views:
        """All seats' views of one position, for a game in which much is public and can be worked out once."""
        return SingleViews(self, state)

    @abstractmethod
    def hidden(self, state: State, seat: Seat) -> Sequence[tuple[str, ...]]:
        """Groups of ids whose places `seat` cannot tell apart: the two-worlds test permutes them."""

    @abstractmethod
    def window(self, state: State, ask: Ask, tempo: Tempo) -> Window:
        """The exchange of letters in which that question is settled."""

    # -------------------------------------------------------- how it ends

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """How the game ended; None: it goes on."""

    def armistice_outcome(self, state: State) -> Outcome:
        """What it comes to if all seats agree to end the game now; by default nobody wins."""
        return Outcome((), "armistice")

    def resignation_outcome(self, state: State, seat: Seat) -> Outcome | None:
        """What it comes to if that seat, with its allies, gives up now; None: the rules do not say."""
        return None

    @property
    def knows_resignation(self) -> bool:
        """Do the rules say what a resignation comes to? If not, RESIGN only gives up the seat."""
        return type(self).resignation_outcome is not Game.resignation_outcome

    def why_not_resign(self, state: State, seat: Seat, agreed: Collection[str] = ()) -> Refusal | None:
        """Why a seat may not give up; None: it may. `agreed`: its allies, who are supposed to agree."""
        return None

    def allies(self, state: State, seat: Seat) -> tuple[Seat, ...]:
        """Who wins and loses with that seat, gives up only together with it, and may take it over."""
        return ()

    @property
    def knows_allies(self) -> bool:
        """Can there be allies at all?"""
        return type(self).allies is not Game.allies

    # -------------------------------------------------------- help for players and umpires

    def brief(self, before: View | None, view: View, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
        """What has changed for the reader of the view, how they stand, what threatens them.

        From their own view when the last window closed (None: there was none), and now, and from the facts
        that they may read. Without a seat it is for everybody: nothing of it is theirs.
        """
        return ()

    def conclude(self, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
        """How the battles ended of which these facts tell: one segment, as the reader may read it."""
        return ()

    def odds(self, view: View, question: str) -> Any:
        """The game's answer to ODDS, made of the seat's own view; None: nothing can be said."""
        return None

    def forecast(self, view: View, standing: Sequence[Line], language: Language) -> Sequence[Forecast]:
        """What the seat may be asked before its next letter, from its view and its own standing orders."""
        return ()

    def examples(self, view: View, language: Language) -> Examples | None:
        """Good orders for the game's order forms, where these want more than the view."""
        return None

    def possible(self, view: View, asks: Sequence[Ask], language: Language) -> Sequence[PossibleOrders]:
        """Orders that answer these questions and are legal on this view, by kind; nothing hidden is used."""
        return tuple(PossibleOrders("answer", described(self, view, ask, language)) for ask in asks)

    def overlay(self, view: View, question: str) -> Any:
        """What MAP REACH draws over the board; None: nothing can be shown for that."""
        return None

    def frames(self, before: View, facts: Sequence[Fact]) -> Sequence[Any]:
        """A turn step by step, for a strip of maps. `facts`: what everybody was told since `before`."""
        return ()

    def after_rollback(self, following: Segment, branch: int, facts: Collection[str]) -> Segment:
        """The segment with which a rolled-back branch begins; by default the one that stood there.

        What letters showed of a pile stays known: piles touched by facts since then are shuffled anew before.
        """
        return following


def fact_for(fact: Fact, seat: Seat | None) -> Fact | None:
    """The fact as that seat may read it (None: as everyone may)."""
    if fact.audience is None or (seat is not None and seat in fact.audience):
        return fact
    return fact.redacted()
