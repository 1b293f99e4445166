"""READY, WAIT, CANCEL, SALT, LANG, ZONE; and, from a module of its own, ABSENT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from sqlalchemy import Connection

from engine.kernel.game import Language
from engine.kernel.rehearsal import judge_sheet
from pbem.campaigns.deadlines import label_of
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, Passage, plain_note
from pbem.letters.phrases import load_phrases
from pbem.orders.arguments import ALL, BadArgument, VerbArguments, read_numbers
from pbem.orders.text import zones, zones_near
from pbem.orders.understood import Command, refuse_unreadable
from pbem.orders.vocabulary import ANYBODY, PLAYERS
from pbem.store.outbox import open_questions
from pbem.store.people import person_at, update_person
from pbem.store.windows import (
    HELD_ANSWERS,
    OpenWindow,
    SeatOrders,
    Stance,
    StoredSheet,
    cancel_orders,
    drop_held,
    file_sheet,
    file_stance,
    filed_at,
    read_orders,
)
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import (
    Declined,
    adjudicate_after,
    campaign_of,
    deadline_of,
    in_transaction,
    require_not_over,
    require_open_window,
)
from pbem.verbs.status import number_lines, orders_ahead, sheet_lines
from pbem.verbs.verb import Verb, if_unknown

LONGEST_SALT: Final = 200  # characters


# ------------------------------------------------------------------ CHECK, CONFIRM


class Check(Command):
    """The letter's orders are rehearsed and not filed."""


class Confirm(Command):
    """Yes to what the letter replied to asked."""


# ------------------------------------------------------------------ READY, WAIT


class Ready(Command):
    """The turn may be played early."""


class Wait(Command):
    """The turn is not to be played before the deadline."""


def _take_stance(context: LetterContext, command: Ready | Wait) -> VerbResult:
    """READY: the seat is content with what is on file, and the turn may be played as soon as all are.

    WAIT: it is not played before the deadline, even if all are in.
    """
    stance: Stance = "ready" if isinstance(command, Ready) else "wait"
    name, window = context.campaign_name, require_open_window(context)
    where = (name, window.number, context.seat)

    def effect(tx: Connection) -> tuple[Part, ...]:
        stamp, filed = context.stamp, filed_at(tx, *where) if stance == "ready" else None
        gone = filed is not None and stamp.is_before(filed)  # the orders it was said of are not on file
        outcome = "stale" if gone else file_stance(tx, *where, stance, stamp)
        if outcome == "stale":
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        if outcome == "closed":
            return (Note("just-closed", {"campaign": name}),)
        facts = {
            "label": label_of(window),
            "until": deadline_of(tx, name, window, context.recipient.zone),
            "early": context.policy.clock.phase(window.kind).early,
        }
        return (Note(f"stance-{stance}", facts),)

    return adjudicate_after(context, effect)


# ------------------------------------------------------------------ CANCEL


CUT: Final = ("cancel-left", "cancel-left-held")  # what is told of a sheet that was cut
LINE = frozenset({"LINE", "LINES", "LIGNE", "LIGNES"})


class Cancel(Command):
    """Withdraws lines of the last receipt; without numbers all that is on file for the turn."""

    lines: tuple[int, ...] = ()


def _read_cancel(arguments: VerbArguments) -> Cancel:
    """CANCEL, CANCEL ALL, CANCEL 3 4, CANCEL LINE 3."""
    place = 1 if arguments.words and arguments.words[0].key in (*ALL, *LINE) else 0
    if not arguments.words or arguments.words[0].key in ALL:
        arguments.expect_end(place)
        return Cancel()
    rest = arguments.after(place).raw
    if not (lines := read_numbers(rest.strip(" :.,"))):
        raise BadArgument(refuse_unreadable("mail-bad-line-number", {"word": rest.strip()[:40]}))
    return Cancel(tuple(dict.fromkeys(lines)))


