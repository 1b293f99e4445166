"""ROLLBACK: back to the beginning of a segment, on a new branch of the journal. WHATIF: a trial branch."""

from __future__ import annotations

import re
import secrets as chance
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel import branches
from engine.kernel.branches import Course
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import Language, View
from engine.kernel.journal import JournalLine, codec_of
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Automa
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import turn_of
from pbem.campaigns.umpire.acts import CannotDo, Umpire, refuse_lines, refuse_sealed
from pbem.letters.phrases import load_phrases
from pbem.orders.text import near
from pbem.store.campaigns import campaign_row
from pbem.store.windows import read_orders

ROLLBACK, WHAT_IF = "rollback", "whatif"
NAMED = 6  # segments that a refusal names: the last ones


# ------------------------------------------------------------------ rollback


def order_rollback(umpire: Umpire, to: str, same_dice: bool = False) -> str:
    """Freeze the Close that begins the branch; the next adjudication runs it. Returns the segment's key.

    The dice are new, of the next link; with `same_dice` the recorded answers are given again and recorded
    rolls serve where their label is asked again.
    """
    with umpire.lock_running() as (tx, row):
        if row.held is not None:
            raise CannotDo("umpire-is-held", campaign=row.id, reason=row.held)
        course = load_campaign(tx, row.id).course()
        key = find_segment(course, to)
        if not any(snapshot.line <= course.seam(key) for snapshot in course.snapshots):
            raise CannotDo("umpire-too-far-back", named=key)
        umpire.perform(tx, ROLLBACK, {"to": key, "same_dice": same_dice})
        orders, campaign = read_orders(tx, row.id), load_campaign(tx, row.id)
        frozen = campaign.freeze_rollback(orders, key, same_dice, umpire.reason, umpire.service.now())
        assert frozen is not None, "the campaign is locked, neither held nor over"
    return key


def find_segment(course: Course, to: str) -> str:
    """The key of the segment of that name; a turn's name means its first segment."""
    keys: list[str] = list(dict.fromkeys(line.data["key"] for line in course.lines if is_kind(line, "seam")))
    wanted = to.casefold()
    for key in reversed(keys):
        if key.casefold() == wanted:
            return key
    for key in keys:
        if turn_of(key).casefold() == wanted:
            return key
    suggestions = near(to, keys) or tuple(keys[-NAMED:])
    raise CannotDo("umpire-unknown-segment", named=to, suggestions=suggestions)


# ------------------------------------------------------------------ what if


@dataclass(frozen=True, slots=True)
class WhatIfCase:
    """What a WHATIF asks: from which segment on ("": now), and who orders what."""

    segment: str
    lines: Mapping[Seat, tuple[str, ...]]


class _Unanswered(Exception):
    """The recorded course ends here, or does not answer a question."""


def show_what_if(umpire: Umpire, text: str, language: Language = "en") -> tuple[str, ...]:
    """What would happen, a sentence for each event. Nothing is changed; `keep_what_if` makes it known."""
    db, name = umpire.service.db, umpire.campaign
    state = campaign_row(db, name).state
    if state != "running":
        raise CannotDo("umpire-lobby" if state == "lobby" else "umpire-over", campaign=name)
    refuse_sealed(umpire, db)
    campaign = load_campaign(db, name)
    course = campaign.course()
    case = _read_case(campaign, course, text)
    lines = _run_again(campaign, course, case) if case.segment else _run_now(campaign, case)
    return _sentences(campaign, lines, language)


def keep_what_if(umpire: Umpire) -> None:
    """Everybody is told that an umpire looked, not what they saw."""
    with umpire.lock_running() as (tx, _):
        umpire.perform(tx, WHAT_IF)


