"""Copies of a letter, looked for while its campaign is locked.

The letter was read before the lock: since then a copy may have been answered, or the seat changed hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, Boolean, Integer, String, bindparam, cast, null, or_, select, union_all

from pbem.store.inbox import Belongs
from pbem.store.schema import seats
from pbem.store.schema_mail import inbox
from pbem.store.session import Db, reading

REPLAYED: Final = timedelta(days=15)  # a signed letter counts for a week before and after its Date


class LockedFindings(NamedTuple):
    """Whether a copy was answered, and who holds the seat."""

    copy: bool  # the same letter was obeyed, asked about or refused, and its writer told
    altered: bool  # a letter with the same signed text came before, and something else was read in it
    holder: int | None  # number of the seat's present holder; None: not from a seat


def check_under_lock(db: Db, number: int, belongs: Belongs, arrived: datetime) -> LockedFindings:
    """Was a copy of the letter answered, and who holds its seat now?

    A copy has the same Message-ID or, where that is not signed, the same signed content; and the same is read
    in it, about the same seat. A letter that is better proven than the earlier one is no copy of it: the
    earlier one was forged. Where the same signed content is read otherwise, somebody has changed one of the
    two in what is not signed.
    """
    replay, sender = str(belongs.proof.get("replay", "")), belongs.sender
    values = {"sender": sender, "the_letter": number, "since": arrived - REPLAYED, "replay": replay}
    values |= {"message_id": belongs.message_id, "the_campaign": belongs.campaign, "the_seat": belongs.seat}
    known = {"message_id": belongs.message_id, "replay": replay} if sender is not None else {}
    asked = (*(sign for sign, value in known.items() if value), *(("seat",) if belongs.seat else ()))
    if not asked:
        return LockedFindings(False, False, None)
    with reading(db) as tx:
        rows = tx.execute(_STATEMENTS[asked], values).all()
    earlier = [row for row in rows if row.proof is not None]
    alike = [row for row in earlier if _is_read_alike(row, belongs)]
    copy = any(row.was_answered and _is_as_well_proven(row.proof, belongs.proof) for row in alike)
    altered = any(_is_signed_alike(row, belongs) for row in earlier if row not in alike)
    holder = next((row.holder for row in rows if row.holder is not None), None)
    return LockedFindings(copy, altered, holder)


_WAS_ANSWERED: Final = or_(
    inbox.c.state.in_(("applied", "held", "refused")),
    (inbox.c.state == "set-aside") & (inbox.c.reason == "stale"),
)
_SIGNS: Final[Mapping[str, Any]] = {
    "message_id": (inbox.c.message_id == bindparam("message_id")) & _WAS_ANSWERED,
    "replay": (inbox.c.arrived_at >= bindparam("since"))
    & (inbox.c.proof["replay"].as_string() == bindparam("replay"))
    & (inbox.c.state != "received"),
}
_NOTHING: Final = cast(null(), String)
_HELD_BY: Final = select(
    cast(null(), JSON).label("proof"),
    cast(null(), Boolean).label("was_answered"),
    _NOTHING.label("campaign"),
    _NOTHING.label("seat"),
    seats.c.holder.label("holder"),
).where(seats.c.campaign == bindparam("the_campaign"), seats.c.seat == bindparam("the_seat"))


def _alike(*signs: str) -> Any:
    """Letters of the same sender that agree in one of these values."""
    about = (inbox.c.campaign.label("campaign"), inbox.c.seat.label("seat"))
    was_answered = _WAS_ANSWERED.label("was_answered")
    return (
        select(inbox.c.proof.label("proof"), was_answered, *about, cast(null(), Integer).label("holder"))
        .where(inbox.c.sender == bindparam("sender"), inbox.c.id != bindparam("the_letter"))
        .where(or_(*(_SIGNS[sign] for sign in signs)))
    )


def _statements() -> Iterator[tuple[tuple[str, ...], Any]]:
    """One statement for each combination, built once: every letter runs one."""
    yield ("seat",), _HELD_BY
    for signs in (("message_id",), ("replay",), ("message_id", "replay")):
        yield signs, _alike(*signs)
        yield (*signs, "seat"), union_all(_alike(*signs), _HELD_BY)


_STATEMENTS: Final = dict(_statements())


def _is_signed_alike(row: Any, belongs: Belongs) -> bool:
    replay = belongs.proof.get("replay")
    return bool(replay) and row.proof.get("replay") == replay


def _is_read_alike(row: Any, belongs: Belongs) -> bool:
    """A letter that ended before its place was looked for may have been about the same seat."""
    read, place = belongs.proof.get("read"), (belongs.campaign, belongs.seat)
    moved = row.campaign is not None and (row.campaign, row.seat) != place and _is_signed_alike(row, belongs)
    return not moved and row.proof.get("read", read) == read


def _is_as_well_proven(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(bool(one.get(sign)) or not other.get(sign) for sign in ("token", "sender")) and (
        one.get("dkim") == "pass" or other.get("dkim") != "pass"
    )
