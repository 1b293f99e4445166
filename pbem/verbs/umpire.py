"""Umpires' letters: each verb does what the command line does, once it is sure who wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, cast

from sqlalchemy.engine import Connection

from pbem.campaigns.umpire.acts import CannotDo, force_dice, make_ruling, unseal
from pbem.campaigns.umpire.branches import keep_what_if, order_rollback, show_what_if
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.seats import answer_for, replace_holder
from pbem.letters.dates import Moment
from pbem.letters.memo import Listing, Note, Part, Passage
from pbem.orders import commands as c
from pbem.orders.commands import Command
from pbem.verbs.context import Handler, Handlers, LetterContext, VerbResult

C = TypeVar("C", bound=Command)
Doing: TypeAlias = Callable[[LetterContext, C, Connection], Sequence[Part]]


def _act(doing: Doing[C]) -> Handler:
    """A verb of umpires: always serious, done in the letter's transaction, the campaign looked at afterwards.

    What cannot be done now is answered, and changes nothing.
    """

    def handle(context: LetterContext, command: Command) -> VerbResult:
        if (refusal := _refusal(context)) is not None:
            return VerbResult((refusal,))

        def effect(tx: Connection) -> Sequence[Part]:
            try:
                return doing(context, cast(C, command), tx)
            except CannotDo as cannot:
                return (cannot.note,)

        return VerbResult(effect=effect, serious=True, rings=frozenset({_name(context)}))

    return handle


def _refusal(context: LetterContext) -> Note | None:
    if context.campaign_row is None:
        return Note("umpire-which-campaign")
    if "umpire" not in context.roles:
        return Note("umpire-only", {"campaign": context.campaign_row.id})
    return None


def _name(context: LetterContext) -> str:
    assert context.campaign_row is not None, "asked of a letter about a campaign only"
    return context.campaign_row.id


def _by(context: LetterContext) -> int | None:
    return None if context.person is None else context.person.id


def _done(context: LetterContext) -> tuple[Part, ...]:
    return (Note("umpire-done", {"campaign": _name(context)}),)


# ------------------------------------------------------------------ the clock


def _hold(context: LetterContext, command: c.Hold, tx: Connection) -> Sequence[Part]:
    hold(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


def _release(context: LetterContext, command: c.Release, tx: Connection) -> Sequence[Part]:
    release(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


def _extend(context: LetterContext, command: c.Extend, tx: Connection) -> Sequence[Part]:
    name = _name(context)
    if command.by is not None:
        until = extend(context.service, name, command.by, command.reason, _by(context), tx)
    else:
        assert command.day is not None, "an extension is by some time or to a day"
        moment = campaign_moment(tx, name, command.day, command.hour)
        until = extend(context.service, name, moment, command.reason, _by(context), tx)
    return (Note("umpire-extended", {"until": Moment(until, context.recipient.zone)}),)


def _process(context: LetterContext, command: c.Process, tx: Connection) -> Sequence[Part]:
    process(context.service, _name(context), command.turn, command.reason, _by(context), tx)
    if context.campaign_row is not None and context.campaign_row.state == "lobby":
        return (Note("umpire-started", {"campaign": _name(context)}),)
    return _done(context)


# ------------------------------------------------------------------ the game


def _force_dice(context: LetterContext, command: c.ForceDice, tx: Connection) -> Sequence[Part]:
    force_dice(context.service, _name(context), command.faces, command.reason, _by(context), tx)
    return _done(context)


def _rule(context: LetterContext, command: c.Ruling, tx: Connection) -> Sequence[Part]:
    make_ruling(context.service, _name(context), command.text, _by(context), tx)
    return _done(context)


def _roll_back(context: LetterContext, command: c.Rollback, tx: Connection) -> Sequence[Part]:
    told = (command.to, command.same_dice, command.reason, _by(context), tx)
    key = order_rollback(context.service, _name(context), *told)
    return (Note("umpire-rolled-back", {"campaign": _name(context), "to": key}),)


def _answer_for(context: LetterContext, command: c.AnswerFor, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.text, command.reason, _by(context), tx)
    lines = answer_for(context.service, _name(context), *told)
    return (Passage(lines, Note("umpire-answered", {"seat": command.seat})),)


def _what_if(context: LetterContext, command: Command) -> VerbResult:
    """Run before the letter's transaction, and only if it is sure who asks."""
    assert isinstance(command, c.WhatIf)
    if (refusal := _refusal(context)) is not None:
        return VerbResult((refusal,))
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

    return VerbResult(effect=effect, serious=True)


# ------------------------------------------------------------------ people


def _replace(context: LetterContext, command: c.Replace, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.address, command.reason, _by(context), tx)
    replace_holder(context.service, _name(context), *told)
    return (Note("umpire-replaced", {"seat": command.seat}),)


def _unseal(context: LetterContext, command: c.Unseal, tx: Connection) -> Sequence[Part]:
    unseal(context.service, _name(context), command.reason, _by(context), tx)
    return _done(context)


HANDLERS: Handlers = {
    c.Hold: _act(_hold),
    c.Release: _act(_release),
    c.Extend: _act(_extend),
    c.Process: _act(_process),
    c.ForceDice: _act(_force_dice),
    c.Ruling: _act(_rule),
    c.Rollback: _act(_roll_back),
    c.AnswerFor: _act(_answer_for),
    c.WhatIf: _what_if,
    c.Replace: _act(_replace),
    c.Unseal: _act(_unseal),
}
