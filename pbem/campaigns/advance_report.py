"""An advance that was run, with all that its letters are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.history import throws
from engine.kernel.fairness.luck import Luck, luck, staked_throws
from engine.kernel.game import Game, View
from engine.kernel.records import read_segment
from engine.kernel.requests import Ask, Fact, Seat
from pbem.campaigns.campaign import AdvanceRun, Campaign
from pbem.campaigns.deadlines import PlannedWindow
from pbem.campaigns.order_file import (
    TracedOrderFile,
)
from pbem.context import ServiceContext
from pbem.letters.course import TurnPast, turns_past
from pbem.letters.enclosures import (
    dice_enclosure,
    publication_enclosures,
)
from pbem.letters.final import FinalDisclosure, disclose
from pbem.letters.result import Chapter
from pbem.mail.compose import Enclosure
from pbem.store.journal import read_journal, read_records, unrecorded_lines
from pbem.store.people import Seated
from pbem.store.windows import OpenWindow

EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


@dataclass(frozen=True, slots=True)
class Publication:
    """What is published when a game is over, the same for everybody."""

    opened: FinalDisclosure
    luck: tuple[Luck, ...]
    past: tuple[TurnPast, ...]
    files: tuple[Enclosure, ...]  # each fits a letter
    dice: Enclosure


@dataclass(frozen=True, kw_only=True)
class AdvanceReport:
    """An advance that was run, and all that its letters are made from."""

    service: ServiceContext
    campaign: Campaign  # its table is at the next pause, or at the end
    run: AdvanceRun
    people: Sequence[Seated]
    ahead: PlannedWindow | None  # None: the game is over
    missing: Mapping[str, str] = field(default_factory=dict)  # seats that sent nothing, and what was done
    held: frozenset[str] = frozenset()  # seats with lines that a bad one held
    unanswered: Mapping[str, datetime] = field(default_factory=dict)  # edited forms that were asked about
    whole_sheets: bool = False
    asked: tuple[tuple[str, Ask], ...] = ()  # the questions that were open when the window closed
    before: View = None  # what everyone saw when that began
    closed: OpenWindow | None = None  # the window that closed
    own_before: Mapping[Seat, View] = field(default_factory=dict)  # what each seat saw then, and everyone

    @property
    def game(self) -> Game:
        return self.campaign.terms.game

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger with this advance's own record."""
        known = self.campaign.ledger
        return Ledger(known.opening, known.secrets, [*known.records, self.run.record], known.archive)

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """The facts since the last letters, by segments, with the umpires' facts in the open window."""
        codec, segment, facts = self.campaign.table.codec, self.run.began, list[Fact]()
        chapters = []
        for line in (*unrecorded_lines(self.service.db, self.campaign.name), *self.run.lines):
            if line.data["k"] == "seam":
                chapters.append(Chapter(segment, tuple(facts)))
                segment, facts = read_segment(line.data), []
            elif line.data["k"] == "fact":
                facts.append(codec.fact(line.data))
        chapters.append(Chapter(segment, tuple(facts)))
        return tuple(chapter for chapter in chapters if chapter.facts)

    @cached_property
    def publication(self) -> Publication | None:
        """None: the game goes on."""
        if self.ahead is not None:
            return None
        known, pack = self.campaign.ledger, self.campaign.terms.pack
        records = [*read_records(self.service.db, self.campaign.name), self.run.record]
        ledger = Ledger(known.opening, known.secrets, records)
        return Publication(
            opened=disclose(ledger),
            luck=luck(staked_throws(self.game, pack, records)),
            past=self._turns_past(),
            files=publication_enclosures(ledger),
            dice=dice_enclosure(throws(records), pack),
        )

    def _turns_past(self) -> tuple[TurnPast, ...]:
        """The course of the game from its first line to its last."""
        terms = self.campaign.terms
        state, first = self.game.set_up(terms.pack, terms.settings)
        lines = (*read_journal(self.service.db, self.campaign.name), *self.run.lines)
        return turns_past(self.game, state, first, lines)

    def file_of(self, seat: Seat) -> TracedOrderFile | None:
        file = self.campaign.table.files.get(seat)
        return file if isinstance(file, TracedOrderFile) else None
