"""STATUS, MAP, HAND, SHOW STANDING: where the campaign stands, and what the writer's seat has and sees.

What is on file is read in the letter's own transaction, so that it is what the letter left there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection

from engine.kernel.game import Line, illustrated
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import awaited
from pbem.campaigns.labels import label_of
from pbem.campaigns.order_file import lines_ahead
from pbem.letters.maps import has_map, map_png, map_text, overlay_png
from pbem.letters.memo import Illustration, Listing, Note, Part, Passage
from pbem.letters.render import hand_text, hung, view_text
from pbem.letters.result import MAP
from pbem.mail.compose import Picture
from pbem.orders import commands as c
from pbem.store.campaigns import Standing
from pbem.store.people import absences_of, seated
from pbem.store.standing_orders import standing_of
from pbem.store.windows import Filed, SeatsFile, on_file, open_window
from pbem.verbs.context import Deed, Handlers, Hearing
from pbem.verbs.handling import campaign_of, deadline_of, of_a_campaign, of_a_seat, said, view_of

# ------------------------------------------------------------------ STATUS


@of_a_campaign
def status(hearing: Hearing, command: c.Command) -> Deed:
    """Turn, deadline, whom it waits for; and what the reader's own seat has on file."""
    return Deed(where_it_stands(hearing), lambda tx: (*time_and_seats(hearing, tx), *own_file(hearing, tx)))


def where_it_stands(hearing: Hearing) -> tuple[Part, ...]:
    """What everyone may know about the campaign's course."""
    standing, phrases = campaign_of(hearing), hearing.phrases
    here = {"campaign": standing.id, "name": hearing.campaign.terms.game.names[hearing.language]}
    table = hearing.campaign.table
    if standing.state == "lobby":
        return (Note("status-lobby", here), *_free(hearing, standing))
    if standing.state == "over":
        outcome = table.outcome
        assert outcome is not None, "a game that is over has an outcome"
        told = {"reason": phrases.outcome(outcome), "winners": outcome.winners}
        return (Note("status-over", here | told),)
    segment = "" if table.segment is None else phrases.segment(table.segment)
    held = (Note("status-held"),) if standing.held is not None else ()
    return (Note("status-running", here | {"segment": segment}), *held)


def _free(hearing: Hearing, standing: Standing) -> tuple[Part, ...]:
    seats = seated(hearing.office.db, standing.id)
    free = [one.seat for one in seats if one.person is None and one.bot is None]
    return (Note("status-free", {"campaign": standing.id, "seats": free}),)


def time_and_seats(hearing: Hearing, tx: Connection) -> tuple[Part, ...]:
    """Whom the campaign waits for, and until when. Who of them has written is nobody's business."""
    standing = campaign_of(hearing)
    window = open_window(tx, standing.id)
    if window is None:
        return ()
    if window.state != "open":
        return (Note("status-closing"),)
    deadline = deadline_of(tx, standing.id, window, hearing.reader.zone)
    own = {"own": hearing.seat in window.seats, "mine": hearing.seat}
    seats = awaited(window.seats, seated(tx, standing.id))
    waits = Note("status-waits", {"label": label_of(window), "seats": seats, **own})
    if deadline is None or standing.held is not None:
        return (waits,)
    return (waits, Note("status-deadline", {"until": deadline}))


# ------------------------------------------------------------------ what is on file


def own_file(hearing: Hearing, tx: Connection) -> tuple[Part, ...]:
    """What the reader's seat has on file, as the notation of his language writes it."""
    standing = campaign_of(hearing)
    if not hearing.seat or standing.state != "running":
        return ()
    filed = on_file(tx, standing.id)
    mine = filed.seats.get(hearing.seat, SeatsFile())
    awaited = filed.window is not None and hearing.seat in filed.window.seats
    parts: list[Part] = [*_sheet(hearing, mine), *_sent_ahead(hearing, filed), *_replies(hearing, mine)]
    if awaited and not parts:
        parts.append(Note("file-nothing", {"standing": bool(mine.standing)}))
    if mine.stance is not None:
        parts.append(Note(f"file-{mine.stance}"))
    if mine.standing:
        parts.append(Note("file-standing", {"number": len(mine.standing.splitlines())}))
    return (*parts, *_absences(hearing, tx))


def _sheet(hearing: Hearing, mine: SeatsFile) -> tuple[Part, ...]:
    if mine.sheet is None:
        return ()
    lines = hearing.campaign.read(Seat(hearing.seat), mine.sheet.orders).orders
    title = Note("file-held" if mine.sheet.held else "file-sheet", {"number": len(lines)})
    return (Passage(numbered(hearing, lines), title),)


