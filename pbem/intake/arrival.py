"""A letter that has arrived, what is found out about it on the way, and how it may end before it is heard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection

from pbem.campaigns import policy
from pbem.mail.guard import Quarantine
from pbem.mail.letter import Letter
from pbem.mail.signatures import Signature
from pbem.office import Office
from pbem.orders.words import Writer
from pbem.store.campaigns import Standing
from pbem.store.filing import OpenWindow, called_with_window
from pbem.store.mailbag import Belongs, Received, Settled
from pbem.store.outbox import Posted
from pbem.store.people import Everybody, Member, Person, Seated, everybody

A_MOMENT: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Proof:
    """What speaks for it that a letter comes from whom it names. Kept with the letter: keys are rotated."""

    token: bool = False  # a reply address, or a Message-ID of ours, that the present holder was given
    sender: bool = False  # From is his registered address or a linked one
    pinned: bool = False  # letters from one of his addresses have carried an aligned signature before
    signature: Signature = "unchecked"
    b: str = ""  # of the aligned DKIM signature; goes into the letter's mark
    to_us: bool = False  # that it was written to us is signed, too
    replay: str = ""  # the same for the same signed letter, however it comes
    why: str = ""  # the signature is worth nothing

    def is_given(self, asked: policy.Proof) -> bool:
        """Is it enough for that policy? A token leaks and a From is forged, so neither is enough alone."""
        signed = self.signature == "pass"
        match asked:
            case "token":
                return self.token and self.sender
            case "pinned":
                return self.token and self.sender and (signed or not self.pinned)
            case "dkim":
                return self.token and self.sender and signed

    @property
    def is_sure(self) -> bool:
        """Beyond doubt, as umpires' verbs, resignations and changes of address ask for."""
        return self.token and self.sender and self.signature == "pass" and self.to_us

    def told(self) -> dict[str, Any]:
        """As it is kept."""
        known = {"token": self.token, "sender": self.sender, "dkim": self.signature}
        more = {"b": self.b, "to_us": self.to_us, "replay": self.replay, "why": self.why}
        return known | {name: value for name, value in more.items() if value}


def signature_of(received: Received) -> tuple[Signature, str]:
    """What was found out about the letter's signature when it arrived, and the b= of an aligned one."""
    found = received.proof.get("dkim", "unchecked")
    known: Signature = found if found in ("pass", "fail", "none", "unknown") else "unchecked"
    return known, str(received.proof.get("b", "")) if known == "pass" else ""


@dataclass(slots=True)
class Arrival:
    """A letter and all that the checks have found out about it so far."""

    office: Office
    received: Received
    opened: Letter | Quarantine
    standing: Standing | None = None  # the campaign it is about
    seated: Seated | None = None  # the seat in whose name it speaks
    window: int = 0  # whose token it carries; 0: none
    answered: Posted | None = None  # the letter of ours that it answers
    person: Person | None = None  # whose address it comes from
    roles: tuple[Writer, ...] = ("stranger",)
    proof: Proof = field(default_factory=Proof)
    claimed: tuple[tuple[str, str], ...] = ()  # campaign and seat of the reply addresses, in lower case
    copied_to: tuple[str, ...] = ()  # other seats to whose reply addresses it went as well; "": others
    _called: dict[str, tuple[Standing, OpenWindow | None] | None] = field(default_factory=dict, repr=False)
    _people: dict[str, tuple[list[Seated], list[tuple[str, Member]]]] = field(
        default_factory=dict, repr=False
    )

    @property
    def letter(self) -> Letter:
        assert isinstance(self.opened, Letter), "the first check lets nothing else pass"
        return self.opened

    @property
    def campaign(self) -> str:
        return "" if self.standing is None else self.standing.id

    @property
    def seats(self) -> list[Seated]:
        """The seats of its campaign and who holds them, looked up once."""
        return self.seats_in(self.campaign)

    def seats_in(self, campaign: str) -> list[Seated]:
        return self._everybody_in(campaign)[0]

    def called(self, name: str) -> Standing | None:
        """The campaign of that name in any case, looked up once."""
        found = self._found(name)
        return None if found is None else found[0]

    def window_in(self, name: str) -> OpenWindow | None:
        """Its open window, looked up with it."""
        found = self._found(name)
        return None if found is None else found[1]

    def _found(self, name: str) -> tuple[Standing, OpenWindow | None] | None:
        key = name.lower()
        if key not in self._called:
            self._called[key] = called_with_window(self.office.db, name)
        return self._called[key]

    def members_in(self, campaign: str) -> list[tuple[str, Member]]:
        """Who umpires or watches a campaign, by their roles, looked up once."""
        return self._everybody_in(campaign)[1]

    def _everybody_in(self, campaign: str) -> Everybody:
        if campaign not in self._people:
            self._people[campaign] = everybody(self.office.db, campaign) if campaign else ([], [])
        return self._people[campaign]

    @property
    def belongs(self) -> Belongs:
        """For the mailbag."""
        if isinstance(self.opened, Quarantine):
            return Belongs()
        return Belongs(
            campaign=self.campaign or None,
            seat=None if self.seated is None else self.seated.seat,
            person=None if self.person is None else self.person.id,
            sender=self.letter.sender or None,
            message_id=self.letter.message_id or None,
            proof=self.proof.told(),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a letter that is not heard. The effect runs in the transaction that settles it."""

    state: Settled
    reason: str
    effect: Callable[[Connection], None] | None = None


Check: TypeAlias = Callable[[Arrival], Outcome | None]


class LookAgain(Exception):
    """The letter cannot be heard at this moment: its window is frozen, or DNS does not answer."""

    def __init__(self, reason: str, after: timedelta = A_MOMENT) -> None:
        super().__init__(reason)
        self.reason, self.after = reason, after
