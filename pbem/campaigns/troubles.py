"""When a campaign cannot go on by itself: it is held, the umpire is told, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy.engine import Connection

from engine.kernel.errors import RulesCrash
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.notify import send_all, send_memo, tell_umpires, umpires
from pbem.campaigns.recipients import seat_recipients
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import HOLD
from pbem.context import ServiceContext
from pbem.letters.memo import Note, memo_about, note_text
from pbem.letters.notices import broken_memo, rules_crash_memo, substitute_memo, umpire_notice
from pbem.letters.phrases import load_phrases
from pbem.store.advance import Frozen, frozen_close
from pbem.store.campaigns import Act, lock_and_load, mark_held, record_act
from pbem.store.people import Seated
from pbem.store.session import writing
from pbem.store.windows import WindowOrders


def hold_after_crash(
    service: ServiceContext, name: str, error: Exception, frozen: Frozen | None = None
) -> None:
    """Nothing of the advance is kept; the Close stays frozen, and is run again after RELEASE.

    Without a Close the campaign could not even be loaded: its record is damaged, or of other rules. What the
    error says may name hidden pieces: only its kind and the segment are told.
    """
    t = 0 if frozen is None else frozen.close.t
    where = str(error).partition(":")[0] if isinstance(error, RulesCrash) else ""
    kind = type(error.__cause__ or error).__name__
    reason = _reason(service, "hold-crash")
    with writing(service.db) as tx:
        row, waiting = lock_and_load(tx, name), frozen_close(tx, name)
        if row.held is not None or t != (0 if waiting is None else waiting.close.t):
            return  # somebody else was faster
        record_act(tx, name, Act(HOLD, reason, {"where": where, "error": kind, "t": t}), service.now())
        mark_held(tx, name, reason)
        memo = broken_memo(name, kind) if frozen is None else rules_crash_memo(name, where, kind)
        send_all(service, tx, None, umpires(service, tx, name), memo)
        send_all(service, tx, None, seat_recipients(tx, name), umpire_notice(name, HOLD, reason))


def hold_for_orders(
    service: ServiceContext, campaign: Campaign, orders: WindowOrders, silent: Sequence[str]
) -> None:
    """By the campaign's terms the umpire decides how to go on without these seats' orders."""
    name, reason = orders.campaign, _reason(service, "hold-silent")
    assert orders.window is not None, "orders are missing in a window"
    facts = {"campaign": name, "seats": tuple(silent), "label": label_of(orders.window)}
    memo = memo_about("silent", facts, Note("silent-how"), headline="")
    with writing(service.db) as tx:
        row = lock_and_load(tx, name)
        if row.revision != orders.revision or row.held is not None:
            return  # something was filed meanwhile: look again
        Umpire(service, name, reason).perform(tx, HOLD)
        mark_held(tx, name, reason)
        tell_umpires(service, tx, memo, campaign.terms)


def _reason(service: ServiceContext, code: str) -> str:
    return note_text(Note(code), load_phrases("", service.profile.language, None))


def call_for_substitutes(
    service: ServiceContext, tx: Connection, frozen: Frozen, people: Sequence[Seated]
) -> None:
    """Tell the umpires which seats need a substitute; in the transaction that commits the advance."""
    name, missing = frozen.campaign, json.loads(frozen.handed).get("missing", {})
    wanted = sorted(seat for seat, measure in missing.items() if measure == "substitute")
    if not wanted:
        return
    missed = {seat.seat: seat.missed + 1 for seat in people}
    terms = load_campaign(tx, name).terms
    for seat in wanted:
        memo = substitute_memo(name, seat, missed[seat])
        for recipient in umpires(service, tx, name):
            send_memo(service, tx, terms, recipient, memo, now=frozen.at)
