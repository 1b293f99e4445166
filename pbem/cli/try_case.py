"""`pbem try`: the umpire's analysis board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.kernel.errors import Refusal
from engine.kernel.game import fact_for
from engine.kernel.journal import canonical, read_object
from engine.kernel.requests import Fact, Seat
from pbem.cli.terminal import read_language, show_json
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import hang, view_text
from pbem.local.analysis import Analysis, RollEvent, analyze


def try_command(
    case: Annotated[Path, typer.Argument(help="a case in TOML: position, orders, dice")],
    seat: Annotated[str, typer.Option(help="show only what this seat would see")] = "",
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    explain: Annotated[bool, typer.Option("--explain", help="say why an automa acts as it does")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print everything as JSON")] = False,
) -> None:
    """Try a position with orders and forced dice; nothing is saved."""
    language = read_language(lang)
    analysis = analyze(case)
    only = analysis.terms.seat(seat) if seat else None
    phrases = load_phrases(analysis.terms.game.id, language, analysis.terms.pack)
    if as_json:
        show_json(_as_json(analysis, only, phrases))
    else:
        print(_as_text(analysis, only, phrases, explain))


def _shown_seats(analysis: Analysis, only: Seat | None) -> tuple[Seat, ...]:
    return analysis.terms.seats if only is None else (only,)


def _sentences(analysis: Analysis, only: Seat | None, phrases: Phrases) -> list[tuple[Any, str]]:
    """Events with their sentences, as seen by one seat or by the umpire, who sees every fact in full."""
    sentences: list[tuple[Any, str]] = []
    for event in analysis.events:
        if isinstance(event, RollEvent):
            words = {"seat": event.seat, "faces": event.faces, "purpose": event.purpose}
            sentences.append((event, phrases.word("rolled", **words)))
        elif (fact := event if only is None else fact_for(event, only)) is not None:
            sentences.append((fact, phrases.fact(fact)))
    return sentences


def _as_text(analysis: Analysis, only: Seat | None, phrases: Phrases, explain: bool) -> str:
    parts: list[str] = []
    for seat in _shown_seats(analysis, only):
        lines = [
            f"  {one.line.write(phrases.language)}  [{phrases.say('statuses', one.status)}]"
            for one in analysis.judged.get(seat, ())
        ]
        if lines:
            parts += [phrases.word("orders_of", seat=seat), *lines, ""]
    sentences = [
        hang(text, "  ")
        for event, text in _sentences(analysis, only, phrases)
        if text and (explain or not (isinstance(event, Fact) and event.explains))
        if isinstance(event, RollEvent) or not phrases.is_quiet(event)
    ]
    parts += [phrases.word("facts"), *sentences, ""]
    if refusals := _refusals(analysis, only):
        refused = [hang(f"{seat}: {phrases.refusal(refusal)}", "  ") for seat, refusal in refusals]
        parts += [phrases.word("refusals"), *refused, ""]
    for seat in _shown_seats(analysis, only):
        parts += [phrases.word("view_of", seat=seat), "", _view(analysis, seat, phrases)]
    return "\n".join([*parts, *_end(analysis, phrases)])


def _view(analysis: Analysis, seat: Seat, phrases: Phrases) -> str:
    return view_text(analysis.terms.game, analysis.views[seat], phrases)


def _end(analysis: Analysis, phrases: Phrases) -> list[str]:
    lines = []
    if analysis.leftover:
        lines.append(phrases.word("leftover", items=analysis.leftover))
    if analysis.stopped is not None:
        lines.append(phrases.word("stopped", segment=analysis.stopped.key))
    elif analysis.outcome is not None:
        lines.append(phrases.word("over", reason=phrases.outcome(analysis.outcome)))
        lines.append(phrases.word("winners", winners=analysis.outcome.winners))
    return lines


def _refusals(analysis: Analysis, only: Seat | None) -> list[tuple[Seat, Refusal]]:
    refusals = []
    for seat in _shown_seats(analysis, only):
        refusals += [(seat, refusal) for refusal in analysis.unread.get(seat, ())]
        refusals += [(seat, one.refusal) for one in analysis.judged.get(seat, ()) if one.refusal is not None]
    return refusals


def _as_json(analysis: Analysis, only: Seat | None, phrases: Phrases) -> dict[str, Any]:
    events = [
        {"roll": event.purpose, "seat": event.seat, "faces": event.faces, "text": text}
        if isinstance(event, RollEvent)
        else {"fact": type(event).__name__, "data": _plain(event), "text": text}
        for event, text in _sentences(analysis, only, phrases)
    ]
    outcome = analysis.outcome
    data: dict[str, Any] = {
        "events": events,
        "orders": {
            seat: [{"line": one.line.write("en"), "status": one.status} for one in judged]
            for seat, judged in analysis.judged.items()
            if only in (None, seat)
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
            for seat, refusal in _refusals(analysis, only)
        ],
        "views": {seat: _view(analysis, seat, phrases) for seat in _shown_seats(analysis, only)},
        "next": analysis.stopped.key if analysis.stopped is not None else None,
        "outcome": _plain(outcome) if outcome is not None else None,
        "leftover": analysis.leftover,
    }
    return data if only is not None else {**data, "state": analysis.state}


def _plain(thing: Any) -> Any:
    """A frozen dataclass as plain data."""
    return read_object(canonical({"k": "", "data": thing}))["data"]
