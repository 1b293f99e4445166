"""The umpire's analysis board: a position, letters, forced dice, and what the service makes of them.

A case (`pbem.local.case`) becomes a campaign in a store of its own, which is gone afterwards. Its orders are
letters: they are read, rehearsed, answered and filed as any other, window after window; each window closes
as at its deadline, and results are told from what letters are made from.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine

from engine.kernel.errors import DiceError, RulesCrash
from engine.kernel.fairness.dice import NO_DICE, ForcedDice, TestDice
from engine.kernel.game import Language, Outcome, State, View
from engine.kernel.journal import JournalLine, codec_of
from engine.kernel.requests import Fact, Seat, Segment
from engine.kernel.trial import TrialTable
from pbem.campaigns.adjudicate import missing_measures, run_and_report
from pbem.campaigns.advance_report import AdvanceReport
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.lobby import create_planned, default_policy, plan_campaign
from pbem.campaigns.policy import read_policy
from pbem.campaigns.recipients import seat_recipient
from pbem.campaigns.results import orders_read, seat_result
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext, database_at
from pbem.errors import BadInput
from pbem.intake.receive import receive_letter
from pbem.letters.phrases import load_phrases
from pbem.letters.render import ReadLine
from pbem.letters.result import result_text
from pbem.local.case import Case, Letters, agree_case, read_case, read_faces
from pbem.local.saved import STORE, seeded_keys
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store.advance import Why, commit_advance
from pbem.store.inbox import Sighting, store_letter
from pbem.store.outbox import letters_to
from pbem.store.people import enrol, give_seat, seated
from pbem.store.session import migrate, writing
from pbem.store.windows import OpenWindow, read_orders

NAME: Final = "TRY"
BEGAN: Final = datetime(
    2000, 1, 1, 12, tzinfo=UTC
)  # the same case gives the same letters, whenever it is tried
KEY: Final = b"the analysis board has no secrets"


@dataclass(frozen=True, slots=True)
class RollEvent:
    seat: Seat
    purpose: str
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The letter that answers a seat's letter."""

    seat: Seat
    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One window: the letters that came, and what happened when it closed."""

    window: str  # its label; "": what happens before the first
    receipts: tuple[Receipt, ...] = ()
    orders: Mapping[Seat, tuple[ReadLine, ...]] = field(default_factory=dict)  # and what became of them
    events: tuple[Fact | RollEvent, ...] = ()
    results: Mapping[Seat, str] = field(default_factory=dict)  # the words of the letters asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The result of a case."""

    terms: Terms
    exchanges: tuple[Exchange, ...]
    views: Mapping[Seat, View]
    state: Any  # plain data
    next: Segment | None  # the segment that is open, or would come
    window: str  # the label of the open window; "": it stopped between two segments, or the game is over
    awaited: tuple[Seat, ...]
    outcome: Outcome | None
    leftover: tuple[str, ...]  # forced but not used


def analyze(path: Path, language: Language = "en", seat: str = "") -> Analysis:
    """Play the case in this file. `seat`: whose letters of results are wanted."""
    case = read_case(path)
    terms = agree_case(path, case)
    reader, position = terms.seat(seat) if seat else None, case.set_up(path, terms)
    with tempfile.TemporaryDirectory(prefix="pbem-try-") as folder:
        (Path(folder) / STORE).touch(0o600)
        with database_at(Path(folder) / STORE) as db:
            migrate(db)
            return _Board(path, case, terms, db, language).play(position, reader)


@dataclass(slots=True)
class _Clock:
    """An hour passes from window to window, so that no limit of letters an hour is met."""

    hours: int = 0

    def __call__(self) -> datetime:
        return BEGAN + timedelta(hours=self.hours)


