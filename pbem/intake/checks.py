"""The checks that every letter passes before it is heard, in this order.

Each is `(Arrival) -> Outcome | None`: an outcome ends the letter's way, None lets it pass. What a check finds
out about the letter it notes on the arrival, for those that follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection

from pbem.campaigns.recipients import seat_recipient
from pbem.intake import routing
from pbem.intake.bounces import bounced
from pbem.intake.context import Arrival, Check, Heard, LetterOutcome, RetryLater, signature_of
from pbem.intake.reply import lay_memo, tell_holder, tell_umpires, umpire_notice_to
from pbem.letters.invitation import stranger_memo
from pbem.letters.question import other_seat_memo
from pbem.mail.dkim import SignatureVerdict
from pbem.mail.guard import Quarantine
from pbem.mail.message import Letter
from pbem.orders.understood import Writer
from pbem.store.copies import LockedFindings, check_behind_lock
from pbem.store.inbox import keep_proof
from pbem.store.people import (
    Person,
    Seated,
    enrol,
    give_seat,
    memberships,
    person_at,
    seats_of,
    spend,
)
from pbem.store.session import Db
from pbem.store.windows import open_window
from pbem.verbs.registry import REGISTRY

# ------------------------------------------------------------------ the mail itself


def opened_safely(arrival: Arrival) -> LetterOutcome | None:
    """What the guard or the parser refused is kept for the umpire, and not looked at any further."""
    if isinstance(arrival.opened, Letter):
        return None
    found = arrival.opened
    assert isinstance(found, Quarantine)
    memo = umpire_notice_to("intake-quarantined", "", number=arrival.received.id, reason=found.reason)
    told = f"{found.reason} {found.detail}".strip()
    return LetterOutcome("quarantined", told, lambda tx: tell_umpires(arrival.service, tx, memo))


def written_by_somebody(arrival: Arrival) -> LetterOutcome | None:
    """Automatic mail is never answered; a bounce marks the address that it came back from."""
    match arrival.letter.automatic:
        case "":
            return None
        case "bounce":
            return bounced(arrival)
        case kind:
            return LetterOutcome("set-aside", kind)


def has_one_sender(arrival: Arrival) -> LetterOutcome | None:
    """Without a single readable From there is nobody to answer, and nobody to believe."""
    return None if arrival.letter.sender else LetterOutcome("set-aside", "no-sender")


# ------------------------------------------------------------------ who, where


def knows_the_house(arrival: Arrival) -> LetterOutcome | None:
    """Its umpires are known by its configuration."""
    service, sender = arrival.service, arrival.letter.sender
    if sender in service.profile.umpires:
        house = service.profile
        enrol(service.db, sender, arrival.letter.sender_name, house.language, house.zone, service.now())
    return None


def knows_the_writer(arrival: Arrival) -> LetterOutcome | None:
    """Whose address it is. Most often one writes who holds a seat of the campaign that he writes to."""
    sender = arrival.letter.sender.lower()
    standings = (arrival.called(claim.campaign) for claim in arrival.service.addresses.claims(arrival.letter))
    people = (one.person for here in standings if here is not None for one in arrival.seats_in(here.id))
    own = (one for one in people if one is not None and sender in _addresses(one))
    arrival.person = next(own, None) or person_at(arrival.service.db, sender)
    return None


def finds_its_place(arrival: Arrival) -> LetterOutcome | None:
    """Campaign, seat and window: by reply address, by the letter it answers, by name."""
    arrival.claimed = tuple(
        (claim.campaign, claim.seat) for claim in arrival.service.addresses.claims(arrival.letter)
    )
    arrival.answered = routing.answered_letter(arrival)
    ways = (routing.by_reply_address, routing.by_answered_letter, routing.by_name)
    places = (way(arrival) for way in ways)
    found = next((place for place in places if place is not None), None)
    if found is None:
        return None
    arrival.campaign_row, arrival.seated, arrival.window = found.campaign_row, found.seated, found.window
    arrival.proof = replace(arrival.proof, token=found.token)
    if arrival.answered is not None and not _goes_with(arrival):
        arrival.answered = None
    return None


def _goes_with(arrival: Arrival) -> bool:
    """Is the letter answered about the same campaign and seat as the reply address?"""
    assert arrival.answered is not None
    answered = arrival.answered.letter
    same_seat = arrival.seated is None or answered.seat in (None, arrival.seated.seat)
    return (answered.campaign or "") in ("", arrival.campaign) and same_seat


def is_not_from_another_seat(arrival: Arrival) -> LetterOutcome | None:
    """A letter from another seat's address with this seat's token is never offered for confirmation.

    The token has leaked: the holder of the seat gets new ones, and both seats and the umpire are told.
    """
    own = _seats_of_writer(arrival)
    if arrival.campaign_row is None or not own:
        return None
    mine = {one.seat.lower() for one in own}
    foreign = arrival.seated if arrival.proof.token else None
    if foreign is not None:
        if foreign.seat.lower() in mine:
            return None
    else:  # a token that proves nothing any more, of another's seat
        here, every = arrival.campaign.lower(), {one.seat.lower() for one in arrival.seats}
        named = {seat for campaign, seat in arrival.claimed if campaign == here}
        if named & mine or not named & every:
            return None
    return LetterOutcome("refused", "another-seat", lambda tx: _replace_token(arrival, tx, own[0], foreign))


def _seats_of_writer(arrival: Arrival) -> list[Seated]:
    if arrival.person is None:
        return []
    who = arrival.person.id
    return [one for one in arrival.seats if one.person is not None and one.person.id == who]


def _replace_token(arrival: Arrival, tx: Connection, writer: Seated, foreign: Seated | None) -> None:
    service, name, now = arrival.service, arrival.campaign, arrival.service.now()
    if foreign is not None and foreign.person is not None:
        give_seat(tx, name, foreign.seat, foreign.person.id, now)  # another holder's number: other tokens
        tell_holder(service, tx, name, foreign.seat, other_seat_memo(name))
        tell_umpires(
            service,
            tx,
            umpire_notice_to("intake-token-leaked", name, leaked=foreign.seat, writer=writer.seat),
        )
    recipient = seat_recipient(name, writer)
    if recipient is not None:
        window = open_window(tx, name)
        number = None if window is None else window.number
        lay_memo(service, tx, recipient, umpire_notice_to("intake-not-your-address", name), "answer", number)


def has_a_role(arrival: Arrival) -> LetterOutcome | None:
    """Player, umpire, observer or stranger. One who writes with a seat's token speaks for that seat.

    One who takes part in several campaigns and names none is what he is in any of them, and asked which.
    """
    if arrival.seated is not None and arrival.person is None and seat_recipient("", arrival.seated) is None:
        _is_a_strangers(arrival)
    own = _seats_of_writer(arrival)
    if arrival.seated is not None and not (arrival.proof.token and _is_somebody_else(arrival)):
        arrival.roles = ("player", *_offices_held(arrival))
        return _somebody_holds(arrival.seated)
    arrival.seated = own[0] if len(own) == 1 else None
    plays = bool(own) or (arrival.campaign_row is None and _plays_somewhere(arrival))
    roles: tuple[Writer, ...] = ("player",) if plays else ()
    arrival.roles = (*roles, *_offices_held(arrival)) or ("stranger",)
    return None


def _is_a_strangers(arrival: Arrival) -> None:
    """Nobody's letter to a seat that nobody holds, as of one who was forgotten: it is about no campaign.

    So no more is kept of it, and no longer, than of any stranger's mail.
    """
    arrival.campaign_row, arrival.seated, arrival.window, arrival.answered = None, None, 0, None


def _is_somebody_else(arrival: Arrival) -> bool:
    """An umpire or observer who holds no seat here, and was forwarded a seat's letter."""
    holds = {one.seat for one in _seats_of_writer(arrival)}
    assert arrival.seated is not None
    return arrival.seated.seat not in holds and bool(_offices_held(arrival))


