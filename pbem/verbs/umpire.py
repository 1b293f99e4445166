"""Umpires' letters: each verb does what the command line does, once it is sure who wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TypeAlias, TypeVar

from sqlalchemy.engine import Connection

from pbem.campaigns.umpire.acts import CannotDo, force_dice, make_ruling, unseal
from pbem.campaigns.umpire.branches import keep_what_if, order_rollback, show_what_if
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.seats import answer_for, replace_holder
from pbem.letters.dates import Moment
from pbem.letters.memo import Listing, Note, Part, Passage
from pbem.orders.arguments import (
    EDGES,
    NUMBERS,
    TO,
    Awaiting,
    BadArgument,
    VerbArguments,
    ask_date,
    mail_address,
    read_seat,
    read_segment,
    read_text,
    read_turn,
    rest_of_line,
    with_reason,
)
from pbem.orders.dates import Impossible, Unclear, read_duration, read_moment
from pbem.orders.understood import Command, refuse_unreadable
from pbem.orders.vocabulary import UMPIRES, Rest
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import campaign_of
from pbem.verbs.verb import Verb, always

MOST_DICE = 200
BY = frozenset({"BY", "PAR"})
SAME_DICE = frozenset({("SAME", "DICE"), ("MEMES", "DES")})


# ------------------------------------------------------------------ the commands


@dataclass(frozen=True, slots=True, kw_only=True)
class UmpireAct(Command):
    """Journaled with its reason and told to every seat."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFor(UmpireAct):
    """Order lines or numbered answers for another seat, to be read as that seat's letter would be."""

    seat: str
    text: str


@dataclass(frozen=True, slots=True)
class Extend(UmpireAct):
    """A later deadline: by some time, or to a day and hour of the campaign's zone."""

    by: timedelta | None = None
    day: date | None = None
    hour: time | None = None


@dataclass(frozen=True, slots=True)
class Hold(UmpireAct):
    """The campaign stands still."""


@dataclass(frozen=True, slots=True)
class Release(UmpireAct):
    """The campaign goes on."""


@dataclass(frozen=True, slots=True)
class ForceDice(UmpireAct):
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ruling(UmpireAct):
    text: str


@dataclass(frozen=True, slots=True)
class Rollback(UmpireAct):
    to: str
    same_dice: bool = False


@dataclass(frozen=True, slots=True)
class WhatIf(UmpireAct):
    text: str


@dataclass(frozen=True, slots=True)
class Replace(UmpireAct):
    """Another person takes the seat."""

    seat: str
    address: str


@dataclass(frozen=True, slots=True)
class Process(UmpireAct):
    """The turn is played now; without a name the open one."""

    turn: str = ""


@dataclass(frozen=True, slots=True)
class Unseal(UmpireAct):
    """The umpire looks behind the screens, and all are told."""


C = TypeVar("C", bound=UmpireAct)


# ------------------------------------------------------------------ their arguments


def _reason_reader(command: type[C]) -> Callable[[VerbArguments], C]:
    """Of an act that takes nothing but a reason."""

    def read(arguments: VerbArguments) -> C:
        arguments, reason = with_reason(arguments)
        arguments.expect_end(0)
        return command(reason=reason)

    return read


def _speech_reader(command: Callable[[str], C]) -> Callable[[VerbArguments], C | Awaiting]:
    """Of an act that takes words, in the same line or in the lines up to END."""

    def read(arguments: VerbArguments) -> C | Awaiting:
        text = rest_of_line(arguments)
        return command(text) if text else Awaiting(arguments.verb, command)

    return read


def _read_answer_for(arguments: VerbArguments) -> AnswerFor | Awaiting:
    """ANSWER FOR WA: order lines or numbered answers, in this line or in the lines up to END."""
    if not arguments.words:
        raise arguments.missing("seat")
    seat = read_seat(arguments, arguments.word(0))
    text = arguments.raw[arguments.words[0].end :].strip().removeprefix(":").strip()
    if text:
        return AnswerFor(seat, text)
    return Awaiting(arguments.verb, lambda below: AnswerFor(seat, below))


