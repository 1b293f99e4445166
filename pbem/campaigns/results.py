"""Result letters of an advance: for every seat that somebody holds, and for those who watch.

A letter to a seat is made from its view and from what it may read of the new lines; one to an observer from
what everyone may. All of it is a function of the frozen Close and the store as it stood: two workers make
the same bytes. Nothing here runs inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import audit_block
from engine.kernel.fairness.history import Luck, throws
from engine.kernel.game import Game, Notation, View
from engine.kernel.game import Line as OrderLine
from engine.kernel.journal import JournalLine
from engine.kernel.records import read_segment
from engine.kernel.requests import Ask, Fact, Seat, Segment
from pbem.campaigns.campaign import AdvanceRun, Campaign
from pbem.campaigns.deadlines import Ahead
from pbem.campaigns.labels import label_of
from pbem.campaigns.order_file import TracedOrderFile, known_by, stays_on_file, was_told
from pbem.campaigns.recipients import (
    Kind,
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
)
from pbem.context import ServiceContext
from pbem.letters.enclosures import (
    CalendarEntry,
    audit_enclosure,
    calendar_enclosure,
    dice_enclosure,
    publication_enclosures,
)
from pbem.letters.final import Final, Opened, final_letter, luck_account, more_files_memo, opened_piles
from pbem.letters.maps import has_map, map_png, map_text
from pbem.letters.memo import Heading, Illustration, Listing, Memo, Note, Part, Passage, memo_letter
from pbem.letters.order_form import asks_of_window, form_lines, has_form
from pbem.letters.phrases import Phrases
from pbem.letters.render import Known, ReadLine, account, view_text
from pbem.letters.result import MAP, Chapter, Foreseen, Result, Written, result_letter
from pbem.mail.compose import Enclosure, Picture
from pbem.store.journal import read_records, unrecorded_lines
from pbem.store.outbox import OutgoingMail
from pbem.store.people import Seated, members
from pbem.store.windows import OpenWindow, StoredSheet

FILES_OF_A_LETTER = 200_000  # bytes in a letter without a map: coded for the mail they grow by a third
EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


@dataclass(frozen=True)
class Advanced:
    """An advance that was run and is to be told of."""

    service: ServiceContext
    here: Campaign  # the table stands at the next pause, or at the end
    ran: AdvanceRun
    began: Segment | None  # the segment that was open when the window closed
    people: Sequence[Seated]
    ahead: Ahead | None  # None: the game is over
    missing: Mapping[str, str] = field(default_factory=dict)  # seats that sent nothing, and what was done
    held: Mapping[str, StoredSheet] = field(default_factory=dict)  # sheets that a bad line held
    whole_sheets: bool = False
    asked: tuple[tuple[str, Ask], ...] = ()  # the questions that were open when the window closed
    before: View = None  # what everyone saw when it closed

    @property
    def ledger(self) -> Ledger:
        """The dice protocol's knowledge with this advance's own record."""
        known = self.here.ledger
        return Ledger(known.opening, known.secrets, [*known.records, self.ran.record], known.archive)


def result_letters(told: Advanced) -> list[OutgoingMail]:
    """A letter to every seat that somebody holds, in seat order, then to those who watch."""
    chapters, end = tuple(told_facts(told)), _ended(told)
    letters: list[OutgoingMail] = []
    for one in told.people:
        if (recipient := seat_recipient(told.here.name, one)) is not None:
            letters += _to_seat(told, chapters, recipient, end)
    for member in members(told.service.db, told.here.name, "observer"):
        if member.person.registered is not None:
            letters += _to_observer(told, chapters, person_recipient(member.person, told.here.name), end)
    return letters


# ------------------------------------------------------------------ what happened


def told_facts(told: Advanced) -> Iterable[Chapter]:
    """The facts since the last letters, by segments; umpires' facts in the open window are among them."""
    codec = told.here.table.codec
    segment, facts = told.began, list[Fact]()
    lines: Iterable[JournalLine] = (*unrecorded_lines(told.service.db, told.here.name), *told.ran.lines)
    for data in (line.data for line in lines):
        if data["k"] == "seam":
            if facts:
                yield Chapter(segment, tuple(facts))
            segment, facts = read_segment(data), []
        elif data["k"] == "fact":
            facts.append(codec.fact(data))
    if facts:
        yield Chapter(segment, tuple(facts))


