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
from pbem.campaigns.campaign import HasOtherRules, pass_on_if_others, take_up
from pbem.campaigns.deadlines import has_orders, is_in, wall
from pbem.campaigns.labels import label_of
from pbem.campaigns.lobby import waits_for_opening
from pbem.campaigns.outages import (
    Doubt,
    Gap,
    Reading,
    is_clock_in_doubt,
    keep_vigil,
    moved_timetable,
    read_clocks,
    watch_mail,
)
from pbem.campaigns.policy import Policy, Terms, read_policy
from pbem.campaigns.recipients import Reader, Sending, letter_to, phrases_for, seat_reader
from pbem.campaigns.resignations import outlast, overdue
from pbem.campaigns.troubles import hold_after_crash, house_umpires, lay_notice
from pbem.context import Office
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, memo_letter
from pbem.letters.notices import outage_memo
from pbem.letters.occasions import reminder_memo
from pbem.logs import log
from pbem.store.campaigns import Standing, all_campaigns, campaign
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
from pbem.store.outbox import NumberTaken, Outgoing, lay_in
from pbem.store.people import Seated, absences_of, seated
from pbem.store.session import writing
from pbem.store.windows import Due, OpenWindow, on_file, open_window


@dataclass(frozen=True, slots=True)
class Rung:
    """What is to be done now, and by whom: letters to hear, campaigns to look at, letters to send."""

    letters: tuple[int, ...]
    campaigns: tuple[str, ...]
    posts: int


def sweep(office: Office, clocks: Callable[[datetime], Reading] = read_clocks) -> Rung:
    """Do what is due and ring for the rest."""
    now = office.now()
    _keep_watch(office, clocks(now))
    for outage in outages_to_answer(office.db):
        _answer(office, outage)
    passed, left = set[str](), set[str]()
    if not is_clock_in_doubt(office.db):
        due = due_deadlines(office.db, now, heard_to(office.db))
        left = remind(office, [row for row in due if row.due.kind == "reminder"])
        if not is_out_of_order(office.db):
            passed = {row.campaign for row in due if row.due.kind != "reminder"}
            passed |= overdue(office.db, heard_to(office.db))
    give_back_claims(office.db, now)
    waits = stuck(office.db, now)
    lobby = [here.id for here in all_campaigns(office.db, "lobby") if _may_open(office, here)]
    erase_old_mail(office)
    campaigns = tuple(sorted({*passed, *left, *waits.closes, *waits.unseen, *lobby}))
    return Rung(waits.letters, campaigns, waits.posts)


def _may_open(office: Office, here: Standing) -> bool:
    return here.held is None and waits_for_opening(office.db, here)


def _keep_watch(office: Office, clocks: Reading) -> None:
    """The vigil; where the clock is newly in doubt, those who run the service are told."""
    doubted = is_clock_in_doubt(office.db)
    try:
        verdict = keep_vigil(office, clocks)
        watch_mail(office)
    except IntegrityError:
        return  # another sweep keeps it at this moment
    if isinstance(verdict, Doubt) and not doubted and is_clock_in_doubt(office.db):
        facts = {"minutes": round(verdict.jump / timedelta(minutes=1))}
        memo = Memo(Note("doubt-subject"), Note("doubt", facts), (Note("doubt-how"),))
        with writing(office.db) as tx:
            for reader in house_umpires(office, tx):
                lay_notice(office, tx, None, reader, memo, office.now())


# ------------------------------------------------------------------ outages


@dataclass(frozen=True, slots=True)
class _Moved:
    """A window's new timetable, and the letters that tell of it."""

    campaign: str
    window: int
    due: tuple[Due, ...]
    letters: tuple[Outgoing, ...]


def _answer(office: Office, outage: Outage) -> None:
    """Move the deadlines that the outage touched, tell the seats, once: all of it or nothing."""
    assert outage.ended is not None, "an outage is answered when it is over"
    now, gap = office.now(), Gap(outage.began, outage.ended)
    rows = groupby(open_timetables(office.db), key=lambda row: (row.campaign, row.window))
    plans = [_moved(office, *key, [row.due for row in group], gap) for key, group in rows]
    try:
        with writing(office.db) as tx:
            if not answer_outage(tx, outage.id, now):
                return
            for plan in plans:
                if plan is not None and reschedule(tx, plan.campaign, plan.window, plan.due):
                    lay_in(tx, plan.letters, now)
            outlast(tx, gap)
    except NumberTaken:
        return  # a notice went out meanwhile: the next sweep counts anew


