"""A game of a page, to try the kernel with: two scouts hide in holes and guess.

Each turn both seats hide (secret, Together), the seat in turn guesses a hole (public), a die may spoil the
guess, a card is drawn into the hand (secret), one may be dropped (secret), and anybody may wave at any time
(volunteer). Four turns. Anybody may also mutter what nobody else hears (volunteer).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from engine.kernel.errors import Illegal, Refusal, Unreadable
from engine.kernel.game import (
    Game,
    GameSettings,
    Language,
    Line,
    Notation,
    Outcome,
    Reading,
    Said,
    Tempo,
    Window,
)
from engine.kernel.pack import GamePack, Labels
from engine.kernel.requests import (
    Answer,
    Ask,
    Choice,
    Draw,
    Fact,
    Procedure,
    PublicFact,
    Roll,
    Seat,
    Segment,
    Shuffle,
    Step,
    Together,
)

NORTH, SOUTH = Seat("NORTH"), Seat("SOUTH")
SEATS = (NORTH, SOUTH)
HOLES = ("H1", "H2", "H3")
CARDS = tuple(f"K{n}" for n in range(1, 9))
TURNS = 4
LABELS = Labels(
    segments=("T#.hide", "T#.guess"),
    purposes=("spoil.*/d6", "deck/shuffle", "card.*/draw"),
    source="toy",
)


@dataclass(slots=True)
class State:
    pack: Any
    turn: int = 1
    holes: dict[str, str] = field(default_factory=dict)
    hands: dict[str, list[str]] = field(default_factory=lambda: {"NORTH": [], "SOUTH": []})
    deck: list[str] = field(default_factory=lambda: list(CARDS))
    score: dict[str, int] = field(default_factory=lambda: {"NORTH": 0, "SOUTH": 0})
    waves: int = 0
    mutters: dict[str, list[str]] = field(default_factory=lambda: {"NORTH": [], "SOUTH": []})
    over: bool = False


@dataclass(frozen=True, slots=True)
class View:
    seat: Seat
    turn: int
    hole: str | None
    hand: tuple[str, ...]
    hand_sizes: tuple[int, int]
    score: tuple[int, int]
    waves: int
    muttered: tuple[str, ...]


# ------------------------------------------------------------------ facts


@dataclass(frozen=True, slots=True)
class TurnBegan(PublicFact):
    turn: int

    def apply(self, state: State) -> None:
        state.turn = self.turn
        state.holes = {}


@dataclass(frozen=True, slots=True)
class Hid(Fact):
    seat: Seat
    hole: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.holes[self.seat] = self.hole

    def redacted(self) -> Fact | None:
        return Vanished(self.seat)


@dataclass(frozen=True, slots=True)
class Vanished(PublicFact):
    seat: Seat

    def apply(self, state: State) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Guessed(PublicFact):
    seat: Seat
    hole: str
    face: int
    found: bool
    reveals: ClassVar[bool] = True

    def apply(self, state: State) -> None:
        state.score[self.seat] += self.found


@dataclass(frozen=True, slots=True)
class CardTaken(Fact):
    seat: Seat
    card: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.deck.remove(self.card)
        state.hands[self.seat] = sorted([*state.hands[self.seat], self.card])


@dataclass(frozen=True, slots=True)
class CardDropped(Fact):
    seat: Seat
    card: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.hands[self.seat].remove(self.card)
        state.deck = sorted([*state.deck, self.card])


@dataclass(frozen=True, slots=True)
class Waved(PublicFact):
    seat: Seat

    def apply(self, state: State) -> None:
        state.waves += 1


@dataclass(frozen=True, slots=True)
class Muttered(Fact):
    seat: Seat
    word: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.mutters[self.seat].append(self.word)


@dataclass(frozen=True, slots=True)
class Ended(PublicFact):
    def apply(self, state: State) -> None:
        state.over = True


@dataclass(frozen=True, slots=True)
class ScoreSet(PublicFact):
    """Only the umpire does this."""

    seat: Seat
    score: int

    def apply(self, state: State) -> None:
        state.score[self.seat] = self.score


FACTS = (TurnBegan, Hid, Vanished, Guessed, CardTaken, CardDropped, Waved, Muttered, Ended, ScoreSet)


# ------------------------------------------------------------------ rules


def hide(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    key = f"T{turn}.hide"
    answers = yield Together(tuple(_hiding(seat, key) for seat in SEATS))
    for seat, hole in zip(SEATS, answers, strict=True):
        yield Hid(seat, hole, (seat,))
    return Segment("guess", f"T{turn}.guess", (turn,))


def _hiding(seat: Seat, key: str) -> Ask:
    return Ask(seat, "hide", key, None, Choice(HOLES, "TOY-1"), HOLES[0], secret=True)


def guess(state: State, turn: int) -> Procedure:
    key = f"T{turn}.guess"
    for seat in SEATS:
        waves = Choice((False, True), "TOY-5")
        if (yield Ask(seat, "wave", key, None, waves, False, secret=True, volunteer=True)):
            yield Waved(seat)
        word = yield Ask(
            seat, "mutter", key, None, Choice(("", "HM", "HA"), "TOY-6"), "", secret=True, volunteer=True
        )
        if word:
            yield Muttered(seat, word, (seat,))
    seat, other = SEATS if turn % 2 else SEATS[::-1]
    hole = yield Ask(seat, "guess", key, None, Choice(HOLES, "TOY-2"), HOLES[1])
    (face,) = yield Roll(seat, f"spoil.{seat}")
    yield Guessed(seat, hole, face, found=face > 2 and state.holes[other] == hole)
    yield from take_card(state, seat, key)
    if turn < TURNS:
        return Segment("hide", f"T{turn + 1}.hide", (turn + 1,))
    yield Ended()
    return None


def take_card(state: State, seat: Seat, key: str) -> Step:
    mixed = yield Shuffle("deck", tuple(state.deck))
    assert sorted(mixed.order) == state.deck
    (card,) = yield Draw(seat, f"card.{seat}", tuple(state.deck))
    yield CardTaken(seat, card, (seat,))
    hand = tuple(state.hands[seat])
    dropped = yield Ask(seat, "drop", key, None, Choice((None, *hand), "TOY-4"), None, secret=True)
    if dropped is not None:
        yield CardDropped(seat, dropped, (seat,))


# ---------------------------------------------------------------- notation: HIDE H1, T2 DROP NONE, GUESS ASK


@dataclass(frozen=True, slots=True)
class ToyLine(Line):
    number: int
    topic: str
    value: Answer
    turn: int = 0
    standing: bool = False
    ask: bool = False

    def attempt(self, ask: Ask, view: View) -> Said | None:
        if self.ask or ask.topic != self.topic or self.turn not in (0, view.turn):
            return None
        return Said(self.value)

    def asks(self, ask: Ask) -> bool:
        return self.ask and ask.topic == self.topic

    def slot(self) -> str:
        return self.topic if self.standing else ""

    def write(self, language: Language = "en") -> str:
        value = "ASK" if self.ask else WORDS.get(self.value, self.value)
        turn = f"T{self.turn} " if self.turn else ""
        return f"{'ALWAYS ' if self.standing else ''}{turn}{self.topic.upper()} {value}".strip()

    def check(self, view: View) -> Refusal | None:
        wrong = self.topic in ("hide", "guess") and not self.ask and self.value not in HOLES
        return Illegal("TOY-1", "no-such-hole", line=self.number) if wrong else None

    def out_of_turn(self, view: View) -> Refusal | None:
        """An order for a turn that is over."""
        late = self.is_over(view)
        return Illegal("TOY-1", "turn-over", {"turn": self.turn}, self.number) if late else None

    def is_ahead(self, view: View) -> bool:
        return self.turn > view.turn

    def is_over(self, view: View) -> bool:
        return 0 < self.turn < view.turn


WORDS: dict[Any, str] = {True: "", False: "NO", None: "NONE", "": "SILENCE"}
VALUES: dict[str, Any] = {"NONE": None, "SILENCE": ""}


class ToyNotation(Notation):
    chained_topics = frozenset({"guess"})  # GUESS lines are tried in sequence

    def read(self, text: str, view: View) -> Reading:
        orders: list[Line] = []
        standing: list[Line] = []
        refusals: list[Refusal] = []
        for number, row in enumerate(text.splitlines(), 1):
            words = row.upper().split()
            if not words:
                continue
            always = words[0] == "ALWAYS"
            words = words[always:]
            turn = int(words.pop(0)[1:]) if words[0][0] == "T" and words[0][1:].isdigit() else 0
            topic = words[0].lower()
            if topic not in ANSWERS:
                refusals.append(Unreadable("TOY", "no-such-word", line=number, text=row))
                continue
            word = words[1] if len(words) > 1 else ""
            value = word != "NO" if topic == "wave" else VALUES.get(word, word)
            line = ToyLine(number, topic, value, turn, always, word == "ASK")
            (standing if always else orders).append(line)
        return Reading(tuple(orders), tuple(standing), tuple(refusals))

    def preference(self, text: str, ask: Ask, view: View) -> Said | None:
        return Said(text) if ask.options.contains(text) else None

    def write_answer(self, ask: Ask, answer: Answer, language: Language = "en", view: Any = None) -> str:
        return ToyLine(1, ask.topic, answer).write(language)


ANSWERS: dict[str, Any] = {"hide": str, "guess": str, "drop": str | None, "wave": bool, "mutter": str}


FACTS_BY_NAME: Mapping[str, type[Fact]] = {kind.__name__: kind for kind in FACTS}
NAMES: Mapping[str, str] = {"en": "Toy", "fr": "Jouet"}
SEGMENTS: Mapping[str, Callable[..., Procedure]] = {"hide": hide, "guess": guess}


class Toy(Game):
    id = "toy"
    rules_version = "1"
    names = NAMES
    players = (2,)
    scenarios = ("standard",)
    tail_cap = 40
    segments = SEGMENTS
    facts = FACTS_BY_NAME
    answers = ANSWERS
    notation = ToyNotation()

    def load_pack(self, folder: Path | None = None) -> GamePack:
        return GamePack(hash="toy-pack", options={}, rulings={}, labels=LABELS)

    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        return SEATS

    def set_up(self, pack: Any, settings: GameSettings) -> tuple[State, Segment]:
        return State(pack), Segment("hide", "T1.hide", (1,))

    def view(self, state: State, seat: Seat) -> View:
        sizes = (len(state.hands["NORTH"]), len(state.hands["SOUTH"]))
        return View(
            seat=seat,
            turn=state.turn,
            hole=state.holes.get(seat),
            hand=tuple(state.hands.get(seat, ())),
            hand_sizes=sizes,
            score=(state.score["NORTH"], state.score["SOUTH"]),
            waves=state.waves,
            muttered=tuple(state.mutters.get(seat, ())),
        )

    def window(self, state: State, ask: Ask, tempo: Tempo) -> Window:
        if tempo == "strict":
            return Window(f"{ask.at}/{ask.topic}", (ask.seat,), once=True)
        return Window(ask.at if tempo == "react" else f"T{state.turn}", SEATS)

    def dump(self, state: State) -> Any:
        return {name: value for name, value in asdict(replace(state, pack=None)).items() if name != "pack"}

    def load(self, pack: Any, data: Any) -> State:
        return State(pack=pack, **data)

    def check(self, state: State) -> None:
        assert sorted([*state.deck, *state.hands["NORTH"], *state.hands["SOUTH"]]) == list(CARDS)

    def outcome(self, state: State) -> Outcome | None:
        if not state.over:
            return None
        best = max(state.score.values())
        return Outcome(tuple(s for s in SEATS if state.score[s] == best), "points", dict(state.score))

    def position(
        self, pack: Any, settings: GameSettings, overrides: Mapping[str, Any]
    ) -> tuple[State, Segment]:
        return State(pack, **overrides), Segment("hide", "T1.hide", (1,))

    def odds(self, view: View, question: str) -> Any:
        """Of nine throws and holes, how many find the other scout: one hole in three, four faces in six."""
        return 2 if question.upper().startswith("GUESS") else None

    def hidden(self, state: State, seat: Seat) -> Sequence[tuple[str, ...]]:
        """The cards in the pile and in the other hand."""
        (other,) = [one for one in SEATS if one != seat]
        return (tuple(sorted([*state.deck, *state.hands[other]])),)


RULES = frozenset({"TOY", "TOY-1", "TOY-2", "TOY-4", "TOY-5", "TOY-6"})
GAME = Toy()
