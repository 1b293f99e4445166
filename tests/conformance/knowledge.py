"""All that a seat could get, as data to be compared: what it is told, and what it may ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from engine.kernel import rehearsal
from engine.kernel.fairness import export
from engine.kernel.fairness.audit import Ledger
from engine.kernel.game import Game, View
from engine.kernel.journal import JournalLine
from engine.kernel.requests import Ask, Fact, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.conformance.exchanges import Exchange
from tests.conformance.games import SHEETS
from tests.conformance.light import Light
from tests.conformance.plain import plain
from tests.conformance.wrong import STRANGERS, altered, is_typed

# Hashes, MACs and links: of these only presence and length are compared.
HASHES = ("T", "prev", "entries", "link", "head", "root", "path", "nonce", "k ", "seal ", "anchor", "seal")
BATTERY = 30  # wrong answers tried on each question
MOST_ODDS = 10
LINES = 6  # lines of a sheet made of what is offered


@dataclass(frozen=True)
class Told:
    """One thing the seat learns, in the order of the journal. `reveals`: it shows hidden pieces."""

    place: int
    kind: str
    data: Any
    reveals: bool = False


@dataclass(frozen=True)
class Aim:
    """What the battery is aimed at; the same in both worlds, whatever they hide."""

    ids: list[str]  # all ids of the game
    moved: frozenset[str]  # those that differ
    state: Any  # where they lie in world 1, as the game dumps it


def masked(value: Any, name: str = "") -> Any:
    """The value with every hash in it replaced by its length; JSON inside text is opened."""
    if isinstance(value, dict):
        return {key: masked(inner, name if name in HASHES else key) for key, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner, name) for inner in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        return masked(json.loads(value), "")
    return len(value) if isinstance(value, str) and _is_hash(name) else value


@cache
def _is_hash(name: str) -> bool:
    return name in HASHES or any(name.startswith(start) for start in HASHES if start.endswith(" "))


# ------------------------------------------------------------------ what is told


def told(
    game: Game, lines: Iterable[JournalLine], first: int, seat: Seat, light: Light | None = None
) -> Iterator[Told]:
    """The journal as the seat learns of it: pauses, rolls, facts; its own answers and draws.

    After a fact stands what comes to light with it.
    """
    for place, line in enumerate(lines, first):
        data = line.data
        match data["k"]:
            case "pause" | "roll" | "end":
                yield Told(place, data["k"], data)
            case "close":
                yield Told(place, "close", [data["t"], data["window"], data["once"]])
            case "answer" if data["seat"] == seat:
                yield Told(place, "answer", data)
            case "draw" if data["seat"] == seat:
                yield Told(place, "draw", [data["label"], data["items"]], reveals=True)
            case "shuffle":
                yield Told(place, "shuffle", [data["label"], len(data["root"])])
            case "fact":
                if (shown := _shown(data, seat)) is not None:
                    reveals = getattr(game.facts[shown["fact"]], "reveals", False) is True
                    yield Told(place, "fact", shown, reveals)
                if light is not None:
                    yield from (Told(place, "light", lit, reveals=True) for lit in light(data))


def comes_to_light(one: Told | None, other: Told | None, exchange: Exchange) -> bool:
    """Is this what legitimately shows that two worlds are not the same?"""
    both = [news for news in (one, other) if news is not None]
    if any(news.kind == "light" for news in both):
        return len(both) < 2 or both[0].data != both[1].data
    return any(news.reveals and exchange.moves(news.data) for news in both)


def _shown(line: dict[str, Any], seat: Seat) -> dict[str, Any] | None:
    if "to" not in line or seat in line["to"]:
        return {"fact": line["fact"], "data": line["data"]}
    others: dict[str, Any] | None = line.get("others")
    return others


# ------------------------------------------------------------------ what may be asked for


def question(game: Game, name: str, ask: Ask, pack: Any, ids: list[str]) -> Any:
    """A question as its seat reads it, and what it says to a fixed battery of answers."""
    described = list(ask.options.describe())
    return {
        "id": name,
        "given": plain(ask.given, pack),
        "options": plain(described),
        "default": plain(ask.default),
        "only": plain(ask.options.only()),
        "kind": [ask.topic, ask.at, ask.secret, ask.volunteer, ask.plan],
        "refusals": [plain(ask.options.why_not(wrong)) for wrong in battery(game, name, ask, ids, described)],
    }


def battery(game: Game, name: str, ask: Ask, ids: list[str], described: list[Any]) -> list[Any]:
    """Wrong answers that depend on nothing but the question as the seat reads it."""
    rng = Random(name)
    found: list[Any] = []
    for answer in rng.sample(described, min(3, len(described))):
        found += altered(answer, ids, rng)
    found = rng.sample(found, min(BATTERY, len(found)))
    return [None, *STRANGERS[:3], *(wrong for wrong in found if is_typed(game, ask.topic, wrong))]


def own_questions(table: Table, seat: Seat) -> list[tuple[str, Ask]]:
    return [(name, ask) for name, ask in table.pause.asks if ask.seat == seat] if table.pause else []


def sheet_lines(table: Table, seat: Seat, aim: Aim) -> list[str]:
    """Lines the seat might send now: some that are offered, and the game's own mixture."""
    write, rng, found = table.game.notation.write_answer, Random("sheet"), []
    for _, ask in own_questions(table, seat):
        described = list(ask.options.describe())
        found += [write(ask, answer) for answer in rng.sample(described, min(LINES, len(described)))]
    if table.game.id in SHEETS:
        found += SHEETS[table.game.id](table.view(seat), aim.moved, aim.state).splitlines()
    return [line for line in found if line]


def verdicts(table: Table, seat: Seat, lines: list[str]) -> Any:
    """The receipt of a letter with these lines."""
    reading = table.game.notation.read("\n".join(lines), table.view(seat))
    found = rehearsal.judge_sheet(table, seat, OrderFile(reading.orders, reading.standing))
    told = [[one.line.number, one.line.write(), one.status, plain(one.refusal)] for one in found]
    return [told, plain(reading.refusals), [line.write() for line in reading.standing]]


def briefing(game: Game, before: View | None, view: View, facts: list[Fact], pack: Any) -> Any:
    """What the seat's letter would begin with, and how its battles end: kinds, order and contents."""
    items = (*game.brief(before, view, facts), *game.conclude(facts))
    return [[item.kind, item.tone, item.weight, plain(dict(item.given), pack)] for item in items]


def knowledge(
    table: Table, ledger: Ledger, seat: Seat, aim: Aim, before: View | None = None, facts: Iterable[Fact] = ()
) -> dict[str, Any]:
    """Everything the seat could get at a pause, with its view at the last one and the facts read since."""
    view, pack, lines = table.view(seat), table.pack, sheet_lines(table, seat, aim)
    asks = own_questions(table, seat)
    return {
        "view": plain(view, pack),
        "briefing": briefing(table.game, before, view, list(facts), pack),
        "questions": [question(table.game, name, ask, pack, aim.ids) for name, ask in asks],
        "sheet": lines,
        "verdicts": verdicts(table, seat, lines) if table.pause else None,
        "odds": [plain(table.game.odds(view, line), pack) for line in lines[:MOST_ODDS]],
        "audit": masked(json.loads(export.seat_export(ledger, seat))),
        "block": masked(plain(export.audit_block(ledger))["throws"]),
    }
