"""What the handlers of commands have in common: the campaign and the seat meant, its window, its deadline."""

from __future__ import annotations

from engine.kernel.game import View
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import label_of
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part
from pbem.store.campaigns import CampaignRow
from pbem.store.deadlines import timetable
from pbem.store.people import seats_of
from pbem.store.session import Db
from pbem.store.windows import OpenWindow
from pbem.verbs.context import LetterContext, VerbResult

EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


def answer_with(*parts: Part) -> VerbResult:
    """An answer, and nothing is done."""
    return VerbResult(answer=parts)


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
    early = context.answers_window == 0 and context.mail.arrived < opened
    if early or context.answers_window not in (0, window.number):
        return Note("other-window", {**facts, "label": label_of(window)})
    return None


def open_window_of(context: LetterContext) -> OpenWindow:
    assert context.window is not None, "asked after not_now"
    return context.window
