"""A player's mailbox as the service and the player fill it: invitation, own letters, receipts, results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from email.message import EmailMessage
from pathlib import Path

from engine.kernel.fairness.audit import Ledger, SentMark
from engine.kernel.fairness.export import audit_json, opening_json
from engine.kernel.fairness.history import throws
from engine.kernel.requests import Seat
from pbem.letters.dice import roll_lines
from pbem.letters.receipt import Mark
from tests.kernel.audited_campaign import SEATS, Act, Advance, Sitting, new_ledger

SERVICE = "umpire@host"
Mailbox = dict[str, bytes]  # name of the file -> letter


def letter(text: str, audit: str = "", answers: str = "", name: str = "audit.json") -> bytes:
    """One from the service."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = SERVICE, "player@mail", "[FWW-7] Turn 3"
    message["Auto-Submitted"] = "auto-generated"
    if answers:
        message["In-Reply-To"] = answers
    message.set_content(text)
    if audit:
        message.add_attachment(audit.encode(), maintype="application", subtype="json", filename=name)
    return message.as_bytes()


def own_letter(message_id: str, salt: str = "") -> bytes:
    """One to the service."""
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "player@mail", SERVICE, message_id
    message.set_content(f"A1 - F3\nSALT {salt}" if salt else "A1 - F3")
    return message.as_bytes()


def invitation(ledger: Ledger, seat: Seat) -> bytes:
    told = ledger.secrets.at(1).commitments
    return letter(f"anchor {told['anchor']}\nseal {told['seal']}\n", opening_json(ledger, seat))


def receipts(
    before: int, seat: Seat, sent: tuple[SentMark, ...], first: int = 1, answers: str = ""
) -> Iterator[tuple[str, bytes]]:
    """The answers to these letters, and the reader's own copies. `answers`: on file after the last."""
    for place, one in enumerate(sent, first):
        mark = Mark(seat, before, place, one, answers if one is sent[-1] else "")
        yield f"{before:05}-{place}-own.eml", own_letter(one.message_id, one.salt)
        yield (
            f"{before:05}-{place}-receipt.eml",
            letter("\n".join(mark.written()), answers=one.message_id),
        )


def result(ledger: Ledger, seat: Seat | None, since: int, others: Collection[str] = frozenset()) -> bytes:
    """The letter after the last Close on record."""
    rolled = throws(record for record in ledger.records if record.close.t > since)
    lines = [f" - {line.written}; so it fell." for line in roll_lines(list(rolled))]
    return letter("\n".join(lines) + "\n", audit_json(ledger, seat, since, others))


def letters_to(ledger: Ledger, seat: Seat, others: Collection[str] = frozenset()) -> Mailbox:
    """All of them, as they were when they went out. `others`: marks of letters of an earlier holder."""
    box = {"00000-invitation.eml": invitation(ledger, seat)}
    before = 0
    for number, record in enumerate(ledger.records):
        then = Ledger(ledger.opening, ledger.secrets, ledger.records[: number + 1])
        sent = record.close.entries[seat].letters or ()
        own = tuple(one for one in sent if one.mark.hex() not in others)
        since = ledger.records[number - 1].close.t if number else 0
        box.update(receipts(since, seat, own, answers=record.close.entries[seat].answers))
        box[f"{record.close.t:05}-result.eml"] = result(then, seat, before, others)
        before = record.close.t
    return box


def store(box: Mailbox, folder: Path) -> Path:
    """As files; what lay in the folder is gone."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, content in box.items():
        (folder / name).write_bytes(content)
    return folder


# ------------------------------------------------------------------ sittings that are played on

SENT = {seat: (SentMark(f"<{seat}@mail>", "c2ln"),) for seat in SEATS}
TAKEN: Act = ("fact", "TownTaken", {"town": "Metz"})
FIRE: Act = ("roll", SEATS[1], "fire", 1, 6)


def turn(number: int, *acts: Act, **more: object) -> Advance:
    letters = {seat: (SentMark(f"<{number}.{seat}@mail>", "c2ln"),) for seat in SEATS}
    values = {"letters": letters, **more}
    return Advance(f"T{number}.R1", acts or (FIRE, TAKEN), **values)  # type: ignore[arg-type]


def before(*advances: Advance) -> Sitting:
    """Two honest turns, and these."""
    sitting = Sitting(new_ledger(8))
    for advance in (turn(1), turn(2), *advances):
        sitting.play(advance)
    return sitting