# ------------------------------------------------------------------ to a seat


def _to_seat(
    told: Advanced, chapters: tuple[Chapter, ...], recipient: Recipient, end: Ended | None
) -> list[OutgoingMail]:
    here, seat = told.here, Seat(recipient.seat)
    phrases = phrases_for(here.terms, recipient)
    audit = audit_enclosure(told.ledger, seat, here.ledger.t)
    if end is not None:
        final = _final(told, chapters, seat, end)
        written = final_letter(here.terms.game, final, phrases)
        return _last_letters(told, recipient, written, (audit, end.dice), end, phrases)
    result = seat_result(told, chapters, recipient, phrases)
    written = result_letter(here.terms.game, result, phrases)
    return [_sent(told, recipient, written, (audit, *_calendar(told, result, recipient, phrases)))]


def _sent(
    told: Advanced, recipient: Recipient, written: Written, enclosures: Sequence[Enclosure], place: int = 0
) -> OutgoingMail:
    """The letter's date is the Close's own: a second run writes the same."""
    number = None if told.ahead is None else told.ahead.window.number
    kind: Kind = "final" if told.ahead is None else "result"
    sending = OutgoingLetter(kind, written, number, enclosures=enclosures, place=place)
    return letter_to(told.service, told.service.db, recipient, sending, told.ran.frozen.at)


def _calendar(
    told: Advanced, result: Result, recipient: Recipient, phrases: Phrases
) -> tuple[Enclosure, ...]:
    """The deadline for the calendar of one who is awaited."""
    if told.ahead is None or result.deadline is None:
        return ()
    window, host = told.ahead.window, told.service.addresses.host
    when = (window.number, told.ran.frozen.at, result.deadline, host)
    label = "" if window.once else result.window
    return (calendar_enclosure(CalendarEntry(told.here.name, recipient.seat, *when, label), phrases),)


def seat_result(
    told: Advanced, chapters: tuple[Chapter, ...], recipient: Recipient, phrases: Phrases
) -> Result:
    """All that goes into the letter of one seat."""
    here, seat, ahead = told.here, Seat(recipient.seat), told.ahead
    label = window_label(ahead, seat)
    waiting = () if ahead is None else tuple(Seat(one) for one in ahead.awaited if one != seat)
    result = Result(
        here.name,
        here.table.view(seat),
        chapters,
        open_asks(here, seat) if label else (),
        label,
        foreseen=foreseen(told, seat, phrases),
        deadline=ahead.plan.deadline if ahead is not None and label else None,
        zone=recipient.zone,
        waiting=waiting,
        audit=audit_block(told.ledger, here.ledger.t),
        read=orders_read(told, seat, phrases),
        before=told.before,
    )
    whole = label and ahead is not None and not ahead.window.once
    return with_form(here.terms.game, result, phrases) if whole else result


def with_form(game: Game, result: Result, phrases: Phrases) -> Result:
    """With the orders of the whole window and all it asks of the seat, where the game has a form for it."""
    if not has_form(result.window, phrases):
        return result
    asks = asks_of_window(game, result.view, result.window, result.asks)
    undecided = {one.topic for one in result.foreseen if not one.standing}
    lines = form_lines(game, result.view, result.window, phrases, asks, undecided)
    return replace(result, asks=asks, sheet=tuple(lines))


def open_asks(here: Campaign, seat: Seat) -> tuple[Ask, ...]:
    """The seat's open questions. What may be volunteered at any time is no question."""
    asks = () if here.pause is None else here.pause.asks
    return tuple(ask for _, ask in asks if ask.seat == seat and not ask.volunteer)


def window_label(ahead: Ahead | None, seat: Seat) -> str:
    """As orders name it: `T3.R`. Of a window of one question others learn only whom it asks."""
    if ahead is None or seat not in ahead.awaited:
        return ""
    window = ahead.window
    told = (window.number, 0, window.key, window.kind, tuple(window.seats), window.once)
    return label_of(OpenWindow(*told, "open", ahead.plan.deadline))


def foreseen(told: Advanced, seat: Seat, phrases: Phrases) -> tuple[Foreseen, ...]:
    """What may be asked before the next letter, with the standing orders as they are from now on."""
    if told.ahead is None:
        return ()
    here, file = told.here, _file(told, seat)
    standing = file.standing if file is not None else ()
    found = here.terms.game.forecast(here.table.view(seat), standing, phrases.language)
    return tuple(Foreseen(*one) for one in found)


