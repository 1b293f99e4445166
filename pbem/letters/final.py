"""The final report: how it ended and went, what everybody held, who was lucky, and how to check all of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import AuditBlock
from engine.kernel.fairness.history import throws
from engine.kernel.fairness.luck import Luck
from engine.kernel.game import Game, Outcome, View
from engine.kernel.visibility import UMPIRE
from pbem.letters.course import CHART, TurnPast, chart_pictures, course_rows, has_chart, standing_names
from pbem.letters.enclosures import MOST as PUBLISHED
from pbem.letters.luck import luck_tables
from pbem.letters.maps import ROOM, map_pictures
from pbem.letters.memo import Memo, Note, memo_about
from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody, letter_body
from pbem.letters.result import Chapter, dice_content, facts_of, position_content, shown, tell_chapters

MOST_DRAWS = 100  # that the letter lists; the publication has them all


@dataclass(frozen=True, slots=True)
class HiddenDraw:
    """A hidden draw."""

    segment: str
    seat: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalDisclosure:
    """What the seals held: the key of all hidden chance, and how much of it there was."""

    anchor: str  # hex, as in the invitation
    seal: str
    seal_key: str  # K
    last_link: str
    closes: int
    rolls: int  # public dice rolls
    draws: int
    shuffles: int
    drawn: tuple[HiddenDraw, ...]  # what the draws were, in order
    forced: int  # rolls that the umpire forced
    touched: int  # Closes in which an umpire had a hand
    unsalted: int  # Closes for which nobody had sent anything
    head: str


def disclose(ledger: Ledger) -> FinalDisclosure:
    """From all records of a campaign that is over."""
    records = ledger.records
    # A line that several may read is counted once: the umpire reads all.
    hidden = [line for record in records for line in json.loads(record.private[UMPIRE])]
    kinds = Counter(line["k"] for line in hidden)
    drawn = tuple(
        HiddenDraw(line["label"].rsplit("/", 3)[0], line["seat"], tuple(line["items"]))
        for line in hidden
        if line["k"] == "draw"
    )
    rolls = list(throws(records))
    header = json.loads(ledger.opening)
    return FinalDisclosure(
        anchor=header["anchor"],
        seal=header["seal"],
        seal_key=ledger.secrets.seal_key.hex(),
        last_link=records[-1].link if records else header["anchor"],
        closes=len(records),
        rolls=len(rolls),
        draws=kinds["draw"],
        shuffles=kinds["shuffle"],
        drawn=drawn,
        forced=sum(roll.source == "forced" for roll in rolls),
        touched=sum("TOUCHED" in record.marks for record in records),
        unsalted=sum("UNSALTED" in record.marks for record in records),
        head=ledger.head.hex(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """All that goes into the final letter; the same for every seat but for its view and language."""

    campaign: str
    view: View  # of the reader
    outcome: Outcome
    happened: tuple[Chapter, ...]
    views: tuple[View, ...]  # of every seat: nothing is hidden anymore
    opened: FinalDisclosure
    luck: tuple[Luck, ...]
    past: tuple[TurnPast, ...] = ()
    files: int = 1  # of the publication; those beyond the first come in letters of their own
    players: Mapping[str, str] | None = None  # seat -> display name
    title: str = ""  # of the campaign; "": the game's name
    audit: AuditBlock | None = None  # of the dice that fell since the reader's last letter


def final_letter(game: Game, final: Final, phrases: Phrases) -> LetterBody:
    """The last letter of a campaign, to the seat of the view."""
    charts = chart_pictures(final.past, phrases)
    room = ROOM - PUBLISHED - sum(len(one.png) for one in charts)
    maps = map_pictures(game, final.view, phrases, facts_of(final.happened), room)
    content = {**_content(game, final, phrases), **shown(maps)}
    return letter_body("final", phrases.say("final", "subject", content), content, phrases, [*maps, *charts])


def more_files_memo(campaign: str, number: int | str, files: int) -> Memo:
    """A letter that brings another file of the publication, or several: "2–4"."""
    facts = {"campaign": campaign, "number": number, "files": files}
    return memo_about("final-file", facts, Note("final-file-how"), headline="")


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, final: Final, phrases: Phrases) -> dict[str, Any]:
    outcome, past = final.outcome, final.past
    ended = {"how": phrases.outcome(outcome), "verdict": phrases.verdict(outcome), **_for_whom(final)}
    columns = ("for", "dice", "result", "even", "odds")
    turn, told = phrases.say("final", "course_turn"), phrases.say("final", "course_told")
    held = [(_seat(view.seat, phrases), _cells("holdings", {"view": view}, phrases)) for view in final.views]
    return {
        **position_content(game, final.campaign, final.view, phrases, final.title),
        "final": final,
        "headline": phrases.say("final", "headline", ended),
        "players": [(_seat(seat, phrases), name) for seat, name in (final.players or {}).items() if name],
        "scores": score_rows(game, final.view, outcome, phrases),
        "course": [(row.turn, *row.scores, row.events) for row in course_rows(game, past, phrases)],
        "course_head": [turn, *standing_names(past, phrases), told],
        "chart": CHART if has_chart(past) else "",
        "chapters": tell_chapters(game, final.happened, final.view.seat, phrases),
        "holdings": [(seat, rows) for seat, rows in held if rows],
        "draws": [_draw(draw, phrases) for draw in final.opened.drawn[:MOST_DRAWS]],
        "luck": luck_tables(final.luck, phrases),
        "luck_head": [phrases.say("final", f"luck_{column}") for column in columns],
        "key_lines": _key_lines(final.opened),
        **dice_content(final.audit),
    }


def _for_whom(final: Final) -> dict[str, bool]:
    """Has the reader won or lost? Neither, where nobody or everybody has, or where they have no seat."""
    seats, winners = {view.seat for view in final.views}, set(final.outcome.winners)
    decided = final.view.seat in seats and 0 < len(winners & seats) < len(seats)
    won = final.view.seat in winners
    return {"won": decided and won, "lost": decided and not won}


def score_rows(game: Game, view: View, outcome: Outcome, phrases: Phrases) -> list[tuple[str, ...]]:
    """The score and what it means."""
    standing = game.retrospect.standing(view)
    told = _cells("score", {"view": view, "outcome": outcome, "standing": standing}, phrases)
    return told or [(_seat(seat, phrases), str(points)) for seat, points in sorted(outcome.scores.items())]


def _cells(key: str, facts: Mapping[str, Any], phrases: Phrases) -> list[tuple[str, ...]]:
    """The rows of a table: a phrase with a line for each, cells apart by bars; none if the game has none."""
    return [tuple(line.split("|")) for line in phrases.lines("final", key, facts)]


def _seat(seat: str, phrases: Phrases) -> str:
    return phrases.say("final", "seat", {"id": seat})


def _draw(drawn: HiddenDraw, phrases: Phrases) -> str:
    facts = {"segment": drawn.segment, "who": drawn.seat, "items": drawn.items}
    return phrases.say("final", "draw", facts)


def _key_lines(opened: FinalDisclosure) -> list[str]:
    keys = {"anchor": opened.anchor, "seal": opened.seal, "K": opened.seal_key, "link": opened.last_link}
    return [f"{name:<7}{value}" for name, value in {**keys, "head": opened.head}.items()]