def _cancel(context: LetterContext, command: Cancel) -> VerbResult:
    """Orders and answers on file for the open window are withdrawn, or single lines of the sheet.

    In reply to a question it would drop that: whoever may have taken the reply out of its thread is asked.
    """
    window, lines = require_open_window(context, or_filed=True), command.lines
    asked = context.proof.may_answer_another and not lines and _may_answer_another(context)

    def effect(tx: Connection) -> tuple[Part, ...]:
        return _cancel_lines(context, window, lines, tx) if lines else _cancel_all(context, window, tx)

    return replace(adjudicate_after(context, effect), serious=asked)


def _may_answer_another(context: LetterContext) -> bool:
    """Is a question open that the letter does not answer as it came?"""
    answered = None if context.answered is None else context.answered.letter.message_id
    asked = open_questions(context.service.db, context.campaign_name, context.seat)
    return any(one.message_id != answered for one in asked)


def _cancel_all(context: LetterContext, window: OpenWindow, tx: Connection) -> tuple[Part, ...]:
    name, label = context.campaign_name, {"label": label_of(window)}
    where = (name, window.number, context.seat)
    filed = filed_at(tx, *where)
    seat_orders = read_orders(tx, name).seats.get(context.seat, SeatOrders())
    own = [reply for reply in seat_orders.replies.values() if not reply.umpire]
    if seat_orders.sheet is None and not own and not seat_orders.held_standing:
        return (Note("cancel-nothing", label),)
    if filed is not None and context.stamp.is_before(filed):
        return (Note("cancel-stale", label),)
    if cancel_orders(tx, *where) != "filed":
        return (Note("just-closed", {"campaign": name}),)
    # READY was said of other orders, even if that letter is still on its way.
    if seat_orders.stance != "wait":
        file_stance(tx, *where, None, context.stamp)
    until = deadline_of(tx, name, window, context.recipient.zone)
    ready, standing = seat_orders.stance == "ready", bool(seat_orders.standing)
    note = Note("cancelled", {**label, "until": until, "standing": standing, "ready": ready})
    now = read_orders(tx, name)
    ahead = context.campaign.file_at_close(context.seat, now, held_sheets=False).ahead
    return (note, *orders_ahead(context, ahead, now))


def _cancel_lines(
    context: LetterContext, window: OpenWindow, lines: Sequence[int], tx: Connection
) -> tuple[Part, ...]:
    """The sheet without these lines. If the bad ones are gone it is not held any more."""
    name, label = context.campaign_name, {"label": label_of(window)}
    sheet = read_orders(tx, name).seats.get(context.seat, SeatOrders()).sheet
    if sheet is None:
        return (Note("cancel-no-sheet", label),)
    cut = without_lines(sheet, lines)
    if cut.unknown:
        return (Note("cancel-no-line", label | {"lines": cut.unknown, "known": cut.known}),)
    if not cut.whole.strip():
        return _cancel_all(context, window, tx)
    new = review_cut(context, sheet, cut)
    outcome = file_sheet(tx, name, window.number, context.seat, new, context.stamp)
    if outcome == "stale":
        return (Note("cancel-stale", label),)
    if outcome == "closed":
        return (Note("just-closed", {"campaign": name}),)
    if not new.held:
        drop_held(tx, name, window.number, context.seat, HELD_ANSWERS)
    left = sheet_lines(context, new)
    title = Note("cancel-left-held" if new.held else "cancel-left", label | {"lines": tuple(lines)})
    return (Passage(number_lines(context, left), title),)


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


def review_cut(context: LetterContext, sheet: StoredSheet, cut: Cut) -> StoredSheet:
    """What is left. A sheet that was held is read and rehearsed anew: it is free if no bad line is left."""
    bad = sheet.held and _has_bad_line(context, cut.whole)
    whole = sheet.held and not bad
    return StoredSheet(cut.whole if whole else cut.orders, cut.whole, bad)


def _has_bad_line(context: LetterContext, text: str) -> bool:
    campaign, seat = context.campaign, context.seat
    verdicts = judge_sheet(campaign.table, seat, campaign.order_file(seat, text))
    return bool(campaign.read(seat, text).refusals) or any(one.status == "refused" for one in verdicts)


# ------------------------------------------------------------------ SALT


class Salt(Command):
    """The player's own words for the dice."""

    words: str


