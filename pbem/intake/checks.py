"""The checks that every letter passes before it is read, in this order.

Each is a function from a context to a context that knows more, or to an outcome that ends the letter's way.
Which campaign, seat and window a letter is about, its reply address says; where a mail program dropped that,
the letter of ours that it answers; and where neither is there, the campaign that its subject names, or the
only one that its writer takes part in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection

from engine.kernel.game import Language
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.notify import send_to_seat, tell_umpires
from pbem.campaigns.recipients import person_recipient, seat_recipient
from pbem.intake.bounces import handle_bounce
from pbem.intake.outcome import LetterOutcome, RetryLater
from pbem.letters.memo import coded_memo
from pbem.letters.question import other_seat_memo
from pbem.mail.addresses import Claim
from pbem.mail.dkim import SignatureVerdict
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.orders.own_text import ORDERS
from pbem.orders.text import key
from pbem.orders.understood import Writer
from pbem.store.advance import next_window_number
from pbem.store.campaigns import CampaignRow
from pbem.store.inbox import letter as stored_letter
from pbem.store.inbox import store_proof
from pbem.store.outbox import Posted, open_question, posted
from pbem.store.people import Person, Seated, enrol, give_seat, memberships, person_at, seated, seats_of
from pbem.verbs.context import LetterContext, Proof
from pbem.verbs.registry import REGISTRY

DNS_TRIES: Final = 3  # then the letter is held for CONFIRM
DNS_PAUSE: Final = timedelta(minutes=2)
MOST_WORDS: Final = 40  # of a subject
MOST_HEADS: Final = 4
_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")

Check: TypeAlias = Callable[[LetterContext], LetterContext | LetterOutcome]


def run_checks(context: LetterContext, checks: Sequence[Check]) -> tuple[LetterContext, LetterOutcome | None]:
    """What is known after them; and how the letter ends, if one of them ended its way."""
    for check in checks:
        result = check(context)
        if isinstance(result, LetterOutcome):
            return context, result
        context = result
    return context, None


# ------------------------------------------------------------------ the mail itself


def set_automatic_mail_aside(context: LetterContext) -> LetterContext | LetterOutcome:
    """Automatic mail is never answered; a bounce marks the address that it came back from."""
    match context.letter.automatic:
        case "":
            return context
        case "bounce":
            return handle_bounce(context)
        case kind:
            return LetterOutcome("set-aside", kind)


def enroll_house_umpires(context: LetterContext) -> LetterContext:
    """They are known by the configuration."""
    service, sender = context.service, context.letter.sender
    if sender in service.profile.umpires:
        house = service.profile
        enrol(service.db, sender, context.letter.sender_name, house.language, house.zone, service.now())
    return context


def verify_signature(context: LetterContext) -> LetterContext:
    """Stored before anything else is done with the letter: the key may be another one tomorrow."""
    service, mail = context.service, context.mail
    if Proof.from_dict(mail.proof).signature in ("unchecked", "unknown"):
        mailbox = service.addresses.mailbox
        verdict = service.sender_proof.verdict(mail.raw, context.letter, mailbox, mail.arrived)
        mail = replace(mail, proof=_verdict_to_dict(verdict))
        if verdict.signature != "none":
            store_proof(service.db, mail.id, mail.proof)
        is_late = verdict.signature == "unknown" and mail.tries < DNS_TRIES
        if is_late and person_at(service.db, context.letter.sender) is not None:
            raise RetryLater("dns", DNS_PAUSE)
    # A letter that is read again was weighed before: of that, only the signature stays.
    found = replace(Proof.from_dict(mail.proof), token=False, sender=False, altered=False)
    return replace(context, mail=mail, proof=found)


def _verdict_to_dict(verdict: SignatureVerdict) -> dict[str, Any]:
    known: dict[str, Any] = {"dkim": verdict.signature}
    more: dict[str, Any] = {"why": verdict.why, "b": verdict.b, "replay": verdict.replay}
    more |= {"to_us": verdict.to_us, "thread": verdict.thread}
    return known | {name: value for name, value in more.items() if value}


# ------------------------------------------------------------------ who, where


def identify_writer(context: LetterContext) -> LetterContext:
    """Whose address it is. Most often they hold a seat of the campaign that they write to."""
    sender, service = context.letter.sender.lower(), context.service
    claims = service.addresses.claims(context.letter)
    rows = (context.store.campaign_row(claim.campaign) for claim in claims)
    people = (one.person for row in rows if row is not None for one in context.store.seats(row.id))
    holder = next((one for one in people if one is not None and sender in _addresses(one)), None)
    claimed = tuple((claim.campaign, claim.seat) for claim in claims)
    return replace(context, writer=holder or person_at(service.db, sender), claimed=claimed)


def find_place(context: LetterContext) -> LetterContext:
    """Campaign, seat and window: by reply address, by the letter it answers, by name."""
    context = replace(context, answered=answered_letter(context))
    ways = (_by_reply_address, _by_answered_letter, _by_name)
    context = next((there for way in ways if (there := way(context)) is not None), context)
    return context if _answers_about_same_place(context) else replace(context, answered=None)


def _answers_about_same_place(context: LetterContext) -> bool:
    """Is the letter answered about the same campaign and seat as the reply address?"""
    if context.answered is None or context.campaign_row is None:
        return True
    answered = context.answered.letter
    same_seat = context.seated is None or answered.seat in (None, context.seat)
    return (answered.campaign or "") in ("", context.campaign_name) and same_seat


def _at(
    context: LetterContext,
    row: CampaignRow,
    seated: Seated | None = None,
    window: int = 0,
    *,
    token: bool = False,
) -> LetterContext:
    """`token`: only the present holder of the seat knows this way."""
    proof = replace(context.proof, token=token)
    return replace(context, campaign_row=row, seated=seated, answers_window=window, proof=proof)


def _by_reply_address(context: LetterContext) -> LetterContext | None:
    """The token of a seat's window; one of a former holder, or none of ours, proves nothing.

    Of several tokens the writer's own counts: the others are copies that they sent to others. Where it is
    signed to whom the letter went, what our mail server was told may only be somebody else's doing.
    """
    letter = replace(context.letter, delivered_to=()) if context.proof.to_us else context.letter
    claims = context.service.addresses.claims(letter)
    places = [there for claim in claims if (there := _by_claim(context, claim)) is not None]
    own = [there for there in places if there.seated in _seats_of_writer(there)]
    return next(iter(own or places), None)


def _by_claim(context: LetterContext, claim: Claim) -> LetterContext | None:
    service, store = context.service, context.store
    row = store.campaign_row(claim.campaign)
    seated = None if row is None else store.seat(row.id, claim.seat)
    if row is None or seated is None:
        return None
    window = store.window(row.id)
    newest = next_window_number(service.db, row.id) - 1 if window is None else window.number
    proven = service.addresses.proven_window(claim, seated.holder, newest)
    return None if proven is None else _at(context, row, seated, proven, token=True)


def answered_letter(context: LetterContext) -> Posted | None:
    """The nearest letter of ours in the letter's thread that is still kept."""
    names = context.service.addresses.answered(context.letter)
    return next((found for one in names if (found := posted(context.service.db, one)) is not None), None)


