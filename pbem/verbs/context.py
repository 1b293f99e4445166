"""What is known about a letter, and what a verb makes of it.

`LetterContext` is the third of a letter's six forms (docs/architecture.md). Intake makes it and the verbs
read it; it lives here because intake imports the verbs.

A verb's handler, `(context, command) -> VerbResult`, computes what can be computed outside
any transaction, and returns what the answer says and an effect. The effects of a letter's commands run in
one short transaction, together with the letter's outcome and the receipt: all or nothing, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, cached_property, partial
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Connection

from engine.kernel.game import Language
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_open_campaign
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import Recipient, phrases_for
from pbem.campaigns.terms import title_for
from pbem.context import ServiceContext
from pbem.letters.memo import Part
from pbem.letters.phrases import Phrases
from pbem.mail import dkim
from pbem.mail.compose import Enclosure
from pbem.mail.message import Letter
from pbem.orders.understood import Writer
from pbem.settings import ProofPolicy
from pbem.store.campaigns import CampaignRow
from pbem.store.inbox import Belongs, RawMail
from pbem.store.outbox import Posted
from pbem.store.people import Member, Person, Seated, campaigns_of, everybody
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, Stamp, find_campaign_and_window

PLAUSIBLE: Final = timedelta(days=7)  # a Date further off than this is ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What speaks for a letter's sender. Kept with the letter, because keys are rotated."""

    token: bool = False  # a reply address, or a Message-ID of ours, that the present holder was given
    sender: bool = False  # From is a registered or linked address of theirs
    pinned: bool = False  # letters from one of their addresses have carried an aligned signature before
    signature: dkim.Signature = "unchecked"
    b: str = ""  # of the aligned DKIM signature; goes into the letter's mark
    to_us: bool = False  # the signature covers that it was written to us
    thread: bool = False  # it covers which letter is answered, or that none is
    replay: str = ""  # the same for the same signed letter, however it comes
    why: str = ""  # why the signature is worth nothing
    altered: bool = (
        False  # the same signed letter came before, to be read otherwise: one of them is not genuine
    )

    def is_given(self, required: ProofPolicy) -> bool:
        """Is it enough for that policy? A token leaks and a From is forged, so neither is enough alone."""
        signed = self.is_signed
        match required:
            case "token":
                return self.token and self.sender
            case "pinned":
                return self.token and self.sender and (signed or not self.pinned)
            case "dkim":
                return self.token and self.sender and signed

    @property
    def is_signed(self) -> bool:
        return self.signature == "pass" and not self.altered

    @property
    def is_sure(self) -> bool:
        """Beyond doubt, as umpires' verbs, resignations and changes of address require."""
        return self.is_given("dkim") and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Does the signature leave nothing of its way open: to whom, and in answer to what?"""
        return self.to_us and self.thread

    @property
    def may_answer_another(self) -> bool:
        """Is it signed, and anybody may have said, or left out, which letter it answers?"""
        return self.signature == "pass" and not self.thread

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        """As far as it was found out."""
        found = data.get("dkim")
        signature: dkim.Signature = found if found in ("pass", "fail", "none", "unknown") else "unchecked"
        told = ("token", "sender", "to_us", "thread", "replay", "why", "altered")
        known = {name: data[name] for name in told if name in data}
        return cls(**known, signature=signature, b=data.get("b", "") if signature == "pass" else "")

    def to_dict(self) -> dict[str, Any]:
        """As it is stored."""
        known = {"token": self.token, "sender": self.sender, "dkim": self.signature}
        more = {"b": self.b, "to_us": self.to_us, "thread": self.thread}
        more |= {"replay": self.replay, "why": self.why, "altered": self.altered}
        return known | {name: value for name, value in more.items() if value}


class StoreView:
    """The campaigns and people of one letter, each read from the store once."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._find = cache(partial(find_campaign_and_window, db))
        self._people = cache(partial(everybody, db))
        self.campaigns_of = cache(partial(campaigns_of, db))  # by a person's number
        self._campaigns: dict[str, Campaign] = {}

    def campaign_row(self, name: str) -> CampaignRow | None:
        """The campaign of that name, in upper or lower case."""
        found = self._find(name.lower())
        return None if found is None else found[0]

    def window(self, name: str) -> OpenWindow | None:
        """Its open (or frozen) window."""
        found = self._find(name.lower())
        return None if found is None else found[1]

    def seats(self, name: str) -> list[Seated]:
        """Its seats and who holds them."""
        return self._people(name)[0] if name else []

    def seat(self, name: str, seat: str | None) -> Seated | None:
        """One of its seats, in upper or lower case."""
        wanted = (seat or "").lower()
        return next((one for one in self.seats(name) if one.seat.lower() == wanted), None)

    def members(self, name: str) -> list[tuple[str, Member]]:
        """Who umpires or watches it, by their roles."""
        return self._people(name)[1] if name else []

    def campaign(self, row: CampaignRow) -> Campaign:
        """The campaign itself; nothing that is done to it is kept."""
        if row.id not in self._campaigns:
            self._campaigns[row.id] = load_open_campaign(self._db, row, self.seats(row.id))
        return self._campaigns[row.id]


