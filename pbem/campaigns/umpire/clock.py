"""HOLD, RELEASE, EXTEND, PROCESS: the umpire and the clock."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from sqlalchemy.engine import Connection

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import is_in_turn, label_of, moment_of, shift_timetable, wall_clock
from pbem.campaigns.lobby import start_campaign, vacant_seats
from pbem.campaigns.policy import read_policy
from pbem.campaigns.resignations import postpone_resignations
from pbem.campaigns.umpire.acts import CannotDo, Umpire, refuse_frozen
from pbem.letters.dates import Moment
from pbem.store.campaigns import acts, campaign_row, mark_held, mark_released
from pbem.store.deadlines import Deadline, reschedule, timetable
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, open_window, read_orders

HOLD, RELEASE, EXTEND, PROCESS = "hold", "release", "extend", "process"


# ------------------------------------------------------------------ hold and release


def hold(umpire: Umpire) -> None:
    """Nothing is closed and no deadline runs out until the campaign is released."""
    with umpire.lock() as (tx, row):
        if row.held is not None:
            raise CannotDo("umpire-held-already", campaign=row.id, reason=row.held)
        umpire.perform(tx, HOLD)
        mark_held(tx, row.id, umpire.reason)


def release(umpire: Umpire) -> None:
    """The campaign goes on; the time it was held is added to the open window."""
    with umpire.lock() as (tx, row):
        if row.held is None:
            raise CannotDo("umpire-not-held", campaign=row.id)
        held_for, until = _held_for(tx, row.id, umpire.service.now()), None
        window, rows = _open_timetable(tx, row.id)
        if window is not None and window.state == "open" and held_for and rows:
            until = _postpone(tx, row.id, window, rows, held_for)
        postpone_resignations(tx, row.id, lambda silence: silence + held_for)
        umpire.perform(tx, RELEASE, {} if until is None else {"until": until.isoformat()}, {"until": until})
        mark_released(tx, row.id)


def _held_for(tx: Connection, name: str, now: datetime) -> timedelta:
    """How long the campaign was held; zero for a hold that is no act."""
    turns = [(at, act.act) for at, act in acts(tx, name) if act.act in (HOLD, RELEASE)]
    return now - turns[-1][0] if turns and turns[-1][1] == HOLD else timedelta(0)


# ------------------------------------------------------------------ extend


def extend(umpire: Umpire, later: timedelta | datetime) -> datetime:
    """Keep the open window open longer: by some time, or to a moment. Returns the new deadline."""
    with umpire.lock_running() as (tx, row):
        window, rows = _open_timetable(tx, row.id)
        if window is None or not rows:
            raise CannotDo("umpire-no-deadline", campaign=row.id)
        before, zone = _deadline(rows), rows[0].due.zone
        more = later if isinstance(later, timedelta) else later - before
        if more <= timedelta(0):
            moments = {"deadline": Moment(before, zone), "asked": Moment(before + more, zone)}
            raise CannotDo("umpire-not-later", **moments)
        until = _postpone(tx, row.id, window, rows, more)
        postpone_resignations(tx, row.id, lambda silence: silence + more)
        umpire.perform(tx, EXTEND, {"until": until.isoformat()}, {"until": until})
    return until


def campaign_moment(db: Db, name: str, day: date, hour: time | None) -> datetime:
    """A day and hour by the campaign's clock; without an hour that of the deadline."""
    zone, (_, rows) = read_policy(campaign_row(db, name).policy).clock.zone, _open_timetable(db, name)
    if hour is None:
        hour = wall_clock(_deadline(rows), zone).time() if rows else time(20, 0)
    return moment_of(datetime.combine(day, hour), zone)


def _open_timetable(db: Db, name: str) -> tuple[OpenWindow | None, list[Deadline]]:
    window = open_window(db, name)
    return window, [] if window is None else timetable(db, name, window.number)


def _deadline(rows: list[Deadline]) -> datetime:
    """The deadline as letters tell it; in its grace the end of the grace."""
    own = [row.due.at for row in rows if row.due.kind == "deadline"]
    return own[0] if own else max(row.due.at for row in rows)


def _postpone(
    tx: Connection, name: str, window: OpenWindow, rows: list[Deadline], more: timedelta
) -> datetime:
    """Shift the whole timetable; returns the new deadline."""
    reschedule(tx, name, window.number, shift_timetable([row.due for row in rows], more))
    return _deadline(rows) + more


# ------------------------------------------------------------------ process


def process(umpire: Umpire, turn: str = "") -> None:
    """Close the open window now, with what is on file; in the lobby start the game.

    The Close is frozen here; the next adjudication runs it.
    """
    with umpire.lock() as (tx, row):
        if row.state == "lobby":
            if vacant := vacant_seats(tx, row.id):
                raise CannotDo("umpire-seats-vacant", campaign=row.id, seats=vacant)
            start_campaign(umpire.service, row.id, umpire.reason, umpire.number(tx), tx)
            return
        refuse_frozen(tx, row.id)
        if row.held is not None:
            raise CannotDo("umpire-is-held", campaign=row.id, reason=row.held)
        window = open_window(tx, row.id)
        label = "" if window is None else label_of(window)
        if turn and label and not is_in_turn(label, turn):
            raise CannotDo("umpire-other-turn", campaign=row.id, named=turn, open=label)
        umpire.perform(tx, PROCESS, facts={"window": label})
        orders, held_sheets = read_orders(tx, row.id), not read_policy(row.policy).whole_sheets
        campaign, now = load_campaign(tx, row.id), umpire.service.now()
        frozen = campaign.freeze(orders, "umpire", now, held_sheets=held_sheets)
        assert frozen is not None, "the campaign is locked, neither held nor over"