def _by_answered_letter(context: LetterContext) -> LetterContext | None:
    """The Message-ID of a letter that went to the seat's present holder, and only to them."""
    answered = context.answered
    if answered is None or answered.letter.campaign is None:
        return None
    row = context.store.campaign_row(answered.letter.campaign)
    if row is None:
        return None
    seated = context.store.seat(row.id, answered.letter.seat)
    if seated is None or not _went_to_present_holder(answered, seated):
        return _at(context, row)
    return _at(context, row, seated, answered.letter.window or 0, token=True)


def _went_to_present_holder(answered: Posted, one: Seated) -> bool:
    """A letter to a former holder, or from before the seat's tokens were replaced, proves nothing."""
    same = one.person is not None and answered.letter.person == one.person.id
    return same and (one.since is None or answered.laid >= one.since)


def _by_name(context: LetterContext) -> LetterContext | None:
    """The campaign that subject or block names, or else a command; or the only one.

    And the writer's only seat there.
    """
    if context.writer is None:
        return None
    own, own_lines = context.writer.id, _own_lines(context.letter)
    known = context.store.campaigns_of(own)
    heads = [text for text in own_lines if text.strip().upper().startswith(ORDERS)][:MOST_HEADS]
    commands = [text for text in own_lines if REGISTRY.may_name_campaign(text)][:MOST_HEADS]
    meant = _named(known, (context.letter.subject, *heads)) or _named(known, commands) or known
    if len(meant) != 1:
        return None
    row = context.store.campaign_row(meant[0])
    assert row is not None, "whoever takes part in a campaign takes part in one that exists"
    theirs = [seat for name, seat in seats_of(context.service.db, own) if name == row.id]
    return _at(context, row, next((one for one in context.store.seats(row.id) if theirs == [one.seat]), None))


