"""The Game protocol: what the kernel, the service and the conformance suite need of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast

from engine.kernel.errors import Refusal
from engine.kernel.requests import Answer, Ask, Fact, Procedure, Rng, Seat, Segment

Tempo: TypeAlias = Literal["fast", "react", "strict"]
State: TypeAlias = Any
View: TypeAlias = Any
Language: TypeAlias = Literal["en", "fr"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is agreed before the first turn and pinned for the whole campaign."""

    scenario: str = "standard"
    players: int = 2
    tempo: Tempo = "fast"
    options: Mapping[str, Any] = field(default_factory=dict)  # optional rules and ruling switches, by name


@dataclass(frozen=True, slots=True)
class Window:
    """One exchange of letters. All Asks of one window are settled from what was on file when it closed.

    `once` marks a window of a single question (strict tempo, or a seat's own ASK), `public` one in which
    nothing is secret: what is on file answers there at once, and nobody is waited for who needs not be.
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


class Said(NamedTuple):
    """An answer that a line gives; the answer itself may be None (no tile, no capture)."""

    value: Answer


class Line(Protocol):
    """One line of a sheet, read: an answer given early."""

    @property
    def number(self) -> int: ...  # line number in the text, for receipts

    @property
    def may_fail(self) -> bool: ...  # if it cannot be done it is passed over and told, and holds no sheet

    def attempt(self, ask: Ask, view: View) -> Said | None:
        """What the line means to that Ask, legal or not, as its seat sees the board now; None: nothing."""

    def answer(self, ask: Ask, view: View) -> Said | None:
        """The attempt if the Ask offers it."""

    def asks(self, ask: Ask) -> bool:
        """True if the line is an unconditional ASK for this question."""

    def slot(self) -> str:
        """Standing lines with the same slot replace one another; '' for orders of a turn.

        They are consulted in the order of their slots: the particular sorts before the general.
        """

    def write(self, language: Language = "en") -> str:
        """Canonical notation."""

    def check(self, view: View) -> Refusal | None:
        """What would be refused if the line were carried out on this view now."""

    def out_of_turn(self, view: View) -> Refusal | None:
        """Why no question before the seat's next letter could want the line: it would be lost unseen."""

    def is_ahead(self, view: View) -> bool:
        """Bound to a later window: it stays on file until then, unless its seat sends other orders."""

    def is_over(self, view: View) -> bool:
        """What it was for has passed, though its window may not have come to its end."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text was read as: the good lines and, for each bad one, its refusal."""

    orders: tuple[Line, ...] = ()
    standing: tuple[Line, ...] = ()
    refusals: tuple[Refusal, ...] = ()


UNKNOWN_ORDER = "unknown-order"  # the reason of a line whose first word begins no order of the game


