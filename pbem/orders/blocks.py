"""How a text falls into passages: blocks with their headers, texts up to END, and loose lines."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pbem.orders.arguments import TURN, Awaiting
from pbem.orders.lines import LineReader
from pbem.orders.own_text import ORDERS, STANDING, is_end
from pbem.orders.text import first_words, is_remark, key, plain, without_bullet, words
from pbem.orders.understood import Circumstances, OwnLine, Question

_SKIPPED = frozenset({"FOR", "POUR", "OF", "DE", "THE", "DU", "LE", *TURN})
_STANDING_TOO = frozenset({"ORDERS", "ORDRES", "PERMANENTS", "PERMANENTES"})
_TURN = re.compile(r"T?\d[\w.\-/]*")
_EDGES = ".,;:!?\"'()[]*"


class Header(NamedTuple):
    """What ORDERS … names; `unclear`: something in it is neither campaign nor turn."""

    campaign: str = ""
    turn: str = ""
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """ORDERS … END or STANDING … END."""

    kind: Literal["orders", "standing"]
    header: Header
    lines: tuple[OwnLine, ...]
    frame: tuple[OwnLine, ...]
    closed: bool

    @property
    def whole(self) -> tuple[OwnLine, ...]:
        return (*self.frame, *self.lines)

    @property
    def body(self) -> str:
        return "\n".join(line.text.strip() for line in self.lines if line.text.strip())


@dataclass(frozen=True, slots=True)
class Spoken:
    """A command whose text stands in the lines up to END."""

    command: Awaiting
    first: OwnLine
    lines: tuple[OwnLine, ...]
    end: tuple[OwnLine, ...]  # empty: there is none

    @property
    def text(self) -> str:
        return "\n".join(line.text.rstrip() for line in self.lines).strip("\n")

    @property
    def whole(self) -> tuple[OwnLine, ...]:
        return (self.first, *self.lines, *self.end)


@dataclass(frozen=True, slots=True)
class Passages:
    """All of a text. Texts up to END may also stand inside a block."""

    blocks: tuple[Block, ...]
    spoken: tuple[Spoken, ...]
    loose: tuple[OwnLine, ...]


def read_header(text: str, circumstances: Circumstances) -> Header | None:
    """ORDERS [campaign] [turn]; None: no such line, but perhaps talk that begins with the word."""
    line = without_bullet(text)
    if not _begins_with(line, ORDERS):
        return None
    found = words(line)
    campaign = turn = ""
    for word in found[1:]:
        named = plain(line[word.start : word.end].strip(_EDGES))
        if word.key == key(circumstances.campaign):
            campaign = circumstances.campaign
        elif not turn and (known := _turn(named, circumstances)):
            turn = known
        elif any(sign.isdigit() for sign in named) and not campaign:
            campaign = named
        elif word.key not in _SKIPPED and not _is_seat(word.key, circumstances):
            loud = line[found[0].start : found[0].end].rstrip(_EDGES).isupper()
            return Header(unclear=True) if loud else None
    return Header(campaign, turn)


def _begins_with(line: str, among: Container[str]) -> bool:
    return not is_remark(line) and any(word.key in among for word in first_words(line, 1))


def _is_seat(word: str, circumstances: Circumstances) -> bool:
    """ORDERS TTLM-7 GE T1.3: the writer's own seat; another's makes the header unclear."""
    own = None if circumstances.view is None else circumstances.view.seat
    return word in {key(seat) for seat in circumstances.seats if own in (None, seat)}


def _turn(named: str, circumstances: Circumstances) -> str:
    """The window or turn of that name, of any age; "": it is none."""
    if (key := circumstances.exchange(named)) is not None:
        return key
    known = (circumstances.open, circumstances.answers)
    if not _TURN.fullmatch(named) and named not in {plain(part) for one in known for part in labels(one)}:
        return ""
    return f"T{named}" if named.isdigit() else named


def labels(window: str) -> tuple[str, ...]:
    """How a window may be named: `T4.C2`, or `T4` for its turn; the whole first, the turn last."""
    parts = window.partition("/")[0].split(".")
    return tuple(".".join(parts[:most]) for most in range(len(parts), 0, -1)) if window else ()


def is_standing_header(text: str, circumstances: Circumstances) -> bool:
    """STANDING, SHEET, POLICY, with the campaign or the word for orders behind it."""
    line = without_bullet(text)
    if not _begins_with(line, STANDING):
        return False
    found = [word.key for word in words(line)]
    own = key(circumstances.campaign)
    return all(word in _STANDING_TOO or word == own or _is_seat(word, circumstances) for word in found[1:])


class BlockSplitter:
    """Walks through a text once."""

    def __init__(self, line_reader: LineReader, lines: Sequence[OwnLine]) -> None:
        self._line_reader, self._circumstances, self._lines = line_reader, line_reader.circumstances, lines
        self._blocks: list[Block] = []
        self._spoken: list[Spoken] = []
        self._loose: list[OwnLine] = []
        self._at = 0

    def divide(self) -> Passages:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            header = read_header(line.text, self._circumstances)
            if header is not None:
                self._blocks.append(self._block("orders", header, line))
            elif is_standing_header(line.text, self._circumstances):
                self._blocks.append(self._block("standing", Header(), line))
            elif not self._speaks(line):
                self._loose.append(line)
        return Passages(tuple(self._blocks), tuple(self._spoken), tuple(self._loose))

    def _block(self, kind: Literal["orders", "standing"], header: Header, first: OwnLine) -> Block:
        """Up to END, the next header, or the end of the text."""
        found: list[OwnLine] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if is_end(line.text):
                self._at += 1
                return Block(kind, header, tuple(found), (first, line), True)
            if self._is_header(line.text):
                break
            self._at += 1
            if self._line_reader.begins_order(line.text) or not self._speaks(line):
                found.append(line)
        return Block(kind, header, tuple(found), (first,), False)

    def _is_header(self, text: str) -> bool:
        header = read_header(text, self._circumstances)
        return header is not None or is_standing_header(text, self._circumstances)

    def _speaks(self, line: OwnLine) -> bool:
        """Does a text begin here? Then it is taken, up to END, and never into a block of orders."""
        command, lines = self._line_reader.command(line.text), self._lines
        if not isinstance(command, Awaiting):
            return False
        rest = range(self._at, len(lines))
        stop = next((n for n in rest if is_end(lines[n].text) or self._is_header(lines[n].text)), len(lines))
        end = tuple(line for line in lines[stop : stop + 1] if is_end(line.text))
        self._spoken.append(Spoken(command, line, tuple(lines[self._at : stop]), end))
        self._at = stop + len(end)
        return True


def wrong_turn(named: str, circumstances: Circumstances) -> Question | None:
    """What has to be asked if the orders are not, or not surely, for the open turn; None: they are."""
    window, answered = circumstances.open, circumstances.answers
    if not window:
        return Question("nothing-open")
    shown = labels(window)[0]
    if named and plain(named) not in map(plain, labels(window)):
        return Question("other-turn", (), {"named": named, "open": shown})
    # A header may name the turn only, and the letter answer another exchange of that turn.
    if not named or (plain(named) != plain(shown) and _is_sibling(answered, window)):
        return _by_address(answered, window)
    return None


def _by_address(answered: str, window: str) -> Question | None:
    shown = labels(window)[0]
    if not answered:
        return Question("which-turn", (), {"open": shown})
    if answered != window:
        return Question("other-turn", (), {"named": labels(answered)[0], "open": shown})
    return None


def _is_sibling(answered: str, window: str) -> bool:
    return bool(answered) and answered != window and labels(answered)[-1] == labels(window)[-1]