def _read_extend(arguments: VerbArguments) -> Extend:
    arguments, reason = with_reason(arguments)
    place = 1 if arguments.words and arguments.words[0].key in (*TO, *BY, "UNTIL", "JUSQUAU") else 0
    text = arguments.raw[arguments.words[place - 1].end if place else 0 :].strip(EDGES)
    if not text:
        raise arguments.missing("date")
    if (by := read_duration(text)) is not None:
        return Extend(by, reason=reason)
    match read_moment(text, arguments.circumstances.today):
        case Unclear() as unclear:
            raise ask_date(unclear)
        case Impossible():
            raise BadArgument(refuse_unreadable("mail-unknown-time", {"text": text}))
        case (day, hour):
            return Extend(None, day, hour, reason=reason)


def _read_dice(arguments: VerbArguments) -> ForceDice:
    arguments, reason = with_reason(arguments)
    text = read_text(arguments, "dice").strip(EDGES)
    faces = tuple(map(int, re.findall(r"\d+", text))) if NUMBERS.fullmatch(text) else ()
    if not faces or 0 in faces or len(faces) > MOST_DICE:
        raise BadArgument(refuse_unreadable("mail-bad-dice", {"word": text[:40]}))
    return ForceDice(faces, reason=reason)


def _read_rollback(arguments: VerbArguments) -> Rollback:
    arguments, reason = with_reason(arguments)
    segment, place = read_segment(arguments)
    same = tuple(word.key for word in arguments.words[place : place + 2]) in SAME_DICE
    arguments.expect_end(place + 2 * same)
    return Rollback(segment, same, reason=reason)


def _read_replace(arguments: VerbArguments) -> Replace:
    arguments, reason = with_reason(arguments)
    if len(arguments.words) < 3 or arguments.words[1].key not in BY:
        raise arguments.missing("address")
    seat, address = read_seat(arguments, arguments.word(0)), mail_address(arguments, 2)
    arguments.expect_end(3)
    return Replace(seat, address, reason=reason)


def _read_process(arguments: VerbArguments) -> Process:
    arguments, reason = with_reason(arguments)
    return Process(read_turn(arguments), reason=reason)


# ------------------------------------------------------------------ what comes of them

Doing: TypeAlias = Callable[[LetterContext, C, Connection], Sequence[Part]]


def _act(
    en: str,
    fr: str,
    command: type[C],
    doing: Doing[C],
    cli: str,
    read: Callable[[VerbArguments], C | Awaiting] | None = None,
    rest: Rest = "closed",
) -> Verb[C]:
    """A verb of umpires: always serious, done in the letter's transaction, the campaign looked at afterwards.

    What cannot be done now is answered, and changes nothing.
    """

    def handle(context: LetterContext, command: C) -> VerbResult:
        def effect(tx: Connection) -> Sequence[Part]:
            try:
                return doing(context, command, tx)
            except CannotDo as cannot:
                return (cannot.note,)

        return VerbResult(effect=effect, rings=frozenset({_name(context)}))

    return Verb(
        en, fr, UMPIRES, command, handle,
        read=read or _reason_reader(command), rest=rest,
        subject="umpire", serious=always, topic="umpire", cli=cli,
    )  # fmt: skip


def _name(context: LetterContext) -> str:
    return campaign_of(context).id


def _by(context: LetterContext) -> int | None:
    return None if context.person is None else context.person.id


def _done(context: LetterContext) -> tuple[Part, ...]:
    return (Note("umpire-done", {"campaign": _name(context)}),)


# ------------------------------------------------------------------ the clock


