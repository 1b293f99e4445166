"""HOLD, RELEASE, EXTEND, PROCESS: the umpire and the clock."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from sqlalchemy.engine import Connection

from pbem.campaigns import lobby
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import is_in_turn, label_of, moment_of, shift_timetable, wall_clock
from pbem.campaigns.policy import read_policy
from pbem.campaigns.resignations import postpone_resignations
from pbem.campaigns.umpire.acts import CannotDo, UmpireAct, lock_campaign, lock_running_campaign, record_act
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.store import campaigns
from pbem.store.campaigns import CampaignRow, acts
from pbem.store.deadlines import Deadline, reschedule, timetable
from pbem.store.session import Db, writing
from pbem.store.windows import OpenWindow, open_window, read_orders

HOLD, RELEASE, EXTEND, PROCESS = "hold", "release", "extend", "process"


# ------------------------------------------------------------------ standing still


def hold(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """Nothing is closed and no deadline runs out until the campaign is released."""
    with writing(service.db if db is None else db) as tx:
        here = lock_campaign(tx, name)
        if here.held is not None:
            raise CannotDo("umpire-held-already", campaign=name, reason=here.held)
        record_act(service, tx, name, UmpireAct(HOLD, reason, by))
        campaigns.mark_held(tx, name, reason)


def release(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """The campaign goes on; the time it stood still is added to the open window."""
    with writing(service.db if db is None else db) as tx:
        here = lock_campaign(tx, name)
        if here.held is None:
            raise CannotDo("umpire-not-held", campaign=name)
        stood_still = _stood_still(tx, name, service.now())
        until = _give_back(tx, name, stood_still)
        postpone_resignations(tx, name, lambda silence: silence + stood_still)
        public = {} if until is None else {"until": until.isoformat()}
        record_act(service, tx, name, UmpireAct(RELEASE, reason, by, public, facts={"until": until}))
        campaigns.mark_released(tx, name)


def _stood_still(tx: Connection, name: str, now: datetime) -> timedelta:
    """How long the campaign was held; nobody knows it of a hold that is no act."""
    turns = [(at, act.act) for at, act in acts(tx, name) if act.act in (HOLD, RELEASE)]
    since = [at for at, act in turns[-1:] if act == HOLD]
    return now - since[-1] if since else timedelta(0)


def _give_back(tx: Connection, name: str, stood_still: timedelta) -> datetime | None:
    """The deadlines later by so much; the new deadline, None: nothing is awaited."""
    window = open_window(tx, name)
    rows = [] if window is None else timetable(tx, name, window.number)
    if window is None or window.state != "open" or not stood_still or not rows:
        return None
    return _later(tx, name, window, rows, stood_still)


# ------------------------------------------------------------------ later, now


def extend(
    service: ServiceContext,
    name: str,
    later: timedelta | datetime,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> datetime:
    """The open window stays open longer: by some time, or to a moment. Returns the new deadline."""
    with writing(service.db if db is None else db) as tx:
        lock_running_campaign(tx, name)
        window, rows = _waiting(tx, name)
        before = _deadline(rows)
        more = later if isinstance(later, timedelta) else later - before
        if more <= timedelta(0):
            zone = rows[0].due.zone
            raise CannotDo(
                "umpire-not-later", deadline=Moment(before, zone), asked=Moment(before + more, zone)
            )
        until = _later(tx, name, window, rows, more)
        postpone_resignations(tx, name, lambda silence: silence + more)
        record_act(
            service,
            tx,
            name,
            UmpireAct(EXTEND, reason, by, {"until": until.isoformat()}, facts={"until": until}),
        )
    return until


def campaign_moment(db: Db, name: str, day: date, hour: time | None) -> datetime:
    """A day and hour as the campaign's clocks show them; without an hour that of the deadline."""
    here, window = campaigns.campaign(db, name), open_window(db, name)
    clock = read_policy(here.policy).clock
    if hour is None:
        rows = timetable(db, name, window.number) if window is not None else []
        hour = wall_clock(_deadline(rows), clock.zone).time() if rows else time(20, 0)
    return moment_of(datetime.combine(day, hour), clock.zone)


def _waiting(tx: Connection, name: str) -> tuple[OpenWindow, list[Deadline]]:
    window = open_window(tx, name)
    rows = [] if window is None else timetable(tx, name, window.number)
    if window is None or not rows:
        raise CannotDo("umpire-no-deadline", campaign=name)
    return window, rows


def _deadline(rows: list[Deadline]) -> datetime:
    """The deadline as letters tell it; in its grace the end of the grace."""
    own = [row.due.at for row in rows if row.due.kind == "deadline"]
    return own[0] if own else max(row.due.at for row in rows)


def _later(tx: Connection, name: str, window: OpenWindow, rows: list[Deadline], more: timedelta) -> datetime:
    """The whole timetable later by so much; returns the new deadline."""
    moved = shift_timetable([row.due for row in rows], more)
    reschedule(tx, name, window.number, moved)
    return _deadline(rows) + more


def process(
    service: ServiceContext,
    name: str,
    turn: str = "",
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> None:
    """The open window closes now, with what is on file; in the lobby the game starts.

    The Close is frozen here; whoever looks at the campaign next carries it out.
    """
    with writing(service.db if db is None else db) as tx:
        here = lock_campaign(tx, name)
        if here.state == "lobby":
            _start(service, tx, name, reason, by)
            return
        lock_running_campaign(tx, name)
        _check_may_close(tx, here, turn)
        window = open_window(tx, name)
        label = "" if window is None else label_of(window)
        record_act(service, tx, name, UmpireAct(PROCESS, reason, by, facts={"window": label}))
        sheets = not read_policy(here.policy).whole_sheets
        frozen = load_campaign(tx, name).freeze(
            read_orders(tx, name), "umpire", service.now(), held_sheets=sheets
        )
        assert frozen is not None, "the campaign is locked, neither held nor over"


def _start(service: ServiceContext, tx: Connection, name: str, reason: str, by: int | None) -> None:
    if vacant := lobby.vacant_seats(tx, name):
        raise CannotDo("umpire-seats-vacant", campaign=name, seats=vacant)
    lobby.start_campaign(service, name, reason, by, tx)


def _check_may_close(tx: Connection, here: CampaignRow, turn: str) -> None:
    if here.held is not None:
        raise CannotDo("umpire-is-held", campaign=here.id, reason=here.held)
    window = open_window(tx, here.id)
    if turn and window is not None and not is_in_turn(label_of(window), turn):
        raise CannotDo("umpire-other-turn", campaign=here.id, named=turn, open=label_of(window))
