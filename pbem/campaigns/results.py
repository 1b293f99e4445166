"""Result letters of an advance: to every seat that somebody holds, and to observers.

A letter to a seat is made from its view and from what it may read of the new lines; one to an observer from
what everyone may. All of it is a function of the frozen Close and the store as it was: two workers make the
same bytes. Nothing here runs inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import audit_block
from engine.kernel.fairness.history import Luck, throws
from engine.kernel.game import Game, View
from engine.kernel.game import Line as OrderLine
from engine.kernel.records import read_segment
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from pbem.campaigns.campaign import AdvanceRun, Campaign
from pbem.campaigns.deadlines import PlannedWindow, label_of
from pbem.campaigns.order_file import (
    TracedOrderFile,
    is_reported,
    is_still_on_file,
    line_key,
    newest_of_slots,
)
from pbem.campaigns.recipients import (
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
)
from pbem.context import ServiceContext
from pbem.letters.dates import Moment
from pbem.letters.enclosures import (
    CalendarEntry,
    audit_enclosure,
    calendar_enclosure,
    dice_enclosure,
    publication_enclosures,
)
from pbem.letters.final import Final, FinalDisclosure, disclose, final_letter, luck_account, more_files_memo
from pbem.letters.maps import has_map, map_png, map_text
from pbem.letters.memo import (
    Heading,
    Illustration,
    Listing,
    Memo,
    Note,
    Part,
    Passage,
    memo_letter,
    plain_note,
)
from pbem.letters.order_form import asks_of_window, form_lines, has_form
from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody, ReadLine, view_text
from pbem.letters.result import MAP, Chapter, ComingQuestion, Result, facts_of, result_letter, tell_chapters
from pbem.mail.compose import Enclosure, Picture
from pbem.store.inbox import marks_of_others
from pbem.store.journal import read_records, unrecorded_lines
from pbem.store.outbox import OutgoingMail
from pbem.store.people import Seated, members

FILES_OF_A_LETTER = 200_000  # bytes in a letter without a map: mail coding adds a third
EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


@dataclass(frozen=True, slots=True)
class Publication:
    """What is published when a game is over, the same for everybody."""

    opened: FinalDisclosure
    luck: tuple[Luck, ...]
    files: tuple[Enclosure, ...]  # each fits a letter
    dice: Enclosure


@dataclass(frozen=True, kw_only=True)
class AdvanceReport:
    """An advance that was run, and all that its letters are made from."""

    service: ServiceContext
    campaign: Campaign  # its table is at the next pause, or at the end
    run: AdvanceRun
    began: Segment | None  # the segment that was open when the window closed
    people: Sequence[Seated]
    ahead: PlannedWindow | None  # None: the game is over
    missing: Mapping[str, str] = field(default_factory=dict)  # seats that sent nothing, and what was done
    held: frozenset[str] = frozenset()  # seats with lines that a bad one held
    unanswered: Mapping[str, datetime] = field(default_factory=dict)  # edited forms that were asked about
    whole_sheets: bool = False
    asked: tuple[tuple[str, Ask], ...] = ()  # the questions that were open when the window closed
    before: View = None  # what everyone saw when it closed

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
        codec, segment, facts = self.campaign.table.codec, self.began, list[Fact]()
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
        dice = dice_enclosure(throws(records), pack)
        return Publication(disclose(ledger), luck_account(ledger, pack), publication_enclosures(ledger), dice)

    def file_of(self, seat: Seat) -> TracedOrderFile | None:
        file = self.campaign.table.files.get(seat)
        return file if isinstance(file, TracedOrderFile) else None


def result_letters(report: AdvanceReport) -> list[OutgoingMail]:
    """A letter to every seat that somebody holds, in seat order, then to the observers."""
    name, letters = report.campaign.name, list[OutgoingMail]()
    for held in report.people:
        if (recipient := seat_recipient(name, held)) is not None:
            letters += _to_seat(report, recipient)
    for member in members(report.service.db, name, "observer"):
        if member.person.registered is not None:
            letters += _to_observer(report, person_recipient(member.person, name))
    return letters


def _letter(
    report: AdvanceReport,
    recipient: Recipient,
    written: LetterBody,
    enclosures: Sequence[Enclosure],
    place: int = 0,
) -> OutgoingMail:
    """The letter's date is the Close's own: a second run writes the same."""
    ahead, service = report.ahead, report.service
    letter = OutgoingLetter(
        kind="final" if ahead is None else "result",
        written=written,
        window=None if ahead is None else ahead.window.number,
        enclosures=enclosures,
        place=place,
    )
    return letter_to(service, service.db, recipient, letter, report.run.frozen.at)


# ------------------------------------------------------------------ to a seat


def _to_seat(report: AdvanceReport, recipient: Recipient) -> list[OutgoingMail]:
    campaign, seat, end = report.campaign, Seat(recipient.seat), report.publication
    phrases = phrases_for(campaign.terms, recipient)
    others = marks_of_others(report.service.db, campaign.name, seat, recipient.person)
    audit = audit_enclosure(report.ledger, seat, campaign.ledger.t, others)
    if end is not None:
        written = final_letter(report.game, _final(report, seat, end), phrases)
        return _last_letters(report, recipient, written, audit, end)
    result = seat_result(report, recipient, phrases)
    written = result_letter(report.game, result, phrases)
    return [_letter(report, recipient, written, (audit, *_calendar(report, result, recipient, phrases)))]


def _calendar(
    report: AdvanceReport, result: Result, recipient: Recipient, phrases: Phrases
) -> Iterator[Enclosure]:
    """The deadline for the calendar of a seat that is awaited."""
    if report.ahead is not None and result.deadline is not None:
        window = report.ahead.window
        entry = CalendarEntry(
            campaign=result.campaign,
            seat=recipient.seat,
            number=window.number,
            opened=report.run.frozen.at,
            at=result.deadline,
            host=report.service.addresses.host,
            window="" if window.once else result.window,
        )
        yield calendar_enclosure(entry, phrases)


def seat_result(report: AdvanceReport, recipient: Recipient, phrases: Phrases) -> Result:
    """All that goes into the letter of one seat."""
    campaign, seat, ahead = report.campaign, Seat(recipient.seat), report.ahead
    own = ahead if ahead is not None and seat in ahead.awaited else None
    file = report.file_of(seat)
    standing = file.standing if file is not None else ()
    result = Result(
        campaign=campaign.name,
        view=campaign.table.view(seat),
        happened=report.chapters,
        asks=open_asks(campaign, seat) if own is not None else (),
        window=label_of(own.window) if own is not None else "",
        foreseen=coming_questions(campaign, seat, standing, phrases) if ahead is not None else (),
        deadline=own.plan.deadline if own is not None else None,
        zone=recipient.zone,
        waiting=() if ahead is None else tuple(Seat(other) for other in ahead.awaited if other != seat),
        audit=audit_block(report.ledger, campaign.ledger.t),
        read=orders_read(report, seat, recipient.zone, phrases),
        before=report.before,
    )
    return result if own is None or own.window.once else add_form(report.game, result, phrases)


def add_form(game: Game, result: Result, phrases: Phrases) -> Result:
    """Add the orders of the whole window and all it asks of the seat, where the game has a form for it."""
    if not has_form(result.window, phrases):
        return result
    asks = asks_of_window(game, result.view, result.window, result.asks)
    undecided = {question.topic for question in result.foreseen if not question.standing}
    lines = form_lines(game, result.view, result.window, phrases, asks, undecided)
    return replace(result, asks=asks, sheet=tuple(lines))


def open_asks(campaign: Campaign, seat: Seat) -> tuple[Ask, ...]:
    """The seat's open questions. What may be volunteered at any time is no question."""
    asks = () if campaign.pause is None else campaign.pause.asks
    return tuple(ask for _, ask in asks if ask.seat == seat and not ask.volunteer)


