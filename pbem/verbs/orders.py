"""READY, WAIT, CANCEL, SALT, LANG, ZONE; and, from a module of its own, ABSENT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection

from engine.kernel.errors import Refusal
from engine.kernel.rehearsal import rehearse
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.desk import Handed
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, Passage
from pbem.letters.phrases import load_phrases
from pbem.orders import commands as c
from pbem.store.people import Person, describe, person_at
from pbem.store.windows import (
    SeatOrders,
    Stance,
    StoredSheet,
    cancel,
    file_sheet,
    filed_at,
    read_orders,
    take_stance,
)
from pbem.verbs.context import Handlers, LetterContext, VerbResult
from pbem.verbs.handling import (
    answer_with,
    campaign_of,
    deadline_of,
    not_now,
    of_a_seat,
    open_window_of,
    stamp_of,
)
from pbem.verbs.status import numbered

LONGEST_SALT: Final = 200  # characters


# ------------------------------------------------------------------ READY, WAIT


@of_a_seat
def ready(context: LetterContext, command: c.Command) -> VerbResult:
    """The seat is content with what is on file: the turn may be played as soon as all are."""
    return _stance(context, "ready")


@of_a_seat
def wait(context: LetterContext, command: c.Command) -> VerbResult:
    """The turn is not played before the deadline, even if all are in."""
    return _stance(context, "wait")


def _stance(context: LetterContext, stance: Stance) -> VerbResult:
    if (reason := not_now(context)) is not None:
        return answer_with(reason)
    name, window = campaign_of(context).id, open_window_of(context)

    def effect(tx: Connection) -> tuple[Part, ...]:
        stamp = stamp_of(context)
        filed = filed_at(tx, name, window.number, context.seat) if stance == "ready" else None
        if filed is not None and stamp.is_before(filed):  # what he is content with is not on file any more
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        told = take_stance(tx, name, window.number, context.seat, stance, stamp)
        if told == "stale":
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        if told == "closed":
            return (Note("just-closed", {"campaign": name}),)
        facts = {
            "label": label_of(window),
            "until": deadline_of(tx, name, window, context.recipient.zone),
            "early": context.policy.clock.phase(window.kind).early,
        }
        return (Note(f"stance-{stance}", facts),)

    return VerbResult(effect=effect, rings=frozenset({name}))


# ------------------------------------------------------------------ CANCEL


@of_a_seat
def cancelled(context: LetterContext, command: c.Command) -> VerbResult:
    """Orders and answers on file for the open window are withdrawn, or single lines of the sheet."""
    assert isinstance(command, c.Cancel)
    if (reason := not_now(context)) is not None:
        return answer_with(reason)
    name, lines = campaign_of(context).id, command.lines
    effect = (lambda tx: _without(context, lines, tx)) if lines else (lambda tx: _nothing_left(context, tx))
    return VerbResult(effect=effect, rings=frozenset({name}))


def _nothing_left(context: LetterContext, tx: Connection) -> tuple[Part, ...]:
    name, window = campaign_of(context).id, open_window_of(context)
    here = {"label": label_of(window)}
    filed = filed_at(tx, name, window.number, context.seat)
    mine = read_orders(tx, name).seats.get(context.seat, SeatOrders())
    if mine.sheet is None and all(reply.umpire for reply in mine.replies.values()):
        return (Note("cancel-nothing", here),)
    if filed is not None and stamp_of(context).is_before(filed):
        return (Note("cancel-stale", here),)
    if cancel(tx, name, window.number, context.seat) != "filed":
        return (Note("just-closed", {"campaign": name}),)
    was_ready = mine.stance == "ready"
    if mine.stance != "wait":  # READY was said of other orders, also if that letter is still on its way
        take_stance(tx, name, window.number, context.seat, None, stamp_of(context))
    until = deadline_of(tx, name, window, context.recipient.zone)
    told = {"until": until, "standing": bool(mine.standing), "ready": was_ready}
    return (Note("cancelled", here | told),)


def _without(context: LetterContext, lines: Sequence[int], tx: Connection) -> tuple[Part, ...]:
    """The sheet without these lines. If the bad ones are gone it is not held any more."""
    name, window = campaign_of(context).id, open_window_of(context)
    here = {"label": label_of(window)}
    sheet = read_orders(tx, name).seats.get(context.seat, SeatOrders()).sheet
    if sheet is None:
        return (Note("cancel-no-sheet", here),)
    cut = without_lines(sheet, lines)
    if cut.unknown:
        return (Note("cancel-no-line", here | {"lines": cut.unknown, "known": cut.known}),)
    if not cut.whole.strip():
        return _nothing_left(context, tx)
    new = judged(context, sheet, cut)
    told = file_sheet(tx, name, window.number, context.seat, new, stamp_of(context))
    if told != "filed":
        return (Note("cancel-stale", here) if told == "stale" else Note("just-closed", {"campaign": name}),)
    left = context.campaign.read(Seat(context.seat), new.orders).orders
    title = Note("cancel-left-held" if new.held else "cancel-left", here | {"lines": tuple(lines)})
    return (Passage(numbered(context, left), title),)


class Cut(NamedTuple):
    """A sheet's text without some of its lines, which keep their numbers."""

    whole: str
    orders: str
    known: tuple[int, ...]
    unknown: tuple[int, ...]


