"""Letters that ask a seat for something: a reminder, a confirmation, care with its reply address.

What a seat is told here is its own or public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pbem.letters.dates import Moment
from pbem.letters.memo import Callout, Heading, Memo, Note, Part, Passage, TellsDeadline, memo_about

UnprovenReason: TypeAlias = Literal[
    "address", "sender", "token", "signature", "late-signature", "altered", "serious"
]


def reminder_memo(
    campaign: str,
    window: str,
    deadline: Moment,
    *,
    seat: str = "",
    on_file: Literal["nothing", "held", "orders"] = "nothing",
    grace: Moment | None = None,
    bank: int = 0,
) -> Memo:
    """The deadline is near. `window`: its label, "" for one of a single question; `bank`: seconds left."""
    facts = {"campaign": campaign, "window": window, "until": deadline, "reader": seat}
    parts: list[Part] = [Callout(Note("reminder-until", facts)), Note(f"reminder-{on_file}", facts)]
    if grace is not None and grace.at > deadline.at:
        parts.append(Note("reminder-grace", {"grace": grace}))
    if bank:
        parts.append(Note("reminder-bank", {"hours": bank // 3600, "minutes": bank % 3600 // 60}))
    memo = memo_about("reminder", facts, *parts, Note("reminder-more-time"))
    return replace(memo, deadline=TellsDeadline(deadline.at))


def unproven_memo(
    campaign: str,
    window: str,
    lines: Sequence[str],
    arrived: Moment,
    why: UnprovenReason,
    understood: Sequence[Part] = (),
) -> Memo:
    """Somebody wrote in the seat's name without proof: CONFIRM runs the letter as of its arrival."""
    facts = {"campaign": campaign, "window": window, "arrived": arrived}
    parts: list[Part] = [Note(f"unproven-{why}", facts), Callout(Note("unproven-confirm", facts))]
    if lines:
        parts += [Heading(Note("unproven-text")), Passage(tuple(f"    {line}" for line in lines))]
    if understood:
        parts += [Heading(Note("unproven-would")), *understood]
    return memo_about("unproven", facts, *parts, Note("unproven-not-you"))


def other_seat_memo(campaign: str) -> Memo:
    """A letter with this seat's token came from another seat: it is never run, and the token changes."""
    facts = {"campaign": campaign}
    return memo_about("other-seat", facts, Note("other-seat-done"), Note("other-seat-next"))


def copied_warning(seats: Sequence[str]) -> Part:
    """It also went to another seat's reply address, or elsewhere (""): for `ReceiptFacts.warnings`."""
    return Callout(Note("copied-to", {"seats": tuple(seat for seat in seats if seat)}))
