"""`pbem try`: the umpire's analysis board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.kernel.game import fact_for
from engine.kernel.journal import canonical, read_object
from engine.kernel.requests import Fact, Seat
from pbem.cli.terminal import read_language, show_json
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import format_read_lines, hang, statuses, view_text
from pbem.local.analysis import Analysis, Exchange, RollEvent, analyze


def try_command(
    case: Annotated[Path, typer.Argument(help="a case in TOML: position, orders, dice")],
    seat: Annotated[str, typer.Option(help="show only what this seat would read: its letters")] = "",
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    explain: Annotated[bool, typer.Option("--explain", help="say why an automa acts as it does")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print everything as JSON")] = False,
) -> None:
    """Try a position with letters and forced dice: receipts, results, views; nothing is saved."""
    language = read_language(lang)
    analysis = analyze(case, language, seat)
    only = analysis.terms.seat(seat) if seat else None
    phrases = load_phrases(analysis.terms.game.id, language, analysis.terms.pack)
    if as_json:
        show_json(_as_json(analysis, only, phrases))
    else:
        print(_as_text(analysis, only, phrases, explain))


def _shown_seats(analysis: Analysis, only: Seat | None) -> tuple[Seat, ...]:
    return analysis.terms.seats if only is None else (only,)


def _sentences(exchange: Exchange, only: Seat | None, phrases: Phrases) -> list[tuple[Any, str]]:
    """Events with their sentences, as seen by one seat or by the umpire, who sees every fact in full."""
    sentences: list[tuple[Any, str]] = []
    for event in exchange.events:
        if isinstance(event, RollEvent):
            words = {"seat": event.seat, "faces": event.faces, "purpose": event.purpose}
            sentences.append((event, phrases.word("rolled", **words)))
        elif (fact := event if only is None else fact_for(event, only)) is not None:
            sentences.append((fact, phrases.fact(fact)))
    return sentences


# ------------------------------------------------------------------ as text


def _as_text(analysis: Analysis, only: Seat | None, phrases: Phrases, explain: bool) -> str:
    parts = [line for one in analysis.exchanges for line in _exchange(one, only, phrases, explain)]
    if only is None:
        for seat in analysis.terms.seats:
            parts += [phrases.word("view_of", seat=seat), "", _view(analysis, seat, phrases)]
    return "\n".join([*parts, *_end(analysis, phrases)])


def _exchange(exchange: Exchange, only: Seat | None, phrases: Phrases, explain: bool) -> list[str]:
    """A seat reads its letters; the umpire reads the receipts, and then all that happened."""
    parts: list[str] = []
    for one in exchange.receipts:
        if only in (None, one.seat):
            parts += [
                phrases.word("receipt_of", seat=one.seat, subject=one.subject),
                "",
                *_body(one.text),
                "",
            ]
    if only is not None:
        for seat, text in exchange.results.items():
            parts += [phrases.word("result_of", seat=seat, window=exchange.window), "", *_body(text), ""]
        return parts
    sentences = [
        hang(text, "  ")
        for event, text in _sentences(exchange, only, phrases)
        if text and (explain or not (isinstance(event, Fact) and event.explains))
        if isinstance(event, RollEvent) or event.quiet is None
    ]
    if sentences:
        parts += [phrases.word("facts_of", window=exchange.window), *sentences, ""]
    wrote = {one.seat for one in exchange.receipts}
    for seat, rows in exchange.orders.items():
        if seat not in wrote and all(row.status == "missing" for row in rows):
            continue  # the case has no letter of that seat
        parts += [phrases.word("orders_of", seat=seat), format_read_lines(rows, statuses(phrases)), ""]
    return parts


def _body(text: str) -> list[str]:
    """The words of a letter without the marks around them."""
    lines = [f"  {line}".rstrip() for line in text.splitlines() if not line.startswith("##-")]
    return "\n".join(lines).strip("\n").splitlines()


def _view(analysis: Analysis, seat: Seat, phrases: Phrases) -> str:
    return view_text(analysis.terms.game, analysis.views[seat], phrases)


def _end(analysis: Analysis, phrases: Phrases) -> list[str]:
    lines = []
    if analysis.leftover:
        lines.append(phrases.word("leftover", items=analysis.leftover))
    if analysis.window:
        lines.append(phrases.word("open_window", window=analysis.window, seats=analysis.awaited))
    elif analysis.next is not None:
        lines.append(phrases.word("stopped", segment=analysis.next.key))
    elif analysis.outcome is not None:
        lines.append(phrases.word("over", reason=phrases.outcome(analysis.outcome)))
        lines.append(phrases.verdict(analysis.outcome))
    return lines


# ------------------------------------------------------------------ as JSON


def _as_json(analysis: Analysis, only: Seat | None, phrases: Phrases) -> dict[str, Any]:
    outcome = analysis.outcome
    data: dict[str, Any] = {
        "exchanges": [_exchange_json(one, only, phrases) for one in analysis.exchanges],
        "views": {seat: _view(analysis, seat, phrases) for seat in _shown_seats(analysis, only)},
        "next": analysis.next.key if analysis.next is not None else None,
        "window": analysis.window or None,
        "outcome": _plain(outcome) if outcome is not None else None,
        "leftover": analysis.leftover,
    }
    return data if only is not None else {**data, "state": analysis.state}


def _exchange_json(exchange: Exchange, only: Seat | None, phrases: Phrases) -> dict[str, Any]:
    return {
        "window": exchange.window or None,
        "receipts": [
            {"seat": one.seat, "subject": one.subject, "text": one.text}
            for one in exchange.receipts
            if only in (None, one.seat)
        ],
        "orders": {
            seat: [
                {"line": row.line, "number": row.number, "status": row.status, "why": list(row.remarks)}
                for row in rows
            ]
            for seat, rows in exchange.orders.items()
            if only in (None, seat)
        },
        "events": [
            {"roll": event.purpose, "seat": event.seat, "faces": event.faces, "text": text}
            if isinstance(event, RollEvent)
            else {"fact": type(event).__name__, "data": _plain(event), "text": text}
            for event, text in _sentences(exchange, only, phrases)
        ],
        "letters": dict(exchange.results),
    }


def _plain(thing: Any) -> Any:
    """A frozen dataclass as plain data."""
    return read_object(canonical({"k": "", "data": thing}))["data"]
