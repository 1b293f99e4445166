"""A season of To the Last Man! by mail: two mailboxes, one in English and one in French, letter by letter.

`tests/mails/ttlm-1914` holds the story in order: what the players write as `.eml`, what the service answers
as `.txt`, named by kind, reader and language. Each mail comes at its Date; deadlines that lie before it pass
first. The dice are fixed and hashes are struck out, so that only a change of words or of rules is a change
here. `PBEM_GOLDEN=write` writes the answers anew, and readdresses the replies.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import delete

from engine.kernel.audit import Ledger
from engine.kernel.dice import AuditedDice, H
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.invitations import invite
from pbem.campaigns.lobby import start
from pbem.campaigns.outages import Reading
from pbem.campaigns.stored import take_up
from pbem.campaigns.sweeping import sweep
from pbem.intake.receive import receive_letter
from pbem.mail.addresses import SeatAddresses
from pbem.office import House, Office
from pbem.store.campaigns import campaign, keys_of
from pbem.store.connect import writing
from pbem.store.deadlines import timetable
from pbem.store.filing import open_window
from pbem.store.mailbag import read_to_end
from pbem.store.outbox import Posted
from pbem.store.people import enrol, give_seat
from pbem.store.schema_mail import pulses
from tests.campaigns_at_hand import MAILBOX, NOW, PEOPLE, UMPIRE, AtHand, Clock, found_campaign
from tests.flow.hands import text
from tests.stores import fresh_store

STORY = Path(__file__).parents[1] / "mails" / "ttlm-1914"
NAME = "TTLM-1"
PLAYERS = {"EN": ("entente", "fr"), "GE": ("german", "en")}  # seat -> name in the story, language
HOLDERS = {"EN": "jeanne@wa.test", "GE": "max@de.test"}
WRITES = os.environ.get("PBEM_GOLDEN") == "write"


def begun(folder: Path) -> AtHand:
    """TTLM-1 in `react`: founded, both invited, and its first window open."""
    clock = Clock()
    house = House(umpires=(UMPIRE,))
    office = Office(fresh_store(folder), SeatAddresses(H("test addresses"), MAILBOX), house, clock)
    found_campaign(office, NAME, 2, "react", game="ttlm", scenario="1914")
    for seat, address in HOLDERS.items():
        give_seat(office.db, NAME, seat, enrol(office.db, address, *PEOPLE[address], clock()), clock())
    here, terms = campaign(office.db, NAME), take_up(office.db, NAME).terms
    with writing(office.db) as tx:
        for seat in HOLDERS:
            invite(office, tx, here, seat, terms, keys_of(office.db, NAME), clock())
    start(office, NAME)
    adjudicate(office, NAME)
    return AtHand(office, clock, NAME, HOLDERS)


# ------------------------------------------------------------------ time and mails


def comes_to(at: AtHand, moment: datetime) -> None:
    """Time passes; what is due on the way is done then."""
    while (due := next_due(at)) is not None and due < moment:
        looks(at, due + timedelta(minutes=1))
    looks(at, moment)


def next_due(at: AtHand) -> datetime | None:
    window = open_window(at.db, NAME)
    rows = () if window is None else timetable(at.db, NAME, window.number)
    return min((row.due.at for row in rows if row.due.at >= at.clock.now), default=None)


def looks(at: AtHand, moment: datetime) -> None:
    at.clock.now = moment
    with writing(at.db) as tx:
        tx.execute(delete(pulses))  # the service ran all the while
    read_to_end(at.db, "INBOX", 1, moment)
    steady = (moment - NOW).total_seconds()
    for name in sweep(at.office, lambda now: Reading(now, steady, "boot")).campaigns:
        adjudicate(at.office, name)


def hears(at: AtHand, raw: bytes) -> None:
    number = at.arrives(raw)
    for name in sorted(receive_letter(at.office, number, "test")):
        adjudicate(at.office, name)


# ------------------------------------------------------------------ the folder


def told(posted: Posted) -> str:
    """The words of a letter, hashes struck out."""
    return re.sub(r"[0-9a-f]{16,}", "<hash>", text(posted).replace("\r\n", "\n"))


def subject(posted: Posted) -> str:
    return str(message_from_bytes(posted.letter.body, policy=policy.default)["Subject"])


def new_letters(at: AtHand, seen: set[str]) -> list[tuple[str, str]]:
    """What was written since, by file name and text."""
    found = []
    for seat, (name, language) in PLAYERS.items():
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
    last = next(one for one in at.letters(seat) if one.letter.kind in ("result", "question", "receipt"))
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


def play(folder: Path) -> dict[str, str]:
    """Every letter of the service by its name."""
    at, seen, letters = begun(folder), set[str](), dict[str, str]()

    def keep(mails: int) -> None:
        for name, words in new_letters(at, seen):
            letters[f"{len(letters) + mails:02}-{name}"] = words

    keep(0)
    for mails, path in enumerate(sorted(STORY.glob("*.eml"))):
        comes_to(at, date_of(path))
        keep(mails)
        heard(at, path, len(letters) + mails)
        keep(mails + 1)
    return letters


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the hashes of this version are."""
    dice = (H("the story of 1914", "rolls"), H("the story of 1914", "draws"))
    monkeypatch.setattr(Ledger, "dice", lambda ledger, close: AuditedDice(*dice))


@pytest.mark.usefixtures("without_maps", "fixed_dice")
def test_the_summer_of_1914_by_mail(tmp_path: Path) -> None:
    letters = play(tmp_path)
    if WRITES:
        for path in STORY.glob("*.txt"):
            path.unlink()
        for name, words in letters.items():
            (STORY / name).write_text(words, "utf-8")
    kept = {path.name: path.read_text("utf-8") for path in sorted(STORY.glob("*.txt"))}
    assert list(kept) == list(letters)
    for name, words in letters.items():
        assert words == kept[name], name
