"""Where letters are laid on the table: what each seat hands in, its standing orders, and its bots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.kernel import journal
from engine.kernel.fairness.audit import SentMark
from engine.kernel.game import Line, Reading, View
from engine.kernel.records import Pause
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import automas
from pbem.campaigns.order_file import NOTHING, Carried, carried_lines, collect_carried
from pbem.campaigns.terms import Terms
from pbem.errors import BadInput


@dataclass(frozen=True, slots=True)
class Handed:
    """What a seat hands in for a window: order lines, answers to open questions, the letters' marks."""

    orders: str = ""
    replies: Mapping[str, Answer] = field(default_factory=dict)  # by the question's id
    letters: tuple[SentMark, ...] = ()


class Desk:
    """A game in play that is kept nowhere."""

    def __init__(self, terms: Terms, table: Table, bot_seed: bytes) -> None:
        self.terms, self.table = terms, table
        self.bots: dict[Seat, str] = {}
        self.standing: dict[Seat, str] = {}  # canonical notation
        self.carried: Carried = NOTHING  # what is left of the orders for an earlier window
        self._bot_seed = bot_seed
        self._views: dict[Seat, tuple[Table, int, View]] = {}  # each as of a line of the journal

    @property
    def pause(self) -> Pause | None:
        return self.table.pause

    @property
    def humans(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.terms.seats if seat not in self.bots)

    def open_asks(self) -> dict[Seat, list[tuple[str, Ask]]]:
        """The open questions of each seat that no bot holds."""
        asks: dict[Seat, list[tuple[str, Ask]]] = {}
        for question, ask in self.pause.asks if self.pause is not None else ():
            if ask.seat not in self.bots:
                asks.setdefault(ask.seat, []).append((question, ask))
        return asks

    def view(self, seat: Seat) -> View:
        """What that seat sees now: a letter is read in it again and again, and nothing happens meanwhile."""
        table, line = self.table, len(self.table.journal)
        known = self._views.get(seat)
        if known is None or known[0] is not table or known[1] != line:
            known = self._views[seat] = table, line, table.view(seat)
        return known[2]

    def read(self, seat: Seat, text: str) -> Reading:
        """Order lines as that seat means them, seeing what it sees now."""
        return self.terms.game.notation.read(text, self.view(seat)) if text else Reading()

    def on_file(self, seat: Seat, handed: Handed) -> OrderFile:
        """What counts for that seat when the window closes; standing lines replace those of their slot."""
        reading = self.read(seat, handed.orders)
        standing = {line.slot(): line for line in self.read(seat, self.standing.get(seat, "")).standing}
        standing |= {line.slot(): line for line in reading.standing}
        sheet = (*reading.orders, *self._left_over(seat, handed))
        return OrderFile(sheet, tuple(standing.values()), dict(handed.replies))

    def _left_over(self, seat: Seat, handed: Handed) -> tuple[Line, ...]:
        """Of orders for an earlier window; new ones for a whole window take their place."""
        if handed.orders.strip() and not self.is_one_question:
            return ()
        return carried_lines(self.carried.get(seat, NOTHING), lambda words: self.read(seat, words))

    @property
    def is_one_question(self) -> bool:
        """Of the open window: what was ordered for the one around it stays on file."""
        return self.pause is not None and self.pause.window.once

    def files(self, handed: Mapping[Seat, Handed]) -> dict[Seat, OrderFile]:
        return {seat: self.on_file(seat, handed.get(seat, Handed())) for seat in self.terms.seats}

    def automas(self, t: int) -> dict[Seat, Automa]:
        return automas(self.terms.game, self.bots, self._bot_seed, t)

    def advance(self, handed: Mapping[Seat, Handed]) -> list[journal.JournalLine]:
        """Close the open window and run to the next; returns the new lines."""
        if self.table.over:
            raise BadInput("this game is over")
        files, before, once = self.files(handed), len(self.table.journal), self.is_one_question
        self.table.automa = self.automas(self.table.t + 1)
        self.table.advance(files)
        self.standing, self.carried = standing_texts(files), collect_carried(self.table, once, self.carried)
        return self.table.journal.since(before)


def standing_texts(files: Mapping[Seat, OrderFile]) -> dict[Seat, str]:
    """The standing orders on file, in canonical notation."""
    lines = {seat: [line.write("en") for line in on_file.standing] for seat, on_file in files.items()}
    return {seat: "\n".join(texts) for seat, texts in lines.items() if texts}