def _file(told: Advanced, seat: Seat) -> TracedOrderFile | None:
    file = told.here.table.files.get(seat)
    return file if isinstance(file, TracedOrderFile) else None


# ------------------------------------------------------------------ his orders as they were read


def orders_read(told: Advanced, seat: Seat, phrases: Phrases) -> tuple[ReadLine, ...]:
    """Every line of the sheet with what became of it; and what was done in place of one who sent none."""
    file, rows = _file(told, seat), list[ReadLine]()
    if seat in told.missing:
        rows.append(_remark("missing", f"no-orders-{told.missing[seat]}", phrases))
    if seat in told.held:
        rows.append(_remark("held", "held-whole" if told.whole_sheets else "held-good", phrases))
    if file is None:
        return tuple(rows)
    view, own = told.here.table.view(seat), told.here.terms.game.notation
    rows += _older_plans(told, file, view, own, phrases)
    for line in file.sheet:
        if not _is_news(told, file, line, seat):
            continue
        still_planned = own.is_in_force(line.plan, view)
        rows.append(_judged(file, line, still_planned, stays_on_file(told.ran.carried, seat, line), phrases))
    rows += _replies(told, seat, file, phrases)
    orders = json.loads(told.ran.frozen.handed)["seats"].get(seat, {}).get("orders", "")
    standing = told.here.read(seat, orders).standing
    rows += [ReadLine(line.number, line.write(phrases.language), "standing") for line in standing]
    rows += _stood(file, phrases) if own.has_plan_lines else ()
    return tuple(sorted(rows, key=lambda row: row.number))


def _is_news(told: Advanced, file: TracedOrderFile, line: OrderLine, seat: Seat) -> bool:
    """What an earlier letter has told as done is told again only where it was done again."""
    return known_by(line) in file.used or not was_told(told.here.carried, seat, line)


def _judged(
    file: TracedOrderFile, line: OrderLine, still_planned: bool, stays: bool, phrases: Phrases
) -> ReadLine:
    status = file.became(line, still_planned, stays)
    why = (phrases.refusal(replace(file.refusals[known_by(line)], line=0)),) if status == "refused" else ()
    return ReadLine(line.number, line.write(phrases.language), status, why)


def _older_plans(
    told: Advanced, file: TracedOrderFile, view: View, own: Notation, phrases: Phrases
) -> Iterable[ReadLine]:
    """Lines of a plan that came with an earlier sheet: what they decided, at the end what they did not."""
    sheet = {line.write() for line in file.sheet}
    for plan, decided in file.plans.items():
        goes_on = own.is_in_force(plan, view) or told.here.terms.settings.tempo == "strict"
        for line in own.plan_lines(plan, view):
            if line.write() not in sheet and (line.write() in decided or not goes_on):
                status = "done" if line.write() in decided else "spared"
                yield ReadLine(0, line.write(phrases.language), status)


def _stood(file: TracedOrderFile, phrases: Phrases) -> Iterable[ReadLine]:
    """Standing orders that decided something, and those whose condition was looked at in vain."""
    decided = [(line, "done") for line in file.stood.values()]
    in_vain = [(line, "spared") for words, line in file.weighed.items() if words not in file.stood]
    for line, status in sorted([*decided, *in_vain], key=lambda one: one[0].slot()):
        yield ReadLine(0, line.write(phrases.language), status)


def _replies(told: Advanced, seat: Seat, file: TracedOrderFile, phrases: Phrases) -> list[ReadLine]:
    """The seat's own answers to questions that were open, as order lines."""
    view, write = told.here.table.view(seat), told.here.terms.game.notation.write_answer
    own = [(ask, file.replies[q]) for q, ask in told.asked if q in file.replies and q not in file.umpire]
    return [ReadLine(0, write(ask, answer, phrases.language, view), "done") for ask, answer in own]


def _remark(status: str, code: str, phrases: Phrases) -> ReadLine:
    return ReadLine(0, "", status, (phrases.told("notes", code, {}),))


# ------------------------------------------------------------------ the end


@dataclass(frozen=True, slots=True)
class Ended:
    """What is published when a game is over, the same for everybody."""

    opened: Opened
    luck: tuple[Luck, ...]
    files: tuple[Enclosure, ...]  # of the publication; each fits a letter
    dice: Enclosure


