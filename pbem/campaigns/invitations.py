"""Invitations, and the position that somebody sees who takes over a seat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.requests import Seat
from pbem import verify_dice
from pbem.campaigns.calendar import deadline_files
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import awaited_seats, label_of
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.campaigns.results import add_form, coming_questions, open_asks
from pbem.campaigns.rulebook import spell_value
from pbem.campaigns.terms import title_for
from pbem.context import ServiceContext
from pbem.letters.enclosures import opening_enclosure
from pbem.letters.invitation import Invitation, Pace, invitation_memo
from pbem.letters.memo import TellsDeadline, memo_letter
from pbem.letters.phrases import Phrases
from pbem.letters.result import Result, result_letter
from pbem.mail.compose import Enclosure
from pbem.store.deadlines import timetable
from pbem.store.outbox import put_in_outbox
from pbem.store.people import Seated, members, seated
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, open_window

CHECKER: Final = "verify_dice.txt"  # some mail programs refuse files that end in .py


def invite(service: ServiceContext, tx: Connection, campaign: Campaign, seat: str) -> None:
    """Send the invitation to whoever holds the seat now; in the transaction that seats them."""
    people, now = seated(tx, campaign.name), service.now()
    recipient = seat_recipient(campaign.name, next(held for held in people if held.seat == seat))
    assert recipient is not None, "an invitation goes to a person"
    phrases = phrases_for(campaign.terms, recipient)
    umpires = [member.person.name for member in members(tx, campaign.name, "umpire")]
    facts = invitation(campaign, recipient, people, next(iter(umpires), service.profile.name))
    written = memo_letter(invitation_memo(facts, phrases), phrases, facts.title)
    letter = OutgoingLetter(
        kind="invitation", written=written, enclosures=(checker(), opening_enclosure(campaign.ledger, seat))
    )
    put_in_outbox(tx, [letter_to(service, tx, recipient, letter, now)], now)


def invitation(campaign: Campaign, recipient: Recipient, people: list[Seated], umpire: str) -> Invitation:
    """All that an invitation tells, from the campaign's terms and policy."""
    row, terms, promised = campaign.standing_row, campaign.terms, json.loads(campaign.ledger.opening)
    policy, options = read_policy(row.policy), terms.settings.options
    rules = policy.house_rules
    return Invitation(
        campaign=campaign.name,
        names=terms.game.names,
        title=title_for(terms, row.title, recipient.language),
        seat=recipient.seat,
        players=tuple((held.seat, _called(held)) for held in people),
        anchor=promised["anchor"],
        seal=promised["seal"],
        umpire=umpire,
        pace=_pace(policy),
        tempo=terms.settings.tempo,
        proof=policy.proof,
        options=tuple(f"{name}={spell_value(value)}" for name, value in sorted(options.items())),
        house_rules=rules.get(recipient.language) or next(iter(rules.values()), ""),
        whole_sheets=policy.whole_sheets,
        checker=CHECKER,
        replaces=row.state == "running",
        bots=tuple(held.seat for held in people if held.bot is not None),
    )


def _called(held: Seated) -> str:
    """The holder's display name; a bot goes by its own."""
    return held.bot or (held.person.name if held.person is not None else "")


def _pace(policy: Policy) -> Pace:
    """The clock of the ordinary phases."""
    phase, zone = policy.clock.phase(""), policy.clock.zone
    at = "" if phase.at is None else phase.at.strftime("%H:%M")
    return Pace(days=phase.days, hours=phase.hours, at=at, zone=zone, grace=phase.grace, early=phase.early)


def checker() -> Enclosure:
    """The one-file checker of the dice."""
    return Enclosure(CHECKER, "text/plain", Path(verify_dice.__file__).read_bytes())


def show_position(service: ServiceContext, tx: Connection, campaign: Campaign, seat: str) -> None:
    """Send what the seat sees, what is asked of it and until when, to whoever holds it now."""
    held = next(held for held in seated(tx, campaign.name) if held.seat == seat)
    recipient, now = seat_recipient(campaign.name, held), service.now()
    if recipient is None:
        return
    window, phrases = open_window(tx, campaign.name), phrases_for(campaign.terms, recipient)
    result = position(tx, campaign, recipient, window, phrases)
    written = result_letter(campaign.terms.game, result, phrases)
    letter = OutgoingLetter(
        kind="result",
        written=written,
        window=None if window is None else window.number,
        enclosures=tuple(deadline_files(service, tx, campaign.terms, recipient, TellsDeadline(), now)),
    )
    put_in_outbox(tx, [letter_to(service, tx, recipient, letter, now)], now)


def position(
    db: Db, campaign: Campaign, recipient: Recipient, window: OpenWindow | None, phrases: Phrases
) -> Result:
    """The facts of that letter: the seat's view, and nothing of what happened before."""
    seat, waiting = Seat(recipient.seat), tuple[str, ...]()
    if window is not None:
        phase = read_policy(campaign.standing_row.policy).clock.phase(window.kind)
        waiting = awaited_seats(window.seats, seated(db, campaign.name), phase)
    own = window if window is not None and seat in window.seats else None
    rows = [] if own is None else timetable(db, campaign.name, own.number)
    standing = campaign.read(seat, campaign.standing.get(seat, "")).standing
    result = Result(
        campaign=campaign.name,
        view=campaign.table.view(seat),
        asks=open_asks(campaign, seat),
        window="" if own is None else label_of(own),
        foreseen=coming_questions(campaign, seat, standing, phrases),
        deadline=next((row.due.at for row in rows if row.due.kind == "deadline"), None),
        zone=recipient.zone,
        waiting=tuple(Seat(other) for other in waiting if other != seat),
        title=title_for(campaign.terms, campaign.standing_row.title, recipient.language),
    )
    return result if own is None or own.once else add_form(campaign.terms.game, result, phrases)
