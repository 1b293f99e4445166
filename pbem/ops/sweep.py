"""The sweep: every quarter of a minute, everything that time brings about.

Signs of life and clocks; outages answered by later deadlines; reminders; deadlines that have passed; what a
lost message left lying; old raw mail. Each of these is done once, however many sweeps run at the same time.
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
    answer_outage,
    due_deadlines,
    give_back_claims,
    is_out_of_order,
    open_timetables,
    outages_to_answer,
    reschedule,
    settle_deadline,
    stuck,
    timetable,
)
from pbem.store.inbox import erase_old_letters, erase_stray_letters, heard_to
from pbem.store.outbox import NumberTaken, OutgoingMail, put_in_outbox
from pbem.store.people import Seated, absences_of, seated
from pbem.store.session import writing
from pbem.store.windows import Due, OpenWindow, open_window, read_orders


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What is to be done now, and by whom: letters to hear, campaigns to look at, letters to send."""

    letters: tuple[int, ...]
    campaigns: tuple[str, ...]
    posts: int


def sweep(service: ServiceContext, clocks: Callable[[datetime], ClockReading] = read_clocks) -> Enqueued:
    """Do what is due and ring for the rest."""
    now = service.now()
    _keep_watch(service, clocks(now))
    for outage in outages_to_answer(service.db):
        _answer(service, outage)
    passed, left = set[str](), set[str]()
    if not is_clock_in_doubt(service.db):
        due = due_deadlines(service.db, now, heard_to(service.db))
        left = remind(service, [row for row in due if row.due.kind == "reminder"])
        if not is_out_of_order(service.db):
            passed = {row.campaign for row in due if row.due.kind != "reminder"}
            passed |= overdue(service.db, heard_to(service.db))
    give_back_claims(service.db, now)
    waits = stuck(service.db, now)
    lobby = [here.id for here in all_campaigns(service.db, "lobby") if _may_open(service, here)]
    erase_old_mail(service)
    campaigns = tuple(sorted({*passed, *left, *waits.closes, *waits.unseen, *lobby}))
    return Enqueued(waits.letters, campaigns, waits.posts)


def _may_open(service: ServiceContext, here: CampaignRow) -> bool:
    return here.held is None and waits_for_opening(service.db, here)


def _keep_watch(service: ServiceContext, clocks: ClockReading) -> None:
    """The vigil; where the clock is newly in doubt, those who run the service are told."""
    doubted = is_clock_in_doubt(service.db)
    try:
        verdict = update_clock_watch(service, clocks)
        watch_mail(service)
    except IntegrityError:
        return  # another sweep keeps it at this moment
    if isinstance(verdict, Doubt) and not doubted and is_clock_in_doubt(service.db):
        facts = {"minutes": round(verdict.jump / timedelta(minutes=1))}
        memo = Memo(Note("doubt-subject"), Note("doubt", facts), (Note("doubt-how"),))
        with writing(service.db) as tx:
            for recipient in house_umpires(service, tx):
                send_memo(service, tx, None, recipient, memo)


# ------------------------------------------------------------------ outages


@dataclass(frozen=True, slots=True)
class _Moved:
    """A window's new timetable, and the letters that tell of it."""

    campaign: str
    window: int
    due: tuple[Due, ...]
    letters: tuple[OutgoingMail, ...]


def _answer(service: ServiceContext, outage: Outage) -> None:
    """Move the deadlines that the outage touched, tell the seats, once: all of it or nothing."""
    assert outage.ended is not None, "an outage is answered when it is over"
    now, gap = service.now(), Gap(outage.began, outage.ended)
    rows = groupby(open_timetables(service.db), key=lambda row: (row.campaign, row.window))
    plans = [_moved(service, *key, [row.due for row in group], gap) for key, group in rows]
    try:
        with writing(service.db) as tx:
            if not answer_outage(tx, outage.id, now):
                return
            for plan in plans:
                if plan is not None and reschedule(tx, plan.campaign, plan.window, plan.due):
                    put_in_outbox(tx, plan.letters, now)
            outlast(tx, gap)
    except NumberTaken:
        return  # a notice went out meanwhile: the next sweep counts anew


def _moved(service: ServiceContext, name: str, window: int, due: Sequence[Due], gap: Gap) -> _Moved | None:
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
    except EngineError as error:  # adjudication holds it and tells the umpire; the others are told now
        log().error("campaign.broken", campaign=name, error=type(error).__name__)
        return _Moved(name, window, later, ())
    for one in seated(service.db, name):
        if one.seat in open_now.seats and (recipient := seat_recipient(name, one)) is not None:
            letters.append(_outage_letter(service, terms, recipient, gap, until))
    return _Moved(name, window, later, tuple(letters))


def _outage_letter(
    service: ServiceContext, terms: Terms, recipient: Recipient, gap: Gap, until: datetime | None
) -> OutgoingMail:
    zone = recipient.zone
    deadline = None if until is None else Moment(until, zone)
    memo = outage_memo(recipient.campaign, Moment(gap.began, zone), Moment(gap.ended, zone), deadline)
    written = memo_letter(memo, phrases_for(terms, recipient))
    return letter_to(service, service.db, recipient, OutgoingLetter("notice", written), service.now())


# ------------------------------------------------------------------ reminders


def remind_in(service: ServiceContext, name: str) -> None:
    """In one campaign alone: by a worker that has its rules, where the sweep's has not."""
    if not is_clock_in_doubt(service.db):
        due = due_deadlines(service.db, service.now(), None)
        remind(service, [row for row in due if row.campaign == name])


def remind(service: ServiceContext, due: Sequence[Deadline]) -> set[str]:
    """The seats whose orders are not in; one letter each, however many reminders came due meanwhile.

    Returns the campaigns that workers with other rules have to see to.
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
            except EngineError as error:  # the others are reminded all the same
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
    """None: the seat is in, away, a bot's or nobody's."""
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
        # The window's own grace is as long as the fullest bank: told, it would tell of others' letters.
        grace=Moment(deadline.at + timedelta(hours=clock.phase(window.kind).grace), recipient.zone),
        bank=one.bank if clock.bank is not None else 0,
    )
    written = memo_letter(memo, phrases_for(taken.terms, recipient))
    return letter_to(service, db, recipient, OutgoingLetter("reminder", written, window.number), now)


def _is_away(service: ServiceContext, name: str, one: Seated, now: datetime) -> bool:
    assert one.person is not None, "a reader is a person"
    today = wall(now, one.person.zone).date()
    away = absences_of(service.db, one.person.id, name)
    return any(first <= today <= last for first, last in away)


# ------------------------------------------------------------------ old mail


def erase_old_mail(service: ServiceContext) -> int:
    """Raw mail of campaigns that are over goes after the time that was agreed on, and so does stray mail."""
    now = service.now()
    erased = erase_stray_letters(service.db, now - timedelta(days=Policy().raw_mail_days))
    for here in all_campaigns(service.db, "over"):
        kept = timedelta(days=read_policy(here.policy).raw_mail_days)
        if here.ended_at is not None and here.ended_at + kept <= now:
            erased += erase_old_letters(service.db, here.id, now)
    return erased
