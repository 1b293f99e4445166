"""Letters to the lobby: SIGNUP from anybody, OPEN from the umpires of the house."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import SentMark
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.lobby import (
    SignedUp,
    create_planned,
    free_name,
    parse_seats,
    plan_campaign,
    seat_name,
    sign_up,
    title_for,
)
from pbem.campaigns.terms import Terms, agree_terms
from pbem.errors import BadInput
from pbem.letters.memo import Note, Part
from pbem.orders.commands import Command, Open, Signup
from pbem.store.campaigns import CampaignExists, CampaignRow, NewCampaign, all_campaigns, campaign_row
from pbem.store.people import enrol, members, person_at, seats_of
from pbem.store.windows import keep_mark
from pbem.verbs.context import Handlers, LetterContext, VerbResult

NAMELESS: Final = "N. N."  # to the others, of one whose letters bear no name; never his address

# ------------------------------------------------------------------ SIGNUP


def _signup(context: LetterContext, command: Command) -> VerbResult:
    """Counts when it is sure that the sender wrote it: signed by his provider, or confirmed by reply."""
    assert isinstance(command, Signup)
    service = context.service
    here = _campaign_named(context, command.campaign)
    if here is None:
        waiting = tuple(one.id for one in all_campaigns(service.db, "lobby"))
        return VerbResult((Note("signup-no-campaign", {"named": command.campaign, "open": waiting}),))
    if (refusal := _cannot_sign_up(context, here)) is not None:
        return VerbResult((refusal,))
    taken = load_campaign(service.db, here.id)
    unknown = _unknown_wish(context, taken.terms, command.preferences)

    def effect(tx: Connection) -> Sequence[Part]:
        now = campaign_row(tx, here.id)
        if now.state != "lobby":
            return (Note("signup-begun", {"campaign": here.id}),)
        person = _person(context, tx)
        signed = sign_up(service, tx, here.id, person, command.preferences, taken.terms, taken.keys)
        _salt(context, tx, here.id, signed, person)
        return _told(context, here, taken.terms, signed, person)

    return VerbResult(unknown, effect, serious=True, rings=frozenset({here.id}))


def _campaign_named(context: LetterContext, named: str) -> CampaignRow | None:
    wanted = named.casefold()
    return next((one for one in all_campaigns(context.service.db) if one.id.casefold() == wanted), None)


def _cannot_sign_up(context: LetterContext, here: CampaignRow) -> Note | None:
    db, facts = context.service.db, {"campaign": here.id}
    if here.state != "lobby":
        return Note("signup-begun", facts)
    who = context.person or person_at(db, context.letter.sender)
    if who is None:
        return None
    if any(name == here.id for name, _ in seats_of(db, who.id)):
        return Note("signup-seated", facts)
    if any(one.person.id == who.id for one in members(db, here.id, "observer")):
        return Note("signup-watched", facts)
    return None


def _person(context: LetterContext, tx: Connection) -> int:
    """Whoever signs up, enrolled under the name his letters bear."""
    if context.person is not None:
        return context.person.id
    letter, recipient = context.letter, context.recipient
    called = letter.sender_name.strip()
    name = called if called and "@" not in called else NAMELESS
    return enrol(tx, letter.sender, name, recipient.language, recipient.zone, context.service.now())


def _salt(context: LetterContext, tx: Connection, name: str, signed: SignedUp, person: int) -> None:
    """The letter that fills the last seat goes into the first dice: nobody knew it before."""
    received, letter = context.received, context.letter
    signature = str(received.proof.get("b", "")) if received.proof.get("dkim") == "pass" else ""
    for seat in (seat for seat, player in signed.dealt.items() if player == person):
        sent = SentMark(letter.message_id, signature)
        keep_mark(tx, name, seat, received.id, sent, received.arrived)


def _unknown_wish(context: LetterContext, terms: Terms, words: Sequence[str]) -> tuple[Part, ...]:
    if not words or parse_seats(terms, words):
        return ()
    seats = [f"{seat_name(terms, seat, context.language)} ({seat})" for seat in terms.seats]
    return (Note("signup-unknown-wish", {"words": " ".join(words), "seats": seats}),)


def _told(
    context: LetterContext, here: CampaignRow, terms: Terms, signed: SignedUp, person: int
) -> tuple[Part, ...]:
    if person in signed.dealt.values():
        return (Note("signup-dealt"),)
    wishes = [seat_name(terms, terms.seat(seat), context.language) for seat in signed.wishes]
    title = title_for(terms, here.title, context.language)
    facts = {"campaign": here.id, "title": title, "wishes": wishes, "missing": signed.missing}
    done = Note("signup-done", facts)
    return (Note("signup-again"), done) if signed.again else (done,)


# ------------------------------------------------------------------ OPEN


def _open(context: LetterContext, command: Command) -> VerbResult:
    """A new campaign in its lobby; whoever opens it is its umpire. The chain is drawn beforehand."""
    assert isinstance(command, Open)
    service = context.service
    addresses = () if context.person is None else tuple(one.address for one in context.person.addresses)
    own = {context.letter.sender, *addresses}
    if not own & {one.lower() for one in service.profile.umpires}:
        return VerbResult((Note("open-only-house"),))
    try:
        terms = agree_terms(command.game, command.scenario, command.players, command.tempo)
        name = command.name or free_name(service.db, terms.game.id)
        planned = plan_campaign(service, name, terms, {}, title=command.title)
    except BadInput as problem:
        return VerbResult((Note("open-refused", {"problem": str(problem)}),))
    facts = {
        "campaign": planned.id,
        "title": planned.title,
        "players": terms.settings.players,
        "tempo": terms.settings.tempo,
        "scenario": terms.settings.scenario,
    }

    def effect(tx: Connection) -> Sequence[Part]:
        return _found(context, tx, planned, facts)

    return VerbResult(effect=effect, serious=True)


def _found(
    context: LetterContext, tx: Connection, planned: NewCampaign, facts: dict[str, object]
) -> Sequence[Part]:
    umpire = context.letter.sender
    if context.person is not None and context.person.registered is not None:
        umpire = context.person.registered
    try:
        create_planned(context.service, tx, planned, [umpire])
    except CampaignExists as problem:
        return (Note("open-refused", {"problem": str(problem)}),)
    return (Note("open-done", facts),)


HANDLERS: Handlers = {Signup: _signup, Open: _open}