def _read_case(campaign: Campaign, course: Course, text: str) -> WhatIfCase:
    seats = {seat.casefold(): seat for seat in campaign.terms.seats}
    lines: dict[Seat, list[str]] = {}
    segment, who = "", None
    for part in re.split(r"[;\n]", text.strip()):
        first, _, rest = part.strip().partition(" ")
        if not lines and not segment and first and _bare(first) not in seats:
            if first.endswith(":"):  # so seats are written
                raise CannotDo("umpire-no-such-seat", seat=first[:-1], seats=campaign.terms.seats)
            segment = find_segment(course, first.rstrip(":,"))
            first, _, rest = rest.strip().partition(" ")
        if _bare(first) in seats:
            who, line = seats[_bare(first)], rest
        else:
            line = f"{first} {rest}"
        if not line.strip():
            continue
        if who is None:
            raise CannotDo("umpire-what-if-how")
        lines.setdefault(who, []).append(line.strip())
    if not segment and not lines:
        raise CannotDo("umpire-what-if-how")
    return WhatIfCase(segment, {seat: tuple(own) for seat, own in lines.items()})


def _bare(word: str) -> str:
    return word.rstrip(":,").casefold()


def _run_now(campaign: Campaign, case: WhatIfCase) -> list[JournalLine]:
    """Close the open window on paper: with what is on file, but for the seats that the case names."""
    orders = read_orders(campaign.db, campaign.name)
    files = campaign.files_from(campaign.handed_in(orders, held_sheets=True))
    for seat, lines in case.lines.items():
        files[seat] = replace(files[seat], sheet=_orders(campaign, seat, lines), umpires=(), replies={})
    table, before = campaign.table, len(campaign.table.journal)
    table.dice, table.automa = TestDice(chance.token_bytes(32)), campaign.bind_bots(table.t + 1)
    table.advance(files)
    return table.journal.since(before)


def _run_again(campaign: Campaign, course: Course, case: WhatIfCase) -> list[JournalLine]:
    """From that segment on, until a question comes that the record does not answer."""
    table = branches.what_if(course, case.segment, TestDice(chance.token_bytes(32)))
    campaign.table, table.record, table.window = table, None, ""
    before = len(table.journal)
    table.automa = {
        seat: _replay(campaign, course, seat, _orders(campaign, seat, case.lines.get(seat, ())))
        for seat in campaign.terms.seats
    }
    with suppress(_Unanswered):
        table.advance({})
    return table.journal.since(before)


def _orders(campaign: Campaign, seat: Seat, lines: tuple[str, ...]) -> tuple[Any, ...]:
    reading = campaign.read(seat, "\n".join(lines))
    refuse_lines(campaign, seat, reading.refusals)
    return tuple(reading.orders)


def _replay(campaign: Campaign, course: Course, seat: Seat, orders: tuple[Any, ...]) -> Automa:
    """The seat as it would play: by the supposed orders, else as it did, else nobody knows."""
    codec, notation = codec_of(campaign.terms.game), campaign.terms.game.notation
    recorded: defaultdict[tuple[str, str], deque[Answer]] = defaultdict(deque)
    segment = campaign.table.segment
    for line in course.lines[course.seam(segment.key) :] if segment else ():
        if is_kind(line, "answer") and (data := line.data)["seat"] == seat:
            recorded[data["topic"], data["at"]].append(codec.answer(data["topic"], data["answer"]))
    supposed = OrderFile(orders)

    def answer(view: View, ask: Ask) -> Answer:
        answers = recorded[ask.topic, ask.at]
        before = answers.popleft() if answers else None
        if (filed := supposed.find(ask, "", view, notation)) is not None:
            return filed.answer
        if before is not None and ask.options.contains(before):
            return before
        if ask.volunteer:
            return ask.default
        raise _Unanswered

    return answer


def _sentences(campaign: Campaign, lines: list[JournalLine], language: Language) -> tuple[str, ...]:
    """Every fact whole: nobody else reads this."""
    codec, phrases = campaign.table.codec, load_phrases(campaign.terms.game.id, language, campaign.terms.pack)
    sentences: list[str] = []
    for data in (line.data for line in lines):
        if data["k"] == "roll":
            purpose = data["label"].split("/")[-3]
            sentences.append(phrases.word("rolled", seat=data["seat"], faces=data["faces"], purpose=purpose))
        elif data["k"] == "fact" and not phrases.is_quiet(fact := codec.fact(data)):
            sentences.append(phrases.fact(fact))
    return tuple(filter(None, sentences))