def _moved(office: Office, name: str, window: int, due: Sequence[Due], gap: Gap) -> _Moved | None:
    """None: the outage does not touch that window."""
    here, open_now = campaign(office.db, name), open_window(office.db, name)
    if open_now is None or open_now.number != window:
        return None
    phase = read_policy(here.policy).clock.phase(open_now.kind)
    later = moved_timetable(due, phase, gap)
    if later == tuple(due):
        return None
    until = next((one.at for one in later if one.kind == "deadline"), None)
    letters: list[Outgoing] = []
    try:
        terms = take_up(office.db, name).terms
    except EngineError as error:  # adjudication holds it and tells the umpire; the others are told now
        log().error("campaign.broken", campaign=name, error=type(error).__name__)
        return _Moved(name, window, later, ())
    for one in seated(office.db, name):
        if one.seat in open_now.seats and (reader := seat_reader(name, one)) is not None:
            letters.append(_outage_letter(office, terms, reader, gap, until))
    return _Moved(name, window, later, tuple(letters))


def _outage_letter(
    office: Office, terms: Terms, reader: Reader, gap: Gap, until: datetime | None
) -> Outgoing:
    zone = reader.zone
    deadline = None if until is None else Moment(until, zone)
    memo = outage_memo(reader.campaign, Moment(gap.began, zone), Moment(gap.ended, zone), deadline)
    written = memo_letter(memo, phrases_for(terms, reader))
    return letter_to(office, office.db, reader, Sending("notice", written), office.now())


# ------------------------------------------------------------------ reminders


def remind_in(office: Office, name: str) -> None:
    """In one campaign alone: by a worker that has its rules, where the sweep's has not."""
    if not is_clock_in_doubt(office.db):
        due = due_deadlines(office.db, office.now(), None)
        remind(office, [row for row in due if row.campaign == name])


def remind(office: Office, due: Sequence[Deadline]) -> set[str]:
    """The seats whose orders are not in; one letter each, however many reminders came due meanwhile.

    Returns the campaigns that workers with other rules have to see to.
    """
    others: set[str] = set()
    latest: dict[tuple[str, int, str], list[Deadline]] = {}
    for row in due:
        latest.setdefault((row.campaign, row.window, row.due.seat), []).append(row)
    for (name, number, seat), rows in sorted(latest.items()):
        window = open_window(office.db, name)
        letter = None
        if window is not None and window.number == number:
            try:
                letter = _reminder(office, name, window, seat)
            except EngineError as error:  # the others are reminded all the same
                if _has_other_rules(office, name, error):
                    others.add(name)
                    continue
                log().error("campaign.broken", campaign=name, error=type(error).__name__)
                hold_after_crash(office, name, error)
                continue
        try:
            with writing(office.db) as tx:
                settled = [settle_deadline(tx, row.id, office.now()) for row in rows]
                if any(settled) and letter is not None:
                    lay_in(tx, [letter], office.now())
        except NumberTaken:
            continue  # another sweep was faster
    return others


def _has_other_rules(office: Office, name: str, error: EngineError) -> bool:
    try:
        pass_on_if_others(office.db, name, error)
    except HasOtherRules:
        return True
    return False


def _reminder(office: Office, name: str, window: OpenWindow, seat: str) -> Outgoing | None:
    """None: the seat is in, away, a bot's or nobody's."""
    db, now = office.db, office.now()
    one = next((one for one in seated(db, name) if one.seat == seat), None)
    reader = None if one is None else seat_reader(name, one)
    if one is None or reader is None or _is_away(office, name, one, now):
        return None
    taken, told = take_up(db, name), on_file(db, name).seats.get(seat)
    asks = {str(one): [question for question, _ in found] for one, found in taken.open_asks().items()}
    if is_in(told, asks.get(seat, [])):
        return None
    times = {row.due.kind: Moment(row.due.at, reader.zone) for row in timetable(db, name, window.number)}
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
        grace=Moment(deadline.at + timedelta(hours=clock.phase(window.kind).grace), reader.zone),
        bank=one.bank if clock.bank is not None else 0,
    )
    written = memo_letter(memo, phrases_for(taken.terms, reader))
    return letter_to(office, db, reader, Sending("reminder", written, window.number), now)


def _is_away(office: Office, name: str, one: Seated, now: datetime) -> bool:
    assert one.person is not None, "a reader is a person"
    today = wall(now, one.person.zone).date()
    away = absences_of(office.db, one.person.id, name)
    return any(first <= today <= last for first, last in away)


# ------------------------------------------------------------------ old mail


def erase_old_mail(office: Office) -> int:
    """Raw mail of campaigns that are over goes after the time that was agreed on, and so does stray mail."""
    now = office.now()
    erased = erase_stray_letters(office.db, now - timedelta(days=Policy().raw_mail_days))
    for here in all_campaigns(office.db, "over"):
        kept = timedelta(days=read_policy(here.policy).raw_mail_days)
        if here.ended_at is not None and here.ended_at + kept <= now:
            erased += erase_old_letters(office.db, here.id, now)
    return erased
