"""Words that a letter repeats: each line behind a bar, and nothing in them frames a letter or a block.

A reply brings back all of it, with marks of quotation or without: what somebody else wrote must not be taken
for orders of the one who answers.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from typing import Final, NamedTuple

from sqlalchemy import Connection

from pbem.campaigns.notify import memo_to, send_all, umpires_of
from pbem.campaigns.recipients import Recipient, phrases_for, seat_recipient
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, Part, Passage, note_text
from pbem.letters.notices import press_memo
from pbem.letters.phrases import LANGUAGES, load_phrases
from pbem.mail.redaction import Struck, strike
from pbem.orders.arguments import ALL, EDGES, TO, Awaiting, BadArgument, Result, VerbArguments
from pbem.orders.own_text import begins_block, is_end, marker
from pbem.orders.text import words
from pbem.orders.understood import Command, GivenCommand, Understood
from pbem.orders.vocabulary import SEATED
from pbem.store.advance import next_window_number
from pbem.store.outbox import GATHERED_FOR, put_in_outbox, take_delayed
from pbem.store.people import seated, use_allowance
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import answer_with, campaign_of
from pbem.verbs.verb import Verb

BAR: Final = "| "
NO_FRAME: Final = "0| "  # a line that begins with a figure begins and ends no block


def bar_line(row: str) -> str:
    """The line as it is repeated."""
    spoilt = row.replace("#", "·") if marker(row) else row
    bar = NO_FRAME if begins_block(row) or is_end(row) else BAR
    return f"{bar}{spoilt}".rstrip()


LONGEST: Final = 6000  # characters that are passed on
MOST_LINES: Final = 150
WIDTH: Final = 68
AT_ONCE: Final = 20  # letters of press from one seat within
WITHIN: Final = timedelta(hours=1)
MOST_LATER: Final = 40  # … and as many again wait, within the same time, for one letter of them all
IN_ONE_LETTER: Final = 8  # pieces of press: one to every seat, and more
_KEPT: Final = "\n\t"


class Addressed(NamedTuple):
    """Who gets the words, and where nobody reads them."""

    readers: tuple[Recipient, ...]
    bots: tuple[str, ...]
    vacant: tuple[str, ...]
    to: tuple[str, ...]  # as the letter names them: EVERYBODY, or the seats that it goes to
    umpire: bool  # does it go to the umpire?


# Among the addressees.
EVERYBODY, THE_UMPIRE = "ALL", "~umpire"
UMPIRE = frozenset({"UMPIRE", "UMPIRES", "GM", "ARBITRE", "LARBITRE", "ARBITRES"})
LINKING = TO | {"AND", "ET", "THE", "LE", "LA", "LES"}


class Press(Command):
    """Words to other seats. `to`: seats, THE_UMPIRE, or EVERYBODY."""

    to: tuple[str, ...]
    text: str


def _read_press(arguments: VerbArguments) -> Result:
    """PRESS TO WA EA: words, or the words in the lines up to END."""
    whom, colon, text = arguments.raw.partition(":")
    seats: list[str] = []
    for word in words(whom):
        if word.key in ALL:
            seats.append(EVERYBODY)
        elif word.key in UMPIRE:
            seats.append(THE_UMPIRE)
        elif word.key not in LINKING:
            named = re.split(r"[,/+&]", whom[word.start : word.end].strip(EDGES))
            try:
                seats += [arguments.read_seat(part) for part in named if part]
            except BadArgument:
                if seats and not colon:
                    raise arguments.missing("colon") from None
                raise
    if not seats:
        raise arguments.missing("seat")
    wide = [one for one in seats if one in (EVERYBODY, THE_UMPIRE)] if EVERYBODY in seats else seats
    to = tuple(dict.fromkeys(wide))
    if text.strip():
        return Press(to, text.strip())
    return Awaiting(arguments.verb, lambda below: Press(to, below))


def _press(context: LetterContext, command: Press) -> VerbResult:
    """A letter to each addressee, with the words alone and the seat that wrote them."""
    addressed = _find_readers(context, command.to)
    problems = _problems(context, addressed, command)
    if not addressed.readers:
        return answer_with(*problems)
    cleaned, is_cut = _clean(command.text)
    if not cleaned.strip():
        return answer_with(*problems, Note("talk-empty"))

    def effect(tx: Connection) -> tuple[Part, ...]:
        service, row = context.service, campaign_of(context)
        writer = f"{row.id}/{context.seat or 'umpire'}"
        words = strike(cleaned, service.addresses, tags_of(context))
        rows = list(bar_lines(words.text))
        if not use_allowance(tx, writer, "press", AT_ONCE, WITHIN, service.now()):
            return _gather(context, tx, addressed, rows) or (Note("talk-too-much", {"most": AT_ONCE}),)
        memo = _memo(context, addressed, rows)
        send_all(service, tx, context.campaign.terms, addressed.readers, memo, "press")
        return _delivery_notes(addressed, words, is_cut)

    return VerbResult(answer=problems, effect=effect)


def _memo(context: LetterContext, addressed: Addressed, rows: Sequence[str]) -> Memo:
    name = campaign_of(context).id
    return press_memo(name, context.seat, addressed.to, "\n".join(rows), umpire=addressed.umpire)


def _gather(
    context: LetterContext, tx: Connection, addressed: Addressed, rows: Sequence[str]
) -> tuple[Part, ...]:
    """More than goes out in an hour: each reader gets it later, in one letter with what comes next.

    Empty: so much waits that no more is taken.
    """
    name, now = campaign_of(context).id, context.service.now()
    if not use_allowance(tx, f"{name}/{context.seat or 'umpire'}", "press-later", MOST_LATER, WITHIN, now):
        return ()
    due = max(_gather_for(context, tx, reader, addressed, rows) for reader in addressed.readers)
    seats = tuple(reader.seat for reader in addressed.readers if reader.seat)
    umpires = any(not reader.seat for reader in addressed.readers)
    until = Moment(due, context.recipient.zone)
    return (Note("talk-later", {"most": AT_ONCE, "until": until, "seats": seats, "umpires": umpires}),)


def _gather_for(
    context: LetterContext, tx: Connection, reader: Recipient, addressed: Addressed, rows: Sequence[str]
) -> datetime:
    """When it will leave."""
    service, name = context.service, campaign_of(context).id
    terms = context.campaign.terms
    head = note_text(_memo(context, addressed, ()).headline, phrases_for(terms, reader))

    def is_same(body: bytes) -> bool:
        """From the same seat to the same ones. Behind bars stands what players wrote."""
        return head in " ".join(" ".join(_own_rows(body)).split())

    earlier = take_delayed(tx, reader.address, name, reader.seat, "press", is_same)
    now = service.now()
    due = min((one.due for one in earlier), default=now + GATHERED_FOR)
    before = [row for one in earlier for row in (*barred_rows(one.body), BAR.rstrip())]
    memo = _memo(context, addressed, (*before, *rows))
    mail = memo_to(service, tx, terms, reader, memo, "press", now=now)
    put_in_outbox(tx, [replace(mail, not_before=due)], now)
    return due


def refuse_surplus(pieces: Sequence[GivenCommand]) -> dict[GivenCommand, VerbResult]:
    """What comes of the press in a letter that is not passed on; that is said once."""
    left = pieces[IN_ONE_LETTER:]
    note = Note("talk-too-many", {"most": IN_ONE_LETTER, "left": len(left)})
    return {one: answer_with(note) if one is left[0] else answer_with() for one in left}


# ------------------------------------------------------------------ courtesies in reply to press


def pass_courtesies_on(context: LetterContext, understood: Understood) -> Understood:
    """A letter of courtesies alone, in reply to press, is press to whoever wrote that.

    Nothing else is passed on unasked: a misspelt order must never reach the enemy. How to reach the writer
    by telephone, and other lines that ask for nothing, stay here.
    """
    rest = replace(understood, chat=())
    polite = [one for one in understood.chat if one.polite]
    if rest != Understood() or not any(one.polite == "words" for one in polite):
        return understood
    writer = _writer_of_answered(context)
    if writer is None:
        return understood
    command = Press((writer or THE_UMPIRE,), "\n".join(one.line.text.strip() for one in polite))
    return replace(understood, commands=(GivenCommand(command, tuple(one.line for one in polite), "press"),))


def _writer_of_answered(context: LetterContext) -> str | None:
    """The seat that wrote the press which is answered; "": an umpire. None: it answers no press."""
    answered, may = context.answered, bool(context.seat) or "umpire" in context.roles
    if answered is None or not may:
        return None
    subject = message_from_bytes(answered.letter.body, policy=default)["Subject"]
    terms, campaign = context.campaign.terms, context.campaign_name
    if answered.letter.campaign != campaign:
        return None
    for language in LANGUAGES:
        phrases = load_phrases(terms.game.id, language, terms.pack)
        for seat in ("", *terms.seats):
            memo = press_memo(campaign, seat, (), "")
            if note_text(memo.subject, phrases) == subject:
                return seat
    return None


# ------------------------------------------------------------------ to whom


def _find_readers(context: LetterContext, to: Sequence[str]) -> Addressed:
    """Readers in seat order, umpires last; nobody writes to themselves."""
    name, db = campaign_of(context).id, context.service.db
    everybody = EVERYBODY in to
    chosen = [one for one in seated(db, name) if (everybody or one.seat in to) and one.seat != context.seat]
    readers = [recipient for one in chosen if (recipient := seat_recipient(name, one)) is not None]
    bots = [one.seat for one in chosen if one.bot is not None]
    vacant = [one.seat for one in chosen if one.bot is None and seat_recipient(name, one) is None]
    named = (EVERYBODY,) if everybody else tuple(reader.seat for reader in readers)
    umpires = [one for one in umpires_of(db, name) if THE_UMPIRE in to and one.person != context.person_id]
    known = {recipient.person for recipient in readers}
    readers += [one for one in umpires if one.person not in known]
    return Addressed(tuple(readers), tuple(bots), tuple(vacant), named, bool(umpires))


def _problems(context: LetterContext, addressed: Addressed, command: Press) -> tuple[Part, ...]:
    """Seats that were named and that nobody reads; among all they are passed over while others are left."""
    named = EVERYBODY not in command.to
    found: list[Part] = []
    if context.seat in command.to and not addressed.readers:
        found.append(Note("talk-yourself"))
    if addressed.bots and (named or not addressed.readers):
        found.append(Note("talk-bot", {"seats": addressed.bots}))
    if addressed.vacant and (named or not addressed.readers):
        found.append(Note("talk-vacant", {"seats": addressed.vacant}))
    if not addressed.readers and not found:
        found.append(Note("talk-nobody"))
    return tuple(found)


def _delivery_notes(addressed: Addressed, words: Struck, cut: bool) -> tuple[Part, ...]:
    seats = tuple(recipient.seat for recipient in addressed.readers if recipient.seat)
    umpires = any(not recipient.seat for recipient in addressed.readers)
    parts: list[Part] = [Note("talk-sent", {"seats": seats, "umpires": umpires})]
    if words.places:
        parts.append(Note("talk-struck", {"number": words.places}))
    if cut:
        parts.append(Note("talk-cut", {"most": LONGEST}))
    if words.places or cut:
        parts.append(Passage(tuple(bar_lines(words.text)), Note("talk-as-sent")))
    return tuple(parts)


# ------------------------------------------------------------------ the words


def _clean(text: str) -> tuple[str, bool]:
    """Without signs that steer a screen or turn the direction of writing, and whether it was too long."""
    rows = "\n".join(map(_strip_controls, text.split("\n"))).strip("\n").split("\n")
    short = "\n".join(rows[:MOST_LINES])[:LONGEST]
    return short, (len(rows) > MOST_LINES or len(short) < len("\n".join(rows)))


def _strip_controls(row: str) -> str:
    if row.isprintable():
        return row
    return "".join(sign for sign in row if sign in _KEPT or unicodedata.category(sign)[0] != "C")


def tags_of(context: LetterContext) -> list[str]:
    """The tokens of every window of every seat, of all who have held one."""
    name, db, tag = campaign_of(context).id, context.service.db, context.service.addresses.tag
    windows = next_window_number(db, name)
    return [
        tag(name, one.seat, holder, window)
        for one in seated(db, name)
        for holder in range(1, one.holder + 1)
        for window in range(windows)
    ]


def _text(body: bytes) -> str:
    part = message_from_bytes(body, policy=default).get_body(("plain",))
    return "" if part is None else str(part.get_content())


_BARS: Final = (BAR.rstrip(), NO_FRAME.rstrip())


def barred_rows(body: bytes) -> list[str]:
    """The lines behind bars of a letter of ours."""
    return [row for row in _text(body).splitlines() if row.startswith(_BARS)]


def _own_rows(body: bytes) -> list[str]:
    """The lines of a letter that are our own words."""
    return [row for row in _text(body).splitlines() if not row.startswith(_BARS)]


def bar_lines(text: str) -> Iterator[str]:
    """Lines of a letter's width, each behind a bar."""
    for row in text.expandtabs(4).split("\n"):
        for line in textwrap.wrap(row, WIDTH, break_on_hyphens=False) or [""]:
            yield bar_line(line)


VERBS = (
    Verb(
        "PRESS TO, PRESS", "PRESSE A, PRESSE", SEATED, Press, _press,
        read=_read_press, rest="speech", role="press", subject="campaign",
        topic="press", mistaken="MESSAGE, TELL",
    ),
)  # fmt: skip
