"""A campaign that waits for letters, and letters that arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pbem.intake.receive import receive_letter
from pbem.store.inbox import RawMail, letter
from pbem.store.outbox import Posted, posted
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.stores import FILE, copied_store, file_of


@dataclass
class Intake:
    """Letters come in, and what became of them can be read."""

    at: AtHand
    to_adjudicate: frozenset[str] = frozenset()

    def receives(self, raw: bytes, **when: Any) -> RawMail:
        """A letter arrives and is processed."""
        return self.processes(self.at.arrives(raw, **when))

    def processes(self, number: int) -> RawMail:
        self.to_adjudicate = receive_letter(self.at.service, number, "worker")
        found = letter(self.at.db, number)
        assert found is not None
        return found

    def says(self, seat: str, text: str, **changes: Any) -> RawMail:
        """A plain reply of a seat, processed."""
        return self.receives(self.at.reply(seat, text, **changes))

    def last(self, seat: str, kind: str = "") -> Posted:
        return self.at.letters(seat, kind)[0]


def words(posted: Posted) -> str:
    """The text of a letter of ours, in one line."""
    message = message_from_bytes(posted.letter.body, policy=policy.default)
    body = message.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


def all_to(intake: Intake, address: str) -> list[Posted]:
    """Every letter to an address, whatever it is about, newest first."""
    with reading(intake.at.db) as tx:
        chosen = select(outbox.c.message_id).where(outbox.c.recipient == address)
        names = list(tx.execute(chosen.order_by(outbox.c.id.desc())).scalars())
    return [found for name in names if (found := posted(intake.at.db, name)) is not None]


def newest_to(intake: Intake, address: str) -> str:
    found = all_to(intake, address)
    return words(found[0]) if found else ""


def number_to(intake: Intake, address: str) -> int:
    return len(all_to(intake, address))


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AtHand]:
    """Begun once; every test has a copy."""
    found = {}
    for name, players, tempo in (("rounds", 4, "fast"), ("strict", 2, "strict")):
        at = campaign_at_hand(tmp_path_factory.mktemp(name), players=players, tempo=tempo)
        if name == "rounds":
            at.close()  # past the deployment
        at.db.dispose()
        found[name] = at
    return found


@pytest.fixture
def copy_of(pattern: dict[str, AtHand], tmp_path: Path, without_maps: None) -> Callable[[str], Intake]:
    def copied(name: str) -> Intake:
        source = pattern[name]
        clock = replace(source.clock)
        store = copied_store(file_of(source.db), tmp_path / FILE)
        service = replace(source.service, db=store, now=clock)
        return Intake(AtHand(service, clock, source.name, source.addresses))

    return copied


@pytest.fixture
def intake(copy_of: Callable[[str], Intake]) -> Intake:
    """FWW-1 with four players in the rounds of turn 1: all are awaited."""
    return copy_of("rounds")


@pytest.fixture
def strict(copy_of: Callable[[str], Intake]) -> Intake:
    """Two players, every question by mail: the Central Powers deploy."""
    return copy_of("strict")
