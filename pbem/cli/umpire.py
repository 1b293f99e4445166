"""`pbem hold release extend rule process dice answer rollback whatif replace unseal`: the umpire's acts."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

import typer

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.umpire.acts import force_dice, make_ruling, unseal
from pbem.campaigns.umpire.branches import keep_what_if, order_rollback, show_what_if
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.seats import answer_for, replace_holder
from pbem.cli.service import As, AsJson, Config, Name, Reason, open_as_umpire
from pbem.cli.terminal import read_language, show_json
from pbem.errors import BadInput
from pbem.letters.memo import Listing, Note, note_text
from pbem.letters.phrases import load_phrases
from pbem.letters.render import hang
from pbem.orders.dates import Impossible, Unclear, read_duration, read_moment
from pbem.store.windows import open_window


def hold_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Let a campaign stand still: nothing closes, no deadline runs."""
    umpire = open_as_umpire(config, name, who, reason)
    hold(umpire)
    print(f"{umpire.campaign} is held; every seat is told")


def release_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Let it go on; the time it stood still is added to the open window."""
    umpire = open_as_umpire(config, name, who, reason)
    release(umpire)
    adjudicate(umpire.service, umpire.campaign)
    print(f"{umpire.campaign} goes on; every seat is told")


def extend_command(
    name: Name,
    later: Annotated[str, typer.Argument(help="how much (2 days, 12h) or until when (2026-08-03 20:00)")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Put the deadline of the open window back."""
    umpire = open_as_umpire(config, name, who, reason)
    meant: timedelta | datetime | None = read_duration(later)
    if meant is None:
        moment = _moment(later, umpire.service.now().date())
        meant = campaign_moment(umpire.service.db, umpire.campaign, *moment)
    until = extend(umpire, meant)
    print(f"{umpire.campaign} waits until {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC; every seat is told")


def _moment(text: str, today: date) -> tuple[date, time | None]:
    match read_moment(text, today):
        case Unclear() as unclear:
            days = " or ".join(day.isoformat() for day in unclear.days)
            raise BadInput(f"{text!r} may mean several days: write {days}")
        case Impossible():
            raise BadInput(f"{text!r} is neither a length of time (2 days) nor a moment (2026-08-03 20:00)")
        case (day, hour):
            return day, hour


def rule_command(
    name: Name,
    words: Annotated[list[str], typer.Argument(help="the ruling, in words")],
    who: As = "",
    config: Config = None,
) -> None:
    """Make a ruling in words: journaled, and told to every seat."""
    umpire = open_as_umpire(config, name, who)
    make_ruling(umpire, " ".join(words))
    print(f"the ruling stands in the journal of {umpire.campaign}; every seat is told")


def process_command(
    name: Name,
    turn: Annotated[str, typer.Argument(help="the turn that is meant; default: the open one")] = "",
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Close the open window now, with what is on file."""
    umpire = open_as_umpire(config, name, who, reason)
    window = open_window(umpire.service.db, umpire.campaign)
    process(umpire, turn)
    adjudicate(umpire.service, umpire.campaign)
    closed = "begun" if window is None else f"closed at {label_of(window)}"
    print(f"{umpire.campaign} was {closed} and played on; the results are in the outbox")


def dice_command(
    name: Name,
    faces: Annotated[list[int], typer.Argument(help="the faces, in the order in which they fall")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Force the next dice of the coming Close; they are marked as forced everywhere."""
    umpire = open_as_umpire(config, name, who, reason)
    force_dice(umpire, faces)
    print(f"the next dice of {umpire.campaign} show {', '.join(map(str, faces))}; every seat is told")


def answer_command(
    name: Name,
    seat: Annotated[str, typer.Argument(help="in whose place")],
    lines: Annotated[list[str], typer.Argument(help="order lines or numbers of answers")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Answer in a seat's place."""
    umpire = open_as_umpire(config, name, who, reason)
    read = answer_for(umpire, seat, "\n".join(lines))
    adjudicate(umpire.service, umpire.campaign)
    print(f"on file for {seat.upper()}, by the umpire; every seat is told")
    for line in read:
        print(f"  {line}")


def rollback_command(
    name: Name,
    to: Annotated[str, typer.Argument(help="the segment, as T3.R2, or a turn")],
    same_dice: Annotated[
        bool, typer.Option("--same-dice", help="recorded answers and rolls serve again")
    ] = False,
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Go back to the beginning of a segment; nothing is deleted, the journal gets a branch."""
    umpire = open_as_umpire(config, name, who, reason)
    key = order_rollback(umpire, to, same_dice)
    adjudicate(umpire.service, umpire.campaign)
    print(f"{umpire.campaign} is back at the beginning of {key}; every seat is told")


def whatif_command(
    name: Name,
    text: Annotated[list[str], typer.Argument(help='a segment, then seats and orders: T3.R2 "WA: PASS"')],
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    reason: Reason = "",
    who: As = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Tell what would happen, or would have happened. That you looked is told to every seat."""
    umpire = open_as_umpire(config, name, who, reason)
    language = read_language(lang)
    found = show_what_if(umpire, " ".join(text), language)
    keep_what_if(umpire)
    if as_json:
        show_json(asdict(found))
        return
    phrases = load_phrases("", language, None)
    for part in found.parts():
        if isinstance(part, Listing):
            print("\n".join(hang(note_text(note, phrases), part.mark) for note in part.notes))
        elif isinstance(part, Note):
            print(hang(note_text(part, phrases), ""))


def replace_command(
    name: Name,
    seat: Annotated[str, typer.Argument(help="the seat")],
    address: Annotated[str, typer.Argument(help="who takes it")],
    called: Annotated[str, typer.Option("--name", help="the newcomer's name, as the others see it")] = "",
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Seat another player; they get an invitation and the position, the others a notice."""
    umpire = open_as_umpire(config, name, who, reason)
    number = replace_holder(umpire, seat, address, called)
    held = f"{seat.upper()} of {umpire.campaign} has its holder number {number}"
    print(f"{held}; the old reply addresses are void")


def unseal_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Look behind the screens although an umpire plays along; every seat is told."""
    umpire = open_as_umpire(config, name, who, reason)
    unseal(umpire)
    print(f"{umpire.campaign} is unsealed; every seat is told")
