"""The audit of a campaign: entries, Closes, public records, seals and heads.

A `Ledger` holds what the dice protocol knows of one campaign. Every advance is one round trip::

    close = ledger.close(entries, branch)  # T[t]; stored in the transaction that freezes the answers
    table.advance(files, close.t, close.digest.hex())  # with ledger.dice(close)
    record = ledger.record(close, lines)  # P[t], private lines, seals, head; stored with the lines
    ledger.records.append(record)

`close` and `record` change nothing: a run that crashed is run again from the stored Close, with the same
dice. `lines` are those since the record before, the umpire's acts in the open window included. Which reader
may see which journal line is decided in `audience`, what leaves the service in `export`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from engine.kernel.errors import DiceError
from engine.kernel.fairness.dice import MAC, AuditedDice, Chain, H
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat
from engine.kernel.visibility import UMPIRE, Disclosure, Pile

VERSION: Final = 2
LOW: Final = 4  # a new anchor is due when this part of a chain is left


# ------------------------------------------------------------------ entries


@dataclass(frozen=True, slots=True)
class SentMark:
    """A letter that passed the sender proof: the parts of its mark, as its receipt prints them."""

    message_id: str  # as received
    signature: str = ""  # b= of the aligned DKIM signature
    salt: str = ""  # the words after SALT

    @property
    def mark(self) -> bytes:
        return H("mark", self.message_id, self.signature, self.salt)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one seat adds to a Close. Letters and texts may be erased; marks and digest then remain."""

    marks: tuple[str, ...]  # hex, in order of arrival
    answers: str  # hex, the digest of the seat's own answers on file
    letters: tuple[SentMark, ...] | None = field(default=None, repr=False)
    texts: tuple[str, ...] | None = field(default=None, repr=False)  # these answers in canonical notation

    @classmethod
    def of(cls, letters: Iterable[SentMark] = (), texts: Iterable[str] = ()) -> Entry:
        sent, notation = tuple(letters), tuple(texts)
        marks = tuple(letter.mark.hex() for letter in sent)
        return cls(marks, H("answers", *notation).hex(), sent, notation)

    def erased(self) -> Entry:
        """Without what names a person or tells their orders; every roll still verifies."""
        return Entry(self.marks, self.answers)

    @property
    def digest(self) -> bytes:
        return H("entry", bytes.fromhex(self.answers), *map(bytes.fromhex, self.marks))

    def dump(self) -> dict[str, Any]:
        """Plain data for the store."""
        data: dict[str, Any] = {"marks": list(self.marks), "answers": self.answers}
        if self.letters is not None:
            data["letters"] = [[sent.message_id, sent.signature, sent.salt] for sent in self.letters]
        if self.texts is not None:
            data["texts"] = list(self.texts)
        return data

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Entry:
        letters, texts = data.get("letters"), data.get("texts")
        return cls(
            tuple(data["marks"]),
            data["answers"],
            None if letters is None else tuple(SentMark(*parts) for parts in letters),
            None if texts is None else tuple(texts),
        )


def blind(key: bytes, entry: Entry) -> str:
    """What the others see of an entry. Hidden orders have little entropy: a bare hash could be guessed."""
    return MAC(key, "entry", entry.digest).hex()


# ------------------------------------------------------------------ secrets


@dataclass(frozen=True, slots=True)
class Secrets:
    """The chain, the seal key K, and the first Close that takes a link of this chain."""

    chain: Chain = field(repr=False)
    seal_key: bytes = field(repr=False)
    first: int = 1
    before: Secrets | None = None  # until `first` the chain before this one serves, which announced it

    def at(self, t: int) -> Secrets:
        """Those whose chain has the link of Close t."""
        return self if self.before is None or t >= self.first else self.before.at(t)

    @property
    def commitments(self) -> dict[str, str]:
        """For the invitation, and the header of the journal's first line."""
        return {"anchor": self.chain.anchor.hex(), "seal": H("seal", self.seal_key).hex()}

    def link(self, t: int) -> bytes:
        mine = self.at(t)
        return mine.chain.link(t - mine.first + 1)

    def links_left(self, t: int) -> int:
        """Links still unused after Close t, of the chain that has the next one."""
        mine = self.at(t + 1)
        return mine.chain.length - (t - mine.first + 1)

    def is_low(self, t: int, burnt: int = 0) -> bool:
        """Is a new anchor due after Close t, when so many links are given up?

        In good time: a backup may be restored again and again before the Close that announces the new chain
        is in one, and each time other links must be left for that Close.
        """
        return self.links_left(t) - burnt <= self.at(t + 1).chain.length // LOW

    def key(self, t: int, reader: str) -> bytes:
        """k[t,seat]"""
        return MAC(self.seal_key, "seat", t, reader)

    def sealed(self, transcript: bytes) -> bytes:
        """sealed[t], the source of hidden chance."""
        return MAC(self.seal_key, "sealed", sha256(transcript).digest())


# ------------------------------------------------------------------ what is kept of an advance


@dataclass(frozen=True, slots=True)
class Close:
    """A window closed: the very bytes of T[t], and the entries behind its blinded ones."""

    t: int
    transcript: bytes
    entries: Mapping[Seat, Entry] = field(repr=False)
    held: tuple[Seat, ...] = ()  # seats that somebody held; the others have no marks

    @property
    def digest(self) -> bytes:
        return sha256(self.transcript).digest()

    @property
    def unsalted(self) -> bool:
        """Nobody sent anything."""
        return not any(entry.marks for entry in self.entries.values())

    def dump(self) -> str:
        entries = {seat: entry.dump() for seat, entry in self.entries.items()}
        told = {"t": self.t, "T": self.transcript.decode(), "entries": entries, "held": self.held}
        return canonical(told).decode()

    @classmethod
    def load(cls, text: str) -> Close:
        data = json.loads(text)
        entries = {Seat(seat): Entry.load(entry) for seat, entry in data["entries"].items()}
        return cls(data["t"], data["T"].encode(), entries, tuple(map(Seat, data["held"])))


