"""ROLLBACK: back to the beginning of a segment. Nothing is deleted: a branch of the journal is opened."""

from __future__ import annotations

import re
import secrets as chance
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
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
from pbem.campaigns.umpire.acts import CannotDo, UmpireAct, lock_running_campaign, may_see_all, record_act
from pbem.context import ServiceContext
from pbem.letters.phrases import load_phrases
from pbem.orders.text import near
from pbem.store.campaigns import campaign
from pbem.store.session import Db, writing
from pbem.store.windows import read_orders

ROLLBACK = "rollback"
NAMED = 6  # segments that a refusal names: the last ones


def order_rollback(
    service: ServiceContext,
    name: str,
    to: str,
    same_dice: bool = False,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> str:
    """Freeze the Close that begins the branch; whoever looks at the campaign next carries it out.

    Fresh dice of the next link; with `same_dice` the recorded answers are given again and recorded rolls
    serve where their label is asked again. Returns the segment's key.
    """
    with writing(service.db if db is None else db) as tx:
        here = lock_running_campaign(tx, name)
        if here.held is not None:
            raise CannotDo("umpire-is-held", campaign=name, reason=here.held)
        course = load_campaign(tx, name).course()
        key = find_segment(course, to)
        if not any(one.line <= course.seam(key) for one in course.snapshots):
            raise CannotDo("umpire-too-far-back", named=key)
        public = {"to": key, "same_dice": same_dice}
        record_act(service, tx, name, UmpireAct(ROLLBACK, reason, by, public))
        frozen = load_campaign(tx, name).freeze_rollback(
            read_orders(tx, name), key, same_dice, reason, service.now()
        )
        assert frozen is not None, "the campaign is locked, neither held nor over"
    return key


def find_segment(course: Course, to: str) -> str:
    """The key of the segment that is meant; a turn's name means its first segment."""
    keys = segments_of(course)
    for key in reversed(keys):
        if key.casefold() == to.casefold():
            return key
    for key in keys:
        if key.partition(".")[0].casefold() == to.casefold():
            return key
    suggestions = near(to, keys) or tuple(keys[-NAMED:])
    raise CannotDo("umpire-unknown-segment", named=to, suggestions=suggestions)


def segments_of(course: Course) -> Sequence[str]:
    """The keys of all segments of a course, in order; they are public."""
    return list(dict.fromkeys(line.data["key"] for line in course.lines if is_kind(line, "seam")))


WHAT_IF = "whatif"


@dataclass(frozen=True, slots=True)
class WhatIfCase:
    """What a WHATIF asks: from which segment on ("": now), and who orders what."""

    segment: str
    lines: Mapping[Seat, tuple[str, ...]]


class _Enough(Exception):
    """The course on record ends here, or a question comes that it does not answer."""


def show_what_if(
    service: ServiceContext,
    name: str,
    text: str,
    by: int | None = None,
    language: Language = "en",
) -> tuple[str, ...]:
    """What would happen, a sentence for each event. Nothing is changed; `keep_what_if` makes it known."""
    here = campaign(service.db, name)
    if here.state != "running":
        raise CannotDo("umpire-lobby" if here.state == "lobby" else "umpire-over", campaign=name)
    if not may_see_all(service.db, name, by, service.profile.umpires):
        raise CannotDo("umpire-sealed", campaign=name)
    taken = load_campaign(service.db, name)
    course = taken.course()
    supposed = _supposed(taken, course, text)
    lines = _again(taken, course, supposed) if supposed.segment else _now(taken, supposed)
    return _told(taken, lines, language)


def keep_what_if(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """That an umpire looked is told to all; what he saw is not."""
    with writing(service.db if db is None else db) as tx:
        lock_running_campaign(tx, name)
        record_act(service, tx, name, UmpireAct(WHAT_IF, reason, by))


def _supposed(taken: Campaign, course: branches.Course, text: str) -> WhatIfCase:
    seats = {seat.casefold(): seat for seat in taken.terms.seats}
    lines: dict[Seat, list[str]] = {}
    segment, who = "", None
    for part in re.split(r"[;\n]", text.strip()):
        first, _, rest = part.strip().partition(" ")
        if not lines and not segment and first and _bare(first) not in seats:
            if first.endswith(":"):  # so seats are written
                raise CannotDo("umpire-no-such-seat", seat=first[:-1], seats=taken.terms.seats)
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


# ------------------------------------------------------------------ running it


def _now(taken: Campaign, supposed: WhatIfCase) -> list[JournalLine]:
    """The open window closed on paper: what is on file, but for those whose orders are supposed."""
    files = taken.files_from(taken.handed_in(read_orders(taken.db, taken.name), held_sheets=True))
    for seat, lines in supposed.lines.items():
        files[seat] = replace(files[seat], sheet=_orders(taken, seat, lines), umpires=(), replies={})
    table, before = taken.table, len(taken.table.journal)
    table.dice, table.automa = TestDice(chance.token_bytes(32)), taken.automas(table.t + 1)
    table.advance(files)
    return table.journal.since(before)


def _again(taken: Campaign, course: branches.Course, supposed: WhatIfCase) -> list[JournalLine]:
    """From that segment on, until a question comes that the record does not answer."""
    table = branches.what_if(course, supposed.segment, TestDice(chance.token_bytes(32)))
    taken.table, table.record, table.window = table, None, ""
    before = len(table.journal)
    table.automa = {
        seat: _replayed(taken, course, seat, _orders(taken, seat, supposed.lines.get(seat, ())))
        for seat in taken.terms.seats
    }
    with suppress(_Enough):
        table.advance({})
    return table.journal.since(before)


def _orders(taken: Campaign, seat: Seat, lines: tuple[str, ...]) -> tuple[Any, ...]:
    """The lines as that seat means them; one that cannot be read is told at once."""
    reading = taken.read(seat, "\n".join(lines))
    if reading.refusals:
        phrases = load_phrases(taken.terms.game.id, "en", taken.terms.pack)
        sentences = [phrases.refusal(refusal) for refusal in reading.refusals]
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=sentences)
    return tuple(reading.orders)


def _replayed(taken: Campaign, course: branches.Course, seat: Seat, orders: tuple[Any, ...]) -> Automa:
    """The seat as it would play: by the supposed orders, else as it did, else nobody knows."""
    codec, notation = codec_of(taken.terms.game), taken.terms.game.notation
    recorded: defaultdict[tuple[str, str], deque[Answer]] = defaultdict(deque)
    for line in course.lines[course.seam(taken.table.segment.key) :] if taken.table.segment else ():
        if is_kind(line, "answer") and (data := line.data)["seat"] == seat:
            recorded[data["topic"], data["at"]].append(codec.answer(data["topic"], data["answer"]))
    supposed = OrderFile(orders)

    def answer(view: View, ask: Ask) -> Answer:
        did = recorded[ask.topic, ask.at]
        before = did.popleft() if did else None
        if (found := supposed.find(ask, "", view, notation)) is not None:
            return found.answer
        if before is not None and ask.options.contains(before):
            return before
        if ask.volunteer:
            return ask.default
        raise _Enough

    return answer


# ------------------------------------------------------------------ telling it


def _told(taken: Campaign, lines: list[JournalLine], language: Language) -> tuple[str, ...]:
    """Every fact whole: nobody else reads this."""
    codec, phrases = taken.table.codec, load_phrases(taken.terms.game.id, language, taken.terms.pack)
    told: list[str] = []
    for data in (line.data for line in lines):
        if data["k"] == "roll":
            purpose = data["label"].split("/")[-3]
            told.append(phrases.word("rolled", seat=data["seat"], faces=data["faces"], purpose=purpose))
        elif data["k"] == "fact" and not phrases.is_quiet(fact := codec.fact(data)):
            told.append(phrases.fact(fact))
    return tuple(sentence for sentence in told if sentence)
