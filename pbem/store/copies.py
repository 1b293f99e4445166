"""Copies of a letter, looked for while its campaign is locked.

The letter was read before the lock: since then a copy may have taken effect, or the seat changed hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, Integer, bindparam, cast, null, or_, select, union_all

from pbem.store.inbox import Belongs
from pbem.store.schema import seats
from pbem.store.schema_mail import inbox
from pbem.store.session import Db, reading

REPLAYED: Final = timedelta(days=15)  # a signed letter counts for a week before and after its Date


class LockedFindings(NamedTuple):
    """Whether a copy took effect, and who holds the seat."""

    copy: bool  # the same letter took effect
    holder: int | None  # number of the seat's present holder; None: not from a seat


def check_under_lock(db: Db, number: int, belongs: Belongs, arrived: datetime) -> LockedFindings:
    """Has a copy of the letter taken effect, and who holds its seat now?

    A copy has the same Message-ID or, where that is not signed, the same signed content. A letter that is
    better proven than the earlier one is no copy of it: the earlier one was forged.
    """
    replay, sender = str(belongs.proof.get("replay", "")), belongs.sender
    values = {"sender": sender, "the_letter": number, "since": arrived - REPLAYED, "replay": replay}
    values |= {"message_id": belongs.message_id, "the_campaign": belongs.campaign, "the_seat": belongs.seat}
    known = {"message_id": belongs.message_id, "replay": replay} if sender is not None else {}
    asked = (*(sign for sign, value in known.items() if value), *(("seat",) if belongs.seat else ()))
    if not asked:
        return LockedFindings(False, None)
    with reading(db) as tx:
        rows = tx.execute(_STATEMENTS[asked], values).all()
    copy = any(_is_as_well_proven(row.proof, belongs.proof) for row in rows if row.proof is not None)
    return LockedFindings(copy, next((row.holder for row in rows if row.holder is not None), None))


_SIGNS: Final[Mapping[str, Any]] = {
    "message_id": inbox.c.message_id == bindparam("message_id"),
    "replay": (inbox.c.arrived_at >= bindparam("since"))
    & (inbox.c.proof["replay"].as_string() == bindparam("replay")),
}
_HELD_BY: Final = select(cast(null(), JSON).label("proof"), seats.c.holder.label("holder")).where(
    seats.c.campaign == bindparam("the_campaign"), seats.c.seat == bindparam("the_seat")
)


def _alike(*signs: str) -> Any:
    """Letters of the same sender that agree in one of these values."""
    return (
        select(inbox.c.proof.label("proof"), cast(null(), Integer).label("holder"))
        .where(inbox.c.sender == bindparam("sender"), inbox.c.id != bindparam("the_letter"))
        .where(or_(inbox.c.state == "applied", inbox.c.state == "held"))
        .where(or_(*(_SIGNS[sign] for sign in signs)))
    )


def _statements() -> Iterator[tuple[tuple[str, ...], Any]]:
    """One statement for each combination, built once: every letter runs one."""
    yield ("seat",), _HELD_BY
    for signs in (("message_id",), ("replay",), ("message_id", "replay")):
        yield signs, _alike(*signs)
        yield (*signs, "seat"), union_all(_alike(*signs), _HELD_BY)


_STATEMENTS: Final = dict(_statements())


def _is_as_well_proven(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(bool(one.get(sign)) or not other.get(sign) for sign in ("token", "sender")) and (
        one.get("dkim") == "pass" or other.get("dkim") != "pass"
    )
