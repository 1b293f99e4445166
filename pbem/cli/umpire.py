"""`pbem hold release extend rule process dice answer rollback whatif replace unseal`: the umpire's acts."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

import typer

from engine.kernel.game import Language
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.terms import find_game
from pbem.campaigns.umpire.acts import Umpire, force_dice, make_ruling, unseal
from pbem.campaigns.umpire.branches import keep_what_if, order_rollback, show_what_if
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.seats import answer_for, replace_holder
from pbem.cli.service import As, AsJson, Config, Name, Reason, open_campaign_at
from pbem.cli.terminal import read_language, show_json
from pbem.errors import BadInput
from pbem.letters.phrases import load_phrases
from pbem.letters.render import hang
from pbem.orders.dates import Impossible, Unclear, read_duration, read_moment
from pbem.store.windows import open_window


def hold_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Let a campaign stand still: nothing closes, no deadline runs."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    hold(Umpire(service, campaign.id, reason, umpire))
    print(f"{campaign.id} is held; every seat is told")


def release_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Let it go on; the time it stood still is added to the open window."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    release(Umpire(service, campaign.id, reason, umpire))
    adjudicate(service, campaign.id)
    print(f"{campaign.id} goes on; every seat is told")


def extend_command(
    name: Name,
    later: Annotated[str, typer.Argument(help="how much (2 days, 12h) or until when (2026-08-03 20:00)")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Put the deadline of the open window back."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    meant: timedelta | datetime | None = read_duration(later)
    if meant is None:
        meant = campaign_moment(service.db, campaign.id, *_moment(later, service.now().date()))
    until = extend(Umpire(service, campaign.id, reason, umpire), meant)
    print(f"{campaign.id} waits until {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC; every seat is told")


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
    service, campaign, umpire = open_campaign_at(config, name, who)
    make_ruling(Umpire(service, campaign.id, person=umpire), " ".join(words))
    print(f"the ruling stands in the journal of {campaign.id}; every seat is told")


def process_command(
    name: Name,
    turn: Annotated[str, typer.Argument(help="the turn that is meant; default: the open one")] = "",
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Close the open window now, with what is on file."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    window = open_window(service.db, campaign.id)
    process(Umpire(service, campaign.id, reason, umpire), turn)
    adjudicate(service, campaign.id)
    closed = "begun" if window is None else f"closed at {label_of(window)}"
    print(f"{campaign.id} was {closed} and played on; the results are in the outbox")


def dice_command(
    name: Name,
    faces: Annotated[list[int], typer.Argument(help="the faces, in the order in which they fall")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Force the next dice of the coming Close; they are marked as forced everywhere."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    force_dice(Umpire(service, campaign.id, reason, umpire), faces)
    print(f"the next dice of {campaign.id} show {', '.join(map(str, faces))}; every seat is told")


def answer_command(
    name: Name,
    seat: Annotated[str, typer.Argument(help="in whose place")],
    lines: Annotated[list[str], typer.Argument(help="order lines or numbers of answers")],
    reason: Reason = "",
    who: As = "",
    config: Config = None,
) -> None:
    """Answer in a seat's place."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    read = answer_for(Umpire(service, campaign.id, reason, umpire), seat, "\n".join(lines))
    adjudicate(service, campaign.id)
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
    service, campaign, umpire = open_campaign_at(config, name, who)
    key = order_rollback(Umpire(service, campaign.id, reason, umpire), to, same_dice)
    adjudicate(service, campaign.id)
    print(f"{campaign.id} is back at the beginning of {key}; every seat is told")


def whatif_command(
    name: Name,
    text: Annotated[list[str], typer.Argument(help='a segment, then seats and orders: T3.R2 "WA: PASS"')],
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    reason: Reason = "",
    who: As = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Tell what would happen, with throw-away dice. That you looked is told to every seat."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    language, asks = read_language(lang), Umpire(service, campaign.id, reason, umpire)
    sentences = show_what_if(asks, " ".join(text), language)
    keep_what_if(asks)
    if as_json:
        show_json(list(sentences))
        return
    for sentence in sentences or (_nothing_happens(campaign.game, language),):
        print(hang(sentence, " - "))


def _nothing_happens(game: str, language: Language) -> str:
    return load_phrases(game, language, find_game(game).load_pack()).say("notes", "umpire-what-if-nothing")


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
    service, campaign, umpire = open_campaign_at(config, name, who)
    number = replace_holder(Umpire(service, campaign.id, reason, umpire), seat, address, called)
    print(f"{seat.upper()} of {campaign.id} has its holder number {number}; the old reply addresses are void")


def unseal_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Look behind the screens although an umpire plays along; every seat is told."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    unseal(Umpire(service, campaign.id, reason, umpire))
    print(f"{campaign.id} is unsealed; every seat is told")
