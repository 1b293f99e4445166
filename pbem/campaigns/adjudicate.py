"""Adjudication: when a window closes, what comes of it, and who is told.

`adjudicate` looks at a campaign and goes on until a window stays open or the game is over. Each step is
Close (a short transaction), run and letters (none open), commit (a short transaction). Any number of workers
may do so at once, and any of them may die anywhere: whoever comes next finds the same frozen Close, makes
the same bytes, and only one commit counts. A claim on the Close keeps others from doing the work meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from pbem.campaigns.campaign import Campaign, load_campaign, pass_on_if_others
from pbem.campaigns.deadlines import (
    Closing,
    awaited,
    banks_after,
    closing,
    has_orders,
    is_in,
    measure,
    window_ahead,
)
from pbem.campaigns.lobby import waits_for_opening
from pbem.campaigns.order_file import seats_with_orders
from pbem.campaigns.outages import SILENCE, is_clock_in_doubt
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.resignations import give_up_silently
from pbem.campaigns.results import EVERYONE, Advanced, result_letters
from pbem.campaigns.troubles import call_for_substitutes, hold_after_crash, hold_for_orders
from pbem.context import ServiceContext
from pbem.logs import log
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
from pbem.store.campaigns import CampaignRow, campaign, lock_and_load, mark_reviewed
from pbem.store.deadlines import is_out_of_order, timetable
from pbem.store.inbox import letters_settled_to
from pbem.store.outbox import NumberTaken, withdraw_reminders
from pbem.store.people import Seated, seated
from pbem.store.session import StoreError, writing
from pbem.store.windows import WindowOrders, read_orders

Step: TypeAlias = Literal["closed", "again", "stays"]
MOST_STEPS: Final = 1000  # of one call; the sweep calls again
SUPERSEDED: Final = ("receipt", "reminder")  # letters that a result makes needless


def adjudicate(service: ServiceContext, name: str, by: str = "") -> bool:
    """Close what is to be closed; True: something was. Ends when a window stays open or the game is over.

    `by` is who works: the same one, come back, goes on at once; others leave him the Close he is at. Raises
    HasOtherRules where workers of another version have to see to the campaign.
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
    """The campaign, whose table is built once: it goes on from one step to the next."""

    service: ServiceContext
    name: str
    campaign: Campaign | None = None

    def load(self) -> Campaign:
        """Raises HeadMoved if somebody else went on meanwhile."""
        if self.campaign is None:
            self.campaign = load_campaign(self.service.db, self.name)
        else:
            self.campaign.refresh()
        return self.campaign


def _step(service: ServiceContext, name: str, by: str, loader: _Loader) -> Step:
    here = campaign(service.db, name)
    if here.held is not None or here.state == "over":
        return "stays"
    if (frozen := frozen_close(service.db, name)) is not None:
        return _carry_out(service, frozen, by, loader)
    try:
        return _open(service, here, loader) if here.state == "lobby" else _close(service, here, loader)
    except (StoreError, SQLAlchemyError):
        raise
    except Exception as error:  # it cannot be taken up: others go on, and the umpire is told once
        pass_on_if_others(service.db, name, error)
        log().error("campaign.broken", campaign=name, exc_info=True)
        hold_after_crash(service, name, error)
        return "stays"


# ------------------------------------------------------------------ Close


def _open(service: ServiceContext, here: CampaignRow, loader: _Loader) -> Step:
    """The opening Close, once every seat is held and the campaign was started."""
    if not waits_for_opening(service.db, here):
        return "stays"
    loader.load().freeze(read_orders(service.db, here.id), "opening", service.now())
    return "again"


def _close(service: ServiceContext, here: CampaignRow, loader: _Loader) -> Step:
    """Freeze the open window's Close if its time has come."""
    db, filed = service.db, read_orders(service.db, here.id)
    policy, people = read_policy(here.policy), seated(db, here.id)
    if filed.window is None:
        return "stays"
    taken = loader.load()
    allied = taken.terms.game.knows_allies
    if allied and give_up_silently(db, here.id, _heard(service, here.id), service.now()):
        return "again"
    why = _why(service, policy, filed, taken, people)
    if why is None:
        mark_reviewed(db, here.id, filed.revision)
        return "stays"
    missing = measures(policy, filed, people) if why == "deadline" else {}
    if silent := [seat for seat, taken_one in missing.items() if taken_one == "hold"]:
        hold_for_orders(service, taken, filed, silent)
        return "stays"
    whole = policy.whole_sheets
    taken.freeze(filed, why, service.now(), held_sheets=not whole, missing=missing)
    return "again"  # carried out, or something was filed meanwhile


