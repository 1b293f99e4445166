"""STATUS, POSSIBLE, MAP, HAND, SHOW STANDING: where the campaign stands, what a seat has, sees and may do.

What is on file is read in the letter's own transaction, so that it is what the letter left there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from markupsafe import Markup
from sqlalchemy import Connection

from engine.kernel.game import Line
from engine.kernel.requests import Ask, Seat
from pbem.campaigns.deadlines import awaited_seats, label_of
from pbem.campaigns.lobby import vacant_seats
from pbem.campaigns.order_file import UMPIRES_LINES
from pbem.campaigns.results import asks_of_seat
from pbem.letters.briefing import brief_reader
from pbem.letters.maps import MAP, has_map, map_png, map_text, overlay_png
from pbem.letters.memo import Board, Illustration, Listing, Note, Part, Passage, plain_note
from pbem.letters.possible import REMARK, possible_orders
from pbem.letters.render import board_tables, hand_tables, hand_text, hang, view_text
from pbem.mail.compose import Picture
from pbem.orders.arguments import VerbArguments
from pbem.orders.understood import Command
from pbem.orders.vocabulary import MEMBERS, PLAYERS
from pbem.store.people import absences_of, seated
from pbem.store.windows import SeatOrders, StoredReply, StoredSheet, WindowOrders, open_window, read_orders
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import (
    answer_with,
    campaign_of,
    deadline_of,
    in_transaction,
    require_begun,
    require_running,
    view_of,
)
from pbem.verbs.verb import Verb

# ------------------------------------------------------------------ STATUS


class Status(Command):
    """Where the campaign stands."""


def _status(context: LetterContext, command: Status) -> VerbResult:
    """Turn, deadline, whom it waits for; and what the reader's own seat has on file."""
    return VerbResult(
        answer=(*describe_course(context), *describe_standing(context)),
        effect=lambda tx: (*time_and_seats(context, tx), *own_file(context, tx)),
    )


def describe_course(context: LetterContext) -> tuple[Part, ...]:
    """What everyone may know about the campaign's course."""
    row, phrases = campaign_of(context), context.phrases
    facts = {"campaign": row.id, "name": context.campaign.terms.game.names[context.language]}
    table = context.campaign.table
    if row.state == "lobby":
        free = {"campaign": row.id, "seats": vacant_seats(context.service.db, row.id)}
        return Note("status-lobby", facts), Note("status-free", free)
    if row.state == "over":
        outcome = table.outcome
        assert outcome is not None, "a game that is over has an outcome"
        result = {"reason": phrases.outcome(outcome), "verdict": phrases.verdict(outcome)}
        return (Note("status-over", facts | result),)
    segment = "" if table.segment is None else phrases.segment(table.segment)
    held = (Note("status-held"),) if row.held is not None else ()
    return (Note("status-running", facts | {"segment": segment}), *held)


def describe_standing(context: LetterContext) -> tuple[Part, ...]:
    """How the reader's side stands, and what threatens it."""
    if not context.seat or campaign_of(context).state != "running":
        return ()
    briefing = brief_reader(context.campaign.terms.game, None, view_of(context), (), context.phrases)
    notes = tuple(plain_note(words) for _, words in briefing.for_you)
    return (Listing(notes),) if notes else ()


def time_and_seats(context: LetterContext, tx: Connection) -> tuple[Part, ...]:
    """Whom the campaign waits for, and until when. Who of them has written is nobody's business."""
    row = campaign_of(context)
    window = open_window(tx, row.id)
    if window is None:
        return ()
    if window.state != "open":
        return (Note("status-closing"),)
    deadline = deadline_of(tx, row.id, window, context.recipient.zone)
    phase = context.policy.clock.phase(window.kind)
    seats = awaited_seats(window.seats, seated(tx, row.id), phase)
    own = {"own": context.seat in seats, "mine": context.seat}
    waits = (Note("status-waits", {"label": label_of(window), "seats": seats, **own}),) if seats else ()
    if deadline is None or row.held is not None:
        return waits
    return (*waits, Note("status-deadline", {"until": deadline}))


# ------------------------------------------------------------------ what is on file


