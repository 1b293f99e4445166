"""The one way an umpire's act goes into the books: a journal line, the act itself, a notice to every seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.recipients import OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.campaigns.umpire.dice import FORCE_DICE
from pbem.context import ServiceContext
from pbem.errors import PbemError
from pbem.letters.dates import Moment
from pbem.letters.dice import face_writer, sides_of
from pbem.letters.memo import Memo, Note, memo_letter, note_text
from pbem.letters.notices import umpire_notice
from pbem.letters.phrases import load_phrases
from pbem.store.advance import frozen_close, note_act
from pbem.store.campaigns import Act, CampaignRow, acts, campaign, keep_act, locked
from pbem.store.outbox import Outgoing, put_in_outbox
from pbem.store.people import members, person_at, seated, seats_of
from pbem.store.session import Db, writing

UNSEAL = "unseal"


class CannotDo(PbemError):
    """An act that is not possible now: a note for the umpire's letter, one sentence at the terminal."""

    def __init__(self, code: str, **facts: Any) -> None:
        self.note = Note(code, facts)
        super().__init__(note_text(self.note, load_phrases("", "en", None)))


@dataclass(frozen=True, slots=True)
class UmpireAct:
    """What an umpire does: the act's name, why, and who he is (None: at the terminal)."""

    act: str
    reason: str = ""
    by: int | None = None
    public: Mapping[str, Any] = field(default_factory=dict)  # in the record that every seat reads
    hidden: Mapping[str, Any] = field(default_factory=dict)  # for umpires alone
    facts: Mapping[str, Any] = field(default_factory=dict)  # for the notice, beside what is public
    but: str = ""  # a seat that is told otherwise


def lock_campaign(tx: Connection, name: str) -> CampaignRow:
    """The campaign, locked for this act; one that is over is past all umpires."""
    here = locked(tx, name)
    if here.state == "over":
        raise CannotDo("umpire-over", campaign=name)
    return here


def lock_running_campaign(tx: Connection, name: str) -> CampaignRow:
    """The campaign in play, with no Close under way: its dice are settled, and so is its journal."""
    here = lock_campaign(tx, name)
    if here.state == "lobby":
        raise CannotDo("umpire-lobby", campaign=name)
    if frozen_close(tx, name) is not None:
        raise CannotDo("umpire-not-now", campaign=name)
    return here


def record_act(service: ServiceContext, tx: Connection, name: str, deciding: UmpireAct) -> Campaign:
    """Journal, keep and tell an act; returns the campaign as it was taken up for it.

    While a Close is frozen its journal is settled, and before the game begins there is none to go on with:
    then the act is kept and told, and has no line.
    """
    here, now = locked(tx, name), service.now()
    taken = load_campaign(tx, name)
    kept = Act(deciding.act, deciding.reason, {**deciding.public, **deciding.hidden}, deciding.by)
    letters = act_notices(service, tx, taken, deciding, now)
    if here.state == "lobby" or frozen_close(tx, name) is not None:
        keep_act(tx, name, kept, now)
        put_in_outbox(tx, letters, now)
        return taken
    taken.table.note(deciding.act, deciding.reason, public=dict(deciding.public), **deciding.hidden)
    note_act(tx, name, here.head, taken.table.journal.since(here.length), kept, letters, now)
    return taken


# ------------------------------------------------------------------ telling


def act_notices(
    service: ServiceContext, tx: Connection, taken: Campaign, deciding: UmpireAct, now: datetime
) -> list[Outgoing]:
    """A notice to every seat that somebody holds, in his language and his time."""
    letters = []
    for one in seated(tx, taken.name):
        recipient = seat_recipient(taken.name, one)
        if recipient is not None and one.seat != deciding.but:
            written = memo_letter(
                act_notice(taken.name, deciding, recipient), phrases_for(taken.terms, recipient)
            )
            letters.append(letter_to(service, tx, recipient, OutgoingLetter("notice", written), now))
    return letters


def act_notice(name: str, deciding: UmpireAct, recipient: Recipient) -> Memo:
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
        lock_running_campaign(tx, name)
        record_act(service, tx, name, UmpireAct(RULING, words, by, facts={"text": words}))


def unseal(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> None:
    """From now on this umpire may see everything, by letter and at the terminal."""
    with writing(service.db if db is None else db) as tx:
        lock_campaign(tx, name)
        plays = not may_see_all(tx, name, by, service.profile.umpires)
        record_act(service, tx, name, UmpireAct(UNSEAL, reason, by, facts={"plays": plays}))


MOST_DICE = 200


def force_dice(
    service: ServiceContext,
    name: str,
    faces: Sequence[int],
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> None:
    """They stand as forced in journal, record and letters; the Close after this act spends them."""
    if not faces or len(faces) > MOST_DICE or min(faces) < 1:
        raise CannotDo("umpire-bad-dice", most=MOST_DICE)
    with writing(service.db if db is None else db) as tx:
        lock_running_campaign(tx, name)
        pack = load_campaign(tx, name).terms.pack
        sides = sides_of(pack)
        if sides is not None and max(faces) > sides:  # it would lapse unseen, though all were told of it
            raise CannotDo("umpire-no-such-face", face=max(faces), sides=sides)
        shown = {"faces": [face_writer(pack)(face) for face in faces]}
        record_act(service, tx, name, UmpireAct(FORCE_DICE, reason, by, {"faces": list(faces)}, facts=shown))