def coming_questions(
    campaign: Campaign, seat: Seat, standing: Sequence[OrderLine], phrases: Phrases
) -> tuple[ComingQuestion, ...]:
    """What may be asked before the next letter, and what these standing orders say."""
    foreseen = campaign.terms.game.forecast(campaign.table.view(seat), standing, phrases.language)
    return tuple(ComingQuestion(*question) for question in foreseen)


# ------------------------------------------------------------------ a seat's orders as they were read


def orders_read(report: AdvanceReport, seat: Seat, zone: str, phrases: Phrases) -> tuple[ReadLine, ...]:
    """Every line of the sheet with what became of it; and what was done for a seat that sent none."""
    file, rows = report.file_of(seat), list[ReadLine]()
    if seat in report.missing:
        rows.append(_remark("missing", f"no-orders-{report.missing[seat]}", phrases))
    if seat in report.held:
        rows.append(_remark("held", "held-whole" if report.whole_sheets else "held-good", phrases))
    if (arrived := report.unanswered.get(seat)) is not None:
        rows.append(_remark("unanswered", "form-unanswered", phrases, arrived=Moment(arrived, zone)))
    if file is None:
        return tuple(rows)
    campaign, handed = report.campaign, json.loads(report.run.frozen.handed)["seats"]
    view = campaign.table.view(seat)
    rows += _by_umpire(report, file, view, phrases)
    rows += _older_plans(report, file, view, phrases)
    rows += [row for line in file.sheet if (row := _judge(report, file, line, view, phrases)) is not None]
    rows += _replies(report, file, view, phrases)
    rows += _new_standing(campaign, seat, handed.get(seat, {}), phrases)
    rows += _standing_used(file, phrases) if report.game.notation.has_plan_lines else ()
    return tuple(sorted(rows, key=lambda row: row.number))


