"""Umpires' letters: each verb does what the command line does, once it is sure who wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import TypeAlias, TypeVar

from sqlalchemy.engine import Connection

from pbem.campaigns.umpire.acts import MOST_DICE, Umpire, force_dice, make_ruling, unseal
from pbem.campaigns.umpire.branches import keep_what_if, order_rollback, show_what_if
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.seats import answer_for, replace_holder
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, Passage
from pbem.orders.arguments import EDGES, TO, BadArgument, Result, VerbArguments, ask_date, read_numbers
from pbem.orders.dates import Impossible, Unclear, read_duration, read_moment
from pbem.orders.text import plain
from pbem.orders.understood import Command, refuse_unreadable
from pbem.orders.vocabulary import UMPIRES, Rest
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import Handler, adjudicating, campaign_of
from pbem.verbs.verb import Verb, always

BY = frozenset({"BY", "PAR"})
SAME_DICE = frozenset({("SAME", "DICE"), ("MEMES", "DES")})


# ------------------------------------------------------------------ the commands


class UmpireCommand(Command, kw_only=True):
    """Journaled with its reason and told to every seat."""

    reason: str = ""


class AnswerFor(UmpireCommand):
    """Order lines or numbered answers for another seat, to be read as that seat's letter would be."""

    seat: str
    text: str


class Extend(UmpireCommand):
    """A later deadline: by some time, or to a day and hour of the campaign's zone."""

    by: timedelta | None = None
    day: date | None = None
    hour: time | None = None


class Hold(UmpireCommand):
    """The campaign stands still."""


class Release(UmpireCommand):
    """The campaign goes on."""


class ForceDice(UmpireCommand):
    faces: tuple[int, ...]


class Ruling(UmpireCommand):
    text: str


class Rollback(UmpireCommand):
    to: str
    same_dice: bool = False


class WhatIf(UmpireCommand):
    text: str


class Replace(UmpireCommand):
    """Another person takes the seat."""

    seat: str
    address: str


class Process(UmpireCommand):
    """The turn is played now; without a name the open one."""

    turn: str = ""


class Unseal(UmpireCommand):
    """The umpire looks behind the screens, and all are told."""


C = TypeVar("C", bound=UmpireCommand)
Reader: TypeAlias = Callable[[VerbArguments], C]
Acting: TypeAlias = Callable[[LetterContext, C, Connection], Sequence[Part] | None]


# ------------------------------------------------------------------ their arguments


def _read_answer_for(arguments: VerbArguments) -> Result:
    """ANSWER FOR WA: order lines or numbered answers, in this line or in the lines up to END."""
    seat = arguments.read_seat(arguments.read_first("seat"))
    return arguments.after(1).read_speech(lambda text: AnswerFor(seat, text))


def _read_extend(arguments: VerbArguments) -> Extend:
    place = 1 if arguments.words and arguments.words[0].key in (*TO, *BY, "UNTIL", "JUSQUAU") else 0
    text = arguments.after(place).raw.strip(EDGES)
    if not text:
        raise arguments.missing("date")
    if (by := read_duration(text)) is not None:
        return Extend(by)
    match read_moment(text, arguments.circumstances.today):
        case Unclear() as unclear:
            raise ask_date(unclear)
        case Impossible():
            raise BadArgument(refuse_unreadable("mail-unknown-time", {"text": text}))
        case (day, hour):
            return Extend(None, day, hour)


def _read_dice(arguments: VerbArguments) -> ForceDice:
    text = arguments.read_text("dice").strip(EDGES)
    faces = read_numbers(text)
    if not faces or 0 in faces or len(faces) > MOST_DICE:
        raise BadArgument(refuse_unreadable("mail-bad-dice", {"word": text[:40]}))
    return ForceDice(faces)


def _read_rollback(arguments: VerbArguments) -> Rollback:
    segment, place = arguments.read_segment()
    same = tuple(word.key for word in arguments.words[place : place + 2]) in SAME_DICE
    arguments.expect_end(place + 2 * same)
    return Rollback(segment, same)


def _read_replace(arguments: VerbArguments) -> Replace:
    if len(arguments.words) < 3 or arguments.words[1].key not in BY:
        raise arguments.missing("address")
    seat, address = arguments.read_seat(arguments.word(0)), arguments.read_address(2)
    arguments.expect_end(3)
    return Replace(seat, address)


def _with_reason(command: type[C], read: Reader[C] | None) -> Reader[C]:
    """Reads the reason apart, behind BECAUSE."""

    def read_all(arguments: VerbArguments) -> C:
        arguments, reason = arguments.split_reason()
        if read is not None:
            return replace(read(arguments), reason=reason)
        arguments.expect_end(0)
        return command(reason=reason)

    return read_all


# ------------------------------------------------------------------ what comes of them


def _handler(act: Acting[C]) -> Handler[C]:
    """Done in the letter's transaction; the campaign is looked at afterwards."""

    def do(context: LetterContext, command: C, tx: Connection) -> Sequence[Part]:
        return act(context, command, tx) or (Note("umpire-done", {"campaign": context.campaign_name}),)

    return adjudicating(do)


