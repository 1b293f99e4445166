"""WHATIF: what would have happened, or would happen now. For the umpire alone; nothing of it is kept.

`WHATIF T3.R2 WA: ATTACK 4` goes back to a segment and plays it again with these orders, with the recorded
answers of everybody else and recorded dice where their labels are asked again. `WHATIF WA: ATTACK 4` closes
the open window on paper. All other dice are throw-away dice, never a link of the chain.
"""

from __future__ import annotations

import re
import secrets as chance
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel import branches
from engine.kernel.dice import TestDice
from engine.kernel.game import Language, View
from engine.kernel.journal import Line, codec_of
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.script import is_kind
from engine.kernel.sheet import OnFile
from engine.kernel.table import Automa
from pbem.campaigns.stored import StoredCampaign, take_up
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, may_see_all, running_for_act
from pbem.campaigns.umpire.rollback import segment_meant
from pbem.office import Office
from pbem.report.phrases import spoken
from pbem.store.campaigns import campaign
from pbem.store.connect import Db, writing
from pbem.store.filing import on_file

WHAT_IF = "whatif"


@dataclass(frozen=True, slots=True)
class Supposed:
    """What a WHATIF asks: from which segment on ("": now), and who orders what."""

    segment: str
    lines: Mapping[Seat, tuple[str, ...]]


class _Enough(Exception):
    """The course on record ends here, or a question comes that it does not answer."""


def what_if(
    office: Office,
    name: str,
    text: str,
    by: int | None = None,
    language: Language = "en",
) -> tuple[str, ...]:
    """What would happen, a sentence for each event. Nothing is changed; `keep_what_if` makes it known."""
    here = campaign(office.db, name)
    if here.state != "running":
        raise CannotDo("umpire-lobby" if here.state == "lobby" else "umpire-over", campaign=name)
    if not may_see_all(office.db, name, by, office.house.umpires):
        raise CannotDo("umpire-sealed", campaign=name)
    taken = take_up(office.db, name)
    course = taken.course()
    supposed = _supposed(taken, course, text)
    lines = _again(taken, course, supposed) if supposed.segment else _now(taken, supposed)
    return _told(taken, lines, language)


def keep_what_if(
    office: Office, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """That an umpire looked is told to all; what he saw is not."""
    with writing(office.db if db is None else db) as tx:
        running_for_act(tx, name)
        do(office, tx, name, Deciding(WHAT_IF, reason, by))


def _supposed(taken: StoredCampaign, course: branches.Course, text: str) -> Supposed:
    seats = {seat.casefold(): seat for seat in taken.terms.seats}
    lines: dict[Seat, list[str]] = {}
    segment, who = "", None
    for part in re.split(r"[;\n]", text.strip()):
        first, _, rest = part.strip().partition(" ")
        if not lines and not segment and first and _bare(first) not in seats:
            if first.endswith(":"):  # so seats are written
                raise CannotDo("umpire-no-such-seat", seat=first[:-1], seats=taken.terms.seats)
            segment = segment_meant(course, first.rstrip(":,"))
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
    return Supposed(segment, {seat: tuple(own) for seat, own in lines.items()})


def _bare(word: str) -> str:
    return word.rstrip(":,").casefold()


# ------------------------------------------------------------------ running it


def _now(taken: StoredCampaign, supposed: Supposed) -> list[Line]:
    """The open window closed on paper: what is on file, but for those whose orders are supposed."""
    files = taken.files_from(taken.handed_in(on_file(taken.db, taken.name), held_sheets=True))
    for seat, lines in supposed.lines.items():
        files[seat] = replace(files[seat], sheet=_orders(taken, seat, lines), umpires=(), replies={})
    table, before = taken.table, len(taken.table.journal)
    table.dice, table.automa = TestDice(chance.token_bytes(32)), taken.automas(table.t + 1)
    table.advance(files)
    return table.journal.since(before)


def _again(taken: StoredCampaign, course: branches.Course, supposed: Supposed) -> list[Line]:
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


def _orders(taken: StoredCampaign, seat: Seat, lines: tuple[str, ...]) -> tuple[Any, ...]:
    """The lines as that seat means them; one that cannot be read is told at once."""
    reading = taken.read(seat, "\n".join(lines))
    if reading.refusals:
        phrases = spoken(taken.terms.game.id, "en", taken.terms.pack)
        sentences = [phrases.refusal(refusal) for refusal in reading.refusals]
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=sentences)
    return tuple(reading.orders)


def _replayed(taken: StoredCampaign, course: branches.Course, seat: Seat, orders: tuple[Any, ...]) -> Automa:
    """The seat as it would play: by the supposed orders, else as it did, else nobody knows."""
    codec, notation = codec_of(taken.terms.game), taken.terms.game.notation
    recorded: defaultdict[tuple[str, str], deque[Answer]] = defaultdict(deque)
    for line in course.lines[course.seam(taken.table.segment.key) :] if taken.table.segment else ():
        if is_kind(line, "answer") and (data := line.data)["seat"] == seat:
            recorded[data["topic"], data["at"]].append(codec.answer(data["topic"], data["answer"]))
    supposed = OnFile(orders)

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


def _told(taken: StoredCampaign, lines: list[Line], language: Language) -> tuple[str, ...]:
    """Every fact whole: nobody else reads this."""
    codec, phrases = taken.table.codec, spoken(taken.terms.game.id, language, taken.terms.pack)
    told: list[str] = []
    for data in (line.data for line in lines):
        if data["k"] == "roll":
            purpose = data["label"].split("/")[-3]
            told.append(phrases.word("rolled", seat=data["seat"], faces=data["faces"], purpose=purpose))
        elif data["k"] == "fact" and not phrases.is_quiet(fact := codec.fact(data)):
            told.append(phrases.fact(fact))
    return tuple(sentence for sentence in told if sentence)
