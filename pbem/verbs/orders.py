"""READY, WAIT, CANCEL, SALT, LANG, ZONE; and, from a module of its own, ABSENT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from sqlalchemy import Connection

from engine.kernel.errors import Refusal
from engine.kernel.game import Language
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import label_of
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, Passage
from pbem.letters.phrases import load_phrases
from pbem.orders.arguments import ALL, BadArgument, VerbArguments, read_numbers
from pbem.orders.text import zones, zones_near
from pbem.orders.understood import Command, refuse_unreadable
from pbem.orders.vocabulary import ANYBODY, PLAYERS
from pbem.store.people import Person, person_at, update_person
from pbem.store.windows import (
    SeatOrders,
    Stance,
    StoredSheet,
    cancel_orders,
    file_sheet,
    file_stance,
    filed_at,
    read_orders,
)
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import (
    answer_with,
    campaign_of,
    deadline_of,
    not_now,
    open_window_of,
)
from pbem.verbs.status import number_lines
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


def _ready(context: LetterContext, command: Ready) -> VerbResult:
    """The seat is content with what is on file: the turn may be played as soon as all are."""
    return _take_stance(context, "ready")


def _wait(context: LetterContext, command: Wait) -> VerbResult:
    """The turn is not played before the deadline, even if all are in."""
    return _take_stance(context, "wait")


def _take_stance(context: LetterContext, stance: Stance) -> VerbResult:
    if (reason := not_now(context)) is not None:
        return answer_with(reason)
    name, window = campaign_of(context).id, open_window_of(context)

    def effect(tx: Connection) -> tuple[Part, ...]:
        stamp = context.stamp
        filed = filed_at(tx, name, window.number, context.seat) if stance == "ready" else None
        if filed is not None and stamp.is_before(filed):  # the orders it was said of are not on file any more
            return (Note("stance-stale", {"label": label_of(window), "stance": stance}),)
        outcome = file_stance(tx, name, window.number, context.seat, stance, stamp)
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

    return VerbResult(effect=effect, adjudicate=frozenset({name}))


# ------------------------------------------------------------------ CANCEL


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
    """Orders and answers on file for the open window are withdrawn, or single lines of the sheet."""
    if (reason := not_now(context)) is not None:
        return answer_with(reason)
    name, lines = campaign_of(context).id, command.lines

    def effect(tx: Connection) -> tuple[Part, ...]:
        return _cancel_lines(context, lines, tx) if lines else _cancel_all(context, tx)

    return VerbResult(effect=effect, adjudicate=frozenset({name}))


def _cancel_all(context: LetterContext, tx: Connection) -> tuple[Part, ...]:
    name, window = campaign_of(context).id, open_window_of(context)
    label = {"label": label_of(window)}
    filed = filed_at(tx, name, window.number, context.seat)
    seat_orders = read_orders(tx, name).seats.get(context.seat, SeatOrders())
    if seat_orders.sheet is None and all(reply.umpire for reply in seat_orders.replies.values()):
        return (Note("cancel-nothing", label),)
    if filed is not None and context.stamp.is_before(filed):
        return (Note("cancel-stale", label),)
    if cancel_orders(tx, name, window.number, context.seat) != "filed":
        return (Note("just-closed", {"campaign": name}),)
    was_ready = seat_orders.stance == "ready"
    # READY was said of other orders, even if that letter is still on its way.
    if seat_orders.stance != "wait":
        file_stance(tx, name, window.number, context.seat, None, context.stamp)
    until = deadline_of(tx, name, window, context.recipient.zone)
    facts = {"until": until, "standing": bool(seat_orders.standing), "ready": was_ready}
    return (Note("cancelled", label | facts),)


def _cancel_lines(context: LetterContext, lines: Sequence[int], tx: Connection) -> tuple[Part, ...]:
    """The sheet without these lines. If the bad ones are gone it is not held any more."""
    name, window = campaign_of(context).id, open_window_of(context)
    label = {"label": label_of(window)}
    sheet = read_orders(tx, name).seats.get(context.seat, SeatOrders()).sheet
    if sheet is None:
        return (Note("cancel-no-sheet", label),)
    cut = without_lines(sheet, lines)
    if cut.unknown:
        return (Note("cancel-no-line", label | {"lines": cut.unknown, "known": cut.known}),)
    if not cut.whole.strip():
        return _cancel_all(context, tx)
    new = review_cut(context, sheet, cut)
    outcome = file_sheet(tx, name, window.number, context.seat, new, context.stamp)
    if outcome != "filed":
        stale = outcome == "stale"
        return (Note("cancel-stale", label) if stale else Note("just-closed", {"campaign": name}),)
    left = context.campaign.read(Seat(context.seat), new.orders).orders
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
    bad = sheet.held and bool(_refusals(context, cut.whole))
    whole = sheet.held and not bad
    return StoredSheet(cut.whole if whole else cut.orders, cut.whole, bad)


def _refusals(context: LetterContext, text: str) -> list[Refusal]:
    campaign, seat = context.campaign, Seat(context.seat)
    refusals = list(campaign.read(seat, text).refusals)
    verdicts = judge_sheet(campaign.table, seat, campaign.order_file(seat, text))
    return refusals + [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]


# ------------------------------------------------------------------ SALT


class Salt(Command):
    """The player's own words for the dice."""

    words: str


