"""Umpires' letters: each verb does what the command line does, once it is sure who wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, cast

from sqlalchemy.engine import Connection

from pbem.campaigns.umpire.acts import CannotDo, rule, unseal
from pbem.campaigns.umpire.branches import keep_what_if, roll_back, what_if
from pbem.campaigns.umpire.clock import extend, hold, moment_meant, process, release
from pbem.campaigns.umpire.dice import force_dice
from pbem.campaigns.umpire.seats import answer_for, replace
from pbem.letters.dates import Moment
from pbem.letters.memo import Listing, Note, Part, Passage
from pbem.orders import commands as c
from pbem.orders.commands import Command
from pbem.verbs.context import Deed, Handler, Handlers, Hearing

C = TypeVar("C", bound=Command)
Doing: TypeAlias = Callable[[Hearing, C, Connection], Sequence[Part]]


def _act(doing: Doing[C]) -> Handler:
    """A verb of umpires: always serious, done in the letter's transaction, the campaign looked at afterwards.

    What cannot be done now is answered, and changes nothing.
    """

    def handle(hearing: Hearing, command: Command) -> Deed:
        if (refusal := _refusal(hearing)) is not None:
            return Deed((refusal,))

        def effect(tx: Connection) -> Sequence[Part]:
            try:
                return doing(hearing, cast(C, command), tx)
            except CannotDo as cannot:
                return (cannot.note,)

        return Deed(effect=effect, serious=True, rings=frozenset({_name(hearing)}))

    return handle


def _refusal(hearing: Hearing) -> Note | None:
    if hearing.standing is None:
        return Note("umpire-which-campaign")
    if "umpire" not in hearing.roles:
        return Note("umpire-only", {"campaign": hearing.standing.id})
    return None


def _name(hearing: Hearing) -> str:
    assert hearing.standing is not None, "asked of a letter about a campaign only"
    return hearing.standing.id


def _by(hearing: Hearing) -> int | None:
    return None if hearing.person is None else hearing.person.id


def _done(hearing: Hearing) -> tuple[Part, ...]:
    return (Note("umpire-done", {"campaign": _name(hearing)}),)


# ------------------------------------------------------------------ the clock


def _hold(hearing: Hearing, command: c.Hold, tx: Connection) -> Sequence[Part]:
    hold(hearing.office, _name(hearing), command.reason, _by(hearing), tx)
    return _done(hearing)


def _release(hearing: Hearing, command: c.Release, tx: Connection) -> Sequence[Part]:
    release(hearing.office, _name(hearing), command.reason, _by(hearing), tx)
    return _done(hearing)


def _extend(hearing: Hearing, command: c.Extend, tx: Connection) -> Sequence[Part]:
    name = _name(hearing)
    if command.by is not None:
        until = extend(hearing.office, name, command.by, command.reason, _by(hearing), tx)
    else:
        assert command.day is not None, "an extension is by some time or to a day"
        moment = moment_meant(tx, name, command.day, command.hour)
        until = extend(hearing.office, name, moment, command.reason, _by(hearing), tx)
    return (Note("umpire-extended", {"until": Moment(until, hearing.reader.zone)}),)


def _process(hearing: Hearing, command: c.Process, tx: Connection) -> Sequence[Part]:
    process(hearing.office, _name(hearing), command.turn, command.reason, _by(hearing), tx)
    if hearing.standing is not None and hearing.standing.state == "lobby":
        return (Note("umpire-started", {"campaign": _name(hearing)}),)
    return _done(hearing)


# ------------------------------------------------------------------ the game


def _force_dice(hearing: Hearing, command: c.ForceDice, tx: Connection) -> Sequence[Part]:
    force_dice(hearing.office, _name(hearing), command.faces, command.reason, _by(hearing), tx)
    return _done(hearing)


def _rule(hearing: Hearing, command: c.Ruling, tx: Connection) -> Sequence[Part]:
    rule(hearing.office, _name(hearing), command.text, _by(hearing), tx)
    return _done(hearing)


def _roll_back(hearing: Hearing, command: c.Rollback, tx: Connection) -> Sequence[Part]:
    told = (command.to, command.same_dice, command.reason, _by(hearing), tx)
    key = roll_back(hearing.office, _name(hearing), *told)
    return (Note("umpire-rolled-back", {"campaign": _name(hearing), "to": key}),)


def _answer_for(hearing: Hearing, command: c.AnswerFor, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.text, command.reason, _by(hearing), tx)
    lines = answer_for(hearing.office, _name(hearing), *told)
    return (Passage(lines, Note("umpire-answered", {"seat": command.seat})),)


def _what_if(hearing: Hearing, command: Command) -> Deed:
    """Run before the letter's transaction, and only if it is sure who asks."""
    assert isinstance(command, c.WhatIf)
    if (refusal := _refusal(hearing)) is not None:
        return Deed((refusal,))
    name, by = _name(hearing), _by(hearing)
    sentences: tuple[str, ...] = ()
    if hearing.sure:
        try:
            sentences = what_if(hearing.office, name, command.text, by, hearing.language)
        except CannotDo as cannot:
            return Deed((cannot.note,))

    def effect(tx: Connection) -> Sequence[Part]:
        try:
            keep_what_if(hearing.office, name, command.reason, by, tx)
        except CannotDo as cannot:
            return (cannot.note,)
        if not sentences:
            return (Note("umpire-what-if-nothing"),)
        listed = tuple(Note("plain", {"text": sentence}) for sentence in sentences)
        return Note("umpire-what-if"), Listing(listed)

    return Deed(effect=effect, serious=True)


# ------------------------------------------------------------------ people


def _replace(hearing: Hearing, command: c.Replace, tx: Connection) -> Sequence[Part]:
    told = (command.seat, command.address, command.reason, _by(hearing), tx)
    replace(hearing.office, _name(hearing), *told)
    return (Note("umpire-replaced", {"seat": command.seat}),)


def _unseal(hearing: Hearing, command: c.Unseal, tx: Connection) -> Sequence[Part]:
    unseal(hearing.office, _name(hearing), command.reason, _by(hearing), tx)
    return _done(hearing)


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
