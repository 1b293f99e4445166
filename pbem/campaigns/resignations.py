"""Seats that win and lose together give up together; who stays silent as long as a turn lasts agrees.

A game that has such seats has a method `allies(state, seat) -> tuple[Seat, ...]`. The time in which allies
may answer moves as deadlines do, and one who takes a seat over in it has his own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from engine.kernel.records import RESIGNATION
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import plan_timetable, seats_times
from pbem.campaigns.notify import send_memo
from pbem.campaigns.outages import Gap, moved
from pbem.campaigns.policy import read_policy
from pbem.campaigns.recipients import seat_recipient
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.notices import GivingUp, giving_up_memo
from pbem.store.campaigns import Act, lock_and_load, record_act
from pbem.store.people import Seated, seated
from pbem.store.proposals import Proposal, change_proposal, proposals, settle_proposal, unsettled_proposals
from pbem.store.session import Db, writing
from pbem.store.windows import open_window, read_orders

UNTIL: Final = "until"  # of a proposal's data: when silence counts as consent


def allies_of(here: Campaign, seat: str) -> tuple[Seat, ...]:
    return here.terms.game.allies(here.table.state, Seat(seat))


def end_by_resignation(tx: Connection, taken: Campaign, team: Sequence[str], now: datetime) -> None:
    """The Close that ends the game is frozen: whoever looks at the campaign next runs it."""
    name, seats = taken.name, sorted(team)
    record_act(tx, name, Act(RESIGNATION, "", {"seats": seats}), now)
    frozen = taken.freeze_end(read_orders(tx, name), RESIGNATION, seats, now)
    assert frozen is not None, "the campaign is locked, neither held nor over"


def open_resignations(db: Db, name: str) -> list[Proposal]:
    """Of a side that gives up if all its seats agree: proposed, and the last word not spoken."""
    return [one for one in proposals(db, name) if one.kind == RESIGNATION and one.outcome is None]


def missing_words(
    people: Sequence[Seated], seat: str, allies: Collection[str], given: Collection[str]
) -> tuple[str, ...]:
    """The allies whose word is wanted: other people, and no bots."""
    own = {one.person.id for one in people if one.person is not None and one.seat in (seat, *given)}
    held = [one for one in people if one.seat in allies and one.person is not None and one.bot is None]
    return tuple(one.seat for one in held if one.person is not None and one.person.id not in own)


def tell_allies(
    service: ServiceContext,
    tx: Connection,
    taken: Campaign,
    stage: GivingUp,
    who: str,
    allies: Collection[str],
    until: datetime,
) -> None:
    """Those of the seats that somebody holds; nobody else hears of it."""
    for one in seated(tx, taken.name):
        recipient = seat_recipient(taken.name, one)
        if recipient is not None and one.seat in allies:
            memo = giving_up_memo(taken.name, stage, who, Moment(until, recipient.zone))
            send_memo(service, tx, taken.terms, recipient, memo)


# ------------------------------------------------------------------ in whose time


def time_is_up(tx: Connection, taken: Campaign, allies: Sequence[str], now: datetime) -> datetime:
    """When the allies would have had to write if they had been asked for orders now."""
    clock, window = read_policy(taken.standing_row.policy).clock, open_window(tx, taken.name)
    assert window is not None, "asked of a game that waits for letters"
    times = seats_times(tx, taken.name, clock, seated(tx, taken.name))
    return plan_timetable(clock, window.kind, now, {one: times[one] for one in allies}).deadline


def has_changed_hands(
    service: ServiceContext, tx: Connection, taken: Campaign, seat: str, before: Sequence[Proposal]
) -> None:
    """A seat is played by another now, in whose place words do not count any more (`give_seat`).

    `before`: what was open until then. Who wanted to give up is gone, and so is his wish; a newcomer whose
    ally wants it is asked, and has his time. Where nobody is left to be asked, silence is no consent.
    """
    for one in (one for one in before if seat in (one.seat, *allies_of(taken, one.seat))):
        allies, until = allies_of(taken, one.seat), until_of(one)
        missing = missing_words(seated(tx, taken.name), one.seat, allies, set(one.assents) - {seat})
        if one.seat == seat:
            tell_allies(service, tx, taken, "lapsed", seat, allies, until)
        elif not missing:
            settle_proposal(tx, taken.name, one.number, "withdrawn", service.now())
            tell_allies(service, tx, taken, "lapsed", seat, (one.seat,), until)
        elif seat in missing:
            until = max(until, time_is_up(tx, taken, (seat,), service.now()))
            change_proposal(tx, taken.name, one.number, {**one.data, UNTIL: until.isoformat()})
            tell_allies(service, tx, taken, "proposed", one.seat, (seat,), until)


def until_of(proposal: Proposal) -> datetime:
    return datetime.fromisoformat(proposal.data[UNTIL])


def postpone_resignations(tx: Connection, name: str, later: Callable[[datetime], datetime]) -> None:
    """The deadlines of a campaign were moved: the time for an answer moves with them."""
    lock_and_load(tx, name)
    for one in open_resignations(tx, name):
        change_proposal(tx, name, one.number, {**one.data, UNTIL: later(until_of(one)).isoformat()})


def outlast(tx: Connection, gap: Gap) -> None:
    """An outage moves it as it moves deadlines."""
    for name in sorted({one.campaign for one in unsettled_proposals(tx, RESIGNATION)}):
        clock, window = read_policy(lock_and_load(tx, name).policy).clock, open_window(tx, name)
        phase = clock.phase("" if window is None else window.kind)
        postpone_resignations(tx, name, partial(moved, zone=clock.zone, phase=phase, gap=gap))


# ------------------------------------------------------------------ silence


def overdue(db: Db, heard: datetime | None) -> set[str]:
    """The campaigns in which allies have said nothing in their time."""
    return {one.campaign for one in unsettled_proposals(db, RESIGNATION) if _is_late(one.data, heard)}


def give_up_silently(db: Db, name: str, heard: datetime | None, now: datetime) -> bool:
    """Allies who have said nothing in their time agree: the game ends."""
    late = [one for one in open_resignations(db, name) if _is_late(one.data, heard)]
    if not late:
        return False
    with writing(db) as tx:
        here = lock_and_load(tx, name)
        if here.state != "running" or here.held is not None:
            return False
        if not settle_proposal(tx, name, late[0].number, "carried", now):
            return False
        taken = load_campaign(tx, name)
        end_by_resignation(tx, taken, (late[0].seat, *allies_of(taken, late[0].seat)), now)
    return True


def _is_late(data: Mapping[str, Any], heard: datetime | None) -> bool:
    """As with deadlines, a time has passed when the inbox was read to its end after it."""
    return heard is not None and datetime.fromisoformat(data[UNTIL]) < heard
