"""The journal: append-only lines, each chained to the one before by its hash.

A line is a JSON object in canonical form; what is hashed is what is kept. On disk a line is its hash in hex,
a blank, and the JSON. `Codec` turns facts and answers into lines and back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from engine.kernel.canonical_json import Writer, canonical_text, quote, writer
from engine.kernel.canonical_json import canonical as canonical  # for all who read and write journals
from engine.kernel.errors import CorruptJournal, UnknownVersion
from engine.kernel.game import Game
from engine.kernel.requests import Answer, Fact, Seat

JOURNAL_VERSION = 2
NOTHING = bytes(32)  # the hash before the first line
_TAG = (4).to_bytes(2, "big") + b"line" + (32).to_bytes(8, "big")  # H("line", head, raw) of the dice protocol

_tagged = sha256(_TAG)  # a copy of it is made faster than a hash from nothing

USUAL_SIZE = 1024  # of a line, in bytes
_SIZES = tuple(size.to_bytes(8, "big") for size in range(USUAL_SIZE))

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
UPCASTERS: dict[int, Upcaster] = {}  # journal version -> brings one line to the next version


class JournalLine(NamedTuple):
    """One line: its canonical bytes and the hash of everything up to it."""

    raw: bytes
    hash: bytes

    @property
    def data(self) -> dict[str, Any]:
        return read_object(self.raw)


_new_line = tuple.__new__  # what `Line` comes to, without the way through its own `__new__`


def read_object(raw: bytes) -> dict[str, Any]:
    """A line's JSON object, or a clear complaint."""
    try:
        data = json.loads(raw)
    except ValueError as error:
        raise CorruptJournal(f"not JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("k"), str):
        raise CorruptJournal("a line must be an object with a kind `k`")
    return data


def chain(head: bytes, raw: bytes) -> bytes:
    """The hash of a line on top of `head`."""
    return sha256(_TAG + head + len(raw).to_bytes(8, "big") + raw).digest()


class Journal:
    """The lines of one branch from `first` on; what came before is known by its hash alone."""

    __slots__ = ("first", "head", "lines")

    def __init__(self, lines: Iterable[JournalLine] = (), first: int = 0, head: bytes = NOTHING) -> None:
        self.lines = list(lines)
        self.first = first
        self.head = self.lines[-1].hash if self.lines else head

    def __len__(self) -> int:
        """Lines of the whole branch, those before `first` included."""
        return self.first + len(self.lines)

    def append(self, raw: bytes) -> None:
        size = len(raw)
        frame = _SIZES[size] if size < USUAL_SIZE else size.to_bytes(8, "big")
        hashed = _tagged.copy()
        hashed.update(self.head + frame + raw)
        self.head = head = hashed.digest()
        self.lines.append(_new_line(JournalLine, (raw, head)))

    def extend(self, line: JournalLine) -> None:
        """A line that is chained already."""
        self.lines.append(line)
        self.head = line.hash

    def since(self, number: int) -> list[JournalLine]:
        """The lines from that number on."""
        return self.lines[max(0, number - self.first) :]


def format_lines(lines: Iterable[JournalLine]) -> Iterator[str]:
    """Lines as they stand in a journal file."""
    for line in lines:
        yield f"{line.hash.hex()} {line.raw.decode('ascii')}\n"


def parse_lines(text: Iterable[str]) -> Iterator[JournalLine]:
    """Read a journal file, checking every link of the chain."""
    head = NOTHING
    for number, row in enumerate(text, 1):
        given, blank, raw_text = row.rstrip("\n").partition(" ")
        try:
            raw = raw_text.encode("ascii")
        except UnicodeEncodeError:
            raise CorruptJournal(f"line {number}: only ASCII can stand in a journal") from None
        if not blank or len(given) != 64:
            raise CorruptJournal(f"line {number}: does not begin with a hash")
        head = chain(head, raw)
        if head.hex() != given:
            raise CorruptJournal(f"line {number}: does not fit the chain of hashes")
        read_object(raw)
        yield JournalLine(raw, head)


def upcast(data: dict[str, Any], version: int) -> dict[str, Any]:
    """A line written by an older program in today's form."""
    if version > JOURNAL_VERSION:
        raise UnknownVersion(f"journal version {version} is newer than this program's {JOURNAL_VERSION}")
    for step in range(version, JOURNAL_VERSION):
        if step not in UPCASTERS:
            raise UnknownVersion(f"no way leads from journal version {step} to {step + 1}")
        data = UPCASTERS[step](data)
    return data


@cache
def _fact_form(kind: type) -> tuple[Writer, str]:
    """What writes a fact's data, and what follows them in every line."""
    return writer(kind, without="audience"), f'"fact":{quote(kind.__name__)},"k":"fact"'


@dataclass(frozen=True, slots=True)
class Codec:
    """Facts and answers of one game as lines, and back."""

    facts: Mapping[str, TypeAdapter[Any]]
    answers: Mapping[str, TypeAdapter[Any]]

    @staticmethod
    def fact_line(fact: Fact) -> bytes:
        """A fact; a private one names its readers and what the others learn."""
        kind: type = type(fact)
        write, rest = _fact_form(kind)
        line = f'{{"data":{write(fact)},{rest}'
        if (audience := fact.audience) is not None:
            if (others := fact.redacted()) is not None:
                line += f',"others":{{"data":{canonical_text(others)},"fact":{quote(type(others).__name__)}}}'
            line += f',"to":{canonical_text(sorted(audience))}'
        return f"{line}}}".encode("ascii")

    def fact(self, line: Mapping[str, Any]) -> Fact:
        """The fact of a line."""
        name, data = str(line.get("fact")), line.get("data")
        if name not in self.facts:
            raise CorruptJournal(f"no fact {name!r} in this game")
        if not isinstance(data, Mapping):
            raise CorruptJournal(f"{name}: no data")
        if "to" in line:
            data = {**data, "audience": tuple(Seat(seat) for seat in line["to"])}
        return self._validated(self.facts[name], data, name)  # type: ignore[no-any-return]

    def answer(self, topic: str, data: Any) -> Answer:
        """An answer of that topic."""
        if topic not in self.answers:
            raise CorruptJournal(f"no topic {topic!r} in this game")
        return self._validated(self.answers[topic], data, topic)

    @staticmethod
    def _validated(adapter: TypeAdapter[Any], data: Any, name: str) -> Any:
        try:
            return adapter.validate_json(canonical(data), strict=True)
        except ValidationError as error:
            problem = error.errors()[0]
            raise CorruptJournal(f"{name}: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


_codecs: dict[str, Codec] = {}


def codec_of(game: Game) -> Codec:
    """The codec of a game; building it is dear, so it is kept."""
    if game.id not in _codecs:
        _codecs[game.id] = Codec(
            {name: TypeAdapter(kind) for name, kind in game.facts.items()},
            {topic: TypeAdapter(kind) for topic, kind in game.answers.items()},
        )
    return _codecs[game.id]