def own_file(context: LetterContext, tx: Connection) -> tuple[Part, ...]:
    """What the reader's seat has on file, as the notation of their language writes it."""
    row = campaign_of(context)
    if not context.seat or row.state != "running":
        return ()
    filed = read_orders(tx, row.id)
    seat_orders = filed.seats.get(context.seat, SeatOrders())
    awaited = filed.window is not None and context.seat in filed.window.seats
    held_sheets = not context.policy.whole_sheets
    own = context.campaign.file_at_close(context.seat, filed, held_sheets=held_sheets)
    parts: list[Part] = [*_sheet(context, seat_orders), *orders_ahead(context, own.ahead, filed)]
    parts += _replies(context, seat_orders)
    if awaited and parts and not context.campaign.is_complete(context.seat, seat_orders):
        label = "" if filed.window is None or filed.window.once else label_of(filed.window)
        parts.append(Note("file-unfinished", {"window": label}))
    if awaited and not parts:
        is_open = filed.window is not None and filed.window.state == "open"
        parts.append(Note("file-nothing", {"standing": bool(own.file.standing), "open": is_open}))
    if seat_orders.stance is not None:
        parts.append(Note(f"file-{seat_orders.stance}"))
    if own.file.standing:
        parts.append(Note("file-standing", {"number": len(own.file.standing)}))
    return (*parts, *_absences(context, tx))


def _sheet(context: LetterContext, seat_orders: SeatOrders) -> tuple[Part, ...]:
    if seat_orders.sheet is None:
        return ()
    lines = sheet_lines(context, seat_orders.sheet)
    title = Note("file-held" if seat_orders.sheet.held else "file-sheet", {"number": len(lines)})
    return (Passage(number_lines(context, lines), title),)


def sheet_lines(context: LetterContext, sheet: StoredSheet) -> list[Line]:
    """All its good lines, standing orders among them."""
    reading = context.campaign.read(context.seat, sheet.orders)
    return sorted((*reading.orders, *reading.standing), key=lambda line: line.number)


def orders_ahead(context: LetterContext, lines: Sequence[Line], filed: WindowOrders) -> tuple[Part, ...]:
    """Lines of earlier orders that have not had their turn."""
    sealed = filed.window is not None and filed.window.once
    title = Note("file-ahead", {"number": len(lines), "sealed": sealed})
    return (Passage(number_lines(context, lines), title),) if lines else ()


def number_lines(context: LetterContext, lines: Sequence[Line]) -> tuple[str, ...]:
    """Order lines with their numbers, as CANCEL names them."""
    rows = [hang(line.write(context.language), f"{line.number:>3}  ") for line in lines]
    return tuple(row for one in rows for row in one.splitlines())


def _replies(context: LetterContext, seat_orders: SeatOrders) -> tuple[Part, ...]:
    """Answers to the questions that are open now; the umpire's, and their order lines, are marked as such."""
    notes, asks = [], dict(context.campaign.open_asks().get(context.seat, ()))
    for question, reply in sorted(seat_orders.replies.items()):
        if question in asks:
            line = reply_text(context, asks[question], reply)
            notes.append(Note("file-reply", {"line": line, "umpire": reply.umpire}))
        elif question == UMPIRES_LINES:
            for order in context.campaign.read(context.seat, json.loads(reply.answer)).orders:
                notes.append(Note("file-reply", {"line": order.write(context.language), "umpire": True}))
    return (Listing(tuple(notes)),) if notes else ()


def reply_text(context: LetterContext, ask: Ask, reply: StoredReply) -> str:
    """An answer on file, as the writer's language has it."""
    campaign = context.campaign
    answer = campaign.table.codec.answer(reply.topic, json.loads(reply.answer))
    return campaign.terms.game.notation.write_answer(ask, answer, context.language, view_of(context))


def _absences(context: LetterContext, tx: Connection) -> tuple[Part, ...]:
    if context.person is None:
        return ()
    today = context.service.now().date()
    days = absences_of(tx, context.person.id, campaign_of(context).id)
    return tuple(Note("file-away", {"first": first, "last": last}) for first, last in days if last >= today)


# ------------------------------------------------------------------ POSSIBLE


MOST_POSSIBLE = 60  # orders of a kind that are listed


class Possible(Command):
    """What may be ordered now."""


def _possible(context: LetterContext, command: Possible) -> VerbResult:
    """POSSIBLE: what the seat may order now, by kind, on the board as it sees it.

    Behind the sign of a remark: a letter that brings all of it back orders nothing.
    """
    require_running(campaign_of(context))
    campaign, view, phrases = context.campaign, view_of(context), context.phrases
    asks = asks_of_seat(campaign, Seat(context.seat), phrases)
    groups = possible_orders(campaign.terms.game, view, asks, phrases)
    if not groups:
        return answer_with(Note("possible-nothing", {"asked": bool(asks)}))
    parts: list[Part] = [Note("possible-now")]
    for group in groups:
        rows = tuple(row for line in group.lines[:MOST_POSSIBLE] for row in hang(line, REMARK).splitlines())
        parts.append(Passage(rows, plain_note(group.title)))
        if (left := len(group.lines) - MOST_POSSIBLE) > 0:
            parts.append(Note("possible-more", {"number": left}))
    return answer_with(*parts, Note("possible-how"))


