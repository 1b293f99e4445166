"""The sweep: every 15 seconds, everything that is due by time.

Signs of life and clocks; deadlines moved after outages; reminders; deadlines that have passed; work that a
lost task left undone; old raw mail. Each is done once, however many sweeps run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy.exc import IntegrityError

from engine.kernel.errors import EngineError
from pbem.campaigns.campaign import HasOtherRules, load_campaign, pass_on_if_others
from pbem.campaigns.deadlines import has_orders, is_in, wall
from pbem.campaigns.labels import label_of
from pbem.campaigns.lobby import waits_for_opening
from pbem.campaigns.notify import house_umpires, send_memo
from pbem.campaigns.outages import (
    ClockReading,
    Doubt,
    Gap,
    is_clock_in_doubt,
    moved_timetable,
    read_clocks,
    update_clock_watch,
    watch_mail,
)
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.campaigns.resignations import outlast, overdue
from pbem.campaigns.terms import Terms
from pbem.campaigns.troubles import hold_after_crash
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, memo_letter
from pbem.letters.notices import outage_memo
from pbem.letters.occasions import reminder_memo
from pbem.logs import log
from pbem.store.campaigns import CampaignRow, all_campaigns, campaign
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
from pbem.store.people import Seated, absences_of, seated
from pbem.store.session import writing
from pbem.store.windows import Due, OpenWindow, open_window, read_orders


@dataclass(frozen=True, slots=True)
class SweepResult:
    """Work to enqueue: letters to receive, campaigns to advance, how many letters to send."""

    letters: tuple[int, ...]
    campaigns: tuple[str, ...]
    posts: int


def sweep(service: ServiceContext, clocks: Callable[[datetime], ClockReading] = read_clocks) -> SweepResult:
    """Do what is due; return the work to enqueue."""
    now = service.now()
    _watch_clock_and_mail(service, clocks(now))
    for outage in outages_to_answer(service.db):
        _move_deadlines(service, outage)
    passed, left = set[str](), set[str]()
    if not is_clock_in_doubt(service.db):
        due = due_deadlines(service.db, now, letters_settled_to(service.db))
        left = remind(service, [row for row in due if row.due.kind == "reminder"])
        if not is_out_of_order(service.db):
            passed = {row.campaign for row in due if row.due.kind != "reminder"}
            passed |= overdue(service.db, letters_settled_to(service.db))
    release_dead_claims(service.db, now)
    waits = find_stuck_work(service.db, now)
    lobby = [here.id for here in all_campaigns(service.db, "lobby") if _may_open(service, here)]
    erase_old_mail(service)
    campaigns = tuple(sorted({*passed, *left, *waits.closes, *waits.unseen, *lobby}))
    return SweepResult(waits.letters, campaigns, waits.posts)


def _may_open(service: ServiceContext, here: CampaignRow) -> bool:
    return here.held is None and waits_for_opening(service.db, here)


def _watch_clock_and_mail(service: ServiceContext, clocks: ClockReading) -> None:
    """Look for outages; if the clock has just become doubtful, tell the operators."""
    doubted = is_clock_in_doubt(service.db)
    try:
        verdict = update_clock_watch(service, clocks)
        watch_mail(service)
    except IntegrityError:
        return  # another sweep does it at this moment
    if isinstance(verdict, Doubt) and not doubted and is_clock_in_doubt(service.db):
        facts = {"minutes": round(verdict.jump / timedelta(minutes=1))}
        memo = Memo(Note("doubt-subject"), Note("doubt", facts), (Note("doubt-how"),))
        with writing(service.db) as tx:
            for recipient in house_umpires(service, tx):
                send_memo(service, tx, None, recipient, memo)


# ------------------------------------------------------------------ outages


@dataclass(frozen=True, slots=True)
class _Rescheduling:
    """A window's new timetable, and the letters that announce it."""

    campaign: str
    window: int
    due: tuple[Due, ...]
    letters: tuple[OutgoingMail, ...]


def _move_deadlines(service: ServiceContext, outage: Outage) -> None:
    """Move the deadlines that the outage touched and tell the seats, once: all or nothing."""
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
            outlast(tx, gap)
    except NumberTaken:
        return  # a notice went out meanwhile: the next sweep tries again


