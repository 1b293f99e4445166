"""Result letters of an advance: to every seat that somebody holds, and to observers.

A letter to a seat is made from its view and from what it may read of the new lines; one to an observer from
what everyone may. All of it is a function of the frozen Close and the store as it was: two workers make the
same bytes. Nothing here runs inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.kernel.fairness.export import audit_block
from engine.kernel.game import Game, View
from engine.kernel.game import Line as OrderLine
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import newest_standing, replaced_lines
from pbem.campaigns.advance_report import EVERYONE, AdvanceReport, Publication
from pbem.campaigns.calendar import deadline_of_window, window_file
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.order_file import (
    TracedOrderFile,
    is_reported,
    is_still_on_file,
    line_key,
)
from pbem.campaigns.recipients import (
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
)
from pbem.campaigns.terms import title_for
from pbem.letters.briefing import brief_reader
from pbem.letters.dates import Moment
from pbem.letters.enclosures import (
    CalendarEntry,
    audit_enclosure,
    calendar_enclosure,
)
from pbem.letters.final import Final, final_letter, more_files_memo
from pbem.letters.maps import MAP, has_map, map_png, map_text
from pbem.letters.memo import (
    Board,
    Heading,
    Illustration,
    Listing,
    Memo,
    Note,
    Part,
    memo_letter,
    plain_note,
)
from pbem.letters.order_form import asks_of_window, form_lines, has_form
from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody, ReadLine, board_tables, view_text
from pbem.letters.result import ComingQuestion, Result, facts_of, result_letter, tell_chapters
from pbem.mail.compose import Enclosure, Picture
from pbem.store.inbox import marks_of_others
from pbem.store.outbox import OutgoingMail
from pbem.store.people import members

FILES_OF_A_LETTER = 200_000  # bytes in a letter without a map: mail coding adds a third


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


def _title(report: AdvanceReport, recipient: Recipient) -> str:
    campaign = report.campaign
    return title_for(campaign.terms, campaign.standing_row.title, recipient.language)


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
    closed = tuple(_closed_early(report, recipient))
    if end is not None:
        written = final_letter(report.game, _final(report, seat, _title(report, recipient), end), phrases)
        return _last_letters(report, recipient, written, (audit, *closed), end)
    result = seat_result(report, recipient, phrases)
    written = result_letter(report.game, result, phrases)
    files = (audit, *closed, *_calendar(report, result, recipient, phrases))
    return [_letter(report, recipient, written, files)]


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
            written=report.run.frozen.at,
            at=result.deadline,
            host=report.service.addresses.host,
            window="" if window.once else result.window,
            title=result.title,
        )
        yield calendar_enclosure(entry, phrases)


def _closed_early(report: AdvanceReport, recipient: Recipient) -> Iterator[Enclosure]:
    """Takes the deadline of the window that has closed before it out of the calendar of a seat it asked."""
    window, at = report.closed, report.run.frozen.at
    if window is None or recipient.seat not in window.seats:
        return
    service, terms = report.service, report.campaign.terms
    deadline = deadline_of_window(service.db, report.campaign.name, window)
    if deadline is not None and at < deadline:
        title = _title(report, recipient)
        yield window_file(service, terms, recipient, title, window, deadline, at, "over")


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
        title=_title(report, recipient),
        own_before=report.own_before.get(seat),
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


def asks_of_seat(campaign: Campaign, seat: Seat, phrases: Phrases) -> tuple[Ask, ...]:
    """All that the open window asks of the seat, where its orders are given together."""
    asks, pause = open_asks(campaign, seat), campaign.pause
    if pause is None or pause.window.once or seat not in pause.window.seats:
        return asks
    label = pause.window.key.partition("/")[0]
    if not has_form(label, phrases):
        return asks
    return asks_of_window(campaign.terms.game, campaign.table.view(seat), label, asks)


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
    told = (_judge(report, file, place, view, phrases) for place in range(len(file.sheet)))
    rows += [row for row in told if row is not None]
    rows += _replies(report, file, view, phrases)
    rows += _new_standing(campaign, seat, handed.get(seat, {}), phrases)
    rows += _standing_used(file, phrases) if report.game.notation.has_plan_lines else ()
    return tuple(sorted(rows, key=lambda row: row.number))


def _new_standing(
    campaign: Campaign, seat: Seat, handed: Mapping[str, str], phrases: Phrases
) -> Iterable[ReadLine]:
    """Standing lines of the sheet and of a block that was held until now; of two for one slot one counts."""
    sheet = campaign.read(seat, handed.get("orders", "")).standing
    freed = newest_standing(campaign.read(seat, handed.get("standing", "")).standing)
    replaced = {id(line): winner for line, winner in replaced_lines(freed, sheet)}
    for line in (*sheet, *freed):
        text, winner = line.write(phrases.language), replaced.get(id(line))
        number = line.number if line in sheet else 0  # those of a block are not kept
        if winner is None:
            yield ReadLine(number, text, "standing")
        else:
            why = phrases.say("notes", "receipt-replaced", {"lines": (winner.number,)})
            yield ReadLine(number, text, "unused", (why,))


def _judge(
    report: AdvanceReport, file: TracedOrderFile, place: int, view: View, phrases: Phrases
) -> ReadLine | None:
    """None: an earlier letter told it as done, and it was not done again."""
    line, seat = file.sheet[place], view.seat
    again = line_key(line) in file.used
    if file.is_earlier(place) and not again and is_reported(report.campaign.carried, seat, line):
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


def _final(report: AdvanceReport, seat: Seat, title: str, end: Publication) -> Final:
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
        past=end.past,
        files=len(end.files),
        title=title,
        audit=audit_block(report.ledger, report.campaign.ledger.t),
        players={held.seat: held.person.name for held in report.people if held.person is not None},
    )


def _last_letters(
    report: AdvanceReport,
    recipient: Recipient,
    written: LetterBody,
    own: Sequence[Enclosure],
    end: Publication,
) -> list[OutgoingMail]:
    """The final letter with the first file of the publication; the others follow, as many as letters hold."""
    phrases = phrases_for(report.campaign.terms, recipient)
    letters = [_letter(report, recipient, written, (*own, end.dice, end.files[0]))]
    for place, numbers in enumerate(_bundles(end.files), 1):
        named = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
        memo = more_files_memo(report.campaign.name, named, len(end.files))
        files = [end.files[number - 1] for number in numbers]
        written = memo_letter(memo, phrases, _title(report, recipient))
        letters.append(_letter(report, recipient, written, files, place))
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
    written = memo_letter(_public_memo(report, phrases), phrases, _title(report, recipient))
    audit = audit_enclosure(report.ledger, None, report.campaign.ledger.t)
    if report.publication is not None:
        return _last_letters(report, recipient, written, (audit,), report.publication)
    return [_letter(report, recipient, written, (audit,))]


def _public_memo(report: AdvanceReport, phrases: Phrases) -> Memo:
    """What everyone may know: the account, the board, whom the campaign waits for."""
    name, outcome = report.campaign.name, report.campaign.table.outcome
    facts = {"campaign": name, "name": report.game.names[phrases.language]}
    parts: list[Part] = []
    if report.ahead is not None:
        parts.append(Note("watch-waits", {**facts, "seats": report.ahead.awaited}))
    for title, lines in tell_chapters(report.game, report.chapters, None, phrases, report.before):
        parts += [Heading(plain_note(title))] if title else []
        parts.append(Listing(tuple(map(plain_note, lines))))
    parts.append(_public_board(report, phrases))
    if report.ahead is not None:
        headline = plain_note(_public_headline(report, phrases))
        return Memo(Note("watch-subject", facts), headline, tuple(parts), name)
    assert outcome is not None, "a game that is over has an outcome"
    end = {**facts, "reason": phrases.outcome(outcome), "verdict": phrases.verdict(outcome)}
    return Memo(Note("watch-over-subject", facts), Note("watch-over", end), tuple(parts), name)


def _public_headline(report: AdvanceReport, phrases: Phrases) -> str:
    view, before = report.campaign.table.view(EVERYONE), report.own_before.get(EVERYONE)
    return brief_reader(report.game, before, view, facts_of(report.chapters), phrases).headline


def _public_board(report: AdvanceReport, phrases: Phrases) -> Part:
    game, view = report.game, report.campaign.table.view(EVERYONE)
    if not has_map(game):
        lines = tuple(view_text(game, view, phrases).splitlines())
        return Board(lines, board_tables(game, view, phrases), Note("watch-board"))
    picture = Picture(MAP, map_png(game, view, phrases, facts_of(report.chapters)))
    words = tuple(map_text(game, view, phrases).splitlines())
    return Illustration(picture, words, board_tables(game, view, phrases))
