"""A story by mail: a folder with what players write as `.eml` and what the service answers as `.txt`.

Letters of the service are named by kind, reader and language. Each mail comes at its Date; deadlines that lie
before it pass first. `PBEM_GOLDEN=write` writes the answers anew, and readdresses the replies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any, cast

from sqlalchemy import delete

from engine.kernel.fairness.dice import H
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.invitations import invite
from pbem.campaigns.lobby import start_campaign
from pbem.campaigns.outages import ClockReading
from pbem.context import ServiceContext
from pbem.intake.receive import receive_letter
from pbem.mail.addresses import SeatAddresses
from pbem.ops.sweep import sweep
from pbem.settings import ServiceProfile
from pbem.store.deadlines import timetable
from pbem.store.inbox import mark_read_to
from pbem.store.outbox import Posted
from pbem.store.people import enrol, give_seat
from pbem.store.schema_mail import pulses
from pbem.store.session import writing
from pbem.store.windows import open_window
from tests.campaigns_at_hand import MAILBOX, NOW, PEOPLE, UMPIRE, AtHand, Clock, found_campaign
from tests.flow.hands import text
from tests.stores import fresh_store

MAILS = Path(__file__).parents[1] / "mails"
WRITES = os.environ.get("PBEM_GOLDEN") == "write"
ANSWERED = ("result", "question", "receipt")


@dataclass(frozen=True, slots=True)
class Story:
    """Its folder and its campaign: who writes, in which language, under which terms."""

    folder: str
    campaign: str
    game: str
    players: Mapping[str, tuple[str, str]]  # seat -> name in the story, language
    holders: Mapping[str, str]  # seat -> address
    terms: Mapping[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return MAILS / self.folder


def begun(story: Story, folder: Path) -> AtHand:
    """Founded, everybody invited, and its first window open."""
    clock, house = Clock(), ServiceProfile(umpires=(UMPIRE,))
    service = ServiceContext(fresh_store(folder), SeatAddresses(H("test addresses"), MAILBOX), house, clock)
    name = story.campaign
    found_campaign(service, name, len(story.players), game=story.game, **story.terms)
    for seat, address in story.holders.items():
        give_seat(service.db, name, seat, enrol(service.db, address, *PEOPLE[address], clock()), clock())
    here = load_campaign(service.db, name)
    with writing(service.db) as tx:
        for seat in story.holders:
            invite(service, tx, here, seat)
    start_campaign(service, name)
    adjudicate(service, name)
    return AtHand(service, clock, name, story.holders)


# ------------------------------------------------------------------ time and mails


def comes_to(at: AtHand, moment: datetime) -> None:
    """Time passes; what is due on the way is done then."""
    while (due := next_due(at)) is not None and due < moment:
        looks(at, due + timedelta(minutes=1))
    looks(at, moment)


def next_due(at: AtHand) -> datetime | None:
    window = open_window(at.db, at.name)
    rows = () if window is None else timetable(at.db, at.name, window.number)
    return min((row.due.at for row in rows if row.due.at >= at.clock.now), default=None)


def looks(at: AtHand, moment: datetime) -> None:
    at.clock.now = moment
    with writing(at.db) as tx:
        tx.execute(delete(pulses))  # the service ran all the while
    mark_read_to(at.db, "INBOX", 1, moment)
    steady = (moment - NOW).total_seconds()
    for name in sweep(at.service, lambda now: ClockReading(now, steady, "boot")).campaigns:
        adjudicate(at.service, name)


def hears(at: AtHand, raw: bytes) -> None:
    number = at.arrives(raw)
    for name in sorted(receive_letter(at.service, number, "test")):
        adjudicate(at.service, name)


# ------------------------------------------------------------------ the folder


def told(posted: Posted) -> str:
    """The words of a letter, hashes struck out."""
    return re.sub(r"[0-9a-f]{16,}", "<hash>", text(posted).replace("\r\n", "\n"))


def subject(posted: Posted) -> str:
    return str(message_from_bytes(posted.letter.body, policy=policy.default)["Subject"])


def new_letters(story: Story, at: AtHand, seen: set[str]) -> list[tuple[str, str]]:
    """What was written since, by file name and text."""
    found = []
    for seat, (name, language) in story.players.items():
        for one in reversed(at.letters(seat)):
            if one.letter.message_id in seen:
                continue
            seen.add(one.letter.message_id)
            found.append((f"{one.letter.kind}-{name}.{language}.txt", f"{subject(one)}\n\n{told(one)}"))
    return found


def readdressed(at: AtHand, path: Path) -> bytes:
    """The mail as a reply to the newest letter that its writer has of us."""
    mail = message_from_bytes(path.read_bytes(), policy=policy.SMTP)
    seat = next(seat for seat, address in at.addresses.items() if address in str(mail["From"]))
    last = next(one for one in at.letters(seat) if one.letter.kind in ANSWERED)
    ours = message_from_bytes(last.letter.body, policy=policy.default)
    for name, value in (("To", ours["Reply-To"]), ("In-Reply-To", ours["Message-ID"])):
        del mail[name]
        mail[name] = str(value)
    return mail.as_bytes()


def date_of(path: Path) -> datetime:
    mail = message_from_bytes(path.read_bytes(), policy=policy.default)
    return cast(datetime, mail["Date"].datetime).astimezone(UTC)


def heard(at: AtHand, path: Path, number: int) -> None:
    """A player's mail comes; its file bears its number in the story."""
    if WRITES:
        path.write_bytes(readdressed(at, path).replace(b"\r\n", b"\n"))
        path = path.rename(path.with_name(f"{number:02}-{path.name.partition('-')[2]}"))
    assert path.name.startswith(f"{number:02}-"), f"{path.name} is number {number}"
    hears(at, path.read_bytes())


def play(story: Story, folder: Path) -> dict[str, str]:
    """Every letter of the service by its name."""
    at, seen, letters = begun(story, folder), set[str](), dict[str, str]()

    def keep(mails: int) -> None:
        for name, words in new_letters(story, at, seen):
            letters[f"{len(letters) + mails:02}-{name}"] = words

    keep(0)
    for mails, path in enumerate(sorted(story.home.glob("*.eml"), key=date_of)):
        comes_to(at, date_of(path))
        keep(mails)
        heard(at, path, len(letters) + mails)
        keep(mails + 1)
    return letters


def compared(story: Story, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The letters as they are kept, and as they are written now; if asked to, they are kept anew."""
    letters = play(story, folder)
    if WRITES:
        for path in story.home.glob("*.txt"):
            path.unlink()
        for name, words in letters.items():
            (story.home / name).write_text(words, "utf-8")
    return {path.name: path.read_text("utf-8") for path in sorted(story.home.glob("*.txt"))}, letters
