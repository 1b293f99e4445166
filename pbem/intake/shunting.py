"""A letter that cannot be carried out is laid aside for the umpire; its writer is told, its orders are filed.

What failed before may fail here as well: the letter is tried with less each time, down to telling the umpire
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from sqlalchemy import Connection

from pbem.campaigns.notify import tell_umpires
from pbem.context import ServiceContext
from pbem.errors import PbemError
from pbem.intake.checks import CHECKS, run_checks, set_automatic_mail_aside
from pbem.intake.plan import Applied, Plan, plan_orders_alone, run_plan
from pbem.intake.reading import read_letter
from pbem.intake.reply import moment_of_arrival, send_memo_in_answer
from pbem.letters.notices import shunted_memo, shunted_to_writer_memo
from pbem.logs import log
from pbem.mail.guard import Quarantine, normalize_line_ends
from pbem.mail.mime import open_letter
from pbem.store.campaigns import lock_to_file, mark_unreviewed
from pbem.store.copies import check_under_lock
from pbem.store.inbox import Belongs, RawMail, settle_letter
from pbem.store.session import single_view, writing
from pbem.verbs.context import LetterContext, Proof, new_context

MOST_HEAD: Final = 64 * 1024  # bytes of a letter's headers
# It was verified when it came; this only asks whose it is, and where the answer goes.
ASKED: Final = (set_automatic_mail_aside, *CHECKS)

Way: TypeAlias = Callable[[ServiceContext, RawMail, str], frozenset[str]]


def shunt_letter(
    service: ServiceContext, mail: RawMail, error: str, *, deadly: bool = False
) -> frozenset[str]:
    """Returns the campaigns to adjudicate now. `deadly`: no worker survives reading it; nothing but its
    headers is looked at.

    Of the failure only the kind is named: its words may be a player's.
    """
    ways: Sequence[Way] = (_tell_writer,) if deadly else (_file_orders, _file_untried, _tell_writer)
    for way in ways:
        try:
            return way(service, mail, error)
        except Exception as failure:  # as the letter itself failed before
            log().error("letter.trouble", letter=mail.id, trouble=type(failure).__name__, at=way.__name__)
    with writing(service.db) as tx:
        _settle(tx, service, mail, error, None)
    return frozenset()


def _settle(
    tx: Connection, service: ServiceContext, mail: RawMail, error: str, belongs: Belongs | None
) -> bool:
    first = settle_letter(tx, mail.id, "shunted", error, service.now(), belongs)
    if first:
        tell_umpires(service, tx, shunted_memo("", mail.id, error))
    return first


class _Changed(PbemError):
    """A copy was carried out, it came before with other headers, or its seat was given to another."""


def _file_orders(service: ServiceContext, mail: RawMail, error: str, *, tried: bool = True) -> frozenset[str]:
    """The orders that were understood, without what the commands of the letter ask for."""
    with single_view(service.db):
        context = _writer_of(service, mail, mail.raw)
        plan = None if context is None else plan_orders_alone(context, read_letter(context), tried=tried)
    if context is None or plan is None or plan.submission is None or plan.orders_lack:
        return _tell_writer(service, mail, error)
    with writing(service.db) as tx:
        if not _settle(tx, service, mail, error, context.belongs):
            return frozenset()
        lock_to_file(tx, context.campaign_name)
        found = check_under_lock(tx, mail.id, context.belongs, mail.arrived)
        if found.copy or found.altered or context.seated is None or found.holder != context.seated.holder:
            raise _Changed
        applied = run_plan(tx, plan)
        _answer(tx, context, applied, tried=tried)
        mark_unreviewed(tx, context.campaign_name)
    return frozenset({context.campaign_name})


def _file_untried(service: ServiceContext, mail: RawMail, error: str) -> frozenset[str]:
    """The same, where to try them on the rules, or to show them, is what failed."""
    return _file_orders(service, mail, error, tried=False)


def _tell_writer(service: ServiceContext, mail: RawMail, error: str) -> frozenset[str]:
    """Nothing of it is done; whoever wrote it knows."""
    context = writer_of_unopened(service, mail)
    with writing(service.db) as tx:
        first = _settle(tx, service, mail, error, None if context is None else context.belongs)
        if first and context is not None:
            _answer(tx, context, None)
    return frozenset()


def writer_of_unopened(service: ServiceContext, mail: RawMail) -> LetterContext | None:
    """Whose letter it is by its headers, of which nothing but them may be looked at; None: nobody to tell."""
    try:
        with single_view(service.db):
            return _writer_of(service, mail, _head(mail.raw))
    except Exception as failure:  # it is hostile, perhaps
        log().error("letter.trouble", letter=mail.id, trouble=type(failure).__name__, at="headers")
        return None


def _head(raw: bytes) -> bytes:
    """A letter's headers, with nothing below them that could do harm."""
    head = normalize_line_ends(raw[:MOST_HEAD]).partition(b"\n\n")[0]
    headers = re.split(rb"\n(?![ \t])", head)
    return b"\n".join((*(one for one in headers if not one.lower().startswith(b"content-")), b"", b""))


def _writer_of(service: ServiceContext, mail: RawMail, raw: bytes) -> LetterContext | None:
    """Whose letter it is, and where they are told; None: nobody is, as with automatic mail and strangers."""
    letter = open_letter(raw, (service.addresses.mailbox,))
    if isinstance(letter, Quarantine):
        return None
    proof = replace(Proof.from_dict(mail.proof), token=False, sender=False)
    context, outcome = run_checks(replace(new_context(service, mail, letter), proof=proof), ASKED)
    return None if outcome is not None or context.recipient.person is None else context


def _answer(tx: Connection, context: LetterContext, applied: Applied | None, *, tried: bool = True) -> None:
    """What of it counts, and that the umpire has the rest. Lines that were not tried are not shown either."""
    arrived = moment_of_arrival(context)
    outcome = "" if applied is None else applied.outcome if tried else f"{applied.outcome}-untried"
    lines = _filed_lines(applied.plan) if applied is not None and tried else ()
    memo = shunted_to_writer_memo(context.campaign_name, arrived, outcome, lines)
    send_memo_in_answer(tx, context, memo)


def _filed_lines(plan: Plan) -> tuple[str, ...]:
    """As they were written: to put them into other words may be what failed."""
    understood, submission = plan.understood, plan.submission
    sheet = () if submission is None or submission.sheet is None else submission.sheet.orders.splitlines()
    replies = [line.text for reply in understood.replies for line in reply.lines]
    return tuple(row for row in (*sheet, *replies, *understood.standing.text.splitlines()) if row.strip())
