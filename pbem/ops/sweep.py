"""The sweep: every quarter of a minute, everything that is due.

Heartbeats and clocks; outages answered by later deadlines; reminders; deadlines that have passed; what a lost
message left behind; old raw mail. Each of these is done once, however many sweeps run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from sqlalchemy.exc import IntegrityError

from engine.kernel.errors import EngineError
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import HasOtherRules, load_campaign, pass_on_if_others
from pbem.campaigns.deadlines import has_orders, label_of, wall_clock
from pbem.campaigns.lobby import waits_for_opening
from pbem.campaigns.notify import house_umpires, memo_to, send_memo
from pbem.campaigns.outages import (
    ClockReading,
    Doubt,
    Gap,
    is_clock_in_doubt,
    move_timetable,
    read_clocks,
    update_clock_watch,
    watch_mail,
)
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import Recipient, seat_recipient, seat_recipients
from pbem.campaigns.resignations import overdue_campaigns, postpone_for_outage
from pbem.campaigns.troubles import hold_after_crash
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, memo_about
from pbem.letters.notices import outage_memo
from pbem.letters.question import reminder_memo
from pbem.logs import log
from pbem.store.campaigns import all_campaigns, campaign_row
from pbem.store.deadlines import (
    Deadline,
    Outage,
    due_deadlines,
    find_stuck_work,
    is_out_of_order,
    mark_outage_answered,
    open_timetables,
    outages_to_answer,
    reschedule,
    settle_deadline,
    timetable,
)
from pbem.store.inbox import erase_old_letters, erase_stray_letters, letters_settled_to
from pbem.store.leases import release_dead_claims
from pbem.store.outbox import NumberTaken, OutgoingMail, put_in_outbox
from pbem.store.people import absences_of, seated
from pbem.store.session import writing
from pbem.store.windows import Due, open_window, read_orders


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What is to be done now: letters to process, campaigns to adjudicate, the number of letters to send."""

    letters: tuple[int, ...]
    campaigns: tuple[str, ...]
    posts: int


def sweep(service: ServiceContext, clocks: Callable[[datetime], ClockReading] = read_clocks) -> SweepResult:
    """Do what is due, and return the work for others."""
    db, now = service.db, service.now()
    _watch_clock_and_mail(service, clocks(now))
    for outage in outages_to_answer(db):
        _move_deadlines(service, outage)
    passed, left = set[str](), set[str]()
    if not is_clock_in_doubt(db):
        due = due_deadlines(db, now, letters_settled_to(db))
        left = remind(service, [row for row in due if row.due.kind == "reminder"])
        if not is_out_of_order(db):
            passed = {row.campaign for row in due if row.due.kind != "reminder"}
            passed |= overdue_campaigns(db, letters_settled_to(db))
    release_dead_claims(db, now)
    waits = find_stuck_work(db, now)
    lobby = [row.id for row in all_campaigns(db, "lobby") if row.held is None and waits_for_opening(db, row)]
    erase_old_mail(service)
    campaigns = tuple(sorted({*passed, *left, *waits.closes, *waits.unseen, *lobby}))
    return SweepResult(waits.letters, campaigns, waits.posts)


def _watch_clock_and_mail(service: ServiceContext, clocks: ClockReading) -> None:
    """Compare the clocks; when they are newly in doubt, tell those who run the service."""
    doubted = is_clock_in_doubt(service.db)
    try:
        verdict = update_clock_watch(service, clocks)
        watch_mail(service)
    except IntegrityError:
        return  # another sweep does it at this moment
    if isinstance(verdict, Doubt) and not doubted and is_clock_in_doubt(service.db):
        facts = {"minutes": round(verdict.jump / timedelta(minutes=1))}
        memo = memo_about("doubt", facts, Note("doubt-how"), headline="")
        with writing(service.db) as tx:
            for recipient in house_umpires(service, tx):
                send_memo(service, tx, None, recipient, memo)


# ------------------------------------------------------------------ outages


@dataclass(frozen=True, slots=True)
class _Rescheduling:
    """A window's new timetable, and the letters that tell of it."""

    campaign: str
    window: int
    due: tuple[Due, ...]
    letters: tuple[OutgoingMail, ...]


def _move_deadlines(service: ServiceContext, outage: Outage) -> None:
    """Move the deadlines that the outage touched and tell the seats, once: all of it or nothing."""
    assert outage.ended is not None, "an outage is answered when it is over"
    now, gap = service.now(), Gap(outage.began, outage.ended)
    rows = groupby(open_timetables(service.db), key=lambda row: (row.campaign, row.window))
    plans = [_plan_rescheduling(service, *key, [row.due for row in group], gap) for key, group in rows]
    try:
        with writing(service.db) as tx:
            if not mark_outage_answered(tx, outage.id, now):
                return
            for plan in plans:
                if plan is not None and reschedule(tx, plan.campaign, plan.window, plan.due):
                    put_in_outbox(tx, plan.letters, now)
            postpone_for_outage(tx, gap)
    except NumberTaken:
        return  # a notice went out meanwhile: the next sweep counts anew


