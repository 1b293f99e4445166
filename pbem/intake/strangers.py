"""Mail of people whom nobody knows here: HELP, LIST, SIGNUP and WATCH are answered, once a day each.

Other mail gets no answer: most of it is nobody's, or in the name of somebody who never wrote it. Where a
signature proves the sender it gets one neutral sentence.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from pbem.intake.arrival import Outcome
from pbem.intake.hear import Heard
from pbem.intake.notices import lay_memo
from pbem.orders import commands as c
from pbem.report.occasions import stranger_memo
from pbem.store.people import spend

DAY: Final = timedelta(days=1)
ANSWERED: Final = (c.Help, c.ListCampaigns, c.Signup, c.Watch)
IN_REPLY: Final = (c.Confirm, c.Cancel)


def is_stranger(heard: Heard) -> bool:
    return heard.arrival.person is None and heard.hearing.roles == ("stranger",)


def strangers_mail(heard: Heard) -> Outcome | None:
    """Set aside unless it asks for one of these, or answers a letter that went to the same address."""
    if not is_stranger(heard) or _verbs(heard) or _answers(heard):
        return None
    return Outcome("set-aside", "stranger", lambda tx: _neutral(tx, heard))


def _verbs(heard: Heard) -> list[str]:
    commands = [one.command for one in heard.understood.commands]
    return sorted({type(one).__name__.lower() for one in commands if isinstance(one, ANSWERED)})


def _answers(heard: Heard) -> bool:
    commands = [one.command for one in heard.understood.commands]
    return heard.arrival.proof.token and any(isinstance(one, IN_REPLY) for one in commands)


def may_be_answered(tx: Connection, heard: Heard) -> bool:
    """Counts against the day's allowance of a stranger."""
    if not is_stranger(heard) or _answers(heard):
        return True
    now, sender = heard.hearing.office.now(), heard.hearing.letter.sender
    left = [verb for verb in _verbs(heard) if spend(tx, sender, f"stranger-{verb}", 1, DAY, now)]
    return bool(left)


def _neutral(tx: Connection, heard: Heard) -> None:
    hearing, signed = heard.hearing, heard.arrival.proof.signature == "pass"
    if signed and spend(tx, hearing.letter.sender, "stranger", 1, DAY, hearing.office.now()):
        lay_memo(hearing.office, tx, hearing.reader, stranger_memo(), "answer", letter=hearing.received.id)