def _hold(context: LetterContext, command: Hold, tx: Connection) -> Sequence[Part]:
    hold(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


def _release(context: LetterContext, command: Release, tx: Connection) -> Sequence[Part]:
    release(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


def _extend(context: LetterContext, command: Extend, tx: Connection) -> Sequence[Part]:
    name = _name(context)
    if command.by is not None:
        until = extend(context.service, name, command.by, command.reason, _by(context), tx)
    else:
        assert command.day is not None, "an extension is by some time or to a day"
        moment = campaign_moment(tx, name, command.day, command.hour)
        until = extend(context.service, name, moment, command.reason, _by(context), tx)
    return (Note("umpire-extended", {"until": Moment(until, context.recipient.zone)}),)


def _process(context: LetterContext, command: Process, tx: Connection) -> Sequence[Part]:
    process(context.service, _name(context), command.turn, command.reason, _by(context), tx)
    if context.campaign_row is not None and context.campaign_row.state == "lobby":
        return (Note("umpire-started", {"campaign": _name(context)}),)
    return _done(context)


# ------------------------------------------------------------------ the game


def _force_dice(context: LetterContext, command: ForceDice, tx: Connection) -> Sequence[Part]:
    force_dice(context.service, _name(context), command.faces, command.reason, _by(context), tx)
    return _done(context)


def _rule(context: LetterContext, command: Ruling, tx: Connection) -> Sequence[Part]:
    make_ruling(context.service, _name(context), command.text, _by(context), tx)
    return _done(context)


def _roll_back(context: LetterContext, command: Rollback, tx: Connection) -> Sequence[Part]:
    told = (command.to, command.same_dice, command.reason, _by(context), tx)
    key = order_rollback(context.service, _name(context), *told)
    return (Note("umpire-rolled-back", {"campaign": _name(context), "to": key}),)


def _answer_for(context: LetterContext, command: AnswerFor, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.text, command.reason, _by(context), tx)
    lines = answer_for(context.service, _name(context), *told)
    return (Passage(lines, Note("umpire-answered", {"seat": command.seat})),)


def _what_if(context: LetterContext, command: WhatIf) -> VerbResult:
    """Run before the letter's transaction, and only if it is sure who asks."""
    name, by = _name(context), _by(context)
    sentences: tuple[str, ...] = ()
    if context.sure:
        try:
            sentences = show_what_if(context.service, name, command.text, by, context.language)
        except CannotDo as cannot:
            return VerbResult((cannot.note,))

    def effect(tx: Connection) -> Sequence[Part]:
        try:
            keep_what_if(context.service, name, command.reason, by, tx)
        except CannotDo as cannot:
            return (cannot.note,)
        if not sentences:
            return (Note("umpire-what-if-nothing"),)
        listed = tuple(Note("plain", {"text": sentence}) for sentence in sentences)
        return Note("umpire-what-if"), Listing(listed)

    return VerbResult(effect=effect)


# ------------------------------------------------------------------ people


def _replace(context: LetterContext, command: Replace, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.address, command.reason, _by(context), tx)
    replace_holder(context.service, _name(context), *told)
    return (Note("umpire-replaced", {"seat": command.seat}),)


def _unseal(context: LetterContext, command: Unseal, tx: Connection) -> Sequence[Part]:
    unseal(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


VERBS = (
    _act(
        "ANSWER FOR", "REPONDS POUR, REPONSE POUR", AnswerFor, _answer_for, "answer", _read_answer_for, "open"
    ),
    _act("EXTEND", "PROLONGE, PROLONGER", Extend, _extend, "extend", _read_extend),
    _act("HOLD", "SUSPENDS, SUSPENDRE", Hold, _hold, "hold"),
    _act("RELEASE", "LIBERE, LIBERER", Release, _release, "release"),
    _act("FORCE DICE", "FORCE DES, IMPOSE DES", ForceDice, _force_dice, "dice", _read_dice),
    _act("RULING", "ARBITRAGE, DECISION", Ruling, _rule, "rule", _speech_reader(Ruling), "speech"),
    _act("ROLLBACK, ROLL BACK", "RETOUR, RETOUR A", Rollback, _roll_back, "rollback", _read_rollback),
    Verb(
        "WHATIF, WHAT IF", "ET SI, HYPOTHESE", UMPIRES, WhatIf, _what_if,
        read=_speech_reader(WhatIf), rest="speech",
        subject="umpire", serious=always, topic="umpire", cli="whatif",
    ),
    _act("REPLACE", "REMPLACE, REMPLACER", Replace, _replace, "replace", _read_replace),
    _act("PROCESS", "EXECUTE, EXECUTER", Process, _process, "process", _read_process),
    _act("UNSEAL", "DESCELLE, DESCELLER", Unseal, _unseal, "unseal"),
)  # fmt: skip
