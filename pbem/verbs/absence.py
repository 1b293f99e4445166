"""ABSENT: days away, and what they do at once to the windows that wait for whoever is away.

A window's timetable is not made anew: the umpire or an outage may have moved it. It moves by as much as the
absence changes what the clock would have given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import (
    Timetable,
    label_of,
    plan_timetable,
    seat_times,
    seats_without_bot,
    timetable_rows,
)
from pbem.campaigns.notify import tell
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import Recipient
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, Part, TellsDeadline, memo_about
from pbem.orders.arguments import NONE, BadArgument, VerbArguments, ask_date
from pbem.orders.dates import Impossible, Span, Unclear, read_span
from pbem.orders.understood import Command, refuse_illegal, refuse_unreadable
from pbem.orders.vocabulary import SEATED
from pbem.store import deadlines
from pbem.store.campaigns import campaign_row
from pbem.store.people import Person, absences_of, add_absence, end_absences, seated, seats_of
from pbem.store.windows import Due, OpenWindow, open_window
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import answer_with
from pbem.verbs.verb import Verb

NOTICE: Final = timedelta(hours=24)  # a deadline that comes back leaves everybody so much time
LONGEST: Final = 366  # days


@dataclass(frozen=True, slots=True)
class Waiting:
    """A window that waits for somebody's seat."""

    campaign: str
    seat: str
    window: OpenWindow
    policy: Policy


class Moved(NamedTuple):
    """A deadline that an absence moved."""

    waiting: Waiting
    deadline: datetime


# ------------------------------------------------------------------ the command


class Absent(Command):
    """First and last day away; both None: no absence any more."""

    first: date | None
    last: date | None


def _read_absent(arguments: VerbArguments) -> Absent:
    text, today = arguments.read_text("date"), arguments.circumstances.today
    if len(arguments.words) == 1 and arguments.words[0].key in NONE:
        return Absent(None, None)
    match read_span(text, today):
        case Unclear() as unclear:
            raise ask_date(unclear)
        case Impossible():
            raise BadArgument(refuse_unreadable("mail-impossible-date", {"text": text}))
        case Span(first, last) if first > last:
            facts = {"first": first.isoformat(), "last": last.isoformat()}
            raise BadArgument(refuse_illegal("mail-dates-reversed", facts))
        case Span(_, last) if last < today:
            raise BadArgument(refuse_illegal("mail-date-past", {"last": last.isoformat()}))
        case Span(first, last):
            return Absent(first, last)


def _absent(context: LetterContext, command: Absent) -> VerbResult:
    """Away from a day to a day, both included, everywhere; or back again."""
    person = context.person
    if person is None:
        return answer_with(Note("absent-who"))
    campaigns = frozenset({context.campaign_name} - {""})
    today = context.mail.arrived.astimezone(ZoneInfo(person.zone)).date()
    if command.first is None or command.last is None:
        return VerbResult(effect=lambda tx: _end_absence(context, person, today, tx), adjudicate=campaigns)
    first, last = max(command.first, today), command.last
    if (last - first).days >= LONGEST:
        return answer_with(Note("absent-too-long", {"first": first, "last": last, "most": LONGEST}))
    return VerbResult(effect=lambda tx: _set_absence(context, person, first, last, tx), adjudicate=campaigns)


def _set_absence(
    context: LetterContext, person: Person, first: date, last: date, tx: Connection
) -> tuple[Part, ...]:
    facts = {"first": first, "last": last, "days": (last - first).days + 1}

    def change() -> None:
        known = {days for name, _ in seats_of(tx, person.id) for days in absences_of(tx, person.id, name)}
        if (first, last) not in known:
            add_absence(tx, person.id, first, last)

    moved = _change_absence(context.service, tx, person, change)
    return (Note("absent-noted", facts), *_tell_others(context, person, moved, tx), Note("absent-undo"))