def _plays_somewhere(arrival: Arrival) -> bool:
    return arrival.person is not None and bool(seats_of(arrival.service.db, arrival.person.id))


def _offices_held(arrival: Arrival) -> tuple[Writer, ...]:
    """What the writer is besides a player."""
    if arrival.person is None:
        return ()
    if arrival.campaign:
        there = arrival.members_in(arrival.campaign)
        roles = {role for role, one in there if one.person.id == arrival.person.id}
    else:
        roles = {role for _, role in memberships(arrival.service.db, arrival.person.id)}
    if arrival.letter.sender in arrival.service.profile.umpires:
        roles.add("umpire")
    known: tuple[Writer, ...] = ("umpire", "observer")
    return tuple(role for role in known if role in roles)


def _somebody_holds(one: Seated) -> LetterOutcome | None:
    """A seat that a bot plays, or that stands empty, has nobody to answer."""
    return LetterOutcome("set-aside", "vacant-seat") if seat_recipient("", one) is None else None


# ------------------------------------------------------------------ proof


def shows_its_proof(arrival: Arrival) -> LetterOutcome | None:
    """Token and From are noted beside the signature; what they are enough for depends on what is asked.

    Once letters from one of his addresses were signed, all of his must be: who forges takes the weakest.
    """
    holder = arrival.person if arrival.seated is None else arrival.seated.person
    known = () if holder is None else holder.addresses
    token = arrival.proof.token if arrival.seated is not None else _answers_own_letter(arrival)
    arrival.proof = replace(
        arrival.proof,
        token=token,
        sender=arrival.letter.sender in _addresses(holder),
        pinned=any(one.signed_since is not None for one in known),
    )
    return None


