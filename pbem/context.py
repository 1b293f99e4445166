"""What every part of the service works with: the database, the addresses, the clock, the house's own ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Engine

from engine.kernel.game import Language
from pbem.mail.addresses import SeatAddresses
from pbem.mail.dkim import Proof, SenderProof
from pbem.store.campaigns import service_key

ADDRESSES_KEY = "addresses"  # the service's key that tags and Message-IDs are made with


def current_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ServiceProfile:
    """Who runs the service, and what goes without saying there."""

    name: str = "The Umpire"  # as letters are signed
    umpires: tuple[str, ...] = ()  # addresses that may open campaigns by letter, and hear of troubles
    language: Language = "en"  # for those whose own nobody knows
    zone: str = "UTC"
    proof: Proof = "pinned"  # of campaigns that do not say otherwise


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """One service. Two workers of one service have equal offices."""

    db: Engine
    addresses: SeatAddresses = field(repr=False)
    profile: ServiceProfile = field(default_factory=ServiceProfile)
    now: Callable[[], datetime] = current_time
    sender_proof: SenderProof = field(default_factory=SenderProof)


def open_context(
    db: Engine, mailbox: str, profile: ServiceProfile | None = None, authserv_id: str = ""
) -> ServiceContext:
    """The office of the service whose letters come to this address."""
    addresses = SeatAddresses(service_key(db, ADDRESSES_KEY), mailbox)
    return ServiceContext(
        db, addresses, profile or ServiceProfile(), sender_proof=SenderProof(authserv_id=authserv_id)
    )
