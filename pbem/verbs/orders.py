"""READY, WAIT, CANCEL, SALT, LANG, ZONE; and, from a module of its own, ABSENT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection

from engine.kernel.errors import Refusal
from engine.kernel.rehearsal import rehearse
from engine.kernel.requests import Seat
from pbem.campaigns.desk import Handed
from pbem.campaigns.labels import label_of
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, Passage
from pbem.letters.phrases import spoken
from pbem.orders import commands as c
from pbem.store.people import Person, describe, person_at
from pbem.store.windows import SeatsFile, Sheet, Stance, cancel, file_sheet, filed_at, on_file, take_stance
from pbem.verbs.context import Deed, Handlers, Hearing
from pbem.verbs.handling import (
    campaign_of,
    deadline_of,
    not_now,
    of_a_seat,
    open_window_of,
    said,
    stamp_of,
)
from pbem.verbs.status import numbered

LONGEST_SALT: Final = 200  # characters


# ------------------------------------------------------------------ READY, WAIT


@of_a_seat
def ready(hearing: Hearing, command: c.Command) -> Deed:
    """The seat is content with what is on file: the turn may be played as soon as all are."""
    return _stance(hearing, "ready")


@of_a_seat
def wait(hearing: Hearing, command: c.Command) -> Deed:
    """The turn is not played before the deadline, even if all are in."""
    return _stance(hearing, "wait")


def _stance(hearing: Hearing, stance: Stance) -> Deed:
    if (reason := not_now(hearing)) is not None:
        return said(reason)
    name, window = campaign_of(hearing).id, open_window_of(hearing)

    def effect(tx: Connection) -> tuple[Part, ...]:
        stamp = stamp_of(hearing)
        filed = filed_at(tx, name, window.number, hearing.seat) if stance == "ready" else None
        if filed is not None and stamp.is_before(filed):  # what he is content with is not on file any more
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        told = take_stance(tx, name, window.number, hearing.seat, stance, stamp)
        if told == "stale":
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        if told == "closed":
            return (Note("just-closed", {"campaign": name}),)
        facts = {
            "label": label_of(window),
            "until": deadline_of(tx, name, window, hearing.reader.zone),
            "early": hearing.policy.clock.phase(window.kind).early,
        }
        return (Note(f"stance-{stance}", facts),)

    return Deed(effect=effect, rings=frozenset({name}))


# ------------------------------------------------------------------ CANCEL


@of_a_seat
def cancelled(hearing: Hearing, command: c.Command) -> Deed:
    """Orders and answers on file for the open window are withdrawn, or single lines of the sheet."""
    assert isinstance(command, c.Cancel)
    if (reason := not_now(hearing)) is not None:
        return said(reason)
    name, lines = campaign_of(hearing).id, command.lines
    effect = (lambda tx: _without(hearing, lines, tx)) if lines else (lambda tx: _nothing_left(hearing, tx))
    return Deed(effect=effect, rings=frozenset({name}))


def _nothing_left(hearing: Hearing, tx: Connection) -> tuple[Part, ...]:
    name, window = campaign_of(hearing).id, open_window_of(hearing)
    here = {"label": label_of(window)}
    filed = filed_at(tx, name, window.number, hearing.seat)
    mine = on_file(tx, name).seats.get(hearing.seat, SeatsFile())
    if mine.sheet is None and all(reply.umpire for reply in mine.replies.values()):
        return (Note("cancel-nothing", here),)
    if filed is not None and stamp_of(hearing).is_before(filed):
        return (Note("cancel-stale", here),)
    if cancel(tx, name, window.number, hearing.seat) != "filed":
        return (Note("just-closed", {"campaign": name}),)
    was_ready = mine.stance == "ready"
    if mine.stance != "wait":  # READY was said of other orders, also if that letter is still on its way
        take_stance(tx, name, window.number, hearing.seat, None, stamp_of(hearing))
    until = deadline_of(tx, name, window, hearing.reader.zone)
    told = {"until": until, "standing": bool(mine.standing), "ready": was_ready}
    return (Note("cancelled", here | told),)


def _without(hearing: Hearing, lines: Sequence[int], tx: Connection) -> tuple[Part, ...]:
    """The sheet without these lines. If the bad ones are gone it is not held any more."""
    name, window = campaign_of(hearing).id, open_window_of(hearing)
    here = {"label": label_of(window)}
    sheet = on_file(tx, name).seats.get(hearing.seat, SeatsFile()).sheet
    if sheet is None:
        return (Note("cancel-no-sheet", here),)
    cut = without_lines(sheet, lines)
    if cut.unknown:
        return (Note("cancel-no-line", here | {"lines": cut.unknown, "known": cut.known}),)
    if not cut.whole.strip():
        return _nothing_left(hearing, tx)
    new = judged(hearing, sheet, cut)
    told = file_sheet(tx, name, window.number, hearing.seat, new, stamp_of(hearing))
    if told != "filed":
        return (Note("cancel-stale", here) if told == "stale" else Note("just-closed", {"campaign": name}),)
    left = hearing.campaign.read(Seat(hearing.seat), new.orders).orders
    title = Note("cancel-left-held" if new.held else "cancel-left", here | {"lines": tuple(lines)})
    return (Passage(numbered(hearing, left), title),)


class Cut(NamedTuple):
    """A sheet's text without some of its lines, which keep their numbers."""

    whole: str
    orders: str
    known: tuple[int, ...]
    unknown: tuple[int, ...]


