"""How every umpire's act is recorded: a journal line, the act itself, a notice to every seat.

And the acts that need nothing else: RULING, UNSEAL, FORCE DICE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from engine.kernel.errors import Refusal
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.notify import memo_to
from pbem.campaigns.recipients import Recipient, seat_recipients
from pbem.campaigns.umpire.dice import FORCE_DICE
from pbem.context import ServiceContext
from pbem.errors import PbemError
from pbem.letters.dates import Moment
from pbem.letters.dice import face_writer
from pbem.letters.memo import Memo, Note, note_text
from pbem.letters.notices import umpire_notice
from pbem.letters.phrases import load_phrases
from pbem.store.advance import append_act, frozen_close
from pbem.store.campaigns import Act, CampaignRow, acts, campaign_row, lock_and_load, record_act
from pbem.store.outbox import put_in_outbox
from pbem.store.people import members, person_at, seats_of
from pbem.store.session import Db, writing

RULING, UNSEAL = "ruling", "unseal"
MOST_DICE = 200


class CannotDo(PbemError):
    """An act that is not possible now: a note for the umpire's letter, one sentence at the terminal."""

    def __init__(self, code: str, **facts: Any) -> None:
        self.note = Note(code, facts)
        super().__init__(note_text(self.note, load_phrases("", "en", None)))


@dataclass(frozen=True, slots=True, kw_only=True)
class UmpireAct:
    """What an umpire does: the act's name, why, and who they are (None: at the terminal)."""

    act: str
    reason: str = ""
    by: int | None = None
    public: Mapping[str, Any] = field(default_factory=dict)  # in the record that every seat reads
    facts: Mapping[str, Any] = field(default_factory=dict)  # for the notice, beside what is public
    but: str = ""  # a seat that gets another letter


def lock_campaign(tx: Connection, name: str) -> CampaignRow:
    """Lock a campaign for an act; nothing can be done in one that is over."""
    row = lock_and_load(tx, name)
    if row.state == "over":
        raise CannotDo("umpire-over", campaign=name)
    return row


def lock_running_campaign(tx: Connection, name: str) -> CampaignRow:
    """Lock a campaign in play, with no frozen Close: its dice and its journal are settled."""
    row = lock_campaign(tx, name)
    if row.state == "lobby":
        raise CannotDo("umpire-lobby", campaign=name)
    if frozen_close(tx, name) is not None:
        raise CannotDo("umpire-not-now", campaign=name)
    return row


def perform_act(service: ServiceContext, tx: Connection, name: str, act: UmpireAct) -> Campaign:
    """Journal and keep an act and tell every seat; returns the campaign.

    While a Close is frozen its journal is settled, and before the game begins there is none: then the act is
    kept and told, and has no line.
    """
    row, now = lock_and_load(tx, name), service.now()
    campaign = load_campaign(tx, name)
    kept = Act(act.act, act.reason, dict(act.public), act.by)
    letters = [
        memo_to(service, tx, campaign.terms, recipient, act_notice(name, act, recipient), now=now)
        for recipient in seat_recipients(tx, name)
        if recipient.seat != act.but
    ]
    if row.state == "lobby" or frozen_close(tx, name) is not None:
        record_act(tx, name, kept, now)
        put_in_outbox(tx, letters, now)
        return campaign
    campaign.table.note(act.act, act.reason, public=dict(act.public))
    append_act(tx, name, row.head, campaign.table.journal.since(row.length), kept, letters, now)
    return campaign


def act_notice(name: str, act: UmpireAct, recipient: Recipient) -> Memo:
    """What the umpire did, and why, with times in the recipient's zone."""
    facts = {
        key: Moment(value, recipient.zone) if isinstance(value, datetime) else value
        for key, value in {**act.public, **act.facts}.items()
    }
    reason = "" if "text" in facts else act.reason  # a ruling's words are its reason
    return umpire_notice(name, act.act, reason, facts)


def refuse_lines(campaign: Campaign, seat: Seat, refusals: Sequence[Refusal]) -> None:
    """Raise CannotDo if there are refusals of lines that the umpire wrote for a seat, with all of them."""
    if refusals:
        phrases = load_phrases(campaign.terms.game.id, "en", campaign.terms.pack)
        sentences = [phrases.refusal(refusal) for refusal in refusals]
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=sentences)


def may_see_all(db: Db, name: str, umpire: int | None, house: Sequence[str] = ()) -> bool:
    """May this umpire see what is hidden? Umpires who play may not, until an UNSEAL that all know of.

    At the terminal nobody is known (None): there it is enough that one of the campaign's umpires plays, or
    one of the service's (their addresses), who are umpires of every campaign.
    """
    if campaign_row(db, name).state == "over":
        return True
    umpires = {umpire}
    if umpire is None:
        known = [person_at(db, address) for address in house]
        umpires = {member.person.id for member in members(db, name, "umpire")}
        umpires |= {person.id for person in known if person}
    playing = {who for who in umpires if who is not None and name in dict(seats_of(db, who))}
    unsealed = {act.person for _, act in acts(db, name) if act.act == UNSEAL}
    return not playing or (umpire is None and None in unsealed) or playing <= unsealed


# ------------------------------------------------------------------ acts


def make_ruling(
    service: ServiceContext, name: str, text: str, by: int | None = None, db: Db | None = None
) -> None:
    """The words go into the journal, the record of the next Close, and a letter to every seat."""
    words = " ".join(text.split())
    if not words:
        raise CannotDo("umpire-no-words")
    with writing(db or service.db) as tx:
        lock_running_campaign(tx, name)
        perform_act(service, tx, name, UmpireAct(act=RULING, reason=words, by=by, facts={"text": words}))


def unseal(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """From now on this umpire may see everything, by letter and at the terminal."""
    with writing(db or service.db) as tx:
        lock_campaign(tx, name)
        plays = not may_see_all(tx, name, by, service.profile.umpires)
        perform_act(service, tx, name, UmpireAct(act=UNSEAL, reason=reason, by=by, facts={"plays": plays}))


def force_dice(
    service: ServiceContext,
    name: str,
    faces: Sequence[int],
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> None:
    """Force the next rolls; journal, record and letters mark them. The Close after this act spends them."""
    if not faces or len(faces) > MOST_DICE or min(faces) < 1:
        raise CannotDo("umpire-bad-dice", most=MOST_DICE)
    with writing(db or service.db) as tx:
        lock_running_campaign(tx, name)
        pack = load_campaign(tx, name).terms.pack
        sides = pack.die_sides
        if sides is not None and max(faces) > sides:  # it would lapse unseen, though all were told of it
            raise CannotDo("umpire-no-such-face", face=max(faces), sides=sides)
        shown, public = [face_writer(pack)(face) for face in faces], {"faces": list(faces)}
        act = UmpireAct(act=FORCE_DICE, reason=reason, by=by, public=public, facts={"faces": shown})
        perform_act(service, tx, name, act)
