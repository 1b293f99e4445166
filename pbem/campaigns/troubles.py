"""When a campaign cannot go on by itself: it is held, the umpire is told, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.engine import Connection

from engine.kernel.errors import RulesCrash
from pbem.campaigns.campaign import StoredCampaign, take_up
from pbem.campaigns.labels import label_of
from pbem.campaigns.policy import Terms
from pbem.campaigns.recipients import (
    Reader,
    Sending,
    letter_to,
    person_reader,
    phrases_for,
    seat_reader,
)
from pbem.campaigns.umpire.acts import Deciding, do
from pbem.campaigns.umpire.clock import HOLD
from pbem.context import Office
from pbem.letters.memo import Memo, Note, memo_letter, told
from pbem.letters.notices import broken_memo, rules_crash_memo, substitute_memo, umpire_notice
from pbem.letters.phrases import spoken
from pbem.store import campaigns
from pbem.store.advance import Frozen, frozen_close
from pbem.store.campaigns import Act, keep_act, locked
from pbem.store.outbox import lay_in
from pbem.store.people import Seated, enrol, members, person, seated
from pbem.store.session import Db, writing
from pbem.store.windows import Filed


def umpires(office: Office, db: Db, name: str) -> list[Reader]:
    """The campaign's umpires; where it has none who can be written to, those of the house."""
    own = [person_reader(one.person, name) for one in members(db, name, "umpire") if one.person.registered]
    return own or house_umpires(office, db, name)


def house_umpires(office: Office, db: Db, name: str = "") -> list[Reader]:
    """Those who run the service."""
    house, found = office.house, []
    for address in house.umpires:
        known = person(db, enrol(db, address, house.name, house.language, house.zone, office.now()))
        if known is not None and known.registered is not None:
            found.append(person_reader(known, name))
    return found


def lay_notice(
    office: Office, tx: Connection, terms: Terms | None, reader: Reader, memo: Memo, now: datetime
) -> None:
    """One letter after the other: each is counted before the next is named."""
    written = memo_letter(memo, phrases_for(terms, reader))
    lay_in(tx, [letter_to(office, tx, reader, Sending("notice", written), now)], now)


def _reason(office: Office, code: str) -> str:
    return told(Note(code), spoken("", office.house.language, None))


# ------------------------------------------------------------------ a crash in the rules


def hold_after_crash(office: Office, name: str, error: Exception, frozen: Frozen | None = None) -> None:
    """Nothing of the advance is kept; the Close stays frozen, and after RELEASE it is run again.

    Without one the campaign could not even be taken up: what is kept of it is damaged, or of other rules.
    What the error says may name hidden pieces: only its kind and the segment are told.
    """
    now, t = office.now(), 0 if frozen is None else frozen.close.t
    where = str(error).partition(":")[0] if isinstance(error, RulesCrash) else ""
    kind = type(error.__cause__ or error).__name__
    reason = _reason(office, "hold-crash")
    with writing(office.db) as tx:
        here, waits = locked(tx, name), frozen_close(tx, name)
        if here.held is not None or t != (0 if waits is None else waits.close.t):
            return  # somebody else was faster
        keep_act(tx, name, Act(HOLD, reason, {"where": where, "error": kind, "t": t}), now)
        campaigns.hold(tx, name, reason)
        memo = broken_memo(name, kind) if frozen is None else rules_crash_memo(name, where, kind)
        for reader in umpires(office, tx, name):
            lay_notice(office, tx, None, reader, memo, now)
        for one in seated(tx, name):
            if (seat := seat_reader(name, one)) is not None:
                lay_notice(office, tx, None, seat, umpire_notice(name, HOLD, reason), now)


# ------------------------------------------------------------------ missing orders


def hold_for_orders(office: Office, here: StoredCampaign, filed: Filed, silent: Sequence[str]) -> None:
    """By the campaign's terms the umpire decides how to go on without these seats' orders."""
    name, now, reason = filed.campaign, office.now(), _reason(office, "hold-silent")
    assert filed.window is not None, "orders are missing in a window"
    facts = {"campaign": name, "seats": tuple(silent), "label": label_of(filed.window)}
    memo = Memo(Note("silent-subject", facts), Note("silent", facts), (Note("silent-how"),), name)
    with writing(office.db) as tx:
        row = locked(tx, name)
        if row.revision != filed.revision or row.held is not None:
            return  # something was filed meanwhile: look again
        do(office, tx, name, Deciding(HOLD, reason))
        campaigns.hold(tx, name, reason)
        for reader in umpires(office, tx, name):
            lay_notice(office, tx, here.terms, reader, memo, now)


def call_for_substitutes(office: Office, tx: Connection, frozen: Frozen, people: Sequence[Seated]) -> None:
    """The umpires hear of every seat whose measure it is; in the transaction that commits the advance."""
    missing: dict[str, str] = json.loads(frozen.handed).get("missing", {})
    wanted = sorted(seat for seat, measure in missing.items() if measure == "substitute")
    if not wanted:
        return
    missed = {one.seat: one.missed + 1 for one in people}
    terms = take_up(tx, frozen.campaign).terms
    for seat in wanted:
        memo = substitute_memo(frozen.campaign, seat, missed[seat])
        for reader in umpires(office, tx, frozen.campaign):
            lay_notice(office, tx, terms, reader, memo, frozen.at)
