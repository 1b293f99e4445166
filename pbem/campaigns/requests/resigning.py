"""RESIGN where the rules say what it comes to, and HANDOVER: the end of a game for one side or one player.

Seats that win and lose together resign together. The first word is told to the allies and to nobody else; the
last one ends the game, and so does silence (`resignations`). One alone may leave his seat to an ally.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from engine.kernel.errors import Refusal
from engine.kernel.records import RESIGNATION
from engine.kernel.requests import Seat
from pbem.campaigns.hearing import Deed, Handlers, Hearing
from pbem.campaigns.positions import show_position
from pbem.campaigns.requests import leaving
from pbem.campaigns.requests.asked import campaign_of, of_a_seat, said, tell
from pbem.campaigns.requests.consent import cannot
from pbem.campaigns.resignations import (
    UNTIL,
    allies_of,
    end_by_resignation,
    has_changed_hands,
    missing_words,
    open_resignations,
    tell_allies,
    time_is_up,
    until_of,
)
from pbem.campaigns.stored import StoredCampaign, take_up
from pbem.orders import commands as c
from pbem.report.memo import Note, Part
from pbem.report.moments import Moment
from pbem.report.notices import GivingUp, handover_memo
from pbem.store.campaigns import locked
from pbem.store.connect import Db
from pbem.store.people import give_seat, seated
from pbem.store.proposals import Proposal, give_assent, propose, settle_proposal

# ------------------------------------------------------------------ RESIGN


@of_a_seat
def resign(hearing: Hearing, command: c.Command) -> Deed:
    """Where the rules know of it a resignation ends the game; elsewhere the seat is given up."""
    assert isinstance(command, c.Resign)
    here, name, seat = hearing.campaign, campaign_of(hearing).id, hearing.seat
    ends = campaign_of(hearing).state == "running" and hasattr(here.terms.game, "resigned")
    if not command.willing:
        return _unwilling(hearing) if ends else said(Note("resign-nothing-open"))
    if not ends:
        return leaving.resign(hearing, command)
    if (refusal := _why_not_resign(here, seat)) is not None:
        return said(Note("plain", {"text": hearing.phrases.refusal(refusal)}))

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (reason := cannot(hearing, tx)) is not None:
            return (reason,)
        taken = take_up(tx, name)
        if (refusal := _why_not_resign(taken, seat)) is not None:
            return (Note("plain", {"text": hearing.phrases.refusal(refusal)}),)
        return _gives_up(hearing, tx, taken)

    return Deed(effect=effect, serious=True, rings=frozenset({name}))


def _why_not_resign(here: StoredCampaign, seat: str) -> Refusal | None:
    """A game may forbid it to a seat, with `why_not_resign(state, seat) -> Refusal | None`.

    Where there are allies it is asked what it says if they agree: `why_not_resign(state, seat, agreed)`.
    """
    own: Callable[..., Refusal | None] | None = getattr(here.terms.game, "why_not_resign", None)
    agreed = allies_of(here, seat)
    return None if own is None else own(here.table.state, Seat(seat), *((agreed,) if agreed else ()))


def _gives_up(hearing: Hearing, tx: Connection, taken: StoredCampaign) -> tuple[Part, ...]:
    """The seat's word; the last one of its side ends the game."""
    name, now, seat = campaign_of(hearing).id, hearing.office.now(), hearing.seat
    team, there = (Seat(seat), *allies_of(taken, seat)), _open(tx, taken, seat)
    given = () if there is None else there.assents
    missing = missing_words(seated(tx, name), seat, team[1:], given)
    if missing and there is not None and seat in given:
        return (Note("resign-again", {"seats": missing, UNTIL: _moment(there, hearing.reader.zone)}),)
    if missing:
        until = time_is_up(tx, taken, missing, now)
        propose(tx, name, seat, RESIGNATION, {UNTIL: until.isoformat()}, now)
        tell_allies(hearing.office, tx, taken, "proposed", seat, missing, until)
        told = {"seats": missing, UNTIL: Moment(until, hearing.reader.zone)}
        return (Note("resign-proposed", told),)
    if there is not None:
        give_assent(tx, name, there.number, seat, now)
        settle_proposal(tx, name, there.number, "carried", now)
    end_by_resignation(tx, taken, team, now)
    return (Note("consent-resigned", {"campaign": name}),)


def _open(db: Db, here: StoredCampaign, seat: str) -> Proposal | None:
    """That the seat's side gives up: proposed, and the last word on it not spoken."""
    team = (seat, *allies_of(here, seat))
    return next((one for one in open_resignations(db, here.name) if one.seat in team), None)


def _moment(proposal: Proposal, zone: str) -> Moment:
    return Moment(until_of(proposal), zone)


def _unwilling(hearing: Hearing) -> Deed:
    """RESIGN NO: an ally goes on, or whoever wanted to give up takes it back."""
    name, seat = campaign_of(hearing).id, hearing.seat

    def effect(tx: Connection) -> tuple[Part, ...]:
        locked(tx, name)
        here = hearing.campaign
        there = _open(tx, here, seat)
        if there is None:
            return (Note("resign-nothing-open"),)
        own = there.seat == seat
        settle_proposal(tx, name, there.number, "withdrawn" if own else "refused", hearing.office.now())
        stage: GivingUp = "withdrawn" if own else "refused"
        tell_allies(hearing.office, tx, here, stage, seat, allies_of(here, seat), until_of(there))
        return (Note("resign-withdrawn" if own else "resign-refused"),)

    return Deed(effect=effect)


# ------------------------------------------------------------------ HANDOVER


@of_a_seat
def hand_over(hearing: Hearing, command: c.Command) -> Deed:
    """An ally plays the seat from now on; everybody is told."""
    here, name, seat = hearing.campaign, campaign_of(hearing).id, hearing.seat
    if campaign_of(hearing).state != "running":
        lobby = campaign_of(hearing).state == "lobby"
        return said(Note("not-begun" if lobby else "is-over", {"campaign": name}))
    allies = allies_of(here, seat)
    if not allies:
        return said(Note("handover-no-ally"))

    def effect(tx: Connection) -> tuple[Part, ...]:
        if (reason := cannot(hearing, tx)) is not None:
            return (reason,)
        people = {one.seat: one for one in seated(tx, name)}
        willing = missing_words(tuple(people.values()), seat, allies, ())
        heir = people[willing[0]].person if willing else None
        if heir is None:
            return (Note("handover-nobody", {"seats": allies}),)
        before = open_resignations(tx, name)
        give_seat(tx, name, seat, heir.id, hearing.office.now())
        has_changed_hands(hearing.office, tx, here, seat, before)
        memo = handover_memo(name, seat, willing[0])
        tell(hearing.office, tx, here.terms, name, lambda reader: memo, but=seat)
        show_position(hearing.office, tx, take_up(tx, name), seat)
        return (Note("handover-done", {"campaign": name, "who": seat, "to": willing[0]}),)

    return Deed(effect=effect, serious=True, rings=frozenset({name}))


HANDLERS: Handlers = {c.Resign: resign, c.Handover: hand_over}
