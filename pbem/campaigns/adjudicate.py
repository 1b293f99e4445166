"""Adjudication: when a window closes, what comes of it, and who is told.

`adjudicate` advances a campaign until a window stays open or the game is over. Each step is Close (a short
transaction), run and letters (none open), commit (a short transaction). Any number of workers may do so at
once, and any of them may die anywhere: the next one finds the same frozen Close, makes the same bytes, and
only one commit counts. A claim on the Close keeps others from doing the same work meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from pbem.campaigns.advance_report import EVERYONE, AdvanceReport
from pbem.campaigns.campaign import Campaign, load_campaign, pass_on_if_others
from pbem.campaigns.deadlines import (
    ClosingReason,
    Phase,
    awaited_seats,
    banks_after,
    closing_reason,
    has_orders,
    is_put_off,
    missing_measure,
    plan_window,
    seats_without_bot,
)
from pbem.campaigns.lobby import waits_for_opening
from pbem.campaigns.order_file import seats_with_orders
from pbem.campaigns.outages import SILENCE, is_clock_in_doubt
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.resignations import accept_silence
from pbem.campaigns.results import result_letters
from pbem.campaigns.troubles import call_for_substitutes, hold_after_crash, hold_for_orders
from pbem.context import ServiceContext
from pbem.logs import log
from pbem.orders.understood import ABOUT_FORMS
from pbem.store.advance import (
    Advance,
    Frozen,
    HeadMoved,
    claim_close,
    commit_advance,
    frozen_close,
    redate_close,
    release_close,
)
from pbem.store.campaigns import CampaignRow, campaign_row, lock_and_load, mark_reviewed
from pbem.store.deadlines import is_out_of_order, timetable
from pbem.store.inbox import letters_settled_to
from pbem.store.outbox import NumberTaken, unanswered_letters, withdraw_reminders
from pbem.store.people import Seated, seated
from pbem.store.session import StoreError, writing
from pbem.store.windows import WindowOrders, read_orders

Step: TypeAlias = Literal["closed", "again", "stays"]
MOST_STEPS: Final = 1000  # of one call; the sweep calls again
SUPERSEDED: Final = ("receipt", "reminder")  # letters that a result makes needless


def adjudicate(service: ServiceContext, name: str, by: str = "") -> bool:
    """Close what is to be closed; True: something was. Ends when a window stays open or the game is over.

    `by` names the worker: when it comes back it goes on at once; others leave it the Close it has claimed.
    Raises HasOtherRules where workers of another version have to see to the campaign.
    """
    closed, me, loader = False, by or uuid4().hex, _Loader(service, name)
    for _ in range(MOST_STEPS):
        try:
            step = _step(service, name, me, loader)
        except (HeadMoved, NumberTaken):
            loader.campaign = None
            continue  # somebody else was faster: look again
        closed = closed or step == "closed"
        if step == "stays":
            break
    return closed


@dataclass(slots=True)
class _Loader:
    """The campaign, whose table is built once and goes on from one step to the next."""

    service: ServiceContext
    name: str
    campaign: Campaign | None = None

    def load(self) -> Campaign:
        """Raises HeadMoved if another worker advanced it meanwhile."""
        if self.campaign is None:
            self.campaign = load_campaign(self.service.db, self.name)
        else:
            self.campaign.refresh()
        return self.campaign


def _step(service: ServiceContext, name: str, by: str, loader: _Loader) -> Step:
    row = campaign_row(service.db, name)
    if row.held is not None or row.state == "over":
        return "stays"
    if (frozen := frozen_close(service.db, name)) is not None:
        return _carry_out(service, frozen, by, loader)
    try:
        return _open(service, row, loader) if row.state == "lobby" else _close(service, row, loader)
    except (StoreError, SQLAlchemyError):
        raise
    except Exception as error:  # it cannot be loaded: others go on, and the umpire is told once
        pass_on_if_others(service.db, name, error)
        log().error("campaign.broken", campaign=name, exc_info=True)
        hold_after_crash(service, name, error)
        return "stays"


# ------------------------------------------------------------------ Close


def _open(service: ServiceContext, row: CampaignRow, loader: _Loader) -> Step:
    """The opening Close, once every seat is held and the campaign was started."""
    if not waits_for_opening(service.db, row):
        return "stays"
    loader.load().freeze(read_orders(service.db, row.id), "opening", service.now())
    return "again"


def _close(service: ServiceContext, row: CampaignRow, loader: _Loader) -> Step:
    """Freeze the open window's Close if its time has come."""
    db, orders, now = service.db, read_orders(service.db, row.id), service.now()
    policy, people = read_policy(row.policy), seated(db, row.id)
    if orders.window is None:
        return "stays"
    campaign = loader.load()
    if campaign.terms.game.knows_allies and accept_silence(db, row.id, _heard_to(service, row.id), now):
        return "again"
    phase = policy.clock.phase(orders.window.kind)
    why = _closing_reason(service, phase, orders, campaign, people)
    if why is None:
        mark_reviewed(db, row.id, orders.revision)
        return "stays"
    missing = missing_measures(policy, orders, people)
    if silent := [seat for seat, measure in missing.items() if measure == "hold"]:
        hold_for_orders(service, campaign, orders, silent)
        return "stays"
    campaign.freeze(orders, why, service.now(), held_sheets=not policy.whole_sheets, missing=missing)
    return "again"  # carried out, or something was filed meanwhile


