"""ROLLBACK: back to the beginning of a segment, on a new branch of the journal. WHATIF: a trial branch."""

from __future__ import annotations

import json
import re
import secrets as chance
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.kernel import branches
from engine.kernel.branches import Course
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import Language
from engine.kernel.journal import JournalLine
from engine.kernel.replay import is_kind
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile, newest_standing
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import is_in_turn
from pbem.campaigns.order_file import TracedOrderFile, trace_order_file
from pbem.campaigns.policy import read_policy
from pbem.campaigns.umpire.acts import CannotDo, Umpire, refuse_lines, refuse_sealed
from pbem.letters.memo import Listing, Note, Part, plain_note
from pbem.letters.phrases import load_phrases
from pbem.orders.text import near
from pbem.store.advance import handed_in_at
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
    """The key of the segment of that name; the name of a turn, or of a part of one, means its first."""
    keys: list[str] = list(dict.fromkeys(line.data["key"] for line in course.lines if is_kind(line, "seam")))
    wanted = to.casefold()
    for key in reversed(keys):
        if key.casefold() == wanted:
            return key
    for key in keys:
        if is_in_turn(key, to):
            return key
    suggestions = near(to, keys) or tuple(keys[-NAMED:])
    raise CannotDo("umpire-unknown-segment", named=to, suggestions=suggestions)


# ------------------------------------------------------------------ what if


@dataclass(frozen=True, slots=True)
class WhatIfCase:
    """What a WHATIF asks: from which segment on ("": now), and who orders what."""

    segment: str
    lines: Mapping[Seat, tuple[str, ...]]  # (): that seat sends nothing
    part: str = ""  # as it was named: `T3`, `T1.1` or a single segment is resolved to its end


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfResult:
    """What would happen, a sentence for each event; of a past segment also the difference."""

    segment: str = ""  # "": the open window is closed on paper
    would: tuple[str, ...]
    new: tuple[str, ...] = ()  # would have happened and did not
    gone: tuple[str, ...] = ()  # happened and would not have
    unfinished: bool = False  # the segment is still being played

    def parts(self) -> tuple[Part, ...]:
        """As it is told, by letter and at the terminal."""
        facts = {"segment": self.segment, "unfinished": self.unfinished}
        if not self.would and not self.gone:
            return (Note("umpire-what-if-nothing", facts),)
        parts: list[Part] = [Note("umpire-what-if", facts), _listed(self.would)]
        if self.segment and not self.new and not self.gone:
            parts.append(Note("umpire-what-if-same", facts))
        for code, sentences in (("new", self.new), ("gone", self.gone)):
            if self.segment and sentences:
                parts += [Note(f"umpire-what-if-{code}", facts), _listed(sentences)]
        return tuple(parts)


def _listed(sentences: tuple[str, ...]) -> Listing:
    return Listing(tuple(map(plain_note, sentences)))


def show_what_if(umpire: Umpire, text: str, language: Language = "en") -> WhatIfResult:
    """What would happen, or would have happened. Nothing is changed; `keep_what_if` makes it known."""
    db, name = umpire.service.db, umpire.campaign
    state = campaign_row(db, name).state
    if state != "running":
        raise CannotDo("umpire-lobby" if state == "lobby" else "umpire-over", campaign=name)
    refuse_sealed(umpire, db)
    campaign = load_campaign(db, name)
    course = campaign.course()
    case = _read_case(campaign, course, text)
    if not case.segment:
        return WhatIfResult(would=_sentences(campaign, _run_now(campaign, case), language))
    then, unfinished = _lines_then(course, case)
    would = _sentences(campaign, _run_again(campaign, course, case), language)
    did = _sentences(campaign, then, language)
    return WhatIfResult(
        segment=case.part,
        would=would,
        new=_without(would, did),
        gone=_without(did, would),
        unfinished=unfinished,
    )