class Notation(Protocol):
    """A game's order language, English and French mixed at will."""

    joint_topics: frozenset[str]  # questions to which several lines may each give a part of the answer
    chained_topics: frozenset[str]  # questions to which lines are tried in sequence until one is legal
    sequence_topics: frozenset[str]  # questions put again and again: each line serves once, as written
    tacit_topics: frozenset[str]  # questions that a line answers by being there, whatever becomes of it

    def read(self, text: str, view: View) -> Reading: ...
    def preference(self, text: str, ask: Ask, view: View) -> Said | None:
        """Resolve an Ask's `plan`: the first choice of that preference which the Ask offers."""

    def write_answer(self, ask: Ask, answer: Answer, language: Language = "en", view: View = None) -> str:
        """The order line that gives this answer; reading it back gives the answer again.

        With the view, things are named as the seat's own pack names them; without it ids may have to do.
        """

    def joined(self, ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
        """What these lines say together, each of which answers the Ask; None: the first of them decides."""


def as_standing(notation: Notation, reading: Reading) -> Reading:
    """What was read in STANDING … END.

    A notation in which the same words may be an order of a turn or a standing one has a method
    `standing(reading) -> Reading`: what may stand goes among the standing lines, the rest stays where it is.
    """
    own: Callable[[Reading], Reading] | None = getattr(notation, "standing", None)
    return reading if own is None else own(reading)


class Planning(Protocol):
    """What a notation has besides where answers may carry a plan for later questions (`Ask.plan`)."""

    def plan_lines(self, plan: str, view: View) -> Sequence[Line]: ...
    def served(self, plan: str, ask: Ask, view: View) -> Sequence[Line]:
        """The lines of the plan that decide this question."""

    def in_force(self, plan: str, view: View) -> bool:
        """Questions may still come that the plan answers."""


def planning(notation: Notation) -> Planning | None:
    """None: the plans of this game are no lines."""
    return cast(Planning, notation) if hasattr(notation, "plan_lines") else None


def exchange_called(notation: Notation, word: str, pack: Any) -> str:
    """The key of the exchange of letters that a header of orders names.

    A notation that knows other names for one than its key has a method `exchange(word, pack) -> str | None`.
    """
    own: Callable[[str, Any], str | None] | None = getattr(notation, "exchange", None)
    return word if own is None else own(word, pack) or word


Bot: TypeAlias = Callable[[View, Ask, Rng], Answer]


class Foretold(NamedTuple):
    """A question that may come before the seat's next letter, and what is on file for it, in notation."""

    topic: str
    line: str  # a standing order, or what happens without one
    standing: bool


class Game(Protocol):
    """One game. Everything the kernel, the service and the conformance suite need of it."""

    id: str  # "fww"
    rules_version: str
    names: Mapping[str, str]  # language -> name
    players: tuple[int, ...]
    scenarios: tuple[str, ...]
    tail_cap: int  # most journal lines between a seam and an open Ask
    segments: Mapping[str, Callable[..., Procedure]]  # name -> procedure(state, *args)
    facts: Mapping[str, type]  # class name -> fact class
    answers: Mapping[str, Any]  # topic -> type of its answers
    notation: Notation
    bots: Mapping[str, Bot]  # "random" and others

    def load_pack(self, folder: Path | None = None) -> Any: ...
    def seats(self, settings: Settings) -> tuple[Seat, ...]: ...
    def set_up(self, pack: Any, settings: Settings) -> tuple[State, Segment]: ...
    def view(self, state: State, seat: Seat) -> View: ...
    def window(self, state: State, ask: Ask, tempo: Tempo) -> Window: ...
    def dump(self, state: State) -> Any: ...  # plain JSON data, without the pack
    def load(self, pack: Any, data: Any) -> State: ...
    def check(self, state: State) -> None: ...  # invariants; raises AssertionError
    def outcome(self, state: State) -> Outcome | None: ...
    def position(self, pack: Any, settings: Settings, overrides: Mapping[str, Any]) -> tuple[State, Segment]:
        """A position drawn by an umpire or a test (see `pbem try`)."""

    def odds(self, view: View, question: str) -> Any: ...
    def foreseen(self, view: View, standing: Sequence[Line], language: Language) -> Sequence[Foretold]:
        """What the seat may be asked before its next letter, from its view and its own standing orders."""

    def hidden(self, state: State, seat: Seat) -> Sequence[tuple[str, ...]]:
        """Groups of ids whose places `seat` cannot tell apart: the two-worlds test permutes them."""


class Illustrated(Protocol):
    """A game whose map can show more: a question drawn over it (MAP REACH …), a turn step by step."""

    def overlay(self, view: View, question: str) -> Any: ...  # None: nothing can be shown for that
    def frames(self, before: View, facts: Sequence[Fact]) -> Sequence[Any]:
        """`facts`: what everybody was told since `before`."""


def illustrated(game: Game) -> Illustrated | None:
    """The game itself if it can; None: its map shows the board and no more."""
    return cast(Illustrated, game) if hasattr(game, "overlay") and hasattr(game, "frames") else None


@dataclass(frozen=True, slots=True)
class Shows:
    """Of a game with a map whose receipts show it as the rehearsed orders leave it: `shows = Shows(…)`."""

    until: frozenset[str]  # segments: it is shown as it stands before one of them begins
    facts: frozenset[str]  # names of the facts that are worth it


def shows_of(game: Game) -> Shows | None:
    """None: its receipts tell of lines and no more."""
    return getattr(game, "shows", None)


def allies_of(game: Game, state: State, seat: Seat) -> tuple[Seat, ...]:
    """Who wins and loses with that seat: a game that has such has a method `allies(state, seat)`."""
    own: Callable[[State, Seat], tuple[Seat, ...]] | None = getattr(game, "allies", None)
    return () if own is None else own(state, seat)


class Examples(Protocol):
    """Orders that are good on one view, for the forms in letters; beside this what the game's forms name."""

    def questions(self, kind: str) -> Sequence[Ask]:
        """What an exchange of letters of that kind asks of the seat, beside what is open already."""


def examples_of(game: Game, view: View, language: Language) -> Examples | None:
    """A game whose forms want more than the view has a method `examples(view, language) -> Examples`."""
    own: Callable[[View, Language], Examples] | None = getattr(game, "examples", None)
    return None if own is None else own(view, language)


def forms_of(game: Game) -> tuple[Settings, ...]:
    """What a trial of all its rules plays in turn: `forms = (Settings(…), …)`; none: its first scenario."""
    return getattr(game, "forms", ())


def check_fact(game: Game, state: State) -> None:
    """The invariants that hold after every fact.

    A game whose `check` holds only where no rule is half done has a method `check_fact(state)` besides.
    """
    getattr(game, "check_fact", game.check)(state)


class Views(Protocol):
    """What the seats see of one campaign's position; it is told by which facts that has changed."""

    def __call__(self, seat: Seat) -> View: ...
    def look_again(self, facts: Sequence[Fact] | None = None) -> None: ...  # None: anything may be different


class SingleViews:
    """Every view is built by itself."""

    __slots__ = ("_game", "_state")

    def __init__(self, game: Game, state: State) -> None:
        self._game, self._state = game, state

    def __call__(self, seat: Seat) -> View:
        return self._game.view(self._state, seat)

    def look_again(self, facts: Sequence[Fact] | None = None) -> None:
        """Nothing was kept."""


def views_of(game: Game, state: State) -> Views:
    """A game in which much is public may have a method `views(state) -> Views`, which works it out once."""
    own: Callable[[State], Views] | None = getattr(game, "views", None)
    return SingleViews(game, state) if own is None else own(state)


def shown(fact: Fact, seat: Seat | None) -> Fact | None:
    """The fact as that seat may read it (None: as everyone may)."""
    if fact.audience is None or (seat is not None and seat in fact.audience):
        return fact
    return fact.redacted()