def without_lines(sheet: StoredSheet, lines: Sequence[int]) -> Cut:
    """Blank rows stand where lines were, so that the others are called as before."""
    rows = (sheet.whole or sheet.orders).split("\n")
    known = tuple(number for number, row in enumerate(rows, 1) if row.strip())
    unknown = tuple(number for number in lines if number not in known)
    whole = [("" if number in lines else row) for number, row in enumerate(rows, 1)]
    orders = sheet.orders.split("\n")
    for number in (number for number in lines if number in known):
        gone = rows[number - 1]
        place = number - 1 if orders[number - 1 : number] == [gone] else _place(orders, gone)
        if place is not None:
            orders[place] = ""
    return Cut("\n".join(whole).rstrip("\n"), "\n".join(orders).rstrip("\n"), known, unknown)


def _place(rows: Sequence[str], text: str) -> int | None:
    return next((n for n, row in enumerate(rows) if row.strip() == text.strip()), None)


def judged(context: LetterContext, sheet: StoredSheet, cut: Cut) -> StoredSheet:
    """What is left. A sheet that was held is read and rehearsed anew: it is free if no bad line is left."""
    bad = sheet.held and bool(_doubts(context, cut.whole))
    whole = sheet.held and not bad
    return StoredSheet(cut.whole if whole else cut.orders, cut.whole, bad)


def _doubts(context: LetterContext, text: str) -> list[Refusal]:
    here, seat = context.campaign, Seat(context.seat)
    found = list(here.read(seat, text).refusals)
    verdicts = rehearse(here.table, seat, here.on_file(seat, Handed(text)))
    return found + [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]


# ------------------------------------------------------------------ SALT


@of_a_seat
def salt(context: LetterContext, command: c.Command) -> VerbResult:
    """The player's own words, which go into the dice of the next Close with this letter's mark."""
    assert isinstance(command, c.Salt)
    words = " ".join(command.words.split())
    if campaign_of(context).state == "over":
        return answer_with(Note("is-over", {"campaign": campaign_of(context).id}))
    kept = words[:LONGEST_SALT]
    note = Note("salt-kept", {"words": kept, "cut": len(kept) < len(words), "most": LONGEST_SALT})
    return VerbResult((note,), salt=kept)


# ------------------------------------------------------------------ LANG, ZONE


def language(context: LetterContext, command: c.Command) -> VerbResult:
    """Letters in that language from now on; the answer is in it already."""
    assert isinstance(command, c.Lang)
    words = load_phrases("", command.language, None).say("notes", "language-set", {})

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _enrolled(context, tx)) is None:
            return (Note("unknown-person"),)
        describe(tx, person.id, language=command.language)
        return (Note("plain", {"text": words}),)

    return VerbResult(effect=effect, serious=context.person is None)


def zone(context: LetterContext, command: c.Command) -> VerbResult:
    """Times are told in that zone from now on."""
    assert isinstance(command, c.Zone)

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _enrolled(context, tx)) is None:
            return (Note("unknown-person"),)
        describe(tx, person.id, zone=command.zone)
        told = {"zone": command.zone, "now": Moment(context.service.now(), command.zone)}
        parts: list[Part] = [Note("zone-set", told)]
        if context.campaign_row is not None and context.window is not None:
            until = deadline_of(tx, context.campaign_row.id, context.window, command.zone)
            if until is not None:
                parts.append(Note("status-deadline", {"until": until}))
        return tuple(parts)

    return VerbResult(effect=effect, serious=context.person is None)


def _enrolled(context: LetterContext, tx: Connection) -> Person | None:
    """Whoever wrote it; a stranger whom the same letter signs up is known by then."""
    return context.person or person_at(tx, context.letter.sender)


HANDLERS: Handlers = {
    c.Ready: ready,
    c.Wait: wait,
    c.Cancel: cancelled,
    c.Salt: salt,
    c.Lang: language,
    c.Zone: zone,
}