def _without(sentences: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences that are not among the others, as often as they are not."""
    left = Counter(others)
    found = []
    for sentence in sentences:
        if left[sentence] > 0:
            left[sentence] -= 1
        else:
            found.append(sentence)
    return tuple(found)


def keep_what_if(umpire: Umpire) -> None:
    """Everybody is told that an umpire looked, not what they saw."""
    with umpire.lock_running() as (tx, _):
        umpire.perform(tx, WHAT_IF)


def _read_case(campaign: Campaign, course: Course, text: str) -> WhatIfCase:
    seats = {seat.casefold(): seat for seat in campaign.terms.seats}
    lines: dict[Seat, list[str]] = {}
    segment, part, who = "", "", None
    for piece in re.split(r"[;\n]", text.strip()):
        first, _, rest = piece.strip().partition(" ")
        if not lines and not segment and first and _bare(first) not in seats:
            if first.endswith(":"):  # so seats are written
                raise CannotDo("umpire-no-such-seat", seat=first[:-1], seats=campaign.terms.seats)
            part = first.rstrip(":,")
            segment = find_segment(course, part)
            first, _, rest = rest.strip().partition(" ")
        if _bare(first) in seats:
            who, line = seats[_bare(first)], rest
            lines.setdefault(who, [])
        else:
            line = f"{first} {rest}"
        if not line.strip():
            continue
        if who is None:
            raise CannotDo("umpire-what-if-how")
        lines[who].append(line.strip())
    if not segment and not lines:
        raise CannotDo("umpire-what-if-how")
    return WhatIfCase(segment, {seat: tuple(own) for seat, own in lines.items()}, part)


def _bare(word: str) -> str:
    return word.rstrip(":,").casefold()


def _run_now(campaign: Campaign, case: WhatIfCase) -> list[JournalLine]:
    """Close the open window on paper: with what is on file, but for the seats that the case names."""
    orders, policy = read_orders(campaign.db, campaign.name), read_policy(campaign.standing_row.policy)
    files = _files(campaign, campaign.handed_in(orders, held_sheets=not policy.whole_sheets), case)
    table, before = campaign.table, len(campaign.table.journal)
    table.dice, table.automa = TestDice(chance.token_bytes(32)), campaign.bind_bots(table.t + 1)
    table.advance(files)
    return table.journal.since(before)


def _run_again(campaign: Campaign, course: Course, case: WhatIfCase) -> list[JournalLine]:
    """From that segment on, until it has ended: as it was decided then, but for the seats of the case.

    Where that decides nothing, what was on file then does, and the defaults.
    """
    table = branches.what_if(course, case.segment, TestDice(chance.token_bytes(32)), anew=case.lines)
    campaign.table, before = table, len(table.journal)
    closes = [line.data["t"] for line in _lines_then(course, case)[0] if is_kind(line, "close")]
    handed = handed_in_at(campaign.db, campaign.name, max((table.t, *closes)))
    files = _files(campaign, json.loads(handed) if handed else _nothing(campaign), case)
    table.automa, table.stops = campaign.bind_bots(table.t), lambda segment: not _is_part(segment.key, case)
    table.advance(files)
    return table.journal.since(before)


def _lines_then(course: Course, case: WhatIfCase) -> tuple[list[JournalLine], bool]:
    """The journal's lines of the segment that the case names; is it still being played?"""
    lines = list(course.lines[course.seam(case.segment) :])
    ends = (
        n
        for n, line in enumerate(lines)
        if is_kind(line, "end") or (is_kind(line, "seam") and not _is_part(line.data["key"], case))
    )
    end = next(ends, None)
    return lines[:end], end is None


def _is_part(key: str, case: WhatIfCase) -> bool:
    return key == case.segment or is_in_turn(key, case.part)


def _nothing(campaign: Campaign) -> dict[str, Any]:
    """Nobody knows anymore what was handed in: the standing orders of today serve."""
    return {"seats": {}, "standing": dict(campaign.standing), "bots": dict(campaign.bots)}


def _files(campaign: Campaign, handed: Mapping[str, Any], case: WhatIfCase) -> dict[Seat, TracedOrderFile]:
    """What was handed in; a seat of the case has its lines there in place of its orders."""
    files = campaign.files_from(handed)
    for seat, lines in case.lines.items():
        reading = campaign.read(seat, "\n".join(lines))
        refuse_lines(campaign, seat, reading.refusals)
        standing = newest_standing(files[seat].standing, reading.standing)
        own = OrderFile(tuple(reading.orders), standing)
        files[seat] = trace_order_file(own)
    return files


def _sentences(campaign: Campaign, lines: list[JournalLine], language: Language) -> tuple[str, ...]:
    """Every fact whole: nobody else reads this."""
    codec, phrases = campaign.table.codec, load_phrases(campaign.terms.game.id, language, campaign.terms.pack)
    sentences: list[str] = []
    for data in (line.data for line in lines):
        if data["k"] == "roll":
            purpose = data["label"].split("/")[-3]
            sentences.append(phrases.word("rolled", seat=data["seat"], faces=data["faces"], purpose=purpose))
        elif data["k"] == "fact" and (fact := codec.fact(data)).quiet is None:
            sentences.append(phrases.fact(fact))
    return tuple(filter(None, sentences))