@dataclass(frozen=True, slots=True)
class CloseRecord:
    """An advance on record: P[t], the private lines of each reader, seals and head."""

    close: Close
    link: str  # hex
    public: bytes
    private: Mapping[str, bytes] = field(repr=False)  # seats and UMPIRE
    seals: Mapping[str, str]  # hex, in seat order, the umpire's last
    head: str  # hex
    rolls: int  # public rolls of the campaign up to here

    @property
    def public_lines(self) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = json.loads(self.public)["lines"]
        return lines

    @property
    def marks(self) -> tuple[str, ...]:
        """UNSALTED, TOUCHED"""
        return tuple(json.loads(self.public)["marks"])


# ------------------------------------------------------------------ the ledger


@dataclass(slots=True)
class Ledger:
    """The dice protocol's knowledge of one campaign, over all its branches.

    `opening` is the journal's first line as it stands there; it is the T[0] that T[1] points back to.
    """

    opening: bytes
    secrets: Secrets
    records: list[CloseRecord] = field(default_factory=list)  # those at hand; the last one must be
    archive: Callable[[], Iterable[CloseRecord]] = tuple  # all of them, where only the last ones are at hand
    seats: tuple[Seat, ...] = field(init=False)

    def __post_init__(self) -> None:
        header = json.loads(self.opening)
        self.seats = tuple(Seat(seat) for seat in header["seats"])
        if UMPIRE in self.seats:
            raise DiceError(f"no seat may be called {UMPIRE}")
        if header["seal"] != self.secrets.commitments["seal"]:
            raise DiceError("the seal key is not the one the campaign opened with")

    @property
    def readers(self) -> tuple[str, ...]:
        """Seat order, the umpire last."""
        return (*self.seats, UMPIRE)

    @property
    def t(self) -> int:
        """The last Close on record; 0: none."""
        return self.records[-1].close.t if self.records else 0

    @property
    def head(self) -> bytes:
        """head[t]; before the first Close it is taken over the opening."""
        return bytes.fromhex(self.records[-1].head) if self.records else H("head", self.opening)

    @property
    def rolls(self) -> int:
        return self.records[-1].rolls if self.records else 0

    def close(
        self,
        entries: Mapping[Seat, Entry],
        branch: int = 0,
        burn: int = 0,
        held: Collection[str] | None = None,
    ) -> Close:
        """T[t]. A seat not named sent nothing and has nothing on file. `held`: by somebody; None: all are.

        `burn` links are given up after a backup was restored: letters may have shown them.
        """
        if strangers := sorted(set(entries) - set(self.seats)):
            raise DiceError(f"no seat {strangers[0]} in this campaign")
        t = self.t + burn + 1
        whole = {seat: entries.get(seat, Entry.of()) for seat in self.seats}
        previous = self.records[-1].close.transcript if self.records else self.opening
        transcript = {
            "v": VERSION,
            "anchor": self.secrets.at(t).chain.anchor.hex(),
            "t": t,
            "branch": branch,
            "prev": sha256(previous).hexdigest(),
            "entries": {seat: blind(self.secrets.key(t, seat), entry) for seat, entry in whole.items()},
            "beacon": None,
        }
        self.secrets.link(t)  # a chain at its end is noticed before anything is frozen
        seats = tuple(seat for seat in self.seats if held is None or seat in held)
        return Close(t, canonical(transcript), whole, seats)

    def dice(self, close: Close) -> AuditedDice:
        """The dice of that Close: the same however often one asks."""
        seed = MAC(self.secrets.link(close.t), "seed", close.digest)
        return AuditedDice(seed, self.secrets.sealed(close.transcript))

    def record(self, close: Close, lines: Iterable[Mapping[str, Any]]) -> CloseRecord:
        """P[t], private lines, seals and head from the journal lines since the record before."""
        if close.t <= self.t:
            raise DiceError(f"Close {close.t} is on record already")
        disclosure = Disclosure(self.seats, self.rolls, self.secrets.sealed(close.transcript), self._pile)
        for line in lines:
            if line["k"] != "open":  # the opening stands before every record
                disclosure.add(line)
        marks = ["UNSALTED"] * close.unsalted + ["TOUCHED"] * disclosure.touched
        told = {"T": close.digest.hex(), "held": close.held, "marks": marks, "lines": disclosure.public}
        public = canonical(told)
        private = {reader: canonical(disclosure.private[reader]) for reader in self.readers}
        keys = {reader: self.secrets.key(close.t, reader) for reader in self.readers}
        seals = {reader: MAC(keys[reader], "private", private[reader]) for reader in self.readers}
        head = H("head", self.head, public, *seals.values())
        shown = {reader: seal.hex() for reader, seal in seals.items()}
        link = self.secrets.link(close.t).hex()
        return CloseRecord(close, link, public, private, shown, head.hex(), disclosure.rolls)

    def _pile(self, root: str) -> Pile:
        """The pile that a root on record commits to."""
        for record in (*self.records, *self.archive()):
            if root.encode() not in record.private[UMPIRE]:
                continue
            for line in json.loads(record.private[UMPIRE]):
                if line["k"] == "shuffle" and line["root"] == root and line["by"] == "audited":
                    sealed = self.secrets.sealed(record.close.transcript)
                    return Pile(root, line["label"], tuple(line["order"]), sealed)
        raise DiceError(f"no pile on record has the root {root}")
