"""The final report: how it ended, what everybody held, who was lucky, and how to check all of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from babel.numbers import format_decimal, format_percent

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.history import Luck, luck, throws
from engine.kernel.game import Game, Outcome, View
from engine.kernel.pack import GamePack
from engine.kernel.visibility import UMPIRE
from pbem.letters.dice import luck_value
from pbem.letters.maps import map_pictures
from pbem.letters.memo import Memo, Note, memo_about
from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody, letter_body, view_text
from pbem.letters.result import Chapter, facts_of, position_content, shown, tell_chapters

UNUSUAL = 0.1  # what happens in one game of ten is worth a word
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
    files: int = 1  # of the publication; those beyond the first come in letters of their own
    players: Mapping[str, str] | None = None  # seat -> display name
    title: str = ""  # of the campaign; "": the game's name


def luck_account(ledger: Ledger, pack: GamePack) -> tuple[Luck, ...]:
    """Actual against expected for each seat and die; a face is worth what the pack's die says."""
    return luck(throws(ledger.records), luck_value(pack))


def final_letter(game: Game, final: Final, phrases: Phrases) -> LetterBody:
    """The last letter of a campaign, to the seat of the view."""
    pictures = map_pictures(game, final.view, phrases, facts_of(final.happened))
    content = {**_content(game, final, phrases), **shown(pictures)}
    return letter_body("final", phrases.say("final", "subject", content), content, phrases, pictures)


def more_files_memo(campaign: str, number: int | str, files: int) -> Memo:
    """A letter that brings another file of the publication, or several: "2–4"."""
    facts = {"campaign": campaign, "number": number, "files": files}
    return memo_about("final-file", facts, Note("final-file-how"), headline="")


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, final: Final, phrases: Phrases) -> dict[str, Any]:
    columns = ("seat", "dice", "sum", "even", "odds")
    return {
        **position_content(game, final.campaign, final.view, phrases, final.title),
        "final": final,
        "headline": phrases.say("final", "headline", {"outcome": final.outcome}),
        "players": [(_seat(seat, phrases), name) for seat, name in (final.players or {}).items() if name],
        "scores": [_score(*row, phrases) for row in sorted(final.outcome.scores.items())],
        "chapters": tell_chapters(game, final.happened, final.view.seat, phrases),
        "holdings": [_holding(game, view, phrases) for view in final.views],
        "draws": [_draw(draw, phrases) for draw in final.opened.drawn[:MOST_DRAWS]],
        "luck": [_luck(row, phrases) for row in final.luck],
        "luck_head": [phrases.say("final", f"luck_{column}") for column in columns],
        "key_lines": _key_lines(final.opened),
    }


def _seat(seat: str, phrases: Phrases) -> str:
    return phrases.say("final", "seat", {"id": seat})


def _score(name: str, points: int, phrases: Phrases) -> tuple[str, str]:
    """A score of the game's own, as the game calls it."""
    given = {"id": name, "points": points}
    return phrases.say("final", "score_name", given), phrases.say("final", "score_value", given)


def _holding(game: Game, view: View, phrases: Phrases) -> tuple[str, list[str]]:
    """A seat, and what only it knew."""
    if phrases.has("final", "holdings"):
        lines = phrases.lines("final", "holdings", {"view": view})
    else:
        lines = view_text(game, view, phrases).splitlines()
    return _seat(view.seat, phrases), lines


def _draw(drawn: HiddenDraw, phrases: Phrases) -> str:
    facts = {"segment": drawn.segment, "who": drawn.seat, "items": drawn.items}
    return phrases.say("final", "draw", facts)


def _luck(row: Luck, phrases: Phrases) -> tuple[str, ...]:
    language = phrases.language
    expected = format_decimal(round(row.expected, 1), "#,##0.0", locale=language)
    odds = format_percent(row.at_least, "0.0%" if language == "en" else "0.0 %", locale=language)
    verdict = "kind" if row.at_least < UNUSUAL else "unkind" if row.at_most < UNUSUAL else "usual"
    luck_words = phrases.say("final", f"luck_{verdict}", {"odds": odds})
    return _seat(row.seat, phrases), f"{row.dice} d{row.sides}", str(row.actual), expected, luck_words


def _key_lines(opened: FinalDisclosure) -> list[str]:
    keys = {"anchor": opened.anchor, "seal": opened.seal, "K": opened.seal_key, "link": opened.last_link}
    return [f"{name:<7}{value}" for name, value in {**keys, "head": opened.head}.items()]