# ------------------------------------------------------------------ SHOW STANDING


class ShowStanding(Command):
    """The standing orders on file."""


@in_transaction
def _show_standing(context: LetterContext, command: ShowStanding, tx: Connection) -> tuple[Part, ...]:
    """The standing orders on file, in the reader's language; those of the sheet among them."""
    filed = read_orders(tx, context.campaign_name)
    lines = context.campaign.file_at_close(context.seat, filed, held_sheets=False).file.standing
    if not lines:
        return (Note("standing-none"),)
    rows = [hang(line.write(context.language), "  ") for line in lines]
    shown = tuple(row for one in rows for row in one.splitlines())
    return Passage(shown, Note("standing-on-file", {"number": len(lines)})), Note("standing-change")


# ------------------------------------------------------------------ MAP, HAND


REACH = frozenset({"REACH", "PORTEE"})


class Map(Command):
    """The board as the seat sees it, alone or with what a piece can reach."""

    reach: str = ""  # the piece, as orders name it


class Hand(Command):
    """The seat's own cards, tiles and hidden pieces."""


def _read_map(arguments: VerbArguments) -> Map:
    """MAP, or MAP REACH CAR1."""
    if not arguments.words or arguments.words[0].key not in REACH:
        arguments.expect_end(0)
        return Map()
    if len(arguments.words) == 1:
        raise arguments.missing("piece")
    return Map(arguments.after(1).raw.strip(" :."))


def _map(context: LetterContext, command: Map) -> VerbResult:
    """MAP: the board as the reader sees it, as a picture and in words; MAP REACH: where a piece can go."""
    game, view, phrases = context.campaign.terms.game, view_of(context), context.phrases
    title = Note("map-here" if context.seat else "map-for-all", {"campaign": context.campaign_name})
    if command.reach:
        overlay = game.overlay(view, command.reach)
        if overlay is None:
            return answer_with(Note("map-nothing", {"asked": command.reach}))
        said = phrases.overlay(overlay)
        words, png = hang(said, ""), overlay_png(game, view, phrases, overlay)
        tables = Markup("<p>{}</p>").format(said)
    elif has_map(game):
        words, png = map_text(game, view, phrases), map_png(game, view, phrases)
        tables = board_tables(game, view, phrases)
    else:
        lines = tuple(view_text(game, view, phrases).splitlines())
        return answer_with(Board(lines, board_tables(game, view, phrases), title))
    return answer_with(title, Illustration(Picture(MAP, png), tuple(words.splitlines()), tables))


def _hand(context: LetterContext, command: Hand) -> VerbResult:
    """HAND: the seat's own cards, tiles and hidden pieces."""
    require_begun(campaign_of(context))
    game, view, phrases = context.campaign.terms.game, view_of(context), context.phrases
    lines = tuple(hand_text(game, view, phrases).splitlines())
    return answer_with(Board(lines, hand_tables(game, view, phrases), Note("hand-here")))


VERBS = (
    Verb(
        "STATUS", "ETAT, SITUATION", MEMBERS, Status, _status,
        is_information=True, subject="campaign", shows_file=True,
    ),
    Verb(
        "POSSIBLE", "POSSIBLES, POSSIBILITES", PLAYERS, Possible, _possible,
        is_information=True, subject="seat", topic="orders",
    ),
    Verb(
        "MAP", "CARTE", MEMBERS, Map, _map,
        read=_read_map, is_information=True, subject="campaign", mistaken="BOARD",
    ),
    Verb("HAND", "MAIN", PLAYERS, Hand, _hand, is_information=True, subject="seat", mistaken="CARDS, TILES"),
    Verb(
        "SHOW STANDING, SHOW SHEET, SHOW POLICY", "VOIR CONSIGNES, VOIR PERMANENTS, MONTRE CONSIGNES",
        PLAYERS, ShowStanding, _show_standing,
        is_information=True, subject="seat", shows_file=True, topic="standing",
    ),
)  # fmt: skip