def _answers_own_letter(arrival: Arrival) -> bool:
    """Does somebody who is no seat answer a letter that went to him?"""
    if arrival.answered is None:
        return False
    to = arrival.answered.letter
    own = arrival.person is not None and to.person == arrival.person.id
    return own or to.recipient.lower() == arrival.letter.sender


def says_whom_it_was_copied_to(arrival: Arrival) -> LetterOutcome | None:
    """A letter that also went to another seat's address is answered with a warning, and so is any copy.

    Only a reply address says itself whose it is; whether another belongs to a player is not the writer's to
    know.
    """
    if arrival.campaign_row is None or arrival.seated is None:
        return None
    claimed = {seat for campaign, seat in arrival.claimed if campaign == arrival.campaign.lower()}
    mine = arrival.seated.seat
    seats = tuple(one.seat for one in arrival.seats if one.seat != mine and one.seat.lower() in claimed)
    ours, own = arrival.service.addresses, _addresses(arrival.seated.person) | {arrival.letter.sender}
    to = {one.lower() for one in arrival.letter.recipients} - own
    beyond = [one for one in to if one != ours.mailbox and ours.read(one) is None]
    arrival.copied_to = (*seats, *(("",) if beyond else ()))
    return None


def _addresses(who: Person | None) -> set[str]:
    return set() if who is None else {one.address for one in who.addresses}


def _first(checks: Sequence[Check], arrival: Arrival) -> LetterOutcome | None:
    return next((found for check in checks if (found := check(arrival)) is not None), None)


DAY: Final = timedelta(days=1)


def is_stranger(heard: Heard) -> bool:
    return heard.arrival.person is None and heard.context.roles == ("stranger",)


def strangers_mail(heard: Heard) -> LetterOutcome | None:
    """Set aside unless it asks for one of these, or answers a letter that went to the same address."""
    if not is_stranger(heard) or _verbs(heard) or _answers(heard):
        return None
    return LetterOutcome("set-aside", "stranger", lambda tx: _neutral(tx, heard))


