"""`pbem try`: the umpire's analysis board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.kernel.errors import Refusal
from engine.kernel.game import Language, shown
from engine.kernel.journal import canonical, read_object
from engine.kernel.requests import Fact, Seat
from pbem.cli.terminal import read_language, show_json
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import hang, view_text
from pbem.local.analysis import Analysed, ShownRoll, analyse


def try_command(
    case: Annotated[Path, typer.Argument(help="a case in TOML: position, orders, dice")],
    seat: Annotated[str, typer.Option(help="show only what this seat would see")] = "",
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    explain: Annotated[bool, typer.Option("--explain", help="tell why an automa acts as it does")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print everything as JSON")] = False,
) -> None:
    """Try a position with orders and forced dice; nothing is saved."""
    language = read_language(lang)
    found = analyse(case)
    reader = found.terms.seat(seat) if seat else None
    phrases = load_phrases(found.terms.game.id, language, found.terms.pack)
    if as_json:
        show_json(_as_json(found, reader, phrases))
    else:
        print(_as_text(found, reader, phrases, language, explain))


def _readers(found: Analysed, reader: Seat | None) -> tuple[Seat, ...]:
    return found.terms.seats if reader is None else (reader,)


def _told(found: Analysed, reader: Seat | None, phrases: Phrases) -> list[tuple[Any, str]]:
    """Events with their sentences; the umpire reads every fact whole."""
    told: list[tuple[Any, str]] = []
    for event in found.events:
        if isinstance(event, ShownRoll):
            words = {"seat": event.seat, "faces": event.faces, "purpose": event.purpose}
            told.append((event, phrases.word("rolled", **words)))
        elif (fact := event if reader is None else shown(event, reader)) is not None:
            told.append((fact, phrases.fact(fact)))
    return told


def _as_text(
    found: Analysed, reader: Seat | None, phrases: Phrases, language: Language, explain: bool
) -> str:
    parts: list[str] = []
    for seat in _readers(found, reader):
        lines = [
            f"  {one.line.write(language)}  [{phrases.say('statuses', one.status)}]"
            for one in found.judged.get(seat, ())
        ]
        if lines:
            parts += [phrases.word("orders_of", seat=seat), *lines, ""]
    told = [
        hang(text, "  ")
        for event, text in _told(found, reader, phrases)
        if text
        and not _quiet(event, phrases)
        and (explain or not (isinstance(event, Fact) and event.explains))
    ]
    parts += [phrases.word("facts"), *told, ""]
    if refusals := _refusals(found, reader):
        sentences = [hang(f"{seat}: {phrases.refusal(refusal)}", "  ") for seat, refusal in refusals]
        parts += [phrases.word("refusals"), *sentences, ""]
    for seat in _readers(found, reader):
        parts += [
            phrases.word("view_of", seat=seat),
            "",
            view_text(found.terms.game, found.views[seat], phrases),
        ]
    return "\n".join([*parts, *_end(found, phrases)])


def _quiet(event: Any, phrases: Phrases) -> bool:
    return not isinstance(event, ShownRoll) and phrases.is_quiet(event)


def _end(found: Analysed, phrases: Phrases) -> list[str]:
    lines = []
    if found.leftover:
        lines.append(phrases.word("leftover", items=found.leftover))
    if found.stopped is not None:
        lines.append(phrases.word("stopped", segment=found.stopped.key))
    elif found.outcome is not None:
        lines.append(phrases.word("over", reason=phrases.outcome(found.outcome)))
        lines.append(phrases.word("winners", winners=found.outcome.winners))
    return lines


def _refusals(found: Analysed, reader: Seat | None) -> list[tuple[Seat, Refusal]]:
    refusals = []
    for seat in _readers(found, reader):
        refusals += [(seat, refusal) for refusal in found.unread.get(seat, ())]
        refusals += [(seat, one.refusal) for one in found.judged.get(seat, ()) if one.refusal is not None]
    return refusals


def _as_json(found: Analysed, reader: Seat | None, phrases: Phrases) -> dict[str, Any]:
    events = [
        {"roll": event.purpose, "seat": event.seat, "faces": event.faces, "text": text}
        if isinstance(event, ShownRoll)
        else {"fact": type(event).__name__, "data": _plain(event), "text": text}
        for event, text in _told(found, reader, phrases)
    ]
    outcome = found.outcome
    data: dict[str, Any] = {
        "events": events,
        "orders": {
            seat: [{"line": one.line.write("en"), "status": one.status} for one in judged]
            for seat, judged in found.judged.items()
            if reader in (None, seat)
        },
        "refusals": [
            {
                "seat": seat,
                "line": refusal.line,
                "rule": refusal.rule,
                "reason": refusal.reason,
                "facts": dict(refusal.facts),
                "text": phrases.refusal(refusal),
            }
            for seat, refusal in _refusals(found, reader)
        ],
        "views": {
            seat: view_text(found.terms.game, found.views[seat], phrases) for seat in _readers(found, reader)
        },
        "next": found.stopped.key if found.stopped is not None else None,
        "outcome": _plain(outcome) if outcome is not None else None,
        "leftover": found.leftover,
    }
    return data if reader is not None else {**data, "state": found.state}


def _plain(thing: Any) -> Any:
    """A frozen dataclass as plain data."""
    return read_object(canonical({"k": "", "data": thing}))["data"]