def _why(
    service: ServiceContext, policy: Policy, filed: WindowOrders, taken: Campaign, people: Sequence[Seated]
) -> Closing | None:
    """By which rule the window closes now. Without a clock to be trusted no deadline is executed."""
    db, window = service.db, filed.window
    assert window is not None
    waits_for = awaited(window.seats, people)
    if not waits_for:
        return "all-in"  # bots hold all its seats by now
    asks = taken.open_asks()
    mine = {seat: [question for question, _ in asks.get(seat, ())] for seat in taken.terms.seats}
    is_filed = {str(seat) for seat in mine if is_in(filed.seats.get(seat), mine[seat])}
    wait = [seat for seat in waits_for if (one := filed.seats.get(seat)) and one.stance == "wait"]
    due = [row.due for row in timetable(db, filed.campaign, window.number)]
    heard = _heard(service, filed.campaign)
    return closing(policy.clock.phase(window.kind), due, heard, waits_for, is_filed, wait)


def _heard(service: ServiceContext, name: str) -> datetime | None:
    """Up to when its letters are known; None: the clock or the mail cannot be trusted now."""
    doubt = is_out_of_order(service.db) or is_clock_in_doubt(service.db)
    return None if doubt else letters_settled_to(service.db, name)


def measures(policy: Policy, filed: WindowOrders, people: Sequence[Seated]) -> dict[str, str]:
    """What happens to the seats that sent no orders by the deadline."""
    assert filed.window is not None
    phase = policy.clock.phase(filed.window.kind)
    missed = {one.seat: one.missed for one in people}
    planned = seats_with_orders(filed.window)
    silent = [
        seat
        for seat in awaited(filed.window.seats, people)
        if not has_orders(filed.seats.get(seat)) and seat not in planned
    ]
    return {seat: measure(phase, missed[seat]) for seat in silent}


# ------------------------------------------------------------------ run, commit


def _carry_out(service: ServiceContext, frozen: Frozen, by: str, loader: _Loader) -> Step:
    """Run a frozen Close, write the letters, commit all of it, unless somebody else is at it."""
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
        advance = computed(service, frozen, people, loader.load())
    except (StoreError, SQLAlchemyError):
        raise
    except Exception as error:  # nothing is committed; whatever it was, the umpire is told
        pass_on_if_others(service.db, frozen.campaign, error)
        log().error("advance.broke-down", campaign=frozen.campaign, t=frozen.close.t, exc_info=True)
        hold_after_crash(service, frozen.campaign, error, frozen)
        return "stays"
    return _commit(service, frozen, advance, people)


def computed(
    service: ServiceContext, frozen: Frozen, people: Sequence[Seated], here: Campaign | None = None
) -> Advance:
    """All that comes of a frozen Close: a pure function of it and of what lies in the store.

    Whatever is dated is dated as the Close is, and no transaction is open. `here`, the campaign as it was
    loaded, stands at the next pause afterwards.
    """
    db, name = service.db, frozen.campaign
    here, filed = here or load_campaign(db, name), read_orders(db, name)
    policy, began = read_policy(here.standing_row.policy), here.table.segment
    asked = () if here.pause is None else here.pause.asks
    before = here.table.view(EVERYONE)
    ran = here.run(frozen)
    pause, ahead = here.pause, None
    if pause is not None:
        ahead = window_ahead(db, name, policy.clock, pause.window, people, frozen.at)
    missing: Mapping[str, str] = json.loads(frozen.handed).get("missing", {})
    sheets = {seat: one.sheet for seat, one in filed.seats.items() if one.sheet is not None}
    held = {seat: sheet for seat, sheet in sheets.items() if sheet.held}
    whole = policy.whole_sheets
    telling = Advanced(service, here, ran, began, people, ahead, missing, held, whole, asked, before)
    return replace(
        ran.advance(result_letters(telling), None if ahead is None else ahead.window),
        banks=banks_after(db, filed, frozen, policy.clock, people),
        missed=_missed(frozen, filed, missing, people),
    )


def _missed(
    frozen: Frozen, filed: WindowOrders, missing: Mapping[str, str], people: Sequence[Seated]
) -> dict[str, int]:
    """Windows in a row without orders. When the umpire closes one, nobody was late."""
    if filed.window is None or frozen.why not in ("all-in", "deadline"):
        return {}
    before = {one.seat: one.missed for one in people}
    waited = awaited(filed.window.seats, people)
    return {seat: before[seat] + 1 if seat in missing else 0 for seat in waited}


def _commit(service: ServiceContext, frozen: Frozen, advance: Advance, people: Sequence[Seated]) -> Step:
    """Everything or nothing; the letters were written to those who still hold the seats."""
    db, name = service.db, frozen.campaign
    with writing(db) as tx:
        lock_and_load(tx, name)
        if _holders(seated(tx, name)) != _holders(people):
            return "again"
        if not commit_advance(tx, advance, frozen.at):
            return "again"
        if frozen.window is not None:
            for kind in SUPERSEDED:
                withdraw_reminders(tx, name, kind, frozen.window)
        call_for_substitutes(service, tx, frozen, people)
    log().info("campaign.advanced", campaign=name, t=frozen.close.t, why=frozen.why)
    return "closed"


def _holders(people: Sequence[Seated]) -> list[tuple[str, int, str | None]]:
    return [(one.seat, one.holder, one.bot) for one in people]