def _new_standing(
    campaign: Campaign, seat: Seat, handed: Mapping[str, str], phrases: Phrases
) -> Iterable[ReadLine]:
    """Standing lines of the sheet and of a block that was held until now; of two for one slot one counts."""
    sheet = campaign.read(seat, handed.get("orders", "")).standing
    freed = newest_of_slots(campaign.read(seat, handed.get("standing", "")).standing)
    winners = {line.slot(): line for line in (*freed, *sheet)}
    for line in (*sheet, *freed):
        text, winner = line.write(phrases.language), winners[line.slot()]
        number = line.number if line in sheet else 0  # those of a block are not kept
        if winner is line:
            yield ReadLine(number, text, "standing")
        else:
            why = phrases.say("notes", "receipt-replaced", {"lines": (winner.number,)})
            yield ReadLine(number, text, "unused", (why,))


def _judge(
    report: AdvanceReport, file: TracedOrderFile, line: OrderLine, view: View, phrases: Phrases
) -> ReadLine | None:
    """None: an earlier letter told it as done, and it was not done again."""
    key, seat = line_key(line), view.seat
    if key not in file.used and is_reported(report.campaign.carried, seat, line):
        return None
    still_planned = report.game.notation.is_in_force(line.plan, view)
    status = file.status_of(line, still_planned, is_still_on_file(report.run.carried, seat, line))
    why = (why_not_done(file, line, status, phrases),) if status in ("refused", "unused") else ()
    return ReadLine(line.number, line.write(phrases.language), status, why)


def why_not_done(file: TracedOrderFile, line: OrderLine, status: str, phrases: Phrases) -> str:
    """Why a line was not done."""
    if status == "refused":
        return phrases.refusal(replace(file.refusals[line_key(line)], line=0))
    return phrases.say("notes", file.why_unused(line), {})


def _older_plans(
    report: AdvanceReport, file: TracedOrderFile, view: View, phrases: Phrases
) -> Iterable[ReadLine]:
    """Lines of a plan that came with an earlier sheet: what they decided, at the end what they did not."""
    notation, strict = report.game.notation, report.campaign.terms.settings.tempo == "strict"
    sheet = {line.write() for line in file.sheet}
    for plan, decided in file.plans.items():
        goes_on = strict or notation.is_in_force(plan, view)
        for line in notation.plan_lines(plan, view):
            if line.write() not in sheet and (line.write() in decided or not goes_on):
                status = "done" if line.write() in decided else "spared"
                yield ReadLine(0, line.write(phrases.language), status)


def _standing_used(file: TracedOrderFile, phrases: Phrases) -> Iterable[ReadLine]:
    """Standing orders that decided something, and those whose condition was not met."""
    decided = [(line, "done") for line in file.stood.values()]
    in_vain = [(line, "spared") for words, line in file.weighed.items() if words not in file.stood]
    for line, status in sorted([*decided, *in_vain], key=lambda pair: pair[0].slot()):
        yield ReadLine(0, line.write(phrases.language), status)


def _replies(
    report: AdvanceReport, file: TracedOrderFile, view: View, phrases: Phrases
) -> Iterable[ReadLine]:
    """The seat's own answers to questions that were open, as order lines."""
    for question, ask in report.asked:
        if question in file.replies and question not in file.umpire:
            yield _reply(report, ask, file.replies[question], view, phrases)


def _reply(report: AdvanceReport, ask: Ask, answer: Answer, view: View, phrases: Phrases) -> ReadLine:
    return ReadLine(0, report.game.notation.write_answer(ask, answer, phrases.language, view), "done")


