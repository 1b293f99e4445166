"""What a letter was understood as: values for the service and the receipt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple, TypeAlias, dataclass_transform

from engine.kernel.errors import Facts, Illegal, Refusal, Unreadable
from engine.kernel.game import Language, Line, Notation, Reading, View

Writer: TypeAlias = Literal["player", "observer", "umpire", "stranger"]
# What a command means to the order reader itself; "": nothing.
Role: TypeAlias = Literal["", "check", "confirm", "cancel", "ready", "press"]
MAIL = "mail"  # in place of a rule id where only the letter is concerned

# Answered by CONFIRM; every other question needs another letter.
CONFIRMABLE = frozenset(
    {
        "doubtful-line", "other-turn", "which-turn", "empty-block", "template-older", "template-wrapped",
        "template-unknown", "below-signature", "stop-of-a-seat", "cut-off",
    }
)  # fmt: skip


# About our order form that was edited: it is told when the window closes and nobody has answered.
ABOUT_FORMS = frozenset(
    {
        "template-older", "template-wrapped", "template-unknown", "template-and-orders", "several-forms",
        "form-and-orders", "new-lines",
    }
)  # fmt: skip

# About one line only: everything else runs meanwhile.
BESIDE = frozenset(
    {"which-date", "text-without-end", "press-continues", "stop-of-a-seat", "struck-out", "in-signature"}
)


class OwnLine(NamedTuple):
    """A line of the letter, by its number from 1; attachments go on counting."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked back, about which lines; `reason`: why a line was not understood."""

    code: str
    lines: tuple[OwnLine, ...] = ()
    facts: Facts = field(default_factory=dict)
    reason: Refusal | None = None

    @property
    def confirmable(self) -> bool:
        return self.code in CONFIRMABLE

    @property
    def holds(self) -> bool:
        """Nothing of the letter runs before it is answered."""
        return self.code not in BESIDE


@dataclass_transform(frozen_default=True)
class Command:
    """What a line asks of the service: the base of one frozen dataclass a verb, with its arguments."""

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        dataclass(frozen=True, kw_only=kw_only)(cls)


@dataclass(frozen=True, slots=True)
class GivenCommand:
    """A command and the lines it stood in."""

    command: Command
    lines: tuple[OwnLine, ...]
    role: Role = ""


def each_once(commands: Sequence[GivenCommand]) -> tuple[GivenCommand, ...]:
    """In the order of the letter; what is said twice is done once, where it is said last."""
    found: dict[Command, GivenCommand] = {}
    for given in sorted(commands, key=lambda one: one.lines[0].number):
        before = found.pop(given.command, None)
        found[given.command] = given if before is None else replace(before, lines=before.lines + given.lines)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class UnderstoodLine:
    """A line of a sheet, wrapped lines joined. Numbers go through the whole letter, for the receipt."""

    number: int
    text: str
    lines: tuple[OwnLine, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of a block and what the game's notation made of them."""

    lines: tuple[UnderstoodLine, ...] = ()
    reading: Reading = field(default_factory=Reading)

    @property
    def text(self) -> str:
        """Read again by the notation, it gives the same lines with the same numbers."""
        rows = [""] * max((line.number for line in self.lines), default=0)
        for line in self.lines:
            rows[line.number - 1] = line.text
        return "\n".join(rows)

    @property
    def good(self) -> tuple[Line, ...]:
        return (*self.reading.orders, *self.reading.standing)


class Reply(NamedTuple):
    """A numbered answer to a numbered question, both counted from 1."""

    question: int
    answer: int
    lines: tuple[OwnLine, ...]


class Refused(NamedTuple):
    """A refusal and the lines it concerns; a refused command holds nothing else up.

    The refusal's `line` is the number of a sheet line, otherwise 0.
    """

    refusal: Refusal
    lines: tuple[OwnLine, ...]
    holds: bool = False


Politeness: TypeAlias = Literal["", "words", "name"]  # of a courtesy; "name": the writer's own, no more


class Chat(NamedTuple):
    """A line that asks for nothing. `like_an_order`: it would have been one inside the block."""

    line: OwnLine
    like_an_order: bool = False
    polite: Politeness = ""


@dataclass(frozen=True, slots=True)
class SentForm:
    """The order form of a letter of ours, header and END included."""

    rows: tuple[str, ...]
    age: Literal["newest", "older", "past"] = "newest"  # of the open window's forms; past: of another window


class Edit(NamedTuple):
    """A line of our order form that came back otherwise."""

    line: OwnLine | None  # None: it was taken out
    sent: str  # "": it was put in


Source: TypeAlias = Literal["", "block", "free", "template", "attachment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """Everything a letter asks for, and everything that is asked back.

    `verdict` says whether it runs. `standing` comes from STANDING … END and is of no turn;
    standing lines inside the sheet are in the sheet's reading.
    """

    commands: tuple[GivenCommand, ...] = ()
    sheet: Sheet = field(default_factory=Sheet)
    standing: Sheet = field(default_factory=Sheet)
    replies: tuple[Reply, ...] = ()
    chat: tuple[Chat, ...] = ()
    refused: tuple[Refused, ...] = ()
    questions: tuple[Question, ...] = ()
    frames: tuple[OwnLine, ...] = ()  # headers and ends of blocks
    source: Source = ""
    edits: tuple[Edit, ...] = ()  # if the sheet is our order form, edited

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        return tuple(one.refusal for one in self.refused)

    @property
    def has_orders(self) -> bool:
        return bool(self.sheet.lines or self.replies)

    @property
    def verdict(self) -> Literal["runs", "held", "asks"]:
        """`held`: the good lines count on CONFIRM and at the deadline. `asks`: only after an answer."""
        if any(question.holds for question in self.questions):
            return "asks"
        return "held" if any(one.holds for one in self.refused) else "runs"

    @property
    def is_rehearsal(self) -> bool:
        return any(given.role == "check" for given in self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the reader has to know about a letter's writer and the moment it is read."""

    campaign: str
    writer: tuple[Writer, ...]  # an umpire may hold a seat
    today: date  # the day of the letter, where its writer lives
    open: str = ""  # the open window: `T4.C2`; "": none
    awaited: bool = True  # does it ask the writer's seat anything?
    answers: str = ""  # the window that the letter's address or thread belongs to; "": none
    notation: Notation | None = None
    view: View = field(default=None, repr=False)  # of the writer's seat, with its notation
    exchange: Callable[[str], str | None] = field(default=lambda _: None, repr=False)  # window of that name
    # is it another campaign that the writer takes part in?
    is_other_campaign: Callable[[str], bool] = field(default=lambda _: False, repr=False)
    seats: tuple[str, ...] = ()
    choices: Sequence[int] = ()  # for each numbered question of the letter answered, its number of answers
    name: str = ""  # the writer's own
    names: tuple[str, ...] = ()  # of others whom they may greet
    sent: str = field(default="", repr=False)  # the letter they answer, in every form it was sent in
    forms: Sequence[SentForm] = ()  # that were sent to them, the newest first
    language: Language = "en"


def refuse_unreadable(
    reason: str, facts: Facts | None = None, suggestions: tuple[str, ...] = ()
) -> Unreadable:
    return Unreadable(MAIL, reason, facts or {}, suggestions=suggestions)


def refuse_illegal(reason: str, facts: Facts | None = None) -> Illegal:
    return Illegal(MAIL, reason, facts or {})