class _Board:
    """A case in play."""

    table: TrialTable

    def __init__(self, path: Path, case: Case, terms: Terms, db: Engine, language: Language) -> None:
        self.path, self.case, self.terms, self.db = path, case, terms, db
        self.clock, self.letters = _Clock(), Letters.of(path, case, terms)
        profile = ServiceProfile(language=language, zone="UTC", proof="token")
        self.service = ServiceContext(db, SeatAddresses(KEY, "try@board.invalid"), profile, self.clock)
        self.dice = ForcedDice(
            read_faces(path, terms.pack, case.dice.rolls),
            case.dice.draws,
            NO_DICE if case.dice.seed is None else TestDice(case.dice.seed),
        )
        self.stops = case.until.stops()
        self.phrases = load_phrases(terms.game.id, language, terms.pack)

    def play(self, position: tuple[State, Segment], reader: Seat | None) -> Analysis:
        campaign, exchanges = self._found(*position), list[Exchange]()
        try:
            exchanges.append(self._exchange(campaign, reader))
            while not (self.table.over or self.table.rests or self._is_enough(exchanges)):
                campaign = self._load()
                exchanges.append(self._exchange(campaign, reader))
        except DiceError as error:
            raise BadInput(f"{self.path}: [dice] {error}") from None
        except RulesCrash as error:
            raise BadInput(f"{self.path}: the rules broke down at {error}") from None
        table = self.table
        self._check_all_came(exchanges, ended=table.over)
        rolls, draws = self.dice.leftover
        return Analysis(
            terms=self.terms,
            exchanges=tuple(exchanges),
            views={seat: table.view(seat) for seat in self.terms.seats},
            state=self.terms.game.dump(table.state),
            next=table.segment,
            window=label_of(open_) if (open_ := self._open_window()) is not None else "",
            awaited=() if table.pause is None else table.pause.window.seats,
            outcome=table.outcome,
            leftover=(*map(str, rolls), *draws),
        )

    def _open_window(self) -> OpenWindow | None:
        return None if self.table.rests else read_orders(self.db, NAME).window

    def _is_enough(self, exchanges: Sequence[Exchange]) -> bool:
        """Without `[until]`: when the windows that there are letters for have closed, and one at least."""
        return self.stops is None and len(exchanges) > 1 and not self.letters.left

    def _check_all_came(self, exchanges: Sequence[Exchange], *, ended: bool) -> None:
        key = self.case.until.key
        if key is not None and ended:
            raise BadInput(f"{self.path}: [until] key: {key} never comes; the game ends before it")
        if left := self.letters.left:
            came = ", ".join(one.window for one in exchanges if one.window) or "none"
            raise BadInput(f"{self.path}: [orders] {left[0]}: no such window came; there were {came}")

    # ------------------------------------------------------------ the campaign

    def _found(self, state: State, segment: Segment) -> Campaign:
        """A campaign of this case, with somebody at every seat; nothing of it is run yet."""
        terms, house = self.terms, self.service.profile
        policy = default_policy(self.service, terms.game)
        if self.case.whole_sheets is not None:
            policy = replace(policy, whole_sheets=self.case.whole_sheets)
        pack = None if self.case.pack is None else self.path.parent / self.case.pack
        planned = plan_campaign(self.service, NAME, terms, {}, policy, pack, keys=seeded_keys("try"))
        with writing(self.db) as tx:
            create_planned(self.service, tx, planned, ())
            for seat in terms.seats:
                person = enrol(tx, _address(seat), str(seat), house.language, house.zone, self.clock())
                give_seat(tx, NAME, seat, person, self.clock())
        campaign = load_campaign(self.db, NAME)
        # The position's segment is not the one that the campaign's first line names.
        known: dict[str, Any] = {**campaign.keys.dice.commitments, "labels": planned.opening.data["labels"]}
        table = TrialTable.at(terms.game, terms.pack, terms.settings, state, segment, NO_DICE, **known)
        return self._prepare(campaign, table)

    def _load(self) -> Campaign:
        """At its open window."""
        campaign, terms = load_campaign(self.db, NAME), self.terms
        snapshot, journal = campaign.table.snapshot, campaign.table.journal
        assert snapshot is not None, "there is one at the first seam"
        known, tail = (terms.game, terms.pack, terms.settings), journal.since(snapshot.line)
        return self._prepare(campaign, TrialTable.resume(*known, snapshot, tail, NO_DICE))

    def _prepare(self, campaign: Campaign, table: TrialTable) -> Campaign:
        campaign.table = self.table = table
        campaign.trial_dice, table.stops = self.dice, self.stops
        return campaign

    # ------------------------------------------------------------ a window

    def _exchange(self, campaign: Campaign, reader: Seat | None) -> Exchange:
        """The letters for the open window, and its Close."""
        window = read_orders(self.db, NAME).window
        label = "" if window is None else label_of(window)
        letters = {} if window is None else self.letters.take(label)
        receipts = tuple(self._send(seat, text) for seat, text in letters.items())
        report = self._close(campaign)
        zone = self.service.profile.zone
        return Exchange(
            window=label,
            receipts=receipts,
            orders={
                seat: rows
                for seat in self.terms.seats
                if (rows := orders_read(report, seat, zone, self.phrases))
            },
            events=tuple(_events(campaign, report.run.lines)),
            results={} if reader is None or window is None else {reader: self._result(report, reader)},
        )

    def _send(self, seat: Seat, text: str) -> Receipt:
        """The seat's letter, as if it had come by mail; returns what it is answered."""
        held = next(one for one in seated(self.db, NAME) if one.seat == seat)
        window = read_orders(self.db, NAME).window
        assert window is not None
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["Subject"] = _address(seat), f"Re: [{NAME}]"
        mail["To"] = self.service.addresses.reply_address(NAME, seat, held.holder, window.number)
        mail["Message-ID"] = f"<{window.number}.{seat.lower()}@board.invalid>"
        mail.set_content(text if text.endswith("\n") else f"{text}\n")
        seen = Sighting("INBOX", 1, len(letters_to(self.db, NAME)) + 1)
        number = store_letter(self.db, seen, mail.as_bytes(), self.clock(), self.clock()).id
        before = {one.id for one in letters_to(self.db, NAME, seat)}
        receive_letter(self.service, number, "try")
        answers = [one.letter for one in letters_to(self.db, NAME, seat) if one.id not in before]
        if not answers:
            raise BadInput(f"{self.path}: [orders] {seat}: the letter was not answered")
        answer = message_from_bytes(answers[0].body, policy=default)
        body = answer.get_body(("plain",))
        assert body is not None, "every letter of ours has words"
        return Receipt(seat, str(answer["Subject"]), body.get_content().replace("\r\n", "\n"))

    def _close(self, campaign: Campaign) -> AdvanceReport:
        """Close the open window as at its deadline, and run."""
        orders, people = read_orders(self.db, NAME), seated(self.db, NAME)
        policy = read_policy(campaign.standing_row.policy)
        why: Why = "opening" if orders.window is None else "deadline"
        missing = {} if orders.window is None else missing_measures(policy, orders, people)
        frozen = campaign.freeze(
            orders, why, self.clock(), held_sheets=not policy.whole_sheets, missing=missing
        )
        assert frozen is not None, "nobody else knows this store"
        report = run_and_report(self.service, frozen, people, campaign, orders)
        self.clock.hours += 1
        if self.table.rests:
            return report
        window = None if report.ahead is None else replace(report.ahead.window, timetable=())
        commit_advance(self.db, report.run.advance(window=window), frozen.at)
        return report

    def _result(self, report: AdvanceReport, seat: Seat) -> str:
        """The words of the letter of results."""
        recipient = seat_recipient(NAME, next(one for one in report.people if one.seat == seat))
        assert recipient is not None, "somebody holds every seat"
        result = seat_result(report, recipient, self.phrases)
        result = replace(result, outcome=report.campaign.table.outcome, audit=None)
        return result_text(self.terms.game, result, self.phrases)


def _address(seat: Seat) -> str:
    return f"{seat.lower()}@players.invalid"


def _events(campaign: Campaign, lines: Sequence[JournalLine]) -> list[Fact | RollEvent]:
    events: list[Fact | RollEvent] = []
    codec = codec_of(campaign.terms.game)
    for data in (line.data for line in lines):
        if data["k"] == "fact":
            events.append(codec.fact(data))
        elif data["k"] == "roll":
            purpose = data["label"].rsplit("/", 3)[1]
            events.append(RollEvent(Seat(data["seat"]), purpose, tuple(data["faces"])))
    return events
