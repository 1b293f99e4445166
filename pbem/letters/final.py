"""The final report: how it ended, what everybody held, whose dice were kind, and how all of it is checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from babel.numbers import format_decimal, format_percent

from engine.kernel.fairness.audit import CloseRecord, Ledger
from engine.kernel.fairness.history import Luck, luck, throws
from engine.kernel.game import Game, Outcome, View
from engine.kernel.pack import GamePack
from engine.kernel.visibility import UMPIRE
from pbem.letters.dice import worth_of
from pbem.letters.maps import has_map, map_png, map_text
from pbem.letters.memo import Memo, Note
from pbem.letters.phrases import Phrases
from pbem.letters.render import Known, account, letter_html, letter_text, view_text
from pbem.letters.result import MAP, Chapter, Written
from pbem.mail.compose import Picture

UNUSUAL = 0.1  # what happens in one game of ten is worth a word
MOST_DRAWS = 100  # that the letter lists; the publication has them all


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """A hidden draw."""

    segment: str
    seat: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """What the seals held: the key of all hidden chance, and how much of it there was."""

    anchor: str  # hex, as the invitation had it
    seal: str
    seal_key: str  # K
    last_link: str
    closes: int
    rolls: int  # public dice rolls
    draws: int
    shuffles: int
    drawn: tuple[DrawnItem, ...]  # what the draws were, in order
    forced: int  # rolls that the umpire laid down
    touched: int  # Closes in which an umpire had a hand
    unsalted: int  # Closes for which nobody had sent anything
    head: str


def opened_piles(ledger: Ledger) -> Opened:
    """From all records of a campaign that is over."""
    records = ledger.records
    hidden = [line for record in records for line in _hidden_lines(record)]
    kinds = Counter(line["k"] for line in hidden)
    drawn = tuple(
        DrawnItem(line["label"].rsplit("/", 3)[0], line["seat"], tuple(line["items"]))
        for line in hidden
        if line["k"] == "draw"
    )
    rolls = list(throws(records))
    header = json.loads(ledger.opening)
    return Opened(
        header["anchor"],
        header["seal"],
        ledger.secrets.seal_key.hex(),
        records[-1].link if records else header["anchor"],
        len(records),
        len(rolls),
        kinds["draw"],
        kinds["shuffle"],
        drawn,
        sum(one.source == "forced" for one in rolls),
        sum("TOUCHED" in record.marks for record in records),
        sum("UNSALTED" in record.marks for record in records),
        ledger.head.hex(),
    )


def _hidden_lines(record: CloseRecord) -> Iterable[Mapping[str, Any]]:
    """A line that several may read is counted once: the umpire reads all."""
    lines: list[Mapping[str, Any]] = json.loads(record.private[UMPIRE])
    return lines


@dataclass(frozen=True, slots=True)
class Final:
    """All that goes into the final letter; the same for every seat but for its view and language."""

    campaign: str
    view: View  # of the reader
    outcome: Outcome
    happened: tuple[Chapter, ...]
    views: tuple[View, ...]  # of every seat: nothing is hidden any more
    opened: Opened
    luck: tuple[Luck, ...]
    files: int = 1  # of the publication; those beyond the first come in letters of their own
    players: Mapping[str, str] | None = None  # seat -> display name


def luck_account(ledger: Ledger, pack: GamePack) -> tuple[Luck, ...]:
    """Actual against expected for each seat and die; a face is worth what the pack's die says."""
    return luck(throws(ledger.records), worth_of(pack))


def final_letter(game: Game, final: Final, phrases: Phrases) -> Written:
    """The last letter of a campaign, to the seat of the view."""
    content = _content(game, final, phrases)
    facts = list(chain.from_iterable(chapter.facts for chapter in final.happened))
    pictures = (Picture(MAP, map_png(game, final.view, phrases, facts)),) if has_map(game) else ()
    subject = phrases.told("final", "subject", content)
    text = letter_text("final.txt.j2", content, phrases)
    return Written(subject, text, letter_html("final.html.j2", content, phrases), pictures)


def more_files_memo(campaign: str, number: int | str, files: int) -> Memo:
    """A letter that brings another file of the publication, or several: "2–4"."""
    facts = {"campaign": campaign, "number": number, "files": files}
    return Memo(
        Note("final-file-subject", facts), Note("final-file", facts), (Note("final-file-how"),), campaign
    )


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, final: Final, phrases: Phrases) -> dict[str, Any]:
    return {
        "final": final,
        "campaign": final.campaign,
        "name": game.names[phrases.language],
        "view": final.view,
        "headline": phrases.told("final", "headline", {"outcome": final.outcome}),
        "players": _players(final, phrases),
        "scores": _scores(final, phrases),
        "chapters": _chapters(final, phrases),
        "board": view_text(game, final.view, phrases).rstrip("\n"),
        "map": MAP,
        "map_text": map_text(game, final.view, phrases) if has_map(game) else "",
        "holdings": [_held(game, view, phrases) for view in final.views],
        "draws": [_draw(one, phrases) for one in final.opened.drawn[:MOST_DRAWS]],
        "luck": [_luck(row, phrases) for row in final.luck],
        "luck_head": [
            phrases.plain("final", f"luck_{one}") for one in ("seat", "dice", "sum", "even", "odds")
        ],
        "key_lines": _key_lines(final.opened),
    }


def _players(final: Final, phrases: Phrases) -> list[tuple[str, str]]:
    named = final.players or {}
    return [(_seat(seat, phrases), name) for seat, name in named.items() if name]


def _scores(final: Final, phrases: Phrases) -> list[tuple[str, str]]:
    return [(_seat(who, phrases), str(points)) for who, points in sorted(final.outcome.scores.items())]


def _seat(seat: str, phrases: Phrases) -> str:
    return phrases.told("final", "seat", {"id": seat})


def _chapters(final: Final, phrases: Phrases) -> list[tuple[str, list[str]]]:
    """What happened since the last letter, told to the reader in full: it is over."""
    seat = final.view.seat
    known = Known()
    told = [(chapter.segment, account(chapter.facts, seat, phrases, known)) for chapter in final.happened]
    return [(phrases.segment(segment) if segment else "", lines) for segment, lines in told if lines]


def _held(game: Game, view: View, phrases: Phrases) -> tuple[str, list[str]]:
    """A seat, and what only it knew."""
    if phrases.has("final", "holdings"):
        lines = phrases.lines("final", "holdings", {"view": view})
    else:
        lines = view_text(game, view, phrases).splitlines()
    return _seat(view.seat, phrases), lines


def _draw(drawn: DrawnItem, phrases: Phrases) -> str:
    facts = {"segment": drawn.segment, "who": drawn.seat, "items": drawn.items}
    return phrases.told("final", "draw", facts)


def _luck(row: Luck, phrases: Phrases) -> tuple[str, ...]:
    language = phrases.language
    expected = format_decimal(round(row.expected, 1), "#,##0.0", locale=language)
    odds = format_percent(row.at_least, "0.0%" if language == "en" else "0.0 %", locale=language)
    verdict = "kind" if row.at_least < UNUSUAL else "unkind" if row.at_most < UNUSUAL else "usual"
    told = phrases.told("final", f"luck_{verdict}", {"odds": odds})
    return _seat(row.seat, phrases), f"{row.dice} d{row.sides}", str(row.actual), expected, told


def _key_lines(told: Opened) -> list[str]:
    named = (("anchor", told.anchor), ("seal", told.seal), ("K", told.seal_key), ("link", told.last_link))
    return [f"{name:<7}{value}" for name, value in (*named, ("head", told.head))]