def _end_absence(context: LetterContext, person: Person, today: date, tx: Connection) -> tuple[Part, ...]:
    moved = _change_absence(context.service, tx, person, lambda: end_absences(tx, person.id, today))
    return (Note("absent-back"), *_tell_others(context, person, moved, tx))


def _tell_others(
    context: LetterContext, person: Person, moved: list[Moved], tx: Connection
) -> tuple[Part, ...]:
    """The others get a letter of their own, without names or days; the new deadlines go to the writer."""
    for one in moved:
        name = one.waiting.campaign
        terms, memo = load_campaign(tx, name).terms, partial(_moved_memo, one)
        tell(context.service, tx, terms, name, memo, but=one.waiting.seat)
    return tuple(Note("absent-moved", _moved_facts(one, person.zone)) for one in moved)


def _moved_memo(moved: Moved, recipient: Recipient) -> Memo:
    """The others hear of the new deadline, not of who is away, nor when."""
    memo = memo_about("deadline", _moved_facts(moved, recipient.zone), headline="-moved")
    return replace(memo, deadline=TellsDeadline(moved.deadline))


def _moved_facts(moved: Moved, zone: str) -> dict[str, object]:
    label, until = label_of(moved.waiting.window), Moment(moved.deadline, zone)
    return {"campaign": moved.waiting.campaign, "label": label, "until": until}


# ------------------------------------------------------------------ timetables


def _change_absence(
    service: ServiceContext, tx: Connection, person: Person, change: Callable[[], None]
) -> list[Moved]:
    """Change a person's days away, and move the timetables of the windows that wait for them."""
    before = [(one, _plan(tx, one)) for one in _waiting_for(tx, person)]
    change()
    moved = []
    for waiting, plan in before:
        after = _plan(tx, waiting)
        if after != plan and (deadline := _move(service, tx, waiting, plan, after)) is not None:
            moved.append(Moved(waiting, deadline))
    return moved


def _waiting_for(tx: Connection, person: Person) -> list[Waiting]:
    found = []
    for name, seat in seats_of(tx, person.id):
        row, window = campaign_row(tx, name), open_window(tx, name)
        if row.state != "running" or window is None or window.state != "open":
            continue
        if seat in window.seats:
            found.append(Waiting(name, seat, window, read_policy(row.policy)))
    return found


def _plan(tx: Connection, waiting: Waiting) -> Timetable:
    """What the clock gives the window's seats, with the days away as they are on file now."""
    clock, window, name = waiting.policy.clock, waiting.window, waiting.campaign
    people = seated(tx, name)
    times = seat_times(tx, name, clock, people)
    asked = {seat: times[seat] for seat in seats_without_bot(window.seats, people)}
    return plan_timetable(clock, window.kind, window.opened_at, asked)


def _move(
    service: ServiceContext, tx: Connection, waiting: Waiting, before: Timetable, after: Timetable
) -> datetime | None:
    """Reschedule; the new deadline, or None: it stays where it is, or has passed."""
    window, now = waiting.window, service.now()
    announced = _deadline(row.due for row in deadlines.timetable(tx, waiting.campaign, window.number))
    if announced is None or announced <= now:
        return None
    shift = announced - before.deadline  # what the umpire or an outage gave
    shift += max(timedelta(0), min(announced, now + NOTICE) - (after.deadline + shift))
    phase = waiting.policy.clock.phase(window.kind)
    planned = [replace(one, at=one.at + shift) for one in timetable_rows(after, phase, window.opened_at)]
    new = [one for one in planned if one.kind != "reminder" or one.at > now]
    deadlines.reschedule(tx, waiting.campaign, window.number, new)
    return _deadline(new) if _deadline(new) != announced else None


def _deadline(due: Iterable[Due]) -> datetime | None:
    return next((one.at for one in due if one.kind == "deadline"), None)


VERBS = (
    Verb(
        "ABSENT, AWAY", "ABSENT, ABSENTE, ABSENCE", SEATED, Absent, _absent,
        read=_read_absent, topic="absence", mistaken="HOLIDAY, VACATION, VACANCES",
    ),
)  # fmt: skip
