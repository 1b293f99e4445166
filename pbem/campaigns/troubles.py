"""When a campaign cannot go on by itself: it is held, the umpire is told, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy.engine import Connection

from engine.kernel.errors import RulesCrash
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.labels import label_of
from pbem.campaigns.notify import send_memo, umpires
from pbem.campaigns.recipients import (
    seat_recipient,
)
from pbem.campaigns.umpire.acts import Deciding, do
from pbem.campaigns.umpire.clock import HOLD
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, Note, told
from pbem.letters.notices import broken_memo, rules_crash_memo, substitute_memo, umpire_notice
from pbem.letters.phrases import spoken
from pbem.store import campaigns
from pbem.store.advance import Frozen, frozen_close
from pbem.store.campaigns import Act, lock_and_load, record_act
from pbem.store.people import Seated, seated
from pbem.store.session import writing
from pbem.store.windows import WindowOrders


def _reason(service: ServiceContext, code: str) -> str:
    return told(Note(code), spoken("", service.profile.language, None))


# ------------------------------------------------------------------ a crash in the rules


def hold_after_crash(
    service: ServiceContext, name: str, error: Exception, frozen: Frozen | None = None
) -> None:
    """Nothing of the advance is kept; the Close stays frozen, and after RELEASE it is run again.

    Without one the campaign could not even be taken up: what is kept of it is damaged, or of other rules.
    What the error says may name hidden pieces: only its kind and the segment are told.
    """
    now, t = service.now(), 0 if frozen is None else frozen.close.t
    where = str(error).partition(":")[0] if isinstance(error, RulesCrash) else ""
    kind = type(error.__cause__ or error).__name__
    reason = _reason(service, "hold-crash")
    with writing(service.db) as tx:
        here, waits = lock_and_load(tx, name), frozen_close(tx, name)
        if here.held is not None or t != (0 if waits is None else waits.close.t):
            return  # somebody else was faster
        record_act(tx, name, Act(HOLD, reason, {"where": where, "error": kind, "t": t}), now)
        campaigns.mark_held(tx, name, reason)
        memo = broken_memo(name, kind) if frozen is None else rules_crash_memo(name, where, kind)
        for recipient in umpires(service, tx, name):
            send_memo(service, tx, None, recipient, memo, now=now)
        for one in seated(tx, name):
            if (seat := seat_recipient(name, one)) is not None:
                send_memo(service, tx, None, seat, umpire_notice(name, HOLD, reason), now=now)


# ------------------------------------------------------------------ missing orders


def hold_for_orders(
    service: ServiceContext, here: Campaign, filed: WindowOrders, silent: Sequence[str]
) -> None:
    """By the campaign's terms the umpire decides how to go on without these seats' orders."""
    name, now, reason = filed.campaign, service.now(), _reason(service, "hold-silent")
    assert filed.window is not None, "orders are missing in a window"
    facts = {"campaign": name, "seats": tuple(silent), "label": label_of(filed.window)}
    memo = Memo(Note("silent-subject", facts), Note("silent", facts), (Note("silent-how"),), name)
    with writing(service.db) as tx:
        row = lock_and_load(tx, name)
        if row.revision != filed.revision or row.held is not None:
            return  # something was filed meanwhile: look again
        do(service, tx, name, Deciding(HOLD, reason))
        campaigns.mark_held(tx, name, reason)
        for recipient in umpires(service, tx, name):
            send_memo(service, tx, here.terms, recipient, memo, now=now)


def call_for_substitutes(
    service: ServiceContext, tx: Connection, frozen: Frozen, people: Sequence[Seated]
) -> None:
    """The umpires hear of every seat whose measure it is; in the transaction that commits the advance."""
    missing: dict[str, str] = json.loads(frozen.handed).get("missing", {})
    wanted = sorted(seat for seat, measure in missing.items() if measure == "substitute")
    if not wanted:
        return
    missed = {one.seat: one.missed + 1 for one in people}
    terms = load_campaign(tx, frozen.campaign).terms
    for seat in wanted:
        memo = substitute_memo(frozen.campaign, seat, missed[seat])
        for recipient in umpires(service, tx, frozen.campaign):
            send_memo(service, tx, terms, recipient, memo, now=frozen.at)