def _by_umpire(
    report: AdvanceReport, file: TracedOrderFile, view: View, phrases: Phrases
) -> Iterable[ReadLine]:
    """What the umpire answered and ordered in the seat's place, and what became of it."""
    rows = [
        _reply(report, ask, file.replies[question], view, phrases)
        for question, ask in report.asked
        if question in file.umpire
    ]
    for line in file.umpires:
        done = line_key(line) in file.used
        why = () if done else (phrases.say("notes", file.why_unused(line), {}),)
        rows.append(ReadLine(0, line.write(phrases.language), "done" if done else "unused", why))
    return [_remark("umpire", "by-umpire", phrases), *rows] if rows else []


def _remark(status: str, code: str, phrases: Phrases, **facts: Moment) -> ReadLine:
    return ReadLine(0, "", status, (phrases.say("notes", code, facts),))


# ------------------------------------------------------------------ the end


def _final(report: AdvanceReport, seat: Seat, end: Publication) -> Final:
    table = report.campaign.table
    assert table.outcome is not None, "a game that is over has an outcome"
    return Final(
        campaign=report.campaign.name,
        view=table.view(seat),
        outcome=table.outcome,
        happened=report.chapters,
        views=tuple(table.view(other) for other in report.campaign.terms.seats),
        opened=end.opened,
        luck=end.luck,
        files=len(end.files),
        players={held.seat: held.person.name for held in report.people if held.person is not None},
    )


def _last_letters(
    report: AdvanceReport, recipient: Recipient, written: LetterBody, audit: Enclosure, end: Publication
) -> list[OutgoingMail]:
    """The final letter with the first file of the publication; the others follow, as many as letters hold."""
    phrases = phrases_for(report.campaign.terms, recipient)
    letters = [_letter(report, recipient, written, (audit, end.dice, end.files[0]))]
    for place, numbers in enumerate(_bundles(end.files), 1):
        named = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
        memo = more_files_memo(report.campaign.name, named, len(end.files))
        files = [end.files[number - 1] for number in numbers]
        letters.append(_letter(report, recipient, memo_letter(memo, phrases), files, place))
    return letters


def _bundles(files: Sequence[Enclosure]) -> list[list[int]]:
    """The numbers of the files after the first, by letters."""
    bundles, room = list[list[int]](), 0
    for number, file in enumerate(files[1:], 2):
        if not bundles or len(file.content) > room:
            bundles.append([])
            room = FILES_OF_A_LETTER
        bundles[-1].append(number)
        room -= len(file.content)
    return bundles


# ------------------------------------------------------------------ to observers


def _to_observer(report: AdvanceReport, recipient: Recipient) -> list[OutgoingMail]:
    phrases = phrases_for(report.campaign.terms, recipient)
    written = memo_letter(_public_memo(report, phrases), phrases)
    audit = audit_enclosure(report.ledger, None, report.campaign.ledger.t)
    if report.publication is not None:
        return _last_letters(report, recipient, written, audit, report.publication)
    return [_letter(report, recipient, written, (audit,))]


def _public_memo(report: AdvanceReport, phrases: Phrases) -> Memo:
    """What everyone may know: the account, the board, whom the campaign waits for."""
    name, outcome = report.campaign.name, report.campaign.table.outcome
    facts = {"campaign": name, "name": report.game.names[phrases.language]}
    parts: list[Part] = []
    for title, lines in tell_chapters(report.chapters, None, phrases, report.before):
        parts += [Heading(plain_note(title))] if title else []
        parts.append(Listing(tuple(map(plain_note, lines))))
    parts.append(_public_board(report, phrases))
    if report.ahead is not None:
        waits = {**facts, "seats": report.ahead.awaited}
        return Memo(Note("watch-subject", facts), Note("watch-waits", waits), tuple(parts), name)
    assert outcome is not None, "a game that is over has an outcome"
    end = {**facts, "reason": phrases.outcome(outcome), "winners": outcome.winners}
    return Memo(Note("watch-over-subject", facts), Note("watch-over", end), tuple(parts), name)


def _public_board(report: AdvanceReport, phrases: Phrases) -> Part:
    game, view = report.game, report.campaign.table.view(EVERYONE)
    if not has_map(game):
        return Passage(tuple(view_text(game, view, phrases).splitlines()), Note("watch-board"))
    picture = Picture(MAP, map_png(game, view, phrases, facts_of(report.chapters)))
    return Illustration(picture, tuple(map_text(game, view, phrases).splitlines()))