def _ended(told: Advanced) -> Ended | None:
    """None: the game goes on."""
    if told.ahead is not None:
        return None
    known = told.here.ledger
    records = [*read_records(told.service.db, told.here.name), told.ran.record]
    ledger = Ledger(known.opening, known.secrets, records)
    pack = told.here.terms.pack
    dice = dice_enclosure(throws(records), pack)
    return Ended(opened_piles(ledger), luck_account(ledger, pack), publication_enclosures(ledger), dice)


def _final(told: Advanced, chapters: tuple[Chapter, ...], seat: Seat, end: Ended) -> Final:
    here = told.here
    outcome = here.table.outcome
    assert outcome is not None, "a game that is over has an outcome"
    views = tuple(here.table.view(one) for one in here.terms.seats)
    players = {one.seat: one.person.name for one in told.people if one.person is not None}
    own = here.table.view(seat)
    files = len(end.files)
    return Final(here.name, own, outcome, chapters, views, end.opened, end.luck, files, players)


def _last_letters(
    told: Advanced,
    recipient: Recipient,
    written: Written,
    enclosures: tuple[Enclosure, ...],
    end: Ended,
    phrases: Phrases,
) -> list[OutgoingMail]:
    """The final letter with the first file of the publication; the others follow, as many as letters hold."""
    letters = [_sent(told, recipient, written, (*enclosures, end.files[0]))]
    for place, numbers in enumerate(_bundles(end.files), 1):
        named = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
        memo = more_files_memo(told.here.name, named, len(end.files))
        files = [end.files[number - 1] for number in numbers]
        letters.append(_sent(told, recipient, memo_letter(memo, phrases), files, place))
    return letters


def _bundles(files: Sequence[Enclosure]) -> list[list[int]]:
    """The numbers of the files after the first, by letters."""
    found: list[list[int]] = []
    room = 0
    for number, file in enumerate(files[1:], 2):
        if not found or len(file.content) > room:
            found.append([])
            room = FILES_OF_A_LETTER
        found[-1].append(number)
        room -= len(file.content)
    return found


# ------------------------------------------------------------------ to those who watch


def _to_observer(
    told: Advanced, chapters: tuple[Chapter, ...], recipient: Recipient, end: Ended | None
) -> list[OutgoingMail]:
    phrases = phrases_for(told.here.terms, recipient)
    written = memo_letter(_public_memo(told, chapters, phrases), phrases)
    audit = audit_enclosure(told.ledger, None, told.here.ledger.t)
    if end is not None:
        return _last_letters(told, recipient, written, (audit, end.dice), end, phrases)
    return [_sent(told, recipient, written, (audit,))]


def _public_memo(told: Advanced, chapters: tuple[Chapter, ...], phrases: Phrases) -> Memo:
    """What everyone may know: the account, the board, whom the campaign waits for."""
    here, game = told.here, told.here.terms.game
    facts = {"campaign": here.name, "name": game.names[phrases.language]}
    parts: list[Part] = []
    known = Known(told.before)
    for chapter in chapters:
        lines = account(chapter.facts, None, phrases, known)
        if lines and chapter.segment is not None:
            parts.append(Heading(_plain(phrases.segment(chapter.segment))))
        if lines:
            parts.append(Listing(tuple(_plain(line) for line in lines)))
    parts.append(_public_board(told, chapters, phrases))
    if told.ahead is None:
        outcome = here.table.outcome
        assert outcome is not None, "a game that is over has an outcome"
        end = {**facts, "reason": phrases.outcome(outcome), "winners": outcome.winners}
        return Memo(Note("watch-over-subject", facts), Note("watch-over", end), tuple(parts), here.name)
    waits = {**facts, "seats": told.ahead.awaited}
    return Memo(Note("watch-subject", facts), Note("watch-waits", waits), tuple(parts), here.name)


def _public_board(told: Advanced, chapters: tuple[Chapter, ...], phrases: Phrases) -> Part:
    game, view = told.here.terms.game, told.here.table.view(EVERYONE)
    if not has_map(game):
        return Passage(tuple(view_text(game, view, phrases).splitlines()), Note("watch-board"))
    drawn = map_png(game, view, phrases, [fact for chapter in chapters for fact in chapter.facts])
    return Illustration(Picture(MAP, drawn), tuple(map_text(game, view, phrases).splitlines()))


def _plain(text: str) -> Note:
    return Note("plain", {"text": text})