def _closing_reason(
    service: ServiceContext, phase: Phase, orders: WindowOrders, campaign: Campaign, people: Sequence[Seated]
) -> ClosingReason | None:
    """By which rule the window closes now. Without a trusted clock no deadline is executed."""
    window = orders.window
    assert window is not None
    if not seats_without_bot(window.seats, people):
        return "all-in"  # bots hold all its seats by now
    awaited = awaited_seats(window.seats, people, phase)
    due = [row.due for row in timetable(service.db, orders.campaign, window.number)]
    return closing_reason(
        phase,
        due,
        _heard_to(service, orders.campaign),
        all_in=campaign.are_all_in(orders, awaited),
        waits=is_put_off(orders, awaited),
    )


def _heard_to(service: ServiceContext, name: str) -> datetime | None:
    """Up to when its letters are known; None: the clock or the mail cannot be trusted now."""
    doubt = is_out_of_order(service.db) or is_clock_in_doubt(service.db)
    return None if doubt else letters_settled_to(service.db, name)


def missing_measures(policy: Policy, orders: WindowOrders, people: Sequence[Seated]) -> dict[str, str]:
    """What happens to the seats that sent no orders: at a deadline, or as nobody holds them."""
    assert orders.window is not None
    phase, planned = policy.clock.phase(orders.window.kind), seats_with_orders(orders.window)
    missed = {row.seat: row.missed for row in people}
    return {
        seat: missing_measure(phase, missed[seat])
        for seat in seats_without_bot(orders.window.seats, people)
        if not has_orders(orders.seats.get(seat)) and seat not in planned
    }


# ------------------------------------------------------------------ run, commit


def _carry_out(service: ServiceContext, frozen: Frozen, by: str, loader: _Loader) -> Step:
    """Run a frozen Close, write the letters, commit all of it, unless another worker is at it."""
    db = service.db
    if service.now() - frozen.at > SILENCE:  # nobody came for long: the next window's time begins now
        redate_close(db, frozen, service.now())
        again = frozen_close(db, frozen.campaign)
        return "again" if again is None else _carry_out(service, again, by, loader)
    if not claim_close(db, frozen, by, service.now()):
        return "stays"
    step: Step = "stays"
    try:
        step = _run_and_commit(service, frozen, loader)
    finally:
        if step != "closed":
            release_close(db, frozen, by)
    return step


