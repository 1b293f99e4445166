"""A letter being heard: who wrote it, in which campaign, and what comes of each thing it asks for.

Every verb has a handler, `(hearing, command) -> Deed`. A handler computes what can be computed beforehand,
outside any transaction, and gives back what the answer says and an effect. The effects of all deeds of a
letter run in one short transaction, together with the letter's outcome and the receipt: all or nothing, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, cast

from sqlalchemy import Connection

from engine.kernel.game import Language
from pbem.campaigns.campaign import Campaign, load_campaign, load_open_campaign
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import Recipient, phrases_for
from pbem.context import ServiceContext
from pbem.letters.memo import Part
from pbem.letters.phrases import Phrases
from pbem.mail.compose import Enclosure
from pbem.mail.message import Letter
from pbem.orders.understood import Command, Writer
from pbem.store.campaigns import CampaignRow
from pbem.store.inbox import Received
from pbem.store.outbox import Posted
from pbem.store.people import Person, Seated
from pbem.store.windows import OpenWindow, Stamp


@dataclass(frozen=True)
class LetterContext:
    """A letter whose sender is known as well as he can be, read in its own circumstances."""

    service: ServiceContext
    received: Received
    letter: Letter
    recipient: Recipient  # where the answer goes, and in whose name: a registered address, never another
    roles: tuple[Writer, ...]
    person: Person | None = None
    campaign_row: CampaignRow | None = None  # the campaign, if it is about one
    seat: str = ""
    window: OpenWindow | None = None  # open (or frozen) now
    answers_window: int = 0  # the window whose token or thread the letter carries; 0: none
    answered: Posted | None = None  # the letter of ours that it answers
    stamp: Stamp | None = None
    proven: bool = False  # the sender proof of the campaign's policy is given
    sure: bool = False  # proven beyond doubt (DKIM), or this is what a CONFIRM runs
    people: tuple[Seated, ...] | None = None  # the campaign's seats, if they were read with it

    @property
    def language(self) -> Language:
        return cast(Language, self.recipient.language)

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign taken up; nothing that is done to it here is kept."""
        assert self.campaign_row is not None, "a letter about no campaign"
        if self.people is None:
            return load_campaign(self.service.db, self.campaign_row.id)
        return load_open_campaign(self.service.db, self.campaign_row, self.people)

    @cached_property
    def policy(self) -> Policy:
        assert self.campaign_row is not None, "a letter about no campaign"
        return read_policy(self.campaign_row.policy)

    @cached_property
    def phrases(self) -> Phrases:
        """The reader's words, with the game's if it is about a campaign."""
        return phrases_for(None if self.campaign_row is None else self.campaign.terms, self.recipient)


Effect: TypeAlias = Callable[[Connection], Sequence[Part]]


@dataclass(frozen=True, slots=True)
class VerbResult:
    """What comes of a command."""

    answer: tuple[Part, ...] = ()  # said in any case
    effect: Effect | None = None  # done in the letter's transaction; what it returns is said as well
    serious: bool = False  # done only if the hearing is sure; otherwise held until CONFIRM
    rings: frozenset[str] = field(default_factory=frozenset)  # campaigns to be looked at afterwards
    enclosures: tuple[Enclosure, ...] = ()  # files that go with the answer
    salt: str = ""  # SALT: the player's words, for the letter's mark (`Sent.salt`)


Handler: TypeAlias = Callable[[LetterContext, Command], VerbResult]
Handlers: TypeAlias = Mapping[type[Command], Handler]