def _salt(context: LetterContext, command: Salt) -> VerbResult:
    """The player's own words, which go into the dice of the next Close with this letter's mark."""
    words = " ".join(command.words.split())
    if campaign_of(context).state == "over":
        return answer_with(Note("is-over", {"campaign": campaign_of(context).id}))
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


def _language(context: LetterContext, command: Lang) -> VerbResult:
    """Letters in that language from now on; the answer is in it already."""
    words = load_phrases("", command.language, None).say("notes", "language-set", {})

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _writer(context, tx)) is None:
            return (Note("unknown-person"),)
        update_person(tx, person.id, language=command.language)
        return (Note("plain", {"text": words}),)

    return VerbResult(effect=effect)


def _zone(context: LetterContext, command: Zone) -> VerbResult:
    """Times are told in that zone from now on."""

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (person := _writer(context, tx)) is None:
            return (Note("unknown-person"),)
        update_person(tx, person.id, zone=command.zone)
        facts = {"zone": command.zone, "now": Moment(context.service.now(), command.zone)}
        parts: list[Part] = [Note("zone-set", facts)]
        if context.campaign_row is not None and context.window is not None:
            until = deadline_of(tx, context.campaign_row.id, context.window, command.zone)
            if until is not None:
                parts.append(Note("status-deadline", {"until": until}))
        return tuple(parts)

    return VerbResult(effect=effect)


def _writer(context: LetterContext, tx: Connection) -> Person | None:
    """Whoever wrote it; a stranger whom the same letter signs up is known by then."""
    return context.person or person_at(tx, context.letter.sender)


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
    Verb("READY", "PRET, PRETE", PLAYERS, Ready, _ready, role="ready", subject="seat", topic="absence"),
    Verb("WAIT", "ATTENDS, ATTENDEZ, ATTENDRE", PLAYERS, Wait, _wait, subject="seat", topic="absence"),
    Verb(
        "SALT", "SEL", PLAYERS, Salt, _salt,
        read=lambda arguments: Salt(arguments.read_text("text")), rest="speech",
        subject="seat", topic="dice",
    ),
    Verb("LANG, LANGUAGE", "LANGUE", ANYBODY, Lang, _language, read=_read_lang, serious=if_unknown),
    Verb("ZONE, TIMEZONE", "FUSEAU", ANYBODY, Zone, _zone, read=_read_zone, serious=if_unknown),
)  # fmt: skip