def _run_and_commit(service: ServiceContext, frozen: Frozen, loader: _Loader) -> Step:
    people = seated(service.db, frozen.campaign)
    try:
        advance = compute_advance(service, frozen, people, loader.load())
    except (StoreError, SQLAlchemyError):
        raise
    except Exception as error:  # nothing is committed; whatever it was, the umpire is told
        pass_on_if_others(service.db, frozen.campaign, error)
        log().error("advance.broke-down", campaign=frozen.campaign, t=frozen.close.t, exc_info=True)
        hold_after_crash(service, frozen.campaign, error, frozen)
        return "stays"
    return _commit(service, frozen, advance, people)


def compute_advance(
    service: ServiceContext, frozen: Frozen, people: Sequence[Seated], campaign: Campaign | None = None
) -> Advance:
    """All that follows from a frozen Close: a pure function of it and of the store.

    Everything is dated as the Close is, and no transaction is open. The campaign, if it was loaded already,
    is at the next pause afterwards.
    """
    db, name = service.db, frozen.campaign
    campaign, orders = campaign or load_campaign(db, name), read_orders(db, name)
    clock = read_policy(campaign.standing_row.policy).clock
    report = run_and_report(service, frozen, people, campaign, orders)
    window = None if report.ahead is None else report.ahead.window
    return replace(
        report.run.advance(result_letters(report), window),
        banks=banks_after(db, orders, frozen, clock, people),
        missed=_missed(frozen, orders, report.missing, people),
    )


def run_and_report(
    service: ServiceContext,
    frozen: Frozen,
    people: Sequence[Seated],
    campaign: Campaign,
    orders: WindowOrders,
) -> AdvanceReport:
    """Run a frozen Close on this campaign; what letters about it are made from."""
    db, name = service.db, frozen.campaign
    policy, has_begun = read_policy(campaign.standing_row.policy), campaign.pause is not None
    asked = () if campaign.pause is None else campaign.pause.asks
    run, ahead = campaign.run(frozen), None
    if campaign.pause is not None:
        ahead = plan_window(db, name, policy.clock, campaign.pause.window, people, frozen.at)
    missing: Mapping[str, str] = json.loads(frozen.handed).get("missing", {})
    return AdvanceReport(
        service=service,
        campaign=campaign,
        run=run,
        people=people,
        ahead=ahead,
        missing=missing,
        held=frozenset(seat for seat, own in orders.seats.items() if own.has_held_lines),
        unanswered=_unanswered(db, frozen),
        whole_sheets=policy.whole_sheets,
        asked=asked,
        before=run.before[EVERYONE],
        closed=orders.window,
        own_before=run.before if has_begun else {},
    )


def _unanswered(db: Engine, frozen: Frozen) -> Mapping[str, datetime]:
    """Seats that were asked about the form they had edited, and did not answer."""
    if frozen.window is None:
        return {}
    return unanswered_letters(db, frozen.campaign, frozen.window, ABOUT_FORMS, frozen.at)


def _missed(
    frozen: Frozen, orders: WindowOrders, missing: Mapping[str, str], people: Sequence[Seated]
) -> dict[str, int]:
    """Windows in a row without orders. When the umpire closes one, nobody was late."""
    if orders.window is None or frozen.why not in ("all-in", "deadline"):
        return {}
    before = {row.seat: row.missed for row in people}
    asked = seats_without_bot(orders.window.seats, people)
    return {seat: before[seat] + 1 if seat in missing else 0 for seat in asked}


def _commit(service: ServiceContext, frozen: Frozen, advance: Advance, people: Sequence[Seated]) -> Step:
    """Everything or nothing; the letters were written to those who still hold the seats."""
    name = frozen.campaign
    with writing(service.db) as tx:
        lock_and_load(tx, name)
        if _holders(seated(tx, name)) != _holders(people) or not commit_advance(tx, advance, frozen.at):
            return "again"
        if frozen.window is not None:
            for kind in SUPERSEDED:
                withdraw_reminders(tx, name, kind, frozen.window)
        call_for_substitutes(service, tx, frozen, people)
    log().info("campaign.advanced", campaign=name, t=frozen.close.t, why=frozen.why)
    return "closed"


def _holders(people: Sequence[Seated]) -> list[tuple[str, int, str | None]]:
    return [(row.seat, row.holder, row.bot) for row in people]
