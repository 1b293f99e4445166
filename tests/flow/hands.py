"""Campaigns in flow tests: orders handed in without mail, time that passes, letters read back."""

from __future__ import annotations

from collections.abc import Mapping
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from sqlalchemy import select

from engine.kernel.fairness.audit import SentMark
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.deadlines import Bank, ClockTerms, Phase
from pbem.campaigns.policy import Policy
from pbem.store import schema
from pbem.store.inbox import mark_read_to, store_mark
from pbem.store.outbox import Posted, letters_to_person
from pbem.store.people import members
from pbem.store.session import reading
from pbem.store.windows import (
    OpenWindow,
    Stamp,
    StoredSheet,
    file_sheet,
    file_stance,
    open_window,
)
from tests.campaigns_at_hand import AtHand


def window(at: AtHand) -> OpenWindow:
    found = open_window(at.db, at.name)
    assert found is not None, "no window is open"
    return found


def hand_in(at: AtHand, seat: str, orders: str = "", *, held: bool = False) -> None:
    """A letter of that seat came, was proven, and its orders are on file."""
    now, number = at.clock(), window(at).number
    sheet = StoredSheet(orders, orders, held)
    assert "filed" == file_sheet(at.db, at.name, number, seat, sheet, Stamp(now, now))
    if not orders:  # an empty sheet makes no turn
        file_stance(at.db, at.name, number, seat, "ready", Stamp(now, now))
    store_mark(at.db, at.name, seat, None, SentMark(f"<{seat}.{number}@clients.test>"), now)


def all_hand_in(at: AtHand, orders: Mapping[str, str] | None = None, but: tuple[str, ...] = ()) -> None:
    for seat in at.seats:
        if seat not in but:
            hand_in(at, seat, (orders or {}).get(seat, ""))


def passes(at: AtHand, **time: float) -> bool:
    """Time passes, the inbox is read to its end, and somebody looks at the campaign."""
    at.clock.passes(**time)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    return adjudicate(at.service, at.name)


def terms(*missing: Any, bank: Bank | None = None, **phase: Any) -> Policy:
    """One clock for everything: a week, at 20:00 UTC."""
    measures = missing or ("standing",)
    return Policy(clock=ClockTerms(phases={"": Phase(missing=measures, **phase)}, bank=bank))


def read(posted: Posted) -> EmailMessage:
    return message_from_bytes(posted.letter.body, policy=policy.default)


def text(posted: Posted) -> str:
    body = read(posted).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def flat(posted: Posted) -> str:
    return " ".join(text(posted).split())


def to_members(at: AtHand, role: Any) -> list[Posted]:
    """What umpires or observers were written in their own names, newest first."""
    people = [one.person.id for one in members(at.db, at.name, role)]
    return [one for person in people for one in letters_to_person(at.db, at.name, person)]


def everything(at: AtHand, but: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with reading(at.db) as tx:
        return {
            name: sorted(map(tuple, tx.execute(select(table))), key=repr)
            for name, table in sorted(schema.metadata.tables.items())
            if name not in but
        }