def _sent_ahead(hearing: Hearing, filed: Filed) -> tuple[Part, ...]:
    """Lines of earlier orders that have not had their turn."""
    seat = Seat(hearing.seat)
    lines = lines_ahead(filed, seat, lambda words: hearing.campaign.read(seat, words))
    sealed = filed.window is not None and filed.window.once
    title = Note("file-ahead", {"number": len(lines), "sealed": sealed})
    return (Passage(numbered(hearing, lines), title),) if lines else ()


def numbered(hearing: Hearing, lines: Sequence[Line]) -> tuple[str, ...]:
    """Order lines with their numbers, as CANCEL names them."""
    rows = [hung(line.write(hearing.language), f"{line.number:>3}  ") for line in lines]
    return tuple(row for one in rows for row in one.splitlines())


def _replies(hearing: Hearing, mine: SeatsFile) -> tuple[Part, ...]:
    """Answers to the questions that are open now; the umpire's are told as his."""
    here, notes = hearing.campaign, []
    asks = dict(here.open_asks().get(Seat(hearing.seat), ()))
    for question, reply in sorted(mine.replies.items()):
        if question in asks:
            answer = here.table.codec.answer(reply.topic, json.loads(reply.answer))
            told = (asks[question], answer, hearing.language, here.table.view(Seat(hearing.seat)))
            line = here.terms.game.notation.write_answer(*told)
            notes.append(Note("file-reply", {"line": line, "umpire": reply.umpire}))
    return (Listing(tuple(notes)),) if notes else ()


def _absences(hearing: Hearing, tx: Connection) -> tuple[Part, ...]:
    if hearing.person is None:
        return ()
    today = hearing.office.now().date()
    days = absences_of(tx, hearing.person.id, campaign_of(hearing).id)
    return tuple(Note("file-away", {"first": first, "last": last}) for first, last in days if last >= today)


# ------------------------------------------------------------------ SHOW STANDING


@of_a_seat
def show_standing(hearing: Hearing, command: c.Command) -> Deed:
    """The standing orders on file, in the reader's language."""

    def effect(tx: Connection) -> tuple[Part, ...]:
        text = standing_of(tx, campaign_of(hearing).id).get(hearing.seat, "")
        lines = hearing.campaign.read(Seat(hearing.seat), text).standing
        if not lines:
            return (Note("standing-none"),)
        rows = [hung(line.write(hearing.language), "  ") for line in lines]
        told = tuple(row for one in rows for row in one.splitlines())
        return (Passage(told, Note("standing-on-file", {"number": len(lines)})), Note("standing-change"))

    return Deed(effect=effect)


# ------------------------------------------------------------------ MAP, HAND


@of_a_campaign
def board(hearing: Hearing, command: c.Command) -> Deed:
    """MAP: the board as the reader sees it, as a picture and in words; MAP REACH: where a piece can go."""
    assert isinstance(command, c.Map)
    game, view, phrases = hearing.campaign.terms.game, view_of(hearing), hearing.phrases
    if command.reach:
        return _reach(hearing, command.reach)
    title = Note("map-here" if hearing.seat else "map-for-all", {"campaign": campaign_of(hearing).id})
    if not has_map(game):
        return said(Passage(tuple(view_text(game, view, phrases).splitlines()), title))
    words = tuple(map_text(game, view, phrases).splitlines())
    return said(title, Illustration(Picture(MAP, map_png(game, view, phrases)), words))


def _reach(hearing: Hearing, asked: str) -> Deed:
    """What the piece can reach, drawn over the board and in words."""
    game, view, phrases = hearing.campaign.terms.game, view_of(hearing), hearing.phrases
    drawn = illustrated(game)
    overlay = None if drawn is None else drawn.overlay(view, asked)
    if overlay is None:
        return said(Note("map-nothing", {"asked": asked}))
    title = Note("map-here" if hearing.seat else "map-for-all", {"campaign": campaign_of(hearing).id})
    words = hung(phrases.overlay(overlay), "").splitlines()
    picture = Picture(MAP, overlay_png(game, view, phrases, overlay))
    return said(title, Illustration(picture, tuple(words)))


@of_a_seat
def hand(hearing: Hearing, command: c.Command) -> Deed:
    """HAND: the seat's own cards, tiles and hidden pieces."""
    if campaign_of(hearing).state == "lobby":
        return said(Note("not-begun", {"campaign": campaign_of(hearing).id}))
    lines = hand_text(hearing.campaign.terms.game, view_of(hearing), hearing.phrases).splitlines()
    return said(Passage(tuple(lines), Note("hand-here")))


HANDLERS: Handlers = {
    c.Status: status,
    c.Map: board,
    c.Hand: hand,
    c.ShowStanding: show_standing,
}