def _verbs(heard: Heard) -> list[str]:
    commands = [one.command for one in heard.understood.commands]
    answered = [one for one in commands if REGISTRY.of(one).strangers == "answer"]
    return sorted({type(one).__name__.lower() for one in answered})


def _answers(heard: Heard) -> bool:
    verbs = [REGISTRY.of(one.command) for one in heard.understood.commands]
    return heard.arrival.proof.token and any(verb.strangers == "answer-to-reply" for verb in verbs)


def may_be_answered(tx: Connection, heard: Heard) -> bool:
    """Counts against the day's allowance of a stranger."""
    if not is_stranger(heard) or _answers(heard):
        return True
    now, sender = heard.context.service.now(), heard.context.letter.sender
    left = [verb for verb in _verbs(heard) if spend(tx, sender, f"stranger-{verb}", 1, DAY, now)]
    return bool(left)


def _neutral(tx: Connection, heard: Heard) -> None:
    context, signed = heard.context, heard.arrival.proof.signature == "pass"
    if signed and spend(tx, context.letter.sender, "stranger", 1, DAY, context.service.now()):
        lay_memo(
            context.service, tx, context.recipient, stranger_memo(), "answer", letter=context.received.id
        )


DNS_TRIES: Final = 3  # then the letter is held for CONFIRM
DNS_PAUSE: Final = timedelta(minutes=2)


def has_its_signature_known(arrival: Arrival) -> LetterOutcome | None:
    """Kept before anything else is done with the letter: the key may be another one tomorrow."""
    service, received = arrival.service, arrival.received
    if signature_of(received)[0] in ("unchecked", "unknown"):
        mailbox = service.addresses.mailbox
        found = service.sender_proof.verdict(received.raw, arrival.letter, mailbox, received.arrived)
        if found.signature != "none":
            keep_proof(service.db, received.id, _told(found))
        arrival.received = received = replace(received, proof=_told(found))
        if found.signature == "unknown" and received.tries < DNS_TRIES and _is_known(arrival):
            raise RetryLater("dns", DNS_PAUSE)
    signature, b = signature_of(received)
    arrival.proof = replace(
        arrival.proof,
        signature=signature,
        b=b,
        to_us=bool(received.proof.get("to_us")),
        replay=str(received.proof.get("replay", "")),
        why=str(received.proof.get("why", "")),
    )
    return None


def _is_known(arrival: Arrival) -> bool:
    return person_at(arrival.service.db, arrival.letter.sender) is not None


def _told(found: SignatureVerdict) -> dict[str, Any]:
    known: dict[str, Any] = {"dkim": found.signature}
    more = {"why": found.why, "b": found.b, "to_us": found.to_us, "replay": found.replay}
    return known | {name: value for name, value in more.items() if value}


def looked_up(db: Db, arrival: Arrival) -> LockedFindings:
    """Was the same letter heard, which came another way or was sent again, by a mail program or by somebody
    who got it? And who holds its seat?
    """
    return check_behind_lock(db, arrival.received.id, arrival.belongs, arrival.received.arrived)


# These write, or ask a name server.
FIRST: Final[tuple[Check, ...]] = (
    opened_safely,
    written_by_somebody,
    has_one_sender,
    knows_the_house,
    has_its_signature_known,
)
# These only read.
CHECKS: Final[tuple[Check, ...]] = (
    knows_the_writer,
    finds_its_place,
    is_not_from_another_seat,
    has_a_role,
    shows_its_proof,
    says_whom_it_was_copied_to,
)


def run_first_checks(arrival: Arrival) -> LetterOutcome | None:
    """The mail itself and who sent it; None: it passes."""
    return _first(FIRST, arrival)


def run_checks(arrival: Arrival) -> LetterOutcome | None:
    """Where it belongs and what it proves; None: the letter is to be heard."""
    return _first(CHECKS, arrival)
