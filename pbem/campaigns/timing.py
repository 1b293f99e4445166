"""Which clock a window runs on, whom it waits for, who is in, and when its time is up.

The kind of a window, which chooses its clock among the campaign's terms, is the part of its key behind the
turn, without its number. For The First World War: O order slots, D deployment, R rounds, V everything after
them; in `react` tempo C, a cycle of rounds; in `strict` tempo the same letters for single questions. The
window of a seat's own ASK is of kind ASK whatever it is about. A kind that the terms do not name runs on the
clock that is for all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.kernel.game import Window
from pbem.campaigns.clock import (
    ClockTerms,
    Due,
    SeatsTime,
    Timetable,
    bank_after,
    rows,
)
from pbem.campaigns.clock import timetable as planned
from pbem.store.advance import Frozen, NextWindow, next_window_number
from pbem.store.connect import Db
from pbem.store.deadlines import timetable
from pbem.store.filing import Filed, OpenWindow, SeatsFile, filed_at, last_letter_at
from pbem.store.people import Seated, absences_of

OWN_ASK: Final = "ASK"  # a seat's own wish to be asked
_NUMBERS: Final = "0123456789"


def phase_kind(window: Window) -> str:
    """The kind of phase: `T3.R`, `T3.4.R` and `T3.R5/F9/combat.draw` are of kind R, `T3.4` of none."""
    if window.once and "@" in window.key:
        return OWN_ASK
    return window.key.partition("/")[0].rpartition(".")[2].rstrip(_NUMBERS)


# ------------------------------------------------------------------ who is in


def awaited(seats: Iterable[str], people: Iterable[Seated]) -> tuple[str, ...]:
    """The seats of a window that somebody, or for now nobody, holds; bots are not waited for."""
    bots = {one.seat for one in people if one.bot is not None}
    return tuple(seat for seat in seats if seat not in bots)


def has_orders(told: SeatsFile | None) -> bool:
    """Did the seat send orders for this window, good or bad, or say that it has none?"""
    return told is not None and (told.sheet is not None or bool(told.replies) or told.stance == "ready")


def is_in(told: SeatsFile | None, questions: Sequence[str]) -> bool:
    """Is nothing more to be expected of the seat, whose open questions these are?

    A sheet that a bad line holds waits for its correction; single answers count when none is left open.
    """
    if told is None:
        return False
    if told.stance == "ready" or (told.sheet is not None and not told.sheet.held):
        return True
    return told.sheet is None and bool(told.replies) and _all_answered(told, questions)


def _all_answered(told: SeatsFile, questions: Sequence[str]) -> bool:
    """The umpire's order lines in a seat's place answer for all of it."""
    return any(question not in questions for question in told.replies) or set(questions) <= set(told.replies)


# ------------------------------------------------------------------ the next window


def seats_times(db: Db, name: str, clock: ClockTerms, people: Iterable[Seated]) -> dict[str, SeatsTime]:
    """What each seat's deadline depends on: its holder's zone and absences, its time bank."""
    found = {}
    for one in people:
        if one.person is None:
            found[one.seat] = SeatsTime(clock.zone, (), one.bank)
        else:
            away = absences_of(db, one.person.id, name)
            found[one.seat] = SeatsTime(one.person.zone, away, one.bank)
    return found


@dataclass(frozen=True, slots=True)
class Ahead:
    """The window to come, and until when it waits."""

    window: NextWindow
    awaited: tuple[str, ...]
    plan: Timetable


def window_ahead(
    db: Db, name: str, clock: ClockTerms, window: Window, people: Sequence[Seated], opened: datetime
) -> Ahead:
    """The window in which an advance came to rest, with its timetable."""
    kind, waits = phase_kind(window), awaited(window.seats, people)
    times = seats_times(db, name, clock, people)
    plan = planned(clock, kind, opened, {seat: times[seat] for seat in waits})
    due = rows(plan, clock.phase(kind), opened)
    number = next_window_number(db, name)
    return Ahead(NextWindow(number, window.key, kind, window.seats, window.once, due), waits, plan)


# ------------------------------------------------------------------ banks


def banks_after(
    db: Db, filed: Filed, frozen: Frozen, clock: ClockTerms, people: Sequence[Seated]
) -> dict[str, int]:
    """What is left in the time banks of the seats that the frozen window waited for."""
    if clock.bank is None or (window := filed.window) is None:
        return {}
    held, banks = {one.seat: one for one in people}, dict[str, int]()
    due = _as_it_stands(db, frozen.campaign, clock, window, people)
    for seat in awaited(window.seats, people):
        answered = None
        if has_orders(filed.seats.get(seat)):
            stamp = filed_at(db, frozen.campaign, window.number, seat)
            last = last_letter_at(db, frozen.campaign, seat, frozen.close.t)
            answered = stamp.arrived if stamp is not None else last
        bank = held[seat].bank
        banks[seat] = bank_after(bank, clock.bank, due.seats[seat], answered, due.grace)
    return banks


def _as_it_stands(
    db: Db, name: str, clock: ClockTerms, window: OpenWindow, people: Sequence[Seated]
) -> Timetable:
    """The timetable of an open window, with all seats' deadlines moved as the window's own was."""
    times = seats_times(db, name, clock, people)
    waits = {seat: times[seat] for seat in awaited(window.seats, people)}
    plan = planned(clock, window.kind, window.opened_at, waits)
    moved = _later(plan, [row.due for row in timetable(db, name, window.number)])
    seats: Mapping[str, datetime] = {seat: at + moved for seat, at in plan.seats.items()}
    return Timetable(plan.zone, seats, plan.deadline + moved, plan.grace + moved)


def _later(plan: Timetable, due: Sequence[Due]) -> timedelta:
    """By how much outages and umpires moved the deadline."""
    now = next((one.at for one in due if one.kind == "deadline"), plan.deadline)
    return now - plan.deadline
