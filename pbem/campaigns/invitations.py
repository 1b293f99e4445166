"""Invitations: what a player is told before his first turn, the dice commitments above all."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.requests import Seat
from pbem import verify_dice
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.campaigns.results import add_form, open_asks
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.invitation import Invitation, Pace, invitation_memo
from pbem.letters.memo import memo_letter
from pbem.letters.phrases import Phrases
from pbem.letters.result import ComingQuestion, Result, result_letter
from pbem.mail.compose import Enclosure
from pbem.store.campaigns import CampaignRow, Keys
from pbem.store.deadlines import timetable
from pbem.store.outbox import put_in_outbox
from pbem.store.people import Seated, members, seated
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, open_window

CHECKER: Final = "verify_dice.txt"  # some mail programs refuse files that end in .py


def invite(
    service: ServiceContext,
    tx: Connection,
    here: CampaignRow,
    seat: str,
    terms: Terms,
    keys: Keys,
    now: datetime,
) -> None:
    """The invitation to whoever holds the seat now; in the transaction that seats him."""
    people = seated(tx, here.id)
    recipient = seat_recipient(here.id, next(one for one in people if one.seat == seat))
    assert recipient is not None, "an invitation goes to a person"
    phrases = phrases_for(terms, recipient)
    own = [one.person.name for one in members(tx, here.id, "umpire")]
    umpire = own[0] if own else service.profile.name
    invited = invitation(here, seat, people, umpire, terms, keys, recipient.language)
    written = memo_letter(invitation_memo(invited, phrases), phrases)
    sending = OutgoingLetter("invitation", written, enclosures=(checker(),))
    put_in_outbox(tx, [letter_to(service, tx, recipient, sending, now)], now)


def invitation(
    here: CampaignRow,
    seat: str,
    people: list[Seated],
    umpire: str,
    terms: Terms,
    keys: Keys,
    language: str,
) -> Invitation:
    """All that is told, from the campaign's terms and policy."""
    policy, promised = read_policy(here.policy), keys.dice.commitments
    rules = policy.house_rules
    options = terms.settings.options
    return Invitation(
        here.id,
        terms.game.names,
        seat,
        tuple((one.seat, _called(one)) for one in people),
        promised["anchor"],
        promised["seal"],
        umpire,
        _pace(policy),
        terms.settings.tempo,
        policy.proof,
        tuple(f"{name}={_written(value)}" for name, value in sorted(options.items())),
        rules.get(language) or next(iter(rules.values()), ""),
        policy.whole_sheets,
        CHECKER,
        here.state == "running",
        tuple(one.seat for one in people if one.bot is not None),
    )


def _called(one: Seated) -> str:
    """The holder's display name; a bot goes by its own."""
    return one.bot or (one.person.name if one.person is not None else "")


def _written(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _pace(policy: Policy) -> Pace:
    """The clock of the ordinary phases."""
    phase, zone = policy.clock.phase(""), policy.clock.zone
    at = "" if phase.at is None else phase.at.strftime("%H:%M")
    return Pace(phase.days, phase.hours, at, zone, phase.grace, phase.early)


def checker() -> Enclosure:
    """The one-file checker of the dice."""
    return Enclosure(CHECKER, "text/plain", Path(verify_dice.__file__).read_bytes())


def show_position(service: ServiceContext, tx: Connection, taken: Campaign, seat: str) -> None:
    """What the seat sees, what is asked of it and until when, to whoever holds it now."""
    held = next(one for one in seated(tx, taken.name) if one.seat == seat)
    recipient, now = seat_recipient(taken.name, held), service.now()
    if recipient is None:
        return
    window = open_window(tx, taken.name)
    phrases = phrases_for(taken.terms, recipient)
    result = position(tx, taken, recipient, window, phrases)
    written = result_letter(taken.terms.game, result, phrases)
    sending = OutgoingLetter("result", written, None if window is None else window.number)
    put_in_outbox(tx, [letter_to(service, tx, recipient, sending, now)], now)


def position(
    db: Db, taken: Campaign, recipient: Recipient, window: OpenWindow | None, phrases: Phrases
) -> Result:
    """The facts of that letter: the seat's view, and no word of what happened before."""
    seat, seats = Seat(recipient.seat), () if window is None else window.seats
    view = taken.table.view(seat)
    rows = [] if window is None else timetable(db, taken.name, window.number)
    deadlines = [row.due.at for row in rows if row.due.kind == "deadline"]
    standing = taken.read(seat, taken.standing.get(seat, "")).standing
    foretold = taken.terms.game.foreseen(view, standing, phrases.language)
    mine = window is not None and seat in seats
    result = Result(
        taken.name,
        view,
        asks=open_asks(taken, seat),
        window=label_of(window) if window is not None and mine else "",
        foreseen=tuple(ComingQuestion(*one) for one in foretold),
        deadline=deadlines[0] if deadlines and mine else None,
        zone=recipient.zone,
        waiting=tuple(Seat(one) for one in seats if one != seat),
    )
    whole = window is not None and mine and not window.once
    return add_form(taken.terms.game, result, phrases) if whole else result
