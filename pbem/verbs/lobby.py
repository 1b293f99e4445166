"""Letters to the lobby: SIGNUP from anybody, OPEN from the umpires of the house."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import Sent
from pbem.campaigns.campaign import take_up
from pbem.campaigns.lobby import (
    SignedUp,
    found_planned,
    free_name,
    planned_campaign,
    seat_name,
    seats_meant,
    sign_up,
    title_in,
)
from pbem.campaigns.policy import Terms, agree
from pbem.errors import BadInput
from pbem.letters.memo import Note, Part
from pbem.orders.commands import Command, Open, Signup
from pbem.store.campaigns import CampaignExists, Founding, Standing, all_campaigns, campaign
from pbem.store.people import enrol, members, person_at, seats_of
from pbem.store.windows import keep_mark
from pbem.verbs.context import Deed, Handlers, Hearing

NAMELESS: Final = "N. N."  # to the others, of one whose letters bear no name; never his address

# ------------------------------------------------------------------ SIGNUP


def _signup(hearing: Hearing, command: Command) -> Deed:
    """Counts when it is sure that the sender wrote it: signed by his provider, or confirmed by reply."""
    assert isinstance(command, Signup)
    office = hearing.office
    here = _campaign_named(hearing, command.campaign)
    if here is None:
        waiting = tuple(one.id for one in all_campaigns(office.db, "lobby"))
        return Deed((Note("signup-no-campaign", {"named": command.campaign, "open": waiting}),))
    if (refusal := _cannot_sign_up(hearing, here)) is not None:
        return Deed((refusal,))
    taken = take_up(office.db, here.id)
    unknown = _unknown_wish(hearing, taken.terms, command.preferences)

    def effect(tx: Connection) -> Sequence[Part]:
        now = campaign(tx, here.id)
        if now.state != "lobby":
            return (Note("signup-begun", {"campaign": here.id}),)
        person = _person(hearing, tx)
        signed = sign_up(office, tx, here.id, person, command.preferences, taken.terms, taken.keys)
        _salt(hearing, tx, here.id, signed, person)
        return _told(hearing, here, taken.terms, signed, person)

    return Deed(unknown, effect, serious=True, rings=frozenset({here.id}))


def _campaign_named(hearing: Hearing, named: str) -> Standing | None:
    wanted = named.casefold()
    return next((one for one in all_campaigns(hearing.office.db) if one.id.casefold() == wanted), None)


def _cannot_sign_up(hearing: Hearing, here: Standing) -> Note | None:
    db, facts = hearing.office.db, {"campaign": here.id}
    if here.state != "lobby":
        return Note("signup-begun", facts)
    who = hearing.person or person_at(db, hearing.letter.sender)
    if who is None:
        return None
    if any(name == here.id for name, _ in seats_of(db, who.id)):
        return Note("signup-seated", facts)
    if any(one.person.id == who.id for one in members(db, here.id, "observer")):
        return Note("signup-watched", facts)
    return None


def _person(hearing: Hearing, tx: Connection) -> int:
    """Whoever signs up, enrolled under the name his letters bear."""
    if hearing.person is not None:
        return hearing.person.id
    letter, reader = hearing.letter, hearing.reader
    called = letter.sender_name.strip()
    name = called if called and "@" not in called else NAMELESS
    return enrol(tx, letter.sender, name, reader.language, reader.zone, hearing.office.now())


def _salt(hearing: Hearing, tx: Connection, name: str, signed: SignedUp, person: int) -> None:
    """The letter that fills the last seat goes into the first dice: nobody knew it before."""
    received, letter = hearing.received, hearing.letter
    signature = str(received.proof.get("b", "")) if received.proof.get("dkim") == "pass" else ""
    for seat in (seat for seat, player in signed.dealt.items() if player == person):
        sent = Sent(letter.message_id, signature)
        keep_mark(tx, name, seat, received.id, sent, received.arrived)


def _unknown_wish(hearing: Hearing, terms: Terms, words: Sequence[str]) -> tuple[Part, ...]:
    if not words or seats_meant(terms, words):
        return ()
    seats = [f"{seat_name(terms, seat, hearing.language)} ({seat})" for seat in terms.seats]
    return (Note("signup-unknown-wish", {"words": " ".join(words), "seats": seats}),)


def _told(hearing: Hearing, here: Standing, terms: Terms, signed: SignedUp, person: int) -> tuple[Part, ...]:
    if person in signed.dealt.values():
        return (Note("signup-dealt"),)
    wishes = [seat_name(terms, terms.seat(seat), hearing.language) for seat in signed.wishes]
    title = title_in(terms, here.title, hearing.language)
    facts = {"campaign": here.id, "title": title, "wishes": wishes, "missing": signed.missing}
    done = Note("signup-done", facts)
    return (Note("signup-again"), done) if signed.again else (done,)


# ------------------------------------------------------------------ OPEN


def _open(hearing: Hearing, command: Command) -> Deed:
    """A new campaign in its lobby; whoever opens it is its umpire. The chain is drawn beforehand."""
    assert isinstance(command, Open)
    office = hearing.office
    addresses = () if hearing.person is None else tuple(one.address for one in hearing.person.addresses)
    own = {hearing.letter.sender, *addresses}
    if not own & {one.lower() for one in office.house.umpires}:
        return Deed((Note("open-only-house"),))
    try:
        terms = agree(command.game, command.scenario, command.players, command.tempo)
        name = command.name or free_name(office.db, terms.game.id)
        planned = planned_campaign(office, name, terms, {}, title=command.title)
    except BadInput as problem:
        return Deed((Note("open-refused", {"problem": str(problem)}),))
    facts = {
        "campaign": planned.id,
        "title": planned.title,
        "players": terms.settings.players,
        "tempo": terms.settings.tempo,
        "scenario": terms.settings.scenario,
    }

    def effect(tx: Connection) -> Sequence[Part]:
        return _found(hearing, tx, planned, facts)

    return Deed(effect=effect, serious=True)


def _found(hearing: Hearing, tx: Connection, planned: Founding, facts: dict[str, object]) -> Sequence[Part]:
    umpire = hearing.letter.sender
    if hearing.person is not None and hearing.person.registered is not None:
        umpire = hearing.person.registered
    try:
        found_planned(hearing.office, tx, planned, [umpire])
    except CampaignExists as problem:
        return (Note("open-refused", {"problem": str(problem)}),)
    return (Note("open-done", facts),)


HANDLERS: Handlers = {Signup: _signup, Open: _open}
