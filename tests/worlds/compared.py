"""Letters of two worlds, byte for byte; and what the readers are told besides, pauses and deadlines.

Headers, boundaries, pictures and everything else must be the same. Only what is named in HASHES may differ:
each of these is replaced by marks of its own length wherever it stands in the words or files of a letter.
"""

from __future__ import annotations

import json
from binascii import a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from email import message_from_bytes
from email.message import Message
from quopri import decodestring
from typing import Any, Final

from sqlalchemy import or_, select

from engine.kernel.fairness.audit import Ledger
from pbem.letters.result import KEY_SHOWN
from pbem.store.campaigns import keys_of
from pbem.store.journal import read_journal, read_records
from pbem.store.people import person_at
from pbem.store.schema_mail import deadlines, outbox, windows
from pbem.store.session import reading
from tests.conformance.worlds import Leak, difference
from tests.worlds.world import NAME, WATCHER, World

# The fields that are hashes or MACs over things the reader may not know. Tokens, Message-IDs, boundaries,
# links of the chain, the reader's own key, seal and entry are none of them: both worlds have the same keys.
HASHES: Final = (
    "head",  # of the audit, in full and as short as a letter shows it
    "T",  # digest of a transcript, in the public record
    "prev",  # the digest of the transcript before
    "entries",  # of others, blinded, in the transcript
    "seal",  # of others' private lines
    "root",  # of a shuffled pile
    "nonce",  # of an opened card
    "path",  # that proves it
    # And for somebody who took the seat over:
    "entries",  # its own, blinded, in the transcript
    "seal",  # of its own private lines
    "entry",  # in it the marks of letters that a former holder wrote
)


@dataclass(frozen=True)
class Seen:
    """A letter as it lies before its reader, and when."""

    row: dict[str, Any]
    structure: str  # headers and boundaries, with the length of each body
    bodies: tuple[bytes, ...]
    size: int

    @property
    def name(self) -> str:
        return f"{self.row['kind']} {self.row['number']} to {self.row['seat'] or 'the observer'}"


# ------------------------------------------------------------------ hashes


def hashes(world: World) -> list[str]:
    """The hashes of this world, by the fields of HASHES; the longest first."""
    opening, keys = read_journal(world.db, NAME)[0].raw, keys_of(world.db, NAME)
    records = list(read_records(world.db, NAME))
    found = {Ledger(opening, keys.dice).head.hex()}
    for record in records:
        told = json.loads(record.close.transcript)
        seat = world.begin.seat
        found |= {record.head, record.close.digest.hex(), told["prev"]}
        found |= {entry for owner, entry in told["entries"].items() if owner != seat}
        found |= {seal for owner, seal in record.seals.items() if owner != seat}
        own = json.loads(record.private[seat])
        if world.gone or any(line["k"] == "opening" for line in own):
            found.add(record.seals[seat])  # a MAC over the nonces of her cards
        if world.gone:
            found |= {told["entries"][seat], *record.close.entries[seat].marks}
        for line in (*record.public_lines, *own):
            found |= {line[name] for name in ("root", "nonce") if name in line} | {*line.get("path", ())}
    short = {one[:KEY_SHOWN] for one in found}
    return sorted(found | short, key=lambda one: (-len(one), one))


def masked(text: bytes, values: list[str]) -> bytes:
    for value in values:
        text = text.replace(value.encode(), b"#" * len(value))
    return text


# ------------------------------------------------------------------ letters


def letters(world: World, after: int, before: datetime | None = None) -> list[tuple[int, Seen]]:
    """What was laid in for the reader's seat, the reader herself and the observer, in this order of rows.

    What goes to somebody who held her seat before is not hers to read.

    `before`: only what was there by then.
    """
    own = world.addresses[str(world.begin.seat)]
    people = [one.id for address in (own, WATCHER) if (one := person_at(world.db, address))]
    whose = or_(outbox.c.seat == str(world.begin.seat), outbox.c.seat.is_(None) & outbox.c.person.in_(people))
    with reading(world.db) as tx:
        new = (outbox.c.id > after, outbox.c.recipient.not_in(world.gone))
        rows = tx.execute(select(outbox).where(whose, *new).order_by(outbox.c.id)).mappings()
        return [(row["id"], _seen(dict(row))) for row in rows if before is None or row["laid_at"] < before]


_TOLD: Final = ("kind", "sender", "recipient", "seat", "number", "window", "state", "laid_at", "next_try_at")


def _seen(row: dict[str, Any]) -> Seen:
    raw: bytes = row["body"]
    message, structure = message_from_bytes(raw), raw.decode("ascii")
    bodies = []
    for part in _leaves(message):
        coded = str(part.get_payload())
        assert coded in structure, "a part's body stands in the letter as it is"
        structure = structure.replace(coded, f"({len(coded)})", 1)
        bodies.append(_decoded(part, coded))
    return Seen({name: row[name] for name in _TOLD}, structure, tuple(bodies), len(raw))


def _leaves(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())


def _decoded(part: Message, coded: str) -> bytes:
    match part["Content-Transfer-Encoding"]:
        case "base64":
            return a2b_base64(coded)
        case "quoted-printable":
            return decodestring(coded.encode("ascii"))
    return coded.encode("ascii")


def compare(one: Seen, other: Seen, of_one: list[str], of_other: list[str]) -> None:
    """Leak at the first byte that differs, in the letter or in how and when it goes."""
    if one.row != other.row:
        raise Leak(f"{one.name}: envelope: {difference(one.row, other.row)}")
    for mine, theirs in zip(one.bodies, other.bodies, strict=False):
        if mine == theirs:
            continue
        plain, twin = masked(mine, of_one), masked(theirs, of_other)
        if plain != twin:
            raise Leak(f"{one.name}: words: {_lines(_text(plain), _text(twin))}")
    if one.structure != other.structure:
        raise Leak(f"{one.name}: headers: {_lines(one.structure, other.structure)}")


def _text(body: bytes) -> str:
    return body.decode("utf-8", "backslashreplace")


def _lines(one: str, other: str) -> str:
    rows = unified_diff(one.splitlines(), other.splitlines(), "one", "other", n=0, lineterm="")
    return "\n".join(row[:300] for row in list(rows)[:12])


# ------------------------------------------------------------------ pauses


def last_close(world: World) -> datetime | None:
    """When the last window closed; None: none has."""
    with reading(world.db) as tx:
        closed = tx.execute(select(windows.c.closed_at).where(windows.c.closed_at.is_not(None))).scalars()
        return max(closed, default=None)


def timeline(world: World) -> list[Any]:
    """The pauses as everyone is told of them: when, for whom, until when; and the reader's own reminders."""
    told: list[Any] = []
    mine = ("", str(world.begin.seat))
    with reading(world.db) as tx:
        for row in tx.execute(select(windows).order_by(windows.c.number)).mappings():
            told.append([row["number"], list(row["seats"]), row["once"], row["state"]])
            told.append([str(row["opened_at"]), str(row["closed_at"])])
        kinds = deadlines.c.kind.in_(("deadline", "reminder"))  # how long the grace is depends on all banks
        chosen = select(deadlines).where(kinds, deadlines.c.seat.in_(mine)).order_by(deadlines.c.id)
        for due in tx.execute(chosen).mappings():
            told.append([due["window"], due["kind"], due["place"], str(due["due_at"]), due["state"]])
    return told


def compare_timelines(first: World, second: World) -> None:
    one, other = timeline(first), timeline(second)
    if one != other:
        raise Leak(f"{first.begin}: pauses: {difference(one, other)}")