def _plan_rescheduling(
    service: ServiceContext, name: str, number: int, due: Sequence[Due], gap: Gap
) -> _Rescheduling | None:
    """None: the outage does not touch that window."""
    db, window = service.db, open_window(service.db, name)
    if window is None or window.number != number:
        return None
    phase = read_policy(campaign_row(db, name).policy).clock.phase(window.kind)
    later = move_timetable(due, phase, gap)
    if later == tuple(due):
        return None
    until = next((row.at for row in later if row.kind == "deadline"), None)
    try:
        terms = load_campaign(db, name).terms
    except EngineError as error:  # adjudication holds it and tells the umpire; the others are told now
        log().error("campaign.broken", campaign=name, error=type(error).__name__)
        return _Rescheduling(name, number, later, ())
    letters = [
        memo_to(service, db, terms, recipient, _outage_notice(recipient, gap, until))
        for recipient in seat_recipients(db, name)
        if recipient.seat in window.seats
    ]
    return _Rescheduling(name, number, later, tuple(letters))


def _outage_notice(recipient: Recipient, gap: Gap, until: datetime | None) -> Memo:
    zone = recipient.zone
    deadline = None if until is None else Moment(until, zone)
    return outage_memo(recipient.campaign, Moment(gap.began, zone), Moment(gap.ended, zone), deadline)


# ------------------------------------------------------------------ reminders


def remind_campaign(service: ServiceContext, name: str) -> None:
    """In one campaign alone: by a worker that has its rules, where the sweep's worker has not."""
    if not is_clock_in_doubt(service.db):
        due = due_deadlines(service.db, service.now(), None)
        remind(service, [row for row in due if row.campaign == name])


def remind(service: ServiceContext, due: Sequence[Deadline]) -> set[str]:
    """Remind the seats whose orders are not in; one letter each, however many reminders are due.

    Returns the campaigns that workers with other rules have to see to.
    """
    others: set[str] = set()
    key = attrgetter("campaign", "window", "due.seat")
    for (name, number, seat), rows in groupby(sorted(due, key=key), key):
        try:
            letter = _reminder(service, name, number, seat)
        except EngineError as error:  # the others are reminded all the same
            try:
                pass_on_if_others(service.db, name, error)
            except HasOtherRules:
                others.add(name)
                continue
            log().error("campaign.broken", campaign=name, error=type(error).__name__)
            hold_after_crash(service, name, error)
            continue
        try:
            with writing(service.db) as tx:
                settled = [settle_deadline(tx, row.id, service.now()) for row in rows]
                if any(settled) and letter is not None:
                    put_in_outbox(tx, [letter], service.now())
        except NumberTaken:
            continue  # another sweep was faster
    return others


def _reminder(service: ServiceContext, name: str, number: int, seat: str) -> OutgoingMail | None:
    """None: the window is closed, or the seat is in, away, a bot's or nobody's."""
    db, window = service.db, open_window(service.db, name)
    held = next((row for row in seated(db, name) if row.seat == seat), None)
    recipient = None if held is None else seat_recipient(name, held)
    if window is None or window.number != number or held is None or recipient is None:
        return None
    if _is_away(service, recipient):
        return None
    campaign, orders = load_campaign(db, name), read_orders(db, name).seats.get(seat)
    if campaign.is_complete(Seat(seat), orders):
        return None
    times = {row.due.kind: row.due.at for row in timetable(db, name, number)}
    if "deadline" not in times:
        return None
    is_held = orders is not None and orders.has_held_lines
    clock, deadline, zone = read_policy(campaign.standing_row.policy).clock, times["deadline"], recipient.zone
    memo = reminder_memo(
        name,
        "" if window.once else label_of(window),
        Moment(deadline, zone),
        seat=seat,
        on_file="held" if is_held else "orders" if has_orders(orders) else "nothing",
        # The window's own grace is as long as the fullest bank: it would tell of others' letters.
        grace=Moment(deadline + timedelta(hours=clock.phase(window.kind).grace), zone),
        bank=held.bank if clock.bank is not None else 0,
    )
    return memo_to(service, db, campaign.terms, recipient, memo, "reminder", window=number)


def _is_away(service: ServiceContext, recipient: Recipient) -> bool:
    assert recipient.person is not None, "the holder of a seat is a person"
    today = wall_clock(service.now(), recipient.zone).date()
    away = absences_of(service.db, recipient.person, recipient.campaign)
    return any(first <= today <= last for first, last in away)


# ------------------------------------------------------------------ old mail


def erase_old_mail(service: ServiceContext) -> int:
    """Erase raw mail of campaigns that ended longer ago than their policy says, and stray mail."""
    now = service.now()
    erased = erase_stray_letters(service.db, now - timedelta(days=Policy().raw_mail_days))
    for row in all_campaigns(service.db, "over"):
        kept = timedelta(days=read_policy(row.policy).raw_mail_days)
        if row.ended_at is not None and row.ended_at + kept <= now:
            erased += erase_old_letters(service.db, row.id, now)
    return erased
