"""Letters of ours that come back.

The first marks the address, the third suspends it; so does one that says that there is no such mailbox. Only
those count that come to the letter's own return address, which nobody but the mail servers on its way was
told. One that knows no more than the Message-ID, which stands in every reply, marks the address and suspends
nothing: anybody may have written it. The umpire is told of both. A letter from the address makes it good
again.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from sqlalchemy import Connection

from pbem.campaigns.notify import tell_umpires
from pbem.intake.outcome import LetterOutcome
from pbem.letters.notices import address_trouble_memo
from pbem.store.outbox import Posted, mark_bounced, posted
from pbem.store.people import mark_address, person_at, use_allowance
from pbem.verbs.context import LetterContext

Trouble: TypeAlias = Literal["bouncing", "suspended"]

MOST: Final = 3  # letters that come back
PERIOD: Final = timedelta(days=30)
COUNT: Final = "bounce"
LOOKED_AT: Final = 400_000  # bytes of a report

_ACTION: Final = re.compile(rb"^Action:[ \t]*([a-z]+)", re.MULTILINE | re.IGNORECASE)
_STATUS: Final = re.compile(rb"^Status:[ \t]*5\.([12])\.\d{1,3}\b", re.MULTILINE | re.IGNORECASE)


def handle_bounce(context: LetterContext) -> LetterOutcome:
    """Only a letter of ours can have come back: its own return address, or its Message-ID, says which."""
    service, letter = context.service, context.letter
    report = context.mail.raw[:LOOKED_AT]
    acted = _ACTION.search(report)
    if acted is not None and acted[1].lower() != b"failed":  # delayed, relayed, delivered: not lost yet
        return LetterOutcome("set-aside", "delivery-report")
    own = service.addresses.bounced((*letter.delivered_to, *letter.recipients))
    name = own or next(iter(service.addresses.answered(letter)), None)
    lost = None if name is None else posted(service.db, name)
    if lost is None:
        return LetterOutcome("set-aside", "bounce")
    if own is None:
        return LetterOutcome("set-aside", "bounce", lambda tx: _note_unproven_bounce(context, tx, lost))
    is_gone = _STATUS.search(report) is not None
    return LetterOutcome("set-aside", "bounce", lambda tx: _count_bounce(context, tx, lost, is_gone))


def _note_unproven_bounce(context: LetterContext, tx: Connection, lost: Posted) -> None:
    """By whoever knows its Message-ID: noted, and not counted."""
    if mark_bounced(tx, lost.id):
        _mark(context, tx, lost, "bouncing")


def _count_bounce(context: LetterContext, tx: Connection, lost: Posted, is_gone: bool) -> None:
    if not mark_bounced(tx, lost.id):
        return  # one letter comes back once
    left = use_allowance(tx, lost.letter.recipient, COUNT, MOST - 1, PERIOD, context.service.now())
    _mark(context, tx, lost, "suspended" if is_gone or not left else "bouncing")


def _mark(context: LetterContext, tx: Connection, lost: Posted, state: Trouble) -> None:
    """The umpire is told when it is news."""
    address = lost.letter.recipient
    known = person_at(tx, address)
    before = "" if known is None else next(one.state for one in known.addresses if one.address == address)
    if known is None or before in (state, "suspended"):
        return
    mark_address(tx, address, state)
    if seat := lost.letter.seat:
        memo = address_trouble_memo(lost.letter.campaign or "", seat, known.name, state)
        tell_umpires(context.service, tx, memo)
