"""RESIGN, STOP, WATCH: leaving a seat, leaving the letters, coming to watch."""

from __future__ import annotations

from sqlalchemy import Connection

from pbem.bots import usual_bot
from pbem.campaigns.hearing import Deed, Handlers, Hearing
from pbem.campaigns.requests.asked import campaign_of, of_a_seat, said, send, tell, umpires_of
from pbem.orders import commands as c
from pbem.orders.suggest import near
from pbem.report.memo import Memo, Note, Part
from pbem.report.notices import resignation_memo
from pbem.store.campaigns import Standing, all_campaigns, campaign_called, locked
from pbem.store.people import (
    be_quiet,
    confirm_member,
    enrol,
    give_seat,
    give_to_bot,
    join,
    leave,
    memberships,
    seats_of,
)

# ------------------------------------------------------------------ RESIGN


@of_a_seat
def resign(hearing: Hearing, command: c.Command) -> Deed:
    """The seat is vacant from now on, or a bot plays it, as the campaign agreed; everybody is told."""
    here = campaign_of(hearing)
    if here.state == "over":
        return said(Note("is-over", {"campaign": here.id}))
    then = hearing.policy.resigned

    def effect(tx: Connection) -> tuple[Part, ...]:
        if locked(tx, here.id).state == "over":
            return (Note("is-over", {"campaign": here.id}),)
        give_seat(tx, here.id, hearing.seat, None, hearing.office.now())
        if then == "automa":
            give_to_bot(tx, here.id, hearing.seat, usual_bot(hearing.campaign.terms.game))
        memo = resignation_memo(here.id, hearing.seat, then)
        tell(hearing.office, tx, hearing.campaign.terms, here.id, lambda reader: memo, but=hearing.seat)
        return (Note("left-seat", {"campaign": here.id, "who": hearing.seat}),)

    return Deed(effect=effect, serious=True, rings=frozenset({here.id}))


# ------------------------------------------------------------------ STOP


def stop(hearing: Hearing, command: c.Command) -> Deed:
    """Those who watch or signed up get no more letters. For a seat it is a question, never a resignation."""
    assert isinstance(command, c.Stop)
    if hearing.seat:
        return _stop_of_a_seat(hearing)
    if (person := hearing.person) is None:
        return said(Note("stop-nothing"))
    named = command.campaign or (hearing.standing.id if hearing.standing is not None else "")
    meant = campaign_called(hearing.office.db, named) if named else None
    if named and meant is None:
        return said(_unknown(hearing, named))

    def effect(tx: Connection) -> tuple[Part, ...]:
        mine = [
            (name, role) for name, role in memberships(tx, person.id) if meant is None or name == meant.id
        ]
        left = {name for name, role in mine if role == "observer" and leave(tx, name, person.id, "observer")}
        left |= {name for name, role in mine if role == "signup" and leave(tx, name, person.id, "signup")}
        if left:
            return (Note("stop-done", {"campaigns": sorted(left)}),)
        playing = sorted({name for name, _ in seats_of(tx, person.id) if meant is None or name == meant.id})
        if playing:
            return (Note("stop-plays", {"campaigns": playing}),)
        return (Note("stop-umpire" if any(role == "umpire" for _, role in mine) else "stop-nothing"),)

    return Deed(effect=effect)


def _stop_of_a_seat(hearing: Hearing) -> Deed:
    """Once it is confirmed: no more letters until he writes again, the seat stays his, the umpire is told."""
    here = campaign_of(hearing).id
    facts = {"campaign": here, "who": hearing.seat}

    def effect(tx: Connection) -> tuple[Part, ...]:
        be_quiet(tx, here, hearing.seat, True)
        memo = Memo(
            Note("quiet-subject", facts), Note("quiet-seat", facts), (Note("quiet-umpire", facts),), here
        )
        for reader in umpires_of(tx, here):
            if reader.person != hearing.reader.person:
                send(hearing.office, tx, hearing.campaign.terms, reader, memo)
        return (Note("stop-quiet", facts),)

    return Deed(effect=effect, serious=True)


# ------------------------------------------------------------------ WATCH


def watch(hearing: Hearing, command: c.Command) -> Deed:
    """Somebody wants the letters that everyone may read. One whom nobody knows yet confirms it by reply."""
    assert isinstance(command, c.Watch)
    named = command.campaign or (hearing.standing.id if hearing.standing is not None else "")
    if not named:
        return said(Note("watch-which"))
    meant = campaign_called(hearing.office.db, named)
    if meant is None:
        return said(_unknown(hearing, named))
    if meant.state == "over":
        return said(Note("is-over", {"campaign": meant.id}))
    person = hearing.person
    if person is not None and meant.id in {name for name, _ in seats_of(hearing.office.db, person.id)}:
        return said(Note("watch-plays", {"campaign": meant.id}))
    return Deed(effect=lambda tx: _joined(hearing, tx, meant), serious=person is None)


def _joined(hearing: Hearing, tx: Connection, meant: Standing) -> tuple[Part, ...]:
    now, reader = hearing.office.now(), hearing.reader
    if hearing.person is not None:
        person = hearing.person.id
    else:
        told = (reader.address, reader.name or hearing.letter.sender_name, reader.language, reader.zone)
        person = enrol(tx, *told, now)
    new = join(tx, meant.id, person, "observer", now)
    confirm_member(tx, meant.id, person, "observer", now)
    facts = {"campaign": meant.id, "lobby": meant.state == "lobby"}
    return (Note("watch-begun" if new else "watch-again", facts),)


def _unknown(hearing: Hearing, named: str) -> Note:
    known = [one.id for one in all_campaigns(hearing.office.db, "lobby", "running")]
    return Note("no-such-campaign", {"named": named[:40], "campaigns": near(named, known)})


HANDLERS: Handlers = {c.Resign: resign, c.Stop: stop, c.Watch: watch}