def _salt(context: LetterContext, command: Salt) -> VerbResult:
    """The player's own words, which go into the dice of the next Close with this letter's mark."""
    require_not_over(campaign_of(context))
    words = " ".join(command.words.split())
    kept = words[:LONGEST_SALT]
    note = Note("salt-kept", {"words": kept, "cut": len(kept) < len(words), "most": LONGEST_SALT})
    return VerbResult(answer=(note,), salt=kept)


# ------------------------------------------------------------------ LANG, ZONE


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "EN": "en", "ENGLISH": "en", "ANGLAIS": "en",
        "FR": "fr", "FRENCH": "fr", "FRANCAIS": "fr",
    }
)  # fmt: skip


class Lang(Command):
    language: Language


class Zone(Command):
    """A name of the time zone database."""

    zone: str


def _read_lang(arguments: VerbArguments) -> Lang:
    word = arguments.read_first("language")
    if (language := LANGUAGES.get(arguments.words[0].key)) is None:
        raise BadArgument(refuse_unreadable("mail-unknown-language", {"word": word}, ("en", "fr")))
    arguments.expect_end(1)
    return Lang(language)


def _read_zone(arguments: VerbArguments) -> Zone:
    word = arguments.read_first("zone")
    if (zone := zones().get(word.upper())) is None:
        raise BadArgument(refuse_unreadable("mail-unknown-zone", {"word": word}, zones_near(word)))
    arguments.expect_end(1)
    return Zone(zone)


@in_transaction
def _language(context: LetterContext, command: Lang, tx: Connection) -> tuple[Part, ...]:
    """Letters in that language from now on; the answer is in it already."""
    update_person(tx, _writer(context, tx), language=command.language)
    return (plain_note(load_phrases("", command.language, None).say("notes", "language-set", {})),)


@in_transaction
def _zone(context: LetterContext, command: Zone, tx: Connection) -> tuple[Part, ...]:
    """Times are told in that zone from now on."""
    update_person(tx, _writer(context, tx), zone=command.zone)
    told = Note("zone-set", {"zone": command.zone, "now": Moment(context.service.now(), command.zone)})
    if context.window is None:
        return (told,)
    until = deadline_of(tx, context.campaign_name, context.window, command.zone)
    return (told,) if until is None else (told, Note("status-deadline", {"until": until}))


def _writer(context: LetterContext, tx: Connection) -> int:
    """Whoever wrote it; a stranger whom the same letter signs up is known by then."""
    person = context.person or person_at(tx, context.letter.sender)
    if person is None:
        raise Declined(Note("unknown-person"))
    return person.id


VERBS = (
    Verb("CHECK, DRAFT, TEST", "ESSAI, BROUILLON, TEST", PLAYERS, Check, role="check", topic="orders"),
    Verb(
        "CONFIRM, CONFIRMED, I CONFIRM", "CONFIRME, CONFIRMER, JE CONFIRME", ANYBODY, Confirm,
        role="confirm", strangers="answer-to-reply", topic="answers",
        mistaken="YES, OK, OKAY, CORRECT, OUI, BIENSUR",
    ),
    Verb(
        "CANCEL", "ANNULE, ANNULER", ANYBODY, Cancel, _cancel,
        read=_read_cancel, role="cancel", subject="seat", strangers="answer-to-reply", topic="orders",
        mistaken="UNDO, WITHDRAW",
    ),
    Verb("READY", "PRET, PRETE", PLAYERS, Ready, _take_stance, role="ready", subject="seat", topic="absence"),
    Verb("WAIT", "ATTENDS, ATTENDEZ, ATTENDRE", PLAYERS, Wait, _take_stance, subject="seat", topic="absence"),
    Verb(
        "SALT", "SEL", PLAYERS, Salt, _salt,
        read=lambda arguments: Salt(arguments.read_text("text")), rest="speech",
        subject="seat", topic="dice",
    ),
    Verb("LANG, LANGUAGE", "LANGUE", ANYBODY, Lang, _language, read=_read_lang, serious=if_unknown),
    Verb("ZONE, TIMEZONE", "FUSEAU", ANYBODY, Zone, _zone, read=_read_zone, serious=if_unknown),
)  # fmt: skip