def _umpire(context: LetterContext, command: UmpireCommand, tx: Connection | None = None) -> Umpire:
    return Umpire(context.service, context.campaign_name, command.reason, context.person_id, tx)


# ------------------------------------------------------------------ the clock


def _hold(context: LetterContext, command: Hold, tx: Connection) -> None:
    hold(_umpire(context, command, tx))


def _release(context: LetterContext, command: Release, tx: Connection) -> None:
    release(_umpire(context, command, tx))


def _extend(context: LetterContext, command: Extend, tx: Connection) -> Sequence[Part]:
    umpire, day = _umpire(context, command, tx), command.day
    later = command.by if day is None else campaign_moment(tx, umpire.campaign, day, command.hour)
    assert later is not None, "an extension is by some time or to a day"
    until = extend(umpire, later)
    return (Note("umpire-extended", {"until": Moment(until, context.recipient.zone)}),)


def _process(context: LetterContext, command: Process, tx: Connection) -> Sequence[Part]:
    row = campaign_of(context)
    process(_umpire(context, command, tx), command.turn)
    return (Note("umpire-started", {"campaign": row.id}),) if row.state == "lobby" else ()


# ------------------------------------------------------------------ the game


def _force_dice(context: LetterContext, command: ForceDice, tx: Connection) -> None:
    force_dice(_umpire(context, command, tx), command.faces)


def _rule(context: LetterContext, command: Ruling, tx: Connection) -> None:
    make_ruling(_umpire(context, command, tx), command.text)


def _roll_back(context: LetterContext, command: Rollback, tx: Connection) -> Sequence[Part]:
    key = order_rollback(_umpire(context, command, tx), command.to, command.same_dice)
    return (Note("umpire-rolled-back", {"campaign": context.campaign_name, "to": key}),)


def _answer_for(context: LetterContext, command: AnswerFor, tx: Connection) -> Sequence[Part]:
    lines = answer_for(_umpire(context, command, tx), command.seat, command.text)
    return (Passage(lines, Note("umpire-answered", {"seat": command.seat})),)


def _what_if(context: LetterContext, command: WhatIf) -> VerbResult:
    """Run before the letter's transaction, and only if it is sure who asks."""
    shown: tuple[Part, ...] = ()
    first, _, rest = command.text.partition(" ")
    text = rest.strip() if plain(first.strip(":")) == plain(context.campaign_name) else command.text
    if context.sure:
        shown = show_what_if(_umpire(context, command), text, context.language).parts()

    def effect(tx: Connection) -> Sequence[Part]:
        keep_what_if(_umpire(context, command, tx))
        return shown

    return VerbResult(effect=effect)


# ------------------------------------------------------------------ people


def _replace(context: LetterContext, command: Replace, tx: Connection) -> Sequence[Part]:
    replace_holder(_umpire(context, command, tx), command.seat, command.address)
    return (Note("umpire-replaced", {"seat": command.seat}),)


def _unseal(context: LetterContext, command: Unseal, tx: Connection) -> None:
    unseal(_umpire(context, command, tx))


def _umpires(
    en: str,
    fr: str,
    command: type[C],
    handler: Handler[C],
    cli: str,
    read: Callable[[VerbArguments], Result],
    rest: Rest,
) -> Verb[C]:
    return Verb(
        en, fr, UMPIRES, command, handler,
        read=read, rest=rest, subject="umpire", serious=always, topic="umpire", cli=cli,
    )  # fmt: skip


def _act(
    en: str, fr: str, command: type[C], act: Acting[C], cli: str, read: Reader[C] | None = None
) -> Verb[C]:
    return _umpires(en, fr, command, _handler(act), cli, _with_reason(command, read), "closed")


VERBS = (
    _act("HOLD", "SUSPENDS, SUSPENDRE", Hold, _hold, "hold"),
    _act("RELEASE", "LIBERE, LIBERER", Release, _release, "release"),
    _act("EXTEND", "PROLONGE, PROLONGER", Extend, _extend, "extend", _read_extend),
    _act(
        "PROCESS", "EXECUTE, EXECUTER", Process, _process, "process",
        lambda words: Process(words.read_turn()),
    ),
    _act("FORCE DICE", "FORCE DES, IMPOSE DES", ForceDice, _force_dice, "dice", _read_dice),
    _act("ROLLBACK, ROLL BACK", "RETOUR, RETOUR A", Rollback, _roll_back, "rollback", _read_rollback),
    _act("REPLACE", "REMPLACE, REMPLACER", Replace, _replace, "replace", _read_replace),
    _act("UNSEAL", "DESCELLE, DESCELLER", Unseal, _unseal, "unseal"),
    _umpires(
        "RULING", "ARBITRAGE, DECISION", Ruling, _handler(_rule), "rule",
        lambda words: words.read_speech(Ruling), "speech",
    ),
    _umpires(
        "WHATIF, WHAT IF", "ET SI, HYPOTHESE", WhatIf, _what_if, "whatif",
        lambda words: words.read_speech(WhatIf), "speech",
    ),
    _umpires(
        "ANSWER FOR", "REPONDS POUR, REPONSE POUR", AnswerFor, _handler(_answer_for), "answer",
        _read_answer_for, "open",
    ),
)  # fmt: skip
