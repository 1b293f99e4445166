"""What the handlers of commands have in common: the campaign and the seat meant, its window, its deadline."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from engine.kernel.game import View
from engine.kernel.requests import Seat
from pbem.campaigns.labels import label_of
from pbem.campaigns.recipients import (
    Kind,
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
)
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, Part, memo_letter
from pbem.letters.result import Written
from pbem.store.campaigns import CampaignRow
from pbem.store.deadlines import timetable
from pbem.store.outbox import put_in_outbox
from pbem.store.people import members, seated, seats_of
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, Stamp
from pbem.verbs.context import LetterContext, VerbResult

EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


def answer_with(*parts: Part) -> VerbResult:
    """An answer, and nothing is done."""
    return VerbResult(parts)


def which_campaign(context: LetterContext) -> Note:
    seats = [] if context.person is None else seats_of(context.service.db, context.person.id)
    return Note("which-campaign", {"campaigns": sorted({name for name, _ in seats})})


def campaign_of(context: LetterContext) -> CampaignRow:
    assert context.campaign_row is not None, "asked of a letter about a campaign only"
    return context.campaign_row


def view_of(context: LetterContext) -> View:
    """What the writer's seat sees; of those who hold none, what everyone may know."""
    return context.campaign.table.view(Seat(context.seat) if context.seat else EVERYONE)


def deadline_of(db: Db, name: str, window: OpenWindow, zone: str) -> Moment | None:
    """Until when the window waits, as the letters tell it; None: that time has passed."""
    due = [row.due.at for row in timetable(db, name, window.number) if row.due.kind == "deadline"]
    return Moment(due[0], zone) if due else None


def letter_stamp(context: LetterContext) -> Stamp:
    return context.stamp or Stamp(context.received.arrived, None, context.received.id)


# ------------------------------------------------------------------ the open window


def not_running(row: CampaignRow) -> Note | None:
    """Why nothing can be done in the campaign: it has not begun, or is over."""
    if row.state == "running":
        return None
    return Note("not-begun" if row.state == "lobby" else "is-over", {"campaign": row.id})


def not_now(context: LetterContext) -> Note | None:
    """Why nothing can be filed for the writer's seat now; None: its window is open, and this letter means it.

    A letter that answers an older window was not written for it, nor one that answers none and came before
    this one was opened.
    """
    row, window = campaign_of(context), context.window
    facts = {"campaign": row.id}
    if (reason := not_running(row)) is not None:
        return reason
    if window is None or window.state != "open":
        return Note("just-closed", facts)
    if context.seat not in window.seats:
        return Note("not-awaited", {**facts, "label": label_of(window), "seats": window.seats})
    opened = window.opened_at.replace(microsecond=0)  # mail servers stamp whole seconds, by their own clocks
    early = context.answers_window == 0 and context.received.arrived < opened
    if early or context.answers_window not in (0, window.number):
        return Note("other-window", {**facts, "label": label_of(window)})
    return None


def open_window_of(context: LetterContext) -> OpenWindow:
    assert context.window is not None, "asked after not_now"
    return context.window


# ------------------------------------------------------------------ telling others


def tell(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    name: str,
    memo_for: Callable[[Recipient], Memo],
    kind: Kind = "notice",
    but: str = "",
) -> None:
    """A memo, made for each reader, to every seat that somebody holds but one, and to the umpires."""
    reached: set[int | None] = set()
    for one in seated(tx, name):
        recipient = seat_recipient(name, one)
        if recipient is not None:
            reached.add(recipient.person)
            if one.seat != but:
                send(service, tx, terms, recipient, memo_for(recipient), kind)
    for recipient in umpires_of(tx, name):
        if recipient.person not in reached:
            send(service, tx, terms, recipient, memo_for(recipient), kind)


def umpires_of(db: Db, name: str) -> list[Recipient]:
    """The umpires who can be written to."""
    people = [one.person for one in members(db, name, "umpire")]
    return [person_recipient(one, name) for one in people if one.registered is not None]


def send_all(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    readers: Sequence[Recipient],
    memo: Memo,
    kind: Kind,
) -> None:
    """The same letter to several readers; who speak one language get the same words."""
    written: dict[str, Written] = {}
    now = service.now()
    for recipient in readers:
        if recipient.language not in written:
            written[recipient.language] = memo_letter(memo, phrases_for(terms, recipient))
        outgoing = OutgoingLetter(kind, written[recipient.language])
        put_in_outbox(tx, [letter_to(service, tx, recipient, outgoing, now)], now)


def send(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    recipient: Recipient,
    memo: Memo,
    kind: Kind = "notice",
) -> None:
    """One letter to one reader."""
    send_all(service, tx, terms, [recipient], memo, kind)
