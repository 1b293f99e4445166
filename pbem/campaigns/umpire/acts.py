"""How every umpire's act is recorded: a journal line, the act itself, a notice to every seat.

And the acts that need nothing else: RULING, UNSEAL, FORCE DICE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeAlias

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
from pbem.letters.phrases import NO_FACTS, load_phrases
from pbem.store.advance import append_act, frozen_close
from pbem.store.campaigns import Act, CampaignRow, acts, campaign_row, lock_and_load, record_act
from pbem.store.outbox import put_in_outbox
from pbem.store.people import enrol, members, person_at, seats_of
from pbem.store.session import Db, writing

Facts: TypeAlias = Mapping[str, Any]
RULING, UNSEAL = "ruling", "unseal"
NEWCOMER: Final = 0  # nobody's number: an umpire of the house who has neither written nor acted yet
MOST_DICE = 200


class CannotDo(PbemError):
    """An act that is not possible now: a note for the umpire's letter, one sentence at the terminal."""

    def __init__(self, code: str, **facts: Any) -> None:
        self.note = Note(code, facts)
        super().__init__(note_text(self.note, load_phrases("", "en", None)))


@dataclass(frozen=True, slots=True)
class Umpire:
    """Who acts in which campaign, and why."""

    service: ServiceContext
    campaign: str
    reason: str = ""
    person: int | None = None  # None: at the terminal
    db: Db | None = None  # the transaction of their letter
    address: str = ""  # of a NEWCOMER

    def number(self, tx: Connection) -> int | None:
        """Whose act it is; a newcomer is enrolled with their first act, and with nothing that fails."""
        if self.person != NEWCOMER:
            return self.person
        house = self.service.profile
        return enrol(tx, self.address, house.name, house.language, house.zone, self.service.now())

    @contextmanager
    def lock(self) -> Iterator[tuple[Connection, CampaignRow]]:
        """The campaign, locked for an act; nothing can be done in one that is over."""
        with writing(self.db or self.service.db) as tx:
            row = lock_and_load(tx, self.campaign)
            if row.state == "over":
                raise CannotDo("umpire-over", campaign=self.campaign)
            yield tx, row

    @contextmanager
    def lock_running(self) -> Iterator[tuple[Connection, CampaignRow]]:
        """The same of a campaign in play, with no frozen Close: its dice and its journal are settled."""
        with self.lock() as (tx, row):
            if row.state == "lobby":
                raise CannotDo("umpire-lobby", campaign=self.campaign)
            refuse_frozen(tx, self.campaign)
            yield tx, row

    def perform(
        self, tx: Connection, act: str, public: Facts = NO_FACTS, facts: Facts = NO_FACTS, but: str = ""
    ) -> Campaign:
        """Journal and keep an act and tell every seat; returns the campaign.

        `public` is in the record that every seat reads, `facts` in the notice beside it; `but` is a seat that
        gets another letter. While a Close is frozen its journal is settled, and before the game begins there
        is none: then the act is kept and told, and has no line.
        """
        name, now, service = self.campaign, self.service.now(), self.service
        row, campaign = lock_and_load(tx, name), load_campaign(tx, name)
        kept = Act(act, self.reason, public, self.number(tx))
        letters = [
            memo_to(service, tx, campaign.terms, recipient, act_notice(name, kept, facts, recipient), now=now)
            for recipient in seat_recipients(tx, name)
            if recipient.seat != but
        ]
        if row.state == "lobby" or frozen_close(tx, name) is not None:
            record_act(tx, name, kept, now)
            put_in_outbox(tx, letters, now)
            return campaign
        campaign.table.note(act, self.reason, public=dict(public))
        append_act(tx, name, row.head, campaign.table.journal.since(row.length), kept, letters, now)
        return campaign


def refuse_frozen(tx: Connection, name: str) -> None:
    """Raise CannotDo while a Close is frozen."""
    if frozen_close(tx, name) is not None:
        raise CannotDo("umpire-not-now", campaign=name)


def act_notice(name: str, act: Act, more: Facts, recipient: Recipient) -> Memo:
    """What the umpire did, and why, with times in the recipient's zone."""
    facts = {
        key: Moment(value, recipient.zone) if isinstance(value, datetime) else value
        for key, value in {**act.data, **more}.items()
    }
    reason = "" if "text" in facts else act.reason  # a ruling's words are its reason
    return umpire_notice(name, act.act, reason, facts)


def refuse_lines(campaign: Campaign, seat: Seat, refusals: Sequence[Refusal]) -> None:
    """Raise CannotDo if there are refusals of lines that the umpire wrote for a seat, with all of them."""
    if refusals:
        phrases = load_phrases(campaign.terms.game.id, "en", campaign.terms.pack)
        sentences = [phrases.refusal(refusal) for refusal in refusals]
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=sentences)


def refuse_sealed(umpire: Umpire, db: Db) -> None:
    """Raise CannotDo for an umpire who plays and has not unsealed the campaign."""
    if not may_see_all(db, umpire.campaign, umpire.person, umpire.service.profile.umpires):
        raise CannotDo("umpire-sealed", campaign=umpire.campaign)


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


def make_ruling(umpire: Umpire, text: str) -> None:
    """The words go into the journal, the record of the next Close, and a letter to every seat."""
    words = " ".join(text.split())
    if not words:
        raise CannotDo("umpire-no-words")
    with umpire.lock_running() as (tx, _):
        replace(umpire, reason=words).perform(tx, RULING, facts={"text": words})


def unseal(umpire: Umpire) -> None:
    """From now on this umpire may see everything, by letter and at the terminal."""
    with umpire.lock() as (tx, row):
        plays = not may_see_all(tx, row.id, umpire.person, umpire.service.profile.umpires)
        umpire.perform(tx, UNSEAL, facts={"plays": plays})


def force_dice(umpire: Umpire, faces: Sequence[int]) -> None:
    """Force the next rolls; journal, record and letters mark them. The Close after this act spends them."""
    if not faces or len(faces) > MOST_DICE or min(faces) < 1:
        raise CannotDo("umpire-bad-dice", most=MOST_DICE)
    with umpire.lock_running() as (tx, row):
        pack = load_campaign(tx, row.id).terms.pack
        sides = pack.die_sides
        if sides is not None and max(faces) > sides:  # it would lapse unseen, though all were told of it
            raise CannotDo("umpire-no-such-face", face=max(faces), sides=sides)
        shown = [face_writer(pack)(face) for face in faces]
        umpire.perform(tx, FORCE_DICE, {"faces": list(faces)}, {"faces": shown})
