"""HISTORY and VERIFY: the reader's own letters again, and how the dice may be checked."""

from __future__ import annotations

import email
from collections.abc import Iterable, Sequence
from email.message import EmailMessage
from email.policy import default
from typing import Final, NamedTuple

from engine.kernel.audit import Ledger
from engine.kernel.export import audit_json, seat_export
from engine.kernel.history import Throw, throws
from engine.kernel.requests import Seat
from pbem.campaigns.hearing import Deed, Handlers, Hearing
from pbem.campaigns.labels import is_in, label_of, turn_of
from pbem.campaigns.requests.asked import campaign_of, of_a_campaign, said
from pbem.campaigns.requests.repeated import behind_bar
from pbem.mail.compose import Enclosure
from pbem.orders import commands as c
from pbem.orders.own_text import marker
from pbem.report.memo import Heading, Listing, Note, Part, Passage
from pbem.report.moments import Moment
from pbem.store.filing import all_windows
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import Posted, letters_to, letters_to_person

MOST_LISTED: Final = 100  # letters
MOST_LINES: Final = 1500  # of letters repeated
MOST_THROWS: Final = 120
NOT_REPEATED: Final = ("receipt", "answer", "reminder")  # an answer to HISTORY is as long as all the others
# Not of the seat as such. A question repeats what its holder wrote, private words among it.
OF_THE_HOLDER: Final = ("receipt", "answer", "question", "press", "reminder", "invitation")


class Kept(NamedTuple):
    """A letter of the reader's, and the window in which he got it."""

    posted: Posted
    label: str


# ------------------------------------------------------------------ HISTORY


@of_a_campaign
def history(hearing: Hearing, command: c.Command) -> Deed:
    """The list of the reader's own letters; with a turn their texts again."""
    assert isinstance(command, c.History)
    kept = own_letters(hearing)
    if not kept:
        return said(Note("history-none", {"campaign": campaign_of(hearing).id}))
    if not command.turn:
        return said(*_listed(hearing, kept))
    news = [one for one in kept if one.posted.letter.kind not in NOT_REPEATED]
    chosen = [one for one in news if is_in(one.label, command.turn)]
    if not chosen:
        turns = list(dict.fromkeys(turn_of(one.label) for one in reversed(news) if one.label))
        return said(Note("history-no-turn", {"named": command.turn, "turns": turns}))
    return said(*_repeated(hearing, chosen, command.turn))


def own_letters(hearing: Hearing) -> list[Kept]:
    """Newest first. A seat's letters go to whoever holds it, those of a holder's own to him alone."""
    name, db = campaign_of(hearing).id, hearing.office.db
    person = None if hearing.person is None else hearing.person.id
    if hearing.seat:
        found = letters_to(db, name, hearing.seat)
    else:
        found = [] if person is None else letters_to_person(db, name, person)
    windows = all_windows(db, name)
    labels = {window.number: label_of(window) for window in windows}
    kept = []
    for posted in found:
        letter = posted.letter
        overtaken = posted.state == "withdrawn" and letter.kind in NOT_REPEATED
        if overtaken or (letter.kind in OF_THE_HOLDER and letter.person != person):
            continue
        opened = [window for window in windows if window.opened_at <= posted.laid]
        label = labels.get(letter.window or 0) or (label_of(opened[-1]) if opened else "")
        kept.append(Kept(posted, label))
    return kept


def _listed(hearing: Hearing, kept: Sequence[Kept]) -> tuple[Part, ...]:
    notes = tuple(
        Note(
            "history-letter",
            {
                "when": Moment(one.posted.laid, hearing.reader.zone),
                "subject": opened(one.posted)["Subject"],
                "label": one.label,
            },
        )
        for one in kept[:MOST_LISTED]
    )
    title = Note("history-title", {"number": len(kept), "shown": len(notes)})
    turn = next((turn_of(one.label) for one in kept if one.label), "")
    return (title, Listing(notes), *((Note("history-how", {"turn": turn}),) if turn else ()))


def _repeated(hearing: Hearing, chosen: Sequence[Kept], turn: str) -> tuple[Part, ...]:
    """The texts, oldest first; each line behind a bar."""
    parts: list[Part] = [Note("history-again", {"number": len(chosen), "named": turn})]
    left = MOST_LINES
    for number, one in enumerate(reversed(chosen)):
        lines = tuple(barred(text_of(one.posted)))
        if len(lines) > left:
            parts.append(Note("history-cut", {"number": len(chosen) - number}))
            break
        left -= len(lines)
        facts = {"when": Moment(one.posted.laid, hearing.reader.zone)}
        parts += [Heading(Note("history-heading", facts)), Passage(lines)]
    return tuple(parts)


def opened(posted: Posted) -> EmailMessage:
    """A letter of ours, from its bytes."""
    message = email.message_from_bytes(posted.letter.body, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(posted: Posted) -> str:
    part = opened(posted).get_body(("plain",))
    return "" if part is None else str(part.get_content())


def barred(text: str) -> Iterable[str]:
    """Without the two lines that frame a letter: this one has its own."""
    rows = [row.rstrip() for row in text.strip("\n").splitlines() if not marker(row)]
    while rows and not rows[0]:
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    return map(behind_bar, rows)


# ------------------------------------------------------------------ VERIFY


@of_a_campaign
def verify(hearing: Hearing, command: c.Command) -> Deed:
    """How to check the dice, with everything that the reader's letters have shown of them in one file."""
    assert isinstance(command, c.Verify)
    standing, db = campaign_of(hearing), hearing.office.db
    records = list(read_records(db, standing.id))
    if not records:
        return said(Note("verify-nothing", {"campaign": standing.id}))
    opening = read_journal(db, standing.id)[0].raw
    ledger = Ledger(opening, hearing.campaign.keys.dice, records)
    text = seat_export(ledger, Seat(hearing.seat)) if hearing.seat else audit_json(ledger, None)
    name = f"audit-{standing.id.lower()}.json"
    rolled = list(throws(records))
    facts = {"file": name, "closes": len(records), "rolls": len(rolled), "head": ledger.head.hex()[:16]}
    parts: list[Part] = [Note("verify-file", facts), Note("verify-how", facts)]
    if command.turn:
        parts += _thrown(hearing, [row for row in rolled if is_in(row.segment, command.turn)], command.turn)
    return Deed(tuple(parts), enclosures=(Enclosure(name, "application/json", text.encode()),))


def _thrown(hearing: Hearing, rolled: Sequence[Throw], turn: str) -> list[Part]:
    """The public rolls of a turn, by the numbers under which every letter cites them."""
    if not rolled:
        return [Note("verify-no-rolls", {"named": turn})]
    phrases, notes = hearing.phrases, []
    for row in rolled[:MOST_THROWS]:
        words = phrases.word("rolled", seat=row.seat, faces=row.faces, purpose=row.purpose)
        text = phrases.told("letters", "throw", {"throw": row, "words": words})
        notes.append(Note("plain", {"text": text}))
    title = Note("verify-rolls", {"named": turn, "number": len(rolled), "shown": len(notes)})
    return [title, Listing(tuple(notes))]


HANDLERS: Handlers = {c.History: history, c.Verify: verify}