@dataclass(frozen=True, kw_only=True)
class LetterContext:
    """A letter and all that is known about it. At first it is a stranger's, about no campaign."""

    service: ServiceContext
    mail: RawMail
    letter: Letter
    store: StoreView = field(repr=False)
    stamp: Stamp  # when it was written and when it came
    recipient: Recipient  # where the answer goes, and in whose name: a registered address, never another
    roles: tuple[Writer, ...] = ("stranger",)
    writer: Person | None = None  # whose address it comes from
    campaign_row: CampaignRow | None = None  # the campaign, if it is about one
    seated: Seated | None = None  # the seat in whose name it speaks
    answers_window: int = 0  # the window whose token or thread the letter carries; 0: none
    answered: Posted | None = None  # the letter of ours that it answers
    claimed: tuple[tuple[str, str], ...] = ()  # campaign and seat of the reply addresses, in lower case
    copied_to: tuple[str, ...] = ()  # other seats whose reply addresses it also went to; "": somebody else
    proof: Proof = Proof()
    proven: bool = False  # the proof that the campaign's policy requires is given
    sure: bool = False  # proven beyond doubt (DKIM), or this is what a CONFIRM runs

    @property
    def person(self) -> Person | None:
        """In whose name it speaks: the holder of its seat, or else its writer."""
        return self.writer if self.seated is None else self.seated.person

    @property
    def belongs(self) -> Belongs:
        """What the inbox keeps of that."""
        return Belongs(
            campaign=self.campaign_name or None,
            seat=self.seat or None,
            person=None if self.writer is None else self.writer.id,
            sender=self.letter.sender or None,
            message_id=self.letter.message_id or None,
            proof=self.proof.to_dict() | {"read": self.letter.digest},
        )

    @property
    def person_id(self) -> int | None:
        return None if self.person is None else self.person.id

    @property
    def seat(self) -> Seat:
        return Seat("" if self.seated is None else self.seated.seat)

    @property
    def campaign_name(self) -> str:
        return "" if self.campaign_row is None else self.campaign_row.id

    @property
    def seats(self) -> list[Seated]:
        """The seats of its campaign and who holds them."""
        return self.store.seats(self.campaign_name)

    @property
    def window(self) -> OpenWindow | None:
        """The window that is open (or frozen) now."""
        return None if self.campaign_row is None else self.store.window(self.campaign_row.id)

    @property
    def required_proof(self) -> ProofPolicy:
        house = self.service.profile.proof
        return house if self.campaign_row is None else self.campaign_row.policy.get("proof", house)

    @property
    def language(self) -> Language:
        return cast(Language, self.recipient.language)

    @property
    def campaign(self) -> Campaign:
        assert self.campaign_row is not None, "a letter about no campaign"
        return self.store.campaign(self.campaign_row)

    @cached_property
    def policy(self) -> Policy:
        assert self.campaign_row is not None, "a letter about no campaign"
        return read_policy(self.campaign_row.policy)

    @property
    def title(self) -> str:
        """Of its campaign, in the recipient's language; "": it is about none."""
        row = self.campaign_row
        return "" if row is None else title_for(self.campaign.terms, row.title, self.language)

    @cached_property
    def phrases(self) -> Phrases:
        """The recipient's words, with the game's if it is about a campaign."""
        return phrases_for(None if self.campaign_row is None else self.campaign.terms, self.recipient)


def new_context(service: ServiceContext, mail: RawMail, letter: Letter) -> LetterContext:
    """Before anything is known: a stranger's letter about no campaign."""
    house = service.profile
    return LetterContext(
        service=service,
        mail=mail,
        letter=letter,
        store=StoreView(service.db),
        stamp=_stamp(letter, mail.arrived, mail.id),
        recipient=Recipient(
            address=letter.sender, name=letter.sender_name, language=house.language, zone=house.zone
        ),
    )


def _stamp(letter: Letter, arrived: datetime, number: int) -> Stamp:
    """A Date after the arrival counts as the arrival; one more than a week off is ignored."""
    dated = letter.date
    if dated is None or abs(arrived - dated) > PLAUSIBLE:
        return Stamp(arrived, None, number)
    return Stamp(arrived, min(dated, arrived), number)


Effect: TypeAlias = Callable[[Connection], Sequence[Part]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbResult:
    """What comes of a command."""

    answer: tuple[Part, ...] = ()  # said in any case
    meaning: tuple[Part, ...] = ()  # what it comes to: said where it is asked whether it is meant
    effect: Effect | None = None  # done in the letter's transaction; what it returns is said as well
    serious: bool = False  # done only if the sender is sure; otherwise held until CONFIRM
    adjudicate: frozenset[str] = frozenset()  # campaigns that may go on afterwards
    enclosures: tuple[Enclosure, ...] = ()  # files that go with the answer
    salt: str = ""  # SALT: the player's words, for the letter's mark (`Sent.salt`)
