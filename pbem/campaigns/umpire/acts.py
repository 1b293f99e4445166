"""The one way an umpire's act goes into the books: a journal line, the act itself, a notice to every seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.recipients import OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.context import ServiceContext
from pbem.errors import PbemError
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, memo_letter, told
from pbem.letters.notices import umpire_notice
from pbem.letters.phrases import spoken
from pbem.store.advance import append_act, frozen_close
from pbem.store.campaigns import Act, CampaignRow, acts, campaign, lock_and_load, record_act
from pbem.store.outbox import OutgoingMail, put_in_outbox
from pbem.store.people import members, person_at, seated, seats_of
from pbem.store.session import Db, writing

UNSEAL = "unseal"


class CannotDo(PbemError):
    """An act that is not possible now: a note for the umpire's letter, one sentence at the terminal."""

    def __init__(self, code: str, **facts: Any) -> None:
        self.note = Note(code, facts)
        super().__init__(told(self.note, spoken("", "en", None)))


@dataclass(frozen=True, slots=True)
class Deciding:
    """What an umpire does: the act's name, why, and who he is (None: at the terminal)."""

    act: str
    reason: str = ""
    by: int | None = None
    public: Mapping[str, Any] = field(default_factory=dict)  # in the record that every seat reads
    hidden: Mapping[str, Any] = field(default_factory=dict)  # for umpires alone
    facts: Mapping[str, Any] = field(default_factory=dict)  # for the notice, beside what is public
    but: str = ""  # a seat that is told otherwise


def standing_for_act(tx: Connection, name: str) -> CampaignRow:
    """The campaign, locked for this act; one that is over is past all umpires."""
    here = lock_and_load(tx, name)
    if here.state == "over":
        raise CannotDo("umpire-over", campaign=name)
    return here


def running_for_act(tx: Connection, name: str) -> CampaignRow:
    """The campaign in play, with no Close under way: its dice are settled, and so is its journal."""
    here = standing_for_act(tx, name)
    if here.state == "lobby":
        raise CannotDo("umpire-lobby", campaign=name)
    if frozen_close(tx, name) is not None:
        raise CannotDo("umpire-not-now", campaign=name)
    return here


def do(service: ServiceContext, tx: Connection, name: str, deciding: Deciding) -> Campaign:
    """Journal, keep and tell an act; returns the campaign as it was taken up for it.

    While a Close is frozen its journal is settled, and before the game begins there is none to go on with:
    then the act is kept and told, and has no line.
    """
    here, now = lock_and_load(tx, name), service.now()
    taken = load_campaign(tx, name)
    kept = Act(deciding.act, deciding.reason, {**deciding.public, **deciding.hidden}, deciding.by)
    letters = notices(service, tx, taken, deciding, now)
    if here.state == "lobby" or frozen_close(tx, name) is not None:
        record_act(tx, name, kept, now)
        put_in_outbox(tx, letters, now)
        return taken
    taken.table.note(deciding.act, deciding.reason, public=dict(deciding.public), **deciding.hidden)
    append_act(tx, name, here.head, taken.table.journal.since(here.length), kept, letters, now)
    return taken


# ------------------------------------------------------------------ telling


def notices(
    service: ServiceContext, tx: Connection, taken: Campaign, deciding: Deciding, now: datetime
) -> list[OutgoingMail]:
    """A notice to every seat that somebody holds, in his language and his time."""
    letters = []
    for one in seated(tx, taken.name):
        recipient = seat_recipient(taken.name, one)
        if recipient is not None and one.seat != deciding.but:
            written = memo_letter(
                notice(taken.name, deciding, recipient), phrases_for(taken.terms, recipient)
            )
            letters.append(letter_to(service, tx, recipient, OutgoingLetter("notice", written), now))
    return letters


def notice(name: str, deciding: Deciding, recipient: Recipient) -> Memo:
    """What the umpire did, and why; moments are told where the reader lives."""
    facts = {
        key: Moment(value, recipient.zone) if isinstance(value, datetime) else value
        for key, value in {**deciding.public, **deciding.facts}.items()
    }
    words = "" if "text" in facts else deciding.reason  # a ruling's words are its reason
    return umpire_notice(name, deciding.act, words, facts)


# ------------------------------------------------------------------ what an umpire may see


def may_see_all(db: Db, name: str, umpire: int | None, house: Sequence[str] = ()) -> bool:
    """May this umpire see what is hidden? One who plays along may not, until an UNSEAL that all know of.

    At the terminal nobody is known (None): there it is enough that one of the campaign's umpires plays, or
    one of the house (their addresses), who are umpires of every campaign.
    """
    here = campaign(db, name)
    if here.state == "over":
        return True
    umpires = _umpires(db, name, house) if umpire is None else {umpire}
    playing = {who for who in sorted(umpires) if any(one == name for one, _ in seats_of(db, who))}
    unsealed = {act.person for _, act in acts(db, name) if act.act == UNSEAL}
    return not playing or (umpire is None and None in unsealed) or playing <= unsealed


def _umpires(db: Db, name: str, house: Sequence[str]) -> set[int]:
    known = [person_at(db, address) for address in house]
    return {one.person.id for one in members(db, name, "umpire")} | {one.id for one in known if one}


RULING = "ruling"


def make_ruling(
    service: ServiceContext, name: str, text: str, by: int | None = None, db: Db | None = None
) -> None:
    """The words stand in the journal, in the record of the next Close, and in a letter to every seat."""
    words = " ".join(text.split())
    if not words:
        raise CannotDo("umpire-no-words")
    with writing(service.db if db is None else db) as tx:
        running_for_act(tx, name)
        do(service, tx, name, Deciding(RULING, words, by, facts={"text": words}))


def unseal(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """From now on this umpire may see everything, by letter and at the terminal."""
    with writing(service.db if db is None else db) as tx:
        standing_for_act(tx, name)
        plays = not may_see_all(tx, name, by, service.profile.umpires)
        do(service, tx, name, Deciding(UNSEAL, reason, by, facts={"plays": plays}))
