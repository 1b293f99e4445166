"""Letters of ours that come back.

The first marks the address, the third suspends it; so does one that says that there is no such mailbox. Only
those count that come to the letter's own return address, which nobody but the mail servers on its way was
told. One that knows no more than the Message-ID, which stands in every reply, marks the address and suspends
nothing: anybody may have written it. The umpire hears of both. A letter from the address makes it good again.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from sqlalchemy import Connection

from pbem.intake.context import Arrival, LetterOutcome
from pbem.intake.reply import tell_umpires
from pbem.letters.notices import address_trouble_memo
from pbem.store.outbox import Posted, mark_bounced, posted, send_missed
from pbem.store.people import mark_address, person_at, reset_allowance, use_allowance

Trouble: TypeAlias = Literal["bouncing", "suspended"]

MOST: Final = 3  # letters that come back
PERIOD: Final = timedelta(days=30)
COUNT: Final = "bounce"
LOOKED_AT: Final = 400_000  # bytes of a report

_ACTION: Final = re.compile(rb"^Action:[ \t]*([a-z]+)", re.MULTILINE | re.IGNORECASE)
_STATUS: Final = re.compile(rb"^Status:[ \t]*5\.([12])\.\d{1,3}\b", re.MULTILINE | re.IGNORECASE)


def bounced(arrival: Arrival) -> LetterOutcome:
    """Only a letter of ours can have come back: its own return address, or its Message-ID, says which."""
    service, letter = arrival.service, arrival.letter
    report = arrival.received.raw[:LOOKED_AT]
    acted = _ACTION.search(report)
    if acted is not None and acted[1].lower() != b"failed":
        return LetterOutcome(
            "set-aside", "delivery-report"
        )  # delayed, relayed, delivered: nothing is lost yet
    own = service.addresses.bounced((*letter.delivered_to, *letter.recipients))
    name = own or next(iter(service.addresses.answered(letter)), None)
    lost = None if name is None else posted(service.db, name)
    if lost is None:
        return LetterOutcome("set-aside", "bounce")
    if own is None:
        return LetterOutcome("set-aside", "bounce", lambda tx: _is_said_to_be_lost(arrival, tx, lost))
    is_gone = _STATUS.search(report) is not None
    return LetterOutcome("set-aside", "bounce", lambda tx: _came_back(arrival, tx, lost, is_gone))


def _is_said_to_be_lost(arrival: Arrival, tx: Connection, lost: Posted) -> None:
    """By whoever knows its Message-ID: noted, and not counted."""
    if mark_bounced(tx, lost.id):
        _mark(arrival, tx, lost, "bouncing")


def _came_back(arrival: Arrival, tx: Connection, lost: Posted, is_gone: bool) -> None:
    if not mark_bounced(tx, lost.id):
        return  # one letter comes back once
    left = use_allowance(tx, lost.letter.recipient, COUNT, MOST - 1, PERIOD, arrival.service.now())
    _mark(arrival, tx, lost, "suspended" if is_gone or not left else "bouncing")


def _mark(arrival: Arrival, tx: Connection, lost: Posted, state: Trouble) -> None:
    """The umpire is told when it is news."""
    service, address = arrival.service, lost.letter.recipient
    known = person_at(tx, address)
    before = "" if known is None else next(one.state for one in known.addresses if one.address == address)
    if known is None or before in (state, "suspended"):
        return
    mark_address(tx, address, state)
    campaign, seat = lost.letter.campaign or "", lost.letter.seat or ""
    if seat:
        tell_umpires(service, tx, address_trouble_memo(campaign, seat, known.name, state))


def is_good_again(tx: Connection, arrival: Arrival) -> None:
    """A letter came from the address: it is written to again, and the letters it missed go out."""
    address = arrival.letter.sender
    known = () if arrival.person is None else arrival.person.addresses
    if any(one.address == address and one.state != "good" for one in known):
        mark_address(tx, address, "good")
        reset_allowance(tx, address, COUNT)
        send_missed(tx, address, arrival.service.now())