def _own_lines(letter: Letter) -> list[str]:
    return [line.text for line in letter.lines if line.quoted == 0 and not line.is_struck]


def _named(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Those of the names that stand in one of the texts."""
    words = {word.lower() for text in texts for word in _WORD.findall(text)[:MOST_WORDS]}
    return [name for name in names if name.lower() in words]


def refuse_other_seats_token(context: LetterContext) -> LetterContext | LetterOutcome:
    """A letter from another seat's address with this seat's token is never offered for confirmation.

    The token has leaked: the holder of the seat gets new ones, and both seats and the umpire are told.
    """
    own = _seats_of_writer(context)
    if context.campaign_row is None or not own:
        return context
    theirs = {one.seat.lower() for one in own}
    foreign = context.seated if context.proof.token else None
    if foreign is not None:
        if foreign.seat.lower() in theirs:
            return context
    else:  # a token that proves nothing any more, of another's seat
        name, every = context.campaign_name.lower(), {one.seat.lower() for one in context.seats}
        named = {seat for campaign, seat in context.claimed if campaign == name}
        if named & theirs or not named & every:
            return context
    return LetterOutcome("refused", "another-seat", lambda tx: _replace_token(context, tx, own[0], foreign))


def _seats_of_writer(context: LetterContext) -> list[Seated]:
    if context.writer is None:
        return []
    number = context.writer.id
    return [one for one in context.seats if one.person is not None and one.person.id == number]


def _replace_token(context: LetterContext, tx: Connection, writer: Seated, foreign: Seated | None) -> None:
    service, name, now = context.service, context.campaign_name, context.service.now()
    terms = load_campaign(tx, name).terms
    if foreign is not None and foreign.person is not None:
        give_seat(tx, name, foreign.seat, foreign.person.id, now)  # another holder's number: other tokens
        renewed = next(one for one in seated(tx, name) if one.seat == foreign.seat)
        send_to_seat(service, tx, terms, renewed, other_seat_memo(name))
        facts = {"leaked": foreign.seat, "writer": writer.seat}
        tell_umpires(service, tx, coded_memo("intake-token-leaked", name, **facts), terms)
    send_to_seat(service, tx, terms, writer, coded_memo("intake-not-your-address", name), "answer")


def assign_roles(context: LetterContext) -> LetterContext | LetterOutcome:
    """Player, umpire, observer or stranger. One who writes with a seat's token speaks for that seat.

    One who takes part in several campaigns and names none is what they are in any of them, and asked which.
    """
    seated = context.seated
    if seated is not None and context.writer is None and seat_recipient("", seated) is None:
        # Nobody's letter to a seat that nobody holds, as of one who was forgotten: it is about no campaign,
        # so no more is kept of it, and no longer, than of any stranger's mail.
        context = replace(context, campaign_row=None, seated=None, answers_window=0, answered=None)
        seated = None
    own, offices = _seats_of_writer(context), _offices_held(context)
    if seated is not None:
        holds_it = any(one.seat == seated.seat for one in own)
        is_forwarded = bool(offices) and not holds_it  # to an umpire or observer who holds no seat here
        if not (context.proof.token and is_forwarded):
            if seat_recipient("", seated) is None:  # a bot's, or empty: nobody to answer
                return LetterOutcome("set-aside", "vacant-seat")
            return replace(context, roles=("player", *offices))
    plays = bool(own) or (context.campaign_row is None and _plays_somewhere(context))
    roles: tuple[Writer, ...] = ("player",) if plays else ()
    seated = own[0] if len(own) == 1 else None
    return replace(context, seated=seated, roles=(*roles, *offices) or ("stranger",))


def require_sender_or_token(context: LetterContext) -> LetterContext | LetterOutcome:
    """Without a single readable From there is nobody to believe, and nobody but a token's holder to ask."""
    if context.letter.sender or (context.seated is not None and context.proof.token):
        return context
    return LetterOutcome("set-aside", "no-sender")


def _plays_somewhere(context: LetterContext) -> bool:
    return context.writer is not None and bool(seats_of(context.service.db, context.writer.id))


def _offices_held(context: LetterContext) -> tuple[Writer, ...]:
    """What the writer is besides a player."""
    if context.writer is None:
        return ()
    number = context.writer.id
    if context.campaign_row is not None:
        members = context.store.members(context.campaign_row.id)
        roles = {role for role, one in members if one.person.id == number}
    else:
        roles = {role for _, role in memberships(context.service.db, number)}
    if context.letter.sender in context.service.profile.umpires:
        roles.add("umpire")
    known: tuple[Writer, ...] = ("umpire", "observer")
    return tuple(role for role in known if role in roles)


# ------------------------------------------------------------------ proof


def weigh_proof(context: LetterContext) -> LetterContext:
    """Token and From are noted beside the signature; what they are enough for depends on what is required.

    Once letters from one of their addresses were signed, all must be: who forges takes the weakest.
    """
    holder = context.person
    known = () if holder is None else holder.addresses
    proof = replace(
        context.proof,
        token=context.proof.token if context.seated is not None else _answers_own_letter(context),
        sender=context.letter.sender in _addresses(holder),
        pinned=any(one.signed_since is not None for one in known),
    )
    proven = proof.is_given(context.required_proof)
    return replace(context, proof=proof, proven=proven, sure=proof.is_sure)


def _answers_own_letter(context: LetterContext) -> bool:
    """Does somebody who is no seat answer a letter that went to them?"""
    if context.answered is None:
        return False
    to = context.answered.letter
    own = context.writer is not None and to.person == context.writer.id
    return own or to.recipient.lower() == context.letter.sender


def note_copies(context: LetterContext) -> LetterContext:
    """A letter that also went to another seat's address is answered with a warning, and so is any copy.

    Only a reply address says itself whose it is; whether another belongs to a player is not the writer's to
    know.
    """
    if context.campaign_row is None or context.seated is None:
        return context
    claimed = {seat for campaign, seat in context.claimed if campaign == context.campaign_name.lower()}
    seats = [one.seat for one in context.seats if one.seat != context.seat and one.seat.lower() in claimed]
    ours, own = context.service.addresses, _addresses(context.person) | {context.letter.sender}
    to = {one.lower() for one in context.letter.recipients} - own
    beyond = [one for one in to if one != ours.mailbox and ours.read(one) is None]
    return replace(context, copied_to=(*seats, *(("",) if beyond else ())))


def _addresses(who: Person | None) -> set[str]:
    return set() if who is None else {one.address for one in who.addresses}


# ------------------------------------------------------------------ where the answer goes


def address_answer(context: LetterContext) -> LetterContext:
    """Answers go to a registered address; a stranger has none but the one they wrote from."""
    name, who = context.campaign_name, context.person
    if context.seated is not None:
        recipient = seat_recipient(name, context.seated)
        assert recipient is not None, "checked: somebody holds the seat"
    elif who is not None and who.registered is not None:
        recipient = person_recipient(who, name)
    else:
        recipient = replace(context.recipient, language=_strangers_language(context))
    return replace(context, recipient=recipient)


def _strangers_language(context: LetterContext) -> Language:
    """That of their first command that only one language has; of the letter that our question was about."""
    db, answered, letter = context.service.db, context.answered, context.letter
    question = None if answered is None else open_question(db, answered.letter.message_id)
    first = None if question is None or question.letter is None else stored_letter(db, question.letter)
    if first is not None:
        opened = open_letter(first.raw, (context.service.addresses.mailbox,))
        letter = opened if isinstance(opened, Letter) else letter
    own = (line.text.strip().partition(" ")[0] for line in letter.lines if line.quoted == 0)
    spoken = (REGISTRY.languages.get(key(word)) for word in own)
    return next((one for one in spoken if one is not None), context.service.profile.language)


# These write, or ask a name server.
FIRST: Final[tuple[Check, ...]] = (
    set_automatic_mail_aside,
    enroll_house_umpires,
    verify_signature,
)
# These only read.
CHECKS: Final[tuple[Check, ...]] = (
    identify_writer,
    find_place,
    refuse_other_seats_token,
    assign_roles,
    require_sender_or_token,
    weigh_proof,
    note_copies,
    address_answer,
)
