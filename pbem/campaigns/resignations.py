"""Seats that win and lose together resign together; an ally who is silent as long as a turn lasts agrees.

A game that has such seats says so in `allies`. The time in which allies may answer moves as deadlines do, and
somebody who takes over a seat gets their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import Connection

from engine.kernel.records import RESIGNATION
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import plan_timetable, seat_times
from pbem.campaigns.notify import send_memo
from pbem.campaigns.outages import Gap, move_deadline
from pbem.campaigns.policy import read_policy
from pbem.campaigns.recipients import seat_recipients
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.notices import ResignationStage, side_resignation_memo
from pbem.store.campaigns import Act, lock_and_load, record_act
from pbem.store.people import Seated, seated
from pbem.store.proposals import (
    OpenProposal,
    Proposal,
    change_proposal,
    proposals,
    settle_proposal,
    unsettled_proposals,
)
from pbem.store.session import Db, writing
from pbem.store.windows import open_window, read_orders

UNTIL: Final = "until"  # of a proposal's data: when silence counts as consent


def allies_of(campaign: Campaign, seat: str) -> tuple[Seat, ...]:
    return campaign.terms.game.allies(campaign.table.state, Seat(seat))


def end_by_resignation(tx: Connection, campaign: Campaign, team: Sequence[str], now: datetime) -> None:
    """Freeze the Close that ends the game; the next adjudication runs it."""
    name, seats = campaign.name, sorted(team)
    record_act(tx, name, Act(RESIGNATION, "", {"seats": seats}), now)
    frozen = campaign.freeze_end(read_orders(tx, name), RESIGNATION, seats, now)
    assert frozen is not None, "the campaign is locked, neither held nor over"


def open_resignations(db: Db, name: str) -> list[Proposal]:
    """Resignations of a side that not all its seats have agreed to yet."""
    own = (proposal for proposal in proposals(db, name) if proposal.kind == RESIGNATION)
    return [proposal for proposal in own if proposal.outcome is None]


def missing_consents(
    people: Sequence[Seated], seat: str, allies: Collection[str], given: Collection[str]
) -> tuple[str, ...]:
    """The allies whose consent is needed: other people, and no bots."""
    own = {row.person.id for row in people if row.person is not None and row.seat in (seat, *given)}
    held = [(row.seat, row.person) for row in people if row.seat in allies and row.bot is None]
    return tuple(ally for ally, person in held if person is not None and person.id not in own)


def tell_allies(
    service: ServiceContext,
    tx: Connection,
    campaign: Campaign,
    stage: ResignationStage,
    who: str,
    allies: Collection[str],
    until: datetime,
) -> None:
    """Tell those allies whose seats somebody holds, and nobody else."""
    for recipient in seat_recipients(tx, campaign.name):
        if recipient.seat in allies:
            memo = side_resignation_memo(campaign.name, stage, who, Moment(until, recipient.zone))
            send_memo(service, tx, campaign.terms, recipient, memo)


# ------------------------------------------------------------------ time to answer


def answer_deadline(tx: Connection, campaign: Campaign, allies: Sequence[str], now: datetime) -> datetime:
    """When the allies would have to write if they were asked for orders now."""
    clock, window = read_policy(campaign.standing_row.policy).clock, open_window(tx, campaign.name)
    assert window is not None, "asked of a game that waits for letters"
    times = seat_times(tx, campaign.name, clock, seated(tx, campaign.name))
    return plan_timetable(clock, window.kind, now, {ally: times[ally] for ally in allies}).deadline


def hand_over_resignations(
    service: ServiceContext, tx: Connection, campaign: Campaign, seat: str, before: Sequence[Proposal]
) -> None:
    """A seat has a new holder: words given in its place do not count anymore (`give_seat`).

    `before`: the resignations that were open until then. If the one who wanted to give up is gone, so is
    their wish; a newcomer whose ally wants it is asked, and has their own time. Where nobody is left to be
    asked, silence is no consent.
    """
    name = campaign.name
    for proposal in before:
        allies, until = allies_of(campaign, proposal.seat), silence_deadline(proposal)
        if seat not in (proposal.seat, *allies):
            continue
        missing = missing_consents(seated(tx, name), proposal.seat, allies, set(proposal.assents) - {seat})
        if proposal.seat == seat:
            tell_allies(service, tx, campaign, "lapsed", seat, allies, until)
        elif not missing:
            settle_proposal(tx, name, proposal.number, "withdrawn", service.now())
            tell_allies(service, tx, campaign, "lapsed", seat, (proposal.seat,), until)
        elif seat in missing:
            until = max(until, answer_deadline(tx, campaign, (seat,), service.now()))
            _set_deadline(tx, name, proposal, until)
            tell_allies(service, tx, campaign, "proposed", proposal.seat, (seat,), until)


def silence_deadline(proposal: Proposal | OpenProposal) -> datetime:
    """When silence counts as consent."""
    return datetime.fromisoformat(proposal.data[UNTIL])


def _set_deadline(tx: Connection, name: str, proposal: Proposal, until: datetime) -> None:
    change_proposal(tx, name, proposal.number, {**proposal.data, UNTIL: until.isoformat()})


def postpone_resignations(tx: Connection, name: str, later: Callable[[datetime], datetime]) -> None:
    """The deadlines of a campaign were moved: the time for an answer moves with them."""
    lock_and_load(tx, name)
    for proposal in open_resignations(tx, name):
        _set_deadline(tx, name, proposal, later(silence_deadline(proposal)))


def postpone_for_outage(tx: Connection, gap: Gap) -> None:
    """An outage moves it as it moves deadlines."""
    for name in sorted({proposal.campaign for proposal in unsettled_proposals(tx, RESIGNATION)}):
        clock, window = read_policy(lock_and_load(tx, name).policy).clock, open_window(tx, name)
        phase = clock.phase("" if window is None else window.kind)
        postpone_resignations(tx, name, partial(move_deadline, zone=clock.zone, phase=phase, gap=gap))


# ------------------------------------------------------------------ silence


def overdue_campaigns(db: Db, heard: datetime | None) -> set[str]:
    """The campaigns in which allies have let their time pass."""
    return {
        proposal.campaign for proposal in unsettled_proposals(db, RESIGNATION) if _is_late(proposal, heard)
    }


def accept_silence(db: Db, name: str, heard: datetime | None, now: datetime) -> bool:
    """Allies who have let their time pass agree: the game ends."""
    late = next((proposal for proposal in open_resignations(db, name) if _is_late(proposal, heard)), None)
    if late is None:
        return False
    with writing(db) as tx:
        row = lock_and_load(tx, name)
        if row.state != "running" or row.held is not None:
            return False
        if not settle_proposal(tx, name, late.number, "carried", now):
            return False
        campaign = load_campaign(tx, name)
        end_by_resignation(tx, campaign, (late.seat, *allies_of(campaign, late.seat)), now)
    return True


def _is_late(proposal: Proposal | OpenProposal, heard: datetime | None) -> bool:
    """As with deadlines, a time has passed when the inbox was read to its end after it."""
    return heard is not None and silence_deadline(proposal) < heard
