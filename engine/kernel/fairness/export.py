"""What leaves the service: audit.json for a letter, exports, and the publication at the end.

All have one form, and `verify_dice` checks every field of it::

    {"format", "open": the journal's first line, "reader": the seat, "umpire", or "", "closes": [
        {"T", "link", "P", "seal <reader>" for each reader, "head"}, ...]}

A seat's has for each Close also its own "k <seat>", "entry <seat>" and "private <seat>" (its lines). The
umpire's and the publication have "K", and for each Close these fields for every seat, and "k" and "private"
of the umpire. An entry is a list: the answers, then one mark for each letter; in full with its tag, as in
["mark", Message-ID, b=, SALT], or as a hash. All values are text: hashed JSON travels as the very bytes that
were hashed, hashes in lower-case hex.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from engine.kernel.errors import DiceError
from engine.kernel.fairness.audit import CloseRecord, Entry, Ledger
from engine.kernel.fairness.history import Throw, throws
from engine.kernel.requests import Seat
from engine.kernel.visibility import UMPIRE

FORMAT: Final = "pbem audit 2"


def audit_json(
    ledger: Ledger, reader: Seat | None, since: int = 0, others: Collection[str] = frozenset()
) -> str:
    """The attachment of one letter: every Close after `since`, the Close of the reader's last letter.

    `reader` None is an observer, who gets the public part. Where no Close is new the last one is repeated, so
    that every letter has a head to compare. `others`: marks of letters that somebody else wrote for the seat,
    whose parts are theirs alone.
    """
    first = next((i for i, r in enumerate(ledger.records) if r.close.t > since), len(ledger.records))
    first = max(0, min(first, len(ledger.records) - 1))
    if reader is not None and reader not in ledger.seats:
        raise DiceError(f"no seat {reader} in this campaign")
    closes = [_shown(record) | _own(ledger, record, reader, others) for record in ledger.records[first:]]
    return _written(ledger, {"reader": reader or ""}, closes)


def opening_json(ledger: Ledger, reader: Seat) -> str:
    """For the invitation: the opening record alone, with which all later letters are compared."""
    return _written(ledger, {"reader": reader}, [])


def seat_export(ledger: Ledger, seat: Seat, others: Collection[str] = frozenset()) -> str:
    """All that the seat's letters hold, in one file."""
    return audit_json(ledger, seat, others=others)


def umpire_export(ledger: Ledger) -> str:
    """Everything, K included: as secret as the dice of the hidden draws, until the end."""
    closes = [_shown(record) | _secret(ledger, record) for record in ledger.records]
    return _written(ledger, {"reader": UMPIRE, "K": ledger.secrets.seal_key.hex()}, closes)


def publication(ledger: Ledger) -> str:
    """The end: K, the last link, entries, shuffles, draws, sealed lines. Refused while the game goes on."""
    if not any(line["k"] == "end" for record in ledger.records[-1:] for line in record.public_lines):
        raise DiceError("nothing is published before the end")
    return umpire_export(ledger)


@dataclass(frozen=True, slots=True)
class AuditBlock:
    """What the text of a letter shows of the dice: links, rolls with number and purpose, the head."""

    closes: tuple[tuple[int, str, tuple[str, ...]], ...]  # t, link, UNSALTED and TOUCHED
    throws: tuple[Throw, ...]
    head: str


def audit_block(ledger: Ledger, since: int = 0) -> AuditBlock:
    """The block for the Closes after `since`."""
    new = [record for record in ledger.records if record.close.t > since]
    closes = tuple((record.close.t, record.link, record.marks) for record in new)
    return AuditBlock(closes, tuple(throws(new)), ledger.head.hex())


def _shown(record: CloseRecord) -> dict[str, Any]:
    """What every mailbox witnesses."""
    seals = {f"seal {reader}": seal for reader, seal in record.seals.items()}
    told = {"T": record.close.transcript.decode(), "link": record.link, "P": record.public.decode()}
    return {**told, **seals, "head": record.head}


def _own(ledger: Ledger, record: CloseRecord, reader: Seat | None, others: Collection[str]) -> dict[str, Any]:
    """What only this seat reads: its key, the parts of its entry, its lines."""
    if reader is None:
        return {}
    parts = _parts(record.close.entries[reader], others)
    return {f"entry {reader}": parts, **_unsealed(ledger, record, reader)}


def _secret(ledger: Ledger, record: CloseRecord) -> dict[str, Any]:
    """Everybody's, with marks and answers as hashes."""
    entries = record.close.entries
    fields: dict[str, Any] = {
        f"entry {seat}": [entries[seat].answers, *entries[seat].marks] for seat in ledger.seats
    }
    for reader in ledger.readers:
        fields |= _unsealed(ledger, record, reader)
    return fields


def _unsealed(ledger: Ledger, record: CloseRecord, reader: str) -> dict[str, str]:
    key = ledger.secrets.key(record.close.t, reader)
    return {f"k {reader}": key.hex(), f"private {reader}": record.private[reader].decode()}


def _parts(entry: Entry, others: Collection[str]) -> list[Any]:
    """Letters and texts where they are still known, and the reader's; else their hashes."""
    if entry.letters is None or entry.texts is None:
        return [entry.answers, *entry.marks]
    letters = zip(entry.marks, entry.letters, strict=True)
    marks = [
        mark if mark in others else ["mark", sent.message_id, sent.signature, sent.salt]
        for mark, sent in letters
    ]
    return [["answers", *entry.texts], *marks]


def _written(ledger: Ledger, more: dict[str, str], closes: list[dict[str, Any]]) -> str:
    document = {"format": FORMAT, "open": ledger.opening.decode(), **more, "closes": closes}
    return json.dumps(document, indent=1)
