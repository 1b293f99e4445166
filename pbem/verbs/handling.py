"""What the handlers of commands have in common: the campaign and the seat meant, its window, its deadline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from sqlalchemy import Connection

from engine.kernel.game import View
from pbem.campaigns.deadlines import awaited_seats, label_of
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part
from pbem.store.campaigns import CampaignRow
from pbem.store.deadlines import timetable
from pbem.store.people import enrol, seats_of
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, read_orders
from pbem.verbs.context import Effect, LetterContext, VerbResult

C = TypeVar("C")
Doing: TypeAlias = Callable[[LetterContext, C, Connection], Sequence[Part]]
Handler: TypeAlias = Callable[[LetterContext, C], VerbResult]


class Declined(Exception):
    """A command is not carried out; the note says why."""

    def __init__(self, note: Note) -> None:
        self.note = note


def answer_with(*parts: Part) -> VerbResult:
    """An answer, and nothing is done."""
    return VerbResult(answer=parts)


def in_transaction(doing: Doing[C]) -> Handler[C]:
    """The handler of a command that is all effect."""
    return lambda context, command: VerbResult(effect=partial(doing, context, command))


def adjudicating(doing: Doing[C]) -> Handler[C]:
    """The same; its campaign may go on afterwards."""
    return lambda context, command: adjudicate_after(context, partial(doing, context, command))


def adjudicate_after(context: LetterContext, effect: Effect) -> VerbResult:
    """An effect after which the campaign may go on."""
    return VerbResult(effect=effect, adjudicate=frozenset({campaign_of(context).id}))


def enroll_writer(context: LetterContext, tx: Connection, name: str) -> int:
    """The number of the person who wrote; a stranger is enrolled under that name."""
    if context.person is not None:
        return context.person.id
    to = context.recipient
    return enrol(tx, to.address, name, to.language, to.zone, context.service.now())


def which_campaign(context: LetterContext) -> Note:
    seats = [] if context.person is None else seats_of(context.service.db, context.person.id)
    return Note("which-campaign", {"campaigns": sorted({name for name, _ in seats})})


def campaign_of(context: LetterContext) -> CampaignRow:
    assert context.campaign_row is not None, "asked of a letter about a campaign only"
    return context.campaign_row


def view_of(context: LetterContext) -> View:
    """What the writer's seat sees; of those who hold none, what everyone may know."""
    return context.campaign.view(context.seat)


def deadline_of(db: Db, name: str, window: OpenWindow, zone: str) -> Moment | None:
    """Until when the window waits, as the letters tell it; None: that time has passed."""
    due = [row.due.at for row in timetable(db, name, window.number) if row.due.kind == "deadline"]
    return Moment(due[0], zone) if due else None


# ------------------------------------------------------------------ the open window


def require_begun(row: CampaignRow) -> None:
    if row.state == "lobby":
        raise Declined(Note("not-begun", {"campaign": row.id}))


def require_not_over(row: CampaignRow) -> None:
    if row.state == "over":
        raise Declined(Note("is-over", {"campaign": row.id}))


def require_running(row: CampaignRow) -> None:
    require_begun(row)
    require_not_over(row)


def require_open_window(context: LetterContext, *, or_filed: bool = False) -> OpenWindow:
    """The window that waits for the writer's seat and that this letter means.

    `or_filed`: or that has something of it on file.

    A letter that answers an older window was not written for it, nor one that answers none and came before
    this one was opened.
    """
    row, window = campaign_of(context), context.window
    facts = {"campaign": row.id}
    require_running(row)
    if window is None or window.state != "open":
        raise Declined(Note("just-closed", facts))
    if context.seat not in window.seats and not (or_filed and _has_filed(context)):
        seats = awaited_seats(window.seats, context.campaign.people, context.policy.clock.phase(window.kind))
        raise Declined(Note("not-awaited", {**facts, "label": label_of(window), "seats": seats}))
    opened = window.opened_at.replace(microsecond=0)  # mail servers stamp whole seconds, by their own clocks
    early = context.answers_window == 0 and context.mail.arrived < opened
    if early or context.answers_window not in (0, window.number):
        raise Declined(Note("other-window", {**facts, "label": label_of(window)}))
    return window


def _has_filed(context: LetterContext) -> bool:
    """Policies and plans are taken in others' turns, too."""
    orders = read_orders(context.service.db, context.campaign_name).seats.get(context.seat)
    return orders is not None and (orders.sheet is not None or bool(orders.held_standing))