def _plan_rescheduling(
    service: ServiceContext, name: str, window: int, due: Sequence[Due], gap: Gap
) -> _Rescheduling | None:
    """None: the outage does not touch that window."""
    here, open_now = campaign(service.db, name), open_window(service.db, name)
    if open_now is None or open_now.number != window:
        return None
    phase = read_policy(here.policy).clock.phase(open_now.kind)
    later = moved_timetable(due, phase, gap)
    if later == tuple(due):
        return None
    until = next((one.at for one in later if one.kind == "deadline"), None)
    letters: list[OutgoingMail] = []
    try:
        terms = load_campaign(service.db, name).terms
    except EngineError as error:  # adjudication holds it and tells the umpire; go on with the others
        log().error("campaign.broken", campaign=name, error=type(error).__name__)
        return _Rescheduling(name, window, later, ())
    for one in seated(service.db, name):
        if one.seat in open_now.seats and (recipient := seat_recipient(name, one)) is not None:
            letters.append(_outage_letter(service, terms, recipient, gap, until))
    return _Rescheduling(name, window, later, tuple(letters))


def _outage_letter(
    service: ServiceContext, terms: Terms, recipient: Recipient, gap: Gap, until: datetime | None
) -> OutgoingMail:
    zone = recipient.zone
    deadline = None if until is None else Moment(until, zone)
    memo = outage_memo(recipient.campaign, Moment(gap.began, zone), Moment(gap.ended, zone), deadline)
    written = memo_letter(memo, phrases_for(terms, recipient))
    return letter_to(service, service.db, recipient, OutgoingLetter("notice", written), service.now())


# ------------------------------------------------------------------ reminders


def remind_campaign(service: ServiceContext, name: str) -> None:
    """Remind in one campaign: for a worker that has its rules when the sweep's worker has not."""
    if not is_clock_in_doubt(service.db):
        due = due_deadlines(service.db, service.now(), None)
        remind(service, [row for row in due if row.campaign == name])


def remind(service: ServiceContext, due: Sequence[Deadline]) -> set[str]:
    """Remind seats without orders: one letter each, however many reminders came due meanwhile.

    Returns the campaigns that need workers with other rules.
    """
    others: set[str] = set()
    latest: dict[tuple[str, int, str], list[Deadline]] = {}
    for row in due:
        latest.setdefault((row.campaign, row.window, row.due.seat), []).append(row)
    for (name, number, seat), rows in sorted(latest.items()):
        window = open_window(service.db, name)
        letter = None
        if window is not None and window.number == number:
            try:
                letter = _reminder(service, name, window, seat)
            except EngineError as error:  # go on with the others
                if _has_other_rules(service, name, error):
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


def _has_other_rules(service: ServiceContext, name: str, error: EngineError) -> bool:
    try:
        pass_on_if_others(service.db, name, error)
    except HasOtherRules:
        return True
    return False


def _reminder(service: ServiceContext, name: str, window: OpenWindow, seat: str) -> OutgoingMail | None:
    """None: the seat has orders, is away, a bot's or vacant."""
    db, now = service.db, service.now()
    one = next((one for one in seated(db, name) if one.seat == seat), None)
    recipient = None if one is None else seat_recipient(name, one)
    if one is None or recipient is None or _is_away(service, name, one, now):
        return None
    taken, told = load_campaign(db, name), read_orders(db, name).seats.get(seat)
    asks = {str(one): [question for question, _ in found] for one, found in taken.open_asks().items()}
    if is_in(told, asks.get(seat, [])):
        return None
    times = {row.due.kind: Moment(row.due.at, recipient.zone) for row in timetable(db, name, window.number)}
    if "deadline" not in times:
        return None
    held = told is not None and told.sheet is not None and told.sheet.held
    clock, deadline = read_policy(taken.standing_row.policy).clock, times["deadline"]
    memo = reminder_memo(
        name,
        "" if window.once else label_of(window),
        deadline,
        on_file="held" if held else "orders" if has_orders(told) else "nothing",
        # The window's own grace is as long as the fullest bank: shown, it would reveal others' letters.
        grace=Moment(deadline.at + timedelta(hours=clock.phase(window.kind).grace), recipient.zone),
        bank=one.bank if clock.bank is not None else 0,
    )
    written = memo_letter(memo, phrases_for(taken.terms, recipient))
    return letter_to(service, db, recipient, OutgoingLetter("reminder", written, window.number), now)


def _is_away(service: ServiceContext, name: str, one: Seated, now: datetime) -> bool:
    assert one.person is not None, "a recipient is a person"
    today = wall(now, one.person.zone).date()
    away = absences_of(service.db, one.person.id, name)
    return any(first <= today <= last for first, last in away)


# ------------------------------------------------------------------ old mail


def erase_old_mail(service: ServiceContext) -> int:
    """Erase raw mail of finished campaigns after the agreed time, and stray mail."""
    now = service.now()
    erased = erase_stray_letters(service.db, now - timedelta(days=Policy().raw_mail_days))
    for here in all_campaigns(service.db, "over"):
        kept = timedelta(days=read_policy(here.policy).raw_mail_days)
        if here.ended_at is not None and here.ended_at + kept <= now:
            erased += erase_old_letters(service.db, here.id, now)
    return erased