def without_lines(sheet: Sheet, lines: Sequence[int]) -> Cut:
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


def judged(hearing: Hearing, sheet: Sheet, cut: Cut) -> Sheet:
    """What is left. A sheet that was held is read and rehearsed anew: it is free if no bad line is left."""
    bad = sheet.held and bool(_doubts(hearing, cut.whole))
    whole = sheet.held and not bad
    return Sheet(cut.whole if whole else cut.orders, cut.whole, bad)


def _doubts(hearing: Hearing, text: str) -> list[Refusal]:
    here, seat = hearing.campaign, Seat(hearing.seat)
    found = list(here.read(seat, text).refusals)
    verdicts = rehearse(here.table, seat, here.on_file(seat, Handed(text)))
    return found + [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]


# ------------------------------------------------------------------ SALT


@of_a_seat
def salt(hearing: Hearing, command: c.Command) -> Deed:
    """The player's own words, which go into the dice of the next Close with this letter's mark."""
    assert isinstance(command, c.Salt)
    words = " ".join(command.words.split())
    if campaign_of(hearing).state == "over":
        return said(Note("is-over", {"campaign": campaign_of(hearing).id}))
    kept = words[:LONGEST_SALT]
    note = Note("salt-kept", {"words": kept, "cut": len(kept) < len(words), "most": LONGEST_SALT})
    return Deed((note,), salt=kept)


# ------------------------------------------------------------------ LANG, ZONE


def language(hearing: Hearing, command: c.Command) -> Deed:
    """Letters in that language from now on; the answer is in it already."""
    assert isinstance(command, c.Lang)
    words = spoken("", command.language, None).told("notes", "language-set", {})

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _enrolled(hearing, tx)) is None:
            return (Note("unknown-person"),)
        describe(tx, person.id, language=command.language)
        return (Note("plain", {"text": words}),)

    return Deed(effect=effect, serious=hearing.person is None)


def zone(hearing: Hearing, command: c.Command) -> Deed:
    """Times are told in that zone from now on."""
    assert isinstance(command, c.Zone)

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _enrolled(hearing, tx)) is None:
            return (Note("unknown-person"),)
        describe(tx, person.id, zone=command.zone)
        told = {"zone": command.zone, "now": Moment(hearing.office.now(), command.zone)}
        parts: list[Part] = [Note("zone-set", told)]
        if hearing.standing is not None and hearing.window is not None:
            until = deadline_of(tx, hearing.standing.id, hearing.window, command.zone)
            if until is not None:
                parts.append(Note("status-deadline", {"until": until}))
        return tuple(parts)

    return Deed(effect=effect, serious=hearing.person is None)


def _enrolled(hearing: Hearing, tx: Connection) -> Person | None:
    """Whoever wrote it; a stranger whom the same letter signs up is known by then."""
    return hearing.person or person_at(tx, hearing.letter.sender)


HANDLERS: Handlers = {
    c.Ready: ready,
    c.Wait: wait,
    c.Cancel: cancelled,
    c.Salt: salt,
    c.Lang: language,
    c.Zone: zone,
}
